// Redaction: content becomes permanently unreadable, and its proofs stay valid.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, Did, described, HexHash, ListOf, OneOf, Ref, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import {
  amongAll,
  type ContentVersion,
  contentsAbout,
  dependentsOf,
  destroyVersions,
  isContentAddressed,
  keepContent,
  lockVersions,
  readContent,
  replaceContent,
  requireNoHold,
  tombstonesOf,
  withdrawFromIndex,
} from '../content/api.ts'
import { factsOf, forgetFacts } from '../knowledge/api.ts'
import { endCells } from './cell-ending.ts'
import { indexingOf } from './content-words.ts'
import { Pointer, withoutPointers } from './json-patch.ts'

const refs_at_once_max = 1_000
const tombstones_told_max = 1_000
const dependents_told_max = 1_000
const in_backups =
  'Backups made before hold sealed content only; keep the key table out of them, as it is by default.'

export const RedactInput = Closed({
  target: Type.Optional(described(Ref, 'Content to redact; needed for the scopes record and fields.')),
  scope: Type.Optional(
    described(
      OneOf('record', 'fields', 'subject'),
      'record (default): all of it; fields: json_pointers only; subject: all about a person.',
    ),
  ),
  json_pointers: Type.Optional(
    described(ListOf(Pointer, 1, 100), 'Fields to redact; only with scope fields.'),
  ),
  subject_did: Type.Optional(described(Did, 'Whom the content is about; needed with scope subject.')),
  reason: described(
    OneOf('erasure_request', 'legal', 'security', 'error', 'other'),
    'Why it is redacted; recorded for ever.',
  ),
  note: Type.Optional(Text(2_000, { description: 'Explanation, stored with the redaction.' })),
  authority: Type.Optional(
    described(Ref, 'Charter decision that allows it; needed for content of other authors.'),
  ),
  legal_basis: Type.Optional(Text(500, { description: 'Law or contract clause that requires it.' })),
})
type RedactInput = Static<typeof RedactInput>

export const RedactOutput = Closed({
  redaction_ref: described(Ref, 'Names this redaction.'),
  records_affected: Type.Integer({ minimum: 0, description: 'Records of which something was destroyed.' }),
  keys_destroyed: Type.Integer({ minimum: 0, description: 'Encryption keys that were destroyed.' }),
  index_entries_removed: Type.Integer({
    minimum: 0,
    description: 'Entries taken out of the search and fact indexes.',
  }),
  inputs_forgotten: Type.Integer({
    minimum: 0,
    description: 'Retained inputs removed now; those not yet in the audit log are removed later.',
  }),
  tombstones: described(
    ListOf(
      Closed({
        ref: described(Ref, 'Content that was redacted.'),
        version: Type.Integer({ description: 'Version that was redacted.' }),
        commitment: described(HexHash, 'Hash that was recorded for the content, without showing it.'),
        redacted_at: described(Timestamp, 'When it was redacted.'),
      }),
      0,
      tombstones_told_max,
    ),
    'What is left of each version: proof that it existed.',
  ),
  dependents: described(
    ListOf(
      Closed({
        ref: Type.String({ description: 'What cites it.' }),
        kind: Type.String({ description: 'How it depends on the content, such as cites.' }),
      }),
      0,
      dependents_told_max,
    ),
    'Things that cite the content; check whether they still hold.',
  ),
  version: Type.Optional(
    Type.Integer({ description: 'Version of the remainder, if only fields were redacted.' }),
  ),
  complete: Type.Boolean({ description: 'False if there is more about this person: call again.' }),
  authority: Type.Optional(described(Ref, "Charter decision that was used; absent for one's own content.")),
  backups: Type.String({ description: 'What this means for backups made before.' }),
})

interface Destroyed {
  readonly versions: readonly ContentVersion[]
  readonly keys_destroyed: number
  readonly inputs_forgotten: number
  readonly index_entries_removed: number
  readonly version?: number
}

type Redacting = OperationContext<'audit_log' | 'embedder' | 'requireAuthority' | 'vault'>

/** Erasure reaches what the caller may not read; everything else does not know that it exists. */
export async function redact(input: RedactInput, context: Redacting): Promise<Static<typeof RedactOutput>> {
  const is_beyond = input.authority !== undefined || input.scope === 'subject'
  return is_beyond
    ? await amongAll(context, () => redactAll(input, context))
    : await redactAll(input, context)
}

async function redactAll(input: RedactInput, context: Redacting): Promise<Static<typeof RedactOutput>> {
  const { scope = 'record', reason } = input
  requireScope(input, scope)
  // Inputs of calls just answered must be in the audit log, to be removed with the rest.
  await context.audit_log.settled()
  const { chosen, refs, complete } = await refsOf(input, scope, context)
  await requireNoHold(context, refs)
  const versions = await lockVersions(context, refs)
  const written = versions.filter(({ ref }) => chosen.includes(ref))
  const authority = await requireRight(input, scope, written, context)
  const order = { redaction_id: context.newId(), reason }
  const redaction_ref = `mame://redaction/${order.redaction_id}`
  const destroyed =
    scope === 'fields'
      ? await destroyFields(input, versions, order, context)
      : await destroyWhole(versions, order, context)
  const { note, legal_basis, json_pointers } = input
  await keepContent(context, {
    ref: redaction_ref,
    kind: 'redaction',
    body: { scope, reason, refs, note, legal_basis, json_pointers, authority },
  })
  const gone = new Set(destroyed.versions.map(({ ref }) => ref))
  const answer = {
    redaction_ref,
    records_affected: gone.size,
    keys_destroyed: destroyed.keys_destroyed,
    index_entries_removed: destroyed.index_entries_removed,
    inputs_forgotten: destroyed.inputs_forgotten,
    complete,
    ...(authority && { authority }),
  }
  context.audit('ContentRedacted', { ...answer, target: input.target, scope, reason })
  const stones = await tombstonesOf(
    context,
    [...new Set(versions.map(({ ref }) => ref))],
    tombstones_told_max,
  )
  return {
    ...answer,
    ...(destroyed.version && { version: destroyed.version }),
    tombstones: stones.map((stone) => ({ ...stone, redacted_at: stone.redacted_at.toISOString() })),
    dependents: await dependentsOf(context, refs),
    backups: in_backups,
  }
}

function requireScope({ target, json_pointers, subject_did }: RedactInput, scope: string): void {
  const lacks =
    scope === 'subject'
      ? subject_did === undefined && 'subject_did'
      : target === undefined
        ? 'target'
        : scope === 'fields' && json_pointers === undefined && 'json_pointers'
  const odd = scope !== 'fields' && json_pointers ? 'json_pointers' : undefined
  if (!lacks && !odd) return
  const [pointer, message] = lacks
    ? [`/${lacks}`, `is needed for scope ${scope}`]
    : [`/${odd}`, `belongs to scope fields, not ${scope}`]
  throw refuse('invalid_payload', `${pointer.slice(1)} ${message}; correct it and try again.`, {
    reason: 'scope',
    faults: [{ pointer, message }],
  })
}

/** One record, or all about a subject; always with the facts drawn from them. */
async function refsOf(
  { target, subject_did }: RedactInput,
  scope: string,
  context: OperationContext<'vault'>,
): Promise<{ chosen: readonly string[]; refs: string[]; complete: boolean }> {
  if (target !== undefined && !(await readContent(context, target))) throw notFound('content', target)
  const about = scope === 'subject' ? await contentsAbout(context, subject_did!, refs_at_once_max + 1) : []
  const chosen = [...(target === undefined ? [] : [target]), ...about.slice(0, refs_at_once_max)]
  const refs = new Set(chosen)
  for (const ref of chosen) for (const fact of await factsOf(context, ref)) refs.add(fact)
  return { chosen, refs: [...refs], complete: about.length <= refs_at_once_max }
}

/** An author may redact its own content and the facts drawn from it; content of others needs a charter decision. */
async function requireRight(
  { target, subject_did, authority }: RedactInput,
  scope: string,
  versions: readonly ContentVersion[],
  context: OperationContext<'requireAuthority'>,
): Promise<string | undefined> {
  if (versions.every(({ author_did }) => author_did === context.caller.did)) return undefined
  const subject = scope === 'subject' ? subject_did! : target!
  return await context.requireAuthority('MAME.redact', subject, authority)
}

async function destroyWhole(
  versions: readonly ContentVersion[],
  order: { redaction_id: string; reason: string },
  context: OperationContext<'vault'>,
): Promise<Destroyed> {
  const standing = versions.filter(({ status }) => status !== 'redacted')
  const refs = [...new Set(standing.map(({ ref }) => ref))]
  const done = await destroyVersions(context, standing, order)
  const names = await forgetFacts(context, refs)
  const index_entries_removed = names + (await withdrawFromIndex(context, refs))
  await endCells(context, refs)
  return { versions: standing, index_entries_removed, ...done }
}

/** The remainder is a new version under a new key; earlier versions and their facts are destroyed. */
async function destroyFields(
  { target, json_pointers = [] }: RedactInput,
  versions: readonly ContentVersion[],
  order: { redaction_id: string; reason: string },
  context: OperationContext<'embedder' | 'vault'>,
): Promise<Destroyed> {
  const ref = target!
  if (isContentAddressed(ref)) throw immutable(ref)
  const content = (await readContent(context, ref))!
  if (content.status === 'redacted')
    throw refuse('policy_denied', `${ref} was redacted as a whole; it has no fields left.`, {
      reason: 'content is redacted; there are no fields to redact',
    })
  const { remainder, missing } = withoutPointers(content.body, json_pointers)
  if (missing.length > 0) {
    const faults = missing.map((pointer) => ({
      pointer: `/json_pointers/${json_pointers.indexOf(pointer)}`,
      message: 'does not exist in it',
    }))
    throw refuse('invalid_payload', `${missing[0]} does not exist in ${ref}; remove it.`, {
      reason: 'not_found',
      faults,
    })
  }
  const index = indexingOf(content.index, remainder)
  const { version } = await replaceContent(context, {
    ref,
    expected_version: content.version,
    body: remainder,
    ...(index && { index }),
    valid_from: content.valid_from.toISOString(),
  })
  const facts = [...new Set(versions.map((one) => one.ref))].filter((one) => one !== ref)
  const standing = versions.filter(({ status }) => status !== 'redacted')
  const done = await destroyVersions(context, standing, order)
  const names = await forgetFacts(context, facts)
  const index_entries_removed = names + (await withdrawFromIndex(context, facts))
  return { versions: standing, index_entries_removed, version, ...done }
}

function immutable(ref: string) {
  return refuse('policy_denied', `${ref} is named by its content, which cannot change; redact it whole.`, {
    reason: 'immutable record; redact it as a whole',
  })
}
