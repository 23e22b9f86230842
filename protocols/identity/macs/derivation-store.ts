// Children derived here, with parent and input; repeating a request returns the same child.

import type { Database } from '@svc/contract/database'
import type { IdentityDocument, UnsignedDocument } from '@svc/contract/identity/identity-document'
import type { LineageStatement } from '@svc/contract/identity/lineage'
import { isolateByTenant, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'

export const derivation_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-52-derived-identities',
    sql: `
      CREATE TABLE derived_identities (
        tenant_id text NOT NULL,
        did text NOT NULL,
        parent_did text NOT NULL,
        asked_digest text NOT NULL,
        statement jsonb NOT NULL,
        document jsonb NOT NULL,
        is_published boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, did, parent_did)
      );
      CREATE INDEX derived_identities_of_parent ON derived_identities (tenant_id, parent_did, created_at);
      ${isolateByTenant('derived_identities', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT'])}
    `,
  },
  {
    // Lists are ordered by DID, independent of the collation of the database.
    name: '2026-11-20-27-derived-listed',
    sql: 'CREATE INDEX derived_identities_of_did ON derived_identities (tenant_id, did COLLATE "C");',
  },
]

export interface Derived {
  readonly asked_digest: string
  readonly statement: LineageStatement
  /** Has no proof until its subject signs it, if the subject holds the key. */
  readonly document: UnsignedDocument | IdentityDocument
  readonly is_published: boolean
}

/** True if this call created it. A concurrent call waits here for the first to commit. */
export async function insertDerived(db: Database, tenant_id: string, derived: Derived): Promise<boolean> {
  const { asked_digest, statement, document, is_published } = derived
  return sql`
    INSERT INTO derived_identities
      (tenant_id, did, parent_did, asked_digest, statement, document, is_published, created_at)
    VALUES (${tenant_id}, ${statement.child_did}, ${statement.parent_did}, ${asked_digest},
      ${JSON.stringify(statement)}::jsonb, ${JSON.stringify(document)}::jsonb, ${is_published},
      ${statement.created_at})
    ON CONFLICT DO NOTHING RETURNING did`.exists(db)
}

export async function lockDerived(
  db: Database,
  did: string,
  parent_did: string,
): Promise<Derived | undefined> {
  return sql<Derived>`
    SELECT asked_digest, statement, document, is_published FROM derived_identities
    WHERE did = ${did} AND parent_did = ${parent_did} FOR UPDATE`.first(db)
}

export async function updateDerived(db: Database, derived: Derived): Promise<void> {
  const { statement, document, is_published } = derived
  await sql`
    UPDATE derived_identities SET document = ${JSON.stringify(document)}::jsonb, is_published = ${is_published}
    WHERE did = ${statement.child_did} AND parent_did = ${statement.parent_did}`.execute(db)
}

/** Whether an identity descends from another by derivations here to which each child agreed by signing its document. */
export async function hasDerived(db: Database, ancestor: string, did: string): Promise<boolean> {
  return sql`
    WITH RECURSIVE above AS (
      SELECT ${did}::text AS did
      UNION SELECT child.parent_did FROM derived_identities child JOIN above ON child.did = above.did
      WHERE jsonb_exists(child.document, 'proof')
    )
    SELECT did FROM above WHERE did = ${ancestor} AND did <> ${did}`.exists(db)
}

export interface DerivedName {
  readonly did: string
  readonly parent_did: string
  readonly created_at: Date
  readonly is_published: boolean
}

/** Children derived here, ordered by DID; one derived by two parents is listed with its first parent. */
export async function listDerived(
  db: Database,
  tenant_id: string,
  { after, prefix, limit }: { readonly after: string; readonly prefix: string; readonly limit: number },
): Promise<DerivedName[]> {
  return sql<DerivedName>`
    SELECT DISTINCT ON (did COLLATE "C") did, parent_did, created_at, is_published FROM derived_identities
    WHERE tenant_id = ${tenant_id} AND did COLLATE "C" > ${after} AND did COLLATE "C" >= ${prefix}
      AND starts_with(did, ${prefix})
    ORDER BY did COLLATE "C", created_at LIMIT ${limit}`.all(db)
}
