// Ranks conflicting options. Pure and in whole numbers, so that anybody can recompute it.

export interface Effect {
  readonly value: string
  /** From -100 (harms most) to 100 (serves most). */
  readonly weight: number
}

export interface Option {
  readonly id: string
  /** Policies that forbid it; empty if it is lawful. */
  readonly violated: readonly string[]
  readonly effects: readonly Effect[]
}

/** A greater priority counts more. Values of equal priority are summed. */
export interface Value {
  readonly name: string
  readonly priority: number
}

export interface Ranked {
  readonly option_id: string
  readonly lawful: boolean
  /** Sum of priority times weight. */
  readonly score: number
  readonly violated: string[]
  readonly values_served: string[]
  readonly values_harmed: string[]
}

export interface Ranking {
  /** Best first; lawful before unlawful; without dominated options. */
  readonly ranking: Ranked[]
  readonly recommendation: string | undefined
  readonly dominated: { option_id: string; by: string }[]
  readonly ambiguous: boolean
  readonly dissent: { option_id: string; argument: string }[]
}

const weight_max = 100
/** A smaller margin, in percent of a class's maximum difference, is not a clear difference. */
const margin_percent_min = 5

export function rankOptions(options: readonly Option[], values: readonly Value[]): Ranking {
  const dominated = dominatedOf(options, values)
  const left = options.filter(({ id }) => !dominated.some(({ option_id }) => option_id === id))
  const ranked = [...left].sort((a, b) => compareOptions(a, b, values))
  const [best, second] = ranked
  const ambiguous = best === undefined || !isLawful(best) || isNear(best, second, values)
  const recommendation = ambiguous ? undefined : best.id
  return {
    ranking: ranked.map((option) => describe(option, values)),
    recommendation,
    dominated,
    ambiguous,
    dissent: options
      .filter(({ id }) => id !== recommendation)
      .map((option) => ({
        option_id: option.id,
        argument: argumentFor(option, ambiguous ? bestOther(option, ranked) : best, values),
      })),
  }
}

function isLawful({ violated }: Option): boolean {
  return violated.length === 0
}

function weightOf({ effects }: Option, value: string): number {
  return effects.find((effect) => effect.value === value)?.weight ?? 0
}

/** Compares lawful with lawful and unlawful with unlawful: no option loses to a forbidden one. */
function dominatedOf(options: readonly Option[], values: readonly Value[]) {
  return options.flatMap((option) => {
    const by = options.find(
      (other) =>
        isLawful(other) === isLawful(option) &&
        values.every(({ name }) => weightOf(other, name) >= weightOf(option, name)) &&
        values.some(({ name }) => weightOf(other, name) > weightOf(option, name)),
    )
    return by ? [{ option_id: option.id, by: by.id }] : []
  })
}

/** Priorities, most important first. */
function classesOf(values: readonly Value[]): number[] {
  return [...new Set(values.map(({ priority }) => priority))].sort((a, b) => b - a)
}

function classSum(option: Option, values: readonly Value[], priority: number): number {
  return values.reduce(
    (sum, value) => (value.priority === priority ? sum + weightOf(option, value.name) : sum),
    0,
  )
}

function compareOptions(a: Option, b: Option, values: readonly Value[]): number {
  if (isLawful(a) !== isLawful(b)) return isLawful(a) ? -1 : 1
  for (const priority of classesOf(values)) {
    const difference = classSum(b, values, priority) - classSum(a, values, priority)
    if (difference !== 0) return difference
  }
  return a.id < b.id ? -1 : 1
}

/** Decided by the first class in which the two differ. */
function isNear(best: Option, second: Option | undefined, values: readonly Value[]): boolean {
  if (!second || !isLawful(second)) return false
  for (const priority of classesOf(values)) {
    const margin = classSum(best, values, priority) - classSum(second, values, priority)
    const range = 2 * weight_max * values.filter((value) => value.priority === priority).length
    if (margin !== 0) return margin * 100 < margin_percent_min * range
  }
  return true
}

function describe(option: Option, values: readonly Value[]): Ranked {
  const named = (test: (weight: number) => boolean) =>
    values.filter(({ name }) => test(weightOf(option, name))).map(({ name }) => name)
  return {
    option_id: option.id,
    lawful: isLawful(option),
    score: values.reduce((sum, { name, priority }) => sum + priority * weightOf(option, name), 0),
    violated: [...option.violated],
    values_served: named((weight) => weight > 0),
    values_harmed: named((weight) => weight < 0),
  }
}

function bestOther({ id }: Option, ranked: readonly Option[]): Option | undefined {
  return ranked.find((other) => other.id !== id)
}

/** The strongest argument for an option, against the one it loses to. */
function argumentFor(option: Option, other: Option | undefined, values: readonly Value[]): string {
  const [strongest] = values
    .map(({ name, priority }) => {
      const gain = weightOf(option, name) - (other ? weightOf(other, name) : 0)
      return { name, priority, gain }
    })
    .filter(({ gain }) => gain > 0)
    .sort((a, b) => b.gain * b.priority - a.gain * a.priority || (a.name < b.name ? -1 : 1))
  const against = other ? `than ${other.id}` : 'than doing nothing'
  if (!strongest) return `Serves no value better ${against}.`
  const { name, gain, priority } = strongest
  const unlawful = isLawful(option) ? '' : `, although ${option.violated.join(' and ')} forbids it`
  return `Serves ${name} (priority ${priority}) by ${gain} more ${against}${unlawful}.`
}
