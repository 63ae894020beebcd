"""How the command line fails: one line on standard error that says what to do, and an exit code by kind."""

from enum import IntEnum

from gpucost.ports import GpucostError, MetricsError
from gpucost.runtime.settings import SettingsError


class ExitCode(IntEnum):
    """Exit codes of `gpucost`; 0 is success."""

    FAILED = 1
    USAGE = 2
    METRICS_REFUSED = 3
    TRY_AGAIN = 4
    NO_DATA = 5
    INTERRUPTED = 130


class UsageError(GpucostError):
    """What was asked for cannot be done as it was written. The message says what to write instead."""


class StackError(GpucostError):
    """A part of the local stack is missing or did not start. The message says what to do."""


class NoDataError(GpucostError):
    """The engine answered, but has nothing about the cluster-hour."""


def exit_code(error: GpucostError) -> ExitCode:
    """The exit code that stands for an error's kind."""
    if isinstance(error, UsageError | SettingsError):
        return ExitCode.USAGE
    if isinstance(error, NoDataError):
        return ExitCode.NO_DATA
    if error.retryable:
        return ExitCode.TRY_AGAIN
    return ExitCode.METRICS_REFUSED if isinstance(error, MetricsError) else ExitCode.FAILED


def one_line(message: str) -> str:
    """The message without line breaks or runs of blanks, whatever an answer's body brought into it."""
    return " ".join(message.split())
