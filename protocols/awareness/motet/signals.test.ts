// What was sent is read back: history from the tables of metrics, logs and spans by whoever sent them.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { prometheus } from '@svc/adapters/telemetry/prometheus'
import { asOwner } from '@svc/audit/test-audit-log'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { test_tenant } from '../../../checks/rehearsal/test-ports.ts'
import { keepPoints } from '../metrics/store.ts'
import { motif } from '../motif/motif.ts'
import { motet } from './motet.ts'
import { forgetOldSignals } from './signal-sweep.ts'

const day_ms = 86_400_000
const hour_ms = 3_600_000
const silent = { info() {}, debug() {}, warn() {}, error() {} } as never
const meters = prometheus(silent)
const source = randomUUID()
const bea = { tenant_id: test_tenant, did: `did:oas:${test_tenant}:agent:${'b'.repeat(64)}` }
const other = { tenant_id: 'globex', did: `did:oas:globex:agent:${'c'.repeat(64)}` }
let stage: Rehearsal
let number = 0

before(async () => {
  const settled = async () => {
    const now_ms = stage.ports.clock.now_ms()
    const points = meters.gathered.take(now_ms)
    await keepPoints(stage.store.engine, { source, number: ++number, now_ms, points })
  }
  stage = await rehearse(motet, {
    others: [motif],
    tenants: [test_tenant, 'globex'],
    ports: { identity: localAdminResolver() },
    needs: { telemetry: () => meters, health: () => ({ settled, state: () => assert.fail() }) },
  })
})
after(() => stage.close())

const ago = (ms: number) => new Date(stage.ports.clock.now_ms() - ms).toISOString()
const page = (name: string) => meters.registry.getSingleMetricAsString(`svc_tenant_${name}`)
const emit = (signals: object[], as = {}) => stage.run('emit', { signals }, as)
const query = async (input: object) => (await stage.run('MOTIF.query', input)).series

test('a year of history is loaded in batches of 10,000, and read back hour by hour', async () => {
  const hours = 9_000
  const valueAt = (hour: number) => 50 + (hour % 24)
  const history = Array.from({ length: hours }, (_, i) => {
    const hour = hours - i + 1
    return {
      name: 'load',
      kind: 'gauge',
      value: valueAt(hour),
      labels: { host: 'a' },
      at: ago(hour * hour_ms),
    }
  })
  const too_old = { name: 'load', kind: 'gauge', value: 1, labels: { host: 'a' }, at: ago(401 * day_ms) }
  const extra = Array.from({ length: 999 }, (_, i) => ({
    ...too_old,
    at: ago((i + 1) * 60_000 + 20 * day_ms),
  }))
  const { accepted, rejected } = await emit([...history, too_old, ...extra])
  assert.deepEqual([accepted, rejected.map(({ index }: { index: number }) => index)], [9_999, [9_000]])
  const from = new Date(Math.floor((stage.ports.clock.now_ms() - 300 * day_ms) / hour_ms) * hour_ms)
  const to = new Date(from.getTime() + day_ms)
  const [series] = await query({ metric: 'load', from: from.toISOString(), to: to.toISOString(), step_ms: hour_ms, function: 'avg' }) // biome-ignore format: one thought
  const values = series.points.map(([, value]: number[]) => value).sort()
  assert.deepEqual(
    values,
    Array.from({ length: 24 }, (_, i) => 50 + i),
  )
  // What lies behind the retention of a resolution is not written at that resolution.
  const rows = await asOwner(
    stage.database.url,
    async (owner) =>
    (await owner.query('SELECT resolution, count(*)::integer AS rows FROM metric_point GROUP BY 1 ORDER BY 1')).rows, // biome-ignore format: one thought
  )
  const stored = Object.fromEntries(rows.map(({ resolution, rows: count }) => [resolution, count]))
  assert.ok(stored[10] <= 25 && stored[300] <= 30 * 24 + 999 && stored[3600] >= hours, JSON.stringify(stored))
  // The page of current values has none of it.
  assert.doesNotMatch(await page('load'), /svc_tenant_load\{.*\} 5/)
  await emit([{ name: 'load', kind: 'gauge', value: 77, labels: { host: 'a' } }])
  assert.match(await page('load'), /svc_tenant_load\{.*\} 77/)
})

test('a counter takes its history before newer totals, and says so afterwards', async () => {
  const at = (hour: number, value: number) => ({ name: 'sales', kind: 'counter', value, at: ago(hour * hour_ms) }) // biome-ignore format: one thought
  assert.equal((await emit([at(30, 10), at(29, 25), at(28, 45), at(0, 50)])).accepted, 4)
  const [series] = await query({ metric: 'sales', from: ago(31 * hour_ms), to: ago(27 * hour_ms), step_ms: 4 * hour_ms, function: 'increase' }) // biome-ignore format: one thought
  assert.deepEqual(series.points.map(([, value]: number[]) => value), [35]) // biome-ignore format: one thought
  const { rejected } = await emit([at(27, 47)])
  assert.match(rejected[0].reason, /must not decrease; send its history before newer totals, oldest first/)
})

test('series are summed, counted and bounded by label, and listed', async () => {
  const wait = (queue: string, host: string, value: number) => ({ name: 'wait_ms', kind: 'gauge', value, labels: { queue, host } }) // biome-ignore format: one thought
  await emit([wait('in', 'a', 3), wait('in', 'b', 7), wait('in', 'b', 2), wait('out', 'a', 100)])
  const span = { metric: 'wait_ms', from: ago(hour_ms), to: ago(-hour_ms), step_ms: 2 * hour_ms }
  const by = async (name: string, labels: string[] = ['queue']) =>
    Object.fromEntries(
      (await query({ ...span, function: name, by: labels })).map(
        (one: { labels: object; points: number[][] }) => [
          Object.values(one.labels).join(),
          one.points[0]![1],
        ],
      ),
    )
  assert.deepEqual(await by('sum'), { in: 12, out: 100 })
  assert.deepEqual(await by('count'), { in: 3, out: 1 })
  assert.deepEqual(await by('min'), { in: 2, out: 100 })
  assert.deepEqual(await by('max'), { in: 7, out: 100 })
  assert.deepEqual(await by('avg', []), { '': 28 })
  await assert.rejects(query({ ...span, by: ['queue'] }), /name a function, such as rate or sum/)
  const total = (queue: string, value: number) => ({
    name: 'jobs',
    kind: 'counter',
    value,
    labels: { queue },
  })
  await emit([total('in', 10), total('out', 5)])
  const rate = { ...span, metric: 'jobs', function: 'rate', by: [] }
  // A read stores what was measured: growth is counted from there.
  await query(rate)
  await emit([total('in', 7_210), total('out', 3_605)])
  assert.deepEqual((await query(rate))[0].points[0][1], (7_200 + 3_600) / 7_200)

  const list = (input: object, as = {}) => stage.run('MOTIF.list_metrics', input, as)
  const first = await list({ limit: 2 })
  assert.deepEqual(first.items.map(({ metric, kind, series, label_names }: Record<string, unknown>) => [metric, kind, series, label_names]), [['jobs', 'counter', 2, ['queue']], ['load', 'gauge', 1, ['host']]]) // biome-ignore format: one thought
  const rest = await list({ limit: 2, cursor: first.next_cursor })
  assert.deepEqual([rest.items.map(({ metric }: { metric: string }) => metric), rest.next_cursor], [['sales', 'wait_ms'], undefined]) // biome-ignore format: one thought
  assert.deepEqual((await list({ prefix: 'wait' })).items[0].label_names, ['host', 'queue'])
  assert.deepEqual((await list({}, other)).items, [], 'nobody else sees them')
  await assert.rejects(list({ cursor: 'AAAA' }), /send next_cursor of the page before, or leave it out/)
})

test('logs and spans are read back in pages by whoever sent them, and by nobody else', async () => {
  const logs = Array.from({ length: 250 }, (_, i) => ({ severity: i % 50 === 0 ? 'error' : 'info', body: `line ${i}` })) // biome-ignore format: one thought
  await emit(logs)
  stage.ports.clock.advance(1000)
  await emit([{ severityText: 'WARN', body: { stringValue: 'newest' } }])
  await emit([{ severity: 'error', body: 'of Bea' }], bea)
  const list = (input: object = {}, as = {}) => stage.run('list_logs', input, as)
  const bodies: string[] = []
  let cursor: string | undefined
  do {
    const page = await list({ limit: 60, ...(cursor && { cursor }) })
    bodies.push(...page.items.map(({ body }: { body: string }) => body))
    cursor = page.next_cursor
  } while (cursor)
  assert.equal(bodies[0], 'newest')
  assert.deepEqual(bodies.slice(1).toSorted(), logs.map(({ body }) => body).toSorted())
  const errors = await list({ severity: 'error', contains: 'line' })
  assert.deepEqual(errors.items.map(({ body }: { body: string }) => body).toSorted(), ['line 0', 'line 100', 'line 150', 'line 200', 'line 50']) // biome-ignore format: one thought
  assert.deepEqual((await list({}, bea)).items.map(({ body }: { body: string }) => body), ['of Bea']) // biome-ignore format: one thought
  assert.deepEqual((await list({}, other)).items, [])
  await assert.rejects(list({ cursor: 'AAAA' }), /send next_cursor of the page before, or leave it out/)

  const span = { span_id: 'b7ad6b7169203331', name: 'work', start: ago(1000), end: ago(0), status: 'error' }
  const [one, two] = ['1', '2'].map((digit) => ({ ...span, trace_id: digit.repeat(32) }))
  await emit([one!, two!])
  const spans = await stage.run('list_spans', { trace_id: one!.trace_id })
  assert.deepEqual(spans.items.map(({ received_at: _, ...sent }: Record<string, unknown>) => sent), [one]) // biome-ignore format: one thought
  assert.deepEqual((await stage.run('list_spans', { status: 'ok' })).items, [])
})

test('logs are sealed, and deleted with their keys after seven days', async () => {
  await emit([{ severity: 'info', body: 'the secret word' }])
  const rows = () =>
    asOwner(stage.database.url, async (owner) => (await owner.query('SELECT * FROM signal_batches')).rows)
  const before_rows = await rows()
  assert.ok(before_rows.length > 0)
  assert.doesNotMatch(JSON.stringify(before_rows.map((row) => row.sealed.toString('latin1'))), /secret word/)
  const now_ms = stage.ports.clock.now_ms()
  await forgetOldSignals(stage.store.engine, now_ms + 6 * day_ms)
  assert.equal((await rows()).length, before_rows.length)
  // Beyond what an organization may keep the oldest go, whatever their age.
  await asOwner(stage.database.url, (owner) => owner.query('UPDATE signal_batches SET bytes = 200 * 1024 * 1024 WHERE tenant_id = $1', [test_tenant])) // biome-ignore format: one thought
  await forgetOldSignals(stage.store.engine, now_ms)
  assert.equal((await rows()).length, 1)
  await forgetOldSignals(stage.store.engine, now_ms + 8 * day_ms)
  assert.deepEqual(await rows(), [])
})
