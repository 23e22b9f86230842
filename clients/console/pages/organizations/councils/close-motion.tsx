import { ConfirmAction } from '../../../parts/confirm-action.tsx'
import { ProblemNote } from '../../../parts/problem-note.tsx'
import { useAct } from '../../../shell/use-query.ts'
import { useSession, useWhyNot } from '../../../shell/use-session.tsx'
import type { Motion } from './motion.ts'

/** Tallies the votes, or lets the proposer withdraw the motion. */
export function CloseMotion({ motion, onClosed }: { motion: Motion; onClosed(): void }) {
  const { motion_id, state, title, convened_by } = motion
  const { did } = useSession()
  const why_not = useWhyNot('MACE', 'tally')
  const close = useAct(async (client, action: 'tally' | 'withdraw') => {
    await client.mace.tally({ motion_id, action })
    onClosed()
  })
  if (!['CONVENED', 'OPEN'].includes(state)) return null
  return (
    <section aria-label="Close the motion">
      <div className="row">
        <ConfirmAction
          label="Tally"
          title="Count the votes?"
          is_waiting={close.is_waiting}
          why_not={why_not}
          onConfirm={() => void close.run('tally')}
        >
          <p>
            “{title}” is closed and its verdict declared, with the dissent. No further votes are possible, and
            this cannot be undone. Before the deadline this is refused while missing votes could still change
            the result.
          </p>
        </ConfirmAction>
        {convened_by === did && (
          <ConfirmAction
            label="Withdraw"
            title="Withdraw this motion?"
            is_waiting={close.is_waiting}
            why_not={why_not}
            onConfirm={() => void close.run('withdraw')}
          >
            <p>
              “{title}” is withdrawn and gets no verdict. Statements stay in the record; you can call another
              motion.
            </p>
          </ConfirmAction>
        )}
      </div>
      {close.problem && <ProblemNote problem={close.problem} />}
    </section>
  )
}
