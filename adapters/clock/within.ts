/** The longest wait of a call for a lookup in our database. */
export const lookup_ms_max = 3_000

/** Limits the wait. The work itself continues. */
export async function within<Value>(wait_ms_max: number, work: Promise<Value>): Promise<Value> {
  const { promise: too_late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${wait_ms_max} ms`)), wait_ms_max)
  try {
    return await Promise.race([work, too_late])
  } finally {
    clearTimeout(timer)
  }
}
