// Reads the rules that are due and lets their alerts fire and resolve. Each rule is read by one engine at a time.
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { EventType } from '@svc/contract/audit/event'
import type { Database } from '@svc/contract/database'
import { Refusal } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { nextStep } from './alert.ts'
import { addAlert, firingAlert, forgetAlerts, updateAlert } from './alert-store.ts'
import { endTurn, type TakenRule, takeDueRules } from './rule-store.ts'
import { alertMessage, type Message, type TellParts, tellOf, unreadMessage } from './telling.ts'
import { type Condition, watchOf } from './watch.ts'

const minute_ms = 60_000
const taken = { of_tenant_max: 2, rules_max: 32 }
const tenants_at_once = 2
/** A rule is read so seldom that it takes at most this share of the time. */
const share_of_time_max = 0.05
/** Who is told of it is told when it was not read for this long. */
const unread_ms_max = 15 * minute_ms
const kept_ms = 90 * 86_400_000
const forgotten_at_once_max = 256

export interface EvaluationParts extends TellParts {
  /** As the engine: all tenants. */
  readonly db: Database
  transaction(tenant_id: string): {
    readonly db: Database
    commit(events: readonly AuditEntry[]): Promise<void>
    rollback(): Promise<void>
  }
  /** The value of a condition, with the rights of the organization. */
  read(db: Database, tenant_id: string, condition: Condition, now: Date): Promise<number>
  readonly clock: { now_ms(): number; monotonic_ms(): number }
  warn(error: unknown, rule: Pick<TakenRule, 'tenant_id' | 'name'>): void
}

/** Returns how many rules were due; a full batch means there may be more. */
export async function evaluateRules(parts: EvaluationParts): Promise<number> {
  const now = new Date(parts.clock.now_ms())
  const rules = await takeDueRules(parts.db, { now, newId: parts.newId }, taken)
  const by_tenant = [...Map.groupBy(rules, ({ tenant_id }) => tenant_id).values()]
  const work = async () => {
    for (let own = by_tenant.pop(); own; own = by_tenant.pop())
      for (const rule of own) await evaluate(rule, parts)
  }
  await Promise.all(Array.from({ length: tenants_at_once }, work))
  return rules.length
}

/** Old ones that are resolved; the audit log keeps their records. */
export async function forgetOldAlerts(db: Database, now: Date): Promise<void> {
  await forgetAlerts(db, new Date(now.getTime() - kept_ms), forgotten_at_once_max)
}

async function evaluate(rule: TakenRule, parts: EvaluationParts): Promise<void> {
  const begun_ms = parts.clock.monotonic_ms()
  try {
    await inTransaction(rule, parts, async (db, events) => {
      await sql`SET LOCAL statement_timeout = 5000`.execute(db)
      const now = new Date(parts.clock.now_ms())
      const value = await parts.read(db, rule.tenant_id, rule.condition, now)
      const took_ms = parts.clock.monotonic_ms() - begun_ms
      const wait_ms = Math.max(watchOf(rule.condition.watches).every_ms, took_ms / share_of_time_max)
      const next_at = new Date(now.getTime() + wait_ms)
      if (await endTurn(db, rule, { value, at: now, next_at }))
        await step(db, rule, { value, now }, events, parts)
    })
  } catch (error) {
    if (!(error instanceof Refusal)) parts.warn(error, rule)
    const failure =
      error instanceof Refusal ? error.message : 'It could not be read; it is tried again each minute.'
    await inTransaction(rule, parts, (db, events) => noteFailure(db, rule, failure, events, parts)).catch(
      (second) => parts.warn(second, rule),
    )
  }
}

async function noteFailure(
  db: Database,
  rule: TakenRule,
  failure: string,
  events: AuditEntry[],
  parts: EvaluationParts,
): Promise<void> {
  const { unread_since, unread_told_at, silenced_until } = rule
  const at = new Date(parts.clock.now_ms())
  const is_silenced = silenced_until !== null && silenced_until > at
  const tells = !unread_told_at && !is_silenced && at.getTime() - unread_since.getTime() >= unread_ms_max
  const next_at = new Date(at.getTime() + minute_ms)
  if (!(await endTurn(db, rule, { failure, unread_told_at: tells ? at : unread_told_at, at, next_at })))
    return
  if (!tells) return
  events.push(
    eventOf(
      'AlertRuleUnread',
      rule,
      { unread_since: unread_since.toISOString(), reason: failure },
      at,
      parts,
    ),
  )
  await tell(db, rule, unreadMessage(rule, failure, at), {}, events, parts)
}

/** Whom it did not reach is recorded. */
async function tell(
  db: Database,
  rule: TakenRule,
  message: Message,
  facts: Readonly<Record<string, unknown>>,
  events: AuditEntry[],
  parts: EvaluationParts,
): Promise<void> {
  for (const unreached of await tellOf(db, rule, message, parts))
    events.push(eventOf('MailFailed', rule, { ...facts, ...unreached }, message.at, parts))
}

async function step(
  db: Database,
  rule: TakenRule,
  { value, now }: { readonly value: number; readonly now: Date },
  events: AuditEntry[],
  parts: EvaluationParts,
): Promise<void> {
  const { tenant_id, name, condition, severity, silenced_until, resolve_after_minutes } = rule
  const alert = await firingAlert(db, tenant_id, name)
  const judged = {
    value,
    above: condition.above,
    resolve_after_ms: resolve_after_minutes * minute_ms,
    silenced_until,
  }
  const next = nextStep(alert, judged, now)
  if (next.kind === 'none') return
  const alert_id = alert?.alert_id ?? parts.newId()
  const told_at = next.tell && next.kind !== 'resolve' ? now : (alert?.told_at ?? null)
  if (next.kind === 'fire') {
    await addAlert(db, tenant_id, {
      alert_id,
      rule: name,
      condition,
      severity,
      value,
      fired_at: now,
      told_at,
    })
    events.push(eventOf('AlertFired', rule, { alert_id, value }, now, parts))
  } else {
    const resolved_at = next.kind === 'resolve' ? now : null
    const quiet_since = next.kind === 'resolve' ? (alert?.quiet_since ?? now) : next.quiet_since
    await updateAlert(db, tenant_id, { alert_id, value, quiet_since, told_at, resolved_at })
    if (resolved_at) events.push(eventOf('AlertResolved', rule, { alert_id, value }, now, parts))
  }
  const state = next.kind === 'resolve' ? 'RESOLVED' : 'FIRING'
  if (next.tell)
    await tell(db, rule, alertMessage(rule, { alert_id, state, value, at: now }), { alert_id }, events, parts)
}

function eventOf(
  event_type: EventType,
  { tenant_id, name, severity, condition, set_by }: TakenRule,
  facts: Readonly<Record<string, unknown>>,
  now: Date,
  { newId }: Pick<EvaluationParts, 'newId'>,
): AuditEntry {
  return {
    id: newId(),
    event_type,
    correlation_id: newId(),
    timestamp: now.toISOString(),
    tenant_id,
    caller_did: set_by,
    protocol: 'MOTIF',
    outcome: 'success',
    latency_ms: 0,
    meta: { rule: name, severity, ...condition, ...facts },
  }
}

async function inTransaction(
  { tenant_id }: TakenRule,
  parts: EvaluationParts,
  work: (db: Database, events: AuditEntry[]) => Promise<void>,
): Promise<void> {
  const transaction = parts.transaction(tenant_id)
  const events: AuditEntry[] = []
  try {
    await work(transaction.db, events)
    await transaction.commit(events)
  } catch (error) {
    await transaction.rollback()
    throw error
  }
}
