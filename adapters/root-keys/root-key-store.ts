// Root keys at a start: made once, wrapped by the master key, then earlier in memory, so that no call waits for them.
import { type RootKeyRing, RootKeys } from '@svc/audit/sealing/root-keys'
import { deriveKey, open, randomKey } from '@svc/audit/sealing/seal'
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import { type MasterKey, type MasterKeySetting, masterKeyOf } from './master-key.ts'

/** What the operator has to change in the settings; the sentence says it. */
export class MasterKeyFault extends Error {}

export interface RootKeyRow {
  readonly purpose: string
  readonly version: number
  readonly state: string
  readonly wrapped: Buffer | null
  readonly wrapped_by: string
}

export const creation_lock = 732_114_621

export async function openRootKeys(db: Database, setting: MasterKeySetting): Promise<RootKeys> {
  const master_key = masterKeyOf(setting)
  const rows = await readRows(db)
  if (rows.length > 0) return new RootKeys(await ringOf(rows, master_key))
  await createRootKeys(db, master_key)
  return new RootKeys(await ringOf(await readRows(db), master_key))
}

export const root_key_rows =
  'SELECT purpose, version, state, wrapped, wrapped_by FROM root_keys ORDER BY purpose, version'

export async function readRows(db: Database): Promise<RootKeyRow[]> {
  return await sql.raw<RootKeyRow>(root_key_rows).all(db)
}

/** Keys that `earlier` has already are not unwrapped again: a master key outside of this process need not answer. */
export async function ringOf(
  rows: readonly RootKeyRow[],
  master_key: MasterKey,
  earlier?: RootKeyRing,
): Promise<RootKeyRing> {
  const keys = new Map<number, Uint8Array>()
  for (const row of rows) {
    if (row.purpose !== 'seal' || !row.wrapped) continue
    keys.set(row.version, earlier?.keys.get(row.version) ?? (await unwrapRow(row, master_key)))
  }
  const single = async (purpose: string) => {
    const row = rows.find((one) => one.purpose === purpose)
    return row && (await unwrapRow(row, master_key))
  }
  const current = rows.find(({ purpose, state }) => purpose === 'seal' && state === 'current')
  const index_key = earlier?.index_key ?? (await single('index'))
  if (!current || !index_key)
    throw new MasterKeyFault(
      'The database has no current root key; restore the table root_keys from a backup.',
    )
  return {
    current: current.version,
    keys,
    index_key,
    first_key: earlier ? earlier.first_key : await single('first'),
  }
}

export async function unwrapRow(row: RootKeyRow, master_key: MasterKey): Promise<Buffer> {
  if (row.wrapped_by !== master_key.name) {
    throw new MasterKeyFault(
      `The root keys of this database are wrapped by the master key ${row.wrapped_by}, and the one set is ${master_key.name}: it was changed, or it belongs to another installation. Set the other one.`,
    )
  }
  try {
    return await master_key.unwrap(row.wrapped!, boundTo(row))
  } catch (error) {
    throw new MasterKeyFault(`Root key ${boundTo(row)} cannot be unwrapped: ${(error as Error).message}`)
  }
}

/** Bound to its row: a wrapped key put into another does not open. */
export function boundTo({ purpose, version }: Pick<RootKeyRow, 'purpose' | 'version'>): string {
  return `${purpose} ${version}`
}

/** Engines that start together make one set. */
async function createRootKeys(db: Database, master_key: MasterKey): Promise<void> {
  const inOne: Database['transaction'] = (work) => (db.isTransaction ? work(db) : db.transaction(work))
  await inOne(async (trx) => {
    await sql`SELECT pg_advisory_xact_lock(${creation_lock})`.execute(trx)
    if ((await readRows(trx)).length > 0) return
    const first_key = await firstKeyOf(trx, master_key)
    if (first_key) await addRootKey(trx, master_key, { purpose: 'first', version: 0, key: first_key })
    // Names that were hashed by the first key are found only by it.
    await addRootKey(trx, master_key, { purpose: 'index', version: 0, key: first_key ?? randomKey() })
    await addRootKey(trx, master_key, { purpose: 'seal', version: 1, key: randomKey() })
  })
}

/** An installation from before root keys sealed by the master key itself, which must be the one that is set. */
async function firstKeyOf(db: Database, master_key: MasterKey): Promise<Uint8Array | undefined> {
  const salt = await sql<{ tenant_id: string; sealed: Buffer }>`
    SELECT tenant_id, sealed FROM audit_salts ORDER BY tenant_id LIMIT 1`.first(db)
  if (!salt) return undefined
  try {
    open(deriveKey(master_key.bytes!, 'audit-salt'), salt.sealed, `salt of ${salt.tenant_id}`)
    return master_key.bytes
  } catch {
    throw new MasterKeyFault(
      'This database was sealed by another master key than the one set. Start once with SVC_MASTER_KEY as it was; it can be changed afterwards.',
    )
  }
}

export async function addRootKey(
  db: Database,
  master_key: MasterKey,
  row: {
    readonly purpose: string
    readonly version: number
    readonly key: Uint8Array
    readonly state?: string
  },
): Promise<void> {
  const wrapped = await master_key.wrap(row.key, boundTo(row))
  const { purpose, version, state = 'current' } = row
  await sql`
    INSERT INTO root_keys (purpose, version, state, wrapped, wrapped_by, created_at, current_at)
    VALUES (${purpose}, ${version}, ${state}, ${wrapped}, ${master_key.name}, now(),
      CASE WHEN ${state} = 'current' THEN now() END)`.execute(db)
}

export interface ListedRootKey {
  readonly purpose: string
  readonly version: number
  readonly state: string
  readonly wrapped_by: string
  readonly created_at: Date
  readonly current_at: Date | null
  readonly destroyed_at: Date | null
}

/** Of those that seal; nothing secret. */
export async function listRootKeys(db: Database): Promise<ListedRootKey[]> {
  return await sql<ListedRootKey>`
    SELECT purpose, version, state, wrapped_by, created_at, current_at, destroyed_at FROM root_keys
    WHERE purpose = 'seal' ORDER BY version`.all(db)
}
