// How many calls one caller may have running at once.

export const calls_max_default = 32

export interface CallSlots {
  /** Undefined where all are taken; what it answers gives the slot back, and must be called exactly once. */
  take(): (() => void) | undefined
}

/** Nothing is kept of a caller with no call running, so the map is as small as the work there is. */
export function slotsByCaller(calls_max = calls_max_default): (caller: string) => CallSlots {
  const running = new Map<string, number>()
  return (caller) => ({
    take() {
      const now = running.get(caller) ?? 0
      if (now >= calls_max) return undefined
      running.set(caller, now + 1)
      return () => {
        const left = running.get(caller)! - 1
        if (left === 0) running.delete(caller)
        else running.set(caller, left)
      }
    },
  })
}
