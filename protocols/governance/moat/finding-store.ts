// Collects the inputs of findings: this tenant's chain, the other party's spending, and their contracts.
import type { RecordFilter } from '@svc/audit/query/record-filter'
import { findRecords } from '@svc/audit/query/records'
import { spanOf } from '@svc/audit/query/span'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { findContractsUnder } from '../../economic/contracts/api.ts'
import { spentByCounter } from '../../economic/usage/api.ts'
import type { Evidence, Finding } from './finding.ts'
import { otherParty, type StoredTreaty } from './treaty.ts'
import { findLine } from './treaty-store.ts'

const page_records = 1_000
const replayed_max = 100_000
const contracts_max = 1_000

export async function gatherEvidence(
  context: OperationContext<'audit_log'>,
  treaty: StoredTreaty,
  period: { readonly from: string; readonly to: string },
): Promise<Evidence> {
  const { db, tenant_id, now } = context
  await context.audit_log.settled()
  const line = (await findLine(db, treaty.root_id)).filter(({ activated_at }) => activated_at !== null)
  const other = otherParty(treaty, tenant_id).tenant
  const to = new Date(Math.min(Date.parse(period.to), Date.parse(now)))
  const span = { from: period.from, to: to.toISOString() }
  const versions = new Set<unknown>(line.map(({ id }) => id))
  return {
    tenant_id,
    other,
    line,
    calls: await callsOf(
      context,
      { ...span, event_types: ['ProtocolInvocation'], outcome: 'success' },
      ({ meta }) => meta.caller_tenant === other && meta.treaty_root === treaty.root_id,
    ),
    attempts: await callsOf(
      context,
      { ...span, outcome: 'refused' },
      ({ meta }) => meta.caller_tenant === other && isStoppedBy(meta, versions, treaty.root_id),
    ),
    spent: await spentByCounter(db, other, `treaty/${treaty.root_id}/w`),
    contracts: await findContractsUnder(
      db,
      line.map(({ id }) => id),
      contracts_max,
    ),
    from: new Date(period.from),
    to,
  }
}

/** Stopped by the terms themselves (stage 4) or by a limit of them (stage 5), not by a policy or by bad input. */
function isStoppedBy(meta: AuditRecord['meta'], versions: ReadonlySet<unknown>, root_id: string): boolean {
  if (meta.stage === 4) return versions.has(meta.denying_policy)
  return meta.stage === 5 && meta.treaty_root === root_id && String(meta.reason).startsWith('limit reached: ')
}

/** Reads the whole chain of the period: only a record's content says to which treaty it belongs. */
async function callsOf(
  { db, tenant_id, signal }: OperationContext,
  filter: Omit<RecordFilter, 'limit' | 'after_seq'> & { readonly from: string; readonly to: string },
  isOurs: (record: AuditRecord) => boolean,
): Promise<AuditRecord[]> {
  const { from, to } = filter
  const span = await spanOf(db, tenant_id, from, to)
  if (!span) return []
  if (span.last_seq - span.first_seq >= replayed_max) throw tooMuch()
  const calls: AuditRecord[] = []
  let after_seq = span.first_seq - 1
  while (after_seq < span.last_seq) {
    signal.throwIfAborted()
    const page = await findRecords(db, tenant_id, { ...filter, after_seq, limit: page_records })
    calls.push(...page.filter(isOurs))
    if (page.length < page_records) break
    after_seq = page.at(-1)!.seq
  }
  return calls
}

function tooMuch() {
  return refuse(
    'invalid_payload',
    `The period contains more than ${replayed_max} records; choose a shorter one.`,
    { reason: 'too_large', faults: [{ pointer: '/period', message: 'contains too many records' }] },
  )
}

/** Stored findings of a measure never change, whatever is paid or found later. */
export async function keepFindings(
  db: Database,
  { treaty_id, tenant_id, other, measure, at }: Stored,
  findings: readonly Finding[],
): Promise<void> {
  await sql`
    INSERT INTO treaty_findings (tenant_id, finding_id, counterparty_tenant, treaty_id, kind, about, observed, allowed,
      records, measure, found_at)
    SELECT ${tenant_id}, f.id, ${other}, ${treaty_id}, f.kind, f.about, f.observed, f.allowed, f.records, ${measure}, ${at}
    FROM jsonb_to_recordset(${JSON.stringify(findings)}::jsonb) AS f(id uuid, kind text, about text, observed text,
      allowed text, records jsonb)
    ON CONFLICT DO NOTHING`.execute(db)
}

interface Stored {
  readonly treaty_id: string
  readonly tenant_id: string
  readonly other: string
  readonly measure: string
  readonly at: string
}
