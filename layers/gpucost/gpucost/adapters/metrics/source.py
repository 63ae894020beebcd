"""Reads one cluster-hour from an engine: asks the catalogue's questions and assembles the answers."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from gpucost.adapters.labels import LabelNames
from gpucost.adapters.metrics.assemble import Assembler
from gpucost.adapters.metrics.catalogue import Catalogue, Question
from gpucost.adapters.metrics.client import EngineClient
from gpucost.adapters.metrics.errors import ResponseTooLarge
from gpucost.adapters.metrics.matrix import MINUTE, Answer, SampleReader, Series, read_matrix, read_vector
from gpucost.domain.hours import MINUTES, Hour
from gpucost.domain.policy import Policy
from gpucost.domain.readings import Readings
from gpucost.domain.report import QueryTrace
from gpucost.domain.timeline import FULL, minutes
from gpucost.ports import MetricsError

HALF_MINUTE = 30


@dataclass(slots=True)
class _Log:
    """What was asked and what the engine warned of, while an hour is read."""

    traces: list[QueryTrace] = field(default_factory=list)
    warnings: set[str] = field(default_factory=set)


class EngineMetrics:
    """`ports.Metrics` over a Prometheus-compatible engine."""

    def __init__(
        self, client: EngineClient, labels: LabelNames, policy: Policy, sample_fuse: int | None = None
    ) -> None:
        self._client = client
        self._labels = labels
        self._policy = policy
        self._fuse = {} if sample_fuse is None else {"max_samples_processed_error_threshold": str(sample_fuse)}

    def read_hour(self, cluster: str, hour: Hour) -> Readings:
        """All readings of the cluster-hour. MetricsError if any question fails: an hour is read whole or not at all."""
        catalogue = Catalogue(self._labels, cluster)
        reader = SampleReader(hour.epoch)
        log = _Log()
        assembler = Assembler(self._labels)
        for question in catalogue.questions(self._policy):
            assembler.take(question.name, self._ask(question, hour, reader, log))
        if assembler.lacks_utilization:
            fallback = catalogue.fallback()
            assembler.take(fallback.name, self._ask(fallback, hour, reader, log))
        return assembler.readings(tuple(log.traces), tuple(sorted(log.warnings)))

    def _ask(self, question: Question, hour: Hour, reader: SampleReader, log: _Log) -> tuple[Series, ...]:
        try:
            if question.instant:
                answer = self._instant(question, hour)
            else:
                answer = self._range(question, hour, 0, MINUTES, reader)
        except MetricsError as error:
            raise type(error)(f"query {question.name}: {error}") from error
        samples = len(answer.series) if question.instant else sum(minutes(one.minutes) for one in answer.series)
        log.traces.append(QueryTrace(question.name, question.promql, len(answer.series), samples))
        log.warnings.update(answer.warnings)
        return answer.series

    def _instant(self, question: Question, hour: Hour) -> Answer:
        at = hour.epoch + MINUTES * MINUTE - HALF_MINUTE
        text = self._client.post("query", {"query": question.promql, "time": str(at), **self._fuse})
        pairs, warnings = read_vector(text)
        return Answer(
            tuple(Series(labels, (value,), FULL) for labels, value in pairs if value is not None), warnings
        )

    def _range(self, question: Question, hour: Hour, first: int, end: int, reader: SampleReader) -> Answer:
        """Minutes [first, end) of the hour. An answer over the engine's limit is asked for again in halves."""
        window = {
            "start": str(hour.epoch + first * MINUTE),
            "end": str(hour.epoch + (end - 1) * MINUTE),
            "step": str(MINUTE),
        }
        try:
            text = self._client.post("query_range", {"query": question.promql, **window, **self._fuse})
        except ResponseTooLarge:
            if end - first == 1:
                raise
            middle = (first + end) // 2
            halves = (self._range(question, hour, *part, reader) for part in ((first, middle), (middle, end)))
            return _joined(halves)
        return read_matrix(text, reader)


def _joined(parts: Iterable[Answer]) -> Answer:
    """The parts of an hour as one answer."""
    series: dict[tuple[tuple[str, str], ...], Series] = {}
    warnings: list[str] = []
    for part in parts:
        warnings.extend(part.warnings)
        for one in part.series:
            key = tuple(sorted(one.labels.items()))
            known = series.get(key)
            series[key] = one if known is None else _either(known, one)
    return Answer(tuple(series.values()), tuple(warnings))


def _either(left: Series, right: Series) -> Series:
    """One series in two parts of the hour."""
    samples = tuple(b if a is None else a for a, b in zip(left.samples, right.samples, strict=True))
    return Series(left.labels, samples, left.minutes | right.minutes)
