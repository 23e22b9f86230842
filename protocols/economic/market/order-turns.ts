// Orders of one order book run one at a time anyway. Here they wait without a database connection;
// otherwise one busy order book could use up all connections.
import { refuse } from '@svc/contract/refusal'

const waiting_max = 512
const retry_after_ms = 1_000

interface Line {
  last: Promise<void>
  waiting: number
}

/** Per engine, since it saves its connections. */
const lines_of = new WeakMap<object, Map<string, Line>>()

/** The database lock still decides, also between engines: this only shortens the queue for it. */
export async function inTurn<Result>(
  engine: object,
  tenant_id: string,
  instrument: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const book = `${tenant_id}|${instrument}`
  const lines = lines_of.get(engine) ?? new Map<string, Line>()
  lines_of.set(engine, lines)
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
