// While the writer is far behind, answers wait a little: callers who wait for theirs then send less, and it catches up.
const mib = 1024 * 1024
const behind_bytes = 32 * mib
const bytes_for_a_ms = 16 * mib
const pause_ms_max = 50

/** How long the answers of a turn wait while so much is journalled and not committed. */
export function pauseMs(pending_bytes: number): number {
  const ms = (pending_bytes - behind_bytes) / bytes_for_a_ms
  return Math.max(0, Math.min(pause_ms_max, Math.ceil(ms)))
}

/** Once the pause is over, or as it is if there is none. */
export function paced(secured: Promise<void> | undefined, pending_bytes: number): Promise<void> | undefined {
  const pause_ms = pauseMs(pending_bytes)
  if (pause_ms === 0) return secured
  const { promise, resolve } = Promise.withResolvers<void>()
  setTimeout(resolve, pause_ms)
  // Nobody looks at it before the pause is over.
  secured?.catch(() => {})
  return promise.then(() => secured)
}
