// What the engine can route to: protocols by id, their versions, and each operation's compiled checks.
import { capabilityFor, namesThatGrant } from '@svc/contract/authority/capability'
import { judgeForeign } from '@svc/contract/foreign/foreign-schema'
import { multipliersOf } from '@svc/contract/money/charge'
import type { Declaration } from '@svc/contract/protocol'
import { AnyObject } from '@svc/contract/schema'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { inputFaults } from './input-faults.ts'
import type {
  Balance,
  Endpoint,
  Fault,
  FaultsOf,
  Registered,
  RegisteredOperation,
  Registry,
} from './routing.ts'

import { compareVersions, parseVersion, type Version } from './semver.ts'

export interface OpenRegistry extends Registry {
  /** Replaces an existing version; running calls keep the one they have. */
  register(declaration: Declaration, endpoints: readonly Endpoint[], balance?: Balance): void
  unregister(protocol: string, version: string): void
  /** Basis points of tenants per version; an empty list ends the canary. */
  setCanary(protocol: string, weights: readonly { version: string; weight_bps: number }[]): void
}

export function openRegistry(): OpenRegistry {
  const protocols = new Map<string, Registered[]>()
  const canaries = new Map<string, readonly { version: string; weight_bps: number }[]>()
  const watchers = new Set<() => void>()
  let revision = 0
  const change = () => {
    revision++
    for (const changed of watchers) changed()
  }
  return {
    versions: (protocol) => protocols.get(protocol) ?? protocols.get(protocol.toUpperCase()),
    ids: () => [...protocols.values()].map((versions) => versions[0]!.facts.id),
    canary: (protocol) => canaries.get(protocol.toUpperCase()) ?? [],
    revision: () => revision,
    watch(changed) {
      watchers.add(changed)
      return () => void watchers.delete(changed)
    },
    register(declaration, endpoints, balance = 'round-robin') {
      versionOf(declaration.version)
      const key = declaration.id.toUpperCase()
      const others = (protocols.get(key) ?? []).filter(({ version }) => version !== declaration.version)
      protocols.set(key, [...others, registered(declaration, endpoints, balance)])
      change()
    },
    unregister(protocol, version) {
      const key = protocol.toUpperCase()
      const others = (protocols.get(key) ?? []).filter((one) => one.version !== version)
      if (others.length) protocols.set(key, others)
      else protocols.delete(key)
      change()
    },
    setCanary(protocol, weights) {
      const total = weights.reduce((sum, { weight_bps }) => sum + weight_bps, 0)
      if (total > 10_000)
        throw new RangeError(`canary weights of ${protocol} add up to ${total}, more than 10000 basis points`)
      // Ordered by version, however they were written: else the same weights could move tenants.
      const ordered = weights
        .map((weight) => ({ weight, version: versionOf(weight.version) }))
        .sort((a, b) => compareVersions(a.version, b.version))
      canaries.set(
        protocol.toUpperCase(),
        ordered.map(({ weight }) => weight),
      )
      change()
    },
  }
}

function versionOf(version: string): Version {
  const parsed = parseVersion(version)
  if (!parsed) throw new TypeError(`${version} is not a semantic version`)
  return parsed
}

function registered(declaration: Declaration, endpoints: readonly Endpoint[], balance: Balance): Registered {
  const operations = new Map<string, RegisteredOperation>()
  for (const [name, facts] of Object.entries(declaration.operations)) {
    operations.set(name, {
      name,
      facts,
      capability: capabilityFor(declaration.id, name),
      granted_by: namesThatGrant(capabilityFor(declaration.id, name)),
      multipliers: multipliersOf(facts),
      inputFaults: facts.foreign ? foreignFaults(facts.input) : faultsOf(facts.checked_input ?? facts.input),
      outputFaults: facts.foreign ? foreignFaults(facts.output) : faultsOf(facts.output),
    })
  }
  return { facts: declaration, version: declaration.version, operations, endpoints, balance }
}

/** Empty where a value is valid. Compiled at first use: an engine starts before most operations are ever called. */
export function faultsOf(schema: TSchema): (value: unknown) => readonly Fault[] {
  let check: ReturnType<typeof Compile> | undefined
  return (value) => {
    check ??= Compile(schema)
    return check.Check(value) ? [] : inputFaults(schema, value)
  }
}

/** A schema that accepts any object is ours; every other untrusted schema is checked as such. */
function foreignFaults(schema: TSchema): FaultsOf {
  if (schema === AnyObject) return faultsOf(schema)
  const written = JSON.stringify(schema)
  return async (value, compute, text = JSON.stringify(value)) => {
    const { faults, unusable } = await judgeForeign({ schema: written, value: text }, compute)
    return unusable === undefined ? faults : [{ pointer: '', message: `cannot be checked: ${unusable}` }]
  }
}
