import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { testContext } from '../../../checks/rehearsal/test-context.ts'
import { reliabilityOf } from './fusion-reliability.ts'

type Answer = { weight: number; n: number; manual: boolean; sources: number }

function contextWith(answer: (source: string) => Answer, requests: string[] = []): OperationContext {
  const call = async (_protocol: string, _operation: string, { source }: { source: string }) => {
    requests.push(source)
    return answer(source)
  }
  return testContext({ call })
}

test('a set weight counts as set, a learned one relative to the best, and unknown sources as unknown', async () => {
  const answers: Record<string, Answer> = {
    set: { weight: 0.1, n: 0, manual: true, sources: 4 },
    best: { weight: 0.6, n: 9, manual: false, sources: 4 },
    worse: { weight: 0.15, n: 9, manual: false, sources: 4 },
    new: { weight: 0.25, n: 0, manual: false, sources: 4 },
  }
  const context = contextWith((source) => answers[source]!)
  const reliability = await reliabilityOf(context, ['new', 'worse', 'best', 'set', 'best'])
  assert.deepEqual(reliability, { best: 0.8, new: 0.8, set: 0.1, worse: 0.2 })
  assert.deepEqual(await reliabilityOf(context, ['worse']), { worse: (0.8 * 0.15) / 0.25 })
})

test('a caller without permission asks once, and all sources count as unknown; a failure is passed on', async () => {
  const requests: string[] = []
  const denied = contextWith(() => {
    throw refuse('capability_denied', 'No.')
  }, requests)
  assert.deepEqual(await reliabilityOf(denied, ['b', 'a', 'c']), { a: 0.8, b: 0.8, c: 0.8 })
  assert.deepEqual(requests, ['a'])
  const broken = contextWith(() => {
    throw refuse('timeout', 'Late.')
  })
  await assert.rejects(reliabilityOf(broken, ['a']), { code: 'timeout' })
})
