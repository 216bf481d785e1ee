"""Measure detection: MACE beside Presidio (patterns only), scrubadub and DataFog, in one run on the same data.

    python -m venv /tmp/pii && /tmp/pii/bin/pip install -r benchmarks/pii/requirements.txt
    PYTHONPATH=src /tmp/pii/bin/python benchmarks/pii/run.py [--per-template 20] [--skip-peers] [--json FILE]

The open half may be tuned on; the held-out half is only scored. Time is CPU time of one process.
"""

import argparse
import importlib.util
import json
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import tools
from evasions import EVADED, EVASIONS
from hostile import hostile
from logs import logs
from samples import Sample, samples
from scoring import Score, score

SEEDS = {"open": 20_240_501, "held": 77_341}
IDS = {"payment_card", "us_ssn", "us_itin", "national_id"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--per-template", type=int, default=20)
    parser.add_argument("--log-megabytes", type=int, default=4)
    parser.add_argument("--skip-peers", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    data = {half: samples(half, args.per_template, seed) for half, seed in SEEDS.items()}
    candidates = {"MACE": tools.mace()}
    supported: dict[str, set[str] | None] = {"MACE": None}
    if not args.skip_peers:
        _add_peers(candidates, supported, data["open"])
    result = {
        "accuracy": accuracy(candidates, supported, data),
        "evasion": evasion(args.per_template),
        "false_hits": false_hits(candidates, args.log_megabytes * 1_000_000),
        "speed": speed(candidates),
        "worst": worst(),
    }
    if args.json:
        args.json.write_text(json.dumps(result, indent=1, sort_keys=True) + "\n")


def _add_peers(candidates: dict, supported: dict, open_half: list[Sample]) -> None:
    """Add the other tools; Presidio gets the threshold and set of recognisers that serve it best on the open half."""
    if importlib.util.find_spec("presidio_analyzer"):
        tries = {
            (least, every): tools.presidio(least, every) for least in (0.0, 0.3, 0.4, 0.5) for every in (False, True)
        }
        best = max(tries, key=lambda setting: score(tries[setting], open_half[::4]).totals()[2])
        kinds = "all countries" if best[1] else "as shipped"
        name = f"Presidio {tools.version('presidio-analyzer')} (patterns, {kinds}, >= {best[0]})"
        candidates[name], supported[name] = tries[best], {*tools.PRESIDIO.values(), "national_id"}
    if importlib.util.find_spec("scrubadub"):
        name = f"scrubadub {tools.version('scrubadub')}"
        candidates[name], supported[name] = tools.scrubadub(), set(tools.SCRUBADUB.values())
    if importlib.util.find_spec("datafog"):
        name = f"DataFog {tools.version('datafog')} (regex)"
        candidates[name], supported[name] = tools.datafog(), set(tools.DATAFOG.values())


def accuracy(candidates: dict, supported: dict, data: dict[str, list[Sample]]) -> dict:
    """Micro precision, recall and F1 on each half: over all types, and over the types a tool claims to know."""
    result = {}
    for half, rows in data.items():
        print(f"\n{half} half: {len(rows)} texts, {sum(len(row.gold) for row in rows)} values")
        print(f"  {'tool':56} {'precision':>9} {'recall':>7} {'F1':>6}   {'its own types':>22} {'MACE there':>11}")
        scores: dict[str, Score] = {name: score(tool, rows) for name, tool in candidates.items()}
        for name, item in scores.items():
            all_types, own = item.totals(), item.totals(supported[name])
            there = scores["MACE"].totals(supported[name])
            shown = f"{own[0]:.3f} {own[1]:.3f} {own[2]:.3f}"
            print(
                f"  {name:56} {all_types[0]:9.3f} {all_types[1]:7.3f} {all_types[2]:6.3f}"
                f"   {shown:>22} {there[2]:11.3f}"
            )
            result[f"{half}/{name}"] = {"all": all_types, "own_types": own, "mace_on_own_types": there}
        weak = scores["MACE"]
        result[f"{half}/missed"], result[f"{half}/false"] = dict(weak.missed), dict(weak.false)
        print(f"  MACE missed {dict(weak.missed)}; false {dict(weak.false)}")
    return result


def evasion(per_template: int) -> dict:
    """Recall on disguised values beside recall on the same values undisguised, held-out half."""
    print("\nevasion (held-out half, recall as a share of plain recall)")
    tool, count = tools.mace(), max(2, per_template // 4)
    plain = score(tool, samples("held", count, SEEDS["held"])).totals(set(EVADED))[1]
    result = {}
    for name, disguise in EVASIONS.items():
        rng = random.Random(9)
        hide = lambda kind, value, disguise=disguise, rng=rng: disguise(kind, value, rng) if kind in EVADED else value
        recall = score(tool, samples("held", count, SEEDS["held"], hide)).totals(set(EVADED))[1]
        result[name] = recall / plain
        print(f"  {name:14} {recall / plain:.3f}")
    return result


def false_hits(candidates: dict, size: int) -> dict:
    """Phone, and card or identity hits per megabyte of logs and of program text, in which there is nobody."""
    texts = {"logs": logs(size, seed=4_242), "program text": _program_text(size)}
    print("\nfalse hits per MB (phone; card, SSN and national id)")
    result = {}
    for kind, text in texts.items():
        for name, tool in candidates.items():
            part = text if name == "MACE" else text[: 300_000 if kind == "logs" else 150_000]
            found = [item[0] for item in tool(part)]
            per_mb = 1_000_000 / len(part)
            phones, ids = found.count("phone") * per_mb, sum(item in IDS for item in found) * per_mb
            result[f"{kind}/{name}"] = {"phone": phones, "card_or_id": ids}
            print(f"  {kind:13} {name:56} phone {phones:8.1f}   card/id {ids:8.1f}")
    return result


def _program_text(size: int) -> str:
    """Return source of the standard library: real technical text that is on every machine."""
    folder = pathlib.Path(json.__file__).parent.parent
    parts, total = [], 0
    for path in sorted(folder.glob("*.py")) + sorted(folder.glob("[a-s]*/*.py")):
        text = path.read_text(encoding="utf-8", errors="replace")
        parts.append(text)
        total += len(text)
        if total >= size:
            break
    return "".join(parts)[:size]


def speed(candidates: dict) -> dict:
    """Megabytes per second of CPU time on one core; peers read a smaller part."""
    dense = "\n".join(sample.text for sample in samples("open", 40, 3))
    texts = {"logs": logs(1_000_000, 11), "program text": _program_text(1_000_000), "dense personal data": dense}
    print("\nspeed, MB/s of CPU time")
    result = {}
    for kind, text in texts.items():
        for name, tool in candidates.items():
            part = text if name == "MACE" else text[:100_000]
            tool(part[:10_000])
            result[f"{kind}/{name}"] = best = max(_rate(tool, part) for _ in range(3 if name == "MACE" else 1))
            print(f"  {kind:20} {name:56} {best:8.3f}")
    return result


def _rate(tool, text: str) -> float:
    began = time.process_time()
    tool(text)
    return len(text.encode("utf-8", "replace")) / 1e6 / max(time.process_time() - began, 1e-9)


def worst() -> dict:
    """The slowest of the hostile texts of 80 kB, and how its time grows when it is doubled."""
    tool = tools.mace()
    times = {}
    for name, text in hostile(80_000).items():
        times[name] = min(len(text) / 1e6 / _rate(tool, text.encode("utf-8", "ignore").decode()) for _ in range(2))
    slowest = sorted(times, key=lambda name: -times[name])[:5]
    print("\nworst of", len(times), "hostile texts of 80 kB")
    result = {}
    for name in slowest:
        twice = hostile(160_000)[name]
        began = time.process_time()
        tool(twice)
        growth = (time.process_time() - began) / times[name]
        result[name] = {"seconds": times[name], "growth_when_doubled": growth}
        print(f"  {name:20} {times[name]:.3f} s, doubled: {growth:.2f} times")
    return result


if __name__ == "__main__":
    main()
