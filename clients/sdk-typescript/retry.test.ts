import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { refusals } from '../../generated/sdk-operations.ts'
import { type ErrorCode, SvcError } from './errors.ts'
import { repeat, retryDelay, wait } from './retry.ts'

const codes = [...Object.keys(refusals), 'not_configured', 'network', 'bad_answer'] as ErrorCode[]
const retried: readonly ErrorCode[] = ['rate_limited', 'circuit_open', 'unavailable', 'network']
const attempts = fc.nat(20)
const chances = fc.double({ min: 0, max: 1, noNaN: true })
const waits = fc.option(fc.double({ min: 0, max: 1e12, noNaN: true }))

test('only rate_limited, circuit_open, unavailable and network are retried, and each ends', () => {
  const property = fc.property(
    fc.constantFrom(...codes),
    attempts,
    waits,
    chances,
    (code, attempt, retry_after_ms, c) => {
      const wait_ms = retryDelay({ code, retry_after_ms: retry_after_ms }, attempt, () => c)
      if (!retried.includes(code) || attempt >= 8) assert.equal(wait_ms, undefined)
      if (wait_ms !== undefined) assert.ok(wait_ms > 0 && wait_ms <= 66_000, String(wait_ms))
    },
  )
  fc.assert(property)
})

test('Retry-After is honoured: never sooner, slightly later, and not at all if it is too long', () => {
  const property = fc.property(
    fc.nat(4),
    fc.double({ min: 50, max: 120_000, noNaN: true }),
    chances,
    (n, retry_after_ms, c) => {
      const wait_ms = retryDelay({ code: 'rate_limited', retry_after_ms: retry_after_ms }, n, () => c)
      if (retry_after_ms > 60_000) assert.equal(wait_ms, undefined)
      else assert.ok(wait_ms !== undefined && wait_ms >= retry_after_ms && wait_ms <= retry_after_ms * 1.1)
    },
  )
  fc.assert(property)
  assert.equal(
    retryDelay({ code: 'rate_limited', retry_after_ms: 1000 }, 5, () => 0),
    undefined,
  )
})

test('without a Retry-After the waits double, and an immediate one is not a busy loop', () => {
  const all = [0, 1, 2, 3, 4].map((n) =>
    retryDelay({ code: 'rate_limited', retry_after_ms: null }, n, () => 0),
  )
  assert.deepEqual(all, [1_000, 2_000, 4_000, 8_000, 16_000])
  assert.equal(
    retryDelay({ code: 'rate_limited', retry_after_ms: 0 }, 0, () => 0),
    50,
  )
})

test('an open circuit or unavailable dependency doubles the wait each time, up to 30 s', () => {
  for (const code of ['circuit_open', 'unavailable'] as const) {
    const error = { code, retry_after_ms: null }
    const all = Array.from({ length: 9 }, (_, n) => retryDelay(error, n, () => 0.7))
    assert.deepEqual(all, [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, undefined])
  }
})

test('network errors get three retries, with jitter around a doubling wait', () => {
  const property = fc.property(fc.nat(2), chances, (n, c) => {
    const wait_ms = retryDelay({ code: 'network', retry_after_ms: null }, n, () => c)!
    assert.ok(wait_ms >= 100 * 2 ** n && wait_ms <= 300 * 2 ** n)
  })
  fc.assert(property)
  assert.equal(
    retryDelay({ code: 'network', retry_after_ms: null }, 3, () => 0),
    undefined,
  )
})

function failing(...codes: (ErrorCode | undefined)[]) {
  let sent = 0
  const send = async () => {
    const code = codes[sent++]
    if (code !== undefined) throw new SvcError({ code, message: code })
    return 'done'
  }
  return { send, sent: () => sent }
}

test('each kind of failure has its own count, and final errors are thrown at once', async () => {
  const waited: number[] = []
  const sleep = async (wait_ms: number) => void waited.push(wait_ms)
  const mixed = failing('network', 'circuit_open', 'network', 'rate_limited', 'network', undefined)
  assert.equal(await repeat(mixed.send, sleep, undefined), 'done')
  assert.equal(waited.length, 5)
  const four = failing('network', 'network', 'network', 'network', undefined)
  await assert.rejects(repeat(four.send, sleep, undefined), { code: 'network' })
  assert.equal(four.sent(), 4)
  const denied = failing('policy_denied', undefined)
  await assert.rejects(repeat(denied.send, sleep, undefined), { code: 'policy_denied' })
  assert.equal(denied.sent(), 1)
})

test('an abort during a wait throws its own reason, whatever it is', async () => {
  for (const reason of [new Error('enough'), null, 'text']) {
    const leaving = new AbortController()
    const { send, sent } = failing('network', undefined)
    const waiting = repeat(send, wait, leaving.signal)
    leaving.abort(reason)
    await waiting.then(assert.fail, (thrown) => assert.equal(thrown, reason))
    assert.equal(sent(), 1)
  }
})

test('a sleep that ignores the signal does not hide an abort', async () => {
  const leaving = new AbortController()
  const { send, sent } = failing('network', undefined)
  const sleep = async () => leaving.abort(new Error('enough'))
  await assert.rejects(repeat(send, sleep, leaving.signal), { message: 'enough' })
  assert.equal(sent(), 1)
})

test('a wait ends by itself and leaves no listener on the signal', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { signal } = new AbortController()
  const removed = t.mock.method(signal, 'removeEventListener')
  const waiting = wait(5_000, signal)
  t.mock.timers.tick(5_000)
  await waiting
  assert.equal(removed.mock.callCount(), 1)
})
