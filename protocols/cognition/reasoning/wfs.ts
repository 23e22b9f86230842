// Well-founded semantics by alternating fixpoint, one component of predicates at a time, semi-naively. An
// atom is certain, possible but not certain (undefined), or false: every program has one model.
import type { Meter } from './budget.ts'
import { findComponents } from './components.ts'
import { joinSteps, planSteps, type Reading, slotValue, unbound } from './join.ts'
import type { Fact, RelationName, Rule, Step } from './program.ts'
import { openRelation, type Relation } from './relation.ts'

export interface Model {
  /** By number of relation. */
  readonly certain: Relation[]
  /** The same object as `certain` if nothing in it is undefined. */
  readonly possible: Relation[]
  /** When each certain row was derived, by relation and position; its dependencies were derived earlier. */
  readonly births: number[][]
}

export interface Evaluation {
  readonly relations: readonly RelationName[]
  readonly constants: readonly string[]
  readonly facts: readonly Fact[]
  readonly rules: readonly Rule[]
}

export function openModel(relations: readonly RelationName[]): Model {
  const certain = relations.map(({ arity }) => openRelation(arity))
  return { certain, possible: [...certain], births: relations.map(() => []) }
}

/** Fills the model; if the meter stops it, the certain rows so far remain and are sound. */
export function evaluate(
  { relations, constants, facts, rules }: Evaluation,
  model: Model,
  meter: Meter,
): void {
  const edges = relations.map((): number[] => [])
  const rules_of = relations.map((): Rule[] => [])
  const facts_of = relations.map((): Fact[] => [])
  for (const rule of rules) {
    rules_of[rule.head.relation]!.push(rule)
    for (const { relation } of rule.body) if (relation >= 0) edges[rule.head.relation]!.push(relation)
  }
  for (const fact of facts) facts_of[fact.relation]!.push(fact)
  const clock = { births: 0 }
  for (const members of findComponents(edges)) {
    evaluateComponent({
      members: new Set(members),
      rules: members.flatMap((member) => rules_of[member]!),
      facts: members.flatMap((member) => facts_of[member]!),
      plans: new Map(),
      model,
      constants,
      meter,
      clock,
    })
  }
}

/** Mutually dependent predicates, with everything that derives them. */
interface Component {
  readonly members: ReadonlySet<number>
  readonly rules: readonly Rule[]
  readonly facts: readonly Fact[]
  /** Evaluation order by rule and by the condition taken first. */
  readonly plans: Map<Rule, Map<number, readonly number[]>>
  readonly model: Model
  readonly constants: readonly string[]
  readonly meter: Meter
  readonly clock: { births: number }
}

function evaluateComponent(component: Component): void {
  const { certain, possible, births } = component.model
  const steps = component.rules.flatMap(({ body }) => body)
  const inner_naf = steps.some(({ kind, relation }) => kind === 'naf' && component.members.has(relation))
  if (inner_naf) {
    alternate(component)
    return
  }
  const doubtful = steps.some(({ relation }) => relation >= 0 && certain[relation] !== possible[relation])
  fix(component, certain, possible, births)
  if (!doubtful) return
  renew(component, possible)
  fix(component, possible, certain)
}

/** Alternates upper and lower bounds until the certain rows stop growing. */
function alternate(component: Component): void {
  const { members, model } = component
  const { certain, possible, births } = model
  for (let before = -1; ; ) {
    renew(component, possible)
    fix(component, possible, certain)
    // Into separate rows: an incomplete round must not replace a complete one.
    const next = [...certain]
    const next_births = [...births]
    renew(component, next)
    for (const member of members) next_births[member] = []
    fix(component, next, possible, next_births)
    let size = 0
    for (const member of members) {
      certain[member] = next[member]!
      births[member] = next_births[member]!
      size += next[member]!.rows.length
    }
    if (size === before) break
    before = size
  }
  for (const member of members) {
    if (certain[member]!.rows.length === possible[member]!.rows.length) possible[member] = certain[member]!
  }
}

function renew({ members }: Component, relations: Relation[]): void {
  for (const member of members) relations[member] = openRelation(relations[member]!.arity)
}

/** How far each predicate of a component was read in the previous round, and now. */
interface Round {
  readonly first: boolean
  readonly before: ReadonlyMap<number, number>
  readonly now: ReadonlyMap<number, number>
  readonly read: readonly Relation[]
  readonly absent: readonly Relation[]
  add(relation: number, row: readonly number[]): void
}

/** Least fixpoint: matches read `read`, negation as failure succeeds on what `absent` does not contain. */
function fix(
  component: Component,
  read: readonly Relation[],
  absent: readonly Relation[],
  births?: number[][],
): void {
  const { members, clock } = component
  const add = (relation: number, row: readonly number[]) => {
    if (!read[relation]!.add(row) || !births) return
    births[relation]!.push(clock.births)
    clock.births += 1
  }
  for (const { relation, row } of component.facts) add(relation, row)
  if (component.rules.length === 0) return
  let before = new Map<number, number>()
  for (let first = true; ; first = false) {
    const now = new Map([...members].map((member) => [member, read[member]!.rows.length]))
    for (const rule of component.rules) fireRule(component, rule, { first, before, now, read, absent, add })
    if (![...now].some(([member, length]) => read[member]!.rows.length > length)) return
    before = now
  }
}

const everywhere = -1

/** Later rounds require at least one row of the previous round; each combination once. */
function fireRule(component: Component, rule: Rule, round: Round): void {
  if (round.first) {
    fireJoin(component, rule, everywhere, round)
    return
  }
  for (const [place, { kind, relation }] of rule.body.entries()) {
    if (kind !== 'match' || !component.members.has(relation)) continue
    if (round.before.get(relation) !== round.now.get(relation)) fireJoin(component, rule, place, round)
  }
}

function fireJoin(component: Component, rule: Rule, fresh: number, round: Round): void {
  const { meter, constants } = component
  const readings = rule.body.map((step, place) => readingOf(step, place, fresh, round))
  const join = { body: rule.body, order: planOf(component, rule, fresh), readings, constants, meter }
  const binding = new Array<number>(rule.slots).fill(unbound)
  const { relation, args } = rule.head
  joinSteps(join, binding, () => {
    meter.fire()
    const row = args.map((arg) => slotValue(arg, binding))
    round.add(relation, row)
    return undefined
  })
}

function planOf({ plans, meter }: Component, rule: Rule, fresh: number): readonly number[] {
  const by_first = plans.get(rule) ?? new Map<number, readonly number[]>()
  plans.set(rule, by_first)
  const places = by_first.get(fresh)
  if (places) return places
  meter.look(rule.body.length ** 2)
  const plan = planSteps(rule.body, [], fresh === everywhere ? undefined : fresh)
  by_first.set(fresh, plan)
  return plan
}

/** Before the fresh condition only old rows, at it only new ones, after it all. */
function readingOf(step: Step, place: number, fresh: number, round: Round): Reading | undefined {
  if (step.kind === 'compare') return undefined
  const relation = (step.kind === 'naf' ? round.absent : round.read)[step.relation]!
  if (step.kind === 'naf') return { relation, low: 0, high: Number.POSITIVE_INFINITY }
  const high = round.now.get(step.relation) ?? relation.rows.length
  const size_before = round.before.get(step.relation)
  if (fresh === everywhere || size_before === undefined) return { relation, low: 0, high }
  if (place === fresh) return { relation, low: size_before, high }
  return { relation, low: 0, high: place < fresh ? size_before : high }
}
