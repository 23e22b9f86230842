import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Refusal } from '@svc/contract/refusal'
import { testContext } from '../../../checks/rehearsal/test-context.ts'
import { refuseForPlugins, tokenOf } from './make-delegation.ts'

test('a plugin cannot delegate for its caller, whatever its manifest lists', () => {
  const called = (metadata: Record<string, unknown>) => testContext({ invoke: { metadata } })
  assert.throws(
    () => refuseForPlugins(called({ ceilings: [['svc.aegis.delegate']] })),
    (thrown: Refusal) => thrown.code === 'policy_denied' && thrown.details.reason === 'called by a plugin',
  )
  assert.doesNotThrow(() => refuseForPlugins(called({})))
})

test('a caveat that no call could satisfy is not delegated', () => {
  const request = { to_did: 'did:oas:acme:agent:b', expires_at: '2026-12-01T00:00:00Z' }
  const capability = { name: 'svc.max.audit_query', caveats: ['time:09-17', 'time:25-99'] }
  assert.throws(
    () =>
      tokenOf({ ...request, capabilities: ['svc.mind.recall_memory', capability] }, 'did:oas:acme:agent:a'),
    ({ details }: Refusal) =>
      details.reason === 'unknown caveat' && details.faults?.[0]?.pointer === '/capabilities/1/caveats/1',
  )
})
