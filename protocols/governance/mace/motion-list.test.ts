import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashOf, type Motion, type MotionBody } from '../motions/motion.ts'
import { quorumOf } from '../motions/quorum.ts'
import { bodyOf } from '../motions/verdict.ts'
import { motionDetail, motionItem } from './motion-list.ts'

const did = (letter: string) => `did:oas:acme:agent:${letter.repeat(64)}`
const id = '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'

const body: MotionBody = {
  v: 1,
  tenant_id: 'acme',
  motion_id: id,
  title: 'A motion',
  text: 'Let it be so.',
  binds: [],
  effects: [],
  authority_ttl_days: 30,
  max_uses: 1,
  executor_did: null,
  convened_by: did('a'),
  convened_at: '2026-11-15T10:00:00.000Z',
  deadline_at: '2026-11-16T10:00:00.000Z',
  objection_ms: 0,
  seats: ['a', 'b', 'c'].map((letter) => ({ did: did(letter), required: false })),
  quorum: quorumOf('majority'),
  min_delegates: 1,
  charter_level: false,
}
const motion: Motion = { council_id: id, motion_hash: hashOf(body), state: 'OPEN', body }
const taken = (['for', 'for', 'against'] as const).map((position, place) => ({
  did: did('abc'[place]!),
  revision: 1,
  position_id: id,
  position,
  reasoning: `Because ${position}.`,
  signed: null,
  taken_at: new Date('2026-11-15T11:00:00.000Z'),
}))

test('before the verdict only attendance is shown, afterwards every final position', () => {
  const votes = new Map(taken.map(({ did: who, position }) => [who, position]))
  const open = motionItem(motion, votes, undefined)
  assert.deepEqual([open.attendance, open.seats], [{ present: 3, needed: 2 }, 3])
  const before = motionDetail(motion, taken, undefined)
  assert.doesNotMatch(JSON.stringify([open, before]), /Because|"for"|against"/)
  const tallied_at = '2026-11-15T12:00:00.000Z'
  const ref = `mace://verdict/sha256:${'0'.repeat(64)}`
  const declared = bodyOf(motion, taken, [], tallied_at)
  const verdict = { ...declared, verdict_id: ref.slice(15), ref, uses: 0, registered: null }
  const after = motionDetail(motion, taken, verdict)
  assert.deepEqual(after.verdict?.dissent, [
    { did: did('c'), reasoning: 'Because against.', position_id: id },
  ])
  assert.deepEqual(
    after.positions?.map(({ position, signed }) => `${position} ${signed}`),
    ['for no', 'for no', 'against no'],
  )
  assert.deepEqual(after.quorum, { attendance: '>1/2', threshold: '>1/2', min_delegates: 1 })
  assert.equal(motionItem({ ...motion, state: 'TALLIED' }, votes, verdict).verdict?.dissent, 1)
})
