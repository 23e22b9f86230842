import assert from 'node:assert/strict'
import { randomBytes, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { system_clock } from '@svc/adapters/clock/system'
import { openRootKeys } from '@svc/adapters/root-keys/root-key-store'
import { provisionTenant } from '@svc/audit/chain/keys'
import { queryOf } from '@svc/audit/query/query'
import type { Clock } from '@svc/engine/ports'
import { Client } from 'pg'
import { freePorts } from '../../checks/engines/running-engine.ts'
import { testTls } from '../../checks/neighbours/test-tls.ts'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../checks/rehearsal/test-store.ts'
import { arrives } from '../../checks/suite/eventually.ts'
import { engine_connections_max } from '../assembly/connections.ts'
import type { Environment } from '../settings/reader.ts'
import { diagnose } from './doctor.ts'
import { lookAtLinks } from './doctor-links.ts'
import type { Finding } from './finding.ts'
import { readable } from './say.ts'
import { chooseTarget } from './target.ts'

const master_key = randomBytes(32)
let database: TestDatabase
let folder: string
let env: Environment

before(async () => {
  database = await testDatabase()
  folder = await mkdtemp(join(tmpdir(), 'svc-doctor-'))
  const port = await freePorts()
  env = {
    SVC_AGENT_DID: newIdentity('operator', 'service').did,
    SVC_TENANT_ID: 'operator',
    SVC_DB_URL: database.url,
    SVC_MASTER_KEY: master_key.toString('hex'),
    SVC_RATE_LIMIT_BACKEND: 'memory',
    SVC_AUDIT_BUFFER_DIR: join(folder, 'audit'),
    SVC_AUDIT_BUFFER_MAX_BYTES: '1000',
    SVC_PROMETHEUS_PORT: String(port + 1),
    APP_BIND_ADDR: `127.0.0.1:${port}`,
  }
  const store = await storeAt(database.url)
  await provisionTenant(queryOf(store.engine), await openRootKeys(store.engine, master_key), 'acme')
  await store.close()
})
after(async () => {
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

async function asOwner(work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: database.url })
  await client.connect()
  await work(client).finally(() => client.end())
}

async function look(more: Environment = {}, clock: Clock = system_clock) {
  const diagnosing = diagnose(chooseTarget(undefined, { ...env, ...more }), undefined, clock)
  const output = await arrives('the diagnosis', diagnosing)
  const findings = output.rows as readonly Finding[]
  const is_broken = findings.some(({ status }) => status === 'fail')
  assert.equal(output.exit, is_broken ? 1 : 0)
  return { findings, text: readable(output) }
}

/** Servers that tests start for themselves are not durable, so that is looked at in a test of its own. */
const isSound = ({ check }: Finding) => check !== 'durability'

/** The only finding of a check, which must be bad and say what to do. */
async function fault(check: string, more: Environment = {}, clock?: Clock): Promise<string> {
  const { findings, text } = await look(more, clock)
  const fault_found = findings.find((finding) => finding.check === check && finding.status !== 'ok')
  assert.ok(fault_found?.advice, `${check} is not complained of: ${text}`)
  return `${fault_found.status}: ${fault_found.seen}; ${fault_found.advice}`
}

test('a sound installation has no findings, and no secret is shown', async () => {
  const { findings, text } = await look()
  assert.deepEqual(
    findings.filter(isSound).map(({ check, status }) => `${status} ${check}`.replace(/\d+$/, 'N')),
    [
      'ok settings',
      'ok database',
      'ok connections',
      'ok clock',
      'ok roles',
      'ok migrations',
      'ok row-level security',
      'ok keys',
      'ok journal',
      'ok outbox',
      'ok cache',
      'ok links',
      'ok servers',
      'ok engine DID',
      'ok disk',
      'ok port N',
      'ok port N',
    ],
    text,
  )
  assert.ok(!text.includes(env.SVC_MASTER_KEY!) && !text.includes(new URL(database.url).password))
})

test('more engines than PostgreSQL has connections for are warned of', async () => {
  const engines: Client[] = []
  const start = async (application_name: string) => {
    const client = new Client({ connectionString: database.url, application_name })
    await client.connect()
    engines.push(client)
  }
  try {
    for (const name of ['svc audit writer', 'svc changes', 'svc changes']) await start(name)
    const { findings } = await look()
    assert.match(
      findings.find(({ check }) => check === 'connections')!.seen,
      /^27 of \d+ may be opened \(engines: 1, gateways: 1\)$/,
    )
    const most = Number((await engines[0]!.query('SHOW max_connections')).rows[0].max_connections)
    for (let count = 1; count * engine_connections_max <= most; count++) await start('svc audit writer')
    assert.match(
      await fault('connections'),
      /^warn: .* raise max_connections of PostgreSQL to \d+, or run fewer/,
    )
  } finally {
    for (const client of engines) await client.end()
  }
})

test('a PostgreSQL that may lose what it has confirmed is warned of', async () => {
  const set = (what: string) =>
    asOwner(async (client) => {
      const { rows } = await client.query('SELECT current_database() AS name')
      await client.query(`ALTER DATABASE "${rows[0].name}" ${what}`)
    })
  await set('SET synchronous_commit = off')
  assert.match(await fault('durability'), /^warn: .*synchronous_commit of PostgreSQL is off; switch it on/)
  await set('RESET synchronous_commit')
})

test('a journal that is in memory instead of on a disk is warned of', async () => {
  const { findings } = await look({ SVC_AUDIT_BUFFER_DIR: '/dev/shm/svc-audit-of-nobody' })
  const warnings = findings.filter(({ check, status }) => check === 'durability' && status === 'warn')
  assert.match(warnings.at(-1)?.seen ?? '', /^the journal in \/dev\/shm\/.* is in memory/)
})

test('a server that cannot be reached is named with its setting, and a certificate that ends soon', async (t) => {
  const port = await listen(t, () => {})
  const tls = testTls()
  t.after(() => tls.close())
  const { cert_file, key_file } = tls.issue('engine')
  const well = { SVC_OAS_URL: `http://127.0.0.1:${port}`, SVC_TLS_CERT: cert_file, SVC_TLS_KEY: key_file }
  const end_ms = new X509Certificate(await readFile(cert_file)).validToDate.getTime()
  const daysBefore = (days: number) => ({ ...system_clock, now_ms: () => end_ms - days * 86_400_000 })
  const { findings } = await look(well, daysBefore(14))
  assert.deepEqual(
    findings
      .filter(({ check }) => check === 'servers' || check === 'certificate')
      .map(({ status }) => status),
    ['ok', 'ok'],
  )
  const away = await fault('servers', { ...well, SVC_OAS_URL: 'http://127.0.0.1:1' })
  assert.match(
    away,
    /^fail: the identity node at 127.0.0.1:1 is not reached: .*ECONNREFUSED.*correct SVC_OAS_URL/,
  )
  const mail = { SVC_SMTP_URL: 'smtps://user:s3cret@127.0.0.1:1', SVC_SMTP_FROM: 'svc@example.org' }
  assert.match(await fault('servers', mail), /^fail: the mail server at 127.0.0.1:1 is not reached/)
  const brokers = { SVC_AUDIT_SINK: 'kafka', SVC_KAFKA_BROKERS: `127.0.0.1:${port},127.0.0.1:1` }
  assert.match(await fault('servers', brokers), /^fail: the Kafka broker at 127.0.0.1:1 is not reached/)
  assert.match(await fault('certificate', well, daysBefore(1)), /^warn: it is valid for 1 day more; renew it/)
  const other = tls.issue('other')
  const mixed = await fault('certificate', { ...well, SVC_TLS_KEY: other.key_file })
  assert.match(mixed, /^fail: The key in .* is not the key of the certificate/)
})

test('links to other machines without TLS are named, each with what to set', async () => {
  const plain = {
    APP_BIND_ADDR: env.APP_BIND_ADDR!.replace('127.0.0.1', '0.0.0.0'),
    SVC_RATE_LIMIT_BACKEND: 'redis',
    SVC_REDIS_URL: 'redis://:s3cret@cache.invalid:6379',
    SVC_AUDIT_SINK: 'kafka',
    SVC_KAFKA_BROKERS: 'kafka.invalid:9092',
    SVC_OAS_URL: 'http://node.invalid',
  }
  const linksOf = (more: Environment) => {
    const target = chooseTarget(undefined, { ...env, ...more })
    return lookAtLinks(target).map(({ status, seen, advice }) => `${status} ${seen} ${advice}`)
  }
  const links = linksOf({ ...plain, SVC_DB_URL: 'postgres://u:s3cret@db.invalid/svc' })
  assert.deepEqual(
    links.map((line) => line.split(':')[0]),
    ['warn callers', 'warn PostgreSQL', 'warn Redis', 'warn Kafka', 'warn the identity node'],
  )
  assert.match(links[2]!, /its password is sent in plain text/)
  assert.doesNotMatch(links.join(), /s3cret/)
  const no_verify = linksOf({ SVC_DB_URL: 'postgres://db.invalid/svc?sslmode=no-verify' })
  assert.match(no_verify[0]!, /the server is not verified/)
  const secure = { ...plain, APP_BIND_ADDR: '127.0.0.1:1', SVC_REDIS_URL: 'rediss://cache.invalid' }
  const more = { SVC_KAFKA_TLS: 'true', SVC_OAS_URL: 'https://node.invalid' }
  const SVC_DB_URL = 'postgres://db.invalid/svc?sslmode=verify-full'
  assert.match(linksOf({ ...secure, ...more, SVC_DB_URL })[0]!, /^ok every link/)
})

test('missing and invalid settings are named', async () => {
  assert.match(await fault('settings', { SVC_MASTER_KEY: undefined }), /fail: .*SVC_MASTER_KEY/)
  assert.match(await fault('keys', { SVC_MASTER_KEY: undefined }), /fail: .*master key/)
  assert.match(await fault('keys', { SVC_MASTER_KEY: 'abc' }), /fail: .*32 bytes/)
  assert.match(
    await fault('keys', { SVC_MASTER_KEY: '0'.repeat(64) }),
    /wrapped by the master key own:\w{16}, and the one set is own:\w{16}/,
  )
  assert.match(await fault('engine DID', { SVC_AGENT_DID: 'did:web:me' }), /is not a DID/)
  const other = newIdentity('other', 'service').did
  assert.match(await fault('engine DID', { SVC_AGENT_DID: other }), /it is of other/)
})

test('a clock a second off is a fault, half a second is none', async () => {
  const off = (by_ms: number): Clock => ({ ...system_clock, now_ms: () => system_clock.now_ms() + by_ms })
  assert.match(await fault('clock', {}, off(-2_000)), /fail: \d{4} ms apart/)
  const { findings } = await look({}, off(500))
  assert.equal(findings.find(({ check }) => check === 'clock')?.status, 'ok')
})

test('an open table, an open policy and a missing migration are found', async () => {
  const undone = async (change: string, undo: string, check: string, expected: RegExp) => {
    await asOwner((client) => client.query(change))
    assert.match(await fault(check), expected)
    await asOwner((client) => client.query(undo))
  }
  const table = 'charter_members'
  const isolation = 'row-level security'
  for (const [off, on] of [
    ['DISABLE', 'ENABLE'],
    ['NO FORCE', 'FORCE'],
  ]) {
    const alter = (what: string) => `ALTER TABLE ${table} ${what} ROW LEVEL SECURITY`
    await undone(alter(off!), alter(on!), isolation, /fail: not in force on charter_members;/)
  }
  for (const who of ['svc_app', 'public']) {
    const open = `CREATE POLICY leak ON ${table} FOR SELECT TO ${who} USING (true)`
    await undone(open, `DROP POLICY leak ON ${table}`, isolation, /not in force on charter_members/)
  }
  const name = '2026-11-15-30-charter'
  const landed = `INSERT INTO kysely_migration (name, timestamp) VALUES ('${name}', '2026-11-15')`
  const gone = `DELETE FROM kysely_migration WHERE name = '${name}'`
  await undone(gone, landed, 'migrations', /fail: 1 missing: 2026-11-15-30-charter/)
  const newer = (requires: string) =>
    `INSERT INTO kysely_migration (name, timestamp, requires) VALUES ('2099-01-01-00-new', '2099', '${requires}')`
  const older = `DELETE FROM kysely_migration WHERE name = '2099-01-01-00-new'`
  await undone(newer('2098-01-01-00-new'), older, 'migrations', /fail: 1 are of a newer version/)
  const unfinished = (steps: number) =>
    `UPDATE kysely_migration SET later_left = ${steps} WHERE name = '${name}'`
  await asOwner((client) => client.query(`${newer('')}; ${unfinished(2)}`))
  const { findings } = await look()
  const { status, seen } = findings.find(({ check }) => check === 'migrations')!
  assert.match(
    `${status}: ${seen}`,
    /^ok: all \d+ applied; 1 of a newer version, .*; being finished while engines serve: 2026-11-15-30-charter$/,
  )
  await asOwner((client) => client.query(`${older}; ${unfinished(0)}`))
})

test("a backlog is compared with the journal's limit", async () => {
  const dir = await mkdtemp(join(folder, 'full-'))
  await writeFile(join(dir, 'id'), '00000000-0000-4000-8000-000000000000\n')
  await writeFile(join(dir, '0000000001.journal'), Buffer.alloc(999))
  assert.equal(
    (await look({ SVC_AUDIT_BUFFER_DIR: dir })).findings.filter(isSound).some((f) => f.status !== 'ok'),
    false,
  )
  await writeFile(join(dir, '0000000002.journal'), Buffer.alloc(1))
  assert.match(await fault('journal', { SVC_AUDIT_BUFFER_DIR: dir }), /fail: .*changes are refused/)
})

test('a folder that is not writable, or is none, is found', async () => {
  assert.match(
    await fault('disk', { SVC_AUDIT_BUFFER_DIR: '/proc/svc-audit' }),
    /fail: cannot write to \/proc/,
  )
  const file = join(folder, 'file')
  await writeFile(file, '')
  assert.match(await fault('disk', { SVC_AUDIT_BUFFER_DIR: join(file, 'audit') }), /is not a folder/)
  const much = { SVC_AUDIT_BUFFER_MAX_BYTES: String(Number.MAX_SAFE_INTEGER) }
  assert.match(await fault('disk', much), /warn: .*MiB free; the journal may take/)
})

/** Another program's server on a local port. */
async function listen(t: TestContext, talk: (socket: Socket) => void): Promise<number> {
  const sockets: Socket[] = []
  const server: Server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    talk(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as { port: number }).port
}

test('a port in use by another program is distinguished from one of svc, and a silent one causes no wait', async (t) => {
  const silent = await listen(t, () => {})
  const other = await listen(t, (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'))
  const health = '{"status":"ok","version":"0.1.0","uptime_seconds":3}'
  const ours = await listen(t, (socket) =>
    socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${health.length}\r\n\r\n${health}`),
  )
  for (const port of [silent, other]) {
    const taken = await fault(`port ${port}`, { APP_BIND_ADDR: `127.0.0.1:${port}` })
    assert.match(taken, /fail: another program uses it/)
  }
  const { findings } = await look({ APP_BIND_ADDR: `127.0.0.1:${ours}` })
  assert.equal(findings.find(({ check }) => check === `port ${ours}`)?.seen, 'answered by svc')
})

test('a database that is away, hangs or refuses is a sentence without its password', async (t) => {
  const secret = 'very-secret-password'
  const silent = await listen(t, () => {})
  const closed = await freePorts()
  const refusing = new URL(database.url)
  refusing.password = secret
  const addresses = [
    `postgres://svc:${secret}@127.0.0.1:${silent}/svc`,
    `postgres://svc:${secret}@127.0.0.1:${closed}/svc`,
    `postgres://svc:${secret}@127.0.0.1:notaport/svc`,
    refusing.href,
  ]
  for (const SVC_DB_URL of addresses) {
    const observation = await fault('database', { SVC_DB_URL })
    assert.match(observation, /^fail: /)
    assert.ok(!observation.includes(secret), observation)
  }
})

test('Redis is checked if it is configured', async (t) => {
  const secret = 'redis-secret'
  const talk = (answer: string) => (socket: Socket) => socket.on('data', () => socket.write(answer))
  const good = await listen(t, talk('+OK\r\n+PONG\r\n'))
  const strict = await listen(t, talk('-WRONGPASS invalid\r\n-NOAUTH\r\n'))
  const silent = await listen(t, () => {})
  const at = (port: number) => ({
    SVC_RATE_LIMIT_BACKEND: 'redis',
    SVC_REDIS_URL: `redis://me:${secret}@127.0.0.1:${port}`,
  })
  const { findings } = await look(at(good))
  assert.equal(findings.find(({ check }) => check === 'cache')?.status, 'ok')
  assert.match(await fault('cache', at(strict)), /warn: .*WRONGPASS/)
  const hanging = await fault('cache', at(silent))
  assert.match(hanging, /fail: .*no answer within/)
  assert.ok(!hanging.includes(secret))
  assert.match(await fault('cache', { SVC_RATE_LIMIT_BACKEND: 'redis' }), /SVC_REDIS_URL is not set/)
  assert.match(
    await fault('cache', { SVC_RATE_LIMIT_BACKEND: 'paper' }),
    /SVC_RATE_LIMIT_BACKEND is paper; it must be one of redis, memory/,
  )
})
