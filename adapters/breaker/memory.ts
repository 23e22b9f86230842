// One breaker per protocol and endpoint. Users are refused while it is OPEN and HALF_OPEN; only the engine's own probes close it.
import type { Breaker, Clock } from '@svc/engine/ports'

const window_ms = 30_000
const failures_to_open = 5
const failing_share_to_open = 0.5
const backoff_ms_first = 10_000
const backoff_ms_max = 300_000
const jitter = 0.1
const probes_to_close = 2
const watch_every_ms = 10_000
const probes_to_open = 3

type State = 'CLOSED' | 'OPEN' | 'HALF_OPEN'

interface Circuit {
  readonly protocol: string
  readonly endpoint: string
  state: State
  calls: number
  failures: number
  window_from_ms: number
  openings: number
  retry_at_ms: number
  last_failure: string
  probes_passed: number
  probes_failed: number
  probed_at_ms: number
  /** What the last probe found; calls alone do not change it. */
  well: boolean
}

export interface Transition {
  readonly protocol: string
  readonly endpoint: string
  readonly from: State
  readonly to: State
  readonly why: string
}

/** Where a protocol can be invoked. */
export interface Place {
  readonly protocol: string
  readonly endpoint: string
}

export interface MemoryBreaker extends Breaker {
  /** Lets time act: opens the way for probes, and runs them. Called by the engine's ticker. `watched` are probed while closed, too. */
  probe(check: Check, watched?: readonly Place[]): Promise<void>
  /** True where it is the probes that hold the circuit open: then nobody need try. Calls that failed say less, for callers choose them. */
  isAway(protocol: string, endpoint: string): boolean
  states(): readonly { protocol: string; endpoint: string; state: State }[]
}

export type Check = (protocol: string, endpoint: string) => Promise<boolean>

export function memoryBreaker(clock: Clock, onTransition: (transition: Transition) => void): MemoryBreaker {
  const circuits = new Map<string, Circuit>()
  const find = (protocol: string, endpoint: string) => circuits.get(`${protocol}|${endpoint}`)
  const add = (protocol: string, endpoint: string) => {
    const circuit = newCircuit(protocol, endpoint, clock)
    circuits.set(`${protocol}|${endpoint}`, circuit)
    return circuit
  }
  const move = (circuit: Circuit, to: State, why: string) => {
    const from = circuit.state
    circuit.state = to
    onTransition({ protocol: circuit.protocol, endpoint: circuit.endpoint, from, to, why })
  }
  const open = (circuit: Circuit, why: string) => {
    const backoff_ms = Math.min(backoff_ms_max, backoff_ms_first * 2 ** circuit.openings)
    circuit.retry_at_ms = clock.monotonic_ms() + backoff_ms * (1 + jitter * (2 * clock.random() - 1))
    circuit.openings++
    circuit.last_failure = why
    circuit.probes_passed = 0
    move(circuit, 'OPEN', why)
  }
  return {
    blocked(protocol, endpoint) {
      const circuit = find(protocol, endpoint)
      if (!circuit || circuit.state === 'CLOSED') return undefined
      const retry_after_ms = Math.max(1000, Math.ceil(circuit.retry_at_ms - clock.monotonic_ms()))
      return { last_failure: circuit.last_failure, retry_after_ms, state: circuit.state }
    },
    succeeded(protocol, endpoint) {
      // Counted before anything has failed, too: whether failures are half of the calls needs all calls.
      count(find(protocol, endpoint) ?? add(protocol, endpoint), false, clock)
    },
    failed(protocol, endpoint, why) {
      const circuit = find(protocol, endpoint) ?? add(protocol, endpoint)
      count(circuit, true, clock)
      if (circuit.state === 'CLOSED' && failsTooOften(circuit)) open(circuit, why)
    },
    async probe(check, watched = []) {
      for (const { protocol, endpoint } of watched) if (!find(protocol, endpoint)) add(protocol, endpoint)
      const is_watched = new Set(watched.map(({ protocol, endpoint }) => `${protocol}|${endpoint}`))
      // Side by side: one endpoint that hangs must not keep the others from being asked.
      const probing = [...circuits].map(([name, circuit]) => {
        if (circuit.state !== 'CLOSED') return recover(circuit, check, { move, open }, clock)
        return is_watched.has(name) ? watch(circuit, check, { move, open }, clock) : undefined
      })
      await Promise.all(probing)
    },
    isAway(protocol, endpoint) {
      const circuit = find(protocol, endpoint)
      return circuit !== undefined && circuit.state !== 'CLOSED' && !circuit.well
    },
    states: () =>
      [...circuits.values()].map(({ protocol, endpoint, state }) => ({ protocol, endpoint, state })),
  }
}

function failsTooOften({ failures, calls }: Circuit): boolean {
  return failures >= failures_to_open && failures / calls >= failing_share_to_open
}

function newCircuit(protocol: string, endpoint: string, clock: Clock): Circuit {
  const window_from_ms = clock.monotonic_ms()
  const zero = { calls: 0, failures: 0, openings: 0, retry_at_ms: 0, probes_passed: 0, probes_failed: 0 }
  const probed_at_ms = Number.NEGATIVE_INFINITY
  const good = { state: 'CLOSED', well: true, last_failure: '' } as const
  return { protocol, endpoint, window_from_ms, probed_at_ms, ...good, ...zero }
}

async function ask(circuit: Circuit, check: Check, clock: Clock): Promise<boolean> {
  circuit.probed_at_ms = clock.monotonic_ms()
  circuit.well = await check(circuit.protocol, circuit.endpoint).catch(() => false)
  return circuit.well
}

interface Moves {
  move(circuit: Circuit, to: State, why: string): void
  open(circuit: Circuit, why: string): void
}

async function recover(circuit: Circuit, check: Check, { move, open }: Moves, clock: Clock): Promise<void> {
  if (circuit.state === 'OPEN' && clock.monotonic_ms() >= circuit.retry_at_ms)
    move(circuit, 'HALF_OPEN', 'back-off elapsed')
  if (circuit.state !== 'HALF_OPEN') return
  const passed = await ask(circuit, check, clock)
  // Another round may have ended first.
  if (circuit.state !== 'HALF_OPEN') return
  if (!passed) open(circuit, 'probe failed')
  else if (++circuit.probes_passed >= probes_to_close) close(circuit, move, clock)
}

/** A service outside may be gone without any call having failed: it is asked, and three silences in a row are enough. */
async function watch(circuit: Circuit, check: Check, { open }: Moves, clock: Clock): Promise<void> {
  if (clock.monotonic_ms() - circuit.probed_at_ms < watch_every_ms) return
  circuit.probes_failed = (await ask(circuit, check, clock)) ? 0 : circuit.probes_failed + 1
  if (circuit.state === 'CLOSED' && circuit.probes_failed >= probes_to_open)
    open(circuit, `${probes_to_open} health probes failed`)
}

/** A tumbling window: what is older than it no longer speaks against an endpoint. */
function count(circuit: Circuit, failed: boolean, clock: Clock): void {
  const now_ms = clock.monotonic_ms()
  if (now_ms - circuit.window_from_ms > window_ms)
    Object.assign(circuit, { window_from_ms: now_ms, calls: 0, failures: 0 })
  circuit.calls++
  if (failed) circuit.failures++
}

function close(
  circuit: Circuit,
  move: (circuit: Circuit, to: State, why: string) => void,
  clock: Clock,
): void {
  const zero = { calls: 0, failures: 0, openings: 0, probes_failed: 0 }
  Object.assign(circuit, { ...zero, window_from_ms: clock.monotonic_ms() })
  move(circuit, 'CLOSED', `${probes_to_close} probes succeeded`)
}
