// But-for test: removes nodes and re-evaluates all conditions. Chockler and Halpern's degree of
// responsibility measures how much else would have had to change first.
import { dominatorsOf, immediateDominators } from './dominators.ts'
import type { Clause, TraceGraph } from './trace-node.ts'

const contingency_max = 3
const candidates_max = 200
const pool_max = 32
const causes_max = 100

/** All conditions relevant to one node, causes before effects. */
interface Conditions {
  readonly target: string
  readonly order: readonly string[]
  readonly clauses: TraceGraph['clauses']
  readonly acts: TraceGraph['acts']
  readonly members: ReadonlyMap<string, readonly string[]>
}

export interface RootCause {
  readonly node: string
  readonly necessity: boolean
  readonly responsibility: number
  /** Whether deterministic rules alone show it, or a step was assumed. */
  readonly basis: 'replayed' | 'assumed'
  readonly reason: string
  /** What else would have to be removed for this node to be decisive. */
  readonly contingency: readonly string[]
}

/** Bounds the search: one per node and cause visited; shared by all queries on one graph. */
export interface Work {
  done: number
  readonly max: number
}

export function conditionsOf({ clauses, acts }: TraceGraph, target: string): Conditions {
  const order: string[] = []
  const reached = new Set([target])
  const path = [{ node: target, next: 0, causes: causesOf(clauses, target) }]
  while (path.length > 0) {
    const at = path.at(-1)!
    const cause = at.causes[at.next++]
    if (cause === undefined) {
      order.push(at.node)
      path.pop()
    } else if (!reached.has(cause)) {
      reached.add(cause)
      path.push({ node: cause, next: 0, causes: causesOf(clauses, cause) })
    }
  }
  const members = Map.groupBy(
    order.filter((node) => acts[node] !== undefined),
    (node) => acts[node]!,
  )
  return { target, order, clauses, acts, members }
}

function causesOf(clauses: TraceGraph['clauses'], node: string): string[] {
  return [...new Set((clauses[node] ?? []).flatMap(({ of }) => of))]
}

/** Whether the target still holds without these. Counts replayed conditions only, or assumed ones as well. */
export function holds(
  conditions: Conditions,
  removed: readonly string[],
  only: 'replayed' | 'all',
  work: Work,
): boolean {
  const { target, order, clauses } = conditions
  const gone = withTheirEffects(conditions, removed)
  const fallen = new Set<string>()
  for (const node of order) {
    work.done += 1
    const stands = (clause: Clause) => {
      if (only === 'replayed' && !clause.replayed) return true
      let left = 0
      work.done += clause.of.length
      for (const cause of clause.of) if (!fallen.has(cause)) left++
      return left >= clause.least
    }
    if (gone.has(node) || !(clauses[node] ?? []).every(stands)) fallen.add(node)
  }
  return !fallen.has(target)
}

/** Removing one record of a call removes the whole call, except the target's own. */
function withTheirEffects({ target, acts, members }: Conditions, removed: readonly string[]): Set<string> {
  const gone = new Set(removed)
  for (const node of removed) {
    const act = acts[node]
    if (act === undefined || act === acts[target]) continue
    for (const member of members.get(act) ?? []) gone.add(member)
  }
  return gone
}

/** Root causes: dominators, nodes without causes, and members of redundant sets. */
export function rootCauses(graph: TraceGraph, target: string, work: Work): RootCause[] {
  const conditions = conditionsOf(graph, target)
  const candidates = candidatesOf(conditions)
  const pool = poolOf(conditions)
  const causes: RootCause[] = []
  // Decisive single causes first, whatever budget remains for the rest.
  let open = candidates
  for (let size = 0; size <= contingency_max; size++) {
    const root_causes = open.map((node) => causeOf(conditions, node, pool, size, work))
    causes.push(...root_causes.flatMap((cause) => cause ?? []))
    open = open.filter((_, place) => root_causes[place] === undefined)
  }
  causes.push(...open.flatMap((node) => causeAmong(conditions, node, work) ?? []))
  const { distance } = stepsBack(graph.clauses, target)
  return causes
    .sort(
      (a, b) =>
        b.responsibility - a.responsibility ||
        Number(b.basis === 'replayed') - Number(a.basis === 'replayed') ||
        distance.get(a.node)! - distance.get(b.node)! ||
        (a.node < b.node ? -1 : 1),
    )
    .slice(0, causes_max)
}

function candidatesOf({ target, order, clauses, acts }: Conditions): string[] {
  const place = new Map(order.map((node, index) => [node, index]))
  const source = order.length
  const effects: number[][] = Array.from({ length: order.length + 1 }, () => [])
  for (const [index, node] of order.entries()) {
    const causes = causesOf(clauses, node)
    for (const cause of causes) effects[place.get(cause)!]!.push(index)
    if (causes.length === 0) effects[source]!.push(index)
  }
  const idom = immediateDominators(effects, source)
  const single = dominatorsOf(idom, place.get(target)!, source).map((index) => order[index]!)
  const ends = effects[source]!.map((index) => order[index]!)
  const beside = order.flatMap((node) => (clauses[node] ?? []).flatMap(({ of }) => (of.length > 1 ? of : [])))
  const direct = causesOf(clauses, target)
  const all = [...new Set([...direct, ...single, ...beside, ...ends])]
  // Records of the target's own call are not explanations.
  const isOther = (node: string) => node !== target && (acts[node] ?? node) !== acts[target]
  return all.filter(isOther).slice(0, candidates_max)
}

/** Only redundant nodes, and those behind them, can mask a cause. Nearest first. */
function poolOf({ order, clauses }: Conditions): string[] {
  const isSpare = ({ of, least }: Clause) => of.length > least
  const pool = new Set(order.flatMap((node) => (clauses[node] ?? []).filter(isSpare).flatMap(({ of }) => of)))
  for (const node of pool) for (const cause of causesOf(clauses, node)) pool.add(cause)
  return [...pool].slice(0, pool_max)
}

/** One of more alternatives than the search tries: it decides once all the others are gone. */
function causeAmong(conditions: Conditions, node: string, work: Work): RootCause | undefined {
  const { order, clauses } = conditions
  const naming = order.flatMap((effect) => (clauses[effect] ?? []).filter(({ of }) => of.includes(node)))
  const others = [...new Set(naming.filter(({ least }) => least === 1).flatMap(({ of }) => of))]
  const contingency = others.filter((other) => other !== node)
  if (contingency.length <= contingency_max || work.done >= work.max) return undefined
  if (!holds(conditions, contingency, 'all', work)) return undefined
  if (holds(conditions, [...contingency, node], 'all', work)) return undefined
  const basis = naming.every(({ replayed }) => replayed) ? 'replayed' : 'assumed'
  return asCause(conditions, node, contingency, basis)
}

/** A cause with a contingency of this size, and not with a smaller one. */
function causeOf(
  conditions: Conditions,
  node: string,
  pool: readonly string[],
  size: number,
  work: Work,
): RootCause | undefined {
  for (const only of ['replayed', 'all'] as const) {
    const contingency = contingencyOf(conditions, node, pool, size, only, work)
    if (contingency) return asCause(conditions, node, contingency, only === 'all' ? 'assumed' : 'replayed')
  }
  return undefined
}

function asCause(
  conditions: Conditions,
  node: string,
  contingency: readonly string[],
  basis: RootCause['basis'],
): RootCause {
  const size = contingency.length
  const rule = ruleOn(conditions, node)
  return {
    node,
    necessity: size === 0,
    responsibility: 1 / (1 + size),
    basis,
    reason:
      size === 0
        ? `Without it this would have come out otherwise: ${rule}.`
        : `It decides only once ${size} other${size > 1 ? 's are' : ' is'} gone: ${rule}.`,
    contingency,
  }
}

/** A set of this size without effect of its own, with which this node is decisive; undefined if not found. */
function contingencyOf(
  conditions: Conditions,
  node: string,
  pool: readonly string[],
  size: number,
  only: 'replayed' | 'all',
  work: Work,
): string[] | undefined {
  if (work.done >= work.max) return undefined
  const others = pool.filter((other) => other !== node)
  // Monotonic: if the target holds without all of them, no subset helps.
  if (size > 0 && holds(conditions, [...others, node], only, work)) return undefined
  for (const chosen of combinations(others, size)) {
    if (work.done >= work.max) return undefined
    if (holds(conditions, [...chosen, node], only, work)) continue
    if (size === 0 || holds(conditions, chosen, only, work)) return chosen
  }
  return undefined
}

function* combinations(items: readonly string[], size: number, from = 0): Generator<string[]> {
  if (size === 0) {
    yield []
    return
  }
  for (let place = from; place <= items.length - size; place++) {
    for (const rest of combinations(items, size - 1, place + 1)) yield [items[place]!, ...rest]
  }
}

/** The condition that names it, nearest to the target. */
function ruleOn({ order, clauses }: Conditions, node: string): string {
  for (const effect of order.toReversed()) {
    const clause = clauses[effect]?.find(({ of }) => of.includes(node))
    if (clause) return clause.rule
  }
  return 'everything before it went through it'
}

function stepsBack(clauses: TraceGraph['clauses'], target: string) {
  const before = new Map<string, string>()
  const distance = new Map([[target, 0]])
  const open = [target]
  for (const node of open) {
    for (const cause of causesOf(clauses, node).sort()) {
      if (distance.has(cause)) continue
      distance.set(cause, distance.get(node)! + 1)
      before.set(cause, node)
      open.push(cause)
    }
  }
  return { before, distance }
}

/** From the target to the most responsible cause, and of those the most distant. */
export function criticalPath(
  { clauses }: TraceGraph,
  target: string,
  causes: readonly RootCause[],
): string[] {
  const { before, distance } = stepsBack(clauses, target)
  const [end] = causes.toSorted(
    (a, b) => b.responsibility - a.responsibility || distance.get(b.node)! - distance.get(a.node)!,
  )
  const path: string[] = []
  for (let at = end?.node ?? target; ; at = before.get(at)!) {
    path.push(at)
    if (at === target) return path.toReversed()
  }
}
