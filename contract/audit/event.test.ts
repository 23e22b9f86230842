import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domain_events, isEngineOwned, isKnownEvent, taxonomy } from './event.ts'

test('the taxonomy is the spec’s seven types', () => {
  assert.deepEqual([...taxonomy].sort(), [
    'AuthorizationCheck',
    'CapabilityGrant',
    'CircuitBreakerOpen',
    'Error',
    'ProtocolInvocation',
    'RateLimitExceeded',
    'SecurityViolation',
  ])
})

test('the other events the spec names are registered, and no tag twice', () => {
  for (const tag of ['Unbalanced', 'Terminated', 'LineageUnverified', 'PluginRejected'])
    assert.ok(isKnownEvent(tag), tag)
  const all = [...taxonomy, ...domain_events]
  assert.equal(new Set(all).size, all.length)
})

test('a protocol may write custom tags and never the engine’s own', () => {
  assert.ok(isEngineOwned('SecurityViolation') && isEngineOwned('TreatySigned'))
  assert.ok(!isEngineOwned('custom.deploy') && isKnownEvent('custom.deploy'))
  for (const tag of [
    '',
    'custom.',
    'custom.Deploy',
    'custom.1',
    'Custom.deploy',
    'custom.deploy\n',
    `custom.${'a'.repeat(65)}`,
    'error',
    'toString',
  ]) {
    assert.ok(!isKnownEvent(tag), JSON.stringify(tag))
  }
})
