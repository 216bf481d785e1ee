"""Made-up conversations with questions whose evidence is known, to measure which scorer finds the right turns.

Two friends talk over months: they tell, ask and answer, mention relatives by name, come back to hobbies, and mostly
chat. Facts are worded in one form and asked for in another (tense, number, derived words), some stand only in the
answer to a question, some need two turns, some come up again and again. A seed gives one conversation. Nothing here is
taken from a published set, and the scorer has no knowledge of these templates.
"""

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta


def _words(text: str) -> list[str]:
    return text.split()


NAMES = _words("Alice Bruno Carla Dmitri Elena Farid Greta Hassan Ingrid Jonas Keiko Luis Mina Nadia Oscar Priya")
RELATIVES = _words("sister brother cousin aunt uncle neighbor colleague roommate grandmother nephew")
OTHERS = _words("Rosa Theo Wendy Yusuf Zoe Pavel Helga Bianca Cedric Dora Emil Fiona Gaston Hugo Iris Jasper")
CITIES = _words("Lisbon Oslo Kyoto Denver Prague Nairobi Lima Dublin Hanoi Quebec Seville Tallinn")
PLACES = [
    "flea market",
    "harbor",
    "botanical garden",
    "old library",
    "night market",
    "community center",
    "farm",
    "art museum",
]
OBJECTS = _words(
    "kayak telescope lamp bicycle tent violin camera teapot jacket bookshelf drone skateboard piano watch rug"
)
ADJECTIVES = _words("blue tiny vintage wooden bright heavy secondhand folding red silver striped")
INSTRUMENTS = ["cello", "trumpet", "guitar", "drums", "flute", "accordion", "harp", "banjo"]
DISHES = ["lasagna", "dumplings", "paella", "curry", "tacos", "ramen", "goulash", "pancakes"]
SUBJECTS = _words("lighthouse sunset horse mountain forest sailboat portrait waterfall orchard bridge")
PETS = ["puppy", "kitten", "parrot", "tortoise", "rabbit", "hamster"]
JOBS = ["nurse", "carpenter", "teacher", "chef", "pilot", "gardener", "librarian", "plumber"]
RACES = [
    "marathon",
    "triathlon",
    "regatta",
    "chess tournament",
    "baking contest",
    "poetry slam",
    "dance competition",
]
CHAT = [
    "That sounds wonderful, I'm really happy for you!",
    "Haha, same here.",
    "How have you been lately?",
    "Work has been pretty busy this week.",
    "The weather is finally getting better.",
    "Totally agree with you.",
    "I should try that some day.",
    "Anyway, tell me more!",
    "It's good to talk to you again.",
    "Wow, no way!",
    "I had a long day but it was fine in the end.",
    "Do you have any plans for the weekend?",
    "Not much going on here.",
    "You always know how to cheer me up.",
    "Let's catch up properly soon.",
    "I was thinking about what you said last time.",
    "My back hurts from sitting all day.",
    "I watched a show and fell asleep.",
    "Coffee is keeping me alive right now.",
    "That reminds me of when we were kids.",
    "I can imagine!",
    "Time flies, doesn't it?",
    "I need a holiday.",
    "Sometimes I just want to stay home and read.",
    "I totally forgot to call you back, sorry.",
    "It means a lot to me that you ask.",
    "We should go there together one day.",
    "I heard it was great.",
]
LOOSE = [
    "I keep dreaming about {city} lately.",
    "Did I tell you that {who} called?",
    "A {thing} like that would be nice.",
    "I used to play the {play} at school.",
    "Maybe I should cook {dish} tonight.",
    "The {place} was closed again.",
    "{who} says hello, by the way.",
    "I saw a {subject} on a postcard.",
    "My {kin} would love that.",
    "The {race} is on TV.",
    "I would make a terrible {job}.",
    "{who} is thinking of moving to {city}.",
    "I almost bought a {thing} online.",
    "My {kin} keeps talking about {city}.",
    "They sell {dish} at the {place} now.",
    "A {pet} would be too much work for me.",
]
ASIDES = [
    "",
    "",
    " It took me ages.",
    " I'm so glad I did.",
    " You would have loved it.",
    " Best decision this year.",
    " My friends laughed at me.",
    " It wasn't cheap though.",
    " I still can't believe it.",
]
WHEN = ["yesterday", "last week", "two days ago", "last Saturday", "this morning", "last month", "on Sunday"]
WORDS = {
    "city": CITIES,
    "who": OTHERS,
    "thing": OBJECTS,
    "play": INSTRUMENTS,
    "dish": DISHES,
    "place": PLACES,
    "subject": SUBJECTS,
    "kin": RELATIVES,
    "race": RACES,
    "job": JOBS,
    "pet": PETS,
}


@dataclass(slots=True)
class Conversation:
    records: list[dict[str, object]] = field(default_factory=list)
    questions: list[tuple[str, list[str]]] = field(default_factory=list)


class _Maker:
    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.talk = Conversation()
        self.pair = self.r.sample(NAMES, 2)
        self.session = 0
        self.turn = 0
        self.now = datetime(2023, self.r.randrange(1, 6), self.r.randrange(1, 28), 9)
        self.style = self.r.choice(["prefix", "tag", "prefix"])
        self.used: set[str] = set()
        self.lasting: dict[tuple[str, str], list[tuple[str, str]]] = {}

    def fresh(self, words: list[str]) -> str:
        left = [word for word in words if word not in self.used] or words
        word = self.r.choice(left)
        self.used.add(word)
        return word

    def say(self, speaker: str, text: str) -> str:
        self.turn += 1
        name = f"S{self.session}:{self.turn}"
        record: dict[str, object] = {"memory_id": name, "ts_utc": self.now.strftime("%Y-%m-%dT%H:%M:%SZ")}
        if self.style == "prefix":
            record["text"] = f"{speaker}: {text}"
        else:
            record["text"], record["tags"] = text, [f"speaker:{speaker}"]
        self.talk.records.append(record)
        self.now += timedelta(minutes=self.r.randrange(1, 4))
        return name

    def ask(self, question: str, evidence: list[str]) -> None:
        self.talk.questions.append((question, evidence))

    def chat(self, count: int) -> None:
        for _ in range(count):
            said = [self.r.choice(CHAT) for _ in range(self.r.randrange(1, 4))]
            if self.r.random() < 0.35:  # talk that uses the words of facts without being one
                said.append(
                    self.r.choice(LOOSE).format(**{name: self.r.choice(values) for name, values in WORDS.items()})
                )
            self.say(self.r.choice(self.pair), " ".join(said))

    def fact(self) -> None:
        me, you = self.r.sample(self.pair, 2)
        aside = self.r.choice(ASIDES)
        when = self.r.choice(WHEN)
        month = self.now.strftime("%B %Y")
        kind = self.r.choice(FACTS)
        kind(self, me, you, aside, when, month)


def _bought(m: _Maker, me: str, you: str, aside: str, when: str, month: str) -> None:
    what, like, where = m.fresh(OBJECTS), m.r.choice(ADJECTIVES), m.r.choice(PLACES)
    at = m.say(me, f"I bought a {like} {what} at the {where} {when}.{aside}")
    m.ask(
        m.r.choice(
            [
                f"When did {me} buy the {what}?",
                f"Where does {me}'s {what} come from?",
                f"What did {me} buy at the {where} in {month}?",
            ]
        ),
        [at],
    )
    if m.r.random() < 0.5:
        m.say(you, f"I was looking at buying a {m.r.choice(OBJECTS)} too, but they are so expensive.")


def _answered(m: _Maker, me: str, you: str, aside: str, when: str, month: str) -> None:
    what, where = m.fresh(OBJECTS), m.r.choice(PLACES)
    asked = m.say(you, f"So what did you bring home from the {where}?")
    at = m.say(me, f"A {m.r.choice(ADJECTIVES)} one and a {what}, believe it or not!{aside}")
    m.ask(f"What did {me} bring home from the {where}?", [asked, at] if m.r.random() < 0.3 else [at])


def _relative(m: _Maker, me: str, you: str, aside: str, when: str, month: str) -> None:
    kin, who, play = m.r.choice(RELATIVES), m.fresh(OTHERS), m.r.choice(INSTRUMENTS)
    first = m.say(me, f"My {kin} {who} just moved to {m.r.choice(CITIES)}.{aside}")
    m.chat(m.r.randrange(3, 9))
    second = m.say(me, f"By the way, {who} started playing the {play} again.")
    m.ask(f"Which instrument does {me}'s {kin} play?", [first, second])


def _hobby(m: _Maker, me: str, you: str, aside: str, when: str, month: str) -> None:
    what = m.r.choice(SUBJECTS)
    at = m.say(
        me,
        m.r.choice(
            [f"I finished painting a {what} {when}.{aside}", f"Look, I painted that {what} I told you about.{aside}"]
        ),
    )
    m.lasting.setdefault((me, f"What has {me} painted so far?"), []).append((at, what))


def _cooked(m: _Maker, me: str, you: str, aside: str, when: str, month: str) -> None:
    dish, guest = m.r.choice(DISHES), m.r.choice(OTHERS)
    at = m.say(me, f"{when.capitalize()} I cooked {dish} for {guest} and the whole family.{aside}")
    m.ask(f"What did {me} cook for {guest}?", [at])
    if m.r.random() < 0.4:
        m.say(you, f"I once burnt {m.r.choice(DISHES)} so badly that the cooking class laughed.")


def _adopted(m: _Maker, me: str, you: str, aside: str, when: str, month: str) -> None:
    pet, name = m.r.choice(PETS), m.fresh(OTHERS)
    first = m.say(me, f"Guess what, we adopted a {pet} {when}!{aside}")
    m.say(you, "Congratulations! What is it called?")
    second = m.say(me, f"{name}, after my favorite singer.")
    m.ask(f"What is the name of the {pet} that {me} adopted?", [first, second])
    m.ask(f"When was the adoption of {me}'s {pet}?", [first])


def _race(m: _Maker, me: str, you: str, aside: str, when: str, month: str) -> None:
    race, city, place = m.r.choice(RACES), m.r.choice(CITIES), m.r.choice(["first", "second", "third", "tenth"])
    first = m.say(me, f"I signed up for the {race} in {city}.{aside}")
    m.chat(m.r.randrange(2, 6))
    second = m.say(you, f"And how did it go in {city}?")
    third = m.say(me, f"I came in {place}! I trained for {m.r.randrange(3, 12)} months.")
    m.ask(f"How many months of training did {me} do for the {race}?", [third])
    m.ask(f"In which competitions has {me} participated and with what result?", [first, third])
    assert second


def _job(m: _Maker, me: str, you: str, aside: str, when: str, month: str) -> None:
    job, who, kin = m.r.choice(JOBS), m.fresh(OTHERS), m.r.choice(RELATIVES)
    at = m.say(me, f"{who}, my {kin}, got hired as a {job} {when}.{aside}")
    m.ask(
        m.r.choice(
            [f"What does {who} do for a living?", f"When was {who} hired?", f"What is the job of {me}'s {kin}?"]
        ),
        [at],
    )


def _trip(m: _Maker, me: str, you: str, aside: str, when: str, month: str) -> None:
    city, who = m.r.choice(CITIES), m.r.choice(OTHERS)
    first = m.say(me, f"We went to {city} {when} with {who}.{aside}")
    m.say(you, m.r.choice(["What did you like most?", "How long did you stay?", "Was the food good?"]))
    liked = ["Three days", "A week", "Honestly the markets", "The seafood, no question", "Walking along the river"]
    second = m.say(me, f"{m.r.choice(liked)}. I took so many photos.")
    m.ask(
        m.r.choice(
            [
                f"Where did {me} go in {month}?",
                f"Who traveled to {city} with {me}?",
                f"When did {me} take the trip to {city}?",
            ]
        ),
        [first],
    )
    m.ask(f"What did {me} enjoy or do during the visit to {city}?", [first, second])


FACTS = [_bought, _answered, _relative, _hobby, _cooked, _adopted, _race, _job, _trip, _hobby]


def conversation(seed: int, sessions: int = 50) -> Conversation:
    """One conversation of about 1,100 turns (24,000 tokens) with its questions."""
    maker = _Maker(seed)
    for _ in range(sessions):
        maker.session += 1
        maker.turn = 0
        maker.chat(maker.r.randrange(2, 5))
        for _ in range(maker.r.randrange(2, 5)):
            maker.fact()
            maker.chat(maker.r.randrange(2, 6))
        maker.now += timedelta(days=maker.r.randrange(3, 25), hours=maker.r.randrange(5))
    for (_, question), told in maker.lasting.items():
        maker.ask(question, [at for at, _ in told])
    return maker.talk
