"""The agents that write with a language engine: creative, strategy and generic.

Without an engine they say so; nothing is made up in its place. What an engine wrote is marked as such in its evidence.
An order to forget something of the asker's is no text to write: whoever of them hears it opens the deletion request.
Who asks is known to the engine by what `recall` gives (`prompting`), and their own facts stand above what it says.
Agents that somebody brought do not hear such an order at all: to have one's data deleted is the person's right.
"""

from dataclasses import replace
from typing import Any

from mace.agents import asking, profile, profile_text, prompting
from mace.agents.asking import Agent, Asking, Decline, Reply, Task
from mace.agents.evidence import Evidence
from mace.agents.model_text import visible_text

_CREATIVE = "You write what is asked for: the text itself, with no preface and no explanation."
_STRATEGY = "You plan. Give numbered, concrete steps, each with what shows that it is done. No preface."
_GENERIC = "You answer briefly and truthfully. Say so when you do not know."

_CONFIDENCE = 0.6  # of what only an engine says


def creative_agent(task: Task) -> Asking:
    return (yield from _forgets(task) or answered_by_engine_2(task, _CREATIVE, task.text, ()))


def strategy_agent(task: Task) -> Asking:
    return (yield from _forgets(task) or answered_by_engine_2(task, _STRATEGY, task.text, ()))


def generic_agent(task: Task) -> Asking:
    return (yield from _forgets(task) or generically(task))


def generically(task: Task) -> Asking:
    """Answer with the engine whatever nobody else understood; without one there is no match."""
    if not task.has_engine:
        return Reply(text=None, confidence=0.0, failed="ROUTER_NO_MATCH", trace=("no language engine is configured",))
    return (yield from answered_by_engine_2(task, _GENERIC, task.text, ()))


def creative_agent_2(task: Task) -> Asking:
    return (yield from _forgets(task) or creative_agent_1(task))


def strategy_agent_2(task: Task) -> Asking:
    return (yield from _forgets(task) or strategy_agent_1(task))


def generic_agent_2(task: Task) -> Asking:
    return (yield from _forgets(task) or generic_agent_1(task))


def brought_agent_1(agent: Agent) -> Agent:
    return agent


def brought_agent(agent: Agent) -> Agent:
    """An agent that somebody brought, after orders to forget were heard."""

    def heard(task: Task) -> Asking | Reply | Decline:
        return _forgets(task) or agent(task)

    return heard


def _forgets(task: Task) -> Asking | None:
    """Open the deletion request that "forget my ..." asks for; None where it asks for something else."""
    said = profile_text.parse(task.text)
    if task.user_id is None or not isinstance(said, profile_text.Forget):
        return None
    return profile.forget(said, task.user_id)


def creative_agent_1(task: Task) -> Asking:
    return (yield from answered_by_engine(task, _CREATIVE, task.text, ()))


def strategy_agent_1(task: Task) -> Asking:
    return (yield from answered_by_engine(task, _STRATEGY, task.text, ()))


def generic_agent_1(task: Task) -> Asking:
    if not task.has_engine:
        return Reply(text=None, confidence=0.0, failed="ROUTER_NO_MATCH", trace=("no language engine is configured",))
    return (yield from answered_by_engine(task, _GENERIC, task.text, ()))


def answered_by_engine_2(
    task: Task, system: str, prompt: str, evidence: tuple[Evidence, ...], *, is_sourced: bool = False
) -> Asking:
    """Ask the engine with what is known about the person: their own facts, and what was said in the conversation.

    Where its text states another value than a fact of theirs it is asked once more; then the fact is the answer to a
    question that names it, and there is none to another. `is_sourced`: the text is to say what its passages say, and
    what the person said is no source of that.
    """
    items: list[dict[str, Any]] = []
    block = ""
    trace: tuple[str, ...] = ()
    if task.user_id is not None and task.has_engine and task.memory_tokens > 0:
        budget = min(task.memory_tokens, prompting.MAX_TOKENS)
        others = prompting.speaks_of_self(task.text)
        known = yield asking.recall(task.text, budget, task.conversation_id, others=others)
        if not known.failed:
            items, block = known.value["items"], known.value["text"]
    told, asked = prompting.system_text(system, block), prompting.prompt_text(block, prompt)
    reply = yield from answered_by_engine(task, told, asked, evidence)
    fact = _denied(task, reply, items)
    if fact is not None and isinstance(reply, Reply):
        wanted = f"It agrees with what is known about the person: {fact.attribute}: {fact.value}."
        again = replace(task, suggestions=(*task.suggestions, wanted), previous=reply.text)
        reply = yield from answered_by_engine(again, told, asked, evidence)
        fact = _denied(task, reply, items)
    if fact is not None:
        return _fact_instead(task, fact)
    if not isinstance(reply, Reply) or reply.text is None or reply.failed is not None:
        return reply
    own = () if is_sourced else prompting.evidence(task.text, reply.text, items)
    if block:
        trace = (f"{len(items)} lines of memory were in the prompt",)
    sure = 1.0 if own else reply.confidence  # as sure as the evidence makes it: the council finds that out
    return replace(reply, evidence=(*own, *reply.evidence), trace=(*trace, *reply.trace), confidence=sure)


def _denied(task: Task, reply: Reply | Decline, items: list[dict[str, Any]]) -> prompting.Fact | None:
    if not isinstance(reply, Reply) or reply.text is None or reply.failed is not None:
        return None
    return prompting.contradicted(task.text, reply.text, items)


def _fact_instead(task: Task, fact: prompting.Fact) -> Reply | Decline:
    """What is stored, where the engine keeps saying something else."""
    if not prompting.names_it(task.text, fact):
        return Decline("the language engine contradicts a stored fact")
    shown = Evidence(kind="fact", ref=fact.ref, text=f"{fact.attribute} {fact.value}")
    return Reply(
        text=profile_text.answer_sentence(fact.attribute, fact.value),
        evidence=(shown,),
        trace=(f"read {fact.ref}", "the language engine said something else"),
    )


def answered_by_engine(task: Task, system: str, prompt: str, evidence: tuple[Evidence, ...]) -> Asking:
    if task.suggestions and task.previous is not None:
        wanted = "\n".join(f"- {item}" for item in task.suggestions)
        prompt = f"{prompt}\n\nYour earlier answer:\n{task.previous}\n\nChange it so that:\n{wanted}"
    said = yield asking.complete(system, prompt)
    if said.failed:
        return Reply(text=None, confidence=0.0, failed=said.failed, details=said.value)
    text = visible_text(said.value["text"]).strip()
    if not text:
        return Decline("the language engine gave no text")
    source = f"{said.value['provider']}/{said.value['model']}"
    return Reply(
        text=text,
        confidence=_CONFIDENCE,
        evidence=(*evidence, Evidence(kind="model", ref=source, text=text)),
        trace=(f"answered by {source}",),
        tokens=said.value["input_tokens"] + said.value["output_tokens"],
    )
