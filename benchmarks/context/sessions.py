"""Chats of a person with an assistant, in many sessions: what the person says about themselves stands in one or two
short turns among hundreds, the assistant's turns are long, and some facts change later.

The second style a scorer is checked on. Questions ask for a fact in one session, for the latest state of something that
changed (both turns are evidence), and for things that must be counted over sessions.
"""

import random
from datetime import datetime, timedelta

from benchmarks.context.conversations import Conversation

TOPICS = {
    "travel": "itinerary luggage hotel museum ticket visa beach rental passport guidebook ferry hostel",
    "cooking": "oven recipe garlic simmer dough pan spice marinade freezer broth whisk roast",
    "fitness": "stretch protein squat treadmill cardio posture warmup routine muscle hydration rest yoga",
    "finance": "budget savings interest mortgage index fund insurance receipt salary tax pension invoice",
    "music": "chord melody rehearsal vinyl amplifier tempo lyrics playlist harmony festival tuning piano",
    "garden": "compost seedling pruning soil mulch watering perennial fertilizer sunlight greenhouse weeds pot",
    "computers": "laptop keyboard backup update browser password monitor router storage cable battery desktop",
    "reading": "novel chapter author library paperback review plot essay memoir series translation bookstore",
}
FACTS = [  # (topic, said in passing, asked, details)
    (
        "travel",
        "I'm flying to {x} in spring, how should I pack?",
        "Where am I traveling in spring?",
        "Lisbon Tromso Naples Kyoto",
    ),
    (
        "travel",
        "I usually book with {x} because of the points. Any tips for cheap hotels?",
        "Which company do I collect points with?",
        "Northair Bluejet Skylark",
    ),
    (
        "cooking",
        "My partner can't eat {x}, can you suggest a dinner?",
        "What food does my partner have to avoid?",
        "gluten peanuts eggs",
    ),
    (
        "cooking",
        "I got a {x} for my birthday, what can I cook in it?",
        "Which kitchen gadget was my birthday present?",
        "wok tagine smoker",
    ),
    (
        "fitness",
        "I go to the gym on {x}. How do I avoid sore legs?",
        "On which days do I work out?",
        "Mondays Thursdays Sundays",
    ),
    (
        "fitness",
        "My physiotherapist is called Dr. {x}, she recommended stretching. Show me some exercises.",
        "Who is my physiotherapist?",
        "Hallberg Nakamura Osei",
    ),
    (
        "finance",
        "I bank with {x}. What does a fixed rate mean?",
        "What bank am I a customer of?",
        "Crestline Halden Metrovia",
    ),
    (
        "music",
        "I've been playing the {x} since school, how do I practice scales?",
        "What instrument have I played since my school days?",
        "oboe cello mandolin",
    ),
    (
        "music",
        "My favorite band is {x}. Who sounds similar?",
        "Which group do I like best?",
        "Glasshour Nightferry Oakmen",
    ),
    (
        "garden",
        "My balcony faces {x}, which plants would survive?",
        "Which direction does my balcony face?",
        "north west east",
    ),
    (
        "computers",
        "I replaced my old computer with a {x}, how do I move my files?",
        "What computer did I buy to replace the old one?",
        "Zenbook ThinkPad Framework",
    ),
    (
        "reading",
        "I just finished {x} and loved it, what's next?",
        "Which book did I finish recently?",
        "Middlemarch Dune Beloved",
    ),
    (
        "reading",
        "My sister's name is {x}, she wants a book for her holiday.",
        "What is my sister called?",
        "Annika Beatriz Colette",
    ),
]
CHANGES = [  # (topic, at first, later, asked)
    (
        "finance",
        "I earn {a} a month, how should I plan?",
        "I got a raise, now it's {b} a month. Please redo the plan.",
        "How much do I make per month now?",
    ),
    (
        "fitness",
        "My best time for five kilometers is {a} minutes.",
        "I beat my personal best: {b} minutes for five kilometers!",
        "What is my personal record over five kilometers?",
    ),
    (
        "reading",
        "So far I have read {a} books this year.",
        "Update: I'm at {b} books this year.",
        "How many books have I read this year?",
    ),
    (
        "garden",
        "I keep {a} tomato plants.",
        "I bought more tomato plants, {b} in all.",
        "How many tomato plants do I own?",
    ),
]
ASKS = [
    "Can you explain {w} and {v}?",
    "What should I know about {w}?",
    "Is {w} better than {v}?",
    "Give me three ideas about {w}.",
    "How does {w} work with {v}?",
    "Thanks! And what about {w}?",
]
SENTENCES = [
    "Here are some points about {w} that most people find useful.",
    "First, consider the {w} and how it relates to the {v}.",
    "Many experts recommend a good {w} before thinking of {v}.",
    "If you are unsure, start small with {w} and see how it goes.",
    "Another option is {v}, which costs less but takes time.",
    "Remember that {w} depends on your situation.",
    "You can combine {w} with {v} for better results.",
    "Let me know if you would like more detail on {v}.",
    "In general, {w} should be checked once a month.",
    "A common mistake is to ignore {v}.",
]


def sessions(seed: int, count: int = 45) -> Conversation:
    """About 400 turns (30,000 tokens) with their questions."""
    r = random.Random(f"sessions {seed}")
    talk = Conversation()
    prefix = seed % 3  # 0: "user: ", 1: bare with a tag, 2: bare
    timed = seed // 3 % 2 == 0
    now = datetime(2023, r.randrange(1, 6), 2, 9)
    plan: list[tuple[str, str, list[str], str | None]] = []
    for topic, said, asked, details in r.sample(FACTS, 9):
        plan.append((topic, said.format(x=r.choice(details.split())), [asked], None))
    changes = r.sample(CHANGES, 3)
    early = [(topic, first.format(a=r.randrange(20, 40)), asked) for topic, first, _, asked in changes]
    late = [(topic, later.format(b=r.randrange(41, 60)), asked) for topic, _, later, asked in changes]
    at_of: dict[str, list[str]] = {}
    places = r.sample(range(2, count - 12), len(plan)) + r.sample(range(12), 3) + r.sample(range(count - 12, count), 3)
    told: dict[int, list[tuple[str, str, str]]] = {}
    for place, (topic, said, asked, _) in zip(places, plan, strict=False):
        told.setdefault(place, []).append((topic, said, asked[0]))
    for place, item in zip(places[len(plan) :], early + late, strict=False):
        told.setdefault(place, []).append(item)

    def say(session: int, turn: int, role: str, text: str, when: datetime) -> str:
        at = f"s{session}_t{turn}"
        record: dict[str, object] = {"memory_id": at, "text": f"{role}: {text}" if prefix == 0 else text}
        if prefix == 1:
            record["tags"] = [role]
        if timed:
            record["ts_utc"] = when.strftime("%Y-%m-%dT%H:%M:%SZ")
        talk.records.append(record)
        return at

    for session in range(count):
        facts = told.get(session, [])
        topic = facts[0][0] if facts else r.choice(list(TOPICS))
        words = TOPICS[topic].split()
        turn = 0
        for number in range(r.randrange(3, 6)):
            w, v = r.sample(words, 2)
            text = r.choice(ASKS).format(w=w, v=v)
            if number and facts:
                _, said, asked = facts.pop()
                text = f"{said} {text}" if r.random() < 0.3 else said
                at_of.setdefault(asked, []).append(f"s{session}_t{turn}")
            say(session, turn, "user", text, now)
            answer = " ".join(
                r.choice(SENTENCES).format(w=r.choice(words), v=r.choice(words)) for _ in range(r.randrange(4, 12))
            )
            say(session, turn + 1, "assistant", answer, now)
            turn += 2
            now += timedelta(minutes=r.randrange(1, 5))
        now += timedelta(days=r.randrange(1, 6))
    talk.questions = list(at_of.items())
    return talk
