// Reconciles the books: six checks, a record if any fails, and a repair that only adds rows.

import type { PlacedRecord, RecordName } from '@svc/contract/audit/audit-event'
import { MicroUsd } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import type { Stored } from '@svc/contract/protocol'
import { Closed, described, ListOf, OneOf, Period, Ref } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { type BillingPeriod, periodOf } from './billing-period.ts'
import { requireAdmin } from './billing-right.ts'
import { invoiceId } from './invoice.ts'
import { findInvoices } from './invoice-store.ts'
import {
  type Check,
  type Drift,
  drift_kinds,
  driftMicroUsd,
  isPositionSound,
  judgePosition,
} from './reconcile.ts'
import { findUnbalanced, findWrongBalances, readPosition } from './reconcile-ledger.ts'
import { repairBooks } from './reconcile-repair.ts'
import { compareUsage, drift_max, type UsageFindings } from './reconcile-usage.ts'
import { statementOf } from './statement.ts'
import { readUsage } from './statement-store.ts'

const refs_told_max = 20

export const ReconcileInput = Closed({
  period: Period,
  repair: Type.Optional(
    Type.Boolean({ default: false, description: 'Add what is missing; needs svc.meal.admin.' }),
  ),
})

export const ReconcileOutput = Closed({
  balanced: Type.Boolean({ description: 'Every check holds.' }),
  checks: described(
    ListOf(
      Closed({
        name: Type.String({ description: 'What must hold.' }),
        ok: Type.Boolean({ description: 'Whether it holds.' }),
        detail: Type.String({ description: 'holds, or how many faults were found.' }),
      }),
      6,
      6,
    ),
    'What was compared.',
  ),
  drift: described(
    ListOf(
      Closed({
        kind: described(
          OneOf(...drift_kinds),
          'Usage not metered, metered without a call, or twice; or a wrong charge, journal or balance.',
        ),
        ref: Type.String({ description: 'Record, event, journal, account or invoice that is off.' }),
        expected: Type.String({ description: 'What it should be.' }),
        actual: Type.String({ description: 'What it is.' }),
      }),
      0,
      drift_max,
    ),
    'Single differences that were found.',
  ),
  drift_micro_usd: described(MicroUsd, 'How far the books are apart, in whole millionths of a US dollar.'),
  unbalanced_record: Type.Optional(
    described(Ref, 'Audit record of the drift; absent where all is balanced.'),
  ),
  repaired: Type.Optional(
    Type.Integer({ minimum: 0, description: 'How many rows were added or are made again.' }),
  ),
})

export interface Findings {
  readonly checks: readonly Check[]
  readonly drift: readonly Drift[]
  readonly usage: UsageFindings
}

export async function reconcile(
  { period: period_input, repair = false }: Static<typeof ReconcileInput>,
  context: OperationContext<'audit_log' | 'authority' | 'budgets' | 'engine' | 'telemetry'>,
): Promise<StoredReconciliation> {
  const period = periodOf(period_input)
  if (repair) await requireAdmin(context)
  await context.audit_log.settled()
  const findings = await lookThrough(context, period)
  const { checks, drift } = findings
  const balanced = checks.every(({ ok }) => ok)
  context.metadata.balanced = balanced
  const drift_micro_usd = String(driftMicroUsd(drift))
  const pending = balanced ? undefined : tellUnbalanced(context, period_input, drift, drift_micro_usd)
  const repairs = repair && drift.length > 0
  const repaired = repairs ? await repairBooks(context, findings.usage) : 0
  const answer = {
    balanced,
    checks: [...checks],
    drift: drift.slice(0, drift_max).map(({ off_quanta: _, ...told }) => told),
    drift_micro_usd,
    ...(repair && { repaired }),
  }
  return { answer, pending }
}

type Reconciliation = Static<typeof ReconcileOutput>

interface StoredReconciliation extends Stored {
  readonly answer: Reconciliation
}

/** The ref of a record is its hash, known only after the commit. */
export function namingRecord(
  { answer }: StoredReconciliation,
  committed: PlacedRecord | undefined,
): Reconciliation {
  if (!committed) return answer
  const { tenant_id, record_hash } = committed.record
  return { ...answer, unbalanced_record: `max://${tenant_id}/record/${record_hash}` }
}

async function lookThrough({ db, tenant_id }: OperationContext, period: BillingPeriod): Promise<Findings> {
  const usage = await compareUsage(db, tenant_id, period)
  const { of_sums, of_records, of_hours } = usage
  const of_usage = [...of_sums, ...of_records]
  const of_charges = of_usage.filter(({ kind }) => kind === 'charge_mismatch')
  const position = await readPosition(db, tenant_id)
  const of_position = judgePosition(position, of_sums)
  const unbalanced = await findUnbalanced(db, tenant_id)
  const balances = await findWrongBalances(db, tenant_id)
  const frozen = [...of_hours, ...(await findChanged(db, tenant_id, period))]
  // Wrong usage makes invoices wrong too: report only the usage.
  const of_frozen = of_usage.length > 0 ? [] : frozen
  const is_sound = isPositionSound(position) && of_position.length === 0
  return {
    usage,
    drift: [...of_usage, ...of_position, ...unbalanced, ...balances, ...of_frozen],
    checks: [
      check('every success is counted once', of_usage.length - of_charges.length),
      check('every event re-priced is what was charged', of_charges.length),
      { ...check('usage is roll-up journals plus carry', is_sound ? 0 : 1), ok: is_sound },
      check('every journal adds up to nothing', unbalanced.length),
      check('every balance is the sum of its entries', balances.length),
      check('every invoice and kept hour is what its events say', frozen.length),
    ],
  }
}

function check(name: string, faults: number): Check {
  return { name, ok: faults === 0, detail: faults === 0 ? 'holds' : `${faults} found` }
}

/** Recomputes invoices that overlap the period from the events. */
async function findChanged(
  db: OperationContext['db'],
  tenant_id: string,
  period: BillingPeriod,
): Promise<Drift[]> {
  const drift: Drift[] = []
  for (const invoice of await findInvoices(db, tenant_id, period)) {
    const usage = await readUsage(db, tenant_id, invoice.period, { whole: true })
    const { statement_hash, totals } = statementOf(usage)
    if (statement_hash === invoice.statement_hash) continue
    drift.push({
      kind: 'charge_mismatch',
      ref: invoiceId(invoice),
      expected: statement_hash,
      actual: invoice.statement_hash,
      off_quanta: invoice.quanta - totals.quanta,
    })
  }
  return drift
}

/** In the audit log, and in the metrics. */
function tellUnbalanced(
  context: OperationContext<'telemetry'>,
  period: Static<typeof Period>,
  drift: readonly Drift[],
  drift_micro_usd: string,
): RecordName {
  context.telemetry.count('svc_meal_unbalanced_total')
  const kinds = Object.fromEntries(
    drift_kinds
      .map((kind) => [kind, drift.filter((one) => one.kind === kind).length] as const)
      .filter(([, count]) => count > 0),
  )
  const refs = drift.slice(0, refs_told_max).map(({ ref }) => ref)
  return context.audit('Unbalanced', { period, kinds, refs, drift_micro_usd }, { outcome: 'error' })
}
