// What arrives in pieces: events, answers, journal frames, packets.
import assert from 'node:assert/strict'
import type { Target } from '../target.ts'
import { attempt, fieldsIn, valueIn } from './input.ts'

export const stream_targets: Readonly<Record<string, Target>> = {
  events: {
    files: [
      'clients/sdk-typescript/events.ts',
      'clients/sdk-typescript/answer',
      'clients/sdk-typescript/errors.ts',
    ],
    seeds: [
      'event: progress\ndata: {"a":1}\n\n: still\r\n\r\ndata\ndata: x\rid: 1\r\r',
      'event: error\ndata: {"error":{"code":"internal","message":"m","details":{},"retry_after_ms":5}}\n\n',
      'event: result\ndata: {"output":{},"metadata":{"correlation_id":"c"},"dry_run":{"verdict":"allowed","stages":[]}}\n\n',
    ],
    words: ['event:', 'data:', '\r\n', '\n\n', 'retry_after_ms'],
    async load() {
      const { readEvents } = await import('@svc/sdk/events')
      const { answerOf, dryRunOf, whoamiOf } = await import('@svc/sdk/answer')
      const { refusalOf, SvcError } = await import('@svc/sdk/errors')
      const headers = { correlation_id: null, traceparent: null, rate_limit: null }
      const eventsOf = async (pieces: readonly string[]) => {
        async function* stream() {
          yield* pieces
        }
        return await Array.fromAsync(readEvents(stream()))
      }
      return async (input) => {
        const events = await eventsOf([input])
        assert.deepEqual(await eventsOf([...input]), events, 'wherever the stream is split')
        for (const { data } of events) {
          const reply = { body: valueIn(data), headers, api_url: 'http://x' }
          for (const read of [answerOf, dryRunOf, whoamiOf]) await attempt(() => read(reply), SvcError)
          JSON.stringify(refusalOf(reply.body, 500, data, {}))
        }
      }
    },
  },

  frame: {
    files: [
      'audit/journal/frame.ts',
      'adapters/plugins/frames.ts',
      'adapters/plugins/weigh-json.ts',
      'adapters/devices/packet-guard.ts',
    ],
    seeds: [
      '{"a":1}',
      '{"answered":"x"}',
      '{"call":{"protocol":"MAX","operation":"x","input":"{}"}}',
      '\u0010\u0005\0\0\0{"a":1}',
    ],
    async load() {
      const { decodeFrame, encodeFrame, hasFrameAfter } = await import('@svc/audit/journal/frame')
      const { FrameReader, frameOf } = await import('@svc/adapters/plugins/frames')
      const { packetCounter } = await import('@svc/adapters/devices/packet-guard')
      const reader = () => new FrameReader(10_000)
      return async (input) => {
        const bytes = Buffer.from(input, 'latin1')
        packetCounter(1_000)(bytes)
        decodeFrame(bytes, 0)
        hasFrameAfter(bytes, 0)
        const frame = decodeFrame(encodeFrame(`{${input.toWellFormed()}`), 0)
        assert.ok(typeof frame === 'object' && frame.records === `{${input.toWellFormed()}`)
        const words = fieldsIn(input)
        const [message] =
          (await attempt(() => [...reader().read(frameOf(words))], RangeError, TypeError)) ?? []
        if (message) assert.deepEqual(message, words)
        await attempt(() => [...reader().read(bytes)], RangeError, TypeError)
      }
    },
  },
}
