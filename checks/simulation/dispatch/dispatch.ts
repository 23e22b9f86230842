// Dispatch over several engines with limits, budgets and idempotency keys: clients that repeat, and every fault between them,
// PostgreSQL and Redis.
import type { Outcome } from '@svc/engine/dispatch'
import { Disk } from '../disk.ts'
import { Network } from '../network.ts'
import type { Random } from '../random.ts'
import { SimulationRedis } from '../redis.ts'
import type { Scenario, Step } from '../scenario.ts'
import { Violation, type World } from '../world.ts'
import { askedOf, booksOf, budgetOf, type ClientCall, limits_table, tenantsOf } from './calls.ts'
import { act_deadline_ms, effectProtocol, type HandlerObserver } from './effect-protocol.ts'
import { DispatchEngine, type OpenEngine } from './engine.ts'
import { engineSteps, redisSteps } from './faults.ts'
import { LimitsModel } from './limits-model.ts'
import { type Answer, DispatchModel } from './model.ts'
import { checkCounters, recover, startAll } from './recovery.ts'

export interface DispatchState {
  readonly world: World
  readonly redis: SimulationRedis
  readonly network: Network
  readonly model: DispatchModel
  readonly limits: LimitsModel
  readonly engines: DispatchEngine[]
  readonly tenant_ids: readonly [string, string]
  readonly calls: ClientCall[]
  /** In the other half of the seeds the bounds are exact. */
  readonly redis_is_faulty: boolean
  engines_were_killed: boolean
  is_closing: boolean
  /** A rule that was broken inside a process. */
  violation: Violation | undefined
}

const engine_names = ['engine-1', 'engine-2', 'engine-3'] as const
const outside_name = 'outside'
const answer_ms_max = 12_000
const tries_max = 3

export const dispatch_scenario: Scenario<DispatchState> = {
  name: 'dispatch',
  steps_default: 40,
  tasks_max: 25,
  open,
  steps: [...callSteps(), ...engineSteps(), ...redisSteps()],
  async check(state) {
    if (state.violation) throw state.violation
    await state.model.check()
    await state.limits.check()
  },
  async close(state) {
    await recover(state)
    await state.model.checkEnd(state.engines_were_killed)
    await state.limits.check()
    await checkCounters(state)
    state.world.note(state.model.summary)
  },
}

function callSteps(): Step<DispatchState>[] {
  return [
    { name: 'call', weight: 28, run: call },
    { name: 'call often', weight: 4, run: callOften },
    { name: 'call again', weight: 14, run: callAgain },
    { name: 'use key for another call', weight: 2, run: reuseKey },
    { name: 'network fault', weight: 4, run: faultNetwork },
    { name: 'cut network', weight: 2, run: cutNetwork },
    { name: 'end network faults', weight: 5, run: ({ network }) => network.heal() },
    { name: 'time passes', weight: 6, run: ({ world }, random) => world.advance(random.between(10, 6_000)) },
  ]
}

async function open(world: World): Promise<DispatchState> {
  await world.database.control.query(
    'DELETE FROM audit_outbox; DELETE FROM engine_replicas; DELETE FROM month_calls',
  )
  const redis = await SimulationRedis.open(world)
  const tenant_ids = tenantsOf(world.seed)
  const model = new DispatchModel(world.database, tenant_ids)
  const { bucket, budget } = budgetOf(tenant_ids)
  const state: DispatchState = {
    world,
    redis,
    network: new Network(world),
    model,
    limits: new LimitsModel(world, redis, model, bucket, budget),
    engines: [],
    tenant_ids,
    calls: [],
    redis_is_faulty: world.random.chance(0.6),
    engines_were_killed: false,
    is_closing: false,
    violation: undefined,
  }
  world.start('client')
  serveOutside(state)
  const count = world.random.between(2, engine_names.length)
  for (const name of engine_names.slice(0, count)) state.engines.push(newEngine(state, name))
  await startAll(state)
  return state
}

function newEngine(state: DispatchState, name: string): DispatchEngine {
  const { world, redis, limits, tenant_ids } = state
  return new DispatchEngine({
    world,
    redis,
    name,
    disk: new Disk(world, `disk of ${name}`),
    protocol: effectProtocol(observerOf(state)),
    limits: limits_table,
    booksOf: (tenant_id) => booksOf(tenant_id, tenant_ids),
    onRedis: (process, is_up) => limits.redisChanged(process.name, is_up),
    onOpen: (engine) => serve(state, engine),
  })
}

/** Rules that are broken inside of a process are reported by the next check. */
function guarded<Result>(state: DispatchState, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof Violation) state.violation ??= error
    throw error
  }
}

function observerOf(state: DispatchState): HandlerObserver {
  const { model, world, network } = state
  return {
    began: (id) => guarded(state, () => model.handlerBegan(id, world.now_ms, act_deadline_ms)),
    ended: (id) => {
      model.attempts.get(id)!.handler_ended = true
    },
    act: (name, key) => network.call(outside_name, JSON.stringify({ name, key }), act_deadline_ms - 1_000),
  }
}

/** Recognises keys: a request that it has done already gets the same answer. */
function serveOutside({ world, network }: DispatchState): void {
  const numbers = new Map<string, string>()
  network.serve(outside_name, world.start(outside_name), async (request) => {
    const { key } = JSON.parse(request) as { key?: string }
    const number = (key !== undefined && numbers.get(request)) || world.random.uuid()
    if (key !== undefined) numbers.set(request, number)
    return number
  })
}

export function serve(state: DispatchState, engine: DispatchEngine): void {
  const { network, limits, model } = state
  const { process } = engine
  limits.register(engine.replica_id, process.name)
  network.serve(engine.name, process, async (request) => {
    const { opened } = engine
    if (!opened || state.is_closing) return 'none'
    return model.answering(process.name, () => answer(state, opened, process.name, JSON.parse(request)))
  })
}

async function answer(
  state: DispatchState,
  { audit_log, engine }: OpenEngine,
  process_name: string,
  sent: ClientCall,
): Promise<string> {
  const { model, world } = state
  // As the dispatch endpoint does; where it fails, no call has begun.
  await audit_log.ready(sent.tenant_id)
  const attempt = model.begin({
    id: world.random.uuid(),
    tenant_id: sent.tenant_id,
    operation: sent.operation,
    key: sent.key,
    process_name,
    began_ms: world.now_ms,
  })
  const outcome = await engine.dispatch(askedOf(sent, attempt.id, state.tenant_ids))
  guarded(state, () => model.conclude(attempt, answerOf(outcome)))
  return outcome.kind === 'refused' ? `${outcome.refusal.row.retry}` : 'success'
}

function answerOf(outcome: Outcome): Answer {
  if (outcome.kind === 'success') {
    const { output_text: output, metadata, record_id } = outcome
    return { kind: 'success', output, is_replayed: metadata.replayed === true, record_id }
  }
  if (outcome.kind !== 'refused') throw new Error('no call was a dry run')
  const { refusal, stage, record_id, correlation_id: record_correlation_id } = outcome
  const may_be_done = refusal.details.outcome === 'unknown'
  return { kind: 'refused', code: refusal.code, stage, may_be_done, record_id, record_correlation_id }
}

/** Repeats a call with a key at any engine until it has an answer, as clients are told to. */
function send(state: DispatchState, sent: ClientCall, random: Random): void {
  const { world, network } = state
  const client = world.processes.get('client')!
  const run = async () => {
    for (let tries = 0; tries < tries_max && !state.is_closing; tries++) {
      const { name } = random.pick(state.engines)
      const answer = await network.call(name, JSON.stringify(sent), answer_ms_max).catch(() => 'none')
      if (answer === 'success' || answer === 'never' || sent.key === undefined) return
      await new Promise((resolve) => setTimeout(resolve, random.between(10, 2_000)))
    }
  }
  void client.run(run)
}

function call(state: DispatchState, random: Random): void {
  for (let i = random.between(1, 4); i > 0; i--) sendNew(state, random, random.pick(state.tenant_ids))
}

/** More than fits the tenant's limit. */
function callOften(state: DispatchState, random: Random): void {
  const tenant_id = random.pick(state.tenant_ids)
  for (let i = random.between(5, 10); i > 0; i--) sendNew(state, random, tenant_id)
}

function sendNew(state: DispatchState, random: Random, tenant_id: string): void {
  const sent: ClientCall = {
    tenant_id,
    operation: random.chance(0.75) ? 'happen' : 'act',
    key: random.chance(0.7) ? `key ${state.calls.length}` : undefined,
    name: `call ${state.calls.length}`,
    after_ms: random.pick([0, 20, 400, 1_500]),
    is_refused: random.chance(0.1),
  }
  state.calls.push(sent)
  send(state, sent, random)
}

function callAgain(state: DispatchState, random: Random): void {
  const keyed = state.calls.filter(({ key }) => key !== undefined)
  if (keyed.length === 0) return
  const sent = random.pick(keyed.slice(-8))
  for (let i = random.between(1, 3); i > 0; i--) send(state, sent, random)
}

function reuseKey(state: DispatchState, random: Random): void {
  const keyed = state.calls.filter(({ key }) => key !== undefined)
  if (keyed.length > 0) send(state, { ...random.pick(keyed), name: 'another call' }, random)
}

function faultNetwork({ network }: DispatchState, random: Random): void {
  network.faults.lost = random.pick([0, 0.2, 0.5])
  network.faults.doubled = random.pick([0, 0.3, 0.8])
  network.faults.delay_ms_max = random.pick([0, 500, 8_000])
}

function cutNetwork({ network, engines }: DispatchState, random: Random): void {
  const { name, process } = random.pick(engines)
  if (random.chance(0.5)) network.partition('client', name)
  else network.partition(process.name, outside_name)
}
