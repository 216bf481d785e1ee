"""Where planted words went: every row of the store, sealed ones opened with the node's own keys.

Answers say in which table and row, in which form, whether it lies there sealed, and under whose key; never what stands
around it. The words are kept nowhere. That sealed rows were opened is on the record before the first one is.
"""

import base64
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

from mace.core import canon
from mace.core.errors import Erased, IntegrityFailure, MaceError
from mace.core.turn_ids import KIND as TURN_KIND
from mace.engine.experience import rows as megram_rows
from mace.engine.experience.changes import asked_name
from mace.engine.experience.contents import Contents
from mace.engine.facts.reads import read_past, sealed_as
from mace.engine.governance.approvals import reason_context
from mace.engine.governance.forensics import Forensics
from mace.engine.kernel import evidence
from mace.engine.kernel.vault import Vault
from mace.engine.kernel.world import World
from mace.governance.canaries import Needles
from mace.ledger.reflective import PLAIN_KINDS, sealed_fields, sealed_kind
from mace.storage.experience_ports import MegramRow
from mace.storage.ports import Tx

_EVENTS_AT_ONCE = 2000
_FORENSIC = "forensic/"
Progress = Callable[[int, int], None]  # rows looked at, rows in all as far as that is known
Finding = dict[str, Any]


class CanarySearch:
    """Looks for words in the rows of the store."""

    def __init__(
        self,
        world: World,
        vault: Vault,
        forensics: Forensics,
        megrams: Callable[[str], list[MegramRow]],  # all of them, by id, after one
    ) -> None:
        self._world = world
        self._vault = vault
        self._contents = Contents(world.keys, vault)
        self._forensics = forensics
        self._megrams = megrams

    def search(
        self, words: Sequence[str], by: str, *, purpose: str, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Look for the words in every row; `{findings, rows, unopened}`."""
        needles = Needles(words)
        self._forensics.check_purpose(purpose)
        which = f"{len(words)} words"  # not the words themselves
        self._world.store.write(lambda tx: self._forensics.accessed(tx, by, "canary_search", which, purpose))
        found: list[Finding] = []
        seen = unopened = 0
        in_all = self._world.store.read(lambda tx: tx.events.size())
        for table, row, data, person in self._everything():
            seen += 1
            if data is None:
                unopened += 1
                continue
            sealed = person is not None
            for hit in sorted(needles.find(data), key=lambda hit: (hit.word, hit.form)):
                where = {"table": table, "row": row}
                found.append(
                    {
                        "word": hit.word,
                        "place": "row",
                        "where": where,
                        "form": hit.form,
                        "sealed": sealed,
                        "person": person or None,
                    }
                )
            if progress is not None and seen % 500 == 0:
                progress(seen, max(in_all, seen))
        return {"findings": found, "rows": seen, "unopened": unopened}

    def _everything(self) -> Iterator[tuple[str, str, bytes | None, str | None]]:
        """Table, row, bytes (None: sealed, and nobody here can open it) and whose: None plain, empty the node's."""
        yield from self._events()
        for table, scan in _SCANS.items():
            yield from self._paged(table, scan)
        yield from self._sealed_logs()
        yield from self._beside_logs()
        yield from self._reasons()
        yield from self._turns()
        yield from self._index_parts()
        yield from self._blobs()
        yield from self._facts()
        yield from self._history()
        yield from self._experience()
        yield from self._spilled()

    def _events(self) -> Iterator[tuple[str, str, bytes | None, str | None]]:
        start = 0
        while page := self._world.store.read(lambda tx, start=start: tx.events.scan(start, _EVENTS_AT_ONCE)):  # type: ignore[misc]
            for event in page:
                yield "events", str(event.position), event.body + event.signature.encode(), None
                if b'"key_refs"' in event.body:
                    yield from self._in_event(str(event.position), event.body)
            start = page[-1].position + 1

    def _in_event(self, position: str, body: bytes) -> Iterator[tuple[str, str, bytes | None, str | None]]:
        """Whatever an event holds sealed: Megrams, rules made of them, what an engine was asked."""
        try:
            payload = canon.loads(body)["payload"]
            held = list(_with_keys(payload))
        except (ValueError, LookupError, TypeError):
            yield "events", position, None, ""  # damaged, which verification names
            return
        for item in held:
            try:
                if "content" in item:
                    name = str(item["id"])
                    sealed = megram_rows.from_json(item, 0).content
                else:
                    name = asked_name(payload["change_id"])
                    sealed = base64.b64decode(item["sealed"])
            except (ValueError, LookupError, TypeError):
                yield "events", position, None, ""
                continue
            yield from self._opened_words("events", f"{position}/{name}", sealed, item["key_refs"], name)

    def _paged(
        self, table: str, scan: Callable[[Tx, Any], list[Any]]
    ) -> Iterator[tuple[str, str, bytes | None, str | None]]:
        after: Any = None
        while page := self._world.store.read(lambda tx, after=after: scan(tx, after)):  # type: ignore[misc]
            for row in page:
                values = _values(row)
                yield table, _name(table, values), b"\n".join(map(_bytes, values)), None
            after = _after(table, _values(page[-1]))

    def _sealed_logs(self) -> Iterator[tuple[str, str, bytes | None, str | None]]:
        after = ""
        while page := self._world.store.read(lambda tx, after=after: tx.logs.scan(after)):  # type: ignore[misc]
            for columns in page:
                log_id = columns["log_id"]
                try:
                    fields = {name: canon.loads(columns[name]) for name in sealed_fields(columns)}
                except (ValueError, LookupError, TypeError):
                    yield "reflective_logs", log_id, None, ""  # damaged, which verification names
                    continue
                for name, held in fields.items():
                    yield from self._opened_text("reflective_logs", f"{log_id}/{name}", held, f"log/{log_id}/{name}")
            after = page[-1]["log_id"]

    def _beside_logs(self) -> Iterator[tuple[str, str, bytes | None, str | None]]:
        """Amendments, feedback, labels and tags."""
        for kind in PLAIN_KINDS:
            stored_as, after = sealed_kind(kind), ""
            while page := self._world.store.read(
                lambda tx, stored_as=stored_as, after=after: tx.records.scan(stored_as, after)  # type: ignore[misc]
            ):
                for record in page:
                    try:
                        held = canon.loads(record.body)
                    except ValueError:
                        held = None
                    name = f"{stored_as}/{record.key}"
                    yield from self._opened_text("records", name, held, f"record/{kind}/{record.key}")
                after = page[-1].key

    def _reasons(self) -> Iterator[tuple[str, str, bytes | None, str | None]]:
        """Reasons of votes on requests of people."""
        after = ""
        while page := self._world.store.read(lambda tx, after=after: tx.records.scan("vote", after)):  # type: ignore[misc]
            for record in page:
                try:
                    held = canon.loads(record.body).get("reason")
                except (ValueError, AttributeError):
                    continue  # damaged, which verification names
                if isinstance(held, dict):
                    context = reason_context(record.key)
                    yield from self._opened_text("records", f"vote/{record.key}", held, context)
            after = page[-1].key

    def _turns(self) -> Iterator[tuple[str, str, bytes | None, str | None]]:
        """What was said in conversations."""
        after = ""
        while page := self._world.store.read(lambda tx, after=after: tx.records.scan(TURN_KIND, after)):  # type: ignore[misc]
            for record in page:
                try:
                    held = canon.loads(record.body)
                except ValueError:
                    held = None
                name = f"{TURN_KIND}/{record.key}"
                yield from self._opened_text("records", name, held, name)
            after = page[-1].key

    def _index_parts(self) -> Iterator[tuple[str, str, bytes | None, str | None]]:
        """Indexes over what was said, which are sealed as well."""
        after = ""
        while page := self._world.store.read(lambda tx, after=after: tx.indexes.people(after)):  # type: ignore[misc]
            for person in page:
                parts = self._world.store.read(lambda tx, person=person: tx.indexes.parts(person))  # type: ignore[misc]
                for number, ref, sealed in parts:
                    name = f"{person}/{number}"
                    yield "recall_indexes", name, b"\n".join((name.encode(), ref.encode(), sealed)), None
                    yield from self._opened("recall_indexes", name, ref, sealed, f"index/{person}/{number}")
            after = page[-1]

    def _opened_text(
        self, table: str, row: str, held: Any, context: str
    ) -> Iterator[tuple[str, str, bytes | None, str | None]]:
        """What a member `{key, sealed}` holds; one that was never sealed, or is damaged, cannot be opened."""
        try:
            ref, sealed = str(held["key"]), base64.b64decode(held["sealed"])
        except (ValueError, LookupError, TypeError):
            yield table, row, None, ""
            return
        yield from self._opened(table, row, ref, sealed, context)

    def _blobs(self) -> Iterator[tuple[str, str, bytes | None, str | None]]:
        after = ""
        while page := self._world.store.read(lambda tx, after=after: tx.vault.scan_blobs(after)):  # type: ignore[misc]
            for ref, key_ref, sealed in page:
                if ref.startswith(_FORENSIC):
                    yield self._evidence(ref)
                    continue
                yield from self._opened("vault_blobs", ref, key_ref, sealed, f"blob/{ref}")
            after = page[-1][0]

    def _evidence(self, ref: str) -> tuple[str, str, bytes | None, str | None]:
        """An entry of the forensic store; one that is sealed to the forensic key cannot be opened here."""

        def look(tx: Tx) -> tuple[bytes | None, str]:
            record = tx.records.get("forensic_entry", ref.removeprefix(_FORENSIC))
            entry = None if record is None else canon.loads(record.body)
            if entry is None or entry["forensic_key"] is not None:
                return None, ""
            return evidence.opened(tx, self._vault, entry), next(iter(entry.get("people", ())), "")

        try:
            plain, owner = self._if_readable(look, (None, ""))
        except (ValueError, LookupError, TypeError):
            plain, owner = None, ""  # the row was changed, which verification names
        return "vault_blobs", ref, plain, owner

    def _facts(self) -> Iterator[tuple[str, str, bytes | None, str | None]]:
        after = ""
        while page := self._world.store.read(lambda tx, after=after: tx.facts.scan(after)):  # type: ignore[misc]
            for fact in page:
                if fact.key_ref and not fact.deleted:
                    context = sealed_as(fact.key, fact.version)
                    yield from self._opened("facts", fact.key, fact.key_ref, fact.content, context)
            after = page[-1].key

    def _history(self) -> Iterator[tuple[str, str, bytes | None, str | None]]:
        after = ("", 0)
        while page := self._world.store.read(lambda tx, after=after: tx.facts.scan_history(after)):  # type: ignore[misc]
            for past in page:
                if past.key_ref:

                    def look(tx: Tx, past: Any = past) -> tuple[dict[str, Any] | None, str]:
                        return read_past(self._vault, tx, past), self._owner(tx, past.key_ref)

                    content, owner = self._if_readable(look, (None, ""))
                    name = f"{past.key}@{past.version}"
                    yield "sem_history", name, None if content is None else canon.dumps(content), owner
            after = (page[-1].key, page[-1].version)

    def _experience(self) -> Iterator[tuple[str, str, bytes | None, str | None]]:
        after = ""
        try:
            while page := self._megrams(after):
                for row in page:
                    yield from self._opened_megram("megrams", row.megram_id, row)
                after = page[-1].megram_id
        except MaceError:  # another process holds that store; what is on the ledger was looked at
            yield "megrams", after, None, ""

    def _spilled(self) -> Iterator[tuple[str, str, bytes | None, str | None]]:
        for entry in self._world.spill.entries():
            name = str(entry["spill_id"])
            yield "spill file", name, canon.dumps(entry), None
            if "sealed" in entry:
                try:
                    sealed = base64.b64decode(entry["sealed"])
                    yield "spill file", name, self._world.keys.unseal_here(sealed, f"queued_write/{name}"), ""
                except IntegrityFailure:
                    yield "spill file", name, None, ""

    def _opened(
        self, table: str, row: str, ref: str, sealed: bytes, context: str
    ) -> Iterator[tuple[str, str, bytes | None, str | None]]:
        def look(tx: Tx) -> tuple[bytes | None, str]:
            return self._vault.unseal(tx, ref, sealed, context), self._owner(tx, ref)

        plain, owner = self._if_readable(look, (None, ""))
        yield table, row, plain, owner

    def _opened_megram(
        self, table: str, name: str, row: MegramRow
    ) -> Iterator[tuple[str, str, bytes | None, str | None]]:
        yield table, name, "\n".join((row.space, row.entity)).encode(), None
        if row.key_refs:
            yield from self._opened_words(table, name, row.content, row.key_refs, row.megram_id)

    def _opened_words(
        self, table: str, name: str, sealed: bytes, refs: Sequence[str], sealed_as_: str
    ) -> Iterator[tuple[str, str, bytes | None, str | None]]:
        """Words of experience, which lie under the keys of everybody they are of."""

        def look(tx: Tx) -> tuple[str | None, str]:
            owners = [self._owner(tx, ref) for ref in refs]
            return self._contents.unseal(tx, sealed, refs, sealed_as_), next(filter(None, owners), "")

        words, owner = self._if_readable(look, (None, ""))
        yield table, name, None if words is None else words.encode(), owner

    def _if_readable(self, look: Callable[[Tx], Any], otherwise: Any) -> Any:
        try:
            return self._world.store.read(look)
        except (Erased, IntegrityFailure):  # gone by right, or damaged, which verification names
            return otherwise

    @staticmethod
    def _owner(tx: Tx, ref: str) -> str:
        """Whose key this is; empty for the node's own."""
        held = tx.vault.key(ref)
        return "" if held is None else held[0].removeprefix("person/")


# How each table is read page by page, by what its last row was.
_SCANS: dict[str, Callable[[Tx, Any], list[Any]]] = {
    "records": lambda tx, after: tx.records.scan_all(after or ("", "")),
    "reflective_logs": lambda tx, after: tx.logs.scan(after or ""),
    "notes": lambda tx, after: tx.notes.scan(after or ""),
    "facts": lambda tx, after: tx.facts.scan(after or ""),
    "sem_history": lambda tx, after: tx.facts.scan_history(after or ("", 0)),
    "key_registry": lambda tx, after: tx.registry.scan(after or ""),
    "aliases": lambda tx, after: tx.aliases.scan(after or ""),
    "idempotency": lambda tx, after: tx.idempotency.scan(after or ""),
    "jobs": lambda tx, after: tx.jobs.scan(after or ""),
    "vault_keys": lambda tx, after: tx.vault.scan_keys(after or ""),
}


def _with_keys(value: Any) -> Iterator[dict[str, Any]]:
    """Every object in a payload that is sealed under keys it names."""
    if isinstance(value, dict):
        if value.get("key_refs"):
            yield value
        for item in value.values():
            yield from _with_keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from _with_keys(item)


def _values(row: Any) -> list[Any]:
    if isinstance(row, dict):
        return [row["log_id"], *(value for name, value in row.items() if name != "log_id")]
    return list(asdict(row).values()) if is_dataclass(row) and not isinstance(row, type) else list(row)


def _name(table: str, values: list[Any]) -> str:
    match table:
        case "records":
            return f"{values[0]}/{values[1]}"
        case "sem_history":
            return f"{values[0]}@{values[1]}"
    return str(values[0])


def _after(table: str, values: list[Any]) -> Any:
    return (values[0], values[1]) if table in ("records", "sem_history") else values[0]


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
