"""An exported log is checked by a stranger: lines, a checkpoint, a public key, and nothing else."""

from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from ledger_rows import head_of, log, signed_again
from mace.core import canon
from mace.core.events import StoredEvent
from mace.ledger import checkpoint, export
from mace.ledger.checkpoint import BadNote
from mace.providers.keys import check_ed25519

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PUBLIC = KEY.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
VERIFIER = checkpoint.verifier_key("abc", PUBLIC)
ROWS = log(40)


def note(rows: list[StoredEvent] = ROWS, size: int = 40) -> str:
    return checkpoint.sign(head_of(rows, size, "mace/abc"), PUBLIC, KEY.sign)


def lines(rows: list[StoredEvent] = ROWS, events: int | None = None) -> list[bytes]:
    header = export.header_line("abc", len(rows) if events is None else events)
    return [header, *(export.event_line(row) for row in rows)]


def check(written: list[bytes], of: str | None = None) -> dict[str, object]:
    return export.verify(written, note() if of is None else of, VERIFIER, check_ed25519)


def kinds(answer: dict[str, object]) -> list[str]:
    return [finding["kind"] for finding in answer["findings"]]  # type: ignore[attr-defined, index]


def test_a_whole_export_is_good():
    answer = check(lines())
    assert answer["ok"] is True
    assert answer["events"] == answer["covered_by_checkpoint"] == 40
    assert answer["checkpoint"] == {
        "origin": "mace/abc",
        "size": 40,
        "root": head_of(ROWS, 40).root.hex(),
    }


def test_the_signed_bytes_stand_in_the_line_as_they_are():
    line = export.event_line(ROWS[3])
    assert line.endswith(b',"event":' + ROWS[3].body + b"}\n")
    assert canon.loads(line)["hash"] == ROWS[3].hash.hex()


@pytest.mark.parametrize(
    ("said", "found"),
    [(40, []), (39, ["COLUMN_MISMATCH"]), (0, ["COLUMN_MISMATCH"]), (-1, ["COLUMN_MISMATCH"]), (41, ["ROW_MISSING"])],
)
def test_the_first_line_counts_what_follows_no_more_and_no_fewer(said: int, found: list[str]):
    assert kinds(check(lines(events=said))) == found


def test_lines_may_end_as_windows_ends_them():
    assert check([line.replace(b"\n", b"\r\n") for line in lines()])["ok"] is True


def test_events_beyond_the_checkpoint_are_told_apart():
    answer = check(lines(), note(size=25))
    assert answer["ok"] is True
    assert (answer["events"], answer["covered_by_checkpoint"]) == (40, 25)


@pytest.mark.parametrize("position", [0, 7, 39])
def test_a_changed_byte_is_named(position: int):
    rows = [*ROWS]
    rows[position] = replace(rows[position], body=rows[position].body.replace(b'"n":', b'"m":'))
    answer = check(lines(rows))
    assert answer["ok"] is False
    assert answer["findings"][0]["where"]["position"] == position  # type: ignore[index]
    assert kinds(answer) == ["CONTENT_CHANGED"]


def test_a_rewritten_event_denies_the_checkpoint():
    said = canon.loads(ROWS[39].body)
    rows = [*ROWS[:39], signed_again(ROWS[39], canon.dumps({**said, "payload": {}}))]
    assert kinds(check(lines(rows))) == ["TREE_MISMATCH"]


@pytest.mark.parametrize("body", [b"{}", b"[]", b"nonsense", b'{"stream":7,"sequence_index":"x"}', b"null"])
def test_nonsense_with_a_good_hash_is_a_finding_not_a_crash(body: bytes):
    rows = [*ROWS[:20], signed_again(ROWS[20], body), *ROWS[21:]]
    answer = check(lines(rows))
    assert answer["ok"] is False
    assert ("COLUMN_MISMATCH", 20) in [
        (finding["kind"], finding["where"].get("position"))
        for finding in answer["findings"]  # type: ignore[attr-defined]
    ]


def test_a_shortened_export_is_cut():
    assert kinds(check(lines(ROWS[:30]))) == ["LOG_CUT"]
    assert kinds(check(lines(ROWS[:30], events=40))) == ["ROW_MISSING"]
    assert kinds(check(lines(ROWS[:30], events=40), note(size=25))) == ["ROW_MISSING"]


def test_a_removed_and_a_repeated_line():
    assert "ROW_MISSING" in kinds(check(lines([*ROWS[:10], *ROWS[11:]])))
    assert check(lines([*ROWS[:10], ROWS[9], *ROWS[10:]]))["ok"] is False


@pytest.mark.parametrize(
    "first",
    [
        b"",
        b"\n",
        b"not json\n",
        b"[]\n",
        b"{}\n",
        b'{"format":"mace-log/2","log_name":"abc","events":1}\n',
        b'{"format":"mace-log/1","log_name":7,"events":1}\n',
        b'{"format":"mace-log/1","log_name":"abc","events":"many"}\n',
    ],
)
def test_what_is_no_export_is_refused(first: bytes):
    with pytest.raises(export.NotAnExport):
        check([first, *lines()[1:]])
    with pytest.raises(export.NotAnExport):
        export.verify([], note(), VERIFIER, check_ed25519)


@pytest.mark.parametrize("line", [b"\n", b"{}\n", b'{"hash":"00","signature":"","event":{}}\n', b"x\n"])
def test_a_line_that_is_no_event_is_refused_by_its_number(line: bytes):
    written = lines()
    written[5] = line
    with pytest.raises(export.NotAnExport, match="line 6 "):
        check(written)


def test_an_export_of_another_log_is_refused():
    with pytest.raises(BadNote, match="another log"):
        check([export.header_line("abd", 40), *lines()[1:]])


def test_a_checkpoint_of_another_log_or_key_is_refused():
    foreign = checkpoint.sign(head_of(ROWS, 40, "mace/other"), PUBLIC, KEY.sign)
    with pytest.raises(BadNote):
        check(lines(), foreign)
    other = Ed25519PrivateKey.from_private_bytes(b"o" * 32)
    with pytest.raises(BadNote):
        check(lines(), checkpoint.sign(head_of(ROWS, 40, "mace/abc"), PUBLIC, other.sign))


def test_a_checkpoint_of_a_later_epoch_is_of_this_log():
    later = checkpoint.sign(head_of(ROWS, 40, "mace/abc/epoch-2"), PUBLIC, KEY.sign)
    assert check(lines(), later)["ok"] is True
