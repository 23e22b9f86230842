// Many calls at once on one budget: those that it can pay all pass, and it is never overspent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryCounters } from '@svc/adapters/budget-counters/memory'
import { empty_books } from '@svc/contract/money/books'
import { quanta_per_micro_usd } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import type { OperationFacts } from '@svc/contract/operation-facts'
import { askedOf, test_did, test_tenant, testPorts, tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import { createEngine } from '../dispatch.ts'

const month = 'envelope/e-1/2026-11'
const nothing = { read: async () => ({ quanta: 0n, calls: 0n }), settled: async () => {} }

type Context = OperationContext<'tokens'>
interface Scene {
  readonly limit: bigint
  readonly facts?: Partial<OperationFacts>
  handle?(input: { readonly [field: string]: unknown }, context: Context): unknown
}

function open({ limit, facts = {}, handle = pause }: Scene) {
  const budget_counters = memoryCounters(nothing)
  const envelope = {
    envelope_id: 'e-1',
    department: 'research',
    created_ms: 0,
    day_limit_micro_usd: limit,
    month_limit_micro_usd: limit,
    members: new Set([test_did]),
    granted: [],
    throttles: [],
  }
  const ports = testPorts([tryProtocol(handle as never, { effect: 'read', ...facts })], {
    budget_counters,
    treasury: { of: () => ({ ...empty_books, envelopes: [envelope] }) },
  })
  const engine = createEngine(ports)
  const run = async (input: object = {}) => {
    const outcome = await engine.dispatch(askedOf({ input }))
    return outcome.kind === 'refused' ? outcome.refusal : outcome
  }
  const state = () => budget_counters.state(test_tenant, month)
  /** By others, until so much is left of the month. */
  const leave = async (left: bigint) => {
    const { spent_micro_usd } = await state()
    const take = { budget_counter: month, limit, amount: 0n, counts: 'usd' } as const
    budget_counters.settle(test_tenant, [take], (limit - spent_micro_usd - left) * quanta_per_micro_usd)
  }
  return { ports, run, state, leave }
}

async function pause() {
  await new Promise((resolve) => setImmediate(resolve))
  return {}
}

const codeOf = (outcome: object) => ('code' in outcome ? `${outcome.code}` : 'ok')

test('forty calls at once pass an envelope that pays for all forty, though it cannot hold two worst cases', async () => {
  const { run, state } = open({ limit: 20_000n })
  const outcomes = await Promise.all(Array.from({ length: 40 }, () => run()))
  assert.deepEqual(new Set(outcomes.map(codeOf)), new Set(['ok']))
  const { spent_micro_usd, reserved_micro_usd } = await state()
  assert.ok(spent_micro_usd > 0n && spent_micro_usd <= 20_000n)
  assert.equal(reserved_micro_usd, 0n)
})

test('an operation that was called before reserves what its calls took', async () => {
  const { run, state } = open({ limit: 1_000_000n })
  for (let calls = 0; calls < 20; calls++) await run()
  const running = run()
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal((await state()).reserved_micro_usd, 360n)
  await running
})

test('a call that others leave no room for is told so, and when to try again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const blocking = Promise.withResolvers<object>()
  const { run } = open({ limit: 20_000n, handle: async () => blocking.promise })
  const first = run()
  const second = run()
  const ended = second.then(() => true)
  for (let is_ended = false; !is_ended; ) {
    t.mock.timers.tick(10)
    is_ended = await Promise.race([
      ended,
      new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
    ])
  }
  const refusal = await second
  assert.ok('code' in refusal)
  assert.equal(refusal.code, 'rate_limited')
  assert.equal(refusal.details.reason, 'reserved by calls under way')
  assert.equal(refusal.details.retry_after_ms, 1_000)
  assert.equal(
    refusal.message,
    'svc.try.run may cost up to 0.018000 USD. Of the 0.020000 USD allowed enough is unspent, but calls under way have reserved it; try again in 1000 ms.',
  )
  blocking.resolve({})
  assert.equal(codeOf(await first), 'ok')
})

const metered = { meters: ['tokens', 'seconds'], deadline_ms: 60_000 } as const

test('a call that outgrows what was reserved for it reserves more, and pays for what it used', async () => {
  const { run, state, ports } = open({
    limit: 10_000_000n,
    facts: metered,
    async handle({ tokens = 1 }, context) {
      context.tokens.use(Number(tokens), 0)
      return {}
    },
  })
  for (let calls = 0; calls < 20; calls++) await run()
  const before = (await state()).spent_micro_usd
  assert.equal(codeOf(await run({ tokens: 90_000 })), 'ok')
  const { usage } = ports.audit_log.records(test_tenant).at(-1)!.meta as { usage: { tokens_in: number } }
  assert.equal(usage.tokens_in, 90_000)
  const { spent_micro_usd, reserved_micro_usd } = await state()
  assert.ok(spent_micro_usd - before >= 270_000n)
  assert.equal(reserved_micro_usd, 0n)
})

test('a call that outgrows its reservation where there is no more is undone and costs nothing', async () => {
  const { run, state, leave } = open({
    limit: 1_400_000n,
    facts: metered,
    async handle({ tokens = 1 }, context) {
      context.tokens.use(Number(tokens), 0)
      return {}
    },
  })
  for (let calls = 0; calls < 20; calls++) await run()
  await leave(200_000n)
  const before = await state()
  const refused = await run({ tokens: 100_000 })
  assert.equal(codeOf(refused), 'policy_denied')
  assert.deepEqual(await state(), before)
  assert.equal(codeOf(await run({ tokens: 10 })), 'ok', 'what fits still runs')
})

test('a call that computes longer than is paid for is stopped', async (t) => {
  const { run, state, leave, ports } = open({
    limit: 1_400_000n,
    facts: metered,
    async handle({ stays }) {
      if (stays === true) await new Promise(() => {})
      return {}
    },
  })
  for (let calls = 0; calls < 20; calls++) await run()
  await leave(100_000n)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const running = run({ stays: true })
  const ended = running.then(() => true)
  for (let is_ended = false; !is_ended; ) {
    ports.clock.advance(5)
    t.mock.timers.tick(5)
    is_ended = await Promise.race([
      ended,
      new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
    ])
  }
  assert.equal(codeOf(await running), 'policy_denied')
  assert.ok(ports.clock.monotonic_ms() <= 100_000 / 18, 'no longer than is paid for')
  assert.equal((await state()).reserved_micro_usd, 0n)
})
