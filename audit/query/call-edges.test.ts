import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type AuditBody, genesis_hash, recordHash } from '@svc/contract/audit/audit-record'
import { openTestStore, type TestStore } from '../../checks/rehearsal/test-store.ts'
import { asOwner, entryOf } from '../test-audit-log.ts'
import { storeRecords } from '../test-stored.ts'
import { callEdges } from './call-edges.ts'
import { queryOf } from './query.ts'

const tenant_id = 'mapped'
// More than a map reads at once.
const count = 24_000
const begin_ms = Date.parse('2026-11-01T00:00:00Z')
const first_day = { from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' }
let scene: TestStore

const hashAt = (seq: number) => (seq === 0 ? genesis_hash : recordHash(genesis_hash, `${seq}`))

/** A call a minute; one dry run that was allowed; the last record was journalled on the first day. */
function recordAt(seq: number) {
  const at_ms = begin_ms + (seq === count ? 60 : seq) * 60_000
  const is_dry_run = seq === 100
  const fields: AuditBody = {
    ...entryOf(tenant_id, { timestamp: new Date(at_ms).toISOString() }),
    ...(is_dry_run && { event_type: 'AuthorizationCheck', meta: { dry_run: true } }),
    seq,
  }
  const hashes = { previous_hash: hashAt(seq - 1), record_hash: hashAt(seq) }
  return { tenant_id, seq, body: JSON.stringify(fields), fields, ...hashes }
}

before(async () => {
  scene = await openTestStore()
  await asOwner(scene.database.url, async (client) => {
    await storeRecords(
      client,
      Array.from({ length: count }, (_, place) => recordAt(place + 1)),
    )
    const head = [tenant_id, count, Buffer.from(hashAt(count), 'hex')]
    await client.query('INSERT INTO chain_heads (tenant_id, seq, head_hash) VALUES ($1, $2, $3)', head)
  })
})
after(() => scene.close())

const callsOf = (period: { from: string; to: string }) =>
  scene.as(tenant_id, async (db) => {
    const { edges, complete } = await callEdges(queryOf(db), tenant_id, period)
    return { calls: edges.map(({ calls }) => calls), complete }
  })

test('a record that came late does not hide the calls of its time, and an allowed dry run is no call', async () => {
  assert.deepEqual(await callsOf(first_day), { calls: [24 * 60 - 2], complete: true })
})

test('of more calls than are read only the newest are counted', async () => {
  const { calls, complete } = await callsOf({ from: first_day.from, to: '2027-01-01T00:00:00Z' })
  assert.deepEqual({ calls, complete }, { calls: [20_000], complete: false })
})
