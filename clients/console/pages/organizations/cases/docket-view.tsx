import { DataTable } from '../../../parts/data-table.tsx'
import { When } from '../../../parts/figure.tsx'
import { Who } from '../../../parts/who.tsx'
import { Id, StateBadge } from '../../../parts/words.tsx'
import { type Docket, type Evidence, remedyText } from './case.ts'

/** The claim and the pleadings in order, each with its evidence. */
export function DocketView({ docket }: { docket: Docket }) {
  const pleadings = docket.pleadings.map((pleading, place) => ({ ...pleading, place }))
  return (
    <section aria-label="Docket">
      <h2>Docket</h2>
      <article className="card">
        <h3>The claim</h3>
        <blockquote className="said">{docket.claim}</blockquote>
        <p>Requested: {remedyText(docket.requested_remedy)}</p>
        <EvidenceTable caption="Evidence for the claim" evidence={docket.evidence_check} />
      </article>
      {pleadings.length === 0 && (
        <p className="empty">
          No answer yet; it is due by <When at={docket.plead_by} />.
        </p>
      )}
      {pleadings.map((pleading) => (
        <article key={pleading.place} className="card">
          <h3>
            {pleading.place + 1}. {pleading.side}: {pleading.plea}
          </h3>
          <p className="quiet">
            <When at={pleading.at} /> by <Who did={pleading.by} />
          </p>
          <blockquote className="said">{pleading.argument}</blockquote>
          {pleading.settlement && <p>Offers: {remedyText(pleading.settlement)}</p>}
          {pleading.counterclaim && (
            <>
              <p>Counterclaim: {remedyText(pleading.counterclaim.requested_remedy)}</p>
              <blockquote className="said">{pleading.counterclaim.claim}</blockquote>
            </>
          )}
          {pleading.evidence.length > 0 && (
            <EvidenceTable caption={`Evidence for plea ${pleading.place + 1}`} evidence={pleading.evidence} />
          )}
        </article>
      ))}
    </section>
  )
}

function EvidenceTable({ caption, evidence }: { caption: string; evidence: readonly Evidence[] }) {
  const mark = (is_so: boolean) => <StateBadge state={is_so ? 'ok' : 'failed'} />
  return (
    <DataTable
      caption={caption}
      rows={evidence}
      keyOf={({ ref }) => ref}
      empty="No evidence."
      columns={[
        { head: 'Reference', cell: ({ ref }) => <Id text={ref} chars={40} /> },
        { head: 'Found', cell: ({ found }) => mark(found) },
        { head: 'Hash', cell: ({ hash_ok }) => mark(hash_ok) },
        { head: 'Signature', cell: ({ signature_ok }) => mark(signature_ok) },
      ]}
    />
  )
}
