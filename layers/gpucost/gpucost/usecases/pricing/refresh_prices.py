"""Ask the price list again, and write down what is new."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from gpucost.domain.prices.pricebook import PriceEntry, Quote, next_entry
from gpucost.ports import MessageError, ServiceError, ServiceUnavailable
from gpucost.prices import Pair, PriceBook, PriceError, PriceList


@dataclass(slots=True)
class Refreshed:
    """What came of it: entries that are new, pairs that could not be asked about now, with the reason."""

    added: list[PriceEntry] = field(default_factory=list)
    unasked: dict[Pair, str] = field(default_factory=dict)


def refresh_prices(book: PriceBook, price_list: PriceList, more: Iterable[Pair], now: datetime) -> Refreshed:
    """Ask about every pair in the book and about `more`. What AWS refuses for good is an entry without a price."""
    known = book.entries()
    done = Refreshed()
    for pair in sorted({*known, *more}):
        learn(pair, known.get(pair, ()), book, price_list, now, done)
    return done


def learn(
    pair: Pair, known: Sequence[PriceEntry], book: PriceBook, price_list: PriceList, now: datetime, done: Refreshed
) -> None:
    """Ask about one pair. Two who ask at the same moment write one entry."""
    try:
        quote = price_list.on_demand(*pair)
    except ServiceUnavailable as error:
        done.unasked[pair] = str(error)
        return
    except (PriceError, ServiceError) as error:
        quote = Quote(None, reason=str(error))
    entry = next_entry(*pair, known, quote, now)
    if entry and book.add(entry, after=len(known)):
        done.added.append(entry)


def pairs_from(event: Mapping[str, object]) -> list[Pair]:
    """The pairs that an event names besides those in the book. MessageError when it is not one of ours."""
    match event:
        case {"kind": "prices", **rest} if set(rest) <= {"pairs"}:
            pairs = rest.get("pairs", [])
        case _:
            raise MessageError('not an event such as {"kind": "prices", "pairs": [["us-west-2", "p4d.24xlarge"]]}')
    out = []
    for pair in pairs if isinstance(pairs, list) else [pairs]:
        match pair:
            case [str(region), str(instance_type)] if region and instance_type:
                out.append((region, instance_type))
            case _:
                raise MessageError(f"{pair!r} is not a pair of region and instance type")
    return out
