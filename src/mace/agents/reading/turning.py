"""Clauses in another order or with something left out, turned into the plain one that the other forms read.

Pure. "A friend of mine is Bo", "the company I work for is Brightwater", "meet Rex, my dog", "based in Lund": each is
said again as "my friend is Bo", "I work for Brightwater", "my dog is called Rex", "I'm based in Lund".
"""

import re
from collections.abc import Iterator

from mace.agents.reading import attributes
from mace.agents.reading.sentences import rule
from mace.agents.reading.words import words_in
from mace.memory.keys import normalise

_NP = r"[a-z][a-z0-9'’/ -]{1,45}?"
_NAME = (
    r"(?!(?:He|She|It|That|I|You|They|There|What|Who|Let|We|This)'|(?:He|She|It|They|We|You|This|That"
    r"|There|What|Who|My|Our|The|Your|His|Her)\b)(?:(?:Dr|Mr|Mrs|Ms|Miss|Prof|Sir|Father|Sister|Aunt"
    r"|Uncle)\.? )?[A-Z][\w'’-]+(?: (?:[A-Z][\w'’-]+"
    r"|de|van|von|da|al|II|III))*"
)
_DUTY = (
    r"(?:[a-z]+ )?(?:commute|shift|work|working day|workday|school|lesson|class|training|practice|rehearsal"
    r"|way to work)"
)
_PET = "(?:" + "|".join(sorted((pet.replace("_", " ") for pet in attributes.PETS), key=len, reverse=True)) + ")"
_BE = r"(?: is| are| was|'s|'re| has been| has always been| have been)"
_CALLED = r"(?: (?:called|named|known as))?"

_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (rule(source), template)
    for source, template in (
        (
            rf"(?:my|our|the) (?P<n>{_NP}), [^,]{{2,60}}, (?:is|was|'s) (?:called|named|known as) (?P<v>\S.*)$",
            "my {n} is called {v}",
        ),
        (
            (
                rf"(?:my|our) (?P<n>{_NP}),? (?:has the name|bears the name|carries the name|goes by the name of"
                rf"|is known as|answers to(?: the name(?: of)?)?|goes by) (?P<v>\S.*)$"
            ),
            "my {n} is called {v}",
        ),
        (
            (
                rf"the (?P<n>{_PET}) (?:is called|is named|answers to(?: the name(?: of)?)?|goes by|has the name"
                rf"|'s called|'s named|'s name is) (?P<v>\S.*)$"
            ),
            "my {n} is called {v}",
        ),
        (
            rf"(?:my|our) (?P<n>{_NP})(?:,| [^,]{{2,40}} and) (?:his|her|its|their) name(?: is|'s) (?P<v>\S.*)$",
            "my {n} is called {v}",
        ),
        (rf"(?:my|our) (?P<n>{_NP}), (?:that's|that is|that would be) (?P<v>{_NAME})(?:,.*)?$", "my {n} is called {v}"),
        (rf"(?:my|our) (?P<n>{_NP}) has the (?P<a>colou?r|size|number|name) (?P<v>\S.*)$", "my {n} {a} is {v}"),
        (
            (
                rf"(?:my|our) (?P<n>{_NP}) (?:it )?(?:is|falls) on (?P<v>(?=.*(?:\d|day\b|january|february|march"
                rf"|april|may|june|july|august|september|october|november|december))(?!.*floor)\S.*)$"
            ),
            "my {n} is {v}",
        ),
        (
            (
                rf"(?:my|our) (?P<n>{_NP}) (?:has gone|has changed|changed|went|has moved) from [^,]{{1,40}}? "
                rf"to (?P<v>\S.*)$"
            ),
            "my {n} is {v}",
        ),
        (
            (
                rf"(?:my|our) (?P<n>{_DUTY}) (?:takes|lasts)(?: me)? (?P<v>\S.*(?:minutes?|hours?|mins|min|h|half an "
                rf"hour|an hour)\b.*)$"
            ),
            "my {n} time is {v}",
        ),
        (rf"(?:my|our) (?P<n>{_DUTY}) (?P<a>starts|begins) at (?P<v>\S.*)$", "my {n} start is {v}"),
        (rf"(?:my|our) (?P<n>{_DUTY}) (?P<a>ends|finishes) at (?P<v>\S.*)$", "my {n} end is {v}"),
        (
            (
                r"(?:i|we) (?:share|live in) (?:my|our|a|the) (?:room|flat|house|apartment|place)"
                r" with an? \w+ (?:called"
                r"|named) (?P<v>\S.*)$"
            ),
            "my roommate is called {v}",
        ),
        (
            (
                rf"(?:what i like|the one i like|the thing i like) (?:best|most) of all(?: the)? (?P<n>{_NP}) is "
                rf"(?P<v>\S.*)$"
            ),
            "my favourite {n} is {v}",
        ),
        (
            rf"there(?:'s| is) no (?P<n>{_NP}) (?:that )?i (?:love|like|enjoy) (?:more|better) than (?P<v>\S.*)$",
            "my favourite {n} is {v}",
        ),
        (
            (
                r"(?:for me,?|in my eyes,?|to me,?|in my opinion,?) the (?:best|most beautiful|greatest|nicest"
                r"|finest|loveliest) "
                r"(?P<n>(?!option|way|thing|part|approach|time|place to)[a-z]+(?: [a-z]+)?)(?: of all| ever| in "
                r"the world)?,? is (?P<v>\S.*)$"
            ),
            "my favourite {n} is {v}",
        ),
        (
            rf"no (?P<n>{_NP}) (?:tops|beats|comes close to) (?P<v>[^,]+?)(?: for me)?(?:,.*)?$",
            "my favourite {n} is {v}",
        ),
        (r"put me down as an? (?P<v>\S.*)$", "I'm {v}"),
        (r"put me down as (?P<v>vegan|vegetarian|pescatarian|single|married)$", "I'm {v}"),
        (r"put me down as (?P<v>\S.*)$", "my name is {v}"),
        (r"(?P<v>[a-z]+ [a-z]+) here$", "I'm a {v}"),
        (r"(?:i|we)(?:'ve| have)? got (?:myself |ourselves )?an? (?P<v>Brompton)$", "my bike is {v}"),
        (
            (
                r"(?:kids|people|friends|everyone|they|the (?:children|kids|grandchildren|family)|my \w+)(?: (?:at"
                r"|in) \w+)? (?:all |just |always )?(?:call|know) me (?:as )?(?P<v>[A-Z]\S*(?: [A-Z]\S*)?)$"
            ),
            "people call me {v}",
        ),
        (rf"(?:they|my parents) (?:christened|named) me (?P<v>{_NAME})$", "my name is {v}"),
        (r"(?:i'd|i would) rather be called (?P<v>\S.*)$", "call me {v}"),
        (r"(?:instead of \S+|not \S+,?) i(?: now)? (?P<p>[a-z]+) (?P<v>\S.*)$", "I {p} {v}"),
        (
            (
                r"i(?:'ve| have)? (?:gave|given|given up|stopped|dropped|quit) [^,]{2,40}? and (?:now )?(?P<p>play"
                r"|do|drink|eat|drive|ride|support|work) (?P<v>\S.*)$"
            ),
            "I {p} {v}",
        ),
        (
            rf"(?:an?|the|one|some)? ?(?P<n>{_NP}) of (?:mine|ours) (?:is|was|'s)(?: called| named)? (?P<v>\S.*)$",
            "my {n} is {v}",
        ),
        (
            (
                rf"(?P<v>\S.{{0,60}}?) (?:is|'s|was) an? (?P<n>(?:very |really )?(?:good |old |close |dear )?{_NP}) "
                rf"of (?:mine|ours)$"
            ),
            "my {n} is {v}",
        ),
        (rf"(?P<v>{_NAME}) is (?:my|our) (?P<n>{_NP})'s? name$", "my {n} is called {v}"),
        (rf"(?P<v>{_NAME}) was (?:my|our) (?P<n>{_NP})'s? name$", "my {n} is called {v}"),
        (rf"the name of (?:my|our) (?P<n>{_NP})(?: is| was|:|'s) (?P<v>\S.*)$", "my {n} is called {v}"),
        (
            (
                rf"(?:the )?(?P<a>title|colou?r|brand|make|model|size|breed|number|date|address|age|genre|topic"
                rf"|subject|location|type"
                rf"|flavou?r) of (?:my|our) (?P<n>{_NP})(?: is| was|:|'s) (?P<v>\S.*)$"
            ),
            "my {n} {a} is {v}",
        ),
        (
            (
                rf"(?:the|that) (?:{_NP}) (?:that |which |where |whom? )?(?P<s>(?:i|we)(?:'m|'re|'ve| am| are| have)?) "
                rf"(?P<p>(?!read |met |went |saw |left |want |need )[a-z]+(?: (?:for|in|at|with|on|to|as))?)"
                rf" (?:is|are|'s){_CALLED} (?P<v>\S.*)$"
            ),
            "{s} {p} {v}",
        ),
        (r"what (?P<s>(?:i|we)) (?P<p>[a-z]+(?: (?:for|in|at|with|on))?) (?:is|are) (?P<v>\S.*)$", "{s} {p} {v}"),
        (
            (
                rf"(?:meet|this is|say (?:hi|hello) to|here's|here is|that's|introducing) (?P<v>{_NAME}),? (?:my"
                rf"|our) (?P<n>[a-z][a-z -]{{1,30}})$"
            ),
            "my {n} is called {v}",
        ),
        (
            (
                rf"(?:my|our) (?P<n>{_NP}),? (?:whose name is|who is called|who's called|which is called|that's called"
                rf"|who goes by|is a"
                rf" \w+ (?:called|named)|is this \w+ (?:called|named)|is (?:a|an) \w+ \w+ (?:called|named))"
                rf" (?P<v>{_NAME}"
                rf"|[a-z]+)"
                r"(?:,? .*)?$"
            ),
            "my {n} is called {v}",
        ),
        (
            rf"(?:my|our) (?P<n>{_NP}), (?:who|which|that) [^,]{{2,60}}, (?:is|was|'s)(?: called| named)? (?P<v>\S.*)$",
            "my {n} is called {v}",
        ),
        (
            (
                rf"(?:my|our) (?P<n>{_NP}) (?:has always been|has been|have always been|will always be|has got to "
                rf"be|has to be|must be"
                rf"|happens to be|remains|would have to be|would be|just became|became|is currently) (?P<v>\S.*)$"
            ),
            "my {n} is {v}",
        ),
        (
            (
                rf"(?P<v>\S.{{0,60}}?) (?:has always been|has been|have always been|have been|has got to be|has to "
                rf"be|happens to be"
                rf"|remains) (?:my|our) (?P<n>{_NP})(?: (?:since|for|ever since|all) .*)?$"
            ),
            "{v} is my {n}",
        ),
        (
            (
                rf"(?:when it comes to|as for|among|of all|out of all)(?: the)? (?P<n>{_NP}),?"
                rf" my (?:absolute )?favou?rite(?: "
                rf"one)? (?:is|has to be"
                rf"|would be|would have to be|has always been) (?P<v>\S.*)$"
            ),
            "my favourite {n} is {v}",
        ),
        (
            (
                rf"(?:my|our|the) (?P<n>{_NP}) (?:has |have )?(?:just |recently )?(?:changed|moved|got renamed|was "
                rf"renamed|is different now"
                rf"|has been renamed)(?: again)?[,:;]? (?:it's|it is|they're|to)(?: now)? (?P<v>\S.*)$"
            ),
            "my {n} is {v}",
        ),
        (
            (
                rf"(?:my|our) (?P<n>{_NP}) (?:used to be|was|isn't|is no longer|is not|were) [^,;]{{1,40}}?(?: any "
                rf"?more)?(?:[,;]| but)"
                rf" (?:but )?(?:now |these days |today )?(?:it's|it is|they're|i'm)(?: now)? (?P<v>\S.*)$"
            ),
            "my {n} is {v}",
        ),
        (
            rf"(?:i|we)(?:'ve| have)? (?:renamed|rechristened) (?:my|our) (?P<n>{_NP}) (?:to )?(?P<v>[A-Z]\S.*)$",
            "my {n} is called {v}",
        ),
        (
            (
                r"(?:they|the school|the office|the gym|work|hr)(?:'ve| have)? (?:just )?(?:assigned|gave|given"
                r"|allocated) (?:me|us)(?: the)?"
                r" (?P<n>locker|parking (?:spot|space)|desk|room|seat|office|badge|mailbox|plot)(?: (?:number|no\.?))? "
                r"(?P<v>\S+)$"
            ),
            "my {n} is {v}",
        ),
        (
            (
                rf"(?P<v>{_NAME}|(?:an? )?[^, ]+(?: [^, ]+){{0,2}}),?"
                rf" (?:that's|that is|thats|this is|it's|it is|which is|he's|she's"
                rf"|they're|that'd be)(?: (?:definitely|always|still"
                rf"|just))? (?:my|our) (?P<n>{_NP})$"
            ),
            "{v} is my {n}",
        ),
        (
            rf"(?P<v>{_NAME}) [a-z][^,]{{2,60}}, (?:he's|she's|he is|she is) (?:my|our) (?P<n>{_NP})$",
            "my {n} is called {v}",
        ),
        (
            (
                r"(?P<v>(?!Come|Look|Sit|Stay|Get|Put|Wait|Stand|Any|Every|Some|Nob|Live|Same|Not|New|Hello)"
                r"[A-Z][^\W\d_]{2,}) "
                r"here(?:,? .{0,40})?$"
            ),
            "my name is {v}",
        ),
        (rf"(?P<v>\S.{{0,50}}?) = my (?P<n>{_NP})$", "{v} is my {n}"),
        (
            rf"(?:i|we) (?:have|'ve got|have got|own|got) an? (?P<n>[a-z ]{{3,30}}?), (?P<v>{_NAME})$",
            "my {n} is called {v}",
        ),
        (
            (
                r"(?:i|we)(?:'ve| have)? (?:just |recently )?(?:adopted|got|bought|rescued) an? (?P<n>[a-z ]{3,30}?) "
                r"and (?:named|called)"
                r" (?:it|him|her|them) (?P<v>\S.*)$"
            ),
            "my {n} is called {v}",
        ),
        (
            (
                r"(?:i|we)(?: have|'ve got| have got| own| got| bought|'ve) (?:an? |our )(?P<n>[a-z ]{3,30}?) (?:called"
                r"|named|that goes by(?: the name(?: of)?)?|we call|i call)"
                r" (?P<v>\S.*)$"
            ),
            "my {n} is called {v}",
        ),
        (
            (
                r"for (?P<n>rings|shoes|gloves|hats|jeans|shirts|t-?shirts|trousers),? i (?P<p>need|wear|take|am"
                r"|have)(?: an?)?(?: size)? (?P<v>\S+)$"
            ),
            "I {p} size {v} in {n}",
        ),
        (r"(?:for|at|in) (?:work|the office),? (?P<s>i) (?P<p>\S.*)$", "{s} {p}"),
        (rf"(?:make|set|put) (?:my|our) (?P<n>{_NP}) (?P<v>an? \S.*|\d\S*|[A-Z]\S.*)$", "set my {n} to {v}"),
        (rf"(?:set|change|update|save|store|note(?: down)?) (?P<n>{_NP})(?: =| to| as|:) (?P<v>\S.*)$", "?{n}|{v}"),
        (rf"(?P<n>{_NP})(?::| =| ->| =>| →| –| —| -) ?(?P<v>\S.*)$", "!{n}|{v}"),
        (rf"(?P<n>{_NP})(?: (?:at home|here|for me))? (?:is|are) (?P<v>\S.*)$", "?{n}|{v}"),
        (r"the (?P<n>wifi(?: network)?|home network)(?: (?:at home|here|name))? is (?P<v>\S.*)$", "my {n} is {v}"),
        (
            r"(?P<n>(?:[a-z-]+ )?size|age|height|blood type|star sign) (?P<v>\d\S*|[A-Z+-]{1,4}|small|medium|large)$",
            "?{n}|{v}",
        ),
    )
)
_BARE_KNOWN = frozenset(
    words_in(
        "name nickname first_name last_name surname middle_name full_name birthday date_of_birth birth_date "
        "star_sign zodiac_sign "
        "shoe_size shirt_size t_shirt_size ring_size hat_size glove_size dress_size trouser_size jacket_size "
        "jeans_size height weight "
        "age blood_type "
        "eye_color eye_colour hair_color hair_colour time_zone timezone bin_day hometown job occupation "
        "profession employer "
        "job_title native_language mother_tongue hobby hobbies pronouns favourite_color nationality marital_status "
        "diet "
        "wifi wifi_name wifi_network home_airport laptop username phone_model car pet_name dog_name cat_name "
        "wife_name "
        "husband_name allergy allergies languages instrument birthplace postcode gym_day garbage_day trash_day"
    )
)
_ELIDED_BE = rule(
    r"(?:(?:currently|now|still|just|originally|actually|happily|proudly|also|really|recently) )*"
    r"(?:living|staying|working|studying|majoring|learning|training|teaching|based|fluent|married|engaged"
    r"|allergic|originally from"
    r"|retired|doing an?|reading|dating|vegan|vegetarian|lactose|left-handed|right-handed|employed"
    r"|located|residing) "
)
_ELIDED_WAS = rule(r"(?:born|raised|brought up) ")
_ELIDED_I = rule(
    r"(?:(?:just|recently|finally|already|always|currently|now|usually|never|also) )*"
    r"(?:live in|lives? on|work (?:as|at|for|in)|moved to|moved from|started|got (?:an?|my|the)|adopted"
    r"|bought|grew up|can't"
    r" stand|don't eat|do not eat|drive an?|love|hate|prefer|support|collect|studied|joined|turned"
    r"|have an?|own an?|take"
    r" the|go to bed|get up|wake up|play (?:the|in)|drink my|take my|wear an?|wear size|graduated|report "
    r"to|share|come from"
    r"|hail from|been) "
)
_ELIDED_WORDS = rule(r"(?:(?:so|and|btw|yes|yeah),? )*(?:also )?")
_SHARED = rule(
    r"\s*(?:,|,? and|,? but|;)(?: now| also| currently| then| today)? (?=(?:live|living|work|working"
    r"|drive|play|speak|study"
    r"|studying|teach|support|grew up|was born|was raised|raised|born|am|have|own|hate|love|prefer|drink|collect|come"
    r"|moved|wear|ride|sing|based|now living|now based)\b)"
)


_JOINED = (
    ", who",
    ", which",
    ", that",
    ", her name",
    ", his name",
    ", its name",
    ", he's",
    ", she's",
    ", it's",
    ", they're",
    ", whose",
    ", my ",
    ", our ",
    ", is ",
    ", was ",
    " and his name",
    " and her name",
    " and its name",
    ", handles",
    ", says",
)


def joined(sentence: str) -> Iterator[str]:
    """A sentence of several clauses that tell one thing together, in plainer words: "meet Rex, my dog"."""
    low = sentence.lower()
    if any(mark in low for mark in _JOINED):
        for pattern, template in _RULES:
            if template[0] not in "?!" and "," in pattern.pattern and (found := pattern.match(sentence)):
                yield template.format(**found.groupdict())


def turned(clause: str) -> Iterator[str]:
    """The clause in plainer words, each way it can be read."""
    for pattern, template in _RULES:
        found = pattern.match(clause)
        if found is None:
            continue
        parts = found.groupdict()
        if template.startswith("?"):
            if _is_bare(parts["n"]):
                yield f"my {parts['n']} is {parts['v']}"
            continue
        if template.startswith("!"):
            if _is_telling(parts["n"]):
                yield f"my {parts['n']} is {'called ' if attributes.is_being(parts['n']) else ''}{parts['v']}"
            continue
        yield template.format(**parts)
    if (said := telegram(clause)) is not None:
        yield said
    if (whole := with_subject(clause)) is not None:
        yield whole


def _is_bare(noun: str) -> bool:
    """Whether a noun without "my" is one that only its speaker has: "shoe size: 43", not "door: open"."""
    slug = normalise(noun)
    return slug in _BARE_KNOWN or slug.startswith(("favorite_", "favourite_", "fav_", "fave_"))


_HEADS = frozenset(
    words_in(
        "editor shell os system layout units format project office role tool hostname sign belt shift ward "
        "phone mobile browser "
        "distro gym coffee tea size colour color number name day team language hobby sport instrument drink "
        "food club school "
        "university employer company airport airline zone diet pronouns position title department desk "
        "badge callsign car bike "
        "laptop computer keyboard camera tablet bank provider supermarket birthday age height weight allergy "
        "nationality religion "
        "commute hours breakfast lunch dinner order doctor dentist vet barber hairdresser stop station "
        "plot locker seat room"
    )
)
_NEVER_BARE = frozenset(
    words_in(
        "note question answer subject re translate define definition example warning error problem issue "
        "task todo fact quote "
        "title file code summary meeting weather news time date today tomorrow reminder order password "
        "pin recipe price result"
    )
)


def _is_telling(noun: str) -> bool:
    slug = normalise(noun)
    words = slug.split("_")
    if slug in _NEVER_BARE or len(words) > 4 or (words[0] in _NEVER_BARE and words[-1] != "format"):
        return False
    return _is_bare(noun) or words[-1] in _HEADS or attributes.is_being(slug) or attributes.family_of(slug) is not None


_TELEGRAM = re.compile(r"[A-Za-z][\w'-]*(?: [a-z][\w'-]*){0,2}")


def telegram(clause: str) -> str | None:
    """ "Shoe size EU 45", "wife Ilka", "time zone EET": a noun that people have, and its value, no verb between."""
    words = clause.split()
    if not 2 <= len(words) <= 6:
        return None
    for cut in range(min(3, len(words) - 1), 0, -1):
        noun, value = " ".join(words[:cut]), " ".join(words[cut:])
        if _TELEGRAM.fullmatch(noun) is None or not (
            value[:1].isupper() or value[:1].isdigit() or (value.islower() and cut > 1)
        ):
            continue
        slug = normalise(noun)
        is_known = slug in _BARE_KNOWN or (
            slug.startswith(("favorite_", "favourite_")) and cut == 2 and (value[:1].isdigit() or value[:1].isupper())
        )
        if is_known and not any(word.lower() in _VERBS for word in words[cut:]):
            return f"my {noun} is {value}"
        if value[:1].isupper() and attributes.is_being(slug) and len(words) - cut <= 2:
            return f"my {noun} is called {value}"
    return None


_VERBS = frozenset(
    words_in(
        "is are was were be been has have had does do did will would can could i my me you not and or but "
        "in on at to for matters means please"
    )
)


def with_subject(clause: str) -> str | None:
    """A clause whose "I" was left out: "based in Lund", "moved to Pisa"."""
    if _ELIDED_WAS.match(clause):
        return f"I was {clause}"
    if _ELIDED_BE.match(clause):
        return f"I'm {clause}"
    if found := _ELIDED_I.match(clause):
        return f"I've {clause}" if found.group().rstrip().lower().endswith("been") else f"I {clause}"
    return None


def shared(clause: str) -> list[str]:
    """The parts of a clause with one subject and several verbs, each with its subject; one part for one verb."""
    parts: list[str] = []
    start = 0
    for mark in _SHARED.finditer(clause):
        if mark.start() == 0:
            continue
        parts.append(clause[start : mark.start()])
        start = mark.end()
    parts.append(clause[start:])
    if len(parts) == 1 or len(parts) > 5:
        return [clause]
    first, *rest = parts
    return [with_subject(first) or first, *(_again(part) for part in rest)]


_I_AM = rule(r"(?:i'm|i am) (?P<rest>[^,]+(?:, [^,]+)*)$")


def listed(clause: str) -> list[str]:
    """The parts of a list: "I'm 29, single and from Pula", "wife Ilka, son Matyas"; one part where there is no list."""
    if "," not in clause and " and " not in clause:
        return [clause]
    if found := _I_AM.match(clause):
        parts = [part for part in re.split(r",? and |, ", found["rest"]) if part]
        return [f"I'm {part}" for part in parts] if 1 < len(parts) <= 4 else [clause]
    parts = [part.strip() for part in clause.split(", ") if part.strip()]
    return parts if 1 < len(parts) <= 4 else [clause]


def _again(part: str) -> str:
    whole = with_subject(part)
    return whole if whole is not None and not part.lower().startswith(("live", "work", "have")) else f"I {part}"


_FRAME = rule(
    r"(?:now|these days|at home|at work|at school|at uni|at the office|in the (?:mornings?|evenings?"
    r"|weekends?|summer|winter|office)|in my (?:country|family|spare time)"
    r"|on (?:week(?:ends|days)|[a-z]+days)|for me|since (?:the|my) [a-z]+|since [a-z]+|in the weekend"
    r"|at the moment|by trade|for work|in (?:spring|summer|autumn|winter)"
    r"|at the [a-z]+|when travelling|when i travel|as of (?:today|now)|starting today|from (?:today"
    r"|now) on|after the wedding),? (?=(?:i|i'm|i've|my|we|our|everybody|everyone|people|they)\b)"
)


def without_frame(clause: str) -> str | None:
    """A clause without when or where it is so, said in front; None where nothing is."""
    found = _FRAME.match(clause)
    return clause[found.end() :] if found else None
