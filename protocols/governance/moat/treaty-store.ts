// Treaties as rows. A change locks the first version of the line; the rules are in treaty.ts.

import type { StandingTreaty, TreatyState } from '@svc/contract/authority/treaty'
import type { Database } from '@svc/contract/database'
import type { Bounds } from '@svc/contract/list-page'
import { pageOf } from '@svc/database/page-bounds'
import { sql } from '@svc/database/sql'
import { asStanding, nextMoment, type StoredSignature, type StoredTreaty } from './treaty.ts'

/** Per pair: those in force first, then the most recently ended. */
const between_max = 256
const line_max = 1_000

interface TreatyRow extends Omit<StoredTreaty, 'proposer_tenant' | 'suspended' | 'signatures'> {
  readonly tenant_id: string
  readonly suspended_from: Date | null
  readonly suspended_until: Date | null
  readonly suspended_by: string | null
  readonly signatures: readonly StoredSignature[]
}

const whole_treaty = sql`
  t.id, t.body, t.root_id, t.tenant_id, t.proposed_by, t.proposed_at, t.sign_by, t.state, t.activated_at, t.in_force_at,
  t.suspended_from, t.suspended_until, t.suspended_by, t.open_cases, t.ended_at,
  (SELECT coalesce(jsonb_agg(jsonb_build_object('tenant', s.tenant_id, 'signed_by', s.signed_by, 'timestamp', s."timestamp",
     'public_key', s.public_key, 'signature', s.signature, 'method', s.method, 'authority', s.authority)
     ORDER BY s.tenant_id), '[]')
   FROM treaty_signatures s WHERE s.treaty_id = t.id) AS signatures`

function asTreaty(row: TreatyRow): StoredTreaty {
  const { tenant_id, suspended_from, suspended_until, suspended_by, ...rest } = row
  const suspended = suspended_from &&
    suspended_until && { from: suspended_from, until: suspended_until, by: suspended_by! }
  return { ...rest, proposer_tenant: tenant_id, suspended }
}

/** False if this very proposal (same terms, same nonce) is stored already. */
export async function keepTreaty(
  db: Database,
  treaty: StoredTreaty,
  counterparty_tenant: string,
  reason: string | null = null,
): Promise<boolean> {
  const { id, proposer_tenant, body, root_id, state, proposed_by, proposed_at, sign_by, open_cases } = treaty
  return sql`
    INSERT INTO treaties (id, tenant_id, counterparty_tenant, body, parent, root_id, state, proposed_by, proposed_at,
      sign_by, reason, open_cases, next_at)
    VALUES (${id}, ${proposer_tenant}, ${counterparty_tenant}, ${JSON.stringify(body)}, ${body.parent}, ${root_id}, ${state},
      ${proposed_by}, ${proposed_at}, ${sign_by}, ${reason}, ${open_cases}::text[], ${nextMoment(treaty)})
    ON CONFLICT (id) DO NOTHING RETURNING id`.exists(db)
}

/** Undefined if it does not exist or is not visible to this tenant. */
export async function findTreaty(db: Database, id: string): Promise<StoredTreaty | undefined> {
  const row = await sql<TreatyRow>`SELECT ${whole_treaty} FROM treaties t WHERE t.id = ${id}`.first(db)
  return row && asTreaty(row)
}

/** Locks the whole line until the transaction ends. */
export async function lockTreaty(db: Database, id: string): Promise<StoredTreaty | undefined> {
  // Lock first, then read again: other columns read while waiting for the lock may be outdated.
  const locked = await sql`
    SELECT FROM treaties WHERE id = (SELECT root_id FROM treaties WHERE id = ${id}) FOR UPDATE`.execute(db)
  return locked.rows.length === 0 ? undefined : await findTreaty(db, id)
}

/** Locks several with all their versions, always in one order. */
export async function lockTreaties(
  db: Database,
  treaty_ids: readonly (string | null | undefined)[],
): Promise<void> {
  const ids = treaty_ids.filter((id) => id !== null && id !== undefined)
  if (ids.length === 0) return
  await sql`
    SELECT FROM treaties WHERE id IN (SELECT root_id FROM treaties WHERE id = ANY(${ids}::text[]))
    ORDER BY id FOR UPDATE`.execute(db)
}

/** Every proposed version, oldest first. */
export async function findLine(db: Database, root_id: string): Promise<StoredTreaty[]> {
  const rows = await sql<TreatyRow>`
    SELECT ${whole_treaty} FROM treaties t WHERE t.root_id = ${root_id}
    ORDER BY t.proposed_at, t.id LIMIT ${line_max}`.all(db)
  return rows.map(asTreaty)
}

export interface TreatyQuestion extends Bounds {
  readonly now: string
  readonly treaty_id?: string | undefined
  readonly state?: TreatyState | undefined
  readonly partner?: string | undefined
  readonly is_amendment?: boolean | undefined
}

/** Treaties of a tenant, newest first; a state filter also returns those that may be due to enter it. */
export async function listTreaties(
  db: Database,
  tenant_id: string,
  question: TreatyQuestion,
): Promise<StoredTreaty[]> {
  const { treaty_id, state, partner, is_amendment, now, limit } = question
  const page = pageOf(question, sql`t.proposed_at`, sql`t.id`, [
    ...(treaty_id === undefined ? [] : [sql`t.id = ${treaty_id}`]),
    ...(state === undefined ? [] : [sql`(t.state = ${state} OR t.next_at <= ${now})`]),
    ...(partner === undefined ? [] : [sql`${partner} IN (t.tenant_id, t.counterparty_tenant)`]),
    ...(is_amendment === undefined ? [] : [sql`(t.parent IS NOT NULL) = ${is_amendment}`]),
  ])
  const rows = await sql<TreatyRow>`
    SELECT ${whole_treaty} FROM (
      (SELECT t.* FROM treaties t WHERE t.tenant_id = ${tenant_id} AND ${page})
      UNION ALL
      (SELECT t.* FROM treaties t WHERE t.counterparty_tenant = ${tenant_id} AND ${page})
    ) t ORDER BY t.proposed_at DESC, t.id DESC LIMIT ${limit}`.all(db)
  return rows.map(asTreaty)
}

export interface LineHead {
  readonly id: string
  readonly parent: string | null
  readonly state: TreatyState
  readonly proposed_at: Date
}

/** The versions of a line without their terms, newest first. */
export async function lineOf(db: Database, root_id: string, limit: number): Promise<LineHead[]> {
  return sql<LineHead>`
    SELECT id, parent, state, proposed_at FROM treaties WHERE root_id = ${root_id}
    ORDER BY proposed_at DESC, id DESC LIMIT ${limit}`.all(db)
}

export interface Words {
  readonly reason: string | null
  readonly ended_by: string | null
  readonly end_reason: string | null
}

/** Texts stored beside the terms. */
export async function findWords(db: Database, id: string): Promise<Words> {
  const row = await sql<Words>`
    SELECT reason, ended_by, end_reason FROM treaties WHERE id = ${id}`.first(db)
  return row!
}

/** The version of the line that both signed and that has not ended. */
export async function findHead(db: Database, root_id: string): Promise<StoredTreaty | undefined> {
  const row = await sql<TreatyRow>`
    SELECT ${whole_treaty} FROM treaties t
    WHERE t.root_id = ${root_id} AND t.state IN ('SIGNED', 'ACTIVE', 'SUSPENDED')`.first(db)
  return row && asTreaty(row)
}

/** The last version of an ended line: the last signed one, else the last proposed. */
export async function findLast(db: Database, root_id: string): Promise<StoredTreaty> {
  const row = await sql<TreatyRow>`
    SELECT ${whole_treaty} FROM treaties t WHERE t.root_id = ${root_id}
    ORDER BY t.activated_at DESC NULLS LAST, t.proposed_at DESC LIMIT 1`.first(db)
  return asTreaty(row!)
}

export interface Ending {
  readonly by: string
  readonly reason: string
}

export async function keepState(db: Database, treaty: StoredTreaty, ending?: Ending): Promise<void> {
  const { id, state, activated_at, in_force_at, suspended, open_cases, ended_at } = treaty
  await sql`
    UPDATE treaties SET state = ${state}, activated_at = ${activated_at}, in_force_at = ${in_force_at},
      suspended_from = ${suspended?.from ?? null}, suspended_until = ${suspended?.until ?? null},
      suspended_by = ${suspended?.by ?? null}, open_cases = ${open_cases}::text[], ended_at = ${ended_at},
      ended_by = coalesce(ended_by, ${ending?.by ?? null}), end_reason = coalesce(end_reason, ${ending?.reason ?? null}),
      next_at = ${nextMoment(treaty)}
    WHERE id = ${id}`.execute(db)
}

export async function keepSignature(
  db: Database,
  treaty_id: string,
  counterparty_tenant: string,
  signature: StoredSignature,
): Promise<void> {
  const { tenant, signed_by, timestamp, public_key, method, authority } = signature
  await sql`
    INSERT INTO treaty_signatures (treaty_id, tenant_id, counterparty_tenant, signed_by, "timestamp", public_key,
      signature, method, authority)
    VALUES (${treaty_id}, ${tenant}, ${counterparty_tenant}, ${signed_by}, ${timestamp}, ${public_key},
      ${signature.signature}, ${method}, ${authority})`.execute(db)
}

/** Open proposals of the line, except one. */
export async function findPending(db: Database, root_id: string, but: string): Promise<StoredTreaty[]> {
  const rows = await sql<TreatyRow>`
    SELECT ${whole_treaty} FROM treaties t WHERE t.root_id = ${root_id} AND t.id <> ${but}
      AND t.state IN ('PROPOSED', 'PARTIALLY_SIGNED') ORDER BY t.proposed_at, t.id LIMIT ${line_max}`.all(db)
  return rows.map(asTreaty)
}

/** Open proposals of one organization to another, counted up to the limit. */
export async function countOffers(db: Database, from: string, to: string, limit: number): Promise<number> {
  const rows = await sql`
    SELECT FROM treaties WHERE tenant_id = ${from} AND counterparty_tenant = ${to} AND parent IS NULL
      AND state IN ('PROPOSED', 'PARTIALLY_SIGNED') LIMIT ${limit}`.all(db)
  return rows.length
}

/** Treaties with a due transition, the longest due first. */
export async function findDueTreaties(db: Database, now: Date, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }>`
    SELECT id FROM treaties WHERE next_at <= ${now} ORDER BY next_at LIMIT ${limit}`.all(db)
  return rows.map(({ id }) => id)
}

/** As the engine's role: all signed treaties between two organizations, for stage 4. */
export async function treatiesBetween(db: Database, one: string, other: string): Promise<StandingTreaty[]> {
  const [first, second] = one < other ? [one, other] : [other, one]
  const rows = await sql<TreatyRow>`
    SELECT ${whole_treaty} FROM treaties t
    WHERE t.activated_at IS NOT NULL AND least(t.tenant_id, t.counterparty_tenant) = ${first}
      AND greatest(t.tenant_id, t.counterparty_tenant) = ${second}
    ORDER BY t.ended_at DESC NULLS FIRST, t.activated_at DESC LIMIT ${between_max}`.all(db)
  return rows.map((row) => asStanding(asTreaty(row)))
}

/** As the engine's role; undefined if this tenant is not a party. */
export async function treatyOfParty(
  db: Database,
  tenant_id: string,
  id: string,
): Promise<StandingTreaty | undefined> {
  const treaty = await findTreaty(db, id)
  return treaty?.body.parties.some(({ tenant }) => tenant === tenant_id) ? asStanding(treaty) : undefined
}

export interface TreatyOfTenant {
  readonly id: string
  readonly root_id: string
  readonly partner: string
  readonly state: TreatyState
}

/** All that bind a tenant or still could, in pages by id. */
export async function treatiesOf(
  db: Database,
  tenant_id: string,
  { after = '', limit = 256 }: { after?: string; limit?: number } = {},
): Promise<TreatyOfTenant[]> {
  return sql<TreatyOfTenant>`
    SELECT id, root_id, state,
      CASE WHEN tenant_id = ${tenant_id} THEN counterparty_tenant ELSE tenant_id END AS partner
    FROM treaties WHERE (tenant_id = ${tenant_id} OR counterparty_tenant = ${tenant_id}) AND id > ${after}
      AND state IN ('PROPOSED', 'PARTIALLY_SIGNED', 'SIGNED', 'ACTIVE', 'SUSPENDED')
    ORDER BY id LIMIT ${limit}`.all(db)
}

export interface Partners {
  readonly tenant_id: string
  readonly partner: string
}

const partners_max = 100_000

/** As the engine's role: pairs with an active treaty, in both directions. */
export async function partnersOf(db: Database): Promise<Partners[]> {
  return sql<Partners>`
    SELECT tenant_id, counterparty_tenant AS partner FROM treaties WHERE state = 'ACTIVE'
    UNION SELECT counterparty_tenant, tenant_id FROM treaties WHERE state = 'ACTIVE'
    ORDER BY 1, 2 LIMIT ${partners_max}`.all(db)
}

/** Treaties of an organization in force now that end by themselves until then. */
export async function countExpiringTreaties(
  db: Database,
  tenant_id: string,
  now: Date,
  until: Date,
): Promise<number> {
  const row = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM treaties
    WHERE (tenant_id = ${tenant_id} OR counterparty_tenant = ${tenant_id}) AND state = 'ACTIVE'
      AND (body ->> 'expires_at')::timestamptz > ${now} AND (body ->> 'expires_at')::timestamptz <= ${until}`.first(
    db,
  )
  return row!.count
}
