// Calls as they happen and as they happened; one of them through the stages, and why it ended as it did.
import { Button, Tabs as MantineTabs } from '@mantine/core'
import type { AuditRecord } from '@svc/sdk'
import { useMemo } from 'react'
import type { ListDescription } from '../../list/describe.ts'
import { ListPage } from '../../list/list-page.tsx'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { plural } from '../../parts/figures.ts'
import { hashOf, type PageProps } from '../../shell/address.ts'
import { nowMs } from '../../shell/clock.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useSession } from '../../shell/use-session.tsx'
import { readCalls, recordColumns, recordFilters, recordViews } from '../audit-log/record-list.tsx'
import { storedIn } from '../audit-log/search.ts'
import { useNames } from '../audit-log/use-names.ts'
import { Explanation } from './explanation.tsx'
import { StageLadder } from './stage-ladder.tsx'
import { decisionOf, storyOf } from './stage-story.ts'
import { StoryGraph } from './story-graph.tsx'

export function RequestsPage({ place }: PageProps) {
  const [correlation_id] = place.rest
  if (correlation_id === undefined) return <RequestList />
  return (
    <>
      <p>
        <a href={hashOf('requests')}>All requests</a>
      </p>
      <OneRequest key={correlation_id} correlation_id={correlation_id} />
    </>
  )
}

function RequestList() {
  const { whoami } = useSession()
  const names = useNames()
  const list = useMemo((): ListDescription<AuditRecord> => {
    const columns = recordColumns(names)
    const filters = recordFilters(whoami.operations)
    return {
      name: 'Requests',
      columns: ['when', 'outcome', 'call', 'reason', 'caller', 'took', 'cost', 'request'].map(
        (key) => columns[key]!,
      ),
      filters: ['outcome', 'protocol', 'operation', 'caller', 'from', 'to', 'request'].map(
        (key) => filters[key]!,
      ),
      views: recordViews(nowMs()),
      stored: storedIn('requests'),
      keyOf: ({ id }) => id,
      read: (...page) => readCalls(whoami, ...page),
      panel: (id, record) => ({
        title: 'Request',
        body: record && <OneRequest key={id} correlation_id={record.correlation_id} />,
      }),
      empty: (
        <>
          No calls match. <a href={hashOf('playground')}>Make one in the Playground</a>, or remove a filter.
        </>
      ),
      refresh_ms: 15_000,
    }
  }, [names, whoami])
  return (
    <>
      <ListPage list={list} />
      <p className="quiet">
        What you read yourself, and so what this console reads for you, is left out; choose{' '}
        <a href={hashOf('requests', [], { caller_did: whoami.agent_did })}>yourself as caller</a> to see it.
      </p>
    </>
  )
}

function OneRequest({ correlation_id }: { correlation_id: string }) {
  const query = useQuery(`records of ${correlation_id}`, (client, signal) =>
    client.max.audit_query({ correlation_id, limit: 1000 }, { signal }),
  )
  return (
    <AnswerOf query={query}>
      {({ records }) => {
        const decision = decisionOf(records)
        if (!decision)
          return (
            <div className="note">
              Your audit log has no record of this request. It may belong to another organization, or not be
              written yet.{' '}
              <Button variant="default" size="xs" onClick={query.again}>
                Refresh
              </Button>
            </div>
          )
        return (
          <>
            <StageLadder record={decision} story={storyOf(decision)} />
            <MantineTabs defaultValue="why" keepMounted={false}>
              <MantineTabs.List>
                <MantineTabs.Tab value="why">Why</MantineTabs.Tab>
                <MantineTabs.Tab value="graph">Everything involved</MantineTabs.Tab>
              </MantineTabs.List>
              <MantineTabs.Panel value="why">
                <Explanation correlation_id={correlation_id} />
              </MantineTabs.Panel>
              <MantineTabs.Panel value="graph">
                <StoryGraph correlation_id={correlation_id} />
              </MantineTabs.Panel>
            </MantineTabs>
            <p className="row middle">
              <a href={hashOf('audit-log', ['records'], { correlation_id })}>
                {plural(records.length, 'record')} in the audit log
              </a>
              <a href={hashOf('audit-log', ['correlation', correlation_id])}>In every organization’s log</a>
              {decision.protocol && decision.operation && (
                <a href={hashOf('playground', [decision.protocol, decision.operation])}>
                  Try {decision.protocol} {decision.operation} in the Playground
                </a>
              )}
            </p>
          </>
        )
      }}
    </AnswerOf>
  )
}
