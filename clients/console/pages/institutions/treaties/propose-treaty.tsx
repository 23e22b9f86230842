import { type FormEvent, useState } from 'react'
import { Field } from '../../../parts/field.tsx'
import { ProblemNote } from '../../../parts/problem-note.tsx'
import { hashOf } from '../../../shell/address.ts'
import { useAction } from '../../../shell/use-query.ts'
import { useWhyNot } from '../../../shell/use-session.tsx'
import { TermsFields } from './terms-fields.tsx'
import { empty_terms, proposalOf } from './treaty-draft.ts'

/** Proposes a treaty, which takes effect once both sides have signed. */
export function ProposeTreaty() {
  const why_not = useWhyNot('MOAT', 'propose')
  const [counterparty, setCounterparty] = useState('')
  const [effective_from, setEffectiveFrom] = useState('')
  const [terms, setTerms] = useState(empty_terms)
  const propose = useAction(async (client) => {
    const { treaty_id } = await client.moat.propose(proposalOf(counterparty, terms, effective_from))
    location.hash = hashOf('institutions', ['treaties', treaty_id])
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void propose.run(undefined)
  }
  if (why_not) return <p className="note">{why_not}</p>
  return (
    <form onSubmit={submit}>
      <p>
        <a href={hashOf('institutions', ['treaties'])}>All treaties</a>
      </p>
      <h2>A new treaty</h2>
      <p className="quiet">
        A proposal binds nobody. It takes effect once an identity of each organization has signed it.
      </p>
      <div className="row">
        <Field label="With whom" hint="The DID that signs for the other organization.">
          {(ids) => (
            <input
              {...ids}
              required
              size={50}
              pattern="\s*did:oas:[^:\s]+:[^:\s]+:[0-9a-f]{64}\s*"
              placeholder="did:oas:…"
              value={counterparty}
              onChange={({ target }) => setCounterparty(target.value)}
            />
          )}
        </Field>
        <Field label="From (UTC)" hint="If empty, as soon as both have signed.">
          {(ids) => (
            <input
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
        <button type="submit" className="first" disabled={propose.is_waiting}>
          Propose it
        </button>
      </p>
    </form>
  )
}
