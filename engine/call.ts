// What is known of a call after each stage. A stage takes one of these and returns the next, so two swapped stages do not compile.

import type { Supplied } from '@svc/contract/audit/audit-event'
import type { Demand } from '@svc/contract/authority/approval'
import type { AgentCapability, Grant, HeldCapability } from '@svc/contract/authority/capability'
import type { Tier } from '@svc/contract/authority/tier'
import type { Database } from '@svc/contract/database'
import type { HandleRequestInput } from '@svc/contract/dispatch'
import type { ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import type { InvokeContext, TraceContext } from '@svc/contract/invoke-context'
import type { Books } from '@svc/contract/money/books'
import type { KeyBudget } from '@svc/contract/needs/keys'
import type { Progress } from '@svc/contract/operation-context'
import type { Refusal } from '@svc/contract/refusal'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import type { CallTrace } from './call-trace.ts'
import type { Endpoint, Registered, RegisteredOperation } from './routing/routing.ts'

/** The holder of a credential, as the dispatch endpoint knows it before identity is resolved. */
export interface Credential {
  readonly key_id: string
  readonly did: string
  readonly tenant_id: string
  readonly tier: Tier
  /** Capabilities of the key itself; identity documents, delegations and treaties add to them. */
  readonly capabilities: readonly AgentCapability[]
  /** Where set, it may be used for these names only, of all that its holder may do. */
  readonly usable_for?: readonly string[]
  /** For a session of an agent: the public key that must sign each request. */
  readonly proof_key?: string
  /** Where set, it acts under this delegation and nothing else. */
  readonly delegation_id?: string
  /** Of a session that a workload got: the mapping it rests on. */
  readonly workload_id?: string
  /** Where set, all calls with it spend no more. */
  readonly budget?: KeyBudget
  /** A person who signed in, or who made this key so: refusals are worded for her. */
  readonly person?: { readonly name: string }
}

export interface Allowance {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Seconds until the bucket is full again. */
  readonly reset_s: number
  /** 0 where allowed. */
  readonly retry_after_ms: number
  readonly reason?: 'bucket empty' | 'monthly quota used'
  /** Where the budget was asked for together with the token: the take that did not fit, if any. */
  readonly reservation?: { readonly lacking: Take | undefined }
}

/** The share of a budget counter that one call reserves. */
export interface Take {
  readonly budget_counter: string
  /** The limit of the counter: micro-USD, or calls. */
  readonly limit: bigint
  /** The worst case; 0n where the call is counted but not limited. */
  readonly amount: bigint
  /** Calls are counted when admitted; money when spent. */
  readonly counts: 'usd' | 'calls'
}

/** Amounts of a call that its price depends on. */
export interface Worst {
  readonly ms: number
  readonly tokens: number
  /** For events that untrusted code may record; 0 where absent. */
  readonly event_ms?: number
}

/**
 * The surface of a call; `invoke` where another engine sent it. Callers set `mcp` themselves where their MCP server runs beside them: a
 * label that grants nothing.
 */
export type Origin = 'http' | 'mcp' | 'a2a' | 'invoke' | 'internal'

/** What the dispatch endpoint passes in: authenticated and well formed, nothing more. */
export interface Asked {
  readonly request: HandleRequestInput
  readonly credential: Credential
  readonly origin: Origin
  readonly trace_context?: TraceContext
  readonly dry_run?: boolean
  /** Resolved and signed by a trusted gateway: not looked up again. */
  readonly identity?: ResolvedAgentIdentity
  /** The id set by the caller or its gateway; a new one is made where absent. */
  readonly correlation_id?: string | undefined
  /** The gateway that admitted this call and when, and what it could not verify of the caller. */
  readonly gateway?: {
    readonly did: string
    readonly timestamp: string
    readonly warnings: readonly string[]
  }
  /** Size of the request as it arrived, for the operation's own limit. */
  readonly body_bytes?: number
  /** The network address it came from, as far as our proxies vouch for it. Absent where nobody saw one. */
  readonly address?: string | undefined
  /** Aborted when the caller leaves. */
  readonly signal?: AbortSignal
  /**
   * Asked once the idempotency key is claimed or stored, in the same transaction. Where the caller may not make this call any more, one of
   * its statements fails, so that the transaction cannot commit.
   */
  readonly fence?: ((db: Database) => Promise<void>) | undefined
  /** No call was made with this idempotency key before. It is only a hint: where it is wrong, nothing is done, and the call is refused. */
  readonly is_first?: boolean
  /** False where it was dropped. */
  progress?: (event: Progress) => boolean
  /** Called at once with the started call, for surfaces that answer before it is finished. */
  begun?: (call: Call) => void
  /** Set when an operation calls another: same correlation, one level deeper. */
  readonly within?: {
    readonly correlation_id: string
    readonly depth: number
    /** Set where the call it belongs to is sampled. */
    readonly sampled?: boolean
    /** Capability names that limit plugins on the way here: one of each list must cover the call. */
    readonly ceilings?: readonly (readonly string[])[]
    /** Plugins on the way here: each occupies one of its few processes until this call ends. */
    readonly plugins?: readonly string[]
  }
}

/** One object passes through all stages and each adds what it learned, so that a refusal can record all of it. */
export interface Call {
  readonly asked: Asked
  readonly record_id: string
  readonly correlation_id: string
  readonly timestamp: string
  readonly now_ms: number
  readonly started_ms: number
  stage: number
  /** When each stage ended, by its number and the monotonic clock. */
  readonly ended_ms: number[]
  /** The input's canonical text, once needed: megabytes are written only once. */
  input_text?: string
  /** Set where it is sampled, whatever its outcome. */
  trace?: CallTrace | undefined
  caller?: ResolvedAgentIdentity
  /** What could not be resolved of the caller's identity; then `caller` is a bare DID that was not denied anything. */
  unknown_of_caller?: 'document' | 'revocation'
  registered?: Registered
  operation?: RegisteredOperation
  allowance?: Allowance
  /** Judges conditions of caveats on the input, once needed. */
  judgeInput?: (condition: string) => boolean
  /** Of grants for a single call: the ids that nobody has used. Absent before stage 4, where none counts. */
  unused_ids?: ReadonlyMap<HeldCapability, ReadonlySet<string>>
  grant?: Omit<Grant, 'source'> & Partial<Grant>
  /** What is reserved and not yet settled. */
  takes?: readonly Take[] | undefined
  /** More is being reserved. */
  growing?: Promise<void> | undefined
  envelope_id?: string | undefined
  /** The policies it was judged by, per tenant; absent where there are none. */
  policy_sets?: Readonly<Record<string, string>>
  /** What the policies saw beyond the record's own fields, so that it can be judged again. */
  scene?: Readonly<Record<string, unknown>>
  /** The called organization, once known to exist: it gets a copy of the record. */
  other_tenant?: string
  endpoint?: Endpoint
  /** Consent it needs before it may run; absent for nearly every call. */
  demands?: readonly Demand[]
  /** Consent this call has used, by the organization that gave it. */
  approvals?: readonly { readonly tenant_id: string; readonly approval_id: string }[] | undefined
  /** Thrown instead of running it: consent was used before, so that only a stored answer may be given. */
  only_replay?: Refusal
  /** It may have changed something that is not rolled back with it. */
  acted?: boolean
}

export function inputText(call: Call): string {
  call.input_text ??= canonicalJson(call.asked.request.input)
  return call.input_text
}

export type Identified = Call & { caller: ResolvedAgentIdentity }
export type Versioned = Identified & { registered: Registered; operation: RegisteredOperation }
export type Enriched = Versioned & { context: InvokeContext }
export type Admitted = Enriched & { allowance: Allowance; books: Books }
export type Authorised = Admitted & { grant: Grant }
export type Guarded = Authorised & { candidates: readonly Endpoint[] }
export type Budgeted = Guarded & {
  /** The most it may use. */
  worst: Worst
  /** The part of it that is reserved by now; no more is charged. */
  reserved: Worst
}
export type Placed = Budgeted & { endpoint: Endpoint }

export interface Used {
  tokens_in: number
  tokens_out: number
  milliseconds: number
  /** Of its time, what it spent waiting for others: not work. */
  waited_ms?: number
  /** Events recorded by untrusted code, and their bytes. */
  events?: number
  event_bytes?: number
  /** The path a hybrid took; absent where it did not say. */
  path?: 'protocol' | 'agent'
}

export type Done = Placed & {
  /** Canonical, so that the hash in the record matches what the caller receives. */
  output_text: string
  module_metadata: Record<string, unknown>
  /** What an outside service reported beside its answer. */
  module_supplied?: Supplied | undefined
  used: Used
  /** True where the answer was stored under the same idempotency key. */
  replayed: boolean
}
