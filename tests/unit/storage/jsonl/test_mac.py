"""Checksums of index files: keyed, and the same however the bytes come."""

import pytest

from mace.storage.jsonl.mac import Mac, mac_of, new_key


@pytest.mark.parametrize("data", [b"", b"x", b"y" * 100_000])
def test_a_checksum_is_the_same_in_one_piece_or_many(data):
    key = new_key()
    mac = Mac(key)
    for at in range(0, len(data), 999):
        mac.update(data[at : at + 999])
    assert mac.hex() == mac_of(key, data)
    assert mac_of(key, data + b"z") != mac_of(key, data)
    assert mac_of(new_key(), data) != mac_of(key, data)
