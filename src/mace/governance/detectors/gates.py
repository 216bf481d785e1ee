"""Which rules a text can concern at all: asked once, before any of them runs.

Pure. Most texts hold no cue, few digits and no rare sign; running every rule only to learn that costs more than all
that is found. A module runs when one of its cues is among the words of the text, when the name of the field calls it,
or when its own quick test `may` says that something without a cue could be there. A gate must never be narrower than
its module: tests run every rule with the gates and without.
"""

import re
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import NamedTuple

from mace.governance.detectors import (
    addresses,
    banks,
    biometrics,
    births,
    bodies,
    born,
    cards,
    credentials,
    diagnoses,
    documents,
    emails,
    illness,
    labelled,
    medical,
    national,
    network,
    passwords,
    people,
    places,
    seeds,
    shapes,
    special,
    spelled,
    telephones,
    urls,
    us,
    wallets,
)
from mace.governance.detectors.cues import Cue, add_beginning, add_ending, add_word, present
from mace.governance.detectors.illness_words import CONDITION_ENDINGS
from mace.governance.detectors.view import View

May = Callable[[View], bool]


class Gate(NamedTuple):
    """What calls a module: cues, patterns of field names, words that are no cues, a quick test for what needs neither.

    `least` is the number of digits below which the module finds nothing, whatever calls it; `may` is asked only with
    `alone` digits at least.
    """

    cues: tuple[Cue, ...]
    fields: tuple[re.Pattern[str], ...]
    least: int
    alone: int
    words: tuple[str, ...]
    may: May | None


def _us(view: View) -> bool:
    return "000000000" in view.joined and ("-" in view.text or len(view.text) < 40)


def _cards(view: View) -> bool:
    return "000000000000" in view.joined


def _telephones(view: View) -> bool:
    return "000000" in view.joined


def _emails(view: View) -> bool:
    return "@" in view.text or _BRACKET.search(view.lower) is not None


_BRACKET = re.compile(r"[\[({<]\s?at")
_PLACED = re.compile(r"0(?=[ ,Aa])[Aa]?[ ,]{0,3}(?:A|0{1,3}(?:aa|Aa|aA))")


def _addresses(view: View) -> bool:
    """A name in capitals or an ordinal after a number: every form of an address without a cue has one."""
    return _PLACED.search(view.shape) is not None


def _network(view: View) -> bool:
    text = view.text
    return (
        (view.digits >= 4 and "0.0" in view.shape and text.count(".") >= 3)
        or "::" in text
        or text.count(":") >= 5
        or text.count("-") >= 5
    )


def _wallets(view: View) -> bool:
    return view.has_run(wallets.WORDS, wallets.SHORTEST)


def _credentials(view: View) -> bool:
    text = view.text
    return "eyJ" in text or "r8_" in text or ":AA" in text


def _seeds(view: View) -> bool:
    text = view.text
    if not view.has_run(seeds.SIGNS, seeds.SHORTEST):
        return False
    return "SK" in text or "EAA" in text or "pat" in text or not seeds._KNOWN_WORDS.isdisjoint(view.tokens)


def _cues_of(module: ModuleType) -> tuple[Cue, ...]:
    found = getattr(module, "CUES", None)
    return found if found is not None else tuple(item for item in vars(module).values() if isinstance(item, Cue))


def _gate(
    module: ModuleType,
    may: May | None = None,
    fields: Iterable[re.Pattern[str]] = (),
    least: int = 0,
    alone: int = 0,
    words: Iterable[str] = (),
) -> Gate:
    return Gate(_cues_of(module), tuple(fields), least, max(least, alone), tuple(words), may)


def _always(view: View) -> bool:
    """The digits alone suffice."""
    return True


GATES: dict[ModuleType, Gate] = {
    us: _gate(us, _us, least=9),
    cards: _gate(cards, _cards, least=12),
    banks: _gate(banks, _always, least=1, alone=9),
    emails: _gate(emails, _emails, words=["dot"]),
    national: _gate(national, fields=[national._DECLARED], least=4)._replace(
        cues=(national._GENERIC, *national._CUES)
    ),
    documents: _gate(documents, lambda view: "<<" in view.text or "P<" in view.text, least=1),
    medical: _gate(medical, least=1),
    diagnoses: _gate(diagnoses, fields=[diagnoses._FIELD]),
    biometrics: _gate(biometrics, fields=[biometrics._FIELD]),
    births: _gate(births, least=1),
    addresses: _gate(addresses, _addresses, least=1),
    network: _gate(network, _network),
    wallets: _gate(wallets, _wallets, least=1),
    credentials: _gate(credentials, _credentials, words=["begin", "bearer", "basic", *credentials._WORDS]),
    passwords: _gate(passwords, lambda view: "://" in view.text and "@" in view.text, fields=[passwords._FIELD]),
    people: _gate(people, fields=[people._NAME_FIELD, people._INTEREST_FIELD]),
    telephones: _gate(telephones, _telephones, least=6, alone=7),
    urls: _gate(urls, urls.may),
    born: _gate(born, least=1),
    special: _gate(special, fields=special._FIELDS.values()),
    illness: _gate(illness, fields=[illness._FIELD]),
    labelled: _gate(labelled, least=4),
    places: _gate(places, lambda view: not view.ascii and places._EAST.search(view.text) is not None, least=1,
                  words=places._ROADS),
    seeds: _gate(seeds, _seeds, fields=[seeds._FIELD]),
    spelled: _gate(spelled, words=spelled._FIRST),
    bodies: _gate(bodies),
    shapes: _gate(shapes, shapes.may, least=4),
}  # fmt: skip
BIT = {module: 1 << number for number, module in enumerate(GATES)}
for _module, _one in GATES.items():
    for _cue in _one.cues:
        _cue.bits |= BIT[_module]
    for _word in _one.words:
        add_word(_word, BIT[_module])

for _module, _endings in ((illness, CONDITION_ENDINGS), (places, places.ENDINGS)):
    for _ending in _endings:
        add_ending(_ending, BIT[_module])
for _sign in credentials.SIGNS:
    if _sign.isalpha():
        add_beginning(_sign.lower(), BIT[credentials])

# By the number of digits, up to the most that any module asks for: the modules that can find something with so many,
# those that so many call by themselves, and the quick tests of the others.
_MOST = max(gate.alone for gate in GATES.values())


def _asked(digits: int) -> tuple[int, int, tuple[tuple[int, May], ...]]:
    tests = [(module, gate.may) for module, gate in GATES.items() if gate.may and gate.alone <= digits]
    return (
        sum(BIT[module] for module, gate in GATES.items() if gate.least <= digits),
        sum(BIT[module] for module, may in tests if may is _always),
        tuple((BIT[module], may) for module, may in tests if may is not _always),
    )


_ASKED = tuple(_asked(digits) for digits in range(_MOST + 1))

_NAMED: dict[str, int] = {}
_MAX_NAMED = 4000


def called_by(field: str) -> int:
    """Return the bits of the modules that the name of a field calls; the same few names come again and again."""
    bits = _NAMED.get(field)
    if bits is None:
        bits = 0
        for number, gate in enumerate(GATES.values()):
            if any(cue.names(field) for cue in gate.cues) or any(name.search(field) for name in gate.fields):
                bits |= 1 << number
        if len(_NAMED) >= _MAX_NAMED:
            _NAMED.clear()
        _NAMED[field] = bits
    return bits


def called(view: View) -> int:
    """Return the bits of the modules that can find anything in the text."""
    present(view)
    bits = view.bits | called_by(view.field) if view.field else view.bits
    digits = view.digits
    possible, alone, tests = _ASKED[digits if digits < _MOST else _MOST]
    bits |= alone
    for bit, may in tests:
        if not bits & bit and may(view):
            bits |= bit
    return bits & possible
