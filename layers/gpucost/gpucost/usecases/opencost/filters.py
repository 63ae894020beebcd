"""OpenCost's filter language, version 2, over what our rows know; and its older filters, a parameter each.

    namespace:"bu-a","bu-b"+cluster!:"dev"|(pod<~:"train-")+label[team]:"x"

Operators: `:` is one of, `!:` none of, `~:` contains, `!~:` does not, `<~:` begins with, `!<~:` does not,
`~>:` ends with, `!~>:` does not. `+` is and, `|` is or, `+` binds closer; parentheses group.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from gpucost.ports import RequestError
from gpucost.usecases.opencost.fields import Properties, filter_field, value_of

type Predicate = Callable[[Properties], bool]

LONGEST = 2000
DEEPEST = 20

_TOKEN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<op>!?(?:<~|~>|~)?:)|(?P<name>\w+(?:\[[^\]"]+\])?)|(?P<sign>[+|(),]))'
)
_TESTS: dict[str, Callable[[str, str], bool]] = {
    ":": lambda value, given: value == given,
    "~:": lambda value, given: given in value,
    "<~:": lambda value, given: value.startswith(given),
    "~>:": lambda value, given: value.endswith(given),
}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Filter:
    """What a filter asks of a row's properties, and which of these it looks at."""

    passes: Predicate
    fields: frozenset[str]


def parse_filter(text: str) -> Filter:
    """Read a filter; every row passes an empty one. RequestError says where it goes wrong."""
    if len(text) > LONGEST:
        raise RequestError(f"the filter has {len(text)} characters; at most {LONGEST} are read")
    if not text.strip():
        return Filter(lambda _: True, frozenset())
    parser = _Parser(list(_tokens(text)))
    return Filter(parser.whole(), frozenset(parser.fields))


def older_filter(field: str, values: str) -> Filter:
    """One of several values with commas; one that ends in * stands for all that begin so. Labels are KEY:VALUE."""
    tests = [_older(field, value.strip()) for value in values.split(",")]
    return Filter(lambda row: any(one.passes(row) for one in tests), _fields(tests))


def _older(field: str, text: str) -> Filter:
    key, colon, value = text.partition(":") if field == "label" else ("", ":", text)
    if not value or not colon:
        raise RequestError(f"a filter by {field} has the value {text[:60]!r}; write KEY:VALUE for labels, else a name")
    name = filter_field(f"label:{key}" if key else field)
    test, given = (_TESTS["<~:"], value[:-1]) if value.endswith("*") else (_TESTS[":"], value)
    return Filter(lambda row: test(value_of(row, name), given), frozenset({name}))


def all_of(filters: Iterable[Filter]) -> Filter:
    """What passes every one of them."""
    several = list(filters)
    return Filter(lambda row: all(one.passes(row) for one in several), _fields(several))


def _fields(filters: Iterable[Filter]) -> frozenset[str]:
    return frozenset(field for one in filters for field in one.fields)


def _tokens(text: str) -> Iterator[_Token]:
    place, end = 0, len(text.rstrip())
    while place < end:
        match = _TOKEN.match(text, place)
        if match is None or match.lastgroup is None:
            raise RequestError(f"the filter cannot be read from character {place + 1} on; values are in double quotes")
        yield _Token(match.lastgroup, match[match.lastgroup])
        place = match.end()


class _Parser:
    """Recursive descent over the tokens."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._next = 0
        self._depth = 0
        self.fields: set[str] = set()

    def whole(self) -> Predicate:
        found = self._any()
        if self._next < len(self._tokens):
            raise RequestError(f"the filter goes on after its end with {self._tokens[self._next].text[:20]!r}")
        return found

    def _any(self) -> Predicate:
        parts = [self._all()]
        while self._take("|"):
            parts.append(self._all())
        return parts[0] if len(parts) == 1 else lambda row: any(part(row) for part in parts)

    def _all(self) -> Predicate:
        parts = [self._one()]
        while self._take("+"):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else lambda row: all(part(row) for part in parts)

    def _one(self) -> Predicate:
        if not self._take("("):
            return self._comparison()
        self._depth += 1
        if self._depth > DEEPEST:
            raise RequestError(f"the filter has more than {DEEPEST} parentheses in each other")
        found = self._any()
        self._depth -= 1
        if not self._take(")"):
            raise RequestError("the filter lacks a closing parenthesis")
        return found

    def _comparison(self) -> Predicate:
        name = filter_field(self._expect("name", "the name of a field"))
        self.fields.add(name)
        operator = self._expect("op", "an operator such as :")
        values = [self._value()]
        while self._take(","):
            values.append(self._value())
        negated, test = operator.startswith("!"), _TESTS[operator.removeprefix("!")]
        return lambda row: any(test(value_of(row, name), value) for value in values) is not negated

    def _value(self) -> str:
        return re.sub(r"\\(.)", r"\1", self._expect("text", "a value in double quotes")[1:-1])

    def _expect(self, kind: str, what: str) -> str:
        if self._next >= len(self._tokens) or self._tokens[self._next].kind != kind:
            raise RequestError(f"the filter needs {what} at its part {self._next + 1}")
        self._next += 1
        return self._tokens[self._next - 1].text

    def _take(self, sign: str) -> bool:
        found = self._next < len(self._tokens) and self._tokens[self._next] == _Token("sign", sign)
        self._next += found
        return found
