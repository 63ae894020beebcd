"""Pages of an answer's rows: as many as asked for, and a cursor to the next."""

from collections.abc import Callable, Sequence
from typing import Any

from gpucost.domain.answers.access import Scope
from gpucost.domain.answers.cursors import CursorError, Page, read, sign
from gpucost.domain.canonical import digest_of
from gpucost.ports import RequestError
from gpucost.usecases.answers.window import Window

DEFAULT_LIMIT = 1000
MAX_LIMIT = 5000


class ChangedError(RequestError):
    """The figures changed since the first page, so that going on would leave rows out or give them twice."""


class Pager:
    """One page of one question. `question` names everything that was asked besides limit and cursor.

    `key` gives the key that cursors are signed with; it is only asked for where there is a cursor.
    """

    def __init__(self, question: str, scope: Scope, limit: int, cursor: str | None, key: Callable[[], bytes]) -> None:
        self._question = question
        self._scope = scope.digest
        self._limit = limit
        self._key = key
        self._from = self._page(cursor) if cursor else None

    def window(self, fresh: Callable[[], Window]) -> Window:
        """The window of the first page: words such as `today` mean what they meant then."""
        return Window(self._from.first, self._from.end) if self._from else fresh()

    def page(self, rows: Sequence[dict[str, Any]], window: Window) -> tuple[Sequence[dict[str, Any]], str | None]:
        """The rows of this page, and the next one's cursor. ChangedError when the rows are not those of the first."""
        if self._from is None and len(rows) <= self._limit:
            return rows, None
        offset, digest = self._from.offset if self._from else 0, digest_of(list(rows))
        if self._from and self._from.digest != digest:
            raise ChangedError("the figures changed since the first page: ask again without a cursor")
        until = offset + self._limit
        more = until < len(rows)
        page = Page(window.first, window.end, until, digest)
        return rows[offset:until], sign(page, self._question, self._scope, self._key()) if more else None

    def _page(self, cursor: str) -> Page:
        try:
            return read(cursor, self._question, self._scope, self._key())
        except CursorError as error:
            raise RequestError(f"{error}: ask again without it") from None
