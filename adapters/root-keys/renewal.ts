// Renewing the root key. A new version is announced, seals once every engine holds it, and when nothing is sealed by the old one any more,
// the old one is destroyed. Every step is a transaction, and any engine takes the next one.
import { randomKey } from '@svc/audit/sealing/seal'
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import { type MasterKey, type MasterKeySetting, masterKeyOf } from './master-key.ts'
import { resealBatch } from './reseal.ts'
import { type EngineRow, listEngines } from './root-key-engines.ts'
import {
  addRootKey,
  boundTo,
  MasterKeyFault,
  type RootKeyRow,
  readRows,
  unwrapRow,
} from './root-key-store.ts'

/** Held by whoever changes which root keys there are. */
export const renewal_lock = 732_114_622
/** No call that sealed something before its engine changed keys is still under way after this. */
export const settle_ms = 600_000
const version_max = 65_535

export class RenewalRefused extends Error {}

/** The next version; every engine learns of it within seconds. */
export async function announceRootKey(db: Database, setting: MasterKeySetting): Promise<number> {
  const master_key = masterKeyOf(setting)
  await takeLock(db)
  const rows = sealing(await readRows(db))
  const current = rows.find(({ state }) => state === 'current')
  if (!current) throw new RenewalRefused('No engine has run on this database yet; start it once.')
  // The new one is useless where the engines cannot unwrap it.
  await unwrapRow(current, master_key)
  if (rows.some(({ state }) => state === 'announced' || state === 'old'))
    throw new RenewalRefused('A renewal is under way; see: svc-engine admin root-key list')
  const version = current.version + 1
  if (version > version_max)
    throw new RenewalRefused(`There have been ${version_max} root keys, the maximum.`)
  await addRootKey(db, master_key, { purpose: 'seal', version, key: randomKey(), state: 'announced' })
  return version
}

export type MasterKeyChange = Record<'old_name' | 'new_name', string> & { readonly root_keys: number }

/** Root keys are wrapped again, all or none. Engines go on with those they hold. */
export async function changeMasterKey(
  db: Database,
  old_setting: MasterKeySetting,
  new_setting: MasterKeySetting,
): Promise<MasterKeyChange> {
  const old_key = masterKeyOf(old_setting)
  const new_key = masterKeyOf(new_setting)
  await takeLock(db)
  const rows = (await readRows(db)).filter(({ wrapped }) => wrapped !== null)
  if (rows.length === 0) throw new RenewalRefused('No engine has run on this database yet; start it once.')
  for (const row of rows) {
    const key = await unwrapRow(row, old_key)
    const wrapped = await wrapSurely(new_key, key, row)
    await sql`
      UPDATE root_keys SET wrapped = ${wrapped}, wrapped_by = ${new_key.name}
      WHERE purpose = ${row.purpose} AND version = ${row.version}`.execute(db)
  }
  return { old_name: old_key.name, new_name: new_key.name, root_keys: rows.length }
}

/** Unwrapped once before the old wrapping is given up. */
async function wrapSurely(new_key: MasterKey, key: Buffer, row: RootKeyRow): Promise<Buffer> {
  const wrapped = await new_key.wrap(key, boundTo(row))
  const again = await new_key.unwrap(wrapped, boundTo(row))
  if (!again.equals(key))
    throw new MasterKeyFault('The new master key does not give back what it wraps; nothing was changed.')
  return wrapped
}

export type RenewalStep =
  | { readonly kind: 'none' }
  | { readonly kind: 'waiting'; readonly engines: readonly EngineRow[] }
  | { readonly kind: 'started'; readonly version: number }
  | { readonly kind: 'resealed' }
  | {
      readonly kind: 'destroyed'
      readonly version: number
      readonly resealed: number
      readonly unopened: number
    }

export interface Renewing {
  readonly root_keys: Parameters<typeof resealBatch>[1]
  readonly now: Date
  /** Recorded in the same transaction. */
  onDestroyed(db: Database, destroyed: RenewalStep & { kind: 'destroyed' }): Promise<void>
}

/** The next step of a renewal, if one is under way and no other engine takes it. */
export async function takeStep(db: Database, renewing: Renewing): Promise<RenewalStep> {
  return await db.transaction(async (trx) => {
    if (!(await tryLock(trx))) return { kind: 'none' }
    const rows = sealing(await readRows(trx))
    const announced = rows.find(({ state }) => state === 'announced')
    const old = rows.find(({ state }) => state === 'old')
    if (!announced && !old) return { kind: 'none' }
    const engines = await listEngines(trx)
    if (announced) return await startSealing(trx, announced.version, engines)
    const current = rows.find(({ state }) => state === 'current')!
    const late = engines.filter(
      (engine) => engine.journalled < current.version || !isSettled(engine, renewing.now),
    )
    if (late.length > 0) return { kind: 'waiting', engines: late }
    if (renewing.root_keys.version !== current.version) return { kind: 'none' }
    const done = await resealBatch(trx, renewing.root_keys, old!.version)
    if (!done) return { kind: 'resealed' }
    return await destroy(trx, old!.version, done, renewing)
  })
}

async function startSealing(
  db: Database,
  version: number,
  engines: readonly EngineRow[],
): Promise<RenewalStep> {
  const late = engines.filter(({ opens }) => opens < version)
  if (late.length > 0) return { kind: 'waiting', engines: late }
  await sql`UPDATE root_keys SET state = 'old' WHERE purpose = 'seal' AND state = 'current'`.execute(db)
  await sql`
    UPDATE root_keys SET state = 'current', current_at = now() WHERE purpose = 'seal' AND version = ${version}`.execute(
    db,
  )
  return { kind: 'started', version }
}

function isSettled({ seals_since }: EngineRow, now: Date): boolean {
  return seals_since.getTime() + settle_ms <= now.getTime()
}

/** In the transaction that has just seen that the key opens nothing in the database. */
async function destroy(
  db: Database,
  version: number,
  { resealed, unopened }: { readonly resealed: number; readonly unopened: number },
  { onDestroyed }: Renewing,
): Promise<RenewalStep> {
  await sql`
    UPDATE root_keys SET state = 'destroyed', wrapped = NULL, destroyed_at = now()
    WHERE purpose = 'seal' AND version = ${version}`.execute(db)
  await sql`DELETE FROM reseal_progress`.execute(db)
  const step = { kind: 'destroyed', version, resealed, unopened } as const
  await onDestroyed(db, step)
  return step
}

function sealing(rows: readonly RootKeyRow[]): RootKeyRow[] {
  return rows.filter(({ purpose }) => purpose === 'seal')
}

async function takeLock(db: Database): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${renewal_lock})`.execute(db)
}

async function tryLock(db: Database): Promise<boolean> {
  const row = await sql<{ taken: boolean }>`SELECT pg_try_advisory_xact_lock(${renewal_lock}) AS taken`.first(
    db,
  )
  return row?.taken === true
}
