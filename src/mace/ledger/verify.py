"""Verification: walk every event, believe nothing but the bytes.

Pure: rows come in, findings come out; what must be looked up is passed in. Memory does not grow with the log: the last
hashes of recent streams are remembered and the rest is asked for. Nothing is serialised again; hashes are over the
stored bytes, then the columns are compared with what those bytes say.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any

import orjson

from mace.core.events import GENESIS_HASH, StoredEvent
from mace.core.purposes import Check, Purpose
from mace.core.trust import Standing, Trust
from mace.ledger.checkpoint import Checkpoint
from mace.ledger.findings import Finding, changed_event
from mace.ledger.tree import Frontier

REMEMBERED_STREAMS = 50_000


class EventWalk:
    """Feed it all events in the order of their positions, then `finish`."""

    def __init__(
        self,
        *,
        check: Check | None,
        trust: Callable[[], Trust] | None = None,
        counts_at: Callable[[str, int], bool] | None = None,
        hash_before: Callable[[str, int], tuple[int, bytes] | None],
        checkpoints: Iterable[Checkpoint],
        look_at: Callable[[StoredEvent, dict[str, Any]], Iterable[Finding]] | None = None,
        lost_leaf: Callable[[int], bytes | None] | None = None,
        remembered_streams: int = REMEMBERED_STREAMS,
        good_before: Callable[[str, int], tuple[int, bytes] | None] | None = None,
    ) -> None:
        self._good_before = good_before
        self._check = check
        self._trust = trust
        self._counts_at = counts_at
        self._usual = ""  # how signatures begin up to the position below
        self._until: int | None = 0
        self._hash_before = hash_before
        self._look_at = look_at
        self._lost_leaf = lost_leaf
        self._remembered = remembered_streams
        self._checkpoints = iter(checkpoints)
        self._due = next(self._checkpoints, None)
        self._last: OrderedDict[str, tuple[int, int, str]] = OrderedDict()  # stream: index, position, hash
        self._holes = False
        self._contradiction = False
        self.frontier = Frontier()
        self.expected = 0
        self.events = 0

    def feed(self, rows: list[StoredEvent]) -> Iterator[Finding]:
        check, last, append = self._check, self._last, self.frontier.append
        loads, hash_of, remembered, event_purpose = orjson.loads, sha256, self._remembered, Purpose.EVENT
        for row in rows:
            position, stream, index, body, digest = (
                row.position,
                row.stream,
                row.sequence_index,
                row.body,
                row.hash,
            )
            if position < 0:  # nothing was ever written there, and nothing follows from it
                yield changed_event("ORDER_CHANGED", row, f"position {position} is before the first")
                continue
            if position != self.expected:
                yield from self._gap(position) if position > self.expected else self._twice(row)
            self.expected = position + 1
            self.events += 1
            bad: str | None = None
            if hash_of(body).digest() != digest:
                bad = "CONTENT_CHANGED"
            elif check is not None and not check(event_purpose, digest, row.signature):
                bad = "BAD_SIGNATURE"
            else:
                if self._until is not None and position >= self._until:
                    self._look_at_keys(position)
                if not row.signature.startswith(self._usual):
                    unusual = self._unusual(row)
                    if unusual is not None:
                        yield changed_event(unusual, row, f"event {index} of stream {stream} (position {position})")
            if bad:
                yield changed_event(bad, row, f"event {index} of stream {stream} (position {position})")
            else:
                try:
                    said = loads(body)
                    prev_hash = said["prev_hash"]
                    agrees = (
                        said["sequence_index"] == index
                        and said["stream"] == stream
                        and said["event_type"] == row.event_type
                        and said["event_id"] == row.event_id.hex()
                        and hash_of(f"{said['job_seed']}{index}{row.event_type}".encode()).digest() == row.event_id
                        and type(said["payload"]) is dict
                    )
                except (ValueError, KeyError, TypeError):  # well hashed, but no event at all
                    said, prev_hash, agrees = None, None, False
                if not agrees:
                    yield changed_event("COLUMN_MISMATCH", row, f"columns of position {position}")
                before = last.get(stream)
                if said is None:
                    pass
                elif index == 0:
                    if prev_hash != GENESIS_HASH:
                        yield changed_event("CHAIN_BROKEN", row, f"first event of stream {stream}")
                elif before is not None and before[0] == index - 1:
                    if prev_hash != before[2] and not self._passes_over(row, prev_hash):
                        yield changed_event("CHAIN_BROKEN", row, f"event {index} of stream {stream}")
                else:
                    yield from self._from_store(row, prev_hash)
                if agrees and self._look_at is not None:
                    yield from self._look_at(row, said)
            last[stream] = (index, position, digest.hex())
            if len(last) > remembered:
                last.popitem(last=False)
            append(digest)
            if self._due is not None and self.expected >= self._due.size:
                yield from self._compare()

    def _look_at_keys(self, position: int) -> None:
        key, self._until = (None, None) if self._trust is None else self._trust().in_force(position)
        self._usual = f"{key}.{Purpose.EVENT}:" if key else "" if self._trust is None else "?"

    def _unusual(self, row: StoredEvent) -> str | None:
        """A signature by another key than the one that signs there; keys may have changed since the walk began."""
        if self._counts_at is None or self._trust is None or self._counts_at(row.signature, row.position):
            return None
        standing = self._trust().standing(row.signature.partition(":")[0], row.position)
        return "KEY_RETIRED" if standing is Standing.RETIRED else "BAD_SIGNATURE"

    @property
    def wants_more(self) -> bool:
        """A kept checkpoint has more events than were fed: they were appended meanwhile, or they are gone."""
        return self._due is not None

    def _from_store(self, row: StoredEvent, prev_hash: Any) -> Iterator[Finding]:
        """The event before was not just seen: ask for it."""
        found = self._hash_before(row.stream, row.sequence_index - 1)
        if found is None:
            yield Finding(
                "ROW_MISSING",
                {"table": "events", "stream": row.stream, "sequence_index": row.sequence_index - 1},
                f"event {row.sequence_index - 1} of stream {row.stream} is gone",
            )
        elif found[0] > row.position and not self._passes_over(row, prev_hash):
            yield changed_event("ORDER_CHANGED", row, f"event {row.sequence_index} of stream {row.stream}")
        elif found[1].hex() != prev_hash and not self._passes_over(row, prev_hash):
            yield changed_event("CHAIN_BROKEN", row, f"event {row.sequence_index} of stream {row.stream}")

    def _passes_over(self, row: StoredEvent, prev_hash: Any) -> bool:
        """Say whether it follows from the last good event of its stream: what a stranger put between is nobody's."""
        found = None if self._good_before is None else self._good_before(row.stream, row.sequence_index)
        return found is not None and found[0] < row.position and found[1].hex() == prev_hash

    def _gap(self, position: int) -> Iterator[Finding]:
        first = self.expected
        while self.expected < position:
            leaf = self._lost_leaf(self.expected) if self._lost_leaf is not None and not self._holes else None
            if leaf is None:
                self._holes = True
                self.expected = position
            else:
                self.frontier.append(leaf)
                self.expected += 1
            yield from self._compare()
        yield Finding(
            "ROW_MISSING",
            {"table": "events", "position": first, "count": position - first},
            f"no event at position {first}" + (f" to {position - 1}" if position > first + 1 else ""),
        )

    def _twice(self, row: StoredEvent) -> Iterator[Finding]:
        """Only a table without its key can hold a position twice."""
        self._holes = True
        yield changed_event("ORDER_CHANGED", row, f"position {row.position} is there twice")

    def _compare(self) -> Iterator[Finding]:
        """Compare with every checkpoint of this size; a hole already found makes roots meaningless."""
        while self._due is not None and self._due.size <= self.expected:
            due, self._due = self._due, next(self._checkpoints, None)
            if due.size == self.expected and not self._holes and self.frontier.root() != due.root:
                self._holes = self._contradiction = True  # every later root differs too: one finding is enough
                yield Finding(
                    "TREE_MISMATCH",
                    self._contradicted(due),
                    f"the first {due.size} events are not those the checkpoint of that size was made of",
                )

    @staticmethod
    def _contradicted(checkpoint: Checkpoint) -> dict[str, Any]:
        """A log that was cut and went on is found as a mismatch later: both name the first checkpoint they deny."""
        return {
            "table": "events",
            "checkpoint_size": checkpoint.size,
            "checkpoint_root": checkpoint.root.hex(),
        }

    def finish(self, size: int | None = None) -> Iterator[Finding]:
        """Call it when all rows were fed; `size` is how many the store says there are."""
        if size is not None and size > self.expected:
            yield from self._gap(size)
        first = newest = self._due
        while self._due is not None:
            if newest is None or self._due.size > newest.size:
                newest = self._due
            self._due = next(self._checkpoints, None)
        if first is not None and newest is not None and newest.size > self.expected and not self._contradiction:
            yield Finding(
                "LOG_CUT",
                self._contradicted(first),
                f"a kept checkpoint has {newest.size} events, the log has {self.expected}: "
                f"{newest.size - self.expected} are gone",
            )
