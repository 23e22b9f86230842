// MQTT topics `svc/<tenant>/<device>/<kind>[/<part>]`, and the ids callers use for a device's parts.

import { did_pattern } from '@svc/contract/identity/did'
import { deviceName, didOfDevice } from '@svc/contract/needs/devices'
import { Type } from 'typebox'

const part_form = /^[a-z][a-z0-9_-]{0,63}$/
export const part_pattern = part_form.source

export const PartName = Type.String({
  pattern: part_pattern,
  description: 'What a device calls its sensor or actuator.',
})
/** A DID URL: the device, then its name for the part. */
export const PartId = Type.String({
  pattern: `${did_pattern.slice(0, -1)}/${part_pattern.slice(1)}`,
  description: 'did:oas:<tenant>:<kind>:<64 hex>/<sensor or actuator>',
})

/** A sensor or an actuator of a device. */
export interface Part {
  readonly device_did: string
  readonly name: string
}

export function partOf(part_id: string): Part {
  const slash = part_id.indexOf('/')
  return { device_did: part_id.slice(0, slash), name: part_id.slice(slash + 1) }
}

export function partId({ device_did, name }: Part): string {
  return `${device_did}/${name}`
}

const kinds = ['descriptor', 'telemetry', 'ack', 'state'] as const
export type ReportKind = (typeof kinds)[number]

export interface ReportTopic {
  readonly tenant_id: string
  readonly device_did: string
  readonly kind: ReportKind
  /** Empty for a descriptor, which covers the whole device. */
  readonly name: string
}

/** Topics a device may publish to; undefined for others. The tenant is part of the device's DID. */
export function parseTopic(topic: string): ReportTopic | undefined {
  const [root, tenant_id = '', device = '', kind = '', name = '', ...more] = topic.split('/')
  if (root !== 'svc' || more.length > 0) return undefined
  const report_kind = kinds.find((one) => one === kind)
  const device_did = didOfDevice(tenant_id, device)
  if (!report_kind || device_did === undefined) return undefined
  if (report_kind === 'descriptor' ? topic.split('/').length !== 4 : !part_form.test(name)) return undefined
  return { tenant_id, device_did, kind: report_kind, name }
}

export function commandTopic(tenant_id: string, { device_did, name }: Part): string {
  return `svc/${tenant_id}/${deviceName(device_did)}/command/${name}`
}

/** What all engines subscribe to; the broker and `parseTopic` restrict a device to its own topics. */
export const report_topics: readonly string[] = [
  'svc/+/+/descriptor',
  'svc/+/+/telemetry/+',
  'svc/+/+/ack/+',
  'svc/+/+/state/+',
]

/** The topic of change notifications about this part. */
export function partTopic(tenant_id: string, part: Part): string {
  return `mote:${tenant_id}:${partId(part)}`
}
