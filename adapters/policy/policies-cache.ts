// The rules of tenants for stage 4, before every call: cached until a change is notified.
import type { Cedar, PolicyCouncil, PolicyRuling, PolicySet, Scene } from '@svc/contract/authority/policy'
import { isAuditLogRead, ruleOn } from '@svc/contract/authority/policy-ruling'
import { type PolicyVersion, policySetAt } from '@svc/contract/authority/policy-timeline'
import { unavailable } from '@svc/contract/refusal'
import { recent } from '@svc/engine/limits/recent'
import type { Clock, Policies } from '@svc/engine/ports'
import { lookup_ms_max, within } from '../clock/within.ts'

const tenants_cached_max = 1_000
/** After this time they are read again even without a notification. */
const fresh_ms = 60_000
/** How long possibly outdated rules still apply while they are read again: a database that is away stops no call at once. */
const doubted_ms = 60_000
const councils_cached_max = 1_000

export interface PoliciesCache extends Policies {
  /** The rules of this tenant have changed. */
  forget(tenant_id: string): void
  /** Changes may have been missed. */
  doubtAll(): void
}

interface Parts {
  readonly cedar: Cedar
  readonly clock: Pick<Clock, 'monotonic_ms'>
  /** Those in force now or planned; earlier ones may be missing. */
  readonly read: (tenant_id: string) => Promise<readonly PolicyVersion[]>
  readonly named: Policies['named']
  readonly councilOf: (tenant_id: string, policy: string) => Promise<PolicyCouncil | undefined>
  readonly sitsInCharter: (tenant_id: string, did: string, at_ms: number) => Promise<boolean>
}

interface Stored {
  readonly versions: readonly PolicyVersion[]
  readonly read_ms: number
  /** When they were first used although they may be outdated. */
  doubted_ms: number | undefined
  /** The set of the last call, until the next planned change. */
  set: { readonly value: PolicySet; readonly from_ms: number; readonly until_ms: number } | undefined
}

export function policiesCache(parts: Parts): PoliciesCache {
  const { cedar, clock, sitsInCharter } = parts
  const cache = recent<Stored>(tenants_cached_max)
  const reading = new Map<string, Promise<Stored>>()
  let missed_ms = Number.NEGATIVE_INFINITY
  const load = (tenant_id: string) => loadInto(cache, reading, parts, tenant_id)
  const judge = (stored: Stored, tenant_id: string, scene: Scene): PolicyRuling | Promise<PolicyRuling> => {
    const set = setIn(stored, scene.at_ms)
    const ruling = ruleOn(set.set_digest, cedar.decide(set, scene), scene)
    return ruling.allowed || !isAuditLogRead(scene)
      ? ruling
      : within(lookup_ms_max, sitsInCharter(tenant_id, scene.principal.did, scene.at_ms)).then(
          (sits) =>
            sits ? { allowed: true, set_digest: ruling.set_digest, warnings: ruling.warnings } : ruling,
          (cause) => {
            throw unavailable('membership', cause)
          },
        )
  }
  // Neither a version nor the verdict on it ever changes, so it is cached forever.
  const councils = recent<{ readonly council: PolicyCouncil | undefined }>(councils_cached_max)
  return {
    cedar,
    named: parts.named,
    councilOf(tenant_id, policy) {
      const key = `${tenant_id} ${policy}`
      const cached_council = councils.get(key)
      if (cached_council) return cached_council.council
      return within(lookup_ms_max, parts.councilOf(tenant_id, policy)).then((council) => {
        councils.set(key, { council })
        return council
      })
    },
    judge(tenant_id, scene) {
      const stored = cache.get(tenant_id)
      const now_ms = clock.monotonic_ms()
      if (stored && stored.read_ms > missed_ms && stored.read_ms + fresh_ms > now_ms)
        return judge(stored, tenant_id, scene)
      const again = reading.get(tenant_id) ?? load(tenant_id)
      if (stored) {
        stored.doubted_ms ??= now_ms
        // Read again beside the call, which uses the cached rules.
        if (stored.doubted_ms + doubted_ms > now_ms) {
          again.catch(() => {})
          return judge(stored, tenant_id, scene)
        }
      }
      return again.then((read) => judge(read, tenant_id, scene))
    },
    forget(tenant_id) {
      cache.delete(tenant_id)
      reading.delete(tenant_id)
    },
    doubtAll() {
      missed_ms = clock.monotonic_ms()
      reading.clear()
    },
  }
}

function loadInto(
  cache: { set(key: string, value: Stored): void },
  reading: Map<string, Promise<Stored>>,
  { clock, read }: Parts,
  tenant_id: string,
): Promise<Stored> {
  const read_ms = clock.monotonic_ms()
  const loading = within(lookup_ms_max, read(tenant_id)).then(
    (versions) => {
      const stored: Stored = { versions, read_ms, doubted_ms: undefined, set: undefined }
      // A read that began before a change is neither cached nor used for later calls.
      if (reading.get(tenant_id) === loading) cache.set(tenant_id, stored)
      return stored
    },
    (cause) => {
      throw unavailable('policies', cause)
    },
  )
  reading.set(tenant_id, loading)
  const done = () => {
    if (reading.get(tenant_id) === loading) reading.delete(tenant_id)
  }
  loading.then(done, done)
  return loading
}

function setIn(stored: Stored, at_ms: number): PolicySet {
  const stored_set = stored.set
  if (stored_set && stored_set.from_ms <= at_ms && at_ms < stored_set.until_ms) return stored_set.value
  const moments = stored.versions.map(({ active_from_ms }) => active_from_ms)
  const value = policySetAt(stored.versions, at_ms)
  stored.set = {
    value,
    from_ms: Math.max(...moments.filter((ms) => ms <= at_ms), Number.NEGATIVE_INFINITY),
    until_ms: Math.min(...moments.filter((ms) => ms > at_ms), Number.POSITIVE_INFINITY),
  }
  return value
}
