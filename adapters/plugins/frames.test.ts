import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FrameReader, frameOf } from './frames.ts'
import type { ToEngine } from './sandbox/words.ts'

const bytes_max = 1_024
const messages: readonly ToEngine[] = [
  { loaded: ['run'] },
  { log: { level: 'info', message: 'ü' } },
  { progress: { message: 'half', fraction: 0.5 } },
  { call: { protocol: 'MIND', operation: 'recall', input: '{}' } },
  { audit: { event_type: 'custom.x', meta: '{}' } },
  { refused: { code: 'not-found', message: 'No.', reason: 'none' } },
  { trapped: 'unreachable' },
  { answered: '{"loaded":["x"]}' },
]

function readAll(reader: FrameReader, chunks: readonly Buffer[]): ToEngine[] {
  return chunks.flatMap((chunk) => [...reader.read(chunk)])
}

test('messages arrive complete, wherever the stream is cut', () => {
  const stream = Buffer.concat(messages.map(frameOf))
  for (let cut = 0; cut <= stream.length; cut++) {
    const chunks = [stream.subarray(0, cut), stream.subarray(cut)]
    assert.deepEqual(readAll(new FrameReader(bytes_max), chunks), messages)
  }
  const bytes = [...stream].map((byte) => Buffer.of(byte))
  assert.deepEqual(readAll(new FrameReader(bytes_max), bytes), messages)
})

test('a frame that is too large is refused by its first four bytes', () => {
  const head = Buffer.alloc(4)
  head.writeUInt32LE(bytes_max + 1)
  assert.throws(() => readAll(new FrameReader(bytes_max), [head]), /1025 bytes at once/)
  assert.throws(() => readAll(new FrameReader(bytes_max), [Buffer.alloc(4, 0xff)]), /4294967295 bytes/)
})

test('a message that no sandbox sends is refused', () => {
  const raw = (text: string) => {
    const body = Buffer.from(text)
    const head = Buffer.alloc(4)
    head.writeUInt32LE(body.length)
    return Buffer.concat([head, body])
  }
  for (const text of ['', 'x', '{', '\xff', '{"answered"'])
    assert.throws(() => readAll(new FrameReader(bytes_max), [raw(text)]), /no JSON/)
  assert.throws(() => readAll(new FrameReader(bytes_max), [raw('['.repeat(500))]), /deeper than 128/)
  const strange = [
    'null',
    '7',
    '"answered"',
    '[]',
    '{}',
    '{"answered":{}}',
    '{"answered":"{}","trapped":"x"}',
    '{"loaded":"run"}',
    '{"loaded":[7]}',
    '{"refused":null}',
    '{"refused":{"code":7,"message":"x"}}',
    '{"refused":{"code":"x","message":"x","details":{}}}',
    '{"call":{"protocol":"MIND"}}',
    '{"log":null}',
    '{"progress":{"message":"x","fraction":null}}',
    '{"died":"x"}',
    '{"late_ms":1}',
    '{"constructor":"x"}',
    '{"__proto__":{"answered":"x"}}',
  ]
  for (const text of strange)
    assert.throws(() => readAll(new FrameReader(bytes_max), [raw(text)]), /no sandbox says/, text)
})

test('any input gives messages or an error, and little is buffered', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 64 })), (chunks) => {
      try {
        readAll(
          new FrameReader(bytes_max),
          chunks.map((chunk) => Buffer.from(chunk)),
        )
      } catch (error) {
        assert.match((error as Error).message, /^(it said|of what it said)/)
      }
    }),
  )
})
