// What a party may plead, what each plea leads to, and how it is asked of the engine.
import type { InputOf } from '@svc/sdk'
import { linesOf } from '../lines-of.ts'
import type { Case } from './case.ts'

type Pleading = InputOf<'MOOT', 'plead'>
export type Plea = Exclude<Pleading['plea'], 'view'>
export type RemedyKind = NonNullable<Pleading['settlement']>['kind']

export interface PleaDraft {
  readonly plea: Plea
  readonly argument: string
  /** References, one a line. */
  readonly evidence: string
  readonly kind: RemedyKind
  readonly amount_usd: string
  readonly claim: string
}

export const plea_words: Record<Plea, string> = {
  deny: 'You say that what the other side claims is wrong; the panel hears both.',
  admit: 'You say that the claim is right. The panel rules on that, and it cannot be taken back.',
  counterclaim: 'You claim something in turn; both are heard together.',
  settle: 'You offer to end it. Where both offer the same, the case ends by that.',
  withdraw: 'The case ends without a ruling, and this cannot be taken back.',
}

/** Who claims cannot answer its own claim, and only who came may go. */
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
