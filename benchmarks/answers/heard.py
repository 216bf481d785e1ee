"""A question with its passages in a context store, and an engine that gives one scripted text: is it accepted?

The whole of `ask` runs: the passages are found, given to the engine, and the council hears what it said.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from benchmarks.answers.trials import Stores
from mace.providers.models.port import ModelAnswer, ModelRequest

_REJECTED = {"REPAIR_LIMIT_EXCEEDED", "COUNCIL_DEADLOCK", "PRIVACY_BLOCKED"}


class OneTextEngine:
    """Says the same whatever it is asked; its citations have the numbers that the passages have in the prompt."""

    def __init__(self, text: str, passages: Sequence[str]) -> None:
        self._text = text
        self._passages = passages
        self.said: list[str] = []

    def complete(self, request: ModelRequest, *, time_limit_s: float | None = None) -> ModelAnswer:
        self.said.append(cited(self._text, self._passages, request.prompt))
        return ModelAnswer(
            text=self.said[-1],
            input_tokens=1,
            output_tokens=1,
            model="scripted",
            provider="scripted",
            finish_reason="stop",
            time_ms=0,
        )


def cited(text: str, passages: Sequence[str], prompt: str) -> str:
    """A text whose citations count these passages, with the numbers that the prompt gives them."""

    def renumbered(mark: re.Match[str]) -> str:
        passage = passages[int(mark[1]) - 1]
        shown = re.search(rf"\[(\d+)\][^\n\[]{{0,80}}{re.escape(passage[:40])}", prompt)
        return mark[0] if shown is None else f"[{shown[1]}]"

    return re.sub(r"\[(\d+)\]", renumbered, text)


def hear(stores: Stores, question: str, passages: Sequence[str], text: str) -> tuple[bool, bool]:
    """Whether the text was the answer at the first try, and whether it was one without any notice."""
    engine = OneTextEngine(text, passages)

    def fill(store: Path) -> None:
        lines = [json.dumps({"memory_id": f"p{at}", "text": passage}) for at, passage in enumerate(passages, 1)]
        store.write_text("\n".join(lines) + "\n", encoding="utf-8")

    with stores.fresh(engine, fill) as mace:
        reply = mace.ask(question, "ana", "heard")
    codes = {notice["error_code"] for notice in reply["notices"]}
    is_given = reply["answer"] is not None and any(said in reply["answer"] for said in engine.said)
    return is_given and len(engine.said) == 1 and not codes & _REJECTED, is_given and not codes
