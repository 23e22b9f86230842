// Visibility of a treaty and of calls under it: both parties, each from its own side, and nobody else.
import assert from 'node:assert/strict'
import { asOwner } from '@svc/audit/test-audit-log'
import { dispatch } from '../../engines/running-engine.ts'
import { assertSuccess } from '../dispatch/expectations.ts'
import type * as made from '../identity/made-scene.ts'
import { echo, type MoatScene, mayCross } from './moat-scene.ts'

/** Both parties may read and verify shared records in either audit log; nobody else, and nothing else. */
export async function assertSharedAuditLog(scene: MoatScene, correlation_id: string): Promise<void> {
  const { ann, bob, eve, service } = scene
  const max = (who: made.Party, operation: string, input: object) =>
    dispatch(who, { protocol: 'MAX', operation, input })
  const ask = { correlation_id, verify: true }
  const theirs = assertSuccess(await max(ann, 'audit_query', { ...ask, tenant_id: 'globex' })).output
  const [copy] = await service.records('globex', { correlation_ids: [correlation_id] })
  assert.deepEqual([theirs.records, theirs.verified], [[copy], { ok: true }])
  const ours = assertSuccess(await max(bob, 'audit_query', { ...ask, tenant_id: 'acme' })).output
  assert.ok((ours.records as object[]).length > 0)
  const proofs = { include_proofs: true, include_checkpoints: true }
  assertSuccess(await max(ann, 'audit_query', { ...ask, ...proofs, tenant_id: 'globex' }))
  const nothing = assertSuccess(await max(eve, 'audit_query', { ...ask, tenant_id: 'globex' })).output
  assert.deepEqual([nothing.records, nothing.head], [[], '0'.repeat(64)])
  const [own] = await service.records('globex', { event_types: ['AuthorizationCheck'] })
  const private_ask = { correlation_id: own!.correlation_id, tenant_id: 'globex' }
  const shown = assertSuccess(await max(ann, 'audit_query', private_ask)).output.records
  assert.ok(
    !(shown as { event_type: string }[]).some(({ event_type }) => event_type === 'AuthorizationCheck'),
  )
  const { nodes, edges, heads } = assertSuccess(await max(bob, 'traceability_graph', { correlation_id }))
    .output as { nodes: { id: string }[]; edges: { from: string; to: string; rel: string }[]; heads: object }
  assert.deepEqual(Object.keys(heads).sort(), ['acme', 'globex'])
  assert.ok(nodes.some(({ id }) => id === `record:${copy!.record_hash}`))
  const { record_hash } = copy!.meta.counterpart as { record_hash: string }
  const link = { from: `record:${copy!.record_hash}`, to: `record:${record_hash}`, rel: 'wasInformedBy' }
  assert.partialDeepStrictEqual(edges, [link])
}

/** Through the operations, and in the database itself. */
export async function assertSeenByParties(scene: MoatScene, treaty_id: string): Promise<void> {
  const { ann, bob, eve, service } = scene
  assert.equal((await mayCross(bob, ann, bob)).treaty_id, treaty_id)
  const to_eve = await mayCross(eve, ann, bob)
  assert.deepEqual([to_eve.active, to_eve.reason, to_eve.treaty_id], [false, 'no active treaty', undefined])
  const clerk = await scene.newParty('operator')
  assert.equal((await mayCross(clerk, ann, bob)).active, true)
  const count = (tenant: string) => `
    BEGIN; SET LOCAL ROLE svc_app; SET LOCAL svc.tenant_id = '${tenant}';
    SELECT (SELECT count(*) FROM treaties)::integer AS treaties,
      (SELECT count(*) FROM treaty_signatures)::integer AS signatures; COMMIT`
  const rowsOf = async (tenant: string) => {
    const results = await asOwner(service.db_url, (client) => client.query(count(tenant)))
    return (results as unknown as { rows: Record<string, number>[] }[])[3]!.rows[0]!
  }
  assert.deepEqual(await rowsOf('third'), { treaties: 0, signatures: 0 })
  for (const tenant of ['acme', 'globex']) assert.ok((await rowsOf(tenant)).signatures! >= 2)
}

/** An entry visible to treaty partners is found by them, as callable, and by nobody else. */
export async function assertFoundByPartner(scene: MoatScene): Promise<void> {
  const { ann, bob, eve } = scene
  const mars = (who: made.Party, operation: string, input: object) =>
    dispatch(who, { protocol: 'MARS', operation, input })
  const shown = { name: 'Echo', entity_kind: 'Agent', service_endpoints: [], visibility: 'treaty' }
  assertSuccess(await mars(bob, 'register_agent', { ...shown, capabilities: [echo], ttl_seconds: 3600 }))
  const candidatesFor = async (who: made.Party) => {
    const { candidates } = assertSuccess(await mars(who, 'discovery', { capability: echo })).output
    return (candidates as { did: string; callable_now: boolean }[]).map(({ did, callable_now }) => [
      did,
      callable_now,
    ])
  }
  assert.deepEqual([await candidatesFor(ann), await candidatesFor(eve)], [[[bob.agent_did, true]], []])
}
