// CEL expressions of recipes and plans: compiled, and bounded in cost.

// Compile an expression and evaluate it in a scope.
export { compileExpression, type Expression, evaluate, judge, newWork, type Scope } from './expression.ts'
// The cost limit on evaluating an expression, and the count of its nodes.
export { type Meter, meterExpression, nodesOf } from './expression-cost.ts'
// Convert values between JSON and CEL.
export { fromCel, toCel } from './expression-value.ts'
// RE2 patterns, matched in linear time.
export { matchesLinear, testPattern } from './matches.ts'
