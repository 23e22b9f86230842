// Drafts: versioned content, until a version is published.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, OneOf, Ref, Text, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import {
  keepContent,
  linkContent,
  readContent,
  replaceContent,
  type StoredContent,
} from '../../cognition/content/api.ts'
import { newTimeOrderedId } from '../../cognition/knowledge/api.ts'
import { mayRead } from './artifact-access.ts'
import {
  appendBytes,
  type Held,
  held_fields,
  holdBytes,
  type Measured,
  measure,
  noteHolder,
} from './artifact-bytes.ts'
import { ArtifactKind, MediaType, mediaTypeOf } from './artifact-kind.ts'

export const inputs_max = 200
export const title_length_max = 300
const ref_start = 'mage://draft/'

export const DraftId = described(Uuid, 'Names the draft.')
export const Title = Text(title_length_max)
export const Labels = ListOf(Text(64), 0, 32)
export const Inputs = ListOf(Ref, 0, inputs_max)
export const MadeBy = OneOf('caller', 'template', 'model', 'outline')
export type MadeBy = Static<typeof MadeBy>

/** The body of a version: MAME can edit it, so it is validated on every use. */
const DraftBody = Closed({
  kind: ArtifactKind,
  title: Title,
  media_type: MediaType,
  labels: Type.Optional(Labels),
  inputs: Type.Optional(Inputs),
  made_by: MadeBy,
  model: Type.Optional(Type.String()),
  ...held_fields,
})
export type DraftBody = Static<typeof DraftBody>

export interface DraftTerms {
  readonly kind: ArtifactKind
  readonly title: string
  readonly media_type?: string | undefined
  readonly labels?: readonly string[] | undefined
  readonly inputs?: readonly string[] | undefined
}

export interface NewBytes {
  readonly bytes: Buffer
  readonly made_by: MadeBy
  /** If a model wrote it. */
  readonly model?: string | undefined
}

export interface SavedDraft extends Measured {
  readonly draft_id: string
  readonly ref: string
  readonly version: number
  readonly body: DraftBody
}

function draftRef(draft_id: string): string {
  return ref_start + draft_id
}

/** A new draft, in this operation's transaction. */
export async function saveDraft(
  context: OperationContext<'embedder' | 'vault'>,
  terms: DraftTerms,
  { bytes, made_by, model }: NewBytes,
): Promise<SavedDraft> {
  const draft_id = newTimeOrderedId(context)
  const ref = draftRef(draft_id)
  const holding = await holdBytes(context, bytes)
  const body = bodyOf(terms, { made_by, ...(model !== undefined && { model }) }, holding)
  const { commitment } = await keepContent(context, { ref, kind: 'draft', body })
  return await settle(context, { draft_id, ref, version: 1, body }, holding, commitment)
}

export interface Revision {
  readonly draft_id: string
  readonly expected_version: number
  readonly terms: Partial<DraftTerms>
  /** If absent, the content stays. */
  readonly replaced?: NewBytes | undefined
  /** Whether the bytes are appended instead of replacing the content. */
  readonly append?: boolean | undefined
}

/** The next version of a draft; refused if another caller was faster. */
export async function reviseDraft(
  context: OperationContext<'embedder' | 'vault'>,
  { draft_id, expected_version, terms, replaced, append = false }: Revision,
): Promise<SavedDraft> {
  const ref = draftRef(draft_id)
  const before = await readDraft(context, draft_id, expected_version)
  const holding = !replaced
    ? await measuredAnew(context, before)
    : append
      ? await appendBytes(context, before, replaced.bytes)
      : await holdBytes(context, replaced.bytes)
  const changes = Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined))
  const of_kind = terms.kind !== undefined &&
    terms.kind !== before.kind && { media_type: mediaTypeOf(terms.kind) }
  const writer = append || !replaced ? before : replaced
  const body = bodyOf(
    { ...before, ...of_kind, ...changes },
    { made_by: writer.made_by, ...(writer.model !== undefined && { model: writer.model }) },
    holding,
  )
  const { version, commitment } = await replaceContent(context, { ref, expected_version, body })
  return await settle(context, { draft_id, ref, version, body }, holding, commitment)
}

/** The current version; refused if it is a different one, redacted, or edited into something else. */
export async function readDraft(
  context: OperationContext<'vault'>,
  draft_id: string,
  expected_version: number,
): Promise<DraftBody> {
  const newest = await findDraft(context, draft_id)
  const { ref, version } = newest
  if (version === expected_version) return bodyIn(newest)
  throw refuse(
    'invalid_payload',
    `${ref} is at version ${version}, not ${expected_version}; read it again and repeat the change on that.`,
    { reason: 'version_conflict', current_version: version },
  )
}

export async function findDraft(
  context: OperationContext<'vault'>,
  draft_id: string,
  version?: number,
): Promise<StoredContent> {
  const ref = draftRef(draft_id)
  const content = await readContent(context, ref, version === undefined ? {} : { version })
  if (!content || !mayRead(context, content))
    throw notFound('draft', version === undefined ? ref : `${ref} of version ${version}`)
  return content
}

export function bodyIn({ ref, version, body, reason }: StoredContent): DraftBody {
  if (body === undefined)
    throw refuse('policy_denied', `${ref} was redacted; start another draft.`, {
      reason: 'content is redacted; a draft needs current content',
    })
  if (Value.Check(DraftBody, body)) return reason === undefined ? body : byHand(body)
  throw refuse(
    'policy_denied',
    `Version ${version} of ${ref} was edited so that it is no draft any more; start another.`,
    { reason: 'draft is malformed' },
  )
}

/** Only edits have a reason: an edited version's author is its editor, whatever the edit says. */
function byHand({ model: _, ...body }: DraftBody): DraftBody {
  return { ...body, made_by: 'caller' }
}

function bodyOf(
  { kind, title, media_type = mediaTypeOf(kind), labels, inputs }: DraftTerms,
  made: { made_by: MadeBy; model?: string },
  { content, stored }: Held,
): DraftBody {
  return {
    kind,
    title,
    media_type,
    ...(labels && { labels: [...labels] }),
    ...(inputs && { inputs: [...new Set(inputs)] }),
    ...made,
    ...(stored ? { stored } : { content: content ?? '' }),
  }
}

/** The measures in an edit may be wrong. */
async function measuredAnew(context: OperationContext<'vault'>, { content, stored }: Held): Promise<Held> {
  if (!stored) return content === undefined ? {} : { content }
  return { stored: { pieces: stored.pieces, ...(await measure(context, { stored })) } }
}

async function settle(
  context: OperationContext<'vault'>,
  draft: Omit<SavedDraft, keyof Measured>,
  holding: Held,
  commitment: string,
): Promise<SavedDraft> {
  const { ref, version, body } = draft
  const measured = holding.stored ?? (await measure(context, holding))
  const { digest, size } = measured
  await noteHolder(context, holding, ref, version)
  await linkContent(
    context,
    ref,
    (body.inputs ?? []).map((input) => ({ ref: input })),
    'derived_from',
  )
  context.audit('DraftSaved', {
    draft_ref: ref,
    version,
    commitment,
    kind: body.kind,
    size,
    made_by: body.made_by,
  })
  return { ...draft, digest, size }
}
