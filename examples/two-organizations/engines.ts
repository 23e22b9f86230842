// Real engines: two that share a database, and a third with its own that only acts as a witness.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const main = join(import.meta.dirname, '../../service/main.ts')
const ports_each = 4

export interface Engine {
  readonly api_url: string
  readonly data_dir: string
  /** The engine whose database it shares. */
  readonly beside?: Engine | undefined
}

export interface Installation {
  /** A separate engine, or a replica on another one's database. */
  start(name: string, beside?: Engine): Promise<Engine>
  /** Stops all of them and restarts them this many days later, at the same addresses. */
  wait(days: number): Promise<void>
  /** `svc-engine admin …`, parsed into rows. */
  admin(engine: Engine, ...args: string[]): Promise<Record<string, string>[]>
  /** `svc-engine apply <file> --yes`. */
  apply(engine: Engine, file: string): Promise<void>
  /** `svc-engine verify …`, as printed. */
  verify(...args: string[]): Promise<{ code: number | null; said: string }>
  export(engine: Engine, tenant_id: string): Promise<string>
  readonly folder: string
  stop(): Promise<void>
}

interface Running {
  readonly port: number
  readonly engine: Engine
  child: ChildProcess
}

export function install(): Installation {
  const folder = mkdtempSync(join(tmpdir(), 'svc-two-organizations-'))
  const all: Running[] = []
  let days_ahead = 0
  const launch = async (port: number, { data_dir, beside }: Omit<Engine, 'api_url'>) => {
    const args = ['up', '--json', '--data-dir', data_dir, '--port', String(port)]
    const child = spawn(process.execPath, [main, ...args], {
      env: { ...process.env, SVC_DEV_DAYS_AHEAD: String(days_ahead), ...databaseOf(beside) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const stderr_text = text(child.stderr)
    const [line] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => [''])])
    if (!String(line)) throw new Error(`the engine of ${data_dir} did not start: ${await stderr_text}`)
    return { child, api_url: JSON.parse(String(line)).api_url as string }
  }
  // The one that started the database stops last, because the others use it.
  const halt = async () => {
    for (const { child } of all.toReversed()) {
      if (child.exitCode !== null) continue
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  }
  return {
    folder,
    async start(name, beside) {
      const data_dir = join(folder, name)
      mkdirSync(data_dir)
      if (beside) shareKeys(beside.data_dir, data_dir)
      const port = await freePort()
      const { child, api_url } = await launch(port, { data_dir, beside })
      const engine = { api_url, data_dir, beside }
      all.push({ port, engine, child })
      return engine
    },
    async wait(days) {
      await halt()
      days_ahead += days
      for (const running of all) running.child = (await launch(running.port, running.engine)).child
    },
    async admin({ data_dir, beside }, ...args) {
      const { code, said } = await run(databaseOf(beside), 'admin', ...args, '--json', '--data-dir', data_dir)
      if (code !== 0) throw new Error(said)
      return said
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    },
    apply,
    verify: (...args) => run({}, 'verify', ...args),
    async export({ data_dir, beside }, tenant_id) {
      return (await run(databaseOf(beside), 'admin', 'export', tenant_id, '--data-dir', data_dir)).said
    },
    async stop() {
      await halt()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function apply({ data_dir, beside }: Engine, file: string): Promise<void> {
  const { code, said } = await run(databaseOf(beside), 'apply', file, '--yes', '--data-dir', data_dir)
  if (code !== 0) throw new Error(said)
}

/** Engines of one service share a database and its keys; everything else is their own. */
function shareKeys(from: string, to: string): void {
  for (const key of ['master-key', 'operator-key', 'developer.json'])
    copyFileSync(join(from, key), join(to, key))
}

function databaseOf(engine: Engine | undefined): Record<string, string> {
  if (!engine) return {}
  const note = (name: string) => readFileSync(join(engine.data_dir, 'postgres', name), 'utf8').trim()
  return { SVC_DB_URL: `postgres://svc:${note('postgres-password')}@127.0.0.1:${note('postgres-port')}/svc` }
}

async function run(
  env: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, said: code === 0 ? out : `${out}${err}` }
}

/** The first of four consecutive free ports. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port + ports_each < 65_535 ? port : freePort()
}
