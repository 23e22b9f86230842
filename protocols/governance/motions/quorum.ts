// Attendance and agreement as exact fractions of whole numbers.
import { refuse } from '@svc/contract/refusal'
import { Closed, described, OneOf } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

const FractionText = Type.String({
  pattern: '^[1-9][0-9]{0,3}/[1-9][0-9]{0,3}$',
  description: 'n/d: at least this share, such as 2/3.',
})

export const Quorum = Type.Union(
  [
    OneOf('simple', 'majority', 'supermajority', 'unanimous'),
    FractionText,
    Closed({
      attendance: described(FractionText, 'Share of the seats that must attend, such as 1/2.'),
      threshold: described(FractionText, 'Share of the votes for and against that must agree, such as 2/3.'),
    }),
  ],
  {
    description:
      'simple and majority: more than half attend, more than half agree. n/d sets only the threshold.',
  },
)

/** `strict`: more than n/d; otherwise n/d is enough. */
export interface Fraction {
  readonly n: number
  readonly d: number
  readonly strict: boolean
}

export interface QuorumRule {
  /** Share of the seats that are not recused. */
  readonly attendance: Fraction
  /** Share of the votes for and against; abstentions only attend. */
  readonly threshold: Fraction
}

const over_half: Fraction = { n: 1, d: 2, strict: true }
const all: Fraction = { n: 1, d: 1, strict: false }

const named = {
  simple: { attendance: over_half, threshold: over_half },
  majority: { attendance: over_half, threshold: over_half },
  supermajority: { attendance: { n: 1, d: 2, strict: false }, threshold: { n: 2, d: 3, strict: false } },
  unanimous: { attendance: all, threshold: all },
} as const satisfies Record<string, QuorumRule>

export function quorumOf(quorum: Static<typeof Quorum>): QuorumRule {
  if (typeof quorum === 'object') {
    return {
      attendance: fractionOf(quorum.attendance, '/quorum/attendance'),
      threshold: fractionOf(quorum.threshold, '/quorum/threshold'),
    }
  }
  if (Object.hasOwn(named, quorum)) return named[quorum as keyof typeof named]
  return { attendance: over_half, threshold: fractionOf(quorum, '/quorum') }
}

function fractionOf(text: string, pointer: string): Fraction {
  const [n, d] = text.split('/').map(Number) as [number, number]
  if (n <= d) return { n, d, strict: false }
  throw refuse('invalid_payload', `${text} is more than 1/1, which no vote can reach; send at most 1/1.`, {
    reason: 'fraction above one',
    faults: [{ pointer, message: 'is more than one' }],
  })
}

/** More than half. */
export function isMajority({ n, d, strict }: Fraction): boolean {
  return strict ? 2 * n >= d : 2 * n > d
}

export function meets({ n, d, strict }: Fraction, part: number, whole: number): boolean {
  return strict ? part * d > n * whole : part * d >= n * whole
}

/** The smallest whole number that satisfies it. */
export function leastOf({ n, d, strict }: Fraction, whole: number): number {
  return strict ? Math.floor((n * whole) / d) + 1 : Math.ceil((n * whole) / d)
}

export function fractionText({ n, d, strict }: Fraction): string {
  return `${strict ? '>' : '>='}${n}/${d}`
}
