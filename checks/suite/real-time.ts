// Real time where no verdict depends on it: figures that are printed, and the spacing of load and faults.
import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds since the call, for figures and for the order of events. */
export function stopwatch(): () => number {
  const begun_ms = performance.now()
  return () => performance.now() - begun_ms
}

/** Spaces out calls and faults. What is expected afterwards is waited for with `eventually`. */
export async function pace(ms: number): Promise<void> {
  await pause(ms)
}
