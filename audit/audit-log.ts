// The audit log of an engine: takes records at once, journals them before answers are sent, proves them once committed.
import type { PlacedRecord, RecordName } from '@svc/contract/audit/audit-event'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Receipt, TenantAuditLog } from '@svc/contract/needs/audit-log'
import { noteFaultsOf } from '@svc/database/database-fault'
import { Pool } from 'pg'
import { type AuditLogOptions, bytes_default } from './audit-log-options.ts'
import { AuditLogState, type BufferState } from './audit-log-state.ts'
import { acceptEntry } from './chain/entry.ts'
import { sealChain } from './chain/seal-chain.ts'
import { turnSealer } from './inputs/retained-input.ts'
import type { Journal } from './journal/journal.ts'
import { noteDrained } from './journal/journal-position.ts'
import { paced } from './journal/pace.ts'
import { SyncSchedule } from './journal/sync-schedule.ts'
import { Turns } from './journal/turn.ts'
import { findRecord, proveRecord, tenantReads } from './query/audit-log-reads.ts'
import type { Query } from './query/client-query.ts'
import { queryOf } from './query/query.ts'
import { TenantCache } from './tenant-cache.ts'
import { awaitRecord, CommitWaiters, type Mark } from './writer/commit-waiters.ts'
import { enginePool, read_connections_max } from './writer/connection.ts'
import type { Proof } from './writer/recent-commits.ts'
import type { Position, Signals } from './writer/signals.ts'
import type { WriterLink } from './writer/writer-link.ts'
import type { FromWriter } from './writer/writer-messages.ts'

/** A deleted folder is noticed within a second. */
const tend_ms = 500
const settle_ms_max = 1_000
const flush_ms_max = 30_000
const close_ms_max = 10_000

export interface AuditLogParts {
  readonly journal: Journal
  readonly journal_id: string
  readonly link: WriterLink
  readonly signals: Signals
  readonly committed: Position
  readonly unlock: () => void
}

export class AuditLog {
  readonly #options: AuditLogOptions
  readonly #parts: AuditLogParts
  readonly #turns: Turns
  readonly #sync: SyncSchedule
  readonly #pool: Pool
  readonly #query: Query
  readonly #tenants: TenantCache
  readonly #waiters: CommitWaiters
  readonly #state = new AuditLogState()
  readonly #tick: NodeJS.Timeout
  #fault_told: string | undefined
  #closing: Promise<void> | undefined

  constructor(options: AuditLogOptions, parts: AuditLogParts) {
    const { journal, signals, link } = parts
    this.#options = options
    this.#parts = parts
    this.#sync = new SyncSchedule(
      options.fsync ?? 'interval',
      () => journal.sync(),
      (error) => this.#failed(error.message),
    )
    this.#turns = new Turns({
      append: (frame) => this.#append(frame),
      secure: () => paced(this.#sync.secure(), this.pending_bytes()),
      seal: turnSealer(options.root_keys, parts.journal_id),
    })
    this.#pool = new Pool(enginePool(options.db_url, 'svc audit log', read_connections_max))
    noteFaultsOf(this.#pool)
    this.#pool.on('error', (error) => options.log.debug({ err: error }, 'an idle audit connection was lost'))
    this.#query = queryOf(this.#pool, options.page_archive)
    this.#tenants = new TenantCache(this.#query, options.root_keys)
    const start = { position: parts.committed, outbox_count: 0 }
    this.#waiters = new CommitWaiters(start, (by) => signals.changeHurry(by))
    link.listen({ message: (message) => this.#heard(message), died: (error) => this.#failed(error) })
    signals.publish(journal.position)
    this.#tick = setInterval(() => this.#tend(), tend_ms).unref()
  }

  get journal_id(): string {
    return this.#parts.journal_id
  }

  ready(tenant_id: string): undefined | Promise<void> {
    return this.#tenants.ready(tenant_id)
  }

  record(entry: AuditEntry, input?: { commitment: string; text: string }): void {
    try {
      const { text, entry: accepted, unknown_event } = acceptEntry(entry)
      if (unknown_event) this.#options.onUnknownEvent()
      const is_retained = this.#turns.add(text, input && { tenant_id: accepted.tenant_id, ...input })
      if (!is_retained) this.#options.log.warn({ record_id: accepted.id }, 'an input was too large to retain')
    } catch (error) {
      this.#options.log.error({ err: error }, 'a record could not be added to the audit log')
      this.#turns.fail(error as Error)
    }
  }

  written(): Promise<void> {
    return this.#turns.written()
  }

  head(tenant_id: string): string | null {
    return this.#tenants.head(tenant_id)
  }

  commitment(tenant_id: string, record_id: string, text: string): string {
    return this.#tenants.commitment(tenant_id, record_id, text)
  }

  pending_bytes(): number {
    return this.#parts.journal.pendingBytes(this.#waiters.reached.position)
  }

  state(): BufferState {
    const over_limit = this.pending_bytes() > (this.#options.bytes_max ?? bytes_default)
    return this.#state.of(performance.now(), over_limit, this.#parts.journal.fault)
  }

  /** False while a write fails: what can wait is not recorded until the disk is well again. */
  canWrite(): boolean {
    return this.#parts.journal.fault === undefined
  }

  health(): { state: BufferState; last_error?: string } {
    return { state: this.state(), last_error: this.#state.lastError(this.#parts.journal.fault) }
  }

  /** A transaction with events was committed: the writer reads the outbox now. */
  outboxChanged(): void {
    this.#parts.signals.countOutbox()
  }

  async receipt(tenant_id: string, correlation_id: string, record_id: string): Promise<Receipt> {
    const { chain_head: _, ...receipt } = await this.#awaited({ tenant_id, correlation_id, record_id }, true)
    return receipt
  }

  async committed(name: RecordName): Promise<PlacedRecord> {
    const { record, tree_size, chain_head } = await this.#awaited(name, false)
    return { record, tree_size, chain_head }
  }

  forTenant(tenant_id: string): TenantAuditLog {
    return {
      ...tenantReads(this.#query, this.#options.root_keys, tenant_id),
      settled: () => this.#waiters.until(this.#mark(), settle_ms_max).then(() => {}),
      seal: async (order) => {
        const seal = await sealChain(this.#pool, this.#options.root_keys, order)
        this.#tenants.moveHeads([[seal.tenant_id, seal.final_seq, seal.final_hash]])
        return seal
      },
    }
  }

  /** Resolves when everything journalled so far is committed. */
  async flush(wait_ms_max = flush_ms_max): Promise<void> {
    this.#turns.flush()
    if (await this.#waiters.until(this.#mark(), wait_ms_max)) return
    throw new Error(
      `${this.pending_bytes()} bytes of audit records were not committed in ${wait_ms_max} ms; they stay in the ` +
        `journal and are committed at the next start (${this.#state.lastError() ?? 'the database is slow'})`,
    )
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const { journal, link, unlock } = this.#parts
    const is_drained = await this.flush(close_ms_max).then(
      () => true,
      (error) => this.#options.log.warn({ err: error }, error.message),
    )
    clearInterval(this.#tick)
    await link.stop()
    if (is_drained) await noteDrained(this.#query, this.#parts.journal_id).catch(() => {})
    this.#sync.stop()
    await this.#sync.now().catch(() => {})
    // Segments being synced when their last record was committed are still there.
    journal.release()
    journal.close()
    unlock()
    await this.#pool.end()
  }

  /** For fault tests: ends the writer thread abruptly. */
  killWriter(): Promise<void> {
    return this.#parts.link.kill()
  }

  #append(frame: Buffer): void {
    const { journal, signals } = this.#parts
    if (this.#closing) throw new Error('the audit log is closed')
    if (this.#state.fenced) throw new Error(`the audit log has stopped: ${this.#state.lastError()}`)
    journal.append(frame)
    signals.publish(journal.position)
  }

  // Not the journal's position: a new segment without a frame has nothing that could be committed.
  #mark(): Mark {
    const { signals } = this.#parts
    return { position: signals.written(), outbox_count: signals.outboxCount() }
  }

  /** From the writer, which has just committed it, or from the database. */
  async #awaited(name: RecordName, is_ours: boolean): Promise<Proof> {
    await this.written()
    const mark = this.#mark()
    // An organization's own chain, or the operator's where it is sealed.
    const chains = [name.tenant_id, this.#options.operator_tenant_id ?? 'operator']
    const settled = (wait_ms_max: number) => this.#waiters.until(mark, wait_ms_max)
    const find = async () =>
      (await this.#parts.link.prove(chains, name.record_id)) ??
      (await findRecord(this.#query, chains, name).then(
        (record) => record && proveRecord(this.#query, record),
      ))
    return awaitRecord({ is_ours, settled, find })
  }

  #heard(message: FromWriter): void {
    const { log, onUnknownEvent } = this.#options
    switch (message.kind) {
      case 'committed':
        this.#state.recovered()
        this.#tenants.moveHeads(message.heads)
        this.#waiters.reach({ position: message.position, outbox_count: message.outbox_count })
        this.#parts.journal.release(message.position)
        for (let i = 0; i < message.unknown_events; i++) onUnknownEvent()
        this.#options.onCommitted?.()
        break
      case 'ready':
        this.#state.recovered()
        this.#waiters.reach({ position: message.position })
        this.#parts.journal.release(message.position)
        break
      case 'reached':
        this.#waiters.reach({ position: message.place })
        break
      case 'failed':
        this.#failed(message.error)
        break
      case 'stopped':
        this.#state.stopped(message.error, message.fenced)
        this.#waiters.giveUp()
        log.error({}, message.error)
        break
      case 'torn-tail':
        log.warn(message, 'cut off an unfinished turn at the end of a journal segment; it was never answered')
    }
  }

  #failed(error: string): void {
    this.#state.failed(error)
    this.#options.log.warn({ pending_bytes: this.pending_bytes() }, `audit records are buffered: ${error}`)
  }

  #tend(): void {
    const { journal, signals } = this.#parts
    if (!this.#state.fenced) journal.tend()
    if (journal.fault !== this.#fault_told) {
      this.#fault_told = journal.fault
      if (journal.fault) this.#options.log.error({}, `the audit journal is in trouble: ${journal.fault}`)
      else this.#options.log.info({}, 'the audit journal is well again')
    }
    this.#state.sample(signals.written(), this.#waiters.reached.position, performance.now())
  }
}
