// Limits the concurrent calls of one caller.

export const calls_max_default = 32

export interface CallSlots {
  /** Returns the release function, which must be called exactly once; undefined if all slots are taken. */
  take(): (() => void) | undefined
}

/** Holds only callers with running calls, so the map stays small. */
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
