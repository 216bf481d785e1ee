"""Cue words: what must stand near a number before a rule believes it.

Pure. A checksum alone is weak (a random ten-digit number passes one of sixty national checks half the time), so rules
ask for a word nearby or a field name. Whether a text can hold a cue at all is asked of its set of distinct words,
because trying hundreds of words at every position would cost more than all the rules together.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from mace.governance.detectors.findings import words
from mace.governance.detectors.view import SINGLE_LETTERS, View

BEFORE = 48  # characters before a value in which a cue counts
AFTER = 24
_MAX_NAMES = 500  # of fields that each cue remembers its answer for

# Between digits or letters of one value: at most three of these. `:` is left out, it joins times, not numbers.
# Never given back: what follows is a letter or a digit, which these are not.
SEP = r"[ \t\r\n.\-_/|,*~#]{0,3}+"

_GAP = r"[\s._\-/']{1,3}"
_HEAD = re.compile("[a-z]+(?=[^a-z])")
_RUN = re.compile("[a-z]+")
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

    def __init__(self, spellings: Iterable[str], fields: Iterable[str] = (), indexed: bool = True) -> None:
        # Common words, asked for only beside something rarer, are not looked for in every text: they are not indexed.
        self._indexed = indexed
        self.bits = 0  # of the rules that this cue calls; see `gates.py`
        self._spellings = sorted(set(spellings), key=lambda word: (-len(word), word))
        self.field_names = "|".join(fields)
        self._named: dict[str, bool] = {}
        self._by_stem: dict[str, re.Pattern[str]] = {}
        self._stems = tuple(sorted({_head(word) for word in self._spellings}))
        for word in self._spellings if indexed else ():
            _INDEX.add(self, _head(word), _needs(word), open_end=word == f"{_head(word)}*")

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
        return re.compile(f"(?:^|_)(?:{self.field_names})(?:_|$)") if self.field_names else None

    def in_text(self, view: View) -> bool:
        """Say quickly whether any of the words can occur at all."""
        return not self._indexed or self in (_INDEX.present(view) if view.cues is None else view.cues)

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
        return self.within(view, max(0, start - before), start) or (after > 0 and self.within(view, end, end + after))

    def occurrences(self, view: View) -> Iterator[tuple[int, int]]:
        """Yield the places where a word stands, in order, each once."""
        lower = view.lower
        places: dict[int, re.Pattern[str]] = {}
        stems = (_INDEX.present(view) if view.cues is None else view.cues).get(self, ())
        if len(stems) == 1:
            for stem in stems:
                match_at = self._from(stem).match
                for at in _places(view, stem):
                    match = match_at(lower, at)
                    if match is not None:
                        yield at, match.end()
            return
        for stem in stems:
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

    def within(self, view: View, start: int, end: int) -> bool:
        lower = view.lower
        if not self._indexed:
            return self._beside(view, start, end)
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

    def _beside(self, view: View, start: int, end: int) -> bool:
        """Say whether a word that is not indexed stands between: word by word, since few stand there."""
        lower, alone, heads, beginnings = view.lower, *self._by_word
        words = _words_in(view, start, end)
        if not alone.isdisjoint(words):
            return True
        if heads.keys().isdisjoint(words) and not (beginnings and any(word.startswith(beginnings) for word in words)):
            return not view.ascii and any(sign in lower[start:end] for sign in self._wide)
        for match in _ANY_WORD.finditer(lower, start, end):
            word, at = match[0], match.start()
            if at > 0 and at == start and lower[at - 1].isalnum():
                continue  # the window cut it
            if word in alone:
                return True
            if word in heads and heads[word].match(lower, at, end) is not None:
                return True
            if word.startswith(beginnings):
                return True
        return not view.ascii and any(sign in lower[start:end] for sign in self._wide)

    @cached_property
    def _by_word(self) -> tuple[frozenset[str], dict[str, re.Pattern[str]], tuple[str, ...]]:
        """The words that count alone, those that begin a phrase, and the beginnings that may go on."""
        plain = [word for word in self._spellings if word.isascii() or word[0].isalpha()]
        alone = frozenset(word for word in plain if word.isalpha())
        heads: dict[str, list[str]] = {}
        for word in plain:
            if not word.rstrip("*").isalpha() and (first := _ANY_WORD.match(word)) is not None:
                heads.setdefault(first[0], []).append(_pattern(word))
        phrases = {first: re.compile("|".join(patterns)) for first, patterns in heads.items()}
        return alone, phrases, tuple(word[:-1] for word in plain if word.endswith("*") and word[:-1].isalpha())

    @cached_property
    def _wide(self) -> tuple[str, ...]:
        """The words of scripts without spaces, which stand anywhere."""
        return tuple(word.rstrip("*") for word in self._spellings if word[0] >= "\u0900")


_ANY_WORD = re.compile(r"[^\W\d_]+")
_WINDOWS = 8


def _words_in(view: View, start: int, end: int) -> frozenset[str]:
    """The words between two places; many cues ask for those of the same window, one after the other."""
    said = view.windows.get((start, end)) if view.windows is not None else None
    if said is None:
        lower = view.lower
        words = _ANY_WORD.findall(lower, start, end)
        if words and start > 0 and lower[start - 1].isalnum() and lower.startswith(words[0], start):
            del words[0]  # the window cut it
        said = frozenset(words)
        if view.windows is None or len(view.windows) >= _WINDOWS:
            view.windows = {}
        view.windows[start, end] = said
    return said


_FEW = 48  # stems of one text that are searched for; with more of them a table of all its words is quicker


def _places(view: View, stem: str) -> list[int]:
    """Where a stem stands at the beginning of a word (of a script that has words), in order; looked for once a view."""
    found = view.places.get(stem)
    if found is None:
        lower = view.lower
        if len(view.places) >= _FEW and len(stem) > 1 and stem.isascii() and stem.isalpha():
            words = view.words
            every = [at for word in _INDEX.words_with(view, stem) for at in words[word]]
            found = sorted([at for at in every if at == 0 or not lower[at - 1].isalnum()])
        else:
            found = []
            edge = stem[0].isascii()  # at the edge of a word, as every such cue asks: see `_pattern`
            at = lower.find(stem)
            while at >= 0:
                if not edge or at == 0 or not lower[at - 1].isalnum():
                    found.append(at)
                at = lower.find(stem, at + 1)
        view.places[stem] = found
    return found


class _Index:
    """All cues by the words they begin with, so that a text's words find their cues and not the other way round.

    It fills while the tables are imported and is only read afterwards. Under a cue stands what else of each of its
    spellings must be in the text: `my` alone is no reason to look for `my name is`.
    """

    def __init__(self) -> None:
        self._whole: dict[str, _Entry] = {}
        self._open: dict[str, dict[str, _Entry]] = {}  # first two letters -> beginning -> cues
        self._signs: dict[str, _Entry] = {}
        self._by_sign: dict[str, list[str]] = {}  # the first character that is no letter -> signs
        self._by_head: dict[str, list[str]] = {}  # the letters a sign begins with, where something else follows
        self._headless: list[str] = []  # the other signs
        self._said: dict[str, frozenset[str]] = {}  # of a sign: the runs of letters that a text in ASCII has, then
        self._other_scripts: dict[str, _Entry] = {}
        self._heads: frozenset[str] = frozenset()  # the same letters
        self._known: dict[str, _Told] = {}
        self._silent = set(SINGLE_LETTERS)  # words that are no cue and call nothing
        self._words: dict[str, int] = {}  # words that are no cues, and the rules they call
        self._starts: dict[str, list[tuple[str, int]]] = {}  # first two letters -> beginnings and the rules they call
        self._tails: dict[str, list[tuple[str, int]]] = {}  # last three letters -> endings and the rules they call
        self._by_first: dict[str, list[str]] = {}  # of other scripts: first letter -> stems

    def add(self, cue: Cue, stem: str, needs: tuple[str, ...], open_end: bool) -> None:
        """Enter a cue under one of its stems."""
        if not stem.isascii():
            table = self._other_scripts
            if stem not in table:
                self._by_first.setdefault(stem[0], []).append(stem)
        elif len(stem) == 1 or not stem.isalpha():
            table = self._signs
            if stem not in table:
                mark = next((char for char in stem if not char.isalpha()), stem[0])
                self._by_sign.setdefault(mark, []).append(stem)
                head = _HEAD.match(stem)
                if head is not None:
                    self._by_head.setdefault(head[0], []).append(stem)
                    self._heads |= {head[0]}
                else:
                    self._headless.append(stem)
            said = _RUN.findall(stem)
            if open_end and said and stem.endswith(said[-1]):
                del said[-1]
            self._said[stem] = self._said.get(stem, frozenset(said)) & frozenset(said)
        else:
            table = self._open.setdefault(stem[:2], {}) if open_end else self._whole
        table.setdefault(stem, {}).setdefault(cue, set()).add(needs)

    def add_word(self, word: str, bits: int) -> None:
        """Enter a word (at least two letters) that calls rules without being a cue."""
        self._words[word] = self._words.get(word, 0) | bits

    def add_beginning(self, beginning: str, bits: int) -> None:
        """Enter the beginning of a word (at least two letters) that calls rules."""
        self._starts.setdefault(beginning[:2], []).append((beginning, bits))

    def add_ending(self, ending: str, bits: int) -> None:
        """Enter the ending of a word (at least three letters) that calls rules."""
        self._tails.setdefault(ending[-3:], []).append((ending, bits))

    def is_silent(self, text: str) -> bool:
        """Say whether a text is one word in small letters, known to be no cue and to call nothing."""
        return text in self._silent and len(text) < _LONG_WORD and text.isascii()

    def present(self, view: View) -> dict[Cue, set[str]]:
        """Return the cues that may occur in a view with the stems that do; worked out once for each view."""
        if view.cues is not None:
            return view.cues
        found: dict[Cue, set[str]] = {}
        bits = 0
        known, tokens, wide = self._known, view.tokens, not view.ascii
        inside: dict[str, bool] = {}  # parts of phrases, and whether each stands in the text
        speaking = tokens - self._silent
        for word in speaking:
            told = known.get(word)
            if told is None:
                told = self._tell(word)
            called, alone, needed, phrases, loose, foreign, _ = told
            bits |= called
            for cue, stem in alone:
                if cue in found:
                    found[cue].add(stem)
                else:
                    found[cue] = {stem}
            if not needed.isdisjoint(tokens):
                for part in needed & tokens:
                    bits |= _add_said(phrases[part], view, found, inside)
            if loose:
                bits |= _add_said(loose, view, found, inside)
            if wide and foreign:
                bits |= _add_said(foreign, view, found, inside)
        for stem, entry in self._signs_in(view):
            for cue in entry:
                bits |= cue.bits
                found.setdefault(cue, set()).add(stem)
        view.cues, view.bits, view.places, view.speaking = found, bits, {}, speaking
        return found

    def _signs_in(self, view: View) -> list[tuple[str, "_Entry"]]:
        """Return the stems in a view that are no words of their own: signs, and those of other scripts."""
        lower = view.lower
        if view.ascii:  # what a sign begins with stands alone, then
            said, tokens = self._said, view.tokens
            signs = self._headless if view.digits else ()
            found = [(sign, self._signs[sign]) for sign in signs if said[sign] <= tokens and sign in lower]
            if not self._heads.isdisjoint(tokens):
                begun = (sign for head in self._heads & tokens for sign in self._by_head[head])
                found += [(sign, self._signs[sign]) for sign in begun if said[sign] <= tokens and sign in lower]
            return found
        stems = [
            (sign, self._signs[sign])
            for char, signs in self._by_sign.items()
            if char in lower
            for sign in signs
            if sign in lower
        ]
        others, by_first = self._other_scripts, self._by_first
        return stems + [(s, others[s]) for char in set(lower) for s in by_first.get(char, ()) if s in lower]

    def words_with(self, view: View, stem: str) -> list[str]:
        """Return the words of a view that begin with a stem of theirs."""
        if view.stems is None:
            stems: dict[str, list[str]] = {}
            for word in view.speaking or ():
                for one in (self._known.get(word) or self._tell(word)).stems:
                    stems.setdefault(one, []).append(word)
            view.stems = stems
        return view.stems[stem]

    def calling(self, view: View) -> list[str]:
        """Return the words and signs of a view that call rules; what is in scripts of its own is left out."""
        self.present(view)
        lower, tokens = view.lower, view.tokens
        inside: dict[str, bool] = {}
        found = [sign for sign in self._signs if sign in lower]
        for word in tokens - self._silent:
            told = self._known.get(word) or self._tell(word)
            said = [told.loose, told.foreign, *[told.phrases[part] for part in told.needed & tokens]]
            if told.bits or any(_add_said(phrases, view, {}, inside) for phrases in said):
                found.append(word)
        return found

    def _tell(self, word: str) -> "_Told":
        """Return what a word is a cue for, alone or by its beginning, and the rules it calls; remembered by word."""
        if len(self._known) + len(self._silent) >= _MAX_WORDS:
            self._known.clear()
            self._silent = set(SINGLE_LETTERS)
        stems: list[tuple[str, _Called]] = []
        beginnings = self._open.get(word[:2], {})
        if word in self._whole:
            stems.append((word, _joined(self._whole[word], beginnings.get(word, {}))))
        for beginning, entry in beginnings.items():
            if word.startswith(beginning) and (word != beginning or word not in self._whole):
                stems.append((beginning, _joined(entry, self._whole.get(beginning, {}))))
        bits = self._words.get(word, 0)
        for beginning, called in self._starts.get(word[:2], ()):
            if word.startswith(beginning):
                bits |= called
        for ending, called in self._tails.get(word[-3:], ()):
            if word.endswith(ending):
                bits |= called
        told = _told(word, stems, bits)
        if stems or bits:
            self._known[word] = told
        else:
            self._silent.add(word)
        return told


class _Said(NamedTuple):
    """A cue under a stem that is one in a phrase: the other words of it, and what of it is more than a word."""

    cue: Cue
    stem: str
    closed: frozenset[str]
    others: tuple[str, ...]


class _Told(NamedTuple):
    """What a word is a cue for.

    `alone` are the cues that it is by itself, and `bits` the rules that those and the word call. The others need a
    phrase: `phrases` has them by a word that must be in the text as well (`needed` are these words), `loose` those
    without one, `foreign` those with a part that no text in ASCII has. `stems` are the stems of all of them.
    """

    bits: int
    alone: tuple[tuple[Cue, str], ...]
    needed: frozenset[str]
    phrases: dict[str, tuple[_Said, ...]]
    loose: tuple[_Said, ...]
    foreign: tuple[_Said, ...]
    stems: tuple[str, ...]


def _told(word: str, stems: "list[tuple[str, _Called]]", bits: int) -> _Told:
    alone: list[tuple[Cue, str]] = []
    loose: list[_Said] = []
    foreign: list[_Said] = []
    phrases: dict[str, list[_Said]] = {}
    for stem, cues in stems:
        for cue, needs in cues:
            if not needs:
                bits |= cue.bits
                alone.append((cue, stem))
            for parts in needs:
                closed = {run for part in parts for run in _whole_words(part)} - {word}
                others = tuple(part.rstrip("*") for part in parts if not (part.isascii() and part.isalpha()))
                if not all(part.isascii() for part in parts):
                    foreign.append(_Said(cue, stem, frozenset(closed), others))
                elif closed:
                    rarest = max(closed, key=lambda one: (len(one), one))
                    phrases.setdefault(rarest, []).append(_Said(cue, stem, frozenset(closed - {rarest}), others))
                else:
                    others = tuple(part.rstrip("*") for part in parts)
                    loose.append(_Said(cue, stem, frozenset(), others))
    return _Told(
        bits,
        tuple(alone),
        frozenset(phrases),
        {part: tuple(said) for part, said in phrases.items()},
        tuple(loose),
        tuple(foreign),
        tuple(dict.fromkeys(stem for stem, _ in stems)),
    )


def _whole_words(part: str) -> list[str]:
    """Return what of a part of a phrase is a word of every text that has the phrase: no letter touches it there.

    See `_pattern`: between parts stands something that is no letter, and only behind `*` a word may go on.
    """
    runs = _FIRST_WORD.findall(part)
    if part.endswith("*") and runs and part[:-1].endswith(runs[-1]):
        del runs[-1]
    return [run for run in runs if run.isascii()]


def _add_said(phrases: tuple[_Said, ...], view: View, found: dict[Cue, set[str]], inside: dict[str, bool]) -> int:
    """Enter the cues of those phrases of which all parts stand somewhere in a view; return the rules they call."""
    bits, tokens = 0, view.tokens
    for cue, stem, closed, others in phrases:
        if closed and not closed <= tokens:
            continue
        for part in others:
            there = inside.get(part)
            if there is None:
                there = inside[part] = part in view.lower
            if not there:
                break
        else:
            bits |= cue.bits
            if cue in found:
                found[cue].add(stem)
            else:
                found[cue] = {stem}
    return bits


def _joined(first: "_Entry", second: "_Entry") -> "_Called":
    """Return the cues of two entries, each with the phrases of which one must be there; none when a word suffices."""
    joined = []
    for cue in dict.fromkeys([*first, *second]):
        phrases = first.get(cue, set()) | second.get(cue, set())
        joined.append((cue, () if () in phrases else tuple(sorted(phrases))))
    return tuple(joined)


_Phrases = tuple[tuple[str, ...], ...]
_Entry = dict[Cue, set[tuple[str, ...]]]
_Called = tuple[tuple[Cue, _Phrases], ...]
_LONG_WORD = 20  # letters from which on a word may be drawn at random: rules that need no cue look at it
_MAX_WORDS = 20_000  # of all texts, that the index remembers its answer for
_INDEX = _Index()
present = _INDEX.present
is_silent = _INDEX.is_silent
calling = _INDEX.calling
add_word = _INDEX.add_word
add_beginning = _INDEX.add_beginning
add_ending = _INDEX.add_ending


def _needs(word: str) -> tuple[str, ...]:
    """Return the parts of a spelling that its head does not say already, the longest first; `*` lets one go on."""
    head = _head(word)
    parts = [part for part in word.split(" ") if part.rstrip("*") != head]
    return tuple(sorted(parts, key=lambda part: (-len(part), part)))


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
