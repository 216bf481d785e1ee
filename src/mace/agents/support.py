"""Whether a text says what its sources say: words, names, numbers, negation, citations, and the question asked.

Pure, no model. Sources and texts are cut into clauses; a clause that has no subject of its own takes the one before it.
What a clause of the answer and the question say together must stand in one clause of one source, and what the answer
adds must stand nearer to it there than what could be mistaken for it. What does not is told apart by how bad it is:

| found                                                                         | what it is called |
| ----------------------------------------------------------------------------- | ----------------- |
| a number that is nowhere there, or there only in another unit or of another thing | `numbers`     |
| a name that is nowhere there                                                  | `names`           |
| the opposite: one is negated, the other is not                                | `contradicts`     |
| a passage is cited that does not exist, or not the one that says it           | `citations`       |
| other words that are not there                                                | `words`           |
| all is there, but not in one place, or in other roles                         | `apart`           |

The first four are errors. The last two are how paraphrase and invention both look: nobody can tell them apart by words,
so such an answer is given with caution.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice
from typing import NamedTuple

from mace.agents import wording

_MAX_READ = 40_000  # characters of a text that are judged; longer answers are not shown anyway
_MAX_CLAUSES = 100  # of an answer that are judged; what is longer is given with caution
_MAX_UNITS = 300  # clauses of all sources together
_MAX_PLACES = 40
_FAR = 1_000_000

_CITATION = re.compile(
    r"\s?[\[【(](?:(?:passages?|sources?)\s)(\d{1,4}(?:\s?(?:[,;–&-]|and)\s?\d{1,4}){0,20})[\]】)]"
    r"|\s?[\[【](\d{1,4}(?:\s?[,;–-]\s?\d{1,4}){0,20})[\]】]"
    r"|\b(?:passages?|sources?)\s(\d{1,4}(?:(?:,\s?|\sand\s|,\sand\s)\d{1,4}){0,20})\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?;\n]*+(?:[.!?;](?=[^\s\"”')\]])[^.!?;\n]*+)*+(?:[.!?;\n]|\Z)")
_TITLE = re.compile(r"\b(Dr|Mr|Mrs|Ms|Prof|St|No|approx|ca|e\.g|i\.e)\.(?=\s)")
_COMMA = re.compile(r"\s*(?:,(?!\d)(?!\s*(?:unless|if|except|provided)\b)|:(?=\s)|–|—)\s*")
_TURN = re.compile(r"\s+(?=(?:but|while|whereas|although|though|because)\s)", re.IGNORECASE)
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_RELATIVE = re.compile(r"\s+(?=(?:who|which|whose|where)\s)", re.IGNORECASE)
_LEADING = re.compile(r"(?:and|but|while|whereas|although|though|because|then|so)\s+", re.IGNORECASE)
_STARTS_RELATIVE = frozenset(["who", "which", "whose", "where"])
_ARTICLES = frozenset(["the", "a", "an", "each", "every", "all", "both"])
_SUBJECT_PRONOUNS = frozenset(  # "that" and "those" stand for others of the kind
    ["it", "he", "she", "they", "its", "his", "her", "their", "this", "these", "there"]
)
_OBJECT_PRONOUNS = frozenset(["it", "them", "him", "her"])
_PRESENT = frozenset(["is", "are", "am", "has", "have", "does", "do"])
_LIMITING = frozenset(str.split("in on at during within below above under before after for on since"))
_CONDITIONAL = frozenset(["if", "unless", "except", "provided"])
_COPULA = frozenset(["is", "are", "was", "were", "am"])

_WHO = re.compile(r"\s{0,20}who\b", re.IGNORECASE)
_HOW_MANY = re.compile(
    r"\bhow (?:many|much|old|tall|far|long|fast|big|deep|high|heavy|wide|often)\b|\b(?:what|which) (?:year|number)\b"
    r"|\bwhat is the (?:number|price|height|depth|weight|age|length)\b",
    re.IGNORECASE,
)
_QUESTION_OPENING = re.compile(
    r"\s{0,20}(?:what|who|when|where|which|why|how|on which|at what|in which|for how)(?:['’]?s|['’]re)?\b"
    r"|\s{0,20}(?:please|can you|could you|tell me|find|search|look up|define|explain)\b",
    re.IGNORECASE,
)
_YES_NO = re.compile(r"\s{0,20}(yes|no)\b[\s,.!:;–-]{0,20}", re.IGNORECASE)


class Number(NamedTuple):
    value: Decimal
    counts: str | None  # the stem of what is counted
    at: int = 0


@dataclass(frozen=True, slots=True)
class Said:
    """What a clause says: stems, names (as stems), numbers, whether it denies, and where what stands."""

    words: frozenset[str]
    names: frozenset[str]
    numbers: tuple[Number, ...]
    denies: bool
    places: tuple[tuple[str, int], ...] = ()  # words and names of its own, in order
    agent: frozenset[str] = frozenset()  # in a passive clause what stands behind "by"
    links: bool = False  # its verb is "is" or "was"
    subject: frozenset[str] = frozenset()
    rest: frozenset[str] = frozenset()
    joints: tuple[int, ...] = ()  # where "and" and "or" stand
    verb: int = -1
    mood: str = ""  # may, must or will
    is_past: bool = False  # it has a "was"
    is_present: bool = False  # it has an "is" or a "has", or its verb ends so
    is_perfect: bool = False  # something has been done
    hedges: frozenset[str] = frozenset()  # what takes back a part of it
    after: frozenset[tuple[str, str]] = frozenset()  # what stands behind from, to, before, after, than
    limits: frozenset[str | Decimal] = frozenset()  # words and numbers that say where, when or how far it holds
    conditions: frozenset[str | Decimal] = frozenset()  # words and numbers behind "if" or "unless"

    @property
    def all_said(self) -> frozenset[str | Decimal]:
        return self.words | self.names | {number.value for number in self.numbers}

    def place_of(self, words: frozenset[str]) -> list[int]:
        return [at for word, at in self.places if word in words]


@dataclass(frozen=True, slots=True)
class Held:
    """What was found when a text was held to its sources."""

    numbers: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    contradicts: bool = False
    citations: tuple[int, ...] = ()
    words: tuple[str, ...] = ()
    apart: bool = False
    added: int = 0  # words, names and numbers that the text adds to the question
    found: int = 0  # of those, how many stand where they should

    @property
    def is_wrong(self) -> bool:
        return bool(self.numbers or self.names or self.contradicts or self.citations)

    @property
    def is_sure(self) -> bool:
        """Say whether all of it is there, in one place and in its roles."""
        return not (self.is_wrong or self.words or self.apart)

    @property
    def share(self) -> float:
        """The share of what was added that was found; without anything added, whether nothing is missing."""
        return self.found / self.added if self.added else float(not self.words)


def held_to(question: str, text: str, sources: Sequence[str], more: Sequence[str] = ()) -> Held:
    """Hold a text to its sources. `[n]` cites the n-th of `sources`; `more` cannot be cited but counts as well."""
    asked = _asked(question)
    every = [units(source) for source in (*sources, *more)]
    found: list[Held] = []
    said_in = sentences(text[:_MAX_READ])
    if len(said_in) > _MAX_CLAUSES:
        found.append(Held(apart=True))
    for sentence in said_in[:_MAX_CLAUSES]:
        cited = citations(sentence)
        wrong = tuple(number for number in cited if not 1 <= number <= len(sources))
        if wrong:
            found.append(Held(citations=wrong, added=1))
            continue
        bare = without_citations(sentence)
        grounds = [every[number - 1] for number in cited] or every
        held = _sentence_held(question, asked, bare, _first_of(grounds))
        if held is None:
            continue
        if cited and (held.numbers or held.names) and len(grounds) < len(every):
            elsewhere = _sentence_held(question, asked, bare, _first_of(every))
            if elsewhere is not None and not elsewhere.is_wrong:
                held = replace(elsewhere, citations=tuple(cited))
        found.append(held)
    if not found:
        return Held(words=("everything",), added=1)
    return _together(found)


def _first_of(grounds: Sequence[Sequence[Said]]) -> list[Said]:
    return list(islice((unit for ground in grounds for unit in ground), _MAX_UNITS))


def _together(found: Sequence[Held]) -> Held:
    return Held(
        numbers=_all(item.numbers for item in found),
        names=_all(item.names for item in found),
        contradicts=any(item.contradicts for item in found),
        citations=tuple(dict.fromkeys(number for item in found for number in item.citations)),
        words=_all(item.words for item in found),
        apart=any(item.apart for item in found),
        added=sum(item.added for item in found),
        found=sum(item.found for item in found),
    )


def answers_it(question: str, passage: str) -> float:
    """The share of what was asked for that one clause of a passage holds; 0 without the names or the number asked."""
    asked = _asked(question)
    wanted = asked.words | asked.names
    best = 0.0
    for unit in units(passage):
        missing = _missing(wanted, unit, asked.words)
        if asked.names & missing or any(_unfounded(number, unit) for number in asked.numbers):
            continue
        if asks_for_a_number(question) and not unit.numbers:
            continue
        if _WHO.match(question) and not (unit.names - asked.names):
            continue
        if not _speaks_of_the_same(question, asked, unit) or (asked.words and asked.words <= missing):
            continue
        if _predicate(question) in missing:
            continue
        best = max(best, 1 - len(missing) / len(wanted) if wanted else 0.0)
    return round(best, 9)


def _speaks_of_the_same(question: str, asked: Said, unit: Said) -> bool:
    """Say whether a clause is about what is asked: as it is now, the same way round, not of another with a longer name.

    What something is not answers no question for a time, a place or somebody.
    """
    if unit.denies and not asked.denies and _WHEN_WHERE_WHO.match(question):
        return False
    if "former" in unit.hedges - asked.hedges or (unit.is_past and not unit.is_present and asked.is_present):
        return False
    return not _turned(asked, unit) and not _has_a_longer_name(asked, unit)


def _predicate(question: str) -> str | None:
    """The stem of the verb that a question asks with: "closed" of "when was it closed", "built" of "who built it"."""
    found = _ASKS_WITH.match(question.strip())
    if found is None:
        return None
    tokens = [token for token in wording.TOKEN.findall(found["rest"]) if wording.folded(token) not in wording.SMALL]
    is_last = found["aux"] is not None
    word = (tokens[-1:] if is_last else tokens[:1]) or [""]
    return wording.stem(wording.folded(word[0])) if word[0][:1].islower() else None


_ASKS_WITH = re.compile(
    r"(?:(?:since )?when|where|why|how|who)\s+(?:(?P<aux>does|do|did|was|were)\s|(?<=who\s)(?!is\b|are\b|has\b))"
    r"(?P<rest>.+)",
    re.IGNORECASE | re.DOTALL,
)


def _has_a_longer_name(asked: Said, unit: Said) -> bool:
    """Say whether a name goes on in a clause that ends in the question: "the R40 Plus" is not the R40."""
    return any(
        then == at + 1 and one in asked.names and other in unit.names and other not in asked.words | asked.names
        for (one, at), (other, then) in zip(unit.places, unit.places[1:], strict=False)
    )


_WHEN_WHERE_WHO = re.compile(r"\s{0,20}(?:when|where|who|since when|at what time|what time)\b", re.IGNORECASE)


def speaks_of(question: str, text: str) -> float:
    """The share of the question's words that a text takes up."""
    asked, said = _asked(question), said_by(text, starts_sentence=True)
    wanted = asked.words | asked.names
    return 1 - len(_missing(wanted, said, asked.words)) / len(wanted) if wanted else 1.0


def asks_for_a_number(question: str) -> bool:
    return _HOW_MANY.search(question) is not None


def citations(text: str) -> list[int]:
    """The numbers of the passages that a text cites."""
    found: list[int] = []
    for mark in _CITATION.finditer(text):
        found += [int(digits) for digits in re.findall(r"\d+", mark.group())]
    return list(dict.fromkeys(found))


def without_citations(text: str) -> str:
    return _CITATION.sub("", text)


def _asked(question: str) -> Said:
    """What a question says without its opening; `one` in it stands for anybody."""
    said = said_by(_QUESTION_OPENING.sub(" ", question, count=1), starts_sentence=True)
    is_past = _is_past(wording.TOKEN.findall(question[:_MAX_READ]))
    return replace(said, words=said.words - {"one"}, is_present=not is_past)


def _is_yes_or_no(sentence: str) -> bool:
    mark = _YES_NO.match(sentence)
    return mark is not None and mark.end() == len(sentence)


def _sentence_held(question: str, asked: Said, bare: str, every: Sequence[Said]) -> Held | None:
    """Hold one sentence, clause by clause, to the clauses of its grounds; None for one that says nothing."""
    if _is_yes_or_no(bare):
        flipped = asked.denies ^ bare.strip().lower().startswith("no")
        return _clause_held(asked, replace(asked, denies=flipped, places=()), every, asked.numbers)
    answered: list[Held] = []
    if mark := _YES_NO.match(bare):  # "No, it is closed": the rest says it, and the first word must not be false
        bare = bare[mark.end() :]
        if not asked.denies and _QUESTION_OPENING.match(question) is None:
            meant = replace(asked, denies=mark.group(1).lower() == "no", places=())
            answered = [Held(contradicts=_clause_held(asked, meant, every, asked.numbers).contradicts)]
    known = () if _QUESTION_OPENING.match(question) is None else asked.numbers
    first: list[Held] = []  # each clause as the answer to the question
    further: list[Held] = []  # each clause for itself, of what the question names
    names: frozenset[str] = frozenset()
    named = replace(asked, words=_NONE)
    said_in = clauses(bare, takes_subject=False)
    for said in said_in[:_MAX_CLAUSES]:
        whole = said if said.names or not names else replace(said, names=names)
        names = names or said.names
        fresh = [number for number in said.numbers if number.value not in {other.value for other in known}]
        first.append(_clause_held(asked, whole, every, fresh))
        further.append(_clause_held(named, whole, every, fresh))
    if not first:
        return None
    if len(said_in) > _MAX_CLAUSES:
        further.append(Held(apart=True))
    best = min(range(len(first)), key=lambda at: (first[at].is_wrong, first[at].apart, len(first[at].words)))
    return _together([*answered, *(first[at] if at == best else held for at, held in enumerate(further))])


def _clause_held(asked: Said, said: Said, every: Sequence[Said], fresh: Sequence[Number]) -> Held:
    """Hold one clause to all clauses of the sources: to the one that fits it best."""
    wanted = said.words | said.names | asked.words | asked.names
    asked_values = {number.value for number in asked.numbers}
    added = (said.words | said.names) - asked.words - asked.names
    values = [number for number in said.numbers if number.value not in asked_values]
    if not every:
        return Held(words=tuple(sorted(wanted)), added=max(1, len(added) + len(values)))
    only_asked = asked.words - said.words
    there = frozenset().union(*(unit.words | unit.names for unit in every))
    names = sorted(name for name in said.names - asked.names if not _is_there(name, there))
    numbers = [str(number.value) for number in fresh if all(_unfounded(number, unit) for unit in every)]
    counted = [other for unit in every for other in unit.numbers]

    def wrongs(unit: Said) -> tuple[int, int, int]:
        off = sum(_unfounded(number, unit) for number in said.numbers)
        lost = _missing(wanted, unit, only_asked)
        return off + len(lost), int(unit.denies != said.denies), int(not _in_role(asked, said, unit))

    best = min(every, key=wrongs)
    _, opposite, in_other_role = wrongs(best)
    off = any(_unfounded(number, best) for number in said.numbers)
    missing = _missing(wanted, best, only_asked)
    return Held(
        numbers=tuple(numbers),
        names=tuple(names),
        contradicts=bool(opposite) and not off and len(missing) <= len(wanted) / 4,
        words=tuple(sorted(missing - set(names))),
        apart=bool(
            off or opposite or in_other_role or _regroups(said, every) or _takes_another(asked, said, best, every)
        )
        or any(_counts_another(number, counted) for number in said.numbers),
        added=len(added) + len(values),
        found=len(added - missing) + sum(not _unfounded(number, best) for number in values),
    )


def _regroups(said: Said, every: Sequence[Said]) -> bool:
    """Say whether a text puts names together that no source has together: "Agnes Brindle", "the Holt lighthouse"."""
    known = {word for unit in every for word, _ in unit.places}
    pairs = {
        (one, other, one in unit.names)
        for unit in every
        for (one, at), (other, then) in zip(unit.places, unit.places[1:], strict=False)
        if then == at + 1
    }
    named_before = {other for _, other, is_name in pairs if is_name}
    for (one, at), (other, then) in zip(said.places, said.places[1:], strict=False):
        if then != at + 1 or one not in said.names or one not in known or other not in known:
            continue
        together = any((first, second) == (one, other) for first, second, _ in pairs)
        if not together and (other in said.names or (other in named_before and then != said.verb)):
            return True
    return False


def _takes_another(asked: Said, said: Said, unit: Said, every: Sequence[Said]) -> bool:
    """Say whether a text takes from a clause about "the R40 Plus" what it says of the R40, of which others speak."""
    named = replace(said, names=said.names | asked.names, words=said.words | asked.words)
    if not _has_a_longer_name(named, unit):
        return False
    return any(not named.names.isdisjoint(other.subject) and not _has_a_longer_name(named, other) for other in every)


def _counts_another(number: Number, known: Sequence[Number]) -> bool:
    """Say whether the sources count this very thing, but never so many."""
    same = [other for other in known if number.counts is not None and other.counts == number.counts]
    return bool(same) and all(other.value != number.value for other in same)


def _missing(wanted: frozenset[str], unit: Said, asked: frozenset[str] = frozenset()) -> frozenset[str]:
    """The words that a clause does not hold; what was asked for by its kind is held where a value of it is."""
    there = unit.words | unit.names
    kinds = wording.kinds()
    return frozenset(
        word
        for word in wanted
        if not _is_there(word, there) and not (word in asked and not kinds.get(word, _NONE).isdisjoint(there))
    )


_NONE: frozenset[str] = frozenset()


def _is_there(word: str, there: frozenset[str]) -> bool:
    return word in there or not wording.synonyms().get(word, _NONE).isdisjoint(there)


def _unfounded(number: Number, unit: Said) -> bool:
    """Say whether a number is not there, or there only in another unit, or for something else than it counts here."""
    same = [other for other in unit.numbers if other.value == number.value]
    if not same:
        return True
    if number.counts is None or any(_counts_alike(number.counts, other.counts) for other in same):
        return False
    measured = wording.units_of_measure()
    if number.counts in measured and all(other.counts in measured for other in same):
        return True
    return any(other.counts == number.counts for other in unit.numbers)


def _counts_alike(one: str, other: str | None) -> bool:
    return other is None or one == other or other in wording.synonyms().get(one, _NONE)


def _in_role(asked: Said, said: Said, unit: Said) -> bool:
    """Say whether names and numbers that the answer adds stand where the source has them."""
    return (
        _in_mood(said, unit)
        and not (said.verb < 0 and unit.is_past and asked.is_present and not asked.is_past)  # asked is what is now
        and _as_limited(said, unit)
        and not _turned(said, unit)
        and _names_in_order(said, unit)
        and not _moves_in(said, unit)
        and _numbers_in_order(said, unit)
        and _nearest(asked, said, unit)
        and not _mixes(asked, said, unit)
    )


def _in_mood(said: Said, unit: Said) -> bool:
    """Say whether a text is as certain as its source: what may be, must be, will be, was or nearly is, stays so."""
    if said.mood != unit.mood and not (said.mood == "may" and not unit.mood):  # "it can carry": it carries
        return False
    if unit.is_past and not said.is_past and ((said.links and unit.links) or (said.is_present and not unit.is_present)):
        return False  # "was owned": "owns"
    if said.is_perfect and not unit.is_perfect and not unit.is_past:
        return False  # "is deleted": "has been deleted"
    return unit.hedges == said.hedges


def _as_limited(said: Said, unit: Said) -> bool:
    """Say whether conditions stay conditions, and a denial goes no further than its source: "not open in winter"."""
    shared = said.all_said & unit.all_said
    if said.conditions and unit.conditions and said.conditions & shared != unit.conditions & shared:
        return False
    return not (said.denies and unit.denies and said.subject and not unit.limits <= said.all_said)


def _numbers_in_order(said: Said, unit: Said) -> bool:
    """Say whether the numbers that both have come in one order: from 9 to 5 is not from 5 to 9."""
    there = [number.value for number in unit.numbers]
    here = [number.value for number in said.numbers if number.value in there]
    return here == [value for value in there if value in here][: len(here)] or len(set(here)) < 2


def _names_in_order(said: Said, unit: Said) -> bool:
    """Two names in other order are in other roles, unless one of the clauses is passive or says what something is."""
    if said.agent and unit.agent:
        return not said.agent.isdisjoint(unit.agent)
    for passive, active in ((said, unit), (unit, said)):
        if passive.agent:
            return active.links or passive.agent.isdisjoint(active.rest) or not passive.agent.isdisjoint(active.subject)
    if not said.subject.isdisjoint(unit.rest) and not said.rest.isdisjoint(unit.subject):
        is_definition = (said.links or unit.links) and not (said.after or unit.after)  # "The head is Rui", and back
        if not is_definition:
            return False
    if said.links or unit.links:
        return True
    named = said.names | unit.names
    here = [word for word, _ in said.places if word in named]
    there = [word for word, _ in unit.places if word in named]
    common = set(here) & set(there)
    in_order = [word for word in dict.fromkeys(here) if word in common]
    return in_order == [word for word in dict.fromkeys(there) if word in common]


def _moves_in(said: Said, unit: Said) -> bool:
    """Say whether a name stands behind the verb by itself that in the source only says which: "the ferry to Holm"."""
    placed = {word for _, word in said.after}
    which = {word for _, word in unit.after if word in unit.subject and word in unit.names}
    return not said.links and any(word in said.rest and word not in placed for word in which)


def _turned(said: Said, unit: Said) -> bool:
    """Say whether something stands behind another small word than in the source: to Faro, from Faro."""
    there: dict[str, set[str]] = {}
    for small, word in unit.after:
        there.setdefault(word, set()).add(small)
    return any(word in there and small not in there[word] for small, word in said.after)


def _mixes(asked: Said, said: Said, unit: Said) -> bool:
    """Say whether a text takes a part of what stands before an "and" with a part of what stands behind it."""
    wanted = said.words | said.names | asked.words | asked.names
    values = {number.value for number in said.numbers}
    taken = {at: (word, _is_there(word, wanted)) for word, at in unit.places}
    taken |= {number.at: (str(number.value), number.value in values) for number in unit.numbers}
    if len(unit.joints) > _MAX_PLACES:
        return True
    bounds = (unit.verb, *unit.joints, _FAR)
    for before, joint, after in zip(bounds, bounds[1:], bounds[2:], strict=False):
        right = [taken[at] for at in sorted(taken) if joint < at < after]
        left = [taken[at] for at in sorted(taken) if before < at < joint][-len(right) :] if right else []
        both = {word for word, _ in left} & {word for word, _ in right}
        here, there = ([is_taken for word, is_taken in side if word not in both] for side in (left, right))
        if any(here) and any(there) and not all((*here, *there)):
            return True
    return False


def _nearest(asked: Said, said: Said, unit: Said) -> bool:
    """Say whether nothing of the same kind stands nearer to what was asked than what the answer adds."""
    measured = wording.units_of_measure()
    anchors = {
        at: word
        for word, at in unit.places
        if word not in unit.names and word not in measured and _is_there(word, said.words | asked.words)
    }
    told = [at for at, word in anchors.items() if word not in unit.subject] or list(anchors)
    if not told:
        return True
    known = said.names | asked.names | said.words | asked.words
    dates = wording.calendar()
    for of_kind in (unit.names - dates, unit.names & dates):
        added = [at for word, at in unit.places if word in of_kind and word in said.names - asked.names]
        group = {place for at in added for place in (at - 1, at + 1)}  # the rest of a name that was told in part
        others = [at for word, at in unit.places if word in of_kind and word not in known and at not in group]
        if added and others and _gap(added, told) > _gap(others, told):
            return False
    values = {number.value for number in asked.numbers}
    mine = [n.at for n in unit.numbers if n.value in {m.value for m in said.numbers} - values]
    theirs = [n.at for n in unit.numbers if n.value not in {m.value for m in said.numbers} | values]
    return not (mine and theirs) or _gap(mine, told) <= _gap(theirs, told)


def _gap(some: Sequence[int], others: Sequence[int]) -> int:
    return min((abs(one - other) for one in some[:_MAX_PLACES] for other in others[:_MAX_PLACES]), default=_FAR)


def units(source: str) -> tuple[Said, ...]:
    """The clauses of a source; a sentence that goes on about the same has the subject of the one before it."""
    found: list[Said] = []
    for sentence in sentences(source[:_MAX_READ]):
        found += clauses(sentence, before=found[-1] if found else None)
    return tuple(found)


def clauses(sentence: str, *, takes_subject: bool = True, before: Said | None = None) -> list[Said]:
    """The clauses of a sentence; what has no subject of its own has that of the one before (`takes_subject`)."""
    found: list[Said] = []
    for text in _pieces(wording.plain(sentence)):
        bare = _LEADING.sub("", text, count=1) if found else text
        said = _clause(bare, starts_sentence=not found)
        if not (said.words or said.names or said.numbers):
            continue
        if found and takes_subject and said.denies and _is_only_named(bare, said.verb):
            found.append(_denied_too(said, found[-1]))
            continue
        if takes_subject:
            said = _with_subject(said, bare, found[-1] if found else before, starts=not found)
        found.append(said)
    return found


def _is_only_named(text: str, verb: int) -> bool:
    """Say whether a clause has no verb; what follows "not" at its start is a noun, whatever it ends with."""
    tokens = wording.TOKEN.findall(text)
    return verb < 0 or (verb == 1 and wording.denies(tokens[0]) and tokens[1].casefold() not in wording.AUXILIARIES)


def _denied_too(said: Said, before: Said) -> Said:
    """What "but not rust" says after "it covers theft": the same of something else, denied."""
    verb = frozenset(word for word, at in before.places if at == before.verb)
    taken = before.subject | verb
    return replace(
        said,
        words=said.words | (taken - before.names),
        names=said.names | (taken & before.names),
        subject=before.subject,
        rest=said.words | said.names,
        mood=before.mood,
        is_past=before.is_past,
        links=before.links,
    )


def _pieces(sentence: str) -> list[str]:
    """A sentence cut at commas, turns, relatives, "and" between verbs; a name that explains a noun stays with it."""
    cut = [
        piece.strip()
        for part in _COMMA.split(sentence)
        for turn in _TURN.split(part)
        for joined in _joined(turn)
        for piece in _RELATIVE.split(joined)
        if piece.strip()
    ]
    pieces: list[str] = []
    for piece in cut:
        tokens = wording.TOKEN.findall(piece)
        is_name = bool(tokens) and all(token[:1].isupper() for token in tokens)
        if pieces and is_name and not _has_verb(pieces[-1], starts=False):
            pieces[-1] = f"{pieces[-1]} {piece}"  # "Its manager, Priya Nair, ..."
        else:
            pieces.append(piece)
    return pieces


def _joined(text: str) -> list[str]:
    """The parts of a text joined by "and", where each has a verb of its own."""
    parts: list[str] = []
    for part in _AND.split(text):
        first = wording.TOKEN.match(part)
        is_denied = first is not None and wording.denies(first.group())  # "... and no school"
        if parts and not is_denied and not (_has_verb(parts[-1], starts=False) and _has_verb(part, starts=True)):
            parts[-1] = f"{parts[-1]} and {part}"
        else:
            parts.append(part)
    return parts


def _has_verb(text: str, *, starts: bool) -> bool:
    """`starts`: what follows an "and" may begin with its verb."""
    tokens = wording.TOKEN.findall(text[:240])[:12]
    if starts and tokens and (wording.denies(tokens[0]) or tokens[0].casefold() in ("also", "then")):
        tokens = tokens[1:]
    first = [starts and at == 0 for at in range(len(tokens))]
    return any(
        wording.is_verb(token, "it" if first[at] else tokens[at - 1] if at else None) for at, token in enumerate(tokens)
    )


def _with_subject(said: Said, text: str, before: Said | None, *, starts: bool) -> Said:
    if before is None:
        return said
    tokens = wording.TOKEN.findall(text)
    opening = tokens[0].casefold() if tokens else ""
    last_named = frozenset([word for word, _ in before.places if word in before.names][-2:])
    if opening in _STARTS_RELATIVE:
        taken = last_named or before.subject
    elif opening in _SUBJECT_PRONOUNS:
        taken = before.subject
    elif starts:
        taken = before.subject & before.names if _goes_on(tokens, said, before) else _NONE
    elif opening in _ARTICLES and not _has_verb(text, starts=False):
        taken = last_named  # "Linda Park, the head of logistics"
    else:
        taken = _NONE if _has_own_subject(tokens, said) else before.subject
    words = said.words | (taken - before.names)
    if any(token.casefold() in _OBJECT_PRONOUNS for token in tokens[1:]):
        words |= before.rest
    return replace(said, words=words, names=said.names | (taken & before.names), subject=said.subject | taken)


def _has_own_subject(tokens: Sequence[str], said: Said) -> bool:
    """Say whether a clause begins with what it is about: a name, an article, or a noun with a verb after it."""
    if not tokens or not said.subject:
        return False
    return tokens[0][:1].isupper() or tokens[0].casefold() in _ARTICLES or bool(said.rest)


def _goes_on(tokens: Sequence[str], said: Said, before: Said) -> bool:
    """Say whether a sentence speaks of the same as the one before: it begins with no name, but with a noun of that, or
    with an article where nothing was introduced.
    """
    if not said.names.isdisjoint(said.subject):
        return False
    if tokens[0].casefold() == "the":
        return True
    first = next((token for token in tokens if token.casefold() not in ("a", "an", "and", "but", "also")), "")
    return first[:1].islower() and wording.stem(first.casefold()) in before.words


def sentences(text: str) -> list[str]:
    """Sentences and clauses that stand by themselves, their citations with them."""
    flat = _TITLE.sub(r"\1", unicodedata.normalize("NFKC", text))
    marked = re.sub(r"([.!?])((?:\s?[\[【][^\[\]【】\n]{1,40}[\]】])+)", r"\2\1", flat)  # "... Lopes. [1]"
    return [piece.strip() for piece in _SENTENCE.findall(marked) if piece.strip(" .!?;\n\t")]


def said_by(text: str, *, starts_sentence: bool = False) -> Said:
    """What a text says as one clause."""
    return _clause(wording.plain(text), starts_sentence=starts_sentence)


def _clause(text: str, *, starts_sentence: bool) -> Said:
    words: set[str] = set()
    names: set[str] = set()
    numbers: list[tuple[Decimal, int, int]] = []  # value, where it stands, what comes after it
    places: list[tuple[str, int]] = []
    denials = 0
    verb: int | None = None
    by: int | None = None
    links = is_passive = is_past = is_present = is_perfect = False
    joints: list[int] = []
    mood = direction = ""
    hedges: set[str] = set()
    after: set[tuple[str, str]] = set()  # (small word, what stands behind it)
    limits: set[str | Decimal] = set()
    conditions: set[str | Decimal] = set()
    is_limited = is_conditional = False
    tokens = wording.TOKEN.findall(text)
    at = 0
    while at < len(tokens):
        token = tokens[at]
        low = wording.folded(token)
        if (read := wording.number_at(tokens, at)) is not None:
            numbers += [(each, at, at + read[1]) for each in read[0]]
            limits.update(read[0] if is_limited and verb is not None else ())
            conditions.update(read[0] if is_conditional else ())
            is_limited = False
            at += read[1]
            direction = ""
            continue
        if low in ("and", "or"):
            joints.append(at)
        is_limited = is_limited or low in _LIMITING
        is_conditional = is_conditional or (low in _CONDITIONAL and at > 0)
        is_passive = is_passive or low in _COPULA or low in ("be", "been", "being")
        if low == "by" and is_passive and by is None:
            by = at
        if verb is None and wording.is_verb(token, tokens[at - 1] if at else None):
            verb, links = at, low in _COPULA
        mood = mood or wording.MOODS.get(low, "")
        is_past = is_past or low in ("was", "were", "had")
        is_present = is_present or low in _PRESENT
        is_perfect = is_perfect or (low == "been" and at > 0 and is_present and not is_past)
        if low in wording.HEDGES:
            hedges.add(wording.HEDGES[low])
        if low in wording.DIRECTIONS:
            direction = wording.DIRECTIONS[low]
        if wording.denies(token):
            denials += 1
        elif (limit := wording.limit_at(tokens, at)) is not None:
            words.add(limit)
            places.append((limit, at))
        elif low not in wording.SMALL:
            stemmed = wording.stem(low)
            is_name = token[:1].isupper() and not (starts_sentence and at == 0)  # the first word is capital anyway
            if starts_sentence and at == 0 and token[:1].isupper() and _begins_a_name(tokens):
                is_name = True
            (names if is_name else words).add(stemmed)
            places.append((stemmed, at))
            limits.update((stemmed,) if is_limited and verb is not None else ())
            conditions.update((stemmed,) if is_conditional else ())
            is_limited = False
            if direction:
                after.add((direction, stemmed))
                direction = direction if is_name else ""
        at += 1
    standing = {place: word for word, place in places}
    counted = tuple(
        Number(value, next((standing[place] for place in (after, after + 1) if place in standing), None), place_of)
        for value, place_of, after in numbers
    )
    agent = _NONE if by is None else _agent(tokens, by, standing)
    before = frozenset(word for word, place in places if verb is None or place < verb)
    after_verb = frozenset(word for word, place in places if verb is not None and place > verb)
    return Said(
        words=frozenset(words),
        names=frozenset(names),
        numbers=counted,
        denies=denials % 2 == 1,
        places=tuple(places),
        agent=agent,
        links=links and not agent,
        subject=before,
        rest=after_verb,
        joints=tuple(joints),
        verb=-1 if verb is None else verb,
        mood=mood,
        is_past=is_past,
        is_present=is_present or (verb is not None and tokens[verb].casefold().endswith("s") and not _is_past(tokens)),
        is_perfect=is_perfect,
        hedges=frozenset(hedges),
        after=frozenset(after),
        limits=frozenset(limits),
        conditions=frozenset(conditions),
    )


def _is_past(tokens: Iterable[str]) -> bool:
    """Say whether any word of a clause may be a past form."""
    return any(token.casefold() in _PAST_AUXILIARIES or wording.is_past_form(token) for token in tokens)


_PAST_AUXILIARIES = frozenset(["was", "were", "had", "did", "been"])


def _begins_a_name(tokens: Sequence[str]) -> bool:
    """Say whether a sentence begins with a name of several words: Rui Lopes."""
    return len(tokens) > 1 and tokens[1][:1].isupper()


def _agent(tokens: Sequence[str], by: int, standing: Mapping[int, str]) -> frozenset[str]:
    """What stands behind "by", up to the next preposition: who did it."""
    found = set()
    for at in range(by + 1, min(by + 9, len(tokens))):
        if tokens[at].casefold() in _ENDS_AGENT or tokens[at][0].isdigit():
            break
        if at in standing:
            found.add(standing[at])
    return frozenset(found)


_ENDS_AGENT = frozenset(str.split("in on at from to with for since during every after before as who which"))


def _all(pieces: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(piece for group in pieces for piece in group))
