"""What text Amazon SQS and SNS take: the characters of XML 1.0, and no others."""

import re

_NOT_ALLOWED = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def allowed(text: str) -> str:
    """The text with each character that would have the message refused replaced by U+FFFD."""
    return _NOT_ALLOWED.sub("\N{REPLACEMENT CHARACTER}", text)


def escaped_in_json(document: str) -> str:
    """JSON text with the same characters as \\u escapes: it reads back as it was, and is never refused."""
    return _NOT_ALLOWED.sub(lambda found: f"\\u{ord(found[0]):04x}", document)
