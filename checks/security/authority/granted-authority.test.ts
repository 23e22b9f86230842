// T30, ungranted authority: what each credential may call equals what follows from its grants alone, for
// every operation.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { issueKey } from '@svc/adapters/access/api-keys'
import { newIdentity } from '@svc/adapters/access/tenants'
import { catalogue } from '@svc/catalogue/catalogue'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'

/** Written out, not read from the code under test: the operations open to anyone to prove an identity. */
const proving = ['MACS.auth_negotiation', 'MACS.generate_challenge', 'MACS.verify_response']
/** Written out as well: these need the role administrator beside a capability, and no wildcard is a role. */
const administering = [
  'MACS.set_person',
  'MACS.invite',
  'MACS.withdraw_invitation',
  'MACS.set_role',
  'MACS.decide_access',
]
const all = catalogue.flatMap(({ id, operations }) => Object.keys(operations).map((name) => ({ id, name })))

let service: InProcessService
before(async () => {
  // No identity is known, so nothing is declared: only keys grant.
  service = await startInProcess({ identity: { resolve: () => ({ outcome: 'Failed', reason: 'unknown' }) } })
})
after(() => service.stop())

async function holderOf(names: readonly string[]): Promise<Addresses> {
  const { did } = newIdentity('dev', 'agent')
  const capabilities = names.map((name) => ({ name, caveats: [] }))
  const key_request = { tenant_id: 'dev', did, mode: 'test', capabilities } as const
  const { api_key } = await issueKey(service.service.store.engine, key_request)
  return { ...service, agent_did: did, api_key }
}

/** By the spec's names: exact, the protocol's wildcard, the global one. */
function isGranted(names: readonly string[], id: string, operation: string): boolean {
  const protocol = id.toLowerCase()
  if (administering.includes(`${id}.${operation}`) && !names.includes('svc.role.administrator')) return false
  const enough = [`svc.${protocol}.${operation}`, `svc.${protocol}.*`, 'svc.*.*']
  return proving.includes(`${id}.${operation}`) || names.some((name) => enough.includes(name))
}

async function opened(caller: Addresses): Promise<string[]> {
  const reached: string[] = []
  for (const { id, name } of all) {
    const request = { protocol: id, operation: name, input: {} }
    const { body } = await dispatch(caller, request, { 'x-svc-dry-run': 'true' })
    const { error } = body.dry_run ?? body
    if (error?.code !== 'capability_denied') reached.push(`${id}.${name}`)
  }
  return reached
}

for (const names of [
  [],
  ['svc.mind.store_memory'],
  ['svc.mars.*', 'svc.maestro.charter.declare'],
  ['svc.*.*'],
  ['svc.*.*', 'svc.role.administrator'],
  ['svc.role.administrator'],
]) {
  test(`a key with ${names.join(' and ') || 'nothing'} allows that, and proving an identity`, async () => {
    const expected = all
      .filter(({ id, name }) => isGranted(names, id, name))
      .map(({ id, name }) => `${id}.${name}`)
    assert.ok(expected.length >= proving.length)
    assert.deepEqual(await opened(await holderOf(names)), expected)
  })
}

test('a key with one capability cannot read the audit log, derive, or look up others', async () => {
  const caller = await holderOf(['svc.mind.store_memory'])
  const other = newIdentity('dev', 'agent').did
  for (const [protocol, operation, input] of [
    ['MAX', 'audit_query', {}],
    ['MACS', 'derive', { entity_kind: 'Agent', label: 'mine' }],
    ['MARS', 'query_registry', {}],
    ['OAS', 'resolve', { did: other }],
  ] as const) {
    const { status, body } = await dispatch(caller, { protocol, operation, input })
    assert.deepEqual([status, body.error?.code], [403, 'capability_denied'], `${protocol}.${operation}`)
  }
})

test('OAS.resolve about oneself needs no capability, and the record says so', async () => {
  const caller = await holderOf([])
  const input = { did: caller.agent_did }
  const { body } = await dispatch(caller, { protocol: 'OAS', operation: 'resolve', input })
  assert.notEqual(body.error?.code, 'capability_denied')
  const correlation_id = body.metadata?.correlation_id ?? body.error.correlation_id
  const [record] = await service.records('dev', { correlation_ids: [correlation_id] })
  assert.equal(record?.meta.grant_source, 'open')
})
