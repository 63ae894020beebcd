"""The settings of alerts: what they say is what the rules are, and nonsense is refused with its place."""

from datetime import time
from decimal import Decimal

import pytest

from gpucost.domain.alerts.alert_rules import DEFAULT_WATCHES, AlertRules, QuietHours, Voice
from gpucost.domain.alerts.finding import Kind
from gpucost.runtime.settings import SettingsError, parse_settings


def rules(**alerts: object) -> AlertRules:
    return parse_settings({"alerts": alerts}).policy().alerts


def test_without_settings_the_rules_are_the_defaults() -> None:
    assert rules() == AlertRules()


def test_a_watch_changes_where_it_is_told_to_and_a_bu_goes_on_from_there() -> None:
    found = rules(
        watches={"idle_slice": {"hours": 2, "escalate_usd": [100, 500]}},
        by_bu={"bu-a": {"watches": {"idle_slice": {"floor_usd": 9}, "anomaly": {"enabled": False}}, "budget_usd": 7}},
    )
    general, own = found.watch(Kind.IDLE_SLICE), found.of("bu-a").watch(Kind.IDLE_SLICE)
    assert (general.hours, general.floor_usd) == (2, DEFAULT_WATCHES[Kind.IDLE_SLICE].floor_usd)
    assert (own.hours, own.floor_usd, own.escalate_usd) == (2, 9, (100, 500))
    assert not found.of("bu-a").watch(Kind.ANOMALY).enabled
    assert found.of("bu-b").watch(Kind.ANOMALY).enabled
    assert (found.of("bu-a").budget_usd, found.of("bu-b").budget_usd) == (Decimal(7), None)


def test_a_voice_is_taken_whole() -> None:
    quiet = {"begin": "22:00", "end": "07:00", "zone": "Europe/Berlin"}
    voice = {
        "channel": "C0123ABCD",
        "mention": "<@U01>",
        "quiet": quiet,
        "digest": "weekly",
        "zone": "Asia/Tokyo",
    }
    found = rules(voice=voice, by_bu={"bu-a": {}, "bu-b": {"voice": {"cool_down_hours": 5}}})
    hours = QuietHours(time(22), time(7), "Europe/Berlin")
    loud = Voice("C0123ABCD", "<@U01>", hours, digest="weekly", zone="Asia/Tokyo")
    assert found.of("bu-a").voice == found.voice == loud
    assert found.of("bu-b").voice == Voice(cool_down_hours=5)


def test_quiet_hours_without_a_zone_are_those_of_the_voice() -> None:
    voice = rules(voice={"zone": "Asia/Tokyo", "quiet": {"begin": "22:00", "end": "07:00"}}).voice
    assert voice.quiet == QuietHours(time(22), time(7), "Asia/Tokyo")


@pytest.mark.parametrize(
    ("alerts", "said"),
    [
        ({"watches": {"idle": {}}}, "alerts.watches.idle"),
        ({"watches": {"idle_slice": {"hours": 0}}}, "alerts.watches.idle_slice.hours"),
        ({"voice": {"zone": "Mars/Base"}}, "'Mars/Base' is not a time zone such as Europe/Berlin"),
        ({"voice": {"zone": "../../etc/passwd"}}, "is not a time zone"),
        ({"voice": {"mention": "<!everyone>"}}, "is not a mention such as"),
        ({"voice": {"channel": "#gpu"}}, "is not a channel's id such as C0123ABCD"),
        ({"voice": {"quiet": {"begin": "25:00", "end": "07:00"}}}, "alerts.voice.quiet.begin"),
        ({"voice": {"quiet": {"begin": 1320, "end": "07:00"}}}, "alerts.voice.quiet.begin"),
        ({"voice": {"quiet": {"begin": "22:00Z", "end": "07:00"}}}, "'22:00Z' is not a time of day such as 22:00"),
        ({"voice": {"quiet": {"begin": "22:00", "end": "22:00"}}}, "begin and end are both 22:00; for digests only"),
        ({"by_bu": {"bu-a": {"budget_usd": 0}}}, "alerts.by_bu.bu-a.budget_usd"),
        ({"by_bu": {"bu-a": {"watch": {}}}}, "alerts.by_bu.bu-a.watch"),
    ],
)
def test_nonsense_is_refused_with_its_place(alerts: dict[str, object], said: str) -> None:
    with pytest.raises(SettingsError, match=r".*") as caught:
        rules(**alerts)
    assert said in str(caught.value)
