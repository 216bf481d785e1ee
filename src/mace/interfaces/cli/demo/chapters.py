"""The chapters of the demo, in order. A new part of MACE adds its file and its line here."""

from mace.interfaces.cli.demo import erasure, experience, ledger, questions, tampering

CHAPTERS = (ledger.CHAPTER, tampering.CHAPTER, questions.CHAPTER, erasure.CHAPTER, experience.CHAPTER)
