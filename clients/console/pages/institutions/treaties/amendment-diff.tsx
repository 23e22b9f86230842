import { type TreatyBody, type TreatyDetail, termDiff } from './term-lines.ts'

interface Props {
  readonly amendment: NonNullable<TreatyDetail['amendment']>
  readonly body: TreatyBody
  readonly reason: string | undefined
}

const signs = { same: '', before: '− was', after: '+ new' } as const

/** Line by line from what stands to what was proposed; marks and words say it, not only colours. */
export function AmendmentDiff({ amendment, body, reason }: Props) {
  const lines = termDiff(amendment.before, body).map((line, place) => ({ ...line, place }))
  const count = (change: string) => lines.filter((line) => line.change === change).length
  return (
    <section aria-label="What it changes">
      <h2>What it changes</h2>
      {reason && <blockquote className="said">{reason}</blockquote>}
      <p>
        Lines that go: {count('before')}; that come: {count('after')}; that stay: {count('same')}.{' '}
        {amendment.widening
          ? 'It lets somebody do more than before, so the charter of each side decides on it.'
          : 'It lets nobody do more than before, so one voice of each side is enough.'}
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
