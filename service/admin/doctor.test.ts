import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { system_clock } from '@svc/adapters/clock/system'
import { provisionTenant } from '@svc/audit/chain/keys'
import { queryOf } from '@svc/audit/query/query'
import type { Clock } from '@svc/engine/ports'
import { Client } from 'pg'
import { freePorts } from '../../checks/engines/running-engine.ts'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { arrives } from '../../checks/suite/eventually.ts'
import type { Environment } from '../settings/reader.ts'
import { diagnose } from './doctor.ts'
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
  await asOwner(async (client) => provisionTenant(queryOf(client), master_key, 'acme'))
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
    findings.map(({ check, status }) => `${status} ${check}`.replace(/\d+$/, 'N')),
    [
      'ok settings',
      'ok database',
      'ok clock',
      'ok roles',
      'ok migrations',
      'ok row-level security',
      'ok keys',
      'ok journal',
      'ok outbox',
      'ok cache',
      'ok engine DID',
      'ok disk',
      'ok port N',
      'ok port N',
    ],
    text,
  )
  assert.ok(!text.includes(env.SVC_MASTER_KEY!) && !text.includes(new URL(database.url).password))
})

test('missing and invalid settings are named', async () => {
  assert.match(await fault('settings', { SVC_MASTER_KEY: undefined }), /fail: .*SVC_MASTER_KEY/)
  assert.match(await fault('keys', { SVC_MASTER_KEY: undefined }), /fail: .*master key/)
  assert.match(await fault('keys', { SVC_MASTER_KEY: 'abc' }), /fail: .*32 bytes/)
  assert.match(
    await fault('keys', { SVC_MASTER_KEY: '0'.repeat(64) }),
    /does not decrypt 2 of 2: key \w+ of acme/,
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
  const newer = `INSERT INTO kysely_migration (name, timestamp) VALUES ('2099-01-01-00-new', '2099')`
  const older = `DELETE FROM kysely_migration WHERE name = '2099-01-01-00-new'`
  await undone(newer, older, 'migrations', /fail: 1 are of a newer version/)
})

test("a backlog is compared with the journal's limit", async () => {
  const dir = await mkdtemp(join(folder, 'full-'))
  await writeFile(join(dir, 'id'), '00000000-0000-4000-8000-000000000000\n')
  await writeFile(join(dir, '0000000001.journal'), Buffer.alloc(999))
  assert.equal(
    (await look({ SVC_AUDIT_BUFFER_DIR: dir })).findings.some((f) => f.status !== 'ok'),
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
