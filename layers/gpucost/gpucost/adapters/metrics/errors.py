"""What can go wrong when a metrics engine is asked.

MetricsError                    (ports)
├── MetricsUnavailable          (ports) timeout, connection, 429, 5xx: may succeed later
├── AccessDenied                401, 403: credentials, region, policy or signature
├── ResponseTooLarge            413: the answer would be over the engine's limit
├── QueryRejected               400, 422: the engine does not run this query
└── UnreadableAnswer            200, but not what the API documents
"""

from gpucost.ports import MetricsError, MetricsUnavailable

MAX_BODY = 500


class AccessDenied(MetricsError):
    """The engine does not accept who asks."""


class ResponseTooLarge(MetricsError):
    """The answer exceeds what the engine sends in one response."""


class QueryRejected(MetricsError):
    """The engine refuses to run the query."""


class UnreadableAnswer(MetricsError):
    """The answer is not a Prometheus API response."""


type _Hint = tuple[type[MetricsError], str]

_FAILING: _Hint = (MetricsUnavailable, "the engine is failing; try again later")
_UNEXPECTED: _Hint = (MetricsError, "unexpected answer")
_HINTS: dict[int, _Hint] = {
    400: (QueryRejected, "the engine does not understand the query"),
    401: (AccessDenied, "check the credentials"),
    403: (
        AccessDenied,
        "check the credentials, the region, and that the role may do aps:QueryMetrics on the workspace",
    ),
    404: (MetricsError, "check the endpoint: it is the workspace's URL, up to and without /api/v1"),
    413: (ResponseTooLarge, "the answer is larger than the engine sends"),
    422: (QueryRejected, "the engine gave up on the query (too many samples, a timeout, or conflicting series)"),
    429: (MetricsUnavailable, "throttled; try again later"),
}


def error_of(endpoint: str, status: int, body: str) -> MetricsError:
    """The typed error for an HTTP status that is not 200. The message holds endpoint, status, body and what to do."""
    fallback = _FAILING if status >= 500 else _UNEXPECTED
    kind, hint = _HINTS.get(status, fallback)
    text = " ".join(body.split())
    shown = text if len(text) <= MAX_BODY else text[:MAX_BODY] + "…"
    return kind(f"{endpoint} answered {status}: {shown or '(empty body)'} ({hint})")
