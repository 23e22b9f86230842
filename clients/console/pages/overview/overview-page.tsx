// Is all well? Health now, and traffic, refusals, latency and spend over a period beside the one before.
import { Alert } from '@mantine/core'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { BarList } from '../../parts/bar-list.tsx'
import { TimeChart } from '../../parts/charts.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Count, Duration, Stat } from '../../parts/figure.tsx'
import { countText, durationText, moneyText, shareText } from '../../parts/figures.ts'
import { PageActions } from '../../parts/page-actions.tsx'
import { RangeField, useRange } from '../../parts/range-field.tsx'
import { reasonText } from '../../parts/shorten.ts'
import { spanOf, stepLabel, type TimeSpan } from '../../parts/time-range.ts'
import { hashOf } from '../../shell/address.ts'
import { nowMs, useMinute } from '../../shell/clock.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { useWaiting } from '../../shell/use-waiting.ts'
import { type Figures, readFigures, type Totals } from './history.ts'
import { LiveHealth } from './live-health.tsx'

export function OverviewPage() {
  const why_no_history = useWhyNot('MOTIF', 'history')
  const why_no_health = useWhyNot('MOMENT', 'snapshot')
  return (
    <>
      <PageActions>
        <RangeField />
      </PageActions>
      {why_no_health ? <Alert color="gray">{why_no_health}</Alert> : <LiveHealth />}
      {why_no_history ? <Alert color="gray">{why_no_history}</Alert> : <Period />}
    </>
  )
}

const refresh_ms = 60_000

function Period() {
  useMinute()
  const [word] = useRange()
  const span = spanOf(word, nowMs())
  const query = useQuery(
    `figures ${word} ${span.from_ms}`,
    (client, signal) => readFigures(client, span, signal),
    {
      refresh_ms,
    },
  )
  return <AnswerOf query={query}>{(figures) => <Charts figures={figures} span={span} />}</AnswerOf>
}

interface Shown {
  readonly figures: Figures
  readonly span: TimeSpan
}

function Charts({ figures, span }: Shown) {
  const labels = figures.steps.map(({ at_ms }) => stepLabel(span.word, at_ms))
  return (
    <>
      <Stats figures={figures} span={span} />
      {figures.total.calls === 0 ? (
        <p className="panel empty">
          No calls in this period. Make one in the <a href={hashOf('playground')}>Playground</a>, or choose a
          longer period.
        </p>
      ) : (
        <div className="two even">
          <TimeChart
            title="Traffic"
            unit="calls"
            kind="bars"
            labels={labels}
            valueText={countText}
            series={[
              { name: 'Done', color: 'indigo.5', values: figures.steps.map(({ success }) => success) },
              { name: 'Refused', color: 'orange.6', values: figures.steps.map(({ refused }) => refused) },
              { name: 'Failed', color: 'red.7', values: figures.steps.map(({ error }) => error) },
            ]}
          />
          <BarList
            title="Refusals and failures by reason"
            unit="calls"
            color="orange"
            bars={figures.reasons.slice(0, 8).map(({ name, value }) => ({ name: reasonText(name), value }))}
            empty="Nothing was refused and nothing failed in this period."
          />
          <ProtocolTable figures={figures} />
          {figures.total.spend_usd !== null && (
            <TimeChart
              title="Spend"
              unit="US dollars"
              labels={labels}
              valueText={moneyText}
              series={[{ name: 'Spend', color: 'teal.6', values: figures.steps.map(({ usd }) => usd) }]}
            />
          )}
        </div>
      )}
    </>
  )
}

function Stats({ figures: { total, before }, span }: Shown) {
  const waiting = useWaiting()
  const from = new Date(span.from_ms).toISOString()
  const requests = (outcome = '') => hashOf('requests', [], { from, outcome })
  const rows = [
    { name: 'Calls', of: (each: Totals) => each.calls, text: countText, href: requests() },
    {
      name: 'Refused',
      of: (each: Totals) => each.refused,
      text: countText,
      is_worse: true,
      href: requests('refused'),
    },
    {
      name: 'Failed',
      of: (each: Totals) => each.failed,
      text: countText,
      is_worse: true,
      href: requests('error'),
    },
    { name: 'Refused or failed', of: shareFailed, text: shareText, is_worse: true },
    {
      name: 'Median latency',
      of: (each: Totals) => each.p50_ms ?? undefined,
      text: durationText,
      is_worse: true,
    },
    {
      name: '95% answered within',
      of: (each: Totals) => each.p95_ms ?? undefined,
      text: durationText,
      is_worse: true,
    },
    ...(total.spend_usd === null
      ? []
      : [{ name: 'Spend', of: spendOf, text: moneyText, href: hashOf('costs') }]),
  ]
  return (
    <dl className="stats">
      {rows.map(({ of, text, ...row }) => {
        const now = of(total)
        return (
          <Stat
            key={row.name}
            {...row}
            value={now === undefined ? '–' : text(now)}
            now={now}
            before={before ? of(before) : undefined}
          />
        )
      })}
      <Stat
        name="Waiting for you"
        value={<Count of={waiting.calls + waiting.requests} />}
        href={hashOf('inbox')}
      />
    </dl>
  )
}

/** Null for whoever may not read statements. */
function spendOf({ spend_usd }: Totals): number | undefined {
  return spend_usd === null ? undefined : Number(spend_usd)
}

function shareFailed({ calls, refused, failed }: Totals): number {
  return calls === 0 ? 0 : (refused + failed) / calls
}

function ProtocolTable({ figures }: { figures: Figures }) {
  return (
    <DataTable
      caption="Busiest protocols"
      rows={figures.protocols.slice(0, 8)}
      keyOf={({ protocol }) => protocol}
      empty="No calls."
      columns={[
        {
          head: 'Protocol',
          cell: ({ protocol }) => <a href={hashOf('requests', [], { protocol })}>{protocol}</a>,
        },
        { head: 'Calls', is_number: true, cell: ({ total }) => <Count of={total.calls} /> },
        { head: 'Refused', is_number: true, cell: ({ total }) => <Count of={total.refused} /> },
        { head: 'Failed', is_number: true, cell: ({ total }) => <Count of={total.failed} /> },
        {
          head: 'p95',
          is_number: true,
          cell: ({ total }) => <Duration ms={total.p95_ms ?? undefined} />,
        },
      ]}
    />
  )
}
