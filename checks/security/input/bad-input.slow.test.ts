// Whatever is sent: the right refusal, counted exactly once in the right log, no state change, and the engine
// goes on.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, type TestContext, test } from 'node:test'
import { catalogue } from '@svc/catalogue/catalogue'
import type { AuditBody } from '@svc/contract/audit/audit-record'
import { refusals } from '@svc/contract/refusal'
import { halfOf, is_long } from '../../faults/scene/chance.ts'
import { eventually, until } from '../../suite/eventually.ts'
import { pace } from '../../suite/real-time.ts'
import { type AttackedEngine, goodCall, openAttackedEngine, operator_tenant } from '../attacked-engine.ts'
import { auth_cases } from './auth-cases.ts'
import { type BadCase, type Cast, requestOf, soundEnvelope } from './bad-case.ts'
import { body_cases, heavy_bodies } from './body-cases.ts'
import { envelope_cases } from './envelope-cases.ts'
import { exchange } from './raw-http.ts'
import { wire_cases } from './wire-cases.ts'

const neighbour_calls = is_long ? 10_000 : 300

let target: AttackedEngine
let cast: Cast

before(async () => {
  target = await openAttackedEngine()
  const { acme, rival } = target
  cast = {
    acme,
    rival,
    powerless: await target.newCaller('acme', { capabilities: [] }),
    expired: await target.newCaller('acme', { expires_at: '2020-01-01T00:00:00Z' }),
    revoked: await target.newCaller('acme'),
  }
  await target.query('UPDATE api_keys SET revoked_at = now() WHERE key_id = $1', [cast.revoked.key_id])
  // From now on each has its own audit log: refusals between organizations are in both.
  for (const caller of [acme, rival]) assert.equal((await goodCall(caller)).status, 200)
})
after(() => target.stop())

interface Answered {
  readonly bad: BadCase
  readonly correlation_id: string
}

/** What is wrong with the answer to one case; absent if nothing is. */
async function sendCase(bad: BadCase): Promise<{ fault?: string; correlation_id: string }> {
  const { answers } = await exchange(target.port, bad.bytes(cast))
  const [answer, ...more] = answers
  if (!answer || more.length) return { fault: `${answers.length} answers`, correlation_id: '' }
  const correlation_id = answer.headers['x-correlation-id'] ?? ''
  const summary = `${answer.status} ${answer.text.slice(0, 200)}`
  if (answer.status !== (bad.status ?? refusals[bad.code].status)) return { fault: summary, correlation_id }
  const { error } = JSON.parse(answer.text)
  if (error.code !== bad.code || error.correlation_id !== correlation_id)
    return { fault: summary, correlation_id }
  const served = await goodCall(cast.acme)
  return {
    fault: served.status === 200 ? undefined : `a good call then got ${served.status}`,
    correlation_id,
  }
}

/** When more than a few refusals occur in a second, a record with their count follows. */
function countOf(records: readonly AuditBody[]): number {
  return records.reduce((sum, { meta }) => sum + Number(meta.count ?? 1), 0)
}

/** Each case has a correct record in the right log; all are counted, and only the good calls are added. */
async function compareBooks(
  answered: readonly Answered[],
  before: AuditLogs,
  good_calls: number,
): Promise<string[]> {
  let added: AuditBody[] = []
  let reads = 0
  const refused = () => added.filter(({ outcome }) => outcome !== 'success')
  await eventually(async () => {
    const audit_logs = await readAuditLogs()
    reads++
    const all = (['acme', 'rival', 'operator'] as const).flatMap((audit_log) =>
      audit_logs[audit_log].slice(before[audit_log].length),
    )
    // Counterpart records of a call accompany its own record.
    added = all.filter(({ meta }) => meta.counterpart === undefined)
    assert.ok(countOf(refused()) >= answered.length, 'records are missing')
  })
  const faults = answered.flatMap(({ bad, correlation_id }) => {
    const own = added.filter((record) => record.correlation_id === correlation_id)
    const expected = `${tenantOf(bad.audit_log)} ${refusals[bad.code].event} ${refusals[bad.code].outcome} ${bad.code}`
    // A single refusal, and the counts of similar ones after it.
    const alone = own.filter(({ meta }) => meta.count === undefined)
    return alone.length === 1 && own.every((record) => gist(record) === expected)
      ? []
      : [`${bad.name}: wanted the record ${expected}, found ${own.map(gist).join(' and ') || 'none'}`]
  })
  const counts = [countOf(refused()), added.length - refused().length]
  if (counts[0] !== answered.length || counts[1] !== good_calls + reads) {
    const correlation_ids = new Set(answered.map(({ correlation_id }) => correlation_id))
    const strays = refused().filter((record) => !correlation_ids.has(record.correlation_id))
    faults.push(
      `${counts} instead of ${[answered.length, good_calls + reads]}: ${strays.map(gist).join(', ')}`,
    )
  }
  return faults
}

function gist({ tenant_id, event_type, outcome, meta }: AuditBody): string {
  return `${tenant_id} ${event_type} ${outcome} ${meta.code}`
}

function tenantOf(audit_log: BadCase['audit_log']): string {
  return audit_log === 'operator' ? operator_tenant : cast[audit_log].tenant_id
}

interface AuditLogs {
  readonly acme: readonly AuditBody[]
  readonly rival: readonly AuditBody[]
  readonly operator: readonly AuditBody[]
}

async function readAuditLogs(): Promise<AuditLogs> {
  const last = await goodCall(cast.acme)
  const acme = await target.records('acme', last)
  return { acme, rival: await target.records('rival'), operator: await target.records(operator_tenant) }
}

/** Every table except those that grow with the audit log and usage; a key's last use is not state. */
async function readState(): Promise<Map<string, string>> {
  const chain = [
    'audit_pages',
    'audit_hot_pages',
    'audit_tail',
    'audit_terms',
    'chain_heads',
    'audit_tree',
    'audit_checkpoints',
  ]
  // The note of a cross-tenant call takes a moment to reach the chain.
  const audit_log = [...chain, 'journal_positions', 'root_key_engines', 'audit_outbox']
  const usage = [
    'meter_names',
    'meter_sums',
    'meter_moved',
    'meter_hours',
    'spend',
    'billing',
    'runway_state',
  ]
  const state = await target.tables('last_used_at')
  // The engine writes its own measurements every ten seconds, whoever calls.
  const measured = ['call_names', 'call_sums', 'metric_series', 'metric_point', 'metric_sources']
  for (const name of [...audit_log, ...usage, ...measured]) state.delete(name)
  return state
}

async function runCases(t: TestContext, cases: readonly BadCase[]): Promise<void> {
  // A refusal like one of the last second would be counted with it instead of recorded.
  await pace(1_000)
  const state = await readState()
  const before = await readAuditLogs()
  const faults: string[] = []
  const answered: Answered[] = []
  for (const bad of cases) {
    const { fault, correlation_id } = await sendCase(bad).catch((error) => ({
      fault: String(error),
      correlation_id: '',
    }))
    if (fault) faults.push(`${bad.name}: wanted ${bad.status ?? ''} ${bad.code}, got ${fault}`)
    else answered.push({ bad, correlation_id })
  }
  // One good call after each case, and one for each reading of the logs.
  faults.push(...(await compareBooks(answered, before, answered.length)))
  assert.deepEqual(faults, [])
  assert.deepEqual(await readState(), state, 'something was changed')
  t.diagnostic(`${cases.length} of ${cases.length} refused as they should be, each recorded once`)
}

test('bytes that are not a request, or a request without a route', (t) => runCases(t, wire_cases))
test('callers with false identities', (t) => runCases(t, auth_cases))
test('envelopes with one wrong field', (t) => runCases(t, envelope_cases))
test('bodies that are too costly to read', (t) => runCases(t, body_cases))

test('there are at least two hundred distinct cases', () => {
  const names = [...wire_cases, ...auth_cases, ...envelope_cases, ...body_cases].map(({ name }) => name)
  assert.ok(names.length >= 200)
  assert.equal(new Set(names).size, names.length)
})

test('garbage after a good request does not affect its answer', async () => {
  const before = await readAuditLogs()
  const bytes = Buffer.concat([requestOf(cast.acme), requestOf(cast.acme), Buffer.from('GARBAGE\r\n\r\n')])
  const { answers } = await exchange(target.port, bytes, 3)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 400],
  )
  const audit_logs = await readAuditLogs()
  // The two, and the one for reading the audit logs.
  assert.equal(audit_logs.acme.length - before.acme.length, 3)
  assert.equal(audit_logs.operator.length - before.operator.length, 1)
})

test('a caller that disconnects in the middle of its body is recorded once', async () => {
  const before = await readAuditLogs()
  const socket = connect(target.port, '127.0.0.1')
  const [head] = requestOf(cast.acme).toString().split('{')
  await new Promise<void>((resolve) => socket.write(`${head}{"protocol"`, () => resolve()))
  // Another call has been answered since, so the bytes before it have been read.
  await goodCall(cast.acme)
  const gone = once(socket, 'close')
  socket.resetAndDestroy()
  await gone
  const added = async () =>
    (await readAuditLogs()).acme.slice(before.acme.length).filter(({ outcome }) => outcome !== 'success')
  const records = await until('it is recorded', async () => {
    const records = await added()
    return records.length > 0 && records
  })
  assert.deepEqual(records.map(gist), ['acme Error refused invalid_request'])
  assert.equal(records[0]?.meta.reason, 'aborted')
})

test('slow headers, pollution and load, at the same time', async (t) => {
  const slow = exchange(target.port, 'POST /v1/dispatch HTTP/1.1\r\nHost: x\r\nX-A')
  await t.test('no input of any operation reaches inherited properties', polluteEverything)
  await t.test('values at the limits are accepted', takeEdges)
  await t.test('hostile bodies delay nobody', attackUnderLoad)
  await t.test('headers that never end are refused', async () => {
    const [answer] = (await slow).answers
    assert.equal(answer?.status, 408)
    assert.equal(JSON.parse(answer?.text ?? '{}').error.code, 'invalid_request')
  })
})

async function polluteEverything(t: TestContext): Promise<void> {
  let sent = 0
  for (const { protocol, operation, example } of halfOf(everyOperation())) {
    for (const input of pollutedTexts(example)) {
      const body = `{"protocol":"${protocol}","version":"v1","operation":"${operation}","tenant_id":"acme","input":${input}}`
      const { answers } = await exchange(target.port, requestOf(cast.acme, { body }))
      const allowed = input.includes('__proto__') ? [400] : [200, 422]
      assert.ok(
        allowed.includes(answers[0]?.status ?? 0),
        `${protocol} ${operation} ${input}: ${answers[0]?.text}`,
      )
      sent++
    }
  }
  assert.deepEqual((await goodCall(cast.acme)).body.output, { inherited: [] })
  t.diagnostic(`${sent} polluting inputs, and nothing inherited`)
}

function everyOperation(): { protocol: string; operation: string; example: object }[] {
  const probes = ['look', 'keep'].map((operation) => ({ protocol: 'PROBE', operation, example: {} }))
  const listed = catalogue.flatMap(({ id, operations }) =>
    Object.entries(operations).map(([operation, { example }]) => ({
      protocol: id,
      operation,
      example: example as object,
    })),
  )
  return [...probes, ...listed]
}

/** The example with a prototype inserted at the top and into every nested object. */
function pollutedTexts(example: object): string[] {
  const text = JSON.stringify(example)
  const slips = [
    '"__proto__":{"polluted":true}',
    '"constructor":{"prototype":{"polluted":true}}',
    '"prototype":{"polluted":true}',
  ]
  // Quoted text may contain braces.
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => '_'.repeat(quoted.length))
  const places = [...bare.matchAll(/\{/g)].map(({ index }) => index + 1)
  return slips.flatMap((slip) =>
    places.map((at) => text.slice(0, at) + slip + (text[at] === '}' ? '' : ',') + text.slice(at)),
  )
}

async function takeEdges(): Promise<void> {
  const deepest = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  const edges = [
    '-0',
    '1e-400',
    '9007199254740991',
    '0.1e1',
    '"\\ud83d\\udd12"',
    '"\\u00e9"',
    deepest(62),
    '{"":{"":1}}',
  ]
  for (const edge of edges) {
    const body = `{"protocol":"PROBE","version":"v1","operation":"keep","tenant_id":"acme","input":{"edge":${edge}}}`
    const { answers } = await exchange(target.port, requestOf(cast.acme, { body }))
    assert.equal(answers[0]?.status, 200, `${edge}: ${answers[0]?.text}`)
  }
}

/** Event loop delay since the last call, in milliseconds. */
async function loopDelay(): Promise<number> {
  const line = /^svc_loop_delay_p99_seconds (\S+)$/m.exec(await target.metrics())
  return Number(line?.[1]) * 1000
}

async function attackUnderLoad(t: TestContext): Promise<void> {
  const bodies = Object.values(heavy_bodies).map((input) =>
    requestOf(cast.acme, {
      body: JSON.stringify({ ...soundEnvelope(cast.acme), input: '@' }).replace('"@"', () => input),
    }),
  )
  await loopDelay()
  for (let n = 0; n < neighbour_calls; n++) await goodCall(cast.acme)
  const quiet_ms = await loopDelay()
  let attacking = true
  const attack = (async () => {
    let sent = 0
    for (; attacking; sent++) await exchange(target.port, bodies[sent % bodies.length]!)
    return sent
  })()
  for (let n = 0; n < neighbour_calls; n++) assert.equal((await goodCall(cast.acme)).status, 200)
  attacking = false
  const sent = await attack
  const attacked_ms = await loopDelay()
  t.diagnostic(
    `event loop late by ${attacked_ms.toFixed(1)} ms (p99) under ${sent} hostile bodies, ${quiet_ms.toFixed(1)} ms without; ` +
      `${neighbour_calls} good calls served meanwhile`,
  )
}
