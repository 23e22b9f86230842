// Evaluates an estimand on the observed joint distribution by multiplying, summing and dividing tables.
import { refuse } from '@svc/contract/refusal'
import { marginalise } from './elimination.ts'
import { cellsOf, type Factor, multiply, reduceFactor, type Spend, scopeOf } from './factor.ts'
import type { Estimand } from './identify.ts'

export interface Working {
  readonly cards: readonly number[]
  /** Tables whose product is the joint distribution. */
  readonly joint: readonly Factor[]
  /** Values set by the intervention. */
  readonly known: ReadonlyMap<number, number>
  readonly cells_max: number
  readonly spend: Spend
  /** Reports the table sizes. */
  measure(cells: number): void
}

/** Tables whose product is the result, with the intervention's values inserted. */
export function workOut(estimand: Estimand, working: Working): Factor[] {
  const { known, cards } = working
  return evaluate(estimand, working).map((factor) => reduceFactor(factor, known, cards))
}

function evaluate(estimand: Estimand, working: Working): Factor[] {
  switch (estimand.kind) {
    case 'joint':
      return [...working.joint]
    case 'sum':
      return sumOver(evaluate(estimand.of, working), estimand.over, working)
    case 'product':
      // No part of a product is conditioned again, so every free variable that is set has its set value.
      return estimand.of.flatMap((part) => workOut(part, working))
    case 'chain': {
      const distribution = evaluate(estimand.of, working)
      return estimand.links.map(({ variable, given }) => {
        const scope = new Set([variable, ...given])
        const removed = estimand.domain.filter((other) => !scope.has(other))
        return conditional(sumOver(distribution, removed, working), variable, working)
      })
    }
  }
}

export function sumOver(factors: readonly Factor[], over: readonly number[], working: Working): Factor[] {
  const { cards, cells_max, spend } = working
  const made = marginalise(factors, over, cards, cells_max, spend)
  if (!made) throw tooWide(cells_max)
  working.measure(made.largest)
  return made.factors
}

/** A product of tables divided by its sum over a variable; impossible conditions yield 0. */
function conditional(factors: readonly Factor[], variable: number, working: Working): Factor {
  const { cards, spend } = working
  const scope = [...scopeOf(factors).filter((other) => other !== variable), variable]
  const { values } = asOne(factors, scope, working)
  const states = cards[variable]!
  for (let row = 0; row < values.length; row += states) {
    let sum = 0
    for (let cell = row; cell < row + states; cell++) sum += values[cell]!
    if (sum > 0) for (let cell = row; cell < row + states; cell++) values[cell]! /= sum
  }
  spend(values.length)
  return { scope, values }
}

export function asOne(factors: readonly Factor[], scope: readonly number[], working: Working): Factor {
  const { cards, cells_max, spend } = working
  const cells = cellsOf(scope, cards)
  if (cells > cells_max) throw tooWide(cells_max)
  working.measure(cells)
  return multiply(factors, scope, cards, spend)
}

export function tooWide(cells_max: number) {
  return refuse(
    'invalid_payload',
    `This takes tables of more than ${cells_max} cells; raise max_factor, or use fewer variables in given and do.`,
    { reason: 'too_large', path: '/max_factor' },
  )
}
