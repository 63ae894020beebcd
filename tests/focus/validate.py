"""Run the FinOps Foundation's validator over a FOCUS file. Belongs to an environment of its own: see `make focus`.

CSV has no types: account numbers are read as text and times as times before the validator sees them. Its rules about
InvoiceId are "null without an invoice" and "not null with one", of which one or the other has to hold; it reports
the one that does not. Our hours are on no invoice, so exactly that one is expected.
"""

import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

EXPECTED = {"InvoiceId-C-005-C"}
LEAST_PASSED = 200
APPLY = (
    *("ACCOUNT_NAMING_SUPPORTED", "USAGE_MEASUREMENT_SUPPORTED", "SUB_ACCOUNT_SUPPORTED", "REGION_SUPPORTED"),
    *("RESOURCE_TYPE_ASSIGNMENT_SUPPORTED", "TAGGING_SUPPORTED", "MULTIPLE_PRICING_CATEGORIES_SUPPORTED"),
    *("BILLING_BASED_ON_PROVISIONED_RESOURCES_SUPPORTED", "MULTIPLE_SUB_ACCOUNT_TYPES_SUPPORTED"),
    *("MULTIPLE_BILLING_ACCOUNT_TYPES_SUPPORTED",),
)
TEXTS = ("BillingAccountId", "BillingAccountName", "SubAccountId", "SubAccountName", "CommitmentDiscountStatus")


def main() -> int:
    import polars  # type: ignore[import-not-found]

    texts = dict.fromkeys((*TEXTS, "ChargeClass", "InvoiceId"), polars.String)
    rows = polars.read_csv(sys.argv[1], schema_overrides=texts, infer_schema_length=None, try_parse_dates=True)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "focus.parquet"
        rows.write_parquet(file)
        report = _validated(file)
    failed = set(re.findall(r"^- (\S+): violations=", report, re.MULTILINE))
    passed = int(re.findall(r"^Total: \d+ \| Pass: (\d+)", report, re.MULTILINE)[0])
    sys.stdout.write(f"{len(rows)} rows: {passed} rules passed, failed: {', '.join(sorted(failed)) or 'none'}\n")
    return 0 if failed == EXPECTED and passed >= LEAST_PASSED else 1


def _validated(file: Path) -> str:
    # The validator looks for its tables of codes in the working directory.
    command = [str(Path(sys.executable).parent / "focus-validator"), "--data-file", str(file)]
    command += ["--validate-version", "1.2", "--block-download", "--applicability-criteria", ",".join(APPLY)]
    done = subprocess.run(
        command, cwd=sysconfig.get_paths()["purelib"], check=True, capture_output=True, text=True, timeout=600
    )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
