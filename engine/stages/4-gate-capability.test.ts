import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StandingTreaty } from '@svc/contract/authority/treaty'
import { localAdmin, type ResolvedAgentIdentity, unresolved } from '@svc/contract/identity/identity'
import { empty_books } from '@svc/contract/money/books'
import type { ConformanceLevel } from '@svc/contract/schema'
import { type Case, gate, grantOf, refusalOf } from '../../checks/rehearsal/test-gate.ts'
import { no_capabilities, test_did } from '../../checks/rehearsal/test-ports.ts'
import { testTreaty } from '../../checks/scenes/test-treaty.ts'
import type { Ports } from '../ports.ts'

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
  const { message, details } = await refusalOf({ held: [{ caveats: ['time:09-17', 'time:11-12'] }] })
  assert.equal(details.caveat, 'time:11-12')
  assert.match(
    message,
    /^This identity holds svc\.try\.run only under the caveat time:11-12, and it is 10:00 UTC; ask /,
  )
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
  for (const input of [
    { action_kind: 'write' },
    {},
    null,
    undefined,
    'read',
    Object.create({ action_kind: 'read' }),
  ]) {
    await refusalOf({ held: kind, input })
  }
})

test('a weekly budget is judged by what was spent, even where that must be awaited', async () => {
  const capabilities = [{ caveats: ['weekly_budget:1.50'] }]
  const spent = (spent_micro_usd: bigint, reserved_micro_usd = 0n): Partial<Ports> => ({
    budget_counters: {
      reserve: () => undefined,
      settle() {},
      state: async () => ({ spent_micro_usd, reserved_micro_usd }),
      calls: () => 0n,
    },
  })
  // A second of TRY run, the worst case, costs 18,000 µUSD.
  assert.ok(await grantOf({ held: capabilities, other: spent(1_482_000n) }))
  await refusalOf({ held: capabilities, other: spent(1_482_001n) })
  // What calls under way reserved may be free in a moment: stage 5 waits for it.
  assert.ok(await grantOf({ held: capabilities, other: spent(1_482_000n, 18_000n) }))
  const several = [{ caveats: ['time:09-17', 'weekly_budget:1.50'] }]
  assert.ok(await grantOf({ held: several, other: spent(1_000_000n, 482_000n) }))
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
  const under_delegation = { ...(await opened('svc.try.*')), bounds: { delegation_id: 'sha256:x' } }
  assert.equal((await refusalOf(under_delegation)).details.reason, 'session under a delegation')
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
  // Its document might have satisfied the caveat.
  const unknown_document = await opened('svc.try.run', {}, ['jurisdiction:DE'])
  const undecided = await refusalOf({ ...unknown_document, unknown_of_caller: 'document' })
  assert.deepEqual([undecided.code, undecided.details.unavailable], ['unavailable', 'identity'])
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

test('a bounded key is used for its names only, whatever its holder may do', async () => {
  const capabilities = [{ name: 'svc.*.*' }]
  for (const usable_for of [['svc.try.run'], ['svc.try.*'], ['svc.max.*', 'svc.*.*']])
    assert.ok(await grantOf({ held: capabilities, bounds: { usable_for } }))
  for (const usable_for of [[], ['svc.try.other'], ['svc.max.*']]) {
    const refusal = await refusalOf({ held: capabilities, bounds: { usable_for } })
    assert.deepEqual([refusal.code, refusal.details.reason], ['capability_denied', 'not in the key'])
  }
})
