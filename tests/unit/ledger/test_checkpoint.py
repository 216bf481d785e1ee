"""Signed notes against the format's published example and a literal one of ours; everything malformed is refused."""

import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from mace.ledger import checkpoint
from mace.ledger.checkpoint import BadNote, Checkpoint, open_note, parse_verifier_key, verifier_key
from mace.providers.keys import check_ed25519

# The example key and note of the signed note format.
EXAMPLE_KEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
EXAMPLE_SEED = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
EXAMPLE_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
EXAMPLE_BLOB = base64.b64decode(
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM="
)

SEED = bytes(range(32))
KEY = Ed25519PrivateKey.from_private_bytes(SEED)
PUBLIC = KEY.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
HEAD = Checkpoint("mace/abc", 3, bytes.fromhex("aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"))
NOTE = checkpoint.sign(HEAD, PUBLIC, KEY.sign)


def test_the_formats_own_example():
    name, public_key = parse_verifier_key(EXAMPLE_KEY)
    assert name == "PeterNeumann"
    assert checkpoint.key_hash(name, public_key).hex() == "c74f20a3"
    assert EXAMPLE_BLOB[:4].hex() == "c74f20a3"
    assert check_ed25519(public_key, EXAMPLE_BLOB[4:], EXAMPLE_TEXT.encode())
    signer = Ed25519PrivateKey.from_private_bytes(EXAMPLE_SEED)
    assert signer.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw) == public_key
    assert signer.sign(EXAMPLE_TEXT.encode()) == EXAMPLE_BLOB[4:]
    assert not check_ed25519(public_key, EXAMPLE_BLOB[4:], EXAMPLE_TEXT.encode() + b"\n")


def test_a_note_of_a_fixed_key_byte_for_byte():
    assert PUBLIC.hex() == "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"
    assert NOTE == (
        "mace/abc\n3\nrra8/idLcKFPsGel5VeCZNsPqbUa9eC6FZFY8yngbnc=\n\n"
        "— mace/abc PTsW6rIaf44yN8uGTsviRf39Yp9olrfQNpVZvhgENSUzGNO/PnTohI2tA94T4FLlr9J8n+yY55b4ae7sC74lO66KCws=\n"
    )
    assert verifier_key("abc", PUBLIC) == "mace/abc+3d3b16ea+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"


def test_what_was_signed_opens():
    assert open_note(NOTE, "abc", PUBLIC, check_ed25519) == HEAD
    assert HEAD.epoch == 0
    later = Checkpoint("mace/abc/epoch-12", 0, HEAD.root)
    note = checkpoint.sign(later, PUBLIC, KEY.sign)
    assert open_note(note, "abc", PUBLIC, check_ed25519) == later
    assert later.epoch == 12
    assert checkpoint.origin_of("abc", 12) == later.origin


def test_extension_lines_and_other_signatures_do_not_disturb():
    text = HEAD.text() + "something more\n"
    mine = base64.b64encode(checkpoint.key_hash("mace/abc", PUBLIC) + KEY.sign(text.encode())).decode()
    witness = f"— witness.example {base64.b64encode(b'w' * 68).decode()}\n"
    assert open_note(f"{text}\n{witness}— mace/abc {mine}\n", "abc", PUBLIC, check_ed25519) == HEAD


def _signed(text: str, name: str = "mace/abc") -> str:
    blob = base64.b64encode(checkpoint.key_hash(name, PUBLIC) + KEY.sign(text.encode())).decode()
    return f"{text}\n— {name} {blob}\n"


ROOT_TEXT = base64.b64encode(HEAD.root).decode()


@pytest.mark.parametrize(
    "note",
    [
        "",
        "\n\n",
        "mace/abc\n",
        NOTE.rstrip("\n"),
        NOTE.replace("\n\n", "\n"),
        NOTE + "\n",
        NOTE.replace("— ", "- "),
        NOTE.replace("— mace/abc ", "— mace/abc  "),
        NOTE.replace("\n3\n", "\n4\n"),
        NOTE.replace("\n3\n", "\n٣\n"),
        NOTE.replace("\n3\n", "\n+3\n"),
        NOTE.replace("mace/abc\n3", "mace/abd\n3"),
        NOTE[:-10] + ("A" if NOTE[-10] != "A" else "B") + NOTE[-9:],
        NOTE.split("\n— ")[0] + "\n",
        NOTE.replace("\n", "\r\n"),
        NOTE.replace("\n\n", "\n\x0b\n"),
        # signed by the right key, but no checkpoint
        _signed(f"mace/abc\n03\n{ROOT_TEXT}\n"),
        _signed(f"mace/abc\n٣\n{ROOT_TEXT}\n"),
        _signed(f"mace/abc\n-3\n{ROOT_TEXT}\n"),
        _signed(f"mace/abc\n\n{ROOT_TEXT}\n"),
        _signed(f"mace/abc\n{'9' * 5000}\n{ROOT_TEXT}\n"),
        _signed("mace/abc\n3\n" + base64.b64encode(b"short").decode() + "\n"),
        _signed("mace/abc\n3\nno base64!\n"),
        _signed("mace/abc\n3\n"),
        # signed by the right key, but of another log or a made-up epoch
        _signed(f"mace/abcd\n3\n{ROOT_TEXT}\n", "mace/abcd"),
        _signed(f"other/abc\n3\n{ROOT_TEXT}\n", "other/abc"),
        _signed(f"mace/abc/epoch-0\n3\n{ROOT_TEXT}\n", "mace/abc/epoch-0"),
        _signed(f"mace/abc/epoch-01\n3\n{ROOT_TEXT}\n", "mace/abc/epoch-01"),
        _signed(f"mace/abc/epoch-x\n3\n{ROOT_TEXT}\n", "mace/abc/epoch-x"),
        _signed(f"mace/abc/epoch-1/epoch-2\n3\n{ROOT_TEXT}\n", "mace/abc/epoch-1/epoch-2"),
        # signed under another name than the origin's
        _signed(f"mace/abc\n3\n{ROOT_TEXT}\n", "mace/abc/epoch-1"),
    ],
)
def test_a_malformed_or_foreign_note_is_refused(note: str):
    with pytest.raises(BadNote):
        open_note(note, "abc", PUBLIC, check_ed25519)


def test_a_note_by_another_key_is_refused():
    other = Ed25519PrivateKey.from_private_bytes(b"x" * 32)
    public = other.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    with pytest.raises(BadNote, match="no good signature"):
        open_note(checkpoint.sign(HEAD, public, other.sign), "abc", PUBLIC, check_ed25519)
    with pytest.raises(BadNote, match="no good signature"):  # claims our key hash
        open_note(checkpoint.sign(HEAD, PUBLIC, other.sign), "abc", PUBLIC, check_ed25519)


def test_every_changed_byte_of_a_note_is_refused():
    data = NOTE.encode()
    for at in range(len(data)):
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        text = changed.decode("utf-8", "replace")
        with pytest.raises(BadNote):
            open_note(text, "abc", PUBLIC, check_ed25519)


def test_a_verifier_key_goes_both_ways():
    assert parse_verifier_key(verifier_key("abc", PUBLIC)) == ("mace/abc", PUBLIC)
    assert parse_verifier_key(verifier_key("abc", PUBLIC) + "\n") == ("mace/abc", PUBLIC)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "mace/abc",
        "mace/abc+c74f20a3",
        EXAMPLE_KEY.replace("c74f20a3", "c74f20a4"),
        EXAMPLE_KEY.replace("PeterNeumann", "PeterNeuman"),
        EXAMPLE_KEY[:-4],
        EXAMPLE_KEY[:-1] + "!",
        EXAMPLE_KEY.replace("+ARpc", "+AhpC"),  # another algorithm
        EXAMPLE_KEY.replace("+ARpc2", "+ARpc3"),
    ],
)
def test_a_malformed_verifier_key_is_refused(text: str):
    with pytest.raises(BadNote):
        parse_verifier_key(text)


@pytest.mark.parametrize(
    ("key", "signature"), [(b"", b"s" * 64), (b"k" * 31, b"s" * 64), (PUBLIC, b""), (PUBLIC, b"s")]
)
def test_odd_keys_and_signatures_are_refused_not_a_crash(key: bytes, signature: bytes):
    assert not check_ed25519(key, signature, b"message")
