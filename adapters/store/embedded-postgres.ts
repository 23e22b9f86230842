// The embedded default: a real PostgreSQL beside the engine. It outlives a killed engine, and the next start takes it over.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@svc/engine/ports'
import { Client, DatabaseError } from 'pg'
import { type Cluster, openCluster, server_environment } from './embedded-cluster.ts'
import { inspectProcess, waitForExit } from './os-process.ts'
import { withStartLock } from './start-lock.ts'

const connect_timeout_ms = 2_000
const poll_ms = 20
const accept_ms_max = 60_000
const orphans_ms_max = 15_000
const ports_tried_max = 5
const fast_shutdown_ms_max = 20_000
const immediate_shutdown_ms_max = 10_000
const log_bytes_max = 4 * 1024 * 1024
const log_tail_chars = 4_000

const invalid_password = '28P01'

export interface EmbeddedPostgresOptions {
  readonly data_dir: string
  readonly log: Log
  /** False trades safety at power loss for speed: for tests only. */
  readonly durable?: boolean
}

export interface EmbeddedPostgres {
  readonly url: string
  readonly pid: number
  readonly port: number
  /** True where a server that was still running was found and kept. */
  readonly takeover: boolean
  stop(): Promise<void>
}

interface Running {
  readonly pid: number
  readonly port: number
}

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const durable = options.durable ?? true
  await mkdir(options.data_dir, { recursive: true })
  const data_dir = await realpath(options.data_dir)
  return await withStartLock(join(data_dir, 'postgres-start.lock'), async () => {
    const cluster = await openCluster(data_dir, durable, options.log)
    const found = await findRunning(cluster)
    const running = found ?? (await launch(cluster, durable))
    await createServiceDatabase(cluster, running.port)
    const takeover = found !== undefined
    options.log.info({ ...running, takeover }, 'embedded PostgreSQL is ready')
    return {
      ...running,
      url: urlOf(cluster, running.port, 'svc'),
      takeover,
      stop: () => stop(cluster, running.pid),
    }
  })
}

function urlOf(cluster: Cluster, port: number, database: string): string {
  return `postgres://svc:${cluster.password}@127.0.0.1:${port}/${database}`
}

/** The server that still runs on this folder, once it answers; undefined where none does. */
async function findRunning(cluster: Cluster): Promise<Running | undefined> {
  const deadline = performance.now() + accept_ms_max
  for (;;) {
    const noted = await readPidFile(cluster)
    if (!noted) return undefined
    if (!(await isOurPostmaster(cluster, noted.pid))) {
      // The pid is dead, a zombie or somebody else's by now: PostgreSQL would trust it, so the note must go.
      await rm(cluster.pid_file, { force: true })
      return undefined
    }
    if (noted.port > 0 && (await answers(cluster, noted.port))) return noted
    if (performance.now() >= deadline) {
      throw new Error(
        `PostgreSQL process ${noted.pid} runs on ${cluster.pgdata} but has not answered for ${accept_ms_max / 1000} s; ` +
          `it may be stopped or recovering: look at ${cluster.log_file}, or end it and start again.`,
      )
    }
    await sleep(poll_ms)
  }
}

async function readPidFile(cluster: Cluster): Promise<Running | undefined> {
  const lines = (await readFile(cluster.pid_file, 'utf8').catch(() => undefined))?.split('\n')
  return lines && { pid: Number(lines[0]), port: Number(lines[3] ?? 0) }
}

async function isOurPostmaster(cluster: Cluster, pid: number): Promise<boolean> {
  const found = await inspectProcess(pid)
  return found !== undefined && found.arguments[1] === '-D' && found.arguments[2] === cluster.pgdata
}

/** Whether the server lets us in now. A server that starts up or shuts down says so and is asked again by the caller. */
async function answers(cluster: Cluster, port: number): Promise<boolean> {
  const client = new Client({
    connectionString: urlOf(cluster, port, 'postgres'),
    connectionTimeoutMillis: connect_timeout_ms,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch (error) {
    if (error instanceof DatabaseError && error.code === invalid_password) {
      throw new Error(
        `The PostgreSQL on ${cluster.pgdata} does not accept the password of ${cluster.password_file}; ` +
          'put the right file back, or remove the data folder to begin anew.',
      )
    }
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

async function launch(cluster: Cluster, durable: boolean): Promise<Running> {
  const deadline = performance.now() + orphans_ms_max
  let port = await freePort(Number(await readFile(cluster.port_file, 'utf8').catch(() => 0)))
  for (let ports_tried = 1; ; ) {
    const outcome = await launchOnce(cluster, durable, port)
    if (typeof outcome !== 'string') {
      await writeFile(cluster.port_file, String(port))
      return outcome
    }
    // Backends of a killed postmaster leave by themselves, but hold its shared memory until then.
    const orphans = /pre-existing shared memory block|lock file .* already exists/.test(outcome)
    const port_taken = /could not bind|could not create any TCP\/IP sockets/.test(outcome)
    if (orphans && performance.now() < deadline) await sleep(poll_ms * 5)
    else if (port_taken && ports_tried++ < ports_tried_max) port = await freePort(0)
    else {
      throw new Error(
        `PostgreSQL did not start on ${cluster.pgdata}: ${outcome.trim().split('\n').at(-1) || 'it said nothing'}; ` +
          `the whole story is in ${cluster.log_file}.`,
      )
    }
  }
}

/** The running server, or what it said before it gave up. */
async function launchOnce(cluster: Cluster, durable: boolean, port: number): Promise<Running | string> {
  await rotateLog(cluster.log_file)
  const log_start = (await stat(cluster.log_file).catch(() => undefined))?.size ?? 0
  const child = spawnServer(cluster, durable, port)
  let spawn_error: Error | undefined
  child.once('error', (error) => {
    spawn_error = error
  })
  const deadline = performance.now() + accept_ms_max
  while (child.exitCode === null && child.signalCode === null && !spawn_error) {
    if (await answers(cluster, port)) {
      child.unref()
      return { pid: child.pid ?? 0, port }
    }
    if (performance.now() >= deadline) {
      child.kill('SIGQUIT')
      return `it did not accept connections within ${accept_ms_max / 1000} s`
    }
    await sleep(poll_ms)
  }
  if (spawn_error) return spawn_error.message
  return (await readFile(cluster.log_file, 'utf8')).slice(log_start).slice(-log_tail_chars)
}

function spawnServer(cluster: Cluster, durable: boolean, port: number): ChildProcess {
  const settings = { ...serverSettings(durable), port: String(port) }
  const log = openSync(cluster.log_file, 'a', 0o600)
  try {
    return spawn(
      cluster.binaries.postgres,
      [
        '-D',
        cluster.pgdata,
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      {
        detached: true,
        stdio: ['ignore', log, log],
        cwd: cluster.pgdata,
        env: server_environment,
        ...cluster.binaries.user,
      },
    )
  } finally {
    closeSync(log)
  }
}

function serverSettings(durable: boolean): Record<string, string> {
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // Many test files share one server, so it takes more connections than a single engine needs.
    max_connections: durable ? '60' : '240',
    shared_buffers: '64MB',
    fsync: durable ? 'on' : 'off',
    synchronous_commit: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_wal_size: '512MB',
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Errors of single statements reach their callers; written here as well they would let callers fill the disk.
    log_min_messages: 'log',
    log_checkpoints: 'off',
  }
}

async function rotateLog(log_file: string): Promise<void> {
  const found = await stat(log_file).catch(() => undefined)
  if (found && found.size > log_bytes_max) await rename(log_file, `${log_file}.1`)
}

/** The port asked for where nobody has it, else one the system picks. */
async function freePort(wanted: number): Promise<number> {
  for (const port of [wanted, 0]) {
    const server = createServer()
    const got = await new Promise<number>((resolve) => {
      server.once('error', () => resolve(0))
      server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
        const address = server.address()
        server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
      })
    })
    if (got > 0) return got
  }
  throw new Error('This machine gives no free port on 127.0.0.1 for PostgreSQL; free one and start again.')
}

async function createServiceDatabase(cluster: Cluster, port: number): Promise<void> {
  const client = new Client({ connectionString: urlOf(cluster, port, 'postgres') })
  await client.connect()
  try {
    const found = await client.query("SELECT FROM pg_database WHERE datname = 'svc'")
    if (found.rowCount === 0) await client.query('CREATE DATABASE svc')
  } finally {
    await client.end()
  }
}

/** Fast shutdown, then an immediate one for a server that hangs: its next start recovers from the log. */
async function stop(cluster: Cluster, pid: number): Promise<void> {
  for (const [signal, wait_ms_max] of [
    ['SIGINT', fast_shutdown_ms_max],
    ['SIGQUIT', immediate_shutdown_ms_max],
  ] as const) {
    // Looked at again before each signal: the pid may be another process's by now.
    if (!(await isOurPostmaster(cluster, pid))) return
    process.kill(pid, signal)
    if (await waitForExit(pid, wait_ms_max)) return
  }
  throw new Error(`PostgreSQL process ${pid} did not stop; end it by hand and look at ${cluster.log_file}.`)
}
