// A caveat narrows a capability. An unknown caveat is never satisfied, so it cannot widen anything.
import { microUsd, usdText } from '../money/money.ts'
import { refuse } from '../refusal.ts'

/** Facts a caveat is judged by. An absent fact satisfies nothing. */
export interface CaveatFacts {
  readonly now: Date
  readonly jurisdiction?: string
  readonly action_kind?: string
  /** Micro-USD spent or reserved this ISO week against a `weekly_budget` of this grant; each may count at another holder. */
  readonly weekSpend?: (caveat: string) => bigint | undefined
  /** The most this call may cost, micro-USD. */
  readonly call_cost_micro_usd?: bigint | undefined
}

interface Rule {
  hasForm(argument: string): boolean
  holds(argument: string, facts: CaveatFacts): boolean
  /** What is the case instead, without words of the caller. */
  instead(facts: CaveatFacts, argument: string): string
}

const weekly_budget = 'weekly_budget:'

export function isWeeklyBudget(caveat: string): boolean {
  return caveat.startsWith(weekly_budget)
}

const span_form = /^([01]\d|2[0-4])-([01]\d|2[0-4])$/
const isNamed = (argument: string): boolean => argument !== ''

const rules: Record<string, Rule> = {
  // Half-open, in UTC hours; 22-06 wraps midnight.
  time: {
    hasForm(argument) {
      const [, from, to] = span_form.exec(argument) ?? []
      return from !== to
    },
    holds(argument, facts) {
      const span = span_form.exec(argument)
      if (!span) return false
      const [from, to, hour] = [Number(span[1]), Number(span[2]), facts.now.getUTCHours()]
      return from <= to ? hour >= from && hour < to : hour >= from || hour < to
    },
    instead: ({ now }) => `it is ${now.toISOString().slice(11, 16)} UTC`,
  },
  jurisdiction: {
    hasForm: isNamed,
    holds: (argument, facts) => argument !== '' && facts.jurisdiction === argument,
    instead: ({ jurisdiction }) =>
      jurisdiction === undefined ? 'its document names no jurisdiction' : 'its jurisdiction is another',
  },
  action_kind: {
    hasForm: isNamed,
    holds: (argument, facts) => argument !== '' && facts.action_kind === argument,
    instead: ({ action_kind }) =>
      action_kind === undefined
        ? 'the input names no action_kind'
        : 'the action_kind of the input is another',
  },
  weekly_budget: {
    hasForm: (argument) => microUsd(argument) !== undefined,
    holds(argument, facts) {
      const ceiling = microUsd(argument)
      const spent = facts.weekSpend?.(weekly_budget + argument)
      if (ceiling === undefined || spent === undefined) return false
      return spent + (facts.call_cost_micro_usd ?? 0n) <= ceiling
    },
    instead: ({ weekSpend, call_cost_micro_usd = 0n }, argument) =>
      `${usdText(weekSpend?.(weekly_budget + argument) ?? 0n)} USD are spent this week, and this call may cost up to ${usdText(call_cost_micro_usd)}`,
  },
}

export function isCaveatSatisfied(caveat: string, facts: CaveatFacts): boolean {
  const { rule, argument } = parse(caveat)
  return rule?.holds(argument, facts) ?? false
}

/** Why a caveat is not satisfied, as the end of a sentence. */
export function whyUnsatisfied(caveat: string, facts: CaveatFacts): string {
  const { rule, argument } = parse(caveat)
  return rule?.instead(facts, argument) ?? 'no rule knows it'
}

/** Whether it can ever be satisfied. Checked when a caveat is written, not when a call first fails. */
export function isKnownCaveat(caveat: string): boolean {
  const { rule, argument } = parse(caveat)
  return rule?.hasForm(argument) ?? false
}

/** Throws for the first that no call could satisfy; `pointer` is that of the list. */
export function requireKnownCaveats(caveats: readonly string[] | undefined, pointer: string): void {
  const unknown = caveats?.findIndex((caveat) => !isKnownCaveat(caveat)) ?? -1
  if (unknown < 0) return
  throw refuse(
    'invalid_payload',
    `The caveat ${caveats![unknown]} is not of a known form, so no call could satisfy it; use time:HH-HH, ` +
      'jurisdiction:<code>, action_kind:<kind> or weekly_budget:<usd>.',
    {
      reason: 'unknown caveat',
      faults: [{ pointer: `${pointer}/${unknown}`, message: 'is not a known caveat' }],
    },
  )
}

function parse(caveat: string): { rule: Rule | undefined; argument: string } {
  const colon = caveat.indexOf(':')
  const name = caveat.slice(0, Math.max(colon, 0))
  return { rule: Object.hasOwn(rules, name) ? rules[name] : undefined, argument: caveat.slice(colon + 1) }
}
