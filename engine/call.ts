// What is known of a call after each stage. A stage takes one of these and returns the next, so two swapped stages do not compile.

import type { Supplied } from '@svc/contract/audit/audit-event'
import type { AgentCapability, Grant } from '@svc/contract/authority/capability'
import type { Tier } from '@svc/contract/authority/tier'
import type { HandleRequestInput } from '@svc/contract/dispatch'
import type { ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import type { InvokeContext, TraceContext } from '@svc/contract/invoke-context'
import type { Books } from '@svc/contract/money/books'
import type { Progress } from '@svc/contract/operation-context'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import type { CallTrace } from './call-trace.ts'
import type { Endpoint, Registered, RegisteredOperation } from './routing/routing.ts'

/** Who holds a credential, as the door knows it before any identity is resolved. */
export interface Credential {
  readonly key_id: string
  readonly did: string
  readonly tenant_id: string
  readonly tier: Tier
  /** What the key itself carries; identity documents, delegations and treaties add to it. */
  readonly capabilities: readonly AgentCapability[]
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
}

/** The part of a purse one call wants for itself. */
export interface Take {
  readonly budget_counter: string
  /** What the purse may hold in all: micro-USD, or calls. */
  readonly limit: bigint
  /** The worst case; 0n where the call is counted without being held to the limit. */
  readonly amount: bigint
  /** Calls are counted when they are let in; money when it is spent. */
  readonly counts: 'usd' | 'calls'
}

/** So much is reserved before a call, and no more is ever charged for it. */
export interface Worst {
  readonly ms: number
  readonly tokens: number
  /** For the events that a stranger's code may record; 0 where absent. */
  readonly event_ms?: number
}

/** The surface a call came by; `invoke` where another engine sent it. Callers say `mcp` themselves where their MCP server runs beside them: it labels, it grants nothing. */
export type Origin = 'http' | 'mcp' | 'invoke' | 'internal'

/** What the door hands in: authenticated and well formed, nothing more. */
export interface Asked {
  readonly request: HandleRequestInput
  readonly credential: Credential
  readonly origin: Origin
  readonly trace_context?: TraceContext
  readonly dry_run?: boolean
  /** Resolved and signed by a gateway we trust: not looked up again. */
  readonly identity?: ResolvedAgentIdentity
  /** The id the caller or its gateway gave this call; a new one is made where absent. */
  readonly correlation_id?: string | undefined
  /** The gateway that let this call in and when, and what it could not verify of the caller. */
  readonly gateway?: {
    readonly did: string
    readonly timestamp: string
    readonly warnings: readonly string[]
  }
  /** Size of the request as it arrived, for the operation's own limit. */
  readonly body_bytes?: number
  /** Aborted when the caller leaves. */
  readonly signal?: AbortSignal
  progress?: (event: Progress) => void
  /** Told at once which call this became, for surfaces that begin to answer before it is done. */
  begun?: (call: Call) => void
  /** Set when an operation calls another: same correlation, one level deeper. */
  readonly within?: {
    readonly correlation_id: string
    readonly depth: number
    /** Set where the call it belongs to is sampled. */
    readonly sampled?: boolean
    /** Capability names that plugins on the way here are held to: of each list one must cover the call. */
    readonly ceilings?: readonly (readonly string[])[]
    /** Plugins on the way here: each holds one of its few processes until this call is done. */
    readonly plugins?: readonly string[]
  }
}

/** One object lives through all stages and each adds what it learned, so that a refusal can record all that was known. */
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
  /** The input's canonical text, once somebody needed it: of megabytes it is written once. */
  input_text?: string
  /** Where it is sampled whatever becomes of it. */
  trace?: CallTrace | undefined
  caller?: ResolvedAgentIdentity
  /** What of the caller's identity could not be asked; then `caller` is a bare DID that nobody has denied anything. */
  unknown_of_caller?: 'document' | 'revocation'
  registered?: Registered
  operation?: RegisteredOperation
  allowance?: Allowance
  grant?: Omit<Grant, 'source'> & Partial<Grant>
  /** What is reserved for it and not yet settled. */
  takes?: readonly Take[] | undefined
  envelope_id?: string | undefined
  /** The rules it was judged by, by tenant; absent where nobody has any. */
  policy_sets?: Readonly<Record<string, string>>
  /** What they saw of it beyond what its record says anyway, so that it can be judged again. */
  scene?: Readonly<Record<string, unknown>>
  /** The other organization it asks something of, once that is known to be there: it keeps a copy of the record. */
  other_tenant?: string
  endpoint?: Endpoint
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
export type Budgeted = Guarded & { worst: Worst }
export type Placed = Budgeted & { endpoint: Endpoint }

export interface Used {
  tokens_in: number
  tokens_out: number
  milliseconds: number
  /** Events that a stranger's code recorded, and their bytes. */
  events?: number
  event_bytes?: number
  /** Which way a hybrid went; absent where it did not say. */
  path?: 'protocol' | 'agent'
}

export type Done = Placed & {
  /** Canonical, so that what is hashed into the record is what the caller is sent. */
  output_text: string
  module_metadata: Record<string, unknown>
  /** What a service outside said beside its answer. */
  module_supplied?: Supplied | undefined
  used: Used
  /** True where the answer is one kept under the same idempotency key. */
  replayed: boolean
}
