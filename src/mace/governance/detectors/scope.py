"""Many short texts looked at as one, to learn which of them need not be read by themselves.

Pure. The texts of a JSON value are many and short, and few of them concern any rule. They are joined by a sign that no
rule and no disguise knows, and the gates are asked once. What calls no rule in all of them together calls none in any
of them; what does call one is looked for in each. It must never rule out a text in which `detect` finds anything: tests
read values with it and without.
"""

import re
from collections.abc import Callable, Iterable
from types import ModuleType

from mace.governance.detectors import (
    addresses,
    credentials,
    documents,
    emails,
    network,
    passwords,
    places,
    seeds,
    urls,
    wallets,
)
from mace.governance.detectors.cues import calling
from mace.governance.detectors.gates import BIT, GATES, called
from mace.governance.detectors.members import may_hold
from mace.governance.detectors.spelled import CODED, may_be_coded
from mace.governance.detectors.view import View, is_unfolded, words_of

LONGEST = 200  # of what is joined; a longer text nearly always concerns some rule
_BETWEEN = "^"  # no letter, no digit, part of no number, of no cue and of no character reference
_DIGITS = b"0123456789"


def _has_bracket(text: str) -> bool:
    return "@" in text or "[" in text or "(" in text or "{" in text or "<" in text


def _may_be_network(text: str) -> bool:
    return text.count(":") >= 5 or "::" in text or text.count("-") >= 5 or text.count(".") >= 3


def _has_word(text: str, least: int) -> bool:
    return len(text) >= least and max(map(len, text.split()), default=0) >= least


_PLACED = re.compile(r"[0-9](?=[\s,A-Za-z])[A-Za-z]?[\s,]{0,3}(?:[A-Z]|[0-9]{1,3}[A-Za-z]{2})")

# What stands in for a module's own quick test, of a text alone: never narrower than that. For a module that is not here
# the number of digits decides.
_PLAIN: dict[ModuleType, Callable[[str], object]] = {
    emails: _has_bracket,
    addresses: _PLACED.search,
    network: _may_be_network,
    credentials: lambda text: "eyJ" in text or "r8_" in text or ":AA" in text,
    passwords: lambda text: "://" in text,
    urls: lambda text: "://" in text or "www." in text.lower(),
    seeds: lambda text: _has_word(text, seeds.SHORTEST),
    documents: lambda text: "<" in text,
    wallets: lambda text: _has_word(text, wallets.SHORTEST),
    places: lambda text: False,  # its test is for texts that are not in ASCII
}


class Scope:
    """What some short texts together can concern."""

    def __init__(self, texts: Iterable[str]) -> None:
        view = View(_BETWEEN.join(texts))
        view.of_many = True
        bits = called(view)
        said = calling(view)
        self._words = frozenset(word for word in said if len(word) > 1 and word.isalpha())
        self._signs = [sign for sign in said if sign not in self._words]
        tested = [(module, gate.alone) for module, gate in GATES.items() if gate.may is not None and bits & BIT[module]]
        self._tests = [_PLAIN[module] for module, _ in tested if module in _PLAIN]
        self._digits = min((least for module, least in tested if module not in _PLAIN), default=len(view.text) + 1)
        self._holds = may_hold(view.text)
        self._coded = may_be_coded(view)

    def rules_out(self, text: str) -> bool:
        """Say whether nothing can be found in one of the texts; the name it stands under calls no rule."""
        if not text.isascii() or not is_unfolded(text):
            return False
        if not self._words.isdisjoint(words_of(text)):
            return False
        if self._signs:
            lower = text.lower()
            for sign in self._signs:
                if sign in lower:
                    return False
        for test in self._tests:
            if test(text):
                return False
        if self._digits <= len(text) and self._digits <= len(text) - len(text.encode().translate(None, _DIGITS)):
            return False
        if len(text) < 10:
            return True
        if self._holds and may_hold(text):
            return False
        mixed = self._coded and text != text.lower() and text != text.upper()
        return not (mixed and b"a" * 10 in text.encode().translate(CODED))
