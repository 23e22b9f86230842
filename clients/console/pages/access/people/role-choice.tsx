import { Button, Checkbox } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { AnswerOf } from '../../../parts/answer-of.tsx'
import { useQuery } from '../../../shell/use-query.ts'

interface Props {
  readonly chosen: readonly string[]
  readonly verb: string
  readonly is_waiting: boolean
  onChosen(roles: readonly string[]): void
}

/** A box for each role of the organization. */
export function RoleChoice({ chosen, verb, is_waiting, onChosen }: Props) {
  const [roles, setRoles] = useState(chosen)
  const query = useQuery('roles', (client, signal) => client.macs.roles({}, { signal }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onChosen(roles)
  }
  const toggle = (role: string) =>
    setRoles(roles.includes(role) ? roles.filter((each) => each !== role) : [...roles, role])
  return (
    <AnswerOf query={query}>
      {({ roles: all }) => (
        <form className="row middle" onSubmit={submit}>
          {all.map(({ role }) => (
            <Checkbox key={role} label={role} checked={roles.includes(role)} onChange={() => toggle(role)} />
          ))}
          <Button variant="default" type="submit" disabled={is_waiting}>
            {verb}
          </Button>
        </form>
      )}
    </AnswerOf>
  )
}
