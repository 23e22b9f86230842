// A tenant moves to another database while it is called, and the mover is killed wherever it has come.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { steps } from '@svc/service/tenant-move/order'
import type { InProcessService } from '../engines/in-process.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { effects } from '../scenes/effects-protocol.ts'
import { until } from '../suite/eventually.ts'
import { died, move, openTwoCells, type TwoCells, verifyLog, withClient } from './two-cells.ts'

let cells: TwoCells

before(async () => {
  cells = await openTwoCells({ more_protocols: [effects] })
})
after(() => cells?.stop())

const happen = (caller: Addresses, name: string) =>
  dispatch(caller, { protocol: 'EFFECTS', operation: 'happen', input: { name }, idempotency_key: name })

/** How often each name happened, by the tenant's own log. */
async function effectsIn(cell: InProcessService, tenant_id: string): Promise<string[]> {
  const records = await cell.records(tenant_id, { event_types: ['custom.effect'] })
  return records.map(({ meta }) => String(meta.name)).sort()
}

test('a tenant moves with its log, and is refused where it was', async () => {
  const { a, b } = cells
  const here = await a.newCaller({ tenant_id: 'plain', capabilities: ['svc.effects.*'] })
  const there = { ...here, api_url: b.api_url }
  const first = await happen(here, 'once')
  assert.equal(first.status, 200, JSON.stringify(first.body))
  assert.equal((await happen(there, 'once')).status, 401)
  const moved = await move({ from: a, to: b, tenant_ids: ['plain'] })
  assert.ok(moved.records > 0)
  const refused = await happen(here, 'twice')
  assert.deepEqual([refused.status, refused.body.error.reason], [503, 'tenant moved'])
  const again = await happen(there, 'once')
  assert.deepEqual([again.status, again.body.metadata.replayed], [200, true], JSON.stringify(again.body))
  assert.equal((await happen(there, 'twice')).status, 200)
  await until('the log goes on', async () => (await b.records('plain')).length > moved.records)
  assert.equal((await verifyLog(b.db_url, 'plain')).ok, true)
  assert.equal((await verifyLog(a.db_url, 'plain')).ok, true)
  await until('the operator has the record', async () => (await a.records('operator')).length > 0)
  assert.equal((await verifyLog(a.db_url, 'operator')).ok, true)
})

/** The server takes a moment to see that the first mover is gone. */
async function moveAgain(tenant_id: string): Promise<void> {
  await until('the first mover is gone', async () => {
    const { rows } = await withClient(cells.a.db_url, (client) =>
      client.query(
        "SELECT FROM pg_stat_activity WHERE application_name = 'svc tenant move' AND datname = current_database()",
      ),
    )
    return rows.length === 0
  })
  await move({ from: cells.a, to: cells.b, tenant_ids: [tenant_id] })
}

for (const dies_at of steps) {
  test(`killed when it is ${dies_at}, the move goes on, and nothing is lost or done twice`, async () => {
    const { a, b } = cells
    const tenant_id = `dies-${dies_at}`
    const here = await a.newCaller({ tenant_id, capabilities: ['svc.effects.*'] })
    const there = { ...here, api_url: b.api_url }
    assert.equal((await happen(here, 'before')).status, 200)
    await assert.rejects(move({ from: a, to: b, tenant_ids: [tenant_id], dies_at }), (error: Error) =>
      error.message.includes(died),
    )
    const answers = [await happen(here, 'between'), await happen(there, 'between')]
    assert.ok(answers.filter(({ status }) => status === 200).length <= 1, 'it lives in one place at most')
    if (dies_at !== 'ended') await moveAgain(tenant_id)
    for (const key of ['before', 'between']) assert.equal((await happen(there, key)).status, 200)
    assert.equal((await happen(here, 'after')).body.error.reason, 'tenant moved')
    assert.deepEqual(await effectsIn(b, tenant_id), ['before', 'between'])
    assert.equal((await verifyLog(b.db_url, tenant_id)).ok, true)
  })
}
