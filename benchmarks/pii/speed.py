"""How quickly texts are read: short new ones, long ones, dense ones, hostile ones, and the first of a process.

    python -m benchmarks.pii.speed                              # figures of this tree (PYTHONPATH decides which)
    python -m benchmarks.pii.speed --beside OTHER/src ...       # each in a process of its own, in turns, as ratios

Short texts are of about 95 bytes: chat, logs and forms, with personal values and without. Every pass has digits or
words that no pass before had, so nothing is answered from what was remembered of a whole text; words come again, as
they do in life.
CPU time of one process, the best of several passes: other programs on the machine only make a pass slower.
"""

import argparse
import gc
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from benchmarks.pii.hostile import HOSTILE_PIECES
from benchmarks.pii.logs import logs

# `#` is a digit and `~` a word, drawn anew for each pass.
_WORDS = """
    kettle shelf harbour engine garden window lamp ladder bridge forest meadow river copper marble cotton paper
    pencil basket bottle button candle carpet chapter circle corner curtain drawer feather fiddle funnel galley
    gravel hammer handle island jacket kitchen lantern mirror mixture needle octave orchard paddle pillow planet
    pocket poster puzzle quarry ribbon rocket saddle shadow shovel signal silver spider sponge spring square
    statue stream summer sunset
    """
_CLEAN = (
    "Could you book the table for # tonight? The ~ room upstairs if they still have the ~, thanks.",
    "I think the ~ draft reads better, but the part about the ~ is still far too long for us.",
    "Remember that the team prefers the ~ over the ~, and that the kettle holds #.# litres of water.",
    "What is the difference between a ~ and a ~, and when should I use which of the two here?",
    "The train was late again, so we walked along the ~ for ## minutes and saw the ~ instead.",
    "Please summarise the main points of the ~ about the ~ and translate them into plain German.",
    "ok sounds good, see you at the usual place after lunch then, bring the ~ and the ~ with you",
    "Bitte erinnere mich daran, dass die Heizung neben ~ und ~ im Oktober gewartet werden muss.",
    "Le chat dort sur le canapé entre ~ et ~ depuis ce matin et ne veut pas sortir, il fait froid.",
    "El informe sobre ~ tiene ## páginas y el resumen con ~ debería caber en una sola hoja hoy.",
    "2026-0#-1# 0#:2#:3#,### INFO [worker-#] request took #### ms rows=### cache=hit shard=## ok",
    "[#####.######] kernel: eth0: link up, rx_bytes ######## tx_bytes ######## dropped # errors #",
    "level=warn ts=17######## msg=\"queue is growing\" depth=#### consumers=# lag=##### topic=events",
    "GET /api/v2/items/######?page=## HTTP/1.1 200 #### \"-\" \"curl/8.#.#\" upstream=#.### total=#.###",
    "ERROR worker.py:### could not open ~.json: no such file or directory (attempt # of #, ~)",
    "Order #######: # x wall shelf, oak, 80 cm; # x bracket, black; total ##.## EUR; status packed",
    "name: standing desk; colour: grey; height: ## to 1## cm; weight: ## kg; stock: ###; shelf: B#",
    '{"event": "build", "job": ####, "passed": ###, "skipped": ##, "seconds": ##.#, "branch": "main"}',
    "def total(rows): return sum(row.~ for row in rows if row.kind == '~' and row.year > 20##)",
    "Ticket ##### was closed after # days; the customer confirmed that the printer works again now.",
    "The meeting moved from #:30 to 1#:00, room #.##; agenda: budget, hiring, the move to the new site.",
    "Mount the ~ with # screws of #.# mm, leave ## cm to the wall, then tighten the lower bracket.",
)  # fmt: skip
_PERSONAL = (
    "you can reach me on 0171 ####### or at the office after nine, I will be in all day on Friday",
    "My new address is ## Marktstrasse, 10### Berlin, please send the parcel there from now on.",
    "Hi, this is Anna, my number is +44 20 7946 0###, call me when you are back from your holiday.",
    "Name: Jon Alder; Email: jon.alder##@example.org; Phone: 415-555-2###; Order: ######; paid: yes",
    "login ok user=maria ip=84.1##.2#.1# agent=firefox session=######## device=laptop took=## ms ok",
    "Please charge my card 4111 1111 1111 1111, expires 0#/2#, and send the receipt by mail to me.",
    "I was born on 1# March 198# in Leeds and moved here in 20##, so the ~ form needs both countries.",
    "patient reports headaches for ## weeks, was diagnosed with asthma in 20##, no other medication",
)  # fmt: skip
_ROUNDS = 7
_BLANK = re.compile("(~)")
_NAMES = _WORDS.split()


def _draw(text: str, rng: random.Random) -> str:
    drawn = "".join(rng.choice("0123456789") if char == "#" else char for char in text)
    return "".join(part if part != "~" else rng.choice(_NAMES) for part in _BLANK.split(drawn))


def short_texts(seed: int, personal: bool = True, copies: int = 12) -> list[str]:
    """Return short texts, each written several times with digits of its own; about a quarter hold personal values."""
    rng = random.Random(seed)
    return [_draw(text, rng) for _ in range(copies) for text in _CLEAN + (_PERSONAL if personal else ())]


def long_texts(size: int, seed: int) -> list[str]:
    """Return texts of `size` characters, made of short ones and of log lines in turn."""
    rng = random.Random(seed)
    lines = logs(size, seed).splitlines()
    made = []
    for _ in range(max(2, 32_000 // size)):
        parts: list[str] = []
        while sum(map(len, parts)) + len(parts) < size:
            parts += [_draw(text, rng) for text in rng.sample((*_CLEAN, *_PERSONAL), 10)]
            parts += rng.choices(lines, k=10)
        made.append("\n".join(parts)[:size])
    return made


def dense_texts(size: int, seed: int) -> list[str]:
    """Return one text with a personal value in every line."""
    rng = random.Random(seed)
    parts: list[str] = []
    while sum(map(len, parts)) + len(parts) < size:
        parts += [_draw(text, rng) for text in _PERSONAL]
    return ["\n".join(parts)[:size]]


def _pass(detect: Callable[[str], object], texts: Sequence[str]) -> float:
    """Return the megabytes of UTF-8 that are read in a second of CPU time."""
    size = sum(len(text.encode()) for text in texts)
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        for text in texts:
            detect(text)
        return size / 1e6 / max(time.process_time() - start, 1e-9)
    finally:
        gc.enable()


def _best(detect: Callable[[str], object], texts: Callable[[int], Sequence[str]]) -> float:
    """Return the best of several passes, each over texts with digits of its own; the first of them is not counted."""
    for text in texts(0):
        detect(text)
    return max(_pass(detect, texts(number)) for number in range(1, _ROUNDS + 1))


def growth(detect: Callable[[str], object], size: int = 20_000) -> tuple[float, str]:
    """Return how much longer the worst of the hostile texts takes when it is doubled, and which it is."""
    worst, named = 0.0, ""
    for name, piece in HOSTILE_PIECES.items():
        once, twice = piece * (size // len(piece)), piece * (2 * size // len(piece))
        ratio = min(_seconds(detect, twice) for _ in range(2)) / min(_seconds(detect, once) for _ in range(2))
        if ratio > 2.6:  # too short to tell: again, with more passes
            ratio = min(_seconds(detect, twice) for _ in range(5)) / min(_seconds(detect, once) for _ in range(5))
        if ratio > worst:
            worst, named = ratio, name
    return worst, named


def _seconds(detect: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    detect(text)
    return time.process_time() - start


def figures() -> dict[str, float]:
    """Return the figures of the tree that this process imports, in MB/s unless the name says otherwise."""
    start = time.process_time()
    from mace.governance.detectors import detect

    imported = time.process_time() - start
    first = _pass(detect, short_texts(99, copies=2))
    return {
        "short texts": _best(detect, short_texts),
        "short texts, nobody in them": _best(detect, lambda seed: short_texts(seed, personal=False)),
        "4 kB": _best(detect, lambda seed: long_texts(4_000, seed)),
        "64 kB": _best(detect, lambda seed: long_texts(64_000, seed)),
        "64 kB of logs": _best(detect, lambda seed: [logs(64_000, seed)]),
        "a personal value in every line": _best(detect, lambda seed: dense_texts(20_000, seed)),
        "first pass of a process": first,
        "import, ms": imported * 1e3,
    }


def _child(source: str) -> dict[str, float]:
    paths = os.pathsep.join([source, os.getcwd()])
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.pii.speed", "--json"],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def beside(sources: Sequence[str], rounds: int = 3) -> None:
    """Print the best figures of each tree, measured in processes that take turns."""
    best: dict[str, dict[str, float]] = {source: {} for source in sources}
    for _ in range(rounds):
        for source in sources:
            for name, figure in _child(source).items():
                better = min if name.endswith("ms") else max
                best[source][name] = better(figure, best[source].get(name, figure))
    for name in best[sources[0]]:
        print(f"{name:34}", *(f"{best[source][name]:9.2f}" for source in sources))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--beside", nargs="+", metavar="SRC", help="source trees to measure in turns")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.beside:
        beside(arguments.beside)
    elif arguments.json:
        print(json.dumps(figures()))
    else:
        for name, figure in figures().items():
            print(f"{name:34} {figure:9.2f}")


if __name__ == "__main__":
    main()
