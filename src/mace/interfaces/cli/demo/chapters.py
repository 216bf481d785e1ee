"""The chapters of the demo, in order. A new part of MACE adds its file and its line here, its name in `NAMES`."""

from mace.interfaces.cli.demo import agent, erasure, experience, ledger, memory, questions, tampering

_ALL = (agent, ledger, tampering, questions, memory, erasure, experience)
CHAPTERS = {part.CHAPTER.name: part.CHAPTER for part in _ALL}
