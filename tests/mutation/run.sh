#!/usr/bin/env bash
# Changes the domain one small piece at a time and sees whether the unit and property tests notice.
# Works on a copy in .cache/mutation, where the package lies at the top: mutmut names mutants by their path.
set -euo pipefail
cd "$(dirname "$0")/../.."
copy=.cache/mutation
mkdir -p "$copy"
rm -rf "$copy/gpucost" "$copy/tests" "$copy/local" "$copy/mutants"
cp -r layers/gpucost/gpucost tests local "$copy/"
cp tests/mutation/setup.cfg "$copy/"
printf '[pytest]\npythonpath = .\naddopts = -q\n' > "$copy/pytest.ini"
# The other fixtures need real parts, which no rule depends on.
rm "$copy/tests/conftest.py"
mutmut=$PWD/.venv/bin/mutmut
cd "$copy"
HYPOTHESIS_PROFILE=mutation PYTHONPATH=. "$mutmut" run --max-children "${JOBS:-2}" "$@"
"$mutmut" results | awk -F': ' '{count[$2]++} END {for (kind in count) print kind ": " count[kind]}'
"$mutmut" export-cicd-stats
cat mutants/mutmut-cicd-stats.json
