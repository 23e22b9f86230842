import { Button, Input } from '@mantine/core'
import type { OutputOf } from '@svc/sdk'
import { type FormEvent, useState } from 'react'
import { AnswerOf } from '../../../parts/answer-of.tsx'
import { ConfirmAction } from '../../../parts/confirm-action.tsx'
import { DataTable } from '../../../parts/data-table.tsx'
import { Field } from '../../../parts/field.tsx'
import { plural } from '../../../parts/figures.ts'
import { ProblemNote } from '../../../parts/problem-note.tsx'
import { type Action, useAct, useQuery } from '../../../shell/use-query.ts'
import { useWhyNot } from '../../../shell/use-session.tsx'

type Role = OutputOf<'MACS', 'roles'>['roles'][number]

interface Change {
  readonly role: string
  readonly add?: string[]
  readonly remove?: string[]
  readonly reset?: true
}

export function Roles() {
  const query = useQuery('roles', (client, signal) => client.macs.roles({}, { signal }))
  const change = useAct(async (client, input: Change) => {
    await client.macs.set_role(input)
    query.again()
  })
  const why_not = useWhyNot('MACS', 'set_role')
  return (
    <>
      {why_not === undefined && <SetRole change={change} />}
      {change.problem && <ProblemNote problem={change.problem} />}
      <AnswerOf query={query}>
        {({ roles }) => (
          <DataTable
            caption="Roles of your organization"
            rows={roles}
            keyOf={({ role }) => role}
            empty="There are no roles."
            columns={[
              { head: 'Role', cell: ({ role }) => role },
              { head: 'Allows', cell: (role) => <Allowed role={role} /> },
              { head: 'Added here', cell: ({ added }) => added.join(', ') || '–' },
              { head: 'Removed here', cell: ({ removed }) => removed.join(', ') || '–' },
              { head: 'Reset', cell: (role) => isChanged(role) && <Reset role={role} change={change} /> },
            ]}
          />
        )}
      </AnswerOf>
    </>
  )
}

function isChanged({ built_in, added, removed }: Role): boolean {
  return !built_in || added.length + removed.length > 0
}

function Allowed({ role: { role, capabilities } }: { role: Role }) {
  return (
    <details>
      <summary>
        {capabilities.includes('svc.*.*')
          ? 'everything'
          : plural(capabilities.length, 'capability', 'capabilities')}
        <span className="never-seen"> of {role}</span>
      </summary>
      <ul>
        {capabilities.map((name) => (
          <li key={name}>
            <code>{name}</code>
          </li>
        ))}
      </ul>
    </details>
  )
}

function Reset({ role: { role, built_in }, change }: { role: Role; change: Action<Change> }) {
  const why_not = useWhyNot('MACS', 'set_role')
  return (
    <ConfirmAction
      label={`${built_in ? 'Reset' : 'Remove'} ${role}`}
      brief={built_in ? 'Reset' : 'Remove'}
      title={built_in ? 'Reset this role?' : 'Remove this role?'}
      is_waiting={change.is_waiting}
      why_not={why_not}
      onConfirm={() => void change.run({ role, reset: true })}
    >
      <p>{built_in ? 'It allows again what it did at first.' : 'It ends for everybody who has it.'}</p>
    </ConfirmAction>
  )
}

function SetRole({ change }: { change: Action<Change> }) {
  const [role, setRole] = useState('')
  const [capability, setCapability] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void change.run({ role, add: [capability] })
  }
  return (
    <section aria-label="Change a role">
      <form className="row" onSubmit={submit}>
        <Field label="Role" hint="One of those below, or a new name.">
          {(ids) => (
            <Input {...ids} maxLength={32} value={role} onChange={({ target }) => setRole(target.value)} />
          )}
        </Field>
        <Field label="Capability" hint="Such as svc.moat.list, or svc.moat.* for all of MOAT.">
          {(ids) => (
            <Input
              {...ids}
              maxLength={128}
              value={capability}
              onChange={({ target }) => setCapability(target.value)}
            />
          )}
        </Field>
        <Button
          variant="default"
          type="submit"
          disabled={change.is_waiting || role === '' || capability === ''}
        >
          Add
        </Button>
        <Button
          variant="default"
          disabled={change.is_waiting || role === '' || capability === ''}
          onClick={() => void change.run({ role, remove: [capability] })}
        >
          Remove
        </Button>
      </form>
    </section>
  )
}
