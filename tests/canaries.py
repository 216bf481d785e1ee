"""Canaries: values that are planted somewhere, and the search that says where they went.

A value is looked for as it could lie in bytes: raw, without its separators, in hex, base64, UTF-16, percent-encoded,
and inside whatever was packed with gzip or zlib. It is looked for in every file of a place (and every row of a database
server), in every sealed row opened with the node's own keys, and, with `watching`, in everything that was sealed at all
while the watch was on. A search that finds nothing proves nothing: `tests/unit/test_canary_search.py` plants and finds.
"""

import base64
import json
import re
import urllib.parse
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import places
from mace.core.errors import Erased, IntegrityFailure
from mace.engine.facts.reads import sealed_as
from mace.engine.runtime import Mace
from mace.ledger import reflective
from mace.providers.forensic_box import HpkeBox
from mace.providers.keys import KeyFile
from mace.storage.ports import Tx

SSN = "536-22-8145"
SSN_SENTENCE = f"My social security number is {SSN}."  # high
PHONE = "212-555-0198"
PHONE_SENTENCE = f"Call me at {PHONE} tomorrow."  # medium
TOKEN = "ghp_" + "q7Zr2LmX9vBt4KsW8yHc3NdJ6fGp1TaE5uRo"  # high, one word
EMAIL = "canary.bird.77@gmail.com"  # medium, one word

_GZIP, _ZLIB = b"\x1f\x8b\x08", (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
_SHORTEST = 6  # bytes of a form that is looked for; a shorter one would be found by chance


class Leak(NamedTuple):
    """Where a canary was found, and which."""

    where: str
    canary: str


@cache
def forms(value: str) -> frozenset[bytes]:
    """The value as it could lie in bytes: raw, without separators, as a slug, and each in the usual encodings."""
    bare = value if "@" in value else re.sub(r"[ .-]", "", value)
    found: set[bytes] = set()
    for form in {value, bare, re.sub(r"[ .@-]+", "_", value).lower()}:
        raw = form.encode()
        found |= {raw, raw.hex().encode(), raw.hex().upper().encode()}
        found |= {form.encode("utf-16-le"), form.encode("utf-16-be")}
        found |= {urllib.parse.quote(form, safe="").encode(), json.dumps(form)[1:-1].encode()}
        for shift in range(3):  # wherever it stands in what was encoded
            for encode in (base64.b64encode, base64.urlsafe_b64encode):
                whole = encode(b"\x00" * shift + raw).rstrip(b"=")
                # The first and the last character may hold bits of what stands beside the value.
                found.add(whole[(0, 2, 3)[shift] : len(whole) if (shift + len(raw)) % 3 == 0 else -1])
    return frozenset(form for form in found if len(form) >= _SHORTEST)


def in_bytes(held: bytes, values: Iterable[str]) -> set[str]:
    """Which of the values lie in these bytes, packed parts included."""
    wanted = list(values)
    found = {value for value in wanted if any(form in held for form in forms(value))}
    for part in _packed(held):
        found |= {value for value in wanted if any(form in part for form in forms(value))}
    return found


def _packed(held: bytes) -> Iterator[bytes]:
    """Whatever in these bytes was packed with gzip or zlib, wherever it begins."""
    for start in (_GZIP, *_ZLIB):
        at = held.find(start)
        while at >= 0:
            stream = zlib.decompressobj(wbits=31 if start is _GZIP else 15)
            try:
                part = stream.decompress(held[at:])
            except zlib.error:
                part = b""
            if part:
                yield part
            at = held.find(start, at + 1)


def in_files(folder: Path, values: Iterable[str]) -> list[Leak]:
    """Every file below a folder whose bytes or name hold one of the values."""
    wanted = list(values)
    found = []
    for path in sorted(folder.rglob("*")):
        named = in_bytes(str(path.relative_to(folder)).encode(), wanted)
        held = in_bytes(path.read_bytes(), wanted) if path.is_file() else set()
        found += [Leak(str(path), value) for value in sorted(named | held)]
    return found


def in_rows(place: places.Place, values: Iterable[str]) -> list[Leak]:
    """Every row of the place's database that holds one of the values in any column."""
    wanted = list(values)
    found = []
    with place.sql(keep_triggers=True) as sql:
        for table in place.tables():
            for row in sql(f"select * from {table}"):
                held = b"\n".join(item if isinstance(item, bytes) else str(item).encode() for item in row)
                found += [Leak(f"a row of {table}", value) for value in sorted(in_bytes(held, wanted))]
    return found


def opened(m: Mace) -> Iterator[tuple[str, bytes]]:
    """Every sealed row that the node's own keys open, and what waits in the spill file: where, and which bytes."""
    parts = m._parts
    yield from parts.world.store.read(lambda tx: list(_sealed_rows(m, tx)))
    for number, entry in enumerate(parts.world.spill.entries()):
        yield f"spill entry {number}", json.dumps(entry).encode()
        if "sealed" in entry.get("payload", entry):
            inner = entry.get("payload", entry)
            plain = parts.world.keys.unseal_here(
                base64.b64decode(inner["sealed"]), f"queued_write/{inner['queued_id']}"
            )
            yield f"queued write {number}", plain
    for line in m.experience.export():
        yield "experience", line


def _sealed_rows(m: Mace, tx: Tx) -> Iterator[tuple[str, bytes]]:
    vault = m._parts.vault

    def open_(ref: str, sealed: bytes, context: str) -> bytes:
        try:
            return vault.unseal(tx, ref, sealed, context) or b""
        except (Erased, IntegrityFailure):
            return b""  # nobody can open it any more

    after = ""
    while blobs := tx.vault.scan_blobs(after):
        for ref, key_ref, sealed in blobs:
            yield ref, open_(key_ref, sealed, f"blob/{ref}")
        after = blobs[-1][0]
    after = ""
    while facts := tx.facts.scan(after):
        for fact in facts:
            context = sealed_as(fact.key, fact.version)
            yield fact.key, open_(fact.key_ref, fact.content, context) if fact.key_ref else fact.content
        after = facts[-1].key
    at = ("", 0)
    while history := tx.facts.scan_history(at):
        for past in history:
            context = sealed_as(past.key, past.version)
            yield f"{past.key} v{past.version}", open_(past.key_ref, past.content, context) if past.key_ref else b""
        at = (history[-1].key, history[-1].version)
    after = ""
    while logs := tx.logs.scan(after):
        for columns in logs:
            for name in reflective.sealed_fields(columns):
                held = json.loads(columns[name])
                if isinstance(held, dict) and "sealed" in held:
                    context = f"log/{columns['log_id']}/{name}"
                    yield context, open_(held["key"], base64.b64decode(held["sealed"]), context)
        after = logs[-1]["log_id"]
    for kind in reflective.PLAIN_KINDS:
        after = ""
        while beside := tx.records.scan(reflective.sealed_kind(kind), after):
            for record in beside:
                held = json.loads(record.body)
                context = f"record/{kind}/{record.key}"
                yield context, open_(held["key"], base64.b64decode(held["sealed"] or ""), context)
            after = beside[-1].key
    after = ""
    while turns := tx.records.scan("turn", after):
        for record in turns:
            held = json.loads(record.body)
            context = f"turn/{record.key}"
            yield context, open_(held["key"], base64.b64decode(held["sealed"]), context)
        after = turns[-1].key
    for person in tx.indexes.people():
        for number, key_ref, sealed in tx.indexes.parts(person):
            context = f"index/{person}/{number}"
            yield context, open_(key_ref, sealed, context)


def in_events(m: Mace, values: Iterable[str]) -> list[Leak]:
    """Every event that holds one of the values."""
    wanted = list(values)
    rows = m._parts.world.store.read(lambda tx: tx.events.scan(0, 1_000_000))
    held = [(row.stream, row.sequence_index, in_bytes(row.body, wanted)) for row in rows]
    return [Leak(f"event {stream}/{index}", value) for stream, index, found in held for value in sorted(found)]


def in_sealed(m: Mace, values: Iterable[str]) -> list[Leak]:
    """Every sealed row that, opened with the node's own keys, holds one of the values."""
    wanted = list(values)
    return [Leak(where, value) for where, plain in opened(m) for value in sorted(in_bytes(plain, wanted))]


def everywhere(m: Mace, place: places.Place, values: Iterable[str], *folders: Path) -> list[Leak]:
    """Every place where one of the values lies: events, sealed rows, rows of the database, files of the place."""
    wanted = list(values)
    found = [*in_events(m, wanted), *in_sealed(m, wanted), *in_rows(place, wanted)]
    for folder in {place.folder, Path(place.settings.checkpoint_dir), *folders}:
        found += in_files(folder, wanted)
    return found


@contextmanager
def watching() -> Iterator[list[tuple[str, bytes]]]:
    """All that is sealed while this is on, before it is sealed: what it is sealed as, and its bytes."""
    seen: list[tuple[str, bytes]] = []
    seal, seal_in_box = KeyFile.seal, HpkeBox.seal

    def watched(self: KeyFile, key: bytes, plain: bytes, context: str) -> bytes:
        seen.append((context, plain))
        return seal(self, key, plain, context)

    def watched_box(self: HpkeBox, public: str, plain: bytes, context: str) -> bytes:
        seen.append((context, plain))
        return seal_in_box(self, public, plain, context)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KeyFile, "seal", watched)
        patch.setattr(HpkeBox, "seal", watched_box)
        yield seen


def in_watched(seen: Iterable[tuple[str, bytes]], values: Iterable[str]) -> list[Leak]:
    """Whatever was sealed with one of the values in it."""
    wanted = list(values)
    return [Leak(f"sealed as {context}", value) for context, plain in seen for value in sorted(in_bytes(plain, wanted))]


def in_answer(answer: Any, values: Iterable[str]) -> set[str]:
    """Which of the values an answer or an exception repeats."""
    told = f"{answer!r} {answer} {getattr(answer, 'details', '')}"
    return in_bytes(told.encode("utf-8", "surrogatepass"), values)
