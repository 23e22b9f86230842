// The verdict on each proof, word for word: what holds, and the first thing that is wrong.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consistencyPath, rootAtSize } from '@svc/audit/tree/merkle'
import { isProof, type ProofOptions, verifyProof } from '@svc/sdk/verify/proof'
import {
  base64,
  consistency,
  inclusion,
  leafAt,
  newSigner,
  nodeOf,
  segment,
  signer,
  trusted,
} from './proof-scene.ts'

const rootHex = (size: number) => rootAtSize(size, nodeOf).toString('hex')
const other_hash = 'ab'.repeat(32)
const other_node = Buffer.alloc(32, 1).toString('base64')

async function reasonOf(proof: unknown, options: ProofOptions = trusted): Promise<string | undefined> {
  const verdict = await verifyProof(proof, options)
  if (verdict.reason === undefined) assert.equal(verdict.ok, true)
  else assert.deepEqual(verdict, { ok: false, vouched: false, reason: verdict.reason })
  return verdict.reason
}

test('a valid proof names its tenant, its tree, and whether anything trusted vouches for it', async () => {
  for (const proof of [
    inclusion(0, 1),
    inclusion(3, 10),
    inclusion(3, 10, 12),
    consistency(0, 10),
    consistency(4, 10),
    consistency(10, 10, 70),
    segment(1, 1, 1),
    segment(1, 10, 10),
    segment(2, 5, 10),
    segment(10, 10, 10),
  ]) {
    const { kind, tree_size } = proof
    const verdict = { kind, tenant_id: 'acme', tree_size, root_hash: rootHex(tree_size) }
    assert.deepEqual(await verifyProof(proof, trusted), { ok: true, vouched: true, ...verdict })
    assert.deepEqual(await verifyProof(proof), { ok: true, vouched: false, ...verdict })
    assert.deepEqual(await verifyProof(proof, { trustedKeys: [] }), { ok: true, vouched: false, ...verdict })
  }
  const { checkpoint: _, ...empty } = consistency(0, 0)
  assert.deepEqual(await verifyProof(empty), {
    ok: true,
    vouched: false,
    kind: 'consistency',
    tree_size: 0,
    root_hash: rootHex(0),
  })
})

test('what is no such answer is told so', async () => {
  const none = 'it is no answer of MAZE prove'
  const proof = inclusion(3, 10)
  for (const value of [null, 'x', [], { ...proof, verify: 'x' }, { ...proof, kind: 1 }]) {
    assert.equal(await reasonOf(value), none)
    assert.equal(isProof(value), false)
  }
  assert.equal(isProof(proof), true)
  const unknown = 'it is no proof of RFC9162-SHA256 that is known here'
  assert.equal(await reasonOf({ ...proof, verify: { algorithm: 'x' } }), unknown)
  for (const kind of ['other', 'constructor']) assert.equal(await reasonOf({ ...proof, kind }), unknown)
  const throwing = new Proxy({}, { ownKeys: () => assert.fail('looked at') })
  assert.equal(await reasonOf({ ...proof, leaf: throwing }), 'the proof cannot be read: looked at')
})

test('a field that nobody has signed is named, wherever it stands', async () => {
  const stray = (name: string) => `it has a field ${name}, which nobody has signed`
  const row = segment(2, 3, 10)
  const changed = [
    { ...inclusion(3, 10), note: 1 },
    { ...inclusion(3, 10), leaf: { ...leafAt(3), note: 1 } },
    { ...inclusion(3, 10), verify: { algorithm: 'RFC9162-SHA256', note: 1 } },
    { ...row, segment: [row.segment[0], { ...row.segment[1], note: 1 }] },
  ]
  for (const proof of changed) assert.equal(await reasonOf(proof), stray('note'))
  assert.equal(await reasonOf({ ...inclusion(3, 10), first_size: 1, other: 1 }), stray('first_size'))
  const twice = {
    ...inclusion(3, 10),
    leaf: { ...leafAt(3), one: 1 },
    verify: { algorithm: 'RFC9162-SHA256', two: 1 },
  }
  assert.equal(await reasonOf(twice), stray('one'))
  assert.equal(await reasonOf({ ...inclusion(3, 10), ['x'.repeat(50)]: 1 }), stray('x'.repeat(40)))
})

test('size, root and path have one form each', async () => {
  const formless = 'its size, its root or its path have no form that is known here'
  const proof = inclusion(3, 10, 12)
  const path = proof.proof
  for (const more of [
    { tree_size: 10.5 },
    { tree_size: '10' },
    { root_hash: 'AB'.repeat(32) },
    { root_hash: ` ${proof.root_hash}` },
    { root_hash: `${proof.root_hash} ` },
    { root_hash: 1 },
    { root_hash: [proof.root_hash] },
    { proof: null },
    { checkpoint_proof: null },
    { proof: 'x' },
    { proof: [...path.slice(1), 1] },
    { proof: [...path.slice(1), Buffer.alloc(31).toString('base64')] },
    { proof: Array.from({ length: 129 }, () => other_node) },
    { checkpoint_proof: 'x' },
    { checkpoint_proof: [1] },
    { checkpoint: 'x' },
    { checkpoint: null },
  ])
    assert.equal(await reasonOf({ ...proof, ...more }), formless, JSON.stringify(more))
  const longest = { ...proof, proof: Array.from({ length: 128 }, () => other_node) }
  assert.equal(await reasonOf(longest), 'the path does not lead from the record to the root')
})

test('an inclusion leads from its leaf to the root', async () => {
  const proof = inclusion(3, 10)
  const at = (more: object) => reasonOf({ ...proof, ...more })
  for (const leaf of ['x', null, {}, { ...leafAt(3), record_hash: 'x' }])
    assert.equal(await at({ leaf }), 'it names no leaf')
  assert.equal(await at({ leaf_index: -1 }), 'it names no leaf')
  assert.equal(
    await at({ leaf: { ...leafAt(3), canonical_commitment: other_hash } }),
    'the record stored under this hash has another content than was hashed',
  )
  for (const more of [{ leaf: leafAt(4) }, { leaf_index: 4 }, { leaf_index: 10 }])
    assert.equal(await at(more), 'the path does not lead from the record to the root')
})

test('a consistency proof leads from one tree to the other', async () => {
  const proof = consistency(4, 10)
  const at = (more: object) => reasonOf({ ...proof, ...more })
  for (const more of [{ first_size: -1 }, { first_root: 'x' }])
    assert.equal(await at(more), 'it names no first tree')
  for (const more of [{ first_root: other_hash }, { first_size: 5 }])
    assert.match(String(await at(more)), /^the tree of 10 records did not grow out of that of [45]$/)
})

test('a segment is a row of records without gaps', async () => {
  const proof = segment(2, 5, 10)
  const at = (more: object) => reasonOf({ ...proof, ...more })
  const too_long = Array.from({ length: 1_001 }, (_, i) => ({ seq: i + 2, ...leafAt(0) }))
  for (const rows of ['x', [], too_long]) assert.equal(await at({ segment: rows }), 'it holds no row')
  assert.equal(await at({ leaf_index: -1 }), 'it holds no row')
  const longest = 'the hashes do not lead to the root'
  assert.equal(await at({ segment: too_long.slice(1).map((row, i) => ({ ...row, seq: i + 2 })) }), longest)
  const [first, ...rest] = proof.segment
  for (const row of ['x', null, { ...first, seq: 3 }, { ...first, record_hash: 'x' }])
    assert.equal(await at({ segment: [row, ...rest] }), 'record 2 is missing')
  assert.equal(await at({ segment: proof.segment.slice(1) }), 'record 2 is missing')
  assert.equal(
    await at({ segment: [first, { ...rest[0], canonical_commitment: other_hash }, ...rest.slice(1)] }),
    'the content of record 3 has another hash than it states',
  )
  const unsaid = 'it does not say which hash comes before the first'
  assert.equal(await at({ previous_hash: 'x' }), unsaid)
  assert.equal(await at({ previous_hash: other_hash }), longest)
  assert.equal(await reasonOf({ ...segment(1, 2, 10), previous_hash: other_hash }), unsaid)
})

test('the root is signed, or part of a larger tree that is', async () => {
  const { checkpoint: _, ...unsigned } = inclusion(3, 10)
  assert.equal(await reasonOf(unsigned), 'it comes with no checkpoint')
  const { checkpoint: __, ...empty } = consistency(0, 0)
  const not_empty = { ...empty, root_hash: other_hash }
  assert.equal(await reasonOf(not_empty), 'it comes with no checkpoint')
  const empty_root = { ...consistency(0, 0), tree_size: 5, checkpoint: undefined }
  assert.equal(await reasonOf(empty_root), 'it comes with no checkpoint')
  const renamed = signer.noteAt(10).replaceAll('svc/acme', 'l'.repeat(100))
  assert.equal(
    await reasonOf({ ...inclusion(3, 10), checkpoint: renamed }),
    `the checkpoint is of another log, ${'l'.repeat(80)}`,
  )
  const larger = inclusion(3, 10, 12)
  for (const checkpoint_proof of [[], base64(consistencyPath(9, 12, nodeOf))])
    assert.equal(
      await reasonOf({ ...larger, checkpoint_proof }),
      'the signed tree of 12 records did not grow out of this one',
    )
  const stranger = { trustedKeys: [newSigner('acme').public_key] }
  assert.equal(await reasonOf(larger, stranger), 'the checkpoint is not signed by a key you trust')
  assert.equal(await reasonOf(empty, stranger), 'that the log is empty is not signed by a key you trust')
  assert.equal(
    await reasonOf(larger, { trustedKeys: [...stranger.trustedKeys, signer.public_key] }),
    undefined,
  )
})

test('a kept note vouches where it has the size of the tree or of the checkpoint, and its root', async () => {
  const proof = consistency(4, 10, 12)
  const keeping = (...notes: string[]) => ({ checkpoints: notes })
  const vouched = async (...notes: string[]) => {
    const verdict = await verifyProof(proof, keeping(...notes))
    assert.equal(verdict.ok, true)
    return verdict.vouched
  }
  assert.equal(await vouched(signer.noteAt(12)), true)
  assert.equal(await vouched(signer.noteAt(10)), true)
  assert.equal(await vouched(signer.noteAt(10), signer.noteAt(4)), true)
  assert.equal(await vouched(signer.noteAt(4)), false)
  assert.equal(await vouched(signer.noteAt(11)), false)
  // With no record, a kept note of the empty tree confirms nothing.
  const empty = { ...consistency(0, 0), checkpoint: signer.noteAt(5) }
  assert.equal((await verifyProof(empty, keeping(signer.noteAt(0)))).vouched, false)
  assert.equal(await reasonOf(proof, keeping('x')), 'a checkpoint you kept is no signed note')
  const rival = newSigner('r'.repeat(100)).noteAt(10)
  const another = `a checkpoint you kept is of another log, svc/${'r'.repeat(76)}`
  assert.equal(await reasonOf(proof, keeping(rival)), another)
  assert.equal((await verifyProof(consistency(0, 1, 12), keeping(signer.noteAt(1)))).vouched, true)
  const { checkpoint: _, ...unsigned } = consistency(0, 0)
  assert.match(String(await reasonOf(unsigned, keeping(signer.noteAt(5)))), /of another log, svc\/acme$/)
  for (const size of [4, 10, 12]) {
    const rewritten = signer.noteAt(size).replace(/\n(\d+)\n[^\n]*/, `\n$1\n${other_node}`)
    assert.equal(
      await reasonOf(proof, keeping(rewritten)),
      `the checkpoint you kept of size ${size} has another root: the log was rewritten`,
    )
  }
})
