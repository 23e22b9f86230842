"""Text encodings of bytes. Only one spelling of the same bytes is accepted."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re

_HASH_FORM = re.compile(r"[0-9a-f]{64}")
_BASE64URL_FORM = re.compile(r"[A-Za-z0-9_-]*")


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def sha256_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def is_hash(value: object) -> bool:
    """Whether it is a SHA-256 in lowercase hex."""
    return isinstance(value, str) and _HASH_FORM.fullmatch(value) is not None


def to_base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def from_base64(text: str) -> bytes | None:
    """None if the text is not the canonical encoding, with padding."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, ValueError):
        return None
    return data if base64.b64encode(data).decode("ascii") == text else None


def from_base64url(text: str) -> bytes | None:
    """None if the text is not the canonical encoding, without padding."""
    if _BASE64URL_FORM.fullmatch(text) is None:
        return None
    padding = "=" * (-len(text) % 4)
    return from_base64(text.replace("-", "+").replace("_", "/") + padding)
