// Calls and matters that wait for the signed-in person, their own calls that wait for others, requests for access.
import { NoRight } from '../../parts/no-right.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import type { PageProps } from '../../shell/address.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { useWaiting } from '../../shell/use-waiting.ts'
import { words } from '../../words/en.ts'
import { AccessList } from './access-list.tsx'
import { ApprovalList } from './approval-list.tsx'
import { ApprovalView } from './approval-view.tsx'
import { MatterList } from './matter-list.tsx'

export function InboxPage({ place }: PageProps) {
  const [, chosen] = place.rest
  const { calls, requests } = useWaiting()
  const may_approve = useWhyNot('MAXIM', 'approvals') === undefined
  const may_list = useWhyNot('MACS', 'access_requests') === undefined
  const part = (side: 'to_decide' | 'requested') =>
    !may_approve ? (
      <NoRight protocol="MAXIM" operation="approvals" />
    ) : chosen ? (
      <ApprovalView approval_id={chosen} side={side} />
    ) : (
      <ApprovalList key={side} side={side} />
    )
  return (
    <Tabs
      place={place}
      tabs={[
        {
          word: 'to_decide',
          name: 'To decide',
          waiting: calls,
          show: () => (
            <>
              {part('to_decide')}
              {chosen === undefined && <MatterList />}
            </>
          ),
        },
        { word: 'requested', name: 'Requested by you', show: () => part('requested') },
        {
          word: 'access',
          name: words.inbox.access_requests,
          waiting: requests,
          show: () => (may_list ? <AccessList /> : <NoRight protocol="MACS" operation="access_requests" />),
        },
      ]}
    />
  )
}
