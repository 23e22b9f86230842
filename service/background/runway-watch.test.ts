import assert from 'node:assert/strict'
import { test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import type { Database } from '@svc/contract/database'
import type { BudgetCounters } from '@svc/engine/limits/budget-counters'
import { watchRunways } from './runway-watch.ts'

test('a failed check is repeated, even without more spending', async () => {
  const looked: string[] = []
  const budget_counters = { settle() {} } as unknown as BudgetCounters
  const watch = watchRunways(budget_counters, {
    treasury: { of: () => assert.fail('nobody is known') } as never,
    clock: system_clock,
    db: {} as Database,
    async tierOf(tenant_id) {
      looked.push(tenant_id)
      if (looked.length === 1) throw new Error('the database is busy')
      return undefined
    },
  })
  watch.budget_counters.settle('penny', [], 1n)
  await assert.rejects(watch.note(), /busy/)
  await watch.note()
  await watch.note()
  assert.deepEqual(looked, ['penny', 'penny'])
})
