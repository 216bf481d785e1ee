"""How quickly texts are read: short new ones, long ones, dense ones, hostile ones, and the first of a process.

    python -m benchmarks.pii.speed                              # figures of this tree (PYTHONPATH decides which)
    python -m benchmarks.pii.speed --beside OTHER/src ...       # each in a process of its own, in turns, as ratios

Short texts are of about 95 bytes: chat, logs and forms, with personal values and without. Every pass has digits or
words that no pass before had, so nothing is answered from what was remembered of a whole text; words come again, as
they do in life.
JSON is what programs and language engines exchange, about 2 kB each: messages, records, answers, steps of a run; nobody
is in it. CPU time of one process, the best of several passes: other programs on the machine only make a pass slower.
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
from typing import Any

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


_ROLES = ("system", "user", "assistant", "user")


def _said(rng: random.Random, count: int) -> str:
    return _draw(" ".join(rng.sample(_CLEAN[:10], count)), rng)


def _messages(rng: random.Random) -> dict[str, Any]:
    return {
        "model": "gpt-4o-mini",
        "temperature": 0.2,
        "max_tokens": rng.randint(200, 4000),
        "messages": [{"role": role, "content": _said(rng, 4)} for role in _ROLES],
        "tools": [{"type": "function", "function": {"name": "search_items", "description": "Search the catalogue."}}],
        "request_id": f"req_{rng.getrandbits(128):032x}",
    }


def _records(rng: random.Random) -> dict[str, Any]:
    rows = [
        {
            "id": rng.randrange(10**6),
            "sku": f"SKU-{rng.randrange(10**5):05}",
            "name": f"{rng.choice(_NAMES)} {rng.choice(_NAMES)}",
            "price": round(rng.random() * 100, 2),
            "stock": rng.randrange(500),
            "active": True,
            "tags": [rng.choice(_NAMES), rng.choice(_NAMES)],
            "updated": f"2026-11-{rng.randint(1, 28):02}T10:{rng.randrange(60):02}:00Z",
        }
        for _ in range(12)
    ]
    return {"items": rows, "total": rng.randrange(1000), "page": 1, "next": None}


def _answer(rng: random.Random) -> dict[str, Any]:
    said = {"role": "assistant", "content": _said(rng, 10) + "\n\n" + _said(rng, 8)}
    return {
        "id": f"chatcmpl-{rng.getrandbits(100):x}",
        "object": "chat.completion",
        "created": 1_731_600_000 + rng.randrange(10**6),
        "choices": [{"index": 0, "finish_reason": "stop", "message": said}],
        "usage": {"prompt_tokens": rng.randrange(2000), "completion_tokens": rng.randrange(2000)},
    }


def _steps(rng: random.Random) -> dict[str, Any]:
    steps = [
        {
            "n": number,
            "tool": rng.choice(["search", "fetch", "write_file"]),
            "ms": rng.randrange(3000),
            "args": {"path": f"/srv/{rng.choice(_NAMES)}/{rng.randrange(99)}.json", "score": rng.random()},
            "result": _draw(rng.choice(_CLEAN), rng),
        }
        for number in range(9)
    ]
    return {"run": f"{rng.getrandbits(128):032x}", "steps": steps}


_JSON = {"messages": _messages, "records": _records, "an answer": _answer, "steps of a run": _steps}


def _json_speed(detect_json: Callable[[Any, str], object], make: Callable[[random.Random], Any]) -> float:
    """Return the microseconds of CPU time that 2 kB of such values take."""

    def values(seed: int) -> tuple[list[Any], float]:
        made = [make(random.Random(seed * 1000 + number)) for number in range(30)]
        return made, sum(len(json.dumps(value)) for value in made) / 2000

    for value in values(0)[0]:
        detect_json(value, "request")
    best = float("inf")
    for seed in range(1, _ROUNDS + 1):
        made, size = values(seed)
        start = time.process_time()
        for value in made:
            detect_json(value, "request")
        best = min(best, (time.process_time() - start) / size * 1e6)
    return best


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
    from mace.governance.detectors import detect, detect_json

    imported = time.process_time() - start
    first = _pass(detect, short_texts(99, copies=2))
    return {
        "short texts": _best(detect, short_texts),
        "short texts, nobody in them": _best(detect, lambda seed: short_texts(seed, personal=False)),
        "4 kB": _best(detect, lambda seed: long_texts(4_000, seed)),
        "64 kB": _best(detect, lambda seed: long_texts(64_000, seed)),
        "64 kB of logs": _best(detect, lambda seed: [logs(64_000, seed)]),
        "a personal value in every line": _best(detect, lambda seed: dense_texts(20_000, seed)),
        **{f"2 kB of JSON, {name}, us": _json_speed(detect_json, make) for name, make in _JSON.items()},
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
                better = min if name.endswith((", ms", ", us")) else max
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
