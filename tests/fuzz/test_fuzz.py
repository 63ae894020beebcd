"""Whatever the OpenAPI document allows or forbids is answered as it says. `make fuzz` tries more."""

from tests.fuzz.run import deployed, fuzz

CASES = 500


def test_answers_are_as_the_document_says() -> None:
    with deployed():
        statuses = fuzz(CASES)
    assert statuses.total() >= CASES
    assert not [status for status in statuses if status >= 500]
    assert statuses[200] > CASES // 20
