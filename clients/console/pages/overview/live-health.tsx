// Health now, sent by the engine about once a second.
import { Alert } from '@mantine/core'
import { stages as stage_table } from '../../../../generated/sdk-operations.ts'
import type { LiveFigures } from '../../../../generated/sdk-types.ts'
import { DataTable } from '../../parts/data-table.tsx'
import { Count, Duration, Fact, Money } from '../../parts/figure.tsx'
import { bytesText, durationText, rateText } from '../../parts/figures.ts'
import { breakerWord } from '../../parts/tone.ts'
import { StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { words } from '../../words/en.ts'
import { type Feed, useLiveFeed } from './live-feed.ts'

export function LiveHealth() {
  const feed = useLiveFeed()
  const { newest } = feed
  if (feed.state === 'refused') return <Alert color="red" role="alert" title={feed.sentence} />
  return (
    <section className="panel" aria-label="Health now">
      <div className="row middle" role="status">
        <FeedState feed={feed} />
      </div>
      {newest ? <HealthFacts newest={newest} /> : <NoFactsYet />}
      <Details stages={newest?.stages ?? []} breakers={newest?.breakers ?? []} />
    </section>
  )
}

function FeedState({ feed }: { feed: Feed }) {
  const { newest } = feed
  if (feed.state === 'away') return <StateBadge state="connection lost; reconnecting" />
  if (!newest) return <>Connecting …</>
  const failing = newest.breakers.filter(({ state }) => state === 'OPEN').length
  const is_well = failing === 0 && newest.audit.state === 'normal'
  return (
    <>
      <StateBadge state="live" />
      <strong>
        {is_well
          ? 'All is well'
          : failing > 0
            ? `${failing} endpoints are failing`
            : 'The audit log needs attention'}
      </strong>
      <span className="quiet">
        engine {newest.engine.version}, up {durationText(newest.engine.uptime_seconds * 1000)}
      </span>
    </>
  )
}

function HealthFacts({ newest: { minute, engine, audit, runway } }: { newest: LiveFigures }) {
  return (
    <dl className="facts">
      <Fact
        name="Traffic"
        value={minute.calls > 0 ? rateText(minute.per_second) : 'no calls in the last minute'}
      />
      {minute.calls > 0 && (
        <Fact name="p95 in the last minute" value={<Duration ms={minute.latency_ms.p95} />} />
      )}
      {engine.in_flight !== null && <Fact name="In progress" value={<Count of={engine.in_flight} />} />}
      {runway && <Fact name="Budget left" value={<Money usd={runway.left_usd} />} />}
      {runway && <Fact name="Runway" value={<StateBadge state={runway.level} />} />}
      <Fact name="Audit log" value={<StateBadge state={audit.state} />} />
      <Fact name="Records" value={<Count of={audit.head_seq ?? 0} />} />
      {audit.journal_bytes !== null && (
        <Fact
          name="Audit buffer"
          value={`${bytesText(audit.journal_bytes)} of ${bytesText(audit.journal_bytes_max ?? 0)}`}
        />
      )}
    </dl>
  )
}

/** In the room that the facts will take, so that what stands below does not move when they come. */
function NoFactsYet() {
  const names = ['Traffic', 'In progress', 'Budget left', 'Runway', 'Audit log', 'Records', 'Audit buffer']
  return (
    <dl className="facts">
      {names.map((name) => (
        <Fact key={name} name={name} value={words.none} />
      ))}
    </dl>
  )
}

function Details({ stages, breakers }: Pick<LiveFigures, 'stages' | 'breakers'>) {
  // Only the operator sees how often a stage ran.
  const has_counts = stages.some(({ calls }) => calls !== null)
  return (
    <details>
      <summary>Stages and circuit breakers</summary>
      <div className="two">
        <DataTable
          caption="Latency by stage"
          rows={stages}
          keyOf={({ stage }) => String(stage)}
          empty="No calls yet."
          columns={[
            { head: 'Stage', cell: ({ stage }) => `${stage} ${stage_table[stage]?.title}` },
            { head: 'p50', is_number: true, cell: ({ p50_ms }) => <Duration ms={p50_ms} /> },
            { head: 'p99', is_number: true, cell: ({ p99_ms }) => <Duration ms={p99_ms} /> },
            ...(has_counts
              ? [
                  {
                    head: 'Calls',
                    is_number: true,
                    cell: ({ calls }: { calls: number | null }) => <Count of={calls} />,
                  },
                ]
              : []),
          ]}
        />
        <DataTable
          caption="Circuit breakers"
          rows={breakers}
          keyOf={({ protocol, endpoint }) => `${protocol} ${endpoint}`}
          empty="All endpoints are healthy."
          columns={[
            { head: 'Protocol', cell: ({ protocol }) => protocol },
            { head: 'Endpoint', cell: ({ endpoint }) => endpoint ?? '–' },
            { head: 'State', cell: ({ state }) => <StateBadge state={breakerWord(state)} /> },
          ]}
        />
      </div>
      <p>
        <a href={hashOf('mesh', ['endpoints'])}>All endpoints</a>
      </p>
    </details>
  )
}
