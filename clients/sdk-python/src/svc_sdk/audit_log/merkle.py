"""RFC 6962 and RFC 9162: roots of trees, inclusion and consistency proofs, and proofs of a range of leaves."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..encoding import is_hash
from ..json_text import is_count

_PATH_LENGTH_MAX = 64
# Both edges of a range have a path.
_AROUND_MAX = 128

EMPTY_ROOT = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True)
class SizedRoot:
    """A tree: its number of records and its root in hex."""

    size: int
    root: str


def _hash_leaf(record_hash: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + record_hash).digest()


def _hash_pair(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def is_path(path: Any, length_max: int = _PATH_LENGTH_MAX) -> bool:
    """Only lowercase hex is accepted."""
    return isinstance(path, (list, tuple)) and len(path) <= length_max and all(map(is_hash, path))


def root_of_path(record_hash: Any, index: Any, size: Any, path: Any) -> str | None:
    """The root from a record and its path; None if the path does not fit this position and size."""
    if not is_count(index) or not is_count(size) or index >= size:
        return None
    if not is_path(path) or not is_hash(record_hash):
        return None
    place, last = int(index), int(size) - 1
    node = _hash_leaf(bytes.fromhex(record_hash))
    for sibling in path:
        # The last node of a level without a sibling moves up unchanged.
        while last > 0 and place == last and place % 2 == 0:
            place, last = place // 2, last // 2
        if last == 0:
            return None
        other = bytes.fromhex(sibling)
        node = _hash_pair(other, node) if place % 2 == 1 else _hash_pair(node, other)
        place, last = place // 2, last // 2
    return node.hex() if last == 0 else None


def is_grown_from(first: SizedRoot, second: SizedRoot, path: Any) -> bool:
    """Whether the first tree is a prefix of the second. The empty tree is a prefix of all."""
    if not is_count(first.size) or not is_count(second.size) or first.size > second.size or not is_path(path):
        return False
    if first.size == 0:
        return len(path) == 0 and first.root == EMPTY_ROOT
    if first.size == second.size:
        return len(path) == 0 and first.root == second.root
    # If the first tree is a complete subtree, its root is the first node and is not in the proof.
    place, last = int(first.size) - 1, int(second.size) - 1
    while place % 2 == 1:
        place, last = place // 2, last // 2
    nodes = [first.root, *path] if place == 0 else list(path)
    if not nodes:
        return False
    old_root = new_root = bytes.fromhex(nodes[0])
    for text in nodes[1:]:
        while last > 0 and place == last and place % 2 == 0:
            place, last = place // 2, last // 2
        if last == 0:
            return False
        node = bytes.fromhex(text)
        if place % 2 == 1:
            old_root, new_root = _hash_pair(node, old_root), _hash_pair(node, new_root)
        else:
            new_root = _hash_pair(new_root, node)
        place, last = place // 2, last // 2
    return last == 0 and old_root.hex() == first.root and new_root.hex() == second.root


def root_of_row(record_hashes: Sequence[str], index: Any, size: Any, around: Any) -> str | None:
    """The root of a range of leaves and the nodes around it; None if they do not fit."""
    if not is_count(index) or not is_count(size) or not record_hashes:
        return None
    start, past = int(index), int(index) + len(record_hashes)
    if past > size or not is_path(around, _AROUND_MAX) or not is_path(record_hashes, len(record_hashes)):
        return None
    nodes = list(reversed(around))

    def within(begin: int, end: int) -> bytes | None:
        if end <= start or begin >= past:
            return bytes.fromhex(nodes.pop()) if nodes else None
        if end - begin == 1:
            return _hash_leaf(bytes.fromhex(record_hashes[begin - start]))
        split = begin + _largest_power_below(end - begin)
        left = within(begin, split)
        right = None if left is None else within(split, end)
        return None if left is None or right is None else _hash_pair(left, right)

    root = within(0, int(size))
    return root.hex() if root is not None and not nodes else None


def _largest_power_below(span: int) -> int:
    power = 1
    while power * 2 < span:
        power *= 2
    return power


class GrowingTree:
    """Takes every record's hash and tells roots at increasing sizes; stores 32 bytes per record."""

    def __init__(self, kept_sizes: Iterable[int]) -> None:
        """The roots at `kept_sizes` can be read later, in any order."""
        self._kept_sizes = frozenset(kept_sizes)
        self._kept_roots: dict[int, str] = {}
        self._hashes = bytearray()
        # Roots of the complete subtrees counted so far, largest first.
        self._subtrees: list[bytes] = []
        self._counted = 0

    def add(self, record_hash: str) -> None:
        self._hashes += bytes.fromhex(record_hash)

    def root_at(self, size: int) -> str | None:
        """None for a past size that was not kept, and for a size not reached yet."""
        while self._counted < min(size, len(self._hashes) // 32):
            self._count_next()
            if self._counted in self._kept_sizes:
                self._kept_roots[self._counted] = self._root()
        if size == self._counted and size > 0:
            return self._root()
        return self._kept_roots.get(size)

    def _count_next(self) -> None:
        at = self._counted * 32
        node = _hash_leaf(bytes(self._hashes[at : at + 32]))
        rest = self._counted
        while rest % 2 == 1:
            node = _hash_pair(self._subtrees.pop(), node)
            rest //= 2
        self._subtrees.append(node)
        self._counted += 1

    def _root(self) -> str:
        root = self._subtrees[-1]
        for left in reversed(self._subtrees[:-1]):
            root = _hash_pair(left, root)
        return root.hex()
