"""W3C Data Integrity with the cryptosuite eddsa-jcs-2022: Ed25519 over two hashes of canonical JSON.

Checked offline, without fetching anything: the key is part of the proof.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from .canonical import NoCanonicalForm, canonical_json
from .encoding import sha256, to_base64url
from .signature import SigningKey, verifies

ProofPurpose = Literal["assertionMethod", "authentication"]

_CRYPTOSUITE = "eddsa-jcs-2022"
# Multicodec of an Ed25519 public key.
_ED25519_PREFIX = b"\xed\x01"
_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_MULTIBASE_CHARS_MAX = 128
_MOMENT_FORM = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})"
)
_FIELDS = frozenset(
    [
        "type",
        "cryptosuite",
        "created",
        "verificationMethod",
        "proofPurpose",
        "proofValue",
        "controller",
        "@context",
    ]
)


def prove_document(
    document: Mapping[str, Any],
    key: SigningKey,
    *,
    created: str,
    controller: str | None = None,
    purpose: ProofPurpose = "assertionMethod",
) -> dict[str, Any]:
    """The proof to insert into the document as `proof`; an existing one is not part of what is signed.

    `controller` is the party making the statement, also if another key signs on its behalf. Raises NoCanonicalForm.
    """
    method = _multibase(_ED25519_PREFIX + key.public_key_bytes)
    options: dict[str, Any] = {
        "type": "DataIntegrityProof",
        "cryptosuite": _CRYPTOSUITE,
        "created": created,
        "verificationMethod": f"did:key:{method}#{method}",
        "proofPurpose": purpose,
    }
    if controller is not None:
        options["controller"] = controller
    # Required by the suite if the document has one.
    if "@context" in document:
        options["@context"] = document["@context"]
    signature = key.sign_bytes(_proof_bytes(document, options))
    return {**options, "proofValue": _multibase(signature)}


def verify_document(
    document: Mapping[str, Any], proof: Any, purpose: ProofPurpose = "assertionMethod"
) -> str | None:
    """The key (base64url) that made this proof of exactly this document; None if the proof is not valid."""
    if not isinstance(proof, Mapping) or not _is_proof(proof, purpose):
        return None
    public_key = _key_of_method(proof["verificationMethod"])
    signature = _from_multibase(proof["proofValue"], 64)
    if public_key is None or signature is None:
        return None
    options = {name: value for name, value in proof.items() if name != "proofValue"}
    try:
        if not _continues_context(document, proof):
            return None
        data = _proof_bytes(document, options)
    except NoCanonicalForm:
        return None
    return to_base64url(public_key) if verifies(public_key, data, signature) else None


def _proof_bytes(document: Mapping[str, Any], options: Mapping[str, Any]) -> bytes:
    """The signed bytes: the hash of the proof's options, then the hash of the document without its proof."""
    unsecured = {name: value for name, value in document.items() if name != "proof"}
    # Contexts may have been added since; those present at signing count.
    if "@context" in options:
        unsecured["@context"] = options["@context"]
    return sha256(canonical_json(options).encode()) + sha256(canonical_json(unsecured).encode())


def _is_proof(proof: Mapping[str, Any], purpose: ProofPurpose) -> bool:
    """Fields such as `expires` and `domain` would have to be enforced, so a proof with one is rejected."""
    created, method, value = (proof.get(name) for name in ("created", "verificationMethod", "proofValue"))
    return (
        all(name in _FIELDS for name in proof)
        and proof.get("type") == "DataIntegrityProof"
        and proof.get("cryptosuite") == _CRYPTOSUITE
        and isinstance(created, str)
        and _MOMENT_FORM.fullmatch(created) is not None
        and proof.get("proofPurpose") == purpose
        and isinstance(proof.get("controller", ""), str)
        and isinstance(method, str)
        and isinstance(value, str)
    )


def _continues_context(document: Mapping[str, Any], proof: Mapping[str, Any]) -> bool:
    """The proof's contexts must be a prefix of the document's."""
    if "@context" not in proof:
        return True
    signed = _contexts(proof["@context"])
    present = _contexts(document["@context"]) if "@context" in document else []
    return present[: len(signed)] == signed


def _contexts(context: Any) -> list[str]:
    return [canonical_json(one) for one in (context if isinstance(context, list) else [context])]


def _key_of_method(method: str) -> bytes | None:
    """The 32 bytes of `did:key:z…#z…`."""
    key, _, fragment = method.removeprefix("did:key:").partition("#")
    if not method.startswith("did:key:") or key != fragment:
        return None
    typed = _from_multibase(key, 34)
    return typed[2:] if typed is not None and typed.startswith(_ED25519_PREFIX) else None


def _multibase(data: bytes) -> str:
    """`z` and base58btc: every leading zero byte becomes a 1."""
    number, digits = int.from_bytes(data, "big"), ""
    while number > 0:
        number, digit = divmod(number, 58)
        digits = _ALPHABET[digit] + digits
    zeros = len(data) - len(data.lstrip(b"\0"))
    return "z" + "1" * zeros + digits


def _from_multibase(text: str, length: int) -> bytes | None:
    """None unless it is exactly this many bytes in their one accepted spelling."""
    if len(text) > _MULTIBASE_CHARS_MAX or not text.startswith("z"):
        return None
    number = 0
    for letter in text[1:]:
        digit = _ALPHABET.find(letter)
        if digit < 0:
            return None
        number = number * 58 + digit
    if number.bit_length() > length * 8:
        return None
    data = number.to_bytes(length, "big")
    return data if _multibase(data) == text else None
