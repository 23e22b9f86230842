import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Tier, tiers } from '@svc/contract/authority/tier'
import { type Books, type Envelope, empty_books } from '@svc/contract/money/books'
import { base_rate } from '@svc/contract/money/charge'
import type { Authorised } from '../call.ts'
import {
  costOf,
  deadlineOf,
  envelopeFor,
  type Priced,
  takesOf,
  tokensExhausted,
  weekCounters,
  worstOf,
} from './budget.ts'

/** An operation that meters tokens and may take ten minutes, called with this input. */
function asking(input: unknown, facts: object = {}, tier: Tier = 'sovereign'): Priced {
  const operation = { multipliers: [1, 1, 1], facts: { deadline_ms: 600_000, ...facts } }
  return { operation, asked: { request: { input }, credential: { tier } } } as unknown as Priced
}
const budget_default = { tokens: 5_000, deadline_ms: 20_000 }

test('a named budget is binding, within what the operation allows', () => {
  const call = asking({ budget: { tokens: 10, deadline_ms: 900_000 } }, { budget_default })
  assert.deepEqual(worstOf(call, undefined), { ms: 600_000, tokens: 10 })
  assert.equal(deadlineOf(asking({ budget: { deadline_ms: 100 } }, { budget_default })), 100)
})

test("without a budget the operation's default is reserved, not its maximum", () => {
  assert.deepEqual(worstOf(asking({}, { budget_default }), undefined), { ms: 20_000, tokens: 5_000 })
  assert.equal(worstOf(asking({}), undefined).ms, 600_000)
})

test("a deadline above the tier's limit is cut to it, and no more is reserved", () => {
  const wish = { budget: { tokens: 10, deadline_ms: 600_000 } }
  const granted = (Object.keys(tiers) as Tier[]).map((tier) => deadlineOf(asking(wish, {}, tier)))
  assert.deepEqual(granted, [30_000, 120_000, 300_000, 600_000])
  assert.equal(worstOf(asking(wish, {}, 'sandbox'), undefined).ms, 30_000)
  assert.equal(deadlineOf(asking({ budget: { deadline_ms: 29_000 } }, {}, 'sandbox')), 29_000)
  const unmetered = {
    ...asking({}, {}, 'sandbox'),
    operation: { multipliers: [0, 1, 1], facts: { deadline_ms: 600_000 } },
  }
  assert.equal(
    deadlineOf(unmetered as unknown as Priced),
    600_000,
    'what meters no tokens waits, and computes little',
  )
})

test('an input that is no object names no budget', () => {
  for (const input of [null, undefined, 'x', { budget: null }])
    assert.deepEqual(worstOf(asking(input), 7), { ms: 600_000, tokens: 7 })
})

test('untrusted code may also record events, which are reserved beside its time', () => {
  const metered = worstOf(asking({}, { foreign: true }), 7)
  assert.deepEqual(metered, { ms: 600_000, tokens: 7, event_ms: 640 })
  const unmetered = { ...asking({}), operation: { multipliers: [0, 1, 1], facts: { foreign: true } } }
  assert.deepEqual(worstOf(unmetered as unknown as Priced, 7), { ms: 1_000, tokens: 0, event_ms: 640 })
})

test('a worst case costs its tokens, its time with events, and the energy of its time alone', () => {
  const rates = [{ ...base_rate, from_ms: 5, tokens: 1_000_000n, seconds: 10n ** 9n, watts: 10n ** 9n }]
  const cost = (now_ms: number, worst: Parameters<typeof costOf>[1]) => {
    const operation = { multipliers: [10_000, 10_000, 10_000] } as unknown as Priced['operation']
    return costOf({ operation, books: { ...empty_books, rates }, now_ms }, worst, 36)
  }
  // A token and a millisecond cost 1 µUSD each; 100 ms at 36 W are 1000 µWh, which cost 1 µUSD.
  assert.equal(cost(5, { ms: 100, tokens: 7 }), 7n + 100n + 1_000n)
  assert.equal(cost(5, { ms: 100, tokens: 7, event_ms: 50 }), 7n + 150n + 1_000n)
  assert.equal(cost(4, { ms: 100, tokens: 0 }), 1_801n)
})

test('a call that used its tokens is told so', () => {
  const { code, message, details } = tokensExhausted('svc.try.run', 9)
  assert.equal(code, 'policy_denied')
  assert.equal(
    message,
    'svc.try.run has used the 9 tokens reserved for it and was stopped; give it a larger budget.',
  )
  assert.equal(details.reason, 'token budget exhausted')
})

const envelope: Envelope = {
  envelope_id: 'e',
  department: 'research',
  created_ms: 0,
  day_limit_micro_usd: 3n,
  month_limit_micro_usd: 4n,
  members: new Set(['d']),
  granted: [],
  throttles: [],
}
const treaty = { root_id: 't', rate_limits: { per_hour: 5, per_day: 6 } }
const timestamp = '2026-11-19T14:25:36.789Z'

function authorised(grant: object, facts: object = {}, books: Partial<Books> = {}): Authorised {
  return {
    books: { ...empty_books, paid_in_micro_usd: 8n, credit_line_micro_usd: 1n, ...books },
    asked: { credential: { tier: 'charter' } },
    caller: { did: 'd' },
    context: { metadata: {} },
    timestamp,
    now_ms: Date.parse(timestamp),
    operation: { facts },
    grant: { name: 'c', caveats: [], source: 'key', ...grant },
  } as unknown as Authorised
}
const usd = (budget_counter: string, limit: bigint, amount = 2n) =>
  ({ budget_counter, limit, amount, counts: 'usd' }) as const
const calls = (budget_counter: string, limit: bigint) =>
  ({ budget_counter, limit, amount: 1n, counts: 'calls' }) as const
const runway = usd('runway', 9n)

test('every counter of a call, the narrowest first', () => {
  const whole = { limits: { max_per_hour: 7 }, caveats: ['weekly_budget:0.00001'], treaty }
  assert.deepEqual(takesOf(authorised(whole), envelope, 2n), [
    calls('treaty/t/2026-11-19T14', 5n),
    calls('treaty/t/2026-11-19', 6n),
    calls('treaty/t/2026-11-19T14/c', 7n),
    usd('treaty/t/w2026-11-16/c', 10n),
    usd('envelope/e/2026-11-19', 3n),
    usd('envelope/e/2026-11', 4n),
    runway,
  ])
})

test('each limit of a grant counts alone', () => {
  const takes = (grant: object) => takesOf(authorised(grant), undefined, 2n)
  assert.deepEqual(takes({}), [runway])
  assert.deepEqual(takes({ limits: { max_per_hour: 7 } }), [calls('hour/2026-11-19T14/d/c', 7n), runway])
  assert.deepEqual(takes({ caveats: ['weekly_budget:1'] }), [usd('week/2026-11-16/d/c', 1_000_000n), runway])
  assert.deepEqual(takes({ treaty: { root_id: 't', rate_limits: { per_day: 6 } } }), [
    calls('treaty/t/2026-11-19', 6n),
    runway,
  ])
})

test('a free call counts as a call; one that is not limited does not', () => {
  const grant = { limits: { max_per_hour: 7 }, caveats: ['weekly_budget:1'], treaty }
  const names = (facts: object, cost: bigint) =>
    takesOf(authorised(grant, facts), undefined, cost).map(({ counts, amount }) => `${amount} ${counts}`)
  assert.deepEqual(names({}, 0n), ['1 calls', '1 calls', '1 calls', '0 usd', '0 usd'])
  for (const facts of [{ essential: true }, { exempt: true }])
    assert.deepEqual(names(facts, 2n), ['0 usd', '0 usd'])
})

test('the counters of a grant are those of its holder, or of the organization under a treaty', () => {
  const weeks = (more: object) => {
    const { grant, now_ms } = authorised({ caveats: ['weekly_budget:1', 'time:09-17'], ...more })
    return [...weekCounters(grant, 'd', now_ms)]
  }
  assert.deepEqual(weeks({}), [['weekly_budget:1', 'week/2026-11-16/d/c']])
  assert.deepEqual(weeks({ treaty }), [['weekly_budget:1', 'treaty/t/w2026-11-16/c']])
  assert.equal(envelopeFor(authorised({}, {}, { envelopes: [envelope] })), envelope)
  assert.equal(envelopeFor(authorised({})), undefined)
})

const chain = [
  { holder: 'sha256:2', capability: { name: 'c', caveats: ['weekly_budget:2', 'weekly_budget:3'] } },
  {
    holder: 'sha256:1',
    capability: { name: 'c', caveats: ['weekly_budget:3'], limits: { max_per_hour: 4 } },
  },
  { holder: 'root', capability: { name: 'c*', caveats: ['weekly_budget:3'], limits: { max_per_hour: 9 } } },
]

test('a delegated call counts at every limit of its chain, once each, and not at its caller', () => {
  const limits = { max_per_hour: 4 }
  const call = authorised({ source: 'delegation', limits, caveats: chain[0]!.capability.caveats, chain })
  assert.deepEqual(takesOf(call, undefined, 2n), [
    usd('week/2026-11-16/sha256:2/c', 2_000_000n),
    calls('hour/2026-11-19T14/sha256:1/c', 4n),
    usd('week/2026-11-16/sha256:1/c', 3_000_000n),
    calls('hour/2026-11-19T14/root/c*', 9n),
    usd('week/2026-11-16/root/c*', 3_000_000n),
    runway,
  ])
  const free = [{ holder: 'root', capability: { name: 'c', caveats: [] } }]
  assert.deepEqual(takesOf(authorised({ source: 'delegation', chain: free }), undefined, 2n), [runway])
})

test('a weekly budget that was inherited is judged at the highest holder that has it', () => {
  const { grant, now_ms } = authorised({ source: 'delegation', chain })
  assert.deepEqual(Object.fromEntries(weekCounters(grant, 'd', now_ms)), {
    'weekly_budget:2': 'week/2026-11-16/sha256:2/c',
    'weekly_budget:3': 'week/2026-11-16/root/c*',
  })
})
