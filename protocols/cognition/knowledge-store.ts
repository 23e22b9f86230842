// What an organization holds to be true, and what it held to be true before: facts that sources brought, settled with each other.
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from 'kysely'
import { keepContent } from './content-store.ts'
import { dropNames, factRef, indexNames, requireEntityIndex } from './entity-index.ts'
import { settleFact, subtract } from './knowledge-history.ts'
import { newTimeOrderedId } from './knowledge-id.ts'
import {
  closeRows,
  declaredFunctional,
  findStanding,
  insertRows,
  lockPairs,
  type NewRow,
  nextMoment,
  type StandingRow,
} from './knowledge-rows.ts'
import {
  isFunctionalWord,
  nameKey,
  predicateKey,
  type Span,
  spanOf,
  type Triple,
} from './knowledge-triple.ts'

const conflicts_told_max = 100

export interface FactDefaults {
  /** How sure the source is where a triple does not say. */
  readonly confidence?: number | undefined
  /** Whom the source is about: what forgets them forgets these facts. */
  readonly subject_did?: string | undefined
  /** Where the triples stand in the request, for sentences about them. */
  readonly pointer?: string | undefined
}

export interface FactConflict {
  readonly fact_ref: string
  /** The more certain facts that stand against it. */
  readonly against: readonly string[]
}

export interface AddedFacts {
  /** How many were new: what was known as certainly adds nothing. */
  readonly added: number
  /** References of those added. */
  readonly facts: readonly string[]
  /** References of facts that are not believed any more, or not for all of their time. */
  readonly superseded: readonly string[]
  readonly conflicts: readonly FactConflict[]
}

interface Keyed {
  readonly triple: Triple
  readonly s: string
  readonly p: string
  readonly o: string
  readonly functional: boolean
  readonly valid: Span
  readonly confidence: number
  readonly fact_id: string
}

interface Change {
  readonly keyed: Keyed
  readonly closed: readonly StandingRow[]
  readonly rows: readonly Omit<NewRow, 'since'>[]
  readonly against: readonly StandingRow[]
}

/** Settles what a source says with what is known; tells the book where it met somebody more certain. */
export async function addTriples(
  context: OperationContext,
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
  for (const { keyed: fact } of added) await sealFact(context, source_ref, fact, defaults)
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
    const told = conflicts.slice(0, conflicts_told_max)
    context.audit('MemoryConflict', { source_ref, count: conflicts.length, conflicts: told })
  }
  return {
    added: added.length,
    facts: added.map(({ keyed: { fact_id } }) => factRef(fact_id)),
    superseded: refsOf(changes.flatMap(({ closed }) => closed)),
    conflicts,
  }
}

/** What a source says now in place of what it said: for a memory that was edited. */
export async function replaceTriples(
  context: OperationContext,
  source_ref: string,
  triples: readonly Triple[],
  defaults: FactDefaults = {},
): Promise<AddedFacts> {
  const { db, tenant_id, now } = context
  const { rows } = await sql<{ fact_id: string }>`
    UPDATE kg_fact SET tx = tstzrange(lower(tx), greatest(${now}, lower(tx) + interval '1 millisecond'))
    WHERE tenant_id = ${tenant_id} AND source_ref = ${source_ref} AND upper_inf(tx) RETURNING fact_id
  `.execute(db)
  const added = await addTriples(context, source_ref, triples, defaults)
  return { ...added, superseded: [...new Set([...refsOf(rows), ...added.superseded])] }
}

/** Refs of the sealed facts that came from a source, also of those not believed any more. */
export async function factsOf(
  { db, tenant_id }: Pick<OperationContext, 'db' | 'tenant_id'>,
  source_ref: string,
): Promise<string[]> {
  const { rows } = await sql<{ fact_id: string }>`
    SELECT DISTINCT fact_id FROM kg_fact
    WHERE tenant_id = ${tenant_id} AND source_ref = ${source_ref} AND status <> 'redacted' ORDER BY fact_id
  `.execute(db)
  return refsOf(rows)
}

/** Ends them and takes the names only they knew out of the index; their content is for the caller to destroy. Answers how many names went. */
export async function forgetFacts(context: OperationContext, refs: readonly string[]): Promise<number> {
  const { db, tenant_id, now } = context
  const fact_ids = refs
    .filter((ref) => ref.startsWith(factRef('')))
    .map((ref) => ref.slice(factRef('').length))
  if (fact_ids.length === 0) return 0
  const { rows } = await sql<{ s: string; o: string }>`
    UPDATE kg_fact SET status = 'redacted', tx = CASE WHEN upper_inf(tx)
      THEN tstzrange(lower(tx), greatest(${now}, lower(tx) + interval '1 millisecond')) ELSE tx END
    WHERE tenant_id = ${tenant_id} AND fact_id::text = ANY(${fact_ids}) AND status <> 'redacted'
    RETURNING s, o`.execute(db)
  return await dropNames(context, [...new Set(rows.flatMap(({ s, o }) => [s, o]))])
}

async function keyTriples(
  context: OperationContext,
  triples: readonly Triple[],
  { confidence = 1, pointer = '/triples' }: FactDefaults,
): Promise<Keyed[]> {
  const { blind } = context.vault
  const keys = triples.map(({ predicate }) => predicateKey(blind, predicate))
  const declares = keys.filter((_, place) => triples[place]!.functional === true)
  const functional = await declaredFunctional(context, [...new Set(keys)], declares)
  return triples.map((triple, place) => ({
    triple,
    s: nameKey(blind, triple.subject),
    p: keys[place]!,
    o: nameKey(blind, triple.object),
    functional:
      functional.has(keys[place]!) || (triple.functional !== false && isFunctionalWord(triple.predicate)),
    valid: spanOf(triple, `${pointer}/${place}`),
    confidence: triple.confidence ?? confidence,
    fact_id: newTimeOrderedId(context.now),
  }))
}

/** Facts that can meet each other are settled one after another, all others at once. */
function wavesOf(keyed: readonly Keyed[]): Keyed[][] {
  const waves: Keyed[][] = []
  const placed = new Map<string, number>()
  for (const fact of keyed) {
    const meets = fact.functional ? `${fact.s}|${fact.p}` : `${fact.s}|${fact.p}|${fact.o}`
    const wave = placed.get(meets) ?? 0
    placed.set(meets, wave + 1)
    waves[wave] ??= []
    waves[wave].push(fact)
  }
  return waves
}

async function settleWave(
  context: OperationContext,
  source_ref: string,
  wave: readonly Keyed[],
): Promise<Change[]> {
  const standing = await findStanding(context, wave)
  const changes = wave.map((keyed) => settleOne(keyed, source_ref, standing))
  const since = await nextMoment(context, context.now, wave)
  const closed = changes.flatMap((change) => change.closed.map(({ row_id }) => row_id))
  await closeRows(context, closed, since)
  await insertRows(
    context,
    changes.flatMap(({ rows }) => rows.map((row) => ({ ...row, since }))),
  )
  return changes
}

function settleOne(keyed: Keyed, source_ref: string, standing: readonly StandingRow[]): Change {
  const { s, p, o, functional, valid, confidence, fact_id } = keyed
  const met = standing.filter((row) => row.s === s && row.p === p)
  const own = { fact_id, s, p, o, functional, confidence, source_ref }
  if (!functional) {
    const said = met.filter((row) => row.o === o && row.source_ref === source_ref)
    const left = subtract(
      [valid],
      said.map((row) => row.valid),
    )
    return {
      keyed,
      closed: [],
      rows: left.map((part) => ({ ...own, valid: part, contested: false })),
      against: [],
    }
  }
  const settled = settleFact({ o, valid, confidence }, met)
  const reopened = settled.reopened.map(({ of, valid: part }) => ({ ...(of as StandingRow), valid: part }))
  return {
    keyed,
    closed: settled.closed as StandingRow[],
    rows: [
      ...reopened,
      ...settled.current.map((part) => ({ ...own, valid: part, contested: false })),
      ...settled.contested.map((part) => ({ ...own, valid: part, contested: true })),
    ],
    against: settled.contested.length > 0 ? (settled.against as StandingRow[]) : [],
  }
}

async function sealFact(
  context: OperationContext,
  source_ref: string,
  { triple, functional, confidence, fact_id }: Keyed,
  { subject_did }: FactDefaults,
): Promise<void> {
  const { subject, predicate, object, valid_from, valid_to } = triple
  const times = { ...(valid_from ? { valid_from } : {}), ...(valid_to ? { valid_to } : {}) }
  const body = { subject, predicate, object, ...times, confidence, functional, source_ref }
  await keepContent(context, { ref: factRef(fact_id), kind: 'fact', body, subject_did })
}

function refsOf(rows: readonly { readonly fact_id: string }[]): string[] {
  return [...new Set(rows.map(({ fact_id }) => factRef(fact_id)))]
}
