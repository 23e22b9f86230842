import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { Check } from 'typebox/value'
import { privateKeyOf, publicKeyOf, type SigningKey } from '../signing/signature.ts'
import { parseDid } from './did.ts'
import { derived_kinds, root_kinds } from './identity.ts'
import {
  childDid,
  childSeed,
  kindSegment,
  LineageStatement,
  lineage_depth_max,
  signStatement,
  verifyLineage,
} from './lineage.ts'

const now = '2026-11-15T10:00:00.000Z'

function keyOf(seed: Uint8Array, entity_kind: string, namespace = 'acme'): SigningKey {
  const private_key = privateKeyOf(seed)
  const public_key = publicKeyOf(private_key)
  return { did: childDid(namespace, entity_kind, public_key), public_key, private_key }
}

interface Link {
  readonly entity_kind: string
  readonly label: string
  readonly index: number
  readonly expires_at?: string
}

interface Chain {
  readonly did: string
  /** From the identity up to the root. */
  readonly statements: LineageStatement[]
  /** The key of each statement's parent, in the same order. */
  readonly parents: SigningKey[]
  readonly root: SigningKey
}

function buildChain(root_seed: Uint8Array, root_kind: string, links: readonly Link[]): Chain {
  const root = keyOf(root_seed, root_kind)
  let seed: Uint8Array = root_seed
  let parent = root
  const statements: LineageStatement[] = []
  const parents: SigningKey[] = []
  for (const link of links) {
    seed = childSeed(seed, parent.did, link)
    const child = keyOf(seed, link.entity_kind)
    const unsigned = {
      child_did: child.did,
      child_public_key: child.public_key,
      parent_did: parent.did,
      parent_public_key: parent.public_key,
      created_at: '2026-11-01T00:00:00Z',
      ...link,
    }
    statements.unshift(signStatement(unsigned, parent))
    parents.unshift(parent)
    parent = child
  }
  return { did: parent.did, statements, parents, root }
}

const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 })
const links = fc.array(
  fc.record(
    {
      entity_kind: fc.constantFrom(...derived_kinds),
      label: fc.stringMatching(/^[a-z0-9._-]{1,8}$/),
      index: fc.nat(2 ** 31 - 1),
      expires_at: fc.constantFrom('2026-11-15T10:00:00.001Z', '2027-01-01T00:00:00Z'),
    },
    { requiredKeys: ['entity_kind', 'label', 'index'] },
  ),
  { maxLength: lineage_depth_max, size: 'max' },
)
const chains = fc
  .tuple(seeds, fc.constantFrom(...root_kinds), links)
  .map(([seed, kind, made]) => buildChain(seed, kind, made))

test('every honestly built chain of depth 0 to 16 is valid, whatever its kinds, and names its root', () => {
  fc.assert(
    fc.property(chains, ({ did, statements, root }) => {
      for (const statement of statements) assert.ok(Check(LineageStatement, statement))
      const verdict = verifyLineage(did, statements, { now })
      assert.deepEqual(verdict, {
        verified: true,
        depth: statements.length,
        root_did: root.did,
        root_kind: verdict.root_kind,
        chain: [did, ...statements.map(({ parent_did }) => parent_did)],
      })
      assert.equal(kindSegment(verdict.root_kind!), parseDid(root.did)!.entity_kind)
    }),
    { numRuns: 40 },
  )
})

const stranger = keyOf(Buffer.alloc(32, 7), 'Agent')
const strange_root = keyOf(Buffer.alloc(32, 8), 'HumanRoot')

/** Another value of the right shape for a field. */
function mutate(statement: LineageStatement, field: keyof LineageStatement, chance: number): unknown {
  const value = statement[field]
  switch (field) {
    case 'child_did':
    case 'parent_did':
      return chance % 2 ? stranger.did : `${String(value).slice(0, -1)}${String(value).endsWith('0') ? 1 : 0}`
    case 'child_public_key':
    case 'parent_public_key':
      return stranger.public_key
    case 'entity_kind':
      return derived_kinds[(derived_kinds.indexOf(value as never) + 1 + (chance % 7)) % 8]
    case 'label':
      return `${String(value).slice(0, 63)}x`
    case 'index':
      return ((value as number) + 1) % 2 ** 31
    case 'created_at':
      return '2026-11-01T00:00:00.0Z'
    case 'expires_at':
      return value === undefined ? '2027-01-02T00:00:00Z' : undefined
    default:
      return changeOneCharacter(String(value), chance)
  }
}

function changeOneCharacter(text: string, chance: number): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const at = chance % text.length
  const other = alphabet[(alphabet.indexOf(text[at]!) + 1 + (chance % 63)) % 64]!
  return text.slice(0, at) + other + text.slice(at + 1)
}

const fields = Object.keys(LineageStatement.properties) as (keyof LineageStatement)[]

test('no chain is valid once any field of any statement is changed', () => {
  fc.assert(
    fc.property(chains, fc.nat(), fc.constantFrom(...fields), fc.nat(), (chain, place, field, chance) => {
      fc.pre(chain.statements.length > 0)
      const at = place % chain.statements.length
      const statements = structuredClone(chain.statements)
      const changed = mutate(statements[at]!, field, chance)
      assert.notEqual(changed, statements[at]![field])
      Object.assign(statements[at]!, { [field]: changed })
      if (changed === undefined) delete statements[at]![field]
      const verdict = verifyLineage(chain.did, statements, { now })
      assert.equal(verdict.verified, false, `${field} of ${at}`)
      assert.ok(verdict.broken_at! <= at && verdict.reason)
    }),
    { numRuns: 150 },
  )
})

test('no chain is valid when a link is missing, doubled, moved or replaced', () => {
  fc.assert(
    fc.property(chains, fc.nat(), fc.nat(), ({ did, statements }, first, second) => {
      fc.pre(statements.length > 1)
      const [a, b] = [first % statements.length, second % statements.length]
      const without = statements.toSpliced(a, 1)
      assert.equal(verifyLineage(did, without, { now }).verified, false)
      assert.equal(verifyLineage(did, statements.toSpliced(a, 0, statements[a]!), { now }).verified, false)
      if (a !== b)
        assert.equal(verifyLineage(did, statements.with(a, statements[b]!), { now }).verified, false)
    }),
    { numRuns: 30 },
  )
})

const link = { entity_kind: 'Agent', label: 'a', index: 0 }
const seed = Buffer.alloc(32, 1)

test('a chain deeper than 16 is invalid, though every signature is valid', () => {
  const { did, statements } = buildChain(seed, 'HumanRoot', Array(lineage_depth_max + 1).fill(link))
  const verdict = verifyLineage(did, statements, { now })
  assert.deepEqual([verdict.verified, verdict.broken_at, verdict.reason], [false, 16, 'deeper than 16'])
})

test('a link counts from its creation until it expires', () => {
  const { did, statements } = buildChain(seed, 'HumanRoot', [{ ...link, expires_at: now }])
  const reasonAt = (moment: string) => verifyLineage(did, statements, { now: moment }).reason
  assert.equal(reasonAt('2026-11-15T09:59:59.999Z'), undefined)
  assert.equal(reasonAt(now), 'expired')
  assert.equal(reasonAt('2026-10-31T23:59:59Z'), 'it lies in the future')
})

test('revoking any member of a chain breaks it there', () => {
  const { did, statements } = buildChain(seed, 'MultiHumanRoot', [link, link, link])
  const brokenBy = (revoked: string) => {
    const { verified, broken_at, reason } = verifyLineage(did, statements, {
      now,
      isRevoked: (one) => one === revoked,
    })
    return [verified, broken_at, reason]
  }
  assert.deepEqual(brokenBy(did), [false, 0, 'identity revoked'])
  for (const [at, { parent_did }] of statements.entries())
    assert.deepEqual(brokenBy(parent_did), [false, at, 'parent revoked'])
})

test('a non-root proves nothing by itself, and a root cannot be derived', () => {
  assert.equal(verifyLineage(stranger.did, [], { now }).reason, 'Agent is not a root kind')
  assert.equal(verifyLineage(strange_root.did, [], { now }).verified, true)
  const root = keyOf(seed, 'HumanRoot')
  const child = keyOf(Buffer.alloc(32, 9), 'EntityNameRecord')
  const statement = signStatement(
    {
      ...link,
      child_did: child.did,
      child_public_key: child.public_key,
      parent_did: root.did,
      parent_public_key: root.public_key,
      entity_kind: 'EntityNameRecord',
      created_at: now,
    },
    root,
  )
  assert.equal(verifyLineage(child.did, [statement], { now }).reason, 'its kind cannot be derived')
})

test('two identities that vouch for each other have no root', () => {
  const [a, b] = [keyOf(Buffer.alloc(32, 2), 'Agent'), keyOf(Buffer.alloc(32, 3), 'Agent')]
  const by = (child: SigningKey, parent: SigningKey) =>
    signStatement(
      {
        ...link,
        child_did: child.did,
        child_public_key: child.public_key,
        parent_did: parent.did,
        parent_public_key: parent.public_key,
        created_at: now,
      },
      parent,
    )
  assert.equal(verifyLineage(a.did, [by(a, b), by(b, a)], { now }).reason, 'cycle')
})

test('the same descent gives the same key, any other another, as HKDF-SHA256 defines', () => {
  const parent_did = keyOf(seed, 'HumanRoot').did
  const hex = (descent: Link) => childSeed(seed, parent_did, descent).toString('hex')
  assert.equal(hex(link), hex({ ...link }))
  const others = [
    { ...link, index: 1 },
    { ...link, label: 'b' },
    { ...link, entity_kind: 'Tool' },
  ]
  assert.equal(new Set([link, ...others].map(hex)).size, 4)
  assert.notEqual(childSeed(seed, stranger.did, link).toString('hex'), hex(link))
})

test('a DID names a kind in lower case with dashes', () => {
  assert.equal(kindSegment('AgentInstance'), 'agent-instance')
  assert.equal(kindSegment('EntityNameRecord'), 'entity-name-record')
  const { privateKey } = generateKeyPairSync('ed25519')
  assert.match(
    childDid('acme', 'AgentInstance', publicKeyOf(privateKey)),
    /^did:oas:acme:agent-instance:[0-9a-f]{64}$/,
  )
})
