// A second implementation of the well-founded semantics, by unfounded sets over ground rules: slow but short.

export interface GroundRule {
  readonly head: string
  readonly holds: readonly string[]
  readonly fails: readonly string[]
}

export interface Meaning {
  readonly certain: ReadonlySet<string>
  /** Certain or undefined. */
  readonly possible: ReadonlySet<string>
}

export function meaningOf(rules: readonly GroundRule[]): Meaning {
  let certain: ReadonlySet<string> = new Set()
  let possible: ReadonlySet<string> = new Set(rules.flatMap(({ head, holds }) => [head, ...holds]))
  while (true) {
    const sizes = [certain.size, possible.size]
    const more = new Set(certain)
    for (const { head, holds, fails } of rules) {
      if (holds.every((atom) => certain.has(atom)) && fails.every((atom) => !possible.has(atom)))
        more.add(head)
    }
    possible = founded(rules, certain, possible)
    certain = more
    if (certain.size === sizes[0] && possible.size === sizes[1]) return { certain, possible }
  }
}

/** Removes the greatest unfounded set. */
function founded(
  rules: readonly GroundRule[],
  certain: ReadonlySet<string>,
  possible: ReadonlySet<string>,
): ReadonlySet<string> {
  const constants = new Set<string>()
  for (let size = -1; size !== constants.size; ) {
    size = constants.size
    for (const { head, holds, fails } of rules) {
      const open = holds.every((atom) => possible.has(atom) && constants.has(atom))
      if (open && fails.every((atom) => !certain.has(atom))) constants.add(head)
    }
  }
  return constants
}
