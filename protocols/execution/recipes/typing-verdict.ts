// How verdicts about parts make the verdict about the whole.

export type Fit = 'yes' | 'no' | 'unknown'

/** some: a value that does not fit is allowed, others may fit; never: no value fits. */
export type Verdict = 'yes' | 'some' | 'never' | 'unknown'

/** Over alternatives of a producer all must fit. Together, as keywords of one schema, one that never fits rules out all. */
export function every(verdicts: readonly Verdict[], how: 'apart' | 'together' = 'apart'): Verdict {
  if (verdicts.every((verdict) => verdict === 'yes')) return 'yes'
  if (how === 'together' ? verdicts.includes('never') : verdicts.every((verdict) => verdict === 'never')) {
    return 'never'
  }
  return verdicts.includes('some') || verdicts.includes('never') ? 'some' : 'unknown'
}

/** Over alternatives of a consumer one is enough. Two that fit in part may fit together, which nobody knows. */
export function some(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('yes')) return 'yes'
  return verdicts.every((verdict) => verdict === 'never') ? 'never' : 'unknown'
}

/** A part that a value may be without: such a value fits all the same. */
export function ifPresent(verdict: Verdict): Verdict {
  return verdict === 'never' ? 'some' : verdict
}
