// The cost of a period, line by line, with the records behind each line.
import { type FormEvent, useState } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Field } from '../../parts/field.tsx'
import { Long, StateMark, When } from '../../parts/words.tsx'
import { hashOf, type Place } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useSession, useWhyNot } from '../../shell/use-session.tsx'
import { lastDays, type Statement } from './spend-days.ts'

export function StatementView({ query }: { query: Place['query'] }) {
  const why_not = useWhyNot('MEAL', 'statement')
  const month = lastDays(performance.timeOrigin + performance.now(), 30)
  const period = { from: query.from ?? month.from, to: query.to ?? month.to }
  if (why_not) return <p className="note">{why_not}</p>
  return (
    <>
      <PeriodForm key={period.from + period.to} {...period} />
      <Shown key={`of ${period.from} ${period.to}`} period={period} />
    </>
  )
}

function PeriodForm({ from, to }: { from: string; to: string }) {
  const [days, setDays] = useState({ from: from.slice(0, 10), to: to.slice(0, 10) })
  const go = (event: FormEvent) => {
    event.preventDefault()
    const query = { from: `${days.from}T00:00:00Z`, to: `${days.to}T00:00:00Z` }
    location.hash = hashOf('money', ['statement'], query)
  }
  return (
    <form className="row" onSubmit={go}>
      <Field label="From the beginning of">
        {(ids) => (
          <input
            {...ids}
            type="date"
            required
            value={days.from}
            onChange={({ target }) => setDays({ ...days, from: target.value })}
          />
        )}
      </Field>
      <Field label="to the beginning of">
        {(ids) => (
          <input
            {...ids}
            type="date"
            required
            value={days.to}
            onChange={({ target }) => setDays({ ...days, to: target.value })}
          />
        )}
      </Field>
      <button type="submit">Show</button>
    </form>
  )
}

type Period = { readonly from: string; readonly to: string }

function Shown({ period }: { period: Period }) {
  const { tenant_id } = useSession()
  const query = useQuery(`statement ${period.from} ${period.to}`, (client, signal) =>
    client.meal.statement({ tenant_id, period, group_by: ['protocol', 'operation'] }, { signal }),
  )
  return (
    <AnswerOf query={query}>
      {(statement) => (
        <>
          <Totals statement={statement} />
          <Lines groups={statement.groups ?? []} period={period} />
          <DataTable
            caption="Rates in force"
            rows={statement.rate_versions}
            keyOf={({ version }) => String(version)}
            empty="None."
            columns={[
              { head: 'Version', cell: ({ version }) => version },
              { head: 'From', cell: ({ effective_from }) => <When at={effective_from} /> },
              {
                head: 'Tokens, USD per million',
                is_number: true,
                cell: (rate) => rate.tokens_per_million_usd,
              },
              {
                head: 'Seconds, USD per million',
                is_number: true,
                cell: (rate) => rate.seconds_per_million_usd,
              },
              { head: 'Energy, USD per kWh', is_number: true, cell: (rate) => rate.watts_per_kwh_usd },
            ]}
          />
        </>
      )}
    </AnswerOf>
  )
}

function Totals({ statement }: { statement: Statement }) {
  const { totals, settlement_status, next_invoice_at, event_count, statement_hash, events_root } = statement
  const facts: readonly (readonly [string, React.ReactNode])[] = [
    ['Calls', totals.calls],
    ['Tokens', totals.tokens],
    ['Seconds', totals.seconds],
    ['Energy', `${totals.watts_kWh} kWh`],
    ['Amount', `${totals.amount_usd} USD`],
    ['Settlement', <StateMark key="state" state={settlement_status} />],
    ['Next invoice', <When key="next" at={next_invoice_at} />],
    ['Records counted', event_count],
    ['Statement', <Long key="hash" text={statement_hash} />],
    ['Root of its records', <Long key="root" text={events_root} />],
  ]
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Lines({ groups, period }: { groups: NonNullable<Statement['groups']>; period: Period }) {
  return (
    <DataTable
      caption="Lines, each with its records"
      rows={groups}
      keyOf={({ key }) => `${key.protocol} ${key.operation}`}
      empty="No usage in this period."
      columns={[
        { head: 'Operation', cell: ({ key }) => `${key.protocol} ${key.operation}` },
        { head: 'Calls', is_number: true, cell: ({ calls }) => calls },
        { head: 'Tokens', is_number: true, cell: ({ tokens }) => tokens },
        { head: 'Seconds', is_number: true, cell: ({ seconds }) => seconds },
        { head: 'kWh', is_number: true, cell: ({ watts_kWh }) => watts_kWh },
        { head: 'USD', is_number: true, cell: ({ amount_usd }) => amount_usd },
        {
          head: 'Records',
          cell: ({ key }) => (
            <a
              aria-label={`Records of ${key.protocol} ${key.operation}`}
              href={hashOf('audit-log', ['records'], {
                protocol: key.protocol ?? '',
                operation: key.operation ?? '',
                ...period,
              })}
            >
              records
            </a>
          ),
        },
      ]}
    />
  )
}
