"""Figures and names as people read them, and names made safe for where they are shown."""

import unicodedata
from decimal import ROUND_HALF_EVEN, Decimal

from gpucost.domain.hours import Hour

CENT = Decimal("0.01")
NAME_LENGTH = 120
SUBJECT_LENGTH = 100
SUBJECT_DEFAULT = "GPU cost alert"
# Hidden or direction-changing characters; line separators of any kind count as spaces.
_DROPPED = {"Cf", "Cs", "Co", "Cn"}
_SPACES = {"Cc", "Zl", "Zp", "Zs"}


def cents(usd: Decimal) -> str:
    """US dollars to the cent: 1234.5 is $1,234.50. What is less than a cent, but not nothing, is <$0.01."""
    if 0 < usd < CENT:
        return "<$0.01"
    return f"${usd.quantize(CENT, ROUND_HALF_EVEN):,f}"


def percent(ratio: Decimal | None) -> str:
    """A ratio 0..1 as a percentage with one decimal. None is unknown, and something is never shown as 0 %."""
    if ratio is None:
        return "unknown"
    if 0 < ratio < Decimal("0.001"):
        return "<0.1 %"
    return f"{(ratio * 100).quantize(Decimal('0.1'), ROUND_HALF_EVEN).normalize():f} %"


def gibibytes(mib: Decimal) -> str:
    """MiB as GiB with one decimal."""
    return f"{(mib / 1024).quantize(Decimal('0.1'), ROUND_HALF_EVEN):f} GiB"


def count(number: int, singular: str, plural: str | None = None) -> str:
    """1 pod, 2 pods, 1,000 pods."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def span(hour: Hour) -> str:
    """The hour as people read it: 2026-11-30 10:00-11:00 UTC."""
    return f"{hour.start:%Y-%m-%d %H:%M}-{hour.end:%H:%M} UTC"


def one_line(text: str) -> str:
    """The text on one line: control characters and runs of white space are a space, invisible characters are gone."""
    visible = "".join(
        " " if unicodedata.category(char) in _SPACES else char
        for char in text
        if unicodedata.category(char) not in _DROPPED
    )
    return " ".join(visible.split())


def shortened(text: str, length: int = NAME_LENGTH) -> str:
    """The text if it is not too long, else its beginning and its end with … between: names differ at their end."""
    if len(text) <= length:
        return text
    head = (length - 1) // 2
    return f"{text[:head]}…{text[len(text) - (length - 1 - head) :]}"


def escaped(text: str) -> str:
    """Slack's three control characters as entities, so that no text becomes a link, a mention or a broadcast."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def code(name: str) -> str:
    """A name as an inline code span in Slack's mrkdwn: shown as it is, on one line, never taken for markup."""
    # A backtick would end the span early; mrkdwn has no escape for it.
    return f"`{escaped(shortened(one_line(name).replace('`', 'ˋ'))) or '(no name)'}`"


def subject(text: str) -> str:
    """The text as Amazon SNS accepts it for a subject: one line of at most 100 printable ASCII characters."""
    line = one_line(text)
    ascii_only = "".join(char if char.isascii() else "?" for char in line)
    if len(ascii_only) > SUBJECT_LENGTH:
        ascii_only = ascii_only[: SUBJECT_LENGTH - 3] + "..."
    return ascii_only or SUBJECT_DEFAULT
