import type { Endpoint } from '@svc/engine/routing/routing'

/** What an endpoint of weight 0, or of none that can be counted, still gets: calls nobody else is there for. */
const weight_min = 1e-6
const weight_max = 1e6

export function weightOf({ weight = 1 }: Endpoint): number {
  return weight > weight_min ? Math.min(weight, weight_max) : weight_min
}
