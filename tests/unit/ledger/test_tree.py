"""The tree against published vectors (Certificate Transparency) and against a second implementation of the RFC."""

from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rfc6962
from mace.ledger import tree
from mace.ledger.tree import TILE_LEAVES, Frontier, Tree, check_consistency, check_inclusion, missing_tiles

# The vectors of the Certificate Transparency reference implementation.
LEAVES = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    bytes.fromhex(text)
    for text in (
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    )
]
_A = "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7"
_B = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e"
_C = "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"
_D = "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"
_E = "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0"
_F = "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"
_G = "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"
_H = "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
_I = "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a"
_J = "837dbb152e9b079010717e84e865da4ebc0fa198a806d59d31bf15accef22d0e"
INCLUSIONS = [
    (0, 1, []),
    (0, 2, [_A]),
    (1, 2, [_H]),
    (2, 3, [_G]),
    (1, 5, [_H, _B, _D]),
    (0, 8, [_A, _B, _C]),
    (5, 8, [_D, _E, _F]),
]
CONSISTENCIES = [
    (1, 1, []),
    (1, 8, [_A, _B, _C]),
    (6, 8, [_I, _E, _F]),
    (2, 5, [_B, _D]),
    (
        3,
        7,
        [
            "0298d122906dcfc10892cb53a73992fc5b9f493ea4c9badb27b791b4127a7fe7",
            "07506a85fd9dd2f120eb694f86011e5bb4662e5c415a62917033d4a9624487e7",
            _G,
            _J,
        ],
    ),
    (4, 7, [_J]),
    (6, 7, [_I, "b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f", _F]),
]


class Kept:
    """Leaves and tiles as a store keeps them; it counts how many leaves a question reads."""

    def __init__(self, leaves: list[bytes], *, with_tiles: bool = True) -> None:
        self.leaves = leaves
        self.read = 0
        self.tiles: dict[tuple[int, int], bytes] = {}
        if with_tiles:
            for level, index, root in missing_tiles(len(leaves), 0, self.range, self.roots):
                self.tiles[level, index] = root
        self.read = 0

    def range(self, start: int, stop: int) -> list[bytes]:
        self.read += stop - start
        return self.leaves[start:stop]

    def roots(self, level: int, index: int) -> list[bytes]:
        first = index * TILE_LEAVES
        return [self.tiles[level, at] for at in range(first, first + TILE_LEAVES) if (level, at) in self.tiles]

    def tile(self, level: int, index: int) -> bytes | None:
        return self.tiles.get((level, index))

    def tree(self) -> Tree:
        return Tree(len(self.leaves), self.range, self.tile)


def _leaves(count: int) -> list[bytes]:
    return [sha256(str(number).encode()).digest() for number in range(count)]


def test_published_roots():
    for size, root in enumerate(ROOTS):
        assert tree.root_of(LEAVES[:size]) == root
        assert Kept(LEAVES[:size]).tree().root() == root
        assert Kept(LEAVES).tree().root(size) == root
        assert rfc6962.mth(LEAVES[:size]) == root


@pytest.mark.parametrize(("index", "size", "proof"), INCLUSIONS)
def test_published_inclusion_proofs(index: int, size: int, proof: list[str]):
    steps = [bytes.fromhex(step) for step in proof]
    assert Kept(LEAVES).tree().inclusion(index, size) == steps
    assert check_inclusion(LEAVES[index], index, size, steps, ROOTS[size])


@pytest.mark.parametrize(("old", "new", "proof"), CONSISTENCIES)
def test_published_consistency_proofs(old: int, new: int, proof: list[str]):
    steps = [bytes.fromhex(step) for step in proof]
    assert Kept(LEAVES).tree().consistency(old, new) == steps
    assert check_consistency(old, new, steps, ROOTS[old], ROOTS[new])


@pytest.mark.parametrize("size", [*range(1, 18), 31, 32, 33, 64, 100])
def test_all_proofs_of_small_trees_against_the_second_implementation(size: int):
    leaves = _leaves(size)
    kept = Kept(leaves)
    root = rfc6962.mth(leaves)
    assert kept.tree().root() == root
    for index in range(size):
        steps = kept.tree().inclusion(index)
        assert steps == rfc6962.path(index, leaves)
        assert rfc6962.root_from_path(leaves[index], index, size, steps) == root
        assert check_inclusion(leaves[index], index, size, steps, root)
    for old in range(1, size + 1):
        steps = kept.tree().consistency(old)
        assert steps == rfc6962.proof(old, leaves)
        assert check_consistency(old, size, steps, rfc6962.mth(leaves[:old]), root)


_EDGES = [254, 255, 256, 257, 258, 511, 512, 513, 767, 768, 769, 1000, 1023, 1024, 1025]


@pytest.mark.parametrize("size", _EDGES)
@pytest.mark.parametrize("with_tiles", [True, False])
def test_roots_and_proofs_round_the_edges_of_tiles(size: int, with_tiles: bool):
    leaves = _leaves(size)
    kept = Kept(leaves, with_tiles=with_tiles)
    root = rfc6962.mth(leaves)
    assert kept.tree().root() == root
    places = sorted({place for edge in (0, 255, 256, 511, 512, 768, 1024, size - 1) for place in (edge - 1, edge)})
    for place in (place for place in places if 0 <= place < size):
        steps = kept.tree().inclusion(place)
        assert steps == rfc6962.path(place, leaves)
        assert check_inclusion(leaves[place], place, size, steps, root)
        if place:
            between = kept.tree().consistency(place)
            assert between == rfc6962.proof(place, leaves)
            assert check_consistency(place, size, between, rfc6962.mth(leaves[:place]), root)


BIG = 2 * 65536 + 300


@pytest.fixture(scope="module")
def big() -> Kept:
    return Kept(_leaves(BIG))


@pytest.mark.parametrize("size", [65535, 65536, 65537, 65536 + 255, 65536 + 256, 2 * 65536 - 1, 2 * 65536, BIG])
def test_roots_and_proofs_round_the_second_level_of_tiles(big: Kept, size: int):
    root = big.tree().root(size)
    assert root == tree.root_of(big.leaves[:size])
    for place in {0, 255, 256, 65535, 65536, 65791, 65792, size - 1}:
        if place >= size:
            continue
        steps = big.tree().inclusion(place, size)
        assert rfc6962.root_from_path(big.leaves[place], place, size, steps) == root
        assert check_inclusion(big.leaves[place], place, size, steps, root)
        if place:
            between = big.tree().consistency(place, size)
            assert check_consistency(place, size, between, big.tree().root(place), root)


def test_a_proof_reads_a_few_hundred_leaves_of_a_hundred_thousand(big: Kept):
    """With tiles a proof costs a few tiles and a few hundred leaves, whatever the size of the log."""
    for place in (0, 70_000, BIG - 1):
        big.read = 0
        big.tree().inclusion(place)
        assert big.read <= 4 * TILE_LEAVES
    big.read = 0
    big.tree().consistency(70_001)
    assert big.read <= 6 * TILE_LEAVES


def test_tiles_are_the_roots_of_their_leaves(big: Kept):
    assert len([place for place in big.tiles if place[0] == 1]) == BIG // 256
    assert sorted(place for place in big.tiles if place[0] == 2) == [(2, 0), (2, 1)]
    assert big.tiles[1, 3] == rfc6962.mth(big.leaves[768:1024])
    assert big.tiles[2, 1] == tree.root_of(big.leaves[65536:131072])


@pytest.mark.parametrize(
    ("since", "size", "places"),
    [
        (0, 255, []),
        (0, 256, [(1, 0)]),
        (255, 512, [(1, 0), (1, 1)]),
        (256, 512, [(1, 1)]),
        (512, 512, []),
        (600, 512, []),
    ],
)
def test_only_what_is_new_since_a_size_is_built(since: int, size: int, places: list[tuple[int, int]]):
    kept = Kept(_leaves(size), with_tiles=False)
    found = missing_tiles(size, since, kept.range, kept.roots)
    assert [(level, index) for level, index, _ in found] == places


def test_no_tile_is_built_over_a_hole():
    kept = Kept(_leaves(512), with_tiles=False)

    def with_a_hole(start: int, stop: int) -> list[bytes]:
        return kept.leaves[start : stop - 1] if start == 256 else kept.leaves[start:stop]

    assert [tile[:2] for tile in missing_tiles(512, 0, with_a_hole, kept.roots)] == [(1, 0)]
    with pytest.raises(LookupError):
        Tree(300, lambda start, stop: kept.leaves[start : stop - 1], lambda level, index: None).root()


def test_the_frontier_names_each_tile_once_when_it_is_complete():
    leaves = _leaves(1000)
    frontier = Frontier()
    for size, leaf in enumerate(leaves, 1):
        frontier.append(leaf)
        if size in (1, 2, 3, 255, 256, 257, 700, 1000):
            assert frontier.root() == rfc6962.mth(leaves[:size])
    assert [tile[:2] for tile in frontier.completed] == [(1, 0), (1, 1), (1, 2)]
    assert frontier.completed[1][2] == rfc6962.mth(leaves[256:512])


def test_a_frontier_takes_whole_subtrees_only_where_they_fit():
    frontier = Frontier()
    frontier.append_tile(b"x" * 32, 256)
    frontier.append(b"y")
    with pytest.raises(ValueError):
        frontier.append_tile(b"z" * 32, 256)


@pytest.mark.parametrize(("index", "size"), [(-1, 8), (8, 8), (0, 0), (3, 9), (9, 8)])
def test_no_proof_for_a_leaf_that_is_not_there(index: int, size: int):
    with pytest.raises(ValueError):
        Kept(LEAVES).tree().inclusion(index, size)


@pytest.mark.parametrize(("old", "new"), [(-1, 8), (5, 4), (3, 9), (9, 9)])
def test_no_proof_between_sizes_that_are_not_there(old: int, new: int):
    with pytest.raises(ValueError):
        Kept(LEAVES).tree().consistency(old, new)


def _corrupted(steps: list[bytes]) -> list[list[bytes]]:
    """Every way to spoil a list of hashes a little."""
    spoiled: list[list[bytes]] = [
        [*steps, b"\x00" * 32],
        [b"\x00" * 32, *steps],
        [*steps, *steps[-1:], b"\x01" * 32],
    ]
    for at, step in enumerate(steps):
        for bit in (0, 255):
            changed = bytearray(step)
            changed[bit // 8] ^= 1 << bit % 8
            spoiled.append([*steps[:at], bytes(changed), *steps[at + 1 :]])
        spoiled.append([*steps[:at], *steps[at + 1 :]])
        spoiled.append([*steps[:at], step[:-1], *steps[at + 1 :]])
        if at and steps[at - 1] != step:
            spoiled.append([*steps[: at - 1], step, steps[at - 1], *steps[at + 1 :]])
    return spoiled


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 8, 13, 257])
def test_every_spoiled_inclusion_proof_is_refused(size: int):
    leaves = _leaves(size)
    kept = Kept(leaves)
    root = rfc6962.mth(leaves)
    for index in {0, size // 2, size - 1}:
        steps = kept.tree().inclusion(index)
        assert check_inclusion(leaves[index], index, size, steps, root)
        for spoiled in _corrupted(steps):
            assert not check_inclusion(leaves[index], index, size, spoiled, root)
        assert not check_inclusion(b"other", index, size, steps, root)
        assert not check_inclusion(leaves[index], index, size, steps, b"\x00" * 32)
        assert not check_inclusion(leaves[index], index, size, steps, rfc6962.mth(leaves[:-1]))
        for wrong in (-1, size, index + size):
            assert not check_inclusion(leaves[index], wrong, size, steps, root)
        others = [other for other in range(size) if other != index]
        assert not any(check_inclusion(leaves[index], other, size, steps, root) for other in others)
        assert not check_inclusion(leaves[index], index, 0, steps, root)


@pytest.mark.parametrize(("old", "new"), [(1, 2), (2, 3), (3, 4), (3, 7), (4, 7), (4, 8), (6, 8), (7, 8), (256, 300)])
def test_every_spoiled_consistency_proof_is_refused(old: int, new: int):
    leaves = _leaves(new)
    steps = Kept(leaves).tree().consistency(old)
    old_root, new_root = rfc6962.mth(leaves[:old]), rfc6962.mth(leaves)
    assert check_consistency(old, new, steps, old_root, new_root)
    for spoiled in _corrupted(steps):
        assert not check_consistency(old, new, spoiled, old_root, new_root)
    assert not check_consistency(old, new, [], old_root, new_root)
    assert not check_consistency(old, new, steps, new_root, old_root)
    assert not check_consistency(old, new, steps, b"\x00" * 32, new_root)
    assert not check_consistency(old, new, steps, old_root, b"\x00" * 32)
    assert not check_consistency(new, old, steps, old_root, new_root)
    assert not check_consistency(-1, new, steps, old_root, new_root)
    rewritten = [b"other", *leaves[1:]]
    assert not check_consistency(old, new, steps, old_root, rfc6962.mth(rewritten))
    assert not check_consistency(old, new, Kept(rewritten).tree().consistency(old), old_root, rfc6962.mth(rewritten))


def test_consistency_at_its_ends():
    root = ROOTS[8]
    assert Kept(LEAVES).tree().consistency(0) == []
    assert check_consistency(0, 8, [], tree.EMPTY_ROOT, root)
    assert not check_consistency(0, 8, [], b"\x00" * 32, root)
    assert not check_consistency(0, 8, [root], tree.EMPTY_ROOT, root)
    assert check_consistency(8, 8, [], root, root)
    assert not check_consistency(8, 8, [], root, ROOTS[7])
    assert not check_consistency(8, 8, [root], root, root)


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 700), st.data())
def test_any_proof_of_any_size_holds(size: int, data: st.DataObject):
    leaves = _leaves(size)
    kept = Kept(leaves, with_tiles=data.draw(st.booleans()))
    index = data.draw(st.integers(0, size - 1))
    old = data.draw(st.integers(0, size))
    root = kept.tree().root()
    assert root == tree.root_of(leaves)
    assert check_inclusion(leaves[index], index, size, kept.tree().inclusion(index), root)
    assert check_consistency(old, size, kept.tree().consistency(old), kept.tree().root(old), root)
