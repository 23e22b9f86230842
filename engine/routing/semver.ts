// Semantic versions as the wire writes them: v1.2.3, v1.2.3-rc.1, or v1 for the best of a major.

export interface Version {
  readonly numbers: readonly [number, number, number]
  readonly pre: readonly string[]
}

const full_form = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/
const major_form = /^v?(\d{1,6})$/

export function parseVersion(text: string): Version | undefined {
  const parts = full_form.exec(text)
  if (!parts) return undefined
  return {
    numbers: [Number(parts[1]), Number(parts[2]), Number(parts[3])],
    pre: parts[4] ? parts[4].split('.') : [],
  }
}

export function parseMajor(text: string): number | undefined {
  const parts = major_form.exec(text)
  return parts ? Number(parts[1]) : undefined
}

export function isPreRelease(version: Version): boolean {
  return version.pre.length > 0
}

/** Semver precedence: negative where `a` is older. A pre-release is older than its release. */
export function compareVersions(a: Version, b: Version): number {
  for (let i = 0; i < 3; i++) if (a.numbers[i] !== b.numbers[i]) return a.numbers[i]! - b.numbers[i]!
  if (!a.pre.length || !b.pre.length) return b.pre.length - a.pre.length
  for (let i = 0; i < Math.max(a.pre.length, b.pre.length); i++) {
    const order = compareIdentifiers(a.pre[i], b.pre[i])
    if (order) return order
  }
  return 0
}

function compareIdentifiers(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0
  if (a === undefined) return -1
  if (b === undefined) return 1
  const [na, nb] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (na && nb) return Number(a) - Number(b)
  if (na !== nb) return na ? -1 : 1
  return a < b ? -1 : 1
}
