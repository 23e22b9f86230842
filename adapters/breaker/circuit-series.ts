// The circuits as Prometheus series: one per endpoint that is watched or broken. Circuits are bounded, so are these.
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Transition } from './circuit.ts'
import type { CircuitState } from './memory.ts'

const levels = { CLOSED: 0, HALF_OPEN: 1, OPEN: 2 } as const

export interface CircuitSeries {
  moved(transition: Transition): void
  /** Read at each scrape, so that forgotten circuits disappear here too. */
  watch(states: () => readonly CircuitState[]): void
}

export function circuitSeries(registry: Registry): CircuitSeries {
  const moves = new Counter({
    name: 'svc_circuit_transitions_total',
    help: 'Moves of circuits, by the state they led to.',
    labelNames: ['to'],
    registers: [registry],
  })
  for (const to of Object.keys(levels)) moves.inc({ to }, 0)
  return {
    moved: ({ to }) => moves.inc({ to }),
    watch(states) {
      new Gauge({
        name: 'svc_circuit_state',
        help: '0 CLOSED, 1 HALF_OPEN, 2 OPEN, by protocol and endpoint.',
        labelNames: ['protocol', 'endpoint'],
        registers: [registry],
        collect() {
          this.reset()
          for (const { protocol, endpoint, state, watched } of states())
            if (watched || state !== 'CLOSED') this.set({ protocol, endpoint }, levels[state])
        },
      })
    },
  }
}
