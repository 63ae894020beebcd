"""What every route begins with: what the caller may see, which window it asks about, and which page."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from urllib.parse import unquote

from gpucost.domain.answers.access import scope_of
from gpucost.ports import RequestError
from gpucost.runtime import container
from gpucost.runtime.container import Container
from gpucost.runtime.environment import ApiEnvironment
from gpucost.runtime.http import Routes
from gpucost.runtime.json_text import json_text
from gpucost.runtime.principals import principal_of
from gpucost.usecases.answers.finding_answers import VisibleTracks
from gpucost.usecases.answers.paging import Pager
from gpucost.usecases.answers.visible import VisibleLedger
from gpucost.usecases.answers.window import Window

SOONEST_CLOSING = timedelta(days=10)
"""No month is closed earlier than this after its end, so there is no need to look."""


def parts() -> Container:
    return container.parts(ApiEnvironment)


def now() -> datetime:
    return parts().now()


def visible(routes: Routes) -> VisibleLedger:
    """The ledger as the caller may see it. ForbiddenError when it may see nothing."""
    its = parts()
    scope = scope_of(principal_of(routes.event), its.settings.access.access())
    return VisibleLedger(its.ledger, its.clusters, scope)


def tracks(routes: Routes) -> VisibleTracks:
    """What goes on, as far as the caller may see it. ForbiddenError when it may see nothing."""
    its = parts()
    return VisibleTracks(its.tracks, its.clusters, visible(routes).scope)


def name(routes: Routes) -> str:
    """Who the caller is, for the record: its ARN, or its token's subject."""
    principal = principal_of(routes.event)
    return principal.arn or (principal.claims or {}).get("sub") or "somebody"


def window_of(text: str | None, start: str | None, end: str | None) -> Window:
    """The window that the parameters name. RequestError when they name two."""
    if text is not None and (start is not None or end is not None):
        raise RequestError("give either 'window', or 'from' and 'to'")
    return Window.named(text, now()) if text is not None else Window.between(start, end, now())


def pager(routes: Routes, ledger: VisibleLedger, limit: int, cursor: str | None) -> Pager:
    """The page of this question that was asked for."""
    return Pager(_question(routes.path, routes.parameters), ledger.scope, limit, cursor, parts().cursor_key)


def _question(path: str, parameters: Mapping[str, str]) -> str:
    asked = {name: value for name, value in parameters.items() if name not in ("cursor", "limit")}
    return json_text([path, sorted(asked.items())])


def is_final(window: Window, fixed: bool, ledger: VisibleLedger, clusters: Callable[[], list[str]]) -> bool:
    """Whether the answer can never change: the window is fixed, and every month of it is closed.

    `fixed`: it was named by its ends, not by a word whose meaning moves.
    """
    if not fixed or now() - window.end.start < SOONEST_CLOSING:
        return False
    return all(ledger.is_final(cluster, window.first, window.end) for cluster in clusters())


def from_path(text: str) -> str:
    """A path parameter as the caller meant it, where the gateway left it encoded."""
    return unquote(text)
