// "D unless C": the conclusion holds as long as no exception is derivable.
import { type Clause, type Condition, isComparison, isVariable, type Literal, variable } from './clause.ts'
import type { Alternatives, Scope } from './scope.ts'

/** The referent of "they" in an exception after its rule. */
export function spokenOf(rules: readonly Clause[]): Scope['variables'] {
  const arg = rules[0]?.head.args.find(isVariable)
  return new Map(arg ? [['someone', arg]] : [])
}

export function applyExceptions(
  rules: readonly Clause[],
  exceptions: Alternatives,
  scope: Scope,
  source: number,
): Clause[] {
  const shared = new Set(rules.flatMap(({ head }) => head.args.filter(isVariable).map((arg) => arg.variable)))
  const definitions: Clause[] = []
  const failing = exceptions.map((conditions): Condition => {
    const [only] = conditions
    const open = conditions.flatMap(({ args }) => args.filter(isVariable).map((arg) => arg.variable))
    const simple = conditions.length === 1 && !isComparison(only!) && open.every((name) => shared.has(name))
    if (simple) return { ...only!, naf: true }
    scope.counter.next += 1
    const args = [...new Set(open.filter((name) => shared.has(name)))].map(variable)
    const head: Literal = { predicate: `#except:${source}:${scope.counter.next}`, negated: false, args }
    definitions.push({ head, body: conditions, source })
    return { ...head, naf: true }
  })
  return [...rules.map((rule) => ({ ...rule, body: [...rule.body, ...failing] })), ...definitions]
}
