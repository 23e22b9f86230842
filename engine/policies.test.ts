import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PolicyCouncil, PolicyRuling, Scene } from '@svc/contract/authority/policy'
import { empty_books } from '@svc/contract/money/books'
import {
  askedOf,
  gist,
  test_did,
  test_tenant,
  testPorts,
  tryProtocol,
} from '../checks/rehearsal/test-ports.ts'
import { openBorders } from '../checks/scenes/test-treaty.ts'
import type { Asked } from './call.ts'
import { createEngine } from './dispatch.ts'
import type { Ports } from './ports.ts'

const allowing: PolicyRuling = { allowed: true, set_digest: 'sha256:one', warnings: [] }
const denying: PolicyRuling = {
  allowed: false,
  set_digest: 'sha256:one',
  warnings: [],
  reason: 'policy p@1.0.0 forbids: closed',
  denying_policy: 'maxim://p@1.0.0',
  appeal_path: 'MOOT',
}

/** An engine in which some tenants have policies, with verdicts set by the test. */
function open(
  rulings: Record<string, PolicyRuling | Promise<PolicyRuling>>,
  other: Partial<Ports> = {},
  councilOf: Ports['policies']['councilOf'] = () => undefined,
) {
  const scenes: [string, Scene][] = []
  const ports = testPorts([tryProtocol(() => ({}))], {
    treasury: { of: (tenant_id) => ({ ...empty_books, has_policies: tenant_id in rulings }) },
    policies: {
      judge(tenant_id, scene) {
        scenes.push([tenant_id, scene])
        return rulings[tenant_id]!
      },
      named: async () => undefined,
      councilOf,
      get cedar(): never {
        throw new Error('nobody asks')
      },
    },
    ...other,
  })
  const engine = createEngine(ports)
  const dispatch = (request: Partial<Asked['request']> = {}, incoming: Partial<Asked> = {}) =>
    engine.dispatch(askedOf(request, incoming))
  return { ports, scenes, dispatch, records: () => ports.audit_log.records(test_tenant) }
}

test('without policies nothing is evaluated, and the record names none', async () => {
  const { dispatch, scenes, records } = open({})
  assert.equal((await dispatch()).kind, 'success')
  assert.deepEqual(
    [scenes.length, records()[0]?.meta.policy_sets, records()[0]?.meta.scene],
    [0, undefined, undefined],
  )
})

test('a forbidden call is refused with policy, version, reason and appeal, and recorded as a violation', async () => {
  for (const ruling of [denying, Promise.resolve(denying)]) {
    const { dispatch, records } = open({ [test_tenant]: ruling })
    const outcome = await dispatch({ input: { action_kind: 'refund', amount_usd: '2.5' } })
    assert.ok(outcome.kind === 'refused')
    const { code, details, message } = outcome.refusal
    assert.deepEqual([code, outcome.stage], ['policy_denied', 4])
    assert.deepEqual(details, {
      requested_capability: 'svc.try.run',
      reason: 'policy p@1.0.0 forbids: closed',
      denying_policy: 'maxim://p@1.0.0',
      appeal_path: 'MOOT',
    })
    assert.match(message, /constitutional_interpretation/)
    const [record] = records()
    assert.equal(gist(record), 'SecurityViolation refused policy_denied stage 4')
    assert.deepEqual(record?.meta.policy_sets, { [test_tenant]: 'sha256:one' })
    const { scene, supplied } = record!.meta
    assert.partialDeepStrictEqual(scene, { amount_micro_usd: '2500000', state_changing: true })
    assert.deepEqual(supplied, { action_kind: 'refund' }, "the caller's own word")
  }
})

test('an allowed call names its policy set, and a policy that cannot be evaluated is logged', async () => {
  const { dispatch, records, ports } = open({
    [test_tenant]: { ...allowing, warnings: ['policy p@1.0.0 cannot be evaluated: overflow'] },
  })
  assert.equal((await dispatch()).kind, 'success')
  assert.deepEqual(records()[0]?.meta.policy_sets, { [test_tenant]: 'sha256:one' })
  assert.partialDeepStrictEqual(records()[0]?.meta.scene, { state_changing: true })
  assert.deepEqual(
    ports.logged.map(({ level, message }) => [level, message]),
    [['warn', 'policy p@1.0.0 cannot be evaluated: overflow']],
  )
})

test('a scene holds what the identity and the call say, at the time of the call', async () => {
  const { dispatch, scenes } = open({ [test_tenant]: allowing })
  await dispatch({ input: { action_kind: 7, amount_usd: '1.0000001' } }, { origin: 'mcp' })
  assert.deepEqual(scenes[0], [
    test_tenant,
    {
      principal: {
        did: test_did,
        tenant: test_tenant,
        kind: 'Agent',
        level: 0,
        lineage_verified: false,
        human_root: undefined,
      },
      resource: { protocol: 'TRY', operation: 'run', state_changing: true },
      context: {
        tenant: test_tenant,
        target_tenant: test_tenant,
        hour: 10,
        weekday: 7,
        origin: 'mcp',
        jurisdiction: undefined,
        treaty_id: undefined,
        action_kind: undefined,
        amount_micro_usd: undefined,
        input: { action_kind: 7, amount_usd: '1.0000001' },
      },
      at_ms: Date.parse('2026-11-15T10:00:00.000Z'),
    },
  ])
})

test('a ruling that the input prevented is final for a call, and open in a list of permissions', async () => {
  const ruling: PolicyRuling = { ...denying, reads_input: true }
  const { dispatch, ports } = open({ [test_tenant]: ruling })
  const outcome = await dispatch()
  assert.ok(outcome.kind === 'refused')
  assert.equal(outcome.refusal.details.reads_input, true)
  const { operations } = await createEngine(ports).permissions(askedOf().credential)
  assert.equal(operations[0]?.may, 'depends')
})

test('a value too long to be recorded with its verdict is refused', async () => {
  const { dispatch } = open({ [test_tenant]: allowing })
  const outcome = await dispatch({ input: { action_kind: 'x'.repeat(129) } })
  assert.ok(outcome.kind === 'refused')
  assert.deepEqual([outcome.refusal.code, outcome.stage], ['invalid_payload', 4])
})

test('a cross-tenant call is checked against the policies of both', async () => {
  const cross_tenant_call = { treaties: openBorders('svc.try.*') }
  const target = { tenant_id: 'globex' }
  const both = open({ [test_tenant]: allowing, globex: denying }, cross_tenant_call)
  const outcome = await both.dispatch(target)
  assert.ok(outcome.kind === 'refused')
  assert.match(outcome.refusal.message, /a rule of globex/)
  const treaty_id = `sha256:${'7'.repeat(64)}`
  assert.deepEqual(
    both.scenes.map(([tenant_id, { context }]) => [tenant_id, context.target_tenant, context.treaty_id]),
    [
      [test_tenant, 'globex', treaty_id],
      ['globex', 'globex', treaty_id],
    ],
  )
  assert.deepEqual(both.records()[0]?.meta.policy_sets, { [test_tenant]: 'sha256:one', globex: 'sha256:one' })
  const own = open({ [test_tenant]: denying, globex: allowing }, cross_tenant_call)
  await own.dispatch(target)
  assert.equal(own.scenes.length, 1)
})

test('a dry run has the same verdict', async () => {
  const { dispatch } = open({ [test_tenant]: denying })
  const outcome = await dispatch({}, { dry_run: true })
  assert.ok(outcome.kind === 'dry_run')
  assert.deepEqual(
    [outcome.dry_run.verdict, outcome.dry_run.refusal?.details.denying_policy],
    ['refused', 'maxim://p@1.0.0'],
  )
})

const dissenter = {
  did: `did:oas:${test_tenant}:human:${'b'.repeat(64)}`,
  position: 'against',
  position_id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10',
  reasoning_hash: 'c'.repeat(64),
}
const council: PolicyCouncil = {
  verdict: 'mace://verdict/sha256:1',
  dissent: [{ ...dissenter, reasoning: 'It costs more than it saves.' }],
}

test('a refusal by an enacted policy names who was outvoted, also in a dry run; their words are not recorded', async () => {
  for (const dry_run of [false, true]) {
    const { dispatch, records } = open({ [test_tenant]: denying }, {}, () => council)
    const outcome = await dispatch({}, { dry_run })
    const refusal =
      outcome.kind === 'dry_run' ? outcome.dry_run.refusal : outcome.kind === 'refused' && outcome.refusal
    assert.ok(refusal)
    assert.deepEqual([refusal.details.verdict, refusal.details.dissent], [council.verdict, council.dissent])
    const [{ meta } = assert.fail()] = records()
    assert.deepEqual(
      [meta.denying_policy, meta.verdict, meta.dissent],
      [denying.denying_policy, council.verdict, [dissenter]],
    )
  }
})

test('another organization learns that there was dissent, not whose it was', async () => {
  const { dispatch, records } = open(
    { globex: denying },
    { treaties: openBorders('svc.try.*') },
    () => council,
  )
  const outcome = await dispatch({ tenant_id: 'globex' })
  assert.ok(outcome.kind === 'refused')
  const { position, position_id } = dissenter
  assert.deepEqual(outcome.refusal.details.dissent, [{ position, position_id }])
  assert.ok(!JSON.stringify(records()).includes(dissenter.did))
})

test('a failed lookup of dissent does not delay the refusal', async () => {
  const { dispatch, ports } = open({ [test_tenant]: denying }, {}, () => Promise.reject(new Error('away')))
  const outcome = await dispatch()
  assert.ok(outcome.kind === 'refused')
  assert.deepEqual([outcome.refusal.code, outcome.refusal.details.dissent], ['policy_denied', undefined])
  assert.deepEqual(
    ports.logged.map(({ message }) => message),
    ['a dissent could not be looked up'],
  )
})
