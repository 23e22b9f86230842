import assert from 'node:assert/strict'
import { test } from 'node:test'
import { didOfKey } from '@svc/contract/identity/did'
import { contentHash, sha256Hex } from '@svc/contract/signing/canonical-json'
import { privateKeyOf, publicKeyOf, signingInput, signText } from '@svc/contract/signing/signature'
import { hashOf, type Motion, type MotionBody } from './motion.ts'
import type { Position } from './motion-tally.ts'
import type { TakenPosition } from './position-store.ts'
import { quorumOf } from './quorum.ts'
import {
  bodyOf,
  idOfRef,
  isRecomputable,
  isSupermajority,
  refOf,
  soleVerdict,
  type Verdict,
} from './verdict.ts'

const keys = [1, 2, 3].map((seed) => privateKeyOf(Buffer.alloc(32, seed)))
const didOf = (key: (typeof keys)[number]) =>
  didOfKey('acme', 'agent', Buffer.from(publicKeyOf(key), 'base64url'))
const binds = [{ protocol: 'MOAT', operation: 'sign', subject: 'sha256:7' }]
const body: MotionBody = {
  v: 1,
  tenant_id: 'acme',
  motion_id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10',
  title: 'Sign',
  text: 'Let us sign.',
  charter_level: true,
  binds,
  effects: [],
  authority_ttl_days: 30,
  max_uses: 1,
  executor_did: null,
  quorum: quorumOf('majority'),
  min_delegates: 1,
  seats: keys.map((key) => ({ did: didOf(key), required: false })),
  convened_by: didOf(keys[0]!),
  convened_at: '2026-11-15T10:00:00.000Z',
  deadline_at: '2026-11-16T10:00:00.000Z',
  objection_ms: 0,
}
const motion: Motion = { council_id: 'x', motion_hash: hashOf(body), state: 'TALLIED', body }

function vote(place: number, position: Position, of = motion): TakenPosition {
  const key = keys[place]!
  const [did, reasoning] = [didOf(key), `I am ${position}.`]
  const signed_vote = { motion_hash: of.motion_hash, did, position, reasoning_hash: sha256Hex(reasoning) }
  const signature = signText(key, signingInput('svc-vote-v1', signed_vote))
  const signed = { signature, public_key: publicKeyOf(key), method: 'own' as const }
  const taken_at = new Date('2026-11-15T11:00:00.000Z')
  return { did, revision: 1, position_id: `p${place}`, position, reasoning, signed, taken_at }
}

function verdictOf(taken: readonly TakenPosition[], of = motion): Verdict {
  const verdict_body = bodyOf(of, taken, [], '2026-11-15T12:00:00.000Z')
  const verdict_id = contentHash(verdict_body)
  return { ...verdict_body, verdict_id, ref: refOf(verdict_id), uses: 0, registered: null }
}

const taken = [vote(0, 'for'), vote(1, 'for'), vote(2, 'against')]
const verdict = verdictOf(taken)

test('a verdict follows from its votes, and names the losing side', () => {
  assert.ok(isRecomputable(verdict, motion, taken))
  assert.deepEqual(verdict.dissent, [taken[2]!.did])
  assert.equal(verdict.valid_until, '2026-12-15T12:00:00.000Z')
  assert.deepEqual([idOfRef(verdict.ref), idOfRef('mace://sole-member')], [verdict.verdict_id, undefined])
})

test('nothing can be changed, not even in all rows together, without the keys of the voters', () => {
  const [first, ...others] = taken as [TakenPosition, ...TakenPosition[]]
  const forged = { ...taken[2]!, position: 'for' as const }
  for (const changed of [
    { ...first, position: 'abstain' as const },
    { ...first, reasoning: 'else' },
    { ...first, signed: null },
    { ...first, did: `${first.did}0` },
  ]) {
    assert.ok(!isRecomputable(verdict, motion, [changed, ...others]))
    assert.ok(!isRecomputable(verdictOf([changed, ...others]), motion, [changed, ...others]))
  }
  assert.ok(!isRecomputable(verdict, motion, [{ ...first, position_id: 'q' }, ...others]))
  assert.ok(!isRecomputable(verdict, motion, others), 'a vote is missing')
  assert.ok(
    !isRecomputable(verdictOf([...taken.slice(0, 2), forged]), motion, [...taken.slice(0, 2), forged]),
  )
  const wider = { ...body, binds: [{ ...binds[0]!, subject: 'sha256:8' }] }
  const rewritten = { ...motion, body: wider, motion_hash: hashOf(wider) }
  assert.ok(!isRecomputable(verdict, { ...motion, body: wider }, taken))
  assert.ok(!isRecomputable(verdictOf(taken, rewritten), rewritten, taken), 'they have signed other words')
  assert.ok(!isRecomputable({ ...verdict, max_uses: 9 }, motion, taken))
})

test('two thirds of the votes are a supermajority, and so is the only member', () => {
  assert.ok(isSupermajority(verdict))
  const split = bodyOf(motion, [vote(0, 'for'), vote(1, 'against')], [], body.convened_at)
  assert.ok(!isSupermajority(split))
  assert.ok(!isSupermajority({ ...verdict, counts: { ...verdict.counts, for: 3, against: 2 } }))
  assert.ok(!isSupermajority({ ...verdict, charter_level: false }))
  const sole = {
    tenant_id: 'acme',
    did: taken[0]!.did,
    bind: binds[0]!,
    at: body.convened_at,
    position_id: 'x',
  }
  assert.ok(isSupermajority(soleVerdict(sole)))
})
