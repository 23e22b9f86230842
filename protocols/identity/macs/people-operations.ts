// The operations of MACS by which administrators manage people and roles.
import { operation } from '@svc/contract/protocol'
import {
  DecideInput,
  DecideOutput,
  RequestInput,
  RequestOutput,
  RequestsInput,
  RequestsOutput,
} from './access-request-schema.ts'
import { decideAccess, listRequests, requestAccess } from './access-requests.ts'
import {
  InviteInput,
  InviteOutput,
  invite,
  listPeople,
  PeopleInput,
  PeopleOutput,
  SetPersonInput,
  SetPersonOutput,
  setPerson,
  WithdrawInput,
  WithdrawOutput,
  withdrawInvitation,
} from './people.ts'
import { listRoles, RolesInput, RolesOutput, SetRoleInput, SetRoleOutput, setRole } from './roles.ts'
import {
  access_requested,
  colleague_login,
  example_invitation,
  example_request,
  invited,
  people_needed,
  request_needed,
} from './scenes.ts'

const reading = { effect: 'read', level: 'L0', meters: ['seconds'], essential: true } as const
const changing = {
  effect: 'write',
  level: 'L0',
  meters: ['seconds'],
  essential: true,
  for_administrators: true,
  hands_on: true,
  needs: ['authority', 'people'],
  example_needs: people_needed,
} as const

export const people_operations = {
  people: operation({
    ...reading,
    summary: 'List the people who can sign in, their roles, and open invitations.',
    needs: ['people'],
    input: PeopleInput,
    output: PeopleOutput,
    example: { limit: 10 },
    handle: listPeople,
  }),

  set_person: operation({
    ...changing,
    summary: 'Give roles to a person, end them, or end the account.',
    input: SetPersonInput,
    output: SetPersonOutput,
    example: { login: colleague_login, give: ['finance'] },
    handle: setPerson,
  }),

  invite: operation({
    ...changing,
    summary: 'Invite a person by a link that is good once and expires.',
    secret_output: true,
    input: InviteInput,
    output: InviteOutput,
    example: { name: 'Ada Lovelace', roles: ['viewer'], days: 7 },
    handle: invite,
  }),

  withdraw_invitation: operation({
    ...changing,
    hands_on: false,
    summary: 'Withdraw an open invitation; its link opens nothing any more.',
    input: WithdrawInput,
    output: WithdrawOutput,
    example: { invitation_id: example_invitation },
    scene: invited,
    handle: withdrawInvitation,
  }),

  roles: operation({
    ...reading,
    summary: 'List the roles of your organization and what each allows.',
    needs: ['people'],
    input: RolesInput,
    output: RolesOutput,
    example: {},
    handle: listRoles,
  }),

  set_role: operation({
    ...changing,
    summary: 'Change what a role allows, make a role of your own, or reset one.',
    input: SetRoleInput,
    output: SetRoleOutput,
    example: { role: 'buyer', add: ['svc.market.*'] },
    handle: setRole,
  }),

  request_access: operation({
    effect: 'write',
    level: 'L0',
    meters: ['seconds'],
    essential: true,
    summary: 'Ask the administrators of your organization for a capability or a role that you lack.',
    needs: ['authority', 'people', 'vault'],
    input: RequestInput,
    output: RequestOutput,
    example: { role: 'finance' },
    example_needs: people_needed,
    handle: requestAccess,
  }),

  access_requests: operation({
    ...reading,
    summary: 'List your requests for access, or those that you may decide.',
    needs: ['authority', 'people'],
    input: RequestsInput,
    output: RequestsOutput,
    example: { side: 'to_decide', state: 'OPEN' },
    handle: listRequests,
  }),

  decide_access: operation({
    ...changing,
    summary: 'Give the role that a person asked for, or refuse it.',
    needs: ['authority', 'people', 'vault'],
    input: DecideInput,
    output: DecideOutput,
    example: { request_id: example_request, decision: 'grant' },
    scene: access_requested,
    example_needs: request_needed,
    handle: decideAccess,
  }),
}
