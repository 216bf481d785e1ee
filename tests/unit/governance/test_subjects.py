"""A person's export, and how a request stands: tables."""

import pytest

from mace.governance import subjects

pytestmark = pytest.mark.stage1


def test_an_export_holds_the_listed_fields_in_one_order():
    rows = [
        {"key": key, "value": 1, "notes": None, "meta": {}, "source": "user", "written_at": "t", "version": version,
         "current": True, "actor": "somebody", "stream": "secret"}
        for key, version in (("b", 2), ("b", 1), ("a", 1))
    ]  # fmt: skip
    package = subjects.package("user_a", rows, [], [])
    assert [(row["key"], row["version"]) for row in package["facts"]] == [("a", 1), ("b", 1), ("b", 2)]
    assert all(set(row) == set(subjects.FACT_FIELDS) for row in package["facts"])
    assert subjects.package("user_a", reversed(rows), [], []) == package


@pytest.mark.parametrize(
    ("kind", "approval", "erased", "status"),
    [
        ("export", None, False, "completed"),
        ("delete", "open", False, "awaiting approval"),
        ("delete", "rejected", False, "rejected"),
        ("delete", "expired", False, "expired"),
        ("delete", "approved", True, "completed"),
    ],
)
def test_how_a_request_stands(kind: str, approval: str | None, erased: bool, status: str):
    assert subjects.status(kind, approval, erased) == status


@pytest.mark.parametrize(
    ("erased", "restored", "clearing", "status"),
    [
        (True, False, False, "completed"),
        (True, False, True, "clearing"),
        (True, True, False, "restored"),
        (True, True, True, "restored"),
        (False, False, True, "awaiting approval"),
    ],
)
def test_what_comes_after_an_erasure_is_its_status(erased: bool, restored: bool, clearing: bool, status: str):
    assert subjects.status("delete", "approved", erased, restored=restored, clearing=clearing) == status
