import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Model, Proposal } from '@svc/contract/needs/model'
import { refuse } from '@svc/contract/refusal'
import { testContext } from '../../../checks/rehearsal/test-context.ts'
import { orderByModel } from './recall-order.ts'

const texts = ['one', 'two', 'three']

function ask(answer: unknown, demanded = false) {
  const calls: { asked?: Proposal; tokens?: number[] } = {}
  const model: Model = {
    name: 'test',
    async propose(proposal) {
      calls.asked = proposal
      if (answer === undefined) throw refuse('adapter_error', 'The model is away.')
      return { value: answer, tokens_in: 7, tokens_out: 3 }
    },
  }
  const context = testContext<'tokens'>({
    tokens: {
      use(...tokens: number[]) {
        calls.tokens = tokens
      },
    },
  })
  return { seen: calls, ordered: orderByModel(context, model, 'which?', texts, demanded) }
}

test('a model orders the hits; its input is data, and its usage is counted', async () => {
  const { seen, ordered } = ask({ order: [2, 0, 1] })
  assert.deepEqual(await ordered, [2, 0, 1])
  assert.deepEqual(seen.tokens, [7, 3])
  assert.ok(!seen.asked!.instructions.includes('which?') && seen.asked!.text.includes('which?'))
})

test('an answer that is not a permutation changes nothing', async () => {
  for (const order of [[0, 1], [0, 0, 1], [0, 1, 3], [0, 1, 2, 3], 'none', undefined, [0.5, 1, 2]])
    assert.deepEqual(await ask({ order }).ordered, [0, 1, 2])
})

test('an unavailable model is skipped, unless it was required', async () => {
  assert.deepEqual(await ask(undefined).ordered, [0, 1, 2])
  await assert.rejects(ask(undefined, true).ordered, { code: 'adapter_error' })
})
