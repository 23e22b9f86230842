import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import { isWithin } from '@svc/contract/authority/attenuation'
import { chainTo, faultIn, type forgeryIn } from '@svc/contract/authority/delegation-chain'
import { challengeInput } from '@svc/contract/authority/delegation-challenge'
import { delegatedBy, tokenId, type UnsignedToken } from '@svc/contract/authority/delegation-token'
import { type NodeAnswers, readAnswer } from '@svc/contract/authority/received-delegations'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { Refusal } from '@svc/contract/refusal'
import { type SigningKey, signText } from '@svc/contract/signing/signature'
import { sql } from '@svc/database/sql'
import fc from 'fast-check'
import { type TestDatabase, testDatabase } from '../checks/rehearsal/test-database.ts'
import { storeAt } from '../checks/rehearsal/test-store.ts'
import { newKey, signDelegation } from '../checks/scenes/delegation-scene.ts'
import { openAegisNode } from './aegis-node.ts'
import type { NodeDefinition } from './node-server.ts'

const start_ms = Date.parse('2026-11-15T10:00:00.000Z')
let database: TestDatabase
let store: PostgresStore
let node: NodeDefinition

before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
  node = openAegisNode(store.engine, system_clock)
})
after(async () => {
  await store.close()
  await database.close()
})

interface At {
  readonly by?: string
  readonly after_s?: number
  readonly tenant_id?: string
}

/** As an engine would ask; every answer is checked against the shape that engines accept. */
async function ask<Name extends keyof NodeAnswers>(
  operation: Name,
  payload: unknown,
  { by = 'did:oas:dev:agent:x', after_s = 0, tenant_id = 'dev' }: At = {},
): Promise<NodeAnswers[Name]> {
  const context: InvokeContext = {
    correlation_id: '00000000-0000-4000-8000-000000000000',
    tenant_id,
    agent_did: by,
    timestamp: new Date(start_ms + after_s * 1000).toISOString(),
    metadata: {},
  }
  const answer = await node.operations[operation]!.handle(payload as never, context)
  const read = readAnswer(operation, JSON.parse(JSON.stringify(answer)))
  assert.ok(read, `${operation} answered ${JSON.stringify(answer)}`)
  return read
}

async function reasonOf(asking: Promise<unknown>): Promise<string> {
  const thrown = await asking.then(
    (value) => assert.fail(`answered ${JSON.stringify(value)}`),
    (error) => error,
  )
  assert.ok(thrown instanceof Refusal, String(thrown))
  return String(thrown.details.reason)
}

function delegation(from: SigningKey, to: SigningKey, more: Partial<UnsignedToken> = {}): UnsignedToken {
  const capabilities = [{ name: 'svc.mind.a', caveats: [] }]
  const expires_at = '2026-11-20T00:00:00Z'
  return { from_did: from.did, to_did: to.did, capabilities, max_redelegation_depth: 2, expires_at, ...more }
}

const keep = (token: UnsignedToken, signer: SigningKey, more: object = {}, at: At = {}) =>
  ask('delegate', { token: signDelegation(token, signer), public_key: signer.public_key, ...more }, at)

const [a, b, c, d] = [newKey('dev'), newKey('dev'), newKey('dev'), newKey('dev')]

test('only delegations signed by the delegator are stored, within their parent, depth, tenant and 90 days', async () => {
  const { token_id, created } = await keep(delegation(a, b), a)
  assert.deepEqual([token_id, created], [tokenId(delegation(a, b)), true])
  assert.equal((await keep(delegation(a, b), a)).created, false)
  const parent = { parent_token: token_id }
  const refusals: [() => Promise<unknown>, RegExp][] = [
    [() => keep(delegation(a, c), b), /public key does not match DID/],
    [
      () => ask('delegate', { token: signDelegation(delegation(a, c), b), public_key: a.public_key }),
      /signature invalid/,
    ],
    [() => keep(delegation(a, a), a), /leads back/],
    [() => keep(delegation(a, newKey('globex')), a), /crosses tenants/],
    [() => keep(delegation(a, c), a, {}, { tenant_id: 'globex' }), /tenant/],
    [() => keep(delegation(a, c, { expires_at: '2027-11-20T00:00:00Z' }), a), /lifetime/],
    [() => keep(delegation(a, c, { expires_at: '2026-11-15T10:00:00Z' }), a), /lifetime/],
    [
      () => keep(delegation(a, c, { capabilities: [{ name: 'svc.*.*', caveats: [] }] }), a),
      /capability name/,
    ],
    [() => keep(delegation(b, c), b, parent), /redelegation depth exhausted/],
    [() => keep(delegation(b, a, { max_redelegation_depth: 1 }), b, parent), /leads back/],
    [() => keep(delegation(c, d, { max_redelegation_depth: 1 }), c, parent), /a link is missing/],
    [
      () =>
        keep(
          delegation(b, c, {
            max_redelegation_depth: 1,
            capabilities: [{ name: 'svc.mind.*', caveats: [] }],
          }),
          b,
          parent,
        ),
      /capability amplification: svc.mind.\*/,
    ],
    [
      () =>
        keep(delegation(b, c, { max_redelegation_depth: 1, expires_at: '2026-11-20T00:00:01Z' }), b, parent),
      /capability amplification/,
    ],
    [() => keep(delegation(a, c), a, { parent_token: `sha256:${'0'.repeat(64)}` }), /not_found/],
    [
      () => keep(delegation(b, c, { max_redelegation_depth: 1 }), b, parent, { tenant_id: 'globex' }),
      /not_found/,
    ],
  ]
  for (const [asking, reason] of refusals) assert.match(await reasonOf(asking()), reason)
  assert.equal((await ask('held', { did: c.did })).tokens.length, 0, 'nothing refused was stored')
})

test('a revocation ends a tree, is idempotent, and nothing is stored below it', async () => {
  const until = (minute: number) => ({ expires_at: `2026-11-19T00:0${minute}:00Z` })
  const first = await keep(delegation(a, b, until(1)), a)
  const second = { max_redelegation_depth: 1, ...until(1) }
  const child = await keep(delegation(b, c, second), b, { parent_token: first.token_id })
  const revoke = (token_id: string, at: At) =>
    ask('revoke', { token_id, reason: 'x', charter_member: false }, at)
  assert.equal(await reasonOf(revoke(first.token_id, { by: b.did })), 'not yours to revoke')
  assert.equal(await reasonOf(revoke(first.token_id, { by: a.did, tenant_id: 'globex' })), 'not_found')
  const revocation = await revoke(first.token_id, { by: a.did, after_s: 1 })
  assert.deepEqual(revocation.revoked, [first.token_id, child.token_id])
  assert.deepEqual(await revoke(first.token_id, { by: a.did, after_s: 2 }), revocation)
  const below = keep(delegation(b, d, second), b, { parent_token: first.token_id })
  assert.match(await reasonOf(below), /is REVOKED; delegate needs ACTIVE/)
  assert.match(await reasonOf(keep(delegation(a, b, until(1)), a)), /is REVOKED/)
  const { links } = await ask('chain', { token_id: child.token_id })
  assert.deepEqual(
    links.map(({ state }) => state),
    ['REVOKED', 'PARENT_REVOKED'],
  )
})

test('a challenge is answered once, even concurrently', async () => {
  const challenge = await ask('challenge', { subject_did: a.did, purpose: 'delegate' })
  const signature = signText(a.private_key, challengeInput(challenge))
  const answer = { challenge_id: challenge.challenge_id, public_key: a.public_key, signature }
  const tries = Array.from({ length: 10 }, (_, i) =>
    keep(delegation(a, newKey('dev'), { expires_at: `2026-11-18T00:00:0${i}Z` }), a, { challenge: answer }),
  )
  const outcomes = await Promise.allSettled(tries)
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  const reasons = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason.details.reason] : []))
  assert.deepEqual(new Set(reasons), new Set(['challenge already used']))
})

test('one delegator cannot use up what another may delegate', async () => {
  const target = newKey('dev')
  const makeDelegation = (from: SigningKey, i: number) =>
    keep(delegation(from, target, { expires_at: new Date(start_ms + 60_000 + i).toISOString() }), from)
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, i) => makeDelegation(a, i)))
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 16)
  assert.equal((await makeDelegation(b, 0)).created, true)
  const holdings = await ask('held', { did: target.did }, { after_s: 3_600 })
  const states = new Set(holdings.links.map(({ state }) => state))
  assert.deepEqual(states, new Set(['EXPIRED']), 'expired ones are reported as such')
})

test('random graphs: everything stored is sound, and everything sound is stored', async (t) => {
  const attempt = fc.record({
    to: fc.nat({ max: 4 }),
    from: fc.nat({ max: 4 }),
    under: fc.option(fc.nat({ max: 7 }), { nil: undefined, freq: 4 }),
    depth: fc.nat({ max: 4 }),
    name: fc.constantFrom('svc.mind.*', 'svc.mind.a', 'svc.mind.b'),
    caveats: fc.constantFrom<string[]>([], ['time:09-17']),
    day: fc.integer({ min: 16, max: 19 }),
  })
  const counts = { kept: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(attempt, { minLength: 4, maxLength: 10 }), async (attempts) => {
      const people = Array.from({ length: 5 }, () => newKey('dev'))
      const links = new Map<string, Parameters<typeof forgeryIn>[0]>()
      for (const { to, from, under, depth, name, caveats, day } of attempts) {
        const parent = under === undefined ? undefined : [...links.values()][under % Math.max(1, links.size)]
        const delegator = parent ? people.find(({ did }) => did === parent.token.to_did)! : people[from]!
        const token = signDelegation(
          {
            from_did: delegator.did,
            to_did: people[to]!.did,
            capabilities: [{ name, caveats }],
            max_redelegation_depth: depth,
            expires_at: new Date(Date.UTC(2026, 10, day)).toISOString(),
          },
          delegator,
        )
        const parent_token = parent ? { parent_token: parent.token_id } : {}
        const link = {
          token_id: tokenId(token),
          token,
          public_key: delegator.public_key,
          ...parent_token,
          state: 'ACTIVE',
          issued_at: '2026-11-15T10:00:00.000Z',
          challenged: false,
        } as const
        if (links.has(link.token_id)) continue
        const chain = [...(parent ? chainTo(parent.token_id, links)! : []), link]
        const sound =
          faultIn(chain) === undefined &&
          (!parent || isWithin(delegatedBy(token)[0]!, delegatedBy(parent.token)))
        const is_kept = await keep(token, delegator, parent_token).then(
          () => true,
          (error) => !(error instanceof Refusal),
        )
        counts[is_kept ? 'kept' : 'refused']++
        assert.equal(is_kept, sound, faultIn(chain) ?? 'within')
        if (is_kept) links.set(link.token_id, link)
      }
    }),
    { numRuns: 40 },
  )
  t.diagnostic(JSON.stringify(counts))
  assert.ok(counts.kept > 10 && counts.refused > 10)
})

test('the application cannot see these tables: only the node reads them', async () => {
  for (const table of ['delegations', 'delegation_policies', 'aegis_challenges']) {
    const app = store.transaction('dev')
    await assert.rejects(sql`SELECT FROM ${sql.table(table)}`.execute(app.db), /permission denied/)
    await app.rollback()
  }
})
