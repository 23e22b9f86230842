// The services of compose as local processes, each with its environment: only names, ports and folders
// differ.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@svc/adapters/store/embedded-postgres'
import type { Environment } from '@svc/service/settings/reader'
import { Client, escapeLiteral } from 'pg'
import { freePorts } from '../engines/running-engine.ts'
import { startRedis, type TestRedis } from '../neighbours/test-redis.ts'
import { type Compose, deploy, makeSecrets, readCompose, root, type Secrets } from './deployment.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const main = join(root, 'service/main.ts')
/** Nothing listens there: an engine also serves without its broker. */
const nowhere = '127.0.0.1:9'
/** The embedded server has a user and a database called svc already. */
const other_name = 'composed'

export interface Composed {
  readonly secrets: Secrets
  /** The first port of a service; metrics and MCP are on the two after it. */
  portOf(service: string): number
  start(service: string): Promise<ChildProcess>
  /** `svc-engine admin`, as in an engine's container; returns its JSON lines. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  admin(...args: string[]): Promise<any[]>
  close(): Promise<void>
}

export async function openComposed(services: readonly string[]): Promise<Composed> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-composed-'))
  const secrets = makeSecrets()
  const compose = readCompose(secrets.settings)
  const postgres = await startEmbeddedPostgres({ data_dir: join(dir, 'postgres'), log: quiet })
  await runFirstStart(postgres, secrets)
  const redis = await startRedis()
  await configureRedis(redis, secrets)
  const ports = new Map<string, number>()
  for (const service of services) ports.set(service, await freePorts())
  const place = { dir, ports, postgres, redis, secrets, compose }
  const running: ChildProcess[] = []
  return {
    secrets,
    portOf: (service) => ports.get(service)!,
    async start(service) {
      const child = launch(compose.services[service]?.command ?? [], environmentFor(service, place))
      running.push(child)
      await firstLine(child, service)
      return child
    },
    admin: async (...args) => await runAdmin(args, environmentFor('engine-1', place)),
    async close() {
      const ended = running.map(({ exitCode, signalCode }, i) =>
        exitCode === null && signalCode === null ? exitOf(running[i]!) : undefined,
      )
      for (const child of running) child.kill('SIGKILL')
      await Promise.all(ended)
      await redis.close()
      await postgres.stop()
      secrets.remove()
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

interface Place {
  readonly dir: string
  readonly ports: ReadonlyMap<string, number>
  readonly postgres: EmbeddedPostgres
  readonly redis: TestRedis
  readonly secrets: Secrets
  readonly compose: Compose
}

/** The statements of deploy/postgres/first-start.sql, as psql runs them; `name` is that of the database and its owner. */
export function firstStart(secrets: Secrets, name = 'svc'): string[] {
  const lines = readFileSync(join(deploy, 'postgres/first-start.sql'), 'utf8').split('\n')
  const password = escapeLiteral(secrets.read('svc_password'))
  return lines
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => line.replaceAll(/\bsvc\b/g, name).replace(":'password'", () => password))
}

async function runFirstStart({ url }: EmbeddedPostgres, secrets: Secrets): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of firstStart(secrets, other_name)) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Applies each line of the settings file that compose mounts to the running server; the password last. */
async function configureRedis(redis: TestRedis, secrets: Secrets): Promise<void> {
  const lines = secrets.read('redis_conf').split('\n').reverse()
  for (const line of lines) {
    const answer = await redis.command(`CONFIG SET ${line}`)
    if (!answer.startsWith('+OK')) throw new Error(`Redis does not take ${line.split(' ')[0]}: ${answer}`)
  }
}

function environmentFor(
  service: string,
  { dir, ports, postgres, redis, secrets, compose }: Place,
): Environment {
  const port = ports.get(service)!
  const folder = join(dir, service)
  mkdirSync(folder, { recursive: true })
  const addresses: Record<string, string> = {
    'kafka:9092': nowhere,
    'postgres:5432/svc': `127.0.0.1:${new URL(postgres.url).port}/${other_name}`,
    'svc:': `${other_name}:`,
    'redis:6379': `127.0.0.1:${redis.port}`,
  }
  for (const [name, number] of ports) addresses[`${name}:`] = `localhost:${number}#`
  const moved = (text: string) => {
    let value = text
    for (const [from, to] of Object.entries(addresses))
      value = value.replaceAll(new RegExp(`(?<=//|@|^|,)${from}`, 'g'), to)
    return value.replaceAll(/#\d+/g, '')
  }
  const fileOf = (path: string) => {
    const name = path.slice('/run/secrets/'.length)
    const { file } = compose.secrets[name]!
    const copy = join(folder, name)
    writeFileSync(copy, moved(readFileSync(join(secrets.folder, '..', file), 'utf8')))
    return copy
  }
  const env = Object.entries(compose.services[service]?.environment ?? {}).map(([name, text]) => {
    if (text.startsWith('/run/secrets/')) return [name, fileOf(text)]
    return [name, moved(text)]
  })
  return {
    ...Object.fromEntries(env),
    PATH: process.env.PATH,
    APP_BIND_ADDR: `127.0.0.1:${port}`,
    ...(service.startsWith('engine-')
      ? {
          SVC_PROMETHEUS_PORT: String(port + 1),
          SVC_MCP_PORT: String(port + 2),
          SVC_AUDIT_BUFFER_DIR: join(folder, 'audit'),
        }
      : {}),
  }
}

function launch(args: readonly string[], env: Environment): ChildProcess {
  return spawn(process.execPath, ['--max-semi-space-size=32', main, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

const exitOf = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))

/** The line printed when it is up; throws its output if it ends instead. */
async function firstLine(child: ChildProcess, service: string): Promise<string> {
  let output = ''
  child.stderr!.on('data', (chunk) => {
    output = (output + chunk).slice(-10_000)
  })
  return await new Promise((resolve, reject) => {
    // Logs are JSON lines, too; the first line is the one with the address.
    createInterface({ input: child.stdout! }).on('line', (line) => {
      output = (output + line).slice(-10_000)
      if (line.includes('"listening"')) resolve(line)
    })
    void exitOf(child).then((code) => reject(new Error(`${service} ended with ${code}: ${output}`)))
  })
}

async function runAdmin(args: readonly string[], env: Environment) {
  const child = launch(['admin', ...args, '--json'], env)
  const chunks: string[] = []
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk) => chunks.push(String(chunk)))
  const code = await exitOf(child)
  const output = chunks.join('')
  if (code !== 0) throw new Error(`svc-engine admin ${args.join(' ')} ended with ${code}: ${output}`)
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}
