# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MACS v1.0.0. Proves an agent’s identity by its key and lineage, reports its capabilities, derives child identities, and manages people and roles."""

from __future__ import annotations

from typing import Any, Dict, List, Literal

from pydantic import Field

from ..models import Input, Output, SecretOutput
from ..operations import AsyncOperations, Operations


class AccessRequestsInput(Input):
    """List your requests for access, or those that you may decide."""

    side: Literal["own", "to_decide"] | None = None
    """own: what you asked for. to_decide: what others did. Default own."""
    state: Literal["OPEN", "GRANTED", "REFUSED", "EXPIRED"] | None = None
    """Only those in this state; absent: all."""


class AccessRequestsOutput(Output):
    """Answer of MACS access_requests."""

    items: List[AccessRequestsOutputItem]
    """Newest first. Empty where you may not decide."""


class AccessRequestsOutputItem(Output):
    """A part of the above."""

    request_id: str
    """Names the request."""
    agent_did: str
    """Identity of the person who asked."""
    person: str
    """Name of the person who asked, or the login."""
    capability: str | None = None
    """What the person wants to call; absent: a role."""
    role: str | None = None
    """The role that is wanted; absent: a capability."""
    fitting_roles: List[str]
    """Roles that would allow it, the narrowest first."""
    state: Literal["OPEN", "GRANTED", "REFUSED", "EXPIRED"] | str
    """OPEN: nobody has decided. GRANTED: a role was given. REFUSED: it was not. EXPIRED: nobody decided in time."""
    requested_at: str
    """When it was asked for."""
    expires_at: str
    """It can be decided until then."""
    decided_at: str | None = None
    """When it was decided; absent: not yet."""
    decided_by: str | None = None
    """Who decided; absent: nobody has."""
    role_given: str | None = None
    """The role that was given; absent: none."""


class AddWorkloadInput(Input):
    """Let tokens of another platform act as you or a descendant, without a stored secret."""

    agent_did: str
    """Identity that such a workload acts as."""
    issuer: str
    """As in the iss of its tokens; its public keys are read there."""
    audience: str
    """As in the aud of its tokens."""
    claims: Dict[str, List[str]]
    """Accepted texts of each claim; all claims must fit. A name that begins with / leads into objects."""


class AddWorkloadOutput(Output):
    """Answer of MACS add_workload."""

    workload_id: str
    """Names the mapping, to remove it."""
    agent_did: str
    """Identity that such a workload acts as."""
    issuer: str
    """As in the iss of its tokens; its public keys are read there."""
    audience: str
    """As in the aud of its tokens."""
    claims: Dict[str, List[str]]
    """Accepted texts of each claim; all claims must fit. A name that begins with / leads into objects."""


class AuthNegotiationInput(Input):
    """Agree on how this agent will prove its identity."""

    profile: str
    """How to prove: DidAuth with its own key, DelegatedAuth with a delegation too."""
    challenge_kind: str
    """What to sign: Nonce, or TimestampedNonce with times too."""
    agent_did: str | None = None
    """Who will prove itself; default: the caller."""


class AuthNegotiationOutput(Output):
    """Answer of MACS auth_negotiation."""

    session_id: str | None = None
    """Session to ask a challenge for; absent if not accepted."""
    accepted: bool
    """False if the pair is not supported; see alternatives."""
    profile: str
    """As in the request."""
    challenge_kind: str
    """As in the request."""
    alternatives: List[AuthNegotiationOutputAlternative]
    """Pairs that are supported; empty if accepted."""
    signature_suite: Literal["Ed25519"] | str
    """Kind of signature."""
    domain: str
    """First line of every text to sign."""
    expires_at: str | None = None
    """The session ends then, unless proven."""


class AuthNegotiationOutputAlternative(Output):
    """A part of the above."""

    profile: str
    """How to prove."""
    challenge_kind: str
    """What to sign."""


class AuthorizationRequestInput(Input):
    """Ask what an agent may do right now."""

    agent_did: str
    """Whose capabilities to list."""
    at: str | None = None
    """Time to judge by; default now."""
    protocol: str | None = None
    """Only capabilities of this protocol."""


class AuthorizationRequestOutput(Output):
    """Answer of MACS authorization_request."""

    capabilities: List[AuthorizationRequestOutputCapability]
    """What it may do, before policies and limits."""
    excluded: List[AuthorizationRequestOutputExcluded]
    """Capabilities that no longer count."""
    composed_at: str
    """When the list was made."""
    cache_ttl_seconds: int
    """How long the engine itself may use such a list."""


class AuthorizationRequestOutputCapability(Output):
    """A part of the above."""

    name: str
    """Name it is granted by, maybe a wildcard."""
    expires_at: str | None = None
    """When it ends; absent: it does not end by itself."""
    limits: AuthorizationRequestOutputCapabilityLimits | None = None
    """Bounds on its use; absent: none."""
    caveats: List[str]
    """Conditions, such as time:09-17."""
    source: Literal["declared", "key", "delegation", "treaty", "envelope", "role"] | str
    """Where it comes from."""
    source_ref: str | None = None
    """The delegation token, treaty, envelope or name of the role."""
    satisfied_now: bool
    """Whether all conditions hold at the time asked about."""
    unsatisfied: List[str]
    """Conditions that do not hold."""


class AuthorizationRequestOutputCapabilityLimits(Output):
    """Bounds on its use; absent: none."""

    max_per_call_bps: int | None = None
    """Basis points of the tenant budget per call."""
    max_per_hour: int | None = None
    """Calls per hour."""
    max_tokens: int | None = None
    """Hard token ceiling per call."""


class AuthorizationRequestOutputExcluded(Output):
    """A part of the above."""

    name: str
    """Name of the capability."""
    why: Literal["revoked", "expired", "over_depth"] | str
    """over_depth: delegated further than a delegator allows."""


class CreateKeyInput(Input):
    """Make an API key for yourself or a descendant, that may never do more than its agent."""

    agent_did: str | None = None
    """Default: yourself. Or a descendant of yours."""
    label: str
    """What it is for, to recognise it in lists."""
    capabilities: List[str] | None = None
    """What it may be used for; default: all that its agent holds now."""
    expires_at: str | None = None
    """At most 366 days ahead; default 90."""
    networks: List[str] | None = None
    """Where it may be used from; default: anywhere."""
    weekly_budget_usd: str | None = None
    """What all calls with it may cost in an ISO week, UTC; default: what its agent may spend."""


class CreateKeyOutput(SecretOutput):
    """Answer of MACS create_key."""

    key_id: str
    """Names the key in lists, and to revoke it."""
    agent_did: str
    """Whose key it is."""
    label: str | None = None
    """What it is for."""
    capabilities: List[str] | None = None
    """What it may be used for; absent: all that its agent holds."""
    networks: List[str]
    """Where it may be used from; empty: anywhere."""
    weekly_budget_usd: str | None = None
    """What all calls with it may cost in an ISO week; absent: no own budget."""
    expires_at: str | None = None
    """When it ends; absent: it does not end by itself."""
    api_key: str
    """Shown once: only its hash is stored."""


class DecideAccessInput(Input):
    """Give the role that a person asked for, or refuse it."""

    request_id: str
    """Names the request."""
    decision: Literal["grant", "refuse"]
    """grant: gives a role. refuse: gives nothing."""
    role: str | None = None
    """The role to give, where a capability was asked for; it must allow that."""


class DecideAccessOutput(Output):
    """Answer of MACS decide_access."""

    request_id: str
    """Names the request."""
    state: Literal["OPEN", "GRANTED", "REFUSED", "EXPIRED"] | str
    """OPEN: nobody has decided. GRANTED: a role was given. REFUSED: it was not. EXPIRED: nobody decided in time."""
    roles: List[str]
    """Roles the person has now."""


class DeriveInput(Input):
    """Create a child identity under the caller, with at most the capabilities of the caller."""

    entity_kind: Literal["HumanRoot", "MultiHumanRoot", "EntityNameRecord", "Agent", "AgentInstance", "Tool", "Skill", "Workflow", "Model", "Dataset", "Service"]
    """Kind of the child; roots cannot be derived."""
    label: str
    """Names a child among its siblings."""
    index: int | None = None
    """Tells apart children with the same label; default 0."""
    name: str | None = None
    """For people to read."""
    capabilities: List[DeriveCapability] | None = None
    """What the child may do; never more than you hold."""
    service_endpoints: List[DeriveServiceEndpoint] | None = None
    """Where the child can be reached."""
    expires_at: str | None = None
    """The child counts until then; absent: it does not end."""
    custody: Literal["engine", "client"] | None = None
    """Who keeps the child's private key; default engine."""
    child_public_key: str | None = None
    """The child's key; needed with custody client."""
    parent_public_key: str | None = None
    """Your key that signs; only with custody client."""
    created_at: str | None = None
    """Time in the statement that you signed; only with custody client."""
    signature: str | None = None
    """Of the lineage statement by your key; only with custody client."""
    document_proof: str | None = None
    """Of document_signing_input by the child's key; only with custody client."""


class DeriveCapability(Input):
    """A part of the above."""

    name: str
    """Name as svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol."""
    expires_at: str | None = None
    """When it ends; absent: it does not end by itself."""
    limits: DeriveCapabilityLimits | None = None
    """Bounds on use; absent: none."""
    caveats: List[str]
    """Conditions such as time:09-17, jurisdiction:DE, weekly_budget:5 or action_kind:read; each must hold."""


class DeriveCapabilityLimits(Input):
    """Bounds on use; absent: none."""

    max_per_call_bps: int | None = None
    """Basis points of the tenant budget per call."""
    max_per_hour: int | None = None
    """Calls per hour."""
    max_tokens: int | None = None
    """Hard token ceiling per call."""


class DeriveServiceEndpoint(Input):
    """A part of the above."""

    kind: str
    """What is offered there, such as svc or mcp."""
    url: str
    """Where it is."""
    protocols: List[str]
    """Protocols it serves."""


class DeriveOutput(Output):
    """Answer of MACS derive."""

    did: str
    """The child."""
    public_key: str
    """Its key."""
    lineage_statement: DeriveOutputLineageStatement
    """Proof of descent, signed by you."""
    document: DeriveOutputDocument
    """The child's identity document."""
    document_hash: str | None = None
    """Hash of the document; absent until it is signed."""
    document_signing_input: str | None = None
    """Text the child's key must sign; absent once signed."""
    lineage_depth: int
    """Steps from its root."""
    created: bool
    """False if it existed already with the same content."""
    published: bool
    """Whether the identity node serves its document."""
    warnings: List[str]
    """What is still missing, in words."""


class DeriveOutputLineageStatement(Output):
    """Proof of descent, signed by you."""

    child_did: str
    """The derived identity."""
    child_public_key: str
    """Its first key."""
    parent_did: str
    """Who derived it."""
    parent_public_key: str
    """Key of the parent that signed."""
    entity_kind: str
    """A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others."""
    label: str
    """Names a child among its siblings."""
    index: int
    """Tells apart children with the same label; the first is 0."""
    created_at: str
    """When it was derived."""
    expires_at: str | None = None
    """The child counts until then; absent: it does not end."""
    parent_key_events: List[DeriveOutputLineageStatementParentKeyEvent] | None = None
    """How the parent came to its key; absent: it is its first."""
    signature: str
    """By the parent, base64url."""


class DeriveOutputLineageStatementParentKeyEvent(Output):
    """A part of the above."""

    kind: Literal["inception", "rotation", "recovery"] | str
    """Inception: first commitment. Rotation: to the committed key. Recovery: a key put in place by others."""
    public_key: str
    """The key from then on."""
    next_key_hash: str
    """The sha256 of the next public key’s 32 bytes."""
    recovery: DeriveOutputLineageStatementParentKeyEventRecovery | None = None
    """Who may recover it from then on; absent: nobody."""
    at: str
    """When it was made."""
    previous: str
    """The hash of the event before; the DID where there is none."""
    signatures: List[DeriveOutputLineageStatementParentKeyEventSignature]
    """By the new key, or by those who recover it."""


class DeriveOutputLineageStatementParentKeyEventRecovery(Output):
    """Who may recover it from then on; absent: nobody."""

    dids: List[str]
    """Who may recover it."""
    threshold: int
    """How many of them must sign."""


class DeriveOutputLineageStatementParentKeyEventSignature(Output):
    """A part of the above."""

    did: str
    """Who signed."""
    public_key: str
    """Key that signed."""
    signature: str
    """Over the event, base64url."""
    key_events: List[Dict[str, Any]] | None = None
    """How the signer came to that key; absent: it is its first."""


class DeriveOutputDocument(Output):
    """The child's identity document."""

    id: str
    """The identity."""
    entity_kind: str
    """A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others."""
    name: str | None = None
    """For people to read."""
    public_key: str
    """Its current key."""
    creator_did: str | None = None
    """Parent that derived it; absent for a root."""
    lineage: List[DeriveOutputLineageStatement]
    """Statements from this identity up to its root."""
    capabilities: List[DeriveOutputDocumentCapability]
    """What it may do, as granted by its parent."""
    service_endpoints: List[DeriveOutputDocumentServiceEndpoint]
    """Where it can be reached."""
    revoked: bool
    """True once it was revoked for good."""
    extended: Dict[str, Any]
    """Sections that others signed, such as attestations."""
    version: int
    """Grows with each change."""
    updated_at: str
    """When this version was made."""
    key_events: List[DeriveOutputLineageStatementParentKeyEvent] | None = None
    """How it came to its current key; absent: it has its first."""
    proof: str | None = None
    """Signature of the document; absent until the child's key signed it."""


class DeriveOutputDocumentCapability(Output):
    """A part of the above."""

    name: str
    """Name as svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol."""
    expires_at: str | None = None
    """When it ends; absent: it does not end by itself."""
    limits: DeriveOutputDocumentCapabilityLimits | None = None
    """Bounds on use; absent: none."""
    caveats: List[str]
    """Conditions such as time:09-17, jurisdiction:DE, weekly_budget:5 or action_kind:read; each must hold."""


class DeriveOutputDocumentCapabilityLimits(Output):
    """Bounds on use; absent: none."""

    max_per_call_bps: int | None = None
    """Basis points of the tenant budget per call."""
    max_per_hour: int | None = None
    """Calls per hour."""
    max_tokens: int | None = None
    """Hard token ceiling per call."""


class DeriveOutputDocumentServiceEndpoint(Output):
    """A part of the above."""

    kind: str
    """What is offered there, such as svc or mcp."""
    url: str
    """Where it is."""
    protocols: List[str]
    """Protocols it serves."""


class ExplainAccessInput(Input):
    """Explain why an identity may call an operation or not: every path of authority, and the one used."""

    agent_did: str | None = None
    """Default: the caller."""
    capability: str | None = None
    """Of an operation, such as svc.mind.recall; or name both below."""
    protocol: str | None = None
    """Protocol of the operation."""
    operation: str | None = None
    """Operation of the protocol."""
    target_tenant: str | None = None
    """Where it would be called; default: your own organization."""
    at: str | None = None
    """By which expiry, caveats and treaties are judged; grants are those of now."""


class ExplainAccessOutput(Output):
    """Answer of MACS explain_access."""

    agent: ExplainAccessOutputAgent
    """Whose access is explained."""
    capability: str
    """What a call would need."""
    target_tenant: str
    """Organization in which the call would run."""
    at: str
    """Time it was judged by."""
    allowed: bool
    """By stage 4, for a call without input; limits and budgets come later."""
    depends_on_call: bool
    """Not allowed without input, but a call with a fitting input, or from a fitting network, would be."""
    refusal: ExplainAccessOutputRefusal | None = None
    """How the call would be refused; absent if allowed."""
    key_budget: ExplainAccessOutputKeyBudget | None = None
    """Of the key you ask with, about yourself: a call must also fit into what is left of it."""
    paths: List[ExplainAccessOutputPath]
    """In the order in which they are tried; those that no longer count are last."""


class ExplainAccessOutputAgent(Output):
    """Whose access is explained."""

    did: str
    """The identity."""
    name: str | None = None
    """As its own document says."""


class ExplainAccessOutputRefusal(Output):
    """How the call would be refused; absent if allowed."""

    code: str
    """Error code."""
    reason: str | None = None
    """Short reason, stable for programs."""
    sentence: str
    """What happened, why and what to do."""


class ExplainAccessOutputKeyBudget(Output):
    """Of the key you ask with, about yourself: a call must also fit into what is left of it."""

    weekly_budget_usd: str
    """What all calls with it may cost in this ISO week."""
    spent_this_week_usd: str
    """What they have cost so far."""


class ExplainAccessOutputPath(Output):
    """A part of the above."""

    source: Literal["open", "declared", "key", "delegation", "treaty", "envelope", "role"] | str
    """Where it comes from; open: everybody may call this operation."""
    capability: str
    """Name it is granted by, maybe a wildcard."""
    source_ref: str | None = None
    """The delegation token, treaty, envelope or name of the role."""
    department: str | None = None
    """Of an envelope."""
    expires_at: str | None = None
    """When it ends; absent: it does not end by itself."""
    limits: ExplainAccessOutputPathLimits | None = None
    """Bounds on its use; absent: none."""
    caveats: List[str]
    """Conditions, such as time:09-17."""
    usable: bool
    """Whether a call could use it."""
    used: bool
    """A call would use this one."""
    blocked: ExplainAccessOutputPathBlocked | None = None
    """Why a call cannot use it."""
    chain: List[ExplainAccessOutputPathChain] | None = None
    """Delegations from the first delegator to the holder."""


class ExplainAccessOutputPathLimits(Output):
    """Bounds on its use; absent: none."""

    max_per_call_bps: int | None = None
    """Basis points of the tenant budget per call."""
    max_per_hour: int | None = None
    """Calls per hour."""
    max_tokens: int | None = None
    """Hard token ceiling per call."""


class ExplainAccessOutputPathBlocked(Output):
    """Why a call cannot use it."""

    by: Literal["expired", "revoked", "over_depth", "source_lost", "caveat", "input", "treaty", "level", "policy"] | str
    """What stands against it; source_lost: its delegator no longer holds it."""
    sentence: str
    """For people to read."""
    caveat: str | None = None
    """The condition that does not hold."""


class ExplainAccessOutputPathChain(Output):
    """A part of the above."""

    token_id: str
    """Hash of the token."""
    from_: ExplainAccessOutputAgent = Field(validation_alias="from", serialization_alias="from")
    """Who delegated."""
    to: ExplainAccessOutputAgent
    """Who received."""
    state: Literal["ACTIVE", "EXPIRED", "REVOKED", "PARENT_REVOKED"] | str
    """PARENT_REVOKED: a delegation it depends on was revoked."""
    expires_at: str
    """When it ends."""


class GenerateChallengeInput(Input):
    """Get the nonce to sign."""

    session_id: str
    """Session of auth_negotiation."""
    agent_did: str | None = None
    """Who will prove itself; default: that of the session."""
    audience: str | None = None
    """Audience of the proof; default: this engine."""


class GenerateChallengeOutput(SecretOutput):
    """Answer of MACS generate_challenge."""

    challenge_id: str
    """Names the challenge in verify_response."""
    nonce: str
    """Random, used once; 32 bytes, base64url."""
    audience: str
    """For whom the proof is."""
    issued_at: str
    """When it was made."""
    expires_at: str
    """It must be answered by then."""
    signing_input: str
    """The text to sign, byte for byte."""


class InviteInput(Input):
    """Invite a person by a link that is good once and expires."""

    name: str
    """Who is invited; for people to read."""
    roles: List[str]
    """Roles the person will have; at most what you may do."""
    days: int | None = None
    """How long it is good; default 7."""


class InviteOutput(SecretOutput):
    """Answer of MACS invite."""

    invitation_id: str
    """Names the invitation, to withdraw it."""
    link: str
    """Good once, for whoever opens it. Shown once: only a hash is stored."""
    expires_at: str
    """It can be accepted until then."""


class ListInput(Input):
    """List the identities of your organization with parent, level, state and means of access."""

    did: str | None = None
    """Only this identity."""
    entity_kind: Literal["HumanRoot", "MultiHumanRoot", "EntityNameRecord", "Agent", "AgentInstance", "Tool", "Skill", "Workflow", "Model", "Dataset", "Service"] | None = None
    """Only identities of this kind."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListOutput(Output):
    """Answer of MACS list."""

    items: List[ListOutputItem]
    """Identities of your organization."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListOutputItem(Output):
    """A part of the above."""

    did: str
    """The identity."""
    entity_kind: str
    """A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others."""
    name: str | None = None
    """As its document says."""
    state: Literal["active", "unresolved", "suspended", "revoked"] | str
    """unresolved: its document is not available now."""
    conformance_level: Literal["L0", "L1", "L2"] | str
    """L0: known. L1: verified lineage. L2: also attested, with a reputation."""
    lineage_verified: bool
    """Whether its descent from a root is proven."""
    lineage_depth: int
    """Steps from its root; 0 for a root."""
    parent_did: str | None = None
    """Who derived it; absent for a root."""
    human_root_did: str | None = None
    """Human or organization at the root of its lineage; absent: not verified."""
    derived_at: str | None = None
    """When it was derived here."""
    in_charter: bool
    """Whether it is a charter member of the organization."""
    capabilities: int
    """Number of capabilities it holds now; authorization_request lists them."""
    revoked: ListOutputItemRevoked | None = None
    """How it was revoked; absent: it was not."""
    credentials: ListOutputItemCredentials | None = None
    """Visible to the identity itself and to charter members."""


class ListOutputItemRevoked(Output):
    """How it was revoked; absent: it was not."""

    at: str
    """When it was revoked."""
    reason: str
    """Why, as stated."""
    by: str
    """Who revoked it."""


class ListOutputItemCredentials(Output):
    """Visible to the identity itself and to charter members."""

    keys_live: int
    """Number of API keys that are accepted."""
    keys_ended: int
    """Number of API keys that expired or were revoked."""
    sessions_live: int
    """Number of sessions that are accepted."""
    last_used_at: str | None = None
    """When one was last used; absent: never."""
    in_custody: bool
    """The engine holds its private key."""


class ListKeysInput(Input):
    """List the API keys and sessions of yourself or a descendant."""

    agent_did: str | None = None
    """Whose to list: a descendant of yours; default: your own."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListKeysOutput(Output):
    """Answer of MACS list_keys."""

    items: List[ListKeysOutputItem]
    """Keys and sessions, newest first; secrets are not stored."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListKeysOutputItem(Output):
    """A part of the above."""

    key_id: str
    """Names the key in lists, and to revoke it."""
    agent_did: str
    """Whose key it is."""
    label: str | None = None
    """What it is for."""
    capabilities: List[str] | None = None
    """What it may be used for; absent: all that its agent holds."""
    networks: List[str]
    """Where it may be used from; empty: anywhere."""
    weekly_budget_usd: str | None = None
    """What all calls with it may cost in an ISO week; absent: no own budget."""
    expires_at: str | None = None
    """When it ends; absent: it does not end by itself."""
    spent_this_week_usd: str | None = None
    """Of its weekly budget."""
    kind: Literal["key", "session"] | str
    """A key ends when revoked or expired; a session was proven with MACS verify_response."""
    state: Literal["live", "expired", "revoked"] | str
    """Only live ones are accepted."""
    made_by: str | None = None
    """Who made it."""
    created_at: str
    """When it was made."""
    revoked_at: str | None = None
    """When it was revoked."""
    last_used_at: str | None = None
    """When a call last used it; absent: never."""


class ListWorkloadsInput(Input):
    """List which tokens of other platforms act as which agents of your organization."""

    agent_did: str | None = None
    """Only mappings to this identity; default: all of your organization."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListWorkloadsOutput(Output):
    """Answer of MACS list_workloads."""

    items: List[ListWorkloadsOutputItem]
    """Mappings, newest first."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListWorkloadsOutputItem(Output):
    """A part of the above."""

    workload_id: str
    """Names the mapping, to remove it."""
    agent_did: str
    """Identity that such a workload acts as."""
    issuer: str
    """As in the iss of its tokens."""
    audience: str
    """As in the aud of its tokens."""
    claims: Dict[str, List[str]]
    """Accepted texts of each claim; all claims must fit. A name that begins with / leads into objects."""
    has_stored_keys: bool
    """The operator stored the keys of its issuer."""
    created_at: str
    """When it was added."""
    last_used_at: str | None = None
    """When a token last used it; absent: never."""


class PeopleInput(Input):
    """List the people who can sign in, their roles, and open invitations."""

    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class PeopleOutput(Output):
    """Answer of MACS people."""

    items: List[PeopleOutputItem]
    """People of your organization, by login."""
    invitations: List[PeopleOutputInvitation]
    """Those still open; on the first page only."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class PeopleOutputItem(Output):
    """A part of the above."""

    login: str
    """Name to sign in with."""
    name: str | None = None
    """For people to read; absent: none was given."""
    roles: List[str]
    """Roles this person has."""
    claimed_roles: List[str]
    """Of these, those that single sign-on gives."""
    state: Literal["active", "disabled"] | str
    """Disabled people cannot sign in."""
    signs_in_by: List[Literal["password", "single sign-on"] | str]
    """Ways this person can sign in."""
    agent_did: str
    """Identity this person acts as."""
    created_at: str
    """When this person was added."""


class PeopleOutputInvitation(Output):
    """A part of the above."""

    invitation_id: str
    """Names the invitation, to withdraw it."""
    name: str
    """Who is invited."""
    roles: List[str]
    """Roles the person will have."""
    made_at: str
    """When it was made."""
    expires_at: str
    """It can be accepted until then."""


class RecoverKeyInput(Input):
    """Give an identity a new key, as its parent or one of those it has named for that."""

    agent_did: str
    """Identity whose key was lost or stolen."""
    public_key: str | None = None
    """The new key. Where the engine keeps the keys, only to name an open recovery."""
    next_key_hash: str | None = None
    """With the first call: commits to the key after the new one."""
    recovery: RecoverKeyRecovery | None = None
    """Who may recover it later; default as before."""
    signature: str | None = None
    """Of signing_input, by the new key."""
    document_proof: str | None = None
    """Of document_signing_input, by the new key."""
    own_signature: str | None = None
    """Of signing_input, by you; not needed where the engine keeps your key."""
    own_public_key: str | None = None
    """Your key that made own_signature; needed with it."""


class RecoverKeyRecovery(Input):
    """Who may recover it later; default as before."""

    dids: List[str]
    """Who may recover it."""
    threshold: int
    """How many of them must sign."""


class RecoverKeyOutput(Output):
    """Answer of MACS recover_key."""

    agent_did: str
    """The identity."""
    state: Literal["pending", "recovered"] | str
    """pending until all needed signatures are there."""
    public_key: str
    """The new key."""
    next_key_hash: str
    """Commits to the key after it."""
    recovery: RecoverKeyOutputRecovery | None = None
    """Who may recover it later; absent: nobody."""
    signing_input: str
    """Text for the recoverers and the new key to sign."""
    document_signing_input: str
    """Text for the new key to sign."""
    signed_by: List[str]
    """Recoverers who have signed."""
    missing: List[Literal["recoverers", "new key", "document"] | str]
    """Signatures that are still needed."""
    threshold: int
    """How many recoverers must sign."""
    document_version: int
    """Version of its document with the new key."""
    document_hash: str | None = None
    """Hash of that document; absent while pending."""
    sessions_ended: int
    """Number of sessions that ended."""
    keys_ended: int
    """Number of API keys that ended."""
    workloads_removed: int
    """Number of workload mappings that were removed."""


class RecoverKeyOutputRecovery(Output):
    """Who may recover it later; absent: nobody."""

    dids: List[str]
    """Who may recover it."""
    threshold: int
    """How many of them must sign."""


class RemoveWorkloadInput(Input):
    """Stop a workload from acting as an agent, and end its sessions and what they began."""

    workload_id: str
    """Mapping to remove; its tokens are refused at once."""
    reason: str | None = None
    """Why, for the audit log."""


class RemoveWorkloadOutput(Output):
    """Answer of MACS remove_workload."""

    workload_id: str
    """Names the mapping, to remove it."""
    agent_did: str
    """Identity that workloads acted as."""
    removed_at: str
    """When it was removed."""


class RequestAccessInput(Input):
    """Ask the administrators of your organization for a capability or a role that you lack."""

    capability: str | None = None
    """What you want to be able to call; or role."""
    role: str | None = None
    """The role you want to have; or capability."""


class RequestAccessOutput(Output):
    """Answer of MACS request_access."""

    request_id: str
    """Names the request."""
    state: Literal["OPEN", "GRANTED", "REFUSED", "EXPIRED"] | str
    """OPEN: nobody has decided. GRANTED: a role was given. REFUSED: it was not. EXPIRED: nobody decided in time."""
    expires_at: str
    """It can be decided until then."""
    administrators: List[str]
    """Who was asked, by mail and in their list."""


class RevokeKeyInput(Input):
    """Revoke an API key or end a session, of yourself, a descendant, or one that you made."""

    key_id: str
    """The key or session to end; calls with it are refused at once."""
    reason: str | None = None
    """Why, for the audit log."""


class RevokeKeyOutput(Output):
    """Answer of MACS revoke_key."""

    key_id: str
    """The key that ended."""
    agent_did: str
    """Whose key it was."""
    revoked_at: str
    """When it ended."""


class RolesInput(Input):
    """List the roles of your organization and what each allows."""


class RolesOutput(Output):
    """Answer of MACS roles."""

    roles: List[RolesOutputRole]
    """Built-in roles and your own."""


class RolesOutputRole(Output):
    """A part of the above."""

    role: str
    """Name of a role."""
    built_in: bool
    """Whether svc defines it; you can change what it allows."""
    capabilities: List[str]
    """What it allows now."""
    added: List[str]
    """What your organization added to it."""
    removed: List[str]
    """What your organization removed from it."""


class RotateKeyInput(Input):
    """Change to the key that was committed to, and commit to the one after."""

    agent_did: str | None = None
    """Default: yourself. Or a descendant whose key the engine keeps."""
    public_key: str | None = None
    """The key that was committed to. Without it, the first commitment is made."""
    next_key_hash: str | None = None
    """Commits to the key after: the sha256 of its 32 bytes."""
    recovery: RotateKeyRecovery | None = None
    """Who may recover it from now on; default as before."""
    at: str | None = None
    """As answered with the texts to sign."""
    signature: str | None = None
    """Of signing_input, by the new key."""
    document_proof: str | None = None
    """Of document_signing_input, by the new key."""


class RotateKeyRecovery(Input):
    """Who may recover it from now on; default as before."""

    dids: List[str]
    """Who may recover it."""
    threshold: int
    """How many of them must sign."""


class RotateKeyOutput(Output):
    """Answer of MACS rotate_key."""

    agent_did: str
    """The identity."""
    state: Literal["unsigned", "committed", "rotated"] | str
    """unsigned: sign the texts and call again. committed: the next key is fixed. rotated: the key changed."""
    public_key: str
    """Its key after this change."""
    next_key_hash: str
    """Commits to the key after it."""
    recovery: RotateKeyOutputRecovery | None = None
    """Who may recover it; absent: nobody."""
    at: str
    """Time in the texts to sign; send it with the signatures."""
    signing_input: str | None = None
    """Text for the new key to sign; absent once done."""
    document_signing_input: str | None = None
    """Text for the new key to sign; absent once done."""
    document_version: int
    """Version of its document with this change."""
    document_hash: str | None = None
    """Hash of that document; absent while unsigned."""
    sessions_ended: int
    """Number of sessions that ended with the old key."""


class RotateKeyOutputRecovery(Output):
    """Who may recover it; absent: nobody."""

    dids: List[str]
    """Who may recover it."""
    threshold: int
    """How many of them must sign."""


class SetPersonInput(Input):
    """Give roles to a person, end them, or end the account."""

    login: str
    """Name to sign in with."""
    give: List[str] | None = None
    """Roles to add."""
    end: List[str] | None = None
    """Roles to take away."""
    disable: Literal[True] | None = None
    """Ends sessions, tokens and the keys this person made."""


class SetPersonOutput(Output):
    """Answer of MACS set_person."""

    login: str
    """Name to sign in with."""
    roles: List[str]
    """Roles this person has now."""
    state: Literal["active", "disabled"] | str
    """Disabled people cannot sign in."""


class SetRoleInput(Input):
    """Change what a role allows, make a role of your own, or reset one."""

    role: str
    """Role to change; an unknown name makes a new one."""
    add: List[str] | None = None
    """What it allows in addition."""
    remove: List[str] | None = None
    """What it no longer allows."""
    reset: Literal[True] | None = None
    """A built-in role allows again what it did at first; one of your own ends for everybody."""


class SetRoleOutput(Output):
    """Answer of MACS set_role."""

    role: str
    """Name of a role."""
    capabilities: List[str]
    """What it allows now."""


class SetStateInput(Input):
    """Suspend, resume or revoke an identity with all its descendants."""

    agent_did: str
    """Identity to change, with all that descend from it."""
    state: Literal["active", "suspended", "revoked"]
    """suspended can be undone by active; revoked is for good."""
    reason: str
    """Why, for the audit log."""


class SetStateOutput(Output):
    """Answer of MACS set_state."""

    agent_did: str
    """The identity."""
    state: Literal["active", "suspended", "revoked"] | str
    """Its state now; it may still be suspended with one that it descends from."""
    changed: bool
    """False where it was so before."""
    identities: int
    """How many changed: it, and its descendants."""
    keys_revoked: int
    """Number of API keys that ended with it."""
    at: str
    """When it was done."""


class UpdateIdentityInput(Input):
    """Change name, capabilities or endpoints in the document of yourself or a descendant."""

    agent_did: str | None = None
    """Default: yourself. Or a descendant of yours."""
    name: str | None = None
    """New name; absent: unchanged."""
    capabilities: List[UpdateIdentityCapability] | None = None
    """All it shall declare; never more than its parent holds. Absent: unchanged."""
    service_endpoints: List[UpdateIdentityServiceEndpoint] | None = None
    """All its endpoints; absent: unchanged."""
    at: str | None = None
    """As answered with the text to sign."""
    document_proof: str | None = None
    """Of document_signing_input, unless the engine keeps its key."""


class UpdateIdentityCapability(Input):
    """A part of the above."""

    name: str
    """Name as svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol."""
    expires_at: str | None = None
    """When it ends; absent: it does not end by itself."""
    limits: UpdateIdentityCapabilityLimits | None = None
    """Bounds on use; absent: none."""
    caveats: List[str]
    """Conditions such as time:09-17, jurisdiction:DE, weekly_budget:5 or action_kind:read; each must hold."""


class UpdateIdentityCapabilityLimits(Input):
    """Bounds on use; absent: none."""

    max_per_call_bps: int | None = None
    """Basis points of the tenant budget per call."""
    max_per_hour: int | None = None
    """Calls per hour."""
    max_tokens: int | None = None
    """Hard token ceiling per call."""


class UpdateIdentityServiceEndpoint(Input):
    """A part of the above."""

    kind: str
    """What is offered there, such as svc or mcp."""
    url: str
    """Where it is."""
    protocols: List[str]
    """Protocols it serves."""


class UpdateIdentityOutput(Output):
    """Answer of MACS update_identity."""

    agent_did: str
    """The identity."""
    state: Literal["unsigned", "updated"] | str
    """unsigned: sign document_signing_input and call again with document_proof."""
    document_version: int
    """Version of its document with this change."""
    document_hash: str | None = None
    """Hash of that document; absent while unsigned."""
    document_signing_input: str | None = None
    """Text for its key to sign; absent once done."""
    capabilities: List[UpdateIdentityOutputCapability]
    """What it declares with this change."""
    at: str
    """Time of this change; send it with document_proof."""


class UpdateIdentityOutputCapability(Output):
    """A part of the above."""

    name: str
    """Name as svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol."""
    expires_at: str | None = None
    """When it ends; absent: it does not end by itself."""
    limits: UpdateIdentityOutputCapabilityLimits | None = None
    """Bounds on use; absent: none."""
    caveats: List[str]
    """Conditions such as time:09-17, jurisdiction:DE, weekly_budget:5 or action_kind:read; each must hold."""


class UpdateIdentityOutputCapabilityLimits(Output):
    """Bounds on use; absent: none."""

    max_per_call_bps: int | None = None
    """Basis points of the tenant budget per call."""
    max_per_hour: int | None = None
    """Calls per hour."""
    max_tokens: int | None = None
    """Hard token ceiling per call."""


class VerifyResponseInput(Input):
    """Prove that an agent holds its key, and verify its lineage."""

    challenge_id: str
    """The challenge to answer; it can be used once."""
    agent_did: str
    """Who proves itself."""
    public_key: str
    """Its current key."""
    signature: str
    """Of the challenge's signing_input by this key."""
    lineage: List[VerifyResponseLineage] | None = None
    """Statements up to a root; default: those of its document."""
    delegation: VerifyResponseDelegation | None = None
    """Needed if DelegatedAuth was negotiated."""


class VerifyResponseLineage(Input):
    """One link of descent, signed by the parent."""

    child_did: str
    """The derived identity."""
    child_public_key: str
    """Its first key."""
    parent_did: str
    """Who derived it."""
    parent_public_key: str
    """Key of the parent that signed."""
    entity_kind: str
    """A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others."""
    label: str
    """Names a child among its siblings."""
    index: int
    """Tells apart children with the same label; the first is 0."""
    created_at: str
    """When it was derived."""
    expires_at: str | None = None
    """The child counts until then; absent: it does not end."""
    parent_key_events: List[VerifyResponseLineageParentKeyEvent] | None = None
    """How the parent came to its key; absent: it is its first."""
    signature: str
    """By the parent, base64url."""


class VerifyResponseLineageParentKeyEvent(Input):
    """A part of the above."""

    kind: Literal["inception", "rotation", "recovery"]
    """Inception: first commitment. Rotation: to the committed key. Recovery: a key put in place by others."""
    public_key: str
    """The key from then on."""
    next_key_hash: str
    """The sha256 of the next public key’s 32 bytes."""
    recovery: VerifyResponseLineageParentKeyEventRecovery | None = None
    """Who may recover it from then on; absent: nobody."""
    at: str
    """When it was made."""
    previous: str
    """The hash of the event before; the DID where there is none."""
    signatures: List[VerifyResponseLineageParentKeyEventSignature]
    """By the new key, or by those who recover it."""


class VerifyResponseLineageParentKeyEventRecovery(Input):
    """Who may recover it from then on; absent: nobody."""

    dids: List[str]
    """Who may recover it."""
    threshold: int
    """How many of them must sign."""


class VerifyResponseLineageParentKeyEventSignature(Input):
    """A part of the above."""

    did: str
    """Who signed."""
    public_key: str
    """Key that signed."""
    signature: str
    """Over the event, base64url."""
    key_events: List[Dict[str, Any]] | None = None
    """How the signer came to that key; absent: it is its first."""


class VerifyResponseDelegation(Input):
    """Needed if DelegatedAuth was negotiated."""

    from_did: str
    """Who delegates."""
    to_did: str
    """Who receives."""
    capabilities: List[VerifyResponseDelegationCapability]
    """What is delegated; never more than the delegator holds."""
    max_redelegation_depth: int
    """How many times this may be delegated further; 0 means never."""
    expires_at: str
    """It ends then."""
    revocation_url: str | None = None
    """Where to check whether this token is revoked."""
    signature: str
    """By the delegator, base64url."""


class VerifyResponseDelegationCapability(Input):
    """A part of the above."""

    name: str
    """Name as svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol."""
    expires_at: str | None = None
    """When it ends; absent: it does not end by itself."""
    limits: VerifyResponseDelegationCapabilityLimits | None = None
    """Bounds on use; absent: none."""
    caveats: List[str]
    """Conditions such as time:09-17, jurisdiction:DE, weekly_budget:5 or action_kind:read; each must hold."""


class VerifyResponseDelegationCapabilityLimits(Input):
    """Bounds on use; absent: none."""

    max_per_call_bps: int | None = None
    """Basis points of the tenant budget per call."""
    max_per_hour: int | None = None
    """Calls per hour."""
    max_tokens: int | None = None
    """Hard token ceiling per call."""


class VerifyResponseOutput(SecretOutput):
    """Answer of MACS verify_response."""

    verified: bool
    """Always true; otherwise the call is refused."""
    did: str
    """Who was verified."""
    entity_kind: str
    """A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others."""
    human_root_did: str | None = None
    """Human or organization at the root; absent: lineage not verified."""
    creator_did: str | None = None
    """Parent that derived it; absent for a root."""
    lineage_depth: int
    """Steps from its root; 0 for a root."""
    lineage_verified: bool
    """Whether its descent from a root is proven."""
    conformance_level: Literal["L0", "L1", "L2"] | str
    """L0: known. L1: verified lineage. L2: also attested, with a reputation."""
    session_id: str
    """The session, as list_keys shows it."""
    key_id: str
    """Of the token: records of calls made with it name it."""
    session_token: str
    """For Authorization: DPoP <session_token>, with a DPoP header signed by the proven key (RFC 9449)."""
    token_expires_at: str
    """The session's token is accepted until then."""
    warnings: List[str]
    """What could not be verified, in words."""


class WithdrawInvitationInput(Input):
    """Withdraw an open invitation; its link opens nothing any more."""

    invitation_id: str
    """Invitation to withdraw."""


class WithdrawInvitationOutput(Output):
    """Answer of MACS withdraw_invitation."""

    invitation_id: str
    """The invitation that ended."""
    withdrawn: bool
    """Always true: its link no longer works."""


class Macs(Operations):
    """Proves an agent’s identity by its key and lineage, reports its capabilities, derives child identities, and manages people and roles."""

    protocol = "MACS"

    def access_requests(
        self,
        *,
        side: Literal["own", "to_decide"] | None = None,
        state: Literal["OPEN", "GRANTED", "REFUSED", "EXPIRED"] | None = None,
    ) -> AccessRequestsOutput:
        """List your requests for access, or those that you may decide. A read: retried."""
        return self._call("access_requests", AccessRequestsInput, AccessRequestsOutput, {
            "side": side,
            "state": state,
        })

    def add_workload(
        self,
        *,
        agent_did: str,
        issuer: str,
        audience: str,
        claims: Dict[str, List[str]],
    ) -> AddWorkloadOutput:
        """Let tokens of another platform act as you or a descendant, without a stored secret. A write: never retried."""
        return self._call("add_workload", AddWorkloadInput, AddWorkloadOutput, {
            "agent_did": agent_did,
            "issuer": issuer,
            "audience": audience,
            "claims": claims,
        })

    def auth_negotiation(
        self,
        *,
        profile: str,
        challenge_kind: str,
        agent_did: str | None = None,
    ) -> AuthNegotiationOutput:
        """Agree on how this agent will prove its identity. A write: never retried."""
        return self._call("auth_negotiation", AuthNegotiationInput, AuthNegotiationOutput, {
            "profile": profile,
            "challenge_kind": challenge_kind,
            "agent_did": agent_did,
        })

    def authorization_request(
        self,
        *,
        agent_did: str,
        at: str | None = None,
        protocol: str | None = None,
    ) -> AuthorizationRequestOutput:
        """Ask what an agent may do right now. A read: retried."""
        return self._call("authorization_request", AuthorizationRequestInput, AuthorizationRequestOutput, {
            "agent_did": agent_did,
            "at": at,
            "protocol": protocol,
        })

    def create_key(
        self,
        *,
        agent_did: str | None = None,
        label: str,
        capabilities: List[str] | None = None,
        expires_at: str | None = None,
        networks: List[str] | None = None,
        weekly_budget_usd: str | None = None,
    ) -> CreateKeyOutput:
        """Make an API key for yourself or a descendant, that may never do more than its agent. A write: never retried."""
        return self._call("create_key", CreateKeyInput, CreateKeyOutput, {
            "agent_did": agent_did,
            "label": label,
            "capabilities": capabilities,
            "expires_at": expires_at,
            "networks": networks,
            "weekly_budget_usd": weekly_budget_usd,
        })

    def decide_access(
        self,
        *,
        request_id: str,
        decision: Literal["grant", "refuse"],
        role: str | None = None,
    ) -> DecideAccessOutput:
        """Give the role that a person asked for, or refuse it. A write: never retried."""
        return self._call("decide_access", DecideAccessInput, DecideAccessOutput, {
            "request_id": request_id,
            "decision": decision,
            "role": role,
        })

    def derive(
        self,
        *,
        entity_kind: Literal["HumanRoot", "MultiHumanRoot", "EntityNameRecord", "Agent", "AgentInstance", "Tool", "Skill", "Workflow", "Model", "Dataset", "Service"],
        label: str,
        index: int | None = None,
        name: str | None = None,
        capabilities: List[DeriveCapability] | None = None,
        service_endpoints: List[DeriveServiceEndpoint] | None = None,
        expires_at: str | None = None,
        custody: Literal["engine", "client"] | None = None,
        child_public_key: str | None = None,
        parent_public_key: str | None = None,
        created_at: str | None = None,
        signature: str | None = None,
        document_proof: str | None = None,
    ) -> DeriveOutput:
        """Create a child identity under the caller, with at most the capabilities of the caller. A write: never retried."""
        return self._call("derive", DeriveInput, DeriveOutput, {
            "entity_kind": entity_kind,
            "label": label,
            "index": index,
            "name": name,
            "capabilities": capabilities,
            "service_endpoints": service_endpoints,
            "expires_at": expires_at,
            "custody": custody,
            "child_public_key": child_public_key,
            "parent_public_key": parent_public_key,
            "created_at": created_at,
            "signature": signature,
            "document_proof": document_proof,
        })

    def explain_access(
        self,
        *,
        agent_did: str | None = None,
        capability: str | None = None,
        protocol: str | None = None,
        operation: str | None = None,
        target_tenant: str | None = None,
        at: str | None = None,
    ) -> ExplainAccessOutput:
        """Explain why an identity may call an operation or not: every path of authority, and the one used. A read: retried."""
        return self._call("explain_access", ExplainAccessInput, ExplainAccessOutput, {
            "agent_did": agent_did,
            "capability": capability,
            "protocol": protocol,
            "operation": operation,
            "target_tenant": target_tenant,
            "at": at,
        })

    def generate_challenge(
        self,
        *,
        session_id: str,
        agent_did: str | None = None,
        audience: str | None = None,
    ) -> GenerateChallengeOutput:
        """Get the nonce to sign. A write: never retried."""
        return self._call("generate_challenge", GenerateChallengeInput, GenerateChallengeOutput, {
            "session_id": session_id,
            "agent_did": agent_did,
            "audience": audience,
        })

    def invite(
        self,
        *,
        name: str,
        roles: List[str],
        days: int | None = None,
    ) -> InviteOutput:
        """Invite a person by a link that is good once and expires. A write: never retried."""
        return self._call("invite", InviteInput, InviteOutput, {
            "name": name,
            "roles": roles,
            "days": days,
        })

    def list(
        self,
        *,
        did: str | None = None,
        entity_kind: Literal["HumanRoot", "MultiHumanRoot", "EntityNameRecord", "Agent", "AgentInstance", "Tool", "Skill", "Workflow", "Model", "Dataset", "Service"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List the identities of your organization with parent, level, state and means of access. A read: retried."""
        return self._call("list", ListInput, ListOutput, {
            "did": did,
            "entity_kind": entity_kind,
            "limit": limit,
            "cursor": cursor,
        })

    def list_keys(
        self,
        *,
        agent_did: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListKeysOutput:
        """List the API keys and sessions of yourself or a descendant. A read: retried."""
        return self._call("list_keys", ListKeysInput, ListKeysOutput, {
            "agent_did": agent_did,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    def list_workloads(
        self,
        *,
        agent_did: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListWorkloadsOutput:
        """List which tokens of other platforms act as which agents of your organization. A read: retried."""
        return self._call("list_workloads", ListWorkloadsInput, ListWorkloadsOutput, {
            "agent_did": agent_did,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    def people(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PeopleOutput:
        """List the people who can sign in, their roles, and open invitations. A read: retried."""
        return self._call("people", PeopleInput, PeopleOutput, {
            "limit": limit,
            "cursor": cursor,
        })

    def recover_key(
        self,
        *,
        agent_did: str,
        public_key: str | None = None,
        next_key_hash: str | None = None,
        recovery: RecoverKeyRecovery | None = None,
        signature: str | None = None,
        document_proof: str | None = None,
        own_signature: str | None = None,
        own_public_key: str | None = None,
    ) -> RecoverKeyOutput:
        """Give an identity a new key, as its parent or one of those it has named for that. A write: never retried."""
        return self._call("recover_key", RecoverKeyInput, RecoverKeyOutput, {
            "agent_did": agent_did,
            "public_key": public_key,
            "next_key_hash": next_key_hash,
            "recovery": recovery,
            "signature": signature,
            "document_proof": document_proof,
            "own_signature": own_signature,
            "own_public_key": own_public_key,
        })

    def remove_workload(
        self,
        *,
        workload_id: str,
        reason: str | None = None,
    ) -> RemoveWorkloadOutput:
        """Stop a workload from acting as an agent, and end its sessions and what they began. A write: never retried."""
        return self._call("remove_workload", RemoveWorkloadInput, RemoveWorkloadOutput, {
            "workload_id": workload_id,
            "reason": reason,
        })

    def request_access(
        self,
        *,
        capability: str | None = None,
        role: str | None = None,
    ) -> RequestAccessOutput:
        """Ask the administrators of your organization for a capability or a role that you lack. A write: never retried."""
        return self._call("request_access", RequestAccessInput, RequestAccessOutput, {
            "capability": capability,
            "role": role,
        })

    def revoke_key(
        self,
        *,
        key_id: str,
        reason: str | None = None,
    ) -> RevokeKeyOutput:
        """Revoke an API key or end a session, of yourself, a descendant, or one that you made. A write: never retried."""
        return self._call("revoke_key", RevokeKeyInput, RevokeKeyOutput, {
            "key_id": key_id,
            "reason": reason,
        })

    def roles(self) -> RolesOutput:
        """List the roles of your organization and what each allows. A read: retried."""
        return self._call("roles", RolesInput, RolesOutput, {})

    def rotate_key(
        self,
        *,
        agent_did: str | None = None,
        public_key: str | None = None,
        next_key_hash: str | None = None,
        recovery: RotateKeyRecovery | None = None,
        at: str | None = None,
        signature: str | None = None,
        document_proof: str | None = None,
    ) -> RotateKeyOutput:
        """Change to the key that was committed to, and commit to the one after. A write: never retried."""
        return self._call("rotate_key", RotateKeyInput, RotateKeyOutput, {
            "agent_did": agent_did,
            "public_key": public_key,
            "next_key_hash": next_key_hash,
            "recovery": recovery,
            "at": at,
            "signature": signature,
            "document_proof": document_proof,
        })

    def set_person(
        self,
        *,
        login: str,
        give: List[str] | None = None,
        end: List[str] | None = None,
        disable: Literal[True] | None = None,
    ) -> SetPersonOutput:
        """Give roles to a person, end them, or end the account. A write: never retried."""
        return self._call("set_person", SetPersonInput, SetPersonOutput, {
            "login": login,
            "give": give,
            "end": end,
            "disable": disable,
        })

    def set_role(
        self,
        *,
        role: str,
        add: List[str] | None = None,
        remove: List[str] | None = None,
        reset: Literal[True] | None = None,
    ) -> SetRoleOutput:
        """Change what a role allows, make a role of your own, or reset one. A write: never retried."""
        return self._call("set_role", SetRoleInput, SetRoleOutput, {
            "role": role,
            "add": add,
            "remove": remove,
            "reset": reset,
        })

    def set_state(
        self,
        *,
        agent_did: str,
        state: Literal["active", "suspended", "revoked"],
        reason: str,
    ) -> SetStateOutput:
        """Suspend, resume or revoke an identity with all its descendants. A write: never retried."""
        return self._call("set_state", SetStateInput, SetStateOutput, {
            "agent_did": agent_did,
            "state": state,
            "reason": reason,
        })

    def update_identity(
        self,
        *,
        agent_did: str | None = None,
        name: str | None = None,
        capabilities: List[UpdateIdentityCapability] | None = None,
        service_endpoints: List[UpdateIdentityServiceEndpoint] | None = None,
        at: str | None = None,
        document_proof: str | None = None,
    ) -> UpdateIdentityOutput:
        """Change name, capabilities or endpoints in the document of yourself or a descendant. A write: never retried."""
        return self._call("update_identity", UpdateIdentityInput, UpdateIdentityOutput, {
            "agent_did": agent_did,
            "name": name,
            "capabilities": capabilities,
            "service_endpoints": service_endpoints,
            "at": at,
            "document_proof": document_proof,
        })

    def verify_response(
        self,
        *,
        challenge_id: str,
        agent_did: str,
        public_key: str,
        signature: str,
        lineage: List[VerifyResponseLineage] | None = None,
        delegation: VerifyResponseDelegation | None = None,
    ) -> VerifyResponseOutput:
        """Prove that an agent holds its key, and verify its lineage. A write: never retried."""
        return self._call("verify_response", VerifyResponseInput, VerifyResponseOutput, {
            "challenge_id": challenge_id,
            "agent_did": agent_did,
            "public_key": public_key,
            "signature": signature,
            "lineage": lineage,
            "delegation": delegation,
        })

    def withdraw_invitation(
        self,
        *,
        invitation_id: str,
    ) -> WithdrawInvitationOutput:
        """Withdraw an open invitation; its link opens nothing any more. A write: never retried."""
        return self._call("withdraw_invitation", WithdrawInvitationInput, WithdrawInvitationOutput, {
            "invitation_id": invitation_id,
        })


class AsyncMacs(AsyncOperations):
    """Proves an agent’s identity by its key and lineage, reports its capabilities, derives child identities, and manages people and roles."""

    protocol = "MACS"

    async def access_requests(
        self,
        *,
        side: Literal["own", "to_decide"] | None = None,
        state: Literal["OPEN", "GRANTED", "REFUSED", "EXPIRED"] | None = None,
    ) -> AccessRequestsOutput:
        """List your requests for access, or those that you may decide. A read: retried."""
        return await self._call("access_requests", AccessRequestsInput, AccessRequestsOutput, {
            "side": side,
            "state": state,
        })

    async def add_workload(
        self,
        *,
        agent_did: str,
        issuer: str,
        audience: str,
        claims: Dict[str, List[str]],
    ) -> AddWorkloadOutput:
        """Let tokens of another platform act as you or a descendant, without a stored secret. A write: never retried."""
        return await self._call("add_workload", AddWorkloadInput, AddWorkloadOutput, {
            "agent_did": agent_did,
            "issuer": issuer,
            "audience": audience,
            "claims": claims,
        })

    async def auth_negotiation(
        self,
        *,
        profile: str,
        challenge_kind: str,
        agent_did: str | None = None,
    ) -> AuthNegotiationOutput:
        """Agree on how this agent will prove its identity. A write: never retried."""
        return await self._call("auth_negotiation", AuthNegotiationInput, AuthNegotiationOutput, {
            "profile": profile,
            "challenge_kind": challenge_kind,
            "agent_did": agent_did,
        })

    async def authorization_request(
        self,
        *,
        agent_did: str,
        at: str | None = None,
        protocol: str | None = None,
    ) -> AuthorizationRequestOutput:
        """Ask what an agent may do right now. A read: retried."""
        return await self._call("authorization_request", AuthorizationRequestInput, AuthorizationRequestOutput, {
            "agent_did": agent_did,
            "at": at,
            "protocol": protocol,
        })

    async def create_key(
        self,
        *,
        agent_did: str | None = None,
        label: str,
        capabilities: List[str] | None = None,
        expires_at: str | None = None,
        networks: List[str] | None = None,
        weekly_budget_usd: str | None = None,
    ) -> CreateKeyOutput:
        """Make an API key for yourself or a descendant, that may never do more than its agent. A write: never retried."""
        return await self._call("create_key", CreateKeyInput, CreateKeyOutput, {
            "agent_did": agent_did,
            "label": label,
            "capabilities": capabilities,
            "expires_at": expires_at,
            "networks": networks,
            "weekly_budget_usd": weekly_budget_usd,
        })

    async def decide_access(
        self,
        *,
        request_id: str,
        decision: Literal["grant", "refuse"],
        role: str | None = None,
    ) -> DecideAccessOutput:
        """Give the role that a person asked for, or refuse it. A write: never retried."""
        return await self._call("decide_access", DecideAccessInput, DecideAccessOutput, {
            "request_id": request_id,
            "decision": decision,
            "role": role,
        })

    async def derive(
        self,
        *,
        entity_kind: Literal["HumanRoot", "MultiHumanRoot", "EntityNameRecord", "Agent", "AgentInstance", "Tool", "Skill", "Workflow", "Model", "Dataset", "Service"],
        label: str,
        index: int | None = None,
        name: str | None = None,
        capabilities: List[DeriveCapability] | None = None,
        service_endpoints: List[DeriveServiceEndpoint] | None = None,
        expires_at: str | None = None,
        custody: Literal["engine", "client"] | None = None,
        child_public_key: str | None = None,
        parent_public_key: str | None = None,
        created_at: str | None = None,
        signature: str | None = None,
        document_proof: str | None = None,
    ) -> DeriveOutput:
        """Create a child identity under the caller, with at most the capabilities of the caller. A write: never retried."""
        return await self._call("derive", DeriveInput, DeriveOutput, {
            "entity_kind": entity_kind,
            "label": label,
            "index": index,
            "name": name,
            "capabilities": capabilities,
            "service_endpoints": service_endpoints,
            "expires_at": expires_at,
            "custody": custody,
            "child_public_key": child_public_key,
            "parent_public_key": parent_public_key,
            "created_at": created_at,
            "signature": signature,
            "document_proof": document_proof,
        })

    async def explain_access(
        self,
        *,
        agent_did: str | None = None,
        capability: str | None = None,
        protocol: str | None = None,
        operation: str | None = None,
        target_tenant: str | None = None,
        at: str | None = None,
    ) -> ExplainAccessOutput:
        """Explain why an identity may call an operation or not: every path of authority, and the one used. A read: retried."""
        return await self._call("explain_access", ExplainAccessInput, ExplainAccessOutput, {
            "agent_did": agent_did,
            "capability": capability,
            "protocol": protocol,
            "operation": operation,
            "target_tenant": target_tenant,
            "at": at,
        })

    async def generate_challenge(
        self,
        *,
        session_id: str,
        agent_did: str | None = None,
        audience: str | None = None,
    ) -> GenerateChallengeOutput:
        """Get the nonce to sign. A write: never retried."""
        return await self._call("generate_challenge", GenerateChallengeInput, GenerateChallengeOutput, {
            "session_id": session_id,
            "agent_did": agent_did,
            "audience": audience,
        })

    async def invite(
        self,
        *,
        name: str,
        roles: List[str],
        days: int | None = None,
    ) -> InviteOutput:
        """Invite a person by a link that is good once and expires. A write: never retried."""
        return await self._call("invite", InviteInput, InviteOutput, {
            "name": name,
            "roles": roles,
            "days": days,
        })

    async def list(
        self,
        *,
        did: str | None = None,
        entity_kind: Literal["HumanRoot", "MultiHumanRoot", "EntityNameRecord", "Agent", "AgentInstance", "Tool", "Skill", "Workflow", "Model", "Dataset", "Service"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List the identities of your organization with parent, level, state and means of access. A read: retried."""
        return await self._call("list", ListInput, ListOutput, {
            "did": did,
            "entity_kind": entity_kind,
            "limit": limit,
            "cursor": cursor,
        })

    async def list_keys(
        self,
        *,
        agent_did: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListKeysOutput:
        """List the API keys and sessions of yourself or a descendant. A read: retried."""
        return await self._call("list_keys", ListKeysInput, ListKeysOutput, {
            "agent_did": agent_did,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    async def list_workloads(
        self,
        *,
        agent_did: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListWorkloadsOutput:
        """List which tokens of other platforms act as which agents of your organization. A read: retried."""
        return await self._call("list_workloads", ListWorkloadsInput, ListWorkloadsOutput, {
            "agent_did": agent_did,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    async def people(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PeopleOutput:
        """List the people who can sign in, their roles, and open invitations. A read: retried."""
        return await self._call("people", PeopleInput, PeopleOutput, {
            "limit": limit,
            "cursor": cursor,
        })

    async def recover_key(
        self,
        *,
        agent_did: str,
        public_key: str | None = None,
        next_key_hash: str | None = None,
        recovery: RecoverKeyRecovery | None = None,
        signature: str | None = None,
        document_proof: str | None = None,
        own_signature: str | None = None,
        own_public_key: str | None = None,
    ) -> RecoverKeyOutput:
        """Give an identity a new key, as its parent or one of those it has named for that. A write: never retried."""
        return await self._call("recover_key", RecoverKeyInput, RecoverKeyOutput, {
            "agent_did": agent_did,
            "public_key": public_key,
            "next_key_hash": next_key_hash,
            "recovery": recovery,
            "signature": signature,
            "document_proof": document_proof,
            "own_signature": own_signature,
            "own_public_key": own_public_key,
        })

    async def remove_workload(
        self,
        *,
        workload_id: str,
        reason: str | None = None,
    ) -> RemoveWorkloadOutput:
        """Stop a workload from acting as an agent, and end its sessions and what they began. A write: never retried."""
        return await self._call("remove_workload", RemoveWorkloadInput, RemoveWorkloadOutput, {
            "workload_id": workload_id,
            "reason": reason,
        })

    async def request_access(
        self,
        *,
        capability: str | None = None,
        role: str | None = None,
    ) -> RequestAccessOutput:
        """Ask the administrators of your organization for a capability or a role that you lack. A write: never retried."""
        return await self._call("request_access", RequestAccessInput, RequestAccessOutput, {
            "capability": capability,
            "role": role,
        })

    async def revoke_key(
        self,
        *,
        key_id: str,
        reason: str | None = None,
    ) -> RevokeKeyOutput:
        """Revoke an API key or end a session, of yourself, a descendant, or one that you made. A write: never retried."""
        return await self._call("revoke_key", RevokeKeyInput, RevokeKeyOutput, {
            "key_id": key_id,
            "reason": reason,
        })

    async def roles(self) -> RolesOutput:
        """List the roles of your organization and what each allows. A read: retried."""
        return await self._call("roles", RolesInput, RolesOutput, {})

    async def rotate_key(
        self,
        *,
        agent_did: str | None = None,
        public_key: str | None = None,
        next_key_hash: str | None = None,
        recovery: RotateKeyRecovery | None = None,
        at: str | None = None,
        signature: str | None = None,
        document_proof: str | None = None,
    ) -> RotateKeyOutput:
        """Change to the key that was committed to, and commit to the one after. A write: never retried."""
        return await self._call("rotate_key", RotateKeyInput, RotateKeyOutput, {
            "agent_did": agent_did,
            "public_key": public_key,
            "next_key_hash": next_key_hash,
            "recovery": recovery,
            "at": at,
            "signature": signature,
            "document_proof": document_proof,
        })

    async def set_person(
        self,
        *,
        login: str,
        give: List[str] | None = None,
        end: List[str] | None = None,
        disable: Literal[True] | None = None,
    ) -> SetPersonOutput:
        """Give roles to a person, end them, or end the account. A write: never retried."""
        return await self._call("set_person", SetPersonInput, SetPersonOutput, {
            "login": login,
            "give": give,
            "end": end,
            "disable": disable,
        })

    async def set_role(
        self,
        *,
        role: str,
        add: List[str] | None = None,
        remove: List[str] | None = None,
        reset: Literal[True] | None = None,
    ) -> SetRoleOutput:
        """Change what a role allows, make a role of your own, or reset one. A write: never retried."""
        return await self._call("set_role", SetRoleInput, SetRoleOutput, {
            "role": role,
            "add": add,
            "remove": remove,
            "reset": reset,
        })

    async def set_state(
        self,
        *,
        agent_did: str,
        state: Literal["active", "suspended", "revoked"],
        reason: str,
    ) -> SetStateOutput:
        """Suspend, resume or revoke an identity with all its descendants. A write: never retried."""
        return await self._call("set_state", SetStateInput, SetStateOutput, {
            "agent_did": agent_did,
            "state": state,
            "reason": reason,
        })

    async def update_identity(
        self,
        *,
        agent_did: str | None = None,
        name: str | None = None,
        capabilities: List[UpdateIdentityCapability] | None = None,
        service_endpoints: List[UpdateIdentityServiceEndpoint] | None = None,
        at: str | None = None,
        document_proof: str | None = None,
    ) -> UpdateIdentityOutput:
        """Change name, capabilities or endpoints in the document of yourself or a descendant. A write: never retried."""
        return await self._call("update_identity", UpdateIdentityInput, UpdateIdentityOutput, {
            "agent_did": agent_did,
            "name": name,
            "capabilities": capabilities,
            "service_endpoints": service_endpoints,
            "at": at,
            "document_proof": document_proof,
        })

    async def verify_response(
        self,
        *,
        challenge_id: str,
        agent_did: str,
        public_key: str,
        signature: str,
        lineage: List[VerifyResponseLineage] | None = None,
        delegation: VerifyResponseDelegation | None = None,
    ) -> VerifyResponseOutput:
        """Prove that an agent holds its key, and verify its lineage. A write: never retried."""
        return await self._call("verify_response", VerifyResponseInput, VerifyResponseOutput, {
            "challenge_id": challenge_id,
            "agent_did": agent_did,
            "public_key": public_key,
            "signature": signature,
            "lineage": lineage,
            "delegation": delegation,
        })

    async def withdraw_invitation(
        self,
        *,
        invitation_id: str,
    ) -> WithdrawInvitationOutput:
        """Withdraw an open invitation; its link opens nothing any more. A write: never retried."""
        return await self._call("withdraw_invitation", WithdrawInvitationInput, WithdrawInvitationOutput, {
            "invitation_id": invitation_id,
        })
