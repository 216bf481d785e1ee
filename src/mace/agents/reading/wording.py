"""Questions about their speaker in other words: by the verb and the noun of the question, where no form reads it.

Pure. A question is cut into its question word, its noun ("which bank"), its subject and its verb ("am I with"); verb
and noun lead to the attributes that the statements of the same verb are stored under. A verb that is not known here, or
that turns the meaning round ("did I sell"), is not read.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mace.agents.reading import attributes
from mace.agents.reading.attributes import Wanted, name_of, wanted
from mace.agents.reading.sentences import rule
from mace.agents.reading.words import words_in
from mace.memory.keys import MAX_COMPONENT, normalise

_ADVERBS = (
    r"(?: (?:currently|now|usually|normally|always|mostly|typically|generally|really|actually|still|also|originally"
    r"|officially|often|tend to|like to|prefer to|have to|need to|ever"
    r"|mainly|regularly"
    r"|personally|once))*"
)
_ASK = rule(
    r"(?:(?:in|at|on|with|for|to|by|from|under|of|about|since|until) )?(?P<w>what time|how many|how "
    r"long|how often|how much"
    r"|what|which|whom|who|where|when|how)(?:'s| is)?(?: the)?(?: (?:kind|sort|type|brand|make|model"
    r"|name|style|piece|line)"
    r" of)?(?: (?P<n>(?!do |did |am |are |have |can |should |i |we |you |my |our )[a-z][\w' -]{0,40}?))?"
    r"(?:(?: (?:do|did|am|are|have|can|should|could|was|were|will|shall|must)| that)? (?P<s>i|we|you)(?:'m"
    r"|'ve|'re| am| are"
    r"| was)?)"
    rf"{_ADVERBS}(?: (?P<p>[a-z][\w' -]*))?$"
)
_SHOULD_I = rule(r".*\b(?:should|could|shall|will|can|would|must) (?:i|we)\b")
_NOT = rule(
    r".*\b(?:not|n't|never|no longer|used to|sold?|sell|lost?|lose|miss|missed|break|broke|quit|leave"
    r"|left|forget|forgot|avoid|hate|dislike|least|worst|next|owe|steal|wish|dream)\b"
)
_YOU_FOR_ME = rule(
    r"(?:order|buy|get|book|use|choose|pick|call|address|answer|write|speak|send|reserve|cook|make"
    r"|set|play|reply|wish|congratulate|bring|put)\b"
)


@dataclass(frozen=True, slots=True)
class _Verb:
    words: str  # the question words that it goes with, or "" for any
    pattern: re.Pattern[str]
    attributes: tuple[str, ...]


_VERBS: dict[str, list[_Verb]] = {}


def _verb(verbs: str, rest: str, names: str, words: str = "") -> None:
    made = _Verb(
        words,
        rule(f"(?:{rest})?$" if rest.startswith("?") is False and rest == "" else f"{rest}$"),
        tuple(names.split()),
    )
    for verb in verbs.split():
        _VERBS.setdefault(verb, []).append(made)


_PLACE = r"(?: (?:in|at|down|down in|from|now|here|near|at the moment|these days))*"
_verb(
    "live living reside stay staying based located settle settled settling dwell residing",
    _PLACE,
    "city",
    "where what which",
)
_verb("in", r"(?: these days| now| right now| at the moment)?", "city", "where")
_verb("call", r" home", "city", "where what which")
_verb("live", r" (?:on|in)", "street", "what which")
_verb("come hail", r"(?: originally)? from(?: originally)?", "hometown", "where what which")
_verb("from", r"(?: originally)?", "hometown", "where what which")
_verb("grow grew raised brought", r"(?: up)?(?: in)?", "grew_up_in hometown", "where what which")
_verb("spend spent", r" my childhood(?: in)?", "grew_up_in hometown", "where what which")
_verb("born", r"(?: in| and raised)?", "birthplace", "where")
_verb("born", r"(?: on)?", "birthday", "when")
_verb("work working employed", r"(?: for| at| with| in| by)?", "employer workplace", "where who whom what which")
_verb("with", r"(?: these days| now)?", "employer", "")
_verb("work", r" as", "job", "what which as")
_verb("do", r"(?: for (?:a living|work|money|a job)| professionally| for my job)?", "job", "what which")
_verb("earn make", r" (?:my|a) (?:living|money)(?: with)?", "job", "how what")
_verb("report", r"(?: directly)? to", "boss", "who whom")
_verb("work working", r"", "working_hours", "when what time")
_verb("work", r"(?: in a day| each day| every day)?", "working_hours", "hours")
_verb("start begin", r"(?: work| working| my shift| at work)", "work_start shift_start", "when what time")
_verb("finish end stop", r"(?: work| working| my shift)", "work_end", "when what time")
_verb("manage lead supervise", r"", "team_size", "how many")
_verb("sit", r"(?: at| in| on)?(?: work| the office)?", "desk office", "where what which")
_verb("work", r" from home(?: on)?", "work_from_home_day", "when what which")
_verb("working", r" from home(?: on)?", "work_from_home_day", "when what which")
_verb(
    "study studying studied majoring major graduate graduated",
    r"(?: in| at (?:university|uni|college))?",
    "major",
    "what which",
)
_verb(
    "study studying studied graduate graduated enrolled go attend",
    r"(?: at| from| to| in)?(?: (?:university|uni|college))?",
    "university school",
    "where university college",
)
_verb("get did earn", r" my degree(?: from| at)?", "university", "where what which")
_verb("at", r"", "school university", "school")
_verb("go", r" to school", "school", "where what which")
_verb("teach teaching", r"", "subject_taught", "what which")
_verb("married", r"(?: to)?", "spouse", "who whom")
_verb("marry get", r"(?: married)?", "anniversary", "when")
_verb("dating seeing date", r"", "partner boyfriend girlfriend", "who whom")
_verb("live share living", r"(?: (?:the|my|a|our) (?:flat|house|room|apartment|place))? with", "roommate", "who whom")
_verb("drive driving", r"(?: around)?(?: in)?", "car", "what which")
_verb("ride riding", r"", "bike motorcycle", "what which")
_verb("shoot photograph", r"(?: with)?", "camera", "what which")
_verb("take", r" (?:pictures|photos|photographs) with", "camera", "what which")
_verb("park parked parking", r"(?: my car| the car| in| at)?", "parking_spot", "where what which")
_verb("bank", r"(?: with| at)?", "bank", "who whom where what which")
_verb("shop buy get", r"(?: (?:my |the )?(?:groceries|food|shopping))?(?: at| in| from)?", "supermarket", "where")
_verb("fly", r"(?: out of| from)", "home_airport", "where what which")
_verb("fly", r" with", "preferred_airline airline", "who whom what which")
_verb("eat have get", r" (?:in the mornings?|for breakfast|at breakfast)", "breakfast", "what which")
_verb("drink have", r" (?:in the mornings?)", "morning_drink", "what which")
_verb("drink", r"", "drink favorite_drink", "what which")
_verb("eat", r" (?:for lunch|at lunch|at noon)", "lunch", "what which")
_verb("have eat get", r" (?:my )?lunch(?: at| in)?", "lunch_place", "where")
_verb("eat", r"", "diet", "how")
_verb("order get have drink", r"(?: at the (?:cafe|café|coffee shop))", "coffee_order", "what which")
_verb("support root cheer follow back", r"(?: for)?", "team", "who whom what which")
_verb("a", r" (?:fan|supporter) of", "team fan_of", "who whom what which")
_verb("play playing", r"", "instrument sport", "what")
_verb("play do practise practice", r"", "sport", "sport")
_verb(
    "do enjoy like into",
    r"(?: (?:in my (?:spare|free) time|for fun|to relax|as a hobby|at weekends|on weekends|lately|doing))",
    "hobby",
    "what which how",
)
_verb("spend", r" my (?:weekends|evenings|free time|spare time)", "hobby", "what how")
_verb("work train exercise", r" out", "gym_days gym_day training_day", "when what which days day")
_verb("go", r"(?: to)? the gym", "gym_days gym_day", "when what which days day")
_verb("train", r"", "training_day gym_days", "when")
_verb("read reading on", r"(?: at the moment| right now| these days)?", "current_book", "book what")
_verb("watch watching", r"(?: at the moment| right now| these days)?", "current_show", "what which")
_verb(
    "learn learning studying", r"(?: at the moment| right now| these days)?", "learning_language learning", "what which"
)
_verb("trying", r" to learn", "learning_language learning", "what which")
_verb("speak speaking know talk", r"(?: fluently)?", "language", "what which")
_verb("speak use talk", r" at home", "home_language", "what which")
_verb("get wake rise", r"(?: up)?(?: in the mornings?)?", "wake_up_time", "when what time")
_verb("go", r" to (?:bed|sleep)", "bedtime", "when what time")
_verb("commute travel", r"(?: to (?:work|the office|school|uni))?", "commute", "how what which")
_verb("get go", r" to (?:work|the office|school|uni|campus)", "commute", "how")
_verb("ride take catch use", r" to (?:work|the office|school|uni|campus)", "commute", "what which")
_verb(
    "go spend", r"(?: (?:in|on|for|for the|in the|my|our|every|each))*(?: (?:summers?))", "summer_destination", "where"
)
_verb(
    "sit",
    r"(?: (?:on|in) (?:planes|a plane|trains|a train|flights|the plane|the train))",
    "seat_preference train_seat",
    "where",
)
_verb("weigh", r"", "weight", "what how much")
_verb("collect collecting", r"", "collection", "what which")
_verb("vote", r"(?: for)?", "party", "who what which")
_verb("write", r"(?: with)?", "handedness", "hand")
_verb("sing", r"(?: in (?:the|my) choir)?", "voice", "what which")
_verb("allergic", r" to", "allergy", "what which")
_verb("called known go", r"(?: by| as)?", "nickname name", "what how")
_verb("call address", r" me", "nickname name", "what how")
VERBS: Mapping[str, tuple[_Verb, ...]] = MappingProxyType({verb: tuple(made) for verb, made in _VERBS.items()})

# Verbs after a noun that only say that somebody has it, is in it, uses it.
_HAVING = frozenset(
    words_in(
        "have had got get use own wear take need play speak drive ride live work in at with on from keep "
        "want like like-to "
        "prefer belong attend go support follow read watch listen sit book order choose buy shop bank fly "
        "stay do study teach "
        "learn drink eat smoke collect hold carry travel practise practice sing reading watching using "
        "wearing living working "
        "studying learning playing going staying based born grow run manage subscribe drinking eating member part "
        "supporting following a an the under by am"
    )
)
_NO_NOUN = frozenset(
    words_in(
        "i you he she they we it and or is are was what who where when which why how if that because not "
        "do does did goes should would could will can have has had be been it's"
    )
)
_GENERIC = frozenset(words_in("thing things stuff one ones way time times day days people person kind sort name"))
# Nouns that leave it to the verb what is meant: "which place do I work at".
_WIDE_NOUNS = frozenset(
    words_in(
        "city town place village area location country spot region company firm business organisation organization "
        "vehicle "
        "airport language days mobile phone "
        "tram bus train line transport series show book novel club part hour hours side shop store vehicle wheels"
    )
)
_WHO = tuple(
    (rule(source), names.split())
    for source, names in (
        (r"who(?:'s| is)? (?:cuts?|cutting|does|trims?|styles?|cut) my hair", "hairdresser"),
        (r"who (?:fixes|repairs|services|looks after) my (?:car|bike)", "mechanic_name"),
        (r"who (?:looks after|takes care of|fixes|checks|treats|cleans) my teeth", "dentist_name"),
        (r"who (?:treats|looks after|takes care of|checks) my (?:dog|cat|pet|pets|horse|rabbit)", "vet_name"),
        (r"who (?:does|prepares|handles) my (?:taxes|accounts|tax return|books)", "accountant_name"),
        (
            (
                r"who (?:treats me|is treating me|do i see when i(?:'m| am) (?:ill|sick)|do i go to when i(?:'m"
                r"| am) (?:ill|sick))"
            ),
            "doctor",
        ),
        (r"who (?:checks|examines|looks after|tests) my (?:eyes|eyesight)", "eye_doctor optician"),
        (r"who(?:'s| is) (?:my eye doctor)", "eye_doctor optician"),
        (r"who (?:employs|hired|pays) me", "employer"),
        (r"who (?:leads|heads|runs|manages) (?:my|our) team", "team_lead team_lead_name boss"),
        (r"who (?:cleans) my (?:house|flat|apartment|home)", "cleaner_name"),
        (r"who (?:looks after|minds|watches) my (?:kids|children|son|daughter|baby)", "nanny_name babysitter_name"),
        (r"who (?:trains|coaches) me", "trainer_name coach_name personal_trainer_name"),
        (r"who publishes me", "publisher"),
        (
            (
                r"who (?:rents|lets) (?:me )?my (?:flat|apartment|house|room)(?: to me)?|who(?:'s| is) the owner "
                r"of my flat|who do i pay rent to"
            ),
            "landlord_name landlady_name",
        ),
        (r"who (?:lives|is living) (?:next door|next to me|next to us)(?: to (?:me|us))?", "neighbour_name"),
        (r"who (?:lives with me|shares my flat)", "roommate_name"),
        (r"who (?:are you (?:talking|speaking|chatting) (?:to|with)|am i)", "name"),
        (r"who do i (?:share a desk|sit next to|sit with)(?: at work| with)?", "desk_mate_name colleague_name"),
    )
)
_TEACHES = rule(r"who (?:teaches me|gives me)(?: the)? (?P<n>[a-z ]{2,25}?)(?: lessons)?$")
_WITH = rule(
    r"(?:with )?who(?:m)? do i (?:play|do|practise|practice|dance|run|train|sing) (?P<n>[a-z ]{2,25}?)(?: with)?$"
)
_IS_MY = rule(
    r"(?:(?:in|at|on|with|of|from) )?(?:what|which) (?P<n>[a-z][\w ]{1,25}?) (?:is|are|was) (?:my|our) "
    r"(?P<m>[a-z][\w' -]{1,40}?)(?: (?:in|at|on|from|of|with))?$"
)
_MINE = rule(r"(?:what|which) (?P<n>[a-z][\w' -]{1,30}?) (?:is|are) mine$")
_FITS = rule(r"(?:what|which) (?:size(?: of)? )?(?P<n>[a-z][\w' -]{1,25}?)(?: size)? (?:fits?|suits?) me$")
_LUCK = rule(r"(?:what|which) (?P<n>[a-z]{2,15}) (?:brings me luck|is lucky for me)$")
_STARTS = rule(
    r"(?:when|what time|at what time) does (?:my|our) (?P<n>[a-z][\w' -]{1,30}?) (?P<v>start|begin"
    r"|end|finish|open|close)$"
)
_WHEN_MY = rule(
    r"(?:when|on (?:what|which) (?:day|date)|what day|which day) (?:do i (?:celebrate|have|hold|attend)"
    r"|does|is|are) (?:my|our) (?P<n>[a-z][\w' -]{1,30}?)(?: fall| take place| on)?$"
)
_FOR_ME = rule(r"when(?:'s| is) (?P<n>[a-z][\w -]{1,25}?) for me$")
_LIKE_MY = rule(
    r"how (?:do i (?:like|want|take|have|eat|drink|prefer|order)|should my|i like) (?:my )?(?P<n>[a-z][\w "
    r"-]{1,25}?)(?: (?:be )?(?:cooked|done|made|served|prepared))?$"
)
_OR_FOR_ME = rule(
    r"(?:do i (?:prefer|like|want|drink|eat|take) )?(?P<a>[a-z][\w -]{1,25}?) or (?P<b>[a-z][\w -]{1,25}?)(?: "
    r"for me)?$"
)
_HOW_LONG = rule(r"how (?:long|much time) (?:does|do) (?:my|our) (?P<n>[a-z][\w -]{1,25}?) (?:take|last)$")
_BUSY = rule(r"(?P<n>.+?),? (?:and )?(?:which|what) (?:one|club|brand|size)$")


def _several(names: tuple[str, ...] | list[str]) -> Wanted:
    first, *rest = (wanted(name) for name in names)
    same = tuple(dict.fromkeys((*first.same, *(other for item in rest for other in item.same))))
    return Wanted(
        first.attribute,
        first.phrase,
        same,
        tuple(dict.fromkeys(other for item in (first, *rest) for other in item.also)),
    )


def read(part: str) -> tuple[Wanted, str | None] | None:
    """What a question in other words is about, and of what kind the value must be; None where it is not read."""
    if len(part) > 200:
        return None
    for pattern, names in _WHO:
        if (found := pattern.match(part)) and found.end() == len(part):
            return _several(names), None
    if about := _of_nouns(part):
        return about, None
    found = _ASK.match(part)
    if found is None:
        return None
    if found["s"].lower() != "you" and _SHOULD_I.match(part):
        return None
    return _of_verb(found, part)


def _of_nouns(part: str) -> Wanted | None:
    if found := _TEACHES.match(part):
        noun = normalise(found["n"])
        return _several((f"{noun}_teacher_name", f"{noun}_teacher", f"{noun}_tutor_name", f"{noun}_tutor"))
    if found := _WITH.match(part):
        noun = normalise(found["n"])
        return _several((f"{noun}_partner", f"{noun}_partner_name", f"{noun}_buddy_name"))
    if found := _FITS.match(part):
        noun = _singular(normalise(found["n"]).removesuffix("_size"))
        return _several((f"{noun}_size",))
    if found := _LUCK.match(part):
        return wanted(f"lucky_{normalise(found['n'])}")
    if found := _STARTS.match(part):
        noun, verb = normalise(found["n"]), found["v"].lower()
        verb = {"begin": "start", "finish": "end"}.get(verb, verb)
        names = [f"{noun}_{verb}", f"{noun}_{verb}_time", f"{noun}_time"]
        return Wanted(names[0], f"{found['n'].lower()} {verb}", tuple(names))
    if found := _HOW_LONG.match(part):
        noun = normalise(found["n"])
        return Wanted(
            f"{noun}_time", f"{found['n'].lower()} time", (f"{noun}_time", f"{noun}_duration", f"{noun}_length")
        )
    if found := _WHEN_MY.match(part) or _FOR_ME.match(part):
        said = _noun(found["n"])
        if said is None or attributes.is_being(said):
            return None
        about, noun = wanted(said), said
        days = (f"{noun}_day", f"{noun}_days", f"{noun}_date", f"{noun}_time")
        return Wanted(about.attribute, about.phrase, tuple(dict.fromkeys((*about.same, *days))), about.also)
    if found := _MINE.match(part):
        said = _noun(found["n"])
        return None if said is None else name_of(said) if attributes.is_being(said) else wanted(said)
    if found := _IS_MY.match(part):
        return _of_mine(found["n"], found["m"])
    if found := _LIKE_MY.match(part):
        said = _noun(found["n"])
        if said is None:
            return None
        ways = (f"{said}_order", f"{said}_preference", f"{said}_style", f"{said}_doneness", said)
        return Wanted(ways[0], found["n"].lower(), ways)
    return None


def _of_mine(noun: str, mine: str) -> Wanted | None:
    """ "Which brand is my bike lock", "in which room is my office"."""
    what, whose = _noun(noun), _noun(mine)
    if what is None or whose is None:
        return None
    if attributes.is_being(whose):
        return Wanted(f"{whose}_{what}", f"{mine.lower()}’s {noun.lower()}", (f"{whose}_{what}", f"{whose}s_{what}"))
    if whose in ("home", "house", "flat", "apartment"):
        return wanted(what)
    weak = (
        (whose,)
        if what in ("brand", "make", "model", "kind", "type", "room", "number", "day", "date", "colour", "color")
        else ()
    )
    return Wanted(f"{whose}_{what}", f"{mine.lower()} {noun.lower()}", (f"{whose}_{what}",), weak)


def _of_verb(found: re.Match[str], part: str) -> tuple[Wanted, str | None] | None:
    word, noun, said = found["w"].lower(), found["n"], (found["p"] or "").strip().lower()
    if "n't" in part or _NOT.match(f"{noun or ''} {said}"):
        return None
    verb, _, rest = said.partition(" ")
    slug = _noun(noun) if noun else None
    if noun and slug is None:
        return None
    if found["s"].lower() == "you":
        if not _YOU_FOR_ME.match(said):
            return None
        if verb == "congratulate":
            return wanted("birthday"), None
        if slug is None:
            return None
        return _noun_about(slug, noun), None
    by_verb = _by_verb(word, slug, verb, rest)
    if slug is None or slug in _GENERIC or word in _COUNTS:
        return None if by_verb is None else (by_verb, None)
    if verb and verb not in _HAVING and by_verb is None:
        return None
    about = _noun_about(slug, noun)
    if by_verb is None:
        return about, None
    if slug.split("_")[-1] not in _WIDE_NOUNS:
        return about, None
    also = (*about.also, *by_verb.same)
    return Wanted(about.attribute, about.phrase, about.same, tuple(dict.fromkeys(also))), None


def _noun_about(slug: str, noun: str) -> Wanted:
    if slug in ("phone", "mobile", "smartphone", "mobile_phone", "cell_phone"):
        return wanted("phone_model")
    if attributes.is_being(slug):
        return name_of(slug)
    return wanted(slug, noun.lower())


def _by_verb(word: str, noun: str | None, verb: str, rest: str) -> Wanted | None:
    for made in VERBS.get(verb, ()):
        words = made.words.split()
        last = "" if noun is None else noun.split("_")[-1]
        if (last in _WHEN or word in _COUNTS) and last not in words and word not in made.words:
            continue
        if last in _WHEN and last not in words:
            continue
        if words and word not in made.words and last not in words:
            continue
        if made.pattern.match(f" {rest}" if rest else ""):
            return _several(made.attributes)
    return None


_WHEN = frozenset(["day", "days", "hours", "time", "date", "year", "month"])
_COUNTS = frozenset(["how many", "how much", "how long", "how often"])


def _singular(noun: str) -> str:
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") and noun != "jeans" else noun


def _noun(raw: str) -> str | None:
    words = raw.lower().split()
    slug = normalise(raw[:200])
    if not 0 < len(words) <= 5 or any(word.strip("'") in _NO_NOUN for word in words):
        return None
    return slug if 0 < len(slug) <= MAX_COMPONENT else None
