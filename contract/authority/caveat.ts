// A caveat narrows a capability. An unknown caveat is never satisfied, so it cannot widen anything.
import { did_form } from '../identity/did.ts'
import { microUsd, usdText } from '../money/money.ts'
import { refuse } from '../refusal.ts'
import { tenant_id_pattern } from '../text-form.ts'
import { parseConsent } from './consent.ts'
import { isCondition } from './input-condition.ts'
import { isInNetworks, readNetworks } from './network-list.ts'
import { isInWindow, readWindow, timeThere } from './time-window.ts'

/** Facts a caveat is judged by. An absent fact satisfies nothing. */
export interface CaveatFacts {
  readonly now: Date
  readonly jurisdiction?: string
  readonly action_kind?: string
  /** Micro-USD spent or reserved this ISO week against a `weekly_budget` of this grant; each may count at another holder. */
  readonly weekSpend?: (caveat: string) => bigint | undefined
  /** The most this call may cost, micro-USD. */
  readonly call_cost_micro_usd?: bigint | undefined
  /** The network address the call came from. */
  readonly address?: string | undefined
  /** Whether a condition in CEL is true of the call's input. */
  readonly judgeInput?: (condition: string) => boolean
  /** The tenant that is called. */
  readonly tenant_id?: string
  /** The agent that calls. */
  readonly agent_did?: string
  /** Whether nobody has used the right to a single call with this id. */
  readonly isUnused?: (id: string) => boolean
  /** Set only where the consent of others is asked for before anything is done. */
  readonly approval_follows?: boolean
}

interface Rule {
  /** For people who wrote another. */
  readonly form: string
  /** Depends on the call itself, so it cannot be judged in advance. */
  readonly of_call?: true
  hasForm(argument: string): boolean
  holds(argument: string, facts: CaveatFacts): boolean
  /** What is the case instead, without words of the caller. */
  instead(facts: CaveatFacts, argument: string): string
}

const weekly_budget = 'weekly_budget:'

export function isWeeklyBudget(caveat: string): boolean {
  return caveat.startsWith(weekly_budget)
}

const once = 'once:'

export function isOnce(caveat: string): boolean {
  return caveat.startsWith(once)
}

export function onceId(caveat: string): string {
  return caveat.slice(once.length)
}

const tenant_form = new RegExp(tenant_id_pattern)
/** Of the identifier of a DID. Fewer digits could be met by trying keys. */
const agent_suffix_form = /^[0-9a-f]{16,64}$/
const once_form = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/
const isNamed = (argument: string): boolean => argument !== ''
const isEach = (argument: string, isOne: (name: string) => boolean) => argument.split(',').every(isOne)
const isTenant = (name: string): boolean => tenant_form.test(name)
const isAgent = (name: string): boolean => did_form.test(name) || agent_suffix_form.test(name)

const rules: Record<string, Rule> = {
  time: {
    form: 'time:[mon-fri ]HH[:MM]-HH[:MM][@Europe/Berlin]',
    hasForm: (argument) => readWindow(argument) !== undefined,
    holds(argument, facts) {
      const window = readWindow(argument)
      return window !== undefined && isInWindow(window, facts.now)
    },
    instead: ({ now }, argument) => timeThere(now, readWindow(argument) ?? { from: 0, to: 0 }),
  },
  jurisdiction: {
    form: 'jurisdiction:<code>',
    hasForm: isNamed,
    holds: (argument, facts) => argument !== '' && facts.jurisdiction === argument,
    instead: ({ jurisdiction }) =>
      jurisdiction === undefined ? 'its document names no jurisdiction' : 'its jurisdiction is another',
  },
  action_kind: {
    form: 'action_kind:<kind>',
    of_call: true,
    hasForm: isNamed,
    holds: (argument, facts) => argument !== '' && facts.action_kind === argument,
    instead: ({ action_kind }) =>
      action_kind === undefined
        ? 'the input names no action_kind'
        : 'the action_kind of the input is another',
  },
  weekly_budget: {
    form: 'weekly_budget:<usd>',
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
  network: {
    form: 'network:10.0.0.0/8,2001:db8::/32',
    of_call: true,
    hasForm: (argument) => readNetworks(argument) !== undefined,
    holds(argument, { address }) {
      const networks = readNetworks(argument)
      return networks !== undefined && address !== undefined && isInNetworks(networks, address)
    },
    instead: ({ address }) =>
      address === undefined
        ? 'the address of this call is not known'
        : 'this call comes from another network',
  },
  input: {
    form: 'input:<CEL condition>',
    of_call: true,
    hasForm: isCondition,
    holds: (argument, { judgeInput }) => judgeInput?.(argument) === true,
    instead: () => 'that is not true of the input of this call',
  },
  tenant: {
    form: 'tenant:<id>,<id>',
    hasForm: (argument) => isEach(argument, isTenant),
    holds: (argument, { tenant_id }) =>
      tenant_id !== undefined && isEach(argument, isTenant) && argument.split(',').includes(tenant_id),
    instead: () => 'the called tenant is another',
  },
  agent: {
    form: 'agent:<DID, or at least its last 16 digits>',
    hasForm: (argument) => isEach(argument, isAgent),
    holds: (argument, { agent_did }) =>
      agent_did !== undefined &&
      isEach(argument, isAgent) &&
      argument.split(',').some((name) => agent_did.endsWith(name)),
    instead: () => 'the agent that calls is another',
  },
  once: {
    form: 'once:<id>',
    of_call: true,
    hasForm: (argument) => once_form.test(argument),
    holds: (argument, { isUnused }) => once_form.test(argument) && isUnused?.(argument) === true,
    instead: () => 'it was used before',
  },
  // Whoever else reads caveats asks nobody, so for them it is not satisfied.
  approval: {
    form: 'approval:[2 of ]<role:name, user or DID>,…',
    hasForm: (argument) => parseConsent(argument) !== undefined,
    holds: (argument, facts) => facts.approval_follows === true && parseConsent(argument) !== undefined,
    instead: () => 'nobody can be asked for it here',
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

/** Whether it can only be judged with the call itself. */
export function dependsOnCall(caveat: string): boolean {
  return parse(caveat).rule?.of_call ?? false
}

const forms = Object.values(rules)
  .map(({ form }) => form)
  .join(', ')

/** Throws for the first that no call could satisfy; `pointer` is that of the list. */
export function requireKnownCaveats(caveats: readonly string[] | undefined, pointer: string): void {
  const unknown = caveats?.findIndex((caveat) => !isKnownCaveat(caveat)) ?? -1
  if (unknown < 0) return
  const caveat = caveats![unknown]!
  // Of what it seems to be, the form; otherwise all of them.
  const { rule } = parse(caveat)
  throw refuse(
    'invalid_payload',
    `The caveat ${caveat} is not of a known form, so no call could satisfy it; use ${rule?.form ?? `one of: ${forms}`}.`,
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
