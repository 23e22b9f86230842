// Reports of one tenant are sent one at a time: what gathers meanwhile goes with the next, so amounts can be sent as
// totals.
import type { Take } from '@svc/engine/call'
import type { RedisLink } from '../rate-limit/redis-link.ts'
import { type CallsWord, type CounterReply, type Heard, heardOf, wordsOf } from './counter-script.ts'
import { hold } from './own-counter.ts'
import { hear, type Sent, type SharedCounter, say } from './shared-counter.ts'

/** The most calls and counters in one report: others wait while Redis judges them. */
const calls_max = 500
const counters_max = 1_000

export interface Asked {
  readonly budget_counters: readonly SharedCounter[]
  readonly takes: readonly Take[]
  readonly take: boolean
}

export interface Answered {
  /** The verdict of Redis: 0, -1, or the number of the take that does not fit. */
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

interface Parts {
  readonly link: Pick<RedisLink, 'run'>
  /** The number of the current connection to Redis. */
  readonly linkNumber: () => number
  /** Names this process in what it starts. */
  readonly replica_id: string
  readonly endedFields: () => string
  /** Redis has no such counter, though it was reported. */
  readonly onMissing: (counter: SharedCounter) => void
}

export function tenantLines({ link, linkNumber, replica_id, endedFields, onMissing }: Parts): TenantLines {
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
    while (line.waiting.length > 0 || line.changed.size > 0) await sendOnce(line)
    lines.delete(tenant_id)
    if (lines.size === 0) for (const rest of at_rest.splice(0)) rest()
  }
  const sendOnce = async (line: Line): Promise<void> => {
    const calls = line.waiting.splice(0, calls_max)
    const sent = gather(calls, line.changed, linkNumber())
    const places = new Map([...sent.keys()].map((counter, place) => [counter, place]))
    const beginning = `${replica_id}.${++number}`
    const budget_counters = [...sent.values()]
    const alike = groupCalls(calls, places)
    const head = { number, beginning, ended_fields: endedFields() }
    const words = wordsOf(head, budget_counters.map(({ word }) => word), alike) // biome-ignore format: one thought
    const answered = link.run(budget_counters.map(({ word }) => word.key), words)?.then((heard) => heardOf(heard, alike)) // biome-ignore format: one thought
    const heard = await answered?.catch(() => undefined)
    if (!heard) {
      // Redis may have received it all the same, so it is sent again when Redis is back; that is harmless.
      for (const { budget_counter } of budget_counters)
        Object.assign(budget_counter, { is_change: true, truth: undefined })
      for (const { resolve } of calls) resolve(undefined)
      return
    }
    for (const [place, one] of budget_counters.entries()) hear(one, heard.budget_counters[place]!, beginning)
    for (const [place, call] of calls.entries()) answer(call, heard.verdicts[place]!, heard, places)
    for (const [place, { budget_counter, exact }] of budget_counters.entries())
      if (heard.budget_counters[place]!.began === '' && (exact > 0n || budget_counter.reserved > 0n))
        onMissing(budget_counter)
  }
  return {
    ask: (tenant_id, question) =>
      new Promise((resolve) => void lineOf(tenant_id).waiting.push({ ...question, resolve })),
    tell(counter) {
      counter.is_change = true
      lineOf(counter.tenant_id).changed.add(counter)
    },
    quiet: () =>
      lines.size === 0 ? Promise.resolve() : new Promise((resolve) => void at_rest.push(resolve)),
  }
}

/** The update of each counter: those that calls ask for, and those with changes. */
function gather(
  calls: readonly Waiting[],
  changed: Set<SharedCounter>,
  link_number: number,
): Map<SharedCounter, Sent> {
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

/** Most calls of a turn are identical: they travel as one request and a count. */
function groupCalls(calls: readonly Asked[], places: ReadonlyMap<SharedCounter, number>): CallsWord[] {
  const groups: { first: Asked; count: number }[] = []
  for (const call of calls) {
    const last = groups.at(-1)
    if (last && isAlike(last.first, call)) last.count++
    else groups.push({ first: call, count: 1 })
  }
  return groups.map(({ first: { budget_counters, takes, take }, count }) => ({
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
  if (one.take !== other.take || one.takes.length !== other.takes.length) return false
  return one.takes.every(
    ({ limit, amount }, index) =>
      one.budget_counters[index] === other.budget_counters[index] &&
      limit === other.takes[index]!.limit &&
      amount === other.takes[index]!.amount,
  )
}

function answer(
  call: Waiting,
  verdict: number,
  heard: Heard,
  places: ReadonlyMap<SharedCounter, number>,
): void {
  const { budget_counters, takes, take, resolve } = call
  if (verdict === 0 && take) {
    for (const [index, one_take] of takes.entries()) {
      const counter = budget_counters[index]!
      hold(counter, one_take)
      // Redis counted the call on admission.
      if (one_take.counts === 'calls') counter.heard += 1n
    }
  }
  resolve({
    verdict,
    budget_counters: budget_counters.map((counter) => heard.budget_counters[places.get(counter)!]!),
  })
}
