import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CedarDecision, PolicySet, Scene } from '@svc/contract/authority/policy'
import { ruleOn } from '@svc/contract/authority/policy-ruling'
import fc from 'fast-check'
import { openCedar } from './cedar.ts'
import { compute } from './cedar-check-job.ts'
import { cedarModule, type Wasm } from './cedar-module.ts'
import { requestOf } from './cedar-scene.ts'
import { rulesOf, textsOf } from './prepared-sets.ts'

const cedar = openCedar()

function setOf(...bodies: string[]): PolicySet {
  return {
    set_digest: `digest of ${bodies.join('\n')}`,
    policies: bodies.map((body, index) => ({ policy_id: `rule-${index}`, version: '1.0.0', body })),
  }
}

function sceneOf(
  context: Partial<Scene['context']> = {},
  principal: Partial<Scene['principal']> = {},
): Scene {
  return {
    principal: {
      did: 'did:oas:acme:agent:x',
      tenant: 'acme',
      kind: 'Agent',
      level: 1,
      lineage_verified: true,
      ...principal,
    },
    resource: { protocol: 'MARKET', operation: 'submit_order', state_changing: true },
    context: { tenant: 'acme', target_tenant: 'acme', hour: 8, weekday: 3, origin: 'http', ...context },
    at_ms: 0,
  }
}

const when = (condition: string) => `forbid(principal, action, resource) when { ${condition} };`
const hours = `@reason("the market is open from 9 to 17") @appeal("MOOT")
${when('resource.protocol == "MARKET" && (context.hour < 9 || context.hour >= 17)')}`

test("what no rule forbids is allowed, and a refusal carries the rule's reason", () => {
  assert.equal(cedar.decide(setOf(hours), sceneOf({ hour: 9 })).decision, 'allow')
  const cedar_decision = cedar.decide(setOf(hours), sceneOf())
  assert.deepEqual(cedar_decision, {
    decision: 'deny',
    determining: [
      {
        policy_id: 'rule-0',
        version: '1.0.0',
        effect: 'forbid',
        text: hours,
        reason: 'the market is open from 9 to 17',
        appeal: 'MOOT',
      },
    ],
    errors: [],
  })
  assert.deepEqual(ruleOn('d', cedar_decision, sceneOf()), {
    allowed: false,
    set_digest: 'd',
    warnings: [],
    reason: 'policy rule-0@1.0.0 forbids: the market is open from 9 to 17',
    denying_policy: 'maxim://rule-0@1.0.0',
    appeal_path: 'MOOT',
  })
})

test('rules can use every fact of a scene, to the last digit of an amount', () => {
  const facts: [string, Scene][] = [
    ['principal in Svc::Tenant::"acme"', sceneOf()],
    ['principal has human_root && principal.human_root == "h"', sceneOf({}, { human_root: 'h' })],
    ['principal.kind == "Agent" && principal.level == 1 && principal.lineage_verified', sceneOf()],
    ['resource.operation == "submit_order" && resource.state_changing', sceneOf()],
    ['resource == Svc::Operation::"MARKET.submit_order"', sceneOf()],
    ['context.tenant == context.target_tenant && context.weekday == 3', sceneOf()],
    ['context has jurisdiction && context.jurisdiction == "DE"', sceneOf({ jurisdiction: 'DE' })],
    ['context has action_kind && context.action_kind like "re*"', sceneOf({ action_kind: 'refund' })],
    ['context has treaty_id && context.treaty_id == "t"', sceneOf({ treaty_id: 't' })],
    [
      'context has amount_micro_usd && context.amount_micro_usd == 9007199254740993',
      sceneOf({ amount_micro_usd: 9_007_199_254_740_993n }),
    ],
  ]
  for (const [condition, scene] of facts) {
    assert.deepEqual(cedar.check(when(condition)), { policies: 1, faults: [], warnings: [] }, condition)
    assert.equal(cedar.decide(setOf(when(condition)), scene).decision, 'deny', condition)
  }
  assert.equal(
    cedar.decide(setOf(when('context.origin == "\ufffd"')), sceneOf({ origin: '\ud800' })).decision,
    'deny',
  )
})

test('a rule with an error stops a write, and is only a warning for a read', () => {
  const overflow = setOf(when('9223372036854775807 + context.hour > 5'))
  const cedar_decision = cedar.decide(overflow, sceneOf())
  assert.match(cedar_decision.errors[0]!.message, /overflow/)
  const write = ruleOn('d', cedar_decision, sceneOf())
  assert.deepEqual([write.allowed, 'reason' in write && write.reason], [false, 'policy evaluation error'])
  const reading: Scene = { ...sceneOf(), resource: { ...sceneOf().resource, state_changing: false } }
  const read = ruleOn('d', cedar.decide(overflow, reading), reading)
  assert.deepEqual([read.allowed, read.warnings.length], [true, 1])
  const { hour: _, ...without_hour } = sceneOf().context
  const missing = { ...sceneOf(), context: without_hour } as Scene
  assert.equal(cedar.decide(setOf(when('context.hour == 8')), missing).errors.length, 1)
  const permit = setOf('permit(principal, action, resource) when { 9223372036854775807 + context.hour > 5 };')
  assert.equal(ruleOn('d', cedar.decide(permit, sceneOf()), sceneOf()).allowed, true)
})

test("a fault is reported with its place, in the editor's units", () => {
  const faulty: [string, string, RegExp][] = [
    [`// é€😀\n${when('context.hour < ')}`, '}', /unexpected token/],
    [`// é€😀\n${when('context.hours < 9')}`, 'context.hours', /did you mean `hour`/],
    [when('context.jurisdiction == "DE"'), 'context.jurisdiction', /context has jurisdiction/],
  ]
  for (const [body, place, message] of faulty) {
    const { faults } = cedar.check(body)
    assert.match(faults[0]!.message, message)
    assert.equal(body.slice(faults[0]!.from, faults[0]!.to), place)
  }
  assert.match(
    cedar.check('forbid(principal == ?principal, action, resource);').faults[0]!.message,
    /template/,
  )
  assert.equal(cedar.check('// nothing').policies, 0)
  assert.match(cedar.check(`@reason("${'x'.repeat(501)}")${when('true')}`).faults[0]!.message, /@reason/)
  assert.match(cedar.check(when('false')).warnings[0]!.message, /impossible/)
})

test('no text breaks the evaluator, and one that would is refused', () => {
  const deep = (open: string, inner: string, close: string) =>
    when(`${open.repeat(2000)}${inner}${close.repeat(2000)}`)
  const bad = [
    deep('(', 'true', ')'),
    deep('[', '1', ']'),
    deep('{a:', '1', '}'),
    when(`${'context.hour == 1 && '.repeat(2000)}true`),
    when(`${'if true then false else '.repeat(2000)}true`),
    when(`context.hour${' + 1'.repeat(2000)} == 1`),
    `forbid(principal, action, resource) ${'when { true } '.repeat(2000)};`,
    when('context.origin == "\ud800"'),
    when(`context${'["a"]'.repeat(2000)} == 1`),
  ]
  for (const body of bad) assert.equal(cedar.check(body).faults.length, 1)
  // The most complex text that is accepted.
  const most = when(
    `${'(if context.hour == 1 then false else '.repeat(30)}${'context.hour == 1 || '.repeat(30)}true${')'.repeat(30)}`,
  )
  assert.deepEqual(cedar.check(most).faults, [])
  assert.equal(cedar.decide(setOf(most), sceneOf()).decision, 'deny')
  assert.deepEqual(cedar.unknownsOf(setOf(most), sceneOf(), ['hour']), ['hour'])
})

test('an evaluator that broke is replaced, and its sets are parsed again', () => {
  const module = cedarModule()
  const own = openCedar(module)
  assert.equal(own.decide(setOf(hours), sceneOf()).decision, 'deny')
  const broken = own.decide(
    setOf(`forbid(principal, action, resource) when { ${'('.repeat(3000)}true${')'.repeat(3000)} };`),
    sceneOf(),
  )
  assert.deepEqual([broken.decision, broken.errors.length, module.generation], ['allow', 1, 1])
  assert.equal(own.decide(setOf(hours), sceneOf()).decision, 'deny')
})

test('the facts a rule depends on are computed once for all scenes that it cannot distinguish', () => {
  const module = cedarModule()
  let runs = 0
  const counting = {
    run: <T>(work: (wasm: Wasm) => T): T => {
      runs++
      return module.run(work)
    },
    get generation() {
      return module.generation
    },
  }
  const own = openCedar(counting)
  const rule = when('context has amount_micro_usd && context.amount_micro_usd > 5 && context.hour > 8')
  const hangsOn = (scene: Scene) => own.unknownsOf(setOf(rule), scene, ['amount_micro_usd'])
  assert.deepEqual(hangsOn(sceneOf({ hour: 9 })), ['amount_micro_usd'])
  const before = runs
  assert.deepEqual(hangsOn(sceneOf({ hour: 9 }, { did: 'did:oas:acme:agent:y' })), ['amount_micro_usd'])
  assert.equal(runs, before)
  assert.deepEqual(hangsOn(sceneOf({ hour: 8 })), [])
})

test('open facts that would change the result are reported, and no others', () => {
  const unknownsFor = (condition: string) =>
    cedar.unknownsOf(setOf(when(condition)), sceneOf(), ['amount_micro_usd', 'jurisdiction'])
  assert.deepEqual(unknownsFor('context has amount_micro_usd && context.amount_micro_usd > 5'), [
    'amount_micro_usd',
  ])
  assert.deepEqual(
    unknownsFor('context has amount_micro_usd && context.amount_micro_usd > 5 && context.hour > 20'),
    [],
  )
  assert.deepEqual(unknownsFor('context.hour < 9'), [])
  assert.deepEqual(
    unknownsFor(
      'context has jurisdiction && context.jurisdiction == "DE" && context has amount_micro_usd && context.amount_micro_usd > 5',
    ),
    ['amount_micro_usd', 'jurisdiction'],
  )
})

test('more sets than places give the same answers, in any order', () => {
  const own = openCedar(cedarModule(), 3)
  const sets = Array.from({ length: 8 }, (_, hour) => setOf(when(`context.hour == ${hour}`)))
  fc.assert(
    fc.property(fc.nat({ max: 7 }), fc.nat({ max: 7 }), (rule, hour) => {
      const decision = own.decide(sets[rule]!, sceneOf({ hour })).decision
      assert.equal(decision, rule === hour ? 'deny' : 'allow')
    }),
  )
})

test('of several forbidding rules, always the same comes first', () => {
  const bodies = Array.from({ length: 12 }, () => when('true'))
  const first = cedar.decide(setOf(...bodies), sceneOf()).determining.map(({ policy_id }) => policy_id)
  assert.deepEqual(
    first,
    first.toSorted((a, b) => (`${a}@` < `${b}@` ? -1 : 1)),
  )
  assert.equal(first.length, 12)
})

/** By the evaluator alone, with the whole scene: no cache, no reduction, no guards. */
function evaluate(wasm: Wasm, set: PolicySet, scene: Scene) {
  const policies = { staticPolicies: textsOf(rulesOf(wasm, set), new Map()) }
  const answer = wasm.isAuthorized({ ...requestOf(scene), policies })
  assert.ok(answer.type === 'success')
  const { decision, diagnostics } = answer.response
  const idOf = (name: string) => name.split('@')[0]!
  return {
    decision,
    determining: diagnostics.reason
      .filter((name) => name !== 'base')
      .map(idOf)
      .sort(),
    errors: diagnostics.errors.map(({ policyId }) => idOf(policyId)).sort(),
  }
}

function told({ decision, determining, errors }: CedarDecision) {
  const idsOf = (rules: readonly { policy_id: string }[]) => rules.map(({ policy_id }) => policy_id).sort()
  return { decision, determining: idsOf(determining), errors: idsOf(errors) }
}

const scenes: fc.Arbitrary<Scene> = fc.record({
  principal: fc.record(
    {
      did: fc.constantFrom('a', 'b'),
      tenant: fc.constantFrom('acme', 'globex'),
      kind: fc.constantFrom('Agent', 'http'),
      level: fc.constantFrom(0, 1, 2),
      lineage_verified: fc.boolean(),
      human_root: fc.constantFrom('h'),
    },
    { requiredKeys: ['did', 'tenant', 'kind', 'level', 'lineage_verified'] },
  ),
  resource: fc.record({
    protocol: fc.constantFrom('MAX', 'TRY'),
    operation: fc.constantFrom('run', 'stop'),
    state_changing: fc.boolean(),
  }),
  context: fc.record(
    {
      tenant: fc.constantFrom('acme', 'Agent'),
      target_tenant: fc.constantFrom('acme', 'globex'),
      hour: fc.constantFrom(8, 9),
      weekday: fc.constantFrom(6, 7),
      origin: fc.constantFrom('http', 'mcp'),
      jurisdiction: fc.constantFrom('DE', 'FR'),
      amount_micro_usd: fc.constantFrom(1n, 2n ** 62n),
      action_kind: fc.constantFrom('x', 'y'),
      treaty_id: fc.constantFrom('t'),
    },
    { requiredKeys: ['tenant', 'target_tenant', 'hour', 'weekday', 'origin'] },
  ),
  at_ms: fc.nat(),
})

test('a cached decision is used only if the rules could see no difference', () => {
  const conditions = [
    'context.hour < 9',
    'context["hour"] < 9',
    'context has jurisdiction && context.jurisdiction == "DE"',
    '(if principal.level > 0 then context else context).hour < 9',
    'principal.level > 1 && resource.protocol like "M*"',
    'context has amount_micro_usd && context.amount_micro_usd * 2 > context.hour',
    'principal == Svc::Agent::"b"',
    'resource == Svc::Operation::"MAX.run" || context.action_kind == "x"',
    '[context.tenant, context.origin].contains(principal.kind)',
    'principal has human_root && principal in Svc::Tenant::"globex"',
    'context has treaty_id && context.target_tenant == "globex" && context.weekday != 7',
    'principal.lineage_verified != resource.state_changing',
    'principal.did == "a" && context.jurisdiction == "DE"',
    '"MAX" == resource.protocol && context.hour == 8 && context.action_kind == "x"',
    'context.jurisdiction == "DE" && principal.did == "a"',
    'principal.level == 2 && (resource.state_changing == true && context.weekday == 6)',
    '(principal.kind == context.tenant) && context.origin == "mcp"',
  ]
  const rules = [
    ...conditions.map(when),
    'forbid(principal == Svc::Agent::"a", action, resource) when { context.jurisdiction == "DE" };',
    'forbid(principal, action, resource == Svc::Operation::"MAX.run") unless { context.hour == 8 };',
    'forbid(principal, action, resource) unless { principal.did == "a" } when { context.action_kind == "x" };',
    'permit(principal == Svc::Agent::"b", action, resource) when { context.treaty_id == "t" };',
  ]
  const [cached_cedar, module] = [openCedar(), cedarModule()]
  fc.assert(
    fc.property(fc.subarray(rules, { minLength: 1, maxLength: 3 }), scenes, (chosen, scene) => {
      const set = setOf(...chosen)
      const decision = cached_cedar.decide(set, scene)
      // A new evaluator has an empty cache.
      assert.deepEqual(decision, openCedar(module).decide(set, scene))
      assert.deepEqual(
        told(decision),
        module.run((wasm) => evaluate(wasm, set, scene)),
      )
    }),
  )
})

test('a worker checks a text as it is checked here', () => {
  for (const body of [when('true'), when('false'), 'nothing that parses'])
    assert.deepEqual(compute(body), cedar.check(body))
})
