"""The names of the package: pinned, shown, and cheap to have."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mace
from mace.core.errors import MaceError
from mace.wiring import open_mace

PUBLIC = {
    "ApprovalNeeded",
    "AuthError",
    "CallFailed",
    "Caller",
    "Closed",
    "Conflict",
    "Ending",
    "Erased",
    "FactNotFound",
    "ImmutableFieldError",
    "IntegrityFailure",
    "InvalidInput",
    "Job",
    "KeyMissing",
    "LogExistsError",
    "LogInvalid",
    "Mace",
    "MaceError",
    "NotFound",
    "PermissionDenied",
    "PreconditionFailed",
    "ServiceUnavailable",
    "StorageFull",
    "WrongType",
    "agent",
    "check_receipt",
    "current_job",
    "detect",
    "generate_canonical_key",
    "open",
    "program",
    "route_query",
    "settings",
    "verify",
}


def test_the_public_names_are_these() -> None:
    assert set(mace.__all__) == PUBLIC
    assert {name for name in dir(mace) if not name.startswith("__")} == PUBLIC
    for name in PUBLIC:
        assert getattr(mace, name) is not None
    assert mace.open is open_mace


def test_every_failure_that_has_a_name_is_public() -> None:
    """What a verb raises can be caught without knowing where it is defined."""
    defined = {kind.__name__ for kind in _below(MaceError) if kind.__module__ == "mace.core.errors"}
    assert defined <= PUBLIC


def _below(kind: type[MaceError]) -> list[type[MaceError]]:
    return [kind, *(found for other in kind.__subclasses__() for found in _below(other))]


def test_a_misspelt_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="'opne'"):
        mace.opne  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(ImportError):
        from mace import opne  # type: ignore[attr-defined]  # noqa: F401


def test_importing_the_package_imports_nothing_of_it() -> None:
    """Only the standard library, and of that nothing heavy: parts come when they are used."""
    code = "import sys; before = set(sys.modules); import mace; print(*sorted(set(sys.modules) - before))"
    env = {**os.environ, "PYTHONPATH": str(Path(mace.__file__).parents[1])}
    loaded = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout
    assert [name for name in loaded.split() if name.startswith("mace")] == ["mace"]
    assert not {"asyncio", "datetime", "inspect", "json", "logging", "orjson", "numpy"} & set(loaded.split())
