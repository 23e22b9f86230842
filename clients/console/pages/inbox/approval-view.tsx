// One approval: what was asked, what it may cost and do, who has decided, and the two buttons.
import { Input } from '@mantine/core'
import type { OutputOf } from '@svc/sdk'
import { useState } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Field } from '../../parts/field.tsx'
import { Money, When } from '../../parts/figure.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useAct, useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { Facts } from '../organizations/facts.tsx'
import { callText } from './call-text.ts'

type Approval = OutputOf<'MAXIM', 'approval_get'>

const note_length_max = 1_000

export function ApprovalView({ approval_id, side }: { approval_id: string; side: string }) {
  const query = useQuery(`approval ${approval_id}`, (client, signal) =>
    client.maxim.approval_get({ approval_id }, { signal }),
  )
  return (
    <>
      <p>
        <a href={hashOf('inbox', [side])}>All approvals</a>
      </p>
      <AnswerOf query={query}>
        {(approval) => (
          <>
            <About approval={approval} />
            {approval.may_decide && <Decide approval={approval} onDecided={query.again} />}
            <Decisions approval={approval} />
          </>
        )}
      </AnswerOf>
    </>
  )
}

function About({ approval }: { approval: Approval }) {
  const { effects, needs } = approval
  return (
    <section aria-label="What was asked">
      <h2>{callText(approval)}</h2>
      <Facts
        facts={[
          ['State', <StateBadge key="state" state={approval.state.toLowerCase()} />],
          ['Asked by', approval.caller_name ?? <Id text={approval.caller} />],
          ['Identity', <Id key="did" text={approval.caller} />],
          ['Of', approval.caller_tenant],
          ['In', approval.target_tenant],
          ['Costs at most', <Money key="cost" usd={approval.cost_usd_max} />],
          ['It would', String(effects.summary)],
          ['Effect', effects.acts_outside ? 'outside, cannot be rolled back' : String(effects.effect)],
          ['Dry run', String((effects.dry_run as { verdict?: string } | undefined)?.verdict)],
          ['Needs', needs.map(({ who, given, count }) => `${who} (${given} of ${count})`).join(' and ')],
          ['Demanded by', needs.map(({ by, ref }) => `${by} ${ref}`).join(', ')],
          ['Decide until', <When key="until" at={approval.decide_until} />],
          approval.use_until !== undefined && ['Use until', <When key="use" at={approval.use_until} />],
          [
            'Request',
            <a key="journey" href={hashOf('requests', [approval.correlation_id])}>
              its way through the stages
            </a>,
          ],
        ]}
      />
      {approval.input === undefined ? (
        <JsonView label="The input is not retained; its fields" value={approval.input_shape} />
      ) : (
        <JsonView label="Input" value={approval.input} />
      )}
    </section>
  )
}

function Decide({ approval, onDecided }: { approval: Approval; onDecided(): void }) {
  const { approval_id } = approval
  const [note, setNote] = useState('')
  const why_not = useWhyNot('MAXIM', 'approval_decide')
  const decide = useAct(async (client, decision: 'approve' | 'refuse') => {
    await client.maxim.approval_decide({ approval_id, decision, ...(note && { note }) })
    onDecided()
  })
  return (
    <section aria-label="Your decision">
      <Field label="Note" hint="Why, for whoever asked. Optional.">
        {(ids) => (
          <Input
            {...ids}
            maxLength={note_length_max}
            value={note}
            onChange={({ target }) => setNote(target.value)}
          />
        )}
      </Field>
      <div className="row">
        <ConfirmAction
          label="Approve"
          title="Approve this call?"
          is_waiting={decide.is_waiting}
          why_not={why_not}
          onConfirm={() => void decide.run('approve')}
        >
          <p>Exactly this call, with this input, may then be made once. This cannot be undone.</p>
        </ConfirmAction>
        <ConfirmAction
          label="Refuse"
          title="Refuse this call?"
          is_waiting={decide.is_waiting}
          why_not={why_not}
          onConfirm={() => void decide.run('refuse')}
        >
          <p>The call is refused until its time to be decided is over. This cannot be undone.</p>
        </ConfirmAction>
      </div>
      {decide.problem && <ProblemNote problem={decide.problem} />}
    </section>
  )
}

function Decisions({ approval }: { approval: Approval }) {
  return (
    <DataTable
      caption="Decisions"
      rows={approval.decisions}
      keyOf={({ did }) => did}
      empty="Nobody has decided yet."
      columns={[
        { head: 'Who', cell: ({ name, did }) => name ?? <Id text={did} /> },
        { head: 'Decision', cell: ({ decision }) => decision },
        { head: 'When', cell: ({ at }) => <When at={at} /> },
        { head: 'Note', cell: ({ note }) => note ?? '–' },
      ]}
    />
  )
}
