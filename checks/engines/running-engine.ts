// A real `svc-engine up` in its own process, as a user would run it: for kills, drains, benches and
// documents.
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { arrives, until } from '../suite/eventually.ts'

const root = join(import.meta.dirname, '../..')
/** As `npm start` does. */
const started_as = { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/svc-compiled') }
const ports_needed = 4
/** Below the system's ephemeral ports: one of those could be taken between looking and listening. */
const ports_from = 10_000
const ports_until = 32_000

export interface Addresses {
  readonly api_url: string
  readonly metrics_url: string
  readonly tenant_id: string
  readonly agent_did: string
  readonly api_key: string
}

export interface RunningEngine extends Addresses {
  readonly process: ChildProcess
  readonly exited: Promise<number | null>
  /** Its stderr so far. */
  stderr(): string
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export interface EngineOptions {
  readonly data_dir: string
  readonly port?: number
  readonly env?: Record<string, string>
  readonly node_args?: readonly string[]
}

export async function startEngine({
  data_dir,
  port,
  env,
  node_args = [],
}: EngineOptions): Promise<RunningEngine> {
  const base = port ?? (await freePorts())
  const child = spawn(
    process.execPath,
    [
      '--max-semi-space-size=32',
      ...node_args,
      join(root, 'service/main.ts'),
      'up',
      '--json',
      '--port',
      String(base),
      '--data-dir',
      data_dir,
    ],
    { cwd: root, env: { ...started_as, ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr = (stderr + chunk).slice(-20_000)
  })
  const exited = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)))
  const addresses = await firstLine(child, () => stderr)
  return {
    ...addresses,
    process: child,
    exited,
    stderr: () => stderr,
    stop(signal = 'SIGTERM') {
      child.kill(signal)
      return exited
    },
  }
}

async function firstLine(child: ChildProcess, stderr: () => string): Promise<Addresses> {
  const first_line = new Promise<Addresses>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`svc-engine up ended with ${code}: ${stderr()}`)))
    createInterface({ input: child.stdout! }).once('line', (line) => resolve(JSON.parse(line)))
  })
  try {
    return await arrives('the first line of svc-engine up', first_line)
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

/** A base port with the next three free as well. */
export async function freePorts(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const base = ports_from + Math.floor(Math.random() * (ports_until - ports_from))
    const free = await Promise.all(Array.from({ length: ports_needed }, (_, i) => isFree(base + i)))
    if (free.every(Boolean)) return base
  }
  throw new Error('no four free ports in a row were found')
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any
}

export interface Asking {
  readonly protocol?: string
  readonly version?: string
  readonly operation?: string
  readonly tenant_id?: string
  readonly input?: unknown
  readonly idempotency_key?: string
  readonly invoke_context?: Readonly<Record<string, unknown>>
}

/** One dispatch with the development key; any part can be replaced. */
export async function dispatch(
  engine: Addresses,
  request: Asking | string,
  headers: Record<string, string | undefined> = {},
): Promise<Answer> {
  const body =
    typeof request === 'string'
      ? request
      : JSON.stringify({ version: 'v1', tenant_id: engine.tenant_id, ...request })
  const defaults = {
    authorization: `Bearer ${engine.api_key}`,
    'x-agent-did': engine.agent_did,
    'content-type': 'application/json',
    ...headers,
  }
  const sent = Object.entries(defaults).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const response = await fetch(`${engine.api_url}/v1/dispatch`, { method: 'POST', headers: sent, body })
  const text = await response.text()
  const is_json = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, body: is_json ? JSON.parse(text) : text }
}

/** Like any client with a retryable answer: again, until it is decided. */
export async function dispatchDecided(...asking: Parameters<typeof dispatch>): Promise<Answer> {
  return await until('the call is decided', async () => {
    const answer = await dispatch(...asking)
    return answer.body.error?.code !== 'unavailable' && answer
  })
}
