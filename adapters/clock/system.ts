import { randomUUID } from 'node:crypto'
import type { Clock } from '@svc/engine/ports'

export const system_clock: Clock = {
  now_ms: () => Date.now(),
  monotonic_ms: () => performance.now(),
  uuid: () => randomUUID(),
  random: () => Math.random(),
}
