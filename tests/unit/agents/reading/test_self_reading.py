"""What a text says and asks about its speaker, by tables: what is read, and what must not be."""

import time

import pytest

from mace.agents.reading.attributes import matching, resembling, wanted
from mace.agents.reading.self_reading import MAX_TEXT, read_self


def told(text: str) -> list[tuple[str, str]]:
    said = read_self(text)
    return [] if said is None else [(item.about.attribute, item.value) for item in said.told]


def asked(text: str) -> list[str]:
    said = read_self(text)
    return [] if said is None else [item.about.attribute for item in said.asked]


STATEMENTS = [
    ("My job is glazier", "job", "glazier"),
    ("my job's cheesemonger", "job", "cheesemonger"),
    ("I live in Coimbra", "city", "Coimbra"),
    ("We live in Ulaanbaatar now.", "city", "Ulaanbaatar"),
    ("I live in Norway", "country", "Norway"),
    ("I live on Juniper Lane", "street", "Juniper Lane"),
    ("I've moved to Nantes last spring", "city", "Nantes"),
    ("call me Wren", "nickname", "Wren"),
    ("Everyone calls me Bo.", "nickname", "Bo"),
    ("I work as a dental nurse", "job", "dental nurse"),
    ("I work for Hazel & Sons", "employer", "Hazel & Sons"),
    ("I'm an upholsterer", "job", "upholsterer"),
    ("I was born in Tunis", "birthplace", "Tunis"),
    ("I was born on 3 August", "birthday", "3 August"),
    ("I was born in 1984", "birth_year", "1984"),
    ("I have a dog named Biscuit", "dog_name", "Biscuit"),
    ("We've got a beagle called Socrates", "dog_name", "Socrates"),
    ("Biscuit is my dog", "dog_name", "Biscuit"),
    ("my wife is called Ann", "wife", "Ann"),
    ("My mum's name is Ottoline", "mum_name", "Ottoline"),
    ("my brother's name is Tim", "brother_name", "Tim"),
    ("I speak Danish and Farsi", "language", "Danish and Farsi"),
    ("I'm allergic to walnuts", "allergy", "walnuts"),
    ("set my time zone to CET", "time_zone", "CET"),
    ("Save Plum as my cat's name", "cat_name", "Plum"),
    ("remember that I drive a Lada", "car", "Lada"),
    ("Please note that my locker is blue.", "locker", "blue"),
    ("Could you remember that my gym day is Tuesday?", "gym_day", "Tuesday"),
    ("My bicycle is green", "bike_color", "green"),
    ("hi, my shoe size is 42, thanks", "shoe_size", "42"),
    ("Actually, my favourite tree is elm", "favorite_tree", "elm"),
    ("No, my favorite tree is rowan now", "favorite_tree", "rowan"),
    ("my favourite drink is tea please", "favorite_drink", "tea"),
    ("My shoe size is 41, sorry, 42", "shoe_size", "42"),
    ("MY FAVOURITE FOOD IS PIZZA", "favorite_food", "PIZZA"),
    ("my favourite pub is O’Malley’s", "favorite_pub", "O’Malley’s"),
    ("I’m called Niamh", "name", "Niamh"),
    ("Out of all fruits I like pears best", "favorite_fruit", "pears"),
    ("I keep my passport in the top drawer", "passport_location", "in the top drawer"),
    ("I'm 1.70 m tall", "height", "1.70 m"),
    ("I'm not a cook, I'm a waiter", "job", "waiter"),
]


@pytest.mark.parametrize(("text", "attribute", "value"), STATEMENTS, ids=lambda item: str(item)[:30])
def test_a_statement(text: str, attribute: str, value: str):
    assert told(text) == [(attribute, value)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "My favorite food is pizza\nMy favorite colour is red",
            [("favorite_food", "pizza"), ("favorite_colour", "red")],
        ),
        ("My name is Ana and my job is florist", [("name", "Ana"), ("job", "florist")]),
        ("I'm a baker. I live in Gdynia.", [("job", "baker"), ("city", "Gdynia")]),
        ("I'm a curator at the Clock Museum", [("job", "curator"), ("employer", "the Clock Museum")]),
        ("My sister's name is Ida and her dog is called Max", [("sister_name", "Ida")]),
        ("My dentist is called Uwe and lives in Kiel", [("dentist_name", "Uwe")]),
    ],
)
def test_several_statements_are_taken_one_by_one(text: str, expected: list[tuple[str, str]]):
    found = told(text)
    assert [value for _, value in found] == [value for _, value in expected]
    assert len(found) == len(expected)


@pytest.mark.parametrize(
    "text",
    [
        "Is my name Ana?",
        "So my job is baker?",
        "If my name were Ana",
        "Imagine my name is Ana",
        "I wish I lived in Rome",
        "I might move to Bergen",
        "When I'm old I'll live in Faro",
        "My name is not Ana",
        "My shoe size isn't 42",
        "I don't live in Paris",
        "I'm not a doctor",
        'The song goes "my name is Luka"',
        "She said my name is Luka",
        "Translate: my name is Luka",
        "my name is Batman, just kidding",
        "I think my shoe size is maybe 42",
        "I am tired",
        "I'm hungry",
        "I'm in a hurry",
        "my job is killing me",
        "my city is beautiful",
        "my employer is a nightmare",
        "my favourite band is on tour",
        "my favourite mug is broken",
        "my car is at the garage",
        "my desk is a mess",
        "I'm a Londoner",
        "I hate Mondays",
        "Time is my enemy",
        "I'm Batman",
        "I work in silence",
        "my laptop is slow",
        "my birthday is coming up",
        "My question is simple",
        "my partner is vegan",
        "Your name is Friday",
        "Her name is Josephine",
        "Bob's favourite film is Alien",
        "Most people live in cities",
        "I work best at night",
        "I live in fear of heights",
        "call me later",
        "I drive a hard bargain",
        "I have an idea",
        "I love you",
        "remember to buy bread",
        "set the volume to 5",
        "Set my alarm to seven",
        "thanks",
        "no",
        "",
        "Меня зовут Анна",
        "私の名前は花子です",
    ],
)
def test_what_tells_nothing(text: str):
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("my brother's dog is called Rex", "dog_name"),
        ("my flatmate's shoe size is 48", "shoe_size"),
        ("my mum's favourite colour is beige", "favorite_color"),
        ("my son's birthday is on 4 April", "birthday"),
        ("my husband's brother's name is Rolf", "brother_name"),
    ],
)
def test_other_peoples_facts_are_not_the_speakers(text: str, own: str):
    assert own not in [attribute for attribute, _ in told(text)]


QUESTIONS = [
    ("What am I called?", "name"),
    ("who am I", "name"),
    ("Where do I live?", "city"),
    ("Do you know where I live?", "city"),
    ("which town do I live in", "city"),
    ("what country do I live in?", "country"),
    ("do you know my shoe size", "shoe_size"),
    ("Can you remind me what my dog's called?", "dog_name"),
    ("what's the name of my dog", "dog_name"),
    ("How old am I?", "age"),
    ("what do I do for a living?", "job"),
    ("who do I work for", "employer"),
    ("When is my birthday?", "birthday"),
    ("where was I born", "birthplace"),
    ("Which tree do I like best?", "favorite_tree"),
    ("what's my favourite tree", "favorite_tree"),
    ("WHAT IS MY FAVOURITE TREE", "favorite_tree"),
    ("who's my boss?", "boss"),
    ("What's my husband's name?", "husband"),
    ("What colour is my locker?", "locker_color"),
    ("my shoe size?", "shoe_size"),
    ("I need new boots. What's my shoe size?", "shoe_size"),
    ("What’s my job?", "job"),
    ("what was my first pet called", "first_pet_name"),
    ("which instrument do I play", "instrument"),
]


@pytest.mark.parametrize(("text", "attribute"), QUESTIONS)
def test_a_question(text: str, attribute: str):
    assert asked(text) == [attribute]
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "attributes"),
    [
        ("what is my favorite tree and my shoe size?", ["favorite_tree", "shoe_size"]),
        ("What's my name and where do I live?", ["name", "city"]),
        ("Which film and which book are my favourites?", ["favorite_film", "favorite_book"]),
    ],
)
def test_two_questions_at_once(text: str, attributes: list[str]):
    assert asked(text) == attributes


@pytest.mark.parametrize(
    ("text", "attribute", "expected"),
    [
        ("is my dog called Rex?", "dog_name", "Rex"),
        ("Is my shoe size 43?", "shoe_size", "43"),
        ("do I live in Porto?", "city", "Porto"),
        ("Am I a teacher?", "job", "teacher"),
    ],
)
def test_yes_or_no(text: str, attribute: str, expected: str):
    said = read_self(text)
    assert said is not None
    [item] = said.asked
    assert (item.about.attribute, item.expected) == (attribute, expected)


@pytest.mark.parametrize(
    "text",
    ["What do you know about me?", "show me my profile", "list everything I've told you", "tell me about myself"],
)
def test_everything(text: str):
    said = read_self(text)
    assert said is not None and said.everything


@pytest.mark.parametrize(
    "text",
    [
        "What is entropy?",
        "what's your name?",
        "who are you?",
        "where can I buy bread",
        "what should I name my dog?",
        "What film did I see yesterday?",
        "which colour don't I like?",
        "what's new?",
        "how are you?",
        "Where would I like to live?",
    ],
)
def test_what_asks_nothing_about_the_speaker(text: str):
    assert asked(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("No, it's elm", "elm"),
        ("sorry, I meant the oboe", "the oboe"),
        ("make that Friday", "Friday"),
        ("It's now Osaka", "Osaka"),
        ("it's late", None),
        ("No, it isn't", None),
        ("actually, that's fine", None),
    ],
)
def test_a_correction_of_what_was_spoken_of_last(text: str, value: str | None):
    said = read_self(text)
    assert (None if said is None else said.correction) == value


@pytest.mark.parametrize("text", ["forget my shoe size", "Please delete my name"])
def test_orders_to_forget(text: str):
    said = read_self(text)
    assert said is not None and len(said.forgotten) == 1 and not said.told


@pytest.mark.parametrize(
    "part",
    [
        "my name is Ana and ",
        "I live in ",
        "what is my ",
        "no, no, ",
        "please ",
        "'s is 's ",
        ", and I ",
        "do you know ",
        "a" * 50,
        "my ",
        "… ",
        "remember that ",
        "I have a dog ",
        '"',
        "is called ",
        "\n",
        " ",
        "it's ",
        "as my ",
    ],
)
def test_a_long_text_takes_no_longer_than_its_length(part: str):
    """Of a megabyte nothing is read; of the longest text that is, a hundred readings end, whatever it repeats."""
    assert read_self(part * (1_000_000 // len(part))) is None
    longest = (part * MAX_TEXT)[:MAX_TEXT]
    started = time.process_time()
    read_self(longest)
    assert time.process_time() - started < 5  # what is not linear takes minutes


WORDS = str.split(
    "my|I|I'm|is|are|called|named|a|the|dog|name|city|job|Porto|Rex|42|and|not|no|it's|what|where|do"
    "|live|in|work|as|favourite|"
    "colour|red|of|for|remember|that|set|to|size|wife's|brother|two|cats|Salt|Pepper|now|please|,|.|?|!|:|’|\"|…|(|)|=",
    "|",
)


def test_whatever_is_said_is_read_without_an_error():
    """Ten thousand texts of words that the forms are made of, always the same ones."""
    state = 1
    for _ in range(10_000):
        words = []
        for _ in range(3 + state % 9):
            state = (state * 1_103_515_245 + 12_345) % (1 << 31)
            words.append(WORDS[state % len(WORDS)])
        read_self(" ".join(words))


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("my sister lives in Oslo", "sister_city", "Oslo"),
        ("my wife works at Tidewell", "wife_employer", "Tidewell"),
        ("My dad drives a Volvo", "dad_car", "Volvo"),
        ("My brother is 45", "brother_age", "45"),
        ("our dog is a whippet", "dog_breed", "whippet"),
    ],
)
def test_what_is_told_of_others_is_never_the_speakers_own(text: str, attribute: str, value: str):
    assert told(text) == [(attribute, value)]
    own = attribute.split("_", 1)[1]
    assert matching(wanted(own).names, [attribute]) == ()
    assert resembling(own, [attribute]) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # verbs of one class
        ("I bank with Marlow Trust", [("bank", "Marlow Trust")]),
        ("I report to Ines Calder", [("boss", "Ines Calder")]),
        ("we settled in Pécs", [("city", "Pécs")]),
        ("I take a size 7 in gloves", [("glove_size", "7")]),
        ("I root for the Wexford Owls", [("team", "the Wexford Owls")]),
        ("I get up around half past six", [("wake_up_time", "half past six")]),
        ("I'm not keen on liquorice", [("dislikes", "liquorice")]),
        # another order
        ("A colleague of mine is Bram", [("colleague_name", "Bram")]),
        ("The firm I work for is Hollis Glass", [("employer", "Hollis Glass")]),
        ("meet Pepper, my ferret", [("ferret_name", "Pepper")]),
        ("Our tortoise, whose name is Doris, is asleep.", [("tortoise_name", "Doris")]),
        ("My vet, who is very patient, is called Noor", [("vet_name", "Noor")]),
        ("the title of my thesis is Salt and Tides", [("thesis_title", "Salt and Tides")]),
        ("There's no song I love more than Blue Moon", [("favorite_song", "Blue Moon")]),
        # left out
        ("based in Lund", [("city", "Lund")]),
        ("im allergic to kiwis 🥝", [("allergy", "kiwis")]),
        ("Shoe size: 43", [("shoe_size", "43")]),
        ("Editor: Kakoune", [("editor", "Kakoune")]),
        ("Wife Greta, son Nils", [("wife", "Greta"), ("son_name", "Nils")]),
        # changes
        ("change my favourite tea from mint to sencha", [("favorite_tea", "sencha")]),
        ("My shoe size has gone from 38 to 39", [("shoe_size", "39")]),
        ("My team used to be Ajax, now it's Sparta", [("team", "Sparta")]),
        # several
        ("I'm 31, married and from Split", [("age", "31"), ("marital_status", "married"), ("hometown", "Split")]),
        ("I live in Turin and work at Brightwater", [("city", "Turin"), ("employer", "Brightwater")]),
        ("My name is Leonora but please call me Nora", [("name", "Leonora"), ("nickname", "Nora")]),
        ("I'm Icelandic", [("nationality", "Icelandic")]),
    ],
)
def test_what_is_told_by_verb_order_and_list(text: str, expected: list[tuple[str, str]]):
    assert told(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I like the idea",
        "I bought a Tesla for my son",
        "I drive my kids to school",
        "I'm staying in Rome for the weekend",
        "I go by the book",
        "Working as intended",
        "Hello from Berlin",
        "Learning Python is fun",
        "The best restaurant in town is Noma",
        "The book I read is Dune",
        "This is John, my boss's friend",
        "my meeting starts at 9",
        "the kids call me every day",
        "I fly from Rome tomorrow",
        "He's a nurse, she's my age",
        "I turn 40 in May",
        "my car is 5 years old",
        "The name is misleading",
        "Note: meeting at 5",
        "Problem: it crashes on start",
        "Life is my teacher",
        "I lived in Rome as a child",
        "Come here",
    ],
)
def test_what_only_looks_like_a_statement(text: str):
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "stored", "found"),
    [
        ("Which bank am I with?", ["bank", "city"], ("bank",)),
        ("who do I report to?", ["boss", "employer"], ("boss",)),
        ("what's my current diet?", ["diet"], ("diet",)),
        ("who's my trainer?", ["personal_trainer_name"], ("personal_trainer_name",)),
        ("which city am I based in", ["city", "hometown"], ("city",)),
        ("what size gloves fit me?", ["glove_size", "shoe_size"], ("glove_size",)),
        ("who teaches me cello?", ["cello_teacher_name", "boss"], ("cello_teacher_name",)),
        ("where does my sister live?", ["sister_city", "city"], ("sister_city",)),
        ("how old is my son?", ["son_age", "age"], ("son_age",)),
        # another thing is no answer
        ("which car did I sell?", ["car"], ()),
        ("where do I want to live?", ["city"], ()),
        ("what sport do I play?", ["instrument"], ()),
        ("what sport do I hate?", ["dislikes"], ()),
        ("which days do I work?", ["employer"], ()),
        ("how many languages do I speak?", ["language"], ()),
        ("what's my dog called?", ["brothers_dog_name"], ()),
        ("what's my car called?", ["car"], ()),
        ("which car do I have?", ["dream_car"], ()),
        ("where does my wife work?", ["employer"], ()),
        ("who's my coach?", ["tennis_coach_name", "choir_coach_name"], ()),
    ],
)
def test_what_a_question_in_other_words_finds(text: str, stored: list[str], found: tuple[str, ...]):
    said = read_self(text)
    about = [] if said is None else [item.about for item in said.asked]
    near = [
        matching(item.same, stored) or matching(item.also, stored) or resembling(item.attribute, stored)
        for item in about
    ]
    assert tuple(name for names in near for name in names) == found
