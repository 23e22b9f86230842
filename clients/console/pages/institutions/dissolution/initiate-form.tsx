import { type FormEvent, useState } from 'react'
import { Field } from '../../../parts/field.tsx'
import { hashOf } from '../../../shell/address.ts'
import { useAction } from '../../../shell/use-query.ts'
import { useSession, useWhyNot } from '../../../shell/use-session.tsx'
import { BindingProblem } from '../binding-problem.tsx'
import { TypedConfirm } from '../typed-confirm.tsx'
import { unevenShare, type WindingDraft, windingOf } from './dissolution.ts'
import { ShareFields } from './share-fields.tsx'

const did_form = '\\s*did:oas:[^:\\s]+:[^:\\s]+:[0-9a-f]{64}\\s*'
const empty: WindingDraft = { authority: 'mace://sole-member', reason: '', successor_did: '', shares: [] }

/** The beginning of the end: announced at once, turned back only while notice is given. */
export function InitiateForm() {
  const { tenant_id } = useSession()
  const why_not = useWhyNot('MAUSOLEUM', 'initiate')
  const [draft, setDraft] = useState(empty)
  const begin = useAction(async (client) => {
    const { dissolution_id } = await client.mausoleum.initiate(windingOf(draft))
    location.hash = hashOf('institutions', ['dissolution', dissolution_id])
  })
  if (why_not) return <p className="note">{why_not}</p>
  const is_filled = draft.reason.trim() !== '' && new RegExp(`^${did_form}$`).test(draft.successor_did)
  const unready = is_filled ? unevenShare(draft.shares) : 'Say why, and who comes after.'
  return (
    <form onSubmit={(event: FormEvent) => event.preventDefault()}>
      <p>
        <a href={hashOf('institutions', ['dissolution'])}>All dissolutions</a>
      </p>
      <h2>Wind {tenant_id} up</h2>
      <p>
        Orders, treaties and obligations end, what is owed is paid, what is left goes where you say, and at
        last the record is sealed. Nothing of it is deleted.
      </p>
      <Texts draft={draft} onChange={setDraft} />
      <ShareFields shares={draft.shares} onChange={(shares) => setDraft({ ...draft, shares })} />
      <p className="quiet">
        Obligations that another takes over need the consent of their other party: MAUSOLEUM initiate, from
        the Playground.
      </p>
      {begin.problem && <BindingProblem problem={begin.problem} />}
      <p>
        <TypedConfirm
          label={`Wind ${tenant_id} up`}
          title={`Wind ${tenant_id} up?`}
          name={tenant_id}
          is_waiting={begin.is_waiting}
          why_not={unready}
          onConfirm={() => void begin.run(undefined)}
        >
          <p>
            The end of {tenant_id} begins now, and everybody concerned is told. New treaties, contracts and
            orders are refused from here on. It can be cancelled only while notice is given; after that it is
            for ever, and so is the seal at its end.
          </p>
        </TypedConfirm>{' '}
        <span className="quiet">{unready}</span>
      </p>
    </form>
  )
}

function Texts({ draft, onChange }: { draft: WindingDraft; onChange(draft: WindingDraft): void }) {
  return (
    <>
      <Field label="Reason">
        {(ids) => (
          <input
            {...ids}
            required
            maxLength={4000}
            size={60}
            value={draft.reason}
            onChange={({ target }) => onChange({ ...draft, reason: target.value })}
          />
        )}
      </Field>
      <Field label="Successor" hint="The DID of somebody of another organization who comes after it.">
        {(ids) => (
          <input
            {...ids}
            required
            pattern={did_form}
            size={60}
            placeholder="did:oas:…"
            value={draft.successor_did}
            onChange={({ target }) => onChange({ ...draft, successor_did: target.value })}
          />
        )}
      </Field>
      <Field
        label="Authority"
        hint="The verdict of your charter on exactly this; its only member needs none of its own."
      >
        {(ids) => (
          <input
            {...ids}
            required
            size={60}
            value={draft.authority}
            onChange={({ target }) => onChange({ ...draft, authority: target.value })}
          />
        )}
      </Field>
    </>
  )
}
