// What a configuration would change: commands of svc-engine admin, and what only others can do.

/** Texts by field; a list counts as a set. */
export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>

export interface FieldChange {
  readonly field: string
  readonly before: string | null
  readonly after: string
}

export interface Step {
  readonly action: 'create' | 'change' | 'remove'
  /** For example `acme: person ann@example.org`. */
  readonly what: string
  readonly changes: readonly FieldChange[]
  /** After `svc-engine admin`. */
  readonly args: readonly string[]
}

/** Declared, and not in the operator's power. */
export interface Remaining {
  readonly what: string
  readonly needs: string
}

export interface Plan {
  readonly steps: Step[]
  /** After all other steps, and in the reverse order: a role ends after the people who had it lost it. */
  readonly removals: Step[]
  readonly remaining: Remaining[]
  unchanged: number
}

export function emptyPlan(): Plan {
  return { steps: [], removals: [], remaining: [], unchanged: 0 }
}

/** Fields that are undefined are not declared, and stay as they are. */
export function changesOf(before: Fields | undefined, after: Fields): FieldChange[] {
  return Object.entries(after).flatMap(([field, value]) => {
    if (value === undefined) return []
    const [was, will] = [before?.[field], textOf(value)]
    const change = { field, before: was === undefined ? null : textOf(was), after: will }
    return change.before === will ? [] : [change]
  })
}

function textOf(value: string | readonly string[]): string {
  return typeof value === 'string' ? value : [...new Set(value)].toSorted().join(', ') || 'none'
}

/** Creates what is not there and changes what differs; otherwise counts it as unchanged. */
export function settle(
  plan: Plan,
  what: string,
  before: Fields | undefined,
  after: Fields,
  argsOf: (changes: readonly FieldChange[]) => readonly string[],
): void {
  const changes = changesOf(before, after)
  if (before && changes.length === 0) plan.unchanged++
  else plan.steps.push({ action: before ? 'change' : 'create', what, changes, args: argsOf(changes) })
}

/** As one argument each, so that no text can be read as another option. */
export function option(name: string, values: string | readonly string[] | undefined): string[] {
  return (typeof values === 'string' ? [values] : (values ?? [])).map((value) => `--${name}=${value}`)
}

/** Only with --prune. */
export function removeLater(plan: Plan, what: string, args: readonly string[]): void {
  plan.removals.unshift({ action: 'remove', what, changes: [], args })
}
