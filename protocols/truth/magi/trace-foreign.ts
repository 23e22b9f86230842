// Other organizations' records of the same requests: read only under an active treaty, and verified.
import { replayRecords } from '@svc/audit/query/replay'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { treatyStateAt } from '@svc/contract/authority/treaty-grants'
import type { OperationContext } from '@svc/contract/operation-context'

const shared_records_max = 200
const treaties_max = 32

export interface Foreign {
  /** By treaty: the other party if it is active, null if not. */
  readonly partners: Map<string, string | null>
  readonly bad: AuditRecord[]
}

/** Each request once; `own` are the new ones. */
export async function readForeign(
  foreign: Foreign,
  own: readonly AuditRecord[],
  context: OperationContext<'treaties'>,
): Promise<AuditRecord[]> {
  const ids_by_tenant = new Map<string, Set<string>>()
  for (const { tenant_id, meta, correlation_id } of own) {
    if (tenant_id !== context.tenant_id || typeof meta.treaty_id !== 'string') continue
    const partner = await partnerBy(foreign, meta.treaty_id, context)
    if (partner) ids_by_tenant.set(partner, (ids_by_tenant.get(partner) ?? new Set()).add(correlation_id))
  }
  const foreign_records: AuditRecord[] = []
  for (const [partner, ids] of ids_by_tenant) {
    const filter = { correlation_ids: [...ids], limit: shared_records_max }
    for (const { record, hash_ok, signature_ok } of await replayRecords(context.db, partner, filter)) {
      foreign_records.push(record)
      if (!hash_ok || !signature_ok) foreign.bad.push(record)
    }
  }
  return foreign_records
}

async function partnerBy(
  { partners }: Foreign,
  treaty_id: string,
  context: OperationContext<'treaties'>,
): Promise<string | null> {
  const known_partner = partners.get(treaty_id)
  if (known_partner !== undefined) return known_partner
  if (partners.size >= treaties_max) return null
  const treaty = await context.treaties.find(treaty_id)
  const is_active = treaty !== undefined && treatyStateAt(treaty, Date.parse(context.now)) === 'ACTIVE'
  const other = treaty?.parties.find(({ tenant }) => tenant !== context.tenant_id)?.tenant
  const partner = is_active && other !== undefined ? other : null
  partners.set(treaty_id, partner)
  return partner
}
