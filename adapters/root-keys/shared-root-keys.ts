// Root keys that two databases of one installation share, so that what moves from one to the other opens there.
import type { RootKeyRing } from '@svc/audit/sealing/root-keys'
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import { type MasterKeySetting, masterKeyOf } from './master-key.ts'
import { RenewalRefused, renewal_lock } from './renewal.ts'
import { creation_lock, type RootKeyRow, readRows, ringOf, unwrapRow } from './root-key-store.ts'

/** Whatever the first database seals opens in the second, and what is found there by its keyed hash is found here too. */
export async function haveSameRootKeys(
  from: Database,
  to: Database,
  setting: MasterKeySetting,
): Promise<boolean> {
  const master_key = masterKeyOf(setting)
  const [source, target] = [
    await ringOf(await readRows(from), master_key),
    await ringOf(await readRows(to), master_key),
  ]
  return isContained(source, target)
}

/** Until the end of the transaction no root key is destroyed there. */
export async function holdRootKeys(db: Database): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock_shared(${renewal_lock})`.execute(db)
}

/**
 * All of them into a database that has none yet; or into one that has had them, what was renewed since: engines there
 * learn it like a renewal of their own. In a transaction of `to`.
 */
export async function copyRootKeys(
  from: Database,
  to: Database,
  setting: MasterKeySetting,
): Promise<readonly number[]> {
  const master_key = masterKeyOf(setting)
  const source = (await readRows(from)).filter(({ wrapped }) => wrapped !== null)
  const source_ring = await ringOf(source, master_key)
  await sql`SELECT pg_advisory_xact_lock(${creation_lock}), pg_advisory_xact_lock(${renewal_lock})`.execute(
    to,
  )
  const target = await readRows(to)
  if (target.length === 0) {
    for (const row of source) await addRow(to, row, row.state)
    return versionsOf(source)
  }
  const target_ring = await ringOf(target, master_key)
  if (!isSame(source_ring.index_key, target_ring.index_key))
    throw new RenewalRefused(
      'That database has root keys of its own: an engine has run on it before. Begin with an empty database, and copy them before the first engine starts there.',
    )
  const newer = source.filter(({ purpose, version }) => purpose === 'seal' && !target_ring.keys.has(version))
  if (newer.length === 0) return []
  const [row, ...more] = newer
  const is_next = more.length === 0 && row!.version === target_ring.current + 1
  if (!is_next || target.some(({ state }) => state === 'announced' || state === 'old'))
    throw new RenewalRefused(
      'That database is in a renewal, or more than one behind; wait until it has ended (root-key list), and copy again.',
    )
  await unwrapRow(row!, master_key)
  await addRow(to, row!, 'announced')
  return versionsOf(newer)
}

/** Wrapped by the same master key, and bound to purpose and version only. */
async function addRow(db: Database, row: RootKeyRow, state: string): Promise<void> {
  const { purpose, version, wrapped, wrapped_by } = row
  await sql`
    INSERT INTO root_keys (purpose, version, state, wrapped, wrapped_by, created_at, current_at)
    VALUES (${purpose}, ${version}, ${state}, ${wrapped}, ${wrapped_by}, now(),
      CASE WHEN ${state} = 'current' THEN now() END)`.execute(db)
}

function versionsOf(rows: readonly RootKeyRow[]): readonly number[] {
  return rows.filter(({ purpose }) => purpose === 'seal').map(({ version }) => version)
}

function isContained(source: RootKeyRing, target: RootKeyRing): boolean {
  const keys = [...source.keys].every(([version, key]) => isSame(key, target.keys.get(version)))
  const first = !source.first_key || isSame(source.first_key, target.first_key)
  return keys && first && isSame(source.index_key, target.index_key)
}

function isSame(key: Uint8Array, other: Uint8Array | undefined): boolean {
  return other !== undefined && Buffer.from(key).equals(other)
}
