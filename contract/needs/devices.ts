// Devices over a broker. Messages that cannot be delivered now are not queued.
import { parseDid } from '../identity/did.ts'

/** A device's name at a broker and in topics: brokers allow no colons in user names. */
export function deviceName(device_did: string): string {
  const { entity_kind, identifier } = parseDid(device_did) ?? { entity_kind: '', identifier: '' }
  return `${entity_kind}.${identifier}`
}

/** Undefined for an invalid device name. */
export function didOfDevice(tenant_id: string, name: string): string | undefined {
  const did = `did:oas:${tenant_id}:${name.replace('.', ':')}`
  return parseDid(did) && deviceName(did) === name ? did : undefined
}

export interface Devices {
  /** `none` where no broker is configured, `away` while it cannot be reached. */
  state(): 'connected' | 'away' | 'none'
  /** Whether the registry (MARS) lists this device now: others are neither heard nor commanded. */
  isRegistered(device_did: string): Promise<boolean>
  /** The engine's clock now: a command is judged when it is sent, not when it was requested. */
  now_ms(): number
  /** With the key of the tenant's audit log in use now: a device takes no command that it did not sign. */
  signerOf(tenant_id: string): Promise<CommandSigner>
  /**
   * QoS 1, once: `taken` when the broker has it, `expired` where its time was over before. Otherwise refused with adapter_error, with
   * `in_doubt` in the details where it was sent and not acknowledged. Never resent automatically.
   */
  publish(message: DeviceMessage): Promise<'taken' | 'expired'>
}

export interface CommandSigner {
  readonly key_id: string
  /** Ed25519, base64url. */
  sign(text: string): string
}

export interface DeviceMessage {
  readonly topic: string
  /** Empty and retained: clears the retained message. */
  readonly payload: string
  /** The broker stores it for later subscribers. */
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
