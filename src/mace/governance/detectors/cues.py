"""Cue words: what must stand near a number before a rule believes it.

Pure. A checksum alone is weak (a random ten-digit number passes one of sixty national checks half the time), so rules
ask for a word nearby or a field name. Whether a text can hold a cue at all is asked of its set of distinct words,
because trying hundreds of words at every position would cost more than all the rules together.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from mace.governance.detectors.findings import words
from mace.governance.detectors.view import View

BEFORE = 48  # characters before a value in which a cue counts
AFTER = 24
_MAX_NAMES = 500  # of fields that each cue remembers its answer for

# Between digits or letters of one value: at most three of these. `:` is left out, it joins times, not numbers.
# Never given back: what follows is a letter or a digit, which these are not.
SEP = r"[ \t\r\n.\-_/|,*~#]{0,3}+"

_GAP = r"[\s._\-/']{1,3}"
_FIRST_WORD = re.compile(r"[^\W\d_]{2,}")


_SMALL_WORDS = (
    "no nr num number numero nummer numer id is was ist es est my the his her their our card code document doc with at "
    "on account acct policy member plan of for patient identifier n du de del della der lautet er file has reads "
    "holder holders state value issued under № номер 号码 番号 번호"
)
_BETWEEN = r"[\s_:#=.,;\-–(\[\"'<>|/°]"

# From a cue to its value: small words, punctuation, an opening bracket or quote; nothing else may stand between.
LEAD = rf"(?:{_BETWEEN}{{0,4}}(?:{'|'.join(words(_SMALL_WORDS))})\b){{0,5}}{_BETWEEN}{{0,5}}"


class Cue:
    """A set of words in lower case without accents; a trailing `*` lets a word go on (`telef*`).

    `fields` are patterns of folded field names (see `view.fold_name`) that serve as the cue themselves.
    """

    def __init__(self, spellings: Iterable[str], fields: Iterable[str] = ()) -> None:
        self._spellings = sorted(set(spellings), key=lambda word: (-len(word), word))
        self._field_names = "|".join(fields)
        self._named: dict[str, bool] = {}
        self._by_stem: dict[str, re.Pattern[str]] = {}
        self._stems = tuple(sorted({_head(word) for word in self._spellings}))
        for word in self._spellings:
            _INDEX.add(self, _head(word), open_end=word == f"{_head(word)}*")

    @cached_property
    def _near(self) -> re.Pattern[str]:  # compiled when first needed: most texts need few of the cues
        return re.compile("|".join(_pattern(word) for word in self._spellings))

    def _from(self, stem: str) -> re.Pattern[str]:
        """The spellings that begin with a stem: a few, so that most places are decided by one or two of them."""
        found = self._by_stem.get(stem)
        if found is None:
            said = [_pattern(word) for word in self._spellings if _head(word) == stem]
            found = self._by_stem[stem] = re.compile("|".join(said))
        return found

    @cached_property
    def _fields(self) -> re.Pattern[str] | None:
        return re.compile(f"(?:^|_)(?:{self._field_names})(?:_|$)") if self._field_names else None

    def in_text(self, view: View) -> bool:
        """Say quickly whether any of the words can occur at all."""
        return self in (_INDEX.present(view) if view.cues is None else view.cues)

    def names(self, field: str) -> bool:
        """Say whether a folded field name is itself the cue."""
        if not field or self._fields is None:
            return False
        known = self._named.get(field)  # the same few names come again and again
        if known is None:
            if len(self._named) >= _MAX_NAMES:
                self._named.clear()
            known = self._named[field] = self._fields.search(field) is not None
        return known

    def near(self, view: View, start: int, end: int, before: int = BEFORE, after: int = AFTER) -> bool:
        """Say whether the field name or a word close to [start, end) speaks for the value."""
        if self.names(view.field):
            return True
        if not self.in_text(view):
            return False
        return self._within(view, max(0, start - before), start) or (after > 0 and self._within(view, end, end + after))

    def occurrences(self, view: View) -> Iterator[tuple[int, int]]:
        """Yield the places where a word stands, in order, each once."""
        lower = view.lower
        places: dict[int, re.Pattern[str]] = {}
        for stem in _INDEX.present(view).get(self, ()):
            pattern = self._from(stem)
            for at in _places(view, stem):
                places[at] = self._near if at in places else pattern  # one stem begins another: all of it decides
        for at in sorted(places):
            match = places[at].match(lower, at)
            if match is not None:
                yield at, match.end()

    def windows(self, view: View, behind: int, ahead: int) -> list[tuple[int, int]]:
        """Return the stretches of text where the cue counts, merged where they touch; a field name opens the start."""
        size = len(view.text)
        merged: list[tuple[int, int]] = [(0, min(size, 200))] if self.names(view.field) else []
        for at, end in self.occurrences(view) if self.in_text(view) else ():
            start, stop = max(0, at - behind), min(size, end + ahead)
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
            else:
                merged.append((start, stop))
        return merged

    def _within(self, view: View, start: int, end: int) -> bool:
        lower = view.lower
        if lower[end - 1 : end + 1].isalnum():  # the end may cut a word, of which the rest is not seen then
            window = lower[start:end]
            if not any(stem in window for stem in _INDEX.present(view)[self]):
                return False
            return self._near.search(lower, start, end) is not None
        for stem in _INDEX.present(view)[self]:
            at = lower.find(stem, start, end)
            while at >= 0:
                if self._from(stem).match(lower, at, end) is not None:
                    return True
                at = lower.find(stem, at + 1, end)
        return False


def _places(view: View, stem: str) -> list[int]:
    """Where a stem stands at the beginning of a word (of a script that has words), in order; looked for once a view."""
    found = view.places.get(stem)
    if found is None:
        lower = view.lower
        if stem.isascii() and stem.isalpha():  # at the edge of a word, as every cue asks: see `_pattern`
            words = view.words
            every = [at for word in view.stems[stem] for at in words[word]]
            found = sorted([at for at in every if at == 0 or not lower[at - 1].isalnum()])
        else:
            found = []
            at = lower.find(stem)
            while at >= 0:
                if not stem[0].isascii() or at == 0 or not lower[at - 1].isalnum():
                    found.append(at)
                at = lower.find(stem, at + 1)
        view.places[stem] = found
    return found


class _Index:
    """All cues by the words they begin with, so that a text's words find their cues and not the other way round.

    It fills while the tables are imported and is only read afterwards.
    """

    def __init__(self) -> None:
        self._whole: dict[str, list[Cue]] = {}
        self._open: dict[str, dict[str, list[Cue]]] = {}  # first two letters -> beginning -> cues
        self._signs: dict[str, list[Cue]] = {}
        self._other_scripts: dict[str, list[Cue]] = {}

    def add(self, cue: Cue, stem: str, open_end: bool) -> None:
        """Enter a cue under one of its stems."""
        if not stem.isascii():
            table = self._other_scripts
        elif not stem.isalpha():
            table = self._signs
        else:
            table = self._open.setdefault(stem[:2], {}) if open_end else self._whole
        if cue not in table.setdefault(stem, []):
            table[stem].append(cue)

    def present(self, view: View) -> dict[Cue, set[str]]:
        """Return the cues that may occur in a view with the stems that do; worked out once for each view."""
        if view.cues is None:
            found: dict[Cue, set[str]] = {}
            for stem in self._stems_in(view):
                for table in (self._whole, self._open.get(stem[:2], {}), self._signs, self._other_scripts):
                    for cue in table.get(stem, ()):
                        found.setdefault(cue, set()).add(stem)
            view.cues = found
        return view.cues

    def _stems_in(self, view: View) -> set[str]:
        words = view.words
        at_words = {word: [word] for word in words if word in self._whole}  # quicker than to walk the whole table
        for word in words:
            if (beginnings := self._open.get(word[:2])) is not None and word.startswith(tuple(beginnings)):
                for beginning in beginnings:
                    if word.startswith(beginning) and (word != beginning or word not in self._whole):  # each once
                        at_words.setdefault(beginning, []).append(word)
        view.stems = at_words
        stems = set(at_words)
        stems.update(sign for sign in self._signs if sign in view.lower)
        if not view.ascii:
            chars = set(view.lower)
            stems.update(stem for stem in self._other_scripts if chars.issuperset(stem) and stem in view.lower)
        return stems


_INDEX = _Index()
present = _INDEX.present


def _head(word: str) -> str:
    """Return the first word of a cue, by which its presence is asked for."""
    first = word.rstrip("*").split(" ")[0]
    if not first.isascii():
        return first
    match = _FIRST_WORD.match(first)
    return match.group() if match is not None else first


def _pattern(word: str) -> str:
    """Return the pattern of one cue: whole words, any short gap where it has a space."""
    parts = [re.escape(part) for part in word.rstrip("*").split(" ")]
    # `cc` in a hash is no cue; digits may follow a longer word directly. Scripts without spaces have no word edges.
    edge = r"(?<![^\W_])" if parts[0][0].isascii() else ""
    end = "" if word.endswith("*") or not word[-1].isascii() or not word[-1].isalnum() else r"(?![^\W\d_])"
    if end and len(parts[-1]) <= 3:
        end = r"(?![^\W_])"
    return f"{edge}{_GAP.join(parts)}{end}"
