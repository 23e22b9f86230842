// Two organizations on two engines and two databases: one witnesses the other, over HTTP and by operator
// commands.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { exportChain } from '@svc/audit/query/export'
import { asOwner } from '@svc/audit/test-audit-log'
import { writeSubmission } from '@svc/audit/witness/witness-submission'
import { verifyExport } from '@svc/sdk/verify/export'
import { admin } from '@svc/service/admin'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { dispatch } from '../engines/running-engine.ts'
import { eventually } from '../suite/eventually.ts'
import { cutToFirst } from './cut-tail.ts'

const master_key = randomBytes(32)
const origin = 'svc/dev'
let log: InProcessService
let witness: InProcessService
let verifier_key: string

before(async () => {
  const config = { master_key }
  ;[log, witness] = await Promise.all([startInProcess({ config }), startInProcess({ config })])
})
after(async () => {
  await Promise.all([log?.stop(), witness?.stop()])
})

/** As this engine's operator types it. */
// biome-ignore lint/suspicious/noExplicitAny: each command answers in its own shape
function operate(engine: InProcessService, ...args: string[]): Promise<any> {
  return operateNoun(engine, 'witness', ...args)
}

// biome-ignore lint/suspicious/noExplicitAny: each command answers in its own shape
async function operateNoun({ db_url }: InProcessService, ...args: string[]): Promise<any> {
  let out = ''
  const write = async (text: string) => {
    out += text
  }
  const terminal = { input: Readable.from(['']), write }
  const env = { SVC_DB_URL: db_url, SVC_MASTER_KEY: master_key.toString('hex') }
  assert.equal(await admin([...args, '--json'], env, terminal), 0)
  return out === '' ? undefined : JSON.parse(out)
}

async function call(text: string): Promise<void> {
  const input = { event_type: 'custom.noted', meta: { text } }
  const answer = await dispatch(log, { protocol: 'MAX', operation: 'audit_log_entry', input })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

async function exported(): Promise<string[]> {
  await log.service.audit_log.flush()
  return Array.fromAsync(exportChain(log.service.store.engine, 'dev'))
}

async function heldNote(): Promise<string> {
  const answer = await fetch(`${witness.api_url}/v1/witness/checkpoint?origin=${origin}`)
  assert.equal(answer.status, 200)
  return answer.text()
}

function post(body: string, type = 'text/plain'): Promise<Response> {
  const headers = { 'content-type': type }
  return fetch(`${witness.api_url}/v1/witness/add-checkpoint`, { method: 'POST', body, headers })
}

async function untilWitnessed(): Promise<number> {
  return await eventually(async () => {
    const verdict = await verifyExport(await exported(), {
      witnessKeys: [verifier_key],
      witnessesNeeded: 1,
    })
    assert.deepEqual([verdict.ok, verdict.witnessed?.size], [true, verdict.records], `${verdict.reason}`)
    return verdict.records
  })
}

test("one engine's records are cosigned by another, and anybody can check it offline", async () => {
  await call('first')
  const { key } = await operate(witness, 'key')
  verifier_key = key
  const own_log = await operate(log, 'origin', 'dev')
  assert.equal(own_log.origin, origin)
  await operate(witness, 'trust', origin, own_log.public_key)
  await operate(log, 'ask', `${witness.api_url}/v1/witness`, verifier_key, '--tenant', 'dev')
  const records = await untilWitnessed()
  await call('second')
  const more = await untilWitnessed()
  assert.ok(more > records)
  const verdict = await verifyExport(await exported(), { checkpoints: [await heldNote()] })
  assert.equal(verdict.ok, true, `${verdict.reason}`)
  const logs = await operate(witness, 'logs')
  assert.deepEqual([logs.origin, logs.size, logs.is_contradicted], [origin, more, false])
  assert.equal((await operate(log, 'list')).witness, verifier_key.split('+')[0])
})

test('the witness follows a rotation by itself, and records it', async () => {
  const own_log = await operate(log, 'origin', 'operator')
  await operate(witness, 'trust', own_log.origin, own_log.public_key)
  const both = ['--tenant', 'dev', '--tenant', 'operator']
  const ask = () => operate(log, 'ask', `${witness.api_url}/v1/witness`, verifier_key, ...both)
  await ask()
  const { seq, new_public_key, record_hash } = await operateNoun(log, 'audit', 'rotate', 'operator')
  // Its record is the first that the new key signs.
  await ask()
  const followed_log = await eventually(async () => {
    const operator_log = await operate(witness, 'logs', '--after', origin)
    assert.ok(operator_log.size > seq, JSON.stringify(operator_log))
    return operator_log
  })
  assert.deepEqual([followed_log.public_keys, followed_log.earlier_keys.length], [[new_public_key], 1])
  const record = await eventually(async () => {
    const records = await witness.records('operator', {})
    const changes = records.filter(({ meta }) => meta.command === 'witness follow')
    assert.equal(changes.length, 1)
    return changes[0]!
  })
  const old_public_key = Buffer.from(own_log.public_key, 'base64').toString('base64url')
  const keys = { public_key: new_public_key, old_public_key }
  const change = { gate: 'witness', command: 'witness follow', origin: own_log.origin, ...keys }
  assert.deepEqual(record.meta, { ...change, seq, record_hash })
  await assert.rejects(operate(witness, 'trust', own_log.origin, own_log.public_key))
})

test('the endpoint answers as the specification says', async () => {
  const cosigned_note = await heldNote()
  const [, size = '', , , own_line] = cosigned_note.split('\n')
  const note = `${cosigned_note.split('\n\n')[0]}\n\n${own_line}\n`
  const table: [status: number, body: string][] = [
    [200, writeSubmission(Number(size), [], note)],
    [409, writeSubmission(0, [], note)],
    [409, writeSubmission(1, [], note)],
    [422, writeSubmission(Number(size), ['00'.repeat(32)], note)],
    [404, writeSubmission(0, [], note.replaceAll(origin, 'svc/nobody'))],
    [403, writeSubmission(0, [], note.replace(`\n${size}\n`, `\n${size}0\n`))],
    [400, writeSubmission(Number(size) + 1, [], note)],
    [400, note],
    [400, ''],
    [413, `old 0\n\n${'x'.repeat(20 * 1024)}`],
  ]
  for (const type of ['text/plain', 'application/json', 'application/octet-stream']) {
    for (const [status, body] of table) {
      const answer = await post(body, type)
      const text = await answer.text()
      assert.equal(answer.status, status, `${type}: ${JSON.stringify(body.slice(0, 200))}: ${text}`)
      if (status === 200) assert.match(text, /^\u2014 \S+ [A-Za-z0-9+/=]+\n$/u)
      if (status !== 409) continue
      assert.equal(answer.headers.get('content-type'), 'text/x.tlog.size')
      assert.equal(text, `${size}\n`)
    }
  }
  assert.equal((await fetch(`${witness.api_url}/v1/witness/checkpoint?origin=svc/nobody`)).status, 404)
  assert.equal((await fetch(`${witness.api_url}/v1/witness/checkpoint`)).status, 400)
  assert.equal((await fetch(`${witness.api_url}/v1/witness/checkpoint?origin=%00`)).status, 400)
})

test('excess concurrent requests are told to retry', async () => {
  const all = await Promise.all(Array.from({ length: 64 }, async () => (await post('')).status))
  assert.ok(all.includes(400) && all.every((status) => status === 400 || status === 503), all.join())
  assert.equal((await post('')).status, 400)
})

test('a tail truncated in the database raises the alarm, and the kept note proves it to anybody', async () => {
  await log.service.audit_log.flush()
  await asOwner(log.db_url, (client) => cutToFirst(client, 'dev'))
  const cut = await verifyExport(await exported())
  assert.deepEqual([cut.ok, cut.records], [true, 1], 'sound in itself')
  const alarm = await eventually(async () => {
    const [violation] = await log.records('dev', { event_types: ['SecurityViolation'] })
    assert.ok(violation)
    return violation
  })
  assert.equal(alarm.meta.why, 'its tail is missing')
  assert.equal(alarm.meta.witness_name, verifier_key.split('+')[0])
  const verdict = await verifyExport(await exported(), { checkpoints: [await heldNote()] })
  assert.match(verdict.reason ?? '', /the tail is missing|the chain was rewritten/)
  const metrics = await (await fetch(log.metrics_url)).text()
  assert.match(metrics, /^svc_witness_alarms_total [1-9]/m)
  assert.match(await (await fetch(witness.metrics_url)).text(), /^svc_witness_cosigned_total [1-9]/m)
})

test('the witness keeps the conflicting submission, and its operator is notified', async () => {
  const violations = await witness.records('operator', { event_types: ['SecurityViolation'] })
  assert.ok(violations.some(({ meta }) => meta.origin === origin && meta.kind === 'unproved'))
  const commands = (await log.records('operator', {})).map(({ meta }) => meta.command).filter(Boolean)
  // A rotation is written at once, what other commands leave within a second.
  const ask = 'witness ask'
  assert.deepEqual(commands.toSorted(), ['audit rotate', ask, ask, ask])
})
