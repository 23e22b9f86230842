// One tenant never sees another: first through every operation, then with the application's own checks
// removed.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { catalogue } from '@svc/catalogue/catalogue'
import type { Client } from 'pg'
import { type Answer, type Asking, dispatch } from '../../engines/running-engine.ts'
import { halfOf, is_long, openChance } from '../../faults/scene/chance.ts'
import { type AttackedEngine, openAttackedEngine } from '../attacked-engine.ts'
import { contentOf } from './answer-content.ts'
import { idFields, withId } from './id-fields.ts'
import { fillers } from './tenant-rows.ts'
import { type TenantTable, tenant_tables } from './tenant-tables.ts'

/** What only the rival knows, and a name of its own that acme has learned. */
const canary = `canary_${randomBytes(8).toString('hex')}`
const known_name = `name_${randomBytes(8).toString('hex')}`
/** A tenant that only `target` has. */
const outsider = `outsider-${randomBytes(8).toString('hex')}`
let target: AttackedEngine
/**
 * Another engine, where the ids of `target` are nobody's. It has a rival too, which did nothing: an offer of a
 * treaty has to find its counterparty, so that an organization exists is no secret.
 */
let elsewhere: AttackedEngine
/** Every id of the rival's that acme will ask for. */
let rival_ids: Record<string, string>
/** Everything acme was told. */
const leaks: string[] = []

before(async () => {
  target = await openAttackedEngine({ env: { SVC_LOG: 'trace' } })
  elsewhere = await openAttackedEngine()
  await target.newCaller(outsider)
  rival_ids = await leaveTraces()
})
after(() => Promise.all([target.stop(), elsewhere.stop()]))

/** The rival performs every operation that stores something, with its canary in each. */
async function leaveTraces(): Promise<Record<string, string>> {
  const { rival } = target
  const ask = async (protocol: string, operation: string, input: unknown, idempotency_key?: string) => {
    const answer = await dispatch(rival, { protocol, operation, input, idempotency_key })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer
  }
  const logged = await ask('MAX', 'audit_log_entry', {
    event_type: `custom.${known_name}`,
    meta: { note: canary },
  })
  const stored = await ask('PROBE', 'keep', { note: canary, list: [canary] }, known_name)
  const period = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }
  const report = await ask('MAX', 'compliance_report', { period })
  const refused = await dispatch(rival, { protocol: canary, operation: canary, input: { note: canary } })
  assert.equal(refused.status, 404)
  const queried = await ask('MAX', 'audit_query', { outcome: 'success' })
  assert.ok(JSON.stringify(queried.body).includes(canary), 'the rival sees its own')
  return {
    tenant_id: rival.tenant_id,
    outsider,
    did: rival.agent_did,
    key_id: rival.key_id,
    idempotency_key: known_name,
    correlation_id: stored.body.metadata.correlation_id,
    refused_correlation_id: refused.body.error.correlation_id,
    record_id: stored.body.metadata.audit_record_id,
    record_hash: logged.body.output.record_hash,
    chain_head: logged.body.output.chain_head,
    input_hash: queried.body.output.records.find((record: { meta: object }) => 'input_hash' in record.meta)
      .meta.input_hash,
    report_id: report.body.output.report_id,
    ref: `max://${rival.tenant_id}/record/${logged.body.output.record_hash}`,
    event_type: `custom.${known_name}`,
  }
}

/** As acme; answers are remembered. */
async function askAsAcme(
  request: Parameters<typeof dispatch>[1],
  headers?: Record<string, string>,
): Promise<Answer> {
  const answer = await dispatch(target.acme, request, headers)
  leaks.push(JSON.stringify(answer.body), JSON.stringify([...answer.headers]))
  return answer
}

/** Reads first: what acme writes under an id is acme's own afterwards. */
function everyOperation() {
  return catalogue
    .flatMap(({ id, operations }) =>
      Object.entries(operations).map(([operation, facts]) => ({ protocol: id, operation, ...facts })),
    )
    .sort((a, b) => a.effect.localeCompare(b.effect))
}

/**
 * The same request to both engines: whatever differs between the answers comes from the rival. Each answer
 * waits for its record, since the next one may depend on the audit log.
 */
async function askBoth(request: Asking): Promise<{ theirs: Answer; nobodys: Answer }> {
  const waiting = { prefer: 'wait=audit' }
  const [theirs, nobodys] = await Promise.all([
    askAsAcme(request, waiting),
    dispatch(elsewhere.acme, request, waiting),
  ])
  return { theirs, nobodys }
}

// Comes before what refuses in quick succession: such refusals become counts in the audit log, and how many
// depends on the time.
test("another tenant's ids are answered like ids that never existed", async (t) => {
  let calls = 0
  const chance = openChance()
  t.diagnostic(`seed=${chance.seed}`)
  for (const { protocol, operation, input, example } of halfOf(everyOperation(), chance)) {
    // Creates what the example makes before two answers are compared.
    await askBoth({ protocol, operation, input: example })
    for (const field of idFields(input)) {
      for (const [kind, id] of idsFor(field, calls)) {
        const request = { protocol, operation, input: withId(example, field, id) }
        const { theirs, nobodys } = await askBoth(request)
        const where = `${protocol} ${operation} ${field.path.join('/')} = ${kind}`
        assert.equal(contentOf(theirs), contentOf(nobodys), where)
        calls++
      }
    }
  }
  assert.ok(calls >= 10, `only ${calls} places take an id`)
  t.diagnostic(`${calls} ids in ${everyOperation().length} operations`)
})

/** Free text takes an id of every kind: outside the long form one per field, in rotation, is enough. */
const letter_length = 1_001
const kinds_of_text_max = is_long ? Number.POSITIVE_INFINITY : 1

function idsFor({ takes }: ReturnType<typeof idFields>[number], turn: number): [string, string][] {
  // An id with two names is requested once.
  const distinct = new Map(
    Object.entries(rival_ids)
      .toReversed()
      .map(([kind, id]) => [id, kind]),
  )
  // Fields that fit a whole letter are not looked up by id: they are tried in the long form.
  if (!is_long && takes('x'.repeat(letter_length))) return []
  const fitting = [...distinct].filter(([id]) => takes(id)).map(([id, kind]): [string, string] => [kind, id])
  if (fitting.length <= 3 || fitting.length <= kinds_of_text_max) return fitting
  return Array.from({ length: kinds_of_text_max }, (_, n) => fitting[(turn + n) % fitting.length]!)
}

test("another tenant's retry key, correlation id and context have no effect", async () => {
  const keep = { protocol: 'PROBE', operation: 'keep', input: { note: 'ours', list: [] } }
  const retried = await askAsAcme({ ...keep, idempotency_key: rival_ids.idempotency_key })
  assert.deepEqual([retried.status, retried.body.metadata.replayed], [200, false])
  const { rival } = target
  const envelope = {
    version: 'v1',
    tenant_id: 'acme',
    ...keep,
    invoke_context: {
      correlation_id: rival_ids.correlation_id,
      tenant_id: rival.tenant_id,
      agent_did: rival.agent_did,
      metadata: { caller_did: rival.agent_did, tenant_id: rival.tenant_id },
    },
  }
  const before = await target.records('rival')
  const pretended = await askAsAcme(JSON.stringify(envelope))
  assert.equal(pretended.status, 200)
  // A correlation id is a name, not a permission: it may be reused, and gives no access to others' records.
  assert.equal(pretended.body.metadata.correlation_id, rival_ids.correlation_id)
  const traced = {
    protocol: 'MAX',
    operation: 'traceability_graph',
    input: { correlation_id: rival_ids.correlation_id },
  }
  assert.ok(!JSON.stringify((await askAsAcme(traced)).body).includes(rival.agent_did))
  const own = await target.records('acme', pretended)
  const record = own.find(({ id }) => id === pretended.body.metadata.audit_record_id)
  assert.deepEqual([record?.tenant_id, record?.caller_did], ['acme', target.acme.agent_did])
  assert.equal(
    (await target.records('rival')).length,
    before.length,
    "nothing was added to the rival's audit log",
  )
})

test('every operation refuses another tenant as it refuses a missing one', async (t) => {
  for (const { protocol, operation, example } of everyOperation()) {
    for (const tenant_id of [target.rival.tenant_id, outsider]) {
      const { theirs, nobodys } = await askBoth({ protocol, operation, input: example, tenant_id })
      assert.equal(theirs.status, 403, `${protocol} ${operation}`)
      assert.deepEqual(
        [theirs.body.error.code, theirs.body.error.reason],
        ['capability_denied', 'no active treaty'],
      )
      assert.equal(contentOf(theirs), contentOf(nobodys), `${protocol} ${operation} ${tenant_id}`)
    }
  }
  t.diagnostic(`${everyOperation().length} operations`)
})

test('nothing of the rival reached acme, the log or the metrics', async () => {
  assert.ok(leaks.length > 50)
  assert.deepEqual(
    leaks.filter((text) => text.includes(canary)),
    [],
  )
  assert.ok(!target.logs().includes(canary), 'the log')
  assert.ok(!(await target.metrics()).includes(canary), 'the metrics')
})

test('if the application forgets every condition, PostgreSQL still shows no row of the rival', async (t) => {
  const tables = await target.query<TenantTable>(tenant_tables)
  const counts = { hidden: 0, own: 0 }
  for (const { name } of tables) {
    const { hidden, own } = await asOwner(target.db_url, (client) => forgetConditions(client, name))
    counts.hidden += hidden
    counts.own += own
  }
  assert.ok(counts.own > 20, 'its own rows acme does see')
  t.diagnostic(`${counts.hidden} rows of the rival in ${tables.length} tables, none of them seen or changed`)
})

async function forgetConditions(client: Client, table: string): Promise<{ hidden: number; own: number }> {
  let own = 0
  await client.query('BEGIN')
  if (fillers[table]) await client.query(fillers[table])
  const theirs = await client.query(`SELECT to_jsonb(t) AS row FROM ${table} t WHERE tenant_id = 'rival'`)
  assert.ok(
    theirs.rows.length > 0,
    `${table} holds nothing of the rival's, so nothing is shown; give it a filler`,
  )
  await client.query("SET LOCAL ROLE svc_app; SET LOCAL svc.tenant_id = 'acme'")
  for (const tenant of ['acme', '', 'nobody']) {
    await client.query(`SET LOCAL svc.tenant_id = '${tenant}'`)
    const visible_rows = await attempt(client, `SELECT tenant_id FROM ${table}`)
    own += visible_rows.length
    assert.ok(
      visible_rows.every((row) => row.tenant_id === tenant),
      `${table} as ${tenant || 'nobody'}`,
    )
  }
  await client.query("SET LOCAL svc.tenant_id = 'acme'")
  const change = await attempt(client, `UPDATE ${table} SET tenant_id = tenant_id RETURNING tenant_id`)
  const removal = await attempt(client, `DELETE FROM ${table} RETURNING tenant_id`)
  assert.ok(
    [...change, ...removal].every((row) => row.tenant_id === 'acme'),
    table,
  )
  const forged = `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_record(NULL::${table}, $1)`
  await assert.rejects(
    () => client.query(forged, [theirs.rows[0].row]),
    { code: no_right },
    `${table} takes a row for the rival`,
  )
  await client.query('ROLLBACK')
  return { hidden: theirs.rows.length, own }
}

const no_right = '42501'
const raised = 'P0001'

/** The rows, or none if the role lacks the privilege or a trigger forbids it. */
async function attempt(client: Client, sql: string): Promise<{ tenant_id: string }[]> {
  await client.query('SAVEPOINT attempt')
  try {
    return (await client.query(sql)).rows
  } catch (error) {
    const { code } = error as { code?: string }
    assert.ok(code === no_right || code === raised, String(error))
    return []
  } finally {
    await client.query('ROLLBACK TO SAVEPOINT attempt')
  }
}
