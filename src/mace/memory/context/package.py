"""The context package: what was selected, what was dropped, and the hash over all of it.

Pure. A million dropped entries are a million dicts nobody looks at, so `dropped` is kept as an order over the stores'
ready-made canonical bytes: the hash runs over those bytes, and dicts are built only for a caller who asks.
`package_hash` is the SHA-256 of the canonical JSON of everything but itself; `selection.dropped` comes before
`selection.selected` in canonical order, and the whole in one pass.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import orjson

from mace.core import canon
from mace.memory.context.ports import Candidates, Ranks, Sink
from mace.memory.context.records import BUDGET_EXHAUSTED, INVALID, TRUST_DENIED, EntryWriter
from mace.memory.context.request import Request
from mace.memory.context.scoring import Ranking, Score
from mace.memory.context.selection import Selected
from mace.memory.context.text import query_hash

_KEYS = ("query", "budget", "selection", "package_hash", "controller_version")


class ContextPackage(Mapping[str, Any]):
    """Reads like the package of the contract; builds its large parts when they are asked for.

    `dict(package)` or `package.as_dict()` is the plain package with the complete `dropped` list.
    """

    def __init__(
        self,
        request: Request,
        candidates: Candidates,
        ranking: Ranking,
        denied: Ranks,
        chosen: Sequence[Selected],
        scores: Sequence[Score],
    ) -> None:
        used = sum(item.excerpt_tokens for item in chosen)
        budget = request.budget
        self._query = {"raw": request.query, "query_hash": query_hash(request.query)}
        self._budget = {
            "max_excerpt_tokens": budget.max_excerpt_tokens,
            "used_excerpt_tokens": used,
            "remaining_excerpt_tokens": max(budget.max_excerpt_tokens - used, 0),
            "per_item_max_excerpt_tokens": budget.per_item_max_excerpt_tokens,
            "max_items": budget.max_items,
        }
        self._selected = [
            {
                "memory_id": item.record.memory_id,
                "record_hash": item.record.record_hash,
                "store_path": candidates.store_path(item.rank),
                "score": score.score,
                "excerpt": item.excerpt,
                "excerpt_tokens": item.excerpt_tokens,
            }
            for item, score in zip(chosen, scores, strict=True)
        ]
        self.controller_version = request.version
        self.terms = request.terms
        self.scores = tuple(scores)
        self._candidates = candidates
        self._ranking = ranking
        self._denied = denied
        self._chosen_ranks = [item.rank for item in chosen]
        self._hash: str | None = None
        self._dropped: list[dict[str, str]] | None = None

    # The package as a mapping

    def __getitem__(self, key: str) -> Any:
        if key == "query":
            return dict(self._query)
        if key == "budget":
            return self.budget
        if key == "selection":
            return {"selected": self.selected, "dropped": self.dropped}
        if key == "package_hash":
            return self.package_hash
        if key == "controller_version":
            return self.controller_version
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(_KEYS)

    def __len__(self) -> int:
        return len(_KEYS)

    def as_dict(self) -> dict[str, Any]:
        return {key: self[key] for key in _KEYS}

    # What a caller asks for one by one

    @property
    def budget(self) -> dict[str, int]:
        return dict(self._budget)

    @property
    def selected(self) -> list[dict[str, Any]]:
        return [dict(item) for item in self._selected]

    @property
    def dropped(self) -> list[dict[str, str]]:
        if self._dropped is None:
            parts: list[bytes] = []
            self._write_dropped(lambda data: parts.append(bytes(data)))
            self._dropped = [
                {name: entry[name] for name in ("memory_id", "record_hash", "store_path", "reason")}
                for entry in orjson.loads(b"[" + b"".join(parts)[1:] + b"]")
            ]
        return [dict(entry) for entry in self._dropped]

    def dropped_summary(self) -> dict[str, int]:
        """How many were dropped for which reason; costs nothing."""
        valid = self._candidates.size - len(self._denied)
        return {
            INVALID: self._candidates.invalid,
            TRUST_DENIED: len(self._denied),
            BUDGET_EXHAUSTED: valid - len(self._chosen_ranks),
        }

    @property
    def package_hash(self) -> str:
        if self._hash is None:
            digest = hashlib.sha256()
            self._write(digest.update, None)
            self._hash = digest.hexdigest()
        return self._hash

    @property
    def store_paths(self) -> tuple[str, ...]:
        return self._candidates.store_paths

    def receipt(self) -> dict[str, Any]:
        """The ledger receipt of a successful read: metadata only."""
        return {
            "kind": "memory.read",
            "data": {
                "query_hash": self._query["query_hash"],
                "store_paths": list(self.store_paths),
                "selected_count": len(self._selected),
                "package_hash": self.package_hash,
            },
        }

    def write_json(self, sink: Sink) -> None:
        """Write the exact package as canonical JSON, without building `dropped`."""
        self._write(sink, self.package_hash)

    def _write(self, sink: Sink, package_hash: str | None) -> None:
        sink(b'{"budget":' + canon.dumps(self._budget))
        sink(b',"controller_version":"' + self.controller_version.encode() + b'"')
        if package_hash is not None:
            sink(b',"package_hash":"' + package_hash.encode() + b'"')
        sink(b',"query":' + canon.dumps(self._query))
        sink(b',"selection":{"dropped":[')
        self._write_dropped(_without_first_byte(sink))
        sink(b'],"selected":' + canon.dumps(self._selected) + b"}}")

    def _write_dropped(self, sink: Sink) -> None:
        """Invalid lines and denied records in read order, then the rest in sorted order; each led by a comma."""
        candidates, ranking = self._candidates, self._ranking
        candidates.write_invalid(sink)
        for rank in map(int, self._denied):
            writer = EntryWriter(candidates.store_path(rank))
            sink(writer.of(*candidates.identity(rank), TRUST_DENIED))
        head = ranking.head
        candidates.write_exhausted(head[len(self._chosen_ranks) :], sink)
        if len(ranking.taken) < ranking.size:
            later = np.array(self._chosen_ranks[len(head) :], np.uint32)
            taken = np.union1d(ranking.taken, later).astype(np.uint32) if len(later) else ranking.taken
            candidates.write_exhausted_except(taken, sink)


def _without_first_byte(sink: Sink) -> Sink:
    """A list's first entry has no comma before it."""
    started = False

    def write(data: bytes | memoryview) -> None:
        nonlocal started
        if started:
            sink(data)
        elif len(data):
            started = True
            sink(memoryview(data)[1:])

    return write
