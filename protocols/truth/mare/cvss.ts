import calculator from 'ae-cvss-calculator'

/** The score, 0 to 10, of a CVSS 3.1 or 4.0 vector with all base metrics; undefined for anything else. */
export function cvssScore(vector: string): number | undefined {
  const [version, ...metrics] = vector.split('/')
  if (version !== 'CVSS:3.1' && version !== 'CVSS:4.0') return undefined
  const names = metrics.map((metric) => metric.split(':')[0])
  // The calculator accepts duplicate metrics and treats missing ones as harmless.
  if (new Set(names).size !== names.length) return undefined
  const read = calculator.fromVector(vector)
  if (!read?.isBaseFullyDefined()) return undefined
  const { overall } = read.calculateScores()
  return Number.isFinite(overall) ? overall : undefined
}
