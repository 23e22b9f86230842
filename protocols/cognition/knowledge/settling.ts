// Settles new facts with known ones: assigns keys, and settles those that can interact in order.
import type { OperationContext } from '@svc/contract/operation-context'
import { isFunctionalWord, nameKey, predicateKey, type Span, spanOf, type Triple } from '../content/api.ts'
import { type Standing, settleFact, subtract } from './history.ts'
import { newTimeOrderedId } from './id.ts'
import {
  closeRows,
  declaredFunctional,
  doesPrevail,
  findStanding,
  insertRows,
  type NewRow,
  nextMoment,
  type StandingRow,
} from './rows.ts'

export interface FactDefaults {
  /** Default for triples without a confidence. */
  readonly confidence?: number | undefined
  /** The source's subject: erasing the subject erases these facts. */
  readonly subject_did?: string | undefined
  /** The location of the triples in the request, for messages. */
  readonly pointer?: string | undefined
}

export interface Keyed {
  readonly triple: Triple
  readonly s: string
  readonly p: string
  readonly o: string
  readonly functional: boolean
  readonly valid: Span
  readonly confidence: number
  readonly fact_id: string
}

export interface Change {
  readonly keyed: Keyed
  readonly closed: readonly Standing[]
  readonly rows: readonly NewRow[]
  readonly superseded: readonly Standing[]
  readonly against: readonly Standing[]
}

export async function keyTriples(
  context: OperationContext<'vault'>,
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
    fact_id: newTimeOrderedId(context),
  }))
}

/** Facts that can interact are settled in order, all others at once. */
export function wavesOf(keyed: readonly Keyed[]): Keyed[][] {
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

export async function settleWave(
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
    changes.flatMap(({ rows }) => rows),
    since,
  )
  return changes
}

function settleOne(keyed: Keyed, source_ref: string, standing: readonly StandingRow[]): Change {
  const { s, p, o, functional, valid, confidence, fact_id } = keyed
  const own = { fact_id, s, p, o, functional, confidence, source_ref }
  const met = standing.filter((row) => row.s === s && row.p === p)
  const prevails = doesPrevail(source_ref)
  // A repeated statement of the same source adds nothing; nor does the result of a fusion over it.
  const standing_rows = met.filter(
    (row) =>
      row.o === o &&
      row.confidence >= confidence &&
      (row.source_ref === source_ref || (prevails && !functional)),
  )
  const left = subtract(
    [valid],
    standing_rows.map((row) => row.valid),
  )
  if (!functional) {
    const rows = left.map((part) => ({ ...own, valid: part, status: 'current' as const }))
    return { keyed, closed: [], rows, superseded: [], against: [] }
  }
  if (left.length === 0) return { keyed, closed: [], rows: [], superseded: [], against: [] }
  const facts = new Map([...met, own].map((fact) => [fact.fact_id, fact]))
  const { opened, ...settled } = settleFact({ fact_id, o, confidence, valid, prevails }, met)
  const rows = opened.map((part) => ({ ...facts.get(part.fact_id)!, ...part }))
  return { keyed, rows, ...settled }
}
