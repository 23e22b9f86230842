// Access: people with roles, agents with their lineage, API keys, workloads and delegations.
import { NoRight } from '../../parts/no-right.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import type { PageProps } from '../../shell/address.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { Agents } from './agents.tsx'
import { Delegations } from './delegations.tsx'
import { Keys } from './keys.tsx'
import { PeopleList } from './people/people-list.tsx'
import { Roles } from './people/roles.tsx'
import { Workloads } from './workloads.tsx'

export function AccessPage({ place }: PageProps) {
  const [, chosen] = place.rest
  const why_no_people = useWhyNot('MACS', 'people')
  const why_no_roles = useWhyNot('MACS', 'roles')
  return (
    <Tabs
      place={place}
      tabs={[
        { word: 'agents', name: 'Agents', show: () => <Agents did={chosen} /> },
        {
          word: 'people',
          name: 'People',
          show: () => (why_no_people ? <NoRight protocol="MACS" operation="people" /> : <PeopleList />),
        },
        {
          word: 'roles',
          name: 'Roles',
          show: () => (why_no_roles ? <NoRight protocol="MACS" operation="roles" /> : <Roles />),
        },
        { word: 'keys', name: 'Keys', show: () => <Keys /> },
        { word: 'workloads', name: 'Workloads', show: () => <Workloads /> },
        { word: 'delegations', name: 'Delegations', show: () => <Delegations /> },
      ]}
    />
  )
}
