"""What goes wrong, and when: all of it from one seed."""

import hashlib
import random
from collections import Counter
from enum import StrEnum


class Fault(StrEnum):
    """The kinds of misfortune."""

    THROTTLED = "a call to the table is throttled"
    LOST_ACK = "a write is committed and its answer is lost"
    CONFLICT = "a write is refused because of another writer that nobody sees"
    HALF_BATCH = "a batch is written in part"
    KILLED_BEFORE = "the process is killed before a call"
    KILLED_AFTER = "the process is killed after a call"
    OVERTAKEN = "another worker does all of its work between two calls"
    CLOCK_SKEW = "a worker's clock is wrong"
    TICK_DROPPED = "the schedule skips an hour"
    OUTAGE = "the schedule is silent for hours"
    TICK_DOUBLED = "the schedule fires twice"
    TICK_LATE = "the schedule fires late"
    SEND_FAILED = "the queue takes some of the jobs"
    JOB_DOUBLED = "a job is delivered twice"
    JOB_DELAYED = "a job is delivered late and out of order"
    ACK_LOST = "a job is done and delivered again"
    METRICS_DOWN = "the metrics engine does not answer"
    WORSE_READING = "the metrics engine gives less than before"
    STREAM_DOUBLED = "a stream record is delivered twice"
    TOPIC_DOWN = "the topic takes no message"
    TOPIC_UNACKED = "the topic takes a message and its answer is lost"


SELDOM = 0.003
WORST = 0.25
RATES = {
    Fault.THROTTLED: SELDOM,
    Fault.LOST_ACK: 2 * SELDOM,
    Fault.CONFLICT: 2 * SELDOM,
    Fault.HALF_BATCH: 2 * SELDOM,
    Fault.KILLED_BEFORE: SELDOM / 2,
    Fault.KILLED_AFTER: SELDOM / 2,
    Fault.OVERTAKEN: 2 * SELDOM,
    Fault.CLOCK_SKEW: 0.1,
    Fault.TICK_DROPPED: 0.03,
    Fault.OUTAGE: 0.01,
    Fault.TICK_DOUBLED: 0.05,
    Fault.TICK_LATE: 0.05,
    Fault.SEND_FAILED: 0.01,
    Fault.JOB_DOUBLED: 0.05,
    Fault.JOB_DELAYED: 0.05,
    Fault.ACK_LOST: 0.05,
    Fault.METRICS_DOWN: 0.05,
    Fault.WORSE_READING: 0.05,
    Fault.STREAM_DOUBLED: 0.1,
    Fault.TOPIC_DOWN: 0.05,
    Fault.TOPIC_UNACKED: 0.05,
}


class Chance:
    """Draws every misfortune of one world, and remembers them as a trace. Calm and stormy kinds differ by seed.

    `stormy` multiplies all rates: a short world needs more of a storm to see as much.
    """

    def __init__(self, seed: int, stormy: int = 1) -> None:
        self.random = random.Random(seed)
        self.counts: Counter[Fault] = Counter()
        self._rates = {
            kind: min(WORST, rate * stormy * self.random.choice((0, 1, 1, 4))) for kind, rate in RATES.items()
        }
        self._trace = hashlib.sha256()
        self._storm = True

    def happens(self, kind: Fault) -> bool:
        """Whether it happens here and now."""
        if not self._storm or self.random.random() >= self._rates[kind]:
            return False
        self.counts[kind] += 1
        self.note(kind.name)
        return True

    def calm_down(self) -> None:
        """From here on nothing goes wrong any more."""
        self._storm = False

    def note(self, *facts: object) -> None:
        """Add to the trace."""
        self._trace.update(repr(facts).encode())

    @property
    def trace(self) -> str:
        """A digest of everything that happened, in order."""
        return self._trace.hexdigest()
