// MAGE diff, our own operation: what changed between two versions of a draft, or between two artifacts.
import { computation } from '@svc/contract/needs/computation'
import type { OperationContext } from '@svc/contract/operation-context'
import { operation } from '@svc/contract/protocol'
import { notFound, Refusal } from '@svc/contract/refusal'
import { Closed, described, HexHash, ListOf, OneOf, Ref } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { isForeign } from './artifact-access.ts'
import { type Held, type Measured, measure, readBytes, textOf } from './artifact-bytes.ts'
import { readPublished } from './artifact-content.ts'
import { isJson } from './artifact-kind.ts'
import { digestIn, findArtifact } from './artifact-store.ts'
import type { Compared, Comparison } from './diff-job.ts'
import { bodyIn, findDraft } from './draft-store.ts'
import { revised, versions_compared } from './scenes.ts'

const draft_start = 'mage://draft/'
/** Larger contents are compared by their size and hash alone. */
const compared_bytes_max = 2 * 1024 * 1024
const comparing_ms_max = 10_000
const bytes_default = 256 * 1024
const bytes_max = 1024 * 1024
const changes_max = 2_000

const comparing = computation<Compared, Comparison>(new URL('./diff-job.ts', import.meta.url))

const ContentRef = Type.String({
  pattern: '^mage://(artifact/[0-9a-f]{64}|draft/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$',
  description: 'An artifact, or a draft of your own organization.',
})
const Version = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'Of a draft; the newest where absent.',
})
const Side = Closed({ ref: ContentRef, version: Type.Optional(Version) })
type Side = Static<typeof Side>

const DiffInput = Closed({
  from: described(Side, 'What it was before.'),
  to: described(Side, 'What it is compared to.'),
  bytes_max: Type.Optional(
    Type.Integer({
      minimum: 1_024,
      maximum: bytes_max,
      default: bytes_default,
      description: 'Size of the answer at most, in bytes; beyond it changes are left out, and cut says so.',
    }),
  ),
})
type DiffInput = Static<typeof DiffInput>

const ComparedSide = (description: string) =>
  Closed(
    {
      ref: described(Ref, 'What was read.'),
      version: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Of the draft; absent for artifacts.' }),
      ),
      media_type: Type.String({ description: 'Media type of the whole.' }),
      size: Type.Integer({ minimum: 0, description: 'Bytes of the whole.' }),
      content_hash: described(HexHash, 'sha256 of the whole content, in lower hex.'),
    },
    { description },
  )

const DiffOutput = Closed({
  from: ComparedSide('What it was before.'),
  to: ComparedSide('What it was compared to.'),
  same: Type.Boolean({ description: 'Whether both have the same bytes.' }),
  format: described(
    OneOf('text', 'json', 'bytes'),
    'text: unified shows the changed lines, also of JSON nested more than 100 levels deep. json: changes lists the changed ' +
      'paths. bytes: sizes and hashes are all that is told.',
  ),
  unified: Type.Optional(
    Type.String({
      description: 'Unified diff of the lines, with 3 around each change; absent for JSON and bytes.',
    }),
  ),
  changes: Type.Optional(
    described(
      ListOf(
        Closed({
          path: Type.String({ description: 'JSON pointer of what changed; empty for the whole.' }),
          change: described(OneOf('added', 'removed', 'changed'), 'What happened to it.'),
          from: Type.Optional(Type.Unknown({ description: 'Value before; absent if it was added.' })),
          to: Type.Optional(Type.Unknown({ description: 'Value after; absent if it was removed.' })),
        }),
        0,
        changes_max,
      ),
      'Changes of JSON, lists compared place by place; absent for text and bytes.',
    ),
  ),
  cut: Type.Boolean({
    description:
      'Whether changes are left out: there are more than the answer may hold, or than can be compared within 10 seconds and the memory of a worker.',
  }),
})
type DiffOutput = Static<typeof DiffOutput>

export const diff = operation({
  summary: 'Compare two versions of a draft, or two artifacts: changed lines of text, changed paths of JSON.',
  effect: 'read',
  reveals: true,
  level: 'L0',
  meters: ['seconds'],
  deadline_ms: 30_000,
  needs: ['compute', 'vault'],
  input: DiffInput,
  output: DiffOutput,
  scene: revised,
  example: versions_compared,
  handle: compareContents,
})

interface ReadSide {
  readonly told: DiffOutput['from']
  readonly body: Held
}

async function compareContents(
  input: DiffInput,
  context: OperationContext<'compute' | 'vault'>,
): Promise<DiffOutput> {
  const [from, to] = [await readSide(input.from, context), await readSide(input.to, context)]
  const same = from.told.content_hash === to.told.content_hash
  const sides = { from: from.told, to: to.told, same }
  const is_large = from.told.size > compared_bytes_max || to.told.size > compared_bytes_max
  if (same || is_large) return { ...sides, format: 'bytes', cut: !same }
  const [before, after] = [await readText(from, context), await readText(to, context)]
  if (before === undefined || after === undefined) return { ...sides, format: 'bytes', cut: false }
  const compared: Compared = {
    format: isJson(from.told.media_type) && isJson(to.told.media_type) ? 'json' : 'text',
    from: before,
    to: after,
    names: [nameOf(from), nameOf(to)],
    bytes_max: input.bytes_max ?? bytes_default,
    changes_max,
  }
  const comparison = await compare(compared, context)
  return { ...sides, ...comparison } as DiffOutput
}

/** Who may not fetch a side learns nothing of it here either. */
async function readSide({ ref, version }: Side, context: OperationContext<'vault'>): Promise<ReadSide> {
  const digest = digestIn(ref)
  if (digest === undefined) {
    const draft = await findDraft(context, ref.slice(draft_start.length), version)
    const body = bodyIn(draft)
    return { body, told: tellSide(ref, body.media_type, await measure(context, body), draft.version) }
  }
  const row = await findArtifact(context, digest)
  if (!row || (row.visibility === 'tenant' && isForeign(context)) || version !== undefined)
    throw notFound('artifact', ref)
  const published = await readPublished(context, digest)
  const measured = { digest, size: published.manifest.size }
  return { body: published, told: tellSide(ref, published.media_type, measured) }
}

function tellSide(
  ref: string,
  media_type: string,
  { digest, size }: Measured,
  version?: number,
): ReadSide['told'] {
  return { ref, ...(version !== undefined && { version }), media_type, size, content_hash: digest }
}

async function readText({ body }: ReadSide, context: OperationContext<'vault'>): Promise<string | undefined> {
  const bytes = await readBytes(context, body, 0, compared_bytes_max)
  return bytes.includes(0) ? undefined : textOf(bytes)
}

function nameOf({ told: { ref, version } }: ReadSide): string {
  return version === undefined ? ref : `${ref}@${version}`
}

const too_much = ['compute deadline', 'memory limit']

/** Contents that take too much time or memory to compare are told by size and hash, as those that have little in common. */
async function compare(compared: Compared, context: OperationContext<'compute'>): Promise<Comparison> {
  try {
    return await context.compute(comparing, compared, comparing_ms_max)
  } catch (error) {
    const is_too_much = error instanceof Refusal && too_much.includes(String(error.details.reason))
    if (is_too_much) return { format: 'bytes', cut: true }
    throw error
  }
}
