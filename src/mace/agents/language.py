"""The agents that write with a language engine: creative, strategy and generic.

Without an engine they say so; nothing is made up in its place. What an engine wrote is marked as such in its evidence.
An order to forget something of the asker's is no text to write: whoever of them hears it opens the deletion request.
Agents that somebody brought do not hear such an order at all: to have one's data deleted is the person's right.
"""

from mace.agents import asking, profile, profile_text
from mace.agents.asking import Agent, Asking, Decline, Reply, Task
from mace.agents.evidence import Evidence
from mace.agents.model_text import visible_text

_CREATIVE = "You write what is asked for: the text itself, with no preface and no explanation."
_STRATEGY = "You plan. Give numbered, concrete steps, each with what shows that it is done. No preface."
_GENERIC = "You answer briefly and truthfully. Say so when you do not know."

_CONFIDENCE = 0.6  # of what only an engine says


def creative_agent(task: Task) -> Asking:
    return (yield from _forgets(task) or creative_agent_1(task))


def strategy_agent(task: Task) -> Asking:
    return (yield from _forgets(task) or strategy_agent_1(task))


def generic_agent(task: Task) -> Asking:
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
