// Live metrics, sent by the engine about once a second.
import { stages as stage_table } from '../../../../generated/sdk-operations.ts'
import type { LiveFigures } from '../../../../generated/sdk-types.ts'
import { BarList } from '../../parts/bar-list.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { LineChart } from '../../parts/line-chart.tsx'
import { StateMark } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { type Feed, useLiveFeed } from './live-feed.ts'
import { bytesText, callSeries, durationText, refusalBars, rounded } from './stored-figures.ts'

export function NowPage() {
  const feed = useLiveFeed()
  const newest = feed.kept.at(-1)
  if (feed.state === 'refused')
    return (
      <p role="alert" className="problem">
        {feed.sentence}
      </p>
    )
  return (
    <>
      <p role="status">
        <FeedState feed={feed} />
      </p>
      {newest && <Figures feed={feed} newest={newest} />}
    </>
  )
}

function FeedState({ feed }: { feed: Feed }) {
  const newest = feed.kept.at(-1)
  if (feed.state === 'away') return <StateMark state="connection lost; reconnecting" />
  if (!newest) return <>Connecting …</>
  const { version, instance, uptime_seconds } = newest.engine
  return (
    <>
      <StateMark state="live" /> engine {version}, up {durationText(uptime_seconds)}{' '}
      <span className="quiet">process {instance}</span>
    </>
  )
}

function Figures({ feed, newest }: { feed: Feed; newest: LiveFigures }) {
  const { minute, audit, runway, breakers } = newest
  return (
    <>
      <Cards newest={newest} />
      <div className="two">
        <LineChart
          title="Calls"
          unit="calls per second"
          labels={feed.kept.map(({ at }) => at.slice(11, 19))}
          series={callSeries(feed.kept)}
        />
        <BarList
          title="Refusals by reason"
          unit="calls in the last minute"
          bars={refusalBars(minute.by_code)}
          empty="No refusals in the last minute."
        />
      </div>
      <div className="two">
        <StageTable stages={newest.stages} />
        <ProtocolTable rows={minute.by_protocol} />
      </div>
      <div className="two">
        <BreakerTable rows={breakers} />
        <section aria-label="Runway and audit log">
          <h2>Runway</h2>
          {runway ? (
            <dl className="facts">
              <Fact name="Level" value={<StateMark state={runway.level} />} />
              <Fact name="Left" value={`${runway.left_usd} USD`} />
              <Fact name="Spent" value={`${runway.spent_usd} USD`} />
              <Fact name="Reserved" value={`${runway.reserved_usd} USD`} />
              <Fact name="Holds" value={runway.holds} />
              <Fact name="Standing" value={runway.standing} />
            </dl>
          ) : (
            <p className="empty">Not read yet.</p>
          )}
          <p>
            <a href={hashOf('money')}>More about money</a>
          </p>
          <h2>Audit buffer</h2>
          <dl className="facts">
            <Fact name="State" value={<StateMark state={audit.state} />} />
            <Fact name="Records in the chain" value={audit.head_seq ?? 0} />
            {audit.journal_bytes !== null && (
              <Fact
                name="Buffer"
                value={`${bytesText(audit.journal_bytes)} of ${bytesText(audit.journal_bytes_max ?? 0)}`}
              />
            )}
          </dl>
        </section>
      </div>
    </>
  )
}

function Cards({ newest: { minute, engine, second } }: { newest: LiveFigures }) {
  const refused = Object.entries(minute.by_code).reduce(
    (sum, [code, count]) => (code === 'ok' ? sum : sum + count),
    0,
  )
  const { p50, p95, p99 } = minute.latency_ms
  const cards: readonly (readonly [string, string | number | null])[] = [
    ['Calls per second', rounded(minute.per_second)],
    ['In the last second', second.calls],
    ['In the last minute', minute.calls],
    ['Refused or failed in the last minute', refused],
    ['p50 / p95 / p99', `${[p50, p95, p99].map(rounded).join(' / ')} ms`],
    ['In flight', engine.in_flight],
    ['Event loop p99', engine.loop_delay_p99_ms === null ? null : `${rounded(engine.loop_delay_p99_ms)} ms`],
  ]
  return (
    <dl className="cards">
      {cards
        .filter(([, value]) => value !== null)
        .map(([name, value]) => (
          <div key={name} className="card">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}

function StageTable({ stages }: { stages: LiveFigures['stages'] }) {
  return (
    <DataTable
      caption="Latency by stage"
      rows={stages}
      keyOf={({ stage }) => String(stage)}
      empty="No calls yet."
      columns={[
        { head: 'Stage', cell: ({ stage }) => `${stage} ${stage_table[stage]?.title}` },
        { head: 'p50 ms', is_number: true, cell: ({ p50_ms }) => rounded(p50_ms) },
        { head: 'p99 ms', is_number: true, cell: ({ p99_ms }) => rounded(p99_ms) },
        { head: 'Calls', is_number: true, cell: ({ calls }) => calls ?? '–' },
      ]}
    />
  )
}

function ProtocolTable({ rows }: { rows: LiveFigures['minute']['by_protocol'] }) {
  return (
    <DataTable
      caption="Busiest protocols, last minute"
      rows={rows}
      keyOf={({ protocol }) => protocol}
      empty="No calls in the last minute."
      columns={[
        { head: 'Protocol', cell: ({ protocol }) => protocol },
        { head: 'Calls', is_number: true, cell: ({ calls }) => calls },
        { head: 'Refused', is_number: true, cell: ({ refused }) => refused },
        { head: 'Failed', is_number: true, cell: ({ errors }) => errors },
        { head: 'p95 ms', is_number: true, cell: ({ p95_ms }) => rounded(p95_ms) },
      ]}
    />
  )
}

function BreakerTable({ rows }: { rows: LiveFigures['breakers'] }) {
  return (
    <DataTable
      caption="Circuit breakers"
      rows={rows}
      keyOf={({ protocol, endpoint }) => `${protocol} ${endpoint}`}
      empty="All circuits are closed (healthy)."
      columns={[
        { head: 'Protocol', cell: ({ protocol }) => protocol },
        { head: 'Endpoint', cell: ({ endpoint }) => endpoint ?? '–' },
        { head: 'State', cell: ({ state }) => <StateMark state={state} /> },
      ]}
    />
  )
}

function Fact({ name, value }: { name: string; value: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
