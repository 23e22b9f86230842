// What the examples of MOTE begin with: a thermostat that is connected and has reported.
import type { SceneStep } from '@svc/contract/scene'

export const thermostat_needed =
  'Start the engine with `SVC_MQTT_PORT`, and connect a thermostat as docs/devices.md describes it.'

const device_did = `did:oas:acme:service:${'7d'.repeat(32)}`
export const sensor_id = `${device_did}/temperature`
export const actuator_id = `${device_did}/thermostat`

export const thermostat_connected: readonly SceneStep[] = [
  { call: 'MOTE.list', input: { limit: 1 }, answer: { items: [{ device_did }] } },
]
