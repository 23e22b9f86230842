// Cases as the engine returns them, and their remedies in words.
import type { OutputOf } from '@svc/sdk'
import { everyOf } from '../../../parts/every-of.ts'

export type Case = OutputOf<'MOOT', 'list'>['items'][number]
type Detail = NonNullable<Case['detail']>
export type Docket = Detail['docket']
export type Hearing = Detail['hearings'][number]
export type Evidence = Docket['evidence_check'][number]

export const remedy_kinds = everyOf<Case['requested_remedy']['kind']>({
  pay: true,
  declaratory: true,
  restore_capability: true,
  specific_performance: true,
  reverse_settlement: true,
  terminate_treaty: true,
})

export function remedyText(remedy: Case['requested_remedy'] | undefined): string {
  if (!remedy) return 'none'
  const { kind, amount_usd, target } = remedy
  return [wordsOf(kind), amount_usd && `${amount_usd} USD`, target].filter(Boolean).join(', ')
}

/** As a person would write it: for_claimant is "for claimant". */
export function wordsOf(name: string): string {
  return name.replaceAll('_', ' ')
}
