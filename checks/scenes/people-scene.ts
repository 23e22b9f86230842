// People with roles, signed in: what they may do is what their roles say, and nothing else.
import { giveRoles } from '@svc/adapters/accounts/role-store'
import { system_clock } from '@svc/adapters/clock/system'
import { localAdmin } from '@svc/contract/identity/identity'
import type { IdentityResolver } from '@svc/engine/ports'
import type { InProcessService } from '../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../engines/running-engine.ts'
import { addPersonTo, type Someone, signIn } from './login-journey.ts'

export interface SignedInPerson extends Someone, Addresses {
  /** One call in her own organization. */
  call(operation: string, input?: unknown): Promise<Answer>
}

/** Everybody has every level and nothing else, so that only roles and keys decide. */
export const bare_identities: IdentityResolver = {
  resolve: (did) => ({ outcome: 'Resolved', identity: { ...localAdmin(did), capabilities: [] } }),
}

/** With an access token for an API key's place. */
export async function personWith(
  engine: InProcessService,
  login: string,
  roles: readonly string[],
  tenant_id = 'acme',
): Promise<SignedInPerson> {
  const { engine: db } = engine.service.store
  const person = await addPersonTo(db, login, tenant_id)
  await giveRoles(db, person, roles, 'hand', new Date(system_clock.now_ms()))
  return await signedIn(engine, person)
}

export async function signedIn(engine: InProcessService, person: Someone): Promise<SignedInPerson> {
  const { tokens } = await signIn(engine, person.login)
  const { api_url, metrics_url } = engine
  const { tenant_id, did: agent_did } = person
  const addresses = { api_url, metrics_url, tenant_id, agent_did, api_key: tokens.access_token }
  return {
    ...person,
    ...addresses,
    call(operation, input = {}) {
      const dot = operation.indexOf('.')
      const [protocol, name] = [operation.slice(0, dot), operation.slice(dot + 1)]
      return dispatch(addresses, { protocol, operation: name, input })
    },
  }
}
