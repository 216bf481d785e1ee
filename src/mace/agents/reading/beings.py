"""What is told and asked of the people and animals of a speaker: stored under their own names (`sister_city`).

Pure. Nothing here is ever the speaker's own: every attribute begins with the noun of the one it is about.
"""

import re
from dataclasses import dataclass

from mace.agents.reading import attributes, values
from mace.agents.reading.attributes import Wanted
from mace.agents.reading.sentences import rule
from mace.agents.reading.values import Kind
from mace.memory.keys import MAX_COMPONENT, normalise

_BEING = r"(?:my|our) (?P<n>[a-zé]+(?:[- ](?!is |was |has |lives |works |who )[a-z]+){0,3}?)"
_APPOSED = rule(
    _BEING + r"(?:,? (?P<v>(?:(?:Dr|Mr|Mrs|Ms|Miss)\.? )?[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?),?)? (?P<rest>[a-z'].*)$"
)


@dataclass(frozen=True, slots=True)
class _Fact:
    pattern: re.Pattern[str]
    attribute: str
    kind: Kind


_FACTS = tuple(
    _Fact(rule(source), attribute, kind)
    for source, attribute, kind in (
        (r"(?:lives|is living|resides|is based|moved) (?:in|to|near) (?P<v>\S.*)$", "city", values.place),
        (r"(?:works|is working) as (?P<v>\S.*)$", "job", values.job),
        (r"(?:is|'s) (?P<v>an? \S.*)$", "job", values.own_job),
        (r"(?:works|is working) (?:for|at) (?P<v>\S.*)$", "employer", values.company),
        (r"(?:goes to|attends) (?P<v>[A-Z]\S.*)$", "school", values.company),
        (r"(?:speaks) (?P<v>\S.*)$", "language", values.languages),
        (r"drives (?:an? )?(?P<v>\S.*)$", "car", values.model),
        ((r"(?:was born on|has (?:his|her|their|its) birthday on|turns \w+ on|celebrates (?:his|her|their) "
r"birthday on) (?P<v>\S.*)$"),
         "birthday", values.date),
        ((r"(?:is|'s|has turned|just turned|turned) (?P<v>\d{1,3}|[a-z]+(?:-[a-z]+)?)(?: years old| years"
r"| now)?$"), "age", values.age),
    )
)  # fmt: skip
_BREED = rule(r"(?:my|our) (?P<n>[a-z]+) (?:is|'s) an? (?P<v>[a-z][a-z -]{2,30})$")


@dataclass(frozen=True, slots=True)
class Of:
    about: Wanted
    value: str
    name: str | None = None  # the being's own name, where it is said too
    noun: str = ""


def read(clause: str, cased: bool) -> Of | None:
    """What a clause tells of somebody of the speaker's: a fact of theirs, their name, or both."""
    if found := _BREED.match(clause):
        noun, breed = normalise(found["n"]), normalise(found["v"])
        if attributes.BREEDS.get(breed, attributes.BREEDS.get(breed.rsplit("_", 1)[-1])) == noun:
            return Of(attributes.wanted(f"{noun}_breed"), found["v"])
    found = _APPOSED.match(clause)
    if found is None or not attributes.is_being(found["n"]):
        return None
    noun = normalise(found["n"])
    named = found["v"] if found["v"] and values.said_name(found["v"], True) is not None else None
    if found["v"] and (named is None or values.is_fiction(found["v"])):
        return None
    for fact in _FACTS:
        said = fact.pattern.match(found["rest"])
        value = fact.kind(said["v"], cased) if said else None
        if value is not None:
            return Of(fact_of(noun, fact.attribute, found["n"]), value, named, noun)
    return None


def apposed_name(clause: str) -> tuple[str, str] | None:
    """The noun and the name in "my sister Maud came round"."""
    found = _APPOSED.match(clause)
    if found is None or not found["v"] or not attributes.is_being(found["n"]) or values.is_fiction(found["v"]):
        return None
    if values.said_name(found["v"], True) is None or re.match(
        r"(?:and|or|said|says|thinks|told|is not|isn't)\b", found["rest"]
    ):
        return None
    return normalise(found["n"]), found["v"]


def fact_of(noun: str, attribute: str, said: str) -> Wanted:
    whose = f"{said.lower()}’s {attribute.replace('_', ' ')}"
    name = f"{noun}_{attribute}"[:MAX_COMPONENT]
    others = {"city": ("location", "town", "residence"), "job": ("occupation", "profession"), "employer": ("company",),
              "school": ("university",), "birthday": ("birth_date", "date_of_birth")}.get(attribute, ())  # fmt: skip
    return Wanted(name, whose, (name, *(f"{noun}_{other}" for other in others)))


_ASKED = tuple(
    (rule(source), attribute)
    for source, attribute in (
        (r"where (?:does|do|is|are) (?:my|our) (?P<n>[a-zé' -]+?) (?:live|living|based)(?: now)?$", "city"),
        (
            (
                r"(?:in )?(?:what|which) (?:city|town|village|place) (?:does|do) (?:my|our) (?P<n>[a-zé' -]+?) live(?: "
                r"in)?$"
            ),
            "city",
        ),
        (
            (
                r"what (?:does|do) (?:my|our) (?P<n>[a-zé' -]+?) do(?: for (?:a living|work|a job)| for his job"
                r"| for her job)?$"
            ),
            "job",
        ),
        (r"what (?:does|do) (?:my|our) (?P<n>[a-zé' -]+?) work as$", "job"),
        (r"(?:where|who) (?:does|do) (?:my|our) (?P<n>[a-zé' -]+?) work(?: for| at)?$", "employer"),
        (r"how old (?:is|are) (?:my|our) (?P<n>[a-zé' -]+?)(?: now)?$", "age"),
        (r"when (?:was|were) (?:my|our) (?P<n>[a-zé' -]+?) born$", "birthday"),
        (
            (
                r"when (?:does|do) (?:my|our) (?P<n>[a-zé' -]+?) (?:celebrate (?:his|her|their) birthday|have (?:his"
                r"|her|their) birthday)$"
            ),
            "birthday",
        ),
        (r"(?:what|which) school (?:is|are) (?:my|our) (?P<n>[a-zé' -]+?) (?:at|in)$", "school"),
        (r"(?:what|which) school (?:does|do) (?:my|our) (?P<n>[a-zé' -]+?) (?:go to|attend)$", "school"),
        (r"where (?:does|do) (?:my|our) (?P<n>[a-zé' -]+?) go to school$", "school"),
        (r"(?:what|which) language(?:s)? (?:does|do) (?:my|our) (?P<n>[a-zé' -]+?) speak$", "language"),
        (r"(?:what|which)(?: car)? (?:does|do) (?:my|our) (?P<n>[a-zé' -]+?) drive$", "car"),
    )
)


def asked(part: str) -> Wanted | None:
    """The fact of somebody of the speaker's that a question is about."""
    for pattern, attribute in _ASKED:
        if (found := pattern.match(part)) and attributes.is_being(found["n"]):
            return fact_of(normalise(found["n"]), attribute, found["n"])
    return None
