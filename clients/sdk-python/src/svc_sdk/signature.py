"""Ed25519 over `<domain>\\n` and canonical JSON: a signature made for one purpose is invalid for another."""

from __future__ import annotations

import secrets
from enum import Enum
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from .canonical import NoCanonicalForm, canonical_json
from .did import Did, did_or_none
from .encoding import from_base64url, sha256_hex, to_base64url

_KEY_BYTES = 32
_SIGNATURE_BYTES = 64


class SigningDomain(str, Enum):
    """The purpose of a signature: the prefix of the signed text."""

    MACS_CHALLENGE = "svc-macs-challenge-v1"
    LINEAGE = "svc-lineage-v1"
    DOCUMENT = "svc-document-v1"
    KEY_EVENT = "svc-key-event-v1"
    ATTESTATION = "svc-attestation-v1"
    DELEGATION = "svc-delegation-v1"
    TREATY = "svc-treaty-v1"
    VOTE = "svc-vote-v1"
    CONTRACT = "svc-contract-v1"
    REGISTRY = "svc-registry-v1"
    TOOL = "svc-tool-v1"
    AUDIT = "svc-audit-v1"
    REPORT = "svc-report-v1"
    DEVICE = "svc-device-v1"
    PLUGIN = "svc-plugin-v1"


class SigningKey:
    """A private Ed25519 key. Its representation does not reveal it."""

    def __init__(self, seed: bytes) -> None:
        """The key of a seed of 32 bytes; deterministic."""
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public_key_bytes: bytes = self._key.public_key().public_bytes_raw()
        self.public_key: str = to_base64url(self.public_key_bytes)
        """Base64url."""

    @staticmethod
    def new_seed() -> bytes:
        """A fresh seed, to be kept secret."""
        return secrets.token_bytes(_KEY_BYTES)

    @staticmethod
    def seed_text(seed: bytes) -> str:
        """A seed as text, base64url: what `SVC_PRIVATE_KEY` and the client's `private_key` take."""
        return to_base64url(seed)

    @property
    def public_key_hash(self) -> str:
        """What commits to this key before it is used, in lowercase hex."""
        return sha256_hex(self.public_key_bytes)

    def did(self, namespace: str, entity_kind: str) -> Did:
        """The DID this key certifies."""
        return Did.of_key(namespace, entity_kind, self.public_key_bytes)

    def sign_bytes(self, data: bytes) -> bytes:
        return self._key.sign(data)

    def sign(self, text: str | bytes) -> str:
        """The signature of exactly these bytes, base64url."""
        return to_base64url(self.sign_bytes(text.encode() if isinstance(text, str) else text))

    def sign_object(self, domain: SigningDomain, value: Any) -> str:
        """The signature of an object for one purpose, base64url."""
        return self.sign(signing_input(domain, value))

    def __repr__(self) -> str:
        return f"SigningKey(public_key={self.public_key!r})"


def signing_input(domain: SigningDomain, value: Any) -> str:
    """The exact text that is signed."""
    return f"{domain.value}\n{canonical_json(value)}"


def is_signed_by(public_key: str, text: str | bytes, signature: str) -> bool:
    """False for anything but a valid signature of these bytes, including malformed keys.

    Key and signature are base64url in one accepted spelling each, so a replay cannot hide behind another spelling.
    """
    key, signed = key_bytes(public_key), from_base64url(signature)
    if key is None or signed is None:
        return False
    return verifies(key, text.encode() if isinstance(text, str) else text, signed)


def is_object_signed_by(public_key: str, domain: SigningDomain, value: Any, signature: str) -> bool:
    """Whether this key signed this object for this purpose."""
    try:
        text = signing_input(domain, value)
    except NoCanonicalForm:
        return False
    return is_signed_by(public_key, text, signature)


def is_key_of(did: str, public_key: str) -> bool:
    """Whether this key (base64url) is the one the DID certifies: its first. For later ones see `key_events`."""
    parsed, key = did_or_none(did), key_bytes(public_key)
    return parsed is not None and key is not None and parsed.is_of_key(key)


def key_bytes(public_key: str) -> bytes | None:
    data = from_base64url(public_key)
    return data if data is not None and len(data) == _KEY_BYTES else None


def verifies(public_key: bytes, message: bytes, signature: bytes) -> bool:
    if len(public_key) != _KEY_BYTES or len(signature) != _SIGNATURE_BYTES:
        return False
    if _is_small_order(public_key) or _is_small_order(signature[:32]):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _is_small_order(point: bytes) -> bool:
    """Whether a point has small order: anybody can sign under such a key."""
    # The sign bit does not matter: these points occur with both signs.
    low = point[:31] + bytes([point[31] & 0x7F])
    return low in _SMALL_ORDER


# 0, 1, -1 and the non-canonical encodings of 0 and 1; then the points of order eight.
_SMALL_ORDER = frozenset(
    [
        bytes([0]) + bytes(31),
        bytes([1]) + bytes(31),
        *(bytes([first]) + b"\xff" * 30 + b"\x7f" for first in (0xEC, 0xED, 0xEE)),
        bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
        bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
    ]
)
