"""What a turn states about its speaker: which attribute, which value. For showing a correction beside what it corrects.

Pure, by a few fixed forms, in the first person only; what fits none states nothing. Nothing is stored because of it:
a turn that is read wrongly here only stands beside another line.
"""

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass

from mace.memory.context.english import STOPWORDS, words_of
from mace.memory.keys import normalise


@dataclass(frozen=True, slots=True)
class Stated:
    """A value that a turn gives to an attribute."""

    attribute: str  # as keys call it
    value: str
    is_all: bool  # the turn says nothing else


_FIRST_PERSON = re.compile(r"\b(?:my|i|i'm|i've|me)\b", re.IGNORECASE)
_MOST_READ = 2000  # characters of a turn
_VALUE = r"(?P<value>[^.!?;,\n]{1,200})"
_NOW = r"(?:(?:now|actually|currently|recently|just) )*"
_ATTRIBUTE = r"(?:(?:new|current|latest|present) )?(?P<attribute>[a-z][a-z0-9 -]{0,60}?)"
_BEGIN = (
    r"(?:^|[.!?;,:\n]\s*|\b(?:and|but|that|so|well|no|hi|hello|remember|note) )"
    r"(?:actually |now |well |no |in fact |please |remember |note |that )*"
)
_SELF = re.compile(
    rf"{_BEGIN}my {_ATTRIBUTE}"
    r"(?: (?:is|are|becomes|became|(?:was |has |have )?changed (?:from [^.!?;,\n]{1,80} )?to) |'s |\s?[:=] ?)"
    rf"{_NOW}{_VALUE}",
    re.IGNORECASE,
)
_NO_MORE = re.compile(
    rf"{_BEGIN}my {_ATTRIBUTE} (?:is no longer|are no longer|isn't|is not|aren't|are not) {_VALUE}", re.IGNORECASE
)
_TURNED = re.compile(
    r"(?:^|[.!?;:\n]\s*|\b(?:and|but|so) )(?P<value>[^.!?;,:\n]{1,80}?)"
    rf" (?:is|are) {_NOW}my {_ATTRIBUTE}(?=$|[.!?;,\n]| now)",
    re.IGNORECASE,
)
_NOT_ANY_MORE = re.compile(
    r"\bi(?:'m| am) (?:no longer|not) (?:an? )?(?P<attribute>[a-z][a-z -]{1,40}?)(?: any ?more| now)?(?=$|[.!?;,\n])",
    re.IGNORECASE,
)
# Sentences that state an attribute without naming it.
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (attribute, re.compile(form, re.IGNORECASE))
    for attribute, form in (
        (
            "city",
            rf"\bi (?:{_NOW}live|{_NOW}moved|have moved|'ve moved|relocated|{_NOW}am living) (?:in|to|at) {_VALUE}",
        ),
        ("city", rf"\bi(?:'m| am) {_NOW}living (?:in|at) {_VALUE}"),
        ("city", rf"\bi(?:'ve| have) {_NOW}moved to {_VALUE}"),
        ("employer", rf"\bi {_NOW}work (?:at|for) {_VALUE}"),
        ("job", rf"\bi {_NOW}work as (?:an? |the )?{_VALUE}"),
        ("name", rf"\b(?:call me|my friends call me|i(?:'m| am) called) {_VALUE}"),
        ("age", r"\bi(?:'m| am) (?:now )?(?P<value>[0-9]{1,3}|[a-z]+(?:-[a-z]+)?) years old"),
    )
)
# Names of attributes that are one to people.
_ONE = {
    "city": "city home home_city home_town hometown town location place residence lives_in place_of_residence",
    "job": "job occupation profession work role position job_title title",
    "employer": "employer company workplace works_at",
    "name": "name first_name nickname preferred_name",
    "age": "age",
    "phone": "phone phone_number telephone mobile",
    "email": "email e_mail email_address mail",
}
_CALLED = {name: one for one, names in _ONE.items() for name in names.split()}
_SPELLINGS = {"favourite": "favorite", "colour": "color", "fave": "favorite", "fav": "favorite"}
_MORE = re.compile(r"\s+(?:and|but|because|so|with|where|which|who|though|although|while|if)\s", re.I)
_SAYS_NOTHING = STOPWORDS | {"actually", "currently", "recently", "well", "fact", "anymore", "these", "days", "way"}
_TAIL = re.compile(r"\s+(?:now|these days|at the moment|since .*|instead|anymore|any more|as of .*|by the way)$", re.I)


def attribute_of(name: str) -> str:
    """What an attribute is called here, whatever its owner calls it."""
    parts = [_SPELLINGS.get(part, part) for part in normalise(name).split("_")]
    plain = "_".join(parts)
    return _CALLED.get(plain, plain)


def stated(text: str, attributes: Collection[str]) -> Stated | None:
    """The first thing that a turn states about one of these attributes, or None."""
    return next((found for found in all_stated(text) if found.attribute in attributes), None)


def all_stated(text: str) -> list[Stated]:
    """Everything that a turn states about its speaker, in the order of the text; of one attribute the first."""
    text = text[:_MOST_READ].replace("’", "'")
    if _FIRST_PERSON.search(text) is None:
        return []
    found: dict[str, tuple[int, Stated]] = {}
    for attribute, match, is_not in _matches(text):
        here = (match.start(), _stated(attribute, text, match, is_not))
        if here[1].value and (attribute not in found or here[0] < found[attribute][0]):
            found[attribute] = here
    return [one for _, one in sorted(found.values(), key=lambda item: (item[0], item[1].attribute))]


def _matches(text: str) -> Iterator[tuple[str, re.Match[str], bool]]:
    """What may be stated: of which attribute, where, and whether it is denied."""
    denied = {match.start() for match in _NO_MORE.finditer(text)}
    for form, is_not in ((_NO_MORE, True), (_SELF, False), (_TURNED, False), (_NOT_ANY_MORE, True)):
        for named in form.finditer(text):
            if form is _SELF and named.start() in denied:
                continue
            with suppress(ValueError):
                yield attribute_of(named["attribute"]), named, is_not
    for attribute, form in _FORMS:
        match = form.search(text)
        if match is not None:
            yield attribute, match, False


def same_value(one: str, other: str) -> bool:
    """Say whether two values are one: the same words, or one of them with something more behind it."""
    first, second = words_of(one), words_of(other)
    shorter = min(len(first), len(second))
    return bool(shorter) and first[:shorter] == second[:shorter]


def _stated(attribute: str, text: str, found: re.Match[str], is_not: bool) -> Stated:
    given = found.groupdict().get("value") or ""
    value = given.strip().strip("\"'“”")
    value = _TAIL.sub("", _MORE.split(value, maxsplit=1)[0]).strip()
    rest = text[: found.start()] + " " + given[len(value) :] + text[found.end() :]
    is_all = not any(word not in _SAYS_NOTHING for word in words_of(rest))
    return Stated(attribute, f"not {value}".strip() if is_not else value, is_all)
