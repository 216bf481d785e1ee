"""Whether a text that answers a miss can be the value that was asked for: short, one thing, about nobody else.

Pure. What is stored here was never said to be a fact by its own words, so that anything else wins: an order, a
calculation, a sentence of its own subject, a refusal. In doubt it is none, and whoever wrote it is asked again.
"""

import re

from mace.agents.reading import refusals, statements, values
from mace.agents.reading.attributes import wanted
from mace.agents.reading.sentences import folded, rule
from mace.agents.reading.words import words_in

_MOST_CHARS = 200
_MOST_WORDS = 12
DOING = frozenset(
    words_in(
        "add answer ask book build buy calculate call cancel change check close compare compose compute convert "
        "count create define delete describe do don't draft draw email erase evaluate explain find fix forget "
        "generate get give go help ignore imagine improve let list look mail make message move note open "
        "outline pay plan print prove put read recommend remember remind remove repeat rephrase reply rewrite "
        "say schedule search send shorten show simplify skip solve sort spell start stop store suggest summarise "
        "summarize take talk tell text think translate try turn update use wait write"
    )
)
_VERBS = frozenset(
    words_in(
        "is are was were am be been being has had does did will would can could should must shall isn't aren't "
        "wasn't weren't hasn't doesn't didn't won't wouldn't can't couldn't shouldn't cannot it's that's he's she's "
        "they're you're we're i'm i've i'll i'd you'll you've your you yours yourself please"
    )
)
_SUBJECTS = frozenset(
    words_in("i i'm i've i'd i'll we we're we've he he's she she's you you're your his her their our")
)
_OPENS_SENTENCE = frozenset(words_in("the this that these those a an my there here"))
_OPERATOR = re.compile(r"\d\s*(?:[+*^=×÷/]|\s-\s)\s*\(?\s*\d|^\s*\(|=\s*$")
_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}(?:[./-]\d{1,4})?\.?$")
_SEVERAL_NUMBERS = rule(r"\d[\d.,]*(?:,| and| or| &) ?\d[\d.,]*(?:[ ,]|$)")
_MINE_SHORT = rule(r"my [a-z]+(?: [a-z]+)?$")
_IS_DATE = ("birthday", "date", "day", "anniversary", "deadline", "time")


NOTE = "note_"  # how the attributes begin of what a person told about the world


def is_note(text: str, attribute: str) -> bool:
    """Whether a text can be what was asked about the world: a value, or one sentence that names what it is about."""
    if is_value(text):
        return True
    plain = " ".join(folded(text[: 4 * _MOST_CHARS]).split())
    low = re.findall(r"\w+", plain.lower())
    if len(plain) > _MOST_CHARS or not low or plain.endswith("?") or refusals.is_no_value(text):
        return False
    if low[0] in _SUBJECTS or low[0] in DOING or low[0] == "my" or re.search(r"[.!?]\s+\S|[;\n]", plain):
        return False
    return bool(set(attribute.removeprefix(NOTE).split("_")) & set(low))


def is_value(text: str, attribute: str | None = None) -> bool:
    """Say whether a text can be the value of an attribute; of any, where none is named."""
    plain = " ".join(folded(text[: 4 * _MOST_CHARS]).split())
    if len(plain) > _MOST_CHARS or plain.endswith("?") or refusals.is_no_value(text):
        return False
    value = refusals.value_of(plain)
    words = value.split()
    low = [word.strip('.,;:!"“”()').lower() for word in words]
    if not 0 < len(words) <= _MOST_WORDS or re.search(r"[.!?]\s+\S+(?:\s+\S+){2}|[;\n]", value):
        return False
    if low[0] in _SUBJECTS or _is_sentence(words, low, value) or _is_order(words, low):
        return False
    if _OPERATOR.search(value) and not (_DATE.match(value) and _asks_date(attribute, value)):
        return False
    return attribute is None or _fits(attribute, value)


def _is_sentence(words: list[str], low: list[str], value: str) -> bool:
    """Whether a text has a verb of its own; titles are written with capitals."""
    if any(word in _VERBS and words[at][:1].islower() for at, word in enumerate(low)):
        return True
    if low[0] == "my":
        return not _MINE_SHORT.match(value)
    if low[0] in _OPENS_SENTENCE and len(low) >= 4:
        verb = low[2:-1]
        return any(word.endswith("s") and not word.endswith(("ss", "us", "'s")) and word.islower() for word in verb)
    return False


def _is_order(words: list[str], low: list[str]) -> bool:
    if low[0] in DOING and len(low) > 1:
        return not all(word[:1].isupper() or len(word) < 4 for word in words)
    joined = zip(low, low[1:], words[1:], strict=False)
    return any(
        word in ("and", "then", "but", "now") and follows in DOING and shown[:1].islower()
        for word, follows, shown in joined
    )


def _asks_date(attribute: str | None, value: str) -> bool:
    return value.count("/") == 2 or (attribute is not None and attribute.endswith(_IS_DATE))


_CHECKED = frozenset(
    words_in(
        "name first_name nickname surname middle_name age shoe_size number_of_children number_of_siblings city country "
        "hometown birthplace grew_up_in job height weight birthday anniversary birth_year employer university school"
    )
)


def _fits(attribute: str, value: str) -> bool:
    about = wanted(attribute)
    if _SEVERAL_NUMBERS.match(value) and not about.attribute.endswith("s"):
        return False
    if about.attribute in _CHECKED or about.attribute.endswith(("_size", "_name")):
        value = re.sub(r"^(?:in|at|on|for|from)\s+(?=\S)", "", value, flags=re.IGNORECASE)
        return statements.kind_of(about)(value, any(c.isupper() for c in value)) is not None
    return values.first_word(value) not in ("wrong", "which", "whose")
