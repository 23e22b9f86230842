// One treaty: parties, terms, signatures, versions and actions.
import { DataTable } from '../../../parts/data-table.tsx'
import { When } from '../../../parts/figure.tsx'
import { JsonView } from '../../../parts/json-view.tsx'
import { Who } from '../../../parts/who.tsx'
import { Id, StateBadge } from '../../../parts/words.tsx'
import { hashOf } from '../../../shell/address.ts'
import { Facts } from '../facts.tsx'
import { Whole } from '../whole.tsx'
import { AmendmentDiff } from './amendment-diff.tsx'
import { SignTreaty } from './sign-treaty.tsx'
import type { Treaty, TreatyDetail } from './term-lines.ts'
import { TerminateTreaty } from './terminate-treaty.tsx'
import { TreatyTerms } from './treaty-terms.tsx'

export function TreatyView({ treaty_id }: { treaty_id: string }) {
  return (
    <Whole
      part="treaties"
      all="All treaties"
      id={treaty_id}
      ask={(client, include_detail, signal) => client.moat.list({ treaty_id, include_detail }, { signal })}
    >
      {(treaty, again) => (
        <>
          <Head treaty={treaty} />
          <SignTreaty treaty={treaty} onSigned={again} />
          {treaty.detail?.amendment && (
            <AmendmentDiff
              amendment={treaty.detail.amendment}
              body={treaty.detail.body}
              reason={treaty.detail.reason}
            />
          )}
          {treaty.detail && (
            <>
              <TreatyTerms body={treaty.detail.body} />
              <Signatures signatures={treaty.detail.signatures} />
              <Line line={treaty.detail.line} here={treaty.treaty_id} />
              <details>
                <summary>The signed text, as stored</summary>
                <JsonView label="Body of the treaty" value={treaty.detail.body} />
              </details>
            </>
          )}
          <TerminateTreaty treaty={treaty} onEnded={again} />
        </>
      )}
    </Whole>
  )
}

function Head({ treaty }: { treaty: Treaty }) {
  const { kind, partner, state, suspended, ended_at, detail } = treaty
  return (
    <>
      <h2>
        {kind === 'amendment' ? 'Amendment of the treaty' : 'Treaty'} with {partner}{' '}
        <StateBadge state={state} />
      </h2>
      <Facts
        facts={[
          ['Id', <Id key="id" text={treaty.treaty_id} chars={20} />],
          ['Proposed', <When key="at" at={treaty.proposed_at} />],
          ['Proposed by', <Who key="by" did={treaty.proposed_by} />],
          treaty.missing.length > 0 && ['To be signed by', <When key="sign" at={treaty.sign_by} />],
          treaty.missing.length > 0 && ['Not signed yet', treaty.missing.join(', ')],
          treaty.in_force_at !== undefined && ['In force since', <When key="in" at={treaty.in_force_at} />],
          ended_at !== undefined && ['Ended', <When key="end" at={ended_at} />],
          detail?.ended_by !== undefined && ['Ended by', <Who key="ended" did={detail.ended_by} />],
          detail?.end_reason !== undefined && ['because', detail.end_reason],
        ]}
      />
      {suspended && (
        <p className="note">
          Suspended by {suspended.by} from <When at={suspended.from} /> until <When at={suspended.until} />.
        </p>
      )}
      {detail && detail.open_cases.length > 0 && (
        <p className="note">
          In dispute:{' '}
          {detail.open_cases.map((ref) => (
            <a key={ref} href={hashOf('organizations', ['cases', ref.split('/').at(-1) ?? ''])}>
              {ref}
            </a>
          ))}
        </p>
      )}
    </>
  )
}

function Signatures({ signatures }: { signatures: TreatyDetail['signatures'] }) {
  return (
    <DataTable
      caption="Signatures"
      rows={signatures}
      keyOf={({ tenant }) => tenant}
      empty="Nobody has signed yet."
      columns={[
        { head: 'For', cell: ({ tenant }) => tenant },
        { head: 'Signed by', cell: ({ signed_by }) => <Who did={signed_by} /> },
        { head: 'At', cell: ({ timestamp }) => <When at={timestamp} /> },
        {
          head: 'With',
          cell: ({ method }) => (method === 'own' ? 'its own key' : 'a key held by the engine'),
        },
        { head: 'Public key', cell: ({ public_key }) => <Id text={public_key} /> },
        { head: 'Signature', cell: ({ signature }) => <Id text={signature} /> },
        { head: 'Authority', cell: ({ authority }) => (authority ? <Id text={authority} /> : '–') },
      ]}
    />
  )
}

function Line({ line, here }: { line: TreatyDetail['line']; here: string }) {
  return (
    <DataTable
      caption="All versions, newest first"
      rows={line}
      keyOf={({ treaty_id }) => treaty_id}
      empty="None."
      columns={[
        {
          head: 'Version',
          cell: ({ treaty_id }) =>
            treaty_id === here ? (
              <span>this one</span>
            ) : (
              <a href={hashOf('organizations', ['treaties', treaty_id])}>{treaty_id.slice(0, 19)}…</a>
            ),
        },
        { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
        { head: 'Proposed', cell: ({ proposed_at }) => <When at={proposed_at} /> },
        { head: 'Amends', cell: ({ parent }) => (parent ? <Id text={parent} chars={16} /> : '–') },
      ]}
    />
  )
}
