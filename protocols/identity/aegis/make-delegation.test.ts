import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Refusal } from '@svc/contract/refusal'
import { testContext } from '../../../checks/rehearsal/test-context.ts'
import { refuseForPlugins } from './make-delegation.ts'

test('a plugin cannot delegate for its caller, whatever its manifest lists', () => {
  const called = (metadata: Record<string, unknown>) => testContext({ invoke: { metadata } })
  assert.throws(
    () => refuseForPlugins(called({ ceilings: [['svc.aegis.delegate']] })),
    (thrown: Refusal) => thrown.code === 'policy_denied' && thrown.details.reason === 'called by a plugin',
  )
  assert.doesNotThrow(() => refuseForPlugins(called({})))
})
