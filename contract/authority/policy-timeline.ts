// Which versions of an organization's policies are in force when. Pure: stage 4, MAXIM and its sweeper share this code.
import { contentHash } from '../signing/canonical-json.ts'
import type { PolicySet } from './policy.ts'

export const policy_states = ['SCHEDULED', 'ACTIVE', 'SUPERSEDED', 'RETIRED'] as const
export type PolicyState = (typeof policy_states)[number]

export interface PolicyVersion {
  readonly policy_id: string
  readonly version: string
  /** Number among the versions of its policy, from 1: a later one has the greater version. */
  readonly ordinal: number
  readonly body: string
  readonly digest: string
  /** Ends the policy from that time on. */
  readonly retires: boolean
  readonly active_from_ms: number
}

/** `versions` belong to one policy. A replaced version never comes back, and never starts where it was only planned. */
export function policyStateAt(
  { ordinal, active_from_ms, retires }: PolicyVersion,
  versions: readonly PolicyVersion[],
  at_ms: number,
): PolicyState {
  const overtaken = versions.filter((other) => other.ordinal > ordinal && other.active_from_ms <= at_ms)
  if (overtaken.length > 0) {
    const next = overtaken.reduce((first, other) => (comesBefore(other, first) ? other : first))
    return next.retires && active_from_ms < next.active_from_ms ? 'RETIRED' : 'SUPERSEDED'
  }
  if (active_from_ms > at_ms) return 'SCHEDULED'
  return retires ? 'RETIRED' : 'ACTIVE'
}

function comesBefore(one: PolicyVersion, other: PolicyVersion): boolean {
  return (
    one.active_from_ms < other.active_from_ms ||
    (one.active_from_ms === other.active_from_ms && one.ordinal > other.ordinal)
  )
}

/** All versions in force at a given time. */
export function policySetAt(versions: readonly PolicyVersion[], at_ms: number): PolicySet {
  return setOf(versions.filter(({ active_from_ms }) => active_from_ms <= at_ms))
}

/** All versions in force once everything planned has started. */
export function lastPolicySet(versions: readonly PolicyVersion[]): PolicySet {
  return setOf(versions)
}

/** The latest version of each policy, unless it retires the policy. */
function setOf(begun: readonly PolicyVersion[]): PolicySet {
  const newest = new Map<string, PolicyVersion>()
  for (const version of begun) {
    const policy_version = newest.get(version.policy_id)
    if (!policy_version || policy_version.ordinal < version.ordinal) newest.set(version.policy_id, version)
  }
  const members = [...newest.values()]
    .filter(({ retires }) => !retires)
    .sort((a, b) => (a.policy_id < b.policy_id ? -1 : 1))
  return {
    set_digest: contentHash(
      members.map(({ policy_id, version, digest }) => ({ policy_id, version, digest })),
    ),
    policies: members.map(({ policy_id, version, body }) => ({ policy_id, version, body })),
  }
}

/** When the set next changes, from a given time on (inclusive). */
export function momentsFrom(versions: readonly PolicyVersion[], at_ms: number): number[] {
  const later = versions.map(({ active_from_ms }) => active_from_ms).filter((ms) => ms > at_ms)
  return [at_ms, ...new Set(later.sort((a, b) => a - b))]
}
