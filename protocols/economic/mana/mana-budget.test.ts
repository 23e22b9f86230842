import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { AuditLog } from '@svc/audit/audit-log'
import type { Database } from '@svc/contract/database'
import { type Books, empty_books } from '@svc/contract/money/books'
import { base_rate } from '@svc/contract/money/charge'
import type { BudgetCounterState } from '@svc/contract/needs/budgets'
import { testContext } from '../../../checks/rehearsal/test-context.ts'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import { spentSince } from '../usage/spend-store.ts'
import { openUsageLog, use as useLog } from '../usage/test-usage.ts'
import { keepHours } from '../usage/usage-hours.ts'
import { tellBudget } from './mana-budget.ts'

const now = '2026-11-15T10:30:00.000Z'
const quanta_per_usd = 10n ** 19n
const envelope_id = '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'
let opened: TestStore
let engine: Database
let audit_log: AuditLog

before(async () => {
  opened = await openTestStore()
  engine = opened.store.engine
  audit_log = await openUsageLog(opened.database.url)
})
after(async () => {
  await audit_log.close()
  await opened.close()
})

function use(at: string, usd: bigint, caller_did = 'did:a'): Promise<void> {
  return useLog(audit_log, 'acme', [{ at, quanta: usd * quanta_per_usd, entry: { caller_did } }])
}

const budget_counter = (spent: bigint, reserved = 0n): BudgetCounterState => ({
  spent_micro_usd: spent,
  reserved_micro_usd: reserved,
})

function ask(
  input: object,
  books: Partial<Books> = {},
  budget_counters: Record<string, BudgetCounterState> = {},
) {
  return opened.as('acme', (db) => {
    const context = testContext<'budgets' | 'tenants'>({
      db,
      tenant_id: 'acme',
      now,
      budgets: {
        rules: async () => ({ ...empty_books, paid_in_micro_usd: 100_000_000n, ...books }),
        counter: async (name: string) => budget_counters[name] ?? budget_counter(0n),
      },
      tenants: { tierOf: async () => 'sandbox' },
    })
    return tellBudget({ tenant_id: 'acme', dimension: 'usd', ...input } as never, context)
  })
}

test('burn is the cost of the last seven days, from stored hours and from events alike', async () => {
  await use('2026-11-08T09:59:59Z', 1000n)
  await use('2026-11-08T10:00:00Z', 7n)
  await use('2026-11-14T12:00:00Z', 7n, 'did:b')
  await use('2026-11-15T10:10:00Z', 7n)
  const plain = await ask({})
  assert.deepEqual([plain.burn_per_day, plain.runway_days], ['3.000000', 36])
  assert.ok((await keepHours(engine, 'acme', Date.parse(now))) > 0)
  assert.equal((await ask({})).burn_per_day, '3.000000')
  // A late event arrives in a stored hour.
  await use('2026-11-14T12:30:00Z', 7n, 'did:b')
  assert.equal((await ask({})).burn_per_day, '4.000000')
  const since = new Date('2026-11-08T10:00:00Z')
  assert.deepEqual(await spentSince(engine, 'acme', since, 'did:b'), {
    quanta: 14n * quanta_per_usd,
    calls: 2n,
  })
  assert.deepEqual(await spentSince(engine, 'acme', since), { quanta: 28n * quanta_per_usd, calls: 4n })
})

test('the rest accounts for payments, credit, spending and reservations', async () => {
  const runway = { runway: budget_counter(30_000_000n, 5_000_000n) }
  const left = await ask({}, {}, runway)
  assert.deepEqual(
    [left.remaining, left.remaining_micro_usd, left.accrued, left.reserved, left.credit_line],
    ['75.000000', '75000000', '30.000000', '5.000000', '10.000000'],
  )
  assert.equal((await ask({}, { credit_line_micro_usd: 0n }, runway)).remaining, '65.000000')
  const buys = async (dimension: string) => (await ask({ dimension }, {}, runway)).remaining
  assert.deepEqual(
    [await buys('tokens'), await buys('seconds'), await buys('watts')],
    ['25000000', '4166', '178'],
  )
  const free = { ...base_rate, version: 1, tokens: 0n }
  assert.match((await ask({ dimension: 'tokens' }, { rates: [free] }, runway)).remaining, /^\d+$/)
  const owing = await ask({ dimension: 'tokens' }, {}, { runway: budget_counter(200_000_000n) })
  assert.deepEqual([owing.remaining, owing.remaining_usd, owing.runway_days], ['0', '-90.000000', 0])
})

test("an envelope's rest is the minimum of its day, its month and the runway", async () => {
  const research = {
    envelope_id,
    department: 'research',
    created_ms: 0,
    day_limit_micro_usd: 10n,
    month_limit_micro_usd: 15n,
    members: new Set<string>(),
    granted: [],
    throttles: [],
  }
  const budget_counters = {
    [`envelope/${envelope_id}/2026-11-15`]: budget_counter(4n, 1n),
    [`envelope/${envelope_id}/2026-11`]: budget_counter(12n),
  }
  const answer = await ask({ envelope_id }, { envelopes: [research] }, budget_counters)
  assert.equal(answer.remaining_micro_usd, '3')
  assert.deepEqual(answer.envelopes[0]!.day, {
    limit: '0.000010',
    spent: '0.000004',
    reserved: '0.000001',
    remaining: '0.000005',
  })
  assert.equal((await ask({}, { envelopes: [research] }, budget_counters)).remaining, '110.000000')
  await assert.rejects(ask({ envelope_id }), { code: 'invalid_payload' })
  await assert.rejects(ask({ tenant_id: 'rival' }), { code: 'policy_denied' })
})
