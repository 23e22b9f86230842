// Access: agents, API keys, workloads, delegations, and the engine's log and trace levels.
import { Tabs } from '../../parts/tabs.tsx'
import type { PageProps } from '../../shell/address.ts'
import { Agents } from './agents.tsx'
import { Delegations } from './delegations.tsx'
import { Keys } from './keys.tsx'
import { TraceLevel } from './trace-level.tsx'
import { Workloads } from './workloads.tsx'

export function AccessPage({ place }: PageProps) {
  const [, chosen] = place.rest
  return (
    <Tabs
      place={place}
      tabs={[
        { word: 'agents', name: 'Agents', show: () => <Agents did={chosen} /> },
        { word: 'keys', name: 'Keys', show: () => <Keys /> },
        { word: 'workloads', name: 'Workloads', show: () => <Workloads /> },
        { word: 'delegations', name: 'Delegations', show: () => <Delegations /> },
        { word: 'trace', name: 'Trace level', show: () => <TraceLevel /> },
      ]}
    />
  )
}
