// Devices as the engine reaches them: over a broker. What it cannot hand over now it does not keep for later.
import { parseDid } from '../identity/did.ts'

/** How a device is called at a broker, and in its topics: brokers want no colons in the name of a user. */
export function deviceName(device_did: string): string {
  const { entity_kind, identifier } = parseDid(device_did) ?? { entity_kind: '', identifier: '' }
  return `${entity_kind}.${identifier}`
}

/** Undefined for what is no name of a device. */
export function didOfDevice(tenant_id: string, name: string): string | undefined {
  const did = `did:oas:${tenant_id}:${name.replace('.', ':')}`
  return parseDid(did) && deviceName(did) === name ? did : undefined
}

export interface Devices {
  /** `none` where no broker is configured, `away` while the one there is cannot be reached. */
  state(): 'connected' | 'away' | 'none'
  /** Whether the registry (MARS) lists this device now: who is not in it is neither heard nor commanded. */
  isRegistered(device_did: string): Promise<boolean>
  /** The engine's own clock at this very moment: a command is judged by it when it is sent, not when it was asked for. */
  now_ms(): number
  /**
   * QoS 1, once: `taken` when the broker has it, `expired` where its time was over before it was sent. Otherwise refused with
   * adapter_error, `in_doubt` in the details where it was sent and nobody said that it arrived. Never sent again by itself.
   */
  publish(message: DeviceMessage): Promise<'taken' | 'expired'>
}

export interface DeviceMessage {
  readonly topic: string
  /** Empty and retained: what was retained there is forgotten. */
  readonly payload: string
  /** The broker keeps it for whoever subscribes later. */
  readonly retain?: boolean
  /** RFC 3339 UTC. */
  readonly expires_at?: string | undefined
  readonly wait_ms: number
}

/** A message from the broker, as it came. */
export interface ArrivedMessage {
  readonly topic: string
  readonly payload: Uint8Array
}
