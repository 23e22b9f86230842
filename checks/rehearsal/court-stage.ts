// A court for tests: two organizations, a third, and arbiters of the operator, each with a root of its own.
import { ensureTenant } from '@svc/adapters/access/tenants'
import { vaults } from '@svc/adapters/custody/vault'
import type { StandingTreaty } from '@svc/contract/authority/treaty'
import { mars } from '@svc/protocols/awareness/mars/mars'
import { ensureUsd, postJournal } from '@svc/protocols/economic/ledger/store'
import { made } from '@svc/protocols/economic/made/made'
import { sweepCases } from '@svc/protocols/governance/moot/case-sweep'
import { moot } from '@svc/protocols/governance/moot/moot'
import { openBorders } from '../scenes/test-treaty.ts'
import { administrators, asCaller, newParty, type Party } from './organizations.ts'
import { type Output, type Rehearsal, rehearse, root_keys } from './rehearse.ts'
import { testTick } from './test-context.ts'

export const day_ms = 86_400_000

export interface CourtStage {
  readonly stage: Rehearsal
  readonly ann: Party
  readonly bob: Party
  readonly arbiters: Party[]
  /** Evidence that everybody may read. */
  readonly proofs: string[]
  readonly members: Set<string>
  /** Treaties of others than the two. */
  readonly offers: StandingTreaty[]
  run(who: Party, operation: string, input: unknown): Promise<Output>
  sweep(): Promise<number>
  /** Files, and waits for the draw. */
  file(who: Party, more?: object): Promise<Output>
  pay(to: Party, amount: bigint): Promise<void>
  register(who: Party, capability?: string): Promise<string>
  /** Registrations last thirty days. */
  renew(): Promise<void>
}

export async function openCourt(arbiters_count = 9): Promise<CourtStage> {
  const offers: StandingTreaty[] = []
  const treaties = bordersWith(offers)
  const stage = await rehearse(moot, { others: [mars, made], ports: { ...administrators(), treaties } })
  const engine = stage.store.engine
  await ensureTenant(engine, 'operator', 'operator', 'sovereign')
  await ensureUsd(engine, 'operator')
  const [ann, bob] = [await newParty(stage, 'acme'), await newParty(stage, 'globex')]
  const arbiters: Party[] = []
  for (let n = 0; n < arbiters_count; n++) arbiters.push(await newParty(stage, 'operator'))
  const members = new Set<string>()
  const run = (who: Party, operation: string, input: unknown) => stage.run(operation, input, asCaller(who))
  const register = async (who: Party, capability = 'svc.moot.rule') => {
    const entry = { name: 'Agent', entity_kind: 'Agent', capabilities: [capability], service_endpoints: [] }
    const lasting = { ttl_seconds: 2_592_000, visibility: 'public' }
    return `mars://${(await run(who, 'MARS.register_agent', { ...entry, ...lasting })).entry}`
  }
  const proofs: string[] = []
  const renew = async () => {
    for (const arbiter of arbiters) await register(arbiter)
    for (const [place, party] of [ann, bob].entries())
      proofs[place] = await register(party, 'svc.mars.discovery')
  }
  await renew()
  const court: Parameters<typeof sweepCases>[2] = {
    vaultOf: vaults(root_keys),
    membersOf: async (_db, tenant_id) => [...members].filter((did) => did.includes(`:${tenant_id}:`)),
    async checkpointOf(_db, { venue }, { case_id, correlation_id }) {
      const filed = stage
        .records(venue)
        .find(({ event_type, meta }) => event_type === 'CaseFiled' && meta.case_id === case_id)
      return (await stage.ports.audit_log.receipt(venue, correlation_id, filed!.id)).checkpoint
    },
  }
  const sweep = () => sweepCases(engine, testTick(stage.ports.clock.now_ms()), court)
  return {
    ...{ stage, ann, bob, arbiters, proofs, members, offers, run, sweep, register, renew },
    async file(who, more = {}) {
      const filing = {
        respondent_did: bob.did,
        claim: 'That call never happened.',
        evidence: [proofs[0]],
        requested_remedy: { kind: 'pay', amount_usd: '50' },
        ...more,
      }
      const filed = await run(who, 'file', filing)
      await sweep()
      const { docket } = await run(who, 'plead', { case_id: filed.case_id, plea: 'view' })
      return { ...filed, panel: docket.panel, draw: docket.draw }
    },
    pay: (to, amount) => payTo(stage, to, amount),
  }
}

/** Everybody may read the registry of everybody; the rest is as the tests agree. */
function bordersWith(offers: readonly StandingTreaty[]) {
  return {
    find: async (_tenant: string, id: string) => offers.find((offer) => offer.id === id),
    between: async (one: string, other: string) => {
      const named = offers.filter(({ parties }) =>
        [one, other].every((tenant) => parties.some((party) => party.tenant === tenant)),
      )
      return named.length > 0 ? named : await openBorders('svc.mars.*').between(one, other)
    },
  }
}

async function payTo({ store }: Rehearsal, { tenant_id, did }: Party, amount: bigint): Promise<void> {
  const asset_id = 'usd'
  await postJournal(store.engine, {
    tenant_id: 'operator',
    kind: 'test',
    ref: 'test',
    correlation_id: '00000000-0000-4000-8000-000000000000',
    at: '2026-11-15T10:00:00.000Z',
    entries: [
      { tenant_id: 'operator', asset_id, type: 'issuance', amount: -amount },
      { tenant_id, did, asset_id, type: 'available', amount },
    ],
  })
}
