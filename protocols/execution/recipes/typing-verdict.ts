// Combines verdicts about parts into the verdict about the whole.

export type Fit = 'yes' | 'no' | 'unknown'

/** some: values that do not fit are allowed, others may fit; never: no value fits. */
export type Verdict = 'yes' | 'some' | 'never' | 'unknown'

/** All alternatives of a producer must fit. For keywords of one schema, a single `never` decides. */
export function every(verdicts: readonly Verdict[], how: 'apart' | 'together' = 'apart'): Verdict {
  if (verdicts.every((verdict) => verdict === 'yes')) return 'yes'
  if (how === 'together' ? verdicts.includes('never') : verdicts.every((verdict) => verdict === 'never')) {
    return 'never'
  }
  return verdicts.includes('some') || verdicts.includes('never') ? 'some' : 'unknown'
}

/** One alternative of a consumer is enough. Two partial fits may fit together, so that is unknown. */
export function some(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('yes')) return 'yes'
  return verdicts.every((verdict) => verdict === 'never') ? 'never' : 'unknown'
}

/** An optional part: values without it fit in any case. */
export function ifPresent(verdict: Verdict): Verdict {
  return verdict === 'never' ? 'some' : verdict
}
