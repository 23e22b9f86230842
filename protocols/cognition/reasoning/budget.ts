// What a reasoning may cost. It really stops: every firing and every few thousand tries are counted against it.

export interface Budget {
  /** Rule firings. */
  readonly work_max: number
  readonly deadline_ms: number
  /** Monotonic, since the task began. */
  elapsed_ms(): number
}

/** Not a refusal: what was derived so far is still an answer. */
export class Exhausted extends Error {
  readonly of: 'work' | 'deadline'
  constructor(of: 'work' | 'deadline') {
    super(`the ${of} of this reasoning is used up`)
    this.of = of
  }
}

const tries_between_looks = 2048

export interface Meter {
  readonly work: number
  /** One rule fired. */
  fire(): void
  /** One candidate was looked at: costs nothing but time. */
  look(): void
}

export function openMeter(budget: Budget): Meter {
  let work = 0
  let tries = 0
  const look = () => {
    tries += 1
    if (tries % tries_between_looks === 0 && budget.elapsed_ms() >= budget.deadline_ms)
      throw new Exhausted('deadline')
  }
  const fire = () => {
    if (work >= budget.work_max) throw new Exhausted('work')
    work += 1
    look()
  }
  return {
    get work() {
      return work
    },
    fire,
    look,
  }
}
