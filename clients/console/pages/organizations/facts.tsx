import type { ReactNode } from 'react'

export type Fact = readonly [name: string, value: ReactNode]

/** Facts without a value are omitted. */
export function Facts({ facts }: { facts: readonly (Fact | undefined | false)[] }) {
  return (
    <dl className="facts">
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
