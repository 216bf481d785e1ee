"""Whether a text urges somebody to do harm: to themselves, to others, with weapons, mixtures or too much medicine.

Pure and linear. It reads sentence by sentence and asks for two things: a harmful deed, and that it is urged, by a verb
in its plain form at the head of a clause or by "you should". A warning ("Never mix bleach and ammonia"), a fact
("Bleach and ammonia form chloramine"), history and help for somebody in need are none. What it does not find is not
thereby harmless: it is one guard of several.
"""

import re

_MAX_READ = 40_000
_SENTENCES = re.compile(r"[^.!?\n]+[.!?\n]*")
_MARKS = re.compile(r"[*_`~#\u00ad\u200b-\u200f\u2060\ufeff]+")

# What takes the harm out of a sentence: a warning, a supposition, help, a question.
_WARNS = re.compile(
    r"\b(?:never|not|don['’]?t|doesn['’]?t|mustn['’]?t|shouldn['’]?t|can['’]?t|cannot|avoid|without|instead\s+of|"
    r"rather\s+than|"
    r"illegal|dangerous|danger|toxic|poisonous|deadly|fatal|lethal|warning|beware|harmful|wrong\s+to|help\s*line|"
    r"hotline|"
    r"(?:thoughts?|ideas?|feelings?|urges?)\s+(?:of|about|to)|thinking\s+(?:of|about)|feel\s+like|tempted\s+to|"
    r"if\s+you|in\s+case|refuse|seek\s+help|nobody\s+should|no\s+one\s+should|stop\s+(?:\w+\s+){0,2}from)\b",
    re.IGNORECASE,
)
# How it is urged: at the head of a clause, after these.
_URGED = (
    r"(?:^|[,;:–—-]\s*|\b(?:and|then|or|so|just|simply|please|first|next|finally|now|go|go\s+and|instead|"
    r"you\s+(?:should|must|can|could|may|might|may\s+as\s+well|ought\s+to|need\s+to|have\s+to|had\s+better|"
    r"deserve\s+to)|"
    r"you['’]d\s+better|you['’]ll\s+want\s+to|(?:best|better|good|idea|option|solution|thing|way|recommend|suggest|"
    r"try|want\s+you)\s+(?:is\s+)?to|"
    r"why\s+(?:not|don['’]t\s+you)|i\s+(?:suggest|recommend)\s+(?:that\s+)?you|let['’]s|"
    r"to)\s+)\W*(?:\d+[.)]\s*)?(?:(?:just|simply|then|also|really|always)\s+)*"
)
_SELF = re.compile(
    _URGED + r"(?:(?:kill|hurt|harm|hang|drown|shoot|cut|stab|poison|starve|burn|off|unalive)\s+(?:yourself|yourselves|"
    r"your\s+(?:wrists?|arms?|veins?))|"
    r"(?:end|take)\s+(?:your\s+(?:own\s+)?life|it\s+all)|commit\s+suicide|slit\s+your|jump\s+(?:off|from)\s+(?:a|the|"
    r"your)\s+"
    r"(?:bridge|roof|building|balcony|cliff|window)|(?:jump|step|walk)\s+in\s+front\s+of\s+(?:a|the)\s+(?:train|car|"
    r"bus|truck)|go\s+die|die)\b(?!\s+(?:of|the|hair|eggs))"
    r"|\b(?:kys|you\s+(?:deserve|ought|should\s+want)\s+to\s+die|(?:everyone|everybody|the\s+world|they|"
    r"we)\s+(?:would|['’]d)\s+be\s+better\s+(?:off\s+)?"
    r"without\s+you|no(?:body|\s+one)\s+would\s+miss\s+you)\b",
    re.IGNORECASE,
)
_PERSONS = (
    r"(?:him|her|them|someone|somebody|everyone|everybody|people|this\s+(?:man|woman|person|guy)|the\s+(?:man|woman|"
    r"guy|child|children|neighbou?rs?|"
    r"police|officers?|teachers?|guards?)|(?:your|his|her|their|the)\s+(?:wife|husband|boss|neighbou?r|mother|father|"
    r"brother|sister|son|daughter|child|"
    r"children|kids?|baby|parents?|partner|girlfriend|boyfriend|friends?|teachers?|colleagues?|ex|family|dog|cat|"
    r"pets?)(?:['’]s\s+\w+)?)"
)
_OTHERS = re.compile(
    _URGED
    + rf"(?:kill|murder|stab|shoot|strangle|poison|drown|suffocate|attack|rape|torture|kidnap|behead|choke|punch|hit|"
    rf"beat(?:\s+up)?|lynch|"
    rf"drug|set\s+fire\s+to)\s+{_PERSONS}\b(?!\s+(?:an?\b|up\b|with\s+(?:questions|ideas|kindness)|at\s+(?:chess|"
    rf"cards|tennis)|in\s+the\s+(?:game|race)|to\s+it\b))",
    re.IGNORECASE,
)
_WEAPON = re.compile(
    _URGED
    + r"(?:build|make|assemble|construct|detonate|plant|set\s+off|throw|synthesi[sz]e|cook|brew|print|prepare|fill|"
    r"use)\s+(?:(?:a|an|the|your|some|this|one)\s+)?"
    r"(?:[\w-]+\s+){0,2}?(?:pipe\s*bombs?|nail\s*bombs?|bombs?(?!\s+calorimeter)|explosives?|grenades?|"
    r"molotov(?:\s+cocktails?)?|detonators?|landmines?|ied|nerve\s+(?:agent|gas)|"
    r"sarin|ricin|mustard\s+gas|chlorine\s+gas|poison\s+gas|napalm|thermite|ghost\s+guns?|meth(?:amphetamine)?)\b",
    re.IGNORECASE,
)
_BLEACH = r"(?:bleach|chlorine|hypochlorite)"
_WITH_BLEACH = (
    r"(?:ammonia|vinegar|acids?|(?:rubbing\s+)?alcohol|ethanol|acetone|(?:hydrogen\s+)?peroxide|(?:toilet|drain|"
    r"glass|window|oven)\s+cleaners?|urine)"
)
_MIXTURES = re.compile(
    rf"{_BLEACH}\b.{{0,80}}\b{_WITH_BLEACH}\b|{_WITH_BLEACH}\b.{{0,80}}\b{_BLEACH}\b|peroxide\b.{{0,60}}\b(?:acetone|"
    rf"vinegar)\b|"
    rf"(?:acetone|vinegar)\b.{{0,60}}\bperoxide\b|drain\s+cleaners?\b.{{0,40}}\bdrain\s+cleaners?\b|"
    rf"(?:water\b.{{0,30}}\binto\b.{{0,30}}\b(?:hot|burning)\s+oil)",
    re.IGNORECASE,
)
_MIXES = re.compile(_URGED + r"(?:mix|combine|blend|add|pour|put|use|stir|shake|heat|spray|tip)\b", re.IGNORECASE)
_POISON = (
    r"(?:bleach|ammonia|antifreeze|methanol|gasoline|petrol|kerosene|(?:drain|oven|toilet)\s+cleaner|lye|cyanide|"
    r"arsenic|rat\s+poison|"
    r"mercury|detergent|disinfectant|carbon\s+monoxide|exhaust(?:\s+(?:gas|fumes))?|chlorine|paint\s+thinner|glue|"
    r"(?:its|the|these|their)\s+(?:fumes|vapou?rs?)|fumes|acid)"
)
_TAKES_POISON = re.compile(
    _URGED + rf"(?:drink|swallow|eat|ingest|inject|inhale|breathe(?:\s+in)?|sniff|snort|huff|gargle|"
    rf"taste)\s+(?:\w+\s+){{0,4}}?{_POISON}\b",
    re.IGNORECASE,
)
_MEDICINE = (
    r"(?:pills?|tablets?|capsules?|paracetamol|acetaminophen|tylenol|ibuprofen|aspirin|opioids?|oxycodone|fentanyl|"
    r"morphine|insulin|"
    r"benzodiazepines?|xanax|valium|sleeping\s+(?:pills?|tablets?)|antidepressants?|medication|medicines?|"
    r"painkillers?|codeine)"
)
_TOO_MUCH = re.compile(
    _URGED
    + r"(?:take|swallow|eat|give|inject|use|down)\s+(?:(?:him|her|them|your\s+\w+)\s+)?(?:at\s+least\s+|about\s+|"
    r"up\s+to\s+)?"
    rf"(?:(?P<count>\d{{1,4}})\s+(?:\w+\s+){{0,3}}?{_MEDICINE}|(?P<grams>\d{{1,3}})\s*(?:g|"
    rf"grams?)\s+(?:of\s+)?{_MEDICINE}|"
    rf"(?:(?:all|all\s+of|the\s+whole|the\s+entire|a\s+whole|an\s+entire|a\s+handful|a\s+bottle|as\s+many|dozens|"
    rf"twenty|thirty|forty|fifty|hundreds?)\s+)"
    rf"(?:of\s+)?(?:the\s+|your\s+|his\s+|her\s+)?(?:\w+\s+){{0,3}}?{_MEDICINE}|(?:the\s+whole|the\s+entire|"
    rf"a\s+whole|an\s+entire)\s+(?:bottle|box|pack|packet|blister)\b)"
    r"|\b(?:double|triple|quadruple)\s+(?:your|the|his|her)\s+(?:\w+\s+){0,2}?(?:dose|dosage)\b"
    r"|^\W*(?:just\s+|simply\s+)?(?:stop|quit)\s+(?:taking\s+)?your\s+(?:\w+\s+){0,2}?(?:insulin|medication|"
    r"medicines?|antidepressants?|chemotherapy|antibiotics)\b",
    re.IGNORECASE,
)
_MANY_PILLS = 9
_MANY_GRAMS = 4
_DOCTOR = re.compile(r"\b(?:doctor|physician|pharmacist|prescri\w+)\b", re.IGNORECASE)


_NO_WARNING = re.compile(r"\bwhy\s+(?:don['’]?t\s+you|not)\b|\bwithout\s+you\b", re.IGNORECASE)


def urges_harm(text: str, *, is_written: bool = False) -> bool:
    """Say whether a sentence of the text urges harm; in a story (`is_written`) its people may threaten each other."""
    sentences = [piece.group().strip() for piece in _SENTENCES.finditer(_MARKS.sub("", text[:_MAX_READ]))]
    return any(
        _urges(sentence, is_written) for sentence in sentences if not _WARNS.search(_NO_WARNING.sub(" ", sentence))
    )


def _urges(sentence: str, is_written: bool) -> bool:
    if sentence.endswith("?") and not re.match(r"\W*why\s+(?:not|don)", sentence, re.IGNORECASE):
        return False
    return (
        any(pattern.search(sentence) is not None for pattern in (_SELF, _WEAPON, _TAKES_POISON))
        or (not is_written and _OTHERS.search(sentence) is not None)
        or (_MIXTURES.search(sentence) is not None and _MIXES.search(sentence) is not None)
        or _is_overdose(sentence)
    )


def _is_overdose(sentence: str) -> bool:
    found = _TOO_MUCH.search(sentence)
    if found is None or _DOCTOR.search(sentence):
        return False
    count, grams = found.group("count"), found.group("grams")
    if count is not None:
        return int(count) > _MANY_PILLS and not re.search(
            r"\b(?:mg|milligrams?|ml|mcg|units?|iu)\b", found.group(), re.IGNORECASE
        )
    return grams is None or int(grams) > _MANY_GRAMS
