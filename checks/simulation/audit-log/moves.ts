// Moves and reads of pages that are under way, in engines and in operators' commands.
import { CachedArchive } from '@svc/adapters/log-archive/page-archive'
import { noteFaultsOf } from '@svc/database/database-fault'
import { pooledDatabase } from '@svc/database/pooled'
import { Archiver } from '@svc/service/background/log-archive'
import { Pool } from 'pg'
import { archiveBatch } from '../../../audit/archive/archive-pages.ts'
import type { PageStore } from '../../../audit/archive/page-store.ts'
import { checkArchive, restorePages, type WalkedBatch } from '../../../audit/archive/restore-pages.ts'
import type { StoredRecord } from '../../../audit/pages/read-records.ts'
import { queryOf } from '../../../audit/query/query.ts'
import { scanRecords } from '../../../audit/query/search.ts'
import { engineConnection } from '../../../audit/writer/connection.ts'
import type { LinkFault } from '../database.ts'
import type { DiskFault } from '../disk.ts'
import type { Random } from '../random.ts'
import { type SimulatedProcess, Violation, type World } from '../world.ts'
import type { ArchiveTrouble, SimulatedArchive } from './archive.ts'

const day_ms = 86_400_000
const hot_days = 30
const claim_s = 60
const connections_max = 2

const quiet = () => {}
const quiet_log = { debug: quiet, info: quiet, warn: quiet, error: quiet }

/** How the statements of a move begin. */
const move_statements = [
  'UPDATE audit_hot_pages h SET claimed_until',
  'SELECT FROM audit_pages WHERE bytes IS NULL',
  'SELECT encode(sha256',
  'UPDATE audit_pages p SET bytes = NULL',
  'SELECT tenant_id, page, encode(sha256',
  'UPDATE audit_pages SET bytes =',
  'SELECT piece.*',
]

const archive_troubles: readonly ArchiveTrouble[] = ['away', 'slow', 'other bytes', 'half write', 'unmounted']
const disk_faults: readonly DiskFault[] = ['tear write', 'fill up', 'stay full', 'fail write', 'fail sync']
const link_faults: readonly LinkFault[] = ['cut before', 'cut after', 'lose answer', 'kill session']

/** What one process needs to move and read pages. */
interface Mover {
  readonly db: ReturnType<typeof pooledDatabase>
  readonly pages: PageStore
  readonly archiver: Archiver
}

interface Work {
  readonly process: SimulatedProcess
  is_done: boolean
}

/** A log that some process has read from its first record on, to be compared. */
export interface ReadLog {
  readonly tenant_id: string
  readonly records: readonly StoredRecord[]
  /** Every record that was committed before it began must be there. */
  readonly seq_min: number
  /** The archive has given wrong answers meanwhile. */
  readonly may_be_unreadable: boolean
}

export class Moves {
  readonly archive: SimulatedArchive
  /** Since they were last taken. */
  readonly read_logs: ReadLog[] = []
  readonly #world: World
  readonly #movers = new WeakMap<SimulatedProcess, Mover>()
  readonly #works = new Set<Work>()
  /** Rounds of an engine never overlap. */
  readonly #rounds = new Set<SimulatedProcess>()
  readonly #failures = new Map<SimulatedProcess, string>()
  #operators = 0

  constructor(world: World, archive: SimulatedArchive) {
    this.#world = world
    this.archive = archive
  }

  /** As the engine does every few seconds. */
  archiveOld(process: SimulatedProcess): void {
    if (this.#rounds.has(process)) return
    this.#rounds.add(process)
    this.#run(process, ({ archiver }) => archiver.round().finally(() => this.#rounds.delete(process)))
  }

  /** As `svc-engine admin log archive`, in a process of its own. */
  archiveAll(tenant_ids?: readonly string[]): Work {
    return this.#operate(async ({ db, pages }) => {
      const older_than = new Date(this.#world.now_ms + day_ms)
      for (;;) {
        const batch = await archiveBatch(db, pages, { older_than, tenant_ids, claim_s })
        if (batch.altered.length > 0) throw new Violation('a page is called altered that nobody has altered')
        if (batch.claimed === 0) return
      }
    })
  }

  /** As `svc-engine admin log restore`, or `log check`. */
  restoreAll(tenant_ids?: readonly string[]): Work {
    return this.#operate(({ db, pages }) => this.#walk(restorePages(db, pages, { tenant_ids })))
  }

  checkAll(): Work {
    return this.#operate(({ db, pages }) => this.#walk(checkArchive(db, pages, {})))
  }

  /** The whole log of a tenant, or a refusal. */
  read(process: SimulatedProcess, tenant_id: string, seq_min: number): void {
    this.#run(process, async ({ db }) => {
      const wrong_before = this.archive.wrong_answers
      const records: StoredRecord[] = []
      const range = { from_seq: 1, to_seq: seq_min }
      for await (const some of scanRecords(queryOf(db), tenant_id, range)) records.push(...some)
      const may_be_unreadable = this.archive.wrong_answers > wrong_before
      this.read_logs.push({ tenant_id, records, seq_min, may_be_unreadable })
    })
  }

  trouble(random: Random): void {
    const trouble = random.pick(archive_troubles)
    // A disk that comes or goes within a batch is not noticed: then a page is written to one place, and looked for in another.
    if (trouble === 'unmounted' && this.is_busy) return
    if (this.archive.trouble !== 'unmounted') this.archive.trouble = trouble
  }

  faultDisk(random: Random): void {
    this.archive.disk.fault = random.pick(disk_faults)
  }

  repair(): void {
    if (!(this.archive.trouble === 'unmounted' && this.is_busy)) this.archive.repair()
  }

  /** Around one statement of a move. */
  faultLink(processes: readonly SimulatedProcess[], random: Random): void {
    const busy = [...this.#works].map(({ process }) => process)
    const alive = [...busy, ...processes].filter(({ is_alive }) => is_alive)
    if (alive.length === 0) return
    const link = this.#world.database.link(random.pick(busy.length > 0 ? busy : alive))
    link.fault = random.pick(link_faults)
    link.fault_on = random.pick(move_statements)
  }

  killOne(random: Random): void {
    const works = [...this.#works].filter(({ process }) => process.is_alive)
    if (works.length > 0) random.pick(works).process.kill()
  }

  get is_busy(): boolean {
    return [...this.#works].some(({ process, is_done }) => process.is_alive && !is_done)
  }

  /** Every fault is over: all that was begun ends, and every page can be moved. */
  async recover(): Promise<void> {
    const { archive } = this
    for (const { process } of this.#works)
      if (process.is_alive) Object.assign(this.#world.database.link(process), { fault: undefined })
    if (archive.trouble !== 'unmounted') archive.repair()
    await this.#finish()
    archive.repair()
    await this.#moveAll(true)
    if (this.#world.random.chance(0.5)) await this.#moveAll(false)
  }

  async #moveAll(is_archived: boolean): Promise<void> {
    const { process } = is_archived ? this.archiveAll() : this.restoreAll()
    await this.#finish()
    const failure = this.#failures.get(process)
    if (failure !== undefined) throw new Violation(`pages cannot be moved: ${failure}`)
  }

  async #finish(): Promise<void> {
    await this.#world.runUntil(() => !this.is_busy, 'moves and reads of pages end')
  }

  async #walk(batches: AsyncIterable<WalkedBatch>): Promise<void> {
    let wrong_before = this.archive.wrong_answers
    for await (const { unreadable } of batches) {
      if (unreadable.length > 0 && this.archive.wrong_answers === wrong_before)
        throw new Violation('a page is called unreadable though the archive has it')
      wrong_before = this.archive.wrong_answers
    }
  }

  #operate(work: (mover: Mover) => Promise<void>): Work {
    const process = this.#world.start(`archive operator-${++this.#operators}`)
    return this.#run(process, (mover) => work(mover).finally(() => process.kill()))
  }

  #run(process: SimulatedProcess, work: (mover: Mover) => Promise<void>): Work {
    const running: Work = { process, is_done: false }
    this.#works.add(running)
    process
      .run(() => work(this.#moverOf(process)))
      .catch((error: Error) => this.#failed(process, error))
      .finally(() => {
        running.is_done = true
        this.#works.delete(running)
      })
    return running
  }

  #failed(process: SimulatedProcess, error: Error & { code?: string }): void {
    const { name } = process
    this.#world.note(`${name}: ${error.message}`)
    this.#failures.set(process, error.message)
    // P0001 is raised by a trigger: an engine must not even try.
    const is_wrong = error.code === 'P0001' || error instanceof TypeError || error instanceof RangeError
    if (is_wrong || error instanceof Violation) this.#world.uncaught.push(error)
  }

  #moverOf(process: SimulatedProcess): Mover {
    const opened = this.#movers.get(process)
    if (opened) return opened
    const world = this.#world
    const pages = this.archive.pagesFor(process)
    const pool = new Pool({
      ...engineConnection(world.database.url, 'svc simulation'),
      max: connections_max,
    })
    noteFaultsOf(pool)
    pool.on('error', quiet)
    const db = pooledDatabase(pool, new CachedArchive({ pages, log: quiet_log, cache_bytes_max: 0 }))
    const clock = {
      now_ms: () => world.now_ms + process.clock_offset_ms,
      monotonic_ms: () => world.now_ms,
      uuid: () => world.random.uuid(),
      random: () => world.random.bits() / 2 ** 32,
      randomBytes: (count: number) => world.random.bytes(count),
    }
    const warn = ({ err }: { err?: Error }) => err && this.#failed(process, err)
    const log = { ...quiet_log, warn }
    const mover = { db, pages, archiver: new Archiver({ db, pages, clock, log, hot_days }) }
    this.#movers.set(process, mover)
    return mover
  }
}
