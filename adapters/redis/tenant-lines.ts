// Questions and reports of one tenant are sent one at a time: what gathers meanwhile goes with the next, so amounts can
// be sent as totals, and a token and its budget in one question.
import type { Allowance, Take } from '@svc/engine/call'
import type { CallsWord, CounterReply } from '../budget-counters/counter-script.ts'
import { hold } from '../budget-counters/own-counter.ts'
import { hear, type Sent, type SharedCounter, say } from '../budget-counters/shared-counter.ts'
import type { Answer } from '../rate-limit/limit-script.ts'
import type { RedisLink } from './link.ts'
import { type BucketWords, type Heard, heardOf, keysOfReport, type Report, wordsOf } from './script.ts'

/** The most calls and counters in one report: others wait while Redis judges them. */
const calls_max = 500
const counters_max = 1_000

/** Tokens for a call. Those of the same name in one report are judged together, in order. */
export interface TokenRequest {
  readonly name: string
  /** What is sent for so many calls. One of the other two must be called after it. */
  prepare(calls: number): PreparedTokens
}

export interface PreparedTokens extends BucketWords {
  /** The answer for each call. */
  conclude(answer: Answer): readonly TokenAnswer[]
  /** Redis did not answer. */
  takeBack(): void
}

/** Where Redis has no count of this month, nothing was taken. */
export type TokenAnswer = Allowance | { readonly unread_month: number }

export interface Asked {
  readonly tokens?: TokenRequest
  readonly budget_counters: readonly SharedCounter[]
  readonly takes: readonly Take[]
  readonly take: boolean
}

export interface Answered {
  readonly tokens: TokenAnswer | undefined
  /** The verdict of Redis: 0, -1, or the number of the take that does not fit. It means nothing without a token. */
  readonly verdict: number
  /** For each counter of the request. */
  readonly budget_counters: readonly CounterReply[]
}

interface Waiting extends Asked {
  /** Undefined if Redis did not answer. */
  readonly resolve: (answer: Answered | undefined) => void
}

interface Line {
  readonly waiting: Waiting[]
  readonly changed: Set<SharedCounter>
}

export interface TenantLines {
  ask(tenant_id: string, question: Asked): Promise<Answered | undefined>
  tell(counter: SharedCounter): void
  /** Resolves when nothing is in flight and nothing waits. */
  quiet(): Promise<void>
}

export interface LineParts {
  readonly link: Pick<RedisLink, 'run'>
  /** Names this process in what it starts. */
  readonly replica_id: string
  /** The number of the current connection to Redis. */
  readonly linkNumber: () => number
  readonly endedFields: () => string
  /** Redis has no such counter, though it was reported. */
  readonly onMissing: (counter: SharedCounter) => void
}

export function tenantLines(parts: LineParts): TenantLines {
  const lines = new Map<string, Line>()
  const at_rest: (() => void)[] = []
  let number = 0
  const lineOf = (tenant_id: string): Line => {
    const existing = lines.get(tenant_id)
    if (existing) return existing
    const opened: Line = { waiting: [], changed: new Set() }
    lines.set(tenant_id, opened)
    setImmediate(() => void send(tenant_id, opened))
    return opened
  }
  const send = async (tenant_id: string, line: Line): Promise<void> => {
    while (line.waiting.length > 0 || line.changed.size > 0) await sendOnce(parts, line, ++number)
    lines.delete(tenant_id)
    if (lines.size === 0) for (const rest of at_rest.splice(0)) rest()
  }
  return {
    ask(tenant_id, question) {
      const { promise, resolve } = Promise.withResolvers<Answered | undefined>()
      for (const counter of question.budget_counters) counter.asked++
      lineOf(tenant_id).waiting.push({
        ...question,
        resolve(answered) {
          for (const counter of question.budget_counters) counter.asked--
          resolve(answered)
        },
      })
      return promise
    },
    tell(counter) {
      counter.is_change = true
      lineOf(counter.tenant_id).changed.add(counter)
    },
    quiet: () =>
      lines.size === 0 ? Promise.resolve() : new Promise((resolve) => void at_rest.push(resolve)),
  }
}

async function sendOnce(parts: LineParts, line: Line, number: number): Promise<void> {
  const calls = line.waiting.splice(0, calls_max)
  const sent = gather(calls, line.changed, parts.linkNumber())
  const buckets = gatherTokens(calls)
  const report: Report = {
    number,
    beginning: `${parts.replica_id}.${number}`,
    ended_fields: parts.endedFields(),
    budget_counters: [...sent.values()].map(({ word }) => word),
    buckets: buckets.prepared,
    calls: groupCalls(calls, sent, buckets.places),
  }
  const asking = parts.link.run(keysOfReport(report), wordsOf(report), (reply) => heardOf(reply, report))
  const heard = await asking?.catch(() => undefined)
  if (heard) return conclude(parts, { calls, sent, buckets, report }, heard)
  // Redis may have received it all the same, so it is sent again when Redis is back; that is harmless.
  for (const counter of sent.keys()) Object.assign(counter, { is_change: true, truth: undefined })
  for (const prepared of buckets.prepared) prepared.takeBack()
  for (const { resolve } of calls) resolve(undefined)
}

interface SentReport {
  readonly calls: readonly Waiting[]
  readonly sent: ReadonlyMap<SharedCounter, Sent>
  readonly buckets: Buckets
  readonly report: Report
}

function conclude(
  { onMissing }: LineParts,
  { calls, sent, buckets, report }: SentReport,
  { buckets: answers, verdicts, budget_counters }: Heard,
): void {
  const replies = new Map([...sent.keys()].map((counter, place) => [counter, budget_counters[place]!]))
  for (const one of sent.values()) hear(one, replies.get(one.budget_counter)!, report.beginning)
  const tokens = buckets.prepared.map((prepared, place) =>
    prepared.conclude(answers[place]!)[Symbol.iterator](),
  )
  for (const [place, call] of calls.entries()) {
    const bucket = call.tokens && buckets.places.get(call.tokens.name)
    const token = bucket === undefined ? undefined : (tokens[bucket]!.next().value as TokenAnswer)
    answer(call, token, verdicts[place]!, replies)
  }
  for (const { budget_counter, exact } of sent.values())
    if (replies.get(budget_counter)!.began === '' && (exact > 0n || budget_counter.reserved > 0n))
      onMissing(budget_counter)
}

/** The update of each counter: those that calls ask for, and those with changes. */
function gather(
  calls: readonly Waiting[],
  changed: Set<SharedCounter>,
  link_number: number,
): ReadonlyMap<SharedCounter, Sent> {
  const sent = new Map<SharedCounter, Sent>()
  for (const { budget_counters } of calls)
    for (const counter of budget_counters)
      if (!sent.has(counter)) sent.set(counter, say(counter, link_number))
  for (const counter of changed) {
    if (sent.size >= counters_max) break
    changed.delete(counter)
    if (!sent.has(counter)) sent.set(counter, say(counter, link_number))
  }
  return sent
}

interface Buckets {
  readonly prepared: readonly PreparedTokens[]
  /** By the name of the request. */
  readonly places: ReadonlyMap<string, number>
}

function gatherTokens(calls: readonly Asked[]): Buckets {
  const requests = new Map<string, { readonly request: TokenRequest; count: number }>()
  for (const { tokens: request } of calls) {
    if (!request) continue
    const same = requests.get(request.name)
    if (same) same.count++
    else requests.set(request.name, { request, count: 1 })
  }
  return {
    prepared: [...requests.values()].map(({ request, count }) => request.prepare(count)),
    places: new Map([...requests.keys()].map((name, place) => [name, place])),
  }
}

/** Most calls of a turn are identical: they travel as one request and a count. */
function groupCalls(
  calls: readonly Asked[],
  sent: ReadonlyMap<SharedCounter, Sent>,
  buckets: ReadonlyMap<string, number>,
): CallsWord[] {
  const places = new Map([...sent.keys()].map((counter, place) => [counter, place]))
  const groups: { first: Asked; count: number }[] = []
  for (const call of calls) {
    const last = groups.at(-1)
    if (last && isAlike(last.first, call)) last.count++
    else groups.push({ first: call, count: 1 })
  }
  return groups.map(({ first: { tokens, budget_counters, takes, take }, count }) => ({
    bucket: tokens && buckets.get(tokens.name),
    count,
    take,
    takes: takes.map(({ limit, amount, counts }, index) => ({
      place: places.get(budget_counters[index]!)!,
      limit,
      amount,
      is_call: counts === 'calls',
    })),
  }))
}

function isAlike(one: Asked, other: Asked): boolean {
  if (one.tokens?.name !== other.tokens?.name) return false
  if (one.take !== other.take || one.takes.length !== other.takes.length) return false
  return one.takes.every(
    ({ limit, amount }, index) =>
      one.budget_counters[index] === other.budget_counters[index] &&
      limit === other.takes[index]!.limit &&
      amount === other.takes[index]!.amount,
  )
}

function answer(
  { budget_counters, takes, take, resolve }: Waiting,
  tokens: TokenAnswer | undefined,
  verdict: number,
  replies: ReadonlyMap<SharedCounter, CounterReply>,
): void {
  const has_token = tokens === undefined || ('allowed' in tokens && tokens.allowed)
  if (verdict === 0 && take && has_token) {
    for (const [index, one_take] of takes.entries()) {
      const counter = budget_counters[index]!
      hold(counter, one_take)
      // Redis counted the call on admission.
      if (one_take.counts === 'calls') counter.heard += 1n
    }
  }
  resolve({ tokens, verdict, budget_counters: budget_counters.map((counter) => replies.get(counter)!) })
}
