"""The Merkle tree over all events, in the shape of RFC 6962 (and RFC 9162), and its proofs.

Pure. Leaf data are the 32 bytes of an event's hash. Roots of complete subtrees of 256, 65536, ... leaves ("tiles") are
kept by the store, so that a proof reads a few tiles and a few hundred leaves, never the whole log. The tree can always
be built again from the events alone.
"""

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

TILE_BITS = 8
TILE_LEAVES = 1 << TILE_BITS
EMPTY_ROOT = sha256(b"").digest()


def leaf_hash(data: bytes) -> bytes:
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


class Frontier:
    """The right edge of a growing tree: enough to append and to give the root, whatever its size."""

    __slots__ = ("completed", "edge", "size")

    def __init__(self) -> None:
        self.size = 0
        self.edge: list[bytes] = []  # roots of the complete subtrees, largest first
        self.completed: list[tuple[int, int, bytes]] = []  # tiles completed by `append`: level, index, root

    def append(self, data: bytes) -> None:
        node = sha256(b"\x00" + data).digest()
        self.size += 1
        size = self.size
        edge = self.edge
        if not size & (TILE_LEAVES - 1):
            self._close_tiles(node)
            return
        while not size & 1:
            node = sha256(b"\x01" + edge.pop() + node).digest()
            size >>= 1
        edge.append(node)

    def _close_tiles(self, node: bytes) -> None:
        size, height = self.size, 0
        while not size & 1:
            node = node_hash(self.edge.pop(), node)
            size >>= 1
            height += 1
            if height % TILE_BITS == 0:
                self.completed.append((height // TILE_BITS, size - 1, node))
        self.edge.append(node)

    def append_tile(self, root: bytes, leaves: int) -> None:
        """Append a complete subtree at once; the tree must be a multiple of its size."""
        if self.size % leaves:
            raise ValueError("a subtree must begin at a multiple of its size")
        self.size += leaves
        size = self.size // leaves
        while not size & 1:
            root = node_hash(self.edge.pop(), root)
            size >>= 1
        self.edge.append(root)

    def root(self) -> bytes:
        if not self.edge:
            return EMPTY_ROOT
        node = self.edge[-1]
        for left in reversed(self.edge[:-1]):
            node = node_hash(left, node)
        return node


def root_of(leaves: Iterable[bytes]) -> bytes:
    frontier = Frontier()
    for data in leaves:
        frontier.append(data)
    return frontier.root()


class Tree:
    """The tree as a store holds it: leaves by range and tiles by place; asks for no more than it needs."""

    def __init__(
        self,
        size: int,
        leaves: Callable[[int, int], list[bytes]],
        tile: Callable[[int, int], bytes | None],
    ) -> None:
        self.size = size
        self._leaves = leaves
        self._tile = tile
        self._held: dict[tuple[int, int], bytes] = {}

    def root(self, size: int | None = None) -> bytes:
        size = self.size if size is None else size
        return EMPTY_ROOT if size == 0 else self._subtree(0, size)

    def _subtree(self, start: int, stop: int) -> bytes:
        """Root over the leaves in [start, stop), which is a subtree of RFC 6962's recursion."""
        held = self._held.get((start, stop))
        if held is not None:
            return held
        count = stop - start
        node = self._from_tile(start, count)
        if node is None:
            if count <= TILE_LEAVES:
                data = self._leaves(start, stop)
                if len(data) != count:
                    raise LookupError(f"leaves {start} to {stop} are not all there")
                node = root_of(data)
            else:
                middle = start + _split(count)
                node = node_hash(self._subtree(start, middle), self._subtree(middle, stop))
        self._held[(start, stop)] = node
        return node

    def _from_tile(self, start: int, count: int) -> bytes | None:
        level, leaves = 1, TILE_LEAVES
        while leaves <= count:
            if leaves == count and start % leaves == 0:
                return self._tile(level, start // leaves)
            level, leaves = level + 1, leaves << TILE_BITS
        return None

    def inclusion(self, index: int, size: int | None = None) -> list[bytes]:
        """RFC 6962 section 2.1.1: the audit path of leaf `index` in the tree of the first `size` leaves."""
        size = self.size if size is None else size
        if not 0 <= index < size <= self.size:
            raise ValueError("no such leaf in a tree of that size")
        return self._path(index, 0, size)

    def _path(self, index: int, start: int, stop: int) -> list[bytes]:
        count = stop - start
        if count == 1:
            return []
        if count <= TILE_LEAVES:
            return _small_path(index - start, [leaf_hash(data) for data in self._leaves(start, stop)])
        middle = start + _split(count)
        if index < middle:
            return [*self._path(index, start, middle), self._subtree(middle, stop)]
        return [*self._path(index, middle, stop), self._subtree(start, middle)]

    def consistency(self, old: int, new: int | None = None) -> list[bytes]:
        """RFC 6962 section 2.1.2: that the tree of `new` leaves begins with the tree of `old` leaves."""
        new = self.size if new is None else new
        if not 0 <= old <= new <= self.size:
            raise ValueError("sizes must satisfy 0 <= old <= new <= size of the log")
        if old in (0, new):
            return []
        return self._consistency(old, 0, new, True)

    def _consistency(self, old: int, start: int, stop: int, whole: bool) -> list[bytes]:
        count = stop - start
        if old == count:
            return [] if whole else [self._subtree(start, stop)]
        half = _split(count)
        middle = start + half
        if old <= half:
            return [*self._consistency(old, start, middle, whole), self._subtree(middle, stop)]
        return [*self._consistency(old - half, middle, stop, False), self._subtree(start, middle)]


def _split(count: int) -> int:
    """The largest power of two smaller than `count`."""
    return 1 << (count - 1).bit_length() - 1


def _small_path(index: int, nodes: list[bytes]) -> list[bytes]:
    if len(nodes) == 1:
        return []
    half = _split(len(nodes))
    if index < half:
        return [*_small_path(index, nodes[:half]), _fold(nodes[half:])]
    return [*_small_path(index - half, nodes[half:]), _fold(nodes[:half])]


def _fold(nodes: list[bytes]) -> bytes:
    if len(nodes) == 1:
        return nodes[0]
    half = _split(len(nodes))
    return node_hash(_fold(nodes[:half]), _fold(nodes[half:]))


def check_inclusion(data: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """RFC 9162 section 2.1.3.2: what a stranger runs who holds only a root."""
    if not 0 <= index < size:
        return False
    position, last = index, size - 1
    node = leaf_hash(data)
    for step in path:
        if last == 0:
            return False
        if position & 1 or position == last:
            node = node_hash(step, node)
            while not position & 1 and position:
                position >>= 1
                last >>= 1
        else:
            node = node_hash(node, step)
        position >>= 1
        last >>= 1
    return last == 0 and node == root


def check_consistency(old: int, new: int, path: Sequence[bytes], old_root: bytes, new_root: bytes) -> bool:
    """RFC 9162 section 2.1.4.2."""
    if old > new or old < 0:
        return False
    if old == new:
        return not path and old_root == new_root
    if old == 0:
        return not path and old_root == EMPTY_ROOT
    steps = list(path)
    if old & (old - 1) == 0:
        steps.insert(0, old_root)
    if not steps:
        return False
    position, last = old - 1, new - 1
    while position & 1:
        position >>= 1
        last >>= 1
    first = second = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if position & 1 or position == last:
            first = node_hash(step, first)
            second = node_hash(step, second)
            while not position & 1 and position:
                position >>= 1
                last >>= 1
        else:
            second = node_hash(second, step)
        position >>= 1
        last >>= 1
    return last == 0 and first == old_root and second == new_root


def missing_tiles(
    size: int,
    since: int,
    leaves: Callable[[int, int], list[bytes]],
    roots: Callable[[int, int], list[bytes]],
) -> Iterable[tuple[int, int, bytes]]:
    """Yield (level, index, root) of the tiles that a log of `size` has and one of `since` had not, lowest level first.

    `roots(level, index)` gives the 256 tiles of `level` below tile `index` of the next level; they were yielded, and so
    kept, before they are asked for.
    """
    level, span = 1, TILE_LEAVES
    while span <= size:
        for index in range(since // span, size // span):
            frontier = Frontier()
            if level == 1:
                for data in leaves(index * span, (index + 1) * span):
                    frontier.append(data)
                complete = frontier.size == TILE_LEAVES
            else:
                below = roots(level - 1, index)
                for root in below:
                    frontier.append_tile(root, 1)
                complete = len(below) == TILE_LEAVES
            if not complete:
                return  # a hole in the log: verification will name it
            yield level, index, frontier.root()
        level, span = level + 1, span << TILE_BITS
