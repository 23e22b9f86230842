import { Button, Input } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Field } from '../../../parts/field.tsx'
import { NoRight } from '../../../parts/no-right.tsx'
import { ProblemNote } from '../../../parts/problem-note.tsx'
import { hashOf } from '../../../shell/address.ts'
import { useAct } from '../../../shell/use-query.ts'
import { useSession, useWhyNot } from '../../../shell/use-session.tsx'
import { Whole } from '../whole.tsx'
import type { Treaty } from './term-lines.ts'
import { TermsFields } from './terms-fields.tsx'
import { changesOf, termsOf } from './treaty-draft.ts'

/** Proposes new terms for an active treaty; the current ones apply until both have signed. */
export function AmendTreaty({ treaty_id }: { treaty_id: string }) {
  const why_not = useWhyNot('MOAT', 'propose_amendment')
  if (why_not) return <NoRight protocol="MOAT" operation="propose_amendment" />
  return (
    <Whole
      part="treaties"
      all="All treaties"
      id={treaty_id}
      ask={(client, include_detail, signal) => client.moat.list({ treaty_id, include_detail }, { signal })}
    >
      {(treaty) => <AmendForm treaty={treaty} />}
    </Whole>
  )
}

function AmendForm({ treaty: { treaty_id, partner, detail } }: { treaty: Treaty }) {
  const { tenant_id } = useSession()
  const [before] = useState(() => detail && termsOf(detail.body, tenant_id))
  const [terms, setTerms] = useState(before)
  const [reason, setReason] = useState('')
  const amend = useAct(async (client) => {
    if (!before || !terms) return
    const changes = changesOf(before, terms)
    const amendment = { treaty_id, changes, reason: reason.trim() }
    const { amendment_id } = await client.moat.propose_amendment(amendment)
    location.hash = hashOf('organizations', ['treaties', amendment_id])
  })
  if (!terms || !before) return null
  const is_same = Object.keys(changesOf(before, terms)).length === 0
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void amend.run(undefined)
  }
  return (
    <form onSubmit={submit}>
      <h2>New terms for the treaty with {partner}</h2>
      <p className="quiet">The current terms apply until both sides have signed new ones.</p>
      <TermsFields terms={terms} onChange={setTerms} />
      <Field label="Reason" hint="Shown to the other side.">
        {(ids) => (
          <Input
            {...ids}
            required
            maxLength={2000}
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
        )}
      </Field>
      {amend.problem && <ProblemNote problem={amend.problem} />}
      <p>
        <Button type="submit" disabled={amend.is_waiting || is_same}>
          Propose the amendment
        </Button>{' '}
        {is_same && <span className="quiet">Nothing is changed yet.</span>}
      </p>
    </form>
  )
}
