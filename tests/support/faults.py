"""A table whose calls can be made to fail, or to be overtaken by something else."""

from collections.abc import Callable, Sequence
from functools import partial

from gpucost.adapters.ledger.ledger import StoreLedger
from gpucost.adapters.ledger.store import Equals, Item, Put, Store

type Hook = Callable[[], object]


class Killed(BaseException):
    """The process is gone: nothing that it would have done is done, no handler runs."""


class FaultyStore:
    """A table around a table. A hook runs once, just before or just after the next call of its name.

    `calls` are the names of the calls so far. `kill_at` ends the process at a moment: 2k is just before call k, and
    2k + 1 just after it.
    """

    def __init__(self, inner: Store, kill_at: int | None = None) -> None:
        self.calls: list[str] = []
        self._kill_at = kill_at
        self._inner = inner
        self._before: dict[str, Hook] = {}
        self._after: dict[str, Hook] = {}

    def before(self, call: str, hook: Hook) -> None:
        self._before[call] = hook

    def after(self, call: str, hook: Hook) -> None:
        self._after[call] = hook

    def fail_before(self, call: str, error: BaseException) -> None:
        """The call does not happen."""
        self.before(call, lambda: _raise(error))

    def fail_after(self, call: str, error: BaseException) -> None:
        """The call happens, and nobody learns of it."""
        self.after(call, lambda: _raise(error))

    def ledger(self) -> StoreLedger:
        return StoreLedger(self, pause=lambda _: None)

    def get(self, pk: str, sk: str) -> Item | None:
        return self._around("get", lambda: self._inner.get(pk, sk))

    def query(self, pk: str, first: str, last: str) -> list[Item]:
        return self._around("query", lambda: self._inner.query(pk, first, last))

    def newest(self, pk: str, first: str, last: str) -> Item | None:
        return self._around("newest", lambda: self._inner.newest(pk, first, last))

    def put_all(self, items: Sequence[Item]) -> None:
        # One by one: a table writes a batch in any order, and a process may die in the middle of it.
        for item in items:
            self._around("put_all", partial(self._inner.put_all, [item]))

    def write(self, puts: Sequence[Put]) -> None:
        self._around("write", lambda: self._inner.write(puts))

    def delete(self, pk: str, sk: str, condition: Equals) -> None:
        self._around("delete", lambda: self._inner.delete(pk, sk, condition))

    def _around[T](self, name: str, call: Callable[[], T]) -> T:
        moment = 2 * len(self.calls)
        self.calls.append(name)
        self._run(self._before, name, moment)
        answer = call()
        self._run(self._after, name, moment + 1)
        return answer

    def _run(self, hooks: dict[str, Hook], name: str, moment: int) -> None:
        if moment == self._kill_at:
            raise Killed
        if hook := hooks.pop(name, None):
            hook()


def _raise(error: BaseException) -> None:
    raise error
