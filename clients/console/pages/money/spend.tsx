import { AnswerOf } from '../../parts/answer-of.tsx'
import { LineChart } from '../../parts/line-chart.tsx'
import { StateMark, When } from '../../parts/words.tsx'
import { useQuery } from '../../shell/use-query.ts'
import { useSession, useWhyNot } from '../../shell/use-session.tsx'
import { lastDays, spendDays } from './spend-days.ts'

const days_shown = 30

export function Spend() {
  return (
    <>
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
  if (why_not) return <p className="note">{why_not}</p>
  return (
    <section aria-label="Runway">
      <h2>Runway</h2>
      <AnswerOf query={query}>
        {(budget) =>
          budget && (
            <>
              <dl className="cards">
                <Card name="Left" value={`${budget.remaining_usd} USD`} />
                <Card
                  name="Lasts"
                  value={budget.runway_days === null ? 'no spend' : `${budget.runway_days} days`}
                />
                <Card name="Spend per day" value={`${budget.burn_per_day} USD`} />
                <Card name="Reserved" value={`${budget.reserved} USD`} />
                <Card name="Paid in" value={`${budget.paid_in} USD`} />
                <Card name="Credit line" value={`${budget.credit_line} USD`} />
              </dl>
              <p>
                <StateMark state={budget.level} /> as of <When at={budget.as_of} />
              </p>
            </>
          )
        }
      </AnswerOf>
    </section>
  )
}

function Card({ name, value }: { name: string; value: string }) {
  return (
    <div className="card">
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

/** Tokens, seconds, energy and cost: four charts, because they share no unit. */
function SpendOverTime() {
  const { tenant_id } = useSession()
  const why_not = useWhyNot('MEAL', 'statement')
  const query = useQuery('spend', async (client, signal) => {
    if (why_not) return []
    const period = lastDays(performance.timeOrigin + performance.now(), days_shown)
    const { groups = [] } = await client.meal.statement({ tenant_id, period, group_by: ['day'] }, { signal })
    return spendDays(groups, period)
  })
  if (why_not) return <p className="note">{why_not}</p>
  return (
    <section aria-label="Spend over time">
      <h2>The last {days_shown} days</h2>
      <AnswerOf query={query}>
        {(days) => {
          const labels = days.map(({ day }) => day)
          return (
            <div className="two">
              <LineChart
                title="Tokens"
                unit="tokens per day"
                labels={labels}
                series={[{ name: 'tokens', values: days.map(({ tokens }) => tokens) }]}
              />
              <LineChart
                title="Time"
                unit="seconds per day"
                labels={labels}
                series={[{ name: 'seconds', values: days.map(({ seconds }) => seconds) }]}
              />
              <LineChart
                title="Energy"
                unit="kWh per day"
                labels={labels}
                series={[{ name: 'kWh', values: days.map(({ watts_kWh }) => watts_kWh) }]}
              />
              <LineChart
                title="Cost"
                unit="USD per day"
                labels={labels}
                series={[{ name: 'USD', values: days.map(({ amount_usd }) => Number(amount_usd)) }]}
              />
            </div>
          )
        }}
      </AnswerOf>
    </section>
  )
}
