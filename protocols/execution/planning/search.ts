// Ordered hierarchical task search, as in SHOP2: tasks are planned in execution order, so the state is
// known at every step. If a method leaves subtasks unordered, every interleaving is tried.
import { toCel } from '@svc/contract/expressions/expression-value'
import { type Condition, plainValue, sentenceOf, whyNot } from './condition.ts'
import type { Domain, Method, Operator } from './domain.ts'
import { applyEffects } from './effect.ts'
import { type Fact, type Facts, fingerprint, plainOf } from './facts.ts'
import { type Failure, type Found, type Solution, type Step, stepKey } from './solution.ts'
import { childNode, type Decomposition, readyOf, type TaskNode } from './task-network.ts'
import { fillArgs } from './template.ts'

const depth_first = 4
const depth_max = 512
const remembered_max = 300_000
const look_at_clock_every = 64
const steps_max = 500

export interface Question {
  readonly domain: Domain
  readonly state: Facts
  readonly open: readonly TaskNode[]
  readonly expansions_max: number
  /** Different decompositions: orders of the same steps are one plan. */
  readonly plans_max: number
  /** Work for more plans after the first: at least this, and at least as much as the first took. */
  readonly further_expansions: number
  readonly is_late: () => boolean
  /** Steps that failed before: `operator|fingerprint of its arguments`. */
  readonly forbidden: ReadonlySet<string>
}

interface Steps {
  readonly step: Step
  readonly previous: Steps | undefined
  readonly count: number
}

interface Settled {
  readonly decomposition: Decomposition
  readonly previous: Settled | undefined
}

/** A search node: the open tasks, and the state. */
interface Moment {
  readonly open: readonly TaskNode[]
  readonly state: Facts
  readonly done: Steps | undefined
  readonly done_sum: number
  readonly settled: Settled | undefined
}

interface Frame {
  readonly moment: Moment
  readonly successors: Iterator<Moment>
  readonly solved_before: number
}

/** Sums of ids are exact below this. */
const sum_modulus = 2 ** 52

export class Search {
  readonly #question: Question
  readonly #solutions = new Map<number, Solution>()
  #explored = new Set<string>()
  #failed = new Set<string>()
  #depth_limit = depth_first
  #was_cut = false
  #was_too_long = false
  #looks = 0
  #expansions = 0
  #expansions_end: number
  #ended: Found['ended'] = 'complete'
  #failure: { readonly failure: Failure; readonly count: number } | undefined

  constructor(question: Question) {
    this.#question = question
    this.#expansions_end = question.expansions_max
  }

  /** Iterative deepening, until there is a plan or nothing was cut off for its depth. */
  run(): Found {
    const start: Moment = {
      open: this.#question.open,
      state: this.#question.state,
      done: undefined,
      done_sum: 0,
      settled: undefined,
    }
    const deepest = Math.max(0, ...start.open.map(({ depth }) => depth))
    for (let below = depth_first; below <= depth_max; below *= 2) {
      this.#depth_limit = deepest + below
      this.#was_cut = false
      this.#explored = new Set()
      this.#failed = new Set()
      this.#walk(start)
      if (this.#solutions.size > 0 || !this.#was_cut || this.#ended !== 'complete') break
    }
    if (this.#ended === 'complete' && (this.#was_cut || this.#was_too_long)) this.#ended = 'size'
    return {
      solutions: [...this.#solutions.values()],
      expansions: this.#expansions,
      ended: this.#solutions.size > 0 ? 'complete' : this.#ended,
      failure: this.#failure?.failure,
    }
  }

  #walk(start: Moment): void {
    const stack: Frame[] = []
    this.#enter(start, stack)
    while (stack.length > 0 && this.#mayGoOn()) {
      const frame = stack.at(-1)!
      const next = frame.successors.next()
      if (!next.done) {
        this.#expansions++
        this.#enter(next.value, stack)
        continue
      }
      stack.pop()
      if (this.#solutions.size === frame.solved_before) remember(this.#failed, keyOf(frame.moment))
    }
  }

  #enter(moment: Moment, stack: Frame[]): void {
    if (moment.open.length === 0) {
      this.#keep(moment)
      return
    }
    const key = keyOf(moment)
    const whole = `${key}|${moment.done_sum}`
    if (this.#failed.has(key) || this.#explored.has(whole)) return
    remember(this.#explored, whole)
    stack.push({ moment, successors: this.#successors(moment), solved_before: this.#solutions.size })
  }

  #keep({ done, done_sum, state, settled: last }: Moment): void {
    if (this.#solutions.has(done_sum)) return
    const steps: Step[] = []
    for (let one = done; one; one = one.previous) steps.push(one.step)
    const settled: Decomposition[] = []
    for (let one = last; one; one = one.previous) settled.push(one.decomposition)
    this.#solutions.set(done_sum, { steps: steps.reverse(), state, settled })
    if (this.#solutions.size > 1) return
    const { expansions_max, further_expansions } = this.#question
    const further = Math.max(further_expansions, this.#expansions)
    this.#expansions_end = Math.min(expansions_max, this.#expansions + further)
  }

  #mayGoOn(): boolean {
    if (this.#solutions.size >= this.#question.plans_max) return false
    return !this.#mustStop()
  }

  /** Also checked on rejected branches: there can be any number between two valid ones. */
  #mustStop(): boolean {
    if (this.#expansions >= this.#expansions_end) this.#ended = 'expansions'
    else if (this.#looks++ % look_at_clock_every === 0 && this.#question.is_late()) this.#ended = 'deadline'
    return this.#ended !== 'complete'
  }

  *#successors(moment: Moment): Generator<Moment> {
    const { operators, methods } = this.#question.domain
    const is_full = (moment.done?.count ?? 0) >= steps_max
    this.#was_too_long ||= is_full
    for (const node of is_full ? [] : readyOf(moment.open)) {
      if (this.#mustStop()) return
      const operator = operators.get(node.task)
      const ways = methods.get(node.task)
      if (operator) yield* this.#perform(moment, node, operator)
      else if (ways) for (const method of ways) yield* this.#decompose(moment, node, method)
      else yield advance(moment, { node, operator: undefined, before: moment.state }, moment.state)
    }
  }

  *#perform(moment: Moment, node: TaskNode, operator: Operator): Generator<Moment> {
    const scope = { state: moment.state, args: node.args }
    const failing = { task: node.task, of: 'operator', name: operator.source.name } as const
    if (node.task_id === undefined && this.#question.forbidden.has(stepKey(node))) {
      this.#fail(moment, node, { ...failing, why: 'it was tried, and failed' })
      return
    }
    if (!this.#allHold(operator.preconditions, moment, node, scope.args, failing)) return
    try {
      const payload = operator.payload?.fill(scope)
      const step = { node, operator, before: moment.state, ...(payload !== undefined && { payload }) }
      yield advance(moment, step, applyEffects(operator.effects, scope))
    } catch (error) {
      this.#fail(moment, node, { ...failing, of: 'effect', why: sentenceOf(error) })
    }
  }

  *#decompose(moment: Moment, node: TaskNode, method: Method): Generator<Moment> {
    if (node.depth + 1 > this.#depth_limit) {
      this.#was_cut = true
      return
    }
    const state_key = fingerprint(moment.state)
    if (isLoop(node, state_key)) return
    const failing = { task: node.task, of: 'method', name: method.name } as const
    for (const args of this.#bindings(moment, node, method)) {
      if (this.#mustStop()) return
      if (!this.#allHold(method.preconditions, moment, node, args, failing)) continue
      const at = moment.done?.count ?? 0
      const decomposition: Decomposition = { node, method, args, at, state_key, children: [] }
      try {
        decomposition.children = method.subtasks.map(({ args: template }, place) =>
          childNode(decomposition, place, fillArgs(template, { state: moment.state, args })),
        )
      } catch (error) {
        this.#fail(moment, node, { ...failing, why: sentenceOf(error) })
        continue
      }
      const open = moment.open.flatMap((one) => (one === node ? decomposition.children : [one]))
      const settled = { decomposition, previous: moment.settled }
      yield { ...moment, open, ...(decomposition.children.length === 0 && { settled }) }
    }
  }

  /** Every combination of the method's choices; the first list varies slowest. */
  *#bindings(moment: Moment, node: TaskNode, { choices, name }: Method): Generator<Facts> {
    const choose = function* (this: Search, place: number, args: Facts): Generator<Facts> {
      const choice = choices[place]
      if (!choice) {
        yield args
        return
      }
      for (const value of this.#valuesOf(choice.from, moment, node, args, name)) {
        if (this.#mustStop()) return
        yield* choose.call(this, place + 1, new Map(args).set(choice.name, value))
      }
    }
    yield* choose.call(this, 0, node.args)
  }

  #valuesOf(from: Condition, moment: Moment, node: TaskNode, args: Facts, name: string): readonly Fact[] {
    const failing = { task: node.task, of: 'choice', name, precondition: from.text } as const
    try {
      // CEL integers are not facts.
      const values = toCel(plainValue(from, { state: moment.state, args }))
      if (Array.isArray(values) && values.length > 0) return values
      this.#fail(moment, node, { ...failing, why: 'there is nothing to choose from' })
    } catch (error) {
      this.#fail(moment, node, { ...failing, why: sentenceOf(error) })
    }
    return []
  }

  #allHold(
    conditions: readonly Condition[],
    moment: Moment,
    node: TaskNode,
    args: Facts,
    failing: Omit<Failure, 'why' | 'args'>,
  ): boolean {
    for (const condition of conditions) {
      const why = whyNot(condition, { state: moment.state, args })
      if (why === undefined) continue
      this.#fail(moment, { ...node, args }, { ...failing, precondition: condition.text, why })
      return false
    }
    return true
  }

  /** A rejected branch counts as much work as a valid one. */
  #fail(moment: Moment, { args }: Pick<TaskNode, 'args'>, failure: Omit<Failure, 'args'>): void {
    this.#expansions++
    const count = moment.done?.count ?? 0
    if (this.#failure && this.#failure.count >= count) return
    this.#failure = { failure: { ...failure, args: plainOf(args) }, count }
  }
}

function advance(moment: Moment, step: Step, state: Facts): Moment {
  const count = (moment.done?.count ?? 0) + 1
  return {
    ...moment,
    open: moment.open.filter((one) => one !== step.node),
    state,
    done: { step, previous: moment.done, count },
    done_sum: (moment.done_sum + step.node.id) % sum_modulus,
  }
}

/** The same task in the same state below itself would recur forever. */
function isLoop(node: TaskNode, state_key: string): boolean {
  const key = stepKey(node)
  for (let above = node.parent; above; above = above.node.parent)
    if (above.state_key === state_key && stepKey(above.node) === key) return true
  return false
}

function keyOf({ open, state }: Moment): string {
  let sum = 0
  for (const { id } of open) sum = (sum + id) % sum_modulus
  return `${sum}|${fingerprint(state)}`
}

function remember(keys: Set<string>, key: string): void {
  if (keys.size < remembered_max) keys.add(key)
}
