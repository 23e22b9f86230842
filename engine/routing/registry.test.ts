import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperationFacts } from '@svc/contract/operation-facts'
import { AnyObject, Closed, ListOf, OneOf, Text } from '@svc/contract/schema'
import { type TSchema, Type } from 'typebox'
import { faultsOf, openRegistry } from './registry.ts'

function operationOf(input: TSchema): OperationFacts {
  return { summary: 'x', effect: 'read', level: 'L0', meters: [], input, output: AnyObject, example: {} }
}
function declare(id: string, version: string, input: TSchema = AnyObject) {
  return {
    id,
    version,
    plane: 'truth',
    estate: 'protocol',
    rate: 'standard',
    category: 'svc-cognitive',
    summary: 'x',
    operations: { ask: operationOf(input), 'charter.declare': operationOf(input) },
  } as const
}
function faultsIn(input: TSchema, value: unknown): string[] {
  return faultsOf(input)(value).map(({ pointer, message }) => `${pointer} ${message}`)
}

const order = Closed({
  name: Text(3),
  kind: OneOf('buy', 'sell'),
  lines: ListOf(Closed({ count: Type.Integer({ minimum: 1 }) }), 1, 2),
  note: Type.Optional(Type.String()),
})
const good = { name: 'abc', kind: 'buy', lines: [{ count: 1 }] }

test('a valid value has no fault', () => {
  assert.deepEqual(faultsIn(order, good), [])
  assert.deepEqual(faultsIn(order, { ...good, note: '' }), [])
})

test('each missing field is named by its own pointer', () => {
  assert.deepEqual(faultsIn(order, {}).sort(), [
    '/kind is required',
    '/lines is required',
    '/name is required',
  ])
  assert.deepEqual(faultsIn(order, { ...good, lines: [{ count: 1 }, {}] }), ['/lines/1/count is required'])
})

test('each unknown field is named, once, at any depth', () => {
  assert.deepEqual(faultsIn(order, { ...good, colour: 1, shape: 2 }).sort(), [
    '/colour is not a known field',
    '/shape is not a known field',
  ])
  assert.deepEqual(faultsIn(order, { ...good, lines: [{ count: 1, extra: 1 }] }), [
    '/lines/0/extra is not a known field',
  ])
})

test('many unknown fields are still named, up to the limit', () => {
  const strays = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`stray${i}`, 1]))
  const faults = faultsIn(order, { ...good, ...strays })
  assert.ok(faults.length >= 5, faults.join())
  for (const fault of faults) assert.match(fault, /^\/stray\d+ is not a known field$/)
})

test('an invalid value is named at its place', () => {
  const pointers = (value: unknown) => faultsIn(order, value).map((fault) => fault.split(' ')[0])
  assert.deepEqual(pointers({ ...good, name: 7 }), ['/name'])
  assert.deepEqual(pointers({ ...good, name: 'abcd' }), ['/name'])
  assert.deepEqual(pointers({ ...good, kind: 'steal' }), ['/kind'])
  assert.deepEqual(faultsIn(order, { ...good, kind: '' }), ['/kind must be one of buy, sell'])
  assert.deepEqual(pointers({ ...good, lines: [] }), ['/lines'])
  assert.deepEqual(pointers({ ...good, lines: [{ count: 1.5 }] }), ['/lines/0/count'])
  assert.deepEqual(pointers({ ...good, lines: [{ count: 0 }, { count: 'x' }] }), [
    '/lines/0/count',
    '/lines/1/count',
  ])
  for (const value of [null, 'text', 7, []]) assert.deepEqual(pointers(value), [''])
})

test('in a choice between kinds, an unknown one is named, and faults are those of the kind that was meant', () => {
  const step = Type.Union([
    Closed({ kind: Type.Literal('Call'), to: Type.String() }),
    Closed({ kind: Type.Literal('Both'), steps: Type.Array(Type.Ref('Step')) }),
  ])
  const recipe = Closed({ steps: ListOf(Type.Cyclic({ Step: step }, 'Step'), 0, 9), note: Type.String() })
  const inner = (more: object) => ({ note: 'x', steps: [{ kind: 'Both', steps: [more] }] })
  assert.deepEqual(faultsIn(recipe, inner({ kind: 'Call', to: 'a' })), [])
  assert.deepEqual(faultsIn(recipe, inner({ kind: 'Loop' })), [
    '/steps/0/steps/0/kind must be Call, Both, not Loop',
  ])
  assert.deepEqual(faultsIn(recipe, inner({ to: 'a' })), ['/steps/0/steps/0/kind must be Call, Both'])
  assert.deepEqual(faultsIn(recipe, inner({ kind: 'Both', tp: 1 })), [
    '/steps/0/steps/0/steps is required',
    '/steps/0/steps/0/tp is not a known field',
  ])
  assert.deepEqual(faultsIn(recipe, inner({ kind: 'Call', to: 7 })), ['/steps/0/steps/0/to must be string'])
  assert.deepEqual(faultsIn(recipe, { note: 7, steps: [{ kind: 'Call', to: 'a' }] }), [
    '/note must be string',
  ])
})

test('a value that fits none of several shapes is compared with the nearest', () => {
  const name = Type.String({ pattern: '^[a-z]+$' })
  const metric = Closed({ name, value: Type.Number() })
  const span = Closed({ name, start: Type.String(), end: Type.String() })
  const input = Closed({ parts: Type.Array(Type.Union([Type.String(), span, metric])) })
  const faults = (...parts: unknown[]) => faultsIn(input, { parts })
  assert.deepEqual(faults('x', { name: 'A.b', value: 1 }), ['/parts/1/name must match pattern "^[a-z]+$"'])
  assert.deepEqual(faults({ name: 'a', start: 'now' }), ['/parts/0/end is required'])
  assert.deepEqual(faults({ name: 'a', value: 1, unit: 'ms' }), ['/parts/0/unit is not a known field'])
  assert.deepEqual(faults({ name: 'a', value: 1 }, { name: 'a', value: '1' }), [
    '/parts/1/value must be number',
  ])
  const word = Closed({ word: Type.Union([Type.Literal('buy'), Type.Literal('sell')]) })
  assert.deepEqual(faultsIn(word, { word: 'steal' }), ['/word must be one of buy, sell'])
})

test('a slash or a tilde in a key is escaped as in RFC 6901', () => {
  assert.deepEqual(faultsIn(order, { ...good, 'a/b~c': 1 }), ['/a~1b~0c is not a known field'])
  const odd = Closed({ 'x/y': Type.Integer(), 'x~y': Closed({ z: Type.Integer() }) })
  assert.deepEqual(faultsIn(odd, { 'x~y': { z: 1 } }), ['/x~1y is required'])
  const [wrong] = faultsIn(odd, { 'x/y': 'no', 'x~y': { z: 1 } })
  assert.equal(wrong?.split(' ')[0], '/x~1y')
  const [inner] = faultsIn(odd, { 'x/y': 1, 'x~y': { z: 'no' } })
  assert.equal(inner?.split(' ')[0], '/x~0y/z')
})

test('names of inherited properties are still unknown fields', () => {
  for (const key of ['constructor', 'toString', 'hasOwnProperty']) {
    assert.deepEqual(faultsIn(order, { ...good, [key]: 1 }), [`/${key} is not a known field`])
  }
  assert.deepEqual(faultsIn(Closed({ constructor: Type.Integer() }), {}), ['/constructor is required'])
})

test('a protocol is found in any letter case, with all its versions', () => {
  const registry = openRegistry()
  registry.register(declare('Aegis', 'v1.0.0'), [])
  registry.register(declare('Aegis', 'v1.1.0'), [])
  for (const name of ['Aegis', 'AEGIS', 'aegis']) {
    assert.deepEqual(
      registry.versions(name)?.map(({ version }) => version),
      ['v1.0.0', 'v1.1.0'],
    )
  }
  assert.equal(registry.versions('aegi'), undefined)
  assert.deepEqual(registry.ids(), ['Aegis'])
})

test('registering a version again replaces it, and caches see every change', () => {
  const registry = openRegistry()
  const revisions = [registry.revision()]
  registry.register(declare('TEST', 'v1.0.0'), [])
  revisions.push(registry.revision())
  registry.register(declare('TEST', 'v1.0.0', order), [])
  revisions.push(registry.revision())
  assert.equal(registry.versions('TEST')!.length, 1)
  assert.equal(registry.versions('TEST')![0]!.operations.get('ask')!.facts.input, order)
  registry.setCanary('test', [{ version: 'v1.0.0', weight_bps: 10_000 }])
  revisions.push(registry.revision())
  assert.equal(new Set(revisions).size, 4)
  assert.equal(registry.canary('TEST').length, 1)
})

test('watchers are notified of every change until they unsubscribe', () => {
  const registry = openRegistry()
  let notified = 0
  const leave = registry.watch(() => void notified++)
  registry.register(declare('TEST', 'v1.0.0'), [])
  registry.setCanary('TEST', [])
  registry.unregister('TEST', 'v1.0.0')
  assert.equal(notified, 3)
  leave()
  registry.register(declare('TEST', 'v1.0.0'), [])
  assert.equal(notified, 3)
})

test('canary weights may not add up to more than 100 %', () => {
  const registry = openRegistry()
  const halves = [
    { version: 'v1.0.0', weight_bps: 5_001 },
    { version: 'v1.1.0', weight_bps: 5_000 },
  ]
  assert.throws(() => registry.setCanary('TEST', halves), /10001, more than 10000/)
  assert.deepEqual(registry.canary('TEST'), [])
})

test('canary weights are ordered by version, however they were given', () => {
  const registry = openRegistry()
  const weights = ['v1.10.0', 'v1.2.0', 'v1.2.0-rc.1'].map((version) => ({ version, weight_bps: 100 }))
  registry.setCanary('TEST', weights)
  assert.deepEqual(
    registry.canary('test').map(({ version }) => version),
    ['v1.2.0-rc.1', 'v1.2.0', 'v1.10.0'],
  )
  assert.throws(() => registry.setCanary('TEST', [{ version: 'newest', weight_bps: 1 }]), /semantic version/)
  assert.equal(registry.canary('TEST').length, 3)
})

test('a version that could never be chosen is not registered', () => {
  for (const version of ['v1', 'latest', '', 'v1.0']) {
    assert.throws(
      () => openRegistry().register(declare('TEST', version), []),
      /not a semantic version/,
      version,
    )
  }
})

test("an operation's capability is the lower-case protocol and its own name, dots included", () => {
  const registry = openRegistry()
  registry.register(declare('MAESTRO', 'v1.0.0'), [])
  const { operations } = registry.versions('MAESTRO')![0]!
  assert.equal(operations.get('ask')!.capability, 'svc.maestro.ask')
  assert.equal(operations.get('charter.declare')!.capability, 'svc.maestro.charter.declare')
})
