import type { Endpoint } from '@svc/engine/routing/routing'

/** The weight used for an endpoint of weight 0 or without a valid weight: it gets calls only if there is no other. */
const weight_min = 1e-6
const weight_max = 1e6

export function weightOf({ weight = 1 }: Endpoint): number {
  return weight > weight_min ? Math.min(weight, weight_max) : weight_min
}
