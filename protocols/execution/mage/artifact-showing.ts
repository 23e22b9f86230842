// Publishes an artifact: stored as content, linked to its sources, registered and recorded in the audit log.
import { newestCheckpoint } from '@svc/audit/query/records'
import type { PlacedRecord } from '@svc/contract/audit/audit-event'
import type { OperationContext } from '@svc/contract/operation-context'
import type { Stored } from '@svc/contract/protocol'
import { Closed, described, HexHash } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { keepContent, linkContent } from '../../cognition/content/api.ts'
import { type Measured, noteHolder } from './artifact-bytes.ts'
import { indexingOf, type Published } from './artifact-content.ts'
import { type ArtifactRow, artifactRef, type Shown } from './artifact-store.ts'
import type { DraftBody } from './draft-store.ts'

export const Inclusion = Closed(
  {
    record_hash: described(HexHash, 'Hash of the record of the publication.'),
    tree_size: Type.Integer({ minimum: 1, description: 'Records in the signed tree.' }),
  },
  { description: 'The record of the publication, and a signed tree it stands in.' },
)

interface Linked {
  readonly draft_ref: string
  readonly supersedes?: string | undefined
  readonly cited: readonly string[]
}

export async function keepArtifact(
  context: OperationContext<'embedder' | 'vault'>,
  published: Published,
  { digest }: Measured,
  { draft_ref, supersedes, cited }: Linked,
): Promise<void> {
  const ref = artifactRef(digest)
  const index = await indexingOf(context, published)
  await keepContent(context, { ref, kind: 'artifact', body: published, index })
  await noteHolder(context, published, ref, 1, draft_ref)
  const named = (refs: readonly string[]) => refs.map((one) => ({ ref: one }))
  await linkContent(context, ref, named([draft_ref, ...(published.inputs ?? [])]), 'derived_from')
  await linkContent(context, ref, named(cited), 'cites')
  await linkContent(context, ref, named(supersedes === undefined ? [] : [supersedes]), 'supersedes')
  // Shows whoever redacts the artifact that the draft has the same bytes.
  await linkContent(context, draft_ref, named([ref]), 'published_as')
}

interface Showing {
  readonly license: string
  readonly visibility: ArtifactRow['visibility']
  readonly supersedes?: string | undefined
  readonly authority?: string | undefined
}

/** Entry and record describe it without its content. */
export async function showInAuditLogs(
  context: OperationContext<'register'>,
  { kind, media_type }: DraftBody,
  { digest, size }: Measured,
  { license, visibility, supersedes, authority }: Showing,
): Promise<Shown> {
  const artifact_ref = artifactRef(digest)
  const facts = { kind, media_type, size, license, ...(supersedes !== undefined && { supersedes }) }
  const content = { artifact_ref, digest: `sha256:${digest}`, ...facts, published_by: context.caller.did }
  const mars_entry = await context.register({ kind: 'artifact', subject: artifact_ref, visibility, content })
  const meta = { artifact_ref, ...facts, visibility, mars_entry, authority }
  const { record_id, correlation_id } = context.audit('ArtifactPublished', meta)
  return { mars_entry, record_id, correlation_id }
}

type Inclusion = Static<typeof Inclusion>

/** An answer with the position of the publication's record, as far as it is known yet. */
export interface StoredShowing<Answer> extends Stored {
  readonly answer: Omit<Answer, 'inclusion'>
  readonly inclusion?: Inclusion | undefined
}

export async function recordOf(
  { db, tenant_id }: Pick<OperationContext, 'db' | 'tenant_id'>,
  { record_id, correlation_id, record_hash }: Omit<Shown, 'mars_entry'> & Partial<ArtifactRow>,
): Promise<Omit<StoredShowing<unknown>, 'answer'>> {
  if (record_id !== null && correlation_id !== null)
    return { pending: { tenant_id, record_id, correlation_id } }
  const newest = await newestCheckpoint(db, tenant_id)
  return { inclusion: { record_hash: record_hash!, tree_size: newest!.size } }
}

export function withInclusion(
  inclusion: Inclusion | undefined,
  committed: PlacedRecord | undefined,
): { readonly inclusion: Inclusion } | undefined {
  if (!committed) return inclusion && { inclusion }
  return { inclusion: { record_hash: committed.record.record_hash, tree_size: committed.tree_size } }
}
