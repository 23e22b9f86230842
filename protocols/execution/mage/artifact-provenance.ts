// Provenance of published bytes: what they are and were made from, as in-toto and SLSA statements.
import type { OperationContext } from '@svc/contract/operation-context'
import { AnyObject, Closed, HexHash, ListOf, OneOf } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { type Held, type Measured, piece_bytes_max } from './artifact-bytes.ts'
import type { SeenSource } from './artifact-sources.ts'
import type { DraftBody } from './draft-store.ts'

const layers_max = 256

const Digest = Closed({
  sha256: Type.Optional(HexHash),
  saltedSha256: Type.Optional(
    Type.String({ ...HexHash, description: 'The commitment made to it when it was kept.' }),
  ),
})
const Resource = Closed({
  uri: Type.String(),
  digest: Digest,
  annotations: Type.Optional(AnyObject),
})

export const Manifest = Closed(
  {
    mediaType: Type.String(),
    digest: Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }),
    size: Type.Integer({ minimum: 0 }),
    layers: ListOf(
      Closed({
        mediaType: Type.String(),
        size: Type.Integer({ minimum: 0 }),
        offset: Type.Integer({ minimum: 0 }),
      }),
      1,
      layers_max,
    ),
  },
  { description: 'The bytes as a whole, and the pieces they are kept in, in their order.' },
)
export type Manifest = Static<typeof Manifest>

export const Provenance = Closed(
  {
    _type: OneOf('https://in-toto.io/Statement/v1'),
    subject: ListOf(Closed({ name: Type.String(), digest: Digest }), 1, 1),
    predicateType: OneOf('https://slsa.dev/provenance/v1'),
    predicate: Closed({
      buildDefinition: Closed({
        buildType: Type.String(),
        externalParameters: AnyObject,
        resolvedDependencies: Type.Array(Resource, { description: 'The materials: what it was made from.' }),
      }),
      runDetails: Closed({
        builder: Closed({ id: Type.String() }),
        metadata: Closed({
          invocationId: Type.String(),
          startedOn: Type.String(),
          finishedOn: Type.String(),
        }),
      }),
    }),
  },
  { description: 'in-toto Statement v1 with a SLSA v1 predicate.' },
)
export type Provenance = Static<typeof Provenance>

export function manifestOf({ media_type, stored }: DraftBody & Held, { digest, size }: Measured): Manifest {
  const sizes = stored?.pieces.map((piece) => piece.size) ?? [Math.min(size, piece_bytes_max)]
  let offset = 0
  const layers = (sizes.length > 0 ? sizes : [0]).map((piece) => {
    const layer = { mediaType: media_type, size: piece, offset }
    offset += piece
    return layer
  })
  return { mediaType: media_type, digest: `sha256:${digest}`, size, layers }
}

export interface Made {
  readonly body: DraftBody
  readonly digest: string
  readonly draft_ref: string
  readonly draft_version: number
  readonly drafted_at: string
  readonly drafted_by: string
  readonly license: string
  readonly supersedes?: string | undefined
  readonly inputs: readonly (SeenSource | { readonly ref: string })[]
  readonly citations: readonly SeenSource[]
}

export function provenanceOf(
  {
    engine: { did: engine_did },
    caller,
    now,
    invoke,
  }: Pick<OperationContext<'engine'>, 'engine' | 'caller' | 'now' | 'invoke'>,
  made: Made,
): Provenance {
  const { body, license, supersedes, draft_ref, draft_version, drafted_by, citations } = made
  const against = citations.filter(({ state }) => !isSound(state))
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: body.title, digest: { sha256: made.digest } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'mage://publish/v1',
        externalParameters: {
          kind: body.kind,
          media_type: body.media_type,
          license,
          draft: { ref: draft_ref, version: draft_version },
          drafted_by,
          published_by: caller.did,
          made_by: body.made_by,
          ...(body.model !== undefined && { model: body.model }),
          ...(body.labels && { labels: body.labels }),
          ...(supersedes !== undefined && { supersedes }),
          citations: citations.map(resourceOf),
          ...(against.length > 0 && {
            dissent: against.map(({ ref, state, against: by = [] }) => ({ ref, state, against: by })),
          }),
        },
        resolvedDependencies: made.inputs.map(resourceOf),
      },
      runDetails: {
        builder: { id: engine_did },
        metadata: { invocationId: invoke.correlation_id, startedOn: made.drafted_at, finishedOn: now },
      },
    },
  }
}

/** Can be cited without acknowledgement. */
export function isSound(state: SeenSource['state']): boolean {
  return state === 'valid' || state === 'contested' || state === 'superseded'
}

function resourceOf(source: SeenSource | { readonly ref: string }) {
  if (!('state' in source)) return { uri: source.ref, digest: {}, annotations: { state: 'unresolved' } }
  const { ref, state, version, digest } = source
  return {
    uri: ref,
    digest: { ...digest },
    annotations: { state, ...(version !== undefined && { version }) },
  }
}
