import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { liveCalls } from './live-calls.ts'
import { stageTimes } from './stage-times.ts'

test('the last second is taken once, the minute slides, and tenants are separate', () => {
  const live = liveCalls()
  let now_ms = 0
  const turn = (times: number) => {
    for (let i = 0; i < times; i++) {
      now_ms += 1_000
      live.turn(now_ms)
    }
  }
  turn(1)
  for (let i = 0; i < 30; i++) live.called('MAX', 'success', 'ok', 2, 'acme')
  live.called('MARS', 'refused', 'rate_limited', 1, 'acme')
  live.called('MARS', 'error', 'internal', 900, 'acme')
  live.called('MAX', 'success', 'ok', 2, 'other')
  const second = { calls: 32, by_outcome: { success: 30, refused: 1, error: 1 }, by_code: { ok: 30, rate_limited: 1, internal: 1 } } // biome-ignore format: one thought
  assert.deepEqual(live.takeSecond('acme'), second)
  assert.equal(live.takeSecond('acme').calls, 0)
  turn(29)
  const minute = live.minute('acme', now_ms)
  assert.deepEqual([minute.calls, minute.by_code], [32, second.by_code])
  assert.equal(minute.per_second, 32 / 29)
  const [max, mars] = minute.by_protocol
  assert.deepEqual([max!.protocol, max!.calls, mars!.refused, mars!.errors], ['MAX', 30, 1, 1])
  assert.ok(minute.latency_ms.p50 > 1 && minute.latency_ms.p50 <= 2.5)
  assert.ok(mars!.p95_ms > 500 && mars!.p95_ms <= 1_000)
  assert.equal(live.minute('other', now_ms).calls, 1)
  turn(60)
  assert.deepEqual([live.minute('acme', now_ms).calls, live.minute('acme', now_ms).by_protocol], [0, []])
})

test('memory for tenants and protocols is bounded, and busy tenants are kept', () => {
  const live = liveCalls()
  for (let i = 0; i < 10; i++) live.turn(i * 1_000)
  for (let i = 0; i < 100; i++) live.called(`P${i}`, 'success', 'ok', 1, 'busy')
  const { by_protocol, calls } = live.minute('busy', 10_000)
  assert.deepEqual([by_protocol.length, by_protocol[0], calls], [20, { protocol: 'other', calls: 36, refused: 0, errors: 0, p95_ms: by_protocol[0]!.p95_ms }, 100]) // biome-ignore format: one thought
  for (let i = 0; i < 999; i++) live.called('MAX', 'success', 'ok', 1, `t${i}`)
  for (let i = 0; i < 10; i++) live.turn(10_000 + i * 1_000)
  live.called('MAX', 'success', 'ok', 1, 'busy')
  for (let i = 0; i < 10; i++) live.turn(20_000 + i * 1_000)
  for (let i = 0; i < 500; i++) live.called('MAX', 'success', 'ok', 1, `new${i}`)
  assert.deepEqual([live.minute('busy', 30_000).calls, live.minute('t0', 30_000).calls], [101, 0])
})

test('a watched tenant is kept, however many others call in a second', () => {
  const live = liveCalls()
  live.turn(1_000)
  live.called('MAX', 'success', 'ok', 1, 'watched')
  live.takeSecond('watched')
  live.called('MAX', 'success', 'ok', 1, 'watched')
  for (let i = 0; i < 3_000; i++) live.called('MAX', 'success', 'ok', 1, `t${i}`)
  assert.deepEqual([live.takeSecond('watched').calls, live.minute('watched', 2_000).calls], [1, 2])
  for (let i = 0; i < 4; i++) live.turn(2_000 + i * 1_000)
  for (let i = 0; i < 3_000; i++) live.called('MAX', 'success', 'ok', 1, `u${i}`)
  assert.equal(live.minute('watched', 6_000).calls, 0, 'nobody looks any more')
})

test('stages are timed from the end of the previous one; recent figures expire, totals do not', async () => {
  const registry = new Registry()
  const stages = stageTimes(registry)
  const { NaN: never } = Number
  stages.timed(100, [100.02, 100.04, 100.06, 100.08, 100.1, 100.12, 100.14, 104, 105])
  stages.timed(200, [200.02, 203, never, never, never, never, never, never, 204])
  const shown = async (line: string) =>
    Number(
      (await registry.metrics())
        .split('\n')
        .find((text) => text.startsWith(line))
        ?.split(' ')
        .at(-1),
    )
  assert.equal(await shown('svc_stage_seconds_count{stage="invoke_module"}'), 1)
  assert.equal(await shown('svc_stage_seconds_count{stage="record_outcome"}'), 2)
  assert.equal(await shown('svc_stage_seconds_bucket{le="0.0025",stage="resolve_version"}'), 1)
  assert.equal(await shown('svc_stage_seconds_bucket{le="0.005",stage="resolve_version"}'), 2)
  assert.ok(Math.abs((await shown('svc_stage_seconds_sum{stage="invoke_module"}')) - 0.00386) < 1e-9)
  const version = () => stages.lately()[1]!
  assert.deepEqual([version().calls, version().p99_ms > 2.5], [2, true])
  stages.turn()
  assert.equal(version().calls, 2)
  stages.turn()
  assert.deepEqual([version().calls, version().p99_ms], [0, 0])
  assert.equal(await shown('svc_stage_seconds_count{stage="resolve_version"}'), 2)
})
