// A device's signed self-description: its sensors, its actuators, and its safe states. Pure.

import type { KeyEvent } from '@svc/contract/identity/key-events'
import { Closed, Did, ListOf, PublicKey, Signature, Text, Timestamp } from '@svc/contract/schema'
import { isKeyOf, isSignedBy, signingInput } from '@svc/contract/signing/signature'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/value'
import { interlockFault } from './actuator-interlock.ts'
import { ActuatorState, FieldTable, fieldsFault, safeStateFault } from './actuator-state.ts'
import { isTimely } from './device-moment.ts'
import { PartName } from './device-topic.ts'

/** Keeps every sum of squares finite. */
export const magnitude_max = 1e15
const sensors_max = 64
const actuators_max = 32

const Sensor = Closed({
  id: PartName,
  unit: Text(32),
  low: Type.Number({
    minimum: -magnitude_max,
    maximum: magnitude_max,
    description: 'What it can measure; a reading outside is bad.',
  }),
  high: Type.Number({ minimum: -magnitude_max, maximum: magnitude_max }),
  sd: Type.Optional(
    Type.Number({ minimum: 1 / magnitude_max, description: 'Standard deviation of its noise.' }),
  ),
  rate_hz: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 100 })),
})
export type Sensor = Static<typeof Sensor>

const Actuator = Closed({
  id: PartName,
  fields: FieldTable,
  interlock: Type.Optional(
    Text(1000, { description: 'CEL over input.state, input.reported and input.sensors; true is safe.' }),
  ),
  safe_state: ActuatorState,
})
export type Actuator = Static<typeof Actuator>

export const Descriptor = Closed({
  device_did: Did,
  public_key: PublicKey,
  name: Type.Optional(PartName),
  seq: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  at: Timestamp,
  signed_readings: Type.Optional(
    Type.Boolean({ description: 'Readings without a signature are refused.', default: false }),
  ),
  sensors: ListOf(Sensor, 0, sensors_max),
  actuators: ListOf(Actuator, 0, actuators_max),
  sig: Signature,
})
export type Descriptor = Static<typeof Descriptor>

/** The exact text a device signs. */
export function descriptorInput(descriptor: Omit<Descriptor, 'sig'> | Descriptor): string {
  const { sig: _, ...said } = descriptor as Descriptor
  return signingInput('svc-device-v1', said)
}

/** Why the descriptor is invalid, or not from this device; undefined if it is valid. */
export function descriptorFault(
  descriptor: unknown,
  device_did: string,
  now: Date,
  key_events: readonly KeyEvent[] = [],
): string | undefined {
  if (!Check(Descriptor, descriptor)) return 'descriptor malformed'
  if (descriptor.device_did !== device_did) return 'descriptor of another device'
  const last = key_events.at(-1)
  if (last ? last.public_key !== descriptor.public_key : !isKeyOf(device_did, descriptor.public_key))
    return 'public key does not match DID'
  if (!isSignedBy(descriptor.public_key, descriptorInput(descriptor), descriptor.sig))
    return 'signature invalid'
  if (!isTimely(descriptor.at, now)) return 'descriptor from the future'
  return contentFault(descriptor)
}

function contentFault({ sensors, actuators }: Descriptor): string | undefined {
  const ids = [...sensors, ...actuators].map(({ id }) => id)
  if (new Set(ids).size < ids.length) return 'two parts have one name'
  for (const { id, low, high } of sensors)
    if (!(Number.isFinite(low) && Number.isFinite(high) && low < high)) return `${id} measures nothing`
  for (const { id, fields, safe_state, interlock } of actuators) {
    const fault = fieldsFault(fields) ?? safeStateFault(fields, safe_state) ?? interlockFault(interlock)
    if (fault !== undefined) return `${id}: ${fault}`
  }
  return undefined
}

/** Smaller changes are never suspect: the declared noise, or a thousandth of the range. */
export function noiseOf({ sd, low, high }: Sensor): number {
  return sd ?? (high - low) / 1000
}
