import { Input } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ConfirmAction } from '../../../parts/confirm-action.tsx'
import { Field } from '../../../parts/field.tsx'
import { NoRight } from '../../../parts/no-right.tsx'
import { IdentityPicker } from '../../../parts/pickers.tsx'
import { hashOf } from '../../../shell/address.ts'
import { useAct } from '../../../shell/use-query.ts'
import { useSession, useWhyNot } from '../../../shell/use-session.tsx'
import { BindingProblem } from '../binding-problem.tsx'
import { type DissolutionDraft, initiationOf, unevenShare } from './dissolution.ts'
import { ShareFields } from './share-fields.tsx'

const empty: DissolutionDraft = { authority: 'mace://sole-member', reason: '', successor_did: '', shares: [] }

/** Starts a dissolution: announced at once, and can be cancelled only during the notice period. */
export function InitiateForm() {
  const { tenant_id } = useSession()
  const why_not = useWhyNot('MAUSOLEUM', 'initiate')
  const [draft, setDraft] = useState(empty)
  const begin = useAct(async (client) => {
    const { dissolution_id } = await client.mausoleum.initiate(initiationOf(draft))
    location.hash = hashOf('organizations', ['dissolution', dissolution_id])
  })
  if (why_not) return <NoRight protocol="MAUSOLEUM" operation="initiate" />
  const is_filled = draft.reason.trim() !== '' && draft.successor_did !== ''
  const unready = is_filled ? unevenShare(draft.shares) : 'Enter a reason and a successor.'
  return (
    <form onSubmit={(event: FormEvent) => event.preventDefault()}>
      <p>
        <a href={hashOf('organizations', ['dissolution'])}>All dissolutions</a>
      </p>
      <h2>Dissolve {tenant_id}</h2>
      <p>
        Orders, treaties and obligations end, debts are paid, the rest is distributed as you specify, and
        finally the audit log is sealed. No record is deleted.
      </p>
      <Texts draft={draft} onChange={setDraft} />
      <ShareFields shares={draft.shares} onChange={(shares) => setDraft({ ...draft, shares })} />
      <p className="quiet">
        Transferring obligations needs the consent of the other party: use MAUSOLEUM initiate in the
        Playground.
      </p>
      {begin.problem && <BindingProblem problem={begin.problem} />}
      <p>
        <ConfirmAction
          label={`Dissolve ${tenant_id}`}
          title={`Dissolve ${tenant_id}?`}
          typed_name={tenant_id}
          is_waiting={begin.is_waiting}
          why_not={unready}
          onConfirm={() => void begin.run(undefined)}
        >
          <p>
            The dissolution of {tenant_id} begins now, and everyone concerned is notified. New treaties,
            contracts and orders are refused from now on. It can be cancelled only during the notice period;
            after that it is permanent, and so is the final seal.
          </p>
        </ConfirmAction>{' '}
        <span className="quiet">{unready}</span>
      </p>
    </form>
  )
}

function Texts({ draft, onChange }: { draft: DissolutionDraft; onChange(draft: DissolutionDraft): void }) {
  return (
    <>
      <Field label="Reason">
        {(ids) => (
          <Input
            {...ids}
            required
            maxLength={4000}
            value={draft.reason}
            onChange={({ target }) => onChange({ ...draft, reason: target.value })}
          />
        )}
      </Field>
      <div className="field">
        <IdentityPicker
          label="Successor"
          hint="Somebody of another organization, who seals the audit log in the end."
          is_required
          is_foreign
          value={draft.successor_did}
          onChange={(successor_did) => onChange({ ...draft, successor_did })}
        />
      </div>
      <Field label="Authority" hint="Your charter's verdict on exactly this; a sole member needs none.">
        {(ids) => (
          <Input
            {...ids}
            required
            value={draft.authority}
            onChange={({ target }) => onChange({ ...draft, authority: target.value })}
          />
        )}
      </Field>
    </>
  )
}
