// Delivers events to webhooks: in the order of the log, one at a time for each, and again until the receiver answers 2xx.
import { recordOf } from '@svc/audit/pages/stored-record'
import { queryOf } from '@svc/audit/query/query'
import { searchRecords } from '@svc/audit/query/search'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import type { Clock, Keystore, Log } from '@svc/engine/ports'
import { within } from '../clock/within.ts'
import type { AddressGuard } from '../outbound/address-guard.ts'
import { type Authorities, left, type OutboundError, openOutbound } from '../outbound/outbound.ts'
import { messageOf, secretName } from './message.ts'
import { answer_ms_max, lastSentence, sentenceOf, waitAfter } from './retry.ts'
import {
  endTurn,
  noteCaughtUp,
  noteDelivered,
  noteFailed,
  stopWebhook,
  type TakenWebhook,
  takeDue,
} from './webhook-store.ts'

const turns_max = 16
/** Then others have a turn. */
const records_a_turn_max = 100
/** The same, for receivers that take long to answer. What its setter may do is looked at in each turn. */
const turn_ms_max = 10_000
/** Past it a delivery under way is given up; its record is delivered again. */
const close_ms_max = 3_000

const no_longer = 'Whoever set it may no longer read the audit log; somebody who may must set it again.'
const own_fault = 'The engine could not prepare the delivery; its operator finds the reason in its log.'

export interface DelivererParts {
  /** As the engine: all tenants. */
  readonly db: Database
  readonly custody: Pick<Keystore, 'vault'>
  readonly guard: AddressGuard
  /** PEM of certificate authorities to trust besides the system's. */
  readonly ca?: Authorities | undefined
  /** Whether an identity may still read all of its organization's log; throws where that cannot be told now. */
  readonly mayRead: (tenant_id: string, did: string) => Promise<boolean>
  readonly clock: Clock
  readonly log: Log
}

interface Fault {
  readonly sentence: string
  readonly status?: number | undefined
}

export class Deliverer {
  readonly #parts: DelivererParts
  readonly #turns = new Set<Promise<void>>()
  readonly #closing = new AbortController()
  #looking: Promise<void> | undefined
  #is_closing = false

  constructor(parts: DelivererParts) {
    this.#parts = parts
  }

  /** Begins what is due, and does not wait for its end. Where nothing is set, this is one small statement. */
  look(): Promise<void> {
    this.#looking ??= this.#take().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async close(): Promise<void> {
    this.#is_closing = true
    await this.#looking?.catch(() => {})
    await within(close_ms_max, Promise.all(this.#turns)).catch(() => this.#closing.abort())
    await Promise.all(this.#turns)
  }

  async #take(): Promise<void> {
    const free = turns_max - this.#turns.size
    if (free <= 0 || this.#is_closing) return
    const { db, clock } = this.#parts
    const tick = { now: this.#now(), newId: () => clock.uuid() }
    for (const webhook of await takeDue(db, tick, free)) {
      const turn = this.#turnOf(webhook).then((has_more) => {
        this.#turns.delete(turn)
        if (has_more) this.look().catch((error) => this.#warn(error, webhook))
      })
      this.#turns.add(turn)
    }
  }

  /** True where more is waiting. Never throws. */
  async #turnOf(webhook: TakenWebhook): Promise<boolean> {
    const { db } = this.#parts
    try {
      return await this.#deliver(webhook)
    } catch (error) {
      this.#warn(error, webhook)
      await this.#failed(webhook, { sentence: own_fault }).catch(() => {})
      return false
    } finally {
      await endTurn(db, webhook).catch((error) => this.#warn(error, webhook))
    }
  }

  async #deliver(webhook: TakenWebhook): Promise<boolean> {
    const { db, clock } = this.#parts
    const { tenant_id, event_types, seq, head } = webhook
    const filter = { event_types, after_seq: seq, before_seq: head + 1 }
    const ends_ms = clock.monotonic_ms() + turn_ms_max
    let delivered = 0
    for await (const page of searchRecords(queryOf(db), tenant_id, filter))
      for (const stored of page) {
        const record = recordOf(stored)
        const is_over = delivered === records_a_turn_max || clock.monotonic_ms() >= ends_ms
        if (delivered > 0 && is_over) return true
        if (delivered === 0 && !(await this.#isStillAllowed(webhook, record))) return false
        if (this.#is_closing || !(await this.#deliverOne(webhook, record))) return false
        delivered++
      }
    await noteCaughtUp(db, webhook, head)
    return false
  }

  async #isStillAllowed(webhook: TakenWebhook, { timestamp }: AuditRecord): Promise<boolean> {
    const { db, clock, mayRead } = this.#parts
    if (await mayRead(webhook.tenant_id, webhook.set_by)) return true
    const failure = { sentence: no_longer, at: this.#now(), waiting_since: timestamp }
    await stopWebhook(db, webhook, failure, () => clock.uuid())
    return false
  }

  /** True where the next one may follow. */
  async #deliverOne(webhook: TakenWebhook, record: AuditRecord): Promise<boolean> {
    const fault = await this.#send(webhook, record)
    if (fault === left) return false
    if (fault !== undefined) {
      await this.#failed(webhook, fault, record.timestamp)
      return false
    }
    webhook.failures = 0
    webhook.failing_since = null
    return await noteDelivered(this.#parts.db, webhook, record, this.#now())
  }

  async #send(webhook: TakenWebhook, record: AuditRecord): Promise<Fault | typeof left | undefined> {
    const { custody, guard, ca, clock } = this.#parts
    const { tenant_id, name, address, sealed_secret: sealed, wrapped_key } = webhook
    const secret = custody.vault(tenant_id).open(secretName(name), { sealed, wrapped_key }).toString('utf8')
    const { origin, pathname, search } = new URL(address)
    const outbound = openOutbound(origin, { guard, ca, once: true })
    try {
      const { status } = await outbound.send({
        method: 'POST',
        path: pathname + search,
        ...messageOf(record, secret, clock.now_ms()),
        timeout_ms: answer_ms_max,
        signal: this.#closing.signal,
        // Only the status counts.
        answer_bytes_max: 0,
      })
      return status >= 200 && status < 300 ? undefined : { status, sentence: sentenceOf(status, '') }
    } catch (error) {
      const { fault } = error as OutboundError
      return fault === left ? left : { sentence: sentenceOf(undefined, fault) }
    } finally {
      outbound.close()
    }
  }

  async #failed(webhook: TakenWebhook, { sentence, status }: Fault, waiting_since?: string): Promise<void> {
    const { db, clock } = this.#parts
    const at = this.#now()
    const failing_ms = at.getTime() - (webhook.failing_since?.getTime() ?? at.getTime())
    const wait_ms = waitAfter({ failures: webhook.failures + 1, failing_ms, status }, clock.random())
    if (wait_ms !== undefined) {
      const next_at = new Date(at.getTime() + wait_ms)
      return await noteFailed(db, webhook, { sentence, at, waiting_since }, next_at)
    }
    const last = { sentence: lastSentence(sentence, status), at, waiting_since }
    await stopWebhook(db, webhook, last, () => clock.uuid())
  }

  #now(): Date {
    return new Date(this.#parts.clock.now_ms())
  }

  #warn(error: unknown, { tenant_id, name }: Pick<TakenWebhook, 'tenant_id' | 'name'>): void {
    this.#parts.log.warn(
      { err: error, tenant_id, webhook: name },
      'a webhook could not be served; trying again',
    )
  }
}
