// Programs of svc-engine as an operator starts them, each in its own process.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { until } from '../suite/eventually.ts'

const main = join(import.meta.dirname, '../../service/main.ts')

export interface Program {
  readonly process: ChildProcess
  /** What it has written so far, both streams. */
  written(): string
}

export interface Programs {
  /** Resolves when it listens; fails with what it wrote if it ends before. */
  start(args: readonly string[], env: Record<string, string>): Promise<Program>
  /** Of a program that ends by itself. */
  run(
    args: readonly string[],
    env: Record<string, string>,
  ): Promise<{ code: number; out: string; err: string }>
  /** Kills those that still run. */
  close(): Promise<void>
}

/** `common` is the environment of all. */
export function openPrograms(common: Record<string, string>): Programs {
  const running: ChildProcess[] = []
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const spawnWith = (args: readonly string[], env: Record<string, string>) => {
    const all = { PATH, NODE_COMPILE_CACHE, ...common, ...env }
    const child = spawn(process.execPath, [main, ...args], { env: all, stdio: ['ignore', 'pipe', 'pipe'] })
    running.push(child)
    return child
  }
  return {
    async start(args, env) {
      const child = spawnWith(args, env)
      let written = ''
      for (const stream of [child.stdout!, child.stderr!])
        stream.on('data', (chunk) => {
          written += chunk
        })
      await until(`${args[0]} listens`, async () => {
        assert.equal(child.exitCode, null, `${args[0]} ended: ${written}`)
        return /"listening":/.test(written)
      })
      return { process: child, written: () => written }
    },
    async run(args, env) {
      const child = spawnWith(args, env)
      const ended = once(child, 'exit')
      const [out, err] = await Promise.all([textOf(child.stdout!), textOf(child.stderr!)])
      return { code: (await ended)[0], out, err }
    },
    async close() {
      for (const child of running) {
        if (child.exitCode !== null || child.signalCode !== null) continue
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }
    },
  }
}
