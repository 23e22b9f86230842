// What others may use of expressions.

export { compileExpression, type Expression, evaluate, judge, newWork, type Scope } from './expression.ts'
export { meterExpression, nodesOf } from './expression-cost.ts'
export { fromCel, toCel } from './expression-value.ts'
export { matchesLinear, testPattern } from './matches.ts'
