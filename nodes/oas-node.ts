// The reference identity node: stores the newest document of each identity, if its own key signed it.

import type { Database } from '@svc/contract/database'
import { documentHash, IdentityDocument } from '@svc/contract/identity/identity-document'
import { LineageStatement, lineage_depth_max, verifyLineage } from '@svc/contract/identity/lineage'
import { readDocument } from '@svc/contract/identity/received-document'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, Did, ListOf } from '@svc/contract/schema'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { engine_role, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'
import { Type } from 'typebox'
import { type NodeDefinition, nodeOperation } from './node-server.ts'

export const oas_node_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-40-oas-node',
    // Documents are public and shared, so no tenant owns a row; handlers reach them only through the node.
    sql: `
      CREATE TABLE oas_documents (
        did text PRIMARY KEY,
        version bigint NOT NULL CHECK (version >= 1),
        revoked boolean NOT NULL,
        document_hash text NOT NULL,
        document text NOT NULL CHECK (octet_length(document) <= 65536),
        published_at timestamptz NOT NULL DEFAULT now()
      );
      GRANT SELECT, INSERT, UPDATE ON oas_documents TO ${engine_role};
    `,
  },
]

export function openOasNode(db: Database): NodeDefinition {
  return {
    protocol: 'OAS',
    version: 'v1.0.0',
    operations: {
      resolve: nodeOperation(Closed({ did: Did }), async ({ did }) => {
        const row = await findDocument(db, did)
        return { document: row ? JSON.parse(row.document) : null }
      }),
      verify_lineage: nodeOperation(
        Closed({ did: Did, lineage: Type.Optional(ListOf(LineageStatement, 0, lineage_depth_max)) }),
        async ({ did, lineage }, context) => {
          const statements = lineage ?? (await lineageInDocument(db, did))
          return judgeLineage(db, did, statements, context)
        },
      ),
      publish: nodeOperation(Closed({ document: IdentityDocument }), async ({ document }, context) => {
        await requireGenuine(db, document, context)
        return keepDocument(db, document)
      }),
    },
  }
}

interface DocumentRow {
  readonly version: string
  readonly revoked: boolean
  readonly document_hash: string
  readonly document: string
}

async function findDocument(db: Database, did: string): Promise<DocumentRow | undefined> {
  return sql<DocumentRow>`
    SELECT version, revoked, document_hash, document FROM oas_documents WHERE did = ${did}`.first(db)
}

async function lineageInDocument(db: Database, did: string): Promise<readonly LineageStatement[]> {
  const row = await findDocument(db, did)
  return row ? (JSON.parse(row.document) as IdentityDocument).lineage : []
}

/** An identity revokes itself in its own document. */
async function judgeLineage(
  db: Database,
  did: string,
  statements: readonly LineageStatement[],
  context: InvokeContext,
) {
  const named = [did, ...statements.map(({ parent_did }) => parent_did)]
  const rows = await sql<{ did: string }>`
    SELECT did FROM oas_documents WHERE revoked AND did = ANY(${named}::text[])`.all(db)
  const revoked = new Set(rows.map((row) => row.did))
  return verifyLineage(did, statements, { now: momentOf(context), isRevoked: (other) => revoked.has(other) })
}

/** The calling engine has signed the request, so its clock counts. */
function momentOf(context: InvokeContext): string {
  const { timestamp } = context ?? {}
  if (typeof timestamp === 'string' && !Number.isNaN(Date.parse(timestamp))) return timestamp
  throw refuse('invalid_payload', 'The context has no timestamp; send the InvokeContext of the call.', {
    reason: 'context incomplete',
  })
}

async function requireGenuine(db: Database, document: IdentityDocument, context: InvokeContext) {
  const read = readDocument(document, document.id)
  if (typeof read === 'string') {
    throw refuse('policy_denied', `The document of ${document.id} is refused: ${read}; sign it anew.`, {
      reason: read,
    })
  }
  const stored = await findDocument(db, document.id)
  const before = stored && (JSON.parse(stored.document) as IdentityDocument)
  if (before) requireFollowing(before, document)
  await requireCurrentSigners(db, document, before?.key_events?.length ?? 0)
  // A lineage is optional in a document, but must be valid.
  if (document.lineage.length === 0 || document.revoked) return
  const { verified, broken_at, reason } = await judgeLineage(db, document.id, document.lineage, context)
  if (verified) return
  const why = `lineage broken at depth ${broken_at}: ${reason}`
  throw refuse('policy_denied', `The document of ${document.id} is refused: ${why}.`, { reason: why })
}

/** Whoever recovers does so with the key it has now: the events alone prove only that it once had it. */
async function requireCurrentSigners(
  db: Database,
  document: IdentityDocument,
  stored_count: number,
): Promise<void> {
  const signers = (document.key_events ?? [])
    .slice(stored_count)
    .flatMap(({ signatures }) => signatures.filter(({ did }) => did !== document.id))
  for (const { did, public_key } of signers) {
    const row = await findDocument(db, did)
    const current = row && (JSON.parse(row.document) as IdentityDocument).public_key
    if (current === undefined || current === public_key) continue
    const reason = 'signed with a former key'
    throw refuse(
      'policy_denied',
      `The document of ${document.id} is refused: ${did} ${reason}; sign again.`,
      {
        reason,
      },
    )
  }
}

/** What was seen first counts: whoever has a former key cannot begin another line of keys. */
function requireFollowing({ key_events: stored = [] }: IdentityDocument, document: IdentityDocument): void {
  const first_ones = (document.key_events ?? []).slice(0, stored.length)
  if (canonicalJson(first_ones) === canonicalJson(stored)) return
  const reason = 'key events do not follow those before'
  throw refuse(
    'policy_denied',
    `The document of ${document.id} is refused: ${reason}; sign it with its current key.`,
    {
      reason,
    },
  )
}

/**
 * Engines on the same database are notified of a change. One statement, so that of two publishers of the same version
 * one wins and the other learns it.
 */
async function keepDocument(db: Database, document: IdentityDocument) {
  const { id: did, version, revoked } = document
  const document_hash = documentHash(document)
  const rows = await sql`
    WITH changed AS (
    INSERT INTO oas_documents AS kept (did, version, revoked, document_hash, document)
    SELECT ${did}, ${version}::bigint, ${revoked}, ${document_hash}, ${canonicalJson(document)}
    WHERE ${version}::bigint = 1 OR EXISTS (SELECT FROM oas_documents WHERE did = ${did})
    ON CONFLICT (did) DO UPDATE SET version = EXCLUDED.version, revoked = EXCLUDED.revoked,
      document_hash = EXCLUDED.document_hash, document = EXCLUDED.document, published_at = now()
    WHERE kept.version = EXCLUDED.version - 1 AND NOT kept.revoked
    RETURNING version
    ) SELECT CASE WHEN version > 1 THEN pg_notify('svc_changed', 'identity:' || ${did}) END FROM changed`.all(
    db,
  )
  if (rows.length > 0) return { published: true, version, document_hash }
  const document_row = await findDocument(db, did)
  if (document_row?.document_hash === document_hash) return { published: false, version, document_hash }
  if (document_row?.revoked) {
    throw refuse('policy_denied', `${did} has revoked itself for good; make a new identity.`, {
      reason: 'identity revoked',
    })
  }
  throw refuse(
    'policy_denied',
    `The next version of the document of ${did} is ${Number(document_row?.version ?? 0) + 1}, not ${version}; read it and sign again.`,
    { reason: 'version_conflict' },
  )
}
