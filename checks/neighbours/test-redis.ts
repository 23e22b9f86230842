// A real Redis for the test: on a free port, its files in a temporary folder.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../engines/running-engine.ts'
import { hang_ms_max, until } from '../suite/eventually.ts'
import { findOrInstall } from '../suite/install.ts'

const program = {
  name: 'redis-server',
  places: ['/usr/bin/redis-server', '/usr/local/bin/redis-server', '/opt/homebrew/bin/redis-server'],
  package: 'redis-server',
  variable: 'SVC_TEST_REDIS_SERVER',
}

export const redisProgram = () => findOrInstall(program)

export interface TestRedis {
  readonly url: string
  readonly port: number
  /** The bus of cluster nodes. */
  readonly bus_port: number
  readonly pid: number
  /** Sends one command line, such as FLUSHALL, and returns the raw reply. */
  command(line: string): Promise<string>
  /** Kills it, with its data as last saved: `start` brings it back on the same port. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Stops it and removes its files. */
  close(): Promise<void>
}

export async function startRedis(args: readonly string[] = []): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-redis-'))
  // Several free ports in a row. The default cluster bus is 10,000 above, which may be in use or out of
  // range.
  const port = await freePorts()
  const bus_port = port + 1
  const bus = args.includes('--cluster-enabled') ? ['--cluster-port', String(bus_port)] : []
  const settings = [...args, ...bus]
  let child = await launch(folder, port, settings)
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    bus_port,
    get pid() {
      return child.pid!
    },
    command: (line) => askRedis(port, line),
    kill,
    async start() {
      child = await launch(folder, port, settings)
    },
    async close() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function launch(folder: string, port: number, args: readonly string[]): Promise<ChildProcess> {
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes']
  const child = spawn(redisProgram(), [...settings, ...args], { stdio: 'ignore' })
  const answers = async () => (await askRedis(port, 'PING').catch(() => '')).startsWith('+PONG')
  await until('redis-server answers', async () => child.exitCode !== null || (await answers()))
  if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`)
  return child
}

export function askRedis(port: number, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${line}\r\n`))
    socket.setTimeout(hang_ms_max, () => socket.destroy(new Error('redis-server was silent')))
    socket.once('error', reject)
    // Sentinels end the connections of a server that they demote.
    socket.once('close', () => reject(new Error('redis-server closed the connection')))
    socket.once('data', (chunk) => {
      socket.destroy()
      resolve(chunk.toString().trimEnd())
    })
  })
}
