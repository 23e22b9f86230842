// The caveat `once:<id>`: the first call that is done uses it up for ever. Its row is written in the operation's own transaction, so both
// happen or neither does. Where the effect is outside, the row is committed before it, and removed only if nothing can have happened.
import { type ChainLink, type Grant, type HeldCapability, linksOf } from '@svc/contract/authority/capability'
import { isOnce, onceId } from '@svc/contract/authority/caveat'
import type { Database } from '@svc/contract/database'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { asRefusal } from '@svc/database/as-refusal'
import { isolateByTenant, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'
import type { Done, Identified, Placed } from './call.ts'
import type { HandlerContext } from './handler/handler-context.ts'
import { inTransaction, isOutside, lock_not_available } from './idempotency/idempotency.ts'
import { isFinal } from './idempotency/stored-answer.ts'
import type { Ports } from './ports.ts'

/** How long a call waits for another that is using it up. */
const wait_ms_max = 2_000

export const one_time_use_migrations: readonly Migration[] = [
  {
    name: '2026-11-23-47-one-time-uses',
    sql: `
      CREATE TABLE one_time_uses (
        tenant_id text NOT NULL,
        delegator text NOT NULL,
        use_id text NOT NULL,
        caller_did text NOT NULL,
        idempotency_key text,
        record_id text NOT NULL,
        is_done boolean NOT NULL,
        used_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, delegator, use_id)
      );
      ${isolateByTenant('one_time_uses', ['SELECT', 'INSERT', 'UPDATE', 'DELETE'], ['SELECT'])}
    `,
  },
]

interface OneTimeUse {
  readonly use_id: string
  /** Whoever wrote the caveat first: all its delegations with one id share one use. */
  readonly delegator: string
}

/** In one order, so that two calls with two ids never wait for each other. */
function usesOf(grant: Grant, did: string): OneTimeUse[] {
  const links = linksOf(grant, did)
  const ids = [...new Set(grant.caveats.filter(isOnce).map(onceId))].sort()
  return ids.map((use_id) => ({ use_id, delegator: delegatorOf(use_id, grant, links) }))
}

function delegatorOf(use_id: string, { treaty }: Grant, links: readonly ChainLink[]): string {
  if (treaty) return `treaty/${treaty.root_id}`
  const highest = links.findLast(({ capability }) =>
    capability.caveats.some((caveat) => isOnce(caveat) && onceId(caveat) === use_id),
  )
  const { delegator, holder } = highest ?? links.at(-1)!
  return delegator ?? holder
}

/**
 * Which ids a call may still use, by grant: one question for all grants that could admit it. A retry with the key of the call that used
 * one may use it: it gets the answer of that call.
 */
export async function unusedIds(
  grants: readonly HeldCapability[],
  { asked, caller }: Identified,
  { store }: Pick<Ports, 'store'>,
): Promise<ReadonlyMap<HeldCapability, ReadonlySet<string>>> {
  const uses_by_grant = new Map(grants.map((grant) => [grant, usesOf(grant, caller.did)]))
  const all = [...uses_by_grant.values()].flat()
  const { tenant_id, idempotency_key = null } = asked.request
  const rows = await inTransaction(store, tenant_id, (db) =>
    sql<OneTimeUse>`
      SELECT u.delegator, u.use_id FROM one_time_uses u
      JOIN unnest(${all.map(({ delegator }) => delegator)}::text[], ${all.map(({ use_id }) => use_id)}::text[])
        asked(delegator, use_id) ON asked.delegator = u.delegator AND asked.use_id = u.use_id
      WHERE u.tenant_id = ${tenant_id} AND (u.caller_did <> ${caller.did} OR u.idempotency_key IS NULL
        OR u.idempotency_key IS DISTINCT FROM ${idempotency_key}::text)`.all(db),
  )
  const used = new Set(rows.map(nameOf))
  const unusedOf = (uses: readonly OneTimeUse[]) =>
    new Set(uses.filter((use) => !used.has(nameOf(use))).map(({ use_id }) => use_id))
  return new Map([...uses_by_grant].map(([grant, uses]) => [grant, unusedOf(uses)]))
}

function nameOf({ delegator, use_id }: OneTimeUse): string {
  return `${delegator} ${use_id}`
}

export function isForOneCall({ caveats }: Grant): boolean {
  return caveats.length > 0 && caveats.some(isOnce)
}

interface Attempt {
  readonly call: Placed
  readonly context: HandlerContext
  readonly ports: Pick<Ports, 'store' | 'log'>
}

/** Refused where another call used it. */
export async function useUp(attempt: Attempt, effect: () => Promise<Done>): Promise<Done> {
  const { call, context, ports } = attempt
  const is_outside = isOutside(call)
  const insert = (db: Database) => insertAll(call, db, !is_outside)
  await (is_outside ? inTransaction(ports.store, context.tenant_id, insert) : insert(context.db))
  const ours = sql`tenant_id = ${context.tenant_id} AND record_id = ${call.record_id}`
  const done = await effect().catch(async (thrown) => {
    const forget = sql`DELETE FROM one_time_uses WHERE ${ours}`
    if (!is_outside) {
      if (context.keepsRows(thrown)) await forget.execute(context.db)
    } else if (isFinal(asRefusal(thrown))) {
      // Otherwise it may have happened, and is used up, except for a retry with the same key.
      await inTransaction(ports.store, context.tenant_id, (db) => forget.execute(db)).catch((error) =>
        ports.log.warn(
          { err: error, correlation_id: call.correlation_id },
          'a one-time use that did not happen stays used',
        ),
      )
    }
    throw thrown
  })
  // With the answer that is stored under the key, in one transaction.
  if (is_outside && context.idempotency_key !== undefined)
    await sql`UPDATE one_time_uses SET is_done = true WHERE ${ours}`.execute(context.db)
  return done
}

async function insertAll(call: Placed, db: Database, is_done: boolean): Promise<void> {
  const uses = usesOf(call.grant, call.caller.did)
  const { tenant_id, idempotency_key = null } = call.asked.request
  // A call inside another cannot wait for it to end.
  const patience_ms = call.asked.within ? 1 : wait_ms_max
  try {
    await sql`SELECT set_config('lock_timeout', ${String(patience_ms)}, true)`.execute(db)
    for (const { use_id, delegator } of uses) {
      const claimed = await sql`
        INSERT INTO one_time_uses AS stored
          (tenant_id, delegator, use_id, caller_did, idempotency_key, record_id, is_done, used_at)
        VALUES (${tenant_id}, ${delegator}, ${use_id}, ${call.caller.did}, ${idempotency_key}, ${call.record_id},
          ${is_done}, ${new Date(call.now_ms)})
        ON CONFLICT (tenant_id, delegator, use_id) DO UPDATE SET record_id = excluded.record_id
        WHERE NOT stored.is_done AND stored.caller_did = excluded.caller_did
          AND stored.idempotency_key = excluded.idempotency_key
        RETURNING use_id`.execute(db)
      if (claimed.rows.length === 0) throw usedUp(call, use_id, 'it was used before')
    }
    await sql`SELECT set_config('lock_timeout', '0', true)`.execute(db)
  } catch (error) {
    if ((error as { code?: string }).code !== lock_not_available) throw error
    throw usedUp(call, uses[0]!.use_id, 'another call is using it now')
  }
}

function usedUp({ caller, operation }: Placed, use_id: string, instead: string): Refusal {
  const { capability } = operation
  return refuse(
    'capability_denied',
    `This identity holds ${capability} only under the caveat once:${use_id}, and ${instead}; ask whoever granted it for a wider grant.`,
    {
      requested_capability: capability,
      reason: 'caveat not satisfied',
      caveat: `once:${use_id}`,
      agent_did: caller.did,
    },
  )
}
