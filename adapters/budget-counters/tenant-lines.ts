// Words of one tenant travel together, one at a time: what gathers meanwhile goes with the next, so amounts can be told whole.
import type { Take } from '@svc/engine/call'
import type { RedisLink } from '../rate-limit/redis-link.ts'
import { type CallsWord, type Heard, heardOf, type PurseHeard, wordsOf } from './counter-script.ts'
import { hold } from './own-counter.ts'
import { hear, type Sent, say, type ToldPurse } from './shared-counter.ts'

/** So many calls and purses go with one word at most: others wait while Redis judges them. */
const calls_max = 500
const purses_max = 1_000

export interface Asked {
  readonly purses: readonly ToldPurse[]
  readonly takes: readonly Take[]
  readonly take: boolean
}

export interface Answered {
  /** As Redis judged: 0, -1, or the number of the take without room. */
  readonly verdict: number
  /** Of each purse of the question. */
  readonly purses: readonly PurseHeard[]
}

interface Waiting extends Asked {
  /** Undefined where Redis did not answer. */
  readonly resolve: (answer: Answered | undefined) => void
}

interface Line {
  readonly waiting: Waiting[]
  readonly news: Set<ToldPurse>
}

export interface TenantLines {
  ask(tenant_id: string, asked: Asked): Promise<Answered | undefined>
  tell(purse: ToldPurse): void
  /** Resolves when nothing is under way and nothing waits. */
  quiet(): Promise<void>
}

interface Parts {
  readonly link: Pick<RedisLink, 'run'>
  /** Which connection to Redis this is, counted through. */
  readonly linkNumber: () => number
  /** Names this process in what it begins. */
  readonly replica_id: string
  /** Redis has no such purse, though something was said about it. */
  readonly onMissing: (purse: ToldPurse) => void
}

export function tenantLines({ link, linkNumber, replica_id, onMissing }: Parts): TenantLines {
  const lines = new Map<string, Line>()
  const at_rest: (() => void)[] = []
  let number = 0

  const lineOf = (tenant_id: string): Line => {
    const known = lines.get(tenant_id)
    if (known) return known
    const opened: Line = { waiting: [], news: new Set() }
    lines.set(tenant_id, opened)
    setImmediate(() => void send(tenant_id, opened))
    return opened
  }
  const send = async (tenant_id: string, line: Line): Promise<void> => {
    while (line.waiting.length > 0 || line.news.size > 0) await sendOnce(line)
    lines.delete(tenant_id)
    if (lines.size === 0) for (const rest of at_rest.splice(0)) rest()
  }
  const sendOnce = async (line: Line): Promise<void> => {
    const calls = line.waiting.splice(0, calls_max)
    const sent = gather(calls, line.news, linkNumber())
    const places = new Map([...sent.keys()].map((purse, place) => [purse, place]))
    const beginning = `${replica_id}.${++number}`
    const purses = [...sent.values()]
    const alike = groupCalls(calls, places)
    const said = wordsOf(number, beginning, purses.map(({ word }) => word), alike) // biome-ignore format: one thought
    const answered = link.run(purses.map(({ word }) => word.key), said)?.then((heard) => heardOf(heard, alike)) // biome-ignore format: one thought
    const heard = await answered?.catch(() => undefined)
    if (!heard) {
      // It may have been heard all the same, so it is said again when Redis is back; nothing is lost by that.
      for (const { purse } of purses) Object.assign(purse, { is_news: true, truth: undefined })
      for (const { resolve } of calls) resolve(undefined)
      return
    }
    for (const [place, one] of purses.entries()) hear(one, heard.purses[place]!, beginning)
    for (const [place, call] of calls.entries()) answer(call, heard.verdicts[place]!, heard, places)
    for (const [place, { purse, exact }] of purses.entries())
      if (heard.purses[place]!.began === '' && (exact > 0n || purse.reserved > 0n)) onMissing(purse)
  }
  return {
    ask: (tenant_id, asked) =>
      new Promise((resolve) => void lineOf(tenant_id).waiting.push({ ...asked, resolve })),
    tell(purse) {
      purse.is_news = true
      lineOf(purse.tenant_id).news.add(purse)
    },
    quiet: () =>
      lines.size === 0 ? Promise.resolve() : new Promise((resolve) => void at_rest.push(resolve)),
  }
}

/** What is said of each purse: those that calls ask about, and those with news. */
function gather(calls: readonly Waiting[], news: Set<ToldPurse>, link_number: number): Map<ToldPurse, Sent> {
  const sent = new Map<ToldPurse, Sent>()
  for (const { purses } of calls)
    for (const purse of purses) if (!sent.has(purse)) sent.set(purse, say(purse, link_number))
  for (const purse of news) {
    if (sent.size >= purses_max) break
    news.delete(purse)
    if (!sent.has(purse)) sent.set(purse, say(purse, link_number))
  }
  return sent
}

/** Most calls of a turn ask the same: they travel as one question and a number. */
function groupCalls(calls: readonly Asked[], places: ReadonlyMap<ToldPurse, number>): CallsWord[] {
  const groups: { first: Asked; count: number }[] = []
  for (const call of calls) {
    const last = groups.at(-1)
    if (last && isAlike(last.first, call)) last.count++
    else groups.push({ first: call, count: 1 })
  }
  return groups.map(({ first: { purses, takes, take }, count }) => ({
    count,
    take,
    takes: takes.map(({ limit, amount, counts }, index) => ({
      place: places.get(purses[index]!)!,
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
      one.purses[index] === other.purses[index] &&
      limit === other.takes[index]!.limit &&
      amount === other.takes[index]!.amount,
  )
}

function answer(call: Waiting, verdict: number, heard: Heard, places: ReadonlyMap<ToldPurse, number>): void {
  const { purses, takes, take, resolve } = call
  if (verdict === 0 && take) {
    for (const [index, wanted] of takes.entries()) {
      const purse = purses[index]!
      hold(purse, wanted)
      // Redis counted the call when it let it in.
      if (wanted.counts === 'calls') purse.heard += 1n
    }
  }
  resolve({ verdict, purses: purses.map((purse) => heard.purses[places.get(purse)!]!) })
}
