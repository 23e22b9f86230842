// One breaker per protocol and endpoint. Users are refused while it is OPEN and HALF_OPEN; only the engine's own probes close it.
import type { Clock } from '@svc/engine/ports'
import type { Breaker } from '@svc/engine/routing/routing'
import { within } from '../clock/within.ts'
import {
  type Circuit,
  endBackoff,
  failsTooOften,
  isBlank,
  type OnTransition,
  openCircuit,
  type Place,
  passProbe,
  type State,
  scheduleProbe,
  waitFor,
} from './circuit.ts'
import { type Circuits, newCircuits } from './circuits.ts'
import { isReturned, learnFrom, letThrough, waitToReturn } from './return.ts'
import { countIn } from './window.ts'

const probes_to_open = 3
/** However long a check would take: a probe that hangs must not keep its circuit from being asked again. */
const probe_ms_max = 5_000

export type { Place, Transition } from './circuit.ts'

export interface CircuitState extends Place {
  readonly state: State
  /** Asked by probes while it is closed, too. */
  readonly watched: boolean
}

export type Check = (protocol: string, endpoint: string) => Promise<boolean>

export interface MemoryBreaker extends Breaker {
  /**
   * Lets time act: opens the way for probes, and runs them. Called by the engine's ticker. `watched` are probed while closed, too;
   * what was among them and is no more is forgotten.
   */
  probe(check: Check, watched?: readonly Place[]): Promise<void>
  /** True where it is the probes that hold the circuit open: then nobody need try. Calls that failed say less, for callers choose them. */
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
      // Counted before anything has failed, too: whether failures are half of the calls needs all calls.
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
      // Side by side: one endpoint that hangs must not keep the others from being asked.
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

/** Answers the circuit where this call speaks for or against it; a late answer, from before it last closed, does neither. */
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

/** Endpoints come and go while the engine runs. What was never listed runs here, and is kept for as long as it says something. */
function forgetGone(circuits: Circuits, round: number, now_ms: number): void {
  for (const circuit of circuits.all()) {
    const is_gone = circuit.listed_in === undefined ? isBlank(circuit, now_ms) : circuit.listed_in < round
    if (is_gone) circuits.forget(circuit)
  }
}

/** Whoever comes while a question is under way waits for its answer. */
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
  // It opened by calls meanwhile, or was forgotten: the answer comes too late to move it.
  if (circuit.moves !== moves) return
  if (state === 'CLOSED') watch(circuit, passed, clock, onTransition)
  else if (passed) passProbe(circuit, clock.monotonic_ms(), onTransition)
  else openCircuit(circuit, 'probe failed', clock, onTransition)
}

/** A service outside may be gone without any call having failed: it is asked, and three silences in a row are enough. */
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
