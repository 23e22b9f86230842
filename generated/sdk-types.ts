// Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.

/** Get a nonce to sign before a sensitive delegation. */
export interface AegisChallengeInput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  subject_did: string
  purpose: "delegate" | "accept" | "revoke"
  capabilities?: string[]
}

/** Answer of Aegis challenge. */
export interface AegisChallengeOutput {
  /** UUID in lower case. */
  challenge_id: string
  nonce: string
  /** RFC 3339 time in UTC. */
  expires_at: string
  /** The exact text to sign with the key of the subject. */
  signing_input: string
}

/** Lend part of your authority to another identity of your tenant, until a time. */
export interface AegisDelegateInput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  to_did: string
  capabilities: Array<string | {
    /** svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
    name: string
    /** RFC 3339 time in UTC. */
    expires_at?: string
    limits?: {
      /** Basis points of the tenant budget per call. */
      max_per_call_bps?: number
      /** Calls per hour. */
      max_per_hour?: number
      /** Hard token ceiling per call. */
      max_tokens?: number
    }
    caveats?: string[]
  }>
  max_redelegation_depth?: number
  /** RFC 3339 time in UTC. */
  expires_at: string
  /** Where to ask whether this token still stands. */
  revocation_url?: string
  /** Content address. */
  parent_token?: string
  /** UUID in lower case. */
  challenge_id?: string
  /** Ed25519 signature, 64 bytes, base64url. */
  challenge_signature?: string
  /** Ed25519 public key, 32 bytes, base64url. */
  public_key?: string
  /** Ed25519 signature, 64 bytes, base64url. */
  signature?: string
}

/** Answer of Aegis delegate. */
export interface AegisDelegateOutput {
  /** Part of one agent’s authority, lent to another until a time. Never more than the lender holds. */
  token: {
    /** did:oas:<tenant>:<kind>:<64 hex> */
    from_did: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    to_did: string
    capabilities: Array<{
      name: string
      /** RFC 3339 time in UTC. */
      expires_at?: string
      limits?: {
        /** Basis points of the tenant budget per call. */
        max_per_call_bps?: number
        /** Calls per hour. */
        max_per_hour?: number
        /** Hard token ceiling per call. */
        max_tokens?: number
      }
      caveats: string[]
    }>
    /** How often this may be lent on; 0 means never. */
    max_redelegation_depth: number
    /** RFC 3339 time in UTC. */
    expires_at: string
    /** Where to ask whether this token still stands. */
    revocation_url?: string
    /** Ed25519 signature, 64 bytes, base64url. */
    signature: string
  }
  /** Content address. */
  token_id: string
  remaining_depth: number
  /** Bounds of the source were added to what was asked for. */
  attenuated: boolean
}

/** See, set, test or withdraw your delegations. */
export interface AegisPolicyInput {
  action: "get" | "set" | "evaluate" | "revoke"
  /** Rules over what I lend; what is absent is not restricted. */
  rules?: {
    /** How often what I lend may be lent on. */
    max_depth?: number
    /** How long a loan may last. */
    max_ttl_seconds?: number
    never?: string[]
    require_challenge?: string[]
    allow_kinds?: string[]
  }
  /** did:oas:<tenant>:<kind>:<64 hex> */
  from_did?: string
  /** did:oas:<tenant>:<kind>:<64 hex> */
  to_did?: string
  capabilities?: Array<string | {
    /** svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
    name: string
    /** RFC 3339 time in UTC. */
    expires_at?: string
    limits?: {
      /** Basis points of the tenant budget per call. */
      max_per_call_bps?: number
      /** Calls per hour. */
      max_per_hour?: number
      /** Hard token ceiling per call. */
      max_tokens?: number
    }
    caveats?: string[]
  }>
  max_redelegation_depth?: number
  /** RFC 3339 time in UTC. */
  expires_at?: string
  /** Content address. */
  parent_token?: string
  /** Content address. */
  token_id?: string
  reason?: string
  /** UUID in lower case. */
  challenge_id?: string
  /** Ed25519 signature, 64 bytes, base64url. */
  challenge_signature?: string
  /** Ed25519 public key, 32 bytes, base64url. */
  public_key?: string
  limit?: number
  cursor?: string
}

/** Answer of Aegis policy. */
export interface AegisPolicyOutput {
  /** Rules over what I lend; what is absent is not restricted. */
  rules?: {
    /** How often what I lend may be lent on. */
    max_depth?: number
    /** How long a loan may last. */
    max_ttl_seconds?: number
    never?: string[]
    require_challenge?: string[]
    allow_kinds?: string[]
  }
  /** 0 where no rules were ever set. */
  version?: number
  /** RFC 3339 time in UTC. */
  in_force_from?: string
  delegations?: Array<{
    /** Content address. */
    token_id: string
    /** Part of one agent’s authority, lent to another until a time. Never more than the lender holds. */
    token: {
      /** did:oas:<tenant>:<kind>:<64 hex> */
      from_did: string
      /** did:oas:<tenant>:<kind>:<64 hex> */
      to_did: string
      capabilities: Array<{
        name: string
        /** RFC 3339 time in UTC. */
        expires_at?: string
        limits?: {
          /** Basis points of the tenant budget per call. */
          max_per_call_bps?: number
          /** Calls per hour. */
          max_per_hour?: number
          /** Hard token ceiling per call. */
          max_tokens?: number
        }
        caveats: string[]
      }>
      /** How often this may be lent on; 0 means never. */
      max_redelegation_depth: number
      /** RFC 3339 time in UTC. */
      expires_at: string
      /** Where to ask whether this token still stands. */
      revocation_url?: string
      /** Ed25519 signature, 64 bytes, base64url. */
      signature: string
    }
    /** Content address. */
    parent_token?: string
    state: "ACTIVE" | "EXPIRED" | "REVOKED" | "PARENT_REVOKED"
    /** RFC 3339 time in UTC. */
    issued_at: string
  }>
  next_cursor?: string
  allowed?: boolean
  reasons?: string[]
  revoked?: string[]
  /** RFC 3339 time in UTC. */
  at?: string
}

/** Get one definition, its digest recomputed and its publisher checked. */
export interface ArsenalFetchInput {
  /** Names a tool for good, e.g. acme/summarize. */
  id: string
  /** A whole version, or a major such as v1 for its newest release. */
  version?: string
  /** Content address. */
  digest?: string
}

/** Answer of Arsenal fetch. */
export interface ArsenalFetchOutput {
  definition: {
    name: string
    description: string
    inputSchema: Record<string, unknown>
    outputSchema?: Record<string, unknown>
    endpoint?: string
    annotations: Record<string, unknown>
  }
  /** Content address. */
  digest: string
  /** Names a tool for good, e.g. acme/summarize. */
  id: string
  version: string
  /** did:oas:<tenant>:<kind>:<64 hex> */
  publisher_did: string
  signature_valid: boolean
  trusted_publisher: boolean
}

/** Browse tools, skills, workflows, models and datasets. */
export interface ArsenalListInput {
  kind?: "tool" | "skill" | "workflow" | "model" | "dataset"
  /** Words to find; "a phrase", or, and -not are understood. */
  query?: string
  tag?: string
  /** did:oas:<tenant>:<kind>:<64 hex> */
  publisher_did?: string
  /** svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
  capability?: string
  limit?: number
  cursor?: string
}

/** Answer of Arsenal list. */
export interface ArsenalListOutput {
  items: Array<{
    /** Names a tool for good, e.g. acme/summarize. */
    id: string
    name: string
    /** A semantic version, e.g. v1.2.0. */
    version: string
    kind: "tool" | "skill" | "workflow" | "model" | "dataset"
    /** did:oas:<tenant>:<kind>:<64 hex> */
    publisher_did: string
    summary: string
    /** Content address. */
    digest: string
    required_capabilities: string[]
    tags: string[]
    deprecated: boolean
  }>
  next_cursor?: string
  /** How many of this page bore no valid signature. */
  rejected: number
}

/** Call a council on a motion. */
export interface MaceConveneInput {
  motion: string | {
    title: string
    text: string
    /** Binds the whole organization; forced where binds or effects do. */
    charter_level?: boolean
    binds?: Array<{
      protocol: string
      operation: string
      /** What exactly may be done: a hash, or a name the operation gives. */
      subject: string
    }>
    effects?: Array<{
      kind: "charter_members"
      add?: string[]
      remove?: string[]
    }>
    authority_ttl_days?: number
    max_uses?: number
    /** did:oas:<tenant>:<kind>:<64 hex> */
    executor_did?: string
  }
  /** simple and majority: more than half come, more than half agree. n/d alone is the threshold. */
  quorum: "simple" | "majority" | "supermajority" | "unanimous" | string | {
    /** n/d: at least so much of the whole, such as 2/3. */
    attendance: string
    /** n/d: at least so much of the whole, such as 2/3. */
    threshold: string
  }
  /** How long the council sits, from now. */
  deadline_ms: number
  composition_rules: {
    min_delegates?: number
    must_include_did?: string | string[]
    /** Who sits; the charter members where absent, and always where the motion is charter-level. */
    delegates?: string[]
  }
}

/** Answer of MACE convene. */
export interface MaceConveneOutput {
  /** UUID in lower case. */
  motion_id: string
  /** UUID in lower case. */
  council_id: string
  /** Content address. */
  motion_hash: string
  state: "CONVENED" | "OPEN" | "TALLIED" | "LAPSED" | "WITHDRAWN"
  title: string
  text: string
  charter_level: boolean
  binds: Array<{
    protocol: string
    operation: string
    /** What exactly may be done: a hash, or a name the operation gives. */
    subject: string
  }>
  effects: Array<{
    kind: "charter_members"
    add: string[]
    remove: string[]
  }>
  authority_ttl_days: number
  max_uses: number
  /** did:oas:<tenant>:<kind>:<64 hex> */
  executor_did?: string
  /** did:oas:<tenant>:<kind>:<64 hex> */
  convened_by: string
  seats: Array<{
    /** did:oas:<tenant>:<kind>:<64 hex> */
    did: string
    required: boolean
  }>
  attendance: {
    present: number
    needed: number
  }
  attendance_needed: number
  threshold: {
    /** Of those who vote for or against. */
    of_votes: string
    /** Of all seats; only where charter-level. */
    of_seats?: string
  }
  opens_when: string
  /** RFC 3339 time in UTC. */
  deadline_at: string
}

/** Take a seat, argue and vote; the last word before the deadline counts. */
export interface MaceDeliberateInput {
  /** UUID in lower case. */
  motion_id: string
  position: "for" | "against" | "abstain" | "recuse" | "present"
  reasoning: string
  citations?: string[]
  /** Ed25519 signature, 64 bytes, base64url. */
  signature?: string
  /** Ed25519 public key, 32 bytes, base64url. */
  public_key?: string
}

/** Answer of MACE deliberate. */
export interface MaceDeliberateOutput {
  /** UUID in lower case. */
  position_id: string
  state: "CONVENED" | "OPEN" | "TALLIED" | "LAPSED" | "WITHDRAWN"
  attendance: {
    present: number
    needed: number
  }
  counted_position: "for" | "against" | "abstain" | "recuse" | "present"
  revision: number
}

/** Close a motion and declare its verdict with the dissent, or view or withdraw it. */
export interface MaceTallyInput {
  /** UUID in lower case. */
  motion_id: string
  action?: "tally" | "view" | "withdraw"
}

/** Answer of MACE tally. */
export interface MaceTallyOutput {
  /** UUID in lower case. */
  motion_id: string
  state: "CONVENED" | "OPEN" | "TALLIED" | "LAPSED" | "WITHDRAWN"
  motion?: {
    /** UUID in lower case. */
    motion_id: string
    /** UUID in lower case. */
    council_id: string
    /** Content address. */
    motion_hash: string
    state: "CONVENED" | "OPEN" | "TALLIED" | "LAPSED" | "WITHDRAWN"
    title: string
    text: string
    charter_level: boolean
    binds: Array<{
      protocol: string
      operation: string
      /** What exactly may be done: a hash, or a name the operation gives. */
      subject: string
    }>
    effects: Array<{
      kind: "charter_members"
      add: string[]
      remove: string[]
    }>
    authority_ttl_days: number
    max_uses: number
    /** did:oas:<tenant>:<kind>:<64 hex> */
    executor_did?: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    convened_by: string
    seats: Array<{
      /** did:oas:<tenant>:<kind>:<64 hex> */
      did: string
      required: boolean
    }>
    attendance: {
      present: number
      needed: number
    }
    attendance_needed: number
    threshold: {
      /** Of those who vote for or against. */
      of_votes: string
      /** Of all seats; only where charter-level. */
      of_seats?: string
    }
    opens_when: string
    /** RFC 3339 time in UTC. */
    deadline_at: string
  }
  /** Content address. */
  verdict_id?: string
  ref?: string
  registered?: string
  outcome?: "PASSED" | "FAILED" | "NO_QUORUM"
  counts?: {
    for: number
    against: number
    abstain: number
    recused: number
    absent: number
  }
  attendance?: {
    present: number
    needed: number
  }
  threshold?: {
    /** Of those who vote for or against. */
    of_votes: string
    /** Of all seats; only where charter-level. */
    of_seats?: string
  }
  majority?: Array<{
    /** did:oas:<tenant>:<kind>:<64 hex> */
    did: string
    reasoning: string
    /** UUID in lower case. */
    position_id: string
  }>
  dissent?: Array<{
    /** did:oas:<tenant>:<kind>:<64 hex> */
    did: string
    reasoning: string
    /** UUID in lower case. */
    position_id: string
  }>
  binds?: Array<{
    protocol: string
    operation: string
    /** What exactly may be done: a hash, or a name the operation gives. */
    subject: string
  }>
  max_uses?: number
  /** RFC 3339 time in UTC. */
  valid_until?: string
  effects_applied?: Array<{
    kind: "charter_members"
    add: string[]
    remove: string[]
  }>
}

/** Agree how this agent will prove who it is. */
export interface MacsAuthNegotiationInput {
  profile: string
  challenge_kind: string
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did?: string
}

/** Answer of MACS auth_negotiation. */
export interface MacsAuthNegotiationOutput {
  /** UUID in lower case. */
  session_id?: string
  accepted: boolean
  profile: string
  challenge_kind: string
  alternatives: Array<{
    profile: string
    challenge_kind: string
  }>
  signature_suite: "Ed25519"
  domain: string
  /** RFC 3339 time in UTC. */
  expires_at?: string
}

/** Ask what an agent may do right now. */
export interface MacsAuthorizationRequestInput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did: string
  /** RFC 3339 time in UTC. */
  at?: string
  protocol?: string
}

/** Answer of MACS authorization_request. */
export interface MacsAuthorizationRequestOutput {
  capabilities: Array<{
    name: string
    /** RFC 3339 time in UTC. */
    expires_at?: string
    limits?: {
      /** Basis points of the tenant budget per call. */
      max_per_call_bps?: number
      /** Calls per hour. */
      max_per_hour?: number
      /** Hard token ceiling per call. */
      max_tokens?: number
    }
    caveats: string[]
    source: "declared" | "key" | "delegation" | "treaty" | "envelope"
    source_ref?: string
    satisfied_now: boolean
    unsatisfied: string[]
  }>
  excluded: Array<{
    name: string
    why: "revoked" | "expired" | "over_depth"
  }>
  /** RFC 3339 time in UTC. */
  composed_at: string
  cache_ttl_seconds: number
}

/** Create a child identity under the caller, with no more than the caller holds. */
export interface MacsDeriveInput {
  entity_kind: "HumanRoot" | "MultiHumanRoot" | "EntityNameRecord" | "Agent" | "AgentInstance" | "Tool" | "Skill" | "Workflow" | "Model" | "Dataset" | "Service"
  /** Names a child among its siblings. */
  label: string
  index?: number
  name?: string
  capabilities?: Array<{
    name: string
    /** RFC 3339 time in UTC. */
    expires_at?: string
    limits?: {
      /** Basis points of the tenant budget per call. */
      max_per_call_bps?: number
      /** Calls per hour. */
      max_per_hour?: number
      /** Hard token ceiling per call. */
      max_tokens?: number
    }
    caveats: string[]
  }>
  service_endpoints?: Array<{
    kind: string
    url: string
    protocols: string[]
  }>
  /** RFC 3339 time in UTC. */
  expires_at?: string
  custody?: "engine" | "client"
  /** Ed25519 public key, 32 bytes, base64url. */
  child_public_key?: string
  /** Ed25519 public key, 32 bytes, base64url. */
  parent_public_key?: string
  /** RFC 3339 time in UTC. */
  created_at?: string
  /** Ed25519 signature, 64 bytes, base64url. */
  signature?: string
  /** Ed25519 signature, 64 bytes, base64url. */
  document_proof?: string
}

/** Answer of MACS derive. */
export interface MacsDeriveOutput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  did: string
  /** Ed25519 public key, 32 bytes, base64url. */
  public_key: string
  /** One link of descent, signed by the parent. */
  lineage_statement: {
    /** did:oas:<tenant>:<kind>:<64 hex> */
    child_did: string
    /** Ed25519 public key, 32 bytes, base64url. */
    child_public_key: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    parent_did: string
    /** Ed25519 public key, 32 bytes, base64url. */
    parent_public_key: string
    entity_kind: string
    /** Names a child among its siblings. */
    label: string
    index: number
    /** RFC 3339 time in UTC. */
    created_at: string
    /** RFC 3339 time in UTC. */
    expires_at?: string
    /** Ed25519 signature, 64 bytes, base64url. */
    signature: string
  }
  document: {
    /** did:oas:<tenant>:<kind>:<64 hex> */
    id: string
    entity_kind: string
    name?: string
    /** Ed25519 public key, 32 bytes, base64url. */
    public_key: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    creator_did?: string
    lineage: Array<{
      /** did:oas:<tenant>:<kind>:<64 hex> */
      child_did: string
      /** Ed25519 public key, 32 bytes, base64url. */
      child_public_key: string
      /** did:oas:<tenant>:<kind>:<64 hex> */
      parent_did: string
      /** Ed25519 public key, 32 bytes, base64url. */
      parent_public_key: string
      entity_kind: string
      /** Names a child among its siblings. */
      label: string
      index: number
      /** RFC 3339 time in UTC. */
      created_at: string
      /** RFC 3339 time in UTC. */
      expires_at?: string
      /** Ed25519 signature, 64 bytes, base64url. */
      signature: string
    }>
    capabilities: Array<{
      name: string
      /** RFC 3339 time in UTC. */
      expires_at?: string
      limits?: {
        /** Basis points of the tenant budget per call. */
        max_per_call_bps?: number
        /** Calls per hour. */
        max_per_hour?: number
        /** Hard token ceiling per call. */
        max_tokens?: number
      }
      caveats: string[]
    }>
    service_endpoints: Array<{
      kind: string
      url: string
      protocols: string[]
    }>
    revoked: boolean
    extended: Record<string, unknown>
    version: number
    /** RFC 3339 time in UTC. */
    updated_at: string
    /** Ed25519 signature, 64 bytes, base64url. */
    proof?: string
  }
  /** Content address. */
  document_hash?: string
  document_signing_input?: string
  lineage_depth: number
  created: boolean
  published: boolean
  warnings: string[]
}

/** Get the nonce to sign. */
export interface MacsGenerateChallengeInput {
  /** UUID in lower case. */
  session_id: string
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did?: string
  /** Whom the proof is for; this engine unless told. */
  audience?: string
}

/** Answer of MACS generate_challenge. */
export interface MacsGenerateChallengeOutput {
  /** UUID in lower case. */
  challenge_id: string
  /** 32 bytes, base64url. */
  nonce: string
  audience: string
  /** RFC 3339 time in UTC. */
  issued_at: string
  /** RFC 3339 time in UTC. */
  expires_at: string
  signing_input: string
}

/** Prove that an agent holds its key, and where it descends from. */
export interface MacsVerifyResponseInput {
  /** UUID in lower case. */
  challenge_id: string
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did: string
  /** Ed25519 public key, 32 bytes, base64url. */
  public_key: string
  /** Ed25519 signature, 64 bytes, base64url. */
  signature: string
  lineage?: Array<{
    /** did:oas:<tenant>:<kind>:<64 hex> */
    child_did: string
    /** Ed25519 public key, 32 bytes, base64url. */
    child_public_key: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    parent_did: string
    /** Ed25519 public key, 32 bytes, base64url. */
    parent_public_key: string
    entity_kind: string
    /** Names a child among its siblings. */
    label: string
    index: number
    /** RFC 3339 time in UTC. */
    created_at: string
    /** RFC 3339 time in UTC. */
    expires_at?: string
    /** Ed25519 signature, 64 bytes, base64url. */
    signature: string
  }>
  /** Part of one agent’s authority, lent to another until a time. Never more than the lender holds. */
  delegation?: {
    /** did:oas:<tenant>:<kind>:<64 hex> */
    from_did: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    to_did: string
    capabilities: Array<{
      name: string
      /** RFC 3339 time in UTC. */
      expires_at?: string
      limits?: {
        /** Basis points of the tenant budget per call. */
        max_per_call_bps?: number
        /** Calls per hour. */
        max_per_hour?: number
        /** Hard token ceiling per call. */
        max_tokens?: number
      }
      caveats: string[]
    }>
    /** How often this may be lent on; 0 means never. */
    max_redelegation_depth: number
    /** RFC 3339 time in UTC. */
    expires_at: string
    /** Where to ask whether this token still stands. */
    revocation_url?: string
    /** Ed25519 signature, 64 bytes, base64url. */
    signature: string
  }
}

/** Answer of MACS verify_response. */
export interface MacsVerifyResponseOutput {
  verified: true
  /** did:oas:<tenant>:<kind>:<64 hex> */
  did: string
  entity_kind: string
  /** did:oas:<tenant>:<kind>:<64 hex> */
  human_root_did?: string
  /** did:oas:<tenant>:<kind>:<64 hex> */
  creator_did?: string
  lineage_depth: number
  lineage_verified: boolean
  conformance_level: "L0" | "L1" | "L2"
  /** 32 bytes, base64url. */
  session_token: string
  /** RFC 3339 time in UTC. */
  token_expires_at: string
  warnings: string[]
}

/** Define something that can be owned and paid. */
export interface MadeAssetDefinitionPublishInput {
  /** Name of an asset, the same for everybody. */
  asset_id: string
  kind: "fiat" | "credit" | "token" | "commodity" | "service_unit"
  /** internal, or the name of the outside system this is paid through. */
  rail: string
  denomination: string | {
    /** Such as USD or GPUH. */
    code: string
    decimals: number
  }
  /** How long a settlement can still be reversed by both. */
  settlement_finality_seconds: number
  /** Whole minor units of an asset, as a decimal string. */
  lot_size?: string
  /** Whole minor units of an asset, as a decimal string. */
  tick_size?: string
  /** Whole minor units of an asset, as a decimal string. */
  max_supply?: string
}

/** Answer of MADE asset_definition_publish. */
export interface MadeAssetDefinitionPublishOutput {
  /** Name of an asset, the same for everybody. */
  asset_id: string
  /** Content address. */
  asset_hash: string
  /** Tenant id. */
  issuer_tenant: string
  decimals: number
  registered: string
  created: boolean
}

/** Offer, view, accept, withdraw, cancel or waive an agreement on who owes what to whom. */
export interface MadeEconomicContractCreateInput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  counterparty_did?: string
  obligations?: Array<{
    id: string
    from: "proposer" | "counterparty"
    /** Name of an asset, the same for everybody. */
    asset_id: string
    /** Whole minor units of an asset, as a decimal string. */
    amount: string
    /** RFC 3339 time in UTC. */
    due_at: string
    condition?: {
      kind: "none" | "after_obligation" | "attested" | "trade"
      /** The obligation, attestation or trade that it waits for. */
      ref?: string
    }
    /** Where the payee takes usd: its own account, or its organization's runway. */
    credit_to?: "available" | "runway"
  }>
  escrow?: boolean
  /** Content address. */
  treaty_id?: string
  /** RFC 3339 time in UTC. */
  expires_at?: string
  arbitration?: {
    via: string
    venue: string
  }
  memo?: string
  /** Tells two offers of the same terms apart. */
  nonce?: string
  /** Content address. */
  contract_id?: string
  action?: "view" | "withdraw" | "cancel" | "waive"
  obligation_ids?: string[]
  /** Ed25519 signature, 64 bytes, base64url. */
  signature?: string
  /** Ed25519 public key, 32 bytes, base64url. */
  public_key?: string
}

/** Answer of MADE economic_contract_create. */
export interface MadeEconomicContractCreateOutput {
  /** Content address. */
  contract_id: string
  state: "OFFERED" | "ACTIVE" | "PARTIALLY_SETTLED" | "SETTLED" | "FINAL" | "WITHDRAWN" | "EXPIRED" | "CANCELLED" | "DEFAULTED" | "DISPUTED" | "RULED_CLOSED"
  /** did:oas:<tenant>:<kind>:<64 hex> */
  proposer_did: string
  /** did:oas:<tenant>:<kind>:<64 hex> */
  counterparty_did: string
  /** RFC 3339 time in UTC. */
  expires_at: string
  obligations: Array<{
    id: string
    from: "proposer" | "counterparty"
    /** Name of an asset, the same for everybody. */
    asset_id: string
    /** Whole minor units of an asset, as a decimal string. */
    amount: string
    /** Whole minor units of an asset, as a decimal string. */
    settled: string
    /** RFC 3339 time in UTC. */
    due_at: string
    condition: {
      kind: "none" | "after_obligation" | "attested" | "trade"
      /** The obligation, attestation or trade that it waits for. */
      ref?: string
    }
    credit_to: "available" | "runway"
    state: "PENDING" | "DUE" | "SETTLED" | "WAIVED" | "NOVATED"
    fee_bps?: number
  }>
  escrowed: Array<{
    /** Name of an asset, the same for everybody. */
    asset_id: string
    /** Whole minor units of an asset, as a decimal string. */
    amount: string
  }>
  /** The highest that a payer of this contract bears. */
  fee_bps?: number
  signatures: Array<{
    purpose: "terms" | "cancel"
    /** did:oas:<tenant>:<kind>:<64 hex> */
    signed_by: string
    /** Ed25519 public key, 32 bytes, base64url. */
    public_key: string
    /** Ed25519 signature, 64 bytes, base64url. */
    signature: string
    method: "own" | "custodial"
    /** RFC 3339 time in UTC. */
    signed_at: string
  }>
}

/** Pay what a contract owes, all of it or a part, or take a payment back while both agree. */
export interface MadeEconomicContractSettleInput {
  /** Content address. */
  contract_id: string
  obligation_ids?: string[]
  /** Whole minor units of an asset, as a decimal string. */
  amount?: string
  /** What the outside rail calls this payment. Each one counts once. */
  rail_reference?: string
  /** UUID in lower case. */
  reverse?: string
  /** Ed25519 signature, 64 bytes, base64url. */
  signature?: string
  /** Ed25519 public key, 32 bytes, base64url. */
  public_key?: string
}

/** Answer of MADE economic_contract_settle. */
export interface MadeEconomicContractSettleOutput {
  /** UUID in lower case. */
  settlement_id: string
  journal_ids: string[]
  settled: Array<{
    obligation_id: string
    /** Name of an asset, the same for everybody. */
    asset_id: string
    /** Whole minor units of an asset, as a decimal string. */
    amount: string
    /** Whole minor units of an asset, as a decimal string. */
    fee: string
  }>
  /** Of this settlement. */
  state: "POSTED" | "FINAL" | "REVERSED"
  contract_state: "OFFERED" | "ACTIVE" | "PARTIALLY_SETTLED" | "SETTLED" | "FINAL" | "WITHDRAWN" | "EXPIRED" | "CANCELLED" | "DEFAULTED" | "DISPUTED" | "RULED_CLOSED"
  /** RFC 3339 time in UTC. */
  final_at: string
  balances: Array<{
    /** did:oas:<tenant>:<kind>:<64 hex> */
    did?: string
    /** Name of an asset, the same for everybody. */
    asset_id: string
    type: string
    balance: string
  }>
  reversal_signed_by?: string[]
}

/** Follow a decision, a record or a thing to its root causes, or to what came of it. */
export interface MagiTraceInput {
  /** What is asked about: a correlation id, the hash of a record, or a reference. */
  root: string
  /** Back, ahead, or both. */
  direction?: "causes" | "effects" | "both"
  max_depth?: number
  max_nodes?: number
  /** Read by a model, where one is configured; its sentences are unverified. */
  question?: string
  /** Records to take away, each alone and all together: would it have come out otherwise? */
  counterfactual?: string[]
  /** Also reads what partners of an active treaty keep of the same requests. */
  include_foreign?: boolean
  budget?: {
    tokens: number
    deadline_ms: number
  }
}

/** Answer of MAGI trace. */
export interface MagiTraceOutput {
  trace_ref: string
  target: string
  nodes: Array<{
    id: string
    type: "Activity" | "Entity" | "Agent"
    label: string
    /** A sha256 in lower hex. */
    record_hash?: string
    /** Tenant id. */
    tenant_id?: string
    seq?: number
    event_type?: string
    protocol?: string
    operation?: string
    outcome?: "success" | "refused" | "error"
    /** RFC 3339 time in UTC. */
    at?: string
    reason?: string
    /** A record that may not be read: its hash is all that is known. */
    opaque?: boolean
  }>
  edges: Array<{
    from: string
    to: string
    relation: "used" | "wasGeneratedBy" | "wasInformedBy" | "wasDerivedFrom" | "actedOnBehalfOf" | "refusedBy"
    confidence: number
  }>
  /** Links that would go against the order of the chain. */
  dropped: Array<{
    from: string
    to: string
    relation: "used" | "wasGeneratedBy" | "wasInformedBy" | "wasDerivedFrom" | "actedOnBehalfOf" | "refusedBy"
    why: string
  }>
  root_causes: Array<{
    node: string
    /** Whether it would have come out otherwise without this alone. */
    necessity: boolean
    /** 1/(1+k), where k others would have to be gone first for this one to decide. */
    responsibility: number
    /** Replayed: deterministic rules, run again, say so. Assumed: something between cannot be run again. */
    basis: "replayed" | "assumed"
    reason: string
    contingency: string[]
  }>
  critical_path: string[]
  counterfactuals: Array<{
    removed: string[]
    found: boolean
    changed: boolean
    basis: "replayed" | "assumed"
  }>
  verification: {
    chain_ok: boolean
    signatures_ok: boolean
    records: number
    signatures_checked: number
    first_bad?: {
      /** Tenant id. */
      tenant_id: string
      seq: number
      /** Null where it is missing. */
      record_hash: string | null
    }
  }
  narrative: Array<{
    sentence: string
    citations: string[]
    /** False for what a model proposed. */
    verified: boolean
  }>
  truncated: boolean
  truncated_by: Array<"depth" | "nodes" | "tokens" | "work">
  confidence: number
  usage: {
    tokens_in: number
    tokens_out: number
    work: number
  }
}

/** Correct a memory; what it said before stays readable as its history. */
export interface MameEditInput {
  target: string
  expected_version: number
  /** RFC 6902 steps over the payload, or the payload that takes its place. */
  patch: Array<{
    op: "add" | "remove" | "replace" | "move" | "copy" | "test"
    /** RFC 6901 JSON pointer; the empty one is the whole. */
    path: string
    /** RFC 6901 JSON pointer; the empty one is the whole. */
    from?: string
    /** For add, replace and test. */
    value?: unknown
  }> | Record<string, unknown>
  reason: string
  /** RFC 3339 time in UTC. */
  effective_from?: string
  /** What it is found by; its own words where absent. */
  text?: string
  triples?: Array<{
    /** Whom or what it is about, by name or entity id. */
    subject: string
    /** What is said of it, such as ceo or located_in. */
    predicate: string
    object: string | number | boolean
    /** RFC 3339 time in UTC. */
    valid_from?: string
    /** RFC 3339 time in UTC. */
    valid_to?: string
    confidence?: number
    /** True declares that a subject has one value of this predicate at a time. */
    functional?: boolean
  }>
}

/** Answer of MAME edit. */
export interface MameEditOutput {
  ref: string
  version: number
  previous_version: number
  /** What changed where. What it was and is, the versions say. */
  diff: Array<{
    op: "add" | "remove" | "replace"
    path: string
  }>
  /** A sha256 in lower hex. */
  content_commitment: string
  reindexed: boolean
  triples_added: number
}

/** Make content unreadable for ever, and keep the proof that it existed. */
export interface MameRedactInput {
  target?: string
  scope?: "record" | "fields" | "subject"
  json_pointers?: string[]
  /** did:oas:<tenant>:<kind>:<64 hex> */
  subject_did?: string
  reason: "erasure_request" | "legal" | "security" | "error" | "other"
  note?: string
  authority?: string
  legal_basis?: string
}

/** Answer of MAME redact. */
export interface MameRedactOutput {
  redaction_ref: string
  /** Things of which something was destroyed. */
  records_affected: number
  keys_destroyed: number
  index_entries_removed: number
  /** Kept inputs forgotten now; those not in the book yet follow when they are. */
  inputs_forgotten: number
  tombstones: Array<{
    ref: string
    version: number
    /** A sha256 in lower hex. */
    commitment: string
    /** RFC 3339 time in UTC. */
    redacted_at: string
  }>
  dependents: Array<{
    ref: string
    kind: string
  }>
  /** Of what remains, where only fields were redacted. */
  version?: number
  /** False where there is more about this person: ask again. */
  complete: boolean
  authority?: string
  backups: string
}

/** Read an agent's economic card, or set what it says of itself. */
export interface ManaAgentProfileInput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did?: string
  set?: {
    display_name?: string
    skills?: string[]
    unit_prices?: Array<{
      /** svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
      capability: string
      asset_id: string
      /** Whole minor units of an asset, as a decimal string. */
      amount: string
    }>
    capacity_per_hour?: number
    accepts_bids?: boolean
  }
}

/** Answer of MANA agent_profile. */
export interface ManaAgentProfileOutput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did: string
  profile: {
    display_name?: string
    skills?: string[]
    unit_prices?: Array<{
      /** svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
      capability: string
      asset_id: string
      /** Whole minor units of an asset, as a decimal string. */
      amount: string
    }>
    capacity_per_hour?: number
    accepts_bids?: boolean
  }
  /** 0 where nothing was ever said. */
  version: number
  completed_contracts: number
  defaulted_contracts: number
  merit_score?: number
  envelopes?: Array<{
    /** UUID in lower case. */
    envelope_id: string
    /** A part of the organization. */
    department: string
  }>
  spend?: {
    /** US dollars with six decimal places. */
    today_usd: string
    /** US dollars with six decimal places. */
    month_usd: string
  }
  earnings?: Array<{
    asset_id: string
    /** Whole minor units of an asset, as a decimal string. */
    amount: string
  }>
}

/** Give a department a budget and powers, change both, or close its envelope. */
export interface ManaAllocateInput {
  envelope: {
    /** A part of the organization. */
    department: string
    /** US dollars with at most six decimal places, best as a string. */
    max_per_month_usd: string | number
    /** US dollars with at most six decimal places, best as a string. */
    max_per_day_usd: string | number
    members?: string[]
    /** UUID in lower case. */
    envelope_id?: string
    /** Ends the envelope for good; its members are free of it. */
    close?: boolean
  }
  capabilities_granted: string[]
  authority: string
}

/** Answer of MANA allocate. */
export interface ManaAllocateOutput {
  /** UUID in lower case. */
  envelope_id: string
  version: number
  state: "ACTIVE" | "HELD" | "EXHAUSTED" | "CLOSED"
  granted: string[]
  members: number
  /** RFC 3339 time in UTC. */
  effective_at: string
  /** US dollars with six decimal places. */
  tenant_committed_usd: string
  /** Whole millionths of a US dollar. */
  tenant_committed_micro_usd: string
}

/** Put work out to tender, bid for it under seal, or award it to the lowest at the second price. */
export interface ManaBidSubmissionInput {
  /** view shows one lot, or those that are open. */
  action?: "solicit" | "bid" | "withdraw" | "award" | "view"
  /** UUID in lower case. */
  lot_id?: string
  task?: string
  /** svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
  capability?: string
  /** Name of an asset, the same for everybody. */
  asset_id?: string
  /** Whole minor units of an asset, as a decimal string. */
  reserve_price?: string
  /** RFC 3339 time in UTC. */
  closes_at?: string
  visibility?: "tenant" | "treaty"
  /** Whole minor units of an asset, as a decimal string. */
  price?: string
  eta_seconds?: number
  /** RFC 3339 time in UTC. */
  valid_until?: string
  /** Content address. */
  treaty_id?: string
  /** Ed25519 signature, 64 bytes, base64url. */
  signature?: string
  /** Ed25519 public key, 32 bytes, base64url. */
  public_key?: string
  limit?: number
  cursor?: string
}

/** Answer of MANA bid_submission. */
export interface ManaBidSubmissionOutput {
  /** UUID in lower case. */
  lot_id?: string
  state?: "OPEN" | "AWARDED" | "CANCELLED" | "EXPIRED"
  bids_count?: number
  /** UUID in lower case. */
  bid_id?: string
  /** Content address. */
  commitment?: string
  /** did:oas:<tenant>:<kind>:<64 hex> */
  winner_did?: string
  /** Whole minor units of an asset, as a decimal string. */
  clearing_price?: string
  /** Content address. */
  contract_id?: string
  losing?: Array<{
    /** UUID in lower case. */
    bid_id: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    bidder_did: string
    /** Whole minor units of an asset, as a decimal string. */
    price: string
    eta_seconds: number
    /** RFC 3339 time in UTC. */
    valid_until?: string
    /** Content address. */
    commitment: string
    salt: string
  }>
  lots?: Array<{
    /** UUID in lower case. */
    lot_id: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    solicitor_did: string
    task: string
    /** svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
    capability: string
    asset_id: string
    /** Whole minor units of an asset, as a decimal string. */
    reserve_price: string
    visibility: "tenant" | "treaty"
    /** RFC 3339 time in UTC. */
    closes_at: string
  }>
  next_cursor?: string
}

/** Ask what is left of the runway or of an envelope, and how long it lasts. */
export interface ManaBudgetInput {
  /** Tenant id. */
  tenant_id: string
  dimension: "usd" | "tokens" | "seconds" | "watts"
  /** UUID in lower case. */
  envelope_id?: string
}

/** Answer of MANA budget. */
export interface ManaBudgetOutput {
  /** USD with six places; whole tokens, seconds or kWh at the current rate. */
  remaining: string
  /** US dollars with six decimal places. */
  remaining_usd: string
  /** Whole millionths of a US dollar. */
  remaining_micro_usd: string
  /** US dollars with six decimal places. */
  reserved: string
  /** US dollars with six decimal places. */
  accrued: string
  /** US dollars with six decimal places. */
  paid_in: string
  /** US dollars with six decimal places. */
  credit_line: string
  /** US dollars with six decimal places. */
  burn_per_day: string
  /** At the burn of the last seven days; null where nothing burns. */
  runway_days: number | null
  level: "ample" | "low" | "critical" | "exhausted"
  envelopes: Array<{
    /** UUID in lower case. */
    id: string
    /** A part of the organization. */
    department: string
    state: "ACTIVE" | "HELD" | "EXHAUSTED" | "CLOSED"
    day: {
      /** US dollars with six decimal places. */
      limit: string
      /** US dollars with six decimal places. */
      spent: string
      /** US dollars with six decimal places. */
      reserved: string
      /** US dollars with six decimal places. */
      remaining: string
    }
    month: {
      /** US dollars with six decimal places. */
      limit: string
      /** US dollars with six decimal places. */
      spent: string
      /** US dollars with six decimal places. */
      reserved: string
      /** US dollars with six decimal places. */
      remaining: string
    }
  }>
  /** RFC 3339 time in UTC. */
  as_of: string
}

/** Freeze a tenant, envelope, agent or protocol until a moment, or release it. */
export interface ManaHoldInput {
  reason: string
  /** tenant, envelope:<id>, agent:<did> or protocol:<ID>. */
  scope: string
  /** RFC 3339 time in UTC. */
  until: string
  /** UUID in lower case. */
  hold_id?: string
}

/** Answer of MANA hold. */
export interface ManaHoldOutput {
  /** UUID in lower case. */
  hold_id: string
  state: "HELD" | "RELEASED"
  affects: {
    kind: "tenant" | "envelope" | "agent" | "protocol"
    id?: string
    members?: number
  }
  /** RFC 3339 time in UTC. */
  until?: string
  released?: number
  still_held?: number
}

/** Slow an envelope's members down by rules, without stopping them; an empty list lifts it. */
export interface ManaThrottleInput {
  /** UUID in lower case. */
  envelope_id: string
  rules: Array<{
    /** A capability, the wildcard of a protocol, or * for all. */
    match: string | "*"
    /** 0 stops it, 1 leaves it as it is. */
    factor: number
  }>
}

/** Answer of MANA throttle. */
export interface ManaThrottleOutput {
  /** UUID in lower case. */
  throttle_id: string
  rules: Array<{
    match: string
    factor_bps: number
  }>
  /** RFC 3339 time in UTC. */
  in_force_from: string
  effective: Array<{
    match: string
    factor_bps: number
    protocol?: string
    capacity?: number
    /** Per second. */
    refill?: number
  }>
  ignored_for: string[]
}

/** Hold forecasts against what came of them, and learn what the next ones mean. */
export interface ManticCalibrateInput {
  /** A DID, a ref, or protocol:<ID>. */
  forecaster: string
  forecasts?: Array<{
    p?: number
    /** Label to probability; they add up to one. */
    distribution?: Record<string, number>
    /** Whether it came about, or which label of the distribution did. */
    outcome: boolean | number | string
    /** RFC 3339 time in UTC. */
    at?: string
    weight?: number
  }>
  /** Instead of forecasts: what was reported of this forecaster to MATA weight, the newest first. */
  stored?: {
    /** RFC 3339 time in UTC. */
    from?: string
    /** RFC 3339 time in UTC. */
    to?: string
    /** What it is about; * is everything. */
    topic?: string
  }
  method?: "auto" | "none" | "platt" | "isotonic" | "beta" | "temperature"
  /** Of equal mass. */
  bins?: number
  folds?: number
  apply?: number[]
  persist?: boolean
}

/** Answer of MANTIC calibrate. */
export interface ManticCalibrateOutput {
  n: number
  base_rate: number
  brier: number
  /** Brier = reliability - resolution + uncertainty; resolution is less the variance and plus the covariance within bins. */
  decomposition: {
    reliability: number
    resolution: number
    uncertainty: number
    within_bin_variance: number
    within_bin_covariance: number
  }
  /** Nats lost on the average; less is better. */
  log_score: number
  ece: number
  mce: number
  /** Variance of what was forecast. */
  sharpness: number
  curve: Array<{
    mean_p: number
    freq: number
    n: number
    ci95: number[]
  }>
  cross_validated: {
    none?: {
      brier: number
      log: number
      ece: number
    }
    platt?: {
      brier: number
      log: number
      ece: number
    }
    isotonic?: {
      brier: number
      log: number
      ece: number
    }
    beta?: {
      brier: number
      log: number
      ece: number
    }
    temperature?: {
      brier: number
      log: number
      ece: number
    }
  }
  chosen: "none" | "platt" | "isotonic" | "beta" | "temperature"
  map_ref?: string
  calibrated?: number[]
}

/** Turn recent experience into lasting knowledge. */
export interface MantleConsolidateInput {
  /** Memories of one namespace do not push out those of another. */
  namespace?: string
  /** What happened in it; what was recorded since the last run where absent. */
  window?: {
    /** RFC 3339 time in UTC. */
    from: string
    /** RFC 3339 time in UTC. */
    to: string
  }
  targets?: Array<"episodic" | "semantic" | "procedural">
  min_support?: number
  max_cells?: number
  /** Says what would come of it, and keeps nothing. */
  dry_run?: boolean
}

/** Answer of MANTLE consolidate. */
export interface MantleConsolidateOutput {
  consolidation_ref?: string
  examined: number
  promoted: string[]
  episodes: Array<{
    episode_ref?: string
    cells: string[]
    /** RFC 3339 time in UTC. */
    from: string
    /** RFC 3339 time in UTC. */
    to: string
    silhouette: number
    /** As a model proposes; nobody has checked it. */
    name?: string
  }>
  semantic_created: Array<{
    ref?: string
    support: number
    confidence: number
  }>
  procedural_created: Array<{
    ref?: string
    steps: string[]
    support: number
    /** Content address. */
    recipe_id: string
  }>
  archived: string[]
  conflicts: Array<{
    fact_ref: string
    against: string[]
  }>
  watermark: string | null
  /** There is more than max_cells: ask again. */
  truncated: boolean
  dry_run: boolean
}

/** Ask a published model what follows from doing something, from seeing it, or from having done otherwise. */
export interface MarcCausalAnalysisInput {
  /** A published model: the sha256 of its canonical JSON. */
  model_ref?: string
  /** A snapshot that names a model. */
  world_model_snapshot?: string
  outcome: {
    variable: string
    state?: string
  }
  /** What is done: variable to state. */
  do?: Record<string, string>
  /** What is seen: variable to state. */
  given?: Record<string, string>
  query?: "interventional" | "observational" | "ate" | "counterfactual"
  /** For ate: what is done instead. By default the first state that differs, of each variable. */
  baseline?: Record<string, string>
  /** Cells a table may have before worlds are drawn. */
  max_factor?: number
  budget?: {
    tokens: number
    deadline_ms: number
  }
}

/** Answer of MARC causal_analysis. */
export interface MarcCausalAnalysisOutput {
  /** A published model: the sha256 of its canonical JSON. */
  model_ref: string
  query: "interventional" | "observational" | "ate" | "counterfactual"
  probability?: number
  distribution?: Record<string, number>
  exact: boolean
  /** Where worlds were drawn; for ate, of the effect. */
  ci95?: number[] | Record<string, number[]>
  identifiable: true
  strategy?: "mutilation" | "backdoor" | "frontdoor" | "id"
  /** What to adjust for, or the front door; absent where there is no such set. */
  adjustment_set?: string[]
  elimination_order?: string[]
  /** Cells of the largest table; the limit, where it was too small and worlds were drawn. */
  largest_factor: number
  sampling?: {
    method: "likelihood_weighting"
    samples: number
    /** A sha256 in lower hex. */
    seed: string
  }
  effect?: {
    ate: number
    treated: number
    control: number
    baseline: Record<string, string>
  }
  usage: {
    tokens_in: number
    tokens_out: number
  }
  binding: false
}

/** Publish a Bayesian or causal model of the world under a name and a version. */
export interface MarcPublishModelInput {
  /** What the model is called. */
  name: string
  /** Semantic version: with the name it leads to one model for ever. */
  version: string
  variables?: Array<{
    name: string
    states: string[]
    parents?: string[]
    /** A row per combination of states of the parents, the last parent fastest; each row sums to 1. Flat, or a list of rows. Parents that are latent without a cpt are not counted. */
    cpt?: number[] | Array<number[]>
    /** What the cpt is conditioned on, where that is not the observed parents: with hidden causes a variable depends on more than what causes it, as y on m and x where x and y share one and m lies between them. */
    cpt_given?: string[]
    /** Nobody observes it. */
    latent?: boolean
  }>
  /** Pairs of variables with an unobserved cause in common. */
  bidirected?: Array<string[]>
  format?: "json" | "bif"
  /** The model as BIF text, instead of variables. */
  source?: string
  /** A published model: the sha256 of its canonical JSON. */
  supersedes?: string
  provenance?: string[]
}

/** Answer of MARC publish_model. */
export interface MarcPublishModelOutput {
  /** A published model: the sha256 of its canonical JSON. */
  model_ref: string
  variables: number
  edges: number
  parameters: number
  /** Upper bound, by the min-fill order. */
  treewidth_bound: number
  warnings: string[]
}

/** Answer a question from premises and known facts, with its proof, within a budget. */
export interface MarcReasoningTaskInput {
  /** A statement to judge, a yes-or-no question, or one that asks who or what; in English, or after "datalog:". */
  intent: string
  /** Controlled English, or clauses after "datalog:". Each is one leaf of proofs. */
  premises?: string[]
  /** Facts that are known besides. */
  world_model_snapshot?: string
  budget: {
    /** For text read, text written, and one for each rule that fires. */
    tokens: number
    deadline_ms: number
  }
  return_fields?: Array<"derivation" | "citations" | "confidence" | "alternatives">
  /** Closed: what cannot be derived is false, and "not" in a condition means just that. */
  assumption?: "open" | "closed"
  /** Refuse where a premise or the intent is not understood. */
  strict?: boolean
  /** Who reads text that is not controlled English; what was read is proved here either way. */
  backend?: "auto" | "builtin" | "model"
  /** One for each premise; 1 where there is none. */
  premise_confidence?: number[]
}

/** Answer of MARC reasoning_task. */
export interface MarcReasoningTaskOutput {
  task_ref: string
  status: "complete" | "budget_exhausted" | "deadline"
  answer: "true" | "false" | "unknown" | "contradictory"
  /** Who or what was asked for; for such questions only. */
  bindings?: Array<Record<string, string>>
  derivation?: Array<{
    step: number
    /** In datalog; "not" before what is not derivable. */
    conclusion: string
    /** premise:<index>, the reference of a fact, fact:<index>, granted, naf or comparison. */
    rule: string
    from: number[]
  }>
  citations?: Array<{
    premise_index?: number
    ref?: string
    /** A sha256 in lower hex. */
    text_commitment: string
    status: "valid" | "redacted"
  }>
  confidence?: number
  /** What such a confidence has meant so far (MANTIC). */
  calibrated_confidence?: number
  /** Where confidence is a lower bound. */
  confidence_upper?: number
  alternatives?: Array<{
    answer?: "true" | "false" | "unknown" | "contradictory"
    binding?: Record<string, string>
    /** If these held as well, the answer would be that. */
    missing_facts?: string[]
    confidence: number
  }>
  unparsed: Array<{
    /** Of the premise; -1 for the intent. */
    index: number
    reason: string
  }>
  /** False where only a model says so. */
  verified: boolean
  method: "builtin" | "model_translation" | "model"
  usage: {
    tokens_in: number
    tokens_out: number
    work: number
  }
  binding: false
}

/** Ask how risky something is, by its factors, its CVSS vector, or what the book says of it. */
export interface MareScoreInput {
  /** A ref, or what it is in words. */
  subject: string
  factors?: Array<{
    id: string
    /** Events in a year; three points are a PERT distribution. */
    frequency: number | {
      low: number
      mode: number
      high: number
    }
    /** Of one event; three points are a PERT distribution, p5 and p95 a lognormal one. */
    loss_usd: number | {
      low: number
      mode: number
      high: number
    } | {
      p5: number
      p95: number
    }
    controls?: Array<{
      name: string
      effectiveness: number
    }>
    depends_on?: string[]
  }>
  /** Version 3.1 or 4.0. */
  cvss_vector?: string
  from_history?: {
    protocol: string
    operation: string
    window_days: number
    /** Of one event; three points are a PERT distribution, p5 and p95 a lognormal one. */
    loss_usd?: number | {
      low: number
      mode: number
      high: number
    } | {
      p5: number
      p95: number
    }
  }
  horizon_days?: number
  /** What may be lost; by default the day's and the month's limit of the caller's MANA envelope. */
  appetite?: {
    expected_loss_usd?: number
    var95_usd?: number
  }
  iterations?: number
  /** Keeps what was asked as well. */
  persist?: boolean
}

/** Answer of MARE score. */
export interface MareScoreOutput {
  score: number
  band: "low" | "moderate" | "high" | "critical"
  recommendation: "proceed" | "review" | "refuse"
  expected_loss_usd?: number
  var_95?: number
  cvar_95?: number
  /** Of the score, over other runs. */
  interval95?: number[]
  exceedance?: Array<number[]>
  /** Share of each factor in cvar_95, by Shapley. */
  contributions?: Record<string, number>
  failure_rate?: {
    calls: number
    failures: number
    mean: number
    p95: number
  }
  cvss_score?: number
  appetite: {
    expected_loss_usd: number
    var95_usd: number
    from: "given" | "envelope" | "default"
  }
  rationale?: {
    text: string
    model: string
    verified: false
  }
  iterations?: number
  /** Of the random numbers: they belong to the subject and its factors. */
  seed: string
  risk_ref: string
}

/** Find out what is known about a question, with a citation for every finding. */
export interface MariInquireInput {
  /** What to find out; a statement is looked at from both sides. */
  question: string
  sources?: string[]
  scope?: {
    /** Memories of this one only. */
    namespace?: string
    /** RFC 3339 time in UTC. */
    from?: string
    /** RFC 3339 time in UTC. */
    to?: string
    topics?: string[]
  }
  /** Above 1 those that were found are asked about as well. */
  depth?: number
  max_findings?: number
  min_confidence?: number
  budget?: {
    /** For what a model reads and writes; without a model none are used. */
    tokens?: number
    deadline_ms?: number
  }
}

/** Answer of MARI inquire. */
export interface MariInquireOutput {
  inquiry_ref: string
  subquestions: string[]
  findings: Array<{
    /** UUID in lower case. */
    finding_id: string
    ref: string
    /** Which of the subquestions it answers, from 0. */
    subquestion: number
    statement: string
    /** Toward the statement asked about; where there is none, toward the first finding. */
    stance: "supports" | "refutes" | "neutral"
    citations: Array<{
      ref: string
      version: number
      /** A sha256 in lower hex. */
      content_hash: string
      /** Which part of the source, in the form that MAVEN cite takes. */
      locator: {
        char_range?: {
          start: number
          end: number
        }
        json_pointer?: string
        record_seq?: number
      }
    }>
    /** did:oas:<tenant>:<kind>:<64 hex> */
    issuer_did: string
    source_reliability: number
    confidence: number
    status: "valid" | "contested" | "rejected" | "superseded" | "retracted" | "revoked" | "redacted"
  }>
  contradictions: Array<{
    findings: string[]
    by: "attack" | "value" | "negation" | "number"
  }>
  gaps: Array<{
    subquestion: number
    why: "nothing found" | "below min_confidence" | "nothing that stands" | "max_findings reached"
  }>
  /** How much of what was asked, by its words, the findings that stand speak of. */
  coverage: number
  usage: {
    tokens_in: number
    tokens_out: number
    /** Passages looked at; not charged for. */
    work: number
  }
}

/** Write the answer an inquiry found, with a citation for every sentence. */
export interface MariSynthesizeInput {
  inquiry_ref?: string
  findings?: string[]
  format?: "brief" | "report" | "table" | "claims"
  max_words?: number
  /** Sources that every sentence must have. */
  require_support?: number
  /** Also what was overruled; what is undecided is always told. */
  include_dissent?: boolean
  publish_draft?: boolean
  budget?: {
    /** For what a model reads and writes; without a model none are used. */
    tokens?: number
    deadline_ms?: number
  }
}

/** Answer of MARI synthesize. */
export interface MariSynthesizeOutput {
  synthesis_ref: string
  sentences: Array<{
    text: string
    citations: Array<{
      /** Of the bibliography. */
      number: number
      ref: string
      version: number
      /** A sha256 in lower hex. */
      content_hash: string
      /** Which part of the source, in the form that MAVEN cite takes. */
      locator: {
        char_range?: {
          start: number
          end: number
        }
        json_pointer?: string
        record_seq?: number
      }
      status: "valid" | "contested" | "rejected" | "superseded" | "retracted" | "revoked" | "redacted"
    }>
    confidence: number
    stance: "supports" | "refutes" | "neutral"
  }>
  /** The sentences as a text, with the numbers of their sources. */
  answer: string
  /** That of the least certain sentence; 0 where there is none. */
  confidence: number
  dissent: Array<{
    text: string
    citations: Array<{
      /** Of the bibliography. */
      number: number
      ref: string
      version: number
      /** A sha256 in lower hex. */
      content_hash: string
      /** Which part of the source, in the form that MAVEN cite takes. */
      locator: {
        char_range?: {
          start: number
          end: number
        }
        json_pointer?: string
        record_seq?: number
      }
      status: "valid" | "contested" | "rejected" | "superseded" | "retracted" | "revoked" | "redacted"
    }>
    confidence: number
    status: "valid" | "contested" | "rejected" | "superseded" | "retracted" | "revoked" | "redacted"
  }>
  /** Sentences that their sources did not support, or too few of them did. */
  unsupported_removed: number
  bibliography: Array<{
    number: number
    ref: string
    version: number
    /** A sha256 in lower hex. */
    content_hash: string
    /** As it stands now; what no longer stands is named here, and not told. */
    status: "valid" | "contested" | "rejected" | "superseded" | "retracted" | "revoked" | "redacted"
    formatted: string
  }>
  method: "extractive" | "model"
  draft_id?: string
  usage: {
    tokens_in: number
    tokens_out: number
  }
}

/** Buy or sell: place an order, cancel it, or replace it. */
export interface MarketCreateOrderInput {
  action?: "cancel" | "replace"
  /** UUID in lower case. */
  order_id?: string
  /** base/quote: the asset that is traded, and the one it is paid in. */
  instrument?: string
  side?: "buy" | "sell"
  type?: "limit" | "market"
  /** Whole minor units of an asset, as a decimal string. */
  quantity?: string
  /** Whole minor units of an asset, as a decimal string. */
  price?: string
  time_in_force?: "GTC" | "IOC" | "FOK" | "GTD"
  /** RFC 3339 time in UTC. */
  expires_at?: string
  post_only?: boolean
  /** did:oas:<tenant>:<kind>:<64 hex> */
  directed_to?: string
  client_order_id?: string
}

/** Answer of MARKET create_order. */
export interface MarketCreateOrderOutput {
  /** UUID in lower case. */
  order_id: string
  seq: number
  state: "OPEN" | "PARTIALLY_FILLED" | "FILLED" | "CANCELLED" | "EXPIRED"
  /** Whole minor units of an asset, as a decimal string. */
  quantity: string
  /** Whole minor units of an asset, as a decimal string. */
  filled: string
  /** Whole minor units of an asset, as a decimal string. */
  remaining: string
  /** Whole minor units of an asset, as a decimal string. */
  cancelled: string
  /** Quote minor units per lot, as a fraction in lowest terms. */
  avg_price?: {
    /** Whole minor units, added up. */
    num: string
    /** Whole minor units, added up. */
    den: string
  }
  ended_because?: "self_trade" | "fill_limit" | "immediate_or_cancel" | "cancelled" | "expired" | "dissolution"
  fills: Array<{
    /** UUID in lower case. */
    trade_id: string
    /** Whole minor units of an asset, as a decimal string. */
    price: string
    /** Whole minor units of an asset, as a decimal string. */
    quantity: string
    /** UUID in lower case. */
    maker_order_id: string
    /** Whole minor units of an asset, as a decimal string. */
    fee: string
  }>
  /** Whole minor units of an asset, as a decimal string. */
  reserved: string
}

/** Take what the market offers now, or a quote that was made to you. */
export interface MarketExecuteTradeInput {
  /** base/quote: the asset that is traded, and the one it is paid in. */
  instrument: string
  side: "buy" | "sell"
  /** Whole minor units of an asset, as a decimal string. */
  quantity: string
  /** Whole minor units of an asset, as a decimal string. */
  limit_price?: string
  /** UUID in lower case. */
  order_id?: string
  /** Whole minor units of an asset, as a decimal string. */
  min_quantity?: string
}

/** Answer of MARKET execute_trade. */
export interface MarketExecuteTradeOutput {
  /** UUID in lower case. */
  order_id: string
  seq: number
  trades: Array<{
    /** UUID in lower case. */
    trade_id: string
    /** Whole minor units of an asset, as a decimal string. */
    price: string
    /** Whole minor units of an asset, as a decimal string. */
    quantity: string
    /** UUID in lower case. */
    maker_order_id: string
    /** Whole minor units, added up. */
    notional: string
    /** Whole minor units, added up. */
    fee: string
    state: "SETTLED"
  }>
  /** Whole minor units of an asset, as a decimal string. */
  filled: string
  /** Whole minor units of an asset, as a decimal string. */
  unfilled: string
  /** Whole minor units, added up. */
  notional: string
  /** Whole minor units, added up. */
  fees: string
  journal_ids: string[]
  ended_because?: "self_trade" | "fill_limit" | "immediate_or_cancel" | "cancelled" | "expired" | "dissolution"
}

/** See the market: price levels, last trades, and what is yours in it. */
export interface MarketQueryOrderbookInput {
  /** base/quote: the asset that is traded, and the one it is paid in. */
  instrument: string
  depth?: number
  mine?: boolean
  /** The next page of my_orders: those before this seq. */
  before_seq?: number
  /** UUID in lower case. */
  order_id?: string
  trades_limit?: number
}

/** Answer of MARKET query_orderbook. */
export interface MarketQueryOrderbookOutput {
  bids: Array<{
    /** Whole minor units of an asset, as a decimal string. */
    price: string
    /** Whole minor units, added up. */
    quantity: string
    orders: number
  }>
  asks: Array<{
    /** Whole minor units of an asset, as a decimal string. */
    price: string
    /** Whole minor units, added up. */
    quantity: string
    orders: number
  }>
  /** Whole minor units of an asset, as a decimal string. */
  spread?: string
  last_trade?: {
    /** UUID in lower case. */
    trade_id: string
    seq: number
    /** Whole minor units of an asset, as a decimal string. */
    price: string
    /** Whole minor units of an asset, as a decimal string. */
    quantity: string
    taker_side: "buy" | "sell"
    /** RFC 3339 time in UTC. */
    at: string
  }
  my_orders?: Array<{
    /** UUID in lower case. */
    order_id: string
    seq: number
    state: "OPEN" | "PARTIALLY_FILLED" | "FILLED" | "CANCELLED" | "EXPIRED"
    /** Whole minor units of an asset, as a decimal string. */
    quantity: string
    /** Whole minor units of an asset, as a decimal string. */
    filled: string
    /** Whole minor units of an asset, as a decimal string. */
    remaining: string
    /** Whole minor units of an asset, as a decimal string. */
    cancelled: string
    /** Quote minor units per lot, as a fraction in lowest terms. */
    avg_price?: {
      /** Whole minor units, added up. */
      num: string
      /** Whole minor units, added up. */
      den: string
    }
    ended_because?: "self_trade" | "fill_limit" | "immediate_or_cancel" | "cancelled" | "expired" | "dissolution"
    /** base/quote: the asset that is traded, and the one it is paid in. */
    instrument: string
    side: "buy" | "sell"
    type: "limit" | "market"
    time_in_force: "GTC" | "IOC" | "FOK" | "GTD"
    post_only: boolean
    /** Whole minor units of an asset, as a decimal string. */
    price?: string
    /** RFC 3339 time in UTC. */
    expires_at?: string
    /** RFC 3339 time in UTC. */
    placed_at: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    owner_did: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    directed_to?: string
    client_order_id?: string
    /** Whole minor units of an asset, as a decimal string. */
    reserved?: string
  }>
  order?: {
    /** UUID in lower case. */
    order_id: string
    seq: number
    state: "OPEN" | "PARTIALLY_FILLED" | "FILLED" | "CANCELLED" | "EXPIRED"
    /** Whole minor units of an asset, as a decimal string. */
    quantity: string
    /** Whole minor units of an asset, as a decimal string. */
    filled: string
    /** Whole minor units of an asset, as a decimal string. */
    remaining: string
    /** Whole minor units of an asset, as a decimal string. */
    cancelled: string
    /** Quote minor units per lot, as a fraction in lowest terms. */
    avg_price?: {
      /** Whole minor units, added up. */
      num: string
      /** Whole minor units, added up. */
      den: string
    }
    ended_because?: "self_trade" | "fill_limit" | "immediate_or_cancel" | "cancelled" | "expired" | "dissolution"
    /** base/quote: the asset that is traded, and the one it is paid in. */
    instrument: string
    side: "buy" | "sell"
    type: "limit" | "market"
    time_in_force: "GTC" | "IOC" | "FOK" | "GTD"
    post_only: boolean
    /** Whole minor units of an asset, as a decimal string. */
    price?: string
    /** RFC 3339 time in UTC. */
    expires_at?: string
    /** RFC 3339 time in UTC. */
    placed_at: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    owner_did: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    directed_to?: string
    client_order_id?: string
    /** Whole minor units of an asset, as a decimal string. */
    reserved?: string
  }
  trades?: Array<{
    /** UUID in lower case. */
    trade_id: string
    seq: number
    /** Whole minor units of an asset, as a decimal string. */
    price: string
    /** Whole minor units of an asset, as a decimal string. */
    quantity: string
    taker_side: "buy" | "sell"
    /** RFC 3339 time in UTC. */
    at: string
  }>
  book_seq: number
}

/** Find who can do something for you, best first, and whether you could call them now. */
export interface MarsDiscoveryInput {
  /** svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
  capability?: string
  /** What is to be done, in words. */
  need?: string
  min_level?: "L0" | "L1" | "L2"
  include_foreign?: boolean
  kind?: string
  max_price?: {
    asset_id: string
    /** In minor units of the asset. */
    amount: string
  }
  limit?: number
}

/** Answer of MARS discovery. */
export interface MarsDiscoveryOutput {
  candidates: Array<{
    /** did:oas:<tenant>:<kind>:<64 hex> */
    did: string
    /** Tenant id. */
    tenant: string
    /** Content address. */
    entry: string
    endpoints: Array<{
      kind: string
      url: string
      protocols: string[]
      /** Null where nobody has asked yet. */
      healthy: boolean | null
      latency_p50_ms?: number
    }>
    /** svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
    capability_match?: string
    callable_now: boolean
    why_not?: string
    price?: {
      asset_id: string
      /** In minor units of the asset. */
      amount: string
    }
    score: number
    score_parts: {
      health: number
      merit: number
      latency: number
      text: number
    }
  }>
}

/** Look entries up exactly, now or as they stood at a moment, with their history on request. */
export interface MarsQueryRegistryInput {
  /** Content address. */
  entry?: string
  subject?: string
  kind?: "agent" | "treaty" | "policy" | "asset" | "plugin" | "report" | "verdict" | "chain_seal" | "schema" | "model"
  name_prefix?: string
  tag?: string
  /** Tenant id. */
  tenant_id?: string
  /** svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
  capability?: string
  /** RFC 3339 time in UTC. */
  as_of?: string
  history?: boolean
  limit?: number
  cursor?: string
}

/** Answer of MARS query_registry. */
export interface MarsQueryRegistryOutput {
  entries: Array<{
    /** Content address. */
    hash: string
    kind: "agent" | "treaty" | "policy" | "asset" | "plugin" | "report" | "verdict" | "chain_seal" | "schema" | "model"
    subject: string
    /** Tenant id. */
    tenant_id: string
    version: number
    previous: string | null
    state: "LIVE" | "STALE" | "SUPERSEDED" | "WITHDRAWN"
    body: Record<string, unknown>
    signature: {
      /** A DID, or book:<key id> for the audit key of the tenant. */
      signed_by: string
      /** Ed25519 public key, 32 bytes, base64url. */
      public_key: string
      /** Ed25519 signature, 64 bytes, base64url. */
      signature: string
      method: "own" | "custodial" | "book"
    }
    /** RFC 3339 time in UTC. */
    registered_at: string
    /** RFC 3339 time in UTC. */
    expires_at?: string
    hash_valid: true
  }>
  next_cursor?: string
}

/** Make an agent findable, keep its entry alive, or withdraw it. */
export interface MarsRegisterAgentInput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did?: string
  name: string
  summary?: string
  entity_kind: string
  capabilities: string[]
  service_endpoints: Array<{
    kind: string
    url: string
    protocols: string[]
  }>
  tags?: string[]
  visibility?: "tenant" | "treaty" | "public"
  ttl_seconds?: number
  withdraw?: boolean
  /** Ed25519 signature, 64 bytes, base64url. */
  signature?: string
  /** Ed25519 public key, 32 bytes, base64url. */
  public_key?: string
}

/** Answer of MARS register_agent. */
export interface MarsRegisterAgentOutput {
  /** Content address. */
  entry: string
  version: number
  /** Content address. */
  previous?: string
  state: "LIVE" | "STALE" | "SUPERSEDED" | "WITHDRAWN"
  /** RFC 3339 time in UTC. */
  expires_at?: string
  unchanged: boolean
}

/** Combine several opinions into one, and keep who disagrees. */
export interface MataPoolInput {
  question?: string
  /** What it is about; * is everything. */
  topic?: string
  opinions: Array<{
    /** A DID, a ref, or protocol:<ID>. */
    source: string
    probability?: number
    /** Label to probability; they add up to one. */
    distribution?: Record<string, number>
    quantiles?: Array<number[]>
    weight?: number
  }>
  method?: "linear" | "log" | "median"
  weights?: "given" | "learned" | "equal"
  /** Of the log pool. */
  extremize?: number
  /** Of the log pool. */
  epsilon?: number
  fill?: "zero"
  persist?: boolean
}

/** Answer of MATA pool. */
export interface MataPoolOutput {
  probability?: number
  /** Label to probability; they add up to one. */
  distribution?: Record<string, number>
  quantiles?: Array<number[]>
  method: "linear" | "log" | "median" | "quantile_average"
  weighting: "given" | "learned" | "equal"
  weights: Record<string, number>
  /** Bits; not of quantiles. */
  entropy?: number
  disagreement: number
  contributions: Array<{
    /** A DID, a ref, or protocol:<ID>. */
    source: string
    weight: number
    /** Divergence from the pool. */
    bits?: number
    disagreement_share: number
  }>
  dissent: Array<{
    /** A DID, a ref, or protocol:<ID>. */
    source: string
    /** Divergence from the pool. */
    bits?: number
    probability?: number
    /** Label to probability; they add up to one. */
    distribution?: Record<string, number>
    quantiles?: Array<number[]>
  }>
  pool_ref?: string
}

/** Ask how reliable a source has been, or report what came of its forecasts. */
export interface MataWeightInput {
  /** A DID, a ref, or protocol:<ID>. */
  source: string
  /** What it is about; * is everything. */
  topic?: string
  outcomes?: Array<{
    forecast: number | Record<string, number>
    /** Whether it came about, or which label of the distribution did. */
    outcome: boolean | number | string
    /** RFC 3339 time in UTC. */
    at?: string
    /** What is reported again under it counts once. */
    id?: string
  }>
  half_life_days?: number
  set?: {
    /** Null takes back what was set. */
    weight: number | null
    authority: string
  }
}

/** Answer of MATA weight. */
export interface MataWeightOutput {
  /** A DID, a ref, or protocol:<ID>. */
  source: string
  /** What it is about; * is everything. */
  topic: string
  weight: number
  /** Whether the organization has set it. */
  manual: boolean
  n: number
  n_effective: number
  brier?: number
  /** Nats. */
  log_loss?: number
  /** Of the Brier loss. */
  interval95: number[]
  rank: number
  /** Among how many it has its rank. */
  sources: number
  added: number
  history: Array<{
    id: string
    /** RFC 3339 time in UTC. */
    at: string
    brier: number
    log_loss: number
  }>
}

/** Wind your organization up under its charter, or cancel that while notice is given. */
export interface MausoleumInitiateInput {
  /** A verdict that binds MAUSOLEUM.initiate to the sha256 of {reason, schedule} as canonical JSON; to cancel, to the dissolution_id. */
  charter_authority: string
  reason: string
  schedule?: {
    asset_distribution: Array<{
      /** An asset, or * for all that is not named. */
      asset_id: string | "*"
      /** did:oas:<tenant>:<kind>:<64 hex> */
      to_did: string
      share_bps: number
    }>
    obligation_transfer?: Array<{
      /** made://contract/<contract_id>/<obligation_id> */
      obligation: string
      /** did:oas:<tenant>:<kind>:<64 hex> */
      to_did: string
      /** Of the other party, over svc-contract-v1 and {action: novate, contract_id, obligation_id, to_did}. */
      consent?: string
      /** Of to_did over the same text, where it will have to pay. */
      accepted?: string
      /** Ed25519 public key, 32 bytes, base64url. */
      public_key?: string
    }>
    /** did:oas:<tenant>:<kind>:<64 hex> */
    successor_did: string
  }
  /** UUID in lower case. */
  cancel?: string
}

/** Answer of MAUSOLEUM initiate. */
export interface MausoleumInitiateOutput {
  /** UUID in lower case. */
  dissolution_id: string
  state: "INITIATED" | "DISTRIBUTING" | "TRANSFERRING" | "READY_TO_SEAL" | "SEALED" | "ARCHIVED" | "CANCELLED" | "BLOCKED"
  /** RFC 3339 time in UTC. */
  notice_until: string
  creditors: Array<{
    rank: number
    ref: string
    /** Tenant id. */
    tenant_id: string
    /** Name of an asset, the same for everybody. */
    asset_id: string
    /** Whole minor units of an asset, as a decimal string. */
    amount: string
    /** Whole millionths of a US dollar. */
    amount_micro_usd?: string
  }>
  blockers: string[]
}

/** Close a wound-up organization's record for ever, and destroy the key that signed it. */
export interface MausoleumSealInput {
  /** UUID in lower case. */
  dissolution_id?: string
  /** The hash of the last record you know: sealing is refused where the chain has gone on. */
  expected_head?: string
}

/** Answer of MAUSOLEUM seal. */
export interface MausoleumSealOutput {
  /** UUID in lower case. */
  dissolution_id: string
  state: "SEALED" | "ARCHIVED"
  /** A sha256 in lower hex. */
  final_hash: string
  final_seq: number
  /** The end of a chain; the private part of this key no longer exists. */
  seal: {
    /** Tenant id. */
    tenant_id: string
    final_seq: number
    /** A sha256 in lower hex. */
    final_hash: string
    /** A sha256 in lower hex. */
    root: string
    /** C2SP signed note over the whole chain, by its last key. */
    checkpoint: string
    key_id: string
    /** Ed25519 public key, 32 bytes, base64url. */
    public_key: string
  }
  mars_ref: string
  archive?: {
    /** Content address. */
    hash: string
    bytes: number
    records: number
  }
}

/** Put your signature under a claim and its evidence. */
export interface MavenAttestInput {
  /** What is claimed: a statement, or a subject, a predicate and an object. */
  claim: string | {
    subject: string
    predicate: string
    object: string | number | boolean
    /** Whether the subject has one value of the predicate at a time. */
    functional?: boolean
  }
  evidence: Array<{
    ref?: string
    /** The evidence itself; kept sealed. */
    content?: string
    media_type?: string
    /** Where it can be found. Never fetched: without its content it is not verified. */
    uri?: string
    /** A sha256 in lower hex. */
    sha256?: string
    stance?: "supports" | "refutes" | "context"
  }>
  confidence?: number
  /** What it is about, in the words MATA weighs sources by; * is everything. */
  topic?: string
  /** RFC 3339 time in UTC. */
  valid_from?: string
  /** RFC 3339 time in UTC. */
  valid_to?: string
  method?: "observation" | "measurement" | "inference" | "testimony" | "computation"
  supersedes?: string
  /** Until then nobody but its issuer sees it, and it argues with nobody. */
  embargo_until?: string
  /** W3C Data Integrity, eddsa-jcs-2022. */
  proof?: {
    type: "DataIntegrityProof"
    cryptosuite: "eddsa-jcs-2022"
    /** RFC 3339 time in UTC. */
    created: string
    verificationMethod: string
    proofPurpose: "assertionMethod" | "authentication"
    /** did:oas:<tenant>:<kind>:<64 hex> */
    controller?: string
    /** Multibase base58btc. */
    proofValue: string
  }
}

/** Answer of MAVEN attest. */
export interface MavenAttestOutput {
  claim_ref: string
  /** A sha256 in lower hex. */
  content_hash: string
  /** Exactly what is signed; its sha256 in canonical JSON is the id of the claim. */
  document: {
    type: "MavenClaim"
    /** did:oas:<tenant>:<kind>:<64 hex> */
    issuer: string
    /** What is claimed: a statement, or a subject, a predicate and an object. */
    claim: string | {
      subject: string
      predicate: string
      object: string | number | boolean
      /** Whether the subject has one value of the predicate at a time. */
      functional?: boolean
    }
    evidence: Array<{
      /** A sha256 in lower hex. */
      hash: string
      stance: "supports" | "refutes" | "context"
      ref?: string
      version?: number
      uri?: string
      media_type?: string
    }>
    confidence: number
    /** What it is about, in the words MATA weighs sources by; * is everything. */
    topic: string
    /** RFC 3339 time in UTC. */
    valid_from?: string
    /** RFC 3339 time in UTC. */
    valid_to?: string
    method?: "observation" | "measurement" | "inference" | "testimony" | "computation"
    supersedes?: string
  }
  /** W3C Data Integrity, eddsa-jcs-2022. */
  proof: {
    type: "DataIntegrityProof"
    cryptosuite: "eddsa-jcs-2022"
    /** RFC 3339 time in UTC. */
    created: string
    verificationMethod: string
    proofPurpose: "assertionMethod" | "authentication"
    /** did:oas:<tenant>:<kind>:<64 hex> */
    controller?: string
    /** Multibase base58btc. */
    proofValue: string
  }
  evidence: Array<{
    /** A sha256 in lower hex. */
    hash: string
    verified: boolean
  }>
  /** Contested: a claim that counts more speaks against it. Undecided: one that counts as much does. */
  status: "accepted" | "contested" | "undecided"
  corroboration: {
    supports: number
    refutes: number
    posterior: number
  }
  contradictions: string[]
}

/** Get a durable citation of a source, with what has become of it. */
export interface MavenCiteInput {
  source_ref: string
  /** The newest where it is not said. */
  version?: number
  in_ref?: string
  /** Which part of the source: one of the three. */
  locator?: {
    json_pointer?: string
    char_range?: {
      start: number
      end: number
    }
    record_seq?: number
  }
  style?: "short" | "apa" | "csl-json"
}

/** Answer of MAVEN cite. */
export interface MavenCiteOutput {
  /** A sha256 in lower hex. */
  citation_id: string
  source_ref: string
  version: number
  /** A sha256 in lower hex. */
  content_hash: string
  /** Null where it was redacted. */
  excerpt: string | null
  issuer_did: string
  /** RFC 3339 time in UTC. */
  attested_at: string
  status: "valid" | "contested" | "superseded" | "redacted" | "revoked" | "retracted"
  /** Checked now: the proof of a claim, otherwise the signed book. Null while neither is there. */
  signature_valid: boolean | null
  /** The record that brought it, in the signed tree; null until that is written. */
  chain: {
    /** A sha256 in lower hex. */
    record_hash: string
    tree_size: number
  } | null
  /** Whether the source rests, in the end, on what cites it. */
  cycle: boolean
  formatted: string | Record<string, unknown>
}

/** Bring a claim against another, and see which of them stand. */
export interface MavenContradictInput {
  claim_ref: string
  /** The claim that speaks against it, or one that is attested first. */
  by: string | {
    /** What is claimed: a statement, or a subject, a predicate and an object. */
    claim: string | {
      subject: string
      predicate: string
      object: string | number | boolean
      /** Whether the subject has one value of the predicate at a time. */
      functional?: boolean
    }
    evidence: Array<{
      ref?: string
      /** The evidence itself; kept sealed. */
      content?: string
      media_type?: string
      /** Where it can be found. Never fetched: without its content it is not verified. */
      uri?: string
      /** A sha256 in lower hex. */
      sha256?: string
      stance?: "supports" | "refutes" | "context"
    }>
    confidence?: number
    /** What it is about, in the words MATA weighs sources by; * is everything. */
    topic?: string
    /** RFC 3339 time in UTC. */
    valid_from?: string
    /** RFC 3339 time in UTC. */
    valid_to?: string
    method?: "observation" | "measurement" | "inference" | "testimony" | "computation"
    supersedes?: string
    /** Until then nobody but its issuer sees it, and it argues with nobody. */
    embargo_until?: string
    /** W3C Data Integrity, eddsa-jcs-2022. */
    proof?: {
      type: "DataIntegrityProof"
      cryptosuite: "eddsa-jcs-2022"
      /** RFC 3339 time in UTC. */
      created: string
      verificationMethod: string
      proofPurpose: "assertionMethod" | "authentication"
      /** did:oas:<tenant>:<kind>:<64 hex> */
      controller?: string
      /** Multibase base58btc. */
      proofValue: string
    }
  }
  /** Says the opposite, denies that it follows, or denies the evidence it names. */
  kind?: "rebut" | "undercut" | "undermine"
  /** Of the evidence that is undermined. */
  evidence_hash?: string
  rationale?: string
  /** False records it and leaves the statuses as they are. */
  resolve?: boolean
}

/** Answer of MAVEN contradict. */
export interface MavenContradictOutput {
  contradiction_ref: string
  by: string
  statuses: Record<string, "accepted" | "rejected" | "undecided">
  changed: Array<{
    claim_ref: string
    from: "accepted" | "rejected" | "undecided" | "superseded" | "embargoed"
    to: "accepted" | "rejected" | "undecided" | "superseded" | "embargoed"
  }>
  dependents: Array<{
    ref: string
    kind: string
  }>
  extension: "grounded"
  appeal: {
    path: "MOOT file"
  }
}

/** Append a record of your own to your tenant's book and get its place in the chain. */
export interface MaxAuditLogEntryInput {
  event_type: string
  outcome?: "success" | "refused" | "error"
  /** UUID in lower case. */
  correlation_id?: string
  protocol?: string
  operation?: string
  meta: Record<string, unknown>
}

/** Answer of MAX audit_log_entry. */
export interface MaxAuditLogEntryOutput {
  seq: number
  /** A sha256 in lower hex. */
  record_hash: string
  /** A sha256 in lower hex. */
  previous_hash: string
  /** A sha256 in lower hex. */
  chain_head: string
  stored_event_type: string
}

/** Find records of your tenant's book, or of another's that both took part in, with proofs on request. */
export interface MaxAuditQueryInput {
  /** UUID in lower case. */
  correlation_id?: string
  correlation_ids?: string[]
  include_inputs?: boolean
  /** Tenant id. */
  tenant_id?: string
  event_type?: string[]
  protocol?: string
  operation?: string
  outcome?: "success" | "refused" | "error"
  /** did:oas:<tenant>:<kind>:<64 hex> */
  caller_did?: string
  /** RFC 3339 time in UTC. */
  from?: string
  /** RFC 3339 time in UTC. */
  to?: string
  after_seq?: number
  limit?: number
  verify?: boolean
  /** Content address. */
  proof_report?: string
  /** Adds keys, and the notes signed at a record of the page. */
  include_checkpoints?: boolean
  /** Adds a path from each record to a signed note. */
  include_proofs?: boolean
}

/** Answer of MAX audit_query. */
export interface MaxAuditQueryOutput {
  records: Array<{
    /** UUID in lower case. */
    id: string
    seq: number
    event_type: string
    /** UUID in lower case. */
    correlation_id: string
    /** RFC 3339 time in UTC. */
    timestamp: string
    /** Tenant id. */
    tenant_id: string
    caller_did: string
    protocol?: string
    operation?: string
    outcome: "success" | "refused" | "error"
    latency_ms: number
    meta: Record<string, unknown>
    /** A sha256 in lower hex. */
    previous_hash: string
    /** A sha256 in lower hex. */
    record_hash: string
  }>
  inputs?: Record<string, unknown>
  /** A sha256 in lower hex. */
  head: string
  next_after_seq?: number
  verified?: {
    ok: boolean
    first_bad_seq?: number
  }
  proofs?: Array<{
    seq: number
    tree_size: number
    inclusion_path: string[]
  }>
  keys?: Array<{
    key_id: string
    /** Ed25519 public key, 32 bytes, base64url. */
    public_key: string
    from_seq: number
    /** Null for the key that signs now. */
    until_seq: number | null
  }>
  checkpoints?: Array<{
    size: number
    /** C2SP signed note: origin, size, root, signatures. */
    note: string
  }>
  newest_checkpoint?: {
    size: number
    /** C2SP signed note: origin, size, root, signatures. */
    note: string
  }
}

/** Get a signed attestation of your book over a period, for an auditor. */
export interface MaxComplianceReportInput {
  /** Half-open: from <= t < to. */
  period: {
    /** RFC 3339 time in UTC. */
    from: string
    /** RFC 3339 time in UTC. */
    to: string
  }
  framework?: "core" | "soc2" | "eu-ai-act" | "iso42001"
  include_controls?: boolean
}

/** Answer of MAX compliance_report. */
export interface MaxComplianceReportOutput {
  /** Content address. */
  report_id: string
  /** JWS, EdDSA, by the tenant's audit key. */
  attestation: string
  /** A sha256 in lower hex. */
  head: string
  first_seq: number
  last_seq: number
  record_count: number
  /** A sha256 in lower hex. */
  merkle_root: string
  tree_size: number
  counts: {
    success: number
    refused: number
    error: number
    by_event: Record<string, unknown>
  }
  chain_verified: boolean
  first_bad_seq?: number
  gaps: number[]
  controls: Array<{
    id: string
    statement: string
    status: string
    evidence: string[]
  }>
  mars_ref: string | null
}

/** Ask why a request was allowed or refused, and what would have changed it. */
export interface MaxExplainabilityRequestInput {
  /** UUID in lower case. */
  correlation_id: string
  audience?: "subject" | "operator" | "auditor"
  counterfactuals?: boolean
}

/** Answer of MAX explainability_request. */
export interface MaxExplainabilityRequestOutput {
  decision: "allowed" | "refused" | "failed"
  stage: number
  code?: string
  reason: string
  capability: {
    /** svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
    requested?: string
    matched?: string
    source?: string
  }
  policies: Array<{
    id: string
    version: string
    effect: string
    text: string
  }>
  council?: {
    verdict: string | null
    pass: boolean
    dissent: unknown[]
  }
  limits?: Record<string, unknown>
  counterfactuals: Array<{
    change: string
    result: string
  }>
  appeal_path?: string
  narrative: string
  evidence: string[]
  consistent: boolean
}

/** Rebuild the whole story of a request as a graph. */
export interface MaxTraceabilityGraphInput {
  /** UUID in lower case. */
  correlation_id: string
  depth?: number
  format?: "json" | "prov"
}

/** Answer of MAX traceability_graph. */
export interface MaxTraceabilityGraphOutput {
  nodes: Array<Record<string, unknown>>
  edges: Array<{
    from: string
    to: string
    rel: string
  }>
  prov?: Record<string, unknown>
  metadata: Record<string, unknown>
  complete: boolean
  missing: string[]
  heads: Record<string, unknown>
}

/** Enact a rule, replace it by its next version, or retire it. */
export interface MaximAuthorInput {
  /** Name of a policy. */
  policy_id: string
  /** Cedar: 1 to 64 static policies of namespace Svc; empty where it retires the policy. */
  policy_body: string
  /** Semantic version, greater than the one before: 1.2.0. */
  version: string
  /** RFC 3339 time in UTC. */
  active_from: string
  authority?: string
  retire?: boolean
  rationale?: string
}

/** Answer of MAXIM author. */
export interface MaximAuthorOutput {
  /** Name of a policy. */
  policy_id: string
  /** Semantic version, greater than the one before: 1.2.0. */
  version: string
  /** Content address. */
  digest: string
  state: "SCHEDULED" | "ACTIVE" | "SUPERSEDED" | "RETIRED"
  /** RFC 3339 time in UTC. */
  active_from: string
  /** Content address. */
  set_digest: string
  warnings: string[]
  lockout_checked: true
}

/** Ask what the rules in force say about a case, which of them decide it, and what is not known. */
export interface MaximConstitutionalInterpretationInput {
  question?: string
  scenario: {
    /** did:oas:<tenant>:<kind>:<64 hex> */
    principal_did: string
    /** As the catalogue writes it: MARKET. */
    protocol: string
    operation: string
    context?: {
      /** Tenant id. */
      target_tenant?: string
      hour?: number
      /** 1 is Monday. */
      weekday?: number
      origin?: "http" | "mcp" | "invoke" | "internal"
      jurisdiction?: string
      amount_micro_usd?: string
      action_kind?: string
      /** Content address. */
      treaty_id?: string
    }
    /** RFC 3339 time in UTC. */
    at?: string
    /** Where it is left out, the operation counts as a write. */
    state_changing?: boolean
  }
  include_scheduled?: boolean
}

/** Answer of MAXIM constitutional_interpretation. */
export interface MaximConstitutionalInterpretationOutput {
  decision: "allow" | "deny"
  determining: Array<{
    /** Name of a policy. */
    policy_id: string
    /** Semantic version, greater than the one before: 1.2.0. */
    version: string
    effect: "permit" | "forbid"
    text: string
    reason?: string
    appeal?: string
  }>
  errors: Array<{
    /** Name of a policy. */
    policy_id: string
    /** Semantic version, greater than the one before: 1.2.0. */
    version: string
    effect: "permit" | "forbid"
    message: string
  }>
  counterfactuals: Array<{
    without: string
    decision: "allow" | "deny"
  }>
  unknown_inputs: string[]
  precedents: string[]
  /** Content address. */
  set_digest: string
  binding: false
}

/** Rank options in which duties conflict, by the rules in force and the values they serve. */
export interface MaximDeliberateDilemmaInput {
  dilemma: string
  options: Array<{
    id: string
    description: string
    scenario?: {
      /** did:oas:<tenant>:<kind>:<64 hex> */
      principal_did: string
      /** As the catalogue writes it: MARKET. */
      protocol: string
      operation: string
      context?: {
        /** Tenant id. */
        target_tenant?: string
        hour?: number
        /** 1 is Monday. */
        weekday?: number
        origin?: "http" | "mcp" | "invoke" | "internal"
        jurisdiction?: string
        amount_micro_usd?: string
        action_kind?: string
        /** Content address. */
        treaty_id?: string
      }
      /** RFC 3339 time in UTC. */
      at?: string
      /** Where it is left out, the operation counts as a write. */
      state_changing?: boolean
    }
    effects: Array<{
      value: string
      weight: number
    }>
  }>
  values: Array<{
    name: string
    /** The greater, the more important. */
    priority: number
  }>
  precedent_limit?: number
}

/** Answer of MAXIM deliberate_dilemma. */
export interface MaximDeliberateDilemmaOutput {
  /** Content address. */
  dilemma_id: string
  ranking: Array<{
    option_id: string
    lawful: boolean
    score: number
    violated: string[]
    values_served: string[]
    values_harmed: string[]
  }>
  recommendation?: string
  dominated: Array<{
    option_id: string
    by: string
  }>
  ambiguous: boolean
  dissent: Array<{
    option_id: string
    argument: string
  }>
  escalate_to?: "MACE"
  precedents: string[]
  /** Content address. */
  set_digest: string
  binding: false
}

/** Set tier and credit of an organization, and close or settle its periods; for the operator alone. */
export interface MealAdminInput {
  action: "set_tier" | "grant_credit" | "set_credit_line" | "close_period" | "mark_settled" | "write_off"
  /** Tenant id. */
  tenant_id: string
  authority?: string
  tier?: "sandbox" | "charter" | "institution" | "sovereign"
  /** US dollars with at most six decimal places, best as a string. */
  amount_usd?: string | number
  /** Half-open: from <= t < to. */
  period?: {
    /** RFC 3339 time in UTC. */
    from: string
    /** RFC 3339 time in UTC. */
    to: string
  }
  contract_id?: string
}

/** Answer of MEAL admin. */
export interface MealAdminOutput {
  action: "set_tier" | "grant_credit" | "set_credit_line" | "close_period" | "mark_settled" | "write_off"
  /** Tenant id. */
  tenant_id: string
  authority?: string
  tier?: "sandbox" | "charter" | "institution" | "sovereign"
  previous_tier?: "sandbox" | "charter" | "institution" | "sovereign"
  /** US dollars with six decimal places. */
  amount_usd?: string
  /** Whole millionths of a US dollar. */
  amount_micro_usd?: string
  /** Null: the tier says it. */
  credit_line_usd?: string | null
  journal_id?: string
  invoice?: {
    invoice_id: string
    /** Tenant id. */
    tenant_id: string
    /** Half-open: from <= t < to. */
    period: {
      /** RFC 3339 time in UTC. */
      from: string
      /** RFC 3339 time in UTC. */
      to: string
    }
    state: "CLOSED" | "SETTLED" | "OVERDUE" | "DISPUTED"
    /** US dollars with six decimal places. */
    amount_usd: string
    /** Whole millionths of a US dollar. */
    amount_micro_usd: string
    /** US dollars with six decimal places. */
    due_usd: string
    /** Whole millionths of a US dollar. */
    due_micro_usd: string
    event_count: number
    /** Content address. */
    events_root: string
    /** Content address. */
    statement_hash: string
    /** RFC 3339 time in UTC. */
    issued_at: string
    /** RFC 3339 time in UTC. */
    due_at: string
    /** RFC 3339 time in UTC. */
    settled_at?: string
    contract_id?: string
    written_off: boolean
  }
}

/** Give an organization prices of its own from a moment on; for the operator alone. */
export interface MealAdminSetRateInput {
  /** Tenant id. */
  tenant_id: string
  /** What is left out stays as it is. */
  overrides: {
    /** US dollars with at most six decimal places, best as a string. */
    tokens_per_million_usd?: string | number
    /** US dollars with at most six decimal places, best as a string. */
    seconds_per_million_usd?: string | number
    /** US dollars with at most six decimal places, best as a string. */
    watts_per_kwh_usd?: string | number
  }
  /** RFC 3339 time in UTC. */
  effective_from: string
  authority: string
}

/** Answer of MEAL admin_set_rate. */
export interface MealAdminSetRateOutput {
  rate_version: number
  /** The version it takes the place of; 0 is the base rate. */
  previous: number
  /** RFC 3339 time in UTC. */
  effective_from: string
}

/** Report usage of a service outside, once for each event id. */
export interface MealMeterInput {
  /** UUID in lower case. */
  event_id: string
  /** Tenant id. */
  tenant_id: string
  protocol: string
  operation: string
  /** UUID in lower case. */
  correlation_id: string
  tokens_in?: number
  tokens_out?: number
  milliseconds: number
  energy_uwh?: number
  /** RFC 3339 time in UTC. */
  occurred_at: string
  origin?: string
}

/** Answer of MEAL meter. */
export interface MealMeterOutput {
  /** UUID in lower case. */
  event_id: string
  /** In 10^-19 USD. */
  charge_quanta: string
  accepted: boolean
  /** It was reported before, and counts once. */
  duplicate: boolean
  /** Its period is closed, so it counts in the next one. */
  late: boolean
}

/** Prove that chain, meter, prices, journals, balances and invoices agree, and name what does not. */
export interface MealReconcileInput {
  /** Half-open: from <= t < to. */
  period: {
    /** RFC 3339 time in UTC. */
    from: string
    /** RFC 3339 time in UTC. */
    to: string
  }
  repair?: boolean
}

/** Answer of MEAL reconcile. */
export interface MealReconcileOutput {
  balanced: boolean
  checks: Array<{
    name: string
    ok: boolean
    detail: string
  }>
  drift: Array<{
    kind: "missing_meter" | "orphan_meter" | "charge_mismatch" | "duplicate" | "journal_mismatch" | "balance_cache"
    ref: string
    expected: string
    actual: string
  }>
  /** Whole millionths of a US dollar. */
  drift_micro_usd: string
  unbalanced_record?: string
  /** What was added to mend it. */
  repaired?: number
}

/** Say what your organization used and owes in a period, to the last unit. */
export interface MealStatementInput {
  /** Tenant id. */
  tenant_id: string
  /** Half-open: from <= t < to. */
  period: {
    /** RFC 3339 time in UTC. */
    from: string
    /** RFC 3339 time in UTC. */
    to: string
  }
  /** Adds a group for each operation where no other is asked for. */
  include_breakdown?: boolean
  group_by?: Array<"protocol" | "operation" | "agent" | "department" | "day" | "origin">
}

/** Answer of MEAL statement. */
export interface MealStatementOutput {
  totals: {
    calls: number
    tokens: number
    seconds: number
    watts_kWh: number
    /** US dollars with six decimal places. */
    amount_usd: string
    /** Whole millionths of a US dollar. */
    amount_micro_usd: string
    /** Before rounding, in 10^-19 USD. */
    quanta: string
  }
  by_protocol: Array<{
    protocol: string
    calls: number
    tokens: number
    seconds: number
    watts_kWh: number
    /** US dollars with six decimal places. */
    amount_usd: string
    /** Whole millionths of a US dollar. */
    amount_micro_usd: string
  }>
  groups?: Array<{
    key: {
      protocol?: string | null
      operation?: string | null
      agent?: string | null
      department?: string | null
      day?: string | null
      origin?: string | null
    }
    calls: number
    tokens: number
    seconds: number
    watts_kWh: number
    /** US dollars with six decimal places. */
    amount_usd: string
    /** Whole millionths of a US dollar. */
    amount_micro_usd: string
  }>
  settlement_status: "open" | "invoiced" | "settled" | "overdue" | "disputed"
  /** RFC 3339 time in UTC. */
  next_invoice_at: string
  rate_versions: Array<{
    version: number
    /** RFC 3339 time in UTC. */
    effective_from?: string
    tokens_per_million_usd: string
    seconds_per_million_usd: string
    watts_per_kwh_usd: string
  }>
  event_count: number
  /** Content address. */
  events_root: string
  /** Content address. */
  statement_hash: string
}

/** Ask whether something should be done, by rules, by those it touches, and by what else could be done. */
export interface MeritEvaluateEthicsInput {
  action: {
    /** In a word or two, or as PROTOCOL.operation: policies are asked about it. */
    kind: string
    description: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    actor_did?: string
    target_ref?: string
    affected?: Array<{
      /** A DID or a name; actor is whoever acts. */
      party: string
      interest: "life" | "health" | "liberty" | "dignity" | "privacy" | "environment" | "property" | "economic"
      /** From the worst (-1) to the best (1); where it is not said, the worst is reckoned with. */
      magnitude?: number
      probability?: number
      consent?: "yes" | "no" | "unknown"
    }>
    /** Whether it can be undone. */
    reversible: boolean
    /** What it is done under: treaties (moat://<treaty_id>) and policies (maxim://<id>). */
    duty_refs?: string[]
  }
  alternatives?: Array<{
    /** In a word or two, or as PROTOCOL.operation: policies are asked about it. */
    kind: string
    description: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    actor_did?: string
    target_ref?: string
    affected?: Array<{
      /** A DID or a name; actor is whoever acts. */
      party: string
      interest: "life" | "health" | "liberty" | "dignity" | "privacy" | "environment" | "property" | "economic"
      /** From the worst (-1) to the best (1); where it is not said, the worst is reckoned with. */
      magnitude?: number
      probability?: number
      consent?: "yes" | "no" | "unknown"
    }>
    /** Whether it can be undone. */
    reversible: boolean
    /** What it is done under: treaties (moat://<treaty_id>) and policies (maxim://<id>). */
    duty_refs?: string[]
  }>
  principles?: Array<{
    id: "beneficence" | "non_maleficence" | "autonomy" | "justice" | "fidelity" | "precaution"
    weight?: number
  }>
  /** maxim://<policy_id>, or one version with @1.2.0. */
  policy_refs?: string[]
  /** Only what is permitted is certified. */
  issue_credential?: boolean
  /** did:oas:<tenant>:<kind>:<64 hex> */
  subject_did?: string
}

/** Answer of MERIT evaluate_ethics. */
export interface MeritEvaluateEthicsOutput {
  evaluation_ref: string
  verdict: "prohibit" | "review" | "permit_with_conditions" | "permit"
  principles: Array<{
    id: "beneficence" | "non_maleficence" | "autonomy" | "justice" | "fidelity" | "precaution"
    score: number
    reasons: string[]
  }>
  violated: Array<{
    rule_ref: string
    text: string
  }>
  conditions: Array<{
    kind: "consent" | "estimate" | "precaution" | "alternative"
    text: string
  }>
  best_alternative?: {
    index: number
    verdict: "prohibit" | "review" | "permit_with_conditions" | "permit"
    welfare: number
    /** Nobody is worse off with it than with the action. */
    dominates: boolean
  }
  dissent: Array<{
    principle: "beneficence" | "non_maleficence" | "autonomy" | "justice" | "fidelity" | "precaution"
    score: number
    reason: string
  }>
  /** Of all who are affected, losses counting for more than gains. */
  welfare: number
  /** Standard deviation of welfare. */
  spread: number
  /** Two principles pull equally hard in opposite directions. */
  ambiguous: boolean
  rationale?: {
    text: string
    model: string
    verified: false
  }
  binding: false
  /** W3C Verifiable Credential 2.0 with an eddsa-jcs-2022 proof: checked offline. */
  credential?: {
    "@context": Array<"https://www.w3.org/ns/credentials/v2">
    id: string
    type: Array<"VerifiableCredential" | "MeritCredential">
    /** did:oas:<tenant>:<kind>:<64 hex> */
    issuer: string
    /** RFC 3339 time in UTC. */
    validFrom: string
    /** RFC 3339 time in UTC. */
    validUntil: string
    credentialSubject: {
      /** did:oas:<tenant>:<kind>:<64 hex> */
      id: string
      evaluation: string
      verdict: "permit" | "permit_with_conditions"
      conditions: Array<"consent" | "estimate" | "precaution" | "alternative">
    }
    credentialStatus: Array<{
      id: string
      type: "BitstringStatusListEntry"
      statusPurpose: "revocation" | "suspension"
      statusListIndex: string
      statusListCredential: string
    }>
    proof: {
      type: "DataIntegrityProof"
      cryptosuite: "eddsa-jcs-2022"
      /** RFC 3339 time in UTC. */
      created: string
      verificationMethod: string
      proofPurpose: "assertionMethod" | "authentication"
      /** did:oas:<tenant>:<kind>:<64 hex> */
      controller?: string
      /** Multibase base58btc. */
      proofValue: string
      "@context": string[]
    }
  }
  /** Why none was issued although it was asked for. */
  credential_withheld?: string
}

/** Withdraw a credential for good or for a while, by an authority that covers it. */
export interface MeritRevokeInput {
  credential_ref: string
  reason: "error" | "misconduct" | "expired_basis" | "superseded" | "order"
  /** The DID of the issuer, who must be the caller; a MACE verdict that binds MERIT.revoke to the credential or its subject; or a final MOOT ruling, as moot://ruling/<id> or moot://case/<id>. */
  authority: string
  purpose?: "revocation" | "suspension"
  /** When a suspension ends by itself; only with that, and then needed. */
  until?: string
}

/** Answer of MERIT revoke. */
export interface MeritRevokeOutput {
  credential_ref: string
  status: "revoked" | "suspended"
  status_list_ref: string
  /** Where MARS query_registry has the signed list, for everybody. */
  registered: string
  index: number
  /** RFC 3339 time in UTC. */
  revoked_at: string
  /** RFC 3339 time in UTC. */
  until?: string
  authority: string
}

/** Turn a precedent into a proposed rule, tried on what has been; it enacts nothing by itself. */
export interface MimesisFormalizeInput {
  /** Content address. */
  pattern_id: string
  /** Cedar, as MAXIM author takes it. */
  proposed_maxim: string
  /** MAXIM: a draft only. MACE: a charter motion is convened on it. A motion id: the council that sits on this very rule already. */
  proposal_target: "MAXIM" | "MACE" | string
  /** Name of a policy. */
  policy_id?: string
  /** From when the rule shall be in force, which the council decides with it; 14 days from now where absent. */
  active_from?: string
}

/** Answer of MIMESIS formalize. */
export interface MimesisFormalizeOutput {
  /** Content address. */
  proposal_id: string
  /** Name of a policy. */
  policy_id: string
  version: string
  /** RFC 3339 time in UTC. */
  active_from: string
  /** Content address. */
  digest: string
  backtest: {
    /** Half-open: from <= t < to. */
    window: {
      /** RFC 3339 time in UTC. */
      from: string
      /** RFC 3339 time in UTC. */
      to: string
    }
    evaluated: number
    /** Requests whose record does not tell what the rules ask for. */
    undecided: number
    would_flip_allow_to_deny: number
    would_flip_deny_to_allow: number
    agrees_with_pattern_bps: number
    flips: string[]
    /** The window holds older records than were tried. */
    truncated: boolean
  }
  state: "PROPOSED" | "IN_COUNCIL" | "ENACTED" | "REJECTED"
  /** UUID in lower case. */
  motion_id?: string
  /** What would bring it further; absent where nothing would. */
  next?: {
    protocol: string
    operation: string
    input: Record<string, unknown>
  }
}

/** Find what your organization keeps deciding the same way. */
export interface MimesisSurfaceInput {
  window_days: number
  min_recurrences: number
  scope: "tenant" | string | {
    protocols?: string[]
    /** How what is told ended. For its consistency what ended otherwise counts as well. */
    outcomes?: Array<"success" | "refused" | "error">
    /** did:oas:<tenant>:<kind>:<64 hex> */
    caller_did?: string
  }
  min_consistency_bps?: number
  limit?: number
}

/** Answer of MIMESIS surface. */
export interface MimesisSurfaceOutput {
  patterns: Array<{
    /** Content address. */
    pattern_id: string
    kind: "decision" | "sequence"
    features?: {
      protocol?: string
      operation?: string
      caller_kind?: string
      level?: "L0" | "L1" | "L2"
      origin?: string
      hour_bucket?: "00-06" | "06-12" | "12-18" | "18-24"
      cross_org?: boolean
      reason?: string
    }
    per?: "correlation" | "caller"
    sequence?: Array<{
      event_type: string
      protocol?: string
      operation?: string
      outcome: "success" | "refused" | "error"
    }>
    outcome: "success" | "refused" | "error"
    recurrences: number
    /** Of those that looked the same, whatever the reason given; of a sequence, of those that began so. */
    consistency_bps: number
    /** In basis points: 10000 where it ends so elsewhere as often. */
    lift: number
    /** RFC 3339 time in UTC. */
    first_seen: string
    /** RFC 3339 time in UTC. */
    last_seen: string
    exemplars: string[]
    counterexamples: string[]
    covered_by_policy?: string
    suggested_cedar?: string
    proposals: Array<{
      /** Content address. */
      proposal_id: string
      state: "PROPOSED" | "IN_COUNCIL" | "ENACTED" | "REJECTED"
    }>
  }>
  records_scanned: number
  /** A sha256 in lower hex. */
  head: string
  truncated: Array<"records" | "sequences">
}

/** Link two memories; again, and the link grows stronger. */
export interface MindAssociateMemoriesInput {
  /** A reference such as mind://cell/<id>. */
  source: string
  /** A reference such as mind://cell/<id>. */
  target: string
  /** part_of, derived_from, supersedes and causes never lead back to where they began. */
  relation: string
  weight?: number
  /** RFC 3339 time in UTC. */
  valid_from?: string
  /** RFC 3339 time in UTC. */
  valid_to?: string
  bidirectional?: boolean
}

/** Answer of MIND associate_memories. */
export interface MindAssociateMemoriesOutput {
  /** UUID in lower case. */
  association_id: string
  weight: number
  /** They were linked so already; the link is stronger now. */
  reinforced: boolean
  created: boolean
}

/** Make one consistent picture out of what several sources say. */
export interface MindFusionRequestInput {
  sources: Array<string | {
    /** did:oas:<tenant>:<kind>:<64 hex> */
    source_did: string
    facts: Array<{
      /** Whom or what it is about, by name or entity id. */
      subject: string
      /** What is said of it, such as ceo or located_in. */
      predicate: string
      object: string | number | boolean
      /** RFC 3339 time in UTC. */
      valid_from?: string
      /** RFC 3339 time in UTC. */
      valid_to?: string
      confidence?: number
      /** True declares that a subject has one value of this predicate at a time. */
      functional?: boolean
    }>
  }>
  /** Only what is said of this. */
  subject?: string
  strategy?: "reliability" | "latest" | "majority"
  functional_predicates?: string[]
  min_confidence?: number
  /** Believe the result from now on. */
  write_back?: boolean
  budget?: {
    tokens?: number
    deadline_ms?: number
  }
}

/** Answer of MIND fusion_request. */
export interface MindFusionRequestOutput {
  snapshot_ref: string
  facts: Array<{
    subject: string
    predicate: string
    /** RFC 3339 time in UTC. */
    valid_from?: string
    /** RFC 3339 time in UTC. */
    valid_to?: string
    object: string | number | boolean
    confidence: number
    functional: boolean
    support: string[]
    against: string[]
  }>
  conflicts: Array<{
    subject: string
    predicate: string
    /** RFC 3339 time in UTC. */
    valid_from?: string
    /** RFC 3339 time in UTC. */
    valid_to?: string
    values: Array<{
      value: string | number | boolean
      posterior: number
      sources: string[]
    }>
    chosen: string | number | boolean | null
    rule: "reliability" | "weighted_median" | "latest" | "majority"
  }>
  entity_merges: Array<{
    label: string
    merged: string[]
    rules: string[]
  }>
  source_reliability: Record<string, number>
  dissent: Array<{
    subject: string
    predicate: string
    /** RFC 3339 time in UTC. */
    valid_from?: string
    /** RFC 3339 time in UTC. */
    valid_to?: string
    object: string | number | boolean
    confidence: number
    sources: string[]
    reason: "outvoted" | "outlier" | "min_confidence"
  }>
  written?: {
    added: number
    superseded: string[]
  }
  usage: {
    tokens_in: number
    tokens_out: number
  }
}

/** Facts about a subject, as they held at one moment and were believed at another. */
export interface MindQueryKnowledgeInput {
  /** Whom or what it is about, by name or entity id. */
  subject: string
  /** What is said of it, such as ceo or located_in. */
  predicate?: string
  object?: string | number | boolean
  /** RFC 3339 time in UTC. */
  as_of?: string
  /** RFC 3339 time in UTC. */
  known_at?: string
  depth?: number
  include_superseded?: boolean
  min_confidence?: number
  limit?: number
  cursor?: string
}

/** Answer of MIND query_knowledge. */
export interface MindQueryKnowledgeOutput {
  entity: {
    id: string
    label: string
    type: string | null
    aliases: string[]
  } | null
  candidates: Array<{
    id: string
    label: string
    similarity: number
  }>
  facts: Array<{
    /** UUID in lower case. */
    fact_id: string
    ref: string
    subject: string
    predicate: string
    object: string | number | boolean
    /** RFC 3339 time in UTC. */
    valid_from?: string
    /** RFC 3339 time in UTC. */
    valid_to?: string
    /** RFC 3339 time in UTC. */
    recorded_at: string
    /** RFC 3339 time in UTC. */
    superseded_at?: string
    confidence: number
    source_ref: string
    status: "current" | "superseded" | "contested"
  }>
  truncated: boolean
  cursor?: string
}

/** Ask what is known that matters here: by words, meaning, structure and time. */
export interface MindRecallMemoryInput {
  /** All that is given must hold. */
  predicate: {
    /** By words, meaning and the names in it. Only this ranks; the others choose. */
    semantic?: {
      /** A question, or what it is about; "quoted words" count as one, -word must be absent. */
      text: string
      min_similarity?: number
    }
    structural?: {
      /** The payload contains this. */
      match?: Record<string, unknown>
      /** An SQL/JSON path that finds something in the payload. */
      jsonpath?: string
      /** Its triples speak of the one of this name. */
      entity?: string
      /** A reference such as mind://cell/<id>. */
      linked_to?: string
      relation?: string
      hops?: number
    }
    /** When it happened: from <= t < to. */
    temporal?: {
      /** RFC 3339 time in UTC. */
      from?: string
      /** RFC 3339 time in UTC. */
      to?: string
      /** As it was at that time. */
      as_of?: string
      /** As it was known at that time. */
      known_at?: string
      order?: "newest" | "oldest"
    }
  }
  kinds?: Array<"working" | "episodic" | "semantic" | "procedural">
  /** All namespaces where absent. */
  namespace?: string
  limit?: number
  /** Also what was evicted or has expired. */
  include_inactive?: boolean
  explain?: boolean
  /** Whether a model orders the best. */
  rerank?: "auto" | "never" | "always"
}

/** Answer of MIND recall_memory. */
export interface MindRecallMemoryOutput {
  memories: Array<{
    memory_id: string
    kind: "working" | "episodic" | "semantic" | "procedural"
    payload: Record<string, unknown>
    score: number
    version: number
    /** RFC 3339 time in UTC. */
    occurred_at: string
    confidence: number
    why?: {
      lexical_rank: number | null
      vector_rank: number | null
      graph_rank: number | null
      recency: number
      importance: number
    }
  }>
  total_candidates: number
  path: "protocol" | "agent"
}

/** Remember this. */
export interface MindStoreMemoryInput {
  kind: "working" | "episodic" | "semantic" | "procedural"
  /** What to remember; at most 256 KiB. */
  payload: Record<string, unknown>
  /** Memories of one namespace do not push out those of another. */
  namespace?: string
  /** What to find it by; the texts of the payload where absent. */
  text?: string
  index?: {
    /** Found by its meaning. */
    vector?: boolean
    /** Its triples become facts. */
    graph?: boolean
  }
  triples?: Array<{
    /** Whom or what it is about, by name or entity id. */
    subject: string
    /** What is said of it, such as ceo or located_in. */
    predicate: string
    object: string | number | boolean
    /** RFC 3339 time in UTC. */
    valid_from?: string
    /** RFC 3339 time in UTC. */
    valid_to?: string
    confidence?: number
    /** True declares that a subject has one value of this predicate at a time. */
    functional?: boolean
  }>
  /** RFC 3339 time in UTC. */
  occurred_at?: string
  /** Working memories only; an hour where absent. */
  ttl_seconds?: number
  importance?: number
  confidence?: number
  source_ref?: string
  /** Whom it is about: what forgets them forgets it. */
  subject_did?: string
  /** The same payload twice is kept once; so it is with semantic memories. */
  dedupe?: boolean
}

/** Answer of MIND store_memory. */
export interface MindStoreMemoryOutput {
  /** UUID in lower case. */
  memory_id: string
  /** A reference such as mind://cell/<id>. */
  ref: string
  version: number
  /** A sha256 in lower hex. */
  content_commitment: string
  indexed: {
    vector: boolean
    graph: boolean
    lexical: boolean
  }
  triples_added: number
  superseded: string[]
  /** A reference such as mind://cell/<id>. */
  duplicate_of?: string
}

/** Ask whether an active treaty lets one party use a capability of another. */
export interface MoatComplianceQueryInput {
  /** A tenant, or one of its DIDs. */
  party_a: string
  /** A tenant, or one of its DIDs. */
  party_b: string
  /** svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
  capability: string
  /** RFC 3339 time in UTC. */
  at?: string
}

/** Answer of MOAT compliance_query. */
export interface MoatComplianceQueryOutput {
  active: boolean
  /** Content address. */
  treaty_id?: string
  reason?: string
  caveats: string[]
  limits: {
    /** Basis points of the tenant budget per call. */
    max_per_call_bps?: number
    /** Calls per hour. */
    max_per_hour?: number
    /** Hard token ceiling per call. */
    max_tokens?: number
    /** Decimal USD per ISO week. */
    weekly_budget_usd?: string
  }
  remaining: {
    per_hour: number | null
    per_day: number | null
    weekly_budget_usd: string | null
    weekly_budget_micro_usd: string | null
  }
  /** RFC 3339 time in UTC. */
  expires_at?: string
  state?: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
}

/** Check whether the other side kept its word, and report, suspend, resume or claim. */
export interface MoatEnforceInput {
  /** Content address. */
  treaty_id: string
  /** Half-open: from <= t < to. */
  period: {
    /** RFC 3339 time in UTC. */
    from: string
    /** RFC 3339 time in UTC. */
    to: string
  }
  measure?: "report" | "suspend" | "resume" | "claim"
  finding_ids?: string[]
  /** Needed unless the measure is report. */
  reason?: string
}

/** Answer of MOAT enforce. */
export interface MoatEnforceOutput {
  findings: Array<{
    /** UUID in lower case. */
    id: string
    kind: "rate_exceeded" | "budget_exceeded" | "out_of_grant" | "payment_overdue" | "settlement_missing"
    about: string
    observed: string
    allowed: string
    records: string[]
  }>
  compliant: boolean
  state: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
  case_id?: string
}

/** Offer another organization a treaty. */
export interface MoatProposeInput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  counterparty_did: string
  capability_schedule: Array<{
    /** svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
    capability: string
    caveats?: string[]
    granted_to?: "counterparty" | "proposer" | "both"
    limits?: {
      /** Basis points of the tenant budget per call. */
      max_per_call_bps?: number
      /** Calls per hour. */
      max_per_hour?: number
      /** Hard token ceiling per call. */
      max_tokens?: number
      /** Decimal USD per ISO week. */
      weekly_budget_usd?: string
    }
  }>
  rate_limits?: {
    per_hour?: number
    per_day?: number
  }
  settlement_terms?: {
    rail?: string
    currency?: string
    /** Of what is settled; the tier's where absent. */
    clearing_fee_bps?: number
  }
  dispute_clause?: {
    via: "MOOT"
    /** A tenant, or one of its DIDs. */
    venue: string
  }
  /** RFC 3339 time in UTC. */
  expires_at: string
  /** RFC 3339 time in UTC. */
  effective_from?: string
}

/** Answer of MOAT propose. */
export interface MoatProposeOutput {
  /** Content address. */
  treaty_id: string
  state: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
  body: {
    v: 1
    parent: string | null
    parties: Array<{
      /** Tenant id. */
      tenant: string
      /** did:oas:<tenant>:<kind>:<64 hex> */
      did: string
    }>
    grants: Array<{
      /** Tenant id. */
      to: string
      /** svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
      capability: string
      caveats?: string[]
      limits?: {
        /** Basis points of the tenant budget per call. */
        max_per_call_bps?: number
        /** Calls per hour. */
        max_per_hour?: number
        /** Hard token ceiling per call. */
        max_tokens?: number
        /** Decimal USD per ISO week. */
        weekly_budget_usd?: string
      }
    }>
    rate_limits: {
      per_hour?: number
      per_day?: number
    }
    settlement: {
      rail: string
      currency: string
      /** Basis points of what is settled. */
      clearing_fee_bps: number
    }
    dispute_resolution: {
      via: string
      venue: string
    }
    /** RFC 3339 time in UTC. */
    effective_from: string
    /** RFC 3339 time in UTC. */
    expires_at: string
    nonce: string
  }
  /** What you would sign now; its timestamp goes with the signature. */
  signing_input: string
  /** RFC 3339 time in UTC. */
  sign_by: string
}

/** Propose other terms for a treaty that stands. */
export interface MoatProposeAmendmentInput {
  /** Content address. */
  treaty_id: string
  changes: {
    capability_schedule?: Array<{
      /** svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
      capability: string
      caveats?: string[]
      granted_to?: "counterparty" | "proposer" | "both"
      limits?: {
        /** Basis points of the tenant budget per call. */
        max_per_call_bps?: number
        /** Calls per hour. */
        max_per_hour?: number
        /** Hard token ceiling per call. */
        max_tokens?: number
        /** Decimal USD per ISO week. */
        weekly_budget_usd?: string
      }
    }>
    rate_limits?: {
      per_hour?: number
      per_day?: number
    }
    settlement_terms?: {
      rail?: string
      currency?: string
      /** Of what is settled; the tier's where absent. */
      clearing_fee_bps?: number
    }
    dispute_clause?: {
      via: "MOOT"
      /** A tenant, or one of its DIDs. */
      venue: string
    }
    /** RFC 3339 time in UTC. */
    expires_at?: string
  }
  reason: string
}

/** Answer of MOAT propose_amendment. */
export interface MoatProposeAmendmentOutput {
  /** Content address. */
  amendment_id: string
  /** Content address. */
  parent: string
  diff: Array<{
    op: "add" | "remove" | "replace"
    /** JSON Pointer into the body of the parent. */
    path: string
    value?: unknown
  }>
  /** Signing it needs a verdict of the charter. */
  widening: boolean
  state: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
}

/** Bind your organization to a proposed treaty. */
export interface MoatSignInput {
  /** Content address. */
  treaty_id: string
  /** Ed25519 signature, 64 bytes, base64url. */
  signature?: string
  /** RFC 3339 time in UTC. */
  timestamp?: string
  /** Ed25519 public key, 32 bytes, base64url. */
  public_key?: string
  authority?: string
}

/** Answer of MOAT sign. */
export interface MoatSignOutput {
  /** Content address. */
  treaty_id: string
  state: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
  signatures: Array<{
    /** Tenant id. */
    tenant: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    signed_by: string
    /** RFC 3339 time in UTC. */
    timestamp: string
    /** Ed25519 public key, 32 bytes, base64url. */
    public_key: string
    /** Ed25519 signature, 64 bytes, base64url. */
    signature: string
    method: "own" | "custodial"
  }>
  missing: string[]
  /** RFC 3339 time in UTC. */
  active_from?: string
}

/** Bind your organization to changed terms. */
export interface MoatSignAmendmentInput {
  /** Content address. */
  amendment_id: string
  /** Ed25519 signature, 64 bytes, base64url. */
  signature?: string
  /** RFC 3339 time in UTC. */
  timestamp?: string
  /** Ed25519 public key, 32 bytes, base64url. */
  public_key?: string
  authority?: string
}

/** Answer of MOAT sign_amendment. */
export interface MoatSignAmendmentOutput {
  /** Content address. */
  treaty_id: string
  state: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
  signatures: Array<{
    /** Tenant id. */
    tenant: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    signed_by: string
    /** RFC 3339 time in UTC. */
    timestamp: string
    /** Ed25519 public key, 32 bytes, base64url. */
    public_key: string
    /** Ed25519 signature, 64 bytes, base64url. */
    signature: string
    method: "own" | "custodial"
  }>
  missing: string[]
  /** RFC 3339 time in UTC. */
  active_from?: string
}

/** Leave a treaty, at any time, alone. */
export interface MoatTerminateInput {
  /** Content address. */
  treaty_id: string
  reason: string
}

/** Answer of MOAT terminate. */
export interface MoatTerminateOutput {
  /** Content address. */
  treaty_id: string
  state: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
  /** RFC 3339 time in UTC. */
  terminated_at: string
  open_obligations: string[]
}

/** Open a dispute, or appeal from a ruling. */
export interface MootFileInput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  respondent_did: string
  claim: string
  evidence: string[]
  requested_remedy: {
    kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
    /** US dollars with at most six decimal places, best as a string. */
    amount_usd?: string | number
    target?: string
  }
  /** Content address. */
  treaty_id?: string
  /** A tenant or DID; must be the one that was agreed. */
  venue?: string
  /** UUID in lower case. */
  appeal_of?: string
}

/** Answer of MOOT file. */
export interface MootFileOutput {
  /** UUID in lower case. */
  case_id: string
  state: "FILED" | "PLEADED" | "DEFAULTED" | "HEARD" | "RULED" | "APPEALED" | "REMEDIED" | "CLOSED" | "SETTLED" | "WITHDRAWN" | "DISMISSED"
  /** Tenant id. */
  venue: string
  panel: string[]
  /** RFC 3339 time in UTC. */
  plead_by: string
  evidence_check: Array<{
    ref: string
    found: boolean
    hash_ok: boolean
    signature_ok: boolean
  }>
}

/** Replay what both parties' chains say of the requests in question, verified and side by side. */
export interface MootHearInput {
  /** UUID in lower case. */
  case_id: string
  scope?: {
    /** RFC 3339 time in UTC. */
    from?: string
    /** RFC 3339 time in UTC. */
    to?: string
  }
}

/** Answer of MOOT hear. */
export interface MootHearOutput {
  /** Content address. */
  hearing_id: string
  state: "FILED" | "PLEADED" | "DEFAULTED" | "HEARD" | "RULED" | "APPEALED" | "REMEDIED" | "CLOSED" | "SETTLED" | "WITHDRAWN" | "DISMISSED"
  timeline: Array<{
    /** RFC 3339 time in UTC. */
    at: string
    /** Tenant id. */
    tenant: string
    /** A sha256 in lower hex. */
    record_hash: string
    event_type: string
    protocol?: string
    operation?: string
    outcome: string
    party?: "claimant" | "respondent"
  }>
  chain_verified: Record<string, boolean>
  heads: Record<string, {
    seq: number
    /** A sha256 in lower hex. */
    hash: string
  }>
  findings: Array<{
    fact: string
    supported_by: string[]
    contradicted_by: string[]
  }>
  evidence_check: Array<{
    ref: string
    found: boolean
    hash_ok: boolean
    signature_ok: boolean
  }>
  unproven: string[]
}

/** Answer a case, offer to settle it, withdraw it, or read its papers. */
export interface MootPleadInput {
  /** UUID in lower case. */
  case_id: string
  plea: "deny" | "admit" | "counterclaim" | "settle" | "withdraw" | "view"
  /** Needed with every plea; only view has none. */
  argument?: string
  evidence?: string[]
  counterclaim?: {
    claim: string
    requested_remedy: {
      kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
      /** US dollars with at most six decimal places, best as a string. */
      amount_usd?: string | number
      target?: string
    }
  }
  settlement?: {
    kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
    /** US dollars with at most six decimal places, best as a string. */
    amount_usd?: string | number
  }
}

/** Answer of MOOT plead. */
export interface MootPleadOutput {
  /** UUID in lower case. */
  case_id: string
  state: "FILED" | "PLEADED" | "DEFAULTED" | "HEARD" | "RULED" | "APPEALED" | "REMEDIED" | "CLOSED" | "SETTLED" | "WITHDRAWN" | "DISMISSED"
  pleadings_count: number
  /** RFC 3339 time in UTC. */
  hear_after?: string
  evidence_check?: Array<{
    ref: string
    found: boolean
    hash_ok: boolean
    signature_ok: boolean
  }>
  docket?: {
    /** did:oas:<tenant>:<kind>:<64 hex> */
    claimant_did: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    respondent_did: string
    /** Tenant id. */
    venue: string
    panel: string[]
    claim: string
    requested_remedy: {
      kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
      /** US dollars with six decimal places. */
      amount_usd?: string
      /** Whole millionths of a US dollar. */
      amount_micro_usd?: string
      target?: string
    }
    evidence_check: Array<{
      ref: string
      found: boolean
      hash_ok: boolean
      signature_ok: boolean
    }>
    /** RFC 3339 time in UTC. */
    plead_by: string
    pleadings: Array<{
      side: "claimant" | "respondent"
      /** did:oas:<tenant>:<kind>:<64 hex> */
      by: string
      plea: "deny" | "admit" | "counterclaim" | "settle" | "withdraw"
      argument: string
      evidence: Array<{
        ref: string
        found: boolean
        hash_ok: boolean
        signature_ok: boolean
      }>
      counterclaim?: {
        claim: string
        requested_remedy: {
          kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
          /** US dollars with six decimal places. */
          amount_usd?: string
          /** Whole millionths of a US dollar. */
          amount_micro_usd?: string
          target?: string
        }
      }
      settlement?: {
        kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
        /** US dollars with six decimal places. */
        amount_usd?: string
        /** Whole millionths of a US dollar. */
        amount_micro_usd?: string
        target?: string
      }
      /** RFC 3339 time in UTC. */
      at: string
    }>
    ruling?: {
      /** Content address. */
      ruling_id: string
      finding: "no_jurisdiction" | "for_respondent" | "split" | "for_claimant" | "no_majority" | "by_consent"
      remedy?: {
        kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
        /** US dollars with six decimal places. */
        amount_usd?: string
        /** Whole millionths of a US dollar. */
        amount_micro_usd?: string
        target?: string
      }
      in_favour_of: "claimant" | "respondent"
      majority: Array<{
        /** did:oas:<tenant>:<kind>:<64 hex> */
        did: string
        finding: "no_jurisdiction" | "for_respondent" | "split" | "for_claimant"
        remedy?: {
          kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
          /** US dollars with six decimal places. */
          amount_usd?: string
          /** Whole millionths of a US dollar. */
          amount_micro_usd?: string
          target?: string
        }
        reasoning: string
      }>
      dissent: Array<{
        /** did:oas:<tenant>:<kind>:<64 hex> */
        did: string
        finding: "no_jurisdiction" | "for_respondent" | "split" | "for_claimant"
        remedy?: {
          kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
          /** US dollars with six decimal places. */
          amount_usd?: string
          /** Whole millionths of a US dollar. */
          amount_micro_usd?: string
          target?: string
        }
        reasoning: string
      }>
      registered?: string
      /** RFC 3339 time in UTC. */
      appeal_until?: string
    }
  }
}

/** Decide a case as one of its arbiters, with reasons. */
export interface MootRuleInput {
  /** UUID in lower case. */
  case_id: string
  finding: "no_jurisdiction" | "for_respondent" | "split" | "for_claimant"
  reasoning: string
  remedy?: {
    kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
    /** US dollars with at most six decimal places, best as a string. */
    amount_usd?: string | number
    target?: string
  }
  /** Ed25519 signature, 64 bytes, base64url. */
  signature?: string
  /** Ed25519 public key, 32 bytes, base64url. */
  public_key?: string
}

/** Answer of MOOT rule. */
export interface MootRuleOutput {
  /** UUID in lower case. */
  case_id: string
  state: "FILED" | "PLEADED" | "DEFAULTED" | "HEARD" | "RULED" | "APPEALED" | "REMEDIED" | "CLOSED" | "SETTLED" | "WITHDRAWN" | "DISMISSED"
  votes_in: number
  votes_needed: number
  ruling?: {
    /** Content address. */
    ruling_id: string
    finding: "no_jurisdiction" | "for_respondent" | "split" | "for_claimant" | "no_majority" | "by_consent"
    remedy?: {
      kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
      /** US dollars with six decimal places. */
      amount_usd?: string
      /** Whole millionths of a US dollar. */
      amount_micro_usd?: string
      target?: string
    }
    in_favour_of: "claimant" | "respondent"
    majority: Array<{
      /** did:oas:<tenant>:<kind>:<64 hex> */
      did: string
      finding: "no_jurisdiction" | "for_respondent" | "split" | "for_claimant"
      remedy?: {
        kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
        /** US dollars with six decimal places. */
        amount_usd?: string
        /** Whole millionths of a US dollar. */
        amount_micro_usd?: string
        target?: string
      }
      reasoning: string
    }>
    dissent: Array<{
      /** did:oas:<tenant>:<kind>:<64 hex> */
      did: string
      finding: "no_jurisdiction" | "for_respondent" | "split" | "for_claimant"
      remedy?: {
        kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
        /** US dollars with six decimal places. */
        amount_usd?: string
        /** Whole millionths of a US dollar. */
        amount_micro_usd?: string
        target?: string
      }
      reasoning: string
    }>
    registered?: string
    /** RFC 3339 time in UTC. */
    appeal_until?: string
  }
}

/** Record measurements, logs or spans of the calling tenant. */
export interface MotetEmitInput {
  signals: Array<{
    name: string
    kind: "counter" | "gauge" | "histogram"
    value: number
    unit?: string
    labels?: Record<string, string>
    /** RFC 3339 time in UTC. */
    at?: string
  } | {
    severity: "debug" | "info" | "warn" | "error"
    body: string
    attributes?: Record<string, string>
    /** RFC 3339 time in UTC. */
    at?: string
  } | {
    trace_id: string
    span_id: string
    parent?: string
    name: string
    /** RFC 3339 time in UTC. */
    start: string
    /** RFC 3339 time in UTC. */
    end: string
    status: "unset" | "ok" | "error"
  } | {
    severityText: "DEBUG" | "INFO" | "WARN" | "ERROR"
    body: {
      stringValue: string
    }
    /** Nanoseconds since the epoch, as OTLP writes them. */
    timeUnixNano?: string
  } | {
    traceId: string
    spanId: string
    parentSpanId?: string
    name: string
    /** Nanoseconds since the epoch, as OTLP writes them. */
    startTimeUnixNano: string
    /** Nanoseconds since the epoch, as OTLP writes them. */
    endTimeUnixNano: string
    status?: {
      code?: number
      message?: string
    }
  }>
}

/** Answer of MOTET emit. */
export interface MotetEmitOutput {
  accepted: number
  rejected: Array<{
    index: number
    reason: string
  }>
  series_created: number
}

/** Fetch the identity document of a DID, its proof checked here. */
export interface OasResolveInput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  did: string
  /** How much older than its minute a document may be while the node is away. */
  accept_stale_seconds?: number
}

/** Answer of OAS resolve. */
export interface OasResolveOutput {
  outcome: "Resolved" | "Partial" | "Failed"
  document?: {
    /** did:oas:<tenant>:<kind>:<64 hex> */
    id: string
    entity_kind: string
    name?: string
    /** Ed25519 public key, 32 bytes, base64url. */
    public_key: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    creator_did?: string
    lineage: Array<{
      /** did:oas:<tenant>:<kind>:<64 hex> */
      child_did: string
      /** Ed25519 public key, 32 bytes, base64url. */
      child_public_key: string
      /** did:oas:<tenant>:<kind>:<64 hex> */
      parent_did: string
      /** Ed25519 public key, 32 bytes, base64url. */
      parent_public_key: string
      entity_kind: string
      /** Names a child among its siblings. */
      label: string
      index: number
      /** RFC 3339 time in UTC. */
      created_at: string
      /** RFC 3339 time in UTC. */
      expires_at?: string
      /** Ed25519 signature, 64 bytes, base64url. */
      signature: string
    }>
    capabilities: Array<{
      name: string
      /** RFC 3339 time in UTC. */
      expires_at?: string
      limits?: {
        /** Basis points of the tenant budget per call. */
        max_per_call_bps?: number
        /** Calls per hour. */
        max_per_hour?: number
        /** Hard token ceiling per call. */
        max_tokens?: number
      }
      caveats: string[]
    }>
    service_endpoints: Array<{
      kind: string
      url: string
      protocols: string[]
    }>
    revoked: boolean
    extended: Record<string, unknown>
    version: number
    /** RFC 3339 time in UTC. */
    updated_at: string
    /** Ed25519 signature, 64 bytes, base64url. */
    proof: string
  }
  /** Content address. */
  document_hash?: string
  identity: {
    /** did:oas:<tenant>:<kind>:<64 hex> */
    did: string
    entity_kind: string
    name?: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    human_root_did?: string
    lineage_depth: number
    lineage_verified: boolean
    /** did:oas:<tenant>:<kind>:<64 hex> */
    creator_did?: string
    conformance_level: "L0" | "L1" | "L2"
    capabilities: Array<{
      name: string
      /** RFC 3339 time in UTC. */
      expires_at?: string
      limits?: {
        /** Basis points of the tenant budget per call. */
        max_per_call_bps?: number
        /** Calls per hour. */
        max_per_hour?: number
        /** Hard token ceiling per call. */
        max_tokens?: number
      }
      caveats: string[]
    }>
    service_endpoints: Array<{
      kind: string
      url: string
      protocols: string[]
    }>
    revoked: boolean
    auth_method: string
    extended: Record<string, unknown>
  }
  warnings: string[]
}

/** Ask whether a DID is anchored in a human or an organization. */
export interface OasVerifyLineageInput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  did: string
  lineage?: Array<{
    /** did:oas:<tenant>:<kind>:<64 hex> */
    child_did: string
    /** Ed25519 public key, 32 bytes, base64url. */
    child_public_key: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    parent_did: string
    /** Ed25519 public key, 32 bytes, base64url. */
    parent_public_key: string
    entity_kind: string
    /** Names a child among its siblings. */
    label: string
    index: number
    /** RFC 3339 time in UTC. */
    created_at: string
    /** RFC 3339 time in UTC. */
    expires_at?: string
    /** Ed25519 signature, 64 bytes, base64url. */
    signature: string
  }>
}

/** Answer of OAS verify_lineage. */
export interface OasVerifyLineageOutput {
  verified: boolean
  depth: number
  /** did:oas:<tenant>:<kind>:<64 hex> */
  root_did?: string
  root_kind?: string
  chain: string[]
  broken_at?: number
  reason?: string
  /** Whether the node came to the same answer; ours counts. */
  agrees: boolean
}

/** Every operation: `Catalogue['MAX']['audit_query']['input']`. */
export interface Catalogue {
  Aegis: {
    challenge: { input: AegisChallengeInput; output: AegisChallengeOutput }
    delegate: { input: AegisDelegateInput; output: AegisDelegateOutput }
    policy: { input: AegisPolicyInput; output: AegisPolicyOutput }
  }
  Arsenal: {
    fetch: { input: ArsenalFetchInput; output: ArsenalFetchOutput }
    list: { input: ArsenalListInput; output: ArsenalListOutput }
  }
  MACE: {
    convene: { input: MaceConveneInput; output: MaceConveneOutput }
    deliberate: { input: MaceDeliberateInput; output: MaceDeliberateOutput }
    tally: { input: MaceTallyInput; output: MaceTallyOutput }
  }
  MACS: {
    auth_negotiation: { input: MacsAuthNegotiationInput; output: MacsAuthNegotiationOutput }
    authorization_request: { input: MacsAuthorizationRequestInput; output: MacsAuthorizationRequestOutput }
    derive: { input: MacsDeriveInput; output: MacsDeriveOutput }
    generate_challenge: { input: MacsGenerateChallengeInput; output: MacsGenerateChallengeOutput }
    verify_response: { input: MacsVerifyResponseInput; output: MacsVerifyResponseOutput }
  }
  MADE: {
    asset_definition_publish: { input: MadeAssetDefinitionPublishInput; output: MadeAssetDefinitionPublishOutput }
    economic_contract_create: { input: MadeEconomicContractCreateInput; output: MadeEconomicContractCreateOutput }
    economic_contract_settle: { input: MadeEconomicContractSettleInput; output: MadeEconomicContractSettleOutput }
  }
  MAGI: {
    trace: { input: MagiTraceInput; output: MagiTraceOutput }
  }
  MAME: {
    edit: { input: MameEditInput; output: MameEditOutput }
    redact: { input: MameRedactInput; output: MameRedactOutput }
  }
  MANA: {
    agent_profile: { input: ManaAgentProfileInput; output: ManaAgentProfileOutput }
    allocate: { input: ManaAllocateInput; output: ManaAllocateOutput }
    bid_submission: { input: ManaBidSubmissionInput; output: ManaBidSubmissionOutput }
    budget: { input: ManaBudgetInput; output: ManaBudgetOutput }
    hold: { input: ManaHoldInput; output: ManaHoldOutput }
    throttle: { input: ManaThrottleInput; output: ManaThrottleOutput }
  }
  MANTIC: {
    calibrate: { input: ManticCalibrateInput; output: ManticCalibrateOutput }
  }
  MANTLE: {
    consolidate: { input: MantleConsolidateInput; output: MantleConsolidateOutput }
  }
  MARC: {
    causal_analysis: { input: MarcCausalAnalysisInput; output: MarcCausalAnalysisOutput }
    publish_model: { input: MarcPublishModelInput; output: MarcPublishModelOutput }
    reasoning_task: { input: MarcReasoningTaskInput; output: MarcReasoningTaskOutput }
  }
  MARE: {
    score: { input: MareScoreInput; output: MareScoreOutput }
  }
  MARI: {
    inquire: { input: MariInquireInput; output: MariInquireOutput }
    synthesize: { input: MariSynthesizeInput; output: MariSynthesizeOutput }
  }
  MARKET: {
    create_order: { input: MarketCreateOrderInput; output: MarketCreateOrderOutput }
    execute_trade: { input: MarketExecuteTradeInput; output: MarketExecuteTradeOutput }
    query_orderbook: { input: MarketQueryOrderbookInput; output: MarketQueryOrderbookOutput }
  }
  MARS: {
    discovery: { input: MarsDiscoveryInput; output: MarsDiscoveryOutput }
    query_registry: { input: MarsQueryRegistryInput; output: MarsQueryRegistryOutput }
    register_agent: { input: MarsRegisterAgentInput; output: MarsRegisterAgentOutput }
  }
  MATA: {
    pool: { input: MataPoolInput; output: MataPoolOutput }
    weight: { input: MataWeightInput; output: MataWeightOutput }
  }
  MAUSOLEUM: {
    initiate: { input: MausoleumInitiateInput; output: MausoleumInitiateOutput }
    seal: { input: MausoleumSealInput; output: MausoleumSealOutput }
  }
  MAVEN: {
    attest: { input: MavenAttestInput; output: MavenAttestOutput }
    cite: { input: MavenCiteInput; output: MavenCiteOutput }
    contradict: { input: MavenContradictInput; output: MavenContradictOutput }
  }
  MAX: {
    audit_log_entry: { input: MaxAuditLogEntryInput; output: MaxAuditLogEntryOutput }
    audit_query: { input: MaxAuditQueryInput; output: MaxAuditQueryOutput }
    compliance_report: { input: MaxComplianceReportInput; output: MaxComplianceReportOutput }
    explainability_request: { input: MaxExplainabilityRequestInput; output: MaxExplainabilityRequestOutput }
    traceability_graph: { input: MaxTraceabilityGraphInput; output: MaxTraceabilityGraphOutput }
  }
  MAXIM: {
    author: { input: MaximAuthorInput; output: MaximAuthorOutput }
    constitutional_interpretation: { input: MaximConstitutionalInterpretationInput; output: MaximConstitutionalInterpretationOutput }
    deliberate_dilemma: { input: MaximDeliberateDilemmaInput; output: MaximDeliberateDilemmaOutput }
  }
  MEAL: {
    admin: { input: MealAdminInput; output: MealAdminOutput }
    admin_set_rate: { input: MealAdminSetRateInput; output: MealAdminSetRateOutput }
    meter: { input: MealMeterInput; output: MealMeterOutput }
    reconcile: { input: MealReconcileInput; output: MealReconcileOutput }
    statement: { input: MealStatementInput; output: MealStatementOutput }
  }
  MERIT: {
    evaluate_ethics: { input: MeritEvaluateEthicsInput; output: MeritEvaluateEthicsOutput }
    revoke: { input: MeritRevokeInput; output: MeritRevokeOutput }
  }
  MIMESIS: {
    formalize: { input: MimesisFormalizeInput; output: MimesisFormalizeOutput }
    surface: { input: MimesisSurfaceInput; output: MimesisSurfaceOutput }
  }
  MIND: {
    associate_memories: { input: MindAssociateMemoriesInput; output: MindAssociateMemoriesOutput }
    fusion_request: { input: MindFusionRequestInput; output: MindFusionRequestOutput }
    query_knowledge: { input: MindQueryKnowledgeInput; output: MindQueryKnowledgeOutput }
    recall_memory: { input: MindRecallMemoryInput; output: MindRecallMemoryOutput }
    store_memory: { input: MindStoreMemoryInput; output: MindStoreMemoryOutput }
  }
  MOAT: {
    compliance_query: { input: MoatComplianceQueryInput; output: MoatComplianceQueryOutput }
    enforce: { input: MoatEnforceInput; output: MoatEnforceOutput }
    propose: { input: MoatProposeInput; output: MoatProposeOutput }
    propose_amendment: { input: MoatProposeAmendmentInput; output: MoatProposeAmendmentOutput }
    sign: { input: MoatSignInput; output: MoatSignOutput }
    sign_amendment: { input: MoatSignAmendmentInput; output: MoatSignAmendmentOutput }
    terminate: { input: MoatTerminateInput; output: MoatTerminateOutput }
  }
  MOOT: {
    file: { input: MootFileInput; output: MootFileOutput }
    hear: { input: MootHearInput; output: MootHearOutput }
    plead: { input: MootPleadInput; output: MootPleadOutput }
    rule: { input: MootRuleInput; output: MootRuleOutput }
  }
  MOTET: {
    emit: { input: MotetEmitInput; output: MotetEmitOutput }
  }
  OAS: {
    resolve: { input: OasResolveInput; output: OasResolveOutput }
    verify_lineage: { input: OasVerifyLineageInput; output: OasVerifyLineageOutput }
  }
}
