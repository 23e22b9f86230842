import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Reply, startModel } from '../../checks/test-model.ts'
import { openAiModel } from './openai.ts'

const schema = {
  type: 'object',
  properties: { answer: { type: 'number' } },
  required: ['answer'],
  additionalProperties: false,
}
const wanted = { instructions: 'Count.', text: 'one two', schema, tokens_out_max: 50 }

async function ask(reply: Reply, signal = new AbortController().signal) {
  const server = await startModel(() => reply)
  try {
    const model = openAiModel({ url: server.url, name: 'small', key: 'secret-key' })
    return { proposed: await model.propose(wanted, signal), asked: server.asked }
  } finally {
    await server.close()
  }
}

test('a value of the wanted shape comes with what it cost, and the text never among the instructions', async () => {
  const { proposed, asked } = await ask({ value: { answer: 2 } })
  assert.deepEqual(proposed, { value: { answer: 2 }, tokens_in: 21, tokens_out: 7 })
  const [question] = asked
  assert.equal(question!.model, 'small')
  assert.equal(question!.authorization, 'Bearer secret-key')
  assert.deepEqual(
    question!.messages.map(({ role, content }) => [role, content.includes('one two')]),
    [
      ['system', false],
      ['user', true],
    ],
  )
})

for (const [what, reply] of [
  ['a value of another shape', { value: { answer: 'two' } }],
  ['text that is no JSON', { text: 'It is two.' }],
  ['a failure', { status: 400 }],
] as const) {
  test(`${what} is refused without a word of what the far side said`, async () => {
    await assert.rejects(ask(reply), ({ code, message }: { code?: string; message: string }) => {
      assert.equal(code, 'adapter_error')
      assert.doesNotMatch(message, /secret-key|It is two/)
      return true
    })
  })
}

test('who gives up is not kept waiting', async () => {
  await assert.rejects(ask('silence', AbortSignal.timeout(200)), { name: 'TimeoutError' })
})
