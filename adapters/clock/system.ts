import { randomBytes, randomFillSync } from 'node:crypto'
import type { Clock } from '@svc/engine/ports'

export const system_clock: Clock = {
  now_ms: () => Date.now(),
  monotonic_ms: () => performance.now(),
  uuid: nextUuid,
  random: () => Math.random(),
  randomBytes,
}

const pool = Buffer.alloc(16 * 256)
const text = Buffer.from('00000000-0000-4000-8000-000000000000')
const hex = Buffer.from('0123456789abcdef')
/** Where each of the 16 random bytes is written in the text form. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]
let used = pool.length

/**
 * UUID v4 as one flat string: crypto.randomUUID builds it from twenty pieces, which costs garbage collection on every
 * call.
 */
function nextUuid(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  for (let i = 0; i < places.length; i++) {
    const place = places[i]!
    const byte =
      i === 6 ? (pool[used + i]! & 0x0f) | 0x40 : i === 8 ? (pool[used + i]! & 0x3f) | 0x80 : pool[used + i]!
    text[place] = hex[byte >> 4]!
    text[place + 1] = hex[byte & 15]!
  }
  // Used bytes must not stay readable in the pool.
  pool.fill(0, used, used + 16)
  used += 16
  return text.toString('latin1')
}
