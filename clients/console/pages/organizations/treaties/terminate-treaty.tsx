import { Input } from '@mantine/core'
import { useState } from 'react'
import { ConfirmAction } from '../../../parts/confirm-action.tsx'
import { Field } from '../../../parts/field.tsx'
import { ProblemNote } from '../../../parts/problem-note.tsx'
import { hashOf } from '../../../shell/address.ts'
import { useAct } from '../../../shell/use-query.ts'
import { useWhyNot } from '../../../shell/use-session.tsx'
import type { Treaty } from './term-lines.ts'

const pending = ['PROPOSED', 'PARTIALLY_SIGNED']
const standing = ['SIGNED', 'ACTIVE', 'SUSPENDED']

/** The actions on a treaty that has not ended: new terms, or termination. */
export function TerminateTreaty({ treaty, onEnded }: { treaty: Treaty; onEnded(): void }) {
  const { treaty_id, state } = treaty
  const why_no_end = useWhyNot('MOAT', 'terminate')
  const why_no_change = useWhyNot('MOAT', 'propose_amendment')
  const [reason, setReason] = useState('')
  const [due, setDue] = useState<readonly string[]>([])
  const end = useAct(async (client) => {
    const { open_obligations } = await client.moat.terminate({ treaty_id, reason: reason.trim() })
    setDue(open_obligations)
    onEnded()
  })
  const is_pending = pending.includes(state)
  const label = is_pending ? 'Withdraw the offer' : 'Terminate'
  const first_reason = reason.trim() === '' ? 'Enter a reason first.' : undefined
  return (
    <>
      {['ACTIVE', 'SUSPENDED'].includes(state) && !why_no_change && (
        <p>
          <a href={hashOf('organizations', ['treaties', treaty_id, 'amend'])}>Propose new terms</a>
        </p>
      )}
      {due.length > 0 && (
        <p className="note" role="status">
          Still due after the end of the treaty: {due.join(', ')}
        </p>
      )}
      {end.problem && <ProblemNote problem={end.problem} />}
      {(is_pending || standing.includes(state)) && (
        <section aria-label="End the treaty">
          <h2>{is_pending ? 'Withdraw' : 'Terminate'}</h2>
          <div className="row">
            <Field label="Reason" hint="Stored with the treaty; visible to your side.">
              {(ids) => (
                <Input
                  {...ids}
                  maxLength={2000}
                  value={reason}
                  onChange={({ target }) => setReason(target.value)}
                />
              )}
            </Field>
            <ConfirmAction
              label={label}
              title={is_pending ? 'Withdraw this offer?' : 'Terminate this treaty?'}
              is_waiting={end.is_waiting}
              why_not={why_no_end ?? first_reason}
              onConfirm={() => void end.run(undefined)}
            >
              <WhatEnds treaty={treaty} is_pending={is_pending} />
            </ConfirmAction>
          </div>
        </section>
      )}
    </>
  )
}

function WhatEnds({ treaty, is_pending }: { treaty: Treaty; is_pending: boolean }) {
  const { partner, detail } = treaty
  if (is_pending)
    return (
      <p>It can no longer be signed, and existing agreements between you and {partner} stay as they are.</p>
    )
  const grants = detail?.body.grants ?? []
  const lost = (is_theirs: boolean) =>
    grants
      .filter(({ to }) => (to === partner) === is_theirs)
      .map(({ capability }) => capability)
      .join(', ') || 'nothing'
  return (
    <>
      <p>The treaty ends at once, for both sides, and every later call that needs it is refused.</p>
      <ul>
        <li>
          {partner} loses: {lost(true)}
        </li>
        <li>You lose: {lost(false)}</li>
        <li>Amendments waiting for signatures lapse.</li>
        <li>Contracts made under it stay due.</li>
      </ul>
      <p>This cannot be undone, but a new treaty can be proposed.</p>
    </>
  )
}
