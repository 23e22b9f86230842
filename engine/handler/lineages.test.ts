import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unresolved } from '@svc/contract/identity/identity'
import { roots_asked_max } from '@svc/contract/identity/roots'
import { assertRefused } from '../../checks/rehearsal/assert-refused.ts'
import type { Resolution } from '../known.ts'
import { lineagesOf } from './lineages.ts'

const did = (n: number) => `did:oas:acme:agent:${String(n).padStart(64, '0')}`
const person = did(1000)

function childOf(root_did: string, n: number): Resolution {
  const identity = { ...unresolved(did(n)), lineage_verified: true, auth_method: 'did' }
  const lineage = { verified: true, depth: 1, chain: [did(n), root_did], root_did, root_kind: 'HumanRoot' }
  return { outcome: 'Resolved', identity, lineage }
}

test('fifty children of one person are one root; unknown, broken and revoked identities are none', async () => {
  const [unknown, broken, revoked, other] = [did(60), did(61), did(62), did(63)]
  const resolutions = new Map<string, Resolution>([
    [unknown, { outcome: 'Failed', reason: 'no document' }],
    [broken, { outcome: 'Partial', identity: { ...unresolved(broken), auth_method: 'did' }, warnings: [] }],
    [other, childOf(did(2000), 63)],
  ])
  const of_revoked = childOf(person, 62) as Extract<Resolution, { outcome: 'Resolved' }>
  resolutions.set(revoked, { ...of_revoked, identity: { ...of_revoked.identity, revoked: true } })
  const children = Array.from({ length: 50 }, (_, n) => did(n))
  for (const [n, child] of children.entries()) resolutions.set(child, childOf(person, n))
  const lineages = lineagesOf({ resolve: (of) => resolutions.get(of)! })
  const { independent, root_of } = await lineages.roots([...children, ...children, unknown, broken, revoked])
  assert.deepEqual([independent, root_of.size, root_of.get(children[7]!)], [1, 50, person])
  assert.equal((await lineages.roots([...children, other])).independent, 2)
  assert.deepEqual(await lineages.roots([]), { independent: 0, root_of: new Map() })
  assert.deepEqual((await lineages.of(children[0]!))?.chain, [children[0], person])
  assert.equal(await lineages.of(unknown), undefined)
})

test('an outage is not an answer, and one question looks up a bounded number', async () => {
  const away = lineagesOf({
    resolve: () => ({ outcome: 'Unavailable', reason: 'the node is away', unknown: 'document' }),
  })
  await assertRefused(away.roots([did(1)]), 'unavailable', 'identity unavailable')
  await assertRefused(away.of(did(1)), 'unavailable', 'identity unavailable')
  let lookups = 0
  const counting = lineagesOf({
    resolve() {
      lookups += 1
      return { outcome: 'Failed', reason: 'no document' }
    },
  })
  const many = Array.from({ length: roots_asked_max + 1 }, (_, n) => did(n))
  await assertRefused(counting.roots(many), 'invalid_payload', 'too_many_identities')
  assert.equal(lookups, 0)
  assert.equal((await counting.roots(many.slice(1))).independent, 0)
})
