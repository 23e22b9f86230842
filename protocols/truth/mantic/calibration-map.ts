// Calibration maps from stated to observed probability. All are monotone.

export const fitted_methods = ['platt', 'isotonic', 'beta', 'temperature'] as const
export type FittedMethod = (typeof fitted_methods)[number]

export type CalibrationMap =
  | { readonly method: 'none' }
  /** Log-odds times a, plus b. */
  | { readonly method: 'platt'; readonly a: number; readonly b: number }
  | { readonly method: 'temperature'; readonly temperature: number }
  /** a ln p - b ln(1 - p) + c. */
  | { readonly method: 'beta'; readonly a: number; readonly b: number; readonly c: number }
  /** Linear between knots, constant outside; both coordinates ascend. */
  | { readonly method: 'isotonic'; readonly knots: readonly (readonly [said: number, meant: number])[] }

/** Keeps log-odds finite: certainty is clamped to one in a million. */
const share_min = 1e-6

export function applyMap(map: CalibrationMap, p: number): number {
  switch (map.method) {
    case 'none':
      return p
    case 'platt':
      return logistic(map.a * logit(p) + map.b)
    case 'temperature':
      return logistic(logit(p) / map.temperature)
    case 'beta':
      return logistic(map.a * logOf(p) - map.b * logOf(1 - p) + map.c)
    case 'isotonic':
      return between(map.knots, p)
  }
}

export function logistic(x: number): number {
  return x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x))
}

export function logit(p: number): number {
  return logOf(p) - logOf(1 - p)
}

export function logOf(p: number): number {
  return Math.log(Math.min(Math.max(p, share_min), 1 - share_min))
}

function between(knots: readonly (readonly [number, number])[], p: number): number {
  if (p <= knots[0]![0]) return knots[0]![1]
  if (p >= knots.at(-1)![0]) return knots.at(-1)![1]
  let [low, high] = [0, knots.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (knots[middle]![0] <= p) low = middle
    else high = middle
  }
  const [[forecast, meant], [next_said, next_meant]] = [knots[low]!, knots[high]!]
  // Divided first: a product of the smallest numbers is rounded so much that the map would fall.
  return p === forecast ? meant : meant + (next_meant - meant) * ((p - forecast) / (next_said - forecast))
}
