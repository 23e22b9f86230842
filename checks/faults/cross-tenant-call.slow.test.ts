// kill -9 between the two chains of a cross-tenant call: afterwards both have the pair, each with the other's
// hash.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueKey } from '@svc/adapters/access/api-keys'
import { addMember } from '@svc/adapters/access/charter'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { system_clock } from '@svc/adapters/clock/system'
import { storedRecords } from '@svc/audit/test-stored'
import type { AuditBody } from '@svc/contract/audit/audit-record'
import { type SigningKey, signText } from '@svc/contract/signing/signature'
import { Client } from 'pg'
import { openReplicas, type Replica, type Replicas } from '../engines/replicas.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { basic_capabilities } from '../scenes/basic-capabilities.ts'
import { newKey } from '../scenes/delegation-scene.ts'
import { until } from '../suite/eventually.ts'
import { pace } from '../suite/real-time.ts'
import { announce, type Chance, is_long, openChance, report } from './scene/chance.ts'
import { readChain } from './scene/exported-chain.ts'

const kills = 40
const callers_count = 8
const calls_after_end = 50
const extra_ms_max = 40
const long_only = is_long ? false : 'in the long form'

interface Member extends Addresses {
  readonly key: SigningKey
}

test('no cross-tenant call is left in one chain alone', {
  timeout: 1_800_000,
  skip: long_only,
}, async (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, kills, chance)
  const replicas = await openReplicas()
  t.after(() => replicas.close())
  const staying = await replicas.start('staying')
  let dying = await replicas.start('dying')
  const [ann, bob] = [await seat(replicas, 'acme'), await seat(replicas, 'globex')]
  const treaty_id = await agree(staying, ann, bob)
  const answered: string[] = []
  for (let n = 0; n < kills; n++) {
    await callAndKill(dying, ann, chance, answered)
    dying = await replicas.start('dying')
  }
  const pairs = await until('every answer has its pair', async () => {
    const complete = await completePairs(replicas.db_url)
    return complete && answered.every((correlation_id) => complete.has(correlation_id)) && complete
  })
  for (const tenant_id of ['acme', 'globex'])
    assert.ok((await readChain({ data_dir: '', db_url: replicas.db_url }, tenant_id)).hashes.length > 0)
  const left = { protocol: 'MOAT', operation: 'terminate', input: { treaty_id, reason: 'enough' } }
  assert.equal((await dispatch({ ...bob, api_url: staying.api_url }, left)).status, 200)
  for (const engine of [staying, dying])
    await until('the end of the treaty is known', async () => (await look(engine, ann)).status === 403)
  const calls = Array.from({ length: calls_after_end }, (_, n) => look(n % 2 === 0 ? staying : dying, ann))
  const after = new Set((await Promise.all(calls)).map(({ status }) => status))
  assert.deepEqual([...after], [403], 'after it ended nobody crosses, on any engine')
  report(t, { kills, answered: answered.length, pairs: pairs.size, halves: 0, allowed_after_end: 0 })
})

/** The only member of its charter, with its own key. */
async function seat({ store }: Replicas, tenant_id: string): Promise<Member> {
  const key = newKey(tenant_id)
  await ensureTenant(store.engine, tenant_id, tenant_id, 'sovereign')
  await addMember(store.engine, tenant_id, key.did, new Date(0))
  const issued = await issueKey(store.engine, {
    tenant_id,
    did: key.did,
    mode: 'test',
    capabilities: basic_capabilities,
  })
  return { api_url: '', metrics_url: '', tenant_id, agent_did: key.did, ...issued, key }
}

async function agree(engine: Replica, ann: Member, bob: Member): Promise<string> {
  const moat = async (who: Member, operation: string, input: object) =>
    (await dispatch({ ...who, api_url: engine.api_url }, { protocol: 'MOAT', operation, input })).body
  const { output } = await moat(ann, 'propose', {
    counterparty_did: bob.agent_did,
    capability_schedule: [{ capability: 'svc.mars.query_registry', granted_to: 'both' }],
    expires_at: new Date(system_clock.now_ms() + 86_400_000).toISOString(),
  })
  const { treaty_id } = output
  for (const who of [ann, bob]) {
    const { error } = await moat(who, 'sign', { treaty_id })
    const { timestamp, faults } = error.details
    const proof = { timestamp, public_key: who.key.public_key }
    const signature = signText(who.key.private_key, faults[0].message)
    const signed = await moat(who, 'sign', { treaty_id, signature, ...proof })
    assert.ok(signed.output, JSON.stringify(signed))
  }
  await until('the treaty is in force', async () => (await look(engine, ann)).status === 200)
  return treaty_id
}

const look = (engine: Replica, ann: Member) =>
  dispatch(
    { ...ann, api_url: engine.api_url },
    { protocol: 'MARS', operation: 'query_registry', tenant_id: 'globex', input: { kind: 'agent' } },
  )

async function callAndKill(engine: Replica, ann: Member, chance: Chance, answered: string[]): Promise<void> {
  const before = answered.length
  let is_over = false
  const callers = Array.from({ length: callers_count }, async () => {
    while (!is_over) {
      const answer = await look(engine, ann).catch(() => undefined)
      if (answer?.status === 200) answered.push(answer.body.metadata.correlation_id)
    }
  })
  const target = before + 1 + chance.below(200)
  await until('calls cross', () => answered.length >= target)
  await pace(chance.below(extra_ms_max))
  await engine.stop('SIGKILL')
  is_over = true
  await Promise.all(callers)
}

interface Pair {
  readonly correlation_id: string
  readonly copies: number
  readonly closed: number
}

/** For each call across, its copies in the other log, and the records that close the pair. */
async function countPairs(client: Client): Promise<Pair[]> {
  const read = async (tenant_id: string) =>
    (await storedRecords(client, tenant_id)).map(({ body, record_hash }) => ({
      ...(JSON.parse(body!) as AuditBody & { meta: Record<string, Record<string, unknown>> }),
      record_hash,
    }))
  const [acme, globex] = [await read('acme'), await read('globex')]
  const copies = Map.groupBy(
    globex.filter(({ meta }) => (meta.caller_tenant as unknown) === 'acme'),
    ({ meta }) => meta.counterpart?.record_hash,
  )
  const closing = acme.filter(({ event_type }) => event_type === 'CrossingRecorded')
  const closed = Map.groupBy(closing, ({ meta }) => `${meta.record_hash} ${meta.counterpart?.record_hash}`)
  return acme
    .filter(
      ({ meta, event_type }) =>
        (meta.target_tenant as unknown) === 'globex' && event_type !== 'CrossingRecorded',
    )
    .map(({ correlation_id, record_hash }) => {
      const of_call = copies.get(record_hash) ?? []
      const closings = of_call.flatMap((copy) => closed.get(`${record_hash} ${copy.record_hash}`) ?? [])
      return { correlation_id, copies: of_call.length, closed: closings.length }
    })
}

/** Undefined while a record is still pending; fails if there is more than a pair. */
async function completePairs(db_url: string): Promise<Set<string> | undefined> {
  const client = new Client(db_url)
  await client.connect()
  try {
    const waiting = await client.query('SELECT FROM audit_outbox LIMIT 1')
    if (waiting.rows.length > 0) return undefined
    const pairs = await countPairs(client)
    const odd = pairs.filter(({ copies, closed }) => copies > 1 || closed > 1)
    assert.deepEqual(odd.slice(0, 5), [])
    if (pairs.some(({ copies, closed }) => copies !== 1 || closed !== 1)) return undefined
    return new Set(pairs.map(({ correlation_id }) => correlation_id))
  } finally {
    await client.end()
  }
}
