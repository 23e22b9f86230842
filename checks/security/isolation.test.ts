// One tenant never sees another: first through every operation, then with the application's own care taken away.
import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-book'
import { catalogue } from '@svc/catalogue/catalogue'
import type { Client } from 'pg'
import { type Answer, dispatch } from '../running-engine.ts'
import { type AttackedEngine, openAttackedEngine } from './attacked-engine.ts'
import { idFields, withId } from './id-fields.ts'

/** What only the rival knows, and a name of its own that acme has got hold of. */
const canary = `canary_${randomBytes(8).toString('hex')}`
const known_name = `name_${randomBytes(8).toString('hex')}`
let target: AttackedEngine
/** Everything of the rival's that can be named: what acme will ask for. */
let rival_ids: Record<string, string>
/** All that acme was told. */
const told: string[] = []

before(async () => {
  target = await openAttackedEngine({ env: { SVC_LOG: 'trace' } })
  rival_ids = await leaveTraces()
})
after(() => target.stop())

/** The rival does everything that leaves something behind, and its canary is in all of it. */
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
  const kept = await ask('PROBE', 'keep', { note: canary, list: [canary] }, known_name)
  const period = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }
  const report = await ask('MAX', 'compliance_report', { period })
  const refused = await dispatch(rival, { protocol: canary, operation: canary, input: { note: canary } })
  assert.equal(refused.status, 404)
  const seen = await ask('MAX', 'audit_query', { outcome: 'success' })
  assert.ok(JSON.stringify(seen.body).includes(canary), 'the rival sees its own')
  return {
    tenant_id: rival.tenant_id,
    did: rival.agent_did,
    key_id: rival.key_id,
    idempotency_key: known_name,
    correlation_id: kept.body.metadata.correlation_id,
    refused_correlation_id: refused.body.error.correlation_id,
    record_id: kept.body.metadata.audit_record_id,
    record_hash: logged.body.output.record_hash,
    chain_head: logged.body.output.chain_head,
    input_hash: seen.body.output.records.find((record: { meta: object }) => 'input_hash' in record.meta).meta
      .input_hash,
    report_id: report.body.output.report_id,
    ref: `max://${rival.tenant_id}/record/${logged.body.output.record_hash}`,
    event_type: `custom.${known_name}`,
  }
}

/** As acme; what comes back is remembered. */
async function askAsAcme(
  request: Parameters<typeof dispatch>[1],
  headers?: Record<string, string>,
): Promise<Answer> {
  const answer = await dispatch(target.acme, request, headers)
  told.push(JSON.stringify(answer.body), JSON.stringify([...answer.headers]))
  return answer
}

/** Reads first: what acme writes under an id is then acme's own to find. */
function everyOperation() {
  return catalogue
    .flatMap(({ id, operations }) =>
      Object.entries(operations).map(([operation, facts]) => ({ protocol: id, operation, ...facts })),
    )
    .sort((a, b) => a.effect.localeCompare(b.effect))
}

/** What an answer says, without what differs between any two answers. */
function gist({ status, body }: Answer, asked: string): string {
  const text = JSON.stringify({
    status,
    output: body.output,
    error: body.error,
    replayed: body.metadata?.replayed,
  })
  return text
    .replaceAll(asked, '<asked>')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replace(/[0-9a-f]{64}/g, '<hash>')
    .replace(/"audit_head":("<hash>"|null)/, '<head>')
    .replace(/[A-Za-z0-9_-]{100,}(\.[A-Za-z0-9_-]+)*/g, '<signed>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/:\d+(\.\d+)?/g, ':<n>')
}

test('every operation refuses another tenant as it refuses one that is not there', async (t) => {
  for (const { protocol, operation, example } of everyOperation()) {
    const asked = { protocol, operation, input: example }
    const theirs = await askAsAcme({ ...asked, tenant_id: rival_ids.tenant_id })
    assert.equal(theirs.status, 403, `${protocol} ${operation}`)
    assert.deepEqual(
      [theirs.body.error.code, theirs.body.error.reason],
      ['capability_denied', 'no active treaty'],
    )
    const nobodys = await askAsAcme({ ...asked, tenant_id: 'nobody-at-all' })
    assert.equal(gist(theirs, 'rival'), gist(nobodys, 'nobody-at-all'), `${protocol} ${operation}`)
  }
  t.diagnostic(`${everyOperation().length} operations`)
})

test("another tenant's ids are answered as ids that never were", async (t) => {
  let asked = 0
  for (const { protocol, operation, input, example } of everyOperation()) {
    // What the example makes is there before two answers are compared.
    await askAsAcme({ protocol, operation, input: example })
    for (const field of idFields(input)) {
      for (const [kind, id] of Object.entries(rival_ids)) {
        // One that has two names is asked for once: the second time acme's own answer would stand there.
        if (!field.takes(id) || Object.values(rival_ids).indexOf(id) !== Object.keys(rival_ids).indexOf(kind))
          continue
        const never = neverWas(id)
        const theirs = await askAsAcme({ protocol, operation, input: withId(example, field, id) })
        const nobodys = await askAsAcme({ protocol, operation, input: withId(example, field, never) })
        const where = `${protocol} ${operation} ${field.path.join('/')} = ${kind}`
        assert.equal(gist(theirs, id), gist(nobodys, never), where)
        asked++
      }
    }
  }
  assert.ok(asked >= 10, `only ${asked} places take an id`)
  t.diagnostic(`${asked} ids in ${everyOperation().length} operations`)
})

/** Of the same form down to the last character, and nobody's. */
function neverWas(id: string): string {
  const alphabets = ['0123456789', 'abcdef', 'ghijklmnopqrstuvwxyz']
  const drawn = id.replace(/[0-9a-z]+$/, (run) =>
    run.replace(/./g, (character) => {
      const alphabet = alphabets.find((letters) => letters.includes(character))!
      return alphabet[randomInt(alphabet.length)]!
    }),
  )
  return drawn === id ? neverWas(id) : drawn
}

test("another tenant's retry key, correlation id and context are nobody's", async () => {
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
  assert.notEqual(pretended.body.metadata.correlation_id, rival_ids.correlation_id)
  const own = await target.records('acme', pretended)
  const record = own.find(({ id }) => id === pretended.body.metadata.audit_record_id)
  assert.deepEqual([record?.tenant_id, record?.caller_did], ['acme', target.acme.agent_did])
  assert.equal((await target.records('rival')).length, before.length, "nothing was added to the rival's book")
})

test('nothing of the rival reached acme, the log or the metrics', async () => {
  assert.ok(told.length > 50)
  assert.deepEqual(
    told.filter((text) => text.includes(canary)),
    [],
  )
  assert.ok(!target.logs().includes(canary), 'the log')
  assert.ok(!(await target.metrics()).includes(canary), 'the metrics')
})

interface TenantTable {
  readonly name: string
  readonly forced: boolean
  readonly rules: string[]
}

/** Found in the catalogue of PostgreSQL, so that a table made tomorrow is covered by itself. */
const tenant_tables = `
  SELECT c.relname AS name, c.relrowsecurity AND c.relforcerowsecurity AS forced,
    (SELECT coalesce(array_agg(concat_ws(' ', p.polname || ':', pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
       ORDER BY p.polname), '{}')
     FROM pg_policy p WHERE p.polrelid = c.oid AND (0 = ANY(p.polroles) OR 'svc_app'::regrole = ANY(p.polroles))) AS rules
  FROM pg_class c
  WHERE c.relkind IN ('r', 'p', 'm', 'v') AND c.relnamespace = 'public'::regnamespace
    AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped)
  ORDER BY 1`

const of_counterparty = (table: string) =>
  ['of_counterparty', 'counterparty_insert', 'counterparty_update'].map((rule) => `${table}_${rule}`)

/** Rows that two organizations share, each rule with tests of its own that a third sees nothing. */
const further_rules: Readonly<Record<string, readonly string[]>> = {
  audit_outbox: ['audit_outbox_between_tenants'],
  contracts: of_counterparty('contracts'),
  obligations: of_counterparty('obligations'),
  settlements: of_counterparty('settlements'),
  market_trades: ['market_trades_of_traders'],
}

test('every table with a tenant has forced row-level security, and one rule for the application', async (t) => {
  const tables = await target.query<TenantTable>(tenant_tables)
  const own = "(tenant_id = current_setting('svc.tenant_id'::text, true))"
  for (const { name, forced, rules } of tables) {
    assert.ok(forced, `${name} has no forced row-level security; use isolateByTenant in its migration`)
    const further = rules.filter(
      (rule) => !further_rules[name]?.some((allowed) => rule.startsWith(`${allowed}: `)),
    )
    assert.deepEqual(further, [`${name}_of_tenant: ${own} ${own}`])
  }
  assert.ok(tables.length >= 10)
  t.diagnostic(tables.map(({ name }) => name).join(', '))
  const open_tables = await target.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class c WHERE relkind IN ('r', 'p', 'm', 'v') AND relnamespace = 'public'::regnamespace
     AND has_table_privilege('svc_app', oid, 'SELECT, INSERT, UPDATE, DELETE')
     AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id')`,
  )
  assert.deepEqual(open_tables, [], 'the application may use no table that has no tenant')
})

const registry_row = `INSERT INTO registry_entries
  (tenant_id, hash, kind, subject, version, visibility, body, signature, registered_at, name_key, terms, search)
  VALUES ('rival', 'sha256:1', 'agent', 'x', 1, 'public', '{}', '{}', now(), '', '{}', '')`

const session_row = `INSERT INTO macs_sessions
  (tenant_id, session_id, agent_did, opened_by, profile, challenge_kind, state, opened_at, expires_at)
  VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'x', 'x', 'DidAuth', 'Nonce', 'NEGOTIATED', now(), now())`

const user_row = "INSERT INTO users (user_id, tenant_id, did, login) VALUES ('u', 'rival', 'x', 'x')"

const envelope_row = `INSERT INTO envelopes (tenant_id, envelope_id, version, department, state, day_limit_micro_usd,
  month_limit_micro_usd, granted, authority, allocated_by, created_at, effective_at)
  VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 1, 'x', 'ACTIVE', 1, 1, '{}', 'x', 'x', now(), now())`

const lot_row = `INSERT INTO lots (tenant_id, lot_id, solicitor_did, task, capability, asset_id, reserve_price, visibility,
  opened_at, closes_at, state)
  VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'x', 'x', 'x', 'x', 1, 'tenant', now(), 'infinity', 'OPEN')`

const instrument_row = `INSERT INTO market_instruments VALUES ('rival', 'x/y', 'x', 'y', 1, 1, now())`

const order_row = `${instrument_row}; INSERT INTO market_orders (tenant_id, order_id, instrument, seq, owner_tenant,
  owner_did, side, type, time_in_force, post_only, price, quantity, filled, filled_notional, reserved, state, placed_at,
  updated_at, correlation_id)
  SELECT 'rival', id, 'x/y', 1, 'rival', 'x', 'buy', 'limit', 'GTC', false, 1, 1, 0, 0, 1, 'OPEN', now(), now(), id
  FROM (VALUES ('5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'::uuid)) made(id)`

const asset_row = `INSERT INTO assets VALUES ('rival-coin', 'rival', 'x', 'token', 'internal', 'X', 0, 0, 1, 1, NULL, 'x', now())`

const posted_rows = `${asset_row}; SELECT set_config('svc.tenant_id', 'rival', true), svc_post_journals('[{"tenant_id": "rival",
  "kind": "x", "ref": "x", "correlation_id": "5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10", "at": "2026-11-15T00:00:00Z", "entries": [
  {"tenant_id": "rival", "asset_id": "rival-coin", "type": "issuance", "amount": "-1"},
  {"tenant_id": "rival", "asset_id": "rival-coin", "type": "available", "amount": "1"}]}]')`

const contract_row = `${asset_row}; INSERT INTO contracts (contract_id, tenant_id, counterparty_tenant, proposer_did,
  counterparty_did, terms, escrow, state, signatures, expires_at, offered_at)
  VALUES ('x', 'rival', 'rival', 'x', 'y', '{}', false, 'OFFERED', '[]', now(), now())`

/** Rows of tables that traffic leaves empty; a new table without rows asks for a line here. */
const fillers: Readonly<Record<string, string>> = {
  assets: asset_row,
  ledger_accounts: posted_rows,
  ledger_journals: posted_rows,
  ledger_entries: posted_rows,
  ledger_balances: posted_rows,
  contracts: contract_row,
  obligations: `${contract_row}; INSERT INTO obligations (contract_id, obligation_id, place, tenant_id, counterparty_tenant,
    payer, payer_did, payee_did, asset_id, amount, due_at, condition, credit_to)
    VALUES ('x', 'x', 0, 'rival', 'rival', 'proposer', 'x', 'y', 'rival-coin', 1, 'x', '{}', 'available')`,
  settlements: `${contract_row}; INSERT INTO settlements VALUES ('5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'x', 'rival',
    'rival', 'x', '[]', '{}', NULL, 'POSTED', '[]', now(), now())`,
  settlement_references: `INSERT INTO settlement_references
    VALUES ('rival', 'x', false, 'x', 'rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10')`,
  envelopes: envelope_row,
  envelope_members: `${envelope_row}; INSERT INTO envelope_members
    VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 1, 'x')`,
  throttles: `INSERT INTO throttles
    VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', '[]', 'x', now())`,
  holds: `INSERT INTO holds (tenant_id, hold_id, scope, reason, placed_by, placed_at, until)
    VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'tenant', 'x', 'x', now(), 'infinity')`,
  runway_state: "INSERT INTO runway_state VALUES ('rival', 'ample', 'ample', 1, 1, NULL, now())",
  profiles: "INSERT INTO profiles VALUES ('rival', 'x', 1, '{}', 'x', now())",
  lots: lot_row,
  bids: `${lot_row}; INSERT INTO bids VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 1,
    '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'x', 1, 1, NULL, NULL, 'x', 'x', now(), NULL)`,
  market_instruments: instrument_row,
  market_book_seq: `${instrument_row}; INSERT INTO market_book_seq VALUES ('rival', 'x/y', 1, now())`,
  market_orders: order_row,
  market_order_log: `INSERT INTO market_order_log
    VALUES ('rival', 'x/y', 1, '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', now(), '{}')`,
  market_trades: `${order_row}; INSERT INTO market_trades SELECT 'rival', order_id, 'x/y', 1, 0, 1, 1, 1, 0, 'buy',
    order_id, order_id, 'rival', 'x', 'rival', 'x', false, 'SETTLED', order_id, now() FROM market_orders
    WHERE tenant_id = 'rival'`,
  users: user_row,
  charter_members: "INSERT INTO charter_members (tenant_id, did, since) VALUES ('rival', 'x', now())",
  revocations: "INSERT INTO revocations (tenant_id, did, reason, by) VALUES ('rival', 'x', 'y', 'z')",
  sessions: `${user_row}; INSERT INTO sessions VALUES
    ('s', decode(repeat('00', 32), 'hex'), 'u', 'rival', now(), now(), NULL)`,
  aegis_challenges: `INSERT INTO aegis_challenges (challenge_id, tenant_id, subject_did, challenge, expires_at)
    VALUES ('5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'rival', 'x', '{}', now())`,
  delegation_policies: "INSERT INTO delegation_policies VALUES ('rival', 'x', 1, '{}', now())",
  delegations: `INSERT INTO delegations (token_id, tenant_id, root_id, links_above, from_did, to_did, token,
    public_key, challenged, issued_at, expires_at)
    VALUES ('x', 'rival', 'x', 0, 'x', 'y', '{}', 'x', false, now(), now())`,
  audit_tree: "INSERT INTO audit_tree VALUES ('rival', 8, 0, decode(repeat('00', 32), 'hex'))",
  audit_fan_out_due: "INSERT INTO audit_fan_out_due VALUES ('rival', 1)",
  audit_fan_out_cursors: `INSERT INTO audit_fan_out_cursors
    VALUES ('svc.audit', 'rival', 1, decode(repeat('00', 32), 'hex'))`,
  audit_outbox: "INSERT INTO audit_outbox (tenant_id, entry) VALUES ('rival', '{}')",
  registry_entries: registry_row,
  macs_sessions: session_row,
  macs_challenges: `${session_row}; INSERT INTO macs_challenges
    (tenant_id, challenge_id, session_id, agent_did, audience, nonce, issued_at, expires_at)
    SELECT tenant_id, session_id, session_id, 'x', 'x', 'x', now(), now() FROM macs_sessions WHERE tenant_id = 'rival'`,
  lineage_statements:
    "INSERT INTO lineage_statements (tenant_id, did, statements) VALUES ('rival', 'x', '[{}]')",
  derived_identities: `INSERT INTO derived_identities
    (tenant_id, did, parent_did, asked_digest, statement, document, created_at)
    VALUES ('rival', 'x', 'y', 'z', '{}', '{}', now())`,
  month_calls: "INSERT INTO month_calls (month, tenant_id, used, added) VALUES (1, 'rival', 1, 0)",
  keystore: "INSERT INTO keystore (tenant_id, did, public_key, sealed_seed) VALUES ('rival', 'x', 'y', '')",
  endpoints_health: `${registry_row}; INSERT INTO endpoints_health (tenant_id, entry, url, next_probe_at)
    VALUES ('rival', 'sha256:1', 'https://a.example', now())`,
}

test('with the application forgetting every condition, PostgreSQL still shows no row of the rival', async (t) => {
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
    const seen = await attempt(client, `SELECT tenant_id FROM ${table}`)
    own += seen.length
    assert.ok(
      seen.every((row) => row.tenant_id === tenant),
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

/** What comes back, or nothing where the role has no right to ask or a trigger forbids it. */
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
