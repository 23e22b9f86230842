// The turns of webhooks, as the engine takes them: each belongs to one engine at a time. The audit log is the queue.
import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { Database } from '@svc/contract/database'
import type { Tick } from '@svc/contract/tick'
import { type NotNull, sql } from '@svc/database/sql'

/** Another engine takes over from one that was killed after this time; each delivery renews it. */
const turn_s_max = 60
/** Of one organization at once, so that slow receivers of one do not hold up those of others. */
const of_tenant_max = 4

export interface TakenWebhook {
  readonly tenant_id: string
  readonly name: string
  readonly address: string
  readonly event_types: readonly string[]
  readonly sealed_secret: Buffer
  readonly wrapped_key: Buffer
  readonly set_by: string
  failures: number
  failing_since: Date | null
  readonly taken_by: string
  readonly seq: number
  /** The newest committed record. */
  readonly head: number
}

interface Row extends Omit<TakenWebhook, 'seq' | 'head' | 'taken_by'> {
  readonly seq: string
  readonly head: string
  readonly taken_by: NotNull<string>
}

/** Those behind their log whose time has come, the longest waiting first. */
export async function takeDue(
  db: Database,
  { now, newId }: Tick,
  webhooks_max: number,
): Promise<TakenWebhook[]> {
  const rows = await sql<Row>`
    WITH ranked AS (
      SELECT w.tenant_id, w.name, h.seq AS head, w.turn_at, h.seq > w.seq AND w.taken_until < clock_timestamp() AS is_due,
        row_number() OVER (PARTITION BY w.tenant_id
          ORDER BY w.taken_until < clock_timestamp(), h.seq > w.seq DESC, w.turn_at) AS place
      FROM webhooks w JOIN chain_heads h ON h.tenant_id = w.tenant_id
      WHERE w.stopped_at IS NULL AND (w.next_at IS NULL OR w.next_at <= ${now})
    ), due AS (
      SELECT w.tenant_id, w.name, r.head FROM webhooks w JOIN ranked r ON r.tenant_id = w.tenant_id AND r.name = w.name
      WHERE r.is_due AND r.place <= ${of_tenant_max} AND w.taken_until < clock_timestamp()
      ORDER BY r.turn_at LIMIT ${webhooks_max} FOR UPDATE OF w SKIP LOCKED
    )
    UPDATE webhooks w SET taken_by = ${newId()}, taken_until = clock_timestamp() + ${turn_s_max} * interval '1 s',
      turn_at = clock_timestamp()
    FROM due WHERE w.tenant_id = due.tenant_id AND w.name = due.name
    RETURNING w.tenant_id, w.name, w.address, w.event_types, w.sealed_secret, w.wrapped_key, w.set_by, w.failures,
      w.failing_since, w.taken_by, w.seq, due.head`.all(db)
  return rows.map((row) => ({ ...row, seq: Number(row.seq), head: Number(row.head) }))
}

export type Turn = Pick<TakenWebhook, 'tenant_id' | 'name' | 'taken_by'>

/** False where the turn is over: it was removed, changed, or taken by another engine. */
export async function noteDelivered(
  db: Database,
  { tenant_id, name, taken_by }: Turn,
  { seq, timestamp }: { readonly seq: number; readonly timestamp: string },
  at: Date,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE webhooks SET seq = ${seq}, waiting_since = ${timestamp}::timestamptz, last_delivered_at = ${at},
      failures = 0, failing_since = NULL, last_failure = NULL, next_at = NULL,
      taken_until = clock_timestamp() + ${turn_s_max} * interval '1 s'
    WHERE tenant_id = ${tenant_id} AND name = ${name} AND taken_by = ${taken_by}`.execute(db)
  return numAffectedRows === 1n
}

/** Everything up to this record was delivered or did not concern it. */
export async function noteCaughtUp(
  db: Database,
  { tenant_id, name, taken_by }: Turn,
  seq: number,
): Promise<void> {
  await sql`
    UPDATE webhooks SET seq = greatest(seq, ${seq}::bigint), waiting_since = NULL
    WHERE tenant_id = ${tenant_id} AND name = ${name} AND taken_by = ${taken_by}`.execute(db)
}

export interface Failure {
  readonly sentence: string
  readonly at: Date
  /** When the record was written that could not be delivered, where that is known. */
  readonly waiting_since?: string | undefined
}

export async function noteFailed(
  db: Database,
  { tenant_id, name, taken_by }: Turn,
  { sentence, at, waiting_since }: Failure,
  next_at: Date,
): Promise<void> {
  await sql`
    UPDATE webhooks SET failures = failures + 1, failing_since = coalesce(failing_since, ${at}), last_failure = ${sentence},
      next_at = ${next_at}, waiting_since = coalesce(${waiting_since ?? null}::timestamptz, waiting_since)
    WHERE tenant_id = ${tenant_id} AND name = ${name} AND taken_by = ${taken_by}`.execute(db)
}

/** Recorded with the same commit, once. */
export async function stopWebhook(
  db: Database,
  { tenant_id, name, taken_by, set_by }: Turn & Pick<TakenWebhook, 'set_by'>,
  { sentence, at, waiting_since }: Failure,
  newId: Tick['newId'],
): Promise<void> {
  await db.transaction(async (trx) => {
    const { numAffectedRows } = await sql`
      UPDATE webhooks SET stopped_at = ${at}, last_failure = ${sentence}, next_at = NULL,
        waiting_since = coalesce(${waiting_since ?? null}::timestamptz, waiting_since)
      WHERE tenant_id = ${tenant_id} AND name = ${name} AND taken_by = ${taken_by}`.execute(trx)
    if (numAffectedRows !== 1n) return
    await leaveInOutbox(trx, {
      id: newId(),
      event_type: 'WebhookStopped',
      correlation_id: newId(),
      timestamp: at.toISOString(),
      tenant_id,
      caller_did: set_by,
      protocol: 'MAX',
      outcome: 'success',
      latency_ms: 0,
      meta: { name, reason: sentence },
    })
  })
}

export async function endTurn(db: Database, { tenant_id, name, taken_by }: Turn): Promise<void> {
  await sql`
    UPDATE webhooks SET taken_by = NULL, taken_until = '-infinity'
    WHERE tenant_id = ${tenant_id} AND name = ${name} AND taken_by = ${taken_by}`.execute(db)
}
