"""SQLite: the embedded default. One file, many processes, durable at each commit."""

from mace.storage.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
