// Every invalid request at the dispatch endpoint, without a database: the right refusal, recorded once in the right log, nothing done.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { formatApiKey, hashSecret } from '@svc/contract/identity/api-key'
import { refusals } from '@svc/contract/refusal'
import type { KeyRecord } from '@svc/engine/ports'
import { addOperationalRoutes, type Operations } from '@svc/gateway/operational'
import { addOperatorRoutes, type OperatorView } from '@svc/gateway/operator-routes'
import { addDirectoryRoutes } from '@svc/gateway/public/directory'
import { type OpenEndpoint, openTestEndpoint } from '../../engines/test-endpoint.ts'
import { credentialOf, gist } from '../../rehearsal/test-ports.ts'
import type { Caller } from '../attacked-engine.ts'
import { probe } from '../probe-protocol.ts'
import { auth_cases } from './auth-cases.ts'
import { type BadCase, type Cast, requestOf } from './bad-case.ts'
import { body_cases } from './body-cases.ts'
import { envelope_cases } from './envelope-cases.ts'
import { exchange, type RawAnswer } from './raw-http.ts'
import { wire_cases } from './wire-cases.ts'

const keys = new Map<string, KeyRecord>()
let endpoint: OpenEndpoint

function newCaller(tenant_id: string, more: Partial<KeyRecord> = {}): Caller {
  const key_id = `caller${String(keys.size).padStart(2, '0')}`
  const secret = key_id.padEnd(43, 's')
  const { did: agent_did } = newIdentity(tenant_id, 'agent')
  const credential = { ...credentialOf('svc.*.*'), key_id, tenant_id, did: agent_did }
  keys.set(key_id, {
    ...credential,
    secret_hash: hashSecret(secret),
    expires_at_ms: null,
    revoked: false,
    ...more,
  })
  return {
    api_url: '',
    metrics_url: '',
    tenant_id,
    agent_did,
    key_id,
    api_key: formatApiKey('test', key_id, secret),
  }
}

const cast: Cast = {
  acme: newCaller('acme'),
  rival: newCaller('rival'),
  powerless: newCaller('acme', { capabilities: [] }),
  expired: newCaller('acme', { expires_at_ms: 0 }),
  revoked: newCaller('acme', { revoked: true }),
}

before(async () => {
  endpoint = await openTestEndpoint([probe], {}, [], (app, dispatch_endpoint, ports) => {
    addOperationalRoutes(app, dispatch_endpoint, {} as Operations)
    addOperatorRoutes(app, dispatch_endpoint, {} as OperatorView)
    addDirectoryRoutes(app, ports.registry)
  })
  const find = (key_id: string) => keys.get(key_id)
  Object.assign(endpoint.dispatch_endpoint, { keys: { used() {}, find, known: find } })
})
after(() => endpoint?.close())

const audit_logs = ['acme', 'rival', 'operator'] as const
const recordsOf = (tenant_id: string) => endpoint.ports.audit_log.records(tenant_id)
const counts = () => audit_logs.map((tenant_id) => recordsOf(tenant_id).length)

/** What is wrong with the answer or the record; absent if nothing is. */
async function faultOf({ bytes, code, status, audit_log }: BadCase): Promise<string | undefined> {
  // More than a few refusals in a second would be counted instead of recorded.
  endpoint.ports.clock.advance(1_000)
  const expected = audit_logs.map((name, at) => counts()[at]! + Number(name === audit_log))
  const { answers } = await exchange(endpoint.port, bytes(cast))
  if (answers.length !== 1) return `${answers.length} answers`
  const [{ status: answered, text }] = answers as [RawAnswer]
  const { error } = JSON.parse(text)
  if (answered !== (status ?? refusals[code].status) || error.code !== code)
    return `${answered} ${text.slice(0, 200)}`
  if (String(counts()) !== String(expected)) return `${counts()} records instead of ${expected}`
  const record = recordsOf(audit_log).at(-1)!
  const is_right = gist(record).startsWith(`${refusals[code].event} ${refusals[code].outcome} ${code}`)
  if (!is_right || record.correlation_id !== error.correlation_id) return `the record ${gist(record)}`
  const [good] = (await exchange(endpoint.port, requestOf(cast.acme))).answers
  return good?.status === 200 ? undefined : `a good call then got ${good?.status}`
}

for (const [name, cases] of Object.entries({ wire_cases, auth_cases, envelope_cases, body_cases }))
  test(`${name.replace('_', ' ')}: each is refused, recorded once in the right log, and not done`, async () => {
    const faults: string[] = []
    for (const bad of cases) {
      const fault = await faultOf(bad)
      if (fault !== undefined)
        faults.push(`${bad.name}: wanted ${bad.status ?? ''} ${bad.code}, got ${fault}`)
    }
    assert.deepEqual(faults, [])
  })
