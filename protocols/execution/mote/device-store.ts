// Device rows: each device's latest descriptor, and when it was last heard from.

import type { Database } from '@svc/contract/database'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { sql } from '@svc/database/sql'
import type { Actuator, Descriptor, Sensor } from './device-descriptor.ts'
import { type Part, partOf } from './device-topic.ts'

const seen_every_ms = 30_000
const listed_max = 1_000

/** Newer descriptors replace older ones. `same`: a retained message delivered again; `older`: a replay. */
export async function keepDescriptor(
  db: Database,
  tenant_id: string,
  descriptor: Descriptor,
  now: Date,
): Promise<'kept' | 'same' | 'older'> {
  const { device_did, seq, actuators } = descriptor
  const inserted = await sql`
    INSERT INTO mote_devices AS d (tenant_id, device_did, seq, descriptor, accepted_at, last_seen_at)
    VALUES (${tenant_id}, ${device_did}, ${seq}, ${JSON.stringify(descriptor)}::jsonb, ${now}, ${now})
    ON CONFLICT (tenant_id, device_did) DO UPDATE SET seq = excluded.seq, descriptor = excluded.descriptor,
      accepted_at = excluded.accepted_at, last_seen_at = excluded.last_seen_at
    WHERE d.seq < excluded.seq RETURNING seq`.execute(db)
  if (inserted.rows.length > 0) {
    await sql`
      INSERT INTO mote_twins (tenant_id, device_did, actuator)
      SELECT ${tenant_id}, ${device_did}, name FROM unnest(${actuators.map(({ id }) => id)}::text[]) AS name
      ON CONFLICT DO NOTHING`.execute(db)
    return 'kept'
  }
  const device = await findDevice(db, tenant_id, device_did)
  return device && canonicalJson(device) === canonicalJson(descriptor) ? 'same' : 'older'
}

async function findDevice(
  db: Database,
  tenant_id: string,
  device_did: string,
): Promise<Descriptor | undefined> {
  const row = await sql<{ descriptor: Descriptor }>`
    SELECT descriptor FROM mote_devices
    WHERE tenant_id = ${tenant_id} AND device_did = ${device_did}`.first(db)
  return row?.descriptor
}

/** By DID, which includes the tenant. Runs as the engine's role. */
export async function findDevices(
  db: Database,
  device_dids: readonly string[],
): Promise<ReadonlyMap<string, Descriptor>> {
  const rows = await sql<{ device_did: string; descriptor: Descriptor }>`
    SELECT device_did, descriptor FROM mote_devices
    WHERE (tenant_id, device_did) IN (
      SELECT split_part(did, ':', 3), did FROM unnest(${device_dids}::text[]) AS did)`.all(db)
  return new Map(rows.map(({ device_did, descriptor }) => [device_did, descriptor]))
}

export async function findSensor(
  db: Database,
  tenant_id: string,
  sensor_id: string,
): Promise<(Part & { readonly sensor: Sensor }) | undefined> {
  const part = partOf(sensor_id)
  const device = await findDevice(db, tenant_id, part.device_did)
  const sensor = device?.sensors.find(({ id }) => id === part.name)
  return sensor && { ...part, sensor }
}

export interface FoundActuator extends Part {
  readonly actuator: Actuator
  readonly device: Descriptor
}

export async function findActuator(
  db: Database,
  tenant_id: string,
  actuator_id: string,
): Promise<FoundActuator | undefined> {
  const part = partOf(actuator_id)
  const device = await findDevice(db, tenant_id, part.device_did)
  const actuator = device?.actuators.find(({ id }) => id === part.name)
  return device && actuator && { ...part, actuator, device }
}

/** Runs as the engine's role. Not for every message: updating the row would cost more than the reading. */
export async function noteSeen(db: Database, device_dids: readonly string[], now: Date): Promise<void> {
  await sql`
    UPDATE mote_devices SET last_seen_at = ${now} WHERE (tenant_id, device_did) IN (
      SELECT split_part(did, ':', 3), did FROM unnest(${device_dids}::text[]) AS did)
    AND last_seen_at < ${new Date(now.getTime() - seen_every_ms)}`.execute(db)
}

export interface ListedDevice {
  readonly device_did: string
  readonly name?: string
  readonly sensors: readonly string[]
  readonly actuators: readonly string[]
  readonly accepted_at: Date
  /** Accurate to half a minute. */
  readonly last_seen_at: Date
  /** Actuators whose newest command is unconfirmed. */
  readonly pending: number
}

interface ListedPart {
  readonly limit?: number
  readonly after?: string
  /** Only this device. */
  readonly only?: string
}

/** Ordered by DID, so that the last device of a page is the cursor for the next. */
export async function listDevices(
  db: Database,
  tenant_id: string,
  { limit = listed_max, after = '', only }: ListedPart = {},
): Promise<ListedDevice[]> {
  const rows = await sql<{
    descriptor: Descriptor
    accepted_at: Date
    last_seen_at: Date
    pending: number
  }>`
    SELECT d.descriptor, d.accepted_at, d.last_seen_at, (SELECT count(*)::int FROM mote_twins t
      WHERE t.tenant_id = d.tenant_id AND t.device_did = d.device_did
        AND t.confirmed_version < t.desired_version) AS pending
    FROM mote_devices d WHERE d.tenant_id = ${tenant_id} AND d.device_did > ${after}
      AND (${only ?? null}::text IS NULL OR d.device_did = ${only ?? null})
    ORDER BY d.device_did LIMIT ${Math.min(limit, listed_max)}`.all(db)
  return rows.map(({ descriptor: { device_did, name, sensors, actuators }, ...row }) => ({
    device_did,
    ...(name === undefined ? {} : { name }),
    sensors: sensors.map(({ id }) => id),
    actuators: actuators.map(({ id }) => id),
    ...row,
  }))
}
