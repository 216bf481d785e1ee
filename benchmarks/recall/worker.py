"""The sides of this benchmark, each in a process of its own (see `benchmarks.sides`)."""

from benchmarks.recall import ours, peers
from benchmarks.sides import Sides, serve

SIDES: Sides = {"mace": ours.side, "mem0": peers.mem0, "langgraph": peers.langgraph}

if __name__ == "__main__":
    serve(SIDES)
