"""`python -m benchmarks.context [SIZE ...] [--recall SEEDS] [--curve] [--talks]`: this alone, sizes by argument."""

import argparse
import sys

from benchmarks.context.bench import curve, recall, speed
from benchmarks.context.recall import HELD_OUT
from benchmarks.context.talks import talks
from benchmarks.measure import Row, machine, table

parser = argparse.ArgumentParser(prog="python -m benchmarks.context", description=__doc__)
parser.add_argument("sizes", nargs="*", type=int, metavar="SIZE", help="records per store, say 100000 1000000")
parser.add_argument("--recall", type=int, default=0, metavar="SEEDS", help="held-out conversations to ask")
parser.add_argument("--curve", action="store_true", help="warm queries from 1,000 to the largest size")
parser.add_argument("--talks", action="store_true", help="phase7-v1 on talks of these sizes instead")
arguments = parser.parse_args()
sizes = arguments.sizes or ([] if arguments.recall or arguments.curve else [20_000])
found: list[Row] = list(talks(sizes) if arguments.talks else speed(sizes))
if arguments.recall:
    found += recall(range(HELD_OUT, HELD_OUT + arguments.recall))
if arguments.curve:
    found += curve([size for size in (1_000, 10_000, 100_000, 1_000_000) if size <= max(arguments.sizes or [100_000])])
print(f"machine: {machine()}\n\n{table('context', found)}")
sys.exit(0 if all(row.passed for row in found) else 1)
