"""What decides, by name and version: live takes the newest, a replay takes what the job's snapshot recorded.

Pure. A job's answer must come out the same for ever, so a decision that was made is never edited. To change one, write
the new function beside the old one and add one line here:

    "council": {1: council.deliberate, 2: council.deliberate_2},

From then on new jobs are decided by version 2, and every older one still replays with version 1. Only pure code is kept
this way, and only where it differs. A snapshot without `rules`, or without a name in them, means version 1.
A number is used once: a version that any stored job may name is never removed and never means something else.
"""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from mace.agents import council, evaluators, gate, language, naming, profile, router
from mace.agents.directory import TRUST
from mace.agents.knowledge import knowledge_agent
from mace.agents.mathematician import math_agent
from mace.agents.operational import operational_agent
from mace.agents.verification import verify_answer
from mace.governance.detectors import detect

Entries = Mapping[str, Mapping[int, Any]]


class UnknownRule(LookupError):
    """A snapshot names a version that this code does not have."""

    def __init__(self, name: str, version: Any, known: list[int]) -> None:
        super().__init__(f"rule {name!r} version {version!r} is not known")
        self.name = name
        self.version = version
        self.known = known

    def to_json(self) -> dict[str, Any]:
        return {"rule": self.name, "version": self.version, "known_versions": self.known}


class Rulebook:
    """All versions of everything that decides."""

    def __init__(self, entries: Entries) -> None:
        self.entries: Entries = MappingProxyType(dict(entries))
        self._newest = {name: max(versions) for name, versions in sorted(self.entries.items())}
        self._deciding_now = MappingProxyType({name: self.entries[name][at] for name, at in self._newest.items()})

    def newest(self) -> dict[str, int]:
        """The versions that a new job is decided by, as its snapshot records them."""
        return dict(self._newest)

    def at(self, recorded: Any) -> Mapping[str, Any]:
        """What decides a job whose snapshot recorded these versions, by name; `UnknownRule` for what is not here."""
        if not isinstance(recorded, Mapping):
            raise UnknownRule("rules", recorded, [])
        if recorded == self._newest and all(type(version) is int for version in recorded.values()):
            return self._deciding_now
        chosen = {}
        for name in {**self.entries, **recorded}:
            version, versions = recorded.get(name, 1), self.entries.get(name, {})
            if type(version) is not int or version not in versions:
                raise UnknownRule(name, version, sorted(versions))
            chosen[name] = versions[version]
        return chosen


class Panel(NamedTuple):
    """The evaluators and how much each counts."""

    hear: Any
    members: Any


DECISIONS: Entries = MappingProxyType(
    {
        # Agents: how each reads a question, what it asks for, its prompts, how it answers.
        "profile_agent": {1: profile.profile_agent},
        "math_agent": {1: math_agent},
        "knowledge_agent": {1: knowledge_agent},
        "operational_agent": {1: operational_agent},
        "creative_agent": {1: language.creative_agent_1, 2: language.creative_agent},
        "strategy_agent": {1: language.strategy_agent_1, 2: language.strategy_agent},
        "generic_agent": {1: language.generic_agent_1, 2: language.generic_agent},  # the fallback
        "verification_agent": {1: verify_answer},
        "brought_agent": {1: language.brought_agent_1, 2: language.brought_agent},  # what one of somebody's own is
        # Who is asked.
        "router": {1: router.decide},
        "reply_to_miss": {1: profile.is_reply},  # whether a text can be the value that was asked for
        # What becomes of an answer.
        "trust": {1: TRUST},
        "evaluators": {1: Panel(evaluators.hear, evaluators.MEMBERS)},
        "council": {1: council.deliberate},
        "gate": {1: gate.FIRST, 2: gate.SECOND},  # what of a reply is recorded and said
        "names": {1: naming.as_made, 2: naming.unless_known},  # how the key of a fact stands on the record
        # personal data in an answer; what was found in a question is recorded
        "detectors": {1: partial(detect, version=1), 2: partial(detect, version=2), 3: detect},
    }
)
