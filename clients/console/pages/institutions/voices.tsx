// What was decided and what was said against it: two cards of one size, because dissent is part of the verdict.
import type { ReactNode } from 'react'
import { Long } from '../../parts/words.tsx'

export interface Voice {
  readonly did: string
  readonly reasoning: string
  /** What the voice wanted, where that is more than for or against. */
  readonly wanted?: string
}

interface Props {
  readonly title: string
  readonly head: ReactNode
  readonly voices: readonly Voice[]
  readonly empty: string
}

export function dissentHead(count: number): string {
  return count === 0 ? '0 outvoted.' : `${count} outvoted; what they said stands here for ever.`
}

export function Voices({ title, head, voices, empty }: Props) {
  return (
    <section className="card voices" aria-label={title}>
      <h3>{title}</h3>
      <p>{head}</p>
      {voices.length === 0 && <p className="empty">{empty}</p>}
      <ul className="plain-list">
        {voices.map(({ did, reasoning, wanted }) => (
          <li key={did}>
            <Long text={did} /> {wanted && <span className="quiet">{wanted}</span>}
            <blockquote className="said">{reasoning}</blockquote>
          </li>
        ))}
      </ul>
    </section>
  )
}
