// Sets of rules as the evaluator keeps them: parsed once, under a numbered place, the least used making room.
import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import type { DeterminingPolicy, PolicySet } from '@svc/contract/authority/policy'
import type { CedarModule, Wasm } from './cedar-module.ts'
import { base_policy } from './cedar-scene.ts'
import { type Guard, guardsOf } from './rule-guards.ts'
import { type Fact, factsOf, seenBy } from './seen-facts.ts'

/** Of all texts together: what is parsed takes some ten times as much. */
const characters_max = 8 * 1024 * 1024

export interface Prepared {
  readonly place: string
  /** By the id under which the evaluator knows each. */
  readonly rules: ReadonlyMap<string, DeterminingPolicy>
  readonly characters: number
  /** All that any of its rules can see of a scene. */
  readonly seen: readonly Fact[]
  /** Of each rule, what must hold for it to apply. */
  readonly guards: readonly (readonly Guard[])[]
}

// The evaluator forgets nothing by itself, so places are used again instead of naming sets by their digests.
export function preparedSets(module: CedarModule, sets_max: number): (set: PolicySet) => Prepared {
  let generation = module.generation
  let kept = new Map<string, Prepared>()
  let free: string[] = []
  let characters = 0
  const startAnew = () => {
    generation = module.generation
    kept = new Map()
    free = Array.from({ length: sets_max }, (_, place) => String(place))
    characters = 0
  }
  startAnew()
  const makeRoom = (wasm: Wasm, wanted: number) => {
    for (const [digest, { place, characters: freed }] of kept) {
      if (free.length > 0 && characters + wanted <= characters_max) return
      wasm.preparsePolicySet(place, { staticPolicies: {} })
      kept.delete(digest)
      free.push(place)
      characters -= freed
    }
  }
  return (set) => {
    if (generation !== module.generation) startAnew()
    const known = kept.get(set.set_digest)
    if (known) {
      kept.delete(set.set_digest)
      kept.set(set.set_digest, known)
      return known
    }
    return module.run((wasm) => {
      const seen = new Set<string>()
      const guards: Guard[][] = []
      const rules = rulesOf(wasm, set, (json) => {
        for (const fact of seenBy(json)) seen.add(fact)
        guards.push(guardsOf(json))
      })
      const size = set.policies.reduce((sum, { body }) => sum + body.length, 0)
      makeRoom(wasm, size)
      const place = free.pop()!
      const parsed = wasm.preparsePolicySet(place, { staticPolicies: textsOf(rules) })
      if (parsed.type === 'failure') throw new Error(parsed.errors[0]?.message ?? 'a set does not parse')
      const prepared = { place, rules, characters: size, seen: factsOf(seen), guards }
      kept.set(set.set_digest, prepared)
      characters += size
      return prepared
    })
  }
}

/** Each static policy of each text by itself, so that it can be named. */
export function rulesOf(
  wasm: Wasm,
  { policies }: PolicySet,
  look: (rule: PolicyJson) => void = () => {},
): Map<string, DeterminingPolicy> {
  const rules = new Map<string, DeterminingPolicy>()
  for (const { policy_id, version, body } of policies) {
    const parts = wasm.policySetTextToParts(body)
    if (parts.type === 'failure') throw new Error(`policy ${policy_id}@${version} does not parse`)
    for (const [index, text] of parts.policies.entries()) {
      const found = wasm.policyToJson(text)
      if (found.type === 'failure') throw new Error(`policy ${policy_id}@${version} does not parse`)
      look(found.json)
      const { effect, annotations = {} } = found.json
      const { reason, appeal } = annotations
      rules.set(`${policy_id}@${version}#${index}`, {
        policy_id,
        version,
        effect,
        text,
        ...(reason && { reason }),
        ...(appeal && { appeal }),
      })
    }
  }
  return rules
}

export function textsOf(rules: ReadonlyMap<string, DeterminingPolicy>): Record<string, string> {
  return { base: base_policy, ...Object.fromEntries([...rules].map(([id, { text }]) => [id, text])) }
}
