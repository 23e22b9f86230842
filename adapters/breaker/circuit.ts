// One circuit: the state of one endpoint of a protocol, and its transitions. The breaker decides when to make them.
import type { Clock } from '@svc/engine/ports'
import { beginReturn, type GentleReturn, isReturned } from './return.ts'

const failures_to_open = 5
const failing_share_to_open = 0.5
const backoff_ms_first = 10_000
const backoff_ms_max = 300_000
const backoff_jitter = 0.1
const probes_to_close = 2
/** The least time that two probes need before calls can be admitted. */
const recovery_ms = 1_000
const wait_spread = 0.1
const wait_spread_ms_min = 1_000
const watch_every_ms = 10_000
/**
 * Probes come up to this much sooner: engines that started together do not probe together, and none probes later than
 * promised.
 */
const watch_spread = 0.1
const watch_spread_first = 0.5

export type State = 'CLOSED' | 'OPEN' | 'HALF_OPEN'

/** Where a protocol can be invoked. */
export interface Place {
  readonly protocol: string
  readonly endpoint: string
}

export interface Transition extends Place {
  readonly from: State
  readonly to: State
  readonly why: string
}

export interface Circuit extends Place {
  state: State
  readonly window: SlidingWindow
  openings: number
  backoff_ms: number
  retry_at_ms: number
  closed_at_ms: number
  last_failure: string
  probes_passed: number
  probes_failed: number
  probe_due_ms: number
  probed_before: boolean
  /** The probe in flight: one at a time. */
  asking: Promise<void> | undefined
  /** The result of the last probe; calls do not change it. */
  well: boolean
  /** Transitions so far: a call or probe begun before the last one says nothing about now. */
  moves: number
  /** The last round of probes that listed it; undefined if none did. */
  listed_in: number | undefined
  back: GentleReturn | undefined
}

export type OnTransition = (transition: Transition) => void

function newCircuit(protocol: string, endpoint: string, now_ms: number): Circuit {
  return {
    protocol,
    endpoint,
    state: 'CLOSED',
    window: newWindow(now_ms),
    openings: 0,
    backoff_ms: 0,
    retry_at_ms: 0,
    closed_at_ms: Number.NEGATIVE_INFINITY,
    last_failure: '',
    probes_passed: 0,
    probes_failed: 0,
    probe_due_ms: now_ms,
    probed_before: false,
    asking: undefined,
    well: true,
    moves: 0,
    listed_in: undefined,
    back: undefined,
  }
}

export function failsTooOften({ window: { failures, calls } }: Circuit): boolean {
  return failures >= failures_to_open && failures / calls >= failing_share_to_open
}

export function openCircuit(circuit: Circuit, why: string, clock: Clock, onTransition: OnTransition): void {
  circuit.backoff_ms = Math.min(backoff_ms_max, backoff_ms_first * 2 ** circuit.openings)
  const jittered_ms = circuit.backoff_ms * (1 + backoff_jitter * (2 * clock.random() - 1))
  circuit.retry_at_ms = clock.monotonic_ms() + jittered_ms
  circuit.openings++
  circuit.last_failure = why
  circuit.probes_passed = 0
  circuit.back = undefined
  move(circuit, 'OPEN', why, onTransition)
}

/** OPEN ends only by time, and only to let probes through. */
export function endBackoff(circuit: Circuit, now_ms: number, onTransition: OnTransition): void {
  if (circuit.state === 'OPEN' && now_ms >= circuit.retry_at_ms)
    move(circuit, 'HALF_OPEN', 'back-off elapsed', onTransition)
}

export function passProbe(circuit: Circuit, now_ms: number, onTransition: OnTransition): void {
  if (++circuit.probes_passed < probes_to_close) return
  clearWindow(circuit.window)
  circuit.openings = 0
  circuit.probes_failed = 0
  circuit.closed_at_ms = now_ms
  circuit.back = beginReturn(now_ms)
  move(circuit, 'CLOSED', `${probes_to_close} probes succeeded`, onTransition)
}

export function scheduleProbe(circuit: Circuit, clock: Clock): void {
  const spread = circuit.probed_before ? watch_spread : watch_spread_first
  circuit.probe_due_ms = clock.monotonic_ms() + watch_every_ms * (1 - spread * clock.random())
  circuit.probed_before = true
}

/** When to retry: not before probes can have closed it, and spread over time. */
export function waitFor(circuit: Circuit, clock: Clock): number {
  const left_ms = Math.max(0, circuit.retry_at_ms - clock.monotonic_ms())
  const spread_ms = Math.max(wait_spread_ms_min, Math.min(left_ms, circuit.backoff_ms) * wait_spread)
  return Math.ceil(left_ms + recovery_ms + spread_ms * clock.random())
}

/** True if a new circuit would be equal to it. */
export function isBlank(circuit: Circuit, now_ms: number): boolean {
  if (circuit.state !== 'CLOSED' || circuit.asking) return false
  slide(circuit.window, now_ms)
  return circuit.window.calls === 0 && (!circuit.back || isReturned(circuit.back, now_ms))
}

function move(circuit: Circuit, to: State, why: string, onTransition: OnTransition): void {
  const { protocol, endpoint, state: from } = circuit
  circuit.state = to
  circuit.moves++
  onTransition({ protocol, endpoint, from, to, why })
}

const circuits_max = 2_000

export interface Circuits {
  find(protocol: string, endpoint: string): Circuit | undefined
  /** Undefined at the limit, until a round of probes has forgotten some. */
  findOrAdd(protocol: string, endpoint: string, now_ms: number): Circuit | undefined
  forget(circuit: Circuit): void
  all(): Circuit[]
}

export function newCircuits(): Circuits {
  const by_protocol = new Map<string, Map<string, Circuit>>()
  let count = 0
  const find = (protocol: string, endpoint: string) => by_protocol.get(protocol)?.get(endpoint)
  const all = () => [...by_protocol.values()].flatMap((by_endpoint) => [...by_endpoint.values()])
  const forget = (circuit: Circuit) => {
    const by_endpoint = by_protocol.get(circuit.protocol)
    if (!by_endpoint?.delete(circuit.endpoint)) return
    // A probe of it that is still in flight has no effect.
    circuit.moves++
    count--
    if (by_endpoint.size === 0) by_protocol.delete(circuit.protocol)
  }
  return {
    find,
    forget,
    all,
    findOrAdd(protocol, endpoint, now_ms) {
      const existing = find(protocol, endpoint)
      if (existing) return existing
      if (count >= circuits_max) return undefined
      const circuit = newCircuit(protocol, endpoint, now_ms)
      const by_endpoint = by_protocol.get(protocol) ?? new Map<string, Circuit>()
      by_protocol.set(protocol, by_endpoint.set(endpoint, circuit))
      count++
      return circuit
    },
  }
}

const slot_ms = 1_000
const slots = 30

export interface SlidingWindow {
  calls: number
  failures: number
  /** The current second; what is `slots` seconds older has left the window. */
  newest: number
  readonly calls_by_slot: Uint32Array
  readonly failures_by_slot: Uint32Array
}

export function newWindow(now_ms: number): SlidingWindow {
  const newest = Math.floor(now_ms / slot_ms)
  const [calls_by_slot, failures_by_slot] = [new Uint32Array(slots), new Uint32Array(slots)]
  return { calls: 0, failures: 0, newest, calls_by_slot, failures_by_slot }
}

export function countIn(window: SlidingWindow, failed: boolean, now_ms: number): void {
  slide(window, now_ms)
  const place = window.newest % slots
  window.calls++
  window.calls_by_slot[place]!++
  if (!failed) return
  window.failures++
  window.failures_by_slot[place]!++
}

/** If the clock went back, the newest second counts; if it leapt, the window is empty. */
export function slide(window: SlidingWindow, now_ms: number): void {
  const slot = Math.floor(now_ms / slot_ms)
  const passed = Math.min(slots, slot - window.newest)
  for (let i = 1; i <= passed; i++) empty(window, (window.newest + i) % slots)
  if (passed > 0) window.newest = slot
}

export function clearWindow(window: SlidingWindow): void {
  window.calls = 0
  window.failures = 0
  window.calls_by_slot.fill(0)
  window.failures_by_slot.fill(0)
}

function empty(window: SlidingWindow, place: number): void {
  window.calls -= window.calls_by_slot[place]!
  window.failures -= window.failures_by_slot[place]!
  window.calls_by_slot[place] = 0
  window.failures_by_slot[place] = 0
}
