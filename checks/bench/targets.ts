// The three servers a bench compares, each its own process with the same bytes.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { arch, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { freePorts, type RunningEngine, startEngine } from '../engines/running-engine.ts'

export interface Target {
  readonly name: 'bare' | 'fastify' | 'dispatch'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly pid: number
  readonly engine?: RunningEngine
  close(): Promise<unknown>
}

const main = join(import.meta.dirname, '../../service/main.ts')

export const engine_env = { SVC_RATE_LIMITS: 'off', SVC_LOG: 'error' }

/** A real operation that does almost nothing, so that everything around it is measured. */
export function trivialCall(tenant_id: string): string {
  return JSON.stringify({
    protocol: 'MOTET',
    version: 'v1',
    operation: 'emit',
    tenant_id,
    input: { signals: [{ name: 'bench', kind: 'gauge', value: 1 }] },
  })
}

/** An agent as in production: its identity comes from the node, and its key carries one protocol. */
export function headersFor({ tenant_id }: RunningEngine, data_dir: string): Record<string, string> {
  const { did, api_key } = adminJson(data_dir, ['key', 'issue', tenant_id, '--capability', 'svc.motet.*'])
  return { authorization: `Bearer ${api_key}`, 'x-agent-did': did!, 'content-type': 'application/json' }
}

/** What a command of svc-engine admin answers. */
export function adminJson(data_dir: string, words: readonly string[]): Record<string, string> {
  const args = [main, 'admin', ...words, '--json', '--data-dir', data_dir]
  const done = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (done.status !== 0) throw new Error(done.stderr)
  return JSON.parse(done.stdout)
}

export async function openTargets(data_dir: string): Promise<Target[]> {
  const engine = await startEngine({ data_dir, env: engine_env })
  const shared = { headers: headersFor(engine, data_dir), body: trivialCall(engine.tenant_id) }
  const bare = await startEcho('bare-echo.ts')
  const fastify = await startEcho('fastify-echo.ts')
  return [
    { name: 'bare', ...bare, ...shared },
    { name: 'fastify', ...fastify, ...shared },
    {
      name: 'dispatch',
      url: `${engine.api_url}/v1/dispatch`,
      pid: engine.process.pid!,
      engine,
      close: () => engine.stop(),
      ...shared,
    },
  ]
}

export async function startEcho(file: string) {
  const port = await freePorts()
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, file), String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout!, 'data')
  return {
    url: `http://127.0.0.1:${port}/v1/dispatch`,
    pid: child.pid!,
    close: async () => {
      child.kill()
      await once(child, 'exit')
    },
  }
}

/** Resident memory of a process, 0 if the system does not report it. */
export function rssMib(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

export function machine(): Record<string, unknown> {
  return {
    arch: arch(),
    cores: cpus().length,
    cpu: cpus()[0]?.model,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  }
}
