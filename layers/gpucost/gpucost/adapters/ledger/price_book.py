"""The price book in the ledger's table."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from gpucost.adapters.ledger import keys
from gpucost.adapters.ledger.store import Absent, Conflict, Item, Put, Store
from gpucost.domain.allocation.machines import Lifecycle
from gpucost.domain.hours import Hour, parse_instant
from gpucost.domain.prices.pricebook import PriceEntry
from gpucost.domain.prices.spot import SpotPrice
from gpucost.prices import Pair

KEEP_INSTANCES = timedelta(days=400)
"""Longer than a metrics workspace is asked about an instance's hours again."""


class StorePriceBook:
    """`prices.PriceBook` over a table."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def entries(self) -> Mapping[Pair, Sequence[PriceEntry]]:
        out: dict[Pair, list[PriceEntry]] = defaultdict(list)
        for item in self._store.query(keys.PRICES_PK, *keys.all_of("P")):
            entry = _entry(item)
            out[entry.region, entry.instance_type].append(entry)
        return {pair: sorted(listed, key=lambda one: one.order) for pair, listed in out.items()}

    def add(self, entry: PriceEntry, after: int) -> bool:
        item: Item = {
            "pk": keys.PRICES_PK,
            "sk": keys.price_sk(entry.region, entry.instance_type, after),
            "type": "price",
            "region": entry.region,
            "instance_type": entry.instance_type,
            "valid_from": entry.valid_from.key,
            "learned_at": entry.learned_at.isoformat(),
            "usd_per_hour": entry.usd_per_hour,
            "effective": entry.effective.isoformat() if entry.effective else None,
            "flag": entry.flag,
            "note": entry.note,
        }
        try:
            self._store.write([Put(item, Absent())])
        except Conflict:
            return False
        return True

    def spot_prices(
        self, region: str, instance_type: str, zone: str, start: datetime, end: datetime
    ) -> list[SpotPrice]:
        pk = keys.spot_pk(region, instance_type, zone)
        before = self._store.newest(pk, keys.spot_sk(datetime.min.replace(tzinfo=UTC)), keys.spot_sk(start))
        after = self._store.query(pk, keys.spot_sk(start), keys.spot_sk(end))
        found = {item["sk"]: item for item in [*([before] if before else []), *after]}
        rows = (SpotPrice(parse_instant(item["since"]), item["usd_per_hour"]) for item in found.values())
        return sorted(row for row in rows if row.since < end)

    def keep_spot_prices(self, region: str, instance_type: str, zone: str, prices: Sequence[SpotPrice]) -> None:
        pk = keys.spot_pk(region, instance_type, zone)
        self._store.put_all(
            [
                {
                    "pk": pk,
                    "sk": keys.spot_sk(one.since),
                    "type": "spot_price",
                    "since": one.since.isoformat(),
                    "usd_per_hour": one.usd_per_hour,
                }
                for one in prices
            ]
        )

    def lifecycles(self, instance_ids: Sequence[str]) -> Mapping[str, Lifecycle]:
        items = {one: self._store.get(keys.instance_pk(one), "I") for one in instance_ids}
        return {one: Lifecycle(item["lifecycle"]) for one, item in items.items() if item}

    def keep_lifecycles(self, lifecycles: Mapping[str, Lifecycle], now: datetime) -> None:
        self._store.put_all(
            [
                {
                    "pk": keys.instance_pk(one),
                    "sk": "I",
                    "type": "instance",
                    "lifecycle": lifecycle.value,
                    "seen_at": now.isoformat(),
                    "expires_at": int((now + KEEP_INSTANCES).timestamp()),
                }
                for one, lifecycle in lifecycles.items()
            ]
        )


def _entry(item: Item) -> PriceEntry:
    return PriceEntry(
        region=item["region"],
        instance_type=item["instance_type"],
        valid_from=Hour.parse(item["valid_from"]),
        learned_at=parse_instant(item["learned_at"]),
        usd_per_hour=item["usd_per_hour"],
        effective=parse_instant(item["effective"]) if item["effective"] else None,
        flag=item["flag"],
        note=item["note"],
    )
