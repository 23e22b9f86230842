// Endpoints that think for the engine, and what its tools may reach. Unset means the built-in ones, and no network.
import { ConfigError } from './config-error.ts'
import { type DeviceSettings, readDeviceSettings } from './device-settings.ts'
import { readToolSettings, type ToolSettings } from './tool-settings.ts'

export interface FacultySettings extends ToolSettings, DeviceSettings {
  readonly model: EndpointSettings | undefined
  readonly embeddings: EndpointSettings | undefined
  readonly message_bytes_max: number
}

export interface EndpointSettings {
  readonly url: string
  readonly name: string
  readonly key: string | undefined
}

const mib = 1024 * 1024

type Read = (name: string) => string | undefined

export function readFacultySettings(read: Read): FacultySettings {
  return {
    model: endpoint(read, 'SVC_MODEL'),
    embeddings: endpoint(read, 'SVC_EMBEDDINGS'),
    message_bytes_max: messageBytes(read('MIM_MAX_MESSAGE_SIZE_BYTES')),
    ...readToolSettings(read),
    ...readDeviceSettings(read),
  }
}

/** A message must fit into a request of 8 MiB with its envelope. */
function messageBytes(text: string | undefined): number {
  const value = text === undefined ? 5 * mib : Number(text)
  if (Number.isSafeInteger(value) && value >= 1024 && value <= 7 * mib) return value
  throw new ConfigError(
    `MIM_MAX_MESSAGE_SIZE_BYTES is ${text}; it must be a whole number from 1024 to ${7 * mib}.`,
  )
}

function endpoint(read: Read, prefix: 'SVC_MODEL' | 'SVC_EMBEDDINGS'): EndpointSettings | undefined {
  const text = read(`${prefix}_URL`)
  if (!text) return undefined
  const url = URL.parse(text)
  // Not repeated: it may hold a password.
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new ConfigError(`${prefix}_URL must be an address such as https://models.example/v1.`)
  const name = read(`${prefix}_NAME`)
  if (!name) throw new ConfigError(`${prefix}_URL needs ${prefix}_NAME: the model to ask for there.`)
  return { url: text, name, key: read(`${prefix}_KEY`) }
}
