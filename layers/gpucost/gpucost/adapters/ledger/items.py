"""Heads and journal entries as items of the table, and back."""

from datetime import datetime
from typing import Any

from gpucost.adapters.ledger import keys
from gpucost.adapters.ledger.store import Item
from gpucost.domain.documents import coverage_of, flat, names, totals_of
from gpucost.domain.hours import Hour, parse_instant
from gpucost.domain.ledger.journal import Entry, EntryKind, StoredEntry
from gpucost.domain.periods import Month
from gpucost.domain.report import Status
from gpucost.ports import Head

HEAD = "head"
ADJUSTED_HEAD = "adjusted_head"


def _text(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def head_item(head: Head, adjusted: bool = False) -> Item:
    """The head under the key that readers follow, or beside it when the month is closed."""
    own = {name: _text(value) for name, value in flat(head).items() if name not in ("totals", "coverage")}
    return {
        **own,
        "pk": keys.month_pk(head.cluster, Month.of(head.hour)),
        "sk": keys.adjusted_sk(head.hour) if adjusted else keys.head_sk(head.hour),
        "type": ADJUSTED_HEAD if adjusted else HEAD,
        "hour": head.hour.key,
        "status": head.status.value,
        "totals": flat(head.totals),
        "coverage": flat(head.coverage),
    }


def head_of(item: Item) -> Head:
    own = {name: item[name] for name in names(Head)}
    own |= {name: int(item[name]) for name in ("revision", "entry")}
    own |= {"hour": Hour.parse(item["hour"]), "status": Status(item["status"])}
    own |= {"totals": totals_of(item["totals"]), "coverage": coverage_of(item["coverage"])}
    return Head(**{**own, "published_at": parse_instant(item["published_at"])})


def entry_item(entry: Entry) -> Item:
    """The entry with its hash beside it."""
    return {
        "pk": keys.month_pk(entry.cluster, entry.month),
        "sk": keys.entry_sk(entry.number),
        "type": "entry",
        "cluster": entry.cluster,
        "month": entry.month.key,
        "number": entry.number,
        "kind": entry.kind.value,
        "at": entry.at.isoformat(),
        "revision": entry.revision,
        "digest": entry.digest,
        "previous": entry.previous,
        "hour": entry.hour.key if entry.hour else None,
        "status": entry.status.value if entry.status else None,
        "attempt": entry.attempt,
        "hash": entry.hash,
    }


def entry_of(item: Item) -> StoredEntry:
    entry = Entry(
        cluster=item["cluster"],
        month=Month.parse(item["month"]),
        number=int(item["number"]),
        kind=EntryKind(item["kind"]),
        at=parse_instant(item["at"]),
        revision=int(item["revision"]),
        digest=item["digest"],
        previous=item["previous"],
        hour=Hour.parse(item["hour"]) if item["hour"] else None,
        status=Status(item["status"]) if item["status"] else None,
        attempt=item["attempt"],
    )
    return StoredEntry(entry, item["hash"])
