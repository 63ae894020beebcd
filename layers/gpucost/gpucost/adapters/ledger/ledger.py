"""The ledger, put together from its parts."""

from gpucost.adapters.ledger.gaps import StoreGaps
from gpucost.adapters.ledger.journal import StoreJournal
from gpucost.adapters.ledger.rollups import StoreRollups


class StoreLedger(StoreJournal, StoreGaps, StoreRollups):
    """`books.Books` over a table: `ports.Ledger` and everything beyond it."""
