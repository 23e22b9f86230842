// Treaties, councils, cases, policies and dissolution of the organization.
import { Tabs } from '../../parts/tabs.tsx'
import type { PageProps } from '../../shell/address.ts'
import { Cases } from './cases/cases.tsx'
import { Councils } from './councils/councils.tsx'
import { Dissolutions } from './dissolution/dissolutions.tsx'
import { Policies } from './policies/policies.tsx'
import { Treaties } from './treaties/treaties.tsx'

export function OrganizationsPage({ place }: PageProps) {
  return (
    <Tabs
      place={place}
      tabs={[
        { word: 'treaties', name: 'Treaties', show: () => <Treaties place={place} /> },
        { word: 'councils', name: 'Councils', show: () => <Councils place={place} /> },
        { word: 'cases', name: 'Cases', show: () => <Cases place={place} /> },
        { word: 'policies', name: 'Policies', show: () => <Policies place={place} /> },
        { word: 'dissolution', name: 'Dissolution', show: () => <Dissolutions place={place} /> },
      ]}
    />
  )
}
