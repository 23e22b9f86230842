// An organization's facts and their history: statements of sources, settled with each other.
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import { keepUnindexed, type Triple } from '../content/api.ts'
import { dropNames, factRef, indexNames, requireEntityIndex } from './entity-index.ts'
import { endFacts, pairsOf } from './removal.ts'
import { lockPairs } from './rows.ts'
import { type Change, type FactDefaults, type Keyed, keyTriples, settleWave, wavesOf } from './settling.ts'

const conflicts_told_max = 100
const fact_form = /^mind:\/\/fact\/([0-9a-f-]{36})$/

export interface FactConflict {
  readonly fact_ref: string
  /** The more certain facts that contradict it. */
  readonly against: readonly string[]
}

export interface AddedFacts {
  /** The number of new facts: repeating a known one with equal confidence adds nothing. */
  readonly added: number
  /** References of those added. */
  readonly facts: readonly string[]
  /** References of facts no longer believed, or not for their whole period. */
  readonly superseded: readonly string[]
  readonly conflicts: readonly FactConflict[]
}

/** Settles a source's facts with known ones; records a conflict with a more certain one in the audit log. */
export async function addTriples(
  context: OperationContext<'vault'>,
  source_ref: string,
  triples: readonly Triple[],
  defaults: FactDefaults = {},
): Promise<AddedFacts> {
  if (triples.length === 0) return { added: 0, facts: [], superseded: [], conflicts: [] }
  const keyed = await keyTriples(context, triples, defaults)
  await requireEntityIndex(context)
  const single = keyed.filter(({ functional }) => functional)
  await lockPairs(context, single)
  const changes: Change[] = []
  for (const wave of wavesOf(keyed)) changes.push(...(await settleWave(context, source_ref, wave)))
  const added = changes.filter(({ rows, keyed: { fact_id } }) => rows.some((row) => row.fact_id === fact_id))
  await keepUnindexed(
    context,
    added.map(({ keyed: fact }) => contentOf(source_ref, fact, defaults)),
  )
  await indexNames(
    context,
    added.map(({ keyed: { triple } }) => triple),
  )
  const conflicts = changes
    .filter(({ against }) => against.length > 0)
    .map(({ keyed: { fact_id }, against }) => ({
      fact_ref: factRef(fact_id),
      against: refsOf(against),
    }))
  if (conflicts.length > 0) {
    const listed_conflicts = conflicts.slice(0, conflicts_told_max)
    context.audit('MemoryConflict', { source_ref, count: conflicts.length, conflicts: listed_conflicts })
  }
  return {
    added: added.length,
    facts: added.map(({ keyed: { fact_id } }) => factRef(fact_id)),
    superseded: refsOf(changes.flatMap(({ superseded }) => superseded)),
    conflicts,
  }
}

/** Replaces a source's statements, after a memory was edited. */
export async function replaceTriples(
  context: OperationContext<'vault'>,
  source_ref: string,
  triples: readonly Triple[],
  defaults: FactDefaults = {},
): Promise<AddedFacts> {
  const fragment = sql`source_ref = ${source_ref} AND NOT withdrawn AND status <> 'redacted'`
  // Both locks at once, to avoid a deadlock of two edits.
  await lockPairs(context, [
    ...(await pairsOf(context, fragment)),
    ...(await keyTriples(context, triples, defaults)),
  ])
  const ended = await endFacts(context, fragment, sql`withdrawn = true`)
  const added = await addTriples(context, source_ref, triples, defaults)
  const stood = refsOf(ended.filter((fact) => fact.stood))
  return { ...added, superseded: [...new Set([...stood, ...added.superseded])] }
}

/** Refs of the sealed facts from a source, including those no longer believed. */
export async function factsOf(
  { db, tenant_id }: Pick<OperationContext, 'db' | 'tenant_id'>,
  source_ref: string,
): Promise<string[]> {
  const rows = await sql<{ fact_id: string }>`
    SELECT DISTINCT fact_id FROM kg_fact
    WHERE tenant_id = ${tenant_id} AND source_ref = ${source_ref} AND status <> 'redacted' ORDER BY fact_id
  `.all(db)
  return refsOf(rows)
}

/** Ends facts and removes names only they had; the caller destroys the content. Returns the removed names. */
export async function forgetFacts(
  context: OperationContext<'vault'>,
  refs: readonly string[],
): Promise<number> {
  const fact_ids = refs.flatMap((ref) => fact_form.exec(ref)?.[1] ?? [])
  if (fact_ids.length === 0) return 0
  const fragment = sql`fact_id = ANY(${fact_ids}::uuid[]) AND status <> 'redacted'`
  const ended = await endFacts(context, fragment, sql`status = 'redacted'`)
  return await dropNames(context, [...new Set(ended.flatMap(({ s, o }) => [s, o]))])
}

function contentOf(
  source_ref: string,
  { triple, functional, confidence, fact_id }: Keyed,
  { subject_did }: FactDefaults,
) {
  const { subject, predicate, object, valid_from, valid_to } = triple
  const times = { ...(valid_from ? { valid_from } : {}), ...(valid_to ? { valid_to } : {}) }
  const body = { subject, predicate, object, ...times, confidence, functional, source_ref }
  return { ref: factRef(fact_id), kind: 'fact', body, subject_did }
}

function refsOf(rows: readonly { readonly fact_id: string }[]): string[] {
  return [...new Set(rows.map(({ fact_id }) => factRef(fact_id)))]
}
