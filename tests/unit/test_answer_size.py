"""Lambda returns 6 MB at most; what is larger has to be refused here, or the caller is told nothing but 500."""

import json

import pytest

from gpucost.ports import RequestError
from gpucost.runtime.http import LARGEST_BODY, answered

LAMBDAS_LIMIT = 6_291_556


def rows(number: int) -> str:
    """Short strings, as a document about costs has them: a third of it is quotation marks."""
    return json.dumps(["ab"] * number, separators=(",", ":"))


def test_the_largest_answer_fits_into_lambdas_own_with_its_quotation_marks_escaped() -> None:
    body = rows(LARGEST_BODY // 7 - 100)
    whole = {
        "statusCode": 200,
        "body": answered({}, body).body,
        "headers": {"ETag": "x" * 64},
        "isBase64Encoded": False,
    }
    assert len(json.dumps(whole).encode()) <= LAMBDAS_LIMIT


@pytest.mark.parametrize("more", [LARGEST_BODY // 7 + 1, LARGEST_BODY // 5 - 100])
def test_an_answer_that_is_too_large_only_when_it_is_escaped_is_refused(more: int) -> None:
    with pytest.raises(RequestError, match="ask for less at once"):
        answered({}, rows(more))


def test_an_answer_that_will_be_compressed_is_not_escaped() -> None:
    assert answered({"headers": {"accept-encoding": "gzip, br"}}, rows(LARGEST_BODY // 7 + 1)).status_code == 200
