import { type TreatyBody, type TreatyDetail, termDiff } from './term-lines.ts'

interface Props {
  readonly amendment: NonNullable<TreatyDetail['amendment']>
  readonly body: TreatyBody
  readonly reason: string | undefined
}

const signs = { same: '', before: '− was', after: '+ new' } as const

/** A line diff of the current and the proposed terms; marked by signs and words, not only by colour. */
export function AmendmentDiff({ amendment, body, reason }: Props) {
  const lines = termDiff(amendment.before, body).map((line, place) => ({ ...line, place }))
  const count = (change: string) => lines.filter((line) => line.change === change).length
  return (
    <section aria-label="What it changes">
      <h2>What it changes</h2>
      {reason && <blockquote className="said">{reason}</blockquote>}
      <p>
        Lines removed: {count('before')}; added: {count('after')}; unchanged: {count('same')}.{' '}
        {amendment.widening
          ? 'It grants more than before, so each side needs a decision of its charter.'
          : 'It grants no more than before, so one signature of each side is enough.'}
      </p>
      <ol className="diff">
        {lines.map(({ change, text, place }) => (
          <li key={place} className={change}>
            <span>{signs[change]}</span>
            {change === 'before' ? (
              <del>{text}</del>
            ) : change === 'after' ? (
              <ins>{text}</ins>
            ) : (
              <span>{text}</span>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
