// The time of this machine, which may be wrong: svc doctor compares it.

/** The wall clock, to compare with the engine's. */
export function wallClockMs(): number {
  return performance.timeOrigin + performance.now()
}
