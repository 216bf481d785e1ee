"""Looking for the stored facts about the world that answer a question: one, or one for each of its parts."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from mace.agents import asking, profile_text, support
from mace.agents.asking import Decline, Effect, Reply, Result
from mace.agents.evidence import Evidence
from mace.agents.reading import world


class Looked(NamedTuple):
    reply: Reply | None  # the fact, or the failure of the look
    key: str  # what was not there
    subject: str = ""  # of the fact


def look(question: world.WorldQuestion) -> Generator[Effect, Result, Looked]:
    """Look for the stored fact that a question asks for; where there is none, for those of its parts."""
    looked = Looked(None, "none")
    if question.parts_first:
        several = yield from _look_for_parts(question.parts)
        if several is not None:
            return Looked(several, "none")
    if not question.is_several:
        looked = yield from _look_for_one(question)
        if looked.reply is not None:
            return looked
    if question.parts and not question.parts_first:
        several = yield from _look_for_parts(question.parts)
        if several is not None:
            return Looked(several, looked.key)
    return Looked(None, world.key_of_nothing(question)) if question.is_several else looked


def _look_for_parts(ways: Sequence[Sequence[str]]) -> Generator[Effect, Result, Reply | None]:
    """The facts for all parts of a question, by the first way of taking it apart that has one for each."""
    for way in ways[:_MAX_WAYS]:
        replies: list[Reply] = []
        subject = ""
        for part in way:
            asked = world.read_question(world.about(part, subject) if subject else part)
            looked = Looked(None, "none") if asked is None else (yield from _look_for_one(asked))
            if looked.reply is None:
                break
            if looked.reply.failed:
                return looked.reply
            replies.append(looked.reply)
            subject = looked.subject
        if len(replies) == len(way):
            return Reply(
                text="; ".join(str(reply.text).rstrip(".") for reply in replies) + ".",
                evidence=tuple(source for reply in replies for source in reply.evidence),
                trace=tuple(step for reply in replies for step in reply.trace),
            )
    return None


def _look_for_one(question: world.WorldQuestion) -> Generator[Effect, Result, Looked]:
    """Look for the stored fact that answers; what a thing is, by its name, is one look."""
    name = world.plain_subject(question)
    if name is not None:
        read = yield asking.read_knowledge(name, "definition")
        if read.failed:
            return Looked(_failed(read), "none")
        if read.value["exists"]:
            key = read.value["key"]
            return Looked(_of_fact(world.Choice(name, key, "definition", is_itself=True), read.value), key, name)
    found = yield asking.find_knowledge(question.subjects)
    if found.failed:
        return Looked(_failed(found), "none")
    stored = [
        world.Found(item["subject"], item["entity"], tuple(item["attributes"]), item["alias"], item["by_alias"])
        for item in found.value["found"]
    ]
    choices, missing = world.choose(question, stored)
    otherwise: Reply | None = None
    for choice in choices[:_MAX_READ]:
        read = yield asking.read_fact(choice.key)
        if read.failed:
            return Looked(_failed(read), choice.key)
        if not read.value["exists"]:
            continue
        if world.fits(choice, profile_text.shown_value(read.value["value"])):
            return Looked(_of_fact(choice, read.value), choice.key, choice.subject)
        if choice.is_named and otherwise is None:  # "is Umber its capital": what the capital is
            otherwise = _of_fact(replace(choice, form="what"), read.value)
    if otherwise is not None:
        return Looked(otherwise, choices[0].key, choices[0].subject)
    return Looked(None, missing or (choices[0].key if choices else world.key_of_nothing(question)))


def _failed(result: Result) -> Reply:
    return Reply(text=None, confidence=0.0, failed=result.failed, details={"key": result.value.get("key")})


def _of_fact(choice: world.Choice, found: dict[str, Any]) -> Reply:
    shown = profile_text.shown_value(found["value"])
    name = choice.subject[:1].upper() + choice.subject[1:]
    what = "" if choice.is_itself or choice.attribute in _UNNAMED else choice.attribute.replace("_", " ")
    text = shown if shown.endswith((".", "!", "?")) else f"{name}, {what}: {shown}" if what else f"{name}: {shown}"
    return Reply(
        text=f"Yes. {text}" if choice.form == "is" else text,
        evidence=(Evidence(kind="fact", ref=found["key"], text=f"{choice.subject} {what} {shown}"),),
        trace=(f"read {found['key']}",),
    )


_MAX_WAYS = 6
_MAX_READ = 4  # facts that are read to find one of the kind that was asked for
_UNNAMED = ("definition", "summary", "description")


Look = Generator[Effect, Result, Reply | Decline | None]


def no_look(question: str, text: str, was_looked: bool) -> Look:
    """The first version: nobody looked before an engine's text was judged."""
    yield from ()
    return None


def stored_fact(question: str) -> Generator[Effect, Result, Reply | None]:
    """The stored fact that a question names, in whatever words, as an answer; None where it names none."""
    asked = world.read(question)
    if asked is None:
        return None
    looked = yield from look(asked)
    return None if looked.reply is None or looked.reply.failed else looked.reply


def stored_answer(question: str, text: str, was_looked: bool) -> Look:
    """What is stored about the world beside an engine's text; None where that may be judged.

    The stored fact that a question names, in whatever words, is the answer, if nobody looked for it yet. A text that
    gives something a value other than the stored one is none.
    """
    found = None if was_looked else (yield from stored_fact(question))
    if found is not None:
        return found
    if (yield from _gainsaid(text)):
        return Decline("the language engine contradicts a stored fact")
    return None


def _gainsaid(text: str) -> Generator[Effect, Result, bool]:
    """Say whether a text gives something that is stored another value: "the Ox costs 9000 euros"."""
    claims = world.claims(support.sentences(text[:_MAX_TEXT])[:_MAX_SENTENCES])
    names = list(dict.fromkeys(name for claim in claims for name in claim.subjects))[: world.MAX_SUBJECTS]
    if not names:
        return False
    found = yield asking.find_knowledge(names)
    if found.failed or not found.value["found"]:
        return False
    stored = [
        world.Found(item["subject"], item["entity"], tuple(item["attributes"]), item["alias"], item["by_alias"])
        for item in found.value["found"]
    ]
    spoken_of = [choice for claim in claims for choice in world.choose(claim, stored)[0] if choice.is_named]
    for choice in spoken_of[:_MAX_READ]:
        read = yield asking.read_fact(choice.key)
        if read.failed or not read.value["exists"]:
            continue
        if not world.fits(choice, profile_text.shown_value(read.value["value"])):
            return True
    return False


_MAX_TEXT = 8_000
_MAX_SENTENCES = 12
