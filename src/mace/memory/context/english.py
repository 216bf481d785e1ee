"""Words as conversations use them: one stem for the forms of a word, and which words say nothing by themselves.

Pure, deterministic, and small: suffix rules and a table of irregular forms for English; words of other scripts and
languages are left as they are. Part of `phase7-v1`: any change here is a new version of the scorer.
"""

import re
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOPWORDS = _words(
    "a an the this that these those and or but if then so than as at by for from in into of off on onto out over "
    "to up with without about am is are was were be been being do does did doing done have has had having i me my "
    "mine myself you your yours yourself he him his himself she her hers herself it its itself we us our ours "
    "they them their theirs what which who whom whose when where why how not no nor can could will would shall "
    "should may might must just also too very really there here some any all each such own same other more most "
    "only both few now s t d ll m re ve yes yeah hey hi hello oh wow ok okay thanks thank please"
)

_IRREGULAR_FORMS = (
    "go went gone goes|buy bought|see saw seen|take took taken|give gave given|get got gotten|make made|come came|"
    "find found|think thought|tell told|know knew known|write wrote written|read|eat ate eaten|drink drank drunk|"
    "drive drove driven|ride rode ridden|fly flew flown|swim swam swum|sing sang sung|run ran|begin began begun|"
    "break broke broken|choose chose chosen|speak spoke spoken|steal stole stolen|wear wore worn|win won|lose lost|"
    "leave left|meet met|keep kept|sleep slept|feel felt|build built|send sent|spend spent|lend lent|bring brought|"
    "catch caught|teach taught|fight fought|seek sought|sell sold|hold held|stand stood|understand understood|"
    "hear heard|say said|pay paid|lay laid|lie lain|sit|grow grew grown|draw drew drawn|throw threw thrown|"
    "fall fell fallen|become became|forget forgot forgotten|hide hid hidden|bite bit bitten|shake shook shaken|"
    "wake woke woken|freeze froze frozen|rise rose risen|lead led|feed fed|shoot shot|light lit|hang hung|dig dug|"
    "stick stuck|strike struck|sweep swept|bend bent|mean meant|deal dealt|dream dreamt|learn learnt|burn burnt|"
    "show shown|shine shone|tear tore torn|swear swore sworn|bind bound|wind wound|blow blew blown|sew sewn|"
    "child children|person people|man men|woman women|foot feet|tooth teeth|mouse mice|wife wives|life lives|"
    "knife knives|shelf shelves|leaf leaves|wolf wolves|half halves|good better best|bad worse worst|"
    "mother mom mum mama mommy|father dad papa daddy|photo photograph photography photographer picture pic|"
    "bike bicycle|movie film|tv television|kid kiddo|phone telephone|exam examination|fridge refrigerator|"
    "vet veterinarian|doctor doc|birthday bday|math maths mathematics|gym gymnasium|lab laboratory|veggie vegetable"
)
_IRREGULAR = {form: forms.split()[0] for forms in _IRREGULAR_FORMS.split("|") for form in forms.split()}
FORMS: dict[str, list[str]] = {}  # every irregular form by the form that stands for it
for _form, _base in _IRREGULAR.items():
    FORMS.setdefault(_base, []).append(_form)

TIME_WORDS = _words(
    "yesterday today tonight tomorrow ago week weekend month year day morning evening afternoon night last next "
    "soon recently lately monday tuesday wednesday thursday friday saturday sunday january february march april "
    "june july august september october november december spring summer autumn fall winter since until "
    "anniversary"
)
FIRST_PERSON = _words("i im ive me my mine myself we weve us our ours ourselves")
NUMBER_WORDS = _words(
    "one two three four five six seven eight nine ten eleven twelve dozen twenty thirty forty fifty hundred "
    "thousand once twice couple several half double"
)
_MONTHS = "january february march april may june july august september october november december"
MONTHS = {name: number for number, name in enumerate(_MONTHS.split(), 1)}

_VOWELS = frozenset("aeiouy")


def words_of(text: str) -> list[str]:
    """The words of a text, lowered; a possessive loses its ending."""
    found = []
    for word in _WORD.findall(text.lower()):
        if "'" in word or "’" in word:
            word = word.replace("’", "'")
            word = word[:-2] if word.endswith("'s") else word.replace("'", "")
        found.append(word)
    return found


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem that forms of one word share."""
    base = _IRREGULAR.get(word)
    if base is not None:
        return _strip(base)
    if not word.isascii() or not word.isalpha():
        return word
    return _strip(word)


def _strip(word: str) -> str:
    word = _singular(word)
    base = _IRREGULAR.get(word)
    if base is not None and base != word:
        return _strip(base)
    for ending in ("ing", "ed"):
        if word.endswith(ending) and _is_stem(word[: -len(ending)]):
            word = _undoubled(word[: -len(ending)])
            break
    for ending, least in _DERIVED if word.endswith(_DERIVED_ENDINGS) else ():
        if word.endswith(ending) and len(word) - len(ending) >= least and _is_stem(word[: -len(ending)]):
            word = word[: -len(ending)]
            if ending == "er":
                word = _undoubled(word)
            break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 2 and word.endswith("y") and word[-2] not in _VOWELS:
        word = word[:-1] + "i"
    return word


_DERIVED = (
    ("ment", 4),
    ("ness", 4),
    ("fully", 3),
    ("ful", 3),
    ("ly", 4),
    ("ion", 4),
    ("able", 4),
    ("ist", 3),
    ("er", 4),
)


_DERIVED_ENDINGS = tuple(ending for ending, _ in _DERIVED)


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zes", "oes")):
        return word[:-2]
    return word[:-1]


def _is_stem(rest: str) -> bool:
    return len(rest) >= 3 and any(letter in _VOWELS for letter in rest)


def _undoubled(word: str) -> str:
    doubled = len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeious"
    return word[:-1] if doubled and (word[-1] != "l" or len(word) > 5) else word


STOP_STEMS = frozenset(map(stem, STOPWORDS))
