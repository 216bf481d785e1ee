"""Diagnoses beyond `illness.py`: more names of conditions, and what somebody was told to have, whatever it is called.

Pure. Two roads: a known condition in a sentence with a person and a word for having it; and a phrase that
only speaks of diagnoses (`diagnosticado com`, `leidet an`, `と診断され`), of which the following or preceding
words are the condition. Questions, and sentences about research or risk, tell nothing of anybody.
"""

import re
from collections.abc import Iterator

from mace.governance.detectors.ailment_words import (
    CAUSE_BEFORE,
    CLINIC,
    CONDITIONS,
    EAST,
    ENDINGS,
    LABELS,
    OWNED_AFTER,
    OWNED_BEFORE,
    QUALITY_AFTER,
    QUALITY_BEFORE,
    SICK,
    SICK_SIGNS,
)
from mace.governance.detectors.conditions import FIELDS_OF_WORK
from mace.governance.detectors.cues import Cue
from mace.governance.detectors.findings import Hit, Rule, phrases, words
from mace.governance.detectors.illness import _CONDITION as ILLNESSES
from mace.governance.detectors.illness import (
    _GENERAL,
    _NEAR_GENERAL,
    _NEXT,
    _any,
    _has,
    _within,
    conditions,
    sentence_around,
    widened,
)
from mace.governance.detectors.illness_words import ASKING, QUESTION_SIGNS
from mace.governance.detectors.late import late
from mace.governance.detectors.view import View

RULES = {
    "diagnosis.had": Rule("diagnosis", 1),
    "diagnosis.told": Rule("diagnosis", 1),
    "diagnosis.short_name": Rule("diagnosis", 1),
    "diagnosis.coded": Rule("diagnosis", 1),
}

_CONDITION = Cue(CONDITIONS)
_LABEL = Cue(LABELS)
_CLINIC = late(CLINIC)
_EAST = late(EAST)
_QUALITY_AFTER, _QUALITY_BEFORE = late(QUALITY_AFTER), late(QUALITY_BEFORE)
_TURKISH_AFTER = late(
    r"(?:\s[^\W\d_]{4,14})?\s(?:bozuklu\w+|hastalı\w+|hastalig\w+|sendromu\w*|yetmezli\w+|iltihab\w+|kanser\w*|"
    r"alerjisi|baglmlılıgı|bagımlılı\w+)"
)
_OWNED_BEFORE, _OWNED_AFTER, _CAUSE_BEFORE = late(OWNED_BEFORE), late(OWNED_AFTER), late(CAUSE_BEFORE)
_SICK = tuple((Cue(phrases(who), indexed=False), Cue(phrases(does), indexed=False)) for who, does in SICK)
_SICK_SIGNS = tuple(tuple(tuple(phrases(part)) for part in row) for row in SICK_SIGNS)

# Phrases that lead to a condition and to nothing else: what follows is one, whatever it is called.
_LEADS = Cue(
    phrases(
        """
        diagnosed with*, diagnosed as*, diagnosis of*, tested positive for*, diagnosis is, diagnosis was,
        suffers from*, suffering from*, suffered from*, diagnostiziert mit, diagnose lautet*, leidet an*, leide an*,
        leidet unter*, leide unter*, litt an, erkrankt an, erkrankte an, diagnose:, diagnostique d*, diagnostiquee d*,
        diagnostique un*, diagnostiquee un*, diagnostique avec*, atteint d*, atteinte d*, souffre d*, souffrait d*,
        souffrant d*, soigne pour*, soignee pour*, suivi pour*, suivie pour*, opere d*, operee d*, m'a diagnostique*,
        lui a diagnostique*, diagnosticaron*, diagnosticado*, diagnosticada*, diagnosticado con*, diagnosticada con*,
        diagnosticado de*, diagnosticada de*, padezco*, padece*, padezco de*, padece de*, sufre de*, sufro de*,
        operado de*, operada de*, enfermo de*, enferma de*, detectaron*, detectado*, detectada*, diagnosticato*,
        diagnosticata*, diagnosticato un*, affetto da*, affetta da*, soffre di*, soffro di*, soffriva di*, malato di*,
        malata di*, operato di*, operata di*, in cura per*, ricoverato per*, ricoverata per*, diagnosticado com*,
        diagnosticada com*, diagnosticaram*, sofre de*, sofro de*, sofre com*, sofro com*, sofria de*, portador de*,
        portadora de*, internado com*, internada com*, internado por*, internada por*, afastado por*, afastada por*,
        diagnostico de*, tratamento para*, tratamento contra*, tratamento de*, operado a*, operada a*,
        gediagnosticeerd met*, lijdt aan*, lijd aan*, leed aan, geopereerd aan*, opgenomen met*, opgenomen wegens*,
        behandeld voor*, overleden aan*, last van*, bekend met*, choruje na*, choruję na*, chory na*, chora na*,
        chorował na*, chorowała na*, cierpi na*, cierpie na*, cierpię na*, leczy sie na*, lecze sie na*, leczony na*,
        leczona na*, zmarł na*, zmarła na*, zachorował na*, zachorowała na*, diagnosen*, diagnostiserad med*,
        diagnostiserats med*, diagnostiserades med*, lider av*, led av, behandlas for*, sjukskriven for*,
        sjukskriven pa grund av*, insjuknat i*, insjuknade i*, opererad for*, opererades for*, drabbats av*,
        drabbades av*, drabbad av*, dog av*, dog i*, avled i*, 确诊*, 确诊为*, 确诊患有*, 被确诊*, 诊断为*, 诊断出*,
        诊断是*, 患有*, 患上了*, 患上*, 查出了*, 查出*, 查出患有*
        """
    )
)
# Phrases that follow it.
_TAILS = Cue(
    phrases(
        """
        diagnostiziert, festgestellt, erkrankt, vastgesteld, teshisi*, teşhisi*, tanısı*, hastasıyım, hastasıdır,
        hastasıydı, hastası, gecirdi*, と診断*, を患*, と言われ*, と告げられ*, で休職*, で闘病*, 진단을*, 진단 받*,
        진단받*, 판정을*, 를 앓*, 을 앓*, से पीड़ित*, से ग्रस्त*, का इलाज*, की बीमारी*, का मरीज*, की मरीज*, का निदान*
        """
    )
)
_ICD = Cue(
    [
        "cid*",
        "cie*",
        "cim*",
        "icd*",
        "diagnos*",
        "dx",
        "diag*",
        "kode icd",
        "kod icd",
        "rozpoznani*",
        "tanı kodu*",
        "诊断*",
        "診断*",
        "진단*",
        "निदान*",
        "病名*",
    ]
)
CUES = (ILLNESSES, _CONDITION, _LABEL, _LEADS, _TAILS, _ICD)

_STOP = (
    r"(?:and|but|in|on|at|when|last|this|since|two|three|years?|ago|by|after|before|who|which|that|so|because|for|"
    r"during|from|as|he|she|i|they|the|with|"
    r"und|aber|seit|im|am|vor|nach|bei|wird|wurde|ist|hat|mit|die|der|das|den|letzte\w*|et|mais|depuis|en|il|elle|"
    r"qui|l'an|l'annee|apres|avant|dans|avec|"
    r"y|pero|desde|el|hace|cuando|que|hoy|ayer|este|esta|tras|ante|con|e|ma|dal|dalla|da|nel|nella|quando|che|dopo|"
    r"prima|poi|il|mas|em|no|na|ha|faz|depois|"
    r"quando|aos|ele|ela|maar|sinds|toen|vorig|vorige|dat|die|en|voor|nadat|sedan|och|men|nar|forra|som|pa|efter|"
    r"innan|i|oraz|od|ale|po|w|gdy|ktor\w+|przez|"
    r"zeszl\w+|rok\w*)"
)
_NAME = late(
    rf"\s{{1,2}}(?:(?:an?|the|having|un|una|une|uno|um|uma|le|la|les|el|los|il|lo|l'|o|os|een|de|het|ein\w{{0,2}}|"
    rf"en|ett|d'|du|des)\s|l'|d')?"
    rf"([^\W\d_][^\s,.;:!?()\"]*(?:\s(?!{_STOP}\b)[^\W_][^\s,.;:!?()\"]*){{0,4}})",
    re.I,
)
_EAST_NAME = late(
    r"\s?(?:为|患有|了|得了|：|:)?\s?([\u4e00-\u9fffA-Za-z0-9]{2,14}?)(?=了|，|,|。|\.|、|；|已|需|并|后|的|，|！|!|"
    r"\s|\Z)"
)
_BEFORE_WORDS = late(r"([^\s,.;:!?()\"。、，]+(?:\s[^\s,.;:!?()\"。、，]+){0,2})\s\Z")
_BEFORE_EAST = late(r"(?:\A|[\s,、。はがにのをで：])([\u30a1-\u30ff\u4e00-\u9fff\uac00-\ud7a3A-Za-z0-9]{2,14})\s?\Z")
# What a condition is called: the parts of names of illnesses that the larger languages share.
_MEDICAL = late(
    r"itis|itid|ites\b|ite\b|ose\b|osis|osi\b|oza\b|oz[ay]\b|oma\b|omas\b|omat|om\b|emi[ae]\b|emia|aemi|ami[ae]\b|"
    r"algi|pat[hi]|plegi|trof|skler|scler|fibro|cancer|cancr|krebs|kanker|rak|"
    r"nowotw|tumo|syndrom|sindrom|zespo|disord|disease|storung|stoornis|trastorn|transtorn|disturb|zaburz|insuff|"
    r"insufi|niewydol|svikt|infar|ictus|stroke|fract|frakt|fratur|bruch|breuk|"
    r"zlam|złam|herni|diabet|depress|depresi|depresj|ansi|anx|angst|angest|lek|psych|psyk|schizo|esquizo|allerg|"
    r"alerg|asthm|asm|astm|infec|infek|virus|hiv|aids|covid|anemi|hepat|epat|"
    r"nefr|neph|cardi|kardi|card|neur|nevr|pneum|bronq|bronch|bronk|thyr|tiro|tireo|leuk|leuc|lymf|lymph|linf|melan|"
    r"parkins|alzheim|dement|demenc|epilep|epiless|migr|autis|asperg|adhd|tdah|ptsd|"
    r"burn-?out|anorex|bulim|alco|alko|sucht|verslav|beroende|addic|dipenden|dependen|krank|ziekte|sjuk|chorob|"
    r"hastal|maladie|enfermedad|malatt|doenca|morbus|morbo|mal de|arthr|artr|reum|rheum|osteo|"
    r"gicht|jicht|gikt|gota|gout|lupus|crohn|colit|celia|zolia|psori|eczem|eksem|ekzem|dermat|glauc|catarat|apn|"
    r"embol|thromb|tromb|hyper|hipert|hipot|hypo|blutdruck|bloeddruk|blodtryck|nadcisn|tension|"
    r"syfil|sifil|syphil|chlam|clam|herp|malari|dengue|tuberc|tuberk|gruzl|menin|sepsis|gastri|ulcer|ulc|cirr|zirrh|"
    r"stein|sten\b|calcol|calcul|disc|disk|hernia|polyp|polip|cyst|kist|cist|paral|lahm|lamn|"
    r"blind|deaf|taub|doof|dov|insomn|injur|fever|fieber|koorts|febre|fiebre|feber|flu\b|grip|influ|wound|pain|"
    r"schmerz|pijn|dolor|dor\b|vark|douleur|mangel|entz|ontst|inflam|zapal|shock|attack|anfall|attak|"
    r"aanval|atak|crise|crisi|krise"
)
_SHORT = late(
    r"\b(?:MS|ALS|SLA|ELA|SEP|EM|SM|SLE|LES|RA|AR|COPD|KOL|BPCO|DPOC|EPOC|POChP|PTSD|PTSS|TEPT|TSPT|PTBS|HIV|VIH|"
    r"AIDS|SIDA|ADHD|ADHS|TDAH|ADD|OCD|TOC|TBC|TB|IBS|SII|PCOS|SOP|TEA|TSA|ASS|"
    r"CFS|ME|UTI|STD|GERD|CKD|CHF|AFib|DVT|TIA|HPV|HBV|HCV|PMDD|BPD|DM2|DM1|T2D|T1D|HTN|CAD|CP|"
    r"MPOX)\b(?![\-/][A-Z0-9]|\.[a-z])"
)
# Of these the ones that are no words or units in small letters: they are looked for in every text.
_SHORT_WORDS = frozenset(
    words(
        "als sla ela sle copd kol bpco dpoc epoc pochp ptsd ptss tept tspt ptbs hiv vih aids sida adhd adhs tdah ocd "
        "toc tbc ibs pcos sop tea cfs uti gerd ckd chf afib dvt tia hpv hbv hcv pmdd bpd htn mpox"
    )
)
_SHORT_BEFORE = late(
    r"\b(?:have|has|had|having|got|with|of|from|diagnosed|habe|hab|hat|hatte|an|unter|mit|ai|a|avait|avec|tengo|"
    r"tiene|tenia|con|ho|ha|aveva|da|tenho|tem|teve|tinha|com|heb|heeft|had|met|aan|mam|ma|miał\w*|"
    r"mial\w*|na|har|hade|haft|fick|med|av|for|bende|bana|am|is|was|sono|sou|soy|suis|est|ist|ben|bin|ar)"
    r"\s(?:(?:an?|the|la|el|il|l[oa']|le|de|een|severe|mild|chronic|early)\s){0,2}\Z"
)
_SPEAKER = late(
    r"\b(?:i|i'm|i've|my|he|she|his|her|him|we|our|ich|mein\w*|er|sie|bei|je|j'ai|mon|ma|il|elle|yo|mi|me|ella|io|"
    r"mio|mia|lui|lei|eu|meu|minha|ele|ela|tengo|tiene|ho|tenho|tem|ik|mijn|hij|zij|ze|haar|mam|moj\w*|u|on|"
    r"ona|jag|min|mitt|han|hon|benim?|bende|bana|patient\w*|paciente|paziente|mr|mrs|ms|frau|herr|mum|mom|dad)\b"
)
_CODE = late(r"\b[A-TV-Z][0-9][0-9A-Z](?:\.[0-9A-Z]{1,4})?(?![\w.]?[A-Za-z0-9])")
_CODE_LEAD = late(
    r"[^\W\d_]{0,14}(?:[\s\-]{0,2}10)?(?:[\s\-:：=.#(]{1,3}(?:code|kod|codigo|code:|kode|is|e|es|ist|est|jest|ar|no|"
    r"nr|コード|代码|编码|코드|कोड|は|是|는)?){0,3}[\s:：=(]{0,3}\Z"
)
_RESEARCH = late(
    r"\b(?:study|studies|research\w*|risk of|risiko|prevent\w*|vaccin\w*|impf\w*|symptom\w*|treatment of|"
    r"people with|patients with|menschen mit|personnes|personas con|persone con|pessoas com|mensen met|osob\w* z|"
    r"personer med|per cent|percent|prozent|pourcent|por ciento|por cento|millions?|millionen|deaths|cases|"
    r"statist\w*|awareness|fundrais\w*|factores de riesgo|facteurs de risque|fattori di rischio|fatores de risco|"
    r"risikofaktor\\w*|risicofactor\\w*|organizacion mundial|organizacao mundial|according to|segun|secondo|selon|"
    r"laut|volgens|enligt|wedlug|charity|association|foundation|stiftung|conference|congress|kongress)\b|%|患者数|"
    r"研究"
)


_RESEARCH_STEMS = tuple(stem.rstrip("s") for stem in re.findall("[a-z]{3,}", re.sub(r"\\[wb]", " ", _RESEARCH.pattern)))


def _of_research(sentence: str) -> bool:
    """Say whether a sentence speaks of many: most have no word that could begin one of the phrases."""
    if "%" not in sentence and sentence.isascii():
        for word in sentence.split():
            if word.lstrip("(\"'").startswith(_RESEARCH_STEMS):
                break
        else:
            return False
    return _RESEARCH.search(sentence) is not None


def find(view: View) -> Iterator[Hit]:
    """Yield the diagnoses of persons in a view."""
    yield from _known(view)
    if _LABEL.in_text(view):
        yield from _on_a_form(view)
    if _has_short(view):
        yield from _short(view)
    if _LEADS.in_text(view):
        yield from _led(view)
    if _TAILS.in_text(view):
        yield from _followed(view)
    if "A00" in view.shape and _ICD.in_text(view):
        yield from _coded(view)


def may(view: View) -> bool:
    """Say whether a short name in capitals may stand in the text."""
    if not view.ascii and _EAST.search(view.lower) is not None:
        return True
    return _has_short(view)


def _has_short(view: View) -> bool:
    return " AA" in view.shape and (" MS" in view.text or not _SHORT_WORDS.isdisjoint(view.tokens))


def _places(view: View) -> Iterator[tuple[int, int]]:
    """Yield the places of conditions: names, and compounds by their ends."""
    lower = view.lower
    yield from conditions(view)
    if _CONDITION.in_text(view):
        for at, end in _CONDITION.occurrences(view):
            while end < len(lower) and lower[end].isalpha() and lower[end - 1] < "\u3000" and lower[end] < "\u3000":
                end += 1
            yield at, end
    for word, places in view.ending(ENDINGS, 8):
        for at in places:
            yield at, at + len(word)
    if not view.ascii:
        for match in _EAST.finditer(lower):
            yield match.start() + len(_EAST_BEGIN.match(match.group())[0]), match.end()  # type: ignore[index]


_EAST_BEGIN = late(
    r"(?:(?:我|他|她|你)(?:的|有|是|得了?|患有?)?|(?:妈妈?|爸爸?|父亲|母亲)(?:有|的|得了?)?|因为?|患有?|得了|查出|"
    r"确诊|诊断为?|出现|一种|治疗|第一种治疗)?"
)


def _known(view: View) -> Iterator[Hit]:
    """Yield the conditions that somebody has; names right beside each other are one."""
    begin = last = -1
    for at, end in sorted({*_places(view)}, key=lambda place: (place[0], -place[1])):
        if at < last:
            continue
        start, stop = sentence_around(view.text, at)
        if not _is_had(view, start, stop, at, end):
            continue
        first, until = _widest(view, start, at, end)
        if last >= 0 and 0 <= first - last <= 1 and "\n" not in view.text[last:first]:
            last = until
            continue
        if last >= 0:
            yield Hit("diagnosis.had", begin, last)
        begin, last = first, until
    if last >= 0:
        yield Hit("diagnosis.had", begin, last)


def _widest(view: View, start: int, at: int, end: int) -> tuple[int, int]:
    """Return the condition with the words that belong to its name, and with its qualities."""
    first, until = widened(view, start, at, end)
    lower = view.lower
    before = _QUALITY_BEFORE.search(lower, max(start, first - 40), first)
    first = before.start() if before is not None else first
    after = _QUALITY_AFTER.match(lower, until, until + 50) or (
        None if view.ascii else _TURKISH_AFTER.match(lower, until, until + 40)
    )
    return first, after.end() if after is not None else until


_FORM_VALUE = late(r"(?:\s\([^)]{1,20}\))?\s{0,2}[:：]\s{0,2}([^\s,.;\n\"{}<>|][^.;\n\"{}<>|]{1,80})")
_FORM_START = late(r"(?:\A|[\n,;|•*\-–>.。、）)】]\s{0,3}|(?:\A|[\n,;.|>])\s?[^\W\d_]{2,14}\s)\Z")
_NO_VALUE = late(
    r"(?i)\s*(?:none|no|n/?a|null|nil|unknown|keine?|unbekannt|aucune?|neant|ningun[oa]?|nessun[oa]?|nenhuma?|nao|"
    r"geen|brak|inga?|yok|нет|なし|無し|无|無|没有|없음|नहीं|कोई नहीं|pending|see|error|failed|ok|-|\d+)\b"
)


def _on_a_form(view: View) -> Iterator[Hit]:
    """Yield what a label leads to, where a line or a clause begins with it: a condition by its name."""
    text = view.text
    for at, end in _LABEL.occurrences(view):
        while end < len(text) and text[end].isalpha() and text[end].isascii():
            end += 1
        match = _FORM_VALUE.match(text, end)
        if match is None or _FORM_START.search(text, max(0, at - 20), at) is None or _NO_VALUE.match(match[1]):
            continue
        value = match[1].rstrip(" )")
        if (
            _CONDITION.in_text(View(value))
            or _MEDICAL.search(value.lower()) is not None
            or _EAST_MEDICAL.search(value) is not None
        ):
            parts = re.split(r"\s?[,、，]\s?", value)
            value = value if len(value) <= 40 else parts[0]
            years = _YEARS.search(value)
            value = value[: years.start()] if years is not None else value
            yield Hit("diagnosis.told", match.start(1), match.start(1) + len(value))


_YEARS = late(
    r"(?:\s(?:in|en|em|im|seit|since|depuis|desde|dal|sedan|sinds|od)\s|\s|\s?\()?(?:19|20)?[0-9]{2}\s?(?:年|년|साल|"
    r"years?|ans|anos|anni|jahre|jaar|lat|ar|yıl)?\s?\)?$|\s?[0-9]{1,2}\s?(?:年|년|साल)$"
)


def _is_had(view: View, start: int, stop: int, at: int, end: int) -> bool:
    """Say whether the sentence gives the condition to somebody."""
    if _has(view, start, stop, at, end):
        return True
    lower = view.lower
    following = _NEXT.match(lower, end)
    if following is not None and following[1] in FIELDS_OF_WORK:
        return False
    if end - at <= 4 and lower[at].isascii() and not view.text[at:end].isupper():
        return False  # `add`, `als`: words of their own
    if _is_owned(view, start, at, end):
        return True
    if _is_cared_for(lower, max(start, at - 56), at) and _PEOPLE.search(lower, start, at) is None:
        return True
    sentence = lower[start:stop]
    words = sentence.split(None, 1)
    if not words or sentence.rstrip().endswith("?") or any(sign in sentence for sign in QUESTION_SIGNS):
        return False
    if words[0].strip("¿\"'([") in ASKING or _NEAR_GENERAL.search(lower, start, at) is not None:
        return False
    if (
        _of_research(sentence)
        or _GENERAL_EAST.search(sentence) is not None
        or _within(_GENERAL, view, start, stop, at, end)
    ):
        return False
    if _CLINIC.search(sentence) is not None or (
        _PEOPLE.search(sentence) is None and _CAUSE_BEFORE.search(lower, start, at)
    ):
        return True
    if not view.ascii:
        rest = sentence[: at - start] + " " + sentence[end - start :]
        for who, does, alone in _SICK_SIGNS:
            if _any(alone, rest) or (_any(who, rest) and _any(does, rest)):
                return True
    return any(
        _within(who, view, start, stop, at, end) and _within(does, view, start, stop, at, end) for who, does in _SICK
    )


# What only somebody who has a condition does or undergoes, right before it: comes to hospital, takes something for it.
_CARED_FOR = late(
    r"\b(?:(?:nacio|nacida?|nacido|ingreso|ingresad[oa]|vivo|vive|convivo|convive|lleva\s\w+)\s(?:con|por)|"
    r"se\srecupera\sde|le\sdio|"
    r"(?:quimioterapia|tratamiento|medicacion|baja|operad[oa]|incapacidad)\s(?:por|para|de)|toma\w?\s\w+\s(?:para|"
    r"por|contra)|"
    r"(?:prend[eo]|assum[eo])(?:\s(?:il|la|lo|l))?[\s']\w+\s(?:per|contro)|diagnosi\sdi|(?:nat[oa]|convivo|convive|"
    r"ricoverat[oa]|chemio)\s(?:con|per)|"
    r"(?:in\scura|in\sterapia|in\schemio)\sper|tom[oa]\s\w+\s(?:para|contra)|(?:internad[oa]|nasceu|convivo|"
    r"convive|afastad[oa])\s(?:com|por)|"
    r"szpital\w*\s(?:z|ze)|[zż]yj[eę]\sz|z\spowodu|(?:za[zż]ywa\w*|bior[eę]|bierze)\s\w+\sna|po\sprzebytym|"
    r"(?:takes?|taking|on|prescribed)\s\w+\sfor|(?:recover\w+\sfrom|living\swith|lives\swith|live\swith|born\swith|"
    r"in\srehab\sfor|"
    r"signed\soff\swith|hospitali[sz]ed\s(?:with|for)|admitted\s(?:with|for)|chemo\sfor|in\sremission\sfrom|"
    r"died\sof)|"
    r"(?:nimmt|nehme)\s\w+\s(?:gegen|wegen)|(?:lebe|lebt)\smit|(?:krankgeschrieben|behandlung|therapie)\swegen|"
    r"(?:prend|prends)\s(?:du|de\sla|de\sl'|des)?\s?\w+\s(?:pour|contre)|(?:hospitalise\w?|arret|suivie?|traitee?|"
    r"ne|nee)\s(?:pour|avec)|"
    r"(?:slikt?|gebruikt?)\s\w+\s(?:voor|tegen)|(?:leef|leeft|geboren)\smet|ziek\w*\s(?:door|wegens)|"
    r"(?:ater|tar)\s\w+\s(?:mot|for)|(?:lever|fodd|inlagd|vardas)\s(?:med|for))\s"
    r"(?:(?:an?|the|un|una|une|uno|um|uma|il|lo|la|le|el|los|las|mi|su|mio|suo|sua|minha|meu|seu|my|his|her|"
    r"mein\w*|ihr\w*|sein\w*|"
    r"mon|ma|son|sa|mijn|haar|zijn|min|sin|een|ein\w{0,2}|type|acute|chronic|severe)\s){0,2}\Z"
)
# The words it can end with, before at most two small ones.
_CARED_WITH = frozenset(
    words(
        "con por de dio para contra per contro di com z ze powodu na przebytym for from with of mit gegen wegen pour "
        "contre avec voor tegen met door wegens mot med"
    )
)


def _is_cared_for(lower: str, begin: int, at: int) -> bool:
    """Say whether `_CARED_FOR` is found right before a place; few places have one of its last words before them."""
    if _CARED_WITH.isdisjoint(lower[begin:at].split()[-3:]):
        return False
    return _CARED_FOR.search(lower, begin, at) is not None


_PEOPLE = late(
    r"\b(?:people|menschen|gens|personnes|personas|gente|persone|pessoas|mensen|ludzi|ludzie|manniskor|folk|"
    r"insanlar|world|welt|mundo|monde|mondo|country|countries|governments?|who)\b"
)
_TURKISH_OWN = late(r"[a-zıçğöşü]{4,}(?:[ıiuü]m|[ıiuü]m[ıiuü]|[ıiuü]mden)$")


def _is_owned(view: View, start: int, at: int, end: int) -> bool:
    """Say whether the words right before a condition, or right after it, give it to somebody; in a question, too."""
    lower = view.lower
    if _OWNED_BEFORE.search(lower, max(start, at - 48), at) is not None:
        return _NOT_OWNED.search(lower, max(start, at - 48), at) is None
    if not view.ascii and _OWNED_AFTER.match(lower, end) is not None:
        return _GENERAL_EAST.search(lower, max(start, at - 16), end + 24) is None
    return not view.ascii and _TURKISH_OWN.fullmatch(lower, at, end) is not None


_NOT_OWNED = late(
    r"\b(?:study|research|paper|thesis|article|book|essay|talk|understanding|knowledge|fear|risk|views?|opinion|"
    r"experience|question|project|presentation|lecture|course|exam|dataset|model|studie|arbeit|vortrag|angst vor|"
    r"etude|these|livre|peur|"
    r"estudio|tesis|libro|miedo|studio|tesi|libro|paura|estudo|tese|livro|medo|onderzoek|boek|scriptie|badani\w+|"
    r"ksiazk\w+|forskning|bok|do i have|does he have|does she have|if i have|have i|do you have|without)\b"
)
_GENERAL_EAST = late(
    r"とは|患者数|研究|原因|予防|治療法|症状は|是什么|什么是|预防|治疗方法|症状|药物|获批|承認|最初の|란 |무엇|예방|"
    r"원인|증상|क्या है|लक्षण|कारण क्या|बचाव|शोध"
)


def _asked(view: View, at: int) -> bool:
    start, stop = sentence_around(view.text, at)
    sentence = view.lower[start:stop]
    words = sentence.split(None, 1)
    return (
        not words
        or sentence.rstrip().endswith("?")
        or words[0].strip("¿\"'([") in ASKING
        or any(sign in sentence for sign in QUESTION_SIGNS)
        or _of_research(sentence)
    )


def _led(view: View) -> Iterator[Hit]:
    """Yield what follows a phrase that leads to a condition; one that could lead elsewhere asks for a medical name."""
    text = view.text
    for at, end in _LEADS.occurrences(view):
        east = text[end - 1] >= "\u3000"
        while not east and end < len(text) and text[end].isalpha():
            end += 1
        match = (_EAST_NAME if east else _NAME).match(text, end)
        if match is None or _asked(view, at):
            continue
        name = match[1].rstrip("'’-")
        said = view.lower[at:end]
        sure = said.startswith(_SURE)
        named = _MEDICAL.search(name.lower()) is not None or (sure and name.lower() not in _NOTHING and len(name) <= 60)
        somebody = (
            sure
            or said.startswith("diagn")
            or _SPEAKER.search(view.lower, max(0, at - 80), at) is not None
            or _NAMED.search(text, max(0, at - 40), at) is not None
        )
        if len(name) >= 3 and named and somebody:
            yield Hit("diagnosis.told", match.start(1), match.start(1) + len(name))


_NOTHING = frozenset(
    words("it this that something nothing them lo la nichts etwas rien algo nada niente niets iets nic cos inget nagot")
)
_SURE = tuple(
    words(
        "diagnosed diagnostiz diagnosticad diagnosticar diagnosticat diagnostiqu diagnostiser gediagn chor atteint "
        "affett erkrank malat portador insjukn 확 确 诊 患"
    )
)
_NAMED = late(r"[A-ZÀ-Þ][a-zà-ÿ]{1,14}\s")


def _followed(view: View) -> Iterator[Hit]:
    """Yield the words before a phrase that follows a condition: the nearest that are named like one."""
    text = view.text
    for at, _ in _TAILS.occurrences(view):
        if _asked(view, at):
            continue
        before = _BEFORE_EAST.search(text, max(0, at - 24), at)
        if before is not None and not before[1].isascii() and text[at] >= "\u3000":
            name = _EAST_LEAD.sub("", before[1])
            if len(name) >= 2 and _EAST_MEDICAL.search(name) is not None:
                yield Hit("diagnosis.told", before.end(1) - len(name), before.end(1))
            continue
        before = _BEFORE_WORDS.search(text, max(0, at - 60), at)
        if before is None:
            continue
        words = before[1].split(" ")
        for count in range(1, len(words) + 1):
            if _MEDICAL.search(words[-count].lower()) is not None:
                start = before.end(1) - len(" ".join(words[-count:]))
                yield Hit("diagnosis.told", start, before.end(1))
                break


_EAST_LEAD = late(r"^.*[はがのにを가이는은의를을]")
_EAST_MEDICAL = late(
    r"病|症|癌|がん|ガン|炎|障害|腫|瘍|梗塞|麻痺|結核|血圧|ヘルニア|アレルギー|喘息|うつ|ポリープ|骨折|염|암|증|병|"
    r"장애|당뇨|고혈압|천식|결핵|디스크|종양|경색|마비|골절"
)


def _coded(view: View) -> Iterator[Hit]:
    """Yield a code of the international list right after a word for it."""
    text = view.text
    for match in (
        match
        for begin, stop in _ICD.windows(view, 0, 36)
        for match in _CODE.finditer(text, begin, min(len(text), stop + 8))
    ):
        at = match.start()
        if _asked(view, at):
            continue
        if any(_CODE_LEAD.match(text, end, at) for end in _ends_before(view.lower, at)):
            yield Hit("diagnosis.coded", *match.span())


def _ends_before(lower: str, at: int) -> list[int]:
    """Return where the words for a code or a diagnosis before a place end, of those that may lead to it."""
    return [match.end() for match in _CODE_WORD.finditer(lower, max(0, at - 44), at)]


_CODE_WORD = late(r"\b(?:cid|cie|cim|icd|diag|diagnos|dx|kod icd|rozpoznani|tanı kodu)|诊断|診断|진단|निदान|病名")


def _short(view: View) -> Iterator[Hit]:
    """Yield the short names in capitals that somebody has."""
    text, lower = view.text, view.lower
    for match in _SHORT.finditer(text):
        at = match.start()
        if _SHORT_BEFORE.search(lower, max(0, at - 40), at) is None or _asked(view, at):
            continue
        if (
            _SPEAKER.search(lower, max(0, at - 80), at) is not None
            or _NAMED.search(text, max(0, at - 40), at) is not None
        ):
            yield Hit("diagnosis.short_name", *match.span())
