// The same seed, clock and inputs give the same ids, nonces and records, on a new database each time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine } from '@svc/engine/dispatch'
import { macs } from '@svc/protocols/identity/macs/macs'
import { manualClock } from './manual-clock.ts'
import { askedOf, credentialOf, test_tenant, testPorts } from './test-ports.ts'
import { openTestStore } from './test-store.ts'

/** Two operations of MACS, the second with the answer of the first. */
async function runStory(seed: string) {
  const { store, close } = await openTestStore()
  const ports = testPorts([macs], { store, clock: manualClock('2026-11-15T10:00:00.000Z', seed) })
  const engine = createEngine(ports)
  const call = async (operation: string, input: object) => {
    const credential = credentialOf('svc.macs.*')
    const outcome = await engine.dispatch(askedOf({ protocol: 'MACS', operation, input }, { credential }))
    if (outcome.kind !== 'success') assert.fail(JSON.stringify(outcome))
    return JSON.parse(outcome.output_text) as Record<string, unknown>
  }
  try {
    const session = await call('auth_negotiation', { profile: 'DidAuth', challenge_kind: 'Nonce' })
    const challenge = await call('generate_challenge', { session_id: session.session_id })
    const records = ports.audit_log
      .records(test_tenant)
      .map(({ id, correlation_id }) => ({ id, correlation_id }))
    return { session, challenge, records }
  } finally {
    await close()
  }
}

test('a story run twice from one seed is identical', async () => {
  const [first, second, other] = [await runStory('a'), await runStory('a'), await runStory('b')]
  assert.deepEqual(second, first)
  assert.ok(first.records.length > 0)
  assert.match(String(first.challenge.nonce), /^[A-Za-z0-9_-]{43}$/)
  for (const id of ['challenge_id', 'nonce']) assert.notEqual(other.challenge[id], first.challenge[id])
  assert.notEqual(other.session.session_id, first.session.session_id)
})
