// Ends facts whose source withdraws them or is deleted: what other sources stated is believed again.
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

/** With more rows than this the remaining state is kept, and nothing is restored. */
const rows_replayed_max = 2_000

interface Ended extends Pair {
  readonly fact_id: string
  readonly o: string
  readonly functional: boolean
  /** Whether it was still open. */
  readonly stood: boolean
}

/** Of single-valued predicates. */
export async function pairsOf(
  { db, tenant_id }: OperationContext,
  which: Fragment,
): Promise<readonly Pair[]> {
  return sql<Pair>`
    SELECT DISTINCT s, p FROM kg_fact WHERE tenant_id = ${tenant_id} AND functional AND ${which}`.all(db)
}

/** Ends the facts that match a condition, and records why. */
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

/** A deleted source no longer counts in new results; past results do not change. */
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
