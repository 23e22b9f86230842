// Change notifications for one call: what it only waits for is metered as waiting, not as work.

import type { ChangeNotifications } from '@svc/contract/needs/change-notifications'
import type { Used } from '@svc/engine/call'

export function countingWaits(
  { listen, tell }: ChangeNotifications,
  used: Pick<Used, 'waited_ms'>,
): ChangeNotifications {
  return {
    tell,
    listen(topic) {
      const listening = listen(topic)
      return {
        ...listening,
        async wait(wait_ms, signal) {
          const begun_ms = listening.elapsed_ms()
          try {
            return await listening.wait(wait_ms, signal)
          } finally {
            used.waited_ms = (used.waited_ms ?? 0) + listening.elapsed_ms() - begun_ms
          }
        },
      }
    },
  }
}
