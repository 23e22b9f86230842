// A caveat narrows a capability. An unknown caveat is never satisfied, so it cannot widen anything.
import { microUsd } from '../money/money.ts'

/** Facts a caveat is judged by. An absent fact satisfies nothing. */
export interface CaveatFacts {
  readonly now: Date
  readonly jurisdiction?: string
  readonly action_kind?: string
  /** Micro-USD spent or reserved this ISO week under this grant, and the most this call may cost. */
  readonly week_spend_micro_usd?: bigint
  readonly call_cost_micro_usd?: bigint
}

interface Rule {
  hasForm(argument: string): boolean
  holds(argument: string, facts: CaveatFacts): boolean
}

const span_form = /^([01]\d|2[0-4])-([01]\d|2[0-4])$/
const isNamed = (argument: string): boolean => argument !== ''

const rules: Record<string, Rule> = {
  // Half-open, in UTC hours; 22-06 wraps midnight.
  time: {
    hasForm: (argument) => span_form.test(argument),
    holds(argument, facts) {
      const span = span_form.exec(argument)
      if (!span) return false
      const [from, to, hour] = [Number(span[1]), Number(span[2]), facts.now.getUTCHours()]
      return from <= to ? hour >= from && hour < to : hour >= from || hour < to
    },
  },
  jurisdiction: {
    hasForm: isNamed,
    holds: (argument, facts) => argument !== '' && facts.jurisdiction === argument,
  },
  action_kind: {
    hasForm: isNamed,
    holds: (argument, facts) => argument !== '' && facts.action_kind === argument,
  },
  weekly_budget: {
    hasForm: (argument) => microUsd(argument) !== undefined,
    holds(argument, facts) {
      const ceiling = microUsd(argument)
      if (ceiling === undefined || facts.week_spend_micro_usd === undefined) return false
      return facts.week_spend_micro_usd + (facts.call_cost_micro_usd ?? 0n) <= ceiling
    },
  },
}

export function isCaveatSatisfied(caveat: string, facts: CaveatFacts): boolean {
  const { rule, argument } = parse(caveat)
  return rule?.holds(argument, facts) ?? false
}

/** Whether it can ever be satisfied. Checked when a caveat is written, not when a call first fails. */
export function isKnownCaveat(caveat: string): boolean {
  const { rule, argument } = parse(caveat)
  return rule?.hasForm(argument) ?? false
}

function parse(caveat: string): { rule: Rule | undefined; argument: string } {
  const colon = caveat.indexOf(':')
  const name = caveat.slice(0, Math.max(colon, 0))
  return { rule: Object.hasOwn(rules, name) ? rules[name] : undefined, argument: caveat.slice(colon + 1) }
}
