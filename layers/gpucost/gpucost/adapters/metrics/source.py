"""Reads one cluster-hour from an engine: asks the catalogue's questions and assembles the answers."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
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

    def noted(self, question: Question, answer: Answer) -> tuple[Series, ...]:
        """The answer's series; what they were and what the engine said of them is kept."""
        samples = len(answer.series) if question.instant else sum(minutes(one.minutes) for one in answer.series)
        self.traces.append(QueryTrace(question.name, question.promql, len(answer.series), samples))
        self.warnings.update(answer.warnings)
        return answer.series


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
        assembler = Assembler(self._labels)
        log = _Log()
        with ThreadPoolExecutor(max_workers=1) as pool:
            for question, texts in self._ahead(pool, catalogue.questions(self._policy), hour):
                assembler.take(question.name, log.noted(question, _read(question, texts, reader)))
            if assembler.lacks_utilization:
                for question, texts in self._ahead(pool, [catalogue.fallback()], hour):
                    assembler.take(question.name, log.noted(question, _read(question, texts, reader)))
        return assembler.readings(tuple(log.traces), tuple(sorted(log.warnings)))

    def _ahead(
        self, pool: ThreadPoolExecutor, questions: Sequence[Question], hour: Hour
    ) -> Iterator[tuple[Question, list[str]]]:
        """The answers in order. While one is read, the engine already works on the next; no more than that is held."""
        waiting = pool.submit(self._ask, questions[0], hour)
        for question, following in zip(questions, [*questions[1:], None], strict=True):
            texts = waiting.result()
            if following is not None:
                waiting = pool.submit(self._ask, following, hour)
            yield question, texts

    def _ask(self, question: Question, hour: Hour) -> list[str]:
        """The answer's text; several when it had to be asked for in parts."""
        try:
            if question.instant:
                at = hour.epoch + MINUTES * MINUTE - HALF_MINUTE
                return [self._client.post("query", {"query": question.promql, "time": str(at), **self._fuse})]
            return self._ask_range(question, hour, 0, MINUTES)
        except MetricsError as error:
            raise type(error)(f"query {question.name}: {error}") from error

    def _ask_range(self, question: Question, hour: Hour, first: int, end: int) -> list[str]:
        """Minutes [first, end) of the hour. An answer over the engine's limit is asked for again in halves."""
        window = {
            "start": str(hour.epoch + first * MINUTE),
            "end": str(hour.epoch + (end - 1) * MINUTE),
            "step": str(MINUTE),
        }
        try:
            return [self._client.post("query_range", {"query": question.promql, **window, **self._fuse})]
        except ResponseTooLarge:
            if end - first == 1:
                raise
            middle = (first + end) // 2
            return [*self._ask_range(question, hour, first, middle), *self._ask_range(question, hour, middle, end)]


def _read(question: Question, texts: list[str], reader: SampleReader) -> Answer:
    """The series of a question's answer. An unreadable one names the question."""
    try:
        if question.instant:
            pairs, warnings = read_vector(texts[0])
            return Answer(
                tuple(Series(labels, (value,), FULL) for labels, value in pairs if value is not None), warnings
            )
        parts = [read_matrix(text, reader) for text in texts]
        return parts[0] if len(parts) == 1 else _joined(parts)
    except MetricsError as error:
        raise type(error)(f"query {question.name}: {error}") from error


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
