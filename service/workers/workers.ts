// svc-engine serve --workers N: the parent starts, replaces and restarts workers and sums their metrics. It opens no database and no journal.
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { system_clock } from '@svc/adapters/clock/system'
import { figure, foldCounters, type Measured, metricsPage } from '@svc/adapters/telemetry/summed-metrics'
import type { Log } from '@svc/engine/ports'
import { type MetricsServer, serveMetrics } from '@svc/gateway/metrics-server'
import type { TraceSettings } from '@svc/gateway/operational'
import { openLog } from '../assembly/log.ts'
import { type Config, portTaken, readServeConfig } from '../settings/config.ts'
import { ConfigError } from '../settings/config-error.ts'
import type { Environment } from '../settings/reader.ts'
import { findOrphaned, workerFolder } from './journal-folders.ts'
import { drain_ms_max } from './production.ts'
import { stopOnSignals } from './signals.ts'
import type { Ready } from './worker-messages.ts'
import { startWorker, type WorkerProcess } from './worker-process.ts'

const workers_max = 64
const retry_ms_min = 200
const retry_ms_max = 5_000
/** How often a worker may fail to start while none is serving. */
const failures_max = 5
/** A worker that was ready for less than this counts as a failed start. */
const young_ms = 10_000
const sweep_every_ms = 10_000
/** Extra time beyond drain and grace before a worker is given up. */
const end_margin_ms = 20_000

/** The only settings the parent keeps; none is a secret. */
type Settings = Pick<Config, 'audit_dir' | 'host' | 'metrics_port' | 'shutdown_grace_ms' | 'tls'>

export function workerCount(text: string): number {
  const count = text === 'auto' ? Math.min(availableParallelism(), workers_max) : Number(text)
  if (/^(auto|\d{1,2})$/.test(text) && count >= 1 && count <= workers_max) return count
  throw new ConfigError(`--workers is ${text}; it must be a number from 1 to ${workers_max}, or auto.`)
}

export async function superviseWorkers(env: Environment, count: number): Promise<void> {
  const { log_level, host, metrics_port, audit_dir, shutdown_grace_ms, ...rest } = readServeConfig(env)
  if (count > 1 && rest.redis_url === undefined)
    throw new ConfigError(
      `${count} workers cannot share limits counted in memory; set SVC_RATE_LIMIT_BACKEND=redis, or run one.`,
    )
  if (rest.mcp_port === 0)
    throw new ConfigError('With workers MCP moves between processes; set SVC_MCP_PORT to a port, or to off.')
  const { tls } = rest
  const settings = { host, metrics_port, audit_dir, shutdown_grace_ms, tls }
  const log = openLog(log_level)
  tls.follow(log, [])
  const family = new Family(settings, count, log)
  stopOnSignals(() => family.stop())
  process.on('SIGHUP', () => {
    tls.renew()
    family.roll()
  })
  const { port, mcp_url, metrics_port: metrics } = await family.start()
  const addresses = {
    listening: `${host}:${port}`,
    metrics: `${host}:${metrics}`,
    mcp: mcp_url,
    workers: count,
  }
  console.log(JSON.stringify(addresses))
}

class Family {
  readonly #settings: Settings
  readonly #count: number
  readonly #log: Log
  readonly #members = new Set<WorkerProcess>()
  readonly #starting = new Set<WorkerProcess>()
  /** Workers that accept calls, with the time since when. */
  readonly #serving = new Map<WorkerProcess, number>()
  /** Folders of workers or their replacements. */
  readonly #slots = new Set<number>()
  /** Empty folders, free for the next worker. */
  readonly #spare = new Set<number>()
  #gone: Measured = []
  #deaths = 0
  #young_deaths = 0
  #mcp_host: WorkerProcess | undefined
  /** Changes since the start, for later workers. */
  #traced: TraceSettings = {}
  #has_mcp = false
  #metrics: MetricsServer | undefined
  #sweeping = false
  #sweep_timer: NodeJS.Timeout | undefined
  #rolling: Promise<void> | undefined
  #roll_again = false
  #stopping = false

  constructor(settings: Settings, count: number, log: Log) {
    this.#settings = settings
    this.#count = count
    this.#log = log
  }

  /** The first worker starts alone: it migrates the database, and a start error is reported once. */
  async start(): Promise<Ready & { metrics_port: number }> {
    const { host, metrics_port, tls } = this.#settings
    this.#metrics = await serveMetrics(host, metrics_port, () => this.#measure(), tls.listener).catch(
      (error) => {
        throw portTaken(error, metrics_port)
      },
    )
    const slots = Array.from({ length: this.#count }, (_, i) => i + 1)
    for (const slot of slots) this.#slots.add(slot)
    const ready = await this.#launch(slots[0]!).catch((error) => {
      throw new ConfigError((error as Error).message)
    })
    this.#has_mcp = ready.mcp_url !== null
    await Promise.all(slots.slice(1).map((slot) => this.#keepStarting(slot)))
    await this.#placeMcp()
    this.#sweep_timer = setInterval(() => this.#sweep(), sweep_every_ms)
    this.#sweep()
    return { ...ready, metrics_port: this.#metrics.port }
  }

  /** Replaces all current workers one after the other; a request meanwhile runs it once more. */
  roll(): void {
    this.#roll_again = this.#rolling !== undefined
    this.#rolling ??= this.#rollAll()
      .catch((error) =>
        this.#log.error(
          { err: error },
          'the rolling restart ended early; workers not yet replaced keep running',
        ),
      )
      .finally(() => {
        this.#rolling = undefined
        if (this.#roll_again && !this.#stopping) this.roll()
      })
  }

  async stop(): Promise<void> {
    this.#stopping = true
    clearInterval(this.#sweep_timer)
    for (const member of this.#members) {
      // A worker that is not ready has served nobody, so it can be killed like in a crash.
      if (this.#starting.has(member)) member.kill()
      else member.tell({ kind: 'stop' })
    }
    const cut = setTimeout(() => this.#killAll(), this.#end_ms_max)
    await Promise.all([...this.#members].map(({ exited }) => exited))
    clearTimeout(cut)
    await this.#metrics?.close()
  }

  get #end_ms_max(): number {
    return drain_ms_max + this.#settings.shutdown_grace_ms + end_margin_ms
  }

  #killAll(): void {
    for (const member of this.#members) member.kill()
  }

  async #rollAll(): Promise<void> {
    for (const old of [...this.#serving.keys()]) {
      if (this.#stopping) return
      if (!this.#serving.has(old)) continue
      await this.#launch(this.#freeSlot())
      await this.#retire(old)
    }
    this.#log.info({ workers: this.#count }, 'all workers were replaced')
  }

  #freeSlot(): number {
    let slot = 1
    while (this.#slots.has(slot)) slot++
    return slot
  }

  async #launch(slot: number): Promise<Ready> {
    if (this.#stopping) throw new Error('the engine is stopping')
    this.#slots.add(slot)
    this.#spare.delete(slot)
    const folder = workerFolder(this.#settings.audit_dir, slot)
    const onAskedToStop = () => this.#replaceOnRequest(member)
    const onTraced = (settings: TraceSettings) => this.#passOn(settings, member)
    const birth = { slot, folder, workers: this.#count, onAskedToStop, onTraced }
    const member: WorkerProcess = startWorker(birth)
    this.#members.add(member)
    this.#starting.add(member)
    void member.exited.then((code) => this.#left(member, code))
    try {
      const ready = await member.ready
      this.#serving.set(member, system_clock.monotonic_ms())
      member.tell({ kind: 'trace', settings: this.#traced })
      return ready
    } catch (error) {
      await member.exited
      throw error
    } finally {
      this.#starting.delete(member)
    }
  }

  #passOn(settings: TraceSettings, from: WorkerProcess): void {
    this.#traced = { ...this.#traced, ...settings }
    for (const member of this.#serving.keys()) if (member !== from) member.tell({ kind: 'trace', settings })
  }

  #left(member: WorkerProcess, code: number | null): void {
    this.#members.delete(member)
    this.#gone = foldCounters(this.#gone, member.measured)
    const since_ms = this.#serving.get(member)
    this.#serving.delete(member)
    if (since_ms === undefined || this.#stopping) {
      if (code === 0) this.#spare.add(member.slot)
      this.#slots.delete(member.slot)
      return void this.#sweep()
    }
    this.#deaths++
    this.#young_deaths = system_clock.monotonic_ms() - since_ms < young_ms ? this.#young_deaths + 1 : 0
    this.#log.error({ worker: member.slot, pid: member.pid, code }, 'a worker died; starting a replacement')
    void this.#placeMcp()
    void this.#keepStarting(member.slot, this.#young_deaths)
  }

  /** In the same folder, so that the journal of the previous worker is committed at once. */
  async #keepStarting(slot: number, failures_before = 0): Promise<void> {
    this.#slots.add(slot)
    for (let failures = failures_before; !this.#stopping; failures++) {
      if (failures > 0) await pause(Math.min(retry_ms_min * 2 ** (failures - 1), retry_ms_max))
      try {
        await this.#launch(slot)
        return await this.#placeMcp()
      } catch (error) {
        this.#slots.add(slot)
        const { message } = error as Error
        if (this.#serving.size === 0 && failures - failures_before >= failures_max)
          return this.#giveUp(message)
        if (!this.#stopping) this.#log.error({ worker: slot }, `a worker could not start: ${message}`)
      }
    }
  }

  #giveUp(sentence: string): void {
    if (this.#stopping) return
    this.#stopping = true
    console.error(`No worker can be started: ${sentence}`)
    process.exit(1)
  }

  async #retire(old: WorkerProcess): Promise<void> {
    this.#serving.delete(old)
    await this.#placeMcp()
    old.tell({ kind: 'retire' })
    const cut = setTimeout(() => old.kill(), this.#end_ms_max)
    await old.exited
    clearTimeout(cut)
  }

  /** A signal to one worker means that it should be replaced. */
  #replaceOnRequest(member: WorkerProcess): void {
    if (this.#stopping || !this.#serving.has(member)) return
    this.#launch(this.#freeSlot()).then(
      () => (this.#serving.has(member) ? this.#retire(member) : undefined),
      (error) => this.#log.error({ err: error }, 'a worker could not be replaced: no other one starts'),
    )
  }

  /** The older MCP transport keeps sessions in one process, so only one worker listens. */
  async #placeMcp(): Promise<void> {
    if (!this.#has_mcp || this.#stopping) return
    if (this.#mcp_host && this.#serving.has(this.#mcp_host)) return
    // The newest worker: it will be replaced last.
    const host = [...this.#serving.keys()].at(-1)
    this.#mcp_host = host
    await host?.hostMcp()
  }

  #sweep(): void {
    const [member] = this.#serving.keys()
    if (this.#sweeping || this.#stopping || !member) return
    const { audit_dir } = this.#settings
    const in_use = [...this.#slots, ...this.#spare].map((slot) => workerFolder(audit_dir, slot))
    const folders = findOrphaned(audit_dir, new Set(in_use))
    if (folders.length === 0) return
    this.#sweeping = true
    void member.adopt(folders).finally(() => {
      this.#sweeping = false
    })
  }

  async #measure(): Promise<{ type: string; text: string }> {
    await Promise.all([...this.#members].map((member) => member.measure()))
    const all = [...this.#members].map(({ measured }) => measured)
    const own = [
      figure('svc_workers', 'Workers that accept calls.', 'gauge', this.#serving.size),
      figure('svc_worker_deaths_total', 'Workers that died and were replaced.', 'counter', this.#deaths),
    ]
    return metricsPage([this.#gone, ...all, ...own])
  }
}
