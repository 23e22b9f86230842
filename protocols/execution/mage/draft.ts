// MAGE draft: creates and revises drafts, version by version, and lints them.
import { computation } from '@svc/contract/needs/computation'
import { answerOf, type Verdict } from '@svc/contract/needs/computation-verdict'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { AnyObject, Closed, described, HexHash, ListOf, Ref, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { textOf } from './artifact-bytes.ts'
import { ArtifactKind, MediaType, mediaTypeOf } from './artifact-kind.ts'
import { seeSources } from './artifact-sources.ts'
import { heldText, Lint, lintContent, lintNames, lintSources, written_by_model } from './draft-lint.ts'
import {
  DraftId,
  type DraftTerms,
  Inputs,
  inputs_max,
  Labels,
  MadeBy,
  type NewBytes,
  readDraft,
  reviseDraft,
  type SavedDraft,
  saveDraft,
  Title,
} from './draft-store.ts'
import { type Rendered, renderAtOnce, template_length_max } from './draft-template.ts'
import type { Filling } from './draft-template-job.ts'
import { writeFromBrief } from './draft-writing.ts'

const text_bytes_max = 1024 * 1024
/** The limit for one request, so that it does not delay others; larger content is appended in pieces. */
const content_length_max = 4 * 1024 * 1024
export const input_bytes_max = 5 * 1024 * 1024
const lints_max = 1_000
export const tokens_default = 20_000
export const deadline_ms = 30_000
const filling_ms_max = 10_000

const filling = computation<Filling, Verdict<Rendered>>(new URL('./draft-template-job.ts', import.meta.url))

export const DraftInput = Closed({
  kind: Type.Optional({
    ...ArtifactKind,
    description: 'Needed for a new draft; a revision keeps what it was.',
  } as typeof ArtifactKind),
  title: Type.Optional({ ...Title, description: 'Needed for a new draft.' } as typeof Title),
  content: Type.Optional(
    Type.String({
      maxLength: content_length_max,
      description: 'The artifact itself: up to 1 MiB of text, or base64. One of content, template and brief.',
    }),
  ),
  encoding: Type.Optional(
    Type.Enum(['utf-8', 'base64'], { default: 'utf-8', description: 'How content is written.' }),
  ),
  append: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'The content comes after that of the version before: so up to 16 MiB are brought in pieces.',
    }),
  ),
  template: Type.Optional(
    Text(template_length_max, { description: 'Mustache without partials, filled from data.' }),
  ),
  data: Type.Optional(described(AnyObject, 'Values for the names in the template.')),
  brief: Type.Optional(
    Text(2_048, {
      description: 'What to write: a model does, or else MARI outlines what is known of it.',
    }),
  ),
  media_type: Type.Optional(MediaType),
  inputs: Type.Optional(described(Inputs, 'What the draft is made from; they become its provenance.')),
  labels: Type.Optional(described(Labels, 'Words to find it by.')),
  draft_id: Type.Optional(DraftId),
  expected_version: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The version that is revised.' }),
  ),
  budget: Type.Optional(
    Closed(
      {
        tokens: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 1_000_000,
            default: tokens_default,
            description: 'Tokens a model may read and write.',
          }),
        ),
        deadline_ms: Type.Optional(
          Type.Integer({
            minimum: 100,
            maximum: deadline_ms,
            default: deadline_ms,
            description: 'Milliseconds after which the call ends with a timeout.',
          }),
        ),
      },
      { description: 'What the call may use at most; absent means the defaults.' },
    ),
  ),
})
export type DraftInput = Static<typeof DraftInput>

export const DraftOutput = Closed({
  draft_id: DraftId,
  ref: described(Ref, 'Names the draft, for citations and fetch.'),
  version: Type.Integer({ minimum: 1, description: 'Version that was made; publish names it.' }),
  content_hash: described(HexHash, 'sha256 of the content, in lower hex.'),
  size: Type.Integer({ minimum: 0, description: 'Bytes of the content.' }),
  media_type: Type.String({ description: 'Media type of the content.' }),
  made_by: described(MadeBy, "Who wrote the content: the caller, a template, a model, or MARI's outline."),
  lint: described(ListOf(Lint, 0, lints_max), 'Problems found in the draft.'),
  usage: Closed(
    {
      tokens_in: Type.Integer({ description: 'Tokens a model read; 0 without a model.' }),
      tokens_out: Type.Integer({ description: 'Tokens a model wrote; 0 without a model.' }),
    },
    { description: 'What a model used.' },
  ),
})

/** The content, and the lints found while writing it. */
interface Made extends NewBytes {
  readonly lint: readonly Lint[]
  readonly sources: readonly string[]
  readonly usage: { readonly tokens_in: number; readonly tokens_out: number }
}

const nothing_used = { tokens_in: 0, tokens_out: 0 }

export async function makeDraft(
  input: DraftInput,
  context: OperationContext<'audit_log' | 'compute' | 'embedder' | 'model' | 'policies' | 'tokens' | 'vault'>,
): Promise<Static<typeof DraftOutput>> {
  refuseOddDraft(input)
  const made = await writeContent(input, context)
  const saved = await keep(input, context, made)
  const { draft_id, ref, version, digest, size, body } = saved
  const refs = body.inputs ?? []
  const whole = input.append ? undefined : made?.bytes
  const lint = [
    ...(made?.lint ?? []),
    ...(await lintContent(context, body, await heldText(context, body, whole))),
    ...lintSources(refs, await seeSources(context, refs)),
  ]
  return {
    draft_id,
    ref,
    version,
    content_hash: digest,
    size,
    media_type: body.media_type,
    made_by: body.made_by,
    lint: lint.slice(0, lints_max),
    usage: made?.usage ?? nothing_used,
  }
}

async function keep(
  input: DraftInput,
  context: OperationContext<'embedder' | 'vault'>,
  made: Made | undefined,
): Promise<SavedDraft> {
  const { draft_id, expected_version, kind, title, media_type, labels, append } = input
  const inputs = inputsOf(input, made)
  const terms = { kind, title, media_type, labels, inputs }
  if (draft_id === undefined) return await saveDraft(context, terms as DraftTerms, made!)
  return await reviseDraft(context, {
    draft_id,
    expected_version: expected_version!,
    terms: terms as Partial<DraftTerms>,
    replaced: made,
    append,
  })
}

function inputsOf({ inputs }: DraftInput, made: Made | undefined): string[] | undefined {
  const sources = made?.sources ?? []
  if (!inputs && sources.length === 0) return undefined
  return [...new Set([...(inputs ?? []), ...sources])].slice(0, inputs_max)
}

/** Undefined if a revision leaves the content unchanged. Uses no rows. */
async function writeContent(
  input: DraftInput,
  context: OperationContext<'compute' | 'model' | 'tokens' | 'vault'>,
): Promise<Made | undefined> {
  const { content, template, data = {}, brief } = input
  if (content !== undefined)
    return { bytes: bytesOf(input, content), made_by: 'caller', lint: [], sources: [], usage: nothing_used }
  if (template === undefined && brief === undefined) return undefined
  const { kind, title, media_type } = await termsOf(input, context)
  if (template !== undefined) {
    const { text, unresolved } = await fill(context, { template, data, media_type })
    const lint = lintNames(unresolved)
    return { bytes: Buffer.from(text), made_by: 'template', lint, sources: [], usage: nothing_used }
  }
  const written = await writeFromBrief(context, { kind, title, media_type, brief: brief! })
  const { text, made_by, model, sources, usage } = written
  const lint = made_by === 'model' ? [written_by_model] : []
  return { bytes: Buffer.from(text), made_by, model, lint, sources, usage }
}

/** A template decides how often its lists are walked, so slow ones are filled on a thread. */
async function fill(context: OperationContext<'compute'>, task: Filling): Promise<Rendered> {
  const { template, data, media_type } = task
  return (
    renderAtOnce(template, data, media_type) ?? answerOf(await context.compute(filling, task, filling_ms_max))
  )
}

/** Omitted terms of a revision stay. A brief must state all: no row is read while a model writes. */
async function termsOf(input: DraftInput, context: OperationContext<'vault'>) {
  const { draft_id, expected_version } = input
  const is_alone = draft_id === undefined || input.brief !== undefined
  const before = is_alone ? undefined : await readDraft(context, draft_id, expected_version!)
  const kind = input.kind ?? before!.kind
  const previous = before?.kind === kind ? before.media_type : undefined
  return {
    kind,
    title: input.title ?? before!.title,
    media_type: input.media_type ?? previous ?? mediaTypeOf(kind),
  }
}

function bytesOf({ encoding = 'utf-8' }: DraftInput, content: string): Buffer {
  const bytes = Buffer.from(content, encoding)
  if (encoding === 'base64' && bytes.toString('base64') !== content)
    throw faulty('encoding', '/content', 'is not base64, with its padding and nothing else')
  if (encoding === 'utf-8' && bytes.length > text_bytes_max)
    throw faulty(
      'too_large',
      '/content',
      `has ${bytes.length} bytes; text may have ${text_bytes_max} at a time`,
    )
  if (encoding === 'utf-8' && textOf(bytes) !== content)
    throw faulty('encoding', '/content', 'has half of a character in it')
  return bytes
}

function refuseOddDraft(input: DraftInput): void {
  const { draft_id, expected_version, content, template, brief, data, encoding, append } = input
  const ways = [content, template, brief].filter((way) => way !== undefined).length
  if (ways > 1)
    throw faulty('one_of', '/content', 'stands beside a template or a brief; give one of the three')
  if (data !== undefined && template === undefined) throw faulty('one_of', '/data', 'is for a template')
  if (content === undefined && (encoding !== undefined || append === true))
    throw faulty('one_of', encoding ? '/encoding' : '/append', 'is for content')
  if (draft_id === undefined) {
    if (expected_version !== undefined) throw faulty('one_of', '/expected_version', 'is for a revision')
    if (append) throw faulty('one_of', '/append', 'is for a revision')
    if (ways === 0) throw faulty('one_of', '/content', 'is needed, or a template, or a brief')
  } else if (expected_version === undefined)
    throw faulty('required', '/expected_version', 'is needed for a revision')
  if (draft_id !== undefined && brief === undefined) return
  for (const field of ['kind', 'title'] as const)
    if (input[field] === undefined)
      throw faulty('required', `/${field}`, 'is needed for a new draft or a brief')
}

function faulty(reason: string, pointer: string, message: string) {
  return refuse('invalid_payload', `${pointer.slice(1)} ${message}; correct it.`, {
    reason,
    path: pointer,
    faults: [{ pointer, message }],
  })
}
