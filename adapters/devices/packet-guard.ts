// Limits the size of MQTT packets by their header, before anything is buffered.
import { Duplex, Transform } from 'node:stream'

const length_bytes_max = 4

type Where = 'header' | 'length' | 'body'

/** False at the first MQTT packet that is too large or has an invalid length. */
export function packetCounter(bytes_max: number): (chunk: Uint8Array) => boolean {
  let where: Where = 'header'
  let [length, digits, left] = [0, 0, 0]
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (where === 'body') {
        const skipped = Math.min(left, chunk.length - at)
        at += skipped
        left -= skipped
        if (left === 0) where = 'header'
        continue
      }
      const byte = chunk[at++]!
      if (where === 'header') {
        where = 'length'
        length = 0
        digits = 0
        continue
      }
      length += (byte & 0x7f) * 128 ** digits++
      if (length > bytes_max || (digits === length_bytes_max && byte & 0x80)) return false
      if (byte & 0x80) continue
      left = length
      where = left > 0 ? 'body' : 'header'
    }
    return true
  }
}

/** The same connection, cut at the first violation. */
export function guardPackets(connection: Duplex, bytes_max: number): Duplex {
  const passes = packetCounter(bytes_max)
  const guard = new Transform({
    transform(chunk: Uint8Array, _, done) {
      if (passes(chunk)) return done(null, chunk)
      done(new Error(`a packet of more than ${bytes_max} bytes was sent`))
    },
  })
  guard.on('error', () => connection.destroy())
  connection.on('error', () => guard.destroy())
  return Duplex.from({ readable: connection.pipe(guard), writable: connection } as never)
}
