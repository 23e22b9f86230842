// Stage 7: invoke. Input checked, deadline enforced, rows and events committed together or not at all.
import type { ModuleResponse } from '@svc/contract/protocol'
import { type Refusal, type RefusalCode, refuse, unavailable } from '@svc/contract/refusal'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { asRefusal } from '@svc/database/as-refusal'
import type { Done, Placed } from '../call.ts'
import type { HandlerContext, Redispatch } from '../handler/handler-context.ts'
import { openContext } from '../handler/open-context.ts'
import { runOnce } from '../idempotency/idempotency.ts'
import { deadlineOf } from '../limits/budget.ts'
import { isForOneCall, useUp } from '../one-time-use.ts'
import type { Ports } from '../ports.ts'
import { circuitOf } from '../routing/routing.ts'
import { growBudget, hasOutgrown } from './5-reserve-budget.ts'
import { checkInput, checkOutput } from './7-check-schema.ts'

/** What the breaker counts: failures. A refusal is a healthy module saying no. */
const breaking: ReadonlySet<RefusalCode> = new Set(['adapter_error', 'timeout', 'internal', 'protocol_error'])

const denying: ReadonlySet<RefusalCode> = new Set([
  'policy_denied',
  'missing_capability',
  'capability_denied',
])

const silent: ReadonlySet<RefusalCode> = new Set(['no_endpoint_available', 'unavailable'])

/** State of running calls: how they call others, and how to cut them off at the end of a drain. */
export interface UnderWay {
  readonly redispatch: Redispatch
  readonly cuts: Set<(reason: Refusal) => void>
}

/** One call in this stage. */
interface Attempt {
  readonly call: Placed
  readonly ports: Ports
  readonly context: ReturnType<typeof openContext>
  readonly under_way: UnderWay
  readonly circuit: string
  readonly begun_ms: number
  /** Whether the module was called at all: a replay, or a key in use, says nothing to the breaker. */
  reached: boolean
}

/** A module that returned a value is not awaited. */
export function invokeModule(call: Placed, ports: Ports, under_way: UnderWay): Done | Promise<Done> {
  const checking = checkInput(call, ports)
  return checking
    ? checking.then(() => attemptCall(call, ports, under_way))
    : attemptCall(call, ports, under_way)
}

function attemptCall(call: Placed, ports: Ports, under_way: UnderWay): Done | Promise<Done> {
  const context = openContext(call, ports, under_way.redispatch)
  const begun_ms = ports.clock.monotonic_ms()
  const circuit = circuitOf(call.endpoint, call.asked.credential.tenant_id)
  const attempt: Attempt = { call, ports, context, under_way, circuit, begun_ms, reached: false }
  call.endpoint.in_flight++
  const succeed = (done: Done) => {
    call.endpoint.in_flight--
    context.used.milliseconds = takenBy(attempt).ms
    if (attempt.reached) ports.breaker.succeeded(call.registered.facts.id, attempt.circuit, begun_ms)
    return done
  }
  try {
    const answering = answer(attempt)
    if (!(answering instanceof Promise)) return succeed(answering)
    return answering.then(succeed, (thrown) => fail(thrown, attempt))
  } catch (thrown) {
    return fail(thrown, attempt)
  }
}

async function fail(thrown: unknown, attempt: Attempt): Promise<never> {
  const { call, ports, context, reached, circuit, begun_ms } = attempt
  call.endpoint.in_flight--
  let refusal = blameDatabase(asUndone(asRefusal(thrown), call), context)
  if (context.keepsRows(thrown)) refusal = (await keepSafely(context)) ?? refusal
  await abandonSafely(context, refusal, ports)
  const { id } = call.registered.facts
  // A call that was not admitted, or that the database did not answer, says nothing about the module's health.
  if (!reached || silent.has(refusal.code) || isFaultOfDatabase(refusal)) throw refusal
  if (breaking.has(refusal.code) && !isFaultOfOthers(call, refusal))
    ports.breaker.failed(id, circuit, refusal.code, begun_ms)
  else ports.breaker.succeeded(id, circuit, begun_ms)
  throw refusal
}

/** A halted database lets calls run into their deadlines. */
function blameDatabase(refusal: Refusal, context: HandlerContext): Refusal {
  if (refusal.code !== 'timeout' || !context.waits_for_database) return refusal
  return refusal.with({ unavailable: 'database' })
}

/** A read has no effect that could be in doubt; an external effect may have happened before the database failed. */
function asUndone(refusal: Refusal, { operation, unknown_of_caller }: Placed): Refusal {
  const { code, details, cause } = refusal
  // A handler that denies an unresolved caller may deny what its document would have allowed.
  if (unknown_of_caller && denying.has(code)) return unavailable('identity', refusal)
  if (code !== 'unavailable' || details.unavailable === undefined) return refusal
  const { effect, acts_outside } = operation.facts
  const may_be_done = effect === 'write' && (details.outcome === 'unknown' || acts_outside === true)
  if (may_be_done === (details.outcome === 'unknown')) return refusal
  return unavailable(details.unavailable, cause, may_be_done ? 'unknown' : undefined)
}

/**
 * A failing tool or device of one tenant says nothing about the module all tenants share; each has its own breaker. Nor does a service
 * that rejects a payload in its own words: otherwise such payloads would block it for everybody.
 */
function isFaultOfOthers({ operation, endpoint }: Placed, { code }: Refusal): boolean {
  if (endpoint.kind === 'external' && code === 'protocol_error') return true
  return operation.facts.acts_outside === true && (code === 'adapter_error' || code === 'timeout')
}

function isFaultOfDatabase({ details, is_foreign }: Refusal): boolean {
  return details.unavailable === 'database' && !is_foreign
}

function answer(attempt: Attempt): Done | Promise<Done> {
  const { call, ports, context } = attempt
  const { idempotency_key: key } = call.asked.request
  if (key !== undefined && call.operation.facts.effect === 'write') {
    const keyed = { call, key, context, ports, deadline_ms: deadlineOf(call), wait }
    return runOnce(keyed, async () => invoke(attempt))
  }
  const done = invoke(attempt)
  return done instanceof Promise ? done.then((value) => commit(value, context)) : commit(done, context)
}

function commit(done: Done, context: HandlerContext): Done | Promise<Done> {
  const committing = context.commit()
  return committing ? committing.then(() => done) : done
}

/** A right to a single call is used up by it, but not by the replay of its answer. */
function invoke(attempt: Attempt): Done | Promise<Done> {
  return isForOneCall(attempt.call.grant) ? useUp(attempt, async () => reach(attempt)) : reach(attempt)
}

function reach(attempt: Attempt): Done | Promise<Done> {
  const { call, context } = attempt
  if (call.only_replay) throw call.only_replay
  attempt.reached = true
  const waiting = call.endpoint.invoke(call.operation.name, call.asked.request.input, context)
  if (!(waiting instanceof Promise)) return stayWithin(attempt, waiting)
  return withinDeadline(waiting, attempt).then((response) => stayWithin(attempt, response))
}

/** Before anything is committed: a call that used more than was reserved for it, and for which there is no more, is undone. */
function stayWithin(attempt: Attempt, response: ModuleResponse): Done | Promise<Done> {
  const { call, ports, context } = attempt
  const taken = takenBy(attempt)
  if (metersTokens(call) && hasOutgrown(call, taken))
    return growBudget(call, taken, ports).then(() => stayWithin(attempt, response))
  return learn(call, ports, context, response)
}

/** Waiting for others is no work, and costs nothing. */
function takenBy({ context: { used }, ports, begun_ms }: Attempt): { ms: number; tokens: number } {
  const { waited_ms = 0, tokens_in, tokens_out } = used
  const worked_ms = ports.clock.monotonic_ms() - begun_ms - waited_ms
  return { ms: Math.max(0, worked_ms), tokens: tokens_in + tokens_out }
}

function metersTokens({ operation }: Placed): boolean {
  return operation.multipliers[0] > 0
}

function learn(
  call: Placed,
  ports: Ports,
  context: HandlerContext,
  response: ModuleResponse,
): Done | Promise<Done> {
  const done = Object.assign(call, {
    output_text: canonicalJson(response.data),
    module_metadata: response.metadata ?? {},
    module_supplied: response.supplied,
    used: context.used,
    replayed: false,
  })
  // Answers finished after the commit are checked then.
  return call.endpoint.finish?.(call.operation.name) ? done : checkOutput(done, ports, response.data)
}

/** A duplicate waits for the first for a limited time. */
async function wait(ms: number, settled?: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  settled?.then(() => resolve(), resolve)
  await promise
  clearTimeout(timer)
}

function withinDeadline(waiting: Promise<ModuleResponse>, attempt: Attempt): Promise<ModuleResponse> {
  const {
    call,
    under_way: { cuts },
  } = attempt
  const deadline_ms = deadlineOf(call)
  const { promise, resolve, reject } = Promise.withResolvers<ModuleResponse>()
  const timer = setTimeout(() => reject(tooLate(call, deadline_ms)), deadline_ms)
  cuts.add(reject)
  const stopWatching = metersTokens(call) ? watchReservation(attempt, reject) : undefined
  waiting.then(resolve, reject)
  // Whichever came first: a module that never answers must hold neither a timer nor a slot here.
  return promise.finally(() => {
    clearTimeout(timer)
    stopWatching?.()
    cuts.delete(reject)
  })
}

/** A call that computes longer than is paid for reserves more, or is stopped. */
function watchReservation(attempt: Attempt, stop: (refusal: unknown) => void): () => void {
  const { call, ports } = attempt
  let timer: NodeJS.Timeout | undefined
  let is_over = false
  const watch = () => {
    const { reserved, worst } = call
    if (is_over || reserved.ms >= worst.ms) return
    const left_ms = Math.max(1, reserved.ms - takenBy(attempt).ms)
    timer = setTimeout(() => {
      const taken = takenBy(attempt)
      if (!hasOutgrown(call, taken)) watch()
      else growBudget(call, taken, ports).then(watch, stop)
    }, left_ms)
  }
  watch()
  return () => {
    is_over = true
    clearTimeout(timer)
  }
}

function tooLate(call: Placed, deadline_ms: number): Refusal {
  return refuse(
    'timeout',
    `${call.operation.capability} did not finish within ${deadline_ms} ms and was stopped.`,
    {
      reason: 'deadline exceeded',
    },
  )
}

/** Rows kept by a refusal must be committed before the caller learns of it: an uncounted attempt invites another. */
async function keepSafely(context: HandlerContext): Promise<Refusal | undefined> {
  try {
    await context.commit()
    return undefined
  } catch (error) {
    return asRefusal(error)
  }
}

async function abandonSafely(context: HandlerContext, refusal: Refusal, ports: Ports): Promise<void> {
  try {
    await context.abandon(refusal)
  } catch (error) {
    ports.log.warn({ err: error }, 'rolling back a refused operation failed; its connection was dropped')
  }
}
