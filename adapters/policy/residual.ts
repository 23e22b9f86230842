// What remains of a rule when some facts are open: which of them it still depends on.

type Expression = { readonly [operator: string]: unknown }

/** A constant, or the names of the open facts it depends on. */
type Rest = { readonly value: unknown } | { readonly open: ReadonlySet<string> }

/** The open facts in the conditions of a residual policy; none if the result does not depend on them. */
export function openFacts(
  conditions: readonly { readonly kind: string; readonly body: unknown }[],
): string[] {
  const open_names = new Set<string>()
  for (const { kind, body } of conditions) {
    const rest = restOf(body as Expression)
    if ('value' in rest) {
      // One false clause settles the whole.
      if (rest.value === (kind === 'unless')) return []
    } else for (const name of rest.open) open_names.add(name)
  }
  return [...open_names].sort()
}

function restOf(expression: Expression): Rest {
  if ('Value' in expression) return { value: expression.Value }
  const [[operator, operand] = ['', undefined]] = Object.entries(expression)
  if (operator === 'unknown') return { open: new Set([nameOf(operand)]) }
  const parts = partsOf(operand)
  if (operator === '&&' || operator === '||') {
    const settles = operator === '||'
    const rests = parts.map(restOf)
    if (rests.some((rest) => 'value' in rest && rest.value === settles)) return { value: settles }
    return joined(rests)
  }
  return joined(parts.map(restOf))
}

function joined(rests: readonly Rest[]): Rest {
  const open = new Set(rests.flatMap((rest) => ('open' in rest ? [...rest.open] : [])))
  return open.size > 0 ? { open } : { value: undefined }
}

function partsOf(operand: unknown): Expression[] {
  if (Array.isArray(operand)) return operand.filter(isExpression)
  if (!isExpression(operand)) return []
  return Object.values(operand)
    .flatMap((part) => (Array.isArray(part) ? part : [part]))
    .filter(isExpression)
}

function isExpression(value: unknown): value is Expression {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nameOf(operand: unknown): string {
  const [first] = Array.isArray(operand) ? operand : [operand]
  return String((first as Expression | undefined)?.Value ?? '')
}
