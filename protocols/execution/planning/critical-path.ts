// The critical path method: earliest and latest times by dependencies alone. Whole milliseconds.

export interface Activity {
  readonly duration: number
  /** Indexes of the activities it waits for. */
  readonly after: readonly number[]
  /** Earliest start. */
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
  /** From first to last, each waiting for the previous one. */
  readonly critical_path: readonly number[]
  readonly length: number
}

/** `after` has only earlier indexes: activities are in topological order. */
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
