// Several engines as one: calls are spread over those that answer, and a call not taken is offered to the next.
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { asRefusal } from '@svc/database/as-refusal'
import type { Clock } from '@svc/engine/ports'
import { engine_busy } from '../dispatch/admission-control.ts'
import {
  brokeOff,
  type FromEngine,
  type ToEngine,
  type Upstream,
  unreachable_reason,
} from './relay-upstream.ts'

/** How many engines one call is offered to. */
const offers_max = 3
const left_out_ms_min = 1_000
const left_out_ms_max = 10_000
/** A refusal is short; a longer body is none. */
const refusal_bytes_max = 64 * 1024
const probe_ms_max = 1_000
/** An engine that leaves so many probes unanswered in a row is silent. */
const unanswered_max = 2

interface Member {
  readonly upstream: Upstream
  /** Until then used only where no other engine is left. */
  left_out_until_ms: number
  left_out_ms: number
  /** Calls that wait for the head of an answer. */
  waiting: number
  /** Probes in a row. */
  unanswered: number
}

type Offer = { readonly taken: true; readonly answer: FromEngine } | Declined
/** Nothing was done: the engine was not reached, or refused the call before it began. */
interface Declined {
  readonly taken: false
  /** It takes no calls now; otherwise it only did not take this one. */
  readonly is_away: boolean
  /** It was refused as a call, and not before. */
  readonly is_read: boolean
  give(): FromEngine
}

export interface Spread extends Upstream {
  /** Asks every engine whether it is there. One that is silent gets no calls where another is left, until it answers. */
  probe(): Promise<void>
}

/** `deadline` ends a probe. */
export function spreadOver(
  upstreams: readonly Upstream[],
  clock: Clock,
  deadline = () => AbortSignal.timeout(probe_ms_max),
): Spread {
  const members = upstreams.map(
    (upstream): Member => ({ upstream, left_out_until_ms: 0, left_out_ms: 0, waiting: 0, unanswered: 0 }),
  )
  let turn = 0
  return {
    async ask(request) {
      let declined: Declined | undefined
      for (const member of inTurn(members, turn++, clock.monotonic_ms())) {
        const was_left_out = member.left_out_ms > 0
        // One call finds out whether it is back; the others wait for it.
        if (was_left_out) leaveOut(member, clock, member.left_out_ms)
        const offer = await offerTo(member, request)
        if (was_left_out && (offer.taken || !offer.is_away)) takeBack(member)
        if (offer.taken) return offer.answer
        declined = offer
        if (offer.is_away) {
          leaveOut(member, clock, Math.min(member.left_out_ms * 2 || left_out_ms_min, left_out_ms_max))
          member.upstream.letGo()
        }
        // Another engine would refuse it as a replay.
        if (offer.is_read && request.is_once) break
      }
      return declined!.give()
    },
    async probe() {
      await Promise.all(members.map((member) => probe(member, deadline())))
    },
    letGo() {
      for (const upstream of upstreams) upstream.letGo()
    },
    close() {
      for (const upstream of upstreams) upstream.close()
    },
  }
}

/**
 * Answering engines, the least busy first and the equally busy in turn; then those left out, by the end of their time. Silent ones come last:
 * whatever they are offered may wait until its end.
 */
function inTurn(members: readonly Member[], turn: number, now_ms: number): Member[] {
  const from = turn % members.length
  const rotated = [...members.slice(from), ...members.slice(0, from)]
  const isSilent = ({ unanswered }: Member) => unanswered >= unanswered_max
  const leftUntil = ({ left_out_until_ms }: Member) => Math.max(left_out_until_ms, now_ms)
  rotated.sort(
    (a, b) =>
      Number(isSilent(a)) - Number(isSilent(b)) || leftUntil(a) - leftUntil(b) || a.waiting - b.waiting,
  )
  return rotated.slice(0, offers_max)
}

/** Whatever it answers, it is there. */
async function probe(member: Member, signal: AbortSignal): Promise<void> {
  try {
    const answer = await member.upstream.ask({ method: 'GET', path: '/health', headers: () => ({}), signal })
    answer.resume()
    member.unanswered = 0
  } catch {
    member.unanswered++
  }
}

function leaveOut(member: Member, clock: Clock, left_out_ms: number): void {
  member.left_out_ms = left_out_ms
  member.left_out_until_ms = clock.monotonic_ms() + left_out_ms
}

function takeBack(member: Member): void {
  member.left_out_ms = 0
  member.left_out_until_ms = 0
}

async function offerTo(member: Member, request: ToEngine): Promise<Offer> {
  member.waiting++
  try {
    return await judge(await member.upstream.ask(request))
  } catch (thrown) {
    if (asRefusal(thrown).details.reason !== unreachable_reason) throw thrown
    const give = () => {
      throw thrown
    }
    return { taken: false, is_away: true, is_read: false, give }
  } finally {
    member.waiting--
  }
}

async function judge(answer: FromEngine): Promise<Offer> {
  const { statusCode, headers } = answer
  const length = Number(headers['content-length'])
  if (statusCode === 503 && length <= refusal_bytes_max) return judgeRefusal(answer)
  const streams = headers['content-type']?.startsWith('text/event-stream') ?? false
  return statusCode === 200 && streams ? judgeStream(answer) : { taken: true, answer }
}

async function judgeRefusal(answer: FromEngine): Promise<Offer> {
  const bytes = await buffer(answer).catch((error) => {
    throw brokeOff(error)
  })
  return offerOf(bytes.toString(), () => copyOf(answer, bytes))
}

function copyOf({ statusCode, headers, rawHeaders }: FromEngine, bytes: Buffer): FromEngine {
  return Object.assign(Readable.from([bytes]), { statusCode, headers, rawHeaders })
}

/** An engine sends the head of a stream with its first event, so checking that one adds no delay. */
async function judgeStream(answer: FromEngine): Promise<Offer> {
  await once(answer, 'readable').catch((error) => {
    throw brokeOff(error)
  })
  const chunk: Buffer | null = answer.read()
  if (chunk === null) return { taken: true, answer }
  const data = error_event.exec(chunk.subarray(0, refusal_bytes_max).toString())?.[1]
  const offer = data === undefined ? undefined : offerOf(data, () => copyOf(answer, chunk))
  if (offer === undefined || offer.taken) {
    answer.unshift(chunk)
    return { taken: true, answer }
  }
  // Nobody reads this stream any more; once it is at its end, its connection is free.
  answer.resume()
  return offer
}

const error_event = /^event: error\ndata: (\{.*\})\n\n$/

/** Where the call was refused before it began. A refusal by another engine during an operation has a later stage, and may have had effects. */
function offerOf(text: string, give: () => FromEngine): Offer {
  const { code, reason, stage } = errorIn(text)
  const is_early = stage === 0 || stage === null
  const is_away = code === 'draining' && is_early
  const is_busy = code === 'no_endpoint_available' && reason === engine_busy && is_early
  // Each engine has circuits of its own.
  const is_open = code === 'circuit_open' && stage === 5
  if (!is_away && !is_busy && !is_open) return { taken: true, answer: give() }
  return { taken: false, is_away, is_read: stage !== null, give }
}

function errorIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text) as { error?: Record<string, unknown> }).error ?? {}
  } catch {
    return {}
  }
}
