// The bundled Aegis node: stores tokens, rules and challenges, and accepts only what it has checked itself.

import type { DelegationLink, DelegationPolicy } from '@svc/contract/authority/delegation-chain'
import { ChallengeAnswer } from '@svc/contract/authority/delegation-challenge'
import { DelegationRules, isLooser } from '@svc/contract/authority/delegation-policy'
import type { Database } from '@svc/contract/database'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, Did, Hash, Text, Uuid } from '@svc/contract/schema'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import { type Chance, makeChallenge, meetChallenge, NewChallenge } from './aegis-challenges.ts'
import { keepToken, NewDelegation, revoke, Withdrawal } from './aegis-delegations.ts'
import { findChallenge, findPolicies, insertPolicy } from './aegis-rules-store.ts'
import { findHeld, findLinks, listLinks, lockSubject } from './aegis-store.ts'
import { type NodeDefinition, nodeOperation } from './node-server.ts'

const Listing = Closed({
  did: Did,
  limit: Type.Integer({ minimum: 1, maximum: 100 }),
  cursor: Type.Optional(Text(200)),
})
const NewPolicy = Closed({
  did: Did,
  rules: DelegationRules,
  challenge: Type.Optional(ChallengeAnswer),
})

export function openAegisNode(db: Database, chance: Chance): NodeDefinition {
  const inTransaction = <T>(work: (db: Database) => Promise<T>) => db.transaction(work)
  return {
    protocol: 'Aegis',
    version: 'v1.0.0',
    operations: {
      challenge: nodeOperation(NewChallenge, (request, at) =>
        inTransaction((tx) => makeChallenge(tx, request, at, chance)),
      ),
      find_challenge: nodeOperation(
        Closed({ challenge_id: Uuid }),
        async ({ challenge_id }, { tenant_id }) => {
          const challenge = await findChallenge(db, tenant_id, challenge_id)
          if (!challenge) throw notFound('challenge', challenge_id)
          return challenge
        },
      ),
      delegate: nodeOperation(NewDelegation, (request, at) =>
        inTransaction((tx) => keepToken(tx, request, at)),
      ),
      chain: nodeOperation(Closed({ token_id: Hash }), async ({ token_id }, at) => {
        const links = await findLinks(db, at.tenant_id, [token_id], at.timestamp)
        if (links.length === 0) throw notFound('delegation', token_id)
        return { links, policies: await policiesOver(db, at.tenant_id, links) }
      }),
      held: nodeOperation(Closed({ did: Did }), async ({ did }, at) => {
        const tokens = await findHeld(db, at.tenant_id, did, at.timestamp)
        const links = await findLinks(db, at.tenant_id, tokens, at.timestamp)
        return { tokens, links, policies: await policiesOver(db, at.tenant_id, links) }
      }),
      list: nodeOperation(Listing, (request, at) => listPage(db, request, at)),
      policy: nodeOperation(Closed({ did: Did }), ({ did }, { tenant_id }) => policyOf(db, tenant_id, did)),
      set_policy: nodeOperation(NewPolicy, (request, at) =>
        inTransaction((tx) => keepPolicy(tx, request, at)),
      ),
      revoke: nodeOperation(Withdrawal, (request, at) => inTransaction((tx) => revoke(tx, request, at))),
    },
  }
}

async function policyOf(db: Database, tenant_id: string, did: string): Promise<DelegationPolicy> {
  return (await findPolicies(db, tenant_id, [did]))[0] ?? { did, rules: {}, version: 0 }
}

async function keepPolicy(
  db: Database,
  { did, rules, challenge }: Static<typeof NewPolicy>,
  { tenant_id, timestamp }: InvokeContext,
): Promise<DelegationPolicy> {
  await lockSubject(db, `policy of ${did}`)
  const before = await policyOf(db, tenant_id, did)
  // The same rules again are no new version, so a retry changes nothing.
  if (before.version > 0 && canonicalJson(before.rules) === canonicalJson(rules)) return before
  const guarded = before.rules.require_challenge ?? []
  if (challenge) {
    const use = { now: timestamp, subject_did: did, purpose: 'delegate', capabilities: guarded } as const
    await meetChallenge(db, tenant_id, challenge, [use])
  } else if (guarded.length > 0 && isLooser(rules, before.rules)) {
    // A stolen API key must not be enough to remove the protection first.
    const sentence = 'These rules are looser, and the present ones ask for a step-up; bring a challenge.'
    throw refuse('policy_denied', sentence, { reason: 'step-up challenge required' })
  }
  const policy = { did, rules, version: before.version + 1, in_force_from: timestamp }
  await insertPolicy(db, tenant_id, policy)
  return policy
}

function policiesOver(db: Database, tenant_id: string, links: readonly DelegationLink[]) {
  return findPolicies(db, tenant_id, [...new Set(links.map(({ token }) => token.from_did))])
}

async function listPage(db: Database, { did, limit, cursor }: Static<typeof Listing>, at: InvokeContext) {
  const [issued_at, token_id] = cursor?.split('|') ?? []
  const is_cursor = issued_at !== undefined && token_id !== undefined && !Number.isNaN(Date.parse(issued_at))
  if (cursor && !is_cursor) {
    throw refuse('invalid_payload', 'The cursor is not one of ours; begin without one.', { reason: 'cursor' })
  }
  const page = { limit: limit + 1, ...(is_cursor ? { before: { issued_at, token_id } } : {}) }
  const links = await listLinks(db, at.tenant_id, did, page, at.timestamp)
  const delegations = links.slice(0, limit)
  const last = delegations.at(-1)
  const more = links.length > limit && last
  return { delegations, ...(more ? { next_cursor: `${last.issued_at}|${last.token_id}` } : {}) }
}
