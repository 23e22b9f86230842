import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withApproval } from './approval.ts'
import { SvcError } from './errors.ts'

function refused(approval_id = 'one', reason = 'approval required'): SvcError {
  const details = { approval_id, approval_tenant: 'acme' }
  return new SvcError({ code: 'approval_required', message: 'It needs approval.', reason, details })
}

/** Each send takes the next of `answers`; each look the next of `states`. */
async function play(answers: (SvcError | string)[], states: (string | undefined)[], within_ms = 60_000) {
  const sleeps: number[] = []
  let sent = 0
  const send = async () => {
    const answer = answers[sent++]!
    if (answer instanceof SvcError) throw answer
    return answer
  }
  const sleep = async (ms: number) => void sleeps.push(ms)
  const stateOf = async () => states.shift()
  const result = await withApproval(send, { within_ms, sleep, signal: undefined, stateOf }).catch((e) => e)
  return { result: result instanceof SvcError ? result.reason : result, sent, sleeps }
}

test('a call that needs no approval is sent once', async () => {
  assert.deepEqual(await play(['done'], []), { result: 'done', sent: 1, sleeps: [] })
})

test('it waits longer each time, and sends the call again once there is a decision', async () => {
  const played = await play([refused(), 'done'], ['PENDING', 'PENDING', 'APPROVED'])
  assert.deepEqual(played, { result: 'done', sent: 2, sleeps: [2_000, 3_000, 4_500] })
})

test('a refusal of the approval is that of the second call', async () => {
  const denied = new SvcError({ code: 'policy_denied', message: 'No.', reason: 'approval refused' })
  const { result, sent } = await play([refused(), denied], ['REFUSED'])
  assert.deepEqual([result, sent], ['approval refused', 2])
})

test('it waits no longer than told, and never asks for a second approval', async () => {
  const late = await play([refused()], Array(9).fill('PENDING'), 6_000)
  assert.deepEqual([late.result, late.sent, late.sleeps], ['approval required', 1, [2_000, 3_000, 1_000]])
  assert.equal((await play([refused()], ['EXPIRED'])).sent, 1)
  assert.equal((await play([refused(), refused('two')], [undefined])).sent, 2)
})

test('without the right to read the approval it repeats the call', async () => {
  const { result, sent } = await play([refused(), refused(), 'done'], [undefined, undefined])
  assert.deepEqual([result, sent], ['done', 3])
})

test('an approval that was used is not waited for', async () => {
  assert.equal((await play([refused('one', 'approval used')], [])).sent, 1)
})
