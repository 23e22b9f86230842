import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signText } from '@svc/contract/signing/signature'
import fc from 'fast-check'
import { newKeyed } from '../../../checks/scenes/test-descent.ts'
import {
  type Challenge,
  challengeInput,
  countsAsFailure,
  isSupported,
  responseFault,
  type SessionState,
  session_states,
  stateAt,
  supported_proofs,
} from './challenge.ts'

const now = '2026-11-15T10:00:00.000Z'
const [agent, other] = [newKeyed('acme', 'Agent'), newKeyed('acme', 'Agent')]
const challenge: Challenge = {
  challenge_id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10',
  agent_did: agent.did,
  audience: 'here',
  nonce: 'N'.repeat(43),
  challenge_kind: 'Nonce',
  issued_at: new Date(now),
  expires_at: new Date('2026-11-15T10:02:00.000Z'),
  failures: 0,
  is_burnt: false,
}

function answer(to: Challenge, by = agent, claimed = by) {
  return {
    agent_did: claimed.did,
    public_key: by.public_key,
    signature: signText(by.private_key, challengeInput(to)),
  }
}

test('the right answer has no fault, for either kind', () => {
  for (const challenge_kind of ['Nonce', 'TimestampedNonce']) {
    const put = { ...challenge, challenge_kind }
    assert.equal(responseFault(put, answer(put), now, true), undefined)
  }
})

test('faults are found in the documented order', () => {
  const late = '2026-11-15T10:02:00.000Z'
  const burnt = { ...challenge, is_burnt: true }
  const bad = { ...answer(challenge, other), signature: 'A'.repeat(86) }
  assert.equal(responseFault(burnt, bad, late, true), 'challenge expired')
  assert.equal(responseFault(burnt, bad, now, true), 'challenge already used')
  assert.equal(responseFault(challenge, bad, now, false), 'public key does not match DID')
  assert.equal(
    responseFault(challenge, answer(challenge, other, agent), now, false),
    'public key does not match DID',
  )
  const unsigned = { ...answer(challenge), signature: 'A'.repeat(86) }
  assert.equal(responseFault(challenge, unsigned, now, true), 'signature invalid')
})

test('a signature is for one challenge: a change of any field makes it invalid', () => {
  const changes: Partial<Challenge>[] = [
    { challenge_id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a11' },
    { audience: 'there' },
    { nonce: 'M'.repeat(43) },
    { challenge_kind: 'TimestampedNonce' },
  ]
  for (const change of changes)
    assert.equal(
      responseFault({ ...challenge, ...change }, answer(challenge), now, true),
      'signature invalid',
    )
  const stamped = { ...challenge, challenge_kind: 'TimestampedNonce' }
  const moved = { ...stamped, expires_at: new Date('2026-11-15T10:03:00.000Z') }
  assert.equal(responseFault(moved, answer(stamped), now, true), 'signature invalid')
})

test('no text in an audience can make two challenges read the same', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.string({ maxLength: 40 }), (one, two) => {
      fc.pre(one !== two)
      assert.notEqual(
        challengeInput({ ...challenge, audience: one }),
        challengeInput({ ...challenge, audience: two }),
      )
    }),
  )
})

test('a late or repeated response is not counted, every other failure is', () => {
  assert.deepEqual(
    ['challenge expired', 'challenge already used', 'signature invalid', 'identity revoked'].map(
      countsAsFailure,
    ),
    [false, false, true, true],
  )
})

test('a session expires by itself, and an ended one keeps its state', () => {
  const at = (state: SessionState, expires_at: string) =>
    stateAt({ state, expires_at: new Date(expires_at) }, now)
  for (const state of session_states) {
    const is_over = ['EXPIRED', 'REVOKED', 'FAILED'].includes(state)
    assert.equal(at(state, '2026-11-15T10:00:00.001Z'), state)
    assert.equal(at(state, now), is_over ? state : 'EXPIRED')
  }
})

test('an API key cannot sign', () => {
  assert.equal(supported_proofs.every(isSupported), true)
  assert.equal(isSupported({ profile: 'ApiKey', challenge_kind: 'Nonce' }), false)
  assert.equal(isSupported({ profile: 'DidAuth', challenge_kind: 'Riddle' }), false)
})
