// Fields of a call's input that a rule reads. Cedar wants types and inputs have none, so each field has the type that the
// rule uses it as, and is handed to the evaluator as one fact, under a name that tells its path and type.
import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'

type Scalar = 'String' | 'Long' | 'Bool' | 'decimal'
export type InputType = Scalar | `Set<${Scalar}>` | 'present'

export interface InputFact {
  readonly path: readonly string[]
  readonly type: InputType
}

export type InputValue = string | number | boolean | InputValue[] | { __extn: { fn: string; arg: string } }

/** Longer texts and sets are not read: a rule that needs them fails, and so forbids. */
export const text_length_max = 8_192
export const set_size_max = 256
/** What schemas can name. */
const name_form = /^[^"\\\p{C}]{1,128}$/u
/** Cedar has four digits after the point, and 64 bits in all. */
const decimal_form = /^(-?(?:0|[1-9]\d{0,13}))(?:\.(\d{1,4}))?$/

interface Pair {
  readonly left: Expression
  readonly right: Expression
}
type Expression = Readonly<Record<string, unknown>>

export interface InputUse {
  /** By their names in the rewritten rule. */
  readonly facts: ReadonlyMap<string, InputFact>
  readonly faults: readonly string[]
  /** The rule with facts in place of fields. */
  readonly rule: PolicyJson
}

export function inputUse(rule: PolicyJson): InputUse {
  const facts = new Map<string, InputFact>()
  const faults: string[] = []
  const place = (path: readonly string[], type: InputType | undefined): Expression => {
    const field = fieldName(path)
    if (path.length === 0 && type !== 'present')
      faults.push(`${field} is the whole input; name a field of it`)
    else if (type === undefined)
      faults.push(
        `${field} has no type here; compare it with a text, a whole number, true or false, or decimal("1.5"), or use like or contains`,
      )
    else if (path.some((name) => !name_form.test(name)))
      faults.push(`${field} has a name that cannot be used`)
    else facts.set(factName({ path, type }), { path, type })
    return { '.': { left: { Var: 'context' }, attr: factName({ path, type: type ?? 'present' }) } }
  }
  const conditions = rule.conditions.map(({ kind, body }) => ({
    kind,
    body: rewrite(body as Expression, 'Bool', place) as (typeof rule.conditions)[number]['body'],
  }))
  return { facts, faults, rule: { ...rule, conditions } }
}

function factName({ path, type }: InputFact): string {
  return `input ${type} ${JSON.stringify(path)}`
}

/** As an author writes it. */
export function fieldName(path: readonly string[]): string {
  return ['context.input', ...path].join('.')
}

type Place = (path: readonly string[], type: InputType | undefined) => Expression

/** `type` is what the surrounding expression needs; it decides what a field must be. */
function rewrite(expression: Expression, type: InputType | undefined, place: Place): Expression {
  const path = pathOf(expression)
  if (path) return place(path, type)
  const [[operator, operand] = ['', undefined]] = Object.entries(expression)
  if (operator === '.' && (operand as { attr: string }).attr === 'input') return place([], undefined)
  if (operator === 'Value' || operator === 'Var') return expression
  if (operator === 'has') return rewriteHas(expression, operand as Has, place)
  if (Array.isArray(operand)) {
    const own = operator === 'Set' ? elementOf(type) : comparesDecimals(operator) ? 'decimal' : undefined
    return { [operator]: operand.map((part: Expression) => rewrite(part, own, place)) }
  }
  const types = neededBy(operator, operand as Pair, type)
  const parts = Object.entries(operand as Expression).map(([name, part]) => [
    name,
    isExpression(part) ? rewrite(part, types[name], place) : part,
  ])
  return { [operator]: Object.fromEntries(parts) }
}

interface Has {
  readonly left: Expression
  readonly attr: string | readonly string[]
}

function rewriteHas(expression: Expression, { left, attr }: Has, place: Place): Expression {
  const names = typeof attr === 'string' ? [attr] : attr
  if (left.Var === 'context' && names[0] === 'input') return place(names.slice(1), 'present')
  const path = pathOf(left)
  if (path) return place([...path, ...names], 'present')
  return left.Var === undefined ? { has: { left: rewrite(left, undefined, place), attr } } : expression
}

/** Undefined for anything else than `context.input` and fields of it. */
function pathOf(expression: Expression): string[] | undefined {
  const { left, attr } = (expression['.'] ?? {}) as { left?: Expression; attr?: string }
  if (!left || attr === undefined) return undefined
  if (left.Var === 'context') return attr === 'input' ? [] : undefined
  const path = pathOf(left)
  return path && [...path, attr]
}

/** What an operator needs of each of its parts. */
function neededBy(
  operator: string,
  { left, right }: Pair,
  type: InputType | undefined,
): Readonly<Record<string, InputType | undefined>> {
  switch (operator) {
    case '==':
    case '!=':
    case 'containsAll':
    case 'containsAny':
      return { left: typeOf(right), right: typeOf(left) }
    case 'contains':
      return { left: setOf(typeOf(right)), right: elementOf(typeOf(left)) }
    case '<':
    case '<=':
    case '>':
    case '>=':
    case '+':
    case '-':
    case '*':
      return { left: 'Long', right: 'Long' }
    case 'neg':
      return { arg: 'Long' }
    case '&&':
    case '||':
      return { left: 'Bool', right: 'Bool' }
    case '!':
      return { arg: 'Bool' }
    case 'like':
      return { left: 'String' }
    case 'if-then-else':
      return Object.fromEntries([
        ['if', 'Bool'],
        ['then', type],
        ['else', type],
      ])
    default:
      return {}
  }
}

const long_facts = new Set(['level', 'hour', 'weekday', 'amount_micro_usd'])
const bool_facts = new Set(['lineage_verified', 'state_changing'])

/** Undefined where it cannot be told, as for a field of the input. */
function typeOf(expression: Expression): InputType | undefined {
  const [[operator, operand] = ['', undefined]] = Object.entries(expression)
  if (operator === 'Value') return typeOfValue(operand)
  if (operator === 'decimal') return 'decimal'
  if (operator === 'Set') return setOf(typeOf((operand as Expression[])[0] ?? {}))
  if (['+', '-', '*', 'neg'].includes(operator)) return 'Long'
  if (operator !== '.' || pathOf(expression)) return undefined
  const { attr } = operand as { attr: string }
  return long_facts.has(attr) ? 'Long' : bool_facts.has(attr) ? 'Bool' : 'String'
}

function typeOfValue(value: unknown): InputType | undefined {
  if (Array.isArray(value)) return setOf(typeOfValue(value[0]))
  if (typeof value === 'string') return 'String'
  if (typeof value === 'number') return 'Long'
  return typeof value === 'boolean' ? 'Bool' : undefined
}

function setOf(type: InputType | undefined): InputType | undefined {
  return type === undefined || type === 'present' || type.startsWith('Set')
    ? undefined
    : `Set<${type as Scalar}>`
}

function elementOf(type: InputType | undefined): InputType | undefined {
  return type?.startsWith('Set') ? (type.slice('Set<'.length, -1) as Scalar) : undefined
}

function comparesDecimals(operator: string): boolean {
  return /^(less|greater)Than(OrEqual)?$/.test(operator)
}

function isExpression(value: unknown): value is Expression {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Undefined if it is missing, or nothing of this type: a rule that reads it then fails to evaluate. */
export function inputValue(input: unknown, { path, type }: InputFact): InputValue | undefined {
  let value = input
  for (const name of path) {
    if (!isExpression(value) || !Object.hasOwn(value, name)) return type === 'present' ? false : undefined
    value = value[name]
  }
  if (type === 'present') return path.length > 0 || isExpression(input)
  const element = elementOf(type)
  if (element === undefined) return scalar(value, type as Scalar)
  if (!Array.isArray(value) || value.length > set_size_max) return undefined
  const elements = value.map((one) => scalar(one, element as Scalar))
  return elements.every((one) => one !== undefined) ? elements : undefined
}

function scalar(value: unknown, type: Scalar): InputValue | undefined {
  switch (type) {
    case 'String':
      return typeof value === 'string' && value.length <= text_length_max ? value.toWellFormed() : undefined
    case 'Long':
      return Number.isSafeInteger(value) ? (value as number) : undefined
    case 'Bool':
      return typeof value === 'boolean' ? value : undefined
    case 'decimal':
      return typeof value === 'number' || typeof value === 'string' ? decimal(String(value)) : undefined
  }
}

function decimal(text: string): InputValue | undefined {
  const [, whole, fraction = '0'] = decimal_form.exec(text) ?? []
  return whole === undefined ? undefined : { __extn: { fn: 'decimal', arg: `${whole}.${fraction}` } }
}
