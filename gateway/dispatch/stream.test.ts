import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { OperationContext } from '@svc/contract/operation-context'
import type { OperationFacts } from '@svc/contract/operation-facts'
import { refuse } from '@svc/contract/refusal'
import { openTestEndpoint } from '../../checks/engines/test-endpoint.ts'
import { askedOf, counted_input, gist, tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import { eventually } from '../../checks/suite/eventually.ts'

const { request } = askedOf()
const stream = { accept: 'text/event-stream' }

async function open(
  t: TestContext,
  work: (context: OperationContext) => unknown,
  facts?: Partial<OperationFacts>,
) {
  const opened = await openTestEndpoint([tryProtocol((_input, context) => work(context), facts)])
  t.after(() => opened.close())
  return opened
}

interface Event {
  readonly event: string
  readonly data: unknown
}
async function eventsOf(response: Response): Promise<Event[]> {
  const blocks = (await response.text()).split('\n\n').filter((block) => block !== '')
  return blocks.map((block) => {
    const [event, data, ...more] = block.split('\n')
    assert.deepEqual(more, [], block)
    return { event: event!.replace('event: ', ''), data: JSON.parse(data!.replace('data: ', '')) }
  })
}

test('progress as it happens, then one result that is the plain answer', async (t) => {
  const { post, records } = await open(t, async (context) => {
    context.progress({ message: 'first', fraction: 0.5 })
    context.progress({ message: 'line\nbreak' })
    return { done: true }
  })
  const response = await post(request, stream)
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  const events = await eventsOf(response)
  assert.deepEqual(events.slice(0, 2), [
    { event: 'progress', data: { message: 'first', fraction: 0.5 } },
    { event: 'progress', data: { message: 'line\nbreak' } },
  ])
  assert.deepEqual([events.length, events[2]?.event], [3, 'result'])
  const { output, metadata } = events[2]!.data as { output: unknown; metadata: { audit_record_id: string } }
  assert.deepEqual([output, metadata.audit_record_id], [{ done: true }, records()[0]?.id])
})

test('a refusal ends the stream as one error event with the plain body', async (t) => {
  const { post, records } = await open(t, () => ({}), { input: counted_input })
  const response = await post(request, stream)
  const events = await eventsOf(response)
  assert.deepEqual([events.length, events[0]?.event], [1, 'error'])
  const { error } = events[0]!.data as { error: { code: string; correlation_id: string } }
  assert.equal(error.code, 'invalid_payload')
  assert.equal(error.correlation_id, response.headers.get('x-correlation-id'))
  assert.deepEqual(records().map(gist), ['Error refused invalid_payload stage 7'])
})

test('progress beyond the limit is dropped, the result is not', async (t) => {
  const { post } = await open(t, (context) => {
    for (let i = 0; i < 10_050; i++) context.progress({ message: 'x' })
    return {}
  })
  const events = await eventsOf(await post(request, stream))
  assert.equal(events.at(-1)?.event, 'result')
  assert.ok(events.length <= 10_001)
})

test('an operation whose events all count learns that nobody reads them, and says so at the end', async (t) => {
  const text = 'x'.repeat(8_192)
  const { post } = await open(t, (context) => {
    for (let n = 1; n <= 9_000; n++)
      if (context.progress({ id: String(n), message: text }) === 'dropped')
        throw refuse('policy_denied', `Ended before ${n}.`, { reason: 'reads too slowly' })
    return {}
  })
  const blocks = (await (await post(request, stream)).text()).split('\n\n').filter((block) => block !== '')
  assert.match(blocks[0]!, /^id: 1\nevent: progress\ndata: /)
  assert.match(blocks.at(-1)!, new RegExp(`^event: error\n.*Ended before ${blocks.length}\\.`))
})

test('a journal failure ends as an error, whether or not the stream had begun', async (t) => {
  let says_something = false
  const { post, ports } = await open(t, (context) => {
    if (says_something) context.progress({ message: 'begun' })
    return {}
  })
  ports.audit_log.failWrites(new Error('disk full'))
  const before = await post(request, stream)
  assert.equal(before.status, 500)
  assert.equal(((await before.json()) as { error: { code: string } }).error.code, 'internal')
  says_something = true
  const events = await eventsOf(await post(request, stream))
  assert.deepEqual(
    events.map(({ event }) => event),
    ['progress', 'error'],
  )
  assert.equal((events[1]!.data as { error: { code: string } }).error.code, 'internal')
})

test('a handler learns that its caller left, and the call still ends with its record', async (t) => {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>()
  const { post, records } = await open(t, async (context) => {
    context.signal.addEventListener('abort', () => leave(), { once: true })
    context.progress({ message: 'begun' })
    await left
    return { finished: true }
  })
  const reader = (await post(request, stream)).body!.getReader()
  await reader.read()
  await reader.cancel()
  await left
  await eventually(() => assert.deepEqual(records().map(gist), ['ProtocolInvocation success ok stage -']))
})
