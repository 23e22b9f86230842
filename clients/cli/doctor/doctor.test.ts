import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkClock, checkVersions } from './engine.ts'
import { checkNode } from './machine.ts'

test('a Node older than 22.12 fails, and any other passes', () => {
  for (const old of ['18.20.0', '20.19.4', '22.11.9']) assert.equal(checkNode(old).status, 'fail', old)
  for (const fine of ['22.12.0', '22.20.0', '24.0.0', '26.10.0'])
    assert.equal(checkNode(fine).status, 'ok', fine)
})

test('more than thirty seconds of clock difference is a warning, either way', () => {
  const date = 'Sun, 15 Nov 2026 12:00:00 GMT'
  const there_ms = Date.parse(date)
  for (const apart_ms of [0, 30_000, -30_000])
    assert.equal(checkClock(date, there_ms + apart_ms).status, 'ok')
  assert.match(checkClock(date, there_ms + 31_000).said, /31 s ahead of the engine/)
  assert.match(checkClock(date, there_ms - 90_000).said, /90 s behind the engine/)
  for (const apart_ms of [30_001, -30_001]) assert.equal(checkClock(date, there_ms + apart_ms).status, 'warn')
  for (const none of [null, 'yesterday']) assert.equal(checkClock(none, there_ms).status, 'ok')
})

test('versions may differ in their last number only', () => {
  assert.equal(checkVersions('0.3.0', '0.3.7').status, 'ok')
  assert.equal(checkVersions('0.3.0', '0.4.0').status, 'warn')
  assert.equal(checkVersions('1.3.0', '0.3.0').status, 'warn')
})
