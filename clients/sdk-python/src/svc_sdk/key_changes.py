"""Changes of an agent's own key: texts are checked before they are signed, and keys are stored before they are used."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from .answer import Answer
from .canonical import canonical_json
from .encoding import from_base64url
from .errors import SvcError, bad_answer, not_configured
from .flow import Flow
from .json_text import NotJson, read_json
from .options import CallOptions
from .signature import SigningDomain, SigningKey

if TYPE_CHECKING:
    from .calls import Calls


@dataclass(frozen=True)
class KeyPair:
    """The key in use, and the one that its owner has committed to: two secrets, best stored apart."""

    private_key: str = field(repr=False)
    next_private_key: str = field(repr=False)


KeepKeys = Callable[[KeyPair], None]
"""Stores new keys, before they are used; if it raises, nothing is changed.

Keep the former ones beside them until the change is done: after a crash, one of both pairs opens a session.
"""


@dataclass(frozen=True)
class Recovery:
    """Who can give an identity a new key, and how many of them it takes."""

    dids: Sequence[str]
    threshold: int


@dataclass(frozen=True)
class RotatedKey:
    """committed: the next key is fixed. rotated: the key changed."""

    state: Literal["committed", "rotated"]
    keys: KeyPair


@dataclass(frozen=True)
class RecoveryState:
    """A recovery, done or waiting for others who were named."""

    state: Literal["pending", "recovered"]
    public_key: str
    signed_by: Sequence[str]
    threshold: int
    keys: KeyPair | None = None
    """Of the new key, for whoever made it."""


class KeyChanges:
    """The flows that change keys."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._authorization = calls.authorization

    def rotate(
        self, keep: KeepKeys, next_private_key: str | None, recovery: Recovery | None
    ) -> Flow[RotatedKey]:
        former = self._authorization.private_key
        if former is None:
            raise not_configured(
                "This client has no private_key to change; call macs.rotate_key for a key that the engine keeps."
            )
        did = self._calls.settings.agent_did
        kind = "inception" if next_private_key is None else "rotation"
        keys, key, change = _new_keys(former if next_private_key is None else next_private_key, recovery)
        unsigned = yield from self._macs("rotate_key", did, change)
        texts = _texts_of(unsigned, did, kind, change)
        keep(keys)
        signed = {**change, "at": unsigned.get("at"), **_signatures(key, texts)}
        if kind == "inception":
            yield from self._macs("rotate_key", did, signed)
            return RotatedKey("committed", keys)
        yield from self._send_change(did, signed, former, keys.private_key)
        return RotatedKey("rotated", keys)

    def recover(self, agent_did: str, keep: KeepKeys, recovery: Recovery | None) -> Flow[RecoveryState]:
        keys, key, change = _new_keys(SigningKey.seed_text(SigningKey.new_seed()), recovery)
        asked = {"agent_did": agent_did, **change}
        pending = yield from self._macs("recover_key", agent_did, asked)
        texts = _texts_of(pending, agent_did, "recovery", change)
        keep(keys)
        signed = {**asked, **_signatures(key, texts), **self._own_signature(texts[0])}
        return _state_of((yield from self._macs("recover_key", agent_did, signed)), keys)

    def sign_recovery(
        self, agent_did: str, public_key: str, recovery: Recovery | None
    ) -> Flow[RecoveryState]:
        change = {"public_key": public_key, **_terms_of(recovery)}
        asked = {"agent_did": agent_did, **change}
        pending = yield from self._macs("recover_key", agent_did, asked)
        # Where the engine keeps the key of whoever agrees, this call has signed.
        if self._authorization.private_key is None or pending.get("state") == "recovered":
            return _state_of(pending)
        text = _event_of(pending, agent_did, "recovery", change)
        signed = {**asked, **self._own_signature(text)}
        return _state_of((yield from self._macs("recover_key", agent_did, signed)))

    def _send_change(self, did: str, signed: dict[str, Any], former: str, private_key: str) -> Flow[None]:
        """The answer may be lost after the key has changed: then only the new one opens a session."""
        try:
            yield from self._macs("rotate_key", did, signed)
        except SvcError as refusal:
            self._authorization.use_key(private_key)
            try:
                yield from self._calls.whoami({})
            except SvcError:
                self._authorization.use_key(former)
                raise refusal from None
        else:
            self._authorization.use_key(private_key)

    def _macs(self, operation: str, agent_did: str, content: dict[str, Any]) -> Flow[dict[str, Any]]:
        """Identities are changed in their own organization, whatever the client calls otherwise."""
        options: CallOptions = {"tenant_id": agent_did.split(":")[2]}
        answer: Answer[Any] = yield from self._calls.dispatch("MACS", operation, content, options)
        output = answer.output
        return output if isinstance(output, dict) else {}

    def _own_signature(self, text: str) -> dict[str, str]:
        private_key = self._authorization.private_key
        if private_key is None:
            return {}
        own = _key_of(private_key)
        return {"own_signature": own.sign(text), "own_public_key": own.public_key}


def _new_keys(private_key: str, recovery: Recovery | None) -> tuple[KeyPair, SigningKey, dict[str, Any]]:
    seed = SigningKey.new_seed()
    keys = KeyPair(private_key, SigningKey.seed_text(seed))
    key = _key_of(private_key)
    change = {
        "public_key": key.public_key,
        "next_key_hash": SigningKey(seed).public_key_hash,
        **_terms_of(recovery),
    }
    return keys, key, change


def _key_of(private_key: str) -> SigningKey:
    seed = from_base64url(private_key)
    if seed is None or len(seed) != 32:
        raise not_configured("The next_private_key is not 32 bytes in base64url; copy it again.")
    return SigningKey(seed)


def _terms_of(recovery: Recovery | None) -> dict[str, Any]:
    if recovery is None:
        return {}
    return {"recovery": {"dids": list(recovery.dids), "threshold": recovery.threshold}}


def _signatures(key: SigningKey, texts: tuple[str, str]) -> dict[str, str]:
    event, document = texts
    return {"signature": key.sign(event), "document_proof": key.sign(document)}


def _texts_of(output: dict[str, Any], agent_did: str, kind: str, change: dict[str, Any]) -> tuple[str, str]:
    public_key = change["public_key"]
    declared = {"id": agent_did, "public_key": public_key, "revoked": False}
    document = _checked(output.get("document_signing_input"), SigningDomain.DOCUMENT, declared)
    return _event_of(output, agent_did, kind, change), document


def _event_of(output: dict[str, Any], agent_did: str, kind: str, change: dict[str, Any]) -> str:
    expected = {"did": agent_did, "kind": kind, **change}
    return _checked(output.get("signing_input"), SigningDomain.KEY_EVENT, expected)


def _checked(text: Any, domain: SigningDomain, expected: dict[str, Any]) -> str:
    """The key signs delegations and treaties too: nobody gets such a signature as one for a change of keys."""
    if isinstance(text, str) and _holds(text, domain, expected):
        return text
    raise bad_answer("What is to be signed is not this change of keys, so nothing was signed; check api_url.")


def _holds(text: str, domain: SigningDomain, expected: dict[str, Any]) -> bool:
    start = f"{domain.value}\n"
    try:
        fields = read_json(text[len(start) :]) if text.startswith(start) else None
    except NotJson:
        fields = None
    if not isinstance(fields, dict):
        return False
    return all(
        name in fields and canonical_json(fields[name]) == canonical_json(value)
        for name, value in expected.items()
    )


def _state_of(output: dict[str, Any], keys: KeyPair | None = None) -> RecoveryState:
    state, public_key = output.get("state"), output.get("public_key")
    signed_by, threshold = output.get("signed_by"), output.get("threshold")
    if state not in ("pending", "recovered") or not isinstance(public_key, str):
        raise bad_answer(f"The engine's answer to a recovery cannot be used: {json.dumps(output)[:200]}")
    signers = [str(one) for one in signed_by] if isinstance(signed_by, list) else []
    return RecoveryState(state, public_key, signers, threshold if isinstance(threshold, int) else 1, keys)
