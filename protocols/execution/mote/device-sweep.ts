// Background expiry: commands whose callers are gone, and rows past their retention.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import { storedSince } from './device-moment.ts'
import { partTopic } from './device-topic.ts'
import { forgetReadings } from './sensor-store.ts'

const batch_max = 256
const forgotten_at_once_max = 5_000
const commands_kept_days = 90
const day_ms = 86_400_000

/** Runs as the engine's role. Sent commands may still be answered. Returns the topics to notify. */
export async function sweepCommands(db: Database, now: Date): Promise<string[]> {
  const rows = await sql<{ tenant_id: string; device_did: string; actuator: string }>`
    UPDATE mote_commands SET phase = CASE phase WHEN 'queued' THEN 'expired' ELSE 'timed_out' END, ended_at = ${now}
    WHERE (tenant_id, command_id) IN (
      SELECT tenant_id, command_id FROM mote_commands WHERE ended_at IS NULL AND give_up_at < ${now}
      ORDER BY give_up_at LIMIT ${batch_max} FOR UPDATE SKIP LOCKED)
      AND ended_at IS NULL
    RETURNING tenant_id, device_did, actuator`.all(db)
  return rows.map(({ tenant_id, device_did, actuator }) =>
    partTopic(tenant_id, { device_did, name: actuator }),
  )
}

/** Runs as the engine's role. Returns how many rows were deleted. */
export async function forgetOldRows(db: Database, now: Date): Promise<number> {
  const readings = await forgetReadings(db, storedSince(now), forgotten_at_once_max)
  const ended_before = new Date(now.getTime() - commands_kept_days * day_ms)
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM mote_commands WHERE (tenant_id, command_id) IN (
      SELECT tenant_id, command_id FROM mote_commands
      WHERE ended_at < ${ended_before} LIMIT ${forgotten_at_once_max})`.execute(db)
  return readings + Number(numAffectedRows)
}
