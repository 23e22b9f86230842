// Schemas of MACS request_access, access_requests and decide_access.
import { role_form } from '@svc/contract/authority/role'
import { CapabilityName, Closed, Did, described, ListOf, OneOf, Timestamp, Uuid } from '@svc/contract/schema'
import { Type } from 'typebox'
import { request_states } from './access-request-store.ts'

export const listed_max = 200
export const told_max = 16

const RoleName = Type.String({
  pattern: role_form.source,
  description: 'Name of a role; MACS roles lists them.',
})
const RequestId = described(Uuid, 'Names the request.')
const State = described(
  OneOf(...request_states),
  'OPEN: nobody has decided. GRANTED: a role was given. REFUSED: it was not. EXPIRED: nobody decided in time.',
)

export const RequestInput = Closed({
  capability: Type.Optional(described(CapabilityName, 'What you want to be able to call; or role.')),
  role: Type.Optional(described(RoleName, 'The role you want to have; or capability.')),
})
export const RequestOutput = Closed({
  request_id: RequestId,
  state: State,
  expires_at: described(Timestamp, 'It can be decided until then.'),
  administrators: described(
    ListOf(Type.String({ description: 'Name of a person, or the login.' }), 0, told_max),
    'Who was asked, by mail and in their list.',
  ),
})

export const RequestsInput = Closed({
  side: Type.Optional(
    described(OneOf('own', 'to_decide'), 'own: what you asked for. to_decide: what others did. Default own.'),
  ),
  state: Type.Optional(described(OneOf(...request_states), 'Only those in this state; absent: all.')),
})
export const RequestsOutput = Closed({
  items: described(
    ListOf(
      Closed({
        request_id: RequestId,
        agent_did: described(Did, 'Identity of the person who asked.'),
        person: Type.String({ description: 'Name of the person who asked, or the login.' }),
        capability: Type.Optional(
          described(CapabilityName, 'What the person wants to call; absent: a role.'),
        ),
        role: Type.Optional(described(RoleName, 'The role that is wanted; absent: a capability.')),
        fitting_roles: described(ListOf(RoleName), 'Roles that would allow it, the narrowest first.'),
        state: State,
        requested_at: described(Timestamp, 'When it was asked for.'),
        expires_at: described(Timestamp, 'It can be decided until then.'),
        decided_at: Type.Optional(described(Timestamp, 'When it was decided; absent: not yet.')),
        decided_by: Type.Optional(described(Did, 'Who decided; absent: nobody has.')),
        role_given: Type.Optional(described(RoleName, 'The role that was given; absent: none.')),
      }),
      0,
      listed_max,
    ),
    'Newest first. Empty where you may not decide.',
  ),
})

export const DecideInput = Closed({
  request_id: RequestId,
  decision: described(OneOf('grant', 'refuse'), 'grant: gives a role. refuse: gives nothing.'),
  role: Type.Optional(
    described(RoleName, 'The role to give, where a capability was asked for; it must allow that.'),
  ),
})
export const DecideOutput = Closed({
  request_id: RequestId,
  state: State,
  roles: described(ListOf(RoleName), 'Roles the person has now.'),
})
