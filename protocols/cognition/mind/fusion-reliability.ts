// Prior reliability of sources, as learned by MATA.
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal, type RefusalCode } from '@svc/contract/refusal'

/** Of sources without history. */
const unknown_reliability = 0.8
const asked_at_once = 8

/** If the caller may not ask, or nobody answers, all sources count as unknown. */
const unanswered: readonly RefusalCode[] = ['unknown_protocol', 'unknown_operation', 'capability_denied']

interface Weighed {
  readonly weight: number
  readonly n: number
  readonly manual: boolean
  /** The number of sources that share the weights. */
  readonly sources: number
}

/** One per source, between 0 and 1. */
export async function reliabilityOf(
  context: OperationContext,
  sources: readonly string[],
): Promise<Record<string, number>> {
  const distinct = [...new Set(sources)].sort()
  const weighed = new Map<string, Weighed>()
  const [first, ...others] = distinct
  // The first alone: if it is refused, the others are skipped.
  const answer = first === undefined ? undefined : await weigh(context, first)
  if (answer) {
    weighed.set(first!, answer)
    for (let from = 0; from < others.length; from += asked_at_once) {
      const some = others.slice(from, from + asked_at_once)
      const answers = await Promise.all(some.map((source) => weigh(context, source)))
      for (const [place, weight_of_source] of answers.entries())
        if (weight_of_source) weighed.set(some[place]!, weight_of_source)
    }
  }
  return scaled(distinct, weighed)
}

/** Learned weights are shares of one, scaled so that the best counts like an unknown source. */
function scaled(sources: readonly string[], weighed: ReadonlyMap<string, Weighed>): Record<string, number> {
  const learned = [...weighed.values()].filter(({ n, manual }) => n > 0 && !manual)
  const fair = Math.max(0, ...learned.map(({ sources: sharing }) => 1 / Math.max(1, sharing)))
  const best = Math.max(fair, ...learned.map(({ weight }) => weight))
  const of = (source: string) => {
    const weight_of_source = weighed.get(source)
    if (weight_of_source?.manual) return weight_of_source.weight
    return weight_of_source && weight_of_source.n > 0
      ? (unknown_reliability * weight_of_source.weight) / best
      : unknown_reliability
  }
  return Object.fromEntries(sources.map((source) => [source, of(source)]))
}

async function weigh(context: OperationContext, source: string): Promise<Weighed | undefined> {
  try {
    return (await context.call('MATA', 'weight', { source })) as Weighed
  } catch (error) {
    if (error instanceof Refusal && unanswered.includes(error.code)) return undefined
    throw error
  }
}
