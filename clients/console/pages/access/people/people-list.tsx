import type { OutputOf } from '@svc/sdk'
import { AnswerOf } from '../../../parts/answer-of.tsx'
import { ConfirmAction } from '../../../parts/confirm-action.tsx'
import { DataTable } from '../../../parts/data-table.tsx'
import { When } from '../../../parts/figure.tsx'
import { Pager } from '../../../parts/pager.tsx'
import { ProblemNote } from '../../../parts/problem-note.tsx'
import { usePages } from '../../../parts/use-pages.ts'
import { StateBadge } from '../../../parts/words.tsx'
import { type Action, useAct, useQuery } from '../../../shell/use-query.ts'
import { useWhyNot } from '../../../shell/use-session.tsx'
import { Invite } from './invite.tsx'
import { RoleChoice } from './role-choice.tsx'

type People = OutputOf<'MACS', 'people'>
type Person = People['items'][number]
type Invitation = People['invitations'][number]

const page_items = 25

interface Change {
  readonly login: string
  readonly give?: string[]
  readonly end?: string[]
  readonly disable?: true
}

export function PeopleList() {
  const pages = usePages<string>()
  const { cursor } = pages
  const query = useQuery(`people ${cursor}`, (client, signal) =>
    client.macs.people({ limit: page_items, ...(cursor && { cursor }) }, { signal }),
  )
  const change = useAct(async (client, input: Change) => {
    await client.macs.set_person(input)
    query.again()
  })
  const withdraw = useAct(async (client, invitation_id: string) => {
    await client.macs.withdraw_invitation({ invitation_id })
    query.again()
  })
  return (
    <>
      <Invite onMade={query.again} />
      {change.problem && <ProblemNote problem={change.problem} />}
      {withdraw.problem && <ProblemNote problem={withdraw.problem} />}
      <AnswerOf query={query}>
        {({ items, invitations, next_cursor }) => (
          <>
            {invitations.length > 0 && <Open invitations={invitations} withdraw={withdraw} />}
            <PeopleTable items={items} change={change} />
            <Pager pages={pages} next={next_cursor} />
          </>
        )}
      </AnswerOf>
    </>
  )
}

function PeopleTable({ items, change }: { items: readonly Person[]; change: Action<Change> }) {
  return (
    <DataTable
      caption="People who can sign in"
      rows={items}
      keyOf={({ login }) => login}
      empty="Nobody can sign in yet. Invite somebody above."
      columns={[
        { head: 'Name', cell: ({ name, login }) => name ?? login },
        { head: 'Login', cell: ({ login }) => login },
        { head: 'Roles', cell: (person) => <RolesOf person={person} change={change} /> },
        { head: 'Signs in by', cell: ({ signs_in_by }) => signs_in_by.join(', ') || '–' },
        { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
        { head: 'Since', cell: ({ created_at }) => <When at={created_at} /> },
        {
          head: 'Action',
          cell: (person) => person.state === 'active' && <Disable person={person} change={change} />,
        },
      ]}
    />
  )
}

function RolesOf({ person, change }: { person: Person; change: Action<Change> }) {
  const { login, roles, claimed_roles, state } = person
  const why_not = useWhyNot('MACS', 'set_person')
  const shown = roles.map((role) => (claimed_roles.includes(role) ? `${role} (by single sign-on)` : role))
  if (state === 'disabled' || why_not !== undefined) return <>{shown.join(', ') || '–'}</>
  const choose = (next: readonly string[]) => {
    const give = next.filter((role) => !roles.includes(role))
    const end = roles.filter((role) => !next.includes(role))
    void change.run({ login, give, end })
  }
  return (
    <>
      {shown.join(', ') || '–'}{' '}
      <ConfirmRoles login={login} roles={roles} is_waiting={change.is_waiting} onChosen={choose} />
    </>
  )
}

interface ConfirmRolesProps {
  readonly login: string
  readonly roles: readonly string[]
  readonly is_waiting: boolean
  onChosen(roles: readonly string[]): void
}

function ConfirmRoles({ login, roles, is_waiting, onChosen }: ConfirmRolesProps) {
  return (
    <details>
      <summary aria-label={`Change the roles of ${login}`}>Change the roles</summary>
      <RoleChoice chosen={roles} verb="Save" is_waiting={is_waiting} onChosen={onChosen} />
    </details>
  )
}

function Disable({ person, change }: { person: Person; change: Action<Change> }) {
  const { login, name } = person
  const why_not = useWhyNot('MACS', 'set_person')
  return (
    <ConfirmAction
      label={`Disable ${login}`}
      brief="Disable"
      title="Disable this account?"
      is_waiting={change.is_waiting}
      why_not={why_not}
      onConfirm={() => void change.run({ login, disable: true })}
    >
      <p>
        {name ?? login} is signed out everywhere, has no role any more, and keys made by this person are
        revoked.
      </p>
    </ConfirmAction>
  )
}

function Open({ invitations, withdraw }: { invitations: readonly Invitation[]; withdraw: Action<string> }) {
  const why_not = useWhyNot('MACS', 'withdraw_invitation')
  return (
    <DataTable
      caption="Open invitations"
      rows={invitations}
      keyOf={({ invitation_id }) => invitation_id}
      empty="No invitation is open."
      columns={[
        { head: 'Name', cell: ({ name }) => name },
        { head: 'Roles', cell: ({ roles }) => roles.join(', ') || '–' },
        { head: 'Made', cell: ({ made_at }) => <When at={made_at} /> },
        { head: 'Good until', cell: ({ expires_at }) => <When at={expires_at} /> },
        {
          head: 'Action',
          cell: ({ invitation_id, name }) => (
            <ConfirmAction
              label={`Withdraw the invitation of ${name}`}
              brief="Withdraw"
              title="Withdraw this invitation?"
              is_waiting={withdraw.is_waiting}
              why_not={why_not}
              onConfirm={() => void withdraw.run(invitation_id)}
            >
              <p>Its link opens nothing any more. You can make another.</p>
            </ConfirmAction>
          ),
        },
      ]}
    />
  )
}
