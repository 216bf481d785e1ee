"""The JSON that all sides record: about 2 kB of a chat's prose with some numbers, and the same size of repeated prose.

Every call gets another payload, as calls of an agent do, so that no side can answer from a cache of what it has just
seen. Deterministic: the same number gives the same payload in every process. Nothing in it is personal data.
"""

import json
import random
from typing import Any, Literal

Kind = Literal["prose", "repeated"]
KINDS: tuple[Kind, ...] = ("prose", "repeated")

SIZE = 2048  # bytes of compact JSON, within a few
_SUBJECTS = (
    "the parcel", "the second delivery", "your order", "the replacement part", "the warehouse", "the invoice",
    "this device", "the smaller battery", "the blue cable", "our courier", "the return label", "the spare key",
    "the kitchen scale", "the garden hose", "the old charger", "the printed manual",
)  # fmt: skip
_VERBS = (
    "left", "was checked in", "will reach", "has passed", "came back from", "waits in", "goes through", "misses",
    "should arrive at", "is still listed for", "was moved to", "cannot be found in",
)  # fmt: skip
_PLACES = (
    "the northern depot", "the sorting centre", "the shop around the corner", "the last scan", "the evening round",
    "the customs desk", "the loading ramp", "the list of open cases", "the repair bench", "the morning shift",
)  # fmt: skip
_TAILS = (
    "because the scanner was off for {n} minutes", "and nobody has touched it since", "with {n} other pieces",
    "although the screen said something else", "before the rain started", "after {n} tries", "so we look again",
    "which is normal in this season", "at a price of {n}.50", "and the total grows by {n} per cent",
    "unless somebody asks for it earlier", "while {n} more are on their way",
)  # fmt: skip


def _sentence(source: random.Random) -> str:
    tail = source.choice(_TAILS).format(n=source.randint(2, 98))
    text = f"{source.choice(_SUBJECTS)} {source.choice(_VERBS)} {source.choice(_PLACES)} {tail}."
    return text[0].upper() + text[1:]


def _compact(value: object) -> int:
    return len(json.dumps(value, separators=(",", ":")))


def payload(kind: Kind, number: int) -> dict[str, Any]:
    """Return payload `number`: messages of a chat, and the figures that a model's answer carries."""
    source = random.Random(f"{kind}/{number}")
    messages: list[dict[str, str]] = []
    made: dict[str, Any] = {
        "number": number,
        "model": "small-chat-1",
        "temperature": 0.2,
        "usage": {"prompt": source.randint(100, 900), "completion": source.randint(20, 300)},
        "messages": messages,
    }
    always = _sentence(source)
    while (room := SIZE - _compact(made)) > 40:
        sentences: list[str] = []
        wanted = min(source.randint(150, 450), room - 34)
        while sum(map(len, sentences)) + len(sentences) < wanted:
            sentences.append(always if kind == "repeated" else _sentence(source))
        role = "user" if len(messages) % 2 == 0 else "assistant"
        messages.append({"role": role, "content": " ".join(sentences)[: max(wanted, 1)]})
    return made


class Payloads:
    """A supply that is made beforehand, so that making it is not measured; too large to be remembered as a whole."""

    def __init__(self, each: int = 2000) -> None:
        self._made = {kind: [payload(kind, number) for number in range(each)] for kind in KINDS}
        self._given = 0

    def at(self, kind: Kind, number: int) -> dict[str, Any]:
        made = self._made[kind]
        return made[number % len(made)]

    def next(self, kind: Kind) -> dict[str, Any]:
        self._given += 1
        return self.at(kind, self._given)
