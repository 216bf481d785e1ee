"""The profile agent: a person's own facts. It reads them, writes them and opens deletion requests; it never guesses."""

import re

from mace.agents import asking, profile_text
from mace.agents.asking import Asking, Decline, Reply, Task
from mace.agents.evidence import Evidence

PLACEHOLDER = "[redacted]"
_IT_IS = re.compile(r"\A(?:it|that|they)(?:['’]s| is| was| are|['’]re)\s+", re.IGNORECASE)


def is_reply(text: str) -> bool:
    """Say whether a text can be the value that was asked for: a question is never stored."""
    asks = isinstance(profile_text.parse(text), profile_text.Ask | profile_text.Forget | profile_text.WhoAmI)
    return not asks and not text.rstrip().endswith("?")


def profile_agent(task: Task) -> Asking:
    if task.user_id is None:
        return Decline("no user")
    if task.expected_key is not None and is_reply(task.text):
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
