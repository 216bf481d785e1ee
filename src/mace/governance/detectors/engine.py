"""`detect`: fold the text once, ask every rule, settle overlaps, answer in original offsets.

Pure and deterministic: the same text, field and policy give the same findings in the same order. It neither redacts
nor decides what is allowed. A finding is dropped only when another one covers it whole; dropping on mere overlap would
leave the uncovered part readable.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
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


def detect(text: str, field: str | None = None, *, sensitivity: Mapping[str, str] = SENSITIVITY) -> list[Finding]:
    """Return the personal data in a text, ordered by place, with exact offsets into it.

    `field` is the name the text stands under (a key, a column, a JSON member); it serves as a cue. `sensitivity`
    is the policy's table from type to level.
    """
    view = View(text, field)
    return _settle([_placed(view, hit, sensitivity) for find in _FINDERS for hit in find(view)])


def _placed(view: View, hit: Hit, sensitivity: Mapping[str, str]) -> Finding:
    rule = RULES[hit.rule]
    start, end = view.span(hit.start, hit.end)
    return Finding(rule.type, sensitivity[rule.type], start, end, hit.rule, rule.version)


def _settle(findings: list[Finding]) -> list[Finding]:
    """Join what overlaps with its own type, drop what another one covers at the same level or above, sort by place.

    Of two that cover the same span at the same level the one of the earlier module stays: modules stand in the order
    of how special they are.
    """
    kept: list[Finding] = []
    reach = dict.fromkeys(RANK, -1)  # how far what was kept so far reaches, by level
    latest: dict[str, int] = {}  # where the last finding of each type stands in `kept`
    for found in sorted(findings, key=lambda found: (found.start, -found.end, -RANK[found.sensitivity])):
        if any(reach[level] >= found.end for level, rank in RANK.items() if rank >= RANK[found.sensitivity]):
            continue
        reach[found.sensitivity] = max(reach[found.sensitivity], found.end)
        before = latest.get(found.type)
        if before is not None and kept[before].end > found.start:
            kept[before] = replace(kept[before], end=max(found.end, kept[before].end))
            continue
        latest[found.type] = len(kept)
        kept.append(found)
    return kept
