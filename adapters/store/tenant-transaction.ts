// One operation's transaction: it takes no connection until its first query, and returns it at its end.
import { type AuditEntry, entryText } from '@svc/contract/audit/audit-record'
import type { PageArchive } from '@svc/contract/audit/page-archive'
import type { Database, Statement } from '@svc/contract/database'
import { Refusal, unavailable } from '@svc/contract/refusal'
import { isConnectionLost, isConnectionSpent } from '@svc/database/database-fault'
import { principals_setting, tenant_setting } from '@svc/database/migration'
import { resultOf } from '@svc/database/pooled'
import type { Transaction } from '@svc/engine/ports'
import {
  type DatabaseError,
  escapeLiteral,
  type PoolClient,
  type QueryConfig,
  type QueryResult as Rows,
} from 'pg'
import type { Connections } from './pool-queue.ts'

const rollback_ms_max = 2_000
const prepared_max = 128
const outdated_plan = '0A000'
const lost = 'lost its connection'
/** A DID or a group of one: no space, no quote, and not the single character that reads everything. */
const principal_form = /^[!-&(-~]{2,512}$/
const tenant_form = /^[a-z0-9][a-z0-9-]{0,62}$/
// Only the engine may end the transaction or change its role or tenant; this stops mistakes, not malice.
const reserved =
  /^\s*(?:begin|start|commit|end|rollback|abort|prepare|discard|reset|set(?!\s+local\s+(?:lock|statement)_timeout\b))\b/i

/** The extended protocol takes one statement at a time, so no text of a handler can smuggle in a second one. */
interface Query extends QueryConfig {
  readonly queryMode?: 'extended'
  readonly query_timeout?: number
}

const prepared = new Map<string, string>()

/** Preparing halves a short query; only the first texts are prepared, so that rare ones do not accumulate. */
function preparedName(text: string): string | undefined {
  const prepared_name = prepared.get(text)
  if (prepared_name || prepared.size >= prepared_max) return prepared_name
  const name = `svc_${prepared.size}`
  prepared.set(text, name)
  return name
}

/** Statements of one moment are sent in one write: a write costs more than a small statement. */
function gather({ connection }: PoolClient): void {
  const { stream } = connection
  if (stream.writableCorked > 0) return
  stream.cork()
  process.nextTick(() => stream.uncork())
}

/** These were committed to the outbox. */
export type OnOutbox = (events: readonly AuditEntry[]) => void

export class TenantTransaction implements Transaction {
  readonly #pool: Connections
  readonly #tenant_id: string
  readonly #principals: readonly string[]
  readonly #onOutbox: OnOutbox
  readonly db: Database
  #client: PoolClient | undefined
  #opened = false
  #opening: Promise<PoolClient> | undefined
  #begun: Promise<unknown> | undefined
  #ended: string | undefined
  #running = 0
  #acquiring = false
  /** A statement failed: the server refuses those behind it at once. */
  #failed = false
  /** COMMIT may have been executed, also where the answer to a statement before it is lost. */
  #commit_sent = false
  /** A broken connection is closed, never reused. */
  #broken = false

  constructor(
    pool: Connections,
    tenant_id: string,
    principals: readonly string[],
    onOutbox: OnOutbox,
    page_archive?: PageArchive,
  ) {
    if (!tenant_form.test(tenant_id)) throw new Error(`${JSON.stringify(tenant_id)} is not a tenant id.`)
    this.#pool = pool
    this.#tenant_id = tenant_id
    this.#principals = principals.filter((name) => principal_form.test(name))
    this.#onOutbox = onOutbox
    this.db = {
      // A handler that needs its own transaction is refused, rather than given this one.
      isTransaction: false,
      page_archive,
      execute: async (statement) => resultOf(await this.#execute(statement)),
      async transaction() {
        throw new Error(
          'An operation already runs in one transaction; use its db directly instead of opening another.',
        )
      },
      connection: (work) => work(this.db),
    }
  }

  get opened(): boolean {
    return this.#opened
  }

  get waiting(): boolean {
    return this.#running > 0 || this.#acquiring
  }

  async commit(events: readonly AuditEntry[]): Promise<void> {
    this.#refuseEnded()
    if (!this.#opened && events.length === 0) {
      this.#ended = 'was committed'
      return
    }
    const begin = this.#opening ? [] : [this.#beginText()]
    try {
      const text = [...begin, ...this.#outboxTexts(events), 'COMMIT'].join(';')
      const client = await (this.#opening ?? this.#acquire())
      this.#refuseEnded()
      this.#ended = 'was committed'
      this.#commit_sent = true
      // Behind statements that are not answered yet: where one of them fails, the server rolls back instead.
      const [results] = await Promise.all([this.#ask({ text }, client), this.#begun])
      const last = Array.isArray(results) ? (results.at(-1) as Rows) : results
      // PostgreSQL answers COMMIT of a broken transaction with a silent ROLLBACK.
      if (last.command !== 'COMMIT') {
        throw new Error('A statement of this operation failed, so nothing of it was committed.')
      }
    } catch (error) {
      this.#ended = 'failed to commit'
      await this.#giveBack('ROLLBACK')
      const is_unconfirmed = this.#commit_sent && error instanceof Refusal && error.code === 'unavailable'
      if (!is_unconfirmed) throw error
      // It may have committed, so cached older state must be dropped.
      if (events.length) this.#onOutbox(events)
      throw unavailable('database', error.cause, 'unknown')
    }
    await this.#giveBack()
    if (events.length) this.#onOutbox(events)
  }

  async rollback(): Promise<void> {
    this.#ended ??= 'was rolled back'
    // A running query would have to be awaited; instead its connection is closed, and the server rolls back.
    if (this.#running > 0 && !this.#failed) this.#broken = true
    await this.#giveBack('ROLLBACK')
  }

  #execute({ text, values }: Statement): Promise<Rows> {
    this.#refuseEnded()
    if (reserved.test(text)) {
      throw new Error(
        `An operation runs in one transaction that the engine ends, so it may not run ${text.trim().slice(0, 40)}.`,
      )
    }
    this.#opened = true
    return this.#send({ text, values: [...values], queryMode: 'extended' })
  }

  /** In the order they were asked for; none waits for the answer of the one before it. */
  async #send(query: Query): Promise<Rows> {
    this.#opening ??= this.#open()
    const client = await this.#opening
    this.#refuseEnded()
    const name = preparedName(query.text)
    const answer = this.#ask({ ...(name && { name }), ...query }, client)
    // Where no transaction began, no tenant is set either, and row-level security lets nothing through.
    const [rows] = await Promise.all([answer, this.#begun])
    return rows
  }

  async #open(): Promise<PoolClient> {
    const client = await this.#acquire()
    this.#begun = this.#ask({ text: this.#beginText() }, client)
    // Its failure is thrown to each statement behind it.
    this.#begun.catch(() => {
      this.#broken = true
    })
    return client
  }

  async #ask(query: Query, client: PoolClient): Promise<Rows> {
    this.#running++
    gather(client)
    try {
      // unchecked sql: the statement of a handler, checked there, or of the outbox, written as literals
      return await client.query(query)
    } catch (error) {
      this.#failed = true
      // A plan made before a migration stays wrong for the life of its connection.
      if (isConnectionSpent(error) || (error as DatabaseError).code === outdated_plan) this.#broken = true
      if (!isConnectionLost(error) || this.#ended === 'was rolled back') throw error
      this.#broken = true
      throw unavailable('database', error, this.#commit_sent ? 'unknown' : undefined)
    } finally {
      this.#running--
    }
  }

  async #acquire(): Promise<PoolClient> {
    let client: PoolClient
    this.#acquiring = true
    try {
      client = await this.#pool.connect(this.#tenant_id)
    } catch (cause) {
      if (cause instanceof Refusal) throw cause
      throw unavailable('database', cause)
    } finally {
      this.#acquiring = false
    }
    // Rolled back while waiting for the pool.
    if (this.#ended === 'was rolled back') {
      client.release()
      this.#refuseEnded()
    }
    this.#client = client
    client.on('error', this.#lose)
    return client
  }

  /** The server hung up, for instance after an idle timeout: the pool's slot must be freed. */
  readonly #lose = (): void => {
    this.#ended ??= lost
    this.#broken = true
    void this.#giveBack()
  }

  async #giveBack(last_words?: 'ROLLBACK'): Promise<void> {
    const client = this.#client
    if (!client) return
    this.#client = undefined
    if (last_words && !this.#broken) {
      const query: Query = { text: last_words, query_timeout: rollback_ms_max }
      await client.query(query).catch(() => {
        this.#broken = true
      })
    }
    client.off('error', this.#lose)
    client.release(this.#broken)
    // Otherwise the end of the connection waits for what it was sent.
    if (this.#broken && this.#running > 0) client.connection.stream.destroy()
  }

  #refuseEnded(): void {
    if (this.#ended === undefined) return
    if (this.#ended === lost)
      throw unavailable('database', new Error('the server hung up between two statements'))
    throw new Error(
      `This operation's transaction ${this.#ended}; its database cannot be used any more, so await every query before returning.`,
    )
  }

  #beginText(): string {
    const begin = `BEGIN;SET LOCAL ${tenant_setting} = '${this.#tenant_id}'`
    if (this.#principals.length === 0) return begin
    return `${begin};SET LOCAL ${principals_setting} = ${escapeLiteral(this.#principals.join(' '))}`
  }

  #outboxTexts(events: readonly AuditEntry[]): string[] {
    if (events.length === 0) return []
    const rows = events.map((event) => {
      // Only records that name their own tenant go into another tenant's audit log; the database checks the same.
      if (event.tenant_id !== this.#tenant_id && event.meta.from_tenant !== this.#tenant_id) {
        throw new Error(
          `An operation of ${this.#tenant_id} may not write into the audit log of ${event.tenant_id}.`,
        )
      }
      return `(${escapeLiteral(event.tenant_id)},${escapeLiteral(entryText(event))})`
    })
    return [`INSERT INTO audit_outbox (tenant_id, entry) VALUES ${rows.join(',')}`]
  }
}
