// Settings: where events are posted, and what the engine logs.
import { Tabs } from '../../parts/tabs.tsx'
import type { PageProps } from '../../shell/address.ts'
import { TraceLevel } from './trace-level.tsx'
import { Webhooks } from './webhooks.tsx'

export function SettingsPage({ place }: PageProps) {
  return (
    <Tabs
      place={place}
      tabs={[
        { word: 'webhooks', name: 'Webhooks', show: () => <Webhooks /> },
        { word: 'trace', name: 'Logging and tracing', show: () => <TraceLevel /> },
      ]}
    />
  )
}
