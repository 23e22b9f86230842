// One file of cases for every implementation: here the engine's own code and the TypeScript SDK, in clients/sdk-rust
// and clients/sdk-python theirs. Expected values come from the RFCs, and otherwise from another, independent
// implementation.
import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { appendLeaf, type Frontier, leafHash, rootOf } from '@svc/audit/tree/merkle'
import { recordHash } from '@svc/contract/audit/audit-record'
import { attenuate, isWithin } from '@svc/contract/authority/attenuation'
import { covers, isCapabilityName, namesThatGrant } from '@svc/contract/authority/capability'
import { type DelegationLink, faultIn, forgeryIn, worthOf } from '@svc/contract/authority/delegation-chain'
import { tokenId } from '@svc/contract/authority/delegation-token'
import { didOfKey, parseDid } from '@svc/contract/identity/did'
import {
  isEverKeyOf,
  KeyEvent,
  keyEventInput,
  keyEventsFault,
  placeAfter,
} from '@svc/contract/identity/key-events'
import { childDid, childSeed, verifyLineage } from '@svc/contract/identity/lineage'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { proveDocument, verifyProof as verifyDocument } from '@svc/contract/signing/data-integrity'
import {
  isKeyOf,
  isSignedBy,
  privateKeyOf,
  publicKeyOf,
  signingInput,
  signText,
} from '@svc/contract/signing/signature'
import { verifyExport, verifyReceipt } from '@svc/sdk'
import { canonicalText } from '@svc/sdk/verify/canonical'
import { isSignedBy as noteSigned, readKey, readNote } from '@svc/sdk/verify/note'
import { emptyRoot, isGrownFrom, rootOfRow } from '@svc/sdk/verify/paths'
import { platformPrimitives, webPrimitives } from '@svc/sdk/verify/primitives'
import { rootOfPath } from '@svc/sdk/verify/tree'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'

// biome-ignore lint/suspicious/noExplicitAny: cases of every shape
type Case = any

const vectors: Case = JSON.parse(readFileSync(join(import.meta.dirname, 'vectors.json'), 'utf8'))
const here = platformPrimitives()
const both_primitives = [here, webPrimitives(crypto.subtle)]

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new TypeError('it is not JSON')
  }
}

for (const [whose, write] of Object.entries({ 'the engine': canonicalJson, 'the SDK': canonicalText })) {
  test(`canonical JSON as ${whose} writes it`, () => {
    for (const { name, json, canonical, refusal, is_canonical } of vectors.canonical_json) {
      if (refusal !== undefined) assert.throws(() => write(parse(json)), { message: refusal }, name)
      else if (is_canonical === false) assert.notEqual(write(parse(json)), json, name)
      else assert.equal(write(parse(json)), canonical, name)
    }
  })
}

test('DIDs', () => {
  for (const { name, did, parts, refused, namespace, entity_kind, public_key } of vectors.dids) {
    assert.equal(parseDid(did) === undefined, refused === true, name)
    if (parts) assert.deepEqual(parseDid(did), parts, name)
    if (!public_key) continue
    assert.equal(didOfKey(namespace, entity_kind, Buffer.from(public_key, 'base64url')), did, name)
    assert.ok(isKeyOf(did, public_key), name)
  }
})

test('signatures', async () => {
  for (const { name, seed, message, domain, object, text, ...expected } of vectors.signatures) {
    const { public_key, signature, is_signed } = expected
    if (domain) assert.equal(signingInput(domain, object), text, name)
    const signed = domain ? Buffer.from(text) : Buffer.from(message, 'hex')
    if (seed) {
      const key = privateKeyOf(Buffer.from(seed, 'hex'))
      assert.deepEqual([publicKeyOf(key), signText(key, signed)], [public_key, signature], name)
    }
    // The engine signs text only, and not every message of the RFC is text.
    if (Buffer.from(signed.toString()).equals(signed))
      assert.equal(isSignedBy(public_key, signed.toString(), signature), is_signed, name)
    const bytes = Buffer.from(signature, 'base64url')
    const raw = Buffer.from(public_key, 'base64url')
    if (bytes.toString('base64url') !== signature || bytes.length !== 64 || raw.length !== 32) continue
    for (const { checkerOf } of both_primitives)
      assert.equal(await (await checkerOf(raw))(signed, bytes), is_signed, name)
  }
})

test("a seed's key is also derived without our own code", () => {
  const { seed, message, public_key, signature } = vectors.signatures[0]
  const d = Buffer.from(seed, 'hex').toString('base64url')
  const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x: public_key }, format: 'jwk' })
  assert.equal(createPublicKey(key).export({ format: 'jwk' }).x, public_key)
  assert.equal(sign(null, Buffer.from(message, 'hex'), key).toString('base64url'), signature)
})

test('data integrity', async () => {
  for (const { name, document, proof, purpose, public_key, seed, controller } of vectors.data_integrity) {
    assert.equal(verifyDocument(document, proof, purpose) ?? null, public_key, name)
    if (seed === undefined) continue
    const key = privateKeyOf(Buffer.from(seed, 'hex'))
    const signer = { public_key, sign: (bytes: Uint8Array) => signText(key, bytes) }
    assert.deepEqual(
      await proveDocument(document, signer, { created: proof.created, controller }),
      proof,
      name,
    )
  }
})

test('capabilities', () => {
  for (const { held, wanted, covers: covered } of vectors.capabilities.pairs) {
    const what = `${JSON.stringify(held)} for ${JSON.stringify(wanted)}`
    assert.equal(covers(held, wanted), covered, what)
    // The global wildcard is not an operation's name, so nothing is listed for it.
    if (wanted !== 'svc.*.*') assert.equal(namesThatGrant(wanted).includes(held), covered, what)
  }
  for (const { name, is_name } of vectors.capabilities.names) assert.equal(isCapabilityName(name), is_name)
})

test('attenuation', () => {
  for (const { name, wanted, held, delegated, is_within } of vectors.attenuation) {
    assert.deepEqual(attenuate(wanted, held) ?? null, delegated, name)
    assert.equal(isWithin(wanted, held), is_within, name)
  }
})

test('delegations', () => {
  for (const {
    name,
    tokens,
    public_keys,
    key_events = [],
    token_ids,
    own,
    now,
    forgery,
    fault,
    held,
  } of vectors.delegations) {
    const links: DelegationLink[] = tokens.map((token: DelegationLink['token'], i: number) => ({
      token,
      token_id: tokenId(token),
      public_key: public_keys[i],
      ...(key_events[i] && { key_events: key_events[i] }),
      ...(i > 0 ? { parent_token: tokenId(tokens[i - 1]) } : {}),
      state: 'ACTIVE',
      issued_at: '2026-11-01T00:00:00Z',
      challenged: false,
    }))
    assert.deepEqual(
      links.map(({ token_id }) => token_id),
      token_ids,
      name,
    )
    assert.equal(links.map(forgeryIn).find((forged) => forged !== undefined) ?? null, forgery, name)
    assert.equal(faultIn(links) ?? null, fault, name)
    const worth = worthOf(links, { now, own, policies: [], isRevoked: () => false })
    // Whose limits each counts against is the engine's own matter.
    const capabilities = worth.held.map(({ chain: _, ...capability }) => capability)
    assert.deepEqual(capabilities, held, name)
  }
})

test('lineage', () => {
  for (const { name, parent_seed, parent_did, entity_kind, label, index, ...child } of vectors.lineage
    .derivations) {
    const seed = childSeed(Buffer.from(parent_seed, 'hex'), parent_did, { entity_kind, label, index })
    const public_key = publicKeyOf(privateKeyOf(seed))
    const did = childDid(parseDid(parent_did)!.namespace, entity_kind, public_key)
    assert.deepEqual({ seed: seed.toString('hex'), public_key, did }, child, name)
  }
  for (const { name, did, statements, now, revoked, verdict } of vectors.lineage.chains) {
    const isRevoked = (one: string) => revoked.includes(one)
    assert.deepEqual(verifyLineage(did, statements, { now, isRevoked }), verdict, name)
  }
})

test('changes of keys', () => {
  const form = Compile(Type.Array(KeyEvent))
  for (const { name, did, events, fault, keys = [], has_form = true, ...last } of vectors.key_events) {
    assert.equal(form.Check(events), has_form, name)
    if (has_form) assert.equal(keyEventsFault(did, events) ?? null, fault, name)
    for (const { public_key, is_ever_key } of keys)
      assert.equal(isEverKeyOf(did, public_key, events), is_ever_key, `${name}: ${public_key}`)
    if (last.signing_input === undefined) continue
    assert.equal(keyEventInput(did, events.at(-1)), last.signing_input, name)
    assert.equal(placeAfter(did, events), last.next_previous, name)
  }
})

test('the hash chain', async () => {
  for (const { name, previous_hash, record, record_hash } of vectors.hash_chain) {
    assert.equal(recordHash(previous_hash, canonicalJson(record)), record_hash, name)
    const digest = await here.sha256(previous_hash + canonicalText(record))
    assert.equal(Buffer.from(digest).toString('hex'), record_hash, name)
  }
})

test('Merkle roots', async () => {
  for (const { name, record_hashes, root } of vectors.merkle_roots) {
    const frontier: Frontier = []
    for (const [i, hash] of record_hashes.entries())
      appendLeaf(frontier, i, leafHash(Buffer.from(hash, 'hex')), () => {})
    assert.equal(rootOf(frontier).toString('hex'), root, name)
    const size = record_hashes.length
    const computed =
      size === 0 ? await emptyRoot(here) : await rootOfRow(record_hashes, { index: 0, size }, [], here)
    assert.equal(computed, root, name)
  }
})

test('Merkle inclusion', async () => {
  for (const { name, record_hash, index, size, path, root } of vectors.merkle_inclusion) {
    for (const primitives of both_primitives)
      assert.equal((await rootOfPath(record_hash, { index, size }, path, primitives)) ?? null, root, name)
  }
})

test('Merkle consistency', async () => {
  for (const { name, first, second, path, is_grown } of vectors.merkle_consistency) {
    for (const primitives of both_primitives)
      assert.equal(await isGrownFrom(first, second, path, primitives), is_grown, name)
  }
})

test('checkpoints', async () => {
  for (const { name, note, public_key, read, is_signed } of vectors.checkpoints) {
    const checkpoint = readNote(note)
    const { origin = '', size, root } = checkpoint ?? {}
    assert.deepEqual(checkpoint ? { origin, size, root } : null, read, name)
    if (!checkpoint) continue
    assert.equal(await noteSigned(checkpoint, await readKey(origin, public_key, here)), is_signed, name)
  }
})

test('exports', async () => {
  for (const { name, lines: places, options, verdict } of vectors.exports.cases) {
    const lines = places.map((place: number) => vectors.exports.lines[place])
    const { trusted_keys, witness_keys, witnesses_needed, ...rest } = options
    const trust = { trustedKeys: trusted_keys, witnessKeys: witness_keys, witnessesNeeded: witnesses_needed }
    assert.deepEqual(await verifyExport(lines, { ...rest, ...trust }), verdict, name)
  }
})

test('receipts', async () => {
  for (const { name, receipt, public_keys, verdict } of vectors.receipts) {
    assert.deepEqual(await verifyReceipt(receipt, public_keys), verdict, name)
  }
})
