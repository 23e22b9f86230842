// Which earlier case a filing continues, so that its panel is not drawn again until the wanted arbiter sits.
import type { Case, CaseState } from '../cases/api.ts'
import { treatyOf } from '../evidence/api.ts'

/** How long an earlier case keeps its panel for later filings. */
export const panel_kept_ms = 365 * 86_400_000

export type Facts = Pick<Case, 'claim' | 'evidence' | 'correlations' | 'contracts' | 'requested'>

const decided: ReadonlySet<CaseState> = new Set(['RULED', 'REMEDIED', 'CLOSED', 'SETTLED'])

/**
 * Every case between the two that is open or was withdrawn, whatever it cites: words and evidence can be exchanged. Once it was
 * decided, only one about the same facts.
 */
export function continues(earlier: Facts & Pick<Case, 'state'>, filing: Facts): boolean {
  return !decided.has(earlier.state) || isAboutTheSame(earlier, filing)
}

function isAboutTheSame(one: Facts, other: Facts): boolean {
  if (plain(one.claim) === plain(other.claim)) return true
  const facts = factsOf(one)
  return factsOf(other).some((fact) => facts.includes(fact))
}

/** A treaty is common to all disputes under it, and so is no fact of one. */
function factsOf({ evidence, correlations, contracts, requested }: Facts): string[] {
  const refs = evidence.map(({ ref }) => ref).filter((ref) => treatyOf(ref) === undefined)
  return [...refs, ...correlations, ...contracts, ...(requested.target === null ? [] : [requested.target])]
}

function plain(claim: string): string {
  return claim
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
