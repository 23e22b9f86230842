// Rules in Cedar, by the evaluator of the Cedar project. An engine whose tenants have no rules never loads it.

import type {
  Cedar,
  CedarCheck,
  CedarDecision,
  DeterminingPolicy,
  PolicySet,
  Scene,
} from '@svc/contract/authority/policy'
import { computation } from '@svc/contract/needs/computation'
import { recent } from '@svc/engine/limits/recent'
import { checkText } from './cedar-check.ts'
import { type CedarModule, cedarModule, type Wasm } from './cedar-module.ts'
import { requestOf, seenOf } from './cedar-scene.ts'
import { fieldName, type InputUse, inputValue, set_size_max, text_length_max } from './input-facts.ts'
import { type Prepared, preparedSets, textsOf } from './prepared-sets.ts'
import { openFacts } from './residual.ts'
import { sceneKey } from './seen-facts.ts'

const nothing_said: CedarDecision = { decision: 'allow', determining: [], errors: [] }

const sets_prepared_max = 256
const decisions_kept_max = 20_000
const unknowns_kept_max = 2_000
/** Longer ones are judged each time: they repeat seldom. */
const key_length_max = 1_024

const checking = computation<string, CedarCheck>(new URL('./cedar-check-job.ts', import.meta.url))

export function openCedar(module: CedarModule = cedarModule(), sets_max = sets_prepared_max): Cedar {
  const prepare = preparedSets(module, sets_max)
  // The same scene under the same rules has one answer, so it is cached.
  const decided = recent<CedarDecision>(decisions_kept_max)
  const told_open = recent<readonly string[]>(unknowns_kept_max)
  return {
    check: (body) => checkText(module, body),
    checking,
    decide(set, scene) {
      if (set.policies.length === 0) return nothing_said
      try {
        const prepared = prepare(set)
        if (!prepared.guards.some((guards) => guards.every((holds) => holds(scene)))) return nothing_said
        const key = `${set.set_digest} ${sceneKey(scene, prepared.seen)}`
        const cedar_decision = key.length <= key_length_max ? decided.get(key) : undefined
        if (cedar_decision) return cedar_decision
        const decision = decide(module, prepared, set, scene)
        if (key.length <= key_length_max) decided.set(key, decision)
        return decision
      } catch (error) {
        return failed(set, error instanceof Error ? error.message : String(error))
      }
    },
    unknownsOf(set, scene, open) {
      if (set.policies.length === 0 || open.length === 0) return []
      try {
        const prepared = prepare(set)
        const { seen } = prepared
        // A fact that no rule reads changes nothing, and need not be tried.
        const open_read = seen.flatMap(([part, name, field]) =>
          part === 'context' && open.includes(field ? 'input' : name) ? [name] : [],
        )
        if (open_read.length === 0) return []
        // It parses every rule, so the result is cached for repeated questions.
        const key = `${set.set_digest} ${open_read.join()} ${sceneKey(scene, seen)}`
        const known_names = key.length <= key_length_max ? told_open.get(key) : undefined
        if (known_names) return known_names
        const unknown_names = module.run((wasm) => unknownsOf(wasm, prepared, scene, open_read))
        if (key.length <= key_length_max) told_open.set(key, unknown_names)
        return unknown_names
      } catch {
        // If it cannot be evaluated, the result may depend on any of them.
        return open
      }
    },
  }
}

function unknownsOf(
  wasm: Wasm,
  { rules, inputs, seen }: Prepared,
  scene: Scene,
  open: readonly string[],
): readonly string[] {
  const staticPolicies = textsOf(rules, inputs)
  const request = requestOf(scene, open, seen)
  const answer = wasm.isAuthorizedPartial({ ...request, policies: { staticPolicies } })
  if (answer.type === 'failure') return inWords(open, seen)
  const { decision, residuals, nontrivialResiduals } = answer.response
  if (decision !== null) return []
  return inWords(
    nontrivialResiduals.flatMap((id) => openFacts(residuals[id]?.conditions ?? [])),
    seen,
  )
}

/** Fields of the input together are `input`. */
function inWords(names: readonly string[], facts_read: Prepared['seen']): readonly string[] {
  const fields = new Set(facts_read.flatMap(([, name, field]) => (field ? [name] : [])))
  return [...new Set(names.map((name) => (fields.has(name) ? 'input' : name)))].sort()
}

function decide(
  module: CedarModule,
  { place, rules, inputs, seen }: Prepared,
  set: PolicySet,
  scene: Scene,
): CedarDecision {
  const answer = module.run((wasm) =>
    wasm.statefulIsAuthorized({ ...seenOf(scene, seen), preparsedPolicySetId: place }),
  )
  if (answer.type === 'failure') return failed(set, answer.errors[0]?.message ?? 'the evaluator failed')
  const { decision, diagnostics } = answer.response
  return {
    decision,
    // The evaluator returns them in any order; the same question must have the same answer.
    determining: diagnostics.reason.toSorted().flatMap((id) => rules.get(id) ?? []),
    errors: diagnostics.errors
      .toSorted((a, b) => (a.policyId < b.policyId ? -1 : 1))
      .flatMap(({ policyId, error }) => {
        const rule = rules.get(policyId)
        const use = inputs.get(policyId)
        const message = use ? inputFault(use, scene, error.message) : error.message
        return rule ? [{ ...nameOf(rule), message, ...(use && { reads_input: true as const }) }] : []
      }),
  }
}

const types: Readonly<Record<string, string>> = {
  String: `a text of at most ${text_length_max} characters`,
  Long: 'a whole number',
  Bool: 'true or false',
  decimal: 'a number with at most 4 digits after the point',
}

/** Why a rule that reads the input could not be evaluated. The evaluator names the fact it missed. */
function inputFault({ facts }: InputUse, { context: { input } }: Scene, message: string): string {
  if (input === undefined) return 'it depends on the input, which is not available here'
  const unread = [...facts].filter(([, fact]) => inputValue(input, fact) === undefined)
  const [, field] = unread.find(([name]) => message.includes(`\`${name}\``)) ?? unread[0] ?? []
  if (!field) return message
  const [, element] = /^Set<(.*)>$/.exec(field.type) ?? []
  const type = element ? `a list of at most ${set_size_max}, each ${types[element]}` : types[field.type]
  return `${fieldName(field.path)} is missing, or is not ${type}`
}

function nameOf({ policy_id, version, effect }: DeterminingPolicy) {
  return { policy_id, version, effect }
}

/** If the evaluator itself fails, none of the rules was evaluated. */
function failed({ policies }: PolicySet, message: string): CedarDecision {
  const errors = policies.map(({ policy_id, version }) => ({
    policy_id,
    version,
    effect: 'forbid' as const,
    message,
  }))
  return { decision: 'allow', determining: [], errors }
}
