// The smallest proof of an atom, as steps that depend only on earlier steps.
import type { Meter } from './budget.ts'
import { type Clause, type Condition, domain_predicate, type Literal } from './clause.ts'
import { type Atom, type Cone, keyOfAtom, type Theory, type Way, waysTo } from './cone.ts'
import { slotValue } from './join.ts'
import type { RelationName } from './program.ts'

export interface ProofStep {
  readonly conclusion: Condition
  readonly by: 'clause' | 'naf' | 'comparison' | 'individual' | 'cases'
  /** Only with `by: clause`. */
  readonly clause?: Clause
  /** The disjunction that a proof by cases starts from. */
  readonly cases?: readonly (readonly Literal[])[]
  /** Earlier steps, in the order of the clause's conditions. */
  readonly from: readonly number[]
}

/** The cheapest instance per atom, -1 if there is none: Knuth's generalisation of Dijkstra's algorithm. */
export function cheapestInstances(cone: Cone, costOf: (source: number) => number, meter: Meter): Int32Array {
  meter.look(cone.instances.length)
  const cost = new Float64Array(cone.atoms.length).fill(Number.POSITIVE_INFINITY)
  const chosen = new Int32Array(cone.atoms.length).fill(-1)
  const waiting = cone.instances.map(({ body }) => new Set(body).size)
  const total = cone.instances.map(({ clause }) => costOf(clause.source))
  const used_by = cone.atoms.map((): number[] => [])
  const heap = openHeap()
  for (const [place, { body }] of cone.instances.entries()) {
    for (const atom of new Set(body)) used_by[atom]!.push(place)
    if (body.length === 0) heap.push(total[place]!, place)
  }
  for (let next = heap.pop(); next; next = heap.pop()) {
    const { head } = cone.instances[next.value]!
    if (chosen[head] !== -1) continue
    chosen[head] = next.value
    cost[head] = next.cost
    for (const place of used_by[head]!) {
      // Capped: shared parts count once per use, so a chain of them doubles at each link.
      total[place] = Math.min(1e300, total[place]! + cost[head]!)
      waiting[place]! -= 1
      if (waiting[place] === 0) heap.push(total[place]!, place)
    }
  }
  return chosen
}

/** Undefined if the cone was truncated before a proof. */
export function proveFromCone(
  cone: Cone,
  chosen: Int32Array,
  root: number,
  names: Naming,
): ProofStep[] | undefined {
  if (root < 0 || chosen[root] === -1) return undefined
  const wayOf = (atom: Atom): Way => {
    const instance = cone.instances[chosen[cone.find(atom)]!]!
    return { ...instance, body: instance.body.map((number) => cone.atoms[number]!) }
  }
  return writeSteps(cone.atoms[root]!, wayOf, names)
}

/** Some proof, in order of derivation: always available, however large the cone. */
export function proveByBirth(theory: Theory, root: Atom, meter: Meter, names: Naming): ProofStep[] {
  const { births, certain } = theory.model
  const bornAt = ({ relation, row }: Atom) => births[relation]![certain[relation]!.placeOf(row)]!
  const wayOf = (atom: Atom): Way => {
    const own = bornAt(atom)
    return waysTo(theory, atom, meter, ({ body }) => body.every((below) => bornAt(below) < own))[0]!
  }
  return writeSteps(root, wayOf, names)
}

export interface Naming {
  readonly constants: readonly string[]
  readonly relations: readonly RelationName[]
}

function nameAtom({ relation, row }: Atom, { constants, relations }: Naming): Condition {
  const { predicate, negated } = relations[relation]!
  return { predicate, negated, args: row.map((value) => constants[value]!) }
}

/** Depth first without recursion; shared steps appear once. */
function writeSteps(root: Atom, wayOf: (atom: Atom) => Way, names: Naming): ProofStep[] {
  const steps: ProofStep[] = []
  const written = new Map<string, number>()
  const open: { atom: Atom; way?: Way }[] = [{ atom: root }]
  while (open.length > 0) {
    const top = open[open.length - 1]!
    if (written.has(keyOfAtom(top.atom))) {
      open.pop()
      continue
    }
    top.way ??= wayOf(top.atom)
    const missing = top.way.body.filter((atom) => !written.has(keyOfAtom(atom)))
    if (missing.length > 0) {
      for (const atom of missing.reverse()) open.push({ atom })
      continue
    }
    const places = top.way.body.map((atom) => written.get(keyOfAtom(atom))!)
    steps.push(...testsOf(top.way, names), writeStep(top, top.way, places, steps.length, names))
    written.set(keyOfAtom(top.atom), steps.length - 1)
    open.pop()
  }
  return steps
}

/** What holds by the values alone: negation as failure and comparisons. */
function testsOf({ rule, values }: Way, names: Naming): ProofStep[] {
  const tests = rule?.body.filter(({ kind }) => kind !== 'match') ?? []
  return tests.map(({ kind, relation, args, operator }) => {
    const row = args.map((arg) => slotValue(arg, values))
    if (kind === 'naf')
      return { conclusion: { ...nameAtom({ relation, row }, names), naf: true }, by: 'naf', from: [] }
    const compared = {
      predicate: operator,
      negated: false,
      args: row.map((value) => names.constants[value]!),
    }
    return { conclusion: compared, by: 'comparison', from: [] }
  })
}

function writeStep(
  { atom }: { atom: Atom },
  way: Way,
  places: readonly number[],
  at: number,
  names: Naming,
): ProofStep {
  const conclusion = nameAtom(atom, names)
  if (conclusion.predicate === domain_predicate) return { conclusion, by: 'individual', from: [] }
  let [match, test] = [0, at]
  const from = (way.rule?.body ?? []).map(({ kind }) => {
    if (kind !== 'match') return test++
    return places[match++]!
  })
  return { conclusion, by: 'clause', clause: way.clause, from }
}

function openHeap() {
  const items: { cost: number; value: number }[] = []
  const swap = (a: number, b: number) => {
    const item = items[a]!
    items[a] = items[b]!
    items[b] = item
  }
  const push = (cost: number, value: number) => {
    items.push({ cost, value })
    for (let at = items.length - 1; at > 0; ) {
      const up = (at - 1) >> 1
      if (items[up]!.cost <= items[at]!.cost) break
      swap(up, at)
      at = up
    }
  }
  const pop = () => {
    const top = items[0]
    const last = items.pop()
    if (items.length === 0 || !top) return top
    items[0] = last!
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      let least = left < items.length && items[left]!.cost < items[at]!.cost ? left : at
      if (right < items.length && items[right]!.cost < items[least]!.cost) least = right
      if (least === at) return top
      swap(least, at)
      at = least
    }
  }
  return { push, pop }
}
