// Published artifacts: their bytes never change; their later state is stored in separate columns.
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'

const ref_form = /^mage:\/\/artifact\/([0-9a-f]{64})$/

type Storing = Pick<OperationContext, 'db' | 'tenant_id'>

export type Visibility = 'tenant' | 'treaty' | 'public'

export interface ArtifactRow {
  readonly digest: string
  readonly kind: string
  readonly license: string
  readonly visibility: Visibility
  readonly supersedes: string | null
  readonly superseded_by: string | null
  readonly published_by: string
  readonly published_at: Date
  readonly mars_entry: string
  /** Its record; the hash only for those published before records were named by id. */
  readonly record_id: string | null
  readonly correlation_id: string | null
  readonly record_hash: string | null
}

/** Where an artifact is announced. */
export type Shown = Pick<ArtifactRow, 'mars_entry' | 'record_id' | 'correlation_id'>

export function artifactRef(digest: string): string {
  return `mage://artifact/${digest}`
}

export function digestIn(ref: string): string | undefined {
  return ref_form.exec(ref)?.[1]
}

/** Serializes publications of the same bytes. */
export async function lockArtifact({ db, tenant_id }: Storing, digest: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`artifact|${tenant_id}|${digest}`}, 0))`.execute(
    db,
  )
}

export async function findArtifact(
  { db, tenant_id }: Storing,
  digest: string,
): Promise<ArtifactRow | undefined> {
  return sql<ArtifactRow>`
    SELECT digest, kind, license, visibility, supersedes, superseded_by, published_by, published_at, mars_entry,
      record_id, correlation_id, record_hash
    FROM mage_artifacts WHERE tenant_id = ${tenant_id} AND digest = ${digest}`.first(db)
}

export async function insertArtifact(
  { db, tenant_id }: Storing,
  row: Omit<ArtifactRow, 'superseded_by' | 'published_at' | 'record_hash'> & {
    readonly published_at: string
  },
): Promise<void> {
  await sql`
    INSERT INTO mage_artifacts (tenant_id, digest, kind, license, visibility, supersedes, published_by, published_at,
      mars_entry, record_id, correlation_id)
    VALUES (${tenant_id}, ${row.digest}, ${row.kind}, ${row.license}, ${row.visibility}, ${row.supersedes},
      ${row.published_by}, ${row.published_at}, ${row.mars_entry}, ${row.record_id}, ${row.correlation_id})`.execute(
    db,
  )
}

export async function showArtifact(
  { db, tenant_id }: Storing,
  digest: string,
  { visibility, mars_entry, record_id, correlation_id }: Pick<ArtifactRow, 'visibility' | keyof Shown>,
): Promise<void> {
  await sql`UPDATE mage_artifacts SET visibility = ${visibility}, mars_entry = ${mars_entry},
      record_id = ${record_id}, correlation_id = ${correlation_id}, record_hash = NULL
    WHERE tenant_id = ${tenant_id} AND digest = ${digest}`.execute(db)
}

/** False if another has already replaced it. */
export async function supersedeArtifact(
  { db, tenant_id }: Storing,
  digest: string,
  superseded_by: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE mage_artifacts SET superseded_by = ${superseded_by}
    WHERE tenant_id = ${tenant_id} AND digest = ${digest} AND superseded_by IS NULL`.execute(db)
  return Number(numAffectedRows ?? 0) === 1
}

/** The artifacts among these refs that have been replaced. */
export async function supersededAmong(
  { db, tenant_id }: Storing,
  refs: readonly string[],
): Promise<ReadonlySet<string>> {
  const digests = refs.flatMap((ref) => digestIn(ref) ?? [])
  if (digests.length === 0) return new Set()
  const rows = await sql<{ digest: string }>`
    SELECT digest FROM mage_artifacts
    WHERE tenant_id = ${tenant_id} AND digest = ANY(${digests}) AND superseded_by IS NOT NULL`.all(db)
  return new Set(rows.map(({ digest }) => artifactRef(digest)))
}
