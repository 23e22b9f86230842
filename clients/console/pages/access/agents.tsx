import type { Catalogue } from '@svc/sdk'
import { useMemo } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { GraphView } from '../../parts/graph-view.tsx'
import { Pager } from '../../parts/pager.tsx'
import { usePages } from '../../parts/use-pages.ts'
import { Long, StateMark, When } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { Held } from './held.tsx'

type Agent = Catalogue['MACS']['list']['output']['items'][number]

export function Agents({ did }: { did: string | undefined }) {
  const why_not = useWhyNot('MACS', 'list')
  if (did) return <Held did={did} />
  return why_not ? <p className="note">{why_not}</p> : <AgentList />
}

function AgentList() {
  const pages = usePages<string>()
  const query = useQuery(`agents ${pages.cursor}`, (client, signal) =>
    client.macs.list({ limit: 25, ...(pages.cursor ? { cursor: pages.cursor } : {}) }, { signal }),
  )
  return (
    <AnswerOf query={query}>
      {({ items, next_cursor }) => (
        <>
          <DataTable
            caption="Identities of this organization"
            rows={items}
            keyOf={({ did }) => did}
            empty="No identity yet. Create one with MACS derive in the Playground."
            columns={[
              {
                head: 'Name',
                cell: ({ name, entity_kind }) => name ?? <span className="quiet">{entity_kind}</span>,
              },
              { head: 'DID', cell: ({ did }) => <Long text={did} /> },
              { head: 'Kind', cell: ({ entity_kind }) => entity_kind },
              { head: 'Parent', cell: ({ parent_did }) => <NameOf did={parent_did} among={items} /> },
              { head: 'Depth', is_number: true, cell: ({ lineage_depth }) => lineage_depth },
              { head: 'Level', cell: ({ conformance_level }) => conformance_level },
              { head: 'State', cell: ({ state }) => <StateMark state={state} /> },
              {
                head: 'Live keys',
                is_number: true,
                cell: ({ credentials }) => credentials?.keys_live ?? '–',
              },
              {
                head: 'Last used',
                cell: ({ credentials }) => (credentials ? <When at={credentials.last_used_at} /> : '–'),
              },
              { head: 'May', is_number: true, cell: (agent) => <WhatItMay {...agent} /> },
            ]}
          />
          <Pager pages={pages} next={next_cursor} />
          <Descent agents={items} />
        </>
      )}
    </AnswerOf>
  )
}

/** Its name, where it is on this page of the list. */
function NameOf({ did, among }: { did: string | undefined; among: readonly Agent[] }) {
  if (did === undefined) return '–'
  return among.find((agent) => agent.did === did)?.name ?? <Long text={did} />
}

function WhatItMay({ did, name, capabilities }: Agent) {
  return (
    <a href={hashOf('access', ['agents', did])} aria-label={`${capabilities} capabilities of ${name ?? did}`}>
      {capabilities}
    </a>
  )
}

/** The lineage of the identities on this page of the list. */
function Descent({ agents }: { agents: readonly Agent[] }) {
  const nodes = useMemo(
    () =>
      agents.map(({ did, name, entity_kind, state }) => ({
        id: did,
        label: name ?? did,
        kind: entity_kind,
        state,
      })),
    [agents],
  )
  const edges = useMemo(
    () =>
      agents.flatMap(({ did, parent_did }) =>
        parent_did ? [{ from: parent_did, to: did, kind: 'derived', label: 'derived' }] : [],
      ),
    [agents],
  )
  return <GraphView title="Lineage" nodes={nodes} edges={edges} />
}
