// Recoveries that wait for the signatures of those who were named.
import type { Database } from '@svc/contract/database'
import type { UnsignedDocument } from '@svc/contract/identity/identity-document'
import type { EventSignature, UnsignedKeyEvent } from '@svc/contract/identity/key-events'
import { isolateByTenant, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'

export const recovery_migrations: readonly Migration[] = [
  {
    name: '2026-11-25-04-key-recoveries',
    sql: `
      CREATE TABLE key_recoveries (
        tenant_id text NOT NULL,
        did text NOT NULL,
        public_key text NOT NULL,
        event jsonb NOT NULL,
        document jsonb NOT NULL,
        signatures jsonb NOT NULL,
        document_proof text,
        proposed_by text NOT NULL,
        proposed_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, did, public_key)
      );
      ${isolateByTenant('key_recoveries', ['SELECT', 'INSERT', 'UPDATE', 'DELETE'], [])}
    `,
  },
]

export interface KeyRecovery {
  readonly public_key: string
  readonly proposed_by: string
  readonly event: UnsignedKeyEvent
  readonly document: UnsignedDocument
  readonly signatures: readonly EventSignature[]
  readonly document_proof: string | null
}

const days_open = 7

/** Those still open that follow the identity's last key; others can never be completed, and go. */
export async function openRecoveries(
  db: Database,
  did: string,
  previous: string,
  now: string,
): Promise<readonly KeyRecovery[]> {
  await sql`
    DELETE FROM key_recoveries WHERE did = ${did}
      AND (event->>'previous' <> ${previous} OR proposed_at < ${now}::timestamptz - make_interval(days => ${days_open}))`.execute(
    db,
  )
  return sql<KeyRecovery>`
    SELECT public_key, proposed_by, event, document, signatures, document_proof FROM key_recoveries
    WHERE did = ${did} ORDER BY proposed_at FOR UPDATE`.all(db)
}

/** One of each who proposes: a new one replaces it. */
export async function keepRecovery(
  db: Database,
  tenant_id: string,
  did: string,
  { public_key, proposed_by, event, document, signatures, document_proof }: KeyRecovery,
  now: string,
): Promise<void> {
  await sql`
    DELETE FROM key_recoveries
    WHERE did = ${did} AND proposed_by = ${proposed_by} AND public_key <> ${public_key}`.execute(db)
  await sql`
    INSERT INTO key_recoveries
      (tenant_id, did, public_key, event, document, signatures, document_proof, proposed_by, proposed_at)
    VALUES (${tenant_id}, ${did}, ${public_key}, ${JSON.stringify(event)}::jsonb, ${JSON.stringify(document)}::jsonb,
      ${JSON.stringify(signatures)}::jsonb, ${document_proof}, ${proposed_by}, ${now})
    ON CONFLICT (tenant_id, did, public_key) DO UPDATE
      SET signatures = excluded.signatures, document_proof = excluded.document_proof`.execute(db)
}
