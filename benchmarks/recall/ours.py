"""MACE's side: turns of people remembered and recalled, everything on.

Every turn passes the privacy gate, is sealed under the person's key, and is on the ledger when `remember` answers.
Every recall puts its receipt there. The people of the dialogues have consented to what they say being kept: all sides
hold the same texts.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from pathlib import Path
from typing import Any

import mace
from benchmarks.recall.dialogues import Turn, another, make
from mace.engine.kernel.cleaning import is_personal
from mace.settings import Settings

_CHUNK = 100  # turns of a long person that are remembered at once


def settings(folder: Path) -> Settings:
    return Settings(location=str(folder / "mace"), checkpoint_dir=str(folder / "shelf"), checkpoint_interval_ms=0)


@contextmanager
def side(folder: Path) -> Iterator[dict[str, Callable[..., Any]]]:
    with mace.open(settings=settings(folder)) as m:
        names: dict[str, dict[str, tuple[str, str]]] = {}  # person: turn_id: (our id, text)
        supply = (turn for number in count(1000) for turn in another(number, 1000).turns)

        def remember(person: str, turns: list[Turn], consent_id: str | None = None) -> None:
            messages: Any = [
                {"role": turn.role, "content": turn.text, "at": turn.at, "name": turn.speaker} for turn in turns
            ]
            answer = m.remember(person, messages, conversation_id=turns[0].session, consent_id=consent_id)
            if not answer["success"] or len(answer["turn_ids"]) != len(turns):
                raise RuntimeError(f"a turn was not kept: {answer}")
            known = names.setdefault(person, {})
            for turn_id, turn in zip(answer["turn_ids"], turns, strict=True):
                known[turn_id] = (turn.id, turn.text)
            cut[person] = cut.get(person, 0) + bool(answer["redacted"])

        cut: dict[str, int] = {}

        def load(dialogue: str) -> None:
            until = (datetime.now(UTC) + timedelta(days=365)).isoformat()
            granted = m.grant_consent(dialogue, "Keep what I say.", "persistent", expires_at=until)
            for turn in make(dialogue).turns:
                remember(dialogue, [turn], granted["consent_id"])

        def recalled(dialogue: str, question: str, budget: int) -> dict[str, Any]:
            """The turns in the block, those of them that are not shown whole, and the block's size."""
            answer = m.recall(dialogue, question, budget)
            if answer["error_code"]:
                raise RuntimeError(f"a recall failed: {answer}")
            known = names[dialogue]
            turns = [(*known[item["ref"]], item["text"]) for item in answer["items"] if item["kind"] == "turn"]
            return {
                "ids": [id for id, text, shown in turns if text == shown],
                "cut": [id for id, text, shown in turns if text != shown],
                "text": answer["text"],
            }

        def search(dialogue: str, questions: list[str], budget: int) -> None:
            for question in questions:
                if m.recall(dialogue, question, budget)["error_code"]:
                    raise RuntimeError("a recall failed")

        taken: list[Turn] = []

        def prepare(times: int) -> None:
            """Have the next turns ready, so that making them is not measured; none that a fact's put would refuse."""
            taken[:] = islice((turn for turn in supply if not is_personal(turn.text)), times)

        def add(person: str) -> None:
            for turn in taken:
                remember(person, [turn])

        def add_list(person: str) -> None:
            remember(person, taken)

        keys = count()

        def put(person: str) -> None:
            """The same texts as facts of the person, each under a new key."""
            for turn in taken:
                answer = m.sem_put(f"user/profile/user_{person}/said_{next(keys)}", turn.text, "user", user_id=person)
                if not answer["success"]:
                    raise RuntimeError(f"a fact was not put: {answer}")

        def grow(person: str, turns: int) -> None:
            """Let a person have that many turns, of many dialogues."""
            for number in range(0, turns, 1000):
                said = another(number // 1000, 1000).turns[: min(1000, turns - number)]
                for at in range(0, len(said), _CHUNK):
                    remember(person, said[at : at + _CHUNK])
            names[person].clear()

        def chatted(person: str, questions: list[str], budget: int) -> None:
            """A chat's loop: what is said is remembered, then something is recalled."""
            for question, turn in zip(questions, taken, strict=True):
                remember(person, [turn])
                search(person, [question], budget)

        def cut_without_consent(dialogue: str) -> int:
            """How many turns of a dialogue the gate would cut something out of, had nobody consented."""
            person = f"without-{dialogue}"
            for turn in make(dialogue).turns:
                remember(person, [turn])
            return cut[person]

        def cold(person: str, question: str, budget: int) -> list[float]:
            """CPU seconds in a fresh process: opening, the first recall, and the second."""
            command = [sys.executable, "-m", "benchmarks.recall.cold", str(folder), person, question, str(budget)]
            ended = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
            took: list[float] = json.loads(ended.stdout)
            return took

        yield {
            "cold": cold,
            "load": load,
            "recalled": recalled,
            "search": search,
            "prepare": prepare,
            "add": add,
            "add_list": add_list,
            "put": put,
            "grow": grow,
            "chatted": chatted,
            "cut_without_consent": cut_without_consent,
        }
