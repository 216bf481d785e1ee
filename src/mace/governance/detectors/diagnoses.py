"""Medical diagnoses of a person: a condition, and somebody who has it.

Pure. A disease alone is knowledge, not personal data: `what is diabetes` passes, `I have diabetes` does not. From each
condition the words before it are walked backwards over verbs and fillers until a person is met: a pronoun, a relative,
a patient or a name. A declared field or an ICD-10 code with its cue needs no sentence. What would hurt: looking for a
person anywhere in the text, which blocks every question about health.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.conditions import (
    ADJECTIVES,
    BEING,
    CONDITIONS,
    FIELDS_OF_WORK,
    FILLERS,
    HAVING,
    NAME_BEFORE,
    NOBODY,
    OWNERS,
    POSSESSIVES,
    PRONOUNS,
    RELATIVES,
)
from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

RULES = {
    "diagnosis.person": Rule("diagnosis", 1),
    "diagnosis.stated": Rule("diagnosis", 1),
    "diagnosis.noted": Rule("diagnosis", 1),
    "diagnosis.icd10": Rule("diagnosis", 1),
    "diagnosis.declared": Rule("diagnosis", 1),
}

_CONDITION = Cue(CONDITIONS)
_AFTER_NAME = late(
    r"(?:'s)?(?:[\s\-](?:disease|disorder|syndrome|positive|mellitus|type\s[12]|type\s?i{1,2}|[a-e](?![\w])|"
    r"19(?![0-9])|stage\s[0-4iv]+|infection|palsy|sclerosis|arthritis|cancer|insipidus|failure|erythematosus|"
    r"vulgaris|deficit|with\saura)){0,3}"
)
_JOINED = late(r"\s?(?:,|and|&|or|,\sand)\s")
_NEXT_WORD = late(r"\s([a-z]+)")
_NOTED = late(
    r"(?:diagnos[ie]s|dx|impression|pmh|diagnose|diagnostico)\s{0,2}[:=\-]\s{0,2}(?:[\w\-]+[\s,]{1,2}){0,3}$", re.I
)
_SENTENCE_END = late(
    r"[.!?;:\n](?:(?<=\.)(?<!\b[A-Z][a-z]\.)(?<!\b[A-Z][a-z]{2}\.)(?<!\b[A-Z]\.)\s|(?<=[!?;:])\s|(?<=\n)\n)"
)

_STATED_CUE = Cue(
    ["diagnosed with", "diagnosed as", "diagnosis of", "diagnosticaron", "diagnosticado con", "diagnosticada con",
     "diagnostique*", "diagnostiziert"],
)  # fmt: skip
_STATED_VALUE = late(
    r"\s{1,2}(?:(?:having|a|an|the|un|una|une|con)\s)?([A-Za-z0-9][A-Za-z0-9'’\-]*(?:\s(?!(?:last|this|in|on|at|"
    r"when|and|but|by|after|before|since|two|three|years?|yesterday|today|recently|who|which|that|so|because|for|"
    r"during|from|ago|as|he|she|i|they|with|the)\b)[A-Za-z0-9'’\-]+){0,4})"
)
_STATED_VALUE_3 = late(
    _STATED_VALUE.pattern.replace(
        "with|the)",
        "with|the|el|la|los|las|en|hace|desde|cuando|tras|y|pero|este|esta|ayer|hoy|depuis|l'an|le|les|il|elle|et|"
        "dans|apres|seit|im|am|vor|und|letzte[srn]?)",
    )
)
_ICD_CUE = Cue(
    ["icd*", "diagnosis*", "diagnoses", "dx", "diagnose*", "diagnostic*"],
    fields=["icd(?:_?10)?(?:_?codes?)?", "diagnos[ie]s(?:_?codes?)?", "dx"],
)
_ICD = late(r"[A-TV-Z](?<![A-Za-z0-9.\-][A-TV-Z])[0-9][0-9AB](?:\.[0-9A-TV-Z]{1,4})?(?![A-Za-z0-9.\-]?[A-Za-z0-9])")
_ASKING = late(
    r"(?:^|[.!?\n])\s{0,2}(?:what|which|how|why|does|do|is|are|explain|define|list|describe|meaning)\b[^.!?\n]{0,80}$"
)
_FIELD = late(
    r"(?:^|_)(?:diagnos[ie]s|medical_?conditions?|health_?conditions?|medical_?history|illness(?:es)?|diseases?|"
    r"disorders?|disability|allerg(?:y|ies)|medications?|dx|comorbidit(?:y|ies)|diagnose|diagnostico|hiv_?status|"
    r"mental_?health|chronic_?conditions?)$"
)
_NONE = late(r"(?i)\s*(?:none|no|n/?a|null|nil|unknown|healthy|nothing|-|0|false)?\s*\Z")


def find(view: View) -> Iterator[Hit]:
    """Yield the diagnoses of persons in a view."""
    if view.field and _declares(view.field) and not _NONE.match(view.text) and not _is_level(view):
        value = view.text.strip()
        start = view.text.index(value)
        yield Hit("diagnosis.declared", start, start + len(value))
    if _CONDITION.in_text(view):
        last = 0
        for at, end in _CONDITION.occurrences(view):
            for hit in _of_person(view, at, end, last):
                last = hit.end
                yield hit
    if _STATED_CUE.in_text(view):
        yield from _stated(view)
    if view.has_digit and (_ICD_CUE.names(view.field) or _ICD_CUE.in_text(view)):
        for match in _codes(view):
            if _ICD_CUE.near(view, *match.span(), before=30, after=0) and not _asked(view, match.start()):
                yield Hit("diagnosis.icd10", *match.span())


def _codes(view: View) -> Iterator[re.Match[str]]:
    """Yield what is written like a code, where a cue may stand before it."""
    text = view.text
    stretches = [(0, len(text))] if _ICD_CUE.names(view.field) else _ICD_CUE.windows(view, 0, 40)
    for start, end in stretches:
        yield from _ICD.finditer(text, start, min(len(text), end + 12))


def _declares(field: str) -> bool:
    """Say whether a field holds somebody's diagnosis; what is kept under `world` is knowledge, not a person's."""
    return _FIELD.search(field) is not None and not field.startswith("world_")


def _is_level(view: View) -> bool:
    """Say whether a value only grades something (since version 2 of the rules)."""
    return view.version > 1 and view.lower.strip() in ("low", "medium", "high", "str", "string")


def somebody_has(words: list[str], adjective: bool) -> bool:
    """Say whether the words before a condition, the last first, lead to a person who has it."""
    has = False
    for index, word in enumerate(words[:9]):
        lower = word.lower().strip(",'\"()")
        if lower in FILLERS and not (lower in PRONOUNS and has):
            has = has or lower in HAVING or (adjective and lower in BEING)
            if lower in PRONOUNS:  # I'm, I've, he's
                return has or adjective
            continue
        return has and _is_person(word, lower, words[index + 1 :])
    return False


def _is_person(word: str, lower: str, before: list[str]) -> bool:
    if lower in PRONOUNS:
        return True
    if lower in ("patient", "pt", "client"):
        return not before or before[0].lower() not in ("a", "an", "any", "every", "each")
    if lower in RELATIVES:
        return any(other.lower() in POSSESSIVES for other in before[:2])
    return word[:1].isupper() and len(lower) > 1 and lower.rstrip(".") not in NOBODY


def _of_person(view: View, at: int, end: int, last: int) -> Iterator[Hit]:
    """Yield the condition at `at` if a person has it; one joined to what ended at `last` is theirs too."""
    lower = view.lower
    while end < len(lower) and lower[end].isalpha():
        end += 1
    adjective = lower[at:end] in ADJECTIVES
    end = after.end() if (after := _AFTER_NAME.match(lower, end)) else end
    follower = _NEXT_WORD.match(lower, end)
    if follower is not None and follower[1] in FIELDS_OF_WORK:
        return
    left = _sentence_before(view.text, at)
    words = left.split()[::-1]
    named = 0
    while named < min(4, len(words)) and words[named].lower() in NAME_BEFORE:
        named += 1
    start = at if named == 0 else view.text.rfind(words[named - 1], max(0, at - 90), at)
    words = words[named:]
    if (
        (words and (words[0].lower() in OWNERS or (words[0].endswith("'s") and words[0][:1].isupper())))
        or somebody_has(words, adjective or "positive" in lower[at:end])
        or _JOINED.fullmatch(lower, last, start)
    ):
        yield Hit("diagnosis.person", start, end)
    elif _NOTED.search(view.text[max(0, start - 60) : start]) is not None:
        yield Hit("diagnosis.noted", start, end)


def _sentence_before(text: str, at: int) -> str:
    """Return what stands before `at` in the same sentence, at most 90 characters, from a whole word on."""
    begin = max(0, at - 90)
    left = text[begin:at]
    cut = max((match.end() for match in _SENTENCE_END.finditer(left)), default=0)
    if cut == 0 and begin > 0:
        cut = left.find(" ") + 1
    return left[cut:]


def _stated(view: View) -> Iterator[Hit]:
    """Yield what somebody was diagnosed with, whatever it is called."""
    for at, end in _STATED_CUE.occurrences(view):
        words = [*_sentence_before(view.text, at).split(), "diagnosed"][::-1]
        told = {"me", "m'a", "mir", "le"} & {word.lower() for word in words[1:4]}
        value = _STATED_VALUE if view.version < 3 else _STATED_VALUE_3
        match = value.match(view.text, end) if told or somebody_has(words, adjective=False) else None
        if match is not None:
            yield Hit("diagnosis.stated", *match.span(1))


def _asked(view: View, at: int) -> bool:
    """Say whether the sentence asks about a code rather than states one."""
    return _ASKING.search(view.lower[max(0, at - 100) : at]) is not None
