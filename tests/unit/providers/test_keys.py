"""The server's keys: made once, rotated without loss, read by their owner alone."""

import hmac
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from mace.core.errors import IntegrityFailure, PreconditionFailed, ServiceUnavailable
from mace.core.purposes import Purpose
from mace.providers.frozen import CountingEntropy
from mace.providers.keys import KeyFile, check_ed25519
from mace.providers.system import SystemEntropy

EVENT = Purpose.EVENT
DIGEST = b"d" * 32


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "keys" / "keys.json"


def test_a_key_file_is_made_once(path: Path):
    first = KeyFile.open(path, SystemEntropy())
    content = path.read_bytes()
    again = KeyFile.open(path, SystemEntropy())
    assert path.read_bytes() == content
    assert again.log_name == first.log_name
    assert again.public_key() == first.public_key()
    assert again.check(EVENT, DIGEST, first.sign(EVENT, DIGEST))
    assert oct(path.stat().st_mode & 0o777) == "0o600"
    assert oct(path.parent.stat().st_mode & 0o777) == "0o700"
    assert [file.name for file in path.parent.iterdir()] == ["keys.json"]


def test_every_key_is_its_own_randomness(path: Path):
    KeyFile.open(path, CountingEntropy("x"))
    content = json.loads(path.read_text())
    secrets = [content["log_name"], content["hmac"][0]["key"], content["checkpoint_seed"], content["master"]]
    assert len(set(secrets)) == 4
    assert all(len(secret) == 64 for secret in secrets)


def test_of_many_who_make_it_at_once_one_wins(path: Path):
    path.parent.mkdir()
    with ThreadPoolExecutor(12) as pool:
        opened = list(pool.map(lambda _: KeyFile.open(path, SystemEntropy()), range(12)))
    assert len({keys.log_name for keys in opened}) == 1
    assert all(keys.check(EVENT, DIGEST, opened[0].sign(EVENT, DIGEST)) for keys in opened)
    assert [file.name for file in path.parent.iterdir()] == ["keys.json"]


def hkdf(secret: bytes, label: bytes) -> bytes:
    """RFC 5869 by a library that is not ours."""
    return HKDF(algorithm=SHA256(), length=32, salt=b"mace/keys/1", info=label).derive(secret)


@pytest.mark.parametrize("purpose", list(Purpose))
def test_a_signature_is_the_hmac_under_a_key_derived_for_its_purpose(path: Path, purpose: Purpose):
    keys = KeyFile.open(path, SystemEntropy())
    secret = bytes.fromhex(json.loads(path.read_text())["hmac"][0]["key"])
    derived = hkdf(secret, f"mace/{purpose}/1".encode())
    assert keys.sign(purpose, DIGEST) == f"k1.{purpose}:" + hmac.new(derived, DIGEST, "sha256").hexdigest()
    for other in Purpose:
        assert keys.check(other, DIGEST, keys.sign(purpose, DIGEST)) == (other is purpose)


def test_the_first_key_itself_makes_pii_hashes_and_nothing_else(path: Path):
    keys = KeyFile.open(path, SystemEntropy())
    secret = bytes.fromhex(json.loads(path.read_text())["hmac"][0]["key"])
    raw = hmac.digest(secret, DIGEST, "sha256")
    assert keys.pii_mac(DIGEST) == raw
    for purpose in Purpose:
        for key_id in ("k1", f"k1.{purpose}"):
            assert not keys.check(purpose, DIGEST, f"{key_id}:{raw.hex()}")
    assert keys.tag("", DIGEST) != raw.hex()
    assert not keys.is_marked(DIGEST, raw[:16])
    assert not keys.is_marked(DIGEST, b"\0\1" + raw[:16])
    assert keys.is_marked(DIGEST, keys.mark(DIGEST))
    assert keys.older_tag(DIGEST) is None


def test_extracting_comes_first_so_that_a_pii_hash_is_no_derived_key(path: Path):
    """With expansion alone, a derived key would be what the formula of `pii_hash` gives for its label."""
    keys = KeyFile.open(path, SystemEntropy())
    for purpose in Purpose:
        stolen = keys.pii_mac(f"mace/{purpose}/1".encode() + b"\x01")
        assert not keys.check(purpose, DIGEST, f"k1.{purpose}:{hmac.digest(stolen, DIGEST, 'sha256').hex()}")


def test_a_tag_says_what_it_is_for(path: Path):
    keys = KeyFile.open(path, SystemEntropy())
    assert keys.tag("a", b"bc") == keys.tag("a", b"bc")
    assert len({keys.tag("a", b"bc"), keys.tag("ab", b"c"), keys.tag("b", b"bc")}) == 3


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: "",
        lambda text: text[:-1],
        lambda text: text + "0",
        lambda text: text.upper(),
        lambda text: text.replace("k1.", "k2."),
        lambda text: text.replace("k1.event:", ""),
        lambda text: text.replace("k1.", "é."),
        lambda text: text.replace(".event", ""),
        lambda text: text.replace(".event", ".record"),
        lambda text: "k1.event",
        lambda text: "k1.event:",
        lambda text: "k" + "1" * 40 + text[2:],
        lambda text: text.replace(":", "::"),
    ],
)
def test_a_spoiled_signature_is_refused(path: Path, spoil: object):
    keys = KeyFile.open(path, SystemEntropy())
    assert not keys.check(EVENT, DIGEST, spoil(keys.sign(EVENT, DIGEST)))  # type: ignore[operator]
    assert not keys.check(EVENT, b"e" * 32, keys.sign(EVENT, DIGEST))


def rotate(keys: KeyFile, since: int) -> str:
    key_id = keys.begin_change(fresh=True)
    keys.keep_change(key_id, keys.wrapped(key_id), since, separates=False)
    return key_id


def test_rotation_keeps_old_signatures_good_where_they_stand(path: Path):
    keys = KeyFile.open(path, SystemEntropy())
    old, mac, tag = keys.sign(EVENT, DIGEST), keys.pii_mac(b"value"), keys.tag("x", b"value")
    assert rotate(keys, 7) == "k2"
    assert keys.key_ids() == ["k1", "k2"]
    new = keys.sign(EVENT, DIGEST)
    assert new.startswith("k2.event:")
    assert [keys.check(EVENT, DIGEST, text) for text in (old, new)] == [True, True]
    assert [keys.counts_at(old, place) for place in (0, 6, 7, 8)] == [True, True, False, False]
    assert [keys.counts_at(new, place) for place in (0, 6, 7, 8)] == [False, False, True, True]
    assert (keys.pii_mac(b"value"), keys.tag("x", b"value")) == (mac, tag)  # hashes of one value stay comparable
    again = KeyFile.open(path, SystemEntropy())
    assert again.log_name == keys.log_name
    assert again.trust == keys.trust


def test_rows_by_an_older_key_count_only_where_they_are_listed(path: Path):
    keys = KeyFile.open(path, SystemEntropy())
    old = keys.sign(Purpose.RECORD, DIGEST)
    state = keys.sign(Purpose.STATE, DIGEST)
    rotate(keys, 7)
    assert not keys.check(Purpose.RECORD, DIGEST, old)
    keys.consult(lambda key_id, digest: (key_id, digest) == ("k1.record", DIGEST), lambda: None)
    assert keys.check(Purpose.RECORD, DIGEST, old)
    assert not keys.check(Purpose.STATE, DIGEST, state)
    assert keys.is_genuine(Purpose.STATE, DIGEST, state)


def test_a_change_that_is_not_kept_leaves_no_trace(path: Path):
    keys = KeyFile.open(path, SystemEntropy())
    content = path.read_bytes()
    keys.begin_change(fresh=True)
    assert (keys.active_number, keys.sign(EVENT, DIGEST)[:9]) == (2, "k2.event:")
    old = keys.sign(Purpose.RECORD, DIGEST).replace("k2", "k1")
    assert not keys.check(Purpose.RECORD, DIGEST, old)
    keys.drop_change()
    assert (keys.active_number, keys.sign(EVENT, DIGEST)[:9]) == (1, "k1.event:")
    assert path.read_bytes() == content


def test_a_key_rotated_by_another_process_is_found(path: Path):
    ours, theirs = KeyFile.open(path, SystemEntropy()), KeyFile.open(path, SystemEntropy())
    rotate(theirs, 3)
    assert ours.sign(EVENT, DIGEST).startswith("k1.event:")
    assert ours.check(EVENT, DIGEST, theirs.sign(EVENT, DIGEST))
    assert ours.sign(EVENT, DIGEST).startswith("k2.event:")


def test_keys_that_several_learn_at_once_are_all_kept(path: Path):
    """A key that another one overwrote could never be checked again."""
    first = KeyFile.open(path, SystemEntropy())
    made: list[tuple[str, bytes]] = []
    for number in range(2, 12):
        key_id = first.begin_change(fresh=True)
        made.append((key_id, first.wrapped(key_id)))
        first.keep_change(*made[-1], number, separates=False)
    signed = first.sign(EVENT, DIGEST)
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "hmac": content["hmac"][:1]}))
    opened = [KeyFile.open(path, SystemEntropy()) for _ in made]

    def learn(at: int) -> None:
        opened[at].keep_change(*made[at], at + 2, separates=False)

    with ThreadPoolExecutor(10) as pool:
        list(pool.map(learn, range(len(made))))
    fresh = KeyFile.open(path, SystemEntropy())
    assert fresh.key_ids() == [f"k{number}" for number in range(1, 12)]
    assert fresh.check(EVENT, DIGEST, signed)
    assert fresh.trust == first.trust


def test_signing_while_rotating_never_mixes_two_keys(path: Path):
    keys = KeyFile.open(path, SystemEntropy())
    with ThreadPoolExecutor(3) as pool:
        rotating = pool.submit(lambda: [rotate(keys, number) for number in range(1, 21)])
        signatures = [keys.sign(EVENT, DIGEST) for _ in range(2000)]
        rotating.result()
    assert all(keys.check(EVENT, DIGEST, signature) for signature in signatures)


def test_a_key_wrapped_by_another_master_brings_nothing(path: Path, tmp_path: Path):
    keys, stranger = KeyFile.open(path, SystemEntropy()), KeyFile.open(tmp_path / "other.json", SystemEntropy())
    key_id = stranger.begin_change(fresh=True)
    wrapped, signature = stranger.wrapped(key_id), stranger.sign(EVENT, DIGEST)
    assert stranger.is_by(key_id, wrapped, EVENT, DIGEST, signature)
    assert not keys.is_by(key_id, wrapped, EVENT, DIGEST, signature)
    with pytest.raises(IntegrityFailure):
        keys.keep_change(key_id, wrapped, 1, separates=False)
    assert keys.key_ids() == ["k1"]


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_key_file_that_others_can_read_is_refused(path: Path, mode: int):
    KeyFile.open(path, SystemEntropy())
    path.chmod(mode)
    with pytest.raises(PreconditionFailed, match="chmod 600"):
        KeyFile.open(path, SystemEntropy())


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "{}", '{"format":"other"}', '{"format":"mace-keys/1"}',
     '{"format":"mace-keys/1","hmac":[],"master":"00","log_name":"x","checkpoint_seed":"00"}',
     '{"format":"mace-keys/1","hmac":[{"id":"k1","key":"xyz"}],"master":"00","log_name":"x"}'],
)  # fmt: skip
def test_a_damaged_key_file_is_refused_and_not_replaced(path: Path, content: str):
    path.parent.mkdir()
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(PreconditionFailed):
        KeyFile.open(path, SystemEntropy())
    assert path.read_text() == content


def test_without_a_key_file_a_reader_is_told(path: Path):
    with pytest.raises(ServiceUnavailable, match="cannot read the key file"):
        KeyFile.open(path, SystemEntropy(), create=False)
    assert not path.exists()


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ServiceUnavailable, match="cannot write the key file"):
        KeyFile.open(tmp_path / "file" / "keys.json", SystemEntropy())


def test_no_text_shows_a_key(path: Path):
    keys = KeyFile.open(path, SystemEntropy())
    secrets = [json.loads(path.read_text())[name] for name in ("checkpoint_seed", "master")]
    shown = repr(keys) + str(keys)
    assert not any(secret in shown for secret in secrets)


def test_what_is_sealed_opens_only_as_it_was_sealed(path: Path):
    keys = KeyFile.open(path, SystemEntropy())
    key, wrapped = keys.new_wrapped_key("job/1", None)
    assert keys.unwrap("job/1", wrapped, None) == key
    inner, inner_wrapped = keys.new_wrapped_key("job/2", key)
    assert keys.unwrap("job/2", inner_wrapped, key) == inner
    sealed = keys.seal(key, b"plain \x00", "context")
    assert keys.unseal(key, sealed, "context") == b"plain \x00"
    assert keys.seal(key, b"plain \x00", "context") != sealed
    assert b"plain" not in sealed
    for attempt in (
        lambda: keys.unseal(inner, sealed, "context"),
        lambda: keys.unseal(key, sealed, "other"),
        lambda: keys.unseal(key, sealed[:-1], "context"),
        lambda: keys.unseal(key, b"", "context"),
        lambda: keys.unseal(key, os.urandom(len(sealed)), "context"),
        lambda: keys.unwrap("job/3", wrapped, None),
        lambda: keys.unwrap("job/2", inner_wrapped, None),
    ):
        with pytest.raises(IntegrityFailure):
            attempt()


def test_notes_are_signed_with_the_public_key_that_is_given_out(path: Path):
    keys = KeyFile.open(path, SystemEntropy())
    assert check_ed25519(keys.public_key(), keys.sign_note(b"note"), b"note")
    assert not check_ed25519(keys.public_key(), keys.sign_note(b"note"), b"other")


@pytest.mark.parametrize("size", [0, 1, 31, 32, 63, 64, 65, 200])
def test_a_keyed_hash_is_the_hmac_whatever_the_key(path: Path, size: int):
    keys = KeyFile.open(path, SystemEntropy())
    key = bytes(range(256))[:size]
    for message in (b"", b"x", b"y" * 1000):
        assert keys.keyed_hash(key, message) == hmac.digest(key, message, "sha256").hex()


def test_many_keys_are_sealed_with_in_turn_and_let_go_of(path: Path):
    keys = KeyFile.open(path, SystemEntropy())
    own = [bytes([number % 256, number // 256]) * 16 for number in range(600)]
    sealed = [keys.seal(key, b"said", "context") for key in own]
    assert [keys.unseal(key, content, "context") for key, content in zip(own, sealed, strict=True)] == [b"said"] * 600
    keys.forget()
    assert keys._ciphers == {}
    assert keys.unseal(own[7], sealed[7], "context") == b"said"
    with pytest.raises(IntegrityFailure):
        keys.unseal(own[8], sealed[7], "context")
