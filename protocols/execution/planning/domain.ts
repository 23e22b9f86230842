// A planning domain: operators that do something, and methods that break larger tasks down.
import { type Condition, compileCondition, sentenceOf } from './condition.ts'
import { compileEffect, type Effect, type EffectSource } from './effect.ts'
import { compileTemplate, type Template } from './template.ts'

export interface Duration {
  readonly opt: number
  readonly likely: number
  readonly pess: number
}

export interface SubtaskSource {
  readonly id?: string
  readonly task: string
  readonly args?: Readonly<Record<string, unknown>>
}

export interface MethodSource {
  readonly name?: string
  readonly task: string
  readonly choose?: readonly { readonly name: string; readonly from: string }[]
  readonly preconditions?: string | readonly string[]
  readonly subtasks: readonly SubtaskSource[]
  /** Absent: as listed. A list of ids: in this order. Pairs of ids: each first before each second. */
  readonly order?: readonly string[] | readonly (readonly string[])[]
}

export interface OperatorSource {
  readonly name: string
  readonly preconditions?: string | readonly string[]
  readonly effects?: readonly EffectSource[]
  readonly protocol?: string
  readonly operation?: string
  readonly payload?: Readonly<Record<string, unknown>>
  readonly skill?: string
  /** Share of an agent's capacity; all of it if absent. */
  readonly load?: number
  readonly duration?: Duration
  readonly cost?: number
}

export interface DomainSource {
  readonly methods: readonly MethodSource[]
  readonly operators: readonly OperatorSource[]
}

export interface Method {
  /** Its index among all methods: stored plans refer to it. */
  readonly index: number
  readonly name: string
  readonly task: string
  readonly choices: readonly { readonly name: string; readonly from: Condition }[]
  readonly preconditions: readonly Condition[]
  readonly subtasks: readonly { readonly task: string; readonly args: Template }[]
  /** For each subtask, the indexes of those that must end before it. */
  readonly after: readonly (readonly number[])[]
}

export interface Operator {
  readonly source: OperatorSource
  readonly preconditions: readonly Condition[]
  readonly effects: readonly Effect[]
  readonly payload: Template | undefined
}

export interface Domain {
  /** By task, in the order to try. */
  readonly methods: ReadonlyMap<string, readonly Method[]>
  readonly operators: ReadonlyMap<string, Operator>
  readonly all_methods: readonly Method[]
}

export interface Fault {
  readonly pointer: string
  readonly message: string
}

/** Compiles everything and reports every fault, not only the first. */
export function compileDomain(source: DomainSource): { domain: Domain } | { faults: Fault[] } {
  const faults: Fault[] = []
  const attempt = <Made>(pointer: string, make: () => Made): Made | undefined => {
    try {
      return make()
    } catch (error) {
      faults.push({ pointer, message: sentenceOf(error) })
      return undefined
    }
  }
  const operators = new Map<string, Operator>()
  for (const [at, operator_source] of source.operators.entries()) {
    const pointer = `/operators/${at}`
    if (operators.has(operator_source.name))
      faults.push({ pointer: `${pointer}/name`, message: 'names another operator' })
    const made = attempt(pointer, () => compileOperator(operator_source))
    if (made) operators.set(operator_source.name, made)
  }
  const methods = new Map<string, Method[]>()
  const all_methods: Method[] = []
  for (const [at, method_source] of source.methods.entries()) {
    const pointer = `/methods/${at}`
    if (operators.has(method_source.task))
      faults.push({ pointer: `${pointer}/task`, message: 'is an operator, which needs no method' })
    const made = attempt(pointer, () => compileMethod(method_source, at))
    if (!made) continue
    all_methods.push(made)
    methods.set(method_source.task, [...(methods.get(method_source.task) ?? []), made])
  }
  return faults.length > 0 ? { faults } : { domain: { methods, operators, all_methods } }
}

function compileOperator(source: OperatorSource): Operator {
  const { opt, likely, pess } = source.duration ?? { opt: 0, likely: 0, pess: 0 }
  if (opt > likely || likely > pess) throw new Error('a duration has opt <= likely <= pess')
  if ((source.protocol === undefined) !== (source.operation === undefined))
    throw new Error('protocol and operation come together')
  if (source.protocol !== undefined && source.skill !== undefined)
    throw new Error('it is done by an operation or by the skill of an agent, not by both')
  return {
    source,
    preconditions: conditionsOf(source.preconditions),
    effects: (source.effects ?? []).map(compileEffect),
    payload: source.payload && compileTemplate(source.payload),
  }
}

function compileMethod(source: MethodSource, index: number): Method {
  const names = source.subtasks.map(({ id }, place) => id ?? String(place + 1))
  if (new Set(names).size < names.length) throw new Error('two subtasks have the same id')
  return {
    index,
    name: source.name ?? `${source.task} ${index + 1}`,
    task: source.task,
    choices: (source.choose ?? []).map(({ name, from }) => ({ name, from: compileCondition(from) })),
    preconditions: conditionsOf(source.preconditions),
    subtasks: source.subtasks.map(({ task, args = {} }) => ({ task, args: compileTemplate(args) })),
    after: orderOf(names, source.order),
  }
}

function conditionsOf(texts: string | readonly string[] = []): Condition[] {
  return (typeof texts === 'string' ? [texts] : texts).map(compileCondition)
}

function orderOf(names: readonly string[], order: MethodSource['order']): number[][] {
  const places = new Map(names.map((name, place) => [name, place]))
  const after: number[][] = names.map(() => [])
  for (const [first, second] of pairsOf(names, order)) {
    const [from, to] = [places.get(first), places.get(second)]
    if (from === undefined || to === undefined)
      throw new Error(`its order names ${from === undefined ? first : second}, which is no subtask`)
    after[to]!.push(from)
  }
  if (hasCycle(after)) throw new Error('its order goes round in a circle')
  return after
}

function pairsOf(names: readonly string[], order: MethodSource['order']): [string, string][] {
  const pairs = order ?? names
  const chain = pairs.filter((entry) => typeof entry === 'string')
  if (chain.length > 0 && chain.length < pairs.length)
    throw new Error('its order is a list of ids or a list of pairs, not both')
  if (chain.length > 0) return chain.slice(1).map((name, at) => [chain[at]!, name])
  return (pairs as readonly (readonly string[])[]).map(([first, second]) => [first!, second!])
}

function hasCycle(after: readonly (readonly number[])[]): boolean {
  const missing = after.map((list) => list.length)
  const followers: number[][] = after.map(() => [])
  for (const [place, list] of after.entries()) for (const one of list) followers[one]!.push(place)
  const free = [...missing.keys()].filter((place) => missing[place] === 0)
  for (const place of free)
    for (const follower of followers[place]!) if (--missing[follower]! === 0) free.push(follower)
  return free.length < after.length
}
