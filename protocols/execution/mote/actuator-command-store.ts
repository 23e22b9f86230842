// Command rows. Each actuator has one active command; the others queue by desired version.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import type { ActuatorState } from './actuator-state.ts'
import type { Part } from './device-topic.ts'

export type Confirm = 'none' | 'ack' | 'readback'
export const phases = [
  'queued',
  'sent',
  'acked',
  'confirmed',
  'rejected',
  'timed_out',
  'expired',
  'unsent',
  'cancelled',
] as const
export type Phase = (typeof phases)[number]

export interface Twin {
  readonly desired_version: number
  readonly reported: ActuatorState | null
  readonly reported_at: Date | null
  readonly safe_retained: boolean
}

export interface Command {
  readonly command_id: string
  readonly desired_version: number
  readonly kind: 'set' | 'safe'
  readonly state: ActuatorState
  readonly confirm: Confirm
  readonly phase: Phase
  readonly refusal: string | null
  readonly by_did: string
  readonly correlation_id: string
  readonly created_at: Date
  readonly expires_at: Date | null
  /** When its caller stops waiting. */
  readonly give_up_at: Date
  readonly sent_at: Date | null
}

/** How many commands back to look for the last value of a field. */
const told_max = 10_000

const columns = sql`command_id, desired_version::float8 AS desired_version, kind, state, confirm, phase, refusal, by_did,
  correlation_id, created_at, expires_at, give_up_at, sent_at`

/** An actuator, and the transaction to use. */
export interface Place {
  readonly db: Database
  readonly tenant_id: string
  readonly part: Part
}

function here({ tenant_id, part: { device_did, name } }: Place) {
  return sql`tenant_id = ${tenant_id} AND device_did = ${device_did} AND actuator = ${name}`
}

/** Changing the desired state of an actuator requires the lock on its twin. */
export async function lockTwin(at: Place): Promise<Twin> {
  const row = await sql<Twin>`
    SELECT desired_version::float8 AS desired_version, reported, reported_at, safe_retained
    FROM mote_twins WHERE ${here(at)} FOR UPDATE`.first(at.db)
  return row!
}

export async function readTwin(at: Place): Promise<Twin | undefined> {
  return sql<Twin>`
    SELECT desired_version::float8 AS desired_version, reported, reported_at, safe_retained
    FROM mote_twins WHERE ${here(at)}`.first(at.db)
}

export async function findCommand(at: Place, command_id: string): Promise<Command | undefined> {
  return sql<Command>`
    SELECT ${columns} FROM mote_commands WHERE ${here(at)} AND command_id = ${command_id}`.first(at.db)
}

/** Ends overdue commands now, so that the next one need not wait for the sweep. Needs the twin's lock. */
export async function endOverdue(at: Place, moment: Date): Promise<void> {
  await sql`
    UPDATE mote_commands SET phase = CASE phase WHEN 'queued' THEN 'expired' ELSE 'timed_out' END, ended_at = ${moment}
    WHERE ${here(at)} AND ended_at IS NULL AND give_up_at < ${moment}`.execute(at.db)
}

/** Active and queued commands, in order. */
export async function openCommands(at: Place, limit: number): Promise<Command[]> {
  return sql<Command>`
    SELECT ${columns} FROM mote_commands WHERE ${here(at)} AND ended_at IS NULL
    ORDER BY desired_version LIMIT ${limit}`.all(at.db)
}

interface Told {
  readonly field: string
  readonly value: ActuatorState[string]
  /** When it was sent; when it was requested if it is not sent yet. */
  readonly told_at: Date
  /** The device has since reported this value, so its current report is newer. */
  readonly is_read_back: boolean
}

/** The last commanded value of each field before this version, without commands that never took effect. */
export async function lastTold(
  at: Place,
  fields: readonly string[],
  before_version: number,
): Promise<readonly Told[]> {
  return sql<Told>`
    SELECT field, told.value, told.told_at, told.is_read_back FROM unnest(${fields}::text[]) AS field, LATERAL (
      SELECT state -> field AS value, coalesce(sent_at, created_at) AS told_at,
        (phase = 'confirmed' AND confirm = 'readback') AS is_read_back
      FROM mote_commands WHERE ${here(at)} AND state ? field
        AND desired_version < ${before_version} AND desired_version >= ${before_version - told_max}
        AND phase NOT IN ('rejected', 'expired', 'unsent', 'cancelled')
      ORDER BY desired_version DESC LIMIT 1) AS told`.all(at.db)
}

/** The newest command sent. */
export async function lastSent(at: Place): Promise<Command | undefined> {
  return sql<Command>`
    SELECT ${columns} FROM mote_commands WHERE ${here(at)} AND sent_at IS NOT NULL
    ORDER BY desired_version DESC LIMIT 1`.first(at.db)
}

/** The twin must be locked. Returns the new desired version. */
export async function wantState(
  at: Place,
  command: Omit<Command, 'desired_version' | 'refusal' | 'phase'>,
): Promise<number> {
  const { device_did, name } = at.part
  const row = await sql<{ desired_version: number }>`
    UPDATE mote_twins SET desired_version = desired_version + 1 WHERE ${here(at)}
    RETURNING desired_version::float8 AS desired_version`.first(at.db)
  const { desired_version } = row!
  const { command_id, kind, state, confirm, by_did, correlation_id, created_at, sent_at } = command
  await sql`
    INSERT INTO mote_commands (tenant_id, command_id, device_did, actuator, desired_version, kind, state, confirm,
      phase, by_did, correlation_id, created_at, expires_at, give_up_at, sent_at)
    VALUES (${at.tenant_id}, ${command_id}, ${device_did}, ${name}, ${desired_version}, ${kind},
      ${JSON.stringify(state)}::jsonb, ${confirm}, ${sent_at ? 'sent' : 'queued'}, ${by_did}, ${correlation_id},
      ${created_at}, ${command.expires_at}, ${command.give_up_at}, ${sent_at})`.execute(at.db)
  return desired_version
}

/** False if the sweep, which does not lock twins, ended it first. */
export async function markSent(at: Place, command_id: string, moment: Date): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    UPDATE mote_commands SET phase = 'sent', sent_at = ${moment}
    WHERE tenant_id = ${at.tenant_id} AND command_id = ${command_id} AND phase = 'queued'`.execute(at.db)
  return numAffectedRows > 0n
}

/** Ends the command unless it has already ended; returns whether it did. */
export async function endCommand(
  at: Place,
  command_id: string,
  phase: Phase,
  moment: Date,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    UPDATE mote_commands SET phase = ${phase}, ended_at = ${moment}
    WHERE tenant_id = ${at.tenant_id} AND command_id = ${command_id} AND ended_at IS NULL`.execute(at.db)
  return numAffectedRows > 0n
}

export async function cancelOpen(at: Place, moment: Date): Promise<void> {
  await sql`
    UPDATE mote_commands SET phase = 'cancelled', ended_at = ${moment}
    WHERE ${here(at)} AND ended_at IS NULL`.execute(at.db)
}

export async function noteRetained(at: Place, safe_retained: boolean): Promise<void> {
  await sql`UPDATE mote_twins SET safe_retained = ${safe_retained} WHERE ${here(at)}`.execute(at.db)
}
