// Evaluates goals over clauses: encoding, goal-directed evaluation and proofs.
import { type Budget, Exhausted, type Meter, openMeter } from './budget.ts'
import {
  type Clause,
  type Condition,
  domain_predicate,
  isComparison,
  isVariable,
  type Literal,
  literal,
  variable,
} from './clause.ts'
import { type Atom, type Cone, groundCone, keyOfAtom, type Theory } from './cone.ts'
import { guardRules, restrictToCone } from './magic.ts'
import { type Encoder, type Fact, isFact, openEncoder, type Rule } from './program.ts'
import { cheapestInstances, type ProofStep, proveByBirth, proveFromCone } from './proof.ts'
import { evaluate, openModel } from './wfs.ts'

export interface Solved {
  /** Why it stopped early; undefined if the result is complete. */
  readonly exhausted: 'work' | 'deadline' | undefined
  /** Distinct values of the goal's variables; certain ones only. */
  rowsOf(goal: Literal): readonly (readonly string[])[]
  /** Certain or undefined. */
  isPossible(goal: Literal): boolean
  /** The derivation cone of the goals with these values. */
  coneOf(goals: readonly Literal[]): Cone
  /** The smallest proof found, of the goal with its values. */
  prove(goal: Literal): ProofStep[]
  numberOf(goal: Literal): Atom
}

/** All named individuals: the range of an unbound variable. */
export function individualsOf(clauses: readonly Clause[]): Set<string> {
  const names = new Set<string>()
  for (const { head, body } of clauses) {
    for (const part of [head, ...body]) {
      if (isComparison(part)) continue
      for (const arg of part.args) if (!isVariable(arg)) names.add(arg)
    }
  }
  return names
}

/** `goals` are clauses whose heads occur nowhere else. */
export function solveGoals(
  clauses: readonly Clause[],
  goals: readonly Clause[],
  individuals: Iterable<string>,
  meter: Meter,
): Solved {
  const heads = goals.map(({ head }) => head)
  const domain = [...individuals].map((name): Clause => {
    return { head: literal(domain_predicate, [name]), body: [], source: -1 }
  })
  const cone = restrictToCone([...clauses, ...goals], heads)
  const encoder = openEncoder()
  const { facts, rules } = encodeAll(encoder, [...cone, ...domain])
  let exhausted: Solved['exhausted']
  const within = (work: () => void) => {
    try {
      work()
    } catch (error) {
      if (!(error instanceof Exhausted)) throw error
      exhausted = error.of
    }
  }
  let guarded: ReturnType<typeof encodeAll> = { facts: [], rules: [] }
  within(() => {
    guarded = encodeAll(encoder, guardRules([...cone, ...domain], heads, meter))
  })
  for (const head of heads) encoder.relation(head)
  const model = openModel(encoder.relations)
  const { relations, constants } = encoder
  within(() => evaluate({ relations, constants, ...guarded }, model, meter))
  const theory: Theory = {
    constants,
    rules_of: groupBy(rules, ({ head }) => head.relation),
    facts_of: groupBy(facts, keyOfAtom),
    model,
  }
  return { exhausted, ...readings(encoder, theory, meter) }
}

function readings(encoder: Encoder, theory: Theory, meter: Meter): Omit<Solved, 'exhausted'> {
  const { certain, possible } = theory.model
  const numberOf = (goal: Literal): Atom => ({
    relation: encoder.relation(goal),
    row: goal.args.map((arg) => encoder.constant(arg as string)),
  })
  const coneOf = (goals: readonly Literal[]) => groundCone(theory, goals.map(numberOf), meter)
  return {
    rowsOf: (goal) =>
      certain[encoder.relation(goal)]!.rows.map((row) => row.map((value) => encoder.constants[value]!)),
    isPossible: (goal) => possible[encoder.relation(goal)]!.rows.length > 0,
    coneOf,
    prove(goal) {
      const cone = coneOf([goal])
      const chosen = cheapestInstances(cone, () => 1, meter)
      return proveFromCone(cone, chosen, 0, encoder) ?? proveByBirth(theory, numberOf(goal), meter, encoder)
    },
    numberOf,
  }
}

function encodeAll(encoder: Encoder, clauses: readonly Clause[]): { facts: Fact[]; rules: Rule[] } {
  const facts: Fact[] = []
  const rules: Rule[] = []
  for (const clause of clauses) {
    const encoded = encoder.encode(clause)
    if (isFact(encoded)) facts.push(encoded)
    else rules.push(encoded)
  }
  return { facts, rules }
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}

export interface Evaluated {
  readonly status: 'complete' | 'budget_exhausted' | 'deadline'
  /** One per solution of the goal that is certain. */
  readonly bindings: readonly Readonly<Record<string, string>>[]
  /** True if the goal is neither certain nor false. */
  readonly undefined: boolean
  /** Of the first binding; empty if there is none. */
  readonly proof: readonly ProofStep[]
  readonly work: number
}

/** For callers with their own clauses, such as MERIT's hard rules: the values that satisfy all conditions. */
export function evaluateProgram(
  clauses: readonly Clause[],
  goal: readonly Condition[],
  budget: Budget,
): Evaluated {
  const names = variablesOf(goal)
  const head = literal('#goal', names.map(variable))
  const clause: Clause = { head, body: goal, source: -1 }
  const meter = openMeter(budget)
  const solved = solveGoals(clauses, [clause], individualsOf([...clauses, clause]), meter)
  meter.explain()
  const rows = solved.rowsOf(head)
  const bindings = rows.map((row) => Object.fromEntries(names.map((name, place) => [name, row[place]!])))
  const complete = solved.exhausted === undefined
  return {
    status: complete ? 'complete' : solved.exhausted === 'work' ? 'budget_exhausted' : 'deadline',
    bindings,
    undefined: complete && rows.length === 0 && solved.isPossible(head),
    proof: rows[0] ? proofWithin(() => solved.prove(literal('#goal', rows[0]!))) : [],
    work: meter.work,
  }
}

/** A proof beyond the budget is omitted, and the answer stays. */
function proofWithin(prove: () => ProofStep[]): readonly ProofStep[] {
  try {
    return prove()
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error
    return []
  }
}

export function variablesOf(conditions: readonly Condition[]): string[] {
  const names = conditions.flatMap(({ args }) => args.filter(isVariable).map((arg) => arg.variable))
  return [...new Set(names)]
}
