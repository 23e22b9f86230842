// A small reader of a log in tiles, written from the C2SP specifications alone: shares no code with the log.
import assert from 'node:assert/strict'
import { createPublicKey, hash, verify } from 'node:crypto'

const tile_width = 256
const hash_bytes = 32

/** Reads a path below the log's prefix. */
export type ReadLog = (path: string) => Promise<Buffer>

export interface TreeHead {
  readonly size: number
  readonly root: Buffer
  /** All lines below the empty line. */
  readonly signatures: readonly string[]
}

/** The checkpoint, if the key signed it. */
export async function readCheckpoint(read: ReadLog, verifier_key: string): Promise<TreeHead> {
  const note = (await read('checkpoint')).toString('utf8')
  const [text = '', lines = ''] = note.split('\n\n')
  const [origin, size, root] = text.split('\n')
  // Only the first two: the key's own text may have such characters too.
  const [, name, key_id, key_text = ''] = /^(.*?)\+(.{8})\+(.*)$/.exec(verifier_key) ?? []
  const key = Buffer.from(key_text, 'base64')
  const signatures = lines.split('\n').slice(0, -1)
  const own = signatures.map((line) => line.split(' ')).find(([, signer]) => signer === name)
  const signature = Buffer.from(own?.[2] ?? '', 'base64')
  assert.deepEqual([origin, key[0]], [name, 1])
  assert.equal(signature.subarray(0, 4).toString('hex'), key_id)
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.subarray(1).toString('base64url') }
  const public_key = createPublicKey({ key: jwk, format: 'jwk' })
  assert.ok(
    verify(null, Buffer.from(`${text}\n`), public_key, signature.subarray(4)),
    'not signed by the key',
  )
  return { size: Number(size), root: Buffer.from(root!, 'base64'), signatures }
}

/** The path of a tile: `0/x001/067.p/8`. */
function tilePath(level: number | 'entries', index: number, width = tile_width): string {
  const digits = String(index).padStart(Math.ceil(String(index).length / 3) * 3, '0')
  const groups = digits.match(/.{3}/g)!
  const place = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/')
  return `tile/${level}/${place}${width < tile_width ? `.p/${width}` : ''}`
}

/** Every hash of a level of a tree of this size, tile by tile. */
export async function readLevel(read: ReadLog, level: number, size: number): Promise<Buffer[]> {
  const count = Math.floor(size / tile_width ** level)
  const hashes: Buffer[] = []
  for (let from = 0; from < count; from += tile_width) {
    const width = Math.min(tile_width, count - from)
    const tile = await read(tilePath(level, from / tile_width, width))
    assert.equal(tile.length, width * hash_bytes)
    for (let at = 0; at < tile.length; at += hash_bytes) hashes.push(tile.subarray(at, at + hash_bytes))
  }
  return hashes
}

async function readEntries(read: ReadLog, size: number): Promise<Buffer[]> {
  const entries: Buffer[] = []
  while (entries.length < size) {
    const width = Math.min(tile_width, size - entries.length)
    const bundle = await read(tilePath('entries', entries.length / tile_width, width))
    assert.equal(bundle.length, width * (2 + hash_bytes))
    for (let at = 0; at < bundle.length; ) {
      const end = at + 2 + bundle.readUInt16BE(at)
      entries.push(bundle.subarray(at + 2, end))
      at = end
    }
  }
  return entries
}

/** RFC 6962, 2.1. */
export function leafOf(entry: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.from([0]), entry]), 'buffer')
}

function rootOver(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 1) return leaves[0]!
  const split = splitOf(leaves.length)
  const children = [rootOver(leaves.slice(0, split)), rootOver(leaves.slice(split))]
  return hash('sha256', Buffer.concat([Buffer.from([1]), ...children]), 'buffer')
}

/** RFC 6962, 2.1.1: from the leaf upwards. */
export function auditPath(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length === 1) return []
  const split = splitOf(leaves.length)
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)]
  return index < split
    ? [...auditPath(index, left), rootOver(right)]
    : [...auditPath(index - split, right), rootOver(left)]
}

function splitOf(count: number): number {
  return 2 ** Math.floor(Math.log2(count - 1))
}

/** Throws unless all tiles and entries agree with each other and with the signed root. */
export async function requireTree(read: ReadLog, { size, root }: TreeHead): Promise<Buffer[]> {
  const entries = await readEntries(read, size)
  let below = await readLevel(read, 0, size)
  assert.deepEqual(below, entries.map(leafOf))
  assert.deepEqual(rootOver(below), root, 'the tiles give another root than the one signed')
  for (let level = 1; tile_width ** level <= size; level++) {
    const above = await readLevel(read, level, size)
    const full = above.map((_, at) => rootOver(below.slice(at * tile_width, (at + 1) * tile_width)))
    assert.deepEqual(above, full)
    below = above
  }
  return entries
}
