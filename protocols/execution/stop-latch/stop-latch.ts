// No intent commits after a latch that covers it. Per-tenant lock: shared for intents, exclusive for stops.
import type { Database } from '@svc/contract/database'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'

export type StopScope = 'action' | 'agent' | 'device' | 'tenant'

/** What an external effect belongs to. */
export interface Covered {
  readonly action?: string | undefined
  readonly agent?: string | undefined
  readonly device?: string | undefined
}

export interface Latch {
  readonly scope: StopScope
  readonly scope_id: string
  readonly stop_ref: string
  readonly set_at: Date
}

/** Call this in the transaction that commits the intent: until it ends no stop can be set. */
export async function refuseWhileStopped(db: Database, tenant_id: string, covered: Covered): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock_shared(${lockOf(tenant_id)})`.execute(db)
  const latch = await findLatch(db, tenant_id, covered)
  if (latch) throw stopped(latch)
}

/** Undefined if no latch that covers the effect is set. */
export async function findLatch(
  db: Database,
  tenant_id: string,
  { action, agent, device }: Covered,
): Promise<Latch | undefined> {
  return sql<Latch>`
    SELECT scope, scope_id, stop_ref, set_at FROM stop_latch
    WHERE tenant_id = ${tenant_id} AND is_set AND (scope, scope_id) IN (
      ('tenant', ${tenant_id}), ('action', ${action ?? ''}), ('agent', ${agent ?? ''}), ('device', ${device ?? ''}))
    ORDER BY set_at LIMIT 1`.first(db)
}

/** Waits for intents being committed, then blocks all others. Setting it again increments the epoch. */
export async function setLatch(
  db: Database,
  latch: Latch & { readonly tenant_id: string; readonly set_by: string },
): Promise<bigint> {
  const { tenant_id, scope, scope_id, stop_ref, set_by, set_at } = latch
  await sql`SELECT pg_advisory_xact_lock(${lockOf(tenant_id)})`.execute(db)
  const row = await sql<{ epoch: string }>`
    INSERT INTO stop_latch AS kept (tenant_id, scope, scope_id, epoch, is_set, stop_ref, set_by, set_at)
    VALUES (${tenant_id}, ${scope}, ${scope_id}, 1, true, ${stop_ref}, ${set_by}, ${set_at})
    ON CONFLICT (tenant_id, scope, scope_id) DO UPDATE SET epoch = kept.epoch + 1, is_set = true,
      stop_ref = excluded.stop_ref, set_by = excluded.set_by, set_at = excluded.set_at, cleared_at = NULL
    RETURNING epoch::text`.first(db)
  return BigInt(row!.epoch)
}

/** False if no latch was set. */
export async function clearLatch(
  db: Database,
  tenant_id: string,
  scope: StopScope,
  scope_id: string,
  at: Date,
): Promise<boolean> {
  await sql`SELECT pg_advisory_xact_lock(${lockOf(tenant_id)})`.execute(db)
  const { numAffectedRows = 0n } = await sql`
    UPDATE stop_latch SET is_set = false, epoch = epoch + 1, cleared_at = ${at}
    WHERE tenant_id = ${tenant_id} AND scope = ${scope} AND scope_id = ${scope_id} AND is_set`.execute(db)
  return numAffectedRows > 0n
}

function lockOf(tenant_id: string) {
  return sql`hashtextextended(${`stop ${tenant_id}`}, 0)`
}

function stopped({ scope, scope_id, stop_ref, set_at }: Latch): Refusal {
  return refuse(
    'policy_denied',
    `Nothing was started: an emergency stop is set for ${stoppedName(scope, scope_id)} since ${set_at.toISOString()}. ` +
      'Have it cleared with MAKER emergency_stop, then try again.',
    { reason: 'emergency stop active', scope, scope_id, stop_ref },
  )
}

/** Agents and devices are named in the details: nobody reads their DIDs. */
function stoppedName(scope: StopScope, scope_id: string): string {
  if (scope === 'tenant') return `the organization ${scope_id}`
  return scope === 'action' ? `action ${scope_id}` : `this ${scope}`
}
