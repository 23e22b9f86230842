import { Drawer } from '@mantine/core'
import { useMemo, useState } from 'react'
import { DataTable } from '../../parts/data-table.tsx'
import { Duration, Fact, When } from '../../parts/figure.tsx'
import { GraphView } from '../../parts/graph-view.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { Id, StateBadge } from '../../parts/words.tsx'
import { words } from '../../words/en.ts'
import { type Answers, answerOf, type Step, stepGraph } from './step-graph.ts'

interface Props {
  readonly steps: readonly Step[]
  /** Absent for whoever may not see them. */
  readonly answers: Answers | undefined
}

/** The graph of a run; a step opens with what it was, how it went, and what it answered. */
export function RunSteps({ steps, answers }: Props) {
  const graph = useMemo(() => stepGraph(steps), [steps])
  const [opened, setOpened] = useState<string>()
  const step = steps.find(({ path }) => path === opened)
  return (
    <>
      <GraphView title="Steps" {...graph} onOpen={setOpened} />
      <DataTable
        caption="Step states"
        rows={steps}
        keyOf={({ path }) => path}
        empty="It has no steps."
        columns={[
          {
            head: 'Step',
            cell: ({ path }) => (
              <button type="button" className="link" onClick={() => setOpened(path)}>
                <code>{path}</code>
              </button>
            ),
          },
          { head: 'Does', cell: (each) => callOf(each) },
          { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
          { head: 'Attempt', is_number: true, cell: ({ attempt }) => attempt ?? words.none },
          { head: 'Ended', cell: ({ ended_at }) => <When at={ended_at} never={words.none} /> },
          { head: 'Took', is_number: true, cell: ({ execution_time_ms: ms }) => <Duration ms={ms} /> },
          { head: 'Why', cell: ({ error_code, skip_reason }) => error_code ?? skip_reason ?? '' },
        ]}
      />
      <Drawer
        opened={step !== undefined}
        onClose={() => setOpened(undefined)}
        position="right"
        size="lg"
        title={step && `Step ${step.path}`}
        closeButtonProps={{ 'aria-label': words.close }}
      >
        {step && <OneStep step={step} answers={answers} />}
      </Drawer>
    </>
  )
}

const callOf = ({ kind, protocol, operation }: Step) => (protocol ? `${protocol} ${operation}` : kind)

function OneStep({ step, answers }: { step: Step; answers: Answers | undefined }) {
  const { state, depends_on, within, attempt, error_code, skip_reason, record_id } = step
  return (
    <>
      <p>
        <StateBadge state={state} /> {callOf(step)}
      </p>
      <dl className="facts">
        <Fact name="After" value={depends_on.join(', ')} />
        <Fact name="Within" value={within} />
        <Fact name="Attempt" value={attempt} />
        <Fact name="Started" value={step.started_at && <When at={step.started_at} />} />
        <Fact name="Ended" value={step.ended_at && <When at={step.ended_at} />} />
        <Fact
          name="Took"
          value={step.execution_time_ms !== undefined && <Duration ms={step.execution_time_ms} />}
        />
        <Fact name="Looked at again" value={step.due_at && <When at={step.due_at} />} />
        <Fact name="Failed with" value={error_code} />
        <Fact name="Skipped because" value={skip_reason} />
        <Fact name="Its record" value={record_id && <Id text={record_id} />} />
      </dl>
      <StepData step={step} answers={answers} />
    </>
  )
}

function StepData({ step: { path, state }, answers }: { step: Step; answers: Answers | undefined }) {
  if (!answers)
    return (
      <p className="note">
        What steps answered is shown to the identity as which they call, and to charter members.
      </p>
    )
  const answer = answerOf(answers, path)
  if (answer) return <JsonView label="What it answered" value={answer.data} />
  return (
    <p className="quiet">
      {state === 'succeeded'
        ? 'It answered nothing, or more than is shown here.'
        : 'It has not answered anything.'}
    </p>
  )
}
