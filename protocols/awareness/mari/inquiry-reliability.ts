// How reliable sources have been on their topics.
import type { OperationContext } from '@svc/contract/operation-context'
import { any_topic, judgeTopic } from '../../truth/opinions/api.ts'
import type { InquirySource, SourceStatus } from './inquiry-source.ts'

/** Of sources without history. */
const unknown_reliability = 0.8
/** Beyond this, topics use the overall reliability. */
const topics_max = 16
/** Factor on a statement's confidence if it is disputed or no longer holds. */
const standing: Readonly<Record<SourceStatus, number>> = {
  valid: 1,
  contested: 0.5,
  rejected: 0.1,
  superseded: 0.1,
  retracted: 0,
  revoked: 0,
  redacted: 0,
}

type Speaking = Pick<InquirySource, 'issuer_did' | 'topic'>
export type Reliabilities = (source: Speaking) => number

export async function judgeSpeakers(
  context: OperationContext,
  sources: readonly Speaking[],
): Promise<Reliabilities> {
  const topics = [...new Set([any_topic, ...sources.map(({ topic }) => topic)])].slice(0, topics_max)
  const by_topic = new Map<string, ReadonlyMap<string, number>>()
  for (const topic of topics) {
    const issuers = [...new Set(sources.map(({ issuer_did }) => issuer_did))].sort()
    const { known, judged } = await judgeTopic(context, topic, issuers)
    if (!known && topic !== any_topic) continue
    const learned = [...judged.values()].filter(({ n, is_manual }) => n > 0 && !is_manual)
    // Weights are shares of one, scaled so that the best counts like an unknown source.
    const best = Math.max(1 / judged.size, ...learned.map(({ weight }) => weight))
    const reliabilities = issuers.map((did): [string, number] => {
      const { weight, n, is_manual } = judged.get(did)!
      if (is_manual) return [did, Math.min(1, weight)]
      return [did, n > 0 ? (unknown_reliability * weight) / best : unknown_reliability]
    })
    by_topic.set(topic, new Map(reliabilities))
  }
  return ({ issuer_did, topic }) => (by_topic.get(topic) ?? by_topic.get(any_topic)!).get(issuer_did)!
}

/** The stated confidence, reduced if it is disputed or its source has been wrong before. */
export function confidenceIn(
  { stated, status }: Pick<InquirySource, 'stated' | 'status'>,
  reliability: number,
): number {
  return stated * standing[status] * Math.min(1, reliability / unknown_reliability)
}
