import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IdentityDocument, SignedSection } from '@svc/contract/identity/identity-document'
import { sectionInput } from '@svc/contract/identity/identity-document'
import type { LineageStatement } from '@svc/contract/identity/lineage'
import { refuse } from '@svc/contract/refusal'
import { signText } from '@svc/contract/signing/signature'
import type { Resolution } from '@svc/engine/known'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { descend, documentOf, newSubject, type TestIdentity } from '../../checks/scenes/test-identity.ts'
import type { ExternalClient } from '../endpoint/external-client.ts'
import { type OasOptions, oasResolver } from './oas.ts'

/** A node, and the tables beside it, as a test sets them up. */
function scene(more: Partial<OasOptions> = {}) {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const documents = new Map<string, unknown>()
  const world = {
    clock,
    documents,
    asked: [] as string[],
    node: 'up' as 'up' | 'away',
    tables: 'up' as 'up' | 'away',
    revoked: new Set<string>(),
    kept: new Map<string, LineageStatement[]>(),
    logged: 0,
    hold: undefined as Promise<void> | undefined,
  }
  const client: ExternalClient = {
    url: 'http://node',
    isHealthy: async () => world.node === 'up',
    async invoke(operation, payload) {
      const { did } = payload as { did: string }
      world.asked.push(`${operation} ${did}`)
      await world.hold
      if (world.node === 'away') throw refuse('adapter_error', 'OAS cannot be reached.', {})
      return { document: documents.get(did) ?? null }
    },
  }
  const tables = async <T>(value: T) => {
    if (world.tables === 'away') throw new Error('no database')
    return value
  }
  const resolver = oasResolver({
    client,
    clock,
    log: { debug() {}, info() {}, error() {}, warn: () => void world.logged++ },
    own: { tenant_id: 'operator', did: newSubject('Service', 'operator').did },
    isTrustedIssuer: () => false,
    learnKeys: async () => true,
    revocations: (dids) =>
      tables(new Map(dids.filter((did) => world.revoked.has(did)).map((did) => [did, 'revoked' as const]))),
    lineageOf: (did) => tables(world.kept.get(did) ?? []),
    ...more,
  })
  const put = (document: IdentityDocument) => documents.set(document.id, document)
  return { ...world, world, resolver, client, put }
}

const identityOf = (resolution: Resolution) => {
  assert.notEqual(resolution.outcome, 'Failed', JSON.stringify(resolution))
  return (resolution as Extract<Resolution, { outcome: 'Resolved' }>).identity
}
const root = newSubject('HumanRoot')
const agent = newSubject('Agent')
const linked = (child: TestIdentity = agent) => documentOf(child, { lineage: [descend(child, root)] })

test('a document with a valid lineage is resolved, and then cached', async () => {
  const { resolver, put, world, clock } = scene()
  put(linked())
  const first = await resolver.resolve(agent.did)
  const { conformance_level, human_root_did, lineage_depth } = identityOf(first)
  assert.deepEqual(
    [first.outcome, conformance_level, human_root_did, lineage_depth],
    ['Resolved', 'L1', root.did, 1],
  )
  clock.advance(59_999)
  assert.equal(resolver.resolve(agent.did), first)
  assert.equal(world.asked.length, 2, 'of it, and of its parent')
  clock.advance(1)
  assert.ok(resolver.resolve(agent.did) instanceof Promise)
})

test('an ancestor that revoked itself in its document breaks the lineage', async () => {
  const { resolver, put } = scene()
  put(linked())
  put(documentOf(root))
  assert.equal((await resolver.resolve(agent.did)).outcome, 'Resolved')
  put(documentOf(root, { version: 2, revoked: true }))
  resolver.forgetAll()
  const broken = await resolver.resolve(agent.did)
  assert.equal(broken.outcome, 'Partial')
  const { lineage_verified, creator_did } = identityOf(broken)
  assert.deepEqual([lineage_verified, creator_did], [false, undefined])
})

test('without a lineage it is partial with a warning, unless one is stored here', async () => {
  const { resolver, put, world } = scene()
  put(documentOf(agent))
  const partial = await resolver.resolve(agent.did)
  assert.equal(partial.outcome, 'Partial')
  assert.deepEqual(partial.outcome === 'Partial' && partial.warnings, [
    'lineage broken at depth 0: Agent is not a root kind',
  ])
  assert.equal(identityOf(partial).conformance_level, 'L0')
  world.kept.set(agent.did, [descend(agent, root)])
  resolver.forgetAll()
  assert.equal((await resolver.resolve(agent.did)).outcome, 'Resolved')
})

test('an invalid lineage in the document does not prevent the use of a valid one stored here', async () => {
  const { resolver, put, world } = scene()
  put(documentOf(agent, { lineage: [descend(agent, root, { expires_at: '2026-11-15T09:00:00Z' })] }))
  const partial = await resolver.resolve(agent.did)
  assert.deepEqual(partial.outcome === 'Partial' && partial.warnings, ['lineage broken at depth 0: expired'])
  world.kept.set(agent.did, [descend(agent, root)])
  resolver.forgetAll()
  assert.equal((await resolver.resolve(agent.did)).outcome, 'Resolved')
})

test('any node answer that proves nothing leaves the caller unresolved', async () => {
  const other = newSubject('Agent')
  const answers = [null, 'text', { id: agent.did }, linked(other), { ...linked(), name: 'Eve' }]
  for (const answer of answers) {
    const { resolver, documents, world, clock } = scene()
    documents.set(agent.did, answer)
    assert.equal((await resolver.resolve(agent.did)).outcome, 'Failed', JSON.stringify(answer))
    clock.advance(4_999)
    assert.equal((await resolver.resolve(agent.did)).outcome, 'Failed')
    assert.equal(world.asked.length, 1, 'it is not asked again for five seconds')
    documents.set(agent.did, linked())
    clock.advance(1)
    assert.equal((await resolver.resolve(agent.did)).outcome, 'Resolved')
  }
})

test('while the node is away a cached identity is used for its minute, then it is unknown', async () => {
  const { resolver, put, world, clock } = scene()
  put(linked())
  await resolver.resolve(agent.did)
  world.node = 'away'
  clock.advance(59_999)
  assert.equal((await resolver.resolve(agent.did)).outcome, 'Resolved')
  clock.advance(1)
  const unknown = {
    outcome: 'Unavailable',
    reason: 'the identity node gave no document',
    unknown: 'document',
  }
  assert.deepEqual(await resolver.resolve(agent.did), unknown)
  world.node = 'up'
  clock.advance(500)
  assert.equal((await resolver.resolve(agent.did)).outcome, 'Resolved')
})

test('a node that stalls delays nobody for more than a second, and its late answer counts', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { resolver, put, world, clock } = scene()
  const others = Array.from({ length: 3 }, () => newSubject('Agent'))
  put(linked())
  for (const other of others) put(linked(other))
  const gate = Promise.withResolvers<void>()
  world.hold = gate.promise
  const waiting = resolver.resolve(agent.did)
  await new Promise(setImmediate)
  t.mock.timers.tick(1_000)
  assert.equal((await waiting).outcome, 'Unavailable')
  // No timer runs from here on: these are answered without waiting.
  for (const { did } of others) assert.equal((await resolver.resolve(did)).outcome, 'Unavailable')
  assert.equal(world.asked.length, 1, 'one request at a time')
  world.hold = undefined
  gate.resolve()
  await new Promise(setImmediate)
  clock.advance(500)
  for (const { did } of [agent, ...others]) assert.equal((await resolver.resolve(did)).outcome, 'Resolved')
})

test('while probes report the node as away, nobody waits for it', async () => {
  let away = true
  const { resolver, put, world, clock } = scene({ isAway: () => away })
  put(linked())
  assert.equal((await resolver.resolve(agent.did)).outcome, 'Unavailable')
  assert.deepEqual(world.asked, [])
  away = false
  clock.advance(500)
  assert.equal((await resolver.resolve(agent.did)).outcome, 'Resolved')
})

test('a revocation overrides the document, the cache and a node that is away', async () => {
  const { resolver, put, world } = scene()
  put(
    documentOf(agent, {
      lineage: [descend(agent, root)],
      capabilities: [{ name: 'svc.mind.*', caveats: [] }],
    }),
  )
  assert.equal(identityOf(await resolver.resolve(agent.did)).revoked, false)
  world.revoked.add(agent.did)
  resolver.forgetAll()
  const revoked = identityOf(await resolver.resolve(agent.did))
  assert.deepEqual([revoked.revoked, revoked.capabilities], [true, []])
  world.node = 'away'
  resolver.forgetAll()
  const unseen = identityOf(await resolver.resolve(agent.did))
  assert.deepEqual([unseen.did, unseen.revoked, unseen.conformance_level], [agent.did, true, 'L0'])
})

test('a revoked ancestor breaks the proof of descent', async () => {
  const { resolver, put, world } = scene()
  put(linked())
  world.revoked.add(root.did)
  const partial = await resolver.resolve(agent.did)
  assert.deepEqual(partial.outcome === 'Partial' && partial.warnings, [
    'lineage broken at depth 0: parent revoked',
  ])
})

test('concurrent lookups share one request', async () => {
  const { resolver, put, world } = scene()
  put(linked())
  const { promise, resolve } = Promise.withResolvers<void>()
  world.hold = promise
  const asking = Array.from({ length: 50 }, () => resolver.resolve(agent.did))
  resolve()
  const resolutions = await Promise.all(asking)
  assert.equal(world.asked.length, 2, 'of it, and of its parent')
  assert.equal(new Set(resolutions).size, 1)
})

test('a read that began before the cache was cleared is not cached', async () => {
  const { resolver, put, world } = scene()
  put(linked())
  const { promise, resolve } = Promise.withResolvers<void>()
  world.hold = promise
  const before = resolver.resolve(agent.did)
  await Promise.resolve()
  world.revoked.add(agent.did)
  resolver.forgetAll()
  resolve()
  await before
  assert.equal(identityOf(await resolver.resolve(agent.did)).revoked, true)
})

test('a statement that expires within the minute limits the cache time', async () => {
  const { resolver, put, clock } = scene()
  put(documentOf(agent, { lineage: [descend(agent, root, { expires_at: '2026-11-15T10:00:10Z' })] }))
  assert.equal((await resolver.resolve(agent.did)).outcome, 'Resolved')
  clock.advance(9_999)
  assert.equal((await resolver.resolve(agent.did)).outcome, 'Resolved')
  clock.advance(1)
  assert.equal((await resolver.resolve(agent.did)).outcome, 'Partial')
})

test('L2 needs an attestation by a trusted issuer of the tenant', async () => {
  const issuer = newSubject('EntityNameRecord')
  const commands: string[][] = []
  const isTrustedIssuer = async (did: string, tenant_id: string) => {
    commands.push([did, tenant_id])
    return did === issuer.did
  }
  const plain = {
    issuer_did: issuer.did,
    issuer_public_key: issuer.public_key,
    body: {},
    issued_at: '2026-11-01T00:00:00Z',
  }
  const signature = signText(issuer.private_key, sectionInput(plain, root.did))
  const section: SignedSection = { ...plain, signature }
  const { resolver, put } = scene({ isTrustedIssuer })
  put(documentOf(root, { extended: { attestations: [section], reputation: [section] } }))
  assert.equal(identityOf(await resolver.resolve(root.did)).conformance_level, 'L2')
  assert.deepEqual(commands, [[issuer.did, 'acme']])
})

test('while our own tables are away nobody is trusted, except recently known identities for their minute', async () => {
  const { resolver, put, world, clock } = scene()
  const other = newSubject('Agent')
  put(linked())
  put(linked(other))
  await resolver.resolve(agent.did)
  world.tables = 'away'
  resolver.doubtAll()
  resolver.doubtAll()
  assert.equal((await resolver.resolve(agent.did)).outcome, 'Resolved')
  const unknown = {
    outcome: 'Unavailable',
    reason: 'the identity could not be looked up',
    unknown: 'revocation',
  }
  assert.deepEqual(await resolver.resolve(other.did), unknown)
  clock.advance(60_000)
  assert.deepEqual(await resolver.resolve(agent.did), unknown)
  assert.ok(world.logged > 0)
})

test('without a node everybody is unresolved, but revocations are known', async () => {
  const { resolver, world } = scene({ client: undefined })
  assert.deepEqual(await resolver.resolve(agent.did), {
    outcome: 'Failed',
    reason: 'no identity node is bound',
  })
  world.revoked.add(root.did)
  assert.equal(identityOf(await resolver.resolve(root.did)).revoked, true)
  assert.equal(resolver.client, undefined)
})

test('handlers share the cache, may accept a stale document, and publish past the cache', async () => {
  const { resolver, put, world, clock, client } = scene()
  const context = {} as never
  const ask = (accept_stale_seconds = 0) =>
    resolver.client!.invoke('resolve', { did: agent.did, accept_stale_seconds }, context)
  put(linked())
  const document = linked()
  put(document)
  await resolver.resolve(agent.did)
  assert.deepEqual(await ask(), { document, stale_seconds: 0 })
  assert.equal(world.asked.length, 2, 'of it, and of its parent')
  world.node = 'away'
  clock.advance(90_000)
  await assert.rejects(ask(), /cannot be reached/)
  assert.deepEqual(await ask(31), { document, stale_seconds: 30 })
  await assert.rejects(ask(29), /cannot be reached/)
  world.node = 'up'
  assert.deepEqual(await ask(31), { document, stale_seconds: 0 }, 'a fresh one is preferred')
  const next = documentOf(agent, { version: 2, lineage: document.lineage, name: 'Ada' })
  put(next)
  await resolver.client!.invoke('publish', { document: next }, context)
  assert.equal(identityOf(await resolver.resolve(agent.did)).name, 'Ada')
  assert.equal(resolver.client!.url, client.url)
})
