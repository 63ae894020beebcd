"""The settings of alerts: thresholds by kind, how and when people are told, and what differs for a BU."""

import re
from datetime import time
from decimal import Decimal
from typing import Annotated, Any, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from gpucost.domain.alerts.alert_rules import DEFAULT_WATCHES, AlertRules, QuietHours, Voice, Watch
from gpucost.domain.alerts.finding import Kind

type Usd = Annotated[Decimal, Field(ge=0)]
type Share = Annotated[Decimal, Field(ge=0, le=1)]
type Hours = Annotated[int, Field(ge=1, le=168)]


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        raise ValueError(f"{name!r} is not a time zone such as Europe/Berlin") from None
    return name


def _mention(text: str) -> str:
    if text and not re.fullmatch(r"<(?:@[UW][A-Z0-9]+|!subteam\^S[A-Z0-9]+|!here|!channel)>", text):
        raise ValueError(f"{text!r} is not a mention such as <@U0123ABCD>, <!subteam^S0123ABCD> or <!here>")
    return text


def _channel(text: str) -> str:
    if text and not re.fullmatch(r"[CGD][A-Z0-9]{2,}", text):
        raise ValueError(f"{text!r} is not a channel's id such as C0123ABCD (in Slack: channel details, at the bottom)")
    return text


def _clock(text: str) -> str:
    if not re.fullmatch(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]", text):
        raise ValueError(f"{text!r} is not a time of day such as 22:00; its time zone is said by zone")
    return text


type Zone = Annotated[str, AfterValidator(_zone)]
# Not a time: that would also take 1320 for seconds, and 22:00Z, which has a zone of its own.
type Clock = Annotated[str, AfterValidator(_clock)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class WatchSettings(_Section):
    """When an episode of one kind opens, escalates and closes. What is left out has its default."""

    enabled: bool | None = None
    hours: Hours | None = None
    """Bad hours before it is told."""
    floor_usd: Usd | None = None
    """What these hours have to have cost together, USD."""
    close_hours: Hours | None = None
    """Good hours before it is over."""
    threshold: Annotated[Decimal, Field(ge=0, le=1000)] | None = None
    """idle_slice: utilization below; unallocated: share of the cluster; anomaly: times the usual cost."""
    good_threshold: Annotated[Decimal, Field(ge=0, le=1000)] | None = None
    """What the hour has to be at to be good again."""
    min_usd: Usd | None = None
    """USD of one hour that matter at all."""
    escalate_usd: tuple[Usd, ...] | None = None
    """What it has cost so far, USD, when it is told again."""

    def over(self, watch: Watch) -> Watch:
        """The watch with what these settings change."""
        given = {name: value for name, value in self.model_dump().items() if value is not None}
        return Watch(**{**{name: getattr(watch, name) for name in Watch.__dataclass_fields__}, **given})


class QuietSettings(_Section):
    """Hours in which nothing is told; from 22:00 to 07:00 goes over midnight."""

    begin: Clock
    end: Clock
    zone: Zone | None = None
    """The zone of both; left out, it is that of the voice."""

    @model_validator(mode="after")
    def _has_a_length(self) -> Self:
        if self.begin == self.end:
            raise ValueError(f"begin and end are both {self.begin}; for digests only, set episodes to false instead")
        return self

    def hours(self, zone: str) -> QuietHours:
        return QuietHours(time.fromisoformat(self.begin), time.fromisoformat(self.end), self.zone or zone)


class VoiceSettings(_Section):
    """How and when people are told."""

    channel: Annotated[str, AfterValidator(_channel)] = ""
    """A Slack channel's id; with a bot token only. A webhook has a channel of its own."""
    mention: Annotated[str, AfterValidator(_mention)] = ""
    """Whom a message that opens or escalates mentions."""
    quiet: QuietSettings | None = None
    cool_down_hours: Annotated[int, Field(ge=0, le=720)] = 0
    """Hours after an episode's end in which the same subject opens no other."""
    episodes: bool = True
    """Whether episodes are told; without them the digest is all that comes."""
    digest: Literal["", "daily", "weekly"] = ""
    digest_hour: Annotated[int, Field(ge=0, le=23)] = 8
    zone: Zone = "UTC"
    """The zone of the digest's hour, of "until Monday", and of the quiet hours unless they name one."""

    def voice(self) -> Voice:
        own: dict[str, Any] = self.model_dump(exclude={"quiet"})
        return Voice(**own, quiet=self.quiet.hours(self.zone) if self.quiet else None)


class BuAlertSettings(_Section):
    """What is different for one BU; what is left out is as for everybody."""

    min_allocated_usd: Usd | None = None
    min_waste_usd: Usd | None = None
    min_waste_share: Share | None = None
    budget_usd: Annotated[Decimal, Field(gt=0)] | None = None
    """USD that the BU may spend in a calendar month."""
    watches: dict[Kind, WatchSettings] = {}
    voice: VoiceSettings | None = None


class AlertSettings(_Section):
    """A BU's hour is wasteful when it reaches all three thresholds; the rest says when and how that is told."""

    min_allocated_usd: Usd = Decimal(1)
    min_waste_usd: Usd = Decimal(1)
    min_waste_share: Share = Decimal("0.5")
    watches: dict[Kind, WatchSettings] = {}
    voice: VoiceSettings = VoiceSettings()
    by_bu: dict[str, BuAlertSettings] = {}

    def rules(self) -> AlertRules:
        """The domain's form."""
        general = AlertRules(
            self.min_allocated_usd,
            self.min_waste_usd,
            self.min_waste_share,
            watches=_watches(DEFAULT_WATCHES, self.watches),
            voice=self.voice.voice(),
        )
        return AlertRules(
            general.min_allocated_usd,
            general.min_waste_usd,
            general.min_waste_share,
            watches=general.watches,
            voice=general.voice,
            by_bu={bu: _of_bu(own, general) for bu, own in self.by_bu.items()},
        )


def _of_bu(own: BuAlertSettings, general: AlertRules) -> AlertRules:
    thresholds = {
        name: getattr(general, name) if getattr(own, name) is None else getattr(own, name)
        for name in ("min_allocated_usd", "min_waste_usd", "min_waste_share")
    }
    return AlertRules(
        **thresholds,
        budget_usd=own.budget_usd,
        watches=_watches(general.watches, own.watches),
        voice=own.voice.voice() if own.voice else general.voice,
    )


def _watches(base: Any, changes: dict[Kind, WatchSettings]) -> dict[Kind, Watch]:
    return {kind: changes[kind].over(watch) if kind in changes else watch for kind, watch in base.items()}
