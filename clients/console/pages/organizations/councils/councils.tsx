// Councils: their motions and verdicts.
import { Button } from '@mantine/core'
import type { InputOf } from '@svc/sdk'
import { DataTable } from '../../../parts/data-table.tsx'
import { everyOf } from '../../../parts/every-of.ts'
import { When } from '../../../parts/figure.tsx'
import { NoRight } from '../../../parts/no-right.tsx'
import { StateBadge } from '../../../parts/words.tsx'
import { hashOf, type Place } from '../../../shell/address.ts'
import { useWhyNot } from '../../../shell/use-session.tsx'
import { words } from '../../../words/en.ts'
import { Listing } from '../listing.tsx'
import { ConveneMotion } from './convene-motion.tsx'
import { type Motion, thresholdText } from './motion.ts'
import { MotionView } from './motion-view.tsx'

const text = words.councils

const states = everyOf<NonNullable<InputOf<'MACE', 'list'>['state']>>({
  CONVENED: true,
  OPEN: true,
  TALLIED: true,
  LAPSED: true,
  WITHDRAWN: true,
})

export function Councils({ place }: { place: Place }) {
  const why_not = useWhyNot('MACE', 'list')
  const why_not_convene = useWhyNot('MACE', 'convene')
  const [, id] = place.rest
  if (why_not) return <NoRight protocol="MACE" operation="list" />
  if (id === 'new') return <ConveneMotion query={place.query} />
  if (id) return <MotionView key={id} motion_id={id} />
  return (
    <>
      {!why_not_convene && (
        <p>
          <Button component="a" href={hashOf('organizations', ['councils', 'new'])}>
            {text.convene}
          </Button>
        </p>
      )}
      <Listing
        part="councils"
        states={states}
        query={place.query}
        ask={(client, page, signal) => client.mace.list(page, { signal })}
      >
        {(items) => <MotionTable items={items} />}
      </Listing>
    </>
  )
}

function MotionTable({ items }: { items: readonly Motion[] }) {
  return (
    <DataTable
      caption={text.motions}
      rows={items}
      keyOf={({ motion_id }) => motion_id}
      empty={text.no_motions}
      columns={[
        {
          head: text.motion,
          cell: ({ motion_id, title }) => (
            <a href={hashOf('organizations', ['councils', motion_id])}>{title}</a>
          ),
        },
        { head: text.state, cell: ({ state }) => <StateBadge state={state} /> },
        { head: text.level, cell: ({ charter_level }) => (charter_level ? text.of_charter : text.ordinary) },
        {
          head: text.present,
          cell: ({ attendance: { present, needed }, seats, threshold }) => (
            <span className="figure" title={`${text.carried_by(thresholdText(threshold))}`}>
              {text.present_of(present, seats, needed)}
            </span>
          ),
        },
        { head: text.deadline, cell: ({ deadline_at }) => <When at={deadline_at} /> },
        {
          head: text.verdict,
          cell: ({ verdict }) => (verdict ? <Outcome verdict={verdict} /> : text.no_verdict),
        },
      ]}
    />
  )
}

function Outcome({ verdict }: { verdict: NonNullable<Motion['verdict']> }) {
  const { outcome, counts, dissent } = verdict
  return (
    <>
      <StateBadge state={outcome} />{' '}
      <span className="figure">
        {text.votes(counts.for, counts.against)}
        {dissent > 0 && (
          <>
            , <strong>{text.dissents(dissent)}</strong>
          </>
        )}
      </span>
    </>
  )
}
