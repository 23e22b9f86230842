import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AnyObject } from '@svc/contract/schema'
import { counted_input, tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import { declareOutside, type Outside } from './declaration.ts'

const built_in = tryProtocol(() => ({}), {
  effect: 'read',
  level: 'L2',
  input: counted_input,
  deadline_ms: 5,
})

function declare(version: string, operations: string[], more: Partial<Outside> = {}) {
  return declareOutside({ name: 'TRY', version, operations, timeout_ms: 2_000, ...more }, [built_in])
}

test('the same version has all operations of the catalogue, with the timeout of its registration', () => {
  const { id, version, operations } = declare('v1.0.0', [])
  assert.deepEqual([id, version, Object.keys(operations)], ['TRY', 'v1.0.0', ['run']])
  const { effect, level, input, deadline_ms } = operations.run!
  assert.deepEqual([effect, level, deadline_ms], ['read', 'L2', 3_000])
  assert.equal(input, counted_input)
})

test('another version has only what it lists: with the catalogue’s facts if known, otherwise untyped', () => {
  const { operations, version } = declare('v1.1.0', ['run', 'fly'])
  assert.deepEqual([version, Object.keys(operations)], ['v1.1.0', ['run', 'fly']])
  assert.equal(operations.run!.input, counted_input)
  const { effect, level, meters, input } = operations.fly!
  assert.deepEqual([effect, level, meters, input], ['write', 'L1', ['seconds'], AnyObject])
  assert.deepEqual(Object.keys(declare('v1.1.0', ['fly']).operations), ['fly'])
})

test('a new major version may use other schemas, but keeps level and effect', () => {
  const { input, output, effect, level } = declare('v2.0.0', ['run']).operations.run!
  assert.deepEqual([input, output, effect, level], [AnyObject, AnyObject, 'read', 'L2'])
})

test('an unknown protocol is untyped, and inherited property names mean nothing', () => {
  const { id, rate, operations } = declareOutside(
    { name: 'NEW', version: 'v1.0.0', operations: ['constructor'], timeout_ms: 1 },
    [],
  )
  assert.deepEqual([id, rate, operations['constructor' as string]!.level], ['NEW', 'standard', 'L1'])
  assert.equal(declare('v1.1.0', ['constructor']).operations['constructor' as string]!.effect, 'write')
})

test('of several known versions the nearest older one provides the facts', () => {
  const newer = { ...built_in, version: 'v1.5.0', summary: 'newer' }
  const summaryOf = (version: string) =>
    declareOutside({ name: 'TRY', version, operations: ['run'], timeout_ms: 1 }, [newer, built_in]).summary
  assert.equal(summaryOf('v1.4.0'), built_in.summary)
  assert.equal(summaryOf('v1.6.0'), 'newer')
  assert.equal(summaryOf('v0.1.0'), built_in.summary)
})
