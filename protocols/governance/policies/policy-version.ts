// Versions of policies: three numbers, as in semver. A draft is a motion, not a pre-release.
import { Type } from 'typebox'

const version_form = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/

export const PolicyVersionName = Type.String({
  pattern: '^v?\\d{1,6}\\.\\d{1,6}\\.\\d{1,6}$',
  description: 'Semantic version, greater than the previous one: 1.2.0.',
})

/** Both must be valid versions. */
export function isLaterVersion(version: string, than: string): boolean {
  const [own, other] = [numbersOf(version), numbersOf(than)]
  for (let place = 0; place < 3; place++) if (own[place] !== other[place]) return own[place]! > other[place]!
  return false
}

function numbersOf(version: string): number[] {
  return version_form.exec(version)!.slice(1).map(Number)
}
