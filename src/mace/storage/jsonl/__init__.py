"""JSONL stores: read, indexed and mapped, never written.

`JsonlStores` is the reader the context room asks for; what a line means is that room's rule, passed in.
"""

from mace.storage.jsonl.stores import JsonlStores, Progress

__all__ = ["JsonlStores", "Progress"]
