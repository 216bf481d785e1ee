"""Attributes of a person: which names mean one thing, and which stored name a question may be answered from.

Pure data and pure functions. A family is one thing that has several names (`job`, `occupation`): what is told under one
of them is stored where another one is already, and asked for under any of them. `also` lists other things that answer a
question about this one when nothing nearer is stored; they are never written to. Two names are the same when they have
the same words, whatever their order, their number and their spelling (`dogs_name`, `name_of_dog`, `dog_name`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from mace.agents.reading.words import words_in
from mace.memory.keys import MAX_COMPONENT, normalise
from mace.memory.spelling import one_spelling, signs_in_words

_LEFT_OUT = frozenset(words_in("of the my our a an s is"))
_JOINED = (("t_shirt", "tshirt"), ("wi_fi", "wifi"), ("e_mail", "email"), ("nick_name", "nickname"))
_SAME_WORD = MappingProxyType(
    {
        **dict.fromkeys(("mum", "mom", "mummy", "mommy", "mama", "mam"), "mother"),
        **dict.fromkeys(("dad", "daddy", "papa", "pa"), "father"),
        **dict.fromkeys(("grandma", "granny", "nan", "nana", "gran"), "grandmother"),
        **dict.fromkeys(("grandpa", "granddad", "grandad"), "grandfather"),
        **dict.fromkeys(("movie", "movies", "films"), "film"),
        **dict.fromkeys(("writer", "novelist"), "author"),
        **dict.fromkeys(("bicycle", "pushbike"), "bike"),
        **dict.fromkeys(("automobile", "vehicle"), "car"),
        **dict.fromkeys(("kid", "kids", "child", "children"), "child"),
        **dict.fromkeys(("neighbour", "neighbours", "neighbors"), "neighbor"),
        **dict.fromkeys(("flatmate", "housemate", "roomie"), "roommate"),
        **dict.fromkeys(("puppy", "pup", "doggo", "doggy"), "dog"),
        **dict.fromkeys(("kitten", "kitty"), "cat"),
        **dict.fromkeys(("beverage",), "drink"),
        **dict.fromkeys(("dish", "meal"), "food"),
        **dict.fromkeys(("tune", "track"), "song"),
        **dict.fromkeys(("painter",), "artist"),
        **dict.fromkeys(("mate", "buddy", "pal"), "friend"),
        **dict.fromkeys(("coworker", "workmate"), "colleague"),
        **dict.fromkeys(("timezone",), "time_zone"),
        **dict.fromkeys(("preferred", "best_liked"), "preferred"),
        **dict.fromkeys(("loved", "liked"), "liked"),
        **dict.fromkeys(("grey",), "gray"),
        **dict.fromkeys(("rubbish", "trash", "garbage", "bins"), "bin"),
        **dict.fromkeys(("vacation", "vacations", "holidays"), "holiday"),
        **dict.fromkeys(("pudding",), "dessert"),
        **dict.fromkeys(("series", "programme", "program"), "show"),
        **dict.fromkeys(("bunny",), "rabbit"),
        **dict.fromkeys(("goldfish",), "fish"),
        **dict.fromkeys(("gf",), "girlfriend"),
        **dict.fromkeys(("bf",), "boyfriend"),
        **dict.fromkeys(("eldest",), "oldest"),
        **dict.fromkeys(("closest",), "best"),
        **dict.fromkeys(("couch", "settee"), "sofa"),
        **dict.fromkeys(("carrier",), "provider"),
        **dict.fromkeys(("motorcycle",), "motorbike"),
    }
)

# Things of which somebody has several: what is told is added to what is stored. How several of them are called.
SEVERAL: Mapping[str, str] = MappingProxyType(
    {
        "language": "languages",
        "likes": "likings",
        "dislikes": "dislikes",
        "does_not_eat": "foods to avoid",
        "hobby": "hobbies",
        "instrument": "instruments",
        "allergy": "allergies",
        "intolerance": "intolerances",
        "learning_language": "languages to learn",
        "animals": "animals",
        "collection": "collections",
    }
)


def slug_of(phrase: str) -> str:
    """The slug of the words for an attribute; a sign that tells one thing from another ("C++", "C#") is a word."""
    return normalise(signs_in_words(phrase))


@lru_cache(maxsize=4096)
def words_of(attribute: str) -> tuple[str, ...]:
    """The words by which names of attributes are compared; empty for what has none."""
    slug = f"_{one_spelling(normalise(attribute[: 4 * MAX_COMPONENT]))}_"
    for apart, joined in _JOINED:
        slug = slug.replace(f"_{apart}_", f"_{joined}_").replace(f"_{apart}s_", f"_{joined}_")
    words = [_stem(word) for word in slug.split("_") if word and word not in _LEFT_OUT]
    return tuple(sorted(words))


def _stem(word: str) -> str:
    if word in _SAME_WORD:
        return _SAME_WORD[word]
    if len(word) > 4 and word.endswith("ies"):
        word = f"{word[:-3]}y"
    elif len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return _SAME_WORD.get(word, word)


@dataclass(frozen=True, slots=True)
class Family:
    """One thing about a person. The first name is the one it is stored under."""

    names: tuple[str, ...]
    also: tuple[str, ...] = ()
    said: str = ""  # how it is said in an answer, if not as the first name

    @property
    def attribute(self) -> str:
        return self.names[0]

    @property
    def phrase(self) -> str:
        return self.said or self.names[0].replace("_", " ")


def _family(names: str, also: str = "", said: str = "") -> Family:
    return Family(tuple(names.split()), tuple(also.split()), said)


FAMILIES: tuple[Family, ...] = (
    _family(
        "name full_name called_name complete_name real_name given_full_name",
        "preferred_name nickname first_name display_name",
    ),
    _family("first_name given_name forename", "name"),
    _family("surname last_name family_name"),
    _family("middle_name second_name"),
    _family("maiden_name birth_name"),
    _family("nickname preferred_name called call_name known_as form_of_address nick"),
    _family("username user_name login handle"),
    _family("display_name screen_name"),
    _family("pronouns pronoun preferred_pronouns"),
    _family(
        "city home_city residence place_of_residence lives_in live_in current_city town location home where_i_live "
        "address_city place current_location city_of_residence"
    ),
    _family("country home_country country_of_residence"),
    _family("street street_name home_street road lives_on residence_street", "address"),
    _family("address home_address postal_address street_address", "street"),
    _family("neighborhood district quarter part_of_town borough"),
    _family("postcode zip_code postal_code zip"),
    _family(
        "hometown home_town origin from place_of_origin comes_from home_village village", "grew_up_in", said="hometown"
    ),
    _family("grew_up_in childhood_home raised_in childhood_city childhood_town", said="childhood home"),
    _family("birthplace place_of_birth birth_place born_in birth_city city_of_birth birth_town"),
    _family("birthday birth_date date_of_birth birthdate birth_day born_on", "birth_month"),
    _family("birth_month month_of_birth birthday_month born_in_month", "birthday", "month of birth"),
    _family("birth_year year_of_birth born_year", said="year of birth"),
    _family("age years_old how_old"),
    _family("job current_job occupation profession job_title role job_role position trade works_as work line_of_work"),
    _family("employer company workplace place_of_work works_at works_for work_place job_place employed_by firm"),
    _family("industry field sector field_of_work work_field", said="field of work"),
    _family("former_job previous_job past_job old_job job_before last_job", said="former job"),
    _family("department work_team"),
    _family(
        "team favorite_team supported_team football_team football_club favorite_football_team sports_team supports "
        "fan_of favorite_club"
    ),
    _family("club member_of membership"),
    _family("husband husband_name", "spouse spouse_name partner partner_name"),
    _family("wife wife_name", "spouse spouse_name partner partner_name"),
    _family("spouse spouse_name husband husband_name wife wife_name", "partner partner_name", "spouse"),
    _family(
        "partner partner_name", "spouse spouse_name husband husband_name wife wife_name boyfriend girlfriend fiance"
    ),
    _family("boyfriend boyfriend_name", "partner partner_name"),
    _family("girlfriend girlfriend_name", "partner partner_name"),
    _family("fiance fiancee fiance_name fiancee_name", "partner partner_name"),
    _family("boss manager supervisor boss_name manager_name line_manager"),
    _family("doctor gp doctor_name physician family_doctor"),
    _family("hairdresser barber hairdresser_name hair_stylist stylist"),
    _family("office_mate shares_office_with office_partner officemate", said="office mate"),
    _family("allergy allergies allergic_to food_allergy food_allergies allergen"),
    _family("intolerance food_intolerance intolerant_of"),
    _family("diet dietary_preference eating_habits food_preference dietary_requirement"),
    _family("does_not_eat avoids avoided_food", said="food to avoid"),
    _family("dislikes hates disliked_food cannot_stand hate dislike hated_food", said="dislike"),
    _family("likes loves love like", said="liking"),
    _family(
        "hobby hobbies interest interests pastime free_time spare_time spare_time_activity leisure free_time_activity"
    ),
    _family("instrument musical_instrument plays instruments plays_instrument"),
    _family("language languages spoken_language spoken_languages languages_spoken speaks", "native_language"),
    _family("native_language mother_tongue first_language mother_language native_tongue"),
    _family("home_language language_at_home", "language"),
    _family("learning_language language_learning learning language_i_learn", said="language to learn"),
    _family("car car_model car_make drives vehicle_model car_brand"),
    _family("bike bike_brand bike_model bicycle"),
    _family("motorbike motorbike_model motorbike_brand", "bike"),
    _family("os operating_system"),
    _family("editor text_editor code_editor"),
    _family("working_hours work_hours office_hours hours"),
    _family("work_start start_of_work work_start_time shift_start working_day_start"),
    _family("day_off days_off free_day"),
    _family("project current_project works_on"),
    _family("phone_model phone_brand mobile_model smartphone phone_type mobile_brand"),
    _family("laptop laptop_model", "computer"),
    _family("computer computer_model", "laptop"),
    _family("height body_height how_tall"),
    _family("weight body_weight"),
    _family("shoe_size size_of_shoes shoes foot_size"),
    _family("t_shirt_size tshirt_size t_shirt", said="t-shirt size"),
    _family("shirt_size"),
    _family("clothing_size clothes_size size dress_size"),
    _family("eye_color eyes color_of_eyes"),
    _family("hair_color color_of_hair"),
    _family("hair hair_type hair_style"),
    _family("handedness dominant_hand hand writing_hand"),
    _family("blood_type blood_group"),
    _family("star_sign zodiac_sign zodiac sign_of_the_zodiac horoscope"),
    _family("number_of_children children_count kids children number_of_kids", said="number of children"),
    _family("number_of_siblings sibling_count siblings", said="number of siblings"),
    _family("family_size people_in_family", "family", "family size"),
    _family("animals keeps animals_kept", said="animals"),
    _family("commute commute_mode way_to_work commute_method", said="way to work"),
    _family("commute_time commute_duration length_of_commute"),
    _family("holiday_destination holiday vacation_destination vacation holiday_place", said="holiday destination"),
    _family("bedtime sleep_time goes_to_bed_at bed_time sleeping_time"),
    _family("wake_up_time wake_time gets_up_at get_up_time waking_time", said="time to get up"),
    _family("breakfast usual_breakfast"),
    _family("lunch usual_lunch"),
    _family("dinner usual_dinner supper"),
    _family("coffee_order usual_coffee", "coffee"),
    _family("tea_order takes_tea", "tea"),
    _family("pizza_topping favorite_pizza_topping"),
    _family("school school_name high_school secondary_school"),
    _family("university college alma_mater university_name"),
    _family("major field_of_study subject studies degree study_subject course"),
    _family("training studying_to_be future_job", said="training"),
    _family("bin_day bin_collection_day rubbish_day"),
    _family("anniversary wedding_anniversary wedding_day anniversary_date"),
    _family("time_zone timezone"),
    _family("parking_spot parking parking_place parking_level car_location parked", said="parking spot"),
    _family("collection collects collecting"),
    _family("current_book reading currently_reading", said="current book"),
    _family("work_from_home_day home_office_day wfh_day home_office works_from_home work_from_home"),
    _family("religion faith"),
    _family("nationality citizenship"),
    _family("glasses wears_glasses eyewear wears"),
    _family("voice choir_voice choir_part sings"),
    _family("marital_status relationship_status"),
    _family("email email_address mail_address"),
    _family("phone phone_number telephone telephone_number mobile mobile_number cell_phone cell_phone_number"),
    _family("website web_site homepage home_page"),
    _family(
        "wifi_name wifi wifi_network wifi_network_name network_name network home_network home_network_name",
        said="wifi network",
    ),
    _family("dog_breed breed_of_dog", said="dog’s breed"),
    _family("cat_breed breed_of_cat", said="cat’s breed"),
)

RELATIONS = frozenset(
    words_in(
        "mother father sister brother son daughter child sibling twin grandmother grandfather grandson "
        "granddaughter grandchild aunt uncle cousin niece nephew husband wife spouse partner boyfriend "
        "girlfriend fiance fiancee friend boss manager supervisor colleague neighbor roommate teacher doctor "
        "gp dentist hairdresser barber landlord landlady therapist vet tutor coach godson goddaughter "
        "godmother godfather godchild assistant lawyer accountant stepmother stepfather stepson stepdaughter "
        "stepsister stepbrother mother_in_law father_in_law sister_in_law brother_in_law son_in_law "
        "daughter_in_law ex ex_wife ex_husband nanny babysitter mentor youngest oldest eldest office_mate "
        "trainer instructor secretary client parent parents physiotherapist plumber cleaner mechanic midwife"
    )
)
PETS = frozenset(
    words_in(
        "dog cat horse pony hamster rabbit bunny parrot budgie bird goldfish fish tortoise turtle pet pig "
        "hen chicken duck goat sheep cow donkey snake lizard gecko ferret rat mouse guinea_pig canary "
        "cockatiel chinchilla frog spider hedgehog llama alpaca goose rooster lamb foal"
    )
)
BREEDS = MappingProxyType(
    {
        **dict.fromkeys(
            words_in(
                "greyhound whippet labrador poodle beagle terrier dachshund spaniel collie corgi husky retriever "
                "bulldog boxer rottweiler pug chihuahua dalmatian setter mastiff schnauzer shepherd lab pinscher "
                "hound malamute akita samoyed lurcher westie cockapoo labradoodle rescue_dog mutt golden_retriever "
                "border_collie sheepdog shih_tzu maltese pointer weimaraner vizsla"
            ),
            "dog",
        ),
        **dict.fromkeys(words_in("siamese persian tabby bengal ragdoll maine_coon sphynx moggy tomcat tom_cat"), "cat"),
        **dict.fromkeys(["mare", "stallion", "gelding"], "horse"),
    }
)
_MODIFIERS = frozenset(
    words_in(
        "best older elder younger little big small twin youngest oldest eldest first second third late ex "
        "half step closest dear good old new former pet rescue family middle only other current closest "
        "great maternal paternal baby"
    )
)
# Things whose own attribute is their name: "my gym is Bodyworks" and "my gym is called Bodyworks" say one thing.
NAMED_THINGS = frozenset(
    words_in(
        "street road school university college company employer gym club choir band team restaurant cafe pub "
        "bar village town city book_club wifi network hospital church bank shop store bakery orchestra hotel "
        "neighborhood district train_line line station podcast show project department rowing_club "
        "yoga_studio studio"
    )
)
# Things whose own attribute says what they are, never what they are called.
MODELS = frozenset(
    words_in("car bike phone laptop computer tablet camera phone_model boat motorbike motorcycle scooter")
)


def _index() -> Mapping[tuple[str, ...], int]:
    index: dict[tuple[str, ...], int] = {}
    for at, family in enumerate(FAMILIES):
        index.setdefault(words_of(family.attribute), at)
    for at, family in enumerate(FAMILIES):
        for name in family.names:
            index.setdefault(words_of(name), at)
    return MappingProxyType(index)


_INDEX = _index()


def family_of(attribute: str) -> Family | None:
    """The family that a name belongs to, or None."""
    at = _INDEX.get(words_of(attribute))
    return None if at is None else FAMILIES[at]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A thing that a question is about, or that a statement tells: the names it may be stored under.

    `same` are names of the very thing, in order of preference; what is told goes where one of them is stored, else
    under `attribute`. `also` are other things that answer a question about it.
    """

    attribute: str
    phrase: str  # how it is said in an answer: "Your <phrase> is ..."
    same: tuple[str, ...]
    also: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.same, *self.also)


def wanted(attribute: str, phrase: str | None = None) -> Wanted:
    """What a name of an attribute means: its family, a relative's or a pet's name, or itself."""
    slug = normalise(attribute)[:MAX_COMPONENT]
    family = family_of(slug)
    if family is not None:
        said = phrase or family.phrase
        first = family.attribute if words_of(slug) == words_of(family.attribute) else slug
        return Wanted(family.attribute, said, tuple(dict.fromkeys((first, *family.names))), family.also)
    noun = _noun_named(slug)
    if is_being(noun):
        return name_of(noun, phrase)
    slug = one_spelling(slug)
    return Wanted(slug, phrase or slug.replace("_", " "), (slug,))


def is_being(noun: str) -> bool:
    """Whether a noun ("best friend", "youngest sister", "dog") is a person or an animal."""
    return _is_one_of(noun, RELATIONS) or _is_one_of(noun, PETS)


def is_animal(noun: str) -> bool:
    return _is_one_of(noun, PETS)


def _is_one_of(noun: str, nouns: frozenset[str]) -> bool:
    slug = normalise(noun)
    if slug in nouns or _stem(slug) in nouns:
        return True
    *before, last = slug.split("_")
    if _stem(last) not in nouns and last not in nouns:
        return bool(before) and f"{before[-1]}_{_stem(last)}" in nouns
    return all(word in _MODIFIERS for word in before)


def _noun_named(slug: str) -> str:
    """The noun in `dogs_name`, `name_of_dog` and `dog`."""
    for start in ("name_of_", "names_of_"):
        slug = slug.removeprefix(start)
    for end in ("_s_name", "s_name", "s_names", "_name", "_names"):
        if slug.endswith(end) and not slug.endswith(f"s{end}"):
            return slug.removesuffix(end)
    return slug


def name_of(noun: str, phrase: str | None = None) -> Wanted:
    """The name of something or somebody of the person's: of a dog, a sister, a guitar."""
    slug = normalise(noun)
    if slug in ("youngest", "oldest", "eldest"):
        slug = f"{slug}_child"
    family = family_of(slug)
    if family is not None and (slug in NAMED_THINGS or is_being(slug) or "wifi" in words_of(slug)):
        said = phrase or family.phrase
        return Wanted(family.attribute, said, (*family.names, f"{slug}_name"), family.also)
    if family is not None and slug not in MODELS:
        return wanted(slug, phrase)
    attribute = f"{slug}_name"[:MAX_COMPONENT]
    said = phrase or f"{slug.replace('_', ' ')}’s name"
    if slug in NAMED_THINGS:
        return Wanted(slug, phrase or slug.replace("_", " "), (slug, attribute))
    if is_being(slug):
        if _stem(slug) == "pet" or slug == "pet":
            pets = tuple(f"{pet}_name" for pet in sorted(PETS - {"pet"}))
            return Wanted("pet_name", said, ("pet_name", "pet"), (*pets, *sorted(PETS - {"pet"})))
        return Wanted(attribute, said, (attribute, slug))
    if slug in MODELS:
        return Wanted(attribute, said, (attribute,))
    return Wanted(attribute, said, (attribute,), (slug,))


def matching(names: Iterable[str], stored: Sequence[str]) -> tuple[str, ...]:
    """Which stored attributes have one of these names, in the order of the names; each once."""
    by_words: dict[tuple[str, ...], list[str]] = {}
    for attribute in stored:
        by_words.setdefault(words_of(attribute), []).append(attribute)
    found: dict[str, None] = {}
    for name in names:
        alike = by_words.get(words_of(name), [])
        for attribute in sorted(alike, key=lambda item: (item != name, item)):
            found.setdefault(attribute)
    return tuple(found)


_ADDS_NOTHING = frozenset(words_in("current currently usual default main normal regular standard present own tv new"))
_OTHER_THING = frozenset(
    words_in(
        "favorite preferred least dream former previous old ex next last first second past disliked worst "
        "best lucky number "
        "work home holiday summer winter"
    )
)
_TOO_WIDE = frozenset(
    words_in(
        "name number day time date size color place thing type code team club line order spot brand model "
        "kind language year month "
        "address title person partner friend preference location"
    )
)


def resembling(attribute: str, stored: Sequence[str]) -> tuple[str, ...]:
    """The one stored attribute whose noun is the one that is asked for, said with more words; none where two are alike.

    `trainer` is `personal_trainer`, and `current_diet` is `diet`; a brother's dog is no dog of one's own, and a dream
    car no car.
    """
    asked = _parts(attribute)
    if not asked or (len(asked) == 1 and asked[0] in _TOO_WIDE):
        return ()
    found = []
    for name in stored:
        parts = _parts(name)
        if not parts or parts[-1] != asked[-1] or not set(asked) <= set(parts):
            continue
        more = [word for word in parts if word not in asked]
        if any(word in _OTHER_THING or is_being(word) for word in more):
            continue
        found.append(name)
    return tuple(found) if len(found) == 1 else ()


def _parts(attribute: str) -> list[str]:
    slug = one_spelling(normalise(attribute[: 4 * MAX_COMPONENT]))
    if is_being(slug.removesuffix("_name").rsplit("_", 1)[-1]):
        slug = slug.removesuffix("_name")
    return [_stem(word) for word in slug.split("_") if word and word not in _LEFT_OUT and word not in _ADDS_NOTHING]
