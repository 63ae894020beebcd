"""The key grammar of the table. Everything about a cluster's month that is read together lies in one partition.

C#<cluster>#M#<month>   H#<hour>                       head of an hour
                        H#<hour>#X                     the same, as adjusted after the month was closed
                        J#<booked at>#<hour>#<rev>#<part>  adjustment booked in this month
                        L#<number>                     journal entry
                        N#<hour>#<attempt>#<part>      namespace rows of an attempt
                        Q#<hour>                       how often the hour was queued again
C#<cluster>#H#<hour>    A#<attempt>#<part>             the whole report of an attempt
C#<cluster>#Y#<year>    D#<day>, M#<month>             roll-up, and #<version>#<part> where it needs more room
F#<finding id>          F                              a finding that was told
PRICES                  P#<region>#<type>#<number>     list price that was learned
SPOT#<region>#<type>#<zone>  S#<since>                 Spot price
I#<instance id>         I                              how an EC2 instance is bought
BILL#<day>              H#<hour>                       what the bill says of the hour's instances
C#<cluster>#K           K#<kind>#<subject>             what is remembered of a watched subject
E#<episode>             P                              the message about an episode
"""

from datetime import datetime
from urllib.parse import quote

from gpucost.domain.hours import Hour
from gpucost.domain.periods import Day, Month, Period
from gpucost.ports import LedgerError

LAST = "~"
"""Sorts after every character that the keys use."""


def _cluster(name: str) -> str:
    if not name:
        raise LedgerError("a cluster needs a name; it is part of every key")
    return f"C#{quote(name, safe='')}"


def month_pk(cluster: str, month: Month) -> str:
    return f"{_cluster(cluster)}#M#{month.key}"


def hour_pk(cluster: str, hour: Hour) -> str:
    return f"{_cluster(cluster)}#H#{hour.key}"


def year_pk(cluster: str, year: int) -> str:
    return f"{_cluster(cluster)}#Y#{year:04}"


def finding_pk(finding_id: str) -> str:
    return f"F#{finding_id}"


PRICES_PK = "PRICES"


def price_sk(region: str, instance_type: str, number: int) -> str:
    return f"P#{region}#{instance_type}#{number:06}"


def spot_pk(region: str, instance_type: str, zone: str) -> str:
    return f"SPOT#{region}#{instance_type}#{zone}"


def spot_sk(since: datetime) -> str:
    return f"S#{since.isoformat(timespec='microseconds')}"


def tracks_pk(cluster: str) -> str:
    return f"{_cluster(cluster)}#K"


def held_key(name: str) -> tuple[str, str]:
    return f"E#{name}", "H"


def posted_key(episode: str) -> tuple[str, str]:
    return f"E#{episode}", "P"


def bill_key(hour: Hour) -> tuple[str, str]:
    return f"BILL#{Day.of(hour).key}", f"H#{hour.key}"


def instance_pk(instance_id: str) -> str:
    return f"I#{instance_id}"


def head_sk(hour: Hour) -> str:
    return f"H#{hour.key}"


def adjusted_sk(hour: Hour) -> str:
    return f"{head_sk(hour)}#X"


def entry_sk(number: int) -> str:
    return f"L#{number:08}"


def rows_sk(attempt: str, part: int) -> str:
    return f"A#{attempt}#{part:04}"


def namespaces_sk(hour: Hour, attempt: str, part: int) -> str:
    return f"N#{hour.key}#{attempt}#{part:04}"


def adjustment_sk(booked_at: datetime, hour: Hour, revision: int, part: int) -> str:
    return f"J#{booked_at.isoformat()}#{hour.key}#{revision:04}#{part:04}"


def requeue_sk(hour: Hour) -> str:
    return f"Q#{hour.key}"


def rollup_sk(period: Period) -> str:
    return f"{'D' if isinstance(period, Day) else 'M'}#{period.key}"


def span(letter: str, first: Hour, end: Hour) -> tuple[str, str]:
    """The bounds of the sort keys that begin with a letter and an hour of [first, end)."""
    return f"{letter}#{first.key}", f"{letter}#{end.plus(-1).key}{LAST}"


def all_of(letter: str) -> tuple[str, str]:
    """The bounds of the sort keys that begin with a letter."""
    return f"{letter}#", f"{letter}#{LAST}"
