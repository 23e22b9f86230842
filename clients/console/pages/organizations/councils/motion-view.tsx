// One motion: its text, members, verdict and dissent.
import { DataTable } from '../../../parts/data-table.tsx'
import { When } from '../../../parts/figure.tsx'
import { Who } from '../../../parts/who.tsx'
import { Id, StateBadge } from '../../../parts/words.tsx'
import { Facts } from '../facts.tsx'
import { dissentHead, Voices } from '../voices.tsx'
import { Whole } from '../whole.tsx'
import { CloseMotion } from './close-motion.tsx'
import { type Motion, type MotionDetail, thresholdText } from './motion.ts'
import { shareWords } from './share-words.ts'
import { TakePosition } from './take-position.tsx'
import { Tally } from './tally.tsx'

export function MotionView({ motion_id }: { motion_id: string }) {
  return (
    <Whole
      part="councils"
      all="All motions"
      id={motion_id}
      ask={(client, include_detail, signal) => client.mace.list({ motion_id, include_detail }, { signal })}
    >
      {(motion, again) => (
        <>
          <Head motion={motion} />
          <Tally motion={motion} />
          {motion.detail && (
            <>
              {motion.detail.verdict && <Verdict motion={motion} verdict={motion.detail.verdict} />}
              <TakePosition motion={motion} seats={motion.detail.motion.seats} onTaken={again} />
              <CloseMotion motion={motion} onClosed={again} />
              <Seats detail={motion.detail} />
              <Binds binds={motion.detail.motion.binds} />
              <Effects detail={motion.detail} />
            </>
          )}
        </>
      )}
    </Whole>
  )
}

function Head({ motion }: { motion: Motion }) {
  const { title, state, threshold, detail } = motion
  return (
    <>
      <h2>
        {title} <StateBadge state={state} />
      </h2>
      {detail && <blockquote className="said">{detail.motion.text}</blockquote>}
      <Facts
        facts={[
          ['Of the charter', motion.charter_level ? 'yes: it binds the whole organization' : 'no'],
          ['Called', <When key="at" at={motion.convened_at} />],
          ['Called by', <Who key="by" did={motion.convened_by} />],
          ['Deadline', <When key="until" at={motion.deadline_at} />],
          ['Passes with', thresholdText(threshold)],
          detail && [
            'Quorum',
            `${shareWords(detail.quorum.attendance)} come, ${shareWords(detail.quorum.threshold)} agree`,
          ],
          detail && ['Opens', detail.motion.opens_when],
          ['Motion', <Id key="hash" text={motion.motion_hash} chars={20} />],
        ]}
      />
    </>
  )
}

function Verdict({ motion, verdict }: { motion: Motion; verdict: NonNullable<MotionDetail['verdict']> }) {
  const { outcome, counts, majority = [], dissent = [], valid_until, ref } = verdict
  return (
    <section aria-label="Verdict and dissent">
      <div className="two">
        <Voices
          title="Verdict"
          head={
            <>
              {outcome && <StateBadge state={outcome} />}{' '}
              {counts && `${counts.for} for, ${counts.against} against, ${counts.abstain} abstained, `}
              {counts && `${counts.recused} recused, ${counts.absent} absent`}
            </>
          }
          voices={majority}
          empty="No votes in favour."
        />
        <Voices
          title="Dissent"
          head={dissentHead(dissent.length)}
          voices={dissent}
          empty="Nobody was outvoted."
        />
      </div>
      <Facts
        facts={[
          ref !== undefined && ['Verdict', <Id key="ref" text={ref} chars={30} />],
          motion.verdict && ['Declared', <When key="at" at={motion.verdict.tallied_at} />],
          valid_until !== undefined && ['Valid until', <When key="until" at={valid_until} />],
          motion.verdict && ['Used', `${motion.verdict.uses} of ${motion.verdict.max_uses} times`],
        ]}
      />
    </section>
  )
}

function Seats({ detail }: { detail: MotionDetail }) {
  const positions = new Map((detail.positions ?? []).map((position) => [position.did, position]))
  const is_counted = detail.positions !== undefined
  return (
    <DataTable
      caption="Seats"
      rows={detail.motion.seats}
      keyOf={({ did }) => did}
      empty="No members."
      columns={[
        { head: 'Who', cell: ({ did }) => <Who did={did} /> },
        { head: 'Required', cell: ({ required }) => (required ? 'yes' : 'no') },
        {
          head: 'Position',
          cell: ({ did }) =>
            positions.get(did)?.position ?? (is_counted ? 'absent' : 'hidden until all have voted'),
        },
        { head: 'Signed', cell: ({ did }) => positions.get(did)?.signed ?? '–' },
      ]}
    />
  )
}

function Binds({ binds }: { binds: Motion['binds'] }) {
  if (binds.length === 0) return null
  return (
    <DataTable
      caption="What it would allow"
      rows={binds.map((bind, place) => ({ ...bind, place }))}
      keyOf={({ place }) => String(place)}
      empty="Nothing."
      columns={[
        { head: 'Operation', cell: ({ protocol, operation }) => `${protocol} ${operation}` },
        { head: 'Subject', cell: ({ subject }) => <Id text={subject} chars={40} /> },
      ]}
    />
  )
}

function Effects({ detail: { motion } }: { detail: MotionDetail }) {
  return motion.effects.map(({ kind, add, remove }) => (
    <div key={kind}>
      <h3>Takes effect by itself: the members of the charter</h3>
      <Facts
        facts={[
          ...add.map((did) => [`Joins ${did.slice(-6)}`, <Id key={did} text={did} />] as const),
          ...remove.map((did) => [`Leaves ${did.slice(-6)}`, <Id key={did} text={did} />] as const),
        ]}
      />
    </div>
  ))
}
