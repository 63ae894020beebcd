"""Range answers: the compact layout and any other give the same series, hostile labels included."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucost.adapters.metrics.errors import UnreadableAnswer
from gpucost.adapters.metrics.matrix import Answer, SampleReader, read_matrix
from gpucost.domain.timeline import FULL

START = 1796032800
labels = st.dictionaries(st.text(min_size=1, max_size=12), st.text(max_size=30), max_size=4)
values = st.sampled_from(["0", "1", "0.307321", "1e-07", "2.5", "NaN", "+Inf", "-Inf", "0.04539326785714286"])
runs = st.dictionaries(st.integers(0, 59), values, min_size=1, max_size=60)


def document(series: list[tuple[dict[str, str], dict[int, str]]], **more: Any) -> dict[str, Any]:
    result = [
        {"metric": metric, "values": [[START + 60 * minute, run[minute]] for minute in sorted(run)]}
        for metric, run in series
    ]
    return {"status": "success", "data": {"resultType": "matrix", "result": result}, **more}


def read(text: str) -> Answer:
    return read_matrix(text, SampleReader(START))


@given(st.lists(st.tuples(labels, runs), max_size=4), st.lists(st.text(max_size=20), max_size=2), st.booleans())
def test_the_compact_layout_reads_like_any_other(
    series: list[tuple[dict[str, str], dict[int, str]]], warnings: list[str], ascii_only: bool
) -> None:
    whole = document(series, warnings=warnings, infos=["fine"])
    compact = read(json.dumps(whole, separators=(",", ":"), ensure_ascii=ascii_only))
    assert compact == read(json.dumps(whole, indent=1))
    assert [one.labels for one in compact.series] == [metric for metric, _ in series]
    assert compact.warnings == tuple(warnings)


@given(runs)
def test_every_sample_lands_on_its_minute(run: dict[int, str]) -> None:
    (series,) = read(json.dumps(document([({}, run)]), separators=(",", ":"))).series
    for minute in range(60):
        text = run.get(minute)
        finite = text is not None and Decimal(text).is_finite()
        assert series.samples[minute] == (Decimal(text) if text is not None and finite else None)
        assert bool(series.minutes >> minute & 1) == finite


def test_equal_runs_are_shared() -> None:
    run = dict.fromkeys(range(60), "1")
    first, second = read(json.dumps(document([({"a": "1"}, run), ({"a": "2"}, run)]), separators=(",", ":"))).series
    assert first.samples is second.samples
    assert first.minutes == FULL


@pytest.mark.parametrize("moment", [START - 60, START + 3600, START + 30])
def test_a_sample_off_the_minutes_is_refused(moment: int) -> None:
    body = {"resultType": "matrix", "result": [{"metric": {}, "values": [[moment, "1"]]}]}
    with pytest.raises(UnreadableAnswer, match="not on a minute"):
        read(json.dumps({"status": "success", "data": body}))


def test_labels_that_look_like_the_layout_are_only_labels() -> None:
    trap = {"pod": '"},"values":[[1,"2"]]},{"metric":{"x":"y'}
    (series,) = read(json.dumps(document([(trap, {0: "1"})]), separators=(",", ":"))).series
    assert series.labels == trap


@pytest.mark.parametrize("cut", [10, 61, 75, 120, -3])
def test_a_cut_answer_is_an_error_not_a_smaller_hour(cut: int) -> None:
    text = json.dumps(document([({"pod": "a"}, dict.fromkeys(range(60), "1"))] * 2), separators=(",", ":"))
    with pytest.raises(UnreadableAnswer):
        read(text[:cut])
