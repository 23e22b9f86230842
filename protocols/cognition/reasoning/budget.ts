// The budget of a reasoning. Enforced: every rule firing and every candidate tried counts.

export interface Budget {
  /** One per rule firing, and one for every few candidates tried. */
  readonly work_max: number
  readonly deadline_ms: number
  /** Monotonic, since the start of the task. */
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

/** One firing costs about as much as this many tries, so rules that never fire are charged, too. */
export const tries_per_work = 16
const tries_between_looks = 2048
/** The rest is reserved for proofs. */
const search_share = 0.75

export interface Meter {
  readonly work: number
  /** Counts one rule firing. */
  fire(): void
  /** Counts tried candidates, successful or not. */
  look(tries?: number): void
  /** Ends the search and releases the reserved work. */
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
