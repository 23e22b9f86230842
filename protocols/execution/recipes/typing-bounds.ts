// Bounds of numbers, lengths and counts. A bound that a producer does not state is unknown, not infinite.
import type { Schema } from './schema-place.ts'
import type { Verdict } from './typing-verdict.ts'

interface Bound {
  readonly at: number
  readonly open: boolean
}

interface Range {
  readonly low?: Bound
  readonly high?: Bound
}

export function numbers(schema: Schema): Range {
  if (typeof schema.const === 'number') return exactly(schema.const)
  return {
    ...side('low', closest([bound(schema.minimum, false), bound(schema.exclusiveMinimum, true)], 1)),
    ...side('high', closest([bound(schema.maximum, false), bound(schema.exclusiveMaximum, true)], -1)),
  }
}

export function lengths(schema: Schema): Range {
  // JSON Schema counts characters as code points.
  if (typeof schema.const === 'string') return exactly(Array.from(schema.const).length)
  return { ...side('low', bound(schema.minLength, false)), ...side('high', bound(schema.maxLength, false)) }
}

export function counts(schema: Schema): Range {
  return { ...side('low', bound(schema.minItems, false)), ...side('high', bound(schema.maxItems, false)) }
}

export function boundsFit(producer: Schema, consumer: Schema, read: (schema: Schema) => Range): Verdict[] {
  const [produced, accepted] = [read(producer), read(consumer)]
  return [
    sideFits(produced.low, produced.high, accepted.low, 1),
    sideFits(produced.high, produced.low, accepted.high, -1),
  ]
}

/** One side: `near` is the producer's bound on it, `opposite` the other one; the sign swaps the sides. */
function sideFits(
  near: Bound | undefined,
  opposite: Bound | undefined,
  accepted: Bound | undefined,
  sign: 1 | -1,
): Verdict {
  if (!accepted) return 'yes'
  if (
    opposite &&
    (sign * opposite.at < sign * accepted.at ||
      (opposite.at === accepted.at && (opposite.open || accepted.open)))
  )
    return 'never'
  if (!near) return 'unknown'
  const inside =
    sign * near.at > sign * accepted.at || (near.at === accepted.at && (near.open || !accepted.open))
  return inside ? 'yes' : 'some'
}

function bound(value: unknown, open: boolean): Bound | undefined {
  return typeof value === 'number' ? { at: value, open } : undefined
}

/** The tighter of two bounds on the same side. */
function closest([a, b]: (Bound | undefined)[], sign: 1 | -1): Bound | undefined {
  if (!a || !b) return a ?? b
  if (a.at === b.at) return a.open ? a : b
  return sign * a.at > sign * b.at ? a : b
}

function side(name: 'low' | 'high', value: Bound | undefined): Range {
  return value ? { [name]: value } : {}
}

function exactly(at: number): Range {
  return { low: { at, open: false }, high: { at, open: false } }
}
