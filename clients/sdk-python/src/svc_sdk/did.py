"""`did:oas:<namespace>:<entity_kind>:<identifier>`; the identifier is the SHA-256 of the raw Ed25519 public key."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .encoding import sha256_hex

_FORM = re.compile(r"did:oas:([a-z0-9-]{1,63}):([a-z][a-z-]{0,62}):([0-9a-f]{64})")


class NotADid(ValueError):
    """The text is not a DID of exactly this form."""

    def __init__(self) -> None:
        super().__init__("it is no DID; one reads did:oas:<tenant>:<kind>:<64 hex>")


@dataclass(frozen=True)
class Did:
    """A DID in its three parts."""

    namespace: str
    """The tenant it belongs to."""
    entity_kind: str
    identifier: str
    """The digest of its key, in lowercase hex."""

    @staticmethod
    def parse(text: str) -> Did:
        """Raises NotADid."""
        form = _FORM.fullmatch(text)
        if form is None:
            raise NotADid
        return Did(*form.groups())

    @staticmethod
    def of_key(namespace: str, entity_kind: str, public_key: bytes) -> Did:
        """The DID that a public key certifies: no other key has this digest."""
        return Did.parse(f"did:oas:{namespace}:{entity_kind}:{sha256_hex(public_key)}")

    def is_of_key(self, public_key: bytes) -> bool:
        """Whether this is the key it certifies."""
        return self.identifier == sha256_hex(public_key)

    def __str__(self) -> str:
        return f"did:oas:{self.namespace}:{self.entity_kind}:{self.identifier}"


def did_or_none(text: str) -> Did | None:
    try:
        return Did.parse(text)
    except NotADid:
        return None
