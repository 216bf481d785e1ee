"""Samples: a template filled with values, and where each personal value lies in the text."""

import re
from dataclasses import dataclass

from templates_held import TEMPLATES as HELD
from templates_open import TEMPLATES as OPEN
from values import Values

_SLOT = re.compile(r"\{(_?[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)?)\}")


@dataclass(frozen=True)
class Gold:
    type: str
    start: int
    end: int


@dataclass(frozen=True)
class Sample:
    text: str
    gold: tuple[Gold, ...]


def fill(template: str, value_of: "Values", disguise=None) -> Sample:
    """Fill one template; `disguise(type, value)` may rewrite personal values."""
    parts, gold, size, done = [], [], 0, 0
    for match in _SLOT.finditer(template):
        parts.append(template[done : match.start()])
        size += len(parts[-1])
        slot = match[1].replace("_person", "_full_name") if match[1].startswith("_") else match[1]
        value = value_of(slot)
        if not slot.startswith("_"):
            kind = slot.partition(".")[0]
            if disguise is not None:
                value = disguise(kind, value)
            gold.append(Gold(kind, size, size + len(value)))
        parts.append(value)
        size += len(value)
        done = match.end()
    parts.append(template[done:])
    return Sample("".join(parts), tuple(gold))


def samples(half: str, per_template: int, seed: int, disguise=None) -> list[Sample]:
    """Return the samples of the open or the held-out half."""
    value_of = Values(half, seed)
    templates = OPEN if half == "open" else HELD
    return [fill(template, value_of, disguise) for template in templates for _ in range(per_template)]
