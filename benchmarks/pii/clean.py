"""Ten thousand clean lines, and how many of them are flagged: nobody is in them, whatever they look like.

    PYTHONPATH=src python benchmarks/pii/clean.py [--show]

Commits of this repository, source of the standard library, logs, floats in many forms, order and tracking numbers,
version numbers, mathematics, plain questions, documents and docstrings, and sentences of news, law and medicine in
twelve languages (`prose.py`). Every line is made or read the same way each time; commits are read
up to a fixed one, with the addresses in their trailers left out. A line counts as flagged when anything above low is
found in it.
"""

import argparse
import ast
import json
import pathlib
import random
import subprocess
import sys
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import prose
from logs import logs
from templates_languages import CLEAN

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAST_COMMIT = "6ba7e18"
EACH = 1_000


def commits() -> list[str]:
    """Return lines of commit messages, without those that name an author."""
    command = ["git", "-C", str(ROOT), "log", "--format=%s%n%b", LAST_COMMIT]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line for line in text.splitlines() if line.strip() and "@" not in line]


def code() -> list[str]:
    """Return lines of the standard library's source, every seventh; lines with a mailbox are somebody's."""
    folder = pathlib.Path(json.__file__).parent.parent
    lines: list[str] = []
    for path in sorted(folder.glob("*.py")):
        lines += path.read_text(encoding="utf-8", errors="replace").splitlines()
    kept = [line for line in lines if line.strip() and "@" not in line]
    return kept[:: max(1, len(kept) // (2 * EACH))]


def documentation() -> list[str]:
    """Return lines of this repository's documents and of docstrings of the standard library, as many of each."""
    own: list[str] = []
    for path in (ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))):
        own += path.read_text("utf-8").splitlines()
    library: list[str] = []
    for path in sorted(pathlib.Path(json.__file__).parent.parent.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8", errors="replace"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                library += (ast.get_docstring(node) or "").splitlines()
    half = EACH // 2
    parts = ([line for line in part if line.strip() and "@" not in line] for part in (own, library))
    return [line for part in parts for line in part[:: max(1, len(part) // half)][:half]]


def written(sentences: dict[str, list[str]], rng: random.Random) -> list[str]:
    """Return sentences of all languages in turn, with their slots filled."""
    languages = sorted(sentences)
    found = []
    for number in range(EACH):
        language = languages[number % len(languages)]
        disease = rng.choice(prose.DISEASES[language].split("|"))
        line = rng.choice(sentences[language]).format(d=disease, n=rng.randrange(2, 900), y=rng.randrange(1950, 2024))
        found.append(line[0].upper() + line[1:])
    return found


def floats(rng: random.Random) -> list[str]:
    forms = (
        "{0!r}", "what is {0!r} * 2", "[{0!r}, {1!r}, {2!r}]", '{{"loss": {0!r}, "lr": {1!r}}}', "x = {0:.17g}", "{0:.12f} ± {1:.3e}",
        "mean={0!r} std={1!r}", "({0:.6f}, {1:.6f})", "{0!r};{1!r};{2!r}", "cos({0!r}) = {1!r}",
    )  # fmt: skip
    draw = lambda: rng.uniform(-1, 1) * 10 ** rng.choice((0, 0, 0, 1, 2, 4, 8, 12, 16, -4, -12))
    return [rng.choice(forms).format(draw(), draw(), draw()) for _ in range(EACH)]


def orders(rng: random.Random) -> list[str]:
    number = lambda size: "".join(rng.choice("0123456789") for _ in range(size))
    forms = (
        lambda: f"Order {number(10)} shipped", lambda: f"order #{number(3)}-{number(7)}-{number(7)} was delivered",
        lambda: f"tracking 1Z{number(6)}{number(10)}", lambda: f"Invoice INV-{number(4)}-{number(6)} is due",
        lambda: f"SKU {number(8)} x {rng.randrange(1, 99)}", lambda: f"ticket {number(6)} closed by bot",
        lambda: f"parcel {number(12)} left the depot", lambda: f"Bestellung {number(9)} ist unterwegs",
        lambda: f"commande n° {number(8)} expédiée", lambda: f"pedido {number(10)} enviado", lambda: f"EAN {number(13)}",
        lambda: f"zamówienie {number(3)} {number(3)} {number(3)} wysłane", lambda: f"订单 {number(12)} 已发货",
        lambda: f"version {rng.randrange(60)}.{rng.randrange(99)}.{rng.randrange(250)}.{rng.randrange(250)} released",
        lambda: f"upgrade from 8.5.{rng.randrange(90)}.{rng.randrange(250)} to 8.6.{rng.randrange(90)}.{rng.randrange(250)}",
        lambda: f"firmware 1.{rng.randrange(99)}.{rng.randrange(99)}.{rng.randrange(250)}", lambda: f"{number(16)} bytes written",
        lambda: f"part no. {number(4)}-{number(4)} rev {rng.randrange(9)}", lambda: f"flight LH{number(4)} gate B{number(2)}",
    )  # fmt: skip
    return [rng.choice(forms)() for _ in range(EACH)]


def mathematics(rng: random.Random) -> list[str]:
    a = lambda: rng.randrange(1, 10 ** rng.choice((1, 2, 3, 6, 9, 12)))
    forms = (
        lambda: f"{a()} + {a()} * {a()} = {a()}", lambda: f"integrate x**{a()} + {a()}*x from {a()} to {a()}",
        lambda: f"solve {a()}*x**2 - {a()}*x + {a()} = 0", lambda: f"sqrt({a()}) / {a()}", lambda: f"\\frac{{{a()}}}{{{a()}}} \\cdot {a()}",
        lambda: f"matrix [[{a()}, {a()}], [{a()}, {a()}]]", lambda: f"{a()} mod {a()}", lambda: f"pi is about 3.{a()}{a()}",
        lambda: f"factor {a()}{a()}", lambda: f"sum of {a()}, {a()}, {a()} and {a()}", lambda: f"sin({a()}/{a()}) - ln({a()})",
        lambda: f"{a()}!  and C({a()}, {a()})", lambda: f"{a():,} people, {a():,.2f} EUR", lambda: f"{a()} 000 000 inhabitants",
    )  # fmt: skip
    return [rng.choice(forms)() for _ in range(EACH)]


def questions(rng: random.Random) -> list[str]:
    """Return plain questions and statements with years, places and numbers of the public world."""
    things = (
        "diabetes",
        "breast cancer",
        "depression",
        "HIV",
        "migraine",
        "the flu",
        "asthma",
        "autism",
        "abortion law",
        "malaria",
    )
    places = ("Berlin", "Paris", "Lyon", "New York", "Tokyo", "Warsaw", "the Moon", "Brazil", "Kyoto", "Leeds")
    forms = (
        lambda: f"What are the symptoms of {rng.choice(things)}?", lambda: f"How is {rng.choice(things)} treated?",
        lambda: f"Why does {rng.choice(things)} happen?", lambda: f"When was {rng.choice(places)} founded, {rng.randrange(800, 2000)}?",
        lambda: f"{rng.choice(places)} has {rng.randrange(1, 40)} {rng.randrange(100, 999)} {rng.randrange(100, 999)} inhabitants",
        lambda: f"The treaty was signed on {rng.randrange(1, 28)} March {rng.randrange(1700, 2020)}.",
        lambda: f"My favorite city is {rng.choice(places)}", lambda: f"Remember that the meeting is at {rng.randrange(8, 18)}:30",
        lambda: f"Wie behandelt man {rng.choice(('Migräne', 'Diabetes', 'Krebs'))}?", lambda: "Qu'est-ce que le diabète ?",
        lambda: f"Room {rng.randrange(1, 999)} on floor {rng.randrange(1, 30)}", lambda: f"chapter {rng.randrange(99)}, verse {rng.randrange(99)}",
        lambda: f"Call the function {rng.randrange(2, 99)} times", lambda: f"text size {rng.randrange(8, 40)}, line height {rng.randrange(99)}",
        lambda: f"bus {rng.randrange(1, 400)} leaves every {rng.randrange(2, 60)} minutes", lambda: rng.choice(CLEAN),
    )  # fmt: skip
    return [rng.choice(forms)() for _ in range(EACH)]


def lines() -> dict[str, list[str]]:
    """Return the clean lines by kind, ten thousand together."""
    rng = random.Random(31_415)
    found = {
        "logs": logs(400_000, seed=91).splitlines(),
        "code": code(),
        "commits": commits(),
        "floats": floats(rng),
        "order and version numbers": orders(rng),
        "mathematics": mathematics(rng),
        "questions": questions(rng),
        "documentation": documentation(),
        "news": written(prose.NEWS, rng),
        "law": written(prose.LAW, rng),
        "medicine": written(prose.MEDICINE, rng),
    }
    kept = {kind: rows[:EACH] for kind, rows in found.items()}
    short = 10_000 - sum(map(len, kept.values()))
    kept["logs"] += found["logs"][EACH : EACH + short]
    return kept


def flagged(rows: list[str]) -> list[tuple[str, str]]:
    """Return the rules that flagged a line, with the line."""
    from mace.governance.detectors import LOW, detect

    result = []
    for row in rows:
        found = [item.rule for item in detect(row) if item.sensitivity != LOW]
        if found:
            result.append((found[0], row))
    return result


def measure(show: bool = False) -> dict[str, float]:
    """Print and return the share of flagged lines by kind and of all."""
    result, total, hits = {}, 0, 0
    print("\nclean lines flagged")
    for kind, rows in lines().items():
        found = flagged(rows)
        total += len(rows)
        hits += len(found)
        result[kind] = len(found) / len(rows)
        print(
            f"  {kind:26} {len(found):5} of {len(rows):5}  {result[kind]:.4f}  {dict(Counter(rule for rule, _ in found))}"
        )
        for rule, row in found[:40] if show else ():
            print("      ", rule, row[:110])
    result["all"] = hits / total
    print(f"  {'all':26} {hits:5} of {total:5}  {hits / total:.4f}")
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--show", action="store_true")
    measure(parser.parse_args().show)
