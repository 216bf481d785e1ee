"""The context package: what was selected, what was dropped, and the hash over all of it.

Pure. A million dropped entries are a million dicts nobody looks at, so `dropped` is kept as an order over the stores'
ready-made canonical bytes: the hash runs over those bytes, and dicts are built only for a caller who asks.
`package_hash` is the SHA-256 of the canonical JSON of everything but itself; `selection.dropped` comes before
`selection.selected` in canonical order, and the whole in one pass.
"""

import hashlib
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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

_UNBUILT = object()  # no encoder takes it: one that reads past the methods fails and does not write half a package


class _Unbuilt:
    """Builds what it is asked for, and holds it from then on."""

    __slots__ = ("_package",)

    def __init__(self, package: "ContextPackage") -> None:
        self._package = weakref.ref(package)  # the package holds it

    def __getattr__(self, name: str) -> Any:
        package = self._package()
        if package is None or name not in ("selected", "dropped"):
            raise AttributeError(name)
        built = getattr(package, name)
        object.__setattr__(self, name, built)
        return built


@dataclass(init=False, slots=True)
class Selection(_Unbuilt):
    """What stands under `selection` for encoders that read a dict past its methods (orjson, pydantic).

    They write a dataclass as an object, asking for its fields: that is when they are built.
    """

    selected: list[dict[str, Any]]
    dropped: list[dict[str, str]]


class ContextPackage(dict[str, Any]):
    """The package of the contract, a dict like every other answer; its large parts are built when they are asked for.

    `json.dumps(package)`, `orjson.dumps(package)`, `dict(package)` and `package.as_dict()` give the complete `dropped`
    list, and so does pydantic. `package.selected`, `dropped_summary()` and `write_json` do without building it.
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
        self._own: dict[str, Any] = {
            "query": dict(self._query),
            "budget": dict(self._budget),
            "selection": Selection(self),
            "package_hash": _UNBUILT,
            "controller_version": self.controller_version,
        }
        super().__init__(self._own)

    # The package as a dict: whatever looks at a value gets it built, and its own copy

    def __getitem__(self, key: str) -> Any:
        value = super().__getitem__(key)
        return self._part(key) if value is self._own.get(key, _UNBUILT) else value

    def _part(self, key: str) -> Any:
        match key:
            case "query":
                return dict(self._query)
            case "budget":
                return self.budget
            case "selection":
                return {"selected": self.selected, "dropped": self.dropped}
            case "package_hash":
                return self.package_hash
            case _:
                return self.controller_version

    def get(self, key: str, default: Any = None) -> Any:
        try:
            return self[key]
        except KeyError:
            return default

    def __iter__(self) -> Iterator[str]:  # dict(package) copies unseen what does not iterate in its own way
        return super().__iter__()

    def as_dict(self) -> dict[str, Any]:
        return {key: self[key] for key in self}

    def copy(self) -> dict[str, Any]:
        return self.as_dict()

    def items(self) -> Any:
        return self.as_dict().items()

    def values(self) -> Any:
        return self.as_dict().values()

    def pop(self, key: str, *default: Any) -> Any:
        value = self.get(key)
        held = super().pop(key, *default)
        return value if held is self._own.get(key, _UNBUILT) else held

    def popitem(self) -> tuple[str, Any]:
        last = list(self)[-1]
        return last, self.pop(last)

    def setdefault(self, key: str, default: Any = None) -> Any:
        super().setdefault(key, default)
        return self[key]

    def __eq__(self, other: object) -> bool:
        return self.as_dict() == (other.as_dict() if isinstance(other, ContextPackage) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __or__(self, other: Any) -> Any:
        return self.as_dict() | other

    def __ror__(self, other: Any) -> Any:
        return other | self.as_dict()

    def __repr__(self) -> str:
        return repr(self.as_dict())

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return (dict, (self.as_dict(),))  # a copy, or what goes to another process, is the plain package

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
            if super().get("package_hash") is _UNBUILT:
                self._own["package_hash"] = self._hash
                super().__setitem__("package_hash", self._hash)
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
