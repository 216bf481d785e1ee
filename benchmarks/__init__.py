"""Benchmarks: MACE beside the alternative, in one process and one run, as ratios. `python -m benchmarks --help`."""
