// From a pattern of refusals to a rule: the most general one that the earlier cases bear and the later ones confirm.
import { type Case, inBps } from './mining.ts'
import { type Features, featureNames, looksLike } from './pattern.ts'

/** Why a pattern of refusals is no ground for a rule. */
export const withheld_reasons = ['missing_grant', 'not_confirmed', 'too_few_later'] as const
export type Withheld = (typeof withheld_reasons)[number]

/** Tried for omission in this order: what a case happens to have, not what it is about. */
const incidental = ['hour_bucket', 'origin', 'caller_kind', 'level', 'cross_org'] as const
/** The later part is a third of the cases. */
const later_share = 3
const later_cases_min = 3

export interface GeneralRule {
  /** What the rule asks for, and the reason to state; no fact that the cases only happen to share. */
  readonly features: Features
  /** Of the later cases that the rule would have refused, the share that was. */
  readonly confirmed_bps: number
}

/** Of all cases, those of the same operation at least; in any order. */
export function generalRule(
  pattern: Features,
  cases: readonly Case[],
  consistency_bps_min: number,
): GeneralRule | { readonly withheld: Withheld } {
  const { reason, ...looks } = pattern
  const refused = cases.filter((one) => looksLike(one.features, looks) && one.step.outcome === 'refused')
  const ground = reason === undefined ? refused : refused.filter((one) => one.features.reason === reason)
  if (ground.some(({ is_decided }) => !is_decided)) return { withheld: 'missing_grant' }
  const { earlier, later } = splitInTime(cases, looks)
  const features = withoutIncidental(looks, earlier)
  const confirming = later.filter((one) => looksLike(one.features, features))
  if (confirming.length < later_cases_min) return { withheld: 'too_few_later' }
  const confirmed_bps = consistencyOf(features, later)
  const is_borne = consistencyOf(features, earlier) >= consistency_bps_min
  if (!is_borne || confirmed_bps < consistency_bps_min) return { withheld: 'not_confirmed' }
  return { features: { ...features, ...(reason !== undefined && { reason }) }, confirmed_bps }
}

/** Those that a rule from this pattern could concern. */
export class CasesByOperation {
  readonly #all: readonly Case[]
  readonly #by_operation: ReadonlyMap<string, readonly Case[]>

  constructor(cases: readonly Case[]) {
    this.#all = cases
    this.#by_operation = Map.groupBy(cases, ({ features }) => operationOf(features))
  }

  like(pattern: Features): readonly Case[] {
    if (pattern.protocol === undefined || pattern.operation === undefined) return this.#all
    return this.#by_operation.get(operationOf(pattern)) ?? []
  }
}

function operationOf({ protocol, operation }: Features): string {
  return `${protocol}.${operation}`
}

/** A fact stays only if the rule would be less consistent without it. */
function withoutIncidental(looks: Features, earlier: readonly Case[]): Features {
  let features = looks
  for (const name of incidental) {
    const { [name]: _, ...rest } = features
    if (features[name] === undefined || featureNames(rest).length === 0) continue
    if (consistencyOf(rest, earlier) >= consistencyOf(features, earlier)) features = rest
  }
  return features
}

/** At the moment after which a third of the like cases lies; cases of one moment stay together. */
export function splitInTime<One extends Case>(
  cases: readonly One[],
  looks: Features,
): { readonly earlier: readonly One[]; readonly later: readonly One[] } {
  const like = cases
    .filter((one) => looksLike(one.features, looks))
    .toSorted((a, b) => a.at_ms - b.at_ms || a.seq - b.seq)
  const first_later = like[like.length - Math.floor(like.length / later_share)]
  if (!first_later) return { earlier: cases, later: [] }
  const isLater = ({ at_ms, seq }: Case) =>
    at_ms > first_later.at_ms || (at_ms === first_later.at_ms && seq >= first_later.seq)
  return { earlier: cases.filter((one) => !isLater(one)), later: cases.filter(isLater) }
}

/** Share of the like cases that were refused by a decision. */
function consistencyOf(features: Features, cases: readonly Case[]): number {
  const like = cases.filter((one) => looksLike(one.features, features))
  return like.length === 0 ? 0 : inBps(like.filter(({ is_decided }) => is_decided).length, like.length)
}
