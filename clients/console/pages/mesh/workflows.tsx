import { Button } from '@mantine/core'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { When } from '../../parts/figure.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { Pager } from '../../parts/pager.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { usePages } from '../../parts/use-pages.ts'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useAct, useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { RunSteps } from './run-steps.tsx'
import { progressOf, type Run } from './step-graph.ts'

export function Workflows({ run_ref }: { run_ref: string | undefined }) {
  const why_not = useWhyNot('MOON', 'list')
  if (why_not) return <NoRight protocol="MOON" operation="list" />
  return run_ref ? (
    <OneRun run_ref={run_ref} />
  ) : (
    <>
      <RunList />
      <ManifestList />
    </>
  )
}

const page_rows = 25

function RunList() {
  const pages = usePages<string>()
  const query = useQuery(`runs ${pages.cursor}`, (client, signal) =>
    client.moon.list(
      { kind: 'runs', limit: page_rows, ...(pages.cursor ? { cursor: pages.cursor } : {}) },
      { signal },
    ),
  )
  return (
    <AnswerOf query={query}>
      {({ runs = [], next_cursor }) => (
        <>
          <DataTable
            caption="Runs"
            rows={runs}
            keyOf={({ run_ref }) => run_ref}
            empty={
              <Empty words={words.empty.workflows} href={hashOf('playground', ['MOON', 'submit_manifest'])} />
            }
            columns={[
              { head: 'Workflow', cell: ({ name, version }) => `${name} ${version}` },
              {
                head: 'State',
                cell: ({ state, waiting_on }) => (
                  <StateBadge state={waiting_on ? `${state} for ${waiting_on}` : state} />
                ),
              },
              { head: 'Progress', cell: (run) => <Progress run={run} /> },
              { head: 'Begun', cell: ({ created_at }) => <When at={created_at} /> },
              { head: 'Ended', cell: ({ ended_at }) => <When at={ended_at} never={words.none} /> },
              {
                head: 'Steps',
                cell: ({ run_ref, name }) => (
                  <a href={hashOf('mesh', ['workflows', run_ref])} aria-label={`Steps of ${name} ${run_ref}`}>
                    steps
                  </a>
                ),
              },
            ]}
          />
          <Pager pages={pages} next={next_cursor} />
        </>
      )}
    </AnswerOf>
  )
}

function Progress({ run }: { run: Run }) {
  const { ended, total } = progressOf(run)
  if (total === undefined) return <>{ended} ended</>
  return (
    <>
      <progress max={total} value={ended} aria-label={`${ended} of ${total} steps`} /> {ended} of {total}
    </>
  )
}

function OneRun({ run_ref }: { run_ref: string }) {
  const why_not = useWhyNot('MOON', 'execute_workflow')
  const query = useQuery(`run ${run_ref}`, async (client, signal) => {
    const { runs = [] } = await client.moon.list({ kind: 'runs', run_ref, include_detail: true }, { signal })
    return runs[0] ?? null
  })
  const cancel = useAct(async (client) => {
    await client.moon.execute_workflow({ action: 'cancel', run_ref, reason: 'cancelled in the console' })
    query.again()
  })
  return (
    <AnswerOf query={query}>
      {(run) =>
        run ? (
          <>
            <h2>
              {run.name} {run.version} <StateBadge state={run.state} />
            </h2>
            <p>
              <Progress run={run} /> · begun <When at={run.created_at} /> ·{' '}
              <a href={hashOf('requests', [run.correlation_id])}>its journey</a> ·{' '}
              <a href={hashOf('mesh', ['workflows'])}>all runs</a>{' '}
              <Button variant="default" onClick={query.again}>
                Refresh
              </Button>
            </p>
            {cancel.problem && <ProblemNote problem={cancel.problem} />}
            {!run.ended_at && (
              <ConfirmAction
                label="Cancel the run"
                title="Cancel this run?"
                is_waiting={cancel.is_waiting}
                why_not={why_not}
                onConfirm={() => void cancel.run(undefined)}
              >
                <p>
                  No further step of {run.name} starts. Completed steps are not undone. The run can be resumed
                  from its last step.
                </p>
              </ConfirmAction>
            )}
            {run.detail && <RunSteps steps={run.detail.steps} answers={run.detail.answers} />}
          </>
        ) : (
          <p className="note">This run does not exist, or you may not see it.</p>
        )
      }
    </AnswerOf>
  )
}

function ManifestList() {
  const pages = usePages<string>()
  const query = useQuery(`manifests ${pages.cursor}`, (client, signal) =>
    client.moon.list(
      { kind: 'manifests', limit: page_rows, ...(pages.cursor ? { cursor: pages.cursor } : {}) },
      { signal },
    ),
  )
  return (
    <AnswerOf query={query}>
      {({ manifests = [], next_cursor }) => (
        <>
          <DataTable
            caption="Registered workflows"
            rows={manifests}
            keyOf={({ manifest_ref }) => manifest_ref}
            empty="None."
            columns={[
              { head: 'Workflow', cell: ({ name, version }) => `${name} ${version}` },
              { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
              {
                head: 'Schedule',
                cell: ({ schedule }) => (schedule ? `${schedule.cron} ${schedule.tz}` : '–'),
              },
              { head: 'Open runs', is_number: true, cell: ({ open_runs }) => open_runs },
              { head: 'Submitted', cell: ({ submitted_at }) => <When at={submitted_at} /> },
              { head: 'Manifest', cell: ({ manifest_ref }) => <Id text={manifest_ref} /> },
            ]}
          />
          <Pager pages={pages} next={next_cursor} />
        </>
      )}
    </AnswerOf>
  )
}
