import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HeldCapability } from '@svc/contract/authority/capability'
import { localAdmin, unresolved } from '@svc/contract/identity/identity'
import { empty_books } from '@svc/contract/money/books'
import type { DelegationPath } from '@svc/contract/needs/access'
import { Refusal } from '@svc/contract/refusal'
import fc from 'fast-check'
import { assertRefused } from '../checks/rehearsal/assert-refused.ts'
import { type Case, gate } from '../checks/rehearsal/test-gate.ts'
import { no_capabilities, test_did, test_tenant } from '../checks/rehearsal/test-ports.ts'
import { testTreaty } from '../checks/scenes/test-treaty.ts'
import { explainAccess } from './explain-access.ts'

const now = '2026-11-15T10:00:00.000Z'
const runs = 400

const grant = fc.record<Partial<HeldCapability>>({
  name: fc.constantFrom('svc.try.run', 'svc.try.*', 'svc.*.*', 'svc.max.*', 'svc.try.walk'),
  source: fc.constantFrom('declared', 'key', 'delegation', 'envelope'),
  source_ref: fc.constantFrom('one', 'two'),
  caveats: fc.uniqueArray(
    fc.constantFrom('time:09-17', 'time:11-12', 'jurisdiction:DE', 'action_kind:pay', 'weekly_budget:5'),
    { maxLength: 2 },
  ),
  expires_at: fc.constantFrom('2026-11-15T09:00:00Z', now, '2026-11-16T10:00:00Z'),
})

const policies = { ...empty_books, has_policies: true }
const world = fc.record({
  held: fc.array(grant, { maxLength: 6 }),
  caller: fc.option(
    fc.record({
      conformance_level: fc.constantFrom('L0', 'L1', 'L2') as fc.Arbitrary<'L0' | 'L1' | 'L2'>,
      revoked: fc.boolean(),
      extended: fc.constantFrom({}, { jurisdiction: 'DE' }),
    }),
    { nil: undefined },
  ),
  level: fc.constantFrom('L0', 'L1', 'L2') as fc.Arbitrary<'L0' | 'L1' | 'L2'>,
  open_to: fc.constantFrom(undefined, undefined, 'anyone' as const, 'self' as const),
  is_forbidden: fc.boolean(),
  standing: fc.constantFrom('active' as const, 'active' as const, 'dissolving' as const),
  tenant_id: fc.constantFrom(test_tenant, test_tenant, 'globex'),
  treaty: fc.option(
    fc.record({
      capability: fc.constantFrom('svc.try.run', 'svc.try.*', 'svc.max.*'),
      caveats: fc.constantFrom<string[]>([], ['time:11-12']),
    }),
  ),
})

const parties = ['acme', 'globex'].map((tenant) => ({ tenant, did: test_did }))

type World = typeof world extends fc.Arbitrary<infer Drawn> ? Drawn : never

function caseOf({ caller, is_forbidden, standing, treaty, open_to, ...rest }: World): Case {
  const treaties = treaty ? [testTreaty([parties[0]!, parties[1]!], [{ ...treaty, to: 'acme' }])] : []
  return {
    ...rest,
    ...(open_to && { open_to }),
    facts: { engages: true },
    ...(caller && { caller: { ...localAdmin(test_did), capabilities: [], ...caller } }),
    other: {
      treasury: { of: () => ({ ...policies, standing }) },
      treaties: { find: async () => undefined, between: () => treaties },
      policies: {
        judge: () =>
          is_forbidden
            ? { allowed: false, set_digest: 'x', warnings: [], reason: 'no', denying_policy: 'p' }
            : { allowed: true, set_digest: 'x', warnings: [] },
        councilOf: async () => undefined,
        named: async () => undefined,
      } as never,
    },
  }
}

const question = (target_tenant = test_tenant) => ({
  did: test_did,
  protocol: 'TRY',
  operation: 'run',
  target_tenant,
  at_ms: Date.parse(now),
})

test('the verdict and the path it names are those of stage 4, and its other words agree with them', async () => {
  let allowed = 0
  await fc.assert(
    fc.asyncProperty(world, async (drawn) => {
      const { call, ports, gated } = await gate(caseOf(drawn))
      const verdict = await gated.then(
        (authorised) => authorised.grant,
        (refusal: unknown) => refusal as Refusal,
      )
      const asker = { credential: call.asked.credential, identity: call.caller ?? unresolved(test_did) }
      const explained = await explainAccess(ports, question(drawn.tenant_id), test_tenant, asker)
      const used = explained.paths.filter((path) => path.used)
      const usable = explained.paths.filter((path) => path.blocked === undefined)
      assert.equal(explained.allowed, !(verdict instanceof Refusal))
      if (verdict instanceof Refusal) {
        assert.deepEqual(
          [explained.refusal?.code, explained.refusal?.reason, explained.refusal?.sentence],
          [verdict.code, verdict.details.reason, verdict.message],
        )
        assert.deepEqual([used, usable], [[], []], 'whatever refuses the call blocks every path')
      } else {
        allowed += 1
        const { name, source, source_ref, caveats, expires_at } = used[0]!.grant
        assert.deepEqual(
          [name, source, source_ref, caveats, expires_at],
          [verdict.name, verdict.source, verdict.source_ref, verdict.caveats, verdict.expires_at],
        )
        assert.deepEqual([used.length, usable[0]], [1, used[0]], 'the first usable one is used')
      }
    }),
    { numRuns: runs },
  )
  assert.ok(allowed > runs / 20, `${allowed} of ${runs} were allowed`)
})

test('each path says why it does not count, and delegations show their whole chain', async () => {
  const [root, middle] = ['b', 'c'].map((digit) => `did:oas:acme:agent:${digit.repeat(64)}`) as [
    string,
    string,
  ]
  const step = { state: 'ACTIVE', expires_at: '2026-12-01T00:00:00Z' } as const
  const chain = [
    { ...step, token_id: 'above', from_did: root, to_did: middle },
    { ...step, token_id: 'one', from_did: middle, to_did: test_did },
  ]
  const paths: DelegationPath[] = [
    { chain, excluded: [] },
    {
      chain: [{ ...chain[1]!, token_id: 'two', state: 'REVOKED' }],
      excluded: [
        { name: 'svc.try.run', why: 'revoked' },
        { name: 'svc.max.*', why: 'revoked' },
      ],
    },
  ]
  const capabilities = [
    { name: 'svc.try.*', source: 'delegation', source_ref: 'one' },
    { source: 'declared', expires_at: '2026-11-15T09:00:00Z' },
    { caveats: ['time:11-12'] },
  ] as const
  const { ports, call } = await gate({ held: capabilities.map((one) => ({ ...one })) as never })
  const named = {
    ...ports,
    capabilities: { ...ports.capabilities, pathsTo: async () => paths },
    identity: {
      resolve: (did: string) => ({
        outcome: 'Resolved' as const,
        identity: { ...localAdmin(did), name: did === root ? 'Root' : 'Middle' },
      }),
    },
  }
  const asker = { credential: call.asked.credential, identity: call.caller! }
  const explained = await explainAccess(named, question(), test_tenant, asker)
  assert.deepEqual(
    explained.paths.map(({ grant, blocked, used }) => [grant.source, grant.name, blocked?.by, used]),
    [
      ['declared', 'svc.try.run', 'expired', false],
      ['key', 'svc.try.run', 'caveat', false],
      ['delegation', 'svc.try.*', undefined, true],
      ['delegation', 'svc.try.run', 'revoked', false],
    ],
  )
  assert.match(explained.paths[1]!.blocked!.sentence, /the caveat time:11-12, and it is 10:00 UTC/)
  assert.deepEqual(explained.paths[2]!.chain, chain)
  assert.equal(explained.names.get(root), 'Root')
})

test('what cannot be read is no explanation, and an unknown operation is refused', async () => {
  const { ports, call, gated } = await gate({ held: [], unknown: 'delegations' })
  await assertRefused(gated, 'unavailable', 'delegations unavailable')
  const asker = { credential: call.asked.credential, identity: call.caller! }
  const ask = (operation: string, parts = ports) =>
    explainAccess(parts, { ...question(), operation }, test_tenant, asker)
  await assertRefused(ask('run'), 'unavailable', 'delegations unavailable')
  await assertRefused(ask('fly'), 'invalid_payload', 'not_found')
  const other = explainAccess(
    {
      ...ports,
      capabilities: no_capabilities,
      identity: { resolve: () => ({ outcome: 'Unavailable', reason: 'x', unknown: 'document' }) },
    },
    question(),
    test_tenant,
  )
  await assertRefused(other, 'unavailable', 'identity unavailable')
})
