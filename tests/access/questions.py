"""Random questions to the API: every route, with filters and cursors that may be anybody's."""

import random
from collections.abc import Callable
from dataclasses import dataclass

from gpucost.usecases.answers.cost_query import GroupBy
from tests.support.house import BUS, CLUSTERS, FIRST
from tests.support.stories import episode_of

_NAMESPACES = [*(f"{bu}-jobs" for bu in BUS), "commons", "nobody"]
_PODS = [f"{bu}-{cluster}-0" for bu in BUS for cluster in CLUSTERS]
_AGGREGATES = ["namespace", "cluster", "bu", "node", "pod", "cluster,namespace", "label:app.kubernetes.io/part-of"]
_BUS = [*BUS, "nobody"]
LISTS = ["/v1/costs", "/v1/waste", "/v1/capacity", "/v1/prices", "/v1/hours"]


@dataclass(frozen=True, slots=True)
class Question:
    """A path with parameters, and what is to be done there."""

    path: str
    query: dict[str, str]
    method: str = "GET"


def question(draw: random.Random) -> Question:
    """One question. Some make sense, some do not."""
    kind = draw.choice([*LISTS, "/v1/costs", "/v1/costs", *_OTHERS])
    if kind in _OTHERS:
        return _OTHERS[kind](draw, kind)
    query = _window(draw) | _some(draw, {"cluster": draw.choice(CLUSTERS)}, 0.3)
    query |= _some(draw, {"format": draw.choice(["csv", "jsonl"])}, 0.15) | _some(draw, {"limit": "2"}, 0.4)
    if kind == "/v1/costs":
        query |= _grouped(draw, 0.5)
    if kind in ("/v1/costs", "/v1/waste"):
        query |= _some(draw, {"bu": draw.choice(_BUS)}, 0.3) | _some(draw, {"namespace": draw.choice(_NAMESPACES)}, 0.3)
    return Question(kind, query)


def _of_one_bu(draw: random.Random, _kind: str) -> Question:
    return Question(f"/v1/costs/{draw.choice(_BUS)}", _window(draw) | _grouped(draw, 0.3))


def _odd(draw: random.Random, _kind: str) -> Question:
    names = ["bu", "namespace", "tenant", draw.choice(_BUS), "cluster", "limit", "format"]
    return Question(draw.choice(LISTS), {draw.choice(names): draw.choice(_BUS), draw.choice(names): "1"})


def _focus(draw: random.Random, _kind: str) -> Question:
    query = _window(draw) | _some(draw, {"cluster": draw.choice(CLUSTERS)}, 0.3)
    return Question("/v1/focus", {**query, "format": draw.choice(["csv", "jsonl"])})


def _about_alerts(draw: random.Random, kind: str) -> Question:
    path = f"/v1/findings/{episode_of(draw.choice(CLUSTERS), draw.choice([*_BUS, '']))}"
    if kind == "finding":
        return Question(path, {})
    if kind == "acknowledge":
        return Question(f"{path}/acknowledge", {}, "POST")
    if kind == "snooze":
        return Question(f"{path}/snooze", {"for": draw.choice(["1h", "8h", "24h", "monday"])}, "POST")
    query = _some(draw, {"bu": draw.choice(_BUS)}, 0.3)
    if kind == "whatif":
        return Question("/v1/whatif", _window(draw) | _some(draw, {"gpus": "4", "geometry": "3g.20gb:1,1g.5gb:4"}, 0.5))
    return Question(f"/v1/{kind}", query)


def _about_an_hour(draw: random.Random, kind: str) -> Question:
    cluster = draw.choice([*CLUSTERS, *BUS])
    path = f"/v1/hours/{cluster}/{FIRST.plus(draw.randrange(90)).key}"
    return (
        Question(path, {}) if kind == "hour" else Question(f"{path}/explain", {"namespace": draw.choice(_NAMESPACES)})
    )


def _opencost(draw: random.Random, _kind: str) -> Question:
    asked = _window(draw)
    query = {"window": f"{asked['from']},{asked['to']}"}
    query |= _some(draw, {"aggregate": draw.choice(_AGGREGATES)}, 0.9)
    query |= _some(draw, {"filter": f'namespace:"{draw.choice(_NAMESPACES)}"|pod~:"{draw.choice(_BUS)}"'}, 0.3)
    query |= (
        _some(draw, {"step": "1h"}, 0.1) | _some(draw, {"shareIdle": "true"}, 0.2) | _some(draw, {"format": "csv"}, 0.1)
    )
    query |= _some(draw, {"idleByNode": "true"}, 0.2)
    return Question(draw.choice(["/allocation", "/allocation/compute"]), query)


_OTHERS: dict[str, Callable[[random.Random, str], Question]] = {
    "bu": _of_one_bu,
    "odd": _odd,
    "focus": _focus,
    "opencost": _opencost,
    **dict.fromkeys(("hour", "explain"), _about_an_hour),
    **dict.fromkeys(("findings", "finding", "budgets", "whatif", "acknowledge", "snooze"), _about_alerts),
}


def _window(draw: random.Random) -> dict[str, str]:
    first = draw.randrange(84)
    length = draw.choice([1, 2, 3, 24, 40])
    return {"from": FIRST.plus(first).key, "to": FIRST.plus(first + length).key}


def _grouped(draw: random.Random, chance: float) -> dict[str, str]:
    several = draw.sample([*GroupBy, "label:app.kubernetes.io/part-of"], draw.choice([1, 1, 1, 2]))
    found = _some(draw, {"group_by": ",".join(several)}, chance)
    step = {"step": draw.choice(["hour", "day", "month"])} if draw.random() < 0.5 else {"compare": "true"}
    return found | _some(draw, step, 0.3) | _some(draw, {"pod": draw.choice(_PODS)} if found else {}, 0.1)


def _some(draw: random.Random, parameters: dict[str, str], chance: float) -> dict[str, str]:
    return parameters if draw.random() < chance else {}
