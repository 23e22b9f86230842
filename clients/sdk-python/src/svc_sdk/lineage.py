"""Lineage, checked offline: each link is signed by a key of the parent, each DID certifies its key, and the last parent is a root."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from pydantic import Field

from .did import Did, did_or_none
from .encoding import sha256
from .key_events import EVENTS_CHECKED_MAX, KeyEvent, count_events, is_ever_key_of
from .moment import moment_ms
from .signature import SigningDomain, SigningKey, is_key_of, is_object_signed_by
from .signed_value import SignedValue

LINEAGE_DEPTH_MAX = 16
"""The maximum number of links between an identity and its root."""

_ROOT_KINDS = frozenset(["HumanRoot", "MultiHumanRoot", "EntityNameRecord"])
_DERIVED_KINDS = frozenset(
    ["Agent", "AgentInstance", "Tool", "Skill", "Workflow", "Model", "Dataset", "Service"]
)


class LineageStatement(SignedValue):
    """One lineage link, signed by the parent. Timestamps are RFC 3339 in UTC, keys and signature base64url."""

    child_did: str
    child_public_key: str
    """The key of the child's DID."""
    parent_did: str
    parent_public_key: str
    """A key of the parent's DID, the signing key."""
    entity_kind: str
    """What the child is, such as `AgentInstance`."""
    label: str
    """Its name among its siblings."""
    index: Annotated[int, Field(ge=0, lt=2**32)]
    """Its index among siblings with the same label."""
    created_at: str
    """Valid from this moment."""
    expires_at: str | None = None
    """Invalid from this moment."""
    parent_key_events: list[KeyEvent] | None = None
    """How the parent came to its key, unless it is its first."""
    signature: str = ""
    """The parent's signature over all of the above."""

    def signed(self, parent: SigningKey) -> LineageStatement:
        """The same statement with the parent's signature, replacing any earlier one."""
        signature = parent.sign_object(SigningDomain.LINEAGE, self.without_signature())
        return self.model_copy(update={"signature": signature})


@dataclass(frozen=True)
class LineageVerdict:
    """What a lineage proves."""

    verified: bool
    """Every link is valid, up to a root."""
    depth: int
    """The number of links between the identity and its root."""
    chain: list[str]
    """From the identity up to the last valid link."""
    root_did: str | None = None
    root_kind: str | None = None
    broken_at: int | None = None
    """The first invalid link; 0 is the identity's own."""
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class Child:
    """A derived identity with its parent's statement."""

    did: Did
    key: SigningKey
    statement: LineageStatement


def child_seed(parent_seed: bytes, parent_did: Did, entity_kind: str, label: str, index: int) -> bytes:
    """Derived from the parent's seed, so the parent can always recreate it."""
    info = f"svc-lineage-v1|{entity_kind}|{label}|{index}".encode()
    hkdf = HKDF(algorithm=SHA256(), length=32, salt=sha256(str(parent_did).encode()), info=info)
    return hkdf.derive(parent_seed)


def derive_child(
    parent_seed: bytes,
    parent_did: Did,
    *,
    entity_kind: str,
    label: str,
    created_at: str,
    index: int = 0,
    expires_at: str | None = None,
) -> Child:
    """Creates and signs a child. The same descent always gives the same child."""
    parent = SigningKey(parent_seed)
    key = SigningKey(child_seed(parent_seed, parent_did, entity_kind, label, index))
    did = key.did(parent_did.namespace, kind_segment(entity_kind))
    statement = LineageStatement.model_construct(
        child_did=str(did),
        child_public_key=key.public_key,
        parent_did=str(parent_did),
        parent_public_key=parent.public_key,
        entity_kind=entity_kind,
        label=label,
        index=index,
        created_at=created_at,
        expires_at=expires_at,
    )
    return Child(did, key, statement.signed(parent))


def kind_segment(entity_kind: str) -> str:
    """`AgentInstance` becomes `agent-instance` in a DID."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", entity_kind).lower()


def verify_lineage(
    did: str,
    statements: Sequence[LineageStatement],
    *,
    now: str,
    is_revoked: Callable[[str], bool] = lambda _: False,
) -> LineageVerdict:
    """Checks statements from the identity up to a root. A root identity needs none."""
    chain = [did]
    broken_at, reason = _climb(chain, statements, now, is_revoked)
    depth = len(statements)
    if reason is not None:
        return LineageVerdict(False, depth, chain, broken_at=broken_at, reason=reason)
    return LineageVerdict(True, depth, chain, root_did=chain[-1], root_kind=_kind_of(chain[-1]))


def _climb(
    chain: list[str], statements: Sequence[LineageStatement], now: str, is_revoked: Callable[[str], bool]
) -> tuple[int, str | None]:
    """Which link is invalid and why; extends the chain by every valid one."""
    if is_revoked(chain[0]):
        return 0, "identity revoked"
    if len(statements) > LINEAGE_DEPTH_MAX:
        return LINEAGE_DEPTH_MAX, f"deeper than {LINEAGE_DEPTH_MAX}"
    if sum(count_events(one.parent_key_events or []) for one in statements) > EVENTS_CHECKED_MAX:
        return 0, "too many key events to check"
    for depth, statement in enumerate(statements):
        fault = _fault_of(statement, chain[-1], now, is_revoked)
        if fault is not None:
            return depth, fault
        if statement.parent_did in chain:
            return depth, "cycle"
        chain.append(statement.parent_did)
    root_kind = _kind_of(chain[-1])
    if root_kind in _ROOT_KINDS:
        return 0, None
    return len(statements), f"{root_kind} is not a root kind"


def _fault_of(
    statement: LineageStatement, child_did: str, now: str, is_revoked: Callable[[str], bool]
) -> str | None:
    if statement.child_did != child_did:
        return "it speaks of another child"
    if not is_key_of(child_did, statement.child_public_key):
        return "child public key does not match DID"
    events = statement.parent_key_events or []
    if not is_ever_key_of(statement.parent_did, statement.parent_public_key, events):
        return "parent public key does not match DID"
    child = did_or_none(child_did)
    if child is None or child.entity_kind != kind_segment(statement.entity_kind):
        return "the DID names another kind"
    if statement.entity_kind not in _DERIVED_KINDS:
        return "its kind cannot be derived"
    if is_revoked(statement.parent_did):
        return "parent revoked"
    # An invalid timestamp is neither past nor future.
    now_ms, created_ms = moment_ms(now), moment_ms(statement.created_at)
    if now_ms is None or created_ms is None or created_ms > now_ms:
        return "it lies in the future"
    if statement.expires_at is not None:
        end_ms = moment_ms(statement.expires_at)
        if end_ms is None or end_ms <= now_ms:
            return "expired"
    unsigned = statement.without_signature()
    key, signature = statement.parent_public_key, statement.signature
    is_signed = is_object_signed_by(key, SigningDomain.LINEAGE, unsigned, signature)
    return None if is_signed else "signature invalid"


def _kind_of(did: str) -> str:
    """`human-root` in a DID is the kind `HumanRoot`."""
    parsed = did_or_none(did)
    words = parsed.entity_kind.split("-") if parsed else []
    return "".join(word[:1].upper() + word[1:] for word in words)
