import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  type Argument,
  type Attack,
  defeatsAmong,
  type Label,
  labelGrounded,
  type RaisedAttack,
  type Weights,
} from './argumentation.ts'

const claims_max = 12

const frameworks = fc.integer({ min: 1, max: claims_max }).chain((size) => {
  const claim = fc.nat(size - 1).map(String)
  return fc.record({
    claims: fc.constant(Array.from({ length: size }, (_, place) => String(place))),
    attacks: fc.array(fc.record({ from: claim, to: claim }), { maxLength: 30 }),
  })
})

/** By definition: the least fixpoint of "all its attackers are attacked by the set". */
function naiveGrounded(claims: readonly string[], attacks: readonly Attack[]): Map<string, Label> {
  const attackersOf = (claim: string) => attacks.filter(({ to }) => to === claim).map(({ from }) => from)
  let accepted: readonly string[] = []
  for (;;) {
    const isDefended = (claim: string) =>
      attackersOf(claim).every((from) => attackersOf(from).some((helper) => accepted.includes(helper)))
    const next = claims.filter(isDefended)
    if (next.length === accepted.length) break
    accepted = next
  }
  const isBeaten = (claim: string) => attackersOf(claim).some((from) => accepted.includes(from))
  const labelOf = (claim: string): Label =>
    accepted.includes(claim) ? 'accepted' : isBeaten(claim) ? 'rejected' : 'undecided'
  return new Map(claims.map((claim) => [claim, labelOf(claim)]))
}

const shuffled = <T>(things: readonly T[]) =>
  fc.shuffledSubarray([...things], { minLength: things.length, maxLength: things.length })

describe('the grounded labelling', () => {
  it('equals the naive fixpoint, and does not depend on the order of the input', () => {
    const turned = frameworks.chain(({ claims, attacks }) =>
      fc.record({
        claims: fc.constant(claims),
        attacks: fc.constant(attacks),
        other_claims: shuffled(claims),
        other_attacks: shuffled([...attacks, ...attacks]),
      }),
    )
    fc.assert(
      fc.property(turned, ({ claims, attacks, other_claims, other_attacks }) => {
        const labels = labelGrounded(claims, attacks)
        assert.deepEqual(labels, naiveGrounded(claims, attacks))
        const again = labelGrounded(other_claims, other_attacks)
        for (const claim of claims) assert.equal(again.get(claim), labels.get(claim))
      }),
      { numRuns: 200 },
    )
  })

  it('is conflict-free and defends what it accepts', () => {
    fc.assert(
      fc.property(frameworks, ({ claims, attacks }) => {
        const labels = labelGrounded(claims, attacks)
        const is = (claim: string, label: Label) => labels.get(claim) === label
        for (const { from, to } of attacks) {
          assert.ok(!(is(from, 'accepted') && is(to, 'accepted')))
          if (is(to, 'accepted')) assert.ok(is(from, 'rejected'))
        }
      }),
    )
  })

  it('follows a long chain in one pass, and ignores attacks of unknown claims', () => {
    const length = 5_000
    const claims = Array.from({ length }, (_, place) => `c${place}`)
    const chain = claims.slice(1).map((to, place) => ({ from: claims[place]!, to }))
    const labels = labelGrounded(claims, [...chain, { from: 'stranger', to: 'c0' }])
    assert.deepEqual(
      [labels.get('c0'), labels.get('c1'), labels.get(`c${length - 1}`), labels.size],
      ['accepted', 'rejected', 'rejected', length],
    )
  })

  it('leaves two that exclude each other undecided until a third attacks one', () => {
    const mutual = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
    ]
    assert.deepEqual([...labelGrounded(['a', 'b'], mutual).values()], ['undecided', 'undecided'])
    const settled = labelGrounded(['a', 'b', 'c'], [...mutual, { from: 'c', to: 'b' }])
    assert.deepEqual([...settled.values()], ['accepted', 'rejected', 'accepted'])
  })
})

const weighed = (by_topic: Record<string, Record<string, number>>): Weights =>
  new Map(Object.entries(by_topic).map(([topic, of]) => [topic, new Map(Object.entries(of))]))

describe('defeat', () => {
  const argued = (issuers: Record<string, string>): ReadonlyMap<string, Argument> =>
    new Map(
      Object.entries(issuers).map(([claim_id, issuer_did]) => [
        claim_id,
        { claim_id, issuer_did, topic: '*' },
      ]),
    )
  const weights = weighed({ '*': { weak: 0.2, middle: 0.5, equal: 0.5, strong: 0.9 } })
  const attack = (kind: RaisedAttack['kind'], raised_by: string | null): RaisedAttack => ({
    from: 'x',
    to: 'y',
    kind,
    raised_by,
  })
  const among = (from: string, to: string, kind: RaisedAttack['kind'], by: string | null = from) =>
    defeatsAmong(argued({ x: from, y: to }), [attack(kind, by)], weights).map(({ from }) => from)

  it('needs at least the weight of its target; a rebuttal is mutual', () => {
    assert.deepEqual(among('strong', 'middle', 'undercut'), ['x'])
    assert.deepEqual(among('middle', 'equal', 'undercut'), ['x'])
    assert.deepEqual(among('weak', 'middle', 'undercut'), [])
    assert.deepEqual(among('middle', 'equal', 'rebut'), ['x', 'y'])
    assert.deepEqual(among('weak', 'middle', 'rebut', null), ['y'])
    assert.deepEqual(among('strong', 'middle', 'rebut', null), ['x'])
  })

  it('does not borrow weight: whoever raises it must weigh as much', () => {
    assert.deepEqual(among('strong', 'middle', 'undermine', 'weak'), [])
    assert.deepEqual(among('middle', 'equal', 'rebut', 'weak'), [])
    assert.deepEqual(among('weak', 'middle', 'undermine', 'strong'), [])
  })

  it('is weighed on the topic of its target', () => {
    const on: ReadonlyMap<string, Argument> = new Map([
      ['x', { claim_id: 'x', issuer_did: 'a', topic: 'tides' }],
      ['y', { claim_id: 'y', issuer_did: 'b', topic: 'stars' }],
    ])
    const tidal = weighed({ tides: { a: 0.9, b: 0.1 }, '*': { a: 0.1, b: 0.9 } })
    assert.deepEqual(defeatsAmong(on, [attack('rebut', 'a')], tidal), [])
    const stellar = weighed({ stars: { a: 0.9, b: 0.1 }, '*': { a: 0.1, b: 0.9 } })
    assert.deepEqual(defeatsAmong(on, [attack('undercut', 'a')], stellar), [{ from: 'x', to: 'y' }])
  })
})
