import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { moat } from '@svc/protocols/governance/moat/moat'
import { type Rehearsal, rehearse } from './rehearse.ts'
import { test_did, test_tenant, tryProtocol } from './test-ports.ts'

const keep = tryProtocol(
  async ({ name, next }, context) => {
    const { db, tenant_id } = context
    await sql`INSERT INTO tenants_noted (tenant_id, name) VALUES (${tenant_id}, ${name})`.execute(db)
    context.audit('custom.note', { name })
    if (next === 'refuse') throw refuse('policy_denied', 'No.', { reason: 'as the test says' })
    return next === 'list' ? ((await context.call('MOAT', 'list', {})) as object) : {}
  },
  { effect: 'write' },
)
const seal = { ...keep, id: 'SEAL', operations: { run: { ...keep.operations.run!, handle: readsVault } } }
function readsVault(_: never, context: { readonly vault: { blind(text: string): string } }) {
  return { blind: context.vault.blind('x') }
}
const named = {
  ...seal,
  id: 'NAMED',
  operations: { run: { ...seal.operations.run, needs: ['vault'] as const } },
}

let stage: Rehearsal
before(async () => {
  stage = await rehearse({ ...keep, id: 'KEEP' }, { others: [moat, seal as never, named as never] })
  const table = `CREATE TABLE tenants_noted (tenant_id text, name text);
    GRANT SELECT, INSERT ON tenants_noted TO svc_app`
  await asOwner(stage.database.url, (client) => client.query(table))
})
after(() => stage.close())

const noted = () =>
  stage.as(test_tenant, async (db) => {
    const rows = await sql<{ name: string }>`SELECT name FROM tenants_noted ORDER BY name`.all(db)
    return rows.map(({ name }) => name)
  })

test('rows and events of a handler are committed together, or not at all', async () => {
  await stage.run('run', { name: 'kept' })
  await assert.rejects(stage.run('run', { name: 'lost', next: 'refuse' }), { code: 'policy_denied' })
  assert.deepEqual(await noted(), ['kept'])
  assert.deepEqual(
    stage.records().map(({ event_type, meta, caller_did }) => [event_type, meta.name, caller_did]),
    [['custom.note', 'kept', test_did]],
  )
})

test('an operation calls the named others, with their own needs', async () => {
  assert.deepEqual(await stage.run('run', { name: 'listed', next: 'list' }), { items: [] })
  await assert.rejects(stage.run('NONE.run', {}), { code: 'unknown_protocol' })
})

test('a handler that reads a need its operation does not name fails', async () => {
  await assert.rejects(stage.run('SEAL.run', {}), ({ cause }) => /SEAL.run reads vault/.test(String(cause)))
  assert.match((await stage.run('NAMED.run', {})).blind, /^[0-9a-f]{32}$/)
})

test('an input outside the schema is refused before the handler', async () => {
  await assert.rejects(stage.run('MOAT.list', { limit: 0 }), { code: 'invalid_payload' })
})
