"""What a whole text says and asks about its speaker: statements, questions and orders to forget, one by one.

Pure. Every sentence, line and clause is read for itself. What marks a text as no statement of its speaker (a quotation,
a joke, a supposition, doubt) makes the whole of it unread: storing nothing is better than storing what nobody said.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial

from mace.agents import profile_text
from mace.agents.reading import attributes, questions, refusals, replies, statements, turning, values
from mace.agents.reading.questions import Asked
from mace.agents.reading.sentences import (
    Sentence,
    clauses,
    folded,
    is_latin,
    rule,
    sentences,
    spelled_out,
    without_leads,
    without_tail,
)
from mace.agents.reading.statements import Told

MAX_TEXT = 20_000
_MOST_SENTENCES = 12
_MOST_CLAUSES = 8


@dataclass(frozen=True, slots=True)
class Forgotten:
    phrase: str
    attribute: str


@dataclass(frozen=True, slots=True)
class Said:
    """What a text says and asks, in its order."""

    told: tuple[Told, ...] = ()
    asked: tuple[Asked, ...] = ()
    forgotten: tuple[Forgotten, ...] = ()
    everything: bool = False
    correction: str | None = None  # "no, it's elm": the new value of what was spoken of last
    unread: tuple[str, ...] = ()  # what else stands in the text, asks or wants something, and was not understood

    @property
    def is_empty(self) -> bool:
        return not (self.told or self.asked or self.forgotten or self.everything or self.correction)


_NO_STATEMENT = rule(
    r"\b(?:call me (?:crazy|mad|weird|silly|stupid|strange|paranoid|naive|lazy|picky|cynical|biased|old[- ]fashioned)"
    r"|(?:song|lyrics?|film|movie|book|poem|story|character|hero|narrator|chorus|verse|plot|play|novel"
    r"|joke) (?:goes|says|said|is about|was about|reads|begins|starts|ends)"
    r"|naturally|yeah,? right|as if|sarcasm|just kidding|only kidding|kidding|joking|j/?k|lol|lmao"
    r"|rofl|haha+|hehe+|knock knock|not!$"
    r"|translate|correct this|rephrase|rewrite|"
    r"proofread|in the (?:film|movie|book|game|song|story|novel|play|poem)|in my (?:novel|story|game"
    r"|book|dream|poem)|in a (?:film|movie|book|game|dream|story)|"
    r"role-?play|pretend|imagine|suppose|supposing|assume|assuming|let's say|let us say|hypothetically"
    r"|what if|e\.g\.|for example|for instance|"
    r"roses are red|once upon a time|according to|the (?:sign|line|text|email|letter|note|lyrics"
    r"|quote)|first line|horoscope|write (?:a|me|an|my)|poem|lyrics|story)\b"
    r"|[\U0001F602\U0001F923\U0001F61C\U0001F609]"
)
_NOT_AT_END = re.compile(r"\bNOT[.!]*\s*$")
_NOT_NOW = rule(
    r"\b(?:if|unless|whether|would|wouldn't|could|couldn't|might|maybe|perhaps|probably|possibly|wish"
    r"|hopefully|nearly|almost|"
    r"thinking of|thinking about|considering|planning|plan to|want to|wanted to|wants to|hope to"
    r"|hoping|going to be|gonna|used to want|"
    r"i'll|we'll|i will|we will|he'll|she'll|in another life|some day|someday|one day|when i(?:'m"
    r"| am) (?:old|older|grown|rich|retired)|"
    r"says|said|claims|claimed|told|thinks|think|believes|believe|wrote|writes|goes:|wonder|apparently"
    r"|supposedly|allegedly|not sure|i guess|unsure|or is it|"
    r"never|pretended|dreamt|dreamed|dream about|as if|as though|should be|would be|except|unlike"
    r"|i doubt|rhymes with|until)\b"
)
_QUOTED = rule(r"[\"“«„][^\"”»“]{0,200}\b(?:i|i'm|i am|my|me|call me|we)\b")
_NEGATED = rule(
    r"\b(?:isn't|is not|aren't|are not|wasn't|was not|not|no longer|don't|do not|doesn't|does not"
    r"|didn't|did not|haven't|hasn't|have not|won't|cannot|can't|ain't)\b"
)
_MAY_BE_NEGATED = rule(
    r"(?:(?:i |i really |and i |also )?(?:don't|do not|can't|cannot|never|really can't|just can't)(?: "
    r"really| much)? (?:eat|stand|bear|like|enjoy|abide"
    r"|tolerate|care (?:much )?for)\b|i (?:hate|dislike)|i(?:'m| am) not (?:(?:very|too|so|really|much "
    r"of|exactly) )?(?:keen on|fond of|into|a (?:big |great |huge )?fan of)\b)"
)
_OTHERS = rule(r"(?:you|your|he|she|his|her|their|they|its|it|who|someone|somebody)\b")
_IT_IS_MY = rule(r"(?:it's|it is) my ")
_ANIMAL_QUESTION = rule(r"(?P<asked>(?:my|our) [a-z][\w' -]{1,40}|(?:favou?rite|fave) [a-z][\w' -]{1,30})$")
_JOINED_FAVORITE = rule(
    r"i (?:love|like|adore) (?P<v>[^,]{1,60}), (?:they're|they are|it's"
    r"|it is) my (?P<phrase>favou?rite [a-z][\w' -]{1,40})$"
)
_BEATS = rule(
    r"nothing beats (?P<v>[^,]{1,60}), (?:it's|it is|they're|they are) my (?P<phrase>favou?rite [a-z][\w' -]{1,40})$"
)
_THAT_IS_MY = rule(
    r"(?P<v>[^,]{1,60}),(?: yes,)? (?:that's|that is|it's|it is) my (?P<phrase>favou?rite [a-z][\w' -]{1,40})$"
)
_FLAT = rule(
    r"(?:i|we)(?:'ve got| have| have got|'ve) (?:an? |my )?(?:\w+ )?(?:flat|house|apartment|home"
    r"|place) in (?P<v>[^,]+?),? (?:(?:and )?that's|which is) where (?:i|we) live$"
)
_NOT_IT_IS = rule(
    r"my (?P<phrase>[a-z][\w' -]{1,40}?) (?:isn't|is not|'s not) [^,;]{1,40}[,;]? (?:it's|it is"
    r"|but(?: it's)?) (?P<v>\S.*)$"
)
_NEWS = rule(
    r"(?:my|update|change|news|new|about|facts?|details|profile|important"
    r"|ps)\b[^:]{0,40}: (?P<rest>(?:i|i'm|i've|my|we)\b.*)$"
)
_HAS_THEN_NAME = rule(
    r"(?P<a>(?:i|we)(?: have|'ve got|'ve| own| got) an? [a-z][a-z' -]{1,40}), (?:and )?(?P<b>(?:his"
    r"|her|its) name is|(?:he|she|it)(?:'s| is) called) (?P<v>\S.*)$"
)
_UPDATE_THEN = rule(
    r"(?:please )?(?:update|change|correct|fix) (?P<whose>my) (?P<phrase>[a-z][\w' -]{1,40}), (?:it's"
    r"|it is|it should be) (?P<v>\S.*)$"
)
_TAKES = rule(r"(?:please|pls|thanks|thank you|cheers|thx)$")


def read_self(text: str) -> Said | None:
    """What a text says and asks about its speaker; None when that is nothing, or cannot be read safely."""
    if not text or len(text) > MAX_TEXT or not is_latin(text):
        return None
    plain = folded(text)
    forget = profile_text.parse(text)
    if isinstance(forget, profile_text.Forget):
        return Said(forgotten=(Forgotten(forget.attribute_phrase, forget.attribute),))
    found = sentences(spelled_out(plain), _MOST_SENTENCES)
    if found is None:
        return None
    cased = any(c.isupper() for c in plain) and not plain.isupper()
    may_tell = cache(partial(_may_tell, plain))  # a question alone never asks for it
    said = Said()
    before = None
    rest: list[Sentence] = []
    for sentence in (part for whole in found for part in _apart(whole)):
        after = _read(said, sentence, before, cased, may_tell)
        rest += [sentence] if after == said else _unanswered(said, after, sentence)
        said, before = after, sentence
    said = replace(said, unread=tuple(item.text for item in rest if _matters(item, bool(said.told))))
    said = replace(said, told=_last_of_each(tuple(_as_written(told, text, plain) for told in said.told)))
    return None if said.is_empty else said


_AND_DO = rule(
    r",?(?: and| then| so| but)(?: then| also| please| now){0,3}"
    r" (?=(?P<verb>[a-z]+) (?:it|that|this|them|me|him|her|us|my)\b)"
)
_I_DO = rule(r"(?:i|we)\b")
_ASKS = rule(r"(?:what|what's|who|who's|whose|when|where|which|why|how|can|could|would|will|is|are|does|do|did)\b")


def _apart(sentence: Sentence) -> list[Sentence]:
    """A sentence, and the order at its end: "my locker number is 12 and email it to Bob"."""
    for found in _AND_DO.finditer(sentence.text[:400]):
        if found["verb"].lower() in replies.DOING and not _I_DO.match(sentence.text) and found.start() > 0:
            before, after = sentence.text[: found.start()], sentence.text[found.end() :]
            return [Sentence(before, False), Sentence(after, sentence.asks)]
    return [sentence]


def _unanswered(said: Said, after: Said, sentence: Sentence) -> list[Sentence]:
    """The question at the end of a sentence of which only what it tells was understood."""
    if not sentence.asks or len(after.asked) > len(said.asked) or after.everything:
        return []
    parts = clauses(without_leads(sentence.text).text, _MOST_CLAUSES)
    return [] if parts is None or len(parts) < 2 else [Sentence(parts[-1], True)]


def _matters(sentence: Sentence, has_told: bool) -> bool:
    """Whether a writer is to know that a sentence was not understood; what only leads to a question is not told."""
    bare = without_leads(sentence.text).text
    if refusals.is_courtesy(sentence.text) or refusals.is_courtesy(bare):
        return False
    wants = sentence.asks or _ASKS.match(bare) is not None or values.first_word(bare) in replies.DOING
    return wants or has_told


_ASKS_ONLY = rule(
    r"(?:what|who|whose|where|when|which|how|why|define|explain|describe|tell me|give me|is|are|does|can)(?![\w'])"
)


def _may_tell(plain: str) -> bool:
    """Whether a text can tell something of its speaker: it is no quotation, joke, supposition or sarcasm."""
    return not any(mark.search(plain) for mark in (_NO_STATEMENT, _QUOTED, _NOT_AT_END))


def _as_written(told: Told, text: str, plain: str) -> Told:
    """The value with the apostrophes that were typed."""
    at = plain.find(told.value)
    return told if at < 0 else replace(told, value=text[at : at + len(told.value)])


def _last_of_each(told: tuple[Told, ...]) -> tuple[Told, ...]:
    """Of several statements about one thing the last counts."""
    kept: dict[object, Told] = {}
    for item in told:
        at = (item.about.attribute, item.value) if item.adds else item.about.attribute
        kept.pop(at, None)
        kept[at] = item
    return tuple(kept.values())


def _read(said: Said, sentence: Sentence, before: Sentence | None, cased: bool, may_tell: Callable[[], bool]) -> Said:
    stripped = without_leads(sentence.text)
    if questions.is_everything(stripped.text) or questions.is_everything(sentence.text):
        return replace(said, everything=True)
    asked = _asked(sentence, stripped.text)
    if asked is not None:
        beside = _told(stripped.text, True, cased) if sentence.asks and may_tell() else ()
        beside = tuple(_adding(told, sentence.text, stripped.corrects) for told in beside)
        return replace(said, asked=(*said.asked, *asked), told=(*said.told, *beside))
    if _ASKS_ONLY.match(stripped.text) and questions.SPEAKER.search(stripped.text) is None:
        return said
    if not may_tell():
        return said
    body = stripped.text
    if before is not None and before.asks and not sentence.asks and (opened := _ANIMAL_QUESTION.match(before.text)):
        phrase = opened["asked"]
        answered = statements.told_in(
            f"{phrase if phrase.lower().startswith(('my ', 'our ')) else 'my ' + phrase} is {body}", cased
        )
        return said if answered is None else replace(said, told=(*said.told, answered))
    told_here = _told(body, sentence.asks and not stripped.ordered, cased)
    if not told_here and not sentence.asks:
        order = statements.ordered(without_leads(sentence.text, orders=False).text, cased)
        told_here = () if order is None else (order,)
    if told_here:
        told_here = tuple(_adding(told, sentence.text, stripped.corrects) for told in told_here)
        return replace(said, told=(*said.told, *told_here))
    if said.told and not sentence.asks and (stripped.corrects or _ORS.match(sentence.text)):
        newer = statements.correction_of(body, True) or body
        if replies.is_value(newer, said.told[-1].about.attribute):
            corrected = replace(said.told[-1], value=values.tidy(newer))
            return replace(said, told=(*said.told[:-1], corrected))
    if not said.told and not sentence.asks and not _NEGATED.search(body):
        named = _asked_before(before, body, cased)
        if named is not None:
            return replace(said, told=(*said.told, named))
        value = statements.correction_of(body, stripped.corrects) or statements.correction_of(sentence.text, False)
        if value is not None and _NOT_NOW.search(body) is None:
            return replace(said, correction=value)
    return said


_ORS = rule(r"(?:or )?rather\b")
_ALSO = rule(r"\b(?:also|too|as well|another|in addition|besides|second|and i)\b")
_INSTEAD = rule(r"\b(?:instead|not|no longer|any ?more|only|rather|switched|changed)\b")
_MY = rule(r"(?:my|our|set|change|update|make|save|store|record|put)\b")


def _adding(told: Told, text: str, corrects: bool) -> Told:
    """A statement about a thing that one has several of adds to what is stored, unless it corrects that."""
    if told.about.attribute not in attributes.SEVERAL:
        return told
    bare = without_leads(text).text
    is_negated = told.about.attribute in ("dislikes", "does_not_eat")
    replaces = corrects or (_INSTEAD.search(bare) is not None and not is_negated)
    if _ALSO.search(text) is None and (_MY.match(bare) or replaces):
        return told
    return replace(told, adds=True)


_ASKED_FOR = rule(
    r".{0,60}?\b(?:asked|asking|wanted to know|ask)(?: me)?(?: for"
    r"| about)? (?P<asked>my [a-z][\w' -]{1,40}|where i live|what i do|who i am|how old i am)$"
)
_IS = rule(r"(?:it's|it is|that's|that is) (?P<v>\S.*)$")


def _asked_before(before: Sentence | None, body: str, cased: bool) -> Told | None:
    """ "You keep asking for my team. It's Hibernian." """
    if before is None or (about := _ASKED_FOR.match(before.text)) is None or (value := _IS.match(body)) is None:
        return None
    return _answering(about["asked"], value["v"], cased)


def _answering(asked: str, value: str, cased: bool) -> Told | None:
    starts = {
        "where i live": "I live in",
        "what i do": "I work as",
        "who i am": "my name is",
        "how old i am": "my age is",
    }
    start = starts.get(asked.lower(), f"{asked} is")
    return statements.told_in(f"{start} {value}", cased)


_YOU_ASKED = rule(
    r"(?:you (?:asked|wanted to know|keep asking|were asking)(?: me)?(?: for"
    r"| about)? )(?P<asked>my [a-z][\w' -]{1,40}?|where i live|what i do|who i am"
    r"|how old i am)\s*[:,-]\s*(?:it's|it is|that's) (?P<v>\S.*)$"
)


def _asked(sentence: Sentence, stripped: str) -> tuple[Asked, ...] | None:
    """The questions in a sentence; of one with several parts, the last part that asks."""
    for text in dict.fromkeys((sentence.text, stripped)):
        asked = questions.asked_in(text, sentence.asks)
        if asked is not None:
            return asked
    parts = clauses(stripped, _MOST_CLAUSES)
    for part in reversed(parts or []):
        if part == stripped:
            continue
        asked = questions.asked_in(without_leads(part).text, sentence.asks)
        if asked is not None and _NOT_NOW.search(stripped) is None:
            return asked
    colon = stripped.rpartition(": ")[2]
    if colon != stripped and sentence.asks:
        return questions.asked_in(colon, True)
    dash = stripped.rpartition(" - ")[2]
    return questions.asked_in(dash, True) if dash != stripped and sentence.asks else None


def _told(body: str, asks: bool, cased: bool) -> tuple[Told, ...]:
    body = statements.would_be(without_tail(body))
    if _NOT_NOW.search(body):
        return ()
    if found := _FLAT.match(body):
        told = statements.told_in(f"I live in {found['v']}", cased)
        return () if told is None else (told,)
    for pattern in (_JOINED_FAVORITE, _BEATS, _UPDATE_THEN, _THAT_IS_MY):
        if found := pattern.match(body):
            told = statements.told_in(f"my {found['phrase']} is {found['v']}", cased)
            return () if told is None else (told,)
    if found := _NOT_IT_IS.match(body):
        told = statements.told_in(f"my {found['phrase']} is {found['v']}", cased)
        return () if told is None else (told,)
    if found := _NEWS.match(body):
        return _told(found["rest"], asks, cased)
    if found := _YOU_ASKED.match(body):
        told = _answering(found["asked"], found["v"], cased)
        return () if told is None else (told,)
    if found := _HAS_THEN_NAME.match(body):
        told = statements.told_in(f"{found['a']} called {found['v']}", cased)
        return () if told is None else (told,)
    if not asks and not _is_negated(body):
        for plain in turning.joined(body):
            told = statements.told_in(plain, cased)
            if told is not None and told.about.attribute != "likes":
                return (told,)
    if not asks:
        whole = None if _is_negated(body) else _whole(body, cased)
        if whole is not None:
            return whole
    parts = clauses(body, _MOST_CLAUSES)
    if parts is None:
        return ()
    if asks:
        if len(parts) < 2:
            return ()
        parts = parts[:-1]
    found_parts: list[Told] = []
    for part in parts:
        part = without_leads(part).text
        if (_OTHERS.match(part) and not _IT_IS_MY.match(part)) or _is_negated(part):
            continue
        found_parts += _told_of(part, cased)
    return tuple(found_parts)


def _told_of(part: str, cased: bool) -> tuple[Told, ...]:
    """What one clause tells: of several verbs of one subject, what each tells."""
    several = turning.shared(part)
    if len(several) > 1:
        each = [statements.told_in(item, cased) for item in several]
        if all(item is not None for item in each):
            return tuple(item for item in each if item is not None)
    several = turning.listed(part)
    if len(several) > 1:
        each = [statements.told_in(item, cased) for item in several]
        if all(item is not None for item in each):
            return tuple(item for item in each if item is not None)
    told = statements.told_in(part, cased)
    if told is None:
        return ()
    also = (statements.also_employer(part, cased), statements.also_name(part, cased))
    return (told, *(item for item in also if item is not None and item.about.attribute != told.about.attribute))


def _whole(body: str, cased: bool) -> tuple[Told, ...] | None:
    """A sentence of one clause."""
    parts = clauses(body, _MOST_CLAUSES)
    if parts is None or len(parts) != 1:
        return None
    return _told_of(body, cased) or None


def _is_negated(part: str) -> bool:
    found = _NEGATED.search(part)
    if found is None or _MAY_BE_NEGATED.match(part):
        return False
    return not _CONTRAST.search(part)


_CONTRAST = rule(
    r"(?:,\s*not\s+\S+(?: \S+)?$|\bis not \S.{0,40}?,? but \S|\bwith(?: \S+)? and no \S+|\band no \S+$|, no \S+$)"
)
