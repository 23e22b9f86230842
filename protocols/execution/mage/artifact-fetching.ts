// MAGE fetch, our own operation: reads drafts and artifacts, in parts if they are large.

import type { OperationContext } from '@svc/contract/operation-context'
import { recordingOperation } from '@svc/contract/protocol'
import { notFound } from '@svc/contract/refusal'
import { Closed, described, HexHash, OneOf, Ref, Timestamp } from '@svc/contract/schema'
import { Proof } from '@svc/contract/signing/data-integrity'
import { type Static, Type } from 'typebox'
import { isForeign } from './artifact-access.ts'
import { bytes_max, type Measured, measure, readBytes, textOf } from './artifact-bytes.ts'
import { readPublished } from './artifact-content.ts'
import { ArtifactKind } from './artifact-kind.ts'
import { Manifest, Provenance } from './artifact-provenance.ts'
import { Inclusion, recordOf, type StoredShowing, withInclusion } from './artifact-showing.ts'
import { artifactRef, digestIn, findArtifact } from './artifact-store.ts'
import { bodyIn, type DraftBody, findDraft, Inputs, Labels, MadeBy } from './draft-store.ts'
import { artifact_ref, published } from './scenes.ts'

const length_default = 1024 * 1024
const length_max = 4 * 1024 * 1024

const FetchInput = Closed({
  ref: Type.String({
    pattern: '^mage://(artifact/[0-9a-f]{64}|draft/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$',
    description: 'An artifact, or a draft of your own organization.',
  }),
  version: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Of a draft; the newest where absent.' }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: bytes_max,
      default: 0,
      description: 'First byte to return; next_offset of the part before.',
    }),
  ),
  length: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: length_max,
      default: length_default,
      description: 'In bytes; 0 returns the metadata alone.',
    }),
  ),
})
type FetchInput = Static<typeof FetchInput>

const FetchOutput = Closed({
  ref: described(Ref, 'What was read.'),
  kind: described(ArtifactKind, 'What the bytes are.'),
  title: Type.String({ description: 'Title for people.' }),
  media_type: Type.String({ description: 'Media type of the whole.' }),
  labels: Type.Optional(described(Labels, 'Words to find it by.')),
  inputs: Type.Optional(described(Inputs, 'What it was made from.')),
  made_by: described(MadeBy, "Who wrote the bytes: the caller, a template, a model, or MARI's outline."),
  size: Type.Integer({ minimum: 0, description: 'Bytes of the whole.' }),
  content_hash: described(HexHash, 'sha256 of the whole content, in lower hex.'),
  content: Type.String({ description: 'The bytes asked for.' }),
  encoding: {
    ...OneOf('utf-8', 'base64'),
    description: 'base64 where these bytes are no text.',
  } as ReturnType<typeof OneOf<'utf-8' | 'base64'>>,
  offset: Type.Integer({ minimum: 0, description: 'First byte returned.' }),
  next_offset: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
    description: 'Where to go on; null at the end.',
  }),
  version: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Version of the draft; absent for artifacts.' }),
  ),
  license: Type.Optional(
    Type.String({ description: 'SPDX expression it was published under; absent for drafts.' }),
  ),
  visibility: Type.Optional(
    described(OneOf('tenant', 'treaty', 'public'), 'Who may find and fetch it; absent for drafts.'),
  ),
  published_by: Type.Optional(Type.String({ description: 'DID of the publisher; absent for drafts.' })),
  published_at: Type.Optional(described(Timestamp, 'When it was published; absent for drafts.')),
  supersedes: Type.Optional(described(Ref, 'Artifact it replaces.')),
  superseded_by: Type.Optional(described(Ref, 'Artifact that replaces it.')),
  manifest: Type.Optional(Manifest),
  provenance: Type.Optional(Provenance),
  proof: Type.Optional(Proof),
  mars_entry: Type.Optional(Type.String({ description: 'Its entry in the registry; absent for drafts.' })),
  inclusion: Type.Optional(Inclusion),
})
type FetchOutput = Static<typeof FetchOutput>

export const fetch = recordingOperation({
  summary: 'Read a draft or an artifact: its bytes, and for what is published its manifest and provenance.',
  effect: 'read',
  reveals: true,
  level: 'L0',
  meters: ['seconds'],
  deadline_ms: 30_000,
  needs: ['vault'],
  input: FetchInput,
  output: FetchOutput,
  scene: published,
  example: { ref: artifact_ref },
  handle: fetchContent,
  finish: ({ answer, inclusion }, committed) => ({ ...answer, ...withInclusion(inclusion, committed) }),
})

type StoredContent = StoredShowing<FetchOutput>

async function fetchContent(input: FetchInput, context: OperationContext<'vault'>): Promise<StoredContent> {
  const digest = digestIn(input.ref)
  return digest === undefined ? await fetchDraft(input, context) : await fetchArtifact(input, digest, context)
}

async function fetchDraft(input: FetchInput, context: OperationContext<'vault'>): Promise<StoredContent> {
  const draft = await findDraft(context, input.ref.slice('mage://draft/'.length), input.version)
  const body = bodyIn(draft)
  const measured = await measure(context, body)
  return { answer: { ...(await partOf(input, body, measured, context)), version: draft.version } }
}

/** For a foreign caller, hidden artifacts answer like missing ones. */
async function fetchArtifact(
  input: FetchInput,
  digest: string,
  context: OperationContext<'vault'>,
): Promise<StoredContent> {
  const row = await findArtifact(context, digest)
  if (!row || (row.visibility === 'tenant' && isForeign(context)) || input.version !== undefined)
    throw notFound('artifact', input.ref)
  const published = await readPublished(context, digest)
  const { manifest, provenance, proof } = published
  const { license, visibility, published_by, published_at, supersedes, superseded_by, mars_entry } = row
  const answer = {
    ...(await partOf(input, published, { digest, size: manifest.size }, context)),
    license,
    visibility,
    published_by,
    published_at: published_at.toISOString(),
    ...(supersedes !== null && { supersedes }),
    ...(superseded_by !== null && { superseded_by: artifactRef(superseded_by) }),
    manifest,
    provenance,
    proof,
    mars_entry,
  }
  return { answer, ...(await recordOf(context, row)) }
}

async function partOf(
  { ref, offset = 0, length = length_default }: FetchInput,
  body: DraftBody,
  { digest, size }: Measured,
  context: OperationContext<'vault'>,
) {
  const bytes = await readBytes(context, body, offset, offset + length)
  // As JSON text, each NUL would take six times its size.
  const text = bytes.includes(0) ? undefined : textOf(bytes)
  const end = offset + bytes.length
  const { kind, title, media_type, labels, inputs, made_by } = body
  return {
    ref,
    kind,
    title,
    media_type,
    ...(labels && { labels }),
    ...(inputs && { inputs }),
    made_by,
    size,
    content_hash: digest,
    content: text ?? bytes.toString('base64'),
    encoding: text === undefined ? ('base64' as const) : ('utf-8' as const),
    offset,
    next_offset: end < size ? end : null,
  }
}
