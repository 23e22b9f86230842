import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileDomain } from './domain.ts'
import { leastWorkOf } from './least-work.ts'

test('each method is looked at a few times, in whatever order they stand, and not at all when it is late', () => {
  const length = 400
  const taskAt = (at: number) => ({ task: at === length ? 'step' : `t${at}` })
  const methods = Array.from({ length }, (_, at) => ({
    ...taskAt(at),
    subtasks: [taskAt(at + 1), { task: 'step' }],
  }))
  const step = { name: 'step', duration: { opt: 2, likely: 2, pess: 2 }, cost: 3 }
  const compiled = compileDomain({ methods, operators: [step] })
  assert.ok('domain' in compiled)
  let looks = 0
  const leastOf = leastWorkOf(compiled.domain, () => ++looks < 0)
  const steps = length + 1
  assert.deepEqual(leastOf('t0'), { makespan: 2 * steps, cost: 3 * steps, steps })
  assert.ok(looks >= length && looks <= 3 * length, `${looks} looks`)
  const leastWhenLate = leastWorkOf(compiled.domain, () => true)
  assert.deepEqual(leastWhenLate('t0'), { makespan: 0, cost: 0, steps: 0 })
})
