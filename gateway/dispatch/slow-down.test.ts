import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { refuse } from '@svc/contract/refusal'
import type { Outcome } from '@svc/engine/dispatch'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { openAdmission } from './admission-control.ts'
import { isFarTooFast, slowDown } from './slow-down.ts'

test('an organization that is far too fast is answered one by one, and does not delay another', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const answered: string[] = []
    const ask = (name: string, tenant_id: string) => slowDown(tenant_id).then(() => answered.push(name))
    const answers = [ask('one', 'flood'), ask('two', 'flood'), ask('three', 'flood'), ask('other', 'quiet')]
    const tick = async () => {
      mock.timers.tick(5)
      await new Promise(setImmediate)
    }
    await tick()
    assert.deepEqual(answered, ['one', 'other'])
    await tick()
    assert.deepEqual(answered, ['one', 'other', 'two'])
    answers.push(ask('again', 'flood'))
    await tick()
    assert.deepEqual(answered.slice(3), ['three'])
    await tick()
    await Promise.all(answers)
    assert.deepEqual(answered.slice(3), ['three', 'again'])
  } finally {
    mock.timers.reset()
  }
})

test('only refusals for speed are answered late, only those that are counted, and no large request', () => {
  const refused = (code: 'rate_limited' | 'policy_denied', record_id: string | null) =>
    ({ kind: 'refused', record_id, refusal: refuse(code, 'No.') }) as Outcome
  const judged = [
    refused('rate_limited', null),
    refused('rate_limited', 'recorded'),
    refused('policy_denied', null),
    { kind: 'success', record_id: 'recorded' } as Outcome,
  ]
  assert.deepEqual(
    judged.map((outcome) => isFarTooFast(outcome, 16_384)),
    [true, false, false, false],
  )
  assert.equal(isFarTooFast(judged[0]!, 16_385), false)
})

test('whoever is answered late has no place meanwhile, and the bytes of its request count', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const limits = { calls_max: 1, body_bytes_max: 100 }
    const admission = openAdmission(limits, manualClock('2026-11-19T10:00:00.000Z'))
    const place = admission.enter('flood')
    place.hold(60)
    const slow = slowDown('flood', place)
    assert.deepEqual([admission.calls, admission.body_bytes], [0, 60])
    admission.enter('other').leave()
    mock.timers.tick(5)
    await slow
    place.leave()
    assert.deepEqual([admission.calls, admission.body_bytes], [0, 0])
  } finally {
    mock.timers.reset()
  }
})
