// Caches of treaties and policies, and the sweeps of motions, policies, treaties, cases and dissolutions.

import { listMembers, satAt } from '@svc/adapters/access/charter'
import { vaults } from '@svc/adapters/custody/vault'
import { openCedar } from '@svc/adapters/policy/cedar'
import { type PoliciesCache, policiesCache } from '@svc/adapters/policy/policies-cache'
import { type TreatyCache, treatyCache } from '@svc/adapters/treaties/treaty-cache'
import type { AuditLog } from '@svc/audit/audit-log'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import type { Database } from '@svc/contract/database'
import type { Tick } from '@svc/contract/tick'
import type { Clock, Log, Ports } from '@svc/engine/ports'
import { isOffered } from '@svc/protocols/awareness/registry/api'
import { sweepApprovals } from '@svc/protocols/governance/approvals/api'
import { sweepMotions } from '@svc/protocols/governance/mace/api'
import { keepNotice, sweepDissolutions } from '@svc/protocols/governance/mausoleum/api'
import { councilOf, sweepPolicies } from '@svc/protocols/governance/maxim/api'
import { sweepTreaties, treatiesBetween, treatyOfParty } from '@svc/protocols/governance/moat/api'
import { arbiter_capability, filingCheckpoint, sweepCases } from '@svc/protocols/governance/moot/api'
import { findSet, readTimeline } from '@svc/protocols/governance/policies/api'
import type { Config } from '../settings/config.ts'
import { every, tickOf } from './tick.ts'

const sweep_every_ms = 1_000
const day_s = 86_400

/** Scheduled work in bounded batches; it does nothing if another engine was faster. */
const sweeps: readonly ((db: Database, tick: Tick) => Promise<number>)[] = [
  sweepMotions,
  sweepPolicies,
  sweepApprovals,
  sweepTreaties,
]

export interface Governance {
  readonly treaties: TreatyCache
  readonly policies: PoliciesCache
}

interface Parts {
  readonly root_keys: RootKeys
  readonly db: Database
  readonly audit_log: Pick<AuditLog, 'forTenant'>
  readonly clock: Clock
  readonly log: Log
}

export async function openGovernance(
  { tenant_id: operator_tenant_id, dissolution_notice_days }: Config,
  { db, root_keys, audit_log, clock, log }: Parts,
  closing: (() => Promise<unknown>)[],
): Promise<Governance> {
  const { sign } = audit_log.forTenant(operator_tenant_id)
  const windUp = () => sweepDissolutions(db, tickOf(clock), { operator_tenant_id, sign })
  const court = courtOf(root_keys)
  await keepNotice(db, dissolution_notice_days * day_s)
  const timers = [
    ...sweeps.map((sweep) => every(sweep_every_ms, () => sweep(db, tickOf(clock)), log)),
    every(sweep_every_ms, windUp, log),
    every(sweep_every_ms, () => sweepCases(db, tickOf(clock), court), log),
  ]
  closing.push(async () => {
    for (const timer of timers) clearInterval(timer)
  })
  return {
    treaties: treatyCache(
      {
        find: (tenant_id, treaty_id) => treatyOfParty(db, tenant_id, treaty_id),
        between: (one, other) => treatiesBetween(db, one, other),
      },
      clock,
    ),
    policies: policiesCache({
      cedar: openCedar(),
      clock,
      read: (tenant_id) => readTimeline(db, tenant_id, new Date(clock.now_ms())),
      named: (tenant_id, set_digest) => findSet(db, tenant_id, set_digest),
      councilOf: (tenant_id, policy) => councilOf(db, tenant_id, policy),
      sitsInCharter: (tenant_id, did, at_ms) => satAt(db, tenant_id, did, new Date(at_ms)),
    }),
  }
}

/** What courts need besides their rows. */
export function courtOf(root_keys: RootKeys): Parameters<typeof sweepCases>[2] {
  return {
    vaultOf: vaults(root_keys),
    membersOf: async (db, tenant_id) => (await listMembers(db, tenant_id)).map(({ did }) => did),
    checkpointOf: filingCheckpoint,
  }
}

const court_known_ms = 10_000
const courts_known_max = 10_000

/** Looked up at most once in ten seconds for each organization: refusals can come in floods. */
export function openCourts(operator_tenant_id: string, db: Database, clock: Clock): Ports['courts'] {
  const answers = new Map<string, { readonly until_ms: number; readonly is_open: boolean }>()
  return {
    async isOpen(tenant_id) {
      const now_ms = clock.now_ms()
      const last = answers.get(tenant_id)
      if (last && last.until_ms > now_ms) return last.is_open
      const courts = [tenant_id, operator_tenant_id]
      const is_open = await isOffered(db, courts, arbiter_capability, new Date(now_ms))
      if (answers.size >= courts_known_max) answers.clear()
      answers.set(tenant_id, { until_ms: now_ms + court_known_ms, is_open })
      return is_open
    },
  }
}
