"""Agents that behave oddly, for tests of failures: each is a pure function of its task, so replays can run it again.

They lie here, importable by name, because replays in another process need them too (`always`).
"""

import time
from collections.abc import Generator
from typing import Any

from mace.agents.asking import Decline, Effect, Reply, Result, Task, complete
from mace.agents.evidence import Evidence

CANARY = "canary-4711-zeisig"  # must be found nowhere after an agent quoted it in an exception


def sleeps(task: Task) -> Reply:
    """Does not end within any limit a test sets."""
    time.sleep(20)
    return Reply(text="too late")


def raises(task: Task) -> Reply:
    raise ZeroDivisionError(f"{CANARY}: {task.text}")


def raises_after_an_effect(task: Task) -> Generator[Effect, Result, Reply]:
    yield Effect("read_fact", {"key": "world/fact/ohms_law/definition"})
    raise RuntimeError(CANARY)


def exits(task: Task) -> Reply:
    raise SystemExit(3)


def returns_nothing(task: Task) -> Any:
    return None


def returns_an_unfit_reply(task: Task) -> Reply:
    return Reply(text="sure", confidence=7.0)


def asks_for_what_there_is_not(task: Task) -> Generator[Effect, Result, Reply]:
    done = yield Effect("launch_rocket", {"where": "moon"})
    return Reply(text=None, confidence=0.0, failed=done.failed, details=done.value)


def asks_for_no_key(task: Task) -> Generator[Effect, Result, Reply]:
    done = yield Effect("read_fact", {})
    return Reply(text=None, confidence=0.0, failed=done.failed, details=done.value)


def asks_for_ever(task: Task) -> Generator[Effect, Result, Reply]:
    while True:
        yield Effect("read_fact", {"key": "world/fact/ohms_law/definition"})


def declines(task: Task) -> Decline:
    return Decline("not mine")


def baseless(task: Task) -> Reply:
    """Says something without a reason, whatever the council suggests."""
    return Reply(text="The moon is made of green cheese.", confidence=0.9)


def dangerous(task: Task) -> Reply:
    """Grounded, and harmful if obeyed: the cautious member alone is against it, which is a tie."""
    text = "Free the disk with rm -rf / and reboot."
    fact = Evidence(kind="fact", ref="world/fact/disk/definition", text=f"{text} {task.text}")
    return Reply(text=text, confidence=0.9, evidence=(fact,))


def unsure(task: Task) -> Reply:
    text = "It is probably blue."
    fact = Evidence(kind="fact", ref="world/fact/sky/definition", text=f"{text} {task.text}")
    return Reply(text=text, confidence=0.3, evidence=(fact,))


def long_winded(task: Task) -> Reply:
    """An answer beyond what a reflective log may hold in one text."""
    words = " ".join(f"word{number}" for number in range(4000))
    fact = Evidence(kind="operation", ref="words", text="words")
    return Reply(text=words, confidence=0.9, evidence=(fact,))


def echoes(task: Task) -> Reply:
    """Says back exactly what it was given: shows what agents see of a question."""
    seen = f"seen: {task.text}"
    return Reply(text=seen, confidence=0.9, evidence=(Evidence(kind="operation", ref="echo", text=seen),))


def hesitates(task: Task) -> Generator[Effect, Result, Reply]:
    """Uses a language engine, then answers from it without a source."""
    said = yield complete("Answer.", task.text)
    if said.failed:
        return Reply(text=None, confidence=0.0, failed=said.failed, details=said.value)
    return Reply(text=said.value["text"], confidence=0.9, evidence=(), tokens=1)


def shaky(task: Task) -> Reply:
    """Written by an engine, and harmful if obeyed: only a second opinion can help, and the cautious member says no."""
    text = "Disk is full: free it with rm -rf / now."
    model = Evidence(kind="model", ref="made-up/model", text=text)
    context = Evidence(kind="context", ref="manual", text=f"{text} {task.text}")
    return Reply(text=text, confidence=0.9, evidence=(model, context))


LEAKED = "the file says my social security number is 536-22-8145, call 212-555-0198"


def leaks(task: Task) -> Reply:
    """Puts personal data that nobody gave it everywhere it can."""
    seen = Evidence(kind="operation", ref=LEAKED, text=LEAKED)
    return Reply(text=f"{LEAKED}: {task.text}", confidence=0.9, evidence=(seen,), trace=(LEAKED,))


def leaks_in_a_failure(task: Task) -> Reply:
    return Reply(text=None, confidence=0.0, failed="SEM_NOT_FOUND", details={"key": LEAKED, LEAKED: 1})


def leaks_in_a_decline(task: Task) -> Decline:
    return Decline(LEAKED)


def leaks_in_an_exception(task: Task) -> Reply:
    raise ValueError(LEAKED)


def leaks_in_an_effect(task: Task) -> Generator[Effect, Result, Reply]:
    """Has an engine say it, and says what it heard."""
    said = yield complete("Answer.", f"{LEAKED}: {task.text}")
    if said.failed:
        return Reply(text=None, confidence=0.0, failed=said.failed, details=said.value)
    text = f"{said.value['text']} ({', '.join(said.withheld)})"
    return Reply(text=text, confidence=0.9, evidence=(Evidence(kind="operation", ref="echo", text=text),))


def reads_of_another(task: Task) -> Generator[Effect, Result, Reply]:
    """Reads what is stored about somebody else, and says it."""
    found = yield Effect("read_fact", {"key": "user/profile/user_mary/phone"})
    text = f"Mary has {found.value['value']} ({', '.join(found.withheld)})"
    return Reply(text=text, confidence=0.9, evidence=(Evidence(kind="fact", ref="mary", text=text),))
