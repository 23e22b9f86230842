"""Delegation tokens: part of one agent's authority, delegated to another for a limited time; chains of them."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from .attenuation import AgentCapability, confine, earlier, is_within
from .canonical import content_hash
from .capability import GLOBAL_WILDCARD
from .did import did_or_none
from .key_events import KeyEvent, is_ever_key_of
from .moment import is_after
from .signature import SigningDomain, SigningKey, is_object_signed_by
from .signed_value import SignedValue

REDELEGATION_DEPTH_MAX = 8
"""The maximum number of times a delegation may be delegated further."""

_LINKS_MAX = REDELEGATION_DEPTH_MAX + 1


class DelegationToken(SignedValue):
    """What the Aegis delegate operation issues. Never exceeds what the delegator holds."""

    from_did: str
    """The delegator."""
    to_did: str
    """The delegate."""
    capabilities: list[AgentCapability]
    max_redelegation_depth: int = Field(ge=0)
    """How many times this may be delegated further; 0 means never."""
    expires_at: str
    """RFC 3339 in UTC."""
    revocation_url: str | None = None
    """Where to check whether this token is still valid."""
    signature: str = ""
    """The delegator's signature, base64url."""

    def signed(self, delegator: SigningKey) -> DelegationToken:
        """The same token with the delegator's signature, replacing any earlier one."""
        signature = delegator.sign_object(SigningDomain.DELEGATION, self.without_signature())
        return self.model_copy(update={"signature": signature})

    @property
    def token_id(self) -> str:
        """The content hash of the unsigned token: the same delegation always has the same id."""
        return content_hash(self.without_signature())

    def forgery(self, public_key: str, key_events: Sequence[KeyEvent] = ()) -> str | None:
        """Why the delegator did not sign this; None if it did.

        The events prove how the delegator came to this key; its first needs none.
        """
        if not is_ever_key_of(self.from_did, public_key, key_events):
            return "public key does not match DID"
        unsigned = self.without_signature()
        is_signed = is_object_signed_by(public_key, SigningDomain.DELEGATION, unsigned, self.signature)
        return None if is_signed else "signature invalid"

    def delegated(self) -> list[AgentCapability]:
        """The delegated capabilities, each with its effective expiry: its own or the token's, whichever is earlier."""
        return [
            one.model_copy(update={"expires_at": earlier(one.expires_at, self.expires_at)})
            for one in self.capabilities
        ]


def chain_fault(tokens: Sequence[DelegationToken]) -> str | None:
    """Why these tokens, starting with the first delegator's, do not form a chain; None if they do.

    Signatures are checked by `DelegationToken.forgery`; only an engine knows revocations and the delegators' policies.
    """
    if not tokens:
        return "it is empty"
    if len(tokens) > _LINKS_MAX:
        return f"it has more than {_LINKS_MAX} links"
    members = {tokens[0].from_did}
    above: DelegationToken | None = None
    for token in tokens:
        if _namespace_of(token.to_did) != _namespace_of(token.from_did):
            return "it crosses tenants"
        if token.to_did in members:
            return "it leads back"
        members.add(token.to_did)
        if above is not None:
            if token.from_did != above.to_did:
                return "a link is missing"
            if token.max_redelegation_depth >= above.max_redelegation_depth:
                return "its depth does not fall"
        above = token
    return None


def worth_of(
    tokens: Sequence[DelegationToken], own: Sequence[AgentCapability], now: str
) -> list[AgentCapability]:
    """What the last token grants at a moment: what every link passes on of the first delegator's own capabilities.

    An engine may know of revocations and rules that reduce it further, never extend it.
    """
    # An empty chain grants nothing, not everything the delegator holds.
    if not tokens or any(not is_after(token.expires_at, now) for token in tokens):
        return []
    if any(below > token.max_redelegation_depth for below, token in enumerate(reversed(tokens))):
        return []
    carried = list(own)
    above: list[AgentCapability] | None = None
    for token in tokens:
        delegated = token.delegated()
        # The global wildcard cannot be delegated, and anything beyond the link above is void.
        delegable = [
            one
            for one in delegated
            if one.name != GLOBAL_WILDCARD and (above is None or is_within(one, above))
        ]
        remaining = (_widest(one, carried, now) for one in delegable)
        carried = [one for one in remaining if one is not None]
        above = delegated
    return carried


def _widest(
    delegated: AgentCapability, sources: Sequence[AgentCapability], now: str
) -> AgentCapability | None:
    """If several sources cover it, the least restrictive one. Returning several would multiply along a chain."""

    def is_alive(one: AgentCapability) -> bool:
        return one.expires_at is None or is_after(one.expires_at, now)

    if is_within(delegated, [source for source in sources if is_alive(source)]):
        return delegated if is_alive(delegated) else None
    confined = (confine(delegated, source) for source in sources)
    alive = [one for one in confined if one is not None and is_alive(one)]
    return min(alive, key=lambda one: len(one.caveats), default=None)


def _namespace_of(did: str) -> str | None:
    parsed = did_or_none(did)
    return parsed.namespace if parsed else None
