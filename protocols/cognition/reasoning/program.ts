// Encodes clauses as integers: constants, predicates and variables are numbered once.
import {
  type Clause,
  type Condition,
  domain_predicate,
  isComparison,
  isVariable,
  type Literal,
} from './clause.ts'
import { constants_max, type Row } from './relation.ts'

export interface Step {
  readonly kind: 'match' | 'naf' | 'compare'
  /** -1 for a comparison. */
  readonly relation: number
  /** A constant's number, or -(slot + 1) for a variable. */
  readonly args: readonly number[]
  readonly operator: string
}

export interface Rule {
  readonly head: { readonly relation: number; readonly args: readonly number[] }
  readonly body: readonly Step[]
  readonly slots: number
  /** Its original clause. */
  readonly clause: Clause
}

export interface RelationName {
  readonly predicate: string
  readonly negated: boolean
  readonly arity: number
}

/** A rule without conditions and variables is a fact: a row with its clause. */
export interface Fact {
  readonly relation: number
  readonly row: Row
  readonly clause: Clause
}

export interface Encoder {
  readonly constants: readonly string[]
  readonly relations: readonly RelationName[]
  constant(text: string): number
  relation(literal: Literal): number
  /** A fact if nothing is left to match, otherwise a rule with every variable bound. */
  encode(clause: Clause): Fact | Rule
}

export function isFact(encoded: Fact | Rule): encoded is Fact {
  return 'row' in encoded
}

export function openEncoder(): Encoder {
  const constants: string[] = []
  const constant_numbers = new Map<string, number>()
  const relations: RelationName[] = []
  const relation_numbers = new Map<string, number>()
  const constant = (text: string) => {
    const constant_number = constant_numbers.get(text)
    if (constant_number !== undefined) return constant_number
    if (constants.length >= constants_max) throw new Error('more constants than can be numbered')
    constants.push(text)
    constant_numbers.set(text, constants.length - 1)
    return constants.length - 1
  }
  const relation = ({ predicate, negated, args }: Literal) => {
    const key = `${negated ? '-' : '+'}${args.length}:${predicate}`
    const relation_number = relation_numbers.get(key)
    if (relation_number !== undefined) return relation_number
    relations.push({ predicate, negated, arity: args.length })
    relation_numbers.set(key, relations.length - 1)
    return relations.length - 1
  }
  const encode = (clause: Clause) => {
    const slots = new Map<string, number>()
    const number = (arg: Literal['args'][number]) => {
      if (!isVariable(arg)) return constant(arg)
      const slot = slots.get(arg.variable) ?? slots.size
      slots.set(arg.variable, slot)
      return -(slot + 1)
    }
    const step = (condition: Condition): Step => {
      const args = condition.args.map(number)
      if (isComparison(condition))
        return { kind: 'compare', relation: -1, args, operator: condition.predicate }
      return { kind: condition.naf ? 'naf' : 'match', relation: relation(condition), args, operator: '' }
    }
    const head = { relation: relation(clause.head), args: clause.head.args.map(number) }
    const body = clause.body.map(step)
    const bound = new Set(body.flatMap(({ kind, args }) => (kind === 'match' ? args : [])))
    for (const slot of slots.values()) {
      if (bound.has(-(slot + 1))) continue
      const individual = relation({ predicate: domain_predicate, negated: false, args: [''] })
      body.push({ kind: 'match', relation: individual, args: [-(slot + 1)], operator: '' })
    }
    if (body.length === 0) return { relation: head.relation, row: head.args, clause }
    return { head, body, slots: slots.size, clause }
  }
  return { constants, relations, constant, relation, encode }
}
