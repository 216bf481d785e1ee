"""Memory of a person: what comes back for a question, and how fast, beside mem0, LangGraph's store and BM25.

All get the same turns of the frozen dialogues (see `dialogues`), and for each question a budget of tokens. Evidence
recall is the share of the needed turns that stand in what would go into the prompt. Of MACE the whole block counts,
with its marks, days and speakers, and a turn only where it is shown whole. Of the others it is "speaker: text" by line,
as much of their ranking as fits. "+1" and "+2" take each turn with the ones before and after it, which neither mem0 nor
LangGraph does by itself: those are what a user could build on them. BM25 stands there on words, and on stems without
stop words. What was missed, by whom, is written to `benchmarks/results/recall-misses.jsonl`.

Each side has a warm process of its own, and they run in turns. `--full` takes all dialogues, more rounds, a person of
100,000 turns, and the others' search at 10,000 turns.
"""

import json
import statistics
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

from benchmarks.context.conversations import Conversation
from benchmarks.context.recall import Bm25
from benchmarks.measure import Row
from benchmarks.recall.dialogues import CLASSES, DIALOGUES, Dialogue, another, make
from benchmarks.recall.peers import shown
from benchmarks.recall.score import fill, found, share, tokens, with_neighbours
from benchmarks.sides import Took, Worker, worker

BUDGETS = (1000, 2000)
MISSES = Path(__file__).parents[1] / "results" / "recall-misses.jsonl"
_SIDES = "benchmarks.recall.worker"
_PEERS = {"mem0": "mem0", "langgraph": "LangGraph’s store"}
_NEEDED = {
    "mem0": ("mem0", "fastembed", "sentence_transformers", "all_minilm_l6_v2"),
    "langgraph": ("langgraph.store.sqlite", "sentence_transformers", "all_minilm_l6_v2"),
}
_QUICK = ("friends-1", "friends-3", "assistant-1")
_FOR_A_PROMPT = 40  # results that fill about 1,000 tokens
_LONG = 10_000
_LONGEST = 100_000
_ADDED = 40  # turns in one measurement


def run(full: bool) -> Iterable[Row]:
    rounds = 15 if full else 5
    dialogues = [make(name) for name, _, _ in DIALOGUES if full or name in _QUICK]
    with ExitStack() as stack:
        mace = stack.enter_context(worker(_SIDES, "mace"))
        peers: dict[str, Worker] = {}
        for name in _PEERS:
            if missing := _missing(name):
                what = f"{_PEERS[name]}: not measured, {missing} is not installed"
                yield Row(what, 0, "", note="pip install -r benchmarks/requirements.txt")
            else:
                peers[name] = stack.enter_context(worker(_SIDES, name))
        yield from _evidence(mace, peers, dialogues)
        yield from _adding(mace, peers, rounds)
        yield from _searching(mace, peers, dialogues[-1].name, dialogues, rounds)
        yield from _remember_and_put(mace, rounds)
    with worker(_SIDES, "mace") as mace:
        yield from _long(mace, _LONG, rounds, bars=True)
    if full:
        with ExitStack() as stack:
            mace = stack.enter_context(worker(_SIDES, "mace"))
            yield from _long(mace, _LONGEST, 5, bars=False)
        yield from _long_searches(rounds)


def _missing(name: str) -> str | None:
    for module in _NEEDED[name]:
        try:
            spec = find_spec(module)
        except ModuleNotFoundError:
            spec = None
        if spec is None:
            return module
    return None


# Evidence


def _evidence(mace: Worker, peers: dict[str, Worker], dialogues: list[Dialogue]) -> Iterator[Row]:
    shares: dict[tuple[str, int, str], list[float]] = {}  # side, budget, class
    whole: dict[tuple[str, int], list[bool]] = {}
    unlike = over = empty = 0
    MISSES.parent.mkdir(exist_ok=True)
    with MISSES.open("w", encoding="utf-8") as misses:
        for dialogue in dialogues:
            for side in (mace, *peers.values()):
                side.run("load", dialogue.name)
            ranked = _Rankings(dialogue)
            said = {turn.id: f"{turn.at[:10]} {shown(turn)}" for turn in dialogue.turns}
            for question in dialogue.questions:
                orders = ranked.orders(question.text)
                for name, peer in peers.items():
                    order = peer.run("order", dialogue.name, question.text).came
                    orders |= {
                        name if not reach else f"{name}+{reach}": _near(order, dialogue, reach) for reach in (0, 1, 2)
                    }
                for budget in BUDGETS:
                    came = mace.run("recalled", dialogue.name, question.text, budget).came
                    over += tokens(came["text"]) > budget
                    empty += tokens(came["text"]) < budget / 2
                    unlike += sum(turn in group for group in question.evidence for turn in came["cut"])
                    taken = {"mace": set(came["ids"])}
                    for name, order in orders.items():
                        taken[name] = {dialogue.turns[at].id for at in fill(order, ranked.texts, budget)}
                    for name, ids in taken.items():
                        shares.setdefault((name, budget, question.kind), []).append(share(question.evidence, ids))
                        whole.setdefault((name, budget), []).append(all(found(question.evidence, ids)))
                    hits = {name: found(question.evidence, ids) for name, ids in taken.items()}
                    if not all(map(all, hits.values())):
                        line = {
                            "question": question.id, "class": question.kind, "text": question.text, "budget": budget,
                            "evidence": [[said[turn] for turn in group] for group in question.evidence], "found": hits,
                        }  # fmt: skip
                        misses.write(json.dumps(line, ensure_ascii=False) + "\n")
    if over:
        raise RuntimeError(f"{over} blocks of MACE are over their budget")
    yield from _found_rows(shares, whole)
    note = "with consent; evidence that a block shows shortened counts as missed"
    yield Row("evidence that MACE shows, but not whole", unlike, "turns", note=note)
    asked = sum(len(dialogue.questions) for dialogue in dialogues) * len(BUDGETS)
    yield Row("blocks of MACE that are less than half full", empty, f"of {asked}", note="the others fill theirs always")


def _near(order: list[int], dialogue: Dialogue, reach: int) -> list[int]:
    return with_neighbours(order, len(dialogue.turns), reach)


class _Rankings:
    """BM25 over the same texts."""

    def __init__(self, dialogue: Dialogue) -> None:
        self.texts = [shown(turn) for turn in dialogue.turns]
        talk = Conversation(records=[{"memory_id": turn.id, "text": shown(turn)} for turn in dialogue.turns])
        self._plain, self._stemmed = Bm25(talk, stems=False), Bm25(talk, stems=True)

    def orders(self, question: str) -> dict[str, list[int]]:
        return {
            f"{name}{f'+{reach}' if reach else ''}": by.order(question, reach)
            for name, by in (("bm25", self._plain), ("bm25s", self._stemmed))
            for reach in (0, 1, 2)
        }


def _found_rows(
    shares: dict[tuple[str, int, str], list[float]], whole: dict[tuple[str, int], list[bool]]
) -> Iterator[Row]:
    names = list(dict.fromkeys(name for name, _, _ in shares))
    for budget in BUDGETS:

        def mean(name: str, kinds: Iterable[str], budget: int = budget) -> float:
            return statistics.fmean(one for kind in kinds for one in shares[name, budget, kind])

        for name in names:
            complete = statistics.fmean(whole[name, budget])
            count = len(whole[name, budget])
            note = f"all of it for {complete:.3f} of {count} questions"
            what = f"evidence recall in {budget:,} tokens: {'MACE' if name == 'mace' else name}"
            yield Row(what, mean(name, CLASSES), "", note=note)
        for kind in CLASSES:
            others = ", ".join(f"{name} {mean(name, [kind]):.3f}" for name in names if name != "mace")
            count = len(shares["mace", budget, kind])
            yield Row(f"  {kind} ({count} questions), {budget:,} tokens: MACE", mean("mace", [kind]), "", note=others)


# Speed


def _speed(taken: list[Took], count: int) -> tuple[float, str]:
    """Microseconds of CPU for one, the least; and the rest in words."""
    cpu = [one.cpu / count * 1e6 for one in taken]
    wall = [one.wall / count * 1e6 for one in taken]
    rate = f"{1e6 / statistics.median(cpu):,.0f}/s CPU, {1e6 / statistics.median(wall):,.0f}/s wall"
    return min(cpu), f"median {statistics.median(cpu):,.0f}, wall {statistics.median(wall):,.0f} us; {rate}"


def _ratio(ours: list[Took], theirs: list[Took]) -> tuple[float, float]:
    """The medians of the rounds' ratios, of CPU and of wall."""
    pairs = list(zip(ours, theirs, strict=True))
    return (
        statistics.median(mine.cpu / other.cpu for mine, other in pairs),
        statistics.median(mine.wall / other.wall for mine, other in pairs),
    )


def _adding(mace: Worker, peers: dict[str, Worker], rounds: int) -> Iterator[Row]:
    sides = {"mace": mace, **peers}
    for how, words in (("add", "add, a turn a call"), ("add_list", f"add, {_ADDED} turns a call")):
        taken: dict[str, list[Took]] = {name: [] for name in sides}
        for at in range(rounds + 1):
            for name, side in sides.items():
                side.run("prepare", _ADDED)
                one = side.run(how, "adding")
                if at:  # the first is for warming up
                    taken[name].append(one)
        yield from _beside(words, taken, _ADDED)
    if "langgraph" in peers:
        plain = []
        for _ in range(rounds):
            peers["langgraph"].run("prepare", _ADDED)
            plain.append(peers["langgraph"].run("put_plain", "adding"))
        figure, note = _speed(plain, _ADDED)
        yield Row("put without an index, which cannot be searched: LangGraph’s store", figure, "us CPU", note=note)


def _beside(words: str, taken: dict[str, list[Took]], count: int) -> Iterator[Row]:
    for name, times in taken.items():
        figure, note = _speed(times, count)
        yield Row(f"{words}: {_PEERS.get(name, 'MACE')}", figure, "us CPU", note=note)
    for name in taken:
        if name != "mace":
            cpu, wall = _ratio(taken["mace"], taken[name])
            yield Row(f"{words}: MACE against {_PEERS[name]}", cpu, "x CPU", note=f"{wall:.2f} x wall")


def _searching(
    mace: Worker, peers: dict[str, Worker], person: str, dialogues: list[Dialogue], rounds: int
) -> Iterator[Row]:
    dialogue = next(one for one in dialogues if one.name == person)
    questions = [question.text for question in dialogue.questions[:20]]
    taken: dict[str, list[Took]] = {"mace": [], **{name: [] for name in peers}}
    for at in range(rounds + 1):
        for name, side in (("mace", mace), *peers.items()):
            one = side.run("search", person, questions, 1000 if name == "mace" else _FOR_A_PROMPT)
            if at:
                taken[name].append(one)
    yield from _beside(f"search, {len(dialogue.turns):,} turns, for 1,000 tokens", taken, len(questions))


def _remember_and_put(mace: Worker, rounds: int) -> Iterator[Row]:
    taken: dict[str, list[Took]] = {"put": [], "add": [], "add_list": []}
    for at in range(2 * rounds + 1):
        for how, times in taken.items():
            mace.run("prepare", _ADDED)
            one = mace.run(how, "beside")
            if at:
                times.append(one)
    figure, note = _speed(taken["put"], _ADDED)
    yield Row("a fact’s put, of a turn’s text", figure, "us CPU", note=note)
    for how, words in (("add", "a turn a call"), ("add_list", f"{_ADDED} turns a call")):
        cpu, wall = _ratio(taken[how], taken["put"])
        figure, note = _speed(taken[how], _ADDED)
        yield Row(f"remember, {words}, against a fact’s put", cpu, "x CPU", 1.5, note=f"{figure:.0f} us ({note})")
        yield Row(f"remember, {words}, against a fact’s put", wall, "x wall")


def _long_questions() -> list[str]:
    return [question.text for number in range(10) for question in another(number, 1000).questions[:4]]


def _long(mace: Worker, turns: int, rounds: int, *, bars: bool) -> Iterator[Row]:
    grown = mace.run("grow", "long", turns)
    yield Row(
        f"{turns:,} turns: remember all, 100 a call", grown.cpu / turns * 1e6, "us CPU", note=f"{grown.wall:.0f} s wall"
    )
    questions = _long_questions()
    first = mace.run("search", "long", questions[:1], 1000)
    mace.run("search", "long", questions, 1000)
    for budget in BUDGETS:
        one_by_one = [mace.run("search", "long", [question], budget) for question in questions]
        cpu = [1000 * one.cpu for one in one_by_one]
        wall = [1000 * one.wall for one in one_by_one]
        note = f"least {min(cpu):.1f}, most {max(cpu):.1f}; wall {statistics.median(wall):.1f} ms; {len(cpu)} questions"
        bar = 50.0 if bars else None
        yield Row(
            f"{turns:,} turns: warm recall, {budget:,} tokens, median", statistics.median(cpu), "ms CPU", bar, note=note
        )
    yield Row(f"{turns:,} turns: the first recall of the process that remembered", 1000 * first.cpu, "ms CPU")
    mace.run("prepare", 20)
    chatted = mace.run("chatted", "long", questions[:20], 1000)
    what = f"{turns:,} turns: remember a turn, then recall, as a chat does"
    yield Row(what, 1000 * chatted.cpu / 20, "ms CPU", note=f"wall {1000 * chatted.wall / 20:.1f} ms")
    fresh = [mace.run("cold", "long", questions[at % len(questions)], 1000).came for at in range(rounds)]
    opened, recalled, again = (sorted(one[at] * 1000 for one in fresh) for at in range(3))
    note = f"least {recalled[0]:.0f}, most {recalled[-1]:.0f}; the next one {statistics.median(again):.1f} ms"
    what = f"{turns:,} turns: recall after a cold open, a fresh process, median"
    yield Row(what, statistics.median(recalled), "ms CPU", 500.0 if bars else None, note=note)
    both = statistics.median(one[0] + one[1] for one in fresh) * 1000
    note = f"opening {statistics.median(opened):.0f} ms"
    yield Row(f"{turns:,} turns: opening and recall, a fresh process, median", both, "ms CPU", note=note)


def _long_searches(rounds: int) -> Iterator[Row]:
    """Search at 10,000 turns of one person, beside the others."""
    with ExitStack() as stack:
        sides = {
            name: stack.enter_context(worker(_SIDES, name))
            for name in ("mace", *_PEERS)
            if name == "mace" or not _missing(name)
        }
        for side in sides.values():
            side.run("grow", "long", _LONG)
        questions = _long_questions()[:20]
        taken: dict[str, list[Took]] = {name: [] for name in sides}
        for at in range(min(rounds, 7) + 1):
            for name, side in sides.items():
                one = side.run("search", "long", questions, 1000 if name == "mace" else _FOR_A_PROMPT)
                if at:
                    taken[name].append(one)
        yield from _beside(f"search, {_LONG:,} turns, for 1,000 tokens", taken, len(questions))
