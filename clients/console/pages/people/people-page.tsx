// People: who signs in with which roles, open invitations, and what each role allows.
import { Tabs } from '../../parts/tabs.tsx'
import type { PageProps } from '../../shell/address.ts'
import { PeopleList } from './people-list.tsx'
import { Roles } from './roles.tsx'

export function PeoplePage({ place }: PageProps) {
  return (
    <Tabs
      place={place}
      tabs={[
        { word: 'people', name: 'People', show: () => <PeopleList /> },
        { word: 'roles', name: 'Roles', show: () => <Roles /> },
      ]}
    />
  )
}
