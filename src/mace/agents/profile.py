"""The profile agent: a person's own facts. It reads them, writes them and opens deletion requests; it never guesses.

The first version reads by the forms of `profile_text`, the second by those of `reading`, under all names of a thing.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from mace.agents import asking, profile_text, world_look
from mace.agents.asking import Asking, Decline, Reply, Task
from mace.agents.evidence import Evidence
from mace.agents.reading import attributes, questions, refusals, replies
from mace.agents.reading.questions import Asked
from mace.agents.reading.self_reading import Forgotten, Said, read_self
from mace.agents.reading.statements import Told

PLACEHOLDER = "[redacted]"
_IT_IS = re.compile(r"\A(?:it|that|they)(?:['’]s| is| was| are|['’]re)\s+", re.IGNORECASE)


def is_reply_1(text: str, key: str | None = None) -> bool:
    """Say whether a text can be the value that was asked for: a question is never stored."""
    asks = isinstance(profile_text.parse(text), profile_text.Ask | profile_text.Forget | profile_text.WhoAmI)
    return not asks and not text.rstrip().endswith("?")


def profile_agent_1(task: Task) -> Asking:
    if task.user_id is None:
        return Decline("no user")
    if task.expected_key is not None and is_reply_1(task.text):
        return (yield from remember_reply(task))
    said = profile_text.parse(task.text)
    match said:
        case profile_text.Ask():
            return (yield from recall(said.attribute_phrase, said.attribute, said.plural, task.user_id))
        case profile_text.WhoAmI():
            return (yield from recall("name", "name", False, task.user_id))
        case profile_text.Tell():
            return (yield from remember(said, task))
        case profile_text.Forget():
            return (yield from forget(said, task.user_id))
    return Decline("not a sentence about the user that is understood")


def recall(phrase: str, attribute: str, plural: bool, user_id: str) -> Asking:
    found = yield asking.read_profile(phrase, attribute, user_id)
    if found.failed:
        return Reply(text=None, confidence=0.0, failed=found.failed, details={"key": found.value.get("key")})
    key = found.value["key"]
    if not found.value["exists"]:
        return Reply(
            text=None,
            confidence=0.0,
            failed="SEM_NOT_FOUND",
            details={"key": key},
            expects_key=key,
            trace=(f"looked for {key}: nothing is stored",),
        )
    text = profile_text.answer_sentence(phrase, found.value["value"], plural)
    shown = profile_text.shown_value(found.value["value"])
    return Reply(
        text=text,
        evidence=(Evidence(kind="fact", ref=key, text=f"{phrase} {shown}"),),
        trace=(f"read {key}",),
    )


def remember(said: profile_text.Tell, task: Task) -> Asking:
    if PLACEHOLDER in said.value:
        return _withheld(task)
    done = yield asking.write_profile(said.attribute_phrase, said.attribute, said.value, str(task.user_id))
    return _stored(done, profile_text.confirmation(said), said.value)


def remember_reply(task: Task) -> Asking:
    """The answer to "tell me and I’ll remember it"; a sentence that names an attribute is about that one."""
    said = profile_text.parse(task.text)
    if isinstance(said, profile_text.Tell):
        return (yield from remember(said, task))
    value = _IT_IS.sub("", task.text.strip())
    told = profile_text.parse(f"my answer is {value}")  # drops the full stop of the sentence, and no more
    value = told.value if isinstance(told, profile_text.Tell) else value
    if PLACEHOLDER in value:
        return _withheld(task)
    done = yield asking.write_fact(str(task.expected_key), value, task.user_id)
    return _stored(done, profile_text.ended(f"I’ll remember that: {value}"), value)


def _withheld(task: Task) -> Reply:
    """What is to be stored was redacted before it came here; or somebody wrote the placeholder themselves."""
    if task.withheld == ():
        reason = f"{PLACEHOLDER} stands for something that was taken out; it cannot be stored"
        return Reply(text=None, confidence=0.0, failed="INVALID_INPUT", details={"reason": reason})
    found = "redacted" if task.withheld is None else ", ".join(task.withheld)
    return Reply(text=None, confidence=0.0, failed="PRIVACY_BLOCKED", details={"pii_type": found})


def _stored(done: asking.Result, text: str, value: str) -> Reply:
    key = done.value.get("key")
    if done.failed:
        return Reply(text=None, confidence=0.0, failed=done.failed, details=done.value)
    return Reply(
        text=text,
        evidence=(Evidence(kind="operation", ref=str(key), text=f"remember {text} {value}"),),
        trace=(f"wrote {key}",),
    )


def forget(said: profile_text.Forget, user_id: str) -> Asking:
    done = yield asking.request_deletion(said.attribute_phrase, said.attribute, user_id)
    if done.failed:
        return Reply(text=None, confidence=0.0, failed=done.failed, details=done.value)
    request = done.value["request_id"]
    text = (
        f"I have asked for your {said.attribute_phrase} to be deleted. An administrator must approve request {request}."
    )
    return Reply(
        text=text,
        evidence=(Evidence(kind="operation", ref=request, text=text),),
        trace=(f"opened deletion request {request}",),
    )


# The second version


def is_reply(text: str, key: str | None = None) -> bool:
    """Say whether a text can be the value that was asked for, which belongs under `key`.

    A question, a refusal, thanks or a greeting is never stored, nor is what has a subject of its own. What tells
    something about its writer in its own words is: that is stored where it belongs.
    """
    said = read_self(text)
    if said is not None and (said.asked or said.forgotten or said.everything):
        return False
    if said is not None and said.told and not text.rstrip().endswith("?"):
        return True
    attribute = None if key is None else key.rsplit("/", 1)[-1]
    if attribute is not None and attribute.startswith(replies.NOTE):
        return replies.is_note(text, attribute)
    return replies.is_value(text, attribute)


def profile_agent(task: Task) -> Asking:
    if task.user_id is None:
        return Decline("no user")
    if task.expected_key is not None and is_reply(task.text, task.expected_key):
        return (yield from _reply_to_miss(task))
    answer = about_user(task)
    if answer is None:
        return Decline("not a sentence about the user that is understood")
    return (yield from answer)


def about_user(task: Task) -> Asking | None:
    """What a text says or asks about the one who asks, done and answered; None where it is about something else."""
    said = read_self(task.text) if task.user_id is not None else None
    if said is None:
        return None
    if said.told or said.asked or said.forgotten or said.everything:
        return _heard(said, task)
    if said.correction is not None and task.spoken_of is not None:
        about = task.spoken_of
        wanted = attributes.Wanted(about["attribute"], about["phrase"], tuple(about["same"]))
        return _heard(Said(told=(Told(wanted, said.correction),)), task)
    return None


def corrects(text: str) -> bool:
    """Whether a text only corrects what was spoken of before it: "no, it's elm"."""
    said = read_self(text)
    return said is not None and said.correction is not None and not said.told


def spoken_of(text: str) -> dict[str, Any] | None:
    """The attribute that a text speaks of last, as the next one may correct it."""
    said = read_self(text)
    if said is None or not (said.told or said.asked):
        return None
    about = [*(item.about for item in said.asked), *(item.about for item in said.told)]
    return {"attribute": about[-1].attribute, "phrase": about[-1].phrase, "same": list(about[-1].same)}


def _reply_to_miss(task: Task) -> Asking:
    """The answer to "tell me and I’ll remember it"; a sentence that names an attribute is about that one."""
    said = read_self(task.text)
    if said is not None and said.told:
        return (yield from _heard(said, task))
    value = refusals.value_of(task.text)
    if PLACEHOLDER in value:
        return _withheld(task)
    done = yield asking.write_fact(str(task.expected_key), value, task.user_id)
    return _stored(done, profile_text.ended(f"I’ll remember that: {value}"), value)


@dataclass(slots=True)
class _Answer:
    """What is gathered while a text of several parts is done and answered."""

    texts: list[str] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)
    failed: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    expects_key: str | None = None

    def fail(self, code: str, details: Mapping[str, Any]) -> None:
        if self.failed is None:
            self.failed, self.details = code, details

    def reply(self) -> Reply:
        return Reply(
            text=" ".join(self.texts) or None,
            confidence=1.0 if self.texts else 0.0,
            evidence=tuple(self.evidence),
            trace=tuple(self.trace),
            failed=self.failed,
            details=dict(self.details),
            expects_key=self.expects_key,
        )


def _heard(said: Said, task: Task) -> Asking:
    """Do and answer all that a text says and asks, in the order: forget, remember, recall."""
    user_id = str(task.user_id)
    if any(PLACEHOLDER in told.value for told in said.told):
        return _withheld(task)
    answer = _Answer()
    for gone in said.forgotten:
        yield from _forget(gone, user_id, answer)
    for told in said.told:
        yield from _remember(told, user_id, answer)
    for asked in said.asked:
        yield from _recall(asked, user_id, answer)
    if said.everything:
        yield from _list(user_id, answer)
    unread = yield from _about_the_world(said.unread, answer) if answer.texts else ()
    if unread:
        text = _not_taken(unread)
        answer.texts.append(text)
        answer.evidence.append(Evidence(kind="operation", ref="unread", text=text))  # what was left undone
    return answer.reply()


def _about_the_world(unread: Sequence[str], answer: _Answer) -> Any:
    """Answer from the world's facts what of the rest asks for one; what is left then."""
    left = []
    for text in unread:
        found = yield from world_look.stored_fact(text if text.endswith("?") else f"{text}?")
        if found is None:
            left.append(text)
            continue
        answer.texts.append(profile_text.ended(str(found.text)))
        answer.evidence += found.evidence
        answer.trace += found.trace
    return tuple(left)


def _not_taken(unread: Sequence[str]) -> str:
    """Say what else stood in a text: nothing of it was stored, answered or done."""
    quoted = [f"“{text if len(text) <= _MOST_QUOTED else text[:_MOST_QUOTED] + '…'}”" for text in unread[:_MOST_QUOTES]]
    more = " and more" if len(unread) > _MOST_QUOTES else ""
    return f"I did not take in the rest: {', '.join(quoted)}{more}."


_MOST_QUOTES = 2
_MOST_QUOTED = 80  # characters


def _remember(told: Told, user_id: str, answer: _Answer) -> Any:
    about = told.about
    value: str | list[str] = told.value
    if told.adds:
        looked = yield asking.find_profile(about.phrase, about.attribute, about.same, (), user_id)
        if looked.failed:
            answer.fail(looked.failed, {"key": looked.value.get("key")})
            return
        value = _with_one_more(about.attribute, [item["value"] for item in looked.value["found"]][:1], told.value)
    done = yield asking.write_profile(about.phrase, about.attribute, value, user_id, about.same)
    if done.failed:
        answer.fail(done.failed, done.value)
        return
    key = str(done.value.get("key"))
    form = _SENTENCES.get(about.attribute)
    shown = profile_text.shown_value(value)
    several = isinstance(value, list)
    phrase = attributes.SEVERAL.get(about.attribute, about.phrase) if several else about.phrase
    verb = "are" if told.plural or several else "is"
    sentence = form.format(value=shown) if form else f"your {phrase} {verb} {shown}"
    text = profile_text.ended(f"I’ll remember that {sentence}")
    answer.texts.append(text)
    answer.evidence.append(Evidence(kind="operation", ref=key, text=f"remember {text} {told.value}"))
    answer.trace.append(f"wrote {key}")


def _with_one_more(attribute: str, stored: Sequence[Any], said: str) -> str | list[str]:
    """What is stored of a thing that somebody has several of, and what was said now; each once, in their order."""
    held = stored[0] if stored else []
    before = held if isinstance(held, list) else [held]
    if not all(isinstance(item, str) for item in before):
        return said
    items = [*before, said]
    if before and attribute in _IN_PARTS:
        items = [part for item in items for part in refusals.parts_of(item)]
    together = list({_folded(item): item for item in reversed(items)}.values())[::-1]
    return together[0] if len(together) == 1 else together


_IN_PARTS = frozenset(["language", "learning_language", "instrument", "allergy"])  # "Dutch and Greek" are two


def _folded(item: str) -> str:
    return " ".join(item.casefold().split())


def _recall(asked: Asked, user_id: str, answer: _Answer) -> Any:
    about = asked.about
    looked = yield asking.find_profile(about.phrase, about.attribute, about.same, about.also, user_id)
    if looked.failed:
        answer.fail(looked.failed, {"key": looked.value.get("key")})
        return
    key, found = looked.value["key"], looked.value["found"]
    facts = [item for item in found if asked.kind is None or questions.agrees(asked.kind, item["value"])]
    if asked.kind == "count":
        facts = [item for item in facts if questions.is_number(item["value"])] or facts
    if not facts:
        answer.fail("SEM_NOT_FOUND", {"key": key})
        answer.expects_key = answer.expects_key or (key if asked.expected is None else None)
        answer.trace.append(f"looked for {key}: nothing is stored")
        return
    for sentence in _sentences_of(asked, facts, looked.value["same"]):
        answer.texts.append(sentence)
    for item in facts:
        shown = profile_text.shown_value(item["value"])
        said = f"{about.phrase} {shown}"
        if asked.kind == "count" and not questions.is_number(shown):
            said = f"{said}: {_counted(about, shown)}"
        answer.evidence.append(Evidence(kind="fact", ref=item["key"], text=said))
        answer.trace.append(f"read {item['key']}")


def _sentences_of(asked: Asked, facts: Sequence[Mapping[str, Any]], is_same: bool) -> list[str]:
    """The answers to one question: one for each value that differs, and yes or no where that was asked."""
    about = asked.about
    by_value: dict[str, tuple[str, bool]] = {}
    for item in facts:
        several = isinstance(item["value"], list) and len(item["value"]) > 1
        by_value.setdefault(profile_text.shown_value(item["value"]), (item["key"].rsplit("/", 1)[-1], several))
    told = []
    for shown, (attribute, several) in by_value.items():
        is_named = is_same and (len(by_value) == 1 or attribute == about.same[0])
        phrase = about.phrase if is_named else _spoken(attribute)
        if asked.kind == "count" and not questions.is_number(shown):
            told.append(_counted(about, shown))
            continue
        if several:
            phrase = attributes.SEVERAL.get(about.attribute if is_named else attribute, phrase)
        told.append(_sentence(about.attribute if is_named else attribute, phrase, shown, asked.plural or several))
    if asked.expected is not None and len(by_value) == 1:
        agreed = refusals.agreement(asked.expected, next(iter(by_value)))
        if agreed is False and about.attribute in attributes.SEVERAL:
            agreed = None  # there may be more than was told
        if agreed is not None:
            return [profile_text.ended(f"{'Yes' if agreed else 'No'}, {told[0]}")]
    return [profile_text.ended(text[:1].upper() + text[1:]) for text in told]


def _counted(about: attributes.Wanted, shown: str) -> str:
    """How many of something somebody told of, where only their names are stored."""
    count = len(refusals.parts_of(shown))
    noun = about.phrase.removeprefix("number of ")
    return f"you told me of {count} {noun}: {shown}"


def _spoken(attribute: str) -> str:
    """A stored name as it is said: `dog_name` is "dog’s name"."""
    noun = attribute.removesuffix("_name")
    if noun != attribute and attributes.is_being(noun):
        return f"{noun.replace('_', ' ')}’s name"
    return attribute.replace("_", " ")


_SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "likes": "you like {value}",
        "dislikes": "you dislike {value}",
        "does_not_eat": "you don’t eat {value}",
        "preference": "you prefer {value}",
        "grew_up_in": "you grew up in {value}",
    }
)


def _sentence(attribute: str, phrase: str, value: str, plural: bool) -> str:
    form = _SENTENCES.get(attribute)
    if form is not None:
        return form.format(value=value)
    sentence = profile_text.answer_sentence(phrase, value, plural)
    sentence = sentence.removesuffix(".") if not value.endswith(".") else sentence
    return sentence[:1].lower() + sentence[1:]


def _list(user_id: str, answer: _Answer) -> Any:
    looked = yield asking.list_profile(user_id)
    if looked.failed:
        answer.fail(looked.failed, {"key": looked.value.get("key")})
        return
    found = looked.value["found"]
    if not found:
        answer.fail("SEM_NOT_FOUND", {"key": "none"})
        answer.trace.append("looked for everything: nothing is stored")
        return
    lines = []
    for item in found:
        shown = profile_text.shown_value(item["value"])
        attribute = _spoken(item["key"].rsplit("/", 1)[-1])
        lines.append(f"- {attribute}: {shown if len(shown) <= _MOST_SHOWN else shown[:_MOST_SHOWN] + '…'}")
        answer.evidence.append(Evidence(kind="fact", ref=item["key"], text=f"{attribute} {shown[:_MOST_SHOWN]}"))
    if looked.value["more"]:
        lines.append(f"- and {looked.value['more']} more")
    answer.texts.append("\n".join(["This is what I know about you:", *lines]))
    answer.trace.append(f"read {len(found)} facts")


_MOST_SHOWN = 300  # characters of one value in a list


def _forget(gone: Forgotten, user_id: str, answer: _Answer) -> Any:
    names = attributes.wanted(gone.attribute).same
    done = yield asking.request_deletion(gone.phrase, gone.attribute, user_id, names)
    if done.failed == "SEM_NOT_FOUND":  # nothing is offered to who wants it gone
        text = f"Nothing is stored as your {gone.phrase}. Whatever else is stored about you stays."
        answer.texts.append(text)
        answer.evidence.append(Evidence(kind="operation", ref=str(done.value.get("key")), text=text))
        answer.trace.append("looked for what is to be deleted: nothing is stored")
        answer.fail(done.failed, done.value)
        return
    if done.failed:
        answer.fail(done.failed, done.value)
        return
    request = done.value["request_id"]
    text = f"I have asked for your {gone.phrase} to be deleted. An administrator must approve request {request}."
    answer.texts.append(text)
    answer.evidence.append(Evidence(kind="operation", ref=request, text=text))
    answer.trace.append(f"opened deletion request {request}")
