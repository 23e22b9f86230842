// The only way tests wait: for a condition or a promise, as long as it takes. The limit is only for what hangs.
import { setTimeout as pause } from 'node:timers/promises'

/** However busy the machine, whatever takes longer hangs. */
export const hang_ms_max = 180_000
const look_every_ms = 20

/** Repeats `condition` until it does not throw, and returns its value. */
export async function eventually<Value>(condition: () => Value | Promise<Value>): Promise<Value> {
  const give_up_ms = performance.now() + hang_ms_max
  for (;;) {
    try {
      return await arrives('a condition', condition())
    } catch (error) {
      if (performance.now() > give_up_ms) throw error
    }
    await pause(look_every_ms)
  }
}

/** Repeats `ask` until its answer is neither undefined nor false, and returns it. */
export function until<Value>(
  name: string,
  ask: () => Promise<Value | undefined | false> | Value | undefined | false,
): Promise<Value> {
  return eventually(async () => {
    const value = await ask()
    if (value === undefined || value === false) throw new Error(`waited in vain until ${name}`)
    return value
  })
}

/** The value of the promise, or an error that names it if it hangs. */
export async function arrives<Value>(name: string, promise: Value | Promise<Value>): Promise<Value> {
  const over = new AbortController()
  const hanging = pause(hang_ms_max, undefined, { signal: over.signal }).then(() => {
    throw new Error(`${name} did not arrive within ${hang_ms_max / 1000} s`)
  })
  hanging.catch(() => {})
  try {
    return await Promise.race([promise, hanging])
  } finally {
    over.abort()
  }
}
