"""Write a FOCUS file as the API gives it: python -m tests.focus.export FILE."""

import sys
from pathlib import Path

from tests.support.api import ask
from tests.support.house import FIRST
from tests.support.served import served_house


def main() -> int:
    with served_house():
        # Across the end of a month.
        reply = ask("/v1/focus", {"from": FIRST.plus(36).key, "to": FIRST.plus(60).key})
    if reply.status != 200:
        raise SystemExit(reply.body)
    Path(sys.argv[1]).write_text(reply.body, newline="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
