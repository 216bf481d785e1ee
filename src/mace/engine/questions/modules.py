"""The states of modules, and an admin bringing one back."""

from collections.abc import Callable
from typing import Any

from mace.agents import health
from mace.core.errors import NotFound, PreconditionFailed
from mace.core.times import to_ms
from mace.engine.facts.verbs import ALLOWED_WRITERS
from mace.engine.kernel.bound import Bound
from mace.engine.kernel.cleaning import check_words
from mace.engine.kernel.module_health import HEALTH, read_health, write_health
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.world import World
from mace.memory.facts import agents_listed
from mace.storage.ports import Tx


class Modules:
    """The health of modules, and how one is brought back."""

    def __init__(
        self,
        world: World,
        recorder: Recorder,
        bound: Bound,
        known: frozenset[str],
        look: Callable[[Tx, str], dict[str, Any]],  # at a fact
    ) -> None:
        self._look = look
        self._world = world
        self._recorder = recorder
        self._bound = bound
        self._known = known | {health.LANGUAGE_ENGINE, health.SEMANTIC_MEMORY}

    def all(self) -> list[dict[str, Any]]:
        """Every module with its state; one that never failed is healthy."""
        state = self._world.store.read(lambda tx: read_health(tx, self._bound))
        return [state.of(module_id).to_json() for module_id in sorted(self._known | set(state.modules))]

    def knows(self, tx: Tx, module_id: str) -> bool:
        """Say whether there is such a module: one of ours, one that was heard of, or one that is listed to write."""
        if module_id in self._known or module_id in read_health(tx, self._bound).modules:
            return True
        return module_id in agents_listed(self._look(tx, ALLOWED_WRITERS)["value"])

    def recover(self, module_id: str, actor: str) -> dict[str, Any]:
        """Declare a module well, on the record; out of quarantine this alone does not help."""
        check_words(actor, "actor", 64)

        def unit(tx: Tx) -> dict[str, Any]:
            if not self.knows(tx, module_id):
                raise NotFound(what="a module with this module_id")
            seen = health.Recovered(module_id=module_id, at_ms=to_ms(self._world.clock.now()), actor=actor)
            tx.lock(HEALTH)
            before = read_health(tx, self._bound)
            state, events = health.observe(before, seen)
            origin = self._recorder.system(tx)
            for event in events:
                self._recorder.append(tx, origin, event.event_type, dict(event.payload), signed_by=actor)
            if state != before or events:
                write_health(tx, self._recorder, state)
            return state.of(module_id).to_json()

        after = self._world.store.write(unit)
        if after["status"] == health.Status.QUARANTINED.value:
            raise PreconditionFailed(f"{module_id} is quarantined; ask for its release (mace approve release)")
        return after
