"""What decides, by name and version: live takes the newest, a replay takes what the job's snapshot recorded.

Pure. A job's answer must come out the same for ever, so a decision that was made is never edited. To change one, write
the new function beside the old one and add one line here:

    "council": {1: council.deliberate, 2: council.deliberate_2},

From then on new jobs are decided by version 2, and every older one still replays with version 1. Only pure code is kept
this way, and only where it differs. A snapshot without `rules`, or without a name in them, means version 1.
A number is used once: a version that any stored job may name is never removed and never means something else.
"""

from collections.abc import Collection, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from mace.agents import (
    absent,
    council,
    evaluators,
    fallback,
    gate,
    judge,
    judging,
    language,
    naming,
    orders,
    outputs,
    profile,
    router,
)
from mace.agents.directory import TRUST
from mace.agents.knowledge import knowledge_agent, knowledge_agent_1
from mace.agents.mathematician import math_agent, math_agent_1
from mace.agents.operational import operational_agent, operational_agent_1
from mace.agents.verification import verify_answer
from mace.agents.world_look import no_look, stored_answer
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
    """The evaluators and how much each counts; they hear an answer, what was done for it, and a judge's vote."""

    hear: Any
    members: Any


def _hear_1(
    candidate: evaluators.Candidate, done: Collection[str], judged: council.CouncilVote | None
) -> council.Ballot:
    return evaluators.hear(candidate)


DECISIONS: Entries = MappingProxyType(
    {
        # Agents: how each reads a question, what it asks for, its prompts, how it answers.
        "profile_agent": {1: profile.profile_agent_1, 2: profile.profile_agent},
        "math_agent": {1: math_agent_1, 2: math_agent},
        "knowledge_agent": {1: knowledge_agent_1, 2: knowledge_agent},
        "operational_agent": {1: operational_agent_1, 2: operational_agent},
        "creative_agent": {1: language.creative_agent_1, 2: language.creative_agent_2, 3: fallback.creative_agent},
        "strategy_agent": {1: language.strategy_agent_1, 2: language.strategy_agent_2, 3: fallback.strategy_agent},
        # the fallback
        "generic_agent": {1: language.generic_agent_1, 2: language.generic_agent_2, 3: fallback.generic_agent},
        "verification_agent": {1: verify_answer},
        "brought_agent": {1: language.brought_agent_1, 2: language.brought_agent},  # what one of somebody's own is
        # Who is asked.
        "router": {1: router.decide},
        "absent": {1: absent.nobody_is_told, 2: absent.who_is_out},  # whom a question misses that nobody answers
        "orders": {1: orders.all_may_answer, 2: orders.who_may_not_answer},  # who is not asked to perform one
        "engine_offered": {1: orders.engine_may_answer, 2: orders.engine_may_answer_2},  # whether agents may ask one
        # whether a text can be the value that was asked for
        "reply_to_miss": {1: profile.is_reply_1, 2: profile.is_reply},
        # What an engine is asked and gives.
        "tokens": {1: outputs.as_asked, 2: outputs.by_task},  # how much it may write for an agent
        "cut": {1: outputs.never_cut, 2: outputs.cut_short},  # what is said of an answer that is not whole
        # What becomes of an answer.
        "trust": {1: TRUST},
        "stored": {1: no_look, 2: stored_answer},  # a stored fact that the question names, before an engine's text
        "judge": {1: judge.no_judge, 2: judge.judge_answer},  # what a judge engine is asked, where one is configured
        "evaluators": {1: Panel(_hear_1, evaluators.MEMBERS), 2: Panel(judging.hear, judging.MEMBERS)},
        "council": {1: council.deliberate, 2: council.deliberate_2},
        "repair": {1: council.always_again, 2: council.can_change},
        "gate": {1: gate.FIRST, 2: gate.SECOND},  # what of a reply is recorded and said
        "names": {1: naming.as_made, 2: naming.unless_known},  # how the key of a fact stands on the record
        # personal data in an answer; what was found in a question is recorded
        "detectors": {1: partial(detect, version=1), 2: partial(detect, version=2), 3: detect},
    }
)
