// Repairs that only add rows: events from the audit log, and a journal for usage marked as booked.

import type { Database } from '@svc/contract/database'
import { quanta_per_micro_usd, usd_asset } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import { balanceOf, postJournal, tellBooks } from '../ledger/api.ts'
import { lockUsage, type UsageEvent } from '../usage/api.ts'
import type { Drift } from './reconcile.ts'
import { readPosition } from './reconcile-ledger.ts'
import { type MissingEvent, momentCounted } from './reconcile-usage.ts'
import { roll_up_kind } from './roll-up.ts'

interface Findings {
  readonly drift: readonly Drift[]
  readonly missing: readonly MissingEvent[]
}

/** Returns how many rows were added. What only a deletion could repair stays reported. */
export async function repairBooks(
  context: OperationContext<'budgets' | 'engine'>,
  { drift, missing }: Findings,
): Promise<number> {
  if (drift.length === 0) return 0
  const { db, tenant_id } = context
  await lockUsage(db, tenant_id)
  let added = 0
  for (const { event } of missing) added += await addEvent(db, event)
  const is_exact = drift.every(
    ({ kind, off_quanta }) =>
      kind !== 'orphan_meter' && kind !== 'duplicate' && (kind !== 'charge_mismatch' || off_quanta === 0n),
  )
  // Once every event is present and correct, the spent total is their sum.
  if (is_exact) await countAgain(context)
  return added + (await postMissing(context))
}

async function addEvent(db: Database, event: UsageEvent): Promise<number> {
  const at = await momentCounted(db, event)
  const occurred_at = at === event.at ? null : event.at
  const [bps_tokens, bps_seconds, bps_watts] = event.bps
  const rows = await sql`
    INSERT INTO meter_events (tenant_id, at, seq, event_id, protocol, operation, caller_did, grant_name, origin,
      envelope_id, tokens_in, tokens_out, ms, uwh, bps_tokens, bps_seconds, bps_watts, rate, quanta, occurred_at,
      reconstructed)
    VALUES (${event.tenant_id}, ${at}, ${event.seq}, ${event.event_id}, ${event.protocol}, ${event.operation},
      ${event.caller_did}, ${event.grant_name || null}, ${event.origin || null}, ${event.envelope_id || null},
      ${event.tokens_in}, ${event.tokens_out}, ${event.ms}, ${event.uwh}, ${bps_tokens}, ${bps_seconds},
      ${bps_watts}, ${event.rate}, ${String(event.quanta)}, ${occurred_at}, true)
    ON CONFLICT DO NOTHING RETURNING seq`.all(db)
  if (rows.length === 0) return 0
  await sql`
    INSERT INTO meter_hours (tenant_id, hour, events, root)
    SELECT tenant_id, date_trunc('hour', ${at}::timestamptz, 'UTC'), 0, NULL FROM billing
    WHERE tenant_id = ${event.tenant_id} AND kept_until > ${at}
    ON CONFLICT (tenant_id, hour) DO UPDATE SET root = NULL`.execute(db)
  return 1
}

/** Usage in the audit log that was never counted is charged to the runway from now on. */
async function countAgain(context: OperationContext<'budgets'>): Promise<void> {
  const { db, tenant_id } = context
  const { events_quanta, spent_quanta } = await readPosition(db, tenant_id)
  if (events_quanta === spent_quanta) return
  await sql`
    UPDATE spend SET (quanta, calls) =
      (SELECT coalesce(sum(quanta), 0), count(*) FROM meter_events WHERE tenant_id = ${tenant_id})
    WHERE tenant_id = ${tenant_id} AND purse = 'runway'`.execute(db)
  await tellBooks(db, tenant_id)
  if (events_quanta > spent_quanta) context.budgets.countSpent(events_quanta - spent_quanta)
}

/** Posts missing roll-up journals if the runway covers them; only the operator refunds double ones. */
async function postMissing({
  db,
  tenant_id,
  engine: { operator_tenant_id },
  invoke,
  now,
}: OperationContext<'engine'>): Promise<number> {
  const { rolled_quanta, journals_quanta, spent_quanta } = await readPosition(db, tenant_id)
  const amount = (rolled_quanta - journals_quanta) / quanta_per_micro_usd
  if (amount <= 0n || rolled_quanta > spent_quanta) return 0
  const runway = { tenant_id, asset_id: usd_asset, type: 'runway' } as const
  if ((await balanceOf(db, runway)) < amount) return 0
  await postJournal(db, {
    tenant_id,
    kind: roll_up_kind,
    ref: `meal://repair/${invoke.correlation_id}`,
    correlation_id: invoke.correlation_id,
    at: now,
    entries: [
      { ...runway, amount: -amount },
      { tenant_id: operator_tenant_id, asset_id: usd_asset, type: 'revenue', amount },
    ],
  })
  return 1
}
