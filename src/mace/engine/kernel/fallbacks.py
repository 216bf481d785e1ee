"""How many questions no rule of the router matched: a number for operators, on which nothing rests."""

from mace.storage.ports import Tx

_NOTE = "router_fallback_count"
_MAX_DIGITS = 18


def fallbacks(tx: Tx) -> int:
    """The number; 0 where somebody wrote something else there."""
    told = tx.notes.get(_NOTE) or ""
    return int(told[:_MAX_DIGITS]) if told.isascii() and told.isdigit() else 0


def count_fallback(tx: Tx) -> None:
    """Count one more."""
    tx.notes.put(_NOTE, str(fallbacks(tx) + 1))
