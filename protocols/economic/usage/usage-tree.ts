// RFC 6962 trees over metered events: one over the sorted ids of each hour, one over the hours' roots.
import { appendLeaf, type Frontier, leafHash, rootOf } from '@svc/audit/tree/merkle'
import { sha256Bytes } from '@svc/contract/signing/canonical-json'

const id_bytes = 16
/** Leaves between two turns of the event loop: about 10 ms. */
const leaves_in_a_row = 10_000
/** The byte 0 and an id: reused for each leaf, because this runs for every event. */
const leaf_input = Buffer.alloc(1 + id_bytes)

/** `ids` are the event ids of one hour, 16 bytes each, sorted. */
export async function rootOfHour(ids: Buffer): Promise<Buffer> {
  const frontier: Frontier = []
  for (let leaf = 0; leaf < ids.length / id_bytes; leaf++) {
    if (leaf % leaves_in_a_row === leaves_in_a_row - 1) await new Promise((resolve) => setImmediate(resolve))
    ids.copy(leaf_input, 1, leaf * id_bytes, (leaf + 1) * id_bytes)
    appendLeaf(frontier, leaf, sha256Bytes(leaf_input), keepNone)
  }
  return rootOf(frontier)
}

/** `roots` are those of the hours with events, in order of time. */
export function rootOfHours(roots: readonly Buffer[]): string {
  const frontier: Frontier = []
  for (const [place, root] of roots.entries()) appendLeaf(frontier, place, leafHash(root), keepNone)
  return `sha256:${rootOf(frontier).toString('hex')}`
}

function keepNone(): void {}
