"""What the law protects by name (religion, opinions, orientation, convictions...), and pay, maiden name, blood group.

Pure. A field of that name, a label and its value in a text, or a statement about a person: a person, a verb of the same
language and a word for what they are. The word alone is knowledge, not personal data: `religion is a set of beliefs`
passes. Values are medium: with consent they may be kept.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.illness import sentence_around
from mace.governance.detectors.illness_words import ASKING, QUESTION_SIGNS
from mace.governance.detectors.late import late
from mace.governance.detectors.special_words import FIELDS, HINDI_FIELDS, LABELS, PLAIN_WORDS, TERMS
from mace.governance.detectors.statements import (
    AFTER,
    AFTER_OWN,
    MEMBER_AFTER,
    MEMBER_BEFORE,
    PERSON_BEFORE,
    said_before,
)
from mace.governance.detectors.view import View, fold_name

RULES = {f"{kind}.declared": Rule(kind, 1) for kind in FIELDS} | {f"{kind}.said": Rule(kind, 1) for kind in LABELS}

_CUES = {kind: Cue(LABELS[kind]) for kind in LABELS}
_FIELDS = {
    kind: late(f"(?:^|_)(?:{'|'.join([*names, *map(fold_name, HINDI_FIELDS.get(kind, ()))])})$")
    for kind, names in FIELDS.items()
}
_TERMS = {kind: Cue(terms) for kind, terms in TERMS.items()}
CUES = (*_CUES.values(), *_TERMS.values())

_LINK = late(
    r"(?:\s(?:of|di|de|der|des|del|my|mother|matki|mutter|madre|mere|mae|moeder|mor|"
    r"mother's|is|in)\b){0,3}(?:\s[^\W\d_]{4,20}(?=\s?[:：]))?"
    r"[\"'*\])]{0,3}\s{0,2}(?P<link>[:=：]|->|\b(?:is|was|ist|lautet|est|es|e|jest|to|ar|"
    r"ar:|är|on)\b|は|は、|是|为|為|은|는)\s{0,3}"
)
_VALUE = late(r"[\"'`(]?([^\s,.;:!?\n\"'(){}\[\]<>=|][^,.;!?\n\"'(){}\[\]<>=|]{0,59})")
_MONEY = late(
    r"[^\n.;!?a-z0-9]{0,6}[0-9][0-9.,' ]{0,14}[0-9k]?\s?(?:[€$£¥₩₽%]|k|eur\w*|usd|gbp|chf|"
    r"pln|sek|brl|zl|zł|kr|tl|万円|万|元|円|천만원|천만|만원|원|रुपये|रुपए|руб\w*|bruto|"
    r"brutto|brut|gross|net)?",
    re.I,
)
_BLOOD = late(r"(?:AB|A|B|O|0)\s?(?:rh\s?)?(?:\+|-|(?:pos|neg)\w{0,6}|plus|minus|型|형)?(?![\w])", re.I)
_POSSESSIVE = late(
    r"\b(?:my|his|her|their|our|meine?|ma|mon|mi|la mia|il mio|minha|meu|mijn|moje?|moja|"
    r"min|mitt|'s|sein|ihre?)\b[\w' ]{0,24}$|"
    r"(?:мой|моя|моё|у меня|私の|我的|저의|제|내|benim)\s?$"
)
_NOTHING = late(
    r"(?i)\s*(?:none|no|n/?a|null|nil|unknown|nothing|keine?|aucune?|ninguna?|nessuna?|"
    r"nenhuma?|geen|brak|inga?|-|0|false|true|low|medium|high|str|string|text|yes|ja|oui|si|sim|required|optional)?\s*\Z"
)
_CODE = late(r"[A-Za-z_]\w*[(\[.]|[A-Z][a-z]+\(|None\b|null\b|str\b|int\b|bool\b|string\b|\$|%|\{")
_VERBS = late(
    r"(?:convicted|conviction|found|arrested|served|sentenced|verurteilt|vorbestraft|"
    r"condamn|conden|condann|veroord|kara|skaz|domd|осу|судим|vote|voted|make|earn|"
    r"verdien|gagne|gano|ganho|guadagno|zarabiam|tjanar|зараб)"
)
_PROSE = late(
    r"(?i)(?:a|an|the|one|any|not|what|how|why|where|when|that|this|such|based|also|often|"
    r"about|defined|eine?|der|die|das|un|une|le|la|il|um|uma|een|nie|inte)\s"
)
_CLOSED = late(r"[^\W_][^=<>{}\[\]\\|]{0,60}")
_NEXT_FIELD = late(r"[。；｜\u3000]|\s{2,}|[\s、,，/／]+[^\s、,，/／:：]{1,16}\s?[:：]")
_FIELD_CUT = late(
    r"[、。，；｜\u3000／(（]|\s{2,}|\s+/|[\s/]+[^\s:：]{1,16}\s?[:：]|\s[-–—]\s|です|입니다|でした|이고|이며"
)
_LONGER = late(r"[^\n;|\"{}<>=]{0,60}")


def find(view: View) -> Iterator[Hit]:
    """Yield what is protected by name in a view."""
    text = view.text
    if view.field and not view.field.startswith("world_"):
        value = text.strip()
        if 1 <= len(value) <= 200 and _NOTHING.match(value) is None:
            for kind, name in _FIELDS.items():
                if name.search(view.field) and _suits(kind, value):
                    start = text.index(value)
                    yield Hit(f"{kind}.declared", start, start + len(value))
    for kind, cue in _CUES.items():
        if cue.in_text(view):
            for at, end in cue.occurrences(view):
                yield from _said(view, kind, at, end)
    for kind, cue in _TERMS.items():
        if cue.in_text(view):
            for at, end in cue.occurrences(view):
                yield from _belongs(view, kind, at, end)


_CLAUSE = late(r"[^.,;:!?\n\"()。、，]{0,60}(?=[.,;:!?\n\"()。、，]|\Z)")
_CLAUSE_END = late(r"[.,;:!?\n()\"。、，；！？`|](?:\s|(?<=[。、，；！？\n`|]))")
_REACH = 90


def _belongs(view: View, kind: str, at: int, end: int) -> Iterator[Hit]:
    """Yield what is stated of a person: who, a verb of the same language, and what they are or belong to."""
    text, said, bare = view.text, view.lower[at:end], end
    end = _word_end(text, end)
    start, stop = sentence_around(text, at)
    words = view.lower[start:stop].split(None, 1)
    if (
        not words
        or words[0].strip("¿\"'([") in ASKING
        or any(sign in view.lower[start:stop] for sign in QUESTION_SIGNS)
    ):
        return
    if not _stated(view, start, at, end, said) and (end == bare or not _stated(view, start, at, bare, said)):
        return
    if kind == "criminal_record":  # what for, when and where belongs to it
        clause = _CLAUSE.match(text, end)
        end = clause.end() if clause is not None else end
    yield Hit(f"{kind}.said", at, end)


def _stated(view: View, start: int, at: int, end: int, said: str) -> bool:
    """Say whether the clause before a term, or what follows it, states it of a person."""
    lower = view.lower
    begin = max(start, at - _REACH)
    for match in _CLAUSE_END.finditer(lower, begin, at):
        begin = match.end()
    before, after = lower[begin:at], lower[end : end + 40]
    if said in PLAIN_WORDS and MEMBER_BEFORE.search(before) is None:
        return MEMBER_AFTER.match(after) is not None and PERSON_BEFORE.search(before) is not None
    if before.endswith("sono ") and lower[at : end + 1].rstrip(" .,").endswith("i"):
        return False  # they are, said of many
    if said_before(before) or AFTER_OWN.match(after) is not None:
        return True
    return AFTER.match(after) is not None and PERSON_BEFORE.search(lower[start:at]) is not None


def _suits(kind: str, value: str) -> bool:
    """Say whether a value can be what its field is called."""
    if kind == "salary":
        return any(char.isdigit() for char in value)
    if kind == "blood_type":
        return _BLOOD.match(value) is not None
    if kind == "political_view" or kind == "union_membership":
        return value.lower() not in ("yes", "no") and any(char.isalpha() for char in value) and len(value) <= 80
    return any(char.isalpha() for char in value) or kind == "criminal_record"


_SHORT = late(
    r"(?<=[\u3041-\u9fff\uac00-\ud7a3])(?:です|でした|で|を|に|と|から|が|的|입니다|이고|"
    r"이며|이에요|예요|를|을)|\s(?:है|हूँ|हूं|के|का|की)"
)


def _term_in(view: View, kind: str, start: int, end: int) -> tuple[int, int] | None:
    """Return where a value names what people are or belong to, if it does: the rest of it is a sentence."""
    cue = _TERMS.get(kind)
    if cue is None or kind == "criminal_record" or not cue.in_text(view):
        return None
    for at, stop in cue.occurrences(view):
        if start <= at < end:
            return at, _word_end(view.text, stop)
    return None


def _word_end(text: str, end: int) -> int:
    while end < len(text) and text[end].isalpha() and text[end] < "\u0900":
        end += 1
    return end


_NEXT_TO = late(r"[^\W\d_]{0,4}(?P<link>\s{0,2})(?=[0-9€$£A-Z])")


_FIELD_START = late(
    r"(?:\A|[\n,;:|{(\[\"'•*\-–>.!?。、，：；・／/】」]\s{0,3}|\b(?:my|his|her|their|patient|employee|customer)\s(?:[\w'’]+\s)?)\Z"
)


def _said(view: View, kind: str, at: int, end: int) -> Iterator[Hit]:
    """Yield the value that a label leads to: after a sign, or after `is` where it is somebody's."""
    text = view.text
    while end < len(text) and text[end].isalpha() and text[end].isascii():
        end += 1
    verb = _VERBS.match(view.lower, at) is not None
    if verb and not _stated(view, max(0, at - _REACH), at, end, "") and not _is_person_right(text, at):
        return
    link = _LINK.match(text, end, end + 60)
    if link is None and not verb and (text[at] >= "\u0900" or kind in ("salary", "blood_type")):
        link = _NEXT_TO.match(text, end, end + 12)  # the verb stands at the end, or is left out
    if link is None and not verb:
        return
    own = _POSSESSIVE.search(view.lower, max(0, at - 40), at) is not None
    sign = link is not None and link["link"] in (":", "：", "=", "->")
    near = kind in ("salary", "blood_type") and link is not None and not link["link"].strip()
    if not verb and not sign and not own and not near and (link is None or link["link"].isascii()):
        return
    if sign and link is not None and link["link"] == "=" and not own:
        return  # an assignment in a program
    known = verb or own or (sign and _FIELD_START.search(text, max(0, at - 40), at) is not None)
    place = link.end() if link is not None else end
    if kind == "salary":
        value = _MONEY.match(text, place)
        if value is None and verb:
            value = _MONEY.match(text, end)
        if value is not None and any(char.isdigit() for char in value.group()) and _enough_money(value.group()):
            lead = len(value.group()) - len(value.group().lstrip())
            yield Hit("salary.said", value.start() + lead, value.start() + len(value.group().rstrip(" ,.")))
        return
    if kind == "blood_type":
        blood = _BLOOD.match(text, place)
        if blood is not None:
            yield Hit("blood_type.said", *blood.span())
        return
    while place < len(text) and text[place] == " ":
        place += 1
    found = _VALUE.match(text, place)
    if found is None or _NOTHING.match(found[1]) or _CODE.match(found[1]) or (_PROSE.match(found[1]) and not verb):
        return
    value_text = (found[1] if sign else _CUT.split(found[1])[0]).rstrip()
    if _CLOSED.match(value_text) is None or (value_text[0].isdigit() and kind != "criminal_record"):
        return
    if sign and known and kind == "criminal_record":  # what for, and when
        longer = _LONGER.match(text, found.start(1))
        value_text = _NEXT_FIELD.split(longer.group())[0].rstrip(" .,") if longer is not None else value_text
    elif sign:
        value_text = _FIELD_CUT.split(value_text)[0].rstrip()
    term = None if sign and known else _term_in(view, kind, found.start(1), found.start(1) + len(value_text))
    if term is not None:
        yield Hit(f"{kind}.said", *term)
        return
    if not sign:
        value_text = " ".join(_SHORT.split(value_text)[0].split(" ")[:4]) or value_text
    if not known or len(value_text.split()) > (9 if kind == "criminal_record" else 5):
        return  # a sentence, and nothing that people are
    if kind == "maiden_name" and not (value_text[0].isupper() or not value_text[0].isascii()):
        return
    yield Hit(f"{kind}.said", found.start(1), found.start(1) + len(value_text))


_PERSON_RIGHT = late(r"(?i)\b(?:i|he|she|we|ich|er|sie|je|j'|il|elle|ik|hij|jag|han|hon)\s(?:\w+\s){0,2}\Z")


def _is_person_right(text: str, at: int) -> bool:
    """Say whether a person stands before a verb with at most two words between; all of it within three gaps."""
    begin = max(0, at - 120)
    if begin and len(text[begin:at].split(None, 4)) < 5:  # words as long as that: all of them are read
        begin = 0
    return _PERSON_RIGHT.search(text, begin, at) is not None


_CUT = late(
    r"\s(?:and|but|because|in|on|since|for|und|aber|et|mais|y|pero|e|ma|mas|en|maar|i|ale|"
    r"och|men|who|which|at|with)\s|です|입니다|이에요|예요"
)


def _enough_money(written: str) -> bool:
    digits = re.sub(r"[^0-9]", "", written)
    return len(digits) >= 4 or any(sign in written.lower() for sign in ("k", "€", "$", "£", "¥", "₩", "₽", "万", "만"))
