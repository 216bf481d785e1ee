"""Make dialogues of two speakers over weeks, with questions and the turns that answer them. Deterministic.

A dialogue is either one of two friends or one of a person with an assistant. Its sessions have small talk, things the
speakers tell about themselves, and things about others in the same words. The hand-written parts are the text files
beside this one; how they are put together is drawn from a seeded source. A question is asked in the first person, or
with a name. Its evidence is a list of groups of turns: each group is needed, and any turn of a group will do, because
people repeat themselves.

Classes of questions:

- `single`: one turn says it.
- `several`: two or three turns, sessions apart, tied by a name, or things of one kind told one by one.
- `time`: the day of an event, which is told as "yesterday" or "last Friday"; the order of two; what was on a date.
- `corrected`: a value that was put right later; where the correction is no sentence of its own, both turns are needed.
- `answer`: the answer stands by itself in the turn after a question; that turn, and one of those that ask for it.
"""

import hashlib
import json
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

CLASSES = ("single", "several", "time", "corrected", "answer")
FRIENDS = [("Nadia", "Jonas"), ("Viktor", "Amara"), ("Beth", "Rohan"), ("Mateo", "Ingrid"), ("Salma", "Theo")]
ALONE = ["Greta", "Emeka", "Paloma", "Lorcan"]
DIALOGUES = [  # name, speakers, turns
    *(
        (f"friends-{at + 1}", pair, turns)
        for at, (pair, turns) in enumerate(zip(FRIENDS, (420, 1200, 640, 860, 1040), strict=True))
    ),
    *(
        (f"assistant-{at + 1}", (name, ""), turns)
        for at, (name, turns) in enumerate(zip(ALONE, (520, 900, 700, 1120), strict=True))
    ),
]
PLAN = {"facts": 15, "answers": 6, "events": 8, "changes": 6, "chains": 6, "lists": 3}
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_LOWER = frozenset((
    "The", "My", "We", "They", "No", "Had", "Since", "From", "There", "Our", "Somebody", "Some", "A", "An", "On",
    "In", "It", "New", "First", "Got", "Did", "Spent", "Another", "Done", "Finally", "Finished", "Tried", "With",
    "If", "You", "Through", "All", "At", "By", "Best", "Half", "When", "Switched", "Started", "Picked", "Changed",
    "Please", "Good", "Booked", "Tickets", "Guess", "Message", "Homework", "Today", "Yesterday",
))  # fmt: skip


@dataclass(frozen=True)
class Turn:
    id: str
    session: str
    at: str  # RFC 3339
    role: str  # "user" or "assistant": the person whose memory it is, or the other one
    speaker: str
    text: str


@dataclass(frozen=True)
class Question:
    id: str
    kind: str
    text: str
    evidence: list[list[str]]


@dataclass
class Dialogue:
    name: str
    turns: list[Turn] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


@dataclass
class _Line:
    """Something to be said: by the person (`me`), or by the other one; `marks` are the groups it is evidence for."""

    mine: bool
    text: str
    marks: tuple[tuple[int, int], ...] = ()  # (number of the question, group)


@dataclass
class _Open:
    """A question whose turns are not placed yet."""

    kind: str
    text: str
    groups: dict[int, list[str]] = field(default_factory=dict)


def make(name: str) -> Dialogue:
    """Return the dialogue of that name."""
    for known, speakers, turns in DIALOGUES:
        if known == name:
            return _Maker(name, speakers, turns).run()
    raise ValueError(f"no dialogue {name!r}")


def another(number: int, turns: int) -> Dialogue:
    """Return a dialogue of the same kind that nothing is asked about: for speed. Every number has its own."""
    return _Maker(f"more-{number}", FRIENDS[number % len(FRIENDS)], turns).run()


def fingerprint(dialogue: Dialogue) -> str:
    content = {
        "turns": [asdict(one) for one in dialogue.turns],
        "questions": [asdict(one) for one in dialogue.questions],
    }
    return hashlib.sha256(json.dumps(content, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


@cache
def _blocks(file: str) -> list[dict[str, list[str]]]:
    """Return the blocks of a file, each the lines by their key; values between bars become a list of their own."""
    blocks: list[dict[str, list[str]]] = [{}]
    for line in (Path(__file__).parent / f"{file}.txt").read_text(encoding="utf-8").splitlines():
        if not line.strip():
            blocks.append({})
        elif not line.startswith("#"):
            key, _, text = line.partition(": ")
            parts = text.split(" | ") if key in {"v", "x"} and " | " in text else [text]
            blocks[-1].setdefault(key, []).extend(parts)
    return [block for block in blocks if block]


@cache
def _words() -> dict[str, list[str]]:
    return {key: lines[0].split(" | ") for key, lines in _blocks("words")[0].items()}


@cache
def _topics() -> dict[str, dict[str, list[str]]]:
    return {block["topic"][0]: block for block in _blocks("talk")}


class _Maker:
    def __init__(self, name: str, speakers: tuple[str, str], turns: int) -> None:
        self._draw = random.Random(f"recall/{name}/1")
        self._name, self._turns = name, turns
        self._me, self._friend = speakers
        self._sessions = max(18, turns // 24)
        self._scenes: dict[int, list[list[_Line]]] = {at: [] for at in range(self._sessions)}
        self._days = self._calendar()
        self._asked: list[_Open] = []
        self._said: set[str] = set()
        self._people = self._draw.sample(_words()["p"], len(_words()["p"]))
        self._made = Dialogue(name)

    @property
    def _alone(self) -> bool:
        return not self._friend

    def _calendar(self) -> list[datetime]:
        day = datetime(2025, self._draw.randrange(1, 7), self._draw.randrange(1, 28))
        days = []
        for _ in range(self._sessions):
            day += timedelta(days=self._draw.choice((1, 1, 2, 2, 3, 4, 6)))
            days.append(day + timedelta(hours=self._draw.randrange(7, 22), minutes=self._draw.randrange(60)))
        return days

    def run(self) -> Dialogue:
        self._facts()
        self._answers()
        self._events()
        self._changes()
        self._chains()
        self._lists()
        for at in range(self._sessions):
            self._hold(at)
        for number, one in enumerate(self._asked):
            groups = [one.groups[at] for at in sorted(one.groups)]
            self._made.questions.append(Question(f"{self._name}/q{number:02d}", one.kind, one.text, groups))
        return self._made

    # what is told

    def _facts(self) -> None:
        for block in self._pick("facts"):
            values = self._draw.sample(block["v"], len(block["v"]))
            mine = self._alone or self._draw.random() < 0.7
            number = self._ask("single", self._draw.choice(block["q"]), mine)
            ways = self._draw.sample(block["t"], len(block["t"]))
            times = 2 if self._draw.random() < 0.25 else 1
            for place, way in zip(self._places(times), ways, strict=False):
                self._tell(place, block, mine, way.replace("{v}", values[0]), number, 0, values[0])
            if "d" in block and self._draw.random() < 0.65:
                self._aside(block, values[1])
            if not self._alone and self._draw.random() < 0.5:  # the other one has something of the kind as well
                self._tell(self._places(1)[0], block, not mine, self._draw.choice(ways).replace("{v}", values[2]))

    def _answers(self) -> None:
        for block in self._pick("answers"):
            values = self._draw.sample(block["v"], len(block["v"]))
            mine = self._alone or self._draw.random() < 0.7
            number = self._ask("answer", self._draw.choice(block["q"]), mine)
            lines = [
                _Line(mine, self._dress(self._draw.choice(block["b"])), ((number, 1),)),
                _Line(not mine, self._draw.choice(block["o"]), ((number, 1),)),
                _Line(mine, _capital(self._draw.choice(block["t"]).replace("{v}", values[0])), ((number, 0),)),
                self._reaction(not mine),
            ]
            self._scenes[self._places(1)[0]].append(lines)
            if self._draw.random() < 0.6:
                self._aside(block, values[1])

    def _events(self) -> None:
        told: list[tuple[int, dict[str, list[str]], datetime, int]] = []
        for block in self._pick("events"):
            place = self._places(1)[0]
            ago, when = self._when(self._days[place])
            mine = self._alone or self._draw.random() < 0.8
            day = self._days[place] - timedelta(days=ago)
            kind = self._draw.random()
            if kind < 0.2 and mine:
                text = self._draw.choice(
                    (
                        "What happened to {me} on {date}?",
                        "Was there anything special on {date}?",
                        "What was {I} up to on {date}?",
                    )
                ).replace("{date}", _date(day))
            else:
                text = self._draw.choice(block["q"])
            number = self._ask("time", text, mine)
            self._tell(place, block, mine, self._draw.choice(block["t"]).replace("{when}", when), number)
            told.append((number, block, day, place))
            if self._draw.random() < 0.6:
                self._aside(block, "")
        for first, second in zip(told[0:4:2], told[1:4:2], strict=True):
            if self._asked[first[0]].text and first[2] != second[2]:
                names = [first[1]["n"][0], second[1]["n"][0]]
                self._draw.shuffle(names)
                text = (
                    self._draw.choice(
                        (
                            "What came first, {a} or {b}?",
                            "Was {a} before or after {b}?",
                            "How many days lie between {a} and {b}?",
                        )
                    )
                    .replace("{a}", names[0])
                    .replace("{b}", names[1])
                )
                self._together(first[0], second[0], text)

    def _together(self, first: int, second: int, text: str) -> None:
        """Ask about two events at once; the turns that tell them are marked for this question, too."""
        if self._owner(first) != self._owner(second):
            return
        number = self._ask("time", text, self._owner(first))
        for scenes in self._scenes.values():
            for lines in scenes:
                for line in lines:
                    for group, other in enumerate((first, second)):
                        if any(mark[0] == other for mark in line.marks):
                            line.marks += ((number, group),)

    def _owner(self, number: int) -> bool:
        """Whether the turns of a question are said by the person."""
        return next(
            line.mine
            for scenes in self._scenes.values()
            for lines in scenes
            for line in lines
            if any(mark[0] == number for mark in line.marks)
        )

    def _changes(self) -> None:
        for block in self._pick("changes"):
            values = self._draw.sample(block["v"], len(block["v"]))
            mine = self._alone or self._draw.random() < 0.75
            number = self._ask("corrected", self._draw.choice(block["q"]), mine)
            first = self._draw.choice(block["t"]).replace("{v}", values[0])
            if self._draw.random() < 0.35:
                at_once = self._draw.choice(block["e"]).replace("{v}", values[0]).replace("{w}", values[1])
                lines = [
                    _Line(mine, self._dress(first), ((number, 1),)),
                    self._reaction(not mine),
                    _Line(mine, at_once, ((number, 0),)),
                    self._reaction(not mine),
                ]
                self._scenes[self._places(1)[0]].append(lines)
            else:
                ways = self._draw.sample(block["c"], 2)
                times = 2 if self._draw.random() < 0.25 else 1
                places = self._places(1 + times)
                self._tell(places[0], block, mine, first)
                for turn, (place, way) in enumerate(zip(places[1:], ways, strict=False)):
                    said = way.replace("{v}", values[turn]).replace("{w}", values[turn + 1])
                    last = turn == times - 1
                    self._tell(place, block, mine, said, number if last else None)
            if self._draw.random() < 0.6:
                self._aside(block, values[3])

    def _chains(self) -> None:
        for block in self._pick("chains"):
            mine = self._alone or self._draw.random() < 0.75
            name = self._people.pop()
            number = self._ask("several", self._draw.choice(block["q"]), mine)
            links = sorted(key for key in block if key.isdigit())
            slots: dict[str, str] = {"p": name}
            places = self._places(len(links))
            for group, (link, place) in enumerate(zip(links, places, strict=True)):
                said = self._fill(self._draw.choice(block[link]), slots)
                self._tell(place, block, mine, said, number, group)
            if self._draw.random() < 0.6:
                said = self._draw.choice(
                    (
                        "I met {p} in town, we only talked about the weather.",
                        "{p} sends regards, I was to tell you.",
                        "Had a long call with {p} yesterday, mostly about nothing.",
                        "{p} has lost the phone again, so no news from there.",
                        "{p} was supposed to come along, but had a cold.",
                    )
                )
                self._tell(self._places(1)[0], block, mine, said.replace("{p}", name))

    def _lists(self) -> None:
        for block in self._pick("lists"):
            things = self._draw.sample(block["x"], len(block["x"]))
            mine = self._alone or self._draw.random() < 0.75
            number = self._ask("several", self._draw.choice(block["q"]), mine)
            ways = self._draw.sample(block["t"], len(block["t"]))
            for group, (place, way) in enumerate(zip(self._places(3), ways, strict=False)):
                self._tell(place, block, mine, way.replace("{x}", things[group]), number, group)
            if not self._alone and self._draw.random() < 0.7:
                self._tell(self._places(1)[0], block, not mine, ways[3].replace("{x}", things[3]))

    # how it is told

    def _pick(self, file: str) -> Iterator[dict[str, list[str]]]:
        """Blocks for this dialogue; of a topic's blocks any, but none twice."""
        blocks = _blocks(file)
        count = max(1, round(PLAN[file] * (0.8 if self._turns < 600 else 1.0)))
        yield from self._draw.sample(blocks, min(count, len(blocks)))

    def _places(self, count: int) -> list[int]:
        """Sessions in the order of time, all different."""
        return sorted(self._draw.sample(range(self._sessions), count))

    def _ask(self, kind: str, text: str, mine: bool) -> int:
        by_name = not mine or self._draw.random() < (0.2 if self._alone else 0.4)
        asked = _spoken(text, (self._me if mine else self._friend) if by_name else None)
        if not by_name and self._draw.random() < 0.2:
            asked = f"{self._draw.choice(_blocks('around')[0]['q'])} {asked[0].lower()}{asked[1:]}"
        self._asked.append(_Open(kind, asked))
        return len(self._asked) - 1

    def _tell(
        self,
        place: int,
        block: dict[str, list[str]],
        mine: bool,
        said: str,
        number: int | None = None,
        group: int = 0,
        value: str | None = None,
    ) -> None:
        topic = _topics()[block["topic"][0]]
        lines: list[_Line] = []
        if self._draw.random() < 0.4:
            lines += self._smalltalk(topic, not mine)[:2]
        text = self._dress(said)
        if self._draw.random() < 0.3:
            text += " " + self._once(topic["s"])
        lines.append(_Line(mine, text, () if number is None else ((number, group),)))
        if self._alone and value and self._draw.random() < 0.3:
            lines.append(_Line(False, self._draw.choice(_blocks("around")[0]["z"]).replace("{v}", value)))
        else:
            lines.append(self._reaction(not mine))
        self._scenes[place].append(lines)

    def _aside(self, block: dict[str, list[str]], value: str) -> None:
        """The same words about somebody or something else."""
        mine = self._alone or self._draw.random() < 0.5
        said = _capital(self._draw.choice(block["d"]).replace("{v}", value))
        text = self._dress(said) if self._draw.random() < 0.5 else said
        self._scenes[self._places(1)[0]].append([_Line(mine, text), self._reaction(not mine)])

    def _dress(self, said: str) -> str:
        """Put something before and after, as people do."""
        around, text = _blocks("around")[0], _capital(said)
        if self._draw.random() < 0.3:
            before = self._draw.choice(around["b"])
            first = text.split()[0]
            if not before.endswith("?") and first in _LOWER:
                text = text[0].lower() + text[1:]
            text = f"{before} {text}"
        if self._draw.random() < 0.25:
            text += " " + self._draw.choice(around["x"])
        return text

    def _reaction(self, mine: bool) -> _Line:
        around = _blocks("around")[0]
        return _Line(mine, self._draw.choice(around["y" if self._alone and not mine else "k"]))

    def _when(self, day: datetime) -> tuple[int, str]:
        """Days ago, and how one says that."""
        ago = self._draw.choice((0, 1, 1, 2, 3, 4, 5, 9))
        then = day - timedelta(days=ago)
        if ago == 0:
            return ago, self._draw.choice(("this morning", "today"))
        if ago == 1:
            return ago, "yesterday"
        if ago == 2:
            return ago, self._draw.choice(("two days ago", "the day before yesterday"))
        if ago < 7:
            return ago, self._draw.choice((f"last {WEEKDAYS[then.weekday()]}", f"on {WEEKDAYS[then.weekday()]}"))
        return ago, f"on {_date(then)}"

    def _once(self, lines: list[str]) -> str:
        """Return a filled line that was not said in this dialogue, if one can be found."""
        for _ in range(20):
            text = _capital(self._fill(self._draw.choice(lines), {}))
            if text not in self._said:
                break
        self._said.add(text)
        return text

    def _fill(self, text: str, slots: dict[str, str]) -> str:
        """Fill the slots; those in `slots` keep their value, new ones are added to it."""
        for slot in re.findall(r"\{(\w+)\}", text):
            if slot not in slots:
                slots[slot] = self._draw.choice(_words()[slot])
            text = text.replace("{" + slot + "}", slots[slot])
        return text

    # sessions

    def _smalltalk(self, topic: dict[str, list[str]], mine: bool) -> list[_Line]:
        lines: list[_Line] = []
        for _ in range(self._draw.randrange(1, 4)):
            if self._alone:
                if self._draw.random() < 0.7:
                    lines += self._consulted(topic)
                else:
                    lines += [_Line(True, self._chat(topic["s"], 0.4)), self._reaction(False)]
            else:
                reply = self._once(topic["r"])
                if self._draw.random() < 0.65:
                    reply += " " + self._chat(topic["s"], 0.35)
                lines += [_Line(mine, self._chat(topic["s"], 0.55)), _Line(not mine, reply)]
                mine = mine if self._draw.random() < 0.4 else not mine
        return lines

    def _chat(self, lines: list[str], more: float) -> str:
        count = 1
        while self._draw.random() < more:
            count += 1
        return " ".join(self._once([line]) for line in self._draw.sample(lines, min(count, 4)))

    def _consulted(self, topic: dict[str, list[str]]) -> list[_Line]:
        """A question for an assistant, with something of one's own before it at times, and a long answer."""
        around = _blocks("around")[0]
        at = self._draw.randrange(len(topic["u"]))
        asked, answer = self._once([topic["u"][at]]), self._once([topic["a"][at]])
        if self._draw.random() < 0.5:
            asked = f"{self._once(topic['s'])} {asked}"
        if self._draw.random() < 0.5:
            answer = f"{self._draw.choice(around['h'])} {answer}"
        while self._draw.random() < 0.5:
            answer += f" {self._draw.choice(around['w'])}"
        return [_Line(True, asked), _Line(False, answer)]

    def _hold(self, at: int) -> None:
        around = _blocks("around")[0]
        scenes = self._scenes[at]
        self._draw.shuffle(scenes)
        first = self._alone or self._draw.random() < 0.5
        lines = [
            _Line(first, self._fill(self._draw.choice(around["o"]), {})),
            _Line(not first, self._fill(self._draw.choice(around["g" if self._alone else "o"]), {})),
        ]
        wanted = round((at + 1) * self._turns / self._sessions) - len(self._made.turns)
        queue = [*scenes]
        while queue or len(lines) < wanted - 2:
            held = sum(map(len, queue))
            if queue and (len(lines) + held >= wanted - 2 or self._draw.random() < 0.5):
                lines += queue.pop(0)
            else:
                topic = self._draw.choice(list(_topics().values()))
                lines += self._smalltalk(topic, self._alone or self._draw.random() < 0.5)
        lines += [
            _Line(first, self._fill(self._draw.choice(around["c"]), {})),
            _Line(not first, self._fill(self._draw.choice(around["e" if self._alone else "c"]), {})),
        ]
        self._say(at, lines)

    def _say(self, at: int, lines: Iterable[_Line]) -> None:
        now = self._days[at]
        for number, line in enumerate(lines):
            turn = Turn(
                id=f"{self._name}/{at:02d}/{number:02d}",
                session=f"{self._name}/{at:02d}",
                at=now.strftime("%Y-%m-%dT%H:%M:%SZ"),
                role="user" if line.mine else "assistant",
                speaker=self._me if line.mine else self._friend or "Assistant",
                text=line.text,
            )
            self._made.turns.append(turn)
            for question, group in line.marks:
                self._asked[question].groups.setdefault(group, []).append(turn.id)
            now += timedelta(seconds=self._draw.randrange(15, 240))


def _date(day: datetime) -> str:
    ending = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}.get(day.day, "th")
    return f"the {day.day}{ending} of {MONTHS[day.month - 1]}"


def _capital(text: str) -> str:
    """Begin each sentence with a capital letter."""
    return re.sub(r"(^|[.!?] )([a-z])", lambda found: found[1] + found[2].upper(), text)


def _spoken(text: str, name: str | None) -> str:
    """Put the person into a question: themselves where `name` is None."""
    forms: dict[str, Any] = {
        "my": "my", "I": "I", "me": "me", "mine": "mine", "am I": "am I", "do I": "do I", "did I": "did I",
        "have I": "have I", "was I": "was I",
    }  # fmt: skip
    if name:
        own = f"{name}'s"
        forms = {
            "my": own, "I": name, "me": name, "mine": own, "am I": f"is {name}", "do I": f"does {name}",
            "did I": f"did {name}", "have I": f"has {name}", "was I": f"was {name}",
        }  # fmt: skip
    return re.sub(r"\{([^}]+)\}", lambda found: str(forms[found[1]]), text)
