// Parses device reports from untrusted bytes. Pure: a report is complete and plausible, or a fault.
import { Closed, Signature, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { isSignedBy, signingInput } from '@svc/contract/signing/signature'
import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/value'
import { ActuatorState, stateFaults } from './actuator-state.ts'
import { type Actuator, type Descriptor, magnitude_max, type Sensor } from './device-descriptor.ts'
import { isTimely, isWorthKeeping } from './device-moment.ts'

export const report_bytes_max = 16 * 1024
export const descriptor_bytes_max = 64 * 1024

const Seq = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const Telemetry = Closed({
  v: Type.Number({ minimum: -magnitude_max, maximum: magnitude_max }),
  unit: Type.Optional(Text(32)),
  at: Timestamp,
  seq: Seq,
  sig: Type.Optional(Signature),
})
const Ack = Closed({
  command_id: Uuid,
  status: Type.Enum(['accepted', 'rejected']),
  /** One word, no free text: stored unencrypted. */
  reason: Type.Optional(Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$' })),
  at: Timestamp,
  seq: Type.Optional(Seq),
  sig: Type.Optional(Signature),
})
const Reported = Closed({
  v: ActuatorState,
  command_id: Type.Optional(Uuid),
  at: Timestamp,
  seq: Seq,
  sig: Type.Optional(Signature),
})
export type Ack = Static<typeof Ack>
export type Reported = Static<typeof Reported>

export interface Reading {
  readonly seq: number
  readonly observed_at: Date
  readonly value: number
}

/** Why a report was rejected, for the audit log. */
export interface Fault {
  readonly fault: string
}

type Secured = Pick<Descriptor, 'public_key' | 'signed_readings'>

/** Parses JSON up to a size limit; undefined if invalid, or if it cannot be signed or stored. */
export function readJson(payload: Uint8Array, bytes_max: number): unknown {
  if (payload.byteLength > bytes_max) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload), requireStorable)
  } catch {
    return undefined
  }
}

function requireStorable(_: string, value: unknown): unknown {
  if (typeof value === 'string' && (!value.isWellFormed() || value.includes('\0')))
    throw new SyntaxError('half a character, or none')
  return value
}

/** The text a device signs for readings, acks and states; it includes the topic to prevent reuse. */
export function reportInput(topic: string, report: Readonly<Record<string, unknown>>): string {
  const { sig: _, ...said } = report
  return signingInput('svc-device-v1', { topic, ...said })
}

export function readTelemetry(
  topic: string,
  payload: Uint8Array,
  sensor: Sensor,
  device: Secured,
  now: Date,
): Reading | Fault {
  const report = readSigned(Telemetry, topic, payload, device)
  if ('fault' in report) return report
  if (report.unit !== undefined && report.unit !== sensor.unit) return { fault: 'unit of another kind' }
  if (!isWorthKeeping(report.at, now)) return { fault: 'reading not of this time' }
  return { seq: report.seq, observed_at: new Date(Date.parse(report.at)), value: report.v }
}

export function readAck(topic: string, payload: Uint8Array, device: Secured, now: Date): Ack | Fault {
  const report = readSigned(Ack, topic, payload, device)
  if ('fault' in report || isTimely(report.at, now)) return report
  return { fault: 'ack from the future' }
}

export function readReported(
  topic: string,
  payload: Uint8Array,
  actuator: Actuator,
  device: Secured,
  now: Date,
): Reported | Fault {
  const report = readSigned(Reported, topic, payload, device)
  if ('fault' in report) return report
  if (stateFaults(actuator.fields, report.v).length > 0) return { fault: 'state of another kind' }
  return isTimely(report.at, now) ? report : { fault: 'state from the future' }
}

function readSigned<T extends TSchema>(
  schema: T,
  topic: string,
  payload: Uint8Array,
  { public_key, signed_readings }: Secured,
): Static<T> | Fault {
  const report = readJson(payload, report_bytes_max)
  if (!Check(schema, report)) return { fault: 'report malformed' }
  const { sig } = report as { sig?: string }
  if (sig === undefined) return signed_readings ? { fault: 'signature missing' } : (report as Static<T>)
  const is_signed = isSignedBy(public_key, reportInput(topic, report as Record<string, unknown>), sig)
  return is_signed ? (report as Static<T>) : { fault: 'signature invalid' }
}
