"""Witness cosignatures of signed notes: who has seen how much of a chain, and when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..encoding import from_base64, sha256
from ..json_text import WHOLE_NUMBER_MAX
from ..signature import verifies
from .fault import Fault
from .note import NAME_FORM, Note

_WITNESSES_MAX = 64
_KEY_FORM = re.compile(rf"({NAME_FORM}{{1,200}})\+([0-9a-f]{{8}})\+([A-Za-z0-9+/]{{44}})")
_COSIGNATURE_TYPE = 4
_TIME_BYTES = 8
_COSIGNATURE_BYTES = 72


@dataclass(frozen=True)
class Cosigned:
    """How far one witness has seen a chain."""

    name: str
    size: int
    at_seconds: int
    """When it saw that, in epoch seconds."""


@dataclass(frozen=True)
class Witnessed:
    """How far witnesses you trust have cosigned a chain."""

    size: int
    """Records up to this one are vouched for by the needed number of witnesses, at least one."""
    by: list[Cosigned]

    def to_json(self) -> dict[str, Any]:
        return {"size": self.size, "by": [dict(vars(one)) for one in self.by]}


@dataclass(frozen=True)
class WitnessKey:
    name: str
    key_id: str
    raw: bytes


class Witnesses:
    def __init__(self) -> None:
        self._needed = 0
        self._keys: dict[str, WitnessKey] = {}
        self._newest: dict[WitnessKey, Cosigned] = {}

    def trust(self, texts: Sequence[str], needed: int) -> None:
        if isinstance(needed, bool) or not isinstance(needed, int) or needed < 0:
            raise Fault("the witnesses needed are no number")
        self._needed = needed
        for text in texts:
            self._keys[text] = read_witness_key(text)
        size = len(self._keys)
        if size > _WITNESSES_MAX:
            raise Fault(f"more than {_WITNESSES_MAX} keys of witnesses are given")
        if needed > size:
            raise Fault(f"{needed} witnesses are needed, and the keys of {size} are given")

    def take(self, note: Note) -> None:
        """Only for notes whose root matches the records."""
        for key in self._keys.values():
            at_seconds = _cosigned_at(note, key)
            before = self._newest.get(key)
            if at_seconds is not None and (before is None or note.size >= before.size):
                self._newest[key] = Cosigned(key.name, note.size, at_seconds)

    def finish(self) -> None:
        if self._needed > len(self._newest):
            count = f"{len(self._newest)} of yours have cosigned a checkpoint of this chain"
            raise Fault(f"{self._needed} witnesses are needed, and {count}")

    def verdict(self) -> Witnessed | None:
        if not self._keys:
            return None
        by = sorted(self._newest.values(), key=lambda one: one.name.encode("utf-16-be", "surrogatepass"))
        by.sort(key=lambda one: -one.size)
        place = max(1, self._needed) - 1
        return Witnessed(by[place].size if place < len(by) else 0, by)


def read_witness_key(text: Any) -> WitnessKey:
    """`name+id+key`, as published by a witness. Raises a Fault if invalid or if the id does not match the key."""
    form = _KEY_FORM.fullmatch(text) if isinstance(text, str) else None
    typed = from_base64(form.group(3)) if form else None
    if form is None or typed is None or len(typed) != 33 or typed[0] != _COSIGNATURE_TYPE:
        shown = f'"{text}"' if isinstance(text, str) else str(text)
        raise Fault(f"{shown[:120]} is no key of a witness; it reads name+id+key, as the witness shows it")
    name, key_id = form.group(1), form.group(2)
    if sha256(f"{name}\n".encode("utf-8", "replace") + typed)[:4].hex() != key_id:
        raise Fault(f"the key of the witness {name} has another id than its bytes give")
    return WitnessKey(name, key_id, typed[1:])


def _cosigned_at(note: Note, key: WitnessKey) -> int | None:
    """When this witness saw the note, in seconds; None if it did not sign. Raises a Fault for an invalid signature."""
    newest: int | None = None
    for line in note.signatures:
        if line.name != key.name or line.key_id != key.key_id:
            continue
        seconds = _time_of(note, line.signature, key)
        if seconds is None:
            where = f"under the checkpoint of size {note.size}"
            raise Fault(f"the cosignature of {key.name} {where} is not its own")
        newest = max(newest or 0, seconds)
    return newest


def _time_of(note: Note, data: bytes, key: WitnessKey) -> int | None:
    if len(data) != _COSIGNATURE_BYTES:
        return None
    seconds = int.from_bytes(data[:_TIME_BYTES], "big")
    if seconds >= WHOLE_NUMBER_MAX:
        return None
    message = f"cosignature/v1\ntime {seconds}\n{note.text}".encode("utf-8", "replace")
    return seconds if verifies(key.raw, message, data[_TIME_BYTES:]) else None
