import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ManualClock, manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { type MemoryBreaker, memoryBreaker, type Transition } from './memory.ts'

interface Open {
  clock: ManualClock
  breaker: MemoryBreaker
  moves: Transition[]
  state(): string
}

function open(seed = 'svc'): Open {
  const clock = manualClock('2026-11-15T10:00:00.000Z', seed)
  const moves: Transition[] = []
  const breaker = memoryBreaker(clock, (transition) => moves.push(transition))
  const state = () => breaker.states()[0]?.state ?? 'CLOSED'
  return { clock, breaker, moves, state }
}
const times = <Value>(count: number, work: () => Value) => Array.from({ length: count }, work)
const fail = ({ breaker }: Open, count: number) =>
  times(count, () => breaker.failed('TRY', 'native', 'timeout'))
const succeed = ({ breaker }: Open, count: number) => times(count, () => breaker.succeeded('TRY', 'native'))
const retryAfter = ({ breaker }: Open) => breaker.blocked('TRY', 'native', 0)?.retry_after_ms ?? 0

async function probeAfter(opened: Open, ms: number, passes: boolean): Promise<number> {
  let probes = 0
  opened.clock.advance(ms)
  await opened.breaker.probe(async () => {
    probes++
    return passes
  })
  return probes
}

test('five failures that are half of the calls open it, and it says why', () => {
  const opened = open()
  fail(opened, 4)
  assert.equal(opened.breaker.blocked('TRY', 'native', 0), undefined)
  fail(opened, 1)
  const blocked = opened.breaker.blocked('TRY', 'native', 0)
  assert.deepEqual([blocked?.state, blocked?.last_failure], ['OPEN', 'timeout'])
  assert.deepEqual(opened.moves, [
    { protocol: 'TRY', endpoint: 'native', from: 'CLOSED', to: 'OPEN', why: 'timeout' },
  ])
})

test('failures that are fewer than half of the calls do not, in any order', () => {
  const after = open()
  succeed(after, 6)
  fail(after, 5)
  assert.equal(after.state(), 'CLOSED')
  fail(after, 1)
  assert.equal(after.state(), 'OPEN')
  const before = open()
  fail(before, 4)
  succeed(before, 6)
  fail(before, 1)
  assert.equal(before.state(), 'CLOSED')
})

test('the window slides: older results do not count, younger ones do, wherever the seconds fall', () => {
  for (const offset_ms of [0, 1, 500, 999]) {
    const opened = open()
    opened.clock.advance(offset_ms)
    fail(opened, 4)
    opened.clock.advance(30_000)
    fail(opened, 1)
    assert.equal(opened.state(), 'CLOSED', 'the four before are outside of it')
    opened.clock.advance(15_000)
    fail(opened, 3)
    assert.equal(opened.state(), 'CLOSED')
    opened.clock.advance(14_000)
    fail(opened, 1)
    assert.equal(opened.state(), 'OPEN', 'five within 29 s, though a tumbling window would have started over')
  }
})

test('endpoints and protocols break independently', () => {
  const opened = open()
  fail(opened, 5)
  assert.ok(opened.breaker.blocked('TRY', 'native', 0))
  assert.equal(opened.breaker.blocked('TRY', 'other', 0), undefined)
  assert.equal(opened.breaker.blocked('MAX', 'native', 0), undefined)
})

test('callers stay refused through OPEN and HALF_OPEN; two probes in a row close it', async () => {
  const opened = open()
  fail(opened, 5)
  assert.equal(await probeAfter(opened, 1, true), 0, 'no probe before the back-off is over')
  assert.equal(await probeAfter(opened, retryAfter(opened), true), 1)
  const blocked = opened.breaker.blocked('TRY', 'native', 0)
  assert.deepEqual([blocked?.state, blocked?.last_failure], ['HALF_OPEN', 'timeout'])
  assert.ok(blocked!.retry_after_ms >= 1_000 && blocked!.retry_after_ms <= 2_001)
  assert.equal(await probeAfter(opened, 1000, true), 1)
  assert.equal(opened.breaker.blocked('TRY', 'native', 0), undefined)
  assert.deepEqual(
    opened.moves.map(({ from, to }) => `${from} ${to}`),
    ['CLOSED OPEN', 'OPEN HALF_OPEN', 'HALF_OPEN CLOSED'],
  )
  fail(opened, 4)
  assert.equal(opened.state(), 'CLOSED', 'old failures are forgotten after it closed')
})

test('one failed probe opens it again, and the passed one before no longer counts', async () => {
  const opened = open()
  fail(opened, 5)
  await probeAfter(opened, retryAfter(opened), true)
  await probeAfter(opened, 1000, false)
  assert.equal(opened.state(), 'OPEN')
  await probeAfter(opened, retryAfter(opened), true)
  assert.equal(opened.state(), 'HALF_OPEN')
})

test('a probe that throws is a failed probe', async () => {
  const opened = open()
  fail(opened, 5)
  opened.clock.advance(retryAfter(opened))
  await opened.breaker.probe(() => Promise.reject(new Error('down')))
  assert.equal(opened.state(), 'OPEN')
})

test('late answers of calls in flight neither close nor reopen it', async () => {
  const opened = open()
  fail(opened, 5)
  succeed(opened, 100)
  fail(opened, 100)
  assert.equal(opened.moves.length, 1)
  await probeAfter(opened, retryAfter(opened), true)
  fail(opened, 100)
  succeed(opened, 100)
  assert.equal(opened.state(), 'HALF_OPEN')
})

test('the back-off doubles from 10 s to 300 s with 10 % jitter, and starts over after closing', async () => {
  const opened = open()
  const steps_s = [10, 20, 40, 80, 160, 300, 300, 300]
  fail(opened, 5)
  for (const step_s of steps_s) {
    assert.equal(await probeAfter(opened, step_s * 900 - 1, false), 0, `${step_s} s, too early`)
    assert.equal(await probeAfter(opened, step_s * 200 + 1, false), 1, `${step_s} s, now`)
  }
  await probeAfter(opened, 330_001, true)
  await probeAfter(opened, 1000, true)
  assert.equal(opened.state(), 'CLOSED')
  fail(opened, 5)
  assert.equal(await probeAfter(opened, 11_001, true), 1)
})

test('each caller gets its own retry time, not before probes can have closed it', async () => {
  const opened = open()
  fail(opened, 5)
  const waits = times(100, () => retryAfter(opened))
  assert.ok(Math.min(...waits) >= 10_000 && Math.max(...waits) <= 11_000 + 1_000 + 1_100 + 1)
  assert.ok(Math.max(...waits) - Math.min(...waits) > 800 && new Set(waits).size > 80)
  for (let k = 0; k < 6; k++) await probeAfter(opened, 330_001, false)
  const long = times(100, () => retryAfter(opened))
  assert.ok(Math.max(...long) - Math.min(...long) > 20_000, 'the longer the wait, the wider the spread')
})

test('the back-off is spread, so that replicas do not probe together', () => {
  const waits = ['a', 'b', 'c', 'd', 'e'].map((seed) => {
    const opened = open(seed)
    fail(opened, 5)
    return retryAfter(opened)
  })
  assert.equal(new Set(waits).size, waits.length)
})

const legal = new Set(['CLOSED OPEN', 'OPEN HALF_OPEN', 'HALF_OPEN OPEN', 'HALF_OPEN CLOSED'])
test('two probe rounds at once make only legal transitions', async () => {
  const opened = open()
  fail(opened, 5)
  opened.clock.advance(retryAfter(opened))
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const rounds = [opened.breaker.probe(() => promise), opened.breaker.probe(() => promise)]
  resolve(false)
  await Promise.all(rounds)
  for (const { from, to } of opened.moves) assert.ok(legal.has(`${from} ${to}`), `${from} ${to}`)
})

const watched = [{ protocol: 'TRY', endpoint: 'native' }]

async function watchAfter(opened: Open, ms: number, passes: boolean): Promise<number> {
  let probes = 0
  opened.clock.advance(ms)
  await opened.breaker.probe(async () => {
    probes++
    return passes
  }, watched)
  return probes
}

test('a watched endpoint is probed at least every ten seconds, and three failures in a row open it without a failed call', async () => {
  const opened = open()
  assert.equal(await watchAfter(opened, 0, true), 1)
  assert.equal(await watchAfter(opened, 4_999, true), 0)
  assert.equal(await watchAfter(opened, 5_001, false), 1)
  assert.equal(await watchAfter(opened, 8_999, false), 0)
  assert.equal(await watchAfter(opened, 1_001, false), 1)
  assert.equal(opened.state(), 'CLOSED')
  assert.equal(await watchAfter(opened, 10_000, false), 1)
  assert.equal(opened.state(), 'OPEN')
  assert.equal(opened.moves[0]?.why, '3 health probes failed')
  assert.equal(opened.breaker.blocked('TRY', 'native', 0)?.last_failure, '3 health probes failed')
})

test('endpoints listed together are soon probed at different times', async () => {
  const opened = open()
  const many = times(100, () => '').map((_, i) => ({ protocol: 'TRY', endpoint: `e${i}` }))
  const asked_in: number[] = []
  for (let second = 0; second <= 60; second++) {
    let probes = 0
    await opened.breaker.probe(async () => ++probes > 0, many)
    asked_in.push(probes)
    opened.clock.advance(1_000)
  }
  assert.equal(asked_in[0], 100)
  assert.ok(Math.max(...asked_in.slice(30)) < 30, String(asked_in))
})

test('a passed probe resets the failures before it', async () => {
  const opened = open()
  for (const passes of [false, false, true, false, false]) await watchAfter(opened, 10_000, passes)
  assert.equal(opened.state(), 'CLOSED')
  await watchAfter(opened, 10_000, false)
  assert.equal(opened.state(), 'OPEN')
})

test('once open it is probed only after its back-off, closes after two passes, and is then watched from the start', async () => {
  const opened = open()
  for (let failed = 0; failed < 3; failed++) await watchAfter(opened, 10_000, false)
  assert.equal(await watchAfter(opened, 1, true), 0)
  assert.equal(await watchAfter(opened, retryAfter(opened), true), 1)
  assert.equal(opened.state(), 'HALF_OPEN')
  assert.equal(await watchAfter(opened, 1_000, true), 1)
  assert.equal(opened.state(), 'CLOSED')
  for (let failed = 0; failed < 2; failed++) await watchAfter(opened, 10_000, false)
  assert.equal(opened.state(), 'CLOSED', 'the failures before it opened are forgotten')
})

test('an endpoint that hangs does not delay other probes, and is not probed twice at once', async () => {
  const opened = open()
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const probed: string[] = []
  const check = (protocol: string) => {
    probed.push(protocol)
    return protocol === 'SLOW' ? promise : Promise.resolve(true)
  }
  const both = [...watched, { protocol: 'SLOW', endpoint: 'native' }]
  const rounds = [opened.breaker.probe(check, both), opened.breaker.probe(check, both)]
  assert.deepEqual(probed, ['TRY', 'SLOW'])
  resolve(false)
  await Promise.all(rounds)
})

test('probes say whether an endpoint is away; calls that failed do not', async () => {
  const by_calls = open()
  await watchAfter(by_calls, 0, true)
  fail(by_calls, 5)
  assert.deepEqual([by_calls.state(), by_calls.breaker.isAway('TRY', 'native')], ['OPEN', false])
  const by_probes = open()
  for (let failed = 0; failed < 3; failed++) await watchAfter(by_probes, 10_000, false)
  assert.deepEqual([by_probes.state(), by_probes.breaker.isAway('TRY', 'native')], ['OPEN', true])
  await watchAfter(by_probes, retryAfter(by_probes), true)
  assert.deepEqual([by_probes.state(), by_probes.breaker.isAway('TRY', 'native')], ['HALF_OPEN', false])
  assert.equal(by_probes.breaker.isAway('TRY', 'unknown'), false)
})

test('an endpoint that is no longer registered is forgotten with its circuit, and a late probe has no effect', async () => {
  const opened = open()
  for (let failed = 0; failed < 3; failed++) await watchAfter(opened, 10_000, false)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  opened.clock.advance(330_001)
  const asking = opened.breaker.probe(() => promise, watched)
  await opened.breaker.probe(async () => true, [])
  assert.deepEqual(opened.breaker.states(), [])
  const moved = opened.moves.length
  resolve(false)
  await asking
  assert.equal(opened.moves.length, moved)
  assert.equal(opened.breaker.blocked('TRY', 'native', 0), undefined)
  await watchAfter(opened, 0, true)
  assert.deepEqual(opened.breaker.states(), [{ ...watched[0]!, state: 'CLOSED', watched: true }])
})

test('an endpoint in this process is never listed: its circuit is kept while it has state, and opens and closes like any other', async () => {
  const opened = open()
  fail(opened, 5)
  await probeAfter(opened, 1, true)
  assert.equal(opened.state(), 'OPEN')
  await probeAfter(opened, 11_001, true)
  await probeAfter(opened, 1_000, true)
  assert.deepEqual(opened.breaker.states().length, 1, 'it is recovering')
  await probeAfter(opened, 60_000, true)
  assert.deepEqual(opened.breaker.states(), [])
})

test('circuits are bounded in number; beyond it endpoints are admitted unjudged', async () => {
  const opened = open()
  for (let i = 0; i < 3_000; i++) opened.breaker.succeeded('TRY', `e${i}`)
  assert.equal(opened.breaker.states().length, 2_000)
  for (let i = 0; i < 10; i++) opened.breaker.failed('TRY', 'e2999', 'timeout')
  assert.equal(opened.breaker.blocked('TRY', 'e2999', 0), undefined)
  await probeAfter(opened, 31_000, true)
  for (let i = 0; i < 10; i++) opened.breaker.failed('TRY', 'e2999', 'timeout')
  assert.equal(opened.breaker.blocked('TRY', 'e2999', 0)?.state, 'OPEN', 'a round freed some')
})

async function closeAgain(opened: Open): Promise<void> {
  await probeAfter(opened, 330_001, true)
  await probeAfter(opened, 1_000, true)
  assert.equal(opened.state(), 'CLOSED')
}

test('a call from before the circuit closed counts neither for nor against it', async () => {
  const opened = open()
  const begun_ms = opened.clock.monotonic_ms()
  fail(opened, 5)
  await closeAgain(opened)
  times(100, () => opened.breaker.failed('TRY', 'native', 'timeout', begun_ms))
  assert.equal(opened.state(), 'CLOSED')
  times(100, () => opened.breaker.succeeded('TRY', 'native', begun_ms))
  assert.equal(opened.breaker.blocked('TRY', 'native', 4)?.state, 'recovering', 'they freed none')
  times(5, () => opened.breaker.failed('TRY', 'native', 'timeout', opened.clock.monotonic_ms()))
  assert.equal(opened.state(), 'OPEN')
})

test('after closing few calls are admitted at once, one more with each success, and sequential calls always pass', async () => {
  const opened = open()
  fail(opened, 5)
  await closeAgain(opened)
  for (let done = 0; done < 200; done++) {
    assert.equal(opened.breaker.blocked('TRY', 'native', 0), undefined)
    succeed(opened, 1)
  }
  const blocked = opened.breaker.blocked('TRY', 'native', 204)
  assert.deepEqual([blocked?.state, blocked?.last_failure], ['recovering', 'timeout'])
  const waits = times(50, () => opened.breaker.blocked('TRY', 'native', 204)!.retry_after_ms)
  assert.ok(Math.min(...waits) >= 200 && Math.max(...waits) <= 1_200 && new Set(waits).size > 40)
  opened.clock.advance(60_000)
  assert.equal(opened.breaker.blocked('TRY', 'native', 9_999), undefined, 'nobody was refused for a minute')
})
