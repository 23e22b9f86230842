// One institution: with its details if the caller may read them, without them otherwise.
import type { ReactNode } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { hashOf } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { type AskWhole, readWhole } from './read-whole.ts'

interface Props<Item> {
  readonly part: string
  /** The text of the link back, e.g. "All treaties". */
  readonly all: string
  readonly id: string
  readonly ask: AskWhole<Item>
  readonly children: (item: Item, again: () => void) => ReactNode
}

export function Whole<Item>({ part, all, id, ask, children }: Props<Item>) {
  const query = useQuery(`one of ${part} ${id}`, (client, signal) => readWhole(client, ask, signal))
  return (
    <>
      <p>
        <a href={hashOf('organizations', [part])}>{all}</a>
      </p>
      <AnswerOf query={query}>
        {({ item, withheld }) =>
          item === undefined ? (
            <p className="note">
              Your organization has none with this id: <code>{id}</code>
            </p>
          ) : (
            <>
              {withheld && <p className="note">You may not read its details: {withheld}</p>}
              {children(item, query.again)}
            </>
          )
        }
      </AnswerOf>
    </>
  )
}
