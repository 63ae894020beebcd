"""In-memory twins of the ways out: a chat channel, a topic, and the place where secrets are kept."""

from collections import deque
from collections.abc import Iterable, Mapping

from gpucost.adapters.slack import Answer, raise_for
from gpucost.domain.alerts.finding import Finding
from gpucost.ports import DeliveryAmbiguous, ServiceError

TAKEN = Answer(200, "ok")


class MemoryChat:
    """`ports.Chat` that keeps what is posted. The next posts get `answers`, in order; after them, all are taken."""

    def __init__(self, answers: Iterable[Answer] = ()) -> None:
        self.posted: list[dict[str, object]] = []
        self.answers = deque(answers)
        self._lost = 0

    def lose_acknowledgements(self, number: int) -> None:
        """The next posts arrive, but whoever posts does not hear of it."""
        self._lost = number

    def post(self, payload: dict[str, object]) -> None:
        """Keep the payload, or raise what `SlackWebhook` raises for the same answer."""
        raise_for(self.answers.popleft() if self.answers else TAKEN)
        self.posted.append(payload)
        if self._lost:
            self._lost -= 1
            raise DeliveryAmbiguous("Slack did not answer: the message may or may not have been posted")


class MemoryPublisher:
    """`ports.Publisher` that keeps what is published, or refuses with the errors given for some findings."""

    def __init__(self, refusals: Mapping[str, ServiceError] | None = None) -> None:
        self.published: list[Finding] = []
        self.refusals = dict(refusals or {})

    def publish(self, finding: Finding) -> None:
        """Keep the finding, or raise the error that its id was given."""
        if error := self.refusals.get(finding.id):
            raise error
        self.published.append(finding)


class MemorySecrets:
    """`ports.Secrets` that holds texts by name. A change shows when it is read with refresh, as after a rotation."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = dict(texts)
        self._cache: dict[str, str] = {}

    def get(self, name: str, refresh: bool = False) -> str:
        """The text. ServiceError when no secret has this name."""
        if refresh or name not in self._cache:
            if name not in self.texts:
                raise ServiceError(f"reading the secret {name} failed: there is none of this name")
            self._cache[name] = self.texts[name]
        return self._cache[name]
