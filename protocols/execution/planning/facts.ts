// The planner's world state: immutable nested facts, replaced along one path.

import { fromCel, toCel } from '@svc/contract/expressions/expression-value'
import { sha256Hex } from '@svc/contract/signing/canonical-json'

export type Fact = null | boolean | number | string | readonly Fact[] | Facts
/** Maps, as expressions read them: a state is read a million times and converted once. */
export type Facts = ReadonlyMap<string, Fact>
export type FactPath = readonly string[]

export function factsOf(object: Readonly<Record<string, unknown>>): Facts {
  return toCel(object) as Facts
}

/** Arguments are kept with every task, so they may be no larger than the value of an expression; throws if they are. */
export function argsOf(object: Readonly<Record<string, unknown>>): Facts {
  return factsOf(fromCel(object) as Record<string, unknown>)
}

export function plainOf(fact: Fact): unknown {
  if (Array.isArray(fact)) return fact.map(plainOf)
  if (!(fact instanceof Map)) return fact
  return Object.fromEntries([...fact].map(([name, value]) => [name, plainOf(value)]))
}

/** The facts with one of them set. Undefined if the path leads through a plain value. */
export function setFact(facts: Facts, [name, ...rest]: FactPath, value: Fact): Facts | undefined {
  const next = new Map(facts)
  if (rest.length === 0) return next.set(name!, value)
  const inner = facts.get(name!) ?? new Map<string, Fact>()
  const replaced = inner instanceof Map ? setFact(inner, rest, value) : undefined
  return replaced && next.set(name!, replaced)
}

/** Removing a missing fact changes nothing. */
export function unsetFact(facts: Facts, [name, ...rest]: FactPath): Facts {
  const inner = facts.get(name!)
  if (inner === undefined) return facts
  const next = new Map(facts)
  if (rest.length === 0) next.delete(name!)
  else if (inner instanceof Map) next.set(name!, unsetFact(inner, rest))
  return next
}

export function readFact(facts: Facts, path: FactPath): Fact | undefined {
  let fact_at: Fact | undefined = facts
  for (const name of path) {
    if (!(fact_at instanceof Map)) return undefined
    fact_at = fact_at.get(name)
  }
  return fact_at
}

/** Whether a change under one path is visible under the other. */
export function overlaps(one: FactPath, other: FactPath): boolean {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) if (one[at] !== other[at]) return false
  return true
}

const fingerprints = new WeakMap<object, string>()

/** Equal for equal facts; parts that states share are computed once. */
export function fingerprint(fact: Fact): string {
  if (typeof fact !== 'object' || fact === null) return JSON.stringify(fact)
  const cached = fingerprints.get(fact)
  if (cached !== undefined) return cached
  const text = Array.isArray(fact)
    ? `[${fact.map(fingerprint).join()}]`
    : [...(fact as Facts)]
        .map(([name, value]) => `${JSON.stringify(name)}:${fingerprint(value)}`)
        .sort()
        .join()
  const print = sha256Hex(text)
  fingerprints.set(fact, print)
  return print
}
