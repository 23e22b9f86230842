import { AnswerOf } from '../../parts/answer-of.tsx'
import { TimeChart } from '../../parts/charts.tsx'
import { Money, Stat, When } from '../../parts/figure.tsx'
import { countText, dayText, durationText, energyText, moneyText } from '../../parts/figures.ts'
import { NoRight } from '../../parts/no-right.tsx'
import { StateBadge } from '../../parts/words.tsx'
import { nowMs } from '../../shell/clock.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useSession, useWhyNot } from '../../shell/use-session.tsx'
import { Month, Spenders } from './month.tsx'
import { lastDays, spendDays } from './spend-days.ts'

const days_shown = 30
const day_ms = 86_400_000

export function Spend() {
  return (
    <>
      <Month />
      <Spenders />
      <Runway />
      <SpendOverTime />
    </>
  )
}

function Runway() {
  const { tenant_id } = useSession()
  const why_not = useWhyNot('MANA', 'budget')
  const query = useQuery('budget', async (client, signal) =>
    why_not ? undefined : await client.mana.budget({ tenant_id, dimension: 'usd' }, { signal }),
  )
  if (why_not) return <NoRight protocol="MANA" operation="budget" />
  return (
    <section aria-label="Runway">
      <h2>Runway</h2>
      <AnswerOf query={query}>
        {(budget) =>
          budget && (
            <>
              <dl className="stats">
                <Stat name="Left" value={<Money usd={budget.remaining_usd} />} />
                <Stat
                  name="Lasts"
                  value={
                    budget.runway_days === null ? 'no spend yet' : durationText(budget.runway_days * day_ms)
                  }
                />
                <Stat name="Spend per day" value={<Money usd={budget.burn_per_day} />} />
                <Stat name="Reserved" value={<Money usd={budget.reserved} />} />
                <Stat name="Paid in" value={<Money usd={budget.paid_in} />} />
                <Stat name="Credit line" value={<Money usd={budget.credit_line} />} />
              </dl>
              <p>
                <StateBadge state={budget.level} /> as of <When at={budget.as_of} />
              </p>
            </>
          )
        }
      </AnswerOf>
    </section>
  )
}

/** Tokens, seconds, energy and cost: four charts, because they share no unit. */
function SpendOverTime() {
  const { tenant_id } = useSession()
  const why_not = useWhyNot('MEAL', 'statement')
  const query = useQuery('spend', async (client, signal) => {
    if (why_not) return []
    const period = lastDays(nowMs(), days_shown)
    const { groups = [] } = await client.meal.statement({ tenant_id, period, group_by: ['day'] }, { signal })
    return spendDays(groups, period)
  })
  if (why_not) return <NoRight protocol="MEAL" operation="statement" />
  return (
    <section aria-label="Spend over time">
      <h2>The last {days_shown} days</h2>
      <AnswerOf query={query}>
        {(days) => {
          const labels = days.map(({ day }) => dayText(day))
          const charts = [
            ['Cost', 'by day', days.map(({ amount_usd }) => Number(amount_usd)), moneyText],
            ['Tokens', 'by day', days.map(({ tokens }) => tokens), countText],
            ['Time of calls', 'by day', days.map(({ seconds }) => seconds * 1000), durationText],
            ['Energy', 'by day', days.map(({ watts_kWh }) => watts_kWh * 1000), energyText],
          ] as const
          return (
            <div className="two">
              {charts.map(([title, unit, values, valueText]) => (
                <TimeChart
                  key={title}
                  title={title}
                  unit={unit}
                  kind="bars"
                  labels={labels}
                  valueText={valueText}
                  series={[{ name: title, color: 'indigo.5', values }]}
                />
              ))}
            </div>
          )
        }}
      </AnswerOf>
    </section>
  )
}
