import { NativeSelect } from '@mantine/core'
import type { InputOf } from '@svc/sdk'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { everyOf } from '../../parts/every-of.ts'
import { Field } from '../../parts/field.tsx'
import { When } from '../../parts/figure.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { Pager } from '../../parts/pager.tsx'
import { identityText } from '../../parts/shorten.ts'
import { usePages } from '../../parts/use-pages.ts'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf, type Place } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'

const kinds = everyOf<NonNullable<InputOf<'MARS', 'query_registry'>['kind']>>({
  agent: true,
  treaty: true,
  policy: true,
  asset: true,
  plugin: true,
  report: true,
  verdict: true,
  chain_seal: true,
  schema: true,
  model: true,
  artifact: true,
})
const page_rows = 25

export function Registry({ query }: { query: Place['query'] }) {
  const why_not = useWhyNot('MARS', 'query_registry')
  const kind = kinds.find((each) => each === query.kind) ?? 'agent'
  if (why_not) return <NoRight protocol="MARS" operation="query_registry" />
  return (
    <>
      <Field label="Kind of entry">
        {(ids) => (
          <NativeSelect
            {...ids}
            value={kind}
            onChange={({ target }) => {
              location.hash = hashOf('mesh', ['registry'], { kind: target.value })
            }}
          >
            {kinds.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </NativeSelect>
        )}
      </Field>
      <Entries key={kind} kind={kind} />
    </>
  )
}

function Entries({ kind }: { kind: (typeof kinds)[number] }) {
  const pages = usePages<string>()
  const query = useQuery(`registry ${kind} ${pages.cursor}`, (client, signal) =>
    client.mars.query_registry(
      { kind, limit: page_rows, ...(pages.cursor ? { cursor: pages.cursor } : {}) },
      { signal },
    ),
  )
  return (
    <AnswerOf query={query}>
      {({ entries, next_cursor }) => (
        <>
          <DataTable
            caption={`Registered: ${kind.replace('_', ' ')}`}
            rows={entries}
            keyOf={({ hash }) => hash}
            empty="Nothing of this kind is registered."
            columns={[
              {
                head: 'Subject',
                cell: ({ subject, body }) => <Id text={subject} name={nameOf(subject, body)} />,
              },
              { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
              { head: 'Version', is_number: true, cell: ({ version }) => version },
              { head: 'Organization', cell: ({ tenant_id }) => tenant_id },
              { head: 'Registered', cell: ({ registered_at }) => <When at={registered_at} /> },
              { head: 'Signed', cell: ({ signature }) => signature.method },
              {
                head: 'Entry',
                cell: ({ body, hash }) => (
                  <details>
                    <summary>
                      <code>{hash.slice(0, 15)}…</code>
                    </summary>
                    <JsonView label="What is registered" value={body} />
                  </details>
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

function nameOf(subject: string, { name }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof name === 'string' && name !== '') return name
  return subject.startsWith('did:') ? identityText(subject) : undefined
}
