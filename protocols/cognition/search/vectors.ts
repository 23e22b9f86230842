// Computes vectors that are missing or of another embedder, batch by batch.
import type { Database } from '@svc/contract/database'
import type { Embedder } from '@svc/contract/needs/embedding'
import { sql } from '@svc/database/sql'

const batch_max = 64

interface Waiting {
  readonly tenant_id: string
  readonly ref: string
  readonly version: number
  readonly text: string
}

/** Runs as the engine's role. Returns the number processed; a full batch means there may be more. */
export async function embedPending(db: Database, embedder: Embedder, signal: AbortSignal): Promise<number> {
  const rows = await sql<Waiting>`
    SELECT tenant_id, ref, version, text FROM (
      (SELECT tenant_id, ref, version, text FROM content_index
        WHERE present AND embedder_id IS NOT NULL AND embedding IS NULL LIMIT ${batch_max})
      UNION ALL
      (SELECT tenant_id, ref, version, text FROM content_index
        WHERE present AND embedder_id < ${embedder.id} LIMIT ${batch_max})
      UNION ALL
      (SELECT tenant_id, ref, version, text FROM content_index
        WHERE present AND embedder_id > ${embedder.id} LIMIT ${batch_max})) AS waiting
    LIMIT ${batch_max}`.all(db)
  if (rows.length === 0) return 0
  const vectors = await embedder.embed(
    rows.map(({ text }) => text),
    signal,
  )
  const done = rows.map(({ tenant_id, ref, version }, place) => {
    const vector = vectors[place]!
    const hex = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('hex')
    return { tenant_id, ref, version, hex }
  })
  await sql`
    UPDATE content_index AS found SET embedding = decode(made.hex, 'hex'), embedder_id = ${embedder.id},
      revision = pg_current_xact_id()
    FROM jsonb_to_recordset(${JSON.stringify(done)}::jsonb)
      AS made(tenant_id text, ref text, version integer, hex text)
    WHERE found.tenant_id = made.tenant_id AND found.ref = made.ref AND found.version = made.version
      AND found.present`.execute(db)
  return rows.length
}
