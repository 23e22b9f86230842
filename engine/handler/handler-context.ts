// The context of every handler. Costly parts are created at first use: an operation that touches no table costs no round trip.

import type { EventMore, RecordName, Supplied } from '@svc/contract/audit/audit-event'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { EventType } from '@svc/contract/audit/event'
import { principalsOf } from '@svc/contract/identity/principals'
import type { Apart, CallContext, Delivery, Progress } from '@svc/contract/operation-context'
import { Refusal } from '@svc/contract/refusal'
import type { Asked, Placed, Used } from '../call.ts'
import { deadlineOf } from '../limits/budget.ts'
import type { Log, Ports, Transaction } from '../ports.ts'
import { runApart } from './apart.ts'
import { countForeignEvent, eventInChains, eventOf, nameOf } from './events.ts'
import { nestedCall, versionWithin } from './nested-call.ts'

const events_max = 1000

/** How an operation calls another: through the pipeline, one level deeper. */
export type Redispatch = (incoming: Asked) => Promise<unknown>

// A class because it must be closed: exactly one of commit() and abandon() is called, once.
export class HandlerContext implements CallContext {
  readonly used: Used = { tokens_in: 0, tokens_out: 0, milliseconds: 0 }
  readonly metadata: Record<string, unknown> = {}
  /** For stage 7 only: awaited before anything that a rollback of this operation would not undo. */
  beforeActing: (() => Promise<void>) | undefined
  readonly #call: Placed
  readonly #ports: Ports
  readonly #redispatch: Redispatch
  readonly #events: AuditEntry[] = []
  readonly #after = new AfterCommit()
  #keeping: Refusal | undefined
  #transaction: Transaction | undefined
  /** Those that are not committed yet. */
  readonly #apart = new Set<Transaction>()
  #controller: AbortController | undefined
  #abandoned: Error | undefined

  constructor(call: Placed, ports: Ports, redispatch: Redispatch) {
    this.#call = call
    this.#ports = ports
    this.#redispatch = redispatch
  }

  get invoke() {
    return this.#call.context
  }
  get tenant_id() {
    return this.#call.context.tenant_id
  }
  get caller() {
    return this.#call.caller
  }
  get now() {
    return this.#call.timestamp
  }
  get idempotency_key() {
    return this.#call.asked.request.idempotency_key
  }
  get record_id() {
    return this.#call.record_id
  }
  get deadline_ms() {
    return deadlineOf(this.#call)
  }
  get db() {
    return this.transaction.db
  }

  /** For stage 7 only: the idempotency row commits with the operation. */
  get transaction(): Transaction {
    this.#refuseAbandoned()
    this.#transaction ??= this.#openTransaction()
    return this.#transaction
  }

  #openTransaction(): Transaction {
    this.#refuseAbandoned()
    return this.#ports.store.transaction(this.tenant_id, principalsOf(this.caller))
  }

  get signal() {
    if (!this.#controller) {
      const controller = new AbortController()
      this.#controller = controller
      const caller_left = this.#call.asked.signal
      if (this.#abandoned) controller.abort(this.#abandoned)
      else if (caller_left?.aborted) controller.abort(caller_left.reason)
      else caller_left?.addEventListener('abort', () => controller.abort(caller_left.reason), { once: true })
    }
    return this.#controller.signal
  }

  newId(): string {
    return this.#ports.clock.uuid()
  }

  randomBytes(count: number): Buffer {
    return this.#ports.clock.randomBytes(count)
  }

  audit(event_type: EventType, facts: Record<string, unknown>, more: EventMore = {}): RecordName {
    if (this.#call.operation.facts.foreign) countForeignEvent(this.used, event_type, { ...more.supplied })
    const own = eventOf(this.#call, this.#ports, event_type, facts, more)
    const events = eventInChains(own, more.also ?? [], this.tenant_id, this.#ports)
    if (this.#events.length + events.length > events_max)
      throw new Error(`an operation may record at most ${events_max} events`)
    this.#events.push(...events)
    return nameOf(own)
  }

  alarm(reason: string, facts: Record<string, unknown>, supplied?: Supplied): void {
    const more = { outcome: 'refused', supplied } as const
    this.#ports.audit_log.record(
      eventOf(this.#call, this.#ports, 'SecurityViolation', { ...facts, reason }, more),
    )
  }

  keepingRows(refusal: Refusal): Refusal {
    this.#keeping = refusal
    return refusal
  }

  /** For stage 7 only: what the operation waits for may never come, through no fault of its own. */
  get waits_for_database(): boolean {
    return this.#transactions().some(({ waiting }) => waiting)
  }

  /** For stage 7 only: whether the error that ended the operation keeps its rows. */
  keepsRows(thrown: unknown): boolean {
    return thrown instanceof Refusal && thrown === this.#keeping && this.#abandoned === undefined
  }

  afterCommit(work: () => Promise<void>): void {
    this.#after.add(work)
  }

  async call(
    protocol: string,
    operation: string,
    input: unknown,
    only?: readonly string[],
  ): Promise<unknown> {
    this.#refuseAbandoned()
    await this.beforeActing?.()
    this.#call.acted = true
    const version = versionWithin(this.#ports.registry, protocol)
    return this.#redispatch(
      nestedCall(this.#call, { protocol, version, operation, input, only }, this.signal),
    )
  }

  async apart<Result>(work: (rows: Apart) => Promise<Result>): Promise<Result> {
    await this.beforeActing?.()
    const transaction = this.#openTransaction()
    this.#apart.add(transaction)
    try {
      const result = await runApart(this.#call, this.#ports, transaction, work)
      this.#call.acted = true
      return result
    } finally {
      this.#apart.delete(transaction)
    }
  }

  progress(event: Progress): Delivery {
    const { progress } = this.#call.asked
    if (!progress) return 'nobody'
    return progress(event) ? 'sent' : 'dropped'
  }

  takePath(path: 'protocol' | 'agent'): void {
    this.metadata.path = path
    this.used.path = path
  }

  /** Nothing to wait for where no table was touched. */
  commit(): Promise<void> | undefined {
    const { log } = this.#ports
    const { correlation_id } = this.#call
    if (this.#transaction?.opened) {
      const committing = this.#transaction.commit(this.#events)
      return this.#after.is_empty ? committing : committing.then(() => this.#after.run(log, correlation_id))
    }
    for (const event of this.#events) this.#ports.audit_log.record(event)
    return this.#after.is_empty ? undefined : this.#after.run(log, correlation_id)
  }

  /** The operation failed or timed out: its rows and events are discarded. */
  async abandon(reason: Error): Promise<void> {
    this.#abandoned = reason
    this.#controller?.abort(reason)
    // Also before any query: a handler that runs on after its deadline must not open a transaction that nobody ends.
    await Promise.all(this.#transactions().map((transaction) => transaction.rollback()))
  }

  #transactions(): Transaction[] {
    return this.#transaction ? [this.#transaction, ...this.#apart] : [...this.#apart]
  }

  /** A handler that runs on after its deadline has no rights: its actions could no longer be recorded. */
  #refuseAbandoned(): void {
    if (this.#abandoned) throw this.#abandoned
  }
}

const works_max = 16

class AfterCommit {
  readonly #works: (() => Promise<void>)[] = []

  get is_empty(): boolean {
    return this.#works.length === 0
  }

  add(work: () => Promise<void>): void {
    if (this.#works.length >= works_max)
      throw new Error(`an operation may leave at most ${works_max} things to do after its commit`)
    this.#works.push(work)
  }

  async run(log: Log, correlation_id: string): Promise<void> {
    for (const work of this.#works.splice(0)) {
      try {
        await work()
      } catch (error) {
        log.warn({ err: error, correlation_id }, 'work after a commit failed')
      }
    }
  }
}
