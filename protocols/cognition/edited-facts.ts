// Facts drawn from something that was corrected: where it said the old value, it now says the new one.
import type { OperationContext } from '@svc/contract/operation-context'
import { readContents } from './content-store.ts'
import { differencesOf, tokensOf } from './json-patch.ts'
import { addTriples, factsOf, replaceTriples } from './knowledge-store.ts'
import { normalisePredicate, normaliseValue, type Triple } from './knowledge-triple.ts'

type Value = Triple['object']
type Words = Pick<
  Triple,
  'subject' | 'predicate' | 'object' | 'valid_from' | 'valid_to' | 'confidence' | 'functional'
>

interface Correction {
  readonly path_end: string
  readonly before: Value
  /** Undefined where it was taken out. */
  readonly after: Value | undefined
}

/** What single values became; lists and objects that changed as a whole say nothing of their parts. */
export function correctionsOf(before: unknown, after: unknown): Correction[] {
  return differencesOf(before, after).flatMap(({ op, path, value }) => {
    const tokens = tokensOf(path)
    const old = op === 'add' ? undefined : lookUp(before, tokens)
    if (!isValue(old) || (op === 'replace' && !isValue(value))) return []
    return [
      { path_end: tokens.at(-1) ?? '', before: old, after: op === 'remove' ? undefined : (value as Value) },
    ]
  })
}

/** The same triple where nothing in it was corrected, undefined where its value was taken out. */
export function retell<T extends Words>(triple: T, corrections: readonly Correction[]): T | undefined {
  let { subject, object } = triple
  for (const { path_end, before, after } of corrections) {
    const is_object =
      isSame(before, object) && (typeof before === 'string' || isAbout(path_end, triple.predicate))
    if (is_object && after === undefined) return undefined
    if (is_object) object = after!
    if (typeof before === 'string' && typeof after === 'string' && isSame(before, subject)) subject = after
  }
  return subject === triple.subject && object === triple.object ? triple : { ...triple, subject, object }
}

function isSame(one: Value, other: Value): boolean {
  return normaliseValue(one) === normaliseValue(other)
}

/** Numbers are too alike to be told apart by themselves: they must stand under the predicate's own name. */
function isAbout(path_end: string, predicate: string): boolean {
  return normalisePredicate(path_end) === normalisePredicate(predicate)
}

function isValue(value: unknown): value is Value {
  return ['string', 'number', 'boolean'].includes(typeof value) && value !== ''
}

function lookUp(node: unknown, tokens: readonly string[]): unknown {
  let found = node
  for (const token of tokens) found = (found as Record<string, unknown> | undefined)?.[token]
  return found
}

/** Answers how many facts it has now that it had not before. */
export async function correctFacts(
  context: OperationContext,
  ref: string,
  before: unknown,
  after: unknown,
): Promise<number> {
  const corrections = correctionsOf(before, after)
  if (corrections.length === 0) return 0
  const known = [...(await readContents(context, await factsOf(context, ref))).values()]
  const touched = known.some(({ body }) => body !== undefined && retell(body as Words, corrections) !== body)
  if (!touched) return 0
  // Ending what stands tells which of them do.
  const { superseded } = await replaceTriples(context, ref, [])
  const standing = known.filter((fact) => superseded.includes(fact.ref))
  const retold = standing.flatMap(({ body }) =>
    body === undefined ? [] : (retell(asTriple(body as Words), corrections) ?? []),
  )
  const { added } = await addTriples(context, ref, retold)
  return added
}

/** Without what a sealed fact says beside. */
function asTriple({
  subject,
  predicate,
  object,
  valid_from,
  valid_to,
  confidence,
  functional,
}: Words): Triple {
  return {
    subject,
    predicate,
    object,
    ...(valid_from && { valid_from }),
    ...(valid_to && { valid_to }),
    ...(confidence !== undefined && { confidence }),
    ...(functional && { functional }),
  }
}
