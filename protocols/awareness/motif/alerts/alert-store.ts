// Alerts as rows: at most one of a rule is firing.
import type { Database } from '@svc/contract/database'
import type { Bounds } from '@svc/contract/list-page'
import { pageOf } from '@svc/database/page-bounds'
import { sql } from '@svc/database/sql'
import type { OpenAlert } from './alert.ts'
import type { Severity } from './rule-store.ts'
import type { Condition } from './watch.ts'

export interface Alert extends OpenAlert {
  readonly rule: string
  readonly condition: Condition
  readonly severity: Severity
  readonly value: number
  readonly fired_at: Date
  readonly resolved_at: Date | null
  readonly acknowledged_by: string | null
  readonly note: string | null
}

const columns = sql`alert_id, rule, condition, severity, value, fired_at, quiet_since, resolved_at, told_at,
  acknowledged_at, acknowledged_by, note`

export async function firingAlert(db: Database, tenant_id: string, rule: string): Promise<Alert | undefined> {
  return sql<Alert>`
    SELECT ${columns} FROM alerts WHERE tenant_id = ${tenant_id} AND rule = ${rule} AND resolved_at IS NULL
    FOR UPDATE`.first(db)
}

export async function lockAlert(
  db: Database,
  tenant_id: string,
  alert_id: string,
): Promise<Alert | undefined> {
  return sql<Alert>`
    SELECT ${columns} FROM alerts WHERE tenant_id = ${tenant_id} AND alert_id = ${alert_id} FOR UPDATE`.first(
    db,
  )
}

export async function addAlert(
  db: Database,
  tenant_id: string,
  alert: Pick<Alert, 'alert_id' | 'rule' | 'condition' | 'severity' | 'value' | 'fired_at' | 'told_at'>,
): Promise<void> {
  const { alert_id, rule, condition, severity, value, fired_at, told_at } = alert
  await sql`
    INSERT INTO alerts (tenant_id, alert_id, rule, condition, severity, value, fired_at, told_at)
    VALUES (${tenant_id}, ${alert_id}, ${rule}, ${JSON.stringify(condition)}::jsonb, ${severity}, ${value}, ${fired_at},
      ${told_at})`.execute(db)
}

export async function updateAlert(
  db: Database,
  tenant_id: string,
  { alert_id, value, quiet_since, told_at, resolved_at }: Pick<Alert, 'alert_id' | 'value' | 'quiet_since' | 'told_at' | 'resolved_at'>, // biome-ignore format: kept on one line
): Promise<void> {
  await sql`
    UPDATE alerts SET value = ${value}, quiet_since = ${quiet_since}, told_at = ${told_at}, resolved_at = ${resolved_at}
    WHERE tenant_id = ${tenant_id} AND alert_id = ${alert_id}`.execute(db)
}

export async function acknowledge(
  db: Database,
  tenant_id: string,
  alert_id: string,
  { by, at, note }: { readonly by: string; readonly at: Date; readonly note: string | null },
): Promise<void> {
  await sql`
    UPDATE alerts SET acknowledged_by = ${by}, acknowledged_at = ${at}, note = ${note}
    WHERE tenant_id = ${tenant_id} AND alert_id = ${alert_id}`.execute(db)
}

export interface AlertQuestion extends Bounds {
  readonly rule?: string | undefined
  readonly is_firing?: boolean | undefined
  readonly severity?: Severity | undefined
}

export async function listAlerts(db: Database, tenant_id: string, question: AlertQuestion): Promise<Alert[]> {
  const { rule, is_firing, severity } = question
  const page = pageOf(question, sql`fired_at`, sql`alert_id`, [
    sql`tenant_id = ${tenant_id}`,
    ...(rule === undefined ? [] : [sql`rule = ${rule}`]),
    ...(is_firing === undefined ? [] : [sql`(resolved_at IS NULL) = ${is_firing}`]),
    ...(severity === undefined ? [] : [sql`severity = ${severity}`]),
  ])
  return sql<Alert>`SELECT ${columns} FROM alerts WHERE ${page}`.all(db)
}

/** As the engine's role. The audit log keeps their records. */
export async function forgetAlerts(db: Database, before: Date, limit: number): Promise<void> {
  await sql`
    DELETE FROM alerts WHERE (tenant_id, alert_id) IN (
      SELECT tenant_id, alert_id FROM alerts WHERE resolved_at < ${before} ORDER BY resolved_at LIMIT ${limit})`.execute(
    db,
  )
}
