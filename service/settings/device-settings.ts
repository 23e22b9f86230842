// The device broker: an external one, or one of the engine's own on this machine. Unset means no devices.
import { ConfigError } from './config-error.ts'
import type { Reader } from './reader.ts'
import { isLoopback } from './setting-types.ts'

export type MqttSettings =
  | {
      readonly url: string
      readonly username: string | undefined
      readonly password: string | undefined
      readonly client_id: string | undefined
    }
  /** 0 for any free port. */
  | { readonly port: number; onListening?(port: number): void }

export function readMqttSettings(read: Reader): MqttSettings | undefined {
  const [text, port] = [read('SVC_MQTT_URL'), read('SVC_MQTT_PORT')]
  if (text === undefined) return port === undefined ? undefined : { port }
  if (port !== undefined)
    throw new ConfigError('SVC_MQTT_URL and SVC_MQTT_PORT exclude each other; set only one of them.')
  const { protocol, hostname, username, password } = new URL(text)
  if (username || password)
    throw new ConfigError(
      'SVC_MQTT_URL contains a user; use SVC_MQTT_USERNAME and SVC_MQTT_PASSWORD instead.',
    )
  if (protocol === 'mqtt:' && !isLoopback(hostname))
    throw new ConfigError(
      'SVC_MQTT_URL is on another machine, so it must be mqtts: commands to devices are not sent unencrypted.',
    )
  return {
    url: text,
    username: read('SVC_MQTT_USERNAME'),
    password: read('SVC_MQTT_PASSWORD'),
    client_id: read('SVC_MQTT_CLIENT_ID'),
  }
}
