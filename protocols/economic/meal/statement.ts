// A statement: a pure function of metered events and prices, so that anyone can recompute its hash.

import { base_rate, type RateVersion } from '@svc/contract/money/charge'
import { apportion, microUsdOf } from '@svc/contract/money/money'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'

export const group_words = ['protocol', 'operation', 'agent', 'department', 'day', 'origin'] as const
export type GroupWord = (typeof group_words)[number]

/** Events summed by common fields. A field that was not requested is null. */
export interface UsageSum {
  readonly protocol: string
  readonly operation: string | null
  readonly agent: string | null
  readonly department: string | null
  readonly day: string | null
  readonly origin: string | null
  readonly rate: number
  readonly calls: bigint
  readonly tokens: bigint
  readonly ms: bigint
  readonly uwh: bigint
  readonly quanta: bigint
}

export interface Amounts {
  readonly calls: bigint
  readonly tokens: bigint
  readonly ms: bigint
  readonly uwh: bigint
  readonly quanta: bigint
  readonly amount_micro_usd: bigint
}

export interface Usage {
  readonly tenant_id: string
  /** RFC 3339 with milliseconds, half-open. */
  readonly period: { readonly from: string; readonly to: string }
  readonly sums: readonly UsageSum[]
  readonly rates: readonly RateVersion[]
  readonly events_root: string
}

export interface Statement {
  readonly totals: Amounts
  readonly by_protocol: readonly (Amounts & { readonly protocol: string })[]
  readonly rate_versions: readonly RateVersion[]
  readonly event_count: bigint
  readonly events_root: string
  readonly statement_hash: string
}

/** Rounded once, on the total: the lines are shares of it, so they always add up. */
export function statementOf(usage: Usage): Statement {
  const { tenant_id, period, sums, events_root } = usage
  const lines = groupSums(sums, ['protocol'])
  const counted = totalOf(sums)
  const totals = { ...counted, amount_micro_usd: microUsdOf(counted.quanta) }
  const by_protocol = sharesOf(totals, lines).map(({ key, ...amounts }) => ({
    protocol: key.protocol!,
    ...amounts,
  }))
  const used = new Set(sums.map(({ rate }) => rate))
  const rate_versions = [base_rate, ...usage.rates]
    .filter(({ version }) => used.has(version))
    .sort((a, b) => a.version - b.version)
  const body = { totals, by_protocol, rate_versions, event_count: totals.calls, events_root }
  return { ...body, statement_hash: hashOf({ format: statement_format, tenant_id, period, ...body }) }
}

export interface Group extends Amounts {
  readonly key: Readonly<Partial<Record<GroupWord, string | null>>>
}

/** Each group's share of the total, ordered by group name. */
export function groupStatement(
  totals: Amounts,
  sums: readonly UsageSum[],
  by: readonly GroupWord[],
): Group[] {
  return sharesOf(totals, groupSums(sums, by))
}

const statement_format = 'svc-statement/1'

/** Integers as decimal strings, in canonical JSON. */
function hashOf(body: object): string {
  const plain = JSON.parse(
    JSON.stringify(body, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
  )
  return `sha256:${sha256Hex(canonicalJson(plain))}`
}

type Counted = Omit<Amounts, 'amount_micro_usd'>
type CountedGroup = Counted & Pick<Group, 'key'>

const nothing: Counted = { calls: 0n, tokens: 0n, ms: 0n, uwh: 0n, quanta: 0n }

function totalOf(sums: readonly Counted[]): Counted {
  return sums.reduce<Counted>(add, nothing)
}

function add(a: Counted, b: Counted): Counted {
  return {
    calls: a.calls + b.calls,
    tokens: a.tokens + b.tokens,
    ms: a.ms + b.ms,
    uwh: a.uwh + b.uwh,
    quanta: a.quanta + b.quanta,
  }
}

function groupSums(sums: readonly UsageSum[], by: readonly GroupWord[]): CountedGroup[] {
  const groups = new Map<string, CountedGroup>()
  for (const sum of sums) {
    const key = Object.fromEntries(by.map((word) => [word, sum[word]]))
    const name = JSON.stringify(by.map((word) => sum[word]))
    groups.set(name, { ...add(groups.get(name) ?? nothing, sum), key })
  }
  return [...groups.keys()].sort().map((name) => groups.get(name)!)
}

function sharesOf(totals: Amounts, groups: readonly CountedGroup[]): Group[] {
  const weights = groups.map(({ quanta }) => quanta)
  const shares = totals.quanta === 0n ? weights : apportion(totals.amount_micro_usd, weights)
  return groups.map((group, place) => ({ ...group, amount_micro_usd: shares[place]! }))
}
