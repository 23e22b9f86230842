// MOTE.list: the devices, what their parts can do, and when each was last heard from.
import { did_form } from '@svc/contract/identity/did'
import { next_cursor, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import { name_page_fields, placeOfName } from '@svc/contract/own-list'
import { Closed, Did, ListOf, OneOf, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { phases } from './actuator-command-store.ts'
import { ActuatorState, FieldTable } from './actuator-state.ts'
import type { Descriptor } from './device-descriptor.ts'
import {
  type DeviceRow,
  device_states,
  deviceState,
  type LastReading,
  lastReadings,
  readDevices,
  type TwinRow,
  twinsOf,
} from './device-listing.ts'
import { PartId, PartName, partId } from './device-topic.ts'

const parts_max = 64

const Sensor = Closed({
  sensor_id: PartId,
  unit: Type.String(),
  low: Type.Number({ description: 'What it can measure; a reading outside is bad.' }),
  high: Type.Number(),
  sd: Type.Optional(Type.Number()),
  rate_hz: Type.Optional(Type.Number()),
  last: Type.Optional(Closed({ value: Type.Number(), observed_at: Timestamp })),
})

const Actuator = Closed({
  actuator_id: PartId,
  fields: FieldTable,
  interlock: Type.Optional(Type.String()),
  safe_state: ActuatorState,
  is_confirmed: Type.Boolean({ description: 'The device has confirmed what was last wanted of it.' }),
  reported: Type.Optional(ActuatorState),
  reported_at: Type.Optional(Timestamp),
  command: Type.Optional(
    Closed(
      {
        command_id: Uuid,
        kind: OneOf('set', 'safe'),
        state: ActuatorState,
        phase: OneOf(...phases),
        refusal: Type.Optional(Type.String()),
        by_did: Did,
        correlation_id: Uuid,
        created_at: Timestamp,
      },
      { description: 'The newest; those that ended long ago are not kept.' },
    ),
  ),
})

const Device = Closed({
  device_did: Did,
  name: Type.Optional(PartName),
  state: OneOf(...device_states),
  described_at: Timestamp,
  last_seen_at: Type.String({ ...Timestamp, description: 'To within half a minute, RFC 3339 in UTC.' }),
  signed_readings: Type.Boolean(),
  pending: Type.Integer({ minimum: 0, description: 'Actuators whose newest command nobody has confirmed.' }),
  sensors: ListOf(Sensor, 0, parts_max),
  actuators: ListOf(Actuator, 0, parts_max),
})

export const ListInput = Closed({
  device_did: Type.Optional(Did),
  state: Type.Optional(
    Type.Enum([...device_states], { description: 'SILENT: nothing was heard of it for ten minutes.' }),
  ),
  ...name_page_fields,
})

export const ListOutput = Closed({
  broker: OneOf('connected', 'away', 'none'),
  items: ListOf(Device, 0, page_max),
  next_cursor,
})

export async function listDevices(input: Static<typeof ListInput>, context: OperationContext<'devices'>) {
  const { db, tenant_id, now } = context
  const { device_did, state } = input
  const page = await listing(input, context, {
    own: 'devices',
    id_form: did_form,
    read: (bounds) => readDevices(db, tenant_id, { ...bounds, device_did }),
    placeOf: (row) => placeOfName(row.device_did),
    isWanted: (row) => state === undefined || deviceState(row, Date.parse(now)) === state,
    view: (rows) => devicesOf(rows, context),
  })
  return { broker: context.devices.state(), ...page }
}

async function devicesOf(rows: readonly DeviceRow[], { db, tenant_id, now }: OperationContext) {
  const sensors = rows.flatMap(({ device_did, descriptor }) =>
    descriptor.sensors.map(({ id }) => ({ device_did, name: id })),
  )
  const last = await lastReadings(db, tenant_id, sensors)
  const twins = await twinsOf(
    db,
    tenant_id,
    rows.map(({ device_did }) => device_did),
  )
  return rows.map((row) => deviceView(row, { last, twins, now_ms: Date.parse(now) }))
}

interface Known {
  readonly last: ReadonlyMap<string, LastReading>
  readonly twins: ReadonlyMap<string, TwinRow>
  readonly now_ms: number
}

function deviceView(row: DeviceRow, { last, twins, now_ms }: Known): Static<typeof Device> {
  const { device_did, descriptor, accepted_at, last_seen_at, pending } = row
  const idOf = ({ id }: { readonly id: string }) => partId({ device_did, name: id })
  return {
    device_did,
    ...(descriptor.name !== undefined && { name: descriptor.name }),
    state: deviceState(row, now_ms),
    described_at: accepted_at.toISOString(),
    last_seen_at: last_seen_at.toISOString(),
    signed_readings: descriptor.signed_readings ?? false,
    pending,
    sensors: descriptor.sensors.map((sensor) => sensorView(sensor, idOf(sensor), last.get(idOf(sensor)))),
    actuators: descriptor.actuators.map((part) => actuatorView(part, idOf(part), twins.get(idOf(part)))),
  }
}

function sensorView(
  { id: _, ...declared }: Descriptor['sensors'][number],
  sensor_id: string,
  last: LastReading | undefined,
): Static<typeof Sensor> {
  const read = last && { value: last.value, observed_at: last.observed_at.toISOString() }
  return { sensor_id, ...declared, ...(read && { last: read }) }
}

function actuatorView(
  { id: _, ...declared }: Descriptor['actuators'][number],
  actuator_id: string,
  twin: TwinRow | undefined,
): Static<typeof Actuator> {
  const { is_confirmed = true, reported, reported_at, command } = twin ?? {}
  return {
    actuator_id,
    ...declared,
    is_confirmed,
    ...(reported && { reported }),
    ...(reported_at && { reported_at: reported_at.toISOString() }),
    ...(command && { command: commandView(command) }),
  }
}

function commandView({ refusal, created_at, ...command }: NonNullable<TwinRow['command']>) {
  return { ...command, ...(refusal && { refusal }), created_at: new Date(created_at).toISOString() }
}
