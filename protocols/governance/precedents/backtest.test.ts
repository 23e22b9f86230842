import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCedar } from '@svc/adapters/policy/cedar'
import type { PolicySet, Scene } from '@svc/contract/authority/policy'
import fc from 'fast-check'
import type { RecordedScene, SceneFact } from '../../awareness/replay/recorded-scene.ts'
import { suggestCedar } from '../mimesis/pattern-cedar.ts'
import { backtest, flipsOf, judgeRecorded, judgeScenes, type Verdict } from './backtest.ts'
import type { Case } from './mining.ts'
import type { Features, Pattern } from './pattern.ts'

const cedar = openCedar()

function setOf(body: string): PolicySet {
  return { set_digest: body, policies: [{ policy_id: 'rule', version: '1.0.0', body }] }
}

function sceneOf(more: Partial<Scene['context']> = {}, resource: Partial<Scene['resource']> = {}): Scene {
  return {
    principal: { did: 'did:x', tenant: 'acme', kind: 'Agent', level: 1, lineage_verified: true },
    resource: { protocol: 'MADE', operation: 'settle', state_changing: false, ...resource },
    context: { tenant: 'acme', target_tenant: 'acme', hour: 8, weekday: 3, origin: 'http', ...more },
    at_ms: 0,
  }
}

const whole: Features = {
  protocol: 'MADE',
  operation: 'settle',
  caller_kind: 'Agent',
  level: 'L1',
  origin: 'http',
  hour_bucket: '06-12',
  cross_org: false,
  reason: 'held: audit',
}

test('a suggested policy can be enacted, forbids exactly what matches the pattern, and nothing else', () => {
  const body = suggestCedar(whole)!
  assert.deepEqual(cedar.check(body).faults, [])
  const says = (scene: Scene) => judgeRecorded(cedar, setOf(body), { scene, unknown: [] })
  assert.deepEqual(says(sceneOf()), { says: 'deny', by: 'maxim://rule@1.0.0' })
  const { principal } = sceneOf()
  for (const other of [
    sceneOf({ hour: 12 }),
    sceneOf({ hour: 5 }),
    sceneOf({ origin: 'mcp' }),
    sceneOf({ target_tenant: 'globex' }),
    sceneOf({}, { operation: 'create' }),
    sceneOf({}, { protocol: 'MEAL' }),
    { ...sceneOf(), principal: { ...principal, level: 2 as const } },
    { ...sceneOf(), principal: { ...principal, kind: 'Tool' } },
  ])
    assert.deepEqual(says(other), { says: 'allow' })
  assert.equal(suggestCedar({ reason: 'held: audit' }), undefined)
})

const half_of_a_character = { from: 0xd800, to: 0xdfff }
const char = fc.oneof(
  fc.constantFrom('"', '\\', '\n', '\0', '}', ';', '/'),
  fc
    .integer({ min: 0, max: 0x10ffff })
    .filter((code) => code < half_of_a_character.from || code > half_of_a_character.to)
    .map((code) => String.fromCodePoint(code)),
)
const madeUp = fc.array(char, { minLength: 1, maxLength: 12 }).map((chars) => chars.join(''))

test('names made up by callers stay inside their strings', () => {
  fc.assert(
    fc.property(madeUp, (operation) => {
      const body = suggestCedar({ operation, reason: operation })!
      const { policies, faults } = cedar.check(body)
      assert.deepEqual([policies, faults], [1, []])
      const judged = judgeRecorded(cedar, setOf(body), { scene: sceneOf({}, { operation }), unknown: [] })
      assert.equal(judged.says, 'deny')
    }),
    { numRuns: 8 },
  )
})

const forbidWhen = (condition: string) => setOf(`forbid(principal, action, resource) when { ${condition} };`)
const unknownsOf = (...unknown: SceneFact[]): RecordedScene => ({ scene: sceneOf(), unknown })

test('a fact missing from the record leaves open only what depends on it', () => {
  const amount = forbidWhen('context has amount_micro_usd && context.amount_micro_usd > 5')
  const writes = forbidWhen('resource.state_changing')
  const root = forbidWhen('principal has human_root && principal.human_root == "x"')
  const judged = (set: PolicySet, recorded: RecordedScene) => judgeRecorded(cedar, set, recorded).says
  assert.equal(judged(amount, unknownsOf('amount_micro_usd')), 'open')
  assert.equal(judged(amount, unknownsOf()), 'allow')
  assert.equal(judged(amount, { scene: sceneOf({ amount_micro_usd: 6n }), unknown: [] }), 'deny')
  assert.equal(judged(writes, unknownsOf('state_changing')), 'open')
  assert.equal(judged(writes, unknownsOf()), 'allow')
  assert.equal(judged(root, unknownsOf('human_root')), 'open')
  const all = unknownsOf('state_changing', 'human_root', 'jurisdiction', 'action_kind', 'amount_micro_usd')
  assert.equal(judged(forbidWhen('context.hour == 8'), all), 'deny')
  const by_input = forbidWhen('resource.operation == "settle" && context.input.tool == "x"')
  assert.equal(judged(by_input, { scene: sceneOf({}, { operation: 'settle' }), unknown: ['input'] }), 'open')
  assert.equal(judged(by_input, { scene: sceneOf({}, { operation: 'other' }), unknown: ['input'] }), 'allow')
  const elsewhere = forbidWhen('resource.protocol == "MEAL" && context has action_kind')
  assert.equal(judged(elsewhere, all), 'allow')
})

test('the longer the policies, the sooner the test yields', () => {
  const turnsOf = (body: string) => {
    const judging = judgeScenes(Array(32).keys(), () => ({ says: 'allow' }), setOf(body))
    return [...judging].length
  }
  assert.deepEqual([turnsOf(''), turnsOf('x'.repeat(4_000)), turnsOf('x'.repeat(65_536))], [2, 8, 32])
})

const caseOf = (
  seq: number,
  outcome: Case['step']['outcome'],
  scene: number,
  more: Partial<Case> = {},
): Case => ({
  seq,
  record_hash: `${seq}`,
  at_ms: seq,
  correlation_id: `${seq}`,
  caller_did: 'did:x',
  step: { event_type: 'Error', protocol: 'MADE', operation: 'settle', outcome },
  features: { protocol: 'MADE', operation: 'settle' },
  scene,
  ...more,
})

const denies: Verdict = { says: 'deny', by: 'maxim://rule@1.0.0' }

test('only what the proposal changes counts: not what today already denies, nor what no policy decided', () => {
  const today = new Map<number, Verdict>([
    [0, { says: 'allow' }],
    [1, denies],
    [2, { says: 'open' }],
    [4, denies],
  ])
  const proposed = new Map<number, Verdict>([
    [0, denies],
    [1, { says: 'allow' }],
    [2, denies],
    [4, denies],
  ])
  const cases = [
    caseOf(1, 'success', 0),
    caseOf(2, 'error', 0),
    caseOf(3, 'refused', 0),
    caseOf(4, 'refused', 1),
    caseOf(5, 'refused', 1, { is_by_rule: true }),
    caseOf(6, 'success', 4, { features: { protocol: 'MEAL' } }),
    caseOf(7, 'success', 2),
    caseOf(8, 'success', 3),
    caseOf(9, 'refused', 4, { is_by_rule: true }),
  ]
  const { denied_now, allowed_now, denied_anyway } = flipsOf(cases, { today, proposed })
  const seqsOf = (judged: typeof denied_now) => judged.map(({ one }) => one.seq)
  assert.deepEqual([seqsOf(denied_now), seqsOf(allowed_now), denied_anyway], [[1, 2], [5], 2])
  const pattern: Pattern = {
    kind: 'decision',
    features: { protocol: 'MADE', operation: 'settle', reason: 'any' },
    outcome: 'refused',
  }
  const { flips, ...found } = backtest(cases, { today, proposed }, pattern)
  assert.deepEqual(found, {
    evaluated: 7,
    undecided: 1,
    would_flip_allow_to_deny: 2,
    would_flip_deny_to_allow: 1,
    agrees_with_pattern_bps: 6666,
  })
  assert.deepEqual(
    flips.map(({ seq }) => seq),
    [5, 2, 1],
  )
  const step = {
    event_type: 'ProtocolInvocation',
    protocol: 'MADE',
    operation: 'settle',
    outcome: 'success',
  } as const
  const steps: Pattern = { kind: 'sequence', per: 'caller', sequence: [step, step], outcome: 'success' }
  assert.equal(backtest(cases, { today, proposed }, steps).agrees_with_pattern_bps, 2857)
  const none = { today: new Map(), proposed: new Map() }
  assert.equal(backtest([], none, pattern).agrees_with_pattern_bps, 0)
})
