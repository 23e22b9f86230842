"""Checks one receipt offline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..canonical import NoCanonicalForm, canonical_json
from ..encoding import sha256_hex
from .merkle import root_of_path
from .note import is_signed_by, read_key, read_note


@dataclass(frozen=True)
class ReceiptVerdict:
    """Whether a receipt proves its record, and if not, why."""

    ok: bool
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"ok": True} if self.ok else {"ok": False, "reason": self.reason}


def verify_receipt(receipt: Any, public_keys: Sequence[str]) -> ReceiptVerdict:
    """Checks the record's hash, its path to the root of the tree, and the signature over that root.

    `public_keys` (base64url) are those you trust for the tenant. Never raises: whatever is wrong is the verdict.
    """
    try:
        reason = _fault_of(receipt, public_keys)
    except (NoCanonicalForm, TypeError) as error:
        reason = f"the receipt cannot be read: {error}"
    return ReceiptVerdict(reason is None, reason)


def _fault_of(receipt: Any, public_keys: Sequence[str]) -> str | None:
    if not isinstance(receipt, dict) or not isinstance(receipt.get("record"), dict):
        return "the receipt holds no record"
    body = {
        name: value
        for name, value in receipt["record"].items()
        if name not in ("previous_hash", "record_hash")
    }
    previous, record_hash = (receipt["record"].get(name) for name in ("previous_hash", "record_hash"))
    text = f"{previous if isinstance(previous, str) else ''}{canonical_json(body)}"
    if not isinstance(record_hash, str) or sha256_hex(text.encode("utf-8", "replace")) != record_hash:
        return "the record does not have the hash it states"
    note = read_note(receipt.get("checkpoint"))
    if note is None:
        return "the checkpoint is no signed note"
    tenant = body["tenant_id"] if isinstance(body.get("tenant_id"), str) else "no tenant"
    origin = f"svc/{tenant}"
    if note.origin != origin:
        return f"the checkpoint is not of the chain of {tenant}"
    tree_size, seq = receipt.get("tree_size"), body.get("seq")
    if isinstance(tree_size, bool) or note.size != tree_size:
        return "the checkpoint is of another size than the receipt"
    is_number = isinstance(seq, (int, float)) and not isinstance(seq, bool)
    index = seq - 1 if is_number and seq is not None else -1
    if root_of_path(record_hash, index, note.size, receipt.get("inclusion_path")) != note.root:
        return "the path does not lead from the record to the signed root"
    if any(is_signed_by(note, read_key(origin, public_key)) for public_key in public_keys):
        return None
    return "the checkpoint is not signed by a key you trust"
