// One case: parties, requested remedy, pleadings, hearings, and the ruling with its dissent.

import { DataTable } from '../../../parts/data-table.tsx'
import { When } from '../../../parts/figure.tsx'
import { Who } from '../../../parts/who.tsx'
import { Id, StateBadge } from '../../../parts/words.tsx'
import { hashOf } from '../../../shell/address.ts'
import { Facts } from '../facts.tsx'
import { dissentHead, Voices } from '../voices.tsx'
import { Whole } from '../whole.tsx'
import { type Case, type Docket, type Hearing, remedyText, wordsOf } from './case.ts'
import { DocketView } from './docket-view.tsx'
import { PleadForm } from './plead-form.tsx'

export function CaseView({ case_id }: { case_id: string }) {
  return (
    <Whole
      part="cases"
      all="All cases"
      id={case_id}
      ask={(client, include_detail, signal) => client.moot.list({ case_id, include_detail }, { signal })}
    >
      {(court_case, again) => (
        <>
          <Head found={court_case} />
          {court_case.detail?.docket.ruling && (
            <Ruling found={court_case} ruling={court_case.detail.docket.ruling} />
          )}
          {court_case.detail && (
            <>
              <DocketView docket={court_case.detail.docket} />
              <Hearings hearings={court_case.detail.hearings} />
            </>
          )}
          <PleadForm found={court_case} onPleaded={again} />
        </>
      )}
    </Whole>
  )
}

function Head({ found }: { found: Case }) {
  const { claimant, respondent, state, treaty_id, appeal_of, appealed_by } = found
  const caseLink = (id: string) => <a href={hashOf('organizations', ['cases', id])}>{id}</a>
  return (
    <>
      <h2>
        {claimant.tenant_id} against {respondent.tenant_id} <StateBadge state={state} />
      </h2>
      <Facts
        facts={[
          ['Case', <Id key="id" text={found.case_id} chars={36} />],
          ['Claimant', <Who key="claimant" did={claimant.did} />],
          ['Respondent', <Who key="respondent" did={respondent.did} />],
          ['Requested', remedyText(found.requested_remedy)],
          ['Court', found.venue],
          ['Arbiters', found.panel.length],
          ['Filed', <When key="filed" at={found.filed_at} />],
          ['Answer due', <When key="plead" at={found.plead_by} />],
          found.answered_at !== undefined && ['Answered', <When key="answered" at={found.answered_at} />],
          found.rule_by !== undefined && ['Ruling due', <When key="rule" at={found.rule_by} />],
          found.appeal_until !== undefined && [
            'Can be appealed until',
            <When key="appeal" at={found.appeal_until} />,
          ],
          found.closed_at !== undefined && ['Closed', <When key="closed" at={found.closed_at} />],
          treaty_id !== undefined && [
            'Treaty',
            <a key="treaty" href={hashOf('organizations', ['treaties', treaty_id])}>
              {treaty_id.slice(0, 19)}…
            </a>,
          ],
          appeal_of !== undefined && ['Appeal of', caseLink(appeal_of)],
          appealed_by !== undefined && ['Appealed by', caseLink(appealed_by)],
        ]}
      />
    </>
  )
}

function Ruling({ found, ruling }: { found: Case; ruling: NonNullable<Docket['ruling']> }) {
  const voicesOf = (votes: typeof ruling.majority) =>
    votes.map(({ did, reasoning, finding, remedy }) => ({
      did,
      reasoning,
      wanted: [wordsOf(finding), remedy && remedyText(remedy)].filter(Boolean).join(': '),
    }))
  return (
    <section aria-label="Ruling and dissent">
      <div className="two">
        <Voices
          title="Ruling"
          head={`${wordsOf(ruling.finding)}; remedy: ${remedyText(ruling.remedy)}`}
          voices={voicesOf(ruling.majority)}
          empty="No majority."
        />
        <Voices
          title="Dissent"
          head={dissentHead(ruling.dissent.length)}
          voices={voicesOf(ruling.dissent)}
          empty="No arbiter was outvoted."
        />
      </div>
      <Facts
        facts={[
          ['Ruling', <Id key="id" text={ruling.ruling_id} chars={20} />],
          ['In favour of the', ruling.in_favour_of],
          found.ruling && ['Ruled', <When key="at" at={found.ruling.ruled_at} />],
          found.ruling?.remedy_state !== undefined && [
            'Remedy is',
            <StateBadge key="remedy" state={found.ruling.remedy_state} />,
          ],
          ruling.registered !== undefined && [
            'Registered',
            <Id key="ref" text={ruling.registered} chars={30} />,
          ],
        ]}
      />
    </section>
  )
}

function Hearings({ hearings }: { hearings: readonly Hearing[] }) {
  return (
    <DataTable
      caption="Hearings, newest first"
      rows={hearings}
      keyOf={({ hearing_id, held_at }) => `${hearing_id} ${held_at}`}
      empty="No hearing yet."
      columns={[
        { head: 'Held', cell: ({ held_at }) => <When at={held_at} /> },
        { head: 'By', cell: ({ held_by }) => <Who did={held_by} /> },
        {
          head: 'Chains',
          cell: ({ chain_verified }) =>
            Object.entries(chain_verified)
              .map(([tenant, is_verified]) => `${tenant} ${is_verified ? 'verified' : 'not verified'}`)
              .join(', '),
        },
        { head: 'Findings', is_number: true, cell: ({ findings }) => findings },
        { head: 'Unproven', is_number: true, cell: ({ unproven }) => unproven },
        { head: 'Hearing', cell: ({ hearing_id }) => <Id text={hearing_id} chars={16} /> },
      ]}
    />
  )
}
