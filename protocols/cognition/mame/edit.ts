// Edits a memory: a new version replaces it, and the previous one stays readable as history.

import { isMoment } from '@svc/contract/moment'
import { computation } from '@svc/contract/needs/computation'
import { answerOf, type Verdict } from '@svc/contract/needs/computation-verdict'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import {
  AnyObject,
  Closed,
  described,
  HexHash,
  ListOf,
  OneOf,
  Ref,
  Text,
  Timestamp,
} from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { requireAuthor } from '../cells/api.ts'
import {
  isContentAddressed,
  readContent,
  replaceContent,
  type StoredContent,
  Triple,
} from '../content/api.ts'
import { replaceTriples } from '../knowledge/api.ts'
import { editCell } from './cell-ending.ts'
import { indexingOf } from './content-words.ts'
import { compute, type Edit, type Edited } from './edit-job.ts'
import { bytesOf, PatchStep } from './json-patch.ts'

/** Bytes of content and patch, times the steps: a millisecond or two. */
const work_here_max = 256 * 1024
const editing_ms_max = 8_000
const editable_kinds: ReadonlySet<string> = new Set(['working', 'episodic', 'semantic', 'procedural'])
const draft_form = /(?:^|_)draft$/
const job = computation<Edit, Verdict<Edited>>(new URL('./edit-job.ts', import.meta.url))

export const EditInput = Closed({
  target: described(Ref, 'Memory or draft to change; claims and artifacts are immutable.'),
  expected_version: Type.Integer({
    minimum: 1,
    maximum: 2_147_483_647,
    description: 'Version you read; the edit is refused if it has changed since.',
  }),
  patch: Type.Union([ListOf(PatchStep, 1, 100), AnyObject], {
    description: 'RFC 6902 steps for the payload, or a payload that replaces it.',
  }),
  reason: Text(1_000, { description: 'Why it is changed, stored with the new version.' }),
  effective_from: Type.Optional(described(Timestamp, 'From when the new content holds; default now.')),
  text: Type.Optional(Text(32_768, { description: 'Text to search by; default: its own texts.' })),
  triples: Type.Optional(
    described(
      ListOf(Triple, 0, 100),
      'Facts that replace those drawn from it. Default: the old ones, changed as the content was.',
    ),
  ),
})
type EditInput = Static<typeof EditInput>

export const EditOutput = Closed({
  ref: described(Ref, 'The content that was changed.'),
  version: Type.Integer({ description: 'Its new version.' }),
  previous_version: Type.Integer({ description: 'Version before the edit; it stays readable.' }),
  diff: Type.Array(
    Closed({
      op: described(OneOf('add', 'remove', 'replace'), 'What happened at the path.'),
      path: Type.String({ description: 'JSON pointer to the change.' }),
    }),
    {
      description: 'The changed paths; the versions hold the values.',
    },
  ),
  content_commitment: described(HexHash, 'Hash that commits to the new content without showing it.'),
  reindexed: Type.Boolean({ description: 'Search finds the new content.' }),
  triples_added: Type.Integer({ description: 'Facts taken from the new content.' }),
})

export async function edit(
  input: EditInput,
  context: OperationContext<'compute' | 'embedder' | 'vault'>,
): Promise<Static<typeof EditOutput>> {
  const { target, expected_version, patch, reason, effective_from, text, triples } = input
  if (effective_from !== undefined && !isMoment(effective_from)) throw noDay()
  const content = await readContent(context, target)
  if (!content) throw notFound('content', target)
  requireEditable(content)
  requireAuthor(content, context.caller)
  // Checked before the steps, which may fail because of another change.
  if (content.version !== expected_version) throw conflict(content, expected_version)
  const { kind, body: before } = content
  const changed = await change(context, {
    before,
    kind,
    patch,
    triples: triples ? undefined : content.triples,
  })
  const { body, diff } = changed
  const index = indexingOf(content.index, body, text ?? changed.text)
  const stated = triples ?? changed.triples ?? content.triples
  const { version, commitment } = await replaceContent(context, {
    ref: target,
    expected_version,
    body,
    ...(index && { index }),
    reason,
    triples: stated,
    valid_from: effective_from,
  })
  const confidence = await editCell(context, target)
  const about = { confidence, subject_did: content.subject_did ?? undefined }
  const { added: triples_added } =
    stated && stated !== content.triples && content.readers === null
      ? await replaceTriples(context, target, stated, about)
      : { added: 0 }
  context.audit('MemoryEdited', {
    ref: target,
    from: { version: expected_version, commitment: content.commitment },
    to: { version, commitment },
  })
  return {
    ref: target,
    version,
    previous_version: expected_version,
    diff: [...diff],
    content_commitment: commitment,
    reindexed: index !== undefined,
    triples_added,
  }
}

/** Applies the steps and derives the changed facts: small edits here, large ones in a worker thread. */
async function change(context: OperationContext<'compute'>, task: Edit): Promise<Edited> {
  const { before, patch, triples = [] } = task
  const rounds = 1 + (Array.isArray(patch) ? patch.length : 1) + triples.length
  const work = (bytesOf(before) + bytesOf(patch)) * rounds
  return answerOf(work > work_here_max ? await context.compute(job, task, editing_ms_max) : compute(task))
}

function requireEditable({ ref, kind, status }: StoredContent): void {
  if (isContentAddressed(ref) || !(editable_kinds.has(kind) || draft_form.test(kind)))
    throw refuse(
      'policy_denied',
      `${ref} is a ${kind}, which never changes; publish one that supersedes it.`,
      {
        reason: 'immutable record; publish a superseding one',
      },
    )
  if (status === 'redacted')
    throw refuse('policy_denied', `${ref} was redacted; it has no content to change.`, {
      reason: 'content is redacted; a change needs current content',
    })
}

function conflict({ ref, version }: StoredContent, expected_version: number): Refusal {
  return refuse(
    'invalid_payload',
    `${ref} is at version ${version}, not ${expected_version}; read the current version and repeat the change.`,
    { reason: 'version_conflict', current_version: version },
  )
}

function noDay(): Refusal {
  return refuse('invalid_payload', 'effective_from is not a valid date; give a time that exists.', {
    reason: 'bad_time',
    faults: [{ pointer: '/effective_from', message: 'is no day that exists' }],
  })
}
