// Simulated trucks: plans are executed here, by an independent implementation of the rules.
import assert from 'node:assert/strict'
import type { DomainSource } from '@svc/protocols/execution/planning/domain'
import type { PlannedTask } from '@svc/protocols/execution/planning/plan-graph'
import fc from 'fast-check'
import { transport } from './transport-domain.ts'

type Places = Record<string, string>

export interface Haulage {
  readonly state: {
    readonly trucks: string[]
    readonly places: string[]
    readonly at: Places
    readonly near: Record<string, string[]>
  }
  readonly wanted: readonly (readonly [string, string])[]
  readonly goal: { readonly task: string; readonly args: Record<string, unknown> }
  readonly domain: DomainSource
}

const places = ['A', 'B', 'C']
const place = fc.constantFrom(...places)

/** Some trucks, some packages, and their destinations; the deliveries in sequence or in any order. */
export const haulage: fc.Arbitrary<Haulage> = fc
  .record({
    trucks: fc.array(place, { minLength: 1, maxLength: 3 }),
    parcels: fc.array(fc.tuple(place, place), { minLength: 1, maxLength: 3 }),
    is_ordered: fc.boolean(),
  })
  .map(({ trucks, parcels, is_ordered }) => {
    const parked = trucks.map((where, at) => [`t${at + 1}`, where])
    const lying = parcels.map(([where], at) => [`p${at + 1}`, where])
    const goals = parcels.map(([, to], at) => [`p${at + 1}`, to] as const)
    const all = {
      task: 'all',
      subtasks: goals.map(([parcel, to]) => ({ task: 'deliver', args: { package: parcel, to } })),
      ...(!is_ordered && { order: [] }),
    }
    return {
      state: {
        trucks: parked.map(([truck]) => truck!),
        places,
        at: Object.fromEntries([...parked, ...lying]),
        near: Object.fromEntries(
          lying.map(([parcel, where]) => [parcel, nearest(where!, parked as [string, string][])]),
        ),
      },
      wanted: goals,
      goal: { task: 'all', args: {} },
      domain: { ...transport, methods: [...transport.methods, all] },
    }
  })

function nearest(where: string, parked: readonly [string, string][]): string[] {
  const here = parked.filter(([, place]) => place === where)
  return [...here, ...parked.filter(([, place]) => place !== where)].map(([truck]) => truck)
}

/** One of the orders that the tasks allow. */
export function oneOrder<Task extends PlannedTask>(
  tasks: readonly Task[],
  chance: { next(): { value: number } },
): Task[] {
  const left = [...tasks]
  const gone = new Set<string>()
  const order: Task[] = []
  while (left.length > 0) {
    const ready = left.filter(({ depends_on }) =>
      depends_on.every((id) => gone.has(id) || !tasks.some((one) => one.id === id)),
    )
    assert.ok(ready.length > 0, 'a plan goes round in a circle')
    const next = ready[chance.next().value % ready.length]!
    order.push(next)
    gone.add(next.id)
    left.splice(left.indexOf(next), 1)
  }
  return order
}

/** The final positions; fails if a truck is not where it must be. */
export function carryOut(order: readonly PlannedTask[], { trucks, at }: Haulage['state']): Places {
  const now = { ...at }
  for (const { id, operator, args } of order) {
    const { truck, from, to, place: where, package: parcel } = args as Places
    assert.ok(trucks.includes(truck!), `${id}: ${truck} is lost`)
    if (operator === 'drive') {
      assert.equal(now[truck!], from, id)
      now[truck!] = to!
      continue
    }
    assert.equal(now[truck!], where, id)
    assert.equal(now[parcel!], operator === 'load' ? where : truck, id)
    now[parcel!] = operator === 'load' ? truck! : where!
  }
  return now
}
