// Proofs as MAZE answers them, over a tree of 70 records, for whoever checks them.
import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto'
import { checkpointOrigin, keyId, signCheckpoint } from '@svc/audit/tree/checkpoint'
import {
  appendLeaf,
  consistencyPath,
  inclusionPath,
  leafHash,
  type NodeOf,
  rootAtSize,
  surroundingNodes,
} from '@svc/audit/tree/merkle'

export const count = 70
const no_record = '0'.repeat(64)

const hashes = Array.from({ length: count }, (_, i) => createHash('sha256').update(`record ${i}`).digest())
export const nodeOf: NodeOf = (() => {
  const frontier: Buffer[] = []
  for (const [i, hash] of hashes.entries()) appendLeaf(frontier, i, leafHash(hash), () => {})
  return (_level, index) => leafHash(hashes[index]!)
})()

export function newSigner(tenant_id: string) {
  const { privateKey: private_key } = generateKeyPairSync('ed25519')
  const { x } = createPublicKey(private_key).export({ format: 'jwk' })
  const raw = Buffer.from(x!, 'base64url')
  const key = { key_id: keyId(checkpointOrigin(tenant_id), raw), public_key: raw, private_key }
  const noteAt = (size: number) => signCheckpoint(tenant_id, size, rootAtSize(size, nodeOf), key)
  return { public_key: x!, noteAt }
}
export const signer = newSigner('acme')
export const trusted = { trustedKeys: [signer.public_key] }

export const base64 = (nodes: readonly Buffer[]) => nodes.map((node) => node.toString('base64'))
const hexAt = (index: number) => hashes[index]!.toString('hex')
export const leafAt = (index: number) => ({ record_hash: hexAt(index), canonical_commitment: hexAt(index) })

/** As the engine answers: a tree of this size, and a note over it or a larger one. */
function tree(tree_size: number, note_size: number) {
  const is_later = note_size > tree_size && tree_size > 0
  return {
    tree_size,
    root_hash: rootAtSize(tree_size, nodeOf).toString('hex'),
    checkpoint: signer.noteAt(note_size),
    ...(is_later ? { checkpoint_proof: base64(consistencyPath(tree_size, note_size, nodeOf)) } : {}),
    verify: { algorithm: 'RFC9162-SHA256' },
  }
}

export function inclusion(index: number, size: number, note_size = size) {
  const proof = base64(inclusionPath(index, size, nodeOf))
  return { kind: 'inclusion', leaf_index: index, leaf: leafAt(index), proof, ...tree(size, note_size) }
}

export function consistency(first: number, size: number, note_size = size) {
  const proof = first === 0 ? [] : base64(consistencyPath(first, size, nodeOf))
  const first_root = rootAtSize(first, nodeOf).toString('hex')
  return { kind: 'consistency', first_size: first, first_root, proof, ...tree(size, note_size) }
}

export function segment(from_seq: number, to_seq: number, size: number) {
  const rows = Array.from({ length: to_seq - from_seq + 1 }, (_, i) => ({ seq: from_seq + i, ...leafAt(from_seq - 1 + i) })) // biome-ignore format: one thought
  const proof = base64(surroundingNodes(Math.max(0, from_seq - 2), to_seq, size, nodeOf))
  const previous_hash = from_seq === 1 ? no_record : hexAt(from_seq - 2)
  return {
    kind: 'segment',
    leaf_index: from_seq - 1,
    segment: rows,
    previous_hash,
    proof,
    ...tree(size, size),
  }
}
