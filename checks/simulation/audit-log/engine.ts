// An engine's audit log in a simulated process: its own journal on a simulated disk, its writer in a thread of that process.
import { EventEmitter } from 'node:events'
import { testRootKeys } from '@svc/audit/sealing/test-root-keys'
import type { AuditLog } from '../../../audit/audit-log.ts'
import type { AuditLogOptions } from '../../../audit/audit-log-options.ts'
import { adoptJournal } from '../../../audit/journal/adopt-journal.ts'
import type { FsyncMode } from '../../../audit/journal/sync-schedule.ts'
import { openAuditLog } from '../../../audit/open-audit-log.ts'
import { ChainWriter } from '../../../audit/writer/chain-writer.ts'
import type { Projection } from '../../../audit/writer/commit.ts'
import type { StartWriter, WriterThread } from '../../../audit/writer/writer-link.ts'
import type { FromWriter, ToWriter, WriterConfig } from '../../../audit/writer/writer-messages.ts'
import type { Disk } from '../disk.ts'
import { journalFilesOf } from '../disk-files.ts'
import type { SimulatedProcess, World } from '../world.ts'
import { processesOf } from './recover.ts'

export const root_keys = testRootKeys(Buffer.alloc(32, 7))
/** Small, so that segments are rotated and released within a history. */
const segment_bytes = 4_000

export class Engine {
  readonly world: World
  readonly name: string
  readonly disk: Disk
  readonly fsync: FsyncMode
  process: SimulatedProcess | undefined
  #audit_log: AuditLog | undefined
  #starts = 0
  /** Another process has opened its journal: then this one may be told to stop. */
  is_shared = false
  /** Its folder was adopted and removed while an earlier process of it lived, which makes it again before it learns of that. */
  is_removed_in_use = false
  /** Why it did not open, or stopped. */
  error: string | undefined
  /** What names its journal, as it last opened it. */
  id_file: Buffer | undefined

  constructor(world: World, name: string, disk: Disk, fsync: FsyncMode) {
    this.world = world
    this.name = name
    this.disk = disk
    this.fsync = fsync
  }

  get dir(): string {
    return `${this.disk.root}/audit`
  }

  get id_path(): string {
    return `${this.dir}/id`
  }

  /** Once it is open, and while its process lives. */
  get audit_log(): AuditLog | undefined {
    return this.is_running ? this.#audit_log : undefined
  }

  get is_running(): boolean {
    return this.process?.is_alive ?? false
  }

  /** Opens the journal; what is left in it is committed. Ends again where it cannot be opened. */
  start(host: string): void {
    const process = this.world.start(`${this.name}.${++this.#starts}`, host)
    this.process = process
    this.#audit_log = undefined
    this.error = undefined
    process
      .run(() => openAuditLog(this.#options(process)))
      .then(
        (audit_log) => {
          if (process !== this.process) return
          this.#audit_log = audit_log
          this.id_file = this.disk.read(this.id_path)
        },
        (error: Error) => {
          this.error = error.message
          process.kill()
        },
      )
  }

  /** As another process of the same host does for an engine that is gone. */
  adopt(host: string): void {
    this.is_shared = true
    const process = this.world.start(`${this.name} adopter`, host)
    const end = () => process.kill()
    const removed = () => {
      end()
      this.is_removed_in_use ||= processesOf(this.world, this).some(({ is_alive }) => is_alive)
    }
    process.run(() => adoptJournal(this.#options(process))).then(removed, end)
  }

  /** Its folder is moved to another host while it still runs: its sessions end, and it learns of nothing else. */
  takeOver(host: string): void {
    this.is_shared = true
    if (this.process) this.world.database.cutAll(this.process)
    this.start(host)
  }

  kill(): void {
    this.process?.kill()
  }

  #options(process: SimulatedProcess): AuditLogOptions {
    const quiet = () => {}
    const note = (level: string) => (_fields: object, message: string) => {
      this.error = message
      if (/another engine has written/.test(message) && !this.is_shared)
        this.world.uncaught.push(new Error(`${this.name} stops though its journal is its own: ${message}`))
      this.world.note(`${this.name} ${level}: ${message}`)
    }
    return {
      db_url: this.world.database.url,
      dir: this.dir,
      root_keys,
      segment_bytes,
      fsync: this.fsync,
      operator_tenant_id: `operator-${this.world.seed}`,
      files: journalFilesOf(this.disk),
      startWriter: writerIn(process),
      onUnknownEvent: quiet,
      log: { debug: quiet, info: quiet, warn: note('warns'), error: note('fails') },
    }
  }
}

/** The writer as a simulated thread: messages in both directions are tasks. */
export function writerIn(process: SimulatedProcess, projections: readonly Projection[] = []): StartWriter {
  return (config) => new SimulatedThread(process, config, projections)
}

class SimulatedThread extends EventEmitter implements WriterThread {
  readonly #thread: SimulatedProcess
  readonly #process: SimulatedProcess
  readonly #writer: ChainWriter

  constructor(process: SimulatedProcess, config: WriterConfig, projections: readonly Projection[]) {
    super()
    const { world } = process
    this.#process = process
    this.#thread = world.startThread(`${process.name} writer`, process)
    const clock = { monotonic_ms: () => world.now_ms, newId: () => world.random.uuid() }
    const post = (message: FromWriter) => this.#emit('message', message)
    this.#writer = new ChainWriter(config, projections, clock, post)
    const exit = () => this.#thread.kill()
    world.on_exit.push((ended) => {
      if (ended === this.#thread) this.#emit('exit')
    })
    this.#thread
      .run(() => this.#writer.run())
      .then(exit, (error: Error) => {
        this.#emit('error', error)
        exit()
      })
  }

  postMessage(message: ToWriter): void {
    const run = () => {
      this.#thread.run(() => this.#writer.hear(message))
    }
    const channel = `${this.#process.name} to writer`
    this.#process.world.add({
      name: `message ${message.kind}`,
      process: this.#thread,
      channel,
      due_ms: 0,
      run,
    })
  }

  async terminate(): Promise<void> {
    this.#thread.kill()
  }

  #emit(event: string, value?: FromWriter | Error): void {
    const process = this.#process
    const run = () => {
      process.run(() => this.emit(event, value))
    }
    const channel = `${process.name} from writer`
    process.world.add({ name: `writer ${event}`, process, channel, due_ms: 0, run })
  }
}
