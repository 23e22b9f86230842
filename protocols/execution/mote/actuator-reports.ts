// Device reports about commands: accepted, rejected, and the current state. Late reports count too.

import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { EventType } from '@svc/contract/audit/event'
import type { Tick } from '@svc/contract/tick'
import { sql } from '@svc/database/sql'
import { type Command, findCommand, lastSent, lockTwin, type Place } from './actuator-command-store.ts'
import { matchesState } from './actuator-state.ts'
import type { Actuator } from './device-descriptor.ts'
import type { Ack, Reported } from './device-report.ts'
import { partId } from './device-topic.ts'

const awaited: readonly Command['phase'][] = ['sent', 'acked', 'timed_out']

/** Runs as the engine's role; returns whether a command ended. Unsent and ended commands stay unchanged. */
export async function recordAck(
  at: Place,
  { command_id, status, reason }: Ack,
  tick: Tick,
): Promise<boolean> {
  const { now } = tick
  if (!(await lockTwin(at))) return false
  const command = await findCommand(at, command_id)
  if (!command || !awaited.includes(command.phase)) return false
  if (status === 'rejected') {
    await become(at, command, 'rejected', now, reason)
    await tell(at, command, 'ActuatorRejected', tick, reason === undefined ? {} : { refusal: reason })
    return true
  }
  if (command.confirm !== 'readback') return confirm(at, command, 'ack', tick)
  await sql`
    UPDATE mote_commands SET acked_at = coalesce(acked_at, ${now}),
      phase = CASE phase WHEN 'sent' THEN 'acked' ELSE phase END
    WHERE tenant_id = ${at.tenant_id} AND command_id = ${command_id}`.execute(at.db)
  return false
}

/** Runs as the engine's role; returns whether a command ended. Older reports (replays) are ignored. */
export async function recordReported(
  at: Place,
  { fields }: Actuator,
  { v, seq, at: reported_at, command_id }: Reported,
  tick: Tick,
): Promise<boolean> {
  if (!(await lockTwin(at))) return false
  const { device_did, name } = at.part
  const { numAffectedRows = 0n } = await sql`
    UPDATE mote_twins SET reported = ${JSON.stringify(v)}::jsonb, reported_seq = ${seq}, reported_at = ${reported_at}
    WHERE tenant_id = ${at.tenant_id} AND device_did = ${device_did} AND actuator = ${name}
      AND (reported_seq IS NULL OR reported_seq < ${seq})`.execute(at.db)
  if (numAffectedRows === 0n) return false
  const command = await lastSent(at)
  if (!command || !awaited.includes(command.phase)) return false
  // A report that names a command confirms no other.
  if (command_id !== undefined && command_id !== command.command_id) return false
  return matchesState(fields, command.state, v) && confirm(at, command, 'readback', tick)
}

async function confirm(at: Place, command: Command, by: 'ack' | 'readback', tick: Tick): Promise<boolean> {
  await become(at, command, 'confirmed', tick.now)
  const { device_did, name } = at.part
  await sql`
    UPDATE mote_twins SET confirmed_version = greatest(confirmed_version, ${command.desired_version})
    WHERE tenant_id = ${at.tenant_id} AND device_did = ${device_did} AND actuator = ${name}`.execute(at.db)
  await tell(at, command, 'ActuatorConfirmed', tick, { by })
  return true
}

async function become(
  at: Place,
  { command_id }: Command,
  phase: 'confirmed' | 'rejected',
  now: Date,
  refusal?: string,
): Promise<void> {
  await sql`
    UPDATE mote_commands SET phase = ${phase}, acked_at = coalesce(acked_at, ${now}), ended_at = ${now},
      refusal = ${refusal ?? null}
    WHERE tenant_id = ${at.tenant_id} AND command_id = ${command_id}`.execute(at.db)
}

async function tell(
  { db, tenant_id, part }: Place,
  { command_id, desired_version, phase, kind, by_did, correlation_id }: Command,
  event_type: EventType,
  { now, newId }: Tick,
  more: Record<string, unknown>,
): Promise<void> {
  const is_late = phase === 'timed_out'
  await leaveInOutbox(db, {
    id: newId(),
    event_type,
    correlation_id,
    timestamp: now.toISOString(),
    tenant_id,
    caller_did: by_did,
    protocol: 'MOTE',
    operation: 'actuator_set_state',
    outcome: 'success',
    latency_ms: 0,
    meta: {
      actuator_id: partId(part),
      command_id,
      desired_version,
      kind,
      ...(is_late ? { late: true } : {}),
      ...more,
    },
  })
}
