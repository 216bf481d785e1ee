"""Lines of a store one by one, whatever the blocks they are read in."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mace.memory import context
from mace.storage.jsonl import JsonlStores, stores


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "READ_BYTES", 3)
    monkeypatch.setattr(stores, "_SHOWN_BYTES", 8)


def naive(content: bytes) -> list[tuple[bytes, bool]]:
    *ended, rest = content.split(b"\n")
    found = [(line.removesuffix(b"\r"), True) for line in ended]
    return [*found, (rest, False)] if rest else found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r\n", b"\r", b"\xff"]), max_size=12).map(b"".join))
def test_lines_are_those_of_the_file(small_blocks: None, tmp_path: Path, content: bytes):
    path = tmp_path / "s.jsonl"
    path.write_bytes(content)
    reader = JsonlStores(context, None, lambda: 0)
    told: list[int] = []
    found = list(reader.lines(str(path), lambda done, size: told.append(done)))
    wanted = naive(content)
    assert [has_end for _, has_end in found] == [has_end for _, has_end in wanted]
    for (line, _), (whole, _) in zip(found, wanted, strict=True):
        assert line == whole or (len(whole) > 8 and len(line) >= 7)  # of a very long one the beginning
    assert told == sorted(told)
    assert (told or [0])[-1] == len(content)
