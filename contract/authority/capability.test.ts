import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Check } from 'typebox/value'
import {
  AgentCapability,
  capabilityFor,
  covers,
  global_wildcard,
  isCapabilityName,
  isOwn,
  namesThatGrant,
  protocolWildcard,
  recipe_llm_compile,
} from './capability.ts'

const pairs: [held: string, wanted: string, covered: boolean][] = [
  ['svc.macs.auth_negotiation', 'svc.macs.auth_negotiation', true],
  ['svc.macs.*', 'svc.macs.auth_negotiation', true],
  ['svc.*.*', 'svc.macs.auth_negotiation', true],
  ['svc.macs.derive', 'svc.macs.auth_negotiation', false],
  ['svc.mind.*', 'svc.macs.auth_negotiation', false],
  ['svc.*', 'svc.macs.auth_negotiation', false],
  ['svc.*.read', 'svc.macs.read', false],
  ['svc.macs*', 'svc.macs.auth_negotiation', false],
  ['svc.macs.*.x', 'svc.macs.a.x', false],
  ['SVC.MACS.*', 'svc.macs.auth_negotiation', false],
  ['svc.MACS.*', 'svc.macs.auth_negotiation', false],
  ['svc.macs.', 'svc.macs.auth_negotiation', false],
  ['svc.macs.*.', 'svc.macs.auth_negotiation', false],
  ['svc.macs', 'svc.macs.auth_negotiation', false],
  ['svc..*', 'svc.macs.auth_negotiation', false],
  ['*', 'svc.macs.auth_negotiation', false],
  ['', 'svc.macs.auth_negotiation', false],
  ['svc.m\u0430cs.*', 'svc.macs.auth_negotiation', false],
  ['svc.macs.*\u0000', 'svc.macs.auth_negotiation', false],
  ['svc.macs.auth_negotiation\u0000', 'svc.macs.auth_negotiation', false],
  ['svc.macs.auth_negotiation ', 'svc.macs.auth_negotiation', false],
  [' svc.macs.*', 'svc.macs.auth_negotiation', false],
  ['svc.macs.*\n', 'svc.macs.auth_negotiation', false],
  ['svc.maestro.*', 'svc.maestro.charter.declare', true],
  ['svc.maestro.charter.declare', 'svc.maestro.charter.declare', true],
  ['svc.maestro.charter', 'svc.maestro.charter.declare', false],
  ['svc.maestro.charter.*', 'svc.maestro.charter.declare', false],
  ['svc.macs.*', 'svc.macs.*', true],
  ['svc.*.*', 'svc.macs.*', true],
  ['svc.macs.derive', 'svc.macs.*', false],
  ['svc.*.*', 'svc.*.*', true],
  ['svc.macs.*', 'svc.*.*', false],
  ['svc.*.*', 'svc.*', false],
  ['svc.*', 'svc.*', false],
  ['svc.*.read', 'svc.*.read', false],
  ['svc.max.pre-release', 'svc.max.pre-release', true],
  ['svc.max.audit_query', 'svc.max.pre-release', false],
]

test('coverage of capability names', () => {
  for (const [held_name, name, covered] of pairs) {
    assert.equal(covers(held_name, name), covered, `${JSON.stringify(held_name)} for ${JSON.stringify(name)}`)
  }
})

test('names that grant come in the order stage 4 tries them', () => {
  assert.deepEqual(namesThatGrant('svc.max.audit_query'), [
    'svc.max.audit_query',
    'svc.max.*',
    global_wildcard,
  ])
  assert.deepEqual(namesThatGrant('svc.*.read'), [])
})

test('names are built in lower case and are names', () => {
  assert.equal(capabilityFor('MAESTRO', 'charter.declare'), 'svc.maestro.charter.declare')
  assert.equal(protocolWildcard('Arsenal'), 'svc.arsenal.*')
  for (const good of [
    'svc.max.audit_query',
    'svc.max.*',
    'svc.*.*',
    'svc.meal.admin',
    'svc.admin.observability',
  ]) {
    assert.ok(isCapabilityName(good), good)
  }
  for (const bad of [
    'svc.*',
    'svc.*.read',
    'svc.max',
    'svc.max.',
    'svc.max.a-b',
    'SVC.max.a',
    'svc.max.a ',
    'svc.max.a\n',
    'xsvc.max.a',
  ]) {
    assert.ok(!isCapabilityName(bad), bad)
  }
})

test('compiling a recipe with a model has a name of its own, which no wildcard covers', () => {
  assert.equal(recipe_llm_compile, 'recipe-llm-compile')
  assert.ok(isCapabilityName('recipe-llm-compile'))
  assert.deepEqual(namesThatGrant('recipe-llm-compile'), ['recipe-llm-compile'])
  assert.ok(covers('recipe-llm-compile', 'recipe-llm-compile'))
  assert.ok(!covers(global_wildcard, 'recipe-llm-compile'))
})

test('what is declared or carried by a key is held independently of others', () => {
  for (const source of ['declared', 'key'] as const) assert.ok(isOwn({ source }), source)
  for (const source of ['delegation', 'treaty', 'envelope', 'role'] as const)
    assert.ok(!isOwn({ source }), source)
})

test('a capability has a name, caveats and limits of bounded size', () => {
  const capability = (more: object) => ({ name: 'n', caveats: [], ...more })
  const limits = (more: object) => capability({ limits: more })
  const caveats = (count: number, length: number) =>
    capability({ caveats: Array.from({ length: count }, () => 'c'.repeat(length)) })
  const valid = [
    capability({ name: 'n'.repeat(128) }),
    caveats(16, 200),
    limits({ max_per_call_bps: 0, max_per_hour: 0, max_tokens: 0 }),
    limits({ max_per_call_bps: 10_000 }),
  ]
  const invalid = [
    capability({ name: 'n'.repeat(129) }),
    caveats(17, 1),
    caveats(1, 201),
    caveats(1, 0),
    limits({ max_per_call_bps: -1 }),
    limits({ max_per_call_bps: 10_001 }),
    limits({ max_per_hour: -1 }),
    limits({ max_tokens: -1 }),
    limits({ other: 1 }),
    capability({ other: 1 }),
  ]
  for (const value of valid) assert.ok(Check(AgentCapability, value), JSON.stringify(value))
  for (const value of invalid) assert.ok(!Check(AgentCapability, value), JSON.stringify(value))
})
