"""Words and numbers of a text, in a form in which two texts can be compared: stems, number words, units, dates, times.

Pure and linear. Nothing is judged here: `support` compares them.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache

TOKEN = re.compile(r"~?\d+(?:[.,:]\d+)*+|[^\W\d_]+\d[^\W_]*+|[^\W\d_]+(?:['’][^\W\d_]+)*+|[^\W_]+")
_DIGITS = re.compile(r"~?\d+(?:[.,:]\d+)*+")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")

_ONES = {
    name: at
    for at, name in enumerate(
        str.split(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
            "sixteen seventeen eighteen nineteen"
        )
    )
}
_TENS = {name: 10 * at for at, name in enumerate(str.split("twenty thirty forty fifty sixty seventy eighty ninety"), 2)}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_OTHER_NUMBERS = {"dozen": 12, "twice": 2, "double": 2, "once": 1, "thrice": 3}
_ORDINALS = {
    **{
        name: at
        for at, name in enumerate(
            str.split(
                "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
                "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
            ),
            1,
        )
    },
    "thirtieth": 30,
}
_MONTHS = str.split("January February March April May June July August September October November December")

NEGATIONS = frozenset(
    str.split(
        "not no never cannot neither nor none nobody nothing nowhere without cant dont doesnt didnt isnt arent "
        "wasnt werent wont wouldnt shouldnt couldnt hasnt havent hadnt mustnt neednt hardly"
    )
)

# Words that claim nothing by themselves, in questions and answers about a passage.
SMALL = frozenset(
    str.split(
        "a about according actually also am an and approximately are around as at be because been being but "
        "by called can could did do does doing for from have having he her here him his how i if in "
        "indeed into is it its itself just let many may me might more much must my named of off on or other our "
        "out over own per please passage passages states stated says said say source sources text than that the "
        "their them then there these they this those through to too until up upon us very was we were what when "
        "where which while who whom whose why will with would yes you your located situated "
        "following answer given mentioned mentions tell know total number amount value name time times kind sort "
        "type exactly so such some thus therefore well dr mr mrs ms prof based provided information context "
        "document"
    )
)
# Small words that change what a number means, where one follows.
_LIMITS = {
    "most": "most", "maximum": "most", "maximally": "most", "least": "least", "minimum": "least", "minimally": "least",
    "over": "above", "above": "above", "more": "above", "exceeding": "above", "under": "below", "below": "below",
    "less": "below", "fewer": "below", "before": "before", "after": "after",
}  # fmt: skip

# How certain a clause is of what it says.
MOODS = {
    **dict.fromkeys(("may", "might", "can", "could", "perhaps", "maybe", "possibly", "probably"), "may"),
    **dict.fromkeys(("must", "shall", "should"), "must"),
    **dict.fromkeys(("will", "would"), "will"),
}
# What takes back a part of a clause: it must stay.
HEDGES = {
    **dict.fromkeys(("former", "formerly", "previously", "once", "ex", "until", "till"), "former"),
    **dict.fromkeys(("nearly", "almost", "partly", "partially", "half"), "partly"),
    **dict.fromkeys(("planned", "proposed", "expected", "intended", "plans", "hopes", "wants"), "planned"),
    **dict.fromkeys(("allegedly", "reportedly", "supposedly", "rumoured", "claims", "alleged"), "said to"),
    **dict.fromkeys(("if", "provided"), "if"),
    **dict.fromkeys(("unless", "except"), "unless"),
    **dict.fromkeys(("sometimes", "rarely", "seldom", "occasionally", "usually", "often"), "sometimes"),
    **dict.fromkeys(("some", "few", "several", "part"), "some"),
    "only": "only",
}
# Small words whose exchange turns a sentence round.
DIRECTIONS = {
    "from": "from", "to": "to", "into": "to", "before": "before", "after": "after", "than": "than", "above": "above",
    "below": "below", "over": "above", "under": "below", "against": "against", "without": "without", "by": "by",
    "for": "for",
}  # fmt: skip

_IRREGULAR = dict(
    pair.split(":")
    for pair in str.split(
        "led:lead ran:run built:build began:begin begun:begin bought:buy sold:sell wrote:write written:write "
        "made:make grew:grow grown:grow held:hold left:leave met:meet paid:pay rose:rise risen:rise sent:send "
        "spoke:speak taught:teach won:win kept:keep lost:lose gave:give went:go gone:go came:come took:take "
        "taken:take stood:stand flew:fly flown:fly drove:drive driven:drive ate:eat eaten:eat knew:know "
        "known:know saw:see seen:see chose:choose chosen:choose spent:spend brought:bring caught:catch drew:draw "
        "drawn:draw fell:fall fallen:fall lay:lie lain:lie burnt:burn feet:foot children:child people:person "
        "men:man women:woman said:say shut:shut grammes:gram metre:meter centre:center litre:liter tonne:ton "
        "tonnes:ton became:become"
    )
)
_PAST = frozenset(_IRREGULAR) - {
    "feet", "children", "people", "men", "women", "grammes", "metre", "centre", "litre", "tonne", "tonnes",
}  # fmt: skip

# Words that say the same where a passage is retold. A word may stand in several rows.
_SYNONYMS = (
    "head lead run manage direct leader manager director boss chief command",
    "captain command",
    "every each",
    "conduct conductor",
    "write author writer",
    "teach teacher",
    "win winner",
    "found founder establish",
    "start begin launch",
    "start found create creator founder",
    "end finish conclude expire",
    "open opening",
    "close closing shut",
    "cost price fee",
    "pay cost",
    "pay payment",
    "buy purchase buyer",
    "sell seller sale",
    "big large",
    "high height tall",
    "deep depth",
    "wide width",
    "weigh weight",
    "carry hold take",
    "lift load carry",
    "keep retain",
    "sign signature",
    "stay remain",
    "stand lie",
    "meet meeting",
    "land landing arrive",
    "ripen ripening",
    "carve sculptor sculpt",
    "allow permit",
    "annual year yearly",
    "month monthly",
    "day daily",
    "week weekly",
    "employee worker staff",
    "employ work employee",
    "reside live dwell",
    "car vehicle automobile",
    "own owner belong possess",
    "need require",
    "invent inventor",
    "paint painter",
    "build builder construct",
    "design designer",
    "discover discoverer",
    "last take",
    "visit visitor",
    "report subordinate",
    "repair mend fix",
    "supply provide",
    "depart leave",
    "measure measurement",
    "keeper keep",
    "leave departure",
)
# What a question may call by its kind while a passage only gives the value.
_KINDS_OF = (
    "price cost fee: euro dollar pound franc yen krona rupee",
    "colour color: white black red green blue yellow brown grey gray orange purple pink",
    "day: monday tuesday wednesday thursday friday saturday sunday",
    "date day: january february march april may june july august september october november december",
    "height depth width length distance size: meter kilometer centimeter millimeter foot mile inch yard",
    "length: character word page",
    "weight load: gram kilogram kilo ton pound",
    "duration term age retention ripening: second minute hour day week month year",
    "hour: open close",
    "capacity: carry hold take load seat",
    "power: watt kilowatt megawatt",
    "speed: kilometer mile",
    "temperature: degree",
    "pressure: bar",
    "flow: liter",
    "highest: above most maximum",
    "size: member person",
    "budget: euro dollar pound",
    "share: percent half third quarter",
    "long: second minute hour day week month year meter kilometer foot mile",
    "far: meter kilometer mile",
    "big large: size member person meter kilometer hectare",
    "old: year age",
    "heavy: gram kilogram kilo ton pound weigh",
    "fast: kilometer mile speed",
    "often: minute hour day week month year",
    "origin: found start",
    "fuel: burn",
    "meeting: meet",
)
UNITS = (
    "second minute hour day week month year decade century",
    "meter kilometer centimeter millimeter foot mile inch yard",
    "gram kilogram kilo ton milligram",
    "euro dollar pound franc yen krona rupee cent",
    "liter milliliter gallon",
    "percent",
    "degree",
    "watt kilowatt megawatt",
    "hectare acre",
    "bar volt ampere hertz byte kilobyte megabyte gigabyte terabyte",
)

_ABBREVIATED = (
    (r"%", " percent"), (r"(?<=\d)\s?km/h\b", " kilometers per hour"), (r"(?<=\d)\s?km\b", " kilometers"),
    (r"(?<=\d)\s?cm\b", " centimeters"), (r"(?<=\d)\s?mm\b", " millimeters"), (r"(?<=\d)\s?kg\b", " kilograms"),
    (r"(?<=\d)\s?MW\b", " megawatts"), (r"(?<=\d)\s?kW\b", " kilowatts"), (r"(?<=\d)\s?ha\b", " hectares"),
    (r"(?<=\d)\s?m\b", " meters"), (r"(?<=\d)\s?g\b", " grams"), (r"(?<=\d)\s?[lL]\b", " liters"),
    (r"(?<=\d)\s?(?:min|mins)\b", " minutes"), (r"(?<=\d)\s?hrs?\b", " hours"), (r"(?<=\d)\s?°\s?[CF]?\b", " degrees"),
    (r"(?<=\d)\s?[kK]\b", " thousand"), (r"\bper cent\b", " percent"), (r"\bEUR\b", "euros"), (r"\bUSD\b", "dollars"),
    (r"\bGBP\b", "pounds"), (r"\bCHF\b", "francs"), (r"(?<=\d)(?:st|nd|rd|th)\b", ""),
)  # fmt: skip
_ABBREVIATIONS = tuple((re.compile(pattern), full) for pattern, full in _ABBREVIATED)
_MONEY = re.compile(r"([$€£])\s?(\d+(?:[.,]\d+)*+(?:\s?(?:thousand|million|billion))?)")
_MONEY_AFTER = re.compile(r"(?<=\d)\s?([$€£])")
_CURRENCY = {"$": "dollars", "€": "euros", "£": "pounds"}
_ISO_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_CLOCK = re.compile(r"\b(\d{1,2})(?:[:.](\d{2}))?\s?(a\.?m\.?|p\.?m\.?)(?!\w)", re.IGNORECASE)
_O_CLOCK = re.compile(r"\s?o['’]clock\b", re.IGNORECASE)
_PAST_HOUR = re.compile(r"\b(half|quarter) past (\w{2,9})\b", re.IGNORECASE)
_MINUS = re.compile(r"(?<![\w)\]])[-−](?=\d)|\bminus (?=\d)", re.IGNORECASE)


_SIGNED = re.compile(r"(?<=[^\W\d_])[+#]{1,2}(?![\w+#])")  # the Ox+ is not the Ox
_SIGNS = {"+": "plus", "#": "sharp"}


def plain(text: str) -> str:
    """A text with its units, dates, times and signs written one way."""
    text = unicodedata.normalize("NFKC", text)
    text = _SIGNED.sub(lambda m: "".join(_SIGNS[sign] for sign in m.group()), text)
    text = _ISO_DATE.sub(_date, text)
    text = _MINUS.sub("~", text)
    text = _MONEY.sub(lambda m: f"{m.group(2)} {_CURRENCY[m.group(1)]}", text)
    text = _MONEY_AFTER.sub(lambda m: f" {_CURRENCY[m.group(1)]}", text)
    text = _CLOCK.sub(_time, text)
    text = _O_CLOCK.sub("", _PAST_HOUR.sub(_past, text))
    for pattern, full in _ABBREVIATIONS:
        text = pattern.sub(full, text)
    return text.replace("-", " ")


def _date(found: re.Match[str]) -> str:
    year, month, day = (int(part) for part in found.groups())
    return f"{day} {_MONTHS[month - 1]} {year}" if 1 <= month <= 12 and 1 <= day <= 31 else found.group()


def _time(found: re.Match[str]) -> str:
    hour, minute, half = int(found.group(1)), found.group(2) or "00", found.group(3)[0].lower()
    if not 1 <= hour <= 12:
        return found.group()
    return f"{hour % 12 + (12 if half == 'p' else 0)}:{minute}"


def _past(found: re.Match[str]) -> str:
    hour = found.group(2).lower()
    number = int(hour) if hour.isdecimal() and len(hour) <= 2 else _ONES.get(hour)
    return found.group() if number is None else f"{number}:{30 if found.group(1).lower() == 'half' else 15}"


def folded(token: str) -> str:
    """A token in small letters, without accents, apostrophes and the possessive ending."""
    flat = unicodedata.normalize("NFKD", token).casefold()
    bare = "".join(char for char in flat if not unicodedata.combining(char))
    return bare.replace("’", "'").removesuffix("'s").replace("'", "")


def denies(token: str) -> bool:
    low = folded(token)
    return low in NEGATIONS or (low.endswith("nt") and "'" in token.replace("’", "'"))


def limit_at(tokens: Sequence[str], at: int) -> str | None:
    """What a small word before a number says of it ("at most", "before"); None where no number follows."""
    meant = _LIMITS.get(tokens[at].casefold())
    if meant is None:
        return None
    meant = stem(meant)
    for offset in (1, 2):
        if at + offset < len(tokens) and number_at(tokens, at + offset) is not None:
            return meant
        if at + offset < len(tokens) and tokens[at + offset].casefold() not in ("than", "the", "of", "about"):
            return None
    return None


def is_past_form(token: str) -> bool:
    low = token.casefold()
    return low in _PAST or (len(low) > 4 and low.endswith("ed"))


def is_verb(token: str, before: str | None) -> bool:
    """Say whether a word looks like the verb of a clause; `before` is the token before it."""
    low = token.casefold()
    if low in AUXILIARIES:
        return True
    if token[:1].isupper() or before is None or before.casefold() in _BEFORE_NOUNS or before[0].isdigit():
        return False
    if number_at([before], 0) is not None:
        return False
    if low in _PAST or (len(low) > 4 and low.endswith("ed")):
        return True
    return len(low) > 3 and low.endswith("s") and not low.endswith(("ss", "us", "is"))


AUXILIARIES = frozenset(
    str.split(
        "is are was were has have had can cannot could must may might will would shall should does do did isnt "
        "arent wasnt wont cant doesnt didnt"
    )
)
_BEFORE_NOUNS = frozenset(
    str.split(
        "a an the this that these those its his her their our my your of in on at for from to with by per and or "
        "most all some many few several no each every other"
    )
)


def number_at(tokens: Sequence[str], at: int) -> tuple[list[Decimal], int] | None:
    """The number that begins here, in digits or in words, and how many tokens it takes."""
    token = tokens[at]
    if token[0].isdigit() or (token[0] == "~" and len(token) > 1):
        if not _DIGITS.fullmatch(token):
            return None
        values = _of_digits(token)
        if len(values) == 1 and at + 1 < len(tokens) and tokens[at + 1].casefold() in _SCALES:
            return [values[0] * _SCALES[tokens[at + 1].casefold()]], 2
        return values, 1
    low = token.casefold()
    if low in _ORDINALS:
        return [Decimal(_ORDINALS[low])], 1
    if low in _OTHER_NUMBERS:
        return [Decimal(_OTHER_NUMBERS[low])], 1
    if low not in _ONES and low not in _TENS and not (low in _SCALES and at and tokens[at - 1].casefold() == "a"):
        return None
    if low == "one" and not (at + 1 < len(tokens) and tokens[at + 1].casefold() in _SCALES):
        return None  # "one of them"
    if low in _TENS and at + 1 < len(tokens) and 0 < _ORDINALS.get(tokens[at + 1].casefold(), 0) < 10:
        return [Decimal(_TENS[low] + _ORDINALS[tokens[at + 1].casefold()])], 2  # twenty first
    return _of_words(tokens, at)


def _of_words(tokens: Sequence[str], at: int) -> tuple[list[Decimal], int]:
    total, current, used = 0, 0, 0
    while at + used < len(tokens):
        low = tokens[at + used].casefold()
        if low in _ONES and current % 10 == 0 and (current % 100 == 0 or _ONES[low] < 10):
            current += _ONES[low]
        elif low in _TENS and current % 100 == 0:
            current += _TENS[low]
        elif low == "hundred":
            current = max(1, current) * 100
        elif low in _SCALES:
            total, current = total + max(1, current) * _SCALES[low], 0
        elif low == "and" and used and at + used + 1 < len(tokens) and current % 100 == 0 and current + total:
            following = tokens[at + used + 1].casefold()
            if following not in _ONES and following not in _TENS:
                break
        else:
            break
        used += 1
    return [Decimal(total + current)], used


def _of_digits(token: str) -> list[Decimal]:
    sign, digits = (-1, token[1:]) if token[0] == "~" else (1, token)
    if _THOUSANDS.fullmatch(digits):
        digits = digits.replace(",", "")
    try:
        if len(digits) <= 40 and ":" not in digits:
            return [sign * Decimal(digits.replace(",", "."))]
    except InvalidOperation:
        pass
    parts = [Decimal(part) for part in re.split(r"[.,:]", digits) if part and len(part) <= 40]
    return parts[:1] if ":" in digits and len(parts) == 2 and not parts[1] else parts  # 14:00 is 14


def stem(word: str) -> str:
    """A word without its endings: opened, opening and opens meet; so do British and American spellings."""
    word = _IRREGULAR.get(word, word)
    if len(word) > 5:
        word = word.replace("our", "or")
    if len(word) > 3 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 2 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if len(word) > len(ending) + 2 and word.endswith(ending) and re.search("[aeiouy]", word[: -len(ending)]):
            word = word[: -len(ending)]
            if len(word) > 2 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    word = word.removesuffix("ly") if len(word) > 5 else word
    if len(word) > 3 and word.endswith("re") and word[-3] == "t":
        word = word[:-2] + "er"
    word = word[:-1] if len(word) > 3 and word.endswith("e") else word
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word


@lru_cache(maxsize=1)
def synonyms() -> Mapping[str, frozenset[str]]:
    """Each stem with the stems that say the same."""
    table: dict[str, set[str]] = {}
    for row in _SYNONYMS:
        stems = {stem(word) for word in row.split()}
        for word in stems:
            table.setdefault(word, set()).update(stems - {word})
    return {word: frozenset(others) for word, others in table.items()}


@lru_cache(maxsize=1)
def kinds() -> Mapping[str, frozenset[str]]:
    """The stem of what is asked for, with the stems that show it was given."""
    table: dict[str, set[str]] = {}
    for row in _KINDS_OF:
        names, _, values = row.partition(":")
        for name in names.split():
            table.setdefault(stem(name), set()).update(stem(value) for value in values.split())
    return {word: frozenset(others) for word, others in table.items()}


@lru_cache(maxsize=1)
def units_of_measure() -> frozenset[str]:
    return frozenset(stem(word) for row in UNITS for word in row.split())


@lru_cache(maxsize=1)
def calendar() -> frozenset[str]:
    """The stems of months and days of the week."""
    days = str.split("monday tuesday wednesday thursday friday saturday sunday")
    return frozenset(stem(word) for word in (*map(str.lower, _MONTHS), *days))
