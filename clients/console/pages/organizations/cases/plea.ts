// The pleas a party may enter, what each leads to, and the call for it.
import type { InputOf } from '@svc/sdk'
import { linesOf } from '../lines-of.ts'
import type { Case } from './case.ts'

type Pleading = InputOf<'MOOT', 'plead'>
export type Plea = Exclude<Pleading['plea'], 'view'>
export type RemedyKind = NonNullable<Pleading['settlement']>['kind']

export interface PleaDraft {
  readonly plea: Plea
  readonly argument: string
  /** References, one per line. */
  readonly evidence: string
  readonly kind: RemedyKind
  readonly amount_usd: string
  readonly claim: string
}

export const plea_words: Record<Plea, string> = {
  deny: 'You dispute the claim; the panel hears both sides.',
  admit: 'You admit the claim. The panel rules on that basis, and this cannot be undone.',
  counterclaim: 'You file a counterclaim; both are heard together.',
  settle: 'You offer a settlement. If both sides offer the same, it ends the case.',
  withdraw: 'The case ends without a ruling, and this cannot be undone.',
}

/** A claimant cannot answer its own claim, and only the claimant can withdraw. */
export function pleasOf({ roles, filed_by }: Pick<Case, 'roles' | 'filed_by'>): readonly Plea[] {
  const is_respondent = roles.includes('respondent')
  if (!is_respondent && !roles.includes('claimant')) return []
  const own = is_respondent ? 'respondent' : 'claimant'
  const answers: readonly Plea[] = is_respondent ? ['deny', 'admit', 'counterclaim'] : ['deny']
  return [...answers, 'settle', ...(own === filed_by ? (['withdraw'] as const) : [])]
}

export function pleadingOf(case_id: string, draft: PleaDraft): Pleading {
  const { plea, argument, kind, amount_usd, claim } = draft
  const evidence = linesOf(draft.evidence)
  const remedy = { kind, ...(amount_usd.trim() ? { amount_usd: amount_usd.trim() } : {}) }
  return {
    case_id,
    plea,
    argument,
    ...(evidence.length > 0 ? { evidence } : {}),
    ...(plea === 'settle' ? { settlement: remedy } : {}),
    ...(plea === 'counterclaim' ? { counterclaim: { claim, requested_remedy: remedy } } : {}),
  }
}
