// What a handler is given. Everything costly is made at first use: an operation that touches no table costs no round trip.

import type { EventMore, RecordName, Supplied } from '@svc/contract/audit/audit-event'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { EventType } from '@svc/contract/audit/event'
import type { CrossingQuestion } from '@svc/contract/authority/treaty-grants'
import type { IdentityDocument } from '@svc/contract/identity/identity-document'
import type { Books } from '@svc/contract/money/books'
import { grantWeek, runway_purse } from '@svc/contract/money/purse'
import type {
  Apart,
  Authority,
  CharterChange,
  Holdings,
  OperationContext,
  Progress,
  PurseState,
  RegistryEntry,
  TenantBook,
} from '@svc/contract/operation-context'
import { Refusal } from '@svc/contract/refusal'
import type { Asked, Placed, Used } from '../call.ts'
import { judgeCrossing } from '../crossing.ts'
import { tokensExhausted } from '../limits/budget.ts'
import type { Ports, Transaction } from '../ports.ts'
import { knownHoldings } from '../stages/4-gate-capability.ts'
import { AfterCommit } from './after-commit.ts'
import { runApart } from './apart.ts'
import { eventInChains, eventOf, nameOf } from './events.ts'
import { countForeignEvent } from './foreign-events.ts'
import { HandlerFaculties } from './handler-faculties.ts'
import { heldWithin, nestedCall, versionWithin } from './nested-call.ts'
import { publishIdentity } from './publish-identity.ts'

const events_max = 1000

/** How an operation reaches another: the pipeline itself, one level deeper. */
export type Redispatch = (asked: Asked) => Promise<unknown>

// A class because it must be closed: exactly one of commit() and abandon() is called, once.
export class HandlerContext extends HandlerFaculties implements OperationContext {
  readonly used: Used = { tokens_in: 0, tokens_out: 0, milliseconds: 0 }
  readonly metadata: Record<string, unknown> = {}
  readonly #call: Placed
  readonly #ports: Ports
  readonly #redispatch: Redispatch
  readonly #events: AuditEntry[] = []
  readonly #after = new AfterCommit()
  #keeping: Refusal | undefined
  #transaction: Transaction | undefined
  #controller: AbortController | undefined
  #abandoned: Error | undefined

  constructor(call: Placed, ports: Ports, redispatch: Redispatch) {
    super(call, ports)
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
  get engine_did() {
    return this.#ports.settings.engine_did
  }
  get operator_tenant_id() {
    return this.#ports.settings.operator_tenant_id
  }
  get tokens_max() {
    return this.#call.worst.tokens
  }
  get cedar() {
    return this.#ports.policies.cedar
  }
  get record_id() {
    return this.#call.record_id
  }
  get vault() {
    return this.#ports.custody.vault(this.tenant_id)
  }
  get remote() {
    return this.#call.endpoint.remoteFor?.(this.invoke, this.signal)
  }
  get custody() {
    return this.#ports.custody.open(this.tenant_id, this.db)
  }
  get db() {
    return this.transaction.db
  }

  /** Stage 7's own use: the idempotency row commits with the operation. */
  get transaction(): Transaction {
    this.#refuseAbandoned()
    this.#transaction ??= this.#ports.store.transaction(this.tenant_id)
    return this.#transaction
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

  get book(): TenantBook {
    return this.#ports.book.forTenant(this.tenant_id)
  }

  async authority(): Promise<Holdings> {
    const { caller, asked } = this.#call
    const held = await knownHoldings(this.#call, this.#ports, this.tenant_id)
    return { identity: caller, held: heldWithin(held, asked.within?.ceilings) }
  }

  authorityOf(did: string): Promise<Authority> {
    return this.#ports.capabilities.authorityOf(did, this.tenant_id)
  }
  sitsInCharter(did: string): Promise<boolean> {
    return this.#ports.charter.satAt(this.db, this.tenant_id, did, new Date(this.#call.now_ms))
  }

  charterMembers(): Promise<readonly string[]> {
    return this.#ports.charter.members(this.db, this.tenant_id)
  }

  changeCharter(change: CharterChange): Promise<void> {
    return this.#ports.charter.change(this.db, this.tenant_id, change, new Date(this.#call.now_ms))
  }

  async spentInWeek(did: string, capability: string): Promise<bigint> {
    const { spent_micro_usd } = await this.purse(grantWeek(did, capability, this.#call.now_ms))
    return spent_micro_usd
  }

  async purse(name: string): Promise<PurseState> {
    return this.#ports.purses.state(this.tenant_id, name)
  }

  async books(): Promise<Books> {
    return this.#ports.treasury.of(this.tenant_id)
  }

  countSpent(quanta: bigint): void {
    const { purses } = this.#ports
    const take = { purse: runway_purse, limit: 0n, amount: 0n, counts: 'usd' } as const
    this.afterCommit(async () => purses.settle(this.tenant_id, [take], quanta))
  }

  async tierOf(tenant_id: string) {
    return this.#ports.tenants.tierOf(tenant_id)
  }
  treaty(treaty_id: string) {
    return this.#ports.treaties.find(this.tenant_id, treaty_id)
  }

  judgeCrossing(question: CrossingQuestion) {
    const { jurisdiction } = this.caller.extended
    return judgeCrossing(this.#ports, question, typeof jurisdiction === 'string' ? jurisdiction : undefined)
  }

  policySet(set_digest: string) {
    return this.#ports.policies.named(this.tenant_id, set_digest)
  }

  speakersOf(protocol: string): Promise<readonly string[]> {
    return this.#ports.tenants.speakersOf(protocol)
  }

  requireAuthority(operation: string, subject: string, ref?: string): Promise<string> {
    return this.#ports.authorizer(this, { operation, subject, ref })
  }

  calibrated(forecaster: string, probability: number): Promise<number | undefined> {
    return this.#ports.calibrator(this, forecaster, probability)
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
    this.#ports.book.record(eventOf(this.#call, this.#ports, 'SecurityViolation', { ...facts, reason }, more))
  }

  keepingRows(refusal: Refusal): Refusal {
    this.#keeping = refusal
    return refusal
  }

  /** Stage 7's own use: whether what ended the operation leaves its rows standing. */
  keepsRows(thrown: unknown): boolean {
    return thrown instanceof Refusal && thrown === this.#keeping && this.#abandoned === undefined
  }

  afterCommit(work: () => Promise<void>): void {
    this.#after.add(work)
  }

  register(entry: RegistryEntry): Promise<string> {
    return this.#ports.registrar(this, entry)
  }

  publishIdentity(document: IdentityDocument): Promise<string | undefined> {
    this.#refuseAbandoned()
    return publishIdentity(this.#ports, document, this.invoke, this.signal)
  }

  async call(
    protocol: string,
    operation: string,
    input: unknown,
    only?: readonly string[],
  ): Promise<unknown> {
    this.#refuseAbandoned()
    const version = versionWithin(this.#ports.registry, protocol)
    return this.#redispatch(
      nestedCall(this.#call, { protocol, version, operation, input, only }, this.signal),
    )
  }

  apart<Result>(work: (rows: Apart) => Promise<Result>): Promise<Result> {
    this.#refuseAbandoned()
    return runApart(this.#call, this.#ports, work)
  }

  progress(event: Progress): void {
    this.#call.asked.progress?.(event)
  }

  takePath(path: 'protocol' | 'agent'): void {
    this.metadata.path = path
    this.used.path = path
  }

  useTokens(tokens_in: number, tokens_out: number): void {
    // Refused here, while the operation can still be undone: half a token would only fail when it is priced.
    for (const count of [tokens_in, tokens_out]) {
      if (!Number.isSafeInteger(count) || count < 0)
        throw new RangeError(`${count} is not a number of tokens`)
    }
    this.used.tokens_in += tokens_in
    this.used.tokens_out += tokens_out
    // Where tokens are not metered nobody pays for them, and none are reserved.
    if (this.#call.operation.multipliers[0] === 0) return
    if (this.used.tokens_in + this.used.tokens_out <= this.tokens_max) return
    throw tokensExhausted(this.#call.operation.capability, this.tokens_max)
  }

  /** Nothing to wait for where no table was touched. */
  commit(): Promise<void> | undefined {
    const { log } = this.#ports
    const { correlation_id } = this.#call
    if (this.#transaction?.opened) {
      const committing = this.#transaction.commit(this.#events)
      return this.#after.is_empty ? committing : committing.then(() => this.#after.run(log, correlation_id))
    }
    for (const event of this.#events) this.#ports.book.record(event)
    return this.#after.is_empty ? undefined : this.#after.run(log, correlation_id)
  }

  /** The operation failed or ran out of time: its rows and events never were. */
  async abandon(reason: Error): Promise<void> {
    this.#abandoned = reason
    this.#controller?.abort(reason)
    // Also where nothing was asked yet: a handler that goes on after its deadline must not open a transaction nobody ends.
    await this.#transaction?.rollback()
  }

  /** A handler that goes on after its deadline has no rights left: what it does could not be recorded any more. */
  #refuseAbandoned(): void {
    if (this.#abandoned) throw this.#abandoned
  }
}
