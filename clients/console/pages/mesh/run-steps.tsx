import { useMemo } from 'react'
import { DataTable } from '../../parts/data-table.tsx'
import { GraphView } from '../../parts/graph-view.tsx'
import { StateMark, When } from '../../parts/words.tsx'
import { type Step, stepGraph } from './step-graph.ts'

export function RunSteps({ steps }: { steps: readonly Step[] }) {
  const graph = useMemo(() => stepGraph(steps), [steps])
  return (
    <>
      <GraphView title="Steps" {...graph} />
      <DataTable
        caption="Step states"
        rows={steps}
        keyOf={({ path }) => path}
        empty="It has no steps."
        columns={[
          { head: 'Step', cell: ({ path }) => <code>{path}</code> },
          {
            head: 'Does',
            cell: ({ kind, protocol, operation }) => (protocol ? `${protocol} ${operation}` : kind),
          },
          { head: 'State', cell: ({ state }) => <StateMark state={state} /> },
          { head: 'Attempt', is_number: true, cell: ({ attempt }) => attempt ?? '–' },
          { head: 'Ended', cell: ({ ended_at }) => (ended_at ? <When at={ended_at} /> : '–') },
          {
            head: 'Took',
            is_number: true,
            cell: ({ execution_time_ms }) =>
              execution_time_ms === undefined ? '–' : `${execution_time_ms} ms`,
          },
          { head: 'Why', cell: ({ error_code, skip_reason }) => error_code ?? skip_reason ?? '' },
        ]}
      />
    </>
  )
}
