import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Reply, startModel } from '../../checks/neighbours/test-model.ts'
import { openAiModel } from './openai.ts'

const schema = {
  type: 'object',
  properties: { answer: { type: 'number' } },
  required: ['answer'],
  additionalProperties: false,
}
const prompt = { instructions: 'Count.', text: 'one two', schema, tokens_out_max: 50 }

async function ask(reply: Reply, signal = new AbortController().signal, ...later: Reply[]) {
  const replies = [reply, ...later]
  const server = await startModel(() => (replies.length > 1 ? replies.shift()! : replies[0]!))
  try {
    const model = openAiModel({ url: server.url, name: 'small', key: 'secret-key' })
    return { proposed: await model.propose(prompt, signal), asked: server.asked }
  } finally {
    await server.close()
  }
}

test('a value of the requested shape comes with its cost, and the text is never part of the instructions', async () => {
  const { proposed, asked } = await ask({ value: { answer: 2 } })
  assert.deepEqual(proposed, { value: { answer: 2 }, tokens_in: 21, tokens_out: 7 })
  const [question] = asked
  assert.equal(question!.model, 'small')
  assert.equal(question!.authorization, 'Bearer secret-key')
  assert.equal(question!.max_tokens, 50)
  assert.deepEqual(question!.response_format, {
    type: 'json_schema',
    json_schema: { schema, strict: true, name: 'response' },
  })
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
  ['a reserved name', { text: '{"answer":2,"__proto__":{}}' }],
  ['a failure', { status: 400 }],
] as const) {
  test(`${what} is refused without quoting the remote side`, async () => {
    await assert.rejects(ask(reply), ({ code, message }: { code?: string; message: string }) => {
      assert.equal(code, 'adapter_error')
      assert.doesNotMatch(message, /secret-key|It is two/)
      return true
    })
  })
}

test('a caller who gives up does not wait', async (t) => {
  const leaving = new AbortController()
  const server = await startModel(() => {
    leaving.abort()
    return 'silence'
  })
  t.after(() => server.close())
  const model = openAiModel({ url: server.url, name: 'small', key: 'secret-key' })
  await assert.rejects(model.propose(prompt, leaving.signal), { name: 'AbortError' })
})

test('a busy endpoint is retried once, after the time it names', async () => {
  const busy = { status: 429, retry_after_ms: 1 }
  const { proposed, asked } = await ask(busy, undefined, { value: { answer: 2 } })
  assert.deepEqual(proposed.value, { answer: 2 })
  assert.equal(asked.length, 2)
  await assert.rejects(ask(busy), { code: 'adapter_error', message: /status 429/ })
})
