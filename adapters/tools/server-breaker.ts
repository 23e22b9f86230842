// One breaker per server: after three failures in a row it is not called, until one trial call is let through.
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Clock } from '@svc/engine/ports'

const failures_to_open = 3
const backoff_ms_first = 5_000
const backoff_ms_max = 300_000
const servers_max = 10_000

interface Circuit {
  failures: number
  retry_at_ms: number
  is_trying: boolean
}

export interface ServerBreaker {
  /** Call it before each call; whoever is let through must report the result. */
  refusal(key: string, server_id: string): Refusal | undefined
  succeeded(key: string): void
  failed(key: string): void
  /** A call that was let through learned nothing. */
  learntNothing(key: string): void
}

export function serverBreaker(clock: Pick<Clock, 'monotonic_ms'>): ServerBreaker {
  const circuits = new Map<string, Circuit>()
  return {
    refusal(key, server_id) {
      const circuit = circuits.get(key)
      if (!circuit || circuit.failures < failures_to_open) return undefined
      const left_ms = circuit.retry_at_ms - clock.monotonic_ms()
      if (left_ms <= 0 && !circuit.is_trying) {
        circuit.is_trying = true
        return undefined
      }
      return refuse(
        'circuit_open',
        `The tool server ${server_id} failed ${circuit.failures} times in a row and is not asked for now; try later.`,
        {
          reason: 'tool server failing',
          retry_after_ms: Math.max(1_000, Math.ceil(left_ms)),
          performed: 'no',
        },
      )
    },
    succeeded: (key) => void circuits.delete(key),
    failed(key) {
      const circuit = circuits.get(key) ?? { failures: 0, retry_at_ms: 0, is_trying: false }
      circuit.failures++
      circuit.is_trying = false
      const openings = Math.max(0, circuit.failures - failures_to_open)
      circuit.retry_at_ms = clock.monotonic_ms() + Math.min(backoff_ms_max, backoff_ms_first * 2 ** openings)
      // Moved to the end, so that the entry without failures for longest is evicted first.
      circuits.delete(key)
      circuits.set(key, circuit)
      for (const oldest of circuits.keys()) if (circuits.size > servers_max) circuits.delete(oldest)
    },
    learntNothing(key) {
      const circuit = circuits.get(key)
      if (circuit) circuit.is_trying = false
    },
  }
}
