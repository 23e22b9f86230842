import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownRegistry } from './engine.ts'

test('calls in flight of an engine that was killed are not counted for another', () => {
  const [killed, next] = [ownRegistry(), ownRegistry()]
  killed.versions('STEPS')![0]!.endpoints[0]!.in_flight++
  assert.equal(next.versions('STEPS')![0]!.endpoints[0]!.in_flight, 0)
  assert.equal(next.versions('STEPS')![0]!.operations, killed.versions('STEPS')![0]!.operations)
})
