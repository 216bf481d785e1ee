"""A text in sentences and clauses, without what only surrounds what is said: greetings, fillers, courtesies.

Pure, and linear in the text: every pattern is matched at a known place, and none repeats inside another.
"""

import re
import unicodedata
from dataclasses import dataclass

from mace.agents.reading.words import words_in

_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'", "\u00a0": " ", "\u202f": " "})
_ENDS = re.compile(r"[.!?…]+[\"”’')]*(?=\s|$)|\n+|;\s")
_ABBREVIATIONS = frozenset(words_in("jr sr dr mr mrs ms st prof inc ltd co corp no vs etc ph.d m.sc b.sc e.g i.e"))
_GOES_ON = re.compile(r"\s*[a-z]")
_INITIAL = re.compile(r"(?:^|[\s.])[^\W\d_]$")


def rule(source: str) -> re.Pattern[str]:
    """Compile a pattern in which a space stands for white space, and only `[A-Z]` tells capitals from small letters."""
    source = source.replace("[A-Z]", "(?-i:[A-Z])").replace("[A-Z&]", "(?-i:[A-Z&])")
    return re.compile(source.replace(" ?", r"\s*").replace(" ", r"\s+"), re.IGNORECASE)


def folded(text: str) -> str:
    """The text with one kind of apostrophe and of space; every character stays in its place."""
    return text.translate(_APOSTROPHES)


def is_latin(text: str) -> bool:
    """Whether the letters of a text are those that the forms are written in; others are not read."""
    letters = [c for c in text if c.isalpha() and not c.isascii()]
    return all(unicodedata.name(c, "").startswith(("LATIN", "FEMININE", "MASCULINE", "MODIFIER")) for c in letters)


_SHORT = {
    "im": "I'm",
    "ive": "I've",
    "dont": "don't",
    "cant": "can't",
    "thats": "that's",
    "whats": "what's",
    "wheres": "where's",
    "whos": "who's",
    "hows": "how's",
    "whens": "when's",
    "isnt": "isn't",
    "doesnt": "doesn't",
    "didnt": "didn't",
    "wasnt": "wasn't",
    "u": "you",
    "ur": "your",
    "plz": "please",
    "bday": "birthday",
    "gf": "girlfriend",
    "bf": "boyfriend",
    "luv": "love",
    "fav": "favourite",
    "fave": "favourite",
    "rn": "right now",
    "atm": "at the moment",
    "w/": "with",
    "tshirt": "t-shirt",
    "tshirts": "t-shirts",
    "tz": "time zone",
    "alot": "a lot",
    "youre": "you're",
    "theyre": "they're",
}
_SHORTS = re.compile(
    r"\b(?:"
    + "|".join(sorted((re.escape(word) for word in _SHORT), key=len, reverse=True))
    + r")(?![\w'])\.?(?=[\s,;:!?]|$)",
    re.IGNORECASE,
)
_ITS = re.compile(r"(?:(?<=^)|(?<=[,;.!?] ))its (?=\S)", re.IGNORECASE)
_PICTURES = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf\u2b50\ufe0f\u200d]+")


def spelled_out(text: str) -> str:
    """The text with short forms in full ("im", "thats") and without pictures."""
    if not text.isascii():
        text = _PICTURES.sub(" ", text)
    text = _ITS.sub("it's ", text)
    return _SHORTS.sub(lambda found: _SHORT[found.group().lower().rstrip(".")], text)


@dataclass(frozen=True, slots=True)
class Sentence:
    text: str
    asks: bool  # it ends in a question mark


def sentences(text: str, most: int) -> list[Sentence] | None:
    """The sentences and lines of a text; None for more than `most`."""
    found: list[Sentence] = []
    start = 0
    for end in _ENDS.finditer(text):
        mark = end.group()
        if mark in ("...", "…", "..") and _GOES_ON.match(text, end.end()):
            continue
        if mark == "." and _is_abbreviation(text[max(start, end.start() - 12) : end.start()]):
            continue
        _add(found, text[start : end.start()], "?" in mark)
        start = end.end()
        if len(found) > most:
            return None
    _add(found, text[start:], False)
    return found if len(found) <= most else None


def _add(found: list[Sentence], text: str, asks: bool) -> None:
    text = text.strip().strip("-–—*•·").strip()
    if text:
        found.append(Sentence(text, asks))


def _is_abbreviation(before: str) -> bool:
    last = before.rsplit(None, 1)[-1] if before.strip() else ""
    return last.lower().lstrip("(") in _ABBREVIATIONS or (bool(_INITIAL.search(before)) and last not in ("I", "i"))


_GREETING = (
    r"hey there|hi there|hello there|hey|hi|hello|hiya|yo|good (?:morning|evening|afternoon|day)"
    r"|greetings|mace|dear mace"
)
_FILLER = (
    r"ps|p\.s\.|reminder|a reminder|heads up|not any ?more|typo|oops typo|i misspoke|misspoke|forget "
    r"what i said|so yeah|hands down"
    r"|for your notes|for your files|for the file|for later|if you (?:must|want to|need to) know|in "
    r"case it (?:helps|matters)"
    r"|you may as well know(?: that)?|you can note(?: that)?|i might as well (?:say|tell you)(?: that)?"
    r"|(?:i )?just (?:a )?heads up"
    r"|it's worth (?:knowing|noting|mentioning)(?: that)?|worth (?:knowing|noting|mentioning)|it might "
    r"help to know(?: that)?"
    r"|i'm (?:happy|proud|glad|pleased) to (?:say|tell you|announce)(?: that)?|would you believe(?: "
    r"it)?|now|little update"
    r"|i don't think i(?:'ve| have)? (?:mentioned|told you|said)(?: it| this)?(?: but| that)?|not sure "
    r"if i (?:said|mentioned)(?: it)? but"
    r"|(?:as )?(?:a )?(?:bit|piece) of (?:info|information|trivia|background)|for background|you'll "
    r"want to know(?: that)?"
    r"|ok(?:ay)?|right|alright|so|well|oh|ah|aha|um+|uh+|hm+|and|also|plus|but|anyway|btw|by the way"
    r"|fyi|for the record"
    r"|for your information|just so you know|just to let you know|just for the record|as it happens"
    r"|as a matter of fact"
    r"|in fact|in case you(?: were)? wonder(?:ed|ing)?|in case you did ?n't know|to be honest|tbh"
    r"|honestly|frankly|truth be told"
    r"|you know(?! (?:my|what|where|who|when|which|how))|you see|listen(?: up)?|look|quick (?:fact"
    r"|facts|note|question|one|thing)"
    r"|fun fact|one more thing|another thing|one thing|just (?:one|a) (?:quick )?(?:question|thing)"
    r"|thanks for asking|thanks|thank you(?: for asking)?"
    r"|sure(?: thing)?|yes|yeah|yep|great|cool|guess what|good news|i've got news|i have news|news"
    r"|some facts|facts about me"
    r"|about me|a bit about me|a little about me|as for me|for me|personally|basically|obviously"
    r"|of course|indeed|incidentally"
    r"|from now on|as of (?:today|now|this (?:week|month|year))|these days|nowadays|at the moment|at "
    r"present|currently"
    r"|right now|since last (?:week|month|year|summer|winter|spring|autumn)"
    r"|as you (?:may|might|probably|surely)? ?(?:have guessed|have noticed|know|can see|already know)"
    r"|as you know|as i said|like i said|as mentioned"
    r"|i know (?:it's|it is|that's|this is) [a-z ]{2,30}, but|it may sound [a-z ]{2,20}, but"
    r"|i guess you could say(?: that)?|you could say(?: that)?|i(?:'d| would) say(?: that)?"
    r"|i suppose you should know(?: that)?"
    r"|(?:i )?(?:just )?(?:want|wanted|'d like|would like|need) (?:you )?to (?:know|tell you|say"
    r"|let you know|mention|add|inform you)(?: that)?"
    r"|i (?:just )?(?:want|wanted|need|would like|'d like) you to (?:know|remember|note|save|store"
    r"|keep in mind)(?: that)?"
    r"|i(?:'d| would) like you to (?:know|remember|note|save|store|keep in mind)(?: that)?"
    r"|i'd like to tell you(?: that)?"
    r"|i thought (?:you|i)(?:'d| might| may| would| should)? (?:like to |want to |tell you "
    r"|let you )?(?:know |mention )?(?:that)?"
    r"|you (?:should|might want to|may want to|ought to|need to|must) know(?: that)?"
    r"|let me (?:tell you|add|mention)(?: that)?"
    r"|(?:so )?i(?:'ve| have)? (?:finally |now )?decided(?: that)?|it turns out(?: that)?|the (?:truth"
    r"|fact|thing) is(?: that)?"
    r"|to clarify|to be (?:precise|clear|exact)|for reference|if you must know|if you want to know"
    r"|if you're (?:wondering|interested)|let me introduce myself|allow me to introduce myself"
    r"|here's (?:a|one|some) (?:facts?|things?) about me|(?:something|one thing|what"
    r"|a thing) you should know(?: about me)? is(?: that)?|i should tell you(?: that)?"
    r"|let it be known(?: that)?|for context|some context|context"
    r"|i (?:should|must) (?:mention|add|say|admit|confess)(?: that)?"
    r"|i can tell you(?: that)?|(?:a |an )(?:little |quick |small )?(?:update|reminder|heads up)"
    r"|for what it's worth|believe it or not|update(?=\s*:)|by (?:trade|profession)"
    r"|(?:i )?forgot to (?:say|mention|tell you)(?: that)?|did i (?:mention|tell you)(?: that)?"
    r"|don't laugh|since you ask(?:ed)?"
)
_CORRECTION = (
    r"(?:no[,.! ]+)*no|nope|nah|actually|correction|rather|sorry|oops|whoops|pardon|my mistake|my bad"
    r"|i was wrong|i made a mistake"
    r"|i take that back|scratch that|strike that|wait|hold on|hang on|not quite|that's (?:not right"
    r"|not correct|wrong|incorrect|not true)"
    r"|that is (?:wrong|not right|not correct|incorrect)|that was wrong|you(?:'ve| have)? got (?:that"
    r"|it|this) wrong|you're wrong|wrong"
    r"|i(?:'ve| have)? changed my mind|i mean|i meant(?: to say)?|let me correct (?:that|myself)"
    r"|to correct that|that(?:'s| has) changed|things changed"
)
_ORDER = (
    r"(?:(?:please|pls|kindly|can you|could you|would you|will you|just|always|do|i need you to"
    r"|i want you to|go ahead and)[\s,]+)*"
    r"(?:remember|note|save|store|record|keep in mind|bear in mind|do(?:n't| not) forget|memori[sz]e"
    r"|make (?:a )?note(?: of this)?"
    r"|make a mental note|make a note|take (?:a )?note|add(?: to my profile)?(?= that)|log|jot down"
    r"|keep on file|file away|keep a note of this(?: one)?|let it be known|write (?:this )?down|put "
    r"(?:this )?down|jot (?:this )?down"
    r"|keep(?: a)? note|add to my profile)"
    r"(?: please)?(?:\s*[:,]\s*|\s+)(?:(?:this|these|the following|it)(?: (?:about|for) me)?\s*[:,]\s*"
    r"|about me\s*[:,]\s*|the fact that |for me(?:\s*[:,]| that) ?|(?:of )?(?:the fact )?that "
    r"|down that )?"
)
_POLITE = r"please|pls|kindly"
_LEAD = rule(rf"(?:{_GREETING}|{_FILLER}|{_POLITE})\b(?:\s*[,:;.!…–—-]+\s*|\s+)(?:that (?=my|i\b))?")
_CORRECTS = rule(rf"(?:{_CORRECTION})\b(?:\s*[,:;.!…–—-]+\s*|\s+)(?:that (?=my|i\b))?")
_ORDERS = rule(_ORDER)
_TAIL = rule(
    r"(?:[\s,;:–—-]+(?:please|pls|thanks(?: a lot| so much)?|thank you|thx|cheers|by the way|btw"
    r"|you know|of course|obviously|actually"
    r"|now|right now|these days|nowadays|at the moment|at present|currently|for now|for the moment|too"
    r"|as well|again|though|anyway|ok|okay|right"
    r"|if you (?:don't mind|can|please)|would you|will you|could you|can you|don't you|for me"
    r"|and i love it|fyi|then|exactly|instead|today"
    r"|fr|ngl|tbh|imo|dear|darling|mate|love|my dear|i'm afraid|would you believe(?: it)?|believe it "
    r"or not|always have|always has"
    r"|if you can believe it|if you must know|if that helps|in case you need it|just so you know|just "
    r"saying|keep that in mind"
    r"|please note(?: it| that)?|note that|have done for \w+ years|that's me|if you (?:wanted|want) "
    r"to know|in my book|hands down"
    r"|in case you(?:'re| are| were) wondering|nice to meet you|pleased to meet you|for what it's worth"
    r"|i might add|as it happens"
    r"|so far|already|of all time|by far|ever|in the world|since you ask|for the record|remember"
    r"|honestly|to be honest|personally|indeed))+$"
)
_MOST_LEADS = 8


@dataclass(frozen=True, slots=True)
class Stripped:
    text: str
    ordered: bool = False  # "remember that ..."
    corrects: bool = False  # "no, ...", "actually, ..."


def without_leads(text: str, orders: bool = True) -> Stripped:
    """What is left of a sentence without what only leads up to it; `orders`: also without "remember that"."""
    ordered = corrects = False
    for _ in range(_MOST_LEADS):
        if orders and (found := _ORDERS.match(text)):
            ordered = True
        elif found := _CORRECTS.match(text):
            corrects = True
        else:
            found = _LEAD.match(text)
        if found is None or found.end() == 0 or found.end() >= len(text):
            break
        text = text[found.end() :].lstrip()
    return Stripped(text, ordered, corrects)


def without_tail(text: str) -> str:
    """What is left without words that only round it off; the full stop of "D.C." stays."""
    text = text.rstrip(" \t,;:–—-!…")
    while text.endswith(".") and not (text[-3:-2] in ("", " ", ".") or _is_abbreviation(text[-13:-1])):
        text = text[:-1].rstrip(" \t,;:–—-!…")
    window = text[-160:]
    found = _TAIL.search(window)
    return text[: len(text) - len(window) + found.start()].rstrip(" ,;:–—-") if found else text


_CLAUSE = rule(
    r"(?:\s*[,;–—]\s*|\s+-\s+)(?:(?:and|but|so|because|plus|also|then|while|whereas|yet)\s+)?"
    r"(?=(?:my|our|i|i'm|i've|i'd|i'll|we|we're|we've|call|everyone|everybody|people|he|he's|she|she's"
    r"|they|they're|it's|it|that's|you"
    r"|his|her|their|its|your|what|where|who|when|how|which|why|do|does|can|could|is|are|will|not"
    r"|the trains|this|that)\b)"
    r"|\s+(?:and|but|while|whereas|so|because|although|though)\s+(?:also\s+)?(?:please\s+)?"
    r"(?=(?:you (?:can|may|should) call me|my|our|i|i'm|i've|i'd|we|we're|we've|call me|everyone|everybody"
    r"|people|he|he's|she|she's"
    r"|they|it's|it is|his|her|their|its)\b)"
)


def clauses(text: str, most: int) -> list[str] | None:
    """The clauses of a sentence: parts that have a subject of their own; None for more than `most`."""
    found: list[str] = []
    start = 0
    for mark in _CLAUSE.finditer(text):
        if mark.start() == 0:
            continue
        found.append(text[start : mark.start()].strip())
        start = mark.end()
        if len(found) > most:
            return None
    found.append(text[start:].strip())
    return [clause for clause in found if clause] if len(found) <= most else None
