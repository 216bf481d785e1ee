"""The verb of context: a package from the stores, and its receipt on the ledger.

The stores are only read. A success leaves a receipt of metadata (hashes, paths, counts); what was selected stays with
the caller. A request that is wrong gets the same envelope every time.
"""

from collections.abc import Callable, Sequence
from errno import ESTALE
from typing import Any

from mace.engine.kernel.journal import VerbJournal
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.spilling import Spilling
from mace.memory.context import ContextPackage, Progress, Refusal, StoreReader, explain, read

_TRIES = 5  # of one read, while somebody rewrites a store in place
_PASSAGES = 5
_PASSAGE_TOKENS = 200
_ENOUGH = 0.5  # of the question's words must stand in a passage that is to answer it


class ContextVerbs:
    """Builds context packages from JSONL stores and records a receipt for each."""

    def __init__(self, recorder: Recorder, spilling: Spilling, reader: Callable[[], StoreReader]) -> None:
        self._recorder = recorder
        self._spilling = spilling
        self._make_reader = reader
        self._reader: StoreReader | None = None

    def _stores(self) -> StoreReader:
        self._reader = self._reader or self._make_reader()
        return self._reader

    def read(self, request: Any, progress: Progress | None = None) -> ContextPackage | dict[str, Any]:
        """Answer with the package and leave its receipt; or with the envelope of what is wrong."""
        package = self._package(request, progress)
        if isinstance(package, ContextPackage):
            journal = VerbJournal(self._recorder, "memory_read", self._recorder.fresh_seed())
            receipt = package.receipt()
            self._spilling.write("memory_read", lambda tx: journal.event(tx, "MEMORY_READ", receipt))
            return package
        return package

    def explain(self, request: Any, progress: Progress | None = None) -> dict[str, Any]:
        """Say what made each score, without building the package; leaves no receipt."""
        package = self._package(request, progress)
        return explain(package) if isinstance(package, ContextPackage) else package

    def _package(self, request: Any, progress: Progress | None = None) -> ContextPackage | dict[str, Any]:
        journal = VerbJournal(self._recorder, "memory_read", self._recorder.fresh_seed())
        try:
            found = self._read(request, progress)
        except OSError as error:  # the disk, not the request
            return journal.envelope("DATA_UNAVAILABLE", {"key": "a store", "reason": error.strerror or "read error"})
        if isinstance(found, Refusal):
            return journal.envelope(found.code, {"field": found.field, "reason": f"{found.field} {found.reason}"})
        return found

    def _read(self, request: Any, progress: Progress | None) -> ContextPackage | Refusal:
        """Read, and again if a store changed under the reading: the index is then looked at again first."""
        for _ in range(_TRIES - 1):
            try:
                return read(request, self._stores(), progress)
            except OSError as error:
                if error.errno != ESTALE:
                    raise
        return read(request, self._stores(), progress)

    def passages(self, query: str, store_paths: Sequence[str]) -> list[dict[str, Any]]:
        """The passages that may answer a question, best first: `{ref, text, score}`, the share of words they hold."""
        if not store_paths:
            return []
        request = {
            "query": query,
            "store_paths": list(store_paths),
            "budget": {
                "max_excerpt_tokens": _PASSAGES * _PASSAGE_TOKENS,
                "per_item_max_excerpt_tokens": _PASSAGE_TOKENS,
                "max_items": _PASSAGES,
            },
        }
        package = self._package(request)
        if not isinstance(package, ContextPackage) or not package.terms:
            return []
        found = []
        for item, score in zip(package.selected, package.scores, strict=True):
            share = round(len(set(score.terms)) / len(set(package.terms)), 9)
            if share >= _ENOUGH:
                found.append({"ref": item["memory_id"], "text": item["excerpt"], "score": share})
        return found
