// Secrets are searched for, in every form, everywhere they could have leaked.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { dispatch } from '../engines/running-engine.ts'
import { eventually } from '../suite/eventually.ts'
import { type OtlpReceiver, openOtlpReceiver } from '../telemetry/otlp-receiver.ts'
import { type AttackedEngine, goodCall, openAttackedEngine } from './attacked-engine.ts'
import { headersOf, requestOf, soundBody } from './input/bad-case.ts'
import { exchange } from './input/raw-http.ts'

const master_key = randomBytes(32).toString('hex')
const payload = `payload_${randomBytes(12).toString('hex')}`
const cause = `cause_${randomBytes(12).toString('hex')}`

let target: AttackedEngine
let collector: OtlpReceiver
let kept_record_id: string
/** Bodies of every refusal, by what was sent. */
const refusals = new Map<string, string>()

before(async () => {
  collector = await openOtlpReceiver()
  const env = { SVC_LOG: 'trace', SVC_OTEL_ENDPOINT: collector.url, SVC_TRACE_SAMPLE_RATE: '1' }
  target = await openAttackedEngine({ master_key, env })
  await sendGood()
  await sendBad()
})
after(async () => {
  await target.stop()
  await collector.close()
})

async function sendGood(): Promise<void> {
  const { acme } = target
  const keep = { protocol: 'PROBE', operation: 'keep', input: { note: payload, deep: { list: [payload] } } }
  for (const headers of [
    {},
    { prefer: 'wait=audit' },
    { 'x-svc-dry-run': 'true' },
    { accept: 'text/event-stream' },
  ]) {
    const answer = await dispatch(acme, keep, headers)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    kept_record_id ??= answer.body.metadata.audit_record_id
  }
  assert.equal((await dispatch(acme, { ...keep, idempotency_key: 'once' })).status, 200)
  assert.equal((await dispatch(acme, { ...keep, idempotency_key: 'once' })).body.metadata.replayed, true)
}

/** Secrets in right and wrong places, in requests that are refused in every possible way. */
async function sendBad(): Promise<void> {
  const { acme, rival, port } = target
  const call = { protocol: 'PROBE', operation: 'keep', input: { note: payload } }
  const dispatches: Record<string, Parameters<typeof dispatch>[1]> = {
    'a value the schema does not know': { ...call, operation: 'look', input: { extra: payload } },
    'a key the schema does not know': { ...call, operation: 'look', input: { [payload]: 1 } },
    'a wrong type': { ...call, operation: 'look', input: payload },
    'an operation that is not there': { ...call, operation: 'nope' },
    'a version that is not there': { ...call, version: 'v9' },
    "another's tenant": { ...call, tenant_id: 'rival' },
    'a key used for something else': { ...call, idempotency_key: 'once' },
    'half a body': `{"input":"${payload}`,
    'no dispatch': JSON.stringify({ input: payload, extra: payload, [payload]: payload }),
    'a key twice': `{"input":"${payload}","input":"${payload}"}`,
    'a module that breaks': { protocol: 'PROBE', operation: 'fail', input: { text: cause } },
  }
  for (const [name, request] of Object.entries(dispatches)) {
    const answer = await dispatch(acme, request)
    assert.ok(answer.status >= 400, name)
    refusals.set(name, JSON.stringify(answer.body))
  }
  const secret = acme.api_key
  const [authorization, ...others] = headersOf(acme)
  const basic = Buffer.from(`acme:${secret}`).toString('base64')
  const raw: Record<string, Buffer> = {
    'the key in the address': requestOf(acme, { path: `/v1/dispatch?api_key=${secret}`, headers: others }),
    'the key as a DID': requestOf(acme, { headers: [authorization!, ['X-Agent-Did', secret]] }),
    'the key in a cookie': requestOf(acme, { headers: [...others, ['Cookie', `key=${secret}`]] }),
    'the key as a password': requestOf(acme, { headers: [...others, ['Authorization', `Basic ${basic}`]] }),
    'the key and more': requestOf(acme, { headers: [...others, ['Authorization', `Bearer ${secret}x`]] }),
    'the key of another': requestOf(rival, { headers: [authorization!, ...headersOf(rival).slice(1)] }),
    'the key twice': requestOf(acme, { headers: [authorization!, authorization!, ...others] }),
    'the key and a broken line': Buffer.from(requestOf(acme).toString().replace('Host', 'Host ')),
    'the key for tracing': requestOf(target.acme, {
      method: 'GET',
      path: '/admin/trace',
      headers: others,
      body: '',
    }),
    'a payload that is too large': requestOf(acme, {
      body: soundBody(acme).replace('{}', `"${payload.repeat(40_000)}"`),
    }),
  }
  for (const [name, bytes] of Object.entries(raw)) {
    const [answer] = (await exchange(port, bytes)).answers
    assert.ok(answer && answer.status >= 400, name)
    refusals.set(name, answer.text)
  }
}

/** A secret itself, and printed as bytes. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    JSON.stringify(secret).slice(1, -1),
  ]
}

function secrets(): Record<string, string[]> {
  const { api_key } = target.acme
  const raw_master = Buffer.from(master_key, 'hex')
  return {
    'the API key': formsOf(api_key.slice(-43)),
    'the payload': formsOf(payload),
    'the master key': [
      master_key,
      raw_master.toString('base64'),
      raw_master.toString('latin1'),
      raw_master.toString('base64url'),
    ],
  }
}

function assertNowhere(where: string, text: string): void {
  for (const [what, forms] of Object.entries(secrets())) {
    for (const form of forms) assert.ok(!text.includes(form), `${what} is in ${where}`)
  }
}

test('no secret is in a log line, though everything was logged', () => {
  assert.ok(target.logs().includes(cause), 'what broke is in the log, so the log was read')
  assertNowhere('the log', target.logs())
})

test('no secret is in the metrics', async () => {
  const metrics = await target.metrics()
  assert.ok(metrics.includes('code="invalid_payload"'))
  assertNowhere('the metrics', metrics)
  assert.ok(!metrics.includes(cause))
})

test('no secret is in a trace, though every call was traced', async () => {
  const broken = () => collector.spans.filter(({ attributes }) => attributes['svc.operation'] === 'fail')
  await eventually(() => assert.ok(broken().length > 0))
  assert.ok(collector.spans.some(({ attributes }) => attributes['svc.refusal_reason'] === 'invalid_payload'))
  for (const body of collector.bodies) {
    assertNowhere('what the collector got', body)
    assert.ok(!body.includes(cause), 'a trace tells why a module broke')
  }
})

test('no refusal quotes what it refuses', () => {
  for (const [name, text] of refusals) {
    // Payload faults point at its keys: a key that is a secret may be returned to its own caller.
    const answer_text = name === 'a key the schema does not know' ? text.replaceAll(`/${payload}`, '') : text
    assertNowhere(`the answer to ${name}`, answer_text)
    assert.ok(!text.includes(cause), `the answer to ${name} tells why a module broke`)
  }
})

test('no secret is in any audit log', async () => {
  const last = await goodCall(target.acme)
  const bodies = await Promise.all(
    ['acme', 'rival', 'operator'].map((tenant) => target.records(tenant, last)),
  )
  assert.ok(bodies.flat().length >= refusals.size)
  assertNowhere('an audit log', JSON.stringify(bodies))
})

test('no secret is in the database, in any table', async () => {
  for (const [name, rows] of await target.tables()) assertNowhere(`the table ${name}`, rows)
  const answer = await dispatch(target.acme, {
    protocol: 'MAX',
    operation: 'audit_query',
    input: { protocol: 'PROBE', include_inputs: true },
  })
  assert.ok(
    JSON.stringify(answer.body.output.inputs).includes(payload),
    'and yet its owner can read what was kept',
  )
})

test('no secret is in the journal, and its files are private', () => {
  const files = globSync('**', { cwd: target.data_dir, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const journal = files.filter(({ parentPath }) => parentPath.startsWith(join(target.data_dir, 'audit')))
  const texts = journal.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
  assert.ok(
    texts.some((text) => text.includes(kept_record_id)),
    'the journal still holds what was kept',
  )
  for (const text of texts) assertNowhere('the journal', text)
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name)
    assert.equal(statSync(path).mode & 0o077, 0, `${path} can be read by others`)
  }
})
