// The confidence of an answer: the probability that all leaves of a proof are true, leaves being independent.
import { always, type Diagrams, never, openDiagrams, TooTangled, variables_max } from './bdd.ts'
import type { Meter } from './budget.ts'
import type { Cone } from './cone.ts'
import { cheapestInstances } from './proof.ts'

export interface Confidence {
  readonly lower: number
  readonly upper: number
  readonly exact: boolean
}

const proofs_tried_max = 64

/** Of the conjunction of these atoms. `chanceOf` returns 1 for certain sources. */
export function confidenceOf(
  cone: Cone,
  roots: readonly number[],
  chanceOf: (source: number) => number,
  meter: Meter,
): Confidence {
  const sources = new Set(cone.instances.map(({ clause }) => clause.source))
  const uncertain = [...sources].filter((source) => source >= 0 && chanceOf(source) < 1)
  if (uncertain.length === 0 && !cone.truncated) return { lower: 1, upper: 1, exact: true }
  const exact = uncertain.length <= variables_max && !cone.truncated
  let leaves = exact ? uncertain : leavesOfBestProofs(cone, roots, chanceOf, meter)
  // Terminates: with fewer variables the formula shrinks, down to three nodes for one variable.
  while (true) {
    try {
      const lower = chance(cone, roots, leaves, chanceOf, false, meter)
      const whole = exact && leaves.length === uncertain.length
      const upper = whole ? lower : cone.truncated ? 1 : chance(cone, roots, leaves, chanceOf, true, meter)
      const sure = whole ? lower : Math.max(lower, bestProof(cone, roots, chanceOf, meter))
      return { lower: sure, upper: Math.max(sure, upper), exact: whole }
    } catch (error) {
      if (!(error instanceof TooTangled) || leaves.length <= 1) throw error
      leaves = leaves.slice(0, leaves.length >> 1)
    }
  }
}

/** Other leaves count as `others`: false gives a lower bound, true an upper one, as proofs are monotonic. */
function chance(
  cone: Cone,
  roots: readonly number[],
  leaves: readonly number[],
  chanceOf: (source: number) => number,
  others: boolean,
  meter: Meter,
): number {
  const diagrams = openDiagrams(meter)
  const variables = new Map(leaves.map((source, place) => [source, diagrams.variable(place)]))
  const leafOf = (source: number) =>
    variables.get(source) ?? (others || source < 0 || chanceOf(source) >= 1 ? always : never)
  const formulas = formulasOf(cone, leafOf, diagrams, meter)
  const all = roots.reduce((joined, root) => diagrams.and(joined, formulas[root]!), always)
  return diagrams.probability(all, leaves.map(chanceOf))
}

/** Least fixpoint: derivations may be circular, and a circle proves nothing. */
function formulasOf(
  cone: Cone,
  leafOf: (source: number) => number,
  diagrams: Diagrams,
  meter: Meter,
): number[] {
  const formulas = cone.atoms.map(() => never)
  const used_by = cone.atoms.map((): number[] => [])
  for (const [place, { body }] of cone.instances.entries())
    for (const atom of new Set(body)) used_by[atom]!.push(place)
  const open = [...cone.instances.keys()]
  const queued = new Uint8Array(cone.instances.length).fill(1)
  for (let at = 0; at < open.length; at += 1) {
    const place = open[at]!
    queued[place] = 0
    const { head, body, clause } = cone.instances[place]!
    meter.look()
    const all = body.reduce((joined, atom) => diagrams.and(joined, formulas[atom]!), leafOf(clause.source))
    const joined = diagrams.or(formulas[head]!, all)
    if (joined === formulas[head]) continue
    formulas[head] = joined
    for (const user of used_by[head]!) {
      if (queued[user]) continue
      queued[user] = 1
      open.push(user)
    }
  }
  return formulas
}

/** The probability of the likeliest single proof, which may have more leaves than a formula can hold. */
function bestProof(
  cone: Cone,
  roots: readonly number[],
  chanceOf: (source: number) => number,
  meter: Meter,
): number {
  const chosen = cheapestInstances(cone, (source) => costOf(source, chanceOf), meter)
  if (roots.some((root) => chosen[root] === -1)) return 0
  return leavesUnder(cone, chosen, roots).reduce((product, source) => product * chanceOf(source), 1)
}

/** Lowest for the likeliest proof; a small cost per step prefers the shorter of equals. */
function costOf(source: number, chanceOf: (source: number) => number): number {
  return 1e-6 - Math.log(source < 0 ? 1 : Math.max(chanceOf(source), 1e-12))
}

/** The likeliest proof, then the likeliest without the leaves used, as long as all leaves fit. */
function leavesOfBestProofs(
  cone: Cone,
  roots: readonly number[],
  chanceOf: (source: number) => number,
  meter: Meter,
): number[] {
  const leaves = new Set<number>()
  const uses = new Map<number, number>()
  for (let proof = 0; proof < proofs_tried_max && leaves.size < variables_max; proof += 1) {
    const cost = (source: number) => costOf(source, chanceOf) + (uses.get(source) ?? 0)
    const chosen = cheapestInstances(cone, cost, meter)
    const uncertain = leavesUnder(cone, chosen, roots).filter((source) => chanceOf(source) < 1)
    // Whole proofs only: part of one does not raise the lower bound.
    if (leaves.size > 0 && new Set([...leaves, ...uncertain]).size > variables_max) break
    for (const source of uncertain) {
      if (leaves.size < variables_max) leaves.add(source)
      uses.set(source, (uses.get(source) ?? 0) + 1)
    }
  }
  return [...leaves]
}

function leavesUnder(cone: Cone, chosen: Int32Array, roots: readonly number[]): number[] {
  const sources = new Set<number>()
  const reached = new Set<number>(roots)
  for (const atom of reached) {
    if (chosen[atom] === -1) continue
    const { clause, body } = cone.instances[chosen[atom]!]!
    if (clause.source >= 0) sources.add(clause.source)
    for (const below of body) reached.add(below)
  }
  return [...sources]
}
