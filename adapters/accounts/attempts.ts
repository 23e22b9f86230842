// Recent login attempts. Each is counted before it is judged, so that a hundred at once count as a hundred.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'

export interface AttemptRule {
  /** Free failures. */
  readonly free: number
  readonly wait_ms: number
  readonly wait_ms_max: number
}

/** After an hour without an attempt the earlier ones are forgotten; longer than any wait. */
const forgotten_ms = 3_600_000
const doublings_max = 16

/**
 * 0 if the attempt may be made; otherwise how long to wait. Each attempt counts as failed until `forgiveAttempts` is
 * called.
 */
export async function takeAttempt(
  db: Database,
  subject: string,
  rule: AttemptRule,
  now_ms: number,
): Promise<number> {
  const now = new Date(now_ms)
  const forgotten = new Date(now_ms - forgotten_ms)
  const waited = sql`least(${rule.wait_ms_max}::float8,
    ${rule.wait_ms}::float8 * power(2, least(a.failures - ${rule.free}, ${doublings_max})))`
  const rows = await sql<{ blocked_until: Date | null }>`
    INSERT INTO sign_in_attempts AS a (subject, failures, last_at) VALUES (${subject}, 1, ${now})
    ON CONFLICT (subject) DO UPDATE SET
      failures = CASE WHEN a.last_at < ${forgotten} THEN 1 ELSE a.failures + 1 END,
      last_at = ${now},
      blocked_until = CASE WHEN a.last_at >= ${forgotten} AND a.failures >= ${rule.free}
        THEN ${now}::timestamptz + ${waited} * interval '1 millisecond' END
    WHERE a.blocked_until IS NULL OR a.blocked_until <= ${now}
    RETURNING blocked_until`.all(db)
  if (rows.length > 0) return 0
  const blocks = await sql<{ blocked_until: Date | null }>`
    SELECT blocked_until FROM sign_in_attempts WHERE subject = ${subject}`.execute(db)
  return Math.max(1, (blocks.rows[0]?.blocked_until?.getTime() ?? now_ms) - now_ms)
}

/** After a success the account starts over, and the address gets its one attempt back. */
export async function forgiveAttempts(db: Database, account: string, address: string): Promise<void> {
  await sql`DELETE FROM sign_in_attempts WHERE subject = ${account}`.execute(db)
  await forgiveAddress(db, address)
}

export async function forgiveAddress(db: Database, address: string): Promise<void> {
  await sql`
    UPDATE sign_in_attempts SET failures = greatest(failures - 1, 0), blocked_until = NULL
    WHERE subject = ${address}`.execute(db)
}

export async function sweepAttempts(db: Database, now_ms: number): Promise<void> {
  await sql`DELETE FROM sign_in_attempts WHERE last_at < ${new Date(now_ms - forgotten_ms)}`.execute(db)
}
