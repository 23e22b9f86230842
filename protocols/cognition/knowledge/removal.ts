// Facts that end because their source takes them back or is forgotten: what others said instead is believed again.
import type { OperationContext } from '@svc/contract/operation-context'
import { type Fragment, sql } from '@svc/database/sql'
import { type Part, settleAll } from './history.ts'
import {
  type AssertedFact,
  closeRows,
  findAssertions,
  findStanding,
  insertRows,
  lockPairs,
  nextMoment,
  type Pair,
} from './rows.ts'

/** A pair of which more was said than this keeps what is left standing, and nothing comes back. */
const rows_replayed_max = 2_000

interface Ended extends Pair {
  readonly fact_id: string
  readonly o: string
  readonly functional: boolean
  /** Whether it still stood. */
  readonly stood: boolean
}

/** Of those with one value at a time. */
export async function pairsOf(
  { db, tenant_id }: OperationContext,
  which: Fragment,
): Promise<readonly Pair[]> {
  return sql<Pair>`
    SELECT DISTINCT s, p FROM kg_fact WHERE tenant_id = ${tenant_id} AND functional AND ${which}`.all(db)
}

/** Ends the facts that a condition names, with a change that says why. */
export async function endFacts(
  context: OperationContext,
  which: Fragment,
  change: Fragment,
): Promise<Ended[]> {
  const { db, tenant_id, now } = context
  const pairs = await pairsOf(context, which)
  await lockPairs(context, pairs)
  const rows = await sql<Ended>`
    UPDATE kg_fact SET ${change}, tx = CASE WHEN upper_inf(tx)
      THEN tstzrange(lower(tx), greatest(${now}, lower(tx) + interval '1 millisecond')) ELSE tx END
    WHERE tenant_id = ${tenant_id} AND ${which}
    RETURNING fact_id, s, p, o, functional, upper(tx) >= ${now} AS stood`.all(db)
  for (const pair of pairs) await believeAgain(context, pair)
  return rows
}

/** As if the one that is gone had never said anything, from now on: the past stays as it was believed. */
async function believeAgain(context: OperationContext, pair: Pair): Promise<void> {
  const assertions = await findAssertions(context, pair, rows_replayed_max + 1)
  if (assertions.length > rows_replayed_max) return
  const standing = await findStanding(context, [pair])
  const settled = new Map(settleAll(assertions).map((part) => [nameOf(part), part]))
  const standing_names = new Set(standing.map(nameOf))
  const since = await nextMoment(context, context.now, [pair])
  const closed = standing.filter((row) => !settled.has(nameOf(row)))
  await closeRows(
    context,
    closed.map(({ row_id }) => row_id),
    since,
  )
  const facts = new Map<string, AssertedFact>(assertions.map((fact) => [fact.fact_id, fact]))
  const opened = [...settled.values()].filter((part) => !standing_names.has(nameOf(part)))
  await insertRows(
    context,
    opened.map((part) => ({ ...facts.get(part.fact_id)!, ...part })),
    since,
  )
}

function nameOf({ fact_id, valid, status }: Part): string {
  return `${fact_id} ${valid.from} ${valid.until} ${status}`
}
