"""What a sentence asks, tells or wants forgotten about the asker; what a question of knowledge is about.

Pure parsing by fixed forms; what fits none gives None, and the agent declines rather than guesses. It names
no key: the agent looks `attribute_phrase` up among the aliases ("favourite colour" is `favorite_color` there)
and takes `attribute` where there is none. What would hurt: storing something the user did not say. So a value
stays as it was written (only the full stop of the sentence and quotation marks around the whole go), a
question is never stored, what reads like a clause ("my brother said his car is red") is no attribute, and two
statements in one ("my name is Ann and my job is teacher") are not one value.
Time is linear in the text: forms are matched at its start only, separators are found at the borders of words.
"""

import re
import unicodedata
from dataclasses import dataclass

from mace.core import canon
from mace.memory.keys import MAX_COMPONENT, normalise


@dataclass(frozen=True, slots=True)
class _About:
    attribute_phrase: str  # the user's own words, white space collapsed

    @property
    def attribute(self) -> str:
        """Return the attribute of the key when no alias says otherwise."""
        return normalise(self.attribute_phrase)


@dataclass(frozen=True, slots=True)
class Ask(_About):
    plural: bool = False


@dataclass(frozen=True, slots=True)
class Tell(_About):
    value: str
    plural: bool = False


@dataclass(frozen=True, slots=True)
class Forget(_About):
    pass


@dataclass(frozen=True, slots=True)
class WhoAmI:
    pass


@dataclass(frozen=True, slots=True)
class Subject:
    """What a question of knowledge is about: `world/fact/<subject>/<attribute>`."""

    subject: str
    attribute: str


Sentence = Ask | Tell | Forget | WhoAmI


def _form(source: str) -> re.Pattern[str]:
    """Compile a form in which a space stands for white space, and an apostrophe for either kind or none."""
    return re.compile(source.replace(" ", r"\s++").replace("'", "['’]?"), re.IGNORECASE)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LEAD = _form(
    r"(?:(?:hey|hi|hello|ok|okay|mace)\b[\s,!]*+)*+"
    r"(?P<polite>(?:please|can you|could you|would you)\b[\s,]*+)*+"
)
_WHO_AM_I = _form(
    r"(?:who am i|tell me (?:who i am|about myself)|what do you (?:know|remember) about me"
    r"|what have you (?:saved|stored) about me)$"
)
_HOW_OLD = _form(r"how old am i$")
_ASK = _form(
    r"(?:(?:what|who|when|where)(?: is|(?P<are> are|'re)|'s)"
    r"|do you (?:still )?(?:know|remember|recall|have)"
    r"|(?:tell|remind|show|give) me(?: of| about)?"
    r"|recall|look up|get|read) my "
)
_ASK_WHAT = _form(r"(?:do you (?:still )?(?:know|remember|recall)|tell me|remind me) (?:what|who|when|where) my ")
_FORGET = _form(r"(?:forget|delete|remove|erase|clear) (?:that |about |what )?my ")
_SET = _form(r"(?:set|change|update|make) my ")
_SAVE = _form(r"(?:save|store|record)\b[\s,:]*+(?:that )?my ")
_REMEMBER = _form(r"(?:remember|note|know|don't forget|do not forget|keep in mind)\b[\s,:]*+(?:that )?my ")
_MY = _form("my ")
_KEEP = _form(r"(?:save|store|record|remember|set|use) ")
_AS_MY = _form(r"(?<!\S)as my ")

_BE = re.compile(r"(?<!\S)(?:is|(?P<are>are))(?![\w'’])", re.IGNORECASE)
_AS = re.compile(r"(?<!\S)as(?!\S)", re.IGNORECASE)
_TO = re.compile(r"(?<!\S)to(?!\S)", re.IGNORECASE)
_SIGN = re.compile("[:=]")
_AND_MY = re.compile(r"(?:(?<!\S)(?:and|but)|[.,;!])\s+my\s", re.IGNORECASE)
_SHORT_BE = re.compile(r"(name|birthday|age|job)['’]s\s", re.IGNORECASE)  # "my dog's food" is no statement

_PHRASE = re.compile(r"[\w'’&+#/ -]+")
_MAX_PHRASE = 200
_MAX_PHRASE_WORDS = 8
_CLAUSE_WORDS = _words(
    "and are as because but did does he how i if is it its me my or said say says she than that they think "
    "thinks told was we were what when where which who whom whose why will would you your"
)
_QUESTION_WORDS = _words("what which who when where")
_TAIL_WORDS = ("again", "please", "right now", "now")
_TAIL_MARKS = frozenset(".?!…,")
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "„": "“", "`": "`"}
_ABBREVIATIONS = _words("jr sr dr mr mrs ms st prof inc ltd co corp etc ph.d m.sc b.sc")
_INITIALS = re.compile(r"(?:[^\W\d_]\.){2,}")  # "U.S."
_FAVORITE = re.compile(r"\b(?:favourite|fave|fav)\b", re.IGNORECASE)

_WHAT_IS = _form(r"(?:what(?: is| are| was| were|'s|'re)|who(?: is| was|'s)|define|explain|describe|tell me about) ")
_WHERE_IS = _form(r"where(?: is|'s) ")
_TELL_WHAT = _form(r"(?:explain|tell me|do you know)(?: to me)? (?:what|who) ")
_WHAT_DOES = _form(r"what do(?:es)? ")
_NOUN_OF = _form(
    r"(?:(?:give|show|tell) me |look up |find )?(?:the )?(?:(?:meaning|definition|concept) of|meant by"
    r"|(?P<attribute>value|formula|symbol|unit) (?:of|for)) "
)
_VERB_FIRST = _form(r"(?:is|are|was|were) ")
_DETERMINER = _form(r"(?:the (?:term|word|concept of) |the |an? )")
_VERBS_LAST = _words("is are was were means")
_NOT_A_SUBJECT = _words(
    "my your his her its our their this that these those it he she they you i me we us there what who why"
)
_MAX_SUBJECT = 200


def parse(text: str) -> Sentence | None:
    """Say what a sentence wants with the asker's own facts, or None."""
    body, polite = _body(text)
    whole = _without_tail(body)
    if _WHO_AM_I.match(whole):
        return WhoAmI()
    if _HOW_OLD.match(whole):
        return Ask("age")
    return _asked(body) or _forgotten(body) or _told(body, polite)


def subject_of(text: str) -> Subject | None:
    """Say what a question of knowledge is about, or None; the asker's own facts are no knowledge.

    The attribute is `definition` unless the question names another; whoever finds nothing there may still
    look at `definition`.
    """
    body = _without_tail(_body(text)[0])
    if opening := _WHAT_DOES.match(body):
        rest, verb = _last_word(body[opening.end() :])
        return _subject(rest, "definition") if verb == "mean" else None
    if opening := _TELL_WHAT.match(body):
        rest = body[opening.end() :]
        if inner := _VERB_FIRST.match(rest):
            return _subject(rest[inner.end() :], "definition")
        rest, verb = _last_word(rest)
        return _subject(rest, "definition") if verb in _VERBS_LAST else None
    if opening := _WHERE_IS.match(body):
        return _subject(body[opening.end() :], "location")
    opening = _WHAT_IS.match(body)
    rest = body[opening.end() :] if opening else body
    if noun := _NOUN_OF.match(rest):
        return _subject(rest[noun.end() :], (noun.group("attribute") or "definition").lower())
    return _subject(rest, "definition") if opening else None


def answer_sentence(attribute_phrase: str, value: object, plural: bool = False) -> str:
    """Say a stored value to the asker, in the words of the question.

    `favourite` is written `favorite`, as the keys have it: the golden answer to "What is my favourite
    colour?" is "Your favorite colour is blue."
    """
    return ended(f"Your {_FAVORITE.sub('favorite', attribute_phrase)} {_verb(plural)} {shown_value(value)}")


def confirmation(told: Tell) -> str:
    """Say that a value is kept, in the words it was told in."""
    return ended(f"I’ll remember that your {told.attribute_phrase} {_verb(told.plural)} {told.value}")


def ended(sentence: str) -> str:
    """Close a sentence that does not close itself ("Wham!", "the U.S.")."""
    return sentence if sentence.endswith((".", "!", "?", "…")) else f"{sentence}."


def _verb(plural: bool) -> str:
    return "are" if plural else "is"


def shown_value(value: object) -> str:
    """Return a stored value as people read it; what is not simple is shown as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        *most, last = value
        return f"{', '.join(most)} and {last}" if most else str(last)
    return canon.dumps(value).decode()


def _body(text: str) -> tuple[str, bool]:
    """Return the text without greetings and courtesies, and whether it was a polite request."""
    text = text.strip()
    lead = _LEAD.match(text)
    return (text[lead.end() :], lead.group("polite") is not None) if lead else (text, False)


def _asked(body: str) -> Ask | None:
    if opening := _ASK_WHAT.match(body):
        rest, verb = _last_word(_without_tail(body[opening.end() :]))
        return _ask(rest, verb == "are") if verb in {"is", "are"} else None
    if opening := _ASK.match(body):
        return _ask(_without_tail(body[opening.end() :]), opening.group("are") is not None)
    if body.endswith("?") and (opening := _MY.match(body)):
        rest = _without_tail(body[opening.end() :])  # "my favourite colour?", "my favourite colour is what?"
        verb_found = _BE.search(rest)
        if verb_found is None:
            return _ask(rest, False)
        after = rest[verb_found.end() :].strip().lower()
        if not after or after in _QUESTION_WORDS:
            return _ask(rest[: verb_found.start()], verb_found.group("are") is not None)
    return None


def _ask(words: str, plural: bool) -> Ask | None:
    phrase = _phrase(words)
    return Ask(phrase, plural) if phrase else None


def _forgotten(body: str) -> Forget | None:
    opening = _FORGET.match(body)
    if opening is None:
        return None
    rest = _without_tail(body[opening.end() :])
    verb = _BE.search(rest)
    phrase = _phrase(rest[: verb.start()] if verb else rest)
    return Forget(phrase) if phrase else None


def _told(body: str, polite: bool) -> Tell | None:
    if body.endswith("?"):
        if not polite:
            return None
        body = body[:-1].rstrip()  # "could you remember my name is Ann?" is an order
    if opening := _SET.match(body):
        return _split(body[opening.end() :], _TO, _AS, _BE, _SIGN)
    if opening := _SAVE.match(body):
        return _split(body[opening.end() :], _AS, _BE, _TO, _SIGN)
    if opening := _REMEMBER.match(body):
        rest = body[opening.end() :]
        return _split(rest, _BE) if _BE.search(rest) else _split(rest, _AS, _SIGN)
    if opening := _MY.match(body):
        return _split(body[opening.end() :], _BE, _SIGN)
    if opening := _KEEP.match(body):  # "save Paris as my city"
        places = list(_AS_MY.finditer(body, opening.end()))
        if places:
            value = body[opening.end() : places[-1].start()]
            return _tell(_without_tail(body[places[-1].end() :]), value, False)
    return None


def _split(rest: str, *separators: re.Pattern[str]) -> Tell | None:
    """Split at the first separator, in order of preference, that leaves an attribute and a value."""
    for separator in separators:
        if found := separator.search(rest):
            plural = separator is _BE and found.group("are") is not None
            if told := _tell(rest[: found.start()], rest[found.end() :], plural):
                return told
    if short := _SHORT_BE.match(rest):
        return _tell(short.group(1), rest[short.end() :], False)
    return None


def _tell(words: str, value: str, plural: bool) -> Tell | None:
    phrase, kept = _phrase(words), _value(value)
    return Tell(phrase, kept, plural) if phrase and kept and not _goes_on(value.strip()) else None


def _goes_on(value: str) -> bool:
    """Say whether a second statement follows the first; quotation marks around the whole make it a title."""
    if value[:1] in _QUOTES and value.rstrip(".")[-1:] == _QUOTES[value[0]]:
        return False
    second = _AND_MY.search(value)
    return second is not None and _BE.search(value, second.end()) is not None


def _phrase(raw: str) -> str | None:
    """Return the words of an attribute in one line, or None for what reads like more than a name."""
    if len(raw) > _MAX_PHRASE:
        return None
    words = unicodedata.normalize("NFC", raw).split()
    phrase = " ".join(words)
    if not 0 < len(words) <= _MAX_PHRASE_WORDS or not _PHRASE.fullmatch(phrase):
        return None
    if any(word.lower() in _CLAUSE_WORDS for word in words):
        return None
    return phrase if 0 < len(normalise(phrase)) <= MAX_COMPONENT else None


def _value(raw: str) -> str:
    value = raw.strip()
    if value.startswith((": ", ", ")):
        value = value[1:].lstrip()
    if value[-9:].lower().rstrip(".").endswith(", please"):
        value = value[: value.rindex(",")].rstrip()
    return _unquoted(_without_full_stop(value))


def _without_full_stop(value: str) -> str:
    """Drop the full stop of the sentence; one that belongs to the last word ("Jr.", "U.S.", "...") stays."""
    if not value.endswith(".") or value.endswith(".."):
        return value
    last = value.rsplit(None, 1)[-1]
    if _INITIALS.fullmatch(last) or last[:-1].lower() in _ABBREVIATIONS:
        return value
    return value[:-1].rstrip()


def _unquoted(value: str) -> str:
    if len(value) < 2 or _QUOTES.get(value[0]) != value[-1]:
        return value
    inner = value[1:-1]
    if value[0] in inner or value[-1] in inner:  # "a" and "b"
        return value
    return inner if inner.strip() else ""


def _without_tail(text: str) -> str:
    """Return the text without closing marks and without words that only round off a question."""
    end = len(text)
    while end:
        if text[end - 1].isspace() or text[end - 1] in _TAIL_MARKS:
            end -= 1
            continue
        for word in _TAIL_WORDS:
            start = end - len(word)
            if start > 0 and text[start:end].lower() == word and text[start - 1].isspace():
                end = start
                break
        else:
            break
    return text[:end]


def _last_word(text: str) -> tuple[str, str]:
    """Return the text before its last word, and that word in lower case."""
    rest, word = ["", *text.rsplit(None, 1)][-2:]
    return rest, word.lower()


def _subject(raw: str, attribute: str) -> Subject | None:
    subject = " ".join(raw.split())
    if determiner := _DETERMINER.match(subject):
        subject = subject[determiner.end() :]
    subject = _unquoted(subject)
    first = subject.split(" ", 1)[0].lower()
    if not 0 < len(subject) <= _MAX_SUBJECT or first in _NOT_A_SUBJECT:
        return None
    return Subject(subject, attribute)
