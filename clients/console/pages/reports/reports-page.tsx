// Reports: signed compliance reports to hand on, and saved views with their schedule.
import { Tabs } from '../../parts/tabs.tsx'
import type { PageProps } from '../../shell/address.ts'
import { words } from '../../words/en.ts'
import { Compliance } from './compliance.tsx'
import { ViewList } from './view-list.tsx'

export function ReportsPage({ place }: PageProps) {
  return (
    <Tabs
      place={place}
      tabs={[
        {
          word: 'compliance',
          name: words.reports.compliance,
          show: () => <Compliance report_id={place.rest[1]} />,
        },
        { word: 'views', name: words.reports.views, show: () => <ViewList /> },
      ]}
    />
  )
}
