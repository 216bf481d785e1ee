"""The closed choices of the surface are those of the tables that decide: neither may grow without the other."""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints, is_typeddict

import pytest

import mace
from mace.agents import evidence, health, router
from mace.core import answers, errors
from mace.engine.experience import writes as experience_writes
from mace.engine.questions import replay
from mace.governance import access, approvals, consent, incidents, subjects
from mace.governance.detectors import RANK, SENSITIVITY
from mace.ledger import findings, reflective, shelves
from mace.memory import facts, keys
from mace.memory.context import records, request
from mace.memory.experience import dreaming, megrams, potentials
from mace.memory.people import package

MEGRAM_STATES = (*megrams.MATRIX, megrams.FEEDBACK_STATE, megrams.BEST_PRACTICE, megrams.CONSTRAINT)
TABLES: dict[str, Any] = {
    "Role": access.ROLES,
    "VoteChoice": approvals.VOTES,
    "DecidedBy": (approvals.COUNCIL, approvals.ADMIN),
    "VotedAs": ("owner", approvals.COUNCIL, approvals.ADMIN),
    "ApprovalKind": approvals.Kind,
    "ApprovalStatus": approvals.Status,
    "Sensitivity": RANK,
    "PiiType": SENSITIVITY,
    "ConsentPurpose": consent.PURPOSES,
    "ConsentScope": consent.SCOPES,
    "ConsentCoverage": consent.Coverage,
    "DsrKind": subjects.KINDS,
    "RecallKind": package.KINDS,
    "RecallWhy": get_args(package.Why),
    "KeyScope": keys.SCOPES,
    "FactSource": facts.SOURCES,
    "RouteReason": {rule.route_reason for rule in router.RULES}
    | {"reply_to_miss", "router_no_match", "privacy_blocked"},
    "ReplayResult": replay.RESULTS,
    "LogSource": reflective.SOURCES,
    "AmendEffect": reflective.EFFECTS,
    "FindingKind": findings.KINDS,
    "ShelfState": {
        shelves.judge(place="a", was_in=was_in, has_notes=has_notes, former_has_notes=former_has_notes)
        for was_in in (None, "a", "b")
        for has_notes in (False, True)
        for former_has_notes in (False, True)
    },
    "ModuleStatus": health.Status,
    "ControllerVersion": request.VERSIONS,
    "DropReason": (records.INVALID, records.TRUST_DENIED, records.BUDGET_EXHAUSTED),
    "MegramState": megrams.MATRIX,
    "StoredState": MEGRAM_STATES,
    "RuleState": (megrams.BEST_PRACTICE, megrams.CONSTRAINT),
    "Level": (megrams.EPISODE, megrams.KNOWLEDGE, megrams.RULE, megrams.PERSONA),
    "ExperienceWriter": experience_writes.WRITERS,
    "MkAction": {potentials.action(strong, way) for strong in (0.0, 1.0) for way in (-1.0, 0.0, 1.0)},
    "ChangeKind": get_args(get_type_hints(dreaming.Verdict)["kind"]),
    "Severity": errors.Severity,
    "ErrorCode": errors.FAILURES,
}
# What no table holds: each is written where it is said, and the answers of the verbs are compared with it.
UNTABLED = {
    "RecalledState",
    "CallError",
    "CallState",
    "CallerVia",
    "CanaryForm",
    "CanaryPlace",
    "DetectStatus",
    "DistilledBy",
    "DsrStatus",
    "EvidenceKind",
    "ForensicKind",
    "GoneKind",
    "IdentityMethod",
    "IncidentKind",
    "JobKind",
    "JobStatus",
    "LeavesOut",
    "MessageRole",
    "QuarantineKind",
    "RedactionReason",
    "StaysKind",
    "StoreProblem",
}


@pytest.mark.parametrize("name", TABLES)
def test_a_choice_is_its_table(name: str) -> None:
    chosen = get_args(getattr(answers, name))
    assert set(chosen) == {str(item) for item in TABLES[name]}
    assert len(chosen) == len(set(chosen))


def test_every_choice_is_compared_with_something() -> None:
    literals = {name for name in answers.__all__ if repr(getattr(answers, name)).startswith("typing.Literal")}
    assert literals == TABLES.keys() | UNTABLED


def test_what_agents_may_rest_an_answer_on_is_a_kind_of_evidence() -> None:
    assert set(get_args(evidence.Kind)) <= set(get_args(answers.EvidenceKind))


def test_incidents_that_are_always_severe_are_kinds_of_incident() -> None:
    assert set(incidents.ALWAYS) < set(get_args(answers.IncidentKind))


def test_every_exception_has_a_code_of_the_table() -> None:
    for module in pkgutil.walk_packages(mace.__path__, "mace."):
        if not module.name.startswith(("mace.interfaces", "mace.storage.", "mace.providers.")):
            importlib.import_module(module.name)
    raised = {kind.code for kind in _below(errors.MaceError)}
    assert raised <= set(get_args(answers.ErrorCode))


def _below(kind: type[errors.MaceError]) -> Iterator[type[errors.MaceError]]:
    yield kind
    for other in kind.__subclasses__():
        yield from _below(other)


def test_every_name_is_exported_and_every_answer_says_what_it_is() -> None:
    found = set()
    for module in pkgutil.iter_modules(answers.__path__, "mace.core.answers."):
        part = importlib.import_module(module.name)
        made_here = {name: item for name, item in vars(part).items() if getattr(item, "__module__", "") == module.name}
        found |= {name for name in made_here if not name.startswith("_")}
        found |= {name for name in vars(part) if name in answers.__all__}
    assert found == set(answers.__all__)
    shapes = [getattr(answers, name) for name in answers.__all__ if is_typeddict(getattr(answers, name))]
    assert len(shapes) > 90
    assert [shape.__name__ for shape in shapes if not (shape.__doc__ or "").strip()] == []
    for shape in shapes:
        assert get_type_hints(shape)


def test_json_is_readable_from_any_signature() -> None:
    def verb(value: answers.JsonInput) -> answers.Json:
        raise NotImplementedError

    assert set(get_type_hints(verb)) == {"value", "return"}
