import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { openTestStore, type TestStore } from '../../checks/rehearsal/test-store.ts'
import { asOwner, entryOf } from '../test-audit-log.ts'
import { findRecords } from './records.ts'
import { seqBounds } from './time-bounds.ts'

const runs = 20
const epoch_ms = Date.parse('2026-11-15T10:00:00Z')
let scene: TestStore

before(async () => {
  scene = await openTestStore()
})
after(() => scene.close())

const moment = (second: number) => new Date(epoch_ms + second * 1000).toISOString()

/** An audit log of which only the times matter: its rows satisfy the table, its hashes are invented. */
async function writeAuditLog(tenant_id: string, seconds: readonly number[]): Promise<void> {
  const bodies = seconds.map((second, index) =>
    JSON.stringify({ ...entryOf(tenant_id, { timestamp: moment(second) }), seq: index + 1 }),
  )
  await asOwner(scene.database.url, async (client) => {
    await client.query(
      `INSERT INTO chain_heads (tenant_id, seq, head_hash) VALUES ($1, $2, sha256('head'))`,
      [tenant_id, seconds.length],
    )
    await client.query(
      `INSERT INTO audit_records
         (tenant_id, seq, record_hash, body, correlation_id, event_type, outcome, caller_did, at)
       SELECT $1, i, sha256(int8send(i)), body, (body::json ->> 'correlation_id')::uuid, 'ProtocolInvocation',
         'success', '', (body::json ->> 'timestamp')::timestamptz
       FROM unnest($2::text[]) WITH ORDINALITY AS given(body, i)`,
      [tenant_id, bodies],
    )
  })
}

test('for any order of times, no record of a period is missed, and the bounds are tight', async () => {
  const second = fc.integer({ min: 0, max: 60 })
  let logs = 0
  const audit_log = fc.array(second, { minLength: 1, maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(audit_log, second, second, async (seconds, one, other) => {
      const tenant_id = `times-${++logs}`
      await writeAuditLog(tenant_id, seconds)
      const [from_second, to_second] = [Math.min(one, other), Math.max(one, other)]
      const period = { from: moment(from_second), to: moment(to_second) }
      const seqs = seconds.map((_, index) => index + 1)
      const at = (seq: number) => seconds[seq - 1]!
      const inside = seqs.filter((seq) => at(seq) >= from_second && at(seq) < to_second)
      await scene.as(tenant_id, async (db) => {
        const bounds = await seqBounds(db, tenant_id, period)
        assert.equal(bounds.first_seq, seqs.find((seq) => at(seq) >= from_second) ?? seconds.length + 1)
        assert.equal(bounds.last_seq, seqs.findLast((seq) => at(seq) < to_second) ?? 0)
        const seqsOf = async (newest_first: boolean) =>
          (await findRecords(db, tenant_id, { ...period, newest_first, limit: 100 })).map(({ seq }) => seq)
        assert.deepEqual(await seqsOf(false), inside)
        assert.deepEqual(await seqsOf(true), inside.toReversed())
      })
    }),
    { numRuns: runs },
  )
})
