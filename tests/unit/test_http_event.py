"""Events of both payload formats in one form, whatever they hold."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucost.domain.answers.access import Principal
from gpucost.ports import RequestError
from gpucost.runtime.http_event import MAX_PARAMETERS, as_format_2, query_parameters
from gpucost.runtime.principals import principal_of

optional = st.one_of(st.none(), st.text(max_size=20))
events = st.fixed_dictionaries(
    {},
    optional={
        "version": st.sampled_from(["1.0", "2.0"]),
        "path": optional,
        "rawPath": optional,
        "headers": st.one_of(st.none(), st.dictionaries(st.text(max_size=5), optional)),
        "multiValueHeaders": st.one_of(st.none(), st.dictionaries(st.text(max_size=5), st.lists(st.text(max_size=5)))),
        "rawQueryString": st.one_of(st.none(), st.text(max_size=60)),
        "queryStringParameters": st.one_of(st.none(), st.dictionaries(st.text(max_size=5), optional)),
        "multiValueQueryStringParameters": st.one_of(
            st.none(), st.dictionaries(st.text(max_size=5), st.one_of(st.none(), st.lists(st.text(max_size=5))))
        ),
        "requestContext": st.one_of(st.none(), st.dictionaries(st.sampled_from(["authorizer", "identity"]), optional)),
    },
)


@given(events)
def test_whatever_the_event_holds_parameters_are_lists_of_text(event: dict[str, Any]) -> None:
    for values in query_parameters(event).values():
        assert values
        assert all(isinstance(value, str) for value in values)


@given(events)
def test_one_form_comes_out_and_nothing_empty_is_in_it(event: dict[str, Any]) -> None:
    event = as_format_2(event)
    assert event["version"] == "2.0"
    assert event["rawPath"]
    assert all(
        value for values in query_parameters({"rawQueryString": event["rawQueryString"]}).values() for value in values
    )
    assert all(isinstance(value, str) for value in event["headers"].values())
    assert principal_of(event) == Principal()


def test_the_raw_query_keeps_commas_and_repeats_apart() -> None:
    event = {"rawQueryString": "bu=a%2Cb&bu=c", "queryStringParameters": {"bu": "a,b,c"}}
    assert query_parameters(event) == {"bu": ["a,b", "c"]}
    assert query_parameters(as_format_2(event)) == {"bu": ["a,b", "c"]}


def test_an_empty_parameter_is_as_good_as_none() -> None:
    assert as_format_2({"version": "2.0", "rawQueryString": "bu=&window=7d"})["rawQueryString"] == "window=7d"


def test_format_1_becomes_format_2() -> None:
    event = as_format_2(
        {
            "path": "/v1/costs",
            "httpMethod": "GET",
            "headers": {"Accept": "a"},
            "multiValueHeaders": {"If-None-Match": ["x", "y"]},
            "multiValueQueryStringParameters": {"bu": ["a&b"]},
            "requestContext": {"stage": "prod", "identity": {"userArn": "arn:aws:iam::1:user/x"}},
        }
    )
    assert event["requestContext"]["http"] == {"method": "GET", "path": "/v1/costs"}
    assert event["requestContext"]["stage"] == "$default"
    assert event["headers"] == {"accept": "a", "if-none-match": "x, y"}
    assert event["rawQueryString"] == "bu=a%26b"
    assert principal_of(event) == Principal(arn="arn:aws:iam::1:user/x")


def test_too_many_parameters_are_refused() -> None:
    with pytest.raises(RequestError, match=str(MAX_PARAMETERS)):
        as_format_2({"rawQueryString": "&".join(f"a{number}=1" for number in range(MAX_PARAMETERS + 1))})


CLAIMS = {"sub": "someone", "cognito:groups": "[bu-a bu-b]"}


@pytest.mark.parametrize(
    ("context", "caller"),
    [
        ({"authorizer": {"iam": {"userArn": "arn:x"}}}, Principal(arn="arn:x")),
        ({"authorizer": {"jwt": {"claims": CLAIMS}}}, Principal(claims=CLAIMS)),
        ({"authorizer": {"claims": CLAIMS}}, Principal(claims=CLAIMS)),
        ({"authorizer": {"jwt": {"claims": {}}, "iam": {"userArn": "arn:x"}}}, Principal(claims={})),
        ({"identity": {"userArn": None, "sourceIp": "192.0.2.1"}}, Principal()),
        ({"authorizer": {"iam": {"userArn": ""}}}, Principal()),
    ],
)
def test_the_caller_is_whom_the_gateway_authenticated(context: dict[str, Any], caller: Principal) -> None:
    assert principal_of({"requestContext": context}) == caller
