// An artifact becomes known: kept as content, found by what it rests on, entered in the registry and recorded in the book.
import { newestCheckpoint } from '@svc/audit/records'
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, HexHash } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { linkContent } from '../cognition/content-link.ts'
import { keepContent } from '../cognition/content-store.ts'
import { type Measured, noteHolder } from './artifact-bytes.ts'
import { indexingOf, type Published } from './artifact-content.ts'
import { type ArtifactRow, artifactRef } from './artifact-store.ts'
import type { DraftBody } from './draft-store.ts'

export const Inclusion = Closed(
  { record_hash: HexHash, tree_size: Type.Integer({ minimum: 1 }) },
  { description: 'The record of the publication, and a signed tree it stands in.' },
)

interface Linked {
  readonly draft_ref: string
  readonly supersedes?: string | undefined
  readonly cited: readonly string[]
}

export async function keepArtifact(
  context: OperationContext,
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
  // Whoever redacts the artifact learns that the same bytes stand in the draft.
  await linkContent(context, draft_ref, named([ref]), 'published_as')
}

interface Shown {
  readonly license: string
  readonly visibility: ArtifactRow['visibility']
  readonly supersedes?: string | undefined
  readonly authority?: string | undefined
}

/** Entry and record say what it is, and no word of it. The record comes last: only the commit can still fail after it. */
export async function showInBooks(
  context: OperationContext,
  { kind, media_type }: DraftBody,
  { digest, size }: Measured,
  { license, visibility, supersedes, authority }: Shown,
): Promise<Pick<ArtifactRow, 'mars_entry' | 'record_hash'>> {
  const artifact_ref = artifactRef(digest)
  const facts = { kind, media_type, size, license, ...(supersedes !== undefined && { supersedes }) }
  const content = { artifact_ref, digest: `sha256:${digest}`, ...facts, published_by: context.caller.did }
  const mars_entry = await context.register({ kind: 'artifact', subject: artifact_ref, visibility, content })
  const { record_hash } = await context.book.append({
    event_type: 'ArtifactPublished',
    outcome: 'success',
    meta: { artifact_ref, ...facts, visibility, mars_entry, ...(authority !== undefined && { authority }) },
  })
  return { mars_entry, record_hash }
}

/** The signed tree is as large as it is now, which is large enough for what stands in it. */
export async function inclusionOf(
  { db, tenant_id }: Pick<OperationContext, 'db' | 'tenant_id'>,
  record_hash: string,
): Promise<Static<typeof Inclusion>> {
  const newest = await newestCheckpoint(db, tenant_id)
  return { record_hash, tree_size: newest!.size }
}
