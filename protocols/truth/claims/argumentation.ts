// Decides a dispute by the grounded labelling of Dung's framework. A claim whose attackers are all rejected
// is accepted, one attacked by an accepted claim is rejected, and the rest stays undecided.

export type Label = 'accepted' | 'rejected' | 'undecided'

export interface Attack {
  readonly from: string
  readonly to: string
}

/** Linear in claims and attacks: every claim is labelled once, every attack is followed once. */
export function labelGrounded(claims: Iterable<string>, defeats: readonly Attack[]): Map<string, Label> {
  const labels = new Map<string, Label>()
  const targets = new Map<string, string[]>()
  /** The number of attackers not yet rejected, per claim. */
  const threats = new Map<string, number>()
  for (const claim of claims) {
    labels.set(claim, 'undecided')
    targets.set(claim, [])
    threats.set(claim, 0)
  }
  for (const { from, to } of onceEach(defeats)) {
    if (!labels.has(from) || !labels.has(to)) continue
    targets.get(from)!.push(to)
    threats.set(to, threats.get(to)! + 1)
  }
  const safe = [...labels.keys()].filter((claim) => threats.get(claim) === 0)
  // The list grows during the loop: a claim enters once, when its last attacker is rejected.
  for (const claim of safe) {
    labels.set(claim, 'accepted')
    for (const beaten of targets.get(claim)!) {
      if (labels.get(beaten) !== 'undecided') continue
      labels.set(beaten, 'rejected')
      for (const freed of targets.get(beaten)!) {
        const left = threats.get(freed)! - 1
        threats.set(freed, left)
        if (left === 0 && labels.get(freed) === 'undecided') safe.push(freed)
      }
    }
  }
  return labels
}

export interface Argument {
  readonly claim_id: string
  readonly issuer_did: string
  readonly topic: string
}

export interface RaisedAttack extends Attack {
  readonly kind: 'rebut' | 'undercut' | 'undermine'
  /** Who raised it; null if it follows from the claims themselves. */
  readonly raised_by: string | null
}

/** The weight of each source by topic; `*` for other topics. */
export type Weights = ReadonlyMap<string, ReadonlyMap<string, number>>

const weight_slack = 1e-12

/** The attacks that defeat: raised by a source that weighs at least as much as the target's, on its topic. */
export function defeatsAmong(
  argued: ReadonlyMap<string, Argument>,
  attacks: readonly RaisedAttack[],
  weights: Weights,
): Attack[] {
  const weigh = (topic: string, source: string) => weightOf(weights, topic, source)
  const defeats: Attack[] = []
  for (const attack of attacks) {
    const [from, to] = [argued.get(attack.from), argued.get(attack.to)]
    if (!from || !to) continue
    const isAtLeast = (attacker: Argument, target: Argument) =>
      [attacker.issuer_did, attack.raised_by ?? attacker.issuer_did].every(
        (source) => weigh(target.topic, source) >= weigh(target.topic, target.issuer_did) - weight_slack,
      )
    if (isAtLeast(from, to)) defeats.push({ from: attack.from, to: attack.to })
    // Claims that exclude each other attack each other.
    if (attack.kind === 'rebut' && isAtLeast(to, from)) defeats.push({ from: attack.to, to: attack.from })
  }
  return defeats
}

export function weightOf(weights: Weights, topic: string, source: string): number {
  return (weights.get(topic) ?? weights.get('*')!).get(source)!
}

/** An issuer that attacks its own claim with another of its own retracts it. */
export function isRetraction({ raised_by }: RaisedAttack, from: Argument, to: Argument): boolean {
  return raised_by !== null && raised_by === from.issuer_did && raised_by === to.issuer_did
}

function onceEach(attacks: readonly Attack[]): Attack[] {
  const by_source = new Map<string, Set<string>>()
  return attacks.filter(({ from, to }) => {
    const targets = by_source.get(from) ?? new Set()
    if (targets.has(to)) return false
    by_source.set(from, targets.add(to))
    return true
  })
}
