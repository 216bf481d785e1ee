"""The reference is made from the table of verbs, and is what is committed."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_reference_says_what_the_table_says():
    made = subprocess.run(
        [sys.executable, "docs/make_api.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stdout + made.stderr
