import { DataTable } from '../../../parts/data-table.tsx'
import { When } from '../../../parts/figure.tsx'
import { Who } from '../../../parts/who.tsx'
import { Facts } from '../facts.tsx'
import type { TreatyBody } from './term-lines.ts'

/** The agreed terms, as stored. */
export function TreatyTerms({ body }: { body: TreatyBody }) {
  const { parties, grants, rate_limits, settlement, dispute_resolution } = body
  return (
    <section aria-label="Terms">
      <h2>Terms</h2>
      <Facts
        facts={[
          ...parties.map(({ tenant, did }) => [tenant, <Who key={tenant} did={did} />] as const),
          ['In force from', <When key="from" at={body.effective_from} />],
          ['Until', <When key="until" at={body.expires_at} />],
        ]}
      />
      <DataTable
        caption="Who may do what"
        rows={grants.map((grant, place) => ({ ...grant, place }))}
        keyOf={({ place }) => String(place)}
        empty="Nothing."
        columns={[
          { head: 'Granted to', cell: ({ to }) => to },
          { head: 'Capability', cell: ({ capability }) => <code>{capability}</code> },
          { head: 'Only while', cell: ({ caveats = [] }) => caveats.join(', ') || 'always' },
          {
            head: 'Calls per hour',
            is_number: true,
            cell: ({ limits }) => limits?.max_per_hour ?? 'no limit',
          },
          {
            head: 'Tokens per call',
            is_number: true,
            cell: ({ limits }) => limits?.max_tokens ?? 'no limit',
          },
          {
            head: 'Budget share per call',
            is_number: true,
            cell: ({ limits }) =>
              limits?.max_per_call_bps === undefined ? 'no limit' : `${limits.max_per_call_bps} bps`,
          },
          {
            head: 'USD per week',
            is_number: true,
            cell: ({ limits }) => limits?.weekly_budget_usd ?? 'no limit',
          },
        ]}
      />
      <Facts
        facts={[
          ['Total calls', rateText(rate_limits)],
          ['Settled over', settlement.rail],
          ['In', settlement.currency.toUpperCase()],
          ['Clearing fee', `${settlement.clearing_fee_bps} bps`],
          ['Disputes go to', `${dispute_resolution.via} at ${dispute_resolution.venue}`],
        ]}
      />
    </section>
  )
}

function rateText({ per_hour, per_day }: TreatyBody['rate_limits']): string {
  const limits = [
    per_hour !== undefined && `${per_hour} per hour`,
    per_day !== undefined && `${per_day} per day`,
  ].filter(Boolean)
  return limits.join(', ') || 'no limit'
}
