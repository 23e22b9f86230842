import assert from 'node:assert/strict'
import { test } from 'node:test'
import { advance, isCharterOperation, type MotionBody, motion_states } from './motion.ts'

const day_ms = 86_400_000
const deadline = '2026-11-20T00:00:00.000Z'
const body = { deadline_at: deadline } as MotionBody
const after = (days: number) => new Date(Date.parse(deadline) + days * day_ms)

test('a motion without a quorum lapses at its deadline, one with a quorum seven days later, and no other ever', () => {
  assert.deepEqual(advance({ state: 'CONVENED', body }, after(-0.001)), {
    state: 'CONVENED',
    next_at: after(0),
  })
  assert.deepEqual(advance({ state: 'CONVENED', body }, after(0)), { state: 'LAPSED', next_at: null })
  assert.deepEqual(advance({ state: 'OPEN', body }, after(6.999)), { state: 'OPEN', next_at: after(7) })
  assert.deepEqual(advance({ state: 'OPEN', body }, after(7)), { state: 'LAPSED', next_at: null })
  for (const state of motion_states.filter(
    (motion_state) => motion_state !== 'CONVENED' && motion_state !== 'OPEN',
  ))
    assert.deepEqual(advance({ state, body }, after(1000)), { state, next_at: null })
})

test('operations that bind the whole organization are known by name', () => {
  const is = (name: string) => {
    const [protocol, operation] = name.split('.') as [string, string]
    return isCharterOperation({ protocol, operation })
  }
  for (const name of [
    'MOAT.sign',
    'MOAT.sign_amendment',
    'MAUSOLEUM.initiate',
    'MAXIM.author',
    'MEAL.admin_set_rate',
  ])
    assert.ok(is(name), name)
  for (const name of ['MOAT.propose', 'MEAL.statement', 'MIND.sign']) assert.ok(!is(name), name)
})
