// Where devices are met: a broker outside, or one of the engine's own on this machine. Unset means no devices.
import { isIP } from 'node:net'
import { ConfigError } from './config-error.ts'

export interface DeviceSettings {
  readonly mqtt: MqttSettings | undefined
}

export type MqttSettings =
  | {
      readonly url: string
      readonly username: string | undefined
      readonly password: string | undefined
      readonly client_id: string | undefined
    }
  /** 0 for any that is free. */
  | { readonly port: number }

type Read = (name: string) => string | undefined

export function readDeviceSettings(read: Read): DeviceSettings {
  const [text, port] = [read('SVC_MQTT_URL'), read('SVC_MQTT_PORT')]
  if (text === undefined) return { mqtt: port === undefined ? undefined : { port: portOf(port) } }
  if (port !== undefined)
    throw new ConfigError(
      'SVC_MQTT_URL names a broker outside, so SVC_MQTT_PORT opens none here; set one of them.',
    )
  const url = URL.parse(text)
  // Not repeated: it may hold a password.
  if (!url || !['mqtt:', 'mqtts:'].includes(url.protocol) || !url.hostname)
    throw new ConfigError('SVC_MQTT_URL must be an address such as mqtts://broker.example:8883.')
  if (url.username || url.password)
    throw new ConfigError(
      'SVC_MQTT_URL holds a user; name it in SVC_MQTT_USERNAME and SVC_MQTT_PASSWORD instead.',
    )
  if (url.protocol === 'mqtt:' && !isLoopback(url.hostname))
    throw new ConfigError(
      'SVC_MQTT_URL leaves this machine, so it must be mqtts: what steers devices is not sent in the open.',
    )
  const client_id = read('SVC_MQTT_CLIENT_ID')
  if (client_id !== undefined && !/^[A-Za-z0-9._:-]{1,128}$/.test(client_id))
    throw new ConfigError('SVC_MQTT_CLIENT_ID has 1 to 128 letters, digits, dots, dashes.')
  return {
    mqtt: { url: text, username: read('SVC_MQTT_USERNAME'), password: read('SVC_MQTT_PASSWORD'), client_id },
  }
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new ConfigError(`SVC_MQTT_PORT is ${text}; it must be a port, or 0 for any that is free.`)
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'))
}
