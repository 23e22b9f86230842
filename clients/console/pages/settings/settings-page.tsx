// Settings: where events are posted, how the engine keeps its log and signs people in, and what it logs.
import { Tabs } from '../../parts/tabs.tsx'
import type { PageProps } from '../../shell/address.ts'
import { useSession } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { EngineSettings } from './engine-settings.tsx'
import { TraceLevel } from './trace-level.tsx'
import { Webhooks } from './webhooks.tsx'

const text = words.settings

const of_engine = [
  { word: 'audit-log', name: text.audit_log, show: () => <EngineSettings part="audit_log" /> },
  { word: 'sign-in', name: text.sign_on, show: () => <EngineSettings part="sign_on" /> },
  { word: 'mail', name: text.mail, show: () => <EngineSettings part="mail" /> },
]

export function SettingsPage({ place }: PageProps) {
  const { runs_engine } = useSession()
  return (
    <Tabs
      place={place}
      tabs={[
        { word: 'webhooks', name: text.webhooks, show: () => <Webhooks /> },
        ...of_engine.map((tab) => ({ ...tab, is_hidden: !runs_engine })),
        { word: 'trace', name: text.tracing, show: () => <TraceLevel /> },
      ]}
    />
  )
}
