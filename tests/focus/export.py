"""Write a FOCUS file as the API gives it: python -m tests.focus.export FILE."""

import sys
from pathlib import Path

import pytest

from gpucost.runtime.environment import ApiEnvironment
from tests.support.api import ask
from tests.support.handlers import install
from tests.support.house import CLUSTERS, FIRST, house


def main() -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_REGION", "us-west-2")
        install(patch, ApiEnvironment, ledger=house(), clusters=CLUSTERS)
        # Across the end of a month.
        reply = ask("/v1/focus", {"from": FIRST.plus(36).key, "to": FIRST.plus(60).key})
    if reply.status != 200:
        raise SystemExit(reply.body)
    Path(sys.argv[1]).write_text(reply.body, newline="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
