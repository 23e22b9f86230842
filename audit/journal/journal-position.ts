// A journal's position in the database, and the lock that says which process may move it.
import { setTimeout as pause } from 'node:timers/promises'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import type { ClientBase } from 'pg'
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
    'SELECT segment, byte_offset FROM journal_positions WHERE journal_id = $1',
    [journal_id],
  )
  return { segment: Number(rows[0]!.segment), offset: Number(rows[0]!.byte_offset) }
}

/** The server may take a moment to notice that an engine was killed, so this tries more than once. */
export async function lockPosition(client: ClientBase, journal_id: string, dir: string): Promise<void> {
  const key = BigInt.asIntN(64, BigInt(`0x${sha256Hex(`svc journal ${journal_id}`).slice(0, 16)}`))
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
