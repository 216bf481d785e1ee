"""`python -m benchmarks.facts [--full]`: this benchmark alone."""

import argparse
import sys

from benchmarks.facts.bench import run
from benchmarks.measure import machine, table

parser = argparse.ArgumentParser(prog="python -m benchmarks.facts", description=__doc__)
parser.add_argument("--full", action="store_true", help="more rounds and a fuller store")
found = list(run(parser.parse_args().full))
print(f"machine: {machine()}\n\n{table('facts', found)}")
sys.exit(0 if all(row.passed for row in found) else 1)
