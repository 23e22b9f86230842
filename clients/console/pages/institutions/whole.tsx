// One of them, whole: with its papers where the caller may read them, and without where it may not.
import type { ReactNode } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { hashOf } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { type AskWhole, readWhole } from './read-whole.ts'

interface Props<Item> {
  readonly part: string
  /** What stands in the link back, e.g. "All treaties". */
  readonly all: string
  readonly id: string
  readonly ask: AskWhole<Item>
  readonly children: (item: Item, again: () => void) => ReactNode
}

export function Whole<Item>({ part, all, id, ask, children }: Props<Item>) {
  const query = useQuery(`${part} ${id}`, (client, signal) => readWhole(client, ask, signal))
  return (
    <>
      <p>
        <a href={hashOf('institutions', [part])}>{all}</a>
      </p>
      <AnswerOf query={query}>
        {({ item, withheld }) =>
          item === undefined ? (
            <p className="note">
              Your organization has nothing of this name: <code>{id}</code>
            </p>
          ) : (
            <>
              {withheld && <p className="note">Its papers are not shown to you: {withheld}</p>}
              {children(item, query.again)}
            </>
          )
        }
      </AnswerOf>
    </>
  )
}
