"""Verbs that tell something of their speaker: subject, verb class, object; each class with its attribute.

Pure. A clause is cut once into its subject ("I", "we've", "I'm currently"), its verb and the rest; the verb leads to
the few patterns that begin with it. What a verb of the past tells is over, unless its class says otherwise.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mace.agents.reading import values
from mace.agents.reading.sentences import rule
from mace.agents.reading.values import Kind
from mace.agents.reading.words import words_in

ADVERBS = (
    r"(?: (?:now|currently|also|really|actually|still|just|usually|normally|mostly|always|mainly|generally|recently"
    r"|finally|typically|often|already|absolutely|truly|simply|personally|originally|basically|only|presently|both"
    r"|happily|proudly|regularly|nearly always|almost always|never miss to|tend to|like to|prefer to|love to|get to"
    r"|have to|officially|temporarily|lately|mainly|primarily|proudly|myself|since|long))*"
)
_SUBJECT = rule(
    r"(?:(?:both )?(?:my (?:wife|husband|partner|family|girlfriend|boyfriend) and )?(?P<who>i|we))"
    r"(?P<aux>'ve been|'ve had| have been|'m| am|'re| are|'ve| have| was| were|'d| would| do)?"
    rf"{ADVERBS} (?P<verb>[a-z][\w'-]*)(?= |$)"
)
_BE = frozenset(["'m", " am", "'re", " are", "'ve been", " have been"])
_PERFECT = frozenset(["'ve", " have", "'ve been", " have been"])
_OVER = frozenset([" was", " were", "'d", " would"])


@dataclass(frozen=True, slots=True)
class Class:
    """What the rest of a clause is matched with, from its verb on."""

    pattern: re.Pattern[str]
    attribute: str
    kind: Kind
    needs: str = ""  # "be": I'm ..., "perfect": I have ...ed, "past": I was ...


@dataclass(frozen=True, slots=True)
class Found:
    attribute: str
    value: str


def _seat(value: str, cased: bool) -> str | None:
    return values.thing(re.sub(r"^(?:in|at|on|by) (?:the )?(?=\S)", "", value, flags=re.IGNORECASE), cased)


def _hours(value: str, cased: bool) -> str | None:
    return values.tidy(value) if re.search(r"\d|nine|eight|seven|six|ten", value, re.IGNORECASE) else None


def _liked(value: str, cased: bool) -> str | None:
    if re.match(r"the (?![A-Z])", value):
        return None  # "I like the idea"
    return values.thing(
        re.sub(r"\s+(?:the most|most|very much|so much|a lot|best|the best)$", "", value, flags=re.IGNORECASE), cased
    )


def _named(value: str, cased: bool) -> str | None:
    found = values.said_name(value, cased)
    return None if found is None or (cased and not found[:1].isupper()) else found


def _make(value: str, cased: bool) -> str | None:
    """A make or a model: it has a capital letter or a number, unless the writer has no capitals."""
    kept = values.thing(value, cased)
    if kept is None or (cased and not any(c.isupper() or c.isdigit() for c in kept)):
        return None
    return None if kept.split()[0].lower() in _NO_MAKE else kept


_NO_MAKE = frozenset(words_in("hard bargain hurry lot bit way it that this my hotel rental borrowed friend's"))
_CLASSES: dict[str, list[Class]] = {}
_V = r"(?P<v>\S.*)$"


def _class(verbs: str, rest: str, attribute: str, kind: Kind, needs: str = "") -> None:
    pattern = rule(rest.replace(" <v>", f" {_V}"))
    made = Class(pattern, attribute, kind, needs)
    for verb in verbs.split():
        _CLASSES.setdefault(verb, []).append(made)


# Home
_IN = r"(?:in|at|over in|out in|down in|up in|near|not far from|just outside(?: of)?)"
_class("live living reside residing dwell based located settled", rf" {_IN} <v>", "city", values.place)
_class("settled lived resided", rf"(?: down)? {_IN} <v>", "city", values.place)
_class(
    "moved relocated",
    r"(?: (?:here|back|house|again|over|out|down|up))?,?(?: this time)? to (?P<v>\S.*?) from .*$",
    "city",
    values.place,
)
_class(
    "moved relocated", r"(?: (?:here|back|house|again|over|out|down|up))*,?(?: this time)? to <v>", "city", values.place
)
_class("moved relocated", r" (?:here )?from (?P<v>\S.*?)(?: to .*)?$", "former_city", values.place)
_class(
    "rent renting own have got bought share sharing",
    r"(?: (?:an?|the|our|my))?(?: [\w-]+){0,2} (?:flat|house|apartment|studio|room|place|home|condo|cottage|bungalow"
    r"|loft|maisonette|bedsit|flatshare) (?:in|near|just outside) <v>",
    "city",
    values.place,
)
_class("call calling", r" (?P<v>\S.{1,40}?) (?:my |our )?home$", "city", values.place)
_class("come hail originate stem", r"(?: originally)? from <v>", "hometown", values.place)
_class("from", r" <v>", "hometown", values.place, "be")
_class("grew", r" up (?:in|near|around) <v>", "grew_up_in", values.place)
_class("raised", r" (?:in|near) <v>", "grew_up_in", values.place, "past")
_class("born", r" and (?:raised|bred|brought up) in <v>", "birthplace", values.place, "past")
_class("born", r" in <v>", "birthplace", values.place, "past")
_class("living live", r" on the <v>", "floor", lambda v, c: values.tidy(v) if "floor" in v.lower() else None)
# Work
_class("work working employed worked", r" as <v>", "job", values.job)
_class("earn make", r" (?:my|a) living (?:as|by) <v>", "job", values.job)
_class("serve serving", r" as <v>", "job", values.job)
_class(
    "work working employed",
    r"(?: (?:full|part)[- ]time)? (?:for|at|with|by|over at) <v>",
    "employer",
    values.company,
)
_class("joined", r" (?P<v>[A-Z]\S*(?: [A-Z&]\S*)*)(?: as .*)?$", "employer", values.company)
_class(
    "started begun got found landed accepted",
    r"(?: (?:a|my|the|this))?(?: new)?(?: (?:job|position|role|post|work"
    r"|working|gig))(?: here)? (?:at|with|for) <v>",
    "employer",
    values.company,
)
_class("started begun", r" (?:at|with) (?P<v>[A-Z]\S*(?: [A-Z&]\S*)*)$", "employer", values.company)
_class(
    "started begun got found landed",
    r"(?: (?:a|my|the))?(?: new)?(?: (?:job|position|role|post|work|working"
    r"|gig))(?: here)? as <v>",
    "job",
    values.job,
)
_class("report reporting", r"(?: directly)? to <v>", "boss", _named)
_class(
    "manage lead head supervise managing leading",
    r" a (?:team|group|staff|crew) of (?P<v>\d+|[a-z]+)(?: people)?$",
    "team_size",
    values.number,
)
_class("teaching", r" myself(?: to)? <v>", "learning", values.thing, "be")
_class("listen listening", r"(?: (?:mostly|mainly|a lot))? to <v>", "music", values.thing)
_class("student", r" of (?P<v>[a-z ]{3,40}?)(?: at .*)?$", "major", values.studied, "be")
_class("a", r" student of (?P<v>[a-z ]{3,40}?)(?: at .*)?$", "major", values.studied, "be")
_class("a", r" (?P<v>redhead|blonde?|brunette)$", "hair_color", values.adjective, "be")
_class(
    "with",
    r" (?P<v>the [a-z]+ (?:brigade|police|army|navy|council|service|department|force))$",
    "employer",
    values.text,
    "be",
)
_class("eat", r" (?P<v>no \w+)$", "diet", values.plain)
_class(
    "knit crochet sew paint draw garden bake surf ski climb sail row fence skate fish hike",
    r"(?: (?:to relax|for fun|a lot|mostly.*))?$",
    "hobby",
    values.adjective,
)
_class(
    "teach teaching",
    r" (?P<v>(?!at |in |my |to |on |for |the |people |him |her |them )[a-z][\w ]{2,30}?)(?: (?:at|in|to) .*)?$",
    "subject_taught",
    values.thing,
)
_class("teach teaching", r" .{0,30}?\b(?:at) (?P<v>[A-Z]\S.*)$", "employer", values.company)
_class(
    "work working", r" (?:from|between) (?P<v>\S+(?: ?[ap]m)? (?:to|till|until|and|-) \S+.*)$", "working_hours", _hours
)
_class(
    "work",
    r" (?P<v>\d[\d:.]*(?: ?[ap]m)? ?(?:to|till|until|-|–) ?\d.*|nine to five|nights|night shifts?"
    r"|day shifts?|early shifts?|late shifts?|mornings|evenings|part[- ]time|full[- ]time)$",
    "working_hours",
    values.adjective,
)
_class("start begin", r" (?:work|working|my shift|my day)(?: at)? <v>", "work_start", values.clock)
_class("finish end stop", r" (?:work|working|my shift)(?: at)? <v>", "work_end", values.clock)
_class("sit", r" (?:at|in|on) (?P<v>(?:desk|room|office|floor|row|seat) \S.*)$", "desk", values.plain)
_class(
    "in",
    r"(?: the)? (?P<v>(?!the\b|wrong\b|same\b|right\b|other\b)[\w&' -]{2,30}?) (?:team|department|division)$",
    "department",
    values.thing,
    "be",
)
_class("worked", r" (?:for|at) <v>", "employer", values.company)
_class("been got", r" promoted to <v>", "job", values.job)
# Studies
_class(
    "study studying read studied",
    r" (?P<v>(?!at\b|in\b|for\b|with\b|to\b|hard\b|a lot\b|about\b|every\b|the\b|it\b"
    r"|that\b|this\b|abroad\b)\S.*)$",
    "major",
    values.studied,
)
_class("majoring major majored graduated specialising specializing", r" in <v>", "major", values.studied)
_class(
    "doing finishing finished completed pursuing have got hold writing",
    r" (?:an?|my|the) (?:\w+ )?(?:degree|masters?|master's|bachelors?|bachelor's|phd|ba|bsc|ma|msc|mba|doctorate"
    r"|course|diploma|apprenticeship) (?:in|on) <v>",
    "major",
    values.studied,
)
_class(
    "study studying studied enrolled attend attending graduated",
    r"(?: .{1,40}?)?(?: (?:at|from|with))? (?P<v>(?:the )?[A-Z][\w'&. -]*)$",
    "university",
    values.company,
)
_class("go going went", r" to (?P<v>[A-Z][\w'&. -]* (?:University|College|Uni))$", "university", values.company)
_class(
    "go going",
    r" to (?P<v>[A-Z][\w'&. -]* (?:School|Academy|High|Grammar|Primary|Elementary))$",
    "school",
    values.company,
)
_class(
    "in",
    r" (?P<v>(?:\w+ )?(?:year \d+|\w+ (?:grade|year|semester|form)))(?: (?:at|of) .*)?$",
    "school_year",
    values.adjective,
    "be",
)
# People
_class("married wed", r" to <v>", "spouse", _named, "be")
_class("dating seeing", r"(?: an? (?:guy|man|woman|girl|boy) (?:called|named))? <v>", "partner", _named, "be")
_class("engaged", r" to <v>", "fiance", _named, "be")
_class(
    "single married divorced widowed engaged separated taken",
    r"(?: (?:now|again|and happy))?$",
    "marital_status",
    values.adjective,
    "be",
)
_class("married", r" on <v>", "anniversary", values.date)
_class("got", r" married on (?P<v>[^,]+)(?:,.*)?$", "anniversary", values.date)
_class("see visit consult", r" (?P<v>(?:Dr|Doctor)\.? [A-Z]\S+) for my (?:eyes|eyesight)$", "eye_doctor", values.text)
_class("see visit consult", r" (?P<v>(?:Dr|Doctor)\.? [A-Z]\S+) for my teeth$", "dentist", values.text)
_class(
    "share sharing live living",
    r"(?: (?:an?|the|my|our) (?:flat|house|room|apartment|place))? with (?:my (?:friend"
    r"|flatmate|roommate|housemate) )?(?P<v>[A-Z][\w'-]+)$",
    "roommate",
    _named,
)
# Body, age
_class(
    "turned became reached",
    r" (?P<v>\d{1,3}|[a-z]+(?:-[a-z]+)?)(?: (?:years old|yesterday|today|last"
    r"|this|on|in|recently|now).*)?$",
    "age",
    values.age,
)
_class("weigh weighing", r"(?: (?:about|around|roughly|in at))? <v>", "weight", values.number)
_class("measure stand", r"(?: (?:about|around))? (?P<v>\d\S*.*?)(?: tall)?$", "height", values.number)
_SIZED = r"(?: (?:an?|the))?(?: size)? (?P<v>\d[\w/.,½¼¾]*(?: \d/\d)?|[a-z]+(?: (?:large|small))?)"
for _verbs, _words, _what in (
    ("wear take need am have buy fit", r"(?:shoes?|boots?|trainers|sneakers|footwear)", "shoe_size"),
    ("wear take need am have buy fit", r"(?:t-?shirts?|tees?|tops)", "t_shirt_size"),
    ("wear take need am have buy fit", r"(?:shirts?|blouses?)", "shirt_size"),
    ("wear take need am have buy fit", r"jeans", "jeans_size"),
    ("wear take need am have buy fit", r"(?:clogs?)", "clog_size"),
    ("wear take need am have buy fit", r"(?:trousers|pants)", "trouser_size"),
    ("wear take need am have buy fit", r"(?:dress(?:es)?)", "dress_size"),
    ("wear take need am have buy fit", r"(?:rings?)", "ring_size"),
    ("wear take need am have buy fit", r"(?:gloves?)", "glove_size"),
    ("wear take need am have buy fit", r"(?:hats?|helmets?|caps?)", "hat_size"),
    ("wear take need am have buy fit", r"(?:jackets?|coats?|scrubs|uniforms?)", "jacket_size"),
):
    _class(_verbs, rf"{_SIZED} (?:in|for) (?:my )?{_words}$", _what, values.size)
    _class("a an size", rf"(?: size)? (?P<v>\S+) (?:in|for) {_words}$", _what, values.size, "be")
    _class(_verbs, rf"(?: (?:an?|the))?(?: size)? (?P<v>\S+) {_words}$", _what, values.size)
    _class(_verbs, rf"(?: an?)? {_words}(?: in)?(?: a)? size (?P<v>\S+)$", _what, values.size)
_class("have got", r" (?P<v>[a-z]+(?:[- ][a-z]+)?) eyes$", "eye_color", values.color)
_class("dye dyed colour color", r" my hair (?P<v>[a-z -]+)$", "hair_color", values.color)
# Food, drink
_class("allergic", r" to <v>", "allergy", values.listed, "be")
_class("intolerant", r" (?:to|of) <v>", "intolerance", values.listed, "be")
_class(
    "eat eating follow keep on",
    r"(?: an?)?(?: strictly)? (?P<v>vegan|vegetarian|pescatarian|gluten[- ]free|halal"
    r"|kosher|keto|paleo|low[- ]carb|plant[- ]based|dairy[- ]free|mediterranean)(?: (?:diet|food|only))?$",
    "diet",
    values.adjective,
)
_class("vegan vegetarian pescatarian veggie flexitarian", r"$", "diet", values.adjective, "be")
_class("drink have take order get like", r" my coffee <v>", "coffee_order", values.adjective)
_class("drink have take order get like", r" my tea <v>", "tea_order", values.adjective)
_class("like want have eat order prefer", r" my (?:steaks?) <v>", "steak_preference", values.adjective)
_class("like want have eat prefer", r" my eggs <v>", "egg_preference", values.adjective)
_class("drink", r" <v>", "drink", values.listed)
_class("have eat take get start", r" (?P<v>\S.{0,50}?) (?:for breakfast|in the mornings?)$", "breakfast", values.listed)
_class("have eat", r" (?:lunch|my lunch) (?:at|in) <v>", "lunch_place", values.company)
_class("drink have", r" (?P<v>\S.{0,40}?) (?:in the mornings?|every morning)$", "morning_drink", values.listed)
# Likes
_class("hate detest loathe despise dislike", r" <v>", "dislikes", values.thing)
_class("love adore enjoy like", r"(?: very much)? <v>", "likes", _liked)
_class("fond", r" of <v>", "likes", values.thing, "be")
_class("crazy mad nuts passionate", r" about <v>", "likes", values.thing, "be")
_class("into", r" <v>", "hobby", values.thing, "be")
_class("prefer", r" (?P<v>\S.{0,40}?) (?:over|to|instead of|rather than) \S.{0,40}$", "preference", values.thing)
# Things
_class("drive driving", r"(?: around in)? (?:an?|my|the|our) <v>", "car", _make)
_class("drive driving", r" (?P<v>[A-Z]\S*(?: [A-Z0-9]\S*)*)$", "car", values.thing)
_class(
    "ride riding",
    r" (?:an?|my|the) (?P<v>\S.*?)(?: (?:bike|bicycle|motorbike|motorcycle))?(?: to work| around"
    r"| on weekends| at weekends)?$",
    "bike",
    _make,
)
_class(
    "shoot shooting photograph photographing take taking",
    r"(?: (?:photos|pictures))? with (?:an?|my) <v>",
    "camera",
    _make,
)
_class("bank banking", r" with <v>", "bank", values.company)
_class("bank", r" at <v>", "bank", values.company)
_class(
    "with", r" (?P<v>[A-Z]\S*(?: [A-Z]\S*)*) for (?:my )?(?:mobile|phone|cell)$", "phone_provider", values.company, "be"
)
_class(
    "with",
    r" (?P<v>[A-Z]\S*(?: [A-Z]\S*)*) for (?:my |the )?(?:internet|broadband)$",
    "internet_provider",
    values.company,
    "be",
)
_class(
    "with", r" (?P<v>[A-Z]\S*(?: [A-Z]\S*)*) for (?:my )?(?P<n>[a-z]+ )?insurance$", "insurance", values.company, "be"
)
_class("bank insured", r" (?:with|by|at) <v>", "insurance", values.company, "be")
_class("shop buy", r"(?: my groceries| groceries| food)? (?:at|in|from) <v>", "supermarket", _named)
_class(
    "use",
    r" (?P<v>vim|emacs|neovim|vs ?code|nano|sublime(?: text)?|intellij|pycharm|notepad\+\+|zed|helix)(?: as "
    r"my editor)?$",
    "editor",
    values.adjective,
)
_class("on", r" an? (?P<v>[\w ]{2,25}?) (?:for work|at work|at home)$", "laptop", _make, "be")
_class(
    "hold have carry travel", r"(?: (?:on|with))? an? (?P<v>[A-Z]\w+(?: [A-Z]\w+)?) passport$", "passport", values.thing
)
# Leisure
_INSTRUMENT = (
    r"(?:the )?(?:\w+ )?(?:piano|violin|viola|cello|bass|guitar|flute|oboe|clarinet|bassoon|saxophone|sax|trumpet"
    r"|trombone|tuba|horn|drums|harp|organ|accordion|banjo|ukulele|mandolin|harmonica|recorder|keyboards?|bagpipes"
    r"|percussion|lute|sitar|xylophone|marimba|fiddle|theremin|cornet|euphonium|concertina|didgeridoo|tambourine|oud"
    r"|koto|erhu|piccolo|lyre|zither|dulcimer|vibraphone|timpani|synth)"
)
_class("play playing learning practise practice learn", rf" (?P<v>{_INSTRUMENT})\b.*$", "instrument", values.instrument)
_SPORT = (
    r"(?:football|soccer|rugby|basketball|handball|hockey|ice hockey|field hockey|volleyball|beach volleyball|cricket"
    r"|baseball|softball|tennis|table tennis|ping pong|badminton|squash|golf|darts|padel|netball|snooker"
    r"|pool|lacrosse"
    r"|water polo|ultimate(?: frisbee)?|frisbee|floorball|curling|bowls|lawn bowls|pickleball|korfball|hurling|shinty"
    r"|camogie|futsal)"
)
_class("play playing", rf" (?P<v>{_SPORT})\b.*$", "sport", values.adjective)
_class(
    "play playing",
    r" (?P<v>chess|poker|bridge|go|cards|video games|board games|scrabble|backgammon|dominoes"
    r"|mahjong|sudoku|whist|canasta|rummy)\b.*$",
    "hobby",
    values.adjective,
)
_class(
    "do doing practise practice practising train",
    r" (?P<v>yoga|pilates|judo|karate|taekwondo|aikido|boxing"
    r"|kickboxing|gymnastics|athletics|archery|fencing|parkour|crossfit|ballet|tai chi|capoeira|triathlons?"
    r"|weightlifting|wrestling|jiu[- ]jitsu|ju[- ]jitsu|swimming|rowing|climbing|bouldering|running|cycling)\b.*$",
    "sport",
    values.adjective,
)
_class(
    "support follow back root cheer supporting",
    r"(?: for)?(?: the)? (?P<v>[A-Z]\S*(?: [A-Z&]\S*)*)(?: .{0,20})?$",
    "team",
    values.name,
)
_class("support root cheer", r"(?: for)? <v>", "team", values.name)
_class(
    "an a",
    r" (?:(?:big|huge|massive|lifelong|keen|die-?hard|proud|loyal|true) )*(?P<v>[A-Z][\w' ]{2,30}) (?:fan"
    r"|supporter)$",
    "team",
    values.name,
    "be",
)
_class("train training", r" (?:on|every) <v>", "training_day", values.day)
_class("go hit hitting", r"(?: to)? the gym (?:on|every) <v>", "gym_days", values.day)
_class("work", r" out (?:on|every) <v>", "gym_days", values.day)
_class("work working", r" from home (?:on|every) <v>", "work_from_home_day", values.day)
_class("collect collecting", r" <v>", "collection", values.listed)
_class(
    "spend",
    r" (?:most of )?(?:my|the) (?:weekends|evenings|free time|spare time|sundays|saturdays)"
    r"(?: (?:on|with))? <v>",
    "hobby",
    values.activity,
)
_class(
    "spend", r" (?:our |my |the |every )(?:holidays?|vacations?) (?:in|at|on) <v>", "holiday_destination", values.place
)
_class("spend", r" (?:our |my |the |every )?summers? (?:in|at|on) <v>", "summer_destination", values.place)
_class("taken took", r" up <v>", "hobby", values.thing)
_class("reading read", r" (?P<v>[A-Z]\S.*)$", "current_book", values.text, "be")
_class("watching", r" (?P<v>[A-Z]\S.*)$", "current_show", values.text, "be")
_class(
    "sing",
    r" (?P<v>soprano|mezzo(?:-soprano)?|alto|contralto|countertenor|tenor|baritone|bass)\b.*$",
    "voice",
    values.adjective,
)
_class("sing play", r" in an? (?P<n>band|choir|orchestra) (?:called|named) <v>", "band_name", values.said_name)
# Languages
_class("speak speaking", r" (?P<v>\S.*?) at home$", "home_language", values.languages)
_class("speak speaking", r" <v>", "language", values.languages)
_class("fluent", r" in <v>", "language", values.languages, "be")
_class("learning studying", r"(?: to speak)? <v>", "learning_language", values.languages, "be")
_class("started begun", r"(?: (?:learning|studying|to learn|to study)) <v>", "learning_language", values.languages)
_class("teaching", r" myself(?: to)? <v>", "learning", values.thing, "be")
_class("taking having have take", r" (?P<v>[a-z]+ (?:lessons|classes))\b.*$", "lessons", values.adjective)
# Days, travel
_class("get wake rise", r"(?: up)? (?:at|around|about|by) <v>", "wake_up_time", values.clock)
_class("go", r" to (?:bed|sleep) (?:at|around|about|by) <v>", "bedtime", values.clock)
_class("sleep", r" (?:at|around) <v>", "bedtime", values.clock)
_class(
    "cycle walk drive bike run",
    r" to (?:work|the office|school|uni|campus)(?: every day| each day| daily| most days)?$",
    "commute",
    values.adjective,
)
_class(
    "commute travel go get",
    (
        r"(?: to (?:work|the office|school|uni|university|campus))(?: (?:every day|daily))? (?:by )?(?P<v>tram"
        r"|bus|train|car|bike|bicycle|metro|tube|underground|subway|ferry|boat|scooter|motorbike|on foot)$"
    ),
    "commute",
    values.adjective,
)
_class(
    "take catch ride use",
    r" the (?P<v>[\w ]{2,25}?) to (?:work|the office|school|uni|campus)\b.*$",
    "commute",
    values.adjective,
)
_class(
    "book take prefer choose want",
    r" (?:an? |the )?(?P<v>(?:window|aisle|middle|front|back) seats?)\b.*$",
    "seat_preference",
    values.adjective,
)
_class(
    "sit",
    r" (?:at|in|by|on) (?:the )?(?P<v>window|aisle|back|front)(?: (?:on|of|in|when) .*)?$",
    "seat_preference",
    values.adjective,
)
_class("fly", r" (?:out of|from)(?!.*\b(?:tomorrow|today|tonight|next|on|at|in)\b) <v>", "home_airport", values.place)
_class("fly", r" with <v>", "preferred_airline", values.company)
_class("in", r" the (?P<v>[\w ]{2,20}?) time ?zone$", "time_zone", values.adjective, "be")
_class(
    "on", r" (?P<v>(?:UTC|GMT|CET|CEST|EST|PST|MST|CST|BST|IST|JST)\S*)(?: time)?$", "time_zone", values.adjective, "be"
)
_class("write", r" with my (?P<v>left|right)(?: hand)?$", "handedness", values.adjective)
_class("a", r" (?P<v>lefty|leftie|southpaw|righty)$", "handedness", values.adjective, "be")
_class("park parking", r" (?:in|on|at) <v>", "parking_spot", values.plain)
_class("go", r" by(?: the name(?: of)?)? <v>", "nickname", _named)
_class("answer", r" to(?: the name(?: of)?)? <v>", "nickname", _named)
_class("vote", r" (?:for )?(?P<v>[A-Z]\S*(?: [A-Z]\S*)?)$", "party", values.name)

CLASSES: Mapping[str, tuple[Class, ...]] = MappingProxyType({verb: tuple(made) for verb, made in _CLASSES.items()})
_COMMUTES = frozenset(words_in("cycle walk drive bike run"))


def read(clause: str, cased: bool) -> Found | None:
    """What the verb of a clause with "I" or "we" tells."""
    subject = _SUBJECT.match(clause)
    if subject is None:
        return None
    aux, verb = (subject["aux"] or "").lower(), subject["verb"].lower()
    start = subject.end()
    for made in CLASSES.get(verb, ()):
        if not _fits(made.needs, aux, verb):
            continue
        found = made.pattern.match(clause, start)
        if found is None:
            continue
        said = found.groupdict().get("v") or verb
        value = made.kind(said, cased)
        if value is not None:
            return Found(made.attribute, value)
    return None


def _fits(needs: str, aux: str, verb: str) -> bool:
    if needs == "past":
        return aux in (" was", " were", "'m", " am", "'ve been", " have been")
    if needs == "be":
        return aux in _BE
    if aux in _OVER:
        return False
    if verb in _PAST_NEEDS_HAVE:
        return aux in _PERFECT
    return not verb.endswith("ing") or aux in _BE


_PAST_NEEDS_HAVE = frozenset(words_in("worked lived resided"))
