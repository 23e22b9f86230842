"""The keys of an identity over time, checked offline.

Its DID certifies the first key. Each later one was committed to by its hash before it was used, or was put in place by
others whom the identity had named.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from .canonical import NoCanonicalForm, content_hash
from .did import did_or_none
from .encoding import is_hash, sha256_hex
from .moment import moment_ms
from .signature import SigningDomain, SigningKey, is_key_of, is_signed_by, key_bytes, signing_input
from .signed_value import SignedValue

KEY_EVENTS_MAX = 64
"""The maximum number of events of an identity."""

_RECOVERERS_MAX = 9
# Who recovers may have been recovered; deeper than this nothing is believed.
_NESTED_MAX = 3
EVENTS_CHECKED_MAX = 256
"""With those nested in them: each costs verified signatures."""

_PUBLIC_KEY_FORM = re.compile(r"[A-Za-z0-9_-]{43}")
_SIGNATURE_FORM = re.compile(r"[A-Za-z0-9_-]{86}")


class Recovery(SignedValue):
    """Who can give this identity a new key, and how many of them it takes."""

    dids: list[str]
    """One to nine identities."""
    threshold: Annotated[int, Field(ge=0, lt=2**32)]
    """At least one."""


class EventSignature(SignedValue):
    """One signature of an event: by its new key, or by one of those who recover."""

    did: str
    """Who signed."""
    public_key: str
    """With this key, base64url."""
    signature: str
    """Base64url."""
    key_events: list[dict[str, Any]] | None = None
    """How `did` came to that key, unless it is its first. If they are no key events, this signature does not count."""


class KeyEvent(SignedValue):
    """One change of an identity's key. Timestamps are RFC 3339 in UTC, keys and signatures base64url."""

    kind: Literal["inception", "rotation", "recovery"]
    public_key: str
    """The key from this moment on."""
    next_key_hash: str
    """The hash of the key after it."""
    recovery: Recovery | None = None
    """Who can recover the identity from this moment on; nobody, if absent."""
    at: str
    """Not before the event before."""
    previous: str
    """`place_after` the events before."""
    signatures: list[EventSignature] = []
    """By the new key itself; for a recovery also by those who were named."""

    def signed(self, did: str, signer: str, key: SigningKey) -> KeyEvent:
        """The same event of `did` with the signature of `signer`, replacing an earlier one.

        The new key signs as `did` itself.
        """
        own = EventSignature(
            did=signer, public_key=key.public_key, signature=key.sign(key_event_input(did, self))
        )
        others = [by for by in self.signatures if by.did != signer]
        return self.model_copy(update={"signatures": [*others, own]})


def key_event_input(did: str, event: KeyEvent) -> str:
    """The exact text that is signed: all but the signatures, and whose event it is."""
    value = {**event.to_json(), "did": did}
    del value["signatures"]
    return signing_input(SigningDomain.KEY_EVENT, value)


def place_after(did: str, events: Sequence[KeyEvent]) -> str:
    """What the next event must have as `previous`.

    The content hash of the last one, signatures included, or the DID itself if there is none.
    """
    return content_hash({**events[-1].to_json(), "did": did}) if events else did


def key_hash(public_key: str) -> str | None:
    """The SHA-256 of a public key's 32 bytes, in lowercase hex; None if it is not such a key in base64url."""
    data = key_bytes(public_key)
    return None if data is None else sha256_hex(data)


def is_ever_key_of(did: str, public_key: str, events: Sequence[KeyEvent] = ()) -> bool:
    """Whether this is, or once was, a key of the DID.

    Whether it is now, the service that follows its events knows. Without events only the first key counts.
    """
    return _is_ever_key_within(did, public_key, events, 0)


def key_events_fault(did: str, events: Sequence[KeyEvent]) -> str | None:
    """Why these events do not lead from the DID's first key to the last one; None if they do."""
    return _fault_within(did, events, 0)


def count_events(events: Sequence[KeyEvent]) -> int:
    """Those nested in signatures too, as deep as they are looked at."""
    nested = (by.key_events for event in events for by in event.signatures if by.key_events is not None)
    return len(events) + sum(_count_nested(each, _NESTED_MAX - 1) for each in nested)


def _count_nested(events: Sequence[Any], depth_left: int) -> int:
    objects = [event for event in events if isinstance(event, dict)]
    if depth_left == 0:
        return len(objects)
    signatures = (by for event in objects for by in _list_of(event.get("signatures")))
    nested = (_list_of(by.get("key_events")) for by in signatures if isinstance(by, dict))
    return len(objects) + sum(_count_nested(each, depth_left - 1) for each in nested)


def _list_of(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_ever_key_within(did: str, public_key: str, events: Sequence[KeyEvent], nested: int) -> bool:
    if not events:
        return is_key_of(did, public_key)
    if _fault_within(did, events, nested) is not None:
        return False
    return any(event.public_key == public_key for event in events)


def _fault_within(did: str, events: Sequence[KeyEvent], nested: int) -> str | None:
    if nested > _NESTED_MAX:
        return "key events nested too deep"
    if len(events) > KEY_EVENTS_MAX:
        return f"more than {KEY_EVENTS_MAX} key events"
    if nested == 0 and count_events(events) > EVENTS_CHECKED_MAX:
        return "too many key events to check"
    for index, event in enumerate(events):
        before = events[:index]
        # What the schema refuses on the wire never gets further than this.
        fault = None if _has_form(event) else "it does not have the form of one"
        fault = fault or _order_fault(did, event, before) or _signature_fault(did, event, before, nested)
        if fault is not None:
            return f"key event {index}: {fault}"
    return None


def _has_form(event: KeyEvent) -> bool:
    """The limits of the wire that the types do not have."""
    recovery = event.recovery
    return (
        _PUBLIC_KEY_FORM.fullmatch(event.public_key) is not None
        and is_hash(event.next_key_hash)
        and (recovery is None or _is_recovery(recovery))
        and moment_ms(event.at) is not None
        and 1 <= len(event.signatures) <= _RECOVERERS_MAX + 1
        and all(_is_signature(by) for by in event.signatures)
    )


def _is_recovery(recovery: Recovery) -> bool:
    return (
        1 <= len(recovery.dids) <= _RECOVERERS_MAX
        and all(did_or_none(did) is not None for did in recovery.dids)
        and 1 <= recovery.threshold <= _RECOVERERS_MAX
    )


def _is_signature(by: EventSignature) -> bool:
    return (
        did_or_none(by.did) is not None
        and _PUBLIC_KEY_FORM.fullmatch(by.public_key) is not None
        and _SIGNATURE_FORM.fullmatch(by.signature) is not None
        and (by.key_events is None or 1 <= len(by.key_events) <= KEY_EVENTS_MAX)
    )


def _order_fault(did: str, event: KeyEvent, before: Sequence[KeyEvent]) -> str | None:
    if (event.kind == "inception") != (len(before) == 0):
        return "an inception comes first, and once"
    if not _follows(did, event, before):
        return "it does not follow the one before"
    if not before:
        return None if is_key_of(did, event.public_key) else "public key does not match DID"
    at_ms, before_ms = moment_ms(event.at), moment_ms(before[-1].at)
    if at_ms is None or before_ms is None or at_ms < before_ms:
        return "it is older than the one before"
    digest = key_hash(event.public_key)
    if digest is None:
        return "public key is not 32 bytes in base64url"
    if any(one.public_key == event.public_key for one in before):
        return "the key was used before"
    if event.kind == "rotation" and digest != before[-1].next_key_hash:
        return "the key is not the one committed to"
    return None


def _follows(did: str, event: KeyEvent, before: Sequence[KeyEvent]) -> bool:
    try:
        return place_after(did, before) == event.previous
    except NoCanonicalForm:
        return False


def _signature_fault(did: str, event: KeyEvent, before: Sequence[KeyEvent], nested: int) -> str | None:
    try:
        text = key_event_input(did, event)
    except NoCanonicalForm:
        return "the key itself did not sign it"

    def holds(by: EventSignature) -> bool:
        return is_signed_by(by.public_key, text, by.signature)

    if not any(by.did == did and by.public_key == event.public_key and holds(by) for by in event.signatures):
        return "the key itself did not sign it"
    if event.kind != "recovery":
        return None
    recovery = before[-1].recovery if before else None
    if recovery is not None:
        signers = {
            by.did
            for by in event.signatures
            if by.did != did and by.did in recovery.dids and _is_own_key(by, nested) and holds(by)
        }
        if len(signers) >= recovery.threshold:
            return None
    return "too few of those who may recover signed it"


def _is_own_key(by: EventSignature, nested: int) -> bool:
    """Whether the key that signed is the signer's, by the events that came with it."""
    try:
        events = [KeyEvent.read(event) for event in by.key_events or []]
    except (ValidationError, RecursionError):
        return False
    return _is_ever_key_within(by.did, by.public_key, events, nested + 1)
