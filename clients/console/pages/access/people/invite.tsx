import { Input } from '@mantine/core'
import { useState } from 'react'
import { Field } from '../../../parts/field.tsx'
import { TextView } from '../../../parts/json-view.tsx'
import { ProblemNote } from '../../../parts/problem-note.tsx'
import { useAct } from '../../../shell/use-query.ts'
import { useWhyNot } from '../../../shell/use-session.tsx'
import { RoleChoice } from './role-choice.tsx'

const name_length_max = 128

/** Shown only to those who may invite. */
export function Invite({ onMade }: { onMade(): void }) {
  const [name, setName] = useState('')
  const [link, setLink] = useState<string>()
  const why_not = useWhyNot('MACS', 'invite')
  const invite = useAct(async (client, roles: readonly string[]) => {
    const made = await client.macs.invite({ name, roles: [...roles] })
    setLink(made.link)
    setName('')
    onMade()
  })
  if (why_not !== undefined) return null
  return (
    <section aria-label="Invite a person">
      <Field
        label="Name of a person to invite"
        hint="You get a link for this person. It is good once, for seven days."
      >
        {(ids) => (
          <Input
            {...ids}
            maxLength={name_length_max}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <RoleChoice
        chosen={[]}
        verb="Invite"
        is_waiting={invite.is_waiting || name.trim() === ''}
        onChosen={(roles) => void invite.run(roles)}
      />
      {invite.problem && <ProblemNote problem={invite.problem} />}
      {link && (
        <div className="note good" role="status">
          <p>This is the only time the link is shown. Whoever opens it first has the account.</p>
          <TextView label="The invitation" text={link} />
        </div>
      )}
    </section>
  )
}
