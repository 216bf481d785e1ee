"""JSONL stores: read, indexed and mapped; written only by appending.

`JsonlStores` is the reader the context room asks for; what a line means is that room's rule, passed in.
`appending.JsonlAppender` is its writer.
"""

from mace.storage.jsonl.stores import JsonlStores, Progress

__all__ = ["JsonlStores", "Progress"]
