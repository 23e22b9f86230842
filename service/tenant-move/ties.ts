// What binds a tenant to others of its database. It is ended first, or they move together: half of it cannot move.
import type { Client } from 'pg'

interface Tie {
  /** What it is, in the sentence of the refusal. */
  readonly what: string
  readonly end: string
  /** Rows of `name` and `other`; `$1` holds the tenants that move, `$2` the operator's. */
  readonly sql: string
}

export interface FoundTie {
  readonly what: string
  readonly end: string
  readonly tenant_id: string
  readonly others: readonly string[]
}

/** Both columns are of one row: one is among those that move, the other is not. */
function between(table: string, columns: readonly string[], where = 'true'): string {
  const pairs = columns.flatMap((name) =>
    columns.filter((other) => other !== name).map((other) => `(r.${name}, r.${other})`),
  )
  return `SELECT p.name, p.other FROM ${table} r, LATERAL (VALUES ${pairs.join(', ')}) AS p(name, other)
    WHERE p.name = ANY($1) AND p.other <> ALL($1) AND (${where})`
}

/** Each side of a journal: whose chain it is in, and whose accounts it moves. */
const parties = `SELECT journal_id, tenant_id FROM ledger_entries WHERE journal_id IN (SELECT journal_id FROM mine)
  UNION SELECT id, tenant_id FROM ledger_journals WHERE id IN (SELECT journal_id FROM mine)`
const mine = `WITH mine AS (
    SELECT journal_id FROM ledger_entries WHERE tenant_id = ANY($1)
    UNION SELECT id FROM ledger_journals WHERE tenant_id = ANY($1)
  ), parties AS (${parties})`

const ties: readonly Tie[] = [
  {
    what: 'a treaty',
    end: 'end it (MOAT.terminate)',
    sql: between(
      'treaties',
      ['tenant_id', 'counterparty_tenant'],
      "state IN ('PROPOSED', 'PARTIALLY_SIGNED', 'SIGNED', 'ACTIVE', 'SUSPENDED')",
    ),
  },
  {
    what: 'an open contract',
    end: 'settle or cancel it (MADE)',
    sql: between(
      'contracts',
      ['tenant_id', 'counterparty_tenant'],
      "state NOT IN ('FINAL', 'WITHDRAWN', 'EXPIRED', 'CANCELLED', 'RULED_CLOSED')",
    ),
  },
  {
    what: 'an open case',
    end: 'settle or close it (MOOT)',
    sql: between(
      'cases',
      ['tenant_id', 'respondent_tenant', 'venue_tenant'],
      "state NOT IN ('CLOSED', 'SETTLED', 'WITHDRAWN', 'DISMISSED')",
    ),
  },
  {
    what: 'a dissolution with a successor',
    end: 'wait until it is over',
    sql: between('dissolutions', ['tenant_id', 'successor_tenant']),
  },
  {
    what: 'the right to read an audit log after a succession',
    end: 'it lasts as long as both are in one database',
    sql: between('book_access', ['owner_tenant', 'tenant_id']),
  },
  {
    what: 'orders in a market',
    end: 'they stay with the market',
    sql: between('market_orders', ['tenant_id', 'owner_tenant']),
  },
  {
    what: 'trades in a market',
    end: 'they stay with the market',
    sql: between('market_trades', ['tenant_id', 'taker_tenant', 'maker_tenant']),
  },
  {
    what: 'references of settlements',
    end: 'they stay with their issuer',
    sql: between('settlement_references', ['tenant_id', 'issuer_tenant']),
  },
  {
    what: 'entries of the ledger in one journal',
    end: 'the ledger is never divided',
    sql: `${mine} SELECT m.tenant_id AS name, o.tenant_id AS other FROM parties m JOIN parties o USING (journal_id)
      WHERE m.tenant_id = ANY($1) AND o.tenant_id <> ALL($1) AND o.tenant_id <> $2`,
  },
  {
    what: 'a payment to the operator',
    end: 'the operator does not move',
    sql: `${mine} SELECT j.tenant_id AS name, $2 AS other FROM ledger_journals j
      WHERE j.tenant_id = ANY($1) AND EXISTS (SELECT FROM parties p WHERE p.journal_id = j.id AND p.tenant_id = $2)`,
  },
  {
    what: 'assets of another issuer',
    end: 'give them back first',
    sql: `SELECT a.tenant_id AS name, s.tenant_id AS other FROM ledger_accounts a JOIN assets s USING (asset_id)
      WHERE a.tenant_id = ANY($1) AND s.tenant_id <> ALL($1) AND s.tenant_id <> $2`,
  },
]

const named_max = 5

export async function tiesOf(
  client: Client,
  tenant_ids: readonly string[],
  operator_tenant_id: string,
): Promise<FoundTie[]> {
  const existing_ties: FoundTie[] = []
  for (const { what, end, sql } of ties) {
    // unchecked sql: the conditions above, which every move runs
    const rows = await client.query<{ name: string; others: string[] }>(
      `SELECT name, (array_agg(DISTINCT other))[1:${named_max}] AS others FROM (${sql}) AS t(name, other)
       WHERE $2::text IS NOT NULL GROUP BY name ORDER BY name`,
      [tenant_ids, operator_tenant_id],
    )
    for (const { name, others } of rows.rows) existing_ties.push({ what, end, tenant_id: name, others })
  }
  return existing_ties
}

export function sentenceOf({ what, end, tenant_id, others }: FoundTie): string {
  return `${tenant_id} has ${what} with ${others.join(', ')}: ${end}, or move them together (--with ${others[0]}).`
}
