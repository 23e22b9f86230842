// The checks of /ready as Prometheus metrics, so that they can be monitored and alerted on.
import { Gauge, type Registry } from 'prom-client'

export type Readiness = () => Promise<Readonly<Record<string, boolean>>>

export function readinessSeries(registry: Registry, readiness: Readiness): void {
  new Gauge({
    name: 'svc_ready_check',
    help: '1 where this check of /ready holds, 0 where it does not.',
    labelNames: ['check'],
    // With several workers the worst value is shown.
    aggregator: 'min',
    registers: [registry],
    async collect() {
      for (const [check, holds] of Object.entries(await readiness())) this.set({ check }, holds ? 1 : 0)
    },
  })
}
