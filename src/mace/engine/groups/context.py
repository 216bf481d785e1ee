"""`m.context`: context stores and packages with the defaults of the settings."""

from collections.abc import Sequence
from typing import Annotated, TypeAlias, cast

from mace.core.answers import (
    ContextAppended,
    ContextCheck,
    ContextPackage,
    ContextRequest,
    ControllerVersion,
    Envelope,
    NewContextRecord,
)
from mace.engine.arguments import ByVerb, Count, Line, Progress, Text, Texts, Words
from mace.engine.groups.base import Group
from mace.engine.verbs import verb

MAX_LISTED = 100
_ENVELOPE = ByVerb("a bad value is answered with an envelope")
_Paths: TypeAlias = Annotated[Sequence[str], Texts(Text(4_096))]
_Records: TypeAlias = Annotated[str | NewContextRecord | Sequence[str | NewContextRecord], _ENVELOPE]


class ContextGroup(Group):
    """Packages with the defaults of the settings; appending to stores, and checking them."""

    @verb("context.read")
    def read(
        self,
        query: Words,
        *,
        stores: _Paths | None = None,
        budget_tokens: Count | None = None,
        per_item_tokens: Count | None = None,
        max_items: Count | None = None,
        now: Line | None = None,
        trust: Line | None = None,
        scorer: ControllerVersion | None = None,
        progress: Progress | None = None,
    ) -> ContextPackage | Envelope:
        """The package of a query: `memory_read` of what `request` makes of the same arguments."""
        request = self._parts.contexts.request(
            query,
            stores=stores,
            budget_tokens=budget_tokens,
            per_item_tokens=per_item_tokens,
            max_items=max_items,
            now=now,
            trust=trust,
            scorer=scorer,
        )
        package = self._parts.contexts.read(request, progress, only_listed=self._only_listed)
        return cast("ContextPackage | Envelope", package)

    @verb("context.request")
    def request(
        self,
        query: Words,
        *,
        stores: _Paths | None = None,
        budget_tokens: Count | None = None,
        per_item_tokens: Count | None = None,
        max_items: Count | None = None,
        now: Line | None = None,
        trust: Line | None = None,
        scorer: ControllerVersion | None = None,
    ) -> ContextRequest:
        """A request for `memory_read` and `memory_explain` that names everything; what is not given, as the settings
        say: stores, budget, limit per item (a quarter of the budget), number of items, scorer.
        """
        made = self._parts.contexts.request(
            query,
            stores=stores,
            budget_tokens=budget_tokens,
            per_item_tokens=per_item_tokens,
            max_items=max_items,
            now=now,
            trust=trust,
            scorer=scorer,
        )
        return cast(ContextRequest, made)

    @verb("context.append")
    def append(
        self,
        store: Annotated[str, _ENVELOPE],
        records: _Records,
        *,
        idempotency_key: Annotated[str | None, _ENVELOPE] = None,
    ) -> ContextAppended:
        """Append a text, a record or a list of these to a JSONL store: all of it durably, or nothing.

        At most 1,000 records and 1 MB as JSON. A record without `memory_id` gets one, one without `ts_utc` the time of
        now. Whatever personal data above low is found is cut out and put on the record: no erasure reaches a store. A
        retry with the same `idempotency_key` gives the first answer. Everybody but the owner appends only to what the
        settings `context_stores` and `context_roots` list.
        """
        answer = self._parts.appending.append(
            store,
            records,
            idempotency_key,
            path=self._parts.contexts.path_of(store),
            actor=self._by,
            only_listed=self._only_listed,
        )
        return cast(ContextAppended, answer)

    @verb("context.check")
    def check(
        self,
        store: Annotated[str, Text(4_096)],
        *,
        limit: Count = MAX_LISTED,
        progress: Progress | None = None,
    ) -> ContextCheck | Envelope:
        """Look at every line of a store: which are wrong, by number, and how, without repeating them.

        At most `limit` problems are listed; `more` says how many there are besides, `counts` how many of each kind.
        """
        found = self._parts.contexts.check(store, limit, progress, only_listed=self._only_listed)
        return cast("ContextCheck | Envelope", found)

    @property
    def _only_listed(self) -> bool:
        return not self._caller._is_owner
