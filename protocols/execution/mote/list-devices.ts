// MOTE.list: the devices, what their parts can do, and when each was last heard from.
import { publicKeys } from '@svc/audit/query/records'
import { did_form } from '@svc/contract/identity/did'
import { next_cursor, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import { name_page_fields, placeOfName } from '@svc/contract/own-list'
import { Closed, Did, described, ListOf, OneOf, PublicKey, Timestamp, Uuid } from '@svc/contract/schema'
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
const keys_max = 10

const Sensor = Closed({
  sensor_id: PartId,
  unit: Type.String({ description: 'Unit of its readings.' }),
  low: Type.Number({ description: 'What it can measure; a reading outside is bad.' }),
  high: Type.Number({ description: 'Highest value it can measure; a reading outside is bad.' }),
  sd: Type.Optional(Type.Number({ description: 'Standard deviation of its noise.' })),
  rate_hz: Type.Optional(Type.Number({ description: 'Readings per second.' })),
  last: Type.Optional(
    Closed(
      {
        value: Type.Number({ description: "The reading, in the sensor's unit." }),
        observed_at: described(Timestamp, 'When the device measured it.'),
      },
      { description: 'Its newest reading; absent where there is none.' },
    ),
  ),
})

const Actuator = Closed({
  actuator_id: PartId,
  fields: described(FieldTable, 'What can be set, and within which bounds.'),
  interlock: Type.Optional(Type.String({ description: 'CEL that must hold before it is set.' })),
  safe_state: described(ActuatorState, 'State that an emergency stop sets.'),
  is_confirmed: Type.Boolean({ description: 'The device has confirmed what was last wanted of it.' }),
  reported: Type.Optional(described(ActuatorState, 'State that the device reported last.')),
  reported_at: Type.Optional(described(Timestamp, 'When it was reported; absent until then.')),
  command: Type.Optional(
    Closed(
      {
        command_id: described(Uuid, 'Names the command.'),
        kind: described(OneOf('set', 'safe'), 'set by a caller, or safe: by an emergency stop.'),
        state: described(ActuatorState, 'State that was wanted.'),
        phase: described(
          OneOf(...phases),
          'How far it got: queued, sent and acked are open, the others are ends.',
        ),
        refusal: Type.Optional(Type.String({ description: 'Why the device rejected it, in its word.' })),
        by_did: described(Did, 'Who gave the command.'),
        correlation_id: described(Uuid, 'Request that gave it, in the audit log.'),
        created_at: described(Timestamp, 'When it was given.'),
      },
      { description: 'The newest; those that ended long ago are not kept.' },
    ),
  ),
})

const Device = Closed({
  device_did: described(Did, 'The device.'),
  name: Type.Optional(PartName),
  state: described(
    OneOf(...device_states),
    'REPORTING; PENDING: a command is unconfirmed; SILENT: not heard for ten minutes.',
  ),
  described_at: described(Timestamp, 'When the device last described itself.'),
  last_seen_at: Type.String({ ...Timestamp, description: 'To within half a minute, RFC 3339 in UTC.' }),
  signed_readings: Type.Boolean({ description: 'Readings without a signature of the device are refused.' }),
  pending: Type.Integer({ minimum: 0, description: 'Actuators whose newest command nobody has confirmed.' }),
  sensors: described(ListOf(Sensor, 0, parts_max), 'What it measures.'),
  actuators: described(ListOf(Actuator, 0, parts_max), 'What it can be told to do.'),
})

const CommandKey = Closed({
  key_id: Type.String({ description: 'As key_id in a command names it.' }),
  public_key: described(PublicKey, 'Ed25519, 32 bytes, base64url.'),
  in_use: Type.Boolean({
    description:
      'It signs now. A key that was rotated signs nothing any more; a retained command may still have its signature.',
  }),
})

export const ListInput = Closed({
  device_did: Type.Optional(described(Did, 'Only this device.')),
  state: Type.Optional(
    Type.Enum([...device_states], { description: 'SILENT: nothing was heard of it for ten minutes.' }),
  ),
  ...name_page_fields,
})

export const ListOutput = Closed({
  broker: described(
    OneOf('connected', 'away', 'none'),
    'Connection to the MQTT broker; none: no broker is configured.',
  ),
  command_keys: described(
    ListOf(CommandKey, 0, keys_max),
    'Keys that sign commands to its devices, those of its audit log; the newest first.',
  ),
  items: described(ListOf(Device, 0, page_max), 'Devices of the organization, by DID.'),
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
  // An organization that has no key yet gets it, so that its devices can know it before the first command.
  if (context.devices.state() !== 'none') await context.devices.signerOf(tenant_id)
  const command_keys = (await publicKeys(db, tenant_id)).slice(0, keys_max).map((key) => ({
    key_id: key.key_id,
    public_key: key.public_key,
    in_use: key.until_seq === null,
  }))
  return { broker: context.devices.state(), command_keys, ...page }
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
