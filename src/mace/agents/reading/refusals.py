"""What is no value although it answers a question: refusals, thanks, greetings; and the value in what is one.

Pure. Whoever is asked for their shoe size and says "never mind" has not told it.
"""

import re

from mace.agents.reading import values
from mace.agents.reading.sentences import folded, rule, without_tail
from mace.agents.reading.words import words_in

_WORDS = (
    r"no|nope|nah|na|yes|yeah|yep|yup|y|n|ok|okay|k|sure|fine|great|cool|nice|good|right|alright"
    r"|perfect|awesome|whatever|maybe|perhaps|dunno|idk"
    r"|thanks|thank you|thx|ty|cheers|hello|hi|hey|bye|goodbye|good (?:morning|evening|night|afternoon"
    r"|question|point)|see you|welcome|you're welcome"
    r"|cancel|stop|skip|quit|exit|abort|end|next|pass|undo|back|help|nothing|none|nobody|never|not yet"
    r"|not now|not sure|not really|no idea|no clue|no matter"
    r"|never ?mind|forget it|forget about it|leave it|drop it|don't bother|doesn't matter"
    r"|it doesn't matter|no worries|no problem|no thanks|no thank you|no way"
    r"|later|another time|some other time|wait|one moment|just a moment|hold on|hm+|huh|um+|uh+|oh|ah"
    r"|lol|haha+|wow|oops|sorry|please|really|what|why|who|how|when|where|which"
    r"|guess|go on|continue|again|same|same as always|that's it|that's all|it's me(?: again)?"
    r"|forget that(?: question)?|cancel that|ignore that|stop it|enough|i see|got it|understood"
    r"|i understand"
    r"|that's fine|that's great|that's ok|that's okay|all good|it's fine|it's ok|it's okay|fair enough"
    r"|let's start over|you're wrong|you are wrong|you should know(?: that)?"
)
_WORDS += (
    r"|absolutely|definitely|exactly|correct|of course|who knows|god knows|you first|oh well|true"
    r"|false|wrong|both|neither|either|any|anything"
    r"|something|everything|all of them|none of them|always|sometimes|often|soon|tomorrow|today"
    r"|tonight|tbh|no comment|you tell me|yes please"
)
_FILL = (
    r"(?:a lot|very much|so much|anyway|then|there|again|mace|man|all|for now|for asking|for that"
    r"|though|please|that's great|that)"
)
_NO_VALUE = rule(
    rf"(?:(?:actually|well|oh|ah|so|but|and)[, ]+)?(?:{_WORDS})(?:[\s,.!…]+(?:{_WORDS}|{_FILL}))*[\s,.!…]*$"
)
_SENTENCE = rule(
    r"(?:i|we)(?:'m| am|'ll| will|'d| would)? ?(?:don't|do not|didn't|can't|cannot|won't|will not"
    r"|wouldn't|not|rather|prefer not|forgot|forget|have to|need|want|wish|think|guess|am|just|have no"
    r"|have a|haven't"
    r"|really|honestly|tell|will|would|might|may|could|never|still|was|were|understand|know|see|hate"
    r"|love|like|hope|mean|lost|left|went|called?|couldn't|should|must|can|got|get|see|afraid|sorry"
    r"|busy|lost|late|back|here|fine)\b"
    r"|(?:you|he|she|they|please|can|could|would|will|let's|let me|do|does|did|is|are|was|tell|show"
    r"|give|make|send|open|delete|remember|what|why|who|how|when|where|which|if|because|this is|there"
    r"|why's|what's)\b.*\S"
    r"|(?:it|that)(?:'s| is| was)(?: (?:a |really |very |quite |not |none |no |too )|n't| (?:private"
    r"|secret|confidential|personal|unknown|complicated|difficult|late|me|ok|okay|fine|good|great|all"
    r"|enough|it|nothing)\b)"
    r"|it isn't|that isn't|none of your|not (?:telling|saying|sure|known|now|today)|no(?:ne)? of"
    r"|nothing\b|ask (?:me|my)|my .{1,40} (?:is|are|was)\b"
)
_IT_IS = rule(
    r"(?:(?:no|well|oh|so|ok|yes|sure|actually|sorry|um+|hm+)[, ]+)?(?:(?:it|that|this|they|mine"
    r"|the answer)(?:'s| is| was| are|'re)|it would be|that'd be|call it|let's say|probably|i think"
    r"|i'd say) (?=\S)"
)
_TALK = rule(
    r".*\b(?:let me|ask me|tell me|tell you|telling|no comment|mind your|own business|who cares"
    r"|don't care|matters?|depends|beats me|search me|you know"
    r"|hard to say|can't say|still thinking|let's|move on|moving on|subject|something else|forget"
    r"|no one|how should|why do|a secret|secret|private|personal"
    r"|complicated|n/a|brb|hang on|a second|a minute|funny|sounds good|never mind|not telling|too many"
    r"|can't (?:choose|decide|remember)|haven't|undecided|no preference)\b"
)
_REFUSED = rule(
    r"(?:do|did|does|have|has|had|ca|wo|could|would|should|is|are|was)(?:n't| not)\b"
    r"|(?:(?:please|just|let's) )?(?:skip|drop|leave|cancel|stop|forget|ignore|scrap|undo) (?:it|that|this|them|one)\b"
    r"|(?:wrong|bad|stupid|silly|odd|strange|weird|next|another|other) (?:question|one|answer|person|topic|chat)\b"
    r"|my (?:bad|fault|mistake|apologies)\b|not applicable|no such (?:thing|person|one)|not any\b|no (?:more|one)\b"
)
_IS_THEY = rule(r"they(?:'re| are)\b")
_UNSURE = rule(r"(?:.*\b)?(?:i think|maybe|perhaps|probably|not sure|i guess|or so)\b")
_MOST_SAID = 80  # characters of a refusal, a greeting or thanks: its words repeat, and none is longer


def is_no_value(text: str) -> bool:
    """Whether a text that answers a question tells nothing: a refusal, a courtesy, an order, doubt."""
    plain = " ".join(folded(text[:2000]).split()).strip()
    if not any(c.isalnum() for c in plain):
        return True
    if _says_nothing(plain) or _REFUSED.match(plain) or _UNSURE.match(plain[:200]) or _TALK.match(plain[:200]):
        return True
    opening = _IT_IS.match(plain)
    rest = plain[opening.end() :] if opening else plain
    if _says_nothing(rest) or _SENTENCE.match(plain if opening is None or not _IS_THEY.match(plain) else rest):
        return True
    return not value_of(text)


_COURTESY = rule(
    r"(?:(?:it's |it is )?(?:nice|good|great|lovely|pleased|glad) to (?:meet|see|talk to|hear from) you(?: too)?"
    r"|how are you(?: (?:doing|today))?|have a (?:nice|good|great|lovely) \w+|(?:just )?so you know|that's (?:it|all)"
    r"|(?:please )?(?:remember|note|keep|save|store)(?: (?:it|that|this))?(?: (?:in mind|for later|well|please))?"
    r"|i (?:just )?(?:wanted to tell you|thought you should know|have news|'ve got news)|guess what|many thanks)"
    r"(?: (?:please|mace|so much|again|for me))?$"
)


def is_courtesy(text: str) -> bool:
    """Whether a sentence only surrounds what is said: a greeting, thanks, "nice to meet you"."""
    plain = " ".join(folded(text[:400]).split()).strip(" .!?,…")
    return not plain or _says_nothing(plain) or _COURTESY.match(plain) is not None


def _says_nothing(plain: str) -> bool:
    return len(plain) <= _MOST_SAID and _NO_VALUE.match(plain) is not None


def value_of(text: str) -> str:
    """The value in "it's 42", "42." and "42, please"."""
    plain = text.strip()
    opening = _IT_IS.match(folded(plain))
    rest = plain[opening.end() :] if opening else plain
    kept = values.tidy(rest) if len(rest) <= 400 else rest
    return kept or without_tail(rest)


_EDGES = re.compile(r"^(?:an?|the|my)\s+|[\s.!?,;:]+$", re.IGNORECASE)
_ABOVE = r"over|above|more than|greater than|bigger than|larger than|higher than|taller than|older than|heavier than"
_BELOW = r"under|below|less than|fewer than|smaller than|lower than|shorter than|younger than|lighter than"
_COMPARED = rule(
    rf"(?:(?P<above>{_ABOVE})|(?P<below>{_BELOW})|(?P<least>at least|no less than)"
    r"|(?P<most>at most|no more than|up to))"
    r" (?:an? |size )?(?P<n>\S+)(?P<unit>(?: [a-z]+){0,2})$"
)
_COMPARES = rule(
    rf"(?:{_ABOVE}|{_BELOW}|at least|at most|no less than|no more than|up to|around|about|between|as \w+ as|\w+er than"
    r"|near|close to|more|less|the same|different|similar|better|worse|older|younger|bigger|smaller|taller|shorter)\b"
)
_NUMBER = re.compile(r"(?:size\s+)?(\d+(?:[.,]\d+)?)(?:\s*([^\d\s]\S*))?$", re.IGNORECASE)
_IN_WORDS = {
    word: float(at)
    for at, word in enumerate(words_in("zero one two three four five six seven eight nine ten eleven twelve"))
}


def compares(expected: str) -> bool:
    """Whether what is asked about is a comparison rather than a value."""
    return _COMPARES.match(expected) is not None


def agreement(expected: str, stored: str) -> bool | None:
    """Whether a stored value is the expected one; None where it cannot be told.

    It is another one only where both are of one kind: two names, two numbers, two colours, two days.
    """
    if found := _COMPARED.match(expected.strip()):
        return _compared(found, stored)
    if compares(expected):
        return None
    one, other = _plain(expected), _plain(stored)
    if one == other:
        return True
    if " or " in f" {one} ":
        return None
    parts = parts_of(other)
    if len(parts) > 1:
        return all(part in parts for part in parts_of(one)) or None
    if one in other or other in one:
        return None
    return False if _is_another(expected.strip(), stored.strip(), one, other) else None


def parts_of(value: str) -> list[str]:
    """The things in a value of several."""
    return [part.strip() for part in re.split(r",|\band\b|&", value) if part.strip()]


def _compared(found: re.Match[str], stored: str) -> bool | None:
    limit, held = _number(f"{found['n']}{found['unit'] or ''}"), _number(_plain(stored))
    if limit is None or held is None or (limit[1] and held[1] and limit[1] != held[1]):
        return None
    if found["above"]:
        return held[0] > limit[0]
    if found["below"]:
        return held[0] < limit[0]
    return held[0] >= limit[0] if found["least"] else held[0] <= limit[0]


def _number(value: str) -> tuple[float, str] | None:
    """A value as a number and its unit."""
    value = re.sub(r"\s+(?:years?(?: old)?|yrs)$", "", value.strip().lower())
    if value in _IN_WORDS:
        return _IN_WORDS[value], ""
    found = _NUMBER.match(value)
    return None if found is None else (float(found[1].replace(",", ".")), found[2] or "")


def _is_another(expected: str, stored: str, one: str, other: str) -> bool:
    left, right = _number(one), _number(other)
    if left is not None and right is not None:
        return left[1] == right[1] or not (left[1] and right[1])
    for kind in (values.color, values.day, values.date):
        if kind(expected, True) is not None and kind(stored, True) is not None:
            return True
    if re.match(r"an?\s", expected, re.IGNORECASE) or values.is_demonym(one):
        return False
    return expected[:1].isupper() and stored[:1].isupper()


def _plain(value: str) -> str:
    return _EDGES.sub("", " ".join(folded(value).casefold().replace("-", " ").split()))
