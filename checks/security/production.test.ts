// `svc-engine serve` has no development identity: a key's holder may do only what the key carries.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { issueKey } from '@svc/adapters/access/api-keys'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { type Addresses, dispatch, freePorts } from '../engines/running-engine.ts'
import { type TestDatabase, testDatabase } from '../rehearsal/test-database.ts'
import { storeAt } from '../rehearsal/test-store.ts'

const main = join(import.meta.dirname, '../../service/main.ts')

let database: TestDatabase
let folder: string
let port: number
before(async () => {
  database = await testDatabase()
  folder = await mkdtemp(join(tmpdir(), 'svc-production-'))
  port = await freePorts()
})
after(async () => {
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

function serve(more: Record<string, string> = {}): ChildProcess {
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    SVC_AGENT_DID: newIdentity('operator', 'service').did,
    SVC_TENANT_ID: 'operator',
    SVC_DB_URL: database.url,
    SVC_MASTER_KEY: randomBytes(32).toString('hex'),
    SVC_RATE_LIMIT_BACKEND: 'memory',
    SVC_AUDIT_BUFFER_DIR: join(folder, 'audit'),
    SVC_PROMETHEUS_PORT: String(port + 1),
    SVC_MCP_PORT: String(port + 2),
    APP_BIND_ADDR: `127.0.0.1:${port}`,
    ...more,
  }
  return spawn(process.execPath, [main, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** A key with the default capabilities and these. */
async function newCaller(...names: string[]): Promise<Addresses> {
  const store = await storeAt(database.url)
  try {
    const tenant_id = 'acme'
    await ensureTenant(store.engine, tenant_id, tenant_id, 'sovereign')
    const { did } = newIdentity(tenant_id, 'agent')
    const capabilities = names.map((name) => ({ name, caveats: [] }))
    const { api_key } = await issueKey(store.engine, { tenant_id, did, mode: 'live', capabilities })
    return { api_url: `http://127.0.0.1:${port}`, metrics_url: '', tenant_id, agent_did: did, api_key }
  } finally {
    await store.close()
  }
}

test('a production engine gives nobody more than their key carries', async (t) => {
  const engine = serve()
  const ended = once(engine, 'exit')
  t.after(async () => {
    engine.kill('SIGTERM')
    await ended
  })
  await once(engine.stdout!, 'data')
  const emit = {
    protocol: 'MOTET',
    operation: 'emit',
    input: { signals: [{ name: 'a', kind: 'gauge', value: 1 }] },
  }
  const powerless = await newCaller()
  const refused = await dispatch(powerless, emit)
  assert.deepEqual([refused.status, refused.body.error.code], [403, 'capability_denied'])
  const may_emit = await newCaller('svc.motet.emit')
  assert.equal((await dispatch(may_emit, emit)).status, 200)
  // A new engine does not treat lineages as verified.
  const log = { protocol: 'MAX', operation: 'audit_log_entry', input: { event_type: 'custom.a', meta: {} } }
  const unverified = await dispatch(await newCaller('svc.*.*'), log)
  assert.deepEqual([unverified.status, unverified.body.error.code], [422, 'policy_denied'])
  const trace = await fetch(`${powerless.api_url}/admin/trace`, {
    headers: { authorization: `Bearer ${powerless.api_key}`, 'x-agent-did': powerless.agent_did },
  })
  assert.equal(trace.status, 403)
})

test('a production engine does not start without its limits', async () => {
  const engine = serve({ SVC_RATE_LIMITS: 'off' })
  let output = ''
  engine.stderr!.on('data', (chunk) => {
    output += chunk
  })
  const [code] = await once(engine, 'close')
  assert.equal(code, 1)
  assert.match(output, /^SVC_RATE_LIMITS=off is for svc-engine up only[^\n]*\n$/)
})
