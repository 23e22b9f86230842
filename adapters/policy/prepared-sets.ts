// Sets of rules in the evaluator: parsed once, in a numbered place; the least used is evicted.
import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import type { DeterminingPolicy, PolicySet } from '@svc/contract/authority/policy'
import type { CedarModule, Wasm } from './cedar-module.ts'
import { base_policy } from './cedar-scene.ts'
import { type InputUse, inputUse } from './input-facts.ts'
import { type Guard, guardsOf } from './rule-guards.ts'
import { type Fact, factsOf, seenBy } from './seen-facts.ts'

/** Of all texts together: the parsed form takes some ten times as much. */
const characters_max = 8 * 1024 * 1024

export interface Prepared {
  readonly place: string
  /** By the id under which the evaluator knows each. */
  readonly rules: ReadonlyMap<string, DeterminingPolicy>
  readonly characters: number
  /** Those that read the input. */
  readonly inputs: ReadonlyMap<string, InputUse>
  /** All facts of a scene that any of its rules reads. */
  readonly seen: readonly Fact[]
  /** For each rule, what must hold for it to apply. */
  readonly guards: readonly (readonly Guard[])[]
}

// The evaluator never frees anything by itself, so places are reused instead of naming sets by their digests.
export function preparedSets(module: CedarModule, sets_max: number): (set: PolicySet) => Prepared {
  let generation = module.generation
  let sets = new Map<string, Prepared>()
  let free: string[] = []
  let characters = 0
  const startAnew = () => {
    generation = module.generation
    sets = new Map()
    free = Array.from({ length: sets_max }, (_, place) => String(place))
    characters = 0
  }
  startAnew()
  const makeRoom = (wasm: Wasm, characters_needed: number) => {
    for (const [digest, { place, characters: freed }] of sets) {
      if (free.length > 0 && characters + characters_needed <= characters_max) return
      wasm.preparsePolicySet(place, { staticPolicies: {} })
      sets.delete(digest)
      free.push(place)
      characters -= freed
    }
  }
  return (set) => {
    if (generation !== module.generation) startAnew()
    const prepared_set = sets.get(set.set_digest)
    if (prepared_set) {
      sets.delete(set.set_digest)
      sets.set(set.set_digest, prepared_set)
      return prepared_set
    }
    return module.run((wasm) => {
      const facts_read = new Set<string>()
      const guards: Guard[][] = []
      const inputs = new Map<string, InputUse>()
      const fields = new Map<string, Fact>()
      const rules = rulesOf(wasm, set, (json, id) => {
        const use = inputUse(json)
        for (const fact of seenBy(use.rule)) facts_read.add(fact)
        for (const [name, field] of use.facts) fields.set(name, ['context', name, field])
        if (use.facts.size > 0) inputs.set(id, use)
        guards.push(guardsOf(json))
      })
      const size = set.policies.reduce((sum, { body }) => sum + body.length, 0)
      makeRoom(wasm, size)
      const place = free.pop()!
      const parsed = wasm.preparsePolicySet(place, { staticPolicies: textsOf(rules, inputs) })
      if (parsed.type === 'failure') throw new Error(parsed.errors[0]?.message ?? 'a set does not parse')
      const facts = [...factsOf(facts_read), ...fields.values()]
      const prepared = { place, rules, inputs, characters: size, seen: facts, guards }
      sets.set(set.set_digest, prepared)
      characters += size
      return prepared
    })
  }
}

/** Each static policy of each text separately, so that it can be named. */
export function rulesOf(
  wasm: Wasm,
  { policies }: PolicySet,
  look: (rule: PolicyJson, id: string) => void = () => {},
): Map<string, DeterminingPolicy> {
  const rules = new Map<string, DeterminingPolicy>()
  for (const { policy_id, version, body } of policies) {
    const parts = wasm.policySetTextToParts(body)
    if (parts.type === 'failure') throw new Error(`policy ${policy_id}@${version} does not parse`)
    for (const [index, text] of parts.policies.entries()) {
      const parsed_policy = wasm.policyToJson(text)
      if (parsed_policy.type === 'failure') throw new Error(`policy ${policy_id}@${version} does not parse`)
      const id = `${policy_id}@${version}#${index}`
      look(parsed_policy.json, id)
      const { effect, annotations = {} } = parsed_policy.json
      const { reason, appeal, approval } = annotations
      rules.set(id, {
        policy_id,
        version,
        effect,
        text,
        ...(reason && { reason }),
        ...(appeal && { appeal }),
        ...(approval !== undefined && approval !== null && { approval }),
      })
    }
  }
  return rules
}

export function textsOf(
  rules: ReadonlyMap<string, DeterminingPolicy>,
  inputs: ReadonlyMap<string, InputUse>,
): Record<string, string | PolicyJson> {
  const texts = [...rules].map(([id, { text }]) => [id, inputs.get(id)?.rule ?? text])
  return { base: base_policy, ...Object.fromEntries(texts) }
}
