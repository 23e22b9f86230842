import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { did_pattern, didOfKey, keyMatchesDid, parseDid } from './did.ts'

const digest = 'a'.repeat(64)

test('a DID is read into its three parts', () => {
  assert.deepEqual(parseDid(`did:oas:acme:agent-instance:${digest}`), {
    namespace: 'acme',
    entity_kind: 'agent-instance',
    identifier: digest,
  })
})

test('anything that is not exactly a DID is refused', () => {
  const bad = [
    '',
    `did:oas:acme:agent:${digest} `,
    `did:oas:acme:agent:${digest}\n`,
    ` did:oas:acme:agent:${digest}`,
    `DID:oas:acme:agent:${digest}`,
    `did:web:acme:agent:${digest}`,
    `did:oas:Acme:agent:${digest}`,
    `did:oas:acme:Agent:${digest}`,
    `did:oas::agent:${digest}`,
    `did:oas:acme::${digest}`,
    `did:oas:acme:agent:${digest.slice(1)}`,
    `did:oas:acme:agent:${digest}a`,
    `did:oas:acme:agent:${digest.toUpperCase()}`,
    `did:oas:acme:agent:x:${digest}`,
    `did:oas:${'a'.repeat(64)}:agent:${digest}`,
  ]
  for (const did of bad) assert.equal(parseDid(did), undefined, JSON.stringify(did))
  assert.ok(did_pattern.startsWith('^') && did_pattern.endsWith('$'))
})

test('a key certifies its own DID and no other', () => {
  const raw = () => {
    const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
    return Buffer.from(x ?? '', 'base64url')
  }
  const [mine, other] = [raw(), raw()]
  const did = didOfKey('acme', 'agent', mine)
  assert.equal(parseDid(did)?.namespace, 'acme')
  assert.ok(keyMatchesDid(did, mine))
  assert.ok(!keyMatchesDid(did, other))
  assert.ok(!keyMatchesDid('not a did', mine))
  assert.throws(() => didOfKey('acme', 'agent', mine.subarray(1)), /32 bytes/)
})
