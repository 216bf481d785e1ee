"""The sides of this benchmark, each in a process of its own (see `benchmarks.sides`)."""

from benchmarks.jobs import ours, peers
from benchmarks.sides import Sides, serve

SIDES: Sides = {"mace": ours.side, "langgraph": peers.langgraph, "dbos": peers.dbos}

if __name__ == "__main__":
    serve(SIDES)
