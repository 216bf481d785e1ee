"""Experience in LevelDB, for one process at a time; needs the extra `leveldb`. Only `wiring` imports it."""

from mace.storage.leveldb.store import LevelDbExperience

__all__ = ["LevelDbExperience"]
