"""The dependencies layer is pinned to exactly what uv.lock has, by hash."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.support.stack import ROOT

REQUIREMENTS = ROOT / "layers" / "deps" / "requirements.txt"
EXPORT = ("export", "--frozen", "--quiet", "--no-dev", "--no-emit-project", "--no-header", "--no-annotate")


def uv() -> str:
    found = shutil.which("uv", path=f"{ROOT / '.tools' / 'bin'}{os.pathsep}{os.environ['PATH']}")
    assert found, "uv is missing: run `make setup`"
    return found


def test_the_requirements_are_what_the_lock_file_has() -> None:
    done = subprocess.run([uv(), *EXPORT], cwd=ROOT, capture_output=True, text=True, check=True)
    assert REQUIREMENTS.read_text() == done.stdout, "run `make requirements` after a change of uv.lock"


def test_every_requirement_is_pinned_by_hash() -> None:
    entries = REQUIREMENTS.read_text().replace("\\\n", " ").splitlines()
    assert entries
    assert all("==" in entry and "--hash=sha256:" in entry for entry in entries)


def test_the_exact_json_encoder_is_among_them() -> None:
    assert any(line.startswith("simplejson==") for line in Path(REQUIREMENTS).read_text().splitlines())
