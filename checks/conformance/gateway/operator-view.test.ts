// /admin/settings and /admin/tenants: for the organization that runs the engine, and for nobody else.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createUser } from '@svc/adapters/accounts/users'
import { system_clock } from '@svc/adapters/clock/system'
import type { ErrorBody } from '@svc/contract/dispatch'
import { unresolved } from '@svc/contract/identity/identity'
import type { IdentityResolver } from '@svc/engine/ports'
import type { EngineSettings, TenantPage } from '@svc/gateway/operator-routes'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'

const observes = 'svc.admin.observability'
const secrets = { user: { name: 'mailer', password: 'mail secret' }, client_secret: 'client secret' }

/** Every identity is known, and has only what its key carries. */
const identity: IdentityResolver = {
  resolve: (did) => ({
    outcome: 'Resolved',
    identity: { ...unresolved(did), conformance_level: 'L1', auth_method: 'test' },
  }),
}
let service: InProcessService
let observer: Addresses

before(async () => {
  const upstream = {
    issuer: 'https://login.example',
    client_id: 'svc',
    client_secret: secrets.client_secret,
    tenant_id: 'acme',
  }
  const smtp = {
    host: 'mail.example',
    port: 465,
    is_secure: true,
    is_loopback: false,
    user: secrets.user,
    from: 'svc@example.org',
    domains: ['example.org'],
    ca: undefined,
  }
  const login = { public_url: 'https://svc.example', proxy_hops: 0, upstream }
  service = await startInProcess({ identity, config: { login, smtp } })
  observer = await service.newCaller({ tenant_id: 'operator', capabilities: [observes] })
  for (const tenant_id of ['acme', 'borealis', 'cobalt']) await service.newCaller({ tenant_id })
})
after(() => service?.stop())

async function get<Answer>(path: string, { api_key, agent_did }: Addresses) {
  const headers = { authorization: `Bearer ${api_key}`, 'x-agent-did': agent_did }
  const response = await fetch(`${service.api_url}${path}`, { headers })
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text) as Answer }
}

test('an operator sees how the engine is set up, and no secret', async () => {
  const { status, text, body } = await get<EngineSettings>('/admin/settings', observer)
  assert.equal(status, 200)
  assert.deepEqual(body, {
    audit_log: { archive: null, hot_days: null },
    witnesses: [],
    cosigned: [],
    sign_in: {
      public_url: 'https://svc.example',
      issuer: 'https://login.example',
      client_id: 'svc',
      tenant_id: 'acme',
    },
    mail: { host: 'mail.example', from: 'svc@example.org', domains: ['example.org'] },
  })
  for (const secret of ['mail secret', 'mailer', 'client secret', service.config.master_key.toString('hex')])
    assert.ok(!text.includes(secret), secret)
})

test('an operator sees all organizations with what belongs to each, page by page', async () => {
  const first = await get<TenantPage>('/admin/tenants?limit=2', observer)
  assert.deepEqual(
    [first.status, first.body.items.map(({ tenant_id }) => tenant_id), first.body.next_after],
    [200, ['acme', 'borealis'], 'borealis'],
  )
  const rest = await get<TenantPage>('/admin/tenants?limit=2&after=cobalt', observer)
  assert.deepEqual(
    [rest.body.items.map(({ tenant_id }) => tenant_id), rest.body.next_after],
    [['dev', 'operator'], undefined],
  )
})

test('counts of an organization are its own', async () => {
  const { store } = service.service
  const agent = await service.newCaller({ tenant_id: 'dawn', capabilities: ['svc.max.*'] })
  await createUser(
    store.engine,
    system_clock,
    {
      tenant_id: 'dawn',
      did: agent.agent_did,
      login: 'dawn@example.org',
      password: 'a long enough password',
    },
    { n: 2 ** 10, r: 8, p: 1 },
  )
  const input = { event_type: 'custom.seen', meta: {} }
  for (let i = 0; i < 3; i++)
    await dispatch({ ...service, ...agent }, { protocol: 'MAX', operation: 'audit_log_entry', input })
  await dispatch({ ...service, ...agent }, { protocol: 'MOAT', operation: 'list', input: {} })
  const records = await service.records('dawn')
  const { body } = await get<TenantPage>('/admin/tenants?search=AWN', observer)
  const [row, ...others] = body.items
  const { created_at, ...counts } = row!
  assert.deepEqual(others, [])
  assert.match(created_at, /^\d{4}-\d\d-\d\dT.*Z$/)
  const refused = records.filter(({ outcome }) => outcome === 'refused').length
  assert.deepEqual(counts, {
    tenant_id: 'dawn',
    name: 'dawn',
    tier: 'sovereign',
    live_keys: 1,
    charter_members: 0,
    people: 1,
    audit_records: records.length,
    is_sealed: false,
    calls: 4,
    refused,
    failed: 0,
  })
})

test('whoever is of another organization is refused, whatever they hold, and it is recorded there', async () => {
  const mighty = await service.newCaller({ tenant_id: 'acme', capabilities: ['svc.*.*', observes] })
  for (const path of ['/admin/settings', '/admin/tenants']) {
    const { status, body } = await get<ErrorBody>(path, mighty)
    assert.deepEqual([status, body.error.code], [403, 'capability_denied'])
    assert.match(body.error.message, /only the organization that runs this engine may/)
    const [record] = await service.records('acme', { correlation_ids: [body.error.correlation_id] })
    assert.deepEqual(
      [record?.outcome, record?.caller_did, record?.meta.reason],
      ['refused', mighty.agent_did, 'operator only'],
    )
  }
  const lacking = await service.newCaller({ tenant_id: 'operator' })
  const { status, body } = await get<ErrorBody>('/admin/tenants', lacking)
  assert.deepEqual([status, body.error.code], [403, 'capability_denied'])
})

test('every read is in the audit log of the operator', async () => {
  await get('/admin/tenants?search=acme&limit=5', observer)
  const records = await service.records('operator', { event_types: ['AuthorizationCheck'] })
  const { gate, origin, method, supplied } = records.at(-1)!.meta
  assert.deepEqual([gate, origin, method, supplied], [observes, 'http', 'GET', { search: 'acme', limit: 5 }])
})

test('a query that is not understood is refused with what to send', async () => {
  for (const query of [
    'limit=0',
    'limit=101',
    'limit=x',
    'other=1',
    'search=',
    'search=%00',
    'after=a%00',
    `search=${'x'.repeat(64)}`,
  ]) {
    const { status, body } = await get<ErrorBody>(`/admin/tenants?${query}`, observer)
    assert.deepEqual([status, body.error.code], [422, 'invalid_payload'], query)
    assert.match(body.error.message, /search \(1 to 63 characters\)/)
  }
})

test('what is searched for is a value, never a part of the statement', async () => {
  const { status, body } = await get<TenantPage>("/admin/tenants?search='%20OR%20true--", observer)
  assert.deepEqual([status, body.items], [200, []])
})

test('in development the people of the development tenant look as its operator, in production nobody else does', async () => {
  const developing = await startInProcess({ identity, loopback_tenant: 'dev' })
  try {
    const developer = await developing.newCaller({ tenant_id: 'dev', capabilities: [observes] })
    const headers = { authorization: `Bearer ${developer.api_key}`, 'x-agent-did': developer.agent_did }
    const answer = await fetch(`${developing.api_url}/admin/tenants`, { headers })
    assert.equal(answer.status, 200)
  } finally {
    await developing.stop()
  }
  const other = await service.newCaller({ tenant_id: 'dev', capabilities: [observes] })
  assert.equal((await get('/admin/tenants', other)).status, 403)
})
