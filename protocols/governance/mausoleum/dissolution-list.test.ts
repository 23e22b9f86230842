import assert from 'node:assert/strict'
import { test } from 'node:test'
import { steps } from './dissolution.ts'
import { dissolutionDetail, dissolutionItem } from './dissolution-list.ts'
import type { ListedDissolution } from './dissolution-store.ts'

const at = (day: number) => new Date(Date.UTC(2026, 10, day))
const did = (tenant: string) => `did:oas:${tenant}:agent:${'a'.repeat(64)}`

const begun: ListedDissolution = {
  dissolution_id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10',
  tenant_id: 'ending',
  state: 'INITIATED',
  blocked: null,
  reason: 'Enough.',
  schedule: { asset_distribution: [], obligation_transfer: [], successor_did: did('after') },
  authority: 'mace://verdict/x',
  initiated_by: did('ending'),
  initiated_at: at(1),
  notice_until: at(8),
  successor_tenant: 'after',
  cancelled_by: null,
  cancelled_at: null,
}

test('the state is the current one, and BLOCKED takes precedence', () => {
  const stateAt = (listed_dissolution: ListedDissolution, day: number) =>
    dissolutionItem(listed_dissolution, 'ending', at(day)).state
  assert.deepEqual([stateAt(begun, 7), stateAt(begun, 8)], ['INITIATED', 'DISTRIBUTING'])
  const blocked = { step: 'orders' as const, reason: 'orders are still open' }
  assert.equal(stateAt({ ...begun, state: 'DISTRIBUTING', blocked }, 9), 'BLOCKED')
  assert.equal(dissolutionItem(begun, 'after', at(1)).role, 'successor')
  assert.doesNotMatch(JSON.stringify(dissolutionItem({ ...begun, blocked }, 'after', at(9))), /orders/)
})

test('steps are listed in order, with those done', () => {
  const detail = dissolutionDetail(begun, new Map([['orders', at(8)]]), undefined, undefined)
  assert.deepEqual(
    detail.steps.map(({ step }) => step),
    steps,
  )
  assert.deepEqual(
    detail.steps.filter(({ done_at }) => done_at !== undefined),
    [{ step: 'orders', done_at: at(8).toISOString() }],
  )
  assert.deepEqual(dissolutionDetail(begun, undefined, undefined, undefined).steps, [])
})
