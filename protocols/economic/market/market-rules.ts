// What an organization lets its own agents do in the market that it runs. In the markets of others its agents never
// trade with each other: the prices there are not its own.
import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, Timestamp } from '@svc/contract/schema'
import { sql } from '@svc/database/sql'
import { type Static, Type } from 'typebox'
import type { BookState } from './market-store.ts'
import type { SameTrader } from './order-matching.ts'
import type { Order } from './order-store.ts'

export const InternalTrades = Type.Boolean({
  description:
    'Whether agents of the organization that runs this market may trade with each other here. Its own orders an agent never meets.',
})

export const SetRulesInput = Closed({ internal_trades: InternalTrades })

export const SetRulesAnswer = Closed({
  internal_trades: InternalTrades,
  before: Type.Boolean({ description: 'What the rule was until now.' }),
  in_force_from: described(Timestamp, 'Orders that come later are matched by it.'),
})

/** By which rule this order meets others. */
export function sameTrader(
  { tenant_id }: { readonly tenant_id: string },
  { internal_trades }: Pick<BookState, 'internal_trades'>,
  { owner_tenant }: Pick<Order, 'owner_tenant'>,
): SameTrader {
  return internal_trades && owner_tenant === tenant_id ? 'agent' : 'organization'
}

export async function readInternalTrades(db: Database, tenant_id: string): Promise<boolean> {
  const row = await sql<{ internal_trades: boolean }>`
    SELECT internal_trades FROM market_rules WHERE tenant_id = ${tenant_id}`.first(db)
  return row?.internal_trades ?? false
}

export async function setRules(
  { internal_trades }: Static<typeof SetRulesInput>,
  context: OperationContext<'charter'>,
): Promise<Static<typeof SetRulesAnswer>> {
  const { db, tenant_id, caller, now } = context
  if (!(await context.charter.has(caller.did)))
    throw refuse(
      'policy_denied',
      'Only a charter member of the organization that runs this market sets its rules; ask one to do so.',
      { reason: 'charter member required' },
    )
  // Two at once: the second waits here, and then sees what the first set.
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`market rules|${tenant_id}`}, 0))`.execute(db)
  const before = await readInternalTrades(db, tenant_id)
  await sql`
    INSERT INTO market_rules (tenant_id, internal_trades, set_by, set_at)
    VALUES (${tenant_id}, ${internal_trades}, ${caller.did}, ${new Date(now)})
    ON CONFLICT (tenant_id) DO UPDATE SET internal_trades = excluded.internal_trades, set_by = excluded.set_by,
      set_at = excluded.set_at`.execute(db)
  context.audit('MarketRulesSet', { internal_trades, before })
  return { internal_trades, before, in_force_from: now }
}
