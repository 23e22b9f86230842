// The figures of a period beside the one before, from the history that the service itself keeps.
import type { Client, OutputOf } from '@svc/sdk'
import { stepOf, stepsOf, type TimeSpan } from '../../parts/time-range.ts'

export interface Step {
  readonly at_ms: number
  readonly success: number
  readonly refused: number
  readonly error: number
  readonly usd: number
}

type History = OutputOf<'MOTIF', 'history'>
export type Totals = History['total']

export interface Figures {
  readonly steps: readonly Step[]
  readonly total: Totals
  /** Null where the period before is no longer stored. */
  readonly before: Totals | null
  readonly reasons: readonly { readonly name: string; readonly value: number }[]
  readonly protocols: readonly { readonly protocol: string; readonly total: Totals }[]
}

const groups_max = 20

export async function readFigures(client: Client, span: TimeSpan, signal: AbortSignal): Promise<Figures> {
  const period = {
    from: new Date(span.from_ms).toISOString(),
    to: new Date(span.to_ms).toISOString(),
    step_ms: stepOf(span.word),
    top: groups_max,
  }
  const [by_protocol, by_reason] = await Promise.all([
    client.motif.history({ ...period, by: 'protocol' }, { signal }),
    client.motif.history({ ...period, by: 'reason' }, { signal }),
  ])
  return figuresOf(span, by_protocol, by_reason)
}

export function figuresOf(
  span: TimeSpan,
  { points, total, before, groups }: History,
  by_reason: Pick<History, 'groups'>,
): Figures {
  const point_at = new Map(points.map((point) => [Date.parse(point.at), point]))
  const steps = stepsOf(span).map((at_ms) => {
    const { calls = 0, refused = 0, failed = 0, spend_usd = '0' } = point_at.get(at_ms) ?? {}
    return { at_ms, success: calls - refused - failed, refused, error: failed, usd: Number(spend_usd) }
  })
  const reasons = by_reason.groups
    .map(({ name, total: { refused, failed } }) => ({ name: name || 'other', value: refused + failed }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value)
  const protocols = groups.map((group) => ({ protocol: group.name || 'other', total: group.total }))
  return { steps, total, before, reasons, protocols }
}
