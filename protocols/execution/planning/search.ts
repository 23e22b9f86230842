// Ordered hierarchical task search, as in SHOP2: tasks are planned in execution order, so the state is
// known at every step. If a method leaves subtasks unordered, every interleaving is tried. It goes on until the
// best plan is proven: branches whose lower bound is no better than the plans found are left out.
import { Branching } from './branching.ts'
import { too_much_work } from './condition.ts'
import type { Domain } from './domain.ts'
import type { Facts } from './facts.ts'
import { type LeastWork, leastWorkOf } from './least-work.ts'
import { keyOf, leastFrom, type Moment, solutionOf, startOf } from './moment.ts'
import { compareRanks, type Measures, type Minimize, type Rank, rankOf } from './objective.ts'
import type { Ended, Failure, Solution } from './solution.ts'
import type { TaskNode } from './task-network.ts'

const depth_first = 4
const depth_max = 512
const steps_max = 500
/** A worker has 112 MiB: of each kind of key a few megabytes. */
const remembered_max = { explored: 100_000, failed: 100_000, judged: 20_000 }
/** Alternatives are looked for so long after the first plan; then only better plans count. */
const alternatives_expansions = 2_000

export interface Breach {
  readonly constraint: string
  readonly why: string
}

/** What is thought of an executable plan. */
export interface Judgement<Candidate> {
  readonly measures: Measures
  readonly candidate: Candidate
  readonly refusal?: Breach
  /** Refused for its final state alone: no other way to that state helps. */
  readonly is_final?: boolean
}

export interface Question<Candidate> {
  readonly domain: Domain
  readonly state: Facts
  readonly open: readonly TaskNode[]
  /** Work of the search; Infinity: only the deadline ends it. */
  readonly expansions_max: number
  readonly is_late: () => boolean
  readonly forbidden: ReadonlySet<string>
  readonly minimize: Minimize
  /** Whether the order of the same steps can make a plan better, or let it keep its limits. */
  readonly by_order: boolean
  /** Whether the steps start at once, so that the time of a plan is known to be no less than that of its chains. */
  readonly bounds_time: boolean
  /** No plan may measure more. */
  readonly most: Partial<Measures>
  /** How many plans to return, the best first. */
  readonly plans_max: number
  readonly judge: (solution: Solution) => Judgement<Candidate>
}

export interface Ranked<Candidate> {
  readonly solution: Solution
  readonly candidate: Candidate
  readonly rank: Rank
}

export interface Found<Candidate> {
  /** Keep every limit; the best first. */
  readonly plans: readonly Ranked<Candidate>[]
  readonly expansions: number
  readonly ended: Ended
  /** The first failure of the attempt that got furthest. */
  readonly failure: Failure | undefined
  /** The best plan that can be executed but is refused. */
  readonly refused: (Ranked<Candidate> & { readonly refusal: Breach }) | undefined
}

interface Frame {
  readonly moment: Moment
  readonly successors: Iterator<Moment>
  readonly left_open: number
}

type Listed<Candidate> = Ranked<Candidate> & { readonly step_sum: number }

export class Search<Candidate> {
  readonly #question: Question<Candidate>
  readonly #branching: Branching
  readonly #leastOf: LeastWork
  readonly #judged = new Map<string, boolean>()
  #plans: Listed<Candidate>[] = []
  #refused: Found<Candidate>['refused']
  /** By key, and where the order matters by trace; otherwise with the least cost and number of steps. */
  #explored = new Map<string, { readonly cost: number; readonly count: number }>()
  #failed = new Set<string>()
  /** Branches left out although another way to the same place might get through. */
  #left_open = 0
  #first_at: number | undefined
  #was_too_long = false
  /** Whether a plan was refused for what it measures. */
  #was_limited = false
  #expansions = 0
  #ended: Ended = 'complete'

  constructor(question: Question<Candidate>) {
    this.#question = question
    const { domain, forbidden, is_late } = question
    this.#branching = new Branching({ domain, forbidden, mustStop: () => this.#mustStop() })
    this.#leastOf = leastWorkOf(domain, is_late)
  }

  /** Iterative deepening, until nothing was cut off for its depth. */
  run(): Found<Candidate> {
    const { open, state, by_order } = this.#question
    const start = startOf(open, state, by_order)
    const deepest = Math.max(0, ...open.map(({ depth }) => depth))
    const { left_out } = this.#branching
    for (let below = depth_first; below <= depth_max; below *= 2) {
      this.#branching.depth_limit = deepest + below
      left_out.deep = false
      this.#explored = new Map()
      this.#failed = new Set()
      this.#walk(start)
      if (!left_out.deep || this.#ended !== 'complete') break
    }
    if (this.#ended === 'complete' && left_out.costly) this.#ended = 'expression'
    if (this.#ended === 'complete' && (left_out.deep || this.#was_too_long)) this.#ended = 'size'
    return {
      plans: this.#plans.map(({ step_sum: _, ...plan }) => plan),
      expansions: this.#work(),
      ended: this.#ended,
      failure: this.#branching.failure,
      refused: this.#refused,
    }
  }

  #walk(start: Moment): void {
    const stack: Frame[] = []
    this.#enter(start, stack)
    while (stack.length > 0 && !this.#mustStop()) {
      const frame = stack.at(-1)!
      const next = frame.successors.next()
      if (!next.done) {
        this.#expansions++
        this.#enter(next.value, stack)
        continue
      }
      stack.pop()
      if (this.#left_open === frame.left_open && this.#failed.size < remembered_max.failed)
        this.#failed.add(keyOf(frame.moment))
    }
  }

  #enter(moment: Moment, stack: Frame[]): void {
    const key = keyOf(moment)
    if (this.#failed.has(key)) return
    const is_finished = moment.open.length === 0
    const is_dropped = this.#isHopeless(moment) || (!is_finished && this.#isCut(moment, key))
    if (is_dropped || (is_finished && !this.#isDead(moment, key))) this.#left_open++
    if (is_dropped || is_finished) return
    const successors = this.#branching.successors(moment)
    stack.push({ moment, successors, left_open: this.#left_open })
  }

  /** Whether no plan from here can be better than those found, or keep the limits. */
  #isHopeless(moment: Moment): boolean {
    const { minimize, most, bounds_time } = this.#question
    const worst = this.#plans[this.#plansStillCounting() - 1]
    const has_limit = most.cost !== undefined || most.steps !== undefined || most.makespan !== undefined
    if (!worst && !has_limit) return false
    const { trace: _, ...untimed } = moment
    const least = leastFrom(bounds_time ? moment : untimed, this.#leastOf)
    // A task that only leads to itself fails by itself, and says why.
    if (least.steps === Infinity) return worst !== undefined
    // One plan beyond the limits is still judged, to say what is wrong with it.
    const is_too_much = this.#was_limited && exceeds(least, most)
    return is_too_much || (worst !== undefined && compareRanks(rankOf(minimize, least), worst.rank) >= 0)
  }

  #plansStillCounting(): number {
    const begun = this.#first_at ?? this.#work()
    return this.#work() - begun > alternatives_expansions ? 1 : this.#question.plans_max
  }

  #isCut(moment: Moment, key: string): boolean {
    if (moment.count < steps_max) return this.#wasExplored(moment, key)
    this.#was_too_long = true
    return true
  }

  #wasExplored(moment: Moment, key: string): boolean {
    const whole = moment.trace ? `${key}|${moment.trace.sum}` : key
    const { cost, count } = moment
    const before = this.#explored.get(whole)
    if (before && before.cost <= cost && before.count <= count) return true
    const is_better = !before || (cost <= before.cost && count <= before.count)
    if (is_better && (before || this.#explored.size < remembered_max.explored))
      this.#explored.set(whole, { cost, count })
    return false
  }

  /** Whether a finished plan fails by its final state alone. */
  #isDead(moment: Moment, key: string): boolean {
    const whole = `${key}|${moment.trace?.sum ?? moment.step_sum}`
    const before = this.#judged.get(whole)
    if (before !== undefined) return before
    const solution = solutionOf(moment)
    const { measures, candidate, refusal, is_final = false } = this.#question.judge(solution)
    const plan = { solution, candidate, rank: rankOf(this.#question.minimize, measures) }
    this.#was_limited ||= refusal !== undefined && !is_final
    if (refusal) this.#refuse({ ...plan, refusal })
    else this.#list({ ...plan, step_sum: moment.step_sum })
    if (this.#judged.size < remembered_max.judged) this.#judged.set(whole, is_final)
    return is_final
  }

  #refuse(plan: NonNullable<Found<Candidate>['refused']>): void {
    const { refusal } = plan
    if (refusal.why.endsWith(too_much_work)) this.#branching.left_out.costly = true
    if (refusal.constraint === 'size') this.#was_too_long = true
    if (!this.#refused || compareRanks(plan.rank, this.#refused.rank) < 0) this.#refused = plan
  }

  /** Orders of the same steps are one plan: the best of them counts. */
  #list(plan: Listed<Candidate>): void {
    this.#first_at ??= this.#work()
    const same = this.#plans.find(({ step_sum }) => step_sum === plan.step_sum)
    if (same && compareRanks(same.rank, plan.rank) <= 0) return
    const plans = [...this.#plans.filter((one) => one !== same), plan]
    // Stable: of equal plans the one found first, by the order of the methods.
    this.#plans = plans.sort((a, b) => compareRanks(a.rank, b.rank)).slice(0, this.#question.plans_max)
  }

  #work(): number {
    return this.#expansions + this.#branching.rejected
  }

  #mustStop(): boolean {
    if (this.#ended !== 'complete') return true
    if (this.#work() >= this.#question.expansions_max) this.#ended = 'expansions'
    else if (this.#question.is_late()) this.#ended = 'deadline'
    return this.#ended !== 'complete'
  }
}

function exceeds(least: Measures, most: Partial<Measures>): boolean {
  const { makespan = Infinity, cost = Infinity, steps = Infinity } = most
  return least.makespan > makespan || least.cost > cost || least.steps > steps
}
