// How a plan can go on: every task that is ready is performed, or broken down by each of its methods.
import { toCel } from '@svc/contract/expressions/expression-value'
import { type Condition, plainValue, sentenceOf, too_much_work, whyNot } from './condition.ts'
import type { Domain, Method, Operator } from './domain.ts'
import { applyEffects } from './effect.ts'
import { type Fact, type Facts, fingerprint, plainOf } from './facts.ts'
import { advance, decide, isLoop, type Moment } from './moment.ts'
import { type Failure, stepKey } from './solution.ts'
import { childNode, type Decomposition, readyOf, type TaskNode } from './task-network.ts'
import { fillArgs } from './template.ts'

export interface BranchingTask {
  readonly domain: Domain
  /** Steps that failed before: `operator|fingerprint of its arguments`. */
  readonly forbidden: ReadonlySet<string>
  /** Also asked between rejected branches: there can be any number of them between two valid ones. */
  readonly mustStop: () => boolean
}

export class Branching {
  readonly #task: BranchingTask
  depth_limit = 0
  /** Whether something was left out for its depth, or for the work of an expression. */
  readonly left_out = { deep: false, costly: false }
  /** A rejected branch counts as much work as a valid one. */
  rejected = 0
  #failure: { readonly failure: Failure; readonly count: number } | undefined

  constructor(task: BranchingTask) {
    this.#task = task
  }

  /** Of the attempt that got furthest. */
  get failure(): Failure | undefined {
    return this.#failure?.failure
  }

  *successors(moment: Moment): Generator<Moment> {
    const { operators, methods } = this.#task.domain
    for (const node of readyOf(moment.open)) {
      if (this.#task.mustStop()) return
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
    if (node.task_id === undefined && this.#task.forbidden.has(stepKey(node))) {
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
    if (node.depth + 1 > this.depth_limit) {
      this.left_out.deep = true
      return
    }
    const state_key = fingerprint(moment.state)
    if (isLoop(node, state_key)) return
    const failing = { task: node.task, of: 'method', name: method.name } as const
    for (const args of this.#bindings(moment, node, method)) {
      if (this.#task.mustStop()) return
      if (!this.#allHold(method.preconditions, moment, node, args, failing)) continue
      const decomposition: Decomposition = { node, method, args, at: moment.count, state_key, children: [] }
      try {
        decomposition.children = method.subtasks.map(({ args: template }, place) =>
          childNode(decomposition, place, fillArgs(template, { state: moment.state, args })),
        )
      } catch (error) {
        this.#fail(moment, node, { ...failing, why: sentenceOf(error) })
        continue
      }
      yield decide(moment, decomposition)
    }
  }

  /** Every combination of the method's choices; the first list varies slowest. */
  *#bindings(moment: Moment, node: TaskNode, { choices, name }: Method): Generator<Facts> {
    const choose = function* (this: Branching, place: number, args: Facts): Generator<Facts> {
      const choice = choices[place]
      if (!choice) {
        yield args
        return
      }
      for (const value of this.#valuesOf(choice.from, moment, node, args, name)) {
        if (this.#task.mustStop()) return
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

  #fail({ count }: Moment, { args }: Pick<TaskNode, 'args'>, failure: Omit<Failure, 'args'>): void {
    this.rejected++
    const is_costly = failure.why === too_much_work
    // What was never judged explains more than what was judged and failed.
    const is_first_costly = is_costly && !this.left_out.costly
    this.left_out.costly ||= is_costly
    const is_kept = this.#failure && (this.left_out.costly || this.#failure.count >= count)
    if (is_kept && !is_first_costly) return
    this.#failure = { failure: { ...failure, args: plainOf(args) }, count }
  }
}
