"""Checks an answer of MAZE prove offline: the path to its root, and that this root is signed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..encoding import from_base64, is_hash
from ..json_text import is_count
from ..models import Output
from .merkle import EMPTY_ROOT, SizedRoot, is_grown_from, root_of_path, root_of_row
from .note import Note, is_signed_by, read_key, read_note

_ALGORITHM = "RFC9162-SHA256"
_NODES_MAX = 128
_SEGMENT_MAX = 1000
_NO_RECORD = "0" * 64

# Other fields are unsigned but would look signed, so they are rejected.
_FIELDS = frozenset(["kind", "tree_size", "root_hash", "proof", "checkpoint", "checkpoint_proof", "verify"])
_FIELDS_OF = {
    "inclusion": _FIELDS | {"leaf_index", "leaf"},
    "consistency": _FIELDS | {"first_size", "first_root"},
    "segment": _FIELDS | {"leaf_index", "segment", "previous_hash"},
}
_FIELDS_WITHIN = {
    "leaf": frozenset(["record_hash", "canonical_commitment"]),
    "segment": frozenset(["seq", "record_hash", "canonical_commitment"]),
    "verify": frozenset(["algorithm"]),
}


@dataclass(frozen=True)
class ProofVerdict:
    """The verdict on an answer of MAZE prove."""

    ok: bool
    """The answer is consistent."""
    vouched: bool
    """A key you trust signed it, or a note you kept confirms it. Otherwise anyone could have made it."""
    kind: Literal["inclusion", "consistency", "segment"] | None = None
    tenant_id: str | None = None
    tree_size: int | None = None
    root_hash: str | None = None
    reason: str | None = None
    """What is wrong, in one sentence."""

    def to_json(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not None}


class _Wrong(Exception):
    pass


def verify_proof(
    answer: Any, *, trusted_keys: Sequence[str] = (), checkpoints: Sequence[str] = ()
) -> ProofVerdict:
    """Checks the path to its root, and what vouches for that root.

    `trusted_keys` are public keys (base64url) you trust for the organization, `checkpoints` signed notes you kept: at
    their size, the tree must have their root. Never raises: whatever is wrong is the verdict.
    """
    try:
        plain = answer.to_json() if isinstance(answer, Output) else answer
        return _judge(plain, trusted_keys, checkpoints)
    except _Wrong as wrong:
        return ProofVerdict(False, False, reason=str(wrong))
    except TypeError as error:
        return ProofVerdict(False, False, reason=f"the proof cannot be read: {error}")


@dataclass(frozen=True)
class _Proof:
    answer: dict[str, Any]
    tree: SizedRoot
    path: list[str]
    note: Note | None
    bridge: list[str]


def _judge(answer: Any, trusted_keys: Sequence[str], checkpoints: Sequence[str]) -> ProofVerdict:
    verify, kind = (answer.get("verify"), answer.get("kind")) if isinstance(answer, dict) else (None, None)
    if not isinstance(verify, dict) or not isinstance(kind, str):
        raise _Wrong("it is no answer of MAZE prove")
    if verify.get("algorithm") != _ALGORITHM or kind not in _CHECKS:
        raise _Wrong(f"it is no proof of {_ALGORITHM} that is known here")
    stray = _stray_field(answer, _FIELDS_OF[kind])
    if stray is not None:
        raise _Wrong(f"it has a field {stray[:40]}, which nobody has signed")
    proof = _read_proof(answer)
    _CHECKS[kind](proof)
    _check_checkpoint(proof)
    vouched = _compare_kept(proof, checkpoints) or _is_signed_by_any(proof.note, trusted_keys)
    if not vouched and len(trusted_keys) > 0:
        what = "the checkpoint" if proof.note else "that the log is empty"
        raise _Wrong(f"{what} is not signed by a key you trust")
    return ProofVerdict(
        ok=True,
        vouched=vouched,
        kind=kind,  # type: ignore[arg-type]
        tenant_id=proof.note.origin.removeprefix("svc/") if proof.note else None,
        tree_size=int(proof.tree.size),
        root_hash=proof.tree.root,
    )


def _stray_field(answer: dict[str, Any], fields: frozenset[str]) -> str | None:
    def stray_in(value: Any, names: frozenset[str]) -> str | None:
        return next((name for name in value if name not in names), None) if isinstance(value, dict) else None

    own = stray_in(answer, fields)
    if own is not None:
        return own
    for name, names in _FIELDS_WITHIN.items():
        value = answer.get(name)
        for one in value if isinstance(value, list) else [value]:
            stray = stray_in(one, names)
            if stray is not None:
                return stray
    return None


def _read_proof(answer: dict[str, Any]) -> _Proof:
    path, bridge = _hex_nodes(answer.get("proof")), _hex_nodes(answer.get("checkpoint_proof", []))
    note = read_note(answer.get("checkpoint"))
    size, root = answer.get("tree_size"), answer.get("root_hash")
    is_noted = "checkpoint" not in answer or note is not None
    if not is_count(size) or not is_hash(root) or path is None or bridge is None or not is_noted:
        raise _Wrong("its size, its root or its path have no form that is known here")
    return _Proof(answer, SizedRoot(int(size), str(root)), path, note, bridge)  # type: ignore[arg-type]


def _check_inclusion(proof: _Proof) -> None:
    leaf, index = proof.answer.get("leaf"), proof.answer.get("leaf_index")
    record_hash = leaf.get("record_hash") if isinstance(leaf, dict) else None
    if not isinstance(leaf, dict) or not is_hash(record_hash) or not is_count(index):
        raise _Wrong("it names no leaf")
    if leaf.get("canonical_commitment") != record_hash:
        raise _Wrong("the record stored under this hash has another content than was hashed")
    if root_of_path(record_hash, index, proof.tree.size, proof.path) != proof.tree.root:
        raise _Wrong("the path does not lead from the record to the root")


def _check_consistency(proof: _Proof) -> None:
    size, root = proof.answer.get("first_size"), proof.answer.get("first_root")
    if not is_count(size) or not is_hash(root):
        raise _Wrong("it names no first tree")
    first = SizedRoot(int(size), str(root))  # type: ignore[arg-type]
    if not is_grown_from(first, proof.tree, proof.path):
        raise _Wrong(f"the tree of {proof.tree.size} records did not grow out of that of {first.size}")


def _check_segment(proof: _Proof) -> None:
    rows, index = proof.answer.get("segment"), proof.answer.get("leaf_index")
    if not isinstance(rows, list) or not 0 < len(rows) <= _SEGMENT_MAX or not is_count(index):
        raise _Wrong("it holds no row")
    start = int(index)  # type: ignore[arg-type]
    hashes: list[str] = []
    for seq, row in enumerate(rows, start + 1):
        record_hash = row.get("record_hash") if isinstance(row, dict) else None
        if not isinstance(row, dict) or not _is_seq(row.get("seq"), seq) or not isinstance(record_hash, str):
            raise _Wrong(f"record {seq} is missing")
        if not is_hash(record_hash):
            raise _Wrong(f"record {seq} is missing")
        if row.get("canonical_commitment") != record_hash:
            raise _Wrong(f"the content of record {seq} has another hash than it states")
        hashes.append(record_hash)
    previous = proof.answer.get("previous_hash")
    if not isinstance(previous, str) or not is_hash(previous) or (start == 0 and previous != _NO_RECORD):
        raise _Wrong("it does not say which hash comes before the first")
    row_hashes = hashes if start == 0 else [previous, *hashes]
    if root_of_row(row_hashes, max(0, start - 1), proof.tree.size, proof.path) != proof.tree.root:
        raise _Wrong("the hashes do not lead to the root")


def _is_seq(value: Any, seq: int) -> bool:
    return not isinstance(value, bool) and isinstance(value, (int, float)) and value == seq


_CHECKS: dict[str, Callable[[_Proof], None]] = {
    "inclusion": _check_inclusion,
    "consistency": _check_consistency,
    "segment": _check_segment,
}


def _check_checkpoint(proof: _Proof) -> None:
    """A checkpoint of a larger tree vouches for this one if it extends it."""
    tree, note = proof.tree, proof.note
    if note is None:
        if tree.size != 0 or tree.root != EMPTY_ROOT:
            raise _Wrong("it comes with no checkpoint")
    elif not note.origin.startswith("svc/"):
        raise _Wrong(f"the checkpoint is of another log, {note.origin[:80]}")
    elif not is_grown_from(tree, SizedRoot(note.size, note.root), proof.bridge):
        raise _Wrong(f"the signed tree of {note.size} records did not grow out of this one")


def _compare_kept(proof: _Proof, texts: Sequence[str]) -> bool:
    """Whether a note you kept vouches for it."""
    tree, note, answer = proof.tree, proof.note, proof.answer
    vouches = False
    for text in texts:
        kept = read_note(text)
        if kept is None:
            raise _Wrong("a checkpoint you kept is no signed note")
        if note is None or kept.origin != note.origin:
            raise _Wrong(f"a checkpoint you kept is of another log, {kept.origin[:80]}")
        first = (answer.get("first_size"), answer.get("first_root"))
        trees = [(tree.size, tree.root), (note.size, note.root), first]
        if any(size == kept.size and root != kept.root for size, root in trees):
            what = f"the checkpoint you kept of size {kept.size} has another root"
            raise _Wrong(f"{what}: the log was rewritten")
        vouches = vouches or kept.size == note.size or (kept.size == tree.size and tree.size > 0)
    return vouches


def _is_signed_by_any(note: Note | None, keys: Sequence[str]) -> bool:
    # Without a signature, anyone could claim that a log is empty.
    return note is not None and any(is_signed_by(note, read_key(note.origin, key)) for key in keys)


def _hex_nodes(value: Any) -> list[str] | None:
    """Only the canonical spelling."""
    if not isinstance(value, list) or len(value) > _NODES_MAX:
        return None
    nodes = [from_base64(node) if isinstance(node, str) else None for node in value]
    if any(node is None or len(node) != 32 for node in nodes):
        return None
    return [node.hex() for node in nodes if node is not None]
