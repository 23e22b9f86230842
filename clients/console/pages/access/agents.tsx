import type { Catalogue, InputOf } from '@svc/sdk'
import { useMemo } from 'react'
import type { ListColumn, ListDescription } from '../../list/describe.ts'
import { ListPage } from '../../list/list-page.tsx'
import { Empty } from '../../parts/empty.tsx'
import { everyOf } from '../../parts/every-of.ts'
import { Count, When } from '../../parts/figure.tsx'
import { GraphView } from '../../parts/graph-view.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { stateText } from '../../parts/shorten.ts'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useOperation } from '../../shell/use-operation.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { useNames } from '../audit-log/use-names.ts'
import { Held } from './held.tsx'

type Agent = Catalogue['MACS']['list']['output']['items'][number]

export function Agents({ did }: { did: string | undefined }) {
  const why_not = useWhyNot('MACS', 'list')
  if (did) return <Held did={did} />
  return why_not ? <NoRight protocol="MACS" operation="list" /> : <AgentList />
}

const page_items = 50

function AgentList() {
  const names = useNames()
  const list = useMemo(() => listOf(names), [names])
  return (
    <>
      <ListPage list={list} />
      <Descent />
    </>
  )
}

const kinds = everyOf<NonNullable<InputOf<'MACS', 'list'>['entity_kind']>>({
  HumanRoot: true,
  MultiHumanRoot: true,
  EntityNameRecord: true,
  Agent: true,
  AgentInstance: true,
  Tool: true,
  Skill: true,
  Workflow: true,
  Model: true,
  Dataset: true,
  Service: true,
})

function columnsOf(names: ReadonlyMap<string, string>): ListColumn<Agent>[] {
  return [
    {
      key: 'name',
      head: 'Name',
      cell: ({ did, name, entity_kind }) => (
        <a href={hashOf('access', ['agents', did])} title={did}>
          {name ?? stateText(entity_kind)}
        </a>
      ),
      text: ({ name }) => name ?? '',
    },
    {
      key: 'did',
      head: 'DID',
      is_extra: true,
      cell: ({ did }) => <Id text={did} />,
      text: ({ did }) => did,
    },
    {
      key: 'kind',
      head: 'Kind',
      cell: ({ entity_kind }) => stateText(entity_kind),
      text: ({ entity_kind }) => entity_kind,
    },
    {
      key: 'parent',
      head: 'Parent',
      cell: ({ parent_did }) =>
        parent_did === undefined ? words.none : <Id text={parent_did} name={names.get(parent_did)} />,
      text: ({ parent_did }) => parent_did ?? '',
    },
    {
      key: 'depth',
      head: 'Depth',
      is_number: true,
      is_extra: true,
      cell: ({ lineage_depth }) => lineage_depth,
      text: ({ lineage_depth }) => lineage_depth,
    },
    {
      key: 'level',
      head: 'Level',
      cell: ({ conformance_level }) => conformance_level,
      text: ({ conformance_level }) => conformance_level,
    },
    ...state_columns,
  ]
}

const state_columns: readonly ListColumn<Agent>[] = [
  {
    key: 'state',
    head: 'State',
    cell: ({ state }) => <StateBadge state={state} />,
    text: ({ state }) => state,
  },
  {
    key: 'keys',
    head: 'Live keys',
    is_number: true,
    cell: ({ credentials }) => (credentials ? <Count of={credentials.keys_live} /> : <NotVisible />),
    text: ({ credentials }) => credentials?.keys_live ?? '',
  },
  {
    key: 'used',
    head: 'Last used',
    cell: ({ credentials }) => (credentials ? <When at={credentials.last_used_at} /> : <NotVisible />),
    text: ({ credentials }) => credentials?.last_used_at ?? '',
  },
  {
    key: 'may',
    head: 'Capabilities',
    is_number: true,
    cell: (agent) => <WhatItMay {...agent} />,
    text: ({ capabilities }) => capabilities,
  },
]

function listOf(names: ReadonlyMap<string, string>): ListDescription<Agent> {
  return {
    name: 'Identities of this organization',
    columns: columnsOf(names),
    filters: [
      { field: 'entity_kind', label: 'Kind', kind: 'choice', choices: kinds.map((kind) => [kind, kind]) },
      { field: 'did', label: 'Identity', kind: 'agent' },
    ],
    views: [{ name: 'Agents', query: { entity_kind: 'Agent' } }],
    keyOf: ({ did }) => did,
    async read(query, cursor, client, signal) {
      const { entity_kind, did } = query as Pick<InputOf<'MACS', 'list'>, 'entity_kind' | 'did'>
      const input = { ...(entity_kind && { entity_kind }), ...(did && { did }) }
      const { items, next_cursor } = await client.macs.list(
        { limit: page_items, ...input, ...(cursor && { cursor }) },
        { signal },
      )
      return { rows: items, next: next_cursor }
    },
    empty: <Empty words={words.empty.identities} href={hashOf('playground', ['MACS', 'derive'])} />,
  }
}

/** Nothing is known of it here, which is not the same as nothing. */
function NotVisible() {
  return (
    <span className="quiet" title="Only the identity itself and charter members see its keys.">
      {words.not_visible}
    </span>
  )
}

function WhatItMay({ did, name, capabilities }: Agent) {
  return (
    <a href={hashOf('access', ['agents', did])} aria-label={`${capabilities} capabilities of ${name ?? did}`}>
      {capabilities}
    </a>
  )
}

/** The lineage of all identities, where they are few enough for a drawing to say something. */
function Descent() {
  const { answer } = useOperation('MACS', 'list', { limit: 100 })
  const { nodes, edges } = useMemo(() => lineageOf(answer?.items ?? []), [answer])
  if (nodes.length === 0) return null
  if (answer?.next_cursor)
    return (
      <p className="quiet">The lineage of more than 100 identities is not drawn; open one to see its own.</p>
    )
  return <GraphView title="Lineage" nodes={nodes} edges={edges} />
}

function lineageOf(agents: readonly Agent[]) {
  return {
    nodes: agents.map(({ did, name, entity_kind, state }) => ({
      id: did,
      label: name ?? did,
      kind: stateText(entity_kind),
      state,
    })),
    edges: agents.flatMap(({ did, parent_did }) =>
      parent_did ? [{ from: parent_did, to: did, kind: 'derived', label: 'derived' }] : [],
    ),
  }
}
