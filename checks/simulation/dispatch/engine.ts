// An engine in a simulated process: the real pipeline with its store, audit log, limits and budgets.

// Loaded before the first seed: else its engines would wait for the file.
import '@svc/adapters/redis/link'
import { memoryBreaker } from '@svc/adapters/breaker/memory'
import { openStore } from '@svc/adapters/store/postgres'
import type { Books } from '@svc/contract/money/books'
import type { Protocol } from '@svc/contract/protocol'
import { createEngine, type Engine } from '@svc/engine/dispatch'
import type { BudgetCounters } from '@svc/engine/limits/budget-counters'
import { refusalSums } from '@svc/engine/limits/refusal-sums'
import type { Clock, Log, Ports } from '@svc/engine/ports'
import { projections } from '@svc/protocols/economic/usage/usage-projection'
import { openLimits } from '@svc/service/assembly/limits'
import { every } from '@svc/service/background/tick'
import type { Config } from '@svc/service/settings/config'
import type { AuditLog } from '../../../audit/audit-log.ts'
import { openAuditLog } from '../../../audit/open-audit-log.ts'
import { testPorts } from '../../rehearsal/test-ports.ts'
import { root_keys, writerIn } from '../audit-log/engine.ts'
import type { Disk } from '../disk.ts'
import { journalFilesOf } from '../disk-files.ts'
import type { SimulationRedis } from '../redis.ts'
import type { SimulatedProcess, World } from '../world.ts'

export interface EngineParts {
  readonly world: World
  readonly redis: SimulationRedis
  readonly name: string
  readonly disk: Disk
  readonly protocol: Protocol
  readonly limits: Ports['settings']['limits']
  readonly booksOf: (tenant_id: string) => Books
  /** The engine noticed that Redis is away, or back. */
  onRedis(process: SimulatedProcess, is_up: boolean): void
  onOpen(engine: DispatchEngine): void
}

const sums_every_ms = 1_000

export class DispatchEngine {
  readonly name: string
  readonly #parts: EngineParts
  process!: SimulatedProcess
  /** By which it is counted among the engines that share Redis. */
  replica_id!: string
  #starts = 0
  #opened: OpenEngine | undefined

  constructor(parts: EngineParts) {
    this.name = parts.name
    this.#parts = parts
  }

  get is_running(): boolean {
    return this.#starts > 0 && this.process.is_alive
  }

  /** While it is open and its process lives. */
  get opened(): OpenEngine | undefined {
    return this.is_running ? this.#opened : undefined
  }

  start(): void {
    const { world, onOpen } = this.#parts
    const process = world.start(`${this.name}.${++this.#starts}`, `host of ${this.name}`)
    this.process = process
    this.replica_id = world.random.uuid()
    this.#opened = undefined
    process
      .run(() => openEngine(this.#parts, process, this.replica_id))
      .then(
        (opened) => {
          this.#opened = opened
          onOpen(this)
        },
        (error: Error) => {
          world.note(`${this.name} did not start: ${error.message}`)
          process.kill()
        },
      )
  }
}

export interface OpenEngine {
  readonly engine: Engine
  readonly audit_log: AuditLog
  readonly budget_counters: BudgetCounters
  readonly limiter: Ports['limiter']
}

const quiet = () => {}
const quiet_log: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet }

async function openEngine(
  parts: EngineParts,
  process: SimulatedProcess,
  replica_id: string,
): Promise<OpenEngine> {
  const { world, redis, disk, protocol, limits, booksOf } = parts
  const clock = clockOf(process)
  const log: Log = {
    ...quiet_log,
    info: (_fields, message) => {
      if (message.startsWith('Redis counts')) parts.onRedis(process, true)
    },
    warn: (_fields, message) => {
      if (message.startsWith('Redis')) parts.onRedis(process, false)
    },
  }
  const store = await openStore({
    url: world.database.url,
    app_pool_max: 4,
    engine_pool_max: 2,
    log: quiet_log,
    onOutbox: () => audit_log.outboxChanged(),
  })
  const audit_log = await openAuditLog({
    db_url: world.database.url,
    dir: `${disk.root}/audit`,
    root_keys,
    operator_tenant_id: `operator-${world.seed}`,
    files: journalFilesOf(disk),
    startWriter: writerIn(process, projections),
    onUnknownEvent: quiet,
    log: quiet_log,
  })
  const config = { redis_url: redis.url } as Config
  const meters = { counter: quiet, gauge: quiet } as never
  const replica_clock = { ...clock, uuid: () => replica_id }
  const host = { db: store.engine, audit_log, meters, clock: replica_clock, log }
  const { limiter, budget_counters } = await openLimits(config, host, [])
  const sums = refusalSums({ record: (entry) => audit_log.record(entry), clock })
  every(sums_every_ms, async () => sums.settle(), quiet_log)
  const ports = testPorts([protocol], {
    clock,
    limiter,
    budget_counters,
    store,
    audit_log,
    sums,
    breaker: memoryBreaker(clock, quiet),
    treasury: { of: booksOf },
    courts: { isOpen: async () => true },
    log: {
      ...quiet_log,
      error: (fields, message) =>
        world.note(`${process.name}: ${message}: ${(fields as { err?: Error }).err?.stack}`),
    },
  })
  const engine = createEngine({ ...ports, settings: { ...ports.settings, limits } })
  return { engine, audit_log, budget_counters, limiter }
}

function clockOf(process: SimulatedProcess): Clock {
  const { world } = process
  return {
    now_ms: () => world.now_ms + process.clock_offset_ms,
    monotonic_ms: () => world.now_ms,
    uuid: () => world.random.uuid(),
    random: () => world.random.bits() / 2 ** 32,
    randomBytes: (count) => world.random.bytes(count),
  }
}
