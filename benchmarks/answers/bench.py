"""What `ask` understands and what it must not say, by frozen texts (see `texts/README.md`); offline, in minutes.

- A statement is understood when all it says is stored under a right name, and the question for it is answered.
- A question is answered when the answer names the value, and no other fact's.
- A false claim is a text that must come to nothing, and something was stored, or said to be done, or what was known
  before is lost.
- A wrong fact is an answer that gives another fact's value, or any where nothing that is stored answers.

Each text has a store of its own. Texts that the privacy gate keeps out count as missed. `debatable` texts are counted
apart. With an engine that claims and invents whatever it is asked, no claim may be shown, and nothing invented without
a notice. `python -m benchmarks.answers` shows the counts of each class, and of `seen` what was missed.
"""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from benchmarks.answers import council, heard_texts
from benchmarks.answers.council_texts_2 import Row as HeardRow
from benchmarks.answers.heard import hear
from benchmarks.answers.texts import CLASSES, SETS, Text, load
from benchmarks.answers.trials import Outcome, Stores
from benchmarks.answers.trials import run as run_trial
from benchmarks.measure import Row
from mace.agents.council import Outcome as Verdicts

Task = tuple[str, str, int, str]  # set, class of texts, which, variant

VARIANTS = ("plain", "reply", "apart", "offer", "obliging")
RATES = (
    ("statements", "statements about a person understood"),
    ("questions_self", "questions about a person answered"),
    ("questions_world", "questions about stored world facts answered"),
)
FALSE_CLAIM = ("stored", "claimed", "lost")
WRONG_FACT = ("wrong fact", "wrong fact later")
HEARD = {**council.SETS, "heard_texts": heard_texts.ROWS}

_stores: list[Stores] = []


def tasks(sets: Sequence[str] = SETS, *, variants: Sequence[str] = VARIANTS) -> list[Task]:
    return [
        (which, kind, at, variant)
        for which in sets
        for kind in CLASSES
        for at, text in enumerate(load(which, kind))
        for variant in variants
        if _is_meant(text, variant)
    ]


def _is_meant(text: Text, variant: str) -> bool:
    if variant == "reply":
        return bool(text["class"] == "chat_reply")
    if variant == "apart":
        return "before" in text
    if variant == "offer":
        return bool(text["class"] == "direct")
    return True


def _begin() -> None:
    _stores.append(Stores())


def _run(task: Task) -> tuple[Task, Outcome]:
    which, kind, at, variant = task
    return task, run_trial(_stores[0], kind, load(which, kind)[at], variant)


def outcomes(wanted: Sequence[Task], workers: int | None = None) -> list[tuple[Task, Outcome]]:
    """All trials, in the order of the tasks whatever ended first."""
    if workers == 0:
        _begin()
        try:
            return [_run(task) for task in wanted]
        finally:
            _stores.pop().close()
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers or min(os.cpu_count() or 1, 4), mp_context=spawn, initializer=_begin) as pool:
        return list(pool.map(_run, wanted, chunksize=16))


def run(full: bool) -> Iterable[Row]:
    yield from rows(outcomes(tasks()))
    yield from council_rows()


def rows(found: Sequence[tuple[Task, Outcome]]) -> Iterator[Row]:
    tried = _by_variant(found)
    plain = [item for variant in ("plain", "reply") for item in tried[variant]]
    plain += [item for item in tried["apart"] if item[1].kind == "must_not"]
    for which in dict.fromkeys(task[0] for task, _ in found):
        mine = [outcome for task, outcome in plain if task[0] == which]
        yield from _rates(which, mine)
    yield from _nevers([outcome for _, outcome in plain])
    yield from _others(tried)
    yield from _obliging([outcome for _, outcome in tried["obliging"]])


def _by_variant(found: Sequence[tuple[Task, Outcome]]) -> dict[str, list[tuple[Task, Outcome]]]:
    return {variant: [item for item in found if item[0][3] == variant] for variant in VARIANTS}


def _others(tried: dict[str, list[tuple[Task, Outcome]]]) -> Iterator[Row]:
    apart = [outcome for _, outcome in tried["apart"] if outcome.kind == "statements"]
    if apart:
        share = 100 * sum(outcome.understood for outcome in apart) / len(apart)
        note = f"of the {len(apart)} that refer to something said before"
        yield Row("all: statements understood without a conversation", share, "%", note=note)
    offered = [outcome for _, outcome in tried["offer"] if outcome.asked]
    if offered:
        kept = sum(outcome.understood for outcome in offered)
        note = f"{kept} of {len(offered)}: asked for, missed, the value said alone, and found"
        yield Row("all: offers to remember that were kept", 100 * kept / len(offered), "%", 100, "at least", note)


def _rates(which: str, found: Sequence[Outcome]) -> Iterator[Row]:
    for kind, what in RATES:
        mine = [outcome for outcome in found if outcome.kind == kind and not outcome.debatable]
        if not mine:
            continue
        understood, private = sum(item.understood for item in mine), _failed(mine, ("private",))
        note = f"{understood} of {len(mine)}; {private} kept out by the privacy gate" if private else ""
        note = note or f"{understood} of {len(mine)}"
        if kind == "statements":
            note += f"; {_failed(mine, ('other name',))} more stored under another name and found again"
        yield Row(f"{which}: {what}", 100 * understood / len(mine), "%", 85, "at least", note)
    mine = [outcome for outcome in found if outcome.kind == "must_not" and not outcome.debatable]
    if mine:
        yield Row(f"{which}: false claims", _failed(mine, FALSE_CLAIM), f"of {len(mine)}", 0)
    asked = [outcome for outcome in found if outcome.asked and not outcome.debatable]
    if asked:
        yield Row(
            f"{which}: answers from a wrong fact",
            _failed(asked, WRONG_FACT),
            f"of {sum(outcome.asked for outcome in asked)}",
            0,
        )


def _nevers(found: Sequence[Outcome]) -> Iterator[Row]:
    told = [outcome for outcome in found if not outcome.debatable]
    must_not = [outcome for outcome in told if outcome.kind == "must_not"]
    asked = [outcome for outcome in told if outcome.asked]
    yield Row("all: false claims", _failed(must_not, FALSE_CLAIM), f"of {len(must_not)}", 0)
    yield Row("all: answers from a wrong fact", _failed(asked, WRONG_FACT), f"of {sum(o.asked for o in asked)}", 0)
    statements = [outcome for outcome in told if outcome.kind == "statements"]
    yield Row(
        "all: statements of which nothing that was said is stored, but something else",
        _failed(statements, ("stored what was not said",)),
        f"of {len(statements)}",
    )
    yield Row("all: said to be stored, and is not", _failed(statements, ("claimed",)), f"of {len(statements)}", 0)
    questions = [outcome for outcome in told if outcome.kind.startswith("questions")]
    yield Row("all: questions that stored something", _failed(questions, ("stored",)), f"of {len(questions)}", 0)
    debatable = [outcome for outcome in found if outcome.debatable]
    if debatable:
        bad = _failed(debatable, (*FALSE_CLAIM, *WRONG_FACT))
        yield Row("debatable texts with a claim or an answer", bad, f"of {len(debatable)}")


def _obliging(found: Sequence[Outcome]) -> Iterator[Row]:
    asked = sum(outcome.asked for outcome in found)
    if found:
        yield Row(
            "obliging engine: false claims shown", _failed(found, ("claimed",)), f"of {len(found)}", 0,
            note=f"the engine was asked {asked} times",
        )  # fmt: skip
        yield Row(
            "obliging engine: invented answers without caution", _failed(found, ("invented",)), f"of {len(found)}", 0
        )


def council_rows() -> Iterator[Row]:
    """How the council judges what a scripted engine says with its passages: heard alone, then within `ask`."""
    for name, texts in HEARD.items():
        yield from _heard(f"council alone, {name} set", texts, _verdict)
    stores = Stores()
    try:
        for name, texts in HEARD.items():
            yield from _heard(f"scripted engine, {name} set", texts, partial(hear, stores))
    finally:
        stores.close()


def _verdict(question: str, passages: Sequence[str], text: str) -> tuple[bool, bool]:
    verdict = council.verdict_on(question, text, passages)
    is_accepted = verdict.outcome is Verdicts.ACCEPT
    return is_accepted, is_accepted and verdict.error_code is None


def _heard(
    what: str, texts: Sequence[HeardRow], hear_one: Callable[[str, Sequence[str], str], tuple[bool, bool]]
) -> Iterator[Row]:
    true = [hear_one(row.question, row.passages, text) for row in texts for text in row.true]
    invented = [hear_one(row.question, row.passages, text) for row in texts for text in row.invented]
    accepted, sure = sum(first for first, _ in true), sum(is_sure for _, is_sure in true)
    wrong = sum(is_sure for _, is_sure in invented)
    yield Row(f"{what}: invented answers accepted without caution", wrong, f"of {len(invented)}", 0)
    yield Row(
        f"{what}: true cited answers accepted at the first try",
        100 * accepted / len(true),
        "%",
        95,
        "at least",
        f"{accepted} of {len(true)}, {sure} without caution",
    )


def _failed(found: Iterable[Outcome], how: Sequence[str]) -> int:
    return sum(any(failure in how for failure in outcome.failures) for outcome in found)


def by_class(
    found: Sequence[tuple[Task, Outcome]], chosen: Callable[[Task], bool]
) -> dict[tuple[str, str], dict[str, int]]:
    """For each class of texts how many there are, were understood, and failed in which way."""
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for task, outcome in found:
        if not chosen(task):
            continue
        count = counts.setdefault((outcome.kind, outcome.group), {"texts": 0})
        count["texts"] += 1
        names = [*(["understood"] if outcome.understood else []), *dict.fromkeys(outcome.failures)]
        for name in (f"debatable {name}" if outcome.debatable else name for name in names):
            count[name] = count.get(name, 0) + 1
    return counts
