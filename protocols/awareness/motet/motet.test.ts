import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Need } from '@svc/contract/needs/needs'
import type { Signal } from '@svc/contract/needs/telemetry'
import { Compile } from 'typebox/compile'
import { empty_database as db, testContext } from '../../../checks/rehearsal/test-context.ts'
import { motet } from './motet.ts'

const { emit } = motet.operations
const vault = { seal: () => ({ sealed: Buffer.of(1), wrapped_key: Buffer.of(2) }) }
const isInput = Compile(emit.input)
const isChecked = Compile(emit.checked_input!)
const isOutput = Compile(emit.output)
const now = '2026-11-15T10:00:00.000Z'

interface Answer {
  accepted: number
  rejected: { index: number; reason: string }[]
  series_created: number
}

/** Emits as a handler is called: checked input only, as one tenant, at one time. */
async function send(
  signals: unknown[],
  metric: (signal: Signal) => { rejected?: string; created: boolean } = () => ({ created: true }),
) {
  const recorded: [what: string, tenant_id: string, signal: unknown][] = []
  const telemetry = {
    metric(tenant_id: string, signal: Signal) {
      recorded.push(['metric', tenant_id, signal])
      return metric(signal)
    },
    log: (tenant_id: string, entry: unknown) => void recorded.push(['log', tenant_id, entry]),
    span: (tenant_id: string, span: unknown) => void recorded.push(['span', tenant_id, span]),
    count() {},
  }
  const input = { signals }
  assert.ok(isChecked.Check(input), JSON.stringify(isChecked.Errors(input)[0]))
  const health = { settled: async () => void recorded.push(['settled', 'acme', undefined]), state: () => assert.fail() } // biome-ignore format: one thought
  const caller = { did: `did:oas:acme:agent:${'a'.repeat(64)}` }
  const context = testContext<Need>({ telemetry, health, vault, db, caller, tenant_id: 'acme', now })
  const answer = (await emit.handle(input as never, context)) as Answer
  assert.ok(isOutput.Check(answer))
  return { ...answer, seen: recorded }
}
const fits = (signal: unknown) => isInput.Check({ signals: [signal] })

const metric = { name: 'done', kind: 'counter', value: 1 }
const log = { severity: 'info', body: 'hello' }
const span = {
  trace_id: '0af7651916cd43dd8448eb211c80319c',
  span_id: 'b7ad6b7169203331',
  name: 'work',
  start: '2026-11-15T09:59:59Z',
  end: '2026-11-15T10:00:00Z',
  status: 'ok',
}

test('each kind of signal is stored in its place, under the calling tenant', async () => {
  const { accepted, rejected, series_created, seen } = await send([metric, log, span])
  assert.deepEqual([accepted, rejected, series_created], [3, [], 1])
  assert.deepEqual(seen, [
    ['metric', 'acme', { ...metric, labels: {}, at: now }],
    ['log', 'acme', log],
    ['span', 'acme', span],
  ])
})

test('one bad signal does not lose the others, and is reported by its index', async () => {
  const late = { ...log, at: '2026-11-15T11:00:00.001Z' }
  const { accepted, rejected } = await send([log, late, metric], () => ({
    rejected: 'too many',
    created: false,
  }))
  assert.deepEqual([accepted, rejected.map(({ index }) => index)], [1, [1, 2]])
  assert.equal(rejected[1]?.reason, 'too many')
})

test('a time may be an hour ahead, and as old as what is kept', async () => {
  const reasons = async (one: object, ...times: string[]) => {
    const sent = await send(times.map((at) => ({ ...one, at })))
    return times.map((_, i) => sent.rejected.find(({ index }) => index === i)?.reason)
  }
  assert.deepEqual(
    await reasons(metric, '2026-11-15T11:00:00Z', '2026-11-15T09:00:00Z', now, '2025-10-11T10:00:00Z'),
    [undefined, undefined, undefined, undefined],
  )
  assert.deepEqual(await reasons(metric, '2026-11-15T11:00:00.001Z', '2025-10-11T09:59:59Z'), [
    'its time is more than an hour ahead',
    'its time is more than 400 days ago, which is how long it would be kept',
  ])
  const [recent, gone] = await reasons(log, '2026-11-08T10:00:00Z', '2026-11-08T09:59:59Z')
  assert.deepEqual([recent, gone], [undefined, 'its time is more than 7 days ago, which is how long it would be kept']) // biome-ignore format: one thought
  const old_span = { ...span, start: '2020-01-01T00:00:00Z', end: '2020-01-01T00:00:01Z' }
  assert.equal((await send([old_span])).accepted, 0)
})

test('history is told from current values, and waited for', async () => {
  const at = '2026-11-01T10:00:00.000Z'
  const { seen } = await send([{ ...metric, at }, metric])
  assert.deepEqual(seen, [
    ['metric', 'acme', { ...metric, labels: {}, at, received_at: now }],
    ['metric', 'acme', { ...metric, labels: {}, at: now }],
    ['settled', 'acme', undefined],
  ])
})

test('a span must not end before it starts, in any notation of time', async () => {
  const accepted = async (start: string, end: string) =>
    (await send([{ ...span, start, end }])).accepted === 1
  assert.equal(await accepted('2026-11-15T10:00:00Z', '2026-11-15T10:00:00Z'), true)
  assert.equal(await accepted('2026-11-15T10:00:00Z', '2026-11-15T10:00:00.500Z'), true)
  assert.equal(await accepted('2026-11-15T10:00:00.5Z', '2026-11-15T10:00:00.500000001Z'), true)
  assert.equal(await accepted('2026-11-15T10:00:00.500Z', '2026-11-15T10:00:00Z'), false)
  assert.equal(await accepted('2026-11-15T10:00:00.000000002Z', '2026-11-15T10:00:00.000000001Z'), false)
})

test('a log and a span may use their OTLP names', async () => {
  const otlp_span = {
    traceId: span.trace_id,
    spanId: span.span_id,
    parentSpanId: '00f067aa0ba902b7',
    name: 'work',
    startTimeUnixNano: '1794736799000000001',
    endTimeUnixNano: '1794736800000000000',
    status: { code: 2, message: 'boom' },
  }
  const otlp_log = {
    severityText: 'WARN',
    body: { stringValue: 'hello' },
    timeUnixNano: '1794736800500000000',
  }
  const { seen, rejected } = await send([
    otlp_span,
    otlp_log,
    { severityText: 'INFO', body: { stringValue: 'x' } },
  ])
  assert.deepEqual(rejected, [])
  assert.deepEqual(seen, [
    [
      'span',
      'acme',
      {
        trace_id: span.trace_id,
        span_id: span.span_id,
        parent: '00f067aa0ba902b7',
        name: 'work',
        start: '2026-11-15T09:59:59.000000001Z',
        end: '2026-11-15T10:00:00.000000000Z',
        status: 'error',
      },
    ],
    ['log', 'acme', { severity: 'warn', body: 'hello', at: '2026-11-15T10:00:00.500000000Z' }],
    ['log', 'acme', { severity: 'info', body: 'x' }],
  ])
  const { status: _status, parentSpanId: _parent, ...least } = otlp_span
  assert.equal(((await send([least])).seen[0]![2] as typeof span).status, 'unset')
})

test('OTLP signals follow the same rules', async () => {
  const otlp = { traceId: span.trace_id, spanId: span.span_id, name: 'work' }
  const times = (startTimeUnixNano: string, endTimeUnixNano: string) => ({
    ...otlp,
    startTimeUnixNano,
    endTimeUnixNano,
  })
  assert.match(
    (await send([times('1794736800000000001', '1794736800000000000')])).rejected[0]!.reason,
    /end before it starts/,
  )
  assert.match((await send([times('0', '1')])).rejected[0]!.reason, /more than 7 days ago/)
  assert.match(
    (await send([times('9999999999999999999', '9999999999999999999')])).rejected[0]!.reason,
    /more than an hour/,
  )
  for (const wrong of ['-1', '1.5', '', 'x', '99999999999999999999'])
    assert.equal(fits(times(wrong, '1')), false, wrong)
  assert.equal(fits({ ...times('1', '2'), trace_id: span.trace_id }), false, 'one set of names at a time')
})

test('an invalid signal is listed with a reason before it is stored, and does not lose the others', async () => {
  const wrong: unknown[] = [
    {},
    { ...metric, name: 'Upper' },
    { ...metric, name: 'x'.repeat(129) },
    { ...metric, value: '1' },
    { ...metric, kind: 'sum' },
    { ...metric, extra: 1 },
    { ...metric, labels: { 'bad-name': 'x' } },
    { ...metric, labels: { long: 'x'.repeat(129) } },
    { ...metric, labels: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`l${i}`, 'x'])) },
    { ...log, severity: 'loud' },
    { ...log, body: 'x'.repeat(8193) },
    { ...span, trace_id: 'x' },
    { ...span, status: 'maybe' },
    { ...span, start: 'yesterday' },
    { ...metric, ...log },
  ]
  for (const signal of wrong) assert.equal(fits(signal), false, JSON.stringify(signal).slice(0, 80))
  const { accepted, rejected, seen } = await send([metric, ...wrong, log])
  assert.deepEqual([accepted, seen.map(([what]) => what)], [2, ['metric', 'log']])
  assert.deepEqual(
    rejected.map(({ index }) => index),
    wrong.map((_, i) => i + 1),
  )
})

test('the reason is told of the kind of signal that was meant', async () => {
  const reasonOf = async (signal: unknown) => (await send([signal])).rejected[0]?.reason
  const is_metric_name =
    '/name must be lower-case letters, digits, _ and : with no digit first, up to 128, such as orders_total'
  assert.equal(await reasonOf({ ...metric, name: 'Bad-Name' }), is_metric_name)
  assert.equal(await reasonOf({ ...metric, name: 'orders.total' }), is_metric_name)
  assert.equal(await reasonOf({ value: null }), '/name is required; /kind is required; /value must be number')
  assert.equal(await reasonOf({ ...metric, labels: { a: 'x'.repeat(129) } }), '/labels/a must not have more than 128 characters') // biome-ignore format: one thought
  assert.equal(
    await reasonOf({ ...metric, labels: { 'a.b': 'x' } }),
    '/labels/a.b is no name of a label: letters, digits and _ with no digit first, up to 64, such as queue',
  )
  assert.equal(await reasonOf({ body: 'x', sverity: 'info' }), '/severity is required; /sverity is not a known field') // biome-ignore format: one thought
  assert.equal(
    await reasonOf({ severityText: 'FATAL', body: { stringValue: 'x' } }),
    '/severityText must be one of DEBUG, INFO, WARN, ERROR',
  )
  assert.match((await reasonOf({ trace_id: 'x' }))!, /is required.*; and \d more$/)
})

test('a batch has 1 to 10,000 signals, each an object of at most 32 fields', () => {
  const many = Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`f${i}`, 1]))
  for (const check of [isInput, isChecked]) {
    assert.equal(check.Check({ signals: [] }), false)
    assert.equal(check.Check({ signals: Array(10_001).fill(metric) }), false)
    assert.equal(check.Check({ signals: Array(10_000).fill(metric) }), true)
    assert.equal(check.Check({ signals: [metric], extra: 1 }), false)
    for (const signal of [null, 1, 'x', [metric], many])
      assert.equal(check.Check({ signals: [signal] }), false)
  }
})

test('other calls have their turn between malformed signals', async () => {
  let turns = 0
  let is_over = false
  const count = () => {
    turns++
    if (!is_over) setImmediate(count)
  }
  setImmediate(count)
  await send(Array(1_000).fill({ value: null }))
  is_over = true
  assert.ok(turns >= 40, `${turns} turns`)
})
