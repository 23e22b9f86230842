import { addMember } from '@svc/adapters/access/charter'
import { type Answer, type Asking, dispatch } from '../../engines/running-engine.ts'
import { until } from '../../suite/eventually.ts'
import { assertSuccess } from '../dispatch/expectations.ts'
import { type Trial, trialProtocol } from '../execution/trial-protocol.ts'
import { type MadeScene, openMadeScene, type Party } from '../identity/made-scene.ts'

export interface MoatScene extends MadeScene {
  readonly trial: Trial
  readonly ann: Party
  readonly bob: Party
  readonly eve: Party
  /** A new charter member of a tenant. */
  seat(tenant_id: string, in_custody?: boolean): Promise<Party>
  later(ms: number): string
  /** A treaty that both have signed. */
  agree(terms?: object): Promise<string>
}

export const echo = 'svc.trial.echo'
export const day_ms = 86_400_000

export async function openMoatScene(): Promise<MoatScene> {
  const trial = trialProtocol()
  // Only treaties made here exist between the organizations.
  const scene = await openMadeScene({ treaties: undefined as never, more_protocols: [trial.protocol] })
  const seat = async (tenant_id: string, in_custody = true) => {
    const party = await scene.newParty(tenant_id, { in_custody })
    const since = new Date(scene.clock.now_ms() - 1)
    await addMember(scene.service.service.store.engine, tenant_id, party.agent_did, since)
    return party
  }
  const [ann, bob, eve] = [await seat('acme'), await seat('globex'), await seat('third')]
  const later = (ms: number) => new Date(scene.clock.now_ms() + ms).toISOString()
  return {
    ...scene,
    seat,
    trial,
    ann,
    bob,
    eve,
    later,
    async agree(terms = {}) {
      const all_terms = {
        capability_schedule: [{ capability: echo, granted_to: 'both' }],
        expires_at: later(365 * day_ms),
        ...terms,
      }
      const { output } = assertSuccess(
        await moat(ann, 'propose', { counterparty_did: bob.agent_did, ...all_terms }),
      )
      const { treaty_id } = output
      assertSuccess(await moat(ann, 'sign', { treaty_id }))
      assertSuccess(await moat(bob, 'sign', { treaty_id }))
      return treaty_id as string
    },
  }
}

export const moat = (caller: Party, operation: string, input: unknown, more: Asking = {}): Promise<Answer> =>
  dispatch(caller, { protocol: 'MOAT', operation, input, ...more })

/** A cross-tenant call to the other organization. */
export const cross = (from: Party, to: Party, operation = 'echo', input: unknown = {}): Promise<Answer> =>
  dispatch(from, { protocol: 'TRIAL', operation, input, tenant_id: to.tenant_id })

export async function mayCross(asker: Party, from: Party, to: Party, more: object = {}) {
  const question = { party_a: from.tenant_id, party_b: to.agent_did, capability: echo, ...more }
  return assertSuccess(await moat(asker, 'compliance_query', question)).output
}

/** Every replica is notified of a change, a little later. */
export async function heard(condition: () => Promise<boolean>): Promise<void> {
  await until('the change is known', condition)
}
