"""A table whose calls can be made to fail, or to be overtaken by something else."""

from collections.abc import Callable, Sequence

from gpucost.adapters.ledger.ledger import StoreLedger
from gpucost.adapters.ledger.store import Equals, Item, Put, Store

type Hook = Callable[[], object]


class FaultyStore:
    """A table around a table. A hook runs once, just before or just after the next call of its name."""

    def __init__(self, inner: Store) -> None:
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
        self._around("put_all", lambda: self._inner.put_all(items))

    def write(self, puts: Sequence[Put]) -> None:
        self._around("write", lambda: self._inner.write(puts))

    def delete(self, pk: str, sk: str, condition: Equals) -> None:
        self._around("delete", lambda: self._inner.delete(pk, sk, condition))

    def _around[T](self, name: str, call: Callable[[], T]) -> T:
        if hook := self._before.pop(name, None):
            hook()
        answer = call()
        if hook := self._after.pop(name, None):
            hook()
        return answer


def _raise(error: BaseException) -> None:
    raise error
