"""What reaches a terminal: cleaned, aligned, cut; colour and progress only where they belong."""

import click
import pytest

from mace.interfaces.cli import output
from mace.interfaces.cli.session import Session


@pytest.mark.parametrize(
    ("given", "newlines", "shown"),
    [
        ("plain", False, "plain"),
        ("a\nb", False, "a\\nb"),
        ("a\nb", True, "a\nb"),
        ("a\tb", False, "a    b"),
        ("\x1b[31mred\x1b[0m", True, "\\x1b[31mred\\x1b[0m"),
        ("\x1b]0;title\x07", False, "\\x1b]0;title\\x07"),
        ("a\rb", True, "a\\rb"),
        ("\x9b31m", False, "\\x9b31m"),
        ("user\u202egnp.exe", False, "user\\u202egnp.exe"),
        ("a\u200bb", False, "a\\u200bb"),
        ("Ana’s café 東京", False, "Ana’s café 東京"),
        ({"b": 1, "a": [True, None]}, False, '{"a":[true,null],"b":1}'),
        (7, False, "7"),
    ],
)
def test_no_control_character_reaches_the_terminal(given: object, newlines: bool, shown: str):
    assert output.clean(given, newlines) == shown


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [("short", 10, "short"), ("exactly ten", 11, "exactly ten"), ("too long", 5, "too …"), ("東京都", 5, "東京…")],
)
def test_a_text_is_cut_by_columns_not_by_characters(text: str, width: int, shown: str):
    assert output.cut(text, width) == shown
    assert output.width_of(shown) <= width


def test_columns_are_aligned_also_with_wide_characters():
    lines = output.table(("NAME", "N"), [("東京", 1), ("abc", 22)])
    assert lines[1:] == ["東京  1", "abc   22"]


def test_an_empty_table_is_only_its_header():
    assert len(output.table(("A", "B"), [])) == 1


def test_names_are_cleaned_and_aligned_like_values():
    lines = output.fields([("\x1b[31m", "x"), ("東", "y")])
    assert "\x1b[31m" not in click.unstyle(lines[0])
    assert [output.width_of(click.unstyle(line)) for line in lines] == [13, 13]


def test_long_values_stay_under_their_column():
    assert output.fields([("a", "1\n2"), ("bcd", "x")])[0].endswith("1\n       2")


@pytest.mark.parametrize(("value", "expected"), [("", None), ("1", False), ("no", False)])
def test_no_color_is_obeyed(monkeypatch: pytest.MonkeyPatch, value: str, expected: bool | None):
    monkeypatch.setenv("NO_COLOR", value)
    assert output.colour() is expected


def test_a_result_is_kept_as_a_value_and_printed_once(capsys: pytest.CaptureFixture[str]):
    session = Session(json=True)
    output.show(session, {"a": "’"}, "text")
    assert session.shown == [{"a": "’"}]
    assert capsys.readouterr().out == '{\n  "a": "’"\n}\n'


@pytest.mark.parametrize(("json", "quiet", "said"), [(False, False, "hint\n"), (True, False, ""), (False, True, "")])
def test_hints_are_for_people_only(capsys: pytest.CaptureFixture[str], json: bool, quiet: bool, said: str):
    output.note(Session(json=json, quiet=quiet), "hint")
    assert capsys.readouterr() == ("", said)


def test_there_is_no_progress_bar_in_a_pipe(capsys: pytest.CaptureFixture[str]):
    with output.Progress(Session(), "Verifying") as progress:
        progress(1, 2)
        progress(2, 2)
    assert capsys.readouterr() == ("", "")


def test_a_progress_bar_shows_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with output.Progress(Session(), "Verifying") as progress:
        progress(1, 2)
        progress(2, 2)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Verifying" in shown.err
