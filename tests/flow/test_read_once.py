"""The privacy gate reads each text once on its way to the store, whoever writes it."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import mace
from mace.governance.detectors.view import View
from mace.settings import Settings

_FACT = "noodles with some soup and an egg"
_QUESTION = "What did I say about the noodles with soup?"
_INPUT, _REQUEST, _RESULT, _END = (f"the {name} of a walk along the river" for name in ("input", "plan", "tale", "end"))


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The texts that the detectors looked at, and how often."""
    seen: Counter[str] = Counter()
    begin = View.__init__

    def counted(self: View, original: str, *rest: Any) -> None:
        seen[original] += 1
        begin(self, original, *rest)

    monkeypatch.setattr(View, "__init__", counted)
    return seen


@mace.program("walk", version="1")
def _walk(job: Any, input: Any) -> Any:
    tale = job.call("model", {"say": _REQUEST}, lambda _: {"said": _RESULT}, idempotent=True)
    job.call("model", tale, lambda _: {"said": _END}, idempotent=True)  # what a call returned is not read again
    return "done"


def test_each_text_of_a_write_is_read_once(tmp_path: Path, read: Counter[str]):
    settings = Settings(location=str(tmp_path / "mace"), checkpoint_dir=str(tmp_path / "shelf"))
    with mace.open(settings=settings, programs=[_walk]) as m:
        m.sem_put("user/profile/user_ana/favorite_food", _FACT, "user")
        assert read[_FACT] == 1
        m.ask(_QUESTION, "ana")
        assert read[_QUESTION] == 1
        answer = m.perform(_walk, {"about": _INPUT}, user_id="ana")
        assert answer["status"] == "closed" and not answer["error"]
        assert {text: read[text] for text in (_INPUT, _REQUEST, _RESULT, _END)} == dict.fromkeys(
            (_INPUT, _REQUEST, _RESULT, _END), 1
        )
