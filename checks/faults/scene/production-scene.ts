// `svc-engine serve` as an operator runs it, on a PostgreSQL and a Redis of the test: alone, or with workers.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { issueKey } from '@svc/adapters/access/api-keys'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { type Addresses, freePorts } from '../../engines/running-engine.ts'
import { startRedis, type TestRedis } from '../../neighbours/test-redis.ts'
import { type TestDatabase, testDatabase } from '../../rehearsal/test-database.ts'
import { storeAt } from '../../rehearsal/test-store.ts'

const main = join(import.meta.dirname, '../../../service/main.ts')

export interface Serving {
  readonly process: ChildProcess
  readonly pid: number
  /** The line printed when it was up. */
  readonly said: { readonly listening: string; readonly mcp: string | null; readonly workers?: number }
  readonly exited: Promise<number | null>
  stderr(): string
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

interface Start {
  readonly args?: readonly string[]
  readonly port?: number
  readonly folder?: string
  readonly env?: Readonly<Record<string, string>>
  /** The program of another release. */
  readonly program?: string
}

export interface Production {
  readonly dir: string
  readonly db_url: string
  readonly redis: TestRedis
  readonly engine_did: string
  readonly master_key: Buffer
  /** The ports of the first engine: calls, metrics, MCP. */
  readonly port: number
  readonly audit_dir: string
  /** An agent whose key carries MOTET and tracing, and where to reach the first engine. */
  readonly caller: Addresses
  start(how?: Start): Promise<Serving>
  /** Another command of svc-engine, with these settings only. */
  run(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Serving>
  close(): Promise<void>
}

/** On a database of its own, or on one that the test can stop. */
export async function openProduction(opened?: TestDatabase): Promise<Production> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-production-'))
  const [database, redis, port] = [opened ?? (await testDatabase()), await startRedis(), await freePorts()]
  const { did: engine_did } = newIdentity('operator', 'service')
  const master_key = randomBytes(32)
  const running: Serving[] = []
  const run = async (args: readonly string[], env: Readonly<Record<string, string>>, program = main) => {
    const serving = await launch(args, env, program)
    running.push(serving)
    return serving
  }
  return {
    dir,
    db_url: database.url,
    redis,
    engine_did,
    master_key,
    port,
    audit_dir: join(dir, 'audit'),
    caller: await newCaller(database.url, port),
    run,
    start({ args = [], port: other = port, folder = 'audit', env = {}, program } = {}) {
      const settings = {
        SVC_AGENT_DID: engine_did,
        SVC_TENANT_ID: 'operator',
        SVC_DB_URL: database.url,
        SVC_MASTER_KEY: master_key.toString('hex'),
        SVC_REDIS_URL: redis.url,
        SVC_AUDIT_BUFFER_DIR: join(dir, folder),
        SVC_PROMETHEUS_PORT: String(other + 1),
        SVC_MCP_PORT: String(other + 2),
        SVC_LOG: 'warn',
        APP_BIND_ADDR: `127.0.0.1:${other}`,
      }
      return run(['serve', ...args], { ...settings, ...env }, program)
    },
    async close() {
      for (const { process: child } of running) child.kill('SIGKILL')
      await Promise.all(running.map(({ exited }) => exited))
      await redis.close()
      await database.close()
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function newCaller(db_url: string, port: number): Promise<Addresses> {
  const store = await storeAt(db_url)
  try {
    await ensureTenant(store.engine, 'acme', 'acme', 'sovereign')
    const { did } = newIdentity('acme', 'agent')
    const capabilities = ['svc.motet.*', 'svc.admin.observability'].map((name) => ({ name, caveats: [] }))
    const { api_key } = await issueKey(store.engine, { tenant_id: 'acme', did, mode: 'live', capabilities })
    const [api_url, metrics_url] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}/metrics`]
    return { api_url, metrics_url, tenant_id: 'acme', agent_did: did, api_key }
  } finally {
    await store.close()
  }
}

async function launch(
  args: readonly string[],
  more: Readonly<Record<string, string>>,
  program: string,
): Promise<Serving> {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, NODE_COMPILE_CACHE, ...more }
  const node_args = ['--max-semi-space-size=32', program, ...args]
  const child = spawn(process.execPath, node_args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr = (stderr + chunk).slice(-20_000)
  })
  const exited = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)))
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve)
    void exited.then((code) =>
      reject(new Error(`svc-engine ${args.join(' ')} ended with ${code}: ${stderr}`)),
    )
  })
  return {
    process: child,
    pid: child.pid!,
    said: JSON.parse(line),
    exited,
    stderr: () => stderr,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return exited
    },
  }
}

/** The workers of a running parent. */
export function workersOf({ pid }: Serving): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.trim().split(' ').filter(Boolean).map(Number)
}
