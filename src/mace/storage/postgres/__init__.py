"""PostgreSQL: the record when one machine is not enough."""

from mace.storage.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
