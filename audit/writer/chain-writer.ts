// The writer thread's loop: read the journal, commit a batch, report. It survives every failure of the database.
import { setTimeout as pause } from 'node:timers/promises'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Client } from 'pg'
import type { PendingEntry } from '../chain/chain.ts'
import { openTurn, type RetainedInput } from '../inputs/retained-input.ts'
import { openPosition } from '../journal/journal-position.ts'
import { type JournalBatch, JournalFault, JournalReader } from '../journal/journal-reader.ts'
import { OpenPages } from '../pages/open-pages.ts'
import type { ProcessClock } from '../process-clock.ts'
import { RootKeys } from '../sealing/root-keys.ts'
import {
  type Batch,
  ChainsSealed,
  type Commit,
  commitBatch,
  Fenced,
  type Projection,
  type Writer,
} from './commit.ts'
import { connectAsEngine, opening_ms_max } from './connection.ts'
import { RecentCommits } from './recent-commits.ts'
import { comparePositions, type Position, Signals } from './signals.ts'
import type { FromWriter, Head, ToWriter, WriterConfig } from './writer-messages.ts'

const outbox_look_ms = 1_000
const retry_ms_min = 100
const retry_ms_max = 5_000
/** A batch waits this long to fill, unless somebody waits for it or it is large already. The larger, the fewer records are stored twice. */
const gather_ms = 100
const gather_bytes = 1024 * 1024

export class ChainWriter {
  readonly #config: WriterConfig
  readonly #root_keys: RootKeys
  readonly #signals: Signals
  readonly #projections: readonly Projection[]
  readonly #clock: ProcessClock
  readonly #post: (message: FromWriter) => void
  readonly #keys: Writer['keys'] = new Map()
  readonly #segments: Map<number, number>
  readonly #sealed_tenants = new Set<string>()
  readonly #moved_tenants = new Set<string>()
  readonly #open_pages = new OpenPages()
  readonly #recent = new RecentCommits()
  #client: Client | undefined
  #reader: JournalReader | undefined
  #committed: Position | undefined
  /** The position if a COMMIT whose answer was lost went through. */
  #target: Position | undefined
  #outbox_seen = 0
  #outbox_looked_ms = Number.NEGATIVE_INFINITY
  #stopping = false

  constructor(
    config: WriterConfig,
    projections: readonly Projection[],
    clock: ProcessClock,
    post: (message: FromWriter) => void,
  ) {
    this.#config = config
    this.#root_keys = new RootKeys(config.root_keys)
    this.#clock = clock
    this.#projections = projections
    this.#segments = new Map(config.segments)
    this.#signals = new Signals(config.signals)
    this.#post = post
  }

  stop(): void {
    this.#stopping = true
    this.#signals.wake()
  }

  hear(message: ToWriter): void {
    switch (message.kind) {
      case 'segment':
        this.#segments.set(message.segment, message.fd)
        break
      case 'root-keys':
        this.#root_keys.learn(message.root_keys)
        break
      case 'prove': {
        const { question, tenant_ids, record_id } = message
        this.#post({ kind: 'proved', question, proof: this.#recent.find(tenant_ids, record_id) })
        break
      }
      case 'stop':
        this.stop()
    }
  }

  async run(): Promise<void> {
    let retry_ms = retry_ms_min
    while (!this.#stopping) {
      try {
        const client = this.#client ?? (await this.#connect())
        while (!this.#stopping) {
          const wake_count = this.#signals.wakes()
          if (!(await this.#step(client))) await this.#signals.awaitWake(wake_count, this.#untilOutboxLook())
          retry_ms = retry_ms_min
        }
      } catch (error) {
        if (error instanceof ChainsSealed) continue
        this.#dropClient()
        const { message } = error as Error
        const fenced = error instanceof Fenced
        if (fenced || error instanceof JournalFault) {
          this.#post({ kind: 'stopped', error: message, fenced })
          break
        }
        this.#post({ kind: 'failed', error: message })
        await pause(retry_ms)
        retry_ms = Math.min(retry_ms * 2, retry_ms_max)
      }
    }
    this.#reader?.close()
    await this.#client?.end().catch(() => {})
  }

  /** True where something was committed. */
  async #step(client: Client): Promise<boolean> {
    const reader = this.#reader!
    if (!this.#isOutboxDue() && comparePositions(reader.place, this.#signals.written()) >= 0) return false
    await this.#gather(reader)
    const segment_before = reader.place.segment
    const read = reader.next(this.#signals.written())
    if (reader.place.segment !== segment_before) this.#post({ kind: 'reached', place: reader.place })
    // Asked after the journal was read: the events of what it holds are in the outbox by then, and precede it.
    const outbox_count = this.#signals.outboxCount()
    const take_outbox = this.#isOutboxDue()
    if (!read && !take_outbox) return false
    this.#target = read?.end
    const commit = await commitBatch(this.#writer(client), this.#batchOf(read, take_outbox))
    const outbox_seen = commit.outbox_drained ? outbox_count : this.#outbox_seen
    const change_notifications =
      read !== undefined || commit.records.length > 0 || outbox_seen !== this.#outbox_seen
    if (commit.leaves_outbox) this.#outbox_looked_ms = Number.NEGATIVE_INFINITY
    else if (take_outbox) this.#outbox_looked_ms = this.#clock.monotonic_ms()
    this.#outbox_seen = outbox_seen
    this.#advance()
    if (this.#signals.hurried()) this.#recent.add(commit)
    if (change_notifications) this.#report(commit)
    return read !== undefined || commit.outbox_rows > 0
  }

  #isOutboxDue(): boolean {
    return this.#signals.outboxCount() !== this.#outbox_seen || this.#untilOutboxLook() === 0
  }

  async #gather(reader: JournalReader): Promise<void> {
    const written = this.#signals.written()
    const waiting =
      written.segment > reader.place.segment ? gather_bytes : written.offset - reader.place.offset
    if (waiting < gather_bytes) await this.#signals.awaitHurry(gather_ms)
  }

  #batchOf(read: JournalBatch | undefined, take_outbox: boolean): Batch {
    const pending: PendingEntry[] = []
    const inputs: RetainedInput[] = []
    for (const frame of read?.frames ?? []) {
      for (const text of frame.records.split('\n')) {
        pending.push({ text, entry: JSON.parse(text) as AuditEntry })
      }
      if (!frame.sealed) continue
      inputs.push(...openTurn(this.#root_keys, this.#config.journal_id, frame.sealed))
    }
    const move = read ? { from: this.#committed!, to: read.end } : undefined
    return { pending, inputs, take_outbox, move }
  }

  #writer(client: Client): Writer {
    return {
      client,
      root_keys: this.#root_keys,
      journal_id: this.#config.journal_id,
      operator_tenant_id: this.#config.operator_tenant_id,
      projections: this.#projections,
      keys: this.#keys,
      sealed_tenants: this.#sealed_tenants,
      moved_tenants: this.#moved_tenants,
      open_pages: this.#open_pages,
      ids: this.#clock,
    }
  }

  #advance(): void {
    if (this.#target) {
      this.#committed = this.#target
      this.#reader?.moveTo(this.#target)
    }
    this.#target = undefined
  }

  #report(commit: Commit): void {
    const heads = [...commit.chains].map(
      ([tenant_id, chain]): Head => [tenant_id, chain.size, chain.head_hash],
    )
    const { unknown_events } = commit
    const outbox_count = this.#outbox_seen
    this.#post({
      kind: 'committed',
      position: this.#committed!,
      heads,
      outbox_count,
      unknown_events,
    })
  }

  #untilOutboxLook(): number {
    return Math.max(0, this.#outbox_looked_ms + outbox_look_ms - this.#clock.monotonic_ms())
  }

  /** Takes the journal's lock and reads its position. After a lost answer that is one of two known positions. */
  async #connect(): Promise<Client> {
    const wait_ms = this.#committed ? undefined : opening_ms_max
    const client = await connectAsEngine(this.#config.db_url, 'svc audit writer', wait_ms)
    this.#client = client
    const { journal_id, dir, oldest_segment } = this.#config
    const position = await openPosition(client, journal_id, dir, { segment: oldest_segment, offset: 0 })
    if (this.#target && comparePositions(position, this.#target) === 0) {
      this.#advance()
    } else if (this.#isMovedByAnother(position)) {
      throw new Fenced(`another engine has written the audit journal in ${dir} on; this one must stop`)
    } else if (!this.#committed) {
      this.#reader = new JournalReader(dir, position, this.#segments, (segment, bytes) =>
        this.#post({ kind: 'torn-tail', segment, bytes }),
      )
      this.#committed = position
    }
    this.#post({ kind: 'ready', position })
    return client
  }

  #isMovedByAnother(position: Position): boolean {
    if (this.#committed) return comparePositions(position, this.#committed) !== 0
    // A restarted thread does not know what the one before it has committed, but that was nothing past what is written.
    const written = this.#signals.written()
    return written.segment > 0 && comparePositions(position, written) > 0
  }

  #dropClient(): void {
    this.#client?.end().catch(() => {})
    this.#client = undefined
  }
}
