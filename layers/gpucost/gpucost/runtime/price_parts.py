"""The parts that know what GPUs cost: AWS' prices, and the bill."""

from functools import cached_property

from gpucost.prices import BillBook, PriceBook, PriceList, PriceSources
from gpucost.runtime.environment import BillsEnvironment, HasTable
from gpucost.runtime.ledger_parts import LedgerParts
from gpucost.runtime.settings import Settings
from gpucost.usecases.pricing.true_up import BillSources, TrueUp


class PriceParts(LedgerParts):
    """Prices before the bill is there, and what the bill makes of the hours that were priced by them."""

    @cached_property
    def price_book(self) -> PriceBook:
        from gpucost.adapters.dynamodb import DynamoPriceBook

        return DynamoPriceBook(self._dynamodb, self._its(HasTable).table)

    @cached_property
    def bill_book(self) -> BillBook:
        from gpucost.adapters.dynamodb import DynamoBillBook

        return DynamoBillBook(self._dynamodb, self._its(HasTable).table)

    @cached_property
    def bill_sources(self) -> BillSources:
        from gpucost.adapters.bill_files import BillFiles
        from gpucost.adapters.bill_query import AthenaBills

        its = self._its(BillsEnvironment)
        athena = self._session.client("athena", config=self._config)
        files = BillFiles(self._s3)
        return BillSources(files, AthenaBills(athena, its.workgroup, its.bill_table))

    @property
    def true_up(self) -> TrueUp:
        return TrueUp(self.clusters, self.bill_book, self.ledger, self.jobs)

    @cached_property
    def price_list(self) -> PriceList:
        from gpucost.adapters.aws_prices import aws_price_list

        return aws_price_list(self._session)

    def price_sources(self, settings: Settings) -> PriceSources | None:
        """Whom to ask for prices; None when the settings want their own rates only."""
        return self._price_sources if settings.asks_aws else None

    @cached_property
    def _price_sources(self) -> PriceSources:
        from gpucost.adapters.aws_prices import aws_price_sources

        return aws_price_sources(self._session, self.price_book, self.bill_book)
