import { ConfirmAction } from '../../../parts/confirm-action.tsx'
import { hashOf } from '../../../shell/address.ts'
import { useAct } from '../../../shell/use-query.ts'
import { useSession, useWhyNot } from '../../../shell/use-session.tsx'
import { BindingProblem } from '../binding-problem.tsx'
import { momentOf } from '../moment-of.ts'
import type { Backtest, Draft } from './policy.ts'

interface Props {
  readonly draft: Draft
  readonly result: Backtest
  /** Whether exactly this text was back-tested. */
  readonly is_tried: boolean
}

export function EnactPolicy({ draft, result, is_tried }: Props) {
  const { policy_id, version, policy_body, retire, rationale, active_from } = draft
  const { tenant_id } = useSession()
  const why_not = useWhyNot('MAXIM', 'author')
  const enact = useAct(async (client) => {
    // Without a time, the engine's clock decides, not the browser's.
    const tried = await client.maxim.backtest({ policy_id, policy_body, retire, decisions: 1 })
    await client.maxim.author({
      policy_id,
      version,
      policy_body,
      retire,
      active_from: active_from ? momentOf(active_from) : tried.window.to,
      ...(rationale.trim() ? { rationale: rationale.trim() } : {}),
    })
    location.hash = hashOf('organizations', ['policies', policy_id], { version })
  })
  const from = active_from ? `From ${active_from} UTC on` : 'From now on'
  const label = retire ? 'Retire it' : 'Enact it'
  return (
    <section aria-label="Enact" className="enactment">
      <ConfirmAction
        label={label}
        title={retire ? `Retire ${policy_id}?` : `Enact ${policy_id} ${version}?`}
        is_harmless={!retire}
        is_waiting={enact.is_waiting}
        why_not={why_not ?? (is_tried ? undefined : 'Back-test the current text first.')}
        onConfirm={() => void enact.run(undefined)}
      >
        <p>
          {retire
            ? `${from} ${policy_id} no longer applies in ${tenant_id}.`
            : `${from} ${policy_id} ${version} applies to every call of ${tenant_id} and replaces earlier versions.`}
        </p>
        <p>
          Of the last {result.decisions} decisions it would have refused {result.would_flip_allow_to_deny}{' '}
          that went through, and let {result.would_flip_deny_to_allow} through that were refused.
        </p>
        <p>An enacted version stays in the record; a later version can replace it.</p>
      </ConfirmAction>
      {enact.problem && <BindingProblem problem={enact.problem} />}
    </section>
  )
}
