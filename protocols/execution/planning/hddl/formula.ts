// HDDL formulas as expressions over facts: `(at ?t ?l)` holds if `at` has the key "t l".
import type { EffectSource } from '../effect.ts'
import { type Expression, isList, nameAt, parameterList } from './s-expression.ts'

/** How a variable appears in an expression: as an argument, or as a list variable. */
export type Names = ReadonlyMap<string, string>

export interface Atom {
  readonly predicate: string
  /** Variables with their question mark, and constants. */
  readonly terms: readonly string[]
}

export function celOf(formula: Expression, names: Names): string {
  if (!isList(formula)) throw new Error(`${formula} is no formula`)
  const [head, ...parts] = formula
  const all = () => parts.map((part) => celOf(part, names))
  switch (head) {
    case undefined:
      return 'true'
    case 'and':
      return parts.length === 0 ? 'true' : `(${all().join(' && ')})`
    case 'or':
      return parts.length === 0 ? 'false' : `(${all().join(' || ')})`
    case 'not':
      return `!${all()[0] ?? 'true'}`
    case 'imply':
      return `(!${celOf(parts[0]!, names)} || ${celOf(parts[1]!, names)})`
    case '=':
      return `(${parts.map((part) => termCel(part, names)).join(' == ')})`
    case 'forall':
    case 'exists':
      return quantified(head === 'forall' ? 'all' : 'exists', parts, names)
    default: {
      const { predicate, terms } = atomOf(formula)
      return `(${keyCel(terms, names)} in state["${predicate}"])`
    }
  }
}

function quantified(macro: string, [variables, body]: Expression[], names: Names): string {
  if (variables === undefined || body === undefined)
    throw new Error('a quantifier needs variables and a formula')
  const bound = parameterList(variables, 'a quantifier')
  const inner = new Map(names)
  for (const { name } of bound) inner.set(`?${name}`, variableName(name))
  return bound.reduceRight(
    (text, { name, type }) => `${listCel(type)}.${macro}(${variableName(name)}, ${text})`,
    celOf(body, inner),
  )
}

/** The parts of a conjunction. */
export function conjuncts(formula: Expression | undefined): Expression[] {
  if (formula === undefined || (isList(formula) && formula.length === 0)) return []
  return isList(formula) && formula[0] === 'and' ? formula.slice(1).flatMap(conjuncts) : [formula]
}

/** Every variable in it, once. */
export function variablesIn(formula: Expression, variables = new Set<string>()): ReadonlySet<string> {
  if (isList(formula)) for (const part of formula) variablesIn(part, variables)
  else if (formula.startsWith('?')) variables.add(formula)
  return variables
}

/** Deletions come before additions, as HDDL defines. */
export function effectsOf(
  formula: Expression | undefined,
  names: Names,
): { effects: EffectSource[]; cost: number } {
  const [removed, added]: [EffectSource[], EffectSource[]] = [[], []]
  let cost = 0
  for (const part of conjuncts(formula)) {
    if (!isList(part)) throw new Error(`${part} is no effect`)
    const amount = part[0] === 'increase' ? Number(part[2]) : undefined
    if (amount !== undefined) {
      if (!Number.isFinite(amount) || amount < 0)
        throw new Error('increase takes a number that is not negative')
      cost += amount
    } else if (part[0] === 'not') removed.push({ unset: pathOf(atomOf(part[1]!), names) })
    else if (part[0] === 'when' || part[0] === 'forall')
      throw new Error(`an effect with ${part[0]} is not read`)
    else added.push({ set: pathOf(atomOf(part), names), to: true })
  }
  return { effects: [...removed, ...added], cost }
}

export function atomOf(formula: Expression): Atom {
  if (!isList(formula)) throw new Error(`${formula} is no atom`)
  const terms = formula.slice(1).map((term) => {
    if (typeof term !== 'string') throw new Error('an atom holds only names and variables')
    return term
  })
  return { predicate: nameAt(formula[0], 'a predicate'), terms }
}

/** Facts without arguments share one key. */
export function keyOf(terms: readonly string[]): string {
  return terms.length === 0 ? 'yes' : terms.join(' ')
}

export function variableName(name: string): string {
  return name.replace(/^\?/, '').replaceAll('-', '_')
}

export function listCel(type: string): string {
  return `state.objects["${type}"]`
}

export function termCel(term: Expression, names: Names): string {
  if (typeof term !== 'string') throw new Error('only names and variables can be compared')
  if (!term.startsWith('?')) return `"${nameAt(term, term)}"`
  const name = names.get(term)
  if (name === undefined) throw new Error(`${term} is declared nowhere`)
  return name
}

function keyCel(terms: readonly string[], names: Names): string {
  return terms.length === 0 ? '"yes"' : terms.map((term) => termCel(term, names)).join(' + " " + ')
}

function pathOf({ predicate, terms }: Atom, names: Names): string {
  const parts = terms.map((term) => {
    const text = termCel(term, names)
    return text.startsWith('args.') ? `{${text.slice('args.'.length)}}` : text.slice(1, -1)
  })
  return `${predicate}.${keyOf(parts)}`
}
