"""In-memory twins of the queues."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpucost.ports import HourJob


@dataclass(slots=True)
class MemoryJobs:
    """`ports.Jobs` that keeps what was sent, in order."""

    sent: list[HourJob] = field(default_factory=list)

    def send(self, jobs: Sequence[HourJob]) -> None:
        self.sent.extend(jobs)


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message that was given up, with why."""

    body: str
    reason: str
    error: str
    attributes: Mapping[str, str]


@dataclass(slots=True)
class MemoryDeadLetters:
    """`ports.DeadLetters` that keeps what was put, in order."""

    letters: list[DeadLetter] = field(default_factory=list)

    def put(self, body: str, reason: Exception, attributes: Mapping[str, str]) -> None:
        self.letters.append(DeadLetter(body, str(reason), type(reason).__name__, dict(attributes)))
