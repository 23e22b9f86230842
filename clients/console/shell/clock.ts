// The page's clock: for relative times and ranges only, never for a decision.
import { useSyncExternalStore } from 'react'

export const nowMs = () => performance.timeOrigin + performance.now()

const minute_ms = 60_000
const waiting = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function follow(changed: () => void): () => void {
  waiting.add(changed)
  timer ??= setInterval(() => {
    for (const each of waiting) each()
  }, minute_ms)
  return () => {
    waiting.delete(changed)
    if (waiting.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Renders again every minute, with one timer for the whole page. */
export function useMinute(): number {
  return useSyncExternalStore(follow, () => Math.floor(nowMs() / minute_ms))
}
