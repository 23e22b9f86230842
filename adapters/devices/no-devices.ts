// Without a configured broker nothing is received, and nothing can be sent.
import type { Devices } from '@svc/contract/needs/devices'
import { refuse } from '@svc/contract/refusal'

export function noDevices({ now_ms }: Pick<Devices, 'now_ms'>): Devices {
  return {
    state: () => 'none',
    isRegistered: async () => false,
    now_ms,
    async publish() {
      throw refuse(
        'adapter_error',
        'This engine has no broker to reach devices by; set SVC_MQTT_URL, or SVC_MQTT_PORT for one of its own.',
        { reason: 'no broker' },
      )
    },
  }
}
