// The audit log: search, correlate, verify in the browser, export.
import { Tabs } from '../../parts/tabs.tsx'
import type { PageProps } from '../../shell/address.ts'
import { CheckpointsPart } from './checkpoints-part.tsx'
import { CorrelationPart } from './correlation-part.tsx'
import { ExportPart } from './export-part.tsx'
import { RecordsPart } from './records-part.tsx'
import { VerifyPart } from './verify-part.tsx'

export function AuditLogPage({ place }: PageProps) {
  return (
    <div className="audit-log">
      <Tabs
        place={place}
        tabs={[
          { word: 'records', name: 'Records', show: () => <RecordsPart place={place} /> },
          { word: 'correlation', name: 'Correlation', show: () => <CorrelationPart place={place} /> },
          { word: 'verify', name: 'Verify', show: () => <VerifyPart /> },
          {
            word: 'checkpoints',
            name: 'Checkpoints & witnesses',
            show: () => <CheckpointsPart place={place} />,
          },
          { word: 'export', name: 'Export', show: () => <ExportPart /> },
        ]}
      />
    </div>
  )
}
