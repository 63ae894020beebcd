"""A simulation that finds nothing has to show that it would: each of these ledgers has one fault, and is found out."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from gpucost.adapters.ledger import publishing
from gpucost.adapters.ledger.alert_log import StoreAlertLog
from gpucost.adapters.ledger.gaps import StoreGaps
from gpucost.adapters.ledger.publishing import StorePublishing
from gpucost.adapters.ledger.rollups import StoreRollups
from gpucost.adapters.ledger.store import AbsentOrBelow, Item, Put
from gpucost.adapters.ledger.tracks import StoreTrackBook
from gpucost.adapters.memory import MemoryStore
from gpucost.domain.alerts.finding import Finding
from gpucost.domain.hours import Hour
from gpucost.usecases.recording import upkeep
from tests.simulation.chance import Chance
from tests.simulation.checks import faults_of
from tests.simulation.world import World

ENOUGH = 60

type Sabotage = Callable[[pytest.MonkeyPatch], None]


def conditions_are_ignored(patch: pytest.MonkeyPatch) -> None:
    write = MemoryStore.write
    patch.setattr(MemoryStore, "write", lambda self, puts: write(self, [Put(put.item) for put in puts]))


def transactions_are_not_atomic(patch: pytest.MonkeyPatch) -> None:
    write = MemoryStore.write

    def one_by_one(self: MemoryStore, puts: Sequence[Put]) -> None:
        for put in puts:
            write(self, [put])

    patch.setattr(MemoryStore, "write", one_by_one)


def rows_come_after_the_head(patch: pytest.MonkeyPatch) -> None:
    publish, write_rows = StorePublishing.publish, StorePublishing._write_rows
    patch.setattr(StorePublishing, "_write_rows", lambda *_: None)

    def late(self: StorePublishing, report: Any, now: datetime) -> Any:
        done = publish(self, report, now)
        write_rows(self, publishing._content(report), now)
        return done

    patch.setattr(StorePublishing, "publish", late)


def worse_readings_are_welcome(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(publishing, "is_worse", lambda *_: False)


def the_same_again_is_a_revision(patch: pytest.MonkeyPatch) -> None:
    settled = publishing._settled

    def careless(content: Any, in_force: Any, written: Any) -> Any:
        found = settled(content, in_force, written)
        return None if found and found.outcome == "unchanged" else found

    patch.setattr(publishing, "_settled", careless)


def gaps_stay(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(upkeep, "hours_to_heal", lambda *_: {})


def late_sums_are_not_made(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(upkeep, "behind", lambda *_: [])


def any_sum_replaces_any(patch: pytest.MonkeyPatch) -> None:
    write = MemoryStore.write

    def unversioned(self: MemoryStore, puts: Sequence[Put]) -> None:
        write(self, [Put(put.item) if isinstance(put.condition, AbsentOrBelow) else put for put in puts])

    put_rollup = StoreRollups.put_rollup
    patch.setattr(MemoryStore, "write", unversioned)
    # A sum that stands on less, as a worker would write that was slow.
    stale: dict[Any, Any] = {}

    def slow(self: StoreRollups, rollup: Any) -> bool:
        earlier = stale.setdefault(rollup.period, rollup)
        put_rollup(self, rollup)
        return put_rollup(self, earlier)

    patch.setattr(StoreRollups, "put_rollup", slow)


def findings_are_forgotten_before_they_are_told(patch: pytest.MonkeyPatch) -> None:
    begin = StoreAlertLog.begin

    def begun_is_told(self: StoreAlertLog, finding: Finding, now: datetime) -> bool:
        new = self._store.get(f"F#{finding.id}", "F") is None
        begin(self, finding, now)
        return new

    patch.setattr(StoreAlertLog, "begin", begun_is_told)


def findings_are_told_every_time(patch: pytest.MonkeyPatch) -> None:
    begin, save = StoreAlertLog.begin, StoreTrackBook.save
    patch.setattr(StoreTrackBook, "save", lambda self, track: save(self, replace(track, told=())))
    patch.setattr(StoreAlertLog, "begin", lambda self, finding, now: [begin(self, finding, now)] != [])


def nothing_is_swept(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(StoreGaps, "sweep", lambda *_: 0)


def too_much_is_swept(patch: pytest.MonkeyPatch) -> None:
    def careless(self: StoreGaps, cluster: str, hour: Hour, now: datetime) -> int:
        rows: list[Item] = self._store.query(f"C#{cluster}#H#{hour.key}", "A#", "A#~")
        head = self.head(cluster, hour)
        return sum(self._removed(item) for item in rows if head and item["attempt"] != head.attempt)

    patch.setattr(StoreGaps, "sweep", careless)


@pytest.mark.parametrize(
    ("sabotage", "said"),
    [
        (conditions_are_ignored, "revision"),
        (transactions_are_not_atomic, "head"),
        (rows_come_after_the_head, "missing"),
        (worse_readings_are_welcome, "was complete and became partial"),
        (the_same_again_is_a_revision, "was published twice"),
        (gaps_stay, "is lost"),
        (late_sums_are_not_made, "is late"),
        (any_sum_replaces_any, "and its hours are"),
        (findings_are_forgotten_before_they_are_told, "was never told"),
        (findings_are_told_every_time, "findings were told again"),
        (nothing_is_swept, "has rows of attempts that were not published"),
        (too_much_is_swept, "are missing"),
    ],
)
def test_a_faulty_ledger_is_found_out(sabotage: Sabotage, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sabotage(monkeypatch)
    for seed in range(ENOUGH):
        world = World(Chance(seed))
        if any(said in fault for fault in faults_of(world.run())):
            return
    pytest.fail(f"{ENOUGH} worlds did not show it: {sabotage.__name__}")
