import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOtlpReceiver } from '../../checks/telemetry/otlp-receiver.ts'
import { spanExporter } from './span-exporter.ts'

test('a batch the collector cannot take now is sent again; one it refuses or fails on is not', async (t) => {
  const collector = await openOtlpReceiver()
  t.after(() => collector.close())
  const parts = { clock: { uuid: () => '' }, instance: 'one', engine_did: 'did:x' }
  const send = spanExporter(collector.url, parts)
  const verdicts = new Map<number, string>()
  for (const status of [200, 400, 408, 413, 429, 500, 501, 502, 503, 504]) {
    collector.status = status
    verdicts.set(status, await send([]))
  }
  const answered = (verdict: string) =>
    [...verdicts].filter(([, answer]) => answer === verdict).map(([at]) => at)
  assert.deepEqual(answered('taken'), [200])
  // As in OTLP: a batch that makes the collector fail would fail forever and block all others.
  assert.deepEqual(answered('again'), [429, 502, 503, 504])
})
