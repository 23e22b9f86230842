import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AgentCapability } from '@svc/contract/authority/capability'
import { unresolved } from '@svc/contract/identity/identity'
import type { IdentityResolver } from '@svc/engine/ports'
import { caller_headers, openTestEndpoint } from '../checks/engines/test-endpoint.ts'
import { gist, test_did, tryProtocol } from '../checks/rehearsal/test-ports.ts'
import { addOperationalRoutes, type TraceSettings } from './operational.ts'

const may_observe = 'svc.admin.observability'

function holding(...capabilities: AgentCapability[]): IdentityResolver {
  const identity = { ...unresolved(test_did), auth_method: 'test', capabilities }
  return { resolve: () => ({ outcome: 'Resolved', identity }) }
}

async function open(t: TestContext, identity: IdentityResolver = holding()) {
  const checks: Record<string, boolean> = { database: true, plugins: true }
  let settings: Required<TraceSettings> = { level: 'info', sample_rate: 0.01 }
  const opened = await openTestEndpoint(
    [tryProtocol(() => ({}))],
    { identity },
    [],
    (app, dispatch_endpoint, ports) =>
      addOperationalRoutes(app, dispatch_endpoint, {
        version: '0.1.0',
        started_ms: ports.clock.monotonic_ms(),
        readiness: async () => checks,
        trace: {
          get: () => settings,
          set: (change) => {
            settings = { ...settings, ...change }
          },
        },
        identity: ports.identity,
        capabilities: ports.capabilities,
      }),
  )
  t.after(() => opened.close())
  const get = (path: string) => fetch(opened.url + path, { headers: caller_headers })
  const put = (body: unknown, headers = caller_headers) =>
    fetch(`${opened.url}/admin/trace`, { method: 'PUT', headers, body: JSON.stringify(body) })
  return { ...opened, checks, get, put, settings: () => settings }
}

test('healthy means taking calls', async (t) => {
  const { get, ports, dispatch_endpoint } = await open(t)
  ports.clock.advance(61_500)
  const healthy = await get('/health')
  assert.equal(healthy.status, 200)
  assert.deepEqual(await healthy.json(), { status: 'ok', version: '0.1.0', uptime_seconds: 61 })
  await dispatch_endpoint.engine.drain()
  const draining = await get('/health')
  assert.equal(draining.status, 503)
  assert.equal(((await draining.json()) as { status: string }).status, 'draining')
})

test('ready means all dependencies are, and each check is named', async (t) => {
  const { get, checks, dispatch_endpoint } = await open(t)
  const ready = await get('/ready')
  assert.deepEqual(
    [ready.status, await ready.json()],
    [
      200,
      { ready: true, checks: { accepting: true, database: true, plugins: true }, audit: { state: 'normal' } },
    ],
  )
  checks.database = false
  const unready = await get('/ready')
  assert.deepEqual(
    [unready.status, await unready.json()],
    [
      503,
      {
        ready: false,
        checks: { accepting: true, database: false, plugins: true },
        audit: { state: 'normal' },
      },
    ],
  )
  checks.database = true
  await dispatch_endpoint.engine.drain()
  assert.equal((await get('/ready')).status, 503)
})

test('an overflowing audit log stays ready, with the state in the body', async (t) => {
  const { get, ports } = await open(t)
  for (const state of ['buffering', 'overflow'] as const) {
    ports.audit_log.setState(state)
    const ready = await get('/ready')
    const body = (await ready.json()) as { ready: boolean; audit: object }
    assert.deepEqual([ready.status, body.ready, body.audit], [200, true, { state }])
  }
})

test('tracing is read and changed with the capability, and the change is recorded', async (t) => {
  const { get, put, settings, records } = await open(t, holding({ name: may_observe, caveats: [] }))
  assert.deepEqual(await (await get('/admin/trace')).json(), { level: 'info', sample_rate: 0.01 })
  assert.deepEqual(await (await put({ level: 'debug' })).json(), { level: 'debug', sample_rate: 0.01 })
  assert.deepEqual(await (await put({ sample_rate: 1 })).json(), { level: 'debug', sample_rate: 1 })
  assert.deepEqual(settings(), { level: 'debug', sample_rate: 1 })
  assert.deepEqual([...new Set(records().map(gist))], ['AuthorizationCheck success ok stage -'])
  assert.equal(records().length, 3)
})

test('invalid settings change nothing', async (t) => {
  const { put, settings } = await open(t, holding({ name: may_observe, caveats: [] }))
  for (const body of [{ level: 'loud' }, { sample_rate: 2 }, { sample_rate: '1' }, { other: 1 }, [], null]) {
    const response = await put(body)
    assert.ok(response.status === 422 || response.status === 400, JSON.stringify(body))
  }
  assert.deepEqual(settings(), { level: 'info', sample_rate: 0.01 })
})

test('without the capability, or with an expired one, tracing is refused and recorded', async (t) => {
  const lacking: AgentCapability[] = [
    { name: 'svc.admin.other', caveats: [] },
    { name: 'svc.*', caveats: [] },
    { name: may_observe, caveats: [], expires_at: '2026-11-15T10:00:00.000Z' },
    { name: may_observe, caveats: ['time:11-12'] },
    { name: may_observe, caveats: ['jurisdiction:DE'] },
    { name: may_observe, caveats: ['unheard:of'] },
  ]
  for (const capability of lacking) {
    const { put, get, settings, records } = await open(t, holding(capability))
    assert.equal((await put({ level: 'trace' })).status, 403, JSON.stringify(capability))
    assert.equal((await get('/admin/trace')).status, 403)
    assert.equal(settings().level, 'info')
    assert.deepEqual(
      [...new Set(records().map(gist))],
      ['SecurityViolation refused capability_denied stage -'],
    )
    assert.equal(records().length, 2)
  }
  const usable = { name: 'svc.admin.*', caveats: ['time:10-11'], expires_at: '2026-11-15T10:00:00.001Z' }
  assert.equal((await (await open(t, holding(usable))).put({ level: 'trace' })).status, 200)
})

test('a caller without a key is unauthenticated', async (t) => {
  const { put, settings, operatorRecords } = await open(t, holding({ name: may_observe, caveats: [] }))
  const stranger = { ...caller_headers, authorization: 'Bearer nothing' }
  assert.equal((await put({ level: 'trace' }, stranger)).status, 401)
  assert.equal(settings().level, 'info')
  assert.deepEqual(operatorRecords().map(gist), ['SecurityViolation refused unauthenticated stage -'])
})
