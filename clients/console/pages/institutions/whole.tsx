// One of them, whole: with its papers where the caller may read them, and without where it may not.
import type { Client } from '@svc/sdk'
import type { ReactNode } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { hashOf } from '../../shell/address.ts'
import { isRefusal, useAsked } from '../../shell/use-asked.ts'

interface Props<Item> {
  readonly part: string
  /** What stands in the link back, e.g. "All treaties". */
  readonly all: string
  readonly id: string
  readonly ask: (client: Client, include_detail: boolean, signal: AbortSignal) => Promise<{ items: Item[] }>
  readonly children: (item: Item, again: () => void) => ReactNode
}

export function Whole<Item>({ part, all, id, ask, children }: Props<Item>) {
  const asked = useAsked(`${part} ${id}`, (client, signal) => readWhole(client, ask, signal))
  return (
    <>
      <p>
        <a href={hashOf('institutions', [part])}>{all}</a>
      </p>
      <AnswerOf asked={asked}>
        {({ item, withheld }) =>
          item === undefined ? (
            <p className="note">
              Your organization has nothing of this name: <code>{id}</code>
            </p>
          ) : (
            <>
              {withheld && <p className="note">Its papers are not shown to you: {withheld}</p>}
              {children(item, asked.again)}
            </>
          )
        }
      </AnswerOf>
    </>
  )
}

/** Heads are told to the whole organization, papers only to who is concerned. */
async function readWhole<Item>(client: Client, ask: Props<Item>['ask'], signal: AbortSignal) {
  try {
    const { items } = await ask(client, true, signal)
    return { item: items[0], withheld: undefined }
  } catch (error) {
    if (!(error instanceof Error && isRefusal(error) && error.code === 'policy_denied')) throw error
    const { items } = await ask(client, false, signal)
    return { item: items[0], withheld: error.message }
  }
}
