// What a reasoning may cost. It really stops: every rule that fires and every candidate that is tried counts against it.

export interface Budget {
  /** One for each rule that fires, and one for every few candidates tried. */
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

/** A firing takes about as long as so many tries: a rule that never fires costs as much as one that does. */
export const tries_per_work = 16
const tries_between_looks = 2048
/** The rest of the work is set aside for proving what was found. */
const search_share = 0.75

export interface Meter {
  readonly work: number
  /** One rule fired. */
  fire(): void
  /** So many candidates were tried, whatever came of them. */
  look(tries?: number): void
  /** The search is over: what was set aside may be used now. */
  explain(): void
}

export function openMeter(budget: Budget): Meter {
  let limit = Math.ceil(budget.work_max * search_share)
  let fired = 0
  let tries = 0
  let next_look = tries_between_looks
  const spent = () => fired + Math.floor(tries / tries_per_work)
  const look = (count = 1) => {
    tries += count
    if (spent() > limit) throw new Exhausted('work')
    if (tries < next_look) return
    next_look = tries + tries_between_looks
    if (budget.elapsed_ms() >= budget.deadline_ms) throw new Exhausted('deadline')
  }
  return {
    get work() {
      return Math.min(spent(), limit)
    },
    fire() {
      fired += 1
      look(0)
    },
    look,
    explain() {
      limit = budget.work_max
    },
  }
}
