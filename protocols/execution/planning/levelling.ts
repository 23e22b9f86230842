// Assigns agents and times: serial schedule generation by latest finish, then one backward-forward pass.
import { type Activity, findCriticalPath } from './critical-path.ts'

export interface Agent {
  readonly did: string
  readonly skills: readonly string[]
  readonly capacity: number
}

export interface Work extends Activity {
  /** Absent if no agent is needed. */
  readonly skill?: string
  /** Share of one agent's capacity; all of it if absent. */
  readonly load?: number
  /** The preferred agent, if possible. */
  readonly prefers?: string
  /** Only by that agent. */
  readonly bound_to?: string
  /** Started or finished: it is not moved. */
  readonly fixed?: { readonly start: number }
}

export interface Slot {
  readonly start: number
  readonly finish: number
  readonly assignee?: string
}

export interface Levelled {
  readonly slots: readonly Slot[]
  readonly makespan: number
}

/** The smallest share of an agent that counts; less is rounding. */
const share_least = 1e-9

/** The index of work that no agent can ever do, or undefined. */
export function findUnstaffed(works: readonly Work[], agents: readonly Agent[]): number | undefined {
  const place = works.findIndex(
    (work) => work.skill !== undefined && !agents.some((one) => isAble(one, work)),
  )
  return place < 0 ? undefined : place
}

/** With starts in `keep_order`, the previous order is kept. */
export function levelWorks(
  works: readonly Work[],
  agents: readonly Agent[],
  keep_order?: readonly number[],
): Levelled {
  const { timings } = findCriticalPath(works)
  if (keep_order) return scheduleSerially(works, agents, keep_order)
  const first = scheduleSerially(
    works,
    agents,
    timings.map(({ lf }) => lf),
  )
  const second = scheduleSerially(works, agents, startsFromBehind(works, agents, first))
  return second.makespan < first.makespan ? second : first
}

/** Scheduled from the end: each as late as possible, with the same agents. */
function startsFromBehind(works: readonly Work[], agents: readonly Agent[], { slots, makespan }: Levelled) {
  const last = works.length - 1
  const mirrored: Work[] = works.map(({ duration, skill, load }, place) => ({
    duration,
    ...(skill !== undefined && { skill }),
    ...(load !== undefined && { load }),
    ...(slots[place]!.assignee !== undefined && { bound_to: slots[place]!.assignee }),
    after: works.flatMap(({ after }, later) => (after.includes(place) ? [last - later] : [])),
  }))
  mirrored.reverse()
  const priority = slots.map(({ finish }) => makespan - finish).reverse()
  const behind = scheduleSerially(mirrored, agents, priority)
  return behind.slots.map(({ finish }) => behind.makespan - finish).reverse()
}

/** One by one in order of priority, each as early as its dependencies and agent allow. */
function scheduleSerially(
  works: readonly Work[],
  agents: readonly Agent[],
  priority: readonly number[],
): Levelled {
  const calendars = new Map(agents.map((agent) => [agent.did, new Calendar(agent)]))
  const slots: (Slot | undefined)[] = works.map(() => undefined)
  for (const [place, work] of works.entries()) if (work.fixed) slots[place] = occupy(work, calendars)
  for (let left = slots.filter((slot) => !slot).length; left > 0; left--) {
    const place = nextPlace(works, slots, priority)
    slots[place] = placeWork(works[place]!, slots, calendars)
  }
  const made = slots as Slot[]
  return { slots: made, makespan: Math.max(0, ...made.map(({ finish }) => finish)) }
}

function nextPlace(
  works: readonly Work[],
  slots: readonly (Slot | undefined)[],
  priority: readonly number[],
) {
  let best = -1
  for (const [place, { after }] of works.entries()) {
    if (slots[place] || !after.every((one) => slots[one])) continue
    if (best < 0 || priority[place]! < priority[best]!) best = place
  }
  return best
}

function occupy(work: Work, calendars: ReadonlyMap<string, Calendar>): Slot {
  const slot = { start: work.fixed!.start, finish: work.fixed!.start + work.duration }
  const calendar = work.bound_to === undefined ? undefined : calendars.get(work.bound_to)
  calendar?.reserve(slot.start, slot.finish, calendar.loadOf(work))
  return work.bound_to === undefined ? slot : { ...slot, assignee: work.bound_to }
}

function placeWork(
  work: Work,
  slots: readonly (Slot | undefined)[],
  calendars: ReadonlyMap<string, Calendar>,
): Slot {
  const ready = work.after.reduce((latest, one) => Math.max(latest, slots[one]!.finish), work.release ?? 0)
  const able =
    work.skill === undefined ? [] : [...calendars.values()].filter(({ agent }) => isAble(agent, work))
  const offers = able.map((calendar) => ({ calendar, start: calendar.earliest(ready, work) }))
  const preferred = offers.find(({ calendar }) => calendar.agent.did === work.prefers)
  const best = preferred ?? offers.reduce<(typeof offers)[number] | undefined>(earlier, undefined)
  if (!best) return { start: ready, finish: ready + work.duration }
  const { calendar, start } = best
  const finish = start + work.duration
  calendar.reserve(start, finish, calendar.loadOf(work))
  return { start, finish, assignee: calendar.agent.did }
}

function earlier<Offer extends { readonly start: number; readonly calendar: Calendar }>(
  best: Offer | undefined,
  one: Offer,
): Offer {
  if (!best || one.start < best.start) return one
  return one.start === best.start && one.calendar.booked < best.calendar.booked ? one : best
}

function isAble({ did, skills, capacity }: Agent, { skill, load = 0, bound_to }: Work): boolean {
  if (bound_to !== undefined && bound_to !== did) return false
  return capacity > 0 && skills.includes(skill!) && load <= capacity + share_least
}

/** The bookings of an agent. */
class Calendar {
  readonly agent: Agent
  readonly #bookings: { readonly start: number; readonly finish: number; readonly load: number }[] = []
  booked = 0
  constructor(agent: Agent) {
    this.agent = agent
  }
  loadOf({ load }: Work): number {
    return Math.min(load ?? this.agent.capacity, this.agent.capacity)
  }
  reserve(start: number, finish: number, load: number): void {
    if (finish === start) return
    this.#bookings.push({ start, finish, load })
    this.booked += finish - start
  }
  /** The earliest time with enough capacity: at once, or when another booking ends. */
  earliest(ready: number, work: Work): number {
    const load = this.loadOf(work)
    const moments = [ready, ...this.#bookings.map(({ finish }) => finish).filter((finish) => finish > ready)]
    moments.sort((a, b) => a - b)
    return moments.find((start) => this.#hasRoom(start, start + work.duration, load))!
  }
  #hasRoom(start: number, finish: number, load: number): boolean {
    const meanwhile = this.#bookings.filter((one) => one.start < finish && one.finish > start)
    // Usage rises only where a booking starts.
    const moments = [start, ...meanwhile.map((one) => one.start).filter((moment) => moment > start)]
    return moments.every((moment) => {
      const used = meanwhile.reduce(
        (sum, one) => sum + (one.start <= moment && one.finish > moment ? one.load : 0),
        0,
      )
      return used + load <= this.agent.capacity + share_least
    })
  }
}
