import { Input } from '@mantine/core'
import { useState } from 'react'
import { ConfirmAction } from '../../../parts/confirm-action.tsx'
import { Field } from '../../../parts/field.tsx'
import { useAct } from '../../../shell/use-query.ts'
import { useWhyNot } from '../../../shell/use-session.tsx'
import { BindingProblem } from '../binding-problem.tsx'
import type { Dissolution } from './dissolution.ts'

const over = ['SEALED', 'ARCHIVED', 'CANCELLED']

/** Cancel during the notice period; seal once everything is distributed. */
export function DissolutionActions({ found, onDone }: { found: Dissolution; onDone(): void }) {
  if (over.includes(found.state)) return null
  return (
    <section aria-label="Actions">
      {found.state === 'INITIATED' && found.role === 'own' && <Cancel found={found} onDone={onDone} />}
      <SealIt found={found} onDone={onDone} />
    </section>
  )
}

function Cancel({ found, onDone }: { found: Dissolution; onDone(): void }) {
  const { dissolution_id, tenant_id } = found
  const why_not = useWhyNot('MAUSOLEUM', 'initiate')
  const [authority, setAuthority] = useState('mace://sole-member')
  const cancel = useAct(async (client) => {
    const reason = 'cancelled in the console'
    const charter_authority = authority.trim()
    await client.mausoleum.initiate({ charter_authority, reason, cancel: dissolution_id })
    onDone()
  })
  return (
    <>
      <h3>Cancel</h3>
      <div className="row">
        <Field label="Authority" hint="A verdict on this dissolution; a sole member needs none.">
          {(ids) => (
            <Input {...ids} value={authority} onChange={({ target }) => setAuthority(target.value)} />
          )}
        </Field>
        <ConfirmAction
          label="Cancel the dissolution"
          title="Cancel the dissolution?"
          is_waiting={cancel.is_waiting}
          why_not={why_not}
          onConfirm={() => void cancel.run(undefined)}
        >
          <p>
            {tenant_id} continues as before, and everyone notified of the dissolution is notified of this.
          </p>
        </ConfirmAction>
      </div>
      {cancel.problem && <BindingProblem problem={cancel.problem} />}
    </>
  )
}

function SealIt({ found, onDone }: { found: Dissolution; onDone(): void }) {
  const { dissolution_id, tenant_id, state } = found
  const why_not = useWhyNot('MAUSOLEUM', 'seal')
  const seal = useAct(async (client) => {
    await client.mausoleum.seal({ dissolution_id })
    onDone()
  })
  const not_yet =
    state === 'READY_TO_SEAL' ? undefined : `It is ${state}; it can be sealed once it is READY_TO_SEAL.`
  return (
    <>
      <h3>Seal the audit log</h3>
      <p>
        <ConfirmAction
          label={`Seal ${tenant_id} permanently`}
          title={`Seal ${tenant_id} permanently?`}
          typed_name={tenant_id}
          is_waiting={seal.is_waiting}
          why_not={why_not ?? not_yet}
          onConfirm={() => void seal.run(undefined)}
        >
          <p>
            This is permanent. The audit log of {tenant_id} is closed, its signing key is destroyed, and
            nobody can act for {tenant_id} again. No record is deleted: the log stays readable and verifiable.
            Nobody can undo this, not even the operator.
          </p>
        </ConfirmAction>{' '}
        <span className="quiet">{why_not ?? not_yet}</span>
      </p>
      {seal.problem && <BindingProblem problem={seal.problem} />}
    </>
  )
}
