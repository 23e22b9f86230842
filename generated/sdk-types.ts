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

/** Delegate part of your authority to another identity of your tenant, until a time. */
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
  /** Where to check whether this token is revoked. */
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
  /** Part of one agent’s authority, delegated to another until a given time. Never more than the delegator holds. */
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
    /** How many times this may be delegated further; 0 means never. */
    max_redelegation_depth: number
    /** RFC 3339 time in UTC. */
    expires_at: string
    /** Where to check whether this token is revoked. */
    revocation_url?: string
    /** Ed25519 signature, 64 bytes, base64url. */
    signature: string
  }
  /** Content address. */
  token_id: string
  remaining_depth: number
  /** Bounds of the source were added to the request. */
  attenuated: boolean
}

/** See, set, test or withdraw your delegations. */
export interface AegisPolicyInput {
  action: "get" | "set" | "evaluate" | "revoke"
  /** Rules for delegations in my name; an absent field restricts nothing. */
  rules?: {
    /** How many times a delegated capability may be delegated further. */
    max_depth?: number
    /** How long a delegation may last. */
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
  /** Rules for delegations in my name; an absent field restricts nothing. */
  rules?: {
    /** How many times a delegated capability may be delegated further. */
    max_depth?: number
    /** How long a delegation may last. */
    max_ttl_seconds?: number
    never?: string[]
    require_challenge?: string[]
    allow_kinds?: string[]
  }
  /** 0 if no rules were ever set. */
  version?: number
  /** RFC 3339 time in UTC. */
  in_force_from?: string
  delegations?: Array<{
    /** Content address. */
    token_id: string
    /** Part of one agent’s authority, delegated to another until a given time. Never more than the delegator holds. */
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
      /** How many times this may be delegated further; 0 means never. */
      max_redelegation_depth: number
      /** RFC 3339 time in UTC. */
      expires_at: string
      /** Where to check whether this token is revoked. */
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

/** Get one definition; its digest and publisher are verified. */
export interface ArsenalFetchInput {
  /** acme/summarize as published, svc/<protocol>.<operation> of this engine, mcp/<server>/<tool> as approved in MAT. */
  id: string
  /** A full version, or a major such as v1 for its newest release. */
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
  /** acme/summarize as published, svc/<protocol>.<operation> of this engine, mcp/<server>/<tool> as approved in MAT. */
  id: string
  version: string
  /** did:oas:<tenant>:<kind>:<64 hex> */
  publisher_did: string
  /** Signed by its publisher; an operation of this engine; or approved in MAT by your organization. */
  source: "published" | "built_in" | "approved"
  /** False for tools of this engine, which come from nowhere else and are not signed. */
  signature_valid: boolean
  trusted_publisher: boolean
  /** The version before it. */
  previous?: {
    version: string
    /** Content address. */
    digest: string
  }
}

/** Browse tools, skills, workflows, models and datasets. */
export interface ArsenalListInput {
  kind?: "tool" | "skill" | "workflow" | "model" | "dataset"
  /** Search terms; supports "a phrase", or, and -not. */
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
    /** acme/summarize as published, svc/<protocol>.<operation> of this engine, mcp/<server>/<tool> as approved in MAT. */
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
    /** Signed by its publisher; an operation of this engine; or approved in MAT by your organization. */
    source: "published" | "built_in" | "approved"
  }>
  next_cursor?: string
  /** Number of entries on this page without a valid signature. */
  rejected: number
}

/** Convene a council on a motion. */
export interface MaceConveneInput {
  motion: string | {
    title: string
    text: string
    /** Binds the whole organization; always true if binds or effects do. */
    charter_level?: boolean
    binds?: Array<{
      protocol: string
      operation: string
      /** What the operation may be applied to: a hash, or a name defined by the operation. */
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
  /** simple and majority: more than half attend, more than half agree. n/d sets only the threshold. */
  quorum: "simple" | "majority" | "supermajority" | "unanimous" | string | {
    /** n/d: at least this share, such as 2/3. */
    attendance: string
    /** n/d: at least this share, such as 2/3. */
    threshold: string
  }
  /** Time until the deadline. */
  deadline_ms: number
  composition_rules: {
    min_delegates?: number
    must_include_did?: string | string[]
    /** The seats. Default, and fixed for charter-level motions: all charter members. */
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
    /** What the operation may be applied to: a hash, or a name defined by the operation. */
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
    /** Share of the votes for and against. */
    of_votes: string
    /** Share of all seats; charter-level motions only. */
    of_seats?: string
  }
  opens_when: string
  /** RFC 3339 time in UTC. */
  deadline_at: string
}

/** Take a seat, argue or vote; the last position before the deadline counts. */
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

/** List the motions of your organization, or read one in full with its votes and dissent. */
export interface MaceListInput {
  /** UUID in lower case. */
  motion_id?: string
  state?: "CONVENED" | "OPEN" | "TALLIED" | "LAPSED" | "WITHDRAWN"
  charter_level?: boolean
  /** Only with motion_id. */
  include_detail?: boolean
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MACE list. */
export interface MaceListOutput {
  items: Array<{
    /** UUID in lower case. */
    motion_id: string
    /** UUID in lower case. */
    council_id: string
    /** Content address. */
    motion_hash: string
    state: "CONVENED" | "OPEN" | "TALLIED" | "LAPSED" | "WITHDRAWN"
    title: string
    charter_level: boolean
    binds: Array<{
      protocol: string
      operation: string
      /** What the operation may be applied to: a hash, or a name defined by the operation. */
      subject: string
    }>
    /** did:oas:<tenant>:<kind>:<64 hex> */
    convened_by: string
    /** RFC 3339 time in UTC. */
    convened_at: string
    /** RFC 3339 time in UTC. */
    deadline_at: string
    seats: number
    attendance: {
      present: number
      needed: number
    }
    threshold: {
      /** Share of the votes for and against. */
      of_votes: string
      /** Share of all seats; charter-level motions only. */
      of_seats?: string
    }
    verdict?: {
      ref: string
      outcome: "PASSED" | "FAILED" | "NO_QUORUM"
      counts: {
        for: number
        against: number
        abstain: number
        recused: number
        absent: number
      }
      /** Number of outvoted seats. */
      dissent: number
      /** RFC 3339 time in UTC. */
      tallied_at: string
      /** RFC 3339 time in UTC. */
      valid_until: string
      uses: number
      max_uses: number
    }
    detail?: {
      motion: {
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
          /** What the operation may be applied to: a hash, or a name defined by the operation. */
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
          /** Share of the votes for and against. */
          of_votes: string
          /** Share of all seats; charter-level motions only. */
          of_seats?: string
        }
        opens_when: string
        /** RFC 3339 time in UTC. */
        deadline_at: string
      }
      quorum: {
        /** Share of the seats that are not recused. */
        attendance: string
        /** Share of the votes for and against. */
        threshold: string
        min_delegates: number
      }
      verdict?: {
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
            /** What the operation may be applied to: a hash, or a name defined by the operation. */
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
            /** Share of the votes for and against. */
            of_votes: string
            /** Share of all seats; charter-level motions only. */
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
          /** Share of the votes for and against. */
          of_votes: string
          /** Share of all seats; charter-level motions only. */
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
          /** What the operation may be applied to: a hash, or a name defined by the operation. */
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
      /** The last position of each seat, once the motion is tallied. */
      positions?: Array<{
        /** did:oas:<tenant>:<kind>:<64 hex> */
        did: string
        position: "for" | "against" | "abstain" | "recuse" | "present"
        /** UUID in lower case. */
        position_id: string
        signed: "own" | "custodial" | "no"
      }>
    }
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Tally a motion and declare its verdict with the dissent, or view or withdraw the motion. */
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
      /** What the operation may be applied to: a hash, or a name defined by the operation. */
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
      /** Share of the votes for and against. */
      of_votes: string
      /** Share of all seats; charter-level motions only. */
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
    /** Share of the votes for and against. */
    of_votes: string
    /** Share of all seats; charter-level motions only. */
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
    /** What the operation may be applied to: a hash, or a name defined by the operation. */
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

/** Let tokens of another platform act as you or a descendant, without a stored secret. */
export interface MacsAddWorkloadInput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did: string
  /** As in the iss of its tokens; its public keys are read there. */
  issuer: string
  audience: string
  /** Accepted texts of each claim; all claims must fit. A name that begins with / leads into objects. */
  claims: Record<string, string[]>
}

/** Answer of MACS add_workload. */
export interface MacsAddWorkloadOutput {
  workload_id: string
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did: string
  /** As in the iss of its tokens; its public keys are read there. */
  issuer: string
  audience: string
  /** Accepted texts of each claim; all claims must fit. A name that begins with / leads into objects. */
  claims: Record<string, string[]>
}

/** Agree on how this agent will prove its identity. */
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
    source: "declared" | "key" | "delegation" | "treaty" | "envelope" | "role"
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

/** Make an API key for yourself or a descendant, that may never do more than its agent. */
export interface MacsCreateKeyInput {
  /** Default: yourself. Or a descendant of yours. */
  agent_did?: string
  label: string
  /** What it may be used for; default: all that its agent holds now. */
  capabilities?: string[]
  /** At most 366 days ahead; default 90. */
  expires_at?: string
  /** Where it may be used from; default: anywhere. */
  networks?: string[]
  /** What all calls with it may cost in an ISO week, UTC; default: what its agent may spend. */
  weekly_budget_usd?: string
}

/** Answer of MACS create_key. */
export interface MacsCreateKeyOutput {
  key_id: string
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did: string
  label?: string
  capabilities?: string[]
  networks: string[]
  /** US dollars with six decimal places. */
  weekly_budget_usd?: string
  /** RFC 3339 time in UTC. */
  expires_at?: string
  /** Shown once: only its hash is stored. */
  api_key: string
}

/** Create a child identity under the caller, with at most the capabilities of the caller. */
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
    parent_key_events?: Array<{
      kind: "inception" | "rotation" | "recovery"
      /** Ed25519 public key, 32 bytes, base64url. */
      public_key: string
      /** The sha256 of the next public key’s 32 bytes. */
      next_key_hash: string
      /** Who can give this identity a new key, and how many of them it takes. */
      recovery?: {
        dids: string[]
        threshold: number
      }
      /** RFC 3339 time in UTC. */
      at: string
      /** The hash of the event before; the DID where there is none. */
      previous: string
      signatures: Array<{
        /** did:oas:<tenant>:<kind>:<64 hex> */
        did: string
        /** Ed25519 public key, 32 bytes, base64url. */
        public_key: string
        /** Ed25519 signature, 64 bytes, base64url. */
        signature: string
        key_events?: Array<Record<string, unknown>>
      }>
    }>
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
      parent_key_events?: Array<{
        kind: "inception" | "rotation" | "recovery"
        /** Ed25519 public key, 32 bytes, base64url. */
        public_key: string
        /** The sha256 of the next public key’s 32 bytes. */
        next_key_hash: string
        /** Who can give this identity a new key, and how many of them it takes. */
        recovery?: {
          dids: string[]
          threshold: number
        }
        /** RFC 3339 time in UTC. */
        at: string
        /** The hash of the event before; the DID where there is none. */
        previous: string
        signatures: Array<{
          /** did:oas:<tenant>:<kind>:<64 hex> */
          did: string
          /** Ed25519 public key, 32 bytes, base64url. */
          public_key: string
          /** Ed25519 signature, 64 bytes, base64url. */
          signature: string
          key_events?: Array<Record<string, unknown>>
        }>
      }>
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
    key_events?: Array<{
      kind: "inception" | "rotation" | "recovery"
      /** Ed25519 public key, 32 bytes, base64url. */
      public_key: string
      /** The sha256 of the next public key’s 32 bytes. */
      next_key_hash: string
      /** Who can give this identity a new key, and how many of them it takes. */
      recovery?: {
        dids: string[]
        threshold: number
      }
      /** RFC 3339 time in UTC. */
      at: string
      /** The hash of the event before; the DID where there is none. */
      previous: string
      signatures: Array<{
        /** did:oas:<tenant>:<kind>:<64 hex> */
        did: string
        /** Ed25519 public key, 32 bytes, base64url. */
        public_key: string
        /** Ed25519 signature, 64 bytes, base64url. */
        signature: string
        key_events?: Array<Record<string, unknown>>
      }>
    }>
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

/** Explain why an identity may call an operation or not: every path of authority, and the one used. */
export interface MacsExplainAccessInput {
  /** Default: the caller. */
  agent_did?: string
  /** Of an operation, such as svc.mind.recall; or name both below. */
  capability?: string
  protocol?: string
  operation?: string
  /** Where it would be called; default: your own organization. */
  target_tenant?: string
  /** By which expiry, caveats and treaties are judged; grants are those of now. */
  at?: string
}

/** Answer of MACS explain_access. */
export interface MacsExplainAccessOutput {
  agent: {
    /** did:oas:<tenant>:<kind>:<64 hex> */
    did: string
    name?: string
  }
  capability: string
  /** Tenant id. */
  target_tenant: string
  /** RFC 3339 time in UTC. */
  at: string
  /** By stage 4, for a call without input; limits and budgets come later. */
  allowed: boolean
  refusal?: {
    code: string
    reason?: string
    sentence: string
  }
  /** Of the key you ask with, about yourself: a call must also fit into what is left of it. */
  key_budget?: {
    /** US dollars with six decimal places. */
    weekly_budget_usd: string
    /** US dollars with six decimal places. */
    spent_this_week_usd: string
  }
  /** In the order in which they are tried; those that no longer count are last. */
  paths: Array<{
    source: "open" | "declared" | "key" | "delegation" | "treaty" | "envelope" | "role"
    capability: string
    /** The delegation token, treaty, envelope or name of the role. */
    source_ref?: string
    /** Of an envelope. */
    department?: string
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
    usable: boolean
    /** A call would use this one. */
    used: boolean
    blocked?: {
      by: "expired" | "revoked" | "over_depth" | "source_lost" | "caveat" | "input" | "treaty" | "level" | "policy"
      sentence: string
      caveat?: string
    }
    chain?: Array<{
      /** Content address. */
      token_id: string
      from: {
        /** did:oas:<tenant>:<kind>:<64 hex> */
        did: string
        name?: string
      }
      to: {
        /** did:oas:<tenant>:<kind>:<64 hex> */
        did: string
        name?: string
      }
      state: "ACTIVE" | "EXPIRED" | "REVOKED" | "PARENT_REVOKED"
      /** RFC 3339 time in UTC. */
      expires_at: string
    }>
  }>
}

/** Get the nonce to sign. */
export interface MacsGenerateChallengeInput {
  /** UUID in lower case. */
  session_id: string
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did?: string
  /** Audience of the proof; default: this engine. */
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

/** Invite a person by a link that is good once and expires. */
export interface MacsInviteInput {
  name: string
  roles: string[]
  /** How long it is good; default 7. */
  days?: number
}

/** Answer of MACS invite. */
export interface MacsInviteOutput {
  /** UUID in lower case. */
  invitation_id: string
  /** Good once, for whoever opens it. Shown once: only a hash is stored. */
  link: string
  /** RFC 3339 time in UTC. */
  expires_at: string
}

/** List the identities of your organization with parent, level, state and means of access. */
export interface MacsListInput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  did?: string
  entity_kind?: "HumanRoot" | "MultiHumanRoot" | "EntityNameRecord" | "Agent" | "AgentInstance" | "Tool" | "Skill" | "Workflow" | "Model" | "Dataset" | "Service"
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MACS list. */
export interface MacsListOutput {
  items: Array<{
    /** did:oas:<tenant>:<kind>:<64 hex> */
    did: string
    entity_kind: string
    name?: string
    /** unresolved: its document is not available now. */
    state: "active" | "unresolved" | "suspended" | "revoked"
    conformance_level: "L0" | "L1" | "L2"
    lineage_verified: boolean
    lineage_depth: number
    /** did:oas:<tenant>:<kind>:<64 hex> */
    parent_did?: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    human_root_did?: string
    /** RFC 3339 time in UTC. */
    derived_at?: string
    in_charter: boolean
    /** Number of capabilities it holds now; authorization_request lists them. */
    capabilities: number
    revoked?: {
      /** RFC 3339 time in UTC. */
      at: string
      reason: string
      by: string
    }
    /** Visible to the identity itself and to charter members. */
    credentials?: {
      keys_live: number
      keys_ended: number
      sessions_live: number
      /** RFC 3339 time in UTC. */
      last_used_at?: string
      /** The engine holds its private key. */
      in_custody: boolean
    }
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** List the API keys and sessions of yourself or a descendant. */
export interface MacsListKeysInput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did?: string
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MACS list_keys. */
export interface MacsListKeysOutput {
  items: Array<{
    key_id: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    agent_did: string
    label?: string
    capabilities?: string[]
    networks: string[]
    /** US dollars with six decimal places. */
    weekly_budget_usd?: string
    /** RFC 3339 time in UTC. */
    expires_at?: string
    /** Of its weekly budget. */
    spent_this_week_usd?: string
    kind: "key" | "session"
    state: "live" | "expired" | "revoked"
    /** did:oas:<tenant>:<kind>:<64 hex> */
    made_by?: string
    /** RFC 3339 time in UTC. */
    created_at: string
    /** RFC 3339 time in UTC. */
    revoked_at?: string
    /** RFC 3339 time in UTC. */
    last_used_at?: string
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** List which tokens of other platforms act as which agents of your organization. */
export interface MacsListWorkloadsInput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did?: string
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MACS list_workloads. */
export interface MacsListWorkloadsOutput {
  items: Array<{
    workload_id: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    agent_did: string
    issuer: string
    audience: string
    /** Accepted texts of each claim; all claims must fit. A name that begins with / leads into objects. */
    claims: Record<string, string[]>
    /** The operator stored the keys of its issuer. */
    has_stored_keys: boolean
    /** RFC 3339 time in UTC. */
    created_at: string
    /** RFC 3339 time in UTC. */
    last_used_at?: string
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** List the people who can sign in, their roles, and open invitations. */
export interface MacsPeopleInput {
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MACS people. */
export interface MacsPeopleOutput {
  items: Array<{
    login: string
    name?: string
    roles: string[]
    /** Of these, those that single sign-on gives. */
    claimed_roles: string[]
    state: "active" | "disabled"
    signs_in_by: Array<"password" | "single sign-on">
    /** did:oas:<tenant>:<kind>:<64 hex> */
    agent_did: string
    /** RFC 3339 time in UTC. */
    created_at: string
  }>
  /** Those still open; on the first page only. */
  invitations: Array<{
    /** UUID in lower case. */
    invitation_id: string
    name: string
    roles: string[]
    /** RFC 3339 time in UTC. */
    made_at: string
    /** RFC 3339 time in UTC. */
    expires_at: string
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Give an identity a new key, as its parent or one of those it has named for that. */
export interface MacsRecoverKeyInput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did: string
  /** The new key. Where the engine keeps the keys, only to name an open recovery. */
  public_key?: string
  /** With the first call: commits to the key after the new one. */
  next_key_hash?: string
  /** Who can give this identity a new key, and how many of them it takes. */
  recovery?: {
    dids: string[]
    threshold: number
  }
  /** Of signing_input, by the new key. */
  signature?: string
  /** Of document_signing_input, by the new key. */
  document_proof?: string
  /** Of signing_input, by you; not needed where the engine keeps your key. */
  own_signature?: string
  /** Ed25519 public key, 32 bytes, base64url. */
  own_public_key?: string
}

/** Answer of MACS recover_key. */
export interface MacsRecoverKeyOutput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did: string
  state: "pending" | "recovered"
  /** Ed25519 public key, 32 bytes, base64url. */
  public_key: string
  /** A sha256 in lower hex. */
  next_key_hash: string
  /** Who can give this identity a new key, and how many of them it takes. */
  recovery?: {
    dids: string[]
    threshold: number
  }
  signing_input: string
  document_signing_input: string
  signed_by: string[]
  missing: Array<"recoverers" | "new key" | "document">
  threshold: number
  document_version: number
  /** Content address. */
  document_hash?: string
  sessions_ended: number
  keys_ended: number
  workloads_removed: number
}

/** Stop a workload from acting as an agent, and end its sessions and what they began. */
export interface MacsRemoveWorkloadInput {
  workload_id: string
  reason?: string
}

/** Answer of MACS remove_workload. */
export interface MacsRemoveWorkloadOutput {
  workload_id: string
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did: string
  /** RFC 3339 time in UTC. */
  removed_at: string
}

/** Revoke an API key or end a session, of yourself, a descendant, or one that you made. */
export interface MacsRevokeKeyInput {
  key_id: string
  reason?: string
}

/** Answer of MACS revoke_key. */
export interface MacsRevokeKeyOutput {
  key_id: string
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did: string
  /** RFC 3339 time in UTC. */
  revoked_at: string
}

/** List the roles of your organization and what each allows. */
export type MacsRolesInput = Record<string, never>

/** Answer of MACS roles. */
export interface MacsRolesOutput {
  roles: Array<{
    role: string
    built_in: boolean
    capabilities: string[]
    added: string[]
    removed: string[]
  }>
}

/** Change to the key that was committed to, and commit to the one after. */
export interface MacsRotateKeyInput {
  /** Default: yourself. Or a descendant whose key the engine keeps. */
  agent_did?: string
  /** The key that was committed to. Without it, the first commitment is made. */
  public_key?: string
  /** Commits to the key after: the sha256 of its 32 bytes. */
  next_key_hash?: string
  /** Who can give this identity a new key, and how many of them it takes. */
  recovery?: {
    dids: string[]
    threshold: number
  }
  /** As answered with the texts to sign. */
  at?: string
  /** Of signing_input, by the new key. */
  signature?: string
  /** Of document_signing_input, by the new key. */
  document_proof?: string
}

/** Answer of MACS rotate_key. */
export interface MacsRotateKeyOutput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did: string
  state: "unsigned" | "committed" | "rotated"
  /** Ed25519 public key, 32 bytes, base64url. */
  public_key: string
  /** A sha256 in lower hex. */
  next_key_hash: string
  /** Who can give this identity a new key, and how many of them it takes. */
  recovery?: {
    dids: string[]
    threshold: number
  }
  /** RFC 3339 time in UTC. */
  at: string
  signing_input?: string
  document_signing_input?: string
  document_version: number
  /** Content address. */
  document_hash?: string
  sessions_ended: number
}

/** Give roles to a person, end them, or end the account. */
export interface MacsSetPersonInput {
  login: string
  give?: string[]
  end?: string[]
  /** Ends sessions, tokens and the keys this person made. */
  disable?: true
}

/** Answer of MACS set_person. */
export interface MacsSetPersonOutput {
  login: string
  roles: string[]
  state: "active" | "disabled"
}

/** Change what a role allows, make a role of your own, or reset one. */
export interface MacsSetRoleInput {
  role: string
  add?: string[]
  remove?: string[]
  /** A built-in role allows again what it did at first; one of your own ends for everybody. */
  reset?: true
}

/** Answer of MACS set_role. */
export interface MacsSetRoleOutput {
  role: string
  capabilities: string[]
}

/** Suspend, resume or revoke an identity with all its descendants. */
export interface MacsSetStateInput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did: string
  state: "active" | "suspended" | "revoked"
  reason: string
}

/** Answer of MACS set_state. */
export interface MacsSetStateOutput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did: string
  state: "active" | "suspended" | "revoked"
  /** False where it was so before. */
  changed: boolean
  /** How many changed: it, and its descendants. */
  identities: number
  keys_revoked: number
  /** RFC 3339 time in UTC. */
  at: string
}

/** Change name, capabilities or endpoints in the document of yourself or a descendant. */
export interface MacsUpdateIdentityInput {
  /** Default: yourself. Or a descendant of yours. */
  agent_did?: string
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
  /** As answered with the text to sign. */
  at?: string
  /** Of document_signing_input, unless the engine keeps its key. */
  document_proof?: string
}

/** Answer of MACS update_identity. */
export interface MacsUpdateIdentityOutput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  agent_did: string
  state: "unsigned" | "updated"
  document_version: number
  /** Content address. */
  document_hash?: string
  document_signing_input?: string
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
  /** RFC 3339 time in UTC. */
  at: string
}

/** Prove that an agent holds its key, and verify its lineage. */
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
    parent_key_events?: Array<{
      kind: "inception" | "rotation" | "recovery"
      /** Ed25519 public key, 32 bytes, base64url. */
      public_key: string
      /** The sha256 of the next public key’s 32 bytes. */
      next_key_hash: string
      /** Who can give this identity a new key, and how many of them it takes. */
      recovery?: {
        dids: string[]
        threshold: number
      }
      /** RFC 3339 time in UTC. */
      at: string
      /** The hash of the event before; the DID where there is none. */
      previous: string
      signatures: Array<{
        /** did:oas:<tenant>:<kind>:<64 hex> */
        did: string
        /** Ed25519 public key, 32 bytes, base64url. */
        public_key: string
        /** Ed25519 signature, 64 bytes, base64url. */
        signature: string
        key_events?: Array<Record<string, unknown>>
      }>
    }>
    /** Ed25519 signature, 64 bytes, base64url. */
    signature: string
  }>
  /** Part of one agent’s authority, delegated to another until a given time. Never more than the delegator holds. */
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
    /** How many times this may be delegated further; 0 means never. */
    max_redelegation_depth: number
    /** RFC 3339 time in UTC. */
    expires_at: string
    /** Where to check whether this token is revoked. */
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
  /** UUID in lower case. */
  session_id: string
  /** Of the token: records of calls made with it name it. */
  key_id: string
  /** For Authorization: DPoP <session_token>, with a DPoP header signed by the proven key (RFC 9449). */
  session_token: string
  /** RFC 3339 time in UTC. */
  token_expires_at: string
  warnings: string[]
}

/** Withdraw an open invitation; its link opens nothing any more. */
export interface MacsWithdrawInvitationInput {
  /** UUID in lower case. */
  invitation_id: string
}

/** Answer of MACS withdraw_invitation. */
export interface MacsWithdrawInvitationOutput {
  /** UUID in lower case. */
  invitation_id: string
  withdrawn: true
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

/** List contracts with what is owed under them, or assets with what is held of them. */
export interface MadeListInput {
  kind?: "contracts" | "assets"
  state?: "OFFERED" | "ACTIVE" | "PARTIALLY_SETTLED" | "SETTLED" | "FINAL" | "WITHDRAWN" | "EXPIRED" | "CANCELLED" | "DEFAULTED" | "DISPUTED" | "RULED_CLOSED"
  /** Content address. */
  contract_id?: string
  /** did:oas:<tenant>:<kind>:<64 hex> */
  party_did?: string
  /** Name of an asset, the same for everybody. */
  asset_id?: string
  /** With contract_id or asset_id: the whole of it. */
  include_detail?: boolean
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MADE list. */
export interface MadeListOutput {
  contracts?: Array<{
    /** Content address. */
    contract_id: string
    state: "OFFERED" | "ACTIVE" | "PARTIALLY_SETTLED" | "SETTLED" | "FINAL" | "WITHDRAWN" | "EXPIRED" | "CANCELLED" | "DEFAULTED" | "DISPUTED" | "RULED_CLOSED"
    /** did:oas:<tenant>:<kind>:<64 hex> */
    proposer_did: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    counterparty_did: string
    /** Content address. */
    treaty_id?: string
    escrow: boolean
    /** RFC 3339 time in UTC. */
    offered_at: string
    /** RFC 3339 time in UTC. */
    activated_at?: string
    /** RFC 3339 time in UTC. */
    expires_at: string
    obligations: number
    obligations_due: number
    /** RFC 3339 time in UTC. */
    next_due_at?: string
    owed: Array<{
      from: "proposer" | "counterparty"
      /** Name of an asset, the same for everybody. */
      asset_id: string
      /** Whole minor units, added up. */
      amount: string
      /** Whole minor units, added up. */
      settled: string
    }>
    detail?: {
      /** As they were hashed and signed. */
      terms: Record<string, unknown>
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
      settlements: Array<{
        /** UUID in lower case. */
        settlement_id: string
        state: "POSTED" | "FINAL" | "REVERSED"
        /** did:oas:<tenant>:<kind>:<64 hex> */
        settled_by: string
        lines: Array<{
          obligation_id: string
          /** Name of an asset, the same for everybody. */
          asset_id: string
          /** Whole minor units of an asset, as a decimal string. */
          amount: string
          /** Whole minor units of an asset, as a decimal string. */
          fee: string
        }>
        journal_ids: string[]
        rail_reference?: string
        /** RFC 3339 time in UTC. */
        posted_at: string
        /** RFC 3339 time in UTC. */
        final_at: string
      }>
    }
  }>
  assets?: Array<{
    /** Name of an asset, the same for everybody. */
    asset_id: string
    /** Content address. */
    asset_hash: string
    /** Tenant id. */
    issuer_tenant: string
    kind: "fiat" | "credit" | "token" | "commodity" | "service_unit"
    /** internal, or the name of the outside system this is paid through. */
    rail: string
    denomination: {
      code: string
      decimals: number
    }
    /** How long a settlement can still be reversed by both. */
    settlement_finality_seconds: number
    lot_size: string
    tick_size: string
    max_supply?: string
    balances: Array<{
      type: "available" | "reserved" | "escrow" | "runway" | "fees" | "revenue" | "issuance"
      /** Whole minor units, as a decimal string. */
      balance: string
      accounts: number
    }>
    detail?: {
      /** The largest first; without a holder it is the organization’s. */
      accounts: Array<{
        /** did:oas:<tenant>:<kind>:<64 hex> */
        holder_did?: string
        type: "available" | "reserved" | "escrow" | "runway" | "fees" | "revenue" | "issuance"
        /** Whole minor units, as a decimal string. */
        balance: string
      }>
    }
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Declare a mission with its objectives, constraints, budget, agents and ways of working. */
export interface MaestroCharterDeclareInput {
  /** Letters, digits, dots, underscores and hyphens. */
  name: string
  mission: string
  objectives: Array<{
    /** Letters, digits, dots, underscores and hyphens. */
    id: string
    statement: string
    metric?: {
      /** What is measured: the name of a metric, or a reference. */
      source: string
      comparator: "<" | "<=" | "==" | ">=" | ">"
      target: number
    }
    /** RFC 3339 time in UTC. */
    deadline?: string
    /** How much it counts. */
    weight?: number
  }>
  constraints?: Array<{
    /** Letters, digits, dots, underscores and hyphens. */
    id: string
    /** CEL over plan (cost, makespan_ms, p90_ms, tasks) and state (facts after the plan): a plan that does not keep it is none. */
    expr?: string
    /** For people to judge. */
    text?: string
  }>
  resources?: {
    budget?: {
      tokens?: number
      /** US dollars with at most six decimal places, best as a string. */
      usd?: string | number
      seconds?: number
    }
    agents?: Array<{
      /** did:oas:<tenant>:<kind>:<64 hex> */
      did: string
      skills?: string[]
      /** The share of its time that may be planned with; tasks whose loads fit it run side by side. */
      capacity?: number
    }>
  }
  /** Ways to do a task, in the order in which they are preferred. */
  methods?: Array<{
    /** For people: said in the decomposition. */
    name?: string
    /** Letters, digits, dots, underscores and hyphens. */
    task: string
    /** What is left open: each value of the list is tried in turn, as a further argument. */
    choose?: Array<{
      name: string
      /** CEL that gives a list. */
      from: string
    }>
    /** All must be true; a fact that is not there makes one false. */
    preconditions?: string | string[]
    subtasks: Array<{
      /** Letters, digits, dots, underscores and hyphens. */
      id?: string
      /** Letters, digits, dots, underscores and hyphens. */
      task: string
      /** By name; any value in it may be {"$cel": "…"} over state and args. */
      args?: Record<string, unknown>
    }>
    /** Ids in the order they must be done in, or pairs of which the first comes before the second; an empty list leaves all open. Absent: as they stand. */
    order?: string[] | Array<string[]>
  }>
  authority?: string
  /** A declared charter: the hash of what it says and of the version before it. */
  supersedes?: string
}

/** Answer of MAESTRO charter.declare. */
export interface MaestroCharterDeclareOutput {
  /** A declared charter: the hash of what it says and of the version before it. */
  charter_ref: string
  /** Of this name, counted from 1. */
  version: number
  warnings: Array<{
    kind: "unmeasurable_objective" | "deadline_conflict" | "target_conflict" | "unweighed"
    /** Letters, digits, dots, underscores and hyphens. */
    objective_id?: string
    message: string
  }>
}

/** Break a goal into tasks that can be done, with their order, times, cost and who does them. */
export interface MaestroGoalRefineInput {
  /** A declared charter: the hash of what it says and of the version before it. */
  charter_ref?: string
  goal: string | {
    /** Letters, digits, dots, underscores and hyphens. */
    task: string
    args?: Record<string, unknown>
  }
  /** Facts, as expressions see them. */
  state?: Record<string, unknown>
  /** Ways to do a task, in the order in which they are preferred. */
  methods?: Array<{
    /** For people: said in the decomposition. */
    name?: string
    /** Letters, digits, dots, underscores and hyphens. */
    task: string
    /** What is left open: each value of the list is tried in turn, as a further argument. */
    choose?: Array<{
      name: string
      /** CEL that gives a list. */
      from: string
    }>
    /** All must be true; a fact that is not there makes one false. */
    preconditions?: string | string[]
    subtasks: Array<{
      /** Letters, digits, dots, underscores and hyphens. */
      id?: string
      /** Letters, digits, dots, underscores and hyphens. */
      task: string
      /** By name; any value in it may be {"$cel": "…"} over state and args. */
      args?: Record<string, unknown>
    }>
    /** Ids in the order they must be done in, or pairs of which the first comes before the second; an empty list leaves all open. Absent: as they stand. */
    order?: string[] | Array<string[]>
  }>
  operators?: Array<{
    /** Letters, digits, dots, underscores and hyphens. */
    name: string
    /** All must be true; a fact that is not there makes one false. */
    preconditions?: string | string[]
    /** Facts set, removed or counted up, all by what was true before. */
    effects?: Array<{
      /** Names with dots between them; {name} stands for that argument: at.{truck}. */
      set: string
      /** A value, or {"$cel": "…"}. */
      to: unknown
    } | {
      /** Names with dots between them; {name} stands for that argument: at.{truck}. */
      unset: string
    } | {
      /** Names with dots between them; {name} stands for that argument: at.{truck}. */
      increment: string
      /** A number, or {"$cel": "…"}; 1 where absent. */
      by?: unknown
    }>
    /** With operation: what is called to do it. */
    protocol?: string
    operation?: string
    /** What the operation is called with; any value may be {"$cel": "…"}. The arguments where absent. */
    payload?: Record<string, unknown>
    /** What an agent must be able to do for it. */
    skill?: string
    /** How much of an agent it takes; all of its capacity where absent. */
    load?: number
    /** At best, most likely and at worst, in milliseconds. */
    duration?: {
      opt: number
      likely: number
      pess: number
    }
    /** US dollars. */
    cost?: number
  }>
  /** A domain, and a problem if there is one, in HDDL; methods, operators and state beside it add to it. The initial network of the problem is the task htn, predicates are facts keyed by their arguments. */
  hddl?: string
  /** Which of the plans found: the first by the order of the methods, the shortest, or the cheapest. */
  prefer?: "first" | "fastest" | "cheapest"
  budget?: {
    /** Steps of the search: ways tried, those that were rejected included. */
    expansions?: number
    deadline_ms?: number
  }
}

/** Answer of MAESTRO goal.refine. */
export interface MaestroGoalRefineOutput {
  feasible: boolean
  /** Of the attempt that came furthest, the first thing that did not hold. */
  failing?: {
    task?: string
    /** Arguments by name. */
    args?: Record<string, unknown>
    of?: string
    /** Of the operator, the method or the constraint. */
    name?: string
    precondition?: string
    why: string
  }
  /** A plan; it keeps its name through all its versions. */
  graph_ref?: string
  version?: number
  /** RFC 3339 time in UTC. */
  starts_at?: string
  tasks: Array<{
    /** Of one task of one plan. */
    id: string
    /** A call, the skill of an agent, a step that somebody takes, or a task nobody knows how to do. */
    kind: "operation" | "skill" | "step" | "unrefined"
    status: "pending" | "done"
    /** Letters, digits, dots, underscores and hyphens. */
    operator: string
    /** Arguments by name. */
    args: Record<string, unknown>
    depends_on: string[]
    /** PERT, in milliseconds. */
    duration: {
      mean: number
      sd: number
    }
    /** Earliest start, in ms from starts_at. */
    es: number
    /** Earliest finish, in ms from starts_at. */
    ef: number
    /** Latest start, in ms from starts_at. */
    ls: number
    /** Latest finish, in ms from starts_at. */
    lf: number
    /** How much later it may start without making the plan longer. */
    slack: number
    critical: boolean
    /** When it starts with the agents there are, in ms from starts_at. */
    start: number
    /** When it ends then, in ms from starts_at. */
    finish: number
    /** did:oas:<tenant>:<kind>:<64 hex> */
    assignee?: string
  }>
  critical_path: string[]
  /** Milliseconds from starts_at: with mean durations and the agents there are; and in nine cases of ten. */
  makespan?: {
    mean: number
    p90: number
  }
  /** US dollars. */
  cost?: number
  decomposition: Array<{
    id: number
    parent?: number
    /** Letters, digits, dots, underscores and hyphens. */
    task: string
    /** Arguments by name. */
    args: Record<string, unknown>
    /** How it is done. */
    method?: string
    /** Of one task of one plan. */
    task_id?: string
    /** Done for a way that was given up. */
    past?: boolean
  }>
  alternatives: Array<{
    tasks: Array<{
      /** Letters, digits, dots, underscores and hyphens. */
      operator: string
      args: Record<string, unknown>
    }>
    makespan_ms: number
    cost: number
  }>
  /** For MOON submit_manifest as it is; absent where nothing is left to do, or more than it can hold. */
  executable_manifest?: Record<string, unknown>
  unrefined: string[]
  at_risk_objectives: Array<{
    /** Letters, digits, dots, underscores and hyphens. */
    id: string
    /** RFC 3339 time in UTC. */
    deadline: string
    /** RFC 3339 time in UTC. */
    expected: string
  }>
  search: {
    expansions: number
    /** complete: with a plan, or because there is none. size: plans longer or deeper than can be kept were left out. Otherwise the budget was used up before that was known. */
    ended: "complete" | "expansions" | "deadline" | "size"
  }
  /** A model only proposes: its methods were carried out symbolically before they counted. */
  methods_from: "given" | "model" | "none"
}

/** Report events that affect a plan, and get back the repaired plan. */
export interface MaestroGraphReplanInput {
  /** A plan; it keeps its name through all its versions. */
  graph_ref: string
  expected_version: number
  events: Array<{
    /** Of one task of one plan. */
    task_id?: string
    kind: "done" | "failed" | "late" | "cancelled" | "resource_lost" | "resource_added" | "new_fact" | "new_deadline"
    /** RFC 3339 time in UTC. */
    at?: string
    data?: {
      /** Facts set, removed or counted up, all by what was true before. */
      effects?: Array<{
        /** Names with dots between them; {name} stands for that argument: at.{truck}. */
        set: string
        /** A value, or {"$cel": "…"}. */
        to: unknown
      } | {
        /** Names with dots between them; {name} stands for that argument: at.{truck}. */
        unset: string
      } | {
        /** Names with dots between them; {name} stands for that argument: at.{truck}. */
        increment: string
        /** A number, or {"$cel": "…"}; 1 where absent. */
        by?: unknown
      }>
      /** late: how long it still takes. */
      remaining_ms?: number
      /** did:oas:<tenant>:<kind>:<64 hex> */
      did?: string
      skills?: string[]
      capacity?: number
      /** Letters, digits, dots, underscores and hyphens. */
      objective_id?: string
      /** RFC 3339 time in UTC. */
      deadline?: string
    }
  }>
  /** Whether order and people stay as far as they can, or the shortest plan is looked for. */
  policy?: "minimal_change" | "optimal"
  /** What starts within it keeps its people, and starts no earlier. */
  freeze_window_ms?: number
  budget?: {
    /** Steps of the search: ways tried, those that were rejected included. */
    expansions?: number
    deadline_ms?: number
  }
}

/** Answer of MAESTRO graph.replan. */
export interface MaestroGraphReplanOutput {
  /** A plan; it keeps its name through all its versions. */
  graph_ref: string
  version: number
  feasible: boolean
  /** Of the attempt that came furthest, the first thing that did not hold. */
  failing?: {
    task?: string
    /** Arguments by name. */
    args?: Record<string, unknown>
    of?: string
    /** Of the operator, the method or the constraint. */
    name?: string
    precondition?: string
    why: string
  }
  diff: {
    added: string[]
    removed: string[]
    moved: string[]
    reassigned: string[]
  }
  /** Twice the tasks that stayed with who had them, over all tasks before and all after. */
  stability: number
  /** RFC 3339 time in UTC. */
  starts_at: string
  tasks: Array<{
    /** Of one task of one plan. */
    id: string
    /** A call, the skill of an agent, a step that somebody takes, or a task nobody knows how to do. */
    kind: "operation" | "skill" | "step" | "unrefined"
    status: "pending" | "done"
    /** Letters, digits, dots, underscores and hyphens. */
    operator: string
    /** Arguments by name. */
    args: Record<string, unknown>
    depends_on: string[]
    /** PERT, in milliseconds. */
    duration: {
      mean: number
      sd: number
    }
    /** Earliest start, in ms from starts_at. */
    es: number
    /** Earliest finish, in ms from starts_at. */
    ef: number
    /** Latest start, in ms from starts_at. */
    ls: number
    /** Latest finish, in ms from starts_at. */
    lf: number
    /** How much later it may start without making the plan longer. */
    slack: number
    critical: boolean
    /** When it starts with the agents there are, in ms from starts_at. */
    start: number
    /** When it ends then, in ms from starts_at. */
    finish: number
    /** did:oas:<tenant>:<kind>:<64 hex> */
    assignee?: string
  }>
  critical_path: string[]
  /** Milliseconds from starts_at: with mean durations and the agents there are; and in nine cases of ten. */
  makespan: {
    mean: number
    p90: number
  }
  cost: number
  decomposition: Array<{
    id: number
    parent?: number
    /** Letters, digits, dots, underscores and hyphens. */
    task: string
    /** Arguments by name. */
    args: Record<string, unknown>
    /** How it is done. */
    method?: string
    /** Of one task of one plan. */
    task_id?: string
    /** Done for a way that was given up. */
    past?: boolean
  }>
  /** What is left to do, for MOON submit_manifest; absent where that is nothing, or not feasible. */
  executable_manifest?: Record<string, unknown>
  at_risk_objectives: Array<{
    /** Letters, digits, dots, underscores and hyphens. */
    id: string
    /** RFC 3339 time in UTC. */
    deadline: string
    /** RFC 3339 time in UTC. */
    expected: string
  }>
  search: {
    expansions: number
    /** complete: with a plan, or because there is none. size: plans longer or deeper than can be kept were left out. Otherwise the budget was used up before that was known. */
    ended: "complete" | "expansions" | "deadline" | "size"
  }
}

/** Create or revise a draft of an artifact, and get its lint results. */
export interface MageDraftInput {
  /** Needed for a new draft; a revision keeps what it was. */
  kind?: "document" | "code" | "dataset" | "schema" | "policy" | "report" | "binary"
  /** Needed for a new draft. */
  title?: string
  /** The artifact itself: up to 1 MiB of text, or base64. One of content, template and brief. */
  content?: string
  encoding?: "utf-8" | "base64"
  /** The content comes after that of the version before: so up to 16 MiB are brought in pieces. */
  append?: boolean
  /** Mustache without partials, filled from data. */
  template?: string
  data?: Record<string, unknown>
  /** What to write: a model does, or else MARI outlines what is known of it. */
  brief?: string
  /** By its kind where absent: text/markdown for documents and reports, application/json for data, application/schema+json for schemas, text/x-cedar for policies. */
  media_type?: string
  inputs?: string[]
  labels?: string[]
  /** UUID in lower case. */
  draft_id?: string
  /** The version that is revised. */
  expected_version?: number
  budget?: {
    tokens?: number
    deadline_ms?: number
  }
}

/** Answer of MAGE draft. */
export interface MageDraftOutput {
  /** UUID in lower case. */
  draft_id: string
  ref: string
  version: number
  /** A sha256 in lower hex. */
  content_hash: string
  size: number
  media_type: string
  made_by: "caller" | "template" | "model" | "outline"
  lint: Array<{
    rule: "unresolved_ref" | "redacted_source" | "weak_source" | "schema_invalid" | "unresolved_name" | "unverified"
    /** With an error it cannot be published. */
    severity: "error" | "warning"
    message: string
    ref?: string
  }>
  usage: {
    tokens_in: number
    tokens_out: number
  }
}

/** Read a draft or an artifact: its bytes, and for what is published its manifest and provenance. */
export interface MageFetchInput {
  /** An artifact, or a draft of your own organization. */
  ref: string
  /** Of a draft; the newest where absent. */
  version?: number
  offset?: number
  /** In bytes; 0 returns the metadata alone. */
  length?: number
}

/** Answer of MAGE fetch. */
export interface MageFetchOutput {
  ref: string
  kind: "document" | "code" | "dataset" | "schema" | "policy" | "report" | "binary"
  title: string
  media_type: string
  labels?: string[]
  inputs?: string[]
  made_by: "caller" | "template" | "model" | "outline"
  size: number
  /** A sha256 in lower hex. */
  content_hash: string
  /** The bytes asked for. */
  content: string
  /** base64 where these bytes are no text. */
  encoding: "utf-8" | "base64"
  offset: number
  /** Where to go on; null at the end. */
  next_offset: number | null
  version?: number
  license?: string
  visibility?: "tenant" | "treaty" | "public"
  published_by?: string
  /** RFC 3339 time in UTC. */
  published_at?: string
  supersedes?: string
  superseded_by?: string
  /** The bytes as a whole, and the pieces they are kept in, in their order. */
  manifest?: {
    mediaType: string
    digest: string
    size: number
    layers: Array<{
      mediaType: string
      size: number
      offset: number
    }>
  }
  /** in-toto Statement v1 with a SLSA v1 predicate. */
  provenance?: {
    _type: "https://in-toto.io/Statement/v1"
    subject: Array<{
      name: string
      digest: {
        /** A sha256 in lower hex. */
        sha256?: string
        /** The commitment made to it when it was kept. */
        saltedSha256?: string
      }
    }>
    predicateType: "https://slsa.dev/provenance/v1"
    predicate: {
      buildDefinition: {
        buildType: string
        externalParameters: Record<string, unknown>
        /** The materials: what it was made from. */
        resolvedDependencies: Array<{
          uri: string
          digest: {
            /** A sha256 in lower hex. */
            sha256?: string
            /** The commitment made to it when it was kept. */
            saltedSha256?: string
          }
          annotations?: Record<string, unknown>
        }>
      }
      runDetails: {
        builder: {
          id: string
        }
        metadata: {
          invocationId: string
          startedOn: string
          finishedOn: string
        }
      }
    }
  }
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
  mars_entry?: string
  /** The record of the publication, and a signed tree it stands in. */
  inclusion?: {
    /** A sha256 in lower hex. */
    record_hash: string
    tree_size: number
  }
}

/** Publish a version of a draft as an artifact that never changes, with its provenance signed. */
export interface MagePublishInput {
  /** UUID in lower case. */
  draft_id: string
  version: number
  /** An SPDX expression such as Apache-2.0, or LicenseRef-<name> for terms of your own. */
  license: string
  /** Who may find it in the registry, and fetch it where a treaty lets them call. */
  visibility?: "tenant" | "treaty" | "public"
  citations?: string[]
  /** Citations that no longer stand and are cited all the same: the artifact says so. */
  acknowledge?: string[]
  /** The sha256 of its bytes. */
  supersedes?: string
  /** A verdict binding MAGE.publish to the artifact_ref: policies need one. */
  authority?: string
}

/** Answer of MAGE publish. */
export interface MagePublishOutput {
  /** The sha256 of its bytes. */
  artifact_ref: string
  /** The bytes as a whole, and the pieces they are kept in, in their order. */
  manifest: {
    mediaType: string
    digest: string
    size: number
    layers: Array<{
      mediaType: string
      size: number
      offset: number
    }>
  }
  /** in-toto Statement v1 with a SLSA v1 predicate. */
  provenance: {
    _type: "https://in-toto.io/Statement/v1"
    subject: Array<{
      name: string
      digest: {
        /** A sha256 in lower hex. */
        sha256?: string
        /** The commitment made to it when it was kept. */
        saltedSha256?: string
      }
    }>
    predicateType: "https://slsa.dev/provenance/v1"
    predicate: {
      buildDefinition: {
        buildType: string
        externalParameters: Record<string, unknown>
        /** The materials: what it was made from. */
        resolvedDependencies: Array<{
          uri: string
          digest: {
            /** A sha256 in lower hex. */
            sha256?: string
            /** The commitment made to it when it was kept. */
            saltedSha256?: string
          }
          annotations?: Record<string, unknown>
        }>
      }
      runDetails: {
        builder: {
          id: string
        }
        metadata: {
          invocationId: string
          startedOn: string
          finishedOn: string
        }
      }
    }
  }
  /** Of the provenance. */
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
  license: string
  visibility: "tenant" | "treaty" | "public"
  mars_entry: string
  /** The record of the publication, and a signed tree it stands in. */
  inclusion: {
    /** A sha256 in lower hex. */
    record_hash: string
    tree_size: number
  }
}

/** Trace a decision, a record or an entity to its root causes or its effects. */
export interface MagiTraceInput {
  /** What to trace: a correlation id, a record hash, or a reference. */
  root: string
  /** Direction of the trace. */
  direction?: "causes" | "effects" | "both"
  max_depth?: number
  max_nodes?: number
  /** Read by a model, if one is configured; its sentences are unverified. */
  question?: string
  /** Records to remove, each alone and all together: would the outcome differ? */
  counterfactual?: string[]
  /** Includes records of the same requests at partners of an active treaty. */
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
    /** A record you may not read: only its hash is shown. */
    opaque?: boolean
  }>
  edges: Array<{
    from: string
    to: string
    relation: "used" | "wasGeneratedBy" | "wasInformedBy" | "wasDerivedFrom" | "actedOnBehalfOf" | "refusedBy"
    confidence: number
  }>
  /** Links that contradict the order of the chain. */
  dropped: Array<{
    from: string
    to: string
    relation: "used" | "wasGeneratedBy" | "wasInformedBy" | "wasDerivedFrom" | "actedOnBehalfOf" | "refusedBy"
    why: string
  }>
  root_causes: Array<{
    node: string
    /** Whether the outcome would differ without this alone. */
    necessity: boolean
    /** 1/(1+k), where k others must be removed first for this one to decide. */
    responsibility: number
    /** Replayed: confirmed by rerunning deterministic rules. Assumed: some step cannot be rerun. */
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
      /** Null if missing. */
      record_hash: string | null
    }
  }
  narrative: Array<{
    sentence: string
    citations: string[]
    /** False if a model proposed it. */
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

/** Stop an action, everything of an agent or a device, or everything of the organization. */
export interface MakerEmergencyStopInput {
  action_id?: string
  /** As execute_action answered it, in place of action_id. */
  stop_token?: string
  scope?: "action" | "agent" | "device" | "tenant"
  /** The DID of an agent or a device; for tenant it is your own. */
  scope_id?: string
  /** Why it is stopped; recorded in the audit log. */
  reason: string
  /** immediate skips the grace period. */
  mode?: "graceful" | "immediate"
  /** Lifts the stop instead; needs L1 and the authority. */
  clear?: {
    authority?: string
  }
}

/** Answer of MAKER emergency_stop. */
export interface MakerEmergencyStopOutput {
  stop_ref: string
  halted: Array<{
    action_id: string
    at: string
    how: string
  }>
  unconfirmed: Array<{
    action_id: string
    why: string
  }>
  /** How many more actions were told to stop than are listed. */
  not_listed?: number
  /** How many more devices were told to be safe; those that are not safe are listed first. */
  devices_not_listed?: number
  devices: Array<{
    actuator_id: string
    safe: boolean
    why?: string
  }>
  latched: {
    scope: "action" | "agent" | "device" | "tenant"
    scope_id: string
    is_set: boolean
  }
  latency_ms: number
}

/** Start an action with an external effect that can be stopped at any time. */
export interface MakerExecuteActionInput {
  /** What it is, in a word; grants may be narrowed to it with the caveat action_kind:<kind>. */
  action_kind: string
  /** What it is done to: a ref, or words. For http_request the address. */
  target: string
  /** For the executor. http_request takes method, headers and body; script_ref gets them as JSON on its standard input. */
  parameters?: Record<string, unknown>
  /** Who does it. */
  executor: {
    /** A tool of MAT; parameters are its arguments. */
    tool_id: string
  } | {
    /** An actuator of MOTE; parameters are the state it is set to. */
    actuator_id: string
  } | {
    /** The hash of what was submitted. */
    manifest_ref: string
  } | {
    builtin: "http_request" | "script_ref" | "noop"
    /** A program of the operator's list (SVC_COMMANDS). */
    script_ref?: string
  }
  preconditions?: string[]
  /** It is stopped when it takes longer. */
  max_duration_ms: number
  /** The time between asking it to stop and forcing it. */
  grace_ms?: number
  /** What must hold once it is stopped; an actuator's own descriptor says it for devices. */
  safe_state?: Record<string, unknown>
  risk_ref?: string
  /** It cannot be undone; requires a risk_ref scored by MARE. */
  irreversible: boolean
  authority?: string
  mode?: "sync" | "async"
  /** A workflow that is started when it failed or was stopped. */
  compensation?: {
    /** The hash of what was submitted. */
    manifest_ref: string
  }
}

/** Answer of MAKER execute_action. */
export interface MakerExecuteActionOutput {
  action_id: string
  ref: string
  state: "proposed" | "authorised" | "running" | "succeeded" | "failed" | "stopping" | "stopped" | "stop_unconfirmed"
  /** How it ended, in words. */
  how?: string
  output?: unknown
  error_code?: string
  started_at?: string
  /** Names this action to emergency_stop, in place of its id. */
  stop_token: string
}

/** Correct a memory; earlier versions stay readable. */
export interface MameEditInput {
  target: string
  expected_version: number
  /** RFC 6902 steps for the payload, or a payload that replaces it. */
  patch: Array<{
    op: "add" | "remove" | "replace" | "move" | "copy" | "test"
    /** RFC 6901 JSON pointer; empty for the whole document. */
    path: string
    /** RFC 6901 JSON pointer; empty for the whole document. */
    from?: string
    /** For add, replace and test. */
    value?: unknown
  }> | Record<string, unknown>
  reason: string
  /** RFC 3339 time in UTC. */
  effective_from?: string
  /** Text to search by; default: its own texts. */
  text?: string
  triples?: Array<{
    /** The entity it is about, by name or id. */
    subject: string
    /** The relation, such as ceo or located_in. */
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
  /** The changed paths; the versions hold the values. */
  diff: Array<{
    op: "add" | "remove" | "replace"
    path: string
  }>
  /** A sha256 in lower hex. */
  content_commitment: string
  reindexed: boolean
  triples_added: number
}

/** Make content permanently unreadable, and keep the proof that it existed. */
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
  /** Records of which something was destroyed. */
  records_affected: number
  keys_destroyed: number
  index_entries_removed: number
  /** Retained inputs removed now; those not yet in the audit log are removed later. */
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
  /** Version of the remainder, if only fields were redacted. */
  version?: number
  /** False if there is more about this person: call again. */
  complete: boolean
  authority?: string
  backups: string
}

/** Read an agent's economic profile, or set what it says about itself. */
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
  /** 0 if no profile was ever set. */
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
    /** Closes the envelope for good; it no longer limits its members. */
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

/** Read what is left of the runway or of an envelope, and how long it lasts. */
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
  /** At the spending rate of the last seven days; null if nothing was spent. */
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

/** List envelopes with budget, spending, throttles and holds, or list the holds themselves. */
export interface ManaListInput {
  kind?: "envelopes" | "holds"
  /** Of envelopes ACTIVE, HELD, EXHAUSTED or CLOSED; of holds HELD or RELEASED. */
  state?: "ACTIVE" | "HELD" | "EXHAUSTED" | "CLOSED" | "RELEASED"
  /** UUID in lower case. */
  envelope_id?: string
  /** A part of the organization. */
  department?: string
  /** Of holds. */
  scope?: string
  /** With envelope_id: all versions of the envelope. */
  include_detail?: boolean
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MANA list. */
export interface ManaListOutput {
  envelopes?: Array<{
    /** UUID in lower case. */
    envelope_id: string
    version: number
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
    granted: string[]
    members: string[]
    authority: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    allocated_by: string
    /** RFC 3339 time in UTC. */
    created_at: string
    /** RFC 3339 time in UTC. */
    effective_at: string
    throttle?: {
      /** UUID in lower case. */
      throttle_id: string
      rules: Array<{
        match: string
        factor_bps: number
      }>
      /** did:oas:<tenant>:<kind>:<64 hex> */
      set_by: string
      /** RFC 3339 time in UTC. */
      in_force_from: string
    }
    held_by: Array<{
      /** UUID in lower case. */
      hold_id: string
      scope: string
      reason: string
      /** RFC 3339 time in UTC. */
      until: string
    }>
    detail?: {
      versions: Array<{
        version: number
        state: "ACTIVE" | "CLOSED"
        /** US dollars with six decimal places. */
        max_per_day_usd: string
        /** US dollars with six decimal places. */
        max_per_month_usd: string
        granted: string[]
        members: string[]
        authority: string
        /** did:oas:<tenant>:<kind>:<64 hex> */
        allocated_by: string
        /** RFC 3339 time in UTC. */
        effective_at: string
        /** RFC 3339 time in UTC. */
        ended_at?: string
      }>
    }
  }>
  holds?: Array<{
    /** UUID in lower case. */
    hold_id: string
    scope: string
    state: "HELD" | "RELEASED"
    reason: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    placed_by: string
    /** RFC 3339 time in UTC. */
    placed_at: string
    /** RFC 3339 time in UTC. */
    until: string
    /** RFC 3339 time in UTC. */
    released_at?: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    released_by?: string
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
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

/** Compare forecasts with their outcomes, and fit a map that corrects later ones. */
export interface ManticCalibrateInput {
  /** A DID, a ref, or protocol:<ID>. */
  forecaster: string
  forecasts?: Array<{
    p?: number
    /** Label to probability; they add up to one. */
    distribution?: Record<string, number>
    /** Whether it occurred, or which label of the distribution did. */
    outcome: boolean | number | string
    /** RFC 3339 time in UTC. */
    at?: string
    weight?: number
  }>
  /** Instead of forecasts: those reported for this forecaster to MATA weight, newest first. */
  stored?: {
    /** RFC 3339 time in UTC. */
    from?: string
    /** RFC 3339 time in UTC. */
    to?: string
    /** Topic; * is everything. */
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
  /** Mean loss in nats; less is better. */
  log_score: number
  ece: number
  mce: number
  /** Variance of the forecasts. */
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
  /** Memories of one namespace do not evict those of another. */
  namespace?: string
  /** Memories of this period; default: those recorded since the last run. */
  window?: {
    /** RFC 3339 time in UTC. */
    from: string
    /** RFC 3339 time in UTC. */
    to: string
  }
  targets?: Array<"episodic" | "semantic" | "procedural">
  min_support?: number
  max_cells?: number
  /** Returns the result without storing anything. */
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
    /** Proposed by a model; not verified. */
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
  /** There are more than max_cells cells: call again. */
  truncated: boolean
  dry_run: boolean
}

/** Ask a published model for the effect of an intervention, an observation or a counterfactual. */
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
  /** Largest table in cells; beyond it the answer is sampled. */
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
  /** If sampled; for ate, the interval of the effect. */
  ci95?: number[] | Record<string, number[]>
  identifiable: true
  strategy?: "mutilation" | "backdoor" | "frontdoor" | "id"
  /** The adjustment or front-door set; absent if there is none. */
  adjustment_set?: string[]
  elimination_order?: string[]
  /** Cells of the largest table; the limit if it was exceeded and the answer was sampled. */
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
  /** Name of the model. */
  name: string
  /** Semantic version: name and version identify one model permanently. */
  version: string
  variables?: Array<{
    name: string
    states: string[]
    parents?: string[]
    /** A row per combination of states of the parents, the last parent fastest; each row sums to 1. Flat, or a list of rows. Parents that are latent without a cpt are not counted. */
    cpt?: number[] | Array<number[]>
    /** What the cpt is conditioned on, where that is not the observed parents: with hidden causes a variable depends on more than what causes it, as y on m and x where x and y share one and m lies between them. */
    cpt_given?: string[]
    /** Not observed. */
    latent?: boolean
  }>
  /** Pairs of variables with a common unobserved cause. */
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
  /** Additional known facts. */
  world_model_snapshot?: string
  budget: {
    /** For text read, text written, and one for each rule that fires and for every 16 candidates tried. */
    tokens: number
    /** Limited by your tier; usage.deadline_ms shows the granted value. */
    deadline_ms: number
  }
  return_fields?: Array<"derivation" | "citations" | "confidence" | "alternatives">
  /** Closed: what cannot be derived is false, and "not" in a condition means just that. */
  assumption?: "open" | "closed"
  /** Refuse if a premise or the intent cannot be parsed. */
  strict?: boolean
  /** What parses text that is not controlled English; the result is always proved by the engine. */
  backend?: "auto" | "builtin" | "model"
  /** One for each premise; default 1. */
  premise_confidence?: number[]
}

/** Answer of MARC reasoning_task. */
export interface MarcReasoningTaskOutput {
  task_ref: string
  status: "complete" | "budget_exhausted" | "deadline"
  answer: "true" | "false" | "unknown" | "contradictory"
  /** Values of the question's variables; only for who and what questions. */
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
  /** The confidence after calibration (MANTIC). */
  calibrated_confidence?: number
  /** Present if confidence is a lower bound. */
  confidence_upper?: number
  alternatives?: Array<{
    answer?: "true" | "false" | "unknown" | "contradictory"
    binding?: Record<string, string>
    /** Additional facts with which the answer would be this. */
    missing_facts?: string[]
    confidence: number
  }>
  unparsed: Array<{
    /** Of the premise; -1 for the intent. */
    index: number
    reason: string
  }>
  /** False if only a model says so. */
  verified: boolean
  method: "builtin" | "model_translation" | "model"
  usage: {
    tokens_in: number
    tokens_out: number
    work: number
    /** Present if your tier allows less than requested. */
    deadline_ms?: number
  }
  binding: false
}

/** Score a risk from its factors, its CVSS vector, or the audit log. */
export interface MareScoreInput {
  /** A reference, or a description. */
  subject: string
  factors?: Array<{
    id: string
    /** Events per year; three points are a PERT distribution. */
    frequency: number | {
      low: number
      mode: number
      high: number
    }
    /** Per event; three points are a PERT distribution, p5 and p95 a lognormal one. */
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
    /** Per event; three points are a PERT distribution, p5 and p95 a lognormal one. */
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
  /** Stores the request as well. */
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
  /** Interval of the score over repeated runs. */
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
  /** Seed of the random numbers, derived from the subject and its factors. */
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
  /** Above 1, names found in the results are searched as well. */
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
  /** The share of words of the question that occur in the valid findings. */
  coverage: number
  unreachable?: string[]
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
  /** Include overruled statements; undecided ones are always included. */
  include_dissent?: boolean
  /** Also keep the answer as a draft of MAGE. */
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
    /** The current status; a source that is no longer valid is listed here, but not quoted. */
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
      /** Null if it was not probed yet. */
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
  kind?: "agent" | "treaty" | "policy" | "asset" | "plugin" | "report" | "verdict" | "chain_seal" | "schema" | "model" | "artifact"
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
    kind: "agent" | "treaty" | "policy" | "asset" | "plugin" | "report" | "verdict" | "chain_seal" | "schema" | "model" | "artifact"
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

/** Use a tool, or decide which servers and tools may be used. */
export interface MatToolInput {
  /** What to do: use a tool, name a server of tools, or decide which of its tools may be used. */
  action?: "invoke" | "register" | "disable" | "approve"
  /** mcp:<server>/<tool> of a registered server, or svc:<protocol>.<operation>. mcp:<server>/* is a whole server, and can only be disabled. */
  tool_id?: string
  /** invoke: as the tool asks for. */
  arguments?: Record<string, unknown>
  /** invoke: how long a tool of a server may take; an operation keeps its own deadline. */
  timeout_ms?: number
  /** invoke and approve: only if the tool is still the one you looked at. */
  expect_schema_hash?: string
  /** approve: who must consent to each call of it, such as role:finance or 2 of anna,bob,cyd; none: nobody. Default: as before. */
  approval?: string
  server?: {
    /** Yours to choose. */
    id: string
    transport: "http" | "stdio"
    /** http: where it speaks MCP over streamable HTTP; only allowed hosts. */
    url?: string
    /** stdio: a program of the operator's list, by its name; never a command line. */
    command_ref?: string
    /** http: headers the operator keeps, by their name; never their value. */
    headers_secret_ref?: string
    allowed_tools?: string[]
  }
}

/** Answer of MAT tool. */
export interface MatToolOutput {
  /** mcp:<server>/<tool> of a registered server, or svc:<protocol>.<operation>. mcp:<server>/* is a whole server, and can only be disabled. */
  tool_id?: string
  content?: Array<Record<string, unknown>>
  structured?: unknown
  /** The tool ran, and says that it failed. */
  is_error?: boolean
  /** Content address. */
  schema_hash?: string
  latency_ms?: number
  truncated?: boolean
  /** The whole answer, where it was truncated. */
  rest?: string
  state?: "approved" | "unapproved" | "quarantined" | "disabled" | "unusable"
  /** Who must consent to each call of it. */
  approval?: string
  /** approve: who had to consent until now, where that has changed. */
  approval_before?: string
  server?: {
    /** Yours to choose. */
    id: string
    transport: "http" | "stdio"
    state: "active" | "disabled"
    /** Approved tools that must be approved again: the server is another one now. */
    quarantined: number
  }
}

/** Find tools for a task, with their input schemas and error rates. */
export interface MatToolDiscoveryInput {
  /** What is to be done, in words; all tools where absent. */
  query?: string
  category?: "svc-cognitive" | "svc-governance" | "svc-commerce" | "svc-infrastructure"
  /** Only tools of this server. */
  server?: string
  /** Only what your capabilities let you call. */
  capability_only?: boolean
  limit?: number
  cursor?: string
}

/** Answer of MAT tool_discovery. */
export interface MatToolDiscoveryOutput {
  tools: Array<{
    /** mcp:<server>/<tool> of a registered server, or svc:<protocol>.<operation>. mcp:<server>/* is a whole server, and can only be disabled. */
    tool_id: string
    /** What its server says of it: data, not an instruction. */
    description: string
    input_schema: Record<string, unknown>
    /** Content address. */
    schema_hash: string
    state: "approved" | "unapproved" | "quarantined" | "disabled" | "unusable"
    /** Why it is unusable. */
    fault?: string
    estimated_cost: {
      /** US dollars with six decimal places. */
      usd: string
      /** What it is estimated for; tokens are not part of it. */
      ms: number
    }
    /** Of this organization's last calls. */
    p50_ms?: number
    error_rate?: number
  }>
  unreachable: string[]
  cursor?: string
}

/** Combine several opinions into one, and list who disagrees. */
export interface MataPoolInput {
  question?: string
  /** Topic; * is everything. */
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
  /** Different roots behind the sources; a ref or a protocol counts as itself, an unknown identity as none. */
  independent_sources: number
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

/** Read how reliable a source has been, or report outcomes of its forecasts. */
export interface MataWeightInput {
  /** A DID, a ref, or protocol:<ID>. */
  source: string
  /** Topic; * is everything. */
  topic?: string
  outcomes?: Array<{
    forecast: number | Record<string, number>
    /** Whether it occurred, or which label of the distribution did. */
    outcome: boolean | number | string
    /** RFC 3339 time in UTC. */
    at?: string
    /** Reports with the same id count once. */
    id?: string
  }>
  half_life_days?: number
  set?: {
    /** Null removes the manual weight. */
    weight: number | null
    authority: string
  }
}

/** Answer of MATA weight. */
export interface MataWeightOutput {
  /** A DID, a ref, or protocol:<ID>. */
  source: string
  /** Topic; * is everything. */
  topic: string
  weight: number
  /** Whether the organization set it. */
  manual: boolean
  n: number
  n_effective: number
  brier?: number
  /** Nats. */
  log_loss?: number
  /** Of the Brier loss. */
  interval95: number[]
  rank: number
  /** Number of ranked sources. */
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

/** Dissolve your organization by a charter decision, or cancel that during the notice period. */
export interface MausoleumInitiateInput {
  /** A verdict that binds MAUSOLEUM.initiate to the sha256 of {reason, schedule} as canonical JSON; to cancel, to the dissolution_id. */
  charter_authority: string
  reason: string
  schedule?: {
    asset_distribution: Array<{
      /** An asset id, or * for all other assets. */
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
      /** Signature of the other party over svc-contract-v1 and {action: novate, contract_id, obligation_id, to_did}. */
      consent?: string
      /** Signature of to_did over the same text; needed if it becomes the debtor. */
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

/** List the dissolutions of your organization and of those it succeeds, or read one in full. */
export interface MausoleumListInput {
  /** UUID in lower case. */
  dissolution_id?: string
  state?: "INITIATED" | "DISTRIBUTING" | "TRANSFERRING" | "READY_TO_SEAL" | "SEALED" | "ARCHIVED" | "CANCELLED" | "BLOCKED"
  /** Only with dissolution_id. */
  include_detail?: boolean
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MAUSOLEUM list. */
export interface MausoleumListOutput {
  items: Array<{
    /** UUID in lower case. */
    dissolution_id: string
    /** Tenant id. */
    tenant_id: string
    role: "own" | "successor"
    state: "INITIATED" | "DISTRIBUTING" | "TRANSFERRING" | "READY_TO_SEAL" | "SEALED" | "ARCHIVED" | "CANCELLED" | "BLOCKED"
    /** did:oas:<tenant>:<kind>:<64 hex> */
    initiated_by: string
    /** RFC 3339 time in UTC. */
    initiated_at: string
    /** RFC 3339 time in UTC. */
    notice_until: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    successor_did: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    cancelled_by?: string
    /** RFC 3339 time in UTC. */
    cancelled_at?: string
    detail?: {
      reason: string
      authority: string
      schedule: {
        asset_distribution: Array<{
          /** An asset id, or * for all other assets. */
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
          /** Signature of the other party over svc-contract-v1 and {action: novate, contract_id, obligation_id, to_did}. */
          consent?: string
          /** Signature of to_did over the same text; needed if it becomes the debtor. */
          accepted?: string
          /** Ed25519 public key, 32 bytes, base64url. */
          public_key?: string
        }>
        /** did:oas:<tenant>:<kind>:<64 hex> */
        successor_did: string
      }
      blocked?: {
        step: "orders" | "holds" | "usage" | "distribution" | "obligations" | "treaties" | "seal" | "publication" | "archive"
        reason: string
      }
      /** In execution order; empty for the successor. */
      steps: Array<{
        step: "orders" | "holds" | "usage" | "distribution" | "obligations" | "treaties" | "seal" | "publication" | "archive"
        /** RFC 3339 time in UTC. */
        done_at?: string
      }>
      /** Before the seal: who is paid first, what blocks it, and who is notified. */
      outlook?: {
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
        concerned: string[]
      }
      seal?: {
        /** UUID in lower case. */
        dissolution_id: string
        state: "SEALED" | "ARCHIVED"
        /** A sha256 in lower hex. */
        final_hash: string
        final_seq: number
        /** The last key of the chain; its private part has been destroyed. */
        seal: {
          /** Tenant id. */
          tenant_id: string
          final_seq: number
          /** A sha256 in lower hex. */
          final_hash: string
          /** A sha256 in lower hex. */
          root: string
          /** C2SP signed note over the whole chain, signed with its last key. */
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
    }
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Seal the audit log of a dissolved organization and destroy its signing key. */
export interface MausoleumSealInput {
  /** UUID in lower case. */
  dissolution_id?: string
  /** Hash of the last record you know; sealing is refused if the chain has newer records. */
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
  /** The last key of the chain; its private part has been destroyed. */
  seal: {
    /** Tenant id. */
    tenant_id: string
    final_seq: number
    /** A sha256 in lower hex. */
    final_hash: string
    /** A sha256 in lower hex. */
    root: string
    /** C2SP signed note over the whole chain, signed with its last key. */
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

/** Sign a claim with its evidence. */
export interface MavenAttestInput {
  /** The claim: a statement, or a subject, a predicate and an object. */
  claim: string | {
    subject: string
    predicate: string
    object: string | number | boolean
    /** Whether the subject has one value of the predicate at a time. */
    functional?: boolean
  }
  evidence: Array<{
    ref?: string
    /** The evidence itself; stored sealed. */
    content?: string
    media_type?: string
    /** Its location. Never fetched: without content it is not verified. */
    uri?: string
    /** A sha256 in lower hex. */
    sha256?: string
    stance?: "supports" | "refutes" | "context"
  }>
  confidence?: number
  /** Topic, as MATA weighs sources by it; * is everything. */
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
  /** The signed document; its sha256 in canonical JSON is the id of the claim. */
  document: {
    type: "MavenClaim"
    /** did:oas:<tenant>:<kind>:<64 hex> */
    issuer: string
    /** The claim: a statement, or a subject, a predicate and an object. */
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
    /** Topic, as MATA weighs sources by it; * is everything. */
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
    /** Different roots behind the issuers, other than the root of this one. */
    supports: number
    /** Different roots behind the issuers, other than the root of this one. */
    refutes: number
    posterior: number
  }
  contradictions: string[]
}

/** Cite a source permanently, with its current status. */
export interface MavenCiteInput {
  source_ref: string
  /** Default: the newest. */
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
  /** Null if redacted. */
  excerpt: string | null
  issuer_did: string
  /** RFC 3339 time in UTC. */
  attested_at: string
  status: "valid" | "contested" | "superseded" | "redacted" | "revoked" | "retracted"
  /** Checked now: the proof of a claim, otherwise the signed audit log. Null while neither exists. */
  signature_valid: boolean | null
  /** The audit record of the call that stored it; null until it is written. */
  chain: {
    /** A sha256 in lower hex. */
    record_hash: string
    tree_size: number
  } | null
  /** Whether the source depends, directly or not, on what cites it. */
  cycle: boolean
  formatted: string | Record<string, unknown>
}

/** Contradict a claim with another, and get the resulting statuses. */
export interface MavenContradictInput {
  claim_ref: string
  /** The claim that speaks against it, or one that is attested first. */
  by: string | {
    /** The claim: a statement, or a subject, a predicate and an object. */
    claim: string | {
      subject: string
      predicate: string
      object: string | number | boolean
      /** Whether the subject has one value of the predicate at a time. */
      functional?: boolean
    }
    evidence: Array<{
      ref?: string
      /** The evidence itself; stored sealed. */
      content?: string
      media_type?: string
      /** Its location. Never fetched: without content it is not verified. */
      uri?: string
      /** A sha256 in lower hex. */
      sha256?: string
      stance?: "supports" | "refutes" | "context"
    }>
    confidence?: number
    /** Topic, as MATA weighs sources by it; * is everything. */
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
  /** Rebut states the opposite, undercut denies the inference, undermine attacks a piece of evidence. */
  kind?: "rebut" | "undercut" | "undermine"
  /** Of the evidence that is undermined. */
  evidence_hash?: string
  rationale?: string
  /** False records the contradiction without changing statuses. */
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

/** Append a record of your own to your tenant's audit log and get its place in the chain. */
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

/** Find records in your tenant's audit log, or in another's that both took part in, with proofs on request. */
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
  /** Only records before this one, the newest first. */
  before_seq?: number
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
  next_before_seq?: number
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

/** Get a signed attestation of your audit log over a period, for an auditor. */
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
  authorities: Array<{
    source: "delegation" | "treaty" | "envelope"
    ref: string
    calls: number
  }>
  authorities_truncated: boolean
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
    /** Delegation token, treaty or envelope that gave the capability. */
    ref?: string
    /** Id of the API key, `token:` or `session:` that was presented. */
    credential?: string
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

/** Approve or refuse one call of somebody else that waits for your consent. */
export interface MaximApprovalDecideInput {
  /** UUID in lower case. */
  approval_id: string
  decision: "approve" | "refuse"
  /** Why, for whoever asked. */
  note?: string
}

/** Answer of MAXIM approval_decide. */
export interface MaximApprovalDecideOutput {
  /** UUID in lower case. */
  approval_id: string
  state: "PENDING" | "APPROVED" | "USED" | "REFUSED" | "EXPIRED"
  /** did:oas:<tenant>:<kind>:<64 hex> */
  caller: string
  /** As its own identity document says. */
  caller_name?: string
  /** Tenant id. */
  caller_tenant: string
  protocol: string
  operation: string
  /** RFC 3339 time in UTC. */
  requested_at: string
  /** RFC 3339 time in UTC. */
  decide_until: string
  /** Once given: it may be used until then. */
  use_until?: string
  /** The most the call may cost. */
  cost_usd_max: string
  needs: Array<{
    /** In words. */
    who: string
    count: number
    names: string[]
    by: "policy" | "caveat" | "tool"
    /** The policy, the capability or the tool that demands it. */
    ref: string
    /** How many have consented. */
    given: number
  }>
  /** Whether you can decide it now. */
  may_decide: boolean
  version: string
  /** Tenant id. */
  target_tenant: string
  correlation_id: string
  /** What was asked, where it is retained. */
  input?: unknown
  input_hash: string
  input_bytes: number
  /** Fields of the input and their kinds. */
  input_shape: Record<string, string>
  effects: Record<string, unknown>
  decisions: Array<{
    /** did:oas:<tenant>:<kind>:<64 hex> */
    did: string
    name?: string
    decision: "approve" | "refuse"
    /** RFC 3339 time in UTC. */
    at: string
    /** The decider's own words. */
    note?: string
  }>
  ended_reason?: string
  /** The record of the call that used it. */
  used_by?: string
}

/** Read one approval: what was asked, what it may cost and do, who can decide and who has. */
export interface MaximApprovalGetInput {
  /** UUID in lower case. */
  approval_id: string
}

/** Answer of MAXIM approval_get. */
export interface MaximApprovalGetOutput {
  /** UUID in lower case. */
  approval_id: string
  state: "PENDING" | "APPROVED" | "USED" | "REFUSED" | "EXPIRED"
  /** did:oas:<tenant>:<kind>:<64 hex> */
  caller: string
  /** As its own identity document says. */
  caller_name?: string
  /** Tenant id. */
  caller_tenant: string
  protocol: string
  operation: string
  /** RFC 3339 time in UTC. */
  requested_at: string
  /** RFC 3339 time in UTC. */
  decide_until: string
  /** Once given: it may be used until then. */
  use_until?: string
  /** The most the call may cost. */
  cost_usd_max: string
  needs: Array<{
    /** In words. */
    who: string
    count: number
    names: string[]
    by: "policy" | "caveat" | "tool"
    /** The policy, the capability or the tool that demands it. */
    ref: string
    /** How many have consented. */
    given: number
  }>
  /** Whether you can decide it now. */
  may_decide: boolean
  version: string
  /** Tenant id. */
  target_tenant: string
  correlation_id: string
  /** What was asked, where it is retained. */
  input?: unknown
  input_hash: string
  input_bytes: number
  /** Fields of the input and their kinds. */
  input_shape: Record<string, string>
  effects: Record<string, unknown>
  decisions: Array<{
    /** did:oas:<tenant>:<kind>:<64 hex> */
    did: string
    name?: string
    decision: "approve" | "refuse"
    /** RFC 3339 time in UTC. */
    at: string
    /** The decider's own words. */
    note?: string
  }>
  ended_reason?: string
  /** The record of the call that used it. */
  used_by?: string
}

/** List the calls that wait for your approval, or your own calls that wait for others. */
export interface MaximApprovalsInput {
  side?: "to_decide" | "requested"
  state?: "PENDING" | "APPROVED" | "USED" | "REFUSED" | "EXPIRED"
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MAXIM approvals. */
export interface MaximApprovalsOutput {
  items: Array<{
    /** UUID in lower case. */
    approval_id: string
    state: "PENDING" | "APPROVED" | "USED" | "REFUSED" | "EXPIRED"
    /** did:oas:<tenant>:<kind>:<64 hex> */
    caller: string
    /** As its own identity document says. */
    caller_name?: string
    /** Tenant id. */
    caller_tenant: string
    protocol: string
    operation: string
    /** RFC 3339 time in UTC. */
    requested_at: string
    /** RFC 3339 time in UTC. */
    decide_until: string
    /** Once given: it may be used until then. */
    use_until?: string
    /** The most the call may cost. */
    cost_usd_max: string
    needs: Array<{
      /** In words. */
      who: string
      count: number
      names: string[]
      by: "policy" | "caveat" | "tool"
      /** The policy, the capability or the tool that demands it. */
      ref: string
      /** How many have consented. */
      given: number
    }>
    /** Whether you can decide it now. */
    may_decide: boolean
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Enact a policy, replace it with a new version, or retire it. */
export interface MaximAuthorInput {
  /** Name of a policy. */
  policy_id: string
  /** Cedar: 1 to 64 static policies of namespace Svc; empty to retire the policy. */
  policy_body: string
  /** Semantic version, greater than the previous one: 1.2.0. */
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
  /** Semantic version, greater than the previous one: 1.2.0. */
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

/** Test a draft policy on the newest decisions in your audit log; nothing is enacted or stored. */
export interface MaximBacktestInput {
  /** Name of a policy. */
  policy_id: string
  /** Cedar: 1 to 64 static policies of namespace Svc; empty to retire the policy. */
  policy_body: string
  /** Tests the removal of the policy. */
  retire?: boolean
  /** How many of the newest decisions in the audit log to test. */
  decisions?: number
  window_days?: number
  protocols?: string[]
  /** Includes planned policies besides those in force. */
  include_scheduled?: boolean
}

/** Answer of MAXIM backtest. */
export interface MaximBacktestOutput {
  /** Name of a policy. */
  policy_id: string
  warnings: string[]
  /** Half-open: from <= t < to. */
  window: {
    /** RFC 3339 time in UTC. */
    from: string
    /** RFC 3339 time in UTC. */
    to: string
  }
  /** A sha256 in lower hex. */
  head: string
  decisions: number
  evaluated: number
  /** Depend on facts that their records do not contain. */
  undecided: number
  /** Ended before any policy was evaluated. */
  unjudged: number
  would_flip_allow_to_deny: number
  would_flip_deny_to_allow: number
  /** Newest first. */
  flips: Array<{
    record: string
    /** RFC 3339 time in UTC. */
    at: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    caller_did: string
    protocol?: string
    operation?: string
    was: "success" | "refused" | "error"
    would_be: "allow" | "deny"
    /** The policy that would deny it: maxim://<policy_id>@<version>. */
    by?: string
  }>
  /** The window contains older decisions that were not tested. */
  truncated: boolean
  binding: false
}

/** Ask how the policies in force decide a case, which of them apply, and which facts are missing. */
export interface MaximConstitutionalInterpretationInput {
  question?: string
  scenario: {
    /** did:oas:<tenant>:<kind>:<64 hex> */
    principal_did: string
    /** Protocol id as in the catalogue: MARKET. */
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
    /** If omitted, the operation counts as a write. */
    state_changing?: boolean
  }
  include_scheduled?: boolean
}

/** Answer of MAXIM constitutional_interpretation. */
export interface MaximConstitutionalInterpretationOutput {
  decision: "allow" | "deny" | "approval_required"
  determining: Array<{
    /** Name of a policy. */
    policy_id: string
    /** Semantic version, greater than the previous one: 1.2.0. */
    version: string
    effect: "permit" | "forbid"
    text: string
    reason?: string
    appeal?: string
    /** Whose consent lifts it, such as role:finance or 2 of anna,bob,cyd. */
    approval?: string
  }>
  errors: Array<{
    /** Name of a policy. */
    policy_id: string
    /** Semantic version, greater than the previous one: 1.2.0. */
    version: string
    effect: "permit" | "forbid"
    message: string
  }>
  counterfactuals: Array<{
    without: string
    decision: "allow" | "deny" | "approval_required"
  }>
  unknown_inputs: string[]
  precedents: string[]
  /** Content address. */
  set_digest: string
  binding: false
}

/** Rank the options of a dilemma by the policies in force and by the values they serve. */
export interface MaximDeliberateDilemmaInput {
  dilemma: string
  options: Array<{
    id: string
    description: string
    scenario?: {
      /** did:oas:<tenant>:<kind>:<64 hex> */
      principal_did: string
      /** Protocol id as in the catalogue: MARKET. */
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
      /** If omitted, the operation counts as a write. */
      state_changing?: boolean
    }
    effects: Array<{
      value: string
      weight: number
    }>
  }>
  values: Array<{
    name: string
    /** Greater means more important. */
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

/** List the policies of your organization by version, or read one in full with its Cedar text. */
export interface MaximListInput {
  /** Name of a policy. */
  policy_id?: string
  /** Semantic version, greater than the previous one: 1.2.0. */
  version?: string
  state?: "SCHEDULED" | "ACTIVE" | "SUPERSEDED" | "RETIRED"
  /** Only with policy_id; applies to the newest matching version. */
  include_detail?: boolean
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MAXIM list. */
export interface MaximListOutput {
  items: Array<{
    /** Name of a policy. */
    policy_id: string
    /** Semantic version, greater than the previous one: 1.2.0. */
    version: string
    /** Position among the versions of the policy. */
    ordinal: number
    state: "SCHEDULED" | "ACTIVE" | "SUPERSEDED" | "RETIRED"
    /** Content address. */
    digest: string
    retires: boolean
    /** RFC 3339 time in UTC. */
    active_from: string
    /** When a later version replaces or replaced it. */
    active_until?: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    authored_by: string
    /** RFC 3339 time in UTC. */
    authored_at: string
    authority: string
    characters: number
    detail?: {
      policy_body: string
      rationale?: string
      /** Validation of the text against the current schema. */
      validation: {
        policies: number
        faults: Array<{
          message: string
          /** In UTF-16 units. */
          from?: number
          to?: number
        }>
        warnings: Array<{
          message: string
          /** In UTF-16 units. */
          from?: number
          to?: number
        }>
      }
      /** Versions of this policy, newest first. */
      versions: Array<{
        /** Semantic version, greater than the previous one: 1.2.0. */
        version: string
        /** Position among the versions of the policy. */
        ordinal: number
        state: "SCHEDULED" | "ACTIVE" | "SUPERSEDED" | "RETIRED"
        /** Content address. */
        digest: string
        retires: boolean
        /** RFC 3339 time in UTC. */
        active_from: string
        /** When a later version replaces or replaced it. */
        active_until?: string
      }>
    }
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** List plugins, or services outside that answer for protocols, with their states and the reasons. */
export interface MazeListInput {
  kind?: "plugins" | "endpoints"
  state?: "Pending" | "Registered" | "Disabled" | "Error" | "Removed" | "serving" | "failing" | "breaker_open" | "probing" | "disabled" | "unused"
  protocol?: string
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MAZE list. */
export interface MazeListOutput {
  plugins?: Array<{
    /** As MAZE topology names it. */
    id: string
    name: string
    version: string
    state: "Pending" | "Registered" | "Disabled" | "Error" | "Removed"
    /** RFC 3339 time in UTC. */
    since: string
    protocol?: string
    plugin_type?: string
    operations: string[]
    /** Shown only to the organization that runs this engine. */
    reason?: string
    /** Shown only to the organization that runs this engine. */
    why?: string
    capabilities?: string[]
    /** Shown only to the organization that runs this engine. */
    digest?: string
    /** Shown only to the organization that runs this engine. */
    signed_by?: string
    /** Shown only to the organization that runs this engine. */
    signed_at?: string
  }>
  endpoints?: Array<{
    /** As MAZE topology names it. */
    id: string
    protocol: string
    version: string
    kind: "adapter" | "external"
    state: "serving" | "failing" | "breaker_open" | "probing" | "disabled" | "unused"
    why: string
    /** RFC 3339 time in UTC. */
    registered_at?: string
    operations: string[]
    /** Shown only to the organization that runs this engine. */
    endpoint?: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    did?: string
    answers?: "signed" | "unsigned"
    /** It is called only while this treaty is in force. */
    treaty_id?: string
    timeout_ms?: number
    weight?: number
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Prove that a record is in your log, that the log is append-only, or what a segment of it contains. */
export interface MazeProveInput {
  kind: "inclusion" | "consistency" | "segment"
  /** A sha256 in lower hex. */
  record_hash?: string
  /** UUID in lower case. */
  correlation_id?: string
  /** A number of records, counted from the first. */
  tree_size?: number
  /** A number of records, counted from the first. */
  first?: number
  /** A number of records, counted from the first. */
  second?: number
  /** The place of a record, from 1. */
  from_seq?: number
  /** The place of a record, from 1. */
  to_seq?: number
}

/** Answer of MAZE prove. */
export interface MazeProveOutput {
  kind: "inclusion" | "consistency" | "segment"
  /** Of the record, or of the first of a segment. */
  leaf_index?: number
  /** A number of records, counted from the first. */
  tree_size: number
  /** A sha256 in lower hex. */
  root_hash: string
  proof: string[]
  /** The 32 bytes of record_hash are the data of the leaf. */
  leaf?: {
    /** A sha256 in lower hex. */
    record_hash: string
    /** sha256 of the hash before it and the canonical text stored now; another than record_hash where it was written over. */
    canonical_commitment: string
  }
  /** A number of records, counted from the first. */
  first_size?: number
  /** A sha256 in lower hex. */
  first_root?: string
  segment?: Array<{
    /** The place of a record, from 1. */
    seq: number
    /** A sha256 in lower hex. */
    record_hash: string
    /** sha256 of the hash before it and the canonical text stored now; another than record_hash where it was written over. */
    canonical_commitment: string
  }>
  /** Of the record before the segment, proved with it; 64 zeros where there is none. */
  previous_hash?: string
  /** C2SP signed note over this tree or a larger one; none while there are no records. */
  checkpoint?: string
  checkpoint_proof?: string[]
  verify: {
    algorithm: "RFC9162-SHA256"
  }
}

/** Show the mesh around a node: what there is, who calls whom, and what holds it together. */
export interface MazeTopologyInput {
  /** A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name. */
  root?: string
  /** Steps from the root. */
  depth?: number
  include?: Array<"protocols" | "endpoints" | "agents" | "treaties" | "plugins" | "tools" | "devices" | "workflows">
  /** RFC 3339 time in UTC. */
  at?: string
  path?: {
    /** A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name. */
    from: string
    /** A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name. */
    to: string
    by?: "hops" | "latency" | "trust"
  }
  analysis?: Array<"components" | "articulation" | "betweenness" | "reachability">
  /** Nodes at most. */
  limit?: number
}

/** Answer of MAZE topology. */
export interface MazeTopologyOutput {
  nodes: Array<{
    /** A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name. */
    id: string
    kind: "organization" | "engine" | "protocol" | "endpoint" | "agent" | "plugin" | "tool" | "device" | "workflow"
    label: string
    state: string
    /** Null if it was never probed. */
    health: number | null
  }>
  edges: Array<{
    /** A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name. */
    from: string
    /** A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name. */
    to: string
    kind: "calls" | "treaty" | "delegates" | "hosts" | "mirrors"
    /** Calls, grants or capabilities; 1 where nothing is counted. */
    weight: number
    calls_24h?: number
    p50_ms?: number
    error_rate?: number
    breaker?: string
  }>
  path?: {
    by: "hops" | "latency" | "trust"
    reachable: boolean
    nodes: string[]
    hops?: number
    /** Hops, milliseconds, or minus the logarithm of trust. */
    cost?: number
  }
  analysis?: {
    components?: Array<string[]>
    articulation?: string[]
    betweenness?: Array<{
      /** A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name. */
      id: string
      score: number
    }>
    betweenness_estimated?: boolean
    reachability?: Array<{
      /** A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name. */
      id: string
      hops: number
    }>
  }
  truncated: boolean
  /** RFC 3339 time in UTC. */
  as_of: string
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
  /** Null: the default of the tier. */
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
  /** How many rows were added or are made again. */
  repaired?: number
}

/** Get an exact statement of what your organization used and owes in a period. */
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

/** Evaluate an action by rules, its effects on others, and its alternatives. */
export interface MeritEvaluateEthicsInput {
  action: {
    /** In a word or two, or as PROTOCOL.operation: policies are evaluated for it. */
    kind: string
    description: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    actor_did?: string
    target_ref?: string
    affected?: Array<{
      /** A DID or a name; actor is whoever acts. */
      party: string
      interest: "life" | "health" | "liberty" | "dignity" | "privacy" | "environment" | "property" | "economic"
      /** From the worst (-1) to the best (1); default: the worst. */
      magnitude?: number
      probability?: number
      consent?: "yes" | "no" | "unknown"
    }>
    /** Whether it can be undone. */
    reversible: boolean
    /** Duties that apply: treaties (moat://<treaty_id>) and policies (maxim://<id>). */
    duty_refs?: string[]
  }
  alternatives?: Array<{
    /** In a word or two, or as PROTOCOL.operation: policies are evaluated for it. */
    kind: string
    description: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    actor_did?: string
    target_ref?: string
    affected?: Array<{
      /** A DID or a name; actor is whoever acts. */
      party: string
      interest: "life" | "health" | "liberty" | "dignity" | "privacy" | "environment" | "property" | "economic"
      /** From the worst (-1) to the best (1); default: the worst. */
      magnitude?: number
      probability?: number
      consent?: "yes" | "no" | "unknown"
    }>
    /** Whether it can be undone. */
    reversible: boolean
    /** Duties that apply: treaties (moat://<treaty_id>) and policies (maxim://<id>). */
    duty_refs?: string[]
  }>
  principles?: Array<{
    id: "beneficence" | "non_maleficence" | "autonomy" | "justice" | "fidelity" | "precaution"
    weight?: number
  }>
  /** maxim://<policy_id>, or one version with @1.2.0. */
  policy_refs?: string[]
  /** Only permitted actions are certified. */
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
    /** Nobody is worse off than with the action. */
    dominates: boolean
  }
  dissent: Array<{
    principle: "beneficence" | "non_maleficence" | "autonomy" | "justice" | "fidelity" | "precaution"
    score: number
    reason: string
  }>
  /** Welfare of all affected parties; losses count more than gains. */
  welfare: number
  /** Standard deviation of welfare. */
  spread: number
  /** Two principles are equally strong in opposite directions. */
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
  /** Why no credential was issued although requested. */
  credential_withheld?: string
}

/** List the credentials your organization issued, with their states. */
export interface MeritListInput {
  credential_ref?: string
  /** did:oas:<tenant>:<kind>:<64 hex> */
  subject_did?: string
  state?: "valid" | "suspended" | "revoked" | "expired"
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MERIT list. */
export interface MeritListOutput {
  items: Array<{
    credential_ref: string
    state: "valid" | "suspended" | "revoked" | "expired"
    /** did:oas:<tenant>:<kind>:<64 hex> */
    subject_did: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    issuer_did: string
    evaluation_ref: string
    /** RFC 3339 time in UTC. */
    issued_at: string
    /** RFC 3339 time in UTC. */
    valid_until: string
    status_lists: string[]
    index: number
    revoked?: {
      /** RFC 3339 time in UTC. */
      at: string
      reason: string
      authority: string
      /** did:oas:<tenant>:<kind>:<64 hex> */
      by: string
    }
    /** The last suspension, even if it has ended. */
    suspended?: {
      /** RFC 3339 time in UTC. */
      at: string
      reason: string
      authority: string
      /** did:oas:<tenant>:<kind>:<64 hex> */
      by: string
      /** RFC 3339 time in UTC. */
      until: string
    }
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Revoke or suspend a credential, by an authority that covers it. */
export interface MeritRevokeInput {
  credential_ref: string
  reason: "error" | "misconduct" | "expired_basis" | "superseded" | "order"
  /** The DID of the issuer, who must be the caller; a MACE verdict that binds MERIT.revoke to the credential or its subject; or a final MOOT ruling, as moot://ruling/<id> or moot://case/<id>. */
  authority: string
  purpose?: "revocation" | "suspension"
  /** When the suspension ends; required for a suspension, not allowed otherwise. */
  until?: string
}

/** Answer of MERIT revoke. */
export interface MeritRevokeOutput {
  credential_ref: string
  status: "revoked" | "suspended"
  status_list_ref: string
  /** The public signed list in MARS query_registry. */
  registered: string
  index: number
  /** RFC 3339 time in UTC. */
  revoked_at: string
  /** RFC 3339 time in UTC. */
  until?: string
  authority: string
}

/** List mailboxes with what waits, is in flight or is dead in them; without their content. */
export interface MimListInput {
  /** A DID, or mailbox:<name> for a mailbox of this organization with a name. */
  mailbox?: string
  /** Mailboxes with unfinished messages, or with dead letters. */
  holding?: "waiting" | "dead"
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MIM list. */
export interface MimListOutput {
  items: Array<{
    /** A DID, or mailbox:<name> for a mailbox of this organization with a name. */
    mailbox: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    owner_did: string
    delegates: string[]
    /** RFC 3339 time in UTC. */
    opened_at: string
    waiting: number
    /** Delivered, and the visibility timeout has not ended. */
    in_flight: number
    /** QoS 2: acked and not yet released. */
    unreleased: number
    dead: number
    bytes: number
    /** RFC 3339 time in UTC. */
    oldest_waiting_at?: string
    /** RFC 3339 time in UTC. */
    oldest_dead_at?: string
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Receive messages, and acknowledge those received before. */
export interface MimMessageReceiveInput {
  /** Your own DID where absent. Whoever first uses a name owns that mailbox. */
  mailbox?: string
  /** The most messages to return, 5 MiB in all. Default 10. */
  max?: number
  /** How long to wait for the first message; a call with an idempotency key does not wait. */
  wait_ms?: number
  /** How long these messages stay hidden from others before they are delivered again. Default 30000. */
  visibility_timeout_ms?: number
  /** Taken. QoS 2: it is yours now, and is never handed out again. */
  ack?: string[]
  /** QoS 2: done with; after ack, and as often as you like. */
  release?: string[]
  nack?: Array<{
    /** Identifies one delivery of a message; the next delivery has another receipt. */
    receipt: string
    /** Delay before it is delivered again. Default 0. */
    delay_ms?: number
    /** Move it to the dead letters now. */
    dead?: boolean
    /** Shown beside the dead letter. */
    reason?: string
  }>
  filter?: {
    thread_id?: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    from?: string
    /** What the body is. Absent or JSON: any JSON; text/…: a string; anything else: bytes in base64, which count as sent. */
    content_type?: string
  }
  /** live hands out; peek only shows; dead shows dead letters, which nack puts back to the end and ack removes. */
  mode?: "live" | "dead" | "peek"
  /** By the owner: who else may receive here, from now on. */
  delegates?: string[]
  /** In the modes peek and dead: continue after this place. */
  cursor?: string
}

/** Answer of MIM message_receive. */
export interface MimMessageReceiveOutput {
  messages: Array<{
    /** UUID in lower case. */
    message_id: string
    /** Absent with QoS 0 and peek: there is nothing to answer. */
    receipt?: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    from: string
    body?: unknown
    /** The body as only the recipient can read it; then there is no body beside it. */
    encrypted?: {
      /** Which key of the recipient opens it: a key id or thumbprint. */
      recipient_key: string
      /** JWE in compact form (RFC 7516); only the recipient can open it. */
      jwe: string
    }
    /** What the body is. Absent or JSON: any JSON; text/…: a string; anything else: bytes in base64, which count as sent. */
    content_type?: string
    /** Messages with the same key are handed out in the order they were taken in. */
    ordering_key?: string
    /** The same id of the same sender to the same mailbox within 30 days is the same message. QoS 2 needs one; the idempotency key stands in for it. */
    dedupe_id?: string
    /** A DID, or mailbox:<name> for a mailbox of this organization with a name. */
    reply_to?: string
    thread_id?: string
    qos: number
    seq: number
    attempt: number
    priority: number
    size: number
    /** RFC 3339 time in UTC. */
    sent_at: string
    /** RFC 3339 time in UTC. */
    expires_at: string
    dead_reason?: "max_deliveries" | "rejected"
    nack_reason?: string
  }>
  /** QoS 2: acked and not yet released, by whomever; only to be released. */
  unreleased: Array<{
    /** UUID in lower case. */
    message_id: string
    /** Identifies one delivery of a message; the next delivery has another receipt. */
    receipt: string
  }>
  acked: string[]
  released: string[]
  nacked: string[]
  /** Receipts that count no more: the message was handed out again, has ended, or was not acked before release. */
  stale: string[]
  backlog: {
    live: number
    dead: number
  }
  next_cursor?: string
}

/** Send a message to one or more mailboxes. */
export interface MimMessageSendInput {
  /** Where it goes; each recipient of a list gets a message of its own. */
  to: string | string[]
  /** Any JSON; a string of base64 where content_type says bytes. */
  body?: unknown
  /** The body as only the recipient can read it; then there is no body beside it. */
  encrypted?: {
    /** Which key of the recipient opens it: a key id or thumbprint. */
    recipient_key: string
    /** JWE in compact form (RFC 7516); only the recipient can open it. */
    jwe: string
  }
  /** What the body is. Absent or JSON: any JSON; text/…: a string; anything else: bytes in base64, which count as sent. */
  content_type?: string
  /** Messages with the same key are handed out in the order they were taken in. */
  ordering_key?: string
  /** The same id of the same sender to the same mailbox within 30 days is the same message. QoS 2 needs one; the idempotency key stands in for it. */
  dedupe_id?: string
  /** A DID, or mailbox:<name> for a mailbox of this organization with a name. */
  reply_to?: string
  thread_id?: string
  /** 0: handed out at most once. 1 (default): at least once, until it is acked. 2: exactly once. */
  qos?: number
  /** The message expires after this time. Default 7 days. */
  ttl_ms?: number
  deliver_after_ms?: number
  /** Higher is delivered first. Default 4. Within an ordering_key the order counts instead. */
  priority?: number
}

/** Answer of MIM message_send. */
export interface MimMessageSendOutput {
  /** UUID in lower case. */
  message_id: string
  seq: number
  duplicate: boolean
  /** RFC 3339 time in UTC. */
  accepted_at: string
  /** Bytes of JCS(body), and of the names and values of the headers that were given. */
  size: number
  deliveries: Array<{
    /** A DID, or mailbox:<name> for a mailbox of this organization with a name. */
    to: string
    /** UUID in lower case. */
    message_id: string
    /** Increases by one for each message of its mailbox and ordering_key. */
    seq: number
    /** It was sent before and was not sent again. */
    duplicate: boolean
  }>
}

/** Propose a policy from a precedent and backtest it; nothing is enacted. */
export interface MimesisFormalizeInput {
  /** Content address. */
  pattern_id: string
  /** Cedar text, as MAXIM author accepts it. */
  proposed_maxim: string
  /** MAXIM: a draft only. MACE: a charter motion is convened on it. A motion id: the motion that already binds this policy. */
  proposal_target: "MAXIM" | "MACE" | string
  /** Name of a policy. */
  policy_id?: string
  /** When the policy takes effect; part of what the council decides. Default: 14 days from now. */
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
    /** Requests whose record lacks facts that the policies need. */
    undecided: number
    would_flip_allow_to_deny: number
    would_flip_deny_to_allow: number
    agrees_with_pattern_bps: number
    flips: string[]
    /** The window contains older records that were not tested. */
    truncated: boolean
  }
  state: "PROPOSED" | "IN_COUNCIL" | "ENACTED" | "REJECTED"
  /** UUID in lower case. */
  motion_id?: string
  /** The next step; absent if there is none. */
  next?: {
    protocol: string
    operation: string
    input: Record<string, unknown>
  }
}

/** Find recurring decisions of your organization. */
export interface MimesisSurfaceInput {
  window_days: number
  min_recurrences: number
  scope: "tenant" | string | {
    protocols?: string[]
    /** Outcome of the reported cases. Consistency counts all outcomes. */
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
    /** Share of the cases with the same features, whatever the reason; for a sequence, of those with the same first steps. */
    consistency_bps: number
    /** In basis points; 10000 means the outcome is as frequent elsewhere. */
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

/** Link two memories; linking them again strengthens the link. */
export interface MindAssociateMemoriesInput {
  /** A reference such as mind://cell/<id>. */
  source: string
  /** A reference such as mind://cell/<id>. */
  target: string
  /** part_of, derived_from, supersedes and causes must not form cycles. */
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
  /** The link existed already and is stronger now. */
  reinforced: boolean
  created: boolean
}

/** Fuse the statements of several sources into one consistent set of facts. */
export interface MindFusionRequestInput {
  sources: Array<string | {
    /** did:oas:<tenant>:<kind>:<64 hex> */
    source_did: string
    facts: Array<{
      /** The entity it is about, by name or id. */
      subject: string
      /** The relation, such as ceo or located_in. */
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
  /** Only facts about this subject. */
  subject?: string
  strategy?: "reliability" | "latest" | "majority"
  functional_predicates?: string[]
  min_confidence?: number
  /** Store the result as current knowledge. */
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
  /** Different roots behind the sources; an unknown identity counts as none. */
  independent_sources: number
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

/** Facts about a subject, as valid at one time and as known at another. */
export interface MindQueryKnowledgeInput {
  /** The entity it is about, by name or id. */
  subject: string
  /** The relation, such as ceo or located_in. */
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

/** Recall memories by words, meaning, structure and time. */
export interface MindRecallMemoryInput {
  /** All given conditions must hold. */
  predicate: {
    /** By words, meaning and names. Only this ranks; the others filter. */
    semantic?: {
      /** A question or topic; "quoted words" are one phrase, -word excludes. */
      text: string
      min_similarity?: number
    }
    structural?: {
      /** The payload contains this. */
      match?: Record<string, unknown>
      /** An SQL/JSON path that matches something in the payload. */
      jsonpath?: string
      /** Memories whose triples mention this entity. */
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
      /** As it was valid at that time. */
      as_of?: string
      /** As it was known at that time. */
      known_at?: string
      order?: "newest" | "oldest"
    }
  }
  kinds?: Array<"working" | "episodic" | "semantic" | "procedural">
  /** Default: all namespaces. */
  namespace?: string
  limit?: number
  /** Includes evicted and expired memories. */
  include_inactive?: boolean
  explain?: boolean
  /** Whether a model reorders the best matches. */
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

/** Store a memory. */
export interface MindStoreMemoryInput {
  kind: "working" | "episodic" | "semantic" | "procedural"
  /** What to remember; at most 256 KiB. */
  payload: Record<string, unknown>
  /** Memories of one namespace do not evict those of another. */
  namespace?: string
  /** Text to search by; default: the texts of the payload. */
  text?: string
  index?: {
    /** Searchable by meaning. */
    vector?: boolean
    /** Its triples become facts. */
    graph?: boolean
  }
  triples?: Array<{
    /** The entity it is about, by name or id. */
    subject: string
    /** The relation, such as ceo or located_in. */
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
  /** Working memories only; default: one hour. */
  ttl_seconds?: number
  importance?: number
  confidence?: number
  source_ref?: string
  /** The person it is about: redacting this subject redacts the memory. */
  subject_did?: string
  /** Store the same payload once; default for semantic memories. */
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

/** Check whether the other party complied with a treaty, then report, suspend, resume or claim. */
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
  /** Required unless the measure is report. */
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

/** List the treaties and amendments of your organization, or read one in full. */
export interface MoatListInput {
  /** Content address. */
  treaty_id?: string
  state?: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
  kind?: "treaty" | "amendment"
  /** Tenant id. */
  partner?: string
  /** Only with treaty_id. */
  include_detail?: boolean
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MOAT list. */
export interface MoatListOutput {
  items: Array<{
    /** Content address. */
    treaty_id: string
    /** Content address. */
    root_id: string
    /** Content address. */
    parent?: string
    kind: "treaty" | "amendment"
    state: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
    /** Tenant id. */
    partner: string
    parties: Array<{
      /** Tenant id. */
      tenant: string
      /** did:oas:<tenant>:<kind>:<64 hex> */
      did: string
    }>
    /** did:oas:<tenant>:<kind>:<64 hex> */
    proposed_by: string
    /** RFC 3339 time in UTC. */
    proposed_at: string
    /** RFC 3339 time in UTC. */
    sign_by: string
    signed: string[]
    missing: string[]
    /** RFC 3339 time in UTC. */
    effective_from: string
    /** RFC 3339 time in UTC. */
    expires_at: string
    grants_to_partner: number
    grants_to_own: number
    /** RFC 3339 time in UTC. */
    activated_at?: string
    /** RFC 3339 time in UTC. */
    in_force_at?: string
    suspended?: {
      /** RFC 3339 time in UTC. */
      from: string
      /** RFC 3339 time in UTC. */
      until: string
      /** Tenant id. */
      by: string
    }
    /** RFC 3339 time in UTC. */
    ended_at?: string
    detail?: {
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
          /** Basis points of the settled amount. */
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
        authority?: string
      }>
      /** Why an amendment was proposed. */
      reason?: string
      /** Changes of an amendment, from `before` to `body`. */
      amendment?: {
        before: {
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
            /** Basis points of the settled amount. */
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
        diff: Array<{
          op: "add" | "remove" | "replace"
          /** JSON Pointer into the body of the parent. */
          path: string
          value?: unknown
        }>
        widening: boolean
      }
      open_cases: string[]
      ended_by?: string
      /** Visible only to the party that gave it. */
      end_reason?: string
      /** All versions, newest first. */
      line: Array<{
        /** Content address. */
        treaty_id: string
        /** Content address. */
        parent?: string
        state: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
        /** RFC 3339 time in UTC. */
        proposed_at: string
      }>
    }
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Propose a treaty to another organization. */
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
    /** Share of each settlement; default: the tier's. */
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
      /** Basis points of the settled amount. */
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
  /** The text to sign now; send its timestamp with the signature. */
  signing_input: string
  /** RFC 3339 time in UTC. */
  sign_by: string
}

/** Propose new terms for an existing treaty. */
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
      /** Share of each settlement; default: the tier's. */
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
  /** Signing it needs a charter-level verdict. */
  widening: boolean
  state: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
}

/** Sign a proposed treaty for your organization. */
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

/** Sign an amendment for your organization. */
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

/** Terminate a treaty unilaterally, at any time. */
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

/** Check a service level objective of your calls, and how fast its error budget burns. */
export interface MomentSloInput {
  objective: {
    protocol?: string
    operation?: string
    kind: "availability" | "latency"
    /** Where kind is latency: answered within it is good. */
    threshold_ms?: number
    /** The share that must be good. */
    target: number
  }
  windows?: Array<"5m" | "30m" | "1h" | "6h" | "3d" | "30d">
  /** Every organization's; for the operator's own agents that hold svc.admin.observability. */
  all_tenants?: boolean
}

/** Answer of MOMENT slo. */
export interface MomentSloOutput {
  good: number
  total: number
  /** Good of total, over the longest window; 1 where nothing was asked. */
  sli: number
  /** Of that window; below 0 where more failed than may. */
  error_budget_left: number
  /** 1 uses up exactly what may fail. */
  burn_rate: {
    "5m"?: number
    "30m"?: number
    "1h"?: number
    "6h"?: number
    "3d"?: number
    "30d"?: number
  }
  alert: "none" | "ticket" | "page"
}

/** Get a signed snapshot of the current state, or of the state at a past moment. */
export interface MomentSnapshotInput {
  /** RFC 3339 time in UTC. */
  at?: string
  sections?: Array<"dispatch" | "latency" | "breakers" | "audit" | "runway" | "workflows" | "mailboxes" | "devices">
  /** Every organization's; for the operator's own agents that hold svc.admin.observability. */
  all_tenants?: boolean
}

/** Answer of MOMENT snapshot. */
export interface MomentSnapshotOutput {
  /** Tenant id. */
  tenant_id: string
  /** RFC 3339 time in UTC. */
  at: string
  sections: {
    dispatch?: Record<string, unknown>
    latency?: Record<string, unknown>
    breakers?: Record<string, unknown>
    audit?: Record<string, unknown>
    runway?: Record<string, unknown>
    workflows?: Record<string, unknown>
    mailboxes?: Record<string, unknown>
    devices?: Record<string, unknown>
  }
  unavailable: Array<{
    section: "dispatch" | "latency" | "breakers" | "audit" | "runway" | "workflows" | "mailboxes" | "devices"
    reason: string
  }>
  /** A sha256 in lower hex. */
  chain_head: string
  tree_size: number
  /** C2SP signed note over the tree of this size, by the same key as the proof. */
  checkpoint?: string
  signed: boolean
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

/** Run a workflow; ask how a run stands, signal it, cancel it, or try it again. */
export interface MoonExecuteWorkflowInput {
  action?: "start" | "status" | "signal" | "cancel" | "retry"
  /** The hash of what was submitted. */
  manifest_ref?: string
  /** What runs of it are started by, together with the version. */
  name?: string
  version?: string
  /** What the steps see as input; fits input_schema. */
  input?: unknown
  /** Unique in the tenant: starting again with the same key returns the first run. */
  run_key?: string
  /** Wait up to this long for the run to end. */
  wait_ms?: number
  /** The run fails when it takes longer. */
  deadline_ms?: number
  /** A run, as its start answered it. */
  run_ref?: string
  signal?: {
    /** The name under which a signal is sent and awaited. */
    name: string
    /** For outcome: { path, performed, data }. */
    payload?: unknown
  }
  /** With cancel: undo what was done. */
  compensate?: boolean
  /** With retry: this step and all after it begin anew. */
  from_step?: string
  reason?: string
}

/** Answer of MOON execute_workflow. */
export interface MoonExecuteWorkflowOutput {
  /** A run, as its start answered it. */
  run_ref: string
  manifest_ref: string
  state: "pending" | "running" | "waiting" | "compensating" | "succeeded" | "failed" | "cancelled" | "compensated" | "compensation_failed"
  waiting_on?: "timer" | "signal" | "gate" | "runway" | "approval"
  steps: Array<{
    path: string
    state: "running" | "waiting" | "succeeded" | "failed" | "skipped" | "indeterminate"
    attempt: number
    execution_time_ms: number
    confidence_score?: number
    skip_reason?: string
    error?: {
      code: string
      message: string
    }
  }>
  output?: unknown
  error_code?: string
  confidence_score: number
  audit_refs: string[]
  started_at?: string
  ended_at?: string
}

/** List runs, or the manifests they run, newest first; of one of them the graph of its steps. */
export interface MoonListInput {
  kind?: "runs" | "manifests"
  /** For runs, the run state; for manifests, active, paused or inactive. */
  state?: "pending" | "running" | "waiting" | "compensating" | "succeeded" | "failed" | "cancelled" | "compensated" | "compensation_failed" | "active" | "paused" | "inactive"
  /** The hash of what was submitted. */
  manifest_ref?: string
  /** A run, as its start answered it. */
  run_ref?: string
  /** With run_ref, or manifest_ref of manifests: its graph. */
  include_detail?: boolean
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MOON list. */
export interface MoonListOutput {
  runs?: Array<{
    /** A run, as its start answered it. */
    run_ref: string
    /** The hash of what was submitted. */
    manifest_ref: string
    name: string
    version: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    owner_did: string
    state: "pending" | "running" | "waiting" | "compensating" | "succeeded" | "failed" | "cancelled" | "compensated" | "compensation_failed"
    waiting_on?: "timer" | "signal" | "gate" | "runway" | "approval"
    cancelling?: "stop" | "compensate"
    error_code?: string
    confidence_score?: number
    progress: {
      steps_total?: number
      running: number
      waiting: number
      succeeded: number
      failed: number
      skipped: number
      indeterminate: number
    }
    correlation_id: string
    /** A run, as its start answered it. */
    retry_of?: string
    /** RFC 3339 time in UTC. */
    created_at: string
    /** RFC 3339 time in UTC. */
    started_at?: string
    /** RFC 3339 time in UTC. */
    ended_at?: string
    /** RFC 3339 time in UTC. */
    deadline_at?: string
    detail?: {
      steps: Array<{
        path: string
        kind: "Protocol" | "Gate" | "Audit" | "SubRecipe" | "Parallel" | "GovernanceGate" | "Compensation"
        depends_on: string[]
        /** The path of the step that holds it. */
        within?: string
        branch?: "on_true" | "on_false"
        protocol?: string
        operation?: string
        optional: boolean
        state: "pending" | "running" | "waiting" | "succeeded" | "failed" | "skipped" | "indeterminate"
        attempt?: number
        started_at?: string
        ended_at?: string
        /** When it is looked at again. */
        due_at?: string
        execution_time_ms?: number
        error_code?: string
        skip_reason?: string
        /** The audit record of the call it made. */
        record_id?: string
      }>
      /** Why it cannot be planned any more; execute_workflow status tells what was done. */
      unplanned?: string
    }
  }>
  manifests?: Array<{
    /** The hash of what was submitted. */
    manifest_ref: string
    name: string
    version: string
    /** Content address. */
    recipe_id: string
    /** did:oas:<tenant>:<kind>:<64 hex> */
    submitted_by: string
    /** RFC 3339 time in UTC. */
    submitted_at: string
    state: "active" | "paused" | "inactive"
    paused_reason?: string
    schedule?: {
      cron: string
      tz: string
      overlap: "skip" | "queue"
      /** RFC 3339 time in UTC. */
      next_at?: string
    }
    steps_total?: number
    open_runs: number
    last_run?: {
      /** A run, as its start answered it. */
      run_ref: string
      state: "pending" | "running" | "waiting" | "compensating" | "succeeded" | "failed" | "cancelled" | "compensated" | "compensation_failed"
      /** RFC 3339 time in UTC. */
      created_at: string
    }
    detail?: {
      steps: Array<{
        path: string
        kind: "Protocol" | "Gate" | "Audit" | "SubRecipe" | "Parallel" | "GovernanceGate" | "Compensation"
        depends_on: string[]
        /** The path of the step that holds it. */
        within?: string
        branch?: "on_true" | "on_false"
        protocol?: string
        operation?: string
        optional: boolean
        state: "pending" | "running" | "waiting" | "succeeded" | "failed" | "skipped" | "indeterminate"
        attempt?: number
        started_at?: string
        ended_at?: string
        /** When it is looked at again. */
        due_at?: string
        execution_time_ms?: number
        error_code?: string
        skip_reason?: string
        /** The audit record of the call it made. */
        record_id?: string
      }>
      /** Why it cannot be planned any more; execute_workflow status tells what was done. */
      unplanned?: string
    }
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Register a workflow: its steps are typed, checked against what this engine serves, and kept under their hash. */
export interface MoonSubmitManifestInput {
  manifest?: {
    /** What runs of it are started by, together with the version. */
    name: string
    version: string
    /** JSON Schema that the input of a run must fit. */
    input_schema?: Record<string, unknown>
    steps: unknown[]
    /** For steps that say nothing of their own. */
    defaults?: {
      /** How long one attempt may take. */
      timeout_ms?: number
      /** Retries after a failure; a refusal by policy is never retried. */
      retry?: {
        /** Retries after the first attempt. */
        max: number
        /** Each retry multiplies the confidence by one minus this. */
        retry_penalty?: number
        /** The wait before the first retry. */
        backoff_ms?: number
        /** Each further wait is this many times the previous one, at most an hour. */
        factor?: number
        /** The random share of a wait. */
        jitter?: number
      }
    }
    /** By step: what undoes it. Run in reverse order when the run fails, or is cancelled with compensate. */
    compensation?: Record<string, unknown>
    schedule?: {
      /** Five fields, or six with seconds. */
      cron: string
      tz?: string
      /** When the run before it has not ended. */
      overlap?: "skip" | "queue"
    }
    concurrency?: {
      /** CEL over input: runs with the same value stand in one line. */
      key: string
      max: number
    }
    governance_gates?: Array<{
      /** Unique within its recipe, steps inside of gates and parallels included. */
      at_step: string
      kind: "MAXIM" | "MACE-quorum" | "MOAT-treaty"
      on_pass: "Abort" | "Continue" | "Escalate"
      on_fail: "Abort" | "Continue" | "Escalate"
      /** The request to the judging protocol, such as the motion or the parties. */
      question?: Record<string, unknown>
      /** With Escalate: the input of MOOT.file; at least respondent_did. */
      escalation?: Record<string, unknown>
    }>
    audit_checkpoints?: string[]
    /** CEL over input and steps: what the run answers. */
    output?: string
  }
  /** Instead of a manifest: a model compiles one. Needs the capability recipe-llm-compile. The result is kept inactive and answered, for a person to read and submit. */
  intent?: {
    /** What the workflow is to do, in plain words. */
    text: string
    /** What runs of it are started by, together with the version. */
    name: string
    version: string
  }
  budget?: {
    /** What compiling an intent may use in all; without it nothing is reserved. */
    tokens: number
    deadline_ms?: number
  }
  /** False keeps it without letting anybody start it, its schedule included. What comes of an intent is always kept so. */
  activate?: boolean
}

/** Answer of MOON submit_manifest. */
export interface MoonSubmitManifestOutput {
  /** The hash of what was submitted. */
  manifest_ref: string
  /** Content address. */
  recipe_id: string
  is_new: boolean
  warnings: string[]
  critical_path_ms: number
  required_capabilities: string[]
  next_run_at?: string
  /** What a model made of the intent. Submit the manifest to activate it. */
  proposed?: {
    manifest: {
      /** What runs of it are started by, together with the version. */
      name: string
      version: string
      /** JSON Schema that the input of a run must fit. */
      input_schema?: Record<string, unknown>
      steps: unknown[]
      /** For steps that say nothing of their own. */
      defaults?: {
        /** How long one attempt may take. */
        timeout_ms?: number
        /** Retries after a failure; a refusal by policy is never retried. */
        retry?: {
          /** Retries after the first attempt. */
          max: number
          /** Each retry multiplies the confidence by one minus this. */
          retry_penalty?: number
          /** The wait before the first retry. */
          backoff_ms?: number
          /** Each further wait is this many times the previous one, at most an hour. */
          factor?: number
          /** The random share of a wait. */
          jitter?: number
        }
      }
      /** By step: what undoes it. Run in reverse order when the run fails, or is cancelled with compensate. */
      compensation?: Record<string, unknown>
      schedule?: {
        /** Five fields, or six with seconds. */
        cron: string
        tz?: string
        /** When the run before it has not ended. */
        overlap?: "skip" | "queue"
      }
      concurrency?: {
        /** CEL over input: runs with the same value stand in one line. */
        key: string
        max: number
      }
      governance_gates?: Array<{
        /** Unique within its recipe, steps inside of gates and parallels included. */
        at_step: string
        kind: "MAXIM" | "MACE-quorum" | "MOAT-treaty"
        on_pass: "Abort" | "Continue" | "Escalate"
        on_fail: "Abort" | "Continue" | "Escalate"
        /** The request to the judging protocol, such as the motion or the parties. */
        question?: Record<string, unknown>
        /** With Escalate: the input of MOOT.file; at least respondent_did. */
        escalation?: Record<string, unknown>
      }>
      audit_checkpoints?: string[]
      /** CEL over input and steps: what the run answers. */
      output?: string
    }
    model: string
  }
}

/** File a case, or appeal a ruling. */
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
  /** A tenant or DID; must be the agreed venue. */
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

/** Replay and verify both parties' records of the disputed requests, side by side. */
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

/** List the cases in which your organization is a party or the venue, or read one with its documents. */
export interface MootListInput {
  /** UUID in lower case. */
  case_id?: string
  state?: "FILED" | "PLEADED" | "DEFAULTED" | "HEARD" | "RULED" | "APPEALED" | "REMEDIED" | "CLOSED" | "SETTLED" | "WITHDRAWN" | "DISMISSED"
  role?: "claimant" | "respondent" | "venue"
  /** Only with case_id. */
  include_detail?: boolean
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MOOT list. */
export interface MootListOutput {
  items: Array<{
    /** UUID in lower case. */
    case_id: string
    state: "FILED" | "PLEADED" | "DEFAULTED" | "HEARD" | "RULED" | "APPEALED" | "REMEDIED" | "CLOSED" | "SETTLED" | "WITHDRAWN" | "DISMISSED"
    roles: Array<"claimant" | "respondent" | "venue">
    claimant: {
      /** Tenant id. */
      tenant_id: string
      /** did:oas:<tenant>:<kind>:<64 hex> */
      did: string
    }
    respondent: {
      /** Tenant id. */
      tenant_id: string
      /** did:oas:<tenant>:<kind>:<64 hex> */
      did: string
    }
    filed_by: "claimant" | "respondent"
    /** Tenant id. */
    venue: string
    panel: string[]
    requested_remedy: {
      kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
      /** US dollars with six decimal places. */
      amount_usd?: string
      /** Whole millionths of a US dollar. */
      amount_micro_usd?: string
      target?: string
    }
    /** Content address. */
    treaty_id?: string
    /** RFC 3339 time in UTC. */
    filed_at: string
    /** RFC 3339 time in UTC. */
    plead_by: string
    /** RFC 3339 time in UTC. */
    answered_at?: string
    /** RFC 3339 time in UTC. */
    rule_by?: string
    /** RFC 3339 time in UTC. */
    appeal_until?: string
    /** RFC 3339 time in UTC. */
    closed_at?: string
    /** UUID in lower case. */
    appeal_of?: string
    /** UUID in lower case. */
    appealed_by?: string
    ruling?: {
      /** Content address. */
      ruling_id: string
      ref: string
      finding: "no_jurisdiction" | "for_respondent" | "split" | "for_claimant" | "no_majority" | "by_consent"
      in_favour_of: "claimant" | "respondent"
      remedy?: {
        kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
        /** US dollars with six decimal places. */
        amount_usd?: string
        /** Whole millionths of a US dollar. */
        amount_micro_usd?: string
        target?: string
      }
      remedy_state?: "PENDING" | "EXECUTED" | "IMPOSSIBLE" | "SUPERSEDED"
      /** Number of outvoted arbiters. */
      dissent: number
      /** RFC 3339 time in UTC. */
      ruled_at: string
      registered?: string
    }
    detail?: {
      docket: {
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
      /** Newest first. */
      hearings: Array<{
        /** Content address. */
        hearing_id: string
        /** did:oas:<tenant>:<kind>:<64 hex> */
        held_by: string
        /** RFC 3339 time in UTC. */
        held_at: string
        chain_verified: Record<string, boolean>
        findings: number
        unproven: number
      }>
    }
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Answer a case, offer to settle it, withdraw it, or read its documents. */
export interface MootPleadInput {
  /** UUID in lower case. */
  case_id: string
  plea: "deny" | "admit" | "counterclaim" | "settle" | "withdraw" | "view"
  /** Required for every plea except view. */
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

/** Vote on a case as one of its arbiters, with reasons. */
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

/** Set an actuator, inside what its device declares safe, and learn whether it is so. */
export interface MoteActuatorSetStateInput {
  /** did:oas:<tenant>:<kind>:<64 hex>/<sensor or actuator> */
  actuator_id: string
  state: Record<string, number | boolean | string>
  /** Refused where something else was wanted since. */
  expected_version?: number
  /** What must be known before the answer: that it was handed over, taken, or is so. */
  confirm?: "none" | "ack" | "readback"
  timeout_ms?: number
  /** RFC 3339 time in UTC. */
  expires_at?: string
  reason?: string
}

/** Answer of MOTE actuator_set_state. */
export interface MoteActuatorSetStateOutput {
  /** UUID in lower case. */
  command_id: string
  desired_version: number
  status: "confirmed" | "accepted" | "timeout" | "rejected"
  reported?: Record<string, number | boolean | string>
  /** Why the device rejected it, in its word. */
  refusal?: string
  latency_ms: number
}

/** List devices with their sensors and actuators: ranges, last values, and how each stands. */
export interface MoteListInput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  device_did?: string
  /** SILENT: nothing was heard of it for ten minutes. */
  state?: "REPORTING" | "PENDING" | "SILENT"
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MOTE list. */
export interface MoteListOutput {
  broker: "connected" | "away" | "none"
  items: Array<{
    /** did:oas:<tenant>:<kind>:<64 hex> */
    device_did: string
    /** What a device calls its sensor or actuator. */
    name?: string
    state: "REPORTING" | "PENDING" | "SILENT"
    /** RFC 3339 time in UTC. */
    described_at: string
    /** To within half a minute, RFC 3339 in UTC. */
    last_seen_at: string
    signed_readings: boolean
    /** Actuators whose newest command nobody has confirmed. */
    pending: number
    sensors: Array<{
      /** did:oas:<tenant>:<kind>:<64 hex>/<sensor or actuator> */
      sensor_id: string
      unit: string
      /** What it can measure; a reading outside is bad. */
      low: number
      high: number
      sd?: number
      rate_hz?: number
      last?: {
        value: number
        /** RFC 3339 time in UTC. */
        observed_at: string
      }
    }>
    actuators: Array<{
      /** did:oas:<tenant>:<kind>:<64 hex>/<sensor or actuator> */
      actuator_id: string
      fields: Record<string, {
        kind: "number"
        unit?: string
        min: number
        max: number
        /** Allowed are min, min + step, and so on. */
        step?: number
        /** The most it may change per second since it was last set. */
        rate_max_per_s?: number
        /** How far a readback may lie from what was wanted. */
        tolerance?: number
      } | {
        kind: "choice"
        choices: string[]
      } | {
        kind: "flag"
      }>
      interlock?: string
      safe_state: Record<string, number | boolean | string>
      /** The device has confirmed what was last wanted of it. */
      is_confirmed: boolean
      reported?: Record<string, number | boolean | string>
      /** RFC 3339 time in UTC. */
      reported_at?: string
      /** The newest; those that ended long ago are not kept. */
      command?: {
        /** UUID in lower case. */
        command_id: string
        kind: "set" | "safe"
        state: Record<string, number | boolean | string>
        phase: "queued" | "sent" | "acked" | "confirmed" | "rejected" | "timed_out" | "expired" | "unsent" | "cancelled"
        refusal?: string
        /** did:oas:<tenant>:<kind>:<64 hex> */
        by_did: string
        /** UUID in lower case. */
        correlation_id: string
        /** RFC 3339 time in UTC. */
        created_at: string
      }
    }>
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Read a sensor: its latest value, those of a window, or the next one, alone or fused with others. */
export interface MoteSensorReadInput {
  /** did:oas:<tenant>:<kind>:<64 hex>/<sensor or actuator> */
  sensor_id: string
  mode?: "latest" | "window" | "next"
  /** RFC 3339 time in UTC. */
  from?: string
  /** RFC 3339 time in UTC. */
  to?: string
  aggregate?: Array<"last" | "min" | "max" | "mean" | "median" | "p95" | "count" | "stddev">
  /** Samples of a window. */
  limit?: number
  cursor?: string
  /** Older is stale. */
  max_age_ms?: number
  /** For the next one. */
  timeout_ms?: number
  fuse?: string[]
}

/** Answer of MOTE sensor_read. */
export interface MoteSensorReadOutput {
  /** did:oas:<tenant>:<kind>:<64 hex>/<sensor or actuator> */
  sensor_id: string
  value: number
  unit: string
  /** RFC 3339 time in UTC. */
  observed_at: string
  age_ms: number
  quality: "good" | "stale" | "suspect" | "bad"
  samples?: Array<{
    value: number
    /** RFC 3339 time in UTC. */
    observed_at: string
    seq: number
    quality: "good" | "stale" | "suspect" | "bad"
  }>
  /** There are more samples behind this. */
  cursor?: string
  aggregates?: {
    last?: number
    min?: number
    max?: number
    mean?: number
    median?: number
    p95?: number
    count?: number
    stddev?: number
  }
  fused?: {
    value: number
    /** Standard deviation of the value, as far as the sensors are independent. */
    sd: number
    rejected: Array<{
      /** did:oas:<tenant>:<kind>:<64 hex>/<sensor or actuator> */
      sensor_id: string
      reason: "silent" | "stale" | "suspect" | "bad"
    }>
  }
  explanation?: {
    text: string
    /** Who wrote the last part; nothing of it was checked. */
    model?: string
    verified: boolean
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

/** Find repeating patterns, anomalies and changepoints in a series. */
export interface MotifDetectInput {
  /** As it was emitted; svc_… for what the engine measures. */
  metric: string
  /** Labels a series must have. */
  labels?: Record<string, string>
  /** RFC 3339 time in UTC. */
  from?: string
  /** RFC 3339 time in UTC. */
  to?: string
  /** Points a pattern is long; a twentieth of all where absent. */
  window?: number
  kinds?: Array<"motif" | "anomaly" | "changepoint" | "season">
  /** Every organization's; for the operator's own agents that hold svc.admin.observability. */
  all_tenants?: boolean
}

/** Answer of MOTIF detect. */
export interface MotifDetectOutput {
  /** Measured points that were looked at. */
  points: number
  /** Series that matched, looked at together. */
  series: number
  /** From one point to the next, as most of them lie. */
  step_ms: number
  window: number
  motifs: Array<{
    /** RFC 3339 time in UTC. */
    a: string
    /** RFC 3339 time in UTC. */
    b: string
    /** Between z-normalised windows: 0 for the same shape. */
    distance: number
  }>
  /** The window least like any other. */
  discord?: {
    /** RFC 3339 time in UTC. */
    at: string
    /** Between z-normalised windows: 0 for the same shape. */
    distance: number
  }
  anomalies: Array<{
    /** RFC 3339 time in UTC. */
    at: string
    /** Robust standard deviations. */
    score: number
    expected: number
  }>
  changepoints: Array<{
    /** RFC 3339 time in UTC. */
    at: string
    before: number
    after: number
    /** How likely such a step is where nothing changed. */
    p: number
  }>
  period_ms?: number
}

/** Read measurements: your own series, and the metrics of your calls. */
export interface MotifQueryInput {
  /** As it was emitted; svc_… for what the engine measures. */
  metric: string
  /** Labels a series must have. */
  labels?: Record<string, string>
  /** RFC 3339 time in UTC. */
  from: string
  /** RFC 3339 time in UTC. */
  to: string
  /** Length of a window. */
  step_ms?: number
  function?: "raw" | "rate" | "increase" | "avg" | "max" | "p50" | "p95" | "p99"
  /** Every organization's; for the operator's own agents that hold svc.admin.observability. */
  all_tenants?: boolean
}

/** Answer of MOTIF query. */
export interface MotifQueryOutput {
  series: Array<{
    labels: Record<string, string>
    kind: "counter" | "gauge" | "histogram"
    points: Array<number[]>
  }>
  /** The length of a window: as requested, or the finest stored resolution. */
  step_ms: number
  /** The resolution of the stored points. */
  resolution_ms: number
  /** More series matched than are shown, or the range lies partly outside of the stored time. */
  partial: boolean
}

/** Fetch the identity document of a DID and verify its proof. */
export interface OasResolveInput {
  /** did:oas:<tenant>:<kind>:<64 hex> */
  did: string
  /** How stale a cached document may be while the node is unreachable, beyond the cache’s minute. */
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
      parent_key_events?: Array<{
        kind: "inception" | "rotation" | "recovery"
        /** Ed25519 public key, 32 bytes, base64url. */
        public_key: string
        /** The sha256 of the next public key’s 32 bytes. */
        next_key_hash: string
        /** Who can give this identity a new key, and how many of them it takes. */
        recovery?: {
          dids: string[]
          threshold: number
        }
        /** RFC 3339 time in UTC. */
        at: string
        /** The hash of the event before; the DID where there is none. */
        previous: string
        signatures: Array<{
          /** did:oas:<tenant>:<kind>:<64 hex> */
          did: string
          /** Ed25519 public key, 32 bytes, base64url. */
          public_key: string
          /** Ed25519 signature, 64 bytes, base64url. */
          signature: string
          key_events?: Array<Record<string, unknown>>
        }>
      }>
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
    key_events?: Array<{
      kind: "inception" | "rotation" | "recovery"
      /** Ed25519 public key, 32 bytes, base64url. */
      public_key: string
      /** The sha256 of the next public key’s 32 bytes. */
      next_key_hash: string
      /** Who can give this identity a new key, and how many of them it takes. */
      recovery?: {
        dids: string[]
        threshold: number
      }
      /** RFC 3339 time in UTC. */
      at: string
      /** The hash of the event before; the DID where there is none. */
      previous: string
      signatures: Array<{
        /** did:oas:<tenant>:<kind>:<64 hex> */
        did: string
        /** Ed25519 public key, 32 bytes, base64url. */
        public_key: string
        /** Ed25519 signature, 64 bytes, base64url. */
        signature: string
        key_events?: Array<Record<string, unknown>>
      }>
    }>
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
    /** It may do nothing: for good, or while suspended. */
    revoked: boolean
    suspended?: boolean
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
    parent_key_events?: Array<{
      kind: "inception" | "rotation" | "recovery"
      /** Ed25519 public key, 32 bytes, base64url. */
      public_key: string
      /** The sha256 of the next public key’s 32 bytes. */
      next_key_hash: string
      /** Who can give this identity a new key, and how many of them it takes. */
      recovery?: {
        dids: string[]
        threshold: number
      }
      /** RFC 3339 time in UTC. */
      at: string
      /** The hash of the event before; the DID where there is none. */
      previous: string
      signatures: Array<{
        /** did:oas:<tenant>:<kind>:<64 hex> */
        did: string
        /** Ed25519 public key, 32 bytes, base64url. */
        public_key: string
        /** Ed25519 signature, 64 bytes, base64url. */
        signature: string
        key_events?: Array<Record<string, unknown>>
      }>
    }>
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
  /** Whether the node gave the same answer; the local one counts. */
  agrees: boolean
}

/** An event of GET /v1/live. */
export interface LiveFigures {
  /** RFC 3339 time in UTC. */
  at: string
  engine: {
    /** The reporting process; changes after a restart. */
    instance: string
    version: string
    uptime_seconds: number
    /** Null for tenants that are not the engine's operator. */
    in_flight: number | null
    /** Null for tenants that are not the engine's operator. */
    loop_delay_p99_ms: number | null
  }
  /** The tenant's calls that ended since the previous event, about a second ago. */
  second: {
    calls: number
    by_outcome: {
      success: number
      refused: number
      error: number
    }
    /** Calls by refusal code; `ok` for calls that were not refused. */
    by_code: Record<string, number>
  }
  /** The tenant's calls of about the last minute; the busiest protocols first. */
  minute: {
    calls: number
    per_second: number
    latency_ms: {
      p50: number
      p95: number
      p99: number
    }
    /** Calls by refusal code; `ok` for calls that were not refused. */
    by_code: Record<string, number>
    by_protocol: Array<{
      protocol: string
      calls: number
      refused: number
      errors: number
      p95_ms: number
    }>
  }
  stages: Array<{
    stage: number
    name: "resolve_identity" | "resolve_version" | "enrich_context" | "limit_rate" | "gate_capability" | "break_circuit" | "choose_endpoint" | "invoke_module" | "record_outcome"
    p50_ms: number
    p99_ms: number
    /** Null for tenants that are not the engine's operator. */
    calls: number | null
  }>
  breakers: Array<{
    protocol: string
    /** Null for tenants that are not the engine's operator. */
    endpoint: string | null
    state: "CLOSED" | "HALF_OPEN" | "OPEN"
  }>
  /** Read every few seconds; null until then, or while it cannot be read. */
  runway: {
    level: "ample" | "low" | "critical" | "exhausted"
    standing: "active" | "dissolving" | "sealed"
    holds: number
    /** US dollars with six decimal places. */
    spent_usd: string
    /** US dollars with six decimal places. */
    reserved_usd: string
    /** US dollars with six decimal places. */
    left_usd: string
    /** Whole millionths of a US dollar. */
    left_micro_usd: string
  } | null
  audit: {
    state: "normal" | "buffering" | "overflow"
    /** Null for tenants that are not the engine's operator. */
    journal_bytes: number | null
    /** Null for tenants that are not the engine's operator. */
    journal_bytes_max: number | null
    /** Sequence number of the newest record of the tenant's chain; null while there is none. */
    head_seq: number | null
  }
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
    list: { input: MaceListInput; output: MaceListOutput }
    tally: { input: MaceTallyInput; output: MaceTallyOutput }
  }
  MACS: {
    add_workload: { input: MacsAddWorkloadInput; output: MacsAddWorkloadOutput }
    auth_negotiation: { input: MacsAuthNegotiationInput; output: MacsAuthNegotiationOutput }
    authorization_request: { input: MacsAuthorizationRequestInput; output: MacsAuthorizationRequestOutput }
    create_key: { input: MacsCreateKeyInput; output: MacsCreateKeyOutput }
    derive: { input: MacsDeriveInput; output: MacsDeriveOutput }
    explain_access: { input: MacsExplainAccessInput; output: MacsExplainAccessOutput }
    generate_challenge: { input: MacsGenerateChallengeInput; output: MacsGenerateChallengeOutput }
    invite: { input: MacsInviteInput; output: MacsInviteOutput }
    list: { input: MacsListInput; output: MacsListOutput }
    list_keys: { input: MacsListKeysInput; output: MacsListKeysOutput }
    list_workloads: { input: MacsListWorkloadsInput; output: MacsListWorkloadsOutput }
    people: { input: MacsPeopleInput; output: MacsPeopleOutput }
    recover_key: { input: MacsRecoverKeyInput; output: MacsRecoverKeyOutput }
    remove_workload: { input: MacsRemoveWorkloadInput; output: MacsRemoveWorkloadOutput }
    revoke_key: { input: MacsRevokeKeyInput; output: MacsRevokeKeyOutput }
    roles: { input: MacsRolesInput; output: MacsRolesOutput }
    rotate_key: { input: MacsRotateKeyInput; output: MacsRotateKeyOutput }
    set_person: { input: MacsSetPersonInput; output: MacsSetPersonOutput }
    set_role: { input: MacsSetRoleInput; output: MacsSetRoleOutput }
    set_state: { input: MacsSetStateInput; output: MacsSetStateOutput }
    update_identity: { input: MacsUpdateIdentityInput; output: MacsUpdateIdentityOutput }
    verify_response: { input: MacsVerifyResponseInput; output: MacsVerifyResponseOutput }
    withdraw_invitation: { input: MacsWithdrawInvitationInput; output: MacsWithdrawInvitationOutput }
  }
  MADE: {
    asset_definition_publish: { input: MadeAssetDefinitionPublishInput; output: MadeAssetDefinitionPublishOutput }
    economic_contract_create: { input: MadeEconomicContractCreateInput; output: MadeEconomicContractCreateOutput }
    economic_contract_settle: { input: MadeEconomicContractSettleInput; output: MadeEconomicContractSettleOutput }
    list: { input: MadeListInput; output: MadeListOutput }
  }
  MAESTRO: {
    "charter.declare": { input: MaestroCharterDeclareInput; output: MaestroCharterDeclareOutput }
    "goal.refine": { input: MaestroGoalRefineInput; output: MaestroGoalRefineOutput }
    "graph.replan": { input: MaestroGraphReplanInput; output: MaestroGraphReplanOutput }
  }
  MAGE: {
    draft: { input: MageDraftInput; output: MageDraftOutput }
    fetch: { input: MageFetchInput; output: MageFetchOutput }
    publish: { input: MagePublishInput; output: MagePublishOutput }
  }
  MAGI: {
    trace: { input: MagiTraceInput; output: MagiTraceOutput }
  }
  MAKER: {
    emergency_stop: { input: MakerEmergencyStopInput; output: MakerEmergencyStopOutput }
    execute_action: { input: MakerExecuteActionInput; output: MakerExecuteActionOutput }
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
    list: { input: ManaListInput; output: ManaListOutput }
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
  MAT: {
    tool: { input: MatToolInput; output: MatToolOutput }
    tool_discovery: { input: MatToolDiscoveryInput; output: MatToolDiscoveryOutput }
  }
  MATA: {
    pool: { input: MataPoolInput; output: MataPoolOutput }
    weight: { input: MataWeightInput; output: MataWeightOutput }
  }
  MAUSOLEUM: {
    initiate: { input: MausoleumInitiateInput; output: MausoleumInitiateOutput }
    list: { input: MausoleumListInput; output: MausoleumListOutput }
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
    approval_decide: { input: MaximApprovalDecideInput; output: MaximApprovalDecideOutput }
    approval_get: { input: MaximApprovalGetInput; output: MaximApprovalGetOutput }
    approvals: { input: MaximApprovalsInput; output: MaximApprovalsOutput }
    author: { input: MaximAuthorInput; output: MaximAuthorOutput }
    backtest: { input: MaximBacktestInput; output: MaximBacktestOutput }
    constitutional_interpretation: { input: MaximConstitutionalInterpretationInput; output: MaximConstitutionalInterpretationOutput }
    deliberate_dilemma: { input: MaximDeliberateDilemmaInput; output: MaximDeliberateDilemmaOutput }
    list: { input: MaximListInput; output: MaximListOutput }
  }
  MAZE: {
    list: { input: MazeListInput; output: MazeListOutput }
    prove: { input: MazeProveInput; output: MazeProveOutput }
    topology: { input: MazeTopologyInput; output: MazeTopologyOutput }
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
    list: { input: MeritListInput; output: MeritListOutput }
    revoke: { input: MeritRevokeInput; output: MeritRevokeOutput }
  }
  MIM: {
    list: { input: MimListInput; output: MimListOutput }
    message_receive: { input: MimMessageReceiveInput; output: MimMessageReceiveOutput }
    message_send: { input: MimMessageSendInput; output: MimMessageSendOutput }
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
    list: { input: MoatListInput; output: MoatListOutput }
    propose: { input: MoatProposeInput; output: MoatProposeOutput }
    propose_amendment: { input: MoatProposeAmendmentInput; output: MoatProposeAmendmentOutput }
    sign: { input: MoatSignInput; output: MoatSignOutput }
    sign_amendment: { input: MoatSignAmendmentInput; output: MoatSignAmendmentOutput }
    terminate: { input: MoatTerminateInput; output: MoatTerminateOutput }
  }
  MOMENT: {
    slo: { input: MomentSloInput; output: MomentSloOutput }
    snapshot: { input: MomentSnapshotInput; output: MomentSnapshotOutput }
  }
  MOON: {
    execute_workflow: { input: MoonExecuteWorkflowInput; output: MoonExecuteWorkflowOutput }
    list: { input: MoonListInput; output: MoonListOutput }
    submit_manifest: { input: MoonSubmitManifestInput; output: MoonSubmitManifestOutput }
  }
  MOOT: {
    file: { input: MootFileInput; output: MootFileOutput }
    hear: { input: MootHearInput; output: MootHearOutput }
    list: { input: MootListInput; output: MootListOutput }
    plead: { input: MootPleadInput; output: MootPleadOutput }
    rule: { input: MootRuleInput; output: MootRuleOutput }
  }
  MOTE: {
    actuator_set_state: { input: MoteActuatorSetStateInput; output: MoteActuatorSetStateOutput }
    list: { input: MoteListInput; output: MoteListOutput }
    sensor_read: { input: MoteSensorReadInput; output: MoteSensorReadOutput }
  }
  MOTET: {
    emit: { input: MotetEmitInput; output: MotetEmitOutput }
  }
  MOTIF: {
    detect: { input: MotifDetectInput; output: MotifDetectOutput }
    query: { input: MotifQueryInput; output: MotifQueryOutput }
  }
  OAS: {
    resolve: { input: OasResolveInput; output: OasResolveOutput }
    verify_lineage: { input: OasVerifyLineageInput; output: OasVerifyLineageOutput }
  }
}
