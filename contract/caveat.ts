// A caveat narrows a capability. What cannot be understood is not satisfied: an unknown caveat never widens anything.
import { microUsd } from './money.ts'

/** What a caveat may be judged by. Absent facts satisfy nothing. */
export interface CaveatFacts {
  readonly now: Date
  readonly jurisdiction?: string
  readonly action_kind?: string
  /** Micro-USD already spent or reserved this ISO week under this grant, and what this call may cost. */
  readonly week_spend_micro_usd?: bigint
  readonly call_cost_micro_usd?: bigint
}

type Rule = (argument: string, facts: CaveatFacts) => boolean

const rules: Record<string, Rule> = {
  // Half-open, in UTC hours; 22-06 wraps midnight.
  time(argument, facts) {
    const span = /^([01]\d|2[0-4])-([01]\d|2[0-4])$/.exec(argument)
    if (!span) return false
    const [from, to, hour] = [Number(span[1]), Number(span[2]), facts.now.getUTCHours()]
    return from <= to ? hour >= from && hour < to : hour >= from || hour < to
  },
  jurisdiction: (argument, facts) => argument !== '' && facts.jurisdiction === argument,
  action_kind: (argument, facts) => argument !== '' && facts.action_kind === argument,
  weekly_budget(argument, facts) {
    const ceiling = microUsd(argument)
    if (ceiling === undefined || facts.week_spend_micro_usd === undefined) return false
    return facts.week_spend_micro_usd + (facts.call_cost_micro_usd ?? 0n) <= ceiling
  },
}

export function isCaveatSatisfied(caveat: string, facts: CaveatFacts): boolean {
  const colon = caveat.indexOf(':')
  const rule =
    colon > 0 && Object.hasOwn(rules, caveat.slice(0, colon)) ? rules[caveat.slice(0, colon)] : undefined
  return rule?.(caveat.slice(colon + 1), facts) ?? false
}
