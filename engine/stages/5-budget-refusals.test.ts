// What stage 5 says where there is no room: the rule, the amount, and what to do, for each kind of counter.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Envelope, empty_books } from '@svc/contract/money/books'
import { Refusal } from '@svc/contract/refusal'
import type { Guarded, Take } from '../call.ts'
import { openReservations } from '../limits/reservations.ts'
import type { Ports } from '../ports.ts'
import { releaseBudget, reserveBudget } from './5-reserve-budget.ts'

const timestamp = '2026-11-19T14:25:36.000Z'
const now_ms = Date.parse(timestamp)
const envelope: Envelope = {
  envelope_id: 'e',
  department: 'research',
  created_ms: 0,
  day_limit_micro_usd: 3_000_000n,
  month_limit_micro_usd: 180_000n,
  members: new Set(['d']),
  granted: [],
  throttles: [],
}

const used_up = { spent_micro_usd: 10n ** 12n, reserved_micro_usd: 0n }

/** A second of it costs 0.018 USD. */
function callOf(grant: object, more: object = {}): Guarded {
  return {
    stage: 4,
    asked: { request: { input: {} }, credential: { tier: 'charter', tenant_id: 'acme' } },
    books: { ...empty_books, paid_in_micro_usd: 2_000_000n, credit_line_micro_usd: 0n },
    caller: { did: 'd' },
    context: { metadata: {} },
    timestamp,
    now_ms,
    operation: { capability: 'svc.try.run', multipliers: [0, 10_000, 0], facts: {} },
    registered: { facts: { id: 'TRY' } },
    grant: { name: 'svc.try.*', caveats: [], source: 'key', ...grant },
    ...more,
  } as unknown as Guarded
}

function portsWith(full: string | undefined, settled: unknown[] = []): Ports {
  const reserve = (_tenant_id: string, takes: readonly Take[]) =>
    takes.find(({ budget_counter }) => budget_counter === full)
  const settle = (...words: unknown[]) => settled.push(words)
  const budget_counters = { reserve, settle, state: () => used_up }
  const reservations = openReservations()
  return { settings: { watts_per_core: 5 }, budget_counters, reservations } as unknown as Ports
}

async function refusalOf(call: Guarded, full?: string): Promise<Refusal> {
  const thrown = await (async () => reserveBudget(call, portsWith(full)))().then(
    () => assert.fail('it was let through'),
    (error: unknown) => error,
  )
  assert.ok(thrown instanceof Refusal)
  assert.equal(call.stage, 5)
  assert.equal(thrown.details.gate, 'MANA')
  return thrown
}

type Told = readonly [code: string, reason: unknown, sentence: string, details: Record<string, unknown>]

function assertTold({ code, message, details }: Refusal, [expected, reason, sentence, more]: Told): void {
  assert.deepEqual([code, details.reason, message], [expected, reason, sentence])
  for (const [name, value] of Object.entries(more)) assert.equal(details[name], value, name)
}

const may_cost = 'svc.try.run may cost up to 0.018000 USD, more than is left of the'

test('the runway, an envelope, a week and an hour', async () => {
  const books = { ...empty_books, envelopes: [envelope], paid_in_micro_usd: 1n, credit_line_micro_usd: 1n }
  const call = () => callOf({ caveats: ['weekly_budget:2'], limits: { max_per_hour: 4 } }, { books })
  const mana = { denying_policy: 'MANA' }
  const allocate = { ...mana, appeal_path: 'MANA allocate' }
  const cases: Record<string, Told> = {
    runway: [
      'policy_denied',
      'tenant runway exhausted',
      `${may_cost} 0.000002 USD tenant acme has paid in or may owe; settle a top-up with MADE economic_contract_settle, or ask the operator for credit.`,
      { ...mana, appeal_path: 'MADE economic_contract_settle' },
    ],
    'envelope/e/2026-11-19': [
      'policy_denied',
      'envelope day limit reached',
      `${may_cost} 3.000000 USD research has today (2026-11-19 UTC); wait for the next, or raise it with MANA allocate.`,
      allocate,
    ],
    'envelope/e/2026-11': [
      'policy_denied',
      'envelope month limit reached',
      `${may_cost} 0.180000 USD research has this month (2026-11-19 UTC); wait for the next, or raise it with MANA allocate.`,
      allocate,
    ],
    'week/2026-11-16/d/svc.try.*': [
      'capability_denied',
      'caveat not satisfied',
      `${may_cost} 2.000000 USD a week under svc.try.*; wait for Monday, 00:00 UTC, or ask for a wider grant.`,
      { denying_policy: 'svc.try.*' },
    ],
    'hour/2026-11-19T14/d/svc.try.*': [
      'rate_limited',
      'capability max_per_hour reached',
      'This identity has made the 4 calls an hour that its grant svc.try.* allows; try again in 2064000 ms.',
      { ...mana, retry_after_ms: 2_064_000 },
    ],
  }
  for (const [full, sentence] of Object.entries(cases)) assertTold(await refusalOf(call(), full), sentence)
})

test('a limit in the chain of a delegation names who holds it, and that it is shared', async () => {
  const capability = { name: 'svc.try.*', caveats: ['weekly_budget:2'], limits: { max_per_hour: 4 } }
  const chain = [
    { holder: 'sha256:1', capability },
    { holder: 'root', capability },
  ]
  const call = () => callOf({ ...capability, source: 'delegation', chain })
  for (const holder of ['sha256:1', 'root']) {
    assertTold(await refusalOf(call(), `week/2026-11-16/${holder}/svc.try.*`), [
      'capability_denied',
      'caveat not satisfied',
      `${may_cost} 2.000000 USD a week under svc.try.*, shared by everyone in the chain of this delegation; wait for Monday, 00:00 UTC, or ask for a wider grant.`,
      { denying_policy: 'svc.try.*', holder },
    ])
    assertTold(await refusalOf(call(), `hour/2026-11-19T14/${holder}/svc.try.*`), [
      'rate_limited',
      'capability max_per_hour reached',
      'The 4 calls an hour that everyone in the chain of this delegation of svc.try.* shares have been made; try again in 2064000 ms.',
      { denying_policy: 'MANA', retry_after_ms: 2_064_000, holder },
    ])
  }
})

test('the limits of a treaty', async () => {
  const treaty = { root_id: 't', rate_limits: { per_hour: 5, per_day: 6 } }
  const grant = { caveats: ['weekly_budget:2'], limits: { max_per_hour: 4 }, treaty, source_ref: 'sha256:7' }
  const amend = { denying_policy: 'sha256:7', appeal_path: 'MOAT propose_amendment' }
  const [hour_ms, day_ms] = [2_064_000, 34_464_000]
  const made = (ms: number) => `and they have been made; try again in ${ms} ms.`
  const cases: Record<string, Told> = {
    'treaty/t/2026-11-19T14': [
      'rate_limited',
      'limit reached: per_hour',
      `The treaty allows 5 calls an hour, ${made(hour_ms)}`,
      { ...amend, retry_after_ms: hour_ms },
    ],
    'treaty/t/2026-11-19': [
      'rate_limited',
      'limit reached: per_day',
      `The treaty allows 6 calls a day, ${made(day_ms)}`,
      { ...amend, retry_after_ms: day_ms },
    ],
    'treaty/t/2026-11-19T14/svc.try.*': [
      'rate_limited',
      'limit reached: max_per_hour',
      `The treaty allows 4 calls an hour of svc.try.*, ${made(hour_ms)}`,
      { ...amend, retry_after_ms: hour_ms },
    ],
    'treaty/t/w2026-11-16/svc.try.*': [
      'capability_denied',
      'limit reached: weekly_budget_usd',
      `${may_cost} 2.000000 USD a week that the treaty grants for svc.try.*; wait for Monday, 00:00 UTC, or amend the treaty.`,
      amend,
    ],
  }
  for (const [full, sentence] of Object.entries(cases))
    assertTold(await refusalOf(callOf(grant), full), sentence)
})

test('a share of the budget: the month of the envelope, else all the tenant has', async () => {
  const books = { ...empty_books, envelopes: [envelope] }
  const share = (max_per_call_bps: number, more: object = {}) =>
    callOf({ limits: { max_per_call_bps } }, more)
  assertTold(await refusalOf(share(999, { books })), [
    'policy_denied',
    'capability max_per_call_bps exceeded',
    'svc.try.run may cost 0.018000 USD, and the grant svc.try.* allows 0.017982 a call; ask for less, or for a wider grant.',
    { denying_policy: 'svc.try.*' },
  ])
  assert.ok(reserveBudget(share(1_000, { books }), portsWith(undefined)))
  assert.ok(reserveBudget(share(90), portsWith(undefined)))
  assert.equal((await refusalOf(share(89))).details.denying_policy, 'svc.try.*')
})

test('the first hold that binds is named, and an envelope nobody has binds nobody', async () => {
  const hold = (scope: string, reason: string) => ({ hold_id: reason, scope, reason, until_ms: now_ms + 1 })
  const holds = [hold('envelope:e', 'none'), hold('agent:d', 'first'), hold('tenant', 'second')]
  assertTold(await refusalOf(callOf({}, { books: { ...empty_books, holds } })), [
    'policy_denied',
    'held: first',
    'svc.try.run is held until 2026-11-19T14:25:36.001Z: first. Whoever placed the hold or a charter member can release it.',
    { hold_id: 'first', appeal_path: 'MOOT file', denying_policy: 'MANA' },
  ])
})

test('a reservation is released once, and a dry run has none', async () => {
  const settled: unknown[] = []
  const ports = portsWith(undefined, settled)
  const budgeted = await reserveBudget(callOf({}), ports)
  const { takes } = budgeted
  releaseBudget(budgeted, ports)
  releaseBudget(budgeted, ports)
  assert.deepEqual(settled, [['acme', takes, 0n]])
  const { asked } = callOf({})
  const dry = await reserveBudget(callOf({}, { asked: { ...asked, dry_run: true } }), ports)
  assert.equal(dry.takes, undefined)
})

test('counters that are elsewhere are awaited', async () => {
  const ports = portsWith(undefined)
  const reserve = async (_tenant_id: string, takes: readonly Take[]) => takes.at(-1)
  const remote = { ...ports, budget_counters: { ...ports.budget_counters, reserve } } as unknown as Ports
  await assert.rejects(async () => reserveBudget(callOf({}), remote), { code: 'policy_denied' })
})
