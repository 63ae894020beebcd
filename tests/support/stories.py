"""Episodes that go on, for tests of what people see of them."""

from collections.abc import Sequence
from decimal import Decimal

from gpucost.adapters.memory import MemoryTrackBook
from gpucost.domain.alerts.episodes import Observation, Verdict
from gpucost.domain.alerts.finding import Kind, stable_id
from gpucost.domain.alerts.tracks import Told, Track
from gpucost.domain.hours import Hour


def episode_of(cluster: str, bu: str) -> str:
    """The id of the episode that `stories` has of a BU, or of the cluster itself ("")."""
    return stable_id("story", cluster, bu)


def stories(clusters: Sequence[str], bus: Sequence[str], first: Hour) -> MemoryTrackBook:
    """In every cluster an idle slice of every BU, and capacity that nobody holds."""
    book = MemoryTrackBook()
    for cluster in clusters:
        for number, bu in enumerate([*bus, ""], start=1):
            usd = Decimal(number) * 3
            told = Told(episode_of(cluster, bu), first, first.plus(2), 0, 3, usd)
            seen = {first.plus(hour): Observation(Verdict.BAD, usd / 3) for hour in range(3)}
            kind = Kind.IDLE_SLICE if bu else Kind.UNALLOCATED
            subject = f"{bu}-jobs/StatefulSet/train nvidia_com_mig_1g_5gb" if bu else ""
            book.save(Track(kind, cluster, subject, bu, seen, (told,)))
    return book
