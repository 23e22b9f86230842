// A month of calls: busy by day, quiet at night and on Sundays, with the refusals that ordinary work has.
import type { DemoCaller } from './caller.ts'
import type { Cast } from './cast.ts'
import type { DemoAgent } from './organizations.ts'

const hour_ms = 3_600_000

/** 0 to 1, the same for the same seed (mulberry32). */
export function seededChance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Work {
  readonly weight: number
  readonly what: string
  input(chance: () => number, context: Context): object
  /** Only for agents with this capability. */
  readonly needs?: string
  readonly in_tenant?: string
}

interface Context {
  readonly day: number
  readonly now_ms: number
  readonly name: string
  readonly workflow_ref: string
}

const mailboxOf = (name: string) => `demo-${name.toLowerCase().replace(' ', '-')}`
const parts = ['pump', 'valve', 'gear', 'sensor', 'cable', 'frame'] as const
const one = <Item>(items: readonly Item[], chance: () => number) =>
  items[Math.floor(chance() * items.length)]!

const works: readonly Work[] = [
  {
    weight: 22,
    what: 'MAX.audit_log_entry',
    input: (chance) => ({
      event_type: one(['custom.order_checked', 'custom.delivery_noted', 'custom.call_answered'], chance),
      meta: { part: one(parts, chance), count: Math.ceil(chance() * 40) },
    }),
  },
  { weight: 16, what: 'MARS.query_registry', input: () => ({ kind: 'agent', tag: 'demo' }) },
  { weight: 10, what: 'MAX.audit_query', input: () => ({ outcome: 'refused', limit: 20 }) },
  {
    weight: 14,
    what: 'MOTET.emit',
    input: (chance, { now_ms }) => ({
      signals: [
        {
          name: 'demo_queue_length',
          kind: 'gauge',
          value: Math.round(chance() * 60),
          at: new Date(now_ms).toISOString(),
        },
      ],
    }),
  },
  {
    weight: 12,
    what: 'MIM.message_send',
    input: (chance, { day, name }) => ({
      to: `mailbox:${mailboxOf(name)}`,
      body: { order: 1000 + day, part: one(parts, chance) },
      qos: 1,
    }),
  },
  {
    weight: 10,
    what: 'MIM.message_receive',
    input: (_chance, { name }) => ({
      mailbox: `mailbox:${mailboxOf(name)}`,
      max: 10,
      visibility_timeout_ms: 30_000,
    }),
  },
  {
    weight: 6,
    what: 'MAKER.execute_action',
    needs: 'svc.maker.execute_action',
    input: () => ({
      action_kind: 'label.print',
      target: 'the packing line',
      executor: { builtin: 'noop' },
      max_duration_ms: 1_000,
      irreversible: false,
      mode: 'sync',
    }),
  },
  {
    weight: 5,
    what: 'MIND.store_memory',
    needs: 'svc.mind.store_memory',
    input: (chance, { day }) => ({
      kind: 'episodic',
      payload: {
        text: `Day ${day}: the ${one(parts, chance)} arrived ${one(['on time', 'late', 'damaged'], chance)}.`,
      },
    }),
  },
  {
    weight: 1,
    what: 'MOON.execute_workflow',
    needs: 'svc.moon.execute_workflow',
    input: (_chance, { name, day, workflow_ref }) => ({
      manifest_ref: workflow_ref,
      run_key: `${name} ${day}`,
      wait_ms: 0,
    }),
  },
  {
    weight: 4,
    what: 'WEATHER.forecast',
    needs: 'svc.weather.forecast',
    input: (chance) => ({ city: one(['Oslo', 'Porto', 'Graz'], chance) }),
  },
  // What goes wrong in ordinary work: a missing right, a wrong field, another organization without a treaty.
  { weight: 2, what: 'MEAL.statement', input: () => ({}) },
  {
    weight: 2,
    what: 'MANA.hold',
    input: () => ({ reason: 'An order is being looked into.', scope: 'tenant' }),
  },
  { weight: 2, what: 'MARS.query_registry', input: () => ({ kind: 'agents' }) },
  { weight: 2, what: 'MARS.query_registry', in_tenant: 'demo-cobalt', input: () => ({ kind: 'agent' }) },
]

/** Share of a day's calls by hour (UTC), from quiet nights to two peaks. */
const rhythm = [1, 1, 1, 1, 1, 2, 4, 8, 12, 14, 13, 10, 8, 11, 13, 12, 9, 6, 4, 3, 2, 2, 1, 1] as const
const quiet_days: Readonly<Record<number, number>> = { 0: 0.15, 6: 0.35 }

interface PlannedCall {
  readonly at_ms: number
  readonly caller: DemoCaller
  readonly work: Work
  readonly context: Context
}

/** Calls of one day in order of time. */
export function planDay(
  casts: readonly Cast[],
  workflows: ReadonlyMap<string, string>,
  day: number,
  from_ms: number,
  chance: () => number,
): PlannedCall[] {
  const calls = casts.flatMap(({ organization, agents }) =>
    organization.agents.flatMap((agent) => {
      const caller = agents.get(agent.name)!
      const first_agent = organization.agents[0]!.name
      const workflow_ref = workflows.get(`workflow ${first_agent}`) ?? ''
      return callsOf(agent, from_ms, chance).map((at_ms): PlannedCall => {
        const work = chooseWork(agent, chance)
        return { at_ms, caller, work, context: { day, now_ms: at_ms, name: agent.name, workflow_ref } }
      })
    }),
  )
  return calls.sort((a, b) => a.at_ms - b.at_ms)
}

function callsOf({ calls_a_day }: DemoAgent, from_ms: number, chance: () => number): number[] {
  const share = quiet_days[new Date(from_ms).getUTCDay()] ?? 1
  const count = Math.round(calls_a_day * share * (0.8 + 0.4 * chance()))
  return Array.from({ length: count }, () => {
    const hour = placeBy(rhythm, chance)
    return Math.floor(from_ms + (hour + chance()) * hour_ms)
  })
}

function chooseWork({ capabilities }: DemoAgent, chance: () => number): Work {
  const possible = works.filter(({ needs }) => needs === undefined || capabilities.includes(needs))
  return possible[
    placeBy(
      possible.map(({ weight }) => weight),
      chance,
    )
  ]!
}

/** Each place as often as its weight says. */
function placeBy(weights: readonly number[], chance: () => number): number {
  let left = chance() * weights.reduce((sum, weight) => sum + weight, 0)
  const place = weights.findIndex((weight) => {
    left -= weight
    return left < 0
  })
  return Math.max(0, place)
}

const in_flight_max = 8

/** The clock goes along with them. Returns how many there were of each code. */
export async function makeCalls(
  calls: readonly PlannedCall[],
  moveTo: (ms: number) => void,
  chance: () => number,
): Promise<Map<string, number>> {
  const codes = new Map<string, number>()
  for (let from = 0; from < calls.length; from += in_flight_max)
    await Promise.all(
      calls.slice(from, from + in_flight_max).map(async ({ at_ms, caller, work, context }) => {
        moveTo(at_ms)
        const code = await caller.attempt(work.what, work.input(chance, context), work.in_tenant)
        codes.set(code, (codes.get(code) ?? 0) + 1)
      }),
    )
  return codes
}
