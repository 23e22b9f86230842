// MACS people, set_person, invite and withdraw_invitation: who can sign in, with which roles.
import { administrator, role_form, roles_of_person_max } from '@svc/contract/authority/role'
import { next_cursor, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { ListedPerson } from '@svc/contract/needs/people'
import type { OperationContext } from '@svc/contract/operation-context'
import { name_page_fields, placeOfName } from '@svc/contract/own-list'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, Did, described, ListOf, OneOf, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { requireGivable } from './roles.ts'

const day_ms = 24 * 3_600_000
const days_default = 7
const days_max = 30
const login_form = /^[a-z0-9][a-z0-9._+@-]{0,127}$/
const invitations_max = 100

const Login = Type.String({ pattern: login_form.source, description: 'Name to sign in with.' })
const Role = Type.String({ pattern: role_form.source, description: 'Name of a role; MACS roles lists them.' })
const RoleNames = ListOf(Role, 0, roles_of_person_max)

export const PeopleInput = Closed({ ...name_page_fields })
export const PeopleOutput = Closed({
  items: described(
    ListOf(
      Closed({
        login: Login,
        name: Type.Optional(Type.String({ description: 'For people to read; absent: none was given.' })),
        roles: described(ListOf(Role), 'Roles this person has.'),
        claimed_roles: Type.Array(Role, { description: 'Of these, those that single sign-on gives.' }),
        state: described(OneOf('active', 'disabled'), 'Disabled people cannot sign in.'),
        signs_in_by: described(ListOf(OneOf('password', 'single sign-on')), 'Ways this person can sign in.'),
        agent_did: described(Did, 'Identity this person acts as.'),
        created_at: described(Timestamp, 'When this person was added.'),
      }),
      0,
      page_max,
    ),
    'People of your organization, by login.',
  ),
  invitations: Type.Array(
    Closed({
      invitation_id: described(Uuid, 'Names the invitation, to withdraw it.'),
      name: Type.String({ description: 'Who is invited.' }),
      roles: described(ListOf(Role), 'Roles the person will have.'),
      made_at: described(Timestamp, 'When it was made.'),
      expires_at: described(Timestamp, 'It can be accepted until then.'),
    }),
    { maxItems: invitations_max, description: 'Those still open; on the first page only.' },
  ),
  next_cursor,
})

export const SetPersonInput = Closed({
  login: Login,
  give: Type.Optional(described(RoleNames, 'Roles to add.')),
  end: Type.Optional(described(RoleNames, 'Roles to take away.')),
  disable: Type.Optional(
    Type.Literal(true, { description: 'Ends sessions, tokens and the keys this person made.' }),
  ),
})
export const SetPersonOutput = Closed({
  login: Login,
  roles: described(ListOf(Role), 'Roles this person has now.'),
  state: described(OneOf('active', 'disabled'), 'Disabled people cannot sign in.'),
})

export const InviteInput = Closed({
  name: Text(128, { description: 'Who is invited; for people to read.' }),
  roles: described(RoleNames, 'Roles the person will have; at most what you may do.'),
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: days_max,
      description: `How long it is good; default ${days_default}.`,
    }),
  ),
})
export const InviteOutput = Closed({
  invitation_id: described(Uuid, 'Names the invitation, to withdraw it.'),
  link: Type.String({ description: 'Good once, for whoever opens it. Shown once: only a hash is stored.' }),
  expires_at: described(Timestamp, 'It can be accepted until then.'),
})

export const WithdrawInput = Closed({ invitation_id: described(Uuid, 'Invitation to withdraw.') })
export const WithdrawOutput = Closed({
  invitation_id: described(Uuid, 'The invitation that ended.'),
  withdrawn: Type.Literal(true, { description: 'Always true: its link no longer works.' }),
})

type PeopleContext = OperationContext<'authority' | 'people'>

export async function listPeople(page: Static<typeof PeopleInput>, context: OperationContext<'people'>) {
  const { people } = context
  const listed = await listing(page, context, {
    own: 'people',
    id_form: login_form,
    read: ({ before, limit }) => people.list(before?.id ?? '', limit),
    placeOf: ({ login }) => placeOfName(login),
    view: (rows) => rows.map(personView),
  })
  const open = page.cursor === undefined ? await people.openInvitations() : []
  const invitations = open.map(({ made_at, expires_at, roles, ...invitation }) => ({
    ...invitation,
    roles: [...roles],
    made_at: made_at.toISOString(),
    expires_at: expires_at.toISOString(),
  }))
  return { ...listed, invitations }
}

export async function setPerson(
  { login, give = [], end = [], disable }: Static<typeof SetPersonInput>,
  context: PeopleContext,
) {
  const { people } = context
  const person = await people.find(login)
  if (!person) throw noSuch('person', `Nobody signs in as ${login} here; MACS people lists everybody.`)
  if (person.did === context.caller.did && (disable || end.includes(administrator)))
    throw refuse(
      'policy_denied',
      'You cannot end your own account or your own role administrator, so that somebody is left who can; ask another administrator.',
      { reason: 'own administrator' },
    )
  await requireGivable(give, context)
  const { given, ended } = await people.changeRoles(person.user_id, give, end)
  const disabled = disable === true && (await people.disable(person.user_id))
  if (given.length + ended.length > 0 || disabled)
    context.audit('PersonChanged', { user_id: person.user_id, did: person.did, given, ended, disabled })
  const { roles, state } = personView((await people.find(login))!)
  return { login, roles, state }
}

export async function invite(
  { name, roles, days = days_default }: Static<typeof InviteInput>,
  context: PeopleContext,
) {
  await requireGivable(roles, context)
  const expires_at = new Date(Date.parse(context.now) + days * day_ms).toISOString()
  const { invitation_id, link } = await context.people.invite({
    name,
    roles: [...new Set(roles)],
    expires_at,
  })
  context.audit('PersonInvited', { invitation_id, roles, expires_at })
  return { invitation_id, link, expires_at }
}

export async function withdrawInvitation(
  { invitation_id }: Static<typeof WithdrawInput>,
  context: OperationContext<'people'>,
) {
  if (!(await context.people.withdraw(invitation_id)))
    throw noSuch('invitation', 'There is no such open invitation; MACS people lists those that are open.')
  context.audit('InvitationEnded', { invitation_id, by: 'withdrawn' })
  return { invitation_id, withdrawn: true as const }
}

function personView({ login, name, did, disabled, roles, claimed_roles, ...person }: ListedPerson) {
  return {
    login,
    ...(name !== null && { name }),
    roles: [...roles],
    claimed_roles: [...claimed_roles],
    state: disabled ? ('disabled' as const) : ('active' as const),
    signs_in_by: [
      ...(person.has_password ? ['password' as const] : []),
      ...(person.oidc_issuer === null ? [] : ['single sign-on' as const]),
    ],
    agent_did: did,
    created_at: person.created_at.toISOString(),
  }
}

function noSuch(what: string, sentence: string): Refusal {
  return refuse('not_found', sentence, { reason: `no such ${what}` })
}
