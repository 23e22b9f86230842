import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compute, type Refined, type RefineTask } from '../refine-job.ts'
import { network_task, readHddl } from './hddl-domain.ts'

const domain = `
(define (domain hauling) ; the domain of the competition, in small
  (:requirements :typing :hierarchy)
  (:types truck package - locatable locatable place)
  (:predicates (at ?x - locatable ?p - place) (in ?k - package ?t - truck) (road ?a ?b - place))
  (:task deliver :parameters (?k - package ?to - place))
  (:task get-to :parameters (?t - truck ?to - place))
  (:method m-deliver :parameters (?p - package ?from ?dest - place ?v - truck)
    :task (deliver ?p ?dest)
    :precondition (and (at ?p ?from) (not (= ?from ?dest)))
    :ordered-subtasks (and (get-to ?v ?from) (load ?p ?v ?from) (get-to ?v ?dest) (unload ?p ?v ?dest)))
  (:method m-there :parameters (?t - truck ?x - place)
    :task (get-to ?t ?x) :precondition (at ?t ?x) :subtasks ())
  (:method m-via :parameters (?t - truck ?x ?y ?z - place)
    :task (get-to ?t ?z)
    :precondition (and (at ?t ?x) (road ?x ?y) (not (at ?t ?z)))
    :subtasks (and (one (drive ?t ?x ?y)) (rest (get-to ?t ?z)))
    :ordering (and (< one rest)))
  (:action drive :parameters (?t - truck ?x ?y - place)
    :precondition (and (at ?t ?x) (road ?x ?y))
    :effect (and (not (at ?t ?x)) (at ?t ?y) (increase (total-cost) 3)))
  (:action load :parameters (?k - package ?t - truck ?p - place)
    :precondition (and (at ?k ?p) (at ?t ?p)) :effect (and (not (at ?k ?p)) (in ?k ?t)))
  (:action unload :parameters (?k - package ?t - truck ?p - place)
    :precondition (and (in ?k ?t) (at ?t ?p)) :effect (and (not (in ?k ?t)) (at ?k ?p))))`

const problem = `
(define (problem two) (:domain hauling)
  (:objects t1 - truck k1 k2 - package a b c - place)
  (:htn :parameters () :subtasks (and (x (deliver k1 c)) (y (deliver k2 a))) :ordering ())
  (:init (at t1 a) (at k1 a) (at k2 c) (road a b) (road b a) (road b c) (road c b)))`

function plan(text: string, more: Partial<RefineTask> = {}) {
  return compute(
    {
      goal: { task: network_task, args: {} },
      domain: { methods: [], operators: [] },
      hddl: text,
      state: {},
      frame: { staffed: false, agents: [], objectives: [], constraints: [] },
      expansions_max: 50_000,
      deadline_ms: 10,
      starts_at_ms: 0,
      seed: 1,
      ...more,
    },
    { elapsed_ms: () => 0 },
  )
}

test('a competition problem is planned, and its steps change the world correctly', () => {
  const refined = plan(domain + problem) as Exclude<Refined, { faults: unknown }>
  assert.ok(refined.graph, JSON.stringify(refined))
  const at: Record<string, string> = { t1: 'a', k1: 'a', k2: 'c' }
  const roads = ['a b', 'b a', 'b c', 'c b']
  for (const { operator, args } of refined.graph.tasks) {
    const { t, x, y, k, p } = args as Record<string, string>
    if (operator === 'drive') {
      assert.ok(at[t!] === x && roads.includes(`${x} ${y}`))
      at[t!] = y!
      continue
    }
    assert.equal(at[t!], p)
    assert.equal(at[k!], operator === 'load' ? p : t)
    at[k!] = operator === 'load' ? t! : p!
  }
  assert.deepEqual([at.k1, at.k2], ['c', 'a'])
  assert.equal(refined.schedule!.cost % 3, 0)
})

test('JSON operators set the duration and skill of HDDL actions', () => {
  const operators = [{ name: 'drive', duration: { opt: 7, likely: 7, pess: 7 }, cost: 1, skill: 'haulage' }]
  const refined = plan(domain + problem, { domain: { methods: [], operators } })
  assert.ok('graph' in refined && refined.graph)
  const drives = refined.graph.tasks.filter(({ operator }) => operator === 'drive')
  assert.ok(
    drives.length > 0 && drives.every(({ duration, skill }) => duration.opt === 7 && skill === 'haulage'),
  )
})

test('quantifiers, disjunctions and types are evaluated as written', () => {
  const { methods, operators, state } = readHddl(`
    (define (domain d) (:types a b - c) (:constants k - a l - b) (:predicates (p ?x - c) (q))
      (:action act :parameters (?x - a)
        :precondition (and (forall (?y - c) (imply (p ?y) (= ?y ?x))) (or (q) (exists (?z - b) (not (p ?z)))))
        :effect (q)))`)
  assert.deepEqual(methods, [])
  assert.deepEqual(state, {
    p: {},
    q: {},
    objects: { object: ['k', 'l'], a: ['k'], b: ['l'], c: ['k', 'l'] },
  })
  assert.deepEqual(operators[0]!.effects, [{ set: 'q.yes', to: true }])
  const done = plan('', {
    domain: { methods, operators },
    goal: { task: 'act', args: { x: 'k' } },
    state: { ...state, p: { k: true } },
  })
  assert.ok('graph' in done && done.graph)
  const not = plan('', {
    domain: { methods, operators },
    goal: { task: 'act', args: { x: 'k' } },
    state: { ...state, p: { l: true } },
  })
  assert.ok('graph' in not === false)
})

test('a plan must reach the :goal, and says where it does not', () => {
  const walk = (goal: string) => `
    (define (domain d) (:types place) (:predicates (at ?p - place) (tired))
      (:task go) (:method near :parameters () :task (go) :ordered-subtasks (walk a))
      (:method far :parameters () :task (go) :ordered-subtasks (and (walk a) (walk b)))
      (:action walk :parameters (?p - place) :effect (and (at ?p) (increase (total-cost) 1))))
    (define (problem p) (:domain d) (:objects a b c - place) (:htn :subtasks (go)) (:init) (:goal ${goal}))`
  const reached = plan(walk('(and (at a) (exists (?p - place) (and (at ?p) (not (= ?p a)))))'))
  assert.ok('objective' in reached && reached.graph)
  assert.deepEqual(
    reached.graph.tasks.map(({ args }) => args.p),
    ['a', 'b'],
  )
  assert.equal(reached.graph.goals?.length, 2)
  const missed = plan(walk('(at c)'))
  assert.ok('reason' in missed && missed.failing && 'constraint' in missed.failing)
  assert.deepEqual([missed.graph, missed.reason, missed.ended], [undefined, 'goal_not_reached', 'complete'])
  assert.match(missed.failing.why, /state\["at"\]/)
  assert.ok('graph' in plan(walk('(and)')))
})

test('names have up to 256 characters', () => {
  const long = 'n'.repeat(256)
  const { state, operators } = readHddl(
    `(define (domain d) (:predicates (${long} ?x)) (:constants ${long}) (:action ${long} :parameters (?${long}) :effect (${long} ?${long})) (:init (${long} ${long})))`,
  )
  assert.equal(operators[0]!.name, long)
  assert.deepEqual(state[long], { [long]: true })
})

test('unsupported or malformed text is refused by name', () => {
  const faults: [string, RegExp][] = [
    ['(define (domain d)', /not closed/],
    ['(define (domain d)))', /closes nothing/],
    ['hello', /something else/],
    ['(define (problem p) (:goal (and (q))))', /q in :goal is no declared predicate/],
    ['(define (problem p) (:predicates (q)) (:goal (q)) (:goal (q)))', /stands once/],
    ['(define (problem p) (:predicates (q ?x)) (:goal (q ?x)))', /declared nowhere/],
    [`(define (domain d) (:task ${'t'.repeat(257)}))`, /at most 256/],
    [
      '(define (domain d) (:predicates (q)) (:action a :parameters () :effect (when (q) (q))))',
      /when is not read/,
    ],
    ['(define (domain d) (:action a :parameters () :precondition (q ?x) :effect ()))', /declared nowhere/],
    ['(define (domain d) (:method m :parameters () :task (t) :subtasks ()))', /not declared like that/],
    ['(define (problem p) (:init (nowhere a)))', /no declared predicate/],
    [`(define ${'('.repeat(99)}${')'.repeat(100)}`, /deeper/],
    ['(define (problem p) (:init (constructor polluted)))', /no declared predicate/],
    ['(define (domain d) (:predicates (objects ?x)))', /may not be called objects/],
    [`(define (problem p) (:objects ${'a '.repeat(400_000)}))`, /more than 10000/],
    [`(define (problem p) ${'(:objects a b c d)'.repeat(2_501)})`, /more than 10000 objects/],
    [`(define (domain d) (:task t :parameters (${'?v '.repeat(65)})))`, /more than 64/],
    ['(define (domain d) (:task t :parameters (?a ?b - c ?a)))', /t names a twice/],
    [
      `(define (domain d) (:task t) (:method m :parameters (${'?v '.repeat(64)}) :task (t) :precondition (p ${'?v '.repeat(99)})))`,
      /m names v twice/,
    ],
    [
      '(define (domain d) (:action a :precondition (forall (?x ?x) (q ?x)) :effect ()))',
      /a quantifier names x twice/,
    ],
    [
      `(define (domain d) ${'(:method m :parameters () :task (t) :subtasks ())'.repeat(2_001)})`,
      /more than 2000/,
    ],
    ['(define (domain d) (:task t :parameters abc))', /in brackets/],
  ]
  for (const [text, message] of faults) assert.throws(() => readHddl(text), message, text.slice(0, 99))
  assert.ok(!('polluted' in Object), 'a text changes nothing but what is read from it')
  const { state } = readHddl('(define (problem p) (:predicates (constructor ?x)) (:init (constructor a)))')
  assert.deepEqual(state.constructor, { a: true })
  const refined = plan('(define (domain d)')
  assert.ok('faults' in refined && refined.faults[0]!.pointer === '/hddl')
})
