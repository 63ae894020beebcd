"""The answers of the Prometheus HTTP API as series. Floats stop here: a sample is a Decimal, or None.

A range answer for ten thousand series is 14 MB of mostly equal numbers. It is read series by series, equal runs of
samples are parsed once and shared, and the whole is never held as nested lists. Answers in another layout than
Prometheus and Amazon Managed Prometheus write go through the ordinary JSON parser instead, with the same result.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from gpucost.adapters.metrics.errors import UnreadableAnswer
from gpucost.domain.hours import MINUTES
from gpucost.domain.readings import Samples
from gpucost.domain.timeline import FULL, Mask

MINUTE = 60
_HEAD = '{"status":"success","data":{"resultType":"matrix","result":['
_METRIC = '{"metric":'
_VALUES = ',"values":[['
_END = "]]}"
_TEXTS = re.compile(r'"([^"]*)"')
_CACHED = 4096


@dataclass(frozen=True, slots=True)
class Series:
    """One series: its labels, a sample for each of the hour's 60 instants (or None), and the minutes that have one."""

    labels: Mapping[str, str]
    samples: Samples
    minutes: Mask


@dataclass(frozen=True, slots=True)
class Answer:
    """What one query gave: its series, and what the engine had to say about them."""

    series: tuple[Series, ...]
    warnings: tuple[str, ...] = ()


type Run = tuple[Samples, Mask]


class SampleReader:
    """Reads the samples of the hour that starts at an epoch. Equal runs of samples are read once and shared."""

    def __init__(self, start: int) -> None:
        self._start = start
        self._runs: dict[str, Run] = {}
        self._full = (str(start), str(start + (MINUTES - 1) * MINUTE))

    def run(self, raw: str) -> Run:
        """The samples of `1796032800,"1"],[1796032860,"1"`, the inside of a values list."""
        known = self._runs.get(raw)
        if known is None:
            known = self._read(raw)
            if len(self._runs) < _CACHED:
                self._runs[raw] = known
        return known

    def _read(self, raw: str) -> Run:
        texts = _TEXTS.findall(raw)
        last = raw.rfind("[") + 1
        whole = len(texts) == MINUTES and raw.startswith(self._full[0]) and raw.startswith(self._full[1], last)
        if whole and "N" not in raw and "I" not in raw:
            return tuple(map(Decimal, texts)), FULL
        pairs = [pair.split(",", 1) for pair in raw.split("],[")]
        return self.points((float(moment), text.strip().strip('"')) for moment, text in pairs)

    def points(self, points: Iterator[tuple[float, str]]) -> Run:
        """Place (epoch, value) points on the hour's instants. UnreadableAnswer for a point outside them."""
        samples: list[Decimal | None] = [None] * MINUTES
        mask = 0
        for moment, text in points:
            minute, rest = divmod(moment - self._start, MINUTE)
            if rest or not 0 <= minute < MINUTES:
                raise UnreadableAnswer(f"a sample at {moment} is not on a minute of the hour from {self._start}")
            value = samples[int(minute)] = decimal_of(text)
            mask |= (value is not None) << int(minute)
        return tuple(samples), mask


def decimal_of(text: str) -> Decimal | None:
    """A sample's text as a Decimal; None for NaN and the infinities: they are no observation."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise UnreadableAnswer(f"{text!r} is not a sample value") from None
    return value if value.is_finite() else None


def read_matrix(text: str, reader: SampleReader) -> Answer:
    """The series of a range query's answer."""
    if text.startswith(_HEAD):
        try:
            return _read_compact(text, reader)
        except (ValueError, IndexError):
            pass
    data, warnings = envelope(text, "matrix")
    series = tuple(
        Series(one["metric"], *reader.points((float(moment), value) for moment, value in one["values"])) for one in data
    )
    return Answer(series, warnings)


def _read_compact(text: str, reader: SampleReader) -> Answer:
    """Series by series. ValueError when the layout is another one than expected."""
    decode = json.JSONDecoder().raw_decode
    series: list[Series] = []
    at = len(_HEAD)
    while text.startswith(_METRIC, at):
        labels, end = decode(text, at + len(_METRIC))
        if not text.startswith(_VALUES, end):
            raise ValueError("not the compact layout")
        start = end + len(_VALUES)
        end = text.index(_END, start)
        series.append(Series(labels, *reader.run(text[start:end])))
        at = end + len(_END)
        at += text.startswith(",", at)
    _, warnings = envelope(_HEAD + text[at:], "matrix")
    return Answer(tuple(series), warnings)


def read_vector(text: str) -> tuple[list[tuple[dict[str, str], Decimal | None]], tuple[str, ...]]:
    """The (labels, value) pairs of an instant query's answer, and its warnings. A scalar is a pair without labels."""
    data, warnings = envelope(text, "vector", "scalar")
    if data and not isinstance(data[0], dict):
        return [({}, decimal_of(str(data[1])))], warnings
    return [(one["metric"], decimal_of(str(one["value"][1]))) for one in data], warnings


def envelope(text: str, *types: str) -> tuple[list[Any], tuple[str, ...]]:
    """The result and the warnings of a successful answer. `infos` and unknown fields are left alone."""
    try:
        document = json.loads(text)
        if document["status"] != "success":
            raise UnreadableAnswer(f"status {document['status']}: {document.get('error', 'no error text')}")
        data = document["data"]
        if data["resultType"] not in types:
            raise UnreadableAnswer(f"a {data['resultType']} came back where a {types[0]} was asked for")
        return list(data["result"]), tuple(map(str, document.get("warnings") or ()))
    except (ValueError, KeyError, TypeError) as error:
        raise UnreadableAnswer(f"not a Prometheus answer ({type(error).__name__}: {error}): {text[:200]!r}") from None
