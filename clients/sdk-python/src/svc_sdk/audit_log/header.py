"""The first line of an export: tenant, range of records, and signing keys."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..encoding import is_hash
from ..json_text import is_count
from .fault import Fault
from .note import Note, NoteKey, is_signed_by, read_key

_KNOWN_FORMAT = "svc-audit-export/1"
_KEYS_MAX = 10_000
_TENANT_FORM = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
_BEFORE_THE_FIRST = "0" * 64


@dataclass(frozen=True)
class ChainKey:
    """A key and the range of checkpoints it signs."""

    key: NoteKey
    from_seq: int
    until_seq: float
    """Infinity for the current key."""


@dataclass(frozen=True)
class Header:
    tenant_id: str
    origin: str
    keys: tuple[ChainKey, ...]
    from_seq: int
    to_seq: int
    previous_hash: str


def read_header(line: dict[str, Any]) -> Header:
    tenant_id, origin, previous_hash = (line.get(name) for name in ("tenant_id", "origin", "previous_hash"))
    from_seq, to_seq = line.get("from_seq"), line.get("to_seq")
    if line.get("format") != _KNOWN_FORMAT:
        raise Fault(f"the first line does not say {_KNOWN_FORMAT}")
    if not isinstance(tenant_id, str) or _TENANT_FORM.fullmatch(tenant_id) is None:
        raise Fault("the header names no tenant")
    if not isinstance(origin, str) or origin != f"svc/{tenant_id}":
        raise Fault(f"the header's origin is not that of {tenant_id}")
    first, last = _seq_of(from_seq), _seq_of(to_seq)
    if first is None or last is None or first > last:
        raise Fault("the header names no span of records")
    if not isinstance(previous_hash, str) or not is_hash(previous_hash):
        raise Fault("the header does not say which hash comes before the first record")
    if first == 1 and previous_hash != _BEFORE_THE_FIRST:
        raise Fault("the first record of a chain follows 64 zeros, and the header says otherwise", 1)
    return Header(tenant_id, origin, _read_keys(line.get("keys"), origin), first, last, previous_hash)


def _read_keys(items: Any, origin: str) -> tuple[ChainKey, ...]:
    """Each key starts where the previous one ends, and only the last is open-ended."""
    if not isinstance(items, list) or not 0 < len(items) <= _KEYS_MAX:
        raise Fault("the header lists no keys")
    keys: list[ChainKey] = []
    for item in items:
        key = _read_chain_key(item, origin)
        begins = keys[-1].until_seq + 1 if keys else 1
        is_cut_short = key.until_seq == math.inf and len(keys) < len(items) - 1
        if key.from_seq != begins or key.until_seq < begins or is_cut_short:
            raise Fault(f"the key {key.key.key_id} does not take over where the one before it ends")
        keys.append(key)
    return tuple(keys)


def _read_chain_key(item: Any, origin: str) -> ChainKey:
    if not isinstance(item, dict):
        raise Fault("the header lists something that is no key")
    from_seq, until_seq = _seq_of(item.get("from_seq")), item.get("until_seq", False)
    ends = is_count(until_seq) and is_count(until_seq + 1)
    if from_seq is None or not (until_seq is None or ends):
        raise Fault("a key of the header has no span of records")
    public_key = item.get("public_key")
    if not isinstance(public_key, str):
        raise Fault("a key of the header has no public key")
    try:
        key = read_key(origin, public_key)
    except TypeError as error:
        raise Fault(str(error)) from None
    if key.key_id != item.get("key_id"):
        raise Fault(f"the key {_words(item)[:16]} has another id than its bytes give")
    return ChainKey(key, from_seq, math.inf if until_seq is None else int(until_seq))


def _words(item: dict[str, Any]) -> str:
    """The id as ECMAScript would print it, so that every verifier says the same."""
    key_id = item.get("key_id", ...)
    plain = {None: "null", True: "true", False: "false"}
    if key_id is ...:
        return "undefined"
    if key_id is None or isinstance(key_id, bool):
        return plain[key_id]
    return "[object Object]" if isinstance(key_id, dict) else str(key_id)


def is_signed_in_time(note: Note, keys: Sequence[ChainKey]) -> bool:
    """A key is valid only for sizes in its range."""
    return any(one.from_seq <= note.size <= one.until_seq and is_signed_by(note, one.key) for one in keys)


def _seq_of(value: Any) -> int | None:
    return int(value) if is_count(value) and value >= 1 else None
