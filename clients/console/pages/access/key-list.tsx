// API keys and sessions of one agent, for itself and its ancestors.
import type { Catalogue } from '@svc/sdk'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { When } from '../../parts/figure.tsx'
import { moneyText } from '../../parts/figures.ts'
import { Pager } from '../../parts/pager.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { usePages } from '../../parts/use-pages.ts'
import { StateBadge } from '../../parts/words.tsx'
import { type Action, isRefusal, useAct, useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'

type KeyLine = Catalogue['MACS']['list_keys']['output']['items'][number]

export function KeyList({ did }: { did: string }) {
  const pages = usePages<string>()
  const why_no_revoking = useWhyNot('MACS', 'revoke_key')
  const query = useQuery(`keys of ${did} ${pages.cursor}`, (client, signal) =>
    client.macs.list_keys(
      { agent_did: did, limit: 25, ...(pages.cursor ? { cursor: pages.cursor } : {}) },
      { signal },
    ),
  )
  const revoke = useAct(async (client, key_id: string) => {
    await client.macs.revoke_key({ key_id })
    query.again()
  })
  const { problem } = query
  if (problem && isRefusal(problem) && problem.reason === 'not_found')
    return <p className="note">Only the agent itself and those it descends from see its keys.</p>
  return (
    <>
      {revoke.problem && <ProblemNote problem={revoke.problem} />}
      <AnswerOf query={query}>
        {({ items, next_cursor }) => (
          <>
            <DataTable
              caption="Keys and sessions"
              rows={items}
              keyOf={({ key_id }) => key_id}
              empty="None yet. A key lets a program call as this agent."
              columns={[
                { head: 'Key', cell: ({ key_id }) => <code>{key_id}</code> },
                { head: 'Kind', cell: ({ kind }) => kind },
                { head: 'Label', cell: ({ kind, label }) => (kind === 'key' && label) || '–' },
                { head: 'May call', cell: callsOf },
                { head: 'State', cell: ({ state }) => <StateBadge state={wordOf(state)} /> },
                { head: 'Made', cell: ({ created_at }) => <When at={created_at} /> },
                { head: 'Last used', cell: ({ last_used_at }) => <When at={last_used_at} /> },
                {
                  head: 'Ends',
                  cell: ({ expires_at }) => (expires_at ? <When at={expires_at} /> : 'no end'),
                },
                { head: 'Spent this week', cell: spendingOf },
                {
                  head: 'Revoke',
                  cell: (key) =>
                    key.state === 'live' && !why_no_revoking && <RevokeButton line={key} revoke={revoke} />,
                },
              ]}
            />
            <Pager pages={pages} next={next_cursor} />
          </>
        )}
      </AnswerOf>
    </>
  )
}

function spendingOf({ weekly_budget_usd: budget, spent_this_week_usd: spent }: KeyLine) {
  return budget === undefined ? 'no budget of its own' : `${moneyText(spent ?? 0)} of ${moneyText(budget)}`
}

function callsOf({ capabilities, networks }: KeyLine) {
  const [first = 'nothing', ...others] = capabilities ?? ['all that its agent may']
  const more = others.length > 0 ? ` and ${others.length} more` : ''
  return (
    <span title={capabilities?.join('\n')}>
      {first}
      {more}
      {networks.length > 0 && `, from ${networks.join(', ')}`}
    </span>
  )
}

function wordOf(state: KeyLine['state']): string {
  return state === 'live' ? 'active' : state
}

function RevokeButton({ line: { key_id, kind }, revoke }: { line: KeyLine; revoke: Action<string> }) {
  return (
    <ConfirmAction
      label={`Revoke ${key_id}`}
      brief="Revoke"
      title={`Revoke this ${kind}?`}
      is_waiting={revoke.is_waiting}
      onConfirm={() => void revoke.run(key_id)}
    >
      <p>
        Calls with <code>{key_id}</code> are refused from now on, by every engine within a second, and
        workflows begun with it end. This cannot be undone.
      </p>
    </ConfirmAction>
  )
}
