"""The server's keys: made once, rotated without loss, read by their owner alone."""

import hmac
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mace.core.errors import Erased, PreconditionFailed, ServiceUnavailable
from mace.providers.frozen import CountingEntropy
from mace.providers.keys import KeyFile, check_ed25519
from mace.providers.system import SystemEntropy

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
    assert again.check(DIGEST, first.sign(DIGEST))
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
    assert all(keys.check(DIGEST, opened[0].sign(DIGEST)) for keys in opened)
    assert [file.name for file in path.parent.iterdir()] == ["keys.json"]


def test_a_signature_names_its_key_and_is_the_hmac(path: Path):
    keys = KeyFile.open(path, SystemEntropy())
    secret = bytes.fromhex(json.loads(path.read_text())["hmac"][0]["key"])
    assert keys.sign(DIGEST) == "k1:" + hmac.new(secret, DIGEST, "sha256").hexdigest()
    assert keys.mac(b"message") == hmac.digest(secret, b"message", "sha256")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: "",
        lambda text: text[:-1],
        lambda text: text + "0",
        lambda text: text.upper(),
        lambda text: text.replace("k1:", "k2:"),
        lambda text: text.replace("k1:", ""),
        lambda text: text.replace("k1:", "é:"),
        lambda text: "k1",
        lambda text: "k1:",
        lambda text: "k" + "1" * 40 + text[2:],
        lambda text: text.replace(":", "::"),
    ],
)
def test_a_spoiled_signature_is_refused(path: Path, spoil: object):
    keys = KeyFile.open(path, SystemEntropy())
    assert not keys.check(DIGEST, spoil(keys.sign(DIGEST)))  # type: ignore[operator]
    assert not keys.check(b"e" * 32, keys.sign(DIGEST))


def test_rotation_keeps_old_signatures_good(path: Path):
    keys = KeyFile.open(path, SystemEntropy())
    old, mac = keys.sign(DIGEST), keys.mac(b"value")
    assert keys.rotate() == "k2"
    assert keys.key_ids() == ["k1", "k2"]
    assert keys.sign(DIGEST).startswith("k2:")
    assert keys.check(DIGEST, old)
    assert keys.check(DIGEST, keys.sign(DIGEST))
    assert keys.mac(b"value") == mac  # hashes of one value stay comparable
    assert keys.log_name == KeyFile.open(path, SystemEntropy()).log_name


def test_a_key_rotated_by_another_process_is_found(path: Path):
    ours, theirs = KeyFile.open(path, SystemEntropy()), KeyFile.open(path, SystemEntropy())
    theirs.rotate()
    assert ours.sign(DIGEST).startswith("k1:")
    assert ours.check(DIGEST, theirs.sign(DIGEST))


def test_rotations_at_once_lose_no_key(path: Path):
    """A key that another rotation overwrote could never be checked again."""
    opened = [KeyFile.open(path, SystemEntropy()) for _ in range(4)]

    def work(keys: KeyFile) -> list[str]:
        return [(keys.rotate(), keys.sign(DIGEST))[1] for _ in range(5)]

    with ThreadPoolExecutor(4) as pool:
        signatures = [text for made in pool.map(work, opened) for text in made]
    fresh = KeyFile.open(path, SystemEntropy())
    assert fresh.key_ids() == [f"k{number}" for number in range(1, 22)]
    assert all(fresh.check(DIGEST, signature) for signature in signatures)


def test_signing_while_rotating_never_mixes_two_keys(path: Path):
    keys = KeyFile.open(path, SystemEntropy())
    with ThreadPoolExecutor(3) as pool:
        rotating = pool.submit(lambda: [keys.rotate() for _ in range(20)])
        signatures = [keys.sign(DIGEST) for _ in range(2000)]
        rotating.result()
    assert all(keys.check(DIGEST, signature) for signature in signatures)


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
        with pytest.raises(Erased):
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
    with pytest.raises(Erased):
        keys.unseal(own[8], sealed[7], "context")
