// A clock that moves only when told, so that tests of time take none.
import { createHash } from 'node:crypto'
import type { Clock } from '@svc/engine/ports'

export interface ManualClock extends Clock {
  advance(ms: number): void
}

let unseeded = 0

/** Each default seed differs but is stable: engines on one database must not generate the same ids. */
export function manualClock(start: string, seed = `clock ${unseeded++}`): ManualClock {
  let now_ms = Date.parse(start)
  const begun_ms = now_ms
  let drawn = 0
  const draw = () => createHash('sha256').update(`${seed}:${drawn++}`).digest()
  return {
    now_ms: () => now_ms,
    monotonic_ms: () => now_ms - begun_ms,
    randomBytes: (count) =>
      Buffer.concat(Array.from({ length: Math.ceil(count / 32) }, draw)).subarray(0, count),
    random: () => draw().readUInt32BE(0) / 2 ** 32,
    uuid() {
      const hex = draw().toString('hex')
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
    },
    advance(ms) {
      now_ms += ms
    },
  }
}
