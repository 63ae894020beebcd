"""OpenCost's filter language: every operator, precedence, quoting, and one line for whatever cannot be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpucost.ports import RequestError
from gpucost.usecases.opencost.filters import DEEPEST, LONGEST, all_of, older_filter, parse_filter

ROW = {
    **{"cluster": "prod", "namespace": "bu-a", "pod": "train-0", "controllerKind": "job", "controller": "train"},
    "label:app_kubernetes_io_name": "llm",
    "label:team": "red",
}


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("", True),
        ("  ", True),
        ('namespace:"bu-a"', True),
        ('namespace:"bu-b"', False),
        ('namespace:"bu-b","bu-a"', True),
        ('namespace!:"bu-a"', False),
        ('namespace!:"bu-b","bu-c"', True),
        ('namespace!:"bu-b","bu-a"', False),
        ('pod~:"ain"', True),
        ('pod!~:"ain"', False),
        ('pod<~:"train"', True),
        ('pod!<~:"train"', False),
        ('pod~>:"-0"', True),
        ('pod!~>:"-0"', False),
        ('controllerName:"train"', True),
        ('job:"train"', True),
        ('deployment:"train"', False),
        ('label[app.kubernetes.io/name]:"llm"', True),
        ('label[app_kubernetes_io_name]!:"llm"', False),
        ('team<~:"re"+label[other]:"x"', False),
        ('node:"node-a"', False),
        ('node!:"node-a"', True),
        ('namespace:"bu-a"+cluster:"dev"', False),
        ('namespace:"bu-a"|cluster:"dev"', True),
        ('cluster:"dev"+namespace:"bu-b"|pod:"train-0"', True),
        ('cluster:"dev"+(namespace:"bu-b"|pod:"train-0")', False),
        (' ( namespace : "bu-a" ) + ( ( cluster:"prod" ) ) ', True),
        ('namespace:"bu-a\\""', False),
        ('controllerKind:"job"', True),
    ],
)
def test_filters(text: str, passes: bool) -> None:
    assert parse_filter(text).passes(ROW) is passes


def test_quotes_and_signs_inside_of_values_are_text() -> None:
    assert parse_filter(r'namespace:"a\"+|),("').passes({"namespace": 'a"+|),('})


def test_it_tells_which_fields_it_looks_at() -> None:
    assert parse_filter('namespace:"x"+(pod~:"y"|namespace:"z")').fields == {"namespace", "pod"}


BROKEN = [
    "namespace",
    "namespace:",
    'namespace"a"',
    "namespace:a",
    'namespace:"a',
    'namespace:"a",',
    'namespace:"a"+',
    '+namespace:"a"',
    '(namespace:"a"',
    'namespace:"a")',
    'namespace:"a" pod:"b"',
    'container:"x"',
    'annotation[a]:"x"',
    'label[app:"x"',
    'namespace=="a"',
    'namespace;"a"',
    "()",
    f'{"(" * (DEEPEST + 1)}pod:"a"{")" * (DEEPEST + 1)}',
    f'pod:"{"x" * LONGEST}"',
]


@pytest.mark.parametrize("text", BROKEN)
def test_what_cannot_be_read_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(RequestError, match="filter") as refused:
        parse_filter(text)
    assert "\n" not in str(refused.value)


parts = st.sampled_from(
    ["namespace", "pod", "(", ")", "+", "|", ":", "!:", "~:", "<~:", ",", '"a"', '"', "\\", " ", "x"]
)


@given(st.one_of(st.text(max_size=40), st.lists(parts, max_size=25).map("".join)))
def test_any_text_is_a_filter_or_refused(text: str) -> None:
    try:
        found = parse_filter(text)
    except RequestError:
        return
    assert found.passes(ROW) in (True, False)


@pytest.mark.parametrize(
    ("field", "values", "passes"),
    [
        ("namespace", "bu-a", True),
        ("namespace", "bu-b, bu-a", True),
        ("namespace", "bu", False),
        ("namespace", "bu*", True),
        ("controllerKind", "deployment", False),
        ("label", "team:blue,team:r*", True),
        ("label", "app.kubernetes.io/name:llm", True),
        ("label", "app:llm", False),
    ],
)
def test_older_filters_are_one_of_several_values(field: str, values: str, passes: bool) -> None:
    assert older_filter(field, values).passes(ROW) is passes


@pytest.mark.parametrize(("field", "values"), [("namespace", ","), ("label", "team"), ("label", "team:"), ("pod", "")])
def test_older_filters_that_say_nothing_are_refused(field: str, values: str) -> None:
    with pytest.raises(RequestError, match="KEY:VALUE"):
        older_filter(field, values)


def test_a_field_that_there_is_not_is_named_with_those_that_there_are() -> None:
    with pytest.raises(RequestError, match="'colour' is no field of an allocation; there are cluster, node"):
        parse_filter('colour:"x"')


def test_several_filters_are_all_passed_and_look_at_all_their_fields() -> None:
    both = all_of([parse_filter('namespace:"bu-a"'), older_filter("pod", "train*")])
    assert both.passes(ROW)
    assert not both.passes({**ROW, "pod": "other"})
    assert both.fields == {"namespace", "pod"}
