// What is registered, how it is connected, and what is running.
import { Tabs } from '../../parts/tabs.tsx'
import type { PageProps } from '../../shell/address.ts'
import { Devices } from './devices.tsx'
import { Endpoints } from './endpoints.tsx'
import { Mailboxes } from './mailboxes.tsx'
import { MeshMap } from './mesh-map.tsx'
import { Registry } from './registry.tsx'
import { Workflows } from './workflows.tsx'

export function MeshPage({ place }: PageProps) {
  const [, chosen] = place.rest
  return (
    <Tabs
      place={place}
      tabs={[
        { word: 'map', name: 'Map', show: () => <MeshMap query={place.query} /> },
        { word: 'registry', name: 'Registry', show: () => <Registry query={place.query} /> },
        { word: 'endpoints', name: 'Endpoints and plugins', show: () => <Endpoints /> },
        { word: 'devices', name: 'Devices', show: () => <Devices /> },
        { word: 'workflows', name: 'Workflows', show: () => <Workflows run_ref={chosen} /> },
        { word: 'mailboxes', name: 'Mailboxes', show: () => <Mailboxes /> },
      ]}
    />
  )
}
