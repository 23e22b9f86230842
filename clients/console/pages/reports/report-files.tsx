import { Button, Group } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { saveFile } from '../../list/csv.ts'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useAct } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'

/** An issued report as files to hand on. */
export function ReportFiles({ report_id }: { report_id: string }) {
  const why_not = useWhyNot('MAX', 'compliance_report_file')
  const save = useAct(async (client, format: 'pdf' | 'csv') => {
    const file = await client.max.compliance_report_file({ report_id, format })
    saveFile(file.file_name, Uint8Array.fromBase64(file.content), file.media_type)
  })
  return (
    <Group gap="xs" wrap="nowrap">
      {(['pdf', 'csv'] as const).map((format) => (
        <Button
          key={format}
          variant="default"
          size="compact-xs"
          leftSection={<IconDownload size={12} />}
          loading={save.is_waiting}
          disabled={why_not !== undefined}
          title={why_not ?? words.reports.save_as(format.toUpperCase())}
          onClick={() => void save.run(format)}
        >
          {format.toUpperCase()}
        </Button>
      ))}
      {save.problem && <ProblemNote problem={save.problem} />}
    </Group>
  )
}
