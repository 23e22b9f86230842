// Access counts of memories: kept in memory and written in batches, so that recalling stays read-only.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'

interface Access {
  readonly tenant_id: string
  readonly ref: string
  count: number
  last_access: string
}

/** Accesses beyond this are not counted. */
const accesses_max = 20_000
const engines_max = 64

/** By engine, as several may run in one process. */
const counted = new Map<string, Map<string, Access>>()

interface Reader {
  readonly engine: { readonly did: string }
  readonly tenant_id: string
  readonly now: string
}

export function noteAccess({ engine, tenant_id, now }: Reader, refs: readonly string[]): void {
  let own = counted.get(engine.did)
  if (!own) {
    if (counted.size >= engines_max) return
    own = new Map()
    counted.set(engine.did, own)
  }
  for (const ref of refs) {
    const name = `${tenant_id} ${ref}`
    const access = own.get(name)
    if (access) {
      access.count++
      if (now > access.last_access) access.last_access = now
    } else if (own.size < accesses_max) own.set(name, { tenant_id, ref, count: 1, last_access: now })
  }
}

/** Runs as the engine's role. Returns the number of memories recalled since the last run. */
export async function writeAccesses(db: Database, engine_did: string): Promise<number> {
  const own = counted.get(engine_did)
  if (!own || own.size === 0) return 0
  counted.delete(engine_did)
  const rows = JSON.stringify([...own.values()])
  await sql`UPDATE mind_cell AS cell
    SET access_count = cell.access_count + seen.count, last_access = greatest(cell.last_access, seen.last_access)
    FROM jsonb_to_recordset(${rows}::jsonb)
      AS seen(tenant_id text, ref text, count bigint, last_access timestamptz)
    WHERE cell.tenant_id = seen.tenant_id AND cell.ref = seen.ref`.execute(db)
  return own.size
}
