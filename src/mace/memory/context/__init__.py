"""Context packages: deterministic, bounded excerpts of JSONL stores, and why these.

Pure. `read` answers a request with a package or a refusal; `explain` says what made the scores. Reading, indexing and
caching of stores is the reader's business (`StoreReader`); `read_lines` is the rule for lines of a store, which the
reader must follow.
"""

from mace.memory.context.controller import read
from mace.memory.context.defaults import ContextDefaults
from mace.memory.context.english import STOPWORDS, stem, words_of
from mace.memory.context.explain import explain
from mace.memory.context.package import ContextPackage
from mace.memory.context.ports import Candidates, Progress, StoreReader, StoreWriter
from mace.memory.context.records import EntryWriter, InvalidLine, Record, is_blank, read_line, read_lines, read_turns
from mace.memory.context.request import PHASE6, PHASE7, Refusal
from mace.memory.context.talk import Talk, Turns
from mace.memory.context.talk_build import TalkBuilder
from mace.memory.context.talk_index import TalkIndex
from mace.memory.context.text import matching_text, query_hash

__all__ = [
    "PHASE6",
    "PHASE7",
    "STOPWORDS",
    "Candidates",
    "ContextDefaults",
    "ContextPackage",
    "EntryWriter",
    "InvalidLine",
    "Progress",
    "Record",
    "Refusal",
    "StoreReader",
    "StoreWriter",
    "Talk",
    "TalkBuilder",
    "TalkIndex",
    "Turns",
    "explain",
    "is_blank",
    "matching_text",
    "query_hash",
    "read",
    "read_line",
    "read_lines",
    "read_turns",
    "stem",
    "words_of",
]
