"""Questions about the world: which words name the subject, and which stored attribute they ask for."""

import pytest

from mace.agents.reading import world
from mace.agents.reading.world_words import FAMILIES, root
from mace.memory.keys import normalise

STORED = {
    "portugal": {
        "capital": "Lisbon",
        "population": "10 million",
        "language": "Portuguese",
        "currency": "euro",
        "area": "92,000 km²",
        "president": "Rui Alves",
    },
    "lisbon": {"area": "100 km²", "location": "Portugal", "founded": "1200 BC"},
    "boeing_747": {
        "length": "70 m",
        "weight": "180 tonnes",
        "manufacturer": "Boeing",
        "first_flight": "1969",
        "top_speed": "990 km/h",
    },
    "war_and_peace": {"author": "Leo Tolstoy", "published": "1869", "pages": "1225"},
    "nokia": {
        "founded": "1865",
        "founder": "Fredrik Idestam",
        "headquarters": "Espoo",
        "ceo": "Pekka",
        "employees": "86,000",
    },
    "entropy": {"definition": "A measure of disorder", "unit": "J/K", "symbol": "S"},
    "beethoven": {"definition": "A German composer", "born": "1770", "died": "1827", "birthplace": "Bonn"},
    "penguin": {
        "diet": "fish and krill",
        "lifespan": "20 years",
        "habitat": "Antarctica",
        "height": "1 m",
        "definition": "A flightless bird",
    },
    "office_printer": {"location": "room 12", "model": "LX-9"},
    "team_falcon": {"lead": "Mira", "budget": "9,000 euros", "definition": "The group that maintains the portal"},
    "rust": {"definition": "A systems programming language", "creator": "Graydon Hoare", "first_release": "2015"},
    "everest": {"elevation": "8849 m", "first_climbed": "1953", "first_climbed_by": "Hillary and Tenzing"},
    "api": {"stands_for": "application programming interface", "definition": "A set of functions a program offers"},
    "louvre": {
        "opening_hours": "9 to 18",
        "ticket_price": "22 euros",
        "address": "Rue de Rivoli",
        "architect": "I. M. Pei",
        "director": "Laurence",
    },
    "guernica": {"painter": "Pablo Picasso", "year": "1937", "location": "Madrid"},
    "paella": {"ingredients": "rice, saffron and rabbit", "origin": "Valencia"},
    "amazon_river": {"length": "6,400 km", "mouth": "Atlantic Ocean", "source": "Peru"},
    "yoga_class": {"time": "Tuesday 18:00", "teacher": "Lena", "location": "Hall B"},
    "oxygen": {"atomic_number": "8", "symbol": "O", "discovered_by": "Priestley", "discovered": "1774"},
    "annual_meeting": {"date": "12 May", "venue": "Town Hall"},
    "titan": {
        "definition": "The largest moon of Saturn",
        "diameter": "5,150 km",
        "discovered": "1655",
        "discoverer": "Huygens",
    },
    "kilogram": {"definition": "The SI unit of mass", "symbol": "kg"},
    "wi_fi_password_policy": {"definition": "Passwords change each month"},
    "server_room": {"floor": "basement", "temperature": "18 °C"},
    "golden_gate_bridge": {"opened": "1937", "length": "2,737 m", "color": "orange"},
    "mercury": {"definition": "The planet nearest to the sun", "diameter": "4,880 km"},
    "harbour_cafe": {
        "opening_hours": "8 to 20",
        "phone": "555",
        "owner": "Pia",
        "menu": "soup and bread",
        "wifi_password": "sardine",
    },
    "mount_fuji": {"height": "3,776 m", "location": "Japan", "last_eruption": "1707"},
    "the_odyssey": {"author": "Homer", "genre": "epic"},
    "bicycle": {"inventor": "Karl Drais", "invented": "1817", "definition": "A vehicle with two wheels"},
    "vaccine": {"definition": "A substance that trains the immune system"},
    "sushi": {"origin": "Japan", "ingredients": "rice and fish"},
    "ferry_12": {"departure_time": "7:40", "destination": "Kaldholm", "price": "6 euros", "duration": "25 minutes"},
    "kaldholm": {"population": "4,000", "mayor": "Ingrid Voss", "country": "Norland"},
    "norland": {
        "capital": "Osthavn",
        "president": "Jon Berg",
        "national_anthem": "Northern Light",
        "official_language": "Norse",
        "highest_mountain": "Storfjell",
        "flag": "white and blue",
    },
    "photon": {"definition": "A particle of light", "mass": "zero"},
    "tiger": {
        "weight": "220 kg",
        "top_speed": "65 km/h",
        "diet": "deer and boar",
        "scientific_name": "Panthera tigris",
    },
    "helium": {"atomic_number": "2", "boiling_point": "-269 °C", "density": "0.18 kg/m³"},
    "ada_lovelace": {
        "born": "1815",
        "died": "1852",
        "known_for": "the first program",
        "nationality": "British",
        "definition": "A mathematician",
    },
    "gutenberg_bible": {"printed": "1455", "printer": "Johannes Gutenberg"},
    "css": {"stands_for": "Cascading Style Sheets", "purpose": "styling web pages"},
    "chess": {"players": "2", "board_size": "8 by 8", "inventor": "unknown"},
    "project_heron": {
        "deadline": "1 March",
        "manager": "Ola",
        "status": "on hold",
        "client": "Fjord Bank",
        "goal": "replace the old ledger",
    },
    "fjord_bank": {"founded": "1921", "ceo": "Liv Dahl", "headquarters": "Osthavn", "website": "fjordbank.example"},
    "recycling_day": {"date": "every second Thursday"},
    "room_204": {"capacity": "30", "floor": "second"},
    "honey": {"shelf_life": "forever", "definition": "A sweet food made by bees"},
    "velvet_revolution": {"year": "1989", "definition": "A peaceful change of government"},
    "marathon": {"distance": "42.195 km", "record": "2:00:35"},
}


def ask(text: str, stored: dict[str, dict[str, str]] = STORED) -> str | None:
    """The value that answers a question when this is all that is stored."""
    question = world.read_question(text)
    if question is None:
        return None
    found = [
        world.Found(name, f"world/fact/{normalise(name)}", tuple(sorted(stored[normalise(name)])))
        for name in question.subjects
        if normalise(name) in stored
    ]
    choices, _ = world.choose(question, found)
    for choice in choices:
        value = stored[choice.key.split("/")[2]][choice.attribute]
        if world.fits(choice, value):
            return value
    return None


ANSWERED = [
    ("whats the capital of portugal", "Lisbon"),
    ("Portugal's capital?", "Lisbon"),
    ("Name the capital of Portugal", "Lisbon"),
    ("what is portugal's capital city called?", "Lisbon"),
    ("Hey, what's the capital of Portugal again?", "Lisbon"),
    ("how many people are there in Portugal?", "10 million"),
    ("How many inhabitants does Portugal have?", "10 million"),
    ("what is the population of portugal", "10 million"),
    ("how populous is portugal", "10 million"),
    ("What language is spoken in Portugal?", "Portuguese"),
    ("Which language do people speak in portugal?", "Portuguese"),
    ("which currency is used in Portugal?", "euro"),
    ("what money do they use in Portugal", "euro"),
    ("Who is the president of Portugal?", "Rui Alves"),
    ("what's the size of Portugal?", "92,000 km²"),
    ("How large is Portugal in area?", "92,000 km²"),
    ("What's Lisbon's area?", "100 km²"),
    ("where's lisbon", "Portugal"),
    ("Where is Lisbon located?", "Portugal"),
    ("what is the location of Lisbon?", "Portugal"),
    ("When was Lisbon founded?", "1200 BC"),
    ("in what year was lisbon founded", "1200 BC"),
    ("How long is a Boeing 747?", "70 m"),
    ("what is the length of the boeing 747", "70 m"),
    ("who makes the Boeing 747?", "Boeing"),
    ("which company makes the boeing 747?", "Boeing"),
    ("how fast can a Boeing 747 fly?", "990 km/h"),
    ("what's the top speed of the boeing 747", "990 km/h"),
    ("When was the Boeing 747's first flight?", "1969"),
    ("when did the boeing 747 first fly?", "1969"),
    ("how much does a Boeing 747 weigh?", "180 tonnes"),
    ("who wrote war and peace?", "Leo Tolstoy"),
    ("Who is War and Peace by?", "Leo Tolstoy"),
    ("who was the author of War and Peace", "Leo Tolstoy"),
    ("When was War and Peace published?", "1869"),
    ("when did war and peace come out?", "1869"),
    ("how many pages are in War and Peace?", "1225"),
    ("How many pages has War and Peace?", "1225"),
    ("Who started Nokia?", "Fredrik Idestam"),
    ("who is the founder of nokia", "Fredrik Idestam"),
    ("when was nokia established", "1865"),
    ("Where is Nokia headquartered?", "Espoo"),
    ("where does Nokia have its headquarters?", "Espoo"),
    ("Who's the CEO of Nokia?", "Pekka"),
    ("who runs nokia?", "Pekka"),
    ("how many employees does nokia have?", "86,000"),
    ("How many people work at Nokia?", "86,000"),
    ("How many people work for nokia", "86,000"),
    ("what is meant by entropy?", "A measure of disorder"),
    ("can you define entropy for me?", "A measure of disorder"),
    ("I'd like to know what entropy is", "A measure of disorder"),
    ("give me a definition of entropy", "A measure of disorder"),
    ("entropy definition", "A measure of disorder"),
    ("what's the definition of entropy?", "A measure of disorder"),
    ("What exactly is entropy?", "A measure of disorder"),
    ("look up entropy", "A measure of disorder"),
    ("find entropy", "A measure of disorder"),
    ("search for entropy", "A measure of disorder"),
    ("What is the unit of entropy?", "J/K"),
    ("In which unit is entropy measured?", "J/K"),
    ("entropy means what?", "A measure of disorder"),
    ("tell me what the term entropy means", "A measure of disorder"),
    ("what do we mean by entropy", "A measure of disorder"),
    ("do you know anything about entropy?", "A measure of disorder"),
    ("who was beethoven", "A German composer"),
    ("When was Beethoven born?", "1770"),
    ("when did Beethoven die?", "1827"),
    ("where was Beethoven born?", "Bonn"),
    ("what is Beethoven's birthplace", "Bonn"),
    ("In which city was Beethoven born?", "Bonn"),
    ("what's Beethoven's date of birth", "1770"),
    ("in which year did beethoven die?", "1827"),
    ("what do penguins eat?", "fish and krill"),
    ("what does a penguin eat", "fish and krill"),
    ("how long do penguins live?", "20 years"),
    ("What's the lifespan of a penguin?", "20 years"),
    ("where do penguins live?", "Antarctica"),
    ("how tall is a penguin?", "1 m"),
    ("How tall do penguins get?", "1 m"),
    ("tell me about penguins", "A flightless bird"),
    ("what are penguins?", "A flightless bird"),
    ("where can I find the office printer?", "room 12"),
    ("where is the office printer kept", "room 12"),
    ("which model is the office printer?", "LX-9"),
    ("what model is the office printer", "LX-9"),
    ("who leads team falcon", "Mira"),
    ("Who is in charge of Team Falcon?", "Mira"),
    ("who's leading Team Falcon?", "Mira"),
    ("who heads team falcon?", "Mira"),
    ("what's team falcon's budget?", "9,000 euros"),
    ("how big is the budget of Team Falcon?", "9,000 euros"),
    ("what does team falcon do?", "The group that maintains the portal"),
    ("who created Rust?", "Graydon Hoare"),
    ("Who's the creator of Rust?", "Graydon Hoare"),
    ("when was rust first released?", "2015"),
    ("what is rust?", "A systems programming language"),
    ("How high is Everest?", "8849 m"),
    ("what's everest's height?", "8849 m"),
    ("when was Everest first climbed?", "1953"),
    ("Who first climbed Everest?", "Hillary and Tenzing"),
    ("what does API stand for?", "application programming interface"),
    ("What is API short for?", "application programming interface"),
    ("what's an API?", "A set of functions a program offers"),
    ("when is the Louvre open?", "9 to 18"),
    ("What are the Louvre's opening hours?", "9 to 18"),
    ("what time does the Louvre close?", "9 to 18"),
    ("how much is a ticket for the Louvre?", "22 euros"),
    ("How much does a ticket to the Louvre cost?", "22 euros"),
    ("how much is the entrance to the louvre", "22 euros"),
    ("what's the address of the louvre?", "Rue de Rivoli"),
    ("Who designed the Louvre?", "I. M. Pei"),
    ("who is the louvre's director?", "Laurence"),
    ("Who painted Guernica?", "Pablo Picasso"),
    ("where does Guernica hang?", "Madrid"),
    ("where can I see Guernica?", "Madrid"),
    ("when was Guernica painted?", "1937"),
    ("what's in paella?", "rice, saffron and rabbit"),
    ("what is paella made from?", "rice, saffron and rabbit"),
    ("what are the ingredients of paella?", "rice, saffron and rabbit"),
    ("where does paella come from?", "Valencia"),
    ("What goes into paella?", "rice, saffron and rabbit"),
    ("how long is the Amazon River?", "6,400 km"),
    ("where does the Amazon River end?", "Atlantic Ocean"),
    ("where does the amazon river start", "Peru"),
    ("into which ocean does the Amazon River flow?", "Atlantic Ocean"),
    ("when is yoga class?", "Tuesday 18:00"),
    ("who teaches the yoga class?", "Lena"),
    ("where is the yoga class held?", "Hall B"),
    ("what time is yoga class?", "Tuesday 18:00"),
    ("what's oxygen's atomic number?", "8"),
    ("Who discovered oxygen?", "Priestley"),
    ("when was oxygen discovered?", "1774"),
    ("which symbol stands for oxygen?", "O"),
    ("what is the chemical symbol for oxygen?", "O"),
    ("when is the annual meeting?", "12 May"),
    ("where's the annual meeting?", "Town Hall"),
    ("when does the annual meeting take place", "12 May"),
    ("on what date is the annual meeting?", "12 May"),
    ("where will the annual meeting be held?", "Town Hall"),
    ("what is Titan?", "The largest moon of Saturn"),
    ("who discovered titan", "Huygens"),
    ("How wide is Titan?", "5,150 km"),
    ("what is the diameter of Titan", "5,150 km"),
    ("what's a kilogram?", "The SI unit of mass"),
    ("what is the symbol for kilogram?", "kg"),
    ("which floor is the server room on?", "basement"),
    ("on which floor is the server room?", "basement"),
    ("What's the temperature in the server room?", "18 °C"),
    ("how warm is the server room", "18 °C"),
    ("When did the Golden Gate Bridge open?", "1937"),
    ("what color is the golden gate bridge?", "orange"),
    ("what's the colour of the Golden Gate Bridge?", "orange"),
    ("what colour does the Golden Gate Bridge have?", "orange"),
    ("is Lisbon the capital of Portugal?", "Lisbon"),
    ("Portugal capital", "Lisbon"),
    ("I wonder how tall penguins are", "1 m"),
    ("please tell me when Beethoven was born", "1770"),
    ("mercury's diameter", "4,880 km"),
    ("when does the Harbour Cafe open?", "8 to 20"),
    ("what are the hours of harbour cafe", "8 to 20"),
    ("until when is the harbour cafe open?", "8 to 20"),
    ("what's the phone number of the harbour cafe", "555"),
    ("who is harbour cafe's owner", "Pia"),
    ("what's on the menu at the Harbour Cafe?", "soup and bread"),
    ("what is the wifi password of harbour cafe?", "sardine"),
    ("what's the elevation of mount fuji", "3,776 m"),
    ("how tall is mount fuji exactly?", "3,776 m"),
    ("when did mount fuji last erupt?", "1707"),
    ("when was the last eruption of Mount Fuji?", "1707"),
    ("who wrote the odyssey", "Homer"),
    ("Who is the author of The Odyssey?", "Homer"),
    ("what genre is the odyssey?", "epic"),
    ("who invented the bicycle?", "Karl Drais"),
    ("when was the bicycle invented", "1817"),
    ("in which year was the bicycle invented?", "1817"),
    ("what's a bicycle?", "A vehicle with two wheels"),
    ("could you explain to me what a bicycle is?", "A vehicle with two wheels"),
    ("What are vaccines?", "A substance that trains the immune system"),
    ("explain vaccines to me please", "A substance that trains the immune system"),
    ("where is sushi from?", "Japan"),
    ("where does sushi originate?", "Japan"),
    ("what's the origin of sushi?", "Japan"),
    ("which country does sushi come from?", "Japan"),
    ("when does ferry 12 leave?", "7:40"),
    ("what time does ferry 12 depart?", "7:40"),
    ("where does ferry 12 go?", "Kaldholm"),
    ("how much does ferry 12 cost?", "6 euros"),
    ("how long does ferry 12 take?", "25 minutes"),
    ("what does ferry 12 cost", "6 euros"),
    ("how many people live in Kaldholm?", "4,000"),
    ("what's the number of inhabitants of kaldholm?", "4,000"),
    ("who's the mayor of Kaldholm?", "Ingrid Voss"),
    ("which country is Kaldholm in?", "Norland"),
    ("in what country is kaldholm", "Norland"),
    ("What's Norland's capital?", "Osthavn"),
    ("Norland's capital city is what?", "Osthavn"),
    ("who is president of Norland?", "Jon Berg"),
    ("what's the national anthem of norland", "Northern Light"),
    ("what is the official language of Norland?", "Norse"),
    ("what language do people in Norland speak?", "Norse"),
    ("what's the highest mountain in Norland?", "Storfjell"),
    ("what is the flag of norland", "white and blue"),
    ("what's a photon?", "A particle of light"),
    ("what is the mass of a photon?", "zero"),
    ("how heavy is a tiger?", "220 kg"),
    ("how much do tigers weigh", "220 kg"),
    ("How fast can a tiger run?", "65 km/h"),
    ("what do tigers eat?", "deer and boar"),
    ("what is a tiger's scientific name?", "Panthera tigris"),
    ("what's the Latin name of the tiger?", "Panthera tigris"),
    ("at which temperature does helium boil?", "-269 °C"),
    ("what's the boiling point of helium", "-269 °C"),
    ("what is helium's density?", "0.18 kg/m³"),
    ("how dense is helium", "0.18 kg/m³"),
    ("what is Ada Lovelace known for?", "the first program"),
    ("when did Ada Lovelace die", "1852"),
    ("what nationality was Ada Lovelace?", "British"),
    ("who is ada lovelace?", "A mathematician"),
    ("What year was Ada Lovelace born in?", "1815"),
    ("when was the gutenberg bible printed?", "1455"),
    ("who printed the Gutenberg Bible?", "Johannes Gutenberg"),
    ("what does CSS stand for", "Cascading Style Sheets"),
    ("what is css used for?", "styling web pages"),
    ("what is the purpose of CSS?", "styling web pages"),
    ("how many players do you need for chess?", "2"),
    ("when is project heron due?", "1 March"),
    ("what's the deadline for Project Heron?", "1 March"),
    ("who manages project heron?", "Ola"),
    ("who is the manager of Project Heron?", "Ola"),
    ("what is the status of project heron?", "on hold"),
    ("who is the client for project heron?", "Fjord Bank"),
    ("what's the goal of Project Heron?", "replace the old ledger"),
    ("when was Fjord Bank founded?", "1921"),
    ("who is the CEO of fjord bank", "Liv Dahl"),
    ("who's the boss of Fjord Bank?", "Liv Dahl"),
    ("where's Fjord Bank's headquarters?", "Osthavn"),
    ("what's fjord bank's website?", "fjordbank.example"),
    ("when is recycling day?", "every second Thursday"),
    ("how many people fit in room 204?", "30"),
    ("how many people fit into room 204", "30"),
    ("what floor is room 204 on", "second"),
    ("what's honey?", "A sweet food made by bees"),
    ("when was the velvet revolution?", "1989"),
    ("what was the velvet revolution?", "A peaceful change of government"),
    ("what year was the Velvet Revolution", "1989"),
    ("how long is a marathon", "42.195 km"),
    ("what's the distance of a marathon?", "42.195 km"),
    ("what is the marathon record?", "2:00:35"),
    ("what's the record for the marathon?", "2:00:35"),
]


@pytest.mark.parametrize(("text", "value"), ANSWERED)
def test_a_paraphrase_finds_what_is_stored(text: str, value: str):
    assert ask(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "In which country is Lisbon?",
        "how old is Lisbon?",
        "which letter stands for entropy?",
        "where is entropy?",
        "who is entropy",
        "What's the deal with entropy?",
        "what does the abbreviation API mean?",
        "who is Titan?",
        "Is Porto the capital of Portugal?",
        "capital portugal",
        "who composed war and peace",
        "what is the area of Lisbon's castle?",
        "what was the population of Portugal in 1900?",
        "who was the second president of portugal",
        "what is not the capital of portugal",
        "What is the capital of Spain?",
        "what is vitamin entropy?",
        "who wrote the sequel to War and Peace?",
        "what did Beethoven eat?",
        "How much is Portugal?",
        "What is the capital of the country north of Portugal?",
        "how many pages did Tolstoy write for War and Peace in French?",
        "who is the capital of entropy",
        "what is my penguin?",
        "What is on Titan?",
        "What is the word for penguin?",
        "Do you like paella?",
        "Penguins are birds.",
        "Team Falcon leads the budget",
        "Remember that the capital of Portugal is Porto",
        "What is entropy? And what is rust?",
        "",
        "???",
        "what",
        "What planet is Mercury?",
        "is the harbour cafe open?",
        "which country is mount fuji in?",
        "how do vaccines work?",
        "what do you need for sushi?",
        "who governs kaldholm?",
        "what is norland's anthem?",
        "What does the flag of Norland look like?",
        "does a photon have mass?",
        "how old was Ada Lovelace when she died?",
        "what's the meaning of the abbreviation CSS?",
        "what's CSS for?",
        "how many people play chess?",
        "how long does honey last?",
    ],
)
def test_a_word_to_spare_or_another_attribute_gets_no_answer(text: str):
    assert ask(text) is None


def test_without_its_fact_a_question_is_not_answered_from_another():
    for text, value in ANSWERED:
        without = {
            subject: {attribute: held for attribute, held in facts.items() if held != value}
            for subject, facts in STORED.items()
        }
        assert ask(text, without) is None, text


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("How high is Portugal?", "world/fact/portugal/height"),
        ("Where is entropy?", "world/fact/entropy/location"),
        ("What is the anthem of Portugal?", "world/fact/portugal/anthem"),
        ("When does the annual meeting end?", "world/fact/annual_meeting/end"),
        ("Who is Portugal?", "world/fact/portugal/definition"),
    ],
)
def test_what_a_stored_subject_lacks_is_named(text: str, key: str):
    question = world.read_question(text)
    assert question is not None and question.is_sure
    known = [
        world.Found(name, f"world/fact/{normalise(name)}", tuple(STORED[normalise(name)]))
        for name in question.subjects
        if normalise(name) in STORED
    ]
    choices, missing = world.choose(question, known)
    assert (choices, missing) == ([], key)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("What is a florbin?", "world/fact/florbin/definition"),
        ("how tall is the Zed Tower?", "world/fact/zed_tower/height"),
        ("What's the capital of Zedland?", "world/fact/zedland/capital"),
    ],
)
def test_what_is_stored_under_no_name_is_named_too(text: str, key: str):
    question = world.read_question(text)
    assert question is not None and world.key_of_nothing(question) == key


@pytest.mark.parametrize(
    ("text", "is_sure"),
    [
        ("What's entropy?", True),
        ("define entropy", True),
        ("entropy?", False),
        ("where can I find the office printer?", False),
        ("capital of Portugal", False),
    ],
)
def test_only_a_question_by_its_form_may_be_told_as_a_miss(text: str, is_sure: bool):
    question = world.read_question(text)
    assert question is not None and question.is_sure is is_sure


@pytest.mark.parametrize(
    "text", ["My bicycle is green", "What is my age?", "I like the Nile", "Thanks!", "a" * 500, "who?"]
)
def test_what_asks_nothing_of_the_world(text: str):
    assert world.read_question(text) is None


def test_a_long_question_stays_small():
    question = world.read_question("what is " + " ".join(f"w{number}" for number in range(15)))
    assert question is not None and len(question.subjects) <= world.MAX_SUBJECTS


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("opened", "opening"),
        ("founded", "foundation"),
        ("sank", "sink"),
        ("colour", "color"),
        ("published", "publication"),
        ("born", "birth"),
        ("died", "death"),
        ("languages", "language"),
        ("weighs", "weight"),
    ],
)
def test_forms_of_one_word_meet(one: str, other: str):
    assert root(one) == root(other)


@pytest.mark.parametrize(("one", "other"), [("founder", "founded"), ("opening", "hours"), ("found", "founded")])
def test_other_words_do_not(one: str, other: str):
    assert root(one) != root(other)


def test_the_table_has_names_that_keys_can_have():
    for family in FAMILIES:
        assert all(normalise(name) == name for name in family.names.split())
        assert set(family.forms.split()) <= {"what", "who", "when", "where", "how", "many", "much"}
