// Counts the requests that run through a gateway, so that it can wait for them before it stops.

/** The running requests of a gateway, in place of an endpoint's engine. */
export interface Traffic {
  draining: boolean
  readonly in_flight: number
  enter(): void
  leave(): void
  /** Resolves when nothing is running. */
  idle(): Promise<void>
}

export function openTraffic(): Traffic {
  let in_flight = 0
  const waiting: (() => void)[] = []
  return {
    draining: false,
    get in_flight() {
      return in_flight
    },
    enter() {
      in_flight++
    },
    leave() {
      in_flight--
      if (in_flight === 0) for (const resolve of waiting.splice(0)) resolve()
    },
    idle: () => (in_flight === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  }
}
