"""Keeps webhooks, tokens and secrets out of the logs of the libraries that carry them: at DEBUG they write them."""

import logging
import re

HIDDEN = "[redacted]"
_PATH = re.compile(r"/(?:services|workflows|triggers|actions)/[^\s\"'\\]+")
_TOKEN = re.compile(r"xox[a-z]-[A-Za-z0-9-]+")
_SECRET = re.compile(r"(SecretString[\"'\\]*\s*:\s*[\"'\\]*)[^\"'\\,}]+")
_LOGGERS = ("urllib3.connectionpool", "botocore.parsers")


def without_secrets(text: str) -> str:
    """The text with the secret part of every webhook's URL, every token and every secret's value in it hidden."""
    return _SECRET.sub(rf"\g<1>{HIDDEN}", _TOKEN.sub(HIDDEN, _PATH.sub(f"/{HIDDEN}", text)))


def install() -> None:
    """Redact what these libraries log from now on. Doing it again changes nothing."""
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(_redacted)


def _redacted(record: logging.LogRecord) -> bool:
    message = record.getMessage()
    clean = without_secrets(message)
    if clean != message:
        record.msg, record.args = clean, ()
    return True
