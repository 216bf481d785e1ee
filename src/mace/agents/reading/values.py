"""What can be the value of an attribute: by its kind, a value as it is kept, or None for what is none.

Pure. Storing what somebody did not mean is worse than storing nothing, so that what only may be a value is none.
`cased` says whether the writer uses capitals: then a name begins with one.
"""

import re
from collections.abc import Callable

from mace.agents.reading.sentences import without_tail
from mace.agents.reading.words import words_in

_SPACE = re.compile(r"\s+")
_A = re.compile(r"\Aan?\s+", re.IGNORECASE)
_QUOTES = {'"': '"', "“": "”", "«": "»", "„": "“", "'": "'"}
_CALLED = re.compile(
    r"\b(?:called|named|by the name of|which is called|that is called|whose name is|that goes by)\s+", re.IGNORECASE
)
_NAME_WORD = re.compile(r"[^\W\d_][\w'’.&-]*")
_PARTICLES = frozenset(words_in("de da do dos van von der den la le el al bin ibn di du y e of the and & o' mac saint"))
_WORD = re.compile(r"[\w'-]+")
_DIGITS = re.compile(r"\d")

MONTHS = frozenset(
    words_in(
        "january february march april may june july august september october november december jan feb mar "
        "apr jun jul aug sep sept oct nov dec"
    )
)
DAYS = frozenset(
    words_in(
        "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays "
        "fridays saturdays sundays weekday weekdays weekend weekends"
    )
)
_NUMBERS = frozenset(
    words_in(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred "
        "half"
    )
)
_SIZES = frozenset(words_in("xxs xs s m l xl xxl xxxl small medium large extra-large extra"))
COLORS = frozenset(
    words_in(
        "red orange yellow green blue purple violet pink brown black white gray grey silver gold golden teal "
        "turquoise magenta cyan maroon beige lilac lavender coral navy olive khaki burgundy crimson indigo "
        "mint sage amber ivory cream scarlet chestnut blond blonde auburn ginger hazel dark light"
    )
)
# What a value of no attribute begins with.
_NEVER_FIRST = frozenset(
    words_in(
        "beautiful noisy quiet exhausting stressful rewarding fun demanding tough challenging amazing "
        "fantastic wonderful lovely awesome "
        "missing stolen ruined sold free playing touring changing closing moving growing hiring hectic "
        "crowded overrated underrated ugly "
        "outside inside upstairs downstairs somewhere nowhere everywhere soon next last unusual "
        "common rare long short "
        "parked stuck frozen charging updating flat punctured overdue pending "
        "not n't no never what when where who why how which if whether because so too very really quite "
        "pretty just still always often usually sometimes almost nearly maybe perhaps probably possibly "
        "hopefully going gonna supposed about none nothing something anything everything unknown none-of "
        "irrelevant different difficult hard easy nice great good bad awful terrible horrible important "
        "interesting boring annoying tired sick ill broken gone lost late here there back ready done over "
        "fine ok okay better worse worst coming killing making getting being having driving running acting "
        "doing giving taking slow fast dead dying cold hot wet full-of-it simple complicated stupid silly "
        "crazy weird strange funny sad happy angry hungry thirsty busy wrong right true false secret private "
        "confidential hurting aching itching ringing barking sleeping crying leaking empty dirty messy clean "
        "expensive cheap delayed cancelled canceled closed open due upset annoyed afraid scared sure unsure "
        "glad sorry proud alive asleep awake home-again unavailable impossible possible that this these "
        "those it he she they you i we him her them me yours mine than then on tonight tomorrow yesterday up "
        "down out off away"
    )
)
_PREPOSITIONS = frozenset(
    words_in(
        "at under in on by near behind over above below upon into onto off out up with without for from "
        "of to about around beside"
    )
)
_STATES = frozenset(
    words_in(
        "small big large huge tiny far near normal average winning losing embarrassing famous popular "
        "boring nice pretty cute old young new "
        "modern ancient safe dangerous rich poor far-away unknown sick healthy strong weak warm cool "
        "sunny rainy unique special simple empty "
        "ok okay alright fine sucker lot bit little few best worst top great"
    )
)
_A_STATE = re.compile(
    r"\A(?:an?|such an?|quite an?|the)\s+(?:\w+\s+)?(?:mess|disaster|nightmare|joke|secret|mystery"
    r"|pain|problem|story|dream|horror|pity|shame|bit|lot"
    r"|challenge|blessing|curse|mistake|surprise|treat|must|deal|question|matter|thing|best|worst|one"
    r"|same|reason|wreck|ruin)\b",
    re.IGNORECASE,
)
_NOT_NAMES = (
    _PREPOSITIONS
    | _STATES
    | _NEVER_FIRST
    | frozenset(
        words_in(
            "a an the my your his her our their in at of for from with to by as is was are were be been am do "
            "does did have has had will would could should can may might must shall and or but also only even "
            "only again please thanks thank long short old young new big small tall pregnant vegan vegetarian "
            "married single divorced widowed retired unemployed asleep drunk allergic born based called named "
            "fluent left-handed right-handed left right back alone bored excited stuck curious interested "
            "working studying living reading looking trying thinking wondering planning using testing one two "
            "three four five six seven eight nine ten nobody somebody everyone everybody monday tuesday "
            "wednesday thursday friday saturday sunday today now soon later crazy maybe old-fashioned whatever "
            "anytime names whenever naive biased stubborn lazy weird picky paranoid ishy old-school skeptical "
            "cynical sentimental when if"
        )
    )
)
_DEMONYMS = frozenset(
    words_in(
        "english british american irish scottish welsh french german dutch belgian swiss austrian spanish "
        "portuguese italian greek turkish polish czech slovak hungarian romanian bulgarian serbian croatian "
        "slovenian albanian ukrainian russian estonian latvian lithuanian finnish swedish norwegian danish "
        "icelandic canadian mexican brazilian argentinian chilean peruvian colombian venezuelan cuban "
        "australian indian pakistani bangladeshi chinese japanese korean vietnamese thai indonesian "
        "malaysian filipino egyptian moroccan tunisian nigerian kenyan ethiopian ghanaian european african "
        "asian catholic protestant muslim jewish hindu buddhist atheist"
    )
)


def is_demonym(value: str) -> bool:
    """Whether a word says where somebody or something is from: "Irish" is nobody's name."""
    return value.lower() in _DEMONYMS


_TIME_AFTER = re.compile(
    r"\s+(?:last|this|next|since|because|where|which|when|while|until|till|but|so|ago|every|each"
    r"|during|although|though|who|whose|with my|with the"
    r"|with his|with her|now|nowadays|currently|anymore|any more|these days|right now|at the moment"
    r"|and (?:i|we|it|he|she|they|my|lives?|works?|has|have|is|was|loves?|likes?)"
    r"|for (?:a|an|the last|the past|some|many|over|about|almost|\d+|one|two|three|four|five|six|seven"
    r"|eight|nine|ten|years|ages|now|work)"
    r"|in (?:the )?(?:spring|summer|autumn|fall|winter|\d{4}|january|february|march|april|may|june"
    r"|july|august|september|october|november|december)"
    r"|(?:a|one|two|three|four|five|six|ten|few|couple|some|many|\d+) (?:few |couple of )?(?:days?"
    r"|weeks?|months?|years?)(?: ago)?"
    r"|yesterday|today|recently|again|back in|on weekends|at weekends|together|alone|too|as well|after"
    r"|before|once|from home)\b.*$",
    re.IGNORECASE | re.DOTALL,
)
_REST = re.compile(r"\s*(?:[,;(]|\s[-–—]\s|\.\.+|…).*$", re.DOTALL)
_CORRECTED = re.compile(
    r"(?:\s*(?:,|\.\.+|…|[-–—])\s*)(?:(?:no(?=[,.]|\s+(?:wait|sorry|i|actually|make|rather|it|that"
    r"|\d))|sorry|oops|wait|i mean|i meant|rather|or rather|actually"
    r"|make that|correction)\b[\s,]*)+(?=\S)",
    re.IGNORECASE,
)
_SPELLED = re.compile(
    r"\s+(?:with (?:an?|one|two|double|the letter) [\w']{1,12}(?: [\w']{1,8})?|spelled .*|spelt .*)$", re.IGNORECASE
)
_NOT_BUT = re.compile(r"^not\s+.{1,60}?(?:,\s*(?:but|it's)?\s*|\s+but\s+)(?=\S)", re.IGNORECASE)
_NOT_AFTER = re.compile(
    r"\s*[,(]?\s*(?:and )?(?:not|instead of|rather than|no longer|and no longer)\s+.{1,60}$", re.IGNORECASE
)


def tidy(raw: str) -> str:
    """A value in one line, without the end of its sentence, quotation marks around it and words that round it off."""
    value = _SPACE.sub(" ", raw).strip().strip(",;:").strip()
    if corrected := list(_CORRECTED.finditer(value)):
        value = value[corrected[-1].end() :]
    value = _SPELLED.sub("", value)
    if len(value) <= 400:
        value = _NOT_AFTER.sub("", _NOT_BUT.sub("", value))
    value = without_tail(value)
    if len(value) > 1 and _QUOTES.get(value[0]) == value[-1] and value[0] not in value[1:-1]:
        value = value[1:-1].strip()
    return value


def first_word(value: str) -> str:
    found = _WORD.search(value[:80])
    return found.group().lower() if found else ""


def words(value: str) -> list[str]:
    return value.split()


def text(value: str, cased: bool) -> str | None:
    """Any value that does not read like a state, a clause or a refusal."""
    value = tidy(value)
    first = first_word(value)
    if not value or first in _NEVER_FIRST or _A_STATE.match(value) or not any(c.isalnum() for c in value):
        return None
    second = value.split()[1:2]
    if (
        first.endswith("ing")
        and len(first) > 5
        and second
        and second[0].lower() in ("me", "up", "down", "out", "a", "the", "too", "on", "again")
    ):
        return None
    return value


def thing(value: str, cased: bool) -> str | None:
    """Something in a few words: no clause, no pronoun, nothing after a comma."""
    kept = text(_REST.sub("", _TIME_AFTER.sub("", value)), cased)
    if kept is None:
        return None
    kept = _A.sub("", kept, count=1)
    low = kept.lower().split()
    if low and (low[0] in ("lot", "bit", "little", "few") or low[0] in DAYS):
        return None
    if re.search(r"\bfor (?:my|his|her|our|their|your)\b", kept, re.IGNORECASE):
        return None
    if not low or len(low) > 6 or low[0] in _PRONOUNS or any(word in _CLAUSES for word in low):
        return None
    return kept


_PRONOUNS = frozenset(
    words_in(
        "it this that these those you him her them us me my your his our their i we they he she one what how "
        "when to the_way"
    )
)
_CLAUSES = frozenset(words_in("i he she they you we who that which because if when is was are were am you're it's i'm"))


def name(value: str, cased: bool) -> str | None:
    """A proper name."""
    value = tidy(value)
    if value == "[redacted]":  # one that was taken out: whoever is to store it says so
        return value
    if called := _CALLED.search(value):
        value = value[called.end() :]
    value = _REST.sub("", _TIME_AFTER.sub("", value))
    parts = value.split()
    cut = next((at for at, part in enumerate(parts) if part.lower() in ("and", "but", "or")), len(parts))
    if cut < len(parts) and not (cut + 1 < len(parts) and parts[cut + 1][:1].isupper() and len(parts) - cut <= 3):
        parts = parts[:cut]
    if not 0 < len(parts) <= 6 or not all(_NAME_WORD.fullmatch(part) or part == "&" for part in parts):
        return None
    first = parts[0].lower().rstrip(".")
    if first in _NOT_NAMES and not (first == "the" and len(parts) > 1 and parts[1][:1].isupper()):
        return None
    if cased:
        if not (parts[0][:1].isupper() or first in _PARTICLES):
            return None
        if any(not part[:1].isupper() and part.lower() not in _PARTICLES for part in parts):
            parts = _leading_capitals(parts)
    elif len(parts) > 3:
        return None
    return " ".join(parts) or None


def _leading_capitals(parts: list[str]) -> list[str]:
    kept: list[str] = []
    for part in parts:
        if not part[:1].isupper() and part.lower() not in _PARTICLES:
            break
        kept.append(part)
    while kept and kept[-1].lower() in _PARTICLES and not kept[-1][:1].isupper():
        kept.pop()
    return kept


def said_name(value: str, cased: bool) -> str | None:
    """What follows "is called": a name even in small letters."""
    found = name(value, cased)
    if found is not None and is_fiction(found):
        return None
    if found is None and cased:
        low = tidy(_REST.sub("", value)).split()
        return low[0] if len(low) == 1 and low[0].lower() not in _NOT_NAMES and _NAME_WORD.fullmatch(low[0]) else None
    return found


_FICTION = frozenset(
    words_in(
        "danger trouble mud nobody nemo neverland narnia hogwarts wonderland mordor gotham atlantis "
        "krypton mars venus middle-earth "
        "batman superman spartacus groot shrek gandalf bond zorro popeye cinderella napoleon santa "
        "spiderman spider-man godzilla "
        "dracula frankenstein hamlet sparta legend legion ironman iron-man hulk thor voldemort sauron "
        "yoda rambo tarzan mary_poppins"
    )
)
_FICTIONS = (
    "james bond",
    "bond, james",
    "inigo montoya",
    "slim shady",
    "darth vader",
    "santa claus",
    "sherlock holmes",
    "iron man",
    "robin hood",
)


_STREETS = frozenset(
    words_in(
        "street road lane avenue drive close way square place court terrace row hill boulevard alley "
        "crescent gardens park quay st rd ave "
        "mews green walk parade plaza platz strasse straße gasse weg allee"
    )
)


def street(value: str, cased: bool) -> str | None:
    kept = place(value, cased)
    if kept is None:
        return None
    last = kept.split(",")[0].split()[-1].lower().strip(".")
    is_street = last in _STREETS or last.endswith(
        ("straße", "strasse", "gata", "gade", "gasse", "weg", "laan", "straat")
    )
    return (
        kept
        if is_street or kept.split()[0].lower() in ("rue", "via", "calle", "rua", "avenida", "piazza", "plaza")
        else None
    )


def is_fiction(value: str) -> bool:
    """Whether a name is one that everybody knows from a story: nobody is called so in earnest."""
    low = value.lower()
    return (low.split()[:1] and low.split()[0].strip(".,") in _FICTION) or any(name in low for name in _FICTIONS)


def own_name(value: str, cased: bool) -> str | None:
    """What follows "I'm": a name only if it is one word or two, in capitals, and no nationality."""
    found = name(value, True)
    if found is None or not cased or found != tidy(value).rstrip(".") or is_fiction(found):
        return None
    parts = found.split()
    if (
        len(parts) > 3
        or parts[0].lower() in _DEMONYMS
        or parts[0].lower() in DAYS
        or (parts[0].isupper() and len(parts[0]) > 3)
    ):
        return None
    return found


def names(value: str, cased: bool) -> str | None:
    """Several names: "Salt and Pepper"."""
    value = tidy(value)
    parts = [part.strip() for part in re.split(r",|\band\b|&", value) if part.strip()]
    if not 0 < len(parts) <= 8 or any(name(part, cased) is None for part in parts):
        return None
    return value


_NO_PLACE = frozenset(
    words_in(
        "fear hope peace harmony sin pain denial hell heaven poverty luxury a an the my your this that it "
        "his her here there hiding exile constant interesting times dreams fantasy bed general fact love "
        "trouble debt style darkness silence terror terror which what one order-of case next chapter new "
        "different another barn"
    )
)


def place(value: str, cased: bool) -> str | None:
    value = tidy(value)
    if called := _CALLED.search(value):
        value = value[called.end() :]
    value = _TIME_AFTER.sub("", value)
    head, comma, tail = value.partition(",")
    if comma:
        tail = tail.strip()
        keep = tail[:1].isupper() and len(tail.split()) <= 3
        value = f"{head}, {tail}" if keep else head
    value = value.strip()
    parts = value.split()
    low = [part.lower().strip(",.") for part in parts]
    if not parts or len(parts) > 6:
        return None
    if is_fiction(value):
        return None
    start = 1 if low[0] in ("the",) and len(parts) > 1 else 0
    if cased:
        if not parts[start][:1].isupper():
            return None
        return " ".join(_leading_capitals(parts)) if start == 0 else value
    if len(parts) > 3 or low[0] in _NO_PLACE or low[0] in _NOT_NAMES or low[0].endswith("ing"):
        return None
    return value


_JOB_ENDS = (
    "er",
    "or",
    "ist",
    "eer",
    "smith",
    "mason",
    "ician",
    "arian",
    "ant",
    "monger",
    "wright",
    "keeper",
    "maker",
    "master",
    "herd",
    "grapher",
    "logist",
)
_JOBS = frozenset(
    words_in(
        "nurse chef vet doctor cook pilot judge midwife clerk guard nanny coach model surgeon architect "
        "student priest monk nun imam rabbi pastor soldier sailor farmhand au-pair paramedic mechanic critic "
        "comic scientist chemist physicist guide steward stewardess actress waitress hostess seamstress "
        "fireman policeman policewoman postman salesman saleswoman businessman businesswoman fisherman "
        "cameraman handyman craftsman milkman foreman doorman chairman chairwoman spokesperson salesperson "
        "firefighter electrician musician physician librarian technician historian mathematician politician "
        "statistician dietician optician beautician comedian veterinarian guardian custodian civil-servant "
        "lecturer professor barista intern trainee apprentice freelancer consultant analyst dj mp ceo cto "
        "cfo gp bookkeeper housewife homemaker househusband stay-at-home temp roofer usher jeweller jeweler "
        "undertaker stuntman chauffeur concierge courier diplomat economist bureaucrat acrobat "
        "astronaut cosmonaut aide scout spy agent hand operative executive representative specialist "
        "assistant accountant attendant sergeant lieutenant captain president cop detective marshal general "
        "admiral nurse-practitioner sous-chef pastry-chef blacksmith goldsmith tailor butcher medic"
    )
)
_WORK_IN_ING = frozenset(
    words_in(
        "teaching nursing engineering accounting marketing consulting farming fishing plumbing gardening "
        "cleaning catering modelling "
        "modeling programming banking sewing baking coding writing translating acting"
    )
)
_NO_JOBS = frozenset(
    words_in(
        "believer fan lover member owner beginner winner loser speaker learner newcomer teenager foreigner "
        "stranger follower supporter outsider survivor sufferer user smoker drinker sleeper eater customer "
        "user buyer reader viewer listener monster sinner dreamer thinker fighter quitter hater father "
        "mother brother sister daughter grandmother grandfather neighbour neighbor visitor number matter "
        "disaster letter character vegetarian vegan pescatarian optimist pessimist perfectionist realist "
        "feminist minimalist introvert extrovert citizen person human man woman boy girl guy kid child adult "
        "senior junior mess wreck failure genius idiot fool bit little lot giant infant elephant other "
        "sucker insider starter doer former order better later another vampire tiger spider computer robot picky "
        "procrastinator regular grown-upper mourner goner pleaser snorer early-riser riser late-sleeper"
    )
)
_KEEN = re.compile(
    r"(?:keen|avid|passionate|amateur|hobby|enthusiastic|big|huge|recreational|weekend)\s+", re.IGNORECASE
)


def is_job(value: str) -> bool:
    """Whether a noun is what people do for a living, as far as it shows."""
    parts = value.lower().split()
    if not 0 < len(parts) <= 5:
        return False
    if any(part in ("for", "with", "of", "to", "from", "on") for part in parts[:-1]) and " of " not in value.lower():
        return False
    last = parts[-1].strip(".,'")
    head = value.lower().split(" of ")[0].split()[-1] if " of " in value.lower() else last
    if any(part.strip(".,'") in _NO_JOBS for part in (last, head)):
        return False
    if last in _DEMONYMS or (parts[0] in _DEMONYMS and len(parts) == 1):
        return False
    return any(
        part in _JOBS or (len(part) > 4 and part.endswith(_JOB_ENDS)) for part in (last, head, last.rsplit("-", 1)[-1])
    )


def is_post(value: str) -> bool:
    """Whether a noun before "at Brightwater" is what somebody is there for work."""
    last = value.lower().split()[-1:]
    return bool(last) and last[0] not in _NO_JOBS and last[0] not in _NO_POSTS


_NO_POSTS = frozenset(
    words_in("guest patient client regular volunteer legend star parent table match time home friend meeting")
)


def own_job(value: str, cased: bool) -> str | None:
    """What follows "I'm a"."""
    value = re.sub(r"\Athe\s+", "", _A.sub("", tidy(value), count=1), flags=re.IGNORECASE)
    value = re.split(r"\s+(?:at|in|for|with|from|on|by|who|and|but|now|since|based)\s+|[,;(]", value, maxsplit=1)[
        0
    ].strip()
    if cased and len(value.split()) == 1 and value[:1].isupper():
        return None  # a Londoner
    if _KEEN.match(value) or first_word(value) in _NEVER_FIRST or not is_job(value):
        return None
    return value


def job(value: str, cased: bool) -> str | None:
    """What follows "work as" or "my job is": anything that is no state."""
    kept = text(_REST.sub("", _TIME_AFTER.sub("", value)), cased)
    if kept is None:
        return None
    kept = _A.sub("", re.split(r"\s+(?:at|for)\s+", kept, maxsplit=1)[0], count=1)
    low = kept.lower().split()
    if low and (low[0] in _PREPOSITIONS or low[0] in _STATES or low[0] in _AS_IT_SHOULD):
        return None
    if len(low) == 1 and low[0].endswith(("ing", "ful", "ous", "able", "ible")) and low[0] not in _WORK_IN_ING:
        return None
    return kept if 0 < len(low) <= 7 and low[0] not in _PRONOUNS and not any(word in _CLAUSES for word in low) else None


_AS_IT_SHOULD = frozenset(
    words_in("intended expected designed planned usual promised advertised normal always team group")
)
_NO_COMPANY = frozenset(
    words_in(
        "best night home it this that the_moment a night weekends hard full part the my least fast well "
        "alone once all any something"
    )
)


def company(value: str, cased: bool) -> str | None:
    value = tidy(value)
    if called := _CALLED.search(value):
        value = value[called.end() :]
    value = _REST.sub("", _TIME_AFTER.sub("", value)).strip()
    value = re.split(r"\s+as\s+(?:an?|the)\s+", value, maxsplit=1)[0]
    parts = value.split()
    if not 0 < len(parts) <= 7 or (parts[0].lower() in _NO_COMPANY and len(parts) < 2):
        return None
    if parts[0].lower() in ("a", "an", "the", "my", "our") and len(parts) > 1:
        return (
            value
            if (cased and parts[1][:1].isupper())
            or (parts[0].lower() in ("a", "an", "the") and len(parts) <= 4 and not cased)
            else (
                value
                if parts[0].lower() in ("a", "an", "the")
                and len(parts) <= 4
                and parts[1].lower() not in _NOT_WORKPLACES
                else None
            )
        )
    if cased and not parts[0][:1].isupper() and not parts[0][:1].isdigit():
        return None
    return None if parts[0].lower() in _NO_COMPANY or parts[0].lower() in _NEVER_FIRST else value


_NOT_WORKPLACES = frozenset(
    words_in(
        "moment time end weekend night same living solution project problem book thesis fast good steady "
        "time same limit pace"
    )
)


def institution(value: str, cased: bool) -> str | None:
    """What "my employer is" or "my school is" names: a name, not how it is."""
    kept = company(value, cased)
    if kept is None:
        return None
    first, *rest = kept.split()
    if first.lower() in ("a", "an", "the", "my", "our") and not (rest and rest[0][:1].isupper()):
        return None
    low = first.lower()
    return None if not first[:1].isupper() and (low in _NOT_NAMES - {"the"} or low.endswith("ing")) else kept


def number(value: str, cased: bool) -> str | None:
    value = tidy(value)
    low = value.lower().replace("-", " ").split()
    return value if low and len(low) <= 4 and (_DIGITS.search(low[0]) or low[0] in _NUMBERS) else None


def age(value: str, cased: bool) -> str | None:
    value = re.sub(r"\s*(?:years?(?: old| of age)?|yrs?(?: old)?)$", "", tidy(value), flags=re.IGNORECASE)
    low = value.lower().replace("-", " ").split()
    if len(low) == 1 and low[0].isdigit() and 0 < int(low[0][:4]) < 130 and len(low[0]) < 4:
        return value
    return value if 0 < len(low) <= 2 and all(word in _NUMBERS for word in low) else None


def size(value: str, cased: bool) -> str | None:
    value = re.sub(r"^(?:an?\s+|size\s+|a size\s+|an? size\s+)+", "", tidy(value), flags=re.IGNORECASE)
    low = value.lower().replace("-", " ").split()
    if not low or len(low) > 4 or " or " in f" {value.lower()} ":
        return None
    return value if _DIGITS.search(value) or all(word in _SIZES or word in _NUMBERS for word in low) else None


def date(value: str, cased: bool) -> str | None:
    value = re.sub(r"^(?:on|in|is)\s+(?:the\s+)?(?=\S)", "", tidy(value), flags=re.IGNORECASE)
    low = [word.strip(".,").lower() for word in value.split()]
    if not low or len(low) > 7 or any(word in _CLAUSES for word in low):
        return None
    has = (
        any(word in MONTHS for word in low)
        or bool(re.search(r"\d{1,4}(?:[./-]\d|st|nd|rd|th|$|,)", value))
        or any(word in ("christmas", "easter", "halloween", "eve", "valentine's") for word in low)
    )
    return value if has else None


def day(value: str, cased: bool) -> str | None:
    value = re.sub(r"^(?:on|every|each)\s+", "", tidy(value), flags=re.IGNORECASE)
    low = [word.strip(",").lower() for word in value.split()]
    return value if low and len(low) <= 6 and any(word in DAYS for word in low) else None


_NO_LANGUAGE = frozenset(
    words_in("my for to with in up at out the very only from about of a an as on when too so louder softly quietly")
)


def languages(value: str, cased: bool) -> str | None:
    value = re.sub(
        r"\A(?:fluent|good|some|basic|decent|perfect|near-native|native)\s+(?=\S)", "", value, flags=re.IGNORECASE
    )
    value = re.split(
        r"\s+(?:at|with|to|when|because|since|for|but|fluently|well|every|as|on|last|in|now)\b|[;(]",
        tidy(value),
        maxsplit=1,
    )[0].strip(" ,")
    low = value.lower().split()
    if not low or len(low) > 12 or low[0] in _NO_LANGUAGE or low[0] in _NEVER_FIRST or any(w in _CLAUSES for w in low):
        return None
    if cased and not any(word[:1].isupper() for word in value.split()):
        return None
    return value


def listed(value: str, cased: bool) -> str | None:
    """Things, perhaps several: allergies, collections."""
    value = re.split(
        r"\s+(?:so|but|because|which|that|since|when|from|for|unfortunately)\b|[;(]", tidy(value), maxsplit=1
    )[0].strip(" ,")
    low = value.lower().split()
    if (
        not low
        or len(low) > 10
        or low[0] in _PRONOUNS
        or low[0] in _NEVER_FIRST
        or any(word in _CLAUSES for word in low)
    ):
        return None
    return _A.sub("", value, count=1)


def clock(value: str, cased: bool) -> str | None:
    value = re.split(r"\s+(?:every|each|on|so|because|but)\b|,", tidy(value), maxsplit=1)[0].strip()
    low = value.lower().replace("-", " ").split()
    good = (
        bool(low)
        and len(low) <= 6
        and (
            bool(_DIGITS.search(value))
            or any(word in _NUMBERS or word in ("midnight", "noon", "dawn", "sunrise") for word in low)
        )
    )
    return value if good else None


def studied(value: str, cased: bool) -> str | None:
    return thing(re.split(r"\s+(?:in|at)\s+(?=[A-Z]|the\s|a\s|university)", value, maxsplit=1)[0], cased)


_NO_HOBBY = frozenset(
    words_in(
        "being having going getting making doing seeing knowing thinking talking working waiting living "
        "looking feeling hearing using"
    )
)


def activity(value: str, cased: bool) -> str | None:
    kept = listed(value, cased)
    return None if kept is None or kept.split()[0].lower() in _NO_HOBBY or len(kept.split()) > 4 else kept


_INDUSTRIES = frozenset(
    words_in(
        "logistics finance marketing it tech technology education healthcare health construction retail "
        "hospitality insurance banking law "
        "publishing media advertising sales hr politics film music fashion agriculture tourism transport "
        "research software design engineering "
        "manufacturing energy science journalism medicine security aviation shipping catering gastronomy "
        "theatre theater television gaming "
        "telecoms pharma biotech consulting accounting administration procurement recruitment forestry "
        "mining farming telecommunications "
        "robotics aerospace automotive property childcare nursing teaching academia government defence "
        "defense architecture biology chemistry"
    )
)


def industry(value: str, cased: bool) -> str | None:
    kept = thing(value, cased)
    if kept is None:
        return None
    low = kept.lower().split()
    return (
        kept
        if low[-1] in _INDUSTRIES
        or low[0] in _INDUSTRIES
        or kept.lower() in ("real estate", "human resources", "public relations")
        else None
    )


def pronouns(value: str, cased: bool) -> str | None:
    value = tidy(value)
    return value if re.fullmatch(r"[A-Za-z]+(?:\s?/\s?[A-Za-z]+){1,3}|(?:he|she|they|it)", value) else None


def is_nationality(value: str, countries: frozenset[str]) -> bool:
    """Whether a word is made of the name of a country: "Uruguayan", "Icelandic", but not "Jordan"."""
    low = value.lower()
    if low in _DEMONYMS:
        return True
    if not low.endswith(("an", "ese", "ish", "ic", "i")) or len(low) < 5:
        return False
    return any(
        low[:5] == country[: min(5, len(country))] + low[min(5, len(country)) : 5] and not country.startswith(low)
        for country in countries
        if len(country) > 3
    )


def adjective(value: str, cased: bool) -> str | None:
    value = tidy(value)
    return value if len(value.split()) <= 3 and first_word(value) not in _NEVER_FIRST else None


def instrument(value: str, cased: bool) -> str | None:
    return re.sub(r"^the\s+", "", tidy(value), flags=re.IGNORECASE)


def color(value: str, cased: bool) -> str | None:
    value = tidy(value)
    return value if any(word in COLORS for word in re.split(r"[\s-]+", value.lower())) else None


def plain(value: str, cased: bool) -> str | None:
    """The value of an attribute that nothing is known of: what reads like a state of the moment is none."""
    kept = text(value, cased)
    if kept is None:
        return None
    low = kept.lower().split()
    if len(low) > 12 or any(word in _CLAUSES or word in ("my", "your", "me", "you", "not") for word in low):
        return None
    if low[0].endswith("ing") and len(low[0]) > 5:
        return None
    if low[0].endswith("ed") and len(low[0]) > 4 and low[0] not in ("red",) and not kept[:1].isupper():
        return None
    return kept


def model(value: str, cased: bool) -> str | None:
    """What a car or a phone is: a make, not how it is."""
    kept = thing(value, cased)
    if kept is None or (cased and not any(c.isupper() or c.isdigit() for c in kept)):
        return None
    if kept.lower().endswith((" old", " away", " late")):
        return None
    return None if kept.split()[0].lower() in _PREPOSITIONS | _STATES else kept


def favorite(value: str, cased: bool) -> str | None:
    """The value of what somebody likes best."""
    title = tidy(value)
    kept = title if cased and title[:1].isupper() and first_word(title) not in ("not", "none") else text(value, cased)
    if not kept:
        return None
    low = kept.lower().split()
    if low[0].endswith("ing") and len(low) > 1 and len(low[0]) > 5 and not kept[:1].isupper():
        return None
    if (
        len(low) > 14
        or (low[0] in ("at", "in", "by", "my", "your") and not kept[:1].isupper())
        or "none of your" in kept.lower()
        or low[:2] == ["a", "secret"]
    ):
        return None
    return kept


Kind = Callable[[str, bool], str | None]
