"""What nobody is in stays clean: this repository's own prose, floats, and words that name a union elsewhere."""

import ast
import io
import json
import pathlib
import random
import tokenize

import pytest

from mace.governance.detectors import LOW, detect, detect_json

ROOT = pathlib.Path(__file__).resolve().parents[4]
# Numbers, dates and sentences that the documents give as examples of what is found.
EXAMPLES = (
    "123-45-6789", "123456789", "212-555-0198", "4155552671", "jane@example.org", "jane [at] example [dot] org",
    "3. März 1985", "2987634", "diabetic", "diabetes", "migraine", "Depression", "dépression",
    "Catholic", "Islam", "ver.di",
)  # fmt: skip


def _flagged(text: str, field: str | None = None) -> list[str]:
    return [text[item.start : item.end] for item in detect(text, field) if item.sensitivity != LOW]


def _prose() -> list[str]:
    lines: list[str] = []
    for path in (ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))):
        lines += path.read_text("utf-8").splitlines()
    for path in sorted((ROOT / "src").rglob("*.py")):
        source = path.read_text("utf-8")
        lines += [
            token.string
            for token in tokenize.generate_tokens(io.StringIO(source).readline)
            if token.type == tokenize.COMMENT
        ]
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                lines += (ast.get_docstring(node) or "").splitlines()
    lines += (ROOT / "src/mace/memory/starter_facts.jsonl").read_text("utf-8").splitlines()
    return sorted({line for line in lines if line.strip()})


def test_the_repository_speaks_of_nobody():
    lines = _prose()
    assert len(lines) > 5_000
    wrong = {line: found for line in lines for found in _flagged(line) if not any(e in found for e in EXAMPLES)}
    assert wrong == {}


@pytest.mark.parametrize(
    "text",
    [
        "A byte was changed on disk",
        "a cut",
        "the vote does not wait",
        "| `probation_ms` | 60000 |",
        "**On the disk.** SQLite leaves deleted rows",
        "An engine that is down is down for every cluster.",
        "The Catholic church is old and she likes it.",
        "He wrote about Muslim art.",
        "I think the trade union was founded in 1900.",
        "The jury convicted him.",
        "Sono cattolici circa il 70 % degli abitanti.",
        "Die SPD gewann 40 Sitze.",
        "she was on the disk",
        "sensitivity = {'religion': 'medium', 'diagnosis': 'high'}",
    ],
)
def test_a_word_alone_is_knowledge(text: str):
    assert _flagged(text) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I am a member of ver.di", "union_membership"),
        ("she converted to Islam", "religion"),
        ("he voted for the AfD", "political_view"),
        ("I was convicted of fraud", "criminal_record"),
        ("Ich bin seit 2010 Mitglied bei ver.di.", "union_membership"),
        ("Er wurde 2014 wegen Betrugs verurteilt.", "criminal_record"),
        ("Mon père est juif.", "religion"),
        ("Mi hermano es gay.", "sexual_orientation"),
        ("Sono iscritto alla CGIL", "union_membership"),
        ("Meu pai é homossexual.", "sexual_orientation"),
        ("Ik stem op de PVV", "political_view"),
        ("Głosowałem na PiS.", "political_view"),
        ("Jag är muslim.", "religion"),
        ("CHP üyesiyim", "political_view"),
        ("私はカトリックです", "religion"),
        ("我是穆斯林", "religion"),
        ("저는 불교 신자입니다", "religion"),
        ("मैं मुस्लिम हूँ", "religion"),
        ("Religion: Hindu", "religion"),
        ('{"religion": "Hindu"}', "religion"),
        ("name;religion\nMeyer;Hindu", "religion"),
        ("<religion>Hindu</religion>", "religion"),
    ],
)
def test_a_statement_about_a_person_counts(text: str, kind: str):
    assert kind in {item.type for item in detect(text)}


def test_floats_are_numbers():
    rng = random.Random(97_531)
    forms = ("{0!r}", "{0:.6f}", "{0:.6e}", "[{0!r}, {1!r}]", '{{"a": {0!r}}}', "x = {0!r}, y = {1:.6f}")
    for number in range(20_000):
        draw = [rng.uniform(-1, 1) * 10 ** rng.choice((0, 0, 1, 3, 6, 9, 12, 15, -3, -6, -12)) for _ in range(2)]
        text = forms[number % len(forms)].format(*draw)
        assert _flagged(text) == [], text
        if number % 10 == 0:
            assert [item for item in detect_json(draw) if item.finding.sensitivity != LOW] == [], draw
            assert _flagged(json.dumps(draw)) == [], draw
