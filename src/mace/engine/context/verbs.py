"""The verbs that read context: a package from the stores with its receipt on the ledger, and a check of a store.

The stores are only read here. A success leaves a receipt of metadata (hashes, paths, counts), without personal data;
what was selected stays with the caller. A request that is wrong gets the same envelope every time.
"""

from collections.abc import Callable, Sequence
from errno import EINVAL, EISDIR, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR, ESTALE
from typing import Any

from mace.engine.context.naming import path_on_ledger
from mace.engine.kernel.journal import VerbJournal
from mace.engine.kernel.privacy import screen
from mace.engine.kernel.recorder import Recorder
from mace.engine.kernel.spilling import Spilling
from mace.memory.context import (
    STOPWORDS,
    ContextDefaults,
    ContextPackage,
    Progress,
    Refusal,
    StoreReader,
    explain,
    query_hash,
    read,
    stem,
    words_of,
)
from mace.memory.context.checking import checked
from mace.memory.context.defaults import whole_request
from mace.providers.ports import Keys

_NO_FILE = (EINVAL, EISDIR, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR)  # the path is wrong, not the disk
_TRIES = 5  # of one read, while somebody rewrites a store in place
_PASSAGES = 5
_PASSAGE_TOKENS = 200
_ENOUGH = 0.5  # of the question's words must stand in a passage that is to answer it


_NO_SETTINGS = ContextDefaults()


class ContextVerbs:
    """Builds context packages from JSONL stores and records a receipt for each."""

    def __init__(
        self,
        keys: Keys,
        recorder: Recorder,
        spilling: Spilling,
        reader: Callable[[], StoreReader],
        listed: Sequence[str] = (),
        defaults: ContextDefaults = _NO_SETTINGS,
        of_people: Sequence[str] = (),
    ) -> None:
        self._keys = keys
        self._recorder = recorder
        self._spilling = spilling
        self._make_reader = reader
        self._listed = listed  # stores, and folders of stores, for callers who are not the owner
        self._defaults = defaults
        self._of_people = of_people  # stores that belong to one person each: never for other callers
        self._reader: StoreReader | None = None

    def _stores(self) -> StoreReader:
        self._reader = self._reader or self._make_reader()
        return self._reader

    def read(
        self, request: Any, progress: Progress | None = None, *, only_listed: bool = False
    ) -> ContextPackage | dict[str, Any]:
        """Answer with the package and leave its receipt; or with the envelope of what is wrong."""
        package = self._package(request, progress, only_listed)
        if isinstance(package, ContextPackage):
            journal = VerbJournal(self._recorder, "memory_read", self._recorder.fresh_seed())
            receipt = self._without_personal_data(package.receipt(), request["query"])
            self._spilling.write("memory_read", lambda tx: journal.event(tx, "MEMORY_READ", receipt))
            return package
        return package

    def _without_personal_data(self, receipt: dict[str, Any], query: str) -> dict[str, Any]:
        """A receipt as it may stand on the ledger: the hash of a query with personal data could be guessed back."""
        data = dict(receipt["data"])
        passed = screen(self._keys, query, "")
        if passed.flags:
            data["query_hash"] = query_hash(passed.value)
        data["store_paths"] = [path_on_ledger(self._keys, path) for path in data["store_paths"]]
        return {**receipt, "data": data}

    def explain(self, request: Any, progress: Progress | None = None, *, only_listed: bool = False) -> dict[str, Any]:
        """Say what made each score, without building the package; leaves no receipt."""
        package = self._package(request, progress, only_listed)
        return explain(package) if isinstance(package, ContextPackage) else package

    def _package(
        self, request: Any, progress: Progress | None = None, only_listed: bool = False
    ) -> ContextPackage | dict[str, Any]:
        journal = VerbJournal(self._recorder, "memory_read", self._recorder.fresh_seed())
        try:
            found = self._read(request, progress, self._confined() if only_listed else self._stores())
        except OSError as error:  # the disk, not the request
            return journal.envelope("DATA_UNAVAILABLE", {"key": "a store", "reason": error.strerror or "read error"})
        if isinstance(found, Refusal):
            return journal.envelope(found.code, {"field": found.field, "reason": f"{found.field} {found.reason}"})
        return found

    def _confined(self) -> StoreReader:
        from mace.engine.context.confined import ConfinedReader

        return ConfinedReader(self._stores(), self._listed, self._of_people)

    def _read(self, request: Any, progress: Progress | None, stores: StoreReader) -> ContextPackage | Refusal:
        """Read, and again if a store changed under the reading: the index is then looked at again first."""
        for _ in range(_TRIES - 1):
            try:
                return read(request, stores, progress)
            except OSError as error:
                if error.errno != ESTALE:
                    raise
        return read(request, stores, progress)

    def request(self, query: str, **given: Any) -> dict[str, Any]:
        """A request that names everything: what was given, the rest from the settings."""
        return whole_request(self._defaults, query, **given)

    def path_of(self, store: Any) -> str:
        """A store as packages name it."""
        return self._stores().normalised(store) if isinstance(store, str) else ""

    def check(
        self, store: str, limit: int, progress: Progress | None = None, *, only_listed: bool = False
    ) -> dict[str, Any]:
        """Look at every line of a store; say which are wrong, by number, and how. Leaves no receipt."""
        journal = VerbJournal(self._recorder, "context.check", self._recorder.fresh_seed())
        stores = self._confined() if only_listed else self._stores()
        try:
            lines = stores.lines(store, progress)
            return {"store_path": stores.normalised(store), **checked(lines, limit)}
        except OSError as error:
            if error.errno in _NO_FILE:
                reason = f"store cannot be read: {error.strerror}"
                return journal.envelope("INVALID_INPUT", {"field": "store", "reason": reason})
            return journal.envelope("DATA_UNAVAILABLE", {"key": "a store", "reason": error.strerror or "read error"})

    def passages(self, query: str, store_paths: Sequence[str]) -> list[dict[str, Any]]:
        """The passages that may answer a question, best first: `{ref, text, score}`, the share of words they hold.

        Found by `phase7-v1`. Words that say nothing by themselves (`what`, `is`, `the`) do not count, nor do marks and
        endings: every passage holds the former.
        """
        terms = {stem(word) for word in words_of(query) if word not in STOPWORDS}
        if not store_paths or not terms:
            return []
        request = {
            "query": query,
            "store_paths": list(store_paths),
            "budget": {
                "max_excerpt_tokens": _PASSAGES * _PASSAGE_TOKENS,
                "per_item_max_excerpt_tokens": _PASSAGE_TOKENS,
                "max_items": _PASSAGES,
            },
            "controller_version": "phase7-v1",
        }
        package = self._package(request)
        if not isinstance(package, ContextPackage):
            return []
        found = []
        for item in package.selected:
            share = round(len(terms & {stem(word) for word in words_of(item["excerpt"])}) / len(terms), 9)
            if share >= _ENOUGH:
                found.append({"ref": item["memory_id"], "text": item["excerpt"], "score": share})
        return found
