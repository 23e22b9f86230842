// Input of MARE: exactly one of factors, a CVSS vector, or the history of an operation in the audit log.

import { Closed, described, ListOf, Text } from '@svc/contract/schema'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import { faulty } from '../opinions/api.ts'
import type { RiskFactor } from './risk.ts'
import type { Spread } from './risk-draw.ts'

const factors_max = 100
const days_of_year = 365

function ThreePoints(maximum: number) {
  const Point = Type.Number({ minimum: 0, maximum })
  return Closed({
    low: described(Point, 'Lowest plausible value.'),
    mode: described(Point, 'Likeliest value.'),
    high: described(Point, 'Highest plausible value.'),
  })
}

export const FactorId = Type.String({ pattern: '^[A-Za-z0-9._:-]{1,64}$' })
const Frequency = Type.Union([Type.Number({ minimum: 0, maximum: 1e6 }), ThreePoints(1e6)], {
  description: 'Events per year; three points are a PERT distribution.',
})
const Range = Type.Number({ minimum: 0.01, maximum: 1e12 })
const LossUsd = Type.Union(
  [
    Type.Number({ minimum: 0, maximum: 1e12 }),
    ThreePoints(1e12),
    Closed({
      p5: described(Range, 'One in twenty events costs less.'),
      p95: described(Range, 'One in twenty events costs more.'),
    }),
  ],
  { description: 'Per event; three points are a PERT distribution, p5 and p95 a lognormal one.' },
)

const Factor = Closed({
  id: described(FactorId, 'Names the factor in depends_on and contributions.'),
  frequency: Frequency,
  loss_usd: LossUsd,
  controls: Type.Optional(
    described(
      ListOf(
        Closed({
          name: Text(128, { description: 'What the control is.' }),
          effectiveness: Type.Number({
            minimum: 0,
            maximum: 1,
            description: 'Share of the events that it prevents.',
          }),
        }),
        0,
        32,
      ),
      'What makes the events rarer.',
    ),
  ),
  depends_on: Type.Optional(
    described(
      ListOf(FactorId, 0, factors_max),
      'Factors that must occur in the same period for this one to occur.',
    ),
  ),
})
type Factor = Static<typeof Factor>

export const ScoreInput = Closed({
  subject: Text(1024, { description: 'A reference, or a description.' }),
  factors: Type.Optional(
    described(ListOf(Factor, 1, factors_max), 'What can go wrong; give this, cvss_vector or from_history.'),
  ),
  cvss_vector: Type.Optional(Text(512, { description: 'Version 3.1 or 4.0.' })),
  from_history: Type.Optional(
    Closed(
      {
        protocol: Text(64, { description: 'Protocol of the operation.' }),
        operation: Text(128, { description: 'Operation to judge.' }),
        window_days: Type.Integer({ minimum: 1, maximum: 3650, description: 'How many days back to look.' }),
        loss_usd: Type.Optional(LossUsd),
      },
      { description: 'Estimate from how often an operation failed, as the audit log says.' },
    ),
  ),
  horizon_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3650,
      default: days_of_year,
      description: 'Span of time that the losses are estimated for.',
    }),
  ),
  appetite: Type.Optional(
    Closed(
      {
        expected_loss_usd: Type.Optional(described(Range, 'Mean loss that is acceptable.')),
        var95_usd: Type.Optional(described(Range, 'Loss that may be exceeded in one of twenty cases.')),
      },
      {
        description:
          "What may be lost; by default the day's and the month's limit of the caller's MANA envelope.",
      },
    ),
  ),
  iterations: Type.Optional(
    Type.Integer({
      minimum: 1000,
      maximum: 200_000,
      default: 10_000,
      description: 'Runs of the simulation.',
    }),
  ),
  persist: Type.Optional(Type.Boolean({ default: false, description: 'Stores the request as well.' })),
})
export type ScoreInput = Static<typeof ScoreInput>

export function requireOneQuestion(input: ScoreInput): void {
  const kinds = [input.factors, input.cvss_vector, input.from_history].filter((part) => part !== undefined)
  if (kinds.length !== 1)
    throw faulty('one_of', '', 'must have exactly one of factors, cvss_vector and from_history')
}

/** Random numbers depend only on subject and factor, so that two queries can be compared. */
export function seedOf(subject: string, ...parts: string[]): number {
  return Number.parseInt(sha256Hex(JSON.stringify(['MARE', subject, ...parts])).slice(0, 8), 16) | 0
}

/** In topological order, dependencies first. */
export function factorsOf(factors: readonly Factor[], subject: string, horizon_days: number): RiskFactor[] {
  const order = inOrder(factors)
  return order.map(({ place, factor }) => {
    const { id, frequency, loss_usd, controls = [], depends_on = [] } = factor
    return {
      id,
      frequency: spreadOf(frequency, `/factors/${place}/frequency`, horizon_days / days_of_year),
      exposure: controls.reduce((left, { effectiveness }) => left * (1 - effectiveness), 1),
      loss: spreadOf(loss_usd, `/factors/${place}/loss_usd`),
      depends_on: depends_on.map((other) => order.findIndex(({ factor }) => factor.id === other)),
      seed: seedOf(subject, id),
    }
  })
}

interface Placed {
  readonly place: number
  readonly factor: Factor
}

function inOrder(factors: readonly Factor[]): Placed[] {
  const left = new Map<string, Placed>()
  for (const [place, factor] of factors.entries()) {
    if (left.has(factor.id)) throw faulty('duplicate_factor', `/factors/${place}/id`, 'is there twice')
    left.set(factor.id, { place, factor })
  }
  for (const [place, { depends_on = [] }] of factors.entries())
    for (const [at, id] of depends_on.entries())
      if (!left.has(id)) throw faulty('unknown_factor', `/factors/${place}/depends_on/${at}`, 'is no factor')
  const order: Placed[] = []
  while (left.size > 0) {
    const ready = [...left.values()].filter(({ factor }) => !factor.depends_on?.some((id) => left.has(id)))
    if (ready.length === 0) throw faulty('circular', '/factors', 'depend on each other in a circle')
    for (const placed of ready) left.delete(placed.factor.id)
    order.push(...ready)
  }
  return order
}

export function spreadOf(
  quantity: Static<typeof LossUsd> | Static<typeof Frequency>,
  pointer: string,
  scale = 1,
): Spread {
  if (typeof quantity === 'number') return { kind: 'constant', value: quantity * scale }
  if ('p5' in quantity) {
    if (quantity.p5 > quantity.p95) throw faulty('points_not_rising', pointer, 'has a p5 above its p95')
    return { kind: 'lognormal', p5: quantity.p5 * scale, p95: quantity.p95 * scale }
  }
  const { low, mode, high } = quantity
  if (low > mode || mode > high) throw faulty('points_not_rising', pointer, 'must have low <= mode <= high')
  return { kind: 'pert', low: low * scale, mode: mode * scale, high: high * scale }
}
