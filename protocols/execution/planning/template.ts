// A value with placeholders: any nested `{"$cel": "…"}` is replaced by the expression's result.
import { type Condition, compileCondition, plainValue, type Scope } from './condition.ts'
import { argsOf, type FactPath, type Facts } from './facts.ts'

export interface Template {
  fill(scope: Scope): unknown
  reads(args: Facts): FactPath[]
}

export function compileTemplate(source: unknown): Template {
  const holes: Condition[] = []
  const fill = compilePart(source, holes)
  return { fill, reads: (args) => holes.flatMap((hole) => hole.reads(args)) }
}

/** For the arguments of a task. */
export function fillArgs(template: Template, scope: Scope): Facts {
  return argsOf(template.fill(scope) as Record<string, unknown>)
}

function compilePart(source: unknown, holes: Condition[]): (scope: Scope) => unknown {
  if (typeof source !== 'object' || source === null) return () => source
  if (Array.isArray(source)) {
    const parts = source.map((part) => compilePart(part, holes))
    return (scope) => parts.map((part) => part(scope))
  }
  const entries = Object.entries(source)
  const [first] = entries
  if (entries.length === 1 && first![0] === '$cel') {
    if (typeof first![1] !== 'string') throw new Error('$cel holds the text of an expression')
    const hole = compileCondition(first![1])
    holes.push(hole)
    return (scope) => plainValue(hole, scope)
  }
  const members = entries.map(([name, part]) => [name, compilePart(part, holes)] as const)
  return (scope) => Object.fromEntries(members.map(([name, part]) => [name, part(scope)]))
}
