// Devices for lists: the declared parts of each, and the current data of every part.

import type { Database } from '@svc/contract/database'
import type { Bounds } from '@svc/contract/list-page'
import { sql } from '@svc/database/sql'
import type { Command } from './actuator-command-store.ts'
import type { ActuatorState } from './actuator-state.ts'
import type { Descriptor } from './device-descriptor.ts'
import { type Part, partId } from './device-topic.ts'

/** A device not heard from for this long is silent. */
const silent_after_ms = 10 * 60_000

export const device_states = ['REPORTING', 'PENDING', 'SILENT'] as const
export type DeviceState = (typeof device_states)[number]

export function deviceState(
  { last_seen_at, pending }: { readonly last_seen_at: Date; readonly pending: number },
  now_ms: number,
): DeviceState {
  if (now_ms - last_seen_at.getTime() > silent_after_ms) return 'SILENT'
  return pending > 0 ? 'PENDING' : 'REPORTING'
}

export interface DeviceRow {
  readonly device_did: string
  readonly descriptor: Descriptor
  readonly accepted_at: Date
  readonly last_seen_at: Date
  /** Actuators whose newest command is unconfirmed. */
  readonly pending: number
}

/** Ordered by DID, so that a new descriptor does not move a device to another page. */
export async function readDevices(
  db: Database,
  tenant_id: string,
  { before, limit, device_did }: Bounds & { readonly device_did?: string | undefined },
): Promise<DeviceRow[]> {
  return sql<DeviceRow>`
    SELECT d.device_did, d.descriptor, d.accepted_at, d.last_seen_at, (SELECT count(*)::int FROM mote_twins t
      WHERE t.tenant_id = d.tenant_id AND t.device_did = d.device_did
        AND t.confirmed_version < t.desired_version) AS pending
    FROM mote_devices d WHERE d.tenant_id = ${tenant_id} AND d.device_did > ${before?.id ?? ''}
      ${device_did === undefined ? sql`` : sql`AND d.device_did = ${device_did}`}
    ORDER BY d.device_did LIMIT ${limit}`.all(db)
}

export interface LastReading {
  readonly value: number
  readonly observed_at: Date
}

/** By sensor id; sensors that never reported are left out. */
export async function lastReadings(
  db: Database,
  tenant_id: string,
  sensors: readonly Part[],
): Promise<ReadonlyMap<string, LastReading>> {
  const rows = await sql<Part & LastReading>`
    SELECT part.device_did, part.name, last.value, last.observed_at
    FROM unnest(${sensors.map(({ device_did }) => device_did)}::text[], ${sensors.map(({ name }) => name)}::text[])
      AS part (device_did, name), LATERAL (
      SELECT r.value, r.observed_at FROM mote_readings r
      WHERE r.tenant_id = ${tenant_id} AND r.device_did = part.device_did AND r.sensor = part.name
      ORDER BY r.observed_at DESC, r.seq DESC LIMIT 1) AS last`.all(db)
  return new Map(rows.map(({ value, observed_at, ...part }) => [partId(part), { value, observed_at }]))
}

export interface TwinRow {
  readonly is_confirmed: boolean
  readonly reported: ActuatorState | null
  readonly reported_at: Date | null
  /** Its newest command, while that is stored. */
  readonly command:
    | (Pick<Command, 'command_id' | 'kind' | 'state' | 'phase' | 'refusal' | 'by_did' | 'correlation_id'> & {
        readonly created_at: string
      })
    | null
}

/** By actuator id. */
export async function twinsOf(
  db: Database,
  tenant_id: string,
  device_dids: readonly string[],
): Promise<ReadonlyMap<string, TwinRow>> {
  const rows = await sql<TwinRow & Part>`
    SELECT t.device_did, t.actuator AS name, t.confirmed_version = t.desired_version AS is_confirmed, t.reported,
      t.reported_at, (
        SELECT jsonb_build_object('command_id', c.command_id, 'kind', c.kind, 'state', c.state, 'phase', c.phase,
          'refusal', c.refusal, 'by_did', c.by_did, 'correlation_id', c.correlation_id, 'created_at', c.created_at)
        FROM mote_commands c WHERE c.tenant_id = t.tenant_id AND c.device_did = t.device_did
          AND c.actuator = t.actuator ORDER BY c.desired_version DESC LIMIT 1) AS command
    FROM mote_twins t WHERE t.tenant_id = ${tenant_id} AND t.device_did = ANY(${[...device_dids]}::text[])`.all(
    db,
  )
  return new Map(rows.map(({ device_did, name, ...row }) => [partId({ device_did, name }), row]))
}
