"""`detect`: fold the text once, ask every rule, settle overlaps, answer in original offsets.

Pure and deterministic: the same text, field and policy give the same findings in the same order. It neither redacts
nor decides what is allowed. A finding is dropped only when another one covers it whole; dropping on mere overlap would
leave the uncovered part readable.
"""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType, ModuleType

from mace.governance.detectors import (
    addresses,
    banks,
    biometrics,
    births,
    cards,
    credentials,
    diagnoses,
    documents,
    emails,
    medical,
    national,
    network,
    passwords,
    people,
    phones,
    us,
    wallets,
)
from mace.governance.detectors.findings import RANK, SENSITIVITY, Finding, Hit, Rule
from mace.governance.detectors.view import View

_MODULES: tuple[ModuleType, ...] = (
    us, cards, banks, emails, phones, national, documents, medical, diagnoses, biometrics, births, addresses, network,
    wallets, credentials, passwords, people,
)  # fmt: skip

RULES: Mapping[str, Rule] = MappingProxyType(
    {name: rule for module in _MODULES for name, rule in sorted(module.RULES.items())}
)

_FINDERS: tuple[Callable[[View], Iterator[Hit]], ...] = tuple(module.find for module in _MODULES)


# Short texts in which nothing was found, with their fields: names of members, numbers, words come again and again.
_CLEAN: set[tuple[str, str | None]] = set()
_SHORT, _MAX_CLEAN = 200, 4000


def detect(text: str, field: str | None = None, *, sensitivity: Mapping[str, str] = SENSITIVITY) -> list[Finding]:
    """Return the personal data in a text, ordered by place, with exact offsets into it.

    `field` is the name the text stands under (a key, a column, a JSON member); it serves as a cue. `sensitivity`
    is the policy's table from type to level.
    """
    if not isinstance(text, str) or not isinstance(field, str | None):
        raise TypeError("detect reads a text under the name of a field")  # what cannot be read must not pass as clean
    seen = (text, field) if len(text) <= _SHORT else None
    if seen in _CLEAN:
        return []
    view = View(text, field)
    hits = [hit for find in _FINDERS for hit in find(view)]
    if not hits and seen is not None:
        if len(_CLEAN) >= _MAX_CLEAN:
            _CLEAN.clear()
        _CLEAN.add(seen)
    return _settle(view, hits, sensitivity) if hits else []


def _settle(view: View, hits: list[Hit], sensitivity: Mapping[str, str]) -> list[Finding]:
    """Join what overlaps with its own type, drop what another one covers at the same level or above, sort by place.

    Of two that cover the same span at the same level the one of the earlier module stays: modules stand in the order
    of how special they are.
    """
    known: dict[str, tuple[str, str, int]] = {}  # of each rule: its type, level and rank
    placed = []
    for number, (name, start, end) in enumerate(hits):
        told = known.get(name)
        if told is None:
            level = sensitivity[RULES[name].type]
            told = known[name] = (RULES[name].type, level, RANK[level])
        start, end = view.span(start, end)
        placed.append((start, -end, -told[2], number, name))
    kept: list[Finding] = []
    reach = [-1] * len(RANK)  # how far what was kept so far at this level or above reaches
    latest: dict[str, int] = {}  # where the last finding of each type stands in `kept`
    placed.sort()
    for start, end, _, _, name in placed:
        end = -end
        type_, level, rank = known[name]
        if reach[rank] >= end:
            continue
        for below in range(rank + 1):
            if reach[below] < end:
                reach[below] = end
        before = latest.get(type_)
        if before is not None and kept[before].end > start:
            kept[before] = kept[before]._replace(end=max(end, kept[before].end))
            continue
        latest[type_] = len(kept)
        kept.append(Finding(type_, level, start, end, name, RULES[name].version))
    return kept
