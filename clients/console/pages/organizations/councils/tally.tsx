// The tally of a motion as bars: who has come, how the seats voted, and the marks that it has to reach.
import { plural } from '../../../parts/figures.ts'
import type { Motion } from './motion.ts'
import { type Segment, shareOf, tallyBars } from './tally-bars.ts'

export function Tally({ motion }: { motion: Motion }) {
  return (
    <section className="panel tally" aria-label="Tally">
      <h3>Tally</h3>
      {tallyBars(motion).map(({ name, segments, mark, met, whole }) => (
        <figure key={name} className="tally-bar">
          <figcaption>
            {name}
            {mark && (
              <span className={met === undefined ? 'quiet' : met ? 'reached' : 'missed'}>
                {met === undefined ? 'needs' : met ? 'reached' : 'not reached:'} {mark.text}
              </span>
            )}
          </figcaption>
          <div className="tally-track" aria-hidden="true">
            {segments.map(({ name: part, tone, count }) => (
              <span key={part} className={tone} style={{ width: `${shareOf(count, whole)}%` }} />
            ))}
            {mark && <i style={{ left: `${mark.share * 100}%` }} />}
          </div>
          <ul className="tally-names">
            {segments.map((segment) => (
              <SegmentName key={segment.name} {...segment} />
            ))}
          </ul>
        </figure>
      ))}
      {!motion.verdict && (
        <p className="quiet">
          Votes stay hidden until the tally, so that nobody votes by what others did. There are{' '}
          {plural(motion.seats, 'seat')}.
        </p>
      )}
    </section>
  )
}

function SegmentName({ name, tone, count }: Segment) {
  return (
    <li>
      <span className={`swatch ${tone}`} aria-hidden="true" /> {count} {name}
    </li>
  )
}
