"""An exported log: one JSON object per line, the signed bytes of each event standing in it as they are.

Pure. The first line names the log and holds the attestations of admins, if there are any; then come the events by
position, each as `{"hash":"...","signature":"...","event":{...}}` where everything after `"event":` up to the last
brace is the body that was hashed. Where an attestation stands in for lost events there is no line, and whoever verifies
is told of the loss. Nothing personal is in it: events hold hashes of what is personal.
"""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

from mace.core import canon
from mace.core.events import StoredEvent
from mace.ledger.checkpoint import BadNote, CheckEd25519, Checkpoint, open_note, origin_of, parse_verifier_key
from mace.ledger.findings import Attested, Finding, is_sealed
from mace.ledger.verify import EventWalk

FORMAT = "mace-log/1"
_LINE = re.compile(rb'\{"hash":"([0-9a-f]{64})","signature":"([\x21\x23-\x5b\x5d-\x7e]*)","event":(.*)\}')
_ALL_STREAMS = 1 << 40
_TOLD = ("attestation_id", "actor", "statement", "at")  # of an attestation, to whoever verifies


class NotAnExport(ValueError):
    """The file is not an exported log."""


def header_line(log_name: str, events: int, attestations: Sequence[dict[str, Any]] = ()) -> bytes:
    said = {"events": events, "format": FORMAT, "log_name": log_name}
    return canon.dumps({**said, "attestations": list(attestations)} if attestations else said) + b"\n"


def event_line(row: StoredEvent) -> bytes:
    return (b'{"hash":"' + row.hash.hex().encode() + b'","signature":"' + row.signature.encode() + b'","event":') + (
        row.body + b"}\n"
    )


def _rows(lines: Iterable[bytes], lost: Container[int]) -> Iterator[StoredEvent]:
    position = -1
    for number, line in enumerate(lines, 2):
        position += 1
        while position in lost:
            position += 1
        match = _LINE.fullmatch(line.rstrip(b"\r\n"))
        if match is None:
            raise NotAnExport(f"line {number} is not an event")
        digest, signature, body = match.groups()
        try:
            said = canon.loads_once(body)
            stream, index, identity, event_type = (
                said[name] for name in ("stream", "sequence_index", "event_id", "event_type")
            )
            if type(stream) is not str or type(index) is not int or index < 0 or type(event_type) is not str:
                raise ValueError
            columns = (stream, index, bytes.fromhex(identity), event_type)
        except (ValueError, KeyError, TypeError):
            # Bytes that are no event any more are a changed event, not a wrong file.
            columns = ("?", position, b"", "?")
        yield StoredEvent(position, *columns, body, bytes.fromhex(digest.decode()), signature.decode())


def verify(lines: Iterable[bytes], note: str, verifier_key: str, check: CheckEd25519) -> dict[str, Any]:
    """Check an exported log against a checkpoint with nothing but the public key (HMACs would need the server's)."""
    name, public_key = parse_verifier_key(verifier_key)
    log_name = name.removeprefix("mace/")
    checkpoint: Checkpoint = open_note(note, log_name, public_key, check)
    stream = iter(lines)
    header = _header(next(stream, b""))
    if origin_of(header["log_name"], 0) != name:
        raise BadNote("the export is of another log than the public key")
    sealed = [item for item in header["attestations"] if is_sealed(item, header["log_name"], public_key, check)]
    word = Attested()
    for item in sealed:
        word.add(item)
    walk = EventWalk(
        check=None,
        hash_before=lambda _stream, _index: None,
        checkpoints=[checkpoint],
        remembered_streams=_ALL_STREAMS,
        lost_leaf=word.lost_leaves.get,
    )
    findings: list[Finding] = []
    batch: list[StoredEvent] = []
    for row in _rows(stream, word.lost_leaves):
        batch.append(row)
        if len(batch) == 2000:
            findings.extend(walk.feed(batch))
            batch.clear()
    findings.extend(walk.feed(batch))
    findings.extend(_more_than_said(header["events"], walk.expected))
    findings.extend(walk.finish(header["events"]))
    shown = [{**finding.shown(), "attested": finding.finding_id in word.findings} for finding in findings]
    lost = sum(position < checkpoint.size for position in word.lost_leaves)
    return {
        "ok": all(item["attested"] for item in shown),
        "events": walk.events,
        "covered_by_checkpoint": min(checkpoint.size - lost, walk.events),
        "checkpoint": {"origin": checkpoint.origin, "size": checkpoint.size, "root": checkpoint.root.hex()},
        "findings": shown,
        "attestations": [{name: item[name] for name in _TOLD} for item in sealed],
    }


def _more_than_said(said: int, found: int) -> Iterator[Finding]:
    """More events than the first line counts: lines were added, or the count was changed. The walk finds fewer."""
    if found > said:
        where = {"table": "export", "said": said, "found": found}
        yield Finding("COLUMN_MISMATCH", where, f"the first line counts {said} events, {found} follow")


def _header(line: bytes) -> dict[str, Any]:
    try:
        header = canon.loads_once(line)
    except ValueError:
        raise NotAnExport("not an exported log") from None
    fields = header if isinstance(header, dict) else {}
    good = isinstance(fields.get("log_name"), str) and type(fields.get("events")) is int
    words = fields.get("attestations", [])
    if fields.get("format") != FORMAT or not good or not isinstance(words, list):
        raise NotAnExport(f"not an exported log of format {FORMAT}")
    return {**fields, "attestations": words}
