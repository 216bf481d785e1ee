"""The modules of rules in their order, and which of them a text can concern at all: asked once, before any runs.

Pure. Most texts hold no cue, few digits and no rare sign; running every rule only to learn that costs more than all
that is found. A module runs when one of its cues is among the words of the text, when the name of the field calls it,
or when its own quick test `may` says that something without a cue could be there. A gate must never be narrower than
its module: tests run every rule with the gates and without.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from types import ModuleType
from typing import NamedTuple

from mace.governance.detectors import (
    addresses,
    ailments,
    avowals,
    banks,
    biometrics,
    birthdays,
    births,
    bodies,
    born,
    calls,
    cards,
    codes,
    credentials,
    devices,
    diagnoses,
    documents,
    emails,
    homes,
    illness,
    labelled,
    maladies,
    marked,
    medical,
    national,
    network,
    openers,
    passwords,
    people,
    phones,
    places,
    quarters,
    seeds,
    shapes,
    special,
    spelled,
    taxes,
    telephones,
    urls,
    us,
    wallets,
)
from mace.governance.detectors.ailment_words import ENDINGS
from mace.governance.detectors.cues import Cue, add_beginning, add_ending, add_word, present
from mace.governance.detectors.illness_words import CONDITION_ENDINGS
from mace.governance.detectors.view import View

May = Callable[[View], bool]


class Gate(NamedTuple):
    """What calls a module: cues, patterns of field names, words that are no cues, a quick test for what needs neither.

    `least` is the number of digits below which the module finds nothing, whatever calls it; `may` is asked only with
    `alone` digits at least. `since` and `until` are the first and the last version of the rules that has the module.
    """

    cues: tuple[Cue, ...]
    fields: tuple[re.Pattern[str], ...]
    least: int
    alone: int
    words: tuple[str, ...]
    may: May | None
    since: int = 1
    until: int | None = None


def _us(view: View) -> bool:
    return "000000000" in view.joined and ("-" in view.text or len(view.text) < 40 or view.of_many)


def _cards(view: View) -> bool:
    return "000000000000" in view.joined


def _telephones(view: View) -> bool:
    return "000000" in view.joined


def _emails(view: View) -> bool:
    text = view.text
    if "@" in text:
        return True
    # A search that begins with one sign is far quicker than with one of several.
    return any(bracket in text and pattern.search(view.lower) is not None for bracket, pattern in _BRACKETS)


_BRACKETS = tuple((bracket, re.compile(rf"{re.escape(bracket)}\s?at")) for bracket in "([<{")
_PLACED = re.compile(r"0(?=[ ,Aa])[Aa]?[ ,]{0,3}(?:A|0{1,3}(?:aa|Aa|aA))")


def _addresses(view: View) -> bool:
    """A name in capitals or an ordinal after a number: every form of an address without a cue has one."""
    return _PLACED.search(view.shape) is not None


def _network(view: View) -> bool:
    text = view.text
    signs = view.signs
    if view.digits >= 4 and signs.count(b".") >= 3 and "0.0" in view.shape:
        return True
    return signs.count(b"-") >= 5 or (b":" in signs and (signs.count(b":") >= 5 or "::" in text))


def _wallets(view: View) -> bool:
    return len(view.text) >= wallets.SHORTEST and view.is_long and view.has_run(wallets.WORDS, wallets.SHORTEST)


def _documents(view: View) -> bool:
    text = view.text
    return "<" in text and ("<<" in text or "P<" in text)


def _credentials(view: View) -> bool:
    text = view.text  # a single sign is found far quicker than several
    return ("J" in text and "eyJ" in text) or ("_" in text and "r8_" in text) or (":" in text and ":AA" in text)


def _seeds(view: View) -> bool:
    if not view.is_long:
        return False
    text = view.text
    known = "SK" in text or "EAA" in text or "pat" in text or not seeds._KNOWN_WORDS.isdisjoint(view.tokens)
    return known and view.has_run(seeds.SIGNS, seeds.SHORTEST)


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
    since: int = 1,
) -> Gate:
    return Gate(_cues_of(module), tuple(fields), least, max(least, alone), tuple(words), may, since)


# The one list of modules. They stand in the order of how special they are: of two findings that cover the same span at
# the same level the earlier one stays. The rules as a whole have a version, and a job is replayed with those it was
# decided by: a module that was added later says `since`, one that is left to replays `until` (it has no gate: the first
# version had none), and a rule that was changed asks `view.version` (see `agents/rules.py`).
GATES: dict[ModuleType, Gate] = {
    us: _gate(us, _us, least=9),
    cards: _gate(cards, _cards, least=12),
    banks: _gate(banks, banks.may_begin, least=1, alone=9),
    emails: _gate(emails, _emails, words=["dot"]),
    phones: Gate((), (), 0, 0, (), None, until=1),
    national: _gate(national, fields=[national._DECLARED], least=4)._replace(
        cues=(national._GENERIC, *national._CUES)
    ),
    documents: _gate(documents, _documents, least=1),
    medical: _gate(medical, least=1),
    diagnoses: _gate(diagnoses, fields=[diagnoses._FIELD]),
    biometrics: _gate(biometrics, fields=[biometrics._FIELD]),
    births: _gate(births, least=1),
    addresses: _gate(addresses, _addresses, least=1),
    network: _gate(network, _network),
    wallets: _gate(wallets, _wallets, least=1),
    credentials: _gate(credentials, _credentials, words=["begin", "bearer", "basic", *credentials._WORDS]),
    passwords: _gate(passwords, lambda view: "@" in view.text and "://" in view.text, fields=[passwords._FIELD]),
    people: _gate(people, fields=[people._NAME_FIELD, people._INTEREST_FIELD]),
    telephones: _gate(telephones, _telephones, least=6, alone=7, since=2),
    urls: _gate(urls, urls.may, since=2),
    born: _gate(born, least=1, since=2),
    special: _gate(special, fields=special._FIELDS.values(), since=2),
    illness: _gate(illness, fields=[illness._FIELD], since=2),
    labelled: _gate(labelled, least=4, since=2),
    places: _gate(places, lambda view: not view.ascii and places._EAST.search(view.text) is not None, least=1,
                  words=places._ROADS, since=2),
    seeds: _gate(seeds, _seeds, fields=[seeds._FIELD], since=2),
    spelled: _gate(spelled, words=spelled._FIRST, since=2),
    bodies: _gate(bodies, since=2),
    shapes: _gate(shapes, shapes.may, least=4, since=2),
    birthdays: _gate(birthdays, birthdays.may, least=4, alone=birthdays.ALONE, since=3),
    homes: _gate(homes, homes.may, least=1, since=3),
    calls: _gate(calls, least=7, since=3),
    ailments: _gate(ailments, ailments.may, since=3),
    avowals: _gate(avowals, since=3),
    maladies: _gate(maladies, since=3),
    codes: _gate(codes, since=3),
    marked: _gate(marked, least=3, since=3),
    devices: _gate(devices, devices.may, alone=devices.ALONE, since=3),
    taxes: _gate(taxes, least=4, since=3),
    quarters: _gate(quarters, least=1, since=3),
    openers: _gate(openers, since=3),
}  # fmt: skip
BIT = {module: 1 << number for number, module in enumerate(GATES)}


def known_to(version: int) -> int:
    """The bits of the modules that the rules of a version have."""
    return sum(BIT[module] for module, gate in GATES.items() if gate.since <= version)


for _module, _one in GATES.items():
    for _cue in _one.cues:
        _cue.bits |= BIT[_module]
    for _word in _one.words:
        add_word(_word, BIT[_module])
add_word("www", BIT[urls])

for _module, _endings in (
    (illness, CONDITION_ENDINGS),
    (places, places.ENDINGS),
    (ailments, (*CONDITION_ENDINGS, *ENDINGS)),
):
    for _ending in _endings:
        add_ending(_ending, BIT[_module])
for _sign in credentials.SIGNS:
    if _sign.isalpha():
        add_beginning(_sign.lower(), BIT[credentials])

# The signs of which a text in ASCII must have one for a quick test to say yes; a module that is not here asks for
# something else than a sign.
_SIGNS: dict[ModuleType, bytes] = {
    emails: b"@([<{",
    documents: b"<",
    network: b".:-",
    passwords: b"@",
    urls: b"/",  # and a word
    places: b"",
    birthdays: b"*",
    devices: b".:",
}
_OTHER_SIGNS = bytes(code for code in range(256) if code not in b"".join(_SIGNS.values()))

# By the number of digits, up to the most that any module asks for, and by the signs of a text: the modules that can
# find something with so many, and the quick tests.
_MOST = max(gate.alone for gate in GATES.values())
_Tests = tuple[tuple[int, May], ...]


def _asked(digits: int) -> tuple[int, _Tests]:
    return (
        sum(BIT[module] for module, gate in GATES.items() if gate.least <= digits),
        tuple((BIT[module], gate.may) for module, gate in GATES.items() if gate.may and gate.alone <= digits),
    )


_ASKED = tuple(_asked(digits) for digits in range(_MOST + 1))
_NEEDS = {BIT[module]: frozenset(signs) for module, signs in _SIGNS.items()}
_ASKED_OF: dict[tuple[int, frozenset[int]], _Tests] = {}
_MAX_ASKED = 4000


def _tests(digits: int, view: View) -> _Tests:
    """The quick tests that are worth asking of a text: of one in ASCII those for which it has a sign."""
    if not view.ascii:
        return _ASKED[digits][1]
    signs = frozenset(view.signs.translate(None, _OTHER_SIGNS))
    tests = _ASKED_OF.get((digits, signs))
    if tests is None:
        if len(_ASKED_OF) >= _MAX_ASKED:
            _ASKED_OF.clear()
        tests = tuple(one for one in _ASKED[digits][1] if one[0] not in _NEEDS or not signs.isdisjoint(_NEEDS[one[0]]))
        _ASKED_OF[digits, signs] = tests
    return tests


_NAMED: dict[str, int] = {}
_MAX_NAMED = 4000


@cache
def _any_name() -> re.Pattern[str]:
    """Return all names that call a module as one pattern: most fields are no cue, and one search says so."""
    cues = [cue.field_names for gate in GATES.values() for cue in gate.cues if cue.field_names]
    others = [name.pattern for gate in GATES.values() for name in gate.fields]
    start = "(?:^|_)"
    inner = [f"(?:{'|'.join(dict.fromkeys(cues))})(?:_|$)"]
    inner += [name.removeprefix(start) for name in others if name.startswith(f"{start}(?:") and name.endswith(")$")]
    rest = [name for name in others if name.removeprefix(start) not in inner]
    return re.compile("|".join([f"{start}(?:{'|'.join(inner)})", *rest]))


def called_by(field: str) -> int:
    """Return the bits of the modules that the name of a field calls; the same few names come again and again."""
    bits = _NAMED.get(field)
    if bits is None:
        bits = 0
        for number, gate in enumerate(GATES.values() if _any_name().search(field) is not None else ()):
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
    digits = view.digits if view.digits < _MOST else _MOST
    for bit, may in _tests(digits, view):
        if not bits & bit and may(view):
            bits |= bit
    return bits & _ASKED[digits][0]


# Numbers and moments in which no rule finds anything unless a name calls one: fewer digits than a card has, a decimal
# number below a thousand, a day with or without a time.
_PLAIN = re.compile(
    r"[1-9][0-9]{0,12}|0|-?[0-9]{1,3}\.[0-9]{1,25}"
    r"|(?:19|20)[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
    r"(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?(?:Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])?)?"
)


def is_plain(text: str) -> bool:
    """Say whether a text (not an empty one) is a number or a moment in which no rule finds anything by itself."""
    return text[0] in "0123456789-" and _PLAIN.fullmatch(text) is not None
