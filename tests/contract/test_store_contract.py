"""What the ledger asks of a table, on both tables: conditions, atomicity, order, exactness."""

from decimal import Decimal
from typing import Any

import pytest

from gpucost.adapters.ledger.store import Absent, AbsentOrBelow, Conflict, Equals, Put, Store
from gpucost.ports import LedgerError
from tests.contract.conftest import Table

INEXACT = Decimal("30.39999999999999857891452847979962825775146484375")
"""What Decimal(30.40) is."""


@pytest.fixture
def store(table: Table) -> Store:
    return table.store


def item(pk: str, sk: str = "a", **more: Any) -> dict[str, Any]:
    return {"pk": pk, "sk": sk, **more}


def test_an_item_comes_back_with_every_kind_of_value(store: Store, cluster: str) -> None:
    values: dict[str, Any] = {
        "s": "é",
        "empty": "",
        "n": Decimal("-1.000000001"),
        "b": b"\x00\xff",
        "t": True,
        "f": False,
        "none": None,
    }
    nested: dict[str, Any] = {"m": {"x": [Decimal(1), {"y": None}], "z": []}}
    store.write([Put(item(cluster, **values, **nested))])
    assert store.get(cluster, "a") == item(cluster, **values, **nested)


def test_every_number_comes_back_as_decimal(store: Store, cluster: str) -> None:
    store.write([Put(item(cluster, n=7, m={"n": [7]}, t=True))])
    found = store.get(cluster, "a")
    assert found is not None
    assert [type(found["n"]), type(found["m"]["n"][0]), type(found["t"])] == [Decimal, Decimal, bool]


def test_what_was_read_can_be_changed_without_changing_the_table(store: Store, cluster: str) -> None:
    store.write([Put(item(cluster, m={"n": "1"}))])
    for found in (store.get(cluster, "a"), store.query(cluster, "a", "z")[0], store.newest(cluster, "a", "z")):
        assert found is not None
        found["m"]["n"] = "2"
    assert store.get(cluster, "a") == item(cluster, m={"n": "1"})


def test_what_was_written_can_be_changed_without_changing_the_table(store: Store, cluster: str) -> None:
    own = item(cluster, m={"n": "1"})
    store.write([Put(own)])
    own["m"]["n"] = "2"
    assert store.get(cluster, "a") == item(cluster, m={"n": "1"})


def test_a_query_is_in_order_of_bytes_and_includes_its_bounds(store: Store, cluster: str) -> None:
    names = ["b", "a", "a#2", "a#10", "~", "Z", "é"]
    store.put_all([item(cluster, sk) for sk in names])
    assert [one["sk"] for one in store.query(cluster, "a", "b")] == ["a", "a#10", "a#2", "b"]
    assert [one["sk"] for one in store.query(cluster, "A", "\u00ff")] == ["Z", "a", "a#10", "a#2", "b", "~", "é"]


def test_a_query_stays_in_its_partition(store: Store, cluster: str) -> None:
    store.put_all([item(cluster), item(cluster + "#")])
    assert [one["pk"] for one in store.query(cluster, "a", "z")] == [cluster]


def test_reversed_bounds_hold_nothing(store: Store, cluster: str) -> None:
    store.put_all([item(cluster, "b")])
    assert store.query(cluster, "z", "a") == []
    assert store.newest(cluster, "z", "a") is None


def test_a_query_goes_on_to_the_last_page(store: Store, cluster: str) -> None:
    store.put_all([item(cluster, f"{n:03}", body=bytes(200_000)) for n in range(24)])
    assert [one["sk"] for one in store.query(cluster, "0", "9")] == [f"{n:03}" for n in range(24)]


@pytest.mark.parametrize(("last", "expected"), [("zz", "c"), ("bz", "b"), ("a", None)])
def test_newest_is_the_last_within_bounds(store: Store, cluster: str, last: str, expected: str | None) -> None:
    store.put_all([item(cluster, "b"), item(cluster, "c")])
    found = store.newest(cluster, "a", last)
    assert (found["sk"] if found else None) == expected


def test_nothing_is_there_before_it_is_written(store: Store, cluster: str) -> None:
    assert store.get(cluster, "a") is None
    assert store.query(cluster, "a", "z") == []
    assert store.newest(cluster, "a", "z") is None


@pytest.mark.parametrize("count", [0, 1, 25, 26, 101])
def test_any_number_of_items_is_put(store: Store, cluster: str, count: int) -> None:
    store.put_all([item(cluster, f"{n:03}") for n in range(count)])
    assert len(store.query(cluster, "0", "9")) == count


def test_two_items_of_one_key_are_refused(store: Store, cluster: str) -> None:
    with pytest.raises(LedgerError, match="two of these items have the same key"):
        store.put_all([item(cluster), item(cluster)])
    with pytest.raises(LedgerError, match="two of these items have the same key"):
        store.write([Put(item(cluster)), Put(item(cluster))])
    assert store.get(cluster, "a") is None


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (None, True),
        (Absent(), False),
        (Equals("n", 5), True),
        (Equals("n", 4), False),
        (Equals("s", "x"), True),
        (Equals("s", "5"), False),
        (Equals("absent", 5), False),
        (AbsentOrBelow("n", 6), True),
        (AbsentOrBelow("n", 5), False),
    ],
)
@pytest.mark.parametrize("beside", [0, 1])
def test_a_condition_decides_over_all_that_is_written(
    store: Store, cluster: str, condition: Any, holds: bool, beside: int
) -> None:
    store.write([Put(item(cluster, n=5, s="x"))])
    puts = [Put(item(cluster, n=9, s="new"), condition), *[Put(item(cluster, "beside"))] * beside]
    if holds:
        store.write(puts)
    else:
        with pytest.raises(Conflict):
            store.write(puts)
    found = store.get(cluster, "a")
    assert found is not None
    assert (found["s"] == "new") is holds
    assert (store.get(cluster, "beside") is not None) is (holds and bool(beside))


@pytest.mark.parametrize(
    ("condition", "holds"), [(Absent(), True), (Equals("n", 5), False), (AbsentOrBelow("n", 1), True)]
)
def test_a_condition_on_an_item_that_is_not_there(store: Store, cluster: str, condition: Any, holds: bool) -> None:
    if holds:
        store.write([Put(item(cluster, n=1), condition)])
    else:
        with pytest.raises(Conflict):
            store.write([Put(item(cluster, n=1), condition)])
    assert (store.get(cluster, "a") is not None) is holds


def test_an_item_is_deleted_only_as_it_was_seen(store: Store, cluster: str) -> None:
    store.write([Put(item(cluster, at="2"))])
    for seen in (Equals("at", "1"), Equals("other", "2")):
        with pytest.raises(Conflict):
            store.delete(cluster, "a", seen)
    store.delete(cluster, "a", Equals("at", "2"))
    assert store.get(cluster, "a") is None
    with pytest.raises(Conflict):
        store.delete(cluster, "a", Equals("at", "2"))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (30.4, "a float: the ledger keeps figures as Decimal or None"),
        (float("nan"), "a float"),
        (Decimal("NaN"), "keeps an unknown figure as None"),
        (Decimal("Infinity"), "keeps an unknown figure as None"),
        (INEXACT, "digits; a table keeps 38"),
        (Decimal("1E-200"), "is out of the range that a table keeps"),
        (Decimal("1E+126"), "is out of the range that a table keeps"),
        ({"a": [1, 2.5]}, r"\.a\[1\] is 2\.5, a float"),
        ((1, 2), "a tuple"),
        ({"a": {"": 1}}, r"\.a has a name that is empty"),
    ],
)
def test_what_a_table_cannot_hold_exactly_is_refused_by_name(store: Store, cluster: str, value: Any, said: str) -> None:
    one = item(cluster, amount=value)
    with pytest.raises(LedgerError, match=f"^amount.*{said}"):
        store.put_all([one])
    with pytest.raises(LedgerError, match=f"^amount.*{said}"):
        store.write([Put(one)])
    assert store.get(cluster, "a") is None


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("30.4", "30.4"),
        ("5.142857142857143", "5.142857142857143"),
        ("0.002325599081632653", "0.002325599081632653"),
        ("1E-7", "0.0000001"),
        ("0.0", "0"),
        ("12.00", "12"),
        ("-0", "0"),
        ("9" * 38, "9" * 38),
    ],
)
def test_a_decimal_is_kept_to_the_last_digit(store: Store, cluster: str, text: str, stored: str) -> None:
    store.write([Put(item(cluster, n=Decimal(text)))])
    found = store.get(cluster, "a")
    assert found is not None
    assert found["n"] == Decimal(stored)


@pytest.mark.parametrize(
    "key", [{"pk": ""}, {"sk": ""}, {"pk": None}, {"sk": 5}, {"pk": "x" * 2049}, {"sk": "é" * 513}]
)
def test_a_key_that_a_table_does_not_take_is_refused(store: Store, cluster: str, key: dict[str, Any]) -> None:
    with pytest.raises(LedgerError, match="an item needs a"):
        store.write([Put({**item(cluster), **key})])
    with pytest.raises(LedgerError, match="an item needs a"):
        store.put_all([{**item(cluster), **key}])


@pytest.mark.parametrize(("size", "fits"), [(399_900, True), (400_001, False)])
def test_an_item_has_at_most_400_kb(store: Store, cluster: str, size: int, fits: bool) -> None:
    one = item(cluster, b=bytes(size))
    if fits:
        store.put_all([one])
    else:
        with pytest.raises(LedgerError, match="a table holds 400000"):
            store.put_all([one])
