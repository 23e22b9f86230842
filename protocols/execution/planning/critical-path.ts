// The critical path method: how early and how late each task can be, by what it waits for alone. Whole milliseconds.

export interface Activity {
  readonly duration: number
  /** Places of the activities it waits for. */
  readonly after: readonly number[]
  /** Not before this. */
  readonly release?: number
}

export interface Timing {
  readonly es: number
  readonly ef: number
  readonly ls: number
  readonly lf: number
  readonly slack: number
  readonly critical: boolean
}

export interface Times {
  readonly timings: readonly Timing[]
  /** From the first to the last, each waiting for the one before. */
  readonly critical_path: readonly number[]
  readonly length: number
}

/** `after` names earlier places only: activities come in an order in which they can be done. */
export function findCriticalPath(activities: readonly Activity[]): Times {
  const es: number[] = []
  const ef: number[] = []
  for (const [place, { duration, after, release = 0 }] of activities.entries()) {
    es[place] = after.reduce((latest, one) => Math.max(latest, ef[one]!), release)
    ef[place] = es[place] + duration
  }
  const length = Math.max(0, ...ef)
  const lf = activities.map(() => length)
  for (let place = activities.length - 1; place >= 0; place--) {
    const start = lf[place]! - activities[place]!.duration
    for (const one of activities[place]!.after) lf[one] = Math.min(lf[one]!, start)
  }
  const timings = activities.map(({ duration }, place) => {
    const ls = lf[place]! - duration
    const slack = ls - es[place]!
    return { es: es[place]!, ef: ef[place]!, ls, lf: lf[place]!, slack, critical: slack === 0 }
  })
  return { timings, critical_path: walkBack(activities, timings, length), length }
}

function walkBack(activities: readonly Activity[], timings: readonly Timing[], length: number): number[] {
  const path: number[] = []
  let at = timings.findIndex(({ ef }) => ef === length)
  while (at >= 0) {
    path.unshift(at)
    const { es } = timings[at]!
    at = activities[at]!.after.find((one) => timings[one]!.ef === es) ?? -1
  }
  return path
}
