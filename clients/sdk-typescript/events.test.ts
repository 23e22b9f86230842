import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readEvents, type ServerEvent } from './events.ts'

async function eventsIn(pieces: Iterable<string>, chars_max?: number): Promise<ServerEvent[]> {
  const server_events: ServerEvent[] = []
  async function* given() {
    yield* pieces
  }
  for await (const event of readEvents(given(), chars_max)) server_events.push(event)
  return server_events
}

const line = fc.string({ unit: fc.constantFrom('a', ':', ' ', '{', '"', 'é', '\u2028'), maxLength: 8 })
const sent_events = fc.array(
  fc.record({ event: fc.constantFrom('progress', 'result'), lines: fc.array(line, { minLength: 1 }) }),
  { maxLength: 6 },
)

test('events are parsed the same however the stream is split and its lines end', async () => {
  const property = fc.asyncProperty(
    sent_events,
    fc.constantFrom('\n', '\r\n', '\r'),
    fc.array(fc.nat(300), { maxLength: 20 }),
    async (events, end, cuts) => {
      const text = events
        .map(({ event, lines }) => [`event: ${event}`, ...lines.map((each) => `data: ${each}`), '', ''])
        .map((each) => each.slice(0, -1).join(end) + end)
        .join('')
      const places = [0, ...cuts.filter((at) => at < text.length).sort((a, b) => a - b), text.length]
      const pieces = places.slice(1).map((to, i) => text.slice(places[i], to))
      const expected = events.map(({ event, lines }) => ({ event, data: lines.join('\n') }))
      assert.deepEqual(await eventsIn(pieces), expected)
    },
  )
  await fc.assert(property)
})

test('comments, unknown fields and events without data are ignored; one space after the colon is dropped', async () => {
  const text = ': hello\n\nevent: empty\n\nid: 7\nretry: 5\ndata\ndata:x\ndata:  y\n\n'
  assert.deepEqual(await eventsIn([text]), [{ event: 'message', data: '\nx\n y' }])
})

test('an unfinished event is ignored', async () => {
  assert.deepEqual(await eventsIn(['data: a\n\ndata: b\n']), [{ event: 'message', data: 'a' }])
})

test('data larger than any answer is not buffered, in one line or in many', async () => {
  const many = Array.from({ length: 200 }, () => 'data: x\n')
  for (const pieces of [many, Array.from({ length: 200 }, () => 'xxxxxxx')])
    await assert.rejects(eventsIn(pieces, 1_000), { code: 'bad_answer' })
  assert.equal((await eventsIn(['data: x\n\n'.repeat(500)], 1_000)).length, 500)
})
