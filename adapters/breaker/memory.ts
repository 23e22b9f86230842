// One breaker per protocol and endpoint. Callers are refused while it is OPEN or HALF_OPEN; only the engine's own
// probes close it.
import type { Clock } from '@svc/engine/ports'
import type { Breaker } from '@svc/engine/routing/routing'
import { within } from '../clock/within.ts'
import {
  type Circuit,
  type Circuits,
  countIn,
  endBackoff,
  failsTooOften,
  isBlank,
  newCircuits,
  type OnTransition,
  openCircuit,
  type Place,
  passProbe,
  type State,
  scheduleProbe,
  waitFor,
} from './circuit.ts'
import { isReturned, learnFrom, letThrough, waitToReturn } from './return.ts'

const probes_to_open = 3
/** The limit of a probe: one that hangs must not block its circuit's next probe. */
const probe_ms_max = 5_000

export type { Place, Transition } from './circuit.ts'

export interface CircuitState extends Place {
  readonly state: State
  /** Probed while closed, too. */
  readonly watched: boolean
}

export type Check = (protocol: string, endpoint: string) => Promise<boolean>

export interface MemoryBreaker extends Breaker {
  /**
   * Applies the passing of time: lets probes through, and runs them. Called by the engine's ticker. `watched`
   * endpoints are probed while closed, too; those no longer among them are forgotten.
   */
  probe(check: Check, watched?: readonly Place[]): Promise<void>
  /** True if probes keep the circuit open, so trying is pointless. Failed calls prove less, because callers choose them. */
  isAway(protocol: string, endpoint: string): boolean
  states(): readonly CircuitState[]
}

export function memoryBreaker(clock: Clock, onTransition: OnTransition): MemoryBreaker {
  const circuits = newCircuits()
  let round = 0
  return {
    blocked(protocol, endpoint, in_flight) {
      const circuit = circuits.find(protocol, endpoint)
      if (!circuit || (circuit.state === 'CLOSED' && !circuit.back)) return undefined
      return refusal(circuit, in_flight, clock)
    },
    state: (protocol, endpoint) => circuits.find(protocol, endpoint)?.state ?? 'CLOSED',
    succeeded(protocol, endpoint, begun_ms) {
      // Counted before the first failure, too: whether failures are half of the calls depends on all calls.
      count(circuits, clock, protocol, endpoint, false, begun_ms)
    },
    failed(protocol, endpoint, why, begun_ms) {
      const circuit = count(circuits, clock, protocol, endpoint, true, begun_ms)
      if (!circuit) return
      circuit.last_failure = why
      if (failsTooOften(circuit)) openCircuit(circuit, why, clock, onTransition)
    },
    async probe(check, watched = []) {
      round++
      const now_ms = clock.monotonic_ms()
      for (const { protocol, endpoint } of watched) {
        const circuit = circuits.findOrAdd(protocol, endpoint, now_ms)
        if (circuit) circuit.listed_in = round
      }
      forgetGone(circuits, round, now_ms)
      // In parallel: one endpoint that hangs must not delay the others.
      await Promise.all(circuits.all().map((circuit) => act(circuit, check, clock, onTransition)))
    },
    isAway(protocol, endpoint) {
      const circuit = circuits.find(protocol, endpoint)
      return circuit !== undefined && circuit.state !== 'CLOSED' && !circuit.well
    },
    states: () =>
      circuits.all().map(({ protocol, endpoint, state, listed_in }) => {
        return { protocol, endpoint, state, watched: listed_in !== undefined }
      }),
  }
}

function refusal(circuit: Circuit, in_flight: number, clock: Clock): ReturnType<Breaker['blocked']> {
  const { state, back, last_failure } = circuit
  if (state !== 'CLOSED') return { last_failure, retry_after_ms: waitFor(circuit, clock), state }
  const now_ms = clock.monotonic_ms()
  if (!back || isReturned(back, now_ms)) {
    circuit.back = undefined
    return undefined
  }
  if (letThrough(back, in_flight, now_ms)) return undefined
  return { last_failure, retry_after_ms: waitToReturn(clock.random()), state: 'recovering' }
}

/** The circuit if this call counts for it; a late answer, from before it last closed, does not. */
function count(
  circuits: Circuits,
  clock: Clock,
  protocol: string,
  endpoint: string,
  failed: boolean,
  begun_ms = Number.POSITIVE_INFINITY,
): Circuit | undefined {
  const now_ms = clock.monotonic_ms()
  const circuit = circuits.findOrAdd(protocol, endpoint, now_ms)
  if (circuit?.state !== 'CLOSED' || begun_ms < circuit.closed_at_ms) return undefined
  countIn(circuit.window, failed, now_ms)
  if (circuit.back) learnFrom(circuit.back, failed)
  return circuit
}

/** Endpoints come and go at run time. One that was never listed runs in this process, and is kept while it has state. */
function forgetGone(circuits: Circuits, round: number, now_ms: number): void {
  for (const circuit of circuits.all()) {
    const is_gone = circuit.listed_in === undefined ? isBlank(circuit, now_ms) : circuit.listed_in < round
    if (is_gone) circuits.forget(circuit)
  }
}

/** Concurrent callers wait for the same probe. */
function act(circuit: Circuit, check: Check, clock: Clock, onTransition: OnTransition): Promise<void> | void {
  if (circuit.asking) return circuit.asking
  const now_ms = clock.monotonic_ms()
  endBackoff(circuit, now_ms, onTransition)
  const is_watched = circuit.state === 'CLOSED' && circuit.listed_in !== undefined
  if (circuit.state !== 'HALF_OPEN' && !(is_watched && now_ms >= circuit.probe_due_ms)) return
  scheduleProbe(circuit, clock)
  circuit.asking = ask(circuit, check, clock, onTransition).finally(() => {
    circuit.asking = undefined
  })
  return circuit.asking
}

async function ask(circuit: Circuit, check: Check, clock: Clock, onTransition: OnTransition): Promise<void> {
  const { state, moves, protocol, endpoint } = circuit
  const passed = await isWell(check, protocol, endpoint)
  circuit.well = passed
  // It opened by calls meanwhile, or was forgotten: the result is too late.
  if (circuit.moves !== moves) return
  if (state === 'CLOSED') watch(circuit, passed, clock, onTransition)
  else if (passed) passProbe(circuit, clock.monotonic_ms(), onTransition)
  else openCircuit(circuit, 'probe failed', clock, onTransition)
}

/** A remote service may be down without any failed call, so it is probed; three failures in a row open the circuit. */
function watch(circuit: Circuit, passed: boolean, clock: Clock, onTransition: OnTransition): void {
  circuit.probes_failed = passed ? 0 : circuit.probes_failed + 1
  if (circuit.probes_failed >= probes_to_open)
    openCircuit(circuit, `${probes_to_open} health probes failed`, clock, onTransition)
}

async function isWell(check: Check, protocol: string, endpoint: string): Promise<boolean> {
  try {
    return await within(probe_ms_max, check(protocol, endpoint))
  } catch {
    return false
  }
}
