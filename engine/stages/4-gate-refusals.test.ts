// What stage 4 says where it refuses, and whom it tells of whom.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unresolved } from '@svc/contract/identity/identity'
import { empty_books } from '@svc/contract/money/books'
import type { OperationFacts } from '@svc/contract/operation-facts'
import { Refusal } from '@svc/contract/refusal'
import type { ConformanceLevel } from '@svc/contract/schema'
import { type Case, gate, grantOf, refusalOf } from '../../checks/rehearsal/test-gate.ts'
import { askedOf, callBefore, test_did, testPorts, tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import { openBorders } from '../../checks/scenes/test-treaty.ts'
import { firstSatisfied } from '../grant-caveats.ts'
import type { Ports } from '../ports.ts'
import { gateCapability, knownHoldings } from './4-gate-capability.ts'

test('a refusal says what is lacking and what to do, and names the caller in its details only', async () => {
  const lacks = await refusalOf({ held: [] })
  assert.equal(
    lacks.message,
    'This identity holds no usable capability for svc.try.run; ask its parent, or an administrator, to grant or delegate it.',
  )
  assert.equal(lacks.details.agent_did, test_did)
  const sentences: [ConformanceLevel, string | undefined, string][] = [
    ['L1', undefined, 'the document of this identity could not be resolved; publish it'],
    ['L1', 'document', 'this identity is at L0; prove its lineage with MACS verify_response'],
    ['L2', 'document', 'this identity is at L0; add signed attestations and reputation to its document'],
  ]
  for (const [level, auth_method, lacking] of sentences) {
    const caller = auth_method && { ...unresolved(test_did), auth_method }
    const { message, details } = await refusalOf({ held: [{}], level, ...(caller && { caller }) })
    assert.equal(message, `svc.try.run needs conformance ${level}; ${lacking}.`)
    assert.equal(details.requested_capability, 'svc.try.run')
    assert.equal(details.agent_did, test_did)
  }
})

test('a plugin uses only what every manifest on the way lists', async () => {
  const listed = [['svc.max.*', 'svc.try.*'], ['svc.try.run']]
  assert.ok(await grantOf({ held: [{}], ceilings: listed }))
  assert.ok(await grantOf({ held: [{}], ceilings: [] }))
  assert.ok(await grantOf({ held: [{}], ceilings: null }))
  const { code, message, details } = await refusalOf({ held: [{}], ceilings: [...listed, ['svc.try.ru']] })
  assert.equal(code, 'capability_denied')
  assert.match(message, /^A plugin calls svc\.try\.run, which its manifest does not list; add it there/)
  assert.equal(details.reason, "not in the plugin's manifest")
  assert.equal(details.requested_capability, 'svc.try.run')
})

test('a dissolving tenant takes on nothing new, a sealed one does only what outlives it', async () => {
  const standing = (state: 'active' | 'dissolving' | 'sealed', facts: Partial<OperationFacts> = {}) => ({
    held: [{}],
    facts,
    other: { treasury: { of: () => ({ ...empty_books, standing: state }) } },
  })
  assert.ok(await grantOf(standing('active', { engages: true })))
  assert.ok(await grantOf(standing('dissolving')))
  assert.ok(await grantOf(standing('sealed', { outlives: true })))
  const dissolving = await refusalOf(standing('dissolving', { engages: true, outlives: true }))
  assert.match(dissolving.message, /^Tenant acme is being wound up, and svc\.try\.run would bind it anew; /)
  const sealed = await refusalOf(standing('sealed'))
  assert.match(sealed.message, /^Tenant acme was dissolved and its audit log is sealed; read its records /)
  for (const [{ code, details }, reason, appeal_path] of [
    [dissolving, 'organization dissolving', 'MAUSOLEUM initiate'],
    [sealed, 'organization sealed', undefined],
  ] as const) {
    assert.deepEqual([code, details.reason, details.appeal_path], ['policy_denied', reason, appeal_path])
    assert.deepEqual([details.requested_capability, details.denying_policy], ['svc.try.run', 'MAUSOLEUM'])
  }
})

test('the other tenant is named to the audit log only where it exists', async () => {
  const other_tenant = async (tierOf: Ports['tenants']['tierOf'], treaties?: Ports['treaties']) => {
    const other = { tenants: { tierOf } as Ports['tenants'], ...(treaties && { treaties }) }
    const { call, ports, gated } = await gate({ held: [], tenant_id: 'globex', other })
    await assert.rejects(gated, Refusal)
    return [call.other_tenant, ports.logged.map(({ level, message }) => `${level} ${message}`)]
  }
  assert.deepEqual(await other_tenant(() => 'charter'), ['globex', []])
  assert.deepEqual(await other_tenant(() => undefined as never), [undefined, []])
  const failing = () => Promise.reject(new Error('no database'))
  const warning = 'warn the tenant that was called could not be looked up'
  assert.deepEqual(await other_tenant(failing), [undefined, [warning]])
  // A treaty proves that it exists.
  const treaties = openBorders('svc.max.*')
  assert.deepEqual(await other_tenant(() => undefined as never, treaties), ['globex', []])
  const later = { ...treaties, between: async (...pair: [string, string]) => treaties.between(...pair) }
  assert.deepEqual(await other_tenant(() => undefined as never, later), ['globex', []])
})

test('what a treaty does not grant is refused with the treaty and how to amend it', async () => {
  const opened = (capability: string) => ({
    held: [],
    tenant_id: 'globex',
    other: { treaties: openBorders(capability) },
  })
  const { message, details } = await refusalOf(opened('svc.max.*'))
  assert.match(
    message,
    /^svc\.try\.run is not open to tenant acme there: capability not granted; look with MOAT compliance_query/,
  )
  assert.equal(details.requested_capability, 'svc.try.run')
  assert.equal(details.appeal_path, 'MOAT propose_amendment')
  assert.match(String(details.denying_policy), /^sha256:7+$/)
  const none = await refusalOf({ held: [], tenant_id: 'globex' })
  assert.match(none.message, /^Tenant acme has no active treaty with the tenant asked for; propose one with/)
  const caller = { ...unresolved(test_did), revoked: true }
  assert.equal((await refusalOf({ ...opened('svc.try.run'), caller })).details.reason, 'identity revoked')
  const level_refusal = await refusalOf({ ...opened('svc.try.run'), level: 'L1' })
  assert.equal(level_refusal.details.reason, 'unresolved identity')
})

test('everything a caller holds is known, or the call is not answered', async () => {
  const { call, ports } = await gate({ held: [{}, { name: 'svc.max.*' }] })
  const names = (await knownHoldings(call, ports, 'acme')).map(({ name }) => name)
  assert.deepEqual(names, ['svc.try.run', 'svc.max.*'])
  const partly = await gate({ held: [{}], unknown: 'delegations' })
  await assert.rejects(knownHoldings(partly.call, partly.ports, 'acme'), { code: 'unavailable' })
})

test('of grants that do not count for different reasons, a caveat is named', async () => {
  const capabilities = [{ expires_at: '2020-01-01T00:00:00Z' }, { caveats: ['time:11-12'] }]
  assert.equal((await refusalOf({ held: capabilities })).details.reason, 'caveat not satisfied')
})

test('nothing is awaited where nothing has to be looked up', async () => {
  const gateAtOnce = async (capabilities: Case['held']) => {
    const { call, ports, gated } = await gate({ held: capabilities })
    await gated.catch(() => {})
    return () => gateCapability(call, ports)
  }
  assert.ok(!((await gateAtOnce([{}]))() instanceof Promise))
  assert.throws(await gateAtOnce([]), Refusal)
})

test('spending is looked up only for a weekly budget', async () => {
  const state = () => assert.fail('it was looked up')
  const other = { budget_counters: { state } as unknown as Ports['budget_counters'] }
  assert.ok(await grantOf({ held: [{ caveats: ['time:09-17'] }], other }))
})

test('before anything can be priced, a weekly budget is judged by what was spent', async () => {
  const ports = testPorts([tryProtocol(() => ({}))])
  const call = await callBefore(2, askedOf(), ports)
  const grant = { name: 'svc.try.pre-release', caveats: ['weekly_budget:0'], source: 'key' as const }
  assert.equal(await firstSatisfied([grant], call, ports), grant)
})
