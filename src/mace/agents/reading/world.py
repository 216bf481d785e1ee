"""What a question asks about the world: which words may name its subject, and which stored attribute answers it.

Pure. It goes in two steps, because only the store knows what there is. `read_question` says in which form something is
asked and lists the runs of words that may be the subject, longest first. `choose` is then given those that are stored,
with the attributes they have, and takes the attribute that the other words ask for. Every word of the question must be
accounted for, by the subject, by the attribute or as a word that says nothing; a question with a word to spare
("vitamin C", "the capital of France in 1942") is about something else, and is not answered.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, NamedTuple

from mace.agents.reading import world_words
from mace.agents.reading.world_words import (
    BY_PARTS,
    EMPTY,
    FAMILIES,
    ITSELF_ROOTS,
    LIGHT_ROOTS,
    MONTHS,
    NUMBERS,
    PEOPLE,
    PERSONAL,
    PLACE_PARTS,
    SOFT_ROOTS,
    SOFT_WORDS,
    THE_THING,
    THINGS,
    TIME_PARTS,
    root,
    roots,
)
from mace.memory.keys import MAX_COMPONENT, normalise

Form = Literal["what", "who", "when", "where", "how", "many", "much", "is"]

MAX_SUBJECTS = 48  # names that are looked for
_MAX_TEXT = 300
_MAX_WORDS = 16
_MAX_SUBJECT_WORDS = 9


class Token(NamedTuple):
    text: str
    lower: str
    start: int
    end: int


class Span(NamedTuple):
    """A run of words that may name the subject, by the numbers of its first word and of the one after its last."""

    first: int
    stop: int
    names: tuple[str, ...]  # as it may be stored, most likely first


@dataclass(frozen=True, slots=True)
class WorldQuestion:
    """A question about the world, before anybody looked."""

    form: Form
    tokens: tuple[Token, ...]
    spans: tuple[Span, ...]
    is_sure: bool  # by its form alone: a miss is told as one
    is_past: bool
    needs_noun: bool  # "how is its anthem called": never the thing itself
    is_in: bool = False  # it begins with "in which" or the like
    parts: tuple[tuple[str, ...], ...] = ()  # how it may be read as several questions
    is_several: bool = False  # and only so
    parts_first: bool = False  # both parts have a question word

    @property
    def subjects(self) -> list[str]:
        """Every name to look for, each once, most likely first."""
        names = dict.fromkeys(name for span in self.spans for name in span.names)
        return list(names)[:MAX_SUBJECTS]


class Found(NamedTuple):
    """What is stored under a name."""

    subject: str
    entity: str  # scope/entity_type/entity_id
    attributes: tuple[str, ...]
    alias: str | None = None  # the key that the name itself is an alias for
    by_alias: bool = False  # it is called otherwise, and only known by this name


@dataclass(frozen=True, slots=True)
class Choice:
    """The fact that answers, if its value is of the kind that was asked for."""

    subject: str  # as the question has it
    key: str
    attribute: str
    form: Form = "what"
    is_itself: bool = False
    mentions: tuple[str, ...] = ()  # words that its value must hold
    is_named: bool = False  # its attribute is asked for with a value, so it answers whatever it holds


_SPACES = re.compile(r"\s+")
_COURTESY = (
    r"(?:hey|hi|hello|ok|okay|so|well|um|uh|oh|please|pls|excuse me|sorry|just|btw|by the way|quick question|question"
    r"|mace|and|but|now|then|right|listen|look|good morning|good evening|thanks)\b[\s,:!.–-]+"
)
_REQUESTS = (
    _COURTESY,
    r"(?:can|could|would|will) (?:you|someone|anyone|somebody) (?:please |kindly |just |quickly |maybe )*(?=\w)",
    r"(?:do|does|would) (?:you|anyone|someone) (?:happen to |by any chance |perhaps |also )*(?:know|remember)\b[\s,]*",
    r"(?:(?:do you )?have (?:you )?|got )?any (?:idea|clue)s?[\s,]+",
    r"i (?:just |really )?(?:want|wanted|need|needed|wish) to (?:know|learn|find out|ask)\b[\s,]*(?:you )?",
    r"i(?:'d| would) (?:like|love) to (?:know|learn|find out|ask)\b[\s,]*",
    r"i(?:'m| am|'ve been| was)? ?(?:just )?wonder(?:ing)?\b[\s,]*(?:if you (?:know|could tell me|can tell me) )?",
    r"i forgot\b[\s,]*",
    r"i can't remember\b[\s,]*",
    r"let me know\b[\s,]*",
    r"let's see[\s,]+",
    r"(?:tell|remind|teach|show|give) (?:me|us) (?:again |please |quickly )*(?!about\b|of\b)(?=\w)",
    r"say,? ",
)
_LEAD = re.compile("|".join(_REQUESTS), re.IGNORECASE)
_ORDERS = (
    r"(?:tell|teach|remind|inform) (?:me|us) (?:\w+ ){0,4}?about\b",
    r"what (?:do|can|could) (?:you|we|i) (?:know|say|tell me|tell us|find(?: out)?|have) (?:\w+ )?(?:about|on)\b",
    r"(?:define|explain|describe|summari[sz]e|state|look up|lookup|check|google)\b(?: (?:to |for )?(?:me|us)\b)?",
    r"(?:search(?: for)?|find(?: out about| me)?|info(?:rmation)? (?:on|about)|details (?:on|about)|read up on)\b",
    r"(?:name|list)(?= (?:the|all|a|an) )",
    r"(?:something|anything|a (?:bit|little)(?: more)?|more|a few words) about\b",
)
_ABOUT = re.compile(f"(?:{'|'.join(_ORDERS)})[\\s,:]*", re.IGNORECASE)
_TAILS = (
    r"please|pls|thanks|thank you|thx|do you (?:happen to )?know|you know|if you know|if you please|for me|to me|again",
    r"anyway|then|by the way|btw|mace|though|any ideas?|(?:can|could|would) you tell me|(?:can|could) you look it up",
    r"in (?:plain|simple|other|a few|short) (?:words|terms|english|language)|in a nutshell|in short|briefly",
    r"in one sentence|simply|quickly|or not|right|i wonder|tell me|remind me|exactly|actually|really|so|for short",
    r"mate|here|at all|these days|(?:and )?what(?:'s| is| does) (?:it|that|this)(?: mean| about| exactly)?",
    r"(?:and )?who(?:'s| is| was) (?:that|he|she|it)|(?:and )?where(?:'s| is) (?:it|that)",
)
_TAIL = re.compile(rf"[\s,;–-]+(?:{'|'.join(_TAILS)})\s*$", re.IGNORECASE)
# The words that these begin and end with: to look for one of them is cheaper than to try them all.
_FIRST_WORD = re.compile(
    r"(?:hey|hi|hello|ok|okay|so|well|um|uh|oh|please|pls|excuse|sorry|just|btw|by|quick|question|mace|and|but|now|then"
    r"|right|listen|look|good|thanks|can|could|would|will|do|does|have|got|any|i|i'm|i'd|i've|let"
    r"|let's|tell|remind|teach"
    r"|show|give|say|inform|what (?:do|can|could)|define|explain|describe|summari[sz]e|state|lookup|check|google|search"
    r"|find|info|information|details|read|name|list|something|anything|a|more)\b",
    re.IGNORECASE,
)
_LAST_WORDS = frozenset(
    "please pls thanks you thx know me again anyway then way btw mace though idea ideas up words terms english language"  # noqa: SIM905
    " nutshell short briefly sentence simply quickly not right wonder exactly actually really so mate here all days it"
    " that this mean about he she".split()
)
_GIVE = re.compile(
    r"(?:(?:can|could|would|will) you )?(?:please )?(?:tell|give|show) (?:me|us) the (?=.*(?:'s | of | at | for ))",
    re.IGNORECASE,
)
_END = " \t\n\r.?!…,;:–-"
_SECOND_SENTENCE = re.compile(r"[?!;]\s+\w|\b\w{4,}\.\s+\w|\n")
_CHUNK = re.compile(r"\S+")
_OPENING = "\"“”‘'([{<,;:«¿¡"
_CLOSING = "\"“”’',;:!?)]}>…»"
_CONTRACTED = {
    f"{word}{mark}": (word, verb)
    for word in ("what", "who", "where", "when", "how", "which", "that", "there", "it")
    for mark, verb in (("'s", "is"), ("'re", "are"), ("'d", "did"), ("'ll", "will"))
} | {"whats": ("what", "is"), "whos": ("who", "is"), "wheres": ("where", "is"), "whens": ("when", "is")}
_QUESTION_WORDS: Mapping[str, Form] = {
    "what": "what", "which": "what", "who": "who", "whom": "who", "when": "when", "where": "where", "how": "how",
}  # fmt: skip
_BEFORE_QUESTION_WORD = frozenset(
    ["in", "at", "on", "from", "to", "by", "for", "of", "with", "since", "until", "under", "into"]
)
_TIMES = frozenset(["year", "date", "day", "month", "century", "time", "decade", "era", "hour", "weekday"])
_PLACES = frozenset(["place", "location", "spot"])
_BE = frozenset(["is", "are", "was", "were"])
_VERBS = _BE | frozenset(
    ["do", "does", "did", "has", "have", "had", "can", "could", "will", "would", "should", "am", "may", "might", "must"]
)
_PAST = frozenset(["did", "was", "were", "had"])
_PLURAL = frozenset(["are", "were", "do", "have"])
_ARTICLES = frozenset(("the", "a", "an"))
_FIRST_PERSON = frozenset(("my", "mine", "our", "ours", "your", "yours", "me", "us"))
_ELSEWHERE = frozenset(
    ("in", "on", "at", "with", "from", "to", "into", "over", "upon", "as")
)  # then it is not the thing
_SOMEBODY = frozenset(("i", "you", "we", "they", "can", "could", "may", "will", "would"))
_NAMED_BY = roots("mean call word term say")
_WORDS_FOR = roots("word term phrase expression acronym name")
_OF_THE_SUBJECT = frozenset(("its", "their", "his", "her"))  # after it: "where does Nokia have its headquarters"
_PRONOUNS = frozenset(["i", "you", "we", "he", "she", "they", "it"]) | PERSONAL
_OTHERS = _PRONOUNS - {"they", "it"}
_NO_NAMES = EMPTY | PERSONAL
_ITSELF_LAST = frozenset(["definition", "meaning", "explanation", "description", "summary"])
_UNCOUNTED = ("ss", "us", "is", "ics", "ous")
_TIME_NOUNS = roots("year date day")
_PLACE_KINDS = frozenset(map(root, world_words.PLACE_KINDS))
_DEGREES = frozenset(map(root, world_words.DEGREES))
_NUMBER_NOUNS = roots("number count")
_TOWNS = roots("city town village place valley region district building hall room floor range")
_STAYS = roots("sit lie stand locate situate base live stay")
_HELD = roots("hold take place happen occur")
_OFFICES = roots("officer manager lead leader head director chief coordinator")
_IN_CHARGE = roots("responsible charge lead head run manage look direct")
_COUNTED = roots("size number count fleet")
_UNITS = roots("hour minute day week month year")
_PERIODS = frozenset(("year", "month", "week", "day", "hour"))
_EACH = frozenset(("a", "per", "each", "every"))
_KINDS = frozenset(("kind", "sort", "type"))
_SORTS = roots(
    "company firm business organisation organization thing product place town animal person building book shop store"
    " tool machine plant food dish device vehicle club group event software program institution"
)
_PLACES_IN_TOWN = roots("street road square lane avenue")
_GREAT = roots("maximum max greatest total full overall")
_MEASURES = tuple((root(degree), roots(nouns)) for degree, nouns in world_words.MEASURES.items())
_AS_MEASURED = roots("take last be get go run hold")
_NUMBER_PARTS = roots("number count total amount of how many")
_ADVERBS = frozenset(
    ["now", "today", "nowadays", "currently", "roughly", "approximately", "about", "around", "usually", "normally"]
)


def read_question(text: str) -> WorldQuestion | None:
    """Say what is asked about the world, or None where a text asks for nothing that could be stored there."""
    whole = _SPACES.sub(" ", unicodedata.normalize("NFC", text).replace("’", "'").replace("`", "'")).strip()
    if not 0 < len(whole) <= _MAX_TEXT:
        return None
    asks = whole.rstrip("\"'”) ").endswith("?")
    body, is_define = _body(whole)
    if not body or _SECOND_SENTENCE.search(body) or "\n" in text.strip():
        return None
    tokens = _tokens(body)
    if not 0 < len(tokens) <= _MAX_WORDS + 4:
        return None
    if not _FIRST_PERSON.isdisjoint([token.text for token in tokens]):
        return None  # the asker's own things; "My Fair Lady" is written otherwise
    if tokens[0].lower == "whose" and len(tokens) > 2 and tokens[1].lower in _BE:
        at = tokens[0].start
        tokens = (Token("who", "who", at, at + 3), tokens[1], Token("owner", "owner", at, at), *tokens[2:])
    form, first, stop, needs_noun = _form(tokens, is_define)
    is_sure = form is not None
    lowers = [token.lower for token in tokens]
    if form is None:
        if lowers[0] in _VERBS and asks:
            form, first = "is", 1
        elif _is_noun_phrase(tokens, asks or _GIVE.match(whole) is not None):
            form = "what"
        else:
            return None
    if not _OTHERS.isdisjoint(lowers[first:stop]):
        is_sure = False
    if not world_words.NEVER_DROPPED.isdisjoint(lowers) and form != "is":
        is_sure = False
    is_past = not _PAST.isdisjoint(lowers) or (form == "when" and lowers[0] == "since")
    plural = is_define or form == "many" or not _PLURAL.isdisjoint(lowers) or not is_sure
    kept = tokens[first:stop]
    if not kept or len(kept) > _MAX_WORDS:
        return None
    spans = _spans(body, kept, plural)
    if not spans:
        return None
    is_in = lowers[0] in ("in", "on", "at") and first > 1
    return WorldQuestion(form, kept, spans, is_sure, is_past, needs_noun, is_in)


_JOINT = re.compile(r"\s*[,;?!.]*\s+(?:and|plus)(?: also)? |[?]\s+", re.IGNORECASE)
_AS_ONE = re.compile(r"\b(?:total|together|combined|sum|between|difference|altogether)\b", re.IGNORECASE)
_OWN_QUESTION = re.compile(r"(?:what|which|who|whose|when|where|how|in which|is|are|does|do|did)\b", re.IGNORECASE)
_OPENS = re.compile(r"(?:of|for|in|at|about|the|an?|is|are|was|were|does|do|did)\b", re.IGNORECASE)
_LAST_OPENING = re.compile(r".*\b(?:of|for|in|at|about|the|is|are|was|were|does|do|did|what's)\s+", re.IGNORECASE)
_FROM_SUBJECT = re.compile(r"\s(?:of|for|in|at|is|are|was|were|does|do|did)\s.*", re.IGNORECASE)
_IT = re.compile(r"\b(?:it|they|he|she)\b", re.IGNORECASE)
_ITS = re.compile(r"\b(?:its|their|his|her)\b", re.IGNORECASE)


def read(text: str) -> WorldQuestion | None:
    """Like `read_question`, and how the text may be two questions: "the price of the Ox and of the Heron"."""
    question = read_question(text)
    joint = _JOINT.search(text.strip())
    if joint is None or len(text) > _MAX_TEXT or _AS_ONE.search(text):
        return question
    parts = tuple(_two(text.strip().rstrip(_END), joint))
    if question is not None:
        own = _OWN_QUESTION.match(text.strip(), joint.end()) is not None
        return replace(question, parts=parts, parts_first=own)
    first = read_question(parts[0][0]) if parts else None
    return None if first is None else replace(first, parts=parts, is_several=True)


def _two(text: str, joint: re.Match[str]) -> Iterable[tuple[str, ...]]:
    """The ways in which a text may be two questions: what stands before the "and", and what follows it."""
    left, right = text[: joint.start()].rstrip(_END), text[joint.end() :].strip()
    if not left or not right:
        return
    if _OWN_QUESTION.match(right):
        yield f"{left}?", f"{right}?"
        if shared := _FROM_SUBJECT.search(right):  # "how heavy and how expensive is the Ox"
            yield f"{left}{shared[0]}?", f"{right}?"
        return
    if joint[0].lstrip()[:1] in ("?", "!", "."):
        return
    opens = _OPENS.match(right)
    if opens is not None:  # what follows begins like the last part before
        at = left.lower().rfind(f" {opens[0].lower()} ")
        before = left[: at + 1] if at > 0 else None
    else:
        begun = _LAST_OPENING.match(left)
        before = begun[0] if begun else None
    words = right.split()
    if before is not None:
        for shared_words in range(min(3, len(words))):  # "do the Ox and the Heron cost"
            tail = words[len(words) - shared_words :]
            yield " ".join([left, *tail]) + "?", f"{before}{right}?"
    opening = _LAST_OPENING.match(left)
    if opening is not None and (shared := _FROM_SUBJECT.search(right)):  # "the price and the weight of the Ox"
        yield f"{left}{shared[0]}?", f"{opening[0]}{right}?"
    of_it = left.rfind("'s ")
    if of_it > 0:  # "the Ox's price and weight"
        yield f"{left}?", f"{left[: of_it + 3]}{right}?"


def about(text: str, subject: str) -> str:
    """A question with its subject in place of "it"."""
    return _ITS.sub(f"{subject}'s", _IT.sub(subject, text))


def claims(sentences: Iterable[str]) -> list[WorldQuestion]:
    """What sentences say of things, each read as the question whether it is so; only those that give a value."""
    found = []
    for sentence in sentences:
        for piece in _PIECE.split(sentence):
            bare = _SAYS_WHY.sub("", piece.strip(_END))
            if not _GIVES_A_VALUE.search(bare) or len(bare.split()) < 3:
                continue
            read = read_question(f"Is {bare}?")
            if read is not None and read.form == "is":
                found.append(read)
    return found


_PIECE = re.compile(r"\s*(?:,(?!\d)|;|:(?=\s)|–|—|\b(?:so|and|but|then|while|which|who|where|to)\b)\s*", re.IGNORECASE)
_SAYS_WHY = re.compile(r"^(?:because|since|as|yes|no|well|that|given that|of course)\s+", re.IGNORECASE)
_GIVES_A_VALUE = re.compile(r"\d|\w\W+[A-Z]")


def _body(whole: str) -> tuple[str, bool]:
    """The question without greetings, courtesies and what only says that it is one; and whether it says "define"."""
    body, is_define = whole, False
    while _FIRST_WORD.match(body):  # most questions begin at once
        if lead := _ABOUT.match(body):
            rest = body[lead.end() :]
            if rest.strip(_END):
                is_define, body = True, rest
                continue
        if (lead := _LEAD.match(body)) and body[lead.end() :].strip(_END):
            body = body[lead.end() :]
            continue
        break
    while True:
        stripped = body.rstrip(_END)
        if stripped.rsplit(" ", 1)[-1].lower() not in _LAST_WORDS:
            return stripped, is_define
        if tail := _TAIL.search(stripped):
            rest = stripped[: tail.start()].rstrip(_END)
            if rest and rest.lower() not in _QUESTION_WORDS and not _ends_open(rest):
                body = rest
                continue
        return stripped, is_define


def _ends_open(rest: str) -> bool:
    """Say whether a text without its tail would end where a noun must follow: "what is" of "what is mace"."""
    last = rest.rsplit(" ", 1)[-1].lower()
    return last in _BE or last in _ARTICLES or last in _CONTRACTED or last in ("of", "for", "about")


def _tokens(body: str) -> tuple[Token, ...]:
    found: list[Token] = []
    for chunk in _CHUNK.finditer(body):
        start, end = chunk.span()
        while start < end and body[start] in _OPENING:
            start += 1
        while start < end and body[end - 1] in _CLOSING:
            end -= 1
        if start < end and body[end - 1] == "." and "." not in body[start : end - 1] and end - start > 4:
            end -= 1
        if start == end:
            continue
        text = body[start:end]
        lower = text.lower()
        if lower in _CONTRACTED:
            word, verb = _CONTRACTED[lower]
            found += [Token(word, word, start, start + len(word)), Token(verb, verb, end, end)]
            continue
        if lower.endswith("'s") and len(lower) > 2:
            text, end = text[:-2], end - 2
        found.append(Token(text, text.lower(), start, end))
    return tuple(found)


def _form(tokens: Sequence[Token], is_define: bool) -> tuple[Form | None, int, int, bool]:
    """The form of a question, where its own words begin and end, and whether it needs a noun."""
    lowers = [token.lower for token in tokens]
    at = 1 if lowers[0] in _BEFORE_QUESTION_WORD and len(lowers) > 1 and lowers[1] in _QUESTION_WORDS else 0
    word = lowers[at]
    if word in _QUESTION_WORDS:
        form: Form = _QUESTION_WORDS[word]
        following = lowers[at + 1] if at + 1 < len(lowers) else ""
        if word in ("what", "which") and following in _TIMES:
            return "when", at + 2, len(tokens), False
        if word in ("what", "which") and following in _PLACES:
            return "where", at + 2, len(tokens), False
        if word == "which" and following == "person":
            return "who", at + 2, len(tokens), False
        if word == "how" and following in ("many", "much"):
            return ("many" if following == "many" else "much"), at + 2, len(tokens), False
        if word == "how" and (following in _VERBS or following in ("to", "about", "come")):
            return "what", at + 1, len(tokens), True
        return form, at + 1, len(tokens), False
    if is_define:
        return "what", 0, len(tokens), False
    if lowers[-1] in _QUESTION_WORDS and len(lowers) > 1:
        return _QUESTION_WORDS[lowers[-1]], 0, len(tokens) - 1, False
    return None, 0, len(tokens), False


def _is_noun_phrase(tokens: Sequence[Token], asks: bool) -> bool:
    """Say whether bare words ask for something: "zorblatt?", "length of the Nile", "France's area"."""
    lowers = [token.lower for token in tokens]
    if len(tokens) > 9 or any(word in _VERBS or word in _PRONOUNS for word in lowers):
        return False
    if asks:
        return True
    # Without a question mark only what could hardly be anything else.
    if lowers[-1] in _ITSELF_LAST and len(lowers) > 1:
        return True
    start = 1 if lowers[0] in _ARTICLES else 0
    of = next((at for at, word in enumerate(lowers) if word in ("of", "for") and at > start), None)
    if of is not None and of - start <= 3:
        return _is_attribute(lowers[start:of])
    return any(_is_attribute(lowers[at:]) for at in range(1, len(lowers)))


def _is_attribute(names: Sequence[str]) -> bool:
    """Say whether words are a known name of an attribute."""
    return frozenset(map(root, names)) in _known_nouns()


@cache
def _known_nouns() -> frozenset[frozenset[str]]:
    """The names of attributes, and the words that ask for them in a question with "what"."""
    known = {roots(name) for family in FAMILIES for name in family.names.split()}
    known |= {asked for family, asks in _families() if "what" in family.forms for asked in asks}
    return frozenset(known | {frozenset((root(word),)) for word in _ITSELF_LAST})


@cache
def _families() -> tuple[tuple[world_words.Family, frozenset[frozenset[str]]], ...]:
    return tuple(
        (family, frozenset(roots(asked) if asked.strip() != "-" else frozenset() for asked in family.asks.split(",")))
        for family in FAMILIES
    )


@cache
def _lines_for() -> dict[frozenset[str], tuple[int, ...]]:
    """The numbers of the lines of the table that words ask by, in their order."""
    found: dict[frozenset[str], list[int]] = {}
    for number, (_, asks) in enumerate(_families()):
        for asked in asks:
            found.setdefault(asked, []).append(number)
    return {asked: tuple(numbers) for asked, numbers in found.items()}


def are_related(one: str, other: str) -> bool:
    """Say whether two roots are one, or ask for the same: heavy and weigh."""
    return one == other or not _related().get(one, _NO_FAMILY).isdisjoint(_related().get(other, _NO_FAMILY))


_NO_FAMILY: frozenset[int] = frozenset()


@cache
def _related() -> dict[str, frozenset[int]]:
    """The lines of the table that a root stands in."""
    found: dict[str, set[int]] = {}
    for number, (family, asks) in enumerate(_families()):
        for said in frozenset().union(*asks, *(roots(name) for name in family.names.split())):
            found.setdefault(said, set()).add(number)
    return {said: frozenset(numbers) for said, numbers in found.items()}


def plain_subject(question: WorldQuestion) -> str | None:
    """The subject of "what is entropy", where nothing but its name is left; None where it could be read otherwise."""
    whole = question.spans[0]
    around = [*question.tokens[: whole.first], *question.tokens[whole.stop :]]
    if question.form != "what" or question.needs_noun or not question.is_sure:
        return None
    if whole.stop != len(question.tokens) or any(token.lower not in _BE | _ARTICLES for token in around):
        return None
    inside = question.tokens[whole.first : whole.stop]
    return None if any(token.lower in EMPTY for token in inside) else whole.names[0]


# Subjects


def _spans(body: str, tokens: Sequence[Token], plural: bool) -> tuple[Span, ...]:
    """The runs of words that may be the subject: longest first, of the same length the last one first."""
    found: dict[tuple[int, int], Span] = {}
    for length in range(min(len(tokens), _MAX_SUBJECT_WORDS), 0, -1):
        for first in range(len(tokens) - length, -1, -1):
            stop = first + length
            if not (_may_begin(tokens, first) and _may_end(tokens, stop)) and not _is_tail(tokens, first, stop):
                continue
            names = _names(body, tokens, first, stop, plural)
            if names:
                found[first, stop] = Span(first, stop, names)
    return tuple(found.values())


def _is_tail(tokens: Sequence[Token], first: int, stop: int) -> bool:
    """All after the first or second word may be a title, however it begins: "who wrote to kill a mockingbird"."""
    is_long = stop == len(tokens) and 0 < first <= 2 and stop - first >= 3
    return is_long and tokens[first].lower not in _VERBS | _ARTICLES and _may_end(tokens, stop)


def _may_begin(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    return token.start != token.end and (token.lower not in EMPTY or (at > 0 and token.text[:1].isupper()))


def _may_end(tokens: Sequence[Token], stop: int) -> bool:
    token = tokens[stop - 1]
    return token.start != token.end and (token.lower not in EMPTY or token.text[:1].isupper())


def _names(body: str, tokens: Sequence[Token], first: int, stop: int, plural: bool) -> tuple[str, ...]:
    if _NO_NAMES.issuperset([token.lower for token in tokens[first:stop]]):
        return ()
    text = body[tokens[first].start : tokens[stop - 1].end]
    names = [text]
    before = tokens[first - 1] if first else None
    if before is not None and before.lower in _ARTICLES:
        names.insert(0 if before.text[:1].isupper() and first > 1 else 1, f"{before.text} {text}")
    last = tokens[stop - 1].text
    one = _singular(last) if plural and last.islower() else None
    if one is not None:
        names.append(text[: len(text) - len(last)] + one)
    if stop - first > 1 and last.lower() in _SPOKEN:
        names.append(text[: len(text) - len(last)].rstrip() + _SPOKEN[last.lower()])
    return tuple(names)


_SPOKEN = {"plus": "+", "sharp": "#"}  # "the Ox plus" is the Ox+


def _singular(word: str) -> str | None:
    if not word.isalpha() or word.endswith(_UNCOUNTED) or not word.endswith("s"):
        return None
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    one = word[:-2] if word.endswith(("ches", "shes", "xes", "sses", "zes")) else word[:-1]
    return one if len(one) >= 3 and any(letter in "aeiouy" for letter in one) else None


# Attributes


def choose(question: WorldQuestion, found: Sequence[Found]) -> tuple[list[Choice], str | None]:
    """The facts that may answer, best first; and the key of what is not stored, where a subject is that lacks it."""
    by_name: dict[str, list[Found]] = {}
    for item in found:
        by_name.setdefault(item.subject, []).append(item)
    choices: list[Choice] = []
    by_alias: list[Choice] = []
    missing: str | None = None
    for span in question.spans:
        for name in span.names:
            for item in by_name.get(name, ()):
                chosen = _of(question, span, item)
                (by_alias if item.by_alias else choices).extend(chosen)
                if not chosen and missing is None and item.attributes and not _has_more_of_a_name(question, span):
                    missing = f"{item.entity}/{_missing(question, span)}"
    return [*choices, *by_alias], missing


def _has_more_of_a_name(question: WorldQuestion, span: Span) -> bool:
    """Say whether a word before the subject reads like a part of its name: "of Upper Lisbon"."""
    at = span.first - 1
    if at < 1 or question.tokens[at].lower in EMPTY:
        return False
    return question.tokens[at - 1].lower in ("of", "in", "for", "the", "a", "an")


def key_of_nothing(question: WorldQuestion) -> str:
    """The key of a question whose subject is not stored under any of its names."""
    span = _likely(question)
    subject = normalise(span.names[0])[:MAX_COMPONENT].strip("_") or "unknown"
    return f"world/fact/{subject}/{_missing(question, span)}"


def _likely(question: WorldQuestion) -> Span:
    """The words that most likely are the subject: what follows the last "of" or "in", else the longest run."""
    lowers = [token.lower for token in question.tokens]
    for at in range(len(lowers) - 1, 0, -1):
        if lowers[at] in ("of", "for", "in", "on"):
            after = [span for span in question.spans if span.first > at]
            if after:
                return after[0]
    beside = [(span, words_beside(question, span)) for span in question.spans]
    explained = [span for span, left in beside if left and _asked_by_table(question, left)]
    return explained[0] if explained else question.spans[0]


def words_beside(question: WorldQuestion, span: Span) -> list[str]:
    """The words beside the subject that say something."""
    outside = [*question.tokens[: span.first], *question.tokens[span.stop :]]
    left = [t.lower for t in outside if t.lower not in EMPTY and t.lower not in _ADVERBS]
    if question.form == "when" and outside and outside[-1].lower == "over":  # "when is it over" is not "when is it"
        left.append("over")
    return left


def is_itself(question: WorldQuestion, span: Span) -> bool:
    """Say whether nothing but the thing that a span names is asked for."""
    bag = frozenset(map(root, words_beside(question, span)))
    return bag <= ITSELF_ROOTS and not question.needs_noun and _is_about_it(question, span, bag)


def _asked_by_table(question: WorldQuestion, left: Sequence[str]) -> str | None:
    bag = frozenset(map(root, left))
    if not bag and question.form == "what":
        return "definition"
    for number in _lines_for().get(bag, ()):
        family = FAMILIES[number]
        if question.form in family.forms.split() and family.past in (None, question.is_past):
            return family.names.split()[0]
    return None


def _missing(question: WorldQuestion, span: Span) -> str:
    left = words_beside(question, span)
    if not left and question.form in ("what", "who"):
        return "definition"
    name = _asked_by_table(question, left) or normalise("_".join(left))
    return name[:MAX_COMPONENT].strip("_") or "definition"


def _of(question: WorldQuestion, span: Span, item: Found) -> list[Choice]:
    """The attributes of a stored subject that answer a question, best first."""
    left = words_beside(question, span)
    subject = span.names[0] if item.subject not in span.names else item.subject
    if item.alias is not None:
        attribute = item.alias.rsplit("/", 1)[-1]
        is_thing = attribute in THE_THING.split()
        plain = frozenset(map(root, left)) <= ITSELF_ROOTS
        asked = (
            question.form == "what" or (question.form == "who" and is_thing) or attribute == _missing(question, span)
        )
        form: Form = question.form if is_thing else "what"
        return [Choice(subject, item.alias, attribute, form, is_itself=True)] if plain and asked else []
    if question.form == "is":
        outside = {token.lower for token in (*question.tokens[: span.first], *question.tokens[span.stop :])}
        confirming = [] if "over" in outside else _confirming(question, left, subject, item)
        return list(dict.fromkeys([*confirming, *_asked_of(question, span, subject, item)]))
    lowers_after = {token.lower for token in question.tokens[span.stop :]}
    left = [word for word in left if word not in _OF_THE_SUBJECT or word not in lowers_after]
    if any(word in PERSONAL or word in world_words.NEVER_DROPPED for word in left):
        return []

    def choice(attribute: str, is_itself: bool = False, mentions: Iterable[str] = ()) -> Choice:
        key = f"{item.entity}/{attribute}"
        return Choice(subject, key, attribute, question.form, is_itself, tuple(mentions))

    bag = frozenset(map(root, left))
    if bag <= ITSELF_ROOTS and not question.needs_noun and _is_about_it(question, span, bag):
        special = _without_words(question, span)
        names = special if special else [*left, *THE_THING.split()] if question.form in ("what", "who") else []
        if question.form == "what" and not bag and not special:
            names.append("value")
        if question.form == "what" and _ends_with_do(question, span):
            names = ["function", "purpose", "job", "occupation", "role", "use", *names]
        stored = [name for name in dict.fromkeys(names) if name in item.attributes]
        if stored:
            return [choice(stored[0], stored[0] in THE_THING.split())]
    chosen = [choice(name) for name in _asked(question, bag, item.attributes)]
    for other in _otherwise(question, bag):
        named = _asked(other.question, other.bag, item.attributes)
        chosen += [replace(choice(name), form=other.question.form) for name in named]
    if chosen:
        return chosen
    if question.form == "many" and len(left) == 1:
        counted = [name for name in item.attributes if roots(name) & _COUNTED]
        return [choice(name, mentions=left) for name in counted]
    period = _period(question, span)
    if period is not None:
        plainly = bag - {root(period)} - roots("each every per")
        named = [name for name in _asked(question, plainly, item.attributes) if plainly]
        for other in _otherwise(question, plainly):
            named += _asked(other.question, other.bag, item.attributes)
        return [choice(name, mentions=(period,)) for name in dict.fromkeys(named)]
    if question.form == "what" and question.tokens[0].lower in _KINDS and bag - ITSELF_ROOTS <= _SORTS:
        return [choice(name, True) for name in THE_THING.split() if name in item.attributes][:1]
    if len(left) == 1 and question.form == "what" and not question.needs_noun and _is_apposed(question, span, left[0]):
        return [choice(name, True, left) for name in THE_THING.split() if name in item.attributes][:1]
    return []


def _asked(question: WorldQuestion, bag: frozenset[str], attributes: Sequence[str]) -> list[str]:
    """The attributes that words ask for: by their names, the shortest first, then by the table."""
    by_name = [name for name in attributes if _is_named(name, bag, question)]
    found = sorted(by_name, key=lambda name: (len(name), name))
    by_family = _by_family(question, bag, attributes)
    if by_family is not None:
        found.append(by_family)
    return list(dict.fromkeys([*found, *_measured(question, bag, attributes)]))


class _Otherwise(NamedTuple):
    question: WorldQuestion
    bag: frozenset[str]


def _otherwise(question: WorldQuestion, bag: frozenset[str]) -> list[_Otherwise]:
    """The same question in other words: "its date of birth" is "when born", "in which city born" is "where born"."""
    found = []
    times, places, degrees = bag & _TIME_NOUNS, bag & _PLACE_KINDS, bag & _DEGREES
    if question.form == "what" and times and bag - times:
        found.append(_Otherwise(replace(question, form="when", is_past=True), bag - times))
    if question.form == "what" and places and bag - places:
        found.append(_Otherwise(replace(question, form="where"), bag - places))
    numbers = bag & _NUMBER_NOUNS
    if question.form == "what" and numbers and bag - numbers:
        found.append(_Otherwise(replace(question, form="many"), bag - numbers))
    if question.form == "how" and degrees and bag - degrees:
        found.append(_Otherwise(replace(question, form="many"), bag - degrees))
    if question.form == "what" and bag & _TOWNS and bag <= _TOWNS | _STAYS and _is_in_it(question):
        found.append(_Otherwise(replace(question, form="where"), frozenset()))
        found.append(_Otherwise(replace(question, form="where"), roots("base")))
    if question.form == "what" and bag and bag <= _PLACES_IN_TOWN and _is_in_it(question):
        found.append(_Otherwise(replace(question, form="what"), roots("address")))
    if question.form == "when" and bag & _HELD and bag - _HELD:
        found.append(_Otherwise(question, bag - _HELD))
    if bag & _GREAT and bag - _GREAT:
        found.append(_Otherwise(question, bag - _GREAT))
    named = frozenset(_named_first(question)) & bag
    soft = bag - SOFT_ROOTS - LIGHT_ROOTS
    did = any(token.lower == "did" for token in question.tokens)  # then it is about something that happened
    if soft and soft != bag and soft <= named and not did and question.form in ("what", "many", "much"):
        found.append(_Otherwise(question, soft))  # "which river flows through it"
    return found


def _is_in_it(question: WorldQuestion) -> bool:
    """Say whether a kind of place is asked for by "in": "in which town is it", "which town does it sit in"."""
    return question.is_in or question.tokens[-1].lower in ("in", "on", "at")


def _named_first(question: WorldQuestion) -> list[str]:
    """The roots of the words right after the question word, up to the verb: "which kind of river | flows"."""
    found = []
    for token in question.tokens:
        if token.lower in _VERBS or token.lower in SOFT_WORDS:
            break
        found.append(root(token.lower))
    return found


def _measured(question: WorldQuestion, bag: frozenset[str], attributes: Sequence[str]) -> list[str]:
    """The measure of a part: `battery_life` for "how long does the battery last", `fleet_size` for "how big"."""
    if question.form not in ("how", "much", "many"):
        return []
    found = []
    if question.form == "many" and bag & _UNITS:
        bag = (bag - _UNITS) | {root("long")}
    for degree, nouns in _MEASURES:
        if degree not in bag and not (degree == "much" and question.form == "much"):
            continue
        rest = bag - {degree} - _AS_MEASURED
        for name in attributes:
            parts = roots(name)
            measure = parts & nouns
            if rest and measure and parts - measure == rest and name not in found:
                found.append(name)
    return found


def _is_about_it(question: WorldQuestion, span: Span, bag: frozenset[str]) -> bool:
    """Say whether small words leave it at the thing itself: "what is on it" and "what do you eat" ask for more."""
    if _without_words(question, span):
        return True
    small = {token.lower for token in (*question.tokens[: span.first], *question.tokens[span.stop :])}
    if small & _ELSEWHERE or (small & _SOMEBODY and not bag & _NAMED_BY):
        return question.form in ("when", "where") and not small & _SOMEBODY
    return not ("for" in small and bag & _WORDS_FOR)


def _without_words(question: WorldQuestion, span: Span) -> list[str]:
    """What a question asks for by its small words alone: "what is in it", "who is it by"."""
    lowers = [token.lower for token in question.tokens]
    before = [word for word in lowers[: span.first] if word not in _ARTICLES]
    after = lowers[span.stop :]
    if question.form == "what" and before in (["is", "in"], ["are", "in"], ["goes", "into"]):
        return ["ingredients", "contents", "composition", "made_of", "components"]
    if question.form == "where" and after == ["from"]:
        return ["origin", "origins", "source", "hometown", "place_of_origin"]
    if question.form == "who" and (after == ["by"] or before == ["is", "by"]):
        return ["author", "writer", "composer", "painter", "artist", "director", "creator", "made_by"]
    return []


def _ends_with_do(question: WorldQuestion, span: Span) -> bool:
    after = [token.lower for token in question.tokens[span.stop :]]
    return after == ["do"]


def _period(question: WorldQuestion, span: Span) -> str | None:
    """The period at the end of a question: "a year", "each month". The value must speak of it as well."""
    if span.stop + 2 > len(question.tokens):
        return None
    each, period = question.tokens[-2].lower, question.tokens[-1].lower
    return period if each in _EACH and period in _PERIODS else None


def _is_apposed(question: WorldQuestion, span: Span, word: str) -> bool:
    """Say whether a word only says what kind of thing the subject is: "the language C"."""
    at = span.first - 1
    return at >= 1 and question.tokens[at].lower == word and question.tokens[at - 1].lower == "the"


def _is_named(attribute: str, bag: frozenset[str], question: WorldQuestion) -> bool:
    """Say whether the words of a question are the name of an attribute."""
    if not bag:
        return False
    parts = frozenset(root(part) for part in attribute.split("_") if part not in EMPTY)
    plain = bag - LIGHT_ROOTS
    is_past_form = attribute.split("_")[0].endswith("ed")
    if question.form == "when" and is_past_form and not question.is_past:
        return False
    if question.form == "where" and _is_somebody(attribute):
        return False  # where the mayor is, is not who that is
    if parts and (parts in (bag, plain) or parts - LIGHT_ROOTS == plain != frozenset()):
        return True
    match question.form:
        case "when":
            return bool(parts - TIME_PARTS) and parts - TIME_PARTS == bag and bool(parts & TIME_PARTS or is_past_form)
        case "where":
            return bool(parts - PLACE_PARTS) and parts - PLACE_PARTS == bag
        case "who":
            by = attribute.endswith("_by") and parts - BY_PARTS == bag
            *others, last = attribute.split("_")
            agent = _agent_of(last)
            does = agent is not None and frozenset((*map(root, others), agent)) == bag
            offices = parts & _OFFICES and bag & _IN_CHARGE and parts - _OFFICES == bag - _IN_CHARGE != frozenset()
            return by or does or bool(offices)
        case "many":
            return bool(parts - _NUMBER_PARTS) and parts - _NUMBER_PARTS in (bag, plain)
    return False


def _is_somebody(attribute: str) -> bool:
    """Say whether an attribute is named like a person: founder, mayor, head."""
    last = attribute.rsplit("_", 1)[-1]
    return last in PEOPLE or last == "ceo" or (last not in THINGS and last.endswith(_OF_PEOPLE))


def _agent_of(attribute: str) -> str | None:
    """The root of the verb that somebody is named by: own for owner, direct for director."""
    name = attribute.removesuffix("s")
    for ending in ("er", "or"):
        if name.endswith(ending) and len(name) > len(ending) + 2:
            verb = name[: -len(ending)]
            if len(verb) > 3 and verb[-1] == verb[-2] and verb[-1] not in "lsz":
                verb = verb[:-1]
            return verb if verb == "found" else root(verb)
    return None


def _by_family(question: WorldQuestion, bag: frozenset[str], attributes: Sequence[str]) -> str | None:
    plain = bag - LIGHT_ROOTS
    lines = _lines_for()
    for number in sorted({*lines.get(bag, ()), *(lines.get(plain, ()) if plain else ())}):
        family = FAMILIES[number]
        if question.form not in family.forms.split() or family.past not in (None, question.is_past):
            continue
        stored = [name for name in family.names.split() if name in attributes]
        if len(stored) == 1 or (stored and not family.alone):
            return stored[0]
    return None


def _confirming(question: WorldQuestion, left: Sequence[str], subject: str, item: Found) -> list[Choice]:
    """For "is Paris the capital of France": the fact whose name and value are all that was said."""
    found = []
    for attribute in item.attributes:
        parts = roots(attribute)
        rest = [word for word in left if root(word) not in parts]
        named = len(rest) < len(left)
        if rest and (named or (attribute in THE_THING.split() and len(rest) > 1)):
            found.append(Choice(subject, f"{item.entity}/{attribute}", attribute, "is", False, tuple(rest)))
    for word in dict.fromkeys(left):
        rest = [other for other in left if other != word]
        for form in _CONFIRMED if rest else ():
            name = _by_family(replace(question, form=form), frozenset((root(word),)), item.attributes)
            if name is not None:
                found.append(Choice(subject, f"{item.entity}/{name}", name, "is", False, tuple(rest)))
    return list(dict.fromkeys(found))


_CONFIRMED: tuple[Form, ...] = ("who", "where", "when", "much", "how")


def _asked_of(question: WorldQuestion, span: Span, subject: str, item: Found) -> list[Choice]:
    """For "does the Heron cost 900 euros": the attribute that is spoken of, with the value that is said of it."""
    outside = [*question.tokens[: span.first], *question.tokens[span.stop :]]
    lowers = {token.lower for token in outside}
    if question.is_past or lowers & world_words.NEVER_DROPPED or lowers & _COMPARING:
        return []
    left = [token for token in outside if token.lower not in EMPTY and token.lower not in _ADVERBS]
    values = [
        token
        for at, token in enumerate(left)
        if token.text[:1].isupper() or token.text[:1].isdigit() or (at and left[at - 1].text[:1].isdigit())
    ]
    bag = frozenset(root(token.lower) for token in left if token not in values)
    if not values or not bag or not PERSONAL.isdisjoint([token.lower for token in left]):
        return []
    found: list[Choice] = []
    for form in _FORMS_OF_VALUES:
        for attribute in _asked(replace(question, form=form), bag, item.attributes):
            key = f"{item.entity}/{attribute}"
            if key not in [choice.key for choice in found]:
                mentions = tuple(token.lower for token in values)
                found.append(Choice(subject, key, attribute, "is", False, mentions, is_named=True))
    return found


_COMPARING = frozenset(
    (
        "than",
        "more",
        "less",
        "fewer",
        "over",
        "under",
        "above",
        "below",
        "least",
        "most",
        "nearly",
        "almost",
        "still",
        "only",
    )
)
_FORMS_OF_VALUES: tuple[Form, ...] = ("what", "much", "many", "where", "who", "when", "how")

# Values

_WORD = re.compile(r"[^\W_]+(?:['’.][^\W_]+)*")
_DENIES = re.compile(r"\b(?:not|never|no|nor|neither)\b|n['’]t\b", re.IGNORECASE)
_ABOUT_A_PERSON = re.compile(r"\b(?:who|whose|he|she|his|her|him|born|died)\b", re.IGNORECASE)
_HEAD_ENDS = re.compile(
    r"[,.;:(]|\b(?:who|whose|of|that|which|in|for|from|with|and|to|at|by|known|born|used)\b", re.IGNORECASE
)


def fits(choice: Choice, value: str) -> bool:
    """Say whether a value is of the kind that was asked for: a time for "when", a number for "how many"."""
    said = [word.lower() for word in _WORD.findall(value)]
    has_number = any(any(letter.isdigit() for letter in word) for word in said)
    there = frozenset(map(root, said))
    if choice.mentions and not all(root(word) in there or word in said for word in choice.mentions):
        return False
    match choice.form:
        case "is":
            return not _DENIES.search(value)
        case "when":
            return has_number or bool(MONTHS.intersection(said))
        case "where":
            return bool(said) and not all(word[:1].isdigit() for word in said)
        case "many" | "much":
            return has_number or bool(NUMBERS.intersection(said))
        case "who":
            if choice.is_itself:
                return _is_person(value)
            return bool(said) and not said[0][:1].isdigit()
    return True


_OF_PEOPLE = ("er", "or", "ist", "ian", "ess", "eer", "man", "woman", "men", "smith", "wright", "eur", "ant")


def _is_person(definition: str) -> bool:
    """Say whether a definition reads like that of a person or of people."""
    if _ABOUT_A_PERSON.search(definition):
        return True
    ends = _HEAD_ENDS.search(definition)
    head = _WORD.findall(definition[: ends.start()] if ends else definition)
    last = head[-1].lower() if head else ""
    if last in PEOPLE:
        return True
    return last not in THINGS and last.endswith(_OF_PEOPLE)
