// Approvals: calls that wait for the signed-in person, and their own calls that wait for others.
import { Tabs } from '../../parts/tabs.tsx'
import type { PageProps } from '../../shell/address.ts'
import { ApprovalList } from './approval-list.tsx'
import { ApprovalView } from './approval-view.tsx'

export function ApprovalsPage({ place }: PageProps) {
  const [, chosen] = place.rest
  const part = (side: 'to_decide' | 'requested') =>
    chosen ? <ApprovalView approval_id={chosen} side={side} /> : <ApprovalList key={side} side={side} />
  return (
    <Tabs
      place={place}
      tabs={[
        { word: 'to_decide', name: 'To decide', show: () => part('to_decide') },
        { word: 'requested', name: 'Requested by you', show: () => part('requested') },
      ]}
    />
  )
}
