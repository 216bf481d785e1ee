"""The knowledge agent: world facts first, then context packages, then the language engine with its sources.

What none of them gives, it does not know, and says so.
"""

from mace.agents import asking, profile_text
from mace.agents.asking import Asking, Reply, Task
from mace.agents.evidence import Evidence
from mace.agents.language import answered_by_engine

_FREELY = "Answer briefly and say what you are not sure of. If you do not know, reply with exactly: I do not know."
_FROM_PASSAGES = (
    "Answer the question only from the passages given. Name the passages you used by their numbers in square brackets. "
    "If they do not contain the answer, reply with exactly: I do not know."
)


def knowledge_agent(task: Task) -> Asking:
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
    passages = yield asking.read_context(task.text)
    items = passages.value.get("items", []) if not passages.failed else []
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


def _knows(text: str | None) -> bool:
    said = (text or "").lower().replace("’", "'")
    return bool(said) and not any(phrase in said for phrase in ("i do not know", "i don't know"))


def _named(subject: profile_text.Subject) -> str:
    name = subject.subject[:1].upper() + subject.subject[1:]
    return name if subject.attribute == "definition" else f"{name}, {subject.attribute.replace('_', ' ')}"
