// What every handler is given. Whatever else an operation works with it names in `needs`, see needs/needs.ts.

import type { EventMore, RecordName, Supplied } from './audit/audit-event.ts'
import type { EventType } from './audit/event.ts'
import type { Database } from './database.ts'
import type { ResolvedAgentIdentity } from './identity/identity.ts'
import type { InvokeContext } from './invoke-context.ts'
import type { Need, Needs } from './needs/needs.ts'
import type { Refusal } from './refusal.ts'

export type OperationContext<N extends Need = never> = CallContext & Pick<Needs, N>

export interface CallContext {
  readonly invoke: InvokeContext
  readonly tenant_id: string
  readonly caller: ResolvedAgentIdentity
  /** Gateway ingress time, RFC 3339 UTC: the moment every rule of this call is judged by. */
  readonly now: string
  /** The audit record this call will have: what is kept may name it. */
  readonly record_id: string
  /** What the caller names this very request by, where it may be sent again. */
  readonly idempotency_key?: string | undefined
  /** The tenant's rows, inside this operation's own transaction. */
  readonly db: Database
  /** A UUID of version 4. This and `randomBytes` are the only chance a handler has, so a call can be repeated from a seed. */
  newId(): string
  /** For salts, nonces and tokens. */
  randomBytes(count: number): Buffer
  /** Aborted when the deadline passes, the caller leaves, or the engine must stop. */
  readonly signal: AbortSignal
  /** How long this call may take: no longer than its caller asked for, nor than the caller's tier allows. */
  readonly deadline_ms: number
  /** Module metadata: kept in the audit record, found again through MAX traceability_graph. */
  readonly metadata: Record<string, unknown>
  /** A domain event: it commits or rolls back with this operation's own rows, and is named before it is written. */
  audit(event_type: EventType, facts: Record<string, unknown>, more?: EventMore): RecordName
  /** Something that must be recorded even when this operation is then refused, such as a bad signature. */
  alarm(reason: string, facts: Record<string, unknown>, supplied?: Supplied): void
  /** A refusal after which the rows written so far stand, such as a count of failed attempts: `throw context.keepingRows(refuse(…))`. */
  keepingRows(refusal: Refusal): Refusal
  /** Runs once, when the rows are committed and before the answer leaves; what fails in it changes nothing of the answer. */
  afterCommit(work: () => Promise<void>): void
  /** Commits rows and events of their own when it returns, whatever becomes of the rest: an intent before the deed, or what comes before a wait. */
  apart<Result>(work: (rows: Apart) => Promise<Result>): Promise<Result>
  /** Calls another operation through all eight stages, as this caller, under this correlation id; with no more than the capabilities in `only`. */
  call(protocol: string, operation: string, input: unknown, only?: readonly string[]): Promise<unknown>
  progress(event: Progress): void
  /** Which way a hybrid went: on the protocol path neither tokens nor watts are charged. Said in the record, too. */
  takePath(path: 'protocol' | 'agent'): void
}

/** A transaction beside the operation's own. */
export interface Apart extends Pick<CallContext, 'audit' | 'db'> {}

export interface Progress {
  readonly message: string
  /** 0 to 1, where it can be told. */
  readonly fraction?: number
  readonly data?: unknown
}
