import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HeldCapability } from '@svc/contract/authority/capability'
import type { StandingTreaty } from '@svc/contract/authority/treaty'
import { localAdmin, type ResolvedAgentIdentity, unresolved } from '@svc/contract/identity/identity'
import { empty_books } from '@svc/contract/money/books'
import type { OperationFacts } from '@svc/contract/operation-facts'
import { type Dependency, Refusal } from '@svc/contract/refusal'
import type { ConformanceLevel } from '@svc/contract/schema'
import {
  askedOf,
  callBefore,
  no_capabilities,
  test_did,
  testPorts,
  tryProtocol,
} from '../../checks/rehearsal/test-ports.ts'
import { openBorders, testTreaty } from '../../checks/scenes/test-treaty.ts'
import type { Asked } from '../call.ts'
import type { Ports } from '../ports.ts'
import { gateCapability, knownHoldings } from './4-gate-capability.ts'

interface Case {
  held: Partial<HeldCapability>[]
  caller?: ResolvedAgentIdentity
  level?: ConformanceLevel
  open_to?: 'anyone' | 'self'
  input?: unknown
  tenant_id?: string
  other?: Partial<Ports>
  /** What could not be looked up of the caller's capabilities and identity. */
  unknown?: Dependency
  unknown_of_caller?: 'document' | 'revocation'
  facts?: Partial<OperationFacts>
  /** What the manifests of the plugins allow through which it is called. */
  ceilings?: readonly (readonly string[])[]
}

async function gate(given_case: Case) {
  const { held, caller, level = 'L0', input = {}, tenant_id = 'acme', other, unknown } = given_case
  const { unknown_of_caller, open_to, facts, ceilings } = given_case
  const effective = held.map((grant) => ({
    name: 'svc.try.run',
    caveats: [],
    source: 'key' as const,
    ...grant,
  }))
  const ports = testPorts([tryProtocol(() => ({}), { level, ...(open_to && { open_to }), ...facts })], {
    identity: {
      resolve: () =>
        unknown_of_caller
          ? { outcome: 'Unavailable', reason: 'x', unknown: unknown_of_caller }
          : caller
            ? { outcome: 'Resolved', identity: caller }
            : { outcome: 'Failed', reason: 'x' },
    },
    capabilities: { ...no_capabilities, effective: () => ({ held: effective, ...(unknown && { unknown }) }) },
    ...other,
  })
  const within = ceilings && ({ ceilings } as unknown as Asked['within'])
  const call = await callBefore(4, askedOf({ input, tenant_id }, { within }), ports)
  return { call, ports, gated: (async () => gateCapability(call, ports))() }
}
const grantOf = async (given_case: Case) => (await (await gate(given_case)).gated).grant
async function refusalOf(given_case: Case): Promise<Refusal> {
  const { call, gated } = await gate(given_case)
  const thrown = await gated.then(
    () => assert.fail('it was let through'),
    (error: unknown) => error,
  )
  assert.ok(thrown instanceof Refusal)
  assert.deepEqual([call.stage, call.grant], [4, undefined])
  return thrown
}

test("the exact name grants first, then the protocol's wildcard, then the global one", async () => {
  const names = ['svc.*.*', 'svc.try.*', 'svc.try.run']
  for (let count = names.length; count > 0; count--) {
    const capabilities = names.slice(0, count).map((name) => ({ name }))
    assert.equal((await grantOf({ held: capabilities })).name, names[count - 1])
  }
})

test('no other name grants anything', async () => {
  const names = [
    'svc.*',
    'svc.*.run',
    'svc.try',
    'svc.try*',
    'svc.try.ru',
    'svc.try.run.x',
    'SVC.TRY.RUN',
    'svc.max.*',
    '*',
    '',
  ]
  for (const name of names) {
    const refusal = await refusalOf({ held: [{ name }] })
    assert.deepEqual(
      [refusal.code, refusal.details.reason],
      ['capability_denied', 'no matching capability'],
      name,
    )
    assert.equal(refusal.details.requested_capability, 'svc.try.run')
  }
})

test('an expired grant does not count, to the millisecond', async () => {
  const now = '2026-11-15T10:00:00.000Z'
  assert.equal((await refusalOf({ held: [{ expires_at: now }] })).details.reason, 'capability expired')
  assert.equal((await refusalOf({ held: [{ expires_at: 'nonsense' }] })).details.reason, 'capability expired')
  assert.ok(await grantOf({ held: [{ expires_at: '2026-11-15T10:00:00.001Z' }] }))
  const fallback = await grantOf({ held: [{ expires_at: now }, { name: 'svc.try.*' }] })
  assert.equal(fallback.name, 'svc.try.*')
})

test('a grant with an unsatisfied caveat does not count, and the next is tried', async () => {
  assert.ok(await grantOf({ held: [{ caveats: ['time:09-17'] }] }))
  for (const caveats of [['time:11-12'], ['time:09-17', 'time:11-12'], ['unheard:of'], ['jurisdiction:DE']]) {
    assert.equal((await refusalOf({ held: [{ caveats }] })).details.reason, 'caveat not satisfied')
  }
  const capabilities = [
    { caveats: ['time:11-12'] },
    { name: 'svc.try.*', caveats: ['time:10-11'] },
    { name: 'svc.*.*' },
  ]
  assert.equal((await grantOf({ held: capabilities })).name, 'svc.try.*')
})

test('jurisdiction comes from the document; the kind of action from the input', async () => {
  const capabilities = [{ caveats: ['jurisdiction:DE'] }]
  const german = { ...unresolved(test_did), extended: { jurisdiction: 'DE' } }
  assert.ok(await grantOf({ held: capabilities, caller: german }))
  await refusalOf({ held: capabilities, input: { jurisdiction: 'DE' } })
  const kind = [{ caveats: ['action_kind:read'] }]
  assert.ok(await grantOf({ held: kind, input: { action_kind: 'read' } }))
  for (const input of [{ action_kind: 'write' }, {}, null, 'read', Object.create({ action_kind: 'read' })]) {
    await refusalOf({ held: kind, input })
  }
})

test('a weekly budget is judged by what was spent, even where that must be awaited', async () => {
  const capabilities = [{ caveats: ['weekly_budget:1.50'] }]
  const spent = (amount: bigint): Partial<Ports> => ({
    budget_counters: {
      reserve: () => undefined,
      settle() {},
      state: async () => ({ spent_micro_usd: amount, reserved_micro_usd: 0n }),
      calls: () => 0n,
    },
  })
  // A second of TRY run, the worst case, costs 18,000 µUSD.
  assert.ok(await grantOf({ held: capabilities, other: spent(1_482_000n) }))
  await refusalOf({ held: capabilities, other: spent(1_482_001n) })
})

test('another tenant answers only under a treaty, and the refusal says how to get one', async () => {
  const refusal = await refusalOf({ held: [{ name: 'svc.*.*' }], tenant_id: 'globex' })
  assert.deepEqual(
    [refusal.code, refusal.details.reason, refusal.details.appeal_path],
    ['capability_denied', 'no active treaty', 'MOAT propose'],
  )
  assert.ok(!refusal.message.includes('globex'), 'nor does it say whether there is such a tenant')
  const opened = async (capability: string, more: Partial<StandingTreaty> = {}, caveats: string[] = []) => {
    const parties = ['acme', 'globex'].map((tenant) => ({ tenant, did: test_did }))
    const grant = { to: 'acme', capability, caveats }
    const treaty = testTreaty([parties[0]!, parties[1]!], [grant], more)
    const treaties = { find: async () => treaty, between: () => [treaty] }
    return { held: [{ name: 'svc.*.*' }], tenant_id: 'globex', other: { treaties } }
  }
  const grant = await grantOf(await opened('svc.try.*'))
  assert.deepEqual([grant.name, grant.source], ['svc.try.*', 'treaty'])
  const reasons: [Awaited<ReturnType<typeof opened>>, string][] = [
    [await opened('svc.max.*'), 'capability not granted'],
    [await opened('svc.*.*'), 'capability not granted'],
    [await opened('svc.try.run', {}, ['time:11-12']), 'caveat unsatisfied: time:11-12'],
    [await opened('svc.try.run', { expires_at: '2026-11-15T10:00:00Z' }), 'treaty grant expired'],
    [
      await opened('svc.try.run', { ended_at: '2026-11-15T10:00:00Z', state: 'TERMINATED' }),
      'no active treaty',
    ],
    [
      await opened('svc.try.run', {
        suspended: { from: '2026-11-15T09:00:00Z', until: '2026-12-15T09:00:00Z' },
      }),
      'treaty suspended',
    ],
  ]
  for (const [given_case, reason] of reasons) {
    const { code, details } = await refusalOf(given_case)
    assert.deepEqual([code, details.reason], ['capability_denied', reason])
  }
})

test('an operation that needs a level is refused below it, with what to do', async () => {
  const capabilities = [{}]
  const at = (conformance_level: ConformanceLevel) => ({
    ...unresolved(test_did),
    auth_method: 'document',
    conformance_level,
  })
  const table: [
    level: ConformanceLevel,
    caller: ResolvedAgentIdentity | undefined,
    reason: string | undefined,
  ][] = [
    ['L0', undefined, undefined],
    ['L1', undefined, 'unresolved identity'],
    ['L1', at('L0'), 'verified lineage required'],
    ['L1', at('L1'), undefined],
    ['L2', at('L1'), 'conformance L2 required'],
    ['L2', at('L2'), undefined],
    ['L2', localAdmin(test_did), undefined],
  ]
  for (const [level, caller, reason] of table) {
    if (reason === undefined) {
      assert.ok(await grantOf({ held: capabilities, level, caller }))
      continue
    }
    const { code, details } = await refusalOf({ held: capabilities, level, caller })
    assert.deepEqual(
      [code, details.reason, details.denying_policy],
      ['policy_denied', reason, `conformance ${level}`],
    )
  }
})

test('a missing capability is reported before a missing level', async () => {
  assert.equal((await refusalOf({ held: [], level: 'L2' })).code, 'capability_denied')
})

test('an unavailable dependency is not a denial where it could have granted, and not needed where enough is known', async () => {
  const capabilities = [{ name: 'svc.try.run' }]
  const undecided = async (given_case: Case) => {
    const { code, details } = await refusalOf(given_case)
    return [code, details.unavailable]
  }
  const expired = [{ expires_at: '2020-01-01T00:00:00Z' }]
  for (const lacking of [[], [{ name: 'svc.other.run' }], expired, [{ caveats: ['jurisdiction:EU'] }]]) {
    assert.deepEqual(await undecided({ held: lacking, unknown: 'delegations' }), [
      'unavailable',
      'delegations',
    ])
    const bare = { held: lacking, unknown_of_caller: 'document' } as const
    assert.deepEqual(await undecided(bare), ['unavailable', 'identity'])
  }
  assert.ok(await grantOf({ held: capabilities, unknown: 'delegations' }))
  assert.ok(await grantOf({ held: capabilities, unknown_of_caller: 'document' }))
  const higher = { held: capabilities, level: 'L1', unknown_of_caller: 'document' } as const
  assert.deepEqual(await undecided(higher), ['unavailable', 'identity'])
  // A level does not come from delegations, so a retry would not help.
  const partly_known = { held: capabilities, level: 'L1', unknown: 'delegations' } as const
  assert.equal((await refusalOf(partly_known)).code, 'policy_denied')
})

test('a caller that may have been revoked uses nothing, and no policy judges it without its document', async () => {
  const capabilities = [{ name: 'svc.try.run' }]
  const revoked = await refusalOf({ held: capabilities, unknown_of_caller: 'revocation' })
  assert.deepEqual([revoked.code, revoked.details.unavailable], ['unavailable', 'identity'])
  const books = { ...empty_books, has_policies: true }
  const other = { treasury: { of: () => books } }
  const { gated } = await gate({ held: capabilities, unknown_of_caller: 'document', other })
  await assert.rejects(gated, { code: 'unavailable' })
})

test('capabilities that are looked up elsewhere are awaited', async () => {
  const other = {
    capabilities: {
      ...no_capabilities,
      effective: async () => ({
        held: [{ name: 'svc.try.*', caveats: [], source: 'delegation' as const }],
      }),
    },
  }
  assert.equal((await grantOf({ held: [], other })).source, 'delegation')
})

test('an open operation needs no capability: `self` only for oneself, only in the own tenant, and not once revoked', async () => {
  const capabilities: Case['held'] = []
  assert.equal((await grantOf({ held: capabilities, open_to: 'anyone' })).source, 'open')
  assert.equal(
    (await grantOf({ held: capabilities, open_to: 'self', input: { did: test_did } })).source,
    'open',
  )
  const caller = { ...unresolved(test_did), revoked: true }
  for (const closed of [
    { open_to: 'self', input: { did: `${test_did.slice(0, -1)}b` } },
    { open_to: 'self', input: { did: [test_did] } },
    { open_to: 'self', input: [] },
    { open_to: 'anyone', tenant_id: 'globex' },
    { open_to: 'anyone', caller },
    { open_to: 'self', input: { did: test_did }, caller },
  ] as const)
    assert.equal(
      (await refusalOf({ held: capabilities, ...closed })).code,
      'capability_denied',
      JSON.stringify(closed),
    )
})

test('a refusal says who lacks what, and what to do', async () => {
  assert.equal(
    (await refusalOf({ held: [] })).message,
    `${test_did} holds no usable capability for svc.try.run; ask its owner to grant or delegate it.`,
  )
  const sentences: [ConformanceLevel, string | undefined, string][] = [
    ['L1', undefined, `the identity of ${test_did} could not be resolved; publish its document`],
    ['L1', 'document', `${test_did} is at L0; prove its lineage with MACS verify_response`],
    ['L2', 'document', `${test_did} is at L0; add signed attestations and reputation to its document`],
  ]
  for (const [level, auth_method, lacking] of sentences) {
    const caller = auth_method && { ...unresolved(test_did), auth_method }
    const { message, details } = await refusalOf({ held: [{}], level, ...(caller && { caller }) })
    assert.equal(message, `svc.try.run needs conformance ${level}; ${lacking}.`)
    assert.equal(details.requested_capability, 'svc.try.run')
  }
})

test('a plugin uses only what every manifest on the way lists', async () => {
  const listed = [['svc.max.*', 'svc.try.*'], ['svc.try.run']]
  assert.ok(await grantOf({ held: [{}], ceilings: listed }))
  assert.ok(await grantOf({ held: [{}], ceilings: [] }))
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
    await gated.catch(() => {})
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
