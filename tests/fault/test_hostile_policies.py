"""Policy texts that overflow the parser's stack: a stranger is refused, an admin is told, and the process lives on.

In a process of its own: where one of these texts reaches the parser, that process ends with a signal.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

_CHILD = """
import json, sys, threading
from pathlib import Path
import mace
from mace.core.errors import MaceError
from mace.governance.policy import bounds
from mace.settings import Settings

root, who, unbounded, threaded = Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "unbounded", sys.argv[4] == "thread"
if unbounded:
    bounds.check_bounds = lambda text: None  # as if a text were found that the look lets pass
settings = Settings(location=str(root / "mace"), checkpoint_dir=str(root / "checks"), checkpoint_interval_ms=0)
told = {}
with mace.open(settings=settings) as m:
    by = m if who == "owner" else m.acting_as(m.on_behalf_of("mallory"))
    def propose(name, text):
        try:
            told[name] = by.approvals.propose_policy(text)["status"]
        except MaceError as error:
            told[name] = [error.code, str(error)]
    for name, condition in json.load(sys.stdin).items():
        text = '@id("a") permit(principal, action, resource) when { %s };' % condition
        if threaded:
            running = threading.Thread(target=propose, args=(name, text))
            running.start()
            running.join()
        else:
            propose(name, text)
    told["still answers"] = m.ask("12 + 30")["answer"]
    told["approvals"] = len(m.approvals.list())
print(json.dumps(told))
"""

CONDITIONS = {
    "parentheses": "(" * 700 + "true" + ")" * 700,
    "sets": "[" * 1000 + "]" * 1000 + " == 1",
    "ifs": "if true then true else " * 5000 + "true",
    "ands": " && ".join(["true"] * 20_000),
    "attributes": "context" + ".a" * 20_000,
    "parentheses that never close": "(" * 100_000,
    "behind comments": "// (((\n" * 5000 + "(" * 5000,
    "behind strings": '"(" == "\\"" || ' * 300 + "(" * 5000,
}


def _run(root: Path, *how: str) -> dict[str, Any]:
    ran = subprocess.run(
        [sys.executable, "-c", _CHILD, str(root), *how],
        input=json.dumps(CONDITIONS),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, (ran.returncode, ran.stderr[-2000:])
    told: dict[str, Any] = json.loads(ran.stdout)
    assert "42" in told.pop("still answers")
    assert told.pop("approvals") == 0
    assert set(told) == set(CONDITIONS)
    return told


@pytest.mark.parametrize("thread", ["main", "thread"])
def test_an_admin_is_told_what_is_wrong(tmp_path: Path, thread: str):
    for code, words in _run(tmp_path, "owner", "bounded", thread).values():
        assert code == "INVALID_INPUT"
        assert "deeper than" in words or "more than" in words


def test_a_stranger_is_refused_before_anything_is_parsed(tmp_path: Path):
    assert {code for code, _ in _run(tmp_path, "stranger", "unbounded", "main").values()} == {"PERMISSION_DENIED"}


def test_a_text_that_crashes_the_parser_ends_the_worker_and_nothing_else(tmp_path: Path):
    told = _run(tmp_path, "owner", "unbounded", "main")
    assert told["parentheses"] == ["INVALID_INPUT", "the policy could not be parsed"]
    assert told["ands"] == ["INVALID_INPUT", "the policy could not be parsed"]
    assert {code for code, _ in told.values()} == {"INVALID_INPUT"}
