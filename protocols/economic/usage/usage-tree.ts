// RFC 6962 trees over metered events: one over the sorted ids of each hour, one over the hours' roots.
import { hash } from 'node:crypto'
import { appendLeaf, type Frontier, leafHash, rootOf } from '@svc/audit/tree/merkle'

const id_bytes = 16
/** The byte 0 and an id: reused for each leaf, because this runs for every event. */
const leaf_input = Buffer.alloc(1 + id_bytes)

/** `ids` are the event ids of one hour, 16 bytes each, sorted. */
export function rootOfHour(ids: Buffer): Buffer {
  const frontier: Frontier = []
  for (let at = 0; at < ids.length; at += id_bytes) {
    ids.copy(leaf_input, 1, at, at + id_bytes)
    appendLeaf(frontier, at / id_bytes, hash('sha256', leaf_input, 'buffer'), keepNone)
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
