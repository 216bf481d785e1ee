"""A trust snapshot: which memory ids and record hashes carry a classification that is denied.

Pure. Detection only: an exact id or hash with an exact classification counts, nothing is inferred. A snapshot is
`{"items": [{"memory_id" or "record_hash": text, "classification": text}]}`; further fields are somebody else's.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from mace.core import canon


@dataclass(frozen=True, slots=True)
class Denied:
    memory_ids: frozenset[str] = frozenset()
    record_hashes: frozenset[str] = frozenset()


def parse_snapshot(data: bytes, deny_classifications: Collection[str]) -> Denied | None:
    """Return what the snapshot denies, or None when it is malformed."""
    try:
        snapshot = canon.loads(data)
    except ValueError:
        return None
    items = snapshot.get("items") if isinstance(snapshot, dict) else None
    if not isinstance(items, list):
        return None
    memory_ids: set[str] = set()
    record_hashes: set[str] = set()
    for item in items:
        if not _is_item(item):
            return None
        if item["classification"] in deny_classifications:
            if item.get("memory_id") is not None:
                memory_ids.add(item["memory_id"])
            if item.get("record_hash") is not None:
                record_hashes.add(item["record_hash"])
    return Denied(frozenset(memory_ids), frozenset(record_hashes))


def _is_item(item: Any) -> bool:
    if not isinstance(item, dict) or not isinstance(item.get("classification"), str):
        return False
    named = [item[name] for name in ("memory_id", "record_hash") if item.get(name) is not None]
    return bool(named) and all(isinstance(name, str) for name in named)
