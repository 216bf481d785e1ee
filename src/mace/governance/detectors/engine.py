"""`detect`: fold the text once, ask every rule, settle overlaps, answer in original offsets.

Pure and deterministic: the same text, field and policy give the same findings in the same order. It neither redacts
nor decides what is allowed. A finding is dropped only when another one covers it whole; dropping on mere overlap would
leave the uncovered part readable.
"""

from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from types import MappingProxyType

from mace.governance.detectors.cues import is_silent
from mace.governance.detectors.findings import LOW, RANK, SENSITIVITY, Finding, Hit, Rule
from mace.governance.detectors.gates import BIT, GATES, called, called_by, is_plain, known_to
from mace.governance.detectors.members import may_hold, members
from mace.governance.detectors.spelled import decoded
from mace.governance.detectors.view import NEWEST, View, fold_name

RULES: Mapping[str, Rule] = MappingProxyType(
    {name: rule for module in GATES for name, rule in sorted(module.RULES.items())}
)

_Find = Callable[[View], Iterator[Hit]]


def finds_of(version: int) -> tuple[tuple[_Find, int], ...]:
    """Return what searches a text by the rules of a version, in order, each with the bit of its gate."""
    return tuple(
        (module.find, BIT[module])
        for module, gate in GATES.items()
        if gate.since <= version and (gate.until is None or version <= gate.until)
    )


_FINDS = {version: finds_of(version) for version in range(1, NEWEST + 1)}
_CALLED: dict[tuple[int, int], tuple[_Find, ...]] = {}  # by the version and the bits of the modules, in their order
_MAX_CALLED = 4000


def _hits(view: View) -> list[Hit]:
    version = view.version
    if version == 1:
        return [hit for find, _ in _FINDS[1] for hit in find(view)]
    bits = called(view)
    if not bits:
        return []
    finds = _CALLED.get((version, bits))
    if finds is None:
        if len(_CALLED) >= _MAX_CALLED:
            _CALLED.clear()
        finds = _CALLED[version, bits] = tuple(find for find, bit in _FINDS[version] if bits & bit)
    hits: list[Hit] = []
    for find in finds:
        hits += find(view)
    return hits


def _hidden(view: View, field: str | None, sensitivity: Mapping[str, str]) -> list[Hit]:
    """Return what stands in a text in another form: under a name of its own, or in base64 (a hit on the whole word).

    What was taken out of a text is not searched for further ones.
    """
    hits: list[Hit] = []
    if may_hold(view.text):
        for name, start, end in members(view.text, known_to(view.version)):
            found = detect(view.text[start:end], name, sensitivity=sensitivity, version=view.version, inside=True)
            hits += [Hit(finding.rule, start + finding.start, start + finding.end) for finding in found]
    for start, end, said in decoded(view):
        found = detect(said, field, sensitivity=sensitivity, version=view.version, inside=True)
        hits += [Hit(finding.rule, start, end) for finding in found if finding.sensitivity != LOW]
    return hits


# Digests of short texts under a name in which nothing was found: the same few come again and again. No text is kept.
_CLEAN: set[bytes] = set()
_SHORT, _MAX_CLEAN = 200, 4000


def _digest(text: str, field: str, version: int, inside: bool) -> bytes:
    whole = f"{version} {inside} {len(field)} {field}{text}"
    return blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def detect(
    text: str,
    field: str | None = None,
    *,
    sensitivity: Mapping[str, str] = SENSITIVITY,
    version: int = NEWEST,
    inside: bool = False,
) -> list[Finding]:
    """Return the personal data in a text, ordered by place, with exact offsets into it.

    `field` is the name the text stands under (a key, a column, a JSON member); it serves as a cue. `sensitivity`
    is the policy's table from type to level. `version` is that of the rules: older ones serve replays.
    `inside` says that the text was itself decoded from another, and is not searched for encoded words.
    """
    if not isinstance(text, str) or not (field is None or isinstance(field, str)):
        raise TypeError("detect reads a text under the name of a field")  # what cannot be read must not pass as clean
    if version >= 2 and text and (is_silent(text) or is_plain(text)) and not (field and called_by(fold_name(field))):
        return []
    seen = _digest(text, field, version, inside) if field and len(text) <= _SHORT else None
    if seen in _CLEAN:
        return []
    view = View(text, field, version)
    hits = _hits(view)
    if version >= 2 and not inside and len(text) >= 10:
        hits += _hidden(view, field, sensitivity)
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
