// The terms of a treaty as lines, and the diff of an amendment. Pure, so that it can be property-tested.
import type { OutputOf } from '@svc/sdk'

export type Treaty = OutputOf<'MOAT', 'list'>['items'][number]
export type TreatyDetail = NonNullable<Treaty['detail']>
export type TreatyBody = TreatyDetail['body']
type Grant = TreatyBody['grants'][number]

/** One fact per line. Parent and nonce are not terms: they only distinguish versions. */
export function termSections(body: TreatyBody): readonly (readonly string[])[] {
  const { parties, grants, rate_limits, settlement, dispute_resolution } = body
  return [
    parties.map(({ tenant, did }) => `party ${tenant}: ${did}`),
    grants.flatMap(grantLines),
    fieldLines('all calls of one party', rate_limits),
    fieldLines('payments', settlement),
    fieldLines('disputes', dispute_resolution),
    [`in force from ${body.effective_from}`],
    [`in force until ${body.expires_at}`],
  ]
}

function grantLines({ to, capability, caveats = [], limits = {} }: Grant): string[] {
  const name = `${to} may ${capability}`
  return [
    name,
    ...caveats.map((caveat) => `${name}, only while ${caveat}`),
    ...fieldLines(`${name}, at most`, limits),
  ]
}

/** A term as a person says it; # is its value. */
const field_words: Readonly<Record<string, string>> = {
  per_hour: 'at most # an hour',
  per_day: 'at most # a day',
  max_per_hour: '# calls an hour',
  max_tokens: '# tokens a call',
  max_per_call_bps: '# hundredths of a percent of the budget a call',
  weekly_budget_usd: '# US dollars a week',
  clearing_fee_bps: 'a fee of # hundredths of a percent',
  currency: 'settled in #',
  rail: 'settled over #',
  via: 'heard by #',
  venue: 'heard at #',
}

/** Sorted by name, so that the original order does not matter. */
function fieldLines(about: string, fields: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, value]) =>
        `${about}: ${field_words[name]?.replace('#', () => String(value)) ?? `${name} ${value}`}`,
    )
}

export interface DiffLine {
  readonly change: 'same' | 'before' | 'after'
  readonly text: string
}

/** Section by section, so that old and new values of the same term are adjacent. */
export function termDiff(before: TreatyBody, after: TreatyBody): readonly DiffLine[] {
  const sections = termSections(after)
  return termSections(before).flatMap((lines, place) => diffLines(lines, sections[place]!))
}

/** A minimal diff by the longest common subsequence. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const common = commonLengths(before, after)
  const lines: DiffLine[] = []
  let [a, b] = [0, 0]
  while (a < before.length || b < after.length) {
    if (a < before.length && b < after.length && before[a] === after[b]) {
      lines.push({ change: 'same', text: before[a]! })
      a++
      b++
    } else if (b >= after.length || (a < before.length && common[a + 1]![b]! >= common[a]![b + 1]!)) {
      lines.push({ change: 'before', text: before[a]! })
      a++
    } else {
      lines.push({ change: 'after', text: after[b]! })
      b++
    }
  }
  return lines
}

/** The length of the longest common subsequence of the rests from [a] and [b] on. */
function commonLengths(before: readonly string[], after: readonly string[]): number[][] {
  const common = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0))
  for (let a = before.length - 1; a >= 0; a--)
    for (let b = after.length - 1; b >= 0; b--)
      common[a]![b] =
        before[a] === after[b] ? common[a + 1]![b + 1]! + 1 : Math.max(common[a + 1]![b]!, common[a]![b + 1]!)
  return common
}
