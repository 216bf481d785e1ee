"""Long dialogues of two friends over many dated sessions, in another style than `conversations`: multi-sentence turns,
shared pictures, questions that need several sessions, times, or the other speaker's words.

Made to check a scorer on talk it was not made with: other words, other sentence shapes, other proportions. A dialogue
is written in one of several formats (who speaks stands first, in a tag, behind a date in brackets, or nowhere at all;
times per turn, per session, or not at all), because stores in the world differ in that. Nothing is taken from a
published set.
"""

import random
from datetime import datetime, timedelta

from benchmarks.context.conversations import Conversation

PEOPLE = [("Maya", "Ethan"), ("Ravi", "Sophie"), ("Lena", "Marcus"), ("Tomas", "Aisha"), ("Chloe", "Ivan")]
FORMATS = ("prefix", "tag", "dated prefix", "bare")
TIMES = ("turn", "session", "none")

# What happens to people: (told, told again later, asked, and a hint of what kind of answer). {x} is a detail.
EVENTS = [
    (
        "I signed up for a pottery class {day}. {x} runs it and the kiln is huge.",
        "Who teaches the pottery course {me} joined?",
        ["Mrs. Okafor", "old Mr. Brandt", "a retired sculptor"],
    ),
    (
        "We finally moved into the new apartment on {x} {day}! Boxes everywhere.",
        "Which street did {me} move to?",
        ["Willow Street", "Harbor Lane", "Canal Road"],
    ),
    (
        "My car broke down near {x} {day}, had to be towed.",
        "Where did {me} have car trouble?",
        ["the airport", "Lake Tahoe", "the stadium"],
    ),
    (
        "{day} I volunteered at the animal shelter again, this time walking {x}.",
        "What animals did {me} take care of as a volunteer?",
        ["three beagles", "an old greyhound", "two huskies"],
    ),
    (
        "I've been reading {x} before bed, can't put it down.",
        "What book is {me} reading?",
        ["a biography of Marie Curie", "a novel about lighthouse keepers", "essays on urban farming"],
    ),
    (
        "Started learning {x} {day} with an app, my pronunciation is awful.",
        "What language is {me} studying?",
        ["Portuguese", "Swedish", "Korean"],
    ),
    (
        "The doctor told me to cut down on {x}, so no more of it after dinner.",
        "What did {me}'s physician advise to avoid?",
        ["caffeine", "sugar", "dairy"],
    ),
    (
        "My team won the regional {x} finals {day}, we were screaming.",
        "In which sport did {me}'s team become champions?",
        ["volleyball", "curling", "handball"],
    ),
    (
        "I baked {x} for the school fundraiser {day} and it sold out in an hour.",
        "What did {me} make for the charity sale?",
        ["lemon bars", "rye bread", "cinnamon rolls"],
    ),
    (
        "Got promoted {day}! I'm now leading the {x} group.",
        "Which department does {me} manage after the promotion?",
        ["payments", "research", "design"],
    ),
    (
        "My grandfather left me his {x}, it still works after sixty years.",
        "What did {me} inherit?",
        ["pocket watch", "typewriter", "accordion"],
    ),
    (
        "We adopted a plan to hike the {x} trail next summer.",
        "Which hike is {me} planning?",
        ["Kungsleden", "Appalachian", "Milford"],
    ),
    (
        "I painted the nursery {x} {day}, two coats.",
        "What color is the baby's room at {me}'s place?",
        ["sage green", "pale yellow", "sky blue"],
    ),
    (
        "Had an allergic reaction to {x} {day}, ended up in the emergency room.",
        "What is {me} allergic to?",
        ["cashews", "shellfish", "penicillin"],
    ),
    (
        "I sold my {x} {day} because I need the money for tuition.",
        "What did {me} sell to pay for school?",
        ["motorbike", "drum kit", "surfboard"],
    ),
    (
        "Went to a {x} concert {day}, best night in years.",
        "Which concert did {me} attend?",
        ["jazz", "flamenco", "bluegrass"],
    ),
    (
        "Our flight to {x} got cancelled {day} so we slept at the terminal.",
        "To which destination was {me}'s flight cancelled?",
        ["Reykjavik", "Marrakesh", "Osaka"],
    ),
    (
        "I quit smoking {day}, the gum is helping. {x} is proud of me.",
        "Who is proud that {me} stopped smoking?",
        ["My daughter", "My boss", "My brother Karl"],
    ),
]
THREADS = [  # come back several times: all of it is evidence
    (
        "running",
        [
            "Ran {n} kilometers this morning along the river.",
            "New running shoes arrived, time to train properly.",
            "Finished the half marathon in under two hours!",
            "My knee hurts after the long run.",
        ],
        "How did {me}'s running develop over time?",
    ),
    (
        "garden",
        [
            "Planted {n} tomato seedlings on the balcony.",
            "The tomatoes are finally red.",
            "Slugs ate half of my garden.",
            "I built a raised bed from old pallets for the garden.",
        ],
        "What has {me} done in the garden?",
    ),
    (
        "startup",
        [
            "Thinking of founding a company that repairs bikes.",
            "We registered the company, it's official.",
            "First {n} customers came to the repair shop!",
            "An investor visited the shop.",
        ],
        "What are the milestones of {me}'s business?",
    ),
    (
        "guitar",
        [
            "Bought a used guitar.",
            "I can play {n} chords on the guitar now.",
            "Played at an open mic, hands shaking.",
            "Wrote my first song for the guitar.",
        ],
        "What steps did {me} take with music?",
    ),
]
CHAINS = [  # two turns, far apart, tied by a name
    (
        "My cousin {name} just opened a bakery in {city}.",
        "{name} won a prize for the sourdough, can you believe it?",
        "What prize did {me}'s cousin win?",
    ),
    (
        "I have a new flatmate called {name}, studies medicine.",
        "{name} left for an internship in {city} today.",
        "Where did {me}'s flatmate go for the internship?",
    ),
    (
        "My coach {name} used to swim for the national team.",
        "{name} says I should try open water in {city}.",
        "Where does {me}'s coach suggest swimming?",
    ),
    (
        "The neighbor's boy {name} mows our lawn.",
        "{name} got accepted to a university in {city}!",
        "To which university town was the boy next door admitted?",
    ),
]
NAMES = [
    "Odette",
    "Bjorn",
    "Camila",
    "Dariusz",
    "Esme",
    "Felipe",
    "Gwen",
    "Hiro",
    "Ilse",
    "Jamal",
    "Kira",
    "Lorenzo",
    "Noor",
    "Otis",
    "Petra",
    "Quentin",
]
CITIES = ["Ghent", "Porto", "Krakow", "Bergen", "Turin", "Leipzig", "Cork", "Malmo", "Graz", "Bilbao"]
DAYS = ["yesterday", "last Friday", "two weeks ago", "last month", "this weekend", "on Tuesday", "the other day"]
REPLIES = [
    "Oh wow, that's amazing! How do you feel about it?",
    "No way! Tell me everything.",
    "I'm so sorry to hear that. Are you okay?",
    "Good for you! You deserve it.",
    "Haha, classic you.",
    "That must have been quite a day.",
    "I can relate, it happened to me once too.",
    "Sounds like fun, take me along next time!",
    "Really? When did that happen?",
    "What made you decide that?",
]
SMALL_TALK = [
    "Hey! Long time no see, how's everything going?",
    "Pretty good, just tired from the week. You?",
    "Same old, same old. Work keeps me busy.",
    "The traffic today was terrible, I nearly missed the meeting.",
    "I made soup and watched a documentary, very exciting life.",
    "Did you see the news about the storm?",
    "I should call my mom more often.",
    "We really need to plan that dinner.",
    "My phone battery dies after two hours, so annoying.",
    "I slept badly, the neighbors had a party.",
    "Anyway, I have to run. Talk soon!",
    "Take care, and say hi to everyone!",
    "It's been raining for days here.",
    "I finally cleaned the kitchen, it took all afternoon.",
    "I keep thinking about what to get for the holidays.",
    "Some colleagues invited me to lunch, it was nice.",
]
PICTURES = [
    "a dog on a beach",
    "a plate of pasta",
    "a mountain lake at sunrise",
    "a crowded market",
    "a child with a kite",
    "an old bicycle",
    "a bookshelf",
    "a birthday cake with candles",
]
DECOYS = [
    "I once tried pottery, my bowl exploded in the kiln.",
    "My street is so loud at night.",
    "Shelter volunteers are heroes if you ask me.",
    "I read an article about learning languages.",
    "I love concerts but hate crowds.",
    "Moving is the worst, I never want to carry boxes again.",
    "My doctor is always late.",
    "The finals were on TV, I fell asleep.",
    "I'd love to bake more.",
    "My car makes strange noises.",
    "School was never my thing.",
    "Hiking is good for the soul.",
    "I have an allergy to mornings, haha.",
]


class _Writer:
    def __init__(self, seed: int) -> None:
        self.r = random.Random(f"dialogue {seed}")
        self.pair = self.r.choice(PEOPLE)
        self.format = FORMATS[seed % len(FORMATS)]
        self.times = TIMES[seed // len(FORMATS) % len(TIMES)]
        self.talk = Conversation()
        self.now = datetime(2022, self.r.randrange(1, 12), 3, 10)
        self.start = self.now
        self.session = self.turn = 0

    def say(self, speaker: str, text: str) -> str:
        self.turn += 1
        self.now += timedelta(seconds=self.r.randrange(20, 200))
        at = f"D{self.session}:{self.turn}"
        record: dict[str, object] = {"memory_id": at}
        if self.format == "prefix":
            text = f"{speaker}: {text}"
        elif self.format == "dated prefix":
            text = f"[{self.start.strftime('%d %B %Y')}] {speaker}: {text}"
        elif self.format == "tag":
            record["tags"] = [f"speaker:{speaker}", f"session_{self.session}"]
        record["text"] = text
        if self.times != "none":
            record["ts_utc"] = (self.now if self.times == "turn" else self.start).strftime("%Y-%m-%dT%H:%M:%SZ")
        self.talk.records.append(record)
        return at

    def chat(self, turns: int) -> None:
        for number in range(turns):
            text = self.r.choice(DECOYS if self.r.random() < 0.25 else SMALL_TALK)
            if self.r.random() < 0.15:
                text += f" [shares a photo of {self.r.choice(PICTURES)}]"
            self.say(self.pair[number % 2], text)


def dialogue(seed: int, sessions: int = 75) -> Conversation:
    """One dialogue of about 1,100 turns (15,000 tokens) with its questions."""
    writer = _Writer(seed)
    r = writer.r
    events = {who: r.sample(EVENTS, len(EVENTS)) for who in writer.pair}
    threads = {who: r.sample(THREADS, 2) for who in writer.pair}
    told: dict[tuple[str, str], list[str]] = {}
    open_chains: list[tuple[str, str, str, str, str]] = []
    names = r.sample(NAMES, len(NAMES))
    for _ in range(sessions):
        writer.session += 1
        writer.turn = 0
        writer.start = writer.now
        writer.chat(r.randrange(2, 5))
        for _ in range(r.randrange(1, 4)):
            me, you = r.sample(writer.pair, 2)
            kind = r.random()
            if kind < 0.55 and events[me]:
                text, question, details = events[me].pop()
                detail = r.choice(details)
                body = text.format(day=r.choice(DAYS), x=detail)
                if r.random() < 0.3:  # the fact comes out only when asked
                    first, _, rest = body.partition(". ")
                    writer.say(me, r.choice(SMALL_TALK))
                    writer.say(you, "By the way, anything new with you?")
                    at = writer.say(
                        me, f"{r.choice(['Well', 'Actually', 'Oh yes'])}, {first[0].lower()}{first[1:]}. {rest}".strip()
                    )
                else:
                    opening = r.choice(["", "Guess what! ", "So, ", "Big news: "])
                    closing = r.choice(["", "What do you think?", "I needed that.", "Still processing it."])
                    at = writer.say(me, f"{opening}{body} {closing}".strip())
                writer.say(you, r.choice(REPLIES))
                writer.talk.questions.append((question.format(me=me), [at]))
                if r.random() < 0.4:
                    writer.talk.questions.append(
                        (f"When did this happen: {question.format(me=me)[:-1].lower()}?", [at])
                    )
                if r.random() < 0.25:  # asked of the wrong person: what was said is still the evidence
                    writer.talk.questions.append((question.format(me=you), [at]))
            elif kind < 0.8:
                name, lines, question = r.choice(threads[me])
                at = writer.say(me, r.choice(lines).format(n=r.randrange(3, 20)))
                writer.say(you, r.choice(REPLIES))
                told.setdefault((me, question.format(me=me)), []).append(at)
                assert name
            elif open_chains and r.random() < 0.6:
                who, first, second, question, at = open_chains.pop(0)
                found = writer.say(who, second)
                writer.talk.questions.append((question.format(me=who), [at, found]))
                assert first
            elif names:
                first, second, question = r.choice(CHAINS)
                name, city = names.pop(), r.choice(CITIES)
                at = writer.say(me, first.format(name=name, city=city))
                writer.say(you, r.choice(REPLIES))
                open_chains.append((me, first, second.format(name=name, city=r.choice(CITIES)), question, at))
            writer.chat(r.randrange(1, 7))
        month = writer.start.strftime("%B %Y")
        first_of = writer.talk.questions[-1][1] if writer.talk.questions else []
        if first_of and first_of[0].startswith(f"D{writer.session}:") and r.random() < 0.3 and writer.times != "none":
            about = writer.talk.questions[-1][0][:-1].split(" ", 1)[1]
            writer.talk.questions.append((f"What did they talk about in {month} concerning {about}?", first_of))
        writer.now += timedelta(days=r.randrange(4, 30), hours=r.randrange(6))
    writer.talk.questions += [(question, places) for (_, question), places in told.items()]
    return writer.talk
