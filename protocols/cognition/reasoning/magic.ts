// Goal-directed evaluation (magic sets): rules fire only for requested goals. Everything below negation as
// failure is evaluated in full: a guard there could apply negation to a goal nobody has requested yet.
import { type Meter, tries_per_work } from './budget.ts'
import { type Clause, type Condition, isComparison, isVariable, type Literal } from './clause.ts'

function keyOf({ predicate, negated, args }: Literal): string {
  return `${negated ? '-' : '+'}${args.length}:${predicate}`
}

/** The clauses relevant to these heads. */
export function restrictToCone(clauses: readonly Clause[], literals: readonly Literal[]): Clause[] {
  const reached = reachFrom(clauses, literals.map(keyOf))
  return clauses.filter(({ head }) => reached.has(keyOf(head)))
}

/** Equivalent for these heads with nothing bound, and for every row they depend on. */
export function guardRules(clauses: readonly Clause[], literals: readonly Literal[], meter: Meter): Clause[] {
  const with_rules = new Set(clauses.filter(({ body }) => body.length > 0).map(({ head }) => keyOf(head)))
  const under_naf = clauses.flatMap(({ body }) => body.filter(({ naf }) => naf).map(keyOf))
  const whole = reachFrom(clauses, under_naf)
  const guards = new Guards((key) => with_rules.has(key) && !whole.has(key))
  const rules_of = new Map<string, Clause[]>()
  for (const clause of clauses) {
    const key = keyOf(clause.head)
    if (clause.body.length === 0 || !guards.applyTo(key)) guards.clauses.push(clause)
    else if (rules_of.has(key)) rules_of.get(key)!.push(clause)
    else rules_of.set(key, [clause])
  }
  for (const literal of literals) guards.ask(literal, new Set(), [])
  for (let next = guards.asked.shift(); next; next = guards.asked.shift()) {
    for (const rule of rules_of.get(next.key) ?? []) {
      // Binding patterns double with each argument: each costs work, whether it finds anything or not.
      meter.look(tries_per_work + rule.body.length ** 2)
      guards.guard(rule, next.pattern)
    }
  }
  return guards.clauses
}

class Guards {
  readonly clauses: Clause[] = []
  readonly asked: { key: string; pattern: string }[] = []
  readonly applyTo: (key: string) => boolean
  private readonly known = new Set<string>()

  constructor(applyTo: (key: string) => boolean) {
    this.applyTo = applyTo
  }

  /** Requests this literal, with these variables bound, wherever `body` holds. */
  ask(literal: Literal, bound: ReadonlySet<string>, body: readonly Condition[]): void {
    const key = keyOf(literal)
    if (!this.applyTo(key)) return
    const pattern = literal.args
      .map((arg) => (isVariable(arg) && !bound.has(arg.variable) ? 'f' : 'b'))
      .join('')
    const head = guardOf(literal, pattern)
    // A rule that requests itself with the same values adds nothing.
    const asks_itself = body.length === 1 && body[0]!.predicate === head.predicate && sameArgs(body[0]!, head)
    if (!asks_itself) this.clauses.push({ head, body, source: -1 })
    const call = `${pattern} ${key}`
    if (this.known.has(call)) return
    this.known.add(call)
    this.asked.push({ key, pattern })
  }

  guard(rule: Clause, pattern: string): void {
    const guard = guardOf(rule.head, pattern)
    const bound = new Set(guard.args.filter(isVariable).map(({ variable }) => variable))
    const body: Condition[] = [guard]
    for (const condition of orderConditions(rule.body, bound)) {
      if (!condition.naf && !isComparison(condition)) {
        this.ask(condition, bound, [...body])
        for (const arg of condition.args) if (isVariable(arg)) bound.add(arg.variable)
      }
      body.push(condition)
    }
    this.clauses.push({ head: rule.head, body, source: rule.source })
  }
}

function guardOf(literal: Literal, pattern: string): Literal {
  const args = literal.args.filter((_, place) => pattern[place] === 'b')
  return { predicate: `#asked:${pattern}:${keyOf(literal)}`, negated: false, args }
}

function sameArgs(a: Literal, b: Literal): boolean {
  return a.args.every((arg, place) => {
    const other = b.args[place]!
    return isVariable(arg) ? isVariable(other) && arg.variable === other.variable : arg === other
  })
}

/** Most bound first; tests last, once their variables are bound. */
function orderConditions(body: readonly Condition[], bound_names: ReadonlySet<string>): Condition[] {
  const bound = new Set(bound_names)
  const left = body.filter((condition) => !condition.naf && !isComparison(condition))
  const tests = body.filter((condition) => condition.naf || isComparison(condition))
  const order: Condition[] = []
  while (left.length > 0) {
    const open = left.map(({ args }) => args.filter((a) => isVariable(a) && !bound.has(a.variable)).length)
    const scores = left.map(({ args }, place) => (args.length - open[place]!) * 10 - open[place]!)
    const [next] = left.splice(scores.indexOf(Math.max(...scores)), 1)
    order.push(next!)
    for (const arg of next!.args) if (isVariable(arg)) bound.add(arg.variable)
  }
  return [...order, ...tests]
}

function reachFrom(clauses: readonly Clause[], keys: readonly string[]): Set<string> {
  const below = new Map<string, Set<string>>()
  for (const { head, body } of clauses) {
    const key = keyOf(head)
    if (!below.has(key)) below.set(key, new Set())
    for (const condition of body) if (!isComparison(condition)) below.get(key)!.add(keyOf(condition))
  }
  const reached = new Set(keys)
  const open = [...reached]
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    for (const next of below.get(key) ?? []) {
      if (reached.has(next)) continue
      reached.add(next)
      open.push(next)
    }
  }
  return reached
}
