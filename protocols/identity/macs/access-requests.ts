// MACS request_access, access_requests and decide_access: a person asks for what is missing, an administrator decides.
import { capabilityFor, covers } from '@svc/contract/authority/capability'
import { administrator } from '@svc/contract/authority/role'
import type { ListedPerson, RoleListing } from '@svc/contract/needs/people'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Static } from 'typebox'
import { leaveNotice } from '../../awareness/mim/api.ts'
import type {
  DecideInput,
  DecideOutput,
  RequestInput,
  RequestOutput,
  RequestsInput,
  RequestsOutput,
} from './access-request-schema.ts'
import { listed_max, told_max } from './access-request-schema.ts'
import {
  type AccessRequest,
  addRequest,
  countOpen,
  endRequest,
  findRequests,
  tidyRequests,
} from './access-request-store.ts'
import { requireGivable } from './roles.ts'

const day_ms = 86_400_000
const open_days = 30
const open_of_person_max = 10
const open_max = 200

type Context = OperationContext<'authority' | 'people' | 'vault'>

export async function requestAccess(
  input: Static<typeof RequestInput>,
  context: Context,
): Promise<Static<typeof RequestOutput>> {
  const { db, tenant_id, caller, people } = context
  const person = await people.ofDid(caller.did)
  if (!person)
    throw refuse(
      'policy_denied',
      'Only people who sign in can ask for access; for an agent, ask its owner.',
      {
        reason: 'not a person',
      },
    )
  const { kind, name } = await requireMissing(input, person, context)
  const now = new Date(context.now)
  await tidyRequests(db, tenant_id, now)
  const administrators = await people.holders(administrator, told_max)
  const [open] = (
    await findRequests(db, tenant_id, now, { did: caller.did, state: 'OPEN', limit: open_of_person_max })
  ).filter((each) => each.kind === kind && each.name === name)
  const request = open ?? (await newRequest({ kind, name }, context))
  if (!open) {
    context.audit('AccessRequested', { request_id: request.request_id, kind, name })
    const body = { request_id: request.request_id, kind, name, state: 'OPEN', person: nameOf(person) }
    for (const { did } of administrators)
      if (did !== caller.did) await tell(did, `access ${request.request_id}`, body, context)
  }
  const { request_id, expires_at } = request
  return {
    request_id,
    state: 'OPEN',
    expires_at: expires_at.toISOString(),
    administrators: administrators.map(nameOf),
  }
}

async function requireMissing(
  { capability, role }: Static<typeof RequestInput>,
  person: ListedPerson,
  context: Context,
) {
  if ((capability === undefined) === (role === undefined))
    throw refuse('invalid_payload', 'Name either a capability or a role.', {
      reason: 'one_of',
      faults: [{ pointer: '', message: 'either capability or role' }],
    })
  const roles = await context.people.roles()
  const fits =
    capability === undefined ? roles.filter((each) => each.role === role) : rolesFor(capability, roles)
  if (fits.length === 0)
    throw refuse(
      'not_found',
      `No role ${capability === undefined ? `is called ${role}` : `allows ${capability}`}; MACS roles lists them.`,
      {
        reason: 'no such role',
      },
    )
  const { held } = await context.authority.ofCaller()
  const has =
    capability === undefined
      ? person.roles.includes(role!)
      : held.some(({ name }) => covers(name, capability))
  if (has)
    throw refuse(
      'policy_denied',
      `You have ${capability ?? `the role ${role}`} already; sign in again if it does not work.`,
      {
        reason: 'held already',
      },
    )
  return {
    kind: capability === undefined ? ('role' as const) : ('capability' as const),
    name: (capability ?? role)!,
  }
}

/** The narrowest first. */
function rolesFor(capability: string, roles: readonly RoleListing[]): RoleListing[] {
  return roles
    .filter(({ capabilities }) => capabilities.some((name) => covers(name, capability)))
    .sort(
      (a, b) =>
        Number(a.role === administrator) - Number(b.role === administrator) ||
        a.capabilities.length - b.capabilities.length,
    )
}

async function newRequest(
  { kind, name }: Pick<AccessRequest, 'kind' | 'name'>,
  context: Context,
): Promise<AccessRequest> {
  const { db, tenant_id, caller } = context
  const { own, all } = await countOpen(db, tenant_id, caller.did)
  if (own >= open_of_person_max || all >= open_max)
    throw refuse(
      'policy_denied',
      'There are too many open requests; wait until an administrator has decided some.',
      {
        reason: 'too many requests',
      },
    )
  const requested_at = new Date(context.now)
  const expires_at = new Date(requested_at.getTime() + open_days * day_ms)
  const undecided = { state: 'OPEN', decided_at: null, decided_by: null, role_given: null } as const
  const request = {
    request_id: context.newId(),
    did: caller.did,
    kind,
    name,
    requested_at,
    expires_at,
    ...undecided,
  }
  await addRequest(db, tenant_id, request)
  return request
}

function tell(
  to: string,
  dedupe_id: string,
  body: Readonly<Record<string, unknown>>,
  context: Context,
): Promise<boolean> {
  const { db, tenant_id, caller, vault } = context
  const notice = {
    tenant_id,
    to,
    from: caller.did,
    dedupe_id,
    body,
    message_id: context.newId(),
    at: new Date(context.now),
  }
  return leaveNotice(db, vault, notice)
}

/** Who may not decide gets an empty list, not a refusal: opening a page is no violation. */
export async function listRequests(
  { side = 'own', state }: Static<typeof RequestsInput>,
  context: OperationContext<'authority' | 'people'>,
): Promise<Static<typeof RequestsOutput>> {
  const { db, tenant_id, caller, people } = context
  const did = side === 'own' ? caller.did : undefined
  if (did === undefined) {
    const { held } = await context.authority.ofCaller()
    if (!held.some(({ name }) => covers(name, capabilityFor('MACS', 'decide_access')))) return { items: [] }
  }
  const requests = await findRequests(db, tenant_id, new Date(context.now), { did, state, limit: listed_max })
  const roles = await people.roles()
  const names = new Map<string, string>()
  for (const asker of new Set(requests.map((request) => request.did))) {
    const person = await people.ofDid(asker)
    names.set(asker, person ? nameOf(person) : asker)
  }
  return { items: requests.map((request) => requestView(request, names.get(request.did)!, roles)) }
}

function requestView(request: AccessRequest, person: string, roles: readonly RoleListing[]) {
  const { request_id, did, kind, name, state, decided_at, decided_by, role_given } = request
  return {
    request_id,
    agent_did: did,
    person,
    [kind]: name,
    fitting_roles: kind === 'role' ? [name] : rolesFor(name, roles).map(({ role }) => role),
    state,
    requested_at: request.requested_at.toISOString(),
    expires_at: request.expires_at.toISOString(),
    ...(decided_at && { decided_at: decided_at.toISOString() }),
    ...(decided_by !== null && { decided_by }),
    ...(role_given !== null && { role_given }),
  }
}

export async function decideAccess(
  { request_id, decision, role }: Static<typeof DecideInput>,
  context: Context,
): Promise<Static<typeof DecideOutput>> {
  const { db, tenant_id, caller, people } = context
  const now = new Date(context.now)
  await tidyRequests(db, tenant_id, now)
  const [request] = await findRequests(db, tenant_id, now, { request_id, state: 'OPEN', limit: 1 })
  const person = request && (await people.ofDid(request.did))
  if (!request || !person)
    throw refuse('not_found', 'There is no such open request; MACS access_requests lists those to decide.', {
      reason: 'no such request',
    })
  if (request.did === caller.did)
    throw refuse('policy_denied', 'Nobody decides a request of their own; ask another administrator.', {
      reason: 'own request',
    })
  const role_given = decision === 'grant' ? roleToGive(request, role, await people.roles()) : null
  const state = role_given === null ? 'REFUSED' : 'GRANTED'
  if (role_given !== null) {
    await requireGivable([role_given], context)
    const { given, ended } = await people.changeRoles(person.user_id, [role_given], [])
    if (given.length > 0)
      context.audit('PersonChanged', {
        user_id: person.user_id,
        did: person.did,
        given,
        ended,
        disabled: false,
      })
  }
  await endRequest(db, tenant_id, { request_id, state, decided_by: caller.did, role_given }, now)
  const { kind, name, did } = request
  context.audit(role_given === null ? 'AccessRefused' : 'AccessGranted', {
    request_id,
    did,
    kind,
    name,
    role: role_given,
  })
  await tell(
    did,
    `access ${request_id} ${state}`,
    { request_id, kind, name, state, role: role_given },
    context,
  )
  return { request_id, state, roles: [...((await people.ofDid(did))?.roles ?? [])] }
}

function roleToGive(
  { kind, name }: AccessRequest,
  role: string | undefined,
  roles: readonly RoleListing[],
): string {
  if (kind === 'role') {
    if (role === undefined || role === name) return name
    throw misfit(`The role ${name} was asked for; give that one, or refuse.`)
  }
  const fitting = rolesFor(name, roles).map((each) => each.role)
  if (role !== undefined && fitting.includes(role)) return role
  throw misfit(`Name a role that allows ${name}: ${fitting.join(', ')}.`)
}

function misfit(sentence: string): Refusal {
  return refuse('invalid_payload', sentence, {
    reason: 'role does not fit',
    faults: [{ pointer: '/role', message: 'does not fit the request' }],
  })
}

function nameOf({ name, login }: Pick<ListedPerson, 'name' | 'login'>): string {
  return name ?? login
}
