// Counts votes into a ruling; the order of the votes does not matter.
import { type Remedy, type RemedyKind, remedy_kinds } from './case.ts'

export const findings = ['no_jurisdiction', 'for_respondent', 'split', 'for_claimant'] as const
export type Finding = (typeof findings)[number]

export interface Vote {
  readonly arbiter_did: string
  readonly finding: Finding
  /** Null if nothing is ordered. */
  readonly remedy: Remedy | null
  /** Whether it should not have been filed at all. */
  readonly frivolous?: boolean
}

export interface Decision {
  /** `no_majority` gives no relief. */
  readonly finding: Finding | 'no_majority'
  readonly remedy: Remedy | null
  readonly majority: readonly string[]
  readonly dissent: readonly string[]
}

interface Option {
  readonly finding: Finding
  readonly kind: RemedyKind | null
  readonly votes: readonly Vote[]
}

/** Undefined while votes are missing before the deadline. */
export function decide(panel_size: number, votes: readonly Vote[], is_due: boolean): Decision | undefined {
  if (votes.length < panel_size && !is_due) return undefined
  const all = votes.map(({ arbiter_did }) => arbiter_did).sort()
  const chosen = chooseOption(panel_size, votes)
  if (!chosen) return { finding: 'no_majority', remedy: null, majority: [], dissent: all }
  const majority = chosen.votes.map(({ arbiter_did }) => arbiter_did).sort()
  return {
    finding: chosen.finding,
    remedy: remedyOf(chosen),
    majority,
    dissent: all.filter((did) => !majority.includes(did)),
  }
}

/** A majority of the panel; else the option with most votes, at least two; in a tie the mildest. */
function chooseOption(panel_size: number, votes: readonly Vote[]): Option | undefined {
  const options = optionsOf(votes)
  const majority = options.find((option) => option.votes.length * 2 > panel_size)
  if (majority) return majority
  // No majority of the panel voted.
  if (votes.length * 2 <= panel_size) return undefined
  const most = Math.max(...options.map((option) => option.votes.length))
  if (most < 2) return undefined
  return options.filter((option) => option.votes.length === most).sort(byBurden)[0]
}

function optionsOf(votes: readonly Vote[]): Option[] {
  const options = new Map<string, Option>()
  for (const vote of votes) {
    const { finding } = vote
    const kind = vote.remedy?.kind ?? null
    const key = `${finding} ${kind}`
    options.set(key, { finding, kind, votes: [...(options.get(key)?.votes ?? []), vote] })
  }
  return [...options.values()]
}

function byBurden(a: Option, b: Option): number {
  const burden = ({ kind }: Option) => (kind === null ? -1 : remedy_kinds.indexOf(kind))
  const amount = (option: Option) => remedyOf(option)?.micro_usd ?? 0n
  const by_amount = amount(a) < amount(b) ? -1 : amount(a) > amount(b) ? 1 : 0
  return burden(a) - burden(b) || by_amount || findings.indexOf(a.finding) - findings.indexOf(b.finding)
}

/** With the median of the amounts; for an even number the lower middle one. */
function remedyOf({ kind, votes }: Option): Remedy | null {
  if (kind === null) return null
  const amounts = votes
    .flatMap(({ remedy }) => (remedy?.micro_usd == null ? [] : [remedy.micro_usd]))
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const target = votes[0]!.remedy!.target
  return { kind, micro_usd: amounts[Math.floor((amounts.length - 1) / 2)] ?? null, target }
}
