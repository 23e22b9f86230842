// Run by the writer thread in each commit: writes a cross-tenant call to both chains, each record with the
// other's hash.

import type { CommittedRecord } from '@svc/audit/chain/chain'
import type { Projection } from '@svc/audit/writer/commit'
import { type AuditEntry, endsCall, entryText } from '@svc/contract/audit/audit-record'
import type { NewIds } from '@svc/contract/tick'
import type { ClientBase } from 'pg'

// A tenant that does not exist has no audit log. Both records are in one commit, so a crash leaves both or
// none.
const leave_for = `
  INSERT INTO audit_outbox (tenant_id, entry)
  SELECT t.tenant_id, e.entry FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS e(tenant_id, entry, place)
  JOIN tenants t ON t.tenant_id = e.tenant_id ORDER BY e.place`

/** The fields of a call that concern the called organization; the others stay private to the caller. */
const shared_fields = [
  'caller_kind',
  'caller_level',
  'capability',
  'code',
  'count',
  'denying_policy',
  'grant',
  'grant_ref',
  'grant_source',
  'input_hash',
  'origin',
  'output_hash',
  'policy_sets',
  'reason',
  'replayed',
  'stage',
  'treaty_id',
  'treaty_root',
  'until',
  'version',
] as const

const gate_stage = 4

async function projectCrossTenantCalls(
  client: ClientBase,
  records: readonly CommittedRecord[],
  { newId }: NewIds,
): Promise<boolean> {
  const answers = records.flatMap((record) => {
    const answer = copyFor(record) ?? acknowledgementOf(record)
    return answer ? [{ ...answer, id: newId() }] : []
  })
  if (answers.length === 0) return false
  const values = [answers.map(({ tenant_id }) => tenant_id), answers.map(entryText)]
  const { rowCount } = await client.query({ name: 'copy-cross-tenant-calls', text: leave_for, values })
  return (rowCount ?? 0) > 0
}

export const projections: readonly Projection[] = [projectCrossTenantCalls]

type Answer = Omit<AuditEntry, 'id'>

/** A call stopped before stage 4 never reached the other side, and a dry run is not a call. */
function copyFor({ fields, seq, record_hash }: CommittedRecord): Answer | undefined {
  const { meta, tenant_id } = fields
  const { target_tenant, counterpart, stage, dry_run } = meta
  if (typeof target_tenant !== 'string' || counterpart !== undefined || dry_run === true) return undefined
  if (!endsCall(fields) || (typeof stage === 'number' && stage < gate_stage)) return undefined
  return {
    ...entryOf(fields),
    tenant_id: target_tenant,
    meta: {
      ...Object.fromEntries(
        shared_fields.flatMap((key) => (meta[key] === undefined ? [] : [[key, meta[key]]])),
      ),
      ...(isCallersRule(meta, target_tenant) && {
        reason: String(meta.reason).replace(rule_words, ' forbids'),
      }),
      caller_tenant: tenant_id,
      counterpart: { tenant_id, seq, record_hash },
    },
  }
}

/** The author's words in a policy are not copied into another organization's signed log. */
const rule_words = / forbids: .*$/s

function isCallersRule({ denying_policy, policy_sets }: AuditEntry['meta'], target_tenant: string): boolean {
  if (typeof denying_policy !== 'string' || !denying_policy.startsWith('maxim://')) return false
  return !Object.hasOwn(Object(policy_sets), target_tenant)
}

/** Completes the pair: the caller's chain gets the hash of the other side's record. */
function acknowledgementOf({ fields, seq, record_hash, tenant_id }: CommittedRecord): Answer | undefined {
  const { counterpart, caller_tenant } = fields.meta as {
    counterpart?: { tenant_id: string; record_hash: string }
    caller_tenant?: string
  }
  if (!counterpart || fields.event_type === 'CrossingRecorded' || caller_tenant === undefined)
    return undefined
  return {
    ...entryOf(fields),
    tenant_id: counterpart.tenant_id,
    event_type: 'CrossingRecorded',
    outcome: 'success',
    meta: {
      record_hash: counterpart.record_hash,
      counterpart: { tenant_id, seq, record_hash },
    },
  }
}

function entryOf(fields: CommittedRecord['fields']): Answer {
  const { seq: _, id: __, ...entry } = fields
  return entry
}
