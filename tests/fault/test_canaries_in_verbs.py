"""A canary through each parameter of each verb of the table: then nothing of it is anywhere, sealed or not.

A verb that is added to the table without sample arguments fails here, and so does a parameter: whoever adds one says
how it is called, and it is looked at from then on. A member of a JSON argument counts as a parameter, and so do the
names of its members. No consent covers any of it.
"""

import copy
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from inspect import signature
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import canaries
from access_stage import Stage
from mace.core.errors import MaceError
from mace.engine.runtime import Mace
from mace.engine.verbs import VERBS
from mace.ledger.reflective import SEALED_FIELDS
from verb_samples import SAMPLES, used

pytestmark = [pytest.mark.stage1, pytest.mark.critical]

LIVE = [row.name for row in VERBS if not row.planned]
PLANTED = {
    canaries.SSN_SENTENCE: canaries.SSN,
    canaries.PHONE_SENTENCE: canaries.PHONE,
    canaries.TOKEN: canaries.TOKEN,
    canaries.EMAIL: canaries.EMAIL,
}
VALUES = tuple(PLANTED.values())


def method(m: Mace, name: str) -> Callable[..., Any]:
    found: Any = m
    for part in name.split("."):
        found = getattr(found, part)
    called: Callable[..., Any] = found
    return called


def parameters(name: str) -> list[str]:
    """The parameters of a verb, as the class has it."""
    from mace.engine.groups import accounts, approvals, context, experience, forensics, incidents, jobs, modules

    groups: dict[str, Any] = {
        "accounts": accounts.AccountsGroup,
        "approvals": approvals.ApprovalsGroup,
        "context": context.ContextGroup,
        "experience": experience.ExperienceGroup,
        "forensics": forensics.ForensicsGroup,
        "incidents": incidents.IncidentsGroup,
        "jobs": jobs.JobsGroup,
        "modules": modules.ModulesGroup,
    }
    group, _, verb = name.rpartition(".")
    return list(signature(getattr(groups[group] if group else Mace, verb)).parameters)[1:]


def sample(stage: Stage, name: str) -> dict[str, Any]:
    """Valid arguments for a verb: a value for each of its parameters."""
    given, wanted = SAMPLES[name](stage), parameters(name)
    missing = [parameter for parameter in wanted if parameter not in given]
    assert not missing, f"tests/verb_samples.py has no sample for {', '.join(missing)} of {name}"
    found = {parameter: given[parameter] for parameter in wanted}
    if name == "write_reflective_log" and "user_id" not in wanted:
        found["payload"] = _Opaque(found["payload"])
    return found


class _Opaque(dict[str, Any]):
    """A log that is nobody's: its sealed fields are kept as they are."""


def planted(value: Any, canary: str) -> Iterator[Any]:
    """The value with the canary in its place, in every member, and as the name of one."""
    if isinstance(value, dict):
        for name, item in value.items():
            if isinstance(value, _Opaque) and name in SEALED_FIELDS:
                continue
            for changed in planted(item, canary):
                yield {**value, name: changed}
        yield {**value, canary: 1}
    elif isinstance(value, list):
        for at, item in enumerate(value):
            for changed in planted(item, canary):
                yield [*value[:at], changed, *value[at + 1 :]]
        yield [*value, canary]
    elif isinstance(value, str | bytes) and value[:1] in ("{", b"{"):  # a line of JSON
        for changed in planted(json.loads(value), canary):
            yield json.dumps(changed)
    else:
        yield canary
        if isinstance(value, str):
            yield f"{value} {canary}"
            if " " not in canary:
                yield f"{value}/{canary}"


class Planter:
    """Calls verbs with canaries in their arguments, and says where each came out."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.found: list[tuple[str, str, str]] = []  # verb, parameter, where
        self._events = stage.m.describe()["events"]

    def plant(self, name: str, sealed: list[tuple[str, bytes]]) -> None:
        for parameter in parameters(name):
            for canary in PLANTED:
                for at, _ in enumerate(planted(sample(self.stage, name)[parameter], canary)):
                    arguments = sample(self.stage, name)  # what it uses up is made anew
                    changed = next(islice(planted(arguments[parameter], canary), at, None))
                    self._call(name, {**arguments, parameter: changed}, parameter)
            self._look(name, parameter, sealed)

    def _call(self, name: str, arguments: dict[str, Any], parameter: str) -> None:
        try:
            used(method(self.stage.m, name)(**copy.copy(arguments)))
        except MaceError as error:
            for canary in canaries.in_answer(error, VALUES):
                self.found.append((name, parameter, f"{type(error).__name__} repeats {canary}"))

    def _look(self, name: str, parameter: str, sealed: list[tuple[str, bytes]]) -> None:
        """What was sealed and written since the last look."""
        world = self.stage.m._parts.world
        rows = world.store.read(lambda tx: tx.events.scan(self._events, 1_000_000))
        for row in rows:
            for canary in canaries.in_bytes(row.body, VALUES):
                self.found.append((name, parameter, f"{row.event_type} holds {canary}"))
        self._events = world.store.read(lambda tx: tx.events.size())
        for leak in canaries.in_watched(sealed, VALUES):
            self.found.append((name, parameter, f"{leak.where} holds {leak.canary}"))
        sealed.clear()


def test_every_verb_has_sample_arguments():
    """Whoever adds a verb adds how it is called: `tests/verb_samples.py`."""
    assert set(SAMPLES) == set(LIVE)


@pytest.mark.breaks_its_store  # what it reports halts replays
def test_a_canary_through_each_parameter_of_each_verb_is_nowhere(tmp_path: Path):
    stage = Stage(tmp_path)
    try:
        with canaries.watching() as sealed:
            planter = Planter(stage)
            for name in LIVE:
                planter.plant(name, sealed)
        assert not planter.found, "\n".join(map(str, sorted(set(planter.found))))
        with suppress(MaceError):
            stage.m.modules.retry_queued()
        assert canaries.everywhere(stage.m, stage.place, VALUES) == []
    finally:
        stage.close()


@pytest.mark.breaks_its_store  # what it reports halts replays
def test_samples_are_valid(tmp_path: Path):
    """An argument that is refused for another reason would hide what becomes of a canary beside it."""
    stage = Stage(tmp_path)
    refused = {}
    try:
        for name in LIVE:
            try:
                answer = used(method(stage.m, name)(**sample(stage, name)))
            except MaceError as error:
                refused[name] = error.code
                continue
            told = answer if isinstance(answer, dict) else {}
            code = told.get("error_code") or (told.get("error") or {}).get("error_code")
            if code is not None:
                refused[name] = code
    finally:
        stage.close()
    assert refused == {"attest": "INVALID_INPUT"}  # nothing is damaged; what it is given is looked at before
