// Signed checkpoints and their witnesses, with every signature checked here, and consistency proofs between them.
import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { When } from '../../parts/figure.tsx'
import { TextView } from '../../parts/json-view.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { Pager } from '../../parts/pager.tsx'
import { usePages } from '../../parts/use-pages.ts'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf, type Place } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import type { HeaderKey } from './check-audit-log.ts'
import { ConsistencyPart } from './consistency-part.tsx'
import { KeyList } from './key-list.tsx'
import { nextOf } from './search.ts'
import { type ReadCheckpoint, readCheckpoint, type Signer } from './signers.ts'
import { useTrust } from './use-trust.ts'

/** Checkpoints are addressed by their last record, so a page is a range of records. */
const stretch_records = 200

export function CheckpointsPart({ place }: { place: Place }) {
  const why_not = useWhyNot('MAX', 'audit_query')
  const { trust } = useTrust()
  const pages = usePages<number>()
  const before_seq = pages.cursor ?? Number.MAX_SAFE_INTEGER
  const query = useQuery(`checkpoints before ${before_seq}`, async (client, signal) => {
    const wish = { before_seq, limit: stretch_records, include_checkpoints: true }
    const page = await client.max.audit_query(wish, { signal })
    const keys = page.keys ?? []
    const own = trust.keys.length > 0 ? trust.keys : keys.map(({ public_key }) => public_key)
    const verifiers = { keys: own, witnesses: trust.witnesses }
    const checkpoints = await Promise.all(
      (page.checkpoints ?? []).map(async ({ size, note }) => ({
        size,
        read: await readCheckpoint(note, verifiers),
      })),
    )
    return { keys, found: checkpoints.sort((a, b) => b.size - a.size), page }
  })
  if (why_not) return <NoRight protocol="MAX" operation="audit_query" />
  return (
    <AnswerOf query={query}>
      {({ keys, found, page }) => (
        <>
          <CheckpointTable
            found={found}
            place={place}
            last={page.records[0]?.seq}
            first={page.records.at(-1)?.seq}
          />
          <Pager pages={pages} next={nextOf(page)} />
          <Standing keys={keys} trusted={trust.keys} />
          <ConsistencyPart place={place} keys={keys.map(({ public_key }) => public_key)} trust={trust} />
        </>
      )}
    </AnswerOf>
  )
}

function Standing({ keys, trusted }: { keys: readonly HeaderKey[]; trusted: readonly string[] }) {
  return (
    <>
      <p className="quiet">
        {trusted.length > 0
          ? 'Signatures of the log were checked against the keys you gave.'
          : 'Signatures of the log were checked against the keys the engine names.'}{' '}
        To check witnesses, paste their keys under <a href={hashOf('audit-log', ['verify'])}>Verify</a>.
      </p>
      <KeyList keys={keys} trusted={trusted} />
    </>
  )
}

interface Found {
  readonly size: number
  readonly read: ReadCheckpoint | undefined
}

interface TableProps {
  readonly found: readonly Found[]
  readonly place: Place
  readonly first: number | undefined
  readonly last: number | undefined
}

function CheckpointTable({ found, place, first, last }: TableProps) {
  const stretch = first === undefined ? '' : `, signed at records ${first} to ${last}`
  const compare = (side: 'first' | 'second', size: number) =>
    hashOf('audit-log', ['checkpoints'], { ...place.query, [side]: String(size) })
  return (
    <DataTable
      caption={`Checkpoints${stretch}`}
      rows={found}
      keyOf={({ size }) => String(size)}
      empty="No checkpoint was signed in this part of the audit log. Choose Next for older ones, or make a call first."
      columns={[
        { head: 'Records', is_number: true, cell: ({ size }) => size },
        { head: 'Root', cell: ({ read }) => (read ? <Id text={read.root} /> : 'not a signed note') },
        { head: 'Signed by', cell: ({ read }) => <Signers of={read} kind="log" /> },
        { head: 'Cosigned by', cell: ({ read }) => <Signers of={read} kind="witness" /> },
        {
          head: 'Compare',
          cell: ({ size }) => (
            <>
              <a href={compare('first', size)} aria-label={`Compare ${size} as the older`}>
                older
              </a>{' '}
              <a href={compare('second', size)} aria-label={`Compare ${size} as the newer`}>
                newer
              </a>
            </>
          ),
        },
        {
          head: 'Note',
          cell: ({ read, size }) =>
            read && (
              <details>
                <summary>note of {size}</summary>
                <TextView label={`Signed note of ${size} records`} text={read.text} />
              </details>
            ),
        },
      ]}
    />
  )
}

function Signers({ of, kind }: { of: ReadCheckpoint | undefined; kind: Signer['kind'] }) {
  const signers = of?.signers.filter((signer) => signer.kind === kind) ?? []
  if (signers.length === 0) return <span className="quiet">nobody yet</span>
  return (
    <ul className="plain-list">
      {signers.map(({ name, key_id, state, at_seconds }) => (
        <li key={`${name} ${key_id}`}>
          {kind === 'witness' && `${name} `}
          <code>{key_id}</code> <StateBadge state={state} />{' '}
          {at_seconds !== undefined && <When at={new Date(at_seconds * 1000).toISOString()} />}
        </li>
      ))}
    </ul>
  )
}
