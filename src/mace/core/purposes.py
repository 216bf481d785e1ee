"""What a signature is for. Each purpose has a key of its own, so that one thing signed can never pass for another.

Pure. The labels are part of key ids and of the derivation of keys: one that is changed makes old signatures worthless.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias


class Purpose(StrEnum):
    EVENT = "event"  # events of the ledger
    RECORD = "record"  # documents beside the events
    LOG = "log"  # rows of the reflective log
    STATE = "state"  # the few values that change, such as the state of a second factor
    SEAL = "seal"  # wrapped keys of the vault
    SPILL = "spill"  # frames of the spill file


Sign: TypeAlias = Callable[[Purpose, bytes], str]  # over a digest; "keyid:hex"
Check: TypeAlias = Callable[[Purpose, bytes, str], bool]
