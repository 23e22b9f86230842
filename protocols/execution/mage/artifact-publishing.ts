// MAGE publish: turns bytes into an artifact named by their hash, with signed provenance.

import type { OperationContext } from '@svc/contract/operation-context'
import { recordingOperation } from '@svc/contract/protocol'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, OneOf, Ref, Text } from '@svc/contract/schema'
import { Proof } from '@svc/contract/signing/data-integrity'
import { type Static, Type } from 'typebox'
import { proveAsCaller } from '../../truth/opinions/api.ts'
import { requireMember } from './artifact-access.ts'
import { type Measured, measure } from './artifact-bytes.ts'
import { requireSoundCitations } from './artifact-citations.ts'
import { type Published, readPublished } from './artifact-content.ts'
import { license_length_max, readLicense } from './artifact-license.ts'
import { Manifest, manifestOf, Provenance, provenanceOf } from './artifact-provenance.ts'
import {
  Inclusion,
  keepArtifact,
  recordOf,
  type StoredShowing,
  showInAuditLogs,
  withInclusion,
} from './artifact-showing.ts'
import { seeSources } from './artifact-sources.ts'
import {
  type ArtifactRow,
  artifactRef,
  digestIn,
  findArtifact,
  insertArtifact,
  lockArtifact,
  type Shown,
  showArtifact,
  supersedeArtifact,
} from './artifact-store.ts'
import { heldText, lintContent } from './draft-lint.ts'
import { bodyIn, type DraftBody, DraftId, findDraft } from './draft-store.ts'
import { drafted, publication } from './scenes.ts'

const citations_max = 200
const publish_right = 'MAGE.publish'

const ArtifactRef = Type.String({
  pattern: '^mage://artifact/[0-9a-f]{64}$',
  description: 'The sha256 of its bytes.',
})

const PublishInput = Closed({
  draft_id: DraftId,
  version: Type.Integer({
    minimum: 1,
    maximum: 2_147_483_647,
    description: 'Version of the draft to publish.',
  }),
  license: Text(license_length_max, {
    description: 'An SPDX expression such as Apache-2.0, or LicenseRef-<name> for terms of your own.',
  }),
  visibility: Type.Optional(
    Type.Enum(['tenant', 'treaty', 'public'], {
      default: 'tenant',
      description: 'Who may find it in the registry, and fetch it where a treaty lets them call.',
    }),
  ),
  citations: Type.Optional(described(ListOf(Ref, 0, citations_max), 'Sources the artifact relies on.')),
  acknowledge: Type.Optional({
    ...ListOf(Ref, 0, citations_max),
    description: 'Citations that no longer stand and are cited all the same: the artifact says so.',
  } as ReturnType<typeof ListOf<typeof Ref>>),
  supersedes: Type.Optional(ArtifactRef),
  authority: Type.Optional({
    ...Ref,
    description: 'A verdict binding MAGE.publish to the artifact_ref: policies need one.',
  } as typeof Ref),
})
type PublishInput = Static<typeof PublishInput>

const PublishOutput = Closed({
  artifact_ref: ArtifactRef,
  manifest: Manifest,
  provenance: Provenance,
  proof: { ...Proof, description: 'Of the provenance.' } as typeof Proof,
  license: Type.String({ description: 'SPDX expression, as it was understood.' }),
  visibility: described(OneOf('tenant', 'treaty', 'public'), 'Who may find and fetch it.'),
  mars_entry: Type.String({ description: 'Its entry in the registry.' }),
  inclusion: Inclusion,
})
type PublishOutput = Static<typeof PublishOutput>

export const publish = recordingOperation({
  summary: 'Publish a version of a draft as an artifact that never changes, with its provenance signed.',
  effect: 'write',
  level: 'L1',
  meters: ['seconds', 'watts'],
  deadline_ms: 30_000,
  secret_output: true,
  needs: [
    'audit_log',
    'compute',
    'custody',
    'embedder',
    'engine',
    'policies',
    'register',
    'requireAuthority',
    'vault',
  ],
  input: PublishInput,
  output: PublishOutput,
  scene: drafted,
  example: publication,
  handle: publishDraft,
  finish: ({ answer, inclusion }, committed) => ({ ...answer, ...withInclusion(inclusion, committed)! }),
})

type Publishing = OperationContext<
  | 'audit_log'
  | 'compute'
  | 'custody'
  | 'embedder'
  | 'engine'
  | 'policies'
  | 'register'
  | 'requireAuthority'
  | 'vault'
>
type StoredPublication = StoredShowing<PublishOutput>

async function publishDraft(input: PublishInput, context: Publishing): Promise<StoredPublication> {
  requireMember(context)
  const license = requireLicense(input.license)
  const draft = await findDraft(context, input.draft_id, input.version)
  const body = bodyIn(draft)
  const measured = await measure(context, body)
  await lockArtifact(context, measured.digest)
  const standing = await findArtifact(context, measured.digest)
  if (standing) return await publishAgain(input, license, standing, context)
  await requireValid(context, body)
  const { authority, supersedes } = await requireRight(input, body, measured, context)
  const citations = await requireSoundCitations(context, input.citations ?? [], input.acknowledge ?? [])
  const refs = body.inputs ?? []
  const source_of = await seeSources(context, refs)
  const provenance = provenanceOf(context, {
    body,
    digest: measured.digest,
    draft_ref: draft.ref,
    draft_version: draft.version,
    drafted_at: draft.recorded_at.toISOString(),
    drafted_by: draft.author_did,
    license,
    supersedes,
    inputs: refs.map((ref) => source_of.get(ref) ?? { ref }),
    citations,
  })
  const proof = await proveAsCaller(context, provenance)
  const published = { ...body, manifest: manifestOf(body, measured), provenance, proof }
  const cited = citations.map(({ ref }) => ref)
  await keepArtifact(context, published, measured, { draft_ref: draft.ref, supersedes, cited })
  const visibility = input.visibility ?? 'tenant'
  const shown = await showInAuditLogs(context, published, measured, {
    license,
    visibility,
    supersedes,
    authority,
  })
  await insertArtifact(context, {
    digest: measured.digest,
    kind: body.kind,
    license,
    visibility,
    supersedes: supersedes ?? null,
    published_by: context.caller.did,
    published_at: context.now,
    ...shown,
  })
  return await answer(context, measured.digest, published, { license, visibility, ...shown })
}

/** The same bytes are one artifact: only its visibility can change, which its publisher decides. */
async function publishAgain(
  input: PublishInput,
  license: string,
  standing: ArtifactRow,
  context: OperationContext<'register' | 'vault'>,
): Promise<StoredPublication> {
  const { digest } = standing
  const ref = artifactRef(digest)
  const published = await readPublished(context, digest)
  const visibility = input.visibility ?? standing.visibility
  const differs =
    license !== standing.license || (input.supersedes ?? standing.supersedes) !== standing.supersedes
  const may_show = visibility === standing.visibility || standing.published_by === context.caller.did
  if (differs || !may_show)
    throw refuse(
      'invalid_payload',
      `These bytes were published already as ${ref}, under ${standing.license}; use that artifact.`,
      {
        reason: 'already_published',
        artifact_ref: ref,
        license: standing.license,
        published_by: standing.published_by,
      },
    )
  if (visibility === standing.visibility) return await answer(context, digest, published, standing)
  const supersedes = standing.supersedes ?? undefined
  const size = published.manifest.size
  const shown = await showInAuditLogs(
    context,
    published,
    { digest, size },
    { license, visibility, supersedes },
  )
  await showArtifact(context, digest, { visibility, ...shown })
  return await answer(context, digest, published, { license, visibility, ...shown })
}

function requireLicense(text: string): string {
  const read = readLicense(text)
  if ('license' in read) return read.license
  throw refuse('invalid_payload', `The license ${read.fault}; name one of https://spdx.org/licenses.`, {
    reason: 'license',
    path: '/license',
    faults: [{ pointer: '/license', message: read.fault }],
  })
}

async function requireValid(
  context: OperationContext<'compute' | 'policies' | 'vault'>,
  body: DraftBody,
): Promise<void> {
  const lint = await lintContent(context, body, await heldText(context, body))
  const errors = lint.filter(({ severity }) => severity === 'error')
  if (errors.length === 0) return
  throw refuse(
    'policy_denied',
    `The draft is not the ${body.kind} it says it is: ${errors[0]!.message} Revise it first.`,
    { reason: 'draft does not validate', lint: errors },
  )
}

interface Right {
  readonly authority?: string
  readonly supersedes?: string
}

/** Policies bind everybody, so they need authority, as does replacing another publisher's artifact. */
async function requireRight(
  { authority: authority_ref, supersedes }: PublishInput,
  { kind }: DraftBody,
  { digest }: Measured,
  context: OperationContext<'requireAuthority'>,
): Promise<Right> {
  const replaced =
    supersedes === undefined ? undefined : await requireReplaceable(context, supersedes, digest)
  const is_others = replaced !== undefined && replaced.published_by !== context.caller.did
  if (kind !== 'policy' && !is_others) return supersedes === undefined ? {} : { supersedes }
  const authority = await context.requireAuthority(publish_right, artifactRef(digest), authority_ref)
  return { authority, ...(supersedes !== undefined && { supersedes }) }
}

async function requireReplaceable(
  context: OperationContext,
  supersedes: string,
  digest: string,
): Promise<ArtifactRow> {
  const is_first = await supersedeArtifact(context, digestIn(supersedes)!, digest)
  const replaced = await findArtifact(context, digestIn(supersedes)!)
  if (!replaced) throw notFound('artifact', supersedes)
  if (is_first) return replaced
  throw refuse(
    'policy_denied',
    `${supersedes} was superseded by ${artifactRef(replaced.superseded_by!)} already; supersede that one.`,
    { reason: 'artifact is superseded' },
  )
}

async function answer(
  context: OperationContext,
  digest: string,
  { manifest, provenance, proof }: Published,
  row: Shown & Pick<ArtifactRow, 'license' | 'visibility'> & Partial<ArtifactRow>,
): Promise<StoredPublication> {
  const { license, visibility, mars_entry } = row
  const artifact_ref = artifactRef(digest)
  return {
    answer: { artifact_ref, manifest, provenance, proof, license, visibility, mars_entry },
    ...(await recordOf(context, row)),
  }
}
