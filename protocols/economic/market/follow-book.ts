// MARKET follow_book: what happens in an order book, change by change, each with the next seq. As a stream, or as one
// answer that waits for something new. No transaction is open while it waits.
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { BestLevels } from './best-levels.ts'
import { bookTopic } from './book-topic.ts'
import { type BookName, type FeedRow, readFeed, readLevels, type StoredBook } from './feed-store.ts'
import {
  answer_events_max,
  changeShown,
  type FollowAnswer,
  type FollowEvent,
  type FollowInput,
  retained_changes_max,
  snapshotShown,
  stream_events_max,
} from './follow-input.ts'
import { enterFollower } from './followers.ts'
import { findInstrument } from './instrument.ts'

const depth_default = 10
const levels_max = 1_000
const page_max = 500
/** Change notifications may be lost, so waiting also polls. */
const poll_ms = 2_000
const polls_max = 10_000

type Context = OperationContext<'change_notifications' | 'engine'>

/** One who follows, and how far. */
interface Follower {
  readonly name: BookName
  readonly depth: number
  readonly events_max: number
  /** Undefined where the caller wants one answer. */
  readonly streamed: ((event: FollowEvent) => void) | undefined
  readonly events: FollowEvent[]
  sent: number
  seq: number
  best: BestLevels
}

export async function followBook(input: FollowInput, context: Context): Promise<FollowAnswer> {
  const { instrument, wait_ms = 0, stream = false, depth = depth_default } = input
  if (stream && context.invoke.metadata.origin === 'mcp') throw noStreamOverMcp()
  const name = { tenant_id: context.tenant_id, instrument }
  const leave = enterFollower(context.engine, context.caller.did)
  const listening = context.change_notifications.listen(bookTopic(name.tenant_id, instrument))
  try {
    await context.apart(({ db }) => findInstrument(db, instrument))
    const follower = await open(input, context, {
      ...{ name, depth, events: [], sent: 0 },
      events_max: stream ? stream_events_max : answer_events_max,
      streamed: stream ? (event) => send(context, event) : undefined,
    })
    for (let polls = 0; polls < polls_max; polls++) {
      const is_all = await take(context, follower)
      const waited_ms = listening.elapsed_ms()
      const is_answered = !stream && follower.events.length > 0
      if (follower.sent >= follower.events_max || waited_ms >= wait_ms || context.signal.aborted) break
      if (!is_all) continue
      if (is_answered) break
      await listening.wait(Math.min(wait_ms - waited_ms, poll_ms), context.signal)
    }
    return { events: follower.events, next_seq: follower.seq }
  } finally {
    listening.close()
    leave()
  }
}

/** From a snapshot, or from the place that the caller names. */
async function open(
  { after_seq }: FollowInput,
  context: Context,
  follower: Omit<Follower, 'seq' | 'best'>,
): Promise<Follower> {
  const { name, depth } = follower
  const stored_book = await context.apart(({ db }) => readLevels(db, name, levels_max))
  const best = new BestLevels(depth, levels_max, stored_book.sides)
  const opened = Object.assign(follower, { seq: after_seq ?? stored_book.seq, best })
  if (after_seq === undefined) deliver(opened, snapshotShown(stored_book, best))
  else await goBack(context, opened, stored_book)
  return opened
}

/** The levels as they were at the wished place: what happened since is undone. */
async function goBack(
  context: Context,
  { name, seq, best }: Follower,
  stored_book: StoredBook,
): Promise<void> {
  if (seq > stored_book.seq)
    throw refuse(
      'policy_denied',
      `The order book ${name.instrument} is at ${stored_book.seq} and was never at ${seq}; follow it without after_seq.`,
      { reason: 'place not reached', book_seq: stored_book.seq },
    )
  if (stored_book.seq - seq > retained_changes_max) throw noLongerRetained(name, seq, stored_book.seq)
  const since: FeedRow[] = []
  // No number is ever missing, so a page ends where its limit says.
  for (let after = seq; after < stored_book.seq; after += page_max) {
    const limit = Math.min(page_max, stored_book.seq - after)
    since.push(...(await context.apart(({ db }) => readFeed(db, name, after, limit))))
  }
  for (const { levels } of since.reverse()) {
    if (levels === undefined) throw noLongerRetained(name, seq, stored_book.seq)
    best.undo(levels)
  }
  if (!best.is_enough) throw noLongerRetained(name, seq, stored_book.seq)
}

function noLongerRetained({ instrument }: BookName, seq: number, book_seq: number) {
  return refuse(
    'policy_denied',
    `What happened in ${instrument} right after ${seq} is no longer kept for followers, who may go back ` +
      `${retained_changes_max} changes; the order book is at ${book_seq}. Follow it without after_seq, beginning with a snapshot.`,
    { reason: 'place no longer kept', book_seq },
  )
}

/** The next page; true where nothing more was there. */
async function take(context: Context, follower: Follower): Promise<boolean> {
  const { name, events_max } = follower
  const limit = Math.min(page_max, events_max - follower.sent)
  if (limit <= 0) return true
  const rows = await context.apart(({ db }) => readFeed(db, name, follower.seq, limit))
  for (const row of rows) {
    const shown = row.levels && follower.best.apply(row.levels)
    if (shown === undefined || !follower.best.is_enough) {
      await beginAgain(context, follower)
      return false
    }
    follower.seq = row.seq
    deliver(follower, changeShown(row, shown))
  }
  return rows.length < limit
}

/** More levels went away than were known, or an older engine wrote the change: the next event is a snapshot. */
async function beginAgain(context: Context, follower: Follower): Promise<void> {
  const stored_book = await context.apart(({ db }) => readLevels(db, follower.name, levels_max))
  follower.best = new BestLevels(follower.depth, levels_max, stored_book.sides)
  follower.seq = stored_book.seq
  deliver(follower, snapshotShown(stored_book, follower.best))
}

function deliver(follower: Follower, event: FollowEvent): void {
  follower.sent += 1
  if (follower.streamed) follower.streamed(event)
  else follower.events.push(event)
}

/** Progress of MCP is a short text: what happened would get lost, and the answer of a stream has no events. */
function noStreamOverMcp() {
  return refuse(
    'invalid_payload',
    'A stream cannot be followed over MCP, whose progress has no room for events. Leave out stream, and set wait_ms ' +
      'to wait for something new; to go on, send next_seq as after_seq.',
    { reason: 'no stream' },
  )
}

function send(context: Context, event: FollowEvent): void {
  const delivery = context.progress({ id: String(event.seq), message: event.kind, data: event })
  if (delivery === 'sent' || context.signal.aborted) return
  if (delivery === 'nobody')
    throw refuse(
      'invalid_payload',
      'A stream needs the header Accept: text/event-stream, which this request does not have; send it, or follow without stream.',
      { reason: 'no stream' },
    )
  throw refuse(
    'policy_denied',
    `You read more slowly than the order book changes, so the stream was ended before ${event.seq}. ` +
      'Follow again from the last event that you read, with a smaller depth.',
    { reason: 'reads too slowly', next_seq: event.seq - 1 },
  )
}
