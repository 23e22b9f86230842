import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import { openSignature } from '@svc/contract/identity/did-auth'
import { refuse } from '@svc/contract/refusal'
import { newSigner } from '../../checks/conformance/gateway/gateway-scene.ts'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import type { FromEngine } from './relay-upstream.ts'
import { openReporter } from './report-refusals.ts'

const signer = newSigner()

/** A reporter before an engine that answers as the test says; 0 means unreachable. */
function open(...answers: number[]) {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const sent: { id: string; ids: string[] }[] = []
  const logged: string[] = []
  const say = (_fields: object, message: string) => void logged.push(message)
  const reporter = openReporter({
    signer,
    engine_did: newSigner().did,
    clock,
    log: { debug() {}, info: say, warn: say, error: say },
    upstream: {
      async ask({ headers, body }) {
        const signed = openSignature(headers().authorization)
        assert.ok(typeof signed !== 'string')
        const { refusals } = JSON.parse(String(body)) as { refusals: { id: string }[] }
        sent.push({ id: signed.id, ids: refusals.map(({ id }) => id) })
        const statusCode = answers.shift() ?? 204
        if (statusCode === 0) throw refuse('no_endpoint_available', 'away')
        return Object.assign(Readable.from([]), { headers: {}, rawHeaders: [], statusCode }) as FromEngine
      },
      letGo() {},
      close() {},
    },
  })
  const entry = (): AuditEntry => ({
    id: clock.uuid(),
    event_type: 'SecurityViolation',
    correlation_id: clock.uuid(),
    timestamp: new Date(clock.now_ms()).toISOString(),
    tenant_id: 'acme',
    caller_did: 'unauthenticated',
    outcome: 'refused',
    latency_ms: 0,
    meta: { code: 'unauthenticated', reason: 'no credential' },
  })
  const record = () => {
    const one = entry()
    reporter.record(one)
    return one.id
  }
  return { reporter, sent, logged, record }
}

test('an undelivered report is sent again unchanged, before later ones', async () => {
  const { reporter, sent, record } = open(0, 503)
  const first = record()
  await reporter.send()
  const second = record()
  await reporter.send()
  await reporter.send()
  assert.deepEqual(
    sent.map(({ ids }) => ids),
    [[first], [first], [first], [second]],
  )
  assert.equal(new Set(sent.slice(0, 3).map(({ id }) => id)).size, 1)
  assert.notEqual(sent[3]?.id, sent[0]?.id)
  await reporter.send()
  assert.equal(sent.length, 4, 'what was taken is not sent again')
})

test('reports are small, and delivered ones free their space', async () => {
  const { reporter, sent, record } = open(0)
  for (let n = 0; n < 1_000; n++) record()
  assert.equal(reporter.hasRoom(), false)
  await reporter.send()
  assert.equal(reporter.hasRoom(), false)
  await reporter.send()
  assert.equal(reporter.hasRoom(), true)
  assert.deepEqual(
    sent.map(({ ids }) => ids.length),
    [100, ...Array(10).fill(100)],
  )
})

test('an undeliverable report is logged and dropped; so is what is left at the end', async () => {
  const given_up = open(422)
  given_up.record()
  await given_up.reporter.send()
  assert.equal(given_up.logged.at(-1), 'the engine does not take these refusals')
  await given_up.reporter.close()
  assert.equal(given_up.sent.length, 1)
  const left = open(0)
  left.record()
  await left.reporter.close()
  assert.equal(left.logged.at(-1), 'these refusals reached no engine')
})
