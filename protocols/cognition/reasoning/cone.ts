// The derivation cone of given atoms: every ground derivation, found backwards from the goal.
import type { Meter } from './budget.ts'
import type { Clause } from './clause.ts'
import { bindRow, joinSteps, planSteps, type Reading, slotValue, unbound } from './join.ts'
import type { Fact, Rule } from './program.ts'
import type { Row } from './relation.ts'
import type { Model } from './wfs.ts'

export interface Atom {
  readonly relation: number
  readonly row: Row
}

/** One derivation of an atom. */
export interface Instance {
  readonly head: number
  /** Its dependencies by number; negations and comparisons follow from the clause and the values. */
  readonly body: readonly number[]
  readonly clause: Clause
  /** Its rule and the value of each slot; absent for a fact. */
  readonly rule?: Rule
  readonly values: readonly number[]
}

export interface Theory {
  readonly constants: readonly string[]
  readonly rules_of: ReadonlyMap<number, readonly Rule[]>
  /** By `keyOfAtom`. */
  readonly facts_of: ReadonlyMap<string, readonly Fact[]>
  readonly model: Model
}

export interface Cone {
  readonly atoms: readonly Atom[]
  readonly instances: readonly Instance[]
  /** Instances by the atom they derive. */
  readonly deriving: readonly (readonly number[])[]
  /** The number of an atom; -1 if it is not in the cone. */
  find(atom: Atom): number
  /** True if some derivations were not examined. */
  readonly truncated: boolean
}

export function keyOfAtom({ relation, row }: Atom): string {
  return `${relation}:${row.join(',')}`
}

const instances_max = 20_000

export function groundCone(theory: Theory, roots: readonly Atom[], meter: Meter): Cone {
  const atoms: Atom[] = []
  const numbers = new Map<string, number>()
  const number = (atom: Atom) => {
    const key = keyOfAtom(atom)
    const existing_number = numbers.get(key)
    if (existing_number !== undefined) return existing_number
    atoms.push(atom)
    numbers.set(key, atoms.length - 1)
    return atoms.length - 1
  }
  const instances: Instance[] = []
  const deriving: number[][] = []
  for (const root of roots) number(root)
  let truncated = false
  // `atoms` grows during the loop: breadth first, so that a cut omits the deepest ones.
  for (let head = 0; head < atoms.length; head += 1) {
    deriving.push([])
    if (truncated) continue
    for (const way of waysTo(theory, atoms[head]!, meter)) {
      deriving[head]!.push(instances.length)
      instances.push({ ...way, head, body: way.body.map(number) })
      truncated = instances.length >= instances_max
      if (truncated) break
    }
  }
  const find = (atom: Atom) => numbers.get(keyOfAtom(atom)) ?? -1
  return { atoms, instances, deriving, find, truncated }
}

export interface Way {
  readonly body: readonly Atom[]
  readonly clause: Clause
  readonly rule?: Rule
  readonly values: readonly number[]
}

/** All one-step derivations of a certain atom; with `accept`, the first accepted one. */
export function waysTo(theory: Theory, atom: Atom, meter: Meter, accept?: (way: Way) => boolean): Way[] {
  const ways: Way[] = []
  for (const { clause } of theory.facts_of.get(keyOfAtom(atom)) ?? [])
    ways.push({ body: [], clause, values: [] })
  if (accept && ways.length > 0) return ways.slice(0, 1)
  for (const rule of theory.rules_of.get(atom.relation) ?? []) {
    const stop = joinRule(theory, rule, atom.row, meter, (way) => {
      if (accept && !accept(way)) return false
      ways.push(way)
      return accept !== undefined || ways.length >= instances_max
    })
    if (stop) break
  }
  return ways
}

function joinRule(
  { model, constants }: Theory,
  rule: Rule,
  row: Row,
  meter: Meter,
  onWay: (way: Way) => boolean,
): boolean {
  const binding = new Array<number>(rule.slots).fill(unbound)
  if (bindRow(rule.head.args, row, binding) === undefined) return false
  const readings = rule.body.map((step): Reading | undefined => {
    if (step.kind === 'compare') return undefined
    const relation = (step.kind === 'naf' ? model.possible : model.certain)[step.relation]!
    return { relation, low: 0, high: Number.POSITIVE_INFINITY }
  })
  meter.look(rule.body.length ** 2)
  const order = planSteps(rule.body, rule.head.args)
  return joinSteps({ body: rule.body, order, readings, constants, meter }, binding, () => {
    const matches = rule.body.filter(({ kind }) => kind === 'match')
    const body = matches.map(({ relation, args }) => ({
      relation,
      row: args.map((arg) => slotValue(arg, binding)),
    }))
    return onWay({ body, clause: rule.clause, rule, values: [...binding] })
  })
}
