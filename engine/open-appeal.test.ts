import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refuse } from '@svc/contract/refusal'
import { withOpenAppeal } from './open-appeal.ts'

const silent = { warn() {} } as never
const courts = (open: boolean) => ({ courts: { isOpen: async () => open }, log: silent })
const refusal = refuse('policy_denied', 'No.', { reason: 'held', appeal_path: 'MOOT file' })

test('a refusal names a court only where one sits', async () => {
  assert.equal((await withOpenAppeal(refusal, 'acme', courts(true))).details.appeal_path, 'MOOT file')
  assert.deepEqual((await withOpenAppeal(refusal, 'acme', courts(false))).details, { reason: 'held' })
  const away = { courts: { isOpen: () => Promise.reject(new Error('away')) }, log: silent }
  assert.equal((await withOpenAppeal(refusal, 'acme', away)).details.appeal_path, undefined)
})

test('other ways to contest a refusal are named without a court', async () => {
  const treaty = refuse('capability_denied', 'No.', { appeal_path: 'MOAT propose' })
  assert.equal((await withOpenAppeal(treaty, 'acme', courts(false))).details.appeal_path, 'MOAT propose')
})
