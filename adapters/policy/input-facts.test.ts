// Rules over the input: what they can read, and that nothing they cannot read is allowed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PolicySet, Scene } from '@svc/contract/authority/policy'
import { ruleOn } from '@svc/contract/authority/policy-ruling'
import fc from 'fast-check'
import { openCedar } from './cedar.ts'

const cedar = openCedar()
const own = (condition: string) =>
  `forbid(principal, action, resource == Svc::Operation::"MAT.begin_call") when { ${condition} };`

function setOf(...bodies: string[]): PolicySet {
  return {
    set_digest: `digest of ${bodies.join('\n')}`,
    policies: bodies.map((body, index) => ({ policy_id: `rule-${index}`, version: '1.0.0', body })),
  }
}

function sceneOf(input: unknown, operation = 'begin_call', state_changing = true): Scene {
  return {
    principal: {
      did: 'did:oas:acme:agent:x',
      tenant: 'acme',
      kind: 'Agent',
      level: 1,
      lineage_verified: true,
    },
    resource: { protocol: 'MAT', operation, state_changing },
    context: { tenant: 'acme', target_tenant: 'acme', hour: 8, weekday: 3, origin: 'http', input },
    at_ms: 0,
  }
}

/** allowed, forbidden, or why it could not be evaluated. */
function judged(
  bodies: string | string[],
  input: unknown,
  operation?: string,
  state_changing?: boolean,
): string {
  const scene = sceneOf(input, operation, state_changing)
  const ruling = ruleOn('digest', cedar.decide(setOf(...[bodies].flat()), scene), scene)
  if (ruling.allowed) return 'allowed'
  return ruling.reads_input ? ruling.reason.replace(/^.*evaluated: /, '') : 'forbidden'
}

const refund = own('context.input.tool == "refund" && context.input.arguments.amount > 100')
const faultsOf = (body: string) => cedar.check(body).faults.map(({ message }) => message)

test('a rule compares fields of the input, and ignores other operations and tools', () => {
  assert.deepEqual(faultsOf(refund), [])
  const call = (amount: unknown, tool = 'refund') => ({ tool, arguments: { amount } })
  assert.equal(judged(refund, call(101)), 'forbidden')
  assert.equal(judged(refund, call(100)), 'allowed')
  assert.equal(judged(refund, call(1e6, 'mail')), 'allowed')
  assert.equal(judged(refund, { tool: 'mail' }), 'allowed')
  assert.equal(judged(refund, {}, 'end_call'), 'allowed')
})

test('whatever cannot be read is forbidden, with the field and the reason, also for reads', () => {
  const amount = 'context.input.arguments.amount is missing, or is not a whole number'
  for (const unreadable of [undefined, null, '101', 100.5, 2 ** 53, Number.NaN, [101], { amount: 101 }, true])
    for (const is_write of [true, false])
      assert.equal(
        judged(refund, { tool: 'refund', arguments: { amount: unreadable } }, 'begin_call', is_write),
        amount,
      )
  assert.equal(judged(refund, { tool: 'refund' }), amount)
  assert.equal(judged(refund, { tool: 'refund', arguments: 'amount' }), amount)
  for (const input of [
    null,
    7,
    'tool',
    [],
    {},
    { tool: 7 },
    { tool: 'x'.repeat(8_193) },
    JSON.parse('{"__proto__":{"tool":"mail"}}'),
  ])
    assert.match(judged(refund, input), /^context\.input\.tool is missing, or is not a text of at most 8192/)
  const either = own('(context.input has a && context.input.a == "x") || context.input.b > 3')
  assert.match(judged(either, {}), /^context\.input\.b is missing/)
  assert.match(
    judged(own('context.input.n * 9007199254740991 > 3'), { n: 2 ** 53 - 1 }, 'begin_call', false),
    /overflow/,
  )
  assert.equal(judged(refund, undefined), 'it depends on the input, which is not available here')
})

test('texts, truth values, lists, fractions and presence can be read', () => {
  const cases: [string, unknown, unknown][] = [
    ['context.input.to like "*@example.com"', { to: 'a@example.com' }, { to: 'a@example.org' }],
    ['context.input.urgent', { urgent: true }, { urgent: false }],
    ['!(context.input.urgent)', { urgent: false }, { urgent: true }],
    ['context.input.tags.contains("secret")', { tags: ['a', 'secret'] }, { tags: [] }],
    ['["a", "b"].contains(context.input.tool)', { tool: 'a' }, { tool: 'c' }],
    ['context.input.ids.containsAny([1, 2])', { ids: [2] }, { ids: [3] }],
    ['context.input.n + 1 > 3 && context.input.n != 7', { n: 3 }, { n: 7 }],
    ['context.input.amount.greaterThan(decimal("99.99"))', { amount: 100 }, { amount: 99.99 }],
    ['context.input.amount.greaterThan(decimal("99.99"))', { amount: '100.0001' }, { amount: '-100' }],
    ['context.input has force && context.input.force', { force: true }, {}],
    ['context.input has arguments.amount', { arguments: { amount: null } }, { arguments: {} }],
    ['context has input && context.input has a', { a: 1 }, 'a'],
    ['(if context.hour < 9 then context.input.a else "x") == "y"', { a: 'y' }, { a: 'z' }],
    ['context.input["a key"] == principal.kind', { 'a key': 'Agent' }, { 'a key': '' }],
    ['[context.input.a, "b"].contains("a")', { a: 'a' }, { a: 'c' }],
  ]
  for (const [condition, forbidden, allowed] of cases) {
    const body = own(condition)
    assert.deepEqual(faultsOf(body), [], condition)
    assert.equal(judged(body, forbidden), 'forbidden', condition)
    assert.equal(judged(body, allowed), 'allowed', condition)
  }
  const price = own('context.input.amount.greaterThan(decimal("99.99"))')
  for (const amount of [0.1 + 0.2, 1e15, '1e3', '1.00001', ' 1', ''])
    assert.match(judged(price, { amount }), /at most 4 digits after the point$/)
  const tags = own('context.input.tags.contains("x")')
  for (const list of ['x', ['x', 7], Array(257).fill('x')])
    assert.match(judged(tags, { tags: list }), /a list of at most 256/)
})

test('two rules may read one field as different types', () => {
  const bodies = [refund, own('context.input.arguments.amount.greaterThan(decimal("50.5"))')]
  assert.equal(judged(bodies, { tool: 'refund', arguments: { amount: 60 } }), 'forbidden')
  assert.equal(judged(bodies, { tool: 'mail', arguments: { amount: 50.5 } }), 'allowed')
})

test('a text whose fields have no type, two types or no operation cannot be enacted', () => {
  const fault = (body: string, message: RegExp) => assert.match(faultsOf(body).join('\n'), message)
  fault(
    'forbid(principal, action, resource) when { context.input.tool == "x" };',
    /must name the operation first/,
  )
  fault(
    'forbid(principal, action, resource) when { context.input.tool == "x" && resource.operation == "tool" };',
    /must name the operation first/,
  )
  fault(own('context.input.a == context.input.b'), /context\.input\.a has no type here/)
  fault(own('context.input == "x"'), /whole input/)
  fault(own('(if true then context else context).input.a == "x"'), /whole input/)
  fault(own('context.input.a == "x" || context.input.a == 7'), /is used as String and as Long/)
  fault(own('context.input["a\\"b"] == "x"'), /cannot be used/)
  fault(own('context.input.a.b == "x" || context.input.a == 7'), /./)
  const scoped =
    'forbid(principal, action, resource) when { resource.operation == "tool" && context.input.a == "x" };'
  assert.deepEqual(faultsOf(scoped), [])
})

test('cached decisions differ where a field that is read differs', () => {
  const bodies = [refund, own('context.input has note && context.input.note like "*x*"')]
  const input = fc.record(
    {
      tool: fc.constantFrom('refund', 'mail', 7),
      arguments: fc.record({ amount: fc.constantFrom(100, 101, '101', null) }, { requiredKeys: [] }),
      note: fc.constantFrom('x', 'y', 'undefined', 0),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(input, (value) => {
      const scene = sceneOf(value)
      assert.deepEqual(cedar.decide(setOf(...bodies), scene), openCedar().decide(setOf(...bodies), scene))
    }),
    { numRuns: 40 },
  )
})

test('without the input it is reported as unknown where the result depends on it', () => {
  const unknown = (operation: string) =>
    cedar.unknownsOf(setOf(refund), sceneOf(undefined, operation), ['input', 'hour'])
  assert.deepEqual(unknown('begin_call'), ['input'])
  assert.deepEqual(unknown('end_call'), [])
})
