import { DataTable } from '../../../parts/data-table.tsx'
import { When } from '../../../parts/figure.tsx'
import { TextView } from '../../../parts/json-view.tsx'
import { Id, StateBadge } from '../../../parts/words.tsx'
import { Facts } from '../facts.tsx'
import { Whole } from '../whole.tsx'
import type { Dissolution, DissolutionDetail } from './dissolution.ts'
import { DissolutionActions } from './dissolution-actions.tsx'

/** The progress of a dissolution, what blocks it, who is paid first, and what remains. */
export function DissolutionView({ dissolution_id }: { dissolution_id: string }) {
  return (
    <Whole
      part="dissolution"
      all="All dissolutions"
      id={dissolution_id}
      ask={(client, include_detail, signal) =>
        client.mausoleum.list({ dissolution_id, include_detail }, { signal })
      }
    >
      {(item, again) => (
        <>
          <Head found={item} />
          {item.detail && (
            <>
              <Steps detail={item.detail} />
              <Outlook detail={item.detail} />
              <Schedule detail={item.detail} />
              {item.detail.seal && <Seal seal={item.detail.seal} />}
            </>
          )}
          <DissolutionActions found={item} onDone={again} />
        </>
      )}
    </Whole>
  )
}

function Head({ found }: { found: Dissolution }) {
  const { tenant_id, state, detail, cancelled_at, cancelled_by } = found
  return (
    <>
      <h2>
        Dissolution of {tenant_id} <StateBadge state={state} />
      </h2>
      {detail && <blockquote className="said">{detail.reason}</blockquote>}
      <Facts
        facts={[
          ['Dissolution', <Id key="id" text={found.dissolution_id} chars={36} />],
          ['Begun', <When key="at" at={found.initiated_at} />],
          ['Begun by', <Id key="by" text={found.initiated_by} />],
          ['Notice until', <When key="until" at={found.notice_until} />],
          ['Successor', <Id key="heir" text={found.successor_did} />],
          detail && ['Authority', <Id key="authority" text={detail.authority} chars={30} />],
          cancelled_at !== undefined && ['Cancelled', <When key="cancelled" at={cancelled_at} />],
          cancelled_by !== undefined && ['Cancelled by', <Id key="who" text={cancelled_by} />],
        ]}
      />
      {detail?.blocked && (
        <p className="problem" role="alert">
          It is blocked at {detail.blocked.step}: {detail.blocked.reason}
        </p>
      )}
    </>
  )
}

function Steps({ detail: { steps, blocked } }: { detail: DissolutionDetail }) {
  if (steps.length === 0) return null
  return (
    <DataTable
      caption="Steps, in order"
      rows={steps}
      keyOf={({ step }) => step}
      empty="None."
      columns={[
        { head: 'Step', cell: ({ step }) => step },
        {
          head: 'State',
          cell: ({ step, done_at }) => (done_at ? 'done' : step === blocked?.step ? 'blocked' : 'pending'),
        },
        { head: 'Done', cell: ({ done_at }) => (done_at ? <When at={done_at} /> : '–') },
      ]}
    />
  )
}

function Outlook({ detail: { outlook } }: { detail: DissolutionDetail }) {
  if (!outlook) return null
  const { blockers, creditors, concerned } = outlook
  return (
    <section aria-label="Outlook">
      <h3>Current state</h3>
      {blockers.length === 0 ? (
        <p>Nothing blocks it.</p>
      ) : (
        <>
          <p>Blocked by:</p>
          <ul>
            {blockers.map((blocker) => (
              <li key={blocker}>{blocker}</li>
            ))}
          </ul>
        </>
      )}
      <p>Notified: {concerned.join(', ') || 'nobody else'}</p>
      <DataTable
        caption="Who is paid first"
        rows={creditors}
        keyOf={({ ref, asset_id, tenant_id }) => `${ref} ${asset_id} ${tenant_id}`}
        empty="No debts."
        columns={[
          { head: 'Rank', is_number: true, cell: ({ rank }) => rank },
          { head: 'Creditor', cell: ({ tenant_id }) => tenant_id },
          { head: 'For', cell: ({ ref }) => <Id text={ref} chars={30} /> },
          { head: 'Asset', cell: ({ asset_id }) => asset_id },
          { head: 'Amount, smallest units', is_number: true, cell: ({ amount }) => amount },
        ]}
      />
    </section>
  )
}

function Schedule({ detail: { schedule } }: { detail: DissolutionDetail }) {
  const { asset_distribution, obligation_transfer = [] } = schedule
  return (
    <>
      <DataTable
        caption="Distribution"
        rows={asset_distribution.map((share, place) => ({ ...share, place }))}
        keyOf={({ place }) => String(place)}
        empty="Nothing to distribute."
        columns={[
          { head: 'Asset', cell: ({ asset_id }) => (asset_id === '*' ? 'everything else' : asset_id) },
          { head: 'To', cell: ({ to_did }) => <Id text={to_did} /> },
          { head: 'Share, bps', is_number: true, cell: ({ share_bps }) => share_bps },
        ]}
      />
      {obligation_transfer.length > 0 && (
        <DataTable
          caption="Transferred obligations"
          rows={obligation_transfer}
          keyOf={({ obligation }) => obligation}
          empty="None."
          columns={[
            { head: 'Obligation', cell: ({ obligation }) => <Id text={obligation} chars={40} /> },
            { head: 'To', cell: ({ to_did }) => <Id text={to_did} /> },
            { head: 'Consent', cell: ({ consent }) => (consent ? 'given' : 'missing') },
          ]}
        />
      )}
    </>
  )
}

function Seal({ seal }: { seal: NonNullable<DissolutionDetail['seal']> }) {
  return (
    <section aria-label="Seal">
      <h3>The seal</h3>
      <Facts
        facts={[
          ['Records', seal.final_seq],
          ['Last hash', <Id key="hash" text={seal.final_hash} />],
          ['Root', <Id key="root" text={seal.seal.root} />],
          ['Signed with', <Id key="key" text={seal.seal.public_key} />],
          ['Registered', <Id key="ref" text={seal.mars_ref} chars={30} />],
          seal.archive && ['Archive', <Id key="archive" text={seal.archive.hash} chars={20} />],
          seal.archive && ['Archive holds', `${seal.archive.records} records, ${seal.archive.bytes} bytes`],
        ]}
      />
      <TextView label="Checkpoint over the whole chain" text={seal.seal.checkpoint} />
    </section>
  )
}
