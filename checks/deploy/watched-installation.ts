// An installation as it is watched: engines by `svc-engine serve` on a PostgreSQL and a Redis of their own, a remote service, and a
// Prometheus that scrapes the engines. Faults are planted on each of them.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { keepRegistration } from '@svc/adapters/external/registrations'
import { migrate } from '@svc/adapters/store/migrate'
import { waitForExit } from '@svc/adapters/store/os-process'
import { asOwner } from '@svc/audit/test-audit-log'
import { migrations } from '@svc/service/assembly/migrations'
import { type Addresses, type Asking, dispatch, freePorts } from '../engines/running-engine.ts'
import { openProduction, type Production, type Serving } from '../faults/scene/production-scene.ts'
import { type RemoteService, startRemoteService } from '../faults/scene/remote-service.ts'
import { openScene, signal } from '../faults/scene/scene.ts'
import { type FaultProxy, startFaultProxy } from '../neighbours/fault-proxy.ts'
import { startPrometheus, type TestPrometheus } from '../neighbours/test-prometheus.ts'
import { newSubject } from '../scenes/test-identity.ts'
import { hang_ms_max } from '../suite/eventually.ts'
import { pace } from '../suite/real-time.ts'
import { openIdentities } from './watched-identities.ts'

export const tenant_id = 'acme'
const remote_protocol = 'FAR'
/** So that a fault, not a limit, decides what a load meets. */
const ample = { capacity: 100_000, refill_per_s: 100_000 }
const limits = { infrastructure: ample, standard: ample, heavy: ample }
/** Small enough to be filled by a load of seconds. */
const audit_bytes_max = 400_000

export interface Engine {
  readonly name: string
  readonly serving: Serving
  /** With all capabilities in the organization `tenant_id`. */
  readonly caller: Addresses
  /** Its metrics, as Prometheus names the engine. */
  readonly instance: string
}

export interface Database {
  /** Past the proxy. */
  readonly url: string
  /** What the engines reach it through. */
  readonly proxy: FaultProxy
  stop(): Promise<void>
  start(): Promise<void>
  /** Bypassing what protects rows from changes. */
  tamper(...statements: readonly string[]): Promise<void>
}

export interface Installation {
  readonly dir: string
  readonly prometheus: TestPrometheus
  readonly production: Production
  readonly database: Database
  readonly remote: RemoteService
  readonly engines: ReadonlyMap<string, Engine>
  /** Starts one, also again after a kill. */
  launch(name: string, args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Engine>
  /** The same, and has it watched. */
  start: Installation['launch']
  /** Ends one for good: it is no longer listed as a target. */
  remove(name: string): Promise<void>
  /** As service discovery would: those that run, or none. */
  list(which: 'all' | 'none'): void
  newCaller(tenant_id: string): Promise<Addresses>
}

/** With two engines, one of them with workers; Prometheus comes when they serve, as otherwise it would rightly miss them. */
export async function openInstallation(t: TestContext, factor: number): Promise<Installation> {
  const scene = openScene(t)
  const database = await openDatabase(t, scene)
  const production = await openProduction({ url: database.url, close: async () => {} })
  t.after(() => production.close())
  const identities = await openIdentities(t, database.url, production.master_key)
  const remote_key = newSubject('Service', 'elsewhere')
  const remote = await startRemoteService(remote_key, system_clock)
  t.after(() => remote.close())
  const caller = await identities.newCaller(tenant_id)
  const place = {
    endpoint: remote.url,
    timeout_ms: 20_000,
    operations: ['run'],
    did: remote_key.did,
    weight: 1,
  }
  await keepRegistration(identities.db, { name: remote_protocol, version: 'v1.0.0', ...place })
  const env = { ...commonSettings(production.dir, database), ...identities.settings }
  const engines = new Map<string, Engine>()
  const ports = new Map<string, number>()
  const launch: Installation['launch'] = async (name, args = [], more = {}) => {
    const port = ports.get(name) ?? (await freePorts())
    ports.set(name, port)
    const serving = await production.start({ args, port, folder: `audit-${name}`, env: { ...env, ...more } })
    const instance = `127.0.0.1:${port + 1}`
    const [api_url, metrics_url] = [`http://127.0.0.1:${port}`, `http://${instance}/metrics`]
    const engine = { name, serving, instance, caller: { ...caller, api_url, metrics_url } }
    engines.set(name, engine)
    return engine
  }
  await launch('a')
  await launch('b', ['--workers', '2'])
  const instances = () => Array.from(engines.values(), ({ instance }) => instance)
  const prometheus = await startPrometheus(factor, instances())
  t.after(() => prometheus.close())
  return {
    dir: production.dir,
    prometheus,
    production,
    database,
    remote,
    engines,
    launch,
    async start(...how) {
      const engine = await launch(...how)
      prometheus.watch(instances())
      return engine
    },
    async remove(name) {
      const { serving } = engines.get(name)!
      engines.delete(name)
      prometheus.watch(instances())
      await serving.stop('SIGKILL')
    },
    list: (which) => prometheus.watch(which === 'all' ? instances() : []),
    newCaller: identities.newCaller,
  }
}

async function openDatabase(t: TestContext, scene: ReturnType<typeof openScene>): Promise<Database> {
  let running = await scene.startDatabase('database')
  await migrate(running.url, migrations)
  const proxy = await startFaultProxy(running.port)
  t.after(() => proxy.close())
  return {
    url: running.url,
    proxy,
    async stop() {
      signal([running.pid], 'SIGQUIT')
      if (!(await waitForExit(running.pid, hang_ms_max))) throw new Error('PostgreSQL did not stop')
    },
    async start() {
      running = await scene.startDatabase('database')
    },
    tamper: (...statements) =>
      asOwner(running.url, async (client) => {
        await client.query('SET session_replication_role = replica')
        for (const statement of statements) await client.query(statement)
      }),
  }
}

function commonSettings(dir: string, { url, proxy }: Database): Record<string, string> {
  const limits_file = join(dir, 'limits.json')
  writeFileSync(limits_file, JSON.stringify(limits))
  mkdirSync(join(dir, 'plugins'))
  const through = new URL(url)
  through.host = `127.0.0.1:${proxy.port}`
  return {
    SVC_DB_URL: through.href,
    SVC_ALLOWED_NETWORKS: '127.0.0.0/8',
    SVC_RATE_LIMITS: limits_file,
    SVC_AUDIT_BUFFER_MAX_BYTES: String(audit_bytes_max),
    SVC_LOG_ARCHIVE: `file:${join(dir, 'archive')}`,
    SVC_LOG_HOT_DAYS: '0.000000001',
    SVC_PLUGIN_DIR: join(dir, 'plugins'),
    SVC_PLUGIN_WATCH_INTERVAL_MS: '500',
  }
}

export interface Load {
  /** Answers so far, of whatever status. */
  readonly answered: number
  stop(): Promise<void>
}

/** Callers that go on whatever they are answered, also by nobody; each call as `next` says. */
export function startLoad(next: () => [Addresses, Asking], callers: number, pause_ms: number): Load {
  let [answered, stopped] = [0, false]
  const call = async () => {
    while (!stopped) {
      const [caller, asking] = next()
      await dispatch(caller, asking).then(
        () => answered++,
        () => undefined,
      )
      await pace(pause_ms)
    }
  }
  const calling = Promise.all(Array.from({ length: callers }, call))
  return {
    get answered() {
      return answered
    },
    async stop() {
      stopped = true
      await calling
    },
  }
}

export const emit: Asking = {
  protocol: 'MOTET',
  operation: 'emit',
  input: { signals: [{ name: 'load', kind: 'counter', value: 1 }] },
}
/** Answered only when its own record is in the chain. */
export const entry: Asking = {
  protocol: 'MAX',
  operation: 'audit_log_entry',
  input: { event_type: 'custom.load', meta: { n: 1 } },
}
export const query: Asking = {
  protocol: 'MAX',
  operation: 'audit_query',
  input: { outcome: 'refused', limit: 1 },
}
/** Refused: another organization's. */
export const foreign: Asking = { ...query, tenant_id: 'somebody-else' }
export const far: Asking = { protocol: remote_protocol, operation: 'run', input: {} }
