// The embedded default: a real PostgreSQL beside the engine. It outlives a killed engine, and the next start takes it
// over.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@svc/engine/ports'
import { Client, DatabaseError } from 'pg'
import { system_clock } from '../clock/system.ts'
import { type Cluster, notesOf, openCluster, server_environment } from './embedded-cluster.ts'
import { isPostmasterOf, type Noted, pidFileOf, readPidFile, stopPostmaster } from './postmaster.ts'
import { withStartLock } from './start-lock.ts'

const connect_timeout_ms = 2_000
const poll_ms = 20
const accept_ms_max = 60_000
const orphans_ms_max = 15_000
const ports_tried_max = 5
const log_bytes_max = 4 * 1024 * 1024
const log_tail_chars = 4_000

const invalid_password = '28P01'
const already_there = new Set(['42P04', '23505'])

export interface EmbeddedPostgresOptions {
  readonly data_dir: string
  readonly log: Log
  /** False trades safety at power loss for speed: for tests only. */
  readonly durable?: boolean
  /** How long a server may take to answer; crash recovery of a large database takes time. */
  readonly wait_ms_max?: number
}

interface Running extends Noted {
  /** True if a running server was found and kept. */
  readonly takeover: boolean
}

export interface EmbeddedPostgres extends Running {
  readonly url: string
  stop(): Promise<void>
}

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { durable = true, wait_ms_max = accept_ms_max, log } = options
  await mkdir(options.data_dir, { recursive: true })
  const data_dir = await realpath(options.data_dir)
  return await withStartLock(join(data_dir, 'postgres-start.lock'), async () => {
    const cluster = await openCluster(data_dir, durable, log)
    const running = await findOrLaunch(cluster, durable, wait_ms_max)
    await createServiceDatabase(cluster, running.port)
    log.info(running, 'embedded PostgreSQL is ready')
    return {
      ...running,
      url: urlOf(cluster, running.port, 'svc'),
      stop: () => stopPostmaster(cluster.pgdata, running.pid),
    }
  })
}

async function findOrLaunch(cluster: Cluster, durable: boolean, wait_ms_max: number): Promise<Running> {
  const give_up_at = system_clock.monotonic_ms() + orphans_ms_max
  let wanted_port = Number(await readFile(cluster.port_file, 'utf8').catch(() => 0))
  for (let ports_tried = 1; ; ) {
    const running = await findRunning(cluster, wait_ms_max)
    if (running) return { ...running, takeover: true }
    const port = await freePort(wanted_port)
    const outcome = await launch(cluster, durable, port, wait_ms_max)
    if (typeof outcome !== 'string') {
      await writeFile(cluster.port_file, String(port))
      return { ...outcome, takeover: false }
    }
    // Backends of a killed postmaster end by themselves but hold its shared memory until then; and a killed starter
    // may have left a server that was just starting.
    const in_the_way = /pre-existing shared memory block|"postmaster\.pid" already exists/.test(outcome)
    const port_taken = /could not bind|could not create any TCP\/IP sockets/.test(outcome)
    if (in_the_way && system_clock.monotonic_ms() < give_up_at) await sleep(poll_ms * 5)
    else if (port_taken && ports_tried++ < ports_tried_max) wanted_port = 0
    else {
      throw new Error(
        `PostgreSQL did not start on ${cluster.pgdata} (${fatalLine(outcome)}); ` +
          `read ${cluster.log_file} for the whole story.`,
      )
    }
  }
}

function fatalLine(stderr_text: string): string {
  const lines = stderr_text.trim().split('\n')
  return lines.findLast((line) => /FATAL|PANIC/.test(line)) ?? lines.at(-1) ?? ''
}

/** Where the server of a data folder answers; undefined if none does. Starts nothing. */
export async function embeddedUrl(data_dir: string): Promise<string | undefined> {
  const { password_file, port_file } = notesOf(data_dir)
  const read = (file: string) => readFile(file, 'utf8').catch(() => '')
  const [password, port] = await Promise.all([read(password_file), read(port_file)])
  if ((await knock({ password }, Number(port))) !== 'open') return undefined
  return urlOf({ password }, Number(port), 'svc')
}

function urlOf({ password }: Pick<Cluster, 'password'>, port: number, database: string): string {
  return `postgres://svc:${password}@127.0.0.1:${port}/${database}`
}

/** The server that still runs on this folder, once it answers; undefined if none does. */
async function findRunning(cluster: Cluster, wait_ms_max: number): Promise<Noted | undefined> {
  const deadline = system_clock.monotonic_ms() + wait_ms_max
  for (;;) {
    const noted = await readPidFile(cluster.pgdata)
    if (!noted) return undefined
    if (!(await isPostmasterOf(cluster.pgdata, noted.pid))) {
      // The pid is dead, a zombie or another process's by now: PostgreSQL would trust it, so the file must go.
      await rm(pidFileOf(cluster.pgdata), { force: true })
      return undefined
    }
    if (noted.port > 0 && (await answers(cluster, noted.port))) return noted
    if (system_clock.monotonic_ms() >= deadline)
      throw new Error(notAnswering(cluster, noted.pid, wait_ms_max))
    await sleep(poll_ms)
  }
}

/** Whether the server accepts connections now. One that starts up or shuts down says so, and the caller asks again. */
async function answers(cluster: Cluster, port: number): Promise<boolean> {
  const reply = await knock(cluster, port)
  if (reply !== 'refused') return reply === 'open'
  throw new Error(
    `The PostgreSQL on ${cluster.pgdata} does not accept the password of ${cluster.password_file}; ` +
      'put the right file back, or remove the data folder to begin anew.',
  )
}

async function knock(cluster: Pick<Cluster, 'password'>, port: number): Promise<'open' | 'shut' | 'refused'> {
  const client = new Client({
    connectionString: urlOf(cluster, port, 'postgres'),
    connectionTimeoutMillis: connect_timeout_ms,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return 'open'
  } catch (error) {
    return error instanceof DatabaseError && error.code === invalid_password ? 'refused' : 'shut'
  } finally {
    await client.end().catch(() => {})
  }
}

/** The running server, or its last output before it gave up. */
async function launch(
  cluster: Cluster,
  durable: boolean,
  port: number,
  wait_ms_max: number,
): Promise<Noted | string> {
  await rotateLog(cluster.log_file)
  const log_start = (await stat(cluster.log_file).catch(() => undefined))?.size ?? 0
  const child = spawnServer(cluster, durable, port)
  let spawn_error: Error | undefined
  child.once('error', (error) => {
    spawn_error = error
  })
  const deadline = system_clock.monotonic_ms() + wait_ms_max
  try {
    while (child.exitCode === null && child.signalCode === null && !spawn_error) {
      if (await answers(cluster, port)) return { pid: child.pid ?? 0, port }
      if (system_clock.monotonic_ms() >= deadline)
        throw new Error(notAnswering(cluster, child.pid, wait_ms_max))
      await sleep(poll_ms)
    }
  } catch (error) {
    child.kill('SIGINT')
    throw error
  } finally {
    child.unref()
  }
  if (spawn_error) return spawn_error.message
  return (await readFile(cluster.log_file, 'utf8')).slice(log_start).slice(-log_tail_chars)
}

function notAnswering(cluster: Cluster, pid: number | undefined, wait_ms_max: number): string {
  return (
    `PostgreSQL process ${pid} on ${cluster.pgdata} has not answered for ${wait_ms_max / 1000} s; ` +
    `it may be halted or still recovering: read ${cluster.log_file}, or end that process and start again.`
  )
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
    max_connections: durable ? '60' : '600',
    shared_buffers: '64MB',
    fsync: durable ? 'on' : 'off',
    synchronous_commit: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_wal_size: '512MB',
    jit: 'off',
    // Starting parallel workers takes longer than any query of ours, and the cores are the engine's.
    max_parallel_workers_per_gather: '0',
    // Lets a backend notice that its engine was killed while it computes, so that it does not outlive a killed server
    // for long.
    client_connection_check_interval: '2s',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Errors of single statements reach their callers; logged here as well they would let callers fill the disk.
    log_min_messages: 'log',
    log_checkpoints: 'off',
  }
}

async function rotateLog(log_file: string): Promise<void> {
  const stats = await stat(log_file).catch(() => undefined)
  if (stats && stats.size > log_bytes_max) await rename(log_file, `${log_file}.1`)
}

/** The preferred port if it is free, else one that the system picks. */
async function freePort(preferred_port: number): Promise<number> {
  for (const port of [preferred_port, 0]) {
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
    const databases = await client.query("SELECT FROM pg_database WHERE datname = 'svc'")
    if (databases.rowCount) return
    await client.query('CREATE DATABASE svc').catch((error: DatabaseError) => {
      // A killed starter may have created it just before.
      if (!already_there.has(error.code ?? '')) throw error
    })
  } finally {
    await client.end()
  }
}
