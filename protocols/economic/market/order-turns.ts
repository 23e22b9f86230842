// Orders of one book come one after the other anyway. Here they wait without a connection; in the database each would hold
// one, and a single busy book would leave none for anybody else.
import { refuse } from '@svc/contract/refusal'

const waiting_max = 512
const retry_after_ms = 1_000

interface Line {
  last: Promise<void>
  waiting: number
}

const lines = new Map<string, Line>()

/** The lock in the database still decides, between engines too: this only keeps the line before it short. */
export async function inTurn<Result>(
  tenant_id: string,
  instrument: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const book = `${tenant_id}|${instrument}`
  const line = lines.get(book) ?? { last: Promise.resolve(), waiting: 0 }
  if (line.waiting >= waiting_max)
    throw refuse(
      'rate_limited',
      `More orders wait for ${instrument} than can be taken now; try again shortly.`,
      {
        reason: 'book busy',
        retry_after_ms,
      },
    )
  lines.set(book, line)
  const before = line.last
  const { promise, resolve: done } = Promise.withResolvers<void>()
  line.last = promise
  line.waiting += 1
  await before
  try {
    return await work()
  } finally {
    line.waiting -= 1
    if (line.waiting === 0) lines.delete(book)
    done()
  }
}
