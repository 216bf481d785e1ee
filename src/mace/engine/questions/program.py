"""The program of a question: what `ask` plays, live and on replay.

`PROGRAMS` names the program of every kind of job. A new kind adds its program there; a kind that nobody knows replays
as `NO_PROGRAM`.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from mace.agents.asking import Agent
from mace.agents.council import CouncilRules
from mace.agents.directory import AGENTS
from mace.agents.health import HealthRules
from mace.agents.outputs import OutputTokens
from mace.agents.rules import DECISIONS, Rulebook
from mace.engine.kernel.job import Ending, Hands, Program, snapshot_hash
from mace.engine.kernel.tape import Tape
from mace.engine.questions.results import ANSWERS, LOGGED, log_payload, sem_snapshot
from mace.engine.questions.turn import Turn, TurnRules

RULEBOOK = Rulebook({**DECISIONS, "answer": ANSWERS, "logged": LOGGED})


class AskProgram:
    def __init__(self, agents: Mapping[str, Agent], rulebook: Rulebook = RULEBOOK) -> None:
        # An agent that somebody brought is what they brought; ours have versions.
        self._own = {name: agent for name, agent in agents.items() if AGENTS.get(name) is not agent}
        self._packaged = [name for name in agents if name not in self._own]
        self.rulebook = rulebook

    def rules(self) -> dict[str, int]:
        return self.rulebook.newest()

    def play(self, tape: Tape, received: Mapping[str, Any], snapshot: Mapping[str, Any], hands: Hands) -> Ending:
        rules = self.rulebook.at(snapshot.get("rules", {}))
        own = {name: rules["brought_agent"](agent) for name, agent in self._own.items()}
        agents = {**{name: rules[name] for name in self._packaged}, **own}
        heard = Turn(tape, received, snapshot, constants_of(snapshot), rules, agents, hands, self._own).run()
        total_ms = tape.observe("total_ms", lambda: round(hands.elapsed_ms(), 3))
        facts = sem_snapshot(heard.facts_read)
        result = rules["answer"](tape, received, heard)
        return Ending(
            result=result,
            error_code=None if result["error"] is None else result["error"]["error_code"],
            log=log_payload(
                tape,
                received,
                heard,
                rules["logged"](heard),
                total_ms,
                snapshot_hash(facts),
                snapshot["system_version"],
            ),
            facts=facts,
            kept={} if heard.expects_key is None else {"expects": {"key": heard.expects_key}},
            state=heard,
        )


def constants_of(snapshot: Mapping[str, Any]) -> TurnRules:
    """The constants of a question, as its snapshot recorded them."""
    constants = snapshot["constants"]
    return TurnRules(
        agent_timeout_ms=constants["agent_timeout_ms"],
        max_query_length=constants["max_query_length"],
        council=CouncilRules(**constants["council"]),
        health=HealthRules(**constants["health"]),
        # Questions of earlier versions have none of these; a replay asks no engine.
        engine_timeout_ms=constants.get("engine_timeout_ms", constants["agent_timeout_ms"]),
        tokens=OutputTokens(**constants.get("tokens", {})),
        second_tokens=constants.get("second_tokens", 0),
        prompt_memory_tokens=constants.get("prompt_memory_tokens", 0),
    )


PROGRAMS: Mapping[str, Callable[[Mapping[str, Agent]], Program]] = MappingProxyType({"ask": AskProgram})


def programs(agents: Mapping[str, Agent]) -> dict[str, Program]:
    """Every kind of job with its program, made with these agents."""
    return {kind: make(agents) for kind, make in PROGRAMS.items()}
