// Lints a draft before it is published; lints never prevent saving one.

import { checkCedar } from '@svc/contract/authority/policy'
import { computation } from '@svc/contract/needs/computation'
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, described, OneOf } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { bytes_max, type Held, readBytes, textOf } from './artifact-bytes.ts'
import { type ArtifactKind, isCedar, isJson, isJsonLines } from './artifact-kind.ts'
import type { SeenSource } from './artifact-sources.ts'
import { type CheckedText, compute as checkText } from './draft-lint-job.ts'

/** Short texts are checked here; longer ones on a thread. */
const check_here_length_max = 100_000
const checking_ms_max = 10_000
const cedar_length_max = 65_536

const checking = computation<CheckedText, string[]>(new URL('./draft-lint-job.ts', import.meta.url))

export const Lint = Closed({
  rule: described(
    OneOf(
      'unresolved_ref',
      'redacted_source',
      'weak_source',
      'schema_invalid',
      'unresolved_name',
      'unverified',
    ),
    'What was checked.',
  ),
  severity: {
    ...OneOf('error', 'warning'),
    description: 'With an error it cannot be published.',
  } as ReturnType<typeof OneOf<'error' | 'warning'>>,
  message: Type.String({ description: 'What is wrong, in a sentence.' }),
  ref: Type.Optional(
    Type.String({ description: 'Source it is about; absent where it is about the content.' }),
  ),
})
export type Lint = Static<typeof Lint>

export interface LintedContent {
  readonly kind: ArtifactKind
  readonly media_type: string
}

/** Whether its format can be checked. */
function isCheckable({ kind, media_type }: LintedContent): boolean {
  return isJson(media_type) || isJsonLines(media_type) || (kind === 'policy' && isCedar(media_type))
}

/** Undefined if the bytes are not text or are not checked. Bytes already in memory are not read again. */
export async function heldText(
  context: OperationContext<'vault'>,
  body: LintedContent & Held,
  bytes?: Buffer,
): Promise<string | undefined> {
  if (!isCheckable(body)) return undefined
  return body.content ?? textOf(bytes ?? (await readBytes(context, body, 0, bytes_max)))
}

/** Undefined text means bytes that are not text. */
export async function lintContent(
  context: OperationContext<'compute' | 'policies'>,
  { kind, media_type }: LintedContent,
  text: string | undefined,
): Promise<Lint[]> {
  if (!isCheckable({ kind, media_type })) return []
  if (text === undefined) return [invalid(`It is no text, as ${media_type} must be.`)]
  if (isCedar(media_type)) return lintCedar(context, text)
  const job_input = { kind, media_type, text }
  const faults =
    text.length > check_here_length_max
      ? await context.compute(checking, job_input, checking_ms_max)
      : checkText(job_input)
  return faults.map(invalid)
}

export function lintSources(refs: readonly string[], source_of: ReadonlyMap<string, SeenSource>): Lint[] {
  return [...new Set(refs)].flatMap((ref): Lint[] => {
    const state = source_of.get(ref)?.state
    if (state === undefined) return [about(ref, 'unresolved_ref', `${ref} leads nowhere that you may see.`)]
    if (state === 'redacted') return [about(ref, 'redacted_source', `${ref} was redacted.`)]
    return state === 'valid' ? [] : [about(ref, 'weak_source', `${ref} is ${state}.`)]
  })
}

export function lintNames(unresolved: readonly string[]): Lint[] {
  return unresolved.map((name) => ({
    rule: 'unresolved_name',
    severity: 'warning',
    message: `The data has no ${name}, which the template names.`,
  }))
}

export const written_by_model: Lint = {
  rule: 'unverified',
  severity: 'warning',
  message: 'A model wrote it, and nobody has checked it yet.',
}

async function lintCedar(context: OperationContext<'compute' | 'policies'>, text: string): Promise<Lint[]> {
  if (text.length > cedar_length_max)
    return [invalid(`A policy may have ${cedar_length_max} characters; this one has more.`)]
  const { faults } = await checkCedar(context, text)
  return faults.map(({ message }) => invalid(`It is no Cedar that could be enacted: ${message}.`))
}

function invalid(message: string): Lint {
  return { rule: 'schema_invalid', severity: 'error', message }
}

function about(ref: string, rule: Lint['rule'], message: string): Lint {
  return { rule, severity: 'warning', message, ref }
}
