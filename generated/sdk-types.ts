// Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.

/** Get a nonce to sign before a sensitive delegation. */
export interface AegisChallengeInput {
  /** Who will answer: you, or an identity you derived. */
  subject_did: string
  /** What the answer is for. */
  purpose: "delegate" | "accept" | "revoke"
  /** What would be delegated; absent: not restricted. */
  capabilities?: string[]
}

/** Answer of Aegis challenge. */
export interface AegisChallengeOutput {
  /** Names the challenge in delegate and policy. */
  challenge_id: string
  /** Random, used once. */
  nonce: string
  /** It must be answered by then. */
  expires_at: string
  /** The exact text to sign with the key of the subject. */
  signing_input: string
}

/** Delegate part of your authority to another identity of your tenant, until a time. */
export interface AegisDelegateInput {
  /** Who receives: an identity of your organization. */
  to_did: string
  /** What to delegate: names, or names with bounds of their own. */
  capabilities: Array<string | {
    /** Capability, or svc.<protocol>.* for a whole protocol. */
    name: string
    /** When it ends; absent: with the delegation. */
    expires_at?: string
    /** Bounds on its use; those of the source are added. */
    limits?: {
      /** Basis points of the tenant budget per call. */
      max_per_call_bps?: number
      /** Calls per hour. */
      max_per_hour?: number
      /** Hard token ceiling per call. */
      max_tokens?: number
    }
    /** Conditions such as time:09-17; those of the source are added. */
    caveats?: string[]
  }>
  /** How many further times it may be passed on. */
  max_redelegation_depth?: number
  /** When it ends; at most 90 days ahead. */
  expires_at: string
  /** Where to check whether this token is revoked. */
  revocation_url?: string
  /** Delegation you pass on; absent: your own capabilities. */
  parent_token?: string
  /** Challenge that you answered; needed where a policy demands it. */
  challenge_id?: string
  /** Of the challenge's signing_input; needed with challenge_id. */
  challenge_signature?: string
  /** Key that made your signatures; needed unless the engine keeps it. */
  public_key?: string
  /** Of the token by your key; absent: the engine signs if it keeps your key. */
  signature?: string
}

/** Answer of Aegis delegate. */
export interface AegisDelegateOutput {
  /** The delegation as signed. */
  token: {
    /** Who delegates. */
    from_did: string
    /** Who receives. */
    to_did: string
    /** What is delegated; never more than the delegator holds. */
    capabilities: Array<{
      /** Name as svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
      name: string
      /** When it ends; absent: it does not end by itself. */
      expires_at?: string
      /** Bounds on use; absent: none. */
      limits?: {
        /** Basis points of the tenant budget per call. */
        max_per_call_bps?: number
        /** Calls per hour. */
        max_per_hour?: number
        /** Hard token ceiling per call. */
        max_tokens?: number
      }
      /** Conditions such as time:09-17, jurisdiction:DE, weekly_budget:5 or action_kind:read; each must hold. */
      caveats: string[]
    }>
    /** How many times this may be delegated further; 0 means never. */
    max_redelegation_depth: number
    /** It ends then. */
    expires_at: string
    /** Where to check whether this token is revoked. */
    revocation_url?: string
    /** By the delegator, base64url. */
    signature: string
  }
  /** Hash of the token. */
  token_id: string
  /** How many further times it may be passed on. */
  remaining_depth: number
  /** Bounds of the source were added to the request. */
  attenuated: boolean
}

/** See, set, test or withdraw your delegations. */
export interface AegisPolicyInput {
  /** get rules and delegations, set rules, evaluate a delegation without making it, or revoke one. */
  action: "get" | "set" | "evaluate" | "revoke"
  /** For set: your new rules; they replace all before. */
  rules?: {
    /** How many times a delegated capability may be delegated further. */
    max_depth?: number
    /** How long a delegation may last. */
    max_ttl_seconds?: number
    /** Capabilities that are never delegated. */
    never?: string[]
    /** Capabilities that are delegated only with an answered challenge. */
    require_challenge?: string[]
    /** Kinds of identity that may receive; absent: all. */
    allow_kinds?: string[]
  }
  /** For evaluate: who would delegate. */
  from_did?: string
  /** For evaluate: who would receive. */
  to_did?: string
  /** For evaluate: what would be delegated. */
  capabilities?: Array<string | {
    /** Capability, or svc.<protocol>.* for a whole protocol. */
    name: string
    /** When it ends; absent: with the delegation. */
    expires_at?: string
    /** Bounds on its use; those of the source are added. */
    limits?: {
      /** Basis points of the tenant budget per call. */
      max_per_call_bps?: number
      /** Calls per hour. */
      max_per_hour?: number
      /** Hard token ceiling per call. */
      max_tokens?: number
    }
    /** Conditions such as time:09-17; those of the source are added. */
    caveats?: string[]
  }>
  /** How many further times it may be passed on. */
  max_redelegation_depth?: number
  /** For evaluate: when it would end. */
  expires_at?: string
  /** For evaluate: delegation that would be passed on. */
  parent_token?: string
  /** For revoke: the delegation to end, with all made from it. */
  token_id?: string
  /** For revoke: why. */
  reason?: string
  /** Challenge that you answered; needed where a policy demands it. */
  challenge_id?: string
  /** Of the challenge's signing_input; needed with challenge_id. */
  challenge_signature?: string
  /** Key that made your signatures; needed unless the engine keeps it. */
  public_key?: string
  /** For get: delegations per page at most. */
  limit?: number
  /** For get: next_cursor of the previous page. */
  cursor?: string
}

/** Answer of Aegis policy. */
export interface AegisPolicyOutput {
  /** Your rules; for get and set. */
  rules?: {
    /** How many times a delegated capability may be delegated further. */
    max_depth?: number
    /** How long a delegation may last. */
    max_ttl_seconds?: number
    /** Capabilities that are never delegated. */
    never?: string[]
    /** Capabilities that are delegated only with an answered challenge. */
    require_challenge?: string[]
    /** Kinds of identity that may receive; absent: all. */
    allow_kinds?: string[]
  }
  /** 0 if no rules were ever set. */
  version?: number
  /** When they were set; absent: never. */
  in_force_from?: string
  /** Delegations you gave or received; for get. */
  delegations?: Array<{
    /** Hash of the token. */
    token_id: string
    /** The delegation as signed. */
    token: {
      /** Who delegates. */
      from_did: string
      /** Who receives. */
      to_did: string
      /** What is delegated; never more than the delegator holds. */
      capabilities: Array<{
        /** Name as svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
        name: string
        /** When it ends; absent: it does not end by itself. */
        expires_at?: string
        /** Bounds on use; absent: none. */
        limits?: {
          /** Basis points of the tenant budget per call. */
          max_per_call_bps?: number
          /** Calls per hour. */
          max_per_hour?: number
          /** Hard token ceiling per call. */
          max_tokens?: number
        }
        /** Conditions such as time:09-17, jurisdiction:DE, weekly_budget:5 or action_kind:read; each must hold. */
        caveats: string[]
      }>
      /** How many times this may be delegated further; 0 means never. */
      max_redelegation_depth: number
      /** It ends then. */
      expires_at: string
      /** Where to check whether this token is revoked. */
      revocation_url?: string
      /** By the delegator, base64url. */
      signature: string
    }
    /** Delegation it passes on; absent: the delegator's own capabilities. */
    parent_token?: string
    /** PARENT_REVOKED: a delegation it depends on was revoked. */
    state: "ACTIVE" | "EXPIRED" | "REVOKED" | "PARENT_REVOKED"
    /** When it was made. */
    issued_at: string
  }>
  /** There may be more delegations. */
  next_cursor?: string
  /** Whether it could be made; for evaluate. */
  allowed?: boolean
  /** Why not; for evaluate. */
  reasons?: string[]
  /** Delegations that ended; for revoke. */
  revoked?: string[]
  /** When they ended; for revoke. */
  at?: string
}

/** Get one definition; its digest and publisher are verified. */
export interface ArsenalFetchInput {
  /** acme/summarize as published, svc/<protocol>.<operation> of this engine, mcp/<server>/<tool> as approved in MAT. */
  id: string
  /** A full version, or a major such as v1 for its newest release. */
  version?: string
  /** Accept only the definition with this hash. */
  digest?: string
}

/** Answer of Arsenal fetch. */
export interface ArsenalFetchOutput {
  /** The tool as its publisher defines it. */
  definition: {
    /** Name by which it is called. */
    name: string
    /** What it does, for those who choose tools. */
    description: string
    /** JSON Schema of its input. */
    inputSchema: Record<string, unknown>
    /** JSON Schema of its output; absent: not declared. */
    outputSchema?: Record<string, unknown>
    /** Where it is called; absent: not over the network. */
    endpoint?: string
    /** What its publisher says of it, such as whether it only reads. */
    annotations: Record<string, unknown>
  }
  /** Hash of the definition. */
  digest: string
  /** acme/summarize as published, svc/<protocol>.<operation> of this engine, mcp/<server>/<tool> as approved in MAT. */
  id: string
  /** The version that was fetched. */
  version: string
  /** Who publishes it. */
  publisher_did: string
  /** Signed by its publisher; an operation of this engine; or approved in MAT by your organization. */
  source: "published" | "built_in" | "approved"
  /** False for tools of this engine, which come from nowhere else and are not signed. */
  signature_valid: boolean
  /** Whether this engine trusts the publisher. */
  trusted_publisher: boolean
  /** The version before it. */
  previous?: {
    /** Its version. */
    version: string
    /** Hash of its definition. */
    digest: string
  }
}

/** Browse tools, skills, workflows, models and datasets. */
export interface ArsenalListInput {
  /** Only entries of this kind. */
  kind?: "tool" | "skill" | "workflow" | "model" | "dataset"
  /** Search terms; supports "a phrase", or, and -not. */
  query?: string
  /** Only entries with this tag. */
  tag?: string
  /** Only entries of this publisher. */
  publisher_did?: string
  /** Only entries that need this capability. */
  capability?: string
  /** Entries per page at most. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of Arsenal list. */
export interface ArsenalListOutput {
  /** Published entries by name, then the tools of this engine. */
  items: Array<{
    /** acme/summarize as published, svc/<protocol>.<operation> of this engine, mcp/<server>/<tool> as approved in MAT. */
    id: string
    /** Name by which it is called. */
    name: string
    /** A semantic version, e.g. v1.2.0. */
    version: string
    /** What the entry is. */
    kind: "tool" | "skill" | "workflow" | "model" | "dataset"
    /** Who publishes it. */
    publisher_did: string
    /** What it does, in a few sentences. */
    summary: string
    /** Hash of its definition. */
    digest: string
    /** Capabilities that its use needs. */
    required_capabilities: string[]
    /** Short words to find it by. */
    tags: string[]
    /** Whether its publisher advises against new use. */
    deprecated: boolean
    /** Signed by its publisher; an operation of this engine; or approved in MAT by your organization. */
    source: "published" | "built_in" | "approved"
  }>
  /** There are more entries. */
  next_cursor?: string
  /** Number of entries on this page without a valid signature. */
  rejected: number
}

/** Convene a council on a motion. */
export interface MaceConveneInput {
  /** Its text, or title and text with what it authorizes and changes. */
  motion: string | {
    /** Short name for lists. */
    title: string
    /** What is put to the vote; it cannot be changed later. */
    text: string
    /** Binds the whole organization; always true if binds or effects do. */
    charter_level?: boolean
    /** Operations that the verdict authorizes once passed. */
    binds?: Array<{
      /** Protocol of the operation that the verdict authorizes. */
      protocol: string
      /** Operation that the verdict authorizes. */
      operation: string
      /** What the operation may be applied to: a hash, or a name defined by the operation. */
      subject: string
    }>
    /** Changes made in the moment it passes. */
    effects?: Array<{
      /** What the motion changes when it passes: who is a charter member. */
      kind: "charter_members"
      /** New charter members. */
      add?: string[]
      /** Charter members who leave. */
      remove?: string[]
    }>
    /** Days for which a passed verdict may be used. */
    authority_ttl_days?: number
    /** How often a passed verdict may be used. */
    max_uses?: number
    /** Who may use the verdict; absent: any charter member. */
    executor_did?: string
  }
  /** simple and majority: more than half attend, more than half agree. n/d sets only the threshold. */
  quorum: "simple" | "majority" | "supermajority" | "unanimous" | string | {
    /** Share of the seats that must attend, such as 1/2. */
    attendance: string
    /** Share of the votes for and against that must agree, such as 2/3. */
    threshold: string
  }
  /** Time until the deadline; at least an hour for a charter-level motion of several seats. */
  deadline_ms: number
  /** How long seats may still object after the last position, where nothing can change any more. A vote of all seats needs no wait, and the deadline ends it. At least an hour for a charter-level motion of several seats. */
  objection_ms?: number
  /** Who sits in the council and who must take part. */
  composition_rules: {
    /** Members who must attend at least, whatever the quorum. */
    min_delegates?: number
    /** Must take part, or there is no quorum. */
    must_include_did?: string | string[]
    /** The seats. Default, and fixed for charter-level motions: all charter members. */
    delegates?: string[]
  }
}

/** Answer of MACE convene. */
export interface MaceConveneOutput {
  /** Names the motion in the other MACE operations. */
  motion_id: string
  /** Council of this motion; it ends with the motion. */
  council_id: string
  /** Hash of the motion; votes sign it. */
  motion_hash: string
  /** CONVENED until enough members appeared, then OPEN for votes; ends as TALLIED, LAPSED or WITHDRAWN. */
  state: "CONVENED" | "OPEN" | "TALLIED" | "LAPSED" | "WITHDRAWN"
  /** Short name for lists. */
  title: string
  /** What is put to the vote. */
  text: string
  /** Whether it binds the whole organization; seats are then all charter members. */
  charter_level: boolean
  /** Operations that the verdict authorizes once passed. */
  binds: Array<{
    /** Protocol of the operation that the verdict authorizes. */
    protocol: string
    /** Operation that the verdict authorizes. */
    operation: string
    /** What the operation may be applied to: a hash, or a name defined by the operation. */
    subject: string
  }>
  /** Changes made in the moment it passes. */
  effects: Array<{
    /** What changes: who is a charter member. */
    kind: "charter_members"
    /** New charter members. */
    add: string[]
    /** Charter members who leave. */
    remove: string[]
  }>
  /** Days for which a passed verdict may be used. */
  authority_ttl_days: number
  /** How often a passed verdict may be used. */
  max_uses: number
  /** Who may use the verdict; absent: any charter member. */
  executor_did?: string
  /** DID that called the council. */
  convened_by: string
  /** Members of the council. */
  seats: Array<{
    /** The member. */
    did: string
    /** Whether there is no quorum without this member. */
    required: boolean
  }>
  /** Who has appeared, and how many must. */
  attendance: {
    /** Seats that voted, abstained or are present. */
    present: number
    /** Seats needed for a quorum. */
    needed: number
  }
  /** Seats needed for a quorum. */
  attendance_needed: number
  /** Agreement needed to pass. */
  threshold: {
    /** Share of the votes for and against. */
    of_votes: string
    /** Share of all seats; charter-level motions only. */
    of_seats?: string
  }
  /** What is needed for voting to open, in words. */
  opens_when: string
  /** Positions are taken until then. */
  deadline_at: string
  /** How long seats may still object after the last position of a settled vote. */
  objection_ms: number
}

/** Take a seat, argue or vote; the last position before the deadline counts. */
export interface MaceDeliberateInput {
  /** Motion to take a position on. */
  motion_id: string
  /** Abstain and present count for attendance only; recuse leaves the count. The last one counts. */
  position: "for" | "against" | "abstain" | "recuse" | "present"
  /** Why; published with the verdict, also if outvoted. */
  reasoning: string
  /** Evidence that must exist; it is checked. */
  citations?: string[]
  /** Of the vote; absent: the engine signs if it keeps your key. Charter-level votes must be signed. */
  signature?: string
  /** Key that made the signature; needed unless the engine keeps it. */
  public_key?: string
}

/** Answer of MACE deliberate. */
export interface MaceDeliberateOutput {
  /** Names this position in the verdict. */
  position_id: string
  /** CONVENED until enough members appeared, then OPEN for votes; ends as TALLIED, LAPSED or WITHDRAWN. */
  state: "CONVENED" | "OPEN" | "TALLIED" | "LAPSED" | "WITHDRAWN"
  /** Who has appeared, and how many must. */
  attendance: {
    /** Seats that voted, abstained or are present. */
    present: number
    /** Seats needed for a quorum. */
    needed: number
  }
  /** Your position as it counts now. */
  counted_position: "for" | "against" | "abstain" | "recuse" | "present"
  /** Number of positions you have taken on this motion. */
  revision: number
  /** When it may be tallied as things are now; until then every seat may still take a position or dissent. */
  closes_at: string
}

/** List the motions of your organization, or read one in full with its votes and dissent. */
export interface MaceListInput {
  /** Only this motion. */
  motion_id?: string
  /** Only motions in this state now. */
  state?: "CONVENED" | "OPEN" | "TALLIED" | "LAPSED" | "WITHDRAWN"
  /** True: only those that bind the whole organization; false: only others. */
  charter_level?: boolean
  /** Only with motion_id. */
  include_detail?: boolean
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MACE list. */
export interface MaceListOutput {
  /** Motions, newest first. */
  items: Array<{
    /** Names the motion in the other MACE operations. */
    motion_id: string
    /** Council of this motion; it ends with the motion. */
    council_id: string
    /** Hash of the motion; votes sign it. */
    motion_hash: string
    /** CONVENED until enough members appeared, then OPEN for votes; ends as TALLIED, LAPSED or WITHDRAWN. */
    state: "CONVENED" | "OPEN" | "TALLIED" | "LAPSED" | "WITHDRAWN"
    /** Short name for lists. */
    title: string
    /** Whether it binds the whole organization. */
    charter_level: boolean
    /** Operations that the verdict authorizes once passed. */
    binds: Array<{
      /** Protocol of the operation that the verdict authorizes. */
      protocol: string
      /** Operation that the verdict authorizes. */
      operation: string
      /** What the operation may be applied to: a hash, or a name defined by the operation. */
      subject: string
    }>
    /** DID that called the council. */
    convened_by: string
    /** When the council was called. */
    convened_at: string
    /** Positions are taken until then. */
    deadline_at: string
    /** Number of members in the council. */
    seats: number
    /** Who has appeared, and how many must. */
    attendance: {
      /** Seats that voted, abstained or are present. */
      present: number
      /** Seats needed for a quorum. */
      needed: number
    }
    /** Agreement needed to pass. */
    threshold: {
      /** Share of the votes for and against. */
      of_votes: string
      /** Share of all seats; charter-level motions only. */
      of_seats?: string
    }
    /** Result; absent before the tally. */
    verdict?: {
      /** Reference to cite as authority. */
      ref: string
      /** NO_QUORUM: too few took part, or a required member did not. */
      outcome: "PASSED" | "FAILED" | "NO_QUORUM"
      /** Seats by final position. */
      counts: {
        /** Votes for. */
        for: number
        /** Votes against. */
        against: number
        /** Attended without voting for or against. */
        abstain: number
        /** Members who recused themselves. */
        recused: number
        /** Members who took no position. */
        absent: number
      }
      /** Number of outvoted seats. */
      dissent: number
      /** When the result was declared. */
      tallied_at: string
      /** The verdict authorizes nothing after this. */
      valid_until: string
      /** How often it has been used. */
      uses: number
      /** How often it may be used. */
      max_uses: number
    }
    /** Motion, quorum and verdict in full; with include_detail. */
    detail?: {
      /** The motion in full. */
      motion: {
        /** Names the motion in the other MACE operations. */
        motion_id: string
        /** Council of this motion; it ends with the motion. */
        council_id: string
        /** Hash of the motion; votes sign it. */
        motion_hash: string
        /** CONVENED until enough members appeared, then OPEN for votes; ends as TALLIED, LAPSED or WITHDRAWN. */
        state: "CONVENED" | "OPEN" | "TALLIED" | "LAPSED" | "WITHDRAWN"
        /** Short name for lists. */
        title: string
        /** What is put to the vote. */
        text: string
        /** Whether it binds the whole organization; seats are then all charter members. */
        charter_level: boolean
        /** Operations that the verdict authorizes once passed. */
        binds: Array<{
          /** Protocol of the operation that the verdict authorizes. */
          protocol: string
          /** Operation that the verdict authorizes. */
          operation: string
          /** What the operation may be applied to: a hash, or a name defined by the operation. */
          subject: string
        }>
        /** Changes made in the moment it passes. */
        effects: Array<{
          /** What changes: who is a charter member. */
          kind: "charter_members"
          /** New charter members. */
          add: string[]
          /** Charter members who leave. */
          remove: string[]
        }>
        /** Days for which a passed verdict may be used. */
        authority_ttl_days: number
        /** How often a passed verdict may be used. */
        max_uses: number
        /** Who may use the verdict; absent: any charter member. */
        executor_did?: string
        /** DID that called the council. */
        convened_by: string
        /** Members of the council. */
        seats: Array<{
          /** The member. */
          did: string
          /** Whether there is no quorum without this member. */
          required: boolean
        }>
        /** Who has appeared, and how many must. */
        attendance: {
          /** Seats that voted, abstained or are present. */
          present: number
          /** Seats needed for a quorum. */
          needed: number
        }
        /** Seats needed for a quorum. */
        attendance_needed: number
        /** Agreement needed to pass. */
        threshold: {
          /** Share of the votes for and against. */
          of_votes: string
          /** Share of all seats; charter-level motions only. */
          of_seats?: string
        }
        /** What is needed for voting to open, in words. */
        opens_when: string
        /** Positions are taken until then. */
        deadline_at: string
        /** How long seats may still object after the last position of a settled vote. */
        objection_ms: number
      }
      /** Attendance and agreement it needs. */
      quorum: {
        /** Share of the seats that are not recused. */
        attendance: string
        /** Share of the votes for and against. */
        threshold: string
        /** Members who must attend at least, whatever the quorum. */
        min_delegates: number
      }
      /** Result with majority and dissent; absent before the tally. */
      verdict?: {
        /** The motion. */
        motion_id: string
        /** CONVENED until enough members appeared, then OPEN for votes; ends as TALLIED, LAPSED or WITHDRAWN. */
        state: "CONVENED" | "OPEN" | "TALLIED" | "LAPSED" | "WITHDRAWN"
        /** The motion in full; for view and withdraw. */
        motion?: {
          /** Names the motion in the other MACE operations. */
          motion_id: string
          /** Council of this motion; it ends with the motion. */
          council_id: string
          /** Hash of the motion; votes sign it. */
          motion_hash: string
          /** CONVENED until enough members appeared, then OPEN for votes; ends as TALLIED, LAPSED or WITHDRAWN. */
          state: "CONVENED" | "OPEN" | "TALLIED" | "LAPSED" | "WITHDRAWN"
          /** Short name for lists. */
          title: string
          /** What is put to the vote. */
          text: string
          /** Whether it binds the whole organization; seats are then all charter members. */
          charter_level: boolean
          /** Operations that the verdict authorizes once passed. */
          binds: Array<{
            /** Protocol of the operation that the verdict authorizes. */
            protocol: string
            /** Operation that the verdict authorizes. */
            operation: string
            /** What the operation may be applied to: a hash, or a name defined by the operation. */
            subject: string
          }>
          /** Changes made in the moment it passes. */
          effects: Array<{
            /** What changes: who is a charter member. */
            kind: "charter_members"
            /** New charter members. */
            add: string[]
            /** Charter members who leave. */
            remove: string[]
          }>
          /** Days for which a passed verdict may be used. */
          authority_ttl_days: number
          /** How often a passed verdict may be used. */
          max_uses: number
          /** Who may use the verdict; absent: any charter member. */
          executor_did?: string
          /** DID that called the council. */
          convened_by: string
          /** Members of the council. */
          seats: Array<{
            /** The member. */
            did: string
            /** Whether there is no quorum without this member. */
            required: boolean
          }>
          /** Who has appeared, and how many must. */
          attendance: {
            /** Seats that voted, abstained or are present. */
            present: number
            /** Seats needed for a quorum. */
            needed: number
          }
          /** Seats needed for a quorum. */
          attendance_needed: number
          /** Agreement needed to pass. */
          threshold: {
            /** Share of the votes for and against. */
            of_votes: string
            /** Share of all seats; charter-level motions only. */
            of_seats?: string
          }
          /** What is needed for voting to open, in words. */
          opens_when: string
          /** Positions are taken until then. */
          deadline_at: string
          /** How long seats may still object after the last position of a settled vote. */
          objection_ms: number
        }
        /** Hash of the verdict with every position. */
        verdict_id?: string
        /** Reference to cite as authority. */
        ref?: string
        /** Its entry in the registry. */
        registered?: string
        /** NO_QUORUM: too few took part, or a required member did not. */
        outcome?: "PASSED" | "FAILED" | "NO_QUORUM"
        /** Seats by final position. */
        counts?: {
          /** Votes for. */
          for: number
          /** Votes against. */
          against: number
          /** Attended without voting for or against. */
          abstain: number
          /** Members who recused themselves. */
          recused: number
          /** Members who took no position. */
          absent: number
        }
        /** Who appeared, and how many had to. */
        attendance?: {
          /** Seats that voted, abstained or are present. */
          present: number
          /** Seats needed for a quorum. */
          needed: number
        }
        /** Agreement needed to pass. */
        threshold?: {
          /** Share of the votes for and against. */
          of_votes: string
          /** Share of all seats; charter-level motions only. */
          of_seats?: string
        }
        /** Members whose side won, with reasons. */
        majority?: Array<{
          /** Member of the council. */
          did: string
          /** The reasons given. */
          reasoning: string
          /** Names the position. */
          position_id: string
        }>
        /** Members who were outvoted, with reasons. */
        dissent?: Array<{
          /** Member of the council. */
          did: string
          /** The reasons given. */
          reasoning: string
          /** Names the position. */
          position_id: string
        }>
        /** Operations that it authorizes. */
        binds?: Array<{
          /** Protocol of the operation that the verdict authorizes. */
          protocol: string
          /** Operation that the verdict authorizes. */
          operation: string
          /** What the operation may be applied to: a hash, or a name defined by the operation. */
          subject: string
        }>
        /** How often it may be used. */
        max_uses?: number
        /** It authorizes nothing after this. */
        valid_until?: string
        /** Changes that were made with it. */
        effects_applied?: Array<{
          /** What changed: who is a charter member. */
          kind: "charter_members"
          /** New charter members. */
          add: string[]
          /** Charter members who left. */
          remove: string[]
        }>
      }
      /** The last position of each seat, once the motion is tallied. */
      positions?: Array<{
        /** Member who took it. */
        did: string
        /** Abstain and present count for attendance only; recuse leaves the count. */
        position: "for" | "against" | "abstain" | "recuse" | "present"
        /** Names the position in the verdict. */
        position_id: string
        /** Own: by the member's key. Custodial: by the engine, which keeps the key. No: unsigned. */
        signed: "own" | "custodial" | "no"
      }>
    }
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Tally a motion and declare its verdict with the dissent, or view or withdraw the motion. */
export interface MaceTallyInput {
  /** Motion to close or view. */
  motion_id: string
  /** Default tally: declare the result. View changes nothing; withdraw ends it without a result. */
  action?: "tally" | "view" | "withdraw"
}

/** Answer of MACE tally. */
export interface MaceTallyOutput {
  /** The motion. */
  motion_id: string
  /** CONVENED until enough members appeared, then OPEN for votes; ends as TALLIED, LAPSED or WITHDRAWN. */
  state: "CONVENED" | "OPEN" | "TALLIED" | "LAPSED" | "WITHDRAWN"
  /** The motion in full; for view and withdraw. */
  motion?: {
    /** Names the motion in the other MACE operations. */
    motion_id: string
    /** Council of this motion; it ends with the motion. */
    council_id: string
    /** Hash of the motion; votes sign it. */
    motion_hash: string
    /** CONVENED until enough members appeared, then OPEN for votes; ends as TALLIED, LAPSED or WITHDRAWN. */
    state: "CONVENED" | "OPEN" | "TALLIED" | "LAPSED" | "WITHDRAWN"
    /** Short name for lists. */
    title: string
    /** What is put to the vote. */
    text: string
    /** Whether it binds the whole organization; seats are then all charter members. */
    charter_level: boolean
    /** Operations that the verdict authorizes once passed. */
    binds: Array<{
      /** Protocol of the operation that the verdict authorizes. */
      protocol: string
      /** Operation that the verdict authorizes. */
      operation: string
      /** What the operation may be applied to: a hash, or a name defined by the operation. */
      subject: string
    }>
    /** Changes made in the moment it passes. */
    effects: Array<{
      /** What changes: who is a charter member. */
      kind: "charter_members"
      /** New charter members. */
      add: string[]
      /** Charter members who leave. */
      remove: string[]
    }>
    /** Days for which a passed verdict may be used. */
    authority_ttl_days: number
    /** How often a passed verdict may be used. */
    max_uses: number
    /** Who may use the verdict; absent: any charter member. */
    executor_did?: string
    /** DID that called the council. */
    convened_by: string
    /** Members of the council. */
    seats: Array<{
      /** The member. */
      did: string
      /** Whether there is no quorum without this member. */
      required: boolean
    }>
    /** Who has appeared, and how many must. */
    attendance: {
      /** Seats that voted, abstained or are present. */
      present: number
      /** Seats needed for a quorum. */
      needed: number
    }
    /** Seats needed for a quorum. */
    attendance_needed: number
    /** Agreement needed to pass. */
    threshold: {
      /** Share of the votes for and against. */
      of_votes: string
      /** Share of all seats; charter-level motions only. */
      of_seats?: string
    }
    /** What is needed for voting to open, in words. */
    opens_when: string
    /** Positions are taken until then. */
    deadline_at: string
    /** How long seats may still object after the last position of a settled vote. */
    objection_ms: number
  }
  /** Hash of the verdict with every position. */
  verdict_id?: string
  /** Reference to cite as authority. */
  ref?: string
  /** Its entry in the registry. */
  registered?: string
  /** NO_QUORUM: too few took part, or a required member did not. */
  outcome?: "PASSED" | "FAILED" | "NO_QUORUM"
  /** Seats by final position. */
  counts?: {
    /** Votes for. */
    for: number
    /** Votes against. */
    against: number
    /** Attended without voting for or against. */
    abstain: number
    /** Members who recused themselves. */
    recused: number
    /** Members who took no position. */
    absent: number
  }
  /** Who appeared, and how many had to. */
  attendance?: {
    /** Seats that voted, abstained or are present. */
    present: number
    /** Seats needed for a quorum. */
    needed: number
  }
  /** Agreement needed to pass. */
  threshold?: {
    /** Share of the votes for and against. */
    of_votes: string
    /** Share of all seats; charter-level motions only. */
    of_seats?: string
  }
  /** Members whose side won, with reasons. */
  majority?: Array<{
    /** Member of the council. */
    did: string
    /** The reasons given. */
    reasoning: string
    /** Names the position. */
    position_id: string
  }>
  /** Members who were outvoted, with reasons. */
  dissent?: Array<{
    /** Member of the council. */
    did: string
    /** The reasons given. */
    reasoning: string
    /** Names the position. */
    position_id: string
  }>
  /** Operations that it authorizes. */
  binds?: Array<{
    /** Protocol of the operation that the verdict authorizes. */
    protocol: string
    /** Operation that the verdict authorizes. */
    operation: string
    /** What the operation may be applied to: a hash, or a name defined by the operation. */
    subject: string
  }>
  /** How often it may be used. */
  max_uses?: number
  /** It authorizes nothing after this. */
  valid_until?: string
  /** Changes that were made with it. */
  effects_applied?: Array<{
    /** What changed: who is a charter member. */
    kind: "charter_members"
    /** New charter members. */
    add: string[]
    /** Charter members who left. */
    remove: string[]
  }>
}

/** List your requests for access, or those that you may decide. */
export interface MacsAccessRequestsInput {
  /** own: what you asked for. to_decide: what others did. Default own. */
  side?: "own" | "to_decide"
  /** Only those in this state; absent: all. */
  state?: "OPEN" | "GRANTED" | "REFUSED" | "EXPIRED"
}

/** Answer of MACS access_requests. */
export interface MacsAccessRequestsOutput {
  /** Newest first. Empty where you may not decide. */
  items: Array<{
    /** Names the request. */
    request_id: string
    /** Identity of the person who asked. */
    agent_did: string
    /** Name of the person who asked, or the login. */
    person: string
    /** What the person wants to call; absent: a role. */
    capability?: string
    /** The role that is wanted; absent: a capability. */
    role?: string
    /** Roles that would allow it, the narrowest first. */
    fitting_roles: string[]
    /** OPEN: nobody has decided. GRANTED: a role was given. REFUSED: it was not. EXPIRED: nobody decided in time. */
    state: "OPEN" | "GRANTED" | "REFUSED" | "EXPIRED"
    /** When it was asked for. */
    requested_at: string
    /** It can be decided until then. */
    expires_at: string
    /** When it was decided; absent: not yet. */
    decided_at?: string
    /** Who decided; absent: nobody has. */
    decided_by?: string
    /** The role that was given; absent: none. */
    role_given?: string
  }>
}

/** Let tokens of another platform act as you or a descendant, without a stored secret. */
export interface MacsAddWorkloadInput {
  /** Identity that such a workload acts as. */
  agent_did: string
  /** As in the iss of its tokens; its public keys are read there. */
  issuer: string
  /** As in the aud of its tokens. */
  audience: string
  /** Accepted texts of each claim; all claims must fit. A name that begins with / leads into objects. */
  claims: Record<string, string[]>
}

/** Answer of MACS add_workload. */
export interface MacsAddWorkloadOutput {
  /** Names the mapping, to remove it. */
  workload_id: string
  /** Identity that such a workload acts as. */
  agent_did: string
  /** As in the iss of its tokens; its public keys are read there. */
  issuer: string
  /** As in the aud of its tokens. */
  audience: string
  /** Accepted texts of each claim; all claims must fit. A name that begins with / leads into objects. */
  claims: Record<string, string[]>
}

/** Agree on how this agent will prove its identity. */
export interface MacsAuthNegotiationInput {
  /** How to prove: DidAuth with its own key, DelegatedAuth with a delegation too. */
  profile: string
  /** What to sign: Nonce, or TimestampedNonce with times too. */
  challenge_kind: string
  /** Who will prove itself; default: the caller. */
  agent_did?: string
}

/** Answer of MACS auth_negotiation. */
export interface MacsAuthNegotiationOutput {
  /** Session to ask a challenge for; absent if not accepted. */
  session_id?: string
  /** False if the pair is not supported; see alternatives. */
  accepted: boolean
  /** As in the request. */
  profile: string
  /** As in the request. */
  challenge_kind: string
  /** Pairs that are supported; empty if accepted. */
  alternatives: Array<{
    /** How to prove. */
    profile: string
    /** What to sign. */
    challenge_kind: string
  }>
  /** Kind of signature. */
  signature_suite: "Ed25519"
  /** First line of every text to sign. */
  domain: string
  /** The session ends then, unless proven. */
  expires_at?: string
}

/** Ask what an agent may do right now. */
export interface MacsAuthorizationRequestInput {
  /** Whose capabilities to list. */
  agent_did: string
  /** Time to judge by; default now. */
  at?: string
  /** Only capabilities of this protocol. */
  protocol?: string
}

/** Answer of MACS authorization_request. */
export interface MacsAuthorizationRequestOutput {
  /** What it may do, before policies and limits. */
  capabilities: Array<{
    /** Name it is granted by, maybe a wildcard. */
    name: string
    /** When it ends; absent: it does not end by itself. */
    expires_at?: string
    /** Bounds on its use; absent: none. */
    limits?: {
      /** Basis points of the tenant budget per call. */
      max_per_call_bps?: number
      /** Calls per hour. */
      max_per_hour?: number
      /** Hard token ceiling per call. */
      max_tokens?: number
    }
    /** Conditions, such as time:09-17. */
    caveats: string[]
    /** Where it comes from. */
    source: "declared" | "key" | "delegation" | "treaty" | "envelope" | "role"
    /** The delegation token, treaty, envelope or name of the role. */
    source_ref?: string
    /** Whether all conditions hold at the time asked about. */
    satisfied_now: boolean
    /** Conditions that do not hold. */
    unsatisfied: string[]
  }>
  /** Capabilities that no longer count. */
  excluded: Array<{
    /** Name of the capability. */
    name: string
    /** over_depth: delegated further than a delegator allows. */
    why: "revoked" | "expired" | "over_depth"
  }>
  /** When the list was made. */
  composed_at: string
  /** How long the engine itself may use such a list. */
  cache_ttl_seconds: number
}

/** Make an API key for yourself or a descendant, that may never do more than its agent. */
export interface MacsCreateKeyInput {
  /** Default: yourself. Or a descendant of yours. */
  agent_did?: string
  /** What it is for, to recognise it in lists. */
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
  /** Names the key in lists, and to revoke it. */
  key_id: string
  /** Whose key it is. */
  agent_did: string
  /** What it is for. */
  label?: string
  /** What it may be used for; absent: all that its agent holds. */
  capabilities?: string[]
  /** Where it may be used from; empty: anywhere. */
  networks: string[]
  /** What all calls with it may cost in an ISO week; absent: no own budget. */
  weekly_budget_usd?: string
  /** When it ends; absent: it does not end by itself. */
  expires_at?: string
  /** Shown once: only its hash is stored. */
  api_key: string
}

/** Give the role that a person asked for, or refuse it. */
export interface MacsDecideAccessInput {
  /** Names the request. */
  request_id: string
  /** grant: gives a role. refuse: gives nothing. */
  decision: "grant" | "refuse"
  /** The role to give, where a capability was asked for; it must allow that. */
  role?: string
}

/** Answer of MACS decide_access. */
export interface MacsDecideAccessOutput {
  /** Names the request. */
  request_id: string
  /** OPEN: nobody has decided. GRANTED: a role was given. REFUSED: it was not. EXPIRED: nobody decided in time. */
  state: "OPEN" | "GRANTED" | "REFUSED" | "EXPIRED"
  /** Roles the person has now. */
  roles: string[]
}

/** Create a child identity under the caller, with at most the capabilities of the caller. */
export interface MacsDeriveInput {
  /** Kind of the child; roots cannot be derived. */
  entity_kind: "HumanRoot" | "MultiHumanRoot" | "EntityNameRecord" | "Agent" | "AgentInstance" | "Tool" | "Skill" | "Workflow" | "Model" | "Dataset" | "Service"
  /** Names a child among its siblings. */
  label: string
  /** Tells apart children with the same label; default 0. */
  index?: number
  /** For people to read. */
  name?: string
  /** What the child may do; never more than you hold. */
  capabilities?: Array<{
    /** Name as svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
    name: string
    /** When it ends; absent: it does not end by itself. */
    expires_at?: string
    /** Bounds on use; absent: none. */
    limits?: {
      /** Basis points of the tenant budget per call. */
      max_per_call_bps?: number
      /** Calls per hour. */
      max_per_hour?: number
      /** Hard token ceiling per call. */
      max_tokens?: number
    }
    /** Conditions such as time:09-17, jurisdiction:DE, weekly_budget:5 or action_kind:read; each must hold. */
    caveats: string[]
  }>
  /** Where the child can be reached. */
  service_endpoints?: Array<{
    /** What is offered there, such as svc or mcp. */
    kind: string
    /** Where it is. */
    url: string
    /** Protocols it serves. */
    protocols: string[]
  }>
  /** The child counts until then; absent: it does not end. */
  expires_at?: string
  /** Who keeps the child's private key; default engine. */
  custody?: "engine" | "client"
  /** The child's key; needed with custody client. */
  child_public_key?: string
  /** Your key that signs; only with custody client. */
  parent_public_key?: string
  /** Time in the statement that you signed; only with custody client. */
  created_at?: string
  /** Of the lineage statement by your key; only with custody client. */
  signature?: string
  /** Of document_signing_input by the child's key; only with custody client. */
  document_proof?: string
}

/** Answer of MACS derive. */
export interface MacsDeriveOutput {
  /** The child. */
  did: string
  /** Its key. */
  public_key: string
  /** Proof of descent, signed by you. */
  lineage_statement: {
    /** The derived identity. */
    child_did: string
    /** Its first key. */
    child_public_key: string
    /** Who derived it. */
    parent_did: string
    /** Key of the parent that signed. */
    parent_public_key: string
    /** A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others. */
    entity_kind: string
    /** Names a child among its siblings. */
    label: string
    /** Tells apart children with the same label; the first is 0. */
    index: number
    /** When it was derived. */
    created_at: string
    /** The child counts until then; absent: it does not end. */
    expires_at?: string
    /** How the parent came to its key; absent: it is its first. */
    parent_key_events?: Array<{
      /** Inception: first commitment. Rotation: to the committed key. Recovery: a key put in place by others. */
      kind: "inception" | "rotation" | "recovery"
      /** The key from then on. */
      public_key: string
      /** The sha256 of the next public key’s 32 bytes. */
      next_key_hash: string
      /** Who may recover it from then on; absent: nobody. */
      recovery?: {
        /** Who may recover it. */
        dids: string[]
        /** How many of them must sign. */
        threshold: number
      }
      /** When it was made. */
      at: string
      /** The hash of the event before; the DID where there is none. */
      previous: string
      /** By the new key, or by those who recover it. */
      signatures: Array<{
        /** Who signed. */
        did: string
        /** Key that signed. */
        public_key: string
        /** Over the event, base64url. */
        signature: string
        /** How the signer came to that key; absent: it is its first. */
        key_events?: Array<Record<string, unknown>>
      }>
    }>
    /** By the parent, base64url. */
    signature: string
  }
  /** The child's identity document. */
  document: {
    /** The identity. */
    id: string
    /** A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others. */
    entity_kind: string
    /** For people to read. */
    name?: string
    /** Its current key. */
    public_key: string
    /** Parent that derived it; absent for a root. */
    creator_did?: string
    /** Statements from this identity up to its root. */
    lineage: Array<{
      /** The derived identity. */
      child_did: string
      /** Its first key. */
      child_public_key: string
      /** Who derived it. */
      parent_did: string
      /** Key of the parent that signed. */
      parent_public_key: string
      /** A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others. */
      entity_kind: string
      /** Names a child among its siblings. */
      label: string
      /** Tells apart children with the same label; the first is 0. */
      index: number
      /** When it was derived. */
      created_at: string
      /** The child counts until then; absent: it does not end. */
      expires_at?: string
      /** How the parent came to its key; absent: it is its first. */
      parent_key_events?: Array<{
        /** Inception: first commitment. Rotation: to the committed key. Recovery: a key put in place by others. */
        kind: "inception" | "rotation" | "recovery"
        /** The key from then on. */
        public_key: string
        /** The sha256 of the next public key’s 32 bytes. */
        next_key_hash: string
        /** Who may recover it from then on; absent: nobody. */
        recovery?: {
          /** Who may recover it. */
          dids: string[]
          /** How many of them must sign. */
          threshold: number
        }
        /** When it was made. */
        at: string
        /** The hash of the event before; the DID where there is none. */
        previous: string
        /** By the new key, or by those who recover it. */
        signatures: Array<{
          /** Who signed. */
          did: string
          /** Key that signed. */
          public_key: string
          /** Over the event, base64url. */
          signature: string
          /** How the signer came to that key; absent: it is its first. */
          key_events?: Array<Record<string, unknown>>
        }>
      }>
      /** By the parent, base64url. */
      signature: string
    }>
    /** What it may do, as granted by its parent. */
    capabilities: Array<{
      /** Name as svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
      name: string
      /** When it ends; absent: it does not end by itself. */
      expires_at?: string
      /** Bounds on use; absent: none. */
      limits?: {
        /** Basis points of the tenant budget per call. */
        max_per_call_bps?: number
        /** Calls per hour. */
        max_per_hour?: number
        /** Hard token ceiling per call. */
        max_tokens?: number
      }
      /** Conditions such as time:09-17, jurisdiction:DE, weekly_budget:5 or action_kind:read; each must hold. */
      caveats: string[]
    }>
    /** Where it can be reached. */
    service_endpoints: Array<{
      /** What is offered there, such as svc or mcp. */
      kind: string
      /** Where it is. */
      url: string
      /** Protocols it serves. */
      protocols: string[]
    }>
    /** True once it was revoked for good. */
    revoked: boolean
    /** Sections that others signed, such as attestations. */
    extended: Record<string, unknown>
    /** Grows with each change. */
    version: number
    /** When this version was made. */
    updated_at: string
    /** How it came to its current key; absent: it has its first. */
    key_events?: Array<{
      /** Inception: first commitment. Rotation: to the committed key. Recovery: a key put in place by others. */
      kind: "inception" | "rotation" | "recovery"
      /** The key from then on. */
      public_key: string
      /** The sha256 of the next public key’s 32 bytes. */
      next_key_hash: string
      /** Who may recover it from then on; absent: nobody. */
      recovery?: {
        /** Who may recover it. */
        dids: string[]
        /** How many of them must sign. */
        threshold: number
      }
      /** When it was made. */
      at: string
      /** The hash of the event before; the DID where there is none. */
      previous: string
      /** By the new key, or by those who recover it. */
      signatures: Array<{
        /** Who signed. */
        did: string
        /** Key that signed. */
        public_key: string
        /** Over the event, base64url. */
        signature: string
        /** How the signer came to that key; absent: it is its first. */
        key_events?: Array<Record<string, unknown>>
      }>
    }>
    /** Signature of the document; absent until the child's key signed it. */
    proof?: string
  }
  /** Hash of the document; absent until it is signed. */
  document_hash?: string
  /** Text the child's key must sign; absent once signed. */
  document_signing_input?: string
  /** Steps from its root. */
  lineage_depth: number
  /** False if it existed already with the same content. */
  created: boolean
  /** Whether the identity node serves its document. */
  published: boolean
  /** What is still missing, in words. */
  warnings: string[]
}

/** Explain why an identity may call an operation or not: every path of authority, and the one used. */
export interface MacsExplainAccessInput {
  /** Default: the caller. */
  agent_did?: string
  /** Of an operation, such as svc.mind.recall; or name both below. */
  capability?: string
  /** Protocol of the operation. */
  protocol?: string
  /** Operation of the protocol. */
  operation?: string
  /** Where it would be called; default: your own organization. */
  target_tenant?: string
  /** By which expiry, caveats and treaties are judged; grants are those of now. */
  at?: string
}

/** Answer of MACS explain_access. */
export interface MacsExplainAccessOutput {
  /** Whose access is explained. */
  agent: {
    /** The identity. */
    did: string
    /** As its own document says. */
    name?: string
  }
  /** What a call would need. */
  capability: string
  /** Organization in which the call would run. */
  target_tenant: string
  /** Time it was judged by. */
  at: string
  /** By stage 4, for a call without input; limits and budgets come later. */
  allowed: boolean
  /** Not allowed without input, but a call with a fitting input, or from a fitting network, would be. */
  depends_on_call: boolean
  /** How the call would be refused; absent if allowed. */
  refusal?: {
    /** Error code. */
    code: string
    /** Short reason, stable for programs. */
    reason?: string
    /** What happened, why and what to do. */
    sentence: string
  }
  /** Of the key you ask with, about yourself: a call must also fit into what is left of it. */
  key_budget?: {
    /** What all calls with it may cost in this ISO week. */
    weekly_budget_usd: string
    /** What they have cost so far. */
    spent_this_week_usd: string
  }
  /** In the order in which they are tried; those that no longer count are last. */
  paths: Array<{
    /** Where it comes from; open: everybody may call this operation. */
    source: "open" | "declared" | "key" | "delegation" | "treaty" | "envelope" | "role"
    /** Name it is granted by, maybe a wildcard. */
    capability: string
    /** The delegation token, treaty, envelope or name of the role. */
    source_ref?: string
    /** Of an envelope. */
    department?: string
    /** When it ends; absent: it does not end by itself. */
    expires_at?: string
    /** Bounds on its use; absent: none. */
    limits?: {
      /** Basis points of the tenant budget per call. */
      max_per_call_bps?: number
      /** Calls per hour. */
      max_per_hour?: number
      /** Hard token ceiling per call. */
      max_tokens?: number
    }
    /** Conditions, such as time:09-17. */
    caveats: string[]
    /** Whether a call could use it. */
    usable: boolean
    /** A call would use this one. */
    used: boolean
    /** Why a call cannot use it. */
    blocked?: {
      /** What stands against it; source_lost: its delegator no longer holds it. */
      by: "expired" | "revoked" | "over_depth" | "source_lost" | "caveat" | "input" | "treaty" | "level" | "policy"
      /** For people to read. */
      sentence: string
      /** The condition that does not hold. */
      caveat?: string
    }
    /** Delegations from the first delegator to the holder. */
    chain?: Array<{
      /** Hash of the token. */
      token_id: string
      /** Who delegated. */
      from: {
        /** The identity. */
        did: string
        /** As its own document says. */
        name?: string
      }
      /** Who received. */
      to: {
        /** The identity. */
        did: string
        /** As its own document says. */
        name?: string
      }
      /** PARENT_REVOKED: a delegation it depends on was revoked. */
      state: "ACTIVE" | "EXPIRED" | "REVOKED" | "PARENT_REVOKED"
      /** When it ends. */
      expires_at: string
    }>
  }>
}

/** Get the nonce to sign. */
export interface MacsGenerateChallengeInput {
  /** Session of auth_negotiation. */
  session_id: string
  /** Who will prove itself; default: that of the session. */
  agent_did?: string
  /** Audience of the proof; default: this engine. */
  audience?: string
}

/** Answer of MACS generate_challenge. */
export interface MacsGenerateChallengeOutput {
  /** Names the challenge in verify_response. */
  challenge_id: string
  /** Random, used once; 32 bytes, base64url. */
  nonce: string
  /** For whom the proof is. */
  audience: string
  /** When it was made. */
  issued_at: string
  /** It must be answered by then. */
  expires_at: string
  /** The text to sign, byte for byte. */
  signing_input: string
}

/** Invite a person by a link that is good once and expires. */
export interface MacsInviteInput {
  /** Who is invited; for people to read. */
  name: string
  /** Roles the person will have; at most what you may do. */
  roles: string[]
  /** How long it is good; default 7. */
  days?: number
}

/** Answer of MACS invite. */
export interface MacsInviteOutput {
  /** Names the invitation, to withdraw it. */
  invitation_id: string
  /** Good once, for whoever opens it. Shown once: only a hash is stored. */
  link: string
  /** It can be accepted until then. */
  expires_at: string
}

/** List the identities of your organization with parent, level, state and means of access. */
export interface MacsListInput {
  /** Only this identity. */
  did?: string
  /** Only identities of this kind. */
  entity_kind?: "HumanRoot" | "MultiHumanRoot" | "EntityNameRecord" | "Agent" | "AgentInstance" | "Tool" | "Skill" | "Workflow" | "Model" | "Dataset" | "Service"
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MACS list. */
export interface MacsListOutput {
  /** Identities of your organization. */
  items: Array<{
    /** The identity. */
    did: string
    /** A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others. */
    entity_kind: string
    /** As its document says. */
    name?: string
    /** unresolved: its document is not available now. */
    state: "active" | "unresolved" | "suspended" | "revoked"
    /** L0: known. L1: verified lineage. L2: also attested, with a reputation. */
    conformance_level: "L0" | "L1" | "L2"
    /** Whether its descent from a root is proven. */
    lineage_verified: boolean
    /** Steps from its root; 0 for a root. */
    lineage_depth: number
    /** Who derived it; absent for a root. */
    parent_did?: string
    /** Human or organization at the root of its lineage; absent: not verified. */
    human_root_did?: string
    /** When it was derived here. */
    derived_at?: string
    /** Whether it is a charter member of the organization. */
    in_charter: boolean
    /** Number of capabilities it holds now; authorization_request lists them. */
    capabilities: number
    /** How it was revoked; absent: it was not. */
    revoked?: {
      /** When it was revoked. */
      at: string
      /** Why, as stated. */
      reason: string
      /** Who revoked it. */
      by: string
    }
    /** Visible to the identity itself and to charter members. */
    credentials?: {
      /** Number of API keys that are accepted. */
      keys_live: number
      /** Number of API keys that expired or were revoked. */
      keys_ended: number
      /** Number of sessions that are accepted. */
      sessions_live: number
      /** When one was last used; absent: never. */
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
  /** Whose to list: a descendant of yours; default: your own. */
  agent_did?: string
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MACS list_keys. */
export interface MacsListKeysOutput {
  /** Keys and sessions, newest first; secrets are not stored. */
  items: Array<{
    /** Names the key in lists, and to revoke it. */
    key_id: string
    /** Whose key it is. */
    agent_did: string
    /** What it is for. */
    label?: string
    /** What it may be used for; absent: all that its agent holds. */
    capabilities?: string[]
    /** Where it may be used from; empty: anywhere. */
    networks: string[]
    /** What all calls with it may cost in an ISO week; absent: no own budget. */
    weekly_budget_usd?: string
    /** When it ends; absent: it does not end by itself. */
    expires_at?: string
    /** Of its weekly budget. */
    spent_this_week_usd?: string
    /** A key ends when revoked or expired; a session was proven with MACS verify_response. */
    kind: "key" | "session"
    /** Only live ones are accepted. */
    state: "live" | "expired" | "revoked"
    /** Who made it. */
    made_by?: string
    /** When it was made. */
    created_at: string
    /** When it was revoked. */
    revoked_at?: string
    /** When a call last used it; absent: never. */
    last_used_at?: string
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** List which tokens of other platforms act as which agents of your organization. */
export interface MacsListWorkloadsInput {
  /** Only mappings to this identity; default: all of your organization. */
  agent_did?: string
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MACS list_workloads. */
export interface MacsListWorkloadsOutput {
  /** Mappings, newest first. */
  items: Array<{
    /** Names the mapping, to remove it. */
    workload_id: string
    /** Identity that such a workload acts as. */
    agent_did: string
    /** As in the iss of its tokens. */
    issuer: string
    /** As in the aud of its tokens. */
    audience: string
    /** Accepted texts of each claim; all claims must fit. A name that begins with / leads into objects. */
    claims: Record<string, string[]>
    /** The operator stored the keys of its issuer. */
    has_stored_keys: boolean
    /** When it was added. */
    created_at: string
    /** When a token last used it; absent: never. */
    last_used_at?: string
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** List the people who can sign in, their roles, and open invitations. */
export interface MacsPeopleInput {
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MACS people. */
export interface MacsPeopleOutput {
  /** People of your organization, by login. */
  items: Array<{
    /** Name to sign in with. */
    login: string
    /** For people to read; absent: none was given. */
    name?: string
    /** Roles this person has. */
    roles: string[]
    /** Of these, those that single sign-on gives. */
    claimed_roles: string[]
    /** Disabled people cannot sign in. */
    state: "active" | "disabled"
    /** Ways this person can sign in. */
    signs_in_by: Array<"password" | "single sign-on">
    /** Identity this person acts as. */
    agent_did: string
    /** When this person was added. */
    created_at: string
  }>
  /** Those still open; on the first page only. */
  invitations: Array<{
    /** Names the invitation, to withdraw it. */
    invitation_id: string
    /** Who is invited. */
    name: string
    /** Roles the person will have. */
    roles: string[]
    /** When it was made. */
    made_at: string
    /** It can be accepted until then. */
    expires_at: string
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Give an identity a new key, as its parent or one of those it has named for that. */
export interface MacsRecoverKeyInput {
  /** Identity whose key was lost or stolen. */
  agent_did: string
  /** The new key. Where the engine keeps the keys, only to name an open recovery. */
  public_key?: string
  /** With the first call: commits to the key after the new one. */
  next_key_hash?: string
  /** Who may recover it later; default as before. */
  recovery?: {
    /** Who may recover it. */
    dids: string[]
    /** How many of them must sign. */
    threshold: number
  }
  /** Of signing_input, by the new key. */
  signature?: string
  /** Of document_signing_input, by the new key. */
  document_proof?: string
  /** Of signing_input, by you; not needed where the engine keeps your key. */
  own_signature?: string
  /** Your key that made own_signature; needed with it. */
  own_public_key?: string
}

/** Answer of MACS recover_key. */
export interface MacsRecoverKeyOutput {
  /** The identity. */
  agent_did: string
  /** pending until all needed signatures are there. */
  state: "pending" | "recovered"
  /** The new key. */
  public_key: string
  /** Commits to the key after it. */
  next_key_hash: string
  /** Who may recover it later; absent: nobody. */
  recovery?: {
    /** Who may recover it. */
    dids: string[]
    /** How many of them must sign. */
    threshold: number
  }
  /** Text for the recoverers and the new key to sign. */
  signing_input: string
  /** Text for the new key to sign. */
  document_signing_input: string
  /** Recoverers who have signed. */
  signed_by: string[]
  /** Signatures that are still needed. */
  missing: Array<"recoverers" | "new key" | "document">
  /** How many recoverers must sign. */
  threshold: number
  /** Version of its document with the new key. */
  document_version: number
  /** Hash of that document; absent while pending. */
  document_hash?: string
  /** Number of sessions that ended. */
  sessions_ended: number
  /** Number of API keys that ended. */
  keys_ended: number
  /** Number of workload mappings that were removed. */
  workloads_removed: number
}

/** Stop a workload from acting as an agent, and end its sessions and what they began. */
export interface MacsRemoveWorkloadInput {
  /** Mapping to remove; its tokens are refused at once. */
  workload_id: string
  /** Why, for the audit log. */
  reason?: string
}

/** Answer of MACS remove_workload. */
export interface MacsRemoveWorkloadOutput {
  /** Names the mapping, to remove it. */
  workload_id: string
  /** Identity that workloads acted as. */
  agent_did: string
  /** When it was removed. */
  removed_at: string
}

/** Ask the administrators of your organization for a capability or a role that you lack. */
export interface MacsRequestAccessInput {
  /** What you want to be able to call; or role. */
  capability?: string
  /** The role you want to have; or capability. */
  role?: string
}

/** Answer of MACS request_access. */
export interface MacsRequestAccessOutput {
  /** Names the request. */
  request_id: string
  /** OPEN: nobody has decided. GRANTED: a role was given. REFUSED: it was not. EXPIRED: nobody decided in time. */
  state: "OPEN" | "GRANTED" | "REFUSED" | "EXPIRED"
  /** It can be decided until then. */
  expires_at: string
  /** Who was asked, by mail and in their list. */
  administrators: string[]
}

/** Revoke an API key or end a session, of yourself, a descendant, or one that you made. */
export interface MacsRevokeKeyInput {
  /** The key or session to end; calls with it are refused at once. */
  key_id: string
  /** Why, for the audit log. */
  reason?: string
}

/** Answer of MACS revoke_key. */
export interface MacsRevokeKeyOutput {
  /** The key that ended. */
  key_id: string
  /** Whose key it was. */
  agent_did: string
  /** When it ended. */
  revoked_at: string
}

/** List the roles of your organization and what each allows. */
export type MacsRolesInput = Record<string, never>

/** Answer of MACS roles. */
export interface MacsRolesOutput {
  /** Built-in roles and your own. */
  roles: Array<{
    /** Name of a role. */
    role: string
    /** Whether svc defines it; you can change what it allows. */
    built_in: boolean
    /** What it allows now. */
    capabilities: string[]
    /** What your organization added to it. */
    added: string[]
    /** What your organization removed from it. */
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
  /** Who may recover it from now on; default as before. */
  recovery?: {
    /** Who may recover it. */
    dids: string[]
    /** How many of them must sign. */
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
  /** The identity. */
  agent_did: string
  /** unsigned: sign the texts and call again. committed: the next key is fixed. rotated: the key changed. */
  state: "unsigned" | "committed" | "rotated"
  /** Its key after this change. */
  public_key: string
  /** Commits to the key after it. */
  next_key_hash: string
  /** Who may recover it; absent: nobody. */
  recovery?: {
    /** Who may recover it. */
    dids: string[]
    /** How many of them must sign. */
    threshold: number
  }
  /** Time in the texts to sign; send it with the signatures. */
  at: string
  /** Text for the new key to sign; absent once done. */
  signing_input?: string
  /** Text for the new key to sign; absent once done. */
  document_signing_input?: string
  /** Version of its document with this change. */
  document_version: number
  /** Hash of that document; absent while unsigned. */
  document_hash?: string
  /** Number of sessions that ended with the old key. */
  sessions_ended: number
}

/** Give roles to a person, end them, or end the account. */
export interface MacsSetPersonInput {
  /** Name to sign in with. */
  login: string
  /** Roles to add. */
  give?: string[]
  /** Roles to take away. */
  end?: string[]
  /** Ends sessions, tokens and the keys this person made. */
  disable?: true
}

/** Answer of MACS set_person. */
export interface MacsSetPersonOutput {
  /** Name to sign in with. */
  login: string
  /** Roles this person has now. */
  roles: string[]
  /** Disabled people cannot sign in. */
  state: "active" | "disabled"
}

/** Change what a role allows, make a role of your own, or reset one. */
export interface MacsSetRoleInput {
  /** Role to change; an unknown name makes a new one. */
  role: string
  /** What it allows in addition. */
  add?: string[]
  /** What it no longer allows. */
  remove?: string[]
  /** A built-in role allows again what it did at first; one of your own ends for everybody. */
  reset?: true
}

/** Answer of MACS set_role. */
export interface MacsSetRoleOutput {
  /** Name of a role. */
  role: string
  /** What it allows now. */
  capabilities: string[]
}

/** Suspend, resume or revoke an identity with all its descendants. */
export interface MacsSetStateInput {
  /** Identity to change, with all that descend from it. */
  agent_did: string
  /** suspended can be undone by active; revoked is for good. */
  state: "active" | "suspended" | "revoked"
  /** Why, for the audit log. */
  reason: string
}

/** Answer of MACS set_state. */
export interface MacsSetStateOutput {
  /** The identity. */
  agent_did: string
  /** Its state now; it may still be suspended with one that it descends from. */
  state: "active" | "suspended" | "revoked"
  /** False where it was so before. */
  changed: boolean
  /** How many changed: it, and its descendants. */
  identities: number
  /** Number of API keys that ended with it. */
  keys_revoked: number
  /** When it was done. */
  at: string
}

/** Change name, capabilities or endpoints in the document of yourself or a descendant. */
export interface MacsUpdateIdentityInput {
  /** Default: yourself. Or a descendant of yours. */
  agent_did?: string
  /** New name; absent: unchanged. */
  name?: string
  /** All it shall declare; never more than its parent holds. Absent: unchanged. */
  capabilities?: Array<{
    /** Name as svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
    name: string
    /** When it ends; absent: it does not end by itself. */
    expires_at?: string
    /** Bounds on use; absent: none. */
    limits?: {
      /** Basis points of the tenant budget per call. */
      max_per_call_bps?: number
      /** Calls per hour. */
      max_per_hour?: number
      /** Hard token ceiling per call. */
      max_tokens?: number
    }
    /** Conditions such as time:09-17, jurisdiction:DE, weekly_budget:5 or action_kind:read; each must hold. */
    caveats: string[]
  }>
  /** All its endpoints; absent: unchanged. */
  service_endpoints?: Array<{
    /** What is offered there, such as svc or mcp. */
    kind: string
    /** Where it is. */
    url: string
    /** Protocols it serves. */
    protocols: string[]
  }>
  /** As answered with the text to sign. */
  at?: string
  /** Of document_signing_input, unless the engine keeps its key. */
  document_proof?: string
}

/** Answer of MACS update_identity. */
export interface MacsUpdateIdentityOutput {
  /** The identity. */
  agent_did: string
  /** unsigned: sign document_signing_input and call again with document_proof. */
  state: "unsigned" | "updated"
  /** Version of its document with this change. */
  document_version: number
  /** Hash of that document; absent while unsigned. */
  document_hash?: string
  /** Text for its key to sign; absent once done. */
  document_signing_input?: string
  /** What it declares with this change. */
  capabilities: Array<{
    /** Name as svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
    name: string
    /** When it ends; absent: it does not end by itself. */
    expires_at?: string
    /** Bounds on use; absent: none. */
    limits?: {
      /** Basis points of the tenant budget per call. */
      max_per_call_bps?: number
      /** Calls per hour. */
      max_per_hour?: number
      /** Hard token ceiling per call. */
      max_tokens?: number
    }
    /** Conditions such as time:09-17, jurisdiction:DE, weekly_budget:5 or action_kind:read; each must hold. */
    caveats: string[]
  }>
  /** Time of this change; send it with document_proof. */
  at: string
}

/** Prove that an agent holds its key, and verify its lineage. */
export interface MacsVerifyResponseInput {
  /** The challenge to answer; it can be used once. */
  challenge_id: string
  /** Who proves itself. */
  agent_did: string
  /** Its current key. */
  public_key: string
  /** Of the challenge's signing_input by this key. */
  signature: string
  /** Statements up to a root; default: those of its document. */
  lineage?: Array<{
    /** The derived identity. */
    child_did: string
    /** Its first key. */
    child_public_key: string
    /** Who derived it. */
    parent_did: string
    /** Key of the parent that signed. */
    parent_public_key: string
    /** A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others. */
    entity_kind: string
    /** Names a child among its siblings. */
    label: string
    /** Tells apart children with the same label; the first is 0. */
    index: number
    /** When it was derived. */
    created_at: string
    /** The child counts until then; absent: it does not end. */
    expires_at?: string
    /** How the parent came to its key; absent: it is its first. */
    parent_key_events?: Array<{
      /** Inception: first commitment. Rotation: to the committed key. Recovery: a key put in place by others. */
      kind: "inception" | "rotation" | "recovery"
      /** The key from then on. */
      public_key: string
      /** The sha256 of the next public key’s 32 bytes. */
      next_key_hash: string
      /** Who may recover it from then on; absent: nobody. */
      recovery?: {
        /** Who may recover it. */
        dids: string[]
        /** How many of them must sign. */
        threshold: number
      }
      /** When it was made. */
      at: string
      /** The hash of the event before; the DID where there is none. */
      previous: string
      /** By the new key, or by those who recover it. */
      signatures: Array<{
        /** Who signed. */
        did: string
        /** Key that signed. */
        public_key: string
        /** Over the event, base64url. */
        signature: string
        /** How the signer came to that key; absent: it is its first. */
        key_events?: Array<Record<string, unknown>>
      }>
    }>
    /** By the parent, base64url. */
    signature: string
  }>
  /** Needed if DelegatedAuth was negotiated. */
  delegation?: {
    /** Who delegates. */
    from_did: string
    /** Who receives. */
    to_did: string
    /** What is delegated; never more than the delegator holds. */
    capabilities: Array<{
      /** Name as svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
      name: string
      /** When it ends; absent: it does not end by itself. */
      expires_at?: string
      /** Bounds on use; absent: none. */
      limits?: {
        /** Basis points of the tenant budget per call. */
        max_per_call_bps?: number
        /** Calls per hour. */
        max_per_hour?: number
        /** Hard token ceiling per call. */
        max_tokens?: number
      }
      /** Conditions such as time:09-17, jurisdiction:DE, weekly_budget:5 or action_kind:read; each must hold. */
      caveats: string[]
    }>
    /** How many times this may be delegated further; 0 means never. */
    max_redelegation_depth: number
    /** It ends then. */
    expires_at: string
    /** Where to check whether this token is revoked. */
    revocation_url?: string
    /** By the delegator, base64url. */
    signature: string
  }
}

/** Answer of MACS verify_response. */
export interface MacsVerifyResponseOutput {
  /** Always true; otherwise the call is refused. */
  verified: true
  /** Who was verified. */
  did: string
  /** A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others. */
  entity_kind: string
  /** Human or organization at the root; absent: lineage not verified. */
  human_root_did?: string
  /** Parent that derived it; absent for a root. */
  creator_did?: string
  /** Steps from its root; 0 for a root. */
  lineage_depth: number
  /** Whether its descent from a root is proven. */
  lineage_verified: boolean
  /** L0: known. L1: verified lineage. L2: also attested, with a reputation. */
  conformance_level: "L0" | "L1" | "L2"
  /** The session, as list_keys shows it. */
  session_id: string
  /** Of the token: records of calls made with it name it. */
  key_id: string
  /** For Authorization: DPoP <session_token>, with a DPoP header signed by the proven key (RFC 9449). */
  session_token: string
  /** The session's token is accepted until then. */
  token_expires_at: string
  /** What could not be verified, in words. */
  warnings: string[]
}

/** Withdraw an open invitation; its link opens nothing any more. */
export interface MacsWithdrawInvitationInput {
  /** Invitation to withdraw. */
  invitation_id: string
}

/** Answer of MACS withdraw_invitation. */
export interface MacsWithdrawInvitationOutput {
  /** The invitation that ended. */
  invitation_id: string
  /** Always true: its link no longer works. */
  withdrawn: true
}

/** Read what moved an account, with the balance after each entry; also as CSV or for ledger-cli. */
export interface MadeAccountHistoryInput {
  /** Name of an asset, the same for everybody. */
  asset_id: string
  /** Which account of the asset. */
  type?: "available" | "reserved" | "escrow" | "runway" | "fees" | "revenue" | "issuance"
  /** Whose account; absent: the organization's own. Others' are shown to charter members. */
  holder_did?: string
  /** Only entries from this time on; absent: from the first. */
  from?: string
  /** Only entries before this time; absent: up to the newest. */
  until?: string
  /** Also return the page as text: csv (RFC 4180), or ledger for ledger-cli and hledger. */
  format?: "csv" | "ledger"
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MADE account_history. */
export interface MadeAccountHistoryOutput {
  /** Name of an asset, the same for everybody. */
  asset_id: string
  /** Digits after the point: a minor unit is 10^-decimals. */
  decimals: number
  /** Balance before the first entry of this page. */
  opening_balance: string
  /** Balance after the last entry of this page. */
  closing_balance: string
  /** Oldest first. */
  entries: Array<{
    /** When it was booked. */
    posted_at: string
    /** What it was for, such as settlement, trade or top-up. */
    kind: string
    /** What it belongs to: the id of a contract, a trade, an invoice. */
    ref: string
    /** What it added; negative if it took. */
    amount: string
    /** Balance of the account after it. */
    balance: string
    /** Ledger journal that booked it. */
    journal_id: string
    /** Call that caused it, as in the audit log. */
    correlation_id: string
  }>
  /** Only with format. The texts of all pages in order are one file. */
  text?: string
  /** There are more entries. */
  next_cursor?: string
}

/** Define something that can be owned and paid. */
export interface MadeAssetDefinitionPublishInput {
  /** Name of an asset, the same for everybody. */
  asset_id: string
  /** What the asset is; fiat needs conformance L2. */
  kind: "fiat" | "credit" | "token" | "commodity" | "service_unit"
  /** internal, or the name of the outside system this is paid through. */
  rail: string
  /** Code alone, with 6 decimals, or code and decimals. */
  denomination: string | {
    /** Such as USD or GPUH. */
    code: string
    /** Digits after the point: a minor unit is 10^-decimals. */
    decimals: number
  }
  /** How long a settlement can still be reversed by both. */
  settlement_finality_seconds: number
  /** Orders are for multiples of this many minor units. */
  lot_size?: string
  /** Prices are multiples of this many minor units. */
  tick_size?: string
  /** The most minor units that can be issued; absent means no limit. */
  max_supply?: string
}

/** Answer of MADE asset_definition_publish. */
export interface MadeAssetDefinitionPublishOutput {
  /** Name of an asset, the same for everybody. */
  asset_id: string
  /** Hash of the definition, which never changes. */
  asset_hash: string
  /** Organization that published it: yours. */
  issuer_tenant: string
  /** Digits after the point: a minor unit is 10^-decimals. */
  decimals: number
  /** Entry of the asset in the registry. */
  registered: string
  /** False if the same asset had been published before. */
  created: boolean
}

/** Offer, view, accept, withdraw, cancel or waive an agreement on who owes what to whom. */
export interface MadeEconomicContractCreateInput {
  /** The other party; needed for an offer. */
  counterparty_did?: string
  /** Who owes what to whom; needed for an offer. */
  obligations?: Array<{
    /** Name of the obligation within the contract. */
    id: string
    /** Who pays; the other side receives. */
    from: "proposer" | "counterparty"
    /** Name of an asset, the same for everybody. */
    asset_id: string
    /** How much is owed, in whole minor units of the asset. */
    amount: string
    /** When it has to be paid, not in the past. Default at once, when it is accepted. */
    due_at?: string
    /** What must happen before it can be settled. Default nothing. */
    condition?: {
      /** What must happen first: nothing, another obligation, an attestation or a trade. */
      kind: "none" | "after_obligation" | "attested" | "trade"
      /** The obligation, attestation or trade that it waits for. */
      ref?: string
    }
    /** Where the payee takes usd: its own account, or its organization's runway. */
    credit_to?: "available" | "runway"
    /** Goods against money: obligations of both sides with the same exchange are settled together, in one journal, or not at all. Needs escrow. */
    exchange?: string
  }>
  /** Move all amounts into escrow when the contract is accepted. */
  escrow?: boolean
  /** Treaty between the two organizations; absent within one. */
  treaty_id?: string
  /** Until when the offer can be accepted. */
  expires_at?: string
  /** Where disputes are to be decided. */
  arbitration?: {
    /** Means of arbitration, such as MOOT. */
    via: string
    /** Place or organization that decides. */
    venue: string
  }
  /** Text for both sides, part of the signed terms. */
  memo?: string
  /** Tells two offers of the same terms apart. */
  nonce?: string
  /** The contract to act on; absent for an offer. */
  contract_id?: string
  /** What to do with contract_id; absent means accept, and without contract_id offer. */
  action?: "view" | "withdraw" | "cancel" | "waive"
  /** For waive: the obligations to waive. Default all owed to you. */
  obligation_ids?: string[]
  /** Your signature over the terms, if you sign with your own key. */
  signature?: string
  /** Key the signature was made with. */
  public_key?: string
}

/** Answer of MADE economic_contract_create. */
export interface MadeEconomicContractCreateOutput {
  /** Names the contract: the hash of its terms. */
  contract_id: string
  /** OFFERED until accepted, then ACTIVE; SETTLED becomes FINAL when it can no longer be reversed. */
  state: "OFFERED" | "ACTIVE" | "PARTIALLY_SETTLED" | "SETTLED" | "FINAL" | "WITHDRAWN" | "EXPIRED" | "CANCELLED" | "DEFAULTED" | "DISPUTED" | "RULED_CLOSED"
  /** Who made the offer. */
  proposer_did: string
  /** Who the offer was made to. */
  counterparty_did: string
  /** Until when the offer can be accepted. */
  expires_at: string
  /** Every obligation with what has been paid of it. */
  obligations: Array<{
    /** Name of the obligation within the contract. */
    id: string
    /** Who pays; the other side receives. */
    from: "proposer" | "counterparty"
    /** Name of an asset, the same for everybody. */
    asset_id: string
    /** How much is owed, in whole minor units of the asset. */
    amount: string
    /** How much of it has been paid, in whole minor units. */
    settled: string
    /** When it has to be paid; where none was agreed, when it was offered. */
    due_at: string
    /** What must happen before it can be settled. */
    condition: {
      /** What must happen first: nothing, another obligation, an attestation or a trade. */
      kind: "none" | "after_obligation" | "attested" | "trade"
      /** The obligation, attestation or trade that it waits for. */
      ref?: string
    }
    /** Where the payee takes it: its own account, or its organization's runway. */
    credit_to: "available" | "runway"
    /** Settled together with all others of this exchange, or not at all. */
    exchange?: string
    /** PENDING until due; SETTLED, WAIVED by the payee, or NOVATED to another payer. */
    state: "PENDING" | "DUE" | "SETTLED" | "WAIVED" | "NOVATED"
    /** Fee its payer bears, in hundredths of a percent; absent until activation. */
    fee_bps?: number
  }>
  /** What is in escrow now, by asset. */
  escrowed: Array<{
    /** Name of an asset, the same for everybody. */
    asset_id: string
    /** How much of the asset is in escrow, in whole minor units. */
    amount: string
  }>
  /** The highest that a payer of this contract bears. */
  fee_bps?: number
  /** Who signed what. */
  signatures: Array<{
    /** What was signed: the terms, or the cancellation. */
    purpose: "terms" | "cancel"
    /** Party that signed. */
    signed_by: string
    /** Key that verifies the signature. */
    public_key: string
    /** The signature itself, base64url. */
    signature: string
    /** own: with the signer's key; custodial: by the engine for the signer. */
    method: "own" | "custodial"
    /** When it was signed. */
    signed_at: string
  }>
}

/** Pay what a contract owes, all of it or a part, or take a payment back while both agree. */
export interface MadeEconomicContractSettleInput {
  /** Contract to pay. */
  contract_id: string
  /** What to pay. Default all that are due. */
  obligation_ids?: string[]
  /** Part of one obligation to pay, in whole minor units. Default all of it. */
  amount?: string
  /** What the outside rail calls this payment. Each one counts once. */
  rail_reference?: string
  /** Verdict that binds MADE.economic_contract_settle to the contract, to issue more usd in 24 hours than one member may. Default: the newest that does. */
  authority?: string
  /** Settlement to take back, instead of paying. */
  reverse?: string
  /** Your signature over the reversal, if you sign with your own key. */
  signature?: string
  /** Key the signature was made with. */
  public_key?: string
}

/** Answer of MADE economic_contract_settle. */
export interface MadeEconomicContractSettleOutput {
  /** Names this settlement. */
  settlement_id: string
  /** Ledger journals that booked it. */
  journal_ids: string[]
  /** What was paid, by obligation. */
  settled: Array<{
    /** Obligation that was paid. */
    obligation_id: string
    /** Name of an asset, the same for everybody. */
    asset_id: string
    /** How much was paid, in whole minor units. */
    amount: string
    /** Fee the payer bore, in whole minor units. */
    fee: string
  }>
  /** Of this settlement. */
  state: "POSTED" | "FINAL" | "REVERSED"
  /** State of the contract after this settlement. */
  contract_state: "OFFERED" | "ACTIVE" | "PARTIALLY_SETTLED" | "SETTLED" | "FINAL" | "WITHDRAWN" | "EXPIRED" | "CANCELLED" | "DEFAULTED" | "DISPUTED" | "RULED_CLOSED"
  /** From when it can no longer be reversed. */
  final_at: string
  /** Balances of the accounts that changed, as far as they are yours. */
  balances: Array<{
    /** Holder of the account; absent for the organization itself. */
    did?: string
    /** Name of an asset, the same for everybody. */
    asset_id: string
    /** What the account is for, such as available or escrow. */
    type: string
    /** Whole minor units after the settlement. */
    balance: string
  }>
  /** Parties that agreed to reverse it; both are needed. */
  reversal_signed_by?: string[]
}

/** List contracts with what is owed under them, or assets with what is held of them. */
export interface MadeListInput {
  /** What to list. */
  kind?: "contracts" | "assets"
  /** Only contracts in this state. */
  state?: "OFFERED" | "ACTIVE" | "PARTIALLY_SETTLED" | "SETTLED" | "FINAL" | "WITHDRAWN" | "EXPIRED" | "CANCELLED" | "DEFAULTED" | "DISPUTED" | "RULED_CLOSED"
  /** Only this contract. */
  contract_id?: string
  /** Only contracts of this party. */
  party_did?: string
  /** Name of an asset, the same for everybody. */
  asset_id?: string
  /** With contract_id or asset_id: the whole of it. */
  include_detail?: boolean
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MADE list. */
export interface MadeListOutput {
  /** Contracts your organization is a party of, newest first; absent where assets are listed. */
  contracts?: Array<{
    /** Names the contract: the hash of its terms. */
    contract_id: string
    /** OFFERED until accepted, then ACTIVE; SETTLED becomes FINAL when it can no longer be reversed. */
    state: "OFFERED" | "ACTIVE" | "PARTIALLY_SETTLED" | "SETTLED" | "FINAL" | "WITHDRAWN" | "EXPIRED" | "CANCELLED" | "DEFAULTED" | "DISPUTED" | "RULED_CLOSED"
    /** Who made the offer. */
    proposer_did: string
    /** Who the offer was made to. */
    counterparty_did: string
    /** Treaty the contract is made under; absent within one organization. */
    treaty_id?: string
    /** Amounts are moved into escrow on acceptance. */
    escrow: boolean
    /** When it was offered. */
    offered_at: string
    /** When it was accepted; absent until then. */
    activated_at?: string
    /** Until when the offer can be accepted. */
    expires_at: string
    /** Number of obligations. */
    obligations: number
    /** How many of them are due now. */
    obligations_due: number
    /** When the next open obligation is due; absent where none is open. */
    next_due_at?: string
    /** Sums by payer and asset. */
    owed: Array<{
      /** Who pays. */
      from: "proposer" | "counterparty"
      /** Name of an asset, the same for everybody. */
      asset_id: string
      /** Whole minor units, added up. */
      amount: string
      /** Whole minor units, added up. */
      settled: string
    }>
    /** Only with include_detail. */
    detail?: {
      /** As they were hashed and signed. */
      terms: Record<string, unknown>
      /** Every obligation with what has been paid of it. */
      obligations: Array<{
        /** Name of the obligation within the contract. */
        id: string
        /** Who pays; the other side receives. */
        from: "proposer" | "counterparty"
        /** Name of an asset, the same for everybody. */
        asset_id: string
        /** How much is owed, in whole minor units of the asset. */
        amount: string
        /** How much of it has been paid, in whole minor units. */
        settled: string
        /** When it has to be paid; where none was agreed, when it was offered. */
        due_at: string
        /** What must happen before it can be settled. */
        condition: {
          /** What must happen first: nothing, another obligation, an attestation or a trade. */
          kind: "none" | "after_obligation" | "attested" | "trade"
          /** The obligation, attestation or trade that it waits for. */
          ref?: string
        }
        /** Where the payee takes it: its own account, or its organization's runway. */
        credit_to: "available" | "runway"
        /** Settled together with all others of this exchange, or not at all. */
        exchange?: string
        /** PENDING until due; SETTLED, WAIVED by the payee, or NOVATED to another payer. */
        state: "PENDING" | "DUE" | "SETTLED" | "WAIVED" | "NOVATED"
        /** Fee its payer bears, in hundredths of a percent; absent until activation. */
        fee_bps?: number
      }>
      /** What is in escrow now, by asset. */
      escrowed: Array<{
        /** Name of an asset, the same for everybody. */
        asset_id: string
        /** How much of the asset is in escrow, in whole minor units. */
        amount: string
      }>
      /** Who signed what. */
      signatures: Array<{
        /** What was signed: the terms, or the cancellation. */
        purpose: "terms" | "cancel"
        /** Party that signed. */
        signed_by: string
        /** Key that verifies the signature. */
        public_key: string
        /** The signature itself, base64url. */
        signature: string
        /** own: with the signer's key; custodial: by the engine for the signer. */
        method: "own" | "custodial"
        /** When it was signed. */
        signed_at: string
      }>
      /** Payments made under the contract. */
      settlements: Array<{
        /** Names the settlement. */
        settlement_id: string
        /** POSTED can still be reversed, FINAL cannot. */
        state: "POSTED" | "FINAL" | "REVERSED"
        /** Who paid. */
        settled_by: string
        /** What was paid. */
        lines: Array<{
          /** Obligation that was paid. */
          obligation_id: string
          /** Name of an asset, the same for everybody. */
          asset_id: string
          /** How much was paid, in whole minor units. */
          amount: string
          /** Fee the payer bore, in whole minor units. */
          fee: string
        }>
        /** Ledger journals that booked it. */
        journal_ids: string[]
        /** What the outside rail calls the payment. */
        rail_reference?: string
        /** When it was paid. */
        posted_at: string
        /** From when it can no longer be reversed. */
        final_at: string
      }>
    }
  }>
  /** Assets your organization issued or holds; absent where contracts are listed. */
  assets?: Array<{
    /** Name of an asset, the same for everybody. */
    asset_id: string
    /** Hash of the definition, which never changes. */
    asset_hash: string
    /** Organization that published it. */
    issuer_tenant: string
    /** What the asset is; fiat needs conformance L2. */
    kind: "fiat" | "credit" | "token" | "commodity" | "service_unit"
    /** internal, or the name of the outside system this is paid through. */
    rail: string
    /** Code and precision. */
    denomination: {
      /** Such as USD or GPUH. */
      code: string
      /** Digits after the point: a minor unit is 10^-decimals. */
      decimals: number
    }
    /** How long a settlement can still be reversed by both. */
    settlement_finality_seconds: number
    /** Orders are for multiples of this many minor units. */
    lot_size: string
    /** Prices are multiples of this. */
    tick_size: string
    /** The most minor units that can be issued; absent means no limit. */
    max_supply?: string
    /** What your organization holds, by type of account. */
    balances: Array<{
      /** available, or bound: reserved, escrow, runway and so on; issuance is the issuer's. */
      type: "available" | "reserved" | "escrow" | "runway" | "fees" | "revenue" | "issuance"
      /** Whole minor units, as a decimal string. */
      balance: string
      /** Number of accounts that were added up. */
      accounts: number
    }>
    /** Only with include_detail. */
    detail?: {
      /** The largest first; without a holder it is the organization’s. */
      accounts: Array<{
        /** Who holds it; absent for the organization itself. */
        holder_did?: string
        /** What the account is for. */
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
  /** Name of the charter through all its versions. */
  name: string
  /** What the organization is for, in words. */
  mission: string
  /** What is to be reached. */
  objectives: Array<{
    /** Names the objective within the charter. */
    id: string
    /** What is to be reached, in words. */
    statement: string
    /** How it is measured; absent: it cannot be. */
    metric?: {
      /** What is measured: the name of a metric, or a reference. */
      source: string
      /** How the measured value compares to the target. */
      comparator: "<" | "<=" | "==" | ">=" | ">"
      /** Value to reach or keep. */
      target: number
    }
    /** When it must be reached; absent: no deadline. */
    deadline?: string
    /** How much it counts. */
    weight?: number
  }>
  /** What every plan must keep. */
  constraints?: Array<{
    /** Names the constraint within the charter. */
    id: string
    /** CEL over plan (cost, makespan_ms, p90_ms, tasks) and state (facts after the plan): a plan that does not keep it is none. */
    expr?: string
    /** For people to judge. */
    text?: string
  }>
  /** What plans may use. */
  resources?: {
    /** What plans may spend; must fit into what is left for you. */
    budget?: {
      /** Tokens at most. */
      tokens?: number
      /** US dollars at most. */
      usd?: string | number
      /** Seconds of work at most. */
      seconds?: number
    }
    /** Who can work on it. */
    agents?: Array<{
      /** The agent. */
      did: string
      /** What it can do, as operators name it. */
      skills?: string[]
      /** The share of its time that may be planned with; tasks whose loads fit it run side by side. */
      capacity?: number
    }>
  }
  /** Ways to do tasks, in the order in which they are preferred; for all its plans. */
  methods?: Array<{
    /** For people: said in the decomposition. */
    name?: string
    /** Task that it does. */
    task: string
    /** What is left open: each value of the list is tried in turn, as a further argument. */
    choose?: Array<{
      /** Name of the further argument. */
      name: string
      /** CEL that gives a list. */
      from: string
    }>
    /** All must be true; a fact that is not there makes one false. */
    preconditions?: string | string[]
    /** What it is broken down into. */
    subtasks: Array<{
      /** Names the subtask within the method, for order. */
      id?: string
      /** Task or operator to do. */
      task: string
      /** By name; any value in it may be {"$cel": "…"} over state and args. */
      args?: Record<string, unknown>
    }>
    /** Ids in the order they must be done in, or pairs of which the first comes before the second; an empty list leaves all open. Absent: as they stand. */
    order?: string[] | Array<string[]>
  }>
  /** Verdict that authorized it; absent: declared without one. */
  authority?: string
  /** The version it replaces; refused if a newer one exists. Absent: the newest. */
  supersedes?: string
}

/** Answer of MAESTRO charter.declare. */
export interface MaestroCharterDeclareOutput {
  /** Hash of the charter and of the version before it. */
  charter_ref: string
  /** Of this name, counted from 1. */
  version: number
  /** What may be wrong with it; it is declared all the same. */
  warnings: Array<{
    /** unmeasurable_objective: no metric. Conflicts: no value or time can meet it. unweighed: all weights are 0. */
    kind: "unmeasurable_objective" | "deadline_conflict" | "target_conflict" | "unweighed"
    /** Objective it is about. */
    objective_id?: string
    /** What is wrong, in words. */
    message: string
  }>
}

/** Break a goal into tasks that can be done, with their order, times, cost and who does them. */
export interface MaestroGoalRefineInput {
  /** Charter whose methods, agents and constraints count; absent: none. */
  charter_ref?: string
  /** What to plan: the name of a task, a task with arguments, or a wish in words. */
  goal: string | {
    /** Task to plan. */
    task: string
    /** Arguments by name. */
    args?: Record<string, unknown>
  }
  /** Facts, as expressions see them. */
  state?: Record<string, unknown>
  /** Ways to do a task, in the order in which they are preferred. */
  methods?: Array<{
    /** For people: said in the decomposition. */
    name?: string
    /** Task that it does. */
    task: string
    /** What is left open: each value of the list is tried in turn, as a further argument. */
    choose?: Array<{
      /** Name of the further argument. */
      name: string
      /** CEL that gives a list. */
      from: string
    }>
    /** All must be true; a fact that is not there makes one false. */
    preconditions?: string | string[]
    /** What it is broken down into. */
    subtasks: Array<{
      /** Names the subtask within the method, for order. */
      id?: string
      /** Task or operator to do. */
      task: string
      /** By name; any value in it may be {"$cel": "…"} over state and args. */
      args?: Record<string, unknown>
    }>
    /** Ids in the order they must be done in, or pairs of which the first comes before the second; an empty list leaves all open. Absent: as they stand. */
    order?: string[] | Array<string[]>
  }>
  /** Tasks that need no breaking down: what they change, and who or what does them. */
  operators?: Array<{
    /** Name that methods use. */
    name: string
    /** All must be true; a fact that is not there makes one false. */
    preconditions?: string | string[]
    /** What is true after it. */
    effects?: Array<{
      /** Fact that gets a value, such as at.{truck}. */
      set: string
      /** A value, or {"$cel": "…"}. */
      to: unknown
    } | {
      /** Fact that is removed, such as at.{truck}. */
      unset: string
    } | {
      /** Number that is counted up, such as loads.{truck}. */
      increment: string
      /** A number, or {"$cel": "…"}; 1 where absent. */
      by?: unknown
    }>
    /** With operation: what is called to do it. */
    protocol?: string
    /** With protocol: what is called to do it. */
    operation?: string
    /** What the operation is called with; any value may be {"$cel": "…"}. The arguments where absent. */
    payload?: Record<string, unknown>
    /** What an agent must be able to do for it. */
    skill?: string
    /** How much of an agent it takes; all of its capacity where absent. */
    load?: number
    /** At best, most likely and at worst, in milliseconds. */
    duration?: {
      /** At best, in milliseconds. */
      opt: number
      /** Most likely, in milliseconds. */
      likely: number
      /** At worst, in milliseconds. */
      pess: number
    }
    /** US dollars. */
    cost?: number
  }>
  /** A domain, and a problem if there is one, in HDDL; methods, operators and state beside it add to it. The initial network of the problem is the task htn, predicates are facts keyed by their arguments, and only a plan after which its :goal is true is one. */
  hddl?: string
  /** What the best plan has least of; absent: makespan. Replanning keeps it. */
  minimize?: "makespan" | "cost" | "steps" | {
    /** Weight of a millisecond of the expected time. */
    makespan?: number
    /** Weight of a US dollar. */
    cost?: number
    /** Weight of a task. */
    steps?: number
  }
  /** What the search may use. */
  budget?: {
    /** Steps of the search: ways tried, those that were rejected included. Absent: only deadline_ms ends it, or 20000 of them without one. */
    expansions?: number
    /** Time of the search, in milliseconds; it goes on looking for a better plan until then, or until the best is proven. */
    deadline_ms?: number
  }
}

/** Answer of MAESTRO goal.refine. */
export interface MaestroGoalRefineOutput {
  /** Whether there is a plan. */
  feasible: boolean
  /** Why there is no plan; absent: there is one. */
  reason?: "no_plan" | "out_of_budget" | "goal_not_reached" | "limits" | "size"
  /** Of the attempt that came furthest, the first thing that did not hold. */
  failing?: {
    /** Task that could not be done. */
    task?: string
    /** Arguments by name. */
    args?: Record<string, unknown>
    /** What did not hold: an operator, method, choice, effect, constraint, or the goal. */
    of?: string
    /** Of the operator, the method or the constraint. */
    name?: string
    /** Condition that was false, in CEL. */
    precondition?: string
    /** What was wrong, in words. */
    why: string
  }
  /** Names the plan, to change it later; absent: there is none. */
  graph_ref?: string
  /** Version of the plan; send it to graph.replan. */
  version?: number
  /** Time from which offsets count. */
  starts_at?: string
  /** Steps of the plan with their times. */
  tasks: Array<{
    /** Names the task within the plan. */
    id: string
    /** A call, the skill of an agent, a step that somebody takes, or a task nobody knows how to do. */
    kind: "operation" | "skill" | "step" | "unrefined"
    /** Whether it was reported as done. */
    status: "pending" | "done"
    /** What is done, by the name of its operator. */
    operator: string
    /** Arguments by name. */
    args: Record<string, unknown>
    /** Tasks that must end before it. */
    depends_on: string[]
    /** PERT, in milliseconds. */
    duration: {
      /** Expected time, in milliseconds. */
      mean: number
      /** Standard deviation, in milliseconds. */
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
    /** Whether a delay of it delays the plan. */
    critical: boolean
    /** When it starts with the agents there are, in ms from starts_at. */
    start: number
    /** When it ends then, in ms from starts_at. */
    finish: number
    /** Who does it; absent: nobody is needed, or nobody was found. */
    assignee?: string
  }>
  /** Tasks that decide how long the plan takes. */
  critical_path: string[]
  /** Milliseconds from starts_at: with mean durations and the agents there are; and in nine cases of ten. */
  makespan?: {
    /** Expected, in milliseconds. */
    mean: number
    /** In nine cases of ten, in milliseconds. */
    p90: number
  }
  /** US dollars. */
  cost?: number
  /** How good the plan is; absent: there is none. */
  objective?: {
    /** As it was asked for; makespan where nothing was. */
    minimize: "makespan" | "cost" | "steps" | {
      /** Weight of a millisecond of the expected time. */
      makespan?: number
      /** Weight of a US dollar. */
      cost?: number
      /** Weight of a task. */
      steps?: number
    }
    /** What the objective makes of this plan: the smaller, the better. */
    value: number
    /** Whether no plan of these methods and operators is better, each scheduled as plans are here; false: the search ended before that was known. */
    proven_best: boolean
  }
  /** How the goal was broken down, as a tree. */
  decomposition: Array<{
    /** Names the entry within the tree. */
    id: number
    /** Entry that it is a part of; absent: the goal. */
    parent?: number
    /** Task that was broken down. */
    task: string
    /** Arguments by name. */
    args: Record<string, unknown>
    /** How it is done. */
    method?: string
    /** Task of the plan that does it; absent: it was broken down. */
    task_id?: string
    /** Done for a way that was given up. */
    past?: boolean
  }>
  /** Other plans that were found, the best first; none is better. */
  alternatives: Array<{
    /** What would be done. */
    tasks: Array<{
      /** What is done, by the name of its operator. */
      operator: string
      /** Arguments by name. */
      args: Record<string, unknown>
    }>
    /** Expected time, in milliseconds. */
    makespan_ms: number
    /** US dollars. */
    cost: number
    /** What the objective makes of it. */
    value: number
  }>
  /** For MOON submit_manifest as it is; absent where nothing is left to do, or more than it can hold. */
  executable_manifest?: Record<string, unknown>
  /** Tasks that nobody knows how to do. */
  unrefined: string[]
  /** Objectives of the charter that will be late. */
  at_risk_objectives: Array<{
    /** The objective. */
    id: string
    /** When it must be reached. */
    deadline: string
    /** When it will be reached, in nine cases of ten. */
    expected: string
  }>
  /** How far the search went. */
  search: {
    /** Steps of the search that were taken. */
    expansions: number
    /** complete: everything was tried, or can be no better. expansions, deadline: that budget was used up before. expression: a condition, choice or value took more work than one may, and what depends on it was left out. size: plans longer or deeper than can be kept were left out. */
    ended: "complete" | "expansions" | "deadline" | "expression" | "size"
  }
  /** A model only proposes: its methods were carried out symbolically before they counted. */
  methods_from: "given" | "model" | "none"
}

/** Report events that affect a plan, and get back the repaired plan. */
export interface MaestroGraphReplanInput {
  /** Plan to change. */
  graph_ref: string
  /** Version you know; another one is refused. */
  expected_version: number
  /** What happened since; taken in order of time. */
  events: Array<{
    /** Task it is about; for done, failed, late and cancelled. */
    task_id?: string
    /** What happened; resource_lost and resource_added are about agents. */
    kind: "done" | "failed" | "late" | "cancelled" | "resource_lost" | "resource_added" | "new_fact" | "new_deadline"
    /** When it happened; default now. */
    at?: string
    /** What is needed to know of it, by kind. */
    data?: {
      /** Further facts that are true now; needed for new_fact. */
      effects?: Array<{
        /** Fact that gets a value, such as at.{truck}. */
        set: string
        /** A value, or {"$cel": "…"}. */
        to: unknown
      } | {
        /** Fact that is removed, such as at.{truck}. */
        unset: string
      } | {
        /** Number that is counted up, such as loads.{truck}. */
        increment: string
        /** A number, or {"$cel": "…"}; 1 where absent. */
        by?: unknown
      }>
      /** late: how long it still takes. */
      remaining_ms?: number
      /** resource_lost and resource_added: the agent. */
      did?: string
      /** resource_added: what the agent can do. */
      skills?: string[]
      /** resource_added: share of its time that may be planned with. */
      capacity?: number
      /** new_deadline: the objective. */
      objective_id?: string
      /** new_deadline: when it must be reached now. */
      deadline?: string
    }
  }>
  /** Whether order and people stay as far as they can, or all that is left is scheduled anew. Both keep the objective. */
  policy?: "minimal_change" | "optimal"
  /** What starts within it keeps its people, and starts no earlier. */
  freeze_window_ms?: number
  /** What the search may use. */
  budget?: {
    /** Steps of the search: ways tried, those that were rejected included. Absent: only deadline_ms ends it, or 20000 of them without one. */
    expansions?: number
    /** Time of the search, in milliseconds; it goes on looking for a better plan until then, or until the best is proven. */
    deadline_ms?: number
  }
}

/** Answer of MAESTRO graph.replan. */
export interface MaestroGraphReplanOutput {
  /** A plan; it keeps its name through all its versions. */
  graph_ref: string
  /** Version of the changed plan. */
  version: number
  /** Whether the rest can still be done. */
  feasible: boolean
  /** Why the rest cannot be done; absent: it can. */
  reason?: "no_plan" | "out_of_budget" | "goal_not_reached" | "limits" | "size"
  /** Of the attempt that came furthest, the first thing that did not hold. */
  failing?: {
    /** Task that could not be done. */
    task?: string
    /** Arguments by name. */
    args?: Record<string, unknown>
    /** What did not hold: an operator, method, choice, effect, constraint, or the goal. */
    of?: string
    /** Of the operator, the method or the constraint. */
    name?: string
    /** Condition that was false, in CEL. */
    precondition?: string
    /** What was wrong, in words. */
    why: string
  }
  /** What changed in the plan. */
  diff: {
    /** New tasks. */
    added: string[]
    /** Tasks that are no longer needed. */
    removed: string[]
    /** Tasks with other times. */
    moved: string[]
    /** Tasks that somebody else does now. */
    reassigned: string[]
  }
  /** Twice the tasks that stayed with who had them, over all tasks before and all after. */
  stability: number
  /** Time from which offsets count. */
  starts_at: string
  /** Steps of the plan with their times, done ones included. */
  tasks: Array<{
    /** Names the task within the plan. */
    id: string
    /** A call, the skill of an agent, a step that somebody takes, or a task nobody knows how to do. */
    kind: "operation" | "skill" | "step" | "unrefined"
    /** Whether it was reported as done. */
    status: "pending" | "done"
    /** What is done, by the name of its operator. */
    operator: string
    /** Arguments by name. */
    args: Record<string, unknown>
    /** Tasks that must end before it. */
    depends_on: string[]
    /** PERT, in milliseconds. */
    duration: {
      /** Expected time, in milliseconds. */
      mean: number
      /** Standard deviation, in milliseconds. */
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
    /** Whether a delay of it delays the plan. */
    critical: boolean
    /** When it starts with the agents there are, in ms from starts_at. */
    start: number
    /** When it ends then, in ms from starts_at. */
    finish: number
    /** Who does it; absent: nobody is needed, or nobody was found. */
    assignee?: string
  }>
  /** Tasks that decide how long the rest takes. */
  critical_path: string[]
  /** Milliseconds from starts_at: with mean durations and the agents there are; and in nine cases of ten. */
  makespan: {
    /** Expected, in milliseconds. */
    mean: number
    /** In nine cases of ten, in milliseconds. */
    p90: number
  }
  /** US dollars. */
  cost: number
  /** How good the plan is by the objective it was made for; proven_best is about the ways to do what broke, and false if nothing did. */
  objective: {
    /** As it was asked for; makespan where nothing was. */
    minimize: "makespan" | "cost" | "steps" | {
      /** Weight of a millisecond of the expected time. */
      makespan?: number
      /** Weight of a US dollar. */
      cost?: number
      /** Weight of a task. */
      steps?: number
    }
    /** What the objective makes of this plan: the smaller, the better. */
    value: number
    /** Whether no plan of these methods and operators is better, each scheduled as plans are here; false: the search ended before that was known. */
    proven_best: boolean
  }
  /** How the goal was broken down, as a tree. */
  decomposition: Array<{
    /** Names the entry within the tree. */
    id: number
    /** Entry that it is a part of; absent: the goal. */
    parent?: number
    /** Task that was broken down. */
    task: string
    /** Arguments by name. */
    args: Record<string, unknown>
    /** How it is done. */
    method?: string
    /** Task of the plan that does it; absent: it was broken down. */
    task_id?: string
    /** Done for a way that was given up. */
    past?: boolean
  }>
  /** What is left to do, for MOON submit_manifest; absent where that is nothing, or not feasible. */
  executable_manifest?: Record<string, unknown>
  /** Objectives of the charter that will be late. */
  at_risk_objectives: Array<{
    /** The objective. */
    id: string
    /** When it must be reached. */
    deadline: string
    /** When it will be reached, in nine cases of ten. */
    expected: string
  }>
  /** How far the search went. */
  search: {
    /** Steps of the search that were taken. */
    expansions: number
    /** complete: everything was tried, or can be no better. expansions, deadline: that budget was used up before. expression: a condition, choice or value took more work than one may, and what depends on it was left out. size: plans longer or deeper than can be kept were left out. */
    ended: "complete" | "expansions" | "deadline" | "expression" | "size"
  }
}

/** Compare two versions of a draft, or two artifacts: changed lines of text, changed paths of JSON. */
export interface MageDiffInput {
  /** What it was before. */
  from: {
    /** An artifact, or a draft of your own organization. */
    ref: string
    /** Of a draft; the newest where absent. */
    version?: number
  }
  /** What it is compared to. */
  to: {
    /** An artifact, or a draft of your own organization. */
    ref: string
    /** Of a draft; the newest where absent. */
    version?: number
  }
  /** Size of the answer at most, in bytes; beyond it changes are left out, and cut says so. */
  bytes_max?: number
}

/** Answer of MAGE diff. */
export interface MageDiffOutput {
  /** What it was before. */
  from: {
    /** What was read. */
    ref: string
    /** Of the draft; absent for artifacts. */
    version?: number
    /** Media type of the whole. */
    media_type: string
    /** Bytes of the whole. */
    size: number
    /** sha256 of the whole content, in lower hex. */
    content_hash: string
  }
  /** What it was compared to. */
  to: {
    /** What was read. */
    ref: string
    /** Of the draft; absent for artifacts. */
    version?: number
    /** Media type of the whole. */
    media_type: string
    /** Bytes of the whole. */
    size: number
    /** sha256 of the whole content, in lower hex. */
    content_hash: string
  }
  /** Whether both have the same bytes. */
  same: boolean
  /** text: unified shows the changed lines, also of JSON nested more than 100 levels deep. json: changes lists the changed paths. bytes: sizes and hashes are all that is told. */
  format: "text" | "json" | "bytes"
  /** Unified diff of the lines, with 3 around each change; absent for JSON and bytes. */
  unified?: string
  /** Changes of JSON, lists compared place by place; absent for text and bytes. */
  changes?: Array<{
    /** JSON pointer of what changed; empty for the whole. */
    path: string
    /** What happened to it. */
    change: "added" | "removed" | "changed"
    /** Value before; absent if it was added. */
    from?: unknown
    /** Value after; absent if it was removed. */
    to?: unknown
  }>
  /** Whether changes are left out: there are more than the answer may hold, or than can be compared within 10 seconds and the memory of a worker. */
  cut: boolean
}

/** Create or revise a draft of an artifact, and get its lint results. */
export interface MageDraftInput {
  /** Needed for a new draft; a revision keeps what it was. */
  kind?: "document" | "code" | "dataset" | "schema" | "policy" | "report" | "binary"
  /** Needed for a new draft. */
  title?: string
  /** The artifact itself: up to 1 MiB of text, or base64. One of content, template and brief. */
  content?: string
  /** How content is written. */
  encoding?: "utf-8" | "base64"
  /** The content comes after that of the version before: so up to 16 MiB are brought in pieces. */
  append?: boolean
  /** Mustache without partials, filled from data. */
  template?: string
  /** Values for the names in the template. */
  data?: Record<string, unknown>
  /** What to write: a model does, or else MARI outlines what is known of it. */
  brief?: string
  /** By its kind where absent: text/markdown for documents and reports, application/json for data, application/schema+json for schemas, text/x-cedar for policies. */
  media_type?: string
  /** What the draft is made from; they become its provenance. */
  inputs?: string[]
  /** Words to find it by. */
  labels?: string[]
  /** Names the draft. */
  draft_id?: string
  /** The version that is revised. */
  expected_version?: number
  /** What the call may use at most; absent means the defaults. */
  budget?: {
    /** Tokens a model may read and write. */
    tokens?: number
    /** Milliseconds after which the call ends with a timeout. */
    deadline_ms?: number
  }
}

/** Answer of MAGE draft. */
export interface MageDraftOutput {
  /** Names the draft. */
  draft_id: string
  /** Names the draft, for citations and fetch. */
  ref: string
  /** Version that was made; publish names it. */
  version: number
  /** sha256 of the content, in lower hex. */
  content_hash: string
  /** Bytes of the content. */
  size: number
  /** Media type of the content. */
  media_type: string
  /** Who wrote the content: the caller, a template, a model, or MARI's outline. */
  made_by: "caller" | "template" | "model" | "outline"
  /** Problems found in the draft. */
  lint: Array<{
    /** What was checked. */
    rule: "unresolved_ref" | "redacted_source" | "weak_source" | "schema_invalid" | "unresolved_name" | "unverified"
    /** With an error it cannot be published. */
    severity: "error" | "warning"
    /** What is wrong, in a sentence. */
    message: string
    /** Source it is about; absent where it is about the content. */
    ref?: string
  }>
  /** What a model used. */
  usage: {
    /** Tokens a model read; 0 without a model. */
    tokens_in: number
    /** Tokens a model wrote; 0 without a model. */
    tokens_out: number
  }
}

/** Read a draft or an artifact: its bytes, and for what is published its manifest and provenance. */
export interface MageFetchInput {
  /** An artifact, or a draft of your own organization. */
  ref: string
  /** Of a draft; the newest where absent. */
  version?: number
  /** First byte to return; next_offset of the part before. */
  offset?: number
  /** In bytes; 0 returns the metadata alone. */
  length?: number
}

/** Answer of MAGE fetch. */
export interface MageFetchOutput {
  /** What was read. */
  ref: string
  /** What the bytes are. */
  kind: "document" | "code" | "dataset" | "schema" | "policy" | "report" | "binary"
  /** Title for people. */
  title: string
  /** Media type of the whole. */
  media_type: string
  /** Words to find it by. */
  labels?: string[]
  /** What it was made from. */
  inputs?: string[]
  /** Who wrote the bytes: the caller, a template, a model, or MARI's outline. */
  made_by: "caller" | "template" | "model" | "outline"
  /** Bytes of the whole. */
  size: number
  /** sha256 of the whole content, in lower hex. */
  content_hash: string
  /** The bytes asked for. */
  content: string
  /** base64 where these bytes are no text. */
  encoding: "utf-8" | "base64"
  /** First byte returned. */
  offset: number
  /** Where to go on; null at the end. */
  next_offset: number | null
  /** Version of the draft; absent for artifacts. */
  version?: number
  /** SPDX expression it was published under; absent for drafts. */
  license?: string
  /** Who may find and fetch it; absent for drafts. */
  visibility?: "tenant" | "treaty" | "public"
  /** DID of the publisher; absent for drafts. */
  published_by?: string
  /** When it was published; absent for drafts. */
  published_at?: string
  /** Artifact it replaces. */
  supersedes?: string
  /** Artifact that replaces it. */
  superseded_by?: string
  /** The bytes as a whole, and the pieces they are kept in, in their order. */
  manifest?: {
    /** Media type of the whole. */
    mediaType: string
    /** Hash of all bytes. */
    digest: string
    /** Number of bytes. */
    size: number
    /** Pieces that the bytes are stored in. */
    layers: Array<{
      /** Media type of the whole. */
      mediaType: string
      /** Bytes of the piece. */
      size: number
      /** Where the piece begins in the whole. */
      offset: number
    }>
  }
  /** in-toto Statement v1 with a SLSA v1 predicate. */
  provenance?: {
    /** Type of statement. */
    _type: "https://in-toto.io/Statement/v1"
    /** The artifact the statement is about. */
    subject: Array<{
      /** Title of the artifact. */
      name: string
      /** Hash of its bytes. */
      digest: {
        /** sha256 of the bytes, in lower hex. */
        sha256?: string
        /** The commitment made to it when it was kept. */
        saltedSha256?: string
      }
    }>
    /** What the predicate means: SLSA provenance. */
    predicateType: "https://slsa.dev/provenance/v1"
    /** How the artifact was made. */
    predicate: {
      /** What went into it. */
      buildDefinition: {
        /** How to read externalParameters. */
        buildType: string
        /** Kind, license, draft, authors, citations and dissent. */
        externalParameters: Record<string, unknown>
        /** The materials: what it was made from. */
        resolvedDependencies: Array<{
          /** Reference to the source. */
          uri: string
          /** Hash or commitment by which it is pinned; empty where it did not resolve. */
          digest: {
            /** sha256 of the bytes, in lower hex. */
            sha256?: string
            /** The commitment made to it when it was kept. */
            saltedSha256?: string
          }
          /** State and version of the source at publication. */
          annotations?: Record<string, unknown>
        }>
      }
      /** Where and when it was made. */
      runDetails: {
        /** Who made the statement. */
        builder: {
          /** DID of the engine. */
          id: string
        }
        /** The call that published it. */
        metadata: {
          /** Correlation id of the call, to be found in the audit log. */
          invocationId: string
          /** When the draft was written, RFC 3339. */
          startedOn: string
          /** When it was published, RFC 3339. */
          finishedOn: string
        }
      }
    }
  }
  /** W3C Data Integrity, eddsa-jcs-2022. */
  proof?: {
    /** Kind of proof, as W3C names it. */
    type: "DataIntegrityProof"
    /** How it is made: Ed25519 over canonical JSON. */
    cryptosuite: "eddsa-jcs-2022"
    /** When it was signed. */
    created: string
    /** Key that signed, as did:key: all that a check needs. */
    verificationMethod: string
    /** What the signature says: that this is so, or who signs. */
    proofPurpose: "assertionMethod" | "authentication"
    /** Issuer, if another key signs on its behalf. */
    controller?: string
    /** Multibase base58btc. */
    proofValue: string
  }
  /** Its entry in the registry; absent for drafts. */
  mars_entry?: string
  /** The record of the publication, and a signed tree it stands in. */
  inclusion?: {
    /** Hash of the record of the publication. */
    record_hash: string
    /** Records in the signed tree. */
    tree_size: number
  }
}

/** Publish a version of a draft as an artifact that never changes, with its provenance signed. */
export interface MagePublishInput {
  /** Names the draft. */
  draft_id: string
  /** Version of the draft to publish. */
  version: number
  /** An SPDX expression such as Apache-2.0, or LicenseRef-<name> for terms of your own. */
  license: string
  /** Who may find it in the registry, and fetch it where a treaty lets them call. */
  visibility?: "tenant" | "treaty" | "public"
  /** Sources the artifact relies on. */
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
    /** Media type of the whole. */
    mediaType: string
    /** Hash of all bytes. */
    digest: string
    /** Number of bytes. */
    size: number
    /** Pieces that the bytes are stored in. */
    layers: Array<{
      /** Media type of the whole. */
      mediaType: string
      /** Bytes of the piece. */
      size: number
      /** Where the piece begins in the whole. */
      offset: number
    }>
  }
  /** in-toto Statement v1 with a SLSA v1 predicate. */
  provenance: {
    /** Type of statement. */
    _type: "https://in-toto.io/Statement/v1"
    /** The artifact the statement is about. */
    subject: Array<{
      /** Title of the artifact. */
      name: string
      /** Hash of its bytes. */
      digest: {
        /** sha256 of the bytes, in lower hex. */
        sha256?: string
        /** The commitment made to it when it was kept. */
        saltedSha256?: string
      }
    }>
    /** What the predicate means: SLSA provenance. */
    predicateType: "https://slsa.dev/provenance/v1"
    /** How the artifact was made. */
    predicate: {
      /** What went into it. */
      buildDefinition: {
        /** How to read externalParameters. */
        buildType: string
        /** Kind, license, draft, authors, citations and dissent. */
        externalParameters: Record<string, unknown>
        /** The materials: what it was made from. */
        resolvedDependencies: Array<{
          /** Reference to the source. */
          uri: string
          /** Hash or commitment by which it is pinned; empty where it did not resolve. */
          digest: {
            /** sha256 of the bytes, in lower hex. */
            sha256?: string
            /** The commitment made to it when it was kept. */
            saltedSha256?: string
          }
          /** State and version of the source at publication. */
          annotations?: Record<string, unknown>
        }>
      }
      /** Where and when it was made. */
      runDetails: {
        /** Who made the statement. */
        builder: {
          /** DID of the engine. */
          id: string
        }
        /** The call that published it. */
        metadata: {
          /** Correlation id of the call, to be found in the audit log. */
          invocationId: string
          /** When the draft was written, RFC 3339. */
          startedOn: string
          /** When it was published, RFC 3339. */
          finishedOn: string
        }
      }
    }
  }
  /** Of the provenance. */
  proof: {
    /** Kind of proof, as W3C names it. */
    type: "DataIntegrityProof"
    /** How it is made: Ed25519 over canonical JSON. */
    cryptosuite: "eddsa-jcs-2022"
    /** When it was signed. */
    created: string
    /** Key that signed, as did:key: all that a check needs. */
    verificationMethod: string
    /** What the signature says: that this is so, or who signs. */
    proofPurpose: "assertionMethod" | "authentication"
    /** Issuer, if another key signs on its behalf. */
    controller?: string
    /** Multibase base58btc. */
    proofValue: string
  }
  /** SPDX expression, as it was understood. */
  license: string
  /** Who may find and fetch it. */
  visibility: "tenant" | "treaty" | "public"
  /** Its entry in the registry. */
  mars_entry: string
  /** The record of the publication, and a signed tree it stands in. */
  inclusion: {
    /** Hash of the record of the publication. */
    record_hash: string
    /** Records in the signed tree. */
    tree_size: number
  }
}

/** Trace a decision, a record or an entity to its root causes or its effects. */
export interface MagiTraceInput {
  /** What to trace: a correlation id, a record hash, or a reference. */
  root: string
  /** Direction of the trace. */
  direction?: "causes" | "effects" | "both"
  /** How many steps to go from the root. */
  max_depth?: number
  /** The most nodes to include. */
  max_nodes?: number
  /** Read by a model, if one is configured; its sentences are unverified. */
  question?: string
  /** Records to remove, each alone and all together: would the outcome differ? */
  counterfactual?: string[]
  /** Includes records of the same requests at partners of an active treaty. */
  include_foreign?: boolean
  /** What the call may use at most; absent means the defaults. */
  budget?: {
    /** Tokens for a model that reads the question. */
    tokens: number
    /** Milliseconds after which the call ends with a timeout. */
    deadline_ms: number
  }
}

/** Answer of MAGI trace. */
export interface MagiTraceOutput {
  /** Names this trace, for citations. */
  trace_ref: string
  /** Node that was traced. */
  target: string
  /** What the trace found. */
  nodes: Array<{
    /** Names the node within this trace. */
    id: string
    /** In words of W3C PROV: something done, a thing, or who acted. */
    type: "Activity" | "Entity" | "Agent"
    /** Name to show. */
    label: string
    /** Record it stands for; absent where it is no record. */
    record_hash?: string
    /** Organization whose log has the record. */
    tenant_id?: string
    /** Place of the record in its chain. */
    seq?: number
    /** What was recorded. */
    event_type?: string
    /** Protocol that was called. */
    protocol?: string
    /** Operation that was called. */
    operation?: string
    /** How the call ended. */
    outcome?: "success" | "refused" | "error"
    /** When it was recorded. */
    at?: string
    /** Why it was refused or failed, as recorded. */
    reason?: string
    /** A record you may not read: only its hash is shown. */
    opaque?: boolean
  }>
  /** How the nodes depend on each other; effects point at causes. */
  edges: Array<{
    /** The effect. */
    from: string
    /** The cause. */
    to: string
    /** Relation in words of W3C PROV, or refusedBy, or mayBeRefusedBy where a rule cannot be ruled out. */
    relation: "used" | "wasGeneratedBy" | "wasInformedBy" | "wasDerivedFrom" | "actedOnBehalfOf" | "refusedBy" | "mayBeRefusedBy"
    /** 1 if recorded, 0.95 if bound by a hash, 0.5 if only the order in time speaks for it, or it cannot be ruled out. */
    confidence: number
  }>
  /** Links that contradict the order of the chain. */
  dropped: Array<{
    /** The effect. */
    from: string
    /** The cause. */
    to: string
    /** Relation in words of W3C PROV, or refusedBy, or mayBeRefusedBy where a rule cannot be ruled out. */
    relation: "used" | "wasGeneratedBy" | "wasInformedBy" | "wasDerivedFrom" | "actedOnBehalfOf" | "refusedBy" | "mayBeRefusedBy"
    /** How it contradicts the order. */
    why: string
  }>
  /** What the outcome depended on, the most responsible first. */
  root_causes: Array<{
    /** Node that is a cause. */
    node: string
    /** Whether the outcome would differ without this alone. */
    necessity: boolean
    /** 1/(1+k), where k others must be removed first for this one to decide. */
    responsibility: number
    /** Replayed: confirmed by rerunning deterministic rules. Assumed: some step cannot be rerun; of several sources of it any one counts as enough. */
    basis: "replayed" | "assumed"
    /** Why it counts as a cause, in a sentence. */
    reason: string
    /** Nodes that must be removed first for this one to decide. */
    contingency: string[]
  }>
  /** Nodes between the target and its main cause, or its farthest effect. */
  critical_path: string[]
  /** What would have happened without the records named in counterfactual. */
  counterfactuals: Array<{
    /** Records left out. */
    removed: string[]
    /** Whether they are part of this trace. */
    found: boolean
    /** Whether the outcome would have differed. */
    changed: boolean
    /** replayed: rules were run again; assumed: some step cannot be rerun. */
    basis: "replayed" | "assumed"
  }>
  /** Whether the records that were read are genuine. */
  verification: {
    /** Every record matches its hash and the one before. */
    chain_ok: boolean
    /** Every record that was checked is in a signed tree. */
    signatures_ok: boolean
    /** Records that were verified. */
    records: number
    /** Signatures that were verified. */
    signatures_checked: number
    /** First record that did not verify; absent where all did. */
    first_bad?: {
      /** Organization whose log has the record. */
      tenant_id: string
      /** Place of the record in its chain. */
      seq: number
      /** Null if missing. */
      record_hash: string | null
    }
  }
  /** The trace in sentences for people. */
  narrative: Array<{
    /** A statement about the trace. */
    sentence: string
    /** Nodes it rests on. */
    citations: string[]
    /** False if a model proposed it. */
    verified: boolean
  }>
  /** Something was left out because of a limit. */
  truncated: boolean
  /** Which limits were reached. */
  truncated_by: Array<"depth" | "nodes" | "tokens" | "work">
  /** That of the weakest edge; 1 where there is none. */
  confidence: number
  /** What the trace used. */
  usage: {
    /** Tokens a model read; 0 without a model. */
    tokens_in: number
    /** Tokens a model wrote; 0 without a model. */
    tokens_out: number
    /** Steps of the search; not charged for. */
    work: number
  }
}

/** Stop an action, everything of an agent or a device, or everything of the organization. */
export interface MakerEmergencyStopInput {
  /** Action to stop, with the scope action. */
  action_id?: string
  /** As execute_action answered it, in place of action_id. */
  stop_token?: string
  /** How much to stop: one action (default), all of an agent or device, or the whole tenant. */
  scope?: "action" | "agent" | "device" | "tenant"
  /** The DID of an agent or a device; for tenant it is your own. */
  scope_id?: string
  /** Why it is stopped; recorded in the audit log. */
  reason: string
  /** immediate skips the grace period. */
  mode?: "graceful" | "immediate"
  /** Lifts the stop instead; needs L1 and the authority. */
  clear?: {
    /** Charter verdict that allows it to run again; absent means the newest that fits. */
    authority?: string
  }
}

/** Answer of MAKER emergency_stop. */
export interface MakerEmergencyStopOutput {
  /** Names this stop. */
  stop_ref: string
  /** Actions that have provably ended. */
  halted: Array<{
    /** Action that was stopped. */
    action_id: string
    /** When it ended, RFC 3339. */
    at: string
    /** How it ended, such as never_started or already_finished. */
    how: string
  }>
  /** Actions not yet proved to have ended; stopping them is retried every second. */
  unconfirmed: Array<{
    /** Action that may still run. */
    action_id: string
    /** What is missing. */
    why: string
  }>
  /** How many more actions were told to stop than are listed. */
  not_listed?: number
  /** How many more devices were told to be safe; those that are not safe are listed first. */
  devices_not_listed?: number
  /** Actuators that were sent to their safe state. */
  devices: Array<{
    /** Actuator that was told. */
    actuator_id: string
    /** It has confirmed its safe state. */
    safe: boolean
    /** What is missing; absent if it is safe. */
    why?: string
  }>
  /** What may not start anything until the stop is lifted. */
  latched: {
    /** How much is stopped. */
    scope: "action" | "agent" | "device" | "tenant"
    /** Action, agent, device or tenant that is stopped. */
    scope_id: string
    /** False after it was lifted. */
    is_set: boolean
  }
  /** Milliseconds until this answer. */
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
    /** Send an HTTP request, run a program of the operator's list, or do nothing. */
    builtin: "http_request" | "script_ref" | "noop"
    /** A program of the operator's list (SVC_COMMANDS). */
    script_ref?: string
  }
  /** Checked before it begins; the action is refused where one does not hold. */
  preconditions?: string[]
  /** It is stopped when it takes longer. */
  max_duration_ms: number
  /** The time between asking it to stop and forcing it. */
  grace_ms?: number
  /** What must hold once it is stopped; an actuator's own descriptor says it for devices. */
  safe_state?: Record<string, unknown>
  /** Risk that MARE scored for this action; needed if it is irreversible. */
  risk_ref?: string
  /** It cannot be undone; requires a risk_ref scored by MARE. */
  irreversible: boolean
  /** Charter verdict for an irreversible action whose risk is above moderate. */
  authority?: string
  /** sync waits up to 24 seconds for the end; async (default) answers at once. */
  mode?: "sync" | "async"
  /** A workflow that is started when it failed or was stopped. */
  compensation?: {
    /** The hash of what was submitted. */
    manifest_ref: string
  }
}

/** Answer of MAKER execute_action. */
export interface MakerExecuteActionOutput {
  /** Names the action, for emergency_stop. */
  action_id: string
  /** Names the action, for citations. */
  ref: string
  /** stop_unconfirmed: it was told to stop, and nothing proves that it has. */
  state: "proposed" | "authorised" | "running" | "succeeded" | "failed" | "stopping" | "stopped" | "stop_unconfirmed"
  /** How it ended, in words. */
  how?: string
  /** What the executor answered; absent until it has ended. */
  output?: unknown
  /** Code of the failure; absent if it did not fail. */
  error_code?: string
  /** When it began, RFC 3339; absent until then. */
  started_at?: string
  /** Names this action to emergency_stop, in place of its id. */
  stop_token: string
}

/** List actions, newest first. */
export interface MakerListInput {
  /** Only actions in this state. */
  state?: "proposed" | "authorised" | "running" | "succeeded" | "failed" | "stopping" | "stopped" | "stop_unconfirmed"
  /** Only actions of this identity. */
  owner_did?: string
  /** Only actions of this kind. */
  action_kind?: string
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MAKER list. */
export interface MakerListOutput {
  /** Actions, newest first. */
  actions: Array<{
    /** The action, as execute_action answered it. */
    action_id: string
    /** Names the action, for citations. */
    ref: string
    /** What it is, in a word. */
    action_kind: string
    /** Identity that began it. */
    owner_did: string
    /** stop_unconfirmed: it was told to stop, and nothing proves that it has. */
    state: "proposed" | "authorised" | "running" | "succeeded" | "failed" | "stopping" | "stopped" | "stop_unconfirmed"
    /** How it ended, in words; absent until it has. */
    how?: string
    /** Code of the failure; absent if it did not fail. */
    error_code?: string
    /** When it was asked for. */
    created_at: string
    /** When it began; absent until then. */
    started_at?: string
    /** When it ended; absent until then. */
    ended_at?: string
    /** It is stopped if it has not ended by then. */
    deadline_at: string
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Read how an action stands, and what its executor answered. */
export interface MakerStatusInput {
  /** The action, as execute_action answered it. */
  action_id: string
}

/** Answer of MAKER status. */
export interface MakerStatusOutput {
  /** The action, as execute_action answered it. */
  action_id: string
  /** Names the action, for citations. */
  ref: string
  /** What it is, in a word. */
  action_kind: string
  /** Identity that began it. */
  owner_did: string
  /** stop_unconfirmed: it was told to stop, and nothing proves that it has. */
  state: "proposed" | "authorised" | "running" | "succeeded" | "failed" | "stopping" | "stopped" | "stop_unconfirmed"
  /** How it ended, in words; absent until it has. */
  how?: string
  /** Code of the failure; absent if it did not fail. */
  error_code?: string
  /** When it was asked for. */
  created_at: string
  /** When it began; absent until then. */
  started_at?: string
  /** When it ended; absent until then. */
  ended_at?: string
  /** It is stopped if it has not ended by then. */
  deadline_at: string
  /** What it is done to; for the identity that began it, and charter members. */
  target?: string
  /** What the executor answered; of a program its exit_code, signal, output and stderr, each up to 64 KiB. For the identity that began it, and charter members; absent until it has ended. */
  output?: unknown
}

/** Correct a memory; earlier versions stay readable. */
export interface MameEditInput {
  /** Memory or draft to change; claims and artifacts are immutable. */
  target: string
  /** Version you read; the edit is refused if it has changed since. */
  expected_version: number
  /** RFC 6902 steps for the payload, or a payload that replaces it. */
  patch: Array<{
    /** Step as RFC 6902 names it; test fails the whole patch if the value differs. */
    op: "add" | "remove" | "replace" | "move" | "copy" | "test"
    /** RFC 6901 JSON pointer; empty for the whole document. */
    path: string
    /** RFC 6901 JSON pointer; empty for the whole document. */
    from?: string
    /** For add, replace and test. */
    value?: unknown
  }> | Record<string, unknown>
  /** Why it is changed, stored with the new version. */
  reason: string
  /** From when the new content holds; default now. */
  effective_from?: string
  /** Text to search by; default: its own texts. */
  text?: string
  /** Facts that replace those drawn from it. Default: the old ones, changed as the content was. */
  triples?: Array<{
    /** The entity it is about, by name or id. */
    subject: string
    /** The relation, such as ceo or located_in. */
    predicate: string
    /** Value of the relation: a text, number or truth value, or the name or id of an entity. */
    object: string | number | boolean
    /** True from then on; absent: always before valid_to. */
    valid_from?: string
    /** True until then; absent: still. */
    valid_to?: string
    /** How sure it is, 0 to 1. */
    confidence?: number
    /** True declares that a subject has one value of this predicate at a time. */
    functional?: boolean
  }>
}

/** Answer of MAME edit. */
export interface MameEditOutput {
  /** The content that was changed. */
  ref: string
  /** Its new version. */
  version: number
  /** Version before the edit; it stays readable. */
  previous_version: number
  /** The changed paths; the versions hold the values. */
  diff: Array<{
    /** What happened at the path. */
    op: "add" | "remove" | "replace"
    /** JSON pointer to the change. */
    path: string
  }>
  /** Hash that commits to the new content without showing it. */
  content_commitment: string
  /** Search finds the new content. */
  reindexed: boolean
  /** Facts taken from the new content. */
  triples_added: number
}

/** Make content permanently unreadable, and keep the proof that it existed. */
export interface MameRedactInput {
  /** Content to redact; needed for the scopes record and fields. */
  target?: string
  /** record (default): all of it; fields: json_pointers only; subject: all about a person. */
  scope?: "record" | "fields" | "subject"
  /** Fields to redact; only with scope fields. */
  json_pointers?: string[]
  /** Whom the content is about; needed with scope subject. */
  subject_did?: string
  /** Why it is redacted; recorded for ever. */
  reason: "erasure_request" | "legal" | "security" | "error" | "other"
  /** Explanation, stored with the redaction. */
  note?: string
  /** Charter decision that allows it; needed for content of other authors. */
  authority?: string
  /** Law or contract clause that requires it. */
  legal_basis?: string
}

/** Answer of MAME redact. */
export interface MameRedactOutput {
  /** Names this redaction. */
  redaction_ref: string
  /** Records of which something was destroyed. */
  records_affected: number
  /** Encryption keys that were destroyed. */
  keys_destroyed: number
  /** Entries taken out of the search and fact indexes. */
  index_entries_removed: number
  /** Retained inputs removed now; those not yet in the audit log are removed later. */
  inputs_forgotten: number
  /** What is left of each version: proof that it existed. */
  tombstones: Array<{
    /** Content that was redacted. */
    ref: string
    /** Version that was redacted. */
    version: number
    /** Hash that was recorded for the content, without showing it. */
    commitment: string
    /** When it was redacted. */
    redacted_at: string
  }>
  /** Things that cite the content; check whether they still hold. */
  dependents: Array<{
    /** What cites it. */
    ref: string
    /** How it depends on the content, such as cites. */
    kind: string
  }>
  /** Version of the remainder, if only fields were redacted. */
  version?: number
  /** False if there is more about this person: call again. */
  complete: boolean
  /** Charter decision that was used; absent for one's own content. */
  authority?: string
  /** What this means for backups made before. */
  backups: string
}

/** Read an agent's economic profile, or set what it says about itself. */
export interface ManaAgentProfileInput {
  /** Whose profile; default: yourself. */
  agent_did?: string
  /** Your new profile; it replaces the one before. Absent: only read. */
  set?: {
    /** For people to read. */
    display_name?: string
    /** What it can do, in its own words. */
    skills?: string[]
    /** What it asks for its work; stated by itself. */
    unit_prices?: Array<{
      /** Capability that is offered. */
      capability: string
      /** Asset in which it is paid. */
      asset_id: string
      /** Price of one call, in the smallest unit of the asset. */
      amount: string
    }>
    /** Calls it can serve in an hour; stated by itself. */
    capacity_per_hour?: number
    /** Whether it wants to be invited to tenders. */
    accepts_bids?: boolean
  }
}

/** Answer of MANA agent_profile. */
export interface ManaAgentProfileOutput {
  /** Whose profile it is. */
  agent_did: string
  /** What it says about itself. */
  profile: {
    /** For people to read. */
    display_name?: string
    /** What it can do, in its own words. */
    skills?: string[]
    /** What it asks for its work; stated by itself. */
    unit_prices?: Array<{
      /** Capability that is offered. */
      capability: string
      /** Asset in which it is paid. */
      asset_id: string
      /** Price of one call, in the smallest unit of the asset. */
      amount: string
    }>
    /** Calls it can serve in an hour; stated by itself. */
    capacity_per_hour?: number
    /** Whether it wants to be invited to tenders. */
    accepts_bids?: boolean
  }
  /** 0 if no profile was ever set. */
  version: number
  /** Contracts it fulfilled. */
  completed_contracts: number
  /** Contracts it did not fulfil in time. */
  defaulted_contracts: number
  /** Rating by MERIT, 0 to 10000; absent: none. */
  merit_score?: number
  /** Envelopes it is a member of; to its own organization. */
  envelopes?: Array<{
    /** Names the envelope. */
    envelope_id: string
    /** A part of the organization. */
    department: string
  }>
  /** What its calls cost; to its own organization. */
  spend?: {
    /** In this UTC day. */
    today_usd: string
    /** In this calendar month, UTC. */
    month_usd: string
  }
  /** What it was paid; to its own organization. */
  earnings?: Array<{
    /** Asset it was paid in. */
    asset_id: string
    /** Sum, in the smallest unit of the asset. */
    amount: string
  }>
}

/** Give a department a budget and powers, change both, or close its envelope. */
export interface ManaAllocateInput {
  /** Department, limits and members. */
  envelope: {
    /** A part of the organization. */
    department: string
    /** What its members may spend together in a calendar month, UTC. */
    max_per_month_usd: string | number
    /** What its members may spend together in a UTC day; at most the month's. */
    max_per_day_usd: string | number
    /** Identities whose calls are charged to it; default: as before, or none. */
    members?: string[]
    /** Envelope to change or close; absent: a new one, where the department has none. */
    envelope_id?: string
    /** Closes the envelope for good; it no longer limits its members. */
    close?: boolean
  }
  /** Capabilities its members get through it; never more than you hold. */
  capabilities_granted: string[]
  /** Verdict that binds MANA.allocate to the department. */
  authority: string
}

/** Answer of MANA allocate. */
export interface ManaAllocateOutput {
  /** Names the envelope. */
  envelope_id: string
  /** Grows with each change. */
  version: number
  /** EXHAUSTED: a limit is reached until its day or month ends. HELD: frozen. CLOSED: for good. */
  state: "ACTIVE" | "HELD" | "EXHAUSTED" | "CLOSED"
  /** Capabilities its members have through it. */
  granted: string[]
  /** Number of members. */
  members: number
  /** When it took effect. */
  effective_at: string
  /** Month limits of all envelopes together, in US dollars. */
  tenant_committed_usd: string
  /** Month limits of all envelopes together, in whole millionths. */
  tenant_committed_micro_usd: string
}

/** Put work out to tender, bid for it under seal, or award it to the lowest at the second price. */
export interface ManaBidSubmissionInput {
  /** view shows one lot, or those that are open. */
  action?: "solicit" | "bid" | "withdraw" | "award" | "view"
  /** The lot; for bid, withdraw and award, or to view one. */
  lot_id?: string
  /** For solicit: the work, in words. */
  task?: string
  /** For solicit: capability a bidder must hold. */
  capability?: string
  /** For solicit: asset in which bids are made and the work is paid. */
  asset_id?: string
  /** For solicit: the most you pay, in the smallest unit of the asset. */
  reserve_price?: string
  /** For solicit: bids are taken until then, at most 90 days ahead. */
  closes_at?: string
  /** For solicit: who may bid; treaty includes treaty partners. Default tenant. */
  visibility?: "tenant" | "treaty"
  /** For bid: what you ask, in the smallest unit of the asset. */
  price?: string
  /** For bid: time you need for the work. */
  eta_seconds?: number
  /** For bid: your bid counts until then; absent: until the award. */
  valid_until?: string
  /** For bid: treaty between the two organizations; needed if they differ. */
  treaty_id?: string
  /** For award: of the contract; absent: the engine signs if it keeps your key. */
  signature?: string
  /** For award: key that made the signature. */
  public_key?: string
  /** For view: lots per page at most. */
  limit?: number
  /** For view: next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MANA bid_submission. */
export interface ManaBidSubmissionOutput {
  /** The lot. */
  lot_id?: string
  /** CANCELLED: withdrawn by who solicited it. EXPIRED: closed without a valid bid. */
  state?: "OPEN" | "AWARDED" | "CANCELLED" | "EXPIRED"
  /** Bids that count; the bids themselves stay sealed until the award. */
  bids_count?: number
  /** Your bid. */
  bid_id?: string
  /** Hash of your sealed bid, as the audit log has it. */
  commitment?: string
  /** Who won; after the award. */
  winner_did?: string
  /** What is paid: the second-lowest bid, or the reserve price if there was one bid. */
  clearing_price?: string
  /** MADE contract offered to the winner. */
  contract_id?: string
  /** Bids that lost; after the award, to who solicited it. */
  losing?: Array<{
    /** Names the bid. */
    bid_id: string
    /** Who bid. */
    bidder_did: string
    /** What was asked, in the smallest unit of the asset. */
    price: string
    /** Time needed for the work. */
    eta_seconds: number
    /** It counted until then; absent: until the award. */
    valid_until?: string
    /** Hash that the audit log has of the sealed bid. */
    commitment: string
    /** Random part of the hash; with it anyone can verify the bid. */
    salt: string
  }>
  /** Open lots, or the one asked for; for view. */
  lots?: Array<{
    /** Names the lot, to bid for it. */
    lot_id: string
    /** Who put it out to tender. */
    solicitor_did: string
    /** The work, in words. */
    task: string
    /** Capability a bidder must hold. */
    capability: string
    /** Asset in which bids are made and the work is paid. */
    asset_id: string
    /** The most that is paid, in the smallest unit of the asset. */
    reserve_price: string
    /** Who may bid; treaty includes treaty partners. */
    visibility: "tenant" | "treaty"
    /** Bids are taken until then. */
    closes_at: string
  }>
  /** There are more lots. */
  next_cursor?: string
}

/** Read what is left of the runway or of an envelope, and how long it lasts. */
export interface ManaBudgetInput {
  /** Your own organization. */
  tenant_id: string
  /** Unit of remaining. */
  dimension: "usd" | "tokens" | "seconds" | "watts"
  /** Also bounded by this envelope; absent: the whole runway. */
  envelope_id?: string
}

/** Answer of MANA budget. */
export interface ManaBudgetOutput {
  /** USD with six places; whole tokens, seconds or kWh at the current rate. */
  remaining: string
  /** What is left, in US dollars. */
  remaining_usd: string
  /** What is left, in whole millionths of a US dollar. */
  remaining_micro_usd: string
  /** What running calls may still cost. */
  reserved: string
  /** What was spent so far. */
  accrued: string
  /** What was paid in so far. */
  paid_in: string
  /** What may be spent beyond what was paid in. */
  credit_line: string
  /** Average of the last seven days. */
  burn_per_day: string
  /** At the spending rate of the last seven days; null if nothing was spent. */
  runway_days: number | null
  /** low below 20 %, critical below 5 % of the runway; exhausted: calls are refused. */
  level: "ample" | "low" | "critical" | "exhausted"
  /** Budgets of departments. */
  envelopes: Array<{
    /** Names the envelope. */
    id: string
    /** A part of the organization. */
    department: string
    /** EXHAUSTED: a limit is reached until its day or month ends. HELD: frozen. CLOSED: for good. */
    state: "ACTIVE" | "HELD" | "EXHAUSTED" | "CLOSED"
    /** Of the current UTC day. */
    day: {
      /** What may be spent. */
      limit: string
      /** What was spent. */
      spent: string
      /** What running calls may still cost. */
      reserved: string
      /** What is left. */
      remaining: string
    }
    /** Of the current calendar month, UTC. */
    month: {
      /** What may be spent. */
      limit: string
      /** What was spent. */
      spent: string
      /** What running calls may still cost. */
      reserved: string
      /** What is left. */
      remaining: string
    }
  }>
  /** When these figures were read. */
  as_of: string
}

/** Freeze a tenant, envelope, agent or protocol until a moment, or release it. */
export interface ManaHoldInput {
  /** Why; callers are told it. */
  reason: string
  /** tenant, envelope:<id>, agent:<did> or protocol:<ID>. */
  scope: string
  /** When the hold ends, at most 90 days ahead; now or earlier releases. */
  until: string
  /** For a release: only this hold; absent: all of the scope that you may release. */
  hold_id?: string
}

/** Answer of MANA hold. */
export interface ManaHoldOutput {
  /** The hold; the first one if several were released. */
  hold_id: string
  /** HELD: matching calls are refused. */
  state: "HELD" | "RELEASED"
  /** What is frozen or released. */
  affects: {
    /** What the scope names. */
    kind: "tenant" | "envelope" | "agent" | "protocol"
    /** Which one; absent for the tenant. */
    id?: string
    /** Members of the envelope. */
    members?: number
  }
  /** It ends by itself then; absent after a release. */
  until?: string
  /** Number of holds that were released. */
  released?: number
  /** Holds of this scope that remain. */
  still_held?: number
}

/** List envelopes with budget, spending, throttles and holds, or list the holds themselves. */
export interface ManaListInput {
  /** What to list. */
  kind?: "envelopes" | "holds"
  /** Of envelopes ACTIVE, HELD, EXHAUSTED or CLOSED; of holds HELD or RELEASED. */
  state?: "ACTIVE" | "HELD" | "EXHAUSTED" | "CLOSED" | "RELEASED"
  /** Only this envelope. */
  envelope_id?: string
  /** Only envelopes of this department. */
  department?: string
  /** Of holds. */
  scope?: string
  /** With envelope_id: all versions of the envelope. */
  include_detail?: boolean
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MANA list. */
export interface ManaListOutput {
  /** Envelopes, newest first; for kind envelopes. */
  envelopes?: Array<{
    /** Names the envelope. */
    envelope_id: string
    /** Grows with each change. */
    version: number
    /** A part of the organization. */
    department: string
    /** EXHAUSTED: a limit is reached until its day or month ends. HELD: frozen. CLOSED: for good. */
    state: "ACTIVE" | "HELD" | "EXHAUSTED" | "CLOSED"
    /** Of the current UTC day. */
    day: {
      /** What may be spent. */
      limit: string
      /** What was spent. */
      spent: string
      /** What running calls may still cost. */
      reserved: string
      /** What is left. */
      remaining: string
    }
    /** Of the current calendar month, UTC. */
    month: {
      /** What may be spent. */
      limit: string
      /** What was spent. */
      spent: string
      /** What running calls may still cost. */
      reserved: string
      /** What is left. */
      remaining: string
    }
    /** Capabilities its members have through it. */
    granted: string[]
    /** Identities whose calls are charged to it. */
    members: string[]
    /** Verdict that authorized its current version. */
    authority: string
    /** Who made its current version. */
    allocated_by: string
    /** When it was first allocated. */
    created_at: string
    /** When its current version took effect. */
    effective_at: string
    /** How its members are slowed down; absent: not at all. */
    throttle?: {
      /** Names this list of rules. */
      throttle_id: string
      /** Which calls are slowed, and how much. */
      rules: Array<{
        /** A capability, the wildcard of a protocol, or * for all. */
        match: string
        /** Share of the normal rate that is left, in basis points. */
        factor_bps: number
      }>
      /** Who set it. */
      set_by: string
      /** When it was set. */
      in_force_from: string
    }
    /** Holds that freeze it now. */
    held_by: Array<{
      /** Names the hold. */
      hold_id: string
      /** What is frozen. */
      scope: string
      /** Why, as callers are told. */
      reason: string
      /** It ends by itself then. */
      until: string
    }>
    /** With include_detail. */
    detail?: {
      /** All versions, newest first. */
      versions: Array<{
        /** Grows with each change. */
        version: number
        /** CLOSED: this version ended the envelope. */
        state: "ACTIVE" | "CLOSED"
        /** Limit of a UTC day. */
        max_per_day_usd: string
        /** Limit of a calendar month, UTC. */
        max_per_month_usd: string
        /** Capabilities its members had through it. */
        granted: string[]
        /** Its members. */
        members: string[]
        /** Verdict that authorized it. */
        authority: string
        /** Who made this version. */
        allocated_by: string
        /** When it took effect. */
        effective_at: string
        /** When a later one replaced it; absent: it counts now. */
        ended_at?: string
      }>
    }
  }>
  /** Holds, newest first; for kind holds. */
  holds?: Array<{
    /** Names the hold, to release it. */
    hold_id: string
    /** What is frozen: tenant, envelope:<id>, agent:<did> or protocol:<ID>. */
    scope: string
    /** HELD: matching calls are refused. */
    state: "HELD" | "RELEASED"
    /** Why, as callers are told. */
    reason: string
    /** Who placed it. */
    placed_by: string
    /** When it was placed. */
    placed_at: string
    /** It ends by itself then. */
    until: string
    /** When it was released early; absent: it was not. */
    released_at?: string
    /** Who released it. */
    released_by?: string
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Slow an envelope's members down by rules, without stopping them; an empty list lifts it. */
export interface ManaThrottleInput {
  /** Envelope whose members are slowed down. */
  envelope_id: string
  /** Replaces all rules before; empty lifts the throttle. */
  rules: Array<{
    /** A capability, the wildcard of a protocol, or * for all. */
    match: string | "*"
    /** 0 stops it, 1 leaves it as it is. */
    factor: number
  }>
}

/** Answer of MANA throttle. */
export interface ManaThrottleOutput {
  /** Names this list of rules. */
  throttle_id: string
  /** The rules in force from now on. */
  rules: Array<{
    /** A capability, the wildcard of a protocol, or * for all. */
    match: string
    /** Share of the normal rate that is left, in basis points. */
    factor_bps: number
  }>
  /** When they took effect. */
  in_force_from: string
  /** For each name, what is left of the normal rate. */
  effective: Array<{
    /** A capability, the wildcard of a protocol, or * for all. */
    match: string
    /** Share of the normal rate that is left, in basis points. */
    factor_bps: number
    /** Protocol that is slowed; absent if it is not one. */
    protocol?: string
    /** Calls in a burst that are left to its members. */
    capacity?: number
    /** Per second. */
    refill?: number
  }>
  /** What the rules cannot slow, such as reads of the audit log. */
  ignored_for: string[]
}

/** Compare forecasts with their outcomes, and fit a map that corrects later ones. */
export interface ManticCalibrateInput {
  /** A DID, a ref, or protocol:<ID>. */
  forecaster: string
  /** What was forecast and what happened, as you say; give this, uploaded or stored. */
  forecasts?: Array<{
    /** Probability that was forecast; give this, distribution or quantiles. */
    p?: number
    /** Label to probability; they add up to one. */
    distribution?: Record<string, number>
    /** Pairs of a level between 0 and 1 and its value, levels rising. */
    quantiles?: Array<number[]>
    /** Whether it occurred, which label of the distribution did, or the value. */
    outcome: boolean | number | string
    /** When it was forecast. */
    at?: string
    /** How much this forecast counts. */
    weight?: number
  }>
  /** Instead of forecasts: those that you uploaded in parts, as many as 100,000. */
  uploaded?: string
  /** Instead of forecasts: those of this forecaster that were locked before their question was resolved, newest first. */
  stored?: {
    /** Only forecasts from this time on. */
    from?: string
    /** Only forecasts before this time. */
    to?: string
    /** Topic; * is everything. */
    topic?: string
  }
  /** Map to fit; auto (default) takes the one that does best in cross-validation. */
  method?: "auto" | "none" | "platt" | "isotonic" | "beta" | "temperature"
  /** Of equal mass. */
  bins?: number
  /** Parts of the cross-validation. */
  folds?: number
  /** Probabilities to calibrate with the result. */
  apply?: number[]
  /** Store the map, so that it corrects the forecaster's confidence from now on. Without stored it needs an authority. */
  persist?: boolean
  /** Charter verdict that lets a map be stored from forecasts and outcomes that were only reported. */
  authority?: string
}

/** Answer of MANTIC calibrate. */
export interface ManticCalibrateOutput {
  /** Forecasts that were used. */
  n: number
  /** How often the event occurred. */
  base_rate: number
  /** Mean Brier score: of events (p - o)², of distributions the sum over all labels, 0 to 2; of quantiles as in decomposition. */
  brier: number
  /** Mean continuous ranked probability score, in the unit of the outcomes; of quantiles only. */
  crps?: number
  /** Mean pinball loss, in the unit of the outcomes; of quantiles only. */
  quantile_loss?: number
  /** Brier = reliability - resolution + uncertainty; resolution is less the variance and plus the covariance within bins. */
  decomposition: {
    /** Mean squared error that the parts add up to: of the likeliest label, where distributions were given. */
    brier: number
    /** How far forecasts are from what happened; less is better. */
    reliability: number
    /** How well forecasts tell cases apart; more is better. */
    resolution: number
    /** Variance of the outcomes, which no forecaster can change. */
    uncertainty: number
    /** Variance of the forecasts within bins. */
    within_bin_variance: number
    /** Covariance of forecasts and outcomes within bins. */
    within_bin_covariance: number
  }
  /** Mean loss in nats, of distributions that of the label that occurred; less is better. */
  log_score: number
  /** Expected calibration error: mean gap between forecast and frequency, over bins. */
  ece: number
  /** Maximum calibration error: the largest gap of a bin. */
  mce: number
  /** Variance of the forecasts. */
  sharpness: number
  /** Calibration curve, bin by bin. */
  curve: Array<{
    /** Mean forecast of the bin. */
    mean_p: number
    /** How often the event occurred in it. */
    freq: number
    /** Forecasts in the bin. */
    n: number
    /** 95 % interval of the frequency. */
    ci95: number[]
  }>
  /** Scores of each map on forecasts it was not fitted to; absent where not tried. */
  cross_validated: {
    /** Forecasts as they are. */
    none?: {
      /** Mean squared error; less is better. */
      brier: number
      /** Mean loss in nats; less is better. */
      log: number
      /** Expected calibration error. */
      ece: number
    }
    /** Logistic regression on the log odds. */
    platt?: {
      /** Mean squared error; less is better. */
      brier: number
      /** Mean loss in nats; less is better. */
      log: number
      /** Expected calibration error. */
      ece: number
    }
    /** Monotone steps. */
    isotonic?: {
      /** Mean squared error; less is better. */
      brier: number
      /** Mean loss in nats; less is better. */
      log: number
      /** Expected calibration error. */
      ece: number
    }
    /** Beta calibration. */
    beta?: {
      /** Mean squared error; less is better. */
      brier: number
      /** Mean loss in nats; less is better. */
      log: number
      /** Expected calibration error. */
      ece: number
    }
    /** One factor on the log odds. */
    temperature?: {
      /** Mean squared error; less is better. */
      brier: number
      /** Mean loss in nats; less is better. */
      log: number
      /** Expected calibration error. */
      ece: number
    }
  }
  /** Map that is used. */
  chosen: "none" | "platt" | "isotonic" | "beta" | "temperature"
  /** Names the stored map; only with persist. */
  map_ref?: string
  /** The probabilities of apply after calibration, in their order. */
  calibrated?: number[]
}

/** Submit your own forecasts of open questions; until a question locks you can change them. */
export interface ManticForecastInput {
  /** One for each question; all are accepted, or none. A later one replaces an earlier one, at most 64 times. */
  forecasts: Array<{
    /** Names the question. */
    question_ref: string
    /** Of a binary question: that it occurs. */
    probability?: number
    /** Label to probability; they add up to one. */
    distribution?: Record<string, number>
    /** Of a quantity: pairs of a level between 0 and 1 and its value, levels rising. */
    quantiles?: Array<number[]>
  }>
}

/** Answer of MANTIC forecast. */
export interface ManticForecastOutput {
  /** Forecasts that count if nothing replaces them. */
  submitted: number
  /** Those of them that replaced an earlier one. */
  replaced: number
}

/** List questions with their resolvers, outcomes and citations, and your own forecasts. */
export interface ManticListQuestionsInput {
  /** Only this question. */
  question_ref?: string
  /** Only questions of exactly this topic. */
  topic?: string
  /** Only questions in this state; open ones may be locked. */
  status?: "open" | "resolved" | "void"
  /** Only questions that this identity resolves. */
  resolver?: string
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MANTIC list_questions. */
export interface ManticListQuestionsOutput {
  /** Questions, newest first. */
  items: Array<{
    /** Names the question. */
    question_ref: string
    /** What is asked; null if redacted. */
    statement: string | null
    /** Whether something occurs, which of several things does, or how much it is. */
    kind: "binary" | "categories" | "quantity"
    /** Of kind categories: all possible outcomes; exactly one occurs. */
    categories?: string[]
    /** Of kind quantity: lowest and highest value to be expected. Errors are compared with other questions by its width. */
    range?: number[]
    /** Topic; * is everything. */
    topic: string
    /** Who opened it. */
    opened_by: string
    /** When it was opened. */
    opened_at: string
    /** Who resolves it. */
    resolver: string
    /** Whether the charter lets forecasters be of its root. */
    related_allowed: boolean
    /** Until when forecasts were or are accepted. */
    locks_at: string
    /** Whether forecasts are no longer accepted. */
    locked: boolean
    /** Number of forecasters; what others say is not shown. */
    forecasts: number
    /** Your own forecast; absent without one. */
    own?: {
      /** Of a binary question. */
      probability?: number
      /** Label to probability; they add up to one. */
      distribution?: Record<string, number>
      /** Of a quantity. */
      quantiles?: Array<number[]>
      /** When it was submitted or last changed. */
      submitted_at: string
    }
    /** Whether it is decided; void: it cannot be. */
    status: "open" | "resolved" | "void"
    /** Whether it occurred, which category did, or the value. */
    outcome?: boolean | number | string
    /** Forecasts up to then count; absent while it is open. */
    known_at?: string
    /** Forecasts that count for their sources. */
    counted?: number
    /** Names the citation that the outcome rests on. */
    citation_id?: string
    /** Source that the outcome rests on. */
    source_ref?: string
    /** When it was resolved or closed as void. */
    resolved_at?: string
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Open a question: what is asked, who resolves it, and until when it is forecast. */
export interface ManticOpenQuestionInput {
  /** What is asked, so that whoever resolves it can decide: event, source, deadline. */
  statement: string
  /** Whether something occurs, which of several things does, or how much it is. */
  kind: "binary" | "categories" | "quantity"
  /** Of kind categories: all possible outcomes; exactly one occurs. */
  categories?: string[]
  /** Of kind quantity: lowest and highest value to be expected. Errors are compared with other questions by its width. */
  range?: number[]
  /** Topic; * is everything. */
  topic?: string
  /** Who resolves it: no forecaster, and of another root than any of them. Without an authority, no identity of its root can forecast. */
  resolver: string
  /** Forecasts are accepted and can be changed until then. */
  locks_at: string
  /** Charter verdict that lets a resolver be of one root with forecasters, as within one organization. It is never a forecaster. */
  authority?: string
}

/** Answer of MANTIC open_question. */
export interface ManticOpenQuestionOutput {
  /** Names the question. */
  question_ref: string
  /** Who resolves it. */
  resolver: string
  /** When forecasts lock. */
  locks_at: string
  /** Whether the charter lets forecasters be of its root. */
  related_allowed: boolean
}

/** Say how a question came out, with a citation; forecasts locked before are scored. */
export interface ManticResolveInput {
  /** Names the question. */
  question_ref: string
  /** Whether it occurred, which category did, or the value. */
  outcome?: boolean | number | string
  /** What the outcome rests on; pinned to its version. Needed with outcome. */
  citation?: {
    /** Claim, memory, artifact, record or finding that shows it; not by a forecaster. */
    source_ref: string
    /** Default: the newest. */
    version?: number
  }
  /** From when on the outcome could be known, if before the lock: what each forecaster had said by then counts. Default: the lock, or now if it is earlier. */
  known_at?: string
  /** Instead of outcome: why it cannot be decided. No forecast counts. */
  void?: string
}

/** Answer of MANTIC resolve. */
export interface ManticResolveOutput {
  /** Names the question. */
  question_ref: string
  /** Void: no forecast of it counts. */
  status: "resolved" | "void"
  /** Whether it occurred, which category did, or the value. */
  outcome?: boolean | number | string
  /** Forecasts up to then count. */
  known_at: string
  /** Forecasts that count for their sources from now on. */
  counted: number
  /** Forecasts that do not: too late, or the topic has too many sources. */
  left_out: number
  /** Names the citation. */
  citation_id?: string
  /** What the outcome rests on. */
  source_ref?: string
}

/** Upload forecasts with their outcomes in parts, to calibrate them together. */
export interface ManticUploadForecastsInput {
  /** Upload to which the part is added; absent with the first. */
  upload_ref?: string
  /** Number of the part; sent again, it replaces the earlier one. */
  part: number
  /** What was forecast and what happened, as you say: it changes nobody's weight. */
  forecasts: Array<{
    /** Probability that was forecast; give this, distribution or quantiles. */
    p?: number
    /** Label to probability; they add up to one. */
    distribution?: Record<string, number>
    /** Pairs of a level between 0 and 1 and its value, levels rising. */
    quantiles?: Array<number[]>
    /** Whether it occurred, which label of the distribution did, or the value. */
    outcome: boolean | number | string
    /** When it was forecast. */
    at?: string
    /** How much this forecast counts. */
    weight?: number
  }>
}

/** Answer of MANTIC upload_forecasts. */
export interface ManticUploadForecastsOutput {
  /** Names the upload. */
  upload_ref: string
  /** Parts so far. */
  parts: number
  /** Forecasts so far; at most 100000. */
  forecasts: number
  /** Until when it can be calibrated. */
  kept_until: string
}

/** Turn recent experience into lasting knowledge. */
export interface MantleConsolidateInput {
  /** Memories of one namespace do not evict those of another. */
  namespace?: string
  /** tenant: memories of the whole tenant; private: the own private ones. */
  scope?: "private" | "tenant"
  /** Memories of this period; default: those recorded since the last run. */
  window?: {
    /** First moment of the period. */
    from: string
    /** End of the period, itself not included. */
    to: string
  }
  /** What to make: episodes, facts, procedures; default all. */
  targets?: Array<"episodic" | "semantic" | "procedural">
  /** How often something must be seen to become knowledge. */
  min_support?: number
  /** Memories examined at most. */
  max_cells?: number
  /** Returns the result without storing anything. */
  dry_run?: boolean
}

/** Answer of MANTLE consolidate. */
export interface MantleConsolidateOutput {
  /** Reference of the stored result; absent after dry_run. */
  consolidation_ref?: string
  /** Number of memories examined. */
  examined: number
  /** Working memories that became episodic. */
  promoted: string[]
  /** Memories that belong together in time and content. */
  episodes: Array<{
    /** Reference of the new memory; absent after dry_run. */
    episode_ref?: string
    /** Memories it consists of. */
    cells: string[]
    /** When its first memory happened. */
    from: string
    /** When its last memory happened. */
    to: string
    /** How clearly its memories belong together, -1 to 1. */
    silhouette: number
    /** Proposed by a model; not verified. */
    name?: string
  }>
  /** Facts seen often enough to become memories. */
  semantic_created: Array<{
    /** Reference of the new memory; absent after dry_run. */
    ref?: string
    /** How often it was seen. */
    support: number
    /** How sure it is, 0 to 1. */
    confidence: number
  }>
  /** Sequences of calls that succeeded often enough to become procedures. */
  procedural_created: Array<{
    /** Reference of the new memory; absent after dry_run. */
    ref?: string
    /** Operations in order. */
    steps: string[]
    /** How often it was seen. */
    support: number
    /** Draft of a recipe with these steps. */
    recipe_id: string
  }>
  /** Memories unused for long; they rank lower and are never deleted. */
  archived: string[]
  /** New facts that contradict surer ones. */
  conflicts: Array<{
    /** The new fact. */
    fact_ref: string
    /** Facts it contradicts. */
    against: string[]
  }>
  /** Next run without window starts here; null: there was none. */
  watermark: string | null
  /** There are more than max_cells cells: call again. */
  truncated: boolean
  /** Whether nothing was stored. */
  dry_run: boolean
}

/** Ask a published model for the effect of an intervention, an observation or a counterfactual. */
export interface MarcCausalAnalysisInput {
  /** A published model: the sha256 of its canonical JSON. */
  model_ref?: string
  /** A snapshot that names a model. */
  world_model_snapshot?: string
  /** Variable whose distribution is asked for. */
  outcome: {
    /** Name of a variable of the model. */
    variable: string
    /** Ask for the probability of this state; absent means the whole distribution. */
    state?: string
  }
  /** What is done: variable to state. */
  do?: Record<string, string>
  /** What is seen: variable to state. */
  given?: Record<string, string>
  /** Seeing, doing (default), the average effect of doing, or what would have been. */
  query?: "interventional" | "observational" | "ate" | "counterfactual"
  /** For ate: what is done instead. By default the first state that differs, of each variable. */
  baseline?: Record<string, string>
  /** Largest table in cells; beyond it the answer is sampled. */
  max_factor?: number
  /** What the call may use at most; absent means the defaults. */
  budget?: {
    /** Tokens of question and answer. */
    tokens: number
    /** Milliseconds after which the call ends with a timeout. */
    deadline_ms: number
  }
}

/** Answer of MARC causal_analysis. */
export interface MarcCausalAnalysisOutput {
  /** A published model: the sha256 of its canonical JSON. */
  model_ref: string
  /** Kind of question that was answered. */
  query: "interventional" | "observational" | "ate" | "counterfactual"
  /** Of the state asked for; absent where the whole distribution was asked. */
  probability?: number
  /** Probability of each state of the outcome. */
  distribution?: Record<string, number>
  /** Computed; false where it was estimated by sampling. */
  exact: boolean
  /** If sampled; for ate, the interval of the effect. */
  ci95?: number[] | Record<string, number[]>
  /** The effect follows from the model; otherwise the call is refused. */
  identifiable: true
  /** How it was identified: cut edges, back door, front door, or the ID algorithm. */
  strategy?: "mutilation" | "backdoor" | "frontdoor" | "id"
  /** Observed variables to condition on; absent if no set of them is enough. */
  adjustment_set?: string[]
  /** Mediators that carry the whole effect, with the strategy frontdoor: not to be conditioned on. */
  front_door_set?: string[]
  /** Order in which variables were summed out; absent where sampled. */
  elimination_order?: string[]
  /** Cells of the largest table; the limit if it was exceeded and the answer was sampled. */
  largest_factor: number
  /** How it was estimated; absent where it is exact. */
  sampling?: {
    /** Samples weighted by how likely they make what is given. */
    method: "likelihood_weighting"
    /** Number of samples drawn. */
    samples: number
    /** Where the chance came from: the same seed gives the same estimate. */
    seed: string
  }
  /** Only for ate: the average effect of doing against the baseline. */
  effect?: {
    /** treated minus control. */
    ate: number
    /** Expected outcome under do. */
    treated: number
    /** Expected outcome under the baseline. */
    control: number
    /** States it was compared with. */
    baseline: Record<string, string>
  }
  /** What the analysis used. */
  usage: {
    /** Tokens of the question. */
    tokens_in: number
    /** Tokens of the answer. */
    tokens_out: number
  }
  /** Always false: the result informs and decides nothing. */
  binding: false
}

/** Publish a Bayesian or causal model of the world under a name and a version. */
export interface MarcPublishModelInput {
  /** Name of the model. */
  name: string
  /** Semantic version: name and version identify one model permanently. */
  version: string
  /** The model as JSON; give this or source. */
  variables?: Array<{
    /** Name by which parents and questions refer to the variable. */
    name: string
    /** Values the variable can take. */
    states: string[]
    /** Variables that cause it directly; none for a root. */
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
  /** json (default): variables; bif: source. */
  format?: "json" | "bif"
  /** The model as BIF text, instead of variables. */
  source?: string
  /** A published model: the sha256 of its canonical JSON. */
  supersedes?: string
  /** What the model was made from. */
  provenance?: string[]
}

/** Answer of MARC publish_model. */
export interface MarcPublishModelOutput {
  /** A published model: the sha256 of its canonical JSON. */
  model_ref: string
  /** Number of variables. */
  variables: number
  /** Number of edges between them. */
  edges: number
  /** Number of probabilities in all tables. */
  parameters: number
  /** Upper bound, by the min-fill order. */
  treewidth_bound: number
  /** What was changed or ignored in the model. */
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
  /** What the task may use; at its end you get what was derived until then. */
  budget: {
    /** For text read, text written, and one for each rule that fires and for every 16 candidates tried. */
    tokens: number
    /** Limited by your tier; usage.deadline_ms shows the granted value. */
    deadline_ms: number
  }
  /** Parts of the result to include beside the answer. Default none. */
  return_fields?: Array<"derivation" | "citations" | "confidence" | "alternatives">
  /** Closed: what cannot be derived is false, and "not" in a condition means just that. */
  assumption?: "open" | "closed"
  /** Whether a denied conclusion denies a condition (contraposition) in the open world: for every rule (implications), for none (one_way), or (auto) for all but rules over descriptions alone, such as "kind people are nice". Never for hedged rules or datalog. */
  rules?: "auto" | "implications" | "one_way"
  /** Refuse if a premise or the intent cannot be parsed. */
  strict?: boolean
  /** What parses text that is not controlled English; the result is always proved by the engine. */
  backend?: "auto" | "builtin" | "model"
  /** One for each premise; default 1. */
  premise_confidence?: number[]
}

/** Answer of MARC reasoning_task. */
export interface MarcReasoningTaskOutput {
  /** Names this task, for citations. */
  task_ref: string
  /** Whether reasoning was completed, or ended at the token budget or the deadline. */
  status: "complete" | "budget_exhausted" | "deadline"
  /** contradictory: both it and its negation can be derived. */
  answer: "true" | "false" | "unknown" | "contradictory"
  /** Values of the question's variables; only for who and what questions. */
  bindings?: Array<Record<string, string>>
  /** The proof, step by step. */
  derivation?: Array<{
    /** Number of the step, from 1. */
    step: number
    /** In datalog; "not" before what is not derivable. */
    conclusion: string
    /** premise:<index>, the reference of a fact, fact:<index>, granted, naf or comparison. */
    rule: string
    /** Steps it follows from. */
    from: number[]
  }>
  /** Premises and facts the proof rests on. */
  citations?: Array<{
    /** Which of the premises, from 0. */
    premise_index?: number
    /** Fact of the snapshot, or the snapshot itself. */
    ref?: string
    /** Hash that commits to the text without showing it. */
    text_commitment: string
    /** redacted: its content has since been destroyed. */
    status: "valid" | "redacted"
  }>
  /** Probability that the answer holds, from the confidence of its premises. */
  confidence?: number
  /** The confidence after calibration (MANTIC). */
  calibrated_confidence?: number
  /** Present if confidence is a lower bound. */
  confidence_upper?: number
  /** Other answers, and what would have to hold for them. */
  alternatives?: Array<{
    /** The answer that would result. */
    answer?: "true" | "false" | "unknown" | "contradictory"
    /** Other values of the question's variables. */
    binding?: Record<string, string>
    /** Additional facts with which the answer would be this. */
    missing_facts?: string[]
    /** How likely this alternative is. */
    confidence: number
  }>
  /** Texts that were not understood and not used. */
  unparsed: Array<{
    /** Of the premise; -1 for the intent. */
    index: number
    /** Why it was not understood. */
    reason: string
  }>
  /** How each text was read, in one normal form. */
  readings: Array<{
    /** Of the premise; -1 for the intent. */
    index: number
    /** What it says, in datalog: past and future are predicates of their own. */
    clauses: string[]
    /** Words that make it less than certain. */
    hedges: Array<{
      /** The hedge. */
      word: string
      /** Of the sentence, by this engine's scale (docs/reasoning.md). */
      probability: number
    }>
  }>
  /** Present if the answer rests on hedged premises; confidence is then shown as well. */
  hedges?: Array<{
    /** Of the premise. */
    index: number
    /** The hedge, such as probably. */
    word: string
    /** Of the sentence, by this engine's scale (docs/reasoning.md). */
    probability: number
  }>
  /** Parts of this result that were left out or shortened to stay within a limit; absent if none was. */
  cut?: Array<"alternatives" | "bindings" | "citations" | "derivation" | "readings">
  /** False if only a model says so, or if what was asked was not understood. */
  verified: boolean
  /** Who read the texts: the engine or a model; with model, nothing was proved. */
  method: "builtin" | "model_translation" | "model"
  /** What the task used. */
  usage: {
    /** Tokens of the texts read. */
    tokens_in: number
    /** Tokens of the text written. */
    tokens_out: number
    /** Steps of reasoning; they count against the budget and are not charged. */
    work: number
    /** Present if your tier allows less than requested. */
    deadline_ms?: number
    /** Present if fewer tokens were granted than requested. */
    tokens?: number
  }
  /** Always false: the result informs and decides nothing. */
  binding: false
}

/** Score a risk from its factors, its CVSS vector, or the audit log. */
export interface MareScoreInput {
  /** A reference, or a description. */
  subject: string
  /** What can go wrong; give this, cvss_vector or from_history. */
  factors?: Array<{
    /** Names the factor in depends_on and contributions. */
    id: string
    /** Events per year; three points are a PERT distribution. */
    frequency: number | {
      /** Lowest plausible value. */
      low: number
      /** Likeliest value. */
      mode: number
      /** Highest plausible value. */
      high: number
    }
    /** Per event; three points are a PERT distribution, p5 and p95 a lognormal one. */
    loss_usd: number | {
      /** Lowest plausible value. */
      low: number
      /** Likeliest value. */
      mode: number
      /** Highest plausible value. */
      high: number
    } | {
      /** One in twenty events costs less. */
      p5: number
      /** One in twenty events costs more. */
      p95: number
    }
    /** What makes the events rarer. */
    controls?: Array<{
      /** What the control is. */
      name: string
      /** Share of the events that it prevents. */
      effectiveness: number
    }>
    /** Factors that must occur in the same period for this one to occur. */
    depends_on?: string[]
  }>
  /** Version 3.1 or 4.0. */
  cvss_vector?: string
  /** Estimate from how often an operation failed, as the audit log says. */
  from_history?: {
    /** Protocol of the operation. */
    protocol: string
    /** Operation to judge. */
    operation: string
    /** How many days back to look. */
    window_days: number
    /** Per event; three points are a PERT distribution, p5 and p95 a lognormal one. */
    loss_usd?: number | {
      /** Lowest plausible value. */
      low: number
      /** Likeliest value. */
      mode: number
      /** Highest plausible value. */
      high: number
    } | {
      /** One in twenty events costs less. */
      p5: number
      /** One in twenty events costs more. */
      p95: number
    }
  }
  /** Span of time that the losses are estimated for. */
  horizon_days?: number
  /** What may be lost; by default the day's and the month's limit of the caller's MANA envelope. */
  appetite?: {
    /** Mean loss that is acceptable. */
    expected_loss_usd?: number
    /** Loss that may be exceeded in one of twenty cases. */
    var95_usd?: number
  }
  /** Runs of the simulation. */
  iterations?: number
  /** Stores the request as well. */
  persist?: boolean
}

/** Answer of MARE score. */
export interface MareScoreOutput {
  /** 0 to 100; 25, 50 and 75 are where the bands begin. */
  score: number
  /** The score in a word. */
  band: "low" | "moderate" | "high" | "critical"
  /** What to do: refuse if critical, review if high or above the appetite. */
  recommendation: "proceed" | "review" | "refuse"
  /** Mean loss over the horizon; absent where no losses were given. */
  expected_loss_usd?: number
  /** Loss in USD that is exceeded in one of twenty cases. */
  var_95?: number
  /** Mean loss in USD of the worst twentieth. */
  cvar_95?: number
  /** Interval of the score over repeated runs. */
  interval95?: number[]
  /** How likely larger losses are. */
  exceedance?: Array<number[]>
  /** Share of each factor in cvar_95, by Shapley. */
  contributions?: Record<string, number>
  /** Only with from_history. */
  failure_rate?: {
    /** Calls in the window. */
    calls: number
    /** How many of them failed. */
    failures: number
    /** Estimated share of failures. */
    mean: number
    /** Upper bound of that share, at 95 %. */
    p95: number
  }
  /** Only with cvss_vector. */
  cvss_score?: number
  /** Losses it was compared with. */
  appetite: {
    /** Mean loss that is acceptable. */
    expected_loss_usd: number
    /** Loss that may be exceeded in one of twenty cases. */
    var95_usd: number
    /** Whether it was given, comes from the caller's envelope, or is the default. */
    from: "given" | "envelope" | "default"
  }
  /** Explanation by a model; only where the band was in doubt. */
  rationale?: {
    /** What drives the risk, and what would lower it. */
    text: string
    /** Who wrote it. */
    model: string
    /** Always false: nothing of it was checked. */
    verified: false
  }
  /** Runs that were made; absent where nothing was simulated. */
  iterations?: number
  /** Seed of the random numbers, derived from the subject and its factors. */
  seed: string
  /** Names this score; MAKER asks for it. */
  risk_ref: string
}

/** Find out what is known about a question, with a citation for every finding. */
export interface MariInquireInput {
  /** What to find out; a statement is looked at from both sides. */
  question: string
  /** Where to search. */
  sources?: string[]
  /** Narrows the search; absent means everything you may read. */
  scope?: {
    /** Memories of this one only. */
    namespace?: string
    /** Only what was recorded from this time on. */
    from?: string
    /** Only what was recorded before this time. */
    to?: string
    /** Only claims on one of these topics. */
    topics?: string[]
  }
  /** Above 1, names found in the results are searched as well. */
  depth?: number
  /** The most findings to return. */
  max_findings?: number
  /** Findings below this confidence are left out. */
  min_confidence?: number
  /** What the call may use at most; absent means the defaults. */
  budget?: {
    /** For what a model reads and writes; without a model none are used. */
    tokens?: number
    /** Milliseconds after which the call ends with a timeout. */
    deadline_ms?: number
  }
}

/** Answer of MARI inquire. */
export interface MariInquireOutput {
  /** Give it to synthesize to get an answer from these findings. */
  inquiry_ref: string
  /** The question split into parts that were searched one by one. */
  subquestions: string[]
  /** Passages found, in order of the subquestions. */
  findings: Array<{
    /** Names the finding within this inquiry. */
    finding_id: string
    /** Names this finding in a synthesis. */
    ref: string
    /** Which of the subquestions it answers, from 0. */
    subquestion: number
    /** The passage as the source words it. */
    statement: string
    /** Toward the statement asked about; where there is none, toward the first finding. */
    stance: "supports" | "refutes" | "neutral"
    /** Sources that say this, the one quoted first. */
    citations: Array<{
      /** Source that is cited. */
      ref: string
      /** Version of the source that was read. */
      version: number
      /** Hash of the content that was read. */
      content_hash: string
      /** Which part of the source, in the form that MAVEN cite takes. */
      locator: {
        /** Part of a text, counted in characters. */
        char_range?: {
          /** First character, from 0. */
          start: number
          /** Character after the last one. */
          end: number
        }
        /** Part of a JSON document (RFC 6901); empty means all of it. */
        json_pointer?: string
        /** Place of the record in the audit log. */
        record_seq?: number
      }
    }>
    /** Who stated it. */
    issuer_did: string
    /** How reliable the issuer has been, from 0 to 1; 0.8 while nothing is known. */
    source_reliability: number
    /** Confidence the issuer stated, reduced where it is contested or was wrong before. */
    confidence: number
    /** State of the source now; only valid and contested ones can support an answer. */
    status: "valid" | "contested" | "rejected" | "superseded" | "retracted" | "revoked" | "redacted"
  }>
  /** Pairs of findings that cannot both be right. */
  contradictions: Array<{
    /** The two findings, by ref. */
    findings: string[]
    /** attack: one claim attacks the other; value, negation, number: what they disagree in. */
    by: "attack" | "value" | "negation" | "number"
  }>
  /** Subquestions without a valid finding. */
  gaps: Array<{
    /** Which of the subquestions, from 0. */
    subquestion: number
    /** Why there is none; nothing that stands: its sources were rejected or withdrawn. */
    why: "nothing found" | "below min_confidence" | "nothing that stands" | "max_findings reached"
  }>
  /** The share of words of the question that occur in the valid findings. */
  coverage: number
  /** Tools that were not searched; absent where all could be reached. */
  unreachable?: string[]
  /** What the inquiry used. */
  usage: {
    /** Tokens a model read; 0 without a model. */
    tokens_in: number
    /** Tokens a model wrote; 0 without a model. */
    tokens_out: number
    /** Passages looked at; not charged for. */
    work: number
  }
}

/** Write the answer an inquiry found, with a citation for every sentence. */
export interface MariSynthesizeInput {
  /** Answer from all findings of this inquiry; give this or findings. */
  inquiry_ref?: string
  /** Answer from these findings only; give this or inquiry_ref. */
  findings?: string[]
  /** Form of the answer: a few sentences, a report by subquestion, a table, or single claims. */
  format?: "brief" | "report" | "table" | "claims"
  /** Upper bound on the words of the answer. */
  max_words?: number
  /** Sources that every sentence must have. */
  require_support?: number
  /** Include overruled statements; undecided ones are always included. */
  include_dissent?: boolean
  /** Also keep the answer as a draft of MAGE. */
  publish_draft?: boolean
  /** What the call may use at most; absent means the defaults. */
  budget?: {
    /** For what a model reads and writes; without a model none are used. */
    tokens?: number
    /** Milliseconds after which the call ends with a timeout. */
    deadline_ms?: number
  }
}

/** Answer of MARI synthesize. */
export interface MariSynthesizeOutput {
  /** Names this answer, for citations. */
  synthesis_ref: string
  /** The answer sentence by sentence. */
  sentences: Array<{
    /** A sentence of the answer. */
    text: string
    /** Sources that support it. */
    citations: Array<{
      /** Of the bibliography. */
      number: number
      /** Source that is cited. */
      ref: string
      /** Version of the source that was read. */
      version: number
      /** Hash of the content that was read. */
      content_hash: string
      /** Which part of the source, in the form that MAVEN cite takes. */
      locator: {
        /** Part of a text, counted in characters. */
        char_range?: {
          /** First character, from 0. */
          start: number
          /** Character after the last one. */
          end: number
        }
        /** Part of a JSON document (RFC 6901); empty means all of it. */
        json_pointer?: string
        /** Place of the record in the audit log. */
        record_seq?: number
      }
      /** State of the source now, checked again for this answer. */
      status: "valid" | "contested" | "rejected" | "superseded" | "retracted" | "revoked" | "redacted"
    }>
    /** Pooled confidence of its sources. */
    confidence: number
    /** Whether it supports or refutes the statement asked about. */
    stance: "supports" | "refutes" | "neutral"
  }>
  /** The sentences as a text, with the numbers of their sources. */
  answer: string
  /** That of the least certain sentence; 0 where there is none. */
  confidence: number
  /** What sources say against the answer. */
  dissent: Array<{
    /** The statement that disagrees. */
    text: string
    /** Sources that say so. */
    citations: Array<{
      /** Of the bibliography. */
      number: number
      /** Source that is cited. */
      ref: string
      /** Version of the source that was read. */
      version: number
      /** Hash of the content that was read. */
      content_hash: string
      /** Which part of the source, in the form that MAVEN cite takes. */
      locator: {
        /** Part of a text, counted in characters. */
        char_range?: {
          /** First character, from 0. */
          start: number
          /** Character after the last one. */
          end: number
        }
        /** Part of a JSON document (RFC 6901); empty means all of it. */
        json_pointer?: string
        /** Place of the record in the audit log. */
        record_seq?: number
      }
      /** State of the source now, checked again for this answer. */
      status: "valid" | "contested" | "rejected" | "superseded" | "retracted" | "revoked" | "redacted"
    }>
    /** Pooled confidence of its sources. */
    confidence: number
    /** State of the sources: contested where undecided, otherwise why they were overruled. */
    status: "valid" | "contested" | "rejected" | "superseded" | "retracted" | "revoked" | "redacted"
  }>
  /** Sentences that their sources did not support, or too few of them did. */
  unsupported_removed: number
  /** Every source of the answer. */
  bibliography: Array<{
    /** The number by which the answer cites it. */
    number: number
    /** Source that is cited. */
    ref: string
    /** Version of the source that was read. */
    version: number
    /** Hash of the content that was read. */
    content_hash: string
    /** The current status; a source that is no longer valid is listed here, but not quoted. */
    status: "valid" | "contested" | "rejected" | "superseded" | "retracted" | "revoked" | "redacted"
    /** Citation as a line of text. */
    formatted: string
  }>
  /** extractive: sentences of the sources; model: written by a model and checked against them. */
  method: "extractive" | "model"
  /** Draft of MAGE that holds the answer; absent without publish_draft. */
  draft_id?: string
  /** What the synthesis used. */
  usage: {
    /** Tokens a model read; 0 without a model. */
    tokens_in: number
    /** Tokens a model wrote; 0 without a model. */
    tokens_out: number
  }
}

/** Cancel all your open orders at once, of one order book or side, or all. */
export interface MarketCancelOrdersInput {
  /** Only orders of this order book; all of this market where absent. */
  instrument?: string
  /** Only orders of this side; both where absent. */
  side?: "buy" | "sell"
}

/** Answer of MARKET cancel_orders. */
export interface MarketCancelOrdersOutput {
  /** The orders, by order book and then in their order of arrival. */
  cancelled: Array<{
    /** Names the order. */
    order_id: string
    /** base/quote: the asset that is traded, and the one it is paid in. */
    instrument: string
    /** Whether it bought or sold the base asset. */
    side: "buy" | "sell"
    /** How much of it was withdrawn untraded. */
    cancelled: string
    /** What it gave back to your balance, in minor units of what it held back. */
    released: string
  }>
  /** What all of them gave back to your balance, by asset. */
  released: Array<{
    /** The asset. */
    asset_id: string
    /** Whole minor units, added up. */
    amount: string
  }>
  /** True: open orders are left, because one call has a limit; call again. */
  more: boolean
}

/** Buy or sell: place an order, cancel it, or replace it. */
export interface MarketCreateOrderInput {
  /** Change the order order_id; absent means a new order. */
  action?: "cancel" | "replace"
  /** The order to cancel or replace. */
  order_id?: string
  /** base/quote: the asset that is traded, and the one it is paid in. */
  instrument?: string
  /** Whether to buy or sell the base asset. */
  side?: "buy" | "sell"
  /** limit (default): at price or better; market: at the best prices there are. */
  type?: "limit" | "market"
  /** How much to trade, in minor units of the base asset. */
  quantity?: string
  /** Limit per lot, in minor units of the quote asset. */
  price?: string
  /** GTC (default) until cancelled, GTD until expires_at, IOC at once, FOK at once and whole. */
  time_in_force?: "GTC" | "IOC" | "FOK" | "GTD"
  /** When it ends by itself; needed for GTD. */
  expires_at?: string
  /** Refuse the order if it would trade at once. Default false. */
  post_only?: boolean
  /** The only one who may trade with it; absent means anyone. */
  directed_to?: string
  /** Your own name for the order. */
  client_order_id?: string
}

/** Answer of MARKET create_order. */
export interface MarketCreateOrderOutput {
  /** Names the order. */
  order_id: string
  /** Place in the order book: at one price the lowest is matched first. */
  seq: number
  /** OPEN and PARTIALLY_FILLED orders can still trade; the others have ended. */
  state: "OPEN" | "PARTIALLY_FILLED" | "FILLED" | "CANCELLED" | "EXPIRED"
  /** How much was ordered, in minor units of the base asset. */
  quantity: string
  /** How much of it was traded. */
  filled: string
  /** How much of it can still trade. */
  remaining: string
  /** How much of it was withdrawn untraded. */
  cancelled: string
  /** Quote minor units per lot, as a fraction in lowest terms. */
  avg_price?: {
    /** Whole minor units, added up. */
    num: string
    /** Whole minor units, added up. */
    den: string
  }
  /** Why the rest was not traded; absent while open or when filled. */
  ended_because?: "self_trade" | "fill_limit" | "immediate_or_cancel" | "cancelled" | "expired" | "dissolution"
  /** Trades made at once. */
  fills: Array<{
    /** Names the trade. */
    trade_id: string
    /** Price per lot, in minor units of the quote asset. */
    price: string
    /** How much was traded, in minor units of the base asset. */
    quantity: string
    /** The order that was there before. */
    maker_order_id: string
    /** Fee charged for the trade, in minor units. */
    fee: string
  }>
  /** How much of your balance the order holds back, in minor units. */
  reserved: string
}

/** Place several orders in one order book, one after the other, each with its own answer. */
export interface MarketCreateOrdersInput {
  /** base/quote: the asset that is traded, and the one it is paid in. */
  instrument: string
  /** Orders as in create_order; they come one after the other, in this order. */
  orders: Array<{
    /** Whether to buy or sell the base asset. */
    side?: "buy" | "sell"
    /** limit (default): at price or better; market: at the best prices there are. */
    type?: "limit" | "market"
    /** How much to trade, in minor units of the base asset. */
    quantity?: string
    /** Limit per lot, in minor units of the quote asset. */
    price?: string
    /** GTC (default) until cancelled, GTD until expires_at, IOC at once, FOK at once and whole. */
    time_in_force?: "GTC" | "IOC" | "FOK" | "GTD"
    /** When it ends by itself; needed for GTD. */
    expires_at?: string
    /** Refuse the order if it would trade at once. Default false. */
    post_only?: boolean
    /** The only one who may trade with it; absent means anyone. */
    directed_to?: string
    /** Your own name for the order. */
    client_order_id?: string
  }>
}

/** Answer of MARKET create_orders. */
export interface MarketCreateOrdersOutput {
  /** One for each order, in the same order: either order or refused. */
  results: Array<{
    /** The order that was taken. */
    order?: {
      /** Names the order. */
      order_id: string
      /** Place in the order book: at one price the lowest is matched first. */
      seq: number
      /** OPEN and PARTIALLY_FILLED orders can still trade; the others have ended. */
      state: "OPEN" | "PARTIALLY_FILLED" | "FILLED" | "CANCELLED" | "EXPIRED"
      /** How much was ordered, in minor units of the base asset. */
      quantity: string
      /** How much of it was traded. */
      filled: string
      /** How much of it can still trade. */
      remaining: string
      /** How much of it was withdrawn untraded. */
      cancelled: string
      /** Quote minor units per lot, as a fraction in lowest terms. */
      avg_price?: {
        /** Whole minor units, added up. */
        num: string
        /** Whole minor units, added up. */
        den: string
      }
      /** Why the rest was not traded; absent while open or when filled. */
      ended_because?: "self_trade" | "fill_limit" | "immediate_or_cancel" | "cancelled" | "expired" | "dissolution"
      /** Trades made at once. */
      fills: Array<{
        /** Names the trade. */
        trade_id: string
        /** Price per lot, in minor units of the quote asset. */
        price: string
        /** How much was traded, in minor units of the base asset. */
        quantity: string
        /** The order that was there before. */
        maker_order_id: string
        /** Fee charged for the trade, in minor units. */
        fee: string
      }>
      /** How much of your balance the order holds back, in minor units. */
      reserved: string
    }
    /** Why it was refused; nothing of it was done, and the others are not affected. */
    refused?: {
      /** invalid_payload: it can never be taken as it is; policy_denied: not now, or not from you. */
      code: "policy_denied" | "invalid_payload"
      /** In a few fixed words. */
      reason: string
      /** What happened, and what to do. */
      message: string
      /** The order that has its client_order_id already. */
      order_id?: string
    }
  }>
}

/** Take what the market offers now, or a quote that was made to you. */
export interface MarketExecuteTradeInput {
  /** base/quote: the asset that is traded, and the one it is paid in. */
  instrument: string
  /** Whether to buy or sell the base asset. */
  side: "buy" | "sell"
  /** How much to trade, in minor units of the base asset. */
  quantity: string
  /** The worst price per lot you accept, in minor units of the quote asset. */
  limit_price?: string
  /** Trade with this order only. */
  order_id?: string
  /** Trade at least this much, or nothing. */
  min_quantity?: string
}

/** Answer of MARKET execute_trade. */
export interface MarketExecuteTradeOutput {
  /** Names the order. */
  order_id: string
  /** Place that the order took in the order book. */
  seq: number
  /** Trades that were made, best price first. */
  trades: Array<{
    /** Names the trade. */
    trade_id: string
    /** Price per lot, in minor units of the quote asset. */
    price: string
    /** How much was traded, in minor units of the base asset. */
    quantity: string
    /** The order that was there before. */
    maker_order_id: string
    /** Whole minor units, added up. */
    notional: string
    /** Whole minor units, added up. */
    fee: string
    /** Always SETTLED: a trade is paid when it is made. */
    state: "SETTLED"
  }>
  /** How much was traded, in minor units of the base asset. */
  filled: string
  /** How much was not traded. */
  unfilled: string
  /** Whole minor units, added up. */
  notional: string
  /** Whole minor units, added up. */
  fees: string
  /** Ledger journals that booked the trades. */
  journal_ids: string[]
  /** Why less than the quantity was traded; absent if all was. */
  ended_because?: "self_trade" | "fill_limit" | "immediate_or_cancel" | "cancelled" | "expired" | "dissolution"
}

/** Follow an order book: its trades and best prices as they change, each with the next number. */
export interface MarketFollowBookInput {
  /** base/quote: the asset that is traded, and the one it is paid in. */
  instrument: string
  /** The last seq you know: what follows begins right after it, without a snapshot. */
  after_seq?: number
  /** Best price levels of each side. Default 10. */
  depth?: number
  /** How long to stream, or without stream how long to wait for something new. Default 0. */
  wait_ms?: number
  /** Send each event when it happens, as progress with its seq as id. Needs Accept: text/event-stream; not available over MCP. Default false. */
  stream?: boolean
}

/** Answer of MARKET follow_book. */
export interface MarketFollowBookOutput {
  /** What happened; empty for a stream, which sent it. */
  events: Array<{
    /** snapshot: the best levels as they are, to begin with; change: what is different from the event before. */
    kind: "snapshot" | "change"
    /** The place of the change in the order book: each change has the next number. */
    seq: number
    /** When it happened; absent where nothing ever did. */
    at?: string
    /** Buy levels, highest first; in a snapshot. */
    bids?: Array<{
      /** Price per lot, in minor units of the quote asset. */
      price: string
      /** Open quantity at this price, in minor units of the base asset. */
      quantity: string
      /** Number of orders at this price. */
      orders: number
    }>
    /** Sell levels, lowest first; in a snapshot. */
    asks?: Array<{
      /** Price per lot, in minor units of the quote asset. */
      price: string
      /** Open quantity at this price, in minor units of the base asset. */
      quantity: string
      /** Number of orders at this price. */
      orders: number
    }>
    /** Trades of this change, in their order; not those of quotes. */
    trades?: Array<{
      /** Names the trade. */
      trade_id: string
      /** Price per lot, in minor units of the quote asset. */
      price: string
      /** How much was traded, in minor units of the base asset. */
      quantity: string
      /** Side of the order that came later. */
      taker_side: "buy" | "sell"
    }>
    /** Best levels that are different now, with what they have; quantity 0: no longer among the best. */
    levels?: Array<{
      /** buy for bids, sell for asks. */
      side: "buy" | "sell"
      /** Price per lot, in minor units of the quote asset. */
      price: string
      /** Open quantity at this price, in minor units of the base asset. */
      quantity: string
      /** Number of orders at this price. */
      orders: number
    }>
  }>
  /** The last seq that was told: send it as after_seq to go on. */
  next_seq: number
}

/** See the market: price levels, last trades, and what is yours in it. */
export interface MarketQueryOrderbookInput {
  /** base/quote: the asset that is traded, and the one it is paid in. */
  instrument: string
  /** Price levels of each side. Default 20. */
  depth?: number
  /** Also return your open orders and quotes directed to you. Default false. */
  mine?: boolean
  /** The next page of my_orders: those before this seq. */
  before_seq?: number
  /** Also return this order. */
  order_id?: string
  /** How many of the newest trades to return. Default 0. */
  trades_limit?: number
}

/** Answer of MARKET query_orderbook. */
export interface MarketQueryOrderbookOutput {
  /** Buy orders by price, highest first. */
  bids: Array<{
    /** Price per lot, in minor units of the quote asset. */
    price: string
    /** Whole minor units, added up. */
    quantity: string
    /** Number of orders at this price. */
    orders: number
  }>
  /** Sell orders by price, lowest first. */
  asks: Array<{
    /** Price per lot, in minor units of the quote asset. */
    price: string
    /** Whole minor units, added up. */
    quantity: string
    /** Number of orders at this price. */
    orders: number
  }>
  /** Lowest ask less highest bid; absent where a side is empty. */
  spread?: string
  /** The newest trade; absent where there was none. */
  last_trade?: {
    /** Names the trade. */
    trade_id: string
    /** Place among the trades of the instrument. */
    seq: number
    /** Price per lot, in minor units of the quote asset. */
    price: string
    /** How much was traded, in minor units of the base asset. */
    quantity: string
    /** Side of the order that came later. */
    taker_side: "buy" | "sell"
    /** When it was traded. */
    at: string
  }
  /** Your open orders and quotes directed to you, newest first; only with mine. */
  my_orders?: Array<{
    /** Names the order. */
    order_id: string
    /** Place in the order book: at one price the lowest is matched first. */
    seq: number
    /** OPEN and PARTIALLY_FILLED orders can still trade; the others have ended. */
    state: "OPEN" | "PARTIALLY_FILLED" | "FILLED" | "CANCELLED" | "EXPIRED"
    /** How much was ordered, in minor units of the base asset. */
    quantity: string
    /** How much of it was traded. */
    filled: string
    /** How much of it can still trade. */
    remaining: string
    /** How much of it was withdrawn untraded. */
    cancelled: string
    /** Quote minor units per lot, as a fraction in lowest terms. */
    avg_price?: {
      /** Whole minor units, added up. */
      num: string
      /** Whole minor units, added up. */
      den: string
    }
    /** Why the rest was not traded; absent while open or when filled. */
    ended_because?: "self_trade" | "fill_limit" | "immediate_or_cancel" | "cancelled" | "expired" | "dissolution"
    /** base/quote: the asset that is traded, and the one it is paid in. */
    instrument: string
    /** Whether it buys or sells the base asset. */
    side: "buy" | "sell"
    /** limit: at price or better; market: at the best prices there are. */
    type: "limit" | "market"
    /** GTC until cancelled, GTD until expires_at, IOC at once or not, FOK at once and whole or not. */
    time_in_force: "GTC" | "IOC" | "FOK" | "GTD"
    /** It never takes: refused if it would trade at once. */
    post_only: boolean
    /** Price per lot, in minor units of the quote asset; absent for a market order. */
    price?: string
    /** When it ends by itself; only for GTD. */
    expires_at?: string
    /** When it was placed. */
    placed_at: string
    /** Who placed it. */
    owner_did: string
    /** The only one who may trade with it; absent where anyone may. */
    directed_to?: string
    /** Your own name for the order. */
    client_order_id?: string
    /** How much of the balance it holds back, in minor units; only for its owner. */
    reserved?: string
  }>
  /** The order asked for by order_id. */
  order?: {
    /** Names the order. */
    order_id: string
    /** Place in the order book: at one price the lowest is matched first. */
    seq: number
    /** OPEN and PARTIALLY_FILLED orders can still trade; the others have ended. */
    state: "OPEN" | "PARTIALLY_FILLED" | "FILLED" | "CANCELLED" | "EXPIRED"
    /** How much was ordered, in minor units of the base asset. */
    quantity: string
    /** How much of it was traded. */
    filled: string
    /** How much of it can still trade. */
    remaining: string
    /** How much of it was withdrawn untraded. */
    cancelled: string
    /** Quote minor units per lot, as a fraction in lowest terms. */
    avg_price?: {
      /** Whole minor units, added up. */
      num: string
      /** Whole minor units, added up. */
      den: string
    }
    /** Why the rest was not traded; absent while open or when filled. */
    ended_because?: "self_trade" | "fill_limit" | "immediate_or_cancel" | "cancelled" | "expired" | "dissolution"
    /** base/quote: the asset that is traded, and the one it is paid in. */
    instrument: string
    /** Whether it buys or sells the base asset. */
    side: "buy" | "sell"
    /** limit: at price or better; market: at the best prices there are. */
    type: "limit" | "market"
    /** GTC until cancelled, GTD until expires_at, IOC at once or not, FOK at once and whole or not. */
    time_in_force: "GTC" | "IOC" | "FOK" | "GTD"
    /** It never takes: refused if it would trade at once. */
    post_only: boolean
    /** Price per lot, in minor units of the quote asset; absent for a market order. */
    price?: string
    /** When it ends by itself; only for GTD. */
    expires_at?: string
    /** When it was placed. */
    placed_at: string
    /** Who placed it. */
    owner_did: string
    /** The only one who may trade with it; absent where anyone may. */
    directed_to?: string
    /** Your own name for the order. */
    client_order_id?: string
    /** How much of the balance it holds back, in minor units; only for its owner. */
    reserved?: string
  }
  /** Newest trades; only with trades_limit. */
  trades?: Array<{
    /** Names the trade. */
    trade_id: string
    /** Place among the trades of the instrument. */
    seq: number
    /** Price per lot, in minor units of the quote asset. */
    price: string
    /** How much was traded, in minor units of the base asset. */
    quantity: string
    /** Side of the order that came later. */
    taker_side: "buy" | "sell"
    /** When it was traded. */
    at: string
  }>
  /** Increases with every change of the order book. */
  book_seq: number
  /** Whether agents of the organization that runs this market may trade with each other here. Its own orders an agent never meets. */
  internal_trades: boolean
}

/** Set whether your own agents may trade with each other in your market. */
export interface MarketSetRulesInput {
  /** Whether agents of the organization that runs this market may trade with each other here. Its own orders an agent never meets. */
  internal_trades: boolean
}

/** Answer of MARKET set_rules. */
export interface MarketSetRulesOutput {
  /** Whether agents of the organization that runs this market may trade with each other here. Its own orders an agent never meets. */
  internal_trades: boolean
  /** What the rule was until now. */
  before: boolean
  /** Orders that come later are matched by it. */
  in_force_from: string
}

/** Find who can do something for you, best first, and whether you could call them now. */
export interface MarsDiscoveryInput {
  /** Capability that the agent must offer. */
  capability?: string
  /** What is to be done, in words. */
  need?: string
  /** Only agents whose identity is verified at least this far. Default L0. */
  min_level?: "L0" | "L1" | "L2"
  /** Also search agents of other tenants. */
  include_foreign?: boolean
  /** Only identities of this kind. */
  kind?: string
  /** Only agents at or below this price are callable; no agent publishes prices yet. */
  max_price?: {
    /** Asset the price is in. */
    asset_id: string
    /** In minor units of the asset. */
    amount: string
  }
  /** The most candidates to return. */
  limit?: number
}

/** Answer of MARS discovery. */
export interface MarsDiscoveryOutput {
  /** Agents that fit, best first. */
  candidates: Array<{
    /** The agent. */
    did: string
    /** Organization of the agent. */
    tenant: string
    /** Its entry in the registry. */
    entry: string
    /** Where it can be reached, healthy ones first. */
    endpoints: Array<{
      /** Type of endpoint as the agent registered it. */
      kind: string
      /** Address of the endpoint. */
      url: string
      /** Protocols spoken there. */
      protocols: string[]
      /** Null if it was not probed yet. */
      healthy: boolean | null
      /** Median answer time of the probes; absent until measured. */
      latency_p50_ms?: number
    }>
    /** Its capability that fits; absent where only words fit. */
    capability_match?: string
    /** Whether a call of yours would be allowed now. */
    callable_now: boolean
    /** What prevents a call, e.g. no active treaty. */
    why_not?: string
    /** Price of a call; absent where none is published. */
    price?: {
      /** Asset the price is in. */
      asset_id: string
      /** In minor units of the asset. */
      amount: string
    }
    /** Rank, 0 to 10000: 40 % health, 30 % merit, 20 % latency, 10 % text. */
    score: number
    /** What the score is made of, each 0 to 10000; 5000 where nothing is known. */
    score_parts: {
      /** Mean health of the probed endpoints. */
      health: number
      /** Reputation. */
      merit: number
      /** Rank by median answer time among the candidates; the fastest has 10000. */
      latency: number
      /** How well its words match the need. */
      text: number
    }
  }>
}

/** Look entries up exactly, now or as they stood at a moment, with their history on request. */
export interface MarsQueryRegistryInput {
  /** Exactly this entry, by its hash. */
  entry?: string
  /** Exact id of what is registered, such as an agent's DID. */
  subject?: string
  /** Only entries of this kind. */
  kind?: "agent" | "treaty" | "policy" | "asset" | "plugin" | "report" | "verdict" | "chain_seal" | "schema" | "model" | "artifact"
  /** Only entries whose name starts with this. */
  name_prefix?: string
  /** Only entries with this tag. */
  tag?: string
  /** Only entries of this organization. */
  tenant_id?: string
  /** Only agents that offer this capability. */
  capability?: string
  /** As the registry stood then; default now. */
  as_of?: string
  /** Also return versions that were superseded or withdrawn. */
  history?: boolean
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MARS query_registry. */
export interface MarsQueryRegistryOutput {
  /** Entries you may see that match every field given. */
  entries: Array<{
    /** Names the entry: the hash of its body. */
    hash: string
    /** What is registered. */
    kind: "agent" | "treaty" | "policy" | "asset" | "plugin" | "report" | "verdict" | "chain_seal" | "schema" | "model" | "artifact"
    /** Id of what is registered: the DID of an agent, the id of a treaty, and so on. */
    subject: string
    /** Organization that registered it. */
    tenant_id: string
    /** Counts the versions of this subject, from 1. */
    version: number
    /** Entry this version replaced; null for the first. */
    previous: string | null
    /** LIVE, STALE after its time to live, SUPERSEDED by a newer version, or WITHDRAWN. */
    state: "LIVE" | "STALE" | "SUPERSEDED" | "WITHDRAWN"
    /** Content that was hashed and signed. */
    body: Record<string, unknown>
    /** Who signed the body, and with which key. */
    signature: {
      /** A DID, or book:<key id> for the audit key of the tenant. */
      signed_by: string
      /** Key that verifies the signature. */
      public_key: string
      /** Signature over the body, base64url. */
      signature: string
      /** own key of the signer, custodial key of the engine, or book: the tenant's audit key. */
      method: "own" | "custodial" | "book"
    }
    /** When this version was registered. */
    registered_at: string
    /** When it becomes STALE; absent where it does not. */
    expires_at?: string
    /** The body was hashed again just now and matched; others are not returned. */
    hash_valid: true
  }>
  /** Pass it as cursor for the next page; absent on the last. */
  next_cursor?: string
}

/** Make an agent findable, keep its entry alive, or withdraw it. */
export interface MarsRegisterAgentInput {
  /** The agent to register; default yourself. */
  agent_did?: string
  /** Name shown to people. */
  name: string
  /** What the agent does, in words; discovery searches it. */
  summary?: string
  /** What kind of identity it is; must match its DID. */
  entity_kind: string
  /** What it offers; it must hold each of them. */
  capabilities: string[]
  /** Where it can be reached. */
  service_endpoints: Array<{
    /** Type of endpoint; external ones are probed every 10 seconds. */
    kind: string
    /** Address, https; http only on the same machine. */
    url: string
    /** Protocols spoken there, e.g. a2a. */
    protocols: string[]
  }>
  /** Words to find it by. */
  tags?: string[]
  /** Who finds it: the own tenant (default), treaty partners too, or everyone. */
  visibility?: "tenant" | "treaty" | "public"
  /** Seconds after which the entry becomes STALE unless it is registered again. */
  ttl_seconds?: number
  /** Take the entry out of the registry; its history stays. */
  withdraw?: boolean
  /** Signature over the entry, if you sign with your own key. */
  signature?: string
  /** Key the signature was made with. */
  public_key?: string
}

/** Answer of MARS register_agent. */
export interface MarsRegisterAgentOutput {
  /** Names the entry: the hash of its body. */
  entry: string
  /** Counts the versions of this agent's entry, from 1. */
  version: number
  /** Entry this version replaced; absent for the first. */
  previous?: string
  /** LIVE, or WITHDRAWN after withdraw. */
  state: "LIVE" | "STALE" | "SUPERSEDED" | "WITHDRAWN"
  /** When it becomes STALE unless it is registered again. */
  expires_at?: string
  /** Same content as before: only its time to live was extended. */
  unchanged: boolean
}

/** Ask before you run a function in your own process; every rule applies as to any call. */
export interface MatBeginCallInput {
  /** Name of your function, as policies and the audit log call it. */
  tool: string
  /** What your function will be called with. Policies can read it; the log commits to it. */
  arguments?: Record<string, unknown>
}

/** Answer of MAT begin_call. */
export interface MatBeginCallOutput {
  /** For end_call. */
  call_id: string
  /** own:<tool>, as in the audit log. */
  tool_id: string
  /** In the record of this call: sha256 of args_salt followed by the arguments as canonical JSON. */
  args_commitment: string
  /** Base64url. Store it with the arguments if you want to prove later what they were. */
  args_salt: string
}

/** Report how a function ended that you began with begin_call. */
export interface MatEndCallInput {
  /** From begin_call. */
  call_id: string
  /** ok: it returned. tool_error: it threw an error. failed: it could not be run. timeout: you stopped waiting. */
  outcome: "ok" | "tool_error" | "failed" | "timeout"
  /** Milliseconds it took, as you measured. */
  latency_ms?: number
  /** sha256 of what it returned, if you want to prove later what that was. */
  output_hash?: string
}

/** Answer of MAT end_call. */
export interface MatEndCallOutput {
  /** As in the input. */
  call_id: string
  /** own:<tool>. */
  tool_id: string
  /** Milliseconds between both calls, as the engine measured. */
  open_ms: number
}

/** Use a tool, or decide which servers and tools may be used. */
export interface MatToolInput {
  /** What to do: use a tool, name a server of tools, or decide which of its tools may be used. */
  action?: "invoke" | "register" | "disable" | "approve"
  /** mcp:<server>/<tool> of a registered server, a2a:<server>/<skill> of a registered A2A agent, svc:<protocol>.<operation>, or own:<name> of a function that its caller runs itself. mcp:<server>/* is a whole server, and can only be disabled. */
  tool_id?: string
  /** invoke: as the tool asks for. */
  arguments?: Record<string, unknown>
  /** invoke: how long a tool of a server may take; an operation keeps its own deadline. */
  timeout_ms?: number
  /** invoke and approve: only if the tool is still the one you looked at. */
  expect_schema_hash?: string
  /** approve: who must consent to each call of it, such as role:finance or 2 of anna,bob,cyd; none: nobody. Default: as before. */
  approval?: string
  /** register: the MCP server. */
  server?: {
    /** Yours to choose. */
    id: string
    /** How to reach it: over HTTP, or as a program on the engine's machine. */
    transport: "http" | "stdio" | "a2a"
    /** http: where it speaks MCP over streamable HTTP. a2a: the address of its agent card. Only allowed hosts. */
    url?: string
    /** stdio: a program of the operator's list, by its name; never a command line. */
    command_ref?: string
    /** http and a2a: headers the operator keeps, by their name; never their value. */
    headers_secret_ref?: string
    /** Names of the tools that may be used at all; absent means any. */
    allowed_tools?: string[]
  }
}

/** Answer of MAT tool. */
export interface MatToolOutput {
  /** mcp:<server>/<tool> of a registered server, a2a:<server>/<skill> of a registered A2A agent, svc:<protocol>.<operation>, or own:<name> of a function that its caller runs itself. mcp:<server>/* is a whole server, and can only be disabled. */
  tool_id?: string
  /** What the tool answered, as MCP content blocks. */
  content?: Array<Record<string, unknown>>
  /** What the tool answered as JSON, where it does. */
  structured?: unknown
  /** The tool ran, and says that it failed. */
  is_error?: boolean
  /** Hash of the tool as it was approved. */
  schema_hash?: string
  /** Milliseconds the tool took. */
  latency_ms?: number
  /** The answer was too large; rest names the whole. */
  truncated?: boolean
  /** The whole answer, where it was truncated. */
  rest?: string
  /** State of the tool after approve or disable. */
  state?: "approved" | "unapproved" | "quarantined" | "disabled" | "unusable"
  /** Who must consent to each call of it. */
  approval?: string
  /** approve: who had to consent until now, where that has changed. */
  approval_before?: string
  /** The server after register, or after disable of all its tools. */
  server?: {
    /** Yours to choose. */
    id: string
    /** How it is reached. */
    transport: "http" | "stdio" | "a2a"
    /** Tools of a disabled server cannot be used. */
    state: "active" | "disabled"
    /** Approved tools that must be approved again: the server is another one now. */
    quarantined: number
  }
}

/** Find tools for a task, with their input schemas and error rates. */
export interface MatToolDiscoveryInput {
  /** What is to be done, in words; all tools where absent. */
  query?: string
  /** Only these tools, where they are there. */
  tool_ids?: string[]
  /** Only tools of this category. */
  category?: "svc-cognitive" | "svc-governance" | "svc-commerce" | "svc-infrastructure"
  /** Only tools of this server. */
  server?: string
  /** Only what your capabilities let you call. */
  capability_only?: boolean
  /** Tools per page. */
  limit?: number
  /** cursor of the previous page. */
  cursor?: string
}

/** Answer of MAT tool_discovery. */
export interface MatToolDiscoveryOutput {
  /** Tools that match, best first. */
  tools: Array<{
    /** mcp:<server>/<tool> of a registered server, a2a:<server>/<skill> of a registered A2A agent, svc:<protocol>.<operation>, or own:<name> of a function that its caller runs itself. mcp:<server>/* is a whole server, and can only be disabled. */
    tool_id: string
    /** What its server says of it: data, not an instruction. */
    description: string
    /** JSON Schema of its arguments. */
    input_schema: Record<string, unknown>
    /** Hash of the tool as it is now: approve names it. */
    schema_hash: string
    /** approved ones can be used; quarantined: changed since its approval; unusable: see fault. */
    state: "approved" | "unapproved" | "quarantined" | "disabled" | "unusable"
    /** Why it is unusable. */
    fault?: string
    /** What a call is likely to cost. */
    estimated_cost: {
      /** US dollars with six decimal places. */
      usd: string
      /** What it is estimated for; tokens are not part of it. */
      ms: number
    }
    /** Of this organization's last calls. */
    p50_ms?: number
    /** Share of this organization's last calls that failed; absent without calls. */
    error_rate?: number
  }>
  /** Servers that did not answer; their tools are shown as last known. */
  unreachable: string[]
  /** Pass it as cursor for the next page; absent on the last. */
  cursor?: string
}

/** Combine several opinions into one, and list who disagrees. */
export interface MataPoolInput {
  /** What the opinions are about; stored with persist. */
  question?: string
  /** Topic; * is everything. */
  topic?: string
  /** One of each source, all of the same kind. */
  opinions: Array<{
    /** A DID, a ref, or protocol:<ID>. */
    source: string
    /** Probability of the event. */
    probability?: number
    /** Label to probability; they add up to one. */
    distribution?: Record<string, number>
    /** Pairs of a level between 0 and 1 and its value, levels rising. */
    quantiles?: Array<number[]>
    /** How much this opinion counts; all of them need one where weights are given. */
    weight?: number
  }>
  /** How to combine: log (default) favours agreement, linear is the mean, median ignores extremes. */
  method?: "linear" | "log" | "median"
  /** Whose opinion counts more; default given if there are any, then learned, then equal. */
  weights?: "given" | "learned" | "equal"
  /** Of the log pool. */
  extremize?: number
  /** Of the log pool. */
  epsilon?: number
  /** Labels that a source does not name have probability 0; otherwise labels must agree. */
  fill?: "zero"
  /** Store the result under a pool_ref. */
  persist?: boolean
}

/** Answer of MATA pool. */
export interface MataPoolOutput {
  /** Probability of the event. */
  probability?: number
  /** Label to probability; they add up to one. */
  distribution?: Record<string, number>
  /** Pairs of a level between 0 and 1 and its value. */
  quantiles?: Array<number[]>
  /** How they were combined; quantiles are always averaged. */
  method: "linear" | "log" | "median" | "quantile_average"
  /** Which weights were used. */
  weighting: "given" | "learned" | "equal"
  /** Share of each source; they add up to one. */
  weights: Record<string, number>
  /** Different roots behind the sources: of a ref, the root of its author; all protocols of this engine are one. Unknown ones are none. */
  independent_sources: number
  /** Bits; not of quantiles. */
  entropy?: number
  /** How far the sources are apart, from 0 to 1. */
  disagreement: number
  /** What each source added. */
  contributions: Array<{
    /** A DID, a ref, or protocol:<ID>. */
    source: string
    /** Share of the source. */
    weight: number
    /** Divergence from the pool. */
    bits?: number
    /** Its share of the disagreement. */
    disagreement_share: number
  }>
  /** Opinions far from the pool, as they were given. */
  dissent: Array<{
    /** A DID, a ref, or protocol:<ID>. */
    source: string
    /** Divergence from the pool. */
    bits?: number
    /** Probability of the event. */
    probability?: number
    /** Label to probability; they add up to one. */
    distribution?: Record<string, number>
    /** Pairs of a level between 0 and 1 and its value. */
    quantiles?: Array<number[]>
  }>
  /** Names the stored result; only with persist. */
  pool_ref?: string
}

/** Read how reliable a source has been by its resolved forecasts, or set its weight. */
export interface MataWeightInput {
  /** A DID, a ref, or protocol:<ID>. */
  source: string
  /** Topic; * is everything. */
  topic?: string
  /** After this many days a resolved forecast counts half. */
  half_life_days?: number
  /** Set the weight by hand instead of learning it. */
  set?: {
    /** Null removes the manual weight. */
    weight: number | null
    /** Charter verdict that allows it. */
    authority: string
  }
}

/** Answer of MATA weight. */
export interface MataWeightOutput {
  /** A DID, a ref, or protocol:<ID>. */
  source: string
  /** Topic; * is everything. */
  topic: string
  /** Its share among the sources of the topic, unless it was set; without comparison that of an average one. 0 if nobody with a verified lineage answers for it. */
  weight: number
  /** Whether the organization set it. */
  manual: boolean
  /** Its forecasts that were locked before their question was resolved; nothing else counts. */
  n: number
  /** Of these, on questions that somebody of another root forecast as well: only they move the weight. */
  n_compared: number
  /** The same, with old ones counting less, and siblings of one root together as one. */
  n_effective: number
  /** Sum of its losses (0 to 1 each) less the median of those of the other roots on the same question, old ones counting less: the weight follows from it. Below zero is better than others. */
  excess: number
  /** Brier score: of events (p - o)², of categories the sum over all of them (0 to 2). */
  brier?: number
  /** Logarithmic loss of events and categories, in nats. */
  log_loss?: number
  /** Continuous ranked probability score of quantities, in their own unit. */
  crps?: number
  /** Mean pinball loss of the quantiles of quantities, in their own unit. */
  quantile_loss?: number
  /** Of its mean loss, 0 to 1, however hard the questions were. */
  interval95: number[]
  /** 1 is the most reliable; ties share a rank. Who counts nothing is last. */
  rank: number
  /** Number of ranked sources. */
  sources: number
  /** Newest resolved forecasts. */
  history: Array<{
    /** The question, with its resolution and citation. */
    question_ref: string
    /** When the outcome was known. */
    at: string
    /** Brier score: of events (p - o)², of categories the sum over all of them (0 to 2). */
    brier?: number
    /** Logarithmic loss of events and categories, in nats. */
    log_loss?: number
    /** Continuous ranked probability score of quantities, in their own unit. */
    crps?: number
    /** Mean pinball loss of the quantiles of quantities, in their own unit. */
    quantile_loss?: number
  }>
}

/** Dissolve your organization by a charter decision, or cancel that during the notice period. */
export interface MausoleumInitiateInput {
  /** A verdict that binds MAUSOLEUM.initiate to the sha256 of {reason, schedule} as canonical JSON; to cancel, to the dissolution_id. */
  charter_authority: string
  /** Why the organization is dissolved, or why that is cancelled. */
  reason: string
  /** Who takes over what; needed unless you cancel. */
  schedule?: {
    /** Who gets what is left after the creditors were paid. */
    asset_distribution: Array<{
      /** An asset id, or * for all other assets. */
      asset_id: string | "*"
      /** Who gets this share. */
      to_did: string
      /** Share in hundredths of a percent; the shares of one asset add up to 10000. */
      share_bps: number
    }>
    /** Obligations that others take over; all others must be settled or ended. */
    obligation_transfer?: Array<{
      /** made://contract/<contract_id>/<obligation_id> */
      obligation: string
      /** Who takes the obligation over. */
      to_did: string
      /** Signature of the other party over svc-contract-v1 and {action: novate, contract_id, obligation_id, to_did}. */
      consent?: string
      /** Signature of to_did over the same text; needed if it becomes the debtor. */
      accepted?: string
      /** Key of to_did, for its signature in accepted. */
      public_key?: string
    }>
    /** Who takes over for the organization. */
    successor_did: string
  }
  /** Dissolution to cancel, instead of beginning one. */
  cancel?: string
}

/** Answer of MAUSOLEUM initiate. */
export interface MausoleumInitiateOutput {
  /** Names the dissolution. */
  dissolution_id: string
  /** Where it stands; BLOCKED: a step failed and is retried. It can be cancelled while INITIATED. */
  state: "INITIATED" | "DISTRIBUTING" | "TRANSFERRING" | "READY_TO_SEAL" | "SEALED" | "ARCHIVED" | "CANCELLED" | "BLOCKED"
  /** End of the notice period; until then it can be cancelled. */
  notice_until: string
  /** Who is paid before anything is distributed, in this order. */
  creditors: Array<{
    /** Order of payment: 1 awards of MOOT, 2 invoices of MEAL, 3 contracts. */
    rank: number
    /** Contract or invoice that is owed. */
    ref: string
    /** Organization that is owed. */
    tenant_id: string
    /** Name of an asset, the same for everybody. */
    asset_id: string
    /** How much is owed, in whole minor units of the asset. */
    amount: string
    /** The same in whole millionths of a US dollar; only for usd. */
    amount_micro_usd?: string
  }>
  /** What must be resolved before it can go on, in words. */
  blockers: string[]
}

/** List the dissolutions of your organization and of those it succeeds, or read one in full. */
export interface MausoleumListInput {
  /** Only this dissolution. */
  dissolution_id?: string
  /** Only dissolutions in this state. */
  state?: "INITIATED" | "DISTRIBUTING" | "TRANSFERRING" | "READY_TO_SEAL" | "SEALED" | "ARCHIVED" | "CANCELLED" | "BLOCKED"
  /** Only with dissolution_id. */
  include_detail?: boolean
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MAUSOLEUM list. */
export interface MausoleumListOutput {
  /** Dissolutions of your organization, or in which it is the successor. */
  items: Array<{
    /** Names the dissolution. */
    dissolution_id: string
    /** Organization that is dissolved. */
    tenant_id: string
    /** Whether your organization is dissolved, or takes over. */
    role: "own" | "successor"
    /** Where it stands; BLOCKED: a step failed and is retried. */
    state: "INITIATED" | "DISTRIBUTING" | "TRANSFERRING" | "READY_TO_SEAL" | "SEALED" | "ARCHIVED" | "CANCELLED" | "BLOCKED"
    /** Who began it. */
    initiated_by: string
    /** When it began. */
    initiated_at: string
    /** End of the notice period; until then it can be cancelled. */
    notice_until: string
    /** Who takes over for the organization. */
    successor_did: string
    /** Who cancelled it; absent where nobody did. */
    cancelled_by?: string
    /** When it was cancelled; absent where it was not. */
    cancelled_at?: string
    /** Only with include_detail. */
    detail?: {
      /** Why the organization is dissolved. */
      reason: string
      /** Verdict that allowed it. */
      authority: string
      /** Who takes over what. */
      schedule: {
        /** Who gets what is left after the creditors were paid. */
        asset_distribution: Array<{
          /** An asset id, or * for all other assets. */
          asset_id: string | "*"
          /** Who gets this share. */
          to_did: string
          /** Share in hundredths of a percent; the shares of one asset add up to 10000. */
          share_bps: number
        }>
        /** Obligations that others take over; all others must be settled or ended. */
        obligation_transfer?: Array<{
          /** made://contract/<contract_id>/<obligation_id> */
          obligation: string
          /** Who takes the obligation over. */
          to_did: string
          /** Signature of the other party over svc-contract-v1 and {action: novate, contract_id, obligation_id, to_did}. */
          consent?: string
          /** Signature of to_did over the same text; needed if it becomes the debtor. */
          accepted?: string
          /** Key of to_did, for its signature in accepted. */
          public_key?: string
        }>
        /** Who takes over for the organization. */
        successor_did: string
      }
      /** Step that failed and is retried; absent where none did. */
      blocked?: {
        /** Step that failed. */
        step: "orders" | "holds" | "usage" | "distribution" | "obligations" | "treaties" | "seal" | "publication" | "archive"
        /** Why it failed. */
        reason: string
      }
      /** In execution order; empty for the successor. */
      steps: Array<{
        /** Name of the step. */
        step: "orders" | "holds" | "usage" | "distribution" | "obligations" | "treaties" | "seal" | "publication" | "archive"
        /** When it was done; absent until then. */
        done_at?: string
      }>
      /** Before the seal: who is paid first, what blocks it, and who is notified. */
      outlook?: {
        /** Who is paid before anything is distributed, in this order. */
        creditors: Array<{
          /** Order of payment: 1 awards of MOOT, 2 invoices of MEAL, 3 contracts. */
          rank: number
          /** Contract or invoice that is owed. */
          ref: string
          /** Organization that is owed. */
          tenant_id: string
          /** Name of an asset, the same for everybody. */
          asset_id: string
          /** How much is owed, in whole minor units of the asset. */
          amount: string
          /** The same in whole millionths of a US dollar; only for usd. */
          amount_micro_usd?: string
        }>
        /** What must be resolved before it can go on, in words. */
        blockers: string[]
        /** Organizations that are notified. */
        concerned: string[]
      }
      /** How the audit log was closed; absent until then. */
      seal?: {
        /** Dissolution that ended. */
        dissolution_id: string
        /** ARCHIVED once the records were bundled as well. */
        state: "SEALED" | "ARCHIVED"
        /** Hash of the last record; none can follow. */
        final_hash: string
        /** Place of the last record. */
        final_seq: number
        /** The last key of the chain; its private part has been destroyed. */
        seal: {
          /** Organization whose log is closed. */
          tenant_id: string
          /** Place of the last record; none can follow. */
          final_seq: number
          /** Hash of the last record. */
          final_hash: string
          /** Root of the tree over all records. */
          root: string
          /** C2SP signed note over the whole chain, signed with its last key. */
          checkpoint: string
          /** Short id of the key, as signed notes name it. */
          key_id: string
          /** Key that verifies the last signed note. */
          public_key: string
        }
        /** Entry of the seal in the registry. */
        mars_ref: string
        /** Bundle of all records; absent until it was made. */
        archive?: {
          /** Names the bundle: the hash of its bytes. */
          hash: string
          /** Size of the bundle. */
          bytes: number
          /** Number of records in it. */
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
  /** Dissolution to end; default the open one. */
  dissolution_id?: string
  /** Hash of the last record you know; sealing is refused if the chain has newer records. */
  expected_head?: string
}

/** Answer of MAUSOLEUM seal. */
export interface MausoleumSealOutput {
  /** Dissolution that ended. */
  dissolution_id: string
  /** ARCHIVED once the records were bundled as well. */
  state: "SEALED" | "ARCHIVED"
  /** Hash of the last record; none can follow. */
  final_hash: string
  /** Place of the last record. */
  final_seq: number
  /** The last key of the chain; its private part has been destroyed. */
  seal: {
    /** Organization whose log is closed. */
    tenant_id: string
    /** Place of the last record; none can follow. */
    final_seq: number
    /** Hash of the last record. */
    final_hash: string
    /** Root of the tree over all records. */
    root: string
    /** C2SP signed note over the whole chain, signed with its last key. */
    checkpoint: string
    /** Short id of the key, as signed notes name it. */
    key_id: string
    /** Key that verifies the last signed note. */
    public_key: string
  }
  /** Entry of the seal in the registry. */
  mars_ref: string
  /** Bundle of all records; absent until it was made. */
  archive?: {
    /** Names the bundle: the hash of its bytes. */
    hash: string
    /** Size of the bundle. */
    bytes: number
    /** Number of records in it. */
    records: number
  }
}

/** Sign a claim with its evidence. */
export interface MavenAttestInput {
  /** The claim: a statement, or a subject, a predicate and an object. */
  claim: string | {
    /** What the claim is about. */
    subject: string
    /** The relation, such as ceo or located_in. */
    predicate: string
    /** Value of the relation: a text, a number or a truth value. */
    object: string | number | boolean
    /** Whether the subject has one value of the predicate at a time. */
    functional?: boolean
  }
  /** What the claim rests on. */
  evidence: Array<{
    /** Memory, artifact, record or claim; its newest version is pinned. */
    ref?: string
    /** The evidence itself; stored sealed. */
    content?: string
    /** What content is. */
    media_type?: string
    /** Its location. Never fetched: without content it is not verified. */
    uri?: string
    /** sha256 of the evidence, in lower hex; needed without content. */
    sha256?: string
    /** Whether it supports (default) or refutes the claim, or is only context. */
    stance?: "supports" | "refutes" | "context"
  }>
  /** How sure you are. */
  confidence?: number
  /** Topic, as MATA weighs sources by it; * is everything. */
  topic?: string
  /** From when it holds; absent: always. */
  valid_from?: string
  /** Until when it holds; absent: with no end. */
  valid_to?: string
  /** How you came to know it. */
  method?: "observation" | "measurement" | "inference" | "testimony" | "computation"
  /** Earlier claim of yours that this one replaces. */
  supersedes?: string
  /** Until then nobody but its issuer sees it, and it argues with nobody. */
  embargo_until?: string
  /** W3C Data Integrity, eddsa-jcs-2022. */
  proof?: {
    /** Kind of proof, as W3C names it. */
    type: "DataIntegrityProof"
    /** How it is made: Ed25519 over canonical JSON. */
    cryptosuite: "eddsa-jcs-2022"
    /** When it was signed. */
    created: string
    /** Key that signed, as did:key: all that a check needs. */
    verificationMethod: string
    /** What the signature says: that this is so, or who signs. */
    proofPurpose: "assertionMethod" | "authentication"
    /** Issuer, if another key signs on its behalf. */
    controller?: string
    /** Multibase base58btc. */
    proofValue: string
  }
}

/** Answer of MAVEN attest. */
export interface MavenAttestOutput {
  /** Names the claim. */
  claim_ref: string
  /** sha256 of the document, in lower hex. */
  content_hash: string
  /** The signed document; its sha256 in canonical JSON is the id of the claim. */
  document: {
    /** Type of the document. */
    type: "MavenClaim"
    /** Who claims it. */
    issuer: string
    /** The claim: a statement, or a subject, a predicate and an object. */
    claim: string | {
      /** What the claim is about. */
      subject: string
      /** The relation, such as ceo or located_in. */
      predicate: string
      /** Value of the relation: a text, a number or a truth value. */
      object: string | number | boolean
      /** Whether the subject has one value of the predicate at a time. */
      functional?: boolean
    }
    /** What the claim rests on, by hash. */
    evidence: Array<{
      /** sha256 of the evidence, in lower hex. */
      hash: string
      /** Whether it supports or refutes the claim, or is only context. */
      stance: "supports" | "refutes" | "context"
      /** Content that holds the evidence; absent where its bytes were not seen. */
      ref?: string
      /** Version of that content. */
      version?: number
      /** Its location outside; never fetched. */
      uri?: string
      /** What the bytes are. */
      media_type?: string
    }>
    /** How sure the issuer is. */
    confidence: number
    /** Topic, as MATA weighs sources by it; * is everything. */
    topic: string
    /** From when it holds; absent: always. */
    valid_from?: string
    /** Until when it holds; absent: with no end. */
    valid_to?: string
    /** How the issuer came to know it. */
    method?: "observation" | "measurement" | "inference" | "testimony" | "computation"
    /** Earlier claim of the issuer that this one replaces. */
    supersedes?: string
  }
  /** W3C Data Integrity, eddsa-jcs-2022. */
  proof: {
    /** Kind of proof, as W3C names it. */
    type: "DataIntegrityProof"
    /** How it is made: Ed25519 over canonical JSON. */
    cryptosuite: "eddsa-jcs-2022"
    /** When it was signed. */
    created: string
    /** Key that signed, as did:key: all that a check needs. */
    verificationMethod: string
    /** What the signature says: that this is so, or who signs. */
    proofPurpose: "assertionMethod" | "authentication"
    /** Issuer, if another key signs on its behalf. */
    controller?: string
    /** Multibase base58btc. */
    proofValue: string
  }
  /** What was checked, in the order given. */
  evidence: Array<{
    /** sha256 of the evidence, in lower hex. */
    hash: string
    /** Its bytes were seen and match the hash. */
    verified: boolean
  }>
  /** Contested: a claim that counts more speaks against it. Undecided: one that counts as much does. */
  status: "accepted" | "contested" | "undecided"
  /** What other claims say about the same. */
  corroboration: {
    /** Different roots behind the issuers, other than the root of this one, each with some evidence that no older claim counted here has. */
    supports: number
    /** Different roots behind the issuers, other than the root of this one, each with some evidence that no older claim counted here has. */
    refutes: number
    /** Roots that count as neither: their claims only repeat evidence, or rest on claims, that count already. */
    copies: number
    /** Probability of the claim, from all issuers' confidence and reliability. */
    posterior: number
  }
  /** Claims that speak against it. */
  contradictions: string[]
}

/** Cite a source permanently, with its current status. */
export interface MavenCiteInput {
  /** Claim, memory, artifact, record, finding or model to cite. */
  source_ref: string
  /** Default: the newest. */
  version?: number
  /** What cites it; recorded as depending on the source. */
  in_ref?: string
  /** Which part of the source: one of the three. */
  locator?: {
    /** Part of a JSON document (RFC 6901). */
    json_pointer?: string
    /** Part of a text, counted in characters. */
    char_range?: {
      /** First character, from 0. */
      start: number
      /** Character after the last one. */
      end: number
    }
    /** Place of the record in the audit log. */
    record_seq?: number
  }
  /** Form of formatted. */
  style?: "short" | "apa" | "csl-json"
}

/** Answer of MAVEN cite. */
export interface MavenCiteOutput {
  /** Names the citation. */
  citation_id: string
  /** Source that is cited. */
  source_ref: string
  /** Version of the source that is pinned. */
  version: number
  /** Hash of the cited content. */
  content_hash: string
  /** Null if redacted. */
  excerpt: string | null
  /** Who is answerable for the source. */
  issuer_did: string
  /** When the source was stated. */
  attested_at: string
  /** State of the source now; only valid and contested ones can still be relied on. */
  status: "valid" | "contested" | "superseded" | "redacted" | "revoked" | "retracted"
  /** Checked now: the proof of a claim, otherwise the signed audit log. Null while neither exists. */
  signature_valid: boolean | null
  /** The audit record of the call that stored it; null until it is written. */
  chain: {
    /** Hash of the record of the claim. */
    record_hash: string
    /** Records in the signed tree that holds the record. */
    tree_size: number
  } | null
  /** Whether the source depends, directly or not, on what cites it. */
  cycle: boolean
  /** The citation as text, or as an object with csl-json. */
  formatted: string | Record<string, unknown>
}

/** Contradict a claim with another, and get the resulting statuses. */
export interface MavenContradictInput {
  /** Claim that is wrong. */
  claim_ref: string
  /** The claim that speaks against it, or one that is attested first. */
  by: string | {
    /** The claim: a statement, or a subject, a predicate and an object. */
    claim: string | {
      /** What the claim is about. */
      subject: string
      /** The relation, such as ceo or located_in. */
      predicate: string
      /** Value of the relation: a text, a number or a truth value. */
      object: string | number | boolean
      /** Whether the subject has one value of the predicate at a time. */
      functional?: boolean
    }
    /** What the claim rests on. */
    evidence: Array<{
      /** Memory, artifact, record or claim; its newest version is pinned. */
      ref?: string
      /** The evidence itself; stored sealed. */
      content?: string
      /** What content is. */
      media_type?: string
      /** Its location. Never fetched: without content it is not verified. */
      uri?: string
      /** sha256 of the evidence, in lower hex; needed without content. */
      sha256?: string
      /** Whether it supports (default) or refutes the claim, or is only context. */
      stance?: "supports" | "refutes" | "context"
    }>
    /** How sure you are. */
    confidence?: number
    /** Topic, as MATA weighs sources by it; * is everything. */
    topic?: string
    /** From when it holds; absent: always. */
    valid_from?: string
    /** Until when it holds; absent: with no end. */
    valid_to?: string
    /** How you came to know it. */
    method?: "observation" | "measurement" | "inference" | "testimony" | "computation"
    /** Earlier claim of yours that this one replaces. */
    supersedes?: string
    /** Until then nobody but its issuer sees it, and it argues with nobody. */
    embargo_until?: string
    /** W3C Data Integrity, eddsa-jcs-2022. */
    proof?: {
      /** Kind of proof, as W3C names it. */
      type: "DataIntegrityProof"
      /** How it is made: Ed25519 over canonical JSON. */
      cryptosuite: "eddsa-jcs-2022"
      /** When it was signed. */
      created: string
      /** Key that signed, as did:key: all that a check needs. */
      verificationMethod: string
      /** What the signature says: that this is so, or who signs. */
      proofPurpose: "assertionMethod" | "authentication"
      /** Issuer, if another key signs on its behalf. */
      controller?: string
      /** Multibase base58btc. */
      proofValue: string
    }
  }
  /** Rebut states the opposite, undercut denies the inference, undermine attacks a piece of evidence. */
  kind?: "rebut" | "undercut" | "undermine"
  /** Of the evidence that is undermined. */
  evidence_hash?: string
  /** Why it is wrong; stored with the contradiction. */
  rationale?: string
  /** False records the contradiction without changing statuses. */
  resolve?: boolean
}

/** Answer of MAVEN contradict. */
export interface MavenContradictOutput {
  /** Names the contradiction. */
  contradiction_ref: string
  /** Claim that speaks against it. */
  by: string
  /** Status of every claim that is part of the dispute. */
  statuses: Record<string, "accepted" | "rejected" | "undecided">
  /** Claims whose status changed. */
  changed: Array<{
    /** Claim that changed. */
    claim_ref: string
    /** Status before. */
    from: "accepted" | "rejected" | "undecided" | "superseded" | "embargoed"
    /** Status now. */
    to: "accepted" | "rejected" | "undecided" | "superseded" | "embargoed"
  }>
  /** What cites a changed claim and may have to be revised. */
  dependents: Array<{
    /** What cites it. */
    ref: string
    /** How it depends on the claim. */
    kind: string
  }>
  /** How the dispute is decided: only what can be defended against every attack counts. */
  extension: "grounded"
  /** How to contest the result. */
  appeal: {
    /** Operation that files a case. */
    path: "MOOT file"
  }
}

/** Append a record of your own to your tenant's audit log and get its place in the chain. */
export interface MaxAuditLogEntryInput {
  /** Use custom.<name>; an unknown type is stored as Error, one of the service is refused. */
  event_type: string
  /** How what you record ended. Default success. */
  outcome?: "success" | "refused" | "error"
  /** Request it belongs to; default this one. */
  correlation_id?: string
  /** Protocol the record is about. */
  protocol?: string
  /** Operation the record is about. */
  operation?: string
  /** Your own data, up to 64 KiB; it cannot be changed or deleted later. */
  meta: Record<string, unknown>
}

/** Answer of MAX audit_log_entry. */
export interface MaxAuditLogEntryOutput {
  /** Place of the record in the chain. */
  seq: number
  /** Hash of the new record. */
  record_hash: string
  /** Hash of the record before it. */
  previous_hash: string
  /** Hash of the newest record of the log then. */
  chain_head: string
  /** Event type it was stored under; Error where yours is unknown. */
  stored_event_type: string
}

/** Find records in your tenant's audit log, or in another's that both took part in, with proofs on request. */
export interface MaxAuditQueryInput {
  /** Only records of this request. */
  correlation_id?: string
  /** Only records of these requests. */
  correlation_ids?: string[]
  /** Also return retained inputs: of your own calls, or of all for charter members. */
  include_inputs?: boolean
  /** Whose log is read; default your own. */
  tenant_id?: string
  /** Only records of one of these types. */
  event_type?: string[]
  /** Only calls of this protocol. */
  protocol?: string
  /** Only calls of this operation. */
  operation?: string
  /** Only records with this outcome. */
  outcome?: "success" | "refused" | "error"
  /** Only calls of this identity. */
  caller_did?: string
  /** Only records from this time on. */
  from?: string
  /** Only records before this time. */
  to?: string
  /** Only records after this one, the oldest first. */
  after_seq?: number
  /** Only records before this one, the newest first. */
  before_seq?: number
  /** Records per page. */
  limit?: number
  /** Recompute the hashes and signatures of the returned records. */
  verify?: boolean
  /** Adds a path from each record to the tree of this compliance report. */
  proof_report?: string
  /** Adds keys, and the notes signed at a record of the page. */
  include_checkpoints?: boolean
  /** Adds a path from each record to a signed note. */
  include_proofs?: boolean
}

/** Answer of MAX audit_query. */
export interface MaxAuditQueryOutput {
  /** Matching records in order of seq. */
  records: Array<{
    /** Names the record. */
    id: string
    /** Place in the tenant's chain, counted from 1 without gaps. */
    seq: number
    /** What was recorded, e.g. ProtocolInvocation, Error or a domain event. */
    event_type: string
    /** Ties the record to its call, retries and nested calls. */
    correlation_id: string
    /** When it happened. */
    timestamp: string
    /** Organization whose log it is in. */
    tenant_id: string
    /** Who made the call that was recorded. */
    caller_did: string
    /** Id of the protocol that was called; absent where the record is of no call. */
    protocol?: string
    /** Operation of the protocol that was called. */
    operation?: string
    /** success; refused: a rule said no; error: it failed. */
    outcome: "success" | "refused" | "error"
    /** Milliseconds from receiving the call to its outcome. */
    latency_ms: number
    /** Details of the event: names, sizes and commitments, never content. */
    meta: Record<string, unknown>
    /** Hash of the record before it; zeros for the first. */
    previous_hash: string
    /** sha256 of previous_hash and this record. */
    record_hash: string
  }>
  /** Retained inputs by input_hash; only with include_inputs. */
  inputs?: Record<string, unknown>
  /** Hash of the newest record of the log. */
  head: string
  /** Pass it as after_seq for the next page; absent where no more follow. */
  next_after_seq?: number
  /** Pass it as before_seq for the next page; absent where no more follow. */
  next_before_seq?: number
  /** Result of the check; with verify, and always for another tenant's log. */
  verified?: {
    /** Every returned record matches its hash and signature. */
    ok: boolean
    /** First record that did not verify. */
    first_bad_seq?: number
  }
  /** Inclusion path of each record; with include_proofs or proof_report. */
  proofs?: Array<{
    /** Record that is proved. */
    seq: number
    /** Number of records in the tree the path leads to. */
    tree_size: number
    /** RFC 6962 sibling hashes from the record's leaf to the root. */
    inclusion_path: string[]
  }>
  /** Public keys that signed the log; with include_checkpoints or include_proofs. */
  keys?: Array<{
    /** Short id of the key, as signed notes name it. */
    key_id: string
    /** The key itself, base64url. */
    public_key: string
    /** First record signed with this key. */
    from_seq: number
    /** Null for the key that signs now. */
    until_seq: number | null
  }>
  /** Signed notes that cover the records. */
  checkpoints?: Array<{
    /** Number of records the note covers. */
    size: number
    /** C2SP signed note: origin, size, root, signatures. */
    note: string
  }>
  /** Newest signed note of the whole log. */
  newest_checkpoint?: {
    /** Number of records the note covers. */
    size: number
    /** C2SP signed note: origin, size, root, signatures. */
    note: string
  }
}

/** Get a signed attestation of your audit log over a period, for an auditor. */
export interface MaxComplianceReportInput {
  /** Half-open: from <= t < to. */
  period: {
    /** First moment of the period. */
    from: string
    /** End of the period, itself not included. */
    to: string
  }
  /** Standard whose controls are answered from the log. Default core. */
  framework?: "core" | "soc2" | "eu-ai-act" | "iso42001"
  /** Answer the controls; without them only the chain is verified and counted. */
  include_controls?: boolean
}

/** Answer of MAX compliance_report. */
export interface MaxComplianceReportOutput {
  /** Names the report: the hash of its content. */
  report_id: string
  /** JWS, EdDSA, by the tenant's audit key. */
  attestation: string
  /** Hash of the last record that the report covers. */
  head: string
  /** First record of the period; 0 where there is none. */
  first_seq: number
  /** Last record of the period; 0 where there is none. */
  last_seq: number
  /** Records in the period. */
  record_count: number
  /** Root of the tree over the records it covers. */
  merkle_root: string
  /** Records in the tree of merkle_root, from the first of the log. */
  tree_size: number
  /** Records of the period by outcome and by event. */
  counts: {
    /** Records with outcome success. */
    success: number
    /** Records with outcome refused. */
    refused: number
    /** Records with outcome error. */
    error: number
    /** Number of records for each event type. */
    by_event: Record<string, unknown>
  }
  /** Every hash and signature of the period was recomputed and matched. */
  chain_verified: boolean
  /** First record that did not verify; absent where all did. */
  first_bad_seq?: number
  /** Places in the chain where a record is missing. */
  gaps: number[]
  /** Delegations, treaties and envelopes that allowed calls, the most used first. */
  authorities: Array<{
    /** Kind of authority. */
    source: "delegation" | "treaty" | "envelope"
    /** Delegation token, treaty or envelope that was used. */
    ref: string
    /** Calls it allowed in the period. */
    calls: number
  }>
  /** More were used than are listed. */
  authorities_truncated: boolean
  /** Which text the controls map, and what of it they leave out. */
  framework_about: string
  /** Controls of the framework: what each asks, what the log of the period shows, and what it cannot show. */
  controls: Array<{
    /** The control in its framework, such as CC6.1, A.9.4 or Art. 12(1). */
    id: string
    /** Short title in our own words. */
    title: string
    /** What the control asks, in our own words. */
    question: string
    /** evidence: records of the period speak to it. no_evidence: records could, and the period has none. not_shown: no log of calls can show it. None says that a control is satisfied. */
    status: "evidence" | "no_evidence" | "not_shown"
    /** Each query that answers it, and what it found. */
    evidence: Array<{
      /** What was counted, in words. */
      counts: string
      /** Types of records that were counted; empty for any. */
      event_types: string[]
      /** Operations whose records were counted; empty for any. */
      operations: string[]
      /** Outcomes that were counted; empty for any. */
      outcomes: string[]
      /** A further condition on what was counted; absent where there was none. */
      where?: {
        /** A field of meta, with dots for fields in it. */
        field: string
        /** Values of which it had one. */
        one_of: string[]
      }
      /** What each counted record must say; absent where to be there is enough. */
      must?: {
        /** A field of meta that each counted record must have. */
        field: string
        /** The value it must have; absent for any. */
        equals?: string
      }
      /** Records of the period that matched. Notes of callers, dry runs and stored answers given again never count; of many equal refusals in a second, one record has the number. */
      count: number
      /** The first of them; absent where there is none. */
      first?: {
        /** Place of the record in the log. */
        seq: number
        /** The record; audit_query with proof_report proves that the report covers it. */
        ref: string
      }
      /** The last of them; absent where there is none. */
      last?: {
        /** Place of the record in the log. */
        seq: number
        /** The record; audit_query with proof_report proves that the report covers it. */
        ref: string
      }
      /** How many of them do not say what they must. */
      exceptions: number
      /** The first of the exceptions. */
      exception_refs: string[]
    }>
    /** What this log cannot show of the control. */
    gap: string
  }>
  /** Entry of the report in the registry; null, as reports are not registered yet. */
  mars_ref: string | null
}

/** Get an issued compliance report as CSV or PDF, with its proofs, to hand on. */
export interface MaxComplianceReportFileInput {
  /** As compliance_report answered it. */
  report_id: string
  /** csv: for spreadsheets. pdf: to read and print. */
  format: "csv" | "pdf"
}

/** Answer of MAX compliance_report_file. */
export interface MaxComplianceReportFileOutput {
  /** The report that the file shows. */
  report_id: string
  /** A name for the file. */
  file_name: string
  /** What kind of file it is. */
  media_type: string
  /** The file in base64. The same report always gives the same bytes. */
  content: string
  /** Hash of the file. */
  sha256: string
}

/** Ask why a request was allowed or refused, and what would have changed it. */
export interface MaxExplainabilityRequestInput {
  /** Request that is explained. */
  correlation_id: string
  /** subject (default) hides the DIDs of other agents; operator and auditor see them. */
  audience?: "subject" | "operator" | "auditor"
  /** Also say which single changes would have led to another decision. */
  counterfactuals?: boolean
}

/** Answer of MAX explainability_request. */
export interface MaxExplainabilityRequestOutput {
  /** allowed; refused by a rule; failed while it ran. */
  decision: "allowed" | "refused" | "failed"
  /** Stage that decided, 0 to 8: 4 is Capability, 5 Circuit breaker and budget. */
  stage: number
  /** Code of the refusal or failure; absent where it was allowed. */
  code?: string
  /** Rule that decided, in a few words. */
  reason: string
  /** What the call needed and what granted it. */
  capability: {
    /** Capability that the call needed. */
    requested?: string
    /** Capability of the caller that covered the request; absent where none did. */
    matched?: string
    /** Where it came from: declared, key, delegation, treaty, envelope, role, or open to all. */
    source?: string
    /** Delegation token, treaty or envelope that gave the capability. */
    ref?: string
    /** Id of the API key, `token:` or `session:` that was presented. */
    credential?: string
  }
  /** Policies that determined the decision, as they were then. */
  policies: Array<{
    /** Policy id. */
    id: string
    /** Version in force at the time of the call. */
    version: string
    /** permit or forbid. */
    effect: string
    /** The policy in Cedar. */
    text: string
  }>
  /** Council decision behind it; absent where none was needed. */
  council?: {
    /** Verdict that was used; null where there was none. */
    verdict: string | null
    /** Whether the council allowed it. */
    pass: boolean
    /** Opinions of members who voted otherwise. */
    dissent: unknown[]
  }
  /** Limits that were hit, e.g. retry_after_ms. */
  limits?: Record<string, unknown>
  /** Changes that were tried by judging the recorded call again, each with what it would have led to. A combination is named where no single change is enough. */
  counterfactuals: Array<{
    /** What would have been different. */
    change: string
    /** passes: judged again with this change, nothing that the log can judge refuses it; stages after it depend on budgets, endpoints and modules of that time. refused_next: another rule refuses it then. not_judged: the log lacks what it depends on. */
    outcome: "passes" | "refused_next" | "not_judged"
    /** What would have happened then, in words. */
    result: string
    /** The refusal that comes next; with refused_next. */
    next?: {
      /** Stage that would have refused it. */
      stage: number
      /** Code of that refusal. */
      code: string
      /** Rule behind that refusal. */
      reason: string
    }
  }>
  /** How to contest the refusal. */
  appeal_path?: string
  /** The whole decision in sentences for people. */
  narrative: string
  /** Audit records the explanation was made from. */
  evidence: string[]
  /** False where the rules, applied again, contradict the record. */
  consistent: boolean
}

/** List your saved views and those of your organization. */
export type MaxListViewsInput = Record<string, never>

/** Answer of MAX list_views. */
export interface MaxListViewsOutput {
  /** Your own views and those of your organization, by name. */
  items: Array<{
    /** Names the view among yours, or among those of your organization. */
    name: string
    /** A view of your organization, for all; otherwise your own. */
    shared?: boolean
    /** The operation it reads, such as MAX.audit_query. */
    operation: string
    /** Input of that operation, up to 8 KiB. */
    filters: Record<string, unknown>
    /** Page of the console that shows it. */
    page?: string
    /** When it runs by itself, with the rights of whoever set it, at that moment. */
    schedule?: {
      /** How often it runs. */
      every: "daily" | "weekly" | "monthly"
      /** Time of day, such as 07:30. */
      at: string
      /** Day of the week from Monday, 1 to 7, or of the month, 1 to 28. Default 1. */
      day?: number
      /** Such as Europe/Berlin. Default UTC. */
      time_zone?: string
      /** Logins of people who get the file by e-mail; each must be an e-mail address. Without any it is only fetched. */
      mail_to?: string[]
    }
    /** Whoever set it last, and as whom it runs by itself. */
    set_by: string
    /** When it was set last. */
    set_at: string
    /** When it runs next; absent without a schedule. */
    next_run_at?: string
    /** When it last made a file. */
    last_run_at?: string
    /** Why the newest run made none. */
    last_failure?: string
    /** A run has made a file, which view_file answers. */
    has_file: boolean
  }>
}

/** List your organization's webhooks, and how their deliveries go. */
export type MaxListWebhooksInput = Record<string, never>

/** Answer of MAX list_webhooks. */
export interface MaxListWebhooksOutput {
  /** All webhooks, by name. */
  items: Array<{
    /** Names the webhook within your organization. */
    name: string
    /** Where events are posted: public and over https, or an address that the operator of this engine allows. */
    address: string
    /** Event types of the audit log that are sent, such as ApprovalRequested. */
    event_types: string[]
    /** RETRYING after a failure; STOPPED until it is set again. */
    state: "ACTIVE" | "RETRYING" | "STOPPED"
    /** Whoever set it last; it stops when they may no longer read the log. */
    set_by: string
    /** When it was set last. */
    set_at: string
    /** Newest delivery that was accepted. */
    last_delivered_at?: string
    /** Why the newest delivery failed, or why it was stopped. */
    last_failure?: string
    /** When a failed delivery is tried again. */
    next_attempt_at?: string
    /** Age of the oldest event that is still to be delivered; 0 where none is. */
    seconds_behind: number
  }>
}

/** Remove a saved view and its file. */
export interface MaxRemoveViewInput {
  /** Names the view among yours, or among those of your organization. */
  name: string
  /** A view of your organization, for all; otherwise your own. */
  shared?: boolean
}

/** Answer of MAX remove_view. */
export interface MaxRemoveViewOutput {
  /** Names the view among yours, or among those of your organization. */
  name: string
  /** From when on it is gone, with its file. */
  removed_at: string
}

/** Stop a webhook for good; what it has not delivered is not sent any more. */
export interface MaxRemoveWebhookInput {
  /** Names the webhook within your organization. */
  name: string
  /** Why, for the audit log. */
  reason?: string
}

/** Answer of MAX remove_webhook. */
export interface MaxRemoveWebhookOutput {
  /** Names the webhook within your organization. */
  name: string
  /** From when on nothing more is sent. */
  removed_at: string
}

/** Save a query under a name, for yourself or all, and have it run by itself. */
export interface MaxSetViewInput {
  /** Names the view among yours, or among those of your organization. */
  name: string
  /** A view of your organization, for all; otherwise your own. */
  shared?: boolean
  /** The operation it reads, such as MAX.audit_query. */
  operation: string
  /** Input of that operation, up to 8 KiB. */
  filters: Record<string, unknown>
  /** Page of the console that shows it. */
  page?: string
  /** When it runs by itself, with the rights of whoever set it, at that moment. */
  schedule?: {
    /** How often it runs. */
    every: "daily" | "weekly" | "monthly"
    /** Time of day, such as 07:30. */
    at: string
    /** Day of the week from Monday, 1 to 7, or of the month, 1 to 28. Default 1. */
    day?: number
    /** Such as Europe/Berlin. Default UTC. */
    time_zone?: string
    /** Logins of people who get the file by e-mail; each must be an e-mail address. Without any it is only fetched. */
    mail_to?: string[]
  }
}

/** Answer of MAX set_view. */
export interface MaxSetViewOutput {
  /** Names the view among yours, or among those of your organization. */
  name: string
  /** A view of your organization, for all; otherwise your own. */
  shared?: boolean
  /** The operation it reads, such as MAX.audit_query. */
  operation: string
  /** Input of that operation, up to 8 KiB. */
  filters: Record<string, unknown>
  /** Page of the console that shows it. */
  page?: string
  /** When it runs by itself, with the rights of whoever set it, at that moment. */
  schedule?: {
    /** How often it runs. */
    every: "daily" | "weekly" | "monthly"
    /** Time of day, such as 07:30. */
    at: string
    /** Day of the week from Monday, 1 to 7, or of the month, 1 to 28. Default 1. */
    day?: number
    /** Such as Europe/Berlin. Default UTC. */
    time_zone?: string
    /** Logins of people who get the file by e-mail; each must be an e-mail address. Without any it is only fetched. */
    mail_to?: string[]
  }
  /** Whoever set it last, and as whom it runs by itself. */
  set_by: string
  /** When it was set last. */
  set_at: string
  /** When it runs next; absent without a schedule. */
  next_run_at?: string
  /** When it last made a file. */
  last_run_at?: string
  /** Why the newest run made none. */
  last_failure?: string
  /** A run has made a file, which view_file answers. */
  has_file: boolean
}

/** Have events of your audit log posted, signed, to an address of yours, or change where and which. */
export interface MaxSetWebhookInput {
  /** Names the webhook within your organization. */
  name: string
  /** Where events are posted: public and over https, or an address that the operator of this engine allows. */
  address: string
  /** Event types of the audit log that are sent, such as ApprovalRequested. */
  event_types: string[]
  /** Replaces the secret of a webhook that exists. */
  new_secret?: boolean
}

/** Answer of MAX set_webhook. */
export interface MaxSetWebhookOutput {
  /** Names the webhook within your organization. */
  name: string
  /** Where events are posted: public and over https, or an address that the operator of this engine allows. */
  address: string
  /** Event types of the audit log that are sent, such as ApprovalRequested. */
  event_types: string[]
  /** Verifies the signatures of its deliveries. Shown only now: when it is new or replaced. */
  secret?: string
}

/** Rebuild the whole story of a request as a graph. */
export interface MaxTraceabilityGraphInput {
  /** Request whose records are shown. */
  correlation_id: string
  /** How many steps from the request the graph goes. */
  depth?: number
  /** prov adds the graph as PROV-JSON. Default json. */
  format?: "json" | "prov"
}

/** Answer of MAX traceability_graph. */
export interface MaxTraceabilityGraphOutput {
  /** Requests, stages, records, agents, policies and treaties, each with id, type, label and data. */
  nodes: Array<Record<string, unknown>>
  /** How the nodes are related; effects point at causes. */
  edges: Array<{
    /** Id of the node that is the effect. */
    from: string
    /** Id of the node that is the cause. */
    to: string
    /** Relation in words of W3C PROV, or authorizedBy, refusedBy. */
    rel: string
  }>
  /** The same graph as PROV-JSON; only with format prov. */
  prov?: Record<string, unknown>
  /** What the protocol reported about the call, e.g. the path it took. */
  metadata: Record<string, unknown>
  /** The request has ended and its last record was found. */
  complete: boolean
  /** What the graph lacks, in words. */
  missing: string[]
  /** Newest record hash of each tenant's chain that was read. */
  heads: Record<string, unknown>
}

/** Get the rows of a saved view as CSV, read with your own rights. */
export interface MaxViewFileInput {
  /** Names the view among yours, or among those of your organization. */
  name: string
  /** A view of your organization, for all; otherwise your own. */
  shared?: boolean
  /** Only what is from this time, where the operation can tell. */
  period?: {
    /** First moment of the period. */
    from: string
    /** End of the period, itself not included. */
    to: string
  }
  /** The file of its newest run by itself, instead of a new one. */
  scheduled?: boolean
}

/** Answer of MAX view_file. */
export interface MaxViewFileOutput {
  /** Names the view among yours, or among those of your organization. */
  name: string
  /** text/csv; charset=utf-8 */
  media_type: string
  /** The rows as CSV, with the names of their fields first. */
  content: string
  /** How many rows it has; absent for a scheduled file. */
  rows?: number
  /** There is more than a file can have: ten pages, 2 MiB and 64 columns. Absent for a scheduled file. */
  truncated?: boolean
}

/** Approve or refuse one call of somebody else that waits for your consent. */
export interface MaximApprovalDecideInput {
  /** The request to decide. */
  approval_id: string
  /** Your decision; it cannot be changed. */
  decision: "approve" | "refuse"
  /** Why, for whoever asked. */
  note?: string
}

/** Answer of MAXIM approval_decide. */
export interface MaximApprovalDecideOutput {
  /** Names the request; the caller repeats the same call once it is approved. */
  approval_id: string
  /** APPROVED: the call may be made once, then USED. EXPIRED: not decided or not used in time. */
  state: "PENDING" | "APPROVED" | "USED" | "REFUSED" | "EXPIRED"
  /** Who wants to make the call. */
  caller: string
  /** As its own identity document says. */
  caller_name?: string
  /** Organization of the caller. */
  caller_tenant: string
  /** Protocol of the call. */
  protocol: string
  /** Operation of the call. */
  operation: string
  /** When the call was made and stopped. */
  requested_at: string
  /** Without a decision it expires then. */
  decide_until: string
  /** Once given: it may be used until then. */
  use_until?: string
  /** The most the call may cost. */
  cost_usd_max: string
  /** Consents that are still or were needed. */
  needs: Array<{
    /** In words. */
    who: string
    /** How many must consent. */
    count: number
    /** People and roles who may consent. */
    names: string[]
    /** What demands it: a policy, a caveat of the capability, or the tool. */
    by: "policy" | "caveat" | "tool"
    /** The policy, the capability or the tool that demands it. */
    ref: string
    /** How many have consented. */
    given: number
  }>
  /** Whether you can decide it now. */
  may_decide: boolean
  /** Version of the protocol. */
  version: string
  /** Organization in which the call would run. */
  target_tenant: string
  /** Request in whose records the stopped call is found. */
  correlation_id: string
  /** What was asked, where it is retained. */
  input?: unknown
  /** Hash of the input; only a call with this input is approved. */
  input_hash: string
  /** Size of the input. */
  input_bytes: number
  /** Fields of the input and their kinds. */
  input_shape: Record<string, string>
  /** What the call would do by its dry run: summary, read or write, and whether it acts outside. */
  effects: Record<string, unknown>
  /** Decisions made so far. */
  decisions: Array<{
    /** Who decided. */
    did: string
    /** Name of who decided; absent if none is on record. */
    name?: string
    /** What was decided. */
    decision: "approve" | "refuse"
    /** When it was decided. */
    at: string
    /** The decider's own words. */
    note?: string
  }>
  /** Why it ended early; absent if it did not. */
  ended_reason?: string
  /** The record of the call that used it. */
  used_by?: string
}

/** Read one approval: what was asked, what it may cost and do, who can decide and who has. */
export interface MaximApprovalGetInput {
  /** The request to show. */
  approval_id: string
}

/** Answer of MAXIM approval_get. */
export interface MaximApprovalGetOutput {
  /** Names the request; the caller repeats the same call once it is approved. */
  approval_id: string
  /** APPROVED: the call may be made once, then USED. EXPIRED: not decided or not used in time. */
  state: "PENDING" | "APPROVED" | "USED" | "REFUSED" | "EXPIRED"
  /** Who wants to make the call. */
  caller: string
  /** As its own identity document says. */
  caller_name?: string
  /** Organization of the caller. */
  caller_tenant: string
  /** Protocol of the call. */
  protocol: string
  /** Operation of the call. */
  operation: string
  /** When the call was made and stopped. */
  requested_at: string
  /** Without a decision it expires then. */
  decide_until: string
  /** Once given: it may be used until then. */
  use_until?: string
  /** The most the call may cost. */
  cost_usd_max: string
  /** Consents that are still or were needed. */
  needs: Array<{
    /** In words. */
    who: string
    /** How many must consent. */
    count: number
    /** People and roles who may consent. */
    names: string[]
    /** What demands it: a policy, a caveat of the capability, or the tool. */
    by: "policy" | "caveat" | "tool"
    /** The policy, the capability or the tool that demands it. */
    ref: string
    /** How many have consented. */
    given: number
  }>
  /** Whether you can decide it now. */
  may_decide: boolean
  /** Version of the protocol. */
  version: string
  /** Organization in which the call would run. */
  target_tenant: string
  /** Request in whose records the stopped call is found. */
  correlation_id: string
  /** What was asked, where it is retained. */
  input?: unknown
  /** Hash of the input; only a call with this input is approved. */
  input_hash: string
  /** Size of the input. */
  input_bytes: number
  /** Fields of the input and their kinds. */
  input_shape: Record<string, string>
  /** What the call would do by its dry run: summary, read or write, and whether it acts outside. */
  effects: Record<string, unknown>
  /** Decisions made so far. */
  decisions: Array<{
    /** Who decided. */
    did: string
    /** Name of who decided; absent if none is on record. */
    name?: string
    /** What was decided. */
    decision: "approve" | "refuse"
    /** When it was decided. */
    at: string
    /** The decider's own words. */
    note?: string
  }>
  /** Why it ended early; absent if it did not. */
  ended_reason?: string
  /** The record of the call that used it. */
  used_by?: string
}

/** List the calls that wait for your approval, or your own calls that wait for others. */
export interface MaximApprovalsInput {
  /** Those you may decide, or those you asked for; default to_decide. */
  side?: "to_decide" | "requested"
  /** Only those in this state now. */
  state?: "PENDING" | "APPROVED" | "USED" | "REFUSED" | "EXPIRED"
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MAXIM approvals. */
export interface MaximApprovalsOutput {
  /** Requests for approval, newest first. */
  items: Array<{
    /** Names the request; the caller repeats the same call once it is approved. */
    approval_id: string
    /** APPROVED: the call may be made once, then USED. EXPIRED: not decided or not used in time. */
    state: "PENDING" | "APPROVED" | "USED" | "REFUSED" | "EXPIRED"
    /** Who wants to make the call. */
    caller: string
    /** As its own identity document says. */
    caller_name?: string
    /** Organization of the caller. */
    caller_tenant: string
    /** Protocol of the call. */
    protocol: string
    /** Operation of the call. */
    operation: string
    /** When the call was made and stopped. */
    requested_at: string
    /** Without a decision it expires then. */
    decide_until: string
    /** Once given: it may be used until then. */
    use_until?: string
    /** The most the call may cost. */
    cost_usd_max: string
    /** Consents that are still or were needed. */
    needs: Array<{
      /** In words. */
      who: string
      /** How many must consent. */
      count: number
      /** People and roles who may consent. */
      names: string[]
      /** What demands it: a policy, a caveat of the capability, or the tool. */
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
  /** Semantic version; greater than all before. */
  version: string
  /** When it takes effect; at most a year ahead. */
  active_from: string
  /** Verdict of your charter; absent: a fitting unused one is taken. */
  authority?: string
  /** True: the policy ends with this version; its body is empty. */
  retire?: boolean
  /** Why, for those who read it later. */
  rationale?: string
}

/** Answer of MAXIM author. */
export interface MaximAuthorOutput {
  /** Name of a policy. */
  policy_id: string
  /** Semantic version, greater than the previous one: 1.2.0. */
  version: string
  /** Hash of policy, version and start; the charter verdict binds it. */
  digest: string
  /** SCHEDULED: takes effect later. SUPERSEDED: a later version is in force. */
  state: "SCHEDULED" | "ACTIVE" | "SUPERSEDED" | "RETIRED"
  /** When it takes effect. */
  active_from: string
  /** Hash of all policies in force from then on. */
  set_digest: string
  /** Possible mistakes that Cedar found. */
  warnings: string[]
  /** Always true: charter members can still govern under it. */
  lockout_checked: true
}

/** Test a draft policy on the newest decisions in your audit log; nothing is enacted or stored. */
export interface MaximBacktestInput {
  /** Policy that the draft replaces or adds. */
  policy_id: string
  /** Cedar: 1 to 64 static policies of namespace Svc; empty to retire the policy. */
  policy_body: string
  /** Tests the removal of the policy. */
  retire?: boolean
  /** How many of the newest decisions in the audit log to test. */
  decisions?: number
  /** How far to look back, in days. */
  window_days?: number
  /** Only decisions about these protocols; absent: all. */
  protocols?: string[]
  /** Includes planned policies besides those in force. */
  include_scheduled?: boolean
}

/** Answer of MAXIM backtest. */
export interface MaximBacktestOutput {
  /** Name of a policy. */
  policy_id: string
  /** Possible mistakes that Cedar found. */
  warnings: string[]
  /** Time that was looked at; half-open: from <= t < to. */
  window: {
    /** First moment of the period. */
    from: string
    /** End of the period, itself not included. */
    to: string
  }
  /** Hash of the newest record of your audit log when it was read. */
  head: string
  /** Decisions looked at. */
  decisions: number
  /** Decisions that could be judged again. */
  evaluated: number
  /** Depend on facts that their records do not contain. */
  undecided: number
  /** Ended before any policy was evaluated. */
  unjudged: number
  /** Calls that today's policies deny with or without the draft; not its effect, so not counted below. */
  denied_anyway: number
  /** Calls that today's policies allow and the draft would deny. */
  would_flip_allow_to_deny: number
  /** Calls that today's policies deny and the draft would allow. */
  would_flip_deny_to_allow: number
  /** Newest first. */
  flips: Array<{
    /** The audit record of the decision. */
    record: string
    /** When it was made. */
    at: string
    /** Who called. */
    caller_did: string
    /** Protocol of the call. */
    protocol?: string
    /** Operation of the call. */
    operation?: string
    /** How the call ended. Refused: a rule did not allow it. */
    was: "success" | "refused" | "error"
    /** What the draft would decide. */
    would_be: "allow" | "deny"
    /** The policy that would deny it: maxim://<policy_id>@<version>. */
    by?: string
  }>
  /** The window contains older decisions that were not tested. */
  truncated: boolean
  /** Always false: nothing is enacted. */
  binding: false
}

/** Ask how the policies in force decide a case, which of them apply, and which facts are missing. */
export interface MaximConstitutionalInterpretationInput {
  /** What you want to know, in words; it does not change the result. */
  question?: string
  /** The call to judge. */
  scenario: {
    /** Who would call: an identity of your organization. */
    principal_did: string
    /** Protocol id as in the catalogue: MARKET. */
    protocol: string
    /** Operation of the protocol. */
    operation: string
    /** Facts of the call; what is absent may be reported as unknown. */
    context?: {
      /** Organization in which the call would run; default your own. */
      target_tenant?: string
      /** UTC hour of the day; default that of at. */
      hour?: number
      /** 1 is Monday. */
      weekday?: number
      /** How the call would arrive; default http. */
      origin?: "http" | "mcp" | "a2a" | "invoke" | "internal"
      /** Jurisdiction of the caller, such as DE; default that of its identity. */
      jurisdiction?: string
      /** Amount that the call moves, in micro-USD. */
      amount_micro_usd?: string
      /** Kind of action, as caveats name it. */
      action_kind?: string
      /** Treaty under which the call would be made. */
      treaty_id?: string
      /** Input of the call, where policies read it. */
      input?: Record<string, unknown>
    }
    /** When it would be made; default now. */
    at?: string
    /** If omitted, the operation counts as a write. */
    state_changing?: boolean
  }
  /** Judge by planned policies too. */
  include_scheduled?: boolean
}

/** Answer of MAXIM constitutional_interpretation. */
export interface MaximConstitutionalInterpretationOutput {
  /** approval_required: only a forbid that a person may lift stands against it. */
  decision: "allow" | "deny" | "approval_required"
  /** Policies that made the decision. */
  determining: Array<{
    /** Name of a policy. */
    policy_id: string
    /** Semantic version, greater than the previous one: 1.2.0. */
    version: string
    /** Whether it allows or denies. */
    effect: "permit" | "forbid"
    /** The policy in Cedar. */
    text: string
    /** Its @reason, given with a refusal. */
    reason?: string
    /** Its @appeal: where to contest it. */
    appeal?: string
    /** Whose consent lifts it, such as role:finance or 2 of anna,bob,cyd. */
    approval?: string
  }>
  /** Policies that could not be evaluated. */
  errors: Array<{
    /** Name of a policy. */
    policy_id: string
    /** Semantic version, greater than the previous one: 1.2.0. */
    version: string
    /** What it would have done. */
    effect: "permit" | "forbid"
    /** What Cedar reported. */
    message: string
  }>
  /** What would be decided without one of the policies. */
  counterfactuals: Array<{
    /** The policy left out. */
    without: string
    /** approval_required: only a forbid that a person may lift stands against it. */
    decision: "allow" | "deny" | "approval_required"
  }>
  /** Facts of the context that were not given and might matter. */
  unknown_inputs: string[]
  /** Records of earlier decisions about the same operation by the same kind of caller. */
  precedents: string[]
  /** Hash of the policies it was judged by. */
  set_digest: string
  /** Always false: it authorizes nothing. */
  binding: false
}

/** Rank the options of a dilemma by the policies in force and by the values they serve. */
export interface MaximDeliberateDilemmaInput {
  /** The conflict, in words. */
  dilemma: string
  /** What could be done; each once. */
  options: Array<{
    /** Your name for the option; the ranking uses it. */
    id: string
    /** What would be done. */
    description: string
    /** The call to check against the policies; absent: counts as lawful. */
    scenario?: {
      /** Who would call: an identity of your organization. */
      principal_did: string
      /** Protocol id as in the catalogue: MARKET. */
      protocol: string
      /** Operation of the protocol. */
      operation: string
      /** Facts of the call; what is absent may be reported as unknown. */
      context?: {
        /** Organization in which the call would run; default your own. */
        target_tenant?: string
        /** UTC hour of the day; default that of at. */
        hour?: number
        /** 1 is Monday. */
        weekday?: number
        /** How the call would arrive; default http. */
        origin?: "http" | "mcp" | "a2a" | "invoke" | "internal"
        /** Jurisdiction of the caller, such as DE; default that of its identity. */
        jurisdiction?: string
        /** Amount that the call moves, in micro-USD. */
        amount_micro_usd?: string
        /** Kind of action, as caveats name it. */
        action_kind?: string
        /** Treaty under which the call would be made. */
        treaty_id?: string
        /** Input of the call, where policies read it. */
        input?: Record<string, unknown>
      }
      /** When it would be made; default now. */
      at?: string
      /** If omitted, the operation counts as a write. */
      state_changing?: boolean
    }
    /** How the option serves or harms your values. */
    effects: Array<{
      /** Name of a listed value. */
      value: string
      /** Below zero harms the value, above serves it. */
      weight: number
    }>
  }>
  /** What matters, and how much. */
  values: Array<{
    /** Your name for the value; effects use it. */
    name: string
    /** Greater means more important. */
    priority: number
  }>
  /** Earlier decisions to cite at most. */
  precedent_limit?: number
}

/** Answer of MAXIM deliberate_dilemma. */
export interface MaximDeliberateDilemmaOutput {
  /** Names the stored deliberation. */
  dilemma_id: string
  /** Options that are not dominated, best first; unlawful ones last. */
  ranking: Array<{
    /** The option. */
    option_id: string
    /** Whether no policy forbids it. */
    lawful: boolean
    /** Sum of effect weights times priorities. */
    score: number
    /** Policies that forbid it. */
    violated: string[]
    /** Values it serves. */
    values_served: string[]
    /** Values it harms. */
    values_harmed: string[]
  }>
  /** The best option; absent if ambiguous. */
  recommendation?: string
  /** Options that another is at least as good as in every value. */
  dominated: Array<{
    /** The weaker option. */
    option_id: string
    /** The option that beats it. */
    by: string
  }>
  /** Whether the best two are too close, or none is lawful. */
  ambiguous: boolean
  /** The best argument for each option not recommended. */
  dissent: Array<{
    /** The option. */
    option_id: string
    /** What speaks for it. */
    argument: string
  }>
  /** Where to decide it; only if ambiguous. */
  escalate_to?: "MACE"
  /** Records of earlier decisions about the same operation by the same kind of caller. */
  precedents: string[]
  /** Hash of the policies in force. */
  set_digest: string
  /** Always false: it authorizes nothing. */
  binding: false
}

/** List the policies of your organization by version, or read one in full with its Cedar text. */
export interface MaximListInput {
  /** Only versions of this policy. */
  policy_id?: string
  /** Only this version. */
  version?: string
  /** Only versions in this state now. */
  state?: "SCHEDULED" | "ACTIVE" | "SUPERSEDED" | "RETIRED"
  /** Only with policy_id; applies to the newest matching version. */
  include_detail?: boolean
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MAXIM list. */
export interface MaximListOutput {
  /** Versions of policies, newest first. */
  items: Array<{
    /** Name of a policy. */
    policy_id: string
    /** Semantic version, greater than the previous one: 1.2.0. */
    version: string
    /** Position among the versions of the policy. */
    ordinal: number
    /** SCHEDULED: takes effect later. SUPERSEDED: a later version is in force. RETIRED: ended by a version. */
    state: "SCHEDULED" | "ACTIVE" | "SUPERSEDED" | "RETIRED"
    /** Hash of policy, version and start; the charter verdict binds it. */
    digest: string
    /** Whether this version ends the policy. */
    retires: boolean
    /** When it takes effect. */
    active_from: string
    /** When a later version replaces or replaced it. */
    active_until?: string
    /** Who enacted it. */
    authored_by: string
    /** When it was enacted. */
    authored_at: string
    /** Verdict that authorized it. */
    authority: string
    /** Why, in its author's words. */
    rationale?: string
    /** Length of the text. */
    characters: number
    /** Text, validation and versions; with include_detail. */
    detail?: {
      /** The policy in Cedar; empty if it retires the policy. */
      policy_body: string
      /** Validation of the text against the current schema. */
      validation: {
        /** Number of Cedar policies in the text. */
        policies: number
        /** What makes it invalid. */
        faults: Array<{
          /** What is wrong. */
          message: string
          /** In UTF-16 units. */
          from?: number
          /** End of the place in the text, in UTF-16 units. */
          to?: number
        }>
        /** Possible mistakes. */
        warnings: Array<{
          /** What is wrong. */
          message: string
          /** In UTF-16 units. */
          from?: number
          /** End of the place in the text, in UTF-16 units. */
          to?: number
        }>
      }
      /** Versions of this policy, newest first. */
      versions: Array<{
        /** Semantic version, greater than the previous one: 1.2.0. */
        version: string
        /** Position among the versions of the policy. */
        ordinal: number
        /** SCHEDULED: takes effect later. SUPERSEDED: a later version is in force. RETIRED: ended by a version. */
        state: "SCHEDULED" | "ACTIVE" | "SUPERSEDED" | "RETIRED"
        /** Hash of policy, version and start; the charter verdict binds it. */
        digest: string
        /** Whether this version ends the policy. */
        retires: boolean
        /** When it takes effect. */
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
  /** What to list: plugins, or external endpoints. */
  kind?: "plugins" | "endpoints"
  /** Only those in this state. */
  state?: "Pending" | "Registered" | "Disabled" | "Error" | "Removed" | "serving" | "failing" | "breaker_open" | "probing" | "disabled" | "unused"
  /** Only those that serve this protocol, in any letter case. */
  protocol?: string
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MAZE list. */
export interface MazeListOutput {
  /** Installed plugins, newest first; absent where endpoints are listed. */
  plugins?: Array<{
    /** As MAZE topology names it. */
    id: string
    /** Name in the plugin's manifest. */
    name: string
    /** Version in the plugin's manifest. */
    version: string
    /** Registered ones serve calls; only the operator sees the others. */
    state: "Pending" | "Registered" | "Disabled" | "Error" | "Removed"
    /** Since when it is in this state. */
    since: string
    /** Protocol it adds; absent where it adds none. */
    protocol?: string
    /** Type as in its manifest. */
    plugin_type?: string
    /** Operations it adds. */
    operations: string[]
    /** Shown only to the organization that runs this engine. */
    reason?: string
    /** Shown only to the organization that runs this engine. */
    why?: string
    /** What it was allowed to use. Shown only to the organization that runs this engine. */
    capabilities?: string[]
    /** Shown only to the organization that runs this engine. */
    digest?: string
    /** Shown only to the organization that runs this engine. */
    signed_by?: string
    /** Shown only to the organization that runs this engine. */
    signed_at?: string
  }>
  /** External endpoints, newest first; absent where plugins are listed. */
  endpoints?: Array<{
    /** As MAZE topology names it. */
    id: string
    /** Protocol it answers for. */
    protocol: string
    /** Version of the protocol it answers for. */
    version: string
    /** adapter: a node of OAS, Arsenal or Aegis; external: registered by the operator. */
    kind: "adapter" | "external"
    /** Whether calls are sent to it now. */
    state: "serving" | "failing" | "breaker_open" | "probing" | "disabled" | "unused"
    /** Reason for the state, in a sentence. */
    why: string
    /** When it was registered; absent for adapters. */
    registered_at?: string
    /** Operations it answers; empty for adapters. */
    operations: string[]
    /** Shown only to the organization that runs this engine. */
    endpoint?: string
    /** Identity of the service behind it; absent where it has none. */
    did?: string
    /** Whether each answer must be signed, or is trusted by its address. */
    answers?: "signed" | "unsigned"
    /** It is called only while this treaty is in force. */
    treaty_id?: string
    /** How long the engine waits for an answer. Shown only to the operator. */
    timeout_ms?: number
    /** Its share of the calls among endpoints of the same protocol. Shown only to the operator. */
    weight?: number
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Prove that a record is in your log, that the log is append-only, or what a segment of it contains. */
export interface MazeProveInput {
  /** inclusion of a record; consistency of two sizes; segment: the hashes of a range. */
  kind: "inclusion" | "consistency" | "segment"
  /** Record to prove, by its hash; for inclusion. */
  record_hash?: string
  /** Record to prove, by its request; for inclusion. */
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
  /** What is proved, as asked. */
  kind: "inclusion" | "consistency" | "segment"
  /** Of the record, or of the first of a segment. */
  leaf_index?: number
  /** A number of records, counted from the first. */
  tree_size: number
  /** Root of the tree of tree_size records. */
  root_hash: string
  /** RFC 9162 nodes that lead to root_hash. */
  proof: string[]
  /** The 32 bytes of record_hash are the data of the leaf. */
  leaf?: {
    /** Hash of the record. */
    record_hash: string
    /** sha256 of the hash before it and the canonical text stored now; another than record_hash where it was written over. */
    canonical_commitment: string
  }
  /** A number of records, counted from the first. */
  first_size?: number
  /** Root of the tree of first_size records; for consistency. */
  first_root?: string
  /** Hashes of the records asked for, in order. */
  segment?: Array<{
    /** The place of a record, from 1. */
    seq: number
    /** Hash of the record. */
    record_hash: string
    /** sha256 of the hash before it and the canonical text stored now; another than record_hash where it was written over. */
    canonical_commitment: string
  }>
  /** Of the record before the segment, proved with it; 64 zeros where there is none. */
  previous_hash?: string
  /** C2SP signed note over this tree or a larger one; none while there are no records. */
  checkpoint?: string
  /** Consistency of this tree with that of the checkpoint, where that is larger. */
  checkpoint_proof?: string[]
  /** How to verify the proof. */
  verify: {
    /** RFC 9162 with SHA-256: leaves are hashed after a byte 0, nodes after a byte 1. */
    algorithm: "RFC9162-SHA256"
  }
}

/** Show the mesh around a node: what there is, who calls whom, and what holds it together. */
export interface MazeTopologyInput {
  /** A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name. */
  root?: string
  /** Steps from the root. */
  depth?: number
  /** Parts of the mesh to show. Default all; treaties only with verified lineage (L1). */
  include?: Array<"protocols" | "endpoints" | "agents" | "treaties" | "plugins" | "tools" | "devices" | "workflows">
  /** The mesh as it stood then; default now. */
  at?: string
  /** Find the best path between two nodes. */
  path?: {
    /** A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name. */
    from: string
    /** A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name. */
    to: string
    /** What to minimize: hops (default), latency, or distrust. */
    by?: "hops" | "latency" | "trust"
  }
  /** What to compute over the shown mesh. */
  analysis?: Array<"components" | "articulation" | "betweenness" | "reachability">
  /** Nodes at most. */
  limit?: number
}

/** Answer of MAZE topology. */
export interface MazeTopologyOutput {
  /** Nodes within reach of the root, sorted by id. */
  nodes: Array<{
    /** A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name. */
    id: string
    /** What the node stands for. */
    kind: "organization" | "engine" | "protocol" | "endpoint" | "agent" | "plugin" | "tool" | "device" | "workflow"
    /** Name to show. */
    label: string
    /** Its current state, in words of its kind. */
    state: string
    /** Null if it was never probed. */
    health: number | null
  }>
  /** Relations between the shown nodes. */
  edges: Array<{
    /** A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name. */
    from: string
    /** A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name. */
    to: string
    /** calls; treaty; delegates capabilities; hosts; mirrors: endpoints of the same protocol. */
    kind: "calls" | "treaty" | "delegates" | "hosts" | "mirrors"
    /** Calls, grants or capabilities; 1 where nothing is counted. */
    weight: number
    /** Calls in the last 24 hours. */
    calls_24h?: number
    /** Median latency of those calls, in milliseconds. */
    p50_ms?: number
    /** Share of those calls that failed. */
    error_rate?: number
    /** State of the circuit breaker between the two: CLOSED, OPEN or HALF_OPEN. */
    breaker?: string
  }>
  /** The path that was asked for. */
  path?: {
    /** What was minimized. */
    by: "hops" | "latency" | "trust"
    /** Whether there is a path at all. */
    reachable: boolean
    /** Nodes of the path in order; empty where there is none. */
    nodes: string[]
    /** Number of edges of the path. */
    hops?: number
    /** Hops, milliseconds, or minus the logarithm of trust. */
    cost?: number
  }
  /** The analyses that were asked for. */
  analysis?: {
    /** Groups of nodes that are connected among themselves, by node id. */
    components?: Array<string[]>
    /** Nodes without which the mesh falls into parts. */
    articulation?: string[]
    /** Nodes on the most shortest paths, highest first. */
    betweenness?: Array<{
      /** A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name. */
      id: string
      /** Share of the shortest paths that pass through it. */
      score: number
    }>
    /** The mesh is large: scores come from a sample of the nodes. */
    betweenness_estimated?: boolean
    /** Nodes that can be reached from the root. */
    reachability?: Array<{
      /** A DID, or tenant:, engine:, protocol:, endpoint:, plugin:, tool:, workflow: and a name. */
      id: string
      /** Edges from the root. */
      hops: number
    }>
  }
  /** Nodes or edges were left out because of a limit. */
  truncated: boolean
  /** The time that the answer describes. */
  as_of: string
}

/** Set tier and credit of an organization, and close or settle its periods; for the operator alone. */
export interface MealAdminInput {
  /** What to change: tier, credit, or the invoice of a period. */
  action: "set_tier" | "grant_credit" | "set_credit_line" | "close_period" | "mark_settled" | "write_off"
  /** Organization that is billed. */
  tenant_id: string
  /** Charter verdict that allows it; not needed to close a month that has ended. */
  authority?: string
  /** New tier; for set_tier. */
  tier?: "sandbox" | "charter" | "institution" | "sovereign"
  /** US dollars with at most six decimal places, best as a string. */
  amount_usd?: string | number
  /** Half-open: from <= t < to. */
  period?: {
    /** First moment of the period. */
    from: string
    /** End of the period, itself not included. */
    to: string
  }
  /** Settled MADE contract that paid the invoice; for mark_settled. */
  contract_id?: string
}

/** Answer of MEAL admin. */
export interface MealAdminOutput {
  /** What was done. */
  action: "set_tier" | "grant_credit" | "set_credit_line" | "close_period" | "mark_settled" | "write_off"
  /** Organization that is billed. */
  tenant_id: string
  /** Charter verdict that was used. */
  authority?: string
  /** Tier from now on; for set_tier. */
  tier?: "sandbox" | "charter" | "institution" | "sovereign"
  /** Tier before; for set_tier. */
  previous_tier?: "sandbox" | "charter" | "institution" | "sovereign"
  /** US dollars with six decimal places. */
  amount_usd?: string
  /** The amount in whole millionths of a US dollar. */
  amount_micro_usd?: string
  /** Null: the default of the tier. */
  credit_line_usd?: string | null
  /** Ledger journal that booked it; absent where no money moved. */
  journal_id?: string
  /** The invoice after the action. */
  invoice?: {
    /** Names the invoice: meal://invoice/<tenant>/<start of the period>. */
    invoice_id: string
    /** Organization that is billed. */
    tenant_id: string
    /** Half-open: from <= t < to. */
    period: {
      /** First moment of the period. */
      from: string
      /** End of the period, itself not included. */
      to: string
    }
    /** CLOSED: issued and not yet paid; SETTLED; OVERDUE; DISPUTED. */
    state: "CLOSED" | "SETTLED" | "OVERDUE" | "DISPUTED"
    /** US dollars with six decimal places. */
    amount_usd: string
    /** Amount of the invoice, in whole millionths of a US dollar. */
    amount_micro_usd: string
    /** US dollars with six decimal places. */
    due_usd: string
    /** What is still to be paid, in whole millionths of a US dollar. */
    due_micro_usd: string
    /** Metered events it charges. */
    event_count: number
    /** Merkle root of the metered events it charges. */
    events_root: string
    /** Hash of the statement it was made from. */
    statement_hash: string
    /** When it was issued. */
    issued_at: string
    /** When it has to be paid. */
    due_at: string
    /** When it was paid; absent until then. */
    settled_at?: string
    /** MADE contract that paid it; absent until then. */
    contract_id?: string
    /** The operator gave up the amount due. */
    written_off: boolean
  }
}

/** Give an organization prices of its own from a moment on; for the operator alone. */
export interface MealAdminSetRateInput {
  /** Organization whose rate changes. */
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
  /** From when the new rate counts. */
  effective_from: string
  /** Charter verdict of the operator for exactly this change. */
  authority: string
}

/** Answer of MEAL admin_set_rate. */
export interface MealAdminSetRateOutput {
  /** Number of the new rate. */
  rate_version: number
  /** The version it takes the place of; 0 is the base rate. */
  previous: number
  /** From when the new rate counts. */
  effective_from: string
}

/** Report usage of a service outside, once for each event id. */
export interface MealMeterInput {
  /** Chosen by you: the same id counts once. */
  event_id: string
  /** Organization that used it. */
  tenant_id: string
  /** External protocol that reports its own usage. */
  protocol: string
  /** Operation that was performed. */
  operation: string
  /** Call that caused the usage. */
  correlation_id: string
  /** Tokens read. Default 0. */
  tokens_in?: number
  /** Tokens written. Default 0. */
  tokens_out?: number
  /** Time the operation took. */
  milliseconds: number
  /** Energy used, in millionths of a watt-hour. Default 0. */
  energy_uwh?: number
  /** When it was used. */
  occurred_at: string
  /** Where the call came from, such as http or mcp; statements group by it. */
  origin?: string
}

/** Answer of MEAL meter. */
export interface MealMeterOutput {
  /** The event that was reported. */
  event_id: string
  /** In 10^-19 USD. */
  charge_quanta: string
  /** The usage is counted. */
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
    /** First moment of the period. */
    from: string
    /** End of the period, itself not included. */
    to: string
  }
  /** Add what is missing; needs svc.meal.admin. */
  repair?: boolean
}

/** Answer of MEAL reconcile. */
export interface MealReconcileOutput {
  /** Every check holds. */
  balanced: boolean
  /** What was compared. */
  checks: Array<{
    /** What must hold. */
    name: string
    /** Whether it holds. */
    ok: boolean
    /** holds, or how many faults were found. */
    detail: string
  }>
  /** Single differences that were found. */
  drift: Array<{
    /** Usage not metered, metered without a call, or twice; or a wrong charge, journal or balance. */
    kind: "missing_meter" | "orphan_meter" | "charge_mismatch" | "duplicate" | "journal_mismatch" | "balance_cache"
    /** Record, event, journal, account or invoice that is off. */
    ref: string
    /** What it should be. */
    expected: string
    /** What it is. */
    actual: string
  }>
  /** How far the books are apart, in whole millionths of a US dollar. */
  drift_micro_usd: string
  /** Audit record of the drift; absent where all is balanced. */
  unbalanced_record?: string
  /** How many rows were added or are made again. */
  repaired?: number
}

/** Get an exact statement of what your organization used and owes in a period. */
export interface MealStatementInput {
  /** Organization whose usage is added up. */
  tenant_id: string
  /** Half-open: from <= t < to. */
  period: {
    /** First moment of the period. */
    from: string
    /** End of the period, itself not included. */
    to: string
  }
  /** Adds a group for each operation where no other is asked for. */
  include_breakdown?: boolean
  /** Also return sums for each combination of these. */
  group_by?: Array<"protocol" | "operation" | "agent" | "department" | "day" | "origin">
}

/** Answer of MEAL statement. */
export interface MealStatementOutput {
  /** Sums over the period. */
  totals: {
    /** Number of calls. */
    calls: number
    /** Tokens read and written. */
    tokens: number
    /** Time the calls took. */
    seconds: number
    /** Energy in kilowatt-hours. */
    watts_kWh: number
    /** US dollars with six decimal places. */
    amount_usd: string
    /** What it costs, in whole millionths of a US dollar. */
    amount_micro_usd: string
    /** Before rounding, in 10^-19 USD. */
    quanta: string
  }
  /** Sums for each protocol; they add up to the totals. */
  by_protocol: Array<{
    /** Protocol id. */
    protocol: string
    /** Number of calls. */
    calls: number
    /** Tokens read and written. */
    tokens: number
    /** Time the calls took. */
    seconds: number
    /** Energy in kilowatt-hours. */
    watts_kWh: number
    /** US dollars with six decimal places. */
    amount_usd: string
    /** What it costs, in whole millionths of a US dollar. */
    amount_micro_usd: string
  }>
  /** Sums for each combination of group_by. */
  groups?: Array<{
    /** What the group has in common. */
    key: {
      /** Protocol that was called. */
      protocol?: string | null
      /** Operation that was called. */
      operation?: string | null
      /** DID of the caller. */
      agent?: string | null
      /** Department whose envelope paid; null where none did. */
      department?: string | null
      /** Day in UTC, as YYYY-MM-DD. */
      day?: string | null
      /** Where the calls came from, such as http or mcp; null where unknown. */
      origin?: string | null
    }
    /** Number of calls. */
    calls: number
    /** Tokens read and written. */
    tokens: number
    /** Time the calls took. */
    seconds: number
    /** Energy in kilowatt-hours. */
    watts_kWh: number
    /** US dollars with six decimal places. */
    amount_usd: string
    /** What it costs, in whole millionths of a US dollar. */
    amount_micro_usd: string
  }>
  /** State of the invoices of the period; open while a part of it has none. */
  settlement_status: "open" | "invoiced" | "settled" | "overdue" | "disputed"
  /** When the next invoice is issued. */
  next_invoice_at: string
  /** Rates that were applied. */
  rate_versions: Array<{
    /** Number of the rate; 0 is the base rate. */
    version: number
    /** From when it counts; absent for the base rate. */
    effective_from?: string
    /** USD for a million tokens. */
    tokens_per_million_usd: string
    /** USD for a million seconds. */
    seconds_per_million_usd: string
    /** USD for a kilowatt-hour. */
    watts_per_kwh_usd: string
  }>
  /** Metered events in the period. */
  event_count: number
  /** Merkle root of the metered events of the period. */
  events_root: string
  /** Hash of this statement; the same usage gives the same hash. */
  statement_hash: string
}

/** Evaluate an action by rules, its effects on others, and its alternatives. */
export interface MeritEvaluateEthicsInput {
  /** What is to be judged. */
  action: {
    /** In a word or two, or as PROTOCOL.operation: policies are evaluated for it. */
    kind: string
    /** What would be done, in words. */
    description: string
    /** Who would act; default: the caller. */
    actor_did?: string
    /** What it would be done to. */
    target_ref?: string
    /** Whom it helps or harms, the actor too. Where nobody is named, people must decide. */
    affected?: Array<{
      /** A DID or a name; actor is whoever acts. */
      party: string
      /** What is helped or harmed. */
      interest: "life" | "health" | "liberty" | "dignity" | "privacy" | "environment" | "property" | "economic"
      /** From the worst (-1) to the best (1); default: the worst. */
      magnitude?: number
      /** How likely it is, 0 to 1. */
      probability?: number
      /** Whether the party agreed; a loss, and any effect on life, health or liberty, needs yes or no. */
      consent?: "yes" | "no" | "unknown"
    }>
    /** Whether it can be undone. */
    reversible: boolean
    /** Duties that apply: treaties (moat://<treaty_id>) and policies (maxim://<id>). */
    duty_refs?: string[]
  }
  /** What could be done instead. */
  alternatives?: Array<{
    /** In a word or two, or as PROTOCOL.operation: policies are evaluated for it. */
    kind: string
    /** What would be done, in words. */
    description: string
    /** Who would act; default: the caller. */
    actor_did?: string
    /** What it would be done to. */
    target_ref?: string
    /** Whom it helps or harms, the actor too. Where nobody is named, people must decide. */
    affected?: Array<{
      /** A DID or a name; actor is whoever acts. */
      party: string
      /** What is helped or harmed. */
      interest: "life" | "health" | "liberty" | "dignity" | "privacy" | "environment" | "property" | "economic"
      /** From the worst (-1) to the best (1); default: the worst. */
      magnitude?: number
      /** How likely it is, 0 to 1. */
      probability?: number
      /** Whether the party agreed; a loss, and any effect on life, health or liberty, needs yes or no. */
      consent?: "yes" | "no" | "unknown"
    }>
    /** Whether it can be undone. */
    reversible: boolean
    /** Duties that apply: treaties (moat://<treaty_id>) and policies (maxim://<id>). */
    duty_refs?: string[]
  }>
  /** Principles that count; default all six, each with weight 1. */
  principles?: Array<{
    /** non_maleficence: do no harm. fidelity: keep duties. precaution: avoid what cannot be undone. */
    id: "beneficence" | "non_maleficence" | "autonomy" | "justice" | "fidelity" | "precaution"
    /** How much it counts. */
    weight?: number
  }>
  /** maxim://<policy_id>, or one version with @1.2.0. */
  policy_refs?: string[]
  /** Only permitted actions are certified. */
  issue_credential?: boolean
  /** Who is certified; with issue_credential. */
  subject_did?: string
}

/** Answer of MERIT evaluate_ethics. */
export interface MeritEvaluateEthicsOutput {
  /** The stored evaluation. */
  evaluation_ref: string
  /** prohibit: a rule forbids it. review: people must decide. */
  verdict: "prohibit" | "review" | "permit_with_conditions" | "permit"
  /** How the action fares by each principle. */
  principles: Array<{
    /** non_maleficence: do no harm. fidelity: keep duties. precaution: avoid what cannot be undone. */
    id: "beneficence" | "non_maleficence" | "autonomy" | "justice" | "fidelity" | "precaution"
    /** From -1, strongly against, to 1, strongly for. */
    score: number
    /** What the score rests on. */
    reasons: string[]
  }>
  /** Rules that forbid it. */
  violated: Array<{
    /** The policy or built-in rule. */
    rule_ref: string
    /** What it forbids, in words. */
    text: string
  }>
  /** What the permission depends on. */
  conditions: Array<{
    /** Get consent, estimate effects, take precautions, or take the better alternative. */
    kind: "consent" | "estimate" | "precaution" | "alternative"
    /** What to do, in words. */
    text: string
  }>
  /** What must be known first. While something is missing nothing is permitted. */
  missing: Array<{
    /** The field of the action that is missing. */
    field: "affected" | "magnitude" | "consent"
    /** What to say, in words. */
    text: string
  }>
  /** What the description tells of that people must decide, or that no stated effect answers for. */
  read: Array<{
    /** The harm, concern or model. */
    ref: string
    /** What was read, and what to do. */
    text: string
    /** Words it was read from; none: by its meaning. */
    words: string[]
  }>
  /** The best of the alternatives; absent: none is better. */
  best_alternative?: {
    /** Its place in alternatives, from 0. */
    index: number
    /** prohibit: a rule forbids it. review: people must decide. */
    verdict: "prohibit" | "review" | "permit_with_conditions" | "permit"
    /** Welfare of all it affects; losses count more than gains. */
    welfare: number
    /** Nobody is worse off than with the action. */
    dominates: boolean
  }
  /** Principles against the verdict. */
  dissent: Array<{
    /** The principle. */
    principle: "beneficence" | "non_maleficence" | "autonomy" | "justice" | "fidelity" | "precaution"
    /** From -1, strongly against, to 1, strongly for. */
    score: number
    /** What it objects to. */
    reason: string
  }>
  /** Welfare of all affected parties; losses count more than gains. */
  welfare: number
  /** Standard deviation of welfare. */
  spread: number
  /** Two principles are equally strong in opposite directions. */
  ambiguous: boolean
  /** Explanation of an ambiguous case by a model; absent: none. */
  rationale?: {
    /** The explanation. */
    text: string
    /** Name of the model. */
    model: string
    /** Always false: nobody checked it. */
    verified: false
  }
  /** Always false: it authorizes nothing. */
  binding: false
  /** W3C Verifiable Credential 2.0 with an eddsa-jcs-2022 proof: checked offline. */
  credential?: {
    /** Vocabulary of the fields, as W3C requires it. */
    "@context": Array<"https://www.w3.org/ns/credentials/v2">
    /** Names a credential: merit://credential/<id>. */
    id: string
    /** What it is, as W3C names it. */
    type: Array<"VerifiableCredential" | "MeritCredential">
    /** Who certifies. */
    issuer: string
    /** It is valid from then on. */
    validFrom: string
    /** It is valid until then. */
    validUntil: string
    /** Who and what is certified. */
    credentialSubject: {
      /** Who is certified. */
      id: string
      /** Evaluation it rests on. */
      evaluation: string
      /** The action that was evaluated: nothing else is certified. */
      action: {
        /** Its kind. */
        kind: string
        /** What was to be done, in the words that were judged. */
        description: string
        /** What it was to be done to. */
        target_ref?: string
      }
      /** Result of the evaluation. */
      verdict: "permit" | "permit_with_conditions"
      /** What the permission depends on; the evaluation says it in words. */
      conditions: Array<"consent" | "estimate" | "precaution" | "alternative">
    }
    /** Where to check that it was not withdrawn. */
    credentialStatus: Array<{
      /** The list and the place in it. */
      id: string
      /** Kind of status, as W3C names it. */
      type: "BitstringStatusListEntry"
      /** What the list is about. */
      statusPurpose: "revocation" | "suspension"
      /** Place of this credential in the list. */
      statusListIndex: string
      /** The public list to check. */
      statusListCredential: string
    }>
    /** Signature; checked offline. */
    proof: {
      /** Kind of proof, as W3C names it. */
      type: "DataIntegrityProof"
      /** How it is made: Ed25519 over canonical JSON. */
      cryptosuite: "eddsa-jcs-2022"
      /** When it was signed. */
      created: string
      /** Key that signed, as did:key: all that a check needs. */
      verificationMethod: string
      /** What the signature says: that this is so, or who signs. */
      proofPurpose: "assertionMethod" | "authentication"
      /** Issuer, if another key signs on its behalf. */
      controller?: string
      /** Multibase base58btc. */
      proofValue: string
      /** Vocabulary of the signed document. */
      "@context": string[]
    }
  }
  /** Why no credential was issued although requested. */
  credential_withheld?: string
}

/** List the credentials your organization issued, with their states. */
export interface MeritListInput {
  /** Only this credential. */
  credential_ref?: string
  /** Only credentials of this identity. */
  subject_did?: string
  /** Only credentials in this state now. */
  state?: "valid" | "suspended" | "revoked" | "expired"
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MERIT list. */
export interface MeritListOutput {
  /** Credentials of your organization, newest first. */
  items: Array<{
    /** Names the credential. */
    credential_ref: string
    /** The worst that applies; suspended may become valid again. */
    state: "valid" | "suspended" | "revoked" | "expired"
    /** Who is certified. */
    subject_did: string
    /** Who certifies. */
    issuer_did: string
    /** Evaluation it rests on. */
    evaluation_ref: string
    /** When it was issued. */
    issued_at: string
    /** It is valid until then. */
    valid_until: string
    /** Public lists of revoked and of suspended credentials. */
    status_lists: string[]
    /** Place of this credential in both lists. */
    index: number
    /** How it was revoked; absent: it was not. */
    revoked?: {
      /** When it was withdrawn. */
      at: string
      /** Why. */
      reason: string
      /** What authorized it. */
      authority: string
      /** Who did it. */
      by: string
    }
    /** The last suspension, even if it has ended. */
    suspended?: {
      /** When it was withdrawn. */
      at: string
      /** Why. */
      reason: string
      /** What authorized it. */
      authority: string
      /** Who did it. */
      by: string
      /** When the suspension ends or ended. */
      until: string
    }
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** List the duties and harms that actions of your organization are read against. */
export type MeritListConcernsInput = Record<string, never>

/** Answer of MERIT list_concerns. */
export interface MeritListConcernsOutput {
  /** All of them, by name. */
  items: Array<{
    /** Names the concern within your organization. */
    name: string
    /** What must be done or left, or what must not happen to anybody. */
    kind: "duty" | "harm"
    /** The duty or harm, in English: descriptions whose meaning is near are found. */
    text: string
    /** Words or short phrases that show it; a star matches any ending, as in refund*. */
    words?: string[]
    /** Whoever set it last. */
    set_by: string
    /** When it was set last. */
    set_at: string
  }>
}

/** Remove a duty or harm; actions are no longer read against it. */
export interface MeritRemoveConcernInput {
  /** Names the concern within your organization. */
  name: string
  /** Why, for the audit log. */
  reason?: string
}

/** Answer of MERIT remove_concern. */
export interface MeritRemoveConcernOutput {
  /** Names the concern within your organization. */
  name: string
  /** From when on it no longer counts. */
  removed_at: string
}

/** Revoke or suspend a credential, by an authority that covers it. */
export interface MeritRevokeInput {
  /** Credential to withdraw. */
  credential_ref: string
  /** expired_basis: what it rests on no longer holds. order: somebody entitled demands it. */
  reason: "error" | "misconduct" | "expired_basis" | "superseded" | "order"
  /** The DID of the issuer, who must be the caller; a MACE verdict that binds MERIT.revoke to the credential or its subject; or a final MOOT ruling, as moot://ruling/<id> or moot://case/<id>. */
  authority: string
  /** Revocation is for good; suspension ends at until. */
  purpose?: "revocation" | "suspension"
  /** When the suspension ends; required for a suspension, not allowed otherwise. */
  until?: string
}

/** Answer of MERIT revoke. */
export interface MeritRevokeOutput {
  /** The credential. */
  credential_ref: string
  /** Its status from now on. */
  status: "revoked" | "suspended"
  /** Public list that says so. */
  status_list_ref: string
  /** The public signed list in MARS query_registry. */
  registered: string
  /** Its place in the list. */
  index: number
  /** When it was withdrawn; the first time if it was already. */
  revoked_at: string
  /** When the suspension ends. */
  until?: string
  /** What authorized it. */
  authority: string
}

/** List a duty or harm of your organization: actions that touch it are left to people. */
export interface MeritSetConcernInput {
  /** Names the concern within your organization. */
  name: string
  /** What must be done or left, or what must not happen to anybody. */
  kind: "duty" | "harm"
  /** The duty or harm, in English: descriptions whose meaning is near are found. */
  text: string
  /** Words or short phrases that show it; a star matches any ending, as in refund*. */
  words?: string[]
}

/** Answer of MERIT set_concern. */
export interface MeritSetConcernOutput {
  /** Names the concern within your organization. */
  name: string
  /** From when on it counts. */
  set_at: string
}

/** List mailboxes with what waits, is in flight or is dead in them; without their content. */
export interface MimListInput {
  /** A DID, mailbox:<name>, topic:<name>, or topic:<name>/<subscription>. */
  mailbox?: string
  /** Mailboxes with unfinished messages, or with dead letters. */
  holding?: "waiting" | "dead"
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MIM list. */
export interface MimListOutput {
  /** Mailboxes and subscriptions you may receive from, and topics you may subscribe to; charter members see all. */
  items: Array<{
    /** A DID, mailbox:<name>, topic:<name>, or topic:<name>/<subscription>. */
    mailbox: string
    /** Who owns the mailbox; absent until it is declared, or somebody receives from it. */
    owner_did?: string
    /** Who else may receive from it. */
    delegates: string[]
    /** Of a topic, for its owner and those who may subscribe. */
    topic?: {
      /** All of the organization, or these identities. */
      publishers: "organization" | string[]
      /** All of the organization, or these identities. */
      subscribers: "organization" | string[]
      /** How long it keeps a message. */
      retention_ms: number
      /** How many there are. */
      subscriptions: number
    }
    /** Of a subscription: messages not yet read from its topic, those that have ended included. */
    unread?: number
    /** Of a subscription: messages that expired, or that a full topic dropped, unread. */
    missed?: number
    /** When it was opened. */
    opened_at: string
    /** Messages to be handed out, now or after their delay. */
    waiting: number
    /** Delivered, and the visibility timeout has not ended. */
    in_flight: number
    /** QoS 2: acked and not yet released. */
    unreleased: number
    /** Dead letters. */
    dead: number
    /** Size of its unfinished messages and dead letters. */
    bytes: number
    /** When the oldest waiting message was sent; absent where none waits. */
    oldest_waiting_at?: string
    /** When the oldest dead letter was sent; absent where there is none. */
    oldest_dead_at?: string
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Say whose a mailbox with a name is, and who else receives from it. */
export interface MimMailboxDeclareInput {
  /** mailbox:<name>, a mailbox of your organization. */
  mailbox: string
  /** Whose it is: an identity of your organization. Default you. */
  owner_did?: string
  /** Who else may receive from it, from now on. Absent: as before. */
  delegates?: string[]
}

/** Answer of MIM mailbox_declare. */
export interface MimMailboxDeclareOutput {
  /** mailbox:<name>, a mailbox of your organization. */
  mailbox: string
  /** Whose it is. */
  owner_did: string
  /** Who else may receive from it. */
  delegates: string[]
}

/** Receive messages, and acknowledge those received before. */
export interface MimMessageReceiveInput {
  /** Your own DID where absent. topic:<name>/<subscription> receives from a topic. A name that was not declared for anybody is yours once you receive from it. */
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
  /** Messages you could not process; they are delivered again or become dead letters. */
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
  /** Hand out only messages that match all of these. */
  filter?: {
    /** Only messages of this conversation. */
    thread_id?: string
    /** Only messages of this sender. */
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
  /** Messages handed out, or shown in the modes peek and dead. */
  messages: Array<{
    /** Names the message. */
    message_id: string
    /** From a topic: names the message there, the same for all subscriptions. */
    published_id?: string
    /** Absent with QoS 0 and peek: there is nothing to answer. */
    receipt?: string
    /** Who sent it. */
    from: string
    /** Content as it was sent; absent where it is encrypted. */
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
    /** A DID; or mailbox:<name> or topic:<name>, a mailbox or topic of this organization with a name. */
    reply_to?: string
    /** Groups messages of one conversation. */
    thread_id?: string
    /** How it is delivered: 0 at most once, 1 at least once, 2 exactly once. */
    qos: number
    /** Increases by one for each message of its mailbox and ordering_key. */
    seq: number
    /** How often it has been handed out, this time included. */
    attempt: number
    /** Higher ones are delivered first. */
    priority: number
    /** Bytes of the body and headers. */
    size: number
    /** When it was sent. */
    sent_at: string
    /** When it is removed if nobody received it. */
    expires_at: string
    /** Why it is a dead letter: handed out too often, or rejected by a receiver. */
    dead_reason?: "max_deliveries" | "rejected"
    /** Reason that its last nack gave. */
    nack_reason?: string
  }>
  /** QoS 2: acked and not yet released, by whomever; only to be released. */
  unreleased: Array<{
    /** The message that waits for its release. */
    message_id: string
    /** Identifies one delivery of a message; the next delivery has another receipt. */
    receipt: string
  }>
  /** Receipts whose ack took effect. */
  acked: string[]
  /** Receipts whose release took effect. */
  released: string[]
  /** Receipts whose nack took effect. */
  nacked: string[]
  /** Receipts that count no more: the message was handed out again, has ended, or was not acked before release. */
  stale: string[]
  /** What is left in the mailbox. */
  backlog: {
    /** Unfinished messages. */
    live: number
    /** Dead letters. */
    dead: number
    /** Of a subscription: messages not yet read from the topic. */
    unread?: number
    /** Of a subscription: messages that expired, or that a full topic dropped, unread. */
    missed?: number
  }
  /** Pass it as cursor to see more, in the modes peek and dead. */
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
  /** A DID; or mailbox:<name> or topic:<name>, a mailbox or topic of this organization with a name. */
  reply_to?: string
  /** Groups messages of one conversation. */
  thread_id?: string
  /** 0: handed out at most once. 1 (default): at least once, until it is acked. 2: exactly once. */
  qos?: number
  /** The message expires after this time. Default 7 days; in a topic at most as long as it keeps any. */
  ttl_ms?: number
  /** The message is not handed out before this time has passed. Default 0. */
  deliver_after_ms?: number
  /** Higher is delivered first. Default 4. Within an ordering_key the order counts instead. */
  priority?: number
}

/** Answer of MIM message_send. */
export interface MimMessageSendOutput {
  /** Names the message, for the first recipient. */
  message_id: string
  /** Place in its mailbox and ordering_key, for the first recipient. */
  seq: number
  /** The first recipient had it before; it was not sent again. */
  duplicate: boolean
  /** When the engine took it. */
  accepted_at: string
  /** Bytes of JCS(body), and of the names and values of the headers that were given. */
  size: number
  /** One for each recipient, in the order given. */
  deliveries: Array<{
    /** A DID; or mailbox:<name> or topic:<name>, a mailbox or topic of this organization with a name. */
    to: string
    /** Names the message in this mailbox. */
    message_id: string
    /** Increases by one for each message of its mailbox and ordering_key. */
    seq: number
    /** It was sent before and was not sent again. */
    duplicate: boolean
  }>
}

/** Send up to 100 messages in one call: all of them or none. */
export interface MimMessageSendManyInput {
  /** As message_send takes them. In one mailbox they keep this order. */
  messages: Array<{
    /** Where it goes: one recipient. */
    to: string
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
    /** A DID; or mailbox:<name> or topic:<name>, a mailbox or topic of this organization with a name. */
    reply_to?: string
    /** Groups messages of one conversation. */
    thread_id?: string
    /** 0: handed out at most once. 1 (default): at least once, until it is acked. 2: exactly once. */
    qos?: number
    /** The message expires after this time. Default 7 days; in a topic at most as long as it keeps any. */
    ttl_ms?: number
    /** The message is not handed out before this time has passed. Default 0. */
    deliver_after_ms?: number
    /** Higher is delivered first. Default 4. Within an ordering_key the order counts instead. */
    priority?: number
  }>
}

/** Answer of MIM message_send_many. */
export interface MimMessageSendManyOutput {
  /** When the engine took them. */
  accepted_at: string
  /** Bytes of all of them, as message_send counts. */
  size: number
  /** One for each message, in the order given. */
  deliveries: Array<{
    /** A DID; or mailbox:<name> or topic:<name>, a mailbox or topic of this organization with a name. */
    to: string
    /** Names the message in this mailbox. */
    message_id: string
    /** Increases by one for each message of its mailbox and ordering_key. */
    seq: number
    /** It was sent before and was not sent again. */
    duplicate: boolean
  }>
}

/** Cancel a task of yours that has not ended, and tell its agent. */
export interface MimTaskCancelInput {
  /** Task to cancel. */
  task_id: string
  /** Only if it is a task of this agent. */
  agent_did?: string
}

/** Answer of MIM task_cancel. */
export interface MimTaskCancelOutput {
  /** The task as it ended. */
  task: {
    /** Names the task. */
    task_id: string
    /** Tasks of one conversation share it. */
    context_id: string
    /** Agent that works on it. */
    agent_did: string
    /** The states of A2A. completed, failed, canceled and rejected are final. */
    state: "submitted" | "working" | "input_required" | "auth_required" | "completed" | "failed" | "canceled" | "rejected"
    /** When it was begun. */
    created_at: string
    /** When its last step was added. */
    changed_at: string
    /** How many steps it has so far. */
    steps: number
    /** What the agent said with its last step. */
    status_message?: {
      /** Chosen by the sender. */
      message_id: string
      /** The content, in order. */
      parts: Array<{
        /** A text. */
        text?: string
        /** Bytes of a file in base64. */
        raw?: string
        /** Where a file is; the engine does not fetch it. */
        url?: string
        /** Any JSON. */
        data?: unknown
        /** What it is, such as text/plain. */
        media_type?: string
        /** The name of the file. */
        filename?: string
        /** Whatever the parties agreed on. */
        metadata?: Record<string, unknown>
      }>
      /** Other tasks that the message is about. */
      reference_task_ids?: string[]
      /** Addresses of the A2A extensions that apply. */
      extensions?: string[]
      /** Whatever the parties agreed on. */
      metadata?: Record<string, unknown>
    }
    /** Earlier messages, oldest first. */
    history?: Array<{
      /** Who sent it. */
      role: "user" | "agent"
      /** Chosen by the sender. */
      message_id: string
      /** The content, in order. */
      parts: Array<{
        /** A text. */
        text?: string
        /** Bytes of a file in base64. */
        raw?: string
        /** Where a file is; the engine does not fetch it. */
        url?: string
        /** Any JSON. */
        data?: unknown
        /** What it is, such as text/plain. */
        media_type?: string
        /** The name of the file. */
        filename?: string
        /** Whatever the parties agreed on. */
        metadata?: Record<string, unknown>
      }>
      /** Other tasks that the message is about. */
      reference_task_ids?: string[]
      /** Addresses of the A2A extensions that apply. */
      extensions?: string[]
      /** Whatever the parties agreed on. */
      metadata?: Record<string, unknown>
    }>
    /** The results so far. */
    artifacts?: Array<{
      /** Unique within the task. */
      artifact_id: string
      /** For people. */
      name?: string
      /** What it is. */
      description?: string
      /** The content, in order. */
      parts: Array<{
        /** A text. */
        text?: string
        /** Bytes of a file in base64. */
        raw?: string
        /** Where a file is; the engine does not fetch it. */
        url?: string
        /** Any JSON. */
        data?: unknown
        /** What it is, such as text/plain. */
        media_type?: string
        /** The name of the file. */
        filename?: string
        /** Whatever the parties agreed on. */
        metadata?: Record<string, unknown>
      }>
      /** Addresses of the A2A extensions that apply. */
      extensions?: string[]
      /** Whatever the parties agreed on. */
      metadata?: Record<string, unknown>
    }>
    /** The agent answered with a message alone: status_message is all there is. */
    direct?: boolean
  }
}

/** Read a task of yours, or wait until it changes. */
export interface MimTaskGetInput {
  /** Task to read. */
  task_id: string
  /** Only if it is a task of this agent. */
  agent_did?: string
  /** At most this many of the newest messages in history. Default all. */
  history_length?: number
  /** Also return the steps after this one, and wait for one with wait_ms. */
  after?: number
  /** How long to wait for a step, or without after until the agent is done or needs something. */
  wait_ms?: number
}

/** Answer of MIM task_get. */
export interface MimTaskGetOutput {
  /** The task as it is now. */
  task: {
    /** Names the task. */
    task_id: string
    /** Tasks of one conversation share it. */
    context_id: string
    /** Agent that works on it. */
    agent_did: string
    /** The states of A2A. completed, failed, canceled and rejected are final. */
    state: "submitted" | "working" | "input_required" | "auth_required" | "completed" | "failed" | "canceled" | "rejected"
    /** When it was begun. */
    created_at: string
    /** When its last step was added. */
    changed_at: string
    /** How many steps it has so far. */
    steps: number
    /** What the agent said with its last step. */
    status_message?: {
      /** Chosen by the sender. */
      message_id: string
      /** The content, in order. */
      parts: Array<{
        /** A text. */
        text?: string
        /** Bytes of a file in base64. */
        raw?: string
        /** Where a file is; the engine does not fetch it. */
        url?: string
        /** Any JSON. */
        data?: unknown
        /** What it is, such as text/plain. */
        media_type?: string
        /** The name of the file. */
        filename?: string
        /** Whatever the parties agreed on. */
        metadata?: Record<string, unknown>
      }>
      /** Other tasks that the message is about. */
      reference_task_ids?: string[]
      /** Addresses of the A2A extensions that apply. */
      extensions?: string[]
      /** Whatever the parties agreed on. */
      metadata?: Record<string, unknown>
    }
    /** Earlier messages, oldest first. */
    history?: Array<{
      /** Who sent it. */
      role: "user" | "agent"
      /** Chosen by the sender. */
      message_id: string
      /** The content, in order. */
      parts: Array<{
        /** A text. */
        text?: string
        /** Bytes of a file in base64. */
        raw?: string
        /** Where a file is; the engine does not fetch it. */
        url?: string
        /** Any JSON. */
        data?: unknown
        /** What it is, such as text/plain. */
        media_type?: string
        /** The name of the file. */
        filename?: string
        /** Whatever the parties agreed on. */
        metadata?: Record<string, unknown>
      }>
      /** Other tasks that the message is about. */
      reference_task_ids?: string[]
      /** Addresses of the A2A extensions that apply. */
      extensions?: string[]
      /** Whatever the parties agreed on. */
      metadata?: Record<string, unknown>
    }>
    /** The results so far. */
    artifacts?: Array<{
      /** Unique within the task. */
      artifact_id: string
      /** For people. */
      name?: string
      /** What it is. */
      description?: string
      /** The content, in order. */
      parts: Array<{
        /** A text. */
        text?: string
        /** Bytes of a file in base64. */
        raw?: string
        /** Where a file is; the engine does not fetch it. */
        url?: string
        /** Any JSON. */
        data?: unknown
        /** What it is, such as text/plain. */
        media_type?: string
        /** The name of the file. */
        filename?: string
        /** Whatever the parties agreed on. */
        metadata?: Record<string, unknown>
      }>
      /** Addresses of the A2A extensions that apply. */
      extensions?: string[]
      /** Whatever the parties agreed on. */
      metadata?: Record<string, unknown>
    }>
    /** The agent answered with a message alone: status_message is all there is. */
    direct?: boolean
  }
  /** The steps after the one named. */
  new_steps?: Array<{
    /** Its number within the task. */
    n: number
    /** user is the caller of the task. */
    by: "user" | "agent"
    /** When the step was added. */
    at: string
    /** The states of A2A. completed, failed, canceled and rejected are final. */
    state: "submitted" | "working" | "input_required" | "auth_required" | "completed" | "failed" | "canceled" | "rejected"
    /** What was said with this step. */
    message?: {
      /** Chosen by the sender. */
      message_id: string
      /** The content, in order. */
      parts: Array<{
        /** A text. */
        text?: string
        /** Bytes of a file in base64. */
        raw?: string
        /** Where a file is; the engine does not fetch it. */
        url?: string
        /** Any JSON. */
        data?: unknown
        /** What it is, such as text/plain. */
        media_type?: string
        /** The name of the file. */
        filename?: string
        /** Whatever the parties agreed on. */
        metadata?: Record<string, unknown>
      }>
      /** Other tasks that the message is about. */
      reference_task_ids?: string[]
      /** Addresses of the A2A extensions that apply. */
      extensions?: string[]
      /** Whatever the parties agreed on. */
      metadata?: Record<string, unknown>
    }
    /** Artifacts, or parts of them, that came with this step. */
    artifacts?: Array<{
      /** Unique within the task. */
      artifact_id: string
      /** For people. */
      name?: string
      /** What it is. */
      description?: string
      /** The content, in order. */
      parts: Array<{
        /** A text. */
        text?: string
        /** Bytes of a file in base64. */
        raw?: string
        /** Where a file is; the engine does not fetch it. */
        url?: string
        /** Any JSON. */
        data?: unknown
        /** What it is, such as text/plain. */
        media_type?: string
        /** The name of the file. */
        filename?: string
        /** Whatever the parties agreed on. */
        metadata?: Record<string, unknown>
      }>
      /** Addresses of the A2A extensions that apply. */
      extensions?: string[]
      /** Whatever the parties agreed on. */
      metadata?: Record<string, unknown>
      /** Add these parts to the artifact with this id. */
      append?: boolean
      /** No more parts follow. */
      last_chunk?: boolean
    }>
    /** The agent answered with a message alone, without a state. */
    direct?: boolean
  }>
}

/** List your tasks, the last changed first. */
export interface MimTaskListInput {
  /** Only tasks of this agent. */
  agent_did?: string
  /** Only tasks of this conversation. */
  context_id?: string
  /** The states of A2A. completed, failed, canceled and rejected are final. */
  state?: "submitted" | "working" | "input_required" | "auth_required" | "completed" | "failed" | "canceled" | "rejected"
  /** At most this many of the newest messages in history. Default all. */
  history_length?: number
  /** With artifacts. Tasks beyond 5 MiB of a page come without content; get them one by one. */
  include_artifacts?: boolean
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MIM task_list. */
export interface MimTaskListOutput {
  /** Your tasks, the last changed first. */
  items: Array<{
    /** Names the task. */
    task_id: string
    /** Tasks of one conversation share it. */
    context_id: string
    /** Agent that works on it. */
    agent_did: string
    /** The states of A2A. completed, failed, canceled and rejected are final. */
    state: "submitted" | "working" | "input_required" | "auth_required" | "completed" | "failed" | "canceled" | "rejected"
    /** When it was begun. */
    created_at: string
    /** When its last step was added. */
    changed_at: string
    /** How many steps it has so far. */
    steps: number
    /** What the agent said with its last step. */
    status_message?: {
      /** Chosen by the sender. */
      message_id: string
      /** The content, in order. */
      parts: Array<{
        /** A text. */
        text?: string
        /** Bytes of a file in base64. */
        raw?: string
        /** Where a file is; the engine does not fetch it. */
        url?: string
        /** Any JSON. */
        data?: unknown
        /** What it is, such as text/plain. */
        media_type?: string
        /** The name of the file. */
        filename?: string
        /** Whatever the parties agreed on. */
        metadata?: Record<string, unknown>
      }>
      /** Other tasks that the message is about. */
      reference_task_ids?: string[]
      /** Addresses of the A2A extensions that apply. */
      extensions?: string[]
      /** Whatever the parties agreed on. */
      metadata?: Record<string, unknown>
    }
    /** Earlier messages, oldest first. */
    history?: Array<{
      /** Who sent it. */
      role: "user" | "agent"
      /** Chosen by the sender. */
      message_id: string
      /** The content, in order. */
      parts: Array<{
        /** A text. */
        text?: string
        /** Bytes of a file in base64. */
        raw?: string
        /** Where a file is; the engine does not fetch it. */
        url?: string
        /** Any JSON. */
        data?: unknown
        /** What it is, such as text/plain. */
        media_type?: string
        /** The name of the file. */
        filename?: string
        /** Whatever the parties agreed on. */
        metadata?: Record<string, unknown>
      }>
      /** Other tasks that the message is about. */
      reference_task_ids?: string[]
      /** Addresses of the A2A extensions that apply. */
      extensions?: string[]
      /** Whatever the parties agreed on. */
      metadata?: Record<string, unknown>
    }>
    /** The results so far. */
    artifacts?: Array<{
      /** Unique within the task. */
      artifact_id: string
      /** For people. */
      name?: string
      /** What it is. */
      description?: string
      /** The content, in order. */
      parts: Array<{
        /** A text. */
        text?: string
        /** Bytes of a file in base64. */
        raw?: string
        /** Where a file is; the engine does not fetch it. */
        url?: string
        /** Any JSON. */
        data?: unknown
        /** What it is, such as text/plain. */
        media_type?: string
        /** The name of the file. */
        filename?: string
        /** Whatever the parties agreed on. */
        metadata?: Record<string, unknown>
      }>
      /** Addresses of the A2A extensions that apply. */
      extensions?: string[]
      /** Whatever the parties agreed on. */
      metadata?: Record<string, unknown>
    }>
    /** The agent answered with a message alone: status_message is all there is. */
    direct?: boolean
  }>
  /** All that fit, counted up to 10000. */
  total: number
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Give a registered agent a task, or send it more for one; its answer becomes part of the task. */
export interface MimTaskSendInput {
  /** The registered agent that shall do it. */
  agent_did: string
  /** What the agent is asked. */
  message: {
    /** Chosen by the sender. */
    message_id: string
    /** The content, in order. */
    parts: Array<{
      /** A text. */
      text?: string
      /** Bytes of a file in base64. */
      raw?: string
      /** Where a file is; the engine does not fetch it. */
      url?: string
      /** Any JSON. */
      data?: unknown
      /** What it is, such as text/plain. */
      media_type?: string
      /** The name of the file. */
      filename?: string
      /** Whatever the parties agreed on. */
      metadata?: Record<string, unknown>
    }>
    /** Other tasks that the message is about. */
    reference_task_ids?: string[]
    /** Addresses of the A2A extensions that apply. */
    extensions?: string[]
    /** Whatever the parties agreed on. */
    metadata?: Record<string, unknown>
  }
  /** Adds the message to this task, which has not ended. */
  task_id?: string
  /** The conversation it belongs to; a new one where absent. */
  context_id?: string
}

/** Answer of MIM task_send. */
export interface MimTaskSendOutput {
  /** The task with this message. */
  task: {
    /** Names the task. */
    task_id: string
    /** Tasks of one conversation share it. */
    context_id: string
    /** Agent that works on it. */
    agent_did: string
    /** The states of A2A. completed, failed, canceled and rejected are final. */
    state: "submitted" | "working" | "input_required" | "auth_required" | "completed" | "failed" | "canceled" | "rejected"
    /** When it was begun. */
    created_at: string
    /** When its last step was added. */
    changed_at: string
    /** How many steps it has so far. */
    steps: number
    /** What the agent said with its last step. */
    status_message?: {
      /** Chosen by the sender. */
      message_id: string
      /** The content, in order. */
      parts: Array<{
        /** A text. */
        text?: string
        /** Bytes of a file in base64. */
        raw?: string
        /** Where a file is; the engine does not fetch it. */
        url?: string
        /** Any JSON. */
        data?: unknown
        /** What it is, such as text/plain. */
        media_type?: string
        /** The name of the file. */
        filename?: string
        /** Whatever the parties agreed on. */
        metadata?: Record<string, unknown>
      }>
      /** Other tasks that the message is about. */
      reference_task_ids?: string[]
      /** Addresses of the A2A extensions that apply. */
      extensions?: string[]
      /** Whatever the parties agreed on. */
      metadata?: Record<string, unknown>
    }
    /** Earlier messages, oldest first. */
    history?: Array<{
      /** Who sent it. */
      role: "user" | "agent"
      /** Chosen by the sender. */
      message_id: string
      /** The content, in order. */
      parts: Array<{
        /** A text. */
        text?: string
        /** Bytes of a file in base64. */
        raw?: string
        /** Where a file is; the engine does not fetch it. */
        url?: string
        /** Any JSON. */
        data?: unknown
        /** What it is, such as text/plain. */
        media_type?: string
        /** The name of the file. */
        filename?: string
        /** Whatever the parties agreed on. */
        metadata?: Record<string, unknown>
      }>
      /** Other tasks that the message is about. */
      reference_task_ids?: string[]
      /** Addresses of the A2A extensions that apply. */
      extensions?: string[]
      /** Whatever the parties agreed on. */
      metadata?: Record<string, unknown>
    }>
    /** The results so far. */
    artifacts?: Array<{
      /** Unique within the task. */
      artifact_id: string
      /** For people. */
      name?: string
      /** What it is. */
      description?: string
      /** The content, in order. */
      parts: Array<{
        /** A text. */
        text?: string
        /** Bytes of a file in base64. */
        raw?: string
        /** Where a file is; the engine does not fetch it. */
        url?: string
        /** Any JSON. */
        data?: unknown
        /** What it is, such as text/plain. */
        media_type?: string
        /** The name of the file. */
        filename?: string
        /** Whatever the parties agreed on. */
        metadata?: Record<string, unknown>
      }>
      /** Addresses of the A2A extensions that apply. */
      extensions?: string[]
      /** Whatever the parties agreed on. */
      metadata?: Record<string, unknown>
    }>
    /** The agent answered with a message alone: status_message is all there is. */
    direct?: boolean
  }
}

/** Open a topic, say who may publish and subscribe, or close it. */
export interface MimTopicDeclareInput {
  /** topic:<name>, a topic of your organization. */
  topic: string
  /** Whose it is: an identity of your organization. Default you, or its owner until now. */
  owner_did?: string
  /** Who may publish: all of your organization (default), or these and the owner. */
  publishers?: "organization" | string[]
  /** Who may subscribe and receive: all of your organization (default), or these and the owner. */
  subscribers?: "organization" | string[]
  /** How long messages published from now on stay for late subscribers. Default 7 days. */
  retention_ms?: number
  /** Remove the topic with its messages and all its subscriptions. */
  closed?: boolean
}

/** Answer of MIM topic_declare. */
export interface MimTopicDeclareOutput {
  /** topic:<name>, a topic of your organization. */
  topic: string
  /** Whose it is. */
  owner_did: string
  /** Who may publish, beside the owner. */
  publishers: "organization" | string[]
  /** Who may subscribe and receive, beside the owner. */
  subscribers: "organization" | string[]
  /** How long its messages stay. */
  retention_ms: number
  /** It was removed. */
  closed: boolean
}

/** Subscribe to a topic, alone or as a group of consumers of which one gets each message. */
export interface MimTopicSubscribeInput {
  /** topic:<name>/<subscription>, from which the messages of the topic are received. */
  subscription: string
  /** Where a new subscription begins: with the next message (default), or the earliest that is stored. */
  from?: "now" | "earliest"
  /** Who else receives from it: one of the group gets each message. Absent: as before; of a new one nobody. */
  consumers?: string[]
}

/** Answer of MIM topic_subscribe. */
export interface MimTopicSubscribeOutput {
  /** topic:<name>/<subscription>, from which the messages of the topic are received. */
  subscription: string
  /** Whose it is: who made it. */
  owner_did: string
  /** Who else receives from it. */
  consumers: string[]
  /** It is new; otherwise it goes on from where it was. */
  created: boolean
  /** Messages of the topic that it has not read yet. */
  unread: number
  /** Messages that expired, or that a full topic dropped, before they were read here. */
  missed: number
}

/** End a subscription: what it has not finished is removed with it. */
export interface MimTopicUnsubscribeInput {
  /** topic:<name>/<subscription>, from which the messages of the topic are received. */
  subscription: string
}

/** Answer of MIM topic_unsubscribe. */
export interface MimTopicUnsubscribeOutput {
  /** topic:<name>/<subscription>, from which the messages of the topic are received. */
  subscription: string
  /** Messages of the topic that it had not read. */
  unread: number
}

/** Propose a policy from a precedent and backtest it; nothing is enacted. */
export interface MimesisFormalizeInput {
  /** Pattern that the rule is made from, as surface returns it. */
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
  /** Names the proposal. */
  proposal_id: string
  /** Name of a policy. */
  policy_id: string
  /** Version that the policy will have. */
  version: string
  /** When the policy takes effect, if it is adopted. */
  active_from: string
  /** Hash of the policy: what the council decides on. */
  digest: string
  /** What the rule would have changed, had it been in force. */
  backtest: {
    /** Half-open: from <= t < to. */
    window: {
      /** First moment of the period. */
      from: string
      /** End of the period, itself not included. */
      to: string
    }
    /** Recorded requests that were judged again with the rule. */
    evaluated: number
    /** Requests whose record lacks facts that the policies need. */
    undecided: number
    /** Allowed requests that the rule would refuse. */
    would_flip_allow_to_deny: number
    /** Refused requests that the rule would allow. */
    would_flip_deny_to_allow: number
    /** Cases of the pattern that end the same under the rule, in hundredths of a percent. */
    agrees_with_pattern_bps: number
    /** Audit records of requests that would be decided otherwise. */
    flips: string[]
    /** The window contains older records that were not tested. */
    truncated: boolean
  }
  /** It follows the council's verdict and MAXIM author; nothing is enacted by itself. */
  state: "PROPOSED" | "IN_COUNCIL" | "ENACTED" | "REJECTED"
  /** Motion of the council on it; absent for a draft only. */
  motion_id?: string
  /** The next step; absent if there is none. */
  next?: {
    /** Protocol to call. */
    protocol: string
    /** Operation to call. */
    operation: string
    /** Input of that call. */
    input: Record<string, unknown>
  }
}

/** Find recurring decisions of your organization. */
export interface MimesisSurfaceInput {
  /** How many days back to look. */
  window_days: number
  /** How often something must recur to be a pattern. */
  min_recurrences: number
  /** Where to look: the whole tenant, one protocol, or a selection. */
  scope: "tenant" | string | {
    /** Only calls of these protocols. */
    protocols?: string[]
    /** Outcome of the reported cases. Consistency counts all outcomes. */
    outcomes?: Array<"success" | "refused" | "error">
    /** Only calls of this identity. */
    caller_did?: string
  }
  /** How often like cases must end alike, in hundredths of a percent. */
  min_consistency_bps?: number
  /** The most patterns to return. */
  limit?: number
}

/** Answer of MIMESIS surface. */
export interface MimesisSurfaceOutput {
  /** What was found, the most frequent first. */
  patterns: Array<{
    /** Names the pattern; formalize takes it. */
    pattern_id: string
    /** decision: like requests end alike; sequence: steps that follow each other. */
    kind: "decision" | "sequence"
    /** What the requests have in common; for a decision. */
    features?: {
      /** Protocol that was called. */
      protocol?: string
      /** Operation that was called. */
      operation?: string
      /** Kind of identity that called. */
      caller_kind?: string
      /** Conformance level of the caller. */
      level?: "L0" | "L1" | "L2"
      /** Where the calls came from, such as http or mcp. */
      origin?: string
      /** Hours of the day in UTC. */
      hour_bucket?: "00-06" | "06-12" | "12-18" | "18-24"
      /** Whether caller and target were of different organizations. */
      cross_org?: boolean
      /** Why it was refused or failed. */
      reason?: string
    }
    /** Whether the steps are of one request or of one caller; for a sequence. */
    per?: "correlation" | "caller"
    /** The steps in order; for a sequence. */
    sequence?: Array<{
      /** What was recorded. */
      event_type: string
      /** Protocol that was called. */
      protocol?: string
      /** Operation that was called. */
      operation?: string
      /** How the step ended. */
      outcome: "success" | "refused" | "error"
    }>
    /** How the cases end. */
    outcome: "success" | "refused" | "error"
    /** How often it occurred. */
    recurrences: number
    /** Share of the cases with the same features, whatever the reason; for a sequence, of those with the same first steps. */
    consistency_bps: number
    /** In basis points; 10000 means the outcome is as frequent elsewhere. */
    lift: number
    /** When the first case was recorded. */
    first_seen: string
    /** When the newest case was recorded. */
    last_seen: string
    /** Audit records that show it. */
    exemplars: string[]
    /** Audit records of like cases that ended otherwise. */
    counterexamples: string[]
    /** Policy in force that says the same already. */
    covered_by_policy?: string
    /** Rule to begin with for formalize, without facts that the cases only happen to share; only for refusals. */
    suggested_cedar?: string
    /** Of the latest third of the cases that the rule would refuse, the share that was refused. */
    confirmed_bps?: number
    /** Why no rule is suggested. missing_grant: a right was missing, or a limit reached, which forbids nothing; not_confirmed: the latest third of the cases ended otherwise; too_few_later: fewer than three are later. */
    no_rule?: "missing_grant" | "not_confirmed" | "too_few_later"
    /** Rules already proposed from this pattern. */
    proposals: Array<{
      /** Names the proposal. */
      proposal_id: string
      /** PROPOSED, IN_COUNCIL, ENACTED or REJECTED. */
      state: "PROPOSED" | "IN_COUNCIL" | "ENACTED" | "REJECTED"
    }>
  }>
  /** Audit records that were read. */
  records_scanned: number
  /** Hash of the newest record that was read. */
  head: string
  /** What was left out because of limits; empty where nothing was. */
  truncated: Array<"records" | "sequences">
}

/** Link two memories; linking them again strengthens the link. */
export interface MindAssociateMemoriesInput {
  /** Memory the link starts from. */
  source: string
  /** Memory the link leads to. */
  target: string
  /** part_of, derived_from, supersedes and causes must not form cycles. */
  relation: string
  /** Strength of the link; repeating it makes it stronger. */
  weight?: number
  /** The link holds from then on; absent: always before valid_to. */
  valid_from?: string
  /** The link holds until then; absent: still. */
  valid_to?: string
  /** Also link back. */
  bidirectional?: boolean
}

/** Answer of MIND associate_memories. */
export interface MindAssociateMemoriesOutput {
  /** Names the link. */
  association_id: string
  /** Strength of the link now. */
  weight: number
  /** The link existed already and is stronger now. */
  reinforced: boolean
  /** Whether the link is new. */
  created: boolean
}

/** Fuse the statements of several sources into one consistent set of facts. */
export interface MindFusionRequestInput {
  /** What to bring together: references, or facts with the DID they come from. */
  sources: Array<string | {
    /** Who says so. */
    source_did: string
    /** What this source says. */
    facts: Array<{
      /** The entity it is about, by name or id. */
      subject: string
      /** The relation, such as ceo or located_in. */
      predicate: string
      /** Value of the relation: a text, number or truth value, or the name or id of an entity. */
      object: string | number | boolean
      /** True from then on; absent: always before valid_to. */
      valid_from?: string
      /** True until then; absent: still. */
      valid_to?: string
      /** How sure it is, 0 to 1. */
      confidence?: number
      /** True declares that a subject has one value of this predicate at a time. */
      functional?: boolean
    }>
  }>
  /** Only facts about this subject. */
  subject?: string
  /** How conflicts are decided; default reliability: by how often a source agrees with the truth found. */
  strategy?: "reliability" | "latest" | "majority"
  /** Relations of which a subject has one value at a time. */
  functional_predicates?: string[]
  /** Facts below this confidence go to dissent. */
  min_confidence?: number
  /** Store the result as current knowledge. */
  write_back?: boolean
  /** What the work may take. */
  budget?: {
    /** Tokens at most. */
    tokens?: number
    /** Time at most, in milliseconds. */
    deadline_ms?: number
  }
}

/** Answer of MIND fusion_request. */
export interface MindFusionRequestOutput {
  /** The stored result; MARC reasons from it. */
  snapshot_ref: string
  /** The consistent picture. */
  facts: Array<{
    /** Entity it is about. */
    subject: string
    /** The relation. */
    predicate: string
    /** True from then on; absent: always before valid_to. */
    valid_from?: string
    /** True until then; absent: still. */
    valid_to?: string
    /** Value of the relation. */
    object: string | number | boolean
    /** How sure it is, 0 to 1. */
    confidence: number
    /** Whether the subject has one value of this relation at a time. */
    functional: boolean
    /** Sources that say so. */
    support: string[]
    /** Sources that say otherwise. */
    against: string[]
  }>
  /** Where sources contradict each other, and how it was decided. */
  conflicts: Array<{
    /** Entity it is about. */
    subject: string
    /** The relation. */
    predicate: string
    /** True from then on; absent: always before valid_to. */
    valid_from?: string
    /** True until then; absent: still. */
    valid_to?: string
    /** What was said, each with its weight. */
    values: Array<{
      /** A value that was said. */
      value: string | number | boolean
      /** Probability that it is right, by the sources behind it. */
      posterior: number
      /** Sources that say so. */
      sources: string[]
    }>
    /** The value in the picture; null: none reached min_confidence. */
    chosen: string | number | boolean | null
    /** What decided; weighted_median: between numbers. */
    rule: "reliability" | "weighted_median" | "latest" | "majority"
  }>
  /** Names that were taken for the same entity. */
  entity_merges: Array<{
    /** Name used in the picture. */
    label: string
    /** Names that mean the same. */
    merged: string[]
    /** Why they were taken for the same. */
    rules: string[]
  }>
  /** For each source, how reliable it is, 0 to 1. */
  source_reliability: Record<string, number>
  /** Different roots behind the sources; an unknown identity counts as none. */
  independent_sources: number
  /** Roots that probably repeat each other: what they both say counts about once. */
  copied: Array<{
    /** The two of them. */
    roots: string[]
    /** That one repeats the other, by the answers and mistakes they share. */
    probability: number
  }>
  /** What sources said and the picture leaves out. */
  dissent: Array<{
    /** Entity it is about. */
    subject: string
    /** The relation. */
    predicate: string
    /** True from then on; absent: always before valid_to. */
    valid_from?: string
    /** True until then; absent: still. */
    valid_to?: string
    /** Value that was said. */
    object: string | number | boolean
    /** How sure it is, 0 to 1. */
    confidence: number
    /** Sources that say so. */
    sources: string[]
    /** Why it was left out. */
    reason: "outvoted" | "outlier" | "min_confidence"
  }>
  /** What write_back stored; absent without it. */
  written?: {
    /** Number of facts stored. */
    added: number
    /** Facts that these replaced. */
    superseded: string[]
  }
  /** Tokens it took. */
  usage: {
    /** Tokens read. */
    tokens_in: number
    /** Tokens written. */
    tokens_out: number
  }
}

/** Facts about a subject, as valid at one time and as known at another. */
export interface MindQueryKnowledgeInput {
  /** The entity it is about, by name or id. */
  subject: string
  /** The relation, such as ceo or located_in. */
  predicate?: string
  /** Only facts with this value. */
  object?: string | number | boolean
  /** Facts that are true at this time; default now. */
  as_of?: string
  /** What was known at this time; default: all that is known. */
  known_at?: string
  /** How many relations to follow from the subject; default 1. */
  depth?: number
  /** Include facts that newer ones replaced. */
  include_superseded?: boolean
  /** Only facts at least this sure. */
  min_confidence?: number
  /** Facts per page at most; default 20. */
  limit?: number
  /** cursor of the previous page. */
  cursor?: string
}

/** Answer of MIND query_knowledge. */
export interface MindQueryKnowledgeOutput {
  /** Entity that was meant; null: unknown, or several are possible. */
  entity: {
    /** Id to ask by. */
    id: string
    /** Its main name. */
    label: string
    /** What it is; null: unknown. */
    type: string | null
    /** Its other names. */
    aliases: string[]
  } | null
  /** Entities that could be meant; ask again with the id of one. */
  candidates: Array<{
    /** Id to ask by. */
    id: string
    /** Its main name. */
    label: string
    /** How close its name is, 0 to 1. */
    similarity: number
  }>
  /** What is known, nearest first. */
  facts: Array<{
    /** Names the fact. */
    fact_id: string
    /** Reference to cite. */
    ref: string
    /** Entity it is about. */
    subject: string
    /** The relation. */
    predicate: string
    /** Value of the relation. */
    object: string | number | boolean
    /** True from then on; absent: always before valid_to. */
    valid_from?: string
    /** True until then; absent: still. */
    valid_to?: string
    /** When it was stored. */
    recorded_at: string
    /** When a newer one replaced it; absent: it was not. */
    superseded_at?: string
    /** How sure it is, 0 to 1. */
    confidence: number
    /** Memory or result it comes from. */
    source_ref: string
    /** contested: it contradicts a surer fact. */
    status: "current" | "superseded" | "contested"
  }>
  /** Whether there are more facts than were looked at. */
  truncated: boolean
  /** For the next page; absent: no more. */
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
      /** Closeness of meaning needed, -1 to 1. */
      min_similarity?: number
    }
    /** Content, entities and links; all given conditions must hold. */
    structural?: {
      /** The payload contains this. */
      match?: Record<string, unknown>
      /** An SQL/JSON path that matches something in the payload. */
      jsonpath?: string
      /** Memories whose triples mention this entity. */
      entity?: string
      /** Memories linked to this one. */
      linked_to?: string
      /** Only links of this relation; needs linked_to. */
      relation?: string
      /** How many links away; needs linked_to. */
      hops?: number
    }
    /** When it happened: from <= t < to. */
    temporal?: {
      /** Happened at this time or later. */
      from?: string
      /** Happened before this time. */
      to?: string
      /** As it was valid at that time. */
      as_of?: string
      /** As it was known at that time. */
      known_at?: string
      /** Order where nothing ranks them; default newest. */
      order?: "newest" | "oldest"
    }
  }
  /** Only memories of these kinds; default all. */
  kinds?: Array<"working" | "episodic" | "semantic" | "procedural">
  /** Default: all namespaces. */
  namespace?: string
  /** Memories at most. */
  limit?: number
  /** Only memories at least this likely to be about the question; 0 also keeps those found by links and neighbours. */
  min_relevance?: number
  /** Includes evicted and expired memories. */
  include_inactive?: boolean
  /** Say why each memory was found. */
  explain?: boolean
  /** Whether a model reorders the best matches. */
  rerank?: "auto" | "never" | "always"
}

/** Answer of MIND recall_memory. */
export interface MindRecallMemoryOutput {
  /** The best matches, best first. */
  memories: Array<{
    /** Names the memory. */
    memory_id: string
    /** working: for now. episodic: what happened. semantic: what is true. procedural: how to do it. */
    kind: "working" | "episodic" | "semantic" | "procedural"
    /** What was remembered. */
    payload: Record<string, unknown>
    /** Its place in this order, 0 to 1; says nothing of whether it answers. */
    score: number
    /** How likely it is about the question; below 0.5 rather not. 1 if nothing was asked. */
    relevance: number
    /** Grows with each edit. */
    version: number
    /** When it happened. */
    occurred_at: string
    /** How sure it is, 0 to 1. */
    confidence: number
    /** Parts of the score; with explain. */
    why?: {
      /** Place among matches by words; null: not among them. */
      lexical_rank: number | null
      /** Place among matches by meaning; null: not among them. */
      vector_rank: number | null
      /** Place among matches by links and facts; null: not among them. */
      graph_rank: number | null
      /** Place among those named by the best matches; null: not among them. */
      hop_rank: number | null
      /** How much of what the question says its words cover, 0 to 1. */
      coverage: number
      /** How near its meaning is, 0 to 1. */
      similarity: number
      /** 1 for new, falling over a month. */
      recency: number
      /** As it was stored, 0 to 1. */
      importance: number
    }
  }>
  /** How many matched before limit. */
  total_candidates: number
  /** True: no memory that you may read fits, or none is likely to be about the question. */
  nothing_found: boolean
  /** agent: a model reordered them. */
  path: "protocol" | "agent"
}

/** Store a memory. */
export interface MindStoreMemoryInput {
  /** working: for now. episodic: what happened. semantic: what is true. procedural: how to do it. */
  kind: "working" | "episodic" | "semantic" | "procedural"
  /** What to remember; at most 256 KiB. */
  payload: Record<string, unknown>
  /** Memories of one namespace do not evict those of another. */
  namespace?: string
  /** Who may read it. private: only the agent that stores it, as working memory without a scope; shared: also those named; tenant: everybody, the default otherwise. */
  scope?: "private" | "shared" | "tenant"
  /** Agents; only with scope shared. */
  shared_with?: string[]
  /** Identities; each stands for itself and all with a verified lineage whose creator or root it is. Only with scope shared. */
  shared_with_groups?: string[]
  /** Text to search by; default: the texts of the payload. */
  text?: string
  /** How it can be found besides its words. */
  index?: {
    /** Searchable by meaning. */
    vector?: boolean
    /** Its triples become facts, with the scope tenant. */
    graph?: boolean
  }
  /** Facts it states. */
  triples?: Array<{
    /** The entity it is about, by name or id. */
    subject: string
    /** The relation, such as ceo or located_in. */
    predicate: string
    /** Value of the relation: a text, number or truth value, or the name or id of an entity. */
    object: string | number | boolean
    /** True from then on; absent: always before valid_to. */
    valid_from?: string
    /** True until then; absent: still. */
    valid_to?: string
    /** How sure it is, 0 to 1. */
    confidence?: number
    /** True declares that a subject has one value of this predicate at a time. */
    functional?: boolean
  }>
  /** When it happened; default now. */
  occurred_at?: string
  /** Working memories only; default: one hour. */
  ttl_seconds?: number
  /** Counts in ranking, and in what working memory forgets first. */
  importance?: number
  /** How sure it is, 0 to 1. */
  confidence?: number
  /** Where it comes from. */
  source_ref?: string
  /** The person it is about: redacting this subject redacts the memory. */
  subject_did?: string
  /** Store the same payload once; default for semantic memories. */
  dedupe?: boolean
}

/** Answer of MIND store_memory. */
export interface MindStoreMemoryOutput {
  /** Names the memory. */
  memory_id: string
  /** Reference to cite it by. */
  ref: string
  /** Grows with each edit. */
  version: number
  /** Salted hash of the content, as the audit log has it. */
  content_commitment: string
  /** How it can be found now. */
  indexed: {
    /** By meaning; false while its embedding is pending. */
    vector: boolean
    /** By its facts. */
    graph: boolean
    /** By its words. */
    lexical: boolean
  }
  /** Number of facts stored. */
  triples_added: number
  /** Earlier facts that its own replaced. */
  superseded: string[]
  /** Same memory stored before; it was not stored again. */
  duplicate_of?: string
}

/** Ask whether an active treaty lets one party use a capability of another. */
export interface MoatComplianceQueryInput {
  /** Calling side: a tenant, or one of its DIDs. */
  party_a: string
  /** Called side: a tenant, or one of its DIDs. */
  party_b: string
  /** Capability that party_a would use. */
  capability: string
  /** Time to judge by; default now. */
  at?: string
}

/** Answer of MOAT compliance_query. */
export interface MoatComplianceQueryOutput {
  /** Whether the call would be allowed. */
  active: boolean
  /** Treaty that decided; absent if there is none. */
  treaty_id?: string
  /** Why not; absent if active. */
  reason?: string
  /** Conditions of the grant. */
  caveats: string[]
  /** Bounds of the grant; empty if it has none. */
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
  /** What is left of each limit now. */
  remaining: {
    /** Calls left in this hour; null: no limit. */
    per_hour: number | null
    /** Calls left in this UTC day; null: no limit. */
    per_day: number | null
    /** Decimal USD left in this ISO week; null: no budget. */
    weekly_budget_usd: string | null
    /** Micro-USD left in this ISO week; null: no budget. */
    weekly_budget_micro_usd: string | null
  }
  /** When the treaty ends. */
  expires_at?: string
  /** Only ACTIVE grants calls. LAPSED: not signed in time. WITHDRAWN: ended unsigned. SUPERSEDED: by an amendment. */
  state?: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
}

/** Check whether the other party complied with a treaty, then report, suspend, resume or claim. */
export interface MoatEnforceInput {
  /** Any treaty of the line. */
  treaty_id: string
  /** What to check, at most 92 days, half-open: from <= t < to. */
  period: {
    /** First moment of the period. */
    from: string
    /** End of the period, itself not included. */
    to: string
  }
  /** Default report: only check. Suspend stops calls for up to 30 days; claim files a MOOT case. */
  measure?: "report" | "suspend" | "resume" | "claim"
  /** Findings to act on; default all. */
  finding_ids?: string[]
  /** Required unless the measure is report. */
  reason?: string
}

/** Answer of MOAT enforce. */
export interface MoatEnforceOutput {
  /** Breaches by the other party and its refused attempts, recomputed from records, budgets and contracts. */
  findings: Array<{
    /** Derived from its content: the same breach has the same id. */
    id: string
    /** Limit, budget or grant exceeded, a call that the terms stopped, or payment late, or missing beyond the grace period. */
    kind: "rate_exceeded" | "budget_exceeded" | "out_of_grant" | "refused_attempt" | "payment_overdue" | "settlement_missing"
    /** The limit with its hour, day or week, the capability, or the contract and obligation. */
    about: string
    /** What happened, such as 12 calls. */
    observed: string
    /** What the treaty allows, such as 10 calls. */
    allowed: string
    /** Evidence: the first 64 audit records, or the contract. */
    records: string[]
  }>
  /** True if no breach was found in the period; a refused attempt is none. */
  compliant: boolean
  /** Only ACTIVE grants calls. LAPSED: not signed in time. WITHDRAWN: ended unsigned. SUPERSEDED: by an amendment. */
  state: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
  /** MOOT case, after claim. */
  case_id?: string
}

/** List the treaties and amendments of your organization, or read one in full. */
export interface MoatListInput {
  /** Only this one. */
  treaty_id?: string
  /** Only those in this state now. */
  state?: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
  /** Only first treaties, or only amendments. */
  kind?: "treaty" | "amendment"
  /** Only those with this organization. */
  partner?: string
  /** Only with treaty_id. */
  include_detail?: boolean
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MOAT list. */
export interface MoatListOutput {
  /** Treaties and amendments of your organization, newest first. */
  items: Array<{
    /** Hash of its terms. */
    treaty_id: string
    /** First treaty of the line; usage counts against it across amendments. */
    root_id: string
    /** The version it replaces; absent for a first treaty. */
    parent?: string
    /** A first treaty, or an amendment of one. */
    kind: "treaty" | "amendment"
    /** Only ACTIVE grants calls. LAPSED: not signed in time. WITHDRAWN: ended unsigned. SUPERSEDED: by an amendment. */
    state: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
    /** The other organization. */
    partner: string
    /** The two organizations, ordered by tenant. */
    parties: Array<{
      /** The organization. */
      tenant: string
      /** DID that represents it. */
      did: string
    }>
    /** DID that proposed it. */
    proposed_by: string
    /** When it was proposed. */
    proposed_at: string
    /** It lapses if both have not signed by then. */
    sign_by: string
    /** Organizations that have signed. */
    signed: string[]
    /** Organizations that have yet to sign. */
    missing: string[]
    /** Start of the term. */
    effective_from: string
    /** End of the term. */
    expires_at: string
    /** Number of grants to the partner. */
    grants_to_partner: number
    /** Number of grants to your organization. */
    grants_to_own: number
    /** When the second signature was made. */
    activated_at?: string
    /** When it became ACTIVE. */
    in_force_at?: string
    /** Last suspension; absent if there was none. */
    suspended?: {
      /** When calls stopped. */
      from: string
      /** When it ends by itself, unless a case is open. */
      until: string
      /** Organization that suspended it. */
      by: string
    }
    /** When it was terminated, superseded or withdrawn, or lapsed. */
    ended_at?: string
    /** Terms, signatures and history; with include_detail. */
    detail?: {
      /** The terms that are hashed and signed. */
      body: {
        /** Version of this form. */
        v: 1
        /** Treaty that this amendment replaces; null in a new treaty. */
        parent: string | null
        /** The two organizations, ordered by tenant. */
        parties: Array<{
          /** The organization. */
          tenant: string
          /** DID that represents it. */
          did: string
        }>
        /** What each organization may call at the other. */
        grants: Array<{
          /** Organization that may make the calls. */
          to: string
          /** What it may call: svc.<protocol>.<operation>, or svc.<protocol>.*. */
          capability: string
          /** Conditions such as time:09-17 or jurisdiction:DE; each must hold for a call. */
          caveats?: string[]
          /** Bounds on this grant's use; absent: none. */
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
        /** Bounds on all calls of a party together. */
        rate_limits: {
          /** Calls of one party in an hour, all grants together; absent: no limit. */
          per_hour?: number
          /** Calls of one party in a UTC day, all grants together; absent: no limit. */
          per_day?: number
        }
        /** How payments between the parties are settled. */
        settlement: {
          /** How payments move; internal is the ledger of this engine. */
          rail: string
          /** Asset in which the parties settle. */
          currency: string
          /** Basis points of the settled amount. */
          clearing_fee_bps: number
        }
        /** Where disputes are heard. */
        dispute_resolution: {
          /** Protocol that hears disputes. */
          via: string
          /** Tenant or DID where disputes are heard. */
          venue: string
        }
        /** Start of the term. */
        effective_from: string
        /** End of the term. */
        expires_at: string
        /** Makes the id of otherwise equal terms differ. */
        nonce: string
      }
      /** Those given so far. */
      signatures: Array<{
        /** Organization that is bound. */
        tenant: string
        /** DID that signed. */
        signed_by: string
        /** When it was signed; part of the signed text. */
        timestamp: string
        /** Key that verifies the signature. */
        public_key: string
        /** Signature over the treaty, base64url. */
        signature: string
        /** Own: signed by the signer's key. Custodial: by the engine, which keeps the key. */
        method: "own" | "custodial"
        /** Verdict that authorized the signature. */
        authority?: string
      }>
      /** Why an amendment was proposed. */
      reason?: string
      /** Changes of an amendment, from `before` to `body`. */
      amendment?: {
        /** The terms it replaces. */
        before: {
          /** Version of this form. */
          v: 1
          /** Treaty that this amendment replaces; null in a new treaty. */
          parent: string | null
          /** The two organizations, ordered by tenant. */
          parties: Array<{
            /** The organization. */
            tenant: string
            /** DID that represents it. */
            did: string
          }>
          /** What each organization may call at the other. */
          grants: Array<{
            /** Organization that may make the calls. */
            to: string
            /** What it may call: svc.<protocol>.<operation>, or svc.<protocol>.*. */
            capability: string
            /** Conditions such as time:09-17 or jurisdiction:DE; each must hold for a call. */
            caveats?: string[]
            /** Bounds on this grant's use; absent: none. */
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
          /** Bounds on all calls of a party together. */
          rate_limits: {
            /** Calls of one party in an hour, all grants together; absent: no limit. */
            per_hour?: number
            /** Calls of one party in a UTC day, all grants together; absent: no limit. */
            per_day?: number
          }
          /** How payments between the parties are settled. */
          settlement: {
            /** How payments move; internal is the ledger of this engine. */
            rail: string
            /** Asset in which the parties settle. */
            currency: string
            /** Basis points of the settled amount. */
            clearing_fee_bps: number
          }
          /** Where disputes are heard. */
          dispute_resolution: {
            /** Protocol that hears disputes. */
            via: string
            /** Tenant or DID where disputes are heard. */
            venue: string
          }
          /** Start of the term. */
          effective_from: string
          /** End of the term. */
          expires_at: string
          /** Makes the id of otherwise equal terms differ. */
          nonce: string
        }
        /** What it changes, as JSON Patch. */
        diff: Array<{
          /** JSON Patch operation. */
          op: "add" | "remove" | "replace"
          /** JSON Pointer into the body of the parent. */
          path: string
          /** New value; absent for remove. */
          value?: unknown
        }>
        /** Whether it grants more than before, so that signing needs a charter verdict. */
        widening: boolean
      }
      /** MOOT cases about it that are open. */
      open_cases: string[]
      /** Who ended it: a DID, or the reference of a ruling or dissolution. */
      ended_by?: string
      /** Visible only to the party that gave it. */
      end_reason?: string
      /** All versions, newest first. */
      line: Array<{
        /** Hash of this version's terms. */
        treaty_id: string
        /** The version it replaces; absent for the first. */
        parent?: string
        /** Only ACTIVE grants calls. LAPSED: not signed in time. WITHDRAWN: ended unsigned. SUPERSEDED: by an amendment. */
        state: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
        /** When this version was proposed. */
        proposed_at: string
      }>
    }
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Propose a treaty to another organization. */
export interface MoatProposeInput {
  /** DID that represents the other organization. */
  counterparty_did: string
  /** What may be called, and by whom; one entry may grant to both parties. */
  capability_schedule: Array<{
    /** Capability that the treaty grants, or svc.<protocol>.* for a whole protocol. */
    capability: string
    /** Conditions such as time:09-17 or jurisdiction:DE; each must hold for a call. */
    caveats?: string[]
    /** Who may call the other with it; always stated, since it opens one side to the other. */
    granted_to: "counterparty" | "proposer" | "both"
    /** Bounds on this grant's use; absent: none. */
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
  /** Bounds on all calls of a party together; absent: none. */
  rate_limits?: {
    /** Calls of one party in an hour, all grants together; absent: no limit. */
    per_hour?: number
    /** Calls of one party in a UTC day, all grants together; absent: no limit. */
    per_day?: number
  }
  /** How payments are settled; absent: internal, usd, fee of your tier. */
  settlement_terms?: {
    /** How payments move; internal is the ledger of this engine. */
    rail?: string
    /** Asset in which the parties settle. */
    currency?: string
    /** Share of each settlement; default: the tier's. */
    clearing_fee_bps?: number
  }
  /** Where disputes are heard; absent: at the operator. */
  dispute_clause?: {
    /** Protocol that hears disputes. */
    via: "MOOT"
    /** Where disputes are heard: a tenant, or one of its DIDs. */
    venue: string
  }
  /** End of the term, at most five years ahead. */
  expires_at: string
  /** Start of the term; default now. */
  effective_from?: string
}

/** Answer of MOAT propose. */
export interface MoatProposeOutput {
  /** Hash of the terms; both parties sign it. */
  treaty_id: string
  /** Only ACTIVE grants calls. LAPSED: not signed in time. WITHDRAWN: ended unsigned. SUPERSEDED: by an amendment. */
  state: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
  /** The terms that are hashed and signed. */
  body: {
    /** Version of this form. */
    v: 1
    /** Treaty that this amendment replaces; null in a new treaty. */
    parent: string | null
    /** The two organizations, ordered by tenant. */
    parties: Array<{
      /** The organization. */
      tenant: string
      /** DID that represents it. */
      did: string
    }>
    /** What each organization may call at the other. */
    grants: Array<{
      /** Organization that may make the calls. */
      to: string
      /** What it may call: svc.<protocol>.<operation>, or svc.<protocol>.*. */
      capability: string
      /** Conditions such as time:09-17 or jurisdiction:DE; each must hold for a call. */
      caveats?: string[]
      /** Bounds on this grant's use; absent: none. */
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
    /** Bounds on all calls of a party together. */
    rate_limits: {
      /** Calls of one party in an hour, all grants together; absent: no limit. */
      per_hour?: number
      /** Calls of one party in a UTC day, all grants together; absent: no limit. */
      per_day?: number
    }
    /** How payments between the parties are settled. */
    settlement: {
      /** How payments move; internal is the ledger of this engine. */
      rail: string
      /** Asset in which the parties settle. */
      currency: string
      /** Basis points of the settled amount. */
      clearing_fee_bps: number
    }
    /** Where disputes are heard. */
    dispute_resolution: {
      /** Protocol that hears disputes. */
      via: string
      /** Tenant or DID where disputes are heard. */
      venue: string
    }
    /** Start of the term. */
    effective_from: string
    /** End of the term. */
    expires_at: string
    /** Makes the id of otherwise equal terms differ. */
    nonce: string
  }
  /** The text to sign now; send its timestamp with the signature. */
  signing_input: string
  /** It lapses if both have not signed by then. */
  sign_by: string
}

/** Propose new terms for an existing treaty. */
export interface MoatProposeAmendmentInput {
  /** Any treaty of the line; its newest version in force is amended. */
  treaty_id: string
  /** New terms; what is absent stays as it is. */
  changes: {
    /** Replaces all grants. */
    capability_schedule?: Array<{
      /** Capability that the treaty grants, or svc.<protocol>.* for a whole protocol. */
      capability: string
      /** Conditions such as time:09-17 or jurisdiction:DE; each must hold for a call. */
      caveats?: string[]
      /** Who may call the other with it; always stated, since it opens one side to the other. */
      granted_to: "counterparty" | "proposer" | "both"
      /** Bounds on this grant's use; absent: none. */
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
    /** Replaces all rate limits. */
    rate_limits?: {
      /** Calls of one party in an hour, all grants together; absent: no limit. */
      per_hour?: number
      /** Calls of one party in a UTC day, all grants together; absent: no limit. */
      per_day?: number
    }
    /** Replaces the fields it names. */
    settlement_terms?: {
      /** How payments move; internal is the ledger of this engine. */
      rail?: string
      /** Asset in which the parties settle. */
      currency?: string
      /** Share of each settlement; default: the tier's. */
      clearing_fee_bps?: number
    }
    /** Replaces where disputes are heard. */
    dispute_clause?: {
      /** Protocol that hears disputes. */
      via: "MOOT"
      /** Where disputes are heard: a tenant, or one of its DIDs. */
      venue: string
    }
    /** New end; at most five years ahead. */
    expires_at?: string
  }
  /** Why, for the other party; visible to both. */
  reason: string
}

/** Answer of MOAT propose_amendment. */
export interface MoatProposeAmendmentOutput {
  /** Hash of the new terms; sign it with sign_amendment. */
  amendment_id: string
  /** Treaty it would replace. */
  parent: string
  /** What changes, as JSON Patch. */
  diff: Array<{
    /** JSON Patch operation. */
    op: "add" | "remove" | "replace"
    /** JSON Pointer into the body of the parent. */
    path: string
    /** New value; absent for remove. */
    value?: unknown
  }>
  /** Signing it needs a charter-level verdict. */
  widening: boolean
  /** Only ACTIVE grants calls. LAPSED: not signed in time. WITHDRAWN: ended unsigned. SUPERSEDED: by an amendment. */
  state: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
}

/** Sign a proposed treaty for your organization. */
export interface MoatSignInput {
  /** Treaty to sign. */
  treaty_id: string
  /** Of the text to sign; absent: the engine signs if it keeps your key. */
  signature?: string
  /** The one in the text you signed; needed with signature. */
  timestamp?: string
  /** Key that made the signature; needed unless the engine keeps it. */
  public_key?: string
  /** Verdict of your charter; absent: a fitting unused one is taken. */
  authority?: string
}

/** Answer of MOAT sign. */
export interface MoatSignOutput {
  /** Hash of the terms that were signed. */
  treaty_id: string
  /** Only ACTIVE grants calls. LAPSED: not signed in time. WITHDRAWN: ended unsigned. SUPERSEDED: by an amendment. */
  state: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
  /** Those given so far. */
  signatures: Array<{
    /** Organization that is bound. */
    tenant: string
    /** DID that signed. */
    signed_by: string
    /** When it was signed; part of the signed text. */
    timestamp: string
    /** Key that verifies the signature. */
    public_key: string
    /** Signature over the treaty, base64url. */
    signature: string
    /** Own: signed by the signer's key. Custodial: by the engine, which keeps the key. */
    method: "own" | "custodial"
  }>
  /** Organizations that have yet to sign. */
  missing: string[]
  /** When calls are allowed from; absent until both have signed. */
  active_from?: string
}

/** Sign an amendment for your organization. */
export interface MoatSignAmendmentInput {
  /** Amendment to sign. */
  amendment_id: string
  /** Of the text to sign; absent: the engine signs if it keeps your key. */
  signature?: string
  /** The one in the text you signed; needed with signature. */
  timestamp?: string
  /** Key that made the signature; needed unless the engine keeps it. */
  public_key?: string
  /** Verdict of your charter; absent: a fitting unused one is taken. */
  authority?: string
}

/** Answer of MOAT sign_amendment. */
export interface MoatSignAmendmentOutput {
  /** Hash of the terms that were signed. */
  treaty_id: string
  /** Only ACTIVE grants calls. LAPSED: not signed in time. WITHDRAWN: ended unsigned. SUPERSEDED: by an amendment. */
  state: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
  /** Those given so far. */
  signatures: Array<{
    /** Organization that is bound. */
    tenant: string
    /** DID that signed. */
    signed_by: string
    /** When it was signed; part of the signed text. */
    timestamp: string
    /** Key that verifies the signature. */
    public_key: string
    /** Signature over the treaty, base64url. */
    signature: string
    /** Own: signed by the signer's key. Custodial: by the engine, which keeps the key. */
    method: "own" | "custodial"
  }>
  /** Organizations that have yet to sign. */
  missing: string[]
  /** When calls are allowed from; absent until both have signed. */
  active_from?: string
}

/** Terminate a treaty unilaterally, at any time. */
export interface MoatTerminateInput {
  /** Any treaty of the line ends its version in force; an unsigned one is withdrawn. */
  treaty_id: string
  /** Why; visible to your organization only. */
  reason: string
}

/** Answer of MOAT terminate. */
export interface MoatTerminateOutput {
  /** The version that ended. */
  treaty_id: string
  /** Only ACTIVE grants calls. LAPSED: not signed in time. WITHDRAWN: ended unsigned. SUPERSEDED: by an amendment. */
  state: "PROPOSED" | "PARTIALLY_SIGNED" | "SIGNED" | "ACTIVE" | "SUSPENDED" | "EXPIRED" | "TERMINATED" | "SUPERSEDED" | "WITHDRAWN" | "LAPSED"
  /** When it ended; the first time if it had ended already. */
  terminated_at: string
  /** Contracts under the treaty that remain due. */
  open_obligations: string[]
}

/** Check a service level objective of your calls, and how fast its error budget burns. */
export interface MomentSloInput {
  /** The promise to be judged. */
  objective: {
    /** Only calls of this protocol, in any letter case; absent means all. */
    protocol?: string
    /** Only calls of this operation; absent means all. */
    operation?: string
    /** availability: answered or rightly refused; latency: that, and within threshold_ms. */
    kind: "availability" | "latency"
    /** Where kind is latency: answered within it is good. */
    threshold_ms?: number
    /** The share that must be good. */
    target: number
  }
  /** Spans up to now to judge. Default 5m, 1h, 6h and 3d. */
  windows?: Array<"5m" | "30m" | "1h" | "6h" | "3d" | "30d">
  /** Every organization's; for the operator's own agents that hold svc.admin.observability. */
  all_tenants?: boolean
}

/** Answer of MOMENT slo. */
export interface MomentSloOutput {
  /** Calls in the longest window that kept the promise. */
  good: number
  /** All calls in the longest window. */
  total: number
  /** Good of total, over the longest window; 1 where nothing was asked. */
  sli: number
  /** Of that window; below 0 where more failed than may. */
  error_budget_left: number
  /** 1 uses up exactly what may fail. */
  burn_rate: {
    /** Over the last 5m; absent where not asked for. */
    "5m"?: number
    /** Over the last 30m; absent where not asked for. */
    "30m"?: number
    /** Over the last 1h; absent where not asked for. */
    "1h"?: number
    /** Over the last 6h; absent where not asked for. */
    "6h"?: number
    /** Over the last 3d; absent where not asked for. */
    "3d"?: number
    /** Over the last 30d; absent where not asked for. */
    "30d"?: number
  }
  /** page: the budget burns fast enough to act now; ticket: to act soon; none: all is well. */
  alert: "none" | "ticket" | "page"
}

/** Get a signed snapshot of the current state, or of the state at a past moment. */
export interface MomentSnapshotInput {
  /** Past moment to show; default now. */
  at?: string
  /** Parts to include. Default all. */
  sections?: Array<"dispatch" | "latency" | "breakers" | "audit" | "runway" | "workflows" | "mailboxes" | "devices">
  /** Every organization's; for the operator's own agents that hold svc.admin.observability. */
  all_tenants?: boolean
}

/** Answer of MOMENT snapshot. */
export interface MomentSnapshotOutput {
  /** Organization that is shown. */
  tenant_id: string
  /** The moment that is shown. */
  at: string
  /** Values of each part that was asked for. */
  sections: {
    /** Calls of the five minutes before, by protocol, and how many were refused or failed. */
    dispatch?: Record<string, unknown>
    /** Mean, p50, p95 and p99 in milliseconds of the five minutes before, by protocol. */
    latency?: Record<string, unknown>
    /** Circuit breakers: how many are closed, and which endpoints are failing. */
    breakers?: Record<string, unknown>
    /** Records and newest hash of the audit log; for now also the state of its writer. */
    audit?: Record<string, unknown>
    /** What the tenant has spent, reserved and left, and how many holds are on it. */
    runway?: Record<string, unknown>
    /** Workflow runs by state: open ones, and those that ended in the last day. */
    workflows?: Record<string, unknown>
    /** Number of mailboxes, their unfinished messages, dead letters and bytes. */
    mailboxes?: Record<string, unknown>
    /** Number of devices, and of those heard from lately. */
    devices?: Record<string, unknown>
  }
  /** Parts that cannot be shown for a past time. */
  unavailable: Array<{
    /** The part left out. */
    section: "dispatch" | "latency" | "breakers" | "audit" | "runway" | "workflows" | "mailboxes" | "devices"
    /** Why it is left out. */
    reason: string
  }>
  /** Hash of the last record in the tenant's audit log at that time. */
  chain_head: string
  /** Records in the tenant's audit log at that time. */
  tree_size: number
  /** C2SP signed note over the tree of this size, by the same key as the proof. */
  checkpoint?: string
  /** Whether a proof is included; a sealed log has no key to sign with. */
  signed: boolean
  /** W3C Data Integrity, eddsa-jcs-2022. */
  proof?: {
    /** Kind of proof, as W3C names it. */
    type: "DataIntegrityProof"
    /** How it is made: Ed25519 over canonical JSON. */
    cryptosuite: "eddsa-jcs-2022"
    /** When it was signed. */
    created: string
    /** Key that signed, as did:key: all that a check needs. */
    verificationMethod: string
    /** What the signature says: that this is so, or who signs. */
    proofPurpose: "assertionMethod" | "authentication"
    /** Issuer, if another key signs on its behalf. */
    controller?: string
    /** Multibase base58btc. */
    proofValue: string
  }
}

/** Run a workflow; ask how a run stands, signal it, cancel it, or try it again. */
export interface MoonExecuteWorkflowInput {
  /** Default start; the others need run_ref. status only reads; retry starts a new run from a step; undo tries the undoings that failed again. */
  action?: "start" | "status" | "signal" | "cancel" | "retry" | "undo"
  /** For start: what to run; or name and version. */
  manifest_ref?: string
  /** For start, with version: what to run. */
  name?: string
  /** For start, with name: what to run. */
  version?: string
  /** What the steps see as input; fits input_schema. */
  input?: unknown
  /** Unique in the tenant: starting the same manifest again with the same key returns the first run. */
  run_key?: string
  /** For start: what list finds the run by, such as {"order": "A-7"}. Kept sealed. */
  attributes?: Record<string, string>
  /** For start, status, retry and undo: wait up to this long for the run to end. */
  wait_ms?: number
  /** The run fails when it takes longer. */
  deadline_ms?: number
  /** The run; for every action but start. */
  run_ref?: string
  /** For signal: what a waiting gate gets. */
  signal?: {
    /** Name the gate waits for; outcome says what an unclear call did. */
    name: string
    /** As its gate declares it; for outcome: { path, performed, data }. */
    payload?: unknown
    /** Where a council may send it: its verdict, on the hash of run_ref, signal and payload. */
    verdict?: string
  }
  /** With cancel: undo what was done. */
  compensate?: boolean
  /** With retry: this step and all after it begin anew. */
  from_step?: string
  /** With undo: steps of not_undone that somebody has undone by other means; nothing is called for them. */
  undone?: string[]
  /** Why, for those who read the call later. */
  reason?: string
}

/** Answer of MOON execute_workflow. */
export interface MoonExecuteWorkflowOutput {
  /** A run, as its start answered it. */
  run_ref: string
  /** What it runs. */
  manifest_ref: string
  /** compensating: undoing what was done, then compensated, or compensation_failed if that did not work. */
  state: "pending" | "running" | "waiting" | "compensating" | "succeeded" | "failed" | "cancelled" | "compensated" | "compensation_failed"
  /** What it waits for; absent: it does not wait. */
  waiting_on?: "timer" | "signal" | "gate" | "runway" | "approval" | "action" | "run"
  /** Signals it waits for. */
  awaiting: Array<{
    /** The step that waits. */
    path: string
    /** Name of the signal; outcome: whether its outside call was made. */
    signal: string
    /** JSON Schema of its payload; absent: any. */
    schema?: unknown
    /** Who may send it, as its gate declares; absent: everybody. */
    from?: unknown
    /** When the gate decides without it; absent: never. */
    until?: string
  }>
  /** Steps that have started. */
  steps: Array<{
    /** Where the step is in the graph; unique. */
    path: string
    /** indeterminate: it is unclear whether its outside call was made. */
    state: "running" | "waiting" | "succeeded" | "failed" | "skipped" | "indeterminate"
    /** Number of the attempt. */
    attempt: number
    /** How long it took, in milliseconds. */
    execution_time_ms: number
    /** How sure its answer is, 0 to 1. */
    confidence_score?: number
    /** Why it was skipped. */
    skip_reason?: string
    /** Of an undoing that nobody called: who said that the step was undone by other means. */
    by_hand?: string
    /** The run that it started and waits for. */
    run_ref?: string
    /** Why it failed. */
    error?: {
      /** Error code. */
      code: string
      /** What happened, why and what to do. */
      message: string
    }
  }>
  /** With compensation_failed: steps that are done and could not be undone. undo tries again. */
  not_undone?: string[]
  /** What the run answered; absent until it succeeded. */
  output?: unknown
  /** Why the run failed; absent: it did not. */
  error_code?: string
  /** How sure the result is, 0 to 1. */
  confidence_score: number
  /** Audit records of the calls it made. */
  audit_refs: string[]
  /** When its first step started. */
  started_at?: string
  /** When it ended; absent: it has not. */
  ended_at?: string
}

/** Read what each step of a run was called with and answered, with all attempts and times. */
export interface MoonHistoryInput {
  /** The run. */
  run_ref: string
  /** Only this step; its input and output are then shown in full. */
  path?: string
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MOON history. */
export interface MoonHistoryOutput {
  /** Whether inputs and outputs are shown: to the identity as which the steps call, if no other made those taken over by a retry, and to charter members. */
  has_content: boolean
  /** Steps, gates and undoings that have begun, the last begun first. */
  steps: Array<{
    /** Where the step is in the graph; of a loop, rounds are numbers. */
    path: string
    /** indeterminate: it is unclear whether its outside call was made. */
    state: "running" | "waiting" | "succeeded" | "failed" | "skipped" | "indeterminate"
    /** Number of the last attempt. */
    attempt: number
    /** When the last attempt started. */
    started_at: string
    /** When it ended; absent: it has not. */
    ended_at?: string
    /** How long the last call took, in milliseconds. */
    execution_time_ms: number
    /** Why it failed. */
    error_code?: string
    /** What happened, for those who may read the answers of the run. */
    message?: string
    /** Why it was skipped. */
    skip_reason?: string
    /** Of an undoing that nobody called: who said that the step was undone by other means. */
    by_hand?: string
    /** The audit record of the call. */
    record_id?: string
    /** What it was called with; absent: no call, or not shown. */
    input?: unknown
    /** What it answered; absent: nothing, or not shown. */
    output?: unknown
    /** What is longer than 16 KiB; ask with path to see it. */
    not_shown?: Array<"input" | "output">
    /** Attempts before the last one, oldest first. */
    attempts: Array<{
      /** Number of the attempt. */
      attempt: number
      /** When it started. */
      started_at: string
      /** When it ended. */
      ended_at: string
      /** How long its call took, in milliseconds. */
      execution_time_ms: number
      /** Why it failed. */
      error_code: string
      /** What happened, for those who may read the answers of the run. */
      message?: string
      /** What was answered, if that was the failure. More than 1 KiB is shown with path only, more than 16 KiB never. */
      output?: unknown
      /** The audit record of its call. */
      record_id?: string
    }>
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** List runs, or the manifests they run, newest first; of one of them the graph of its steps. */
export interface MoonListInput {
  /** What to list. */
  kind?: "runs" | "manifests"
  /** For runs, the run state; for manifests, active, paused or inactive. */
  state?: "pending" | "running" | "waiting" | "compensating" | "succeeded" | "failed" | "cancelled" | "compensated" | "compensation_failed" | "active" | "paused" | "inactive"
  /** Only this manifest, or only its runs. */
  manifest_ref?: string
  /** Only this run. */
  run_ref?: string
  /** Only manifests of this name, or only their runs. */
  name?: string
  /** For runs: only those that steps of this run have started. */
  parent_run_ref?: string
  /** For runs: only those that were started with all of these attributes. */
  attributes?: Record<string, string>
  /** With run_ref, or manifest_ref of manifests: its graph. */
  include_detail?: boolean
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MOON list. */
export interface MoonListOutput {
  /** Runs, newest first; for kind runs. */
  runs?: Array<{
    /** Names the run in execute_workflow. */
    run_ref: string
    /** What it runs. */
    manifest_ref: string
    /** Name of its manifest. */
    name: string
    /** Version of its manifest. */
    version: string
    /** Identity as which its steps call. */
    owner_did: string
    /** compensating: undoing what was done, then compensated, or compensation_failed if that did not work. */
    state: "pending" | "running" | "waiting" | "compensating" | "succeeded" | "failed" | "cancelled" | "compensated" | "compensation_failed"
    /** What it waits for; absent: it does not wait. */
    waiting_on?: "timer" | "signal" | "gate" | "runway" | "approval" | "action" | "run"
    /** Set while it is cancelled: stop only, or also undo what was done. */
    cancelling?: "stop" | "compensate"
    /** Why it failed; absent: it did not. */
    error_code?: string
    /** How sure its result is, 0 to 1; absent: not known yet. */
    confidence_score?: number
    /** Steps by state. */
    progress: {
      /** Number of steps, sub-recipes included; absent: not known. */
      steps_total?: number
      /** Steps that run now. */
      running: number
      /** Steps that wait. */
      waiting: number
      /** Steps that succeeded. */
      succeeded: number
      /** Steps that failed. */
      failed: number
      /** Steps that were skipped. */
      skipped: number
      /** Steps of which it is unclear whether their outside call was made. */
      indeterminate: number
    }
    /** Request in whose records the run is found. */
    correlation_id: string
    /** Run that it repeats. */
    retry_of?: string
    /** Run of which a step has started it. */
    parent_run_ref?: string
    /** What it was started with to be found by. */
    attributes?: Record<string, string>
    /** When it was asked for. */
    created_at: string
    /** When its first step started. */
    started_at?: string
    /** When it ended; absent: it has not. */
    ended_at?: string
    /** It fails if it has not ended by then. */
    deadline_at?: string
    /** Its graph; with include_detail. */
    detail?: {
      /** Steps with what they depend on, sub-recipes included. */
      steps: Array<{
        /** Where the step is in the graph; unique. */
        path: string
        /** What the step is. */
        kind: "Protocol" | "Gate" | "Audit" | "SubRecipe" | "Parallel" | "Fail" | "ForEach" | "Repeat" | "Round" | "Run" | "Wait" | "GovernanceGate" | "Compensation"
        /** Steps that must end before it. */
        depends_on: string[]
        /** The path of the step that holds it. */
        within?: string
        /** Branch of its gate in which it is. */
        branch?: "on_true" | "on_false"
        /** Protocol it calls. */
        protocol?: string
        /** Operation it calls. */
        operation?: string
        /** Whether its failure lets the run go on. */
        optional: boolean
        /** indeterminate: it is unclear whether its outside call was made. pending in a manifest. */
        state: "pending" | "running" | "waiting" | "succeeded" | "failed" | "skipped" | "indeterminate"
        /** Number of the attempt; absent: it has not started. */
        attempt?: number
        /** When it started. */
        started_at?: string
        /** When it ended. */
        ended_at?: string
        /** When it is looked at again. */
        due_at?: string
        /** How long it took, in milliseconds. */
        execution_time_ms?: number
        /** Why it failed. */
        error_code?: string
        /** Why it was skipped. */
        skip_reason?: string
        /** The audit record of the call it made. */
        record_id?: string
      }>
      /** What steps of a run answered, each up to 16 KiB; for the identity as which they call, if no other made those taken over by a retry, and charter members. */
      answers?: Array<{
        /** Path of the step in the graph. */
        path: string
        /** What it answered. */
        data: unknown
      }>
      /** Why it cannot be planned any more; execute_workflow status tells what was done. */
      unplanned?: string
    }
  }>
  /** Manifests, newest first; for kind manifests. */
  manifests?: Array<{
    /** Hash of what was submitted. */
    manifest_ref: string
    /** Name its runs are started by. */
    name: string
    /** Version its runs are started by. */
    version: string
    /** Hash of its steps, gates and checkpoints. */
    recipe_id: string
    /** Identity as which scheduled runs call. */
    submitted_by: string
    /** When it was submitted. */
    submitted_at: string
    /** paused: its schedule stopped. inactive: kept, nobody can start it. */
    state: "active" | "paused" | "inactive"
    /** Why its schedule stopped. */
    paused_reason?: string
    /** When runs start by themselves; absent: they do not. */
    schedule?: {
      /** Times, in five fields, or six with seconds. */
      cron: string
      /** Time zone of these times. */
      tz: string
      /** If the run before has not ended: skip this one, or queue it. */
      overlap: "skip" | "queue"
      /** When the next run starts. */
      next_at?: string
    }
    /** Number of steps, sub-recipes included; absent: not known. */
    steps_total?: number
    /** Number of runs that have not ended. */
    open_runs: number
    /** Its newest run; absent: there was none. */
    last_run?: {
      /** Names the run. */
      run_ref: string
      /** compensating: undoing what was done, then compensated, or compensation_failed if that did not work. */
      state: "pending" | "running" | "waiting" | "compensating" | "succeeded" | "failed" | "cancelled" | "compensated" | "compensation_failed"
      /** When it was asked for. */
      created_at: string
    }
    /** Its graph; with include_detail. */
    detail?: {
      /** Steps with what they depend on, sub-recipes included. */
      steps: Array<{
        /** Where the step is in the graph; unique. */
        path: string
        /** What the step is. */
        kind: "Protocol" | "Gate" | "Audit" | "SubRecipe" | "Parallel" | "Fail" | "ForEach" | "Repeat" | "Round" | "Run" | "Wait" | "GovernanceGate" | "Compensation"
        /** Steps that must end before it. */
        depends_on: string[]
        /** The path of the step that holds it. */
        within?: string
        /** Branch of its gate in which it is. */
        branch?: "on_true" | "on_false"
        /** Protocol it calls. */
        protocol?: string
        /** Operation it calls. */
        operation?: string
        /** Whether its failure lets the run go on. */
        optional: boolean
        /** indeterminate: it is unclear whether its outside call was made. pending in a manifest. */
        state: "pending" | "running" | "waiting" | "succeeded" | "failed" | "skipped" | "indeterminate"
        /** Number of the attempt; absent: it has not started. */
        attempt?: number
        /** When it started. */
        started_at?: string
        /** When it ended. */
        ended_at?: string
        /** When it is looked at again. */
        due_at?: string
        /** How long it took, in milliseconds. */
        execution_time_ms?: number
        /** Why it failed. */
        error_code?: string
        /** Why it was skipped. */
        skip_reason?: string
        /** The audit record of the call it made. */
        record_id?: string
      }>
      /** What steps of a run answered, each up to 16 KiB; for the identity as which they call, if no other made those taken over by a retry, and charter members. */
      answers?: Array<{
        /** Path of the step in the graph. */
        path: string
        /** What it answered. */
        data: unknown
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
  /** The workflow; this or an intent. */
  manifest?: {
    /** What runs of it are started by, together with the version. */
    name: string
    /** Semantic version; a name and version always mean the same content. */
    version: string
    /** JSON Schema that the input of a run must fit. */
    input_schema?: Record<string, unknown>
    /** What is done. Kinds of steps: Protocol, Gate, Audit, SubRecipe, Parallel, Fail, ForEach, Repeat, Run, Wait. The schema describes the fields of each under RecipeStep, and docs/workflows.md explains them. */
    steps: unknown[]
    /** For steps that say nothing of their own. */
    defaults?: {
      /** How long one attempt may take, in milliseconds. */
      timeout_ms?: number
      /** When and how often a failed attempt is repeated. */
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
        /** Only after these errors: types that steps declare, unsuccessful, or codes such as timeout. Absent: after every failure. */
        on?: string[]
      }
    }
    /** By step: what undoes it. Run in reverse order when the run fails, or is cancelled with compensate. */
    compensation?: Record<string, unknown>
    /** When runs start by themselves; absent: they do not. */
    schedule?: {
      /** Five fields, or six with seconds. */
      cron: string
      /** Time zone of the times, such as Europe/Berlin. */
      tz?: string
      /** When the run before it has not ended. */
      overlap?: "skip" | "queue"
    }
    /** How many runs may run in parallel; absent: no limit. */
    concurrency?: {
      /** CEL over input: runs with the same value stand in one line. */
      key: string
      /** Runs with the same value that may run in parallel. */
      max: number
    }
    /** Decisions that must allow a step. */
    governance_gates?: Array<{
      /** It is judged before this step. */
      at_step: string
      /** Who judges: the policies, the verdict of a council, or a treaty between two parties. */
      kind: "MAXIM" | "MACE-quorum" | "MOAT-treaty"
      /** What happens if it passes. Abort fails the run, Continue goes on, Escalate waits for a MOOT ruling. */
      on_pass: "Abort" | "Continue" | "Escalate"
      /** What happens if it does not. Abort fails the run, Continue goes on, Escalate waits for a MOOT ruling. */
      on_fail: "Abort" | "Continue" | "Escalate"
      /** The request to the judging protocol, such as the motion or the parties. */
      question?: Record<string, unknown>
      /** With Escalate: the input of MOOT.file; at least respondent_did. */
      escalation?: Record<string, unknown>
    }>
    /** Steps whose end is written to the audit log. */
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
    /** Semantic version; a name and version always mean the same content. */
    version: string
  }
  /** What compiling an intent may use. */
  budget?: {
    /** What compiling an intent may use in all; without it nothing is reserved. */
    tokens: number
    /** Time at most, in milliseconds. */
    deadline_ms?: number
  }
  /** False keeps it without letting anybody start it, its schedule included. What comes of an intent is always kept so. */
  activate?: boolean
}

/** Answer of MOON submit_manifest. */
export interface MoonSubmitManifestOutput {
  /** The hash of what was submitted. */
  manifest_ref: string
  /** Hash of its steps, gates and checkpoints. */
  recipe_id: string
  /** False if the same content was submitted before. */
  is_new: boolean
  /** What only a run can decide, with its place. */
  warnings: string[]
  /** Length of the longest chain of steps without retries, in milliseconds. A step takes as long as usual in the last runs of this name (the median), and its time limit while it has not been run. */
  critical_path_ms: number
  /** Calls that no run of this name has made yet: of these critical_path_ms has the time limit. */
  unmeasured_steps: number
  /** What whoever runs it must hold; checked again at each step. */
  required_capabilities: string[]
  /** When its schedule starts it next; absent: it has none. */
  next_run_at?: string
  /** What a model made of the intent. Submit the manifest to activate it. */
  proposed?: {
    /** The workflow the model made. */
    manifest: {
      /** What runs of it are started by, together with the version. */
      name: string
      /** Semantic version; a name and version always mean the same content. */
      version: string
      /** JSON Schema that the input of a run must fit. */
      input_schema?: Record<string, unknown>
      /** What is done. Kinds of steps: Protocol, Gate, Audit, SubRecipe, Parallel, Fail, ForEach, Repeat, Run, Wait. The schema describes the fields of each under RecipeStep, and docs/workflows.md explains them. */
      steps: unknown[]
      /** For steps that say nothing of their own. */
      defaults?: {
        /** How long one attempt may take, in milliseconds. */
        timeout_ms?: number
        /** When and how often a failed attempt is repeated. */
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
          /** Only after these errors: types that steps declare, unsuccessful, or codes such as timeout. Absent: after every failure. */
          on?: string[]
        }
      }
      /** By step: what undoes it. Run in reverse order when the run fails, or is cancelled with compensate. */
      compensation?: Record<string, unknown>
      /** When runs start by themselves; absent: they do not. */
      schedule?: {
        /** Five fields, or six with seconds. */
        cron: string
        /** Time zone of the times, such as Europe/Berlin. */
        tz?: string
        /** When the run before it has not ended. */
        overlap?: "skip" | "queue"
      }
      /** How many runs may run in parallel; absent: no limit. */
      concurrency?: {
        /** CEL over input: runs with the same value stand in one line. */
        key: string
        /** Runs with the same value that may run in parallel. */
        max: number
      }
      /** Decisions that must allow a step. */
      governance_gates?: Array<{
        /** It is judged before this step. */
        at_step: string
        /** Who judges: the policies, the verdict of a council, or a treaty between two parties. */
        kind: "MAXIM" | "MACE-quorum" | "MOAT-treaty"
        /** What happens if it passes. Abort fails the run, Continue goes on, Escalate waits for a MOOT ruling. */
        on_pass: "Abort" | "Continue" | "Escalate"
        /** What happens if it does not. Abort fails the run, Continue goes on, Escalate waits for a MOOT ruling. */
        on_fail: "Abort" | "Continue" | "Escalate"
        /** The request to the judging protocol, such as the motion or the parties. */
        question?: Record<string, unknown>
        /** With Escalate: the input of MOOT.file; at least respondent_did. */
        escalation?: Record<string, unknown>
      }>
      /** Steps whose end is written to the audit log. */
      audit_checkpoints?: string[]
      /** CEL over input and steps: what the run answers. */
      output?: string
    }
    /** Name of the model. */
    model: string
  }
}

/** File a case, or appeal a ruling. */
export interface MootFileInput {
  /** Who the claim is against; in an appeal, the other party. */
  respondent_did: string
  /** What happened and what you claim. */
  claim: string
  /** References to records, contracts, treaties or verdicts that you may read; at least one must verify. */
  evidence: string[]
  /** What the court should order. */
  requested_remedy: {
    /** declaratory: only state who is right. specific_performance: force payment under the contract. */
    kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
    /** Amount to pay; needed for pay. */
    amount_usd?: string | number
    /** What it applies to: made://contract/<id> or moat://<treaty_id>. */
    target?: string
  }
  /** Treaty at issue; its dispute clause decides the venue. */
  treaty_id?: string
  /** A tenant or DID; must be the agreed venue. */
  venue?: string
  /** Case whose ruling you appeal. */
  appeal_of?: string
}

/** Answer of MOOT file. */
export interface MootFileOutput {
  /** Names the case in the other MOOT operations. */
  case_id: string
  /** DEFAULTED: not answered in time. REMEDIED: remedy executed. CLOSED: nothing to execute. DISMISSED: no valid evidence. */
  state: "FILED" | "PLEADED" | "DEFAULTED" | "HEARD" | "RULED" | "APPEALED" | "REMEDIED" | "CLOSED" | "SETTLED" | "WITHDRAWN" | "DISMISSED"
  /** Organization where the case is heard. */
  venue: string
  /** Arbiters; empty until they are drawn, moments after the filing. */
  panel: string[]
  /** You owe it to the other side if the case is lost and the panel finds it frivolous, in US dollars. */
  fee_usd: string
  /** The other side answers by then; counted again from the day it was served. */
  plead_by: string
  /** What verifying the evidence showed. */
  evidence_check: Array<{
    /** The evidence. */
    ref: string
    /** Whether it exists and the court may read it. */
    found: boolean
    /** Whether its content matches its hash. */
    hash_ok: boolean
    /** Whether it is signed by who should have signed it. */
    signature_ok: boolean
  }>
}

/** Replay and verify both parties' records of the disputed requests, side by side. */
export interface MootHearInput {
  /** Case to hear. */
  case_id: string
  /** Only records of this time; absent: all of the disputed requests. */
  scope?: {
    /** Only records from this time on. */
    from?: string
    /** Only records before this time. */
    to?: string
  }
}

/** Answer of MOOT hear. */
export interface MootHearOutput {
  /** Hash of this report. */
  hearing_id: string
  /** DEFAULTED: not answered in time. REMEDIED: remedy executed. CLOSED: nothing to execute. DISMISSED: no valid evidence. */
  state: "FILED" | "PLEADED" | "DEFAULTED" | "HEARD" | "RULED" | "APPEALED" | "REMEDIED" | "CLOSED" | "SETTLED" | "WITHDRAWN" | "DISMISSED"
  /** Records of both parties, in order of time. */
  timeline: Array<{
    /** When it was recorded. */
    at: string
    /** Organization whose audit log holds it. */
    tenant: string
    /** Hash of the record. */
    record_hash: string
    /** What happened, as the audit log names it. */
    event_type: string
    /** Protocol of the call. */
    protocol?: string
    /** Operation of the call. */
    operation?: string
    /** How it ended: success, refused or error. */
    outcome: string
    /** Side that called; absent if it was neither. */
    party?: "claimant" | "respondent"
  }>
  /** For each organization, whether its records verified. */
  chain_verified: Record<string, boolean>
  /** For each organization, the newest record when it was read. */
  heads: Record<string, {
    /** Number of the record. */
    seq: number
    /** Hash of the record. */
    hash: string
  }>
  /** What the records show, such as a call that only one side recorded. */
  findings: Array<{
    /** What was found, in words. */
    fact: string
    /** References that show it. */
    supported_by: string[]
    /** References that speak against it. */
    contradicted_by: string[]
  }>
  /** What verifying all evidence again showed. */
  evidence_check: Array<{
    /** The evidence. */
    ref: string
    /** Whether it exists and the court may read it. */
    found: boolean
    /** Whether its content matches its hash. */
    hash_ok: boolean
    /** Whether it is signed by who should have signed it. */
    signature_ok: boolean
  }>
  /** Evidence that did not verify. */
  unproven: string[]
}

/** List the cases in which your organization is a party or the venue, or read one with its documents. */
export interface MootListInput {
  /** Only this case. */
  case_id?: string
  /** Only cases in this state now. */
  state?: "FILED" | "PLEADED" | "DEFAULTED" | "HEARD" | "RULED" | "APPEALED" | "REMEDIED" | "CLOSED" | "SETTLED" | "WITHDRAWN" | "DISMISSED"
  /** Only cases in which your organization has this part. */
  role?: "claimant" | "respondent" | "venue"
  /** Only with case_id. */
  include_detail?: boolean
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MOOT list. */
export interface MootListOutput {
  /** Cases of your organization, newest first. */
  items: Array<{
    /** Names the case in the other MOOT operations. */
    case_id: string
    /** DEFAULTED: not answered in time. REMEDIED: remedy executed. CLOSED: nothing to execute. DISMISSED: no valid evidence. */
    state: "FILED" | "PLEADED" | "DEFAULTED" | "HEARD" | "RULED" | "APPEALED" | "REMEDIED" | "CLOSED" | "SETTLED" | "WITHDRAWN" | "DISMISSED"
    /** Parts of your organization. */
    roles: Array<"claimant" | "respondent" | "venue">
    /** Who claims. */
    claimant: {
      /** Organization of the party. */
      tenant_id: string
      /** DID of the party. */
      did: string
    }
    /** Who the claim is against. */
    respondent: {
      /** Organization of the party. */
      tenant_id: string
      /** DID of the party. */
      did: string
    }
    /** Side that filed; the respondent may file an appeal. */
    filed_by: "claimant" | "respondent"
    /** Organization where the case is heard. */
    venue: string
    /** Arbiters. */
    panel: string[]
    /** What the court should order. */
    requested_remedy: {
      /** declaratory: only state who is right. specific_performance: force payment under the contract. */
      kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
      /** Amount to pay, in US dollars with six decimal places. */
      amount_usd?: string
      /** Amount to pay, in whole millionths of a US dollar. */
      amount_micro_usd?: string
      /** What it applies to: a contract or a treaty. */
      target?: string
    }
    /** Treaty at issue; absent: none. */
    treaty_id?: string
    /** When it was filed. */
    filed_at: string
    /** The respondent answers by then, or the case goes on without. */
    plead_by: string
    /** When the respondent answered; absent: not yet. */
    answered_at?: string
    /** Arbiters vote until then; absent before a hearing. */
    rule_by?: string
    /** An appeal may be filed until then. */
    appeal_until?: string
    /** When it ended. */
    closed_at?: string
    /** Case whose ruling this one appeals. */
    appeal_of?: string
    /** Case that appeals this one's ruling. */
    appealed_by?: string
    /** The decision; absent before it. */
    ruling?: {
      /** Hash of the ruling. */
      ruling_id: string
      /** Reference to cite. */
      ref: string
      /** Who is right; by_consent: both agreed; no_majority: the arbiters did not. */
      finding: "no_jurisdiction" | "for_respondent" | "split" | "for_claimant" | "no_majority" | "by_consent"
      /** Side that the remedy favours. */
      in_favour_of: "claimant" | "respondent"
      /** What is ordered; absent: nothing. */
      remedy?: {
        /** declaratory: only state who is right. specific_performance: force payment under the contract. */
        kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
        /** Amount to pay, in US dollars with six decimal places. */
        amount_usd?: string
        /** Amount to pay, in whole millionths of a US dollar. */
        amount_micro_usd?: string
        /** What it applies to: a contract or a treaty. */
        target?: string
      }
      /** PENDING until no appeal is possible; SUPERSEDED: an appeal or agreement replaced it. */
      remedy_state?: "PENDING" | "EXECUTED" | "IMPOSSIBLE" | "SUPERSEDED"
      /** Number of outvoted arbiters. */
      dissent: number
      /** When it was decided. */
      ruled_at: string
      /** Its entry in the registry. */
      registered?: string
    }
    /** Papers and hearings; with include_detail. */
    detail?: {
      /** All papers of the case. */
      docket: {
        /** Who claims. */
        claimant_did: string
        /** Who the claim is against. */
        respondent_did: string
        /** Organization where the case is heard. */
        venue: string
        /** Arbiters; empty until they are drawn. */
        panel: string[]
        /** What is claimed. */
        claim: string
        /** What the court should order. */
        requested_remedy: {
          /** declaratory: only state who is right. specific_performance: force payment under the contract. */
          kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
          /** Amount to pay, in US dollars with six decimal places. */
          amount_usd?: string
          /** Amount to pay, in whole millionths of a US dollar. */
          amount_micro_usd?: string
          /** What it applies to: a contract or a treaty. */
          target?: string
        }
        /** What verifying the evidence showed. */
        evidence_check: Array<{
          /** The evidence. */
          ref: string
          /** Whether it exists and the court may read it. */
          found: boolean
          /** Whether its content matches its hash. */
          hash_ok: boolean
          /** Whether it is signed by who should have signed it. */
          signature_ok: boolean
        }>
        /** The other side answers by then, or the case goes on without. */
        plead_by: string
        /** When the other side was served; until then there is no default. */
        served_at?: string
        /** Owed by who filed if the case is lost and found frivolous, in US dollars. */
        fee_usd: string
        /** How the panel is drawn; absent for cases of older releases. */
        draw?: {
          /** Size of the panel. */
          seats: number
          /** All who may sit, as on filing, by DID. */
          eligible: Array<{
            /** Arbiter who may sit. */
            did: string
            /** Its root; of each root at most one sits. */
            root_did: string
          }>
          /** Hash of {case_id, seats, eligible, follows}; stands in the record of the filing. */
          eligible_hash: string
          /** Earlier case whose order comes first; absent: none. */
          follows?: string
          /** Correlation id of that record in the venue's audit log. */
          filing: string
          /** The first signed checkpoint of the venue's audit log that covers the record, as a note; absent until it is drawn. */
          checkpoint?: string
          /** Order of the draw: the first sit. Absent until it is drawn. */
          order?: string[]
        }
        /** Pleadings in the order they were made. */
        pleadings: Array<{
          /** Side that pleaded. */
          side: "claimant" | "respondent"
          /** DID that pleaded. */
          by: string
          /** What it pleaded. */
          plea: "deny" | "admit" | "counterclaim" | "settle" | "withdraw"
          /** Its reasons. */
          argument: string
          /** What verifying its evidence showed. */
          evidence: Array<{
            /** The evidence. */
            ref: string
            /** Whether it exists and the court may read it. */
            found: boolean
            /** Whether its content matches its hash. */
            hash_ok: boolean
            /** Whether it is signed by who should have signed it. */
            signature_ok: boolean
          }>
          /** Its own claim. */
          counterclaim?: {
            /** What it claims. */
            claim: string
            /** What it asks the court to order. */
            requested_remedy: {
              /** declaratory: only state who is right. specific_performance: force payment under the contract. */
              kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
              /** Amount to pay, in US dollars with six decimal places. */
              amount_usd?: string
              /** Amount to pay, in whole millionths of a US dollar. */
              amount_micro_usd?: string
              /** What it applies to: a contract or a treaty. */
              target?: string
            }
          }
          /** What it offers. */
          settlement?: {
            /** declaratory: only state who is right. specific_performance: force payment under the contract. */
            kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
            /** Amount to pay, in US dollars with six decimal places. */
            amount_usd?: string
            /** Amount to pay, in whole millionths of a US dollar. */
            amount_micro_usd?: string
            /** What it applies to: a contract or a treaty. */
            target?: string
          }
          /** When it pleaded. */
          at: string
        }>
        /** The decision; absent before it. */
        ruling?: {
          /** Hash of the ruling. */
          ruling_id: string
          /** Who is right; by_consent: both agreed; no_majority: the arbiters did not. */
          finding: "no_jurisdiction" | "for_respondent" | "split" | "for_claimant" | "no_majority" | "by_consent"
          /** What is ordered; absent: nothing. */
          remedy?: {
            /** declaratory: only state who is right. specific_performance: force payment under the contract. */
            kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
            /** Amount to pay, in US dollars with six decimal places. */
            amount_usd?: string
            /** Amount to pay, in whole millionths of a US dollar. */
            amount_micro_usd?: string
            /** What it applies to: a contract or a treaty. */
            target?: string
          }
          /** Side that the remedy favours. */
          in_favour_of: "claimant" | "respondent"
          /** Most of the panel found that it should not have been filed; absent: not so. */
          frivolous?: boolean
          /** Arbiters who carried it, with reasons. */
          majority: Array<{
            /** Arbiter. */
            did: string
            /** What this arbiter found. */
            finding: "no_jurisdiction" | "for_respondent" | "split" | "for_claimant"
            /** What this arbiter would order; absent: nothing. */
            remedy?: {
              /** declaratory: only state who is right. specific_performance: force payment under the contract. */
              kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
              /** Amount to pay, in US dollars with six decimal places. */
              amount_usd?: string
              /** Amount to pay, in whole millionths of a US dollar. */
              amount_micro_usd?: string
              /** What it applies to: a contract or a treaty. */
              target?: string
            }
            /** Why. */
            reasoning: string
          }>
          /** Arbiters who were outvoted, with reasons. */
          dissent: Array<{
            /** Arbiter. */
            did: string
            /** What this arbiter found. */
            finding: "no_jurisdiction" | "for_respondent" | "split" | "for_claimant"
            /** What this arbiter would order; absent: nothing. */
            remedy?: {
              /** declaratory: only state who is right. specific_performance: force payment under the contract. */
              kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
              /** Amount to pay, in US dollars with six decimal places. */
              amount_usd?: string
              /** Amount to pay, in whole millionths of a US dollar. */
              amount_micro_usd?: string
              /** What it applies to: a contract or a treaty. */
              target?: string
            }
            /** Why. */
            reasoning: string
          }>
          /** Its entry in the registry. */
          registered?: string
          /** An appeal may be filed until then; the remedy waits. */
          appeal_until?: string
        }
      }
      /** Newest first. */
      hearings: Array<{
        /** Hash of the hearing's report. */
        hearing_id: string
        /** Arbiter who held it. */
        held_by: string
        /** When it was held. */
        held_at: string
        /** For each organization, whether its records verified. */
        chain_verified: Record<string, boolean>
        /** Number of findings. */
        findings: number
        /** Number of references that did not verify. */
        unproven: number
      }>
    }
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Answer a case, offer to settle it, withdraw it, or read its documents. */
export interface MootPleadInput {
  /** The case. */
  case_id: string
  /** view changes nothing. settle ends the case once both offer the same. withdraw is for who filed it. */
  plea: "deny" | "admit" | "counterclaim" | "settle" | "withdraw" | "view"
  /** Required for every plea except view. */
  argument?: string
  /** References to records, contracts, treaties or verdicts. */
  evidence?: string[]
  /** The respondent's own claim; with plea counterclaim. */
  counterclaim?: {
    /** What happened and what you claim. */
    claim: string
    /** What the court should order. */
    requested_remedy: {
      /** declaratory: only state who is right. specific_performance: force payment under the contract. */
      kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
      /** Amount to pay; needed for pay. */
      amount_usd?: string | number
      /** What it applies to: made://contract/<id> or moat://<treaty_id>. */
      target?: string
    }
  }
  /** Your offer; with plea settle. */
  settlement?: {
    /** declaratory: only state who is right. specific_performance: force payment under the contract. */
    kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
    /** Amount to pay; needed for pay. */
    amount_usd?: string | number
  }
}

/** Answer of MOOT plead. */
export interface MootPleadOutput {
  /** The case. */
  case_id: string
  /** DEFAULTED: not answered in time. REMEDIED: remedy executed. CLOSED: nothing to execute. DISMISSED: no valid evidence. */
  state: "FILED" | "PLEADED" | "DEFAULTED" | "HEARD" | "RULED" | "APPEALED" | "REMEDIED" | "CLOSED" | "SETTLED" | "WITHDRAWN" | "DISMISSED"
  /** Pleadings of both sides so far. */
  pleadings_count: number
  /** It can be heard from then on; absent once it was. */
  hear_after?: string
  /** What verifying your evidence showed. */
  evidence_check?: Array<{
    /** The evidence. */
    ref: string
    /** Whether it exists and the court may read it. */
    found: boolean
    /** Whether its content matches its hash. */
    hash_ok: boolean
    /** Whether it is signed by who should have signed it. */
    signature_ok: boolean
  }>
  /** All papers of the case; with view. */
  docket?: {
    /** Who claims. */
    claimant_did: string
    /** Who the claim is against. */
    respondent_did: string
    /** Organization where the case is heard. */
    venue: string
    /** Arbiters; empty until they are drawn. */
    panel: string[]
    /** What is claimed. */
    claim: string
    /** What the court should order. */
    requested_remedy: {
      /** declaratory: only state who is right. specific_performance: force payment under the contract. */
      kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
      /** Amount to pay, in US dollars with six decimal places. */
      amount_usd?: string
      /** Amount to pay, in whole millionths of a US dollar. */
      amount_micro_usd?: string
      /** What it applies to: a contract or a treaty. */
      target?: string
    }
    /** What verifying the evidence showed. */
    evidence_check: Array<{
      /** The evidence. */
      ref: string
      /** Whether it exists and the court may read it. */
      found: boolean
      /** Whether its content matches its hash. */
      hash_ok: boolean
      /** Whether it is signed by who should have signed it. */
      signature_ok: boolean
    }>
    /** The other side answers by then, or the case goes on without. */
    plead_by: string
    /** When the other side was served; until then there is no default. */
    served_at?: string
    /** Owed by who filed if the case is lost and found frivolous, in US dollars. */
    fee_usd: string
    /** How the panel is drawn; absent for cases of older releases. */
    draw?: {
      /** Size of the panel. */
      seats: number
      /** All who may sit, as on filing, by DID. */
      eligible: Array<{
        /** Arbiter who may sit. */
        did: string
        /** Its root; of each root at most one sits. */
        root_did: string
      }>
      /** Hash of {case_id, seats, eligible, follows}; stands in the record of the filing. */
      eligible_hash: string
      /** Earlier case whose order comes first; absent: none. */
      follows?: string
      /** Correlation id of that record in the venue's audit log. */
      filing: string
      /** The first signed checkpoint of the venue's audit log that covers the record, as a note; absent until it is drawn. */
      checkpoint?: string
      /** Order of the draw: the first sit. Absent until it is drawn. */
      order?: string[]
    }
    /** Pleadings in the order they were made. */
    pleadings: Array<{
      /** Side that pleaded. */
      side: "claimant" | "respondent"
      /** DID that pleaded. */
      by: string
      /** What it pleaded. */
      plea: "deny" | "admit" | "counterclaim" | "settle" | "withdraw"
      /** Its reasons. */
      argument: string
      /** What verifying its evidence showed. */
      evidence: Array<{
        /** The evidence. */
        ref: string
        /** Whether it exists and the court may read it. */
        found: boolean
        /** Whether its content matches its hash. */
        hash_ok: boolean
        /** Whether it is signed by who should have signed it. */
        signature_ok: boolean
      }>
      /** Its own claim. */
      counterclaim?: {
        /** What it claims. */
        claim: string
        /** What it asks the court to order. */
        requested_remedy: {
          /** declaratory: only state who is right. specific_performance: force payment under the contract. */
          kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
          /** Amount to pay, in US dollars with six decimal places. */
          amount_usd?: string
          /** Amount to pay, in whole millionths of a US dollar. */
          amount_micro_usd?: string
          /** What it applies to: a contract or a treaty. */
          target?: string
        }
      }
      /** What it offers. */
      settlement?: {
        /** declaratory: only state who is right. specific_performance: force payment under the contract. */
        kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
        /** Amount to pay, in US dollars with six decimal places. */
        amount_usd?: string
        /** Amount to pay, in whole millionths of a US dollar. */
        amount_micro_usd?: string
        /** What it applies to: a contract or a treaty. */
        target?: string
      }
      /** When it pleaded. */
      at: string
    }>
    /** The decision; absent before it. */
    ruling?: {
      /** Hash of the ruling. */
      ruling_id: string
      /** Who is right; by_consent: both agreed; no_majority: the arbiters did not. */
      finding: "no_jurisdiction" | "for_respondent" | "split" | "for_claimant" | "no_majority" | "by_consent"
      /** What is ordered; absent: nothing. */
      remedy?: {
        /** declaratory: only state who is right. specific_performance: force payment under the contract. */
        kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
        /** Amount to pay, in US dollars with six decimal places. */
        amount_usd?: string
        /** Amount to pay, in whole millionths of a US dollar. */
        amount_micro_usd?: string
        /** What it applies to: a contract or a treaty. */
        target?: string
      }
      /** Side that the remedy favours. */
      in_favour_of: "claimant" | "respondent"
      /** Most of the panel found that it should not have been filed; absent: not so. */
      frivolous?: boolean
      /** Arbiters who carried it, with reasons. */
      majority: Array<{
        /** Arbiter. */
        did: string
        /** What this arbiter found. */
        finding: "no_jurisdiction" | "for_respondent" | "split" | "for_claimant"
        /** What this arbiter would order; absent: nothing. */
        remedy?: {
          /** declaratory: only state who is right. specific_performance: force payment under the contract. */
          kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
          /** Amount to pay, in US dollars with six decimal places. */
          amount_usd?: string
          /** Amount to pay, in whole millionths of a US dollar. */
          amount_micro_usd?: string
          /** What it applies to: a contract or a treaty. */
          target?: string
        }
        /** Why. */
        reasoning: string
      }>
      /** Arbiters who were outvoted, with reasons. */
      dissent: Array<{
        /** Arbiter. */
        did: string
        /** What this arbiter found. */
        finding: "no_jurisdiction" | "for_respondent" | "split" | "for_claimant"
        /** What this arbiter would order; absent: nothing. */
        remedy?: {
          /** declaratory: only state who is right. specific_performance: force payment under the contract. */
          kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
          /** Amount to pay, in US dollars with six decimal places. */
          amount_usd?: string
          /** Amount to pay, in whole millionths of a US dollar. */
          amount_micro_usd?: string
          /** What it applies to: a contract or a treaty. */
          target?: string
        }
        /** Why. */
        reasoning: string
      }>
      /** Its entry in the registry. */
      registered?: string
      /** An appeal may be filed until then; the remedy waits. */
      appeal_until?: string
    }
  }
}

/** Vote on a case as one of its arbiters, with reasons. */
export interface MootRuleInput {
  /** Case to decide. */
  case_id: string
  /** Who is right; no_jurisdiction: this court may not decide it. */
  finding: "no_jurisdiction" | "for_respondent" | "split" | "for_claimant"
  /** Why; published with the ruling, also if outvoted. */
  reasoning: string
  /** What to order, at most what was requested; needed if the claimant is right, even in part. */
  remedy?: {
    /** declaratory: only state who is right. specific_performance: force payment under the contract. */
    kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
    /** Amount to pay; needed for pay. */
    amount_usd?: string | number
    /** What it applies to: made://contract/<id> or moat://<treaty_id>. */
    target?: string
  }
  /** Whether it should not have been filed; if most of the panel say so, who filed it owes the fee. Only if it is lost. */
  frivolous?: boolean
  /** Of the vote; absent: the engine signs if it keeps your key. */
  signature?: string
  /** Key that made the signature; needed unless the engine keeps it. */
  public_key?: string
}

/** Answer of MOOT rule. */
export interface MootRuleOutput {
  /** The case. */
  case_id: string
  /** DEFAULTED: not answered in time. REMEDIED: remedy executed. CLOSED: nothing to execute. DISMISSED: no valid evidence. */
  state: "FILED" | "PLEADED" | "DEFAULTED" | "HEARD" | "RULED" | "APPEALED" | "REMEDIED" | "CLOSED" | "SETTLED" | "WITHDRAWN" | "DISMISSED"
  /** Arbiters who have voted. */
  votes_in: number
  /** Arbiters on the panel. */
  votes_needed: number
  /** The decision; absent until the votes suffice. */
  ruling?: {
    /** Hash of the ruling. */
    ruling_id: string
    /** Who is right; by_consent: both agreed; no_majority: the arbiters did not. */
    finding: "no_jurisdiction" | "for_respondent" | "split" | "for_claimant" | "no_majority" | "by_consent"
    /** What is ordered; absent: nothing. */
    remedy?: {
      /** declaratory: only state who is right. specific_performance: force payment under the contract. */
      kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
      /** Amount to pay, in US dollars with six decimal places. */
      amount_usd?: string
      /** Amount to pay, in whole millionths of a US dollar. */
      amount_micro_usd?: string
      /** What it applies to: a contract or a treaty. */
      target?: string
    }
    /** Side that the remedy favours. */
    in_favour_of: "claimant" | "respondent"
    /** Most of the panel found that it should not have been filed; absent: not so. */
    frivolous?: boolean
    /** Arbiters who carried it, with reasons. */
    majority: Array<{
      /** Arbiter. */
      did: string
      /** What this arbiter found. */
      finding: "no_jurisdiction" | "for_respondent" | "split" | "for_claimant"
      /** What this arbiter would order; absent: nothing. */
      remedy?: {
        /** declaratory: only state who is right. specific_performance: force payment under the contract. */
        kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
        /** Amount to pay, in US dollars with six decimal places. */
        amount_usd?: string
        /** Amount to pay, in whole millionths of a US dollar. */
        amount_micro_usd?: string
        /** What it applies to: a contract or a treaty. */
        target?: string
      }
      /** Why. */
      reasoning: string
    }>
    /** Arbiters who were outvoted, with reasons. */
    dissent: Array<{
      /** Arbiter. */
      did: string
      /** What this arbiter found. */
      finding: "no_jurisdiction" | "for_respondent" | "split" | "for_claimant"
      /** What this arbiter would order; absent: nothing. */
      remedy?: {
        /** declaratory: only state who is right. specific_performance: force payment under the contract. */
        kind: "declaratory" | "restore_capability" | "specific_performance" | "reverse_settlement" | "terminate_treaty" | "pay"
        /** Amount to pay, in US dollars with six decimal places. */
        amount_usd?: string
        /** Amount to pay, in whole millionths of a US dollar. */
        amount_micro_usd?: string
        /** What it applies to: a contract or a treaty. */
        target?: string
      }
      /** Why. */
      reasoning: string
    }>
    /** Its entry in the registry. */
    registered?: string
    /** An appeal may be filed until then; the remedy waits. */
    appeal_until?: string
  }
}

/** Set an actuator, inside what its device declares safe, and learn whether it is so. */
export interface MoteActuatorSetStateInput {
  /** did:oas:<tenant>:<kind>:<64 hex>/<sensor or actuator> */
  actuator_id: string
  /** Fields to set; those left out stay as they are. */
  state: Record<string, number | boolean | string>
  /** Refused where something else was wanted since. */
  expected_version?: number
  /** What must be known before the answer: that it was handed over, taken, or is so. */
  confirm?: "none" | "ack" | "readback"
  /** How long to wait for the confirmation. */
  timeout_ms?: number
  /** After this time the device must not act on it. */
  expires_at?: string
  /** Why it is set, for those who look later. */
  reason?: string
}

/** Answer of MOTE actuator_set_state. */
export interface MoteActuatorSetStateOutput {
  /** Names the command. */
  command_id: string
  /** Counts what was wanted of this actuator; pass it as expected_version. */
  desired_version: number
  /** confirmed as asked; accepted: handed over, with confirm none; rejected by the device. */
  status: "confirmed" | "accepted" | "timeout" | "rejected"
  /** State that the device reported last. */
  reported?: Record<string, number | boolean | string>
  /** Why the device rejected it, in its word. */
  refusal?: string
  /** Milliseconds until this answer. */
  latency_ms: number
}

/** List devices with their sensors and actuators: ranges, last values, and how each stands. */
export interface MoteListInput {
  /** Only this device. */
  device_did?: string
  /** SILENT: nothing was heard of it for ten minutes. */
  state?: "REPORTING" | "PENDING" | "SILENT"
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MOTE list. */
export interface MoteListOutput {
  /** Connection to the MQTT broker; none: no broker is configured. */
  broker: "connected" | "away" | "none"
  /** Keys that sign commands to its devices, those of its audit log; the newest first. */
  command_keys: Array<{
    /** As key_id in a command names it. */
    key_id: string
    /** Ed25519, 32 bytes, base64url. */
    public_key: string
    /** It signs now. A key that was rotated signs nothing any more; a retained command may still have its signature. */
    in_use: boolean
  }>
  /** Devices of the organization, by DID. */
  items: Array<{
    /** The device. */
    device_did: string
    /** What a device calls its sensor or actuator. */
    name?: string
    /** REPORTING; PENDING: a command is unconfirmed; SILENT: not heard for ten minutes. */
    state: "REPORTING" | "PENDING" | "SILENT"
    /** When the device last described itself. */
    described_at: string
    /** To within half a minute, RFC 3339 in UTC. */
    last_seen_at: string
    /** Readings without a signature of the device are refused. */
    signed_readings: boolean
    /** Actuators whose newest command nobody has confirmed. */
    pending: number
    /** What it measures. */
    sensors: Array<{
      /** did:oas:<tenant>:<kind>:<64 hex>/<sensor or actuator> */
      sensor_id: string
      /** Unit of its readings. */
      unit: string
      /** What it can measure; a reading outside is bad. */
      low: number
      /** Highest value it can measure; a reading outside is bad. */
      high: number
      /** Standard deviation of its noise. */
      sd?: number
      /** Readings per second. */
      rate_hz?: number
      /** Its newest reading; absent where there is none. */
      last?: {
        /** The reading, in the sensor's unit. */
        value: number
        /** When the device measured it. */
        observed_at: string
      }
    }>
    /** What it can be told to do. */
    actuators: Array<{
      /** did:oas:<tenant>:<kind>:<64 hex>/<sensor or actuator> */
      actuator_id: string
      /** What can be set, and within which bounds. */
      fields: Record<string, {
        /** A number within bounds. */
        kind: "number"
        /** Unit of the value. */
        unit?: string
        /** Lowest value allowed. */
        min: number
        /** Highest value allowed. */
        max: number
        /** Allowed are min, min + step, and so on. */
        step?: number
        /** The most it may change per second since it was last set. */
        rate_max_per_s?: number
        /** How far a readback may lie from what was wanted. */
        tolerance?: number
      } | {
        /** One of a few words. */
        kind: "choice"
        /** Words allowed. */
        choices: string[]
      } | {
        /** True or false. */
        kind: "flag"
      }>
      /** CEL that must hold before it is set. */
      interlock?: string
      /** State that an emergency stop sets. */
      safe_state: Record<string, number | boolean | string>
      /** The device has confirmed what was last wanted of it. */
      is_confirmed: boolean
      /** State that the device reported last. */
      reported?: Record<string, number | boolean | string>
      /** When it was reported; absent until then. */
      reported_at?: string
      /** The newest; those that ended long ago are not kept. */
      command?: {
        /** Names the command. */
        command_id: string
        /** set by a caller, or safe: by an emergency stop. */
        kind: "set" | "safe"
        /** State that was wanted. */
        state: Record<string, number | boolean | string>
        /** How far it got: queued, sent and acked are open, the others are ends. */
        phase: "queued" | "sent" | "acked" | "confirmed" | "rejected" | "timed_out" | "expired" | "unsent" | "cancelled"
        /** Why the device rejected it, in its word. */
        refusal?: string
        /** Who gave the command. */
        by_did: string
        /** Request that gave it, in the audit log. */
        correlation_id: string
        /** When it was given. */
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
  /** latest: the newest reading; window: those between from and to; next: waits for a new one. */
  mode?: "latest" | "window" | "next"
  /** For window: readings from this time on. */
  from?: string
  /** For window: readings before this time. */
  to?: string
  /** For window: these figures instead of samples. */
  aggregate?: Array<"last" | "min" | "max" | "mean" | "median" | "p95" | "count" | "stddev">
  /** Samples of a window. */
  limit?: number
  /** For window: cursor of the previous page. */
  cursor?: string
  /** Older is stale. */
  max_age_ms?: number
  /** For the next one. */
  timeout_ms?: number
  /** Other sensors of the same quantity and unit, to combine with this one. */
  fuse?: string[]
}

/** Answer of MOTE sensor_read. */
export interface MoteSensorReadOutput {
  /** did:oas:<tenant>:<kind>:<64 hex>/<sensor or actuator> */
  sensor_id: string
  /** The newest reading, of the window if one was asked for. */
  value: number
  /** Unit of all values. */
  unit: string
  /** When the device measured it. */
  observed_at: string
  /** Milliseconds since it was observed. */
  age_ms: number
  /** stale: older than max_age_ms; suspect: an outlier; bad: outside what it can measure. */
  quality: "good" | "stale" | "suspect" | "bad"
  /** Readings of the window, oldest first. */
  samples?: Array<{
    /** The reading, in the sensor's unit. */
    value: number
    /** When the device measured it. */
    observed_at: string
    /** Number that the device gave it. */
    seq: number
    /** suspect: an outlier among its neighbours; bad: outside what the sensor can measure. */
    quality: "good" | "stale" | "suspect" | "bad"
  }>
  /** There are more samples behind this. */
  cursor?: string
  /** Figures over the whole window. */
  aggregates?: {
    /** Newest value. */
    last?: number
    /** Lowest value. */
    min?: number
    /** Highest value. */
    max?: number
    /** Average. */
    mean?: number
    /** Half of the values are below it. */
    median?: number
    /** 95 % of the values are below it. */
    p95?: number
    /** Number of readings. */
    count?: number
    /** Standard deviation. */
    stddev?: number
  }
  /** Combined with the sensors named in fuse. */
  fused?: {
    /** Mean of the sensors, the precise ones counting more. */
    value: number
    /** Standard deviation of the value, as far as the sensors are independent. */
    sd: number
    /** Sensors that were left out. */
    rejected: Array<{
      /** did:oas:<tenant>:<kind>:<64 hex>/<sensor or actuator> */
      sensor_id: string
      /** Why: no reading, too old, an outlier, or outside its range. */
      reason: "silent" | "stale" | "suspect" | "bad"
    }>
  }
  /** Only where the fused sensors disagree. */
  explanation?: {
    /** Which sensors disagree, and by how much. */
    text: string
    /** Who wrote the last part; nothing of it was checked. */
    model?: string
    /** False where a model wrote a part of it. */
    verified: boolean
  }
}

/** Record measurements, logs or spans of the calling tenant, also of the past. */
export interface MotetEmitInput {
  /** Metrics, logs and spans, in our names or those of OTLP/JSON. One that does not fit is listed in rejected; the others are recorded. */
  signals: Array<{
    /** Name of the metric. */
    name: string
    /** counter: a running total that only grows; gauge: a current value; histogram: one observation. */
    kind: "counter" | "gauge" | "histogram"
    /** The measurement; for a counter its total so far. */
    value: number
    /** Unit of the value, e.g. ms or bytes. */
    unit?: string
    /** Distinguish series of the same metric; the tenant is added by the service. */
    labels?: Record<string, string>
    /** When it was measured, up to 400 days ago and an hour ahead; default now. History of a counter comes before its newer totals. */
    at?: string
  } | {
    /** How serious it is. */
    severity: "debug" | "info" | "warn" | "error"
    /** The log message. */
    body: string
    /** Details to filter by. */
    attributes?: Record<string, string>
    /** When it was logged, up to 7 days ago and an hour ahead; absent: when it arrived. */
    at?: string
  } | {
    /** Trace the span belongs to, 16 bytes in lower hex. */
    trace_id: string
    /** Id of the span, 8 bytes in lower hex. */
    span_id: string
    /** Span that started this one; absent for the root of a trace. */
    parent?: string
    /** What was done, e.g. an operation. */
    name: string
    /** When the work began. */
    start: string
    /** When the work ended, up to 7 days ago and an hour ahead. */
    end: string
    /** How the work ended; unset where nobody said. */
    status: "unset" | "ok" | "error"
  } | {
    /** How serious it is. */
    severityText: "DEBUG" | "INFO" | "WARN" | "ERROR"
    /** The log message. */
    body: {
      /** The message as text. */
      stringValue: string
    }
    /** Nanoseconds since the epoch, as OTLP writes them. */
    timeUnixNano?: string
  } | {
    /** Trace the span belongs to, 16 bytes in lower hex. */
    traceId: string
    /** Id of the span, 8 bytes in lower hex. */
    spanId: string
    /** Span that started this one; absent for the root of a trace. */
    parentSpanId?: string
    /** What was done, e.g. an operation. */
    name: string
    /** Nanoseconds since the epoch, as OTLP writes them. */
    startTimeUnixNano: string
    /** Nanoseconds since the epoch, as OTLP writes them. */
    endTimeUnixNano: string
    /** How the work ended; absent means unset. */
    status?: {
      /** 0 unset, 1 ok, 2 error. */
      code?: number
      /** Explanation of an error; it is not stored. */
      message?: string
    }
  }>
}

/** Answer of MOTET emit. */
export interface MotetEmitOutput {
  /** Number of signals that were recorded. */
  accepted: number
  /** Signals that were not recorded; the others were. */
  rejected: Array<{
    /** Which of the signals, from 0. */
    index: number
    /** Why it was not recorded. */
    reason: string
  }>
  /** New combinations of metric and labels; their number is limited for a tenant. */
  series_created: number
}

/** Read back the logs you sent, the newest first. */
export interface MotetListLogsInput {
  /** Only logs at least as serious. */
  severity?: "debug" | "info" | "warn" | "error"
  /** Only logs whose body has this text, in the same letter case. */
  contains?: string
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MOTET list_logs. */
export interface MotetListLogsOutput {
  /** Logs you sent, newest first. */
  items: Array<{
    /** How serious it is. */
    severity: "debug" | "info" | "warn" | "error"
    /** The log message. */
    body: string
    /** Details to filter by. */
    attributes?: Record<string, string>
    /** When it was logged, up to 7 days ago and an hour ahead; absent: when it arrived. */
    at?: string
    /** When it arrived here. */
    received_at: string
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Read back the spans you sent, the newest first. */
export interface MotetListSpansInput {
  /** Only spans of this trace. */
  trace_id?: string
  /** Only spans that ended so. */
  status?: "unset" | "ok" | "error"
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MOTET list_spans. */
export interface MotetListSpansOutput {
  /** Spans you sent, newest first. */
  items: Array<{
    /** Trace the span belongs to, 16 bytes in lower hex. */
    trace_id: string
    /** Id of the span, 8 bytes in lower hex. */
    span_id: string
    /** Span that started this one; absent for the root of a trace. */
    parent?: string
    /** What was done, e.g. an operation. */
    name: string
    /** When the work began. */
    start: string
    /** When the work ended, up to 7 days ago and an hour ahead. */
    end: string
    /** How the work ended; unset where nobody said. */
    status: "unset" | "ok" | "error"
    /** When it arrived here. */
    received_at: string
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** Take on an alert, so that others see who deals with it. */
export interface MotifAcknowledgeAlertInput {
  /** As list_alerts shows it. */
  alert_id: string
  /** For your colleagues and the audit log. */
  note?: string
}

/** Answer of MOTIF acknowledge_alert. */
export interface MotifAcknowledgeAlertOutput {
  /** Names the alert. */
  alert_id: string
  /** Names the rule within your organization. */
  rule: string
  /** FIRING: the value is above, or was until just now. */
  state: "FIRING" | "RESOLVED"
  /** How urgent it is; it changes nothing else. */
  severity: "info" | "warning" | "critical"
  /** What is watched. refusals: calls that were refused or failed; latency: latency of calls that were answered; slo: how fast the error budget of a service level objective burns; spend: spend, from a full hour on; breakers: calls that an open circuit breaker stopped; log: records of the audit log that do not verify; keys: API keys that expire within the window; treaties: treaties in force that expire within the window. */
  watches: "refusals" | "latency" | "slo" | "spend" | "breakers" | "log" | "keys" | "treaties"
  /** It fires while the value is above this, in calls, ms, USD, keys, treaties, broken records, or how many times too fast an error budget burns. */
  above: number
  /** How far back it looks, in minutes; for keys and treaties how far ahead. An objective must burn too fast over it, and over its last twelfth. */
  window_minutes: number
  /** Only calls of this protocol, in any letter case. */
  protocol?: string
  /** Only calls of this operation; needs protocol. */
  operation?: string
  /** Only refusals with this code. */
  code?: "invalid_request" | "unauthenticated" | "capability_denied" | "missing_capability" | "approval_required" | "not_found" | "unknown_protocol" | "unknown_version" | "unknown_operation" | "idempotency_in_flight" | "payload_too_large" | "invalid_payload" | "policy_denied" | "idempotency_key_reused" | "rate_limited" | "protocol_error" | "internal" | "adapter_error" | "circuit_open" | "no_endpoint_available" | "draining" | "unavailable" | "timeout"
  /** Of latency. Default p95. */
  percentile?: "p50" | "p95" | "p99"
  /** Of an objective: the share of calls that must be good, such as 0.999. */
  target?: number
  /** Of an objective: only calls that were answered within it are good. Absent: all that were answered, or refused by a rule. */
  threshold_ms?: number
  /** The newest value while it fired; absent of spend without svc.meal.statement. */
  value?: number
  /** When the value was first above. */
  fired_at: string
  /** When it resolved; absent while it fires. */
  resolved_at?: string
  /** When people were told; absent while silenced. */
  told_at?: string
  /** When somebody took it on. */
  acknowledged_at?: string
  /** Who took it on. */
  acknowledged_by?: string
  /** What whoever acknowledged it wrote. */
  note?: string
}

/** Find repeating patterns, anomalies and changepoints in a series. */
export interface MotifDetectInput {
  /** As it was emitted; svc_… for what the engine measures. */
  metric: string
  /** Labels a series must have. */
  labels?: Record<string, string>
  /** Look at points from this time on; default: a day before to. */
  from?: string
  /** Look at points before this time; default now. */
  to?: string
  /** Points a pattern is long; a twentieth of all where absent. */
  window?: number
  /** What to look for; default all. */
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
  /** Points a pattern is long. */
  window: number
  /** The two windows most alike. */
  motifs: Array<{
    /** When the first one starts. */
    a: string
    /** When the second one starts. */
    b: string
    /** Between z-normalised windows: 0 for the same shape. */
    distance: number
  }>
  /** The window least like any other. */
  discord?: {
    /** When it starts. */
    at: string
    /** Between z-normalised windows: 0 for the same shape. */
    distance: number
  }
  /** Points far from what was expected. */
  anomalies: Array<{
    /** When it was measured. */
    at: string
    /** Robust standard deviations. */
    score: number
    /** Value that was expected there. */
    expected: number
  }>
  /** Times at which the average changed. */
  changepoints: Array<{
    /** First time with the new average. */
    at: string
    /** Average before. */
    before: number
    /** Average after. */
    after: number
    /** Upper bound of how likely such a step is, anywhere in a series as long and as correlated with itself, where nothing changed. */
    p: number
  }>
  /** How often the series repeats itself, at least three times in the range; absent: it does not. */
  period_ms?: number
}

/** Read how many calls were made, refused and failed, how long they took and what they cost, over time. */
export interface MotifHistoryInput {
  /** Calls from this time on. */
  from: string
  /** Calls before this time. */
  to: string
  /** Length of a window, in whole minutes. By default one that gives up to 120 windows. */
  step_ms?: number
  /** Also sums by this. tenant needs all_tenants; absent means no groups. */
  by?: "protocol" | "operation" | "agent" | "department" | "outcome" | "code" | "reason" | "tenant"
  /** How many groups to show: the largest. */
  top?: number
  /** What makes a group large. Default calls. */
  rank?: "calls" | "refused" | "failed" | "spend"
  /** Only calls of this protocol, as it is listed. */
  protocol?: string
  /** Only calls of this operation, without its protocol. */
  operation?: string
  /** Only calls of this agent or person. */
  agent_did?: string
  /** Only calls paid by an envelope of this department. */
  department?: string
  /** Only calls that ended so. */
  outcome?: "success" | "refused" | "error"
  /** Only calls with this refusal code; ok for successes. */
  code?: string
  /** Only refusals and failures with this reason. */
  reason?: string
  /** Every organization's; for the operator's own agents that hold svc.admin.observability. */
  all_tenants?: boolean
}

/** Answer of MOTIF history. */
export interface MotifHistoryOutput {
  /** Beginning of what is summed: from, at a full step of the stored resolution. */
  from: string
  /** End of what is summed, itself not included. */
  to: string
  /** Length of a window: as requested, or the finest still stored. */
  step_ms: number
  /** Resolution of the stored sums. */
  resolution_ms: number
  /** The range begins before what is stored, or ends in the future. */
  partial: boolean
  /** All windows together. */
  total: {
    /** All calls, nested ones included; dry runs are none. */
    calls: number
    /** Calls that a rule refused. */
    refused: number
    /** Calls that failed. */
    failed: number
    /** What they cost in US dollars, with usage that services reported; null without svc.meal.statement. */
    spend_usd: string | null
    /** Milliseconds within which half of the calls ended that were not refused; null without any. */
    p50_ms: number | null
    /** Milliseconds within which 95 % of the calls ended that were not refused; null without any. */
    p95_ms: number | null
    /** Milliseconds within which 99 % of the calls ended that were not refused; null without any. */
    p99_ms: number | null
  }
  /** The period of the same length before it; null where that is no longer stored. */
  before: {
    /** All calls, nested ones included; dry runs are none. */
    calls: number
    /** Calls that a rule refused. */
    refused: number
    /** Calls that failed. */
    failed: number
    /** What they cost in US dollars, with usage that services reported; null without svc.meal.statement. */
    spend_usd: string | null
    /** Milliseconds within which half of the calls ended that were not refused; null without any. */
    p50_ms: number | null
    /** Milliseconds within which 95 % of the calls ended that were not refused; null without any. */
    p95_ms: number | null
    /** Milliseconds within which 99 % of the calls ended that were not refused; null without any. */
    p99_ms: number | null
  } | null
  /** Windows in order of time; those without calls are left out. */
  points: Array<{
    /** Beginning of the window. */
    at: string
    /** All calls, nested ones included; dry runs are none. */
    calls: number
    /** Calls that a rule refused. */
    refused: number
    /** Calls that failed. */
    failed: number
    /** What they cost in US dollars, with usage that services reported; null without svc.meal.statement. */
    spend_usd: string | null
    /** Milliseconds within which half of the calls ended that were not refused; null without any. */
    p50_ms: number | null
    /** Milliseconds within which 95 % of the calls ended that were not refused; null without any. */
    p95_ms: number | null
    /** Milliseconds within which 99 % of the calls ended that were not refused; null without any. */
    p99_ms: number | null
  }>
  /** Largest groups first; empty without by. What is missing to the total belongs to smaller ones. */
  groups: Array<{
    /** The protocol, PROTOCOL.operation, DID, department and so on. Empty: calls without one, or with more names at a time than are kept apart. */
    name: string
    /** All windows of the group together. */
    total: {
      /** All calls, nested ones included; dry runs are none. */
      calls: number
      /** Calls that a rule refused. */
      refused: number
      /** Calls that failed. */
      failed: number
      /** What they cost in US dollars, with usage that services reported; null without svc.meal.statement. */
      spend_usd: string | null
      /** Milliseconds within which half of the calls ended that were not refused; null without any. */
      p50_ms: number | null
      /** Milliseconds within which 95 % of the calls ended that were not refused; null without any. */
      p95_ms: number | null
      /** Milliseconds within which 99 % of the calls ended that were not refused; null without any. */
      p99_ms: number | null
    }
    /** The same in the period before it. */
    before: {
      /** All calls, nested ones included; dry runs are none. */
      calls: number
      /** Calls that a rule refused. */
      refused: number
      /** Calls that failed. */
      failed: number
      /** What they cost in US dollars, with usage that services reported; null without svc.meal.statement. */
      spend_usd: string | null
      /** Milliseconds within which half of the calls ended that were not refused; null without any. */
      p50_ms: number | null
      /** Milliseconds within which 95 % of the calls ended that were not refused; null without any. */
      p95_ms: number | null
      /** Milliseconds within which 99 % of the calls ended that were not refused; null without any. */
      p99_ms: number | null
    } | null
    /** Windows in order of time; those without calls are left out. */
    points: Array<{
      /** Beginning of the window. */
      at: string
      /** All calls, nested ones included; dry runs are none. */
      calls: number
      /** Calls that a rule refused. */
      refused: number
      /** Calls that failed. */
      failed: number
      /** What they cost in US dollars, with usage that services reported; null without svc.meal.statement. */
      spend_usd: string | null
      /** Milliseconds within which half of the calls ended that were not refused; null without any. */
      p50_ms: number | null
      /** Milliseconds within which 95 % of the calls ended that were not refused; null without any. */
      p95_ms: number | null
      /** Milliseconds within which 99 % of the calls ended that were not refused; null without any. */
      p99_ms: number | null
    }>
  }>
}

/** List your organization's alert rules with their newest values, and rules that are offered. */
export type MotifListAlertRulesInput = Record<string, never>

/** Answer of MOTIF list_alert_rules. */
export interface MotifListAlertRulesOutput {
  /** All rules, by name. */
  items: Array<{
    /** Names the rule within your organization. */
    name: string
    /** What is watched. refusals: calls that were refused or failed; latency: latency of calls that were answered; slo: how fast the error budget of a service level objective burns; spend: spend, from a full hour on; breakers: calls that an open circuit breaker stopped; log: records of the audit log that do not verify; keys: API keys that expire within the window; treaties: treaties in force that expire within the window. */
    watches: "refusals" | "latency" | "slo" | "spend" | "breakers" | "log" | "keys" | "treaties"
    /** It fires while the value is above this, in calls, ms, USD, keys, treaties, broken records, or how many times too fast an error budget burns. */
    above: number
    /** How far back it looks, in minutes; for keys and treaties how far ahead. An objective must burn too fast over it, and over its last twelfth. */
    window_minutes: number
    /** Only calls of this protocol, in any letter case. */
    protocol?: string
    /** Only calls of this operation; needs protocol. */
    operation?: string
    /** Only refusals with this code. */
    code?: "invalid_request" | "unauthenticated" | "capability_denied" | "missing_capability" | "approval_required" | "not_found" | "unknown_protocol" | "unknown_version" | "unknown_operation" | "idempotency_in_flight" | "payload_too_large" | "invalid_payload" | "policy_denied" | "idempotency_key_reused" | "rate_limited" | "protocol_error" | "internal" | "adapter_error" | "circuit_open" | "no_endpoint_available" | "draining" | "unavailable" | "timeout"
    /** Of latency. Default p95. */
    percentile?: "p50" | "p95" | "p99"
    /** Of an objective: the share of calls that must be good, such as 0.999. */
    target?: number
    /** Of an objective: only calls that were answered within it are good. Absent: all that were answered, or refused by a rule. */
    threshold_ms?: number
    /** How urgent it is; it changes nothing else. */
    severity: "info" | "warning" | "critical"
    /** How long the value must stay at or below the threshold until the alert resolves, in minutes. */
    resolve_after_minutes: number
    /** Logins of people who are told by e-mail; each must be an e-mail address. */
    mail_to: string[]
    /** Identities of your organization whose MIM mailbox gets a message. */
    mailboxes: string[]
    /** Whoever set it last. */
    set_by: string
    /** When it was set last. */
    set_at: string
    /** Nobody is told until then; absent where not silenced. */
    silenced_until?: string
    /** The newest value; absent before the first reading, and of spend without svc.meal.statement. */
    last_value?: number
    /** When the newest value was read. */
    last_read_at?: string
    /** Why the newest reading failed; absent where it succeeded. */
    last_failure?: string
  }>
  /** Rules that are offered and not set: inputs of set_alert_rule. */
  suggestions: Array<{
    /** Names the rule within your organization. */
    name: string
    /** What is watched. refusals: calls that were refused or failed; latency: latency of calls that were answered; slo: how fast the error budget of a service level objective burns; spend: spend, from a full hour on; breakers: calls that an open circuit breaker stopped; log: records of the audit log that do not verify; keys: API keys that expire within the window; treaties: treaties in force that expire within the window. */
    watches: "refusals" | "latency" | "slo" | "spend" | "breakers" | "log" | "keys" | "treaties"
    /** It fires while the value is above this, in calls, ms, USD, keys, treaties, broken records, or how many times too fast an error budget burns. */
    above?: number
    /** How far back it looks, in minutes; for keys and treaties how far ahead. An objective must burn too fast over it, and over its last twelfth. */
    window_minutes?: number
    /** How urgent it is; it changes nothing else. */
    severity: "info" | "warning" | "critical"
  }>
}

/** List alerts that fire now or did, newest first. */
export interface MotifListAlertsInput {
  /** Only those in this state. */
  state?: "FIRING" | "RESOLVED"
  /** Only those of this rule. */
  rule?: string
  /** Only those of this severity. */
  severity?: "info" | "warning" | "critical"
  /** Only entries from this time on, RFC 3339 in UTC. */
  since?: string
  /** Entries per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MOTIF list_alerts. */
export interface MotifListAlertsOutput {
  /** Alerts of your organization, newest first. */
  items: Array<{
    /** Names the alert. */
    alert_id: string
    /** Names the rule within your organization. */
    rule: string
    /** FIRING: the value is above, or was until just now. */
    state: "FIRING" | "RESOLVED"
    /** How urgent it is; it changes nothing else. */
    severity: "info" | "warning" | "critical"
    /** What is watched. refusals: calls that were refused or failed; latency: latency of calls that were answered; slo: how fast the error budget of a service level objective burns; spend: spend, from a full hour on; breakers: calls that an open circuit breaker stopped; log: records of the audit log that do not verify; keys: API keys that expire within the window; treaties: treaties in force that expire within the window. */
    watches: "refusals" | "latency" | "slo" | "spend" | "breakers" | "log" | "keys" | "treaties"
    /** It fires while the value is above this, in calls, ms, USD, keys, treaties, broken records, or how many times too fast an error budget burns. */
    above: number
    /** How far back it looks, in minutes; for keys and treaties how far ahead. An objective must burn too fast over it, and over its last twelfth. */
    window_minutes: number
    /** Only calls of this protocol, in any letter case. */
    protocol?: string
    /** Only calls of this operation; needs protocol. */
    operation?: string
    /** Only refusals with this code. */
    code?: "invalid_request" | "unauthenticated" | "capability_denied" | "missing_capability" | "approval_required" | "not_found" | "unknown_protocol" | "unknown_version" | "unknown_operation" | "idempotency_in_flight" | "payload_too_large" | "invalid_payload" | "policy_denied" | "idempotency_key_reused" | "rate_limited" | "protocol_error" | "internal" | "adapter_error" | "circuit_open" | "no_endpoint_available" | "draining" | "unavailable" | "timeout"
    /** Of latency. Default p95. */
    percentile?: "p50" | "p95" | "p99"
    /** Of an objective: the share of calls that must be good, such as 0.999. */
    target?: number
    /** Of an objective: only calls that were answered within it are good. Absent: all that were answered, or refused by a rule. */
    threshold_ms?: number
    /** The newest value while it fired; absent of spend without svc.meal.statement. */
    value?: number
    /** When the value was first above. */
    fired_at: string
    /** When it resolved; absent while it fires. */
    resolved_at?: string
    /** When people were told; absent while silenced. */
    told_at?: string
    /** When somebody took it on. */
    acknowledged_at?: string
    /** Who took it on. */
    acknowledged_by?: string
    /** What whoever acknowledged it wrote. */
    note?: string
  }>
  /** There may be more entries, even after a page that is not full. */
  next_cursor?: string
}

/** List the metrics of your organization, with their labels. */
export interface MotifListMetricsInput {
  /** Only names that begin with it. */
  prefix?: string
  /** Metrics per page. */
  limit?: number
  /** next_cursor of the previous page. */
  cursor?: string
}

/** Answer of MOTIF list_metrics. */
export interface MotifListMetricsOutput {
  /** By name. */
  items: Array<{
    /** As it was emitted; svc_… for what the engine measures. */
    metric: string
    /** counter: only grows; gauge: goes up and down; histogram: counts by size. */
    kind: "counter" | "gauge" | "histogram"
    /** Combinations of labels it has. */
    series: number
    /** Labels that its series have, to filter and group by. */
    label_names: string[]
    /** When a measurement of it arrived last. */
    last_measured_at: string
  }>
  /** There are more; absent on the last page. */
  next_cursor?: string
}

/** Read measurements: your own series, and the metrics of your calls. */
export interface MotifQueryInput {
  /** As it was emitted; svc_… for what the engine measures. */
  metric: string
  /** Labels a series must have. */
  labels?: Record<string, string>
  /** Points from this time on. */
  from: string
  /** Points before this time. */
  to: string
  /** Length of a window. */
  step_ms?: number
  /** What to compute of each window; rate is per second. Default raw: its last value. */
  function?: "raw" | "rate" | "increase" | "sum" | "count" | "avg" | "min" | "max" | "p50" | "p95" | "p99"
  /** Labels to group by: series that agree in them are computed as one, all of them where the list is empty. Absent: each series alone. */
  by?: string[]
  /** Every organization's; for the operator's own agents that hold svc.admin.observability. */
  all_tenants?: boolean
}

/** Answer of MOTIF query. */
export interface MotifQueryOutput {
  /** Series that match, each with its labels; with by the groups, each with the labels asked for. */
  series: Array<{
    /** Labels that tell the series apart. */
    labels: Record<string, string>
    /** counter: only grows. gauge: goes up and down. histogram: counts by size. */
    kind: "counter" | "gauge" | "histogram"
    /** Value of each window that has one. */
    points: Array<number[]>
  }>
  /** The length of a window: as requested, or the finest stored resolution. */
  step_ms: number
  /** The resolution of the stored points. */
  resolution_ms: number
  /** More series matched than are shown, or the range lies partly outside of the stored time. */
  partial: boolean
}

/** Remove an alert rule; its alert resolves. */
export interface MotifRemoveAlertRuleInput {
  /** Names the rule within your organization. */
  name: string
  /** Why, for the audit log. */
  reason?: string
}

/** Answer of MOTIF remove_alert_rule. */
export interface MotifRemoveAlertRuleOutput {
  /** Names the rule within your organization. */
  name: string
  /** From when on it is not read any more. */
  removed_at: string
}

/** Have people, mailboxes and webhooks told when a value of your organization is too high. */
export interface MotifSetAlertRuleInput {
  /** Names the rule within your organization. */
  name: string
  /** What is watched. refusals: calls that were refused or failed; latency: latency of calls that were answered; slo: how fast the error budget of a service level objective burns; spend: spend, from a full hour on; breakers: calls that an open circuit breaker stopped; log: records of the audit log that do not verify; keys: API keys that expire within the window; treaties: treaties in force that expire within the window. */
  watches: "refusals" | "latency" | "slo" | "spend" | "breakers" | "log" | "keys" | "treaties"
  /** It fires while the value is above this, in calls, ms, USD, keys, treaties, broken records, or how many times too fast an error budget burns. */
  above?: number
  /** How far back it looks, in minutes; for keys and treaties how far ahead. An objective must burn too fast over it, and over its last twelfth. */
  window_minutes?: number
  /** Only calls of this protocol, in any letter case. */
  protocol?: string
  /** Only calls of this operation; needs protocol. */
  operation?: string
  /** Only refusals with this code. */
  code?: "invalid_request" | "unauthenticated" | "capability_denied" | "missing_capability" | "approval_required" | "not_found" | "unknown_protocol" | "unknown_version" | "unknown_operation" | "idempotency_in_flight" | "payload_too_large" | "invalid_payload" | "policy_denied" | "idempotency_key_reused" | "rate_limited" | "protocol_error" | "internal" | "adapter_error" | "circuit_open" | "no_endpoint_available" | "draining" | "unavailable" | "timeout"
  /** Of latency. Default p95. */
  percentile?: "p50" | "p95" | "p99"
  /** Of an objective: the share of calls that must be good, such as 0.999. */
  target?: number
  /** Of an objective: only calls that were answered within it are good. Absent: all that were answered, or refused by a rule. */
  threshold_ms?: number
  /** How urgent it is; it changes nothing else. */
  severity?: "info" | "warning" | "critical"
  /** How long the value must stay at or below the threshold until the alert resolves, in minutes. */
  resolve_after_minutes?: number
  /** Logins of people who are told by e-mail; each must be an e-mail address. */
  mail_to?: string[]
  /** Identities of your organization whose MIM mailbox gets a message. */
  mailboxes?: string[]
}

/** Answer of MOTIF set_alert_rule. */
export interface MotifSetAlertRuleOutput {
  /** Names the rule within your organization. */
  name: string
  /** What is watched. refusals: calls that were refused or failed; latency: latency of calls that were answered; slo: how fast the error budget of a service level objective burns; spend: spend, from a full hour on; breakers: calls that an open circuit breaker stopped; log: records of the audit log that do not verify; keys: API keys that expire within the window; treaties: treaties in force that expire within the window. */
  watches: "refusals" | "latency" | "slo" | "spend" | "breakers" | "log" | "keys" | "treaties"
  /** It fires while the value is above this, in calls, ms, USD, keys, treaties, broken records, or how many times too fast an error budget burns. */
  above: number
  /** How far back it looks, in minutes; for keys and treaties how far ahead. An objective must burn too fast over it, and over its last twelfth. */
  window_minutes: number
  /** Only calls of this protocol, in any letter case. */
  protocol?: string
  /** Only calls of this operation; needs protocol. */
  operation?: string
  /** Only refusals with this code. */
  code?: "invalid_request" | "unauthenticated" | "capability_denied" | "missing_capability" | "approval_required" | "not_found" | "unknown_protocol" | "unknown_version" | "unknown_operation" | "idempotency_in_flight" | "payload_too_large" | "invalid_payload" | "policy_denied" | "idempotency_key_reused" | "rate_limited" | "protocol_error" | "internal" | "adapter_error" | "circuit_open" | "no_endpoint_available" | "draining" | "unavailable" | "timeout"
  /** Of latency. Default p95. */
  percentile?: "p50" | "p95" | "p99"
  /** Of an objective: the share of calls that must be good, such as 0.999. */
  target?: number
  /** Of an objective: only calls that were answered within it are good. Absent: all that were answered, or refused by a rule. */
  threshold_ms?: number
  /** How urgent it is; it changes nothing else. */
  severity: "info" | "warning" | "critical"
  /** How long the value must stay at or below the threshold until the alert resolves, in minutes. */
  resolve_after_minutes: number
  /** Logins of people who are told by e-mail; each must be an e-mail address. */
  mail_to: string[]
  /** Identities of your organization whose MIM mailbox gets a message. */
  mailboxes: string[]
}

/** Have nobody told of a rule until a time; its alerts are still recorded. */
export interface MotifSilenceAlertRuleInput {
  /** Names the rule within your organization. */
  name: string
  /** Nobody is told before this time, at most 30 days ahead. Absent: ends the silence. */
  until?: string
  /** Why, for the audit log. */
  reason?: string
}

/** Answer of MOTIF silence_alert_rule. */
export interface MotifSilenceAlertRuleOutput {
  /** Names the rule within your organization. */
  name: string
  /** End of the silence; absent where it has ended. */
  silenced_until?: string
}

/** Fetch the identity document of a DID and verify its proof. */
export interface OasResolveInput {
  /** Whose document to fetch. */
  did: string
  /** How stale a cached document may be while the node is unreachable, beyond the cache’s minute. */
  accept_stale_seconds?: number
}

/** Answer of OAS resolve. */
export interface OasResolveOutput {
  /** Partial: its lineage is not proven. Failed: no valid document. */
  outcome: "Resolved" | "Partial" | "Failed"
  /** The document; absent if none is valid. */
  document?: {
    /** The identity. */
    id: string
    /** A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others. */
    entity_kind: string
    /** For people to read. */
    name?: string
    /** Its current key. */
    public_key: string
    /** Parent that derived it; absent for a root. */
    creator_did?: string
    /** Statements from this identity up to its root. */
    lineage: Array<{
      /** The derived identity. */
      child_did: string
      /** Its first key. */
      child_public_key: string
      /** Who derived it. */
      parent_did: string
      /** Key of the parent that signed. */
      parent_public_key: string
      /** A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others. */
      entity_kind: string
      /** Names a child among its siblings. */
      label: string
      /** Tells apart children with the same label; the first is 0. */
      index: number
      /** When it was derived. */
      created_at: string
      /** The child counts until then; absent: it does not end. */
      expires_at?: string
      /** How the parent came to its key; absent: it is its first. */
      parent_key_events?: Array<{
        /** Inception: first commitment. Rotation: to the committed key. Recovery: a key put in place by others. */
        kind: "inception" | "rotation" | "recovery"
        /** The key from then on. */
        public_key: string
        /** The sha256 of the next public key’s 32 bytes. */
        next_key_hash: string
        /** Who may recover it from then on; absent: nobody. */
        recovery?: {
          /** Who may recover it. */
          dids: string[]
          /** How many of them must sign. */
          threshold: number
        }
        /** When it was made. */
        at: string
        /** The hash of the event before; the DID where there is none. */
        previous: string
        /** By the new key, or by those who recover it. */
        signatures: Array<{
          /** Who signed. */
          did: string
          /** Key that signed. */
          public_key: string
          /** Over the event, base64url. */
          signature: string
          /** How the signer came to that key; absent: it is its first. */
          key_events?: Array<Record<string, unknown>>
        }>
      }>
      /** By the parent, base64url. */
      signature: string
    }>
    /** What it may do, as granted by its parent. */
    capabilities: Array<{
      /** Name as svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
      name: string
      /** When it ends; absent: it does not end by itself. */
      expires_at?: string
      /** Bounds on use; absent: none. */
      limits?: {
        /** Basis points of the tenant budget per call. */
        max_per_call_bps?: number
        /** Calls per hour. */
        max_per_hour?: number
        /** Hard token ceiling per call. */
        max_tokens?: number
      }
      /** Conditions such as time:09-17, jurisdiction:DE, weekly_budget:5 or action_kind:read; each must hold. */
      caveats: string[]
    }>
    /** Where it can be reached. */
    service_endpoints: Array<{
      /** What is offered there, such as svc or mcp. */
      kind: string
      /** Where it is. */
      url: string
      /** Protocols it serves. */
      protocols: string[]
    }>
    /** True once it was revoked for good. */
    revoked: boolean
    /** Sections that others signed, such as attestations. */
    extended: Record<string, unknown>
    /** Grows with each change. */
    version: number
    /** When this version was made. */
    updated_at: string
    /** How it came to its current key; absent: it has its first. */
    key_events?: Array<{
      /** Inception: first commitment. Rotation: to the committed key. Recovery: a key put in place by others. */
      kind: "inception" | "rotation" | "recovery"
      /** The key from then on. */
      public_key: string
      /** The sha256 of the next public key’s 32 bytes. */
      next_key_hash: string
      /** Who may recover it from then on; absent: nobody. */
      recovery?: {
        /** Who may recover it. */
        dids: string[]
        /** How many of them must sign. */
        threshold: number
      }
      /** When it was made. */
      at: string
      /** The hash of the event before; the DID where there is none. */
      previous: string
      /** By the new key, or by those who recover it. */
      signatures: Array<{
        /** Who signed. */
        did: string
        /** Key that signed. */
        public_key: string
        /** Over the event, base64url. */
        signature: string
        /** How the signer came to that key; absent: it is its first. */
        key_events?: Array<Record<string, unknown>>
      }>
    }>
    /** Signature of the document by its current key. */
    proof: string
  }
  /** Hash of the document. */
  document_hash?: string
  /** The identity as this engine judges it. */
  identity: {
    /** The identity. */
    did: string
    /** A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others. */
    entity_kind: string
    /** As its document says. */
    name?: string
    /** Human or organization at the root of its lineage; absent: not verified. */
    human_root_did?: string
    /** Steps from its root; 0 for a root. */
    lineage_depth: number
    /** Whether its descent from a root is proven. */
    lineage_verified: boolean
    /** Parent that derived it; absent for a root. */
    creator_did?: string
    /** L0: known. L1: verified lineage. L2: also attested, with a reputation. */
    conformance_level: "L0" | "L1" | "L2"
    /** What its own document lets it do. */
    capabilities: Array<{
      /** Name as svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol. */
      name: string
      /** When it ends; absent: it does not end by itself. */
      expires_at?: string
      /** Bounds on use; absent: none. */
      limits?: {
        /** Basis points of the tenant budget per call. */
        max_per_call_bps?: number
        /** Calls per hour. */
        max_per_hour?: number
        /** Hard token ceiling per call. */
        max_tokens?: number
      }
      /** Conditions such as time:09-17, jurisdiction:DE, weekly_budget:5 or action_kind:read; each must hold. */
      caveats: string[]
    }>
    /** Where it can be reached. */
    service_endpoints: Array<{
      /** What is offered there, such as svc or mcp. */
      kind: string
      /** Where it is. */
      url: string
      /** Protocols it serves. */
      protocols: string[]
    }>
    /** It may do nothing: for good, or while suspended. */
    revoked: boolean
    /** True while it, or one it descends from, is suspended. */
    suspended?: boolean
    /** How the caller proved who it is, or unresolved. */
    auth_method: string
    /** Further sections of its document, such as attestations. */
    extended: Record<string, unknown>
  }
  /** What could not be verified, in words. */
  warnings: string[]
}

/** Ask whether a DID is anchored in a human or an organization. */
export interface OasVerifyLineageInput {
  /** Whose lineage to check. */
  did: string
  /** Statements from it up to a root; default: those of its document. */
  lineage?: Array<{
    /** The derived identity. */
    child_did: string
    /** Its first key. */
    child_public_key: string
    /** Who derived it. */
    parent_did: string
    /** Key of the parent that signed. */
    parent_public_key: string
    /** A root such as HumanRoot, or derived such as Agent; Unknown(…) for kinds of others. */
    entity_kind: string
    /** Names a child among its siblings. */
    label: string
    /** Tells apart children with the same label; the first is 0. */
    index: number
    /** When it was derived. */
    created_at: string
    /** The child counts until then; absent: it does not end. */
    expires_at?: string
    /** How the parent came to its key; absent: it is its first. */
    parent_key_events?: Array<{
      /** Inception: first commitment. Rotation: to the committed key. Recovery: a key put in place by others. */
      kind: "inception" | "rotation" | "recovery"
      /** The key from then on. */
      public_key: string
      /** The sha256 of the next public key’s 32 bytes. */
      next_key_hash: string
      /** Who may recover it from then on; absent: nobody. */
      recovery?: {
        /** Who may recover it. */
        dids: string[]
        /** How many of them must sign. */
        threshold: number
      }
      /** When it was made. */
      at: string
      /** The hash of the event before; the DID where there is none. */
      previous: string
      /** By the new key, or by those who recover it. */
      signatures: Array<{
        /** Who signed. */
        did: string
        /** Key that signed. */
        public_key: string
        /** Over the event, base64url. */
        signature: string
        /** How the signer came to that key; absent: it is its first. */
        key_events?: Array<Record<string, unknown>>
      }>
    }>
    /** By the parent, base64url. */
    signature: string
  }>
}

/** Answer of OAS verify_lineage. */
export interface OasVerifyLineageOutput {
  /** Whether its descent from a root is proven. */
  verified: boolean
  /** Number of statements between the identity and the root. */
  depth: number
  /** Root it descends from; absent: not proven. */
  root_did?: string
  /** Kind of that root. */
  root_kind?: string
  /** DIDs from the identity towards the root, as far as proven. */
  chain: string[]
  /** Step at which the proof fails, counted from the identity; absent: none. */
  broken_at?: number
  /** Why it is not verified. */
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
    access_requests: { input: MacsAccessRequestsInput; output: MacsAccessRequestsOutput }
    add_workload: { input: MacsAddWorkloadInput; output: MacsAddWorkloadOutput }
    auth_negotiation: { input: MacsAuthNegotiationInput; output: MacsAuthNegotiationOutput }
    authorization_request: { input: MacsAuthorizationRequestInput; output: MacsAuthorizationRequestOutput }
    create_key: { input: MacsCreateKeyInput; output: MacsCreateKeyOutput }
    decide_access: { input: MacsDecideAccessInput; output: MacsDecideAccessOutput }
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
    request_access: { input: MacsRequestAccessInput; output: MacsRequestAccessOutput }
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
    account_history: { input: MadeAccountHistoryInput; output: MadeAccountHistoryOutput }
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
    diff: { input: MageDiffInput; output: MageDiffOutput }
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
    list: { input: MakerListInput; output: MakerListOutput }
    status: { input: MakerStatusInput; output: MakerStatusOutput }
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
    forecast: { input: ManticForecastInput; output: ManticForecastOutput }
    list_questions: { input: ManticListQuestionsInput; output: ManticListQuestionsOutput }
    open_question: { input: ManticOpenQuestionInput; output: ManticOpenQuestionOutput }
    resolve: { input: ManticResolveInput; output: ManticResolveOutput }
    upload_forecasts: { input: ManticUploadForecastsInput; output: ManticUploadForecastsOutput }
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
    cancel_orders: { input: MarketCancelOrdersInput; output: MarketCancelOrdersOutput }
    create_order: { input: MarketCreateOrderInput; output: MarketCreateOrderOutput }
    create_orders: { input: MarketCreateOrdersInput; output: MarketCreateOrdersOutput }
    execute_trade: { input: MarketExecuteTradeInput; output: MarketExecuteTradeOutput }
    follow_book: { input: MarketFollowBookInput; output: MarketFollowBookOutput }
    query_orderbook: { input: MarketQueryOrderbookInput; output: MarketQueryOrderbookOutput }
    set_rules: { input: MarketSetRulesInput; output: MarketSetRulesOutput }
  }
  MARS: {
    discovery: { input: MarsDiscoveryInput; output: MarsDiscoveryOutput }
    query_registry: { input: MarsQueryRegistryInput; output: MarsQueryRegistryOutput }
    register_agent: { input: MarsRegisterAgentInput; output: MarsRegisterAgentOutput }
  }
  MAT: {
    begin_call: { input: MatBeginCallInput; output: MatBeginCallOutput }
    end_call: { input: MatEndCallInput; output: MatEndCallOutput }
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
    compliance_report_file: { input: MaxComplianceReportFileInput; output: MaxComplianceReportFileOutput }
    explainability_request: { input: MaxExplainabilityRequestInput; output: MaxExplainabilityRequestOutput }
    list_views: { input: MaxListViewsInput; output: MaxListViewsOutput }
    list_webhooks: { input: MaxListWebhooksInput; output: MaxListWebhooksOutput }
    remove_view: { input: MaxRemoveViewInput; output: MaxRemoveViewOutput }
    remove_webhook: { input: MaxRemoveWebhookInput; output: MaxRemoveWebhookOutput }
    set_view: { input: MaxSetViewInput; output: MaxSetViewOutput }
    set_webhook: { input: MaxSetWebhookInput; output: MaxSetWebhookOutput }
    traceability_graph: { input: MaxTraceabilityGraphInput; output: MaxTraceabilityGraphOutput }
    view_file: { input: MaxViewFileInput; output: MaxViewFileOutput }
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
    list_concerns: { input: MeritListConcernsInput; output: MeritListConcernsOutput }
    remove_concern: { input: MeritRemoveConcernInput; output: MeritRemoveConcernOutput }
    revoke: { input: MeritRevokeInput; output: MeritRevokeOutput }
    set_concern: { input: MeritSetConcernInput; output: MeritSetConcernOutput }
  }
  MIM: {
    list: { input: MimListInput; output: MimListOutput }
    mailbox_declare: { input: MimMailboxDeclareInput; output: MimMailboxDeclareOutput }
    message_receive: { input: MimMessageReceiveInput; output: MimMessageReceiveOutput }
    message_send: { input: MimMessageSendInput; output: MimMessageSendOutput }
    message_send_many: { input: MimMessageSendManyInput; output: MimMessageSendManyOutput }
    task_cancel: { input: MimTaskCancelInput; output: MimTaskCancelOutput }
    task_get: { input: MimTaskGetInput; output: MimTaskGetOutput }
    task_list: { input: MimTaskListInput; output: MimTaskListOutput }
    task_send: { input: MimTaskSendInput; output: MimTaskSendOutput }
    topic_declare: { input: MimTopicDeclareInput; output: MimTopicDeclareOutput }
    topic_subscribe: { input: MimTopicSubscribeInput; output: MimTopicSubscribeOutput }
    topic_unsubscribe: { input: MimTopicUnsubscribeInput; output: MimTopicUnsubscribeOutput }
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
    history: { input: MoonHistoryInput; output: MoonHistoryOutput }
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
    list_logs: { input: MotetListLogsInput; output: MotetListLogsOutput }
    list_spans: { input: MotetListSpansInput; output: MotetListSpansOutput }
  }
  MOTIF: {
    acknowledge_alert: { input: MotifAcknowledgeAlertInput; output: MotifAcknowledgeAlertOutput }
    detect: { input: MotifDetectInput; output: MotifDetectOutput }
    history: { input: MotifHistoryInput; output: MotifHistoryOutput }
    list_alert_rules: { input: MotifListAlertRulesInput; output: MotifListAlertRulesOutput }
    list_alerts: { input: MotifListAlertsInput; output: MotifListAlertsOutput }
    list_metrics: { input: MotifListMetricsInput; output: MotifListMetricsOutput }
    query: { input: MotifQueryInput; output: MotifQueryOutput }
    remove_alert_rule: { input: MotifRemoveAlertRuleInput; output: MotifRemoveAlertRuleOutput }
    set_alert_rule: { input: MotifSetAlertRuleInput; output: MotifSetAlertRuleOutput }
    silence_alert_rule: { input: MotifSilenceAlertRuleInput; output: MotifSilenceAlertRuleOutput }
  }
  OAS: {
    resolve: { input: OasResolveInput; output: OasResolveOutput }
    verify_lineage: { input: OasVerifyLineageInput; output: OasVerifyLineageOutput }
  }
}
