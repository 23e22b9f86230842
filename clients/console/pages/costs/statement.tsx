// The cost of a period, line by line, with the records behind each line.

import { Button, Input } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Field } from '../../parts/field.tsx'
import { Count, Duration, Money, When } from '../../parts/figure.tsx'
import { energyText } from '../../parts/figures.ts'
import { NoRight } from '../../parts/no-right.tsx'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf, type Place } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useSession, useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { lastDays, type Statement } from './spend-days.ts'

export function StatementView({ query }: { query: Place['query'] }) {
  const why_not = useWhyNot('MEAL', 'statement')
  const month = lastDays(performance.timeOrigin + performance.now(), 30)
  const period = { from: query.from ?? month.from, to: query.to ?? month.to }
  if (why_not) return <NoRight protocol="MEAL" operation="statement" />
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
    location.hash = hashOf('costs', ['statement'], query)
  }
  return (
    <form className="row" onSubmit={go}>
      <Field label="From" hint="00:00 UTC of this day.">
        {(ids) => (
          <Input
            {...ids}
            type="date"
            required
            value={days.from}
            onChange={({ target }) => setDays({ ...days, from: target.value })}
          />
        )}
      </Field>
      <Field label="Until" hint="00:00 UTC of this day, which is not counted.">
        {(ids) => (
          <Input
            {...ids}
            type="date"
            required
            value={days.to}
            onChange={({ target }) => setDays({ ...days, to: target.value })}
          />
        )}
      </Field>
      <Button variant="default" type="submit">
        Show
      </Button>
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
              {
                head: 'From',
                cell: ({ effective_from }) => <When at={effective_from} never="the beginning" />,
              },
              {
                head: 'Tokens, USD per million',
                is_number: true,
                cell: (rate) => <Money usd={rate.tokens_per_million_usd} />,
              },
              {
                head: 'Seconds, USD per million',
                is_number: true,
                cell: (rate) => <Money usd={rate.seconds_per_million_usd} />,
              },
              {
                head: 'Energy, USD per kWh',
                is_number: true,
                cell: (rate) => <Money usd={rate.watts_per_kwh_usd} />,
              },
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
    ['Calls', <Count key="calls" of={totals.calls} />],
    ['Tokens', <Count key="tokens" of={totals.tokens} />],
    ['Time', <Duration key="time" ms={totals.seconds * 1000} />],
    ['Energy', energyText(totals.watts_kWh * 1000)],
    ['Amount', <Money key="amount" usd={totals.amount_usd} />],
    ['Settlement', <StateBadge key="state" state={settlement_status} />],
    ['Next invoice', <When key="next" at={next_invoice_at} />],
    ['Records counted', <Count key="records" of={event_count} />],
    ['Statement', <Id key="hash" text={statement_hash} />],
    ['Root of its records', <Id key="root" text={events_root} />],
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
      empty={words.empty.usage}
      columns={[
        { head: 'Operation', cell: ({ key }) => `${key.protocol} ${key.operation}` },
        { head: 'Calls', is_number: true, cell: ({ calls }) => <Count of={calls} /> },
        { head: 'Tokens', is_number: true, cell: ({ tokens }) => <Count of={tokens} /> },
        { head: 'Time', is_number: true, cell: ({ seconds }) => <Duration ms={seconds * 1000} /> },
        { head: 'Energy', is_number: true, cell: ({ watts_kWh }) => energyText(watts_kWh * 1000) },
        { head: 'Amount', is_number: true, cell: ({ amount_usd }) => <Money usd={amount_usd} /> },
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
