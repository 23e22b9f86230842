"""A key change is a record signed by the old and the new key, covered by the old key's last checkpoint."""

from __future__ import annotations

from typing import Any

from ..canonical import canonical_json
from ..encoding import from_base64url
from .fault import Fault
from .header import ChainKey, Header

_ROTATION_EVENT = "AuditKeyRotated"
_SIGNING_DOMAIN = "svc-audit-v1"


class KeyChanges:
    """Compares the header's keys with the key changes in the chain."""

    def __init__(self, header: Header) -> None:
        self._tenant_id = header.tenant_id
        pairs = list(zip(header.keys, header.keys[1:]))
        # Keyed by the last record of the old key, which must be the key change.
        self._changes = {before.until_seq: (before, after) for before, after in pairs}
        ends = [before.until_seq for before, _ in pairs]
        self._uncovered = [seq for seq in ends if header.from_seq <= seq <= header.to_seq]

    def take_record(self, seq: int, record: dict[str, Any]) -> None:
        change = self._changes.get(seq)
        tells = record.get("event_type") == _ROTATION_EVENT
        if change is None:
            if tells:
                raise Fault("the record tells of a change of keys that the header does not know", seq)
            return
        before, after = change
        if not tells:
            who = f"the key {after.key.key_id} follows {before.key.key_id}"
            raise Fault(f"{who}, but no record tells of the change", seq)
        meta = record.get("meta")
        if not self._is_signed_by_both(seq, before, after, meta if isinstance(meta, dict) else {}):
            raise Fault("the change of keys is not signed by the key before it and the key after it", seq)

    def take_checkpoint(self, size: int) -> None:
        if size in self._uncovered:
            self._uncovered.remove(size)

    def finish(self) -> None:
        """Without the old key's last checkpoint, a thief of the new key could rewrite earlier records."""
        for seq in self._uncovered:
            raise Fault("no checkpoint of the old key covers the change of keys", int(seq))

    def _is_signed_by_both(self, seq: int, before: ChainKey, after: ChainKey, meta: dict[str, Any]) -> bool:
        old_key_id, new_key_id = meta.get("old_key_id"), meta.get("new_key_id")
        new_public_key = meta.get("new_public_key")
        if old_key_id != before.key.key_id or new_key_id != after.key.key_id:
            return False
        # An id is only four bytes of a digest, so the whole key is compared.
        if new_public_key != after.key.public_key:
            return False
        place = {"seq": seq, "tenant_id": self._tenant_id, "old_key_id": old_key_id}
        return _is_statement_of(
            before, {**place, "new_public_key": new_public_key}, meta.get("old_signature")
        ) and _is_statement_of(after, {**place, "new_key_id": new_key_id}, meta.get("new_signature"))


def _is_statement_of(key: ChainKey, statement: dict[str, Any], signature: Any) -> bool:
    data = from_base64url(signature) if isinstance(signature, str) else None
    message = f"{_SIGNING_DOMAIN}\n{canonical_json(statement)}".encode()
    return data is not None and key.key.is_signed(message, data)
