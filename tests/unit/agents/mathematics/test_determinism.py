"""The same question gives the same bytes: under any hash seed, in any order, whatever was asked before."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from mace.agents.mathematics import answer, to_dict

TABLE = Path(__file__).parent / "answers.txt"
QUESTIONS = [line.split(" ⇒ ")[0] for line in TABLE.read_text("utf-8").splitlines()]

PROGRAM = """
import json, sys
from pathlib import Path
from mace.agents.mathematics import answer, to_dict
questions = [line.split(" ⇒ ")[0] for line in Path(sys.argv[1]).read_text("utf-8").splitlines()]
if sys.argv[2] == "backwards":
    questions.reverse()
print(json.dumps({question: to_dict(answer(question)) for question in questions}, sort_keys=True))
"""


def _ask_all(seed: str, order: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(TABLE), order],
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
    )


def _digest(process: subprocess.Popen[bytes]) -> str:
    output, _ = process.communicate()
    assert process.returncode == 0
    assert len(json.loads(output)) == len(set(QUESTIONS))
    return hashlib.sha256(output).hexdigest()


def test_no_hash_seed_and_no_order_changes_an_answer():
    runs = [("0", "forwards"), ("1", "backwards"), ("4711", "forwards")]
    assert len({_digest(process) for process in [_ask_all(seed, order) for seed, order in runs]}) == 1


@pytest.mark.parametrize(
    "question", ["integrate x sin(x) dx", "solve x^2 + y^2 = 25, x + y = 7", "simplify sin(x)^2 + cos(x)^2"]
)
def test_asking_again_changes_nothing(question: str):
    first = to_dict(answer(question))
    answer("limit of (1 + 1/n)^n as n -> infinity")
    assert to_dict(answer(question)) == first
