// Several engines as one: calls are spread over those that answer, and a call not taken is offered to the next.
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { asRefusal } from '@svc/database/as-refusal'
import type { Clock } from '@svc/engine/ports'
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

interface Member {
  readonly upstream: Upstream
  /** Until then used only where no other engine is left. */
  left_out_until_ms: number
  left_out_ms: number
}

type Offer = { readonly taken: true; readonly answer: FromEngine } | Declined
/** Nothing was done: the engine was not reached, or refused new calls. */
interface Declined {
  readonly taken: false
  give(): FromEngine
}

export function spreadOver(upstreams: readonly Upstream[], clock: Clock): Upstream {
  const members = upstreams.map((upstream): Member => ({ upstream, left_out_until_ms: 0, left_out_ms: 0 }))
  let turn = 0
  return {
    async ask(request) {
      let declined: Declined | undefined
      for (const member of inTurn(members, turn++, clock.monotonic_ms())) {
        const was_left_out = member.left_out_ms > 0
        // One call finds out whether it is back; the others wait for it.
        if (was_left_out) leaveOut(member, clock, member.left_out_ms)
        const offer = await offerTo(member.upstream, request)
        if (offer.taken) {
          if (was_left_out) takeBack(member)
          return offer.answer
        }
        declined = offer
        leaveOut(member, clock, Math.min(member.left_out_ms * 2 || left_out_ms_min, left_out_ms_max))
        member.upstream.letGo()
      }
      return declined!.give()
    },
    letGo() {
      for (const upstream of upstreams) upstream.letGo()
    },
    close() {
      for (const upstream of upstreams) upstream.close()
    },
  }
}

/** Answering engines in turn, then the skipped ones, by the end of their time. */
function inTurn(members: readonly Member[], turn: number, now_ms: number): Member[] {
  const from = turn % members.length
  const rotated = [...members.slice(from), ...members.slice(0, from)]
  const usable = rotated.filter((member) => member.left_out_until_ms <= now_ms)
  const left_out = rotated.filter((member) => member.left_out_until_ms > now_ms)
  left_out.sort((a, b) => a.left_out_until_ms - b.left_out_until_ms)
  return [...usable, ...left_out].slice(0, offers_max)
}

function leaveOut(member: Member, clock: Clock, left_out_ms: number): void {
  member.left_out_ms = left_out_ms
  member.left_out_until_ms = clock.monotonic_ms() + left_out_ms
}

function takeBack(member: Member): void {
  member.left_out_ms = 0
  member.left_out_until_ms = 0
}

async function offerTo(upstream: Upstream, request: ToEngine): Promise<Offer> {
  try {
    return await judge(await upstream.ask(request))
  } catch (thrown) {
    if (asRefusal(thrown).details.reason !== unreachable_reason) throw thrown
    const give = () => {
      throw thrown
    }
    return { taken: false, give }
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
  const { statusCode, headers, rawHeaders } = answer
  const bytes = await buffer(answer).catch((error) => {
    throw brokeOff(error)
  })
  const again = () => Object.assign(Readable.from([bytes]), { statusCode, headers, rawHeaders })
  return isDraining(bytes.toString()) ? { taken: false, give: again } : { taken: true, answer: again() }
}

/** An engine sends the head of a stream with its first event, so checking that one adds no delay. */
async function judgeStream(answer: FromEngine): Promise<Offer> {
  await once(answer, 'readable').catch((error) => {
    throw brokeOff(error)
  })
  const chunk: Buffer | null = answer.read()
  if (chunk === null) return { taken: true, answer }
  answer.unshift(chunk)
  const data = error_event.exec(chunk.subarray(0, refusal_bytes_max).toString())?.[1]
  if (data === undefined || !isDraining(data)) return { taken: true, answer }
  return { taken: false, give: () => answer }
}

const error_event = /^event: error\ndata: (\{.*\})\n\n$/

/** Refused before the first stage. A refusal by another engine during an operation has a later stage, and may have had effects. */
function isDraining(text: string): boolean {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; stage?: unknown } }
    return error?.code === 'draining' && (error.stage === 0 || error.stage === null)
  } catch {
    return false
  }
}
