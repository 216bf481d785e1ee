"""Diagnoses in the larger languages: a condition, somebody, and a word for having it, in one sentence.

Pure. `diagnoses.py` walks English sentences word by word; other languages put the verb elsewhere, so this one asks for
all three in the sentence, in any order. A question about a disease has no person or begins with a word for asking. What
would hurt: a person alone, who may only be asking.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.conditions import FIELDS_OF_WORK
from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule
from mace.governance.detectors.illness_sayings import (
    AFTER_CONDITION,
    BEFORE_CONDITION,
    CLINICAL,
    OWNERS,
    PATIENT,
    SICK,
    SICK_SIGNS,
    SUFFERING,
)
from mace.governance.detectors.illness_words import (
    ADJECTIVES,
    ASKING,
    CONDITION_ENDINGS,
    CONDITIONS,
    GENERAL,
    LABELS,
    LOOSE_LABELS,
    QUESTION_SIGNS,
)
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

LEVELS = frozenset(["low", "medium", "high", "str", "string", "text"])  # of tables about such fields
RULES = {
    "diagnosis.of_somebody": Rule("diagnosis", 1),
    "diagnosis.labelled": Rule("diagnosis", 1),
    "diagnosis.own_field": Rule("diagnosis", 1),
}

_CONDITION = Cue([*CONDITIONS, *ADJECTIVES])
_GENERAL = Cue(GENERAL, indexed=False)
_SICK = tuple(tuple(Cue(said, indexed=False) for said in row) for row in SICK)
_SUFFERING = Cue(SUFFERING, indexed=False)
_SICK_SIGNS = tuple(tuple(tuple(said) for said in row) for row in SICK_SIGNS)
_OWNERS, _PATIENT, _CLINICAL = late(OWNERS), late(PATIENT), late(CLINICAL)
_LABEL = Cue(LABELS, fields=["(?!)"])
_LOOSE_LABEL = Cue(LOOSE_LABELS, fields=["(?!)"])
_FIELD = late(
    "(?:^|_)(?:"
    + "|".join(
        [
            "diagnos[a-z]{0,8}",
            "krankheit(?:en)?",
            "vorerkrankung(?:en)?",
            "maladies?",
            "enfermedad(?:es)?",
            "malatti[ae]",
            "doencas?",
            "aandoening(?:en)?",
            "chorob[ay]",
            "rozpoznanie",
            "sjukdom(?:ar)?",
            "teshis",
            "hastalik",
            "диагноз",
            "診断",
            "病名",
            "诊断",
            "진단",
            "병력",
            "pathologies?",
        ]
    )
    + ")$"
)
CUES = (_CONDITION, _LABEL, _LOOSE_LABEL)

_ENDS = late(r"[.!?;\n。！？](?:\s|$)|[。！？\n]|\?")
_REST = late(r"[^\W\d_]*(?:-[^\W\d_]+)?")
_TYPE = late(AFTER_CONDITION)
_LEADING = late(BEFORE_CONDITION)
_VALUE = late(r"\s{0,2}[:：=\-]\s{0,2}([^\s,.;\n\"{}][^,.;\n\"{}]{1,60})")
_NONE = late(
    r"(?i)\s*(?:none|no|n/?a|null|unknown|keine?|aucune?|ningun[oa]?|nessun[oa]?|nenhuma?|"
    r"geen|brak|inga?|нет|なし|无|없음|-|\d*)\s*\Z"
)


def find(view: View) -> Iterator[Hit]:
    """Yield the diagnoses of persons in a view."""
    text = view.text
    if view.field and _FIELD.search(view.field) and not view.field.startswith("world_"):
        value = text.strip()
        if 2 <= len(value) <= 200 and _NONE.match(value) is None and value.lower() not in LEVELS:
            start = text.index(value)
            yield Hit("diagnosis.own_field", start, start + len(value))
    for cue in (_LABEL, _LOOSE_LABEL):
        if cue.in_text(view):
            for at, end in cue.occurrences(view):
                yield from _labelled(view, at, end, any_value=cue is _LABEL)
    if view.version >= 3:
        return  # `ailments.py` reads these and more
    places = sorted({*conditions(view)})
    for at, end in places:
        start, stop = sentence_around(text, at)
        if _has(view, start, stop, at, end):
            yield Hit("diagnosis.of_somebody", *widened(view, start, at, end))


def _labelled(view: View, at: int, end: int, any_value: bool) -> Iterator[Hit]:
    """Yield what a label leads to: a known condition, or whatever stands after a word for diagnosis as in a form."""
    text = view.text
    rest = _REST.match(text, end)
    match = _VALUE.match(text, rest.end() if rest else end)
    if match is None:
        return
    value = match[1].rstrip(" )")
    written = any_value and _STARTS.search(text, max(0, at - 30), at) is not None and _PLAIN.match(value) is not None
    if _known(value.lower()) or (written and len(value.split()) <= 6 and _NONE.match(value) is None):
        yield Hit("diagnosis.labelled", match.start(1), match.start(1) + len(value))


_STARTS = late(
    r"(?:\A|[\n,;|{(\[\"'•*\-–>.!?。、，：:；／/】」]\s{0,3}|"
    r"(?:\A|[\n,;.|>])\s?(?:primary|main|final|working|initial|admission|discharge|haupt|初步|主要|最終|临床|임상|"
    r"주)?\s?)\Z",
    re.I,
)
_PLAIN = late(
    r"(?!(?:the|a|an|this|that|see|error|failed|ok|not|no|pending|low|medium|high|str|string|der|die|das|le|la|les|"
    r"el|il|"
    r"true|false|none|null|to|how|what|why|when|is|it|network|disk|memory|build|test|list|"
    r"dict)\b)[^\W\d_][^=<>(){}\[\]_\\]{2,58}\Z"
    r"|[A-TV-Z][0-9]{2}(?:\.[0-9]{1,2})?[\s,\-–:]{1,3}[^\W\d_].{2,50}\Z",
    re.I,
)


def conditions(view: View) -> Iterator[tuple[int, int]]:
    """Yield the places of conditions, those inside compounds too."""
    lower = view.lower
    if _CONDITION.in_text(view):
        for at, end in _CONDITION.occurrences(view):
            rest = _REST.match(lower, end) if lower[end - 1].isascii() or lower[end - 1] > "\u0400" else None
            stop = rest.end() if rest is not None and lower[end - 1] < "\u3000" else end
            yield at, stop
    for word, places in view.ending(CONDITION_ENDINGS, 7):
        for at in places:
            yield at, at + len(word)


def _known(value: str) -> bool:
    probe = View(value)
    return _CONDITION.in_text(probe) or any(word.endswith(CONDITION_ENDINGS) for word in probe.words)


def sentence_around(text: str, at: int) -> tuple[int, int]:
    """Return where the sentence around a place begins and ends, at most 110 characters away on either side."""
    begin, start = max(0, at - 110), max(0, at - 110)
    for match in _ENDS.finditer(text, begin, at):
        start = match.end()
    after = _ENDS.search(text, at, min(len(text), at + 110))
    return start, after.end() if after is not None else min(len(text), at + 110)


def _has(view: View, start: int, stop: int, at: int, end: int) -> bool:
    """Say whether the sentence gives the condition to somebody: a person, and a word for having it, and no question."""
    lower = view.lower
    sentence = lower[start:stop]
    words = sentence.split(None, 1)
    if not words or any(sign in sentence for sign in QUESTION_SIGNS):
        return False
    asked = words[0].strip("¿\"'([") in ASKING
    following = _NEXT.match(lower, end)
    if following is not None and following[1] in FIELDS_OF_WORK:
        return False
    if (asked and sentence.rstrip().endswith("?")) or _NEAR_GENERAL.search(lower, start, at) is not None:
        return False
    if any(_within(own, view, start, stop, at, end) for _, _, own in _SICK):
        return True
    if asked or sentence.rstrip().endswith("?") or _within(_GENERAL, view, start, stop, at, end):
        return False
    if _within(_SUFFERING, view, start, stop, at, end):
        return True
    if _OWNERS.search(lower, start, at) or _CLINICAL.search(sentence):
        return True
    rest = sentence[: at - start] + " " + sentence[end - start :]
    if not view.ascii:
        for who, does, alone in _SICK_SIGNS:
            if _any(alone, rest) or (_any(who, rest) and _any(does, rest)):
                return True
    somebody = _PATIENT.search(sentence) is not None
    if somebody and _WITH.search(lower, start, at) is not None:
        return True
    if _NAME.search(view.text, start, at) is not None and _NAME_VERBS.search(rest) is not None:
        return True
    for persons, verbs, _ in _SICK:
        if (somebody or _within(persons, view, start, stop, at, end)) and _within(verbs, view, start, stop, at, end):
            return True
    return False


_WITH = late(
    r"\b(?:with|mit|avec|con|com|met|z|ze|med|ile|w/|presente|presenta|apresenta|has|fur|for|voor)\s(?:an?\s|une?\s|"
    r"uma?\s)?"
    r"(?:[^\W\d_]+\s){0,3}\Z|(?:患者|환자|मरीज)[はが는은이가]?[^。.]{0,8}\Z"
)
_NAME_VERBS = late(
    r"\b(?:has|had|suffers?|suffered|died|treated|remission\w*|diagnos\w+|hat|hatte|leidet|erkrankt\w*|behandelt|"
    r"souffre|"
    r"atteinte?|traitee?|tiene|tuvo|padece|sufre|murio|soffre|affett[oa]|tem|teve|sofre|morreu|heeft|lijdt|kreeg|"
    r"choruje|cierpi|zmarł\w*|lider|fick|admitted|presents?)\b"
)


def _any(signs: tuple[str, ...], text: str) -> bool:
    return any(sign in text for sign in signs)


_NEAR_GENERAL = late(
    r"\b(?:about|on|over|uber|sur|sobre|su|om|o|hakkinda|against|contre la|research|risk of|prevent\w*|"
    r"awareness of|causes? of|"
    r"symptoms? of|definition of|cure for|vaccine for)\s(?:the\s|die\s|den\s|le\s|la\s|el\s|il\s|de\s|het\s)?\Z"
)
_NEXT = late(r"\s([a-z]+)")
_NAME = late(
    r"(?<![.!?] )(?:(?!The |Die |Der |Das |Les |Los |Las )[A-ZÀ-Þ][a-zà-ÿ]{1,14}\s[A-ZÀ-Þ][a-zà-ÿ]{1,18}|(?:Herr|"
    r"Frau|Mr|Mrs|Ms|"
    r"Sr|Sra|Sig|Pan|Pani|Mme|M|Dr)\.?\s[A-ZÀ-Þ])"
)


def _within(cue: Cue, view: View, start: int, stop: int, at: int, end: int) -> bool:
    """Say whether a word stands in the sentence, beside the condition."""
    return cue.within(view, start, at) or cue.within(view, end, stop)


def widened(view: View, start: int, at: int, end: int) -> tuple[int, int]:
    """Return the condition with the words that belong to its name."""
    before = _LEADING.search(view.lower, max(start, at - 40), at)
    after = _TYPE.match(view.lower, end)
    stop = after.end() if after and after.end() > end else end
    if view.version >= 3 and stop > end and (cut := _TIME_AFTER.search(view.lower, end, stop)) is not None:
        stop = cut.start()
    return (before.start() if before else at), stop


_TIME_AFTER = late(
    r"\s(?:da|dal|dai|no|na|nos|nel|nella|en|em|a|al|au|aux|du|de|del|della|do|dos|of|w|van|in|im|of)(?:\s(?:el|la|"
    r"lo|os|as|l'))?\s"
    r"(?:ano|anno|anni|anos|ans|annee|mes|mese|mesi|meses|mois|semana|semanas|settiman\w+|semaine|dia|dias|giorn\w+|"
    r"passado|pasado|scors\w|dernier\w*|due|tre|"
    r"quattro|cinque|sei|sette|otto|nove|dieci|molt\w+|alcun\w+|divers\w+|parecch\w+|poc\w+|dois|duas|tres|quatro|"
    r"cinco|seis|sete|oito|nove|dez|muit\w+|"
    r"algun\w+|vari\w+|much\w+|cuatro|siete|ocho|nueve|diez|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|plusieurs|"
    r"quelques|longtemps|tempo|tiempo|temps|"
    r"quando|cuando|quand|infancia|infanzia|enfance|nascita|nacimiento|naissance|nascenca|casa|trabalho|trabajo|"
    r"travail|lavoro|hospital\w*|ospedale|"
    r"janeiro|enero|janvier|gennaio|fevereiro|febrero|fevrier|febbraio|marco|marzo|mars|abril|avril|aprile|maio|"
    r"mayo|maggio|mai|junho|junio|juin|giugno|julho|"
    r"julio|juillet|luglio|agosto|aout|setembro|septiembre|septembre|settembre|outubro|octubre|octobre|ottobre|"
    r"novem\w+|dezembro|diciembre|decembre|dicembre|"
    r"primavera|verao|verano|ete|estate|inverno|invierno|hiver|outono|otono|automne|autunno)\b"
)
