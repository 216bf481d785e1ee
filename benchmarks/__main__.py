"""Run benchmarks and print a table of figures against their targets.

    python -m benchmarks [NAME ...] [--full] [--json FILE]

A benchmark is a folder here with a module `bench` that has `run(full) -> Iterable[Row]`. Without names all of them run
in their quick form; `--full` takes minutes. The exit code is 1 when a target was missed. The machine decides absolute
figures, so most targets are ratios of CPU time between two things done in turns.
"""

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path

from benchmarks.measure import Row, machine, table


def known() -> list[str]:
    return sorted(item.parent.name for item in Path(__file__).parent.glob("*/bench.py"))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Figures against targets.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one or more of: {', '.join(known())}")
    parser.add_argument("--full", action="store_true", help="the long forms, up to a million events")
    parser.add_argument("--json", metavar="FILE", help="write the figures to a file as well")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.names) - set(known()))
    if unknown:
        parser.error(f"no benchmark {', '.join(unknown)}; there are {', '.join(known())}")
    rows: list[Row] = []
    print(f"machine: {machine()}", flush=True)
    for name in arguments.names or known():
        print(f"running {name} ...", file=sys.stderr, flush=True)
        found = list(import_module(f"benchmarks.{name}.bench").run(arguments.full))
        print("\n" + table(name, found), flush=True)
        rows += found
    if arguments.json:
        content = {"machine": machine(), "full": arguments.full, "rows": [row.shown() for row in rows]}
        Path(arguments.json).write_text(json.dumps(content, indent=2) + "\n")
    missed = [row.what for row in rows if not row.passed]
    print(
        f"\n{len(rows) - len(missed)} of {len(rows)} targets met" + (f"; missed: {'; '.join(missed)}" if missed else "")
    )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
