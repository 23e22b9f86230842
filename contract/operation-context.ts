// The context of every handler. An operation names anything else it uses in `needs`, see needs/needs.ts.

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
  /** Gateway ingress time, RFC 3339 UTC: every rule of this call is judged at this time. */
  readonly now: string
  /** The id of this call's audit record, for rows that refer to it. */
  readonly record_id: string
  /** The caller's key for this request, where it may be repeated. */
  readonly idempotency_key?: string | undefined
  /** The tenant's rows, inside this operation's own transaction. */
  readonly db: Database
  /** A UUID of version 4. This and `randomBytes` are a handler's only randomness, so a call can be repeated from a seed. */
  newId(): string
  /** For salts, nonces and tokens. */
  randomBytes(count: number): Buffer
  /** Aborted when the deadline passes, the caller leaves, or the engine must stop. */
  readonly signal: AbortSignal
  /** Time limit of this call: no longer than the caller asked for, nor than its tier allows. */
  readonly deadline_ms: number
  /** Module metadata: stored in the audit record and returned by MAX traceability_graph. */
  readonly metadata: Record<string, unknown>
  /** A domain event: it commits or rolls back with this operation's own rows, and has its id before it is written. */
  audit(event_type: EventType, facts: Record<string, unknown>, more?: EventMore): RecordName
  /** Recorded even when this operation is then refused, such as a bad signature. */
  alarm(reason: string, facts: Record<string, unknown>, supplied?: Supplied): void
  /** A refusal that keeps the rows written so far, such as a count of failed attempts: `throw context.keepingRows(refuse(…))`. */
  keepingRows(refusal: Refusal): Refusal
  /** Runs once, after the commit and before the answer; its failure does not change the answer. */
  afterCommit(work: () => Promise<void>): void
  /**
   * Commits its own rows and events when it returns, whatever happens later: an intent before an external effect, or a state before a
   * wait.
   */
  apart<Result>(work: (rows: Apart) => Promise<Result>): Promise<Result>
  /**
   * Calls another operation through all eight stages, as this caller, with this correlation id and no more than the capabilities in
   * `only`.
   */
  call(protocol: string, operation: string, input: unknown, only?: readonly string[]): Promise<unknown>
  progress(event: Progress): Delivery
  /** The path a hybrid took: on the protocol path neither tokens nor watts are charged. Also recorded. */
  takePath(path: 'protocol' | 'agent'): void
}

/** A transaction beside the operation's own. */
export interface Apart extends Pick<CallContext, 'audit' | 'db'> {}

/** `nobody`: the caller does not stream. `dropped`: it reads more slowly than is sent, or was sent too much. */
export type Delivery = 'sent' | 'dropped' | 'nobody'

export interface Progress {
  /** Its place in what is streamed. Such events wait a while for a slow reader, because each one counts. */
  readonly id?: string
  readonly message: string
  /** 0 to 1, where known. */
  readonly fraction?: number
  readonly data?: unknown
}
