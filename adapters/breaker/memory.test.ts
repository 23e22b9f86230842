import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ManualClock, manualClock } from '../clock/manual.ts'
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
const times = (count: number, work: () => void) => Array.from({ length: count }, work)
const fail = ({ breaker }: Open, count: number) =>
  times(count, () => breaker.failed('TRY', 'native', 'timeout'))
const succeed = ({ breaker }: Open, count: number) => times(count, () => breaker.succeeded('TRY', 'native'))
const retryAfter = ({ breaker }: Open) => breaker.blocked('TRY', 'native', 0)?.retry_after_ms ?? 0

async function probeAfter(opened: Open, ms: number, passes: boolean): Promise<number> {
  let asked = 0
  opened.clock.advance(ms)
  await opened.breaker.probe(async () => {
    asked++
    return passes
  })
  return asked
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

test('failures that are fewer than half of the calls do not, whichever came first', () => {
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

test('what is older than the window no longer speaks against an endpoint', () => {
  const opened = open()
  fail(opened, 4)
  opened.clock.advance(30_001)
  fail(opened, 4)
  assert.equal(opened.state(), 'CLOSED')
  fail(opened, 1)
  assert.equal(opened.state(), 'OPEN')
})

test('endpoints and protocols break apart', () => {
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
  assert.deepEqual(opened.breaker.blocked('TRY', 'native', 0), {
    last_failure: 'timeout',
    retry_after_ms: 1000,
    state: 'HALF_OPEN',
  })
  assert.equal(await probeAfter(opened, 1000, true), 1)
  assert.equal(opened.breaker.blocked('TRY', 'native', 0), undefined)
  assert.deepEqual(
    opened.moves.map(({ from, to }) => `${from} ${to}`),
    ['CLOSED OPEN', 'OPEN HALF_OPEN', 'HALF_OPEN CLOSED'],
  )
  fail(opened, 4)
  assert.equal(opened.state(), 'CLOSED', 'old failures are forgotten once it closed')
})

test('one failed probe opens it again, and the one that passed before counts no more', async () => {
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

test('late answers of calls under way neither close nor reopen it', async () => {
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

test('the back-off doubles from 10 s to 300 s, a tenth either way, and starts over after closing', async () => {
  const opened = open()
  fail(opened, 5)
  for (const expected_ms of [10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000]) {
    const wait_ms = retryAfter(opened)
    assert.ok(
      wait_ms >= expected_ms * 0.9 && wait_ms <= expected_ms * 1.1 + 1,
      `${wait_ms} of ${expected_ms}`,
    )
    assert.equal(await probeAfter(opened, wait_ms, false), 1)
  }
  await probeAfter(opened, retryAfter(opened), true)
  await probeAfter(opened, 1000, true)
  fail(opened, 5)
  assert.ok(retryAfter(opened) <= 11_000)
})

test('the back-off is spread, so that replicas do not probe together', () => {
  const waits = ['a', 'b', 'c', 'd', 'e'].map((seed) => {
    const opened = open(seed)
    fail(opened, 5)
    return retryAfter(opened)
  })
  assert.ok(new Set(waits).size > 1)
})

const legal = new Set(['CLOSED OPEN', 'OPEN HALF_OPEN', 'HALF_OPEN OPEN', 'HALF_OPEN CLOSED'])
const step = fc.oneof(
  fc.constant('fail'),
  fc.constant('succeed'),
  fc.constantFrom('probe passes', 'probe fails', 'probe passes', 'probe fails'),
  fc.nat(40_000),
)

test('only legal moves are made, each from where the last one led, and callers pass only when CLOSED', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const opened = open()
      for (const what of steps) {
        const before = opened.state()
        if (typeof what === 'number') opened.clock.advance(what)
        else if (what === 'fail') fail(opened, 3)
        else if (what === 'succeed') succeed(opened, 1)
        else await opened.breaker.probe(async () => what === 'probe passes')
        const blocked = opened.breaker.blocked('TRY', 'native', 0)
        assert.equal(blocked === undefined, opened.state() === 'CLOSED')
        if (before !== 'CLOSED' && opened.state() === 'CLOSED') assert.equal(what, 'probe passes')
      }
      opened.moves.forEach(({ from, to }, i) => {
        assert.ok(legal.has(`${from} ${to}`), `${from} ${to}`)
        assert.equal(from, i === 0 ? 'CLOSED' : opened.moves[i - 1]!.to)
      })
    }),
    { numRuns: 300 },
  )
})

test('two probe rounds at once still make only legal moves', async () => {
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
  let asked = 0
  opened.clock.advance(ms)
  await opened.breaker.probe(async () => {
    asked++
    return passes
  }, watched)
  return asked
}

test('a watched endpoint is probed every ten seconds, and three failures in a row open it though no call failed', async () => {
  const opened = open()
  assert.equal(await watchAfter(opened, 0, true), 1)
  assert.equal(await watchAfter(opened, 9_999, true), 0)
  assert.equal(await watchAfter(opened, 1, false), 1)
  assert.equal(await watchAfter(opened, 10_000, false), 1)
  assert.equal(opened.state(), 'CLOSED')
  assert.equal(await watchAfter(opened, 10_000, false), 1)
  assert.equal(opened.state(), 'OPEN')
  assert.equal(opened.moves[0]?.why, '3 health probes failed')
  assert.equal(opened.breaker.blocked('TRY', 'native', 0)?.last_failure, '3 health probes failed')
})

test('a probe that passes in between takes back the failures before it', async () => {
  const opened = open()
  for (const passes of [false, false, true, false, false]) await watchAfter(opened, 10_000, passes)
  assert.equal(opened.state(), 'CLOSED')
  await watchAfter(opened, 10_000, false)
  assert.equal(opened.state(), 'OPEN')
})

test('once open it is probed after its back-off only, closes by two, and is watched from the start again', async () => {
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

test('an endpoint that hangs keeps no other from being probed, and is not asked twice at once', async () => {
  const opened = open()
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const asked: string[] = []
  const check = (protocol: string) => {
    asked.push(protocol)
    return protocol === 'SLOW' ? promise : Promise.resolve(true)
  }
  const both = [...watched, { protocol: 'SLOW', endpoint: 'native' }]
  const rounds = [opened.breaker.probe(check, both), opened.breaker.probe(check, both)]
  assert.deepEqual(asked, ['TRY', 'SLOW'])
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
