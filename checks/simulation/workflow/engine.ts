// An engine in a simulated process: the real pipeline, store, workers and schedules, on the simulated database link.

import type { CachedKeyRing } from '@svc/adapters/access/key-ring'
import { roundRobin } from '@svc/adapters/balancer/round-robin'
import { memoryBreaker } from '@svc/adapters/breaker/memory'
import { type DatabaseChanges, databaseChanges } from '@svc/adapters/change-notifications/database'
import { nativeEndpoint } from '@svc/adapters/endpoint/native'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { memoryLimiter } from '@svc/adapters/rate-limit/memory'
import { openStore } from '@svc/adapters/store/postgres'
import type { AuditLog } from '@svc/audit/audit-log'
import { testRootKeys } from '@svc/audit/sealing/test-root-keys'
import type { Database, Statement } from '@svc/contract/database'
import type { Credential } from '@svc/engine/call'
import { createEngine, type Engine, type Outcome } from '@svc/engine/dispatch'
import { refusalSums } from '@svc/engine/limits/refusal-sums'
import type { Clock } from '@svc/engine/ports'
import { type OpenRegistry, openRegistry } from '@svc/engine/routing/registry'
import type { Registered } from '@svc/engine/routing/routing'
import { maker } from '@svc/protocols/execution/maker/maker'
import { moon } from '@svc/protocols/execution/moon/moon'
import { openWorkflows } from '@svc/service/background/workflows'
import { MemoryAuditLog } from '../../rehearsal/memory-audit-log.ts'
import { testNeeds, testPorts } from '../../rehearsal/test-ports.ts'
import type { SimulatedProcess, World } from '../world.ts'
import { steps_protocol } from './steps-protocol.ts'

const probe_every_ms = 5_000
const root_keys = testRootKeys(Buffer.alloc(32))
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const protocols = [moon, maker, steps_protocol]
/** One for all: compiling the schemas again for each engine of each seed would be most of the work. */
const compiled = openRegistry()
for (const definition of protocols) compiled.register(definition, [])

/** Endpoints count their calls in flight, which a killed engine never ends: each engine has its own. */
export function ownRegistry(): OpenRegistry {
  const own = new Map<string, readonly Registered[]>(
    protocols.map((definition) => {
      const endpoints = [nativeEndpoint(definition)]
      return [definition.id, compiled.versions(definition.id)!.map((one) => ({ ...one, endpoints }))]
    }),
  )
  return { ...compiled, versions: (protocol) => own.get(protocol.toUpperCase()) }
}

interface Opened {
  readonly engine: Engine
  readonly change_notifications: DatabaseChanges
  readonly close: () => Promise<void>
}

export class WorkflowEngine {
  readonly world: World
  readonly name: string
  process: SimulatedProcess | undefined
  #opened: Opened | undefined
  #starts = 0

  constructor(world: World, name: string) {
    this.world = world
    this.name = name
  }

  get is_running(): boolean {
    return this.process?.is_alive ?? false
  }

  /** Open and not paused: it can be called. */
  get is_usable(): boolean {
    return this.is_running && !this.process!.is_paused && this.#opened !== undefined
  }

  start(): void {
    const process = this.world.start(`${this.name}.${++this.#starts}`)
    this.process = process
    this.#opened = undefined
    process
      .run(() => open(process))
      .then(
        (opened) => {
          if (process === this.process) this.#opened = opened
        },
        () => process.kill(),
      )
  }

  kill(): void {
    this.process?.kill()
  }

  /** As SIGTERM: results are stored, nothing new starts, then the process ends. */
  stop(): void {
    const [process, opened] = [this.process!, this.#opened!]
    this.#opened = undefined
    const end = () => process.kill()
    process.run(() => opened.close()).then(end, end)
  }

  /** All its waits look again, as if notifications had arrived, or arrived twice. */
  notify(): void {
    this.process!.run(() => this.#opened!.change_notifications.arrivedAll())
  }

  /** A client's call at this engine. */
  call(
    credential: Credential,
    protocol: string,
    operation: string,
    input: unknown,
    idempotency_key?: string,
  ): Promise<Outcome> {
    const { tenant_id } = credential
    const key = idempotency_key === undefined ? {} : { idempotency_key }
    const request = { protocol, version: 'v1', operation, input, tenant_id, ...key }
    return this.process!.run(() => this.#opened!.engine.dispatch({ request, credential, origin: 'http' }))
  }
}

/** Rows that are equally due come as they lie on the disk, which earlier seeds have a part in; here they come sorted. */
function sorted(db: Database): Database {
  return {
    isTransaction: db.isTransaction,
    page_archive: db.page_archive,
    async execute<Row>(statement: Statement) {
      const result = await db.execute<Row>(statement)
      if (!/^\s*(?:UPDATE moon_run SET lease_owner|SELECT tenant_id, ref)/.test(statement.text)) return result
      return { ...result, rows: result.rows.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)) }
    },
    transaction: (work, mode) => db.transaction((transaction) => work(sorted(transaction)), mode),
    connection: (work) => db.connection((connection) => work(sorted(connection))),
  }
}

function nameOf(row: unknown): string {
  const { tenant_id, run_id, ref } = row as { tenant_id: string; run_id?: string; ref?: string }
  return `${tenant_id} ${run_id ?? ref}`
}

async function open(process: SimulatedProcess): Promise<Opened> {
  const { world } = process
  const clock: Clock = {
    now_ms: () => world.now_ms + process.clock_offset_ms,
    monotonic_ms: () => world.now_ms,
    uuid: () => world.random.uuid(),
    random: () => world.random.bits() / 2 ** 32,
    randomBytes: (count) => world.random.bytes(count),
  }
  const registry = ownRegistry()
  const opened = await openStore({ url: world.database.url, log: quiet, app_pool_max: 6, engine_pool_max: 3 })
  const store = { ...opened, engine: sorted(opened.engine) }
  // Other engines are not told: each looks by itself, and steps of the scenario tell them at any time.
  const change_notifications = databaseChanges(undefined)
  const audit_log = new MemoryAuditLog()
  const breaker = memoryBreaker(clock, () => {})
  const ports = testPorts([], {
    ...{ clock, store, registry, audit_log, identity: localAdminResolver(), balancer: roundRobin() },
    limiter: memoryLimiter(clock),
    breaker,
    sums: refusalSums({ record: (entry) => audit_log.record(entry), clock }),
    needs: testNeeds({ change_notifications: () => change_notifications }),
    log: quiet,
  })
  const engine = createEngine(ports)
  // As the service does: only a probe closes a circuit that failing steps have opened.
  setInterval(() => void breaker.probe(async () => true), probe_every_ms)
  const closing: (() => Promise<unknown>)[] = []
  // Credentials of these clients are sign-ins, so no key is looked up; the log is only asked to record.
  const parts = { keys: {} as CachedKeyRing, audit_log: audit_log as unknown as AuditLog }
  openWorkflows(
    { ...parts, root_keys, store, engine, registry, change_notifications, clock, log: quiet },
    closing,
  )
  const close = async () => {
    for (const end of closing) await end()
    await store.close()
  }
  return { engine, change_notifications, close }
}
