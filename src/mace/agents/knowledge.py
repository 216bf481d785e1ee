"""The knowledge agent: world facts first, then context packages, then the language engine with its sources.

What none of them gives, it does not know, and says so.
"""

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from mace.agents import asking, profile, profile_text, prompting, support
from mace.agents.asking import Asking, Decline, Effect, Reply, Result, Task
from mace.agents.evidence import Evidence
from mace.agents.language import answered_by_engine, answered_by_engine_2
from mace.agents.reading import passages, replies, world
from mace.agents.world_look import look
from mace.memory.keys import MAX_COMPONENT

_FREELY = "Answer briefly and say what you are not sure of. If you do not know, reply with exactly: I do not know."
_FROM_PASSAGES = (
    "Answer the question only from the passages given. Name the passages you used by their numbers in square brackets. "
    "If they do not contain the answer, reply with exactly: I do not know."
)


def knowledge_agent_1(task: Task) -> Asking:
    trace: list[str] = []
    subject = profile_text.subject_of(task.text)
    key = None
    if subject is not None:
        found = yield asking.read_knowledge(subject.subject, subject.attribute)
        if found.failed:
            return Reply(text=None, confidence=0.0, failed=found.failed, details={"key": found.value.get("key")})
        key = found.value["key"]
        if found.value["exists"]:
            shown = profile_text.shown_value(found.value["value"])
            text = shown if shown.endswith((".", "!", "?")) else f"{_named(subject)}: {shown}"
            return Reply(
                text=text,
                evidence=(Evidence(kind="fact", ref=key, text=f"{subject.subject} {shown}"),),
                trace=(f"read {key}",),
            )
        trace.append(f"looked for {key}: nothing is stored")
    read = yield asking.read_context(task.text)
    items = read.value.get("items", []) if not read.failed else []
    trace.append(f"context gave {len(items)} passages")
    evidence = tuple(
        Evidence(kind="context", ref=item["ref"], text=item["text"], score=item["score"]) for item in items
    )
    down: Reply | None = None
    if task.has_engine:
        numbered = "\n".join(f"[{at}] {item['text']}" for at, item in enumerate(items, 1))
        system, prompt = (_FROM_PASSAGES, f"{numbered}\n\nQuestion: {task.text}") if items else (_FREELY, task.text)
        reply = yield from answered_by_engine(task, system, prompt, evidence)
        if isinstance(reply, Reply) and reply.failed is None and _knows(reply.text):
            return reply
        if isinstance(reply, Reply) and reply.failed is not None:
            down = reply
    if items and (down or not task.has_engine):
        best = items[0]
        return Reply(
            text=best["text"],
            confidence=best["score"],
            evidence=evidence[:1],
            trace=(*trace, f"quoted {best['ref']}"),
            failed=None if down is None else down.failed,
            details={} if down is None else down.details,
        )
    if down is not None:
        return down  # it might have known
    return Reply(
        text=None,
        confidence=0.0,
        failed="SEM_NOT_FOUND",
        details={"key": key or "none"},
        trace=tuple(trace),
    )


def knowledge_agent(task: Task) -> Asking:
    """World facts, then the engine with passages, then a passage that answers the question; else a miss.

    What an engine says of passages is as sure as they make it: the council finds that out. What is about the asker is
    answered from the asker's own facts.
    """
    own = profile.about_user(task)
    if own is not None:
        return (yield from own)
    question = world_question(task.text)
    trace: list[str] = []
    key = None
    if question is not None:
        looked = yield from look(question)
        if looked.reply is not None:
            return looked.reply
        key = looked.key
        trace.append(f"looked for {key}: nothing is stored")
    noted = yield from _own_note(task, question, key)
    if noted.reply is not None:
        return noted.reply
    told = yield from _from_passages(task, trace, needs_engine=True)
    if told is not None:
        return told
    if question is None or not question.is_sure:
        return Decline("not a question about the world that is understood")
    return _nothing(key, trace, noted.key)


def world_question(text: str) -> world.WorldQuestion | None:
    """What a text asks about the world, or None."""
    return world.read(text)


def answer_world(task: Task, question: world.WorldQuestion) -> Generator[Effect, Result, Reply | None]:
    """Answer from what is stored about the world, then from the stores of context; None where neither helps.

    With an engine and without a passage nobody is asked: that is for whoever called. Without one, a question that is
    surely about the world gets its miss.
    """
    looked = yield from look(question)
    if looked.reply is not None:
        return looked.reply
    trace = [f"looked for {looked.key}: nothing is stored"]
    noted = yield from _own_note(task, question, looked.key)
    if noted.reply is not None:
        return noted.reply
    told = yield from _from_passages(task, trace, needs_engine=False)
    if told is not None:
        return told
    return None if task.has_engine or not question.is_sure else _nothing(looked.key, trace, noted.key)


class _Noted(NamedTuple):
    reply: Reply | None  # what the asker told about it before
    key: str | None  # where what they tell belongs


def _own_note(task: Task, question: world.WorldQuestion | None, key: str | None) -> Generator[Effect, Result, _Noted]:
    """What the asker themselves told about something of the world that is not stored; it is said as theirs."""
    if task.user_id is None or question is None or not question.is_sure or key is None or key.count("/") != 3:
        return _Noted(None, None)
    _, _, entity, attribute = key.split("/")
    name = f"{replies.NOTE}{entity}_{attribute}"[:MAX_COMPONENT].strip("_")
    looked = yield asking.find_profile(name.replace("_", " "), name, (name,), (), task.user_id)
    if looked.failed:
        return _Noted(None, None)
    for item in looked.value["found"]:
        shown = profile_text.shown_value(item["value"])
        source = Evidence(kind="fact", ref=item["key"], text=f"{entity} {attribute} you told me: {shown}")
        text = profile_text.ended(f"You told me: {shown}")
        return _Noted(Reply(text=text, evidence=(source,), trace=(f"read {item['key']}",)), None)
    return _Noted(None, looked.value["key"])


def _from_passages(task: Task, trace: list[str], *, needs_engine: bool) -> Generator[Effect, Result, Reply | None]:
    """What the stores of context say to a question, by the engine where there is one; None where they say nothing.

    Without a passage the engine is asked only if it must be.
    """
    read = yield asking.read_context(task.text)
    items = read.value.get("items", []) if not read.failed else []
    trace.append(f"context gave {len(items)} passages")
    evidence = tuple(
        Evidence(kind="context", ref=item["ref"], text=item["text"], score=item["score"]) for item in items
    )
    down: Reply | None = None
    if task.has_engine and (items or needs_engine):
        system, prompt = _FREELY, task.text
        if items:
            system = _FROM_PASSAGES
            prompt = prompting.with_passages([item["text"] for item in items], task.text)
        reply = yield from answered_by_engine_2(task, system, prompt, evidence, is_sourced=bool(items))
        if isinstance(reply, Reply) and reply.failed is None and _knows(reply.text):
            return replace(reply, confidence=1.0) if items else reply
        if isinstance(reply, Reply) and reply.failed is not None:
            down = reply
    quoted = _quoted(task.text, items, trace) if down or not task.has_engine else None
    if quoted is not None:
        return quoted if down is None else replace(quoted, failed=down.failed, details=down.details)
    return down  # it might have known


def _nothing(key: str | None, trace: Sequence[str], expects_key: str | None = None) -> Reply:
    return Reply(
        text=None,
        confidence=0.0,
        failed="SEM_NOT_FOUND",
        details={"key": key or "none"},
        trace=tuple(trace),
        expects_key=expects_key,
    )


def _quoted(question: str, items: Sequence[dict[str, Any]], trace: Sequence[str]) -> Reply | None:
    """A line written for the question; else the passage that holds most of what was asked for.

    It is in quotation marks, and unsure, if it does not hold all of that.
    """
    for item in items:
        line = passages.exact_line(question, item["text"])
        if line is not None:
            source = Evidence(kind="context", ref=item["ref"], text=item["text"], score=item["score"])
            return Reply(text=line, confidence=_QUOTED, evidence=(source,), trace=(*trace, f"quoted {item['ref']}"))
    held = [_held(question, item["text"]) for item in items]
    share = max(held, default=0.0)
    if share < _LIKELY:
        return None
    best = items[held.index(share)]
    return Reply(
        text=best["text"] if share == 1.0 else f"“{best['text']}”",
        confidence=_QUOTED if share == 1.0 else round(_PERHAPS * share, 9),
        evidence=(Evidence(kind="context", ref=best["ref"], text=best["text"], score=best["score"]),),
        trace=(*trace, f"quoted {best['ref']}"),
    )


def _held(question: str, text: str) -> float:
    """The share of what was asked for that a text holds; what a thing is, only a sentence about it says."""
    if not passages.may_answer(question, text):
        return 0.0
    share = support.answers_it(question, text)
    about_it = passages.defines(question, text)
    if about_it is None or share < _LIKELY:
        return share
    return 1.0 if about_it else _LIKELY


_LIKELY = 0.5  # the share of what was asked for that a passage must hold to be quoted at all
_QUOTED = 0.8  # of a passage that holds all of it
_PERHAPS = 0.45  # times the share, of one that does not


def _knows(text: str | None) -> bool:
    said = (text or "").lower().replace("’", "'")
    return bool(said) and not any(phrase in said for phrase in ("i do not know", "i don't know"))


def _named(subject: profile_text.Subject) -> str:
    name = subject.subject[:1].upper() + subject.subject[1:]
    return name if subject.attribute == "definition" else f"{name}, {subject.attribute.replace('_', ' ')}"
