"""Prometheus-compatible engines as a source of readings: Amazon Managed Prometheus, or any Prometheus."""

from gpucost.adapters.metrics.factory import amp_metrics, prometheus_metrics

__all__ = ["amp_metrics", "prometheus_metrics"]
