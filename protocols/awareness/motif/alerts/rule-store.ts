// Alert rules as rows. Each is read by one engine at a time.
import type { Database } from '@svc/contract/database'
import type { Tick } from '@svc/contract/tick'
import { type NotNull, sql } from '@svc/database/sql'
import type { Condition } from './watch.ts'

export const severities = ['info', 'warning', 'critical'] as const
export type Severity = (typeof severities)[number]

export interface AlertRule {
  readonly name: string
  readonly condition: Condition
  readonly severity: Severity
  readonly resolve_after_minutes: number
  /** Logins of people. */
  readonly mail_to: readonly string[]
  /** DIDs. */
  readonly mailboxes: readonly string[]
}

export interface ListedRule extends AlertRule {
  readonly set_by: string
  readonly set_at: Date
  readonly silenced_until: Date | null
  readonly last_value: number | null
  readonly last_read_at: Date | null
  readonly last_failure: string | null
}

const columns = sql`name, condition, severity, resolve_after_minutes, mail_to, mailboxes, set_by, set_at, silenced_until,
  last_value, last_read_at, last_failure`

/** How many there are. Nobody else adds one until this transaction ends. */
export async function lockAndCountRules(db: Database, tenant_id: string): Promise<number> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`alert rules|${tenant_id}`}, 0))`.execute(db)
  const row = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM alert_rules WHERE tenant_id = ${tenant_id}`.first(db)
  return row!.count
}

/** Locked, so that a reading that is under way waits. */
export async function lockRule(
  db: Database,
  tenant_id: string,
  name: string,
): Promise<ListedRule | undefined> {
  return sql<ListedRule>`
    SELECT ${columns} FROM alert_rules WHERE tenant_id = ${tenant_id} AND name = ${name} FOR UPDATE`.first(db)
}

export async function listRules(db: Database, tenant_id: string): Promise<ListedRule[]> {
  return sql<ListedRule>`
    SELECT ${columns} FROM alert_rules WHERE tenant_id = ${tenant_id} ORDER BY name`.all(db)
}

/** Readers share a look at the figures for a second: after it, all calls before the rule are in them. */
const first_look_ms = 1_000

/** It is read again at once, by its new terms. */
export async function putRule(
  db: Database,
  tenant_id: string,
  rule: AlertRule,
  set_by: string,
  at: Date,
): Promise<void> {
  const { name, condition, severity, resolve_after_minutes, mail_to, mailboxes } = rule
  await sql`
    INSERT INTO alert_rules (tenant_id, name, condition, severity, resolve_after_minutes, mail_to, mailboxes, set_by, set_at,
      next_at)
    VALUES (${tenant_id}, ${name}, ${JSON.stringify(condition)}::jsonb, ${severity}, ${resolve_after_minutes},
      ${mail_to}::text[], ${mailboxes}::text[], ${set_by}, ${at}, ${new Date(at.getTime() + first_look_ms)})
    ON CONFLICT (tenant_id, name) DO UPDATE SET condition = excluded.condition, severity = excluded.severity,
      resolve_after_minutes = excluded.resolve_after_minutes, mail_to = excluded.mail_to, mailboxes = excluded.mailboxes,
      set_by = excluded.set_by, set_at = excluded.set_at, next_at = excluded.next_at, last_failure = NULL, unread_told_at = NULL,
      taken_by = NULL, taken_until = '-infinity'`.execute(db)
}

export async function removeRule(db: Database, tenant_id: string, name: string): Promise<void> {
  await sql`DELETE FROM alert_rules WHERE tenant_id = ${tenant_id} AND name = ${name}`.execute(db)
}

export async function silenceRule(
  db: Database,
  tenant_id: string,
  name: string,
  until: Date | null,
): Promise<void> {
  await sql`
    UPDATE alert_rules SET silenced_until = ${until} WHERE tenant_id = ${tenant_id} AND name = ${name}`.execute(
    db,
  )
}

/** Another engine takes over from one that was killed after this time. */
const turn_s_max = 60

export interface TakenRule extends AlertRule, Pick<ListedRule, 'silenced_until' | 'set_by'> {
  readonly tenant_id: string
  readonly taken_by: NotNull<string>
  /** Since when it was not read; set anew counts as read. */
  readonly unread_since: NotNull<Date>
  /** When people were told of that. */
  readonly unread_told_at: Date | null
}

/** As the engine's role: rules whose time has come, of each organization only a few, so that none holds up the others. */
export async function takeDueRules(
  db: Database,
  { now, newId }: Tick,
  { of_tenant_max, rules_max }: { readonly of_tenant_max: number; readonly rules_max: number },
): Promise<TakenRule[]> {
  return sql<TakenRule>`
    WITH ranked AS (
      SELECT tenant_id, name, row_number() OVER (PARTITION BY tenant_id ORDER BY next_at, name) AS place FROM alert_rules
      WHERE next_at <= ${now} AND taken_until < clock_timestamp()
    ), due AS (
      SELECT r.tenant_id, r.name FROM alert_rules r JOIN ranked USING (tenant_id, name)
      WHERE ranked.place <= ${of_tenant_max} AND r.taken_until < clock_timestamp()
      ORDER BY r.next_at LIMIT ${rules_max} FOR UPDATE OF r SKIP LOCKED
    )
    UPDATE alert_rules r SET taken_by = ${newId()}, taken_until = clock_timestamp() + ${turn_s_max} * interval '1 s'
    FROM due WHERE r.tenant_id = due.tenant_id AND r.name = due.name
    RETURNING r.tenant_id, r.name, r.condition, r.severity, r.resolve_after_minutes, r.mail_to, r.mailboxes, r.silenced_until,
      r.set_by, r.taken_by, greatest(r.last_read_at, r.set_at) AS unread_since, r.unread_told_at`.all(db)
}

type Turn = Pick<TakenRule, 'tenant_id' | 'name' | 'taken_by'>

interface Reading {
  readonly value?: number
  readonly failure?: string
  readonly unread_told_at?: Date | null
  readonly at: Date
  readonly next_at: Date
}

/** False where the turn is over: the rule was changed, removed, or taken by another engine. */
export async function endTurn(
  db: Database,
  { tenant_id, name, taken_by }: Turn,
  reading: Reading,
): Promise<boolean> {
  const { value = null, failure = null, unread_told_at = null, at, next_at } = reading
  const { numAffectedRows } = await sql`
    UPDATE alert_rules SET last_value = coalesce(${value}::double precision, last_value), last_failure = ${failure},
      last_read_at = CASE WHEN ${failure}::text IS NULL THEN ${at} ELSE last_read_at END, next_at = ${next_at},
      unread_told_at = ${unread_told_at}::timestamptz,
      taken_by = NULL, taken_until = '-infinity'
    WHERE tenant_id = ${tenant_id} AND name = ${name} AND taken_by = ${taken_by}`.execute(db)
  return numAffectedRows === 1n
}
