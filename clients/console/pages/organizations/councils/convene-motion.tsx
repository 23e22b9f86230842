// Convening a council: the motion, its quorum and threshold, and what its verdict would allow.
import { Button, Input, NativeSelect, Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Field } from '../../../parts/field.tsx'
import { NoRight } from '../../../parts/no-right.tsx'
import { ProblemNote } from '../../../parts/problem-note.tsx'
import { hashOf, type Place } from '../../../shell/address.ts'
import { useAct } from '../../../shell/use-query.ts'
import { useWhyNot } from '../../../shell/use-session.tsx'

const quorums = ['majority', 'supermajority', 'unanimous'] as const
const hour_ms = 3_600_000
const days_max = 30

/** The query may name what the verdict is needed for, taken from the refusal. */
export function ConveneMotion({ query }: { query: Place['query'] }) {
  const why_not = useWhyNot('MACE', 'convene')
  const { operation = '', subject = '' } = query
  return why_not ? (
    <NoRight protocol="MACE" operation="convene" />
  ) : (
    <ConveneForm operation={operation} subject={subject} />
  )
}

interface Draft {
  readonly title: string
  readonly text: string
  readonly quorum: (typeof quorums)[number]
  readonly days: string
  readonly operation: string
  readonly subject: string
}

const empty: Draft = { title: '', text: '', quorum: 'majority', days: '1', operation: '', subject: '' }

function ConveneForm(preset: Pick<Draft, 'operation' | 'subject'>) {
  const [draft, setDraft] = useState({ ...empty, ...preset })
  const convene = useAct(async (client) => {
    const { motion_id } = await client.mace.convene(motionOf(draft))
    location.hash = hashOf('organizations', ['councils', motion_id])
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void convene.run(undefined)
  }
  const field = (name: 'title' | 'operation' | 'subject', label: string, hint: string, required = false) => (
    <Field label={label} hint={hint}>
      {(ids) => (
        <Input
          {...ids}
          required={required}
          value={draft[name]}
          onChange={({ target }) => setDraft({ ...draft, [name]: target.value })}
        />
      )}
    </Field>
  )
  return (
    <form onSubmit={submit}>
      <p>
        <a href={hashOf('organizations', ['councils'])}>All motions</a>
      </p>
      <h2>Convene a council</h2>
      <p className="quiet">The members of your charter sit on it, and each has one vote.</p>
      {field('title', 'Title', 'A short title.', true)}
      <Field label="Motion" hint="The exact text to decide on.">
        {(ids) => (
          <Textarea
            {...ids}
            required
            maxLength={8000}
            value={draft.text}
            onChange={({ target }) => setDraft({ ...draft, text: target.value })}
          />
        )}
      </Field>
      <QuorumFields draft={draft} onChange={setDraft} />
      <fieldset>
        <legend>What its verdict would allow, if anything</legend>
        <div className="row">
          {field('operation', 'Operation', 'Such as MOAT.sign')}
          {field('subject', 'Subject', 'As named in the refusal.', draft.operation !== '')}
        </div>
      </fieldset>
      {convene.problem && <ProblemNote problem={convene.problem} />}
      <p>
        <Button type="submit" disabled={convene.is_waiting}>
          Convene
        </Button>
      </p>
    </form>
  )
}

function QuorumFields({ draft, onChange }: { draft: Draft; onChange(draft: Draft): void }) {
  return (
    <div className="row">
      <Field label="Passes with">
        {(ids) => (
          <NativeSelect
            {...ids}
            value={draft.quorum}
            onChange={({ target }) => onChange({ ...draft, quorum: target.value as Draft['quorum'] })}
          >
            {quorums.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </NativeSelect>
        )}
      </Field>
      <Field label="Days until the deadline">
        {(ids) => (
          <Input
            {...ids}
            type="number"
            min={1}
            max={days_max}
            required
            value={draft.days}
            onChange={({ target }) => onChange({ ...draft, days: target.value })}
          />
        )}
      </Field>
    </div>
  )
}

/** A motion that authorizes something binds the whole organization, so the charter's members decide. */
function motionOf({ title, text, quorum, days, operation, subject }: Draft) {
  const [protocol = '', ...name] = operation.trim().split('.')
  const binds = operation ? [{ protocol, operation: name.join('.'), subject: subject.trim() }] : []
  return {
    motion: { title, text, charter_level: true, binds },
    quorum,
    deadline_ms: Number(days) * 24 * hour_ms,
    composition_rules: {},
  }
}
