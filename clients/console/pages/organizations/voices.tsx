// The decision and the dissent as two cards of equal size, because dissent is part of the verdict.
import type { ReactNode } from 'react'
import { Who } from '../../parts/who.tsx'

export interface Voice {
  readonly did: string
  readonly reasoning: string
  /** The position, if it is more than for or against. */
  readonly wanted?: string
}

interface Props {
  readonly title: string
  readonly head: ReactNode
  readonly voices: readonly Voice[]
  readonly empty: string
}

export function dissentHead(count: number): string {
  return count === 0 ? '0 outvoted.' : `${count} outvoted; their statements are kept permanently.`
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
            <Who did={did} /> {wanted && <span className="quiet">{wanted}</span>}
            <blockquote className="said">{reasoning}</blockquote>
          </li>
        ))}
      </ul>
    </section>
  )
}
