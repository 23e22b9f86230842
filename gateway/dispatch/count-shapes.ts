// How many different object shapes a JSON text holds. Each is a hidden class to build: ten thousand of them take longer to parse than
// megabytes of anything else, while objects of one shape are cheap in any number.

const quote = 0x22
const backslash = 0x5c
const depth_max = 64
const marks = 1 << 16
/** Enough of a key to tell it from others; its length counts too. */
const hashed_bytes_max = 64

/** Approximate: counts each key by its place after the keys before it; two may collide. Stops at `most`. */
export function countShapes(bytes: Buffer, most: number): number {
  const filter = new Uint8Array(marks)
  const shape_at_depth = new Uint32Array(depth_max + 1)
  let depth = 0
  let last_string = 0
  let shapes = 0
  for (let i = 0; i < bytes.length && shapes < most; i++) {
    switch (bytes[i]) {
      case quote: {
        const end = endOfString(bytes, i + 1)
        last_string = hashOf(bytes, i + 1, end)
        i = end
        break
      }
      case 0x7b: // {
      case 0x5b: // [
        depth = Math.min(depth + 1, depth_max)
        shape_at_depth[depth] = 0
        break
      case 0x7d: // }
      case 0x5d: // ]
        depth = Math.max(depth - 1, 0)
        break
      case 0x3a: {
        const shape = mix(shape_at_depth[depth]!, last_string)
        shape_at_depth[depth] = shape
        const mark = (shape ^ (shape >>> 16)) & (marks - 1)
        if (filter[mark] === 0) shapes++
        filter[mark] = 1
      }
    }
  }
  return shapes
}

function endOfString(bytes: Buffer, from: number): number {
  for (let end = bytes.indexOf(quote, from); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let backslashes = 0
    while (end - backslashes > from && bytes[end - backslashes - 1] === backslash) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return bytes.length
}

function hashOf(bytes: Buffer, from: number, end: number): number {
  let hash = end - from
  for (let i = from; i < Math.min(end, from + hashed_bytes_max); i++) hash = mix(hash, bytes[i]!)
  return hash
}

/** One step of FNV-1a: fast, and uniform enough for counting. */
function mix(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x01000193) >>> 0
}
