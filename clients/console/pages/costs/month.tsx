// The month: spent so far, what it will cost, and who spends it.
import { AnswerOf } from '../../parts/answer-of.tsx'
import { BarList } from '../../parts/bar-list.tsx'
import { TimeChart } from '../../parts/charts.tsx'
import { Money, Stat } from '../../parts/figure.tsx'
import { dayText, moneyText } from '../../parts/figures.ts'
import { hashOf } from '../../shell/address.ts'
import { nowMs } from '../../shell/clock.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useSession, useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { useNames } from '../audit-log/use-names.ts'
import { type Forecast, forecastOf, forecastPeriod } from './forecast.ts'
import { lastDays, type Statement, spendDays } from './spend-days.ts'

export function Month() {
  const { tenant_id } = useSession()
  const why_not = useWhyNot('MEAL', 'statement')
  const query = useQuery(
    'forecast',
    async (client, signal) => {
      const period = forecastPeriod(nowMs())
      const { groups = [] } = await client.meal.statement(
        { tenant_id, period, group_by: ['day'] },
        { signal },
      )
      return forecastOf(spendDays(groups, period), nowMs())
    },
    { is_off: why_not !== undefined },
  )
  // SpendOverTime says what is missing.
  if (why_not) return null
  return (
    <section aria-label={words.costs.this_month}>
      <h2>{words.costs.this_month}</h2>
      <AnswerOf query={query}>{(forecast) => <MonthFigures forecast={forecast} />}</AnswerOf>
    </section>
  )
}

function MonthFigures({ forecast: { spent_usd, month_usd, before_usd, days } }: { forecast: Forecast }) {
  return (
    <>
      <dl className="stats">
        <Stat name={words.costs.spent} value={<Money usd={spent_usd} />} />
        <Stat
          name={words.costs.forecast}
          value={<Money usd={month_usd} />}
          now={month_usd}
          before={before_usd}
          is_worse
        />
        <Stat name={words.costs.month_before} value={<Money usd={before_usd} />} />
      </dl>
      <p className="quiet">{words.costs.forecast_means}</p>
      <TimeChart
        title={words.costs.month_chart}
        unit={words.costs.since_first}
        kind="bars"
        labels={days.map(({ day }) => dayText(day))}
        valueText={moneyText}
        series={[
          { name: words.costs.spent, color: 'indigo.5', values: days.map((each) => each.spent_usd) },
          { name: words.costs.expected, color: 'gray.5', values: days.map((each) => each.expected_usd) },
        ]}
      />
    </>
  )
}

const days_shown = 30
const bars_max = 8

/** Who and what the last days were spent on. */
export function Spenders() {
  const { tenant_id } = useSession()
  const names = useNames()
  const why_not = useWhyNot('MEAL', 'statement')
  const query = useQuery(
    'spenders',
    async (client, signal) => {
      const period = lastDays(nowMs(), days_shown)
      const by = (group_by: 'department' | 'agent') =>
        client.meal.statement({ tenant_id, period, group_by: [group_by] }, { signal })
      const [departments, agents] = await Promise.all([by('department'), by('agent')])
      return { departments, agents }
    },
    { is_off: why_not !== undefined },
  )
  if (why_not) return null
  return (
    <AnswerOf query={query}>
      {({ departments, agents }) => {
        const lists = [
          [
            words.costs.by_department,
            barsOf(departments, ({ department }) => [department ?? words.costs.no_envelope]),
          ],
          [
            words.costs.by_agent,
            barsOf(agents, ({ agent }) => [
              names.get(agent ?? '') ?? shortDid(agent),
              hashOf('requests', [], { caller_did: agent ?? '' }),
            ]),
          ],
          [words.costs.by_protocol, protocolBars(departments)],
        ] as const
        return (
          <div className="three">
            {lists.map(([title, bars]) => (
              <BarList
                key={title}
                title={title}
                unit={words.costs.last_days}
                bars={bars}
                valueText={moneyText}
                empty={words.costs.nothing_spent}
              />
            ))}
          </div>
        )
      }}
    </AnswerOf>
  )
}

type Key = NonNullable<Statement['groups']>[number]['key']

function barsOf({ groups = [] }: Statement, labelOf: (key: Key) => readonly [name: string, href?: string]) {
  return largest(
    groups.map(({ key, amount_usd }) => {
      const [name, href] = labelOf(key)
      return { name, value: Number(amount_usd), ...(href && { href }) }
    }),
  )
}

function protocolBars({ by_protocol }: Statement) {
  return largest(
    by_protocol.map(({ protocol, amount_usd }) => ({
      name: protocol,
      value: Number(amount_usd),
      href: hashOf('requests', [], { protocol }),
    })),
  )
}

function largest<Bar extends { readonly value: number }>(bars: readonly Bar[]): Bar[] {
  return bars.toSorted((a, b) => b.value - a.value).slice(0, bars_max)
}

function shortDid(did: string | null | undefined): string {
  return did ? `…${did.slice(-8)}` : words.none
}
