import { Button, Input } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Field } from '../../../parts/field.tsx'
import { NoRight } from '../../../parts/no-right.tsx'
import { IdentityPicker } from '../../../parts/pickers.tsx'
import { ProblemNote } from '../../../parts/problem-note.tsx'
import { hashOf } from '../../../shell/address.ts'
import { useAct } from '../../../shell/use-query.ts'
import { useWhyNot } from '../../../shell/use-session.tsx'
import { TermsFields } from './terms-fields.tsx'
import { empty_terms, proposalOf } from './treaty-draft.ts'

/** Proposes a treaty, which takes effect once both sides have signed. */
export function ProposeTreaty() {
  const why_not = useWhyNot('MOAT', 'propose')
  const [counterparty, setCounterparty] = useState('')
  const [effective_from, setEffectiveFrom] = useState('')
  const [terms, setTerms] = useState(empty_terms)
  const propose = useAct(async (client) => {
    const { treaty_id } = await client.moat.propose(proposalOf(counterparty, terms, effective_from))
    location.hash = hashOf('organizations', ['treaties', treaty_id])
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void propose.run(undefined)
  }
  if (why_not) return <NoRight protocol="MOAT" operation="propose" />
  return (
    <form onSubmit={submit}>
      <p>
        <a href={hashOf('organizations', ['treaties'])}>All treaties</a>
      </p>
      <h2>A new treaty</h2>
      <p className="quiet">
        A proposal binds nobody. It takes effect once an identity of each organization has signed it.
      </p>
      <div className="row">
        <div className="field">
          <IdentityPicker
            label="With whom"
            hint="Who signs for the other organization."
            is_required
            is_foreign
            value={counterparty}
            onChange={setCounterparty}
          />
        </div>
        <Field label="From (UTC)" hint="If empty, as soon as both have signed.">
          {(ids) => (
            <Input
              {...ids}
              type="datetime-local"
              step={1}
              value={effective_from}
              onChange={({ target }) => setEffectiveFrom(target.value)}
            />
          )}
        </Field>
      </div>
      <TermsFields terms={terms} onChange={setTerms} />
      {propose.problem && <ProblemNote problem={propose.problem} />}
      <p>
        <Button type="submit" disabled={propose.is_waiting}>
          Propose it
        </Button>
      </p>
    </form>
  )
}
