import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Books, type Envelope, empty_books } from '@svc/contract/money/books'
import type { OperationFacts } from '@svc/contract/operation-facts'
import { Refusal } from '@svc/contract/refusal'
import {
  askedOf,
  callBefore,
  credentialOf,
  type TestPorts,
  test_did,
  testPorts,
  tryProtocol,
} from '../../checks/rehearsal/test-ports.ts'
import type { Asked } from '../call.ts'
import { Ahead } from '../judge-ahead.ts'
import { default_limits } from '../limits/limits.ts'
import type { Ports } from '../ports.ts'
import { limitRate } from './3-limit-rate.ts'

const tiny = { ...default_limits, standard: { capacity: 3, refill_per_s: 1 } }

function open(facts: Partial<OperationFacts> = {}, other: Partial<Ports> = {}): TestPorts {
  const settings = {
    engine_did: test_did,
    operator_tenant_id: 'operator',
    watts_per_core: 5,
    check_outputs: true,
    limits: tiny,
  }
  return testPorts([tryProtocol(() => ({}), facts)], { settings, ...other })
}
async function admit(ports: TestPorts, more: Partial<Asked> = {}, request: Partial<Asked['request']> = {}) {
  return limitRate(await callBefore(3, askedOf(request, more), ports), ports, new Ahead())
}
async function refusalOf(
  ports: TestPorts,
  more: Partial<Asked> = {},
  request: Partial<Asked['request']> = {},
) {
  const call = await callBefore(3, askedOf(request, more), ports)
  try {
    await limitRate(call, ports, new Ahead())
  } catch (thrown) {
    assert.ok(thrown instanceof Refusal)
    assert.equal(call.stage, 3)
    return { refusal: thrown, call }
  }
  return assert.fail('it was let through')
}

test('calls pass until the bucket is empty, and are then told who, what and how long', async () => {
  const ports = open()
  for (const remaining of [2, 1, 0]) assert.equal((await admit(ports)).allowance.remaining, remaining)
  const { refusal, call } = await refusalOf(ports)
  assert.equal(refusal.code, 'rate_limited')
  assert.deepEqual(refusal.details, {
    reason: 'bucket empty',
    retry_after_ms: 1000,
    tenant: 'acme',
    protocol: 'TRY',
  })
  assert.equal(call.allowance?.allowed, false, 'what is left is known to the answer, too')
  ports.clock.advance(1000)
  await admit(ports)
})

test('letter case, version alias and surface all use one bucket', async () => {
  const ports = open()
  await admit(ports, {}, { protocol: 'try' })
  await admit(ports, { origin: 'mcp' }, { version: 'v1' })
  await admit(ports, { origin: 'internal' }, { version: '1.0.0' })
  await refusalOf(ports)
})

test('an operation takes its declared amount', async () => {
  const ports = open({ rate_cost: 2 })
  assert.equal((await admit(ports)).allowance.remaining, 1)
  await refusalOf(ports)
})

test('a dry run gets the same answer and takes nothing', async () => {
  const ports = open()
  for (let i = 0; i < 10; i++) assert.equal((await admit(ports, { dry_run: true })).allowance.remaining, 2)
  for (let i = 0; i < 3; i++) await admit(ports)
  await refusalOf(ports, { dry_run: true })
})

test('an exempt operation is never limited, and takes nothing from others', async () => {
  const ports = open({ exempt: true })
  for (let i = 0; i < 10; i++) assert.equal((await admit(ports)).allowance.remaining, 3)
})

test('an unlimited operation does not ask the limiter', async () => {
  const takes: [number, boolean][] = []
  const used_up = { allowed: false, limit: 1, remaining: 0, reset_s: 0, retry_after_ms: 5 }
  const limiter: Ports['limiter'] = {
    health: () => 'ok',
    take(_key, _size, cost, take) {
      takes.push([cost, take])
      return used_up
    },
  }
  assert.deepEqual((await admit(open({ exempt: true, rate_cost: 3 }, { limiter }))).allowance, used_up)
  const full = open({}, { limiter })
  full.audit_log.setState('overflow')
  await refusalOf(full)
  assert.deepEqual(takes, [
    [0, false],
    [0, false],
  ])
})

test('past the monthly quota the message says so', async () => {
  const credential = { ...credentialOf('svc.try.*'), tier: 'sandbox' as const }
  const ports = open({}, { limiter: { take: () => used_up, health: () => 'ok' } })
  const used_up = {
    allowed: false,
    limit: 1,
    remaining: 0,
    reset_s: 0,
    retry_after_ms: 5000,
    reason: 'monthly quota used',
  } as const
  const { refusal } = await refusalOf(ports, { credential })
  assert.equal(refusal.details.reason, 'monthly quota used')
  assert.match(refusal.message, /next month/)
})

test('while decisions cannot be recorded only reads and exempt operations pass', async () => {
  const ports = open()
  ports.audit_log.setState('overflow')
  const { refusal } = await refusalOf(ports)
  assert.deepEqual([refusal.code, refusal.details.reason], ['rate_limited', 'audit buffer overflow'])
  assert.ok(refusal.details.retry_after_ms)
  const reads = open({ effect: 'read' })
  reads.audit_log.setState('overflow')
  await admit(reads)
  // An emergency stop must not wait for a disk.
  const stops = open({ effect: 'write', exempt: true })
  stops.audit_log.setState('overflow')
  await admit(stops)
  for (const state of ['normal', 'buffering'] as const) {
    ports.audit_log.setState(state)
    await admit(ports)
  }
})

test('a remote limiter is awaited, and its failure does not admit the call', async () => {
  const allowance = { allowed: false, limit: 1, remaining: 0, reset_s: 1, retry_after_ms: 7 }
  const slow = open({}, { limiter: { take: async () => allowance, health: () => 'ok' } })
  const { refusal } = await refusalOf(slow)
  assert.deepEqual([refusal.details.reason, refusal.details.retry_after_ms], ['bucket empty', 7])
  const broken = open(
    {},
    { limiter: { take: () => Promise.reject(new Error('down')), health: () => 'degraded' } },
  )
  await assert.rejects(admit(broken), /down/)
})

const research: Envelope = {
  envelope_id: 'e-1',
  department: 'research',
  created_ms: 0,
  day_limit_micro_usd: 1n,
  month_limit_micro_usd: 1n,
  members: new Set([test_did]),
  granted: [],
  throttles: [],
}
const throttled = (factor_bps: number, more: Partial<Books> = {}): Partial<Ports> => {
  const envelope = { ...research, throttles: [{ match: 'svc.try.*', factor_bps }] }
  return { treasury: { of: async () => ({ ...empty_books, envelopes: [envelope], ...more }) } }
}

test('a throttle shrinks bucket and refill of its members, in a separate bucket', async () => {
  const ports = open({}, throttled(6_667))
  assert.equal((await admit(ports)).allowance.limit, 2)
  await admit(ports)
  await refusalOf(ports)
  ports.clock.advance(1_000)
  await refusalOf(ports)
  ports.clock.advance(500)
  await admit(ports)
})

test('a factor of 0 stops all but exempt operations until lifted', async () => {
  const { refusal } = await refusalOf(open({}, throttled(0)))
  assert.deepEqual(
    [refusal.details.reason, refusal.details.retry_after_ms],
    ['throttled to zero', 86_400_000],
  )
  await admit(open({ exempt: true }, throttled(0)))
})

test('with a low runway agents are slowed to a quarter, and nobody else', async () => {
  const limitOf = async (level: Books['level'], estate: 'agent' | 'protocol') => {
    const definition = { ...tryProtocol(() => ({})), estate }
    const ports = testPorts([definition], { treasury: { of: () => ({ ...empty_books, level }) } })
    return (await admit(ports)).allowance.limit
  }
  assert.deepEqual([await limitOf('critical', 'agent'), await limitOf('exhausted', 'agent')], [125, 125])
  assert.deepEqual([await limitOf('low', 'agent'), await limitOf('critical', 'protocol')], [500, 500])
})
