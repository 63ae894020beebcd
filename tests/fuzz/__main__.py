"""Many made-up requests: python -m tests.fuzz --cases 10000."""

import argparse
import sys
import time

from tests.fuzz.run import deployed, fuzz


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    asked = parser.parse_args()
    started = time.perf_counter()
    with deployed():
        statuses = fuzz(asked.cases)
    found = ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items()))
    sys.stdout.write(
        f"{statuses.total()} requests in {time.perf_counter() - started:.0f} s ({found}), all as documented\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
