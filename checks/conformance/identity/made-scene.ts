// A service for contracts between organizations: each party has its own key, a treaty, and a currency.

import { randomBytes } from 'node:crypto'
import { issueKey } from '@svc/adapters/access/api-keys'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { keepSeed } from '@svc/adapters/custody/keystore'
import type { StandingTreaty } from '@svc/contract/authority/treaty'
import { localAdmin } from '@svc/contract/identity/identity'
import type { AccountType } from '@svc/contract/money/money'
import type { SigningKey } from '@svc/contract/signing/signature'
import { balanceOf, postJournal } from '@svc/protocols/economic/ledger/store'
import { sweepContracts } from '@svc/protocols/economic/made/contract-sweep'
import { type InProcessOptions, type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { type ManualClock, manualClock } from '../../rehearsal/manual-clock.ts'
import { testTick } from '../../rehearsal/test-context.ts'
import { basic_capabilities } from '../../scenes/basic-capabilities.ts'
import { newKey } from '../../scenes/delegation-scene.ts'
import { assertSoundLedger } from '../../scenes/sound-ledger.ts'
import { openBorders, testTreaty } from '../../scenes/test-treaty.ts'
import { assertSuccess } from '../dispatch/expectations.ts'

export const start = '2026-11-15T10:00:00.000Z'
export const treaty_id = `sha256:${'7'.repeat(64)}`

export interface Party extends Addresses {
  readonly key: SigningKey
}

export interface MadeScene {
  readonly service: InProcessService
  readonly clock: ManualClock
  /** Identities with at most L1. */
  readonly lesser: Set<string>
  /** The treaties known to the engine; changed by tests. */
  readonly known: { treaty?: StandingTreaty }
  newParty(tenant_id: string, more?: { in_custody?: boolean; kind?: string }): Promise<Party>
}

export async function openMadeScene(more: InProcessOptions = {}): Promise<MadeScene> {
  const clock = manualClock(start)
  const master_key = randomBytes(32)
  const lesser = new Set<string>()
  const standing: MadeScene['known'] = {}
  const treaties = {
    find: async (_tenant: string, id: string) => (id === standing.treaty?.id ? standing.treaty : undefined),
    // Access to a tenant does not include owning assets there.
    between: openBorders('svc.made.*').between,
  }
  const identity = {
    resolve: (did: string) => ({
      outcome: 'Resolved' as const,
      identity: { ...localAdmin(did), ...(lesser.has(did) && { conformance_level: 'L1' as const }) },
    }),
  }
  const config = { ...more.config, master_key }
  const service = await startInProcess({ clock, treaties, identity, ...more, config })
  const { engine } = service.service.store
  return {
    service,
    clock,
    lesser,
    known: standing,
    async newParty(tenant_id, { in_custody = true, kind = 'agent' } = {}) {
      const key = newKey(tenant_id, kind)
      await ensureTenant(engine, tenant_id, tenant_id, 'charter')
      if (in_custody) await keepSeed(engine, service.service.root_keys, tenant_id, key.did, key.seed)
      const issued = await issueKey(engine, {
        tenant_id,
        did: key.did,
        mode: 'test',
        capabilities: basic_capabilities,
      })
      return { ...service, ...issued, tenant_id, agent_did: key.did, key }
    },
  }
}

/** Two organizations under a treaty, with a coin that the first issues and has. */
export async function openTwoParties(): Promise<{ scene: MadeScene; ann: Party; bob: Party }> {
  const scene = await openMadeScene()
  const [ann, bob] = [await scene.newParty('acme'), await scene.newParty('globex')]
  scene.known.treaty = treatyBetween(ann, bob)
  assertSuccess(await publish(ann, { asset_id: 'coin', denomination: { code: 'COIN', decimals: 2 } }))
  await fund(scene, ann, 1_000_000n)
  return { scene, ann, bob }
}

/** Lets `a` make offers to `b`. */
export function treatyBetween(a: Party, b: Party): StandingTreaty {
  const [one, other] = [a, b].map(({ tenant_id, agent_did }) => ({ tenant: tenant_id, did: agent_did }))
  return testTreaty([one!, other!], [{ to: a.tenant_id, capability: 'svc.made.*' }], {
    settlement: { rail: 'internal', currency: 'COIN', clearing_fee_bps: 25 },
  })
}

const ask = (caller: Addresses, operation: string, input: unknown): Promise<Answer> =>
  dispatch(caller, { protocol: 'MADE', operation, input })
export const create = (caller: Addresses, input: unknown) => ask(caller, 'economic_contract_create', input)
export const settle = (caller: Addresses, input: unknown) => ask(caller, 'economic_contract_settle', input)
export const token = { kind: 'token', rail: 'internal', settlement_finality_seconds: 3600 }
/** A registry entry as another reader sees it. */
export async function registered(caller: Addresses, ref: unknown): Promise<object> {
  const input = { entry: String(ref).replace('mars://', '') }
  const { body } = await dispatch(caller, { protocol: 'MARS', operation: 'query_registry', input })
  return body.output.entries[0].body.content
}
export const publish = (caller: Addresses, asset: object) =>
  ask(caller, 'asset_definition_publish', { ...token, ...asset })

/** An obligation in coin, due when it is accepted. */
export const owes = (id: string, from: string, amount: string, more: object = {}) => ({
  id,
  from,
  asset_id: 'coin',
  amount,
  ...more,
})

/** In the currency that acme issues. */
export async function fund(
  { service }: MadeScene,
  { tenant_id, agent_did }: Party,
  amount: bigint,
): Promise<void> {
  const asset_id = 'coin'
  await postJournal(service.service.store.engine, {
    tenant_id: 'acme',
    kind: 'test',
    ref: 'test',
    correlation_id: '00000000-0000-4000-8000-000000000000',
    at: start,
    entries: [
      { tenant_id: 'acme', asset_id, type: 'issuance', amount: -amount },
      { tenant_id, did: agent_did, asset_id, type: 'available', amount },
    ],
  })
}

export function held(
  { service }: MadeScene,
  { tenant_id, agent_did: did }: Party,
  type: AccountType,
): Promise<bigint> {
  return balanceOf(service.service.store.engine, { tenant_id, did, asset_id: 'coin', type })
}

export async function eventsOf({ service }: MadeScene, tenant_id: string, answer: Answer): Promise<string[]> {
  const { correlation_id } = (answer.body.metadata ?? answer.body.error) as { correlation_id: string }
  const records = await service.records(tenant_id, { correlation_ids: [correlation_id] })
  return records.map(({ event_type }) => event_type).sort()
}

export async function sweep({ service, clock }: MadeScene): Promise<void> {
  await sweepContracts(service.service.store.engine, testTick(clock.now_ms()))
}

export const assertSound = ({ service }: MadeScene): Promise<void> => assertSoundLedger(service.db_url)

/** A contract that the first offers and the other accepts. */
export async function agree([from, to]: readonly [Party, Party], obligations: unknown[], more: object = {}) {
  const offer = { counterparty_did: to.agent_did, obligations, treaty_id, ...more }
  const { contract_id } = assertSuccess(await create(from, offer)).output
  const accepted = await create(to, { contract_id })
  return { contract_id, accepted, output: assertSuccess(accepted).output }
}
