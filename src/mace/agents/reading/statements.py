"""What a clause tells about its speaker: forms as data, each with the attribute it tells and the kind of its value.

Pure. A clause that fits no form tells nothing. Facts of other people are never the speaker's own: "my brother's dog" is
an attribute of its own, and "my sister lives in Oslo" tells nothing that is kept.
"""

import re
from dataclasses import dataclass

from mace.agents.reading import attributes, beings, turning, values, verbs
from mace.agents.reading.attributes import Wanted, name_of, wanted
from mace.agents.reading.sentences import rule, without_tail
from mace.agents.reading.values import Kind
from mace.agents.reading.words import words_in
from mace.memory.keys import MAX_COMPONENT, normalise


@dataclass(frozen=True, slots=True)
class Told:
    """One statement: what it is about, and its value."""

    about: Wanted
    value: str
    plural: bool = False
    adds: bool = False  # to what is stored, instead of taking its place


@dataclass(frozen=True, slots=True)
class _Form:
    pattern: re.Pattern[str]
    attribute: str
    kind: Kind
    phrase: str | None = None


_BE = r"(?:am|'m|was|'ve been|have been)"
_I = r"i"
_ADV = (
    r"(?: (?:now|currently|also|really|actually|still|just|usually|normally|mostly|always|mainly"
    r"|generally|recently|finally|typically|often|already|do|absolutely|truly|simply|personally"
    r"|originally))*"
)


def _form(source: str, attribute: str, kind: Kind, phrase: str | None = None) -> _Form:
    source = (
        source.replace("<adv>", _ADV)
        .replace("<be>", r"(?: am|'m)")
        .replace("<have>", r"(?: have|'ve got| have got|'ve| own| got)")
    )
    return _Form(
        rule(f"(?:{source})" + r" (?P<v>\S.*)$" if "(?P<v>" not in source else source), attribute, kind, phrase
    )


_CARS = (
    "Toyota|Honda|Ford|Fiat|Opel|Vauxhall|Volkswagen|VW|Skoda|Škoda|Seat|Renault|Peugeot|Citroen"
    "|Citroën|Dacia|Kia|Hyundai|Nissan|Mazda"
    "|Subaru|Suzuki|Mitsubishi|Lexus|Tesla|BMW|Audi|Mercedes|Porsche|Mini|Volvo|Saab|Jeep|Land Rover"
    "|Jaguar|Chevrolet|Chevy|Dodge|Lada|Polestar"
)
_MONTH_FORM = "|".join(sorted(values.MONTHS))
FORMS: tuple[_Form, ...] = (
    # Names
    _form(r"(?:please )?call me", "nickname", values.said_name),
    _form(r"(?:you (?:can|may|should) (?:just )?call me)", "nickname", values.said_name),
    _form(
        r"(?:my (?:friends|family|mates|colleagues)|people|everyone|everybody|friends|folks|they all"
        r"|most people)(?: (?:all|just|usually|always|mostly))* calls? me",
        "nickname",
        values.said_name,
    ),
    _form(r"i(?: usually| mostly)? go by(?: the name(?: of)?)?", "nickname", values.name),
    _form(r"i(?:'m| am) (?:known|better known) as", "nickname", values.said_name),
    _form(r"i(?:'ve| have) always been called", "nickname", values.said_name),
    _form(r"i(?:'m| am) called", "name", values.said_name),
    _form(r"(?:the|me) name(?:'s| is)", "name", values.name),
    _form(r"(?:you're |you are )?(?:talking|speaking) (?:to|with)", "name", values.own_name),
    _form(
        r"(?:you (?:can|may|should) |please |just |simply )*(?:just |simply )?(?:call|address) me(?: as)?",
        "nickname",
        values.said_name,
    ),
    _form(
        r"i(?:'d| would)?(?: prefer| like| rather| want)(?: to be| being)? (?:called|addressed as|known as)",
        "nickname",
        values.said_name,
    ),
    _form(
        r"(?:(?:at|in|to) [a-z ]{3,15},? )?(?:they|people|most people|everyone|everybody|folks"
        r"|my \w+)(?: all| usually| mostly)? (?:know me as|call me|refer to me as)",
        "nickname",
        values.said_name,
    ),
    _form(r"i(?: usually| mostly| often)? (?:get|got) called", "nickname", values.said_name),
    _form(r"remember me as", "nickname", values.said_name),
    _form(r"i(?:'m| am| was) named", "name", values.said_name),
    _form(r"names?(?:'s| is)", "name", values.said_name),
    _form(r"(?:i|we)(?:'ve| have) been<adv> (?:working|employed) as", "job", values.job),
    _form(r"(?:i|we)(?:'ve| have) been (?P<v>an? [a-z][\w' -]{2,30}?) (?:for|since) .+$", "job", values.own_job),
    _form(
        r"(?:i|we)(?:'ve| have)(?: been)? (?:worked|working) (?:at"
        r"|for) (?P<v>[A-Z]\S*(?: [A-Z&]\S*)*) (?:for|since) .+$",
        "employer",
        values.company,
    ),
    _form(r"i(?:'ve)?(?: just| recently)? bec(?:ame|ome)", "job", values.own_job),
    _form(r"i(?:'ve| have)? left \S.{0,30}? and moved to (?P<v>\S.*)$", "city", values.place),
    _form(
        r"(?:it takes me|i need) (?P<v>\S.{0,30}?) to (?:get|go|travel|commute) to work$", "commute_time", values.number
    ),
    _form(r"my commute (?:takes|is)(?: me)?(?: about)? (?P<v>\d.{0,20})$", "commute_time", values.number),
    _form(r"i majored in|i did my degree in|my degree is in", "major", values.studied),
    _form(r"i (?:root|cheer) for", "team", values.name),
    _form(r"my feet are size|i(?:'m| am) a shoe size", "shoe_size", values.size),
    _form(r"i (?:usually )?(?:go to bed|go to sleep) (?:around|about|by)", "bedtime", values.clock),
    _form(r"i (?:usually )?(?:wake|get up) (?:at|around|about)", "wake_up_time", values.clock),
    _form(r"(?:i|we) (?:got )?married (?:on|in)", "anniversary", values.date),
    _form(r"i (?:avoid|can't have)", "does_not_eat", values.listed),
    # Places
    _form(r"(?:i|we)(?:'m| am|'re| are)<adv> (?:living|based|residing|settled) in", "city", values.place),
    _form(
        r"(?:i|we)(?:'ve| have)<adv> (?:lived|been living|been based|settled) in (?P<v>\S.*? (?:since|for"
        r"|now|these)\b.*)$",
        "city",
        values.place,
    ),
    _form(r"(?:my |our )?home(?: for me| for us)?(?: is|'s)(?: now)?(?: in)?", "city", values.place),
    _form(r"(?:my|our) (?:house|flat|apartment|place) is in", "city", values.place),
    _form(r"(?:i|my family) (?:hail|hails|originally come|originate|comes)s? from", "hometown", values.place),
    _form(
        (
            r"(?:i|we)<adv>(?: live|<be> living|'re living| are living| reside|<be> based|'re based| are based) "
            r"(?:in|at)"
        ),
        "city",
        values.place,
    ),
    _form(r"(?:i|we)<adv> (?:live|reside) on (?P<v>\S.*)$", "street", values.street),
    _form(
        r"(?:i|we)(?:'ve| have)?<adv> (?:moved|relocated)(?: house)?(?: over| back| away| here)? to",
        "city",
        values.place,
    ),
    _form(r"(?:i|we)(?:'ve| have)?<adv> moved from \S.{0,40}? to (?P<v>\S.*)$", "city", values.place),
    _form(r"(?:my |our )?home is(?: now)?(?: in)?", "city", values.place),
    _form(
        r"(?:the )?(?:city|town|place|village) (?:where |that |which )?(?:i|we)(?: currently| now)? live(?: in)? is",
        "city",
        values.place,
    ),
    _form(
        r"i(?:'ve got| have|'ve| have got) (?:a |an )?(?:\w+ )?(?:flat|house|apartment"
        r"|home) in (?P<v>[^,]+?)(?:,? (?:that's|and that's|which is) where i live)$",
        "city",
        values.place,
    ),
    _form(r"i(?:'m| am| come| do come)<adv> from", "hometown", values.place),
    _form(r"originally,? i(?:'m| am| come) from", "hometown", values.place),
    _form(r"i grew up in", "grew_up_in", values.place),
    _form(r"i was raised in", "grew_up_in", values.place),
    _form(rf"i was born in(?: the month of)? (?P<v>(?:{_MONTH_FORM}))$", "birth_month", values.adjective),
    _form(r"i was born in (?P<v>(?:19|20)\d\d)$", "birth_year", values.number),
    _form(r"i was born on", "birthday", values.date),
    _form(r"i was born in", "birthplace", values.place),
    _form(r"(?:it's |it is )?my birthday(?:'s| is)?(?: on| in)", "birthday", values.date),
    # Work
    _form(r"(?:i|i'm|i am)<adv> (?:work|working|employed) (?:as|for a living as)", "job", values.job),
    _form(r"i earn my (?:living|money) as", "job", values.job),
    _form(
        r"i(?: now| currently)? work (?:from home|remotely) (?:on|every)",
        "work_from_home_day",
        values.day,
        "day of working from home",
    ),
    _form(r"(?:i|i'm|i am)<adv> (?:work|working|employed) (?:at|for|by|with)", "employer", values.company),
    _form(
        r"i (?:left|quit) \S.{0,40}? (?:and|to) (?:joined|join|started at|now work at|now work for) (?P<v>\S.*)$",
        "employer",
        values.company,
    ),
    _form(
        r"i(?:'ve| have)?(?: just| recently)? (?:joined|started (?:working )?(?:at"
        r"|for)) (?P<v>[A-Z]\S*(?: [A-Z&]\S*)*)$",
        "employer",
        values.company,
    ),
    _form(
        r"(?:i|i'm|i am)<adv> (?:work|working) in (?:the )?(?P<v>[a-z][\w -]{2,30}?)(?: (?:industry|sector"
        r"|business|field))?$",
        "industry",
        values.industry,
    ),
    _form(r"i(?:'m| am) in the (?P<v>[\w&' -]{2,30}?) (?:team|department)$", "department", values.thing),
    _form(
        r"i(?: now| currently)? (?P<v>(?:run|own|manage) (?:a|an|my own|our) (?:[\w-]+ ){0,3}(?:\w*shop"
        r"|business|company|bakery|cafe|café|restaurant|farm|hotel|store|studio|bar|pub|agency|firm"
        r"|practice|gallery|school|startup|salon|guesthouse|hostel|brewery|vineyard|nursery)\b.{0,40})$",
        "job",
        values.listed,
        "job",
    ),
    _form(r"i used to (?:be|work as)", "former_job", values.job),
    _form(r"(?:i(?:'m| am) )?retired,? (?:i )?used to be", "former_job", values.job),
    _form(
        r"i(?:'ve| have)? (?:just |recently )?(?:got|started|found|have)(?: a| my)?(?: new)? (?:job"
        r"|position|work|working) (?:at|with)",
        "employer",
        values.company,
    ),
    _form(
        r"i(?:'ve| have)? (?:just |recently )?(?:got|started|found|have)(?: a| my)?(?: new)? (?:job|work"
        r"|working|position) as",
        "job",
        values.job,
    ),
    _form(r"i(?: do| make my money with)? (?P<v>[a-z][\w -]{2,40}?) for a living$", "job", values.listed, "job"),
    _form(r"i(?:'m| am)<adv> training as", "training", values.job),
    _form(
        r"i(?:'m| am)<adv> (?P<v>self-employed|unemployed|retired|a freelancer|freelancing|between jobs)$",
        "job",
        values.adjective,
    ),
    # Studies
    _form(
        r"i(?:'m| am| was)?(?: a student| study| studying| studied| enrolled| go| went)<adv> (?:at"
        r"|to) (?P<v>(?:the )?[A-Z][\w'& -]*(?:University|College|Institute|Polytechnic)(?: of [A-Z]\w+)?"
        r"|the University of \S.*)$",
        "university",
        values.company,
    ),
    _form(
        r"i (?:went|go) to (?P<v>[A-Z][\w'& -]{1,40} (?:Primary|Elementary|Secondary|Comprehensive|Prep))$",
        "school",
        values.company,
    ),
    _form(r"i(?:'m| am)<adv> studying to (?:be|become)", "training", values.job),
    _form(r"i(?:'m| am)<adv> training to (?:be|become)", "training", values.job),
    _form(
        r"i(?:'ve| have)? (?:studied|graduated|went to (?:university|uni|college)) (?:at|from) (?P<v>\S.*)$",
        "university",
        values.company,
    ),
    _form(r"i(?:'ve| have)? (?:went|go|been) to school (?:at|in)", "school", values.company),
    _form(r"i(?: went| go) to (?P<v>[A-Z][\w' -]{2,40} (?:School|Academy|High|Grammar))$", "school", values.company),
    _form(
        r"i<have> (?:a|an|my) (?:\w+ )?(?:degree|ba|bsc|ma|msc|phd|doctorate|master's|bachelor's) in",
        "degree",
        values.thing,
        "degree",
    ),
    _form(r"i(?:'m| am) majoring in", "major", values.studied),
    _form(
        r"(?:i|i'm|i am)<adv> (?:study|studying|studied) (?P<v>(?!at\b|in\b|for\b|with\b|to\b|hard\b"
        r"|a lot\b|about\b|every\b|the\b|it\b|that\b|this\b)\S.*)$",
        "major",
        values.studied,
    ),
    # Animals, people
    _form(r"i(?:'m| am) married to", "spouse", values.said_name),
    _form(r"i(?:'m| am) engaged to", "fiance", values.said_name),
    _form(r"i share (?:an|my|the) office with", "office_mate", values.said_name),
    _form(
        r"(?:i|we)<have><adv> (?P<v>(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten"
        r"|no)) (?:children|kids|child|kid)(?: together)?$",
        "number_of_children",
        values.number,
    ),
    _form(
        r"i<have><adv> (?P<v>(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten)) (?:siblings)$",
        "number_of_siblings",
        values.number,
    ),
    _form(r"there are (?P<v>\S+)(?: people| of us)? in (?:my|our) (?:family|household)$", "family_size", values.number),
    _form(
        r"(?:i|we) keep (?P<v>(?:(?:\d+|a few|some|two|three|four|five|six|seven|eight|nine|ten) )?(?:bees"
        r"|hens|chickens|ducks|goats|sheep|pigs|cows|geese|rabbits|pigeons|alpacas|llamas|horses|ponies"
        r"|donkeys|birds|fish|quails|turkeys|snakes|lizards|ferrets|rats|mice))$",
        "animals",
        values.listed,
    ),
    _form(r"i(?:'m| am) (?:dating|seeing|in a relationship with|together with)", "partner", values.own_name),
    _form(
        r"i<have> (?P<v>(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten)) sisters?$",
        "number_of_sisters",
        values.number,
    ),
    _form(
        r"i<have> (?P<v>(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten)) brothers?$",
        "number_of_brothers",
        values.number,
    ),
    _form(
        r"(?:i|we)<have> (?P<v>(?:\d+|two|three|four|five|six|seven|eight|nine|ten)) cats$",
        "number_of_cats",
        values.number,
    ),
    _form(
        r"(?:i|we)<have> (?P<v>(?:\d+|two|three|four|five|six|seven|eight|nine|ten)) dogs$",
        "number_of_dogs",
        values.number,
    ),
    # Languages
    _form(r"i(?:'m| am) (?:a )?native (?:speaker of|in)", "native_language", values.languages),
    _form(r"i(?:'m| am) a native (?P<v>[A-Z]\w+) speaker$", "native_language", values.languages),
    _form(r"i (?:grew up|was raised) speaking", "native_language", values.languages),
    _form(r"(?:at home (?:i|we) speak|(?:i|we) speak (?P<v>\S.*?) at home$)", "home_language", values.languages),
    _form(r"at home (?:i|we) speak", "home_language", values.languages),
    _form(r"i(?:'m| am) fluent in", "language", values.languages),
    _form(r"i<adv>(?: can)? speak", "language", values.languages),
    _form(
        r"i(?:'m| am|'ve been| have been)<adv> learning(?: to speak)? (?P<v>[A-Z]\S*.*)$",
        "learning_language",
        values.languages,
    ),
    # Health, food
    _form(r"i(?:'m| am)<adv>(?: (?:very|highly|severely|mildly|quite|badly))? allergic to", "allergy", values.listed),
    _form(r"i(?: have|'ve got| have got|'ve| suffer from) an? (?:\w+ )?allergy to", "allergy", values.listed),
    _form(r"i(?: have|'ve got| have got|'ve) an? (?P<v>[\w ]{3,25}) allergy$", "allergy", values.listed),
    _form(
        r"i(?:'m| am)<adv>(?: a| an)?(?: (?:strict|lifelong))? (?P<v>vegan|vegetarian|pescatarian"
        r"|pescetarian|flexitarian|lactose[- ]intolerant|gluten[- ]free|coeliac|celiac)$",
        "diet",
        values.adjective,
    ),
    _form(r"i (?:don't|do not|never|can't|cannot) eat(?: any)?", "does_not_eat", values.listed),
    _form(
        r"i<adv> (?:don't|do not|can't|cannot)(?: really| much)? (?:abide|tolerate|care (?:much )?for)",
        "dislikes",
        values.thing,
    ),
    _form(
        (
            r"i(?:'m| am) not (?:(?:very|too|so|really|much of|exactly) )?(?:keen on|fond of|into|a (?:big "
            r"|great |huge )?fan of)"
        ),
        "dislikes",
        values.thing,
    ),
    _form(
        (
            r"(?:the )?(?:one )?(?:thing|food) i (?:can't stand|can't abide|hate|never eat|dislike)(?: most"
            r"| the most)?(?: is|'s)"
        ),
        "dislikes",
        values.thing,
    ),
    _form(
        r"i(?:<adv>) (?:hate|detest|loathe|despise|can't stand|cannot stand|can't bear|dislike|don't like"
        r"|do not like|don't enjoy)",
        "dislikes",
        values.thing,
    ),
    _form(r"i<adv> (?:love|adore)", "likes", values.thing),
    _form(
        r"i(?:<adv>) (?:prefer|like) (?P<v>\S.{0,40}?) (?:over|to|more than|better than|rather than) \S.{0,40}$",
        "preference",
        values.thing,
    ),
    _form(
        r"i(?:'d| would) rather (?:have|drink|eat|take|travel by|go by) (?P<v>\S.{0,40}?) than \S.{0,40}$",
        "preference",
        values.thing,
    ),
    _form(r"i<adv> (?:have|eat|take|get) (?P<v>\S.{0,50}?) for breakfast$", "breakfast", values.listed),
    _form(r"i<adv> (?:have|eat|take|get) (?P<v>\S.{0,50}?) for lunch$", "lunch", values.listed),
    _form(r"i<adv> (?:have|eat|take|get) (?P<v>\S.{0,50}?) for (?:dinner|supper)$", "dinner", values.listed),
    _form(r"for breakfast,? i<adv> (?:have|eat|take|get)", "breakfast", values.listed),
    _form(r"for lunch,? i<adv> (?:have|eat|take|get)", "lunch", values.listed),
    _form(r"for (?:dinner|supper),? i<adv> (?:have|eat|take|get)", "dinner", values.listed),
    _form(r"i<adv> (?:take|drink|have|like) my coffee", "coffee_order", values.adjective),
    _form(
        r"i<adv> (?:take|drink|have|like) my tea (?P<v>(?:with|without|black|milky|strong|weak|green|sweet|iced).*)$",
        "tea_order",
        values.text,
    ),
    _form(r"i like (?P<v>\S.{0,30}?) on my pizzas?$", "pizza_topping", values.listed),
    # Things
    _form(
        r"i<adv> drive(?: around in)? (?:an?|the|my) (?P<v>(?!.*\b(?:to|kids|home|back|them|children)\b)\S.*)$",
        "car",
        values.thing,
    ),
    _form(r"i<adv> ride (?:an?|the) (?P<v>\S.{0,40}?)(?: (?:bike|bicycle))?$", "bike", values.thing),
    _form(r"i<have> (?:an?|the) (?P<v>[A-Z]\S.{0,30}?) (?:bike|bicycle)$", "bike", values.thing),
    _form(r"i<have> (?:an?|the) (?P<v>[A-Z]\S.{0,30}?) (?:car)$", "car", values.thing),
    _form(
        r"i<adv> (?:use|have|own) an? (?P<v>(?:ThinkPad|MacBook|Chromebook|Framework|XPS|Surface|Dell"
        r"|Lenovo)[\w ]{0,20}?)(?: laptop)?$",
        "laptop",
        values.thing,
    ),
    _form(r"i<adv> (?:use|have|own) an? (?P<v>[A-Z][\w ]{1,25}?) (?:laptop|notebook)$", "laptop", values.thing),
    _form(
        r"i<adv> (?:use|have|own) an? (?P<v>(?:iPhone|Fairphone|Pixel|Galaxy|OnePlus|Xiaomi"
        r"|Nokia)[\w ]{0,20}?)(?: phone)?$",
        "phone_model",
        values.thing,
    ),
    _form(r"i<adv> (?:use|have|own) an? (?P<v>[A-Z][\w ]{1,25}?) (?:phone|smartphone)$", "phone_model", values.thing),
    _form(
        r"(?:i|we)(?:'ve| have)?<adv> parked(?: the car| my car)?(?: (?:on|in|at|near|by))?",
        "parking_spot",
        values.text,
    ),
    _form(
        rf"(?:i|we)(?: have| own|'ve got| have got| got| bought|'ve bought| drive|'ve just bought"
        rf"| just bought) (?:an?|the) (?P<v>(?:\w+ )?(?:{_CARS})\b[\w .-]{{0,25}})$",
        "car",
        values.thing,
    ),
    # Leisure
    _form(r"i<adv> (?:like|enjoy|love)(?: to go)? (?P<v>[a-z]{3,}ing(?: \S+){0,3})$", "hobby", values.activity),
    _form(r"i<adv> spend my (?:weekends|evenings|free time|spare time|sundays|saturdays)", "hobby", values.activity),
    _form(r"i<adv> (?:collect)", "collection", values.listed),
    _form(
        r"i<adv> play (?P<v>(?:the )?(?:piano|violin|viola|cello|bass|guitar|flute|oboe|clarinet|bassoon"
        r"|saxophone|sax|trumpet|trombone|tuba|horn|french horn|drums|harp|organ|accordion|banjo|ukulele"
        r"|mandolin|harmonica|recorder|keyboard|double bass|bagpipes|percussion|lute|sitar|xylophone"
        r"|marimba|fiddle|electric guitar|bass guitar|acoustic guitar))\b.*$",
        "instrument",
        values.instrument,
    ),
    _form(
        r"i<adv> play (?:football|soccer|rugby|basketball|handball|hockey|volleyball|cricket|baseball"
        r"|tennis|darts|water polo|netball) for (?P<v>[A-Z]\S.*)$",
        "team",
        values.name,
    ),
    _form(
        r"i<adv> play (?P<v>(?:chess|football|soccer|rugby|basketball|handball|hockey|volleyball|cricket"
        r"|baseball|tennis|table tennis|badminton|squash|golf|darts|poker|bridge|go|cards|padel|netball"
        r"|snooker|pool|video games|board games))\b.*$",
        "hobby",
        values.adjective,
    ),
    _form(r"i<adv> support", "team", values.name),
    _form(r"i(?:'m| am) an? (?:big |huge |massive |lifelong |keen )?(?:fan|supporter) of", "team", values.name),
    _form(r"i(?:'m| am) an? (?P<v>[A-Z][\w' ]{2,30}) (?:fan|supporter)$", "team", values.name),
    _form(r"i(?:'m| am) a member of", "club", values.name),
    _form(r"i belong to (?P<v>the [A-Z]\S.*)$", "club", values.name),
    _form(r"i(?:'m| am)<adv>(?: really| very)?(?: much)? into", "hobby", values.thing),
    _form(r"i(?:'ve| have)?(?: just| recently)? (?:taken|took) up", "hobby", values.thing),
    _form(r"i(?:'m| am) an? (?:keen|avid|passionate|amateur|hobby|enthusiastic|recreational)", "hobby", values.thing),
    _form(r"in my (?:spare|free) time,? i<adv>(?: like to| like| enjoy| love to)?", "hobby", values.listed),
    _form(
        r"i<adv>(?: like to| love to| enjoy to)? (?P<v>\S.{2,40}?) in my (?:spare|free) time$", "hobby", values.listed
    ),
    _form(
        r"i (?P<v>knit|crochet|sew|paint|draw|juggle|garden|sculpt|whittle|quilt|embroider|birdwatch|bake"
        r"|surf|ski|climb|sail|row|fence|skate|fish|hike)$",
        "hobby",
        values.adjective,
    ),
    _form(
        r"i sing (?P<v>soprano|mezzo(?:-soprano)?|alto|contralto|countertenor|tenor|baritone|bass)\b.*$",
        "voice",
        values.adjective,
    ),
    _form(r"i(?:'m| am) (?:currently )?reading (?P<v>[A-Z]\S.*)$", "current_book", values.text),
    # Body, sizes
    _form(
        (
            r"i(?:'m| am) (?P<v>(?:[45-7]|four|five|six|seven)[ -]?(?:foot|feet|ft|')[ -]?(?:\d{1,2}|one|two"
            r"|three|four|five|six|seven|eight|nine|ten|eleven)?)(?: tall)?$"
        ),
        "height",
        values.number,
    ),
    _form(r"i weigh(?: about| around)?", "weight", values.number),
    _form(
        r"i<adv> (?:wear|take) (?:an? )?(?:size )?(?P<v>xxs|xs|small|medium|large|xl|xxl|extra large|s|m"
        r"|l)(?: in clothes| in shirts)?$",
        "clothing_size",
        values.size,
    ),
    _form(
        r"i(?:<adv>)(?: wear|'m| am| take| need)(?: a)?(?: shoe)? size (?P<v>\S+)(?: in)?(?: (?:shoes?|feet))$",
        "shoe_size",
        values.size,
    ),
    _form(
        r"i<adv> (?:take|wear|need) (?:an? )?(?:size )?(?P<v>\S+(?: large| small)?) in shoes$", "shoe_size", values.size
    ),
    _form(
        r"i<adv> (?:take|wear|need) (?:an? )?(?:size )?(?P<v>\S+(?: large| small)?) in t-?shirts$",
        "t_shirt_size",
        values.size,
    ),
    _form(
        r"i<adv> (?:take|wear|need) (?:an? )?(?:size )?(?P<v>\S+(?: large| small)?) (?:t-?shirts?)$",
        "t_shirt_size",
        values.size,
    ),
    _form(
        r"i(?:'m| am) (?P<v>\d[\d.,]* ?(?:m|cm|metres?|meters?|ft|feet|foot)?(?: ?\d+ ?(?:cm|inches|in)?)?) tall$",
        "height",
        values.number,
    ),
    _form(r"i(?:<have>) (?P<v>[a-z-]+(?:[- ][a-z]+)?) eyes$", "eye_color", values.color),
    _form(
        r"i(?:<have>) (?P<v>(?:long |short |very |dark |light )?(?:curly|straight|wavy|frizzy|short|long"
        r"|thick|thin|fine)) hair$",
        "hair",
        values.adjective,
    ),
    _form(
        r"i(?:<have>) (?P<v>(?:long |short |dark |light |curly |straight )?(?:black|brown|blonde?|red"
        r"|ginger|auburn|gr[ae]y|white|chestnut|dark|fair|silver)) hair$",
        "hair_color",
        values.adjective,
    ),
    _form(r"i(?:'m| am) (?P<v>(?:left|right)[- ]handed|ambidextrous)$", "handedness", values.adjective),
    _form(r"i wear (?P<v>glasses|contact lenses|contacts)$", "glasses", values.adjective),
    _form(
        r"i(?:'m| am)(?: now)? (?P<v>\d{1,3}|[a-z]+(?:-[a-z]+)?)(?: years?(?: old| of age)?| yrs old)$",
        "age",
        values.age,
    ),
    _form(r"i(?:'m| am)(?: now)? (?P<v>\d{1,3})$", "age", values.age),
    _form(
        r"i(?:'ve)?(?: just)? (?:turned|became) (?P<v>\S+)(?: (?:yesterday|today|last|this|on|in|recently).*)?$",
        "age",
        values.age,
    ),
    _form(
        r"i(?:'m| am) an? (?P<v>aries|taurus|gemini|cancer|leo|virgo|libra|scorpio|sagittarius|capricorn"
        r"|aquarius|pisces)$",
        "star_sign",
        values.adjective,
    ),
    # Habits
    _form(
        r"i<adv> (?:take|catch|use) the (?P<v>bus|train|tram|metro|tube|underground|subway|ferry|bike|car) to work$",
        "commute",
        values.adjective,
    ),
    _form(r"i<adv> (?:go|get|travel|commute) to work (?P<v>on foot|by \w+|on my bike)$", "commute", values.adjective),
    _form(r"i<adv> (?:get|wake) up at", "wake_up_time", values.clock),
    _form(r"i<adv> (?:go to bed|go to sleep) at", "bedtime", values.clock),
    _form(
        r"i<adv> (?P<v>cycle|walk|drive|bike|run|commute by \w+) to work(?: every day| each day)?$",
        "commute",
        values.adjective,
    ),
    _form(
        r"i<adv> (?:go|get|travel|commute)(?: to work)? (?P<v>by (?:tram|bus|train|car|bike|bicycle|metro"
        r"|tube|underground|subway|ferry|motorbike|scooter|boat|taxi)|on foot)(?: to work)?$",
        "commute",
        values.adjective,
    ),
    _form(
        r"(?:i|we)(?:'m| am|'re| are)<adv> (?:going|off|flying|travelling|traveling) to (?P<v>\S.*?) (?:on"
        r"|for) (?:our |my |a )?(?:holidays?|vacation)\b.*$",
        "holiday_destination",
        values.place,
    ),
    _form(
        r"(?:i|we)<adv> spend (?:our|my|the) (?:holidays?|vacations?|summers?) in", "holiday_destination", values.place
    ),
)

_PETS = "|".join(
    sorted((pet.replace("_", " ") for pet in attributes.PETS | set(attributes.BREEDS)), key=len, reverse=True)
)
_HAS_NAMED = rule(
    r"(?:i|we)(?: have|'ve got| have got|'ve| own| got| adopted| bought| keep|'ve just adopted"
    r"|'ve adopted|'ve just got|'ve recently adopted"
    r"| just adopted| just got| recently adopted| also have| do have| belong to"
    r"|'ve just bought) (?:an?|the) (?P<noun>[a-z][a-z' -]{1,40}?)"
    r"(?:,)? (?:called|named|by the name of|whose name is|who is called|who's called|which is called"
    r"|that is called|and (?:his|her|its) name is|(?:his|her|its) name is|(?:he|she|it) is called"
    r"|(?:he|she|it)'s called) (?P<v>\S.*)$"
)
_HAS_SEVERAL = rule(
    r"(?:i|we)(?: have|'ve got| have got|'ve| own| got| keep| also have) (?:two|three|four|five|six"
    r"|\d) (?P<noun>[a-z][a-z -]{1,30}?s)(?:,|:| called| named| - | –)+ ?(?P<v>\S.*)$"
)
_NAMED_MY = rule(
    r"(?:i|we)(?:'ve| have)? (?:named|call|called|christened|nicknamed) (?:my"
    r"|our) (?P<noun>[a-z][a-z -]{1,30}?) (?P<v>[A-Z]\S*(?: [A-Z]\S*){0,2})$"
)
_MY_PET_DOES = rule(
    r"(?:my|our) (?P<noun>" + _PETS + r"),? (?P<v>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?),? (?P<verb>[a-z]+(?:s|ed|'s)?)\b.*$"
)
_GOES_BY = rule(r"(?:my|our) (?P<noun>[a-z][a-z' -]{1,40}?) (?:goes by|answers to)(?: the name(?: of)?)? (?P<v>\S.*)$")
_IS_NAME_OF = rule(r"(?P<v>\S+(?: \S+)?) is the name of (?:my|our) (?P<noun>[a-z][a-z -]{1,30})$")
_NAME_OF_IS = rule(r"the name of (?:my|our) (?P<noun>[a-z][a-z -]{1,30}?) is (?P<v>\S.*)$")
_CHANGED_TO = rule(
    r"(?:my|our) (?P<phrase>[a-z][\w' -]{1,60}?) (?:has |have )?(?:just |recently |now )?(?:changed"
    r"|switched) to (?P<v>\S.*)$"
)
_IS_MY = rule(
    r"(?P<v>\S.{0,80}?)(?:,? (?:that|it)'s|,? that is| is| has to be| must be| would be| are"
    r"|'s| =)(?: (?:definitely|certainly|clearly|still|now|absolutely|easily|probably))? (?P<whose>my"
    r"|our) (?P<phrase>[a-z][\w' -]{1,60})$"
)
_LIKE_BEST = rule(
    r"(?P<v>\S.{0,60}?) (?:is|are) the (?P<noun>[a-z][a-z -]{1,30}?) (?:that )?i (?:like|love|prefer"
    r"|enjoy) (?:the )?(?:best|most)$"
)
_THE_LIKE_BEST = rule(
    r"(?:the|what) (?P<noun>[a-z][a-z -]{0,30}?) (?:that |which )?i (?:like|love|prefer"
    r"|enjoy) (?:the )?(?:best|most)(?: of all)? (?:is|are) (?P<v>\S.*)$"
)
_OF_ALL = rule(
    r"(?:out )?of all (?:the )?(?P<noun>[a-z][a-z -]{1,30}?),? i (?:like|love|prefer"
    r"|enjoy) (?P<v>\S.{0,60}?) (?:the )?(?:best|most)$"
)
_MORE_THAN_ANY = rule(
    r"i (?:like|love|enjoy|prefer) (?P<v>\S.{0,60}?) (?:more than|better than"
    r"|over) any other (?P<noun>[a-z][a-z -]{1,30})$"
)
_DAY_OF = rule(
    r"i<adv> (?:go|do|have|practise|practice) (?:to (?:the )?)?(?P<noun>[a-z][a-z -]{2,30}?) (?:on"
    r"|every) (?P<v>\S+)$".replace("<adv>", _ADV)
)
_KEEP_IN = rule(
    r"(?:i|we) (?:keep|store|put|left|hid|leave) (?:my|our"
    r"|the) (?P<noun>[a-z][a-z' -]{1,40}?) (?P<v>(?:in|on|under|behind|at|by|inside|next to|near|above"
    r"|below|beside) \S.*)$"
)
_MY_LIES = rule(
    r"(?:my|our) (?P<noun>[a-z][a-z' -]{1,40}?) (?:hangs?|lies?|stands?|sits?|lives?) (?P<v>(?:in|on"
    r"|under|behind|at|by|inside|next to|near|above|below|beside) \S.*)$"
)
_SET_TO = rule(
    r"(?:(?:please|can you|could you) )*(?:set|change|update|make|switch|edit|put|save|store|record"
    r"|remember|note|register|add|enter|log|list|keep|jot down|write down) (?P<whose>my|our) (?P<phrase>[a-z][\w' "
    r"-]{1,60}?)(?: down)?(?: from \S.{0,40}?(?= to ))?(?: to be| to| as"
    r"| into|,? it's|,? it is|:| =) (?P<v>\S.*)$"
)
_SAVE_AS = rule(
    r"(?:save|store|record|remember|set|use|put down|note(?: down)?|write down|keep|register|enter"
    r"|take) (?P<v>\S.{0,120}?) (?:as|for|under) (?P<whose>my|our) (?P<phrase>[a-z][\w' -]{1,60})$"
)
_WANT_TO_BE = rule(
    r"i(?: want| would like|'d like|'d want) (?P<whose>my|our) (?P<phrase>[a-z][\w' -]{1,60}?) to be (?P<v>\S.*)$"
)
_MY = rule(r"(?:my|our) (?=[^\W\d_])")
_IS = rule(r" (?P<be>is|are|was) (?=\S)|(?P<short>'s|'re) (?=\S)|(?<!\d)\s*(?P<sign>:(?=\s)|=) ?(?=\S)")
_PHRASE = re.compile(r"[^\W\d_][\w'’&+#/ -]{0,80}")
_MOST_VERBS = 4  # in one clause
_BARE = rule(
    r"(?P<phrase>(?:favou?rite|fave|fav) [a-z][\w' -]{1,40}|[a-z][\w' -]{0,20} size|name|nickname|job"
    r"|city|birthday|hobby)(?P<be>:| =| -) ?(?P<v>\S.*)$"
)
_AS_FOR = rule(
    r"(?:as for|regarding|concerning|about|speaking of|when it comes to) my [a-z][\w' -]{1,40}?[,:] (?P<rest>\S.*)$"
)
_YOU_ASKED = rule(
    r"(?:you (?:asked|wanted to know|keep asking|were asking|want to know)(?: me)?(?: for"
    r"| about)?) (?P<asked>\S.{0,60}?)(?:[:,;.]| -) (?:it's|it is|that's|that is|they're) (?P<v>\S.*)$"
)
_CALLED = rule(r"(?:(?:simply|just|officially|also|still) )?(?:called|named|known as|christened)\s+(?P<v>\S.*)$")
_TYPO = re.compile(
    (
        r"\b(?!favou?rite\b)(?:favou?rt?ie?te?|favorit|favourit|favorate|favourate|favrite|favroite|favourtie"
        r"|favortie)\b"
    ),
    re.IGNORECASE,
)
_WROK = re.compile(r"\b(wrok|owrk)\b", re.IGNORECASE)
_LIEV = re.compile(r"\bi (?:liev|livr|lve) in\b", re.IGNORECASE)

_NOT_MINE = frozenset(
    words_in(
        "question point problem goodness god gosh bad fault turn idea guess plan opinion heart head mind "
        "back life day days week time thing things advice answer apologies mistake word words dear turn "
        "pleasure friend's other impression view feeling thought thoughts understanding intention goal aim "
        "impression concern worry issue suggestion request order hope wish dream world eyesight stomach "
        "throat leg arm knee foot tooth neck fever mood lord flight train bus computer's internet connection "
        "battery meeting homework boyfriend's report essay code program script function browser screen"
    )
)
_NEVER_MINE = frozenset(
    words_in(
        "impression question point problem opinion feeling feelings thought thoughts guess idea view "
        "goodness fault concern worry intention alarm thermostat timer volume reminder password pin "
        "appointment"
    )
)
_LEADING = frozenset(words_in("all-time absolute very own actual real usual new latest present go-to"))
_PHRASE_WORD = re.compile(r"[\w'’&+#/-]+")
_NO_PHRASE = frozenset(
    words_in(
        "and are as because but did does he how i if is it its me my or said say says she than that they "
        "think thinks told was we were what when where which who whom whose why will would you your not "
        "isn't aren't has have had can could should might must shall been be least next"
    )
)
_OLD = frozenset(["old", "former", "previous", "ex-", "last", "first"])


def told_in(clause: str, cased: bool) -> Told | None:
    """What one clause tells about its speaker, or None."""
    clause = _WROK.sub("work", _TYPO.sub("favourite", _LIEV.sub("I live in", clause)))
    if found := _AS_FOR.match(clause):
        clause = found["rest"]
    told = _plainly(clause, cased)
    if told is not None:
        return told
    for way in (clause, _without_time(clause), turning.without_frame(clause), _before_comma(clause)):
        if way is None:
            continue
        told = _plainly(way, cased) if way is not clause else None
        if told is not None:
            return told
        for plain in turning.turned(way):
            told = _plainly(plain, cased) or _plainly(_without_time(plain) or "", cased)
            if told is not None:
                return told
    return _of_being(clause, cased)


def _before_comma(clause: str) -> str | None:
    """The clause without what is added after a comma: "I take two sugars, always have"."""
    head, comma, rest = clause.partition(", ")
    return head if comma and len(head.split()) > 2 and not rest[:1].isupper() and not rest[:1].isdigit() else None


def _of_being(clause: str, cased: bool) -> Told | None:
    for way in (clause, _without_time(clause)):
        if way is not None and (of := beings.read(way, cased)) is not None:
            return Told(of.about, of.value)
    named = beings.apposed_name(clause) if cased else None
    return None if named is None else Told(name_of(named[0]), named[1])


def also_name(clause: str, cased: bool) -> Told | None:
    """The name in "my sister Maud lives in Torquay"."""
    named = beings.apposed_name(clause) if cased else None
    return None if named is None else Told(name_of(named[0]), named[1])


def _plainly(clause: str, cased: bool) -> Told | None:
    for read in (_ordered, _named, _liked, _placed, _formed, _mine, _is_my):
        told = read(clause, cased)
        if told is not None:
            return told
    return None


_WOULD_BE = rule(
    r"\b(?P<m>my (?:[a-z]+ ){0,2}(?:favou?rite|usual|ideal)(?: [a-z]+){0,3}) (?:would have to be|would "
    r"be|has to be|has got to be|'d have to be|must be)(?= \S)"
)


def would_be(body: str) -> str:
    """ "My favourite would be elm" says that it is."""
    return _WOULD_BE.sub(lambda found: f"{found['m']} is", body)


_TIME = rule(
    r",?(?: (?:since|ever since) (?:\d{4}|(?:the )?\w+(?: \w+)?)| for (?:(?:over|about|almost|nearly"
    r"|the last|the past|more than)"
    r" )?[\w-]+(?: \w+)? (?:years?|months?|weeks?|ages|decades?)(?: now)?| for (?:years|ages)(?: now)?"
    r"| back in \d{4}| in \d{4}"
    r"| every (?:day|morning|evening|week|weekend|year|single day)| (?:on|at) (?:weekends|the weekend)| all my life"
    r"| (?:yesterday|today|this (?:week|month|year|morning)|last (?:week|month|year|summer|winter|spring|autumn))"
    r"| most days| most of the time| (?:these|those) days| on my phone| with my \w+| with (?:two|three"
    r"|four|some|a few) \w+"
    r"| after i retired| now)+$"
)


def _without_time(clause: str) -> str | None:
    """A clause without how long or since when it is so; None where it says neither."""
    bare = without_tail(clause)
    found = _TIME.search(bare, max(0, len(bare) - 80))
    return bare[: found.start()].rstrip(" ,") if found and found.start() > 0 else None


def _formed(clause: str, cased: bool) -> Told | None:
    bare = without_tail(clause)
    for form in FORMS:
        found = form.pattern.match(bare)
        if found is None:
            continue
        said = found.groupdict().get("v")
        value = form.kind(said, cased) if said else None
        if value is None:
            continue
        if form.attribute == "city":
            return _residence(value)
        return Told(wanted(form.attribute, form.phrase), value)
    done = verbs.read(bare, cased)
    if done is not None:
        return _residence(done.value) if done.attribute == "city" else Told(wanted(done.attribute), done.value)
    return _i_am(bare, cased)


def _residence(value: str) -> Told:
    if normalise(value.removeprefix("the ")) in COUNTRIES:
        return Told(wanted("country"), value)
    return Told(wanted("city"), value)


_NOUN_AT = rule(r"an? (?P<v>[a-z][a-z-]+(?: [a-z][a-z-]+){0,2}) (?:at|for|with) (?:the )?(?=[A-Z])")
_I_AM = rule(
    r"(?:by (?:trade|profession),? )?(?:i'm|i am|i've become|i became|i've been|i have been|i(?:'ve"
    r"| have)(?: just)? been promoted to|i got promoted to|i(?:'m| am) (?:now|currently"
    r"|actually|still)|i work as)(?: (?:now|currently|actually|still))? (?P<v>\S.*)$"
)


def _i_am(clause: str, cased: bool) -> Told | None:
    found = _I_AM.match(clause)
    if found is None:
        return None
    said = found["v"]
    if re.match(r"(?:an?|the)\s", said, re.IGNORECASE):
        job = values.own_job(said, cased)
        if job is None and (at := _NOUN_AT.match(said)) and values.is_post(at["v"]):
            job = at["v"]
        return None if job is None else Told(wanted("job"), job)
    if said[:1].isupper() and said.isalpha() and values.is_nationality(said, COUNTRIES):
        return Told(wanted("nationality"), said)
    name = values.own_name(re.split(r"\s+from\s+(?=[A-Z])|,\s", said, maxsplit=1)[0], cased)
    return None if name is None else Told(wanted("name"), name)


def also_employer(clause: str, cased: bool) -> Told | None:
    """The second half of "I'm an archivist at the Maritime Museum"."""
    found = _JOB_AT.match(without_tail(clause))
    job = None if found is None else found["job"].split(" ", 1)[1]
    if found is None or not (values.own_job(found["job"], cased) or found["as"] or values.is_post(job or "")):
        return None
    value = values.company(found["v"], cased)
    return None if value is None else Told(wanted("employer"), value)


_JOB_AT = rule(
    r"(?:i'm|i am|i work|i'm working|i am working)(?: now"
    r"| currently)? (?P<as>as )?(?P<job>(?:an?|the) [a-z][\w' -]{2,40}?) (?:at|for"
    r"|with) (?P<v>(?:the )?[A-Z]\S.*)$"
)


def ordered(clause: str, cased: bool) -> Told | None:
    """What an order tells to keep: "set my city to Porto", "save Rex as my dog's name"."""
    return _ordered(clause, cased)


def _ordered(clause: str, cased: bool) -> Told | None:
    for pattern in (_SET_TO, _SAVE_AS, _WANT_TO_BE, _CHANGED_TO):
        if found := pattern.match(without_tail(clause)):
            told = _of_phrase(found["phrase"], found["v"], False, cased, is_order=True)
            if told is not None:
                return told
    return None


def _named(clause: str, cased: bool) -> Told | None:
    bare = without_tail(clause)
    if found := _IS_NAME_OF.match(bare) or _NAME_OF_IS.match(bare):
        noun, value = _plain_noun(found["noun"]), values.said_name(found["v"], cased)
        return None if noun is None or value is None else Told(name_of(noun), value)
    for pattern in (_HAS_NAMED, _NAMED_MY, _GOES_BY):
        if found := pattern.match(bare):
            noun = _plain_noun(found["noun"])
            value = values.said_name(found["v"], cased)
            if noun is None or value is None or (pattern is _HAS_NAMED and not _can_have(noun)):
                return None
            return Told(name_of(noun), value)
    if found := _HAS_SEVERAL.match(bare):
        value = values.names(found["v"], cased)
        noun = found["noun"].lower().replace(" ", "_")
        if value is not None and attributes.is_being(noun):
            slug = normalise(noun)
            singular = slug.removesuffix("s")
            about = Wanted(slug, f"{found['noun'].lower()}", (slug, f"{singular}_names", f"{singular}_name", singular))
            return Told(about, value, plural=True)
    if (found := _MY_PET_DOES.match(bare)) and found["verb"] not in (
        "is",
        "was",
        "are",
        "called",
        "named",
        "and",
        "or",
        "'s",
    ):
        return Told(name_of(_plain_noun(found["noun"]) or "pet"), found["v"])
    return None


def _can_have(noun: str) -> bool:
    return attributes.is_being(noun) or normalise(noun) in attributes.NAMED_THINGS or normalise(noun) in _OWNED


_OWNED = frozenset(
    words_in(
        "guitar boat car bike plant cactus monstera violin piano house cabin blog shop bakery farm band "
        "company podcast website startup robot drone yacht caravan van motorbike book_club choir teddy_bear "
        "teddy doll sourdough_starter tree"
    )
)


def _plain_noun(noun: str) -> str | None:
    """A noun without what only describes it: "small brown greyhound" is a dog."""
    words = noun.lower().split()
    tells_apart = _TELLS_APART if attributes.is_being(words[-1]) and not attributes.is_animal(words[-1]) else ()
    words = [word for word in words if word not in _DESCRIBES or word in tells_apart]
    if not words or len(words) > 4 or any(word in _NO_PHRASE for word in words):
        return None
    slug = "_".join(words)
    for name in (slug, words[-1]):
        if name in attributes.BREEDS:
            return attributes.BREEDS[name]
    return slug


_TELLS_APART = frozenset(words_in("big little old new young"))  # one brother or boss from another
_DESCRIBES = frozenset(
    words_in(
        "small big large tiny little old young new black white brown grey gray ginger red yellow spotted "
        "fluffy lovely cute beautiful wonderful two three four gorgeous sweet dear beloved male female "
        "rescued rescue crazy "
        "lazy fat very two-year-old three-legged great handsome whole wee"
    )
)


def _liked(clause: str, cased: bool) -> Told | None:
    bare = without_tail(clause)
    for pattern in (_LIKE_BEST, _THE_LIKE_BEST, _OF_ALL, _MORE_THAN_ANY):
        if found := pattern.match(bare):
            value = values.text(found["v"], cased)
            noun = found["noun"].strip().lower()
            if value is None or noun in ("thing", "person", "one", "place"):
                return None
            noun = noun.removesuffix("s") if pattern is _OF_ALL and not noun.endswith("ss") else noun
            return Told(wanted(f"favorite_{normalise(noun)}", f"favorite {noun}"), value)
    return None


def _placed(clause: str, cased: bool) -> Told | None:
    bare = without_tail(clause)
    if found := _DAY_OF.match(bare):
        value = values.day(found["v"], cased)
        if value is not None:
            noun = normalise(found["noun"])
            about = Wanted(f"{noun}_day", f"{found['noun'].lower()} day", (f"{noun}_day", f"{noun}_days", noun))
            return Told(about, value)
    for pattern in (_KEEP_IN, _MY_LIES):
        if found := pattern.match(bare):
            noun = normalise(found["noun"])
            words = found["noun"].lower().split()
            if any(attributes.is_being(word) for word in words):
                return None
            if not noun or attributes.is_being(noun) or noun in _NOT_MINE or any(word in _NO_PHRASE for word in words):
                return None
            value = values.text(found["v"], cased)
            if value is None:
                return None
            said = found["noun"].lower()
            return Told(Wanted(f"{noun}_location", said, (f"{noun}_location", f"{noun}_place", noun)), value)
    return None


def _mine(clause: str, cased: bool) -> Told | None:
    if (found := _BARE.match(clause)) and _MY.match(clause) is None:
        return _of_phrase(found["phrase"], found["v"], False, cased)
    start = _MY.match(clause)
    if start is None:
        return None
    rest = clause[start.end() :]
    for at, found in enumerate(_IS.finditer(rest[:400])):
        if at == _MOST_VERBS:
            break
        phrase, said = rest[: found.start()], rest[found.end() :]
        if not _PHRASE.fullmatch(phrase):
            return None
        verb = (found["be"] or found["short"] or "is").lower()
        if found["short"] and not _stands_for_is(phrase, said):
            continue
        if (
            verb == "was"
            and not phrase.lower().startswith(("first ", "maiden ", "fav", "late "))
            and not _CALLED.match(said)
        ):
            return None
        return _of_phrase(phrase, said, verb in ("are", "'re"), cased)
    return None


def _stands_for_is(phrase: str, said: str) -> bool:
    """Whether "'s" is the verb: "my cat's called", "my name's Ann", not "my cat's toy is"."""
    if _CALLED.match(said):
        return True
    if re.search(r"\s(?:is|are|was)\s", f" {said}"):
        return False
    if re.fullmatch(r"(?:an? )?[A-Z][\w-]*(?: [A-Z][\w-]*)?", said) and phrase[:1].islower():
        return True  # a sentence has a verb, and this is the only one
    slug = normalise(phrase)
    return (
        attributes.family_of(slug) is not None or slug.startswith(("fav", "fave")) or slug.endswith("name")
    ) and not attributes.is_being(slug)


def _is_my(clause: str, cased: bool) -> Told | None:
    found = _IS_MY.match(without_tail(clause))
    if found is None:
        return None
    value = found["v"].strip(" ,")
    first = values.first_word(value)
    if first in _NO_SUBJECT or _has_verb(value) or not _is_known(found["phrase"]):
        return None
    return _of_phrase(found["phrase"], value, False, cased, is_turned=True)


_NO_SUBJECT = frozenset(
    words_in(
        "it this that these those he she they who what where when which there here my your his her our their "
        "life experience god nature failure pain history jesus he's she's it's that's they're i'm you're who's "
        "i you we one someone somebody how why coffee tea wine beer music time chocolate sleep food "
        "sarcasm laughter money love silence patience home not nothing no music-is never everything "
        "something anything such isn't"
    )
)


_KNOWN_ENDS = (
    "day",
    "size",
    "name",
    "number",
    "language",
    "line",
    "order",
    "spot",
    "time",
    "team",
    "color",
    "colour",
    "drink",
    "food",
    "sport",
    "office",
    "room",
    "seat",
    "usual",
    "song",
    "department",
    "airport",
    "airline",
    "station",
    "bus",
    "tram",
    "hobby",
    "gym",
    "pub",
    "bank",
    "school",
    "town",
    "village",
    "lead",
    "food",
    "dish",
    "snack",
    "tipple",
    "game",
    "instrument",
    "desk",
    "stop",
    "meal",
    "breakfast",
    "supermarket",
    "shop",
    "cafe",
    "barber",
    "sign",
    "destination",
    "subject",
    "pb",
    "best",
    "hotel",
    "tea",
    "coffee",
)


def _is_known(phrase: str) -> bool:
    """Whether a thing is one that people tell the value of in front: "Rex is my dog", not "time is my enemy"."""
    slug = normalise(phrase)
    return (
        attributes.family_of(slug) is not None
        or attributes.is_being(slug)
        or slug.startswith(("fav", "all_time_fav", "preferred"))
        or slug.endswith(_KNOWN_ENDS)
        or slug in attributes.NAMED_THINGS
        or "'s " in phrase
    )


def _has_verb(value: str) -> bool:
    return any(
        word
        in (
            "is",
            "was",
            "are",
            "were",
            "isn't",
            "aren't",
            "not",
            "never",
            "if",
            "said",
            "says",
            "think",
            "thinks",
            "would",
            "could",
            "or",
        )
        for word in value.lower().split()
    )


def _of_phrase(
    phrase: str, said: str, plural: bool, cased: bool, is_order: bool = False, is_turned: bool = False
) -> Told | None:
    """What "my <phrase> is <said>" tells."""
    phrase = " ".join(phrase.split()).strip()
    words = [word.lower() for word in _PHRASE_WORD.findall(phrase)]
    if not 0 < len(words) <= 8 or any(word in _NO_PHRASE for word in words):
        return None
    if words[-1] in ("now", "currently", "actually", "really", "also", "still", "probably", "just"):
        words, phrase = words[:-1], " ".join(phrase.split()[:-1])
    while (
        len(words) > 1
        and words[0] in _LEADING
        and words[1] not in ("at", "in", "on", "for")
        and not (words[0] == "new" and attributes.is_being(words[-1]))
    ):
        words, phrase = words[1:], phrase.split(None, 1)[1]
    if words[:2] == ["number", "one"] and len(words) > 2:
        words, phrase = ["favorite", *words[2:]], f"favorite {' '.join(words[2:])}"
    if words and words[0] == "last" and words != ["last", "name"]:
        return None
    if words in (["favourite"], ["favorite"], ["usual"], ["ride"]):
        return None
    if not words or words[0] == "other" or words[-1] in _NEVER_MINE or (len(words) == 1 and words[0] in _NOT_MINE):
        return None
    slug = attributes.slug_of(phrase)
    if not 0 < len(slug) <= MAX_COMPONENT:
        return None
    if len(words) > 1 and cased and phrase.split()[-1][:1].isupper() and attributes.is_being(words[0]):
        return None  # "my son Max is five" tells something about Max
    if slug == "phone":
        slug = "phone_model" if values.model(said, cased) and not re.search(r"\d{4}", said) else slug
    said = re.sub(
        r"^(?:now|currently|actually|really|definitely|probably|simply|still|also|of course)\s+(?=\S)",
        "",
        said.strip(),
        flags=re.IGNORECASE,
    )
    named = _WHOSE_NAME.match(phrase)
    if named is not None and not re.search(r"['’]", named["n"]):
        value = values.said_name(said, cased)
        noun = _plain_noun(named["n"])
        return None if value is None or noun is None else Told(name_of(noun), value)
    called = _CALLED.match(said)
    if called is not None and words[0].startswith("fav"):
        said, called = called["v"], None
    possessive = re.search(r"['’]s? ", phrase) is not None
    if called is not None:
        noun = _plain_noun(phrase) if not possessive else slug
        value = values.said_name(called["v"], cased) if not plural else values.names(called["v"], cased)
        if noun is None or value is None:
            return None
        noun = attributes.slug_of(noun)
        if plural and noun.endswith("s"):
            return Told(
                Wanted(noun, phrase.lower(), (noun, f"{noun[:-1]}_names", f"{noun[:-1]}_name")), value, plural=True
            )
        return Told(name_of(noun), value)
    if plural and not possessive and (noun := _plain_noun(phrase)) and noun.endswith("s") and attributes.is_being(noun):
        value = values.names(said, cased)
        if value is None or not cased or not said[:1].isupper():
            return None
        return Told(
            Wanted(noun, noun.replace("_", " "), (noun, f"{noun[:-1]}_names", f"{noun[:-1]}_name")), value, plural=True
        )
    if slug == "hair" and _is_color(values.tidy(said)):
        return Told(wanted("hair_color"), values.tidy(said))
    if not possessive and attributes.is_being(slug):
        value = values.own_name(said, cased) if not is_order else values.said_name(said, cased)
        if is_turned and value is None:
            value = values.own_name(said, True)
        return None if value is None else Told(name_of(_plain_noun(phrase) or slug), value, plural)
    if (
        not possessive
        and any(part[:1].isupper() for part in phrase.split()[1:])
        and attributes.is_being(phrase.split()[0])
        and cased
    ):
        return None  # "my cat Olive is old" tells of the cat
    about = wanted(slug, shown_phrase(phrase))
    plain_color = values.tidy(said)
    if not is_order and about.attribute in attributes.MODELS and _is_color(plain_color):
        said_color = f"{shown_phrase(phrase)}’s color"
        return Told(Wanted(f"{about.attribute}_color", said_color, (f"{about.attribute}_color",)), plain_color)
    value = _kind_of(about, words)(said, cased)
    if value is None:
        return None
    if about.attribute == "phone" and not any(c.isdigit() for c in value[:3]) and "number" not in words:
        about = wanted("phone_model")
    if about.attribute == "city" and normalise(value) in COUNTRIES and "city" not in words:
        about = wanted("country")
    return Told(about, value, plural)


_WHOSE_NAME = rule(r"(?P<n>\S.*s)['’]s? names?$")


def _is_color(value: str) -> bool:
    return all(word in values.COLORS for word in re.split(r"[\s-]+", value.lower())) and bool(value)


def shown_phrase(phrase: str) -> str:
    """The words of an attribute as they are said back: in small letters where all are large."""
    return phrase.lower() if phrase.isupper() else phrase


_KINDS: dict[str, Kind] = {
    "name": values.said_name,
    "first_name": values.said_name,
    "nickname": values.said_name,
    "surname": values.said_name,
    "middle_name": values.said_name,
    "birthday": values.date,
    "birth_year": values.number,
    "age": values.age,
    "shoe_size": values.size,
    "job": values.job,
    "anniversary": values.date,
    "number_of_children": values.number,
    "number_of_siblings": values.number,
    "city": values.place,
    "country": values.place,
    "hometown": values.place,
    "birthplace": values.place,
    "grew_up_in": values.place,
    "street": values.institution,
    "employer": values.institution,
    "school": values.institution,
    "university": values.institution,
    "team": values.institution,
    "club": values.institution,
    "car": values.model,
    "bike": values.model,
    "phone_model": values.model,
    "laptop": values.model,
    "computer": values.model,
    "height": values.number,
    "weight": values.number,
    "hobby": values.listed,
    "allergy": values.listed,
    "language": values.languages,
    "pronouns": values.pronouns,
}


def kind_of(about: Wanted) -> Kind:
    """What a value of an attribute is like."""
    words = about.attribute.split("_")
    return values.said_name if words[-1] == "name" else _kind_of(about, words)


def _kind_of(about: Wanted, words: list[str]) -> Kind:
    if about.attribute in _KINDS:
        return _KINDS[about.attribute]
    if words[-1] == "size":
        return values.size
    if words[-1] == "day" and not words[0].startswith("fav"):
        return values.day
    if words[0].startswith("fav"):
        return values.favorite
    return values.plain


COUNTRIES = frozenset(
    words_in(
        "afghanistan albania algeria andorra angola argentina armenia australia austria azerbaijan bahamas "
        "bahrain bangladesh barbados belarus belgium belize benin bhutan bolivia bosnia botswana brazil "
        "brunei bulgaria burundi cambodia cameroon canada chad chile china colombia congo costa_rica croatia "
        "cuba cyprus czechia czech_republic denmark dominica ecuador egypt el_salvador england eritrea "
        "estonia eswatini ethiopia fiji finland france gabon gambia germany ghana great_britain greece "
        "greenland grenada guatemala guinea guyana haiti honduras hungary iceland india indonesia iran iraq "
        "ireland israel italy jamaica japan jordan kazakhstan kenya kiribati kosovo kuwait kyrgyzstan laos "
        "latvia lebanon lesotho liberia libya liechtenstein lithuania madagascar malawi malaysia maldives "
        "mali malta mauritania mauritius mexico moldova mongolia montenegro morocco mozambique myanmar "
        "namibia nauru nepal netherlands holland new_zealand nicaragua niger nigeria north_korea "
        "north_macedonia northern_ireland norway oman pakistan palau palestine papua_new_guinea paraguay "
        "peru philippines poland portugal qatar romania russia rwanda samoa saudi_arabia scotland senegal "
        "serbia seychelles sierra_leone slovakia slovenia somalia south_africa south_korea south_sudan spain "
        "sri_lanka sudan suriname sweden switzerland syria taiwan tajikistan tanzania thailand togo tonga "
        "tunisia turkey turkmenistan tuvalu uganda ukraine united_arab_emirates united_kingdom uk "
        "united_states usa us uruguay uzbekistan vanuatu venezuela vietnam wales yemen zambia zimbabwe"
    )
)


def correction_of(clause: str, corrects: bool) -> str | None:
    """The value in "no, it's elm", "make that Friday", "I meant the cello": of what was spoken of last.

    A plain "it's late" corrects nothing: only what says so does.
    """
    bare = without_tail(clause)
    found = _MEANT.match(bare) or (_IT_IS.match(bare) if corrects else None)
    if found is None:
        return None
    value = values.text(re.sub(r"^size\s+", "", found["v"], flags=re.IGNORECASE), True)
    if value is None or len(value.split()) > 5 or values.first_word(value) in _NOT_CORRECTED:
        return None
    return value


_NOT_CORRECTED = frozenset(words_in("my your me a an fine that my all enough"))
_NO = (
    r"(?:(?:no|nope|sorry|oops|whoops|actually|rather|wait|hm+|ok|scratch that|strike that|my mistake"
    r"|my bad|typo|correction)[,.:]? )*"
)
_MEANT = rule(
    _NO + r"(?:i meant(?: to say)?|i mean|make (?:that|it)|change (?:that|it) to|update (?:that|it) to|it should be"
    r"|that should be|(?:it's|it is) (?:spelled|spelt|now)|it's actually)"
    r" (?P<v>\S.*)$"
)
_IT_IS = rule(_NO + r"(?:it's|it is|that's|that is|they're) (?P<v>\S.*)$")
