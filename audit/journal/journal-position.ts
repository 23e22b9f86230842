// A journal's position in the database, and the lock that says which process may move it.
import { setTimeout as pause } from 'node:timers/promises'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import type { ClientBase } from 'pg'
import type { Query } from '../query/client-query.ts'
import type { Position } from '../writer/signals.ts'

const lock_wait_ms_max = 3_000
const lock_retry_ms = 100

/** Takes the lock for this session and returns the committed position; `first` where the journal is new. */
export async function openPosition(
  client: ClientBase,
  journal_id: string,
  dir: string,
  first: Position,
): Promise<Position> {
  await lockPosition(client, journal_id, dir)
  await client.query(
    `INSERT INTO journal_positions (journal_id, segment, byte_offset) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
    [journal_id, first.segment, first.offset],
  )
  const { rows } = await client.query<{ segment: string; byte_offset: string }>(
    'UPDATE journal_positions SET drained_at = NULL WHERE journal_id = $1 RETURNING segment, byte_offset',
    [journal_id],
  )
  return { segment: Number(rows[0]!.segment), offset: Number(rows[0]!.byte_offset) }
}

/** The server may take a moment to notice that an engine was killed, so this tries more than once. */
export async function lockPosition(client: ClientBase, journal_id: string, dir: string): Promise<void> {
  const key = lockKey(journal_id)
  for (let waited_ms = 0; ; waited_ms += lock_retry_ms) {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
      key.toString(),
    ])
    if (rows[0]?.taken) return
    if (waited_ms >= lock_wait_ms_max) {
      throw new Error(
        `The audit journal in ${dir} is being written by another engine; stop it or set SVC_AUDIT_BUFFER_DIR to another folder.`,
      )
    }
    await pause(lock_retry_ms)
  }
}

/** Of the advisory lock that the process holds which may write the journal. */
function lockKey(journal_id: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${sha256Hex(`svc journal ${journal_id}`).slice(0, 16)}`))
}

/** Nothing is left in it that is not in the log: its engine stopped in order. */
export async function noteDrained(query: Query, journal_id: string): Promise<void> {
  await query('UPDATE journal_positions SET drained_at = now() WHERE journal_id = $1', [journal_id])
}

export interface JournalState {
  readonly journal_id: string
  readonly is_held: boolean
  readonly is_drained: boolean
}

export async function journalStates(query: Query): Promise<JournalState[]> {
  const [journals, locks] = await Promise.all([
    query<{ journal_id: string; drained_at: Date | null }>(
      'SELECT journal_id, drained_at FROM journal_positions ORDER BY journal_id',
      [],
    ),
    query<{ key: string }>(
      `SELECT (classid::bigint << 32 | objid::bigint)::text AS key FROM pg_locks
       WHERE locktype = 'advisory' AND objsubid = 1 AND granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [],
    ),
  ])
  const held_keys = new Set(locks.map(({ key }) => BigInt.asIntN(64, BigInt(key))))
  return journals.map(({ journal_id, drained_at }) => ({
    journal_id,
    is_held: held_keys.has(lockKey(journal_id)),
    is_drained: drained_at !== null,
  }))
}
