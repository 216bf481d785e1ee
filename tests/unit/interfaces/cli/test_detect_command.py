"""`mace detect`: what it finds, where, and that it repeats nothing and needs no MACE."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
SSN = "123-45-6789"


@pytest.mark.parametrize(
    ("arguments", "found", "reads"),
    [
        (("hello",), [], "hello"),
        ((f"my ssn is {SSN}",), [("us_ssn", "high", 10, 21, "us.ssn.dashed")], "my ssn is [redacted]"),
        (("123456789", "--field", "ssn"), [("us_ssn", "high", 0, 9, None)], "[redacted]"),
        (("my name is Ann",), [("first_name", "low", 11, 14, None)], "my name is Ann"),
    ],
    ids=["nothing", "a number", "a field", "a name"],
)
def test_what_is_found_and_where(
    cli: Cli, home: Path, arguments: tuple[str, ...], found: list[tuple[Any, ...]], reads: str
):
    value = cli("detect", *arguments, "--json").value
    told = [(item["type"], item["sensitivity"], item["start"], item["end"]) for item in value["findings"]]
    assert told == [row[:4] for row in found]
    assert all(row[4] in (None, item["rule"]) for row, item in zip(found, value["findings"], strict=True))
    assert all(item["version"] >= 1 for item in value["findings"])
    assert value["reads"] == reads
    assert not any(home.rglob("*.db"))  # nothing was made


def test_people_read_a_table_and_never_what_was_found(cli: Cli, home: Path):
    ran = cli("detect", f"my ssn is {SSN}")
    assert ran.code == 0
    assert "us_ssn" in ran.out
    assert "us.ssn.dashed v1" in ran.out
    assert SSN not in ran.out + ran.err
    assert cli("detect", "hello").out == "Nothing personal was found.\n"


def test_json_is_read_member_by_member_names_included(cli: Cli, home: Path, tmp_path: Path):
    file = tmp_path / "in.json"
    file.write_text(json.dumps({"phone": "4155552671", "jane@example.org": {"x": SSN}}))
    ran = cli("detect", "--file", str(file), "--structured", "--json")
    told = [(item["type"], item["path"], item["in_key"]) for item in ran.value["findings"]]
    assert told == [("phone", ["phone"], False), ("email", [1], True), ("us_ssn", [1, "x"], False)]
    assert ran.value["reads"] == {"phone": "[redacted]", "[redacted]": {"x": "[redacted]"}}
    assert "jane" not in ran.out
    assert SSN not in cli("detect", "--file", str(file), "--structured").out
    file.write_text("no json")
    assert cli("detect", "--file", str(file), "--structured", "--json").value["error_code"] == "INVALID_INPUT"
    file.write_text("[" * 300 + "]" * 300)
    assert cli("detect", "--file", str(file), "--structured", "--json").value["error_code"] == "INVALID_INPUT"


@pytest.mark.parametrize("arguments", [("-",), ("--file", "-")], ids=["text", "file"])
def test_standard_input(cli: Cli, home: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(SSN.encode())))
    assert [item["type"] for item in cli("detect", *arguments, "--json").value["findings"]] == ["us_ssn"]


@pytest.mark.parametrize("arguments", [(), ("text", "--file", "f"), ("\udcff",)], ids=["none", "both", "no text"])
def test_wrong_usage(cli: Cli, home: Path, arguments: tuple[str, ...]):
    assert cli("detect", *arguments).code == 2
