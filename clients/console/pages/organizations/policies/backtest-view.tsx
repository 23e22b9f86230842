import { Button } from '@mantine/core'
import { DataTable } from '../../../parts/data-table.tsx'
import { When } from '../../../parts/figure.tsx'
import { Who } from '../../../parts/who.tsx'
import { Id } from '../../../parts/words.tsx'
import { hashOf } from '../../../shell/address.ts'
import { useAct } from '../../../shell/use-query.ts'
import { Facts } from '../facts.tsx'
import { type Backtest, momentAfter } from './policy.ts'

type Flip = Backtest['flips'][number]

/** The decisions that would have differed, each with links to its record and its journey. */
export function BacktestView({ result, is_stale }: { result: Backtest; is_stale: boolean }) {
  const { window, warnings, flips, truncated } = result
  return (
    <section aria-label="Back-test">
      <h2>Back-test</h2>
      {is_stale && <p className="note">The text was changed since; try it again.</p>}
      <p role="status">
        {result.would_flip_allow_to_deny} calls that went through would be refused, and{' '}
        {result.would_flip_deny_to_allow} that were refused would go through.
      </p>
      <Facts
        facts={[
          ['Decisions looked at', result.decisions],
          ['Judged', result.evaluated],
          ['Undecided', result.undecided],
          ['Ended before any rule', result.unjudged],
          ['From', <When key="from" at={window.from} />],
          ['to', <When key="to" at={window.to} />],
          ['Head of the audit log', <Id key="head" text={result.head} />],
        ]}
      />
      {truncated && (
        <p className="quiet">The audit log has older decisions in this period that were not tested.</p>
      )}
      {warnings.length > 0 && (
        <ul>
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      <DataTable
        caption="Decisions that would change, the newest first, at most 100"
        rows={flips}
        keyOf={({ record }) => record}
        empty="Not one of them would change."
        columns={[
          { head: 'When', cell: ({ at }) => <When at={at} /> },
          {
            head: 'Operation',
            cell: ({ protocol, operation }) => [protocol, operation].filter(Boolean).join(' ') || '–',
          },
          { head: 'Caller', cell: ({ caller_did }) => <Who did={caller_did} /> },
          { head: 'Was', cell: ({ was }) => was },
          { head: 'Would be', cell: ({ would_be }) => would_be },
          { head: 'By', cell: ({ by }) => by ?? '–' },
          { head: 'Its record', cell: (flip) => <FlipLinks flip={flip} /> },
        ]}
      />
    </section>
  )
}

/** A decision names its record only by hash; its time finds the record, and the record the journey. */
function FlipLinks({ flip }: { flip: Flip }) {
  const { at, record, caller_did, protocol, operation } = flip
  const input = {
    from: at,
    to: momentAfter(at),
    caller_did,
    ...(protocol ? { protocol } : {}),
    ...(operation ? { operation } : {}),
  }
  const follow = useAct(async (client) => {
    const { records } = await client.max.audit_query(input)
    const match = records.find(({ record_hash }) => record.endsWith(`/${record_hash}`))
    if (!match) throw new Error('The audit log has no record with this hash at that time.')
    location.hash = hashOf('requests', [match.correlation_id])
  })
  return (
    <span>
      <a href={hashOf('audit-log', ['records'], input)}>record</a>{' '}
      <Button
        variant="subtle"
        size="compact-xs"
        disabled={follow.is_waiting}
        onClick={() => void follow.run(undefined)}
      >
        journey
      </Button>
      {follow.problem && <span role="alert">{follow.problem.message}</span>}
    </span>
  )
}
