// Whether a credential is bounded, so that it must not leave behind what would not be.
import type { Database } from '@svc/contract/database'
import { findListedKey } from './agent-keys.ts'
import { workloadOf } from './workloads.ts'

/** A session of a workload, or a key with bounds; undefined for people who signed in and for keys without bounds. */
export async function boundOf(
  db: Database,
  tenant_id: string,
  key_id: string,
): Promise<'workload' | 'key' | undefined> {
  const key = await findListedKey(db, tenant_id, key_id)
  // People who signed in have none.
  if (!key) return undefined
  if (workloadOf(key.made_by) !== undefined) return 'workload'
  const { is_session, usable_for, expires_at, networks, weekly_budget_micro_usd } = key
  const is_bounded = networks.length > 0 || usable_for !== null || weekly_budget_micro_usd !== null
  return is_bounded || (expires_at !== null && !is_session) ? 'key' : undefined
}
