import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CommittedRecord } from '@svc/audit/chain/chain'
import type { ClientBase } from 'pg'
import { testTick } from '../../../checks/rehearsal/test-context.ts'
import { projections } from './cross-tenant-projection.ts'

/** The reason as written to the called organization's log. */
async function toldReason(policy_sets: Record<string, string>): Promise<unknown> {
  const left: string[] = []
  const client = {
    query: async ({ values }: { values: [string[], string[]] }) => {
      left.push(...values[1])
      return { rowCount: left.length }
    },
  } as unknown as ClientBase
  const meta = {
    target_tenant: 'tenb',
    code: 'policy_denied',
    denying_policy: 'maxim://hours@1.0.0',
    reason: 'policy hours@1.0.0 forbids: tenb said\nthat it owes us',
    stage: 4,
    policy_sets,
  }
  const fields = { event_type: 'SecurityViolation', caller_did: 'did', tenant_id: 'tena', meta }
  const record = { fields, seq: 1, record_hash: 'a', tenant_id: 'tena' } as unknown as CommittedRecord
  for (const project of projections) await project(client, [record], testTick(0))
  return JSON.parse(left[0]!).meta.reason
}

test("the text of the caller's policy is left out of the other's log, the other's own text is kept", async () => {
  assert.equal(await toldReason({ tena: 'x' }), 'policy hours@1.0.0 forbids')
  const own = await toldReason({ tena: 'x', tenb: 'y' })
  assert.equal(own, 'policy hours@1.0.0 forbids: tenb said\nthat it owes us')
})
