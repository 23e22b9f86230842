// Which resolution answers a time range: how long each is retained, and which is fine enough.

import { isMoment } from '@svc/contract/moment'
import { point_ms } from '@svc/contract/needs/measurement'
import { refuse } from '@svc/contract/refusal'

const day_ms = 86_400_000

export interface Resolution {
  readonly seconds: number
  readonly kept_ms: number
}

/** Finest first, which is also the resolution of measurement. */
export const resolutions: readonly Resolution[] = [
  { seconds: point_ms / 1000, kept_ms: day_ms },
  { seconds: 300, kept_ms: 30 * day_ms },
  { seconds: 3600, kept_ms: 400 * day_ms },
]

export interface Range {
  readonly from_ms: number
  readonly to_ms: number
}

/** Half-open. An invalid time, or an end before the start, is refused. */
export function rangeOf(from: string, to: string): Range {
  for (const [name, moment] of Object.entries({ from, to }))
    if (!isMoment(moment))
      throw refuse(
        'invalid_payload',
        `${name} is ${moment}, a moment that does not exist; name a real one.`,
        {
          reason: 'no_such_moment',
          faults: [{ pointer: `/${name}`, message: 'is no moment that exists' }],
        },
      )
  const range = { from_ms: Date.parse(from), to_ms: Date.parse(to) }
  if (range.from_ms < range.to_ms) return range
  throw refuse('invalid_payload', 'The stretch must begin before it ends; set from before to.', {
    reason: 'empty_period',
    faults: [{ pointer: '/to', message: 'must be after from' }],
  })
}

/** The finest that reaches back to the start; the coarsest if none does. */
export function resolutionFor(from_ms: number, now_ms: number): Resolution {
  return resolutions.find(({ kept_ms }) => from_ms >= now_ms - kept_ms) ?? resolutions.at(-1)!
}

/** Coarser rows give the same sums if the windows align with them, and fewer rows are read. */
export function coarsestFor(range: Range, step_ms: number, now_ms: number): Resolution {
  const finest = resolutionFor(range.from_ms, now_ms)
  const fits = ({ seconds }: Resolution) =>
    seconds > finest.seconds && step_ms % (seconds * 1000) === 0 && range.from_ms % (seconds * 1000) === 0
  // Current data is cut at the end of the range, not at the end of a coarse row.
  const ends = ({ seconds }: Resolution) => range.to_ms % (seconds * 1000) === 0
  return resolutions.findLast((resolution) => fits(resolution) && ends(resolution)) ?? finest
}
