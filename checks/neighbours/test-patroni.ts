// PostgreSQL as an installation runs it that must not lose a commit: three servers under Patroni with synchronous replication, their
// votes in etcd, and HAProxy in front, which leads to the primary. Every path between them is a proxy that can fall silent.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { freePorts } from '../engines/running-engine.ts'
import { familyOf, signal } from '../faults/scene/scene.ts'
import { until } from '../suite/eventually.ts'
import { openPrograms, startProgram } from './debian-programs.ts'
import { type FaultProxy, type Faults, startFaultProxy } from './fault-proxy.ts'

const password = 'of-the-test'
const server_names = ['a', 'b', 'c']
/** As docs/replicas.md recommends: the lowest ttl that Patroni takes. */
const patroni_settings = {
  ttl: 20,
  loop_wait: 5,
  retry_timeout: 5,
  primary_start_timeout: 0,
  synchronous_mode: true,
  synchronous_mode_strict: true,
  maximum_lag_on_failover: 1_048_576,
}

/** The paths to and from a server: to the votes, from its standbys, from HAProxy's questions and from clients. */
type Path = 'votes' | 'standbys' | 'checks' | 'clients'
type Paths = Readonly<Record<Path, FaultProxy>>

export interface TestServer {
  readonly name: string
  /** Patroni, PostgreSQL and its backends. */
  pids(): number[]
  kill(): Promise<void>
  /** Brings a killed one back. */
  start(): void
  set(paths: readonly Path[], faults: Faults): void
}

export interface TestPatroni {
  /** Through HAProxy, as the owner of a database of its own. */
  readonly url: string
  primary(): Promise<TestServer>
  /** Past HAProxy, to a server that takes no writes. */
  standbyUrl(): Promise<string>
  /** A primary and two that follow it, one of them synchronously. */
  whole(): Promise<void>
  logs(): string
  close(): Promise<void>
}

export async function startPatroni(): Promise<TestPatroni> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-patroni-'))
  chmodSync(dir, 0o755)
  openPrograms(dir)
  const etcd_port = await freePorts()
  const children = [startEtcd(dir, etcd_port)]
  const servers = await Promise.all(server_names.map((name) => openServer(dir, name, etcd_port)))
  const entry_port = await freePorts()
  writeFileSync(join(dir, 'haproxy.cfg'), haproxySettings(entry_port, servers))
  for (const server of servers) server.start()
  children.push(startProgram(dir, 'haproxy.log', ['haproxy', '-db', '-f', '/srv/haproxy.cfg']))
  const url = `postgresql://postgres:${password}@127.0.0.1:${entry_port}`
  const logs = () =>
    [...server_names, 'haproxy', 'etcd'].map((name) => tailOf(join(dir, `${name}.log`))).join('\n')
  const cluster = {
    url: `${url}/svc`,
    async primary() {
      const name = await until('there is a primary', async () => (await readVotes(etcd_port)).leader)
      return servers.find((server) => server.name === name)!
    },
    async standbyUrl() {
      const leader = await cluster.primary()
      const { paths } = servers.find((server) => server.name !== leader.name)!
      return `postgresql://postgres:${password}@127.0.0.1:${paths.clients.port}/svc`
    },
    whole: () =>
      until('the cluster is whole', async () => isWhole(await readVotes(etcd_port))).then(() => {}),
    logs,
    async close() {
      await Promise.all(servers.map((server) => server.kill()))
      await Promise.all(children.map(endChild))
      for (const { paths } of servers) await Promise.all(Object.values(paths).map((path) => path.close()))
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  try {
    await cluster.whole()
    await until('HAProxy leads to it', () => createDatabase(`${url}/postgres`))
  } catch (error) {
    const last_words = logs()
    await cluster.close()
    throw new Error(`Patroni did not come up: ${last_words}`, { cause: error })
  }
  return cluster
}

function startEtcd(dir: string, port: number): ChildProcess {
  const [clients, peers] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`]
  const addresses = [`--listen-client-urls=${clients}`, `--advertise-client-urls=${clients}`]
  const own = [`--listen-peer-urls=${peers}`, `--initial-advertise-peer-urls=${peers}`]
  const cluster = [`--initial-cluster=default=${peers}`, '--data-dir=/srv/etcd', '--log-level=warn']
  return startProgram(dir, 'etcd.log', ['etcd', ...addresses, ...own, ...cluster])
}

interface OpenServer extends TestServer {
  readonly paths: Paths
}

async function openServer(dir: string, name: string, etcd_port: number): Promise<OpenServer> {
  const port = await freePorts()
  const api_port = port + 1
  const paths: Paths = {
    votes: await startFaultProxy(etcd_port),
    standbys: await startFaultProxy(port),
    checks: await startFaultProxy(api_port),
    clients: await startFaultProxy(port),
  }
  writeFileSync(join(dir, `${name}.yml`), JSON.stringify(serverSettings(name, port, paths)))
  chmodSync(join(dir, `${name}.yml`), 0o644)
  let child: ChildProcess | undefined
  const pids = () => (child ? [child.pid!, ...postmasterFamily(dir, name)] : [])
  return {
    name,
    paths,
    pids,
    async kill() {
      if (!child) return
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
      // As when the machine loses power: none of them gets to tell the others.
      signal(pids(), 'SIGKILL')
      await ended
      child = undefined
    },
    start() {
      child = startProgram(dir, `${name}.log`, ['patroni', `/srv/${name}.yml`])
    },
    set(names, faults) {
      for (const path of names) paths[path].set(faults)
    },
  }
}

function serverSettings(name: string, port: number, paths: Paths): object {
  const login = (username: string) => ({ username, password })
  return {
    scope: 'svc',
    name,
    restapi: { listen: `127.0.0.1:${port + 1}`, connect_address: `127.0.0.1:${port + 1}` },
    // Otherwise it would find etcd's own address, past the proxy.
    etcd3: { hosts: `127.0.0.1:${paths.votes.port}`, use_proxies: true },
    bootstrap: {
      dcs: {
        ...patroni_settings,
        postgresql: { use_pg_rewind: true, use_slots: true, parameters: { max_connections: 200 } },
      },
      initdb: ['data-checksums', { encoding: 'UTF8' }, { locale: 'C.UTF-8' }],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${paths.standbys.port}`,
      data_dir: `/srv/${name}`,
      bin_dir: '/usr/lib/postgresql/17/bin',
      pgpass: `/srv/${name}.pgpass`,
      authentication: { superuser: login('postgres'), replication: login('replicator') },
      parameters: { unix_socket_directories: '/srv' },
      pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 scram-sha-256', 'host replication all 127.0.0.1/32 scram-sha-256'], // biome-ignore format: lines of a file
    },
  }
}

function haproxySettings(port: number, servers: readonly OpenServer[]): string {
  const lines = servers.map(
    ({ name, paths }) => `  server ${name} 127.0.0.1:${paths.clients.port} check port ${paths.checks.port}`,
  )
  return `defaults
  mode tcp
  timeout connect 2s
  timeout check 2s
  timeout client 30m
  timeout server 30m
listen primary
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 3 rise 2 on-marked-down shutdown-sessions
${lines.join('\n')}
`
}

interface Votes {
  readonly leader?: string
  readonly synchronous: { readonly leader?: string; readonly sync_standby?: string }
  readonly members: readonly { readonly state: string; readonly replication_state?: string }[]
}

/** As they stand in etcd, past the servers: one that is cut off goes on telling what it knew last. */
async function readVotes(etcd_port: number): Promise<Votes> {
  const prefix = '/service/svc/'
  const [key, range_end] = [prefix, '/service/svc0'].map((text) => Buffer.from(text).toString('base64'))
  const body = JSON.stringify({ key, range_end })
  const response = await fetch(`http://127.0.0.1:${etcd_port}/v3/kv/range`, { method: 'POST', body })
  const { kvs = [] } = (await response.json()) as { kvs?: { key: string; value: string }[] }
  const text = (base64: string) => Buffer.from(base64, 'base64').toString()
  const votes = new Map(kvs.map((entry) => [text(entry.key).slice(prefix.length), text(entry.value)]))
  const members = [...votes].filter(([name]) => name.startsWith('members/'))
  const leader = votes.get('leader')
  return {
    ...(leader && { leader }),
    synchronous: JSON.parse(votes.get('sync') ?? '{}'),
    members: members.map(([, value]) => JSON.parse(value)),
  }
}

function isWhole({ leader, synchronous, members }: Votes): boolean {
  const streaming = members.filter((member) => member.replication_state === 'streaming')
  const has_synchronous = leader !== undefined && synchronous.leader === leader && !!synchronous.sync_standby
  return has_synchronous && streaming.length === server_names.length - 1
}

async function createDatabase(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 3_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('CREATE DATABASE svc TEMPLATE template0')
    return true
  } catch (error) {
    if ((error as { code?: string }).code === '42P04') return true
    return false
  } finally {
    await client.end()
  }
}

function postmasterFamily(dir: string, name: string): number[] {
  try {
    const pid = Number(readFileSync(join(dir, name, 'postmaster.pid'), 'utf8').split('\n')[0])
    return familyOf(pid)
  } catch {
    return []
  }
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

function tailOf(file: string): string {
  try {
    return `${file}: ${readFileSync(file, 'utf8').slice(-3_000)}`
  } catch {
    return `${file}: nothing`
  }
}
