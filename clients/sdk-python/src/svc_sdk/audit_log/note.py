"""C2SP signed notes as checkpoints: origin, size, root, an empty line, and a line per signature."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..encoding import from_base64, sha256
from ..json_text import WHOLE_NUMBER_MAX
from ..signature import key_bytes, verifies

_NOTE_CHARS_MAX = 16_384
_SIZE_FORM = re.compile(r"0|[1-9][0-9]{0,15}")
# The white space of ECMAScript, so that every reader accepts the same names.
_SPACE = r"\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
NAME_FORM = rf"[^{_SPACE}+]"
_SIGNATURE_FORM = re.compile(rf"\u2014 ({NAME_FORM}+) ([A-Za-z0-9+/]+=*)")
_KEY_ID_BYTES = 4
_HASH_BYTES = 32
_SIGNATURE_BYTES = 64
_ED25519 = b"\x01"


@dataclass(frozen=True)
class SignatureLine:
    name: str
    key_id: str
    signature: bytes


@dataclass(frozen=True)
class Note:
    origin: str
    size: int
    root: str
    """Hex."""
    text: str
    """What was signed."""
    signatures: tuple[SignatureLine, ...]


@dataclass(frozen=True)
class NoteKey:
    """A key with the name it signs under."""

    key_id: str
    name: str
    public_key: str
    """base64url, as given."""
    raw: bytes

    def is_signed(self, message: bytes, signature: bytes) -> bool:
        return verifies(self.raw, message, signature)


def read_note(text: Any) -> Note | None:
    """None if the text is not exactly in this form."""
    if not isinstance(text, str) or len(text) > _NOTE_CHARS_MAX:
        return None
    lines = text.split("\n")
    if len(lines) < 6 or lines[3] != "" or lines[-1] != "" or not lines[0]:
        return None
    origin, size, root = lines[:3]
    root_bytes = from_base64(root)
    if _SIZE_FORM.fullmatch(size) is None or int(size) >= WHOLE_NUMBER_MAX:
        return None
    if root_bytes is None or len(root_bytes) != _HASH_BYTES:
        return None
    signatures = [_read_signature(line) for line in lines[4:-1]]
    complete = tuple(line for line in signatures if line is not None)
    if len(complete) < len(signatures):
        return None
    return Note(origin, int(size), root_bytes.hex(), f"{origin}\n{size}\n{root}\n", complete)


def _read_signature(line: str) -> SignatureLine | None:
    form = _SIGNATURE_FORM.fullmatch(line)
    data = from_base64(form.group(2)) if form else None
    if form is None or data is None:
        return None
    return SignatureLine(form.group(1), data[:_KEY_ID_BYTES].hex(), data[_KEY_ID_BYTES:])


def read_key(name: str, public_key: Any) -> NoteKey:
    """A raw Ed25519 key in base64url, with its signer name. Raises TypeError if invalid."""
    raw = key_bytes(public_key) if isinstance(public_key, str) else None
    if raw is None:
        raise TypeError(f"{_shown(public_key)} is not an Ed25519 public key in base64url")
    digest = sha256(_utf8(name) + b"\n" + _ED25519 + raw)
    return NoteKey(digest[:_KEY_ID_BYTES].hex(), name, public_key, raw)


def is_signed_by(note: Note, key: NoteKey) -> bool:
    """Lines of other signers, such as witnesses, are skipped."""
    return any(
        line.name == key.name
        and line.key_id == key.key_id
        and len(line.signature) == _SIGNATURE_BYTES
        and key.is_signed(_utf8(note.text), line.signature)
        for line in note.signatures
    )


def _utf8(text: str) -> bytes:
    # A lone surrogate becomes U+FFFD, as in every encoder of UTF-8 on the web.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _shown(value: Any) -> str:
    from json import dumps

    return (dumps(value, ensure_ascii=False) if isinstance(value, (str, int)) else str(value))[:80]
