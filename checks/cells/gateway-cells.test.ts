// One gateway for two cells: a caller never learns which database its organization lives in.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '@svc/database/sql'
import { payIntoRunway } from '@svc/protocols/economic/ledger/api'
import { backOut } from '@svc/service/tenant-move/finish-move'
import { type GatewayScene, newSigner, openGateway } from '../conformance/gateway/gateway-scene.ts'
import type { InProcessService } from '../engines/in-process.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { effects } from '../scenes/effects-protocol.ts'
import { until } from '../suite/eventually.ts'
import { died, move, openTwoCells, type TwoCells, verifyLog, withClient, withOrder } from './two-cells.ts'

let cells: TwoCells
let front: GatewayScene

before(async () => {
  const signer = newSigner()
  cells = await openTwoCells({ more_protocols: [effects], config: { trusted_gateways: [signer.did] } })
  const addressOf = ({ db_url, api_url, config }: InProcessService) => ({
    db_url,
    api_url,
    engine_did: config.agent_did,
  })
  const { api_url, ...second } = addressOf(cells.b)
  const further = [{ name: 'b', api_urls: [new URL(api_url)], ...second }]
  front = await openGateway(addressOf(cells.a), {
    signer,
    plain: true,
    cells: further,
  })
})
after(async () => {
  await front?.stop()
  await cells?.stop()
})

const happen = (caller: Addresses, name: string) =>
  dispatch(caller, { protocol: 'EFFECTS', operation: 'happen', input: { name }, idempotency_key: name })

/** Like any client: a retryable answer is asked again with the same key. */
async function happenOnce(caller: Addresses, name: string): Promise<void> {
  await until(`${name} happens`, async () => {
    const { status, body } = await happen(caller, name)
    assert.ok(status === 200 || body.error?.retryable, JSON.stringify(body))
    return status === 200
  })
}

async function callerOf(tenant_id: string): Promise<Addresses> {
  const caller = await cells.a.newCaller({ tenant_id, capabilities: ['svc.effects.*'] })
  return { ...caller, api_url: front.url }
}

test('a tenant that is called all the time moves there and back: each call happens once, and all logs verify', async (t) => {
  const { a, b } = cells
  const caller = await callerOf('busy')
  const names: string[] = []
  let is_over = false
  const calling = Array.from({ length: 4 }, async (_, line) => {
    for (let n = 0; !is_over; n++) {
      const name = `${line}-${n}`
      await happenOnce(caller, name)
      names.push(name)
    }
  })
  const end = async () => {
    is_over = true
    await Promise.all(calling)
  }
  // Also where a move fails: then the calls end before the engines do.
  t.after(end)
  await until('calls were answered', async () => names.length > 20)
  await move({ from: a, to: b, tenant_ids: ['busy'] })
  const at_b = names.length
  await until('calls are answered there', async () => names.length > at_b + 20)
  await move({ from: b, to: a, tenant_ids: ['busy'] })
  const at_a = names.length
  await until('calls are answered here again', async () => names.length > at_a + 20)
  await end()
  const records = await a.records('busy', { event_types: ['custom.effect'] })
  const happened = records.map(({ meta }) => String(meta.name)).sort()
  assert.deepEqual(happened, names.toSorted())
  for (const { db_url } of [a, b]) {
    assert.equal((await verifyLog(db_url, 'busy')).ok, true)
    assert.equal((await verifyLog(db_url, 'operator')).ok, true)
  }
})

test('a move that was begun is taken back, and the tenant is served as before', async () => {
  const { a, b } = cells
  const caller = await callerOf('hesitant')
  await happenOnce(caller, 'first')
  const wish = { from: a, to: b, tenant_ids: ['hesitant'] }
  await assert.rejects(move({ ...wish, dies_at: 'frozen' }), (error: Error) => error.message.includes(died))
  assert.equal((await happen(caller, 'second')).body.error.reason, 'tenant moving')
  await withOrder(wish, backOut)
  await happenOnce(caller, 'second')
  const steps = (await a.records('hesitant')).flatMap(({ meta }) =>
    meta.command === 'tenant move' ? [meta.step] : [],
  )
  assert.deepEqual(steps, ['begun', 'stopped', 'taken back'])
  assert.equal((await verifyLog(a.db_url, 'hesitant')).ok, true)
  await assert.rejects(withOrder(wish, backOut), { name: 'ConfigError', message: /is not being moved/ })
})

const treaty = `INSERT INTO treaties (id, tenant_id, counterparty_tenant, body, root_id, state, proposed_by, proposed_at, sign_by)
  VALUES ('t', 'payer', 'partner', '{}', 't', 'PROPOSED', 'x', now(), now())`

test('credit arrives, and the sum over the cells stays; who is bound to another is refused by name', async () => {
  const { a, b } = cells
  await callerOf('payer')
  await callerOf('partner')
  const at = '2026-11-19T00:00:00.000Z'
  const paid = {
    tenant_id: 'payer',
    operator_tenant_id: 'operator',
    micro_usd: 5_000_000n,
    kind: 'credit',
    ref: 'x',
    at,
  }
  await payIntoRunway(a.service.store.engine, {
    ...paid,
    correlation_id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10',
  })
  await withClient(a.db_url, (client) => client.query(treaty))
  const wish = { from: a, to: b, tenant_ids: ['payer'] }
  await assert.rejects(move(wish), {
    name: 'ConfigError',
    message: /payer has a treaty with partner: end it \(MOAT.terminate\)/,
  })
  const together = { ...wish, tenant_ids: ['partner', 'payer'] }
  await move(together)
  const sums = await Promise.all([a, b].map((cell) => balances(cell)))
  assert.deepEqual(sums, [
    { operator: '0', payer: '0' },
    { operator: '-5000000', payer: '5000000' },
  ])
})

async function balances({ service }: InProcessService): Promise<Record<string, string>> {
  const rows = await sql<{ tenant_id: string; sum: string }>`
    SELECT tenant_id, sum(balance)::text AS sum FROM ledger_balances WHERE tenant_id IN ('operator', 'payer')
    GROUP BY tenant_id ORDER BY tenant_id`.all(service.store.engine)
  return Object.fromEntries(rows.map(({ tenant_id, sum }) => [tenant_id, sum]))
}
