"""What words ask for which stored attribute of a thing: tables, and the forms in which words meet.

Pure data. An attribute is stored under any name; a question asks for it by that name, by a verb ("who founded"), by an
adjective ("how high") or by nothing at all ("where is"). A line of `FAMILIES` says which names answer such words, best
first. A line that is missing makes MACE decline; a line that is too generous makes it answer from the wrong fact.
"""

from typing import NamedTuple


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that say nothing by themselves: they may stand beside a subject and an attribute without changing what is asked.
EMPTY = words(
    "a an the of for in on at to by from with as is are was were be been being do does did has have had can could"
    " may it that they there one you i we will would shall into upon over about exactly precisely actually"
    " currently called named please just own"
)
# Verbs that carry a noun: "which symbol does it have", "what area does it cover".
LIGHT = words(
    "have need use get possess contain write express call name know cover feature include measure stand exact current"
    " come"
)
# What stands for the thing itself.
ITSELF = words(
    "mean meaning define definition concept notion term word phrase expression say state describe description"
    " explain explanation summary summarise summarize something anything bit little more info information detail"
    " idea lot all everything overview basically thing kind sort type acronym topic subject"
)
# Kinds of places and of measures that a question may name beside what it asks: "in which city was she born".
PLACE_KINDS = words(
    "city town country village place room building street museum region state ocean sea lake river hall county"
    " district part continent island area"
)
DEGREES = words("big large high low long small great much heavy deep")
# Verbs and small words that add nothing to a noun that stands right after the question word: "which river flows through
# it", "what warranty do they give".
SOFT_WORDS = words(
    "give gives given offer offers offered provide provides come comes flow flows run runs go goes found caught speak"
    " spoken held hold holds lie lies live lives sold employ employs operate operates keep keeps serve"
    " serves apply applies through under people get gets got sit sits stand"
    " stands belong belongs per carry carries"
)
# The nouns that a word of degree stands for, as they are in names of attributes.
MEASURES = {
    "big": "size area",
    "large": "size area",
    "long": "time duration length period life",
    "fast": "speed time",
    "quick": "speed time",
    "high": "height",
    "tall": "height",
    "deep": "depth",
    "wide": "width",
    "heavy": "weight",
    "far": "distance range",
    "old": "age",
    "often": "frequency interval",
    "hot": "temperature",
    "much": "cost price fee amount",
}
NEVER_DROPPED = words("not never no without except than before after other another else")
# Whose it is cannot be told from the world's facts.
PERSONAL = words("my mine your yours our ours his her hers their theirs its this these those me us him them")


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split(":") for pair in text.split())


_IRREGULAR = _pairs(
    "wrote:write written:write built:build made:make led:lead ran:run sank:sink sunk:sink sang:sing sung:sing"
    " began:begin begun:begin came:come went:go gone:go got:get had:have has:have did:do done:do died:die dies:die"
    " dying:die held:hold kept:keep known:know knew:know spoke:speak spoken:speak ate:eat eaten:eat drew:draw"
    " drawn:draw drove:drive driven:drive flew:fly flown:fly grew:grow grown:grow rose:rise risen:rise sold:sell"
    " bought:buy taught:teach took:take taken:take thought:think won:win lay:lie lying:lie lies:lie stood:stand"
    " hung:hang set:set cost:cost found:find fell:fall fallen:fall left:leave lost:lose paid:pay said:say says:say"
    " weighs:weigh lives:live uses:use people:person men:man women:woman children:child heaviest:heavy"
    " tallest:tall largest:large biggest:big deepest:deep longest:long widest:wide used:use using:use meant:mean"
    " wore:wear worn:wear caught:catch fought:fight met:meet sent:send shot:shoot stole:steal stolen:steal"
    " struck:strike swam:swim broke:break broken:break chose:choose chosen:choose gave:give given:give bore:bear"
    " wove:weave woven:weave"
)
# Nouns of a verb, so that `publication_year` answers "when was it published".
_NOMINAL = _pairs(
    "foundation:found establishment:establish construction:construct publication:publish invention:invent"
    " discovery:discover completion:complet inauguration:inaugurat birth:born death:di marriage:marri"
    " arrival:arriv departure:depart election:elect composition:compos production:produc creation:creat"
    " introduction:introduc destruction:destroi closure:clos beginning:begin inception:incept formation:form"
    " weight:weigh population:populat flight:fly"
)
_FOUNDED = words("founded founding founder founders found founds")  # of to found, not of to find


def root(word: str) -> str:
    """What the forms of one word share: opened, opening and opens; founded and foundation; sank and sink."""
    word = word.lower()
    if word in _FOUNDED and word not in ("founder", "founders", "found"):
        return "found"
    if word in _NOMINAL:
        return _NOMINAL[word]
    if word.endswith("tion") and len(word) > 6:
        return word[:-3]
    word = _IRREGULAR.get(word, word)
    if len(word) > 5:
        word = word.replace("our", "or")
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith(("ses", "xes", "ches", "shes", "zes")) and len(word) > 5:
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    for ending in ("ing", "ed"):
        stem = word[: -len(ending)]
        if word.endswith(ending) and len(stem) > 2 and any(letter in "aeiouy" for letter in stem):
            word = stem
            if len(word) > 2 and word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    if len(word) > 3 and word.endswith("tre"):
        word = word[:-2] + "er"
    if len(word) > 2 and word.endswith("e"):
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 3 and word.endswith("y") else word


def roots(text: str) -> frozenset[str]:
    return frozenset(root(word) for word in text.replace("_", " ").split())


EMPTY_ROOTS = frozenset(root(word) for word in EMPTY)
LIGHT_ROOTS = frozenset(root(word) for word in LIGHT)
SOFT_ROOTS = frozenset(root(word) for word in SOFT_WORDS)
ITSELF_ROOTS = frozenset(root(word) for word in ITSELF)
# Parts of an attribute's name that only say that it is a time, and that "when" says as well.
TIME_PARTS = roots("year date day time on in at when first")
PLACE_PARTS = roots("place location city town country in at where site")
BY_PARTS = roots("by name of")
MONTHS = words(
    "january february march april may june july august september october november december monday tuesday"
    " wednesday thursday friday saturday sunday spring summer autumn fall winter noon midnight morning evening"
    " afternoon night daily weekly monthly yearly annually century today tomorrow yesterday easter christmas"
    " weekend always day week month year weekdays weekends dawn dusk sunrise sunset hours clock"
)
NUMBERS = words(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion"
    " dozen half none no zero several many few free"
)
# Heads of a definition that name no person although they end like one.
THINGS = words(
    "number power matter order computer water paper vector factor letter river sector motor error color colour"
    " flavor flavour vapor humor tumor border tower cluster layer server browser compiler container timer meter"
    " liter litre metre centre center theater theatre disorder filter register pointer buffer counter operator"
    " calculator refrigerator elevator monitor processor reactor chapter winter summer weather feather leather"
    " ladder danger hunger finger shoulder corner cover user fiber fibre instrument mineral mammal fish list"
)
PEOPLE = words(
    "king queen poet president chief head saint god goddess hero heroine band group team duo trio child husband"
    " wife son daughter nurse monk nun pilot athlete champion boss friend colleague guide cook chef judge clerk"
    " coach guard student expert man woman person boy girl emperor empress pope bishop priest prophet general"
    " admiral captain colonel knight duke duchess prince princess count baron spy thief pirate nun mathematician"
    " physician musician politician magician technician librarian author architect engineer pioneer volunteer"
    " mayor minister secretary ambassador diplomat lawyer advocate critic mechanic comic sculptor tailor doctor"
    " professor director actor actress editor inventor senator governor keeper founder owner leader wizard"
    " guardian chief thief heroine member character mother father sister brother aunt uncle neighbour neighbor"
    " cousin cat dog horse parrot mascot robot ghost dragon assistant accountant agent entrepreneur employee"
    " trainee smith shepherd wright citizen rebel genius star"
)


class Family(NamedTuple):
    """Which attributes answer which words. `asks` has sets of words as in "weigh" or "people live", apart by commas."""

    forms: str  # the question words that it is for: what who when where how many much
    asks: str  # "-" stands for no word at all
    names: str  # attributes, best first
    alone: bool = False  # only if a single one of them is stored: they are not the same
    past: bool | None = None  # only for "when did it", or only for "when does it"


THE_THING = "definition description summary meaning explanation overview about abstract"

FAMILIES: tuple[Family, ...] = (
    # How much of it there is.
    Family(
        "how what",
        "high, tall, height, elevation, altitude, high up, high above sea level, high sea level, high lie",
        "height elevation altitude",
    ),
    Family("how", "long, long get, long grow", "length distance duration running_time"),
    Family("how what", "long take, long last, long run, duration, running time", "duration running_time length"),
    Family("how what", "far, far away, distance", "distance length"),
    Family(
        "how",
        "far, far go, far get, far drive, far travel, far run, far fly, far go charge, far get charge, far go full"
        " charge, far go tank, far go full tank",
        "range",
    ),
    Family("how", "deep, deep go, deep get", "depth"),
    Family("how", "wide, broad, wide get", "width breadth diameter span"),
    Family("what", "diameter, width", "diameter width"),
    Family("how", "thick", "thickness"),
    Family("how", "old", "age"),
    Family(
        "how what",
        "big, large, big get, large get, big grow, size, area, surface, surface area, land area, total area",
        "area size surface_area total_area extent",
    ),
    Family("how much what", "heavy, weigh, weight, mass, heavy get", "weight mass"),
    Family(
        "how what",
        "fast, quick, fast go, fast run, fast swim, fast fly, fast drive, fast move, fast travel, fast get,"
        " speed, top speed, maximum speed",
        "top_speed maximum_speed max_speed speed velocity",
    ),
    Family("how", "hot, warm, cold", "temperature"),
    Family("how", "dense", "density"),
    Family("how", "strong", "strength"),
    Family(
        "how",
        "often, often run, often go, often come, often leave, often sail, often depart, often fly",
        "frequency interval",
    ),
    Family(
        "how many what",
        "people, people live, live, folks, folks live, persons, persons live,"
        " inhabitants, inhabitants have, residents, citizens, populous,"
        " populated, population size",
        "population inhabitants residents",
    ),
    Family(
        "many", "people hold, people fit, seats, seats have, people seat, people sit, hold, fit, seat", "capacity seats"
    ),
    Family(
        "many how what",
        "people work, employees, people employ, staff, workers, big staff, large staff, headcount, team size,"
        " size team, big team, large team, workforce, big workforce, large workforce, size staff, size workforce,"
        " staff size, folks work, people team, workers employ",
        "employees staff number_of_employees workforce headcount team_size staff_size",
    ),
    Family(
        "many",
        "pupils, students, children go, pupils go, students go, children attend, pupils attend, students attend,"
        " students study, pupils study",
        "pupils students number_of_pupils number_of_students",
        alone=True,
    ),
    Family(
        "many",
        "shops, branches, stores, outlets, locations, shops get, branches get, stores get, shops run, stores run",
        "number_of_branches branches number_of_shops shops number_of_stores stores outlets",
        alone=True,
    ),
    Family(
        "many",
        "people visit, visitors, guests, people come, visitors get, people go, people attend, visitors come",
        "visitors number_of_visitors attendance guests",
        alone=True,
    ),
    Family(
        "how what many",
        "long return, long return thing, long return something, long return item, long return product, long return"
        " order, long send back, long bring back, day return, day return something, day return thing, return period,"
        " return window, return deadline, long return period",
        "return_period return_window return_deadline returns",
    ),
    Family(
        "how what",
        "fast deliver, quick deliver, quickly deliver, soon deliver, long deliver, long delivery, long delivery take,"
        " long take deliver, long shipping take, long shipping, delivery time, shipping time, fast delivery, fast ship",
        "delivery_time shipping_time delivery_period delivery",
    ),
    Family(
        "how what",
        "long warranty, long under warranty, warranty, guarantee, long guarantee, long under guarantee, warranty last,"
        " warranty period, guarantee period, long warranty last, long guarantee last, warranty long",
        "warranty guarantee warranty_period guarantee_period warranty_length",
    ),
    Family(
        "much many how what",
        "hold, water hold, liquid hold, fit, fit into, fit inside, volume, litres hold, liters hold, capacity",
        "capacity volume",
    ),
    Family("how what", "powerful, strong, power", "power horsepower output engine_power", alone=True),
    Family("what", "run, fuel, power run, fuel run, fuel use, drink, burn, fuel need", "fuel fuel_type power_source"),
    Family("much", "money make, make, earn, money earn", "revenue turnover income annual_revenue sales", alone=True),
    Family(
        "much what",
        "turnover, revenue, sales, income, annual revenue, yearly revenue",
        "revenue turnover income annual_revenue sales",
        alone=True,
    ),
    Family(
        "how much what",
        "cost, price, expensive, pay, fee, charge, sell, cost buy, price tag, pricey, retail price, asking"
        " price, purchase price, list price, sell price, price sell, come cost, set back, pay buy",
        "price cost fee entrance_fee admission_fee admission ticket_price entry_fee fare rent membership_fee",
    ),
    Family("much", "want, ask, go, charge, pay", "price cost fee", alone=True),
    Family(
        "much how what",
        "trip cost, ride cost, ticket cost, crossing cost, journey cost, ticket, trip, ride, crossing, cost ride, cost"
        " travel, cost go, pay ride, pay trip, price ticket, price trip, price ride, cost crossing",
        "fare ticket_price",
        alone=True,
    ),
    Family("much", "enter, get, visit, get into, get inside", "entrance_fee admission_fee entry_fee admission"),
    Family(
        "how much what",
        "cost get, cost enter, cost visit, cost go, entry cost, entrance, entrance fee,"
        " entry fee, admission, admission fee, ticket, ticket cost, entry, ticket price, pay enter, pay get,"
        " pay get into, entrance cost, admission cost, admission price, entrance price, pay visit",
        "entrance_fee admission_fee entry_fee admission ticket_price price cost fee",
    ),
    Family("much", "-", "price cost fee entrance_fee admission_fee ticket_price"),
    Family("much what", "money have, money, funds, money get", "budget funds funding"),
    Family(
        "how what many",
        "long live, life expectancy, lifespan, life span, long survive, years live, old get, old become",
        "lifespan life_expectancy lifetime longevity",
    ),
    # Who.
    Family("who", "write, author, pen, writer", "author writer written_by authors writers"),
    Family("who", "write, compose", "composer composed_by songwriter lyricist screenwriter playwright", alone=True),
    Family(
        "who",
        "invent, come up, devise, dream up, think up, create, develop, inventor",
        "inventor invented_by inventors creator created_by",
    ),
    Family("who", "create, develop, make, creator", "creator created_by maker developer developed_by", alone=True),
    Family("who", "discover, discoverer", "discoverer discovered_by discoverers"),
    Family(
        "who",
        "founded, establish, start, set up, launch, begin, create, founder",
        "founder founders founded_by established_by cofounder",
    ),
    Family("who", "paint, draw, painter", "painter artist painted_by"),
    Family("who", "sing, perform, record", "singer performer artist band", alone=True),
    Family(
        "who",
        "design, build, construct, plan, architect",
        "architect designer designed_by builder built_by",
        alone=True,
    ),
    Family("who", "make, manufacture, produce", "manufacturer maker producer made_by produced_by", alone=True),
    Family(
        "who",
        "lead, run, head, manage, charge, boss, direct, chair, responsible, leader, head up, top, helm,"
        " chief executive, chief, command, managing director, manager, director",
        "lead leader head director manager chief boss ceo chair chairman chairwoman coordinator",
        alone=True,
    ),
    Family("who what", "head teacher, headteacher, headmaster, principal, headmistress", "head headteacher principal"),
    Family("who", "captain, command, skipper, steer", "captain commander skipper master", alone=True),
    Family(
        "who",
        "keep, look, tend, maintain, guard, take care, look after, keeper",
        "keeper maintainer caretaker guardian curator",
        alone=True,
    ),
    Family("who", "belong, own, possess, owner, proprietor", "owner owners owned_by proprietor"),
    Family("who", "rule, govern, reign", "ruler monarch king queen governor", alone=True),
    Family("who", "marry, married, wed, husband, wife, partner", "spouse husband wife partner", alone=True),
    # When.
    Family(
        "when",
        "founded, establish, start, set up, create, begin, launch, form, exist",
        "founded founding_year founding_date year_founded founded_in established established_in foundation"
        " foundation_year inception created",
        past=True,
    ),
    Family(
        "when",
        "build, construct, erect, complete, finish, put up",
        "built built_in construction_year year_built construction_date constructed completed completion_year"
        " completion_date",
        past=True,
    ),
    Family("when", "born", "born birth_date date_of_birth birthday birth_year year_of_birth birthdate born_on"),
    Family("when", "die, dead, pass away, death", "died death_date date_of_death death_year year_of_death"),
    Family(
        "when",
        "publish, come out, release, appear, first publish, first appear, issue, print",
        "published publication_year publication_date release_date released release_year first_published year_published",
        past=True,
    ),
    Family(
        "when",
        "climb first, first climb, first ascend, first ascent, first conquer",
        "first_ascent first_climbed first_climb",
        past=True,
    ),
    Family(
        "when",
        "open, inaugurate, first open, open door, first open door",
        "opened opening_date opening_year inaugurated opened_in",
        past=True,
    ),
    Family(
        "when",
        "visit, come visit, go visit, come, open door, open public, open visitors",
        "opening_hours opening_times open_hours visiting_hours business_hours",
        past=False,
    ),
    Family("when", "open, close, shut", "opening_hours hours opening_times open_hours open business_hours", past=False),
    Family(
        "when what",
        "opening hours, hours, opening times, open hours, business hours, hours open, times",
        "opening_hours hours opening_times open_hours business_hours",
    ),
    Family(
        "when",
        "paint, draw, make, create, compose, write, publish, release, build, produce, design, invent, record, come out",
        "year year_created created date_created",
        past=True,
    ),
    Family("when", "close, shut, closing time", "closing_time closing_hours closes", past=False),
    Family(
        "when",
        "-, hold, take place, happen, celebrate, occur, date, fall, schedule, plan",
        "date dates when day time schedule start_date year years period",
    ),
    Family(
        "when", "start, begin, kick off, commence", "start start_date starts start_time begins date time", past=False
    ),
    Family("when", "end, finish, stop, over", "end end_date ends end_time ended"),
    Family("when", "due, deadline, ready, finish", "deadline due_date due", past=False),
    Family("when", "leave, depart, go", "departure departure_time departs leaves", past=False),
    Family("when", "arrive, get in, come", "arrival arrival_time arrives", past=False),
    Family("when what", "boil, temperature boil, start boil, boiling temperature", "boiling_point boiling_temperature"),
    Family("when what", "melt, temperature melt, start melt, melting temperature", "melting_point melting_temperature"),
    Family("when what", "freeze, temperature freeze, start freeze, freezing temperature", "freezing_point"),
    # Where.
    Family(
        "where",
        "-, locate, location, situate, stand, lie, hang, place, sit, stay, position, keep, find, see, address",
        "location place address venue position site situated_in located_in whereabouts",
    ),
    Family("where", "take place, happen, hold, occur", "location place venue site"),
    Family(
        "where",
        "base, headquarter, head office, main office, seat, office",
        "headquarters headquarters_location seat based_in location",
    ),
    Family("what", "headquarters, head office, main office, seat", "headquarters headquarters_location seat"),
    Family("where", "live, find, occur, grow", "habitat home range residence lives_in found_in location"),
    Family("where", "born, birth", "birthplace place_of_birth birth_place born_in"),
    Family("where", "die, pass away", "place_of_death death_place died_in"),
    Family("where", "bury, rest, lie", "burial_place grave buried_in buried_at"),
    Family("where", "rise, begin, start, come, originate, spring, flow from, come from", "source origin origins"),
    Family("what", "origin, origins, source", "origin source origins", alone=True),
    Family(
        "where", "end, flow, empty, finish, go, terminate, drain, end up", "mouth end terminus destination", alone=True
    ),
    Family("where", "make, produce, manufacture, come", "made_in place_of_origin produced_in origin"),
    Family("where", "buy, sell, purchase", "sold_at sold_in shop seller available_at"),
    # What.
    Family(
        "what",
        "stand, short, abbreviation, full name, full form, acronym, letters stand, long form, acronym stand",
        "stands_for full_name full_form expansion long_form",
    ),
    Family(
        "what",
        "make, ingredients, consist, contain, compose, contents, inside, make out, make up, go",
        "ingredients contents composition made_of material materials components",
    ),
    Family("what", "make, material, build, make out, material make", "material materials made_of"),
    Family("what", "eat, feed, food, live, food eat, prey", "diet food eats feeds_on prey"),
    Family(
        "what",
        "speak, people speak, language speak, language people speak, language, language use, languages,"
        " official language, main language, national language, talk",
        "language languages official_language spoken_language official_languages national_language",
    ),
    Family(
        "what",
        "pay, people pay, money, money use, money people use, currency use, currency people use, currency pay,"
        " currency, official currency, kind money use, money have, kind currency use, national currency",
        "currency money",
    ),
    Family("what", "capital, capital city, city capital, capital town", "capital capital_city"),
    Family("what", "chemical formula, molecular formula, formula, equation", "formula chemical_formula equation"),
    Family("what", "chemical symbol, symbol", "symbol chemical_symbol"),
    Family("what", "job, profession, occupation, work, living, job do", "job occupation profession role"),
    Family("what", "use, purpose, good, function, point", "use uses purpose used_for function"),
    Family("what", "look, look like", "appearance look"),
    Family("what", "color, hue", "color colour"),
    Family(
        "what",
        "phone, telephone, phone number, telephone number, reach phone, call, ring, contact phone, number call",
        "phone phone_number telephone telephone_number",
    ),
    Family(
        "what",
        "specialise, specialize, specialty, speciality, know, famous, renowned, famed, best know, well know",
        "speciality specialty known_for famous_for specialities specialties",
    ),
    Family("what", "latin name, scientific name, biological name", "latin_name scientific_name"),
    Family("what", "value, exact value, numerical value, numeric value", "value"),
    Family("what", "genre, kind, sort, type, category", "genre kind type category", alone=True),
    Family("what", "brand, company make, maker, manufacturer, make", "brand manufacturer maker make", alone=True),
)
