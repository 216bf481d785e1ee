"""What of an agent's reply is kept and said: the privacy gate between an agent and the record.

Pure. Detectors and what the person's own words cover come in; flags and hashes are the engine's. Two versions decide:
by the first replies were recorded as agents gave them, and the council alone stopped personal data; by the second
nothing of it reaches the record, and an answer that is stopped because of it says so.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from mace.agents.asking import Decline, Reply
from mace.governance.detectors import LOW, Finding, detect_json
from mace.governance.redact import PLACEHOLDER, redact, redact_json

_STOPPED = ("REPAIR_LIMIT_EXCEEDED", "COUNCIL_DEADLOCK")

Detect = Callable[[str], Iterable[Finding]]
Covers = Callable[[str, str, str], bool]  # a piece of data, its sensitivity and its type


class Cut(NamedTuple):
    """A piece that was cut out of a reply; `span` is used for its hash and kept nowhere."""

    pii_type: str
    sensitivity: str
    rule: str
    span: str


class Passed(NamedTuple):
    reply: Reply | Decline
    cut: tuple[Cut, ...] = ()


class Stopped(Protocol):
    """Anything with a type and a sensitivity."""

    @property
    def pii_type(self) -> str: ...
    @property
    def sensitivity(self) -> str: ...


class Gate(NamedTuple):
    """One version: how a reply passes, and the code of an answer that the council stopped; None decides nothing."""

    screen: Callable[[Reply | Decline, Detect, Covers, bool], Passed] | None
    code: Callable[[str, Sequence[Stopped]], str]


def screen_reply(said: Reply | Decline, detect: Detect, covers: Covers, is_foreign: bool) -> Passed:
    """Cut what is personal and not covered out of what an agent said.

    The text of every agent is looked at. The packaged agents put into trace, evidence and details only what they were
    given, which passed the gate already; of foreign ones all of it is looked at.
    """
    cut: list[Cut] = []

    def open_in(text: str, found: Iterable[Finding]) -> list[Finding]:
        kept = [item for item in found if item.sensitivity != LOW]
        kept = [item for item in kept if not covers(text[item.start : item.end], item.sensitivity, item.type)]
        cut.extend(Cut(item.type, item.sensitivity, item.rule, text[item.start : item.end]) for item in kept)
        return kept

    def clean(text: str) -> str:
        found = open_in(text, detect(text))
        return redact(text, found) if found else text

    def clean_json(value: Any) -> Any:
        kept = []
        for item in detect_json(value, ""):
            text = _text_of(value, item.path, item.in_key)
            if open_in(text, [item.finding]):
                kept.append(item)
        return redact_json(value, kept)

    if isinstance(said, Decline):
        return Passed(Decline(clean(said.reason)) if is_foreign else said, tuple(cut))
    text = clean(said.text) if said.text else said.text
    reply = said if text is said.text else replace(said, text=text)
    if is_foreign:
        reply = replace(
            reply,
            trace=tuple(clean_json(list(reply.trace))),
            evidence=tuple(replace(item, ref=clean(item.ref), text=clean(item.text)) for item in reply.evidence),
            details=clean_json(dict(reply.details)),
        )
    return Passed(reply, tuple(dict.fromkeys(cut)))


def _text_of(value: Any, path: tuple[str | int, ...], in_key: bool) -> str:
    if in_key:
        return str(path[-1])
    for step in path:
        value = value[step]
    return str(value)


def holds_placeholder(reply: Reply) -> bool:
    """Say whether something was cut out of this text, here or before it came here."""
    return PLACEHOLDER in (reply.text or "")


def as_decided(code: str, findings: Sequence[Stopped]) -> str:
    """The code that the council gave."""
    return code


def by_privacy(code: str, findings: Sequence[Stopped]) -> str:
    """An answer with personal data in it that the council stopped was stopped because of that."""
    return "PRIVACY_BLOCKED" if findings and code in _STOPPED else code


FIRST = Gate(None, as_decided)
SECOND = Gate(screen_reply, by_privacy)
