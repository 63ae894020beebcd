"""What DynamoDB may answer, and what the store makes of it."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, NoCredentialsError, ReadTimeoutError

from gpucost.adapters.dynamodb import BATCH_TRIES, DynamoStore
from gpucost.adapters.ledger.store import Absent, Busy, Conflict, Equals, Put
from gpucost.ports import LedgerError, LedgerUnavailable

type Answer = dict[str, Any] | Exception


class ScriptedClient:
    """A DynamoDB client that answers as told, and keeps what it was asked."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def __getattr__(self, operation: str) -> Callable[..., dict[str, Any]]:
        def call(**request: Any) -> dict[str, Any]:
            self.asked.append((operation, dict(request)))
            answer = self._answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        return call


def store(*answers: Answer) -> tuple[DynamoStore, ScriptedClient, list[float]]:
    client, pauses = ScriptedClient(*answers), list[float]()
    return DynamoStore(client, "ledger", sleep=pauses.append), client, pauses  # type: ignore[arg-type]


def refused(code: str, status: int = 400, reasons: list[str] | None = None) -> ClientError:
    answer: Any = {"Error": {"Code": code, "Message": "no"}, "ResponseMetadata": {"HTTPStatusCode": status}}
    if reasons is not None:
        answer["CancellationReasons"] = [{"Code": reason} for reason in reasons]
    return ClientError(answer, "PutItem")


def wired(*hours: str) -> list[dict[str, Any]]:
    return [{"pk": {"S": "p"}, "sk": {"S": hour}, "allocated_usd": {"N": "12"}} for hour in hours]


def test_pages_end_where_there_is_no_last_key_and_not_at_an_empty_page() -> None:
    first = [f"2026-11-30T{hour:02}:00:00Z" for hour in range(10)]
    rest = [f"2026-11-30T{hour:02}:00:00Z" for hour in range(10, 24)]
    last_keys = [{"pk": {"S": "p"}, "sk": {"S": key}} for key in ("2026-11-30T09:00:00Z", "2026-11-30T09:30:00Z")]
    table, client, _ = store(
        {"Items": wired(*first), "LastEvaluatedKey": last_keys[0]},
        {"Items": [], "LastEvaluatedKey": last_keys[1]},
        {"Items": wired(*rest)},
    )
    items = table.query("p", "2026", "2027")
    assert (len(items), sum(item["allocated_usd"] for item in items)) == (24, 288)
    assert [request.get("ExclusiveStartKey") for _, request in client.asked] == [None, *last_keys]


def test_the_newest_is_looked_for_behind_an_empty_page() -> None:
    table, client, _ = store({"Items": [], "LastEvaluatedKey": wired("b")[0]}, {"Items": wired("a")})
    found = table.newest("p", "a", "z")
    assert found is not None
    assert found["sk"] == "a"
    assert all(request["ScanIndexForward"] is False for _, request in client.asked)


def test_every_read_is_strongly_consistent() -> None:
    table, client, _ = store({"Item": wired("a")[0]}, {"Items": []}, {"Items": []})
    table.get("p", "a")
    table.query("p", "a", "b")
    table.newest("p", "a", "b")
    assert [request["ConsistentRead"] for _, request in client.asked] == [True] * 3


def test_items_left_unprocessed_are_sent_again_and_only_these() -> None:
    left = [{"PutRequest": {"Item": {"pk": {"S": "p"}, "sk": {"S": "1"}}}}]
    table, client, pauses = store({"UnprocessedItems": {"ledger": left}}, {"UnprocessedItems": {"ledger": left}}, {})
    table.put_all([{"pk": "p", "sk": str(number)} for number in range(3)])
    sent = [len(request["RequestItems"]["ledger"]) for _, request in client.asked]
    assert sent == [3, 1, 1]
    assert client.asked[1][1]["RequestItems"]["ledger"] == left
    assert len(pauses) == 2


def test_items_are_sent_in_batches_of_25() -> None:
    table, client, pauses = store({}, {}, {})
    table.put_all([{"pk": "p", "sk": str(number)} for number in range(51)])
    assert [len(request["RequestItems"]["ledger"]) for _, request in client.asked] == [25, 25, 1]
    assert pauses == []


def test_a_table_that_never_takes_all_items_is_given_up_after_growing_pauses() -> None:
    left = {"UnprocessedItems": {"ledger": [{"PutRequest": {"Item": {"pk": {"S": "p"}, "sk": {"S": "0"}}}}]}}
    table, client, pauses = store(*[left] * BATCH_TRIES)
    with pytest.raises(LedgerUnavailable, match=f"the table ledger left 1 items unwritten in {BATCH_TRIES} tries"):
        table.put_all([{"pk": "p", "sk": "0"}])
    assert len(client.asked) == BATCH_TRIES
    longest = [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]
    assert all(most / 2 <= pause <= most for pause, most in zip(pauses, longest, strict=True))


@pytest.mark.parametrize(
    "error",
    [
        refused("ConditionalCheckFailedException"),
        refused("TransactionCanceledException", reasons=["None", "ConditionalCheckFailed"]),
        refused("TransactionCanceledException", reasons=["ConditionalCheckFailed", "TransactionConflict"]),
        refused("TransactionCanceledException", reasons=["ConditionalCheckFailed", "ThrottlingError"]),
    ],
)
def test_a_condition_that_does_not_hold_is_a_conflict(error: ClientError) -> None:
    table, _, _ = store(error)
    with pytest.raises(Conflict):
        table.write([Put({"pk": "p", "sk": "a"}, Absent()), Put({"pk": "p", "sk": "b"})])


@pytest.mark.parametrize(
    "error",
    [
        refused("TransactionConflictException"),
        refused("TransactionInProgressException"),
        refused("TransactionCanceledException", reasons=["TransactionConflict", "None"]),
    ],
)
def test_another_writer_at_the_same_moment_is_worth_another_try(error: ClientError) -> None:
    table, _, _ = store(error)
    with pytest.raises(Busy, match="on the table ledger met another writer: try again") as raised:
        table.write([Put({"pk": "p", "sk": "a"}, Absent()), Put({"pk": "p", "sk": "b"})])
    assert raised.value.retryable


@pytest.mark.parametrize(
    "error",
    [
        refused("ProvisionedThroughputExceededException"),
        refused("ThrottlingException"),
        refused("RequestLimitExceeded"),
        refused("InternalServerError", 500),
        refused("ServiceUnavailable", 503),
        refused("TransactionCanceledException", reasons=["None", "ThrottlingError"]),
        refused("TransactionCanceledException", reasons=["ProvisionedThroughputExceeded"]),
        ReadTimeoutError(endpoint_url="http://x"),
        EndpointConnectionError(endpoint_url="http://x"),
    ],
)
def test_what_may_pass_is_worth_another_try(error: Exception) -> None:
    table, _, _ = store(error)
    with pytest.raises(LedgerUnavailable, match="the table ledger failed"):
        table.write([Put({"pk": "p", "sk": "a"}, Absent())])


@pytest.mark.parametrize(
    "error",
    [
        refused("ResourceNotFoundException"),
        refused("AccessDeniedException"),
        refused("ValidationException"),
        refused("TransactionCanceledException", reasons=["None", "ValidationError"]),
        refused("TransactionCanceledException", reasons=["ItemCollectionSizeLimitExceeded"]),
        NoCredentialsError(),
    ],
)
def test_what_cannot_pass_is_an_error_that_names_call_and_table(error: Exception) -> None:
    calls: list[Callable[[DynamoStore], object]] = [
        lambda table: table.get("p", "a"),
        lambda table: table.query("p", "a", "b"),
        lambda table: table.put_all([{"pk": "p", "sk": "a"}]),
        lambda table: table.write([Put({"pk": "p", "sk": "a"})]),
        lambda table: table.delete("p", "a", Equals("n", 1)),
    ]
    for call in calls:
        table, _, _ = store(error)
        with pytest.raises(LedgerError, match=r"^[a-z_]+ on the table ledger failed: ") as raised:
            call(table)
        assert not raised.value.retryable


def test_one_put_is_a_put_and_several_are_a_transaction() -> None:
    table, client, _ = store({}, {})
    table.write([Put({"pk": "p", "sk": "a"}, Absent())])
    table.write([Put({"pk": "p", "sk": "a"}, Equals("revision", 1)), Put({"pk": "p", "sk": "b"}, Absent())])
    assert [operation for operation, _ in client.asked] == ["put_item", "transact_write_items"]
    conditions = [put["Put"]["ConditionExpression"] for put in client.asked[1][1]["TransactItems"]]
    assert conditions == ["#a = :a", "attribute_not_exists(pk)"]
