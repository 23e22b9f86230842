// Without a configured broker nothing is received, and nothing can be sent.
import type { Devices } from '@svc/contract/needs/devices'
import { type Refusal, refuse } from '@svc/contract/refusal'

export function noDevices({ now_ms }: Pick<Devices, 'now_ms'>): Devices {
  return {
    state: () => 'none',
    isRegistered: async () => false,
    now_ms,
    async signerOf() {
      throw noBroker()
    },
    async publish() {
      throw noBroker()
    },
  }
}

function noBroker(): Refusal {
  return refuse(
    'adapter_error',
    'This engine has no broker to reach devices by; set SVC_MQTT_URL, or SVC_MQTT_PORT for one of its own.',
    { reason: 'no broker' },
  )
}
