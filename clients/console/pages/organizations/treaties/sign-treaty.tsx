import { ConfirmAction } from '../../../parts/confirm-action.tsx'
import { useSession, useWhyNot } from '../../../shell/use-session.tsx'
import { BindingProblem } from '../binding-problem.tsx'
import { OwnSignatureForm } from '../signature-paste.tsx'
import { useSignedAction } from '../use-signed-action.ts'
import type { Treaty } from './term-lines.ts'

/** Signs with the key held by the engine, or shows the text to sign and accepts a pasted signature. */
export function SignTreaty({ treaty, onSigned }: { treaty: Treaty; onSigned(): void }) {
  const { treaty_id, kind, state, missing, partner } = treaty
  const { tenant_id } = useSession()
  const operation = kind === 'amendment' ? 'sign_amendment' : 'sign'
  const why_not = useWhyNot('MOAT', operation)
  const sign = useSignedAction(async (client, proof) => {
    if (kind === 'amendment') await client.moat.sign_amendment({ amendment_id: treaty_id, ...proof })
    else await client.moat.sign({ treaty_id, ...proof })
    onSigned()
  })
  const is_waiting_for_us = missing.includes(tenant_id) && ['PROPOSED', 'PARTIALLY_SIGNED'].includes(state)
  if (!is_waiting_for_us) return null
  return (
    <section aria-label="Sign">
      <p>
        <ConfirmAction
          label={`Sign for ${tenant_id}`}
          title={`Sign this ${kind}?`}
          is_harmless
          is_waiting={sign.is_waiting}
          why_not={why_not}
          onConfirm={() => void sign.run(undefined)}
        >
          <SigningWords treaty={treaty} tenant_id={tenant_id} />
        </ConfirmAction>{' '}
        {why_not ?? `${partner} ${missing.includes(partner) ? 'has not signed yet either.' : 'has signed.'}`}
      </p>
      {sign.problem && <BindingProblem problem={sign.problem} />}
      <OwnSignatureForm action={sign} />
    </section>
  )
}

function SigningWords({ treaty, tenant_id }: { treaty: Treaty; tenant_id: string }) {
  const { partner, missing, grants_to_partner, grants_to_own } = treaty
  return (
    <p>
      You bind {tenant_id} to these terms and all they grant: {grants_to_partner} to {partner},{' '}
      {grants_to_own} to you.{' '}
      {missing.includes(partner)
        ? `They take effect once ${partner} has signed too.`
        : 'Then both sides have signed, and the terms take effect.'}{' '}
      A signature cannot be undone; either side can terminate the treaty at any time.
    </p>
  )
}
