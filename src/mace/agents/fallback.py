"""Whoever reads before asking an engine: the fallback agent, and the two that write.

In this order: an order to forget, a statement or a question about the asker, a question about the world, the engine. A
look-up happens only where something was read, so that of a text that says neither nothing but the engine is asked.
The router goes by words ("plan" is in "plant"), so questions reach those who write texts and plans, too. What asks for
a text is never read as a question: a story about Paris is no question for Paris.
"""

import re

from mace.agents import knowledge, language, profile
from mace.agents.asking import Asking, Decline, Task

_WRITES = re.compile(
    r"(?:^|[.,;:!?\n]\s*|\b(?:and|you|please|then|to|me|us|kindly)\s+)(?:write|compose|draft|create|make|generate|design|invent|"
    r"brainstorm|come\s+up\s+with|plan|outline|develop|prepare|sing|rhyme|rewrite|continue|give\s+(?:me|us)\s+(?:a|an|some|another)|"
    r"tell\s+(?:me|us)\s+(?:a|an|some|another))\b",
    re.IGNORECASE,
)


def generic_agent(task: Task) -> Asking:
    """What is known, then what an engine says; without an engine, what is not known is not understood.

    A text that the council sends back is written again in the same way, with the same passages.
    """
    answer = profile.about_user(task)
    if answer is not None:
        return (yield from answer)
    question = knowledge.world_question(task.text)
    if question is not None:
        found = yield from knowledge.answer_world(task, question)
        if found is not None:
            return found
    return (yield from language.generic_agent(task))


def creative_agent(task: Task) -> Asking:
    """The text that is asked for; a question about the world is for whoever answers questions, with their caution."""
    if _reads(task):
        answer = profile.about_user(task)
        if answer is not None:
            return (yield from answer)
        question = knowledge.world_question(task.text)
        if question is not None and question.is_sure:
            return Decline("a question, and no text to write")
    return (yield from language.creative_agent(task))


def strategy_agent(task: Task) -> Asking:
    """What is known, then the plan that an engine makes."""
    if _reads(task):
        answer = profile.about_user(task)
        if answer is not None:
            return (yield from answer)
        question = knowledge.world_question(task.text)
        if question is not None and question.is_sure:
            found = yield from knowledge.answer_world(task, question)
            if found is not None:
                return found
    return (yield from language.strategy_agent(task))


def _reads(task: Task) -> bool:
    """Say whether a text may be a statement or a question: not where a text is to be written, or was sent back."""
    return not task.suggestions and _WRITES.search(task.text) is None
