"""Put an hour's report on the record: published, summed up, and, when it is old enough, cleaned up after."""

from datetime import datetime

from gpucost.books import Books
from gpucost.domain.report import HourReport
from gpucost.ports import Outcome, Publication
from gpucost.usecases.recording.roll_up import roll_up
from gpucost.usecases.recording.upkeep import LAST_LOOK


def record_hour(report: HourReport, ledger: Books, now: datetime) -> Publication:
    """Publish the report and sum up its day and month again. Safe to repeat.

    Whoever dies after publishing leaves the sums behind; the next hourly run finds that. At the last look, rows that
    dead publishers of the hour left are removed.
    """
    publication = ledger.publish(report, now)
    if publication.outcome is Outcome.PUBLISHED:
        roll_up(report.cluster, report.hour, ledger)
    if now >= report.hour.end + LAST_LOOK:
        ledger.sweep(report.cluster, report.hour, now)
    return publication
