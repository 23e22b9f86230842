// Conditions on the input of a call, in CEL: `input.amount_usd <= 100`.
import { compileExpression, type Expression, newWork } from '../expressions/expression.ts'

/** Compiling one costs this much of the work that a call may cause. */
const compile_cost = 1_000
const compiled_max = 1_000
const compiled = new Map<string, Expression>()

/** Whether it can be compiled, and may answer true or false. */
export function isCondition(text: string): boolean {
  try {
    const { type } = compile(text)
    return type === 'bool' || type === 'dyn'
  } catch {
    return false
  }
}

/** Judges conditions on one input. All share one limit of work: above it none is true. */
export function inputJudge(input: unknown, now_ms: number): (text: string) => boolean {
  const work = newWork()
  return (text) => {
    try {
      if (!compiled.has(text)) work.left -= compile_cost
      if (work.left <= 0) return false
      return compile(text).run({ input, steps: {}, now_ms, seed: '', work }) === true
    } catch {
      return false
    }
  }
}

function compile(text: string): Expression {
  const known_expression = compiled.get(text)
  if (known_expression) return known_expression
  const expression = compileExpression(text)
  if (compiled.size >= compiled_max) compiled.clear()
  compiled.set(text, expression)
  return expression
}
