import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Field } from '../../parts/field.tsx'
import { Money, When } from '../../parts/figure.tsx'
import { Pager } from '../../parts/pager.tsx'
import { stateText } from '../../parts/shorten.ts'
import { usePages } from '../../parts/use-pages.ts'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { callText } from './call-text.ts'

const page_items = 25
const states = ['PENDING', 'APPROVED', 'USED', 'REFUSED', 'EXPIRED'] as const
type State = (typeof states)[number]

export function ApprovalList({ side }: { side: 'to_decide' | 'requested' }) {
  const [state, setState] = useState<State | ''>('PENDING')
  return (
    <>
      <Field label="State">
        {(ids) => (
          <NativeSelect
            {...ids}
            value={state}
            onChange={({ target }) => setState(states.find((each) => each === target.value) ?? '')}
          >
            <option value="">Any</option>
            {states.map((each) => (
              <option key={each} value={each}>
                {stateText(each)}
              </option>
            ))}
          </NativeSelect>
        )}
      </Field>
      <Listed key={state} side={side} state={state} />
    </>
  )
}

function Listed({ side, state }: { side: 'to_decide' | 'requested'; state: State | '' }) {
  const pages = usePages<string>()
  const { cursor } = pages
  const query = useQuery(`approvals ${side} ${state} ${cursor}`, (client, signal) =>
    client.maxim.approvals(
      { side, limit: page_items, ...(state && { state }), ...(cursor && { cursor }) },
      { signal },
    ),
  )
  return (
    <AnswerOf query={query}>
      {({ items, next_cursor }) => (
        <>
          <DataTable
            caption={
              side === 'to_decide' ? 'Calls that ask for your approval' : 'Your calls that need approval'
            }
            rows={items}
            keyOf={({ approval_id }) => approval_id}
            empty={side === 'to_decide' ? 'Nothing waits for you.' : 'None of your calls waits for others.'}
            columns={[
              {
                head: 'Call',
                cell: (item) => <a href={hashOf('inbox', [side, item.approval_id])}>{callText(item)}</a>,
              },
              { head: 'By', cell: ({ caller_name, caller }) => caller_name ?? <Id text={caller} /> },
              { head: 'State', cell: ({ state }) => <StateBadge state={state.toLowerCase()} /> },
              { head: 'Needs', cell: ({ needs }) => needs.map(({ who }) => who).join(' and ') },
              {
                head: 'Costs at most',
                cell: ({ cost_usd_max }) => <Money usd={cost_usd_max} />,
                is_number: true,
              },
              { head: 'Requested', cell: ({ requested_at }) => <When at={requested_at} /> },
              { head: 'Decide until', cell: ({ decide_until }) => <When at={decide_until} /> },
            ]}
          />
          <Pager pages={pages} next={next_cursor} />
        </>
      )}
    </AnswerOf>
  )
}
