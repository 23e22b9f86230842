// Correcting what is remembered: a new version takes its place, the one before stays readable as what was known then.
import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { AnyObject, Closed, HexHash, ListOf, OneOf, Ref, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { editCell } from './cell-ending.ts'
import { isContentAddressed } from './content-address.ts'
import { type KeptContent, readContent, replaceContent } from './content-store.ts'
import { indexingOf, requireFit } from './content-words.ts'
import { retellAll } from './edited-facts.ts'
import { applyPatch, differencesOf, PatchStep } from './json-patch.ts'
import { replaceTriples } from './knowledge-store.ts'
import { Triple } from './knowledge-triple.ts'

const bytes_max = 256 * 1024
const depth_max = 32
const editable_kinds: ReadonlySet<string> = new Set(['working', 'episodic', 'semantic', 'procedural'])
const draft_form = /(?:^|_)draft$/

export const EditInput = Closed({
  target: Ref,
  expected_version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
  patch: Type.Union([ListOf(PatchStep, 1, 100), AnyObject], {
    description: 'RFC 6902 steps over the payload, or the payload that takes its place.',
  }),
  reason: Text(1_000),
  effective_from: Type.Optional(Timestamp),
  text: Type.Optional(Text(32_768, { description: 'What it is found by; its own words where absent.' })),
  triples: Type.Optional(ListOf(Triple, 0, 100)),
})
type EditInput = Static<typeof EditInput>

export const EditOutput = Closed({
  ref: Ref,
  version: Type.Integer(),
  previous_version: Type.Integer(),
  diff: Type.Array(Closed({ op: OneOf('add', 'remove', 'replace'), path: Type.String() }), {
    description: 'What changed where. What it was and is, the versions say.',
  }),
  content_commitment: HexHash,
  reindexed: Type.Boolean(),
  triples_added: Type.Integer(),
})

export async function edit(input: EditInput, context: OperationContext): Promise<Static<typeof EditOutput>> {
  const { target, expected_version, patch, reason, effective_from, text, triples } = input
  if (effective_from !== undefined && !isMoment(effective_from)) throw noDay()
  const kept = await readContent(context, target)
  if (!kept) throw notFound('content', target)
  requireEditable(kept)
  // Before the steps are tried: what they fail at may be what another change brought.
  if (kept.version !== expected_version) throw conflict(kept, expected_version)
  const body = Array.isArray(patch) ? applyPatch(kept.body, patch) : patch
  requirePayload(body, kept.kind)
  const index = indexingOf(kept.index, body, text)
  const stated = triples ?? (kept.triples && retellAll(kept.triples, kept.body, body))
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
  const about = { confidence, subject_did: kept.subject_did ?? undefined }
  const { added: triples_added } =
    stated && stated !== kept.triples ? await replaceTriples(context, target, stated, about) : { added: 0 }
  context.audit('MemoryEdited', {
    ref: target,
    from: { version: expected_version, commitment: kept.commitment },
    to: { version, commitment },
  })
  return {
    ref: target,
    version,
    previous_version: expected_version,
    diff: differencesOf(kept.body, body).map(({ op, path }) => ({ op, path })),
    content_commitment: commitment,
    reindexed: index !== undefined,
    triples_added,
  }
}

function requireEditable({ ref, kind, status }: KeptContent): void {
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

function conflict({ ref, version }: KeptContent, expected_version: number): Refusal {
  return refuse(
    'invalid_payload',
    `${ref} is at version ${version}, not ${expected_version}; read it again and repeat the change on that.`,
    { reason: 'version_conflict', current_version: version },
  )
}

function requirePayload(body: unknown, kind: string): void {
  const fault =
    typeof body !== 'object' || body === null || Array.isArray(body)
      ? 'must leave an object'
      : kind === 'procedural' && !isProcedure(body)
        ? 'must leave steps or recipe_id, which a procedure needs'
        : undefined
  if (fault !== undefined)
    throw refuse('invalid_payload', `The patch ${fault}; correct it.`, {
      reason: 'patch_failed',
      faults: [{ pointer: '/patch', message: fault }],
    })
  requireFit(body, bytes_max, depth_max, '/patch')
}

function isProcedure({ steps, recipe_id }: { steps?: unknown; recipe_id?: unknown }): boolean {
  return (Array.isArray(steps) && steps.length > 0) || (typeof recipe_id === 'string' && recipe_id !== '')
}

function noDay(): Refusal {
  return refuse('invalid_payload', 'effective_from is no day of the calendar; give a time that exists.', {
    reason: 'bad_time',
    faults: [{ pointer: '/effective_from', message: 'is no day that exists' }],
  })
}
