// Provenance of published bytes: what they are and were made from, as in-toto and SLSA statements.
import type { OperationContext } from '@svc/contract/operation-context'
import { AnyObject, Closed, described, HexHash, ListOf, OneOf } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { type Held, type Measured, piece_bytes_max } from './artifact-bytes.ts'
import type { SeenSource } from './artifact-sources.ts'
import type { DraftBody } from './draft-store.ts'

const layers_max = 256

const Digest = Closed({
  sha256: Type.Optional(described(HexHash, 'sha256 of the bytes, in lower hex.')),
  saltedSha256: Type.Optional(
    Type.String({ ...HexHash, description: 'The commitment made to it when it was kept.' }),
  ),
})
const Resource = Closed({
  uri: Type.String({ description: 'Reference to the source.' }),
  digest: described(Digest, 'Hash or commitment by which it is pinned; empty where it did not resolve.'),
  annotations: Type.Optional(described(AnyObject, 'State and version of the source at publication.')),
})

export const Manifest = Closed(
  {
    mediaType: Type.String({ description: 'Media type of the whole.' }),
    digest: Type.String({ pattern: '^sha256:[0-9a-f]{64}$', description: 'Hash of all bytes.' }),
    size: Type.Integer({ minimum: 0, description: 'Number of bytes.' }),
    layers: described(
      ListOf(
        Closed({
          mediaType: Type.String({ description: 'Media type of the whole.' }),
          size: Type.Integer({ minimum: 0, description: 'Bytes of the piece.' }),
          offset: Type.Integer({ minimum: 0, description: 'Where the piece begins in the whole.' }),
        }),
        1,
        layers_max,
      ),
      'Pieces that the bytes are stored in.',
    ),
  },
  { description: 'The bytes as a whole, and the pieces they are kept in, in their order.' },
)
export type Manifest = Static<typeof Manifest>

export const Provenance = Closed(
  {
    _type: described(OneOf('https://in-toto.io/Statement/v1'), 'Type of statement.'),
    subject: described(
      ListOf(
        Closed({
          name: Type.String({ description: 'Title of the artifact.' }),
          digest: described(Digest, 'Hash of its bytes.'),
        }),
        1,
        1,
      ),
      'The artifact the statement is about.',
    ),
    predicateType: described(
      OneOf('https://slsa.dev/provenance/v1'),
      'What the predicate means: SLSA provenance.',
    ),
    predicate: Closed(
      {
        buildDefinition: Closed(
          {
            buildType: Type.String({ description: 'How to read externalParameters.' }),
            externalParameters: described(AnyObject, 'Kind, license, draft, authors, citations and dissent.'),
            resolvedDependencies: Type.Array(Resource, {
              description: 'The materials: what it was made from.',
            }),
          },
          { description: 'What went into it.' },
        ),
        runDetails: Closed(
          {
            builder: Closed(
              { id: Type.String({ description: 'DID of the engine.' }) },
              { description: 'Who made the statement.' },
            ),
            metadata: Closed(
              {
                invocationId: Type.String({
                  description: 'Correlation id of the call, to be found in the audit log.',
                }),
                startedOn: Type.String({ description: 'When the draft was written, RFC 3339.' }),
                finishedOn: Type.String({ description: 'When it was published, RFC 3339.' }),
              },
              { description: 'The call that published it.' },
            ),
          },
          { description: 'Where and when it was made.' },
        ),
      },
      { description: 'How the artifact was made.' },
    ),
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
