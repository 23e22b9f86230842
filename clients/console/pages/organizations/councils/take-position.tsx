import { Button, NativeSelect, Textarea } from '@mantine/core'
import type { InputOf } from '@svc/sdk'
import { type FormEvent, useState } from 'react'
import { everyOf } from '../../../parts/every-of.ts'
import { Field } from '../../../parts/field.tsx'
import { NoRight } from '../../../parts/no-right.tsx'
import { ProblemNote } from '../../../parts/problem-note.tsx'
import { useSession, useWhyNot } from '../../../shell/use-session.tsx'
import { linesOf } from '../lines-of.ts'
import { OwnSignatureForm } from '../signature-paste.tsx'
import { useSignedAction } from '../use-signed-action.ts'
import type { Motion, MotionDetail } from './motion.ts'

type Position = InputOf<'MACE', 'deliberate'>['position']
const positions = everyOf<Position>({ for: true, against: true, abstain: true, recuse: true, present: true })

interface Props {
  readonly motion: Motion
  readonly seats: MotionDetail['motion']['seats']
  onTaken(): void
}

/** Only members may take a position; the last one before the deadline counts. */
export function TakePosition({ motion, seats, onTaken }: Props) {
  const { did } = useSession()
  const why_not = useWhyNot('MACE', 'deliberate')
  if (!['CONVENED', 'OPEN'].includes(motion.state)) return null
  if (why_not) return <NoRight protocol="MACE" operation="deliberate" />
  if (!seats.some((seat) => seat.did === did))
    return <p className="note">You are not a member of this council, so you cannot vote.</p>
  return <PositionForm motion_id={motion.motion_id} onTaken={onTaken} />
}

interface PositionDraft {
  readonly position: Position
  readonly reasoning: string
  /** References, one per line. */
  readonly citations: string
}

function PositionForm({ motion_id, onTaken }: { motion_id: string; onTaken(): void }) {
  const [draft, setDraft] = useState<PositionDraft>({ position: 'for', reasoning: '', citations: '' })
  const [taken, setTaken] = useState<string>()
  const take = useSignedAction(async (client, own) => {
    const { position, reasoning } = draft
    const citations = linesOf(draft.citations)
    const input = { motion_id, position, reasoning, ...(citations.length > 0 ? { citations } : {}), ...own }
    const { counted_position, revision } = await client.mace.deliberate(input)
    setTaken(`Recorded: ${counted_position} (revision ${revision}).`)
    onTaken()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void take.run(undefined)
  }
  return (
    <section aria-label="Your position">
      <h3>Your position</h3>
      <form onSubmit={submit}>
        <PositionFields draft={draft} onChange={setDraft} />
        <Button type="submit" disabled={take.is_waiting}>
          Take this position
        </Button>
      </form>
      <p role="status">{taken}</p>
      {take.problem && <ProblemNote problem={take.problem} />}
      <OwnSignatureForm action={take} />
    </section>
  )
}

interface FieldsProps {
  readonly draft: PositionDraft
  onChange(draft: PositionDraft): void
}

function PositionFields({ draft, onChange }: FieldsProps) {
  return (
    <>
      <Field label="Position">
        {(ids) => (
          <NativeSelect
            {...ids}
            value={draft.position}
            onChange={({ target }) => onChange({ ...draft, position: target.value as Position })}
          >
            {positions.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </NativeSelect>
        )}
      </Field>
      <Field label="Reasoning" hint="Published with the verdict, whichever way you vote.">
        {(ids) => (
          <Textarea
            {...ids}
            required
            maxLength={20_000}
            value={draft.reasoning}
            onChange={({ target }) => onChange({ ...draft, reasoning: target.value })}
          />
        )}
      </Field>
      <Field label="Citations" hint="References such as max://…, one per line; optional.">
        {(ids) => (
          <Textarea
            {...ids}
            value={draft.citations}
            onChange={({ target }) => onChange({ ...draft, citations: target.value })}
          />
        )}
      </Field>
    </>
  )
}
