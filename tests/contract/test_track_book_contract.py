"""What is remembered of watched subjects, on both tables."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from gpucost.adapters.ledger.tracks import StoreTrackBook
from gpucost.domain.alerts.episodes import Observation, Verdict
from gpucost.domain.alerts.finding import Kind
from gpucost.domain.alerts.tracks import Told, Track
from gpucost.tracking import Held, Posted
from tests.contract.conftest import Table
from tests.support.hours import HOUR, NOW

BAD = Observation(Verdict.BAD, Decimal("1.25"))


@pytest.fixture
def book(table: Table) -> StoreTrackBook:
    return StoreTrackBook(table.store)


def track(cluster: str, subject: str = "", bu: str = "bu-a") -> Track:
    told = Told("e-1", HOUR, HOUR.plus(1), 1, 2, Decimal("2.5"))
    return Track(
        Kind.IDLE_SLICE,
        cluster,
        subject,
        bu,
        {HOUR: BAD, HOUR.plus(1): replace(BAD, verdict=Verdict.UNKNOWN)},
        (replace(told, id="e-0", closed=HOUR), told),
        "U0123",
        NOW + timedelta(hours=8),
    )


def test_a_track_comes_back_as_it_was_with_its_version(book: StoreTrackBook, cluster: str) -> None:
    one = track(cluster, "ns/Job/x nvidia.com/gpu" * 60)
    assert book.save(one)
    assert book.track(cluster, one.kind, one.subject, one.bu) == replace(one, version=1)
    assert list(book.tracks(cluster)) == [replace(one, version=1)]


def test_nothing_remembered_is_an_empty_track(book: StoreTrackBook, cluster: str) -> None:
    assert book.track(cluster, Kind.BU_WASTE, "", "bu-a") == Track(Kind.BU_WASTE, cluster, "", "bu-a")
    assert list(book.tracks(cluster)) == []


def test_bus_kinds_and_subjects_are_told_apart(book: StoreTrackBook, cluster: str) -> None:
    kept = [track(cluster), track(cluster, bu="bu-b"), track(cluster, "s"), replace(track(cluster), kind=Kind.BU_WASTE)]
    assert all(map(book.save, kept))
    assert len(book.tracks(cluster)) == 4


def test_who_saves_an_old_version_is_refused(book: StoreTrackBook, cluster: str) -> None:
    one = track(cluster)
    assert book.save(one)
    assert not book.save(one)
    again = book.track(cluster, one.kind, one.subject, one.bu)
    assert book.save(replace(again, acknowledged=""))
    assert not book.save(again)


def test_a_message_that_cannot_be_changed_is_kept(book: StoreTrackBook, cluster: str) -> None:
    assert book.posted(cluster) is None
    book.keep_posted(cluster, Posted("C1", "1796032800.000100"))
    book.keep_posted(cluster, Posted("C1", "1796032900.000100"))
    assert book.posted(cluster) == Posted("C1", "1796032900.000100")


POSTED = Posted("C1", "1796032800.000100")


def test_a_message_is_in_one_hand_at_a_time(book: StoreTrackBook, cluster: str) -> None:
    held = book.take(cluster, NOW)
    assert held == Held(cluster, 1)
    assert book.take(cluster, NOW) is None
    book.put_back(replace(held, posted=POSTED, number=7), NOW)
    assert book.take(cluster, NOW) == Held(cluster, 2, POSTED, 7)


def test_what_a_dead_one_held_is_free_after_two_minutes_and_he_cannot_put_it_back_then(
    book: StoreTrackBook, cluster: str
) -> None:
    first = book.take(cluster, NOW)
    assert first is not None
    assert book.take(cluster, NOW + timedelta(seconds=119)) is None
    second = book.take(cluster, NOW + timedelta(seconds=120))
    assert second == Held(cluster, 2)
    book.put_back(replace(first, posted=POSTED, number=1), NOW + timedelta(seconds=121))
    book.put_back(second, NOW + timedelta(seconds=122))
    assert book.take(cluster, NOW + timedelta(seconds=123)) == Held(cluster, 3)
